# Several clients change filters while every process of the server is killed: after recovery every key reported as
# committed to a client is in the exact table, and every key in the exact table is in the filters.
use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $clients = 4;
my $rounds = 4;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "wal_buffers = 256kB\nshared_buffers = 4MB\nmax_connections = 20");
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TABLE exact (shard integer, key bigint);
CREATE INDEX ON exact (key);
-- Shards in the row, out of it, and such that have to grow.
CREATE TABLE stored (shard integer PRIMARY KEY, b bloomfilter, c cuckoofilter);
INSERT INTO stored SELECT shard, bf_create(size, 1e-4), cf_create(size, 1e-4)
	FROM unnest(ARRAY[200, 200, 6000, 20]) WITH ORDINALITY AS v (size, shard);
SQL

# script CLIENT, ROUND: the script of a client: transactions that add keys of its own, a few of them two or three
# times, and delete some that the same round added. It prints the keys whose commit was reported.
sub script
{
	my ($client, $round) = @_;
	my $sql = '';

	for my $i (1 .. 5000)
	{
		my $key = ($round * 10 + $client) * 100000 + $i;
		my $shard = 1 + $i % 4;
		my $copies = $i % 10 == 0 ? 3 : 1;

		$sql .= "BEGIN;\n";
		$sql .= "INSERT INTO exact VALUES ($shard, $key);\n"
		  . "UPDATE stored SET b = bf_add(b, $key\::bigint), c = cf_add(c, $key\::bigint) WHERE shard = $shard;\n"
		  for 1 .. $copies;
		if ($i % 7 == 0)
		{
			my $gone = $key - 4;

			$sql .= "WITH gone AS (
					DELETE FROM exact WHERE ctid = (SELECT ctid FROM exact WHERE key = $gone LIMIT 1) RETURNING *)
				UPDATE stored SET c = cf_delete(c, key) FROM gone WHERE stored.shard = gone.shard;\n";
		}
		$sql .= $i % 11 == 0 ? "ROLLBACK;\n" : "COMMIT;\n\\echo $key\n";
	}
	return $sql;
}

# What is missing from the filters, and how much there is.
my $missing = <<'SQL';
SELECT count(*) > 0, count(*) FILTER (WHERE NOT bf_contains(b, key)), count(*) FILTER (WHERE NOT cf_contains(c, key)),
	count(*) FILTER (WHERE cf_count(c, key) < least(copies, 16))
FROM (SELECT shard, key, count(*) AS copies FROM exact GROUP BY shard, key) AS e JOIN stored USING (shard)
SQL

my $folder = PostgreSQL::Test::Utils::tempdir;
for my $round (1 .. $rounds)
{
	my (@sessions, @reported);

	for my $client (1 .. $clients)
	{
		my $file = "$folder/$client.sql";
		open my $handle, '>', $file or die "cannot write $file: $!";
		print $handle script($client, $round);
		close $handle;
		$reported[ $client - 1 ] = '';
		push @sessions,
		  IPC::Run::start([ 'psql', '-XAtq', '-f', $file, $node->connstr('postgres') ], '>', \$reported[ $client - 1 ],
			'2>', '/dev/null');
	}
	# Until all are running, and a little longer.
	my $enough = $round * 10 * 100000;
	$node->poll_query_until('postgres',
		"SELECT count(DISTINCT key / 100000) = $clients AND count(*) > 100 * $clients FROM exact WHERE key > $enough")
	  or die 'the clients do not get on';
	$node->safe_psql('postgres', 'CHECKPOINT') if $round % 2 == 0;
	usleep(150_000 * $round);

	my @processes =
	  split /\n/, $node->safe_psql('postgres', 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
	$node->kill9;
	kill 'KILL', @processes;
	$_->finish for @sessions;
	# Those that are left need a moment to notice; until then the server does not start.
	my $started;
	for (1 .. 100)
	{
		last if $started = $node->start(fail_ok => 1);
		usleep(100_000);
		$node->stop('fast', fail_ok => 1);
	}
	ok($started, "round $round: the server recovers");

	my @keys = map { split /\n/ } @reported;
	cmp_ok(scalar @keys, '>', 100, "round $round: there were commits");
	note(scalar @keys . ' commits');
	# Some were deleted again.
	my $lasting = join ', ', grep { ($_ % 100000 + 4) % 7 != 0 } @keys;
	is( $node->safe_psql('postgres',
			"SELECT count(*) FROM unnest(ARRAY[$lasting]::bigint[]) k WHERE k NOT IN (SELECT key FROM exact)"),
		0, "round $round: every change reported to a client as committed is there");
	is($node->safe_psql('postgres', $missing), 't|0|0|0', "round $round: nothing is missing from the filters");
	# Each client rolled back some of its keys. A few of them collide with others.
	is( $node->safe_psql('postgres', <<SQL), 't', "round $round: rolled back changes are not found");
SELECT count(*) FILTER (WHERE cf_contains(c, key)) < 0.02 * count(*)
FROM generate_series(1, $clients) client, generate_series(11, 5000, 11) i,
	LATERAL (SELECT ($round * 10 + client) * 100000::bigint + i AS key) AS k, stored
WHERE shard = 1 + i % 4
SQL
}
cmp_ok($node->safe_psql('postgres', 'SELECT (cf_info(c)).layers FROM stored WHERE shard = 4'), '>', 2, 'a filter grew');

$node->stop;
done_testing();
