\set ECHO none
--
-- For the tests of filter scans, in the schema of the test: the plan of a query, and what compares its rows with the scan and
-- without it.
--

-- A query's plan as JSON, with actual rows if `analyze`.
CREATE FUNCTION plan_of(query text, analyzed boolean DEFAULT false) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE format('EXPLAIN (%s FORMAT JSON) %s', CASE WHEN analyzed THEN 'ANALYZE, TIMING OFF,' END, query) INTO plan;
    RETURN plan;
END$$;
CREATE FUNCTION filter_scans(query text) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM jsonb_path_query(plan_of(query), 'strict $.**."Custom Plan Provider"') AS name
    WHERE name = '"CuckooFilterScan"'
$$;
-- The rows of a query, sorted, or the error that it raises.
CREATE FUNCTION outcome(query text, scan boolean) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    result text[];
BEGIN
    PERFORM set_config('cuckoo_scan.enable_filter_scan', scan::text, false);
    EXECUTE 'SELECT array_agg(q::text ORDER BY q::text) FROM (' || query || ') AS q' INTO result;
    RETURN coalesce(result, '{}');
EXCEPTION WHEN OTHERS THEN
    RETURN ARRAY[SQLSTATE, SQLERRM];
END$$;
-- Both scans: the number of rows, or the error, or that they differ; and how many filter scans there are.
CREATE FUNCTION compared(query text, OUT scans bigint, OUT outcome text) LANGUAGE plpgsql AS $$
DECLARE
    by_page text[] := outcome(query, true);
    by_row text[] := outcome(query, false);
BEGIN
    SET cuckoo_scan.enable_filter_scan = on;
    scans := filter_scans(query);
    outcome := CASE WHEN by_page IS DISTINCT FROM by_row
            THEN format('DIFFERENT: %s rows by page, %s by row', cardinality(by_page), cardinality(by_row))
        WHEN by_row[1] ~ '^[0-9A-Z]{5}$' THEN format('error %s: %s', by_row[1], by_row[2])
        ELSE format('%s rows', cardinality(by_row)) END;
END$$;
\set ECHO all
