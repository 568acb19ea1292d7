--
-- Joins that filter themselves below aggregates, which PostgreSQL 19 may compute before the join.
--
LOAD 'cuckoo_scan';
CREATE SCHEMA join_filter_aggregates;
SET search_path = join_filter_aggregates, public;
\set common `echo "$PG_ABS_SRCDIR"`/sql/common/join_filter.sql
\i :common
RESET enable_nestloop;
RESET enable_mergejoin;
CREATE TABLE sales AS SELECT n AS id, (n * 7919::bigint % 5000)::integer AS k, n % 90 AS g, n % 1000 AS amount FROM generate_series(1, 60000) AS n;
CREATE TABLE shops AS SELECT n * 37 AS k, 'n' || n % 10 AS name, n % 3 AS region FROM generate_series(1, 300) AS n;
CREATE TABLE regions AS SELECT n AS region, 'r' || n AS title FROM generate_series(0, 1) AS n;
CREATE TABLE days (id integer, k integer, amount integer) PARTITION BY RANGE (id);
CREATE TABLE days_1 PARTITION OF days FOR VALUES FROM (0) TO (30000);
CREATE TABLE days_2 PARTITION OF days FOR VALUES FROM (30000) TO (60001);
INSERT INTO days SELECT id, k, amount FROM sales;
ANALYZE;

CREATE TABLE queries (number integer GENERATED ALWAYS AS IDENTITY, query text);
INSERT INTO queries (query) VALUES
    ('SELECT d.name, sum(f.amount), count(*) FROM sales f JOIN shops d ON f.k = d.k GROUP BY d.name'),
    ('SELECT f.k, sum(f.amount), count(*) FROM sales f JOIN shops d ON f.k = d.k GROUP BY f.k'),
    ('SELECT d.k, max(f.amount), count(*) FROM sales f JOIN shops d ON f.k = d.k GROUP BY d.k'),
    ('SELECT d.name, max(f.amount) FROM sales f JOIN shops d ON f.k = d.k WHERE d.region = 1 GROUP BY d.name'),
    ('SELECT f.g, count(*), sum(d.region) FROM sales f JOIN shops d ON f.k = d.k GROUP BY f.g HAVING count(*) > 10'),
    ('SELECT d.name, bf_cardinality(bf_agg(f.amount, 1000)) FROM sales f JOIN shops d ON f.k = d.k GROUP BY d.name'),
    ('SELECT r.title, sum(f.amount) FROM sales f JOIN shops d ON f.k = d.k JOIN regions r ON r.region = d.region GROUP BY r.title'),
    ('SELECT d.name, r.title, count(f.id) FROM sales f JOIN shops d ON f.k = d.k JOIN regions r ON r.region = d.region GROUP BY 1, 2'),
    ('SELECT d.name, sum(f.amount) FROM sales f LEFT JOIN shops d ON f.k = d.k GROUP BY d.name'),
    ('SELECT d.name, sum(f.amount) FROM shops d LEFT JOIN sales f ON f.k = d.k GROUP BY d.name'),
    ('SELECT sum(f.amount), avg(f.amount) FROM sales f JOIN shops d ON f.k = d.k'),
    ('SELECT f.k, sum(f.amount) FROM sales f WHERE f.k IN (SELECT k FROM shops) GROUP BY f.k'),
    ('SELECT f.k, sum(f.amount) FROM sales f WHERE NOT EXISTS (SELECT FROM shops d WHERE d.k = f.k) GROUP BY f.k'),
    ('SELECT DISTINCT f.k FROM sales f JOIN shops d ON f.k = d.k'),
    ('SELECT d.name, sum(f.amount) FROM days f JOIN shops d ON f.k = d.k GROUP BY d.name'),
    ('SELECT a.k, sum(a.amount), sum(b.amount) FROM sales a JOIN days b ON a.id = b.id JOIN shops d ON a.k = d.k GROUP BY a.k'),
    ('SELECT d.name, s.total FROM shops d JOIN (SELECT k, sum(amount) AS total FROM sales GROUP BY k) s USING (k)');

CREATE TABLE outcomes AS SELECT number, (compared(query)).* FROM queries;
SELECT number, outcome FROM outcomes ORDER BY number;
-- Which plans have filters depends on the version.
SELECT count(*) >= 12 AS filtered FROM outcomes WHERE filtered;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT number, (compared(query)).outcome FROM queries ORDER BY number;
SET enable_partitionwise_join = on;
SET enable_partitionwise_aggregate = on;
SELECT number, (compared(query)).outcome FROM queries WHERE query ~ 'days' ORDER BY number;
SET client_min_messages = warning;
DROP SCHEMA join_filter_aggregates CASCADE;
