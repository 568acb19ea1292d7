--
-- By hash: probing, adding and deleting by the result of filter_hash; and what it hashes.
--
CREATE SCHEMA by_hash;
SET search_path = by_hash, public;
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TYPE pair AS (number integer, label text);
CREATE DOMAIN positive AS bigint CHECK (value > 0);

-- The answers and the images are those of the values themselves.
CREATE TABLE number AS SELECT i, filter_hash(i) AS hash FROM generate_series(1, 2000) i;
SELECT count(*) FILTER (WHERE bf_contains_hash(b, hash)) AS bloom, count(*) FILTER (WHERE cf_contains_hash(c, hash)) AS cuckoo,
    bool_and(bf_contains_hash(b, hash) = bf_contains(b, i)) AS bloom_same,
    bool_and(cf_contains_hash(c, hash) = cf_contains(c, i)) AS cuckoo_same,
    bool_and(bf_contains_hash(b, hash, 'bigint') = bf_contains(b, i)) AS with_type,
    count(*) FILTER (WHERE bf_contains(b, i)) > 1000 AS false_positives
FROM number, (SELECT bf_agg(i, NULL, 0.1) AS b, cf_agg(i) AS c FROM number WHERE i <= 1000) AS f;
DO $$
DECLARE
    b bloomfilter[] := ARRAY[bf_create(10), bf_create(10), bf_create(10, of => 'int')];
    c cuckoofilter[] := ARRAY[cf_create(10), cf_create(10), cf_create(10, of => 'int')];
BEGIN
    FOR n IN 1..300 LOOP
        b := ARRAY[bf_add(b[1], n), bf_add_hash(b[2], filter_hash(n), 'smallint'), bf_add_hash(b[3], filter_hash(n))];
        c := ARRAY[cf_add(c[1], n), cf_add_hash(c[2], filter_hash(n), 'positive'), cf_add_hash(c[3], filter_hash(n))];
        IF n % 3 = 0 THEN
            c := ARRAY[cf_delete(c[1], n), cf_delete_hash(c[2], filter_hash(n), 'int'), cf_delete_hash(c[3], filter_hash(n))];
        END IF;
    END LOOP;
    RAISE NOTICE 'same images: % %, layers: %', b[1] = b[2] AND b[1] = b[3], c[1] = c[2] AND c[1] = c[3],
        (bf_info(b[3])).layers;
END$$;

-- The kind is compared if a type is given. Each of these is an error.
SELECT bf_contains_hash(bf_add(bf_create(1), 5), filter_hash('x'::text), 'text');
SELECT cf_contains_hash(cf_add(cf_create(1), 'x'::text), filter_hash(5), of => 'integer');
SELECT bf_add_hash(bf_create(1, of => 'uuid'), 5, 'boolean');
SELECT cf_add_hash(cf_create(1, of => 'uuid'), NULL, 'boolean');
SELECT cf_delete_hash(cf_create(1, of => 'uuid'), 5, 'pair');
SELECT bf_contains_hash(bf_create(1, of => 'text[]'), 5, 'int4range');
SELECT bf_contains_hash(bf_create(1), 5, 'record');
SELECT bf_contains_hash(bf_create(1), 5, 'point');
SELECT bf_contains_hash(bf_create(1), 5, 'regclass');
SELECT bf_contains_hash(bf_create(1), 5, 4294967295::oid::regtype);
-- So is adding a hash without a type to a filter that has no kind yet. It contains nothing, and nothing can be deleted.
SELECT bf_add_hash(bf_create(1), 5);
SELECT cf_add_hash(cf_create(NULL), 5, NULL);
SELECT bf_contains_hash(bf_create(1), 5), cf_contains_hash(cf_create(NULL), 5, 'text'),
    cf_delete_hash(cf_create(1), 5) = cf_create(1) AS deleted;
-- The first hash determines the kind, as the first value would.
SELECT (bf_info(bf_add_hash(bf_create(1), 5, t))).value_kind, (cf_info(cf_add_hash(cf_create(NULL), 5, t))).value_kind
FROM unnest('{smallint,varchar,char,mood,pair,positive,text[],numeric,int4range}'::regtype[]) t;

-- NULLs: as for values. A NULL hash gives a filter without a kind that of the type.
SELECT bf_contains_hash(NULL, 1), bf_contains_hash(bf_create(1), NULL), cf_contains_hash(cf_create(1), NULL, 'text'),
    bf_add_hash(NULL, 1, 'text'), cf_add_hash(NULL, NULL), cf_delete_hash(NULL, 1);
SELECT bf_add_hash(b, NULL) = b AS bloom, cf_add_hash(c, NULL) = c AS cuckoo, cf_delete_hash(c, NULL) = c AS deleted,
    cf_add_hash(c, NULL, 'uuid') = cf_create(1, of => 'uuid') AS kind, cf_delete_hash(c, NULL, 'uuid') = c AS none
FROM (SELECT bf_create(1) AS b, cf_create(1) AS c) AS f;

-- Several types in turn at one call site, and errors between them.
SELECT type, bf_contains_hash(bf_add(bf_create(10), 5), filter_hash(5), type)
FROM unnest('{integer,bigint,NULL,smallint,positive}'::regtype[]) AS type;
DO $$
DECLARE
    f bloomfilter := bf_add(bf_create(10), 5);
    answers text := '';
    type regtype;
BEGIN
    FOREACH type IN ARRAY '{integer,text,point,NULL,text,smallint}'::regtype[] LOOP
        BEGIN
            answers := answers || bf_contains_hash(f, filter_hash(5), type)::text || ' ';
        EXCEPTION WHEN OTHERS THEN
            answers := answers || SQLSTATE || ' ';
        END;
    END LOOP;
    RAISE NOTICE '%', answers;
END$$;

-- A hash without a type may be that of any type of the kind: a literal is read as each of them from then on, even if
-- the filter seemed to contain the hash already. With a type it is read as that type.
CREATE TABLE source AS
    SELECT bf_add(bf_create(10), 1.5::float8) AS float8, bf_add(bf_create(10), 'a'::text) AS text,
        filter_hash(repeat('0123456789', 7)::name) AS cut, filter_hash('0.1'::real) AS tenth;
SELECT bf_contains(float8, '0.1') AS before, bf_contains(bf_add_hash(float8, tenth), '0.1') AS after,
    bf_contains(bf_add_hash(float8, tenth, 'real'), '0.1') AS real,
    bf_contains(bf_add_hash(bf_add_hash(float8, tenth, 'real'), tenth), '0.1'::real) AS again,
    bf_contains(bf_add_hash(bf_add(bf_create(10), '0.1'::float8), filter_hash('0.1'::float8)), '0.1') AS seen
FROM source;
\set long 0123456789012345678901234567890123456789012345678901234567890123456789
SELECT bf_contains(text, :'long') AS before, bf_contains(bf_add_hash(text, cut), :'long') AS after,
    bf_contains(bf_add_hash(text, cut, 'name'), :'long') AS name
FROM source;
SELECT bf_add(bf_add_hash(float8, tenth), '0.1') FROM source;
SELECT bf_contains(bf_add(bf_add_hash(float8, filter_hash(2.5::float8), 'float8'), '0.1'), 0.1::float8) FROM source;
-- A union preserves this, and so does adding values with a type.
SELECT bf_contains(bf_add(bf_add_hash(float8, tenth), 7::float8) | bf_add(bf_create(10), 8::float8), '0.1') FROM source;

-- Stored filters, and conditions on rows: the filter is fetched as for values.
CREATE TABLE stored AS SELECT bf_agg(i, 100000) AS b FROM number WHERE i <= 1000;
SELECT count(*) FROM number, stored WHERE bf_contains_hash(b, hash, 'int') AND i <= 1000;
UPDATE stored SET b = bf_add_hash(b, filter_hash(5000));
SELECT bf_contains(b, 5000) FROM stored;

-- The planner's default selectivity, and the cost of a probe, which is that of bf_contains in a sequential scan.
SET cuckoo_scan.enable_filter_scan = off;
CREATE FUNCTION cost(condition text) RETURNS TABLE (rows numeric, cost numeric) LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) SELECT * FROM number WHERE ' || condition INTO plan;
    RETURN QUERY SELECT (plan->0->'Plan'->>'Plan Rows')::numeric, (plan->0->'Plan'->>'Total Cost')::numeric;
END$$;
ANALYZE number;
SELECT h.rows, h.cost = v.cost AS cost_of_a_value, h.cost > n.cost AS more_than_an_operator
FROM cost('bf_contains_hash((SELECT b FROM stored), hash)') AS h, cost('bf_contains((SELECT b FROM stored), hash)') AS v,
    cost('hash = (SELECT 1 FROM stored)') AS n;

--
-- Hashes and kinds.
--
-- Each kind, with the canonical bytes of values as docs/format.md specifies them. bytea is hashed as it is, so the hash of
-- these bytes is the hash of the value.
CREATE TABLE specified (value text, bytes bytea);
INSERT INTO specified VALUES ('42', '\x2a00000000000000'), ('(-1)::smallint', '\xffffffffffffffff'),
    ('9223372036854775807', '\xffffffffffffff7f'), ('true', '\x0100000000000000'), ('false', '\x0000000000000000'),
    ($$'apple'::text$$, '\x6170706c65'), ($$''::text$$, ''), ($$'a  '::char(5)$$, '\x61'),
    ($$'cherry'::name$$, '\x636865727279'), ($$'\x00ff'::bytea$$, '\x00ff'),
    ($$'00112233-4455-6677-8899-aabbccddeeff'::uuid$$, '\x00112233445566778899aabbccddeeff'),
    ($$date '1999-12-31'$$, '\xffffffffffffffff'), ($$time '24:00'$$, '\x0060d71d14000000'),
    ($$timestamp '-infinity'$$, '\x0000000000000080'), ($$timestamptz 'infinity'$$, '\xffffffffffffff7f'),
    ('1.5', '\x312e350000000000000000'), ('-1.50', '\x2d312e350000000000000000'),
    ('1e3::numeric', '\xe803000000000000'), ('0.00', '\x0000000000000000'),
    ('9223372036854775808', convert_to('9223372036854775808', 'UTF8') || '\x0000000000000000'),
    ($$'NaN'::numeric$$, '\x4e614e0000000000000000'), ('1.5::real', '\x000000000000f83f'),
    ($$'-0'::float8$$, '\x0000000000000000'), ($$'NaN'::float8$$, '\x000000000000f87f'), ($$'ok'::mood$$, '\x6f6b'),
    ('5::positive', '\x0500000000000000'), ($$'x'::"char"$$, '\x7800000000000000'),
    -- In a part, the byte 01 is followed by the hash: here of 1, 42, 'apple', and an array.
    ('ARRAY[1, NULL]', '\x010000000200000001000000012e79db643559bc2f000000000000000000'),
    ($$'{}'::text[]$$, '\x00000000'),
    ($$ROW(42, 'apple')::pair$$, '\x01c827df38c8f8a6d501008a1fcf0d437a51'),
    ($$ROW(42, 'apple'::text)$$, '\x01c827df38c8f8a6d501008a1fcf0d437a51'),
    ('ROW(1, ARRAY[ROW(2, NULL)::pair])', '\x012e79db643559bc2f01669281491f71c180'),
    ($$repeat('x', 3000000)$$, convert_to(repeat('x', 3000000), 'UTF8'));
CREATE FUNCTION hashed(value text) RETURNS TABLE (type text, kind text, hash bigint) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT pg_typeof(v)::text, (bf_info(bf_add(bf_create(1), v))).value_kind, filter_hash(v) '
        'FROM (SELECT %s AS v) AS values', value);
END$$;
SELECT value, type, kind, lpad(to_hex(hash), 16, '0') AS hash, hash = filter_hash(bytes) AS is_of_bytes
FROM specified, hashed(value);
CREATE TYPE textrange AS RANGE (subtype = text);
-- Other types have the hash of the integer that the hash function of their operator class returns.
SELECT filter_hash('1 day'::interval) = filter_hash(interval_hash_extended('1 day', 0)) AS interval,
    filter_hash('10.0.0.1'::inet) = filter_hash(hashinetextended('10.0.0.1', 0)) AS inet,
    filter_hash('empty'::int4range) = filter_hash(hash_range_extended('empty'::int4range, 0)) AS empty_range,
    filter_hash('(,"b"]'::textrange) = filter_hash(hash_range_extended('(,"b"]'::textrange, 0)) AS range,
    filter_hash('{[1,5),[7,8]}'::nummultirange) = filter_hash(hash_multirange_extended('{[1,5),[7,8]}'::nummultirange, 0))
        AS multirange;
SELECT kind
FROM unnest(ARRAY[$$'[1,5)'::int4range$$, $$'(,5.0]'::numrange$$, $$'(,"b"]'::textrange$$, $$'{(,"b"]}'::textmultirange$$])
    AS value, hashed(value);

-- The kind of anonymous rows differs from call to call.
SELECT (bf_info(bf_add(bf_create(1), r))).value_kind, filter_hash(r) = filter_hash(ROW(n)) AS same
FROM (VALUES (1, ROW(1)), (1, ROW(1)), (3, ROW(3))) AS rows (n, r);
SELECT (bf_info(bf_add(bf_create(1),
    CASE i WHEN 1 THEN ROW(1) WHEN 2 THEN ROW('x'::text, 2) ELSE ROW(true) END))).value_kind
FROM generate_series(1, 3) AS i;

-- An untyped value has no hash, and a filter is not a value.
SELECT filter_hash('x');
SELECT filter_hash(NULL);
SELECT filter_hash(bf_create(1));
SELECT filter_hash(point(1, 1));

-- The hints name a cure that exists.
\set VERBOSITY default
SELECT cf_delete_hash(f, filter_hash(5.0), of => 'bigint') @> 5 AS by_bigint FROM cf_add(cf_create(100), 5) AS f;
SELECT cf_delete_hash(f, filter_hash(5.0), of => 'numeric') FROM cf_add(cf_create(100), 5) AS f;
SELECT f @> '2026-03-30'::date FROM cf_add(cf_create(100), 5) AS f;
SELECT f @> 5.5::float8 FROM cf_add(cf_create(100), 5) AS f;
SELECT f @> 5 FROM cf_add(cf_create(100), ARRAY[5]) AS f;

RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA by_hash CASCADE;
