--
-- Joins that filter themselves: the same rows as without it, for every kind of query and table.
--
LOAD 'cuckoo_scan';
CREATE SCHEMA join_filter_queries;
SET search_path = join_filter_queries, public;
\set common `echo "$PG_ABS_SRCDIR"`/sql/common/join_filter.sql
\i :common

-- Subqueries, grouping, sets; and those that rows cannot be removed from.
SELECT query, c.*
FROM unnest(ARRAY[
    'SELECT k, n FROM facts OFFSET 0',
    'SELECT k, count(*), sum(n) FROM facts GROUP BY k',
    'SELECT k, g, count(*) FROM facts GROUP BY k, g HAVING count(*) > 0',
    'SELECT g AS k, count(*) FROM facts GROUP BY g',
    'SELECT max(k) AS k, count(*) FROM facts GROUP BY g',
    'SELECT k, g, count(*) FROM facts GROUP BY GROUPING SETS ((k), (g), (k, g))',
    'SELECT k, count(*) FROM facts GROUP BY ROLLUP (k)',
    'SELECT k, n FROM facts ORDER BY n DESC OFFSET 0',
    'SELECT k, n FROM facts ORDER BY n LIMIT 1000',
    'SELECT k, n FROM facts ORDER BY n OFFSET 3000',
    'SELECT DISTINCT k FROM facts',
    'SELECT DISTINCT ON (k) k, n FROM facts ORDER BY k, n',
    'SELECT DISTINCT ON (g, k) k, n FROM facts ORDER BY k, g, n DESC',
    'SELECT DISTINCT ON (n % 7) k, g, n FROM facts ORDER BY n % 7, n',
    'SELECT k, row_number() OVER (ORDER BY n) FROM facts',
    'SELECT k, count(*) OVER (PARTITION BY k) FROM facts',
    'SELECT k, row_number() OVER (PARTITION BY k, g ORDER BY n DESC) FROM facts',
    'SELECT k, n, count(*) OVER (PARTITION BY k), sum(n) OVER (PARTITION BY g, k) FROM facts',
    'SELECT k, n, count(*) OVER (PARTITION BY k), sum(n) OVER (PARTITION BY g) FROM facts',
    'SELECT k, n, lag(n) OVER w, sum(n) OVER (w ROWS 3 PRECEDING) FROM facts WINDOW w AS (PARTITION BY k ORDER BY n)',
    'SELECT k, n FROM (SELECT k, n, row_number() OVER (PARTITION BY k ORDER BY n) AS r FROM facts) AS ranked WHERE r < 3',
    'SELECT k, n FROM (SELECT k, n, row_number() OVER (ORDER BY n) AS r FROM facts) AS ranked WHERE r < 300',
    'SELECT small::integer AS k, rank() OVER (PARTITION BY small::integer ORDER BY n) FROM facts',
    'SELECT small::integer AS k, rank() OVER (PARTITION BY small ORDER BY n) FROM facts',
    'SELECT k, sum(n) OVER (PARTITION BY g) FROM facts',
    'SELECT k, generate_series(1, 2) AS s FROM facts',
    'SELECT k + 0 AS k, n FROM facts OFFSET 0',
    'SELECT small::integer AS k, n FROM facts OFFSET 0',
    'SELECT small::integer AS k, count(*) FROM facts GROUP BY small::integer',
    'SELECT small::integer AS k, count(*) FROM facts GROUP BY small',
    'SELECT k FROM facts UNION ALL SELECT id FROM other',
    'SELECT k FROM facts UNION ALL SELECT big::integer FROM facts',
    'SELECT k FROM facts UNION SELECT id FROM other',
    'SELECT k FROM facts INTERSECT SELECT id FROM other',
    'SELECT k FROM facts EXCEPT SELECT id FROM other',
    'SELECT k, n FROM facts TABLESAMPLE BERNOULLI (100) REPEATABLE (1)',
    'SELECT k, n FROM facts WHERE n > (SELECT min(id) FROM other)',
    'SELECT k, n, (SELECT o.id FROM other o WHERE o.id = f.n) FROM facts f OFFSET 0',
    'SELECT k, random() < 2 FROM facts OFFSET 0',
    'SELECT k, n FROM facts WHERE random() < 2',
    'SELECT k, ctid, tableoid::regclass FROM facts',
    'WITH q AS (SELECT k, n FROM facts) SELECT * FROM q',
    'WITH q AS MATERIALIZED (SELECT k, n FROM facts) SELECT * FROM q']) AS query, compared('SELECT * FROM (' || query || ') AS q JOIN dimension d ON q.k = d.id') AS c;
-- Rows that are equal where they are grouped, and not where they are joined.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS citext;
RESET client_min_messages;
CREATE TABLE names AS SELECT CASE WHEN n % 2 = 0 THEN 'Name' ELSE 'name' END || n / 2 AS name FROM generate_series(0, 999) n;
ALTER TABLE names ALTER name TYPE citext;
CREATE TABLE few AS SELECT 'Name' || n * 10 AS name FROM generate_series(1, 9) n;
ANALYZE names, few;
SELECT * FROM compared('SELECT q.name, d.name, count FROM (SELECT name::citext, count(*) FROM names GROUP BY name) q JOIN few d ON q.name::text = d.name');
SELECT * FROM compared('SELECT q.name, d.name, count FROM (SELECT name::citext, count(*) FROM names GROUP BY name) q JOIN few d ON q.name = d.name::citext');

SELECT * FROM compared('SELECT q.name, d.name, count FROM (SELECT name::citext, count(*) OVER (PARTITION BY name) FROM names) q JOIN few d ON q.name::text = d.name');
SELECT * FROM compared('SELECT q.name, d.name, count FROM (SELECT name::citext, count(*) OVER (PARTITION BY name) FROM names) q JOIN few d ON q.name = d.name::citext');
SELECT * FROM compared('SELECT q.name, d.name FROM (SELECT DISTINCT ON (name) name::citext FROM names ORDER BY name, name::text) q JOIN few d ON q.name::text = d.name');
SELECT * FROM compared('SELECT q.name, d.name FROM (SELECT DISTINCT ON (name) name::citext FROM names ORDER BY name, name::text) q JOIN few d ON q.name = d.name::citext');
-- By sorting.
SET enable_hashagg = off;
SELECT * FROM compared('SELECT * FROM (SELECT k FROM facts GROUP BY k) AS q JOIN dimension d ON q.k = d.id');
SELECT * FROM compared('SELECT * FROM (SELECT k, g FROM facts GROUP BY k, g) AS q JOIN dimension d ON q.k = d.id');
SELECT * FROM compared('SELECT * FROM (SELECT DISTINCT k, g FROM facts) AS q JOIN dimension d ON q.k = d.id');
SELECT * FROM compared('SELECT * FROM (SELECT k FROM facts UNION SELECT id FROM other) AS q JOIN dimension d ON q.k = d.id');
RESET enable_hashagg;

-- Tables.
CREATE TABLE parent (n integer, k integer);
CREATE TABLE child (x text) INHERITS (parent);
INSERT INTO parent SELECT n, k FROM facts WHERE n < 500;
INSERT INTO child SELECT n, k, text FROM facts WHERE n >= 500;
CREATE TEMP TABLE temporary AS SELECT n, k FROM facts;
CREATE MATERIALIZED VIEW materialized AS SELECT n, k FROM facts;
CREATE VIEW view AS SELECT n, k FROM facts WHERE n % 2 = 0;
CREATE VIEW barrier WITH (security_barrier) AS SELECT n, k FROM facts WHERE n % 2 = 0;
ANALYZE parted, parent, child, temporary, materialized;
SELECT source, c.*
FROM unnest(ARRAY['parted', 'parent', 'ONLY parent', 'temporary', 'materialized', 'view', 'barrier', 'generate_series(1, 4000) AS n, LATERAL (SELECT n AS k)',
    '(SELECT * FROM (VALUES (1, 10), (2, 11), (3, 20)) AS v(n, k))']) AS source, compared('SELECT n, k FROM ' || source || ' AS f JOIN dimension d ON f.k = d.id') AS c;

SET client_min_messages = warning;
DROP SCHEMA join_filter_queries CASCADE;
