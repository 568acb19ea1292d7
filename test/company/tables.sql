-- What the queries read. `facts` is large enough for filters, and few of its rows match.
CREATE EXTENSION cuckoo_filter;
CREATE EXTENSION pg_stat_statements;
CREATE EXTENSION pg_hint_plan;
CREATE EXTENSION pg_qualstats;
CREATE EXTENSION pg_cron;
CREATE EXTENSION timescaledb;
CREATE EXTENSION vector;
CREATE EXTENSION hll;
CREATE EXTENSION roaringbitmap;

CREATE TABLE facts AS
SELECT n, n % 1000 AS k, n % 10 AS g, 'v' || n % 300 AS s, ARRAY[n % 7, n % 11, n % 13]::vector(3) AS v
FROM generate_series(1, 60000) AS n;
CREATE TABLE keys AS SELECT n * 10 AS id, n % 7 AS g, 's' || n AS s FROM generate_series(1, 20) AS n;
CREATE INDEX facts_k ON facts (k);
CREATE INDEX keys_id ON keys (id);
ALTER TABLE facts ADD PRIMARY KEY (n);
CREATE TABLE filters AS SELECT bf_agg(id) AS b, cf_agg(id) AS c FROM keys;

CREATE TABLE parted (n integer, k integer) PARTITION BY RANGE (k);
CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (500);
CREATE TABLE parted_high PARTITION OF parted FOR VALUES FROM (500) TO (1000);
INSERT INTO parted SELECT n, k FROM facts;

CREATE TABLE bitmaps AS SELECT g, rb_build_agg(n) AS ns, hll_add_agg(hll_hash_integer(k)) AS ks FROM facts GROUP BY g;
CREATE TABLE items AS SELECT id, ARRAY[id % 7, id % 11, id % 13]::vector(3) AS v FROM keys;

CREATE TABLE metrics (t timestamptz NOT NULL, device integer, value integer);
SELECT create_hypertable('metrics', by_range('t', interval '1 day'));
INSERT INTO metrics
SELECT timestamptz '2026-01-01' + n * interval '6 seconds', n % 1000, n % 100 FROM generate_series(0, 57599) AS n;

CREATE TABLE cron_results (rows bigint, sum bigint);

-- Rights: a reader has some columns, and some rows.
CREATE ROLE reader LOGIN;
CREATE TABLE secret AS SELECT n, k, g FROM facts;
CREATE TABLE rows_of_reader AS SELECT n, k, g FROM facts;
ALTER TABLE rows_of_reader ENABLE ROW LEVEL SECURITY;
CREATE POLICY few_rows ON rows_of_reader USING (g < 3);
CREATE VIEW barrier WITH (security_barrier) AS SELECT n, k FROM secret WHERE g = 1;
GRANT SELECT ON keys, filters, rows_of_reader, barrier TO reader;
GRANT SELECT (k) ON secret TO reader;

-- The nodes of a plan, with the aliases of its tables, and filters shown as what they are to others.
CREATE FUNCTION nodes(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE regexp_replace(query, '^(/\*.*\*/)?', '\1 EXPLAIN (COSTS OFF, FORMAT JSON) ') INTO plan;
    RETURN (SELECT string_agg(CASE node->>'Custom Plan Provider' WHEN 'CuckooFilterScan' THEN 'Seq Scan' ELSE node->>'Node Type' END
            || coalesce(' ' || (node->>'Alias'), ''), ', ')
        FROM jsonb_path_query(plan::jsonb, 'strict $.** ? (exists (@."Node Type"))') AS node
        WHERE node->>'Custom Plan Provider' IS DISTINCT FROM 'CuckooRuntimeFilter');
END $$;
VACUUM ANALYZE;
