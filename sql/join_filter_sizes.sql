--
-- Joins that filter themselves: the same rows as without it, for large filters and hash tables, and in parallel.
--
LOAD 'cuckoo_scan';
CREATE SCHEMA join_filter_sizes;
SET search_path = join_filter_sizes, public;
\set common `echo "$PG_ABS_SRCDIR"`/sql/common/join_filter.sql
\i :common

CREATE TABLE large AS SELECT n, n % 3 AS g FROM generate_series(1, 100000) n;
CREATE TABLE large_keys AS SELECT n * 2 AS id, 0 AS g FROM generate_series(1, 30000) n;
ANALYZE large, large_keys;
CREATE FUNCTION filter_of(query text, OUT keys bigint, OUT kilobytes bigint) LANGUAGE sql AS $$
    SELECT (node->'Filter Keys')::bigint, (node->'Filter Size')::bigint
    FROM jsonb_path_query(plan_of(query, true), 'strict $.** ? (exists(@."Filter Keys"))') AS node
$$;
SELECT * FROM compared('SELECT l.n FROM large l JOIN large_keys d ON l.n = d.id');
SELECT keys, kilobytes BETWEEN 36 AND 80 AS fits FROM filter_of('SELECT l.n FROM large l JOIN large_keys d ON l.n = d.id');
SET cuckoo_scan.join_filter_max_memory = '64kB';
SELECT * FROM compared('SELECT l.n FROM large l JOIN large_keys d ON l.n = d.id');
SELECT keys, kilobytes <= 32 AS fits FROM filter_of('SELECT l.n FROM large l JOIN large_keys d ON l.n = d.id');
SELECT probed > 50000 AS probed, rejected > 30000 AS many FROM probes('SELECT l.n FROM large l JOIN large_keys d ON l.n = d.id');
-- With twice as many keys, nearly every row would pass.
SELECT * FROM compared('SELECT l.n FROM large l JOIN (SELECT id FROM large_keys UNION ALL SELECT id + 1000000 FROM large_keys
    UNION ALL SELECT id + 2000000 FROM large_keys UNION ALL SELECT id + 3000000 FROM large_keys) d ON l.n = d.id');
SELECT keys, kilobytes FROM filter_of('SELECT l.n FROM large l JOIN (SELECT id FROM large_keys UNION ALL SELECT id + 1000000 FROM large_keys
    UNION ALL SELECT id + 2000000 FROM large_keys UNION ALL SELECT id + 3000000 FROM large_keys) d ON l.n = d.id');
RESET cuckoo_scan.join_filter_max_memory;
-- If nearly all rows match, the rest is not probed.
SELECT * FROM compared('SELECT l.n FROM large l JOIN large d ON l.n = d.n AND d.g < 10');
-- The guard soon looks again, and then less often if all rows still match.
CREATE UNLOGGED TABLE begins_dense AS SELECT n FROM generate_series(1, 1200000) n;
CREATE TABLE dense AS SELECT n AS id FROM generate_series(1, 30000) n;
ANALYZE begins_dense, dense;
SELECT * FROM compared('SELECT l.n FROM begins_dense l JOIN dense d ON l.n = d.id');
SELECT bypassed BETWEEN 20000 AND 30000 AS bypassed, rejected > 1100000 AS looks_again
FROM probes('SELECT l.n FROM begins_dense l JOIN dense d ON l.n = d.id');
SELECT probed BETWEEN 20000 AND 70000 AS probed, rejected
FROM probes('SELECT l.n FROM begins_dense l JOIN begins_dense d ON l.n = d.n AND d.n % 3 < 3');
SELECT bypassed BETWEEN 560000 AND 740000 AS bypassed
FROM probes('SELECT l.n FROM begins_dense l JOIN begins_dense d ON l.n = d.n AND d.n <= 600000');
SET cuckoo_scan.join_filter_max_match_fraction = 1;
SELECT bypassed < 1000 AS bypassed FROM probes('SELECT l.n FROM begins_dense l JOIN dense d ON l.n = d.id');
RESET cuckoo_scan.join_filter_max_match_fraction;

-- A hash join that does not fit into memory.
SET work_mem = '64kB';
SELECT * FROM compared('SELECT l.n FROM large l JOIN large_keys d ON l.n = d.id');
SELECT * FROM compared('SELECT o.id, (SELECT count(*) FROM large l JOIN large_keys d ON l.n = d.id WHERE l.g = o.g) FROM other o WHERE id < 50');
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
SELECT query, c.*
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
    '(VALUES (0), (1), (2)) AS v(g), LATERAL (SELECT x.n FROM large_pairs x JOIN large_pairs y USING (a) WHERE x.g <> v.g AND y.n % 10 > 2 OFFSET 0) x']) AS query, compared('SELECT count(*), sum(x.n) FROM ' || query) AS c;

-- Parallel plans.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT * FROM compared('SELECT l.n FROM large l JOIN large_keys d ON l.n = d.id');
SELECT * FROM compared('SELECT count(*), sum(l.n) FROM large l JOIN dimension d ON l.n = d.id');
-- Far more keys than expected: processes share a filter that is made before they come.
CREATE TABLE dependent AS SELECT n * 2 AS id, n % 1000 AS a, n % 1000 AS b, n % 1000 AS c, n % 1000 AS d FROM generate_series(1, 30000) n;
ANALYZE dependent;
SELECT keys, kilobytes BETWEEN 20 AND 32 AS fits FROM filter_of('SELECT l.n FROM large l JOIN dependent d ON l.n = d.id WHERE a < 333 AND b < 333 AND c < 333 AND d < 333');
SELECT rejected > 80000 AS many FROM probes('SELECT l.n FROM large l JOIN dependent d ON l.n = d.id WHERE a < 333 AND b < 333 AND c < 333 AND d < 333');
SET enable_parallel_hash = off;
SELECT * FROM compared('SELECT count(*), sum(l.n) FROM large l JOIN large_keys d ON l.n = d.id');
SELECT * FROM compared('SELECT n, k FROM parted f JOIN dimension d ON f.k = d.id');
SELECT sum(probed + bypassed) AS rows FROM probes('SELECT count(*), sum(l.n) FROM large l JOIN large_keys d ON l.n = d.id');
-- Not of what parallel workers return, if it is executed again.
SELECT * FROM compared('SELECT o.id, (SELECT count(*) FROM large l JOIN large_keys d ON l.n = d.id WHERE l.g = o.g) FROM other o WHERE id < 50');

SET client_min_messages = warning;
DROP SCHEMA join_filter_sizes CASCADE;
