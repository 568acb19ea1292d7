--
-- Joins that filter themselves lock what they would lock without filters, in the same modes: no parent of a partition that the query
-- names, and no index that its plan does not use.
--
LOAD 'cuckoo_scan';
CREATE SCHEMA join_filter_locks;
SET search_path = join_filter_locks, public;
\set common `echo "$PG_ABS_SRCDIR"`/sql/common/join_filter.sql
\i :common
SET jit = off;

CREATE TABLE ranges (n integer, k integer) PARTITION BY RANGE (k);
CREATE TABLE ranges_1 PARTITION OF ranges FOR VALUES FROM (0) TO (600);
CREATE TABLE ranges_2 PARTITION OF ranges FOR VALUES FROM (600) TO (5000) PARTITION BY LIST (k);
CREATE TABLE ranges_2_1 PARTITION OF ranges_2 FOR VALUES IN (600, 601, 602);
CREATE TABLE ranges_2_2 PARTITION OF ranges_2 DEFAULT;
CREATE TABLE lists (n integer, k integer) PARTITION BY LIST (k);
CREATE TABLE lists_1 PARTITION OF lists FOR VALUES IN (1, 2, 3, 5, 7);
CREATE TABLE lists_2 PARTITION OF lists DEFAULT;
CREATE TABLE hashes (n integer, k integer) PARTITION BY HASH (k);
CREATE TABLE hashes_1 PARTITION OF hashes FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE hashes_2 PARTITION OF hashes FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE heirs (n integer, k integer CHECK (k >= 0));
CREATE TABLE heirs_1 (CHECK (k > 600 AND k < 4000)) INHERITS (heirs);
CREATE TABLE indexed (n integer, k integer, g integer);
INSERT INTO ranges SELECT n, n FROM facts;
INSERT INTO lists SELECT n, n FROM facts WHERE n < 3900;
INSERT INTO hashes SELECT n, n FROM facts;
INSERT INTO heirs_1 SELECT n, n FROM facts WHERE n BETWEEN 700 AND 3900;
INSERT INTO indexed SELECT n, n, n % 5 FROM generate_series(1, 40000) AS n;
CREATE INDEX ON indexed USING brin (k) WITH (pages_per_range = 16);
CREATE INDEX ON indexed USING brin (n, k) WITH (pages_per_range = 16);
CREATE INDEX ON indexed (n);
CREATE UNIQUE INDEX ON dimension (id);
CREATE TABLE odd (id integer);
INSERT INTO odd SELECT 7 + 2 * n FROM generate_series(0, 9) AS n;
ANALYZE ranges, lists, hashes, heirs, indexed, dimension, odd;

-- The locks on these tables and their indexes that a transaction with a statement holds at its end. What it does is undone.
-- is_first: as the first statement of a session, without what is known of the tables from before.
CREATE FUNCTION locks(statement text, is_first boolean, filtered boolean) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    result text[];
BEGIN
    PERFORM set_config('cuckoo_scan.enable_join_filter', filtered::text, false);
    BEGIN
        IF is_first THEN
            UPDATE pg_class SET relname = relname WHERE relnamespace = 'join_filter_locks'::regnamespace;
        END IF;
        EXECUTE statement;
        SELECT array_agg(relname || ' ' || mode) INTO result
        FROM pg_locks JOIN pg_class c ON relation = c.oid WHERE pid = pg_backend_pid() AND relnamespace = 'join_filter_locks'::regnamespace;
        RAISE SQLSTATE 'UNDO0';
    EXCEPTION WHEN SQLSTATE 'UNDO0' THEN
        RETURN result;
    END;
END$$;
CREATE FUNCTION has_filter(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    result boolean;
BEGIN
    SET cuckoo_scan.enable_join_filter = on;
    BEGIN
        result := plan_of(query)::text ~ 'CuckooRuntimeFilter';
        RAISE SQLSTATE 'UNDO0';
    EXCEPTION WHEN SQLSTATE 'UNDO0' THEN
        RETURN result;
    END;
END$$;
CREATE FUNCTION other_locks(with_filter text[], without text[]) RETURNS text[] LANGUAGE sql AS $$
    SELECT array_agg(DISTINCT l ORDER BY l)
    FROM (SELECT unnest(with_filter) UNION ALL SELECT 'no ' || l FROM unnest(without) AS l WHERE l <> ALL (with_filter)) AS q(l)
    WHERE l <> ALL (without)
$$;
-- What is locked with filters only, and what is not; by a query that is planned, and by a cached plan.
CREATE FUNCTION compare_locks(query text, OUT filtered boolean, OUT planned text[], OUT cached text[]) LANGUAGE plpgsql AS $$
BEGIN
    filtered := has_filter(query);
    planned := other_locks(locks(query, true, true), locks(query, true, false));
    SET cuckoo_scan.enable_join_filter = on;
    EXECUTE 'PREPARE cached AS ' || query;
    -- What other sessions do can make PostgreSQL plan again, which locks all indexes.
    FOR attempt IN 1 .. 5 LOOP
        PERFORM locks('EXECUTE cached', false, true);
        cached := other_locks(locks('EXECUTE cached', false, true), locks('EXECUTE cached', false, false));
        EXIT WHEN cached IS NULL;
    END LOOP;
    DEALLOCATE cached;
END$$;
SET plan_cache_mode = force_generic_plan;
CREATE TABLE queries (id integer GENERATED ALWAYS AS IDENTITY, query text);
INSERT INTO queries (query) VALUES
    -- partitions by their names, and their parents
    ('SELECT * FROM ranges_1 f JOIN dimension d ON f.k = d.id'),
    ('SELECT * FROM ranges_2_1 f JOIN dimension d ON f.k = d.id'),
    ('SELECT * FROM ranges_2_2 f JOIN dimension d ON f.k = d.id'),
    ('SELECT * FROM ranges_2 f JOIN dimension d ON f.k = d.id'),
    ('SELECT * FROM ranges f JOIN dimension d ON f.k = d.id'),
    ('SELECT * FROM lists_1 f JOIN dimension d ON f.k = d.id'),
    ('SELECT * FROM lists_2 f JOIN dimension d ON f.k = d.id'),
    ('SELECT * FROM lists f JOIN dimension d ON f.k = d.id'),
    ('SELECT * FROM hashes_1 f JOIN odd d ON f.k = d.id'),
    ('SELECT * FROM hashes f JOIN odd d ON f.k = d.id'),
    ('SELECT * FROM ranges_1 f JOIN dimension d ON f.k = d.id JOIN hashes_2 h ON f.k = h.k'),
    ('SELECT * FROM (SELECT k, count(*) FROM lists_1 GROUP BY k) f JOIN dimension d ON f.k = d.id'),
    ('SELECT * FROM (SELECT n, k FROM ranges_1 UNION ALL SELECT n, k FROM lists_2) f JOIN dimension d ON f.k = d.id'),
    ('SELECT d.id, (SELECT count(*) FROM ranges_1 f JOIN odd o ON f.k = o.id WHERE f.n > d.id) FROM dimension d WHERE d.id < 30'),
    ('UPDATE ranges_1 f SET n = 0 FROM dimension d WHERE f.k = d.id'),
    ('DELETE FROM lists_2 f USING dimension d WHERE f.k = d.id'),
    ('SELECT * FROM (SELECT f.* FROM hashes_1 f JOIN odd d ON f.k = d.id FOR UPDATE OF f) q'),
    -- CHECK constraints, inheritance
    ('SELECT * FROM heirs_1 f JOIN dimension d ON f.k = d.id'),
    ('SELECT * FROM heirs f JOIN dimension d ON f.k = d.id'),
    ('SELECT * FROM ONLY heirs f JOIN dimension d ON f.k = d.id'),
    -- indexes
    ('SELECT * FROM indexed f JOIN dimension d ON f.k = d.id'),
    ('SELECT * FROM indexed f JOIN dimension d ON f.n = d.id AND f.k = d.id'),
    ('SELECT * FROM indexed f JOIN indexed d ON f.k = d.n WHERE d.n < 20'),
    ('SELECT * FROM indexed f WHERE k IN (SELECT id FROM dimension WHERE g = 1)'),
    ('SELECT * FROM (SELECT k, g, count(*) FROM indexed GROUP BY k, g) f JOIN dimension d ON f.k = d.id'),
    ('UPDATE indexed f SET g = 0 FROM dimension d WHERE f.k = d.id');
SELECT id, c.* FROM queries, compare_locks(query) AS c ORDER BY id;
-- With other settings: how many are filtered, and those whose locks are others.
CREATE FUNCTION compare_all(OUT filtered bigint, OUT other integer[]) LANGUAGE sql AS $$
    SELECT count(*) FILTER (WHERE filtered), array_agg(id ORDER BY id) FILTER (WHERE planned IS NOT NULL OR cached IS NOT NULL)
    FROM queries, compare_locks(query)
$$;
SET constraint_exclusion = on;
SELECT filtered > 20 AS filtered, other FROM compare_all();
SET constraint_exclusion = off;
SET enable_partition_pruning = off;
SELECT filtered > 20 AS filtered, other FROM compare_all();
RESET constraint_exclusion;
RESET enable_partition_pruning;
SET cuckoo_scan.join_filter_costs = on;
SET enable_nestloop = on;
SELECT filtered > 10 AS filtered, other FROM compare_all();
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT filtered > 10 AS filtered, other FROM compare_all();
SET max_parallel_workers_per_gather = 0;
SET enable_hashjoin = off;
SELECT c.planned, c.cached FROM queries, compare_locks(query) AS c WHERE id IN (1, 9, 27);

SET client_min_messages = warning;
DROP SCHEMA join_filter_locks CASCADE;
