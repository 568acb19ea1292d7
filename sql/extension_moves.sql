--
-- The extension is moved to another schema, and dropped, while filters are stored, plans kept, and functions use it.
--
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS cuckoo_filter;
CREATE SCHEMA before;
CREATE SCHEMA behind;
CREATE SCHEMA extension_moves;
CREATE EXTENSION cuckoo_filter WITH SCHEMA before;
SET search_path = extension_moves, before, behind;
RESET client_min_messages;

CREATE TABLE stored AS
    SELECT n, before.bf_agg(i) AS b, before.cf_agg(i) AS c, before.bf_agg('key ' || i) AS keys
    FROM unnest(ARRAY[10, 20000]) AS n, generate_series(1, n) AS i GROUP BY n;
CREATE TABLE numbers AS SELECT i FROM generate_series(1, 20000) AS i;
ANALYZE numbers;
-- A default, a generated column, a constraint, an index, a domain, an array and a composite.
CREATE DOMAIN small_filter AS before.bloomfilter CHECK (pg_catalog.pg_column_size(VALUE) < 1000);
CREATE TYPE both_filters AS (b before.bloomfilter, c before.cuckoofilter);
CREATE TABLE uses (
    id integer,
    b before.bloomfilter DEFAULT before.bf_create(100),
    one_more before.cuckoofilter GENERATED ALWAYS AS (before.cf_add(before.cf_create(10), id)) STORED,
    small small_filter,
    several before.bloomfilter[],
    both_of both_filters,
    CHECK (NOT before.bf_contains(b, -1))
);
INSERT INTO uses (id, small, several, both_of)
    SELECT i, before.bf_add(before.bf_create(10), i), ARRAY[before.bf_add(before.bf_create(10), i)],
    ROW(before.bf_add(before.bf_create(10), i), before.cf_add(before.cf_create(10), i))::both_filters
    FROM generate_series(1, 5) AS i;
CREATE INDEX by_hash ON uses (before.filter_hash(id), (before.cf_count(one_more, id)));

CREATE VIEW by_function AS
    SELECT n, count(*) FILTER (WHERE before.bf_contains(b, i)) AS b,
        count(*) FILTER (WHERE before.cf_contains(c, i)) AS c,
        count(*) FILTER (WHERE before.bf_contains(keys, 'key ' || i)) AS keys
    FROM stored, numbers WHERE i <= n GROUP BY n;
CREATE VIEW by_operator AS
    SELECT n, count(*) FILTER (WHERE b OPERATOR(before.@>) i) AS b,
        count(*) FILTER (WHERE i OPERATOR(before.<@) c) AS c,
        before.bf_cardinality(b OPERATOR(before.|) b) = before.bf_cardinality(b) AS "union"
    FROM stored, numbers WHERE i <= n GROUP BY n, 4;
CREATE VIEW of_literals AS
    SELECT before.bf_contains(b, '7') AS "7", c OPERATOR(before.@>) '0' AS "0" FROM stored WHERE n = 10;
-- Prepared statements keep their text, and look names up again if an object that they use has changed.
PREPARE asked AS SELECT * FROM by_function ORDER BY n;
PREPARE with_parameter(bloomfilter) AS SELECT count(*) FROM numbers WHERE bf_contains($1, i);
PREPARE added AS
    UPDATE stored SET b = bf_add(b, -7), c = cf_add(c, -7) WHERE n = 10
    RETURNING bf_contains(b, -7) AS b, c @> -7 AS c;
CREATE FUNCTION probe(key integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT count(*) FROM extension_moves.stored WHERE b OPERATOR(before.@>) key);
END$$;
SELECT probe(7);

-- The rows expected with a constant filter: far from the default, a third of them, if the planner probes the filter.
CREATE FUNCTION rows_expected(schema text, condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan json;
    rows float8;
BEGIN
    PERFORM set_config('search_path', 'extension_moves, ' || schema, true);
    EXECUTE format('EXPLAIN (FORMAT json) SELECT FROM numbers WHERE ' || condition,
        (SELECT b FROM stored WHERE n = 10)::text) INTO plan;
    rows := (plan->0->'Plan'->>'Plan Rows')::float8;
    RETURN CASE WHEN rows < 1000 THEN 'few' ELSE rows::text END;
END$$;
SELECT rows_expected('before', 'bf_contains(%L::bloomfilter, i)') AS function,
    rows_expected('before', '%L::bloomfilter @> i') AS operator,
    rows_expected('before', 'i <@ %L::bloomfilter') AS commuted;
EXECUTE asked;
EXECUTE added;
SELECT format('EXECUTE with_parameter(%L)', b) AS statement FROM stored WHERE n = 10 \gset
:statement;
SELECT * FROM by_operator ORDER BY n;

ALTER EXTENSION cuckoo_filter SET SCHEMA behind;

EXECUTE asked;
EXECUTE added;
SELECT format('EXECUTE with_parameter(%L)', b) AS statement FROM stored WHERE n = 10 \gset
:statement;
SELECT * FROM by_operator ORDER BY n;
SELECT * FROM of_literals;
SELECT rows_expected('behind', 'bf_contains(%L::bloomfilter, i)') AS function,
    rows_expected('behind', '%L::bloomfilter @> i') AS operator,
    rows_expected('behind', 'i <@ %L::bloomfilter') AS commuted;
INSERT INTO uses (id) VALUES (6);
SELECT id, behind.bf_contains(small, id) AS small, several[1] OPERATOR(behind.@>) id AS several,
    behind.cf_contains((both_of).c, id) AS both_of, one_more OPERATOR(behind.@>) id AS generated
FROM uses ORDER BY id;
SET enable_seqscan = off;
SELECT id FROM uses WHERE behind.filter_hash(id) = behind.filter_hash(3) AND behind.cf_count(one_more, id) = 1;
RESET enable_seqscan;
-- Text that names the schema, such as the body of a function, has to be changed.
\set VERBOSITY sqlstate
\c -
SELECT extension_moves.probe(7);
\set VERBOSITY default
-- In a new session, and back again.
SET search_path = extension_moves;
SELECT * FROM by_function ORDER BY n;
SELECT * FROM of_literals;
ALTER EXTENSION cuckoo_filter SET SCHEMA before;
SELECT * FROM by_function ORDER BY n;
SELECT probe(7);

--
-- With cuckoo_filter_citus, whose aggregates are in its schema, it stays. Other extensions, and other changes, do not matter.
--
SET client_min_messages = warning;
CREATE SCHEMA of_citus;
CREATE EXTENSION cuckoo_filter_citus WITH SCHEMA of_citus;
RESET client_min_messages;
ALTER EXTENSION cuckoo_filter SET SCHEMA behind;
ALTER EXTENSION cuckoo_filter SET SCHEMA before;
ALTER EXTENSION cuckoo_filter UPDATE;
ALTER EXTENSION cuckoo_filter ADD FUNCTION probe(integer);
ALTER EXTENSION cuckoo_filter DROP FUNCTION probe(integer);
SELECT before.bf_agg(i) OPERATOR(before.@>) 7 AS of_type FROM numbers;
DROP EXTENSION cuckoo_filter_citus;
ALTER EXTENSION cuckoo_filter SET SCHEMA behind;
CREATE EXTENSION cuckoo_filter_citus WITH SCHEMA of_citus;
SELECT pronamespace::regnamespace, count(*) FROM pg_depend
JOIN pg_extension AS e ON refobjid = e.oid JOIN pg_proc AS p ON objid = p.oid
WHERE refclassid = 'pg_extension'::regclass AND classid = 'pg_proc'::regclass AND extname = 'cuckoo_filter_citus' AND prokind = 'a' GROUP BY 1;
DROP EXTENSION cuckoo_filter_citus;
DROP SCHEMA of_citus;
ALTER EXTENSION cuckoo_filter SET SCHEMA before;

--
-- Dropped: not while filters are stored; with CASCADE their columns go, and the rest of the rows stays.
--
\set VERBOSITY sqlstate
DROP EXTENSION cuckoo_filter;
DROP TYPE before.bloomfilter CASCADE;
DROP FUNCTION before.bf_contains(before.bloomfilter, anyelement);
DROP SCHEMA before;
\set VERBOSITY default
SELECT * FROM by_function ORDER BY n;
SET client_min_messages = warning;
DROP EXTENSION cuckoo_filter CASCADE;
RESET client_min_messages;
SELECT table_name, column_name, data_type FROM information_schema.columns
WHERE table_schema = 'extension_moves' ORDER BY table_name COLLATE "C", ordinal_position;
SELECT count(*), sum(n) FROM stored;
SELECT count(*) AS left_behind FROM pg_proc WHERE probin LIKE '%cuckoo_filter%';
-- Created again, it works as before.
CREATE EXTENSION cuckoo_filter WITH SCHEMA before;
ALTER TABLE stored ADD b before.bloomfilter;
UPDATE stored SET b = before.bf_add(before.bf_create(10), n);
SELECT n, before.bf_contains(b, n) AS contains FROM stored ORDER BY n;

SET client_min_messages = warning;
DROP SCHEMA extension_moves CASCADE;
DROP EXTENSION cuckoo_filter;
DROP SCHEMA before, behind;
-- For the tests that follow in the same database.
CREATE EXTENSION cuckoo_filter WITH SCHEMA public;
