--
-- The same values give the same bytes whatever the plan: over a scan by one process or several, in memory or in temporary
-- files, over a partitioned table at once or partition by partition.
--
-- The result is asserted, and also that the plan is the intended one, so that no test passes because it is planned
-- differently.
--
CREATE SCHEMA aggregate_plans;
SET search_path = aggregate_plans, public;

CREATE TABLE numbers AS SELECT i, i % 30000 AS v, i % 7 AS g, 'value ' || i % 30000 AS t
FROM generate_series(1, 60000) i;
ANALYZE numbers;
CREATE TABLE small AS SELECT i AS v FROM generate_series(1, 10) i;
ANALYZE small;

-- Whether a query's plan contains all of several strings; and whether it wrote temporary files.
CREATE FUNCTION plan_has(query text, VARIADIC parts text[]) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN (SELECT bool_and(plan::text LIKE '%"' || part || '%') FROM unnest(parts) part);
END$$;
CREATE FUNCTION writes_files(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || query INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Temp Written Blocks')::bigint > 0;
END$$;

CREATE VIEW all_values AS
    SELECT bf_agg(v) AS b, bf_agg(t) AS b_text, bf_agg(v, 40000) AS b_capacity, bf_agg(v, 2000) AS b_outgrown,
        bf_agg(v, NULL, 0.0001) AS b_rate,
        bf_agg(ARRAY[g, v]) AS b_array, cf_agg(ROW(g, t)) AS c_row,
    cf_agg(v) AS c, cf_agg(t) AS c_text, cf_agg(v, 40000) AS c_capacity, cf_agg(v, NULL, 0.0001) AS c_rate
    FROM numbers;
CREATE VIEW by_group AS SELECT g, bf_agg(v) AS b, cf_agg(v) AS c, bf_agg(v, 20000) AS b_capacity,
        bf_agg(v, 1000) AS b_outgrown FROM numbers
GROUP BY g;

-- A scan by one process, in memory.
SET max_parallel_workers_per_gather = 0;
SET work_mem = '16MB';
SELECT plan_has('SELECT * FROM all_values', 'Gather') AS parallel, writes_files('SELECT * FROM all_values') AS files;
CREATE TABLE expected AS SELECT * FROM all_values;
CREATE TABLE expected_by_group AS SELECT * FROM by_group;

-- Which filters are as expected.
CREATE FUNCTION compare(OUT b boolean, OUT b_text boolean, OUT b_capacity boolean, OUT b_outgrown boolean,
    OUT b_rate boolean, OUT b_array boolean, OUT c boolean, OUT c_text boolean, OUT c_capacity boolean, OUT c_rate boolean,
    OUT c_row boolean)
LANGUAGE sql AS $$
    SELECT a.b::text = e.b::text, a.b_text::text = e.b_text::text, a.b_capacity::text = e.b_capacity::text,
        a.b_outgrown::text = e.b_outgrown::text,
        a.b_rate::text = e.b_rate::text, a.b_array::text = e.b_array::text, a.c::text = e.c::text,
        a.c_text::text = e.c_text::text, a.c_capacity::text = e.c_capacity::text, a.c_rate::text = e.c_rate::text,
        a.c_row::text = e.c_row::text
    FROM all_values a, expected e
$$;
CREATE FUNCTION compare_by_group(OUT same bigint, OUT of bigint) LANGUAGE sql AS $$
    SELECT count(*) FILTER (WHERE a.b::text = e.b::text AND a.c::text = e.c::text
        AND a.b_capacity::text = e.b_capacity::text AND a.b_outgrown::text = e.b_outgrown::text),
        count(*)
    FROM by_group a FULL JOIN expected_by_group e USING (g)
$$;
SELECT * FROM compare();

-- More hashes than fit in memory.
SET work_mem = '64kB';
SELECT writes_files('SELECT bf_agg(v) FROM numbers') AS bloom, writes_files('SELECT cf_agg(v) FROM numbers') AS cuckoo,
    writes_files('SELECT cf_agg(v) FROM small') AS small;
SELECT * FROM compare();
SET enable_hashagg = off;
SELECT * FROM compare_by_group();
SET enable_hashagg = on;
SET enable_sort = off;
SELECT * FROM compare_by_group();
SET work_mem = '16MB';
SELECT * FROM compare_by_group();
RESET enable_sort;

-- A scan by several processes, whose rows one process aggregates. The leader does not scan, so that workers are sure to.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
SELECT plan_has('SELECT * FROM all_values', 'Gather', 'Simple"') AS parallel,
    plan_has('SELECT * FROM by_group', 'Gather', 'Simple"') AS parallel_by_group,
    plan_has('SELECT count(*) FROM numbers', 'Partial"', 'Finalize"') AS count,
    plan_has('SELECT count(*), bf_agg(v) FROM numbers', 'Partial"') AS with_bloom,
    plan_has('SELECT g, count(*), cf_agg(v) FROM numbers GROUP BY g', 'Partial"') AS with_cuckoo;
SELECT count, f.b::text = e.b::text AS b, f.c::text = e.c::text AS c
FROM (SELECT count(*) AS count, bf_agg(v) AS b, cf_agg(v) AS c FROM numbers) AS f, expected AS e;
SELECT * FROM compare();
SELECT * FROM compare_by_group();
SET parallel_leader_participation = on;
SELECT * FROM compare();
SET work_mem = '64kB';
SELECT * FROM compare();
SELECT * FROM compare_by_group();

-- Workers that find no row, and one that finds only NULLs.
SELECT bf_agg(v)::text = bf_create(NULL, of => 'bigint')::text AS b, cf_agg(v)::text = cf_create(NULL, of => 'integer')::text AS c
FROM numbers
WHERE i < 0;
SELECT bf_agg(CASE WHEN i = 1 THEN v END)::text = bf_add(bf_create(1), 1)::text AS b,
    cf_agg(CASE WHEN i = 1 THEN v END)::text = cf_add(cf_create(1), 1)::text AS c
FROM numbers;
SELECT bf_agg(nullif(v, v), 100)::text = bf_create(100, of => 'integer')::text AS b FROM numbers;

-- A capacity near the number of values. At a capacity for all values the bytes are
-- the same; below it all values are found, and of 100,000 others no more than 1.5 % plus 5 standard deviations of
-- 0.038 %, whether or not the leader reads values itself.
SET work_mem = '16MB';
CREATE TABLE exact_capacity (b text);
SET max_parallel_workers_per_gather = 0;
INSERT INTO exact_capacity SELECT bf_agg(i, 60000)::text FROM numbers;
SET max_parallel_workers_per_gather = 2;
CREATE VIEW of_capacities AS
    SELECT capacity, (SELECT count(*) FROM numbers WHERE NOT bf_contains(b, i)) AS missing,
        (SELECT count(*) FROM generate_series(-100000, -1) v WHERE bf_contains(b, v)) <= 100000 * (0.015 + 5 * 0.00038)
            AS within_rate
    FROM (SELECT ARRAY[bf_agg(i, 15500), bf_agg(i, 41000), bf_agg(i, 50000), bf_agg(i, 59000)] AS filters
            FROM numbers) AS f,
        unnest(ARRAY[15500, 41000, 50000, 59000], filters) AS u (capacity, b);
SET max_parallel_workers_per_gather = 4;
SELECT plan_has('SELECT * FROM of_capacities', 'Gather') AS parallel;
SET parallel_leader_participation = off;
SELECT bf_agg(i, 60000)::text = (SELECT b FROM exact_capacity) AS same FROM numbers;
SELECT * FROM of_capacities;
SET parallel_leader_participation = on;
SELECT bf_agg(i, 60000)::text = (SELECT b FROM exact_capacity) AS same FROM numbers;
SELECT * FROM of_capacities;

-- Errors from rows of workers.
\set VERBOSITY sqlstate
SELECT bf_agg(v, v) FROM numbers;
SELECT cf_agg(v, 0) FROM numbers;
SELECT bf_agg(v, 100, 2) FROM numbers;
\set VERBOSITY default

-- The values of an aggregate used in a join and a subquery, in parallel.
SELECT count(*) FROM numbers WHERE bf_contains((SELECT bf_agg(v, NULL, 1e-7) FROM numbers WHERE i <= 100), v);
SELECT count(*) FROM numbers n, (SELECT cf_agg(v, NULL, 1e-7) AS c FROM numbers WHERE i <= 100) AS f
WHERE cf_contains(c, v);
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET parallel_leader_participation;
RESET work_mem;

-- Partition by partition.
CREATE TABLE parted (i integer, v integer, g integer) PARTITION BY LIST (g);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (0, 1, 2);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (3, 4);
CREATE TABLE parted_3 PARTITION OF parted FOR VALUES IN (5, 6);
INSERT INTO parted SELECT i, v, g FROM numbers;
ANALYZE parted;
SET enable_partitionwise_aggregate = on;
SET max_parallel_workers_per_gather = 0;
SELECT plan_has('SELECT bf_agg(v), cf_agg(v) FROM parted', 'Append"') AS appended,
    plan_has('SELECT bf_agg(v), cf_agg(v) FROM parted', 'Partial"') AS in_parts,
    plan_has('SELECT count(*) FROM parted', 'Append"', 'Partial"', 'Finalize"') AS count_in_parts;
SELECT p.b::text = e.b::text AS b, p.c::text = e.c::text AS c, p.b_capacity::text = e.b_capacity::text AS b_capacity
FROM (SELECT bf_agg(v) AS b, cf_agg(v) AS c, bf_agg(v, 40000) AS b_capacity FROM parted) AS p, expected AS e;
SELECT count(*) FILTER (WHERE p.b::text = e.b::text AND p.c::text = e.c::text) AS same, count(*)
FROM (SELECT g, bf_agg(v) AS b, cf_agg(v) AS c FROM parted GROUP BY g) AS p JOIN expected_by_group AS e USING (g);
RESET enable_partitionwise_aggregate;
RESET max_parallel_workers_per_gather;

-- Enough values to be grouped in memory, or to move from there to files, or to go to files at once; with some or a
-- few duplicates (the last values of v are new), with twelve copies of each, and with so many duplicates that they fit in
-- little memory.
SET max_parallel_workers_per_gather = 0;
SET hash_mem_multiplier = 1;
CREATE TABLE many AS
    SELECT CASE WHEN i <= 1079000 THEN i % 700000 ELSE -i END AS v, i % 1030000 AS nearly, i % 90000 AS twelve,
        i % 3000 AS few
    FROM generate_series(1, 1080000) i;
CREATE VIEW filters_of_many AS
    SELECT md5(bf_agg(v)::bytea) AS b, md5(cf_agg(v)::bytea) AS c, md5(bf_agg(v, 701000)::bytea) AS b_capacity,
        (bf_info(bf_agg(nearly))).capacity AS b_nearly_distinct, md5(bf_agg(nearly)::bytea) AS b_nearly,
        md5(bf_agg(nearly, 1080000)::bytea) AS b_nearly_capacity,
        md5(cf_agg(twelve)::bytea) AS c_twelve, md5(bf_agg(twelve)::bytea) AS b_twelve, md5(cf_agg(few)::bytea) AS c_few
    FROM many;
SET work_mem = '64kB';
CREATE TABLE in_files AS SELECT * FROM filters_of_many;
SELECT b_nearly_distinct FROM in_files;
SELECT writes_files('SELECT bf_agg(v) FROM many') AS many, writes_files('SELECT bf_agg(twelve) FROM many') AS twelve,
    writes_files('SELECT bf_agg(few) FROM many') AS few;
SET work_mem = '4MB';
SELECT writes_files('SELECT bf_agg(v) FROM many') AS many, writes_files('SELECT bf_agg(twelve) FROM many') AS twelve,
    writes_files('SELECT bf_agg(few) FROM many') AS few;
SELECT now.*::text = before.*::text AS same FROM filters_of_many AS now, in_files AS before;
SET work_mem = '64MB';
SELECT writes_files('SELECT bf_agg(v) FROM many') AS many;
SELECT now.*::text = before.*::text AS same FROM filters_of_many AS now, in_files AS before;
SELECT count(*) FILTER (WHERE bf_contains(b, v) AND cf_contains(c, v)) AS found
FROM (SELECT bf_agg(v) AS b, cf_agg(v) AS c FROM many) AS f, many;

-- Groups that share the memory and the file, one after the other and all at once. Some have all their values twice,
-- some have few; and some stream into a Bloom filter.
CREATE VIEW filters_of_groups AS
    SELECT i % 60 AS g, md5(bf_agg(v)::bytea) AS b, md5(cf_agg(v)::bytea) AS c, md5(bf_agg(v, 700000)::bytea) AS b_capacity,
        md5(bf_agg(v, 10)::bytea) AS b_outgrown, md5(cf_agg(v % 1000)::bytea) AS c_few, count(*) AS rows
    FROM (SELECT i, CASE WHEN i % 60 < 20 THEN i / 120 ELSE i END AS v FROM generate_series(1, 700000) i) AS v
    GROUP BY GROUPING SETS ((i % 60), (i % 2), ());
CREATE TABLE in_memory AS SELECT * FROM filters_of_groups;
SELECT count(*) FROM in_memory;
SET work_mem = '64kB';
SELECT writes_files('SELECT * FROM filters_of_groups') AS files;
SELECT count(*) FROM (TABLE in_memory EXCEPT TABLE filters_of_groups) AS different;
SET enable_hashagg = off;
SELECT count(*) FROM (TABLE in_memory EXCEPT TABLE filters_of_groups) AS different;
RESET enable_hashagg;
SET enable_sort = off;
SELECT count(*) FROM (TABLE in_memory EXCEPT TABLE filters_of_groups) AS different;
RESET enable_sort;

-- Read more than once: by a subquery that runs again, with the same groups or with others.
SELECT count(*) AS runs, count(DISTINCT b) AS different, min(b) = (SELECT bf_agg(b)::text FROM in_memory) AS same
FROM generate_series(1, 5) n, LATERAL (SELECT bf_agg(b)::text AS b FROM in_memory WHERE n > 0) AS f;
SELECT count(*) AS runs, count(*) FILTER (WHERE bf_contains(b, n) AND bf_contains(b, 20000)) AS found
FROM generate_series(1, 5) n, LATERAL (SELECT bf_agg(i) AS b FROM generate_series(n, 20000) i OFFSET 0) AS f;
RESET work_mem;
RESET hash_mem_multiplier;
RESET max_parallel_workers_per_gather;

SET client_min_messages = warning;
DROP SCHEMA aggregate_plans CASCADE;
