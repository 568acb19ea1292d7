--
-- A parameter has the type of its first use. That a filter function uses it first does not change what a comparison of the
-- same parameter with a column means, nor that an index serves it.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS cuckoo_filter;
CREATE SCHEMA same_parameter;
SET search_path = same_parameter, public;
RESET client_min_messages;
SET datestyle = iso;
SET timezone = 'UTC';
CREATE TYPE mood AS ENUM ('happy', 'sad');
CREATE DOMAIN positive AS integer CHECK (VALUE > 0);

-- Every type that has such an operator, and types that PostgreSQL compares as one of them; each with a text for a
-- value of the type that differs from the type's output.
CREATE TABLE types (type text, value text);
INSERT INTO types VALUES
    ('smallint', ' 7 '), ('integer', '+7'), ('bigint', '007'), ('numeric', '7.00'), ('real', '0.1'), ('double precision', '1e-1'),
    ('text', 'seven'), ('character(9)', 'seven   '), ('bytea', '\x6A'), ('uuid', 'A0EEBC99-9C0B4EF8-BB6D6BB9-BD380A11'), ('boolean', 'yes'),
    ('date', '20260131'), ('time', '4:05 PM'), ('timestamp', '2026-01-31T04:05'), ('timestamptz', '2026-01-31 04:05+02'),
    ('varchar(20)', 'seven'), ('name', 'seven'), ('positive', '7');
CREATE FUNCTION rows_found(condition text, parameter text, type text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan text;
    node text;
    found text;
BEGIN
    EXECUTE format('PREPARE by_key AS SELECT k FROM keys, filters WHERE %s', condition);
    EXECUTE format('EXECUTE by_key(%L)', parameter) INTO found;
    plan := '';
    FOR node IN EXECUTE format('EXPLAIN (COSTS off) EXECUTE by_key(%L)', parameter) LOOP
        plan := plan || node || E'\n';
    END LOOP;
    DEALLOCATE by_key;
    RETURN concat_ws(', ', found, CASE WHEN plan LIKE '%Index Cond%' THEN 'by index' ELSE plan END);
END$$;
CREATE FUNCTION all_orders(type text, value text, OUT first_in_filter text, OUT reversed text, OUT alone text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE keys (k %s PRIMARY KEY)', type);
    EXECUTE format('INSERT INTO keys VALUES (%L)', value);
    -- A filter of text takes any parameter.
    CREATE TABLE filters AS SELECT bf_agg(t.value) AS f FROM types t;
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_bitmapscan = off;
    first_in_filter := rows_found('bf_contains(f, $1) AND k = $1', value, type);
    reversed := rows_found('bf_contains(f, $1) AND $1 = k', value, type);
    alone := rows_found('k = $1', value, type);
    DROP TABLE keys, filters;
END$$;
SELECT type, alone, first_in_filter = alone AND reversed = alone AS same FROM types, all_orders(type, value);
-- The same with plans for any parameter.
SET plan_cache_mode = force_generic_plan;
SELECT type, alone, first_in_filter = alone AND reversed = alone AS same FROM types, all_orders(type, value)
WHERE first_in_filter <> alone OR reversed <> alone OR alone NOT LIKE '%by index';
RESET plan_cache_mode;

-- Other forms of comparison: lists, IS DISTINCT FROM, arrays, CASE, a join.
CREATE TABLE keys AS SELECT i, 'key ' || i AS t FROM generate_series(1, 100) i;
CREATE TABLE filters AS SELECT bf_agg(t) AS f FROM keys;
PREPARE listed AS SELECT count(*) FROM keys, filters WHERE bf_contains(f, $1) AND t IN ($1, 'key 8');
EXECUTE listed('key 7');
PREPARE distinct_from AS SELECT count(*) FROM keys, filters WHERE bf_contains(f, $1) AND t IS DISTINCT FROM $1;
EXECUTE distinct_from('key 7');
PREPARE any_of AS SELECT count(*) FROM keys, filters WHERE bf_contains(f, $1) AND t = ANY (ARRAY[$1]);
EXECUTE any_of('key 7');
PREPARE element_of AS SELECT count(*) FROM keys, filters WHERE bf_contains(f, $1) AND $1 = ANY (ARRAY[t, 'no']);
EXECUTE element_of('key 7');
PREPARE simple_case AS SELECT count(*) FILTER (WHERE CASE t WHEN $1 THEN true END) FROM keys, filters WHERE bf_contains(f, $1);
EXECUTE simple_case('key 7');
PREPARE null_if AS SELECT count(nullif(t, $1)) FROM keys, filters WHERE bf_contains(f, $1);
EXECUTE null_if('key 7');
PREPARE two_filters AS SELECT count(*) FROM keys, filters WHERE bf_contains(f, $1) AND f @> $1 AND t = $1 AND $1 = t;
EXECUTE two_filters('key 7');
EXECUTE two_filters(NULL);
PREPARE another_type AS SELECT count(*) FROM keys, filters WHERE bf_contains(f, $1) AND i = $1;
EXECUTE another_type('7');
EXECUTE another_type('key 7');
DEALLOCATE ALL;

-- No other comparison uses these operators, or became ambiguous: a value of any type is compared with an untyped
-- literal as if the operators were not visible. A view of the comparison depends on its operator.
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
SELECT operator_of('NULL::text = NULL::filter_literal') = '= (text, filter_literal)'::regoperator AS ours,
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
SELECT 'a' = 'a' AS equal, 'a' = 'b' AS different, NULL = 'a' AS "null", 'sad'::mood = 'sad' AS enum;

SET client_min_messages = warning;
DROP SCHEMA same_parameter CASCADE;
