--
-- bf_agg and cf_agg: their results for various rows and parameters.
--
CREATE SCHEMA aggregates;
SET search_path = aggregates, public;

CREATE TABLE numbers AS SELECT i, i % 10 AS g, i % 500 AS repeated, CASE WHEN i % 3 = 0 THEN i END AS sometimes
    FROM generate_series(1, 2000) i;

-- One layer, of the right size for the distinct values, with all of them in it; a cuckoo filter has each once.
SELECT i.value_kind, i.capacity, i.requested_fpr, i.layers, i.bytes = bf_size(500) AS size,
    (SELECT count(*) FROM generate_series(0, 499) v WHERE bf_contains(b, v)) AS found
FROM (SELECT bf_agg(repeated) AS b FROM numbers) AS f, bf_info(b) AS i;
SELECT i.value_kind, i.capacity, i.cardinality, i.requested_fpr, i.layers, i.bytes = cf_size(500, 1e-6) AS size,
    (SELECT count(*) FROM generate_series(0, 499) v WHERE cf_count(c, v) = 1) AS found_once
FROM (SELECT cf_agg(repeated, NULL, 1e-6) AS c FROM numbers) AS f, cf_info(c) AS i;

-- The values a filter was made for can be deleted, one by one, down to none.
SELECT cf_cardinality(cf_delete_all(c, ARRAY(SELECT generate_series(0, 249)))) AS half,
    (SELECT count(*) FROM generate_series(250, 499) v WHERE cf_contains(cf_delete_all(c,
        ARRAY(SELECT generate_series(0, 249))), v)) AS found,
    cf_cardinality(cf_delete_all(c, ARRAY(SELECT generate_series(0, 499)))) AS none
FROM (SELECT cf_agg(repeated) AS c FROM numbers) AS f;

-- No rows: an empty filter, never NULL, of the kind of the column. It contains nothing and is neutral in a union.
CREATE TABLE empty AS
    SELECT bf_agg(i) AS b, cf_agg(i) AS c, bf_agg(i, 100) AS b_capacity, cf_agg(i, 100, 0.1) AS c_rate FROM numbers
    WHERE i < 0;
SELECT b IS NULL AS b_null, c IS NULL AS c_null, b_capacity IS NULL AS b_capacity_null, c_rate IS NULL AS c_rate_null,
    (bf_info(b)).value_kind AS b_kind, (cf_info(c)).value_kind AS c_kind, bf_cardinality(b) AS b_cardinality,
    cf_cardinality(c) AS c_cardinality
FROM empty;
SELECT bf_contains(b, 1) AS b1, bf_contains(b, '1') AS b_literal, cf_contains(c, 1) AS c1, cf_contains(c, '1') AS c_literal,
    bf_contains(bf_add(b, 1), 1) AS b_added, cf_contains(cf_add(c, '1'), 1) AS c_added
FROM empty;
\set VERBOSITY terse
SELECT bf_contains(b, now()) FROM empty;
SELECT cf_add(c, 'x'::text) FROM empty;
SELECT bf_add(b, 'x') FROM empty;
\set VERBOSITY default
SELECT (b | full_b)::text = full_b::text AS b_left, (full_b | b)::text = full_b::text AS b_right,
    (c | full_c)::text = full_c::text AS c_left, (full_c | c)::text = full_c::text AS c_right,
    (b | b)::text = b::text AS b_both
FROM empty, (SELECT bf_agg(repeated::bigint) AS full_b, cf_agg(repeated::bigint) AS full_c FROM numbers) AS f;
-- The reason: no row is in an empty set.
SELECT count(*) AS every_row FROM numbers WHERE NOT bf_contains((SELECT bf_agg(i) FROM numbers WHERE i < 0), i);
SELECT count(*) AS every_row FROM numbers WHERE NOT cf_contains((SELECT cf_agg(i, 1000) FROM numbers WHERE i < 0), i);
SELECT count(*) AS no_row FROM numbers WHERE bf_contains((SELECT bf_agg(i) FROM numbers WHERE i < 0), i);

--
-- No rows: the filter has the parameters of the call that are constants or parameters of the statement, or computed from these,
-- however it is computed itself. Any other has its default, as has one that is out of range: nothing fails because there are no
-- rows.
--
CREATE FUNCTION parameters(f bloomfilter) RETURNS text LANGUAGE sql AS $$SELECT format('%s at %s', capacity, requested_fpr) FROM bf_info(f)$$;
CREATE FUNCTION parameters(f cuckoofilter) RETURNS text LANGUAGE sql AS $$SELECT format('%s at %s', capacity, requested_fpr) FROM cf_info(f)$$;
SELECT parameters(bf_agg(i)) AS b, parameters(cf_agg(i, 100)) AS c, parameters(bf_agg(i, 100, 0.001)) AS b_rate,
    parameters(cf_agg(i, 100, 0.001)) AS c_rate, parameters(cf_agg(i, NULL, 0.001)) AS rate,
    parameters(bf_agg(i, 50 + 50, 0.1 / 100)) AS computed, parameters(bf_agg(DISTINCT i, 100, 0.001)) AS b_distinct,
    parameters(cf_agg(i, 100, 0.001 ORDER BY i)) AS ordered, parameters(cf_agg(i, i, 0.001)) AS of_rows
FROM numbers WHERE i < 0;
SELECT (cf_agg(i, 100, 0.001))::text = cf_create(100, 0.001, 'integer')::text AS as_created FROM numbers WHERE i < 0;
SELECT i % 2 AS half, parameters(bf_agg(i, 100, 0.001) FILTER (WHERE i < 0)) AS b, parameters(cf_agg(i, 200, 0.001) FILTER (WHERE i < 0)) AS c
FROM numbers GROUP BY GROUPING SETS ((i % 2), ()) ORDER BY half;
SELECT parameters(bf_agg(i, 100, 0.001)) AS b, parameters(cf_agg(i, 200, 0.001)) AS c FROM numbers WHERE i < 0
GROUP BY GROUPING SETS (());
SELECT DISTINCT parameters(bf_agg(i, 100, 0.001) OVER w) AS b, parameters(cf_agg(i, 200, 0.001) OVER w) AS c
FROM numbers WINDOW w AS (ORDER BY i ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING);
-- Which of several calls over a window it is cannot be told, so they have the defaults unless they agree.
SELECT DISTINCT parameters(cf_agg(i, 100, 0.001) OVER w) AS c, parameters(cf_agg(i, 200, 0.001) OVER w) AS other
FROM numbers WHERE i = 1 WINDOW w AS (ORDER BY i ROWS BETWEEN 7 PRECEDING AND 1 PRECEDING);
PREPARE none(integer, float8) AS
    SELECT parameters(bf_agg(i, $1, $2)) AS b, parameters(cf_agg(i, $1 * 2, $2)) AS c FROM numbers WHERE i < 0;
SET plan_cache_mode = force_generic_plan;
EXECUTE none(100, 0.001);
EXECUTE none(0, 0.001);
SET plan_cache_mode = force_custom_plan;
EXECUTE none(100, 0.001);
EXECUTE none(0, 0.001);
RESET plan_cache_mode;
CREATE FUNCTION of_none(n integer) RETURNS text LANGUAGE plpgsql AS $$BEGIN
    RETURN (SELECT parameters(bf_agg(i, n)) FROM numbers WHERE i < 0);
END$$;
SELECT n, of_none(n) FROM generate_series(0, 6) AS n;
SELECT parameters(bf_agg(i, 0.01)) AS swapped, parameters(cf_agg(i, 100, NULL)) AS "null", parameters(bf_agg(i, 100, 2)) AS rate,
    parameters(cf_agg(i, 1e18, 0.001)) AS large, parameters(bf_agg(i, 1.5)) AS part, parameters(cf_agg(i, 'NaN', 'NaN')) AS nan,
    parameters(bf_agg(i, 'Infinity', 0.02)) AS infinite, parameters(cf_agg(i, -1, -1)) AS negative
FROM numbers WHERE i < 0;
-- What works with rows. Such a filter can be united and intersected with those over rows.
CREATE TABLE nothing (i integer);
CREATE FUNCTION of_table() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT 100 / count(*) FROM nothing';
SELECT parameters(bf_agg(i, of_table())) AS of_function FROM nothing;
SELECT n, f.* FROM (VALUES (0), (10)) AS of (n), LATERAL (
    SELECT parameters(bf_agg(i, (SELECT count(*) FROM numbers WHERE i <= n))) AS count,
        parameters(cf_agg(i, 1000, (SELECT 0.1 / count(*) FROM numbers WHERE i <= n))) AS rate,
        parameters(bf_agg(i, 1000 / (SELECT count(*) FROM numbers WHERE i <= n))) AS divided, parameters(cf_agg(i, 100 / n)) AS outer_column,
        parameters(cf_agg(i, CASE WHEN 1 IN (SELECT i FROM numbers) THEN 100 ELSE 200 END, 0.001)) AS "in"
    FROM numbers WHERE i <= n) AS f ORDER BY n;
SELECT (b & none) @> 5 AS both, (none & b) @> 5 AS both_from_right, (b | none)::text = b::text AS either
FROM (SELECT bf_agg(i, 100, 0.001) FILTER (WHERE i = 5) AS b, bf_agg(i, (SELECT 50), 0.001) FILTER (WHERE i < 0) AS none FROM numbers) AS f;

-- NULLs are skipped; NULLs only also give an empty filter of the column's kind.
SELECT cf_cardinality(cf_agg(sometimes)) = count(sometimes) AS cuckoo,
    bf_contains_all(bf_agg(sometimes), array_agg(sometimes) FILTER (WHERE sometimes IS NOT NULL)) AS bloom
FROM numbers;
SELECT (bf_info(bf_agg(NULL::integer))).value_kind AS b_kind,
    bf_contains(bf_agg(NULL::integer), 1) AS b,
    bf_agg(NULL::char(3))::text = bf_create(NULL, of => 'char(9)')::text AS b_same,
    cf_agg(NULL::integer)::text = cf_create(NULL, of => 'integer')::text AS c_same,
    bf_agg(NULL::uuid[], 100)::text = bf_create(100, of => 'uuid[]')::text AS b_capacity,
    cf_agg(NULL::real, 100, 0.1)::text = cf_create(100, 0.1, 'real')::text AS c_capacity
FROM numbers;

-- FILTER, DISTINCT and ORDER BY: the filter depends on the set of values, not on their order.
CREATE TABLE expected AS SELECT bf_agg(repeated)::text AS b, cf_agg(repeated)::text AS c FROM numbers;
SELECT g.b_distinct::text = e.b AS b_distinct, g.c_distinct::text = e.c AS c_distinct,
    g.b_descending::text = e.b AS b_descending, g.c_descending::text = e.c AS c_descending,
    g.b_shuffled::text = e.b AS b_shuffled, g.c_shuffled::text = e.c AS c_shuffled,
    g.b_filter::text = e.b AS b_filter, g.c_filter::text = e.c AS c_filter, g.b_bigint::text = e.b AS b_bigint
FROM expected AS e, (
    SELECT bf_agg(DISTINCT repeated) AS b_distinct, cf_agg(DISTINCT repeated) AS c_distinct,
    bf_agg(repeated ORDER BY i DESC) AS b_descending, cf_agg(repeated ORDER BY i DESC) AS c_descending,
    bf_agg(repeated ORDER BY filter_hash(i)) AS b_shuffled, cf_agg(repeated ORDER BY filter_hash(i)) AS c_shuffled,
    bf_agg(i - 1) FILTER (WHERE i <= 500) AS b_filter, cf_agg(i - 1) FILTER (WHERE i <= 500) AS c_filter,
    bf_agg(repeated::bigint) AS b_bigint
    FROM numbers) AS g;

-- GROUP BY, by hashing and by sorting; and grouping sets, which do both.
CREATE TABLE by_group AS
    SELECT g, (SELECT bf_agg(i)::text FROM numbers n WHERE n.g = groups.g) AS b,
    (SELECT cf_agg(i)::text FROM numbers n WHERE n.g = groups.g) AS c
    FROM generate_series(0, 9) AS groups (g);
SET enable_hashagg = on;
SET enable_sort = off;
SELECT count(*) FILTER (WHERE f.b::text = e.b AND f.c::text = e.c) AS same, count(*)
FROM (SELECT g, bf_agg(i) AS b, cf_agg(i) AS c FROM numbers GROUP BY g) AS f JOIN by_group e USING (g);
SET enable_hashagg = off;
SET enable_sort = on;
SELECT count(*) FILTER (WHERE f.b::text = e.b AND f.c::text = e.c) AS same, count(*)
FROM (SELECT g, bf_agg(i) AS b, cf_agg(i) AS c FROM numbers GROUP BY g) AS f JOIN by_group e USING (g);
RESET enable_hashagg;
RESET enable_sort;
SELECT count(*) AS groups, sum(cf_cardinality(c)) AS cardinality
FROM (SELECT g, repeated, cf_agg(i) AS c FROM numbers GROUP BY GROUPING SETS ((g), (repeated), (g, repeated), ())) AS f;
-- Many small groups.
SELECT count(*) AS groups,
    count(*) FILTER (WHERE b @> g AND b @> g + 10000 AND c @> g AND cf_cardinality(c) = 2) AS complete
FROM (SELECT i % 10000 AS g, bf_agg(i) AS b, cf_agg(i) AS c FROM generate_series(0, 19999) i GROUP BY 1) AS f;

-- A capacity is room for later values. For a cuckoo filter it is a minimum: more values make it larger.
SELECT (bf_info(bf_agg(i, 5000))).capacity AS b_more, (bf_info(bf_agg(i, 2000))).capacity AS b_exact,
    (cf_info(cf_agg(i, 5000))).capacity AS c_more, (cf_info(cf_agg(i, 2000))).capacity AS c_exact,
    (cf_info(cf_agg(i, 5))).capacity AS c_less
FROM numbers;
SELECT bf_agg(i, 5000)::text = bf_add_all(bf_create(5000), array_agg(i))::text AS b_as_added,
    (cf_info(cf_agg(i, 5))).layers AS c_layers
FROM numbers;

-- The rate, with a capacity and with none.
SELECT (i).requested_fpr, (i).capacity, (i).layers, (i).expected_fpr <= 0.001 AS expected,
    (i).bytes = bf_size(2000, 0.001) AS size
FROM (SELECT bf_info(bf_agg(i, NULL, 0.001)) AS i FROM numbers) AS f;
SELECT (i).requested_fpr, (i).capacity, (i).layers, (i).expected_fpr <= 0.001 AS expected,
    (i).bytes = cf_size(2000, 0.001) AS size
FROM (SELECT cf_info(cf_agg(i, NULL, 0.001)) AS i FROM numbers) AS f;
SELECT bf_agg(i, NULL)::text = bf_agg(i)::text AS b_default, cf_agg(i, NULL)::text = cf_agg(i)::text AS c_default
FROM numbers;

-- Layers planned before are used only for the same capacity and rate.
SELECT n, fpr, bf_size(n, fpr), cf_size(n, fpr)
FROM (VALUES (20, 0.01), (84, 0.01), (20, 0.0001), (20, 0.01)) AS planned (n, fpr);

-- The size is what bf_size and cf_size report, at every rate and slot width.
SELECT count(*) AS filters, bool_and((bf_info(b)).bytes = bf_size(n, fpr)) AS bloom, bool_and((cf_info(c)).bytes = cf_size(n, fpr)) AS cuckoo
FROM (VALUES (1), (40), (700), (9000), (200000), (600000)) AS n (n), generate_series(1, 21, 4) AS width,
    LATERAL (SELECT 0.5 / 2 ^ width AS fpr) AS rate,
    LATERAL (SELECT bf_agg(v, n, fpr) AS b, cf_agg(v, n, fpr) AS c FROM generate_series(1, n) AS v) AS f;

-- A capacity that is exceeded: the filter is sized for the actual values.
SELECT bf_agg(v, 3000)::text = bf_agg(v)::text AS b, cf_agg(v, 3000)::text = cf_agg(v)::text AS c,
    bf_agg(v, 49999, 0.001)::text = bf_agg(v, NULL, 0.001)::text AS b_rate
FROM generate_series(1, 50000) v;

-- With little memory, values are streamed into a Bloom filter. Those for which it has no room, few or many, go to a
-- second layer of exactly that size: the filter contains all values, and stays within 1.5 times its rate, that is, of
-- 200,000 other values no more than 1.5 % plus 5 standard deviations of 0.027 %.
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT outgrown_by, i.layers, i.capacity BETWEEN 20000 + 0.9 * outgrown_by AND 20000 + outgrown_by AS exact_capacity,
    i.bytes <= bf_size(20000) + bf_size(greatest(outgrown_by, 1), 0.0005) AS small, i.expected_fpr <= 0.015 AS expected,
    (SELECT count(*) FROM generate_series(1, 20000 + outgrown_by) v WHERE NOT bf_contains(b, v)) AS missing,
    (SELECT count(*) FROM generate_series(-200000, -1) v WHERE bf_contains(b,
        v)) <= 200000 * (0.015 + 5 * 0.00027) AS within_rate
FROM unnest(ARRAY[0, 2000, 100000]) AS outgrown_by,
    LATERAL (SELECT bf_agg(v, 20000) AS b FROM generate_series(1, 20000 + outgrown_by) v, generate_series(1, 2)) AS f,
    LATERAL bf_info(b) AS i;
SELECT i.layers FROM (SELECT bf_agg(v, 20000) AS b FROM generate_series(1, 20200) v) AS f, bf_info(b) AS i;

-- Values in a file are built into a filter before it is known whether they are distinct. A few that come twice, wherever they
-- are among the others, make no difference.
RESET work_mem;
CREATE TABLE in_memory AS SELECT bf_agg(v) AS b, cf_agg(v) AS c FROM generate_series(1, 100000) v;
SET work_mem = '64kB';
SELECT count(*) AS cases, count(*) FILTER (WHERE of_file.b::bytea = in_memory.b::bytea) AS same_bloom,
    count(*) FILTER (WHERE of_file.c::bytea = in_memory.c::bytea) AS same_cuckoo
FROM in_memory, generate_series(0, 30) AS twice,
    LATERAL (SELECT bf_agg(v) AS b, cf_agg(v) AS c
             FROM (SELECT generate_series(1, 100000) UNION ALL
                   SELECT i * 3001 FROM generate_series(1, twice) AS i) AS rows (v)) AS of_file;
DROP TABLE in_memory;
RESET work_mem;
RESET hash_mem_multiplier;

-- The capacity and the rate as parameters of a statement that is planned once.
SET plan_cache_mode = force_generic_plan;
PREPARE with_parameters (float8, float8) AS
    SELECT (bf_info(bf_agg(i, $1, $2))).capacity AS b, (bf_info(bf_agg(i, $1, $2))).requested_fpr,
        (cf_info(cf_agg(i, $1, $2))).capacity AS c
    FROM numbers;
EXECUTE with_parameters (5000, 0.1);
EXECUTE with_parameters (NULL, 0.01);
EXECUTE with_parameters (6000, NULL);
DEALLOCATE with_parameters;
RESET plan_cache_mode;

-- Parameters that change from row to row are a mistake; by group they may differ.
SELECT bf_agg(i, 100 + g) FROM numbers;
-- The arguments in the wrong order.
SELECT cf_agg(1000000, i) FROM numbers;
\set VERBOSITY sqlstate
SELECT cf_agg(i, 100 + g) FROM numbers;
SELECT bf_agg(i, 100, CASE WHEN g = 5 THEN 0.1 ELSE 0.01 END) FROM numbers;
SELECT bf_agg(i, 100 + g) OVER () FROM numbers;
SELECT bf_agg(i, CASE WHEN g = 5 THEN NULL ELSE 100 END) FROM numbers;
\set VERBOSITY default
SELECT g, (bf_info(bf_agg(i, 1000 * (g + 1), 0.1 / (g + 1)))).capacity,
    (cf_info(cf_agg(i, 1000 * (g + 1), 0.1 / (g + 1)))).requested_fpr
FROM numbers WHERE g < 3 GROUP BY g ORDER BY g;

-- Two aggregates over one column are independent.
SELECT (bf_info(bf_agg(i))).capacity, (bf_info(bf_agg(i, 3000))).capacity,
    (bf_info(bf_agg(i, NULL, 0.1))).requested_fpr, (cf_info(cf_agg(i))).capacity,
    (bf_info(bf_agg(i))).bytes = (bf_info(bf_agg(i::text))).bytes AS same_size
FROM numbers;

-- The kind of many groups without rows has a name, which is in each of their filters.
SELECT count(DISTINCT b) AS bloom, count(DISTINCT c) AS cuckoo, bool_or(b @> int4range(1, 2) OR c @> int4range(1, 2)) AS found
FROM (SELECT bf_agg(int4range(i, i + 1)) FILTER (WHERE i < 0) AS b, cf_agg(int4range(i, i + 1), 10) FILTER (WHERE i < 0) AS c
      FROM numbers GROUP BY i) AS f;

SET client_min_messages = warning;
DROP SCHEMA aggregates CASCADE;
