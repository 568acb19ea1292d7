-- The Star Schema Benchmark: each query in several modes, one after the other in each repetition. Run by test/bench/run,
-- which sets scale, repetitions, workers (of parallel plans), modes (names, separated by commas; empty: all), queries (the
-- text of queries.sql), and what measure.sql expects. Leaves the ratios in the view report.
\ir ../measure.sql

-- How a query is run: with its filters or without them, and with which settings. The plain mode is the first one. A target
-- is for the time in relation to that.
CREATE TABLE modes (number serial, mode text, has_filters boolean, settings jsonb, target_mean float8, target_most float8);
INSERT INTO modes (mode, has_filters, settings, target_mean, target_most) VALUES
    ('plain', false, '{}', NULL, NULL),
    ('filter scan', true, '{}', 0.40, 0.55),
    ('join filter', false, '{"cuckoo_scan.enable_join_filter": "on"}', 0.30, 0.45),
    ('conditions', true, '{"cuckoo_scan.enable_filter_scan": "off"}', NULL, NULL);
DELETE FROM modes WHERE number > 1 AND :'modes' <> '' AND mode <> ALL (string_to_array(:'modes', ','));

LOAD 'cuckoo_scan';

\echo '   data'
\ir generate.sql
CALL settle('lineorder', 'customer', 'supplier', 'part', 'date');

CREATE TABLE queries AS
SELECT parts[1] AS name, parts[2] AS statement
FROM regexp_matches(:'queries', E'-- (\\d\\.\\d)\\n(.*?);(?:\\n|$)', 'g') AS parts;

-- What sets a mode, the query in it, and what resets it.
CREATE VIEW runs AS
SELECT number, name, mode,
    coalesce((SELECT string_agg(format('SET %s = %L; ', key, value), '') FROM jsonb_each_text(settings)), '') AS set,
    CASE WHEN has_filters THEN statement ELSE regexp_replace(statement, '^ *AND bf_contains\(.*\n', '', 'gn') END AS query,
    coalesce((SELECT string_agg(format('; RESET %s', key), '') FROM jsonb_each_text(settings)), '') AS reset
FROM queries, modes;

SET work_mem = '256MB';
SELECT set_config('max_parallel_workers_per_gather', :'workers', false) AS ignored \gset

\echo '   results'
-- Every mode must have the same rows as the first.
CREATE TABLE results (name text, number int, scans bigint, rows bigint, md5 text);
CREATE PROCEDURE get_results(all_have_rows boolean) LANGUAGE plpgsql AS $$
DECLARE
    one runs;
    plan jsonb;
BEGIN
    FOR one IN SELECT * FROM runs LOOP
        EXECUTE one.set || 'SELECT';
        EXECUTE 'EXPLAIN (FORMAT json) ' || one.query INTO plan;
        EXECUTE format('INSERT INTO results SELECT %L, %s, %s, count(*), md5(string_agg(q::text, E''\n'' ORDER BY q::text))
            FROM (%s) AS q', one.name, one.number,
            (SELECT count(*) FROM regexp_matches(plan::text, 'CuckooFilterScan', 'g')), one.query);
        EXECUTE 'SELECT' || one.reset;
    END LOOP;
    FOR one IN SELECT r.* FROM runs AS r JOIN results AS x USING (name, number) JOIN results AS plain USING (name)
        WHERE plain.number = 1 AND (x.rows, x.md5) IS DISTINCT FROM (plain.rows, plain.md5) LOOP
        RAISE 'query % has other rows with %', one.name, one.mode;
    END LOOP;
    ASSERT (SELECT count(*) = 13 FROM queries), 'other queries than 13';
    ASSERT NOT all_have_rows OR (SELECT bool_and(rows > 0) FROM results), format('queries without rows: %s',
        (SELECT string_agg(name, ', ') FROM results WHERE rows = 0));
END $$;
CALL get_results(:scale >= 1);

\echo '   times'
SELECT format('CALL measure(%L, 1, %s, %L, %L)', 'star ' || name, :'repetitions',
    array_agg(ARRAY[mode, set || query || reset] ORDER BY number), :'has_schedstat'::boolean AND :'workers' = '0')
FROM runs GROUP BY name ORDER BY name \gexec

-- The ratio to the plain query in the same repetition: median, least, greatest.
CREATE VIEW ratios AS
SELECT name, number, mode, scans, min(seconds) AS best, percentile_cont(0.5) WITHIN GROUP (ORDER BY ratio) AS median,
    min(ratio) AS least, max(ratio) AS greatest
FROM (SELECT substr(m.topic, 6) AS name, m.contender AS mode, m.value AS seconds, m.value / plain.value AS ratio
      FROM measurements AS m JOIN measurements AS plain USING (topic, repetition)
      WHERE plain.contender = (SELECT mode FROM modes ORDER BY number LIMIT 1)) AS measured
    JOIN modes USING (mode) JOIN results USING (name, number)
GROUP BY name, number, mode, scans;

CREATE VIEW totals AS
SELECT number, exp(avg(ln(median))) AS mean, min(median) AS least, max(median) AS most FROM ratios WHERE number > 1 GROUP BY number;

-- A table in Markdown.
CREATE FUNCTION shown(format text, VARIADIC figures numeric[]) RETURNS text LANGUAGE sql AS
    'SELECT format(format, VARIADIC array_agg(round(f, 2)::text)) FROM unnest(figures) AS f';
CREATE VIEW report AS
SELECT 1 AS section, '' AS name,
    format('| query | plain | %s |', string_agg(mode || ' | spread', ' | ' ORDER BY number)) AS line
FROM modes WHERE number > 1
UNION ALL
SELECT 2, '', '|---|--:|' || repeat('--:|--:|', count(*)::int) FROM modes WHERE number > 1
UNION ALL
SELECT 3, name, format('| %s | %s ms | ', name, round((min(best) FILTER (WHERE number = 1) * 1000)::numeric)) ||
    string_agg(shown('%s | %s to %s |', median::numeric, least::numeric, greatest::numeric), ' ' ORDER BY number)
    FILTER (WHERE number > 1)
FROM ratios GROUP BY name
UNION ALL
SELECT 4, '', '| geometric mean | | ' || string_agg(shown('%s | |', mean::numeric), ' ' ORDER BY number) FROM totals
UNION ALL
SELECT 5, '', '| least | | ' || string_agg(shown('%s | |', least::numeric), ' ' ORDER BY number) FROM totals
UNION ALL
SELECT 6, '', '| greatest | | ' || string_agg(shown('%s | |', most::numeric), ' ' ORDER BY number) FROM totals;

-- What the tables do not show: targets that are missed, and queries whose filters no filter scan, or several, evaluated.
CREATE VIEW missed AS
SELECT 1 AS section, '' AS name, format('%s: mean %s and greatest %s, not %s and %s', mode, round(mean::numeric, 2),
    round(most::numeric, 2), target_mean, target_most) AS line
FROM totals JOIN modes USING (number) WHERE mean > target_mean OR most > target_most
UNION ALL
SELECT 2, name, format('%s, %s: %s filter scans', name, mode, scans) FROM ratios JOIN modes USING (number, mode)
WHERE target_mean IS NOT NULL AND scans <> 1;
