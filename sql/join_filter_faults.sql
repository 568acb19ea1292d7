--
-- Joins that filter themselves: the faults that runtime filters of other systems have had. Each query returns the same rows
-- with filters and without; `rejects` says that its filters have rejected rows.
--
LOAD 'cuckoo_scan';
CREATE SCHEMA join_filter_faults;
SET search_path = join_filter_faults, public; SET jit = off;
\set common `echo "$PG_ABS_SRCDIR"`/sql/common/join_filter.sql
\i :common

-- Half of the rows have the key 7, some have none, and few have one of `small`, where keys are repeated and NULL, too. Most of
-- `wide` does not fit in work_mem. The clocks show hours that some zones skip.
CREATE TABLE big AS SELECT n, CASE WHEN n % 2 = 0 THEN 7 WHEN n % 19 > 0 THEN n % 401 END AS k, NULLIF(n % 11, 4) AS g FROM generate_series(1, 3000) AS n;
CREATE TABLE small AS SELECT n AS m, CASE WHEN n % 5 > 0 THEN n % 13 * 20 + 1 END AS k, NULLIF(n % 11, 6) AS g FROM generate_series(1, 40) AS n;
CREATE TABLE none AS SELECT * FROM small WHERE false;
CREATE TABLE wide AS SELECT n AS m, CASE WHEN n % 20 = 0 THEN 5 WHEN n % 23 > 0 THEN n * 3 END AS k, repeat(md5(n::text), 6) AS x FROM generate_series(1, 4000) AS n;
CREATE TABLE long AS SELECT n, CASE WHEN n % 17 > 0 THEN n % 20000 END AS k, n % 11 AS g FROM generate_series(1, 30000) AS n;
CREATE TABLE moments AS SELECT n, timestamptz '2026-03-29 00:00Z' + n % 700 * interval '30 min' AS t FROM generate_series(1, 3000) AS n;
CREATE TABLE clocks AS SELECT n AS m, timestamp '2026-03-29' + n / 3 * interval '1 hour' AS t FROM generate_series(1, 20) AS n;
ANALYZE big, small, none, wide, long, moments, clocks;
-- Queries say {join} for the join of the two.
CREATE FUNCTION whole(query text) RETURNS text LANGUAGE sql AS $$SELECT replace(query, '{join}', 'big b JOIN small s ON b.k = s.k')$$;
CREATE FUNCTION checked(query text, OUT rejects boolean, OUT outcome text) LANGUAGE sql AS $$
    SELECT c.outcome !~ 'error' AND EXISTS (SELECT FROM probes(whole(query)) WHERE rejected > 0), c.outcome FROM compared(whole(query)) AS c
$$;

-- 1. Rows are probed before the filter is complete: first rows, below sorts, on the build side of other joins, and on the side
-- that is hashed, before it and when the join has the first row of the other side.
SELECT query, c.*
FROM unnest(ARRAY[
    'SELECT b.n, s.m FROM {join}', 'SELECT b.n, s.m FROM (SELECT * FROM big WHERE n = 1 UNION ALL SELECT * FROM big WHERE n > 1) b JOIN small s ON b.k = s.k',
    'SELECT l.n, q.n FROM long l JOIN (SELECT b.k, b.n FROM {join} WHERE s.g > 0) q ON l.k = q.n WHERE l.g < 5', 'SELECT b.n FROM big b JOIN none s ON b.k = s.k',
    'SELECT l.n, q.k FROM long l JOIN (SELECT k, count(*) FROM big GROUP BY k HAVING count(*) < 6) q ON l.k = q.k',
    'SELECT b.n, c.n FROM (SELECT * FROM big ORDER BY k, n OFFSET 0) b JOIN small s ON b.k = s.k JOIN (SELECT * FROM big ORDER BY n OFFSET 0) c ON c.n = s.m',
    'SELECT s.m, b.n FROM small s LEFT JOIN (big b JOIN none e ON b.k = e.k) ON s.k = b.k',
    'SELECT s.m, l.n FROM skewed s JOIN long l ON s.id = l.n', 'SELECT s.m, q.n FROM skewed s LEFT JOIN (SELECT n FROM long UNION ALL SELECT n FROM big) q ON s.id = q.n',
    'SELECT b.n FROM {join} AND s.m > (SELECT count(*) FROM big c JOIN small t ON c.k = t.k AND t.m < 9)']) AS query,
    checked(query) AS c;

-- 2. The build side has several batches, alone and in a Parallel Hash.
CREATE FUNCTION hash_is(condition jsonpath, query text) RETURNS boolean LANGUAGE sql AS 'SELECT jsonb_path_exists(plan_of(query, true), condition)';
CREATE TABLE spilled AS SELECT unnest(ARRAY['SELECT l.n, w.m, length(w.x) FROM long l JOIN wide w ON l.k = w.k',
    'SELECT w.m, length(w.x), l.n FROM long l RIGHT JOIN (SELECT * FROM wide WHERE m < 1500) w ON l.k = w.k AND l.g < 9',
    'SELECT l.n FROM long l WHERE EXISTS (SELECT FROM wide w WHERE l.k = w.k AND length(w.x) + l.g > 195)',
    'SELECT q.*, w.m, w.x FROM (SELECT k, count(*), sum(n) FROM long GROUP BY k) q JOIN wide w ON q.k = w.k']) AS query;
SET work_mem = '64kB';
SELECT query, rejects OR query ~ 'GROUP' AS rejects, outcome, hash_is('strict $.** ? (@."Hash Batches" > 1)', query) AS batches FROM spilled, checked(query);
SELECT * FROM checked('SELECT o.m, q.* FROM small o, LATERAL (SELECT count(*), sum(w.m), max(w.x) FROM long l JOIN wide w ON l.k = w.k
    WHERE l.g >= o.g AND l.n < o.m * 500) q WHERE o.m % 7 = 0');
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT query, c.*, hash_is('strict $.** ? (@."Hash Batches" > 1 && @."Parallel Aware" == true)', query) AS parallel
FROM spilled, checked(query) AS c WHERE query ~ 'long l JOIN';
SELECT query, c.outcome FROM spilled, checked(query) AS c WHERE query !~ 'long l JOIN';
SET enable_parallel_hash = off; SELECT query, c.outcome FROM spilled, checked(query) AS c WHERE query ~ 'long l JOIN|GROUP';
SET max_parallel_workers_per_gather = 0; RESET work_mem; RESET enable_parallel_hash;

-- 3. A scan is repeated for another parameter, of the probe side, of the build side, or of both.
SELECT query, c.*
FROM unnest(ARRAY[
    'SELECT o.m, q.* FROM small o, LATERAL (SELECT count(*), sum(b.n) FROM {join} WHERE s.g >= o.g) q',
    'SELECT o.m, q.* FROM small o, LATERAL (SELECT count(*), sum(b.n) FROM {join} WHERE b.g >= o.g) q',
    'SELECT o.m, q.n FROM small o LEFT JOIN LATERAL (SELECT b.n FROM {join} WHERE s.m >= o.m ORDER BY b.n, s.m LIMIT o.g) q ON true',
    'SELECT o.m, r.c FROM small o, LATERAL (SELECT o.g + 1 AS g OFFSET 0) p, LATERAL (SELECT count(*) AS c FROM small t,
        LATERAL (SELECT b.n FROM {join} WHERE s.g = p.g AND b.g > t.g OFFSET 0) u WHERE t.m < 5) r',
    'SELECT o.m FROM small o WHERE o.m NOT IN (SELECT b.n % 41 FROM {join} WHERE s.g IS NOT DISTINCT FROM o.g)',
    'SELECT o.m, CASE WHEN o.m % 3 > 0 THEN (SELECT max(b.n) FROM {join} WHERE b.g <> o.m % 5 AND s.m <> o.m) END FROM small o',
    'SELECT o.m, ARRAY(SELECT b.n FROM big b JOIN none s ON b.k = s.k WHERE b.g = o.g) FROM small o', 'SELECT FROM moments o JOIN clocks c ON o.t = c.t::timestamptz']) AS query,
    checked(query) AS c;
-- Loops of PL/pgSQL: with a plan of each kind, for values that find many rows, few, or none; and for a setting that a cast needs.
CREATE FUNCTION looped(filtered boolean, mode text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    bound CURSOR (least integer) FOR SELECT b.n FROM big b JOIN small s ON b.k = s.k WHERE s.m >= least AND b.g <> least % 11 ORDER BY b.n, s.m;
    result text := '';
BEGIN
    PERFORM set_config('cuckoo_scan.enable_join_filter', filtered::text, false), set_config('plan_cache_mode', mode, false);
    FOR least IN 1..45 LOOP
        FOR found IN bound(least) LOOP
            result := result || found.n || ' ';
            EXIT WHEN found.n > least * 100;
        END LOOP;
        PERFORM set_config('timezone', (ARRAY['UTC', 'Europe/Berlin', 'America/St_Johns'])[least % 3 + 1], true);
        result := concat(result, (SELECT count(*) FROM big b JOIN small s ON b.k = s.k WHERE s.m >= NULLIF(least, 6) AND s.m < least + least % 4 * 10),
            (SELECT string_agg(b.n::text, ' ') FROM big b WHERE b.k IN (SELECT s.k FROM small s WHERE s.g = least % 9) AND b.n > least),
            (SELECT string_agg(n || ' ' || m, ',' ORDER BY n, m) FROM moments o JOIN clocks c ON o.t = c.t::timestamptz));
    END LOOP;
    RETURN result;
END$$;
SELECT mode, length(looped(true, mode)) > 1000 AS found, looped(true, mode) = looped(false, mode) AS same
FROM unnest(ARRAY['auto', 'force_generic_plan', 'force_custom_plan']) AS mode;
RESET plan_cache_mode;

-- 4. The two sides have different types, or values that are equal and look different. 7. Keys are -0, NaN or infinity.
CREATE FUNCTION checked_keys(x_type text, x_values text[], others text, y_type text, y_values text[], condition text, OUT rejects boolean, OUT outcome text)
LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL client_min_messages = warning;
    DROP TABLE IF EXISTS xs, ys;
    EXECUTE format('CREATE TABLE xs AS SELECT i AS n, v::%1$s AS x FROM unnest(%2$L::text[]) WITH ORDINALITY AS u(v, i), generate_series(1, 3)
        UNION ALL SELECT n, (%3$s)::text::%1$s FROM generate_series(1, 300) AS n', x_type, x_values, others);
    EXECUTE format('CREATE TABLE ys AS SELECT i AS m, v::%1$s AS y FROM unnest(%2$L::text[]) WITH ORDINALITY AS u(v, i)', y_type, y_values);
    ANALYZE xs, ys;
    SELECT c.* INTO rejects, outcome FROM checked('SELECT n, x::text, m, y::text FROM xs JOIN ys ON ' || condition) AS c;
    outcome := concat_ws(', ', outcome, (SELECT c.outcome FROM compared('SELECT n, x::text FROM xs WHERE EXISTS (SELECT FROM ys WHERE ' || condition || ')') AS c),
        (SELECT c.outcome FROM compared('SELECT q.*, m FROM (SELECT DISTINCT x FROM xs) q JOIN ys ON ' || condition) AS c WHERE c.outcome ~ 'DIFFERENT'));
END$$;
SET timezone = 'Europe/Berlin';
SELECT x_type, y_type, condition, c.*
FROM (VALUES
    ('integer', '{0,1,1,-1,2147483647,NULL}', 'n + 99', 'numeric', '{1.0,1.000,-1.00,1.5,0.0,-0,NaN,Infinity,2147483647.5,NULL}', 'x = y'),
    ('numeric', '{0,-0.00,1,1.0,1e2,100.000,1.10,NaN,NaN,Infinity,-Infinity,NULL}', 'n + 999', 'numeric', '{0.0,1.00,100,1e2,1.1,NaN,-Infinity,NULL}', 'x = y'),
    ('numeric', '{1,1.0,2,1.5,NULL}', 'n + 99', 'integer', '{1,2,NULL}', 'x = y,x::integer = y,x::float8 = y'),
    ('smallint', '{-1,0,1,1,NULL}', 'n + 99', 'bigint', '{-1,1,65537,4294967297,-9223372036854775808,NULL}', 'x = y,x::numeric = y::numeric'),
    ('real', '{0,-0,NaN,Infinity,-Infinity,0.1,0.5,NULL}', 'n + 99', 'float8', '{0,-0,NaN,Infinity,-Infinity,0.1,0.5,NULL}', 'x = y,x = -y,x = y::real,x::numeric = y::numeric'),
    ('float8', '{0,-0,NaN,-NaN,Infinity,-Infinity,0.1,0.5,NULL}', 'n + 99', 'real', '{-0,NaN,-Infinity,0.1,0.5,NULL}', 'x = y,x = -y'),
    ('float8', '{0,-0,NaN,-NaN,Infinity,-Infinity,0.1,NULL}', 'n + 99', 'float8', '{-0,NaN,-Infinity,0.1,NULL}', 'x = y,x = -y'),
    ('char(6)', '{a,"a ","b  ","",NULL}', '''c'' || n', 'text', '{a,"a ",b,"b     ","",NULL}', 'x = y,x = y::bpchar,x::text = y'),
    ('text', '{a,"a ",b,"b     ","",NULL}', '''c'' || n', 'char(6)', '{a,"b ","",NULL}', 'x = y,x::bpchar = y'),
    ('varchar(6)', '{a,"a ",b,"b     ","",NULL}', '''c'' || n', 'text', '{a,"b ","",NULL}', 'x = y,x::bpchar = y,x COLLATE "C" = y,x = y COLLATE "POSIX"'),
    ('text COLLATE "C"', '{a,"a ",B,NULL}', '''c'' || n', 'text', '{a,b}', 'x = y,x = y COLLATE "default",lower(x) = y'),
    ('text COLLATE "C"', '{a,"a ",B,NULL}', '''c'' || n', 'text COLLATE "POSIX"', '{a,b}', 'x = y,x = y COLLATE "C"'),
    ('date', '{2026-03-29,2026-03-30,infinity,-infinity,NULL}', 'date ''2026-04-01'' + n', 'timestamp', '{2026-03-29,2026-03-30 00:00:01,infinity}', 'x = y,x::timestamp = y,x = y::date'),
    ('timestamp', '{2026-03-29 02:30,2026-10-25 02:30,infinity}', 'date ''2027-01-01'' + n', 'timestamptz', '{2026-03-29 01:30Z,2026-10-25 00:30Z,2026-10-25 01:30Z,infinity}', 'x = y,x::timestamptz = y,x = y::timestamp'),
    ('timestamptz', '{2026-03-29 00:00Z,2026-03-29 01:00+01,2026-03-28 23:00Z,-infinity}', 'date ''2027-01-01'' + n', 'timestamptz', '{2026-03-29 00:00+00,2026-03-29 05:30+05:30,-infinity}', 'x = y,x::date = y::date'),
    ('jsonb', '{1,1.0,"[1.00]",NULL}', 'n + 99', 'jsonb', '{1.00,"[1]"}', 'x = y'),
    ('float8[]', '{"{0,NaN}","{-0,NaN}","{NULL}",NULL}', 'ARRAY[n]', 'float8[]', '{"{0,NaN}","{NULL}"}', 'x = y')
) AS v(x_type, x_values, others, y_type, y_values, conditions), unnest(string_to_array(conditions, ',')) AS condition,
    checked_keys(x_type, x_values::text[], others, y_type, y_values::text[], condition) AS c;
DO $$BEGIN
    -- Without ICU, or in a database that is not UTF8, there are no nondeterministic collations.
    CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    ASSERT (SELECT bool_and(outcome ~ '^[1-9]\d* rows, [1-9]\d* rows$') AND count(*) FILTER (WHERE rejects) = 4
        FROM (VALUES ('any_case', 'x = y'), ('any_case', 'lower(x) = y'), ('any_case', 'x = y COLLATE "C"'), ('"C"', 'x = y COLLATE any_case'), ('"C"', 'x = y COLLATE "C"')) AS v(x_collation, condition),
            checked_keys('text COLLATE ' || x_collation, '{a,A,"a ",NULL}', '''c'' || n', 'text COLLATE any_case', '{A,a,NULL}', condition));
EXCEPTION WHEN feature_not_supported OR undefined_object OR invalid_parameter_value THEN NULL;
END$$;

-- 5. Rows are rejected below what depends on several of them.
SELECT query, c.*
FROM unnest(ARRAY[
    'SELECT DISTINCT ON (k) k, n, g FROM big ORDER BY k, g DESC NULLS LAST, n', 'SELECT DISTINCT ON (g) k, n FROM big ORDER BY g, k NULLS FIRST, n',
    'SELECT k, n FROM big ORDER BY g, k FETCH FIRST 300 ROWS WITH TIES', 'SELECT k, g FROM big UNION ALL (SELECT k, g FROM small ORDER BY m LIMIT 9)',
    'SELECT k, n FROM (SELECT DISTINCT k, n FROM big ORDER BY n DESC LIMIT 900) b WHERE n % 3 > 0', 'SELECT k, g FROM big EXCEPT ALL SELECT k, g FROM small',
    'SELECT k, n, first_value(n) OVER (PARTITION BY k ORDER BY g, n), ntile(3) OVER (PARTITION BY k, g ORDER BY n) FROM big',
    'SELECT k, count(*) OVER (ORDER BY k RANGE BETWEEN 20 PRECEDING AND CURRENT ROW) AS c FROM big', 'SELECT k, g FROM big INTERSECT ALL SELECT k, g FROM big WHERE n > 9',
    'SELECT DISTINCT k FROM (SELECT k FROM big UNION ALL SELECT m FROM small UNION ALL SELECT n FROM long) u',
    'SELECT k FROM long EXCEPT (SELECT k FROM big UNION SELECT m FROM wide)', 'SELECT k, count(*), sum(count(*)) OVER (PARTITION BY k % 3) FROM big GROUP BY k',
    'SELECT k, g, grouping(k, g), count(*) FROM big GROUP BY GROUPING SETS ((k, g), (k), (g), ())',
    'SELECT k, g, CASE WHEN grouping(k, g) = 3 THEN sqrt(count(DISTINCT n) - 3000) END AS root FROM big GROUP BY GROUPING SETS ((k, g), (k), ())',
    'SELECT max(k) AS k, count(DISTINCT k) FROM big GROUP BY g']) AS query,
    checked('SELECT * FROM (' || query || ') q JOIN small s ON q.k = s.k') AS c;

-- 6. Equality for which NULLs are equal, and NULLs on both sides. Joins hash for the first only if it is an operator.
CREATE FUNCTION same(integer, integer) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1 IS NOT DISTINCT FROM $2; END';
CREATE OPERATOR === (LEFTARG = integer, RIGHTARG = integer, FUNCTION = same, COMMUTATOR = ===, HASHES);
CREATE OPERATOR CLASS same_ops FOR TYPE integer USING hash AS OPERATOR 1 ===, FUNCTION 1 hashint4(integer);
SELECT condition, c.*, hash_is('strict $.**."Hash Cond" ? (@ like_regex "===")', query) AS hashed
FROM unnest(ARRAY['b.k === s.k', 'b.k === s.k AND b.g = s.g', 'b.k = s.k AND b.g === s.g']) AS condition,
    format('SELECT n, m FROM big b JOIN small s ON %s', condition) AS query, checked(query) AS c;
SELECT condition, c.*, (compared('SELECT n FROM big b WHERE EXISTS (SELECT FROM small s WHERE ' || condition || ')')).outcome AS of_exists
FROM unnest(ARRAY['b.k IS NOT DISTINCT FROM s.k', 'b.k = s.k AND b.g IS NOT DISTINCT FROM s.g', 'b.k IS NOT DISTINCT FROM s.k AND b.g = s.g',
    'b.k = s.k AND b.g = s.g', '(b.k, b.g) = (s.k, s.g)', 'ROW(b.k, b.g) IS NOT DISTINCT FROM ROW(s.k, s.g)', 'b.k = s.k OR b.k IS NULL AND s.k IS NULL',
    'coalesce(b.k, -1) = coalesce(s.k, -1)', 'b.k = coalesce(s.k, 7)', 'b.k = NULLIF(s.k, 21)', 'ARRAY[b.k] = ARRAY[s.k] AND b.n < 900',
    '(b.k = s.k) IS NOT FALSE AND b.n < 99', '(b.k = s.k) IS NULL AND b.n < 99']) AS condition,
    checked('SELECT n, m FROM big b JOIN small s ON ' || condition) AS c;

-- 8. NOT IN with NULLs, and rows without a match. Whether the first of these joins have filters depends on the version.
SELECT query, rejects OR query !~ '{join}' AS rejects, outcome
FROM unnest(ARRAY[
    'SELECT n FROM big WHERE k NOT IN (SELECT k FROM small)', 'SELECT n FROM big WHERE k NOT IN (SELECT k FROM small WHERE k IS NOT NULL)',
    'SELECT n FROM big WHERE k NOT IN (SELECT k FROM none)', 'SELECT n FROM big WHERE (k, g) NOT IN (SELECT k, g FROM small WHERE m % 5 > 0)',
    'SELECT n FROM big b WHERE NOT EXISTS (SELECT FROM small s WHERE b.k = s.k AND b.g <> s.g)',
    'SELECT m FROM small s WHERE NOT EXISTS (SELECT FROM big b JOIN long l ON b.n = l.k WHERE b.k = s.k AND l.g = s.g)',
    'SELECT m, b.n FROM small s LEFT JOIN big b ON b.k = s.k AND b.g IS NULL WHERE b.k IS NULL OR b.n < 99',
    'SELECT b.n, s.m FROM (SELECT * FROM big WHERE n % 9 = 0) b FULL JOIN small s ON b.k = s.k',
    'SELECT b.n FROM {join} WHERE b.g NOT IN (SELECT g FROM small WHERE m < 5)', 'SELECT b.n FROM {join} LEFT JOIN big c ON c.k = b.k AND c.g = 3 WHERE c.k IS NULL',
    'SELECT b.n FROM {join} WHERE NOT EXISTS (SELECT FROM big c WHERE c.k = b.k AND c.n < b.n)',
    'SELECT b.n FROM big b JOIN (SELECT k FROM small s WHERE k NOT IN (SELECT k FROM big WHERE g = 5 AND k IS NOT NULL)) s ON b.k = s.k']) AS query,
    checked(query);

-- 9. A statement changes a side. What it returns, and leaves in the table, is compared.
CREATE FUNCTION effects(statement text, filtered boolean) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    result text[] := '{}';
    returned record;
BEGIN
    PERFORM set_config('cuckoo_scan.enable_join_filter', filtered::text, false);
    FOR returned IN EXECUTE statement LOOP
        result := result || returned::text;
    END LOOP;
    result := ARRAY(SELECT unnest(result) ORDER BY 1) || ARRAY(SELECT b::text FROM big b ORDER BY 1) || ARRAY(SELECT s::text FROM small s ORDER BY 1);
    RAISE SQLSTATE 'UNDO0';
EXCEPTION WHEN SQLSTATE 'UNDO0' THEN
    RETURN result;
END$$;
SELECT query AS statement, EXISTS (SELECT FROM probes(statement, false)) AS filtered, effects(statement, true) = effects(statement, false) AS same,
    effects(statement, true) <> effects('SELECT WHERE false', true) AS changed
FROM unnest(ARRAY[
    'UPDATE big b SET k = b.k + 20 FROM (SELECT DISTINCT k FROM small) s WHERE b.k = s.k RETURNING b.*',
    'UPDATE big b SET g = c.g, k = NULL FROM big c WHERE b.k = c.n AND c.g < 3 RETURNING b.n, c.n', 'DELETE FROM big b USING small s WHERE b.k = s.k RETURNING b.*',
    'UPDATE small s SET k = 7 WHERE EXISTS (SELECT FROM big b WHERE b.k = s.k AND b.g > 2) RETURNING s.*, (SELECT count(*) FROM big b JOIN small t USING (k))',
    'INSERT INTO small SELECT b.n, b.k, s.g FROM {join} RETURNING *, (SELECT max(n) FROM big b WHERE b.k IN (SELECT k FROM small))',
    'INSERT INTO big SELECT b.n + 9000, b.k, s.m FROM {join} RETURNING *', 'DELETE FROM big WHERE k IN (21, 41) RETURNING n, (SELECT count(*) FROM {join})',
    'WITH d AS (DELETE FROM small WHERE g > 3 RETURNING *) SELECT b.n, d.m FROM big b JOIN d ON b.k = d.k',
    'WITH u AS (UPDATE small SET k = k + 20 RETURNING *), d AS (DELETE FROM big b USING u WHERE b.k = u.k RETURNING n, b.k) SELECT n, m FROM d JOIN small USING (k)',
    'WITH i AS (INSERT INTO small SELECT n, k FROM big WHERE n < 60 RETURNING *) SELECT b.n, s.m, i.m FROM {join} LEFT JOIN i ON i.k = b.k']) AS query,
    whole(query) AS statement;
CREATE FUNCTION merged(merge text) RETURNS void LANGUAGE plpgsql AS 'BEGIN EXECUTE merge; END'; -- RETURNING is new in PostgreSQL 17.
SELECT count(*) AS different FROM unnest(ARRAY[
    'MERGE INTO big b USING (SELECT DISTINCT k FROM small) s ON b.k = s.k WHEN MATCHED AND b.g > 5 THEN DELETE WHEN MATCHED THEN UPDATE SET k = b.k + 20',
    'MERGE INTO small s USING (SELECT k, min(n) AS n FROM big GROUP BY k) b ON b.k = s.k WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (n, b.k)',
    'MERGE INTO small s USING (SELECT n, b.k FROM {join} AND m < 4) b ON n = m WHEN NOT MATCHED THEN INSERT VALUES (n, b.k)']) AS query,
    format('SELECT merged(%L)', whole(query)) AS statement
WHERE current_setting('server_version_num')::integer >= 150000 AND (effects(statement, true) <> effects(statement, false)
    OR effects(statement, true) = effects('SELECT WHERE false', true));

-- 10. Cursors: held, read backwards, with ties, opened or read before other changes of the transaction, and WHERE CURRENT OF.
CREATE FUNCTION by_cursor() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    here CURSOR FOR SELECT b.n, s.m FROM big b JOIN small s ON b.k = s.k WHERE s.g > 3 FOR UPDATE OF b;
BEGIN
    FOR pair IN here LOOP
        UPDATE big SET g = -pair.m, k = k + 20 WHERE CURRENT OF here;
    END LOOP;
END$$;
SELECT effects('SELECT by_cursor()', true) = effects('SELECT by_cursor()', false) AS same,
    effects('SELECT by_cursor()', true) <> effects('SELECT WHERE false', true) AS changed, filtered
FROM compared('SELECT b.n, s.m FROM big b JOIN small s ON b.k = s.k WHERE s.g > 3 FOR UPDATE OF b');
CREATE FUNCTION opened(name text, options text, query text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    SET cuckoo_scan.enable_join_filter = off;
    EXECUTE format('DECLARE %s_plain %s FOR %s', name, options, whole(query));
    SET cuckoo_scan.enable_join_filter = on;
    EXECUTE format('DECLARE %s_filtered %s FOR %s', name, options, whole(query));
    RETURN EXISTS (SELECT FROM probes(whole(query), false));
END$$;
CREATE FUNCTION fetched(move text, cursor_name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    found record;
    result text := '';
BEGIN
    FOR found IN EXECUTE format('FETCH %s FROM %s', move, cursor_name) LOOP
        result := result || found::text;
    END LOOP;
    RETURN result;
END$$;
-- The moves for which two cursors return different rows, and how many bytes they return.
CREATE FUNCTION fetch_both(name text, VARIADIC moves text[], OUT differences text[], OUT bytes bigint) LANGUAGE sql AS $$
    SELECT array_agg(move) FILTER (WHERE p <> f), sum(length(p)) FROM unnest(moves) AS move, fetched(move, name || '_plain') p, fetched(move, name || '_filtered') f
$$;
BEGIN;
CREATE TABLE cursors AS SELECT name, opened(name, options, query) AS filtered
FROM (VALUES ('held', 'SCROLL CURSOR WITH HOLD', 'SELECT b.n, s.m FROM {join}'), ('late', 'SCROLL CURSOR WITH HOLD', 'SELECT b.n, s.m, s.ctid FROM {join}'),
    ('tied', 'SCROLL CURSOR WITH HOLD', 'SELECT b.k, s.g FROM {join} ORDER BY b.k, s.g FETCH FIRST 60 ROWS WITH TIES')) AS v(name, options, query);
SELECT c.*, f.* FROM cursors c, fetch_both(name, '5', 'BACKWARD 3', 'NEXT') f WHERE name <> 'late';
DELETE FROM big WHERE k IN (SELECT k FROM small WHERE m < 9); UPDATE small SET k = k + 20; INSERT INTO big SELECT n, k FROM big WHERE n % 3 = 0;
SELECT name, f.* FROM cursors, fetch_both(name, '9', 'LAST', 'BACKWARD 7', 'ABSOLUTE 20', 'RELATIVE -6', 'PRIOR') f WHERE name <> 'late';
COMMIT;
SELECT name, f.* FROM cursors, fetch_both(name, 'NEXT', 'FORWARD ALL', 'FIRST', 'ABSOLUTE -5', 'BACKWARD ALL') f;

SET client_min_messages = warning;
DROP SCHEMA join_filter_faults CASCADE;
