--
-- Untyped literals and parameters: they are read as values of the filter's kind, so no cast is needed.
--
CREATE SCHEMA literals;
SET search_path = literals, public;
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

-- Changing a filter by literals has the same result as by the values that they represent.
SELECT bf_add(integers, '7')::text = bf_add(integers, 7)::text AS bf_add,
    cf_add(c_integers, '7')::text = cf_add(c_integers, 7)::text AS cf_add,
    cf_add_unique(c_fruit, 'fig')::text = cf_add_unique(c_fruit, 'fig'::text)::text AS cf_add_unique,
    cf_delete(c_integers, '2')::text = cf_delete(c_integers, 2)::text AS cf_delete,
    cf_count(cf_delete(c_fruit, 'pear'), 'pear') AS pear
FROM filters;

-- Literals of arrays, for the functions that take arrays: each element is such a literal.
SELECT bf_contains_any(fruit, '{plum,pear}') AS any, bf_contains_any(fruit, '{plum,NULL}') AS unknown,
    bf_contains_any(fruit, '{}') AS none, bf_contains_any(integers, ' [0:1]={4," 3 "}') AS numbers,
    bf_contains_all(fruit, '{pear,""}') AS all, bf_contains_all(fruit, '{pear,plum}') AS not_all,
    bf_contains_all(fruit, '{pear,NULL}') AS all_unknown, bf_contains_all(uuids, '{}') AS all_of_none,
    cf_contains_any(c_fruit, '{{plum},{apple}}') AS nested, cf_contains_all(c_integers, '{1,2,3}') AS c_all,
    bf_contains_any(fruit, NULL) AS "null", bf_contains_any(bf_create(10), '{a}') AS no_kind
FROM filters;
SELECT bf_add_all(integers, '{7,8,NULL}') = bf_add_all(integers, ARRAY[7, 8]) AS bf_add_all,
    bf_add_all(fruit, '{}') = fruit AS none, bf_add_all(fruit, NULL) = fruit AS "null",
    cf_add_all(c_fruit, '{fig,fig}') = cf_add_all(c_fruit, ARRAY['fig', 'fig']) AS cf_add_all,
    cf_delete_all(c_integers, '{2,3}') = cf_delete_all(c_integers, ARRAY[2, 3]) AS cf_delete_all,
    bf_add_all(bf_create(10), '{}') = bf_create(10) AS no_kind
FROM filters;
PREPARE all_of AS SELECT bf_contains_all(fruit, $1), cf_contains_all(c_fruit, $1) FROM filters;
EXECUTE all_of('{apple,pear}');
DEALLOCATE all_of;
-- A single value is not an array; the elements must be values of the filter's kind, and the kind must be known.
SELECT cf_add_all(c_fruit, 'element') FROM filters;
\set VERBOSITY sqlstate
SELECT bf_contains_any(fruit, 'apple') FROM filters;
SELECT bf_add_all(fruit, '{apple') FROM filters;
SELECT bf_contains_all(integers, '{1,apple}') FROM filters;
SELECT cf_delete_all(c_integers, '{1.5}') FROM filters;
SELECT bf_add_all(bf_create(10), '{a}');
SELECT bf_add_all(fruit, 'apple'::text) FROM filters;
\set VERBOSITY default
-- Aggregates have no filter yet that determines the type of a value.
SELECT bf_agg(NULL);
\set VERBOSITY sqlstate
SELECT cf_agg('apple');
SELECT bf_agg('apple', 100);
SELECT cf_agg(NULL, NULL, 0.001) FROM filters WHERE false;
\set VERBOSITY default

-- A filter without a kind cannot read a literal: the error names the cast, and the way to create a filter of a kind.
-- It contains nothing, whatever the literal is.
SELECT bf_add(bf_create(10), '2024-02-29');
SELECT cf_add(cf_create(10), '1');
\set VERBOSITY terse
SELECT cf_add_unique(cf_create(10), '1');
SELECT cf_delete(cf_create(10), '1');
\set VERBOSITY default
SELECT bf_contains(bf_create(10), '1') AS bloom, cf_count(cf_create(10), '1') AS cuckoo, bf_create(10) @> 'x' AS operator;

-- Nor does the hash of a literal mean anything: shards chosen by it would be those of text.
SELECT filter_hash('42');

-- A filter created with a kind reads a literal as that kind from the beginning.
SELECT bf_add(bf_create(10, of => 'integer'), '42') @> 42 AS bf_create,
    cf_add(cf_create(10, 0.1, 'integer'), '42') @> 42 AS cf_create,
    bf_add(bf_agg(n), '042') @> 42 AS no_rows,
    cf_add(cf_agg(nullif(n, n)), '+42') @> 42 AS only_nulls,
    bf_add(bf_add(bf_create(10), NULL::integer), '42') @> 42 AS added_null,
    cf_add(cf_add_all(cf_create(10), ARRAY[]::integer[]), '42') @> 42 AS added_no_elements
FROM generate_series(1, 0) n;

-- A literal that is not a value of the kind is an error, as it would be with a cast.
\set VERBOSITY sqlstate
SELECT bf_contains(integers, 'apple') FROM filters;
SELECT bf_contains(integers, '9223372036854775808') FROM filters;
SELECT bf_contains(uuids, 'apple') FROM filters;
SELECT bf_contains(booleans, 'perhaps') FROM filters;
SELECT cf_delete(c_integers, '1.5') FROM filters;
\set VERBOSITY default

-- Kinds whose text form depends on settings, or on more than the kind, require a cast.
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

-- Untyped parameters, in prepared statements and in EXECUTE.
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

-- char(n) is a separate kind, without the padding.
CREATE FUNCTION long_name() RETURNS text IMMUTABLE LANGUAGE sql AS $$SELECT repeat('n', 70)$$;
CREATE TABLE types AS
    SELECT bf_agg(v::text, 10, 1e-7) AS text, bf_agg(v::char(10), 10, 1e-7) AS bpchar, bf_agg(v::name, 10, 1e-7) AS name,
        bf_agg(v::text, 10, 1e-7) | bf_agg(v::name, 10, 1e-7) AS mixed, cf_agg(v::char(10), 10, 1e-7) AS cuckoo
    FROM (VALUES ('abc'), ('d '), (left(long_name(), 10))) AS words (v);
SELECT bf_contains(text, 'abc') AS text, bf_contains(text, 'abc  ') AS padded, bf_contains(text, 'd ') AS d,
    bf_contains(bpchar, 'abc       ') AS bpchar, bf_contains(bpchar, 'abc') AS bare, bpchar @> 'd' AS bpchar_d,
    cf_count(cuckoo, 'abc      ') AS copies, cf_count(cf_delete(cuckoo, 'abc '), 'abc') AS after_delete
FROM types;
\set VERBOSITY sqlstate
SELECT bf_contains(bpchar, 'abc'::varchar) FROM types;
SELECT bf_contains(text, 'abc'::char(3)) FROM types;
\set VERBOSITY default

-- A literal that types of one kind read as different values is read as the types that the values came from.
SELECT long_name() AS long, left(long_name(), 63) AS cut, long_name() || 'n' AS longer \gset
UPDATE types SET text = bf_add(text, long_name()), name = bf_add(name, long_name()::name),
    mixed = bf_add(bf_add(mixed, long_name()), long_name()::name);
SELECT bf_contains(name, :'long') AS name, bf_contains(name, :'longer') AS longer_name, bf_contains(text, :'long') AS text,
    bf_contains(text, :'cut') AS cut, bf_contains(mixed, :'long') AS mixed, mixed @> :'longer' AS mixed_name
FROM types;
SELECT bf_contains(bf_agg(v::real, 10, 1e-7), '0.1') AS real, bf_contains(bf_agg(v::float8, 10, 1e-7), '0.1') AS float8,
    bf_contains(bf_agg(v::real, 10, 1e-7) | bf_agg(v::float8, 10, 1e-7), '0.1') AS mixed,
    bf_contains(bf_agg(v::real, 10, 1e-7) | bf_agg(v::float8, 10, 1e-7), '1e300') AS out_of_range,
    bf_contains(bf_add(bf_agg(v::real, 10, 1e-7), '0.2'), 0.2::real) AS added
FROM (VALUES (0.1)) AS numbers (v);
-- Another source is recorded although the filter seems to contain the value.
SELECT bf_contains(bf_add(bf_add(text, :'cut'), long_name()::name), :'longer') AS added,
    bf_contains(bf_add_all(bf_add(text, :'cut'), ARRAY[]::name[]), :'longer') AS added_none
FROM types;
-- A change needs exactly one value.
SELECT bf_add(mixed, :'longer') FROM types;
\set VERBOSITY terse
SELECT cf_add(cf_add(cf_create(10, of => 'real'), 1::float8), '0.1');
SELECT cf_delete(cf_add(cf_create(10, of => 'real'), 1::float8), '0.1');
\set VERBOSITY default
SELECT bf_contains(bf_add(mixed, 'x'), 'x') AS all_readings_agree FROM types;

-- EXECUTE converts typed values to strings. If the string depends on the session, or is no longer the same value, this
-- is an error.
PREPARE number AS SELECT bf_contains(bf_agg(v, 10, 1e-7), $1) FROM (VALUES (0.1::real::float8)) AS numbers (v);
\set VERBOSITY terse
EXECUTE number(0.1::real);
EXECUTE number(0.1::real::float8);
EXECUTE fruit('pear'::char(9));
\set VERBOSITY default

-- One call site, filters of several kinds: each reads the literal as its own kind.
SELECT (bf_info(f)).value_kind, bf_contains(f, '1') AS "1", bf_contains(f, '1.0') AS "1.0"
FROM (VALUES (1, bf_add(bf_create(10, 1e-7), 1.0)), (2, bf_add(bf_create(10, 1e-7), '1'::text)),
    (3, bf_add(bf_create(10, 1e-7), 1.0::float8)))
    AS v (n, f) ORDER BY n;

SET client_min_messages = warning;
DROP SCHEMA literals CASCADE;
