--
-- Joins that filter themselves: the same rows as without it, for every kind of join and key; and what EXPLAIN shows.
--
LOAD 'cuckoo_scan';
CREATE SCHEMA join_filter;
SET search_path = join_filter, public;
-- EXPLAIN VERBOSE shows no query identifier, which pg_stat_statements turns on.
SET compute_query_id = regress;
-- The server may preload cuckoo_join, which turns it on.
SELECT current_setting('cuckoo_scan.enable_join_filter')::boolean =
    (concat(current_setting('shared_preload_libraries'), current_setting('session_preload_libraries')) ~ 'cuckoo_join') AS as_loaded;
SHOW cuckoo_scan.join_filter_min_rows;
SHOW cuckoo_scan.join_filter_max_match_fraction;
SHOW cuckoo_scan.join_filter_max_memory;
\set common `echo "$PG_ABS_SRCDIR"`/sql/common/join_filter.sql
\i :common

-- What EXPLAIN shows.
SET cuckoo_scan.enable_join_filter = on;
EXPLAIN (COSTS OFF) SELECT f.n FROM facts f JOIN dimension d ON f.k = d.id WHERE f.n > 10;
EXPLAIN (COSTS OFF, VERBOSE) SELECT f.n FROM facts f JOIN dimension d ON f.k = d.id AND f.big = d.id + 20;
SELECT filter, key, probed + bypassed AS rows, rejected > 3000 AS many
FROM probes('SELECT f.n FROM facts f JOIN dimension d ON f.k = d.id');
SELECT jsonb_path_query(plan_of('SELECT f.n FROM facts f JOIN dimension d ON f.k = d.id', true), 'strict $.** ? (exists(@."Filter Keys"))')
    - '{Plans,Actual Rows,Actual Loops,Total Cost,Startup Cost,Plan Rows,Plan Width,Async Capable,Disabled}'::text[]
    - ARRAY(SELECT kind || ' ' || event || ' Blocks' FROM unnest(ARRAY['Shared', 'Local', 'Temp']) kind, unnest(ARRAY['Hit', 'Read', 'Dirtied', 'Written']) event)
    AS node;
CREATE FUNCTION explained(format text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    line text;
    lines bigint := 0;
BEGIN
    FOR line IN EXECUTE format('EXPLAIN (ANALYZE, TIMING OFF, FORMAT %s) SELECT f.n FROM facts f JOIN dimension d ON f.k = d.id', format)
    LOOP
        lines := lines + (SELECT count(*) FROM regexp_matches(line, '(runtime filter|Runtime Filter: |Runtime.Filter\W+)1\M', 'g'));
    END LOOP;
    RETURN lines;
END$$;
SELECT format, explained(format) FROM unnest(ARRAY['text', 'json', 'xml', 'yaml']) AS format;

-- The settings.
SELECT EXISTS (SELECT FROM probes('SELECT FROM facts f JOIN dimension d ON f.k = d.id')) AS filtered;
SET cuckoo_scan.join_filter_min_rows = 5000;
SELECT EXISTS (SELECT FROM probes('SELECT FROM facts f JOIN dimension d ON f.k = d.id')) AS filtered;
SET cuckoo_scan.join_filter_min_rows = 0;
SET cuckoo_scan.enable_filter_scan = off;
SELECT EXISTS (SELECT FROM probes('SELECT FROM facts f JOIN dimension d ON f.k = d.id')) AS filtered;
RESET cuckoo_scan.enable_filter_scan;
SET cuckoo_scan.enable_join_filter = off;
SELECT EXISTS (SELECT FROM probes('SELECT FROM facts f JOIN dimension d ON f.k = d.id')) AS filtered;

-- Keys of every type, also of two types that the operator compares.
SELECT condition, c.*
FROM unnest(ARRAY['k = id', 'k = d.small', 'k = d.big', 'f.small = id', 'f.small = d.big', 'f.big = id', 'f.big = d.small', 'f.numeric = d.numeric',
    'f.text = d.text', 'f.varchar = d.varchar', 'f.varchar = d.text', 'f.text = d.varchar', 'f.character = d.character', 'f.text = d.character::text',
    'f.uuid = d.uuid', 'f.float = d.float', 'f.float = d.real', 'f.date = d.date', 'f.date = d.timestamp', 'f.list = d.list',
    'f.holes = d.id', 'f.holes = d.holes', 'f.k = d.holes', 'f.k = d.id + 3', 'f.k = length(d.text)', 'f.k + 0 = d.id', 'f.numeric = d.id',
    'f.k = d.id AND f.big = d.big', 'f.k = d.id AND f.text = d.text', 'f.k = d.id AND f.holes = d.holes', 'f.k = d.id AND f.g <> d.g',
    'f.k = d.id AND f.k + 0 = d.big', 'f.k::bigint = d.big', 'f.small::integer = d.id', 'f.small::bigint = d.big', 'f.k::bigint = d.small', 'f.big::integer = d.id', 'f.k::numeric = d.numeric',
    '(f.k, f.text) = (d.id, d.text)', 'f.k = d.id OR f.big = d.big', 'f.k = d.id AND f.n % 2 = d.g']) AS condition, compared('SELECT f.n, d.id FROM facts f JOIN dimension d ON ' || condition) AS c;
-- Casts that cannot fail, also of keys of subqueries and other joins; not of what is grouped by another type, nor user-defined ones.
CREATE FUNCTION digits(integer) RETURNS text LEAKPROOF STRICT IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1::text; END';
SELECT condition, c.*
FROM unnest(ARRAY['f.k = d.numeric', 'f.small = d.numeric', 'f.big = d.numeric AND f.k = d.id', 'f.k = d.float', 'f.big = d.real', 'f.small = d.float',
    'f.small::integer::numeric = d.numeric', 'f.numeric::float8 = d.float', 'f.float::numeric = d.numeric', 'f.character::text = d.character::text',
    'f.character::text = ''k'' || d.id', 'f.holes = d.numeric', 'f.date = d.timestamp', 'f.text::name = d.text::name', 'f.k::text = d.id::text']) AS condition,
    compared('SELECT f.n, d.id FROM facts f JOIN dimension d ON ' || condition) AS c;
SELECT query, c.*
FROM unnest(ARRAY['SELECT n, k::numeric AS key FROM facts', 'SELECT n, small::numeric AS key FROM facts OFFSET 0', 'SELECT n, k AS key FROM facts OFFSET 0',
    'SELECT k::numeric AS key, count(*) AS n FROM facts GROUP BY 1', 'SELECT k AS key, count(*) AS n FROM facts GROUP BY 1',
    'SELECT f.n, g.k AS key FROM facts f JOIN facts g ON f.k = g.k AND f.n = g.n', 'SELECT f.n, f.k AS key FROM facts f JOIN facts g ON f.k::numeric = g.numeric AND f.n = g.n',
    'WITH q AS MATERIALIZED (SELECT n, k, holes FROM facts) SELECT n, k AS key FROM q', 'WITH q AS MATERIALIZED (SELECT n, k::numeric AS key FROM facts) SELECT n, key FROM q',
    'SELECT n, k::float8 AS key FROM facts OFFSET 0', 'SELECT n, small AS key FROM facts UNION ALL SELECT n, big FROM facts']) AS query,
    compared('SELECT q.n, d.id FROM (' || query || ') AS q JOIN dimension d ON q.key = d.numeric') AS c;
SELECT * FROM compared('SELECT f.n, d.id FROM facts f JOIN dimension d ON digits(f.k) = d.id::text');
-- Domains, enums, rows, ranges; and equality that is not that of bytes.
CREATE DOMAIN small_number AS integer CHECK (VALUE < 5000);
CREATE TYPE colour AS ENUM ('red', 'green', 'blue', 'none');
CREATE TYPE pair AS (a integer, b text);
CREATE COLLATION IF NOT EXISTS posix (locale = 'C');
CREATE TABLE odd_facts AS SELECT n, (n % 500)::small_number AS domain, (enum_range(NULL::colour))[1 + n % 3] AS colour,
    ROW(n % 100, 'x')::pair AS pair, int4range(n % 100, n % 100 + 5) AS range, (n % 50)::numeric / 10 AS scaled, -0.0::float8 * (n % 2) AS zero,
    repeat('long' || n % 20, 1000) AS long, ('text' || n % 100) COLLATE posix AS posix FROM generate_series(1, 1000) n;
CREATE TABLE reals AS SELECT n AS m, (n % 70 - 5)::real AS real FROM generate_series(1, 1000) n;
CREATE TABLE odd AS SELECT (n * 5)::small_number AS domain, CASE WHEN n = 3 THEN 'green' ELSE 'none' END::colour AS colour,
    ROW(n, 'x')::pair AS pair, int4range(n, n + 5) AS range, n::numeric AS scaled, 0.0::float8 AS zero, repeat('long' || n, 1000) AS long,
    ('text' || n) COLLATE posix AS posix FROM generate_series(1, 5) n;
ANALYZE odd_facts, reals, odd;
SELECT * FROM compared('SELECT f.m FROM reals f JOIN dimension d ON f.real::float8 = d.float');
SELECT key, c.*
FROM unnest(ARRAY['domain', 'colour', 'range', 'scaled', 'zero', 'long', 'posix']) AS key, compared(format('SELECT f.n, md5(%1$I::text) FROM odd_facts f JOIN odd d USING (%1$I)', key)) AS c;

-- Rows.
SELECT (compared('SELECT f.n FROM odd_facts f JOIN odd d USING (pair)')).outcome;

-- Kinds of join. The filter is only for a side whose rows are dropped if they have no match.
SELECT query, c.*
FROM unnest(ARRAY[
    'SELECT f.n, d.id FROM facts f LEFT JOIN dimension d ON f.k = d.id',
    'SELECT f.n, d.id FROM facts f RIGHT JOIN dimension d ON f.k = d.id',
    'SELECT f.n, d.id FROM facts f RIGHT JOIN dimension d ON f.k = d.id AND f.g < 20',
    'SELECT f.n, d.id FROM facts f FULL JOIN dimension d ON f.k = d.id',
    'SELECT n FROM facts f WHERE EXISTS (SELECT FROM dimension d WHERE f.k = d.id)',
    'SELECT n FROM facts f WHERE NOT EXISTS (SELECT FROM dimension d WHERE f.k = d.id)',
    'SELECT n FROM facts f WHERE k IN (SELECT id FROM dimension)',
    'SELECT n FROM facts f WHERE k NOT IN (SELECT id FROM dimension)',
    'SELECT id FROM dimension d WHERE EXISTS (SELECT FROM facts f WHERE f.k = d.id)',
    'SELECT n FROM facts f JOIN dimension d ON f.k = d.id WHERE false',
    'SELECT n FROM facts f JOIN (SELECT * FROM dimension WHERE id < 0) d ON f.k = d.id',
    'SELECT f.n, h.n FROM facts f JOIN facts h ON f.k = h.n WHERE h.g = 3',
    'SELECT f.n FROM facts f CROSS JOIN dimension d WHERE d.id = 10']) AS query, compared(query) AS c;

-- Since 16, this can be a join that hashes the rows that are kept.
SELECT (compared('SELECT id FROM dimension d WHERE NOT EXISTS (SELECT FROM facts f WHERE f.k = d.id)')).outcome;

-- Several joins.
SELECT query, c.*
FROM unnest(ARRAY[
    'SELECT n FROM facts f JOIN dimension d ON f.k = d.id JOIN other o ON f.big = o.id',
    'SELECT n FROM facts f JOIN dimension d ON f.k = d.id JOIN other o ON f.k = o.id',
    'SELECT n, o.id FROM facts f JOIN dimension d ON f.k = d.id LEFT JOIN other o ON f.big = o.id',
    'SELECT n, d.id FROM facts f LEFT JOIN dimension d ON f.k = d.id JOIN other o ON f.big = o.id',
    'SELECT n, d.id FROM facts f LEFT JOIN dimension d ON f.k = d.id JOIN other o ON d.id = o.id',
    'SELECT n, d.id FROM (facts f FULL JOIN dimension d ON f.k = d.id) JOIN other o ON f.big = o.id',
    'SELECT n FROM facts f JOIN (SELECT d.id FROM dimension d LEFT JOIN other o ON d.id = o.id OFFSET 0) q ON f.k = q.id',
    'SELECT n FROM (SELECT n, k, id FROM facts f RIGHT JOIN dimension d ON f.k = d.id OFFSET 0) q JOIN other o ON q.k = o.id',
    'SELECT f.n, h.n FROM facts f JOIN facts h ON f.n = h.k JOIN other o ON h.big = o.id AND f.g = o.g']) AS query, compared(query) AS c;
SELECT filter, key, rejected > 0 AS rejects FROM probes('SELECT n FROM facts f JOIN dimension d ON f.k = d.id JOIN other o ON f.big = o.id')
ORDER BY key;

-- A filter does not reach the columns that other joins compare with its key.
SET join_collapse_limit = 1;
SELECT query, (SELECT string_agg(filter || ': ' || key, ', ' ORDER BY filter, key) FROM probes(query, false)) AS probes, (compared(query)).outcome
FROM unnest(ARRAY[
    'SELECT f.n FROM facts f JOIN facts h ON f.k = h.n JOIN dimension d ON f.k = d.id',
    'SELECT f.n FROM facts f JOIN facts h ON f.k = h.big JOIN dimension d ON f.k = d.id AND d.g = 1',
    'SELECT f.n FROM facts f JOIN facts h ON f.numeric = h.numeric JOIN dimension d ON f.numeric = d.numeric AND d.g = 1 AND f.g = 3 AND h.k < 50']) AS query;
SELECT query, c.*
FROM unnest(ARRAY[
    'SELECT f.n, h.n FROM facts f LEFT JOIN facts h ON f.k = h.n JOIN dimension d ON f.k = d.id AND d.g = 1',
    'SELECT f.n, h.n FROM facts f RIGHT JOIN facts h ON f.k = h.n JOIN dimension d ON h.n = d.id AND d.g = 1',
    'SELECT f.n, h.n FROM facts f FULL JOIN facts h ON f.k = h.n JOIN dimension d ON h.n = d.id AND d.g = 1',
    'SELECT f.n FROM facts f JOIN dimension d ON f.k = d.id AND d.g = 1 WHERE EXISTS (SELECT FROM facts h WHERE f.k = h.n)',
    'SELECT f.n FROM facts f JOIN dimension d ON f.k = d.id AND d.g < 4 WHERE NOT EXISTS (SELECT FROM facts h WHERE f.k = h.n AND h.g < 20)',
    'SELECT f.n, c FROM facts f JOIN (SELECT n, count(*) AS c FROM facts GROUP BY n) h ON f.k = h.n JOIN dimension d ON f.k = d.id AND d.g = 1',
    'SELECT f.n, c FROM facts f LEFT JOIN (SELECT n, count(*) AS c FROM facts GROUP BY n) h ON f.k = h.n JOIN dimension d ON f.k = d.id AND d.g = 1',
    'SELECT r.m, f.n FROM reals r JOIN facts f ON r.real = f.float JOIN dimension d ON r.real = d.real AND d.g = 1',
    'SELECT f.n FROM facts f JOIN facts h ON f.g = h.g AND f.k = h.n JOIN dimension d ON f.k = d.id AND d.g = 1',
    'SELECT f.n FROM facts f JOIN facts h ON f.k = h.n AND f.g = h.g JOIN dimension d ON f.k = d.id AND d.g = 1',
    'SELECT f.n, h.n FROM facts f LEFT JOIN facts h ON f.k = h.n LEFT JOIN dimension d ON f.k = d.id AND d.g = 1']) AS query, compared(query) AS c;
SET enable_mergejoin = on;
SET enable_hashjoin = off;
SELECT (compared('SELECT f.n, h.n FROM facts f JOIN facts h ON f.k = h.n JOIN dimension d ON f.k = d.id AND d.g = 1')).outcome;
RESET enable_hashjoin;
SET enable_mergejoin = off;
RESET join_collapse_limit;

SET client_min_messages = warning;
DROP SCHEMA join_filter CASCADE;
