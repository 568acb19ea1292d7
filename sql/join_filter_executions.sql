--
-- Joins that filter themselves: the same rows as without it, in every kind of execution.
--
LOAD 'cuckoo_scan';
CREATE SCHEMA join_filter_executions;
SET search_path = join_filter_executions, public;
\set common `echo "$PG_ABS_SRCDIR"`/sql/common/join_filter.sql
\i :common

-- Keys that change with each execution are made into no filter, on the side that is hashed or on the other one.
SELECT * FROM compared('SELECT o.id, (SELECT count(*) FROM skewed s WHERE EXISTS (SELECT FROM facts f WHERE f.n = s.id + o.g)) FROM other o');
SELECT * FROM compared('SELECT o.id, (SELECT sum(f.n) FROM skewed s LEFT JOIN facts f ON f.n = s.id + o.id * 50) FROM other o');
-- A join that is executed again, with other rows on one side or the other.
SELECT query, c.*
FROM unnest(ARRAY[
    'SELECT o.id, (SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = o.g) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id WHERE f.g = o.g) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id + o.g) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id AND d.g = (SELECT o.g)) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id AND f.g < (SELECT max(g) FROM other)) FROM other o',
    'SELECT o.id, (SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id AND d.g < (SELECT max(g) FROM other)) FROM other o',
    'SELECT o.id, q.n FROM other o, LATERAL (SELECT f.n FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = o.g ORDER BY f.n LIMIT 3) q',
    'SELECT o.id, q.n FROM other o, LATERAL (SELECT f.n FROM facts f JOIN dimension d ON f.k = d.id WHERE f.g = o.g ORDER BY f.n LIMIT 3) q',
    'SELECT o.id, EXISTS (SELECT FROM facts f JOIN dimension d ON f.k = d.id WHERE f.n > o.id * 100 AND d.g >= o.g) FROM other o',
    'WITH RECURSIVE r(k) AS (SELECT 10 UNION SELECT d.id + 10 FROM r JOIN facts f ON f.k = r.k JOIN dimension d ON f.k = d.id) SELECT * FROM r',
    'WITH RECURSIVE r(k) AS (SELECT 10 UNION SELECT f.n FROM facts f JOIN r ON f.k = r.k) SELECT * FROM r']) AS query, compared(query) AS c;
SET enable_nestloop = on;
SET enable_material = off;
SELECT * FROM compared('SELECT o.id, q.c FROM other o LEFT JOIN LATERAL (SELECT count(*) AS c FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = o.g) q ON true');
RESET enable_material;
-- Memoize keeps results of a join with a filter.
SELECT query, c.*, plan_of(query)::text ~ 'Memoize' AS memoized
FROM unnest(ARRAY[
    'SELECT o.n, q.c FROM facts o, LATERAL (SELECT count(*) AS c FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = o.g % 7 OFFSET 0) q WHERE o.n < 300',
    'SELECT o.n, q.c FROM facts o, LATERAL (SELECT count(*) AS c FROM facts f JOIN dimension d ON f.k = d.id WHERE f.g = o.g OFFSET 0) q WHERE o.n < 300',
    'SELECT o.n, q.c FROM facts o, LATERAL (SELECT count(*) AS c FROM skewed s JOIN many_facts f ON s.id = f.n WHERE f.n > o.g OFFSET 0) q WHERE o.n < 300']) AS query, compared(query) AS c;
SET enable_nestloop = off;

-- Prepared statements, with a plan of their own and a generic one.
PREPARE prepared(integer) AS SELECT count(*), sum(n) FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g < $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE prepared(1);
EXECUTE prepared(5);
EXECUTE prepared(0);
EXECUTE prepared(NULL);
SET cuckoo_scan.enable_join_filter = off;
EXECUTE prepared(5);
SET cuckoo_scan.enable_join_filter = on;
SET plan_cache_mode = force_custom_plan;
EXECUTE prepared(1);
EXECUTE prepared(5);
RESET plan_cache_mode;

-- Cursors.
BEGIN;
DECLARE moves SCROLL CURSOR WITH HOLD FOR SELECT n FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 3 ORDER BY n;
FETCH 3 FROM moves;
FETCH BACKWARD 2 FROM moves;
FETCH LAST FROM moves;
COMMIT;
FETCH FIRST FROM moves;
FETCH ABSOLUTE 5 FROM moves;
CLOSE moves;
BEGIN;
DECLARE unsorted SCROLL CURSOR FOR SELECT n FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 3;
FETCH LAST FROM unsorted;
FETCH FIRST FROM unsorted;
MOVE ABSOLUTE 20 IN unsorted;
FETCH BACKWARD 2 FROM unsorted;
ROLLBACK;
-- Two at a time.
BEGIN;
DECLARE one CURSOR FOR SELECT n FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 3;
DECLARE two CURSOR FOR SELECT n FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 4;
FETCH 2 FROM one;
FETCH 2 FROM two;
FETCH 2 FROM one;
SAVEPOINT before;
SELECT count(*), sum(1 / (n - 3990)) FROM facts f JOIN dimension d ON f.k = d.id;
ROLLBACK TO before;
FETCH 2 FROM two;
FETCH 2 FROM one;
ROLLBACK;

-- Changes.
BEGIN;
WITH changed AS (UPDATE facts f SET g = -1 FROM dimension d WHERE f.k = d.id AND d.g = 3 RETURNING n) SELECT count(*) FROM changed;
-- The table that is changed is scanned by PostgreSQL; other tables have filters, also of its keys.
SELECT EXISTS (SELECT FROM probes('UPDATE facts f SET g = -1 FROM dimension d WHERE f.k = d.id AND d.g = 3', false)) AS filtered;
SELECT EXISTS (SELECT FROM probes('DELETE FROM parted f USING dimension d WHERE f.k = d.id AND d.g = 3', false)) AS filtered;
SELECT EXISTS (SELECT FROM probes('WITH w AS (DELETE FROM facts f USING dimension d WHERE f.k = d.id AND d.g = 3 RETURNING 1)
    SELECT count(*) FROM w', false)) AS filtered;
SELECT EXISTS (SELECT FROM probes('UPDATE dimension d SET g = d.g FROM facts f WHERE f.k = d.id AND d.g = 3', false)) AS filtered;
SELECT EXISTS (SELECT FROM probes('DELETE FROM dimension d WHERE g = 3 AND EXISTS (SELECT FROM facts f WHERE f.k = d.id)', false)) AS filtered;
WITH changed AS (UPDATE parted f SET n = n FROM dimension d WHERE f.k = d.id AND d.g = 3 RETURNING n) SELECT count(*) FROM changed;
WITH changed AS (DELETE FROM facts f USING dimension d WHERE f.k = d.id AND d.g = 2 RETURNING n) SELECT count(*) FROM changed;
SELECT count(*) FROM (SELECT n FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g < 4 FOR UPDATE OF f) AS q;
SELECT count(*) FROM (SELECT f.n FROM (SELECT k, n FROM facts FOR UPDATE) f JOIN dimension d ON f.k = d.id WHERE d.g < 4) AS q;
WITH changed AS (UPDATE facts f SET g = -2 FROM skewed s WHERE f.n = s.id RETURNING n) SELECT count(*) FROM changed;
SELECT reads_ahead('UPDATE facts f SET g = -2 FROM skewed s WHERE f.n = s.id');
-- MERGE.
DO $$
BEGIN
    SET LOCAL cuckoo_scan.enable_join_filter = off;
    CREATE TEMP TABLE plain AS SELECT n, k, g FROM facts;
    CREATE TEMP TABLE filtered AS SELECT n, k, g FROM facts;
    ANALYZE plain, filtered;
    FOR i IN 1 .. CASE WHEN current_setting('server_version_num')::integer >= 150000 THEN 2 ELSE 0 END LOOP
        EXECUTE format('MERGE INTO %s f USING (SELECT id, min(g) AS g FROM dimension GROUP BY id) d ON f.k = d.id
            WHEN MATCHED AND d.g = 3 THEN DELETE WHEN MATCHED THEN UPDATE SET g = -3', CASE i WHEN 1 THEN 'plain' ELSE 'filtered' END);
        EXECUTE format('MERGE INTO %s f USING dimension d ON f.n = d.id + 3995
            WHEN MATCHED THEN UPDATE SET g = -4 WHEN NOT MATCHED THEN INSERT VALUES (d.id, d.id, d.g)', CASE i WHEN 1 THEN 'plain' ELSE 'filtered' END);
        SET LOCAL cuckoo_scan.enable_join_filter = on;
    END LOOP;
    SET LOCAL cuckoo_scan.enable_join_filter = on;
END$$;
SELECT count(*) AS differences FROM (TABLE plain EXCEPT ALL TABLE filtered UNION ALL (TABLE filtered EXCEPT ALL TABLE plain)) q;
CREATE TABLE copied (id serial, n integer);
INSERT INTO copied (n) SELECT n FROM facts f JOIN dimension d ON f.k = d.id;
SELECT EXISTS (SELECT FROM probes('INSERT INTO copied (n) SELECT n FROM facts f JOIN dimension d ON f.k = d.id', false)) AS filtered;
SELECT count(*), max(id) FROM copied;
ROLLBACK;

-- PL/pgSQL, with a query in the loop of another.
CREATE FUNCTION nested() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    outer_row record;
    total bigint := 0;
    found bigint;
BEGIN
    FOR outer_row IN SELECT n, d.g FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 3 LOOP
        SELECT count(*) INTO found FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = outer_row.n % 7;
        total := total + found;
    END LOOP;
    RETURN total;
END$$;
SELECT nested();
SET cuckoo_scan.enable_join_filter = off;
SELECT nested();
SET cuckoo_scan.enable_join_filter = on;
CREATE FUNCTION in_function(wanted integer) RETURNS bigint STABLE LANGUAGE sql AS
    'SELECT count(*) FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = wanted';
SELECT * FROM compared('SELECT n, in_function(n % 7) FROM facts f JOIN dimension d ON f.k = d.id WHERE d.g = 3');

-- A query in a function is part of this one.
CREATE FUNCTION rows_of(integer) RETURNS SETOF facts STABLE LANGUAGE sql AS 'SELECT * FROM facts WHERE n > $1';
SELECT * FROM compared('SELECT f.n FROM rows_of(3) f JOIN dimension d ON f.k = d.id');

-- Row-level security: not where a policy hides rows.
CREATE TABLE secrets AS SELECT n, k FROM facts;
ALTER TABLE secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE secrets FORCE ROW LEVEL SECURITY;
CREATE POLICY even ON secrets USING (n % 2 = 0);
DO $$BEGIN
    CREATE ROLE join_filter_reader;
END$$;
GRANT ALL ON SCHEMA join_filter_executions TO join_filter_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA join_filter_executions TO join_filter_reader;
SET ROLE join_filter_reader;
SELECT * FROM compared('SELECT n FROM secrets f JOIN dimension d ON f.k = d.id');
SELECT * FROM compared('SELECT n FROM facts f JOIN dimension d ON f.k = d.id');
RESET ROLE;

SET client_min_messages = warning;
DROP OWNED BY join_filter_reader;
DROP ROLE join_filter_reader;
DROP SCHEMA join_filter_executions CASCADE;
