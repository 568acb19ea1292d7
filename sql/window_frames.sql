--
-- Aggregates as window functions: the filter of each frame is that of the frame's values, even after it was computed
-- once and more values were added.
--
CREATE SCHEMA window_frames;
SET search_path = window_frames, public;

CREATE TABLE numbers AS SELECT i, i % 3 AS g, i % 50 AS v FROM generate_series(1, 300) i;
CREATE TABLE daily AS
    SELECT i AS day, bf_agg(i * 1000 + v, 100) AS b, cf_agg(i * 1000 + v, 100) AS c
    FROM generate_series(1, 20) i, generate_series(1, 20) v GROUP BY i;

-- Running, by row.
SELECT count(*) AS frames, count(*) FILTER (WHERE w.b::text <> f.b::text) AS b_different,
    count(*) FILTER (WHERE w.c::text <> f.c::text) AS c_different,
    count(*) FILTER (WHERE w.b_capacity::text <> f.b_capacity::text)
    AS b_capacity_different
FROM (SELECT i, bf_agg(v) OVER (ORDER BY i) AS b, cf_agg(v) OVER (ORDER BY i) AS c,
        bf_agg(v, 60) OVER (ORDER BY i) AS b_capacity FROM numbers) AS w,
    LATERAL (SELECT bf_agg(v) AS b, cf_agg(v) AS c, bf_agg(v, 60) AS b_capacity FROM numbers n WHERE n.i <= w.i) AS f;

-- Moving, and by partition: a frame that loses rows is computed anew.
SELECT count(*) AS frames, count(*) FILTER (WHERE w.b::text <> f.b::text) AS b_different,
    count(*) FILTER (WHERE w.c::text <> f.c::text) AS c_different
FROM (SELECT i, g, bf_agg(v) OVER w AS b, cf_agg(v) OVER w AS c FROM numbers
        WINDOW w AS (PARTITION BY g ORDER BY i ROWS BETWEEN 5 PRECEDING AND 2 FOLLOWING)) AS w,
    LATERAL (SELECT bf_agg(v) AS b, cf_agg(v) AS c FROM numbers n
        WHERE n.g = w.g AND n.i BETWEEN w.i - 15 AND w.i + 6) AS f;

-- Frames that are empty at the start, and at the end.
SELECT i, bf_contains(b, i) AS itself, bf_cardinality(b) AS b, cf_cardinality(c) AS c
FROM (SELECT i, bf_agg(v) OVER w AS b, cf_agg(v) OVER w AS c FROM numbers WHERE i <= 4
        WINDOW w AS (ORDER BY i ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING)) AS w ORDER BY i;

-- One that outgrows its capacity in the middle: no frame misses a value. First with all hashes in memory; then, with
-- little memory, with a filter that is full half way through.
SELECT count(*) AS frames,
    count(*) FILTER (WHERE NOT bf_contains_all(b, ARRAY(SELECT generate_series(1, i)))) AS incomplete,
    max((bf_info(b)).capacity) AS capacity
FROM (SELECT i, bf_agg(i, 20) OVER (ORDER BY i) AS b FROM numbers) AS w;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT count(*) AS frames,
    count(*) FILTER (WHERE NOT bf_contains_all(b, ARRAY(SELECT generate_series(1, 100 * i)))) AS incomplete,
    min((bf_info(b)).layers) AS layers, max((bf_info(b)).layers) AS grown
FROM (SELECT i, j, bf_agg(100 * i - j, 6000) OVER (ORDER BY i) AS b
        FROM generate_series(1, 120) i, generate_series(0, 99) j) AS w WHERE j = 0;
RESET work_mem;
RESET hash_mem_multiplier;

-- FILTER, and NULLs.
SELECT count(*) FILTER (WHERE cf_cardinality(c) <> expected) AS different, max(expected)
FROM (SELECT cf_agg(nullif(v, 7), 60, 1e-7) FILTER (WHERE v < 30) OVER (ORDER BY i) AS c,
        (SELECT count(DISTINCT v) FROM numbers n WHERE n.i <= numbers.i AND v < 30 AND v <> 7) AS expected
        FROM numbers) AS w;

-- A window of daily filters: the union of the last seven.
SELECT count(*) AS days, count(*) FILTER (WHERE w.b::text <> f.b::text) AS b_different,
    count(*) FILTER (WHERE w.c::text <> f.c::text) AS c_different
FROM (SELECT day, bf_union_agg(b) OVER w AS b, cf_union_agg(c) OVER w AS c
FROM daily WINDOW w AS (ORDER BY day ROWS 6 PRECEDING)) AS w,
    LATERAL (SELECT bf_union_agg(b ORDER BY day) AS b, cf_union_agg(c ORDER BY day) AS c FROM daily d
    WHERE d.day BETWEEN w.day - 6 AND w.day) AS f;
SELECT count(*) FILTER (WHERE NOT (b @> (w.day * 1000 + 20) AND b @> ((w.day - 6) * 1000 + 1)
    AND c @> ((w.day - 6) * 1000 + 1))) AS missing
FROM (SELECT day, bf_union_agg(b) OVER w AS b, cf_union_agg(c) OVER w AS c
FROM daily WINDOW w AS (ORDER BY day ROWS 6 PRECEDING)) AS w
WHERE day >= 7;

SET client_min_messages = warning;
DROP SCHEMA window_frames CASCADE;
