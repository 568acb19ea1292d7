--
-- Joins that filter themselves: keys that cost more to hash than the scan's own conditions, which then come first.
--
LOAD 'cuckoo_scan';
CREATE SCHEMA join_filter_late;
SET search_path = join_filter_late, public;
\set common `echo "$PG_ABS_SRCDIR"`/sql/common/join_filter.sql
\i :common

-- Conditions leave one row in 1000, or some more. A third of the texts is null.

CREATE TABLE docs WITH (autovacuum_enabled = off) AS
    SELECT n, n % 1000 AS g, n % 10000 AS i, (n % 10000)::numeric AS x, to_jsonb(n % 10000) AS j, md5((n % 10000)::text) AS d,
        CASE WHEN n % 3 > 0 THEN 'key ' || n % 10000 END AS t, CASE WHEN n % 3 > 0 THEN n % 10000 END AS holes
    FROM generate_series(1, 20000) AS n;
CREATE TABLE keys WITH (autovacuum_enabled = off) AS
    SELECT n AS i, n::numeric AS x, to_jsonb(n) AS j, md5(n::text) AS d, CASE WHEN n % 5 > 0 THEN 'key ' || n END AS t
    FROM generate_series(1, 130) AS n;
ANALYZE docs, keys;

-- Of the scan of docs: the keys that are probed; and whether other rows than those that meet the condition reach the filter.
CREATE FUNCTION reached(query text, condition text) RETURNS TABLE (key text, rows text) LANGUAGE plpgsql AS $$
DECLARE
    meeting bigint;
BEGIN
    EXECUTE 'SELECT count(*) FROM docs WHERE ' || condition INTO meeting;
    RETURN QUERY SELECT probe->>'Key', CASE WHEN (probe->>'Rows Probed')::bigint + (probe->>'Rows Bypassed')::bigint <= meeting AND meeting < 20000
            THEN 'that meet the condition' ELSE 'all' END
        FROM jsonb_path_query(plan_of(query, true), 'strict $.** ? (@."Relation Name" == "docs")."Probes"[*]') AS probe ORDER BY 1;
END$$;
SELECT join_, condition, r.*, c.*
FROM unnest(ARRAY['docs.d = md5(keys.i::text)', 'md5(docs.d) = md5(keys.d)', 'docs.j = keys.j', 'docs.x = keys.x', 'docs.t = keys.t',
        'docs.i = keys.x', 'docs.i = keys.i', 'docs.i = keys.i AND docs.t = keys.t']) AS join_,
    unnest(ARRAY['docs.g = 1', 'docs.g BETWEEN 3 AND 40']) AS condition,
    format('SELECT docs.n, keys.i FROM docs JOIN keys ON %s WHERE %s', join_, condition) AS query,
    compared(query) AS c LEFT JOIN reached(query, condition) AS r ON true;
-- Without a condition, and with one that costs more than a key.
CREATE FUNCTION costly(integer) RETURNS integer IMMUTABLE COST 100 LANGUAGE plpgsql AS 'BEGIN RETURN $1; END';
SELECT condition, r.*, c.*
FROM unnest(ARRAY['true', 'costly(docs.g) > 990']) AS condition,
    format('SELECT docs.n, keys.i FROM docs JOIN keys ON docs.t = keys.t WHERE %s', condition) AS query,
    compared(query) AS c LEFT JOIN reached(query, condition) AS r ON true;
-- Several filters of one scan (with a LIMIT, no rows are read ahead instead): the cheap key of all rows first, then the condition, then the others for what is left.
SELECT r.*, c.*, (SELECT min(probed) > 0 FROM probes(query)) AS each_is_probed
FROM concat('SELECT docs.n FROM docs JOIN keys k ON docs.i = k.i JOIN keys l ON docs.t = l.t JOIN keys m ON docs.j = m.j ',
        'WHERE docs.g BETWEEN 3 AND 40 LIMIT 1000') AS query, compared(query) AS c LEFT JOIN reached(query, 'docs.g BETWEEN 3 AND 40') AS r ON true;
-- Other joins, nulls on both sides, groups, and executions again.
SELECT query, (SELECT string_agg(key || ': ' || rows, ', ') FROM reached(query, 'g = 1')) AS reached, c.*
FROM unnest(ARRAY[
    'SELECT n FROM docs WHERE g = 1 AND EXISTS (SELECT FROM keys WHERE keys.t = docs.t)',
    'SELECT n FROM docs WHERE g = 1 AND t IN (SELECT t FROM keys)',
    'SELECT n FROM docs WHERE g = 1 AND NOT EXISTS (SELECT FROM keys WHERE keys.t = docs.t)',
    'SELECT docs.n, keys.i FROM docs LEFT JOIN keys ON docs.t = keys.t WHERE g = 1',
    'SELECT docs.n, keys.i FROM keys LEFT JOIN docs ON docs.t = keys.t AND docs.g = 1',
    'SELECT docs.n, keys.i FROM docs JOIN keys ON docs.t = keys.t WHERE docs.g = 1 AND keys.i < 0',
    'SELECT docs.n, keys.i FROM docs JOIN (SELECT * FROM keys WHERE t IS NULL) AS keys ON docs.t = keys.t WHERE docs.g = 1',
    'SELECT q.* FROM (SELECT t, count(*), sum(n) FROM docs WHERE g = 1 GROUP BY t) q JOIN keys ON q.t = keys.t',
    'SELECT docs.n, keys.i FROM docs JOIN keys ON docs.t = keys.t WHERE docs.g = 1 AND docs.n > (SELECT min(i) FROM keys)']) AS query, compared(query) AS c;
SELECT query, (SELECT probed + bypassed <= 20 * 8 FROM probes(query)) AS few, c.*
FROM unnest(ARRAY[
    'SELECT o.id, (SELECT count(*) FROM docs JOIN keys ON docs.t = keys.t WHERE docs.g = o.id) FROM other o WHERE o.id < 50',
    'SELECT o.id, (SELECT sum(docs.n) FROM docs JOIN keys ON docs.j = keys.j WHERE docs.g = 7 AND docs.n > o.id) FROM other o WHERE o.id < 50',
    'SELECT o.id, q.n FROM other o, LATERAL (SELECT docs.n FROM docs JOIN keys ON docs.x = keys.x WHERE docs.g = o.id OFFSET 0) q WHERE o.id < 50']) AS query, compared(query) AS c;
-- Forwards and backwards.
BEGIN;
DECLARE late SCROLL CURSOR FOR SELECT docs.n FROM docs JOIN keys ON docs.x = keys.x WHERE docs.g = 7;
FETCH 4 FROM late;
FETCH BACKWARD 2 FROM late;
FETCH FIRST FROM late;
FETCH LAST FROM late;
ROLLBACK;
-- Rows that are changed and locked.
SET cuckoo_scan.join_filter_costs = on;
BEGIN;
WITH u AS (UPDATE docs SET n = -n FROM keys WHERE docs.t = keys.t AND docs.g = 7 RETURNING docs.n)
    SELECT count(*), min(n), max(n) FROM u;
SELECT probed <= 20 AS few FROM probes('SELECT FROM docs JOIN keys ON docs.t = keys.t WHERE docs.g = 7 FOR UPDATE OF docs');
WITH d AS (DELETE FROM docs USING keys WHERE docs.j = keys.j AND docs.g = 8 RETURNING docs.n) SELECT count(*), sum(n) FROM d;
SELECT docs.n FROM docs JOIN keys ON docs.t = keys.t WHERE docs.g = 11 ORDER BY docs.n FOR UPDATE OF docs;
ROLLBACK;
SET cuckoo_scan.join_filter_costs = off;
-- In parallel. Whether the second query has a filter for x depends on the version.
SET max_parallel_workers_per_gather = 1;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT query, jsonb_path_exists(plan_of(query), 'strict $.** ? (@."Node Type" starts with "Gather")') AS gathers,
    (SELECT string_agg(key || ': ' || rows, ', ') FROM reached(query, 'g BETWEEN 3 AND 40') WHERE key <> 'x') AS reached, c.*
FROM unnest(ARRAY[
    'SELECT docs.n, keys.i FROM docs JOIN keys ON docs.j = keys.j WHERE docs.g BETWEEN 3 AND 40',
    'SELECT docs.n, k.i FROM docs JOIN keys k ON docs.t = k.t JOIN keys l ON docs.x = l.x WHERE docs.g BETWEEN 3 AND 40']) AS query, compared(query) AS c;

SET client_min_messages = warning;
DROP SCHEMA join_filter_late CASCADE;
