--
-- What join filters must not change besides the rows: how often volatile functions are called, which conditions are
-- evaluated for rows that the query would not have read, and how much is read for the first row.
--
LOAD 'cuckoo_scan';
CREATE SCHEMA join_filter_side_effects;
SET search_path = join_filter_side_effects, public;
SET max_parallel_workers_per_gather = 0;
SET cuckoo_scan.join_filter_min_rows = 0;
-- The rows are compared in their order, which is that of the plan.
SET cuckoo_scan.join_filter_costs = off;
SET enable_mergejoin = off;
SET enable_material = off;

CREATE TABLE facts AS SELECT n, n % 1000 AS k, n % 40 AS g FROM generate_series(1, 20000) AS n;
CREATE TABLE dimension AS SELECT n * 10 AS id, n % 7 AS g FROM generate_series(0, 50) AS n;
CREATE TABLE often AS SELECT 10 + n % 3 AS id, n AS m, n % 7 AS g FROM generate_series(0, 899) AS n;
ANALYZE;
-- How each kind of filter is planned.
CREATE TABLE shapes (shape text, settings text, query text);
INSERT INTO shapes VALUES
    ('hashed', 'enable_nestloop', 'facts f JOIN dimension d ON f.k = d.id'),
    ('read ahead', 'enable_nestloop', 'facts f JOIN often d ON f.n = d.id');

CREATE FUNCTION use(shape shapes) RETURNS void LANGUAGE sql AS $$
    SELECT set_config('enable_nestloop', 'on', false), set_config('enable_hashjoin', 'on', false), set_config(shape.settings, 'off', false)
$$;
CREATE FUNCTION plan_of(query text, analyzed boolean DEFAULT false) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE format('EXPLAIN (%s FORMAT JSON) %s', CASE WHEN analyzed THEN 'ANALYZE, TIMING OFF,' END, query) INTO plan;
    RETURN plan;
END$$;
CREATE FUNCTION has_filter(query text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    SET cuckoo_scan.enable_join_filter = on;
    RETURN jsonb_path_exists(plan_of(query), 'strict $.** ? (exists(@."Runtime Filter"))');
END$$;
SELECT shape, (SELECT has_filter FROM use(s), has_filter('SELECT * FROM ' || query)) FROM shapes s;

-- A function in every place of a query. `count_call` says that it is volatile, `condition` that it is not; both count.
CREATE SEQUENCE calls;
CREATE FUNCTION count_call(value integer) RETURNS integer VOLATILE LANGUAGE sql AS 'SELECT value + 0 * nextval(''calls'')::integer';
CREATE FUNCTION condition(value integer) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
    PERFORM nextval('calls');
    RETURN value;
END$$;
-- The rows of a query, or its error; and the number of calls.
CREATE FUNCTION calls_of(query text, filtered boolean, OUT outcome text, OUT calls bigint) LANGUAGE plpgsql AS $$
DECLARE
    result record;
BEGIN
    PERFORM set_config('cuckoo_scan.enable_join_filter', filtered::text, false), setval('calls', 1, false);
    outcome := '';
    BEGIN
        FOR result IN EXECUTE query LOOP
            outcome := md5(outcome || result::text);
        END LOOP;
    EXCEPTION WHEN OTHERS THEN
        outcome := SQLERRM;
    END;
    calls := nextval('calls') - 1;
END$$;
CREATE TABLE places (place text);
INSERT INTO places VALUES
    ('SELECT f.n, d.g FROM {join} WHERE {call}(f.g) < 30'),
    ('SELECT f.n, d.g FROM {join} WHERE {call}(d.g) < 5'),
    ('SELECT f.n, d.g FROM {join} AND {call}(f.g) <> d.g'),
    ('SELECT f.n, {call}(d.id) FROM {join}'),
    ('SELECT f.n, (SELECT {call}(d.id)) FROM {join}'),
    ('SELECT (SELECT count(*) FROM {join} WHERE {call}(f.n) < 15000)'),
    ('SELECT o.id, (SELECT count(*) FROM {join} WHERE f.n > o.id AND {call}(f.g) < 30) FROM dimension o WHERE o.id < 30'),
    ('SELECT o.id, ARRAY(SELECT {call}(f.n) FROM {join} WHERE f.n > o.id) FROM dimension o WHERE o.id < 30'),
    ('SELECT o.id, coalesce((SELECT min({call}(f.n)) FROM {join}), 0) FROM dimension o WHERE o.id < 30'),
    ('SELECT EXISTS (SELECT FROM {join} WHERE {call}(f.g) = -1)'),
    ('SELECT 7 IN (SELECT {call}(f.g) FROM {join})'),
    ('SELECT o.id FROM dimension o WHERE o.id IN (SELECT {call}(f.n) FROM {join})'),
    ('SELECT q.n FROM (SELECT f.n, {call}(f.g) AS g, f.k FROM facts f OFFSET 0) q, ({sub}) r WHERE q.n = r.n'),
    ('SELECT q.k, q.s, d.id FROM (SELECT k, sum({call}(g)) AS s FROM facts GROUP BY k) q JOIN dimension d ON q.k = d.id'),
    ('SELECT q.k, d.id FROM (SELECT k FROM facts GROUP BY k HAVING {call}(k) < 700) q JOIN dimension d ON q.k = d.id'),
    ('SELECT d.g, sum({call}(f.n)) FROM {join} GROUP BY d.g'),
    ('SELECT d.g, count(*) FILTER (WHERE {call}(f.g) < 4) FROM {join} GROUP BY d.g'),
    ('SELECT {call}(d.g), count(*) FROM {join} GROUP BY 1'),
    ('SELECT d.g, count(*) FROM {join} GROUP BY d.g HAVING {call}(d.g) < 3'),
    ('SELECT f.n FROM {join} ORDER BY {call}(f.g), f.n LIMIT 20'),
    ('SELECT DISTINCT {call}(d.g) FROM {join}'),
    ('SELECT f.n, sum({call}(f.g)) OVER (ORDER BY f.n) FROM {join}'),
    ('SELECT f.n, c.x FROM {join}, LATERAL (SELECT {call}(f.g) AS x) c'),
    ('SELECT f.n, c.x FROM {join}, LATERAL generate_series(1, {call}(d.g)) c(x)'),
    ('WITH c AS MATERIALIZED (SELECT n, k, {call}(g) AS g FROM facts WHERE n < 5000) SELECT c.n FROM c, ({sub}) r WHERE c.n = r.n'),
    ('SELECT f.n FROM {join} UNION ALL SELECT {call}(f.n) FROM {join}'),
    ('SELECT CASE WHEN f.n > 500 THEN {call}(f.n) ELSE (SELECT count(*) FROM {join} WHERE {call}(f.g) = 3) END FROM facts f WHERE f.n < 505 AND f.n > 495'),
    ('SELECT count(*) FROM (VALUES ((SELECT max({call}(f.n)) FROM {join}))) AS v(x)');
CREATE FUNCTION query_of(place text, shape shapes, call text) RETURNS text LANGUAGE sql AS $$
    SELECT replace(replace(replace(place, '{sub}', 'SELECT f.n FROM {join}'), '{join}', (shape).query), '{call}', call)
$$;
-- A volatile function is called as often as without filters; any other at most as often. No error comes from filters.
CREATE FUNCTION compare_calls(place text, shape shapes, call text) RETURNS TABLE (same boolean, calls boolean, filtered boolean) LANGUAGE plpgsql AS $$
DECLARE
    query text := query_of(place, shape, call);
    with_filter record;
    without record;
BEGIN
    PERFORM use(shape);
    without := calls_of(query, false);
    with_filter := calls_of(query, true);
    RETURN QUERY SELECT with_filter.outcome = without.outcome,
        CASE WHEN call = 'count_call' THEN with_filter.calls = without.calls ELSE with_filter.calls <= without.calls END, has_filter(query);
END$$;
SELECT call, shape, count(*) AS places, count(*) FILTER (WHERE filtered) > 5 AS filtered,
    array_agg(place) FILTER (WHERE NOT same) AS other_rows, array_agg(place) FILTER (WHERE NOT calls) AS other_calls
FROM unnest(ARRAY['count_call', 'condition']) AS call, shapes s, places, compare_calls(place, s, call) GROUP BY call, shape ORDER BY call, shape;

-- Keys that fail for some rows. A join evaluates them in order, and ends at the first null: so does a filter.
CREATE TABLE failing AS SELECT n AS x, n AS z, n::text AS t FROM generate_series(1, 400) AS n;
INSERT INTO failing VALUES (NULL, 0, 'none');
ANALYZE failing;
SELECT query, has_filter(query), (calls_of(query, true)).outcome = (calls_of(query, false)).outcome AS same
FROM unnest(ARRAY[
    'SELECT f.n FROM failing d JOIN facts f ON d.x = f.n + 0 AND 1000 / d.z = f.k',
    'SELECT f.n FROM failing d JOIN facts f ON d.x = f.n AND 1000 / d.z = f.k',
    'SELECT f.n FROM failing d JOIN facts f ON 1000 / d.z = f.k AND d.x = f.n + 0',
    'SELECT f.n FROM failing d JOIN facts f ON d.x = f.n + 0 AND d.z = f.k',
    'SELECT f.n FROM failing d JOIN facts f ON d.x = f.n + 0 AND d.t::integer = f.k',
    'SELECT f.n FROM failing d JOIN facts f ON d.x = f.n + 0 AND d.z = f.g + 0 AND d.t::integer = f.k',
    'SELECT f.n FROM failing d JOIN facts f ON d.x = f.n + 0 AND (d.t::integer)::bigint = f.k',
    'SELECT f.n FROM failing d JOIN facts f ON d.x = f.n + 0 AND d.t::numeric = f.k',
    'SELECT f.n FROM facts f WHERE EXISTS (SELECT FROM failing d WHERE d.x = f.n + 0 AND 1000 / d.z = f.k)',
    'SELECT d.x FROM failing d LEFT JOIN facts f ON d.x = f.n + 0 AND 1000 / d.z = f.k']) AS query;
SET enable_nestloop = off;
SELECT query, has_filter(query), (calls_of(query, true)).outcome = (calls_of(query, false)).outcome AS same
FROM unnest(ARRAY[
    'SELECT f.n FROM (SELECT NULLIF(m, 5) AS x, m - 5 AS z FROM often) o JOIN facts f ON o.x = f.g + 0 AND 1000 / o.z = f.n',
    'SELECT f.n FROM (SELECT NULLIF(m, 5) AS x, m - 5 AS z FROM often) o JOIN facts f ON o.x = f.n AND 1000 / o.z = f.g']) AS query;
RESET enable_nestloop;

-- No more rows are read than without filters, however few of the result are needed.
CREATE FUNCTION rows_read(query text, filtered boolean) RETURNS TABLE (alias text, rows float8) LANGUAGE sql AS $$
    SELECT node->>'Alias',
        sum((node->>'Actual Loops')::float8 * ((node->>'Actual Rows')::float8 + coalesce((node->>'Rows Removed by Filter')::float8, 0)))
    FROM set_config('cuckoo_scan.enable_join_filter', filtered::text, false) AS _ (s),
        jsonb_path_query(plan_of(query, true), 'strict $.** ? (exists(@."Relation Name"))') AS node
    WHERE s IS NOT NULL GROUP BY 1
$$;
CREATE FUNCTION reads_more(query text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN EXISTS (SELECT FROM rows_read(query, true) AS filtered LEFT JOIN rows_read(query, false) AS plain USING (alias)
        WHERE (filtered.rows <= plain.rows) IS NOT TRUE);
END$$;
CREATE TABLE more AS SELECT n AS id, n % 3 AS g FROM generate_series(1, 2000) AS n;
CREATE TABLE long AS SELECT n, n % 2000 AS k FROM generate_series(1, 50000) AS n;
ANALYZE more, long;
SET enable_nestloop = off;
SELECT count(*) AS queries, count(*) FILTER (WHERE has_filter(query)) AS filtered,
    array_agg(query) FILTER (WHERE reads_more(query)) AS read_more
FROM unnest(ARRAY[1, 500, 740, 760, 1000, 1999]) AS first, unnest(ARRAY[
        'SELECT l.n FROM long l JOIN more m ON l.k = m.id AND m.g = 1 LIMIT 50',
        'SELECT l.n FROM long l JOIN more m ON l.k = m.id AND m.g = 1 AND m.id > ' || first || ' LIMIT 1',
        'SELECT l.n FROM long l WHERE EXISTS (SELECT FROM more m WHERE l.k = m.id AND m.g = 1) LIMIT 1',
        'SELECT EXISTS (SELECT FROM long l JOIN more m ON l.k = m.id AND m.g = 1)',
        'SELECT l.n, o.m FROM (SELECT * FROM often UNION ALL SELECT * FROM often WHERE id < 0) o JOIN long l ON l.n = o.id LIMIT 1',
        'SELECT o.id, (SELECT l.n FROM long l JOIN more m ON l.k = m.id AND m.g = 1 WHERE l.n > o.id LIMIT 1) FROM often o WHERE o.m < 3']) AS query;
-- Nor where a join finds nothing on the side that it hashes: then the other one is not read ahead.
CREATE TABLE nothing (id integer);
SELECT count(*) AS queries, count(*) FILTER (WHERE has_filter(query)) AS filtered,
    array_agg(query) FILTER (WHERE reads_more(query)) AS read_more
FROM unnest(ARRAY[
        'SELECT o.m FROM often o JOIN long l ON l.n = o.id AND abs(l.k) < 0',
        'SELECT count(*) FROM often o JOIN long l ON l.n = o.id AND abs(l.k) < 0',
        'SELECT o.m FROM often o JOIN long l ON l.n = o.id AND abs(l.k) < 0 ORDER BY 1',
        'SELECT o.m FROM often o WHERE EXISTS (SELECT FROM long l WHERE l.n = o.id AND abs(l.k) < 0) ORDER BY 1',
        'SELECT o.m FROM often o JOIN (long l JOIN more m ON l.k = m.id AND m.g > 9) ON l.n = o.id',
        'SELECT o.m FROM often o JOIN (SELECT n, count(*) FROM long WHERE abs(k) < 0 GROUP BY n) l ON l.n = o.id',
        'SELECT o.m FROM often o JOIN (SELECT DISTINCT ON (n) n, k FROM long WHERE abs(k) < 0 ORDER BY n, k) l ON l.n = o.id',
        'SELECT q.m FROM (SELECT o.m FROM often o JOIN long l ON l.n = o.id OFFSET 0) q JOIN nothing n ON n.id = q.m',
        'SELECT q.m FROM (SELECT o.m, l.k FROM often o LEFT JOIN long l ON l.n = o.id OFFSET 0) q WHERE EXISTS (SELECT FROM
            (TABLE long UNION ALL TABLE long UNION ALL TABLE long) u WHERE u.n = q.m AND abs(u.k) < 0)']) AS query;
-- The side to be read ahead has keys and rows that fail, after the last one that is needed.
CREATE VIEW failing_late AS SELECT id, m, 1 / (m - 800) AS x FROM often OFFSET 0;
SELECT query, has_filter(query), c.outcome, c.outcome = (calls_of(query, false)).outcome AS same
FROM unnest(ARRAY[
    'SELECT o.m FROM often o JOIN long l ON l.n = o.id AND l.k = 1000 / o.m AND abs(l.k) < 0',
    'SELECT o.m FROM often o JOIN long l ON l.n = o.id AND l.k = 1000 / (o.m - 800) AND abs(l.k) < 0',
    'SELECT o.x FROM failing_late o JOIN long l ON l.n = o.id AND abs(l.k) < 0']) AS query, calls_of(query, true) AS c;
-- So has the result, of which a function, a loop and a cursor fetch the first row.
CREATE FUNCTION first_of() RETURNS integer LANGUAGE sql AS 'SELECT o.x FROM failing_late o JOIN long l ON l.n = o.id';
CREATE FUNCTION first_of_loop() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    line record;
BEGIN
    FOR line IN SELECT o.x FROM failing_late o JOIN long l ON l.n = o.id LOOP
        RETURN line.x;
    END LOOP;
END$$;
SET cuckoo_scan.enable_join_filter = on;
SELECT first_of(), first_of_loop();
BEGIN;
DECLARE failing CURSOR FOR SELECT o.x FROM failing_late o JOIN long l ON l.n = o.id;
FETCH failing;
FETCH ALL FROM failing;
ROLLBACK;
-- All of it is fetched.
SELECT has_filter(query), min(probed) > 0 AS probed, min(rejected) > 40000 AS rejected
FROM unnest(ARRAY['SELECT o.m FROM often o JOIN long l ON l.n = o.id']) AS query, LATERAL (
    SELECT (probe->'Rows Probed')::bigint AS probed, (probe->'Rows Rejected')::bigint AS rejected
    FROM jsonb_path_query(plan_of(query, true), 'strict $.**."Probes"[*]') AS probe) p GROUP BY query;
RESET ALL;
SET client_min_messages = warning;
DROP SCHEMA join_filter_side_effects CASCADE;
