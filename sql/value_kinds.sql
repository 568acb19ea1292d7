--
-- Values of every kind: each filter is built by an aggregate, and contains the values it was built from, by the
-- equality of the type, and no others. (At a rate of 1e-7 no other is found by chance.)
--
CREATE SCHEMA value_kinds;
SET search_path = value_kinds, public;

-- Builds both filters from values of a type, given as text, and probes them with others of that type or of another one:
-- the kind they have, how many of `equal` they find, and how many of `different`.
CREATE FUNCTION probe(type text, "values" text[], equal text[], different text[], probe_type text DEFAULT NULL)
RETURNS TABLE (kind text, same_kind boolean, bloom text, cuckoo text, different_found bigint) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($query$
        WITH filters AS MATERIALIZED (
            SELECT bf_agg(v::%1$s, 100, 1e-7) AS b, cf_agg(v::%1$s, 100, 1e-7) AS c FROM unnest($1) v
        )
        SELECT (bf_info(b)).value_kind, (bf_info(b)).value_kind = (cf_info(c)).value_kind,
        (SELECT count(*) FILTER (WHERE bf_contains(b, v::%2$s)) || ' of ' || count(*) FROM unnest($2) v),
        (SELECT count(*) FILTER (WHERE cf_contains(c, v::%2$s)) || ' of ' || count(*) FROM unnest($2) v),
        (SELECT count(*) FROM unnest($3) v WHERE bf_contains(b, v::%2$s) OR cf_contains(c, v::%2$s))
        FROM filters$query$, type, coalesce(probe_type, type))
    USING "values", equal, different;
END$$;

-- Integers of all widths are one kind.
SELECT built_with, probed_with, probe.*
FROM unnest(ARRAY['smallint', 'integer', 'bigint']) WITH ORDINALITY AS b (built_with, i),
    unnest(ARRAY['smallint', 'integer', 'bigint']) WITH ORDINALITY AS p (probed_with, j),
    probe(built_with, '{0,1,-1,32767,-32768}', '{0,1,-1,32767,-32768}', '{2,-2,255,256,-256}', probed_with)
ORDER BY i, j;
SELECT * FROM probe('bigint', '{2147483648,-2147483649,9223372036854775807,-9223372036854775808}',
    '{2147483648,-2147483649,9223372036854775807,-9223372036854775808}', '{-2147483648,2147483647,0,-1}');

-- So are text, varchar and name. char(n) is a separate kind, whose padding is not part of the value: SQL compares it
-- with varchar as char(n), but with text as text.
SELECT built_with, probed_with, probe.*
FROM unnest(ARRAY['text', 'varchar(20)', 'name']) WITH ORDINALITY AS b (built_with, i),
    unnest(ARRAY['text', 'varchar(20)', 'name']) WITH ORDINALITY AS p (probed_with, j),
    probe(built_with, '{"",a,apple}', '{"",a,apple}', '{A,b,"apple pie"," apple"}', probed_with)
ORDER BY i, j;
SELECT * FROM probe('char(10)', '{apple}', '{apple,"apple ","apple     "}', '{"apple x"}', 'char(20)');
SELECT 'ab '::varchar = 'ab'::char(5) AS varchar, 'ab '::text = 'ab'::char(5) AS text;
\set VERBOSITY sqlstate
SELECT bf_contains(bf_agg('ab '::varchar), 'ab'::char(5));
SELECT bf_contains(bf_agg('ab'::char(5)), 'ab '::varchar);
SELECT cf_contains(cf_agg(ARRAY['ab ']::varchar[]), ARRAY['ab']::char(5)[]);
\set VERBOSITY default
SELECT * FROM probe('text', '{"apple "}', '{"apple "}', '{apple,"apple  "}');
SELECT * FROM probe('text', ARRAY[repeat('x', 100000)], ARRAY[repeat('x', 100000)],
    ARRAY[repeat('x', 99999), repeat('x', 99999) || 'y']);

-- Deterministic collations do not change the kind.
SELECT bf_contains(bf_agg('b'::text COLLATE "C"), 'b'::text COLLATE "POSIX") AS c,
    bf_contains(bf_agg('b'::text), 'b'::text COLLATE "C") AS "default";

SELECT * FROM probe('bytea', '{"",a,"\\x0061"}', '{"","\\x61","\\x0061"}', '{"\\x6100","\\x00"}');
SELECT * FROM probe('uuid', '{00112233-4455-6677-8899-aabbccddeeff}', '{00112233445566778899AABBCCDDEEFF}',
    '{00112233-4455-6677-8899-aabbccddeefe}');
SELECT * FROM probe('boolean', '{true}', '{yes}', '{false}');
SELECT * FROM probe('date', '{2024-02-29,infinity,4713-01-01 BC}', '{20240229,infinity,4713-01-01 BC}',
    '{2024-03-01,-infinity,2000-01-01}');
SELECT * FROM probe('time', '{12:00,24:00}', '{12:00:00.000,24:00}', '{00:00,12:00:00.000001}');
SELECT * FROM probe('timestamp', '{2024-02-29 12:00,infinity}', '{2024-02-29T12:00:00.000000,infinity}',
    '{2024-02-29 12:00:00.000001,-infinity}');
SELECT * FROM probe('timestamptz', '{2024-02-29 12:00+00}', '{2024-02-29 13:00+01}', '{2024-02-29 12:00+01}');

-- Floats are equal by value, not by their bytes; a float4 is the float8 that it is equal to.
SELECT * FROM probe('float8', '{0,1.5,NaN,Infinity,1e300}', '{0,-0,1.5,NaN,Infinity,1e300}',
    '{-Infinity,1.4999999999999998,5e-324}');
SELECT built_with, probed_with, probe.*
FROM unnest(ARRAY['float4', 'float8']) WITH ORDINALITY AS b (built_with, i),
    unnest(ARRAY['float4', 'float8']) WITH ORDINALITY AS p (probed_with, j),
    probe(built_with, '{-0,0.5,-2,NaN,Infinity}', '{0,0.5,-2,NaN,Infinity}', '{2,-Infinity}', probed_with)
ORDER BY i, j;
SELECT bf_contains(bf_agg('NaN'::float8, 10, 1e-7), - 'NaN'::float8) AS nan_of_other_bits,
    bf_contains(bf_agg(- 'NaN'::float8, 10, 1e-7), 'NaN'::float4) AS nan_of_other_width;
SELECT 0.1::float4 = 0.1::float8 AS equal, probe.* FROM probe('float4', '{0.1}', '{}', '{0.1}', 'float8');
SELECT 0.1::float4 = 0.1::float4::float8 AS equal, probe.*
FROM probe('float4', '{0.1}', '{0.1}', '{}', 'float4::float8');

-- numeric, of any length: trailing zeroes are not part of the value.
SELECT * FROM probe('numeric', '{1.0,-0.50,0,100,NaN,1e-30,123456789012345678901234567890.5}',
    '{1,1.000,-.5,-0.5000,0.000,-0,100.0,1e2,NaN,0.000000000000000000000000000001,123456789012345678901234567890.50}',
    '{-1,10,0.5,1.0000000000000000001,1e30}');
SELECT * FROM probe('numeric(10,4)', '{1,2.5}', '{1.00,2.5}', '{1.0001}', 'numeric');

-- Enums are identified by their labels, which survive dump and restore, and not by their oids.
CREATE TYPE mood AS ENUM ('happy', 'sad');
CREATE TYPE feeling AS ENUM ('sad', 'ok');
SELECT * FROM probe('mood', '{sad}', '{sad}', '{happy}');
SELECT * FROM probe('mood', '{sad}', '{sad}', '{ok}', 'feeling');
CREATE TABLE moods AS SELECT bf_agg(m) AS b, cf_agg(m) AS c FROM unnest(ARRAY['sad', 'happy']::mood[]) m;
ALTER TYPE mood ADD VALUE 'ok' BEFORE 'sad';
UPDATE moods SET b = bf_add(b, 'ok'::mood), c = cf_add(c, 'ok'::mood);
SELECT m, bf_contains(b, m) AS b, cf_contains(c, m) AS c FROM moods, unnest(enum_range(NULL::mood)) m ORDER BY m;
ALTER TYPE mood RENAME VALUE 'ok' TO 'fine';
SELECT bf_contains(bf_agg(m, 10, 1e-7), 'fine'::mood) AS renamed FROM unnest(ARRAY['sad', 'happy']::mood[]) m;

-- A domain has the kind of its base type; so do a domain over a domain and a domain over an array.
CREATE DOMAIN age AS integer CHECK (VALUE >= 0);
CREATE DOMAIN old AS age CHECK (VALUE >= 60);
CREATE DOMAIN ages AS integer[];
CREATE DOMAIN list AS age[];
SELECT * FROM probe('old', '{70}', '{70}', '{71}');
SELECT * FROM probe('old', '{70}', '{70}', '{71}', 'bigint');
SELECT * FROM probe('ages', '{"{1,2}"}', '{"{1,2}"}', '{"{1,3}"}', 'bigint[]');
SELECT * FROM probe('list', '{"{1,2}"}', '{"{1,2}"}', '{"{1,3}"}', 'integer[]');
SELECT bf_contains_all(bf_add_all(bf_create(10), '{1,2}'::list), '{2,1}'::ages) AS domain_over_array;
CREATE DOMAIN yes AS boolean CHECK (VALUE);
SELECT * FROM probe('yes', '{t}', '{t}', '{f}', 'boolean');

-- Arrays: elements, dimensions, lower bounds and NULLs, as array equality has it.
SELECT * FROM probe('integer[]', '{"{1,2}","{}","{NULL}"}', '{"{1,2}","[1:2]={1,2}","{}","{NULL}"}',
    '{"{2,1}","{1,2,3}","[0:1]={1,2}","{{1,2}}","{{1},{2}}","{NULL,NULL}","{0}","{1}"}');
SELECT * FROM probe('bigint[]', '{"{1,2}"}', '{"{1,2}"}', '{"{2,1}"}', 'smallint[]');
SELECT * FROM probe('text[]', '{"{a,b}","{ab}"}', '{"{a,b}","{ab}"}', '{"{b,a}","{\"a,b\"}","{a}"}', 'varchar[]');
SELECT * FROM probe('numeric[]', '{"{1.0}"}', '{"{1.00}"}', '{"{1.01}"}');

-- Rows and composite types: column by column, whatever the columns and the type are called; ROW() itself.
CREATE TYPE pair AS (a integer, b text);
CREATE TYPE couple AS (x bigint, y varchar);
SELECT * FROM probe('pair', '{"(1,a)","(2,)","(,)"}', '{"(1,a)","(2,)","(,)"}', '{"(1,b)","(2,\"\")","(,a)","(0,)"}');
SELECT * FROM probe('pair', '{"(1,a)"}', '{"(1,a)"}', '{"(1,b)"}', 'couple');
SELECT (bf_info(b)).value_kind, bf_contains(b, ROW(1, 'a'::text)) AS row, bf_contains(b, ROW(1, 'a')::pair) AS pair,
    bf_contains(b, ROW(1, 'b'::text)) AS other
FROM (SELECT bf_agg(ROW(i, 'a'::text), 10, 1e-7) AS b FROM generate_series(1, 3) i) AS f;
SELECT count(*) FILTER (WHERE bf_contains(b, ROW(n.k, n.v))) AS found, count(*)
FROM (SELECT bf_agg((k, v)) AS b FROM (SELECT i AS k, i::text AS v FROM generate_series(1, 1000) i) s) AS f,
    (SELECT i::bigint AS k, i::varchar AS v FROM generate_series(1, 1000) i) AS n;
-- A dropped column is not included.
CREATE TABLE wide (a integer, gone text, b text);
INSERT INTO wide VALUES (1, 'x', 'a');
SELECT (bf_info(bf_agg(wide))).value_kind FROM wide;
ALTER TABLE wide DROP COLUMN gone;
SELECT (bf_info(b)).value_kind, bf_contains(b, ROW(1, 'a')::pair) AS pair
FROM (SELECT bf_agg(wide) AS b FROM wide) AS f;
-- Rows in rows, arrays of rows, rows of arrays.
CREATE TYPE nest AS (n smallint, p pair, a numeric[]);
SELECT * FROM probe('nest', '{"(1,\"(1,a)\",\"{1.0}\")"}', '{"(1,\"(1,a)\",\"{1.00}\")"}',
    '{"(1,\"(1,b)\",\"{1.0}\")","(1,\"(1,a)\",{})"}');
SELECT (bf_info(b)).value_kind, bf_contains(b, ROW(1, ROW(1, 'a')::couple, ARRAY[2.0])) AS row
FROM (SELECT bf_add(bf_create(10), ROW(1, ROW(1, 'a'), ARRAY[2.00])::nest) AS b) AS f;
SELECT (bf_info(b)).value_kind, bf_contains(b, ARRAY[ROW(1, 'a')::pair]) AS array
FROM (SELECT bf_add(bf_create(10), ARRAY[ROW(1, 'a')::couple]) AS b) AS f;
-- Rows of several definitions in one call.
SELECT i, bf_contains(b, CASE WHEN i = 1 THEN ROW(1, 'a'::text) ELSE ROW('a'::text, 1) END) AS row
FROM (SELECT bf_add(bf_create(10), ROW(1, 'a'::text)) AS b) AS f, generate_series(1, 2) AS i;

-- Every other type with a hash operator class, under its own equality.
SELECT * FROM probe('interval', '{1 month,1 day}', '{30 days,24 hours}', '{31 days,23 hours}');
SELECT * FROM probe('jsonb', '{"{\"a\": 1, \"b\": [true]}"}', '{"{\"b\": [true], \"a\": 1.00}"}', '{"{\"a\": 1}"}');
SELECT * FROM probe('int4range', '{"[1,3)"}', '{"[1,2]"}', '{"[1,3]",empty}');
SELECT * FROM probe('tstzrange', '{"[2024-01-01 00:00+00,)"}', '{"[2024-01-01 01:00+01,)"}',
    '{"(2024-01-01 00:00+00,)"}');
SELECT * FROM probe('inet', '{10.0.0.1,10.0.0.0/8}', '{10.0.0.1/32,10.0.0.0/8}', '{10.0.0.2,10.0.0.0/9}');
SELECT * FROM probe('macaddr', '{08:00:2b:01:02:03}', '{08002b-010203}', '{08:00:2b:01:02:04}');
SELECT * FROM probe('timetz', '{12:00+00}', '{12:00:00+00}', '{13:00+01}');
SELECT * FROM probe('oid', '{1}', '{1}', '{2}');
SELECT * FROM probe('"char"', '{a}', '{a}', '{b}');
SELECT * FROM probe('pg_lsn', '{16/B374D848}', '{16/b374d848}', '{16/B374D849}');

-- A range of a user's type, in a schema: the kind says which.
CREATE TYPE span AS RANGE (subtype = float8);
SELECT * FROM probe('span', '{"[1,2)"}', '{"[1.0,2.0)"}', '{"[1,2]"}');

-- Bounds are equal by the equality of their type.
CREATE TYPE labels AS RANGE (subtype = bpchar);
SELECT * FROM probe('labels', '{"[a,b]"}', '{"[\"a  \",\"b \"]"}', '{"[a,b)"}');
SELECT * FROM probe('numrange', '{"[1.0,2)"}', '{"[1,2.00)"}', '{"[1,2]",empty,"[1,)"}');
CREATE DOMAIN word AS text;
CREATE TYPE words AS RANGE (subtype = word);
CREATE DOMAIN some_words AS words;
SELECT * FROM probe('some_words', '{"[a,b]"}', '{"[a,b]"}', '{"[a,b)","[a,\"b \"]"}', 'words');
SELECT bf_contains(bf_agg(m), '{[1,3),[7,8]}'::int4multirange) AND NOT bf_contains(bf_agg(m), '{[1,3)}'::int4multirange)
    AND NOT cf_contains(cf_agg(m), '{}'::int4multirange)
    AND (bf_info(bf_agg(m))).value_kind = 'int4multirange(int4)' AS multirange
FROM (SELECT '{[1,2],[7,9)}'::int4multirange AS m) AS ranges;
-- A filter does not hold ranges if a different operator class determines which bounds are equal.
\set VERBOSITY terse
CREATE FUNCTION compare_halves(integer, integer) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT sign($1 / 2 - $2 / 2)::integer';
CREATE FUNCTION halves(text, integer, integer) RETURNS boolean IMMUTABLE LANGUAGE sql AS $$
    SELECT CASE $1 WHEN '<' THEN $2 / 2 < $3 / 2 WHEN '<=' THEN $2 / 2 <= $3 / 2 WHEN '=' THEN $2 / 2 = $3 / 2
        WHEN '>=' THEN $2 / 2 >= $3 / 2 ELSE $2 / 2 > $3 / 2 END
$$;
CREATE FUNCTION half_less(integer, integer) RETURNS boolean IMMUTABLE LANGUAGE sql AS $$SELECT halves('<', $1, $2)$$;
CREATE FUNCTION half_at_most(integer, integer) RETURNS boolean IMMUTABLE LANGUAGE sql AS $$SELECT halves('<=', $1, $2)$$;
CREATE FUNCTION half_equal(integer, integer) RETURNS boolean IMMUTABLE LANGUAGE sql AS $$SELECT halves('=', $1, $2)$$;
CREATE FUNCTION half_at_least(integer, integer) RETURNS boolean IMMUTABLE LANGUAGE sql AS $$SELECT halves('>=', $1, $2)$$;
CREATE FUNCTION half_more(integer, integer) RETURNS boolean IMMUTABLE LANGUAGE sql AS $$SELECT halves('>', $1, $2)$$;
CREATE OPERATOR <# (LEFTARG = integer, RIGHTARG = integer, FUNCTION = half_less);
CREATE OPERATOR <=# (LEFTARG = integer, RIGHTARG = integer, FUNCTION = half_at_most);
CREATE OPERATOR =# (LEFTARG = integer, RIGHTARG = integer, FUNCTION = half_equal);
CREATE OPERATOR >=# (LEFTARG = integer, RIGHTARG = integer, FUNCTION = half_at_least);
CREATE OPERATOR ># (LEFTARG = integer, RIGHTARG = integer, FUNCTION = half_more);
CREATE OPERATOR CLASS half_ops FOR TYPE integer USING btree AS OPERATOR 1 <#, OPERATOR 2 <=#, OPERATOR 3 =#,
    OPERATOR 4 >=#, OPERATOR 5 >#, FUNCTION 1 compare_halves(integer, integer);
CREATE TYPE half_range AS RANGE (subtype = integer, subtype_opclass = half_ops);
SELECT half_range(2, 6) = half_range(3, 7) AS equal;
\set VERBOSITY default
SELECT bf_agg(half_range(2, 6));
SELECT cf_agg(half_multirange(half_range(2, 6)));

-- A call site that receives rows of changing types uses no more memory than for one of them.
BEGIN;
DECLARE probes CURSOR FOR
    SELECT bf_contains(bf_create(10), r), filter_hash(r)
    FROM generate_series(1, 30001) i, LATERAL (SELECT CASE WHEN i % 2 = 0 THEN ROW(i) ELSE ROW(i, 'a'::text, 1.5) END AS r) AS rows;
MOVE 30000 IN probes;
SELECT sum(used_bytes) < 16 * 1024 * 1024 AS bounded FROM pg_backend_memory_contexts;
COMMIT;

SET client_min_messages = warning;
DROP SCHEMA value_kinds CASCADE;
