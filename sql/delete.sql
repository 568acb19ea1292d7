--
-- Copies of a value in a cuckoo filter: counting and deleting them.
--
CREATE SCHEMA delete;
SET search_path = delete, public;

-- Up to 15 copies of a value are counted, and deleted one at a time. More than four need counters, which stay until the filter is
-- compacted.
CREATE TABLE copies AS
    SELECT n, cf_add_all(cf_create(100, 1e-6), array_fill('x'::text, ARRAY[n])) AS c FROM generate_series(1, 15) n;
SELECT n, cf_count(c, 'x') AS count, cf_contains(c, 'x') AS contains, cf_cardinality(c) AS cardinality,
    cf_count(cf_delete(c, 'x'), 'x') AS after_delete, (cf_info(c)).bytes - cf_size(100, 1e-6) AS counters,
    cf_compact(cf_delete_all(c, array_fill('x'::text, ARRAY[n])))::text = cf_delete(cf_add(cf_create(100, 1e-6), 'x'::text),
        'x')::text AS empty_again
FROM copies ORDER BY n;
-- One by one, with another value between.
DO $$
DECLARE
    c cuckoofilter := cf_create(100, 1e-6);
BEGIN
    FOR i IN 1..15 LOOP
        c := cf_add(cf_add(c, 'x'::text), 'other ' || i);
        ASSERT cf_count(c, 'x') = i AND cf_cardinality(c) = 2 * i, 'added';
    END LOOP;
    FOR i IN REVERSE 14..0 LOOP
        c := cf_delete(c, 'x');
        ASSERT cf_count(c, 'x') = i AND cf_cardinality(c) = 15 + i, 'deleted';
    END LOOP;
    ASSERT NOT cf_contains(c, 'x') AND cf_contains_all(c, ARRAY(SELECT 'other ' || i FROM generate_series(1, 15) i)), 'the others';
END$$;

-- The 16th is permanent: it means more than 15. Further ones change nothing, and deleting it is a notice.
CREATE TABLE permanent AS SELECT cf_add(c, 'x') AS c FROM copies WHERE n = 15;
SELECT cf_count(c, 'x') AS count, cf_cardinality(c) AS cardinality, cf_add(c, 'x')::text = c::text AS next_changes_nothing,
    cf_add_all(c, array_fill('x'::text, ARRAY[1000]))::text = c::text AS thousand_change_nothing,
    cf_add_unique(c, 'x')::text = c::text AS unique_changes_nothing, cf_compact(c)::text = c::text AS compact
FROM permanent;
SELECT cf_delete(c, 'x')::text = c::text AS delete_changes_nothing FROM permanent;
SELECT cf_count(cf_delete_all(c, array_fill('x'::text, ARRAY[10])), 'x') AS count_after_deletes FROM permanent;
SELECT cf_count(d, 'x') AS x, cf_count(d, 'y') AS y, cf_count(d, 'z') AS z, cf_count(d, 'w') AS w
FROM permanent, cf_delete_all(cf_add_all(c, array_fill('z'::text, ARRAY[20]) || ARRAY['y', 'w', 'w']), ARRAY['x', 'y', 'z', 'w']) AS d;
-- A table keeps the filter, and tells so.
UPDATE permanent SET c = cf_delete(cf_add(c, 'y'), 'x');
SELECT cf_count(c, 'x') AS x, cf_count(c, 'y') AS y FROM permanent;
-- In a filter of several layers, too: the copies of all layers count together.
SELECT (cf_info(c)).layers > 1 AS grown, cf_count(c, 1) AS permanent, cf_count(c, 2) AS fifteen, cf_count(cf_delete(c, 2), 2) AS after_delete
FROM (SELECT cf_add_all(cf_add_all(cf_add_all(cf_create(10, 1e-6), array_fill(1, ARRAY[8]) || array_fill(2, ARRAY[8])),
        ARRAY(SELECT generate_series(3, 100))), array_fill(1, ARRAY[8]) || array_fill(2, ARRAY[7]))) AS f (c);
SELECT cf_delete(c, 1) = c AS unchanged
FROM (SELECT cf_add_all(cf_add_all(cf_add_all(cf_create(10, 1e-6), array_fill(1, ARRAY[8])), ARRAY(SELECT generate_series(3, 100))),
        array_fill(1, ARRAY[8]))) AS f (c);

-- Ten thousand copies neither fail nor make the filter grow, one by one or at once, alone or among others; counters take half a
-- byte for each slot.
SELECT cf_count(c, 7) AS count, cf_cardinality(c) AS cardinality, i.layers, i.bytes - cf_size(10) = pages * (windows + 1) AS counters
FROM (SELECT cf_add_all(cf_create(10), array_fill(7, ARRAY[10000])) AS c) AS many, cf_info(c) AS i, cf_layers(c);
DO $$
DECLARE
    c cuckoofilter := cf_add_all(cf_create(10), ARRAY[1, 2, 3]);
BEGIN
    FOR i IN 1..10000 LOOP
        c := cf_add(c, 7);
    END LOOP;
    ASSERT cf_contains_all(c, ARRAY[1, 2, 3, 7]), 'a value is lost';
    ASSERT (cf_info(c)).layers = 1, 'the filter grew';
    ASSERT cf_cardinality(c) = 19, 'wrong cardinality';
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

-- Nothing can be deleted from a union of filters that both have values: one entry stands for values of both, which may have been
-- of several layers, in any order. It counts nothing, and a value is added to it once.
CREATE TABLE parts AS
    SELECT 1 AS part, cf_add(cf_create(100, 0.2), 7) AS c
    UNION ALL SELECT 2, cf_add(cf_create(48, 0.01), 7)
    UNION ALL SELECT 3, cf_add(cf_create(100, 0.01), 7);
SELECT part, windows, slot_bits FROM parts, cf_layers(c) ORDER BY part;
SELECT x.part, y.part, z.part, cf_count(u, 7) BETWEEN 1 AND (cf_info(u)).layers AS contains, cf_add(u, 7) = u AS added_again,
    cf_count(cf_add(cf_add(u, 8), 8), 8) AS another
FROM parts x, parts y, parts z, LATERAL (SELECT x.c | y.c | z.c AS u) AS united
WHERE x.part <> y.part AND y.part <> z.part AND z.part <> x.part ORDER BY 1, 2, 3;
CREATE TABLE unions AS
    SELECT 'operator' AS name, x.c | y.c AS c FROM parts x, parts y WHERE x.part = 1 AND y.part = 2
    UNION ALL SELECT 'itself', c | c FROM parts WHERE part = 3
    UNION ALL SELECT 'function', cf_union(x.c, y.c) FROM parts x, parts y WHERE x.part = 2 AND y.part = 3
    UNION ALL SELECT 'aggregate', cf_union_agg(c) FROM parts
    UNION ALL SELECT 'of copies', cf_add_all(c, array_fill(7, ARRAY[20])) | c FROM parts WHERE part = 3
    UNION ALL SELECT 'not growing', cf_add(f, 7) | cf_add(f, 8) FROM cf_create(100, grow => false) AS f;
INSERT INTO unions
    SELECT name || ', ' || change, CASE change WHEN 'compact' THEN cf_compact(c) WHEN 'text' THEN c::text::cuckoofilter
        WHEN 'with an empty one' THEN c | cf_create(100, (cf_info(c)).requested_fpr, NULL, (cf_info(c)).grows)
        WHEN 'with an empty one before' THEN cf_create(100, (cf_info(c)).requested_fpr, NULL, (cf_info(c)).grows) | c
        WHEN 'added to' THEN cf_add(c, 9) END
    FROM unions, unnest(ARRAY['compact', 'text', 'with an empty one', 'with an empty one before', 'added to']) AS change;
CREATE FUNCTION refused(c cuckoofilter, keys integer[]) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(keys) = 1 THEN
        PERFORM cf_delete(c, keys[1]);
    ELSE
        PERFORM cf_delete_all(c, keys);
    END IF;
    RETURN 'done';
EXCEPTION WHEN object_not_in_prerequisite_state THEN
    RETURN SQLERRM;
END$$;
SELECT name, cf_count(c, 7) BETWEEN 1 AND layers AS contains, layers, refused(c, ARRAY[7]) FROM unions, cf_info(c) ORDER BY name;
SELECT refused(c, ARRAY[12345]) AS absent, refused(c, ARRAY[7, 8]) AS several, refused(c, '{}') AS none, count(*) FROM unions GROUP BY 1, 2, 3;
SELECT cf_delete(c, 7) FROM unions WHERE name = 'operator';
SELECT cf_delete(c, NULL::integer) = c AS unchanged FROM unions WHERE name = 'operator';

-- A union with a filter without values keeps the copies, and can be deleted from, whichever is on the left.
CREATE TABLE counted AS
    SELECT 'entries' AS name, cf_add_all(cf_create(100, 0.01), ARRAY[7, 7, 8]) AS c
    UNION ALL SELECT 'counters', cf_add_all(cf_create(100, 0.01), ARRAY[8] || array_fill(7, ARRAY[9]))
    UNION ALL SELECT 'permanent', cf_add_all(cf_create(100, 0.01), ARRAY[8] || array_fill(7, ARRAY[30]))
    UNION ALL SELECT 'grown', cf_add_all(cf_create(100, 0.01), ARRAY(SELECT i % 500 + 7 FROM generate_series(0, 999) i));
SELECT name, empty, cf_count(u, 7) = cf_count(c, 7) AND cf_count(u, 8) = cf_count(c, 8) AND cf_cardinality(u) = cf_cardinality(c) AS counts,
    cf_count(cf_delete(u, 8), 8) = cf_count(c, 8) - 1 AS deletes, cf_count(cf_add(u, 8), 8) = cf_count(c, 8) + 1 AS adds
FROM counted, (VALUES ('none', cf_create(NULL)), ('same', cf_create(100, 0.01)), ('other', cf_create(1000, 0.001)),
        ('emptied', cf_delete(cf_add(cf_create(100, 0.01), 5), 5))) AS e (empty, f),
    LATERAL (VALUES (c | f), (f | c), (cf_union(cf_union(f, c), f))) AS united (u)
ORDER BY name, empty;
SELECT name, cf_count(u, 7) = cf_count(c, 7) AS counts, cf_count(cf_delete(u, 8), 8) = cf_count(c, 8) - 1 AS deletes
FROM counted, LATERAL (SELECT cf_union_agg(f) AS u FROM unnest(ARRAY[cf_create(NULL), cf_create(100, 0.01), c, cf_create(100, 0.01)]) AS f) AS a
ORDER BY name;

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
