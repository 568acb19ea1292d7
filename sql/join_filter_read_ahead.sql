--
-- Joins that filter themselves: the same rows as without it, where rows are read before those that are hashed.
--
LOAD 'cuckoo_scan';
CREATE SCHEMA join_filter_read_ahead;
SET search_path = join_filter_read_ahead, public;
\set common `echo "$PG_ABS_SRCDIR"`/sql/common/join_filter.sql
\i :common

-- Where the larger side is hashed, the filter is made of the other one, whose rows are read ahead. The planner hashes the
-- larger side here, since a hash table of the smaller one would have few chains.
SELECT query, reads_ahead(query), c.*
FROM unnest(ARRAY[
    'SELECT s.m, f.n, f.text FROM skewed s JOIN facts f ON s.id = f.n',
    'SELECT s.m, f.n FROM skewed s JOIN facts f ON s.id = f.n AND s.m > f.big',
    'SELECT s.m, f.n FROM skewed s JOIN facts f ON s.id = f.n AND s.g = f.g',
    'SELECT s.m, f.n FROM skewed s LEFT JOIN facts f ON s.id = f.n AND f.k < 30',
    'SELECT s.m, f.n FROM skewed s RIGHT JOIN facts f ON s.id = f.n',
    'SELECT s.m, f.n FROM skewed s FULL JOIN facts f ON s.id = f.n',
    'SELECT m FROM skewed s WHERE EXISTS (SELECT FROM facts f WHERE s.id = f.n AND s.m <> f.k)',
    'SELECT s.m, f.n FROM skewed s JOIN facts f ON s.real = f.n::real',
    'SELECT s.m, f.n FROM (SELECT * FROM skewed WHERE m < 0) s JOIN facts f ON s.id = f.n',
    'SELECT s.m, f.n FROM (SELECT * FROM skewed WHERE m < 0) s LEFT JOIN facts f ON s.id = f.n',
    'SELECT s.m, f.n FROM (SELECT m, CASE WHEN m > 20 THEN id END AS id FROM skewed OFFSET 0) s JOIN facts f ON s.id = f.n',
    'SELECT s.m, f.n FROM (SELECT m, CASE WHEN m > 20 THEN id END AS id FROM skewed OFFSET 0) s LEFT JOIN facts f ON s.id = f.n',
    'SELECT s.m, q.* FROM skewed s JOIN (SELECT n, count(*), max(text) FROM facts GROUP BY n) q ON s.id = q.n',
    'SELECT s.m, q.* FROM skewed s LEFT JOIN (SELECT n, count(*), max(text) FROM facts GROUP BY n) q ON s.id = q.n',
    'SELECT s.m, q.* FROM skewed s JOIN (SELECT n, k FROM facts ORDER BY n LIMIT 3500) q ON s.id = q.n',
    'SELECT s.m, q.* FROM skewed s JOIN (SELECT n, k FROM facts UNION ALL SELECT n, g FROM facts) q ON s.id = q.n',
    'SELECT s.m, f.n FROM skewed s JOIN facts f ON s.id = f.n JOIN dimension d ON f.k = d.id LEFT JOIN other o ON s.m = o.id',
    'SELECT s.m, f.n FROM skewed s JOIN facts f ON s.id = f.n JOIN facts h ON h.n = s.id',
    'SELECT m, n FROM (SELECT s.m, f.n FROM skewed s JOIN facts f ON s.id = f.n ORDER BY m, n LIMIT 3) q']) AS query, compared(query) AS c;
SELECT (compared('SELECT m FROM skewed s WHERE NOT EXISTS (SELECT FROM facts f WHERE s.id = f.n AND s.m <> f.k)')).outcome;
-- The key of the first row, which the join asks for before it hashes anything, is that of no other.
CREATE TABLE first_alone AS SELECT CASE WHEN m = 1 THEN 777 ELSE id END AS id, m FROM skewed ORDER BY m;
ANALYZE first_alone;
SELECT query, reads_ahead(query), c.*
FROM unnest(ARRAY['SELECT s.m, f.n FROM first_alone s JOIN facts f ON s.id = f.n',
    'SELECT s.m, f.n FROM first_alone s LEFT JOIN facts f ON s.id = f.n ORDER BY 1']) AS query, compared(query) AS c;
-- Executed again: the rows that were read ahead are kept, unless they change.
SELECT query, reads_ahead(query), c.*
FROM unnest(ARRAY[
    'SELECT o.id, (SELECT count(*) FROM skewed s JOIN facts f ON s.id = f.n WHERE s.g = o.g) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM skewed s JOIN many_facts f ON s.id = f.n WHERE f.n > o.g * 10) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM skewed s JOIN facts f ON s.id = f.n + o.g) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM skewed s JOIN facts f ON s.id = f.n WHERE s.g < (SELECT max(g) FROM other) AND f.k <> o.g) FROM other o',
    'SELECT o.id, EXISTS (SELECT FROM skewed s JOIN many_facts f ON s.id = f.n WHERE f.n > o.id) FROM other o',
    'WITH RECURSIVE r(k) AS (SELECT 10 UNION SELECT f.n + 10 FROM r JOIN facts f ON f.n = r.k WHERE f.n < 100) SELECT * FROM r']) AS query, compared(query) AS c;
SELECT (compared('WITH q AS MATERIALIZED (SELECT * FROM skewed) SELECT o.id, (SELECT count(*) FROM q JOIN many_facts f ON q.id = f.n WHERE f.n > o.g * 10) FROM other o')).outcome;
BEGIN;
DECLARE ahead SCROLL CURSOR FOR SELECT m, n FROM skewed s JOIN facts f ON s.id = f.n ORDER BY m;
MOVE 20 IN ahead;
FETCH BACKWARD 2 FROM ahead;
FETCH FIRST FROM ahead;
ROLLBACK;
-- They are read ahead also after a function, which is called for the first row, has caught an error of a statement of its own.
CREATE FUNCTION failing() RETURNS integer STABLE LANGUAGE plpgsql AS $$
BEGIN
    RETURN 1 / (count(*) - count(*)) FROM other;
EXCEPTION WHEN division_by_zero THEN
    RETURN -1;
END$$;
SELECT query, reads_ahead(query), rejected > 0 AS rejects, c.*
FROM unnest(ARRAY['SELECT s.m, f.n FROM skewed s JOIN facts f ON s.id = f.n AND f.k > (SELECT failing())']) AS query, probes(query), compared(query) AS c;
-- If they do not fit in work_mem, there is no filter. The planner expects that of a column, but not of a function's result.
SET work_mem = '64kB';
CREATE VIEW wider AS SELECT id, m, repeat(x, 1) AS x FROM many OFFSET 0;
SELECT query, reads_ahead(query), c.*, rejected > 0 AS rejects
FROM unnest(ARRAY['SELECT s.id, f.* FROM many s JOIN many_facts f ON s.id = f.n',
    'SELECT s.*, f.* FROM wider s JOIN many_facts f ON s.id = f.n',
    'SELECT s.*, f.* FROM wider s LEFT JOIN many_facts f ON s.id = f.n']) AS query, probes(query), compared(query) AS c;
SELECT reads_ahead('SELECT s.*, f.* FROM many s LEFT JOIN many_facts f ON s.id = f.n');
SELECT * FROM compared('SELECT o.id, (SELECT count(*) FROM (SELECT m, n, x FROM wider s JOIN many_facts f ON s.id = f.n
    WHERE f.n > o.g LIMIT 300) q) FROM other o WHERE o.id < 40');
-- Executed again after reading ahead was given up.
SELECT * FROM compared('SELECT o.id, (SELECT count(x) FROM wider s JOIN many_facts f ON s.id = f.n WHERE f.n > o.g) FROM other o
    WHERE o.id < 40');
-- The same of rows that come only once unless their node is told to start again; and of such rows that take several batches of the
-- hash table, which is then made again.
SELECT reads_ahead(query), c.*
FROM unnest(ARRAY[
    'SELECT o.id, (SELECT count(x) FROM (SELECT id, m, repeat(min(x), 1) AS x FROM many GROUP BY id, m OFFSET 0) s
        JOIN many_facts f ON s.id = f.n WHERE f.n > o.g) FROM other o WHERE o.id < 40',
    'SELECT o.id, (SELECT count(x) FROM many_facts f JOIN (SELECT m AS id, min(x) AS x FROM many GROUP BY m) s
        ON s.id = f.n WHERE f.n > o.g) FROM other o WHERE o.id < 40']) AS query, compared(query) AS c;
RESET work_mem;
-- Nor is anything written to a file because rows are wider than expected.
CREATE TABLE lines AS SELECT n / 10 AS k, repeat('x', 40) || n AS line FROM generate_series(1, 50000) AS n;
CREATE TABLE hashed AS SELECT n AS id, n AS m FROM generate_series(1, 200000) AS n;
ANALYZE lines, hashed;
-- Nothing else needs a file.
SET temp_file_limit = 0;
SET hash_mem_multiplier = 300;
SET enable_sort = off;
CREATE TEMP VIEW wide_rows AS SELECT format('SELECT s.k, md5(s.list), h.m FROM (SELECT k %% 20 AS k, %s AS list FROM lines GROUP BY lines.k OFFSET 0) s
    LEFT JOIN hashed h ON h.id = s.k AND h.m > 10', list) AS query
FROM unnest(ARRAY['string_agg(line, '','')', 'array_agg(line)::text',
    'ROW(min(line), array_agg(line))::text']) AS list;
SELECT query, reads_ahead(query), c.outcome FROM wide_rows, compared(query) AS c;
RESET temp_file_limit;
RESET hash_mem_multiplier;
RESET enable_sort;

SET client_min_messages = warning;
DROP SCHEMA join_filter_read_ahead CASCADE;
