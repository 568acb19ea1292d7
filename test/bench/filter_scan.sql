-- Scans of a table whose rows are probed: as a filter scan, and as a sequential scan with the probe as a plain condition,
-- beside count(*) of the same table. Run by test/bench/run, which sets rows (of a table), repetitions, and what
-- measure.sql expects.
\ir measure.sql
SET max_parallel_workers_per_gather = 0;
SET work_mem = '256MB';

-- Measures count(*) with each condition: [name, condition], which may have columns of another table. A contender "..., plain"
-- is the sequential scan. First checks that the filter scan is used, and has the result of the sequential scan.
CREATE PROCEDURE measure_scans(topic text, x numeric, repetitions int, source regclass, conditions text[],
    of_processor boolean, with_plain boolean DEFAULT true, other text DEFAULT '') LANGUAGE plpgsql AS $$
DECLARE
    contenders text[] := ARRAY[['count(*)', format('SELECT count(*) FROM %s', source)]];
    query text;
    plan text;
    by_page bigint;
    by_row bigint;
BEGIN
    FOR i IN 1 .. array_length(conditions, 1) LOOP
        query := format('SELECT count(*) FROM %s%s WHERE %s', source, other, conditions[i][2]);
        contenders := contenders || ARRAY[conditions[i][1], query];
        IF with_plain THEN
            contenders := contenders || ARRAY[conditions[i][1] || ', plain',
                format('SET LOCAL cuckoo_scan.enable_filter_scan = off; %s;
                    SET LOCAL cuckoo_scan.enable_filter_scan = on', query)];
        END IF;
        EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
        ASSERT plan ~ 'CuckooFilterScan', format('no filter scan: %s', query);
        EXECUTE query INTO by_page;
        SET LOCAL cuckoo_scan.enable_filter_scan = off;
        EXECUTE query INTO by_row;
        SET LOCAL cuckoo_scan.enable_filter_scan = on;
        ASSERT by_page = by_row, format('%s rows by page, %s by row: %s', by_page, by_row, query);
    END LOOP;
    CALL measure(topic, x, repetitions, contenders, of_processor);
END $$;

-- Whether a number is one of a random fraction of all.
CREATE FUNCTION is_chosen(n bigint, fraction float8, seed int DEFAULT 0) RETURNS boolean IMMUTABLE LANGUAGE sql AS
    'SELECT hashint8extended(n, seed) & 65535 < fraction * 65536';

-- A random key of a dimension of some size.
CREATE FUNCTION key_of(n bigint, keys int) RETURNS int IMMUTABLE LANGUAGE sql AS
    'SELECT (hashint8extended(n, keys) & 1048575)::int * keys::bigint / 1048576';

\echo '   data'
-- Filters of about 1, 10 and 100 MB, and keys that are false positives of none of them. No query scans the members.
CREATE TABLE filters (megabytes int PRIMARY KEY, bloom bloomfilter, cuckoo cuckoofilter);
INSERT INTO filters
SELECT megabytes, bloom, cuckoo
FROM unnest(ARRAY[1, 10, 100]) AS megabytes,
    LATERAL (SELECT bf_agg(k) AS bloom, cf_agg(k) AS cuckoo
             FROM (SELECT generate_series(1, megabytes * :rows::bigint * 85 / 1000) AS k OFFSET 0) AS members) AS made;
CREATE TABLE keys AS
    SELECT k
    FROM generate_series(1000000001, 1000000000 + :rows::bigint * 11 / 10) AS k,
        filters AS small, filters AS middle, filters AS large
    WHERE small.megabytes = 1 AND middle.megabytes = 10 AND large.megabytes = 100
        AND NOT bf_contains(small.bloom, k) AND NOT cf_contains(small.cuckoo, k)
        AND NOT bf_contains(middle.bloom, k) AND NOT cf_contains(middle.cuckoo, k)
        AND NOT bf_contains(large.bloom, k) AND NOT cf_contains(large.cuckoo, k)
    LIMIT :rows;
-- Filters of about 10 MB that let a percentage of the keys pass.
CREATE TABLE passing (percent int PRIMARY KEY, bloom bloomfilter, cuckoo cuckoofilter);
INSERT INTO passing
SELECT percent, bf_agg(k), cf_agg(k)
FROM unnest(ARRAY[10, 50, 100]) AS percent,
    LATERAL (SELECT k FROM keys WHERE is_chosen(k, percent / 100.0)
             UNION ALL
             SELECT generate_series(1, :rows::bigint * (85 - percent) / 100)) AS members
GROUP BY percent;
VACUUM (FREEZE, ANALYZE) filters, passing, keys;
CALL settle('filters', 'passing', 'keys');

\echo '   filters that reject all rows'
-- The sub-select returns a stored filter as a TOAST pointer, and a newly changed one as a flat value.
SELECT format($$CALL measure_scans('filter scan', %1$s, %2$s, 'keys', ARRAY[
    ['bloom', 'bf_contains((SELECT bloom FROM filters WHERE megabytes = %1$s), k)'],
    ['cuckoo', 'cf_contains((SELECT cuckoo FROM filters WHERE megabytes = %1$s), k)']], %3$L)$$,
    megabytes, :repetitions, :'has_schedstat'),
    format($$CALL measure_scans('filter scan, changed', %1$s, %2$s, 'keys', ARRAY[
    ['bloom', 'bf_contains((SELECT bf_add(bloom, 0::bigint) FROM filters WHERE megabytes = %1$s), k)'],
    ['cuckoo', 'cf_contains((SELECT cf_add(cuckoo, 0::bigint) FROM filters WHERE megabytes = %1$s), k)']], %3$L, false)$$,
    megabytes, :repetitions, :'has_schedstat')
FROM filters ORDER BY megabytes \gexec

\echo '   filters of another table'
CALL measure_scans('filter scan, other table', 1, :repetitions, 'keys', ARRAY[
    ['bloom', 'megabytes = 1 AND bloom @> k'],
    ['sub-select', 'megabytes = 1 AND (SELECT bloom FROM filters WHERE megabytes = 1) @> k']],
    :has_schedstat, other => ', filters');

\echo '   filters that let rows pass'
SELECT format($$CALL measure_scans('filter scan, passing', %1$s, %2$s, 'keys', ARRAY[
    ['bloom', 'bf_contains((SELECT bloom FROM passing WHERE percent = %1$s), k)'],
    ['cuckoo', 'cf_contains((SELECT cuckoo FROM passing WHERE percent = %1$s), k)']], %3$L)$$,
    percent, :repetitions, :'has_schedstat')
FROM passing ORDER BY percent \gexec

\echo '   parallel scans'
SET parallel_leader_participation = off;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT format($$CALL measure_scans('filter scan, parallel', %1$s, %2$s, 'keys', ARRAY[
    ['bloom', 'bf_contains((SELECT bloom FROM filters WHERE megabytes = %1$s), k)'],
    ['cuckoo', 'cf_contains((SELECT cuckoo FROM filters WHERE megabytes = %1$s), k)']], false)$$, megabytes, :repetitions)
FROM filters WHERE megabytes < 100 ORDER BY megabytes \gexec
SET max_parallel_workers_per_gather = 0;

\echo '   other tables'
DROP TABLE keys, passing;
CREATE TABLE text_filter AS
    SELECT bf_agg('member-' || lpad(k::text, 9, '0')) AS f FROM generate_series(1, :rows * 85 / 1000) AS k;
CREATE TABLE texts AS
    SELECT t
    FROM text_filter, generate_series(1, :rows * 11 / 10) AS n,
        LATERAL (SELECT 'key-' || lpad(n::text, 12, '0') AS t) AS made
    WHERE NOT bf_contains(f, t)
    LIMIT :rows;
VACUUM (FREEZE, ANALYZE) texts, text_filter;
CALL settle('texts', 'text_filter');
CALL measure_scans('filter scan, text', 1, :repetitions, 'texts', ARRAY[
    ['bloom', 'bf_contains((SELECT f FROM text_filter), t)']], :has_schedstat);
DROP TABLE texts;

CREATE TABLE wide AS
    SELECT n AS c1, n AS c2, n AS c3, key_of(n, 200000) AS c4, key_of(n, 30000) AS c5, n AS c6, n AS c7, n AS c8, n AS c9,
        1000000000 + n::bigint AS c10
    FROM generate_series(1, :rows) AS n;
-- Two filters of millions of keys, and two of the keys of dimensions.
CREATE TABLE of_wide AS
    SELECT (SELECT bloom FROM filters WHERE megabytes = 1) AS nearly_none,
        bf_agg(c3) FILTER (WHERE is_chosen(c3, 0.1, 1)) AS tenth, bf_agg(c10) FILTER (WHERE is_chosen(c10, 0.3, 2)) AS third,
        bf_agg(c4) FILTER (WHERE is_chosen(c4, 0.1, 1)) AS tenth_of_c4,
        bf_agg(c5) FILTER (WHERE is_chosen(c5, 0.3, 2)) AS third_of_c5
    FROM wide;
VACUUM (FREEZE, ANALYZE) wide, of_wide;
CALL settle('wide', 'of_wide');
CALL measure_scans('filter scan, last of 10 columns', 1, :repetitions, 'wide', ARRAY[
    ['bloom', 'bf_contains((SELECT nearly_none FROM of_wide), c10)']], :has_schedstat);
CALL measure_scans('filter scan, two filters', 2, :repetitions, 'wide', ARRAY[
    ['10% pass', 'bf_contains((SELECT tenth FROM of_wide), c3)'],
    ['30% pass', 'bf_contains((SELECT third FROM of_wide), c10)'],
    ['both', 'bf_contains((SELECT third FROM of_wide), c10) AND bf_contains((SELECT tenth FROM of_wide), c3)']],
    :has_schedstat);
CALL measure_scans('filter scan, two dimensions', 2, :repetitions, 'wide', ARRAY[
    ['10% pass', 'bf_contains((SELECT tenth_of_c4 FROM of_wide), c4)'],
    ['30% pass', 'bf_contains((SELECT third_of_c5 FROM of_wide), c5)'],
    ['both', 'bf_contains((SELECT third_of_c5 FROM of_wide), c5) AND bf_contains((SELECT tenth_of_c4 FROM of_wide), c4)']],
    :has_schedstat);
