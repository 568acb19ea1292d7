# Joins that filter themselves, while other sessions change the tables, vacuum and rewrite them, create indexes, and attach and
# detach a partition. Readers compare a query with filters and without under one snapshot, or with a sum that every snapshot
# has. Others lock, update and delete rows that are being changed, and know how many these have to be.
#
# All that goes on for a few seconds, or for CUCKOO_FILTER_SECONDS, with random values from CUCKOO_FILTER_SEED.
# Needs: the libraries of scans and joins
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{CUCKOO_FILTER_SECONDS} || 5;
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
# With few buffers, pages leave them and come back.
$node->append_conf('postgresql.conf', <<'CONF');
autovacuum = off
jit = off
shared_buffers = 4MB
max_connections = 40
max_worker_processes = 16
max_parallel_workers = 16
deadlock_timeout = 100ms
session_preload_libraries = 'cuckoo_scan'
cuckoo_scan.enable_join_filter = on
cuckoo_scan.join_filter_min_rows = 0
cuckoo_scan.join_filter_costs = off
max_parallel_workers_per_gather = 0
parallel_setup_cost = 0
parallel_tuple_cost = 0
min_parallel_table_scan_size = 0
hash_mem_multiplier = 1
enable_mergejoin = off
enable_nestloop = off
CONF
$node->start;

sub query { return $node->safe_psql('postgres', $_[0]) }

# `facts` and `plain` have the same rows. Those whose id is a multiple of 20 have a key of `wanted`, and always another of
# these when that changes; the others never have one. So all snapshots have the same sum of the balances that match, while
# writers transfer balances and move rows. `often` has the same keys as `wanted`, many times. Only the partition that
# comes and goes has keys from 1000 on.
#
# Each row of `right_side` has a match in `left_side`, as both get new keys at once. Statements count up some rows of `counted`
# while others touch these. Joins take rows from `queue`. Each row of `claims` with a label has the number of those before.
query(<<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TABLE facts (id integer, k integer, balance integer, n integer, pad text) PARTITION BY RANGE (k);
SELECT format('CREATE TABLE facts_%s PARTITION OF facts FOR VALUES FROM (%s) TO (%s) WITH (fillfactor = 80)', n, n * 100, (n + 1) * 100)
FROM generate_series(0, 9) n \gexec
CREATE TABLE facts_moving (LIKE facts);
CREATE TABLE plain (LIKE facts) WITH (fillfactor = 80);
INSERT INTO plain SELECT n, CASE WHEN n % 20 = 0 THEN 9 * (n / 20 % 30) ELSE 9 * (n % 100) + 1 + n % 7 END, 100, 0, repeat('p', n % 80)
FROM generate_series(1, 6000) n;
INSERT INTO facts SELECT * FROM plain;
CREATE INDEX ON facts (id);
CREATE INDEX ON plain (id);
CREATE INDEX plain_k ON plain (k);
CREATE TABLE wanted AS SELECT 9 * n AS id, n AS number, 0 AS changes FROM generate_series(0, 29) n;
CREATE INDEX ON wanted (id);
-- More keys than a filter keeps.
CREATE TABLE many AS SELECT n AS id, n % 7 AS g, 0 AS changes FROM generate_series(0, 1099, 2) n;
CREATE TABLE often AS SELECT 9 * (n % 30) AS id, n % 4 AS g FROM generate_series(0, 1499) n;

CREATE TABLE left_side (id integer, k integer, t text GENERATED ALWAYS AS ('key ' || k::text) STORED);
CREATE TABLE right_side (LIKE left_side INCLUDING GENERATED);
INSERT INTO left_side SELECT n, n FROM generate_series(1, 400) n;
INSERT INTO right_side SELECT n, n FROM generate_series(1, 60) n;
CREATE INDEX ON left_side (id);
CREATE INDEX ON right_side (id);
CREATE SEQUENCE keys START 1000;
CREATE TABLE counted AS SELECT n AS id, 0 AS v, 0 AS touched FROM generate_series(1, 600) n;
CREATE INDEX ON counted (id);
CREATE TABLE links AS SELECT 1 + n % 600 AS id, n AS kind FROM generate_series(1, 3000) n;
CREATE TABLE kinds AS SELECT 61 * n AS kind FROM generate_series(1, 45) n;
CREATE TABLE counts (statement integer);
CREATE TABLE queue (batch integer, kind integer, touched integer);
CREATE INDEX ON queue (batch);
CREATE SEQUENCE batches;
CREATE TABLE claims AS SELECT n AS label, -1 AS number FROM generate_series(1, 3000) n;
CREATE TABLE labels AS SELECT -n AS label FROM generate_series(1, 5) n;
CREATE SEQUENCE comparisons;
ANALYZE;

CREATE TABLE queries (number serial, query text);
INSERT INTO queries (query) VALUES
    ('SELECT count(*), sum(balance), sum(hashtextextended(f::text, 0)::numeric) FROM facts f JOIN wanted w ON f.k = w.id'),
    ('SELECT count(*), sum(balance), sum(n) FROM plain f JOIN wanted w ON f.k = w.id'),
    ('SELECT count(*), sum(balance), max(f.id) FROM facts f JOIN many m ON f.k = m.id WHERE g = 4'),
    ('SELECT count(*), sum(balance), max(f.id) FROM plain f JOIN many m ON f.k = m.id WHERE g < 4'),
    ('SELECT count(*), sum(balance) FROM plain f JOIN often o ON f.k = o.id'),
    ('SELECT count(*), sum(balance) FROM often o JOIN facts f ON f.k = o.id WHERE o.g = 1'),
    ('SELECT count(*), sum(c), sum(s) FROM (SELECT k, count(*) AS c, sum(balance) AS s FROM plain GROUP BY k) q JOIN wanted w ON k = w.id'),
    ('SELECT count(*), sum(balance) FROM facts WHERE k IN (SELECT id FROM wanted WHERE number < 9)'),
    ('SELECT count(*), sum(f.balance) FROM facts f JOIN plain p USING (id) JOIN wanted w ON p.k = w.id'),
    ('SELECT count(*), count(f.k), sum(balance) FROM wanted w LEFT JOIN facts f ON f.k = w.id + 1000');

-- Whether a query has the same rows with filters and without, in a transaction with one snapshot. In an old snapshot, a partition
-- that is detached concurrently is lost for PostgreSQL itself, so the query is executed without filters once more.
CREATE FUNCTION compare(workers integer, which integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    statement text := (SELECT query FROM queries WHERE number = which);
    with_filters record;
    without record;
BEGIN
    PERFORM set_config('max_parallel_workers_per_gather', workers::text, true),
        set_config('enable_parallel_hash', (random() < 0.6)::text, true),
        set_config('work_mem', CASE WHEN random() < 0.3 THEN '64kB' ELSE '4MB' END, true),
        set_config('cuckoo_scan.enable_join_filter', 'off', true);
    EXECUTE statement INTO without;
    PERFORM set_config('cuckoo_scan.enable_join_filter', 'on', true);
    EXECUTE statement INTO with_filters;
    PERFORM nextval('comparisons');
    IF with_filters IS DISTINCT FROM without THEN
        PERFORM set_config('cuckoo_scan.enable_join_filter', 'off', true);
        EXECUTE statement INTO without;
    END IF;
    IF with_filters IS DISTINCT FROM without THEN
        RAISE 'DIFFERENT: %, without filters %: %', with_filters, without, statement;
    END IF;
END$$;
-- Whether a number is what it has to be.
CREATE FUNCTION check_number(actual bigint, expected bigint, what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM nextval('comparisons');
    IF actual IS DISTINCT FROM expected THEN
        RAISE 'DIFFERENT: %, not %: %', actual, expected, what;
    END IF;
END$$;
-- The same of the rows that a statement returns or changes.
CREATE FUNCTION check_rows(statement text, expected bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    actual bigint;
BEGIN
    EXECUTE statement;
    GET DIAGNOSTICS actual = ROW_COUNT;
    PERFORM check_number(actual, expected, statement);
END$$;
-- What takes from one row and gives to another, or fails as if it could not be serialized if one of them is being moved.
CREATE FUNCTION transfer(source regclass, a integer, b integer, amount integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    row integer;
    changed bigint;
BEGIN
    FOR i IN 0..1 LOOP
        EXECUTE format('UPDATE %s SET balance = balance + $1 WHERE id = $2', source)
        USING CASE i WHEN 0 THEN -amount ELSE amount END, CASE i WHEN 0 THEN a ELSE b END;
        GET DIAGNOSTICS changed = ROW_COUNT;
        IF changed <> 1 THEN
            RAISE SQLSTATE '40001';
        END IF;
    END LOOP;
END$$;
-- Attaches the partition that comes and goes, with no rows but those that are inserted afterwards.
CREATE PROCEDURE attach() LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_inherits WHERE inhrelid = 'facts_moving'::regclass AND inhdetachpending) THEN
        ALTER TABLE facts DETACH PARTITION facts_moving FINALIZE;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = 'facts_moving'::regclass) THEN
        TRUNCATE facts_moving;
        ALTER TABLE facts ATTACH PARTITION facts_moving FOR VALUES FROM (1000) TO (1300);
    END IF;
END$$;
-- Adds a column and drops it again, as long as the table can have more.
CREATE PROCEDURE add_column(name text) LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT relnatts < 1000 FROM pg_class WHERE oid = name::regclass) THEN
        EXECUTE format('ALTER TABLE %I ADD extra integer DEFAULT 7', name);
        COMMIT;
        PERFORM pg_sleep(0.01);
        EXECUTE format('ALTER TABLE %I DROP extra', name);
    END IF;
END$$;
SQL

# What is to be filtered is.
my @queries = split /\n/, query('SELECT query FROM queries ORDER BY number');
my $matches = 60;
my @locking = (
	'SELECT FROM left_side a JOIN right_side b USING (k) FOR UPDATE OF a, b',
	# This one probes its filter late: only for rows that meet the condition.
	'SELECT FROM left_side a JOIN right_side b USING (t) WHERE a.id < 100 FOR NO KEY UPDATE OF a, b');
my $kinds = 45;
my @counting = (
	'UPDATE counted c SET v = v + 1 FROM links l JOIN kinds USING (kind) WHERE c.id = l.id',
	'UPDATE counted c SET v = v + 1 WHERE id IN (SELECT id FROM links l JOIN kinds USING (kind))',
	'MERGE INTO counted c USING (SELECT id FROM links JOIN kinds USING (kind)) l ON c.id = l.id WHEN MATCHED THEN UPDATE SET v = v + 1');
my $taking = 'DELETE FROM queue q USING links l JOIN kinds k ON l.kind = k.kind WHERE q.kind = k.kind';
my $claimed = 'SELECT count(*) AS number FROM claims JOIN labels USING (label)';
for my $statement (@queries, @locking, @counting, $taking, $claimed)
{
	like(query("EXPLAIN $statement"), qr/CuckooFilterScan/, "has a filter: $statement");
}
cmp_ok((grep { query("SET max_parallel_workers_per_gather = 2; EXPLAIN $_") =~ /Parallel Custom Scan \(CuckooFilterScan/ } @queries), '>', 5,
	'most have a filter in workers');
my $balance = query('SELECT sum(balance) FROM plain JOIN wanted w ON k = w.id');
is(query('SELECT sum(balance) FROM facts JOIN wanted w ON k = w.id'), $balance, 'the sum of balances');

# The scripts of pgbench. Each is executed again from its beginning if it ends in a deadlock or cannot be serialized.
my %scripts;
for my $level ('REPEATABLE READ', 'SERIALIZABLE')
{
	# The snapshot is older than what happens to the tables until they are locked.
	$scripts{readers}{"compares, $level"} = <<SQL;
\\set which random(1, 10)
\\set workers 2 * random(0, 1)
\\set pause random(0, 10)
BEGIN ISOLATION LEVEL $level;
SELECT FROM kinds LIMIT 1;
\\sleep :pause ms
SELECT compare(:workers, :which);
\\sleep :pause ms
SELECT compare(:workers, 1 + :which % 10);
COMMIT;
SQL
}
for my $table ('facts', 'plain')
{
	$scripts{prepared}{"sums, $table"} =
	  "SELECT check_number(sum(balance)::bigint, $balance, 'the balances of $table') FROM $table f JOIN wanted w ON f.k = w.id;\n";
	$scripts{prepared}{"compares, READ COMMITTED, $table"} = <<SQL;
SELECT check_number(a::bigint, b::bigint, 'with a filter and without, $table') FROM (SELECT
	(SELECT sum(hashtextextended(f::text, 0) % 1000000) FROM $table f JOIN wanted w ON f.k = w.id) AS a,
	(SELECT sum(hashtextextended(f::text, 0) % 1000000) FROM $table f WHERE EXISTS (SELECT FROM wanted w WHERE w.id = f.k OFFSET 0)) AS b) q;
SQL
	$scripts{writers}{"transfer, $table"} = <<SQL;
\\set a 20 * random(1, 300)
\\set b 20 * random(1, 300)
\\set amount random(1, 50)
SELECT transfer('$table', :a, :b, :amount);
SQL
	# Within a page, if there is room.
	$scripts{writers}{"touch, $table"} = <<SQL;
\\set id random(1, 5950)
UPDATE $table SET n = n + 1 WHERE id BETWEEN :id AND :id + 50;
SQL
	# To other keys: rows that match, and rows that do not.
	$scripts{writers}{"move, $table"} = <<SQL;
\\set id 20 * random(1, 300)
\\set key 9 * random(0, 29)
\\set other_id 20 * random(1, 299) + random(1, 19)
\\set other_key 9 * random(0, 100) + random(1, 7)
UPDATE $table SET k = :key WHERE id = :id;
UPDATE $table SET k = :other_key WHERE id = :other_id;
WITH d AS (DELETE FROM $table WHERE id = :id + 20 - :id % 40 RETURNING *)
INSERT INTO $table (id, k, balance, n, pad) SELECT id, :key, balance, n + 1, pad FROM d;
SQL
}
$scripts{writers}{'change keys'} = <<'SQL';
\set number random(0, 29)
\set id random(0, 1099)
UPDATE wanted SET changes = changes + 1 WHERE number = :number;
WITH d AS (DELETE FROM wanted WHERE number = 29 - :number RETURNING *) INSERT INTO wanted (id, number, changes) SELECT id, number, changes + 1 FROM d;
UPDATE many SET id = (id + 7) % 1100, changes = changes + 1 WHERE id BETWEEN :id AND :id + 20;
SQL
$scripts{changers}{'new keys'} = <<"SQL";
\\set id random(1, $matches)
SELECT nextval('keys') AS key \\gset
BEGIN;
UPDATE left_side SET k = :key * 100 + id WHERE id BETWEEN :id AND :id + 4;
UPDATE right_side SET k = :key * 100 + id WHERE id BETWEEN :id AND :id + 4;
\\sleep 2 ms
COMMIT;
SQL
$scripts{changers}{"lock $_"} = "SELECT check_rows('$locking[$_]', $matches);\n" for keys @locking;
$scripts{changers}{'touch'} = <<"SQL";
\\set number random(1, $kinds)
UPDATE counted SET touched = touched + 1 WHERE id = 1 + (61 * :number) % 600;
UPDATE queue SET touched = touched + 1 WHERE batch >= (SELECT max(batch) - 3 FROM queue) AND kind % 5 = :number % 5;
SQL
$scripts{changers}{"count $_"} = <<"SQL" for keys @counting;
BEGIN;
SELECT check_rows('$counting[$_]', $kinds);
INSERT INTO counts VALUES ($_);
COMMIT;
SQL
# Rows of 300 kinds, of which four are taken, by this session or another one.
$scripts{changers}{'queue'} = <<"SQL";
SELECT nextval('batches') AS batch \\gset
INSERT INTO queue SELECT :batch, kind, 0 FROM links WHERE kind <= 300;
$taking;
SELECT check_number(count(*), 0, 'what was to be taken') FROM queue WHERE batch = :batch AND kind IN (61, 122, 183, 244);
SELECT check_number(count(*), 296, 'what was not to be taken') FROM queue WHERE batch = :batch;
DELETE FROM queue WHERE batch = :batch;
SQL
$scripts{claimers}{'claim'} = <<"SQL";
\\set label random(-5, -1)
BEGIN ISOLATION LEVEL SERIALIZABLE;
$claimed \\gset
INSERT INTO claims VALUES (:label, :number);
COMMIT;
SQL
# Leave time to those who scan larger tables.
$_ .= "\\sleep 2 ms\n" for map { values %{ $scripts{$_} } } 'changers', 'claimers';

# These take turns, so that each has its turn in a short time, and let the others go on in between.
sub in_turn
{
	return { 'all' => join("\\sleep 20 ms\n", @_) };
}
$scripts{vacuums} = in_turn(
	"VACUUM (FREEZE) plain, links, left_side;\nVACUUM (FREEZE, DISABLE_PAGE_SKIPPING) facts_0, facts_1, wanted;\n",
	"VACUUM FULL facts_1;\n", "VACUUM FULL wanted;\n",
	"VACUUM plain, facts, wanted, many;\n", "VACUUM claims, left_side, right_side, counted, queue;\n",
	"CLUSTER plain USING plain_k;\n", "VACUUM FULL left_side;\n", "ANALYZE plain, wanted, many;\n");
$scripts{owners} = in_turn(
	<<'SQL',
CALL attach();
INSERT INTO facts SELECT n, 1000 + n % 270, 0, 0, 'moving' FROM generate_series(100000, 101000) n;
\sleep 20 ms
UPDATE facts SET k = k + 1, n = n + 1 WHERE k BETWEEN 1010 AND 1200;
DELETE FROM facts WHERE k BETWEEN 1000 AND 1080;
\sleep 20 ms
ALTER TABLE facts DETACH PARTITION facts_moving CONCURRENTLY;
SQL
	"DROP INDEX IF EXISTS extra, extra_k;\nCREATE INDEX extra ON plain (n);\nCREATE INDEX extra_k ON facts_2 (k);\n",
	"BEGIN;\nTRUNCATE facts;\nROLLBACK;\n", "BEGIN;\nTRUNCATE wanted;\nINSERT INTO wanted VALUES (1, 1, 1);\nROLLBACK;\n",
	"CALL add_column('plain');\n", "CALL add_column('wanted');\n", "BEGIN;\nALTER TABLE facts ADD extra text DEFAULT 'x';\nROLLBACK;\n",
	"DROP INDEX CONCURRENTLY IF EXISTS other;\nCREATE INDEX CONCURRENTLY other ON plain USING brin (k);\n");

# How many sessions execute which scripts, and how statements are sent.
my %sessions = (readers => [ 3, 'simple' ], prepared => [ 2, 'prepared' ], writers => [ 2, 'simple' ], changers => [ 3, 'simple' ],
	claimers => [ 2, 'prepared' ], owners => [ 1, 'simple' ], vacuums => [ 1, 'simple' ]);
my (@running, %output);
my $folder = PostgreSQL::Test::Utils::tempdir;
for my $kind (sort keys %sessions)
{
	my ($clients, $protocol) = @{ $sessions{$kind} };
	my @files;

	for my $name (sort keys %{ $scripts{$kind} })
	{
		my $file = "$folder/" . ($kind . '_' . $name) =~ tr/a-zA-Z0-9/_/cr;

		append_to_file($file, $scripts{$kind}{$name});
		push @files, '-f', $file;
	}
	push @running, IPC::Run::start([ 'pgbench', '-n', '-c', $clients, '-T', $seconds, '-M', $protocol, '--max-tries=10000',
			"--random-seed=" . ($ENV{CUCKOO_FILTER_SEED} || 1), @files, $node->connstr('postgres') ],
		'<', \undef, '>&', "$folder/$kind");
}
$_->finish for @running;
for my $kind (sort keys %sessions)
{
	$output{$kind} = slurp_file("$folder/$kind");
	unlike($output{$kind}, qr/ERROR|FATAL|PANIC|aborted|pgbench: error/, "$kind: no error, no difference")
	  or diag(join("\n", grep { /error|aborted|DIFFERENT/i } split /\n/, $output{$kind}));
	my ($transactions) = $output{$kind} =~ /transactions actually processed: (\d+)/;

	$output{$kind} = "$kind " . ($transactions || 0);
}

# What was changed.
for my $table ('facts', 'plain')
{
	is(query("SELECT sum(balance) FROM $table JOIN wanted w ON k = w.id"), $balance, "the sum of balances of $table");
}
is(query("SELECT sum(v) - $kinds * (SELECT count(*) FROM counts) FROM counted"), 0, 'each update counted');
is(query('SELECT count(*), count(DISTINCT number), coalesce(max(number) + 1, 0) FROM claims WHERE label < 0') =~ /^(\d+)\|\1\|\1$/ ? 'yes' : 'no', 'yes',
	'serializable transactions counted one after the other');
is(join("\n", slurp_file($node->logfile) =~ /^.*(?:TRAP|PANIC|terminated by signal).*$/mg), '', 'no process crashed');
my $comparisons = query('SELECT last_value FROM comparisons');
cmp_ok($comparisons, '>', 10, 'something was compared');
diag("$comparisons comparisons; transactions: " . join(', ', map { $output{$_} } sort keys %output));

$node->stop;
done_testing();
