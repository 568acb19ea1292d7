-- Join filters of two builds of the library: of an old one, in the file baseline, and of the one under test. A process can
-- load only one, so each has a session of its own, to which this one connects by dblink. Included by queries/queries.sql,
-- which leaves the table queries, and says what is set. Leaves what that does, without a summary.
CREATE EXTENSION IF NOT EXISTS dblink SCHEMA public;

CREATE TABLE runs (name text, contender text, has_limit boolean, rows bigint, md5 text, seconds float8, plan text);

-- The last digits of a sum depend on the order of the rows.
SELECT dblink_connect(contender, format('host=%s port=%s user=%s dbname=%s', :'HOST', :'PORT', :'USER', :'DBNAME')),
    dblink_exec(contender, format('LOAD %L; SET cuckoo_scan.enable_join_filter = on;
        SET extra_float_digits = -3; SET statement_timeout = ''%ss''', library, :'limit'))
FROM (VALUES ('old', :'baseline'), ('new', :'library')) AS builds (contender, library) \g /dev/null

-- In the session of a build: the result of a query, and its plan. The statement that has the result must not contain a
-- volatile function, with which there would be no filters.
CREATE PROCEDURE get_result(one text, build text, has_limit boolean, query text) LANGUAGE plpgsql AS $$
DECLARE
    start timestamptz := clock_timestamp();
    line text;
    found record;
    seconds float8;
    plan text;
BEGIN
    EXECUTE format('SELECT count(*), md5(string_agg(q::text, E''\n'' ORDER BY q::text COLLATE "C")) FROM (%s) AS q', query)
    INTO found;
    seconds := extract(epoch FROM clock_timestamp() - start);
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
        plan := concat(plan, line, E'\n');
    END LOOP;
    INSERT INTO runs VALUES (one, build, has_limit, found.count, found.md5, seconds, plan);
END $$;

-- Whether a query has other rows, and another plan: other nodes, whatever these say of themselves.
CREATE VIEW differences AS
SELECT name, has_limit, count(DISTINCT (rows, md5)) > 1 AS other_rows,
    count(DISTINCT regexp_replace(plan, '\n *[^- \n][^\n]*', '', 'g')) > 1 AS other_plan
FROM runs GROUP BY name, has_limit;

-- A LIMIT may choose between rows that are equal by ORDER BY: if rows differ, they are compared without it, too.
CREATE PROCEDURE get_results(one text) LANGUAGE plpgsql AS $$
DECLARE
    query text := (SELECT statement FROM queries WHERE name = one);
    build text;
    complaint text;
BEGIN
    FOR has_limit IN REVERSE 1 .. 0 LOOP
        FOREACH build IN ARRAY ARRAY['old', 'new'] LOOP
            PERFORM dblink_exec(build, format('CALL get_result(%L, %L, %L, %L)', one, build, has_limit::boolean, query));
        END LOOP;
        EXIT WHEN NOT (SELECT bool_and(other_rows) FROM differences WHERE name = one);
        query := regexp_replace(query, '\s+limit \d+$', '', 'i');
    END LOOP;
    UPDATE queries SET differs = true, problem = 'other rows with the new build'
    WHERE name = one AND (SELECT bool_and(other_rows) FROM differences WHERE differences.name = one);
EXCEPTION
    WHEN query_canceled OR OTHERS THEN
        complaint := build || ' build: ' || SQLERRM;
        UPDATE queries SET problem = complaint, differs = build = 'new' WHERE name = one;
END $$;

-- For each query, and for planning it: the least time with the old build, and that with the new one as a part of it.
CREATE VIEW compared AS
SELECT substring(topic, '\S+$') AS name, topic LIKE 'planning %' AS is_planning,
    min(value) FILTER (WHERE contender = 'old') AS old,
    min(value) FILTER (WHERE contender = 'new') / min(value) FILTER (WHERE contender = 'old') AS ratio
FROM measurements GROUP BY topic;

-- The time of a statement: the least of up to three averages, each over several executions. (A short one cannot be
-- measured: the system may update the CPU time later.)
CREATE FUNCTION time_of(statement text, once float8, of_processor boolean) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    times int := executions(once);
    start float8;
    least_time float8;
BEGIN
    FOR average IN 1 .. least(greatest(0.3 / once, 1), 3) LOOP
        start := seconds(of_processor);
        FOR n IN 1 .. times LOOP
            EXECUTE statement;
        END LOOP;
        least_time := least(least_time, (seconds(of_processor) - start) / times);
    END LOOP;
    RETURN least_time;
END $$;

-- What seems to differ is repeated up to three times as often, and what takes long less often.
CREATE PROCEDURE measure_builds(one text, repetitions int, of_processor boolean) LANGUAGE plpgsql AS $$
DECLARE
    query text := (SELECT statement FROM queries WHERE name = one AND problem IS NULL);
    once float8 := (SELECT max(seconds) FROM runs WHERE name = one);
    build text;
BEGIN
    FOR repetition IN 1 .. least(3 * repetitions, greatest(20 / once, 1)) LOOP
        EXIT WHEN query IS NULL OR (repetition > repetitions AND
            (SELECT abs(ln(ratio)) <= ln(1.05) FROM compared WHERE name = one AND NOT is_planning));
        FOR i IN 0 .. 1 LOOP
            build := (ARRAY['old', 'new'])[1 + (repetition + i + 1) % 2];
            PERFORM dblink_exec(build, format('SET LOCAL statement_timeout = 0; INSERT INTO measurements VALUES
                (%L, %L, 1, %s, time_of(%L, 0.005, %L)), (%L, %L, 1, %s, time_of(%L, %s, %L))',
                'planning ' || one, build, repetition, 'EXPLAIN ' || query, of_processor,
                'query ' || one, build, repetition, query, once, of_processor));
        END LOOP;
    END LOOP;
END $$;

\echo '   queries'
SELECT format('CALL get_results(%L)', name),
    format('CALL measure_builds(%L, %s, %L)', name, :'repetitions', :'has_schedstat')
FROM queries ORDER BY number \gexec

CREATE VIEW ratios AS
SELECT number, name, c.old, c.ratio, p.ratio AS planning, other_plan
FROM queries JOIN compared AS c USING (name) JOIN compared AS p USING (name) JOIN differences AS d USING (name)
WHERE NOT c.is_planning AND p.is_planning AND has_limit;

-- A table in Markdown. Documents have the queries that differ by more than 5%.
CREATE FUNCTION shown(format text, VARIADIC figures float8[]) RETURNS text LANGUAGE sql AS
    'SELECT format(format, VARIADIC array_agg(round(f::numeric, 3)::text)) FROM unnest(figures) AS f';
CREATE VIEW report AS
SELECT 1 AS section, 0 AS number, true AS in_documents,
    '| query | old build, best | new build, of the time | more | planning, of the time | plan |' AS line
UNION ALL
SELECT 2, 0, true, '|---|--:|--:|--:|--:|---|'
UNION ALL
SELECT 3, number, abs(ln(ratio)) > ln(1.05), format('| %s | ', name) ||
    shown('%s ms | **%s** | %s ms | %s | ', 1000 * old, ratio, 1000 * old * (ratio - 1), planning) ||
    CASE WHEN other_plan THEN 'another |' ELSE '|' END
FROM ratios
UNION ALL
SELECT 4, 0, true, format('| geometric mean of %s | | ', count(*)) ||
    shown('**%s** | | %s | |', exp(avg(ln(ratio))), exp(avg(ln(planning))))
FROM ratios
UNION ALL
SELECT 5, 0, true, '| all together ' ||
    shown('| %s ms | **%s** | %s ms | | |', 1000 * sum(old), sum(old * ratio) / sum(old), 1000 * sum(old * (ratio - 1)))
FROM ratios
UNION ALL
SELECT 6, 0, true, format(E'\nOther plans: %s.', coalesce(string_agg(name, ', ' ORDER BY number), 'none'))
FROM ratios WHERE other_plan
UNION ALL
SELECT 7, 0, true, E'\nLeft out: ' ||
    coalesce(string_agg(format('%s (%s)', name, problem), ', ' ORDER BY number), 'none') || '.'
FROM queries WHERE problem IS NOT NULL;
