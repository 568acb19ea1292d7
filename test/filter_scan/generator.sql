--
-- Random queries whose conditions the filter scan evaluates, run with it and without it.
--
CREATE EXTENSION IF NOT EXISTS cuckoo_filter;

CREATE FUNCTION pick(VARIADIC choices text[]) RETURNS text VOLATILE LANGUAGE sql AS
    'SELECT choices[1 + floor(random() * cardinality(choices))::int]';
CREATE FUNCTION chance(probability float8) RETURNS boolean VOLATILE LANGUAGE sql AS 'SELECT random() < probability';

-- Key columns: names, types, and a value of each for a number.
CREATE TABLE keys (name text, type text, value text);
INSERT INTO keys VALUES
    ('i2', 'smallint', '(%s % 30000)::smallint'), ('i4', 'integer', '%s'), ('i8', 'bigint', '%s::bigint'),
    ('num', 'numeric', '%s::numeric / 1.0'), ('f8', 'float8', '%s::float8'), ('t', 'text', '''key '' || %s'),
    ('l', 'text', 'repeat(md5((%s)::text), (%s) % 90)'), ('v', 'varchar(30)', '(''v'' || %s)::varchar(30)'),
    ('c', 'char(12)', '(''c'' || %s)::char(12)'), ('u', 'uuid', 'md5((%s)::text)::uuid'), ('d', 'date', 'date ''2000-01-01'' + (%s)'),
    ('b', 'boolean', '(%s) % 2 = 0'), ('a', 'integer[]', 'ARRAY[%s, NULL, 7]'), ('j', 'jsonb', 'to_jsonb(%s)'),
    ('r', 'int4range', 'int4range(%s, %s + 5)');

-- Filters of each kind: none, empty, small, of a tenth, of nearly all, of a grown filter, and one that holds no kind.
CREATE TABLE filters (key text, bloom boolean, size text, f bloomfilter, c cuckoofilter);
DO $$
DECLARE
    key keys;
    expression text;
BEGIN
    FOR key IN SELECT * FROM keys LOOP
        expression := replace(key.value, '%s', 'n');
        EXECUTE format('INSERT INTO filters
            SELECT %L, true, size, CASE WHEN size <> ''null'' THEN bf_agg(%2$s, CASE size WHEN ''grown'' THEN 1 END) FILTER (WHERE holds) END,
                CASE WHEN size <> ''null'' THEN cf_agg(%2$s, CASE size WHEN ''large'' THEN 400000 END) FILTER (WHERE holds) END
            FROM (SELECT size, n, CASE size WHEN ''one'' THEN n = 7 WHEN ''tenth'' THEN n %% 10 = 3 WHEN ''most'' THEN n %% 10 <> 3
                WHEN ''large'' THEN n %% 3 = 0 WHEN ''grown'' THEN n %% 5 = 0 ELSE false END AS holds
                FROM unnest(ARRAY[''null'', ''empty'', ''one'', ''tenth'', ''most'', ''large'', ''grown'']) size, generate_series(1, 2000) n) q
            GROUP BY size', key.name, expression);
    END LOOP;
    INSERT INTO filters SELECT name, true, 'new', bf_create(10), cf_create(10) FROM keys;
END$$;
ANALYZE filters;

-- A table with key columns in random order, between columns of other widths, with nulls, dead and late columns.
CREATE FUNCTION make_table(name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    key keys;
    columns text := 'id integer, g integer';
    late text[] := '{}';
    expressions text := 'n, n % 7';
    parted boolean := chance(0.3);
    rows integer := pick('0', '5', '300', '2000', '2000')::integer;
BEGIN
    FOR key IN SELECT * FROM keys ORDER BY random() LOOP
        IF chance(0.2) THEN
            columns := columns || format(', gone_%s %s', key.name, pick('smallint', '"char"', 'bigint', 'text'));
            expressions := expressions || pick(', NULL', ', ''1''');
            late := late || format('ALTER TABLE %I DROP gone_%s', name, key.name);
        END IF;
        IF chance(0.15) THEN
            late := late || format('ALTER TABLE %I ADD %I %s %s', name, key.name, key.type,
                CASE WHEN chance(0.5) AND key.value !~ 'repeat' THEN format('DEFAULT %s', replace(key.value, '%s', pick('7', '13', '50'))) END);
            CONTINUE;
        END IF;
        columns := columns || format(', %I %s', key.name, key.type);
        expressions := expressions || ', ' || CASE WHEN chance(0.4) THEN format('CASE WHEN n %% %s > 0 THEN %s END', 2 + floor(random() * 20),
            replace(key.value, '%s', 'n')) ELSE replace(key.value, '%s', 'n') END;
    END LOOP;
    EXECUTE format('DROP TABLE IF EXISTS %I', name);
    EXECUTE format('CREATE %s TABLE %I (%s) %s', CASE WHEN chance(0.2) AND NOT parted THEN 'UNLOGGED' END, name, columns,
        CASE WHEN parted THEN 'PARTITION BY HASH (id)' END);
    IF parted THEN
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 2, REMAINDER 0)', name || '_0', name);
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 2, REMAINDER 1)', name || '_1', name);
    END IF;
    EXECUTE format('INSERT INTO %I SELECT %s FROM generate_series(1, %s) n', name, expressions, rows);
    FOR i IN 1..cardinality(late) LOOP
        EXECUTE late[i];
    END LOOP;
    IF chance(0.5) THEN
        EXECUTE format('UPDATE %I SET g = g + 1 WHERE id %% 5 = 1', name);
        EXECUTE format('DELETE FROM %I WHERE id %% 11 = 1', name);
    END IF;
    IF chance(0.5) THEN
        EXECUTE format('ANALYZE %I', name);
    END IF;
END$$;

-- A filter for a column of a kind, as an expression; sometimes one of another kind.
CREATE FUNCTION random_filter(key text, cuckoo boolean, of_outer text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    kind text := CASE WHEN chance(0.04) THEN (SELECT k.name FROM keys k ORDER BY random() LIMIT 1) ELSE key END;
    one text := format('key = %L AND size = %L', kind,
        pick('null', 'empty', 'new', 'one', 'tenth', 'tenth', 'most', 'large', 'grown'));
    output text := CASE WHEN cuckoo THEN 'c' ELSE 'f' END;
    result text;
BEGIN
    IF of_outer IS NOT NULL AND chance(0.5) THEN
        RETURN format('%s.%s', of_outer, output);
    END IF;
    CASE pick('select', 'select', 'literal', 'text', 'union')
        WHEN 'select' THEN RETURN format('(SELECT %s FROM filters WHERE %s)', output, one);
        WHEN 'text' THEN RETURN format('(SELECT %s::text FROM filters WHERE %s)::%s', output, one,
            CASE WHEN cuckoo THEN 'cuckoofilter' ELSE 'bloomfilter' END);
        WHEN 'union' THEN RETURN format('((SELECT %s FROM filters WHERE %s) | (SELECT %1$s FROM filters WHERE %2$s))', output, one);
        ELSE
            EXECUTE format('SELECT quote_nullable(%s::text) FROM filters WHERE %s', output, one) INTO result;
            RETURN format('%s::%s', result, CASE WHEN cuckoo THEN 'cuckoofilter' ELSE 'bloomfilter' END);
    END CASE;
END$$;

CREATE FUNCTION random_probe(source text, of_outer text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    key text := (SELECT name FROM keys ORDER BY random() LIMIT 1);
    cuckoo boolean := chance(0.5);
    filter text := random_filter(key, cuckoo, of_outer);
BEGIN
    RETURN CASE pick('function', 'function', 'contains', 'contained', 'not', 'is')
        WHEN 'contains' THEN format('%s @> %s.%s', filter, source, key)
        WHEN 'contained' THEN format('%s.%s <@ %s', source, key, filter)
        WHEN 'not' THEN CASE WHEN chance(0.8) THEN format('%s @> %s.%s', filter, source, key)
            ELSE format('NOT %s @> %s.%s', filter, source, key) END
        ELSE format('%s_contains(%s, %s.%s)', CASE WHEN cuckoo THEN 'cf' ELSE 'bf' END, filter, source, key) END;
END$$;

CREATE FUNCTION random_condition(source text, of_outer text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text := random_probe(source, of_outer);
BEGIN
    FOR i IN 1..floor(random() * 4) LOOP
        result := CASE WHEN chance(0.5) THEN random_probe(source, of_outer) ELSE format(
            pick('%s.id %% 3 = 0', '%s.id > 100', '%s.g < 4', '%s.id < (SELECT 1500)', '%s.id IN (SELECT i4 FROM t1)', '%s.id < 0',
                '%s.g > (SELECT 5)', '%s.g IS NOT NULL', 'abs(%s.id) > 3', '%s.ctid IS NOT NULL'), source) END
            || pick(' AND ', ' AND ', ' AND ', ' AND ', ' OR ') || result;
    END LOOP;
    RETURN result;
END$$;

-- The filters of a correlated query: often of several kinds.
CREATE FUNCTION random_outer() RETURNS text LANGUAGE sql AS $$
    SELECT format('o.key IN (%s)', string_agg(quote_literal(name), ', ')) FROM (SELECT name FROM keys ORDER BY random()
        LIMIT pick('1', '2')::int) k
$$;

CREATE FUNCTION random_query() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    source text := pick('t1', 't2', 't3');
    condition text := random_condition('x');
BEGIN
    RETURN CASE pick('rows', 'rows', 'rows', 'count', 'correlated', 'correlated', 'exists', 'join', 'lateral', 'union', 'locked', 'cte')
        WHEN 'rows' THEN format('SELECT %s FROM %s x WHERE %s', pick('x', 'x.*', 'id', 'tableoid, ctid, id', 'g, id, x.t', ''), source, condition)
        WHEN 'count' THEN format('SELECT g, count(*), sum(id) FROM %s x WHERE %s GROUP BY g', source, condition)
        WHEN 'correlated' THEN format('SELECT o.key, o.size, (SELECT %s FROM %s x WHERE %s %s) FROM filters o WHERE %s',
            CASE WHEN chance(0.5) THEN 'count(*)' ELSE 'min(id)' END, source, random_condition('x', 'o'), '', random_outer())
        WHEN 'exists' THEN format('SELECT o.size, EXISTS (SELECT FROM %s x WHERE %s) FROM filters o WHERE %s', source,
            random_condition('x', 'o'), random_outer())
        WHEN 'join' THEN format('SELECT x.id, y.id FROM %s x JOIN %s y ON x.id = y.i4 %s WHERE (%s) AND y.id < 300', source,
            pick('t1', 't2', 't3'), CASE WHEN chance(0.3) THEN format('AND (%s)', random_condition('y')) END, condition)
        WHEN 'lateral' THEN format('SELECT o.size, q.id FROM filters o, LATERAL (SELECT id FROM %s x WHERE %s ORDER BY id LIMIT 5) q
            WHERE %s', source, random_condition('x', 'o'), random_outer())
        WHEN 'union' THEN format('SELECT id, g FROM (SELECT id, g, i4, t FROM t1 UNION ALL SELECT id, g, i4, t FROM t2) x WHERE %s',
            format('bf_contains(%s, i4) AND cf_contains(%s, t)', random_filter('i4', false, NULL), random_filter('t', true, NULL)))
        WHEN 'locked' THEN format('SELECT * FROM (SELECT id FROM %s x WHERE %s FOR UPDATE) q', source, condition)
        WHEN 'cte' THEN format('WITH q AS MATERIALIZED (SELECT id, i4 FROM %s x WHERE %s) SELECT a.id, b.id FROM q a JOIN q b ON a.id = b.i4',
            source, condition) END;
END$$;

-- The rows of a query, sorted unless `ordered`; or the error that it raises.
CREATE FUNCTION outcome(query text, scan boolean, ordered boolean DEFAULT false) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    result text[];
BEGIN
    PERFORM set_config('cuckoo_scan.enable_filter_scan', scan::text, false);
    EXECUTE 'SELECT array_agg(q::text ' || CASE WHEN ordered THEN '' ELSE 'ORDER BY q::text' END || ') FROM (' || query || ') AS q'
        INTO result;
    RETURN coalesce(result, '{}');
EXCEPTION WHEN OTHERS THEN
    RETURN ARRAY[SQLSTATE, SQLERRM];
END$$;

-- The rows that a cursor returns in random moves, the same ones for the same seed.
CREATE FUNCTION walk(query text, scan boolean, seed float8) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    cursor refcursor := 'walk';
    scrolls boolean;
    move integer;
    result text[] := '{}';
    line record;
BEGIN
    PERFORM set_config('cuckoo_scan.enable_filter_scan', scan::text, false);
    PERFORM setseed(seed);
    scrolls := chance(0.5);
    IF scrolls THEN
        OPEN cursor SCROLL FOR EXECUTE query;
    ELSE
        OPEN cursor NO SCROLL FOR EXECUTE query;
    END IF;
    FOR i IN 1..40 LOOP
        move := floor(random() * CASE WHEN scrolls THEN 7 ELSE 2 END);
        CASE move
            WHEN 0 THEN FETCH FORWARD FROM cursor INTO line;
            WHEN 1 THEN
                MOVE FORWARD 17 IN cursor;
                FETCH FORWARD FROM cursor INTO line;
            WHEN 2 THEN FETCH BACKWARD FROM cursor INTO line;
            WHEN 3 THEN
                MOVE BACKWARD 5 IN cursor;
                FETCH PRIOR FROM cursor INTO line;
            WHEN 4 THEN FETCH LAST FROM cursor INTO line;
            WHEN 5 THEN FETCH ABSOLUTE 30 FROM cursor INTO line;
            WHEN 6 THEN
                MOVE FORWARD ALL IN cursor;
                FETCH BACKWARD FROM cursor INTO line;
        END CASE;
        result := result || CASE WHEN FOUND THEN line::text ELSE '-' END;
    END LOOP;
    CLOSE cursor;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN ARRAY[SQLSTATE, SQLERRM];
END$$;

-- The rows that a statement changes, each change undone.
CREATE FUNCTION changed(statement text, scan boolean) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    result text[] := '{}';
    line record;
BEGIN
    PERFORM set_config('cuckoo_scan.enable_filter_scan', scan::text, false);
    BEGIN
        FOR line IN EXECUTE statement LOOP
            result := result || line::text;
        END LOOP;
        FOR line IN EXECUTE 'SELECT id, g FROM t1' LOOP
            result := result || line::text;
        END LOOP;
        RAISE SQLSTATE 'UNDO0';
    EXCEPTION WHEN SQLSTATE 'UNDO0' THEN
        NULL;
    END;
    RETURN (SELECT array_agg(r ORDER BY r) FROM unnest(result) r);
EXCEPTION WHEN OTHERS THEN
    RETURN ARRAY[SQLSTATE, SQLERRM];
END$$;

CREATE FUNCTION filter_scans(query text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    SET cuckoo_scan.enable_filter_scan = on;
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN (SELECT count(*) FROM regexp_matches(plan::text, 'CuckooFilterScan', 'g'));
EXCEPTION WHEN OTHERS THEN
    RETURN 0;
END$$;

-- The same condition, without a sub-select that can become a join: the order of its rows depends on the kind of the join,
-- and the planner may choose another one if a scan costs less.
CREATE FUNCTION ordered_condition(source text) RETURNS text LANGUAGE sql AS $$
    SELECT replace(random_condition(source), 'IN (SELECT i4 FROM t1)', '= ANY (ARRAY(SELECT i4 FROM t1))')
$$;

-- What the last round compared.
CREATE TABLE totals (comparisons bigint, with_scan bigint, with_rows bigint, errors bigint);
CREATE TABLE errors (sqlstate text, message text, query text);
CREATE TABLE differences (round integer, query text, by_page text[], by_row text[]);

-- One round: other tables, settings and queries for each seed.
CREATE FUNCTION compare_round(round integer, queries integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    query text;
    by_page text[];
    by_row text[];
    parallel boolean;
    seed float8;
    scans integer;
    total totals := (0, 0, 0, 0);
BEGIN
    PERFORM setseed(round % 1000000 / 1000000.0), make_table('t1'), make_table('t2'), make_table('t3');
    parallel := chance(0.3);
    PERFORM set_config('max_parallel_workers_per_gather', CASE WHEN parallel THEN '2' ELSE '0' END, false),
        set_config('parallel_setup_cost', '0', false), set_config('parallel_tuple_cost', '0', false),
        -- A synchronized scan begins where the last one was, so two queries have different orders.
        set_config('synchronize_seqscans', 'off', false),
        set_config('min_parallel_table_scan_size', '0', false),
        set_config('jit', pick('off', 'off', 'on'), false), set_config('jit_above_cost', '0', false),
        set_config('plan_cache_mode', pick('auto', 'force_generic_plan'), false),
        set_config('enable_material', pick('on', 'off'), false), set_config('enable_hashjoin', pick('on', 'off'), false);
    FOR i IN 1..queries LOOP
        seed := random();
        query := random_query();
        IF chance(0.15) AND NOT parallel THEN
            query := format('SELECT id, g FROM %s x WHERE %s', pick('t1', 't2'), ordered_condition('x'));
            by_page := walk(query, true, seed);
            by_row := walk(query, false, seed);
        ELSIF chance(0.1) THEN
            query := format(pick('UPDATE t1 x SET g = g + 10, i4 = i4 + 1 WHERE %s RETURNING id, g', 'DELETE FROM t1 x WHERE %s RETURNING id'),
                random_condition('x'));
            by_page := changed(query, true);
            by_row := changed(query, false);
        ELSIF chance(0.1) AND NOT parallel THEN
            query := format('SELECT id, g FROM %s x WHERE %s OFFSET %s LIMIT %s', pick('t1', 't2'), ordered_condition('x'),
                floor(random() * 9), floor(random() * 90));
            by_page := outcome(query, true, true);
            by_row := outcome(query, false, true);
        ELSE
            by_page := outcome(query, true);
            by_row := outcome(query, false);
        END IF;
        scans := filter_scans(query);
        -- The moves of a cursor begin at the same seed; so do the next queries.
        PERFORM setseed(seed);
        total.comparisons := total.comparisons + 1;
        total.with_scan := total.with_scan + (scans > 0)::int;
        total.with_rows := total.with_rows + (scans > 0 AND by_row <> '{}' AND by_row[1] !~ '^[0-9A-Z]{5}$')::int;
        total.errors := total.errors + coalesce(by_row[1] ~ '^[0-9A-Z]{5}$', false)::int;
        INSERT INTO errors SELECT by_row[1], by_row[2], query WHERE by_row[1] ~ '^[0-9A-Z]{5}$';
        -- Of several processes that raise an error, any one may be the first.
        CONTINUE WHEN parallel AND by_page[1] = '42804' AND by_row[1] = '42804';
        -- A join does not scan a table if the other one, which the planner may have chosen to read first, has no rows.
        CONTINUE WHEN query ~ ' JOIN ' AND (by_page[1] = '42804' AND by_row = '{}' OR by_row[1] = '42804' AND by_page = '{}');
        -- Filters come before other conditions, which may remove the rows for which contains would raise the error.
        CONTINUE WHEN by_page[1] = '42804' AND query ~ '\m[xy]\.(id|g|ctid)\M| (OR|NOT) ';
        IF by_page IS DISTINCT FROM by_row THEN
            INSERT INTO differences VALUES (round, query, by_page, by_row);
        END IF;
    END LOOP;
    INSERT INTO totals VALUES (total.*);
END$$;
