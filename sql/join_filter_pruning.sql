--
-- Joins that filter themselves skip no partition that has a row with a match: random partitioned tables, with few keys and with many.
--
LOAD 'cuckoo_scan';
CREATE SCHEMA join_filter_pruning;
SET search_path = join_filter_pruning, public;
\set common `echo "$PG_ABS_SRCDIR"`/sql/common/join_filter.sql
\i :common
SET cuckoo_scan.join_filter_max_match_fraction = 1;
SET client_min_messages = warning;
SELECT setseed(0.54);

CREATE FUNCTION at_random(upto integer) RETURNS integer LANGUAGE sql VOLATILE AS 'SELECT floor(random() * upto)::integer';
-- A bound of some columns. The first and the last one of a table may be without limits, and any column but the first one, too.
CREATE FUNCTION bound(place integer[], columns integer, first boolean, last boolean) RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT string_agg(CASE WHEN first THEN 'MINVALUE' WHEN last THEN 'MAXVALUE'
        WHEN n > 1 AND place[n] = 0 THEN 'MINVALUE' WHEN n > 1 AND place[n] = 5 THEN 'MAXVALUE' ELSE place[n]::text END, ', ' ORDER BY n)
    FROM generate_series(1, columns) AS n
$$;
-- Values beyond a column without limits say nothing more.
CREATE FUNCTION limited(place integer[]) RETURNS integer[] LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN place[2] IN (0, 5) THEN ARRAY[place[1], place[2], place[2]] ELSE place END
$$;
CREATE PROCEDURE make_ranges(columns integer) LANGUAGE plpgsql AS $$
DECLARE
    place integer[];
    before integer[];
    count integer := 0;
    open_below boolean := random() < 0.3;
    open_above boolean := random() < 0.3;
    places integer[][] := (SELECT array_agg(p ORDER BY p) FROM (SELECT DISTINCT p FROM (SELECT limited(
            CASE columns WHEN 1 THEN ARRAY[a, 1, 1] WHEN 2 THEN ARRAY[a, b, 1] ELSE ARRAY[a, b, c] END) AS p
            FROM (SELECT at_random(5) AS a, at_random(6) AS b, at_random(6) AS c FROM generate_series(1, 4 + at_random(12))) AS r) AS l) AS d);
BEGIN
    EXECUTE format('CREATE TABLE t (a integer, b integer, c integer) PARTITION BY RANGE (%s)', (ARRAY['a', 'a, b', 'a, b, c'])[columns]);
    FOREACH place SLICE 1 IN ARRAY places LOOP
        count := count + 1;
        IF before IS NOT NULL AND (random() < 0.8 OR count = 2) THEN
            EXECUTE format('CREATE TABLE t_%s PARTITION OF t FOR VALUES FROM (%s) TO (%s)', count,
                bound(before, columns, open_below AND count = 2, false),
                bound(place, columns, false, open_above AND count = array_length(places, 1)));
        END IF;
        before := place;
    END LOOP;
END$$;
CREATE PROCEDURE make_lists() LANGUAGE plpgsql AS $$
BEGIN
    CREATE TABLE t (a integer, b integer, c integer) PARTITION BY LIST (a);
    FOR n IN 0 .. 5 LOOP
        EXECUTE format('CREATE TABLE t_%s PARTITION OF t FOR VALUES IN (%s, %s%s)', n, n, n + 6, CASE WHEN n = 3 THEN ', NULL' END);
    END LOOP;
END$$;
-- The rows that have a partition: all, if there is a default one.
CREATE PROCEDURE fill() LANGUAGE plpgsql AS $$
DECLARE
    r record;
BEGIN
    IF random() < 0.4 THEN
        CREATE TABLE t_default PARTITION OF t DEFAULT;
    END IF;
    FOR r IN SELECT CASE WHEN n % 50 > 0 THEN at_random(7) - 1 END AS a, at_random(7) - 1 AS b, at_random(7) - 1 AS c FROM generate_series(1, 400) AS n LOOP
        BEGIN
            INSERT INTO t VALUES (r.a, r.b, r.c);
        EXCEPTION WHEN check_violation THEN
        END;
    END LOOP;
END$$;

DO $$
DECLARE
    query text;
    result text;
    different integer := 0;
    compared integer := 0;
    skipping integer := 0;
BEGIN
    FOR round IN 1 .. 45 LOOP
        IF round % 5 = 0 THEN
            CALL make_lists();
        ELSE
            CALL make_ranges(1 + round % 3);
        END IF;
        CALL fill();
        -- Few keys; many, of which each bound is the least or the greatest one; and none that is in the table.
        CREATE TABLE few AS SELECT at_random(14) - 1 AS a, at_random(7) - 1 AS b FROM generate_series(1, 1 + at_random(3));
        CREATE TABLE below AS SELECT 5 - n AS a, n % 7 AS b FROM generate_series(0, 500) AS n;
        CREATE TABLE above AS SELECT n AS a, n % 7 AS b FROM generate_series(0, 500) AS n;
        CREATE TABLE none AS SELECT NULL::integer AS a, 1 AS b UNION ALL SELECT 100, NULL;
        ANALYZE t, few, below, above, none;
        FOREACH query IN ARRAY ARRAY['SELECT * FROM t JOIN few USING (a)', 'SELECT * FROM t JOIN few USING (a, b)',
            'SELECT * FROM t JOIN none USING (a)', 'SELECT * FROM t JOIN below USING (a, b)', 'SELECT * FROM t JOIN above USING (b)'] ||
            (SELECT array_agg(format('SELECT * FROM t WHERE a IN (SELECT a FROM %s %s)', s, n)) FROM generate_series(0, 5) AS n,
                unnest(ARRAY['below WHERE a <=', 'above WHERE a >=']) AS s)
        LOOP
            result := (compared(query)).outcome;
            compared := compared + 1;
            skipping := skipping + (jsonb_path_exists(plan_of(query, true), 'strict $.**."Partition Skipped"'))::integer;
            IF result !~ '^\d+ rows$' THEN
                different := different + 1;
                RAISE WARNING 'round %, %: %', round, query, result;
            END IF;
        END LOOP;
        DROP TABLE t, few, below, above, none;
    END LOOP;
    RAISE WARNING '% comparisons, in more than 300 of which partitions are skipped: %; % differ', compared, skipping > 300, different;
END$$;

-- Long keys take no memory for it. They are compressed here: 120 of 1 MB each, of which the query itself has one at a time.
CREATE TABLE long_keys (k text, n integer) PARTITION BY RANGE (k);
CREATE TABLE long_keys_1 PARTITION OF long_keys FOR VALUES FROM (MINVALUE) TO ('5');
CREATE TABLE long_keys_2 PARTITION OF long_keys FOR VALUES FROM ('5') TO (MAXVALUE);
INSERT INTO long_keys SELECT (1 + n % 9)::text || n, n FROM generate_series(1, 20000) AS n;
CREATE TABLE few_keys AS SELECT n::text || repeat('x', 1000000) AS k FROM generate_series(1, 120) AS n UNION ALL SELECT '21';
ANALYZE long_keys, few_keys;
CREATE FUNCTION peak() RETURNS bigint LANGUAGE sql VOLATILE AS $$
    SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s+(\d+)')::bigint / 1024
$$;
CREATE FUNCTION more_memory(query text, OUT more bigint, OUT filtered boolean) LANGUAGE plpgsql AS $$
BEGIN
    SET cuckoo_scan.enable_join_filter = off;
    PERFORM plan_of(query, true);
    more := -peak();
    SET cuckoo_scan.enable_join_filter = on;
    filtered := jsonb_path_exists(plan_of(query, true), 'strict $.** ? (exists(@."Runtime Filter"))');
    more := more + peak();
END$$;
SELECT filtered, more < 20 AS bounded FROM more_memory('SELECT l.n FROM long_keys l JOIN few_keys f ON l.k = f.k');
SELECT outcome FROM compared('SELECT l.n FROM long_keys l JOIN few_keys f ON l.k = f.k');
DROP SCHEMA join_filter_pruning CASCADE;
