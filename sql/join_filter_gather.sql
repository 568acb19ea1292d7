--
-- Joins that filter themselves: joins above a Gather or Gather Merge, whose filters the scans below it probe.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS cuckoo_filter;
LOAD 'cuckoo_filter';
CREATE SCHEMA join_filter_gather;
SET search_path = join_filter_gather, public;
RESET client_min_messages;
\set common `echo "$PG_ABS_SRCDIR"`/sql/common/join_filter.sql
\i :common

SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;

-- Only the leader can scan a materialized WITH query, so joins with one of these are above the Gather.
CREATE FUNCTION of_leader(query text) RETURNS text LANGUAGE sql AS $$
    SELECT 'WITH d AS MATERIALIZED (SELECT * FROM dimension), o AS MATERIALIZED (SELECT * FROM other), s AS MATERIALIZED (SELECT * FROM skewed),
        nothing AS MATERIALIZED (SELECT * FROM dimension WHERE id < 0) ' || query
$$;
-- The number of filters that are made above a Gather, and probed below it.
CREATE FUNCTION through_gather(query text) RETURNS bigint LANGUAGE sql AS $$
    WITH gathers AS (SELECT jsonb_path_query(plan_of(query), 'strict $.** ? (@."Node Type" starts with "Gather")') AS plan)
    SELECT count(*) FROM (
        SELECT jsonb_path_query(plan, 'strict $.**."Probes"[*]."Join Filter"') FROM gathers
        EXCEPT
        SELECT jsonb_path_query(plan, 'strict $.** ? (@."Custom Plan Provider" == "CuckooJoinFilter")."Join Filter"') FROM gathers) AS numbers
$$;
-- Of a query: such filters, the rows that they were probed with, if there is one filter and one execution, whether rows were rejected, and what
-- compared() says.
CREATE FUNCTION gathered(query text, OUT through bigint, OUT rows bigint, OUT rejects boolean, OUT outcome text) LANGUAGE plpgsql AS $$
BEGIN
    through := through_gather(query);
    SELECT CASE WHEN max(filter) = 1 AND query !~ 'LATERAL' THEN sum(probed + bypassed) END, sum(rejected) > 0.3 * sum(probed) INTO rows, rejects FROM probes(query);
    outcome := (SELECT CASE WHEN c.filtered THEN c.outcome ELSE 'not filtered: ' || c.outcome END FROM compared(query) AS c);
END$$;

CREATE TABLE queries (id integer GENERATED ALWAYS AS IDENTITY, query text);
INSERT INTO queries (query)
SELECT of_leader(query) FROM unnest(ARRAY[
    'SELECT n, k FROM facts JOIN d ON k = id',
    'SELECT n, d.text FROM facts JOIN d USING (text)',
    'SELECT n, d.id FROM facts JOIN d ON facts.uuid = d.uuid AND facts.k = d.id',
    'SELECT n FROM facts WHERE k IN (SELECT id FROM d)',
    'SELECT n, d.id FROM facts RIGHT JOIN d ON k = id',
    'SELECT n FROM facts JOIN nothing ON k = id',
    -- several filters: of two joins, of one that is below the Gather, of columns that a join below it compares
    'SELECT n, d.id FROM facts JOIN d ON k = d.id JOIN o ON facts.big = o.id',
    'SELECT n, d.id, o.id FROM facts JOIN o ON k = o.id JOIN d ON facts.big = d.id',
    'SELECT n, x.id, d.text FROM facts JOIN dimension x ON k = x.id JOIN d ON facts.big = d.id',
    'SELECT f.n, h.n FROM facts f JOIN facts h ON f.k = h.k JOIN d ON d.id = h.k WHERE f.g < 5 AND h.n < 2000',
    -- nodes on the way
    'SELECT * FROM (SELECT k, count(*), sum(n) FROM facts GROUP BY k) f JOIN d ON k = id',
    'SELECT * FROM (SELECT k, g, count(*) FROM facts GROUP BY k, g) f JOIN d ON k = id AND f.g = d.g',
    'SELECT * FROM (SELECT k, n FROM facts ORDER BY n DESC OFFSET 0) f JOIN d ON k = id',
    'SELECT * FROM (SELECT k, n FROM facts UNION ALL SELECT id, g FROM other) f JOIN d ON k = d.id',
    'SELECT f.n, f.k FROM parted f JOIN d ON k = id',
    'SELECT * FROM (SELECT k, n FROM facts ORDER BY n LIMIT 1000) f JOIN d ON k = id',
    -- filters of the side that is not hashed
    'SELECT n, m FROM s JOIN facts ON s.id = facts.k',
    'SELECT n, m FROM s LEFT JOIN facts ON s.id = facts.k AND facts.g < 30',
    'SELECT m FROM s WHERE NOT EXISTS (SELECT FROM facts WHERE k = s.id AND g < 10)',
    'SELECT n, m FROM (SELECT s.id, s.m FROM s JOIN dimension x ON s.id = x.id) s JOIN facts ON s.id = facts.k',
    -- executed again
    'SELECT x, q.c FROM (VALUES (1), (2)) AS v(x), LATERAL (SELECT count(*) AS c FROM facts JOIN d ON k = id WHERE x > 0 OFFSET 0) q',
    'SELECT x, q.c FROM (VALUES (1), (2)) AS v(x), LATERAL (SELECT count(*) AS c FROM facts JOIN d ON k = id JOIN o ON facts.big = o.id WHERE x > 0 OFFSET 0) q',
    'SELECT x, q.c FROM (VALUES (1), (2)) AS v(x), LATERAL (SELECT count(*) AS c FROM facts JOIN d ON k = id WHERE d.g = x) q',
    'SELECT x, q.c FROM (VALUES (1), (2)) AS v(x), LATERAL (SELECT count(*) AS c FROM s JOIN facts ON s.id = k WHERE x > 0 OFFSET 0) q'
    ]) AS query;

SELECT id, substr(query, length(of_leader('')) + 1, 110) AS query, c.* FROM queries, gathered(query) AS c ORDER BY id;
-- Workers alone.
SET parallel_leader_participation = off;
DELETE FROM queries WHERE id NOT IN (2, 7, 9, 11, 14, 18, 24);
SELECT id, c.* FROM queries, gathered(query) AS c ORDER BY id;
RESET parallel_leader_participation;
-- No worker can be launched.
SET max_parallel_workers = 0;
SELECT id, c.outcome FROM queries, compared(query) AS c ORDER BY id;
RESET max_parallel_workers;
-- Gather Merge below merge joins; hash tables in batches; little memory for filters; rows kept and not kept by nodes above.
CREATE FUNCTION with_setting(name text, value text) RETURNS TABLE (id integer, outcome text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config(name, value, true);
    RETURN QUERY SELECT q.id, c.outcome FROM queries q, compared(q.query) AS c WHERE q.id < 20 AND c.outcome ~ 'DIFF';
END$$;
SELECT setting, o.* FROM unnest(ARRAY['enable_mergejoin=on', 'enable_hashagg=off', 'enable_material=off', 'work_mem=64kB',
    'cuckoo_filter.join_filter_max_memory=64kB', 'default_transaction_isolation=serializable'
    ]) AS setting, with_setting(split_part(setting, '=', 1), split_part(setting, '=', 2)) AS o;
-- A Gather Merge, by which the groups come in order.
SET enable_hashagg = off;
SELECT c.* FROM gathered(of_leader('SELECT * FROM (SELECT k, count(*) FROM facts GROUP BY k) f JOIN d ON k = id')) AS c;
RESET enable_hashagg;

-- A Gather above the whole plan, whose workers find no other Gather.
SELECT set_config(CASE WHEN current_setting('server_version_num')::integer >= 160000 THEN 'debug_parallel_query' ELSE 'force_parallel_mode' END,
    'on', false);
SELECT * FROM compared('SELECT n, d.text FROM facts JOIN dimension d ON k = id');
SELECT id, c.outcome FROM queries, compared(query) AS c WHERE id < 20 AND c.outcome ~ 'DIFF';
SELECT set_config(CASE WHEN current_setting('server_version_num')::integer >= 160000 THEN 'debug_parallel_query' ELSE 'force_parallel_mode' END,
    'off', false);

-- Partitions that no key is within are left out by all processes.
CREATE TABLE ranges (i integer, n integer) PARTITION BY RANGE (i);
CREATE TABLE ranges_1 PARTITION OF ranges FOR VALUES FROM (0) TO (1000);
CREATE TABLE ranges_2 PARTITION OF ranges FOR VALUES FROM (1000) TO (2000);
CREATE TABLE ranges_3 PARTITION OF ranges FOR VALUES FROM (2000) TO (3000);
INSERT INTO ranges SELECT i % 3000, i FROM generate_series(1, 9000) AS i;
ANALYZE ranges;
CREATE FUNCTION scans_of_ranges(query text) RETURNS TABLE ("table" text, skipped text, rows bigint) LANGUAGE sql AS $$
    SELECT scan->>'Relation Name', scan->>'Skipped',
        (SELECT sum((p->>'Rows Probed')::bigint + (p->>'Rows Bypassed')::bigint)::bigint FROM jsonb_array_elements(scan->'Probes') AS p)
    FROM jsonb_path_query(plan_of(query, true), 'strict $.** ? (exists(@."Probes"))') AS scan ORDER BY 1
$$;
\set query 'WITH d AS MATERIALIZED (SELECT * FROM dimension WHERE id < 500) SELECT i, n FROM ranges JOIN d ON i = id'
SELECT * FROM compared(:'query');
SELECT through_gather(:'query');
SELECT * FROM scans_of_ranges(:'query');
SET enable_parallel_append = off;
SET parallel_leader_participation = off;
SELECT * FROM scans_of_ranges(:'query');
RESET enable_parallel_append;
RESET parallel_leader_participation;
SELECT * FROM compared('SELECT x, c FROM (VALUES (1), (2)) AS v(x), LATERAL (WITH d AS MATERIALIZED (SELECT * FROM dimension WHERE id < 500)
    SELECT count(*) AS c FROM ranges JOIN d ON i = id WHERE x > 0 OFFSET 0) q');
-- With a WITH query of each row.
SELECT * FROM compared('SELECT o.id, (WITH d AS MATERIALIZED (SELECT * FROM dimension WHERE g = o.g OFFSET 0)
    SELECT count(*) FROM ranges JOIN d ON i = d.id) FROM other o WHERE id < 20');

-- A plan that is executed with the setting off, and parts of its rows by a cursor.
SET plan_cache_mode = force_generic_plan;
PREPARE prepared (integer) AS WITH d AS MATERIALIZED (SELECT * FROM dimension WHERE g < $1) SELECT count(*), sum(n) FROM facts JOIN d ON k = id;
EXECUTE prepared (4);
EXECUTE prepared (2);
EXECUTE prepared (0);
SET cuckoo_filter.enable_join_filter = off;
EXECUTE prepared (4);
SET cuckoo_filter.enable_join_filter = on;
EXECUTE prepared (4);
RESET plan_cache_mode;
BEGIN;
DECLARE part CURSOR FOR WITH d AS MATERIALIZED (SELECT * FROM dimension) SELECT n FROM (SELECT n, k FROM facts) f JOIN d ON k = id;
MOVE 100 IN part;
MOVE 10000 IN part;
COMMIT;

-- Many rows: the filter has several pages, and workers have many of the rows.
CREATE TABLE large AS SELECT n, n * 7919::bigint % 200000 AS k FROM generate_series(1, 200000) AS n;
CREATE TABLE large_keys AS SELECT n * 40 AS id, n % 3 AS g FROM generate_series(1, 5000) AS n;
ANALYZE large, large_keys;
\set query 'WITH d AS MATERIALIZED (SELECT * FROM large_keys) SELECT count(*), sum(n) FROM large JOIN d ON k = d.id'
SELECT * FROM gathered(:'query');
SET parallel_leader_participation = off;
SELECT * FROM gathered(:'query');
SELECT * FROM gathered('WITH d AS MATERIALIZED (SELECT * FROM large_keys), e AS MATERIALIZED (SELECT * FROM large_keys WHERE g = 0)
    SELECT count(*), sum(n) FROM large JOIN d ON k = d.id JOIN e ON n = e.id');
SELECT * FROM gathered('SELECT sum(c) FROM (VALUES (1), (2)) AS v(x), LATERAL (WITH d AS MATERIALIZED (SELECT * FROM large_keys)
    SELECT count(*) AS c FROM large JOIN d ON k = d.id WHERE x > 0 OFFSET 0) q');

SET client_min_messages = warning;
DROP SCHEMA join_filter_gather CASCADE;
