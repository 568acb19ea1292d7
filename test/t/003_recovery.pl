# Committed changes to a stored filter survive a crash and reach a standby; uncommitted ones do not.
use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = PostgreSQL::Test::Cluster->new('primary');
$node->init(allows_streaming => 1);
# No checkpoint between, so that recovery has something to do.
$node->append_conf('postgresql.conf', "checkpoint_timeout = 1h\nmax_wal_size = 10GB\nautovacuum = off");
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION cuckoo_filter;
-- In the row, out of it, and large.
CREATE TABLE stored AS
	SELECT n, bf_create(n, 1e-7) AS b, cf_create(n, 1e-7) AS c FROM unnest(ARRAY[100, 5000, 30000]) n;
SQL
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;

# Growth of the smallest, many small changes, deletes, and a rollback.
$node->safe_psql('postgres', 'CHECKPOINT');
$node->safe_psql('postgres', <<'SQL');
DO $$
BEGIN
	FOR i IN 1..300 LOOP
		UPDATE stored SET b = bf_add(b, i), c = cf_add(c, i);
		IF i % 3 = 0 THEN
			UPDATE stored SET c = cf_delete(c, i);
		END IF;
		COMMIT;
	END LOOP;
END$$;
BEGIN;
UPDATE stored SET b = bf_add(b, -1), c = cf_add(c, -1);
ROLLBACK;
SQL

my $question = <<'SQL';
SELECT n, count(*) FILTER (WHERE bf_contains(b, i)), count(*) FILTER (WHERE cf_contains(c, i)),
	count(*) FILTER (WHERE i % 3 <> 0 AND cf_contains(c, i)), bf_contains(b, -1), cf_contains(c, -1),
	md5(b::text), md5(c::text)
FROM stored, generate_series(1, 300) i GROUP BY n, b::text, c::text, 5, 6, 7, 8 ORDER BY n
SQL
my $before = $node->safe_psql('postgres', $question);
is(join("\n", map { s/\|[0-9a-f]{32}\|[0-9a-f]{32}$//r } split /\n/, $before),
	"100|300|200|200|f|f\n5000|300|200|200|f|f\n30000|300|200|200|f|f", 'committed changes are there');

$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
is($standby->safe_psql('postgres', $question), $before, 'the same on a standby, byte for byte');
is( $standby->safe_psql('postgres', <<'SQL'), 300, 'a standby builds filters, too');
SELECT count(*) FROM generate_series(1, 300) i WHERE bf_contains((SELECT bf_agg(v) FROM generate_series(1, 300) v), i)
SQL

# An open transaction at the time of the crash.
my $running = IPC::Run::start(
	[
		'psql', '-X', '-q', '-d', $node->connstr('postgres'), '-c', 'BEGIN',
		'-c', 'UPDATE stored SET b = bf_add(b, -2), c = cf_add(c, -2)', '-c', 'SELECT pg_sleep(100)'
	],
	'>', '/dev/null', '2>', '/dev/null');
$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
	or die 'the transaction did not get to its end';

$node->kill9;
$running->finish;
# The backends need a moment to notice; until then the server does not start.
my $started;
for (1 .. 100)
{
	last if $started = $node->start(fail_ok => 1);
	usleep(100_000);
	$node->stop('fast', fail_ok => 1);
}
ok($started, 'the server recovers from SIGKILL');
is($node->safe_psql('postgres', $question), $before, 'the same after recovery, byte for byte');
is($node->safe_psql('postgres', 'SELECT count(*) FROM stored WHERE bf_contains(b, -2) OR cf_contains(c, -2)'), 0,
	'uncommitted changes are not there');
is( $node->safe_psql('postgres', <<'SQL'), "t\nt\nt", 'the recovered filters can be added to');
UPDATE stored SET b = bf_add(b, -3), c = cf_add(c, -3) RETURNING bf_contains(b, -3) AND cf_contains(c, -3)
SQL

$standby->stop;
$node->stop;
done_testing();
