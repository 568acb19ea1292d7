--
-- citext: values that are equal as citext are one value. (Without citext the file ends early.)
--
SELECT count(*) = 0 AS skip FROM pg_available_extensions WHERE name = 'citext' \gset
\if :skip
\echo citext is not available
\quit
\endif
SET client_min_messages = warning;
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
SELECT bf_contains(bf_agg('a'::citext), 'a'::text);
SELECT bf_contains(bf_agg('a'::text), 'a'::citext);
SELECT bf_contains(bf_agg('a'::citext), 'a');
\set VERBOSITY default

-- Its equality follows the locale of the database, which the kind names.
SELECT regexp_replace((bf_info(bf_agg('a'::citext))).value_kind, ' locale [a-z]+ [^ ]+( version [^ ]+)?$', ' locale L') AS kind;

-- So does the equality of values that contain citext.
CREATE TYPE span AS RANGE (subtype = citext);
SELECT (bf_info(bf_agg(span('a', 'B')))).value_kind LIKE 'test_citext.span(test_citext.citext) locale %' AS range,
    bf_contains(bf_agg(span('a', 'B')), span('A', 'b')) AS contains;

SET client_min_messages = warning;
DROP SCHEMA test_citext CASCADE;
