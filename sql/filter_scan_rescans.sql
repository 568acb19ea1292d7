--
-- Filter scans that are repeated: each scan has its own filter, and nothing remains of the one before.
--
CREATE SCHEMA filter_scan_rescans;
SET search_path = filter_scan_rescans, public;
SET max_parallel_workers_per_gather = 0;

-- The number of rows that filter scans of a query probe, in all of their loops.
CREATE FUNCTION probed(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
    RETURN (SELECT sum((probe->'Rows Probed')::bigint)
        FROM jsonb_path_query(plan::jsonb, 'strict $.**."Probes"[*]') AS probe);
END$$;
-- An error from row `step` on.
CREATE FUNCTION failing(f bloomfilter, step integer) RETURNS bloomfilter STABLE LANGUAGE plpgsql AS $$
BEGIN
    IF step >= 3 THEN
        RAISE 'evaluated for step %', step;
    END IF;
    RETURN f;
END$$;

CREATE TABLE numbers AS SELECT n, 'number ' || n AS text FROM generate_series(1, 20000) n;
ANALYZE numbers;
-- At this rate, nothing is a false positive. The filters of odd steps hold values of another kind.
CREATE TABLE steps AS
    SELECT step, CASE step % 2 WHEN 0 THEN bf_agg(n, NULL, 1e-7) ELSE bf_agg(text, NULL, 1e-7) END AS f,
        cf_agg(n, 100000, 1e-7) AS large
    FROM generate_series(1, 4) AS step, numbers WHERE n % 4 = step - 1 GROUP BY step ORDER BY step;

-- Filters that are computed, and so large that a scan copies them after some thousand rows.
SELECT step, (SELECT array_agg(DISTINCT n % 4) || count(*)::integer FROM numbers
    WHERE cf_contains(cf_add(large, -1), n)) AS found FROM steps;
SELECT step, (SELECT array_agg(DISTINCT n % 4) || count(*)::integer FROM numbers
    WHERE cf_contains(large, n)) AS found FROM steps;
SELECT min((cf_info(large)).bytes) > 262144 AS large FROM steps;

-- Each scan evaluates its filter once.
CREATE SEQUENCE evaluations;
CREATE FUNCTION evaluated(f cuckoofilter) RETURNS cuckoofilter STABLE LANGUAGE plpgsql AS $$
BEGIN
    PERFORM nextval('evaluations');
    RETURN f;
END$$;
\set query 'SELECT step, (SELECT count(*) FROM numbers WHERE cf_contains(evaluated(large), n)) FROM steps'
:query;
SELECT last_value FROM evaluations;
SELECT probed(:'query') = 4 * 20000 AS each_scan_probes_all_rows;
-- A filter of the right kind does not vouch for the next one.
SELECT step, (SELECT count(*) FROM numbers WHERE bf_contains(f, n)) FROM steps WHERE step > 1;

-- A filter is evaluated if a row reaches it in this scan: not if the filter before it rejects all rows.
SELECT step, (SELECT count(*) FROM numbers WHERE cf_contains(CASE WHEN step < 3 THEN large ELSE cf_create(10) END, n)
    AND bf_contains(failing((SELECT f FROM steps WHERE step = 2), step), n)) AS found FROM steps;
-- Nor if it has come first in an earlier scan, since it rejects more.
SELECT step, (SELECT count(*) FROM numbers WHERE cf_contains(CASE WHEN step < 3 THEN large ELSE cf_create(10) END, n)
    AND bf_contains(failing((SELECT bf_agg(n, NULL, 1e-7) FROM numbers WHERE n % 400 = 1), step), n)) AS found FROM steps;
SELECT step, (SELECT count(*) FROM numbers WHERE cf_contains(large, n)
    AND bf_contains(failing((SELECT f FROM steps WHERE step = 2), step), n)) AS found FROM steps;

SET client_min_messages = warning;
DROP SCHEMA filter_scan_rescans CASCADE;
