-- What sqlsmith plays with: filters of both types in every shape, and values to go with them.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
CREATE EXTENSION cuckoo_filter;

--
-- Types. Most calls of a random query would be refused, since a filter takes but one kind of value, and end the query. So
-- there are domains over filters of one kind, by which sqlsmith brings together what fits.
--
CREATE TYPE mood AS ENUM ('calm', 'angry', 'sad');
CREATE TYPE place AS (x integer, name text);
CREATE DOMAIN positive AS bigint CHECK (VALUE > 0);
CREATE DOMAIN bloom_of_integers AS bloomfilter CHECK ((bf_info(VALUE)).value_kind IN ('integer', 'none'));
CREATE DOMAIN bloom_of_texts AS bloomfilter CHECK ((bf_info(VALUE)).value_kind IN ('text', 'none'));
CREATE DOMAIN cuckoo_of_integers AS cuckoofilter CHECK (cf_cardinality(VALUE) >= 0);
CREATE DOMAIN cuckoo_of_texts AS cuckoofilter;
CREATE TYPE filters AS (b bloomfilter, c cuckoofilter);

--
-- Tables.
--
CREATE TABLE integers (
    id integer PRIMARY KEY,
    small smallint,
    big bigint,
    known positive,
    list bigint[],
    b bloom_of_integers,
    c cuckoo_of_integers,
    hit boolean GENERATED ALWAYS AS (bf_contains(b, id)) STORED,
    CHECK (cf_count(c, 0::integer) >= 0)
);
INSERT INTO integers
SELECT n, n % 50, n * 1000003, 1 + n % 7, ARRAY[n, NULL, n + 1],
    CASE n % 6 WHEN 0 THEN NULL WHEN 1 THEN bf_create(NULL) WHEN 2 THEN bf_create(1000)
        ELSE (SELECT bf_agg(i) FROM generate_series(1, n) AS i) END,
    CASE n % 5 WHEN 0 THEN NULL WHEN 1 THEN cf_create(NULL) WHEN 2 THEN cf_create(1000, 0.0001)
        ELSE (SELECT cf_agg(i) FROM generate_series(1, n) AS i) END
FROM generate_series(1, 60) AS n;
CREATE INDEX ON integers (filter_hash(big));
CREATE INDEX ON integers (id) WHERE b @> 7;

CREATE TABLE texts (
    id text PRIMARY KEY,
    short varchar(5),
    padded char(10),
    list text[],
    b bloom_of_texts,
    c cuckoo_of_texts,
    large bloom_of_texts
);
INSERT INTO texts
SELECT n::text, left(md5(n::text), 5), n, ARRAY[n::text, '', NULL], bf_agg(i::text, 10 * n), cf_agg(i::text, NULL,
    0.001),
    CASE WHEN n % 10 = 0 THEN (SELECT bf_agg(i::text) FROM generate_series(1, 100000) AS i) END
FROM generate_series(1, 40) AS n, generate_series(1, 200) AS i GROUP BY n;
ALTER TABLE texts ALTER COLUMN b SET STORAGE PLAIN;

-- Every kind of value.
CREATE TABLE kinds (
    id serial PRIMARY KEY,
    a_bytea bytea, an_uuid uuid, a_boolean boolean, a_date date, a_time time, a_timestamp timestamp,
    a_timestamptz timestamptz, a_real real, a_double double precision, a_numeric numeric, a_mood mood, a_place place,
    an_interval interval, an_inet inet, a_jsonb jsonb, a_range int4range, a_name name, a_point point,
        integers integer[],
    b bloomfilter, c cuckoofilter, pair filters, list bloomfilter[]
);
INSERT INTO kinds (a_bytea, an_uuid, a_boolean, a_date, a_time, a_timestamp, a_timestamptz, a_real, a_double,
    a_numeric,
    a_mood, a_place, an_interval, an_inet, a_jsonb, a_range, a_name, a_point, integers)
SELECT decode(md5(n::text), 'hex'), md5(n::text)::uuid, n % 2 = 0, date '2026-01-01' + n,
    time '00:00' + n * interval '1 min',
    timestamp '2026-01-01' + n * interval '1 day', timestamptz '2026-01-01Z' + n * interval '1 hour',
    CASE n WHEN 1 THEN 'NaN' WHEN 2 THEN '-0' ELSE n::real END,
    CASE n WHEN 1 THEN 'Infinity' WHEN 2 THEN '1e-320' ELSE n::double precision END,
    CASE n WHEN 1 THEN 'NaN' ELSE n / 3.0 END, (ARRAY['calm', 'angry', 'sad'])[1 + n % 3]::mood, ROW(n,
        'here')::place,
    n * interval '1 hour', ('10.0.0.' || n)::inet, jsonb_build_object('n', n), int4range(n, n + 2), 'name' || n,
        point(n, n),
    ARRAY[n, n]
FROM generate_series(1, 19) AS n;
DO $$
DECLARE
    field text;
    at integer := 0;
BEGIN
    FOREACH field IN ARRAY ARRAY['a_bytea', 'an_uuid', 'a_boolean', 'a_date', 'a_time', 'a_timestamp',
        'a_timestamptz', 'a_real',
        'a_double', 'a_numeric', 'a_mood', 'a_place', 'an_interval', 'an_inet', 'a_jsonb', 'a_range', 'a_name',
        'integers'] LOOP
        at := at + 1;
        EXECUTE format('UPDATE kinds SET b = (SELECT bf_agg(%1$I) FROM kinds), '
            'c = (SELECT cf_agg(%1$I) FROM kinds) WHERE id = %2$s', field, at);
    END LOOP;
END$$;
UPDATE kinds SET pair = ROW(b, c), list = ARRAY[b, NULL, b];

-- Sizes and ways of storing, each filter with 1 to n.
CREATE TABLE stored (
    id integer PRIMARY KEY REFERENCES integers,
    external bloom_of_integers,
    extended bloom_of_integers,
    main cuckoo_of_integers,
    grown cuckoo_of_integers
);
ALTER TABLE stored ALTER COLUMN extended SET STORAGE EXTENDED;
ALTER TABLE stored ALTER COLUMN main SET STORAGE MAIN;
INSERT INTO stored
SELECT n, bf_agg(i), bf_agg(i, 1000000), cf_agg(i, NULL, 0.0001), cf_add_all(cf_create(10), array_agg(i))
FROM unnest(ARRAY[1, 7, 20, 50]) AS n, generate_series(1, 1000 * n) AS i GROUP BY n;

CREATE TABLE parted (
    day date NOT NULL,
    key bigint,
    word text,
    seen bloom_of_integers,
    live cuckoo_of_texts,
    PRIMARY KEY (day, key)
) PARTITION BY RANGE (day);
CREATE TABLE parted_a PARTITION OF parted FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE parted_b PARTITION OF parted FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
CREATE TABLE parted_rest PARTITION OF parted DEFAULT;
INSERT INTO parted
SELECT date '2026-01-01' + n % 80, n, 'word' || n % 13, CASE WHEN n % 10 = 0 THEN bf_agg(n + i, 100) END,
    CASE WHEN n % 10 = 0 THEN cf_agg('word' || i) END
FROM generate_series(1, 500) AS n, generate_series(1, 20) AS i GROUP BY n;

CREATE TABLE nothing (key bigint, b bloom_of_integers, c cuckoo_of_integers, any_b bloomfilter, any_c cuckoofilter);

CREATE VIEW hits AS
    SELECT i.id, i.big, s.external, s.main, bf_contains(s.external, i.big) AS in_bloom, cf_contains(s.main, i.id)
        AS in_cuckoo
    FROM integers AS i, stored AS s;
CREATE VIEW merged AS
    SELECT bf_union_agg(b)::bloom_of_integers AS b, cf_union_agg(c)::cuckoo_of_integers AS c, small % 3 AS third
        FROM integers GROUP BY 3;
CREATE VIEW guarded WITH (security_barrier) AS SELECT * FROM texts WHERE c @> '5';
CREATE MATERIALIZED VIEW kept AS SELECT day, bf_agg(key)::bloom_of_integers AS keys, cf_agg(word)::cuckoo_of_texts
    AS words
    FROM parted GROUP BY day;

-- Scans that probe filters: sqlsmith rarely makes a condition of a column and a filter that is constant during the scan. It
-- adds conditions, joins, and limits to these, and puts them into sub-selects.
CREATE TABLE scanned (id integer, small smallint, gone text, big bigint, word text, day date, score double precision);
INSERT INTO scanned
SELECT n, n % 100, 'x', CASE WHEN n % 7 > 0 THEN n END, CASE WHEN n % 5 > 0 THEN repeat('word ', n % 40) || n % 200 END,
    date '2026-01-01' + n % 19, n / 2.0
FROM generate_series(1, 2000) AS n;
ALTER TABLE scanned DROP gone, ADD late integer DEFAULT 7;
DELETE FROM scanned WHERE id % 11 = 3;
CREATE TABLE probing AS
SELECT bf_agg(id)::bloom_of_integers AS integers, cf_agg(big)::cuckoo_of_integers AS counted,
    bf_agg(word)::bloom_of_texts AS words, bf_agg(day) AS days, cf_agg(score) AS scores,
    NULL::bloom_of_integers AS missing, bf_create(10)::bloom_of_integers AS empty
FROM scanned WHERE id % 4 < 3;
CREATE VIEW probed_integers AS SELECT * FROM scanned WHERE bf_contains((SELECT integers FROM probing), id);
CREATE VIEW probed_twice AS
    SELECT * FROM scanned WHERE (SELECT counted FROM probing) @> big AND word <@ (SELECT words FROM probing);
CREATE VIEW probed_days AS SELECT id, day, score FROM scanned
    WHERE bf_contains((SELECT days FROM probing), day) AND cf_contains((SELECT scores FROM probing), score);
CREATE VIEW probed_late AS SELECT id, late, scanned FROM scanned WHERE bf_contains((SELECT integers FROM probing), late);
CREATE VIEW probed_missing AS SELECT * FROM scanned WHERE bf_contains((SELECT missing FROM probing), small);
CREATE VIEW probed_empty AS SELECT * FROM scanned WHERE bf_contains((SELECT empty FROM probing), big);
CREATE VIEW probed_parted AS SELECT * FROM parted WHERE (SELECT integers FROM probing) @> key;
-- The keys of all rows with a word are of another kind than the filter's values.
CREATE VIEW probed_other AS SELECT id, small FROM scanned WHERE bf_contains((SELECT days::bloomfilter FROM probing), word);

ANALYZE;

--
-- What sqlsmith is shown. It finds functions in pg_proc as its search_path has it: this is a view with
-- * the functions of the extension, many times over, since a function is picked by chance among all that return its type;
-- * and with types in the place of anyelement and anyarray, which sqlsmith does not know how to fill;
-- * the server's own that do nothing but compute, no signals, no naps, no locks, no files; and compute with the types that
--   the tables have.
--
CREATE SCHEMA shown;
CREATE TABLE shown.fits (filter regtype, value regtype, list regtype);
INSERT INTO shown.fits
SELECT filter, value, list FROM
    (VALUES ('bloom_of_integers'::regtype), ('cuckoo_of_integers')) AS f (filter),
    (VALUES ('bigint'::regtype, 'bigint[]'::regtype), ('integer', 'integer[]'), ('smallint', 'smallint[]'),
        ('positive', NULL)) AS v (value, list)
UNION ALL
SELECT filter, value, list FROM
    (VALUES ('bloom_of_texts'::regtype), ('cuckoo_of_texts')) AS f (filter),
    (VALUES ('text'::regtype, 'text[]'::regtype), ('varchar', 'varchar[]'), ('bpchar', 'bpchar[]'), ('name',
        'name[]')) AS v (value, list)
UNION ALL
SELECT filter, value, NULL FROM
    (VALUES ('bloomfilter'::regtype), ('cuckoofilter')) AS f (filter),
    (SELECT DISTINCT atttypid::regtype FROM pg_attribute WHERE
            attrelid = 'kinds'::regclass AND attnum > 0 AND attname !~ '^(b|c|pair|list)$'
        UNION VALUES ('bigint'::regtype), ('text')) AS v (value);

-- The types that there are values of.
CREATE TABLE shown.types AS
    SELECT DISTINCT atttypid::regtype AS type FROM pg_attribute JOIN pg_class AS c ON attrelid = c.oid
    WHERE relnamespace = 'public'::regnamespace AND attnum > 0
    UNION VALUES ('bloomfilter'::regtype), ('cuckoofilter'::regtype);

CREATE VIEW shown.own AS
    SELECT p.* FROM pg_catalog.pg_depend AS d JOIN pg_catalog.pg_proc AS p
        ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
    WHERE d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'cuckoo_filter');

-- Each function once for each way to fill it: every filter type or domain, every type of value. What it returns, if that is
-- a filter, is one of the same kind.
CREATE TABLE shown.calls AS
    SELECT row_number() OVER () AS number, *
    FROM (SELECT DISTINCT own.oid AS original, filled.types,
            CASE WHEN own.prorettype = base.type THEN fits.filter::oid ELSE own.prorettype END AS result
        FROM shown.own, shown.fits,
            LATERAL (SELECT CASE typtype WHEN 'd' THEN typbasetype ELSE oid END AS type FROM pg_catalog.pg_type
                WHERE oid = fits.filter) AS base,
            LATERAL (SELECT array_agg(CASE
                        WHEN type = base.type THEN fits.filter::oid
                        WHEN type IN ('bloomfilter'::regtype, 'cuckoofilter'::regtype) THEN NULL
                        WHEN type = 'anyelement'::regtype THEN fits.value::oid
                        WHEN type = 'anyarray'::regtype THEN fits.list::oid
                        WHEN type IN ('internal'::regtype, 'cstring'::regtype) THEN NULL
                        ELSE type END ORDER BY at) AS types
                FROM unnest(own.proargtypes::oid[]) WITH ORDINALITY AS argument (type, at)) AS filled
        WHERE array_position(filled.types, NULL) IS NULL) AS filled;

-- Not a view: what is one, sqlsmith queries.
CREATE MATERIALIZED VIEW shown.pg_proc AS
    SELECT 4000000000 + number * 64 + copy AS oid, proname, pronamespace, proretset, prokind, result AS prorettype,
        types AS proargtypes
    FROM shown.calls JOIN shown.own ON own.oid = original, generate_series(1, 10) AS copy
    UNION ALL
    SELECT oid::bigint, proname, pronamespace, proretset, prokind, prorettype, proargtypes::oid[]
    FROM pg_catalog.pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace AND (provolatile = 'i' OR provolatile = 's' AND prokind = 'a')
        AND prorettype || proargtypes::oid[] <@ ARRAY(SELECT type::oid FROM shown.types);
CREATE INDEX ON shown.pg_proc (oid);
ALTER MATERIALIZED VIEW shown.pg_proc SET (parallel_workers = 0);

-- Operators it finds by their full name; it passes over those without a type of result. So the ones of types that nothing
-- has are made such, but for those by which the server itself compares.
UPDATE pg_catalog.pg_operator SET oprresult = 0
WHERE NOT ARRAY[oprleft, oprright] <@ ARRAY(SELECT type::oid FROM shown.types)
    AND (oprname NOT IN ('=', '<>', '<', '<=', '>', '>=') OR ARRAY[oprleft, oprright]
        && '{anyrange, anymultirange, anyenum}'::regtype[]::oid[]);

CREATE ROLE smith LOGIN;
GRANT USAGE ON SCHEMA shown TO smith;
GRANT SELECT ON shown.pg_proc TO smith;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO smith;
REVOKE ALL ON kinds FROM smith;
GRANT SELECT ON kinds TO smith;
ALTER ROLE smith SET search_path = shown, pg_catalog, public;
