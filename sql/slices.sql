--
-- A stored filter that is probed by a few values is not fetched whole: every function that probes reads the header and what
-- each value needs.
--
CREATE SCHEMA slices;
SET search_path = slices, public;

-- From 1 kB to 1 MB, of one layer and of several, and with more copies of a value than are counted.
CREATE TABLE stored (n serial, b bloomfilter, c cuckoofilter);
INSERT INTO stored (b, c)
    SELECT bf_agg(i, values), cf_agg(i, values)
    FROM unnest(ARRAY[800, 1700, 3200, 10000, 30000, 800000]) AS values, generate_series(1, values) AS i GROUP BY values;
INSERT INTO stored (b, c)
    SELECT bf_add_all(bf_create(300), v), cf_add_all(cf_create(300), v || v[1:500])
    FROM (SELECT array_agg(i) AS v FROM generate_series(1, 20000) AS i) AS s;
INSERT INTO stored (b, c) SELECT b, cf_add_all(c, v) FROM stored,
    (SELECT array_agg(i % 3) AS v FROM generate_series(1, 1000) AS i) AS s;
SELECT count(*) AS filters, count(DISTINCT octet_length(b::bytea) / 1000) AS sizes, max((bf_info(b)).layers) > 1 AS layers
FROM stored;

-- Each query has a new call site, and probes each filter once: its answer is that of the same filter in memory.
CREATE FUNCTION differ(value integer, OUT bloom bigint, OUT cuckoo bigint, OUT counts bigint) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($query$
        SELECT count(*) FILTER (WHERE bf_contains(b, %1$s) <> bf_contains(x, %1$s) OR
                bf_contains_any(b, ARRAY[%1$s, NULL]) IS DISTINCT FROM bf_contains_any(x, ARRAY[%1$s, NULL]) OR
                bf_contains_all(b, ARRAY[1, %1$s]) <> bf_contains_all(x, ARRAY[1, %1$s]) OR
                bf_contains_any(b, '{-1,%1$s}') <> bf_contains_any(x, '{-1,%1$s}')),
            count(*) FILTER (WHERE cf_contains(c, %1$s) <> cf_contains(y, %1$s) OR
                cf_contains_any(c, ARRAY[%1$s, NULL]) IS DISTINCT FROM cf_contains_any(y, ARRAY[%1$s, NULL]) OR
                cf_contains_all(c, ARRAY[1, %1$s]) <> cf_contains_all(y, ARRAY[1, %1$s]) OR
                cf_contains_any(c, '{-1,%1$s}') <> cf_contains_any(y, '{-1,%1$s}')),
            count(*) FILTER (WHERE cf_count(c, %1$s) <> cf_count(y, %1$s) OR cf_count(c, '%1$s') < cf_count(y, %1$s))
        FROM stored, LATERAL (SELECT b::bytea::bloomfilter AS x, c::bytea::cuckoofilter AS y OFFSET 0) AS in_memory$query$,
        value) INTO bloom, cuckoo, counts;
END$$;
SELECT count(*) AS values, sum(bloom) AS bloom, sum(cuckoo) AS cuckoo, sum(counts) AS counts
FROM unnest(ARRAY[0, 1, 2, 3, 299, 300, 301, 799, 800, 900, 1699, 1701, 19999, 20001, 29999, 700001, 800001, -1, -7]) AS value,
    differ(value);

-- The blocks that a query reads whose functions get a few values, each filter once; the second time, since the first has
-- those of catalogs. A filter with counters has more to read for a count.
CREATE TABLE large AS
    SELECT bf_agg(i, 8000000) AS b, cf_agg(i, 8000000) AS c, cf_add_all(cf_agg(i, 8000000), array_fill(2, ARRAY[9])) AS counted
    FROM generate_series(1, 3) AS i;
SELECT pg_column_size(b) > 9000000 AS bloom, pg_column_size(c) > 9000000 AS cuckoo, pg_column_size(counted) > 12000000 AS counted
FROM large;
CREATE FUNCTION blocks(expression text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    FOR turn IN 1 .. 2 LOOP
        EXECUTE format('EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) SELECT %s FROM large', expression) INTO plan;
    END LOOP;
    RETURN (plan->0->'Plan'->>'Shared Hit Blocks')::bigint + (plan->0->'Plan'->>'Shared Read Blocks')::bigint;
END$$;
SELECT expression, blocks(expression) <= 12 AS few
FROM unnest(ARRAY['bf_contains(b, 2)', 'bf_contains_any(b, ARRAY[2])', 'bf_contains_all(b, ARRAY[2])',
        'bf_contains_any(b, ''{2}'')', 'cf_contains(c, 2)', 'cf_contains_any(c, ARRAY[2])', 'cf_contains_all(c, ARRAY[7])',
        'cf_contains_all(c, ''{7}'')', 'cf_count(c, 7)', 'cf_count(c, ''7'')', 'cf_count(c, 2)', 'cf_count(c, ''2'')',
        'bf_contains_hash(b, filter_hash(2))', 'cf_contains_hash(c, filter_hash(2), ''int'')', 'b @> 2', 'c @> 2', '2 <@ c',
        'counted @> 2', 'bf_add(b, 2)', 'bf_add(b, ''2'')', 'bf_add_hash(b, filter_hash(2), ''int'')', 'cf_add_unique(c, 2)',
        'cf_add_unique(counted, ''2'')'])
    AS expression;
SELECT expression, blocks(expression) <= 24 AS few
FROM unnest(ARRAY['cf_count(counted, 2)', 'cf_count(counted, ''2'')', 'cf_count(counted, 7)']) AS expression;
SELECT cf_count(c, 2) AS c, cf_count(counted, 2) AS counted, cf_count(counted, 3) AS once, cf_count(counted, 7) AS absent FROM large;
-- With so many values that fetching all of it costs less, it is fetched once.
SELECT expression, blocks(expression) BETWEEN 1000 AND 1500 AS whole
FROM unnest(ARRAY['bf_contains_all(b, array_fill(2, ARRAY[20000]))', 'cf_contains_any(c, array_fill(7, ARRAY[20000]))'])
    AS expression;
DROP FUNCTION differ(integer), blocks(text);
DROP TABLE stored, large;
