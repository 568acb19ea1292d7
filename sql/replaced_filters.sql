--
-- State kept between calls is never used for a different filter: plans, cursors and functions that outlive the filter
-- they first saw. The filters are out of line, so that the cache identifies them by their TOAST pointers.
--
CREATE SCHEMA replaced_filters;
SET search_path = replaced_filters, public;

-- Filter n holds the numbers n * 10000 + 1 to 4000; all of them are of one size and one header. A few probes read
-- parts of a filter, many make a copy.
CREATE FUNCTION b(n integer) RETURNS bloomfilter LANGUAGE sql AS
    'SELECT bf_add_all(bf_create(40000, 1e-7), array_agg(n * 10000 + i)) FROM generate_series(1, 4000) AS i';
CREATE FUNCTION c(n integer) RETURNS cuckoofilter LANGUAGE sql AS
    'SELECT cf_add_all(cf_create(40000, 1e-7), array_agg(n * 10000 + i)) FROM generate_series(1, 4000) AS i';
CREATE TABLE held (id integer PRIMARY KEY, n integer, b bloomfilter, c cuckoofilter)
    WITH (autovacuum_enabled = off, toast.autovacuum_enabled = off);
INSERT INTO held SELECT 1, 1, b(1), c(1);
CREATE TABLE keys AS SELECT i AS k FROM generate_series(1, 4000) AS i;

-- Keys of filter n found, and of the filters before and after it.
CREATE VIEW found AS
    SELECT n, count(*) FILTER (WHERE bf_contains(b, n * 10000 + k) AND c @> (n * 10000 + k)) AS own,
        count(*) FILTER (WHERE bf_contains(b, n * 10000 - 10000 + k) OR c @> (n * 10000 - 10000 + k)) AS former,
        count(*) FILTER (WHERE bf_contains(b, n * 10000 + 10000 + k) OR c @> (n * 10000 + 10000 + k)) AS next
    FROM held, keys GROUP BY n;

--
-- Prepared statements, as generic and as custom plans.
--
PREPARE by_key AS SELECT bf_contains(b, $1) AND cf_contains(c, $1) AS contains FROM held WHERE id = 1;
PREPARE all_found AS SELECT * FROM found;
PREPARE by_filter(bloomfilter, cuckoofilter) AS
    SELECT count(*) FILTER (WHERE bf_contains($1, 20000 + k)) AS b, count(*) FILTER (WHERE $2 @> (20000 + k)) AS c
    FROM keys;
CREATE FUNCTION ask_prepared(mode text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    answer record;
BEGIN
    PERFORM set_config('plan_cache_mode', mode, true);
    FOR filter IN 1..3 LOOP
        UPDATE held SET n = filter, b = b(filter), c = c(filter);
        FOR key IN 1..3 LOOP
            EXECUTE format('EXECUTE by_key(%s)', key * 10000 + 17) INTO answer;
            ASSERT answer.contains = (key = filter), format('filter %s, key %s', filter, key);
        END LOOP;
        EXECUTE 'EXECUTE all_found' INTO answer;
        RETURN NEXT answer::text;
        EXECUTE format('EXECUTE by_filter(%L, %L)', b(filter), c(filter)) INTO answer;
        ASSERT answer.b = 4000 * (filter = 2)::integer AND answer.c = answer.b, answer;
    END LOOP;
END$$;
SELECT ask_prepared('force_custom_plan');
SELECT ask_prepared('force_generic_plan');
--
-- Functions, whose plans and expressions are kept; their variables hold the pointers that were read.
--
CREATE FUNCTION found_by_function(key integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    row held;
BEGIN
    SELECT * INTO row FROM held WHERE id = 1;
    RETURN bf_contains(row.b, key) AND cf_contains(row.c, key);
END$$;
CREATE FUNCTION replace_all(filter integer) RETURNS void LANGUAGE sql AS
    'UPDATE held SET n = filter, b = b(filter), c = c(filter)';
DO $$
DECLARE
    wrong integer := 0;
BEGIN
    FOR filter IN 1..20 LOOP
        PERFORM replace_all(filter);
        FOR key IN 1..21 LOOP
            wrong := wrong + (found_by_function(key * 10000 + 1) <> (key = filter))::integer;
        END LOOP;
    END LOOP;
    RAISE NOTICE '% wrong answers', wrong;
END$$;

-- Replaced by a delete and an insert, and by TRUNCATE of a table of the same transaction, which empties its files.
DO $$
DECLARE
    wrong integer := 0;
BEGIN
    FOR filter IN 1..10 LOOP
        DELETE FROM held;
        INSERT INTO held SELECT 1, filter, b(filter), c(filter);
        FOR key IN 1..11 LOOP
            wrong := wrong + (found_by_function(key * 10000 + 1) <> (key = filter))::integer;
        END LOOP;
    END LOOP;
    CREATE TABLE short_lived (b bloomfilter);
    FOR filter IN 1..10 LOOP
        TRUNCATE short_lived;
        INSERT INTO short_lived SELECT b(filter);
        FOR key IN 1..11 LOOP
            wrong := wrong + ((SELECT bf_contains(b, key * 10000 + 1) FROM short_lived) <> (key = filter))::integer;
        END LOOP;
    END LOOP;
    RAISE NOTICE '% wrong answers', wrong;
END$$;

-- A procedure that commits: other transactions, the same function.
CREATE PROCEDURE replace_and_commit(INOUT wrong integer) LANGUAGE plpgsql AS $$
DECLARE
    held_b bloomfilter;
    row record;
BEGIN
    wrong := 0;
    FOR filter IN 1..10 LOOP
        UPDATE held SET n = filter, b = b(filter), c = c(filter);
        COMMIT;
        SELECT b INTO held_b FROM held;
        FOR key IN 1..11 LOOP
            wrong := wrong + (bf_contains(held_b, key * 10000 + 1) <> (key = filter))::integer
                + (found_by_function(key * 10000 + 1) <> (key = filter))::integer;
        END LOOP;
        ROLLBACK;
    END LOOP;
    -- The rows of a loop outlive the commits in it, and changes to the table.
    FOR row IN SELECT h.b, h.n, k FROM held h, generate_series(1, 10) AS k LOOP
        UPDATE held SET n = row.k, b = b(row.k);
        COMMIT;
        wrong := wrong + (NOT bf_contains(row.b, row.n * 10000 + row.k))::integer
            + (bf_contains(row.b, row.n * 10000 + 10000 + row.k))::integer;
    END LOOP;
END$$;
CALL replace_and_commit(NULL);

-- VACUUM FULL and CLUSTER move a value, which keeps its TOAST identifier; VACUUM frees the identifiers of old ones.
SELECT replace_all(5);
PREPARE twice AS SELECT own, former, next FROM found;
EXECUTE twice;
VACUUM FULL held;
EXECUTE twice;
CLUSTER held USING held_pkey;
EXECUTE twice;
SELECT replace_all(6);
VACUUM held;
EXECUTE twice;
DELETE FROM held;
VACUUM held;
INSERT INTO held SELECT 1, 7, b(7), c(7);
EXECUTE twice;
SELECT found_by_function(70001), found_by_function(60001), found_by_function(50001);

-- An open cursor sees the rows for which it was opened, whatever happens later, even a held one after its transaction.
BEGIN;
DECLARE old CURSOR FOR
    SELECT n, bf_contains(b, n * 10000 + k) AS own, bf_contains(b, 80000 + k) AS other FROM held, keys;
FETCH 2 FROM old;
SELECT replace_all(8);
FETCH 2 FROM old;
DECLARE new CURSOR WITH HOLD FOR SELECT n, bf_contains(b, n * 10000 + k) AS own, b FROM held, keys WHERE k < 5;
FETCH 1 FROM old;
COMMIT;
SELECT replace_all(9);
VACUUM held;
MOVE 1 FROM new;
DO $$
DECLARE
    row record;
    new refcursor := 'new';
BEGIN
    FETCH new INTO row;
    ASSERT row.own AND bf_contains(row.b, 80001) AND NOT bf_contains(row.b, 90001);
END$$;
CLOSE new;

--
-- Rolled back: the old filter is back.
--
BEGIN;
SELECT found_by_function(90001) AS own, found_by_function(100001) AS next;
SAVEPOINT s;
SELECT replace_all(10);
SELECT found_by_function(90001) AS former, found_by_function(100001) AS own;
EXECUTE twice;
ROLLBACK TO s;
SELECT found_by_function(90001) AS own, found_by_function(100001) AS next;
EXECUTE twice;
UPDATE held SET b = bf_add(b, -5), c = cf_delete(c, 90001);
SELECT b @> -5 AS b, c @> 90001 AS c FROM held;
ROLLBACK TO s;
SELECT b @> -5 AS b, c @> 90001 AS c FROM held;
COMMIT;
DO $$
DECLARE
    wrong integer := 0;
BEGIN
    FOR filter IN 10..20 LOOP
        BEGIN
            PERFORM replace_all(filter);
            wrong := wrong + (NOT found_by_function(filter * 10000 + 1))::integer + found_by_function(90001)::integer;
            RAISE division_by_zero;
        EXCEPTION WHEN division_by_zero THEN
            wrong := wrong + found_by_function(filter * 10000 + 1)::integer + (NOT found_by_function(90001))::integer;
        END;
    END LOOP;
    RAISE NOTICE '% wrong answers', wrong;
END$$;

--
-- A composite type that changes while a call site remembers its columns: an error, whether rows are parts or not.
--
CREATE TYPE pair AS (number integer, label text);
CREATE FUNCTION change_pair(add text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    f bloomfilter := bf_create(100, 1e-7);
    g cuckoofilter := cf_create(100, 1e-7);
    value text := '(7,x)';
BEGIN
    FOR i IN 1..2 LOOP
        IF add = 'row' THEN
            f := bf_add(f, value::pair);
        ELSE
            g := cf_add_all(g, ARRAY[value::pair]);
        END IF;
        IF i = 1 THEN
            ALTER TYPE pair DROP ATTRIBUTE label;
            ALTER TYPE pair ADD ATTRIBUTE label text;
            value := '(8,y)';
        END IF;
    END LOOP;
END$$;
SELECT change_pair('row');
SELECT change_pair('array');

DEALLOCATE by_key;
DEALLOCATE all_found;
DEALLOCATE by_filter;
DEALLOCATE twice;
SET client_min_messages = warning;
DROP SCHEMA replaced_filters CASCADE;
