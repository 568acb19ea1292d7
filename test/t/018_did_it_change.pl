# Statements that say what they changed: of several clients that add the same new keys at the same time, exactly one gets
# each key returned, and likewise of those that delete them. The statements are those of README.md.
use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $clients = 6;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
# False positives would be claimed by nobody.
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TABLE seen (shard integer PRIMARY KEY, keys bloomfilter NOT NULL);
INSERT INTO seen SELECT shard, bf_create(1000, 1e-7, 'text') FROM generate_series(0, 255) AS shard;
CREATE TABLE sessions (id integer PRIMARY KEY, live cuckoofilter NOT NULL);
INSERT INTO sessions VALUES (1, cf_create(1000, 1e-7, 'text'));
CREATE TABLE claims (key text, client integer);
SQL

sub add_one
{
	my ($key) = @_;
	return "UPDATE seen SET keys = bf_add(keys, $key)
		WHERE shard = filter_hash($key) & 255 AND NOT bf_contains(keys, $key) RETURNING $key";
}

sub delete_one
{
	my ($key) = @_;
	return "UPDATE sessions SET live = cf_delete(live, $key) WHERE id = 1 AND cf_contains(live, $key) RETURNING $key";
}

sub add_to_row
{
	my ($keys) = @_;
	return "WITH locked AS (
			SELECT live FROM sessions WHERE id = 1 FOR UPDATE
		), fresh AS (
			SELECT array_agg(DISTINCT key) AS new FROM locked, unnest($keys) AS key WHERE NOT cf_contains(live, key)
		), added AS (
			UPDATE sessions SET live = cf_add_all(live, new) FROM fresh WHERE id = 1 AND new IS NOT NULL RETURNING new
		)
		SELECT unnest(new) AS key FROM added";
}

sub delete_from_row
{
	my ($keys) = @_;
	return "WITH locked AS (
			SELECT live FROM sessions WHERE id = 1 FOR UPDATE
		), found AS (
			SELECT array_agg(DISTINCT key) AS old FROM locked, unnest($keys) AS key WHERE cf_contains(live, key)
		), deleted AS (
			UPDATE sessions SET live = cf_delete_all(live, old) FROM found WHERE id = 1 AND old IS NOT NULL RETURNING old
		)
		SELECT unnest(old) AS key FROM deleted";
}

sub add_to_shards
{
	my ($keys) = @_;
	return "WITH asked AS (
			SELECT DISTINCT key, filter_hash(key) & 255 AS shard FROM unnest($keys) AS key
		), locked AS (
			SELECT shard, keys FROM seen WHERE shard IN (SELECT shard FROM asked) ORDER BY shard FOR UPDATE
		), fresh AS (
			SELECT shard, array_agg(key) AS new FROM asked JOIN locked USING (shard) WHERE NOT bf_contains(keys, key)
			GROUP BY shard
		), added AS (
			UPDATE seen SET keys = bf_add_all(keys, new) FROM fresh WHERE seen.shard = fresh.shard RETURNING new
		)
		SELECT unnest(new) AS key FROM added";
}

sub waiting
{
	my ($count) = @_;
	return $node->poll_query_until('postgres',
		"SELECT count(*) = $count FROM pg_stat_activity WHERE datname = 'postgres' AND wait_event_type = 'Lock'");
}

# claimed STATEMENT: what several clients get returned that all begin while the rows are locked, and so see the filters as
# they were before any of them.
sub claimed
{
	my ($statement) = @_;
	my ($in, $out) = ('', '');
	my $holder = IPC::Run::start([ 'psql', '-XAtq', $node->connstr('postgres') ], '<', \$in, '>', \$out);
	my (@sessions, @returned);

	$in .= "BEGIN; SELECT FROM seen FOR UPDATE; SELECT FROM sessions FOR UPDATE; SELECT 'locked';\n";
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

is(claimed(add_one("'x'::text")), 'x', 'one client adds a value');
is(claimed(add_to_shards($four)), 'a b c d', 'each key is new to one client, over shards');
is(claimed(add_to_shards("ARRAY['b', 'e', 'x', NULL]")), 'e', 'keys that were there are new to none, over shards');
is(claimed(add_to_row($four)), 'a b c d', 'each key is new to one client, in a row');
is(claimed(add_to_row("ARRAY['b', 'e', NULL]")), 'e', 'keys that were there are new to none, in a row');
is($node->safe_psql('postgres', 'SELECT cf_cardinality(live) FROM sessions'), 5, 'there is an entry for each');
is(claimed(delete_one("'e'::text")), 'e', 'one client deletes a value');
is(claimed(delete_from_row("ARRAY['a', 'b', 'nobody', 'a', 'e']")), 'a b', 'each key is deleted by one client');
is($node->safe_psql('postgres', 'SELECT cf_cardinality(live) FROM sessions'), 2, 'an entry for each has gone');

# The test itself: without the lock, each client gets all keys.
(my $naive = add_to_shards("ARRAY['f']")) =~ s/ ORDER BY shard FOR UPDATE//;
is(claimed($naive), join(' ', ('f') x $clients), 'a statement that does not lock before it probes is wrong');

# The same without a holder: clients that go through the same keys, three and one of the last time.
my $folder = PostgreSQL::Test::Utils::tempdir;
my %scripts = (
	shards => "\\set n :n + 3\n"
	  . add_to_shards("ARRAY['s' || :n, 's' || :n + 1, 's' || :n + 2, 's' || :n + 3]") =~
	  s/SELECT unnest.*/INSERT INTO claims SELECT unnest(new), :client_id FROM added;/r,
	one => "\\set n :n + 1\n"
	  . 'WITH added (key) AS ('
	  . add_one("('o' || :n)::text")
	  . ') INSERT INTO claims SELECT key, :client_id FROM added;');
for my $script (sort keys %scripts)
{
	my $file = "$folder/$script.sql";

	append_to_file($file, $scripts{$script});
	$node->command_ok([ 'pgbench', '-n', '-c', $clients, '-t', 100, '-D', 'n=0', '-f', $file, 'postgres' ], "pgbench: $script");
}
is($node->safe_psql('postgres', 'SELECT left(key, 1), count(*), count(DISTINCT key) FROM claims GROUP BY 1 ORDER BY 1'),
	"o|100|100\ns|301|301", 'each key was claimed once');
cmp_ok($node->safe_psql('postgres', 'SELECT count(DISTINCT client) FROM claims'), '>', 1, 'by several clients');

$node->stop;
done_testing();
