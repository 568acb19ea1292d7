--
-- Values and lists for untyped parameters: a value that the filter holds is found, or there is an error that says what to
-- do, whatever the type, function and settings. A list in the place of one value is an error that names the functions for
-- lists.
--
CREATE SCHEMA untyped;
SET search_path = untyped, public;

CREATE TYPE mood AS ENUM ('calm', 'angry');
CREATE TYPE place AS (x real, name char(4));
CREATE TYPE float_range AS RANGE (subtype = float8);
CREATE DOMAIN whole AS integer;
CREATE DOMAIN fraction AS real;
CREATE DOMAIN padded AS char(4);
CREATE DOMAIN feeling AS mood;
CREATE DOMAIN fractions AS real[];
CREATE DOMAIN many_fractions AS fraction[];

-- The functions that take an untyped value or list after a filter, as the catalogs have them; those that take a list have
-- a twin that takes an array.
CREATE TABLE functions AS
    SELECT proname AS name, proargtypes[0]::regtype AS filter, prorettype::regtype AS result,
        EXISTS (SELECT FROM pg_proc AS twin
            WHERE twin.proname = p.proname AND twin.proargtypes[0] = p.proargtypes[0] AND twin.proargtypes[1] = 'anyarray'::regtype) AS takes_list
    FROM pg_depend JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
    WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'cuckoo_filter')
        AND pronargs = 2 AND proargtypes[1] = 'filter_literal'::regtype
        AND proargtypes[0] IN ('bloomfilter'::regtype, 'cuckoofilter'::regtype);
SELECT takes_list, string_agg(name, ', ' ORDER BY name COLLATE "C") AS functions FROM functions GROUP BY 1 ORDER BY 1;

CREATE FUNCTION succeeds(command text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    found boolean;
BEGIN
    EXECUTE command INTO found;
    RETURN found;
EXCEPTION WHEN OTHERS THEN
    RETURN false;
END$$;

-- Values of every type: what its input function makes of these texts.
CREATE TABLE given AS
    SELECT type, value
    FROM (SELECT format_type(t.oid, NULL) AS type, format('%L::%s', text, format_type(t.oid, NULL)) AS value,
            row_number() OVER (PARTITION BY t.oid ORDER BY n) AS number
        FROM pg_type AS t, unnest(ARRAY['1.1', 'a  ', '0.30000000000000004', '42', 'calm', 't', '\x6162', '2024-02-29 13:14:15.6', '1 mon 2 days',
            '13:14', '(1.1,b)', '[1.1,2.3)', '{[1,2)}', '<a/>', '{"a": 1.10}', '192.168.0.1', '08:00:2b:01:02:03', '08:00:2b:01:02:03:04:05',
            '101', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'pg_class', '((0,0.1),(1,1))', '<(0.1,0),2>', '{1,1.1,2}', '(0,1)', '1 2',
            '0/1', 'a & b', 'english', 'public', '{}', '1:2:', 'postgres=r/postgres']) WITH ORDINALITY AS texts (text, n)
        WHERE (typtype IN ('b', 'd', 'e', 'r', 'm') OR t.oid = 'place'::regtype) AND typname <> 'filter_literal'
            AND (typnamespace = 'pg_catalog'::regnamespace OR typnamespace = 'untyped'::regnamespace)
            AND succeeds(format('SELECT %L::%s IS NOT NULL', text, format_type(t.oid, NULL)))) AS t
    WHERE number <= 3;
SELECT count(DISTINCT type) > 80 AS many,
    count(DISTINCT type) FILTER (WHERE type ~ '\[]$') > 50 AS arrays FROM given;

-- What filters hold that must be found: the value itself, its text, and values that SQL says are equal to it.
CREATE TABLE held AS
    SELECT value, kind, member
    FROM given, LATERAL (SELECT DISTINCT kind, format('%s::%s', value, kind) AS member
        FROM unnest(ARRAY[type, 'text', 'bpchar', 'name', 'bigint', 'numeric', 'float8', 'real', 'bytea', 'boolean', 'uuid', 'mood', 'bit']) AS kind
        WHERE succeeds(format('SELECT public.bf_agg(%s::%s) IS NOT NULL', value, kind))
            AND (kind IN (type, 'text') OR succeeds(format('SELECT %1$s = %1$s::%2$s', value, kind)))) AS k;
-- Types that filters do not hold are there as text.
SELECT count(*) > count(DISTINCT value) AS several, count(DISTINCT value) = (SELECT count(DISTINCT value) FROM given) AS all_values
FROM held;

-- For each type, assignments in PL/pgSQL of a value and a list.
DO $$
DECLARE
    type text;
BEGIN
    FOR type IN SELECT DISTINCT g.type FROM given AS g LOOP
        EXECUTE format('CREATE FUNCTION assigned(given %s) RETURNS public.filter_literal LANGUAGE plpgsql AS
            ''DECLARE assigned public.filter_literal; BEGIN assigned := given; RETURN assigned; END''', type);
        CONTINUE WHEN type ~ '\[]$' OR to_regtype(type || '[]') IS NULL;
        EXECUTE format('CREATE FUNCTION listed(given %s[]) RETURNS public.filter_literal LANGUAGE plpgsql AS
            ''DECLARE assigned public.filter_literal; BEGIN assigned := given; RETURN assigned; END''', type);
    END LOOP;
END$$;

CREATE TABLE current (bloom public.bloomfilter, cuckoo public.cuckoofilter);
CREATE FUNCTION run(commands text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    command text;
BEGIN
    FOREACH command IN ARRAY commands LOOP
        EXECUTE command;
    END LOOP;
END$$;
SELECT run(array_agg(format('PREPARE %I AS SELECT public.%1$I(%2$s, $1) FROM untyped.current', name, left(filter::text, -6)))) FROM functions;

-- What a function does with a value: "right"; or the code of the error, followed by its hint.
CREATE FUNCTION outcome(f functions, command text, member text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    truth text := CASE WHEN f.result NOT IN ('bloomfilter'::regtype, 'cuckoofilter'::regtype) THEN '$1 <> ''0'' AND $1 <> ''false'''
        ELSE format(CASE WHEN f.name ~ 'delete' THEN 'public.cf_count($1::public.%s, %s) = 0' ELSE '$1::public.%s OPERATOR(public.@>) %s' END,
            f.result, member) END;
    returned text;
    is_right boolean;
    hint text;
BEGIN
    EXECUTE command INTO returned;
    EXECUTE 'SELECT ' || truth INTO is_right USING returned;
    RETURN CASE WHEN is_right THEN 'right' ELSE 'WRONG' END;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN SQLSTATE || ' ' || hint;
END$$;

-- EXECUTE and PL/pgSQL, for each function that takes a list, and each that takes a value.
CREATE TABLE outcomes (settings text, name text, takes_list boolean, form text, type text, value text, kind text, outcome text);
CREATE FUNCTION give_all(settings text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    h record;
BEGIN
    FOR h IN SELECT DISTINCT value, kind, member, type FROM untyped.held JOIN untyped.given USING (value) LOOP
        TRUNCATE untyped.current;
        EXECUTE format('INSERT INTO untyped.current SELECT public.bf_agg(%1$s, 10, 1e-7), public.cf_agg(%1$s, 10, 1e-7)', h.member);
        INSERT INTO untyped.outcomes
        SELECT settings, (f).name, (f).takes_list, form, h.type, h.value, h.kind, untyped.outcome(f, format(command, h.value), h.member)
        FROM (SELECT f, form, CASE form
                WHEN 'EXECUTE' THEN format('EXECUTE %I(%s)', f.name, CASE WHEN takes_list THEN 'ARRAY[%s]' ELSE '%s' END)
                ELSE format('SELECT public.%I(%s, untyped.%s) FROM untyped.current', f.name, left(filter::text, -6),
                    CASE WHEN takes_list THEN 'listed(ARRAY[%s])' ELSE 'assigned(%s)' END) END AS command
            FROM untyped.functions AS f, unnest(ARRAY['EXECUTE', 'PL/pgSQL']) AS form
            WHERE takes_list OR f.result <> 'boolean'::regtype OR form = 'EXECUTE') AS calls
        -- An array in a list would be one more dimension of that list.
        WHERE NOT ((f).takes_list AND h.type ~ '\[]$');
        -- What was to be added is not there before.
        TRUNCATE untyped.current;
        EXECUTE format('INSERT INTO untyped.current SELECT public.bf_create(10, 1e-7, %1$L), public.cf_create(10, 1e-7, %1$L)', h.kind);
        INSERT INTO untyped.outcomes
        SELECT settings, f.name, takes_list, 'add', h.type, h.value, h.kind, untyped.outcome(f, format('EXECUTE %I(%s)', f.name,
            CASE WHEN takes_list THEN format('ARRAY[%s]', h.value) ELSE h.value END), h.member)
        FROM untyped.functions AS f
        WHERE f.name ~ 'add' AND NOT (takes_list AND h.type ~ '\[]$');
    END LOOP;
END$$;
SELECT give_all('those under which the filters were built');
SET extra_float_digits = -3;
SET datestyle = 'SQL, DMY';
SET timezone = 'Asia/Kathmandu';
SET intervalstyle = 'iso_8601';
SET bytea_output = 'escape';
SELECT give_all('others');
RESET extra_float_digits;
RESET datestyle;
RESET timezone;
RESET intervalstyle;
RESET bytea_output;

SELECT count(*) > 10000 AS many, count(*) FILTER (WHERE outcome = 'right') > 1000 AS many_right FROM outcomes;
SELECT name, form, type, value, kind, settings FROM outcomes WHERE outcome = 'WRONG' OR outcome LIKE 'XX%'
ORDER BY 1, 2, 3, 4, 5, 6 LIMIT 40;
-- Each function takes some values, and these are their types.
SELECT name, form FROM outcomes GROUP BY 1, 2 HAVING NOT bool_or(outcome = 'right');
SELECT DISTINCT takes_list, type COLLATE "C" AS accepted FROM outcomes WHERE outcome = 'right' ORDER BY 1, 2;
SELECT count(*) AS no_hint FROM outcomes WHERE outcome LIKE '42804%' AND outcome !~ '[A-Z]';

-- The errors.
PREPARE any_of AS SELECT bf_contains_any(bf_agg(1.1::float8), $1);
EXECUTE any_of(ARRAY[1.1]);
EXECUTE any_of(ARRAY[1.1::real]);
EXECUTE any_of(ARRAY[1.1::fraction]);
EXECUTE any_of(1.1::real);
EXECUTE any_of(NULL::real[]);
DEALLOCATE any_of;

--
-- Lists in the place of one value.
--
CREATE TABLE filters AS
    SELECT kind, b, c FROM unnest(ARRAY['text', 'char(9)', 'name', 'mood', 'bytea', 'bigint', 'numeric', 'real', 'float8', 'boolean', 'uuid', 'date']) AS kind,
        bf_create(10, 1e-7, kind::regtype) AS b, cf_create(10, 1e-7, kind::regtype) AS c
    UNION ALL SELECT 'none', bf_create(10), cf_create(10);
CREATE FUNCTION hint_of(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    hint text;
BEGIN
    EXECUTE command;
    RETURN 'none, since the call succeeds';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN hint;
END$$;
CREATE FUNCTION is_refused(command text) RETURNS boolean LANGUAGE sql AS
    $$SELECT hint_of(command) LIKE '%bf_add_all%bf_contains_any%bf_contains_all%cf_add_all%cf_delete_all%cf_contains_any%cf_contains_all%'$$;
CREATE TABLE calls AS
    SELECT name, kind, format('%s($1, $2)', name) AS call, filter, CASE filter WHEN 'bloomfilter'::regtype THEN quote_literal(b) ELSE quote_literal(c) END AS constant
    FROM (SELECT name, filter FROM functions WHERE NOT takes_list
        UNION ALL SELECT operator, filter FROM unnest(ARRAY['@>', '<@']) AS operator, unnest(ARRAY['bloomfilter', 'cuckoofilter']::regtype[]) AS filter) AS f, filters;
UPDATE calls SET call = CASE name WHEN '@>' THEN '$1 @> $2' ELSE '$2 <@ $1' END WHERE name IN ('@>', '<@');
UPDATE calls SET call = replace(call, '$1', constant || '::' || filter);
-- Untyped, as drivers send them, and from arrays and text in EXECUTE.
SELECT name, kind, list
FROM calls, unnest(ARRAY['''{a,b}''', '''{"a","b"}''', '''{1,2}''', '''{{a,b},{c,d}}''', ''' { "a b" , NULL } ''', '''{}''', '''[0:1]={a,b}''']) AS list
WHERE NOT is_refused('SELECT ' || replace(call, '$2', list));
DEALLOCATE ALL;
SELECT run(array_agg(format('PREPARE %I AS SELECT ', name || ' ' || kind || filter) || replace(call, '$2', '$1'))) FROM calls;
SELECT name, kind, list
FROM calls, unnest(ARRAY['''{a,b}''', '''{a,b}''::text', 'ARRAY[''a'', ''b'']', 'ARRAY[''a'']', 'ARRAY[1, 2]', 'ARRAY[''calm'']::feeling[]']) AS list
WHERE NOT is_refused(format('EXECUTE %I(%s)', name || ' ' || kind || filter, list));
DEALLOCATE ALL;
-- Typed. A filter without a kind may hold arrays.
SELECT name, kind, list
FROM calls, unnest(ARRAY['ARRAY[''a'', ''b'']', 'ARRAY[1]', 'ARRAY[1.1]::fractions', 'ARRAY[ROW(1, ''a'')]::place[]', '''{}''::date[]']) AS list
WHERE kind <> 'none' AND NOT is_refused('SELECT ' || replace(call, '$2', list));
SELECT cf_add(c, '{a,b}') FROM filters WHERE kind = 'text';
SELECT cf_add(c, ARRAY['a', 'b']) FROM filters WHERE kind = 'text';

-- Not a list: text with a type, text with a brace at one end, and the values of filters of arrays and the like.
SELECT cf_contains(cf_add(c, '{a,b}'::text), '{a,b}'::text) AS cast FROM filters WHERE kind = 'text';
PREPARE typed(text) AS SELECT cf_contains(cf_add(c, $1), $1) AS typed FROM filters WHERE kind = 'text';
EXECUTE typed('{a,b}');
PREPARE with_cast AS SELECT cf_contains(cf_add(c, $1::text), $1::text) AS with_cast FROM filters WHERE kind = 'text';
EXECUTE with_cast('{a,b}');
DEALLOCATE ALL;
SELECT text
FROM unnest(ARRAY['["a","b"]', '[]', '{', '}', '{a', 'a}', '{a}b', 'a {b}', '{"a', '{a\', '[0:1]', '[0:1]=', '[0:1]=a', 'a,b', '(a,b)', '',
    ' ']) AS text
WHERE NOT succeeds(format('SELECT cf_contains(cf_add(c, %1$L), %1$L::text) AND bf_contains(bf_add(b, %1$L), %1$L::text) FROM filters WHERE kind = ''text''',
    text));
SELECT bf_contains(bf_agg(ARRAY['a', 'b']), ARRAY['a', 'b']) AS array, bf_add(bf_create(10), ARRAY['a']) @> ARRAY['a'] AS no_kind,
    cf_count(cf_agg('{A0EEBC999C0B4EF8BB6D6BB9BD380A11}'::uuid), '{A0EEBC999C0B4EF8BB6D6BB9BD380A11}') AS uuid,
    bf_contains_any(bf_agg('{a}'::text), '{"{a}"}') AS element, bf_contains_any(bf_agg('{a}'::text), ARRAY['{a}']) AS typed_element;
SELECT bf_contains(bf_agg(ARRAY['a', 'b']), '{a,b}');
SELECT bf_contains(bf_agg(ARRAY['a', 'b']), ARRAY[1]);

-- Every text that PostgreSQL reads as an array is taken for a list; of the others, those that begin and end with a brace.
CREATE TABLE texts AS
    WITH RECURSIVE t (text) AS (SELECT '{' UNION ALL SELECT text || c FROM t, unnest(ARRAY['{', '}', ',', '"', '\', 'a', ' ']) AS c WHERE length(text) < 5)
    SELECT text FROM t;
CREATE TABLE readings AS
    SELECT text, succeeds(format('SELECT %L::text[] IS NOT NULL', text)) AS is_array,
        is_refused(format('SELECT bf_contains(b, %L) FROM filters WHERE kind = ''text''', text)) AS is_refused
    FROM texts;
SELECT count(*) > 2000 AS many, count(*) FILTER (WHERE is_array) > 40 AS arrays, count(*) FILTER (WHERE is_array AND NOT is_refused) AS missed,
    count(*) FILTER (WHERE is_refused AND NOT is_array AND text !~ '^{.*}\s*$') AS mistaken
FROM readings;
SELECT text FROM readings WHERE is_refused <> (text ~ '^{.*}\s*$') LIMIT 20;

SET client_min_messages = warning;
DROP SCHEMA untyped CASCADE;
