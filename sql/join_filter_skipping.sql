--
-- Joins that filter themselves: scans that skip partitions.
--
LOAD 'cuckoo_scan';
CREATE SCHEMA join_filter_skipping;
SET search_path = join_filter_skipping, public;
\set common `echo "$PG_ABS_SRCDIR"`/sql/common/join_filter.sql
\i :common

-- The partitions that a query skips.
CREATE FUNCTION skipped(query text) RETURNS TABLE ("table" text, scans bigint) LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL cuckoo_scan.enable_join_filter = on;
    RETURN QUERY SELECT scan->>'Relation Name', (scan->'Partition Skipped')::bigint
        FROM jsonb_path_query(plan_of(query, true), 'strict $.** ? (exists(@."Partition Skipped"))') AS scan ORDER BY 1;
END$$;
-- The same, and whether the query has the rows that it has without filters.
CREATE FUNCTION skips(query text, OUT tables text, OUT outcome text) LANGUAGE sql AS $$
    SELECT (SELECT string_agg("table", ' ' ORDER BY "table") FROM skipped(query)), (SELECT c.outcome FROM compared(query) AS c)
$$;

CREATE TABLE k (i integer, b bigint, s smallint, d date, t text, v varchar(10), m numeric, f float8, r real, g integer);
INSERT INTO k SELECT n, n, n, date '2020-01-01' + n, 'key ' || n, 'key ' || n, n, n, n, 0 FROM unnest(ARRAY[15, 17, 35]) AS n;
INSERT INTO k VALUES (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0), (55, 55, 55, '2020-02-25', 'z', 'z', 'NaN', 'NaN', 'Infinity', 1);
ANALYZE k;

-- Ranges, with a default partition, one of two columns, one with other columns before, and one of two levels.
CREATE TABLE range (x text, i integer, n integer) PARTITION BY RANGE (i);
CREATE TABLE range_0 PARTITION OF range FOR VALUES FROM (MINVALUE) TO (10);
CREATE TABLE range_1 PARTITION OF range FOR VALUES FROM (10) TO (20);
CREATE TABLE range_2 (n integer, dropped integer, i integer, x text);
ALTER TABLE range_2 DROP dropped;
ALTER TABLE range ATTACH PARTITION range_2 FOR VALUES FROM (20) TO (30);
CREATE TABLE range_3 (n integer, i integer, x text);
ALTER TABLE range ATTACH PARTITION range_3 FOR VALUES FROM (30) TO (40);
CREATE TABLE range_4 PARTITION OF range FOR VALUES FROM (40) TO (60) PARTITION BY LIST (n);
CREATE TABLE range_4_even PARTITION OF range_4 FOR VALUES IN (0);
CREATE TABLE range_4_odd PARTITION OF range_4 FOR VALUES IN (1);
CREATE TABLE range_other PARTITION OF range DEFAULT;
INSERT INTO range SELECT 'row', i, i % 2 FROM generate_series(-5, 90) AS i, generate_series(1, 50);
INSERT INTO range VALUES (NULL, NULL, 0);
ANALYZE range;
SELECT * FROM skipped('SELECT * FROM range JOIN k USING (i) WHERE g = 0');
SELECT * FROM skips('SELECT * FROM range JOIN k USING (i) WHERE g = 0');
SELECT * FROM skips('SELECT * FROM range JOIN k USING (i)');
SELECT * FROM skips('SELECT * FROM range JOIN k ON range.i = b WHERE g = 0');
SELECT * FROM skips('SELECT * FROM range JOIN k ON range.i = s WHERE g = 0');
SELECT * FROM skips('SELECT * FROM range JOIN k ON range.i::bigint = b WHERE g = 0');
SELECT * FROM skips('SELECT * FROM range JOIN k ON range.i::numeric = m WHERE g = 0');
SELECT * FROM skips('SELECT * FROM range JOIN k ON range.i + 0 = k.i WHERE g = 0');
SELECT * FROM skips('SELECT * FROM range JOIN k ON range.n = k.g AND range.i = k.i WHERE g = 1');
SELECT * FROM skips('SELECT * FROM range WHERE i IN (SELECT i FROM k WHERE g = 0)');
SELECT * FROM skips('SELECT * FROM k LEFT JOIN range USING (i) WHERE g = 0');
SELECT * FROM skips('SELECT * FROM k RIGHT JOIN range USING (i)');
SELECT * FROM skips('SELECT i, c FROM (SELECT i, count(*) AS c FROM range GROUP BY i) AS q JOIN k USING (i) WHERE g = 0');
SELECT * FROM skips('SELECT * FROM range JOIN k USING (i) JOIN range AS again USING (i) WHERE g = 0');
-- No key, only nulls.
SELECT * FROM skips('SELECT * FROM range JOIN k USING (i) WHERE k.i IS NULL OR g = 3');
SET enable_partition_pruning = off;
SELECT * FROM skips('SELECT * FROM range JOIN k USING (i) WHERE g = 0');
RESET enable_partition_pruning;
-- Keys that are too many: only the least and the greatest one are known.
CREATE TABLE many_keys AS SELECT CASE WHEN n = 1 THEN 15 ELSE n + 60 END AS high, CASE WHEN n = 1 THEN 35 ELSE -n END AS low,
    12 + n % 3 AS few, CASE WHEN n = 1 THEN 15 WHEN n < 400 THEN n + 60 ELSE 15 END AS most FROM generate_series(1, 900) AS n;
ANALYZE many_keys;
SET cuckoo_scan.join_filter_max_match_fraction = 1;
SELECT * FROM skips('SELECT i FROM range WHERE i IN (SELECT few FROM many_keys)');
SELECT * FROM skips('SELECT i FROM range WHERE i IN (SELECT high FROM many_keys)');
SELECT * FROM skips('SELECT i FROM range WHERE i IN (SELECT low FROM many_keys)');
SELECT * FROM skips('SELECT i FROM range WHERE i IN (SELECT most FROM many_keys)');
RESET cuckoo_scan.join_filter_max_match_fraction;

CREATE TABLE columns (a integer, b bigint) PARTITION BY RANGE (a, b);
CREATE TABLE columns_0 PARTITION OF columns FOR VALUES FROM (0, 0) TO (15, 20);
CREATE TABLE columns_1 PARTITION OF columns FOR VALUES FROM (15, 20) TO (15, 40);
CREATE TABLE columns_2 PARTITION OF columns FOR VALUES FROM (15, 40) TO (90, MAXVALUE);
INSERT INTO columns SELECT a, b FROM generate_series(10, 40) AS a, generate_series(0, 50) AS b;
ANALYZE columns;
SELECT * FROM skips('SELECT * FROM columns JOIN k ON a = i WHERE i > 30 AND g = 0');
SELECT * FROM skips('SELECT * FROM columns JOIN k ON a = i WHERE i < 16');
SELECT * FROM skips('SELECT * FROM columns JOIN k ON columns.b = k.b WHERE g = 0');
SELECT * FROM skips('SELECT * FROM columns JOIN k ON a = i AND columns.b = k.b WHERE g = 0');
-- Many keys, of which the greatest one is in bounds of two partitions, with the same value of another column.
CREATE TABLE prefix (a integer, b integer) PARTITION BY RANGE (a, b);
CREATE TABLE prefix_1 PARTITION OF prefix FOR VALUES FROM (1, 0) TO (1, 100);
CREATE TABLE prefix_2 PARTITION OF prefix FOR VALUES FROM (1, 100) TO (2, 0);
CREATE TABLE prefix_3 PARTITION OF prefix FOR VALUES FROM (2, 0) TO (3, 0);
CREATE TABLE prefix_4 PARTITION OF prefix FOR VALUES FROM (3, 0) TO (4, 0);
CREATE TABLE prefix_5 PARTITION OF prefix FOR VALUES FROM (4, 0) TO (5, 0);
INSERT INTO prefix SELECT 1, 100 + n % 50 FROM generate_series(1, 1000) AS n;
INSERT INTO prefix SELECT 2 + n % 3, n % 50 FROM generate_series(1, 5000) AS n;
CREATE TABLE up_to_prefix AS SELECT 1 - n AS a FROM generate_series(0, 500) AS n;
ANALYZE prefix, up_to_prefix;
SELECT * FROM skips('SELECT * FROM prefix JOIN up_to_prefix USING (a)');

-- Lists, with null and a default; of text, of which one partition has another collation in its column.
CREATE TABLE list (t text, n integer) PARTITION BY LIST (t);
CREATE TABLE list_few PARTITION OF list FOR VALUES IN ('key 15', 'key 16');
CREATE TABLE list_none PARTITION OF list FOR VALUES IN ('key 18', NULL);
CREATE TABLE list_one PARTITION OF list FOR VALUES IN ('key 35');
CREATE TABLE list_other PARTITION OF list DEFAULT;
INSERT INTO list SELECT 'key ' || n % 60, n FROM generate_series(1, 600) AS n;
INSERT INTO list SELECT NULL, n FROM generate_series(1, 10) AS n;
ANALYZE list;
SELECT * FROM skips('SELECT * FROM list JOIN k USING (t) WHERE g = 0');
SELECT * FROM skips('SELECT * FROM list JOIN k ON list.t = k.v WHERE i = 35');
SELECT * FROM skips('SELECT * FROM list JOIN k ON list.t = k.t COLLATE "C" WHERE i = 35');
SELECT * FROM skips('SELECT * FROM list JOIN k USING (t) WHERE k.i IN (15, 35)');
CREATE TABLE varying (v varchar(10), n integer) PARTITION BY LIST (v);
CREATE TABLE varying_few PARTITION OF varying FOR VALUES IN ('key 15', 'key 16');
CREATE TABLE varying_none PARTITION OF varying FOR VALUES IN ('key 18');
CREATE TABLE varying_other PARTITION OF varying DEFAULT;
INSERT INTO varying SELECT 'key ' || n % 60, n FROM generate_series(1, 600) AS n;
ANALYZE varying;
SELECT * FROM skips('SELECT * FROM varying JOIN k USING (v) WHERE g = 0');
SELECT * FROM skips('SELECT * FROM varying JOIN k ON varying.v = k.t WHERE g = 0');
SELECT * FROM skips('SELECT * FROM varying JOIN k ON varying.v::char(10) = k.v::char(10) WHERE g = 0');

-- A partition by hash, a table with a constraint: scanned. A partition in a query of its own: its bounds are those of a table that the
-- query does not touch.
CREATE TABLE hash (i integer, n integer) PARTITION BY HASH (i);
SELECT format('CREATE TABLE hash_%s PARTITION OF hash FOR VALUES WITH (MODULUS 4, REMAINDER %1$s)', n) FROM generate_series(0, 3) AS n \gexec
INSERT INTO hash SELECT n % 60, n FROM generate_series(1, 600) AS n;
CREATE TABLE child (i integer CHECK (i > 50), n integer);
INSERT INTO child SELECT 51 + n % 9, n FROM generate_series(1, 600) AS n;
ANALYZE hash, child;
SELECT * FROM skips('SELECT * FROM hash JOIN k USING (i) WHERE g = 0');
SET constraint_exclusion = on;
SELECT * FROM skips('SELECT * FROM child JOIN k USING (i) WHERE g = 0');
RESET constraint_exclusion;
SELECT * FROM skips('SELECT * FROM range_1 JOIN k USING (i) WHERE k.i = 35');
SELECT * FROM skips('SELECT * FROM range_4 JOIN k USING (i) WHERE k.i = 35');

-- A serializable transaction, and a plan that is executed again with the same filter, and with other keys.
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM skips('SELECT * FROM range JOIN k USING (i) WHERE g = 0');
COMMIT;
SELECT * FROM skips('SELECT o, c FROM generate_series(1, 3) AS o, LATERAL (SELECT count(*) AS c FROM range JOIN k USING (i) WHERE g = 0 AND range.n < o OFFSET 0) q');
SELECT * FROM skips('SELECT o, c FROM generate_series(1, 3) AS o, LATERAL (SELECT count(*) AS c FROM range JOIN k USING (i) WHERE k.i > o * 10 OFFSET 0) q');

-- Many partitions of many values, by many keys.
CREATE TABLE lists (v integer, n integer) PARTITION BY LIST (v);
DO $$BEGIN
    FOR p IN 0 .. 99 LOOP
        EXECUTE format('CREATE TABLE lists_%s PARTITION OF lists FOR VALUES IN (%s)', p, (SELECT string_agg((p * 90 + v)::text, ',') FROM generate_series(0, 89) AS v));
    END LOOP;
END$$;
INSERT INTO lists SELECT v, v FROM generate_series(0, 8999) AS v;
CREATE TABLE list_keys AS SELECT 4 + 90 * 7 * (n % 13) AS v FROM generate_series(1, 50) AS n;
ANALYZE lists, list_keys;
SELECT count(*) FROM skipped('SELECT lists.n FROM lists JOIN list_keys USING (v)');
SELECT * FROM compared('SELECT lists.n FROM lists JOIN list_keys USING (v)');
-- So many keys that only the least and the greatest one are known, where these come last.
CREATE TABLE range_keys AS SELECT 7000 + 2 * n AS up, 7880 - 2 * n AS down FROM generate_series(0, 440) AS n;
ANALYZE range_keys;
SET cuckoo_scan.join_filter_max_match_fraction = 1;
SELECT count(*) FROM skipped('SELECT n FROM lists WHERE v IN (SELECT up FROM range_keys)');
SELECT * FROM compared('SELECT n FROM lists WHERE v IN (SELECT up FROM range_keys)');
SELECT count(*) FROM skipped('SELECT n FROM lists WHERE v IN (SELECT down FROM range_keys)');
SELECT * FROM compared('SELECT n FROM lists WHERE v IN (SELECT down FROM range_keys)');
-- One key more than are kept, which is the greatest.
SELECT count(*) FROM skipped('SELECT n FROM lists WHERE v IN (SELECT CASE up WHEN 7800 THEN 8990 ELSE up END FROM range_keys WHERE up <= 7800)');
SELECT * FROM compared('SELECT n FROM lists WHERE v IN (SELECT CASE up WHEN 7800 THEN 8990 ELSE up END FROM range_keys WHERE up <= 7800)');
RESET cuckoo_scan.join_filter_max_match_fraction;
-- The same filter in many executions: what is skipped in the first one is skipped in each.
SELECT count(*), min(scans), max(scans) FROM skipped('SELECT o.id, (SELECT count(*) FROM lists JOIN list_keys USING (v) WHERE lists.n > o.id) FROM other o');
SELECT * FROM compared('SELECT o.id, (SELECT count(*) FROM lists JOIN list_keys USING (v) WHERE lists.n > o.id) FROM other o');

-- Parallel scans, and parallel Appends, with a filter for each process, or one for all, which leaves out nothing.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_parallel_hash = off;
SELECT * FROM compared('SELECT * FROM range JOIN k USING (i) WHERE g = 0');
SET enable_parallel_append = off;
SELECT count(*) > 0 AS skipped FROM skipped('SELECT * FROM range JOIN k USING (i) WHERE g = 0');
SET parallel_leader_participation = off;
SELECT count(*) > 0 AS skipped_by_workers FROM skipped('SELECT * FROM range JOIN k USING (i) WHERE g = 0');
RESET parallel_leader_participation;
SELECT * FROM compared('SELECT * FROM range JOIN k USING (i) WHERE g = 0');
SET enable_parallel_hash = on;
SELECT * FROM compared('SELECT * FROM range JOIN k USING (i) WHERE g = 0');
RESET max_parallel_workers_per_gather;

-- What EXPLAIN shows.
SET max_parallel_workers_per_gather = 0;
SET cuckoo_scan.enable_join_filter = on;
CREATE FUNCTION explained(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
        IF line ~ 'Partition Skipped|on list' THEN
            RETURN NEXT regexp_replace(line, ' \(actual.*', '');
        END IF;
    END LOOP;
END$$;
SELECT * FROM explained('SELECT * FROM list JOIN k USING (t) WHERE k.i > 30 AND g = 0');

SET client_min_messages = warning;
DROP SCHEMA join_filter_skipping CASCADE;
