-- Filters of values of every type, which are then probed with every value that is equal in SQL. The answer must be
-- true, or an error; false, null and internal errors are failures.
--
-- A *slot* is a source of values: a table with a column of some type and collation, and an expression over it. A
-- *member* is a row of such a table; for each there are filters that hold only it, built in several ways. The server
-- determines which values are equal, where and when the filters are probed. Nothing here depends on how the extension
-- hashes.
--
-- All names are qualified, since search_path is one of the settings under which filters are probed. The equality
-- operator is not, for the same reason.
SET client_encoding = 'UTF8';
SET check_function_bodies = off;

-- source: the slot whose table has the members. value: the expression, over a row %1$s. type: for casts, or null.
CREATE TABLE equality.slots (slot integer PRIMARY KEY, name text, type text, collation_name text, source integer,
    value text, is_array boolean);
CREATE TABLE equality.filters (slot integer, id integer, build text, bloom public.bloomfilter,
    cuckoo public.cuckoofilter);
CREATE INDEX ON equality.filters (slot, id);
-- Pairs of slots that have equal values.
CREATE TABLE equality.pairs (a integer, b integer, some_equal boolean, PRIMARY KEY (a, b));
CREATE TABLE equality.answers (label text, a integer, b integer, form text, answer text, times bigint, example text);
CREATE TABLE equality.notes (what text, name text);
-- Many rows of few values, so that partial aggregates are planned.
CREATE TABLE equality.repeats AS SELECT generate_series(1, 100) AS n;

--
-- Slots
--

CREATE FUNCTION equality.value_of(slot equality.slots, row_name text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT format((slot).value, row_name)
$$;

CREATE FUNCTION equality.members(slot equality.slots) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT 'equality.members_' || (slot).source
$$;

CREATE FUNCTION equality.drop_slot(dropped integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM equality.filters WHERE slot IN (SELECT s.slot FROM equality.slots AS s
        WHERE dropped IN (s.slot, s.source));
    DELETE FROM equality.pairs WHERE EXISTS (SELECT FROM equality.slots AS s
        WHERE dropped IN (s.slot, s.source) AND s.slot IN (a, b));
    EXECUTE format('DROP TABLE IF EXISTS equality.members_%s CASCADE', dropped);
    DELETE FROM equality.slots AS s WHERE dropped IN (s.slot, s.source);
END $$;

-- A slot with a table of its own, filled by a query of values and how they were written. Null if there can be no such
-- type.
CREATE FUNCTION equality.add_table(name text, type text, collation_name text, members text,
    ddl text = NULL) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    slot integer := (SELECT coalesce(max(s.slot), 0) + 1 FROM equality.slots AS s);
    added integer;
BEGIN
    BEGIN
        IF ddl IS NOT NULL THEN
            EXECUTE ddl;
        END IF;
        EXECUTE format('CREATE TABLE equality.members_%s (id integer PRIMARY KEY, spelling text, v %s %s)', slot,
            type, 'COLLATE ' || collation_name);
        EXECUTE format('INSERT INTO equality.members_%s SELECT row_number() OVER (), spelling, v
            FROM (%s) AS m (spelling, v)', slot, members);
        GET DIAGNOSTICS added = ROW_COUNT;
    EXCEPTION WHEN OTHERS THEN
        INSERT INTO equality.notes VALUES ('impossible: ' || sqlerrm, name);
        RETURN NULL;
    END;
    INSERT INTO equality.slots VALUES (slot, name, type, collation_name, slot, '%1$s.v',
        type LIKE '%[]' OR type IN ('int2vector', 'oidvector'));
    RETURN slot;
END $$;

CREATE FUNCTION equality.add_expression(name text, base integer, value text,
    is_array boolean = false) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    slot integer := (SELECT max(s.slot) + 1 FROM equality.slots AS s);
BEGIN
    BEGIN
        EXECUTE format('SELECT %s FROM equality.members_%s AS m LIMIT 0', format(value, 'm'), base);
    EXCEPTION WHEN OTHERS THEN
        RETURN NULL;
    END;
    INSERT INTO equality.slots VALUES (slot, name, NULL, NULL, base, value, is_array);
    RETURN slot;
END $$;

-- The literals of a type and some random ones, as far as its input function takes them.
CREATE FUNCTION equality.literals_of(type_name text, category "char", declared text)
    RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    one text;
    texts text[] := ARRAY(SELECT literal FROM equality.literals WHERE type = type_name);
BEGIN
    FOR i IN 1 .. 4 LOOP
        texts := texts || equality.random_literals(type_name, category);
    END LOOP;
    FOREACH one IN ARRAY texts LOOP
        BEGIN
            EXECUTE format('SELECT %L::%s', one, declared);
            RETURN NEXT one;
        EXCEPTION WHEN OTHERS THEN
            NULL;
        END;
    END LOOP;
END $$;

CREATE FUNCTION equality.add_type(type_name text, category "char", declared text,
    collation_name text = NULL) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    slot integer;
BEGIN
    slot := equality.add_table(declared || coalesce(' COLLATE ' || collation_name, ''), declared, collation_name,
        format('SELECT one, one::%s FROM equality.literals_of(%L, %L, %L) AS one', declared, type_name, category,
            declared));
    IF NOT EXISTS (SELECT FROM equality.literals WHERE type = type_name) THEN
        INSERT INTO equality.notes VALUES ('no values for type', declared);
    END IF;
    RETURN slot;
END $$;

-- What can be made of the values of a slot: domains, arrays, rows, ranges, and these of each other.
CREATE FUNCTION equality.add_containers(base integer, deep boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    s equality.slots := (SELECT s FROM equality.slots AS s WHERE s.slot = base);
    declared text := s.type || coalesce(' COLLATE ' || s.collation_name, '');
    plain text := regexp_replace(s.type, '[(].*[)]', '');
    few text := format('equality.chosen_%s', base);
    made integer;
BEGIN
    -- A few, most of them equal to another one.
    EXECUTE format('CREATE TEMP TABLE chosen_%1$s AS SELECT v FROM equality.members_%1$s AS m
        ORDER BY (SELECT count(*) > 1 FROM equality.members_%1$s AS other
            WHERE other.v = m.v) DESC, random() LIMIT 9', base);
    few := 'pg_temp.chosen_' || base;

    made := equality.add_table('domain over ' || s.name, 'equality.domain_' || base, NULL,
        format('SELECT v::text, v FROM %s', few),
        format('CREATE DOMAIN equality.domain_%s AS %s', base, declared));
    IF made IS NOT NULL AND deep THEN
        PERFORM equality.add_table('array of domain over ' || s.name, format('equality.domain_%s[]', base), NULL,
            format('SELECT NULL, ARRAY[v] FROM %s', few));
        PERFORM equality.add_expression('ROW of domain over ' || s.name, made, 'ROW(%1$s.v)');
    END IF;

    IF NOT s.is_array THEN
        made := equality.add_table('array of ' || s.name, s.type || '[]', s.collation_name,
            format('SELECT v::text, v FROM (SELECT ARRAY[v] FROM %1$s UNION ALL SELECT ARRAY[v, NULL, v]
                FROM %1$s UNION ALL SELECT ARRAY[[v, v], [v, v]] FROM %1$s
                UNION ALL SELECT array_fill(v, ARRAY[2], ARRAY[-3]) FROM %1$s) AS m (v)', few));
        PERFORM equality.add_expression('ARRAY of ' || s.name, base, 'ARRAY[%1$s.v]', true);
    END IF;

    made := equality.add_table('row of ' || s.name, 'equality.row_' || base, NULL,
        format('SELECT m.v::text, m.v FROM (SELECT ROW(v, 1)::equality.row_%2$s
            FROM %1$s UNION ALL SELECT ROW(v, NULL)::equality.row_%2$s FROM %1$s) AS m (v)', few, base),
        format('CREATE TYPE equality.row_%1$s AS (v %2$s, gone integer,
            n integer); ALTER TYPE equality.row_%1$s DROP ATTRIBUTE gone', base, declared));
    IF made IS NOT NULL AND deep THEN
        PERFORM equality.add_table('array of row of ' || s.name, format('equality.row_%s[]', base), NULL,
            format('SELECT NULL, ARRAY[ROW(v, 1)::equality.row_%s] FROM %s', base, few));
        PERFORM equality.add_table('domain over row of ' || s.name, 'equality.domain_of_row_' || base, NULL,
            format('SELECT NULL, ROW(v, 1)::equality.row_%s FROM %s', base, few),
                format('CREATE DOMAIN equality.domain_of_row_%1$s AS equality.row_%1$s', base));
        PERFORM equality.add_table('row of array of ' || s.name, 'equality.row_of_array_' || base, NULL,
            format('SELECT NULL, ROW(ARRAY[v])::equality.row_of_array_%s FROM %s', base, few),
            format('CREATE TYPE equality.row_of_array_%s AS (v %s[] %s)', base, s.type,
                'COLLATE ' || s.collation_name));
    END IF;
    PERFORM equality.add_expression('ROW of ' || s.name, base, 'ROW(%1$s.v, 1)');

    made := equality.add_table('range of ' || s.name, 'equality.range_' || base, NULL,
        format('SELECT m.v::text, m.v FROM (SELECT equality.range_%2$s(a.v, b.v, bounds)
            FROM %1$s AS a, %1$s AS b, unnest(ARRAY[''[)'', ''[]'', ''(]'']) AS bounds
            WHERE a.v <= b.v UNION ALL SELECT equality.range_%2$s(v, NULL)
                FROM %1$s) AS m (v) ORDER BY random() LIMIT 15', few, base),
        format('CREATE TYPE equality.range_%s AS RANGE (subtype = %s%s%s)', base, plain,
            ', collation = ' || s.collation_name,
            ', multirange_type_name = equality.multirange_' || base));
    IF made IS NOT NULL THEN
        IF deep THEN
            PERFORM equality.add_table('array of range of ' || s.name, format('equality.range_%s[]', base), NULL,
                format('SELECT NULL, ARRAY[v] FROM equality.members_%s', made));
            PERFORM equality.add_table('row of range of ' || s.name, 'equality.row_of_range_' || base, NULL,
                format('SELECT NULL, ROW(v)::equality.row_of_range_%s FROM equality.members_%s', base, made),
                format('CREATE TYPE equality.row_of_range_%1$s AS (v equality.range_%1$s)', base));
            PERFORM equality.add_table('range of range of ' || s.name, 'equality.range_of_range_' || base, NULL,
                format('SELECT NULL, equality.range_of_range_%s(v, NULL) FROM equality.members_%s', base, made),
                format('CREATE TYPE equality.range_of_range_%1$s AS RANGE (subtype = equality.range_%1$s)', base));
        END IF;
        PERFORM equality.add_table('multirange of ' || s.name, 'equality.multirange_' || base, NULL,
            format('SELECT m.v::text, m.v FROM (SELECT equality.multirange_%1$s(v) FROM equality.members_%2$s
                UNION ALL SELECT equality.multirange_%1$s(a.v, b.v)
                    FROM equality.members_%2$s AS a, equality.members_%2$s AS b) AS m (v)
                ORDER BY random() LIMIT 15', base, made));
        IF deep THEN
            PERFORM equality.add_table('array of multirange of ' || s.name, format('equality.multirange_%s[]', base), NULL,
                format('SELECT NULL, ARRAY[equality.multirange_%s(v)] FROM equality.members_%s', base, made));
        END IF;
    END IF;
    EXECUTE 'DROP TABLE ' || few;
EXCEPTION WHEN OTHERS THEN
    INSERT INTO equality.notes VALUES ('no containers: ' || sqlerrm, s.name);
END $$;

-- Collations under which different strings are equal, each in its own way.
CREATE FUNCTION equality.add_collations(many integer) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    locales text[] := ARRAY['und-u-ks-level1', 'und-u-ks-level2', 'und-u-kn-true', 'und-u-ka-shifted', 'und',
        'tr-u-ks-level2', 'de-u-co-phonebk-ks-level1'];
    names text[] := '{}';
    name text;
    first integer := floor(random() * cardinality(locales));
BEGIN
    FOR i IN 1 .. cardinality(locales) LOOP
        name := 'equality.collation_' || i;
        CONTINUE WHEN (i + first) % cardinality(locales) >= many;
        BEGIN
            EXECUTE format('CREATE COLLATION %s (provider = icu, locale = %L, deterministic = false)', name,
                locales[i]);
            names := names || name;
        EXCEPTION WHEN feature_not_supported THEN
            -- Without ICU, or with an encoding that it has not.
            INSERT INTO equality.notes VALUES ('no collation: ' || sqlerrm, name);
        END;
    END LOOP;
    BEGIN
        EXECUTE 'CREATE COLLATION equality.deterministic (provider = icu, locale = ''und'')';
        names := names || 'equality.deterministic'::text;
    EXCEPTION WHEN feature_not_supported THEN
        NULL;
    END;
    RETURN names || 'pg_catalog."C"'::text;
END $$;

-- All the slots. containers: how many types are used in domains, arrays, rows and ranges; collations: how many there
-- are of those under which different strings are equal.
CREATE FUNCTION equality.make_slots(seed double precision, containers integer,
    collations integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    collation_names text[];
    one record;
    name text;
    made integer;
BEGIN
    PERFORM setseed(seed);
    CREATE TYPE equality.mood AS ENUM ('sad', 'ok', 'Ok', 'happy', '1');
    INSERT INTO equality.literals SELECT 'mood', unnest(ARRAY['sad', 'ok', 'Ok', 'happy', '1']);
    BEGIN
        EXECUTE format('CREATE TYPE equality.saison AS ENUM (%L, %L)', chr(233) || 't' || chr(233), 'hiver');
        INSERT INTO equality.literals SELECT 'saison', unnest(enum_range(NULL::equality.saison))::text;
    EXCEPTION WHEN OTHERS THEN
        NULL;
    END;
    INSERT INTO equality.literals SELECT type, literal
        FROM (SELECT literal FROM equality.literals WHERE type = 'some text' ORDER BY random() LIMIT 14) AS drawn,
            unnest(ARRAY['text', 'varchar', 'bpchar', 'name', 'citext']) AS type;
    collation_names := equality.add_collations(collations);

    FOR one IN
        SELECT t.typname, t.typcategory, format_type(t.oid, NULL) AS declared
        FROM pg_type AS t
        WHERE t.typtype IN ('b', 'e', 'r', 'm') AND t.typisdefined
            AND (t.typcategory <> 'A' OR t.typname ~ '^(int2|oid)vector$')
            AND t.typnamespace IN ('pg_catalog'::regnamespace, 'public'::regnamespace, 'equality'::regnamespace)
            AND t.typname NOT IN (SELECT type FROM equality.unwritable)
        ORDER BY t.typname COLLATE "C"
    LOOP
        BEGIN
            EXECUTE format('SELECT NULL::%1$s = NULL::%1$s',
                CASE one.declared WHEN 'bit' THEN 'varbit' ELSE one.declared END);
        EXCEPTION WHEN OTHERS THEN
            INSERT INTO equality.notes VALUES ('not comparable', one.declared);
            CONTINUE;
        END;
        PERFORM equality.add_type(one.typname, one.typcategory,
            CASE one.declared WHEN 'bit' THEN 'bit(1)' WHEN 'character' THEN 'bpchar' ELSE one.declared END);
        IF one.typname IN ('text', 'varchar', 'bpchar', 'name', 'citext') THEN
            FOREACH name IN ARRAY collation_names LOOP
                PERFORM equality.add_type(one.typname, 'S',
                    CASE one.typname WHEN 'bpchar' THEN 'character(12)' ELSE one.declared END, name);
            END LOOP;
        END IF;
    END LOOP;
    FOR one IN
        SELECT * FROM (VALUES ('bpchar', 'S', 'character(12)'), ('bpchar', 'S', 'character(1)'),
            ('varchar', 'S', 'character varying(12)'),
            ('numeric', 'N', 'numeric(14,3)'), ('timestamp', 'D', 'timestamp(0)'),
            ('timestamptz', 'D', 'timestamptz(1)'), ('time', 'D', 'time(3)'), ('interval', 'T', 'interval(0)'),
            ('bit', 'V', 'bit(8)'), ('varbit', 'V', 'varbit(12)')) AS t (typname, category, declared)
    LOOP
        PERFORM equality.add_type(one.typname, one.category::"char", one.declared);
    END LOOP;
    -- A clause in the query, in place of the column's collation.
    FOR one IN SELECT s.slot, s.name, c FROM equality.slots AS s, unnest(collation_names) AS c
        WHERE s.name IN ('text', 'character(12)', 'name') LOOP
        PERFORM equality.add_expression(one.name || ' under COLLATE ' || one.c, one.slot,
            '(%1$s.v COLLATE ' || one.c || ')');
    END LOOP;

    FOR one IN SELECT row_number() OVER () AS number, * FROM (SELECT s.slot
        FROM equality.slots AS s WHERE s.slot = s.source ORDER BY random() LIMIT containers) AS chosen LOOP
        PERFORM equality.add_containers(one.slot, one.number <= containers / 2);
    END LOOP;

    DELETE FROM equality.slots AS s WHERE s.slot = s.source AND NOT equality.has_members(s);
    TRUNCATE equality.literals;
END $$;

CREATE FUNCTION equality.has_members(slot equality.slots) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    answer boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %s)', equality.members(slot)) INTO answer;
    IF NOT answer THEN
        INSERT INTO equality.notes VALUES ('no values for type', (slot).name);
    END IF;
    RETURN answer;
END $$;

--
-- Pairs
--

-- Whether values of two slots are equal; null where that is known of some alone. False where they cannot be compared.
CREATE FUNCTION equality.some_equal(a equality.slots, b equality.slots) RETURNS boolean LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    answer boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %s AS a JOIN %s AS b ON %s = %s)', equality.members(a),
        equality.members(b),
        equality.value_of(a, 'a'), equality.value_of(b, 'b')) INTO answer;
    RETURN answer;
EXCEPTION
    -- Out of range, and the like: an error of some pairs of values.
    WHEN data_exception THEN
        RETURN NULL;
    WHEN OTHERS THEN
        RETURN false;
END $$;

CREATE FUNCTION equality.find_pairs() RETURNS void LANGUAGE sql AS $$
    WITH ordered AS MATERIALIZED (
        SELECT a.slot AS a, b.slot AS b, equality.some_equal(a, b) AS found
            FROM equality.slots AS a JOIN equality.slots AS b ON a.slot <= b.slot)
    INSERT INTO equality.pairs
    SELECT a, b, found FROM ordered WHERE found IS NOT FALSE UNION SELECT b, a, found
        FROM ordered WHERE found IS NOT FALSE
$$;

--
-- Filters
--

-- Of each member, by aggregates, and for a part of the slots in other ways. An error is an answer, too.
CREATE FUNCTION equality.build(part double precision) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    s equality.slots;
    way record;
    statement text;
    errors text;
BEGIN
    SET LOCAL client_min_messages = error;
    FOR s IN SELECT * FROM equality.slots ORDER BY slot LOOP
        FOR way IN
            SELECT w.name, letters, replace(replace(query, 'TYPE', quote_nullable(s.type)), 'VALUE',
                equality.value_of(s, 'm')) AS query, parallel, type
            FROM (VALUES ('bf', 'bloom'), ('cf', 'cuckoo')) AS types (letters, type), (VALUES
                ('agg', 'SELECT id, %1$s_agg(VALUE, 10, 1e-7) AS f FROM MEMBERS AS m GROUP BY id', false, true),
                ('parallel agg', 'SELECT id, %1$s_agg(VALUE, 10, 1e-7) AS f
                    FROM MEMBERS AS m, equality.repeats GROUP BY id', true, true),
                ('add', 'SELECT id, %1$s_add(%1$s_create(10, 1e-7), VALUE) AS f FROM MEMBERS AS m', false, true),
                ('add_all', 'SELECT id, %1$s_add_all(%1$s_create(10, 1e-7), ARRAY[VALUE]) AS f
                    FROM MEMBERS AS m', false, NOT s.is_array),
                ('add to a kind', 'SELECT id, %1$s_add(%1$s_create(10, 1e-7, TYPE::regtype), VALUE) AS f
                    FROM MEMBERS AS m', false, s.type IS NOT NULL),
                ('union', 'SELECT id, %1$s_union_agg(f) AS f FROM (SELECT id, %1$s_agg(VALUE, 10, 1e-7) AS f
                    FROM MEMBERS AS m GROUP BY id
                    UNION ALL SELECT id, %1$s_create(1000, 1e-6) FROM MEMBERS) AS parts
                        GROUP BY id', false, true)) AS w (name, query, parallel, possible)
            WHERE possible
        LOOP
            CONTINUE WHEN way.name <> 'agg' AND random() > part;
            BEGIN
                statement := replace(format(way.query, 'public.' || way.letters), 'MEMBERS', equality.members(s));
                IF way.parallel THEN
                    -- No INSERT has a parallel plan.
                    PERFORM set_config('min_parallel_table_scan_size', '0', true), set_config('parallel_setup_cost',
                        '0', true),
                        set_config('parallel_tuple_cost', '1', true);
                    EXECUTE 'CREATE TEMP TABLE made AS ' || statement;
                    statement := 'TABLE made';
                END IF;
                -- The same bytes need not be probed again.
                EXECUTE format('INSERT INTO equality.filters (slot, id, build, %1$I) SELECT $1, id, $2, f
                    FROM (%2$s) AS made
                    WHERE NOT EXISTS (SELECT FROM equality.filters AS o
                        WHERE o.slot = $1 AND o.id = made.id AND o.%1$I::text = f::text)', way.type,
                        statement) USING s.slot, way.name;
                IF way.parallel THEN
                    DROP TABLE made;
                    PERFORM set_config('min_parallel_table_scan_size', '8MB', true),
                        set_config('parallel_setup_cost', '1000', true),
                        set_config('parallel_tuple_cost', '0.1', true);
                END IF;
                errors := NULL;
            EXCEPTION WHEN OTHERS THEN
                errors := sqlstate || ' ' || sqlerrm;
            END;
            IF errors IS NOT NULL THEN
                INSERT INTO equality.answers VALUES ('build', s.slot, s.slot, way.name || ', ' || way.type, errors,
                    1, NULL);
            END IF;
        END LOOP;
    END LOOP;
END $$;

--
-- Probes
--

-- One probe on its own, where others of the query might fail; of a variable, which holds arrays and rows in another
-- form.
CREATE FUNCTION equality.ask(f public.bloomfilter, v anyelement) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    -- What is assigned is expanded.
    v := v;
    RETURN coalesce((public.bf_contains(f, v) AND f OPERATOR(public.@>) v AND v OPERATOR(public.<@) f)::text, 'null');
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate || ' ' || sqlerrm;
END $$;

CREATE FUNCTION equality.ask(f public.cuckoofilter, v anyelement) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    -- What is assigned is expanded.
    v := v;
    RETURN coalesce((public.cf_contains(f, v) AND f OPERATOR(public.@>) v AND v OPERATOR(public.<@) f
        AND public.cf_count(f, v) > 0)::text, 'null');
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate || ' ' || sqlerrm;
END $$;

-- The answer of a query, or its error.
CREATE FUNCTION equality.answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer boolean;
BEGIN
    EXECUTE query INTO answer;
    RETURN coalesce(answer::text, 'null');
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate || ' ' || sqlerrm;
END $$;

-- SQL that shows a finding, apart from the settings and the way the data went.
CREATE FUNCTION equality.example(a equality.slots, b equality.slots, id_a integer, id_b integer,
    build text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    text_a text;
    text_b text;
BEGIN
    EXECUTE format('SELECT v::text FROM %s WHERE id = %s', equality.members(a), id_a) INTO text_a;
    EXECUTE format('SELECT v::text FROM %s WHERE id = %s', equality.members(b), id_b) INTO text_b;
    RETURN format('%s: %L of %s; probe: %L of %s', build, left(text_a, 100), a.name, left(text_b, 100), b.name);
END $$;

-- Every pair of equal values, typed: the filters of the one are asked about the other.
CREATE FUNCTION equality.check_pair(label text, a equality.slots, b equality.slots) RETURNS void LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    value_a text := equality.value_of(a, 'a');
    value_b text := equality.value_of(b, 'b');
    from_clause text;
    probe text;
    way text;
    found record;
    id_a integer;
    id_b integer;
    is_equal boolean;
BEGIN
    FOREACH way IN ARRAY ARRAY['bloom', 'cuckoo'] LOOP
        from_clause := format('FROM %s AS a JOIN equality.filters AS f ON f.slot = %s AND f.id = a.id
            AND f.%s IS NOT NULL JOIN %s AS b', equality.members(a), a.slot, way, equality.members(b));
        probe := CASE way WHEN 'bloom' THEN 'public.bf_contains(f.bloom, %1$s) AND f.bloom OPERATOR(public.@>) %1$s'
            ELSE 'public.cf_contains(f.cuckoo, %1$s) AND %1$s OPERATOR(public.<@) f.cuckoo
                AND public.cf_count(f.cuckoo, %1$s) > 0' END;
        IF NOT b.is_array THEN
            probe := probe || CASE way WHEN 'bloom' THEN ' AND public.bf_contains_any(f.bloom, ARRAY[%1$s, %1$s])
                AND public.bf_contains_all(f.bloom, ARRAY[%1$s])'
                ELSE ' AND public.cf_contains_any(f.cuckoo, ARRAY[%1$s, %1$s])
                    AND public.cf_contains_all(f.cuckoo, ARRAY[%1$s])' END;
        END IF;
        BEGIN
            EXECUTE format('INSERT INTO equality.answers
                SELECT %L, %s, %s, %L, answer, count(*),
                    CASE WHEN answer <> ''true'' THEN min(format(''%%s %%s %%s'', ida, idb, build)) END
                FROM (SELECT a.id AS ida, b.id AS idb, f.build, coalesce((%s)::text, ''null'') AS answer %s
                    ON %s = %s) AS probes GROUP BY answer',
                label, a.slot, b.slot, way, format(probe, value_b), from_clause, value_a, value_b);
            IF a.slot = b.slot AND (a.is_array OR a.name ~* '^(row|array|domain over (row|array))') THEN
                EXECUTE format('INSERT INTO equality.answers
                    SELECT %L, %s, %s, %L, answer, count(*), min(format(''%%s %%s %%s'', ida, idb, build))
                    FROM (SELECT a.id AS ida, b.id AS idb, f.build, equality.ask(f.%s, %s) AS answer %s
                        ON %s = %s) AS probes GROUP BY answer',
                    label, a.slot, b.slot, way || ' and a variable', way, value_b, from_clause, value_a, value_b);
            END IF;
        EXCEPTION WHEN OTHERS THEN
            -- Some refuse: one by one.
            BEGIN
                EXECUTE format('INSERT INTO equality.answers
                    SELECT %L, %s, %s, %L, answer, count(*), min(format(''%%s %%s %%s'', ida, idb, build))
                    FROM (SELECT a.id AS ida, b.id AS idb, f.build, equality.ask(f.%s, %s) AS answer %s
                        ON %s = %s) AS probes GROUP BY answer',
                    label, a.slot, b.slot, way, way, value_b, from_clause, value_a, value_b);
            EXCEPTION WHEN OTHERS THEN
                -- And some cannot be compared.
                FOR id_a, id_b IN EXECUTE format('SELECT a.id, b.id FROM %s AS a, %s AS b', equality.members(a),
                    equality.members(b)) LOOP
                    BEGIN
                        EXECUTE format('SELECT %s = %s FROM %s AS a, %s AS b
                            WHERE a.id = %s AND b.id = %s', value_a, value_b, equality.members(a),
                            equality.members(b), id_a, id_b)
                            INTO is_equal;
                    EXCEPTION WHEN OTHERS THEN
                        is_equal := false;
                    END;
                    IF is_equal THEN
                        EXECUTE format('INSERT INTO equality.answers
                            SELECT %L, %s, %s, %L, answer, count(*), min(format(''%%s %%s %%s'', ida, idb, build))
                            FROM (SELECT a.id AS ida, b.id AS idb, f.build, equality.ask(f.%s, %s) AS answer %s
                                ON a.id = %s AND b.id = %s) AS probes GROUP BY answer',
                            label, a.slot, b.slot, way, way, value_b, from_clause, id_a, id_b);
                    END IF;
                END LOOP;
            END;
        END;
    END LOOP;
END $$;

-- The same by filter scans: for each filter, the members of the other table that pass. The keys are columns, as such a scan
-- needs them.
CREATE FUNCTION equality.check_scan(label text, a equality.slots, b equality.slots) RETURNS void LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    way text;
    query text;
    plan text;
BEGIN
    -- Values of two domains may have no operator.
    BEGIN
        EXECUTE format('SELECT %s = b.v FROM %s AS a, %s AS b WHERE false', equality.value_of(a, 'a'), equality.members(a),
            equality.members(b));
    EXCEPTION WHEN undefined_function THEN
        RETURN;
    END;
    FOREACH way IN ARRAY ARRAY['bloom', 'cuckoo'] LOOP
        query := format('SELECT a.id AS ida, b.id AS idb, f.build, coalesce((b.id = ANY (passed.ids))::text, ''null'') AS answer
            FROM %s AS a JOIN equality.filters AS f ON f.slot = %s AND f.id = a.id AND f.%s IS NOT NULL
                CROSS JOIN LATERAL (SELECT array_agg(s.id) AS ids FROM %s AS s WHERE %s) AS passed
                JOIN %4$s AS b ON %6$s = b.v',
            equality.members(a), a.slot, way, equality.members(b),
            CASE way WHEN 'bloom' THEN 'public.bf_contains(f.bloom, s.v)' ELSE 's.v OPERATOR(public.<@) f.cuckoo' END,
            equality.value_of(a, 'a'));
        BEGIN
            EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
            EXECUTE format('INSERT INTO equality.answers
                SELECT %L, %s, %s, %L, answer, count(*),
                    CASE WHEN answer <> ''true'' THEN min(format(''%%s %%s %%s'', ida, idb, build)) END
                FROM (%s) AS probes GROUP BY answer',
                label, a.slot, b.slot, way || CASE WHEN plan ~ 'CuckooFilterScan' THEN ' by pages' ELSE ' by rows' END, query);
        EXCEPTION WHEN OTHERS THEN
            INSERT INTO equality.answers VALUES (label, a.slot, b.slot, way || ' by pages', sqlstate || ' ' || sqlerrm, 1);
        END;
    END LOOP;
END $$;

-- Up to so many pairs of equal members of two slots, as {a,b}.
CREATE FUNCTION equality.draw(a equality.slots, b equality.slots, times integer)
    RETURNS SETOF integer[] LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT ARRAY[a.id, b.id] FROM %s AS a JOIN %s AS b ON %s = %s
        ORDER BY random() LIMIT %s',
        equality.members(a), equality.members(b), equality.value_of(a, 'a'), equality.value_of(b, 'b'), times);
EXCEPTION WHEN OTHERS THEN
    RETURN;
END $$;

-- part: of the pairs of different slots.
CREATE FUNCTION equality.check_typed(label text, part double precision) RETURNS void LANGUAGE sql AS $$
    SELECT equality.check_scan(label, x, y) FROM equality.pairs AS p JOIN equality.slots AS x ON x.slot = p.a
        JOIN equality.slots AS y ON y.slot = p.b
    WHERE y.slot = y.source AND (x.slot = y.slot OR random() < part / 3);
    SELECT equality.check_pair(label, x, y) FROM equality.pairs AS p JOIN equality.slots AS x ON x.slot = p.a
        JOIN equality.slots AS y ON y.slot = p.b
    WHERE x.slot = y.slot OR random() < part
$$;

-- Statements whose parameters have no declared type, as drivers send them.
CREATE FUNCTION equality.prepare() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_prepared_statements WHERE name = 'equality_bloom') THEN
        PREPARE equality_bloom AS SELECT public.bf_contains(f.bloom, $4) FROM equality.filters AS f
            WHERE f.slot = $1 AND f.id = $2 AND f.build = $3 AND f.bloom IS NOT NULL;
        PREPARE equality_cuckoo AS SELECT public.cf_contains(f.cuckoo, $4) AND f.cuckoo OPERATOR(public.@>) $4
            FROM equality.filters AS f
            WHERE f.slot = $1 AND f.id = $2 AND f.build = $3 AND f.cuckoo IS NOT NULL;
    END IF;
END $$;

-- Filter and value are constants, and the planner has the answer.
CREATE FUNCTION equality.check_constants(label text, a equality.slots, b equality.slots, drawn integer[], built text,
    constant text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    f record;
    said text;
BEGIN
    IF equality.answer(format('SELECT %s = %s FROM %s AS a WHERE id = %s', equality.value_of(a, 'a'), constant,
        equality.members(a), drawn[1])) = 'true' THEN
        FOR f IN SELECT * FROM equality.filters WHERE slot = a.slot AND id = drawn[1] AND build = built LOOP
            said := equality.answer(CASE WHEN f.bloom IS NULL THEN format('SELECT public.cf_contains(%L, %s)',
                f.cuckoo, constant)
                ELSE format('SELECT public.bf_contains(%L, %s)', f.bloom, constant) END);
            INSERT INTO equality.answers VALUES (label, a.slot, b.slot, 'constants', said, 1,
                CASE WHEN said <> 'true' THEN format('%s; %s', equality.example(a, b, drawn[1], drawn[2], built),
                    left(constant, 150)) END);
        END LOOP;
    END IF;
END $$;

-- The union and the intersection of filters that hold equal values: both have to be in it, typed or as a literal.
CREATE FUNCTION equality.check_merged(label text, a equality.slots, b equality.slots, drawn integer[],
    spelled text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    way record;
    said text;
BEGIN
    FOR way IN SELECT merge, probed, format('SELECT public.%1$s_contains(public.%2$s((SELECT public.%1$s_agg(%3$s,
        10, 1e-7) FROM %6$s AS a WHERE a.id = %8$s), (SELECT public.%1$s_agg(%4$s, 10, 1e-7)
        FROM %7$s AS b WHERE b.id = %9$s)), %5$s)
            FROM %6$s AS a, %7$s AS b WHERE a.id = %8$s AND b.id = %9$s', left(merge, 2), merge, equality.value_of(a,
                'a'), equality.value_of(b, 'b'),
            probed, equality.members(a), equality.members(b), drawn[1], drawn[2]) AS query
        FROM unnest(ARRAY['bf_union', 'bf_intersection', 'cf_union']) AS merge, unnest(ARRAY[equality.value_of(a,
            'a'), equality.value_of(b, 'b'), quote_literal(spelled)]) AS probed
    LOOP
        CONTINUE WHEN way.probed = quote_literal(spelled) AND equality.answer(format('SELECT %1$s = %2$s
            AND %3$s = %2$s FROM %4$s AS a, %5$s AS b WHERE a.id = %6$s AND b.id = %7$s',
            equality.value_of(a, 'a'), way.probed, equality.value_of(b, 'b'), equality.members(a),
                equality.members(b), drawn[1], drawn[2])) <> 'true';
        said := equality.answer(way.query);
        INSERT INTO equality.answers VALUES (label, a.slot, b.slot, 'merged', said, 1,
            CASE WHEN said <> 'true' THEN format('%s; %s, probe %s', equality.example(a, b, drawn[1], drawn[2],
                'agg'), way.merge, left(way.probed, 100)) END);
    END LOOP;
END $$;

-- Values without a type: where the column of the one is equal to a literal that the other is written as.
CREATE FUNCTION equality.check_untyped(label text, part double precision) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    p record;
    drawn integer[];
    member record;
    built text;
    spelled text;
    way record;
    said text;
BEGIN
    PERFORM equality.prepare();
    FOR p IN SELECT x AS a, y AS b FROM equality.pairs AS c JOIN equality.slots AS x ON x.slot = c.a
        JOIN equality.slots AS y ON y.slot = c.b
        WHERE some_equal AND (x.slot = y.slot OR random() < part)
    LOOP
        FOR drawn IN SELECT equality.draw(p.a, p.b, CASE WHEN (p.a).slot = (p.b).slot THEN 6 ELSE 1 END) LOOP
            SELECT build INTO built FROM equality.filters WHERE slot = (p.a).slot AND id = drawn[1]
                ORDER BY random() LIMIT 1;
            CONTINUE WHEN NOT FOUND;
            EXECUTE format('SELECT spelling, %s::text AS printed FROM %s AS b
                WHERE id = %s', equality.value_of(p.b, 'b'), equality.members(p.b), drawn[2]) INTO member;
            FOR spelled IN SELECT DISTINCT s FROM unnest(ARRAY[member.spelling, member.printed]) AS s
                WHERE s IS NOT NULL LOOP
                PERFORM equality.check_constants(label, p.a, p.b, drawn, built, format('%L::%s%s', spelled,
                    (p.b).type, ' COLLATE ' || (p.b).collation_name));
                IF random() < 0.2 THEN
                    PERFORM equality.check_merged(label, p.a, p.b, drawn, spelled);
                END IF;
                CONTINUE WHEN equality.answer(format('SELECT %s = %L FROM %s AS a
                    WHERE id = %s', equality.value_of(p.a, 'a'), spelled, equality.members(p.a), drawn[1])) <> 'true';
                FOR way IN SELECT * FROM (VALUES
                    ('literal', 'bloom', 'SELECT public.bf_contains(bloom, %4$L)
                        AND bloom OPERATOR(public.@>) %4$L FROM equality.filters
                        WHERE slot = %1$s AND id = %2$s AND build = %3$L AND bloom IS NOT NULL'),
                    ('literal', 'cuckoo', 'SELECT public.cf_contains(cuckoo, %4$L)
                        AND %4$L OPERATOR(public.<@) cuckoo FROM equality.filters
                        WHERE slot = %1$s AND id = %2$s AND build = %3$L AND cuckoo IS NOT NULL'),
                    ('literal of an array', 'bloom', 'SELECT public.bf_contains_any(bloom, %8$L)
                        AND public.bf_contains_all(bloom, %8$L) FROM equality.filters
                        WHERE slot = %1$s AND id = %2$s AND build = %3$L AND bloom IS NOT NULL'),
                    ('literal of an array', 'cuckoo', 'SELECT public.cf_contains_any(cuckoo, %8$L)
                        AND public.cf_contains_all(cuckoo, %8$L) FROM equality.filters
                        WHERE slot = %1$s AND id = %2$s AND build = %3$L AND cuckoo IS NOT NULL'),
                    ('parameter', 'bloom', 'EXECUTE equality_bloom(%s, %s, %L, %L)'),
                    ('parameter', 'cuckoo', 'EXECUTE equality_cuckoo(%s, %s, %L, %L)'),
                    -- To a filter without a kind, and to one that holds another value.
                    ('added literal', 'bloom', 'SELECT public.bf_contains(public.bf_add(public.bf_create(10, 1e-7),
                        %4$L), %5$s) FROM %6$s AS a WHERE id = %2$s'),
                    ('added literal', 'cuckoo', 'SELECT public.cf_contains(public.cf_add(public.cf_create(10, 1e-7),
                        %4$L), %5$s) FROM %6$s AS a WHERE id = %2$s'),
                    ('array literal added', 'bloom', 'SELECT public.bf_contains(public.bf_add_all(public.bf_agg(%5$s, 10,
                        1e-7), %8$L), %5$s) FROM %6$s AS a WHERE a.id = %2$s GROUP BY a.id, a.v'),
                    ('literal added', 'bloom', 'SELECT public.bf_contains(public.bf_add(public.bf_agg(%7$s, 10,
                        1e-7), %4$L), %5$s) FROM %6$s AS a, %6$s AS b
                        WHERE a.id = %2$s AND b.id = (SELECT min(b.id)
                            FROM %6$s AS b WHERE NOT %5$s = %7$s) GROUP BY a.id, a.v HAVING count(*) > 0'),
                    ('literal added', 'cuckoo', 'SELECT public.cf_contains(public.cf_add_unique(public.cf_agg(%7$s,
                        10, 1e-7), %4$L), %5$s) FROM %6$s AS a, %6$s AS b
                        WHERE a.id = %2$s AND b.id = (SELECT min(b.id)
                            FROM %6$s AS b WHERE NOT %5$s = %7$s) GROUP BY a.id,
                            a.v HAVING count(*) > 0')) AS ways (form, type, query)
                    WHERE form !~ 'added' OR (p.a).slot = (p.b).slot
                LOOP
                    -- The one may have been built, and the other refused.
                    CONTINUE WHEN NOT EXISTS (SELECT FROM equality.filters
                        WHERE slot = (p.a).slot AND id = drawn[1] AND build = built
                        AND CASE way.type WHEN 'bloom' THEN bloom IS NOT NULL ELSE cuckoo IS NOT NULL END);
                    said := equality.answer(format(way.query, (p.a).slot, drawn[1], built, spelled,
                        equality.value_of(p.a, 'a'), equality.members(p.a), equality.value_of(p.a, 'b'),
                        ARRAY[spelled]::text));
                    -- There is no other value.
                    CONTINUE WHEN way.form = 'literal added' AND said = 'null';
                    INSERT INTO equality.answers VALUES (label, (p.a).slot, (p.b).slot, way.form, said, 1,
                        CASE WHEN said <> 'true' THEN format('%s; literal %L', equality.example(p.a, p.b, drawn[1],
                            drawn[2], built), left(spelled, 100)) END);
                END LOOP;
            END LOOP;
        END LOOP;
    END LOOP;
END $$;

-- The recipe of docs/adding_and_deleting.md: the hash chooses which of many small filters is changed, and probed.
CREATE FUNCTION equality.check_shards(label text, part double precision) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    p record;
    drawn integer[];
    spelled text;
    way record;
    said text;
BEGIN
    CREATE TEMP TABLE IF NOT EXISTS seen (shard integer, keys public.bloomfilter);
    FOR p IN SELECT x AS a, y AS b FROM equality.pairs AS c JOIN equality.slots AS x ON x.slot = c.a
        JOIN equality.slots AS y ON y.slot = c.b
        WHERE some_equal AND random() < CASE WHEN x.slot = y.slot THEN 0.5 WHEN x.type IS NULL THEN 0 ELSE part END
    LOOP
        FOR drawn IN SELECT equality.draw(p.a, p.b, 1) LOOP
            EXECUTE format('SELECT spelling FROM %s AS b WHERE id = %s', equality.members(p.b),
                drawn[2]) INTO spelled;
            FOR way IN SELECT * FROM (VALUES
                ('typed and typed', equality.value_of(p.a, 'a'), equality.value_of(p.b, 'b')),
                ('typed and untyped', equality.value_of(p.a, 'a'), quote_literal(spelled)),
                ('untyped and typed', quote_literal(spelled), equality.value_of(p.a, 'a'))) AS ways (form, written,
                    read)
                WHERE written IS NOT NULL AND read IS NOT NULL
            LOOP
                CONTINUE WHEN equality.answer(format('SELECT %s = %s FROM %s AS a, %s AS b
                    WHERE a.id = %s AND b.id = %s', way.written, way.read,
                    equality.members(p.a), equality.members(p.b), drawn[1], drawn[2])) <> 'true';
                BEGIN
                    EXECUTE format('INSERT INTO seen SELECT shard, public.bf_create(10, 1e-7%s)
                        FROM generate_series(0, 3) AS shard',
                        CASE WHEN (p.a).type IS NOT NULL THEN format(', %L::regtype',
                            (p.a).type) ELSE '' END);
                    EXECUTE format('UPDATE seen SET keys = public.bf_add(keys, %1$s) FROM %2$s AS a, %3$s AS b
                        WHERE a.id = %4$s AND b.id = %5$s AND shard = public.filter_hash(%1$s) & 3', way.written,
                            equality.members(p.a), equality.members(p.b), drawn[1], drawn[2]);
                    said := equality.answer(format('SELECT public.bf_contains(keys, %1$s)
                        FROM seen, %2$s AS a, %3$s AS b
                        WHERE a.id = %4$s AND b.id = %5$s AND shard = public.filter_hash(%1$s) & 3', way.read,
                            equality.members(p.a), equality.members(p.b), drawn[1], drawn[2]));
                    -- Back to no filters.
                    RAISE EXCEPTION USING errcode = 'ZZZZZ', message = said;
                EXCEPTION
                    WHEN SQLSTATE 'ZZZZZ' THEN
                        said := sqlerrm;
                    WHEN OTHERS THEN
                        said := sqlstate || ' ' || sqlerrm;
                END;
                INSERT INTO equality.answers VALUES (label, (p.a).slot, (p.b).slot, 'shards, ' || way.form, said, 1,
                    CASE WHEN said <> 'true' THEN format('%s; literal %L', equality.example(p.a, p.b, drawn[1],
                        drawn[2], 'shards'), left(spelled, 100)) END);
            END LOOP;
        END LOOP;
    END LOOP;
    DROP TABLE seen;
END $$;

-- Literals with a type or without one, under a COLLATE clause.
CREATE FUNCTION equality.check_collate_clauses(label text, times integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    s equality.slots;
    member record;
    clause text;
    form text;
    literal text;
    said text;
BEGIN
    FOR s IN SELECT * FROM equality.slots WHERE slots.name ~ '^(text|character|name|citext)' AND slot = source LOOP
        FOR clause IN SELECT format('%I.%I', n.nspname, c.collname) FROM pg_collation AS c
            JOIN pg_namespace AS n ON n.oid = c.collnamespace
            WHERE n.nspname = 'equality' ORDER BY random() LIMIT 3
        LOOP
            FOR member IN EXECUTE format('SELECT a.id, b.spelling, f.build
                FROM %1$s AS a, %1$s AS b, equality.filters AS f
                WHERE f.slot = %3$s AND f.id = a.id AND f.bloom IS NOT NULL AND a.v = b.v COLLATE %2$s
                    ORDER BY random() LIMIT %4$s',
                equality.members(s), clause, s.slot, times)
            LOOP
                FOREACH form IN ARRAY ARRAY['%L COLLATE %s', '%L::text COLLATE %s',
                    '%L::pg_catalog.bpchar COLLATE %s'] LOOP
                    literal := format(form, member.spelling, clause);
                    CONTINUE WHEN equality.answer(format('SELECT v = %s
                        FROM %s WHERE id = %s', literal, equality.members(s), member.id)) <> 'true';
                    said := equality.answer(format('SELECT bool_and(CASE WHEN bloom IS NULL
                        THEN public.cf_contains(cuckoo, %1$s) ELSE public.bf_contains(bloom, %1$s) END)
                        FROM equality.filters WHERE slot = %2$s AND id = %3$s
                            AND build = %4$L', literal, s.slot, member.id, member.build));
                    INSERT INTO equality.answers VALUES (label, s.slot, s.slot, 'COLLATE', said, 1,
                        CASE WHEN said <> 'true' THEN format('%s; probe: %s', equality.example(s, s, member.id,
                            member.id, member.build), left(literal, 120)) END);
                END LOOP;
            END LOOP;
        END LOOP;
    END LOOP;
END $$;

--
-- Other databases
--

-- A setting, as far as this version has it.
CREATE FUNCTION equality.set(name text, value text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config(name, value, false);
EXCEPTION WHEN OTHERS THEN
    NULL;
END $$;

CREATE FUNCTION equality.representable(string text, encoding name) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF 'SQL_ASCII' IN (encoding, getdatabaseencoding()) THEN
        RETURN true;
    ELSIF getdatabaseencoding() = 'MULE_INTERNAL' THEN
        RETURN convert_to(string, encoding) IS NOT NULL OR string IS NULL;
    END IF;
    RETURN convert(convert_to(string, 'UTF8'), 'UTF8', encoding) IS NOT NULL OR string IS NULL;
EXCEPTION WHEN OTHERS THEN
    RETURN false;
END $$;

CREATE FUNCTION equality.has_e_acute(encoding name) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN convert(decode('c3a9', 'hex'), 'UTF8', encoding) IS NOT NULL;
EXCEPTION WHEN OTHERS THEN
    RETURN false;
END $$;

-- Leave out of some ranges those whose bounds may be in order here only: of characters beyond ASCII, with an upper bound.
-- PostgreSQL itself does not restore them where they are not.
CREATE FUNCTION equality.prune_bounds(names text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    s equality.slots;
BEGIN
    FOR s IN SELECT * FROM equality.slots AS d WHERE d.slot = d.source AND d.name ~ names LOOP
        EXECUTE format('DELETE FROM %s WHERE length(v::text) <> octet_length(v::text)
            AND v::text !~ %L', equality.members(s), '^[^,]*,[)][^,]*$');
        EXECUTE format('DELETE FROM equality.filters AS f USING equality.slots AS d
            WHERE d.slot = f.slot AND d.source = $1
            AND NOT EXISTS (SELECT FROM %s AS m WHERE m.id = f.id)', equality.members(s)) USING s.slot;
    END LOOP;
END $$;

-- Drop what a database of another encoding cannot have; and the texts of this generator.
CREATE FUNCTION equality.prune(encoding name, has_collations boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    s equality.slots;
    one regcollation;
BEGIN
    SET LOCAL client_min_messages = error;
    DROP FUNCTION IF EXISTS equality.random_literals, equality.literals_of;
    TRUNCATE equality.answers, equality.literals, equality.notes;
    IF NOT has_collations THEN
        PERFORM equality.drop_slot(d.slot) FROM equality.slots AS d WHERE d.name ~ 'equality.(collation|deterministic)';
        FOR one IN SELECT oid FROM pg_collation WHERE collnamespace = 'equality'::regnamespace LOOP
            EXECUTE format('DROP COLLATION %s CASCADE', one);
        END LOOP;
    END IF;
    IF NOT equality.has_e_acute(encoding) THEN
        PERFORM equality.drop_slot(d.slot) FROM equality.slots AS d WHERE d.name ~ 'saison';
        DROP TYPE IF EXISTS equality.saison CASCADE;
    END IF;
    IF encoding <> 'UTF8' THEN
        PERFORM equality.prune_bounds('range');
    END IF;
    FOR s IN SELECT * FROM equality.slots AS d WHERE d.slot = d.source LOOP
        -- Where characters are not known, lengths are those of bytes.
        IF encoding = 'SQL_ASCII' AND s.name ~ '[(][0-9]+[)]' THEN
            EXECUTE format('DELETE FROM %s WHERE length(v::text) <> octet_length(v::text)', equality.members(s));
        END IF;
        EXECUTE format('DELETE FROM %s WHERE NOT (equality.representable(v::text, $1)
            AND equality.representable(spelling, $1))', equality.members(s)) USING encoding;
        EXECUTE format('DELETE FROM equality.filters AS f USING equality.slots AS d
            WHERE d.slot = f.slot AND d.source = $1
            AND NOT EXISTS (SELECT FROM %s AS m WHERE m.id = f.id)', equality.members(s)) USING s.slot;
    END LOOP;
END $$;

--
-- Results
--

-- How often what was answered: "true", or an error with the names in its message left out.
CREATE FUNCTION equality.summary(OUT form text, OUT answer text, OUT times bigint)
    RETURNS SETOF record LANGUAGE sql AS $$
    SELECT r.form, left(regexp_replace(regexp_replace(r.answer,
        '(kinds?,?|type|encoding|function|collation|syntax for) .*', '\1 ...', 'i'), '["''].*', '...'), 100),
        sum(r.times)::bigint
    FROM equality.answers AS r GROUP BY 1, 2
$$;

-- Answers that must not be, with what shows them; the shortest example of each pair of slots.
CREATE FUNCTION equality.findings(OUT label text, OUT form text, OUT answer text, OUT times bigint,
    OUT example text) RETURNS SETOF record LANGUAGE sql AS $$
    SELECT DISTINCT ON (r.label, r.a, r.b, r.form, r.answer) r.label, r.form, left(r.answer, 200),
        sum(r.times) OVER (PARTITION BY r.label, r.a, r.b, r.form, r.answer)::bigint,
        CASE WHEN r.example ~ '^[0-9]+ [0-9]+ ' THEN
            equality.example(x, y, split_part(r.example, ' ', 1)::integer, split_part(r.example, ' ', 2)::integer,
                regexp_replace(r.example, '^[0-9]+ [0-9]+ ', ''))
            ELSE coalesce(r.example, x.name) END
    FROM equality.answers AS r JOIN equality.slots AS x ON x.slot = r.a JOIN equality.slots AS y ON y.slot = r.b
    -- Internal errors, and mistakes of this generator.
    WHERE r.answer IN ('false', 'null') OR r.answer ~ '^(XX|42601|42P01|42P02|22004|42703|42883 (function|operator))'
    ORDER BY r.label, r.a, r.b, r.form, r.answer, length(r.example)
$$;
