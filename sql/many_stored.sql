--
-- More stored filters in one query than are remembered (1,024), and more bytes of them than are kept in memory (64 MB):
-- the ones not used for longest are let go, and fetched again when they are asked once more.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS cuckoo_filter;
CREATE SCHEMA many_stored;
SET search_path = many_stored, public;
RESET client_min_messages;

-- 50 kB each, probed by slices at first and copied soon.
CREATE TABLE many (n integer, filter bloomfilter);
INSERT INTO many SELECT n, bf_add(bf_create(40000), n) FROM generate_series(1, 1300) AS n;

SELECT count(*) FILTER (WHERE bf_contains(filter, n)) AS held, count(*) FILTER (WHERE bf_contains(filter, -n)) AS others
FROM many;

-- One after the other, often enough for a copy of each.
SELECT count(*) FILTER (WHERE bf_contains(filter, n)) AS held, count(*) AS probes
FROM (SELECT n, filter FROM many, generate_series(1, 6) AS turn ORDER BY n, turn OFFSET 0) AS probes;

-- All of them in turn, so that each was let go when its turn comes.
SELECT count(*) FILTER (WHERE bf_contains(filter, n)) AS held, count(*) AS probes
FROM (SELECT n, filter FROM many, generate_series(1, 6) AS turn ORDER BY turn, n OFFSET 0) AS probes;

-- 10 MB each, and 640 probes for a copy.
CREATE TABLE large (n integer, filter bloomfilter);
INSERT INTO large SELECT n, bf_add(bf_create(8000000), n) FROM generate_series(1, 8) AS n;

SELECT count(*) FILTER (WHERE bf_contains(filter, n)) AS held, count(*) AS probes
FROM (SELECT n, filter FROM large, generate_series(1, 1300) AS turn ORDER BY turn / 650, n, turn OFFSET 0) AS probes;

DROP TABLE many, large;
