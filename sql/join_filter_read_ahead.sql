--
-- Joins that filter themselves: the same rows as without it, where rows are read before those that are hashed or looked up.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS cuckoo_filter;
LOAD 'cuckoo_filter';
CREATE SCHEMA join_filter_read_ahead;
SET search_path = join_filter_read_ahead, public;
RESET client_min_messages;
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
-- If they take too much memory, there is no filter.
SET cuckoo_filter.join_filter_max_memory = '64kB';
SELECT query, reads_ahead(query), c.*, rejected > 0 AS rejects
FROM unnest(ARRAY['SELECT s.*, f.* FROM many s JOIN many_facts f ON s.id = f.n',
    'SELECT s.id, f.* FROM many s JOIN many_facts f ON s.id = f.n',
    'SELECT s.*, f.* FROM many s LEFT JOIN many_facts f ON s.id = f.n']) AS query, probes(query), compared(query) AS c;
SELECT * FROM compared('SELECT o.id, (SELECT count(*) FROM (SELECT m, n, x FROM many s JOIN many_facts f ON s.id = f.n
    WHERE f.n > o.g LIMIT 300) q) FROM other o WHERE o.id < 40');
RESET cuckoo_filter.join_filter_max_memory;

-- A nested loop that looks up rows of another table: the keys of those that there are come from a scan of that table.
CREATE TABLE looked_up AS SELECT n AS id, n % 50 AS g, n::bigint AS big, 'key ' || n AS text FROM generate_series(1, 2000) AS n;
CREATE INDEX ON looked_up (id);
CREATE INDEX ON looked_up (big);
CREATE INDEX ON looked_up (text);
ANALYZE looked_up;
CREATE FUNCTION reads_table(query text) RETURNS boolean LANGUAGE sql AS $$
    SELECT jsonb_path_exists(plan_of(query), 'strict $.** ? (@."Node Type" == "Nested Loop").Plans[*] ? (exists(@."Runtime Filter"))')
$$;
SET enable_nestloop = on;
SET enable_hashjoin = off;
SET enable_material = off;
SELECT query, reads_table(query), c.*
FROM unnest(ARRAY[
    'SELECT f.n, l.g FROM many_facts f JOIN looked_up l ON f.n = l.id AND l.g < 3',
    'SELECT f.n, l.g FROM many_facts f JOIN looked_up l ON f.n = l.big AND l.g < 3',
    'SELECT f.n, l.g FROM many_facts f JOIN looked_up l ON f.n::bigint = l.big AND l.g < 3',
    'SELECT f.n, l.g FROM many_facts f JOIN looked_up l ON f.n = l.id AND l.g < 3 AND l.text > ''key 5''',
    'SELECT f.n, l.g FROM many_facts f JOIN looked_up l ON f.n = l.id AND l.g < 3 AND l.big <> f.n - 1',
    'SELECT f.n, l.g FROM many_facts f JOIN looked_up l ON f.n = l.id AND l.g < (SELECT min(g) + 3 FROM other)',
    'SELECT f.n, l.g FROM many_facts f JOIN looked_up l ON f.n = l.id',
    'SELECT f.n, l.g FROM many_facts f LEFT JOIN looked_up l ON f.n = l.id AND l.g < 3',
    'SELECT f.n FROM many_facts f WHERE EXISTS (SELECT FROM looked_up l WHERE f.n = l.id AND l.g < 3)',
    'SELECT f.n FROM many_facts f WHERE NOT EXISTS (SELECT FROM looked_up l WHERE f.n = l.id AND l.g < 3)',
    'SELECT o.id, (SELECT count(*) FROM many_facts f JOIN looked_up l ON f.n = l.id AND l.g < 3 WHERE f.n > o.g) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM (SELECT n FROM many_facts ORDER BY n OFFSET 0) f JOIN looked_up l ON f.n = l.id AND l.g < 3 AND l.big > o.g) FROM other o']) AS query, compared(query) AS c;
SELECT rejected > 39000 AS many, bypassed < 1000 AS few FROM probes('SELECT f.n, l.g FROM many_facts f JOIN looked_up l ON f.n = l.id AND l.g < 3');
-- In an index that has all columns that are needed, with and without conditions.
CREATE TABLE covered (id integer, filler text, g integer, v varchar(20), n numeric);
INSERT INTO covered SELECT n, 'filler', n % 50, 'key ' || n, n FROM generate_series(1, 2000) AS n;
CREATE INDEX ON covered (g, id);
CREATE INDEX ON covered (id) INCLUDE (g, n);
CREATE INDEX ON covered (v) INCLUDE (g);
CREATE TABLE many_texts AS SELECT n, 'key ' || n AS text, ('key ' || n)::varchar(30) AS varchar FROM generate_series(1, 40000) AS n;
VACUUM ANALYZE covered, many_texts;
CREATE FUNCTION index_only(query text) RETURNS boolean LANGUAGE sql AS $$
    SELECT jsonb_path_exists(plan_of(query), 'strict $.** ? (@."Node Type" == "Index Only Scan")')
$$;
SELECT query, index_only(query), reads_table(query), c.*
FROM unnest(ARRAY[
    'SELECT f.n, c.g FROM many_facts f JOIN covered c ON f.n = c.id AND c.g < 3',
    'SELECT f.n FROM many_facts f JOIN covered c ON f.n = c.id AND c.g = 3',
    'SELECT f.n, c.n FROM many_facts f JOIN covered c ON f.n = c.id AND c.n < 100',
    'SELECT f.n FROM many_facts f JOIN covered c ON f.n = c.id',
    'SELECT f.n FROM many_facts f WHERE EXISTS (SELECT FROM covered c WHERE f.n = c.id)',
    'SELECT m.n, c.g FROM many_texts m JOIN covered c ON m.text = c.v AND c.g < 3',
    'SELECT m.n, c.g FROM many_texts m JOIN covered c ON m.varchar = c.v AND c.v > ''key 5''',
    'SELECT f.n FROM many_facts f WHERE f.n IN (SELECT id FROM covered c WHERE c.g = (SELECT min(g) + 3 FROM other))']) AS query, compared(query) AS c;
DROP TABLE covered, many_texts;
-- By two columns of an index; and in a table that has grown since it was analyzed.
CREATE TABLE pairs AS SELECT n % 400 AS a, n / 400 AS b, n % 50 AS g FROM generate_series(1, 2000) AS n;
CREATE INDEX ON pairs (a, b);
CREATE TABLE many_pairs AS SELECT n % 997 AS a, n % 13 AS b, n FROM generate_series(1, 40000) AS n;
ANALYZE pairs, many_pairs;
SELECT query, reads_table(query), (SELECT string_agg(key, ', ') FROM probes(query, false)) AS probes, c.*
FROM unnest(ARRAY[
    'SELECT m.n, p.g FROM many_pairs m JOIN pairs p ON m.a = p.a AND m.b = p.b AND p.g < 3',
    'SELECT m.n, p.g FROM many_pairs m JOIN pairs p ON p.b = m.b AND p.a = m.a AND p.g < 3',
    'SELECT m.n, p.g FROM many_pairs m JOIN pairs p ON m.a = p.a AND p.b = 2 AND p.g < 3',
    'SELECT m.n, p.g FROM many_pairs m JOIN pairs p ON m.a = p.a AND m.b < p.b AND p.g < 3',
    'SELECT m.n, p.g FROM many_pairs m JOIN many_facts f ON f.n = m.n + 39000 JOIN pairs p ON m.a = p.a AND f.n = p.b + 39000 AND p.g < 3']) AS query, compared(query) AS c;
CREATE TABLE grown (id integer, g integer) WITH (autovacuum_enabled = off);
CREATE INDEX ON grown (id);
ANALYZE grown;
INSERT INTO grown SELECT n, n % 50 FROM generate_series(1, 400000) AS n;
SELECT query, reads_table(query), c.*
FROM unnest(ARRAY['SELECT f.n, l.g FROM many_facts f JOIN grown l ON f.n = l.id AND l.g = 3 WHERE f.n < 100']) AS query, compared(query) AS c;
DROP TABLE grown;
-- Not in a serializable transaction, whichever transaction the plan was made in: it would lock the whole table.
CREATE TABLE emptied WITH (autovacuum_enabled = off) AS SELECT n FROM generate_series(1, 60000) AS n;
ANALYZE emptied;
DELETE FROM emptied;
SET plan_cache_mode = force_generic_plan;
SET cuckoo_filter.enable_join_filter = on;
PREPARE looking_up AS SELECT count(*) FROM emptied e JOIN looked_up l ON e.n = l.id AND l.g < 3;
EXECUTE looking_up;
SELECT reads_table('EXECUTE looking_up');
BEGIN ISOLATION LEVEL SERIALIZABLE;
EXECUTE looking_up;
SELECT relation::regclass FROM pg_locks WHERE mode = 'SIReadLock' AND locktype = 'relation' AND pid = pg_backend_pid();
COMMIT;
EXECUTE looking_up;
DEALLOCATE looking_up;
RESET plan_cache_mode;
RESET enable_material;
RESET enable_hashjoin;
SET enable_nestloop = off;

SET client_min_messages = warning;
DROP SCHEMA join_filter_read_ahead CASCADE;
