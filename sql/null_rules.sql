--
-- NULL. Without a filter the result is NULL. Without a value a probe returns NULL, and a filter is unchanged; a NULL
-- key in an UPDATE must not erase a stored filter.
--
CREATE SCHEMA null_rules;
SET search_path = null_rules, public;

CREATE TABLE filters AS
    SELECT bf_add_all(bf_create(100), ARRAY[1, 2]) AS b, cf_add_all(cf_create(100), ARRAY[1, 2]) AS c,
    NULL::bloomfilter AS no_b, NULL::cuckoofilter AS no_c, NULL::integer AS no_value, NULL::integer[] AS no_values;

-- A NULL value leaves the filter unchanged, whether it comes from a column, a typed NULL or an untyped one.
SELECT bf_add(b, no_value)::text = b::text AS bf_add, bf_add(b, NULL)::text = b::text AS bf_add_untyped,
    bf_add_all(b, no_values)::text = b::text AS bf_add_all,
    bf_add_all(b, ARRAY[NULL, no_value])::text = b::text AS bf_add_all_elements
FROM filters;
SELECT cf_add(c, no_value)::text = c::text AS cf_add, cf_add(c, NULL)::text = c::text AS cf_add_untyped,
    cf_add_unique(c, no_value)::text = c::text AS cf_add_unique,
    cf_add_unique(c, NULL)::text = c::text AS cf_add_unique_untyped,
    cf_add_all(c, no_values)::text = c::text AS cf_add_all,
    cf_add_all(c, ARRAY[NULL, no_value])::text = c::text AS cf_add_all_elements
FROM filters;
SELECT cf_delete(c, no_value)::text = c::text AS cf_delete, cf_delete(c, NULL)::text = c::text AS cf_delete_untyped,
    cf_delete_all(c, no_values)::text = c::text AS cf_delete_all,
    cf_delete_all(c, ARRAY[NULL, no_value])::text = c::text AS cf_delete_all_elements
FROM filters;

-- NULL elements are neither added nor deleted.
SELECT cf_cardinality(cf_add_all(c, ARRAY[3, NULL, 4])) AS added,
    cf_cardinality(cf_delete_all(c, ARRAY[NULL, 1, NULL])) AS deleted
FROM filters;

-- A typed NULL determines the kind of an empty filter, and must be of the filter's kind like any other value.
SELECT (bf_info(bf_add(bf_create(10), NULL::text))).value_kind AS bloom,
    (cf_info(cf_add_all(cf_create(10), ARRAY[NULL, NULL::text]))).value_kind AS cuckoo,
    (bf_info(bf_add(bf_create(10), NULL))).value_kind IS NULL AS without_a_type;
\set VERBOSITY terse
SELECT bf_add(b, NULL::text) FROM filters;
SELECT cf_delete_all(c, NULL::text[]) FROM filters;
\set VERBOSITY default

-- A NULL key in an UPDATE keeps the filter.
UPDATE filters SET b = bf_add(b, no_value), c = cf_delete(cf_add(c, no_value), no_value);
SELECT b @> 1 AS b1, c @> 1 AS c1 FROM filters;

-- A probe for NULL returns NULL.
SELECT bf_contains(b, no_value) IS NULL AS bf, bf_contains(b, NULL) IS NULL AS bf_untyped,
    bf_contains_any(b, no_values) IS NULL AS bf_any, bf_contains_all(b, no_values) IS NULL AS bf_all,
    (b @> no_value) IS NULL AS contains, (no_value <@ b) IS NULL AS is_contained
FROM filters;
SELECT cf_contains(c, no_value) IS NULL AS cf, cf_contains(c, NULL) IS NULL AS cf_untyped,
    cf_contains_any(c, no_values) IS NULL AS cf_any, cf_contains_all(c, no_values) IS NULL AS cf_all,
    cf_count(c, no_value) IS NULL AS count, cf_count(c, NULL) IS NULL AS count_untyped,
    (c @> no_value) IS NULL AS contains, (no_value <@ c) IS NULL AS is_contained
FROM filters;
SELECT filter_hash(no_value) IS NULL AS hash FROM filters;

-- No filter, no result.
SELECT bf_add(no_b, 1) IS NULL AS bf_add, bf_add(no_b, 'x') IS NULL AS bf_add_literal,
    bf_add_all(no_b, ARRAY[1]) IS NULL AS bf_add_all,
    bf_contains(no_b, 1) IS NULL AS bf_contains, bf_contains_any(no_b, ARRAY[1]) IS NULL AS bf_contains_any,
    bf_contains_all(no_b, '{}'::integer[]) IS NULL AS bf_contains_all,
    bf_union(no_b, b) IS NULL AS bf_union, bf_union(b, no_b) IS NULL AS bf_union_right, (b | no_b) IS NULL AS "|",
    bf_intersection(no_b, b) IS NULL AS bf_intersection, (b & no_b) IS NULL AS "&",
    bf_cardinality(no_b) IS NULL AS bf_cardinality, (bf_info(no_b)).bytes IS NULL AS bf_info
FROM filters;
SELECT cf_add(no_c, 1) IS NULL AS cf_add, cf_add(no_c, 'x') IS NULL AS cf_add_literal,
    cf_add_all(no_c, ARRAY[1]) IS NULL AS cf_add_all,
    cf_add_unique(no_c, 1) IS NULL AS cf_add_unique, cf_delete(no_c, 1) IS NULL AS cf_delete,
    cf_delete_all(no_c, ARRAY[1]) IS NULL AS cf_delete_all,
    cf_contains(no_c, 1) IS NULL AS cf_contains, cf_contains_any(no_c, ARRAY[1]) IS NULL AS cf_contains_any,
    cf_contains_all(no_c, '{}'::integer[]) IS NULL AS cf_contains_all, cf_count(no_c, 1) IS NULL AS cf_count,
    cf_union(no_c, c) IS NULL AS cf_union, (c | no_c) IS NULL AS "|", cf_compact(no_c) IS NULL AS cf_compact,
    cf_cardinality(no_c) IS NULL AS cf_cardinality, (cf_info(no_c)).bytes IS NULL AS cf_info
FROM filters;
SELECT no_b::text IS NULL AS b_text, no_b::bytea IS NULL AS b_bytea, no_c::text IS NULL AS c_text,
    no_c::bytea IS NULL AS c_bytea,
    NULL::bytea::bloomfilter IS NULL AS bytea_b, NULL::bytea::cuckoofilter IS NULL AS bytea_c
FROM filters;

-- A NULL capacity is determined from the data; a NULL rate is an error. The size for an unknown capacity is unknown.
SELECT bf_create(NULL)::text = bf_create(NULL, 0.01)::text AS b_same,
    (bf_info(bf_create(NULL, 0.001))).requested_fpr AS b_rate,
    bf_add(bf_create(NULL), 1) @> 1 AS b1,
    cf_create(NULL)::text = cf_create(NULL, 0.01)::text AS c_same,
    (cf_info(cf_create(NULL, 0.001))).requested_fpr AS c_rate,
    cf_add(cf_create(NULL), 1) @> 1 AS c1;
SELECT bf_create(100, NULL);
\set VERBOSITY sqlstate
SELECT cf_create(100, NULL);
SELECT bf_agg(i, 100, NULL) FROM generate_series(1, 3) i;
SELECT cf_agg(i, NULL, NULL) FROM generate_series(1, 3) i;
\set VERBOSITY default
SELECT bf_size(NULL) IS NULL AS b_capacity, bf_size(10, NULL) IS NULL AS b_rate, cf_size(NULL) IS NULL AS c_capacity,
    cf_size(10, NULL) IS NULL AS c_rate;

SET client_min_messages = warning;
DROP SCHEMA null_rules CASCADE;
