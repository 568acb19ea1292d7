# Runs the SQL of README.md, block by block, and compares the errors it shows with the real ones, and its
# reference with the functions that there are.
use strict;
use warnings;

use File::Basename qw(dirname);
use IPC::Run qw(run);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

open(my $readme, '<', dirname(__FILE__) . '/../../README.md') or die "README.md: $!";
my $text = do { local $/; <$readme> };
close($readme);

my $node = PostgreSQL::Test::Cluster->new('readme');
$node->init;
$node->start;

my $blocks = 0;
while ($text =~ /^```sql\n(.*?)^```\n(?:^```\n(ERROR:.*?)^```\n)?/msg)
{
	my ($sql, $errors) = ($1, $2);
	my ($out, $err);
	my ($title) = split(/\n/, $sql);

	$blocks++;
	run(
		[ 'psql', '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--dbname', $node->connstr('postgres') ],
		'<', \$sql, '>', \$out, '2>', \$err);
	if (!defined $errors)
	{
		is($err, '', "runs: $title");
		next;
	}
	$err =~ s/^psql:[^ ]+ //mg;
	my @missing = grep { index($err, $_) < 0 } split(/\n/, $errors);
	is(join("\n", @missing), '', "gives the error shown: $title") or diag($err);
}
cmp_ok($blocks, '>', 15, 'the README has its SQL');

# The sentences of the first block that are answers.
is($node->safe_psql('postgres', q(SELECT bf_contains(known, 'user42@example.com') FROM filters)), 't', 'first example, present');
is($node->safe_psql('postgres', q(SELECT bf_contains(known, 'nobody@example.com') FROM filters)), 'f', 'first example, absent');
is($node->safe_psql('postgres', 'SELECT cf_contains(live, $$token-1$$), cf_contains(live, $$token-2$$), cf_cardinality(live) FROM sessions'),
	't|f|2', 'cuckoo example');

# The reference has every function for users, and none that does not exist.
my ($reference) = $text =~ /^## Reference\n(.*?)^## /ms;
my %documented = map { $_ => 1 } $reference =~ /\b([bc]f_\w+|filter_(?:hash|value_\w+))\b/g;
my %existing = map { $_ => 1 } split /\n/, $node->safe_psql('postgres', <<'SQL');
SELECT DISTINCT proname FROM pg_proc WHERE proname ~ '^[bc]f_' OR proname IN ('filter_hash', 'filter_value_bytes', 'filter_value_kind')
SQL
is(join(' ', grep { !$documented{$_} } sort keys %existing), '', 'every function is in the reference');
is(join(' ', grep { !$existing{$_} } sort keys %documented), '', 'every function of the reference exists');

$node->stop;
done_testing();
