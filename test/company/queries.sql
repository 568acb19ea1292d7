-- What is compared: the output of all this, with the libraries of scans and joins, and without them. The tables stay as they are.
\set VERBOSITY verbose
\set SHOW_CONTEXT always
SET cuckoo_scan.join_filter_min_rows = 0;
SET max_parallel_workers_per_gather = 0;
SELECT pg_stat_statements_reset() IS NOT NULL AS reset;
SELECT pg_qualstats_reset();

-- Results.
SELECT count(*), sum(f.n) FROM facts AS f JOIN keys ON f.k = id;
SELECT count(*), sum(f.n) FROM facts AS f JOIN keys ON f.k = id AND f.g = keys.g;
SELECT count(*), sum(f.n) FROM facts AS f WHERE k IN (SELECT id FROM keys WHERE g < 3) AND s < 'v2';
SELECT count(*), sum(f.n) FROM facts AS f WHERE NOT EXISTS (SELECT FROM keys WHERE id = k);
SELECT count(*), sum(f.n), sum(id) FROM keys LEFT JOIN facts AS f ON f.k = id AND f.g = 5;
SELECT count(*), sum(f.n), sum(id) FROM keys FULL JOIN facts AS f ON f.k = id;
SELECT keys.s, q.count FROM keys JOIN (SELECT k, count(*) FROM facts GROUP BY k) AS q ON q.k = id ORDER BY id;
SELECT count(*), sum(n) FROM parted JOIN keys ON k = id;
SELECT count(*), sum(n) FROM facts WHERE (SELECT c FROM filters) @> k;
SELECT count(*), sum(n) FROM parted WHERE bf_contains((SELECT b FROM filters), k) AND n < 30000;
SELECT f.n, keys.s FROM facts AS f JOIN keys ON f.k = id ORDER BY f.n DESC LIMIT 5;
COPY (SELECT f.n, keys.s FROM facts AS f JOIN keys ON f.k = id WHERE f.n < 200 ORDER BY n) TO STDOUT;

SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT count(*) AS parallel, sum(f.n) FROM facts AS f JOIN keys ON f.k = id;
SELECT count(*) AS parallel, sum(n) FROM facts WHERE (SELECT b FROM filters) @> k;
SELECT count(*) AS parallel, sum(n) FROM parted JOIN keys ON k = id;
SET max_parallel_workers_per_gather = 0;

PREPARE prepared(integer) AS SELECT count(*) AS prepared, sum(f.n) FROM facts AS f JOIN keys ON f.k = id WHERE f.g = $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE prepared(0);
EXECUTE prepared(1);
SET plan_cache_mode = force_custom_plan;
EXECUTE prepared(0);
RESET plan_cache_mode;

BEGIN;
DECLARE found CURSOR FOR SELECT f.n FROM facts AS f JOIN keys ON f.k = id ORDER BY f.n;
FETCH 3 FROM found;
UPDATE facts AS f SET s = keys.s FROM keys WHERE f.k = id;
DELETE FROM facts AS f USING keys WHERE f.k = id AND keys.g = 1;
MERGE INTO facts AS f USING keys ON f.n = keys.id WHEN MATCHED THEN UPDATE SET g = -1;
WITH gone AS (DELETE FROM facts WHERE (SELECT b FROM filters) @> k AND n < 5000 RETURNING k)
INSERT INTO keys SELECT gone.k, 100, 'gone' FROM gone JOIN parted ON parted.n = gone.k;
CREATE TEMPORARY TABLE copied AS SELECT f.* FROM facts AS f JOIN keys ON f.k = id;
FETCH 3 FROM found;
SELECT count(*), sum(n), sum(hashtext(s)) FROM copied;
SELECT count(*), sum(n), sum(g), sum(hashtext(s)) FROM facts;
SELECT count(*), sum(id) FROM keys;
SELECT count(*) FROM (SELECT f.n FROM facts AS f JOIN keys ON f.k = id FOR UPDATE OF f) AS q;
ROLLBACK;

-- pgvector, hll, roaringbitmap.
SELECT f.n, round((f.v <-> '[1,2,3]')::numeric, 6) AS distance FROM facts AS f JOIN keys ON f.k = id ORDER BY f.v <-> '[1,2,3]', f.n LIMIT 5;
SELECT count(*), avg(f.v) FROM facts AS f JOIN items ON f.k = items.id AND f.v = items.v;
SELECT f.g, round(hll_cardinality(hll_add_agg(hll_hash_integer(f.k)))) FROM facts AS f JOIN keys ON f.k = id GROUP BY f.g ORDER BY 1;
SELECT rb_cardinality(rb_build_agg(f.n)) FROM facts AS f WHERE (SELECT b FROM filters) @> k;
SELECT b.g, max(rb_cardinality(b.ns)) AS ns, max(round(hll_cardinality(b.ks))) AS ks, count(*)
FROM bitmaps AS b JOIN facts AS f ON b.g = f.g JOIN keys ON f.k = id WHERE b.ns @> f.n GROUP BY b.g ORDER BY 1;
SELECT bf_agg(v) FROM items;

-- TimescaleDB.
SELECT count(*), sum(value) FROM metrics JOIN keys ON device = id;
SELECT time_bucket('12 hours', t) AS bucket, count(*), sum(value) FROM metrics JOIN keys ON device = id
WHERE t >= '2026-01-02' AND t < '2026-01-04' GROUP BY 1 ORDER BY 1;
SELECT count(*), sum(value) FROM metrics WHERE (SELECT b FROM filters) @> device AND t > (SELECT timestamptz '2026-01-03 06:00');
BEGIN;
UPDATE metrics SET value = value + 1 FROM keys WHERE device = id;
INSERT INTO metrics SELECT t + interval '10 days', device, value FROM metrics JOIN keys ON device = id;
DELETE FROM metrics USING keys WHERE device = id AND t < '2026-01-02';
SELECT count(*), sum(value) FROM metrics;
ROLLBACK;

-- Hints, and what pg_hint_plan says of them.
SET pg_hint_plan.debug_print = on;
SET pg_hint_plan.message_level = notice;
SELECT nodes('/*+ Leading((f k)) HashJoin(f k) SeqScan(f) SeqScan(k) */ SELECT count(*) FROM facts f JOIN keys k ON f.k = k.id');
SELECT nodes('/*+ Leading((k f)) HashJoin(f k) SeqScan(f) SeqScan(k) */ SELECT count(*) FROM facts f JOIN keys k ON f.k = k.id');
SELECT nodes('/*+ Leading((k f)) NestLoop(f k) IndexScan(f facts_k) SeqScan(k) */ SELECT sum(n) FROM facts f JOIN keys k ON f.k = k.id');
SELECT nodes('/*+ Leading((f k)) MergeJoin(f k) IndexScan(f) IndexScan(k) */ SELECT sum(n) FROM facts f JOIN keys k ON f.k = k.id');
SELECT nodes('/*+ Leading((f k)) HashJoin(f k) BitmapScan(f) SeqScan(k) */ SELECT sum(n) FROM facts f JOIN keys k ON f.k = k.id WHERE f.k < 500');
SELECT nodes('/*+ SeqScan(f) */ SELECT count(*) FROM facts f WHERE k = 3 AND (SELECT b FROM filters) @> k');
SELECT nodes('/*+ IndexOnlyScan(f) */ SELECT count(*) FROM facts f WHERE k < 900 AND (SELECT b FROM filters) @> k');
SELECT nodes('/*+ Leading((f (k p))) HashJoin(k p) HashJoin(f k p) SeqScan(f) SeqScan(k) SeqScan(p) */
    SELECT count(*) FROM facts f JOIN keys k ON f.k = k.id JOIN parted p ON p.n = k.id');
SELECT nodes('/*+ Set(enable_hashjoin off) Set(enable_nestloop off) */ SELECT count(*) FROM facts f JOIN keys k ON f.k = k.id');
/*+ Leading((f keys)) HashJoin(f keys) SeqScan(f) SeqScan(keys) */
SELECT count(*), sum(f.n) FROM facts AS f JOIN keys ON f.k = id;
/*+ Rows(f keys #10) HashJoin(f missing) NoSuchHint(f) */
SELECT count(*), sum(f.n) FROM facts AS f JOIN keys ON f.k = id;
RESET pg_hint_plan.debug_print;

-- Errors.
SELECT 1 / (f.n - f.n) FROM facts AS f JOIN keys ON f.k = id;
SELECT (keys.s || f.s)::integer FROM facts AS f JOIN keys ON f.k = id WHERE f.n = 10;
INSERT INTO facts SELECT f.* FROM facts AS f JOIN keys ON f.k = id WHERE f.n = 10;
SELECT count(*) FROM facts WHERE (SELECT b FROM filters) @> s;
SELECT missing FROM facts JOIN keys ON k = id;
DO $$ BEGIN PERFORM sum(1 / (f.n - f.n)) FROM facts AS f JOIN keys ON f.k = id; END $$;
EXECUTE prepared('x');

-- Rights.
SET ROLE reader;
SELECT count(*), sum(k) FROM secret JOIN keys ON k = id;
SELECT count(*), sum(n) FROM secret JOIN keys ON k = id;
SELECT count(*) FROM secret WHERE (SELECT b FROM filters) @> k;
SELECT count(*) FROM secret WHERE (SELECT b FROM filters) @> n;
SELECT count(*), sum(n) FROM rows_of_reader JOIN keys ON k = id;
SELECT count(*), sum(n) FROM rows_of_reader WHERE (SELECT b FROM filters) @> k;
SELECT count(*), sum(n) FROM barrier JOIN keys ON k = id;
SELECT count(*) FROM facts JOIN keys ON k = id;
UPDATE keys SET g = 1 FROM secret WHERE id = k;
SELECT count(*) > 0 AS hidden FROM pg_stat_statements WHERE query = '<insufficient privilege>';
RESET ROLE;

-- A job of pg_cron.
TRUNCATE cron_results, cron.job_run_details;
SELECT cron.schedule('company', '1 second', 'INSERT INTO cron_results SELECT count(*), sum(n) FROM facts JOIN keys ON k = id') IS NOT NULL AS scheduled;
DO $$ BEGIN
    FOR i IN 1 .. 300 LOOP
        EXIT WHEN EXISTS (SELECT FROM cron.job_run_details WHERE status IN ('succeeded', 'failed'));
        PERFORM pg_sleep(0.1);
        COMMIT;
    END LOOP;
END $$;
SELECT cron.unschedule('company');
SELECT DISTINCT status, return_message FROM cron.job_run_details WHERE status IN ('succeeded', 'failed');
SELECT DISTINCT * FROM cron_results;

-- What was counted: each statement once, whatever became of its plan.
SELECT calls, plans, rows, toplevel, rolname, left(regexp_replace(query, '\s+', ' ', 'g'), 90) AS query
FROM pg_stat_statements JOIN pg_roles ON userid = pg_roles.oid
WHERE query ~ 'facts|keys|metrics|filters' AND query !~ 'cron|pg_stat_statements'
ORDER BY query COLLATE "C", rolname, toplevel, calls, rows;
-- pg_qualstats counts conditions by the plan. Only joins are compared, and not how often they were seen.
SELECT DISTINCT least(l, r) AS a, greatest(l, r) AS b, opno::regoperator
FROM pg_qualstats, concat_ws('.', lrelid::regclass, lattnum) AS l, concat_ws('.', rrelid::regclass, rattnum) AS r
WHERE rrelid IS NOT NULL AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND l || r ~ 'facts|keys'
ORDER BY 1, 2;
