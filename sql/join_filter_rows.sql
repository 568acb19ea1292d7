--
-- Joins that filter themselves: scans other than those of whole tables, whose rows are filtered one at a time.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS cuckoo_filter;
LOAD 'cuckoo_filter';
CREATE SCHEMA join_filter_rows;
SET search_path = join_filter_rows, public;
RESET client_min_messages;
\set common `echo "$PG_ABS_SRCDIR"`/sql/common/join_filter.sql
\i :common
-- The costs of what is turned off would make each query worth compiling.
SET jit = off;
CREATE INDEX facts_k ON facts (k, n);
CREATE INDEX facts_n ON facts (n);
CREATE INDEX facts_g ON facts (g);
CREATE INDEX facts_text ON facts (text);
CREATE INDEX facts_holes ON facts (holes, n);
VACUUM facts;

-- The nodes whose rows are filtered one at a time.
CREATE FUNCTION filtered_nodes(query text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(node->>'Node Type', ', ')
    FROM jsonb_path_query(plan_of(query), 'strict $.** ? (@."Custom Plan Provider" == "CuckooRowFilter").Plans[*]
        ? (@."Parent Relationship" == "Outer")') AS node
$$;
-- As compared, with these nodes. All rows that they return are counted, as probed or bypassed.
CREATE FUNCTION filters(query text, OUT nodes text, OUT rejected boolean, OUT counted boolean, OUT outcome text) LANGUAGE plpgsql AS $$
BEGIN
    outcome := (compared(query)).outcome;
    nodes := filtered_nodes(query);
    SELECT bool_or(p.rejected > 0) INTO rejected FROM probes(query) AS p;
    SELECT bool_and(counts.rows = node.rows) INTO counted
    FROM jsonb_path_query(plan_of(query, true), 'strict $.** ? (@."Custom Plan Provider" == "CuckooRowFilter")') AS filter,
        LATERAL (SELECT (filter->'Probes'->0->'Rows Probed')::bigint + (filter->'Probes'->0->'Rows Bypassed')::bigint AS rows) AS counts,
        LATERAL (SELECT (child->'Actual Rows')::numeric * (child->'Actual Loops')::numeric AS rows
                 FROM jsonb_array_elements(filter->'Plans') AS child WHERE child->>'Parent Relationship' = 'Outer') AS node;
END$$;

-- The scans.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT * FROM filters('SELECT n, k FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 3');
SELECT * FROM filters('SELECT n, f.text FROM facts f JOIN dimension d ON f.k = d.id WHERE n > 500 AND d.g = 3');
SELECT * FROM filters('SELECT n, f.text FROM facts f JOIN dimension d ON f.text = d.text WHERE f.text > ''a'' AND d.g = 3');
SELECT * FROM filters('SELECT n, f.holes FROM facts f JOIN dimension d ON f.holes = d.holes');
SELECT * FROM filters('SELECT n FROM facts f JOIN dimension d ON f.k::bigint = d.big AND f.g = d.g WHERE n > 500');
SELECT * FROM filters('SELECT f.n FROM parted f JOIN dimension d ON f.k = d.id');
SET enable_bitmapscan = on;
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SELECT * FROM filters('SELECT n, k FROM facts f JOIN dimension d ON f.k = d.id WHERE n > 500 AND d.g = 3');
SELECT * FROM filters('SELECT n, k FROM facts f JOIN dimension d ON f.k = d.id WHERE (n > 3000 OR f.g = 5) AND d.g = 3');
RESET enable_seqscan;
SELECT * FROM filters('WITH q AS MATERIALIZED (SELECT * FROM facts) SELECT n, k FROM q JOIN dimension d ON q.k = d.id WHERE d.g = 3');
SELECT * FROM filters('SELECT n FROM generate_series(1, 5000) AS n JOIN dimension d ON n = d.id WHERE d.g = 3');
SELECT * FROM filters('SELECT n, x FROM ROWS FROM (generate_series(1, 5000), generate_series(-50, 3000)) AS f(n, x) JOIN dimension d ON x = d.id');
SELECT * FROM filters('SELECT n, k FROM facts f TABLESAMPLE system (60) REPEATABLE (7) JOIN dimension d ON f.k = d.id WHERE d.g = 3');
SELECT * FROM filters('SELECT f.n FROM parted f JOIN pg_class c ON f.tableoid = c.oid WHERE c.relname = ''parted_1''');
-- Not filtered: lookups in an index, and rows that are few in any case.
SET enable_indexscan = on;
SET enable_nestloop = on;
SELECT * FROM filters('SELECT f.n, o.id FROM other o, facts f, dimension d WHERE f.n = o.id * 10 AND f.k = d.id + 0');
SET enable_nestloop = off;
SELECT * FROM filters('SELECT * FROM (VALUES (1, 10), (2, 11), (3, 20)) AS v(n, k) JOIN dimension d ON v.k = d.id');

-- Filters that reject little are bypassed, also if they end in the middle of that.
CREATE FUNCTION bypasses(query text) RETURNS boolean LANGUAGE sql AS $$SELECT bool_or(bypassed > 1000) FROM probes(query)$$;
SELECT * FROM filters('SELECT n FROM (SELECT n FROM generate_series(1, 50000) AS n ORDER BY n DESC OFFSET 0) q JOIN many_facts m USING (n)');
SELECT bypasses('SELECT n FROM (SELECT n FROM generate_series(1, 50000) AS n ORDER BY n DESC OFFSET 0) q JOIN many_facts m USING (n)');
SELECT * FROM filters('SELECT n FROM (SELECT n FROM (SELECT n FROM generate_series(1, 50000) AS n ORDER BY n DESC OFFSET 0) q JOIN many_facts m USING (n) LIMIT 7000) r');
-- Where only lookups would be saved, none is made if the planner knows that most rows match.
CREATE TABLE all_keys AS SELECT DISTINCT k FROM facts;
ANALYZE all_keys;
SET enable_seqscan = off;
SELECT * FROM filters('SELECT n, k FROM facts f JOIN all_keys USING (k)');
RESET enable_seqscan;
SELECT * FROM filters('SELECT o.id, (SELECT count(*) FROM (SELECT FROM (SELECT n FROM generate_series(1, 20000) AS n WHERE n > o.id ORDER BY n DESC OFFSET 0) n JOIN many_facts m USING (n) LIMIT 6000) q) FROM other o WHERE id < 30');

-- Below other nodes.
SELECT query, f.*
FROM unnest(ARRAY[
    'WITH q AS MATERIALIZED (SELECT * FROM facts) SELECT c, k FROM (SELECT k, count(*) AS c FROM q GROUP BY k) r JOIN dimension d ON r.k = d.id',
    'WITH q AS MATERIALIZED (SELECT * FROM facts) SELECT n, k FROM (SELECT n, k FROM q UNION ALL SELECT id, id FROM other) r JOIN dimension d ON r.k = d.id',
    'WITH q AS MATERIALIZED (SELECT * FROM facts) SELECT n, k FROM (SELECT q.n, q.k FROM q JOIN many_facts m ON q.n = m.n ORDER BY q.n OFFSET 0) r JOIN dimension d ON r.k = d.id',
    'WITH q AS MATERIALIZED (SELECT * FROM facts) SELECT q.n, q.k FROM q JOIN dimension d ON q.k = d.id JOIN other o ON q.g = o.id']) AS query, filters(query) AS f;

-- A WITH query that is scanned several times: a filter drops rows of one scan, and not of its result.
SELECT query, f.*
FROM unnest(ARRAY[
    'WITH q AS MATERIALIZED (SELECT * FROM facts) SELECT count(*), (SELECT count(*) FROM q) FROM q JOIN dimension d ON q.k = d.id WHERE d.g = 3',
    'WITH q AS MATERIALIZED (SELECT * FROM facts) SELECT a.n, b.n FROM q a JOIN dimension d ON a.k = d.id JOIN q b ON b.n = a.n + 1 WHERE d.g = 3',
    'WITH q AS MATERIALIZED (SELECT * FROM facts) SELECT n FROM q JOIN dimension d ON q.k = d.id WHERE d.g = 3 UNION ALL SELECT n FROM q JOIN other o ON q.big = o.id UNION ALL SELECT n FROM q',
    'WITH q AS MATERIALIZED (SELECT * FROM facts) SELECT f.n FROM q f WHERE k IN (SELECT n FROM q WHERE n < 5)',
    'WITH q AS MATERIALIZED (SELECT * FROM facts) SELECT o.id, (SELECT count(*) FROM q JOIN dimension d ON q.k = d.id WHERE q.n > o.id * 100) FROM other o',
    'WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM q WHERE n < 2000) SELECT n FROM q JOIN dimension d ON q.n = d.id']) AS query, filters(query) AS f;

-- Executed again, with other rows, parameters or keys.
SET enable_seqscan = off;
SELECT query, f.*
FROM unnest(ARRAY[
    'SELECT o.id, (SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id WHERE f.n > o.id * 10) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id WHERE f.g = o.g) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = o.g AND f.n > 100) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id AND f.n + d.g > o.id * 10 WHERE f.n > 100) FROM other o',
    'WITH q AS MATERIALIZED (SELECT * FROM facts) SELECT o.id, (SELECT count(*) FROM q JOIN dimension d ON q.k = d.id AND q.n + d.g > o.id * 10) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id + o.g WHERE f.n > 100) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM generate_series(o.id, o.id * 10) AS n JOIN dimension d ON n = d.id) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM dimension d LEFT JOIN generate_series(1, o.id) AS n ON n = d.id) FROM other o',
    'SELECT n FROM facts f JOIN dimension d ON f.k = d.id WHERE n > (SELECT min(id) + 500 FROM other)',
    'SELECT n, (SELECT max(o.id) FROM other o WHERE o.id < f.n) FROM facts f JOIN dimension d ON f.big = d.big WHERE n > 500 AND f.g <> (SELECT count(*) FROM other o WHERE o.g = f.g)',
    'WITH RECURSIVE r(k) AS (SELECT 10 UNION SELECT d.id + 10 FROM r JOIN facts f ON f.n = r.k JOIN dimension d ON f.k = d.id) SELECT * FROM r']) AS query, filters(query) AS f;
SET enable_nestloop = on;
SELECT * FROM filters('SELECT o.id, q.c FROM other o LEFT JOIN LATERAL (SELECT count(*) AS c FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = o.g) q ON true');
SET enable_nestloop = off;

-- The filter of the smaller side, which is read ahead.
RESET enable_seqscan;
SELECT query, reads_ahead(query), f.*
FROM unnest(ARRAY[
    'WITH q AS MATERIALIZED (SELECT n FROM many_facts) SELECT s.id, q.n FROM skewed s JOIN q ON s.id = q.n',
    'WITH q AS MATERIALIZED (SELECT n FROM many_facts) SELECT s.id, q.n FROM skewed s LEFT JOIN q ON s.id = q.n WHERE s.m < 20']) AS query, filters(query) AS f;

-- Major versions plan these in different ways.
SELECT query, (compared(query)).outcome
FROM unnest(ARRAY[
    'WITH q AS MATERIALIZED (SELECT * FROM facts) SELECT n, k FROM (SELECT n, k FROM q ORDER BY n LIMIT 100) r JOIN dimension d ON r.k = d.id',
    'WITH q AS MATERIALIZED (SELECT f.* FROM facts f JOIN dimension d ON f.k = d.id) SELECT q.n FROM q JOIN other o ON q.g = o.id',
    'SELECT o.id, q.n FROM other o, LATERAL (SELECT f.n FROM facts f JOIN dimension d ON f.k = d.id WHERE f.g = o.g ORDER BY f.n LIMIT 3) q',
    'WITH q AS MATERIALIZED (SELECT n FROM many_facts) SELECT s.n, q.n FROM q s LEFT JOIN q ON s.n = q.n WHERE s.n < 20']) AS query;

-- A merge join goes back to a row of its inner side. There is no hash function for money.
CREATE TABLE merged AS SELECT (n % 400)::money AS m, n, n % 500 AS k FROM generate_series(1, 4000) AS n;
CREATE INDEX merged_m ON merged (m);
VACUUM ANALYZE merged;
CREATE FUNCTION merge_plan(query text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(format('%s: %s', side->>'Parent Relationship', coalesce(side->>'Custom Plan Provider', side->>'Node Type')), ', ')
    FROM jsonb_path_query(plan_of(query), 'strict $.** ? (@."Node Type" == "Merge Join").Plans[*]') AS side
$$;
SET enable_mergejoin = on;
SET enable_sort = off;
SET enable_material = off;
SET enable_seqscan = off;
SELECT merge_plan(query), f.*
FROM unnest(ARRAY['SELECT a.n, b.n FROM merged a JOIN merged b USING (m) JOIN dimension d ON a.k = d.id',
    'SELECT a.n, b.n FROM merged a JOIN merged b USING (m) JOIN dimension d ON b.k = d.id']) AS query, filters(query) AS f;
RESET enable_seqscan;
RESET enable_sort;
RESET enable_material;
SET enable_mergejoin = off;

-- Cursors.
SET enable_seqscan = off;
BEGIN;
DECLARE moves SCROLL CURSOR FOR SELECT n FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 3 ORDER BY n;
FETCH LAST FROM moves;
FETCH FIRST FROM moves;
MOVE ABSOLUTE 20 IN moves;
FETCH BACKWARD 2 FROM moves;
ROLLBACK;

-- Changes, and rows that are locked.
BEGIN;
WITH q AS (DELETE FROM facts WHERE n > 3900 RETURNING n, k) SELECT n FROM q JOIN dimension d ON q.k = d.id WHERE d.g = 3;
SELECT filtered_nodes('WITH q AS (DELETE FROM facts WHERE n > 3900 RETURNING n, k) SELECT n FROM q JOIN dimension d ON q.k = d.id WHERE d.g = 3');
SELECT filtered_nodes('UPDATE facts f SET g = -1 FROM dimension d WHERE f.k = d.id AND d.g = 3 AND f.n > 100');
WITH changed AS (UPDATE facts f SET g = -1 FROM dimension d WHERE f.k = d.id AND d.g = 3 AND f.n > 100 RETURNING n) SELECT count(*) FROM changed;
WITH changed AS (DELETE FROM facts f USING dimension d WHERE f.k = d.id AND d.g = 2 AND f.n > 100 RETURNING n) SELECT count(*) FROM changed;
SELECT filtered_nodes('SELECT n FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g < 4 AND f.n > 100 FOR UPDATE OF f');
SELECT count(*) FROM (SELECT n FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g < 4 AND f.n > 100 FOR UPDATE OF f) AS q;
ROLLBACK;

-- Prepared, and with either setting off.
PREPARE prepared(integer) AS SELECT count(*), sum(n) FROM facts f JOIN dimension d ON f.k = d.id WHERE f.n > $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE prepared(100);
EXECUTE prepared(2000);
EXECUTE prepared(NULL);
SET cuckoo_filter.enable_join_filter = off;
EXECUTE prepared(100);
SET cuckoo_filter.enable_join_filter = on;
RESET plan_cache_mode;
SET cuckoo_filter.enable_filter_scan = off;
SELECT filtered_nodes('SELECT n, k FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 3');
RESET cuckoo_filter.enable_filter_scan;

-- Parallel scans: the counts are those of all processes.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
SET enable_bitmapscan = off;
SELECT * FROM compared('SELECT n, k FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 3');
SELECT filtered_nodes('SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 3'), probed + bypassed AS counted, rejected > 3000 AS rejected
FROM probes('SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 3');
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SET enable_bitmapscan = on;
SELECT * FROM compared('SELECT n, f.text FROM facts f JOIN dimension d ON f.k = d.id WHERE n > 500 AND d.g = 3');
SELECT filtered_nodes('SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id WHERE n > 500 AND d.g = 3'), probed + bypassed AS counted, rejected > 3000 AS rejected
FROM probes('SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id WHERE n > 500 AND d.g = 3');
SET max_parallel_workers_per_gather = 0;
RESET enable_seqscan;

-- EXPLAIN.
EXPLAIN (COSTS OFF, VERBOSE) WITH q AS MATERIALIZED (SELECT n, k AS key FROM facts) SELECT n FROM q JOIN dimension d ON q.key = d.id JOIN other o ON q.n = o.id;
CREATE FUNCTION counts(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF) ' || query LOOP
        IF line ~ 'Probe:|Join Filter:' THEN
            RETURN NEXT trim(line);
        END IF;
    END LOOP;
END$$;
SELECT counts('SELECT count(*) FROM generate_series(1, 5000) AS n JOIN dimension d ON n = d.id WHERE d.g = 70');

SET client_min_messages = warning;
DROP SCHEMA join_filter_rows CASCADE;
