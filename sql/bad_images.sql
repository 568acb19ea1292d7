--
-- Damaged and hostile images. Each is either rejected, with 22P02 as text and 22P03 as bytes, or is a filter on which
-- every function works: no crash, no endless loop, no internal error.
--
CREATE SCHEMA bad_images;
SET search_path = bad_images, public;

-- The messages.
SELECT ''::bloomfilter;
SELECT 'no filter'::cuckoofilter;
SELECT '\x'::bytea::bloomfilter;
SELECT bf_create(10)::bytea::cuckoofilter;
SELECT cf_create(10)::bytea::bloomfilter;
\set VERBOSITY sqlstate
SELECT bf_create(10)::text::cuckoofilter;
SELECT cf_create(10)::text::bloomfilter;
SELECT 'Y2tmbAEBAQB7FK5H4XqEPwAAAAAAAAA'::bloomfilter;
SELECT 'Y2tmbAEBAQB7FK5H4XqEPwAAAAAAAAAA='::bloomfilter;
SELECT 'Y2tmbAEBAQB7FK5H4XqEPwAAAAAAAAA?'::bloomfilter;
SELECT encode('filter', 'base64')::cuckoofilter;
\set VERBOSITY default

-- The images that will be damaged: a layer, two, and none; kinds with a name and without.
CREATE TABLE images AS
    SELECT 'bloom' AS type, 'text' AS name, bf_add_all(bf_create(10), ARRAY['a', 'b'])::bytea AS image
    UNION ALL SELECT 'bloom', 'named', bf_add(bf_create(10), ARRAY[1])::bytea
    UNION ALL SELECT 'bloom', 'grown', bf_add_all(bf_create(2), ARRAY(SELECT generate_series(1, 5)))::bytea
    UNION ALL SELECT 'bloom', 'none', bf_create(NULL)::bytea
    UNION ALL SELECT 'bloom', 'blocks', bf_agg(i, 1000, 0.001)::bytea FROM generate_series(1, 900) i
    UNION ALL SELECT 'bloom', 'fixed', bf_add_all(bf_create(10, grow => false), ARRAY(SELECT generate_series(1, 30)))::bytea
    UNION ALL SELECT 'cuckoo', 'text', cf_add_all(cf_create(10), ARRAY['a', 'b', 'b'])::bytea
    UNION ALL SELECT 'cuckoo', 'named', cf_add(cf_create(10), '1 day'::interval)::bytea
    UNION ALL SELECT 'cuckoo', 'grown', cf_add_all(cf_create(4), ARRAY(SELECT generate_series(1, 9)))::bytea
    UNION ALL SELECT 'cuckoo', 'crowded',
        cf_agg(i)::bytea FROM unnest('{90, 124, 2487, 4834, 5123, 8095}'::integer[]) i
    UNION ALL SELECT 'cuckoo', 'none', cf_create(NULL)::bytea
    UNION ALL SELECT 'cuckoo', 'blocks', cf_agg(i, 1000, 0.001)::bytea FROM generate_series(1, 900) i
    UNION ALL SELECT 'cuckoo', 'fixed', cf_add_all(cf_create(10, grow => false), ARRAY(SELECT generate_series(1, 10)))::bytea;

-- What happens to an image given as text, or as bytes: 'accepted' or the SQLSTATE.
CREATE FUNCTION as_text(image bytea) RETURNS text IMMUTABLE LANGUAGE sql AS $$SELECT replace(encode(image, 'base64'),
    E'\n', '')$$;
CREATE FUNCTION text_outcome(type text, image text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    IF type = 'bloom' THEN
        PERFORM image::bloomfilter;
    ELSE
        PERFORM image::cuckoofilter;
    END IF;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END$$;
CREATE FUNCTION bytes_outcome(type text, image bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    IF type = 'bloom' THEN
        PERFORM image::bloomfilter;
    ELSE
        PERFORM image::cuckoofilter;
    END IF;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END$$;
SELECT text_outcome(type, as_text(image)) AS text, bytes_outcome(type, image) AS bytes, count(*) FROM images
GROUP BY 1, 2;

-- Truncated anywhere, or with extra bytes at the end: never a filter.
SELECT text_outcome(type, as_text(substring(image FOR n))) AS text,
    bytes_outcome(type, substring(image FOR n)) AS bytes,
    count(DISTINCT (type, name)) AS images, count(*) > 500 AS many
FROM images, generate_series(0, length(image) - 1) n WHERE name <> 'blocks' GROUP BY 1, 2;
SELECT text_outcome(type, as_text(image || decode(repeat(b, n), 'hex'))) AS text,
    bytes_outcome(type, image || decode(repeat(b, n), 'hex')) AS bytes,
    count(DISTINCT (type, name)) AS images, count(*)
FROM images, unnest(ARRAY['00', 'ff']) b, unnest(ARRAY[1, 2, 3, 7, 8, 9, 24, 64]) n GROUP BY 1, 2;
SELECT bytes_outcome(x.type, x.image || y.image) AS joined, count(*) FROM images x, images y GROUP BY 1;

-- Text that is not base64, at every position. Only white space is allowed anywhere.
SELECT text_outcome(type, overlay(as_text(image) PLACING c FROM n FOR 1)) AS replaced,
    text_outcome(type, overlay(as_text(image) PLACING c FROM n FOR 0))
    AS inserted, count(DISTINCT n) AS places
FROM images, generate_series(1, 80) n, unnest(ARRAY['?', '=', '-', E'\x7f', '\']) c WHERE name = 'text'
GROUP BY 1, 2;
SELECT text_outcome(type, overlay(as_text(image) PLACING c FROM n FOR 1)) AS replaced,
    text_outcome(type, overlay(as_text(image) PLACING c FROM n FOR 0))
    AS inserted, count(DISTINCT n) AS places
FROM images, generate_series(1, 80) n, unnest(ARRAY[' ', E'\n', E'\t', E'\r\n']) c WHERE name = 'text'
GROUP BY 1, 2;
-- As PostgreSQL itself writes bytes: base64 in lines, hexadecimal digits of either case.
SELECT text_outcome(type, encode(image, 'base64')) AS lines, text_outcome(type, '\x' || encode(image, 'hex')) AS hex,
    text_outcome(type, '\x' || upper(encode(image, 'hex'))) AS upper, count(*) FROM images GROUP BY 1, 2, 3;
SELECT text_outcome(type, '\x' || overlay(encode(image, 'hex') PLACING c FROM n FOR length(c))) AS replaced,
    text_outcome(type, '\x' || overlay(encode(image, 'hex') PLACING c FROM n FOR 0)) AS inserted, count(*)
FROM images, generate_series(1, 80) n, unnest(ARRAY['g', ' ', '/', ':', '@', 'G', '`', E'\n']) c WHERE name = 'text' GROUP BY 1, 2;
-- The last character before = has unused bits. They must be zero, so that a filter has only one such text.
SELECT length(image) % 3 AS rest, count(*) AS texts, count(*) FILTER (WHERE text_outcome(type, text) = 'accepted') AS accepted
FROM images, unnest(regexp_split_to_array('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', '')) c,
    LATERAL regexp_replace(as_text(image), '.(=+)$', c || '\1') AS text
WHERE length(image) % 3 <> 0 AND text LIKE '%=' GROUP BY 1 ORDER BY 1;
-- The bytes that a driver sends as bytea can be assigned to a column.
CREATE TABLE assigned (b bloomfilter, c cuckoofilter);
PREPARE assign(bytea, bytea) AS INSERT INTO assigned VALUES ($1, $2) RETURNING b @> 1, c @> 2;
EXECUTE assign(bf_add(bf_create(10), 1)::bytea, cf_add(cf_create(10), 2)::bytea);
\set VERBOSITY sqlstate
EXECUTE assign('\x00', NULL);
\set VERBOSITY default

-- Valid and invalid values of each header field (docs/format.md).
CREATE FUNCTION why_not(type text, image bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
BEGIN
    IF type = 'bloom' THEN
        PERFORM image::bloomfilter;
    ELSE
        PERFORM image::cuckoofilter;
    END IF;
    RETURN 'accepted';
EXCEPTION WHEN invalid_binary_representation THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN detail;
END$$;
SELECT field, i.type, i.name, why_not(i.type, overlay(image PLACING bytes FROM at + 1))
FROM (VALUES
        (1, 'magic', 'bloom', 'text', 0, '\x436b666c'::bytea),
        (2, 'format version', 'bloom', 'text', 4, '\x00'),
        (3, 'format version', 'bloom', 'text', 4, '\x02'),
        (4, 'type', 'bloom', 'text', 5, '\x00'),
        (5, 'type', 'bloom', 'text', 5, '\x02'),
        (6, 'type', 'bloom', 'text', 5, '\x03'),
        (7, 'hash', 'bloom', 'text', 6, '\x00'),
        (8, 'layers', 'bloom', 'text', 7, '\x00'),
        (9, 'layers', 'bloom', 'text', 7, '\x02'),
        (10, 'layers', 'bloom', 'text', 7, '\x21'),
        (11, 'layers', 'bloom', 'text', 7, '\xff'),
        (12, 'rate 0', 'bloom', 'text', 8, '\x0000000000000000'),
        (13, 'rate 1', 'bloom', 'text', 8, '\x000000000000f03f'),
        (14, 'rate -0.01', 'bloom', 'text', 8, '\x7b14ae47e17a84bf'),
        (15, 'rate NaN', 'bloom', 'text', 8, '\x000000000000f87f'),
        (16, 'rate infinity', 'cuckoo', 'text', 8, '\x000000000000f07f'),
        (17, 'rate 0.5', 'cuckoo', 'text', 8, '\x000000000000e03f'),
        (18, 'kind, none', 'bloom', 'blocks', 16, '\x00'),
        (19, 'kind, none', 'cuckoo', 'grown', 16, '\x00'),
        (19.5, 'kind without sources', 'bloom', 'text', 16, '\x00'),
        (20, 'kind, named', 'bloom', 'text', 16, '\x0d'),
        (21, 'kind, unknown', 'bloom', 'blocks', 16, '\x0f'),
        (22, 'kind, another', 'bloom', 'blocks', 16, '\x06'),
        (23, 'kind, no name', 'bloom', 'named', 16, '\x01'),
        (24, 'flags', 'bloom', 'grown', 17, '\x01'),
        (25, 'flag of wildcards', 'cuckoo', 'text', 17, '\x01'),
        (26, 'flag: does not grow', 'cuckoo', 'grown', 17, '\x02'),
        (26.3, 'flag: does not grow', 'cuckoo', 'text', 17, '\x02'),
        (26.6, 'flag: does not grow', 'bloom', 'none', 17, '\x02'),
        (27, 'flags', 'cuckoo', 'grown', 17, '\x81'),
        (27.5, 'flags', 'bloom', 'text', 17, '\x04'),
        (28, 'name length', 'bloom', 'text', 18, '\x0100'),
        (29, 'name length', 'bloom', 'named', 18, '\x0000'),
        (30, 'name length', 'bloom', 'named', 18, '\xff00'),
        (31, 'name length', 'bloom', 'named', 18, '\x0001'),
        (32, 'name length', 'bloom', 'named', 18, '\x0100'),
        (33, 'sources', 'bloom', 'blocks', 20, '\x01'),
        (33.3, 'sources', 'bloom', 'text', 20, '\x04'),
        (33.6, 'reserved', 'bloom', 'text', 21, '\x01'),
        (34, 'reserved', 'cuckoo', 'text', 23, '\x80'),
        (35, 'name', 'bloom', 'named', 24, '\x00'),
        (36, 'name', 'bloom', 'named', 24, '\x7f'),
        (37, 'name', 'bloom', 'named', 24, '\xc3a9'),
        (38, 'padding of name', 'bloom', 'named', 39, '\x01'),
        (39, 'capacity 0', 'bloom', 'text', 24, '\x0000000000000000'),
        (40, 'capacity 2 ^ 63 - 1', 'bloom', 'text', 24, '\xffffffffffffff7f'),
        (41, 'capacity 2 ^ 63', 'cuckoo', 'text', 24, '\x0000000000000080'),
        (42, 'blocks 0', 'bloom', 'text', 32, '\x00000000'),
        (43, 'blocks 2', 'bloom', 'text', 32, '\x02000000'),
        (44, 'blocks 2 ^ 32 - 1', 'bloom', 'blocks', 32, '\xffffffff'),
        (45, 'pages 0', 'cuckoo', 'text', 32, '\x00000000'),
        (46, 'pages 2 ^ 32 - 1', 'cuckoo', 'text', 32, '\xffffffff'),
        (47, 'block bits 0', 'bloom', 'text', 36, '\x0000'),
        (48, 'block bits 65', 'bloom', 'text', 36, '\x4100'),
        (49, 'block bits 65472', 'bloom', 'text', 36, '\xc0ff'),
        (50, 'windows 0', 'cuckoo', 'text', 36, '\x0000'),
        (51, 'windows 32768', 'cuckoo', 'text', 36, '\x0080'),
        (52, 'windows 32767', 'cuckoo', 'text', 36, '\xff7f'),
        (53, 'probes 0', 'bloom', 'text', 38, '\x00'),
        (54, 'probes 32', 'bloom', 'text', 38, '\x20'),
        (55, 'probes 33', 'bloom', 'text', 38, '\x21'),
        (56, 'slot bits 5', 'cuckoo', 'text', 38, '\x05'),
        (57, 'slot bits 29', 'cuckoo', 'text', 38, '\x1d'),
        (58, 'slot bits 33', 'cuckoo', 'text', 38, '\x21'),
        (59, 'reserved', 'bloom', 'text', 39, '\x01'),
        (60, 'offset', 'bloom', 'text', 40, '\x2f00000000000000'),
        (61, 'offset', 'bloom', 'text', 40, '\xffffffffffffffff'),
        (62, 'offset of second', 'cuckoo', 'grown', 64, '\x3000000000000000'),
        (63, 'bits, all set', 'bloom', 'text', 48, '\xffffffffffffffffffffffffffffffff'),
        (64, 'slots, all set', 'cuckoo', 'text', 48, '\xffffffffffffffffffffffff'),
        (65, 'a slot of 1', 'cuckoo', 'text', 48, '\x010000000000000000000000'),
        (66, 'wildcards, no flag', 'cuckoo', 'crowded', 17, '\x00'),
        (67, 'wildcard', 'cuckoo', 'crowded', 48, '\x0102'),
        (68, 'wildcard above', 'cuckoo', 'crowded', 61, '\x10'))
    AS change (number, field, type, name, at, bytes) JOIN images AS i USING (type, name)
ORDER BY number;

-- Every operation on a filter. The result: the SQLSTATEs raised.
CREATE FUNCTION use_bloom(b bloomfilter) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    use text;
    states text[] := '{}';
BEGIN
    FOREACH use IN ARRAY ARRAY['$1', '$1::bytea', 'bf_info($1)', 'bf_cardinality($1)', '$1 | $1', '$1 & $1',
        '$1 | bf_create(10)',
        'bf_create(10) | $1', 'bf_create(NULL) & $1', 'bf_contains($1, ''1'')', 'bf_contains($1, 1)',
        'bf_contains($1, ARRAY[1])',
        'bf_contains_any($1, ARRAY(SELECT i::text FROM generate_series(1, 40) i))', 'bf_add($1, ''1'')',
        'bf_add($1, 1)', 'bf_add($1, ARRAY[2])',
        'bf_add_all($1, ARRAY(SELECT i::text FROM generate_series(1, 40) i))',
        '(SELECT bf_union_agg(v) FROM unnest(ARRAY[$1, $1, bf_create(10)]) v)',
        '(SELECT bf_intersection_agg(v) FROM unnest(ARRAY[$1, $1]) v)'] LOOP
        BEGIN
            EXECUTE 'SELECT (' || use || ')::text' USING b;
        EXCEPTION WHEN OTHERS THEN
            states := states || SQLSTATE::text;
        END;
    END LOOP;
    RETURN states;
END$$;
CREATE FUNCTION use_cuckoo(c cuckoofilter) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    use text;
    states text[] := '{}';
BEGIN
    FOREACH use IN ARRAY ARRAY['$1', '$1::bytea', 'cf_info($1)', 'cf_cardinality($1)', '$1 | $1', '$1 | cf_create(10)',
        'cf_create(10) | $1',
        'cf_compact($1)', 'cf_compact($1 | $1)', 'cf_contains($1, ''1'')', 'cf_contains($1, 1)',
        'cf_count($1, ''1 day''::interval)', 'cf_count($1, ''1'')',
        'cf_contains_all($1, ARRAY(SELECT i::text FROM generate_series(1, 40) i))', 'cf_add($1, ''1'')',
        'cf_add_unique($1, 1)', 'cf_add($1, ''2 days''::interval)',
        'cf_add_all($1, ARRAY(SELECT i::text FROM generate_series(1, 40) i))', 'cf_delete($1, ''1'')',
        'cf_delete_all($1, ARRAY(SELECT i::text FROM generate_series(1, 40) i))',
        '(SELECT cf_union_agg(v) FROM unnest(ARRAY[$1, $1, cf_create(10)]) v)'] LOOP
        BEGIN
            EXECUTE 'SELECT (' || use || ')::text' USING c;
        EXCEPTION WHEN OTHERS THEN
            states := states || SQLSTATE::text;
        END;
    END LOOP;
    RETURN states;
END$$;
CREATE FUNCTION use(type text, image bytea) RETURNS text[] LANGUAGE plpgsql AS $$
BEGIN
    IF type = 'bloom' THEN
        RETURN use_bloom(image::bloomfilter);
    END IF;
    RETURN use_cuckoo(image::cuckoofilter);
END$$;
-- Errors that are possible even with a valid filter: a different kind of value (42804, or 22P02 and 22003 if a
-- literal is not of the kind, 42P18 if there is no kind), a different geometry (22023), and too large or too many
-- layers (54000).
CREATE TABLE errors_of_use (code text);
INSERT INTO errors_of_use VALUES ('42804'), ('42P18'), ('22P02'), ('22003'), ('22023'), ('54000');
SELECT count(*) AS used, bool_and(use(type, image) <@ ARRAY(SELECT code FROM errors_of_use)) AS well FROM images;

-- Every byte of every small image, changed in five ways: the image is rejected with 22P03, or can be used.
CREATE TABLE mutants AS
    SELECT type, name, at, changed, bytes_outcome(type, changed) AS outcome
    FROM images, generate_series(0, length(image) - 1) at, LATERAL (SELECT get_byte(image, at) AS byte) AS b,
    LATERAL (SELECT DISTINCT set_byte(image, at, new) AS changed
            FROM unnest(ARRAY[byte # 1, byte # 128, 255 - byte, 0, (byte + 1) % 256]) new WHERE new <> byte) AS c
    WHERE name <> 'blocks';
SELECT outcome, count(*) > 300 AS many FROM mutants GROUP BY outcome ORDER BY outcome;
SELECT type, name, at, use(type, changed) AS states FROM mutants
WHERE outcome = 'accepted' AND NOT use(type, changed) <@ ARRAY(SELECT code FROM errors_of_use);

-- Images that no function makes, but that are consistent. `bits` are the bytes of each of the layers.
CREATE FUNCTION little_endian(number bigint, bytes integer) RETURNS bytea LANGUAGE sql AS $$
    SELECT string_agg(set_byte('\x00', 0, (number >> 8 * i & 255)::integer), '' ORDER BY i)
    FROM generate_series(0, bytes - 1) i
$$;
CREATE FUNCTION make_image(type text, kind integer, layers integer, capacity bigint, count integer,
    size integer, width integer, bits bytea)
RETURNS bytea LANGUAGE sql AS $$
    SELECT '\x636b666c01' || little_endian(CASE type WHEN 'bloom' THEN 1 ELSE 2 END, 1) || '\x01'
        || little_endian(layers, 1)
        || '\x7b14ae47e17a843f' || little_endian(kind, 1) || '\x00000000000000'
        || string_agg(little_endian(capacity, 8) || little_endian(count, 4) || little_endian(size, 2)
            || little_endian(width, 1)
            || '\x00' || little_endian(24 + 24 * layers + i * length(bits), 8), '' ORDER BY i)
        || string_agg(bits, '')
    FROM generate_series(0, layers - 1) i
$$;
CREATE FUNCTION bytes(VARIADIC parts text[]) RETURNS bytea LANGUAGE sql AS
    'SELECT decode(array_to_string(parts, ''''), ''hex'')';
CREATE TABLE strange AS
    SELECT name, type, make_image(type, kind, layers, capacity, count, size, width, bits) AS image
    FROM (VALUES
            ('the least, 32 times', 'bloom', 1, 32, 1::bigint, 1, 64, 1, bytes(repeat('00', 8))),
            ('full, 32 times', 'bloom', 1, 32, 1, 1, 64, 32, bytes(repeat('ff', 8))),
            ('capacities that overflow', 'bloom', 1, 32, 9223372036854775807, 1, 64, 1, bytes(repeat('ff', 8))),
            ('full, for many', 'bloom', 2, 1, 9223372036854775807, 100, 512, 32, bytes(repeat('ff', 6400))),
            ('full, for one', 'bloom', 2, 1, 1, 100, 512, 1, bytes(repeat('ff', 6400))),
            ('empty, for many', 'bloom', 0, 2, 9223372036854775807, 2, 512, 7, bytes(repeat('00', 128))),
            ('the least, 32 times', 'cuckoo', 1, 32, 1, 1, 1, 6, bytes(repeat('00', 10))),
            ('full of one value', 'cuckoo', 1, 1, 10, 100, 3, 8,
                bytes(repeat('0202020302020203', 100), repeat('00', 7))),
            ('full of one value, for many', 'cuckoo', 1, 1, 9223372036854775807, 100, 3, 8,
                bytes(repeat('0202020302020203', 100), repeat('00', 7))),
            ('full of one value, twice', 'cuckoo', 2, 2, 10, 100, 3, 8,
                bytes(repeat('0202020302020203', 100), repeat('00', 7))),
            ('full of many values, twice', 'cuckoo', 2, 2, 10, 100, 3, 8,
                bytes(repeat('024698bb3254fedd', 100), repeat('00', 7))),
            ('more than its capacity', 'cuckoo', 2, 1, 1, 3, 32767, 8,
                bytes(repeat(repeat('7c', 32767) || '7d' || repeat('7e', 32767) || '7f', 3), repeat('00', 7))))
        AS image (name, type, kind, layers, capacity, count, size, width, bits);
SELECT type, name, bytes_outcome(type, image) AS outcome,
    use(type, image) <@ ARRAY(SELECT code FROM errors_of_use) AS well,
    CASE type WHEN 'bloom' THEN (bf_info(CASE type WHEN 'bloom' THEN image::bloomfilter END)).capacity
        ELSE (cf_info(CASE type WHEN 'cuckoo' THEN image::cuckoofilter END)).capacity END AS capacity
FROM strange ORDER BY type, name;

SET client_min_messages = warning;
DROP SCHEMA bad_images CASCADE;
-- The arguments of a probe in the wrong order.
SELECT bf_contains('ann', bf_create(100, of => 'text'));
SELECT cf_contains('ann', cf_create(100, of => 'text'));
