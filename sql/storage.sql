--
-- Filters in tables: in the row and out of it, under every storage mode, probed many at once, changed, and converted.
--
CREATE SCHEMA storage;
SET search_path = storage, public;

-- From 100 bytes to 1.2 MB, each in columns of all four storage modes unless the filter is too large for a row.
CREATE TABLE stored (n integer, plain_b bloomfilter, external_b bloomfilter, extended_b bloomfilter, main_b bloomfilter,
    plain_c cuckoofilter, external_c cuckoofilter, extended_c cuckoofilter, main_c cuckoofilter);
ALTER TABLE stored ALTER plain_b SET STORAGE plain, ALTER external_b SET STORAGE external,
    ALTER extended_b SET STORAGE extended,
    ALTER main_b SET STORAGE main, ALTER plain_c SET STORAGE plain, ALTER external_c SET STORAGE external,
    ALTER extended_c SET STORAGE extended, ALTER main_c SET STORAGE main;
INSERT INTO stored
    SELECT n, CASE WHEN n <= 1000 THEN b END, b, b, b, CASE WHEN n <= 1000 THEN c END, c, c, c
    FROM (SELECT n, bf_agg(i) AS b, cf_agg(i) AS c FROM unnest(ARRAY[10, 1000, 30000, 1000000]) n,
        generate_series(1, n) i GROUP BY n) AS f;
-- And one that compresses well, being almost empty.
INSERT INTO stored
    SELECT -1, NULL, b, b, b, NULL, c, c, c
    FROM (SELECT bf_add(bf_create(100000), 1) AS b, cf_add(cf_create(100000), 1) AS c) AS f;
SELECT n, extended_b::text = external_b::text AND main_b::text = external_b::text
    AND coalesce(plain_b::text = external_b::text, true) AS b_same,
    extended_c::text = external_c::text AND main_c::text = external_c::text
        AND coalesce(plain_c::text = external_c::text, true) AS c_same,
    pg_column_size(external_b) BETWEEN bf_size(abs(n)) - 5 AND bf_size(abs(n)) AS b_size,
    pg_column_size(external_c) BETWEEN cf_size(abs(n)) - 5 AND cf_size(abs(n)) AS c_size
FROM stored WHERE n > 0 ORDER BY n;
SELECT pg_column_size(external_b) > 100000 AS external, pg_column_size(extended_b) < 10000 AS extended,
    extended_b @> 1 AS b1, main_c @> 1 AS c1,
    bf_cardinality(extended_b) AS b, cf_cardinality(main_c) AS c
FROM stored WHERE n = -1;
SELECT n, count(*) FILTER (WHERE plain_b @> i AND plain_c @> i) AS plain,
    count(*) FILTER (WHERE external_b @> i AND external_c @> i) AS external,
    count(*) FILTER (WHERE extended_b @> i AND extended_c @> i) AS extended,
    count(*) FILTER (WHERE main_b @> i AND main_c @> i) AS main
FROM stored, generate_series(1, 1000) i WHERE n > 0 GROUP BY n ORDER BY n;

-- Every function on filters stored out of line.
SELECT n, bf_contains(external_b, n) AS contains, bf_contains_all(external_b, ARRAY[1, n]) AS "all",
    (bf_info(bf_add(external_b, -1))).value_kind AS add,
    bf_cardinality(external_b | extended_b) = bf_cardinality(external_b) AS "union",
    bf_cardinality(external_b & extended_b) = bf_cardinality(external_b)
    AS intersection, cf_count(external_c, n) >= 1 AS count, cf_cardinality(cf_delete(external_c, n)) AS delete,
    cf_cardinality(external_c | extended_c) AS c_union, cf_cardinality(cf_compact(external_c)) AS compact
FROM stored WHERE n IN (10, 30000) ORDER BY n;

-- A join that many rows probe, serial and in parallel; the filter as a subquery, a join, a lateral join and a CTE.
CREATE TABLE keys AS SELECT i, i * 7 % 60000 AS k FROM generate_series(1, 60000) i;
ANALYZE keys;
CREATE TABLE rare AS SELECT bf_agg(k, NULL, 1e-7) AS b, cf_agg(k, NULL, 1e-7) AS c FROM keys WHERE k < 20000;
SELECT count(*) FROM keys, rare WHERE bf_contains(b, k);
SELECT count(*) FROM keys WHERE cf_contains((SELECT c FROM rare), k);
WITH r AS MATERIALIZED (SELECT * FROM rare) SELECT count(*) FROM keys, r WHERE b @> k AND k <@ c;
SELECT count(*) FROM keys, LATERAL (SELECT b FROM rare WHERE k <> -1) AS r WHERE b @> k;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(*) FROM keys, rare WHERE bf_contains(b, k);
SELECT count(*) FROM keys WHERE cf_contains((SELECT c FROM rare), k);
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- Which of many filters may contain a key: more filters than a call site caches, in an order that changes all the
-- time. Half of them are stored in their rows.
CREATE TABLE many AS
    SELECT n, bf_agg(n * 1000 + i, CASE WHEN n % 2 = 0 THEN 2000 ELSE 100 END, 1e-7) AS b,
    cf_agg(n * 1000 + i, CASE WHEN n % 2 = 0 THEN 2000 ELSE 100 END, 1e-7) AS c
    FROM generate_series(1, 200) n, generate_series(1, 50) i GROUP BY n;
SELECT count(*) AS hits, count(*) FILTER (WHERE many.n = k / 1000) AS right_ones
FROM (SELECT n * 1000 + 25 AS k FROM generate_series(1, 200) n ORDER BY n * 37 % 201) AS keys, many
WHERE bf_contains(b, k);
SELECT count(*) AS hits, count(*) FILTER (WHERE many.n = k / 1000) AS right_ones
FROM (SELECT n * 1000 + 25 AS k FROM generate_series(1, 200) n ORDER BY n * 37 % 201) AS keys, many
WHERE cf_contains(c, k);
SELECT count(*) FROM many x JOIN many y ON x.n + 1 = y.n
WHERE x.b @> (x.n * 1000 + 1) AND NOT x.b @> (y.n * 1000 + 1) AND y.c @> (y.n * 1000 + 1);

-- The first probes of a large filter read only the parts of it that they need, later ones all of it: the answers are
-- those of the same filter in memory, including false positives. Each EXECUTE is a first probe.
CREATE TABLE large AS
    SELECT 'one layer' AS name, bf_agg(ARRAY[i]) AS b, cf_agg(ARRAY[i]) AS c FROM generate_series(1, 60000) i
    UNION ALL
    SELECT 'grown', bf_add_all(bf_create(2000), array_agg(ROW(i))), cf_add_all(cf_create(2000), array_agg(ROW(i)))
    FROM generate_series(1, 60000) i
    UNION ALL
    SELECT 'wide slots', bf_agg(i, NULL, 1e-7), cf_agg(i, NULL, 1e-7) FROM generate_series(1, 60000) i;
CREATE FUNCTION compare_first_probes(name text, value text, OUT probes integer, OUT b_wrong integer,
    OUT c_wrong integer, OUT missing integer) LANGUAGE plpgsql AS $$
DECLARE
    flat record;
    first_probe record;
    in_b boolean;
    in_c boolean;
    number integer;
BEGIN
    probes := 0;
    b_wrong := 0;
    c_wrong := 0;
    missing := 0;
    SELECT l.b::text::bloomfilter AS b, l.c::text::cuckoofilter AS c FROM large l WHERE l.name = $1 INTO flat;
    FOR i IN -300..300 LOOP
        number := i * 199;
        EXECUTE format('SELECT $1 @> v, $2 @> v FROM (SELECT %s) AS v (v)', replace(value, 'i', number::text))
            INTO in_b, in_c USING flat.b, flat.c;
        EXECUTE format('SELECT b @> v AS b, c @> v AS c FROM large, (SELECT %s) AS v (v) WHERE name = $1',
            replace(value, 'i', number::text)) INTO first_probe USING name;
        probes := probes + 1;
        b_wrong := b_wrong + (first_probe.b <> in_b)::integer;
        c_wrong := c_wrong + (first_probe.c <> in_c)::integer;
        missing := missing + (i > 0 AND NOT (first_probe.b AND first_probe.c))::integer;
    END LOOP;
END$$;
SELECT name, pg_column_size(b) > 40000 AND pg_column_size(c) > 40000 AS large, p.*
FROM (VALUES ('one layer', 'ARRAY[i]'), ('grown', 'ROW(i)'), ('wide slots', 'i')) AS v (name, value)
    JOIN large USING (name), compare_first_probes(name, value) AS p
ORDER BY name;
-- Many of them, each probed by few keys.
CREATE TABLE shelves AS
    SELECT n, bf_agg(n * 100000 + i, 12000, 1e-7) AS b, cf_agg(n * 100000 + i, 12000, 1e-7) AS c
    FROM generate_series(1, 40) n, generate_series(1, 12000) i GROUP BY n;
SELECT count(*) FILTER (WHERE bf_contains(b, k)) AS b_hits, count(*) FILTER (WHERE cf_contains(c, k)) AS c_hits,
    count(*) FILTER (WHERE k / 100000 = n AND bf_contains(b, k) AND cf_contains(c, k)) AS right_ones,
    count(*) FILTER (WHERE cf_count(c, k) = 1) AS counts
FROM shelves, (SELECT n * 100000 + j * 1111 AS k FROM generate_series(1, 40) n, generate_series(1, 10) j
    ORDER BY j * 7 % 11, n * 7 % 41) AS keys;

-- Changing stored filters. The next probe sees a change, even in the same function.
CREATE TABLE changing WITH (autovacuum_enabled = off, toast.autovacuum_enabled = off) AS
    SELECT bf_create(20000, 1e-7) AS b, cf_create(20000, 1e-7) AS c;
DO $$
DECLARE
    stored_b bloomfilter;
BEGIN
    FOR i IN 1..50 LOOP
        ASSERT NOT (SELECT bf_contains(b, i) OR cf_contains(c, i) FROM changing), 'found too early';
        UPDATE changing SET b = bf_add(b, i), c = cf_add(c, i);
        ASSERT (SELECT bf_contains(b, i) AND cf_contains(c, i) FROM changing), 'not found';
        SELECT b INTO stored_b FROM changing;
        ASSERT bf_contains(stored_b, i), 'not found in the variable';
        ASSERT NOT bf_contains(stored_b, i + 1), 'found too early in the variable';
        UPDATE changing SET c = cf_delete(c, i);
        ASSERT NOT (SELECT cf_contains(c, i) FROM changing), 'not deleted';
    END LOOP;
END$$;
BEGIN;
UPDATE changing SET b = bf_add(b, 1000), c = cf_add(c, 1000);
SELECT b @> 1000 AS b, c @> 1000 AS c FROM changing;
ROLLBACK;
SELECT b @> 1000 AS b, c @> 1000 AS c FROM changing;

-- An addition or deletion that changes nothing keeps the stored value: no bytes are written for it, however often. A
-- table that always gets the same value does not grow.
CREATE FUNCTION toast_bytes(relation regclass) RETURNS bigint LANGUAGE sql AS
    'SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE oid = relation';
SELECT toast_bytes('changing') AS before \gset
DO $$
BEGIN
    FOR i IN 1..50 LOOP
        UPDATE changing SET b = bf_add(b, i), c = cf_delete(c, i);
        UPDATE changing SET b = bf_add_all(b, ARRAY[i, NULL]), c = cf_add_all(c, ARRAY[NULL, NULL::integer]);
        UPDATE changing SET b = bf_add(b, NULL), c = cf_delete_all(c, ARRAY[i]);
    END LOOP;
END$$;
SELECT toast_bytes('changing') = :before AS nothing_written, :before > 0 AS out_of_line FROM changing;
UPDATE changing SET b = bf_add(b, -1);
SELECT toast_bytes('changing') > :before AS written FROM changing;

-- Maintenance by a trigger.
CREATE TABLE items (id integer PRIMARY KEY);
CREATE TABLE summary AS SELECT cf_create(1000, 1e-7) AS c;
CREATE FUNCTION maintain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE summary SET c = cf_delete_all(c, ARRAY(SELECT id FROM old_rows));
    END IF;
    IF TG_OP <> 'DELETE' THEN
        UPDATE summary SET c = cf_add_all(c, ARRAY(SELECT id FROM new_rows));
    END IF;
    RETURN NULL;
END$$;
CREATE TRIGGER inserted AFTER INSERT ON items REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION maintain();
CREATE TRIGGER updated AFTER UPDATE ON items REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION maintain();
CREATE TRIGGER deleted AFTER DELETE ON items REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION maintain();
INSERT INTO items SELECT generate_series(1, 500);
UPDATE items SET id = id + 10000 WHERE id % 2 = 0;
DELETE FROM items WHERE id < 100;
SELECT cf_cardinality(c) AS cardinality, (SELECT count(*) FROM items) AS items,
    (SELECT count(*) FROM items WHERE NOT c @> id) AS missing,
    (SELECT count(*) FROM generate_series(1, 20000) i WHERE c @> i) AS found
FROM summary;

-- Arrays and rows of filters, and filters in a row that is itself stored out of line.
CREATE TYPE both_filters AS (b bloomfilter, c cuckoofilter);
CREATE TABLE nested AS
    SELECT ARRAY[b, b | bf_add(bf_create(10), -1)] AS a, ROW(b, c)::both_filters AS r
    FROM (SELECT bf_agg(i) AS b, cf_agg(i) AS c FROM generate_series(1, 30000) i) AS f;
SELECT a[1] @> 30000 AS a1, a[2] @> -1 AS a2, (r).b @> 1 AS rb, (r).c @> 2 AS rc,
    a::text::bloomfilter[]::text = a::text AS array_text,
    r::text::both_filters::text = r::text AS row_text
FROM nested;
SELECT count(*) FROM nested, generate_series(1, 1000) i WHERE bf_contains((r).b, i) AND bf_contains(a[1], i);

-- Text, bytea and binary: the round trip preserves every byte.
SELECT n, external_b::text::bloomfilter::text = external_b::text AS b_text,
    external_b::bytea::bloomfilter::text = external_b::text AS b_bytea,
    _bloomfilter_send(external_b) = external_b::bytea AS b_send,
    encode(external_b::bytea, 'base64') = regexp_replace(external_b::text, '(.{76})(?=.)', E'\\1\n', 'g')
    AS b_base64
FROM stored WHERE n IN (10, 1000, 30000) ORDER BY n;
SELECT n, external_c::text::cuckoofilter::text = external_c::text AS c_text,
    external_c::bytea::cuckoofilter::text = external_c::text AS c_bytea,
    _cuckoofilter_send(external_c) = external_c::bytea AS c_send
FROM stored WHERE n IN (10, 1000, 30000) ORDER BY n;
SELECT external_b::text::bloomfilter @> 1000000 AS b, external_c::bytea::cuckoofilter @> 1000000 AS c FROM stored
WHERE n = 1000000;
-- Bytes are checked and become a filter where they are assigned, and by an explicit cast; nowhere else, since the
-- check takes time for every byte.
CREATE TABLE casts (b bloomfilter);
INSERT INTO casts SELECT external_b::bytea FROM stored WHERE n = 10 RETURNING b @> 10 AS assigned;
DELETE FROM casts;
\set VERBOSITY sqlstate
SELECT bf_cardinality(external_b::bytea) FROM stored WHERE n = 10;
\set VERBOSITY default

-- Written as a literal, the form that scripts and logical replication use.
INSERT INTO casts VALUES ('Y2tmbAEBAQB7FK5H4XqEPwAAAAAAAAAA');
SELECT b::text = bf_create(NULL)::text AS literal FROM casts;

SET client_min_messages = warning;
DROP SCHEMA storage CASCADE;
