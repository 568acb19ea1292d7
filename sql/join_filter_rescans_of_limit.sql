--
-- Joins that filter themselves and are executed again, where the rows that the filter is made of are others each time: which rows
-- a LIMIT above a Gather returns depends on the order of the workers, for example. What was kept of the first execution, by
-- a Sort or a HashAggregate, must have the rows that match later.
--
SET client_min_messages = warning;
LOAD 'cuckoo_scan';
CREATE EXTENSION IF NOT EXISTS postgres_fdw;
CREATE SCHEMA join_filter_rescans_of_limit;
SET search_path = join_filter_rescans_of_limit, public;
RESET client_min_messages;
\set common `echo "$PG_ABS_SRCDIR"`/sql/common/join_filter.sql
\i :common
SET jit = off;
SET enable_material = off;
SET max_parallel_workers_per_gather = 2;
SET parallel_leader_participation = off;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET hash_mem_multiplier = 1;

-- Five rows for each of 8000 keys. The planner expects more keys, so that it hashes the rows that filters are made of.
CREATE TABLE keyed WITH (parallel_workers = 0) AS SELECT 1 + n % 8000 AS k FROM generate_series(1, 40000) AS n;
ALTER TABLE keyed ALTER k SET (n_distinct = -1);
CREATE TABLE wide AS SELECT n AS id, n % 2000 AS m, repeat('x', 300) AS pad FROM generate_series(1, 8000) AS n;
ANALYZE keyed, wide;

-- 2000 of the 8000 keys, or fewer, with texts that take more than work_mem; the planner does not expect that. So a hash join
-- repeats them with each execution, too.
CREATE TABLE sources (id integer GENERATED ALWAYS AS IDENTITY, query text);
INSERT INTO sources (query) VALUES
    ('SELECT id, pad FROM wide LIMIT 2000'),
    ('SELECT id, pad FROM wide OFFSET 6000'),
    ('SELECT id, pad FROM (SELECT * FROM wide LIMIT 2000) q WHERE id > 0 ORDER BY id % 10'),
    ('SELECT id, pad FROM wide ORDER BY id % 2 LIMIT 2000'),
    ('SELECT id, pad FROM (SELECT id, pad, row_number() OVER () AS r FROM wide) q WHERE r % 4 = 0'),
    ('SELECT id, pad FROM (SELECT lead(id, 1, 1) OVER () AS id, pad, ntile(4) OVER () AS tile FROM wide) q WHERE tile = 2'),
    ('SELECT id, pad FROM (SELECT id FROM wide LIMIT 2000) q JOIN wide USING (id)'),
    ('SELECT id, pad FROM (SELECT id, pad FROM wide WHERE m < 1000 UNION ALL SELECT id, pad FROM wide WHERE m > 999) q LIMIT 2000'),
    ('SELECT DISTINCT ON (m) id, pad FROM wide ORDER BY m'),
    ('SELECT (array_agg(id))[1] AS id, max(pad) AS pad FROM wide GROUP BY m'),
    ('SELECT split_part(string_agg(id::text, '',''), '','', 1)::integer AS id, max(pad) AS pad FROM wide GROUP BY m');

-- The same join four times; f keeps what passed the first filter: the Sort if it may be asked for its rows again, so if
-- no parameter is within the join; the HashAggregate in any case.
CREATE TABLE repeated (keeper text, memory text, sources integer[], query text);
INSERT INTO repeated VALUES
    ('Sort', '64kB', '{1, 5, 7}', 'SELECT x, c FROM generate_series(1, 4) AS x LEFT JOIN (SELECT count(*) AS c
        FROM (SELECT k FROM keyed ORDER BY k OFFSET 0) f WHERE EXISTS (SELECT FROM (%s) d WHERE f.k = d.id AND f.k::text <> d.pad) OFFSET 0) q ON true'),
    ('HashAggregate', '1MB', NULL, 'SELECT x, c FROM generate_series(1, 4) AS x, LATERAL (SELECT count(*) AS c
        FROM (SELECT k, count(*) FROM keyed GROUP BY k) f WHERE EXISTS (SELECT FROM (%s) d WHERE f.k = d.id AND f.k::text <> d.pad) AND x > 0 OFFSET 0) q'),
    ('HashAggregate below an expression', '1MB', '{1}', 'SELECT x, (SELECT count(*)
        FROM (SELECT k, count(*) FROM keyed GROUP BY k) f WHERE EXISTS (SELECT FROM (%s) d WHERE f.k = d.id AND f.k::text <> d.pad) AND x > 0) AS c
        FROM generate_series(1, 4) AS x');
-- The numbers of rows of the executions; and whether there is a filter.
CREATE FUNCTION counts(repeated, source text, OUT counts bigint[], OUT filtered boolean) LANGUAGE plpgsql AS $$
DECLARE
    query text := format($1.query, 'SELECT id, repeat(pad, 4) AS pad FROM (' || source || ') q OFFSET 0');
BEGIN
    PERFORM set_config('work_mem', $1.memory, true), set_config('enable_sort', ($1.keeper = 'Sort')::text, true);
    EXECUTE format('SELECT array_agg(DISTINCT c) FROM (%s) q', query) INTO counts;
    filtered := plan_of(query)::text ~ 'CuckooRuntimeFilter';
END$$;
SELECT keeper, s.id, c.counts FROM repeated r JOIN sources s ON sources IS NULL OR s.id = ANY (sources), counts(r, s.query) AS c ORDER BY 1, 2;
-- The same rows each time: filtered.
CREATE TABLE serial_wide WITH (parallel_workers = 0) AS TABLE wide;
ANALYZE serial_wide;
SELECT keeper, c.* FROM repeated r, counts(r, 'SELECT id, pad FROM serial_wide WHERE id <= 2000') AS c ORDER BY 1;
-- Once. Where the groups are hashed, they are not filtered: the other side would be read ahead.
SELECT (compared('SELECT count(*) FROM (SELECT k, count(*) FROM keyed GROUP BY k) f JOIN (SELECT id FROM wide LIMIT 2000) d ON f.k = d.id')).outcome;

-- Rows in a random order, and those of another server are others each time, too.
CREATE VIEW shuffled AS SELECT id, pad FROM wide ORDER BY random() LIMIT 2000;
DO $$BEGIN
    EXECUTE format('CREATE SERVER itself FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L, fetch_size ''500'')',
        split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database());
END$$;
CREATE USER MAPPING FOR CURRENT_USER SERVER itself;
CREATE FOREIGN TABLE shuffled_there (id integer, pad text) SERVER itself OPTIONS (schema_name 'join_filter_rescans_of_limit', table_name 'shuffled');
SELECT keeper, source, c.counts
FROM repeated r, unnest(ARRAY['TABLE shuffled', 'TABLE shuffled_there']) AS source, counts(r, source) AS c ORDER BY 1, 2;

-- So are rows that meet a condition on another server.
CREATE FUNCTION filtered(repeated, source text) RETURNS boolean LANGUAGE sql AS $$
    SELECT plan_of(format($1.query, 'SELECT id, pad FROM (' || source || ') q OFFSET 0'))::text ~ 'CuckooRuntimeFilter'
    FROM set_config('work_mem', $1.memory, true) AS a, set_config('enable_sort', ($1.keeper = 'Sort')::text, true) AS b
$$;
CREATE TABLE few AS SELECT * FROM wide WHERE id <= 5;
ANALYZE few;
SELECT keeper, name, filtered(r, format('SELECT * FROM few w WHERE (SELECT max(s.id) FROM %s s WHERE s.id = w.id) > 0', name))
FROM repeated r, unnest(ARRAY['few', 'shuffled_there']) AS name ORDER BY 1, 2;
-- But a sub-select elsewhere in the query does no harm, nor does one that is evaluated once.
SELECT keeper, source, plan_of(format('SELECT *, (SELECT max(s.id) FROM shuffled_there s WHERE s.id = length(q::text)) FROM (%s) q',
    format(r.query, source)))::text ~ 'CuckooRuntimeFilter' AS filtered
FROM repeated r, unnest(ARRAY['SELECT * FROM few', 'SELECT * FROM few WHERE id > (SELECT min(id) FROM few) OFFSET 0']) AS source ORDER BY 1, 2;

SET client_min_messages = warning;
DROP SCHEMA join_filter_rescans_of_limit CASCADE;
DROP EXTENSION postgres_fdw CASCADE;
