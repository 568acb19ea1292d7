--
-- Joins that filter themselves: the same rows as without it, for every kind of join, key and query.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS cuckoo_filter;
LOAD 'cuckoo_filter';
CREATE SCHEMA join_filter;
SET search_path = join_filter, public;
RESET client_min_messages;
SET max_parallel_workers_per_gather = 0;
SHOW cuckoo_filter.join_filter;
SHOW cuckoo_filter.join_filter_min_rows;
SHOW cuckoo_filter.join_filter_max_matches;
SHOW cuckoo_filter.join_filter_memory;
SET cuckoo_filter.join_filter_min_rows = 0;
SET enable_mergejoin = off;
SET enable_nestloop = off;

-- A query's plan as JSON, with actual rows if `analyzed`.
CREATE FUNCTION plan_of(query text, analyzed boolean DEFAULT false) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE format('EXPLAIN (%s FORMAT JSON) %s', CASE WHEN analyzed THEN 'ANALYZE, TIMING OFF,' END, query) INTO plan;
    RETURN plan;
END$$;
-- The join filters that scans probe.
CREATE FUNCTION probes(query text, analyzed boolean DEFAULT true)
RETURNS TABLE (filter integer, key text, probed bigint, rejected bigint, bypassed bigint) LANGUAGE sql AS $$
    SELECT (probe->'Join Filter')::integer, probe->>'Key', (probe->'Rows Probed')::bigint, (probe->'Rows Rejected')::bigint,
        (probe->'Rows Bypassed')::bigint
    FROM jsonb_path_query(plan_of(query, analyzed), 'strict $.**."Probes"[*]') AS probe
    WHERE probe ? 'Join Filter'
$$;
-- The rows of a query, sorted, or the error that it raises.
CREATE FUNCTION outcome(query text, filtered boolean) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    result text[];
BEGIN
    PERFORM set_config('cuckoo_filter.join_filter', filtered::text, false);
    EXECUTE 'SELECT array_agg(q::text ORDER BY q::text) FROM (' || query || ') AS q' INTO result;
    RETURN coalesce(result, '{}');
EXCEPTION WHEN OTHERS THEN
    RETURN ARRAY[SQLSTATE, SQLERRM];
END$$;
-- With filters and without: the number of rows, or the error, or that they differ; and whether scans probe a filter.
CREATE FUNCTION compared(query text, OUT filtered boolean, OUT outcome text) LANGUAGE plpgsql AS $$
DECLARE
    with_filter text[] := outcome(query, true);
    without text[] := outcome(query, false);
BEGIN
    SET cuckoo_filter.join_filter = on;
    filtered := EXISTS (SELECT FROM probes(query, false));
    outcome := CASE WHEN with_filter IS DISTINCT FROM without
            THEN format('DIFFERENT: %s rows with filters, %s without', cardinality(with_filter), cardinality(without))
        WHEN without[1] ~ '^[0-9A-Z]{5}$' THEN format('error %s: %s', without[1], without[2])
        ELSE format('%s rows', cardinality(without)) END;
END$$;

CREATE TABLE facts AS
    SELECT n, n % 500 AS k, (n % 300)::smallint AS small, (n % 700)::bigint AS big, (n % 90)::numeric AS numeric, n % 40 AS g,
        'key ' || n % 250 AS text, ('key ' || n % 260)::varchar(20) AS varchar, ('k' || n % 80)::char(10) AS character,
        md5((n % 333)::text)::uuid AS uuid, (n % 50)::float8 AS float, date '2026-01-01' + n % 400 AS date,
        ARRAY[n % 30, 1] AS list, CASE WHEN n % 3 > 0 THEN n % 100 END AS holes
    FROM generate_series(1, 4000) AS n;
CREATE TABLE dimension AS
    SELECT n * 10 AS id, (n * 10)::smallint AS small, (n * 10)::bigint AS big, (n * 10)::numeric / 1.00 AS numeric, 'key ' || n * 10 AS text,
        ('key ' || n * 10)::varchar(20) AS varchar, ('k' || n * 10)::char(20) AS character, md5((n * 10)::text)::uuid AS uuid,
        (n * 10)::float4 AS real, (n * 10)::float8 AS float, date '2026-01-01' + n * 10 AS date,
        timestamp '2026-01-01' + n * 10 * interval '1 day' AS timestamp, ARRAY[n * 10, 1] AS list,
        CASE WHEN n % 2 = 0 THEN n * 10 END AS holes, n % 7 AS g
    FROM generate_series(0, 60) AS n;
CREATE TABLE other AS SELECT n * 7 AS id, n % 5 AS g FROM generate_series(0, 50) AS n;
ANALYZE facts, dimension, other;

-- What EXPLAIN shows.
SET cuckoo_filter.join_filter = on;
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
        lines := lines + (SELECT count(*) FROM regexp_matches(line, '(join filter|Join Filter: |Join.Filter\W+)1\M', 'g'));
    END LOOP;
    RETURN lines;
END$$;
SELECT format, explained(format) FROM unnest(ARRAY['text', 'json', 'xml', 'yaml']) AS format;

-- The settings.
SELECT EXISTS (SELECT FROM probes('SELECT FROM facts f JOIN dimension d ON f.k = d.id')) AS filtered;
SET cuckoo_filter.join_filter_min_rows = 5000;
SELECT EXISTS (SELECT FROM probes('SELECT FROM facts f JOIN dimension d ON f.k = d.id')) AS filtered;
SET cuckoo_filter.join_filter_min_rows = 0;
SET cuckoo_filter.enable_filter_scan = off;
SELECT EXISTS (SELECT FROM probes('SELECT FROM facts f JOIN dimension d ON f.k = d.id')) AS filtered;
RESET cuckoo_filter.enable_filter_scan;
SET cuckoo_filter.join_filter = off;
SELECT EXISTS (SELECT FROM probes('SELECT FROM facts f JOIN dimension d ON f.k = d.id')) AS filtered;

-- Keys of every type, also of two types that the operator compares.
SELECT condition, (compared('SELECT f.n, d.id FROM facts f JOIN dimension d ON ' || condition)).*
FROM unnest(ARRAY['k = id', 'k = d.small', 'k = d.big', 'f.small = id', 'f.small = d.big', 'f.big = id', 'f.big = d.small', 'f.numeric = d.numeric',
    'f.text = d.text', 'f.varchar = d.varchar', 'f.varchar = d.text', 'f.text = d.varchar', 'f.character = d.character', 'f.text = d.character::text',
    'f.uuid = d.uuid', 'f.float = d.float', 'f.float = d.real', 'f.date = d.date', 'f.date = d.timestamp', 'f.list = d.list',
    'f.holes = d.id', 'f.holes = d.holes', 'f.k = d.holes', 'f.k = d.id + 3', 'f.k = length(d.text)', 'f.k + 0 = d.id', 'f.numeric = d.id',
    'f.k = d.id AND f.big = d.big', 'f.k = d.id AND f.text = d.text', 'f.k = d.id AND f.holes = d.holes', 'f.k = d.id AND f.g <> d.g',
    'f.k = d.id AND f.k + 0 = d.big', 'f.k::bigint = d.big', 'f.small::integer = d.id', 'f.small::bigint = d.big', 'f.k::bigint = d.small', 'f.big::integer = d.id', 'f.k::numeric = d.numeric',
    '(f.k, f.text) = (d.id, d.text)', 'f.k = d.id OR f.big = d.big', 'f.k = d.id AND f.n % 2 = d.g']) AS condition;
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
SELECT (compared('SELECT f.m FROM reals f JOIN dimension d ON f.real::float8 = d.float')).*;
SELECT key, (compared(format('SELECT f.n, md5(%1$I::text) FROM odd_facts f JOIN odd d USING (%1$I)', key))).*
FROM unnest(ARRAY['domain', 'colour', 'range', 'scaled', 'zero', 'long', 'posix']) AS key;

-- Rows.
SELECT (compared('SELECT f.n FROM odd_facts f JOIN odd d USING (pair)')).outcome;

-- Kinds of join. The filter is only for a side whose rows are dropped if they have no match.
SELECT query, (compared(query)).*
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
    'SELECT f.n FROM facts f CROSS JOIN dimension d WHERE d.id = 10']) AS query;

-- Since 16, this can be a join that hashes the rows that are kept.
SELECT (compared('SELECT id FROM dimension d WHERE NOT EXISTS (SELECT FROM facts f WHERE f.k = d.id)')).outcome;

-- Several joins.
SELECT query, (compared(query)).*
FROM unnest(ARRAY[
    'SELECT n FROM facts f JOIN dimension d ON f.k = d.id JOIN other o ON f.big = o.id',
    'SELECT n FROM facts f JOIN dimension d ON f.k = d.id JOIN other o ON f.k = o.id',
    'SELECT n, o.id FROM facts f JOIN dimension d ON f.k = d.id LEFT JOIN other o ON f.big = o.id',
    'SELECT n, d.id FROM facts f LEFT JOIN dimension d ON f.k = d.id JOIN other o ON f.big = o.id',
    'SELECT n, d.id FROM facts f LEFT JOIN dimension d ON f.k = d.id JOIN other o ON d.id = o.id',
    'SELECT n, d.id FROM (facts f FULL JOIN dimension d ON f.k = d.id) JOIN other o ON f.big = o.id',
    'SELECT n FROM facts f JOIN (SELECT d.id FROM dimension d LEFT JOIN other o ON d.id = o.id OFFSET 0) q ON f.k = q.id',
    'SELECT n FROM (SELECT n, k, id FROM facts f RIGHT JOIN dimension d ON f.k = d.id OFFSET 0) q JOIN other o ON q.k = o.id',
    'SELECT f.n, h.n FROM facts f JOIN facts h ON f.n = h.k JOIN other o ON h.big = o.id AND f.g = o.g']) AS query;
SELECT filter, key, rejected > 0 AS rejects FROM probes('SELECT n FROM facts f JOIN dimension d ON f.k = d.id JOIN other o ON f.big = o.id')
ORDER BY key;

-- Where the larger side is hashed, the filter is made of the other one, whose rows are read ahead. The planner hashes the
-- larger side here, since a hash table of the smaller one would have few chains.
CREATE TABLE skewed AS SELECT 10 * (n % 3) + 10 AS id, n AS m, n % 5 AS g, 10 * (n % 3)::real + 10 AS real FROM generate_series(1, 150) AS n;
CREATE TABLE many AS SELECT 10 * (n % 3) + 10 AS id, n AS m, repeat('x', 400) AS x FROM generate_series(1, 500) AS n;
CREATE TABLE many_facts AS SELECT n FROM generate_series(1, 40000) AS n;
ANALYZE skewed, many, many_facts;
-- Whether a join's filter is made of the rows that it does not hash.
CREATE FUNCTION reads_ahead(query text) RETURNS boolean LANGUAGE sql AS $$
    SELECT jsonb_path_exists(plan_of(query), 'strict $.** ? (@."Node Type" == "Hash Join").Plans[*] ? (exists(@."Join Filter"))')
$$;
SELECT query, reads_ahead(query), (compared(query)).*
FROM unnest(ARRAY[
    'SELECT s.m, f.n, f.text FROM skewed s JOIN facts f ON s.id = f.n',
    'SELECT s.m, f.n FROM skewed s JOIN facts f ON s.id = f.n AND s.m > f.big',
    'SELECT s.m, f.n FROM skewed s JOIN facts f ON s.id = f.n AND s.g = f.g',
    'SELECT s.m, f.n FROM skewed s LEFT JOIN facts f ON s.id = f.n AND f.k < 30',
    'SELECT s.m, f.n FROM skewed s RIGHT JOIN facts f ON s.id = f.n',
    'SELECT s.m, f.n FROM skewed s FULL JOIN facts f ON s.id = f.n',
    'SELECT m FROM skewed s WHERE EXISTS (SELECT FROM facts f WHERE s.id = f.n AND s.m <> f.k)',
    'SELECT s.m, f.n FROM skewed s JOIN facts f ON s.real = f.n::real',
    'SELECT s.m, f.n FROM (SELECT * FROM skewed WHERE m < 0) s JOIN facts f ON s.id = f.n',
    'SELECT s.m, f.n FROM (SELECT * FROM skewed WHERE m < 0) s LEFT JOIN facts f ON s.id = f.n',
    'SELECT s.m, f.n FROM (SELECT m, CASE WHEN m > 20 THEN id END AS id FROM skewed OFFSET 0) s JOIN facts f ON s.id = f.n',
    'SELECT s.m, f.n FROM (SELECT m, CASE WHEN m > 20 THEN id END AS id FROM skewed OFFSET 0) s LEFT JOIN facts f ON s.id = f.n',
    'SELECT s.m, q.* FROM skewed s JOIN (SELECT n, count(*), max(text) FROM facts GROUP BY n) q ON s.id = q.n',
    'SELECT s.m, q.* FROM skewed s LEFT JOIN (SELECT n, count(*), max(text) FROM facts GROUP BY n) q ON s.id = q.n',
    'SELECT s.m, q.* FROM skewed s JOIN (SELECT n, k FROM facts ORDER BY n LIMIT 3500) q ON s.id = q.n',
    'SELECT s.m, q.* FROM skewed s JOIN (SELECT n, k FROM facts UNION ALL SELECT n, g FROM facts) q ON s.id = q.n',
    'SELECT s.m, f.n FROM skewed s JOIN facts f ON s.id = f.n JOIN dimension d ON f.k = d.id LEFT JOIN other o ON s.m = o.id',
    'SELECT s.m, f.n FROM skewed s JOIN facts f ON s.id = f.n JOIN facts h ON h.n = s.id',
    'SELECT m, n FROM (SELECT s.m, f.n FROM skewed s JOIN facts f ON s.id = f.n ORDER BY m, n LIMIT 3) q']) AS query;
SELECT (compared('SELECT m FROM skewed s WHERE NOT EXISTS (SELECT FROM facts f WHERE s.id = f.n AND s.m <> f.k)')).outcome;
-- Executed again: the rows that were read ahead are kept, unless they change.
SELECT query, reads_ahead(query), (compared(query)).*
FROM unnest(ARRAY[
    'SELECT o.id, (SELECT count(*) FROM skewed s JOIN facts f ON s.id = f.n WHERE s.g = o.g) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM skewed s JOIN many_facts f ON s.id = f.n WHERE f.n > o.g * 10) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM skewed s JOIN facts f ON s.id = f.n + o.g) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM skewed s JOIN facts f ON s.id = f.n WHERE s.g < (SELECT max(g) FROM other) AND f.k <> o.g) FROM other o',
    'SELECT o.id, EXISTS (SELECT FROM skewed s JOIN many_facts f ON s.id = f.n WHERE f.n > o.id) FROM other o',
    'WITH RECURSIVE r(k) AS (SELECT 10 UNION SELECT f.n + 10 FROM r JOIN facts f ON f.n = r.k WHERE f.n < 100) SELECT * FROM r']) AS query;
SELECT (compared('WITH q AS MATERIALIZED (SELECT * FROM skewed) SELECT o.id, (SELECT count(*) FROM q JOIN many_facts f ON q.id = f.n WHERE f.n > o.g * 10) FROM other o')).outcome;
BEGIN;
DECLARE ahead SCROLL CURSOR FOR SELECT m, n FROM skewed s JOIN facts f ON s.id = f.n ORDER BY m;
MOVE 20 IN ahead;
FETCH BACKWARD 2 FROM ahead;
FETCH FIRST FROM ahead;
ROLLBACK;
-- If they take too much memory, there is no filter.
SET cuckoo_filter.join_filter_memory = '64kB';
SELECT query, reads_ahead(query), (compared(query)).*, rejected > 0 AS rejects
FROM unnest(ARRAY['SELECT s.*, f.* FROM many s JOIN many_facts f ON s.id = f.n',
    'SELECT s.id, f.* FROM many s JOIN many_facts f ON s.id = f.n',
    'SELECT s.*, f.* FROM many s LEFT JOIN many_facts f ON s.id = f.n']) AS query, probes(query);
SELECT (compared('SELECT o.id, (SELECT count(*) FROM (SELECT m, n, x FROM many s JOIN many_facts f ON s.id = f.n
    WHERE f.n > o.g LIMIT 300) q) FROM other o WHERE o.id < 40')).*;
RESET cuckoo_filter.join_filter_memory;

-- A nested loop that looks up rows of another table: the keys of those that there are come from a scan of that table.
CREATE TABLE looked_up AS SELECT n AS id, n % 50 AS g, n::bigint AS big, 'key ' || n AS text FROM generate_series(1, 2000) AS n;
CREATE INDEX ON looked_up (id);
CREATE INDEX ON looked_up (big);
CREATE INDEX ON looked_up (text);
ANALYZE looked_up;
CREATE FUNCTION reads_table(query text) RETURNS boolean LANGUAGE sql AS $$
    SELECT jsonb_path_exists(plan_of(query), 'strict $.** ? (@."Node Type" == "Nested Loop").Plans[*] ? (exists(@."Join Filter"))')
$$;
SET enable_nestloop = on;
SET enable_hashjoin = off;
SET enable_material = off;
SELECT query, reads_table(query), (compared(query)).*
FROM unnest(ARRAY[
    'SELECT f.n, l.g FROM many_facts f JOIN looked_up l ON f.n = l.id AND l.g < 3',
    'SELECT f.n, l.g FROM many_facts f JOIN looked_up l ON f.n = l.big AND l.g < 3',
    'SELECT f.n, l.g FROM many_facts f JOIN looked_up l ON f.n::bigint = l.big AND l.g < 3',
    'SELECT f.n, l.g FROM many_facts f JOIN looked_up l ON f.n = l.id AND l.g < 3 AND l.text > ''key 5''',
    'SELECT f.n, l.g FROM many_facts f JOIN looked_up l ON f.n = l.id AND l.g < 3 AND l.big <> f.n - 1',
    'SELECT f.n, l.g FROM many_facts f JOIN looked_up l ON f.n = l.id AND l.g < (SELECT min(g) + 3 FROM other)',
    'SELECT f.n, l.g FROM many_facts f JOIN looked_up l ON f.n = l.id',
    'SELECT f.n, l.g FROM many_facts f LEFT JOIN looked_up l ON f.n = l.id AND l.g < 3',
    'SELECT f.n FROM many_facts f WHERE EXISTS (SELECT FROM looked_up l WHERE f.n = l.id AND l.g < 3)',
    'SELECT f.n FROM many_facts f WHERE NOT EXISTS (SELECT FROM looked_up l WHERE f.n = l.id AND l.g < 3)',
    'SELECT o.id, (SELECT count(*) FROM many_facts f JOIN looked_up l ON f.n = l.id AND l.g < 3 WHERE f.n > o.g) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM (SELECT n FROM many_facts ORDER BY n OFFSET 0) f JOIN looked_up l ON f.n = l.id AND l.g < 3 AND l.big > o.g) FROM other o']) AS query;
SELECT rejected > 39000 AS many, bypassed < 1000 AS few FROM probes('SELECT f.n, l.g FROM many_facts f JOIN looked_up l ON f.n = l.id AND l.g < 3');
-- In an index that has all columns that are needed, with and without conditions.
CREATE TABLE covered (id integer, filler text, g integer, v varchar(20), n numeric);
INSERT INTO covered SELECT n, 'filler', n % 50, 'key ' || n, n FROM generate_series(1, 2000) AS n;
CREATE INDEX ON covered (g, id);
CREATE INDEX ON covered (id) INCLUDE (g, n);
CREATE INDEX ON covered (v) INCLUDE (g);
CREATE TABLE many_texts AS SELECT n, 'key ' || n AS text, ('key ' || n)::varchar(30) AS varchar FROM generate_series(1, 40000) AS n;
VACUUM ANALYZE covered, many_texts;
CREATE FUNCTION index_only(query text) RETURNS boolean LANGUAGE sql AS $$
    SELECT jsonb_path_exists(plan_of(query), 'strict $.** ? (@."Node Type" == "Index Only Scan")')
$$;
SELECT query, index_only(query), reads_table(query), (compared(query)).*
FROM unnest(ARRAY[
    'SELECT f.n, c.g FROM many_facts f JOIN covered c ON f.n = c.id AND c.g < 3',
    'SELECT f.n FROM many_facts f JOIN covered c ON f.n = c.id AND c.g = 3',
    'SELECT f.n, c.n FROM many_facts f JOIN covered c ON f.n = c.id AND c.n < 100',
    'SELECT f.n FROM many_facts f JOIN covered c ON f.n = c.id',
    'SELECT f.n FROM many_facts f WHERE EXISTS (SELECT FROM covered c WHERE f.n = c.id)',
    'SELECT m.n, c.g FROM many_texts m JOIN covered c ON m.text = c.v AND c.g < 3',
    'SELECT m.n, c.g FROM many_texts m JOIN covered c ON m.varchar = c.v AND c.v > ''key 5''',
    'SELECT f.n FROM many_facts f WHERE f.n IN (SELECT id FROM covered c WHERE c.g = (SELECT min(g) + 3 FROM other))']) AS query;
DROP TABLE covered, many_texts;
-- By two columns of an index; and in a table that has grown since it was analyzed.
CREATE TABLE pairs AS SELECT n % 400 AS a, n / 400 AS b, n % 50 AS g FROM generate_series(1, 2000) AS n;
CREATE INDEX ON pairs (a, b);
CREATE TABLE many_pairs AS SELECT n % 997 AS a, n % 13 AS b, n FROM generate_series(1, 40000) AS n;
ANALYZE pairs, many_pairs;
SELECT query, reads_table(query), (SELECT string_agg(key, ', ') FROM probes(query, false)) AS probes, (compared(query)).*
FROM unnest(ARRAY[
    'SELECT m.n, p.g FROM many_pairs m JOIN pairs p ON m.a = p.a AND m.b = p.b AND p.g < 3',
    'SELECT m.n, p.g FROM many_pairs m JOIN pairs p ON p.b = m.b AND p.a = m.a AND p.g < 3',
    'SELECT m.n, p.g FROM many_pairs m JOIN pairs p ON m.a = p.a AND p.b = 2 AND p.g < 3',
    'SELECT m.n, p.g FROM many_pairs m JOIN pairs p ON m.a = p.a AND m.b < p.b AND p.g < 3',
    'SELECT m.n, p.g FROM many_pairs m JOIN many_facts f ON f.n = m.n + 39000 JOIN pairs p ON m.a = p.a AND f.n = p.b + 39000 AND p.g < 3']) AS query;
CREATE TABLE grown (id integer, g integer) WITH (autovacuum_enabled = off);
CREATE INDEX ON grown (id);
ANALYZE grown;
INSERT INTO grown SELECT n, n % 50 FROM generate_series(1, 400000) AS n;
SELECT query, reads_table(query), (compared(query)).*
FROM unnest(ARRAY['SELECT f.n, l.g FROM many_facts f JOIN grown l ON f.n = l.id AND l.g = 3 WHERE f.n < 100']) AS query;
DROP TABLE grown;
-- Not in a serializable transaction, whichever transaction the plan was made in: it would lock the whole table.
CREATE TABLE emptied WITH (autovacuum_enabled = off) AS SELECT n FROM generate_series(1, 60000) AS n;
ANALYZE emptied;
DELETE FROM emptied;
SET plan_cache_mode = force_generic_plan;
SET cuckoo_filter.join_filter = on;
PREPARE looking_up AS SELECT count(*) FROM emptied e JOIN looked_up l ON e.n = l.id AND l.g < 3;
EXECUTE looking_up;
SELECT reads_table('EXECUTE looking_up');
BEGIN ISOLATION LEVEL SERIALIZABLE;
EXECUTE looking_up;
SELECT relation::regclass FROM pg_locks WHERE mode = 'SIReadLock' AND locktype = 'relation' AND pid = pg_backend_pid();
COMMIT;
EXECUTE looking_up;
DEALLOCATE looking_up;
RESET plan_cache_mode;
RESET enable_material;
RESET enable_hashjoin;
SET enable_nestloop = off;

-- A filter also reaches the columns that other joins compare with its key.
SET join_collapse_limit = 1;
SELECT query, (SELECT string_agg(filter || ': ' || key, ', ' ORDER BY filter, key) FROM probes(query, false)) AS probes, (compared(query)).outcome
FROM unnest(ARRAY[
    'SELECT f.n FROM facts f JOIN facts h ON f.k = h.n JOIN dimension d ON f.k = d.id',
    'SELECT f.n FROM facts f JOIN facts h ON f.k = h.big JOIN dimension d ON f.k = d.id AND d.g = 1',
    'SELECT f.n FROM facts f JOIN facts h ON f.numeric = h.numeric JOIN dimension d ON f.numeric = d.numeric AND d.g = 1 AND f.g = 3 AND h.k < 50']) AS query;
SELECT query, (compared(query)).*
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
    'SELECT f.n, h.n FROM facts f LEFT JOIN facts h ON f.k = h.n LEFT JOIN dimension d ON f.k = d.id AND d.g = 1']) AS query;
SET enable_mergejoin = on;
SET enable_hashjoin = off;
SELECT (compared('SELECT f.n, h.n FROM facts f JOIN facts h ON f.k = h.n JOIN dimension d ON f.k = d.id AND d.g = 1')).outcome;
RESET enable_hashjoin;
SET enable_mergejoin = off;
RESET join_collapse_limit;

-- Subqueries, grouping, sets; and those that rows cannot be removed from.
SELECT query, (compared('SELECT * FROM (' || query || ') AS q JOIN dimension d ON q.k = d.id')).*
FROM unnest(ARRAY[
    'SELECT k, n FROM facts OFFSET 0',
    'SELECT k, count(*), sum(n) FROM facts GROUP BY k',
    'SELECT k, g, count(*) FROM facts GROUP BY k, g HAVING count(*) > 0',
    'SELECT g AS k, count(*) FROM facts GROUP BY g',
    'SELECT max(k) AS k, count(*) FROM facts GROUP BY g',
    'SELECT k, g, count(*) FROM facts GROUP BY GROUPING SETS ((k), (g), (k, g))',
    'SELECT k, count(*) FROM facts GROUP BY ROLLUP (k)',
    'SELECT k, n FROM facts ORDER BY n DESC OFFSET 0',
    'SELECT k, n FROM facts ORDER BY n LIMIT 1000',
    'SELECT k, n FROM facts ORDER BY n OFFSET 3000',
    'SELECT DISTINCT k FROM facts',
    'SELECT DISTINCT ON (n % 7) k, g, n FROM facts ORDER BY n % 7, n',
    'SELECT k, row_number() OVER (ORDER BY n) FROM facts',
    'SELECT k, count(*) OVER (PARTITION BY k) FROM facts',
    'SELECT k, sum(n) OVER (PARTITION BY g) FROM facts',
    'SELECT k, generate_series(1, 2) AS s FROM facts',
    'SELECT k + 0 AS k, n FROM facts OFFSET 0',
    'SELECT small::integer AS k, n FROM facts OFFSET 0',
    'SELECT small::integer AS k, count(*) FROM facts GROUP BY small::integer',
    'SELECT small::integer AS k, count(*) FROM facts GROUP BY small',
    'SELECT k FROM facts UNION ALL SELECT id FROM other',
    'SELECT k FROM facts UNION ALL SELECT big::integer FROM facts',
    'SELECT k FROM facts UNION SELECT id FROM other',
    'SELECT k FROM facts INTERSECT SELECT id FROM other',
    'SELECT k FROM facts EXCEPT SELECT id FROM other',
    'SELECT k, n FROM facts TABLESAMPLE BERNOULLI (100) REPEATABLE (1)',
    'SELECT k, n FROM facts WHERE n > (SELECT min(id) FROM other)',
    'SELECT k, n, (SELECT o.id FROM other o WHERE o.id = f.n) FROM facts f OFFSET 0',
    'SELECT k, random() < 2 FROM facts OFFSET 0',
    'SELECT k, n FROM facts WHERE random() < 2',
    'SELECT k, ctid, tableoid::regclass FROM facts',
    'WITH q AS (SELECT k, n FROM facts) SELECT * FROM q',
    'WITH q AS MATERIALIZED (SELECT k, n FROM facts) SELECT * FROM q']) AS query;
-- Rows that are equal where they are grouped, and not where they are joined.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS citext;
RESET client_min_messages;
CREATE TABLE names AS SELECT CASE WHEN n % 2 = 0 THEN 'Name' ELSE 'name' END || n / 2 AS name FROM generate_series(0, 999) n;
ALTER TABLE names ALTER name TYPE citext;
CREATE TABLE few AS SELECT 'Name' || n * 10 AS name FROM generate_series(1, 9) n;
ANALYZE names, few;
SELECT (compared('SELECT q.name, d.name, count FROM (SELECT name::citext, count(*) FROM names GROUP BY name) q JOIN few d ON q.name::text = d.name')).*;
SELECT (compared('SELECT q.name, d.name, count FROM (SELECT name::citext, count(*) FROM names GROUP BY name) q JOIN few d ON q.name = d.name::citext')).*;

-- Tables.
CREATE TABLE parted (n integer, k integer, text text) PARTITION BY RANGE (n);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (1000);
CREATE TABLE parted_2 (text text, extra integer, k integer, n integer);
ALTER TABLE parted_2 DROP extra;
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (1000) TO (5000);
INSERT INTO parted SELECT n, k, text FROM facts;
CREATE TABLE parent (n integer, k integer);
CREATE TABLE child (x text) INHERITS (parent);
INSERT INTO parent SELECT n, k FROM facts WHERE n < 500;
INSERT INTO child SELECT n, k, text FROM facts WHERE n >= 500;
CREATE TEMP TABLE temporary AS SELECT n, k FROM facts;
CREATE MATERIALIZED VIEW materialized AS SELECT n, k FROM facts;
CREATE VIEW view AS SELECT n, k FROM facts WHERE n % 2 = 0;
CREATE VIEW barrier WITH (security_barrier) AS SELECT n, k FROM facts WHERE n % 2 = 0;
ANALYZE parted, parent, child, temporary, materialized;
SELECT source, (compared('SELECT n, k FROM ' || source || ' AS f JOIN dimension d ON f.k = d.id')).*
FROM unnest(ARRAY['parted', 'parent', 'ONLY parent', 'temporary', 'materialized', 'view', 'barrier', 'generate_series(1, 4000) AS n, LATERAL (SELECT n AS k)',
    '(SELECT * FROM (VALUES (1, 10), (2, 11), (3, 20)) AS v(n, k))']) AS source;

--
-- Executions.
--

-- A join that is executed again, with other rows on one side or the other.
SELECT query, (compared(query)).*
FROM unnest(ARRAY[
    'SELECT o.id, (SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = o.g) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id WHERE f.g = o.g) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id + o.g) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id AND d.g = (SELECT o.g)) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id AND f.g < (SELECT max(g) FROM other)) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id AND d.g < (SELECT max(g) FROM other)) FROM other o',
    'SELECT o.id, q.n FROM other o, LATERAL (SELECT f.n FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = o.g ORDER BY f.n LIMIT 3) q',
    'SELECT o.id, q.n FROM other o, LATERAL (SELECT f.n FROM facts f JOIN dimension d ON f.k = d.id WHERE f.g = o.g ORDER BY f.n LIMIT 3) q',
    'SELECT o.id, EXISTS (SELECT FROM facts f JOIN dimension d ON f.k = d.id WHERE f.n > o.id * 100 AND d.g >= o.g) FROM other o',
    'WITH RECURSIVE r(k) AS (SELECT 10 UNION SELECT d.id + 10 FROM r JOIN facts f ON f.k = r.k JOIN dimension d ON f.k = d.id) SELECT * FROM r',
    'WITH RECURSIVE r(k) AS (SELECT 10 UNION SELECT f.n FROM facts f JOIN r ON f.k = r.k) SELECT * FROM r']) AS query;
SET enable_nestloop = on;
SET enable_material = off;
SELECT (compared('SELECT o.id, q.c FROM other o LEFT JOIN LATERAL (SELECT count(*) AS c FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = o.g) q ON true')).*;
RESET enable_material;
-- Memoize keeps results of a join with a filter.
SELECT query, (compared(query)).*, plan_of(query)::text ~ 'Memoize' AS memoized
FROM unnest(ARRAY[
    'SELECT o.n, q.c FROM facts o, LATERAL (SELECT count(*) AS c FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = o.g % 7 OFFSET 0) q WHERE o.n < 300',
    'SELECT o.n, q.c FROM facts o, LATERAL (SELECT count(*) AS c FROM facts f JOIN dimension d ON f.k = d.id WHERE f.g = o.g OFFSET 0) q WHERE o.n < 300',
    'SELECT o.n, q.c FROM facts o, LATERAL (SELECT count(*) AS c FROM skewed s JOIN many_facts f ON s.id = f.n WHERE f.n > o.g OFFSET 0) q WHERE o.n < 300']) AS query;
SET enable_nestloop = off;

-- Prepared statements, with a plan of their own and a generic one.
PREPARE prepared(integer) AS SELECT count(*), sum(n) FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g < $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE prepared(1);
EXECUTE prepared(5);
EXECUTE prepared(0);
EXECUTE prepared(NULL);
SET cuckoo_filter.join_filter = off;
EXECUTE prepared(5);
SET cuckoo_filter.join_filter = on;
SET plan_cache_mode = force_custom_plan;
EXECUTE prepared(1);
EXECUTE prepared(5);
RESET plan_cache_mode;

-- Cursors.
BEGIN;
DECLARE moves SCROLL CURSOR WITH HOLD FOR SELECT n FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 3 ORDER BY n;
FETCH 3 FROM moves;
FETCH BACKWARD 2 FROM moves;
FETCH LAST FROM moves;
COMMIT;
FETCH FIRST FROM moves;
FETCH ABSOLUTE 5 FROM moves;
CLOSE moves;
BEGIN;
DECLARE unsorted SCROLL CURSOR FOR SELECT n FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 3;
FETCH LAST FROM unsorted;
FETCH FIRST FROM unsorted;
MOVE ABSOLUTE 20 IN unsorted;
FETCH BACKWARD 2 FROM unsorted;
ROLLBACK;
-- Two at a time.
BEGIN;
DECLARE one CURSOR FOR SELECT n FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 3;
DECLARE two CURSOR FOR SELECT n FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 4;
FETCH 2 FROM one;
FETCH 2 FROM two;
FETCH 2 FROM one;
SAVEPOINT before;
SELECT count(*), sum(1 / (n - 3990)) FROM facts f JOIN dimension d ON f.k = d.id;
ROLLBACK TO before;
FETCH 2 FROM two;
FETCH 2 FROM one;
ROLLBACK;

-- Changes.
BEGIN;
WITH changed AS (UPDATE facts f SET g = -1 FROM dimension d WHERE f.k = d.id AND d.g = 3 RETURNING n) SELECT count(*) FROM changed;
SELECT EXISTS (SELECT FROM probes('UPDATE facts f SET g = -1 FROM dimension d WHERE f.k = d.id AND d.g = 3', false)) AS filtered;
WITH changed AS (UPDATE parted f SET n = n FROM dimension d WHERE f.k = d.id AND d.g = 3 RETURNING n) SELECT count(*) FROM changed;
WITH changed AS (DELETE FROM facts f USING dimension d WHERE f.k = d.id AND d.g = 2 RETURNING n) SELECT count(*) FROM changed;
SELECT count(*) FROM (SELECT n FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g < 4 FOR UPDATE OF f) AS q;
SELECT count(*) FROM (SELECT f.n FROM (SELECT k, n FROM facts FOR UPDATE) f JOIN dimension d ON f.k = d.id WHERE d.g < 4) AS q;
WITH changed AS (UPDATE facts f SET g = -2 FROM skewed s WHERE f.n = s.id RETURNING n) SELECT count(*) FROM changed;
SELECT reads_ahead('UPDATE facts f SET g = -2 FROM skewed s WHERE f.n = s.id');
-- MERGE (since 15).
DO $$
BEGIN
    SET LOCAL cuckoo_filter.join_filter = off;
    CREATE TEMP TABLE plain AS SELECT n, k, g FROM facts;
    CREATE TEMP TABLE filtered AS SELECT n, k, g FROM facts;
    ANALYZE plain, filtered;
    FOR i IN 1 .. CASE WHEN current_setting('server_version_num')::integer >= 150000 THEN 2 ELSE 0 END LOOP
        EXECUTE format('MERGE INTO %s f USING (SELECT id, min(g) AS g FROM dimension GROUP BY id) d ON f.k = d.id
            WHEN MATCHED AND d.g = 3 THEN DELETE WHEN MATCHED THEN UPDATE SET g = -3', CASE i WHEN 1 THEN 'plain' ELSE 'filtered' END);
        EXECUTE format('MERGE INTO %s f USING dimension d ON f.n = d.id + 3995
            WHEN MATCHED THEN UPDATE SET g = -4 WHEN NOT MATCHED THEN INSERT VALUES (d.id, d.id, d.g)', CASE i WHEN 1 THEN 'plain' ELSE 'filtered' END);
        SET LOCAL cuckoo_filter.join_filter = on;
    END LOOP;
    SET LOCAL cuckoo_filter.join_filter = on;
END$$;
SELECT count(*) AS differences FROM (TABLE plain EXCEPT ALL TABLE filtered UNION ALL (TABLE filtered EXCEPT ALL TABLE plain)) q;
CREATE TABLE copied (id serial, n integer);
INSERT INTO copied (n) SELECT n FROM facts f JOIN dimension d ON f.k = d.id;
SELECT EXISTS (SELECT FROM probes('INSERT INTO copied (n) SELECT n FROM facts f JOIN dimension d ON f.k = d.id', false)) AS filtered;
SELECT count(*), max(id) FROM copied;
ROLLBACK;

-- PL/pgSQL, with a query in the loop of another.
CREATE FUNCTION nested() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    outer_row record;
    total bigint := 0;
    found bigint;
BEGIN
    FOR outer_row IN SELECT n, d.g FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 3 LOOP
        SELECT count(*) INTO found FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = outer_row.n % 7;
        total := total + found;
    END LOOP;
    RETURN total;
END$$;
SELECT nested();
SET cuckoo_filter.join_filter = off;
SELECT nested();
SET cuckoo_filter.join_filter = on;
CREATE FUNCTION in_function(wanted integer) RETURNS bigint STABLE LANGUAGE sql AS
    'SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = wanted';
SELECT (compared('SELECT n, in_function(n % 7) FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 3')).*;

-- A query in a function is part of this one.
CREATE FUNCTION rows_of(integer) RETURNS SETOF facts STABLE LANGUAGE sql AS 'SELECT * FROM facts WHERE n > $1';
SELECT (compared('SELECT f.n FROM rows_of(3) f JOIN dimension d ON f.k = d.id')).*;

-- Row-level security: not where a policy hides rows.
CREATE TABLE secrets AS SELECT n, k FROM facts;
ALTER TABLE secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE secrets FORCE ROW LEVEL SECURITY;
CREATE POLICY even ON secrets USING (n % 2 = 0);
DO $$BEGIN
    CREATE ROLE join_filter_reader;
END$$;
GRANT ALL ON SCHEMA join_filter TO join_filter_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA join_filter TO join_filter_reader;
SET ROLE join_filter_reader;
SELECT (compared('SELECT n FROM secrets f JOIN dimension d ON f.k = d.id')).*;
SELECT (compared('SELECT n FROM facts f JOIN dimension d ON f.k = d.id')).*;
RESET ROLE;

--
-- Sizes: a filter that stays within its memory, one that is too large for it, and the guard.
--
CREATE TABLE large AS SELECT n, n % 3 AS g FROM generate_series(1, 100000) n;
CREATE TABLE large_keys AS SELECT n * 2 AS id, 0 AS g FROM generate_series(1, 30000) n;
ANALYZE large, large_keys;
CREATE FUNCTION filter_of(query text, OUT keys bigint, OUT kilobytes bigint) LANGUAGE sql AS $$
    SELECT (node->'Filter Keys')::bigint, (node->'Filter Size')::bigint
    FROM jsonb_path_query(plan_of(query, true), 'strict $.** ? (exists(@."Filter Keys"))') AS node
$$;
SELECT (compared('SELECT l.n FROM large l JOIN large_keys d ON l.n = d.id')).*;
SELECT keys, kilobytes BETWEEN 36 AND 80 AS fits FROM filter_of('SELECT l.n FROM large l JOIN large_keys d ON l.n = d.id');
SET cuckoo_filter.join_filter_memory = '64kB';
SELECT (compared('SELECT l.n FROM large l JOIN large_keys d ON l.n = d.id')).*;
SELECT keys, kilobytes <= 32 AS fits FROM filter_of('SELECT l.n FROM large l JOIN large_keys d ON l.n = d.id');
SELECT probed > 50000 AS probed, rejected > 30000 AS many FROM probes('SELECT l.n FROM large l JOIN large_keys d ON l.n = d.id');
-- With twice as many keys, nearly every row would pass.
SELECT (compared('SELECT l.n FROM large l JOIN (SELECT id FROM large_keys UNION ALL SELECT id + 1000000 FROM large_keys
    UNION ALL SELECT id + 2000000 FROM large_keys UNION ALL SELECT id + 3000000 FROM large_keys) d ON l.n = d.id')).*;
SELECT keys, kilobytes FROM filter_of('SELECT l.n FROM large l JOIN (SELECT id FROM large_keys UNION ALL SELECT id + 1000000 FROM large_keys
    UNION ALL SELECT id + 2000000 FROM large_keys UNION ALL SELECT id + 3000000 FROM large_keys) d ON l.n = d.id');
RESET cuckoo_filter.join_filter_memory;
-- If nearly all rows match, the rest is not probed.
SELECT (compared('SELECT l.n FROM large l JOIN large d ON l.n = d.n AND d.g < 10')).*;
-- The guard looks again after a million rows.
CREATE UNLOGGED TABLE begins_dense AS SELECT n FROM generate_series(1, 1200000) n;
CREATE TABLE dense AS SELECT n AS id FROM generate_series(1, 30000) n;
ANALYZE begins_dense, dense;
SELECT (compared('SELECT l.n FROM begins_dense l JOIN dense d ON l.n = d.id')).*;
SELECT bypassed BETWEEN 1040000 AND 1060000 AS bypassed, rejected > 100000 AS looks_again
FROM probes('SELECT l.n FROM begins_dense l JOIN dense d ON l.n = d.id');
SET cuckoo_filter.join_filter_max_matches = 1;
SELECT bypassed < 1000 AS bypassed FROM probes('SELECT l.n FROM begins_dense l JOIN dense d ON l.n = d.id');
RESET cuckoo_filter.join_filter_max_matches;

-- Keys that are duplicates take no room.
CREATE TABLE repeated AS SELECT n % 3000 AS id FROM generate_series(1, 30000) n;
ANALYZE repeated;
SELECT (compared('SELECT l.n FROM begins_dense l JOIN repeated d ON l.n = d.id')).*;
SELECT keys, kilobytes <= 10 AS fits FROM filter_of('SELECT l.n FROM begins_dense l JOIN repeated d ON l.n = d.id');

-- A hash join that does not fit into memory.
SET work_mem = '64kB';
SELECT (compared('SELECT l.n FROM large l JOIN large_keys d ON l.n = d.id')).*;
SELECT (compared('SELECT o.id, (SELECT count(*) FROM large l JOIN large_keys d ON l.n = d.id WHERE l.g = o.g) FROM other o WHERE id < 50')).*;
RESET work_mem;

-- The rows of a large hash table are prefetched: by several keys, of which some are null or not passed by value; through other
-- nodes; for rows that other conditions reject; and in a join that is executed again.
CREATE TABLE large_pairs AS
    SELECT n, CASE WHEN n % 5 > 0 THEN n END AS a, CASE WHEN n % 7 > 0 THEN n * 2::bigint END AS b, md5(n::text)::uuid AS uuid,
        n::numeric / 10 AS numeric, 'key ' || n AS text, n % 3 AS g
    FROM generate_series(1, 60000) n;
CREATE TABLE large_parts (LIKE large_pairs) PARTITION BY HASH (n);
SELECT format('CREATE TABLE large_part%s PARTITION OF large_parts FOR VALUES WITH (MODULUS 3, REMAINDER %1$s)', n) FROM generate_series(0, 2) n \gexec
INSERT INTO large_parts SELECT * FROM large_pairs;
ANALYZE large_pairs, large_parts;
SELECT query, (compared('SELECT count(*), sum(x.n) FROM ' || query)).*
FROM unnest(ARRAY[
    'large_pairs x JOIN large_pairs y ON x.a = y.a AND x.b = y.b WHERE y.n % 10 > 2',
    'large_pairs x JOIN large_pairs y ON x.b = y.b AND x.a = y.n WHERE y.n % 10 < 8',
    'large_pairs x JOIN large_pairs y ON x.a = y.b',
    'large_pairs x JOIN large_pairs y USING (uuid) WHERE y.n % 10 > 2',
    'large_pairs x JOIN large_pairs y USING (numeric, a) WHERE y.n % 10 > 2',
    'large_pairs x JOIN large_pairs y USING (text) WHERE y.n % 10 > 2',
    'large_pairs x JOIN large_pairs y USING (a) WHERE x.n % 100 = 0 AND y.n % 10 > 2',
    'large_pairs x WHERE EXISTS (SELECT FROM large_pairs y WHERE y.a = x.b AND y.n % 10 > 2)',
    'large_parts x JOIN large_pairs y USING (a) WHERE y.n % 10 > 2',
    '(SELECT n, a FROM large_pairs UNION ALL SELECT n, a + 1 FROM large_parts) x JOIN large_pairs y USING (a) WHERE y.n % 10 > 2',
    'large_pairs x JOIN large_pairs y USING (a) JOIN large_pairs z ON x.b = z.b WHERE y.n % 10 > 2 AND z.n % 10 < 8',
    'large_pairs x LEFT JOIN dimension d ON x.n = d.id JOIN large_pairs y USING (a) WHERE y.n % 10 > 2',
    '(VALUES (0), (1), (2)) AS v(g), LATERAL (SELECT x.n FROM large_pairs x JOIN large_pairs y USING (a) WHERE x.g <> v.g AND y.n % 10 > 2 OFFSET 0) x']) AS query;

-- Parallel plans.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT (compared('SELECT l.n FROM large l JOIN large_keys d ON l.n = d.id')).*;
SELECT (compared('SELECT count(*), sum(l.n) FROM large l JOIN dimension d ON l.n = d.id')).*;
SET enable_parallel_hash = off;
SELECT (compared('SELECT count(*), sum(l.n) FROM large l JOIN large_keys d ON l.n = d.id')).*;
SELECT (compared('SELECT n, k FROM parted f JOIN dimension d ON f.k = d.id')).*;
SELECT sum(probed + bypassed) AS rows FROM probes('SELECT count(*), sum(l.n) FROM large l JOIN large_keys d ON l.n = d.id');
SELECT (compared('SELECT o.id, (SELECT count(*) FROM large l JOIN large_keys d ON l.n = d.id WHERE l.g = o.g) FROM other o WHERE id < 50')).*;

SET client_min_messages = warning;
DROP OWNED BY join_filter_reader;
DROP ROLE join_filter_reader;
DROP SCHEMA join_filter CASCADE;
