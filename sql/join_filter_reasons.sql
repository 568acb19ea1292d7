--
-- Why a join has no filter: for each reason a query. Since 18, EXPLAIN gives the same, also of a cached plan.
--
LOAD 'cuckoo_scan';
CREATE SCHEMA join_filter_reasons;
SET search_path = join_filter_reasons, public;
SET max_parallel_workers_per_gather = 0;
SET cuckoo_scan.enable_join_filter = on;
SET enable_mergejoin = off;
SET enable_nestloop = off;
\pset tuples_only
\pset format unaligned

CREATE TABLE facts WITH (autovacuum_enabled = off) AS SELECT n, n % 1000 AS k, n % 40 AS g FROM generate_series(1, 60000) AS n;
CREATE TABLE dimension WITH (autovacuum_enabled = off) AS SELECT n AS id, n % 7 AS g FROM generate_series(1, 10) AS n;
CREATE TABLE most AS SELECT n AS id FROM generate_series(1, 58000) AS n;
-- A hash table of these would have few chains, so the larger table is hashed.
CREATE TABLE skewed AS SELECT 10 * (n % 3) + 10 AS id FROM generate_series(1, 6000) AS n;
CREATE TABLE parts (n integer) PARTITION BY RANGE (n);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (30000);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (30000) TO (60000);
INSERT INTO parts SELECT n FROM generate_series(0, 59999) AS n;
CREATE TABLE small_parts (n integer) PARTITION BY RANGE (n);
CREATE TABLE small_parts_1 PARTITION OF small_parts FOR VALUES FROM (0) TO (900);
CREATE TABLE small_parts_2 PARTITION OF small_parts FOR VALUES FROM (900) TO (1800);
INSERT INTO small_parts SELECT n FROM generate_series(0, 1799) AS n;
CREATE UNIQUE INDEX ON facts (n);
CREATE UNIQUE INDEX ON dimension (id);
CREATE UNIQUE INDEX ON most (id);
ANALYZE facts, dimension, most, skewed, parts, small_parts;

-- Plans a query, which raises the notices.
CREATE FUNCTION plan(query text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'EXPLAIN ' || query;
END$$;
-- What EXPLAIN gives, if it has the option.
CREATE FUNCTION explain(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    IF current_setting('server_version_num')::integer < 180000 THEN
        RETURN NULL;
    END IF;
    EXECUTE 'EXPLAIN (join_filters, FORMAT JSON) ' || query INTO plan;
    RETURN jsonb_path_query_array(plan, 'strict $.**."Runtime Filter" ? (@.type() == "string")');
END$$;

-- It is off by default.
SELECT plan('SELECT * FROM facts f LEFT JOIN dimension d ON f.k = d.id');
SET cuckoo_scan.explain_join_filter = on;

-- All queries are planned as PostgreSQL does, with filters in the finished plan: the costs that are compared differ between
-- servers. A filter, or no join.
SET cuckoo_scan.join_filter_costs = off;
SELECT plan('SELECT * FROM facts f JOIN dimension d ON f.k = d.id');
SELECT plan('SELECT * FROM facts WHERE random() < 0.5');

-- What it is worth.
SELECT plan('SELECT f.k FROM facts f JOIN most m ON f.n = m.id');
SELECT plan('SELECT * FROM dimension a JOIN dimension b ON a.g = b.g');
SELECT plan('SELECT * FROM skewed s JOIN facts f ON s.id = f.n');
SELECT plan('SELECT * FROM skewed s JOIN facts f ON s.id = f.n LIMIT 5000');
SET work_mem = '64kB';
SELECT plan('SELECT * FROM skewed s JOIN facts f ON s.id = f.n');
RESET work_mem;
SELECT plan('SELECT * FROM parts p LEFT JOIN dimension d ON p.n = d.id');
SET cuckoo_scan.join_filter_min_rows = 1000;
SELECT plan('SELECT * FROM small_parts p JOIN dimension d ON p.n = d.id');
RESET cuckoo_scan.join_filter_min_rows;

-- The kind of join.
SELECT plan('SELECT * FROM facts f LEFT JOIN dimension d ON f.k = d.id');
SELECT plan('SELECT * FROM dimension d RIGHT JOIN facts f ON f.k = d.id');
SELECT plan('SELECT * FROM facts f FULL JOIN dimension d ON f.k = d.id');
SELECT plan('SELECT * FROM skewed s RIGHT JOIN facts f ON s.id = f.n');
SELECT plan('SELECT * FROM facts f WHERE NOT EXISTS (SELECT FROM dimension d WHERE f.k = d.id)');
SET enable_mergejoin = on;
SET enable_hashjoin = off;
SELECT plan('SELECT * FROM facts f JOIN dimension d ON f.k = d.id');
SET enable_mergejoin = off;
SET enable_nestloop = on;
SELECT plan('SELECT * FROM facts f JOIN dimension d ON f.k < d.id');
SELECT plan('SELECT * FROM dimension a JOIN dimension b ON a.id < b.id');
SET enable_nestloop = off;
SET enable_hashjoin = on;

-- The keys.
SELECT plan('SELECT * FROM facts f JOIN dimension d ON f.k + 1 = d.id');
SELECT plan('SELECT * FROM facts f JOIN dimension d ON f.k = d.id + (SELECT max(x.g) FROM dimension x WHERE x.id = d.g)');

-- What is between the join and the scan.
SET enable_seqscan = off;
SELECT plan('SELECT f.n FROM facts f JOIN dimension d ON f.n = d.id WHERE f.n < 59999');
SET enable_seqscan = on;
SELECT plan('SELECT * FROM (SELECT * FROM facts LIMIT 55000) f JOIN dimension d ON f.k = d.id');
SELECT plan('WITH f AS MATERIALIZED (SELECT * FROM facts) SELECT * FROM f JOIN dimension d ON f.k = d.id');
SELECT plan('SELECT * FROM (SELECT n % 7 AS m, count(k) AS k FROM facts GROUP BY 1) f JOIN dimension d ON f.k = d.id');
SELECT plan('SELECT * FROM (SELECT DISTINCT ON (n) n, k FROM facts) f JOIN dimension d ON f.k = d.id');
SELECT plan('SELECT * FROM generate_series(1, 60000) f JOIN dimension d ON f = d.id');
SELECT plan('UPDATE facts f SET g = 1 FROM dimension d WHERE f.k = d.id');
SELECT plan('SELECT * FROM facts f TABLESAMPLE system (99) JOIN dimension d ON f.k = d.id');
SELECT plan('SELECT * FROM (SELECT f.n FROM most m LEFT JOIN facts f ON f.n = m.id OFFSET 0) q JOIN dimension d ON q.n = d.id');
SELECT plan('SELECT * FROM skewed s JOIN (SELECT n, count(*) FROM facts GROUP BY n) q ON s.id = q.n');
SELECT plan('SELECT * FROM skewed s JOIN (SELECT f.n FROM skewed t JOIN facts f ON t.id = f.n OFFSET 0) q ON s.id = q.n');
CREATE EXTENSION file_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE file (k integer) SERVER files OPTIONS (filename 'none');
SET cuckoo_scan.join_filter_min_rows = 0;
SELECT plan('SELECT * FROM file f JOIN dimension d ON f.k = d.id');
RESET cuckoo_scan.join_filter_min_rows;

-- Parallel workers.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT plan('SELECT count(*) FROM skewed s JOIN facts f ON s.id = f.k');
SET parallel_tuple_cost = 0;
SELECT plan('SELECT * FROM facts f JOIN dimension d ON f.k = d.id AND f.g + d.g <> pg_backend_pid()');
-- Workers start when the filter is complete, but whole scans share no memory by which they could get it.
SET parallel_setup_cost = 10;
ALTER TABLE parts_1 SET (parallel_workers = 0);
ALTER TABLE parts_2 SET (parallel_workers = 0);
SELECT plan('SELECT * FROM parts f JOIN dimension d ON f.n = d.id AND d.g <> pg_backend_pid() + f.n % 2');
SET max_parallel_workers_per_gather = 0;

-- A part that is executed again.
SELECT plan('SELECT (SELECT count(*) FROM facts f JOIN dimension d TABLESAMPLE system (50) ON f.k = d.id WHERE f.g > x) FROM generate_series(1, 2) x');
SELECT plan('SELECT * FROM (VALUES (1), (2)) v (x),
    LATERAL (SELECT n FROM facts f JOIN (SELECT * FROM dimension WHERE id < x) d ON f.g = d.g OFFSET 0) q');

-- The whole query.
SELECT plan('SELECT * FROM facts f JOIN dimension d ON f.k = d.id WHERE random() < 0.5');
SELECT plan('SELECT * FROM facts f JOIN (SELECT * FROM dimension FOR UPDATE) d ON f.k = d.id');
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM dimension WHERE g > 0;
SELECT plan('SELECT * FROM facts f JOIN barrier d ON f.k = d.id');
CREATE FUNCTION dimensions() RETURNS SETOF dimension STABLE LANGUAGE sql AS 'SELECT * FROM join_filter_reasons.dimension';
SELECT plan('SELECT * FROM facts f JOIN dimensions() d ON f.k = d.id');
SET cuckoo_scan.enable_filter_scan = off;
SELECT plan('SELECT * FROM facts f JOIN dimension d ON f.k = d.id');
SET cuckoo_scan.enable_filter_scan = on;

-- Since 18, EXPLAIN gives the same at the join.
SET cuckoo_scan.explain_join_filter = off;
CREATE TEMPORARY VIEW shown AS SELECT query, shown, explain(query) AS explained FROM (VALUES
    ('SELECT * FROM facts f JOIN dimension d ON f.k = d.id', '[]'),
    ('SELECT * FROM facts f LEFT JOIN dimension d ON f.k = d.id', '["none (keeps rows of f that have no match)"]'),
    ('SELECT * FROM facts f JOIN dimension d ON f.k = d.id LEFT JOIN dimension e ON f.k = e.id',
        '["none (keeps rows of the join of f, d that have no match)"]'),
    ('SELECT * FROM facts f JOIN dimension d ON f.k = d.id WHERE random() < 0.5', '["none (the query calls a volatile function)"]'),
    ('EXECUTE kept', '["none (keeps rows of f that have no match)"]'),
    ('EXECUTE off', '["none (planned while filters were off, or for a query that they could change)"]')) AS v (query, shown);
SET plan_cache_mode = force_generic_plan;
PREPARE kept AS SELECT * FROM facts f LEFT JOIN dimension d ON f.k = d.id;
PREPARE off AS SELECT * FROM facts f JOIN dimension d ON f.k = d.id;
SELECT plan('EXECUTE kept');
SET cuckoo_scan.enable_join_filter = off;
SELECT plan('EXECUTE off');
SET cuckoo_scan.enable_join_filter = on;
SELECT query, CASE WHEN explained <> shown THEN explained ELSE shown END FROM shown;

-- What a filter was worth, and took.
CREATE FUNCTION worth(options text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    lines text;
BEGIN
    FOR lines IN EXECUTE format('EXPLAIN (ANALYZE, COSTS OFF, SUMMARY OFF %s) SELECT * FROM facts f JOIN dimension d ON f.k = d.id', options) LOOP
        RETURN QUERY SELECT regexp_replace(line, 'ime(=|: )[0-9.]*[1-9][0-9.]*', 'ime\1more than 0')
        FROM regexp_split_to_table(lines, '\n *') AS line WHERE line ~ 'Runtime Filter: 1 |runtime filter|Filter Time';
    END LOOP;
END$$;
SELECT ltrim(worth(''));
SELECT ltrim(worth(', TIMING OFF'));
SELECT worth(', FORMAT YAML');
SELECT worth(', TIMING OFF, FORMAT YAML');
