--
-- A parameter has the type of its first use. If a filter function uses it first, without a type, no other operator takes it; and
-- no comparison of other values became another one, or ambiguous, by the type of untyped values.
--
CREATE SCHEMA same_parameter;
SET search_path = same_parameter, public;
CREATE TABLE keys AS SELECT i::bigint AS i, 'key ' || i AS t FROM generate_series(1, 100) i;
CREATE TABLE filters AS SELECT bf_agg(i) AS of_i, bf_agg(t) AS of_t FROM keys;

-- (The rest of the message depends on the version.)
\set VERBOSITY terse
PREPARE numbers AS SELECT count(*) FROM keys, filters WHERE bf_contains(of_i, $1) AND i = $1;
PREPARE numbers AS SELECT count(*) FROM keys, filters WHERE bf_contains(of_i, $1) AND $1 = i;
PREPARE texts AS SELECT count(*) FROM keys, filters WHERE of_t @> $1 AND t = $1;
PREPARE texts AS SELECT count(*) FROM keys, filters WHERE of_t @> $1 AND t IN ($1, 'key 8');
PREPARE texts AS SELECT count(*) FROM keys, filters WHERE of_t @> $1 AND t LIKE $1;
\set VERBOSITY default
-- With the type, or another use first.
PREPARE numbers AS SELECT count(*) FROM keys, filters WHERE bf_contains(of_i, $1::bigint) AND i = $1;
EXECUTE numbers(7);
PREPARE texts AS SELECT count(*) FROM keys, filters WHERE t = $1 AND of_t @> $1;
EXECUTE texts('key 7');
PREPARE two_filters AS SELECT of_i @> $1, bf_contains(of_i, $1) FROM filters;
EXECUTE two_filters('7');
DEALLOCATE ALL;

-- A value of any type is compared with an untyped literal as if the extension were not visible. A view of the comparison depends
-- on its operator.
CREATE FUNCTION operator_of(comparison text) RETURNS oid LANGUAGE plpgsql AS $$
DECLARE
    found oid;
BEGIN
    EXECUTE 'CREATE VIEW same_parameter.compared AS SELECT ' || comparison;
    SELECT max(refobjid) INTO found
    FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
    WHERE r.ev_class = 'same_parameter.compared'::regclass AND d.refclassid = 'pg_operator'::regclass;
    DROP VIEW same_parameter.compared;
    -- No dependence on PostgreSQL's own operators is recorded.
    RETURN coalesce(found, 0);
EXCEPTION WHEN undefined_function OR ambiguous_function THEN
    RETURN NULL;
END$$;
SELECT operator_of('NULL::bloomfilter = NULL') = '= (bloomfilter, bloomfilter)'::regoperator AS ours,
    operator_of('NULL::text = NULL') AS own, operator_of('NULL::json = NULL') AS none;
SET search_path = pg_catalog;
CREATE TABLE same_parameter.comparisons AS
    SELECT format(comparison, format_type(type, NULL)) AS comparison
    FROM (SELECT oid FROM pg_type WHERE typtype <> 'p' AND typnamespace <> 'public'::regnamespace) AS types (type),
        (VALUES ('NULL::%s = NULL'), ('NULL = NULL::%s')) AS c (comparison);
CREATE TABLE same_parameter.without AS
    SELECT comparison, same_parameter.operator_of(comparison) AS operator FROM same_parameter.comparisons;
SET search_path = same_parameter, public;
SELECT count(*) > 300 AS many, count(*) FILTER (WHERE operator IS NULL) > 10 AS some_without,
    count(*) FILTER (WHERE operator IS DISTINCT FROM operator_of(comparison)) AS differ
FROM without;
SELECT 'a' = 'a' AS equal, 'a' = 'b' AS different, NULL = 'a' AS "null";

SET client_min_messages = warning;
DROP SCHEMA same_parameter CASCADE;
