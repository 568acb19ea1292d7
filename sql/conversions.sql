--
-- Casts to a filter. A cast takes long, so a query evaluates that of a parameter once, and not for every row. It never
-- uses the result of another value.
--
CREATE SCHEMA conversions;
SET search_path = conversions, public;

CREATE TABLE keys AS SELECT generate_series(1, 2000) AS k;
ANALYZE keys;
CREATE TABLE forms AS
    SELECT b::bytea AS b_bytea, c::bytea AS c_bytea, b::text AS b_text, c::text AS c_text
    FROM (SELECT bf_agg(2 * i) AS b, cf_agg(2 * i) AS c FROM generate_series(1, 100000) AS i) AS f;

-- Milliseconds of the fastest of three executions, after six that are not measured: by then the plan is cached.
CREATE FUNCTION elapsed(statement text, keep_plan text DEFAULT 'auto') RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    least float8 := 'infinity';
    start timestamptz;
BEGIN
    PERFORM set_config('plan_cache_mode', keep_plan, true);
    FOR turn IN 1..9 LOOP
        start := clock_timestamp();
        EXECUTE statement;
        CONTINUE WHEN turn <= 6;
        least := least(least, extract(epoch FROM clock_timestamp() - start) * 1000);
    END LOOP;
    RETURN least;
END$$;

-- A query on 2,000 rows and one on a single row, by every form of a parameter. With a conversion for each row, the
-- first would take about 2,000 times as long.
CREATE FUNCTION form(name text) RETURNS text STABLE LANGUAGE plpgsql AS $$
DECLARE
    form text;
BEGIN
    EXECUTE format('SELECT %I::text FROM forms', name) INTO form;
    RETURN form;
END$$;
CREATE FUNCTION form_bytea(name text) RETURNS bytea STABLE LANGUAGE plpgsql AS 'BEGIN RETURN form(name)::bytea; END';
PREPARE b_bytea (bytea, integer) AS SELECT count(*) FROM keys WHERE k <= $2 AND bf_contains($1::bloomfilter, k);
PREPARE c_bytea (bytea, integer) AS SELECT count(*) FROM keys WHERE k <= $2 AND cf_contains($1::cuckoofilter, k);
PREPARE b_text (text, integer) AS SELECT count(*) FROM keys WHERE k <= $2 AND $1::bloomfilter @> k;
PREPARE c_text (text, integer) AS SELECT count(*) FROM keys WHERE k <= $2 AND k <@ $1::cuckoofilter;
PREPARE selected (text, integer) AS SELECT count(*) FROM keys WHERE k <= $2 AND (SELECT cf_contains($1::cuckoofilter, k));
PREPARE counted (varchar, integer) AS SELECT sum(cf_count($1::text::cuckoofilter, k)) FROM keys WHERE k <= $2;
PREPARE input (varchar, integer) AS SELECT count(*) FROM keys WHERE k <= $2 AND cf_contains($1::cuckoofilter, k);
SELECT name, mode, elapsed(format('EXECUTE %s(%s, 2000)', name, value), mode)
    < 50 * elapsed(format('EXECUTE %s(%s, 1)', name, value), mode) AS once
FROM (VALUES ('b_bytea', 'form_bytea(''b_bytea'')'), ('c_bytea', 'form_bytea(''c_bytea'')'), ('b_text', 'form(''b_text'')'),
        ('c_text', 'form(''c_text'')'), ('selected', 'form(''c_text'')'), ('counted', 'form(''c_text'')'),
        ('input', 'form(''c_text'')')) AS v (name, value),
    (VALUES ('auto'), ('force_generic_plan'), ('force_custom_plan')) AS m (mode)
-- The input function cannot see what its argument is.
WHERE name <> 'input' OR mode = 'auto'
ORDER BY name, mode;

-- A generic plan with other values each time.
SET plan_cache_mode = force_generic_plan;
PREPARE of_bytea (bytea) AS SELECT array_agg(k) FROM keys WHERE cf_contains($1::cuckoofilter, k) AND k <= 9;
PREPARE of_text (text) AS SELECT array_agg(k) FROM keys WHERE bf_contains($1::bloomfilter, k) AND k <= 9;
EXECUTE of_bytea(cf_add_all(cf_create(100, 1e-7), ARRAY[1, 2, 3])::bytea);
EXECUTE of_bytea(cf_add_all(cf_create(100, 1e-7), ARRAY[4, 5, 6])::bytea);
EXECUTE of_bytea(NULL);
EXECUTE of_bytea(cf_add_all(cf_create(100, 1e-7), ARRAY[7, 8, 9])::bytea);
EXECUTE of_text(bf_add_all(bf_create(100, 1e-7), ARRAY[1, 2, 3])::text);
EXECUTE of_text(bf_add_all(bf_create(100, 1e-7), ARRAY[4, 5, 6])::text);

-- The same in PL/pgSQL and SQL, with variables that change to other values of the same size: in an expression, which
-- PL/pgSQL prepares once per transaction, in a query, and in a query whose rows a loop fetches one by one.
CREATE FUNCTION contains_in_sql(image bytea, wanted integer) RETURNS boolean LANGUAGE sql AS
    'SELECT bool_or(cf_contains(image::cuckoofilter, k)) FROM keys WHERE k = wanted';
CREATE FUNCTION missed(OUT probes integer, OUT expression integer, OUT query integer, OUT sql integer, OUT rows integer,
    OUT wrong integer) LANGUAGE plpgsql AS $$
DECLARE
    image bytea;
    base64 text;
    other record;
BEGIN
    SELECT 0, 0, 0, 0, 0, 0 INTO probes, expression, query, sql, rows, wrong;
    FOR i IN 1..100 LOOP
        image := cf_add(cf_create(1000, 1e-7), i)::bytea;
        base64 := bf_add(bf_create(1000, 1e-7), i)::text;
        probes := probes + 1;
        IF NOT (cf_contains(image::cuckoofilter, i) AND bf_contains(base64::bloomfilter, i)) THEN
            expression := expression + 1;
        END IF;
        IF cf_contains(image::cuckoofilter, i - 1) OR bf_contains(base64::bloomfilter, i - 1) THEN
            wrong := wrong + 1;
        END IF;
        IF (SELECT count(*) FROM keys WHERE k = i AND cf_contains(image::cuckoofilter, k) AND base64::bloomfilter @> k) <> 1 THEN
            query := query + 1;
        END IF;
        IF NOT contains_in_sql(image, i) THEN
            sql := sql + 1;
        END IF;
        FOR other IN SELECT k FROM keys WHERE k BETWEEN i AND i + 20 AND cf_contains(image::cuckoofilter, k) LOOP
            image := cf_add(cf_create(1000, 1e-7), other.k + 1)::bytea;
            rows := rows + 1;
        END LOOP;
    END LOOP;
END$$;
SELECT * FROM missed();
SET plan_cache_mode = auto;
SELECT * FROM missed();
RESET plan_cache_mode;

-- A column is converted for each row. A value that is not a filter is an error, in a column and in a parameter.
CREATE TABLE columns AS SELECT i, cf_add(cf_create(100, 1e-7), i)::bytea AS c, bf_add(bf_create(100, 1e-7), i)::text AS b
    FROM generate_series(1, 20) AS i;
SELECT count(*) FILTER (WHERE cf_contains(c::cuckoofilter, i) AND bf_contains(b::bloomfilter, i)) AS held,
    count(*) FILTER (WHERE cf_contains(c::cuckoofilter, i + 1) OR bf_contains(b::bloomfilter, i + 1)) AS others
FROM columns;
SELECT c::cuckoofilter::bytea = c AS c, b::bloomfilter::text = b AS b,
    ARRAY[b]::bloomfilter[]::text[] = ARRAY[b] AS "array" FROM columns WHERE i = 1;
-- The address of a bytea in a row may not be aligned as a filter requires.
CREATE TABLE moved AS SELECT i, repeat('x', i) AS before, c FROM columns;
SELECT count(*) FILTER (WHERE cf_contains(c::cuckoofilter, i)) AS held FROM moved;
\set VERBOSITY terse
PREPARE refused (text) AS SELECT count(*) FROM keys WHERE bf_contains($1::bloomfilter, k);
EXECUTE refused('apple');
EXECUTE refused(cf_create(100)::text);
SELECT cf_create(100)::bytea::bloomfilter;
SELECT 'apple'::varchar::bloomfilter;
\set VERBOSITY default

SET client_min_messages = warning;
DROP SCHEMA conversions CASCADE;
