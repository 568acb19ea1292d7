--
-- Unions and intersections: of equal and of different geometry, of grown filters, and the limits.
--
CREATE SCHEMA merge;
SET search_path = merge, public;

CREATE TABLE filters AS
    SELECT name, bf_add_all(bf_create(capacity, fpr), v) AS b, cf_add_all(cf_create(capacity, fpr), v) AS c, lo, hi
    FROM (VALUES ('first', 4000, 0.01::float8, 1, 2000), ('second', 4000, 0.01, 2001, 4000),
        ('other capacity', 1000, 0.01, 4001, 5000),
        ('other rate', 4000, 0.001, 5001, 6000), ('grown', 100, 0.01, 6001, 9000),
                ('grown too', 100, 0.01, 9001, 12000),
            ('full', 4000, 0.01, 12001, 16000), ('no value', 4000, 0.01, 1, 0))
        AS p (name, capacity, fpr, lo, hi), LATERAL (SELECT array_agg(i) AS v FROM generate_series(lo, hi) i) AS v
    UNION ALL
    SELECT 'no layer', bf_create(NULL), cf_create(NULL), 1, 0;

-- Of every pair: no value is missing, whichever is on the left; and a filter of two has the values of no third. (Of
-- 40,000 other values, no more are found than 1.5 times the sum of both rates, plus 5 standard deviations.)
SELECT count(*) AS pairs, sum(b_missing) AS b_missing, sum(c_missing) AS c_missing,
    bool_and(b_others <= allowed) AS b_rate,
    bool_and(c_others <= allowed) AS c_rate
FROM filters AS x, filters AS y,
    LATERAL (SELECT x.b | y.b AS b, cf_union(x.c, y.c) AS c OFFSET 0) AS u,
    LATERAL (SELECT count(*) FILTER (WHERE NOT u.b @> i) AS b_missing, count(*) FILTER (WHERE NOT u.c @> i) AS c_missing
        FROM generate_series(x.lo, x.hi) i) AS m,
    LATERAL (SELECT count(*) FILTER (WHERE u.b @> i) AS b_others, count(*) FILTER (WHERE u.c @> i) AS c_others,
        count(*) * 0.03 + 5 * sqrt(count(*) * 0.03 * 0.97) AS allowed FROM generate_series(-40000, -1) i) AS o;

-- Two filters of one capacity and rate that together are not overfull: one layer. A Bloom filter is identical to one
-- to which the values were added; a cuckoo filter has an entry for each class of values.
SELECT (bf_info(b)).layers AS b_layers, (bf_info(b)).capacity AS b_capacity,
    b::text = (SELECT bf_agg(i, 4000)::text FROM generate_series(1, 4000) i) AS b_same,
    (cf_info(c)).layers AS c_layers, (cf_info(c)).capacity AS c_capacity, cf_cardinality(c) AS c_cardinality
FROM (SELECT x.b | y.b AS b, x.c | y.c AS c FROM filters x, filters y
WHERE x.name = 'first' AND y.name = 'second') AS u;
-- Overfull, or of different capacity or rate: layers side by side.
SELECT x.name || ', ' || y.name AS pair, (bf_info(x.b | y.b)).layers AS b_layers,
    (cf_info(x.c | y.c)).layers AS c_layers,
    (bf_info(x.b | y.b)).capacity AS b_capacity, cf_cardinality(x.c | y.c) AS c_cardinality,
    (bf_info(x.b | y.b)).requested_fpr
FROM filters x, filters y
WHERE (x.name, y.name) IN (('first', 'full'), ('first', 'other capacity'), ('first', 'other rate'),
    ('other rate', 'first'))
ORDER BY 1;

-- A Bloom filter united with itself is itself; a cuckoo filter becomes a set, in which every value is once, and then is itself, too.
SELECT name, (b | b)::text = b::text AS b_same, cf_cardinality(c | c) BETWEEN 0.97 * cf_cardinality(c) AND cf_cardinality(c) AS c_once,
    (SELECT count(*) FROM generate_series(lo, hi) i WHERE NOT (c | c) @> i OR cf_count(c | c, i) <> 1) AS c_not_once,
    ((c | c) | c)::text = (c | c)::text AS c_again, (c | (c | c))::text = (c | c)::text AS c_again_from_the_left
FROM filters WHERE name IN ('first', 'no value', 'no layer') ORDER BY name;

-- Empty filters are neutral: without a layer exactly; with one, at least in content.
SELECT x.name, (x.b | e.b)::text = x.b::text AS b_right, (e.b | x.b)::text = x.b::text AS b_left,
    (x.c | e.c)::text = x.c::text AS c_right, (e.c | x.c)::text = x.c::text AS c_left
FROM filters x, filters e WHERE e.name = 'no layer' ORDER BY x.name;
SELECT x.name, bf_cardinality(x.b | e.b) = bf_cardinality(x.b) AS b_right,
    bf_cardinality(e.b | x.b) = bf_cardinality(x.b) AS b_left,
    cf_cardinality(x.c | e.c) = cf_cardinality(x.c) AS c_right,
    cf_cardinality(e.c | x.c) = cf_cardinality(x.c) AS c_left
FROM filters x, filters e WHERE e.name = 'no value' ORDER BY x.name;
SELECT (bf_info(e.b | x.b)).value_kind AS b_kind, (cf_info(e.c | x.c)).value_kind AS c_kind FROM filters x, filters e
WHERE x.name = 'first' AND e.name = 'no layer';

-- One whose copies were all deleted does not keep their counters.
SELECT pg_column_size(emptied) > pg_column_size(created) AS counted, (emptied | other)::text = (created | other)::text AS same
FROM (SELECT cf_delete_all(cf_add_all(cf_create(100), nine), nine), cf_create(100, of => 'integer'), cf_add(cf_create(200), 1)
    FROM array_fill(1, ARRAY[9]) AS nine) AS f (emptied, created, other);

-- A union can be added to and compacted; no value is lost. It cannot be deleted from.
CREATE TABLE united AS
    SELECT (SELECT cf_union_agg(c) FROM filters) AS c, ARRAY(SELECT generate_series(1, 16000, 2)) AS odd,
    ARRAY(SELECT generate_series(16001, 20000)) AS more;
SELECT (SELECT count(*) FROM generate_series(1, 16000) i WHERE NOT cf_contains(c, i) OR cf_count(c, i) < 1) AS missing_at_first,
    (SELECT count(*) FROM cf_compact(c) d, generate_series(1, 16000) i
    WHERE NOT cf_contains(d, i)) AS missing_after_compact,
    (SELECT count(*) FROM cf_add_all(c, more || odd) d, generate_series(1, 20000) i
    WHERE NOT cf_contains(d, i)) AS missing_after_adding,
    (SELECT count(*) FROM cf_compact(cf_add_all(cf_compact(c), more)) d, generate_series(1, 20000) i
    WHERE NOT cf_contains(d, i)) AS missing_after_all,
    cf_add_all(c, odd) = c AS added_once,
    (SELECT count(*) FROM generate_series(1, 16000) i WHERE NOT cf_contains(c | c, i)) AS missing_of_itself, cf_cardinality(c) <= 16000 AS cardinality
FROM united;
SELECT cf_delete_all(c, odd) FROM united;
UPDATE united SET c = cf_delete(c, 1);

-- Long series of changes of every sort, compared with a table of the expected copies: whatever its layers, the filter
-- never loses a value, or a copy. A union with an empty filter keeps the copies; one with another filter has all values of both,
-- and is not continued with, since nothing can be deleted from it. Choices come from a linear congruential generator.
CREATE FUNCTION shuffle_about(seed bigint, capacity bigint, fpr float8, rounds integer, OUT lost bigint,
    OUT changes text, OUT grown boolean)
LANGUAGE plpgsql AS $$
DECLARE
    c cuckoofilter := cf_create(capacity, fpr);
    other cuckoofilter;
    united cuckoofilter;
    copies integer[] := array_fill(0, ARRAY[1000]);
    chosen integer[];
BEGIN
    lost := 0;
    changes := '';
    grown := false;
    FOR round IN 1..rounds LOOP
        seed := (seed * 1103515245 + 12345) % 2147483648;
        chosen := ARRAY(SELECT v FROM generate_series(1, 1000) v WHERE (v * 7919::bigint + seed) % 1009 < 250
        ORDER BY v * 31 % 1009);
        IF seed / 65536 % 5 < 2 THEN
            changes := changes || '+';
            c := cf_add_all(c, chosen);
            copies := ARRAY(SELECT n + (v = ANY (chosen))::integer FROM unnest(copies) WITH ORDINALITY AS u (n, v)
            ORDER BY v);
        ELSIF seed / 65536 % 5 < 4 THEN
            changes := changes || '-';
            chosen := ARRAY(SELECT v FROM unnest(chosen) v WHERE copies[v] > 0);
            c := cf_delete_all(c, chosen);
            copies := ARRAY(SELECT n - (v = ANY (chosen))::integer FROM unnest(copies) WITH ORDINALITY AS u (n, v)
            ORDER BY v);
        ELSIF round % 4 <> 0 THEN
            changes := changes || 'c';
            c := cf_compact(c);
        ELSE
            changes := changes || '|';
            other := (SELECT cf_agg(v, capacity * (round % 3 + 1), fpr) FROM unnest(chosen) v);
            united := CASE WHEN round % 8 = 0 THEN c | other ELSE other | c END;
            lost := lost + (SELECT count(*) FROM unnest(copies) WITH ORDINALITY AS u (n, v)
            WHERE (n > 0 OR v = ANY (chosen)) AND NOT cf_contains(united, v));
            other := cf_create(capacity * (round % 3 + 1), fpr);
            c := CASE WHEN round % 8 = 0 THEN c | other ELSE other | c END;
        END IF;
        lost := lost + (SELECT count(*) FROM unnest(copies) WITH ORDINALITY AS u (n, v)
        WHERE n > 0 AND (NOT cf_contains(c, v) OR cf_count(c, v) < least(n, 16)));
        grown := grown OR (cf_info(c)).layers > 2;
        c := c::text::cuckoofilter;
    END LOOP;
END$$;
-- Without the notices about values that stay.
SET client_min_messages = warning;
SELECT seed, s.* FROM generate_series(1, 6) seed, shuffle_about(seed * 1000003, 200, 0.02, 40) s ORDER BY seed;
SELECT seed, s.* FROM generate_series(1, 6) seed, shuffle_about(seed * 1000033, 100, 0.3, 40) s ORDER BY seed;
RESET client_min_messages;

-- Parts of a whole that is as large as the capacity merge into one layer, whatever the noise in the estimate of their union.
SELECT of, count(*) FILTER (WHERE layers > 1) AS of_several_layers, count(*) FILTER (WHERE expected_fpr > 0.011) AS above_rate
FROM (SELECT capacity AS of, bf_agg(i, capacity) FILTER (WHERE i % 2 = 0) | bf_agg(i, capacity) FILTER (WHERE i % 2 = 1) AS b
        FROM unnest(ARRAY[1000, 10000]) capacity, generate_series(1, 50) part,
            generate_series(part * 1000000 + 1, part * 1000000 + capacity) i
        GROUP BY capacity, part) AS unions, bf_info(b)
GROUP BY of ORDER BY of;

-- Intersections of filters of one geometry: all values that both contain, and otherwise only false positives.
SELECT count(*) FILTER (WHERE i BETWEEN 1001 AND 2000 AND NOT (x & y) @> i) AS missing,
    count(*) FILTER (WHERE NOT i BETWEEN 1001 AND 2000
        AND (x & y) @> i) <= 5000 * 0.01 + 5 * sqrt(5000 * 0.01) AS others,
    bool_and((x & y)::text = bf_intersection(y, x)::text) AS same_from_right
FROM (SELECT bf_agg(i, 4000) FILTER (WHERE i <= 2000) AS x, bf_agg(i, 4000) FILTER (WHERE i > 1000 AND i <= 3000) AS y
    FROM generate_series(1, 6000) i) AS f, generate_series(1, 6000) i;
SELECT (b & b)::text = b::text AS itself, bf_cardinality(b & bf_create(4000)) AS with_empty,
    bf_cardinality(b & bf_create(NULL)) AS with_none,
    bf_cardinality(bf_create(NULL) & b) AS none_with, (b & bf_create(NULL)) @> 1 AS contains
FROM filters WHERE name = 'first';

-- They are not possible for different geometries, or for filters that have outgrown theirs.
SELECT x.b & y.b FROM filters x, filters y WHERE x.name = 'first' AND y.name = 'other capacity';
\set VERBOSITY sqlstate
SELECT x.b & y.b FROM filters x, filters y WHERE x.name = 'first' AND y.name = 'other rate';
SELECT x.b & y.b FROM filters x, filters y WHERE x.name = 'grown' AND y.name = 'grown too';
SELECT x.b & x.b FROM filters x WHERE x.name = 'grown';
\set VERBOSITY default

-- A filter has at most 32 layers. An operation that would need more is an error, and changes nothing.
CREATE TABLE deep AS
    SELECT bf_union_agg(b ORDER BY n) AS b, cf_union_agg(c ORDER BY n) AS c
    FROM (SELECT n, bf_agg(n * 100 + i, n * 5, 0.0001) AS b, cf_agg(n * 100 + i, n * 5, 0.0001) AS c
        FROM generate_series(1, 32) n, generate_series(1, n * 5) i GROUP BY n) AS parts;
SELECT (bf_info(b)).layers AS b, (cf_info(c)).layers AS c FROM deep;
UPDATE deep SET b = b | bf_agg FROM (SELECT bf_agg(-i, 1000) FROM generate_series(1, 1000) i) AS f;
UPDATE deep SET c = c | cf_agg FROM (SELECT cf_agg(-i, 1000) FROM generate_series(1, 1000) i) AS f;
\set VERBOSITY sqlstate
UPDATE deep SET b = bf_add_all(b, ARRAY(SELECT generate_series(-1000, -1)));
UPDATE deep SET c = cf_add_all(c, ARRAY(SELECT generate_series(-1000, -1)));
SELECT bf_union_agg(b)
FROM (SELECT bf_agg(i, 40 * n) AS b FROM generate_series(1, 40) n, generate_series(1, 40) i GROUP BY n) AS f;
\set VERBOSITY default
SELECT (bf_info(b)).layers AS b, (cf_info(c)).layers AS c,
    (SELECT count(*) FROM generate_series(1, 32) n, generate_series(1, n * 5) i
    WHERE NOT (bf_contains(b, n * 100 + i) AND cf_contains(c, n * 100 + i)))
    AS missing
FROM deep;

SET client_min_messages = warning;
DROP SCHEMA merge CASCADE;
