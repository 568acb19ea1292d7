# Runs the SQL of README.md and of every file in docs, block by block; compares the errors they show with the real ones, and
# the reference of the README with the functions that exist; follows the links between the documents.
use strict;
use warnings;

use File::Basename qw(basename dirname);
use File::Spec;
use IPC::Run qw(run);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $top = File::Spec->rel2abs(dirname(__FILE__) . '/../..');
my $node = PostgreSQL::Test::Cluster->new('readme');
# The errors name kinds as in UTF8.
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->start;
my $user = $node->safe_psql('postgres', 'SELECT current_user');

# run_blocks FILE, DATABASE: runs its SQL; returns the number of blocks, and what they print.
sub run_blocks
{
	my ($file, $database) = @_;
	my $text = slurp_file("$top/$file");
	my ($blocks, $printed) = (0, '');

	while ($text =~ /^```sql\n(.*?)^```\n(?:^```\n(ERROR:.*?)^```\n)?/msg)
	{
		my ($sql, $errors) = ($1, $2);
		my ($out, $err);
		my ($title) = split(/\n/, $sql);

		# The foreign servers of the examples are this one.
		my $here = sprintf("host '%s', port '%s', dbname '%s'", $node->host, $node->port, $database);
		$sql =~ s/host '[\w.]+\.example\.com', dbname 'shop'/$here/g;
		$sql =~ s/user 'reader', password 'secret'/user '$user'/g;

		$blocks++;
		next if ($ENV{LIBRARIES} // '') eq 'types' && $sql =~ /cuckoo_(?:scan|join)/;
		run(
			[ 'psql', '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--dbname', $node->connstr($database) ],
			'<', \$sql, '>', \$out, '2>', \$err);
		$printed .= $out;
		if (!defined $errors)
		{
			is($err, '', "$file runs: $title");
			next;
		}
		$err =~ s/^psql:[^ ]+ //mg;
		my @missing = grep { index($err, $_) < 0 } split(/\n/, $errors);
		is(join("\n", @missing), '', "$file has the error of: $title") or diag($err);
	}
	return ($blocks, $printed);
}

my ($blocks, $printed) = run_blocks('README.md', 'postgres');
cmp_ok($blocks, '>', 7, 'the README has blocks of SQL');

# The sentences of the first block that show answers.
is($node->safe_psql('postgres', q(SELECT bf_contains(known, 'user42@example.com') FROM filters)), 't', 'first example, present');
is($node->safe_psql('postgres', q(SELECT bf_contains(known, 'nobody@example.com') FROM filters)), 'f', 'first example, absent');
is($node->safe_psql('postgres', 'SELECT cf_contains(live, $$token-1$$), cf_contains(live, $$token-2$$), cf_cardinality(live) FROM sessions'),
	't|f|2', 'cuckoo example');

# The reference has every function for users, and none that does not exist.
my $readme = slurp_file("$top/README.md");
my ($reference) = $readme =~ /^## Reference\n(.*?)^## /ms;
my %documented = map { $_ => 1 } $reference =~ /\b([bc]f_\w+|filter_hash)\b/g;
my %existing = map { $_ => 1 } split /\n/, $node->safe_psql('postgres', <<'SQL');
SELECT DISTINCT proname FROM pg_proc WHERE proname ~ '^[bc]f_' OR proname = 'filter_hash'
SQL
is(join(' ', grep { !$documented{$_} } sort keys %existing), '', 'every function is in the reference');
is(join(' ', grep { !$existing{$_} } sort keys %documented), '', 'every function of the reference exists');

# The others use tables of the README, so each has a copy of its database.
my @documents = map { 'docs/' . basename($_) } glob("'$top/docs/*.md'");
my %printed;
for my $document (@documents)
{
	my $database = basename($document, '.md');

	$node->safe_psql('template1', "CREATE DATABASE $database TEMPLATE postgres");
	($blocks, $printed{$document}) = run_blocks($document, $database);
	$node->safe_psql('template1', "DROP DATABASE $database");
	like($readme, qr/\(\Q$document\E\)/, "the README links to $document");

	# A block that the pattern of run_blocks does not match would go untested.
	my $fences = () = slurp_file("$top/$document") =~ /^[ \t]*```sql/mg;
	is($blocks, $fences, "$document: every block of SQL was run");
}
like($printed{'docs/adding_and_deleting.md'}, qr/new_key *\n-+\n key-19\n key-20\n/, 'example of keys that are new, over shards');
like($printed{'docs/adding_and_deleting.md'}, qr/new_key *\n-+\n token-3\n/, 'example of keys that are new, in a row');
like($printed{'docs/in_step.md'}, qr/ keys \| entries \| missing *\n[-+]+\n +2 \| +2 \| +0\n/, 'example of a filter in step');
like($printed{'docs/distribution.md'}, qr/Remote SQL: SELECT customer FROM public\.orders WHERE \(public\.bf_contains\(\$1::public\.bloomfilter, customer\)\)/,
	'example of a filter that is sent');
like($printed{'docs/many_filters.md'}, qr/ layers *\n-+\n +1\n/, 'example of filters that merge into one layer');

$node->stop;

# anchors TEXT: a set of the names that GitHub gives the headings of a document.
sub anchors
{
	my ($text) = @_;
	my (%anchors, %times);

	$text =~ s/^```.*?^```$//msg;
	for my $heading ($text =~ /^#+ (.*)$/mg)
	{
		my $name = lc($heading) =~ s/[^\w\- ]//gr =~ tr/ /-/r;
		my $before = $times{$name}++;

		$anchors{ $before ? "$name-$before" : $name } = 1;
	}
	return \%anchors;
}

# broken_links FILE: the links of a document that have no target.
sub broken_links
{
	my ($file) = @_;
	my $text = slurp_file("$top/$file");
	my @broken;

	$text =~ s/^```.*?^```$//msg;
	$text =~ s/`[^`\n]*`//g;
	for my $link ($text =~ /\]\(([^)\s]+)\)/g)
	{
		next if $link =~ /^\w+:/;
		my ($path, $anchor) = $link =~ /^([^#]*)#?(.*)$/;
		my $target = $path eq '' ? "$top/$file" : "$top/" . dirname($file) . "/$path";

		push @broken, $link
		  if !-e $target || ($anchor ne '' && !anchors(slurp_file($target))->{$anchor});
	}
	return @broken;
}

for my $document ('README.md', 'CHANGELOG.md', 'SECURITY.md', 'test/README.md', 'test/golden/README.md', @documents)
{
	is(join(' ', broken_links($document)), '', "$document: every link has a target");
}

done_testing();
