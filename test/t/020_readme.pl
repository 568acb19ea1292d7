# Runs the SQL of README.md and docs/in_step.md, block by block, and compares the errors they show with the real ones,
# and the reference in the README with the functions that exist.
use strict;
use warnings;

use File::Basename qw(dirname);
use IPC::Run qw(run);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('readme');
$node->init;
$node->start;

# run_blocks FILE, DATABASE: runs its SQL; returns the number of blocks, and what they print.
sub run_blocks
{
	my ($file, $database) = @_;
	my $text = slurp_file(dirname(__FILE__) . "/../../$file");
	my ($blocks, $printed) = (0, '');

	while ($text =~ /^```sql\n(.*?)^```\n(?:^```\n(ERROR:.*?)^```\n)?/msg)
	{
		my ($sql, $errors) = ($1, $2);
		my ($out, $err);
		my ($title) = split(/\n/, $sql);

		$blocks++;
		run(
			[ 'psql', '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--dbname', $node->connstr($database) ],
			'<', \$sql, '>', \$out, '2>', \$err);
		$printed .= $out;
		if (!defined $errors)
		{
			is($err, '', "runs: $title");
			next;
		}
		$err =~ s/^psql:[^ ]+ //mg;
		my @missing = grep { index($err, $_) < 0 } split(/\n/, $errors);
		is(join("\n", @missing), '', "gives the error shown: $title") or diag($err);
	}
	return ($blocks, $printed);
}

my ($blocks, $printed) = run_blocks('README.md', 'postgres');
cmp_ok($blocks, '>', 15, 'the README has its SQL');
like($printed, qr/new_key *\n-+\n key-19\n key-20\n/, 'example of keys that are new, over shards');
like($printed, qr/new_key *\n-+\n token-3\n/, 'example of keys that are new, in a row');

# The sentences of the first block that show answers.
is($node->safe_psql('postgres', q(SELECT bf_contains(known, 'user42@example.com') FROM filters)), 't', 'first example, present');
is($node->safe_psql('postgres', q(SELECT bf_contains(known, 'nobody@example.com') FROM filters)), 'f', 'first example, absent');
is($node->safe_psql('postgres', 'SELECT cf_contains(live, $$token-1$$), cf_contains(live, $$token-2$$), cf_cardinality(live) FROM sessions'),
	't|f|2', 'cuckoo example');

# The reference has every function for users, and none that does not exist.
my ($reference) = slurp_file(dirname(__FILE__) . "/../../README.md") =~ /^## Reference\n(.*?)^## /ms;
my %documented = map { $_ => 1 } $reference =~ /\b([bc]f_\w+|filter_(?:hash|value_\w+))\b/g;
my %existing = map { $_ => 1 } split /\n/, $node->safe_psql('postgres', <<'SQL');
SELECT DISTINCT proname FROM pg_proc WHERE proname ~ '^[bc]f_' OR proname IN ('filter_hash', 'filter_value_bytes', 'filter_value_kind')
SQL
is(join(' ', grep { !$documented{$_} } sort keys %existing), '', 'every function is in the reference');
is(join(' ', grep { !$existing{$_} } sort keys %documented), '', 'every function of the reference exists');

$node->safe_psql('postgres', 'CREATE DATABASE in_step');
$node->safe_psql('in_step', 'CREATE EXTENSION cuckoo_filter');
($blocks, $printed) = run_blocks('docs/in_step.md', 'in_step');
cmp_ok($blocks, '>', 4, 'docs/in_step.md has its SQL');
like($printed, qr/ keys \| entries \| missing *\n[-+]+\n +2 \| +2 \| +0\n/, 'example of a filter kept consistent');

$node->stop;
done_testing();
