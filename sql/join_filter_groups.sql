--
-- Joins that filter themselves, where rows are rejected below what is computed of several rows: an aggregate, a window, or an
-- outer join sees all rows of a group, or none of them. Otherwise expressions fail which do not fail without filters.
--
LOAD 'cuckoo_scan';
CREATE SCHEMA join_filter_groups;
SET search_path = join_filter_groups, public;
\set common `echo "$PG_ABS_SRCDIR"`/sql/common/join_filter.sql
\i :common
SET synchronize_seqscans = off;
SET jit = off;

-- The first rows of the table match, so that its scan bypasses the filter for some of the next. Of most keys, one row is among
-- these, and two come later.
CREATE TABLE measured AS SELECT n, CASE WHEN n <= 4500 THEN n % 10 ELSE 10 + n % 8500 END AS k, n AS v FROM generate_series(1, 30000) AS n;
CREATE TABLE wanted AS SELECT n AS id FROM generate_series(0, 9) AS n;
-- A row for each key, those that match last: its scan rejects rows from the first page on.
CREATE TABLE names AS SELECT n AS id, 1 + n % 7 AS weight FROM generate_series(8509, 0, -1) AS n;
CREATE TABLE named (id integer, weight integer) PARTITION BY RANGE (id);
CREATE TABLE named_1 PARTITION OF named FOR VALUES FROM (0) TO (10);
CREATE TABLE named_2 PARTITION OF named FOR VALUES FROM (10) TO (20000);
INSERT INTO named SELECT * FROM names;
-- The same rows as in `measured`; constraints say of the second table that no row matches.
CREATE TABLE heirs (n integer, k integer, v integer);
CREATE TABLE heirs_1 () INHERITS (heirs);
CREATE TABLE heirs_2 (CHECK (k >= 10)) INHERITS (heirs);
INSERT INTO heirs_1 SELECT * FROM measured WHERE n <= 10000;
INSERT INTO heirs_2 SELECT * FROM measured WHERE n > 10000;
CREATE TABLE pieces (n integer, k integer, v integer) PARTITION BY RANGE (n);
CREATE TABLE pieces_1 PARTITION OF pieces FOR VALUES FROM (0) TO (9000);
CREATE TABLE pieces_2 PARTITION OF pieces FOR VALUES FROM (9000) TO (100000);
INSERT INTO pieces SELECT * FROM measured;
ANALYZE measured, wanted, names, named, heirs, pieces;

-- What fails, if only some rows of a group are there: {table} is one like `measured`, {names} one like `names`.
CREATE TABLE of_groups (id integer GENERATED ALWAYS AS IDENTITY, query text);
INSERT INTO of_groups (query) VALUES
    ('SELECT k, sum(v) / (count(*) - 1) AS x FROM {table} GROUP BY k'),
    ('SELECT k, count(*) AS x FROM {table} GROUP BY k HAVING sum(v) / (count(*) - 1) > 0'),
    ('SELECT k, max(v) / (max(v) - min(v)) AS x FROM {table} GROUP BY k, k % 2'),
    ('SELECT k, sum(10 / (c - 1)) AS x FROM (SELECT k, count(*) AS c FROM {table} GROUP BY k) q GROUP BY k'),
    ('SELECT k, 10 / (count(DISTINCT v) - 1) AS x FROM {table} GROUP BY k'),
    ('SELECT k, 10 / (string_agg(v::text, '','') ~ '','')::integer AS x FROM {table} GROUP BY k'),
    ('SELECT k, 10 / (count(*) FILTER (WHERE n > 13000 OR n <= 4500))::integer AS x FROM {table} GROUP BY k'),
    ('SELECT k, (v - min(v) OVER w) / (max(v) OVER w - min(v) OVER w) AS x FROM {table} WINDOW w AS (PARTITION BY k)'),
    ('SELECT k, 10 / (count(*) OVER (PARTITION BY k) - 1) AS x FROM {table}'),
    ('SELECT k, 10 / (last_value(v) OVER w - first_value(v) OVER w) AS x FROM {table}
        WINDOW w AS (PARTITION BY k ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)'),
    ('SELECT DISTINCT k, 10 / (count(*) OVER (PARTITION BY k) - 1) AS x FROM {table}'),
    ('SELECT k, 10 / (n NOT BETWEEN 4501 AND 13000)::integer AS x FROM (SELECT DISTINCT ON (k) k, n FROM {table} ORDER BY k, n DESC) q OFFSET 0'),
    ('SELECT k, 10 / (n NOT BETWEEN 4501 AND 13000)::integer AS x FROM (SELECT k, max(n) AS n FROM {table} GROUP BY k) q OFFSET 0'),
    ('SELECT m.k, 10 / coalesce(b.weight, 0) AS x FROM {table} m LEFT JOIN {names} b ON b.id = m.k OFFSET 0'),
    ('SELECT m.k, 10 / coalesce(b.weight, 0) AS x FROM {names} b RIGHT JOIN {table} m ON b.id = m.k WHERE m.n % 2 = 1 OFFSET 0'),
    ('SELECT m.k, 10 / (m.k - m.k) AS x FROM {table} m WHERE NOT EXISTS (SELECT FROM {names} b WHERE b.id = m.k) OFFSET 0'),
    ('SELECT k, 10 / min(coalesce(weight, 0)) AS x FROM {table} LEFT JOIN {names} b ON b.id = k GROUP BY k');

-- Of these in a join: what differs from what there is without filters, or fails; and whether there are filters.
CREATE FUNCTION compared_groups(join_query text, "table" text, names text, ids integer[], OUT wrong text[], OUT filtered boolean) LANGUAGE sql AS $$
    SELECT array_agg(id || ': ' || c.outcome ORDER BY id) FILTER (WHERE c.outcome !~ '^\d+ rows$'), bool_or(c.filtered)
    FROM of_groups g, compared(replace(join_query, '{groups}', '(' || replace(replace(g.query, '{table}', "table"), '{names}', names) || ') q')) AS c
    WHERE ids IS NULL OR id = ANY (ids)
$$;
\set few 'ARRAY[1, 8, 12, 14, 16]'
SELECT * FROM compared_groups('SELECT q.* FROM {groups} JOIN wanted w ON q.k = w.id', 'measured', 'names', NULL);
SELECT * FROM compared_groups('SELECT q.* FROM {groups} WHERE EXISTS (SELECT FROM wanted w WHERE q.k = w.id)', 'measured', 'names', :few);
SELECT * FROM compared_groups('SELECT w.id, q.x FROM {groups} RIGHT JOIN wanted w ON q.k = w.id', 'measured', 'names', :few);
SELECT * FROM compared_groups('SELECT w.id, (SELECT sum(q.x) FROM {groups} JOIN wanted v ON q.k = v.id WHERE v.id > 0 AND q.k <> w.id) FROM wanted w WHERE id < 2',
    'measured', 'names', :few);
-- Tables in parts. Those of the rows that others are joined with are skipped.
SELECT * FROM compared_groups('SELECT q.* FROM {groups} JOIN wanted w ON q.k = w.id', 'pieces', 'names', :few);
SELECT * FROM compared_groups('SELECT q.* FROM {groups} JOIN wanted w ON q.k = w.id', 'heirs', 'names', :few);
SELECT * FROM compared_groups('SELECT q.* FROM {groups} JOIN wanted w ON q.k = w.id', 'measured', 'named', ARRAY[14, 15, 16, 17]);
-- Also if one part has no row, as a default partition often has: its scan would not be worth a probe, but the groups need all scans.
CREATE TABLE pieces_default PARTITION OF pieces DEFAULT;
ANALYZE pieces_default;
SET cuckoo_scan.join_filter_min_rows = 1000;
SELECT * FROM compared_groups('SELECT q.* FROM {groups} JOIN wanted w ON q.k = w.id', 'pieces', 'names', :few);
SELECT probed FROM probes('SELECT q.* FROM (SELECT k, sum(v) FROM pieces GROUP BY k) q JOIN wanted w ON q.k = w.id') ORDER BY 1;
-- No filter if each part has few rows.
CREATE TABLE crumbs (n integer, k integer, v integer) PARTITION BY RANGE (n);
CREATE TABLE crumbs_1 PARTITION OF crumbs FOR VALUES FROM (0) TO (900);
CREATE TABLE crumbs_2 PARTITION OF crumbs FOR VALUES FROM (900) TO (1800);
INSERT INTO crumbs SELECT n, n % 300, n FROM generate_series(1, 1799) AS n;
ANALYZE crumbs;
SELECT count(*) FROM probes('SELECT q.* FROM (SELECT k, sum(v) FROM crumbs GROUP BY k) q JOIN wanted w ON q.k = w.id');
SET cuckoo_scan.join_filter_min_rows = 0;
-- In parallel, where each process bypasses other rows.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT * FROM compared_groups('SELECT q.* FROM {groups} JOIN wanted w ON q.k = w.id', 'measured', 'names', NULL);
SELECT * FROM compared_groups('SELECT q.* FROM {groups} JOIN wanted w ON q.k = w.id', 'pieces', 'named', :few);
SELECT * FROM compared_groups('SELECT w.id, (SELECT sum(q.x) FROM {groups} JOIN wanted v ON q.k = v.id WHERE v.id > 0 AND q.k <> w.id) FROM wanted w WHERE id < 2',
    'measured', 'names', :few);
-- Workers have a copy of the filter, also when they are started again.
SET parallel_leader_participation = off;
SET min_parallel_table_scan_size = '64kB';
SET enable_hashagg = off;
SELECT probed, rejected > 20000 AS rejects, bypassed FROM probes('SELECT q.* FROM (SELECT k, sum(v) FROM measured GROUP BY k) q JOIN wanted w ON q.k = w.id');
-- So have scans of a whole part in one of them.
SET cuckoo_scan.join_filter_min_rows = 1000;
ALTER TABLE pieces_1 SET (parallel_workers = 0);
SELECT * FROM compared_groups('SELECT q.* FROM {groups} JOIN wanted w ON q.k = w.id', 'pieces', 'names', :few);
SET cuckoo_scan.join_filter_min_rows = 0;
SET enable_nestloop = on;
SET enable_material = off;
SELECT count(*) FROM probes('SELECT * FROM wanted v CROSS JOIN LATERAL (SELECT w.id, q.s FROM (SELECT k, sum(v) AS s FROM measured GROUP BY k) q JOIN wanted w ON q.k = w.id OFFSET v.id) l')
WHERE probed = 10 * 30000 AND rejected > 10 * 20000 AND bypassed = 0;
RESET enable_material;
SET enable_nestloop = off;
RESET enable_hashagg;
RESET parallel_leader_participation;
SET max_parallel_workers_per_gather = 0;

-- Rows that an outer join joins others with are rejected as these are, if both have the same hash: whether the second side is
-- probed, too.
CREATE TABLE named_twice AS
    SELECT id, id::bigint AS big, id::numeric AS exact, id::text AS text, id::text COLLATE "C" AS c, weight FROM names;
ALTER TABLE measured ADD text text;
UPDATE measured SET text = k;
VACUUM ANALYZE measured, named_twice;
CREATE FUNCTION compared_sides(sides text, OUT outcome text, OUT second_side boolean) LANGUAGE plpgsql AS $$
DECLARE
    query text := format('SELECT q.* FROM (SELECT m.k, m.text, 10 / coalesce(b.weight, 0) AS x FROM %s OFFSET 0) q
        JOIN (SELECT id, id::text AS text FROM wanted) w ON q.%s = w.%s', sides, CASE WHEN sides ~ 'm.text' THEN 'text' ELSE 'k' END,
        CASE WHEN sides ~ 'm.text' THEN 'text' ELSE 'id' END);
BEGIN
    outcome := (SELECT c.outcome FROM compared(query) AS c);
    second_side := EXISTS (SELECT FROM probes(query) WHERE key !~ '^m|^k$' AND rejected > 5000 AND bypassed = 0);
END$$;
SELECT sides, c.*
FROM unnest(ARRAY[
    'measured m LEFT JOIN named_twice b ON b.id = m.k',
    'measured m LEFT JOIN named_twice b ON b.big = m.k AND b.weight > 0',
    'measured m LEFT JOIN named_twice b ON b.text = m.text',
    'measured m LEFT JOIN named_twice b ON b.c = m.text COLLATE "C"',
    'measured m LEFT JOIN named_twice b ON b.exact = m.k',
    'measured m LEFT JOIN named_twice b ON b.id = m.k + 0 AND b.id = m.k',
    'measured m LEFT JOIN named_twice b ON b.id = m.k + 0',
    'named_twice b RIGHT JOIN (SELECT * FROM measured WHERE n % 9 > 0 AND n <> 10000) m ON b.id = m.k',
    'measured m LEFT JOIN (SELECT id, max(weight) AS weight FROM named_twice GROUP BY id) b ON b.id = m.k',
    'measured m LEFT JOIN (named_twice b LEFT JOIN names c USING (id, weight)) ON b.id = m.k',
    '(SELECT DISTINCT k, text FROM measured) m LEFT JOIN named_twice b ON b.id = m.k']) AS sides, compared_sides(sides) AS c;
-- Not in a merge join.
SET enable_mergejoin = on;
SELECT c.*, plan_of('SELECT FROM ' || sides)::text ~ 'Merge Join' AS merged
FROM (VALUES ('(SELECT * FROM measured ORDER BY k OFFSET 0) m LEFT JOIN (SELECT * FROM named_twice ORDER BY id OFFSET 0) b ON b.id = m.k'))
    AS v(sides), compared_sides(sides) AS c;
SET enable_mergejoin = off;

-- Groups are not filtered by rows that are read ahead: the filter would become ready in the middle of their scan.
CREATE TABLE wanted_often AS SELECT n % 10 AS id FROM generate_series(1, 1500) AS n;
ANALYZE wanted_often;
SELECT c.*
FROM unnest(ARRAY[
    'SELECT k, 10 / ((count(*) - 1) * (count(*) - 2)) AS x FROM measured WHERE v <> -o.id GROUP BY k',
    'SELECT k, 10 / ((count(*) OVER w - 1) * (count(*) OVER w - 2)) AS x FROM measured WHERE v <> -o.id WINDOW w AS (PARTITION BY k)',
    'SELECT k, 10 / coalesce(b.weight, 0) AS x FROM measured LEFT JOIN names b ON b.id = k AND b.weight <> -o.id WHERE v <> -o.id OFFSET 0']) AS groups,
    compared('SELECT o.id, q.* FROM wanted o, LATERAL (SELECT count(*), sum(m.x) FROM (' || groups || ') m
        JOIN wanted_often w ON m.k = w.id WHERE m.x >= 0) q') AS c;

SET client_min_messages = warning;
DROP SCHEMA join_filter_groups CASCADE;
