-- The queries of a benchmark with join filters off and on, one after the other in each repetition. Run by test/bench/run in
-- a server with the settings of a configuration, after load.sql. It sets benchmark, folder (as for load.sql), configuration
-- (its name, and that of the schema for what is made here, which is in search_path), repetitions, limit (in seconds, for a
-- query), baseline (empty, or another build: see builds.sql), library (the file under test), and has_schedstat. Leaves the
-- ratios in the views report and summary, and the plans in the table runs. If only_plans, compares plans, and measures nothing.
CREATE SCHEMA :"configuration";
CREATE TABLE measurements (LIKE public.measurements);

LOAD 'cuckoo_scan';
-- The last digits of a sum depend on the order of the rows.
SET extra_float_digits = -3;

-- In the order of their numbers. A query with a problem is left out.
CREATE TABLE queries AS
SELECT name, row_number() OVER (ORDER BY substring(name, '\d+')::int, name) AS number, NULL AS problem, false AS differs,
    rtrim(pg_read_file(:'folder' || '/queries/' || file), E'; \n') AS statement
FROM pg_ls_dir(:'folder' || '/queries') AS file, left(file, -4) AS name;

SELECT :'baseline' <> '' AS has_baseline \gset
\if :has_baseline
\ir ../builds.sql
\q
\endif

-- Each with join filters off and on: the result, for how many seconds it was computed, and the plan.
CREATE TABLE runs (name text, contender text, rows bigint, md5 text, seconds float8, plan text, PRIMARY KEY (name, contender));

-- A plan that has no filter is the one without the library, with the same costs.
CREATE PROCEDURE compare_plans(one text) LANGUAGE plpgsql AS $$
DECLARE
    query text := (SELECT statement FROM queries WHERE name = one);
    plans text[];
    setting text;
    line text;
BEGIN
    FOREACH setting IN ARRAY ARRAY['off', 'on'] LOOP
        PERFORM set_config('cuckoo_scan.enable_join_filter', setting, false);
        plans := array_append(plans, '');
        FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
            plans[cardinality(plans)] := concat(plans[cardinality(plans)], line, E'\n');
        END LOOP;
    END LOOP;
    IF plans[2] NOT LIKE '%CuckooRuntimeFilter%' AND plans[1] <> plans[2] THEN
        RAISE WARNING E'%\n%\n%', one, plans[1], plans[2];
        UPDATE queries SET differs = true, problem = 'another plan without a filter' WHERE name = one;
    END IF;
END $$;
SELECT format('CALL compare_plans(%L)', name) FROM queries ORDER BY number \gexec
\if :only_plans
\q
\endif

CREATE FUNCTION get_md5(query text, OUT rows bigint, OUT md5 text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT count(*), md5(string_agg(q::text, E''\n'' ORDER BY q::text COLLATE "C")) FROM (%s) AS q', query)
    INTO rows, md5;
END $$;

CREATE PROCEDURE get_result(one text, setting text) LANGUAGE plpgsql AS $$
DECLARE
    query text := (SELECT statement FROM queries WHERE name = one AND problem IS NULL);
    start timestamptz := clock_timestamp();
    complaint text;
BEGIN
    IF query IS NULL THEN
        RETURN;
    END IF;
    PERFORM set_config('cuckoo_scan.enable_join_filter', setting, false);
    INSERT INTO runs (name, contender, rows, md5) SELECT one, setting, found.* FROM get_md5(query) AS found;
    UPDATE runs SET seconds = extract(epoch FROM clock_timestamp() - start) WHERE name = one AND contender = setting;
EXCEPTION
    WHEN query_canceled OR OTHERS THEN
        complaint := CASE setting WHEN 'on' THEN 'with filters: ' ELSE '' END || SQLERRM;
        UPDATE queries SET problem = complaint, differs = setting = 'on' WHERE name = one;
END $$;

-- Other rows are an error, unless all have the same rows without the LIMIT, which may choose between rows that are equal by
-- ORDER BY.
CREATE PROCEDURE compare_results(one text) LANGUAGE plpgsql AS $$
DECLARE
    query text := (SELECT regexp_replace(statement, '\s+limit \d+$', '', 'i') FROM queries WHERE name = one);
    results text[];
    setting text;
BEGIN
    IF (SELECT count(DISTINCT (rows, md5)) < 2 FROM runs WHERE name = one) THEN
        RETURN;
    END IF;
    FOREACH setting IN ARRAY ARRAY['off', 'on'] LOOP
        PERFORM set_config('cuckoo_scan.enable_join_filter', setting, false);
        results := results || get_md5(query)::text;
    END LOOP;
    UPDATE queries SET differs = true, problem = 'other rows with filters' WHERE name = one AND results[1] <> results[2];
END $$;

CREATE PROCEDURE get_plans(one text) LANGUAGE plpgsql AS $$
DECLARE
    query text := (SELECT statement FROM queries WHERE name = one AND (problem IS NULL OR differs));
    setting text;
    line text;
BEGIN
    FOR setting IN SELECT contender FROM runs WHERE name = one AND query IS NOT NULL LOOP
        PERFORM set_config('cuckoo_scan.enable_join_filter', setting, false);
        FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS) ' || query LOOP
            UPDATE runs SET plan = concat(plan, line, E'\n') WHERE name = one AND contender = setting;
        END LOOP;
    END LOOP;
END $$;

-- Measures a query, and only its planning. A short one is executed several times in each repetition. There are fewer
-- repetitions if these would take more than a minute. A star join is also compared with counting the rows of its facts.
CREATE PROCEDURE measure_query(benchmark text, one text, repetitions int, of_processor boolean) LANGUAGE plpgsql AS $$
DECLARE
    query text := (SELECT statement FROM queries WHERE name = one AND problem IS NULL);
    once float8 := (SELECT max(seconds) FROM runs WHERE name = one);
    topic text;
    plans boolean;
    counted text[] := CASE benchmark WHEN 'star' THEN ARRAY['count'] END;
    contender text;
    times int;
    start float8;
    taken float8;
BEGIN
    IF query IS NULL THEN
        RETURN;
    END IF;
    FOREACH topic IN ARRAY ARRAY[benchmark || ' ', benchmark || ' planning '] LOOP
        plans := topic LIKE '% planning ';
        IF plans THEN
            query := 'EXPLAIN ' || query;
            counted := NULL;
            start := seconds(of_processor, plans);
            EXECUTE query;
            once := seconds(of_processor, plans) - start;
        END IF;
        times := executions(once);
        FOR repetition IN 1 .. least(repetitions, greatest(30 / once, 1)) LOOP
            FOREACH contender IN ARRAY CASE repetition % 2 WHEN 1 THEN '{off,on}' ELSE '{on,off}' END::text[] || counted LOOP
                PERFORM set_config('cuckoo_scan.enable_join_filter', (contender = 'on')::text, false);
                start := seconds(of_processor, plans);
                FOR n IN 1 .. times LOOP
                    EXECUTE CASE contender WHEN 'count' THEN 'SELECT count(*) FROM lineorder' ELSE query END;
                END LOOP;
                taken := seconds(of_processor, plans) - start;
                INSERT INTO measurements VALUES (topic || one, contender, 1, repetition, taken / times);
            END LOOP;
        END LOOP;
    END LOOP;
END $$;

\echo '   queries'
SELECT format('SET statement_timeout = %L', :'limit' || 's'), format('CALL get_result(%L, ''off'')', name),
    format('CALL get_result(%L, ''on'')', name), 'RESET statement_timeout', format('CALL compare_results(%L)', name),
    format('CALL get_plans(%L)', name),
    format('CALL measure_query(%L, %L, %s, %L)', :'benchmark', name, :'repetitions', :'has_schedstat')
FROM queries ORDER BY number \gexec

-- For each query, and for its planning: the ratio of the time with filters to the time without, or to counting, in the same
-- repetition, and the difference in milliseconds.
CREATE VIEW compared AS
SELECT substring(topic, '\S+$') AS name, topic LIKE '% planning %' AS is_planning, plain.contender, min(plain.value) AS plain,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY m.value / plain.value) AS median,
    min(m.value / plain.value) AS least, max(m.value / plain.value) AS greatest,
    1000 * percentile_cont(0.5) WITHIN GROUP (ORDER BY m.value - plain.value) AS more
FROM measurements AS m JOIN measurements AS plain USING (topic, repetition)
WHERE m.contender = 'on' AND plain.contender <> 'on'
GROUP BY topic, plain.contender;

CREATE VIEW ratios AS
SELECT number, c.*, p.median AS planning, p.more AS planning_more,
    (SELECT median FROM compared AS of WHERE of.name = c.name AND of.contender = 'count') AS of_counting,
    (SELECT count(*) FROM runs, regexp_matches(plan, 'CuckooRuntimeFilter', 'g')
     WHERE runs.name = c.name AND contender = 'on') AS filters
FROM queries JOIN compared AS c USING (name) JOIN compared AS p USING (name)
WHERE c.contender = 'off' AND NOT c.is_planning AND p.is_planning;

CREATE FUNCTION shown(format text, VARIADIC figures float8[]) RETURNS text LANGUAGE sql AS
    'SELECT format(format, VARIADIC array_agg(round(f::numeric, 2)::text)) FROM unnest(figures) AS f';

-- A table in Markdown, and what is notable. Documents leave out the queries without a filter.
CREATE VIEW report AS
SELECT 1 AS section, 0 AS number, true AS in_documents,
    '| query | filters | plain | ratio | spread | more | planning, ratio |' AS line
UNION ALL
SELECT 2, 0, true, '|---|--:|--:|--:|--:|--:|--:|'
UNION ALL
SELECT 3, number, filters > 0, format('| %s | %s | ', name, filters) ||
    shown('%s ms | %s | %s to %s | %s ms | %s |', 1000 * plain, median, least, greatest, more, planning)
FROM ratios
UNION ALL
SELECT 4, 0, true, format('| geometric mean of %s with filters | | | ', count(*)) ||
    shown('%s | | | %s |', exp(avg(ln(median))), exp(avg(ln(planning))))
FROM ratios WHERE filters > 0 HAVING count(*) > 0
UNION ALL
SELECT 5, 0, true, format('| geometric mean of %s without | | | ', count(*)) ||
    shown('%s | %s to %s | | %s |', exp(avg(ln(median))), min(median), max(median), exp(avg(ln(planning))))
FROM ratios WHERE filters = 0 HAVING count(*) > 0
UNION ALL
SELECT 6, 0, true, format('| geometric mean of all %s | | | ', count(*)) ||
    shown('%s | | | %s |', exp(avg(ln(median))), exp(avg(ln(planning))))
FROM ratios
UNION ALL
SELECT 7, 0, true, shown('| all together | | %s ms | %s | | %s ms | |', 1000 * sum(plain), 1 + sum(more) / 1000 / sum(plain),
    sum(more))
FROM ratios
UNION ALL
SELECT 8, 0, true, E'\nAbove 1.03: ' ||
    coalesce(string_agg(name || shown(' (%s', median) || CASE filters WHEN 0 THEN ', no filter)' ELSE ')' END, ', '
        ORDER BY number), 'none') || '.'
FROM ratios WHERE median > 1.03
UNION ALL
SELECT 9, 0, true, E'\nMore than 2 ms more: ' ||
    coalesce(string_agg(name || shown(' (%s ms', more) || CASE filters WHEN 0 THEN ', no filter)' ELSE ')' END, ', '
        ORDER BY number), 'none') || '.'
FROM ratios WHERE more > 2
UNION ALL
SELECT 10, 0, true, shown(E'\nPlanning, at most: %s of the time, %s ms more.', max(planning), max(planning_more)) FROM ratios
UNION ALL
SELECT 11, 0, true, E'\nLeft out: ' ||
    coalesce(string_agg(format('%s (%s)', name, problem), ', ' ORDER BY number), 'none') || '.'
FROM queries WHERE problem IS NOT NULL;

-- A row of the table of all benchmarks, whose head is in test/bench/run.
CREATE VIEW summary AS
SELECT concat_ws(' | ', '| ' || (jsonb '{"star": "Star Schema Benchmark", "skewed": "skewed data",
        "chains": "foreign keys", "tpch": "TPC-H", "tpcds": "TPC-DS"}' ->> :'benchmark'), :'configuration',
    concat(count(*), ' of ' || nullif((SELECT count(*) FROM queries), count(*))), count(*) FILTER (WHERE filters > 0),
    shown('%s', exp(avg(ln(median)))),
    (array_agg(name || shown(': %s', median) ORDER BY median))[1],
    (array_agg(name || shown(': %s', median) ORDER BY median DESC))[1],
    coalesce(string_agg(name || shown(': %s (%s ms)', median, more), ', ' ORDER BY number)
        FILTER (WHERE median > 1.1 AND more > 3), 'none'),
    shown('%s | %s', exp(avg(ln(planning))), max(planning)),
    CASE WHEN count(of_counting) = 0 THEN '| |' ELSE shown('%s | %s to %s |',
        percentile_cont(0.5) WITHIN GROUP (ORDER BY of_counting), min(of_counting), max(of_counting)) END) AS line
FROM ratios;
