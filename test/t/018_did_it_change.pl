# Statements that return the keys that were new: if several clients add the same keys at the same time, each key is
# returned to exactly one of them; likewise for deletes. The statements are those of docs/recipes.md.
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
CREATE TABLE seen_keys (shard integer PRIMARY KEY, keys bloomfilter NOT NULL);
INSERT INTO seen_keys SELECT shard, bf_create(1000, 1e-7, 'text') FROM generate_series(0, 255) AS shard;
CREATE TABLE jobs (id integer PRIMARY KEY, taken cuckoofilter NOT NULL);
INSERT INTO jobs VALUES (1, cf_create(1000, 1e-7, 'text'));
CREATE TABLE claims (key text, client integer);
SQL

my $document = slurp_file(dirname(__FILE__) . '/../../docs/recipes.md');
my ($add_one) = $document =~ /^(UPDATE seen_keys SET [^;]* RETURNING) 'is new';/m or die 'no UPDATE that adds';
my ($delete_one) = $document =~ /^(UPDATE jobs SET [^;]* RETURNING) 'is gone';/m or die 'no UPDATE that deletes';
my ($add_to_shards) = $document =~ /^(WITH asked AS [^;]*;)/m or die 'no statement for shards';
my ($add_to_row) = $document =~ /^(WITH locked AS [^;]*;)/m or die 'no statement for a row';
(my $delete_from_row = $add_to_row) =~ s/NOT cf_contains/cf_contains/;
$delete_from_row =~ s/cf_add_all/cf_delete_all/ or die 'nothing to delete with';

# of STATEMENT, KEYS: a statement of the document for other keys. A statement for a single key returns that key.
sub of
{
	my ($statement, $keys) = @_;

	return $statement =~ s/ARRAY\[[^]]*\]/$keys/r if $statement =~ /ARRAY\[/;
	return $statement =~ s/'(key|token)-\d+'(::text)?/$keys/gr . " $keys";
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

	$in .= "BEGIN; SELECT FROM seen_keys FOR UPDATE; SELECT FROM jobs FOR UPDATE; SELECT 'locked';\n";
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

my $four = "ARRAY['a', 'b', 'c', 'a', 'd']";

is(claimed(of($add_one, "'x'::text")), 'x', 'one client adds a value');
is(claimed(of($add_to_shards, $four)), 'a b c d', 'each key is new to one client, over shards');
is(claimed(of($add_to_shards, "ARRAY['b', 'e', 'x', NULL]")), 'e', 'existing keys are new to no client, over shards');
is(claimed(of($add_to_row, $four)), 'a b c d', 'each key is new to one client, in a row');
is(claimed(of($add_to_row, "ARRAY['b', 'e', NULL]")), 'e', 'existing keys are new to no client, in a row');
is($node->safe_psql('postgres', 'SELECT cf_cardinality(taken) FROM jobs'), 5, 'there is an entry for each key');
is(claimed(of($delete_one, "'e'::text")), 'e', 'one client deletes a value');
is(claimed(of($delete_from_row, "ARRAY['a', 'b', 'nobody', 'a', 'e']")), 'a b', 'each key is deleted by one client');
is($node->safe_psql('postgres', 'SELECT cf_cardinality(taken) FROM jobs'), 2, 'one entry for each key is gone');

# A check of the test itself: without the lock, each client gets all keys.
(my $naive = of($add_to_shards, "ARRAY['f']")) =~ s/ ORDER BY shard FOR UPDATE// or die 'no lock';
is(claimed($naive), join(' ', ('f') x $clients), 'a statement that does not lock before it probes is wrong');

# The same without a holder of the locks: clients that add the same keys; to shards, three new and one old at a time.
my $folder = PostgreSQL::Test::Utils::tempdir;
my %scripts = (
	shards => "\\set n :n + 3\n"
	  . of($add_to_shards, "ARRAY['s' || :n, 's' || :n + 1, 's' || :n + 2, 's' || :n + 3]") =~
	  s/SELECT unnest.*/INSERT INTO claims SELECT unnest(new), :client_id FROM added;/r,
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
