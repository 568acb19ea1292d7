-- Joins of a large table that filter themselves: each query with its filters and without, one after the other in each
-- repetition. Run by test/bench/run, which sets facts (rows of the large table), repetitions, and what measure.sql expects.
-- Leaves the ratios in the view report.
\ir measure.sql

\echo '   data'
-- Keys are spread at random over the dimensions, whose tenth is selected by part = 0.
CREATE FUNCTION draw(n bigint, salt int, below bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS
    'SELECT (hashint8extended(n, salt) & 9223372036854775807) % below';
CREATE TABLE facts AS
SELECT n / 4 AS o, draw(n, 1, :facts / 20) AS k1, draw(n, 2, :facts / 20) AS k2, draw(n, 3, :facts / 20) AS k3,
    draw(n, 4, 100)::int AS v, draw(n, 9, 20000)::int AS few
FROM generate_series(1::bigint, :facts) AS n;
CREATE TABLE orders AS SELECT n AS id, draw(n, 5, 2400)::int AS day FROM generate_series(0::bigint, :facts / 4) AS n;
CREATE TABLE dimension1 AS SELECT n AS id, draw(n, 6, 10)::int AS part FROM generate_series(0::bigint, :facts / 20 - 1) AS n;
CREATE TABLE dimension2 AS SELECT n AS id, draw(n, 7, 10)::int AS part FROM generate_series(0::bigint, :facts / 20 - 1) AS n;
CREATE TABLE dimension3 AS SELECT n AS id, draw(n, 8, 10)::int AS part FROM generate_series(0::bigint, :facts / 20 - 1) AS n;
CREATE TABLE few AS SELECT n AS id, draw(n, 10, 100)::int AS part FROM generate_series(0, 19999) AS n;
-- A hundred days, in partitions, in the order of days with a BRIN index, and in any order.
CREATE TABLE days AS SELECT day::date, extract(month FROM day)::int AS month, extract(day FROM day)::int AS number
FROM generate_series('2016-01-01'::date, '2025-12-31', '1 day') AS day;
CREATE TABLE by_day (day date, v int) PARTITION BY RANGE (day);
SELECT format('CREATE TABLE by_day_%s PARTITION OF by_day FOR VALUES FROM (%L) TO (%L)', n, '2025-09-01'::date + n, '2025-09-01'::date + n + 1)
FROM generate_series(0, 99) AS n \gexec
INSERT INTO by_day SELECT '2025-09-01'::date + n::int, v FROM generate_series(0, 99) AS n, generate_series(1, :facts / 400) AS v;
CREATE TABLE in_order AS SELECT * FROM by_day ORDER BY day;
CREATE TABLE scattered AS SELECT * FROM by_day ORDER BY hashint4extended(v, day - '2025-01-01'::date);
CREATE TABLE scattered_plain AS SELECT * FROM scattered;
CREATE INDEX ON in_order USING brin (day);
CREATE INDEX ON scattered USING brin (day);
-- Of a tenth of the rows, whose indexes suit no other query.
CREATE TABLE indexed AS SELECT k1 AS k, v, o, repeat('x', 100) AS x FROM facts WHERE o % 10 = 0;
CREATE INDEX ON indexed (k, v);
CREATE INDEX ON indexed (v);
VACUUM (FREEZE, ANALYZE);
CALL settle('indexed', 'facts', 'orders', 'dimension1', 'dimension2', 'dimension3', 'few', 'in_order', 'scattered', 'scattered_plain');

CREATE TABLE cases (number serial, name text, workers int DEFAULT 0, memory text DEFAULT '256MB', max_matches float8,
    target float8, statement text);
INSERT INTO cases (name, target, statement) VALUES
    ('two tables, 10% match', 0.35,
     'SELECT count(*), sum(v) FROM facts JOIN dimension1 d ON k1 = d.id WHERE part = 0'),
    ('star of three, 10% each', 0.15,
     'SELECT count(*), sum(v) FROM facts JOIN dimension1 d ON k1 = d.id JOIN dimension2 e ON k2 = e.id
      JOIN dimension3 f ON k3 = f.id WHERE d.part = 0 AND e.part = 0 AND f.part = 0'),
    ('star of three, 90%, 50%, 10%', NULL,
     'SELECT count(*), sum(v) FROM facts JOIN dimension1 d ON k1 = d.id JOIN dimension2 e ON k2 = e.id
      JOIN dimension3 f ON k3 = f.id WHERE d.part > 0 AND e.part < 5 AND f.part = 0'),
    ('a table grouped by the key', 0.5,
     'SELECT count(*), sum(total) FROM (SELECT k1, sum(v) AS total FROM facts GROUP BY k1) AS g
      JOIN dimension1 d ON k1 = d.id WHERE part = 0'),
    ('all match', 0.6, 'SELECT count(*), sum(v) FROM facts JOIN dimension1 d ON k1 = d.id'),
    ('an integer that is compared with a numeric, 10% match', NULL,
     'SELECT count(*), sum(v) FROM facts JOIN (SELECT id::numeric AS id, part FROM dimension1 OFFSET 0) AS d ON k1 = d.id WHERE part = 0'),
    ('EXISTS, of 4% of the orders', 0.3,
     'SELECT count(*) FROM orders WHERE day < 96 AND EXISTS (SELECT FROM facts WHERE o = orders.id AND v < 50)'),
    ('aggregate for 1% of the keys', 0.2,
     'SELECT count(*), sum(v) FROM facts AS f JOIN dimension1 d ON k1 = d.id
      JOIN (SELECT k1, avg(v) AS usual FROM facts GROUP BY k1) AS g USING (k1)
      WHERE part = 0 AND d.id % 10 = 0 AND v < usual / 5'),
    ('orders of large sums, 10%', 0.7,
     'SELECT count(*), sum(v) FROM orders JOIN facts ON o = orders.id
      WHERE orders.id IN (SELECT o FROM facts GROUP BY o HAVING sum(v) > 273)'),
    ('random keys of large sums, 10%', NULL,
     'SELECT count(*), sum(v) FROM facts WHERE k1 IN (SELECT k1 FROM facts GROUP BY k1 HAVING sum(v) > 1260)'),
    ('LEFT JOIN of an aggregate', NULL,
     'SELECT count(total) FROM dimension1 d LEFT JOIN (SELECT k1, sum(v) AS total FROM facts GROUP BY k1) AS g ON k1 = d.id
      WHERE part = 0'),
    ('the last 3 orders of each day, of 10% of the days', NULL,
     'SELECT count(*), sum(q.id) FROM (SELECT day, id, row_number() OVER (PARTITION BY day ORDER BY id DESC) AS r FROM orders) AS q
      JOIN few ON day = few.id WHERE part < 10 AND r <= 3'),
    ('the first order of each day by DISTINCT ON, of 10% of the days', NULL,
     'SELECT count(*), sum(q.id) FROM (SELECT DISTINCT ON (day) day, id FROM orders ORDER BY day, id) AS q
      JOIN few ON day = few.id WHERE part < 10'),
    ('2 of 100 partitions, by days', 0.05, 'SELECT count(*), sum(v) FROM by_day JOIN days USING (day) WHERE month = 10 AND number <= 2'),
    ('a third of 100 partitions', NULL, 'SELECT count(*), sum(v) FROM by_day JOIN days USING (day) WHERE month = 10'),
    ('2 of 100 days, BRIN', 0.1, 'SELECT count(*), sum(v) FROM in_order JOIN days USING (day) WHERE month = 10 AND number <= 2'),
    ('2 of 100 days, scattered, BRIN', NULL, 'SELECT count(*), sum(v) FROM scattered JOIN days USING (day) WHERE month = 10 AND number <= 2'),
    ('2 of 100 days, scattered', NULL, 'SELECT count(*), sum(v) FROM scattered_plain JOIN days USING (day) WHERE month = 10 AND number <= 2'),
    ('index-only scan, 10% match', 0.95, 'SELECT count(*), sum(v) FROM indexed JOIN dimension1 d ON k = d.id WHERE part = 0'),
    ('index-only scan, all match', 1.03, 'SELECT count(*), sum(v) FROM indexed JOIN few d ON k = d.id WHERE k < 20000'),
    ('bitmap scan, 10% match', 0.95, 'SELECT count(*), sum(o) FROM indexed JOIN dimension1 d ON k = d.id WHERE part = 0 AND v < 20'),
    ('WITH query, 10% match', 0.95,
     'WITH q AS MATERIALIZED (SELECT k, v FROM indexed) SELECT count(*), sum(v) FROM q JOIN dimension1 d ON k = d.id WHERE part = 0'),
    ('WITH query grouped by the key', 0.95,
     'WITH q AS MATERIALIZED (SELECT k, v FROM indexed) SELECT count(*), sum(total)
      FROM (SELECT k, sum(v) AS total FROM q GROUP BY k) AS g JOIN dimension1 d ON k = d.id WHERE part = 0'),
    ('WITH query, all match', 1.03,
     'WITH q AS MATERIALIZED (SELECT k, v FROM indexed) SELECT count(*), sum(v) FROM q JOIN dimension1 d ON k = d.id');
INSERT INTO cases (name, memory, target, statement)
SELECT 'two tables, hash join in files', '1MB', 0.4, statement FROM cases WHERE number = 1;
INSERT INTO cases (name, workers, statement)
SELECT name || ', 2 workers', 2, statement FROM cases WHERE number IN (1, 2);
-- What join_filter_max_match_fraction is about: filters that are never bypassed, of few keys, as the scan then takes most of the time.
INSERT INTO cases (name, max_matches, statement)
SELECT format('20,000 keys, %s%% match, never bypassed', percent), 1,
    format('SELECT count(*), sum(v) FROM facts JOIN few AS d ON facts.few = d.id WHERE part < %s', percent)
FROM unnest(ARRAY[10, 50, 75, 100]) AS percent;

\echo '   times'
LOAD 'cuckoo_scan';
SET cuckoo_scan.enable_join_filter = off;
SELECT format('SET work_mem = %L; SET max_parallel_workers_per_gather = %s; SET cuckoo_scan.join_filter_max_match_fraction = %s',
        memory, workers, coalesce(max_matches, 0.75)),
    format('CALL measure(%L, 1, %s, %L, %L)', name, :'repetitions',
        ARRAY[ARRAY['plain', statement],
            ARRAY['filtered', 'SET cuckoo_scan.enable_join_filter = on; ' || statement || '; SET cuckoo_scan.enable_join_filter = off']],
        :'has_schedstat'::boolean AND workers = 0)
FROM cases ORDER BY number \gexec

-- Planning of a join of ten tables, each of which makes a filter.
CREATE TABLE joined AS SELECT n AS k1, n AS k2, n AS k3, n AS k4, n AS k5, n AS k6, n AS k7, n AS k8, n AS k9
FROM generate_series(1, 1000) AS n;
SELECT format('CREATE TABLE joined%s AS SELECT n AS id FROM generate_series(1, 100) AS n', n) FROM generate_series(1, 9) AS n \gexec
ANALYZE;
CREATE FUNCTION plan_join(times int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    query text := (SELECT 'EXPLAIN SELECT FROM joined' || string_agg(format(' JOIN joined%s ON k%1$s = joined%1$s.id', n), '' ORDER BY n)
        FROM generate_series(1, 9) AS n);
BEGIN
    FOR i IN 1 .. times LOOP
        EXECUTE query;
    END LOOP;
END $$;
SET join_collapse_limit = 1;
SET enable_mergejoin = off;
SET enable_nestloop = off;
SET cuckoo_scan.join_filter_min_rows = 0;
CALL measure('planning', 1, :repetitions, ARRAY[ARRAY['plain', 'SELECT plan_join(100)'],
    ARRAY['filtered', 'SET cuckoo_scan.enable_join_filter = on; SELECT plan_join(100); SET cuckoo_scan.enable_join_filter = off']],
    :'has_schedstat');

-- Ratios to the plain query in the same repetition.
CREATE VIEW ratios AS
SELECT number, name, target, best, median, least, greatest
FROM cases JOIN (
    SELECT topic AS name, min(plain.value) AS best, percentile_cont(0.5) WITHIN GROUP (ORDER BY m.value / plain.value) AS median,
        min(m.value / plain.value) AS least, max(m.value / plain.value) AS greatest
    FROM measurements AS m JOIN measurements AS plain USING (topic, repetition)
    WHERE plain.contender = 'plain' AND m.contender = 'filtered'
    GROUP BY topic) AS of_topics USING (name);
CREATE VIEW planning AS
SELECT min(value) FILTER (WHERE contender = 'plain') AS plain, min(value) FILTER (WHERE contender = 'filtered') AS filtered
FROM measurements WHERE topic = 'planning';

-- A table in Markdown, and the targets that are missed.
CREATE VIEW report AS
SELECT 0 AS number, '| query | plain | ratio | spread |' AS line
UNION ALL
SELECT 0, '|---|--:|--:|--:|'
UNION ALL
SELECT number, format('| %s | %s ms | %s | %s to %s |', name, round((best * 1000)::numeric), round(median::numeric, 2),
    round(least::numeric, 2), round(greatest::numeric, 2))
FROM ratios
UNION ALL
SELECT 1000, format('| planning a join of ten tables | %s ms | | %s ms more |', round((plain * 10)::numeric, 2),
    round(((filtered - plain) * 10)::numeric, 2))
FROM planning;

CREATE VIEW missed AS
SELECT number, format('%s: %s, not %s', name, round(median::numeric, 2), target) AS line FROM ratios WHERE median > target
UNION ALL
SELECT 1000, 'planning a join of ten tables: more than 1 ms more' FROM planning WHERE (filtered - plain) * 10 > 1;
