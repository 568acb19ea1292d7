--
-- Untyped literals and parameters: they are read as values of the kind that the filter holds, so no cast is needed.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS cuckoo_filter;
CREATE SCHEMA literals;
SET search_path = literals, public;
RESET client_min_messages;
CREATE TYPE mood AS ENUM ('happy', 'sad');

CREATE TABLE filters AS
    SELECT bf_agg(f, 10, 1e-7) AS fruit, bf_agg(n, 10, 1e-7) AS integers, bf_agg(n::numeric / 2, 10, 1e-7) AS numerics,
    bf_agg(n::float8 / 2, 10, 1e-7) AS floats,
    bf_agg(n > 0, 10, 1e-7) AS booleans, bf_agg(f::bytea, 10, 1e-7) AS byteas,
    bf_agg(('00000000-0000-0000-0000-00000000000' || n)::uuid, 10, 1e-7) AS uuids,
    bf_agg(CASE WHEN n > 0 THEN 'sad'::mood END, 10, 1e-7) AS moods,
    cf_agg(f, 10, 1e-7) AS c_fruit, cf_agg(n, 10, 1e-7) AS c_integers
    FROM (VALUES (1, 'apple'), (2, 'pear'), (3, '')) AS v (n, f);

SELECT bf_contains(fruit, 'apple') AS apple, bf_contains(fruit, 'Apple') AS "Apple", bf_contains(fruit, '') AS empty,
    bf_contains(fruit, E'\x61pple') AS escaped, fruit @> 'pear' AS pear, 'plum' <@ fruit AS plum
FROM filters;
SELECT bf_contains(integers, '2') AS two, bf_contains(integers, ' 2 ') AS spaces,
    bf_contains(integers, '-2') AS minus_two,
    integers @> '3' AS three, '4' <@ integers AS four
FROM filters;
SELECT bf_contains(numerics, '0.5') AS half, bf_contains(numerics, '0.500') AS half_again,
    bf_contains(numerics, '1e0') AS one,
    bf_contains(numerics, '2') AS two, bf_contains(numerics, 'NaN') AS nan
FROM filters;
SELECT bf_contains(floats, '0.5') AS half, bf_contains(floats, '5e-1') AS half_again, bf_contains(floats, '2') AS two
FROM filters;
SELECT bf_contains(booleans, 'yes') AS yes, bf_contains(booleans, 'f') AS no FROM filters;
SELECT bf_contains(byteas, 'apple') AS apple, bf_contains(byteas, '\x6170706c65') AS hexadecimal,
    bf_contains(byteas, '\x6170') AS ap
FROM filters;
SELECT bf_contains(uuids, '00000000-0000-0000-0000-000000000001') AS one,
    bf_contains(uuids, '{00000000000000000000000000000002}') AS two,
    bf_contains(uuids, '00000000-0000-0000-0000-000000000004') AS four
FROM filters;
SELECT bf_contains(moods, 'sad') AS sad, bf_contains(moods, 'happy') AS happy FROM filters;
SELECT cf_contains(c_fruit, 'apple') AS apple, cf_count(c_fruit, 'pear') AS pear, c_fruit @> 'plum' AS plum,
    'apple' <@ c_fruit AS apple
FROM filters;

-- Changing a filter by literals is changing it by the values they stand for.
SELECT bf_add(integers, '7')::text = bf_add(integers, 7)::text AS bf_add,
    cf_add(c_integers, '7')::text = cf_add(c_integers, 7)::text AS cf_add,
    cf_add_unique(c_fruit, 'fig')::text = cf_add_unique(c_fruit, 'fig'::text)::text AS cf_add_unique,
    cf_delete(c_integers, '2')::text = cf_delete(c_integers, 2)::text AS cf_delete,
    cf_count(cf_delete(c_fruit, 'pear'), 'pear') AS pear
FROM filters;

-- An empty filter takes a literal for text.
SELECT (bf_info(bf_add(bf_create(10), '1'))).value_kind AS bloom,
    (cf_info(cf_add(cf_create(10), '1'))).value_kind AS cuckoo,
    bf_contains(bf_create(10), 'x') AS x, filter_hash('x') = filter_hash('x'::text) AS hash;

-- What is no value of the kind is an error, as it would be with a cast.
\set VERBOSITY sqlstate
SELECT bf_contains(integers, 'apple') FROM filters;
SELECT bf_contains(integers, '9223372036854775808') FROM filters;
SELECT bf_contains(uuids, 'apple') FROM filters;
SELECT bf_contains(booleans, 'perhaps') FROM filters;
SELECT cf_delete(c_integers, '1.5') FROM filters;
\set VERBOSITY default

-- Kinds whose text form depends on settings, or on more than the kind, ask for a cast.
SELECT bf_contains(bf_agg('2024-02-29'::date), '2024-02-29');
SELECT cf_contains(cf_agg(ARRAY[1]), '{1}');
\set VERBOSITY sqlstate
SELECT bf_contains(bf_agg('12:00'::time), '12:00');
SELECT bf_contains(bf_agg('2024-02-29'::timestamp), '2024-02-29');
SELECT bf_add(bf_agg('2024-02-29'::timestamptz), '2024-02-29');
SELECT cf_delete(cf_agg('1 day'::interval), '1 day');
SELECT cf_count(cf_agg(ROW(1)), '(1)');
\set VERBOSITY default
SELECT bf_contains(bf_agg('2024-02-29'::date), date '2024-02-29') AS with_cast;

-- Parameters whose type nobody gave, in prepared statements and in EXECUTE.
PREPARE probe AS SELECT bf_contains(integers, $1) AS integers, bf_contains(numerics, $1) AS numerics FROM filters;
EXECUTE probe('2');
EXECUTE probe('0');
EXECUTE probe(3);
PREPARE fruit AS SELECT bf_contains(fruit, $1), cf_contains(c_fruit, $1), fruit @> $1, $1 <@ c_fruit,
    cf_count(c_fruit, $1) FROM filters;
EXECUTE fruit('pear');
EXECUTE fruit('plum');
EXECUTE fruit(NULL);
PREPARE grow AS UPDATE filters SET integers = bf_add(integers, $1), c_integers = cf_add(c_integers, $1)
    RETURNING integers @> 9, c_integers @> 9;
EXECUTE grow('9');
SET plan_cache_mode = force_generic_plan;
EXECUTE probe('2');
EXECUTE fruit('pear');
RESET plan_cache_mode;
DO $$
DECLARE
    found boolean;
BEGIN
    EXECUTE 'SELECT bf_contains(fruit, $1) FROM filters' INTO found USING 'apple'::text;
    ASSERT found, 'text parameter';
    EXECUTE 'SELECT bf_contains(integers, $1) FROM filters' INTO found USING 2::smallint;
    ASSERT found, 'smallint parameter';
    FOREACH found IN ARRAY ARRAY[true, false] LOOP
        ASSERT found = (SELECT bf_contains(fruit, CASE WHEN found THEN 'apple' ELSE 'Apple' END) FROM filters),
        'expression';
    END LOOP;
END$$;

-- One call site, filters of several kinds: each reads the literal as its own kind.
SELECT (bf_info(f)).value_kind, bf_contains(f, '1') AS "1", bf_contains(f, '1.0') AS "1.0"
FROM (VALUES (1, bf_add(bf_create(10, 1e-7), 1.0)), (2, bf_add(bf_create(10, 1e-7), '1')),
    (3, bf_add(bf_create(10, 1e-7), 1.0::float8)))
    AS v (n, f) ORDER BY n;

SET client_min_messages = warning;
DROP SCHEMA literals CASCADE;
