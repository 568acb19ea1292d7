--
-- Values that come again, as in every log: the rate, the size and the copies of cuckoo filters, and their unions. The rates are
-- measured with a million absent values. (test/unit/test_repeats.c compares many more filters with a model.)
--
CREATE SCHEMA repeats;
SET search_path = repeats, public;

-- The fraction of a million absent values that a filter contains, as a multiple of the rate that was requested.
CREATE FUNCTION measured(f cuckoofilter) RETURNS numeric LANGUAGE sql AS
    $$SELECT count(*) / 1e6 / (cf_info(f)).requested_fpr::numeric FROM generate_series(-1000000, -1) AS y WHERE f @> y$$;
CREATE FUNCTION bytes(f cuckoofilter) RETURNS bigint LANGUAGE sql AS $$SELECT (cf_info(f)).bytes$$;
CREATE FUNCTION missing(f cuckoofilter, first integer, last integer) RETURNS bigint LANGUAGE sql AS
    $$SELECT count(*) FROM generate_series(first, last) AS x WHERE NOT f @> x$$;

--
-- The rate, however many copies come, before and after deleting them, and compacting.
--
CREATE TABLE copied AS
SELECT rate, copies, cf_add_all(cf_create(100000, rate, 'int'),
    ARRAY(SELECT x FROM generate_series(1, 2000) AS x, generate_series(1, copies) ORDER BY x)) AS f
FROM (VALUES (0.0001, 4), (0.00001, 3), (0.00001, 4), (0.00001, 15)) AS v (rate, copies);
SELECT rate, copies, measured(f) <= 1.5 AS within_rate, layers, bytes < 1.3 * cf_size(100000, rate) AS small, cf_count(f, 77) AS count,
    missing(f, 1, 2000), measured(once) <= 1.5 AS of_once, measured(cf_compact(once)) <= 1.5 AS compacted, missing(once, 1, 2000) AS missing_once
FROM copied, cf_info(f),
    LATERAL (SELECT cf_delete_all(f, ARRAY(SELECT x FROM generate_series(1, 2000) AS x, generate_series(2, copies))) OFFSET 0) AS d (once)
ORDER BY rate, copies;

-- A skewed stream: 200,000 visits of visitors who come again the more often the lower their number is.
CREATE TABLE visits AS SELECT (100000 * ((n * 7919 % 200000) / 200000.0) ^ 3)::int AS visitor FROM generate_series(1, 200000) AS n;
SELECT measured(f) <= 1.5 AS within_rate, layers, bytes < 1.3 * cf_size(100000, 0.0001) AS small,
    (SELECT count(*) FROM visits WHERE NOT f @> visitor) AS missing
FROM (SELECT cf_add_all(cf_create(100000, 0.0001, 'int'), ARRAY(SELECT visitor FROM visits)) AS f OFFSET 0) AS s, cf_info(f);

-- A filter that does not grow holds as many values as its capacity, whatever the number of their copies.
SELECT measured(f) <= 1.5 AS within_rate, layers, bytes <= 1.3 * cf_size(10000, 0.0001) AS bounded, missing(f, 1, 10000)
FROM (SELECT cf_add_all(cf_create(10000, 0.0001, 'int', grow => false),
        ARRAY(SELECT x FROM generate_series(1, 4), generate_series(1, 10000) AS x)) AS f OFFSET 0) AS s, cf_info(f);

--
-- The size: each value twelve times costs half a byte for each slot, once.
--
CREATE FUNCTION passes(capacity integer, rate float8, n integer, passes integer, OUT once bigint, OUT all_passes bigint, OUT layers integer,
    OUT count integer, OUT within_rate boolean, OUT lost bigint) LANGUAGE plpgsql AS $$
DECLARE
    f cuckoofilter := cf_create(capacity, rate, 'int');
BEGIN
    FOR pass IN 1 .. passes LOOP
        f := cf_add_all(f, ARRAY(SELECT generate_series(1, n)));
        once := coalesce(once, bytes(f));
    END LOOP;
    all_passes := bytes(f);
    layers := (cf_info(f)).layers;
    count := cf_count(f, 77);
    within_rate := measured(f) <= 1.5;
    lost := missing(f, 1, n);
END$$;
SELECT v.*, p.count, p.within_rate, p.lost, p.layers, all_passes <= 1.5 * once AS one_and_a_half, all_passes <= 4 * once AS bounded
FROM (VALUES (10000, 0.01, 10000, 12), (20000, 0.01, 10000, 12), (10000, 0.0001, 9900, 15), (1000, 0.01, 7000, 12)) AS v (capacity, rate, n, passes),
    passes(capacity, rate, n, passes) AS p;
SET client_min_messages = warning;
-- 15 copies are counted and deleted one by one, and the sixteenth makes a value permanent: also in a filter that has grown.
SELECT capacity, copies, cf_count(f, 500) AS count, cf_count(cf_delete_all(f, array_fill(500, ARRAY[copies])), 500) AS left_over
FROM unnest(ARRAY[100, 1000]) AS capacity, unnest(ARRAY[1, 4, 5, 14, 15, 16, 17, 1000]) AS copies,
    LATERAL (SELECT cf_add_all(cf_create(capacity, 0.0000001, 'int'), ARRAY(SELECT generate_series(1, 900))) OFFSET 0) AS s (start),
    LATERAL (SELECT cf_add_all(start, array_fill(500, ARRAY[copies - 1])) AS f OFFSET 0) AS c ORDER BY 1, 2;

RESET client_min_messages;

--
-- Unions are sets: filters of the same values have the size and the rate of one filter of all of them.
--
CREATE TABLE days AS
SELECT d AS day, cf_agg(x, 20000) AS f FROM generate_series(1, 1000) AS d,
    LATERAL generate_series(d % 60 * 100, d % 60 * 100 + 5000) AS x GROUP BY d;
CREATE TABLE all_rows AS SELECT cf_agg(x, 20000) AS f FROM generate_series(0, 10900) AS x;
SELECT filters, layers, measured(u) <= 1.5 AS within_rate, bytes <= 1.3 * bytes(all_rows.f) AS size, missing(u, 100, 10900),
    round(cardinality, -2) AS cardinality
FROM all_rows, (
    SELECT '60' AS filters, cf_union_agg(f ORDER BY day) AS u FROM days WHERE day <= 60
    UNION ALL SELECT '60 backwards', cf_union_agg(f ORDER BY day DESC) FROM days WHERE day <= 60
    UNION ALL SELECT '1000', cf_union_agg(f) FROM days
    UNION ALL SELECT '1000, another order', cf_union_agg(f ORDER BY day * 7919 % 1000) FROM days
    UNION ALL SELECT 'unions of 10', cf_union_agg(u ORDER BY part) FROM (
        SELECT day % 100 AS part, cf_union_agg(f) AS u FROM days GROUP BY 1) AS parts
    UNION ALL SELECT 'with copies', cf_union_agg(cf_add_all(f, ARRAY(SELECT generate_series(5900, 6100)))) FROM days WHERE day <= 60
    UNION ALL SELECT 'do not grow', cf_union_agg(cf_add_all(cf_create(20000, 0.01, 'int', false),
        ARRAY(SELECT generate_series(day * 100, day * 100 + 5000)))) FROM days WHERE day <= 60
    OFFSET 0
) AS unions, cf_info(u);

-- By parallel workers, whatever each gets.
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
ALTER TABLE days SET (parallel_workers = 2);
SELECT layers, measured(u) <= 1.5 AS within_rate, bytes <= 1.3 * bytes(all_rows.f) AS size, missing(u, 100, 10900)
FROM all_rows, (SELECT cf_union_agg(f) AS u FROM days) AS s, cf_info(u);

-- Nothing can be deleted from such a union. With an empty filter, it is the filter itself.
SELECT cf_delete(cf_union_agg(f), 5000) FROM days WHERE day <= 2;
SELECT cf_delete_all(cf_union_agg(f), ARRAY[5000]) FROM days WHERE day <= 2;
SELECT cf_delete_hash(cf_union_agg(f), filter_hash(5000), 'int') FROM days WHERE day <= 2;
SELECT cf_delete(cf_union_agg(f), NULL) = cf_union_agg(f) AS unchanged FROM days WHERE day <= 2;
SELECT cf_count(either, 500) AS count, cf_count(cf_delete(either, 500), 500) AS deleted
FROM (SELECT cf_add_all(cf_create(1000, of => 'int'), ARRAY[500, 500, 501]) AS f, cf_create(1000, of => 'int') AS empty) AS s,
    unnest(ARRAY[f | empty, empty | f]) AS either;

-- Filters of different capacities keep their rates, which add up, and are at most 32.
SELECT filters, layers, measured(u) <= 1.5 * filters AS within_sum FROM unnest(ARRAY[5, 20]) AS filters, LATERAL (
    SELECT cf_union_agg(f) AS u FROM (SELECT cf_agg(x, 1000 + d * 10) AS f FROM generate_series(1, filters) AS d,
        LATERAL generate_series(d * 100, d * 100 + 500) AS x GROUP BY d) AS of_days) AS s, cf_info(u);
SELECT cf_union_agg(f) AS u FROM (SELECT cf_agg(x, 1000 + d * 10) AS f FROM generate_series(1, 33) AS d,
    LATERAL generate_series(d * 100, d * 100 + 500) AS x GROUP BY d) AS of_days;

--
-- A window that moves: each day 1,000 of 20,000 keys are added, and those of seven days ago deleted.
--
CREATE FUNCTION window_of_a_week(capacity integer, rate float8, days integer, skew float8, OUT lost bigint, OUT within_size boolean, OUT compacted boolean,
    OUT stale_within_rate boolean) LANGUAGE plpgsql AS $$
DECLARE
    f cuckoofilter := cf_create(capacity, rate, 'int');
    now cuckoofilter;
    stale bigint;
    gone bigint;
BEGIN
    CREATE TEMP TABLE added (day integer, x integer) ON COMMIT DROP;
    PERFORM setseed(0.4711);
    FOR d IN 1 .. days LOOP
        INSERT INTO added SELECT d, (20000 * random() ^ skew)::int FROM generate_series(1, 1000);
        f := cf_add_all(cf_delete_all(f, ARRAY(SELECT x FROM added WHERE day = d - 7)), ARRAY(SELECT x FROM added WHERE day = d));
        DELETE FROM added WHERE day = d - 7;
    END LOOP;
    now := cf_add_all(cf_create(capacity, rate, 'int'), ARRAY(SELECT DISTINCT x FROM added ORDER BY x));
    SELECT count(*) INTO lost FROM added WHERE NOT f @> x;
    SELECT count(*), count(*) FILTER (WHERE f @> x) INTO gone, stale FROM generate_series(0, 20000) AS x WHERE x NOT IN (SELECT added.x FROM added);
    within_size := bytes(f) <= 4 * bytes(now);
    compacted := bytes(cf_compact(f)) <= 2 * bytes(now);
    stale_within_rate := stale <= 1.5 * rate * gone + 5 * sqrt(rate * gone) + 1;
    DROP TABLE added;
END$$;
SET client_min_messages = warning;
SELECT capacity, rate, days, skew, w.* FROM (VALUES (8000, 0.001, 365, 1), (8000, 0.01, 100, 2), (500, 0.001, 100, 1)) AS v (capacity, rate, days, skew),
    window_of_a_week(capacity, rate, days, skew) AS w;

DROP SCHEMA repeats CASCADE;
