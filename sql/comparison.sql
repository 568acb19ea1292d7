--
-- Filters compared with each other: by their images, wherever SQL compares rows.
--
CREATE SCHEMA comparison;
SET search_path = comparison, public;

CREATE TABLE filters AS
    SELECT n, bf_agg(i) AS b, cf_agg(i) AS c FROM (SELECT i, i % 3 AS n FROM generate_series(1, 300) i) AS numbers GROUP BY n
    UNION ALL SELECT 3, bf_create(10), cf_create(10)
    UNION ALL SELECT 4, bf_create(NULL), cf_create(NULL)
    UNION ALL SELECT 5, NULL, NULL
    -- one out of line
    UNION ALL SELECT 6, bf_agg(i), cf_agg(i) FROM generate_series(1, 100000) i;

-- All operators agree with the order of the bytes, and with each other.
SELECT count(*) AS pairs,
    count(*) FILTER (WHERE (x.b = y.b) <> (x.b::bytea = y.b::bytea) OR (x.b <> y.b) <> (x.b::bytea <> y.b::bytea)
        OR (x.b < y.b) <> (x.b::bytea < y.b::bytea) OR (x.b <= y.b) <> (x.b::bytea <= y.b::bytea)
        OR (x.b > y.b) <> (x.b::bytea > y.b::bytea) OR (x.b >= y.b) <> (x.b::bytea >= y.b::bytea)) AS bloom_wrong,
    count(*) FILTER (WHERE (x.c = y.c) <> (x.c::bytea = y.c::bytea) OR (x.c <> y.c) <> (x.c::bytea <> y.c::bytea)
        OR (x.c < y.c) <> (x.c::bytea < y.c::bytea) OR (x.c <= y.c) <> (x.c::bytea <= y.c::bytea)
        OR (x.c > y.c) <> (x.c::bytea > y.c::bytea) OR (x.c >= y.c) <> (x.c::bytea >= y.c::bytea)) AS cuckoo_wrong,
    count(*) FILTER (WHERE (x.b = y.b) IS NULL) AS with_null
FROM filters x, filters y;
SELECT count(*) AS wrong FROM filters x JOIN filters y ON x.b::bytea = y.b::bytea
WHERE _bloomfilter_hash(x.b) <> _bloomfilter_hash(y.b) OR _bloomfilter_hash_extended(x.b, 7) <> _bloomfilter_hash_extended(y.b, 7)
    OR _cuckoofilter_hash(x.c) <> _cuckoofilter_hash(y.c)
    OR _cuckoofilter_hash_extended(x.c, 0) & 4294967295 <> _cuckoofilter_hash(y.c)::bigint & 4294967295;

-- Where SQL compares rows, by hashing and by sorting.
INSERT INTO filters SELECT n + 10, b, c FROM filters;
SELECT count(*) AS rows, count(DISTINCT b) AS bloom, count(DISTINCT c) AS cuckoo FROM filters;
SET enable_hashagg = off;
SELECT count(*) FROM (SELECT DISTINCT b, c FROM filters) AS kept;
SELECT count(*) FROM (SELECT b, count(*) FROM filters GROUP BY b HAVING count(*) = 2) AS twice;
SELECT count(*) FROM (SELECT c FROM filters UNION SELECT c FROM filters) AS united;
RESET enable_hashagg;
SET enable_sort = off;
SELECT count(*) FROM (SELECT DISTINCT b, c FROM filters) AS kept;
SELECT count(*) FROM (SELECT c FROM filters EXCEPT SELECT c FROM filters WHERE n < 3) AS other;
RESET enable_sort;
SET enable_nestloop = off;
SET enable_mergejoin = off;
SELECT count(*) FROM filters x JOIN filters y ON x.b = y.b AND x.c = y.c WHERE x.n < y.n;
SET enable_hashjoin = off;
SET enable_mergejoin = on;
SELECT count(*) FROM filters x JOIN filters y ON x.b = y.b AND x.c = y.c WHERE x.n < y.n;
RESET enable_hashjoin;
RESET enable_nestloop;
SELECT count(*) FILTER (WHERE x.b IS DISTINCT FROM y.b) AS changed, count(*) FILTER (WHERE x.b IS NOT DISTINCT FROM y.b) AS same,
    count(*) FILTER (WHERE (x.b, x.c) IS NOT DISTINCT FROM (y.b, y.c)) AS rows
FROM filters x JOIN filters y ON y.n = x.n + 10;
SELECT bool_and(ok) AS sorted FROM (SELECT b >= lag(b) OVER (ORDER BY b) IS NOT FALSE AS ok FROM filters WHERE n <> 6) AS filters;

-- A trigger that fires only on changes.
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE NOTICE 'changed'; RETURN NULL; END$$;
CREATE TRIGGER changed AFTER UPDATE ON filters FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION note();
UPDATE filters SET b = bf_add(b, 3) WHERE n = 0;
UPDATE filters SET b = bf_add(b, 1), c = cf_add(c, 1) WHERE n = 0;

-- Small ones can be in an index, too.
CREATE TABLE small (c cuckoofilter UNIQUE);
INSERT INTO small VALUES (cf_create(10)), (cf_create(20));
\set VERBOSITY sqlstate
INSERT INTO small VALUES (cf_create(10));
\set VERBOSITY default
CREATE INDEX ON small USING hash (c);

-- Images are compared, not sets: two filters of the same values may differ, although probes and estimates agree.
SELECT bf_add(bf_create(10), 1) = bf_add(bf_create(11), 1) AS of_other_capacity,
    bf_add(bf_create(10), 1) = bf_add(bf_create(10), '1'::bigint) AS same,
    bf_add(bf_create(10), 'a'::text) = bf_add(bf_create(10), 'a'::name) AS of_another_type;

SET client_min_messages = warning;
DROP SCHEMA comparison CASCADE;
