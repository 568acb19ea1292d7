--
-- Copies of a value in a cuckoo filter: counting and deleting them.
--
CREATE SCHEMA delete;
SET search_path = delete, public;

-- Up to three copies of a value are counted, and deleted one at a time.
CREATE TABLE copies AS
    SELECT n, cf_add_all(cf_create(100, 1e-6), array_fill('x'::text, ARRAY[n])) AS c FROM generate_series(1, 3) n;
SELECT n, cf_count(c, 'x') AS count, cf_contains(c, 'x') AS contains, cf_cardinality(c) AS cardinality,
    cf_count(cf_delete(c, 'x'), 'x') AS after_delete,
    cf_delete_all(c, array_fill('x'::text, ARRAY[n]))::text = cf_delete(cf_add(cf_create(100, 1e-6), 'x'::text),
        'x')::text AS empty_again
FROM copies ORDER BY n;

-- The fourth is permanent: it means four or more. Nothing else changes.
SELECT cf_count(c, 'x') AS count, cf_cardinality(c) AS cardinality,
    cf_add(c, 'x')::text = c::text AS fifth_changes_nothing,
    cf_delete(c, 'x')::text = c::text AS delete_changes_nothing,
    cf_count(cf_delete_all(c, array_fill('x'::text, ARRAY[10])), 'x') AS count_after_deletes
FROM (SELECT cf_add(c, 'x') AS c FROM copies WHERE n = 3) AS four;

-- Ten thousand copies neither fail nor make the filter grow, one by one or at once, alone or among others.
SELECT cf_count(c, 7) AS count, cf_cardinality(c) AS cardinality, i.layers, i.bytes = cf_size(10) AS same_size
FROM (SELECT cf_add_all(cf_create(10), array_fill(7, ARRAY[10000])) AS c) AS many, cf_info(c) AS i;
DO $$
DECLARE
    c cuckoofilter := cf_add_all(cf_create(10), ARRAY[1, 2, 3]);
BEGIN
    FOR i IN 1..10000 LOOP
        c := cf_add(c, 7);
    END LOOP;
    ASSERT cf_contains_all(c, ARRAY[1, 2, 3, 7]), 'a value is lost';
    ASSERT (cf_info(c)).layers = 1, 'the filter grew';
    ASSERT cf_cardinality(c) = 7, 'wrong cardinality';
END$$;

-- Deleting another value changes nothing and raises no error.
SELECT n, cf_delete(c, 'y')::text = c::text AS unchanged FROM copies ORDER BY n;
SELECT cf_delete(cf_create(10), 'y'::text)::text = cf_create(10)::text AS never_used,
    cf_delete(cf_create(NULL), 'y'::text)::text = cf_create(NULL)::text AS never_sized;

-- Values that are added and deleted again leave no trace; the others stay. Several rounds, in different orders.
CREATE FUNCTION churn(rounds integer) RETURNS TABLE (round integer, missing bigint,
    cardinality bigint) LANGUAGE plpgsql AS $$
DECLARE
    c cuckoofilter := (SELECT cf_agg(i, 2000, 1e-6) FROM generate_series(1, 1000) i);
BEGIN
    FOR r IN 1..rounds LOOP
        c := cf_add_all(c, (SELECT array_agg(i ORDER BY filter_hash(i # r)) FROM generate_series(1001, 2000) i));
        c := cf_delete_all(c, (SELECT array_agg(i ORDER BY filter_hash(-i # r)) FROM generate_series(1001, 2000) i));
        RETURN QUERY SELECT r, count(*) FILTER (WHERE NOT cf_contains(c, i)), cf_cardinality(c)
        FROM generate_series(1, 1000) i;
    END LOOP;
END$$;
SELECT * FROM churn(5);

-- Values added twice, deleted once, deleted twice: every value and every count is correct, whether the second copies
-- fit into the layers of the first ones or outgrow them.
CREATE TABLE numbers AS SELECT array_agg(i) AS n FROM generate_series(1, 1000) i;
CREATE TABLE twice AS
    SELECT capacity, cf_add_all(cf_add_all(cf_create(capacity, 1e-6), n), n) AS c
    FROM numbers, (VALUES (10), (1000), (4000)) AS sizes (capacity);
CREATE TABLE once AS SELECT capacity, cf_delete_all(c, n) AS c FROM twice, numbers;
CREATE TABLE never AS SELECT capacity, cf_delete_all(c, n) AS c FROM once, numbers;
SELECT capacity, (cf_info(twice.c)).layers > 1 AS grew,
    count(*) FILTER (WHERE cf_count(twice.c, i) <> 2) AS not_twice,
    count(*) FILTER (WHERE cf_count(once.c, i) <> 1) AS not_once,
    count(*) FILTER (WHERE cf_count(never.c, i) <> 0) AS not_never
FROM twice JOIN once USING (capacity) JOIN never USING (capacity), generate_series(1, 1000) i
GROUP BY 1, 2 ORDER BY 1;

-- At a rate at which many values cannot be distinguished, deleting one half never loses a value of the other.
SELECT count(*) FILTER (WHERE NOT cf_contains(c, i)) AS missing, count(*) FILTER (WHERE cf_count(c, i) < 2) AS too_few
FROM (SELECT cf_delete_all(cf_delete_all(cf_add_all(cf_add_all(cf_create(100, 0.3), n), n), half), half) AS c
        FROM (SELECT array_agg(i) AS n, array_agg(i) FILTER (WHERE i > 2000) AS half
            FROM generate_series(1, 4000) i) AS numbers OFFSET 0) AS f,
    generate_series(1, 2000) i;

-- Which copy a deletion removes from a union does not depend on the order of the layers: it is the one in the layer
-- that refines all others.
CREATE TABLE parts AS
    SELECT 1 AS part, cf_add(cf_create(100, 0.2), 7) AS c
    UNION ALL SELECT 2, cf_add(cf_create(48, 0.01), 7)
    UNION ALL SELECT 3, cf_add(cf_create(100, 0.01), 7);
SELECT part, windows, slot_bits FROM parts, cf_layers(c) ORDER BY part;
SELECT x.part, y.part, z.part, cf_count(u, 7) AS copies, cf_count(cf_delete(u, 7), 7) AS after_delete
FROM parts x, parts y, parts z, LATERAL (SELECT x.c | y.c | z.c AS u) AS united
WHERE x.part <> y.part AND y.part <> z.part AND z.part <> x.part ORDER BY 1, 2, 3;

-- cf_add_unique adds one copy at most.
SELECT cf_count(c, 5) AS count, cf_add_unique(c, 5)::text = c::text AS unchanged,
    cf_count(cf_add_unique(c, 6), 6) AS another,
    cf_count(cf_add_unique(cf_add(c, 5), 5), 5) AS of_two
FROM (SELECT cf_add_unique(cf_add_unique(cf_create(10, 1e-6), 5), 5) AS c) AS f;

-- A Bloom filter cannot delete, and has no function for it.
\set VERBOSITY sqlstate
SELECT bf_delete(bf_create(10), 1);
\set VERBOSITY default

SET client_min_messages = warning;
DROP SCHEMA delete CASCADE;
