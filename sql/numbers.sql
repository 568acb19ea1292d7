--
-- A number whose type a driver chose: SQL compares integers with numeric exactly, so filters of one are probed and changed
-- with the other by value. Floating-point numbers are another kind: comparisons with them round.
--
CREATE SCHEMA numbers;
SET search_path = numbers, public;

-- Every integer that equals a numeric, as every type.
CREATE TABLE integers AS
    SELECT i::bigint FROM generate_series(-1000, 1000) i
    UNION SELECT (10::numeric ^ e * s)::bigint FROM generate_series(0, 18) e, (VALUES (1), (-1)) AS signs (s)
    UNION VALUES (32767), (-32768), (2147483647), (-2147483648), (9223372036854775807), (-9223372036854775808);
CREATE TABLE filters AS
    SELECT bf_agg(i, NULL, 1e-7) AS b, cf_agg(i, NULL, 1e-7) AS c, bf_agg(i::numeric, NULL, 1e-7) AS bn,
        cf_agg(i::numeric, NULL, 1e-7) AS cn
    FROM integers;
SELECT count(*) AS missing FROM filters, integers, LATERAL (VALUES (i::numeric), (i + 0.000)) AS v (n)
WHERE NOT bf_contains(b, n) OR NOT cf_contains(c, n) OR NOT b @> n OR NOT n <@ c OR cf_count(c, n) < 1
    OR NOT bf_contains_any(b, ARRAY[0.5, n]) OR NOT cf_contains_all(c, ARRAY[n, 1.0]);
SELECT count(*) AS missing FROM filters, integers
WHERE NOT bf_contains(bn, i) OR NOT cf_contains(cn, i) OR NOT bn @> i OR NOT i <@ cn OR cf_count(cn, i) < 1
    OR NOT bf_contains_any(bn, ARRAY[i]) OR NOT cf_contains_all(cn, ARRAY[i, 1]);
SELECT count(*) AS missing FROM filters, integers
WHERE i BETWEEN -32768 AND 32767 AND NOT (bf_contains(bn, i::smallint) AND cf_contains(cn, i::smallint))
    OR i BETWEEN -2147483648 AND 2147483647 AND NOT (bf_contains(bn, i::integer) AND cf_contains(cn, i::integer));

-- A numeric that equals no integer is not found.
SELECT left(n::text, 20) AS n, bf_contains(b, n) AS b, cf_contains(c, n) AS c
FROM filters, (VALUES (0.5), (-1e-16000), (9223372036854775808), (-9223372036854775809), (1e300), ('NaN')) AS v (n);
SELECT bf_contains(bn, 1001) AS b, cf_contains(cn, -1001::smallint) AS c, bf_contains_any(bn, ARRAY[1001, 4711]) AS any
FROM filters;

-- A change applies to the same value, whatever its type.
SELECT bf_add(b, 5001.0) = bf_add(b, 5001) AS bf_add, bf_add(bn, 5001) = bf_add(bn, 5001.0) AS bf_add_numeric,
    cf_add(c, 5001.0) = cf_add(c, 5001) AS cf_add, cf_add_unique(cn, 5001::smallint) = cf_add(cn, 5001.000) AS cf_add_unique,
    cf_add_all(c, ARRAY[5001.0, NULL, 5002]) = cf_add_all(c, ARRAY[5001, 5002]) AS cf_add_all,
    cf_delete(c, 7.0) = cf_delete(c, 7) AS cf_delete, cf_delete_all(cn, ARRAY[7, 8]) = cf_delete_all(cn, ARRAY[7.0, 8.0]) AS delete_all,
    bf_add(b, NULL::numeric) = b AS "null", cf_add_all(cn, ARRAY[]::bigint[]) = cn AS empty
FROM filters;
SELECT (bf_info(bf_add(b, 5001.0))).value_kind, (cf_info(cf_add(cn, 5001))).value_kind FROM filters;
-- A value that the filter's kind does not have cannot be added.
SELECT bf_add(b, 0.5) FROM filters;
\set VERBOSITY sqlstate
SELECT cf_add(c, 9223372036854775808) FROM filters;
SELECT cf_add_unique(c, 'NaN'::numeric) FROM filters;
SELECT cf_add_all(c, ARRAY[1, 0.5]) FROM filters;
SELECT cf_delete(c, 0.5) FROM filters;
SELECT cf_delete_all(c, ARRAY[0.5]) FROM filters;
-- Nor do other pairs of kinds become comparable: not floats, whose equality rounds, nor numbers inside other values.
SELECT bf_contains(b, 1::float8) FROM filters;
SELECT bf_contains(bn, 1::real) FROM filters;
SELECT bf_contains(bf_agg(i::float8), 1) FROM integers;
SELECT bf_contains(bf_agg(i::float8), 1.0) FROM integers;
SELECT bf_contains(bf_agg(ARRAY[i]), ARRAY[1.0]) FROM integers;
SELECT bf_contains(bf_agg(numrange(i, NULL)), int8range(1, NULL)) FROM integers;
SELECT bf_union(b, bn) FROM filters;
\set VERBOSITY default

-- So the hashes are equal, and with them the shards. Numbers that are not equal have different hashes, even those
-- whose digits are the 8 bytes of an integer.
SELECT count(*) AS differ FROM integers, LATERAL (VALUES (i::numeric), (i + 0.000)) AS v (n) WHERE filter_hash(i) <> filter_hash(n);
SELECT count(DISTINCT filter_hash(n)) AS hashes
FROM (VALUES (0.123456), (3906368342453301808), (-3906368342453301808), (0.1234560001), ('NaN'), (9223372036854775808)) AS v (n);
CREATE TABLE shards AS SELECT shard, bf_create(100, 1e-7, 'bigint') AS keys FROM generate_series(0, 15) AS shard;
UPDATE shards SET keys = bf_add_all(keys, ARRAY(SELECT i FROM integers WHERE filter_hash(i) & 15 = shard));
SELECT count(*) AS missing FROM integers
WHERE NOT (SELECT bf_contains(keys, i + 0.00) FROM shards WHERE shard = filter_hash(i + 0.00) & 15);

-- One call site, filters of both kinds and of none in turn.
CREATE TABLE many AS
    SELECT n, CASE n % 3 WHEN 0 THEN bf_add(bf_create(10), n) WHEN 1 THEN bf_add(bf_create(10), n::numeric) ELSE bf_create(10) END AS b
    FROM generate_series(1, 300) n;
SELECT n % 3 AS kind, count(*) FILTER (WHERE bf_contains(b, n)) AS integer, count(*) FILTER (WHERE bf_contains(b, n::numeric)) AS numeric,
    count(*) FILTER (WHERE bf_contains(bf_add(b, n::numeric), n)) AS added
FROM many GROUP BY 1 ORDER BY 1;

-- The planner's estimate is as good for a column of the other type.
CREATE TABLE facts AS SELECT (i % 100)::numeric AS n, i % 100 AS i FROM generate_series(1, 10000) i;
ANALYZE facts;
CREATE FUNCTION estimated_rows(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' -> 'Plan Rows';
END$$;
SELECT format('SELECT * FROM facts WHERE bf_contains(%L::bloomfilter, n)', bf_agg(i)) AS by_integer,
    format('SELECT * FROM facts WHERE bf_contains(%L::bloomfilter, i)', bf_agg(i::numeric)) AS by_numeric
FROM generate_series(1, 10) i \gset
SELECT estimated_rows(:'by_integer') BETWEEN 950 AND 1050 AS by_integer,
    estimated_rows(:'by_numeric') BETWEEN 950 AND 1050 AS by_numeric;

SET client_min_messages = warning;
DROP SCHEMA numbers CASCADE;
