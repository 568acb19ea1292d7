--
-- Joins that filter themselves: scans that leave out partitions, and pages by BRIN indexes.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS cuckoo_filter;
LOAD 'cuckoo_filter';
CREATE SCHEMA join_filter_skipping;
SET search_path = join_filter_skipping, public;
RESET client_min_messages;
\set common `echo "$PG_ABS_SRCDIR"`/sql/common/join_filter.sql
\i :common

-- What the scans of a query left out: the tables, by what, and whether pages were; and those that left out nothing, and why.
CREATE FUNCTION skipped(query text) RETURNS TABLE ("table" text, skipped text, reason text) LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL cuckoo_filter.enable_join_filter = on;
    RETURN QUERY SELECT scan->>'Relation Name', scan->>'Skipped' ||
            CASE WHEN (scan->>'Pages Skipped')::bigint > 0 AND (scan->>'Skipped') <> 'pages' THEN ', all pages' ELSE '' END,
            scan->>'Reason Not Skipped'
        FROM jsonb_path_query(plan_of(query, true), 'strict $.** ? (exists(@."Skipped"))') AS scan ORDER BY 1;
END$$;
-- Tables left out as a whole, and whether the query has the rows that it has without filters.
CREATE FUNCTION skips(query text, OUT tables text, OUT outcome text) LANGUAGE sql AS $$
    SELECT (SELECT string_agg("table", ' ' ORDER BY "table") FROM skipped(query) AS s WHERE s.skipped <> 'nothing'),
        (SELECT c.outcome FROM compared(query) AS c)
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
SET cuckoo_filter.join_filter_max_match_fraction = 1;
SELECT * FROM skips('SELECT i FROM range WHERE i IN (SELECT few FROM many_keys)');
SELECT * FROM skips('SELECT i FROM range WHERE i IN (SELECT high FROM many_keys)');
SELECT * FROM skips('SELECT i FROM range WHERE i IN (SELECT low FROM many_keys)');
SELECT * FROM skips('SELECT i FROM range WHERE i IN (SELECT most FROM many_keys)');
RESET cuckoo_filter.join_filter_max_match_fraction;

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

-- Hashes of one column or two.
CREATE TABLE hash (i integer, n integer) PARTITION BY HASH (i);
SELECT format('CREATE TABLE hash_%s PARTITION OF hash FOR VALUES WITH (MODULUS 4, REMAINDER %1$s)', n) FROM generate_series(0, 3) AS n \gexec
INSERT INTO hash SELECT n % 60, n FROM generate_series(1, 600) AS n;
ANALYZE hash;
SELECT count(DISTINCT tableoid) FROM hash WHERE i = 35;
SELECT cardinality(string_to_array(tables, ' ')) AS tables, outcome FROM skips('SELECT * FROM hash JOIN k USING (i) WHERE k.i > 30 AND g = 0');
SELECT cardinality(string_to_array(tables, ' ')) >= 1 AS some, outcome FROM skips('SELECT * FROM hash JOIN k USING (i) WHERE g = 0');
SELECT * FROM skips('SELECT * FROM hash JOIN k ON hash.i = k.b WHERE k.i > 30 AND g = 0');
CREATE TABLE hash_two (i integer, n integer) PARTITION BY HASH (i, n);
CREATE TABLE hash_two_0 PARTITION OF hash_two FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE hash_two_1 PARTITION OF hash_two FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO hash_two SELECT n % 60, n FROM generate_series(1, 600) AS n;
ANALYZE hash_two;
SELECT * FROM skips('SELECT * FROM hash_two JOIN k USING (i) WHERE g = 0');
-- A hash of another idea of what is equal: by it, 1.0 and 1.00 differ, which are one key of the join.
CREATE FUNCTION numerals_equal(numeric, numeric) RETURNS boolean IMMUTABLE STRICT LANGUAGE sql AS 'SELECT $1::text = $2::text';
CREATE FUNCTION numeral_hash(numeric, bigint) RETURNS bigint IMMUTABLE STRICT LANGUAGE sql AS 'SELECT hashtextextended($1::text, $2)';
CREATE OPERATOR === (LEFTARG = numeric, RIGHTARG = numeric, FUNCTION = numerals_equal, COMMUTATOR = ===, HASHES);
CREATE OPERATOR CLASS numerals FOR TYPE numeric USING hash AS OPERATOR 1 ===, FUNCTION 2 numeral_hash(numeric, bigint);
CREATE TABLE numerals (m numeric, n integer) PARTITION BY HASH (m numerals);
SELECT format('CREATE TABLE numerals_%s PARTITION OF numerals FOR VALUES WITH (MODULUS 4, REMAINDER %1$s)', n) FROM generate_series(0, 3) AS n \gexec
INSERT INTO numerals SELECT (n % 60)::text::numeric(10, 2) / 1.000, n FROM generate_series(1, 600) AS n;
INSERT INTO numerals SELECT round(n % 60, n % 7), n FROM generate_series(1, 600) AS n;
ANALYZE numerals;
SELECT * FROM skips('SELECT * FROM numerals JOIN k USING (m) WHERE i > 30 AND g = 0');

-- Constraints of tables that inherit, and of others; valid ones and NOT VALID ones. A null meets a constraint.
CREATE TABLE parent (i integer, f float8, n integer);
CREATE TABLE child_low (CHECK (i < 10)) INHERITS (parent);
CREATE TABLE child_high (CHECK (i >= 50 AND f >= 50)) INHERITS (parent);
CREATE TABLE child_any (CHECK (n > 0), CHECK (i > 30 OR i < 16)) INHERITS (parent);
CREATE TABLE child_liar () INHERITS (parent);
INSERT INTO child_low SELECT i, i, 1 FROM generate_series(-500, 9) AS i;
INSERT INTO child_high SELECT i, i, 1 FROM generate_series(50, 500) AS i;
INSERT INTO child_high VALUES (NULL, 'NaN', 1), (55, 'Infinity', 1);
INSERT INTO child_any SELECT i, i, 1 FROM generate_series(1, 500) AS i WHERE i > 30 OR i < 16;
INSERT INTO child_liar SELECT i, i, 1 FROM generate_series(1, 500) AS i;
INSERT INTO parent SELECT i, i, 1 FROM generate_series(1, 500) AS i;
ALTER TABLE child_liar ADD CHECK (i < 0) NOT VALID;
ALTER TABLE parent ADD CONSTRAINT here CHECK (i > 0) NO INHERIT;
ANALYZE parent, child_low, child_high, child_any, child_liar;
SELECT * FROM skips('SELECT * FROM parent JOIN k USING (i) WHERE g = 0');
SELECT * FROM skips('SELECT * FROM parent JOIN k USING (i) WHERE g = 1');
SELECT * FROM skips('SELECT * FROM parent JOIN k USING (f) WHERE g = 1');
SELECT * FROM skips('SELECT * FROM parent JOIN k USING (f) WHERE g = 0');
SELECT * FROM skips('SELECT * FROM child_high JOIN k ON child_high.f = r WHERE g = 0');
SELECT * FROM skips('SELECT * FROM ONLY parent JOIN k ON parent.i = -k.i WHERE g = 0');
SET constraint_exclusion = off;
SELECT * FROM skips('SELECT * FROM parent JOIN k USING (i) WHERE g = 0');
SET constraint_exclusion = on;
SELECT * FROM skips('SELECT * FROM ONLY parent JOIN k ON parent.i = -k.i WHERE g = 0');
RESET constraint_exclusion;

-- Pages. Only what is visible counts: rows that were deleted, or not yet summarized, and rows that were changed.
CREATE TABLE pages (n integer, d date, i integer, b bigint, t text, x text) WITH (autovacuum_enabled = off);
INSERT INTO pages SELECT n, date '2020-01-01' + n / 500, n / 500, n / 500, 'key ' || n / 500, repeat('x', 50) FROM generate_series(1, 50000) AS n;
CREATE INDEX ON pages USING brin (d, i) WITH (pages_per_range = 16, autosummarize = off);
CREATE INDEX ON pages USING brin (b) WITH (pages_per_range = 16);
CREATE INDEX ON pages USING brin (t) WITH (pages_per_range = 16);
ANALYZE pages;
-- The fraction of pages that were scanned, and whether the rows are the same.
CREATE FUNCTION scanned(query text, OUT fraction numeric, OUT reason text, OUT outcome text) LANGUAGE sql AS $$
    SELECT (SELECT round(1 - (scan->>'Pages Skipped')::numeric / (pg_relation_size('pages') / current_setting('block_size')::bigint), 1)
            FROM jsonb_path_query(plan_of(query, true), 'strict $.** ? (@."Relation Name" == "pages" && exists(@."Skipped"))') AS scan),
        (SELECT s.reason FROM skipped(query) AS s WHERE "table" = 'pages'), (SELECT c.outcome FROM compared(query) AS c)
$$;
SET cuckoo_filter.enable_join_filter = on;
SELECT * FROM scanned('SELECT pages.n FROM pages JOIN k USING (i) WHERE g = 0');
SELECT * FROM scanned('SELECT pages.n FROM pages JOIN k USING (d) WHERE g = 0');
SELECT * FROM scanned('SELECT pages.n FROM pages JOIN k ON pages.i = k.b WHERE g = 0');
SELECT * FROM scanned('SELECT pages.n FROM pages JOIN k ON pages.b = k.i WHERE g = 0');
SELECT * FROM scanned('SELECT pages.n FROM pages JOIN k ON pages.b = k.s WHERE g = 0');
SELECT * FROM scanned('SELECT pages.n FROM pages JOIN k USING (t) WHERE g = 0');
SELECT * FROM scanned('SELECT pages.n FROM pages JOIN k ON pages.t = k.t COLLATE "C" WHERE g = 0');
SELECT * FROM scanned('SELECT pages.n FROM pages JOIN k ON pages.d = k.d AND pages.b = k.b WHERE g = 0');
SELECT * FROM scanned('SELECT pages.n FROM pages JOIN k USING (i) WHERE k.i = 100000 OR k.i IS NULL');
SELECT * FROM scanned('SELECT pages.n FROM pages JOIN (SELECT i * 5 AS i FROM generate_series(0, 20) AS i) AS k USING (i)');
SELECT * FROM scanned('SELECT pages.n FROM pages JOIN (SELECT i - 490 AS i FROM generate_series(0, 500) AS i) AS k USING (i)');
INSERT INTO pages SELECT n, date '2020-01-01' + n % 100, n % 100, n % 100, 'key ' || n % 100, repeat('x', 50) FROM generate_series(1, 20000) AS n;
SELECT * FROM scanned('SELECT pages.n FROM pages JOIN k USING (i) WHERE g = 0');
UPDATE pages SET i = 17 WHERE n % 100 = 0;
DELETE FROM pages WHERE n % 3 = 0;
SELECT * FROM scanned('SELECT pages.n FROM pages JOIN k USING (i) WHERE g = 0');
SELECT brin_summarize_new_values('pages_d_i_idx') > 0 AS summarized;
SELECT * FROM scanned('SELECT pages.n FROM pages JOIN k USING (i) WHERE g = 0');
VACUUM pages;
SELECT * FROM scanned('SELECT pages.n FROM pages JOIN k USING (d) WHERE g = 0');
-- The rows of each execution are those of its own filter.
SELECT * FROM compared('SELECT o.n, (SELECT count(*) FROM pages p JOIN k USING (i) WHERE p.n > o.n AND g = 0) FROM generate_series(0, 20, 5) AS o(n)');
-- Among pages that are often used, and on which all rows are visible, are some on which that is not known, in the middle.
CREATE TABLE mixed (n integer, i integer, x text) WITH (autovacuum_enabled = off);
INSERT INTO mixed SELECT n, n / 500, repeat('x', 50) FROM generate_series(1, 50000) AS n;
CREATE INDEX ON mixed USING brin (i) WITH (pages_per_range = 16);
VACUUM ANALYZE mixed;
UPDATE mixed SET n = n WHERE n BETWEEN 11900 AND 13700 AND n % 44 = 0;
DO $$ BEGIN FOR i IN 1..6 LOOP PERFORM count(*) FROM mixed; END LOOP; END$$;
SELECT * FROM compared('SELECT mixed.n FROM mixed JOIN k USING (i) WHERE g = 0');
SELECT * FROM skips('SELECT mixed.n FROM mixed JOIN k USING (i) WHERE g = 0');

-- Not where the direction can change, nor in a serializable transaction.
BEGIN;
SET LOCAL cuckoo_filter.enable_join_filter = on;
DECLARE back SCROLL CURSOR FOR SELECT pages.n FROM pages JOIN k ON pages.d = k.d WHERE k.i = 15;
MOVE 3 IN back;
FETCH BACKWARD 2 FROM back;
FETCH 3 FROM back;
CLOSE back;
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM scanned('SELECT pages.n FROM pages JOIN k USING (d) WHERE g = 0');
SELECT * FROM skips('SELECT * FROM range JOIN k USING (i) WHERE g = 0');
-- What was left out is covered by predicate locks.
SET LOCAL cuckoo_filter.enable_join_filter = on;
SELECT count(*) FROM range JOIN k USING (i) WHERE g = 0;
SELECT relation::regclass FROM pg_locks WHERE mode = 'SIReadLock' AND locktype = 'relation' AND relation::regclass::text ~ '^range' ORDER BY relation::regclass::text;
COMMIT;
-- Indexes that do not have all rows, or have something else of them.
CREATE TABLE partial (n integer, i integer, p point, x text);
INSERT INTO partial SELECT n, n / 500, point(n, n), repeat('x', 50) FROM generate_series(1, 50000) AS n;
CREATE INDEX ON partial USING brin (i) WITH (pages_per_range = 16) WHERE n > 20000;
CREATE INDEX ON partial USING brin (i int4_bloom_ops) WITH (pages_per_range = 16);
CREATE INDEX ON partial USING brin ((i + 1)) WITH (pages_per_range = 16);
ANALYZE partial;
SELECT * FROM skips('SELECT n FROM partial JOIN k USING (i) WHERE g = 0');
CREATE TEMPORARY TABLE own AS SELECT * FROM partial;
CREATE INDEX ON own USING brin (i) WITH (pages_per_range = 16);
ANALYZE own;
SELECT * FROM skips('SELECT n FROM own JOIN k USING (i) WHERE g = 0');

-- Parallel scans, and parallel Appends, with a filter for each process, or one for all, which leaves out nothing.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_parallel_hash = off;
SELECT * FROM compared('SELECT * FROM range JOIN k USING (i) WHERE g = 0');
SELECT * FROM compared('SELECT pages.n FROM pages JOIN k USING (i) WHERE g = 0');
SET enable_parallel_append = off;
SELECT bool_or(s.skipped ~ 'partition') AS skipped, bool_or(s.skipped ~ 'all pages') AS pages FROM skipped('SELECT * FROM range JOIN k USING (i) WHERE g = 0') AS s WHERE "table" IN ('range_0', 'range_2');
SELECT * FROM compared('SELECT * FROM range JOIN k USING (i) WHERE g = 0');
SET enable_parallel_hash = on;
SELECT * FROM compared('SELECT * FROM range JOIN k USING (i) WHERE g = 0');
SELECT * FROM compared('SELECT pages.n FROM pages JOIN k USING (i) WHERE g = 0');
RESET max_parallel_workers_per_gather;

-- What EXPLAIN shows.
SET max_parallel_workers_per_gather = 0;
SET cuckoo_filter.enable_join_filter = on;
CREATE FUNCTION explained(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
        IF line ~ 'Skipped|on list' THEN
            RETURN NEXT regexp_replace(line, ' \(actual.*', '');
        END IF;
    END LOOP;
END$$;
SELECT * FROM explained('SELECT * FROM list JOIN k USING (t) WHERE k.i > 30 AND g = 0');

-- Keys far from each other, of which the index is asked in several intervals.
CREATE TABLE long_ranges AS SELECT n AS i, repeat('x', 200) AS text FROM generate_series(1, 60000) AS n;
CREATE INDEX ON long_ranges USING brin (i) WITH (pages_per_range = 64);
CREATE TABLE far_keys AS SELECT unnest(ARRAY[3, 20000, 20001, 40000, 59999]) AS i;
ANALYZE long_ranges, far_keys;
SELECT * FROM compared('SELECT l.i FROM long_ranges l JOIN far_keys USING (i)');
SELECT * FROM skipped('SELECT l.i FROM long_ranges l JOIN far_keys USING (i)');

SET client_min_messages = warning;
DROP SCHEMA join_filter_skipping CASCADE;
