\set ECHO none
--
-- For the tests of joins that filter themselves, in the schema of the test: settings, what compares a query with filters and
-- without, and tables.
--
SET max_parallel_workers_per_gather = 0;
SET cuckoo_scan.join_filter_min_rows = 0;
-- The plans are those without filters, except for a second run of each query.
SET cuckoo_scan.join_filter_costs = off;
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
    SELECT (probe->'Runtime Filter')::integer, probe->>'Key', (probe->'Rows Probed')::bigint, (probe->'Rows Rejected')::bigint,
        (probe->'Rows Bypassed')::bigint
    FROM jsonb_path_query(plan_of(query, analyzed), 'strict $.**."Probes"[*]') AS probe
    WHERE probe ? 'Runtime Filter'
$$;
-- The rows of a query, sorted, or the error that it raises.
CREATE FUNCTION outcome(query text, filtered boolean) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    result text[];
BEGIN
    PERFORM set_config('cuckoo_scan.enable_join_filter', filtered::text, false);
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
    chosen text[];
BEGIN
    SET cuckoo_scan.join_filter_costs = on;
    chosen := outcome(query, true);
    SET cuckoo_scan.join_filter_costs = off;
    SET cuckoo_scan.enable_join_filter = on;
    filtered := EXISTS (SELECT FROM probes(query, false));
    outcome := CASE WHEN with_filter IS DISTINCT FROM without
            THEN format('DIFFERENT: %s rows with filters, %s without', cardinality(with_filter), cardinality(without))
        WHEN chosen IS DISTINCT FROM without
            THEN format('DIFFERENT: %s rows with filters that the planner chose, %s without', cardinality(chosen), cardinality(without))
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

-- Many rows for each of few keys, and many keys.
CREATE TABLE skewed AS SELECT 10 * (n % 3) + 10 AS id, n AS m, n % 5 AS g, 10 * (n % 3)::real + 10 AS real FROM generate_series(1, 150) AS n;
CREATE TABLE many AS SELECT 10 * (n % 3) + 10 AS id, n AS m, repeat('x', 400) AS x FROM generate_series(1, 500) AS n;
CREATE TABLE many_facts AS SELECT n FROM generate_series(1, 40000) AS n;
CREATE TABLE parted (n integer, k integer, text text) PARTITION BY RANGE (n);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (1000);
CREATE TABLE parted_2 (text text, extra integer, k integer, n integer);
ALTER TABLE parted_2 DROP extra;
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (1000) TO (5000);
INSERT INTO parted SELECT n, k, text FROM facts;
ANALYZE skewed, many, many_facts, parted;

-- Whether a join's filter is made of the rows that it does not hash.
CREATE FUNCTION reads_ahead(query text) RETURNS boolean LANGUAGE sql AS $$
    SELECT jsonb_path_exists(plan_of(query), 'strict $.** ? (@."Node Type" == "Hash Join").Plans[*] ? (exists(@."Runtime Filter"))')
$$;

SET cuckoo_scan.enable_join_filter = on;
\set ECHO all
