--
-- Collations under which different strings are equal: a filter of such text finds every string that is equal to one it
-- was built from. (Without ICU, or in a database that is not UTF8, the file ends early.)
--
SELECT getdatabaseencoding() <> 'UTF8' OR
    NOT EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i' AND collname = 'und-x-icu') AS skip \gset
\if :skip
\echo ICU is not available
\quit
\endif
CREATE SCHEMA test_collations;
SET search_path = test_collations, public;
CREATE COLLATION ignore_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE COLLATION ignore_accents (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
CREATE TYPE words_between AS RANGE (subtype = text, collation = ignore_case);

SELECT 'ABC' = 'abc' COLLATE ignore_case AS equal, bf_contains(b, 'abc'::text COLLATE ignore_case) AS bloom,
    cf_contains(c, 'abc'::text COLLATE ignore_case) AS cuckoo, bf_contains(b, 'abd'::text COLLATE ignore_case) AS other
FROM (SELECT bf_agg('ABC'::text COLLATE ignore_case, 10, 1e-7) AS b, cf_agg('ABC'::text COLLATE ignore_case) AS c) AS f;
SELECT bf_contains(bf_agg(U&'r\00e9sum\00e9'::text COLLATE ignore_accents),
    'resume'::text COLLATE ignore_accents) AS accents;

-- From columns, of every type that has a collation.
CREATE TABLE words (t text COLLATE ignore_case, v varchar(10) COLLATE ignore_case, c char(10) COLLATE ignore_case,
    a text[] COLLATE ignore_case);
INSERT INTO words SELECT w, w, w, ARRAY[w, w] FROM unnest(ARRAY['apple', 'Pear', 'FIG']) w;
CREATE TABLE filters AS SELECT bf_agg(t) AS t, bf_agg(v) AS v, bf_agg(c) AS c, bf_agg(a) AS a, cf_agg(t) AS cuckoo
FROM words;
SELECT count(*) FILTER (WHERE bf_contains(f.t, upper(w.t)) AND bf_contains(f.t, lower(w.t))) AS t,
    count(*) FILTER (WHERE bf_contains(f.v, upper(w.v)::varchar) AND bf_contains(f.v, lower(w.v)::varchar)) AS v,
    count(*) FILTER (WHERE bf_contains(f.c, upper(w.c)::char(10)) AND bf_contains(f.c, lower(w.c)::char(10))) AS c,
    count(*) FILTER (WHERE bf_contains(f.a, ARRAY[upper(w.t), lower(w.t)])) AS a,
    count(*) FILTER (WHERE cf_contains(f.cuckoo, upper(w.t)) AND cf_contains(f.cuckoo, lower(w.t))) AS cuckoo,
    count(*) FILTER (WHERE bf_contains_all(f.t, ARRAY[upper(w.t), lower(w.t)])) AS "all",
    count(*) FILTER (WHERE f.t @> upper(w.t) AND lower(w.t) <@ f.t) AS operators
FROM filters AS f, words AS w;

-- A literal under the collation is a value of the kind.
SELECT bf_contains(t, 'APPLE' COLLATE ignore_case) AS t, t @> 'pear' COLLATE ignore_case AS operator,
    cf_count(cf_add(cuckoo, 'fig' COLLATE ignore_case), 'Fig' COLLATE ignore_case) AS cuckoo,
    regexp_replace((bf_info(bf_add(bf_create(10), 'a'::text COLLATE ignore_case))).value_kind, '[0-9.]+$', 'N') AS kind
FROM filters;

-- The label of an enum is not compared under a collation.
CREATE TYPE tempers AS ENUM ('good', 'bad');
SELECT bf_contains(bf_agg(t), 'good' COLLATE ignore_case) AS good, bf_contains(bf_agg(t), 'GOOD' COLLATE ignore_case) AS upper_case
FROM unnest(ARRAY['good', 'bad']::tempers[]) AS t;

-- The aggregate stores a value once, and its spellings are copies of one value.
SELECT cf_cardinality(cf_agg(t)) AS distinct_values,
    cf_count(cf_add_all(cf_create(10), array_agg(t)), 'APPLE'::text COLLATE ignore_case) AS copies
FROM (SELECT t FROM words UNION ALL SELECT upper(t) FROM words) AS w (t);

-- Text under a collation with another equality is another kind; the kind names the collation and its version.
CREATE FUNCTION error_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text;
    detail text;
    hint text;
BEGIN
    EXECUTE query;
    RETURN 'no error';
EXCEPTION WHEN datatype_mismatch THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(E'\n', regexp_replace(message, 'version [0-9.]+', 'version N', 'g'), nullif(detail, ''), hint);
END $$;
\pset format unaligned
SELECT error_of('SELECT bf_contains(t, ''apple''::text) FROM filters');
SELECT error_of('SELECT bf_contains(t, ''apple''::text COLLATE ignore_accents) FROM filters');
\pset format aligned
\set VERBOSITY sqlstate
SELECT bf_contains(bf_agg('apple'::text), 'apple'::text COLLATE ignore_case);
SELECT bf_contains(t, 'apple'::text COLLATE "C") FROM filters;
SELECT cf_delete(cuckoo, 'apple'::text) FROM filters;
SELECT cf_add_all(cuckoo, ARRAY['apple']) FROM filters;
SELECT bf_contains(t, 'apple') FROM filters;
SELECT bf_contains(t, 'apple' COLLATE ignore_accents) FROM filters;
SELECT bf_contains(bf_agg('apple'::text), 'apple' COLLATE ignore_case);
SELECT bf_union(bf_agg(t), bf_agg(t COLLATE ignore_accents)) FROM words;
\set VERBOSITY default

-- So is text hashed by a different version of ICU, which this filter claims to hold.
CREATE FUNCTION of_another_version(image bytea) RETURNS bytea LANGUAGE sql AS $$
    -- The last digit of the version ends the name, whose length is at byte 18.
    SELECT set_byte(image, last, CASE get_byte(image, last) WHEN ascii('0') THEN ascii('1') ELSE ascii('0') END)
    FROM (SELECT 23 + get_byte(image, 18) AS last) AS name
$$;
SELECT split_part(error_of(query), E'\n', 2) AS detail
FROM (VALUES ('SELECT bf_contains(of_another_version(t::bytea)::bloomfilter, ''apple''::text COLLATE ignore_case) FROM filters'),
    ('SELECT cf_delete(of_another_version(cuckoo::bytea)::cuckoofilter, ''apple''::text COLLATE ignore_case) FROM filters'))
    AS queries (query);
SELECT split_part(error_of('SELECT bf_union(t, of_another_version(t::bytea)::bloomfilter) FROM filters'), ',', 1) AS union;

-- The padding of char(n) is not part of a value, so a value of another length n is found. Text is another kind.
SELECT bf_contains(bf_agg(c), 'PEAR'::char(20) COLLATE ignore_case) AS wider
FROM (SELECT 'Pear'::char(10) COLLATE ignore_case AS c) AS padded;
\set VERBOSITY sqlstate
SELECT bf_contains(bf_agg(c), 'pear'::text COLLATE ignore_case)
FROM (SELECT 'Pear'::char(10) COLLATE ignore_case AS c) AS padded;
\set VERBOSITY default

-- Ranges under such a collation are refused, whether or not PostgreSQL hashes equal ones alike.
CREATE TYPE padded_between AS RANGE (subtype = bpchar, collation = ignore_case);
SELECT bf_agg(words_between('a', 'b'));
SELECT cf_add(cf_create(10), multirange(words_between('a', 'b')));
SELECT bf_contains(bf_create(10), padded_between('a ', 'B'));

-- The kind depends on the definition of the collation, not on its name: it may be renamed, and a different collation
-- of that name is another kind.
SELECT bf_agg('apple'::text COLLATE ignore_case) AS f, cf_agg(ARRAY['apple'] COLLATE ignore_case) AS c INTO kept;
ALTER COLLATION ignore_case RENAME TO renamed;
SELECT bf_contains(f, 'APPLE'::text COLLATE renamed) AS renamed, cf_contains(c, ARRAY['APPLE'] COLLATE renamed) AS array FROM kept;
CREATE COLLATION ignore_case (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
\set VERBOSITY sqlstate
SELECT bf_contains(f, 'APPLE'::text COLLATE ignore_case) FROM kept;
SELECT cf_contains(c, ARRAY['APPLE'] COLLATE ignore_case) FROM kept;
\set VERBOSITY default

-- ICU collations that are deterministic are like any other.
SELECT bf_contains(bf_agg('apple'::text COLLATE "und-x-icu"), 'apple'::text) AS deterministic,
    (bf_info(bf_agg('apple'::text COLLATE "und-x-icu"))).value_kind;

SET client_min_messages = warning;
DROP SCHEMA test_collations CASCADE;
