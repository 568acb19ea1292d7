--
-- A filter rejects values of another kind, and types that cannot be hashed or whose values are not permanent. Each
-- would otherwise be a silent false negative.
--
CREATE SCHEMA refused_kinds;
SET search_path = refused_kinds, public;
CREATE TYPE mood AS ENUM ('happy', 'sad');
CREATE TYPE pair AS (a integer, b text);

CREATE TABLE filters AS SELECT bf_agg(i) AS b, cf_agg(i) AS c FROM generate_series(1, 10) i;

-- The message names both kinds, and hints at the cast.
SELECT bf_contains(b, 1::text) FROM filters;
SELECT cf_contains(c, ROW(1, 'x'::text)) FROM filters;
SELECT bf_contains(bf_create(10) | bf_add(bf_create(10), '1 day'::interval), 1);
SELECT bf_contains(bf_add(bf_create(10), 'sad'::mood), 1);
SELECT bf_union(b, bf_add(bf_create(10), 'x'::text)) FROM filters;

-- Every function that takes a value or an array of them says so.
\set VERBOSITY sqlstate
SELECT bf_add(b, 'x'::text) FROM filters;
SELECT bf_add_all(b, ARRAY['x']) FROM filters;
SELECT bf_contains(b, 1.0::float8) FROM filters;
SELECT bf_contains_any(b, ARRAY['x']) FROM filters;
SELECT bf_contains_all(b, ARRAY['x']) FROM filters;
SELECT b @> 'x'::text FROM filters;
SELECT 'x'::text <@ b FROM filters;
SELECT cf_add(c, 'x'::text) FROM filters;
SELECT cf_add_unique(c, 'x'::text) FROM filters;
SELECT cf_add_all(c, ARRAY['x']) FROM filters;
SELECT cf_contains(c, 1.0::float8) FROM filters;
SELECT cf_contains_any(c, ARRAY['x']) FROM filters;
SELECT cf_contains_all(c, ARRAY['x']) FROM filters;
SELECT cf_count(c, 'x'::text) FROM filters;
SELECT cf_delete(c, 'x'::text) FROM filters;
SELECT cf_delete_all(c, ARRAY['x']) FROM filters;
SELECT c @> 'x'::text FROM filters;
SELECT 'x'::text <@ c FROM filters;

-- So does every function that takes two filters, and every aggregate of filters.
CREATE TABLE others AS SELECT bf_agg(i::text) AS b, cf_agg(i::text) AS c FROM generate_series(1, 10) i;
SELECT bf_union(f.b, o.b) FROM filters f, others o;
SELECT f.b | o.b FROM filters f, others o;
SELECT bf_intersection(f.b, o.b) FROM filters f, others o;
SELECT f.b & o.b FROM filters f, others o;
SELECT cf_union(f.c, o.c) FROM filters f, others o;
SELECT f.c | o.c FROM filters f, others o;
SELECT bf_union_agg(b) FROM (SELECT b FROM filters UNION ALL SELECT b FROM others) AS f;
SELECT bf_intersection_agg(b) FROM (SELECT b FROM filters UNION ALL SELECT b FROM others) AS f;
SELECT cf_union_agg(c) FROM (SELECT c FROM filters UNION ALL SELECT c FROM others) AS f;
-- A Bloom filter and a cuckoo filter have nothing in common at all.
SELECT b | c FROM filters;
SELECT bf_union(b, c) FROM filters;
\set VERBOSITY default

-- Every pair of these kinds is rejected, both ways, by both types: 0 accepted of 18 * 17.
-- Integers and numeric are compared by value (sql/numbers.sql), so only one of them is here.
CREATE TABLE kinds (number serial, value text);
INSERT INTO kinds (value) VALUES
    ('1'), ('''x''::text'), ('''x''::bytea'), ('''00112233-4455-6677-8899-aabbccddeeff''::uuid'), ('true'),
    ('''2024-01-01''::date'), ('''12:00''::time'), ('''2024-01-01''::timestamp'), ('''2024-01-01''::timestamptz'),
    ('1.5::float8'), ('''sad''::mood'), ('ARRAY[1]'), ('ARRAY[''x'']'), ('ROW(1, ''x''::text)'),
    ('ROW(''x''::text)'), ('''1 day''::interval'), ('''{}''::jsonb');
CREATE FUNCTION outcome(command text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE command;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END$$;
SELECT outcome, count(*)
FROM kinds AS built, kinds AS probed,
    outcome(format('SELECT bf_contains(bf_add(bf_create(10), %s), %s)', built.value, probed.value)) AS outcome
WHERE built.number <> probed.number GROUP BY outcome;
SELECT outcome, count(*)
FROM kinds AS built, kinds AS probed,
    outcome(format('SELECT cf_contains(cf_add(cf_create(10), %s), %s)', built.value, probed.value)) AS outcome
WHERE built.number <> probed.number GROUP BY outcome;
SELECT outcome, count(*)
FROM kinds, outcome(format('SELECT cf_contains(cf_add(cf_create(10), %1$s), %1$s)', value)) AS outcome
GROUP BY outcome;

-- Rows of other columns: fewer, more, in another order, of other kinds.
\set VERBOSITY sqlstate
SELECT bf_contains(bf_add(bf_create(10), ROW(1, 'x'::text)), ROW(1));
SELECT bf_contains(bf_add(bf_create(10), ROW(1, 'x'::text)), ROW(1, 'x'::text, 1));
SELECT bf_contains(bf_add(bf_create(10), ROW(1, 'x'::text)), ROW('x'::text, 1));
SELECT bf_contains(bf_add(bf_create(10), ROW(1, 'x'::text)), ROW(1, 'x'::bytea));
SELECT bf_agg(v) FROM (VALUES (ROW(1)), (ROW('x'::text))) AS v (v);
\set VERBOSITY default
-- But rows of different groups may be of different kinds.
SELECT (bf_info(bf_agg(v))).value_kind FROM (VALUES (ROW(1)), (ROW('x'::text))) AS v (v) GROUP BY v::text ORDER BY v::text;

-- The first value determines the kind of an empty filter; an error leaves the stored filter unchanged.
CREATE TABLE empty AS SELECT bf_create(10) AS b, cf_create(10) AS c;
SELECT bf_contains(b, 1) AS one, bf_contains(b, 'x'::text) AS x, bf_contains(b, ROW(1)) AS row FROM empty;
UPDATE empty SET b = bf_add(b, 1), c = cf_add(c, 1);
\set VERBOSITY sqlstate
UPDATE empty SET b = bf_add(b, 'x'::text);
UPDATE empty SET c = cf_delete(c, 'x'::text);
\set VERBOSITY default
SELECT (bf_info(b)).value_kind, bf_contains(b, 1) AS b1, cf_contains(c, 1) AS c1 FROM empty;
-- A filter whose values were all deleted keeps its kind.
\set VERBOSITY sqlstate
SELECT cf_add(cf_delete(c, 1), 'x'::text) FROM empty;
\set VERBOSITY default

-- A type without a hash operator class cannot be looked up by equality.
SELECT bf_add(bf_create(10), '(1,2)'::point);
\set VERBOSITY sqlstate
SELECT bf_contains(bf_create(10), '{}'::json);
SELECT cf_add(cf_create(10), 'a'::tsvector);
SELECT cf_agg('(1,2)'::point);
SELECT bf_add_all(bf_create(10), ARRAY['(1,2)'::point]);
SELECT bf_agg(ARRAY['(1,2)'::point]);
SELECT bf_agg(ROW(1, '{}'::json));
SELECT filter_hash('{}'::json);
\set VERBOSITY default

-- A filter of filters is a mistake: @> does not compare sets.
SELECT bf_create(10) @> bf_create(10);
\set VERBOSITY sqlstate
SELECT bf_agg(cf_create(10));
SELECT cf_add_all(cf_create(10), ARRAY[cf_create(10)]);
SELECT bf_create(10, of => 'bloomfilter');
SELECT filter_hash(ROW(1, bf_create(10)));
\set VERBOSITY default

-- Aliases of oid do not survive dump and restore, wherever they occur.
SELECT bf_agg('pg_class'::regclass);
CREATE DOMAIN relation AS regclass;
\set VERBOSITY sqlstate
SELECT cf_add(cf_create(10), 'int4'::regtype);
SELECT bf_contains(bf_create(10), 'pg_class'::relation);
SELECT bf_agg(ARRAY['pg_class'::regclass]);
SELECT bf_agg(ROW('pg_class'::regclass));
SELECT cf_agg(acldefault('r', 10));
SELECT bf_create(10, of => 'aclitem');
CREATE TYPE relations AS RANGE (subtype = oid);
CREATE TYPE named_relations AS RANGE (subtype = regclass, subtype_opclass = oid_ops);
SELECT (bf_info(bf_agg(relations(1, 2)))).value_kind;
SELECT bf_agg('empty'::named_relations);
CREATE TYPE named_lists AS RANGE (subtype = _regclass);
SELECT bf_agg('empty'::named_lists);
SELECT bf_agg(adbin) FROM pg_attrdef;
SELECT filter_hash(current_user::regrole);
\set VERBOSITY default
-- With a cast they are names, or numbers.
SELECT bf_contains(bf_agg('pg_class'::regclass::text), 'pg_class') AS name,
    bf_contains(bf_agg('pg_class'::regclass::oid), 1259::oid) AS number;

-- PostgreSQL hashes a range by its bounds, and an enum by its oid. So a filter does not hold ranges of enums, or of what
-- may contain an enum. The errors of the bounds' type appear, too.
CREATE TYPE grade AS ENUM ('low', 'high');
CREATE DOMAIN some_grade AS grade;
CREATE TYPE graded AS (grade grade);
CREATE TYPE grades AS RANGE (subtype = grade, multirange_type_name = many_grades);
CREATE TYPE some_grades AS RANGE (subtype = some_grade);
CREATE TYPE lists_of_grades AS RANGE (subtype = _grade);
CREATE TYPE rows_of_grades AS RANGE (subtype = graded);
CREATE TYPE ranges_of_integers AS RANGE (subtype = int4range);
CREATE TYPE ranges_of_multiranges AS RANGE (subtype = int4multirange);
CREATE TYPE lists_of_filters AS RANGE (subtype = _bloomfilter);
CREATE TYPE ranges_of_relations AS RANGE (subtype = regclass);
SELECT bf_agg(grades('low', 'high'));
SELECT cf_add(cf_create(10), many_grades(grades('low', 'high')));
SELECT bf_contains(bf_create(10), some_grades('low', 'high'));
SELECT bf_agg(lists_of_grades('{low}', '{high}'));
SELECT bf_agg(rows_of_grades('(low)', '(high)'));
SELECT bf_agg('empty'::ranges_of_integers);
SELECT bf_agg('empty'::ranges_of_multiranges);
SELECT bf_agg('empty'::lists_of_filters);
SELECT bf_agg(ARRAY['empty'::ranges_of_relations]);

-- A pseudo-type is not a type: NULL needs one.
\set VERBOSITY sqlstate
SELECT bf_agg(NULL);
\set VERBOSITY default

-- Anonymous rows are of the kinds of their columns, so they are rejected inside another value, and cannot be mixed.
SELECT bf_add(bf_create(10), ROW(1, ROW(2)));
SELECT bf_agg(ARRAY[ROW(1)]);
SELECT bf_add_all(bf_create(10), ARRAY[ROW(1), ROW('a'::text)]);

-- Types hashed by a function of PostgreSQL that depends on the byte order: a filter from a machine with the other
-- byte order is rejected. (The image has no layers and little more than a name.) "char" has the same hash everywhere.
CREATE FUNCTION holds(kind text) RETURNS bloomfilter LANGUAGE sql AS $$
    SELECT ('\x636b666c010101007b14ae47e17a843f0d00'::bytea || set_byte('\x0000', 0, length(kind)) || '\x00000000'
        || convert_to(kind, 'UTF8') || substr('\x00000000000000'::bytea, 1, -length(kind) & 7))::bloomfilter
$$;
SELECT bf_contains(holds(here), '{}'::jsonb) AS same,
    outcome(format('SELECT bf_contains(holds(%L), ''{}''::jsonb)', elsewhere)) AS other,
    outcome(format('SELECT bf_union(holds(%L), bf_agg(''{}''::jsonb))', elsewhere)) AS union,
    outcome(format('SELECT bf_add(holds(%L), ''{}''::jsonb)', elsewhere)) AS add
FROM (SELECT here, CASE here WHEN 'jsonb' THEN 'jsonb big-endian' ELSE 'jsonb' END AS elsewhere
      FROM (SELECT (bf_info(bf_agg('{}'::jsonb))).value_kind AS here) AS kinds) AS orders;
SELECT (bf_info(bf_agg('a'::"char"))).value_kind, filter_hash('a'::"char") = filter_hash(97) AS plain,
    filter_hash((-56)::"char") = filter_hash(-56) AS negative;

SET client_min_messages = warning;
DROP SCHEMA refused_kinds CASCADE;
