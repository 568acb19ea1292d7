--
-- More stored filters in one query than are remembered (1,024), and more bytes of them than are kept in memory (64 MB):
-- the least recently used ones are evicted, and fetched again when they are probed again: by slices at first, or at
-- once, if they are compressed.
--
CREATE SCHEMA many_stored;
SET search_path = many_stored, public;

-- 50 kB each, probed by slices at first and copied soon.
CREATE TABLE many (n integer, filter bloomfilter);
INSERT INTO many SELECT n, bf_add(bf_create(40000), n) FROM generate_series(1, 1300) AS n;

SELECT count(*) FILTER (WHERE bf_contains(filter, n)) AS held, count(*) FILTER (WHERE bf_contains(filter, -n)) AS others
FROM many;

-- One after the other, often enough for a copy of each.
SELECT count(*) FILTER (WHERE bf_contains(filter, n)) AS held, count(*) AS probes
FROM (SELECT n, filter FROM many, generate_series(1, 6) AS turn ORDER BY n, turn OFFSET 0) AS probes;

-- All of them in turn, so that each has been evicted when its turn comes.
SELECT count(*) FILTER (WHERE bf_contains(filter, n)) AS held, count(*) AS probes
FROM (SELECT n, filter FROM many, generate_series(1, 6) AS turn ORDER BY turn, n OFFSET 0) AS probes;

-- 10 MB each: after 640 probes, a copy is made.
CREATE TABLE large (n integer, filter bloomfilter);
INSERT INTO large SELECT n, bf_add(bf_create(8000000), n) FROM generate_series(1, 8) AS n;

SELECT count(*) FILTER (WHERE bf_contains(filter, n)) AS held, count(*) AS probes
FROM (SELECT n, filter FROM large, generate_series(1, 1300) AS turn ORDER BY turn / 650, n, turn OFFSET 0) AS probes;

-- 12 MB each.
CREATE TABLE compressed (n integer, b bloomfilter, c cuckoofilter);
ALTER TABLE compressed ALTER b SET STORAGE extended, ALTER c SET STORAGE extended;
INSERT INTO compressed
    SELECT n, bf_add_all(bf_create(10000000), a), cf_add_all(cf_create(10000000), a)
    FROM generate_series(1, 8) AS n, LATERAL (SELECT array_agg(1000 * i + n) AS a FROM generate_series(1, 2000) AS i) AS v;
CREATE TABLE uncompressed AS SELECT n, b::bytea::bloomfilter AS b, c::bytea::cuckoofilter AS c FROM compressed;
SELECT bool_and(pg_column_size(c.b) < 6000000 AND pg_column_size(c.c) < 6000000) AS compressed,
    bool_and(pg_column_size(u.b) > 12000000 AND pg_column_size(u.c) > 11000000) AS uncompressed
FROM compressed AS c JOIN uncompressed AS u USING (n);

-- In turn, so that each has been evicted when its turn comes, and one after the other: each value is found, and all answers
-- are those of the same filters uncompressed, which are probed by slices and then whole.
SELECT count(*) FILTER (WHERE bf_contains(b, 1000 * i + n)) AS held_b,
    count(*) FILTER (WHERE cf_contains(c, 1000 * i + n)) AS held_c, count(*) AS probes
FROM (SELECT n, b, c, i FROM compressed, generate_series(1, 4) AS i ORDER BY i, n OFFSET 0) AS probes;
SELECT count(*) FILTER (WHERE bf_contains(b, k)) AS b, count(*) FILTER (WHERE cf_contains(c, k)) AS c
FROM (SELECT n, b, c, k FROM compressed, generate_series(1, 20000) AS k ORDER BY n OFFSET 0) AS probes
\gset compressed_
SELECT count(*) FILTER (WHERE bf_contains(b, k)) = :compressed_b AS b,
    count(*) FILTER (WHERE cf_contains(c, k)) = :compressed_c AS c
FROM uncompressed, generate_series(1, 20000) AS k;

-- Compressed and in the row.
CREATE TABLE in_row (n integer, main bloomfilter, external bloomfilter);
ALTER TABLE in_row ALTER main SET STORAGE main;
INSERT INTO in_row
    SELECT n, f, f FROM generate_series(1, 4) AS n,
        LATERAL (SELECT bf_add_all(bf_create(300000), array_agg(1000 * i + n)) AS f FROM generate_series(1, 60) AS i) AS v;
SELECT bool_and(pg_column_size(main) < 8000 AND pg_column_size(external) > 300000) AS compressed FROM in_row;
SELECT count(*) FILTER (WHERE bf_contains(main, 1000 * i + n)) AS held,
    count(*) FILTER (WHERE bf_contains(main, i) <> bf_contains(external, i)) AS wrong
FROM in_row, generate_series(1, 5000) AS i;
DROP TABLE many, large, compressed, uncompressed, in_row;
