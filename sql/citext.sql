--
-- citext: values that are equal as citext are one value. (Without citext the file ends early.)
--
SELECT count(*) = 0 AS skip FROM pg_available_extensions WHERE name = 'citext' \gset
\if :skip
\echo citext is not available
\quit
\endif
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS cuckoo_filter;
CREATE SCHEMA test_citext;
CREATE EXTENSION citext SCHEMA test_citext;
SET search_path = test_citext, public;
RESET client_min_messages;

SELECT count(*) FILTER (WHERE bf_contains(b, v)) AS b, count(*) FILTER (WHERE cf_contains(c, v)) AS c,
    count(*) FILTER (WHERE b @> v AND v <@ c) AS operators
FROM (SELECT bf_agg(v, 10, 1e-7) AS b, cf_agg(v, 10, 1e-7) AS c FROM unnest(ARRAY['Apple', 'PEAR']::citext[]) v) AS f,
    unnest(ARRAY['apple', 'APPLE', 'aPPle', 'pear', 'plum', 'appl']::citext[]) v;
SELECT cf_cardinality(cf_agg(v)) AS distinct_values,
    cf_count(cf_add_all(cf_create(10), array_agg(v)), 'A'::citext) AS copies
FROM unnest(ARRAY['a', 'A', 'b']::citext[]) v;
SELECT bf_contains(bf_agg(v), ARRAY['APPLE', 'pear']::citext[]) AS array,
    bf_contains(bf_agg(ROW(1, v)), ROW(1, ARRAY['APPLE', 'pear']::citext[])) AS row_of_array
FROM (SELECT ARRAY['apple', 'PEAR']::citext[] AS v) AS a;
CREATE DOMAIN email AS citext CHECK (VALUE ~ '@');
SELECT bf_contains(bf_agg('Ann@Example.ORG'::email), 'ann@example.org'::citext) AS domain;

-- text, which distinguishes them, is another kind.
\set VERBOSITY sqlstate
SELECT bf_contains(bf_agg(v), 'a'::text) FROM unnest(ARRAY['a'::citext]) v;
SELECT bf_contains(bf_agg(v), 'a'::citext) FROM unnest(ARRAY['a'::text]) v;
SELECT bf_contains(bf_agg(v), 'a') FROM unnest(ARRAY['a'::citext]) v;
\set VERBOSITY default

-- Its equality follows the locale of the database, which the kind names.
SELECT regexp_replace((bf_info(bf_agg(v))).value_kind, ' locale [a-z]+ [^ ]+( version [^ ]+)?$', ' locale L') AS kind
FROM unnest(ARRAY['a'::citext]) v;

-- So does the equality of values that contain citext.
CREATE TYPE span AS RANGE (subtype = citext);
SELECT (bf_info(bf_agg(span('a', 'B')))).value_kind LIKE 'test_citext.span(test_citext.citext locale %)' AS range,
    bf_contains(bf_agg(span('a', 'B')), span('A', 'b')) AS contains;

-- citext resolves to the aggregate of text, and still gives a filter of citext: with few or many arguments, sorted, in
-- groups, as a window function, in parallel, through a domain, and without a row. An explicit cast gives one of text.
CREATE TABLE words AS SELECT ('Word' || i)::citext AS c, ('Word' || i)::text AS t, ('W@' || i)::email AS d
FROM generate_series(1, 2000) i;
ANALYZE words;
CREATE FUNCTION kinds(query text) RETURNS TABLE (kind text) LANGUAGE plpgsql AS $$
BEGIN
    FOR kind IN EXECUTE query LOOP
        kind := regexp_replace(kind, '^test_citext.citext .*', 'citext');
        RETURN NEXT;
    END LOOP;
END$$;
SELECT count(*), kind
FROM unnest(ARRAY['bf_agg(w.c)', 'bf_agg(w.c, 5000)', 'bf_agg(w.c, NULL, 0.1)', 'bf_agg(DISTINCT w.c)', 'bf_agg(w.c ORDER BY w.t)',
        'bf_agg(w.c ORDER BY w.c, w.t)', 'bf_agg(w.c ORDER BY w.c::text)', 'bf_agg(w.c) FILTER (WHERE w.t > ''Word5'')',
        'bf_agg(w.d)', 'bf_agg(coalesce(w.c, w.t::citext))']) AS call,
    unnest(ARRAY['words AS w', 'words AS w WHERE t = ''none''', 'words AS w WHERE false', 'words AS w GROUP BY length(t)',
        '(SELECT * FROM words OFFSET 0) AS w', 'words AS v JOIN words AS w USING (c)',
        '(SELECT * FROM words UNION ALL SELECT * FROM words) AS w']) AS source,
    kinds(format('SELECT (bf_info(b)).value_kind FROM (SELECT %s AS b FROM %s) AS f', call, source)) AS kind
GROUP BY 2 ORDER BY 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT (bf_info(bf_agg(c))).value_kind LIKE 'test_citext.citext %' AS citext,
    (bf_info(bf_agg(t))).value_kind AS text, bf_contains(bf_agg(c), 'word7'::citext) AS found
FROM words;
-- Without a row, the kind is unknown to a parallel plan.
SELECT (bf_info(bf_agg(c))).value_kind AS kind, bf_contains(bf_agg(c), 'a'::citext) AS found FROM words WHERE length(t) < 0;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SELECT kind, count(*) FROM kinds('SELECT (bf_info(b)).value_kind FROM (SELECT bf_agg(c::text) AS b FROM words UNION ALL SELECT bf_agg(t) FROM words
    UNION ALL SELECT bf_agg(t::varchar) OVER () FROM words WHERE c = ''WORD7'') AS f') AS kind GROUP BY 1;
-- Errors, where nothing shows which of both it was.
SELECT bf_agg('a'::citext);
SELECT bf_agg(c) OVER (), bf_agg(t) OVER () FROM words;
SELECT count(*) FILTER (WHERE bf_contains(b, upper(t)::citext)) AS found FROM (SELECT bf_agg(c) AS b, bf_agg(t) AS b_text FROM words) AS f, words;
SELECT (SELECT count(*) FROM (SELECT bf_contains(bf_agg(c) OVER (), 'word7'::citext) AS found, bf_agg(t::varchar) OVER () FROM words) AS w WHERE found) AS found;

-- A user-defined string type whose implicit cast changes the value: an error, which says to write the cast.
CREATE TYPE loud;
CREATE FUNCTION loud_in(cstring) RETURNS loud LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION loud_out(loud) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE loud (INPUT = loud_in, OUTPUT = loud_out, LIKE = text, CATEGORY = 'S', COLLATABLE = true);
CREATE FUNCTION loud_text(loud) RETURNS text LANGUAGE internal IMMUTABLE STRICT AS 'upper';
CREATE CAST (loud AS text) WITH FUNCTION loud_text(loud) AS IMPLICIT;
SELECT bf_agg(v) FROM unnest(ARRAY['a', 'b']::loud[]) v;
SELECT bf_contains(bf_agg(v::text), 'A') AS found FROM unnest(ARRAY['a', 'b']::loud[]) v;

-- A parameter that a filter saw first is compared with a citext column as citext, although the operator is text's.
CREATE TABLE people (login citext PRIMARY KEY);
INSERT INTO people VALUES ('Ann');
SELECT bf_agg('ann'::varchar) AS of_text \gset
PREPARE by_login AS SELECT login FROM people WHERE bf_contains(:'of_text', $1) AND login = $1 AND $1 = login;
EXECUTE by_login('ann');
PREPARE by_logins AS SELECT login FROM people
    WHERE bf_contains(:'of_text', $1) AND login = ANY (ARRAY[$1]) AND login IS NOT DISTINCT FROM $1;
EXECUTE by_logins('ann');
DEALLOCATE ALL;

SET client_min_messages = warning;
DROP SCHEMA test_citext CASCADE;
