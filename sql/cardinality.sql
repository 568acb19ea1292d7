--
-- The number of distinct values in one Bloom filter, in a union, and common to two filters.
--
CREATE SCHEMA cardinality;
SET search_path = cardinality, public;

-- Pairs of filters of n values each, of which some are the same; both of one capacity, and filled so far that their
-- union is not overfull.
CREATE TABLE pairs AS
    SELECT n, capacity, (n * fraction)::integer AS common, bf_agg(i, capacity) FILTER (WHERE i <= n) AS a,
        bf_agg(i, capacity) FILTER (WHERE i > n - (n * fraction)::integer) AS b
    FROM (VALUES (1000, 1000), (1000, 3000), (20000, 20000), (100000, 150000)) AS sizes (n, capacity),
        unnest(ARRAY[0, 0.1, 0.5, 1]) AS fraction, LATERAL generate_series(1, 2 * n - (n * fraction)::integer) AS i
    GROUP BY n, capacity, fraction;

-- The documented estimate of the common values: within 3% of n. The image of an intersection has other bits, too.
SELECT n, capacity, common, (bf_info(a | b)).layers,
    abs(bf_cardinality(a) + bf_cardinality(b) - bf_cardinality(a | b) - common) <= 0.03 * n AS formula,
    abs(bf_cardinality(a | b) - (2 * n - common)) <= 0.03 * (2 * n - common) AS of_union,
    (bf_info(a | b)).cardinality = bf_cardinality(a | b) AS same_in_info,
    bf_cardinality(a & b) >= 0.97 * common AS intersection_not_below
FROM pairs ORDER BY n, capacity, common;

-- Parts of one capacity count as the union of their values, whatever the number of layers: of 30 parts of 1,000
-- values, each but the first has 900 of the previous one.
SELECT parts, layers > 1 AS layered, abs(bf_cardinality(u) - (900 + 100 * parts)) <= 0.05 * (900 + 100 * parts) AS of_union
FROM (SELECT parts, bf_union_agg(b) AS u
      FROM unnest(ARRAY[2, 5, 30]) AS parts, LATERAL (SELECT bf_agg(part * 100 + i, 1000) AS b
          FROM generate_series(1, parts) part, generate_series(1, 1000) i GROUP BY part) AS p GROUP BY parts) AS f, bf_info(u)
ORDER BY parts;
-- Nothing in common: the sum, even for so many layers that the union of their bits is saturated.
SELECT parts, layers, abs(bf_cardinality(u) - 1000 * parts) <= 0.05 * 1000 * parts AS of_union
FROM (SELECT parts, bf_union_agg(b) AS u
      FROM unnest(ARRAY[2, 5, 10, 32]) AS parts, LATERAL (SELECT bf_agg(part * 1000 + i, 1000) AS b
          FROM generate_series(1, parts) part, generate_series(1, 1000) i GROUP BY part) AS p GROUP BY parts) AS f, bf_info(u)
ORDER BY parts;

-- A filter that has grown: values that an older layer seems to contain, and that were therefore not added, count, too. Also in
-- a union, in which some count twice.
SELECT rate, layers > 5 AS grown, abs(bf_cardinality(f) - 20000) <= 0.03 * 20000 AS within_three_percent,
    bf_cardinality(f | other) BETWEEN 0.97 * 30000 AND 1.03 * 40000 AS of_union
FROM unnest(ARRAY[0.5, 0.3, 0.1, 0.01, 0.0001]) AS rate,
    LATERAL (SELECT bf_add_all(bf_create(100, rate), ARRAY(SELECT generate_series(1, 20000))) AS f,
        bf_add_all(bf_create(100, rate), ARRAY(SELECT generate_series(10001, 30000))) AS other OFFSET 0) AS built, bf_info(f)
ORDER BY rate;
-- Saturated, as both functions say.
CREATE TEMP TABLE saturated AS
    SELECT bf_add_all(bf_create(1000, grow => false), ARRAY(SELECT generate_series(1, 100000))) AS f;
SELECT bf_cardinality(f) / 10000 AS least FROM saturated;
SELECT cardinality / 10000 AS least, expected_fpr FROM saturated, bf_info(f);

-- Layers of different capacities cannot be compared: common values count twice.
SELECT bf_cardinality(a | b) BETWEEN 1950 AND 2050 AS counted_twice
FROM (SELECT bf_agg(i, 1000) AS a, bf_agg(i, 2000) AS b FROM generate_series(1, 1000) i) AS f;
-- A cuckoo filter counts copies. A union of two that hold values has one of each class, so it counts fewer where values share one.
SELECT cf_cardinality(a), cf_cardinality(a | a) AS of_union FROM (SELECT cf_agg(i, 3000) AS a FROM generate_series(1, 1000) i) AS f;

-- A filter that does not grow is estimated beyond its capacity, until nearly all of its bits are set.
SELECT n, abs(bf_cardinality(b) - n) <= 0.1 * n AS estimate
FROM (SELECT n, bf_add_all(bf_create(1000, grow => false), array_agg(i)) AS b
      FROM unnest(ARRAY[1000, 2000, 5000, 8000]) n, generate_series(1, n) i GROUP BY n) AS f ORDER BY n;

SET client_min_messages = warning;
DROP SCHEMA cardinality CASCADE;
