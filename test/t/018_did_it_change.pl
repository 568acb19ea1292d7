# Statements that return the keys that were new: if several clients add the same keys at the same time, each key is
# returned to exactly one of them; likewise for deletes. The statements are those of README.md and docs/recipes.md.
use strict;
use warnings;

use File::Basename qw(dirname);
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $clients = 6;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
# A low rate, since no client would claim a key that is a false positive.
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TABLE seen AS SELECT bf_create(1000, 1e-7, 'text') AS keys;
CREATE TABLE seen_keys (shard integer PRIMARY KEY, keys cuckoofilter NOT NULL);
INSERT INTO seen_keys SELECT shard, cf_create(1000, 1e-7, 'text') FROM generate_series(0, 255) AS shard;
CREATE TABLE claims (key text, client integer);
SQL

my $top = dirname(__FILE__) . '/../..';
my ($add_one) = slurp_file("$top/README.md") =~ /^(UPDATE seen SET [^;]* RETURNING) 'new'/m or die 'no UPDATE that adds';
my $document = slurp_file("$top/docs/recipes.md");
my ($delete_one) = $document =~ /^(UPDATE seen_keys SET [^;]* RETURNING) 'is free';/m or die 'no UPDATE that deletes';
my ($function) = $document =~ /^(CREATE FUNCTION new_keys\(.*?^END \$\$;)/ms or die 'no function that adds';
$node->safe_psql('postgres', $function);

# of STATEMENT, KEY: a statement of a document for another key, which it returns.
sub of
{
	my ($statement, $key) = @_;

	return $statement =~ s/'(key|event)-\d+'(::text)?/$key/gr . " $key";
}

sub waiting
{
	my ($count) = @_;
	return $node->poll_query_until('postgres',
		"SELECT count(*) = $count FROM pg_stat_activity WHERE datname = 'postgres' AND wait_event_type = 'Lock'");
}

# claimed STATEMENT: what it returns to several clients that all begin while the rows are locked, and so see the filters
# as they were before any change.
sub claimed
{
	my ($statement) = @_;
	my ($in, $out) = ('', '');
	my $holder = IPC::Run::start([ 'psql', '-XAtq', $node->connstr('postgres') ], '<', \$in, '>', \$out);
	my (@sessions, @returned);

	$in .= "BEGIN; SELECT FROM seen_keys FOR UPDATE; SELECT FROM seen FOR UPDATE; SELECT 'locked';\n";
	$holder->pump until $out =~ /locked/;
	for my $client (0 .. $clients - 1)
	{
		$returned[$client] = '';
		push @sessions,
		  IPC::Run::start([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-c', $statement, $node->connstr('postgres') ],
			'>', \$returned[$client]);
	}
	waiting($clients) or die 'the clients do not wait';
	$in .= "COMMIT;\n\\q\n";
	$holder->finish;
	$_->finish or die 'a client failed' for @sessions;
	return join(' ', sort map { split /\n/ } @returned);
}

is(claimed(of($add_one, "'x'::text")), 'x', 'one client adds a value');
is(claimed("SELECT new_keys(ARRAY['a', 'b', 'c', 'a', 'd'])"), 'a b c d', 'each key is new to one client, over shards');
is(claimed("SELECT new_keys(ARRAY['b', 'e', 'd', NULL])"), 'e', 'existing keys are new to no client, over shards');
is(claimed(of($delete_one, "'e'::text")), 'e', 'one client deletes a value');
is($node->safe_psql('postgres', 'SELECT sum(cf_cardinality(keys)) FROM seen_keys'), 4, 'there is an entry for each key');

# A check of the test itself: without the lock, each client gets all keys.
(my $naive = $function) =~ s/ FOR UPDATE;/;/ or die 'no lock';
$node->safe_psql('postgres', $naive =~ s/new_keys/naive_keys/r);
is(claimed("SELECT naive_keys(ARRAY['f'])"), join(' ', ('f') x $clients),
	'a function that does not lock before it probes is wrong');

# The same without a holder of the locks: clients that add the same keys; to shards, three new and one old at a time.
my $folder = PostgreSQL::Test::Utils::tempdir;
my %scripts = (
	shards => "\\set n :n + 3\n"
	  . "INSERT INTO claims SELECT new_keys(ARRAY['s' || :n, 's' || :n + 1, 's' || :n + 2, 's' || :n + 3]), :client_id;",
	one => "\\set n :n + 1\n"
	  . 'WITH added (key) AS ('
	  . of($add_one, "('o' || :n)::text")
	  . ') INSERT INTO claims SELECT key, :client_id FROM added;');
for my $script (sort keys %scripts)
{
	my $file = "$folder/$script.sql";

	append_to_file($file, $scripts{$script});
	$node->command_ok([ 'pgbench', '-n', '-c', $clients, '-t', 100, '-D', 'n=0', '-f', $file, 'postgres' ], "pgbench: $script");
}
is($node->safe_psql('postgres', 'SELECT left(key, 1), count(*), count(DISTINCT key) FROM claims GROUP BY 1 ORDER BY 1'),
	"o|100|100\ns|301|301", 'each key was claimed once');
cmp_ok($node->safe_psql('postgres', 'SELECT count(DISTINCT client) FROM claims'), '>', 1, 'several clients claimed keys');

$node->stop;
done_testing();
