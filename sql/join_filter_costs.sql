--
-- Joins that the planner chooses because of their filters.
--
LOAD 'cuckoo_scan';
CREATE SCHEMA join_filter_costs;
SET search_path = join_filter_costs, public;
SET max_parallel_workers_per_gather = 0;
SET cuckoo_scan.enable_join_filter = on;

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
SET cuckoo_scan.join_filter_costs = off;
SELECT joins, probes FROM plan_of('SELECT count(*), max(text) FROM facts f JOIN a ON f.a = a.id WHERE a.g < 8');
SET cuckoo_scan.join_filter_costs = on;
SELECT joins, probes FROM plan_of('SELECT count(*), max(text) FROM facts f JOIN a ON f.a = a.id WHERE a.g < 8');
RESET random_page_cost;

-- For many lookups, a scan with a filter costs less; for few, it does not.
CREATE TABLE notes (id integer PRIMARY KEY, text text);
INSERT INTO notes SELECT n, 'note ' || n FROM generate_series(1, 300000) AS n;
VACUUM ANALYZE notes;
CREATE FUNCTION reads_notes(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN scan->>'Node Type' FROM jsonb_path_query(plan, 'strict $.** ? (@."Relation Name" starts with "notes")') AS scan;
END$$;
SELECT reads_notes('SELECT count(*), max(m.text) FROM facts f JOIN a ON f.a = a.id JOIN notes m ON f.n = m.id WHERE a.g < 3');
SELECT reads_notes('SELECT count(*), max(m.text) FROM facts f JOIN a ON f.a = a.id JOIN notes m ON f.n = m.id WHERE a.g = 5 AND a.id < 2000');
SELECT reads_notes('SELECT count(*), max(m.text) FROM facts f JOIN a ON f.a = a.id JOIN notes m ON f.n = m.id WHERE a.g < 3 AND f.n = 1');
-- The facts are of the first years of a long calendar. Ten times as many rows as expected belong to two of these years.
CREATE TABLE days AS SELECT n AS id, n / 365 AS year FROM generate_series(0, 72999) AS n;
ALTER TABLE days ADD PRIMARY KEY (id);
ANALYZE days;
SELECT reads_notes('SELECT count(*), max(m.text) FROM facts f JOIN days d ON f.b = d.id JOIN notes m ON f.n = m.id WHERE d.year IN (3, 4)');
DROP TABLE days;
SET cuckoo_scan.join_filter_costs = off;
SELECT reads_notes('SELECT count(*), max(m.text) FROM facts f JOIN a ON f.a = a.id JOIN notes m ON f.n = m.id WHERE a.g < 3');
SET cuckoo_scan.join_filter_costs = on;
-- Of two columns that depend on each other, few rows are expected to match, and all do.
CREATE TABLE returned AS SELECT n, a, b FROM facts WHERE n % 3 = 0;
ANALYZE returned;
SELECT reads_notes('SELECT count(*), max(m.text) FROM returned r JOIN facts f ON f.a = r.a AND f.b = r.b JOIN notes m ON f.n = m.id');
-- A semi join looks no further than the first match.
CREATE TABLE notes_often AS SELECT n / 2 AS id, 'note ' || n AS text FROM generate_series(1, 600000) AS n;
CREATE INDEX ON notes_often (id);
VACUUM ANALYZE notes_often;
SELECT reads_notes('SELECT count(*) FROM facts f JOIN a ON f.a = a.id WHERE a.g < 5 AND EXISTS (SELECT FROM notes_often m WHERE f.n = m.id AND text <> $$none$$)');
SELECT reads_notes('SELECT count(*) FROM facts f JOIN a ON f.a = a.id JOIN notes_often m ON f.n = m.id WHERE a.g < 5 AND m.text <> $$none$$');
-- Of a lookup that returns many rows, only the first page is found through the index: the others cost no more than those of a scan.
CREATE TABLE clubs AS SELECT n AS id FROM generate_series(0, 99) AS n;
CREATE TABLE members AS SELECT n AS id, n % 100 AS club FROM generate_series(0, 4999) AS n;
CREATE TABLE notes_on_members AS SELECT n % 5000 AS member, 'note ' || n AS text FROM generate_series(1, 300000) AS n;
CREATE INDEX ON notes_on_members (member);
VACUUM ANALYZE clubs, members, notes_on_members;
SELECT reads_notes('SELECT count(*), max(n.text) FROM clubs c JOIN members m ON m.club = c.id JOIN notes_on_members n ON n.member = m.id WHERE c.id < 4');
-- That does not hold for the pages of an index that has to be read as a whole.
DROP INDEX notes_on_members_member_idx;
CREATE INDEX ON notes_on_members (text, member);
UPDATE members SET club = id % 2500;
VACUUM (FULL, ANALYZE) members;
SELECT reads_notes('SELECT count(*), max(n.ctid) FROM clubs c JOIN members m ON m.club = c.id JOIN notes_on_members n ON n.member = m.id WHERE c.id < 2');
-- A scan that is disabled is not preferred.
SET enable_seqscan = off;
SELECT reads_notes('SELECT count(*), max(m.text) FROM facts f JOIN a ON f.a = a.id JOIN notes m ON f.n = m.id WHERE a.g < 3');
-- Since 18, EXPLAIN marks nodes that are disabled: no others than without filters. (It marks the one that makes the filter, since
-- it does not look for the input of a custom scan.)
CREATE FUNCTION disabled(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN count(*) FROM jsonb_path_query(plan, 'strict $.** ? (@.Disabled == true && !exists(@."Runtime Filter"))');
END$$;
CREATE FUNCTION more_disabled(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plain bigint;
BEGIN
    SET cuckoo_scan.enable_join_filter = off;
    plain := disabled(query);
    SET cuckoo_scan.enable_join_filter = on;
    RETURN disabled(query) - plain;
END$$;
CREATE TABLE without_index AS SELECT id FROM a WHERE g = 5;
ANALYZE without_index;
SELECT more_disabled(query), EXISTS (SELECT FROM plan_of(query) WHERE probes > 0) AS filtered
FROM (VALUES ('SELECT count(*) FROM facts f JOIN without_index w ON f.n = w.id')) AS q (query);
RESET enable_seqscan;

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
    SET cuckoo_scan.enable_join_filter = off;
    plain := cost_of(query);
    SET cuckoo_scan.enable_join_filter = on;
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
    'SELECT count(*) FROM facts f JOIN a ON f.a = a.id WHERE a.g < (SELECT min(id) + 20 FROM b)',
    'SELECT count(*) FROM (SELECT f.n FROM facts f JOIN a ON f.a = a.id WHERE a.g < (SELECT min(id) + 20 FROM b) OFFSET 0) q']) AS query, costs(query) AS c;
-- What it saves below a subquery is reckoned with: where all rows of a group have the key.
-- From 16 on, an incremental sort is the cheapest way to DISTINCT ON, and reads an index.
SET enable_incremental_sort = off;
SELECT subquery, c.* FROM unnest(ARRAY[
    'SELECT a, sum(b) AS x FROM facts GROUP BY a HAVING count(*) > 1',
    'SELECT a, b, max(n) AS x FROM facts GROUP BY a, b',
    'SELECT b AS a, max(n) AS x FROM facts GROUP BY a, b',
    'SELECT a + 0 AS a, max(n) AS x FROM facts GROUP BY a',
    'SELECT a, max(n) AS x FROM facts GROUP BY GROUPING SETS ((a), (b))',
    'SELECT DISTINCT a, b AS x FROM facts',
    'SELECT DISTINCT ON (a) a, n AS x FROM facts ORDER BY a, n',
    'SELECT DISTINCT ON (b) a, n AS x FROM facts ORDER BY b, n',
    'SELECT a, row_number() OVER (PARTITION BY a ORDER BY n) AS x FROM facts',
    'SELECT a, row_number() OVER (PARTITION BY b ORDER BY n) AS x FROM facts',
    'SELECT a, n AS x FROM facts UNION ALL SELECT b, n FROM facts',
    'SELECT a, max(n) AS x FROM facts GROUP BY a UNION ALL SELECT a, min(n) FROM facts GROUP BY a',
    'SELECT a, max(x) AS x FROM (SELECT a, b, min(n) AS x FROM facts GROUP BY a, b) g GROUP BY a',
    'SELECT f.a, max(b.id) AS x FROM facts f JOIN b ON f.b = b.id GROUP BY f.a',
    'SELECT a, max(n) AS x FROM facts GROUP BY a ORDER BY x LIMIT 5000']) AS subquery,
    costs(format('SELECT count(*), max(f.x) FROM (%s) f JOIN a ON f.a = a.id WHERE a.g < 3', subquery)) AS c;
RESET enable_incremental_sort;
-- Where PostgreSQL reads the rows to group from an index, in order, its plan without a filter has no scan that could probe one.
CREATE TABLE lines AS SELECT n / 5 AS a, n % 7 AS b, n FROM generate_series(1, 99999) AS n;
CREATE INDEX ON lines (a, b);
CREATE TABLE lines_parted (a integer, b integer, n integer) PARTITION BY RANGE (a);
CREATE TABLE lines_1 PARTITION OF lines_parted FOR VALUES FROM (0) TO (10000);
CREATE TABLE lines_2 PARTITION OF lines_parted FOR VALUES FROM (10000) TO (20000);
INSERT INTO lines_parted SELECT * FROM lines;
CREATE INDEX ON lines_parted (a, b);
VACUUM ANALYZE lines, lines_parted;
SET work_mem = '64kB';
SET enable_nestloop = off;
-- Whether a plan probes a filter, and returns what it returns without.
CREATE FUNCTION probed(query text, OUT probed boolean, OUT same boolean) LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
    filtered text;
    plain text;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    probed := jsonb_path_exists(plan, 'strict $.**."Probes"');
    EXECUTE format('SELECT q::text FROM (%s) AS q', query) INTO filtered;
    SET cuckoo_scan.enable_join_filter = off;
    EXECUTE format('SELECT q::text FROM (%s) AS q', query) INTO plain;
    SET cuckoo_scan.enable_join_filter = on;
    same := filtered = plain;
END$$;
CREATE TABLE subqueries AS
SELECT number, subquery, format('SELECT count(*), max(f.x), sum(f.x) FROM (%s) f JOIN a ON f.a = a.id WHERE a.g < 3', subquery) AS query
FROM unnest(ARRAY[
    'SELECT a, sum(n) AS x FROM lines GROUP BY a',
    'SELECT a, b, sum(n) + 1 AS x FROM lines GROUP BY a, b HAVING count(*) < 3',
    'SELECT a, b AS x FROM lines GROUP BY a, b',
    'SELECT DISTINCT a, b AS x FROM lines',
    'SELECT DISTINCT ON (a, b) a, n AS x FROM lines ORDER BY a, b, n',
    'SELECT a, count(*) OVER (PARTITION BY a) AS x FROM lines',
    'SELECT a, b, row_number() OVER (PARTITION BY a ORDER BY b, n) AS x FROM lines',
    'SELECT a, sum(n) AS x FROM lines_parted GROUP BY a',
    'SELECT a, sum(n) AS x FROM lines WHERE a > 100 GROUP BY a ORDER BY a',
    'SELECT a, sum(n) AS x FROM lines GROUP BY a ORDER BY a LIMIT 10000']) WITH ORDINALITY AS s (subquery, number);
SELECT subquery, p.* FROM subqueries, probed(query) AS p ORDER BY number;
-- But no plan has more nodes that settings forbid.
SELECT setting, more_disabled('SELECT count(*), max(f.x) FROM (SELECT a, sum(n) AS x FROM lines GROUP BY a) f JOIN a ON f.a = a.id WHERE a.g < 3')
FROM (VALUES ('enable_seqscan'), ('enable_sort')) AS s (setting), set_config(setting, 'off', false);
RESET enable_seqscan;
RESET enable_sort;
RESET enable_nestloop;
RESET work_mem;
-- Workers divide the rows of an index, too.
CREATE FUNCTION is_divided(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN jsonb_path_query_first(plan, 'strict $.** ? (@."Relation Name" == "lines")."Parallel Aware"');
END$$;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
SET parallel_leader_participation = off;
SET enable_bitmapscan = off;
SET seq_page_cost = 5;
SELECT p.*, is_divided(query) FROM (SELECT 'SELECT count(*), sum(f.n) FROM (WITH unused AS (SELECT 1) SELECT a, n FROM lines WHERE a BETWEEN 100 AND 12000) f JOIN a ON f.a = a.id WHERE a.g < 3' AS query) q, probed(query) AS p;
RESET seq_page_cost;
RESET parallel_leader_participation;
-- Each worker groups its part of an index.
SET cpu_tuple_cost = 0.2;
SET work_mem = '64kB';
SET enable_nestloop = off;
SELECT subquery, p.*, is_divided(query) FROM subqueries, probed(query) AS p ORDER BY number;
RESET enable_nestloop;
RESET work_mem;
RESET cpu_tuple_cost;
RESET enable_bitmapscan;
RESET min_parallel_index_scan_size;
RESET min_parallel_table_scan_size;
RESET parallel_tuple_cost;
RESET parallel_setup_cost;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SELECT c.*, (plan_of(query)).probes FROM (SELECT 'SELECT count(*) FROM (SELECT a, sum(n) FROM facts GROUP BY a) f JOIN a ON f.a = a.id WHERE a.g < 3' AS query) q, costs(query) AS c;
-- Not if each worker reads and hashes the whole table.
SET parallel_tuple_cost = 0;
SET enable_parallel_hash = off;
SELECT (costs('SELECT count(*), max(q.n) FROM (SELECT h.a, f.n FROM facts f JOIN facts h ON f.n = h.n ORDER BY h.a OFFSET 0) q JOIN a ON q.a = a.id WHERE a.g < 3')).cheaper;
RESET enable_parallel_hash;
RESET parallel_tuple_cost;
SET max_parallel_workers_per_gather = 0;
RESET parallel_setup_cost;
-- What EXPLAIN shows is the cost of the join itself, whatever it competes with.
SELECT cost_of('SELECT count(*), max(m.text) FROM facts f JOIN a ON f.a = a.id JOIN notes m ON f.n = m.id WHERE a.g < 3') AS cost, reads_notes('SELECT count(*), max(m.text) FROM facts f JOIN a ON f.a = a.id JOIN notes m ON f.n = m.id WHERE a.g < 3') \gset
SET enable_nestloop = off;
SELECT cost_of('SELECT count(*), max(m.text) FROM facts f JOIN a ON f.a = a.id JOIN notes m ON f.n = m.id WHERE a.g < 3') = :cost AS same_cost, :'reads_notes' AS reads_notes;
RESET enable_nestloop;
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
-- Of two large tables, the better one is filtered.
SELECT query, (costs(query)).cheaper FROM unnest(ARRAY[
    'SELECT count(*) FROM facts f JOIN twice t ON f.n = t.n WHERE f.b < 70 AND t.n < 200000',
    'SELECT count(*) FROM facts f JOIN twice t ON f.n = t.n WHERE f.b < 5000 AND t.n < 4000',
    'SELECT count(*) FROM twice t JOIN facts f ON f.n = t.n WHERE f.b < 70 AND t.n < 200000',
    'SELECT count(*) FROM twice t JOIN facts f ON f.n = t.n WHERE f.b < 5000 AND t.n < 4000']) AS query;
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

-- The cost is that without filters, and no filter is chosen that is then not made: a message would tell it.
CREATE FUNCTION unchanged(query text, OUT same_cost boolean, OUT probes text) LANGUAGE plpgsql AS $$
DECLARE
    plain float8;
    plan json;
BEGIN
    SET cuckoo_scan.enable_join_filter = off;
    plain := cost_of(query);
    SET cuckoo_scan.enable_join_filter = on;
    -- What the server does for the first time has messages of the same level.
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    SET LOCAL auto_explain.log_min_duration = -1;
    SET LOCAL client_min_messages = debug1;
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RESET client_min_messages;
    same_cost := plain = (plan->0->'Plan'->>'Total Cost')::float8;
    probes := (SELECT string_agg(key #>> '{}', ', ') FROM jsonb_path_query(plan::jsonb, 'strict $.**."Probes"[*]."Key"') AS key);
END$$;
SET jit = off;
CREATE TABLE keyed AS
    SELECT n, (n % 20000)::numeric AS numeric, (n % 20000)::float8 AS float, 'key ' || n % 20000 AS text, n % 300 AS g,
        ('k' || n % 20000)::char(8) AS character, date '2020-01-01' + n % 20000 AS date
    FROM generate_series(1, 100000) AS n;
CREATE TABLE other_keys AS
    SELECT n AS id, n::numeric AS numeric, n::float8 AS float, 'key ' || n AS text, n % 100 AS g,
        ('k' || n)::char(8) AS character, timestamp '2020-01-01' + n * interval '1 day' AS timestamp
    FROM generate_series(0, 19999) AS n;
CREATE INDEX ON keyed ((numeric::float8));
ALTER TABLE keyed SET (autovacuum_enabled = off);
ALTER TABLE other_keys SET (autovacuum_enabled = off);
ANALYZE keyed, other_keys;
CREATE FUNCTION costly(integer) RETURNS integer IMMUTABLE COST 100 LANGUAGE plpgsql AS 'BEGIN RETURN $1; END';
-- Keys under casts, or that cost too much to compute once more.
SELECT query, u.* FROM unnest(ARRAY[
    'SELECT count(*) FROM keyed k JOIN other_keys o ON k.numeric = o.float WHERE o.g < 5',
    'SELECT count(*) FROM keyed k JOIN other_keys o ON k.character = o.text WHERE o.g < 5',
    'SELECT count(*) FROM keyed k JOIN other_keys o ON k.character::text = o.text WHERE o.g < 5',
    'SELECT count(*) FROM keyed k JOIN other_keys o ON k.date = o.timestamp WHERE o.g < 5',
    'SELECT count(*) FROM keyed k JOIN other_keys o ON k.date::timestamp = o.timestamp WHERE o.g < 5',
    'SELECT count(*) FROM keyed k JOIN other_keys o ON k.n + 1 = o.id WHERE o.g < 5',
    'SELECT count(*) FROM keyed k JOIN other_keys o ON k.n = costly(o.id) WHERE o.g < 5',
    'SELECT count(*) FROM (SELECT numeric, count(*) FROM keyed GROUP BY numeric) k JOIN other_keys o ON k.numeric = o.float WHERE o.g < 5',
    'SELECT count(*) FROM (SELECT n, count(*) FROM keyed GROUP BY n) k JOIN other_keys o ON k.n = o.numeric WHERE o.g < 5',
    'SELECT count(*) FROM (SELECT n, count(*) FROM keyed GROUP BY ROLLUP (n)) k JOIN other_keys o ON k.n = o.id WHERE o.g < 5',
    'SELECT count(*) FROM (SELECT n FROM keyed LIMIT 100000) k JOIN other_keys o ON k.n = o.id WHERE o.g < 5']) AS query, unchanged(query) AS u;
-- Rows that are replaced by nulls if they are missing, and both sides of a full join.
SELECT query, u.* FROM unnest(ARRAY[
    'SELECT count(*) FROM (SELECT k.n FROM nobody n LEFT JOIN keyed k ON k.g = n.id OFFSET 0) q JOIN other_keys o ON q.n = o.id WHERE o.g < 5',
    'SELECT count(*) FROM (SELECT k.n, count(*) FROM nobody n LEFT JOIN keyed k ON k.g = n.id GROUP BY k.n) q JOIN other_keys o ON q.n = o.id WHERE o.g < 5',
    'SELECT count(*) FROM (SELECT k.n FROM nobody n FULL JOIN keyed k ON k.g = n.id OFFSET 0) q JOIN other_keys o ON q.n = o.id WHERE o.g < 5',
    'SELECT count(*) FROM keyed k FULL JOIN (SELECT * FROM other_keys WHERE g < 5) o ON k.n = o.id',
    'SELECT count(*) FROM keyed k LEFT JOIN other_keys o ON k.n = o.id AND o.g < 5']) AS query, unchanged(query) AS u;
-- Sides that make a filter, and depend on a query around them.
SELECT query, u.* FROM unnest(ARRAY[
    'SELECT n.id, (SELECT count(*) FROM keyed k JOIN other_keys o ON k.n = o.id WHERE o.g = n.g) FROM nobody n WHERE n.id < 5',
    'SELECT n.id, (SELECT count(*) FROM keyed k JOIN other_keys o ON k.n = o.id + n.g WHERE o.g < 5) FROM nobody n WHERE n.id < 5',
    'SELECT n.id, (SELECT count(*) FROM keyed k JOIN (SELECT DISTINCT id FROM other_keys WHERE g = n.g) o ON k.n = o.id) FROM nobody n WHERE n.id < 5',
    'SELECT n.id, (SELECT count(*) FROM keyed k JOIN (SELECT id + n.g AS id FROM other_keys WHERE g < 5 OFFSET 0) o ON k.n = o.id) FROM nobody n WHERE n.id < 5',
    'SELECT n.id, (SELECT count(*) FROM keyed k JOIN generate_series(1, n.g) o ON k.n = o) FROM nobody n WHERE n.id < 5',
    'SELECT n.id, (SELECT count(*) FROM keyed k JOIN (VALUES (n.g), (n.id)) o (x) ON k.n = o.x) FROM nobody n WHERE n.id < 5',
    'SELECT n.id, q.c FROM nobody n, LATERAL (SELECT count(*) AS c FROM keyed k JOIN other_keys o ON k.n = o.id WHERE o.g = n.g) q WHERE n.id < 5',
    'SELECT n.id, q.n FROM nobody n, LATERAL (SELECT k.n FROM keyed k JOIN other_keys o ON k.n = o.id WHERE o.g = n.g OFFSET 0) q WHERE n.id < 5',
    'WITH RECURSIVE r (i) AS (SELECT 10 UNION SELECT k.n FROM r JOIN keyed k ON k.g = r.i WHERE k.n < 200) SELECT * FROM r']) AS query, unchanged(query) AS u;
-- The rows to group are read before there is a filter, if hashing the other side costs more.
SELECT query, u.* FROM unnest(ARRAY[
    'SELECT count(*) FROM (SELECT n % 1000 AS x, n, count(*) FROM keyed GROUP BY 1, 2) k JOIN (SELECT id FROM other_keys WHERE costly(costly(costly(costly(g)))) < 5 AND g < 5) o ON k.n = o.id']) AS query, unchanged(query) AS u;
-- An index scan costs less than the hash join, which has no filter.
SET random_page_cost = 1.4;
EXPLAIN (COSTS OFF) SELECT count(*), max(n) FROM keyed k JOIN other_keys o ON k.numeric = o.float WHERE o.g < 5;
RESET random_page_cost;

-- A side is read ahead only if the join reads all of it in any case.
CREATE FUNCTION rejects(query text) RETURNS TABLE (many boolean) LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
    RETURN QUERY SELECT (probe->>'Rows Rejected')::bigint > 90000
        FROM jsonb_path_query(plan::jsonb, 'strict $.**."Probes"[*]') AS probe;
END$$;
SELECT query, c.cheaper, r.many AS rejects FROM unnest(ARRAY[
    'SELECT count(*) FROM other_keys o WHERE costly(o.g) = 1 AND NOT EXISTS (SELECT FROM keyed k WHERE k.n = o.id AND k.g > 5)',
    'SELECT o.g, count(*) FROM other_keys o WHERE costly(o.g) = 1 AND NOT EXISTS (SELECT FROM keyed k WHERE k.n = o.id AND k.g > 5) GROUP BY o.g',
    'SELECT o.id FROM other_keys o WHERE costly(o.g) = 1 AND NOT EXISTS (SELECT FROM keyed k WHERE k.n = o.id AND k.g > 5) ORDER BY o.id LIMIT 3']) AS query,
    costs(query) AS c, rejects(query) AS r;
CREATE FUNCTION reads_ahead(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN jsonb_path_exists(plan::jsonb, 'strict $.** ? (@."Node Type" == "Hash Join").Plans[*] ? (exists(@."Runtime Filter"))');
END$$;
SELECT query, reads_ahead(query) FROM unnest(ARRAY[
    'SELECT o.id FROM other_keys o WHERE costly(o.g) = 1 AND NOT EXISTS (SELECT FROM keyed k WHERE k.n = o.id AND k.g > 5) LIMIT 3',
    'SELECT count(*) FROM (SELECT o.id FROM other_keys o WHERE costly(o.g) = 1 AND NOT EXISTS (SELECT FROM keyed k WHERE k.n = o.id AND k.g > 5) LIMIT 3) q']) AS query;

-- What is costed is made; otherwise, a message says so. Here a node above the subquery's join executes it again.
CREATE FUNCTION explain(query text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL auto_explain.log_min_duration = -1;
    EXECUTE 'EXPLAIN ' || query;
    SET LOCAL client_min_messages = debug1;
    EXECUTE 'EXPLAIN ' || query;
END$$;
SELECT explain('SELECT count(*) FROM nobody n LEFT JOIN (SELECT k.n FROM keyed k JOIN (SELECT id FROM other_keys TABLESAMPLE bernoulli (5) REPEATABLE (1)) o ON k.n = o.id) q ON q.n > n.id WHERE n.id < 5');
SET enable_material = off;
SELECT explain('SELECT n.id, c FROM nobody n LEFT JOIN LATERAL (SELECT count(*) AS c FROM keyed k JOIN (SELECT id FROM other_keys TABLESAMPLE bernoulli (5) REPEATABLE (1)) o ON k.n = o.id OFFSET 0) q ON true WHERE n.id < 5');
RESET enable_material;
-- What is offered is made, where rows of an outer query matter, and where rows are read ahead. (A message would say if not.)
SELECT explain('SELECT n.id, (SELECT count(*) FROM keyed k JOIN (SELECT id FROM other_keys TABLESAMPLE bernoulli (5) REPEATABLE (1)) o ON k.n = o.id WHERE k.n > n.id) FROM nobody n WHERE n.id < 5');
SELECT explain('SELECT n.id, (WITH w AS MATERIALIZED (SELECT * FROM other_keys WHERE g = n.g) SELECT count(*) FROM keyed k JOIN w ON k.n = w.id) FROM nobody n WHERE n.id < 5');
SELECT explain('SELECT n.id, (SELECT count(*) FROM keyed k JOIN (SELECT id FROM other_keys WHERE g = n.g UNION ALL SELECT id FROM a WHERE g = n.g) o ON k.n = o.id) FROM nobody n WHERE n.id < 5');
SELECT explain('SELECT n.id, (SELECT count(*) FROM keyed k JOIN (SELECT id FROM other_keys WHERE g = (SELECT n.g)) o ON k.n = o.id) FROM nobody n WHERE n.id < 5');
SELECT explain('SELECT o.id FROM other_keys o WHERE costly(o.g) = 1 AND NOT EXISTS (SELECT FROM keyed k JOIN a ON k.g = a.g WHERE k.n = o.id)');
SELECT explain('SELECT count(*) FROM b LEFT JOIN (SELECT o.id FROM other_keys o WHERE costly(o.g) = 1 AND NOT EXISTS (SELECT FROM keyed k WHERE k.n = o.id)) q ON q.id > b.id AND b.g = 2 AND q.id <> 3');
-- No chosen filter is lost because of what else a query has, or where there are no filter scans.
SELECT count(explain(query)) FROM unnest(ARRAY[
    'SELECT count(*) FROM (SELECT row_number() OVER () AS r, k.n FROM keyed k JOIN other_keys o ON k.n = o.id WHERE o.g = 1) q',
    'SELECT q.r FROM (SELECT row_number() OVER (PARTITION BY k.g) AS r, k.n FROM keyed k JOIN other_keys o ON k.n = o.id WHERE o.g = 1) q JOIN a ON a.id = q.n WHERE a.g = 3',
    'SELECT count(*) FROM keyed k FULL JOIN (SELECT o.id, a.g FROM other_keys o JOIN a ON o.g = a.id WHERE o.g < 3) q ON q.id = k.n',
    'SELECT count(*) FROM (SELECT k.n, o.g FROM keyed k JOIN other_keys o ON k.n = o.id AND o.g = 1 LIMIT 10) q JOIN a ON a.id = q.n',
    'SELECT * FROM other_keys o LEFT JOIN keyed k ON o.id = k.n WHERE o.g = 1 LIMIT 5',
    'SELECT o.id FROM other_keys o WHERE EXISTS (SELECT FROM keyed k JOIN a ON k.g = a.id WHERE a.g = 1 AND k.n = o.id) LIMIT 1',
    'SELECT EXISTS (SELECT FROM keyed k JOIN other_keys o ON k.n = o.id WHERE o.g = 1)',
    'SELECT o.id, q.n FROM other_keys o JOIN LATERAL (SELECT k.n FROM keyed k JOIN a ON k.n = a.id WHERE a.g = 1 AND k.g = o.g LIMIT 2) q ON true WHERE o.id < 4',
    'WITH q AS MATERIALIZED (SELECT k.n, o.g FROM keyed k JOIN other_keys o ON k.n = o.id WHERE o.g = 1) SELECT count(*) FROM q JOIN a ON a.id = q.n',
    'SELECT k.n FROM keyed k JOIN other_keys o ON k.n = o.id WHERE o.g = 1 UNION SELECT k.n FROM keyed k JOIN a ON k.n = a.id WHERE a.g = 1',
    'SELECT DISTINCT ON (k.g) k.g, o.id FROM keyed k JOIN other_keys o ON k.n = o.id WHERE o.g = 1 ORDER BY k.g, o.id',
    'SELECT k.g, count(*) FROM keyed k JOIN other_keys o ON k.n = o.id WHERE o.g = 1 GROUP BY GROUPING SETS ((k.g), ())',
    'SELECT rank() OVER (ORDER BY k.n) FROM keyed k LEFT JOIN other_keys o ON k.n = o.id AND o.g = 1 LIMIT 3',
    'UPDATE keyed k SET g = k.g + 1 FROM other_keys o JOIN a ON o.g = a.id AND a.g = 2 WHERE k.n = o.id']) AS query;
SET cuckoo_scan.enable_filter_scan = off;
SELECT explain('SELECT count(*) FROM keyed k JOIN other_keys o ON k.n = o.id WHERE o.g = 1');
RESET cuckoo_scan.enable_filter_scan;

-- Keys from two tables: the filter of one of them passes the rows that match by this one.
CREATE TABLE more AS SELECT n, n % 7001 AS b FROM generate_series(1, 300000) AS n;
CREATE TABLE pairs AS SELECT n * 3 % 20000 AS a, n % 7001 AS b FROM generate_series(1, 6000) AS n;
ANALYZE more, pairs;
SET join_collapse_limit = 1;
SELECT * FROM estimated('SELECT count(*) FROM facts f JOIN more m ON f.n = m.n JOIN pairs p ON f.a = p.a AND m.b = p.b', 2);
SELECT * FROM estimated('SELECT count(*) FROM facts f JOIN more m ON f.n = m.n JOIN pairs p ON f.b = p.b AND m.b = p.a', 2);
RESET join_collapse_limit;

-- A sub-select that the planner would execute once, and hash, is not executed for each row because of what lookups cost.
CREATE TABLE sales AS SELECT n % 1000 AS day, n AS buyer FROM generate_series(1, 30000) AS n;
CREATE TABLE sale_days AS SELECT n AS id, n % 400 AS year FROM generate_series(1, 100000) AS n;
ALTER TABLE sale_days ADD PRIMARY KEY (id);
ANALYZE sales, sale_days;
CREATE FUNCTION is_hashed(executions int, setting text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    plan text;
BEGIN
    PERFORM set_config('cuckoo_scan.enable_join_filter', setting, false);
    EXECUTE format('EXPLAIN (FORMAT JSON) SELECT count(*) FROM nobody n WHERE id < %s AND (g = 9 OR EXISTS
        (SELECT FROM sales JOIN sale_days ON day = sale_days.id WHERE buyer = n.id AND year < 5))', executions) INTO plan;
    RETURN plan LIKE '%hashed %';
END$$;
SELECT min(n) < 10 AS hashed, count(*) FILTER (WHERE NOT is_hashed(n, 'on')) AS not_with_filters
FROM generate_series(1, 30) AS n WHERE is_hashed(n, 'off');

SET client_min_messages = warning;
DROP SCHEMA join_filter_costs CASCADE;
