-- The queries that are compared, and how.

-- What is queried: hypertables, some of their chunks, and continuous aggregates; and by which kinds of queries.
CREATE TABLE targets (state text, name text, relation text, kinds text[]);
INSERT INTO targets
SELECT h.hypertable_name, a.name, a.relation, a.kinds::text[]
FROM timescaledb_information.hypertables AS h,
LATERAL (
    SELECT 'whole' AS name, format('%I', h.hypertable_name) AS relation, '{probes, joins, changes, prepared}' AS kinds
    UNION ALL SELECT 'only', format('ONLY %I', h.hypertable_name), '{probes}'
    UNION ALL SELECT 'first chunk', min(c::oid)::regclass::text, '{probes, joins, changes, prepared}' FROM show_chunks(h.hypertable_name::regclass) AS c
    UNION ALL SELECT 'last chunk', max(c::oid)::regclass::text, '{probes, joins}' FROM show_chunks(h.hypertable_name::regclass) AS c) AS a
WHERE h.hypertable_schema = 'public' AND (a.name = 'whole' OR h.hypertable_name IN ('some_compressed', 'partly_compressed', 'all_compressed'))
UNION ALL SELECT 'plain', 'whole', 'plain', '{probes, joins, changes, prepared}'
UNION ALL SELECT 'continuous aggregates', v, v, '{probes, joins}' FROM unnest('{hourly, hourly_partly, hourly_stored}'::text[]) AS v;

-- By which rows are probed and joined: what the compressed rows are grouped by, sorted by, and others.
CREATE TABLE columns (name text, kinds text[]);
INSERT INTO columns VALUES
('device', '{probes, joins, changes, prepared}'), ('n', '{probes, joins, changes, prepared}'), ('k', '{probes, joins, changes, prepared}'),
('filled', '{probes, joins}'), ('s', '{probes}'), ('t', '{probes}');

-- Templates: T is a target, C a column. A change is a statement; anything else is a query whose rows are compared.
CREATE TABLE templates (kind text, template text);
INSERT INTO templates VALUES
('probes', 'SELECT * FROM T AS m WHERE bf_contains((SELECT bC FROM filters), m.C)'),
('probes', 'SELECT * FROM T AS m WHERE (SELECT bf_agg(C) FROM dim) @> m.C'),
('probes', 'SELECT * FROM T AS m WHERE cf_contains((SELECT cC FROM filters), m.C)'),
('probes', 'SELECT * FROM T AS m WHERE NOT (SELECT bf_agg(C) FROM dim) @> m.C AND m.v < 5'),
('probes', 'SELECT count(*), sum(m.n) FROM T AS m WHERE (SELECT bC FROM filters) @> m.C'),
('probes', 'SELECT m.device, count(*), sum(m.n) FROM T AS m WHERE (SELECT bC FROM filters) @> m.C GROUP BY m.device'),
('probes', 'SELECT * FROM (SELECT m.* FROM T AS m WHERE (SELECT bC FROM filters) @> m.C ORDER BY m.t DESC, m.n LIMIT 30) AS q'),
('probes', 'SELECT DISTINCT ON (m.device) m.device, m.n FROM T AS m WHERE (SELECT bC FROM filters) @> m.C ORDER BY m.device, m.n'),
-- Chunks are excluded when the query runs.
('probes', 'SELECT * FROM T AS m WHERE (SELECT bC FROM filters) @> m.C AND m.t >= (SELECT max(t) - interval ''36 hours'' FROM plain)'),
('joins', 'SELECT m.*, d.w FROM T AS m JOIN dim AS d ON m.C = d.C WHERE m.t >= (SELECT max(t) - interval ''36 hours'' FROM plain)'),
('joins', 'SELECT m.*, d.w FROM T AS m JOIN dim AS d ON m.C = d.C'),
-- Chunks are excluded when it is planned, and grouped by time.
('joins', 'SELECT m.*, d.w FROM T AS m JOIN dim AS d ON m.C = d.C WHERE m.t >= timestamptz ''2026-01-02 06:00'' AND m.t < timestamptz ''2026-01-03'''),
('joins', 'SELECT time_bucket(''6 hours'', m.t) AS bucket, count(*), sum(m.n), sum(d.w) FROM T AS m JOIN dim AS d ON m.C = d.C GROUP BY 1'),
('joins', 'SELECT m.n, d.w FROM T AS m JOIN dim AS d ON time_bucket(''97 minutes'', m.t, timestamptz ''2026-01-01'') = d.t AND m.C = d.C'),
('joins', 'SELECT m.*, d.w FROM T AS m JOIN dim AS d ON m.C = d.C AND m.v < d.w WHERE d.w < 20'),
('joins', 'SELECT m.*, d.w FROM dim AS d LEFT JOIN T AS m ON m.C = d.C'),
('joins', 'SELECT m.*, d.w FROM T AS m LEFT JOIN dim AS d ON m.C = d.C AND d.w < 10'),
('joins', 'SELECT m.*, d.w FROM T AS m FULL JOIN dim AS d ON m.C = d.C'),
('joins', 'SELECT * FROM T AS m WHERE m.C IN (SELECT d.C FROM dim AS d WHERE d.w < 20)'),
('joins', 'SELECT * FROM T AS m WHERE NOT EXISTS (SELECT FROM dim AS d WHERE d.C = m.C AND d.w < 20)'),
('joins', 'SELECT * FROM dim AS d WHERE EXISTS (SELECT FROM T AS m WHERE d.C = m.C AND m.v = 3)'),
('joins', 'SELECT * FROM dim AS d WHERE NOT EXISTS (SELECT FROM T AS m WHERE d.C = m.C AND m.v = 3)'),
('joins', 'SELECT m.n, p.s FROM plain AS p JOIN T AS m ON m.n = p.n AND m.C = p.C WHERE m.device = 3'),
('joins', 'SELECT m.n, p.s FROM plain AS p JOIN T AS m ON m.n = p.n AND m.C = p.C WHERE p.device = 3'),
('joins', 'SELECT m.n, o.s FROM T AS m JOIN T AS o ON m.n = o.n AND m.C = o.C WHERE o.device = 3'),
('joins', 'SELECT m.n, o.s FROM T AS m JOIN all_compressed AS o ON m.n = o.n AND m.C = o.C WHERE o.k < 50'),
('joins', 'SELECT m.n, o.s FROM T AS m JOIN partly_compressed AS o ON m.n = o.n AND m.C = o.C WHERE m.k < 50'),
('joins', 'SELECT m.n, p.s, d.w FROM T AS m JOIN plain AS p ON m.n = p.n JOIN dim AS d ON d.C = p.C WHERE d.w < 20'),
('joins', 'SELECT q.*, d.w FROM (SELECT m.C, count(*), sum(n) FROM T AS m GROUP BY m.C) AS q JOIN dim AS d ON d.C = q.C'),
('joins', 'SELECT q.*, d.w FROM (SELECT m.C, m.s AS y FROM T AS m UNION ALL SELECT p.C, p.s FROM plain AS p) AS q JOIN dim AS d ON d.C = q.C'),
('joins', 'SELECT m.*, d.w FROM T AS m JOIN dim AS d ON m.C = d.C WHERE (SELECT bk FROM filters) @> m.k'),
('joins', 'SELECT d.w, q.n FROM dim AS d, LATERAL (SELECT m.n FROM T AS m WHERE m.C = d.C ORDER BY m.n LIMIT 2) AS q'),
('changes', 'SELECT * FROM T AS m WHERE (SELECT bC FROM filters) @> m.C FOR UPDATE'),
('changes', 'SELECT m.* FROM T AS m JOIN dim AS d ON d.C = m.C FOR UPDATE OF m'),
('changes', 'DELETE FROM T AS m WHERE (SELECT bf_agg(C) FROM dim) @> m.C'),
('changes', 'DELETE FROM T AS m WHERE cf_contains((SELECT cC FROM filters), m.C) AND m.v < 5'),
('changes', 'DELETE FROM T AS m USING dim AS d WHERE d.C = m.C'),
('changes', 'DELETE FROM T AS m WHERE m.C IN (SELECT d.C FROM dim AS d)'),
('changes', 'DELETE FROM T AS m WHERE NOT EXISTS (SELECT FROM dim AS d WHERE d.C = m.C)'),
('changes', 'DELETE FROM T AS m USING plain AS p WHERE m.n = p.n AND p.device = 3 AND m.C = p.C'),
('changes', 'DELETE FROM T AS m USING all_compressed AS o WHERE m.n = o.n AND o.device = 3 AND m.C = o.C'),
('changes', 'DELETE FROM dim AS d USING T AS m WHERE d.C = m.C AND m.v = 3'),
('changes', 'DELETE FROM plain AS p USING T AS m WHERE p.n = m.n AND m.device = 3 AND m.C = p.C'),
('changes', 'UPDATE T AS m SET v = v + 1 WHERE (SELECT bf_agg(C) FROM dim) @> m.C'),
('changes', 'UPDATE T AS m SET v = v + 1 FROM dim AS d WHERE d.C = m.C'),
('changes', 'UPDATE plain AS p SET v = p.v + 1 FROM T AS m WHERE p.n = m.n AND m.C = p.C AND m.device = 3'),
('changes', 'WITH q AS (DELETE FROM T AS m WHERE (SELECT bC FROM filters) @> m.C RETURNING *) INSERT INTO plain SELECT q.* FROM q JOIN plain AS p USING (n)'),
('changes', 'INSERT INTO plain SELECT m.* FROM T AS m JOIN dim AS d ON d.C = m.C'),
('changes', 'INSERT INTO T SELECT m.* FROM T AS m WHERE (SELECT bC FROM filters) @> m.C'),
('changes', 'INSERT INTO T SELECT m.* FROM T AS m JOIN dim AS d ON d.C = m.C'),
('changes', 'MERGE INTO T AS m USING (SELECT * FROM plain AS p WHERE p.n < 1000) AS p ON p.n = m.n AND (SELECT bC FROM filters) @> m.C WHEN NOT MATCHED THEN INSERT (t, device, n, k, s) VALUES (p.t, p.device, p.n, p.k, p.s)'),
('changes', 'MERGE INTO T AS m USING (SELECT DISTINCT C FROM dim) AS d ON d.C = m.C WHEN MATCHED THEN UPDATE SET v = m.v + 1'),
('changes', 'MERGE INTO T AS m USING plain AS p ON p.n = m.n AND p.t = m.t AND p.device = 3 WHEN MATCHED AND (SELECT bC FROM filters) @> m.C THEN DELETE'),
('changes', 'MERGE INTO plain AS p USING (SELECT * FROM T AS m WHERE m.device = 3) AS m ON p.n = m.n AND p.C = m.C WHEN MATCHED THEN UPDATE SET v = p.v + 1'),
('prepared', 'SELECT * FROM T AS m WHERE bf_contains($1, m.C)'),
('prepared', 'SELECT m.* FROM T AS m JOIN dim AS d ON m.C = d.C WHERE (SELECT $1 OFFSET 0) @> d.C'),
('prepared', 'DELETE FROM T AS m WHERE bf_contains($1, m.C)'),
('prepared', 'DELETE FROM T AS m USING dim AS d WHERE m.C = d.C AND (SELECT $1 OFFSET 0) @> d.C');

CREATE TABLE queries (id integer GENERATED ALWAYS AS IDENTITY, state text, kind text, target text, relation text, c text, query text);
INSERT INTO queries (state, kind, target, relation, c, query)
SELECT state, kind, t.name, relation, c.name, regexp_replace(regexp_replace(template, '\mT\M', relation, 'g'), '\m([bcmdpoq]\.)?([bc]?)C\M', '\1\2' || c.name, 'g')
FROM targets AS t, columns AS c, templates
WHERE kind = ANY (t.kinds) AND kind = ANY (c.kinds)
-- TimescaleDB does not merge into tables that may be compressed.
AND (template !~ '^MERGE INTO T' OR state IN ('plain', 'never_compressed'));
\if :licensed
\else
-- Rows that are elsewhere cannot be locked.
DELETE FROM queries WHERE query ~ 'FOR UPDATE' AND state ~ '(some|partly|all)_compressed';
\endif

-- The tables that hold compressed rows, with the column that is not compressed.
INSERT INTO queries (state, kind, target, relation, c, query)
SELECT h.hypertable_name, kind, 'compressed rows', z.relation, 'device', replace(template, 'Z', z.relation)
FROM timescaledb_information.hypertables AS h,
LATERAL (SELECT compress_relid::regclass::text AS relation FROM show_chunks(h.hypertable_name::regclass) AS c
    JOIN _timescaledb_catalog.compression_settings ON relid = c WHERE compress_relid IS NOT NULL) AS z,
(VALUES ('probes', 'SELECT z.ctid, z.device FROM Z AS z WHERE (SELECT bdevice FROM filters) @> z.device'),
    ('joins', 'SELECT z.ctid, z.device FROM Z AS z JOIN dim AS d USING (device)')) AS t (kind, template)
WHERE h.hypertable_schema = 'public';

CREATE TABLE results (loading text, id integer, result text, plan text, PRIMARY KEY (loading, id));

CREATE FUNCTION checksum_of(query text) RETURNS text RETURN
    format('SELECT concat_ws('' rows: '', count(*), sum(hashtext(q::text)::bigint)) FROM (%s) AS q', query);

-- What a query returns, or what a change leaves; the change is undone.
CREATE FUNCTION result_of(statement text, is_change boolean, relation text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    changed bigint;
    result text;
    part text;
BEGIN
    IF NOT is_change THEN
        EXECUTE statement INTO result;
        RETURN result;
    END IF;
    EXECUTE statement;
    GET DIAGNOSTICS changed = ROW_COUNT;
    result := changed || ' changed';
    SET LOCAL cuckoo_scan.enable_filter_scan = off;
    SET LOCAL cuckoo_scan.enable_join_filter = off;
    FOREACH relation IN ARRAY ARRAY[relation, 'plain', 'dim'] LOOP
        EXECUTE checksum_of('SELECT * FROM ' || relation) INTO part;
        result := result || ', ' || part;
    END LOOP;
    RAISE SQLSTATE 'UU000' USING MESSAGE = result;
EXCEPTION
    WHEN SQLSTATE 'UU000' THEN
        RETURN SQLERRM;
    WHEN OTHERS THEN
        RETURN 'ERROR: ' || SQLERRM;
END $$;

-- The nodes of a plan that matter here.
CREATE FUNCTION nodes_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (COSTS OFF, FORMAT json) ' || statement INTO plan;
    RETURN (SELECT string_agg(m[1], ' ') FROM regexp_matches(plan::text, '"(Cuckoo\w+|ColumnarScan|OtherScan|ChunkAppend|Gather[ \w]*)"', 'g') AS m);
EXCEPTION
    WHEN OTHERS THEN
        RETURN 'ERROR: ' || SQLERRM;
END $$;

CREATE PROCEDURE run(loading text) LANGUAGE plpgsql AS $$
DECLARE
    q queries;
    is_change boolean;
    statement text;
    filter text;
BEGIN
    SET cuckoo_scan.join_filter_min_rows = 0;
    SET min_parallel_table_scan_size = 0;
    SET parallel_setup_cost = 0;
    SET parallel_tuple_cost = 0;
    SET plan_cache_mode = force_generic_plan;
    FOR q IN SELECT * FROM queries ORDER BY kind IN ('changes', 'prepared'), id LOOP
        is_change := q.query !~ '^SELECT' OR q.kind = 'changes';
        -- Every other query in parallel, and two of three with no joins but hash joins.
        PERFORM set_config('max_parallel_workers_per_gather', (q.id % 2 * 2)::text, false);
        PERFORM set_config(s, CASE q.id % 3 WHEN 0 THEN 'on' ELSE 'off' END, false)
        FROM unnest('{enable_nestloop, enable_mergejoin}'::text[]) AS s;
        -- Where rows are in the heap, too, or are moved there, both are read.
        PERFORM set_config('takes_over.mode', CASE WHEN is_change OR q.kind = 'prepared' OR q.query ~ 'partly' THEN 'append' ELSE 'replace' END, false);
        statement := CASE WHEN is_change THEN q.query ELSE checksum_of(q.query) END;
        IF q.kind = 'prepared' THEN
            EXECUTE 'PREPARE prepared(bloomfilter) AS ' || statement;
            EXECUTE format('SELECT b%s FROM filters', q.c) INTO filter;
            statement := format('EXECUTE prepared(%L)', filter);
        END IF;
        INSERT INTO results VALUES (loading, q.id, result_of(statement, is_change, q.relation), nodes_of(statement));
        IF q.kind = 'prepared' THEN
            DEALLOCATE prepared;
        END IF;
        COMMIT;
    END LOOP;
END $$;

CREATE VIEW differences AS
SELECT r.loading, q.*, r.plan, r.result, e.result AS expected
FROM queries AS q, results AS r, results AS e
WHERE r.id = q.id AND e.id = q.id AND e.loading = 'without' AND r.result <> e.result;
