# The filter scan: in the first query of a session, with rows that change while it waits for them, under row-level security, in
# synchronized and parallel scans. And random queries with it and without it (test/filter_scan/generator.sql).
# Needs: the libraries of scans and joins
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Session;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
# A table of more than a quarter of this is scanned in step with other scans of it.
$node->append_conf('postgresql.conf', "shared_buffers = 4MB\nmax_worker_processes = 16\n");
$node->start;

sub query { return $node->safe_psql('postgres', $_[0]) }

query(<<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TABLE numbers AS SELECT n, n % 10 AS g FROM generate_series(1, 200000) n;
CREATE TABLE filters AS SELECT bf_agg(n) AS f, cf_agg(n) AS c FROM numbers WHERE n % 100 = 0;
ANALYZE;
SQL
my $condition = 'bf_contains((SELECT f FROM filters), n)';

# Nothing loads the library before.
like(query("EXPLAIN SELECT FROM numbers WHERE $condition"), qr/CuckooFilterScan/, 'in the first query of a session');
like(query("EXPLAIN SELECT FROM numbers WHERE (SELECT c FROM filters) @> n"),
	qr/CuckooFilterScan/, 'in the first query of a session, with an operator');
unlike(query("SET cuckoo_scan.enable_filter_scan = off; EXPLAIN SELECT FROM numbers WHERE $condition"),
	qr/CuckooFilterScan/, 'the setting can be changed before the library is loaded');

# While a query waits for the lock of a row, the row gets a key that is not in the filter, or another one that is.
query('CREATE TABLE waits AS SELECT id, id * 100 AS n, 0 AS changes FROM generate_series(1, 3) id');
like(query("EXPLAIN SELECT id FROM waits WHERE $condition FOR UPDATE"), qr/CuckooFilterScan/, 'rows are locked above the scan');
for my $statement ("SELECT id, n FROM waits WHERE $condition FOR UPDATE",
	"UPDATE waits SET changes = changes + 1 WHERE $condition RETURNING id, n")
{
	is(answer_after($node, 'n = 7', $statement), "2|200\n3|300", "a key becomes 7: $statement");
	is(answer_after($node, 'n = 300', $statement), "1|300\n2|200\n3|300", "a key becomes 300: $statement");
}

# Row-level security: the policy decides first. Neither an error nor the counts show rows that it hides.
query(<<'SQL');
CREATE ROLE reader;
CREATE TABLE protected AS SELECT n, 'name ' || n AS name, n <= 10 AS visible FROM generate_series(1, 1000) n;
ALTER TABLE protected ENABLE ROW LEVEL SECURITY;
CREATE POLICY visible ON protected FOR SELECT USING (visible);
GRANT SELECT ON protected, filters TO reader;
SQL
unlike(query("SET ROLE reader; EXPLAIN SELECT FROM protected WHERE $condition"), qr/CuckooFilterScan/,
	'not before the condition of a policy');
is(query("SET ROLE reader; SELECT count(*) FROM protected WHERE NOT $condition"), 10, 'the policy is applied');
is(query('DELETE FROM protected WHERE visible; SET ROLE reader; SELECT count(*) FROM protected
	WHERE bf_contains((SELECT f FROM filters), name)'), 0, 'no error for rows that the policy hides');
# A policy that consists of a filter is one of the lowest level.
query('DROP POLICY visible ON protected; CREATE POLICY visible ON protected FOR SELECT USING (bf_contains((SELECT f FROM filters), n))');
like(query('SET ROLE reader; EXPLAIN SELECT FROM protected'), qr/CuckooFilterScan/, 'the condition of a policy');
is(query('SET ROLE reader; SELECT count(*) FROM protected WHERE n % 100 = 0'), 10, 'the policy is applied by pages');

# Several scans of a table at the same time; each begins where another one is.
my $expected = query("SET cuckoo_scan.enable_filter_scan = off; SELECT count(*) FROM numbers WHERE $condition");
ok(query('SELECT relpages > 128 FROM pg_class WHERE relname = $$numbers$$') eq 't', 'the table is large enough');
$node->pgbench(
	'--no-vacuum --client=4 --transactions=10',
	0, [qr/number of transactions actually processed: 40/], [qr/^$/],
	'synchronized scans',
	{ sums => "SELECT 1 / (count(*) = $expected)::int FROM numbers WHERE $condition" });

# Workers without and with a shared scan; and the counts of all of them. Each row that passes takes so long that all workers have
# started before the first one has read the table.
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	SET max_parallel_workers_per_gather = 3;';
my $plan = query("$parallel EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT count(*) FROM numbers WHERE $condition AND pg_sleep(0.0005) IS NOT NULL");
like($plan, qr/Parallel Custom Scan \(CuckooFilterScan\)/, 'a parallel scan');
like($plan, qr/rows probed=200000 rejected=@{[200000 - $expected]}\)/, 'the counts include those of the workers');
is(query("$parallel SELECT count(*), count(DISTINCT n) FROM numbers WHERE $condition"), "$expected|$expected",
	'each row comes from one process');
my $force = query('SHOW server_version_num') >= 160000 ? 'debug_parallel_query' : 'force_parallel_mode';
is(query("SET $force = on; SELECT count(*) FROM numbers WHERE $condition"), $expected, 'a whole scan in a worker');

# The scan below a Gather that is the inner side of a nested loop begins again for each of the outer rows.
my $repeated = "SELECT sum(n), count(n) FROM (VALUES (1), (2), (3)) v(x) LEFT JOIN (SELECT n FROM numbers WHERE $condition OFFSET 0) q
	ON n > 50000 * x";
my $loops = "$parallel SET enable_material = off;";
like(query("$loops EXPLAIN $repeated"), qr/Nested Loop.*Gather.*Parallel Custom Scan \(CuckooFilterScan\)/s, 'a parallel scan in a loop');
is(query("$loops $repeated"), query("SET cuckoo_scan.enable_filter_scan = off; $repeated"), 'a parallel scan is repeated');

# A scan whose rows are all rejected can be cancelled.
my ($status, undef, $message) = $node->psql('postgres', <<SQL);
\\set VERBOSITY sqlstate
SET statement_timeout = '100ms';
SELECT count(*) FROM generate_series(1, 100000) s WHERE EXISTS (SELECT FROM numbers WHERE bf_contains(bf_create(s), n));
SQL
like($message, qr/57014/, 'cancelled');

# Random queries: a short run with fixed seeds, or in full, for CUCKOO_FILTER_SECONDS from CUCKOO_FILTER_SEED on.
my $seconds = $ENV{CUCKOO_FILTER_FULL} && ($ENV{CUCKOO_FILTER_SECONDS} || 600);
my $round = $ENV{CUCKOO_FILTER_SEED} || 1;
my $end = time + ($seconds || 0);
my $rounds = 0;
query('CREATE DATABASE compared');
$node->safe_psql('compared', slurp_file('test/filter_scan/generator.sql'));
while ($rounds < 4 || ($seconds && time < $end))
{
	my ($status, undef, $message) =
	  $node->psql('compared', "SET client_min_messages = warning; SELECT compare_round($round, 40)");
	is($status, 0, "round $round") or diag($message);
	$round++;
	$rounds++;
}
is($node->safe_psql('compared', 'SELECT round, query, by_page[1:3], by_row[1:3] FROM differences LIMIT 3'),
	'', 'random queries return the same rows, and raise the same errors');
my ($comparisons, $with_scan, $with_rows, $errors) = split /\|/, $node->safe_psql('compared',
	'SELECT sum(comparisons), sum(with_scan), sum(with_rows), sum(errors) FROM totals');
ok($with_rows > $comparisons / 20 && $errors > 0, 'enough of them use the filter scan and return rows');
diag("$rounds rounds: $comparisons comparisons, $with_scan with filter scans, $with_rows of these with rows, $errors errors");

done_testing();
