--
-- A search_path full of traps: objects created before CREATE EXTENSION do not become part of it, objects in the path
-- of a call are not called, and the kind of a value does not depend on the path. See create_extension, too.
--
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS cuckoo_filter CASCADE;
CREATE SCHEMA hostile;
CREATE SCHEMA filters;
CREATE SCHEMA "Kinds, one";
CREATE SCHEMA kinds_two;
CREATE FUNCTION hostile.trap() RETURNS integer LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE FUNCTION hostile.append(text, anyelement) RETURNS text LANGUAGE sql AS 'SELECT hostile.trap()::text';

-- The target schema has an object with the name of one of the extension's: CREATE EXTENSION fails and leaves nothing,
-- rather than adopting the object. The objects of a trusted extension belong to a superuser.
CREATE FUNCTION outcome(trap text, removal text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    state text := 'created';
BEGIN
    EXECUTE trap;
    BEGIN
        CREATE EXTENSION cuckoo_filter WITH SCHEMA filters;
        DROP EXTENSION cuckoo_filter;
    EXCEPTION WHEN OTHERS THEN
        state := SQLSTATE;
    END;
    EXECUTE removal;
    RETURN state || CASE WHEN EXISTS (SELECT FROM pg_proc WHERE pronamespace = 'filters'::regnamespace
        UNION ALL SELECT FROM pg_type
            WHERE typnamespace = 'filters'::regnamespace) THEN ', and something is left' ELSE '' END;
END$$;
SELECT trap, outcome('CREATE ' || trap, 'DROP ' || split_part(trap, ' ', 1) || ' ' || removal)
FROM (VALUES
        ('TYPE filters.bloomfilter AS (x integer)', 'filters.bloomfilter'),
        ('DOMAIN filters.cuckoofilter AS bytea', 'filters.cuckoofilter'),
        ('TABLE filters.filter_literal (x integer)', 'filters.filter_literal'),
        ('AGGREGATE filters.bf_agg(anyelement) (SFUNC = hostile.append, STYPE = text)', 'filters.bf_agg(anyelement)'),
        -- Objects that differ only in a type, or have the name of a type in pg_catalog, have no effect.
        ('FUNCTION filters.bf_contains(bytea, anyelement) RETURNS boolean LANGUAGE sql AS ''SELECT false''',
            'filters.bf_contains(bytea, anyelement)'),
        ('FUNCTION filters.textin(cstring) RETURNS text LANGUAGE internal AS ''textin''', 'filters.textin(cstring)'),
        ('DOMAIN filters.internal AS bytea', 'filters.internal'),
        ('DOMAIN filters.float8 AS bytea', 'filters.float8')) AS traps (trap, removal);
-- Every function whose arguments have types that exist before the extension.
CREATE EXTENSION cuckoo_filter WITH SCHEMA filters;
CREATE TABLE functions AS
    SELECT format('filters.%I(%s)', proname, oidvectortypes(proargtypes)) AS function
    FROM pg_proc JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e'
        JOIN pg_extension AS e ON e.oid = refobjid AND extname = 'cuckoo_filter'
    WHERE NOT EXISTS (SELECT FROM unnest(proargtypes) AS type WHERE type >= 16384);
DROP EXTENSION cuckoo_filter;
SELECT outcome(format('CREATE FUNCTION %s RETURNS integer LANGUAGE internal AS ''int4pl''', function),
        format('DROP FUNCTION %s', function)), count(*) > 30 AS many FROM functions GROUP BY 1;
DROP TABLE functions;

-- Created with the traps in the path; temporary objects, which anyone can create, come first.
SET search_path = pg_temp, hostile, pg_catalog, public;
CREATE TEMP TABLE bloomfilter (x integer);
CREATE DOMAIN pg_temp.cuckoofilter AS text;
CREATE DOMAIN pg_temp.bytea AS text CHECK (false);
CREATE DOMAIN pg_temp.anyelement AS text CHECK (false);
-- Traps for an expression that the script itself might evaluate, with the rights of a superuser: they match better than
-- what pg_catalog has.
CREATE FUNCTION filters.trap(oid, regtype) RETURNS boolean LANGUAGE sql AS 'SELECT hostile.trap() = 1';
CREATE FUNCTION filters.trap(oid, regproc) RETURNS boolean LANGUAGE sql AS 'SELECT hostile.trap() = 1';
CREATE FUNCTION filters.format(text, text, text) RETURNS text LANGUAGE sql AS 'SELECT hostile.trap()::text';
CREATE FUNCTION filters.format(text, text, text, text, text) RETURNS text LANGUAGE sql AS 'SELECT hostile.trap()::text';
CREATE OPERATOR filters.= (LEFTARG = oid, RIGHTARG = regtype, FUNCTION = filters.trap);
CREATE OPERATOR filters.= (LEFTARG = oid, RIGHTARG = regproc, FUNCTION = filters.trap);
CREATE EXTENSION cuckoo_filter WITH SCHEMA filters;
SELECT DISTINCT n.nspname
FROM pg_depend JOIN pg_extension e ON refobjid = e.oid AND extname = 'cuckoo_filter'
    JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid, unnest(prorettype || proargtypes::oid[]) type
    JOIN pg_type t ON t.oid = type JOIN pg_namespace n ON n.oid = t.typnamespace
WHERE deptype = 'e' ORDER BY 1;

DROP TABLE pg_temp.bloomfilter;
DROP DOMAIN pg_temp.cuckoofilter, pg_temp.bytea, pg_temp.anyelement;

-- Traps for calls: functions, operators and types of the names that C code could look up.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['hashint4', 'hashint8', 'hashtext', 'hash_numeric', 'interval_hash', 'hashinet',
        'hash_range', 'hash_array', 'int4eq', 'texteq', 'bf_union', 'cf_union', 'bf_contains',
        '_filter_contains_support', 'numeric_out', 'textin', 'byteain'] LOOP
        EXECUTE format('CREATE FUNCTION hostile.%I(anyelement) RETURNS integer LANGUAGE sql '
            'AS ''SELECT hostile.trap()''', name);
        EXECUTE format('CREATE FUNCTION hostile.%I(anyelement, anyelement) RETURNS boolean LANGUAGE sql '
            'AS ''SELECT hostile.trap() = 1''', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['=', '<>', '<', '@>', '<@', '|', '&'] LOOP
        EXECUTE format('CREATE OPERATOR hostile.%s (LEFTARG = anyelement, RIGHTARG = anyelement, '
            'FUNCTION = hostile.int4eq)', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['text', 'int4', 'int8', 'interval', 'inet', 'int4range', 'numeric',
        'filter_literal'] LOOP
        EXECUTE format('CREATE DOMAIN hostile.%I AS pg_catalog.text CHECK (hostile.trap() = 1)', name);
    END LOOP;
END$$;
SET search_path = hostile, pg_temp, pg_catalog, filters;
CREATE TEMP TABLE probes AS
    SELECT pg_catalog.generate_series(1, 100)::pg_catalog.int4 AS i;
ANALYZE probes;
SELECT filters.bf_contains(filters.bf_agg(i), 7) AS b, filters.cf_contains(filters.cf_agg(i), 7) AS c,
    filters.bf_agg(i) OPERATOR(filters.@>) 7 AS "@>", 7 OPERATOR(filters.<@) filters.cf_agg(i) AS "<@",
    filters.bf_contains(filters.bf_agg(i::pg_catalog.text), '7') AS literal,
    filters.bf_contains(filters.bf_agg(i::pg_catalog.numeric), '7.0') AS numeric,
    filters.bf_contains(filters.bf_agg(ARRAY[i]), ARRAY[7]) AS list,
    filters.bf_contains(filters.bf_agg(ROW(i, 'x'::pg_catalog.text)), ROW(7, 'x'::pg_catalog.text)) AS row,
    filters.bf_contains(filters.bf_agg(pg_catalog.make_interval(0, 0, 0, i)), '1 week'::pg_catalog.interval)
        AS interval,
    filters.bf_contains(filters.bf_agg(pg_catalog.int4range(i, NULL)), pg_catalog.int4range(7, NULL)) AS range
FROM probes;
SELECT (filters.bf_info(filters.bf_agg(i) OPERATOR(filters.|) filters.bf_agg(i))).value_kind,
    filters.cf_count(filters.cf_union_agg(c), 7) AS count
FROM probes, (SELECT filters.cf_add(filters.cf_create(10), 7) AS c) AS seven;
SELECT i FROM probes WHERE filters.bf_add(filters.bf_create(10, 1e-7), 7) OPERATOR(filters.@>) i;

-- A named kind has the qualified name of its type, whatever the search_path, and differs from that of another type
-- with the same unqualified name.
RESET search_path;
CREATE TYPE "Kinds, one".span AS RANGE (subtype = integer);
CREATE TYPE kinds_two.span AS RANGE (subtype = integer);
CREATE TYPE kinds_two.spans AS (a "Kinds, one".span, b kinds_two.span);
CREATE TABLE filters.kept (path text, kind text, b filters.bloomfilter, rows filters.cuckoofilter);
CREATE FUNCTION filters.keep(span text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE pg_catalog.format('INSERT INTO filters.kept '
        'SELECT pg_catalog.current_setting(''search_path''), (filters.bf_info(b)).value_kind, b, '
        'filters.cf_add(filters.cf_create(1), ROW(''[1,2)'', ''[1,2)'')::kinds_two.spans) '
        'FROM (SELECT filters.bf_agg(''[1,3)''::%s) AS b) AS made', span);
END$$;
SELECT filters.keep('"Kinds, one".span');
SET search_path = "Kinds, one", pg_catalog;
SELECT filters.keep('span');
SET search_path = kinds_two, "Kinds, one", pg_catalog;
SELECT filters.keep('"Kinds, one".span');
SET search_path = '';
SELECT filters.keep('"Kinds, one".span');
SET search_path = pg_temp, hostile, pg_catalog;
SELECT filters.keep('"Kinds, one".span');
SET search_path = kinds_two, pg_catalog;
SELECT kind, count(DISTINCT b::pg_catalog.text) AS filters, count(DISTINCT rows::pg_catalog.text) AS of_rows,
    count(*) AS paths FROM filters.kept GROUP BY 1;
SELECT bool_and(filters.bf_contains(b, '[1,3)'::"Kinds, one".span)) AS found,
    bool_and(filters.cf_contains(rows, ROW('[1,2)', '[1,2)')::spans)) AS row_found FROM filters.kept;
SELECT filters.bf_contains(b, '[1,3)'::span) FROM filters.kept;

-- As in a restore, REINDEX and REFRESH: the path is only pg_catalog.
SET search_path = public, filters, pg_catalog;
CREATE TABLE filters.indexed (k integer, b bloomfilter, hit boolean GENERATED ALWAYS AS (bf_contains(b, k)) STORED,
    CHECK (b @> k OR k <> 1));
INSERT INTO filters.indexed SELECT i, bf_add(bf_create(10), i) FROM generate_series(1, 5) i;
CREATE INDEX ON filters.indexed (filter_hash(k), (b @> k));
CREATE MATERIALIZED VIEW filters.agg AS SELECT bf_agg(k) AS b FROM filters.indexed WHERE b @> k;
SET search_path = '';
REINDEX TABLE filters.indexed;
REFRESH MATERIALIZED VIEW filters.agg;
ANALYZE filters.indexed;
VACUUM FULL filters.indexed;
INSERT INTO filters.indexed SELECT 6, filters.bf_add(filters.bf_create(10), 6);
SELECT count(*) FROM filters.indexed, filters.agg WHERE filters.bf_contains(agg.b, k) AND hit;

RESET search_path;
DROP EXTENSION cuckoo_filter CASCADE;
DROP SCHEMA hostile, filters, "Kinds, one", kinds_two CASCADE;
DROP FUNCTION outcome(text, text);
-- For the tests that follow in the same database.
CREATE EXTENSION cuckoo_filter WITH SCHEMA public;
