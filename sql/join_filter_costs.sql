--
-- Joins that the planner chooses because of their filters.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS cuckoo_filter;
LOAD 'cuckoo_filter';
CREATE SCHEMA join_filter_costs;
SET search_path = join_filter_costs, public;
RESET client_min_messages;
SET max_parallel_workers_per_gather = 0;
SET cuckoo_filter.enable_join_filter = on;

-- A fact table with an index on each key; and two dimensions, of which conditions leave a few rows.
CREATE TABLE facts AS SELECT n, n % 20000 AS a, n % 7001 AS b, 'row ' || n AS text FROM generate_series(1, 300000) AS n;
CREATE INDEX ON facts (a);
CREATE INDEX ON facts (b);
CREATE TABLE a AS SELECT n AS id, n % 100 AS g FROM generate_series(0, 19999) AS n;
CREATE TABLE b AS SELECT n AS id, n % 100 AS g FROM generate_series(0, 7000) AS n;
CREATE TABLE nobody AS SELECT n AS id, n % 7 AS g FROM generate_series(0, 999) AS n;
ALTER TABLE a ADD PRIMARY KEY (id);
ALTER TABLE b ADD PRIMARY KEY (id);
-- A vacuum in the middle would allow index-only scans.
ALTER TABLE facts SET (autovacuum_enabled = off);
ALTER TABLE a SET (autovacuum_enabled = off);
ALTER TABLE b SET (autovacuum_enabled = off);
ANALYZE facts, a, b, nobody;

-- The join that a query is planned with, the estimated and the actual rows of the scan of facts, and whether the scan probes filters.
CREATE FUNCTION plan_of(query text) RETURNS TABLE (joins text, estimated bigint, actual bigint, probes bigint) LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
    RETURN QUERY SELECT (SELECT string_agg(DISTINCT j #>> '{}', ', ') FROM jsonb_path_query(plan::jsonb, 'strict $.**."Node Type" ? (@ == "Hash Join" || @ == "Nested Loop" || @ == "Merge Join")') AS j),
        (scan->>'Plan Rows')::bigint, (scan->>'Actual Rows')::numeric::bigint, coalesce(jsonb_array_length(scan->'Probes'), 0)::bigint
    FROM jsonb_path_query(plan::jsonb, 'strict $.** ? (@."Relation Name" == "facts")') AS scan;
END$$;
-- In both directions, the rows expected and found differ by less than this factor.
CREATE FUNCTION estimated(query text, factor float8) RETURNS TABLE (joins text, is_near boolean, probes bigint) LANGUAGE sql AS $$
    SELECT joins, estimated <= actual * factor AND actual <= estimated * factor, probes FROM plan_of(query)
$$;

-- The rows of the scan are those that remain after the filters, and so are those of the nodes above it.
SELECT * FROM estimated('SELECT count(*) FROM facts f JOIN a ON f.a = a.id WHERE a.g < 20', 1.5);
SELECT * FROM estimated('SELECT count(*) FROM facts f JOIN a ON f.a = a.id JOIN b ON f.b = b.id WHERE a.g < 20 AND b.g < 30', 1.5);
SELECT * FROM estimated('SELECT count(*) FROM a JOIN facts f ON f.a = a.id AND f.n % 2 = 0 WHERE a.g < 20', 200);

-- Lookups are expected to cost less than a scan, but not less than one that probes a filter.
SET random_page_cost = 1.8;
SET cuckoo_filter.join_filter_costs = off;
SELECT joins, probes FROM plan_of('SELECT count(*), max(text) FROM facts f JOIN a ON f.a = a.id WHERE a.g < 8');
SET cuckoo_filter.join_filter_costs = on;
SELECT joins, probes FROM plan_of('SELECT count(*), max(text) FROM facts f JOIN a ON f.a = a.id WHERE a.g < 8');
RESET random_page_cost;

-- Where no filter can be made, none is reckoned with.
CREATE FUNCTION cost_of(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN plan->0->'Plan'->>'Total Cost';
END$$;
CREATE FUNCTION costs(query text, OUT filtered boolean, OUT cheaper boolean) LANGUAGE plpgsql AS $$
DECLARE
    plain float8;
    costed float8;
BEGIN
    SET cuckoo_filter.enable_join_filter = off;
    plain := cost_of(query);
    SET cuckoo_filter.enable_join_filter = on;
    costed := cost_of(query);
    cheaper := costed < plain;
    filtered := EXISTS (SELECT FROM plan_of(query) WHERE probes > 0);
END$$;
SELECT query, c.* FROM unnest(ARRAY[
    'SELECT count(*) FROM facts f JOIN a ON f.a = a.id WHERE a.g < 20',
    'SELECT count(*) FROM facts f LEFT JOIN a ON f.a = a.id AND a.g < 20',
    'SELECT count(*) FROM a LEFT JOIN facts f ON f.a = a.id WHERE a.g < 20',
    'SELECT count(*) FROM facts f JOIN a ON f.a = a.id',
    'SELECT count(*) FROM facts f JOIN a ON f.a = a.id WHERE a.g < 20 AND random() < 2',
    'SELECT count(*) FROM facts f WHERE EXISTS (SELECT FROM a WHERE f.a = a.id AND a.g < 20)',
    'SELECT count(*) FROM facts f WHERE NOT EXISTS (SELECT FROM a WHERE f.a = a.id AND a.g < 20)',
    'SELECT count(*) FROM (SELECT a, count(*) FROM facts GROUP BY a) f JOIN a ON f.a = a.id WHERE a.g < 20',
    'SELECT count(*) FROM (SELECT b, count(*) FROM facts GROUP BY b) f JOIN a ON f.b = a.id WHERE a.g < 20',
    'SELECT count(*) FROM (SELECT a, n FROM facts LIMIT 200000) f JOIN a ON f.a = a.id WHERE a.g < 20',
    'SELECT count(*) FROM (SELECT a FROM facts INTERSECT SELECT b FROM facts) f JOIN a ON f.a = a.id WHERE a.g < 20',
    'SELECT count(*) FROM facts f JOIN a ON f.a = a.id WHERE a.g < (SELECT min(id) + 20 FROM b)']) AS query, costs(query) AS c;
-- Not if the rows depend on a query around it.
SELECT n.id, (SELECT count(*) FROM facts f JOIN a ON f.a = a.id WHERE a.g = n.g) AS filtered,
    (SELECT count(*) FROM facts f JOIN a ON f.a = a.id + n.g WHERE a.g < 20) AS shifted FROM nobody n WHERE n.id < 5 ORDER BY n.id;
SELECT probes FROM plan_of('SELECT n.id, (SELECT count(*) FROM facts f JOIN a ON f.a = a.id WHERE a.g = n.g) FROM nobody n WHERE n.id < 5');

-- A side that is read before there is a filter is not reckoned with.
SET enable_nestloop = off;
SET enable_mergejoin = off;
CREATE TABLE twice AS SELECT n % 300000 AS n FROM generate_series(1, 600000) AS n;
ANALYZE twice;
SELECT actual < 20000 AS reduced, probes
FROM plan_of('SELECT count(*) FROM twice t JOIN facts f ON t.n = f.n JOIN (SELECT id FROM a GROUP BY id HAVING max(g) < 3) q ON f.a = q.id');
RESET enable_nestloop;
RESET enable_mergejoin;

-- A partitioned table that is changed is planned without the costs of filters; they are added to the plan.
CREATE TABLE chosen (id integer, g integer) PARTITION BY RANGE (id);
CREATE TABLE chosen_1 PARTITION OF chosen FOR VALUES FROM (0) TO (10000);
CREATE TABLE chosen_2 PARTITION OF chosen FOR VALUES FROM (10000) TO (20000);
INSERT INTO chosen SELECT id, g FROM a WHERE g < 2;
ANALYZE chosen;
WITH changed AS (UPDATE chosen c SET g = 5 FROM facts f WHERE f.a = c.id AND f.n > 100 RETURNING c.id) SELECT count(*), sum(id) FROM changed;
WITH deleted AS (DELETE FROM chosen c USING facts f WHERE f.a = c.id AND f.n < 15000 RETURNING c.id) SELECT count(*), sum(id) FROM deleted;
SELECT count(*), sum(id), sum(g) FROM chosen;

-- The planner's own plans, within one that evaluates a function.
CREATE FUNCTION nested() RETURNS bigint IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM facts f JOIN a ON f.a = a.id WHERE a.g < 20); END';
\set SHOW_CONTEXT never
CREATE FUNCTION failing() RETURNS bigint IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) / 0 FROM facts f JOIN a ON f.a = a.id WHERE a.g < 20); END';
SELECT count(*) FROM facts f JOIN a ON f.a = a.id WHERE a.g < 20 AND f.n > nested() - 59990;
SELECT count(*) FROM facts f JOIN a ON f.a = a.id WHERE a.g < 20 AND f.n > failing();
SELECT count(*) FROM facts f JOIN a ON f.a = a.id WHERE a.g < 20;
-- Many tables, with the genetic planner and without it.
SET geqo_threshold = 3;
SELECT count(*) FROM facts f JOIN a ON f.a = a.id JOIN b ON f.b = b.id JOIN nobody n ON n.id = a.g JOIN nobody m ON m.id = b.g WHERE a.g < 20 AND b.g < 30;
RESET geqo_threshold;
SELECT count(*) FROM facts f JOIN a ON f.a = a.id JOIN b ON f.b = b.id JOIN nobody n ON n.id = a.g JOIN nobody m ON m.id = b.g WHERE a.g < 20 AND b.g < 30;
SET client_min_messages = warning;
DROP SCHEMA join_filter_costs CASCADE;
