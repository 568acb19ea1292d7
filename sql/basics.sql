--
-- Creating a filter, adding to it and probing it, for both types.
--
-- If a value is expected to be absent, the rate of the filter is 1e-6 or lower, so that the outcome does not depend
-- on which values happen to be false positives.
--
CREATE SCHEMA basics;
SET search_path = basics, public;

-- One value at a time.
CREATE TABLE filters AS SELECT bf_create(100, 1e-6) AS b, cf_create(100, 1e-6) AS c;
SELECT bf_contains(b, 1) AS b1, cf_contains(c, 1) AS c1 FROM filters;
UPDATE filters SET b = bf_add(b, 1), c = cf_add(c, 1);
SELECT bf_contains(b, 1) AS b1, bf_contains(b, 2) AS b2, cf_contains(c, 1) AS c1, cf_contains(c, 2) AS c2 FROM filters;
UPDATE filters SET b = bf_add(b, 2), c = cf_add(c, 2);
SELECT bf_contains(b, 1) AS b1, bf_contains(b, 2) AS b2, cf_contains(c, 1) AS c1, cf_contains(c, 2) AS c2 FROM filters;

-- Adding does not change the argument.
SELECT bf_contains(bf_add(b, 3), 3) AS b3, bf_contains(b, 3) AS b_without_3,
    cf_contains(cf_add(c, 3), 3) AS c3, cf_contains(c, 3) AS c_without_3
FROM filters;

-- Adding many values at once has the same result as one at a time.
SELECT bf_add_all(bf_create(100, 1e-6), ARRAY[1, 2])::text = b::text AS b_same,
    cf_add_all(cf_create(100, 1e-6), ARRAY[1, 2])::text = c::text AS c_same
FROM filters;
SELECT bf_add_all(b, ARRAY[]::integer[])::text = b::text AS b_empty_array,
    cf_add_all(c, ARRAY[]::integer[])::text = c::text AS c_empty_array
FROM filters;
SELECT bf_contains_all(bf_add_all(b, ARRAY[[3, 4], [5, NULL]]), ARRAY[1, 2, 3, 4, 5]) AS b_two_dimensions,
    cf_contains_all(cf_add_all(c, ARRAY[[3, 4], [5, NULL]]), ARRAY[1, 2, 3, 4, 5]) AS c_two_dimensions
FROM filters;

-- Any and all, NULL elements included, answer as SQL's ANY and ALL do; as do empty arrays.
SELECT "values", i = ANY ("values") AS any_of_1, bf_contains_any(b, "values") AS b_any,
    cf_contains_any(c, "values") AS c_any,
    i = ALL ("values") AS all_of_1, bf_contains_all(b, "values") AS b_all, cf_contains_all(c, "values") AS c_all
FROM (VALUES (1, '{1}'::integer[]), (2, '{5}'), (3, '{1,5}'), (4, '{5,1}'), (5, '{NULL}'), (6, '{1,NULL}'),
    (7, '{NULL,1}'),
    (8, '{5,NULL}'), (9, '{NULL,5}'), (10, '{1,5,NULL}'), (11, '{}')) AS v (number, "values"),
    (SELECT 1 AS i, bf_add(bf_create(100, 1e-6), 1) AS b, cf_add(cf_create(100, 1e-6), 1) AS c) AS f
ORDER BY number;

-- Arrays of more values than are looked up together.
SELECT bf_contains_all(b, present) AS b_all, cf_contains_all(c, present) AS c_all,
    bf_contains_all(b, present || 0) AS b_but_last, cf_contains_all(c, present || 0) AS c_but_last,
    bf_contains_any(b, absent || 1000) AS b_last, cf_contains_any(c, absent || 1000) AS c_last,
    bf_contains_any(b, absent) AS b_none, cf_contains_any(c, absent) AS c_none
FROM (SELECT bf_agg(i, 1000, 1e-7) AS b, cf_agg(i, 1000, 1e-7) AS c, array_agg(i) AS present, array_agg(-i) AS absent
    FROM generate_series(1, 1000) i) AS f;

-- Operators, either way round; the filter on the right may be probed by a column.
SELECT b @> 1 AS b1, 2 <@ b AS b2, b @> 3 AS b3, c @> 1 AS c1, 2 <@ c AS c2, 3 <@ c AS c3 FROM filters;
SELECT count(*) FROM filters, generate_series(-50, 50) i WHERE i <@ b AND c @> i AND NOT NOT b @> i;
SELECT (b | b8) @> 2 AS b2, (b | b8) @> 8 AS b8, (b & b8) @> 2 AS b_not_2, (b & b) @> 2 AS b_self,
    (c | c8) @> 2 AS c2, (c | c8) @> 8 AS c8
FROM filters, (SELECT bf_add(bf_create(100, 1e-6), 8) AS b8, cf_add(cf_create(100, 1e-6), 8) AS c8) AS eight;

SET client_min_messages = warning;
DROP SCHEMA basics CASCADE;
