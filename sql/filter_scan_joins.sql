--
-- Filter scans with a filter that is a column of another table: below a nested loop, with the rows and errors of a plain join.
--
CREATE SCHEMA filter_scan_joins;
-- In the first query of a session, too.
\c -
SET search_path = filter_scan_joins, public;
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;

CREATE TABLE orders AS
    SELECT n AS id, n % 500 AS customer, n % 7 AS day, 'number ' || n % 300 AS name,
        CASE WHEN n % 3 > 0 THEN n % 500 END AS holes
    FROM generate_series(1, 6000) n;
CREATE TABLE filters (name text, filter bloomfilter, counted cuckoofilter, names bloomfilter, day integer);
INSERT INTO filters
    SELECT 'vip', bf_agg(customer, NULL, 1e-7), cf_agg(customer, 10000, 1e-7), bf_agg(name, NULL, 1e-7), 3
    FROM orders WHERE customer % 25 = 0;
INSERT INTO filters
    SELECT 'new', bf_agg(customer, NULL, 1e-7), cf_agg(customer, 10000, 1e-7), bf_agg(name, NULL, 1e-7), 5
    FROM orders WHERE customer % 40 = 7;
INSERT INTO filters VALUES ('none', bf_create(10), cf_create(10), bf_create(10), 1), ('unknown', NULL, NULL, NULL, 2);
ANALYZE orders, filters;

\set common `echo "$PG_ABS_SRCDIR"`/sql/common/filter_scan.sql
\i :common
-- Whether there is a filter scan, and the outcome. How many there are depends on the version.
CREATE FUNCTION checked(query text, OUT scanned boolean, OUT outcome text) LANGUAGE sql
AS 'SELECT scans > 0, compared.outcome FROM compared(query)';
SELECT filter_scans('SELECT FROM orders, filters f WHERE f.name = ''vip'' AND filter @> customer') AS scans;

-- Every form of the condition; one row or several of the other table, and none; with other conditions, and several filters.
SELECT condition, (checked('SELECT o.*, f.name AS f FROM orders o, filters f WHERE ' || condition)).*
FROM unnest(ARRAY[
    'f.name = ''vip'' AND filter @> customer', 'f.name = ''vip'' AND customer <@ filter',
    'f.name = ''vip'' AND bf_contains(filter, customer)', 'f.name = ''vip'' AND cf_contains(counted, customer)',
    'counted @> customer', 'filter @> holes', 'names @> o.name', 'names @> o.name::varchar::text',
    'f.name = ''missing'' AND filter @> customer', 'f.name = ''unknown'' AND filter @> customer',
    'f.name = ''none'' AND filter @> customer', 'bf_add(filter, 3) @> customer', 'COALESCE(filter, bf_create(10)) @> customer',
    'filter @> customer AND f.day = o.day', 'filter @> customer AND o.id % 2 = f.day % 2 AND o.day < 5',
    'filter @> customer AND names @> o.name', 'filter @> customer AND counted @> holes AND NOT names @> o.name',
    'filter @> customer AND (SELECT f.names FROM filters f WHERE f.name = ''vip'') @> o.name']) AS condition;
-- Not a filter of the table itself, for the keys of another one, or one that is computed for each row; and not below OR or NOT.
SELECT condition, (checked('SELECT o.*, f.name AS f FROM orders o, filters f WHERE ' || condition)).*
FROM unnest(ARRAY[
    'f.filter @> f.day AND f.day = o.day', 'o.id = 25 AND filter @> customer', 'bf_add(filter, o.id) @> customer',
    'NOT filter @> customer',
    'filter @> customer OR o.id = 3', 'filter @> (customer + f.day)', 'bf_add(filter, (random() * 0)::integer) @> customer',
    'bf_add(filter, (SELECT f.day + 0 WHERE f.day > 0)) @> customer']) AS condition;

-- Filters of several tables.
CREATE VIEW vip AS SELECT * FROM filters WHERE name = 'vip';
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM filters WHERE name IN ('vip', 'new');
SELECT query, (checked(query)).*
FROM unnest(ARRAY[
    'SELECT o.* FROM orders o, vip f, vip g WHERE f.filter @> customer AND g.names @> o.name',
    'SELECT o.* FROM orders o, filters f, filters g WHERE f.filter @> customer AND g.names @> o.name AND f.day < g.day',
    'SELECT o.* FROM orders o, vip f, filters g WHERE (f.filter | g.filter) @> customer',
    'SELECT o.id, p.id AS p FROM orders o, orders p, vip f WHERE f.filter @> o.customer AND f.names @> p.name AND o.id = p.id',
    'SELECT o.id, a.b FROM orders o, vip f, generate_series(1, 3) AS a(b) WHERE f.filter @> o.customer AND f.day = a.b'
    ]) AS query;

-- Joins of every kind, sub-selects, LATERAL and views.
SELECT query, (checked(query)).*
FROM unnest(ARRAY[
    'SELECT f.name, o.id FROM filters f LEFT JOIN orders o ON filter @> customer',
    'SELECT f.name, o.id FROM filters f LEFT JOIN orders o ON filter @> customer AND o.day = f.day WHERE o.id IS NULL',
    'SELECT f.name, o.id FROM filters f RIGHT JOIN orders o ON filter @> customer AND f.name = ''vip''',
    'SELECT f.name, o.id FROM orders o LEFT JOIN filters f ON f.day = o.day WHERE filter @> customer',
    'SELECT f.name, o.id FROM filters f FULL JOIN orders o ON f.day = o.day WHERE filter @> customer',
    'SELECT g.name, o.id FROM filters g LEFT JOIN vip f ON f.name = g.name LEFT JOIN orders o ON f.filter @> customer',
    'SELECT g.name, o.id FROM filters g LEFT JOIN vip f ON f.name = g.name
        LEFT JOIN orders o ON COALESCE(f.filter, g.filter) @> customer',
    'SELECT g.name, o.id FROM filters g LEFT JOIN (vip f JOIN orders o ON f.filter @> customer)
        ON o.id < 900 AND g.names @> o.name',
    'SELECT name FROM filters WHERE EXISTS (SELECT FROM orders WHERE filter @> customer)',
    'SELECT name FROM filters WHERE NOT EXISTS (SELECT FROM orders WHERE filter @> customer)',
    'SELECT name FROM filters f WHERE NOT EXISTS (SELECT FROM orders o WHERE filter @> customer AND o.day = f.day + 1)',
    'SELECT id FROM orders WHERE EXISTS (SELECT FROM filters WHERE filter @> customer)',
    'SELECT id FROM orders WHERE NOT EXISTS (SELECT FROM filters WHERE filter @> customer)',
    'SELECT f.name, l.* FROM filters f, LATERAL (SELECT id FROM orders WHERE filter @> customer) AS l',
    'SELECT f.name, l.* FROM filters f, LATERAL (SELECT id FROM orders WHERE filter @> customer ORDER BY id LIMIT 4) AS l',
    'SELECT f.name, l.* FROM filters f LEFT JOIN LATERAL (SELECT id, f.day + 1 AS d FROM orders WHERE filter @> customer) AS l
        ON true',
    'SELECT f.name, l.* FROM filters f LEFT JOIN LATERAL (SELECT o.*, f.day + o.id AS d FROM orders o) AS l
        ON filter @> customer',
    'SELECT f.name, l.* FROM filters f LEFT JOIN LATERAL (SELECT o.*, f.filter | g.filter AS mixed FROM orders o, vip g) AS l
        ON mixed @> customer AND f.names @> l.name',
    'SELECT o.id FROM orders o JOIN barrier b ON b.filter @> o.customer',
    'SELECT f.name, o.id FROM vip f, (SELECT * FROM orders ORDER BY id OFFSET 3) AS o WHERE filter @> customer',
    'SELECT f.name, o.id FROM vip f, orders o TABLESAMPLE SYSTEM (100) WHERE filter @> customer',
    'SELECT * FROM (SELECT f.name, o.id FROM filters f, orders o WHERE filter @> customer ORDER BY o.id, f.name LIMIT 9) AS q',
    'WITH made AS MATERIALIZED (SELECT bf_agg(customer) AS f FROM orders WHERE id < 9)
        SELECT o.* FROM made, orders o WHERE f @> customer'
    ]) AS query;

-- Protected tables: never before a condition that protects rows.
CREATE VIEW protected WITH (security_barrier) AS SELECT * FROM orders WHERE day < 3;
CREATE ROLE filter_scan_joins_reader;
CREATE TABLE secret AS TABLE orders;
ANALYZE secret;
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
CREATE POLICY early ON secret USING (day < 2);
GRANT USAGE ON SCHEMA filter_scan_joins TO filter_scan_joins_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA filter_scan_joins TO filter_scan_joins_reader;
SET ROLE filter_scan_joins_reader;
SELECT query, (checked(query)).*
FROM unnest(ARRAY['SELECT o.id FROM protected o, vip WHERE filter @> customer',
    'SELECT o.id FROM secret o, vip WHERE filter @> customer',
    'SELECT o.id FROM secret o, filters f WHERE f.names @> customer']) AS query;
RESET ROLE;

-- Partitions, and children of a table.
CREATE TABLE parted (id integer, customer integer, day integer, name text, holes integer) PARTITION BY LIST (day);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (0, 1, 2);
CREATE TABLE parted_2 (name text, gone integer, day integer, holes integer, customer integer, id integer);
ALTER TABLE parted_2 DROP gone;
ALTER TABLE parted ATTACH PARTITION parted_2 DEFAULT;
INSERT INTO parted TABLE orders;
CREATE TABLE parent AS SELECT * FROM orders WHERE day < 4;
CREATE TABLE child () INHERITS (parent);
INSERT INTO child SELECT * FROM orders WHERE day > 3;
CREATE TABLE parted_filters (name text, filter bloomfilter, day integer) PARTITION BY LIST (day);
CREATE TABLE parted_filters_1 PARTITION OF parted_filters FOR VALUES IN (0, 1, 2);
CREATE TABLE parted_filters_2 PARTITION OF parted_filters DEFAULT;
INSERT INTO parted_filters SELECT name, filter, day FROM filters;
ANALYZE parted, parent, child, parted_filters;
SET enable_partitionwise_join = on;
SELECT query, (checked(query)).*
FROM unnest(ARRAY['SELECT o.* FROM parted o, vip WHERE filter @> customer',
    'SELECT o.*, f.name AS f FROM parted o, filters f WHERE filter @> customer AND o.day = f.day',
    'SELECT f.name, o.id FROM filters f LEFT JOIN parted o ON filter @> customer',
    'SELECT name FROM filters WHERE NOT EXISTS (SELECT FROM parted WHERE filter @> customer)',
    'SELECT o.*, f.name AS f FROM parent o, filters f WHERE filter @> customer',
    'SELECT o.*, f.name AS f FROM parted o, parted_filters f WHERE filter @> customer AND o.day = f.day',
    'SELECT o.id FROM vip, (SELECT id, customer FROM orders UNION ALL SELECT id, customer + 1 FROM parent) AS o
        WHERE filter @> customer'
    ]) AS query;
RESET enable_partitionwise_join;

-- Errors: a filter of another kind, in some rows of the other table; and when no row has one.
CREATE TABLE kinds AS SELECT 1 AS s, filter AS f FROM vip UNION ALL SELECT 2, names FROM vip UNION ALL SELECT 3, NULL;
ANALYZE kinds;
CREATE TABLE no_rows AS SELECT * FROM orders WHERE false;
SELECT query, (checked(query)).*
FROM unnest(ARRAY['SELECT id FROM orders, vip WHERE names @> customer', 'SELECT id FROM orders, kinds WHERE f @> customer',
    'SELECT id FROM orders, kinds WHERE f @> customer AND s <> 2', 'SELECT id FROM orders, kinds WHERE f @> name AND s > 1',
    'SELECT id FROM orders, kinds WHERE f @> name AND s > 3', 'SELECT id FROM no_rows, kinds WHERE f @> name',
    'SELECT id FROM orders, kinds WHERE f @> customer AND 1 / (id - 6000) < 1 AND s = 1']) AS query;

-- Large filters: stored, and computed.
CREATE TABLE large AS
    SELECT step, bf_agg(customer, 400000, 1e-5) AS f FROM orders, generate_series(0, 2) AS step
    WHERE customer % 3 = step GROUP BY step;
CREATE TABLE few AS SELECT * FROM orders WHERE id <= 300;
ANALYZE large, few;
SELECT min((bf_info(f)).bytes) > 1000000 AS large FROM large;
SELECT query, (checked(query)).*
FROM unnest(ARRAY['SELECT step, customer FROM orders, large WHERE f @> customer',
    'SELECT step, customer FROM few, large WHERE bf_add(f, -1) @> customer AND step < 2']) AS query;

-- Prepared statements.
SET plan_cache_mode = force_generic_plan;
PREPARE prepared(text, integer) AS SELECT count(*), sum(id) FROM orders o, filters f
    WHERE f.name = $1 AND filter @> customer AND id > $2;
EXECUTE prepared('vip', 0);
EXECUTE prepared('new', 0);
EXECUTE prepared('unknown', 0);
EXECUTE prepared('vip', 3000);
SELECT filter_scans('EXECUTE prepared(''vip'', 0)') AS scans;
RESET plan_cache_mode;

-- Statements that change either table.
BEGIN;
WITH u AS (UPDATE filters f SET day = -1 FROM orders WHERE filter @> customer RETURNING f.name) SELECT count(*) FROM u;
WITH d AS (DELETE FROM orders USING vip WHERE filter @> customer RETURNING id) SELECT count(*), sum(id) FROM d;
SELECT count(*) FROM orders, vip WHERE filter @> customer;
ROLLBACK;
SELECT count(*), sum(id) FROM (SELECT id FROM orders, vip WHERE filter @> customer FOR UPDATE OF orders) AS q;

-- A sequential scan that is disabled does not come back.
CREATE INDEX ON orders (day);
SET enable_seqscan = off;
SELECT filter_scans('SELECT FROM orders o, vip f WHERE filter @> customer AND o.day = 3') AS scans;
RESET enable_seqscan;
SET enable_nestloop = off;
SELECT (checked('SELECT o.id FROM orders o, filters f WHERE filter @> customer')).*;
RESET enable_nestloop;
DROP INDEX orders_day_idx;

-- Parallel plans: the whole table is scanned for each row of the other one, in each process; or part of it in each.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT query, (checked(query)).*
FROM unnest(ARRAY['SELECT o.id, f.name FROM orders o, filters f WHERE filter @> customer',
    'SELECT count(*), sum(o.id) FROM orders o, filters f WHERE filter @> customer AND o.day < 5',
    'SELECT f.name, o.id FROM filters f LEFT JOIN parted o ON filter @> customer',
    'SELECT name FROM filters WHERE NOT EXISTS (SELECT FROM orders WHERE filter @> customer)']) AS query;
-- And below joins that filter themselves.
SET max_parallel_workers_per_gather = 0;
SET cuckoo_scan.enable_join_filter = on;
SET cuckoo_scan.join_filter_min_rows = 0;
CREATE TABLE customers AS SELECT n AS customer, n % 4 AS region FROM generate_series(0, 499) AS n;
ANALYZE customers;
SELECT query, (checked(query)).*
FROM unnest(ARRAY['SELECT o.id, f.name FROM orders o JOIN customers c USING (customer), filters f
        WHERE filter @> customer AND region = 1',
    'SELECT f.name, q.id FROM filters f LEFT JOIN (SELECT o.* FROM orders o JOIN customers c USING (customer) WHERE region = 1) AS q
        ON filter @> q.customer']) AS query;

DROP SCHEMA filter_scan_joins CASCADE;
DROP ROLE filter_scan_joins_reader;
