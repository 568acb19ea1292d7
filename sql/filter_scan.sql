--
-- The filter scan: the same rows and errors as a sequential scan, for every kind of table, key and query.
--
CREATE SCHEMA filter_scan;
SET search_path = filter_scan, public;
SET max_parallel_workers_per_gather = 0;
-- EXPLAIN VERBOSE shows no query identifier, which pg_stat_statements turns on.
SET compute_query_id = regress;

\set common `echo "$PG_ABS_SRCDIR"`/sql/common/filter_scan.sql
\i :common
-- Filters with their counts.
CREATE FUNCTION probes(query text) RETURNS TABLE (condition text, probed bigint, rejected bigint) LANGUAGE sql AS $$
    SELECT probe->>'Condition', (probe->'Rows Probed')::bigint, (probe->'Rows Rejected')::bigint
    FROM jsonb_path_query(plan_of(query, true), 'strict $.**."Probes"[*]') AS probe
$$;

CREATE TABLE numbers AS
    SELECT n, n::smallint AS small, n::bigint AS big, n::numeric AS numeric, 'number ' || n AS text,
        ('number ' || n)::varchar(20) AS varchar, ('n' || n)::char(10) AS character, md5(n::text)::uuid AS uuid,
        n::float8 AS float, date '2026-01-01' + n AS date, ARRAY[n, n + 1] AS list, CASE WHEN n % 3 > 0 THEN n END AS holes
    FROM generate_series(1, 3000) AS n;
ANALYZE numbers;
-- About a tenth of the numbers, in filters of every kind.
CREATE TABLE filters AS
    SELECT bf_agg(n) AS n, cf_agg(n) AS counted, bf_agg(numeric) AS numeric, bf_agg(text) AS text, bf_agg(character) AS character,
        bf_agg(uuid) AS uuid, bf_agg(float) AS float, bf_agg(date) AS date, bf_agg(list) AS list, cf_agg(text) AS counted_text
    FROM numbers WHERE n % 10 = 0;
-- A filter that EXPLAIN can show.
CREATE FUNCTION tenth() RETURNS bloomfilter STABLE LANGUAGE sql AS 'SELECT n FROM filter_scan.filters';
CREATE FUNCTION text_tenth() RETURNS bloomfilter STABLE LANGUAGE sql AS 'SELECT text FROM filter_scan.filters';

-- Every form of the condition, and every way to pass a filter that is constant.
SELECT condition, (compared('SELECT n FROM numbers WHERE ' || condition)).*
FROM unnest(ARRAY[
    'bf_contains((SELECT n FROM filters), n)', '(SELECT n FROM filters) @> n', 'n <@ (SELECT n FROM filters)',
    'cf_contains((SELECT counted FROM filters), n)', '(SELECT counted FROM filters) @> n', 'n <@ (SELECT counted FROM filters)',
    'bf_contains(tenth(), n)', 'bf_contains(tenth(), small)', 'bf_contains(tenth(), big)', 'bf_contains(tenth(), numeric)',
    'bf_contains((SELECT numeric FROM filters), n)', 'bf_contains((SELECT text FROM filters), text)',
    'bf_contains((SELECT text FROM filters), varchar)', 'bf_contains((SELECT text FROM filters), varchar::text)',
    'bf_contains((SELECT character FROM filters), character)', 'bf_contains((SELECT uuid FROM filters), uuid)',
    'bf_contains((SELECT float FROM filters), float)', 'bf_contains((SELECT date FROM filters), date)',
    'bf_contains((SELECT list FROM filters), list)', 'bf_contains(tenth(), holes)',
    'bf_contains((SELECT bf_agg(s) FROM generate_series(1, 50) s), n)',
    'bf_contains((SELECT bf_union_agg(n) FROM filters), n)', 'bf_contains(tenth() | tenth(), n)',
    'bf_contains(bf_create(10), n)', 'bf_contains((SELECT n FROM filters WHERE false), n)',
    'bf_contains(NULLIF(tenth()::text, tenth()::text)::bloomfilter, n)']) AS condition;
SELECT condition, (compared('SELECT n FROM numbers WHERE bf_contains(' || quote_literal(filter) || ', n)')).*
FROM (SELECT 'a literal' AS condition, tenth() AS filter) AS q;

-- Not with a key that is computed, a filter that is not constant, or a condition that is not required.
SELECT condition, (compared('SELECT n FROM numbers WHERE ' || condition)).*
FROM unnest(ARRAY[
    'bf_contains(tenth(), n + 0)', 'bf_contains(tenth(), 7)', 'NOT bf_contains(tenth(), n)', 'n = 3 OR bf_contains(tenth(), n)',
    'bf_contains(CASE WHEN random() < 2 THEN tenth() END, n)', 'bf_contains((SELECT f.n FROM filters f WHERE numbers.n > 0), n)',
    'bf_contains_any(tenth(), list)']) AS condition;

-- Other conditions, and several filters.
SELECT condition, (compared('SELECT n FROM numbers WHERE ' || condition)).*
FROM unnest(ARRAY[
    'bf_contains(tenth(), n) AND n > 1000 AND length(text) = 11', 'bf_contains(tenth(), n) AND n IN (SELECT n FROM numbers WHERE n < 99)',
    'bf_contains(tenth(), n) AND n % 7 = (SELECT 3)', 'bf_contains(tenth(), n) AND bf_contains((SELECT text FROM filters), text)',
    'tenth() @> n AND (SELECT counted FROM filters) @> big AND bf_contains(bf_add(bf_create(10), 30), n)']) AS condition;

-- The planner's choice, if another condition that is cheap leaves few rows: by the cost of hashing the key.
SELECT condition, filter_scans('SELECT n FROM numbers WHERE n = 5 AND ' || condition) AS scans
FROM unnest(ARRAY['bf_contains((SELECT date FROM filters), date)', 'bf_contains((SELECT text FROM filters), varchar)',
    'bf_contains((SELECT numeric FROM filters), numeric)', 'bf_contains((SELECT list FROM filters), list)']) AS condition;

-- What EXPLAIN shows.
EXPLAIN (COSTS OFF) SELECT * FROM numbers WHERE bf_contains(tenth(), n) AND n > 100;
EXPLAIN (COSTS OFF, VERBOSE) SELECT n FROM numbers AS m WHERE bf_contains(tenth(), big);
SELECT probed, rejected FROM probes('SELECT FROM numbers WHERE bf_contains(bf_add(bf_create(10), 3), n)');
SELECT plan_of('SELECT n FROM numbers WHERE tenth() @> n') #> '{0,Plan,Probes}' AS probes;
CREATE FUNCTION explained(format text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    line text;
    lines bigint := 0;
BEGIN
    FOR line IN EXECUTE format('EXPLAIN (ANALYZE, TIMING OFF, FORMAT %s) SELECT n FROM numbers WHERE bf_contains(tenth(), n)', format)
    LOOP
        lines := lines + (SELECT count(*) FROM regexp_matches(line, '(rows probed=|Rows.Probed\W+)3000\M', 'g'));
    END LOOP;
    RETURN lines;
END$$;
SELECT format, explained(format) FROM unnest(ARRAY['text', 'json', 'xml', 'yaml']) AS format;

-- The setting. It changes the plan, and nothing else.
SET cuckoo_scan.enable_filter_scan = off;
SELECT filter_scans('SELECT FROM numbers WHERE bf_contains(tenth(), n)');
RESET cuckoo_scan.enable_filter_scan;
SHOW cuckoo_scan.enable_filter_scan;
SET enable_seqscan = off;
CREATE TABLE indexed AS SELECT n FROM numbers;
CREATE INDEX ON indexed (n);
SELECT filter_scans('SELECT FROM indexed WHERE bf_contains(tenth(), n)');
RESET enable_seqscan;

--
-- Errors: those of a sequential scan.
--
CREATE TABLE none (n integer, text text);
CREATE TABLE unset AS SELECT NULL::integer AS n, NULL::text AS text FROM generate_series(1, 10);
CREATE FUNCTION fails() RETURNS bloomfilter STABLE LANGUAGE plpgsql AS $$BEGIN RAISE 'evaluated'; END$$;
SELECT query, (compared('SELECT n FROM ' || query)).*
FROM unnest(ARRAY[
    'numbers WHERE bf_contains(tenth(), text)', 'none WHERE bf_contains(tenth(), text)', 'unset WHERE bf_contains(tenth(), text)',
    -- The planner does not know how many rows pass the first of these conditions, and expects a third.
    'numbers WHERE n > (SELECT 2990) AND bf_contains((SELECT n FROM filters), text)',
    'numbers WHERE n > (SELECT 2990) AND bf_contains((SELECT bf_agg(1 / (s - 1)) FROM generate_series(1, 3) AS s), n)',
    'numbers WHERE n > 2990 AND bf_contains(tenth(), text)',
    'numbers WHERE bf_contains(tenth(), n) AND bf_contains(tenth(), text)',
    'numbers WHERE bf_contains(bf_create(10), n) AND bf_contains(tenth(), text)',
    'numbers WHERE bf_contains(fails(), n)', 'none WHERE bf_contains(fails(), n)',
    'numbers WHERE bf_contains((SELECT bf_agg(1 / (s - 1)) FROM generate_series(1, 3) AS s), n)',
    'numbers WHERE bf_contains(tenth(), n) AND 1 / (n - 30) > 7']) AS query;
CREATE TABLE oids AS SELECT n, n::regclass AS class FROM generate_series(1, 10) AS n;
SELECT (compared('SELECT n FROM oids WHERE bf_contains(tenth(), class)')).*;
-- By pages, the filters come before other conditions.
SELECT query, outcome('SELECT n FROM ' || query, true) AS by_page, outcome('SELECT n FROM ' || query, false) AS by_row
FROM unnest(ARRAY['numbers WHERE n < (SELECT 0) AND bf_contains((SELECT n FROM filters), text)',
    'numbers WHERE n < 0 AND bf_contains((SELECT bf_agg(1 / (s - 1)) FROM generate_series(1, 3) AS s), n)',
    'numbers WHERE n < 0 AND bf_contains(tenth(), text)', 'unset WHERE n < 0 AND bf_contains(tenth(), text)',
    'numbers WHERE n < 0 AND bf_contains(fails(), n)', 'none WHERE n < 0 AND bf_contains(fails(), n)',
    'oids WHERE n < 0 AND bf_contains(tenth(), class)']) AS query;
RESET cuckoo_scan.enable_filter_scan;

--
-- Rows and columns.
--

-- Dropped columns, columns that older rows do not have, and nulls before the key.
CREATE TABLE altered (a integer, gone text, n integer);
INSERT INTO altered SELECT CASE WHEN n % 2 = 0 THEN n END, CASE WHEN n % 3 = 0 THEN 'x' END, n FROM generate_series(1, 1000) n;
ALTER TABLE altered DROP gone, ADD later integer DEFAULT 70, ADD without integer;
INSERT INTO altered SELECT n, n, n, n FROM generate_series(1001, 2000) n;
ALTER TABLE altered ADD twice integer GENERATED ALWAYS AS (2 * n) STORED;
SELECT condition, (compared('SELECT * FROM altered WHERE bf_contains(tenth(), ' || condition || ')')).*
FROM unnest(ARRAY['n', 'a', 'later', 'without', 'twice']) AS condition;

-- Values of every width and alignment before the key.
CREATE TABLE aligned (c "char", s smallint, b boolean, t text, n bigint, u uuid, k text, f real);
INSERT INTO aligned SELECT 'x', n, true, repeat('t', n % 200), n, md5(n::text)::uuid, 'number ' || n, n FROM generate_series(1, 1000) n;
SELECT condition, (compared('SELECT * FROM aligned WHERE ' || condition)).*
FROM unnest(ARRAY['bf_contains(tenth(), s)', 'bf_contains(tenth(), n)', 'bf_contains((SELECT uuid FROM filters), u)',
    'bf_contains((SELECT text FROM filters), k)', 'bf_contains((SELECT text FROM filters), t)',
    'bf_contains((SELECT float FROM filters), f)']) AS condition;

-- A null in any of ten columns before the key, which have fixed places without it; and a column of any length.
CREATE TABLE holes AS
    SELECT c.*, t, n AS key, ('number ' || n) AS text
    FROM generate_series(1, 3000) AS n, LATERAL (SELECT CASE n % 50 WHEN 7 THEN repeat('t', n) WHEN 8 THEN NULL ELSE 't' END AS t) AS v,
        LATERAL (SELECT CASE WHEN n % 23 <> 0 THEN n END AS c0, CASE WHEN n % 23 <> 1 THEN n::smallint END AS c1,
            CASE WHEN n % 23 <> 2 THEN n::bigint END AS c2, CASE WHEN n % 23 <> 3 THEN n > 9 END AS c3,
            CASE WHEN n % 23 <> 4 THEN n::float8 END AS c4, CASE WHEN n % 23 <> 5 THEN '1'::"char" END AS c5,
            CASE WHEN n % 23 <> 6 THEN md5(n::text)::uuid END AS c6, CASE WHEN n % 23 <> 7 THEN n::bigint END AS c7,
            CASE WHEN n % 23 <> 8 THEN n::smallint END AS c8, CASE WHEN n % 23 <> 9 THEN n END AS c9) AS c;
ALTER TABLE holes ADD late integer DEFAULT 70;
SELECT condition, (compared('SELECT key FROM holes WHERE bf_contains(' || condition || ')')).*
FROM unnest(ARRAY['tenth(), key', 'tenth(), c0', 'tenth(), c1', 'tenth(), c2', 'tenth(), c7', 'tenth(), c8', 'tenth(), c9',
    '(SELECT float FROM filters), c4', '(SELECT uuid FROM filters), c6', '(SELECT text FROM filters), text',
    'tenth(), late']) AS condition;

-- Keys that are compressed, or out of line, and much longer than others of the page.
CREATE TABLE long (n integer, key text);
ALTER TABLE long ALTER key SET STORAGE EXTERNAL;
INSERT INTO long SELECT n, repeat(md5(n::text), n % 4 * 100) FROM generate_series(1, 200) n;
ALTER TABLE long ALTER key SET STORAGE EXTENDED;
INSERT INTO long SELECT n, repeat(md5(n::text), n % 4 * 100) FROM generate_series(201, 400) n;
SELECT (compared('SELECT n, md5(key) FROM long WHERE bf_contains((SELECT bf_agg(key) FROM long WHERE n % 5 = 0), key)')).*;

-- System columns, whole rows, and rows without columns.
SELECT output, (compared('SELECT ' || output || ' FROM numbers WHERE bf_contains(tenth(), n)')).*
FROM unnest(ARRAY['ctid, tableoid::regclass', 'numbers', 'numbers.*', 'count(*)', 'xmin IS NULL', '']) AS output;
-- Enough for several pages of rows, all of which pass.
SELECT (compared('SELECT n FROM numbers WHERE bf_contains((SELECT bf_agg(n) FROM numbers), n)')).*;

--
-- Tables.
--
CREATE TABLE parted (n integer, text text) PARTITION BY RANGE (n);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (1000);
CREATE TABLE parted_2 (text text, extra integer, n integer);
ALTER TABLE parted_2 DROP extra;
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (1000) TO (4000);
INSERT INTO parted SELECT n, text FROM numbers;
CREATE TABLE parent (n integer);
CREATE TABLE child (x text) INHERITS (parent);
INSERT INTO parent SELECT n FROM numbers WHERE n < 500;
INSERT INTO child SELECT n, text FROM numbers WHERE n >= 500;
CREATE TEMP TABLE temporary AS SELECT n FROM numbers;
CREATE UNLOGGED TABLE unlogged AS SELECT n FROM numbers;
CREATE MATERIALIZED VIEW materialized AS SELECT n FROM numbers;
CREATE VIEW view AS SELECT n, text FROM numbers WHERE n % 2 = 0;
SELECT source, (compared('SELECT * FROM ' || source || ' WHERE bf_contains(tenth(), n)')).*
FROM unnest(ARRAY['parted', 'parent', 'ONLY parent', 'temporary', 'unlogged', 'materialized', 'view',
    'numbers TABLESAMPLE SYSTEM (100)', 'generate_series(1, 100) AS n', '(SELECT n FROM numbers OFFSET 0) AS q',
    '(SELECT n FROM numbers UNION ALL SELECT n FROM parent) AS q']) AS source;

-- A security barrier, or a policy: never before a condition that protects rows.
CREATE VIEW barrier WITH (security_barrier) AS SELECT n, text FROM numbers WHERE n % 2 = 0;
CREATE VIEW barrier_by_filter WITH (security_barrier) AS SELECT n, text FROM numbers WHERE bf_contains(filter_scan.tenth(), n);
SELECT query, (compared('SELECT n FROM ' || query)).*
FROM unnest(ARRAY['barrier WHERE bf_contains(tenth(), n)', 'barrier_by_filter WHERE n > 20',
    'barrier_by_filter WHERE bf_contains((SELECT text FROM filters), text)']) AS query;

--
-- Executions.
--

-- A scan that is repeated with other filters, and with none; and one that is repeated after it ended early.
CREATE TABLE sets AS SELECT s, CASE WHEN s % 4 > 0 THEN (SELECT bf_agg(n) FROM numbers WHERE n % s = 0) END AS f
    FROM generate_series(20, 40) s;
INSERT INTO sets VALUES (41, bf_create(10)), (42, bf_add(bf_create(100000), 42));
SELECT query, (compared(query)).*
FROM unnest(ARRAY[
    'SELECT s, (SELECT count(*) FROM numbers WHERE bf_contains(f, n)) FROM sets',
    'SELECT s, (SELECT n FROM numbers WHERE bf_contains(f, n) LIMIT 1) FROM sets',
    'SELECT s, EXISTS (SELECT FROM numbers WHERE bf_contains(f, n) AND numbers.n < s) FROM sets',
    'SELECT s, n FROM sets, LATERAL (SELECT n FROM numbers WHERE bf_contains(f, n) OFFSET 1 LIMIT 3) AS q',
    'SELECT s, (SELECT count(*) FROM sets t WHERE bf_contains(CASE WHEN sets.s % 2 = 0 THEN tenth() END, t.s)) FROM sets',
    'WITH RECURSIVE r(i) AS (SELECT 10 UNION ALL SELECT (SELECT n FROM numbers WHERE bf_contains(tenth(), n) AND n > i LIMIT 1)
        FROM r WHERE i < 900) SELECT * FROM r']) AS query;
-- One after the other, of different kinds: the error comes and goes.
CREATE TABLE kinds AS SELECT 1 AS s, (SELECT text FROM filters) AS f UNION ALL SELECT 2, (SELECT n FROM filters);
CREATE FUNCTION count_in(s integer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT count(*) FROM numbers WHERE bf_contains((SELECT f FROM kinds WHERE kinds.s = count_in.s), n));
EXCEPTION WHEN datatype_mismatch THEN
    RETURN SQLERRM;
END$$;
SELECT count_in(s) FROM unnest(ARRAY[2, 1, 2, 1, 2, 2, 2, 2, 1, 2]) AS s;
SELECT (compared('SELECT s, (SELECT count(*) FROM numbers WHERE bf_contains(f, n) AND length(text) < s) FROM kinds')).*;
-- The order of filters that a scan has learned is not used before the filters of the next scan have been compared.
SELECT (compared('SELECT s, (SELECT count(*) FROM numbers WHERE bf_contains(f, n) AND bf_contains(bf_create(10), big))
    FROM (VALUES (2, (SELECT bf_agg(n) FROM numbers)), (1, (SELECT text FROM filters))) AS k(s, f)')).*;

-- Prepared statements, with a plan of their own and a generic one.
PREPARE prepared(bloomfilter, integer) AS SELECT count(*), sum(n) FROM numbers WHERE bf_contains($1, n) AND n < $2;
SET plan_cache_mode = force_generic_plan;
EXECUTE prepared(tenth(), 100);
EXECUTE prepared(bf_add(bf_create(10), 3), 100);
EXECUTE prepared(NULL, 100);
EXECUTE prepared(text_tenth(), 100);
EXECUTE prepared(tenth(), 0);
SET plan_cache_mode = force_custom_plan;
EXECUTE prepared(tenth(), 100);
RESET plan_cache_mode;

-- Cursors: forwards, backwards, to a position; and rows that change below.
BEGIN;
DECLARE moves CURSOR FOR SELECT n FROM numbers WHERE bf_contains(tenth(), n) AND n % 100 = 0;
FETCH 3 FROM moves;
FETCH BACKWARD 2 FROM moves;
MOVE FORWARD 26 IN moves;
FETCH 5 FROM moves;
FETCH BACKWARD 3 FROM moves;
-- Over the parts of a page, and from one page to another.
DECLARE parts CURSOR FOR SELECT n FROM numbers WHERE bf_contains((SELECT bf_agg(n) FROM numbers), n) AND n % 7 = 0;
FETCH 7 FROM parts;
FETCH BACKWARD 7 FROM parts;
FETCH 3 FROM parts;
MOVE BACKWARD ALL IN parts;
MOVE FORWARD ALL IN parts;
FETCH BACKWARD 2 FROM parts;
MOVE BACKWARD 424 IN parts;
FETCH BACKWARD 5 FROM parts;
DECLARE jumps SCROLL CURSOR FOR SELECT n FROM numbers WHERE bf_contains(tenth(), n) AND n % 100 = 0;
FETCH LAST FROM jumps;
FETCH ABSOLUTE 7 FROM jumps;
FETCH RELATIVE -6 FROM jumps;
FETCH PRIOR FROM jumps;
FETCH NEXT FROM jumps;
FETCH ABSOLUTE -2 FROM jumps;
DECLARE updates CURSOR FOR SELECT n FROM numbers WHERE bf_contains(tenth(), n) AND n > 2900 FOR UPDATE;
FETCH 2 FROM updates;
UPDATE numbers SET holes = -1 WHERE CURRENT OF updates RETURNING n, holes;
FETCH 1 FROM updates;
DELETE FROM numbers WHERE CURRENT OF updates RETURNING n;
ROLLBACK;

-- Changes of the rows that the scan finds.
BEGIN;
WITH changed AS (UPDATE numbers SET n = n WHERE bf_contains(tenth(), n) AND n % 10 = 0 RETURNING n) SELECT count(*) FROM changed;
WITH changed AS (UPDATE parted SET text = text || '!' WHERE bf_contains(tenth(), n) AND n % 10 = 0 RETURNING tableoid, n)
SELECT count(*), count(DISTINCT tableoid) FROM changed;
WITH changed AS (DELETE FROM parent WHERE bf_contains(tenth(), n) AND n % 10 = 0 RETURNING n) SELECT count(*) FROM changed;
SELECT count(*), count(DISTINCT n) FROM numbers WHERE bf_contains(tenth(), n) AND n % 10 = 0;
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM numbers WHERE bf_contains(tenth(), n) AND n % 10 = 0;
SELECT locktype, mode FROM pg_locks WHERE relation = 'numbers'::regclass AND mode = 'SIReadLock';
ROLLBACK;

-- PL/pgSQL: a filter that changes in a loop.
DO $$
DECLARE
    f bloomfilter := bf_create(1000, of => 'integer');
    found bigint;
    sum bigint := 0;
BEGIN
    FOR i IN 1..20 LOOP
        f := bf_add(f, i * 100);
        SELECT count(*) INTO found FROM numbers WHERE bf_contains(f, n) AND n % 100 = 0;
        sum := sum + found;
    END LOOP;
    RAISE NOTICE 'sum %', sum;
END$$;

-- Rows are counted as read.
CREATE TABLE counted AS SELECT n FROM numbers;
BEGIN;
SELECT count(*) FROM counted WHERE bf_contains(tenth(), n) AND n < 0;
SELECT seq_scan, seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'counted';
ROLLBACK;

-- A volatile condition is evaluated once for each row that passes the filter.
CREATE SEQUENCE calls;
CREATE FUNCTION is_called() RETURNS boolean VOLATILE COST 0.0001 LANGUAGE plpgsql AS 'BEGIN RETURN nextval(''calls'') > 0; END';
SELECT filter_scans('SELECT n FROM numbers WHERE is_called() AND bf_contains(tenth(), n)') AS scans;
SELECT count(*) FROM numbers WHERE is_called() AND bf_contains(tenth(), n);
SELECT last_value FROM calls;

-- Several filters: the one that rejects most rows is tried first, wherever it is written.
CREATE TABLE many AS SELECT n FROM generate_series(1, 60000) n;
CREATE TABLE few AS SELECT n FROM generate_series(1, 20000) n;
CREATE TABLE rates AS SELECT bf_agg(n) FILTER (WHERE n % 10 > 0) AS nearly_all, bf_agg(n) FILTER (WHERE n % 1000 = 0) AS nearly_none
    FROM many;
CREATE FUNCTION nearly_all() RETURNS bloomfilter STABLE LANGUAGE sql AS 'SELECT nearly_all FROM filter_scan.rates';
CREATE FUNCTION nearly_none() RETURNS bloomfilter STABLE LANGUAGE sql AS 'SELECT nearly_none FROM filter_scan.rates';
SELECT condition, probed < 20000 AS few, probed = 60000 AS all
FROM probes('SELECT n FROM many WHERE bf_contains(nearly_all(), n) AND bf_contains(nearly_none(), n)');
-- This is learned on the first two pages, and used in the next scan if the scan is repeated.
SELECT condition, probed < 2000 AS few
FROM probes('SELECT n FROM few WHERE bf_contains(nearly_all(), n) AND bf_contains(nearly_none(), n)') WHERE condition ~ 'all';
SELECT condition, probed < 20000 AS few
FROM probes('SELECT (SELECT count(*) FROM few WHERE bf_contains(nearly_all(), n) AND bf_contains(nearly_none(), n) AND n > s)
    FROM generate_series(1, 10) AS s') WHERE condition ~ 'all';
SELECT (compared('SELECT n FROM many
    WHERE bf_contains((SELECT nearly_all FROM rates), n) AND bf_contains((SELECT nearly_none FROM rates), n)')).*;
-- A filter that no row reaches is not built.
SELECT condition, probed = 0 AS not_reached
FROM probes('SELECT n FROM many WHERE bf_contains(bf_add(bf_create(10), -1), n) AND bf_contains(fails(), n)') WHERE condition ~ 'fails';

-- Few rows of a page reach the second filter. It is stored; or changed, and then copied so that its blocks begin on cache
-- lines; or has several layers.
CREATE TABLE tenth_of_many AS SELECT bf_agg(n) AS f FROM many WHERE n % 10 = 0;
CREATE TABLE seconds AS
    SELECT size, bf_agg(n, size) AS bf, cf_agg(n, size) AS cf
    FROM many, unnest(ARRAY[10000, 350000, 600000]) AS size
    WHERE n % 3 = 0
    GROUP BY size;
INSERT INTO seconds
    SELECT 0, bf_add_all(bf_create(100), array_agg(n)), cf_add_all(cf_create(100), array_agg(n)) FROM many WHERE n % 3 = 0;
SELECT size, type, changed, compared.*
FROM seconds, unnest(ARRAY['bf', 'cf']) AS type, unnest(ARRAY[false, true]) AS changed,
    LATERAL (SELECT format('(SELECT %s FROM seconds WHERE size = %s)', type, size) AS stored) AS filter,
    LATERAL (SELECT CASE WHEN changed THEN format('%s_add(%s, -1)', type, stored) ELSE stored END AS second) AS expression,
    compared(format('SELECT n FROM many WHERE bf_contains((SELECT f FROM tenth_of_many), n) AND %s_contains(%s, n)', type, second))
ORDER BY size, type, changed;

-- A stored filter of 10 MB (1,250 blocks) is fetched once many probes are to be expected, and not for those of a query with
-- a small limit, or that needs one row. Such a query does not probe all rows of a page either.
CREATE TABLE large AS SELECT bf_add(bf_create(8500000), 1) AS f;
CREATE TABLE all_of_many AS SELECT bf_agg(n, 8500000) AS f FROM many;
CREATE FUNCTION blocks(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ' || query INTO plan;
    RETURN (plan #> '{0,Plan,Shared Hit Blocks}')::bigint + (plan #> '{0,Plan,Shared Read Blocks}')::bigint;
END$$;
SELECT blocks('SELECT n FROM many WHERE bf_contains((SELECT f FROM large), n)') BETWEEN 1250 AND 2800 AS fetched,
    blocks('SELECT n FROM many WHERE bf_contains((SELECT f FROM large), n) LIMIT 1') < 1000 AS few;
SELECT blocks('SELECT n FROM many WHERE bf_contains((SELECT f FROM all_of_many), n) LIMIT 1') < 100 AS one,
    blocks('SELECT n FROM many WHERE bf_contains((SELECT f FROM all_of_many), n) LIMIT 20') < 200 AS twenty,
    blocks('SELECT EXISTS (SELECT FROM many WHERE bf_contains((SELECT f FROM all_of_many), n))') < 100 AS exists,
    blocks('SELECT n FROM many WHERE bf_contains((SELECT f FROM all_of_many), n) ORDER BY n LIMIT 20') BETWEEN 1250 AND 2800
        AS sorted;
SELECT probed, rejected FROM probes('SELECT n FROM many WHERE bf_contains((SELECT f FROM all_of_many), n) LIMIT 1');
SELECT probed < 1000 AS few FROM probes('SELECT n FROM many WHERE bf_contains((SELECT f FROM all_of_many), n) LIMIT 20');
SELECT probed >= 59999 AS all FROM probes('SELECT n FROM many WHERE bf_contains((SELECT f FROM all_of_many), n) LIMIT 59999');

-- Parallel scans: each row is probed once, and the workers' counts are included.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT (compared('SELECT count(*), sum(n) FROM many WHERE bf_contains((SELECT n FROM filters), n)')).*;
SELECT (compared('SELECT n FROM parted WHERE bf_contains((SELECT n FROM filters), n)')).*;
SELECT (compared('SELECT n FROM many WHERE bf_contains((SELECT text FROM filters), n)')).*;
SELECT plan_of('SELECT count(*) FROM many WHERE bf_contains((SELECT n FROM filters), n)') @? '$.**.Plans ? (@."Parallel Aware" == true)'
    AS in_parallel;
SELECT sum(probed) AS probed FROM probes('SELECT count(*) FROM many WHERE bf_contains((SELECT n FROM filters), n)');
SELECT (compared('SELECT * FROM sets, LATERAL (SELECT count(*) FROM many WHERE bf_contains((SELECT n FROM filters), n) AND n > s) q'
    )).*;

SET client_min_messages = warning;
DROP SCHEMA filter_scan CASCADE;
