--
-- bf_union_agg, cf_union_agg and bf_intersection_agg.
--
CREATE SCHEMA union_aggregates;
SET search_path = union_aggregates, public;

-- Twenty filters of 500 values, 5,250 in all: consecutive ones share half of theirs.
CREATE TABLE parts AS
    SELECT n, bf_agg(n * 250 + i, 10000) AS b, cf_agg(n * 250 + i, 20000, 1e-7) AS c, bf_agg(n * 250 + i) AS b_own,
    cf_agg(n * 250 + i) AS c_own
    FROM generate_series(0, 19) n, generate_series(1, 500) i GROUP BY n;

-- Parts made for one capacity merge into one layer; for a Bloom filter exactly into the filter of all values.
SELECT count(*) FILTER (WHERE NOT b @> i) AS b_missing, count(*) FILTER (WHERE NOT c @> i) AS c_missing
FROM (SELECT bf_union_agg(b) AS b, cf_union_agg(c) AS c FROM parts) AS f, generate_series(1, 5250) i;
SELECT bf_union_agg(b)::text = (SELECT bf_agg(i, 10000)::text FROM generate_series(1, 5250) i) AS same,
    (bf_info(bf_union_agg(b))).layers AS b_layers, (cf_info(cf_union_agg(c))).layers AS c_layers
FROM parts;
SELECT bf_union_agg(b ORDER BY n)::text = bf_union_agg(b ORDER BY -n)::text AS any_order FROM parts;

-- A union is a set: a value in two parts is in it once, and nothing can be deleted from it.
CREATE TABLE merged AS SELECT cf_union_agg(c) AS c FROM parts;
SELECT cf_cardinality(c) AS merged, (SELECT count(*) FROM generate_series(1, 5250) i WHERE cf_count(c, i) <> 1) AS not_once,
    cf_add_all(c, ARRAY(SELECT generate_series(1, 5250))) = c AS added_again, c | c = c AS itself
FROM merged;
SELECT cf_delete_all(c, ARRAY(SELECT generate_series(1, 5250))) FROM merged;
-- Of one filter and of empty ones, it is the filter, with all copies.
SELECT cf_cardinality(u) AS cardinality, cf_count(u, 251) AS count, cf_count(cf_delete(u, 251), 251) AS after_delete
FROM (SELECT cf_union_agg(f.c) AS u
        FROM (SELECT cf_add_all(c, array_fill(251, ARRAY[7])) AS c FROM parts WHERE n = 1
            UNION ALL SELECT cf_create(20000, 1e-7) FROM generate_series(1, 3) UNION ALL SELECT cf_create(NULL) UNION ALL SELECT NULL) AS f) AS united;
-- One that is in the filters twice is not counted twice, in any order.
SELECT n, cf_count(cf_union_agg(c), 7) AS count, cf_cardinality(cf_union_agg(c)) AS cardinality
FROM (SELECT n, cf_add_all(cf_create(100), array_fill(7, ARRAY[i * n])) AS c FROM generate_series(1, 4) n, generate_series(1, 2) i) AS f
GROUP BY n ORDER BY n;

-- Parts of any capacities and rates merge, too, into layers: no value is lost.
SELECT count(*) FILTER (WHERE NOT b @> i) AS b_missing, count(*) FILTER (WHERE NOT c @> i) AS c_missing
FROM (SELECT bf_union_agg(b_own) AS b, cf_union_agg(c_own) AS c FROM parts) AS f, generate_series(1, 5250) i;
SELECT count(*) FILTER (WHERE NOT b @> i) AS b_missing, count(*) FILTER (WHERE NOT c @> i) AS c_missing
FROM (SELECT bf_union_agg(b) AS b, cf_union_agg(c) AS c
        FROM (SELECT bf_agg(n * 1000 + i, 100 * n, 0.1 / n) AS b, cf_agg(n * 1000 + i, 100 * n, 0.1 / n) AS c
            FROM generate_series(1, 10) n, generate_series(1, 1000) i GROUP BY n) AS p) AS f,
    generate_series(1001, 11000) i;

-- No rows, or only NULLs: an empty filter. NULLs among others are skipped, and empty filters change nothing.
SELECT bf_union_agg(b)::text = bf_create(NULL)::text AS b, cf_union_agg(c)::text = cf_create(NULL)::text AS c,
    bf_intersection_agg(b)::text = bf_create(NULL)::text AS intersection
FROM parts WHERE n < 0;
SELECT bf_union_agg(NULL)::text = bf_create(NULL)::text AS b, cf_union_agg(NULL)::text = cf_create(NULL)::text AS c,
    bf_intersection_agg(NULL)::text = bf_create(NULL)::text AS intersection
FROM parts;
SELECT bf_union_agg(CASE WHEN n % 5 = 2 THEN b END)::text = bf_union_agg(b) FILTER (WHERE n % 5 = 2)::text AS b,
    cf_union_agg(CASE WHEN n % 5 = 2 THEN c END)::text = cf_union_agg(c) FILTER (WHERE n % 5 = 2)::text AS c,
    bf_intersection_agg(CASE WHEN n % 5 = 2 THEN b END)::text = bf_intersection_agg(b) FILTER (WHERE n % 5 = 2)::text
    AS intersection
FROM parts;
SELECT bf_union_agg(f.b)::text = (SELECT bf_union_agg(b)::text FROM parts) AS b,
    cf_union_agg(f.c)::text = (SELECT cf_union_agg(c)::text FROM parts) AS c
FROM (SELECT -n - 1 AS n, bf_create(NULL) AS b, cf_create(NULL) AS c FROM parts UNION ALL SELECT n, b, c
FROM parts) AS f;

-- The intersection: of filters 9 and 10, the values 2501 to 2750; of all, none. (Filled to a twentieth of their
-- capacity, they have hardly any false positives.)
SELECT count(*) FILTER (WHERE i BETWEEN 2501 AND 2750 AND b @> i) AS shared,
    count(*) FILTER (WHERE NOT i BETWEEN 2501 AND 2750 AND b @> i)
    <= 5 AS others
FROM (SELECT bf_intersection_agg(b) AS b FROM parts WHERE n IN (9, 10)) AS f, generate_series(1, 5250) i;
SELECT bf_intersection_agg(b)::text = (SELECT bf_intersection(x.b, y.b)::text FROM parts x, parts y
WHERE x.n = 9 AND y.n = 10) AS same
FROM parts WHERE n IN (9, 10);
SELECT count(*) <= 5 AS none FROM (SELECT bf_intersection_agg(b) AS b FROM parts) AS f, generate_series(1, 5250) i
WHERE b @> i;
SELECT bf_cardinality(bf_intersection_agg(b)) AS with_an_empty_one
FROM (SELECT b FROM parts WHERE n = 9 UNION ALL SELECT bf_create(10000)) AS f;

-- One that cannot be intersected: another geometry.
\set VERBOSITY sqlstate
SELECT bf_intersection_agg(b) FROM (SELECT b FROM parts UNION ALL SELECT b_own FROM parts) AS f;
\set VERBOSITY default

-- GROUP BY, by hashing and by sorting.
CREATE VIEW by_group AS
    SELECT n % 4 AS g, bf_union_agg(b) AS b, cf_union_agg(c) AS c, bf_intersection_agg(b) AS intersection FROM parts
    GROUP BY n % 4;
CREATE TABLE expected AS
    SELECT n % 4 AS g, bf_union_agg(b ORDER BY n)::text AS b, cf_cardinality(cf_union_agg(c ORDER BY n)) AS c,
    bf_intersection_agg(b ORDER BY n)::text AS intersection
    FROM parts GROUP BY n % 4;
SET enable_sort = off;
SELECT count(*) FROM by_group f JOIN expected e USING (g)
WHERE f.b::text = e.b AND cf_cardinality(f.c) = e.c AND f.intersection::text = e.intersection;
SET enable_sort = on;
SET enable_hashagg = off;
SELECT count(*) FROM by_group f JOIN expected e USING (g)
WHERE f.b::text = e.b AND cf_cardinality(f.c) = e.c AND f.intersection::text = e.intersection;
RESET enable_sort;
RESET enable_hashagg;

-- In several processes, which see the parts in any order: Bloom filters of one geometry give the same bytes, cuckoo
-- filters the same copies.
CREATE FUNCTION plan_has(query text, part text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN plan::text LIKE '%"' || part || '%';
END$$;
CREATE TABLE many AS
    SELECT n, CASE WHEN n % 10 <> 0 THEN bf_agg(n * 10 + i, 5000) END AS b,
    CASE WHEN n % 10 <> 0 THEN cf_agg(n * 10 + i, 8000, 1e-7) END AS c,
    bf_agg(n % 2 + i % 5, 100, 1e-7) AS b_small
    FROM generate_series(1, 200) n, generate_series(1, 20) i GROUP BY n;
ANALYZE many;
CREATE TABLE expected_of_many AS SELECT bf_union_agg(b) AS b, cf_union_agg(c) AS c, bf_intersection_agg(b_small) AS i
FROM many;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
SELECT plan_has('SELECT bf_union_agg(b), cf_union_agg(c), bf_intersection_agg(b_small) FROM many',
    'Finalize"') AS parallel;
SELECT p.b::text = e.b::text AS b, p.i::text = e.i::text AS intersection,
    cf_cardinality(p.c) = cf_cardinality(e.c) AS cardinality,
    (SELECT count(*) FROM generate_series(1, 2020) v WHERE cf_count(p.c, v) <> cf_count(e.c, v)) AS other_counts,
    (SELECT string_agg(v::text, ' ') FROM generate_series(-10, 10) v WHERE p.i @> v) AS in_all
FROM (SELECT bf_union_agg(b) AS b, cf_union_agg(c) AS c, bf_intersection_agg(b_small) AS i FROM many) AS p,
    expected_of_many AS e;
SELECT bf_union_agg(b)::text = bf_create(NULL)::text AS no_rows FROM many WHERE n < 0;
SELECT bf_union_agg(b)::text = bf_create(NULL)::text AS only_nulls FROM many WHERE n % 10 = 0;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET parallel_leader_participation;

SET client_min_messages = warning;
DROP SCHEMA union_aggregates CASCADE;
