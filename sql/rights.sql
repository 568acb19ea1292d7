--
-- Privileges: nothing runs with more rights than its caller's, and a filter shows nothing that a query would not
-- show.
--
SET client_min_messages = warning;
CREATE SCHEMA rights;
SET search_path = rights, public;
CREATE ROLE regress_filter_reader;
GRANT USAGE ON SCHEMA rights TO regress_filter_reader;

CREATE VIEW member_function AS
    SELECT p.*, extowner FROM pg_depend JOIN pg_extension e ON refobjid = e.oid
        JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid
    WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND extname = 'cuckoo_filter';

-- No function has other rights than its caller's, or settings of its own. None is leakproof, that is, allowed to see
-- rows that a policy or a security barrier hides: its errors may reveal a value. There are no special grants.
SELECT count(*) > 80 AS many, bool_or(prosecdef) AS security_definer, bool_or(proleakproof) AS leakproof,
    bool_or(proconfig IS NOT NULL) AS settings, bool_or(proacl IS NOT NULL) AS granted, count(DISTINCT proowner)
        AS owners,
    bool_and(proowner = extowner OR (SELECT rolsuper FROM pg_roles r WHERE r.oid = proowner)) AS owned_alike
FROM member_function;
-- All are in C, or are the server's own functions for text and bytea.
SELECT lanname, array_agg(DISTINCT prosrc ORDER BY prosrc) FILTER (WHERE lanname <> 'c') AS functions
FROM member_function p JOIN pg_language l ON l.oid = prolang WHERE prokind = 'f' GROUP BY 1 ORDER BY 1;
-- Only functions, types, operators and casts: no table, no trigger, no language.
SELECT DISTINCT classid::regclass::text COLLATE "C" AS made FROM pg_depend JOIN pg_extension e ON refobjid = e.oid
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND extname = 'cuckoo_filter' ORDER BY 1;

--
-- Anyone can build and use filters of values that they may read.
--
CREATE TABLE secrets (owner name, key bigint, word text, b bloomfilter, c cuckoofilter);
INSERT INTO secrets SELECT CASE WHEN i > 90 THEN 'regress_filter_reader' ELSE 'postgres' END, i, 'word' || i,
    bf_agg(i * 1000 + n), cf_agg('word' || n)
FROM generate_series(1, 100) i, generate_series(1, 20) n GROUP BY i;
ANALYZE secrets;
SET ROLE regress_filter_reader;
CREATE TEMP TABLE mine AS SELECT bf_agg(i) AS b, cf_agg(i, 100, 0.001) AS c FROM generate_series(1, 10) i;
UPDATE mine SET b = bf_add(b, 11), c = cf_delete(c, 1);
SELECT b @> 11, c @> 1, (bf_info(b | b)).value_kind, cf_cardinality(cf_compact(c)),
    b::bytea::bloomfilter::text = b::text AS same FROM mine;
\set VERBOSITY sqlstate
SELECT bf_agg(key) FROM secrets;
SELECT bf_contains(b, 1) FROM secrets;
EXPLAIN (COSTS OFF) SELECT FROM secrets WHERE bf_create(10) @> key;
ALTER FUNCTION bf_contains(bloomfilter, anyelement) LEAKPROOF;
ALTER FUNCTION bf_contains(bloomfilter, anyelement) SECURITY DEFINER;
CREATE OR REPLACE FUNCTION public.bf_contains(bloomfilter, anyelement) RETURNS boolean LANGUAGE sql AS 'SELECT true';
DROP FUNCTION bf_contains(bloomfilter, anyelement);
DROP EXTENSION cuckoo_filter;
\set VERBOSITY default
RESET ROLE;

--
-- A probe does not see rows that a policy hides, and cannot reveal them by an error.
--
GRANT SELECT, UPDATE ON secrets TO regress_filter_reader;
ALTER TABLE secrets ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON secrets USING (owner = current_user);
CREATE VIEW visible WITH (security_barrier) AS SELECT * FROM secrets WHERE key > 95;
GRANT SELECT ON visible TO regress_filter_reader;
-- In a plan the policy comes first, though a probe is cheap.
CREATE FUNCTION order_of_quals(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        IF line ~ 'Filter:' THEN
            RETURN NEXT regexp_replace(line, '^.*Filter: ', '');
        END IF;
    END LOOP;
END$$;
SET ROLE regress_filter_reader;
SELECT count(*) FROM secrets WHERE bf_contains(b, key * 1000 + 1);
SELECT order_of_quals($$SELECT FROM secrets WHERE bf_contains(b, key)$$);
SELECT order_of_quals($$SELECT FROM secrets WHERE b @> key AND c @> word$$);
SELECT order_of_quals($$SELECT FROM secrets s WHERE key <@ b AND NOT cf_contains_any(c, ARRAY[word])$$);
SELECT count(*), min(key) FROM visible WHERE b @> key * 1000 + 1;
-- An error reveals a value only if the row is visible: '1/0' here is an example of one that does.
SELECT count(*) FROM secrets WHERE key > 90 AND bf_contains(b, 1 / (key - 50));
SELECT count(*) FROM visible WHERE bf_contains(b, 1 / (key - 95));
SELECT count(*) FROM secrets WHERE bf_contains(b, (word || 1 / (key - 50))::text::bigint);
-- Wrong kinds name the kinds, never a value.
SELECT count(*) FROM secrets WHERE bf_contains(b, word);
SELECT bf_contains(b, word::filter_literal) FROM secrets ORDER BY key LIMIT 1;
-- Nor does an estimate use values in the statistics that the role may not read.
RESET ROLE;
CREATE FUNCTION estimate(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Plan Rows')::bigint;
END$$;
CREATE TABLE common AS SELECT CASE WHEN i % 10 = 0 THEN i ELSE 7 END AS key FROM generate_series(1, 1000) i;
ANALYZE common;
SELECT bf_agg(7, 100, 1e-7) AS filter_of_7, bf_agg(8, 100, 1e-7) AS filter_of_8 \gset
CREATE VIEW barred WITH (security_barrier) AS SELECT key FROM common WHERE key >= 0;
GRANT SELECT ON barred, common TO regress_filter_reader;
CREATE POLICY positive ON common USING (key >= 0);
ALTER TABLE common ENABLE ROW LEVEL SECURITY;
SELECT estimate(format('SELECT FROM common WHERE %L::bloomfilter @> key', :'filter_of_7')) AS known,
    estimate(format('SELECT FROM common WHERE %L::bloomfilter @> key', :'filter_of_8')) AS known_not;
SET ROLE regress_filter_reader;
SELECT estimate(format('SELECT FROM %I WHERE %L::bloomfilter @> key', relation, :'filter_of_7'))
    = estimate(format('SELECT FROM %I WHERE %L::bloomfilter @> key', relation, :'filter_of_8')) AS the_same,
    estimate(format('SELECT FROM %I WHERE bf_contains(%L, key)', relation, :'filter_of_7'))
    = estimate(format('SELECT FROM %I WHERE bf_contains(%L, key)', relation, :'filter_of_8')) AS and_for_the_function
FROM unnest(ARRAY['barred', 'common']) AS relation;
RESET ROLE;

-- A role cannot bypass a missing EXECUTE privilege.
REVOKE EXECUTE ON FUNCTION bf_add(bloomfilter, anyelement), _bloomfilter_agg_transition(internal, anyelement) FROM PUBLIC;
SET ROLE regress_filter_reader;
\set VERBOSITY sqlstate
SELECT bf_add(bf_create(10), 1);
\set VERBOSITY default
SELECT bf_add_all(bf_create(10), ARRAY[1]) @> 1;
RESET ROLE;
GRANT EXECUTE ON FUNCTION bf_add(bloomfilter, anyelement), _bloomfilter_agg_transition(internal, anyelement) TO PUBLIC;

RESET search_path;
DROP SCHEMA rights CASCADE;
DROP TABLE mine;
DROP EXTENSION cuckoo_filter;
DROP OWNED BY regress_filter_reader;
DROP ROLE regress_filter_reader;
-- For the tests that follow in the same database.
CREATE EXTENSION cuckoo_filter WITH SCHEMA public;
