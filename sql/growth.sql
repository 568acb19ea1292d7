--
-- Beyond its capacity a filter grows by layers: it loses nothing, and its rate stays within 1.5 times the requested
-- one.
--
CREATE SCHEMA growth;
SET search_path = growth, public;

-- Up to its capacity a filter keeps its size. (A Bloom filter decides by an estimate, so it may be slightly off.)
SELECT capacity, (bf_info(bf_add_all(bf_create(capacity),
    array_agg(i) FILTER (WHERE i <= 0.9 * capacity)))).layers AS b_below,
    (bf_info(bf_add_all(bf_create(capacity), array_agg(i)))).layers AS b_above,
    (cf_info(cf_add_all(cf_create(capacity), array_agg(i) FILTER (WHERE i <= capacity)))).layers AS c_at,
    (cf_info(cf_add_all(cf_create(capacity), array_agg(i)))).layers AS c_above
FROM unnest(ARRAY[1000, 10000]) capacity, generate_series(1, 3 * capacity) i GROUP BY capacity ORDER BY capacity;
-- Adding the same values again does not make a Bloom filter grow; in a cuckoo filter the copies take counters, but no layer.
SELECT bf_add_all(b, v)::text = b::text AS b_again, (cf_info(cf_add_all(c, v))).layers AS c_again,
    (cf_info(cf_add_all(c, v))).bytes - (cf_info(c)).bytes = (SELECT pages * (windows + 1) FROM cf_layers(c)) AS c_counters,
    (SELECT count(*) FROM unnest(v) i WHERE cf_count(cf_add_all(c, v), i) < 2) AS c_missing_copies
FROM (SELECT bf_add_all(bf_create(1000), array_agg(i)) AS b, cf_add_all(cf_create(1000), array_agg(i)) AS c,
    array_agg(i) AS v
    FROM generate_series(1, 1000) i) AS f;

-- Far beyond its capacity: the layers double, and no value is missing. Of 100,000 other values no more are found than
-- 1.5 times the rate plus 5 standard deviations.
CREATE TABLE grown AS
    SELECT capacity, fpr, n, bf_add_all(bf_create(capacity, fpr), array_agg(i)) AS b,
    cf_add_all(cf_create(capacity, fpr), array_agg(i)) AS c
    FROM (VALUES (1000, 0.3::float8, 20000), (1000, 0.03, 20000), (1000, 0.01, 60000), (2000, 0.001, 30000),
        (5000, 0.0001, 20000))
        AS v (capacity, fpr, n), generate_series(1, n) i
    GROUP BY capacity, fpr, n;
SELECT capacity, fpr, n, (SELECT count(*) FILTER (WHERE NOT b @> i) FROM generate_series(1, n) i) AS b_missing,
    (SELECT count(*) FILTER (WHERE NOT c @> i) FROM generate_series(1, n) i) AS c_missing,
    (SELECT count(*) FILTER (WHERE b @> i) <= count(*) * 1.5 * fpr + 5 * sqrt(count(*) * 1.5 * fpr * (1 - 1.5 * fpr))
        FROM generate_series(-100000, -1) i) AS b_rate,
    (SELECT count(*) FILTER (WHERE c @> i) <= count(*) * 1.5 * fpr + 5 * sqrt(count(*) * 1.5 * fpr * (1 - 1.5 * fpr))
        FROM generate_series(-100000, -1) i) AS c_rate
FROM grown ORDER BY capacity, fpr;
-- Layers double: their number follows from capacity * (2 ^ layers - 1) = n, or differs by one. (At a rate of 0.3 a
-- Bloom filter needs less room: it does not store values that it already seems to contain.)
SELECT capacity, fpr, n, (bf_info(b)).layers - ceil(log(2, 1 + n::numeric / capacity)) BETWEEN -1 AND 1 AS b_layers,
    (cf_info(c)).layers - ceil(log(2, 1 + n::numeric / capacity)) BETWEEN -1 AND 1 AS c_layers,
    (bf_info(b)).capacity = capacity * (2 ^ (bf_info(b)).layers - 1) AS b_capacity,
    (cf_info(c)).capacity = capacity * (2 ^ (cf_info(c)).layers - 1) AS c_capacity,
    cf_cardinality(c) = n AS c_cardinality, bf_cardinality(b) BETWEEN 0.95 * n AND 1.05 * n AS b_cardinality,
    (bf_info(b)).requested_fpr = fpr AS b_requested, (cf_info(c)).requested_fpr = fpr AS c_requested
FROM grown WHERE fpr < 0.1 ORDER BY capacity, fpr;

-- One value at a time: every value is there at once, and still there at the end.
CREATE FUNCTION add_one_by_one(n integer, OUT b bloomfilter, OUT c cuckoofilter) LANGUAGE plpgsql AS $$
BEGIN
    b := bf_create(50);
    c := cf_create(50);
    FOR i IN 1..n LOOP
        b := bf_add(b, i);
        c := cf_add(c, i);
        IF NOT (bf_contains(b, i) AND cf_contains(c, i)) THEN
            RAISE EXCEPTION 'value % is missing', i;
        END IF;
    END LOOP;
END$$;
SELECT (bf_info(b)).layers BETWEEN 6 AND 7 AS b_layers, (cf_info(c)).layers BETWEEN 6 AND 7 AS c_layers,
    bf_contains_all(b, ARRAY(SELECT generate_series(1, 3000))) AS b_all,
    cf_contains_all(c, ARRAY(SELECT generate_series(1, 3000))) AS c_all,
    cf_cardinality(c) AS c_cardinality
FROM add_one_by_one(3000);

-- A filter without a capacity gets one with its first value, and grows from there.
SELECT (bf_info(bf_add(bf_create(NULL), 1))).layers AS b_layers,
    (bf_info(bf_add(bf_create(NULL), 1))).capacity AS b_capacity,
    (cf_info(cf_add(cf_create(NULL), 1))).layers AS c_layers,
    (cf_info(cf_add(cf_create(NULL), 1))).capacity AS c_capacity;
SELECT bf_contains_all(bf_add_all(bf_create(NULL), v), v) AS b, cf_contains_all(cf_add_all(cf_create(NULL), v), v) AS c,
    (bf_info(bf_add_all(bf_create(NULL), v))).expected_fpr < 0.015 AS b_rate,
    (cf_info(cf_add_all(cf_create(NULL), v))).expected_fpr < 0.015 AS c_rate
FROM (SELECT array_agg(i) AS v FROM generate_series(1, 20000) i) AS v;

-- cf_add_unique makes it grow, too. It skips values that are found already, so the filter may hold fewer values; none
-- is missing, and none counts twice.
SELECT bool_and(cf_contains(c, i)) AS all_found, cf_cardinality(c) BETWEEN 1950 AND 2000 AS cardinality,
    (cf_info(c)).layers > 1 AS grown
FROM (WITH RECURSIVE step AS (
            SELECT 0 AS n, cf_create(200, 0.001) AS c
            UNION ALL
            SELECT n + 1, cf_add_unique(cf_add_unique(c, n + 1), n + 1) FROM step WHERE n < 2000)
        SELECT c FROM step WHERE n = 2000) AS f, generate_series(1, 2000) i
GROUP BY cf_cardinality(c), (cf_info(c)).layers;

-- Deletes reach every layer of a filter that has grown: after each round the other values are found, and the deleted
-- ones are not, except the few (at most 1 %) that the filter cannot distinguish from values in another layer.
CREATE TABLE shrinking AS SELECT 0 AS deleted, c FROM grown WHERE capacity = 2000;
INSERT INTO shrinking
    SELECT n, cf_delete_all(c, ARRAY(SELECT (i * 7919) % 30000 + 1 FROM generate_series(1, n) i))
    FROM shrinking, unnest(ARRAY[1000, 15000, 29000, 30000]) n;
SELECT deleted, cf_cardinality(c) BETWEEN 30000 - deleted AND 30000 - deleted + 300 AS cardinality,
    (SELECT count(*) FROM generate_series(deleted + 1, 30000) i WHERE NOT cf_contains(c,
        (i * 7919) % 30000 + 1)) AS missing
FROM shrinking ORDER BY deleted;

-- cf_compact reduces it to fewer layers if they fit, without losing a value; a compact filter is unchanged.
CREATE TABLE compacted AS SELECT deleted, cf_compact(c) AS c FROM shrinking;
SELECT deleted, (cf_info(a.c)).layers < (cf_info(b.c)).layers AS fewer_layers,
    (cf_info(a.c)).bytes < (cf_info(b.c)).bytes AS smaller,
    cf_cardinality(a.c) = cf_cardinality(b.c) AS same_cardinality,
    (SELECT count(*) FROM generate_series(deleted + 1, 30000) i WHERE NOT cf_contains(a.c,
        (i * 7919) % 30000 + 1)) AS missing,
    cf_compact(a.c)::text = a.c::text AS stable
FROM compacted AS a JOIN shrinking AS b USING (deleted) ORDER BY deleted;
SELECT (cf_info(c)).layers, (cf_info(c)).capacity, cf_contains(cf_add(c, 1), 1) AS still_works FROM compacted
WHERE deleted = 30000;

-- A value that compacting moves into an older layer may be indistinguishable there from a value of a layer in between,
-- and deleting that one must not remove it. Such pairs are rare, so the test searches for them: x and y, which a
-- layer of the first one's size cannot distinguish. y comes into the second of three layers, x into the third, which
-- is then merged into the first.
CREATE FUNCTION delete_after_compact(pairs integer, OUT tried integer, OUT merged integer, OUT lost integer)
LANGUAGE plpgsql AS $$
DECLARE
    x integer := 0;
    y integer;
    i integer;
    first_layer cuckoofilter;
    c cuckoofilter;
BEGIN
    tried := 0;
    merged := 0;
    lost := 0;
    WHILE tried < pairs LOOP
        x := x - 1;
        SELECT v FROM generate_series(1000000, 1100000) v
            WHERE cf_contains(cf_add(cf_create(100, 0.001), x), v) LIMIT 1 INTO y;
        CONTINUE WHEN y IS NULL;
        i := 0;
        c := cf_create(100, 0.001);
        WHILE (cf_info(c)).layers < 2 LOOP
            i := i + 1;
            first_layer := c;
            c := cf_add(c, i);
        END LOOP;
        c := cf_add(c, y);
        WHILE (cf_info(c)).layers < 3 LOOP
            i := i + 1;
            c := cf_add(c, i);
        END LOOP;
        CONTINUE WHEN cf_contains(c, x);
        tried := tried + 1;
        c := cf_add(c, x);
        -- Room in the first layer, and no other value in the third.
        c := cf_delete_all(c, ARRAY(SELECT v FROM generate_series(1, i) v WHERE v = i OR cf_contains(first_layer, v)));
        c := cf_compact(c);
        merged := merged + ((cf_info(c)).layers < 3)::integer;
        c := cf_delete(c, y);
        lost := lost + (NOT cf_contains(c, x))::integer;
    END LOOP;
END$$;
SELECT * FROM delete_after_compact(5);
SELECT cf_compact(cf_create(NULL))::text = cf_create(NULL)::text AS none,
    cf_compact(cf_create(10))::text = cf_create(10)::text AS empty,
    cf_compact(cf_agg(i))::text = cf_agg(i)::text AS one_layer
FROM generate_series(1, 1000) i;

-- Tiny filters keep their rate when they grow: a small cuckoo layer has spare slots, which must not be used for more
-- values. The bound is 1.5 times the rate plus 5 standard deviations for 100,000 probes.
SELECT capacity, rate, false_positives <= 100000 * 1.5 * rate + 5 * sqrt(100000 * 1.5 * rate) AS within_rate
FROM (SELECT capacity, rate,
          (SELECT count(*) FROM generate_series(1000001, 1100000) AS i WHERE cf_contains(f, i)) AS false_positives
      FROM (SELECT capacity, rate,
                cf_add_all(cf_create(capacity, rate), ARRAY(SELECT generate_series(1, 20 * capacity))) AS f
            FROM unnest(ARRAY[1, 2, 4, 20, 100, 400]) AS capacity, unnest(ARRAY[0.01, 0.001]) AS rate
            OFFSET 0) AS grown
      OFFSET 0) AS probed
ORDER BY capacity, rate;

-- Values that were added once can be deleted, however far beyond a tiny capacity a filter has grown.
SELECT capacity, cf_cardinality(f) AS cardinality, cf_cardinality(cf_delete_all(f, list)) AS left,
    cf_cardinality(cf_delete_all(cf_compact(f), list)) AS compacted
FROM (SELECT capacity, list, cf_add_all(cf_create(capacity, 0.01, 'int'), list) AS f
      FROM unnest(ARRAY[1, 10, 60]) AS capacity, (SELECT array_agg(i) AS list FROM generate_series(1, 100000) i) AS l OFFSET 0) AS grown;

SET client_min_messages = warning;
DROP SCHEMA growth CASCADE;
