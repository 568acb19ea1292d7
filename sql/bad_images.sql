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

-- The images that will be damaged: a layer, two, and none; kinds with a name and without; counters, a stash that is full, both, and
-- sets. The integers that are in the stash were found by search: they share their windows.
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
    UNION ALL SELECT 'cuckoo', 'counted', cf_add_all(cf_create(10), ARRAY[3, 4] || array_fill(1, ARRAY[7]) || array_fill(2, ARRAY[20]))::bytea
    UNION ALL SELECT 'cuckoo', 'stash', cf_add_all(cf_create(20), '{61, 87, 187, 607, 633, 636, 664}'::integer[])::bytea
    UNION ALL SELECT 'cuckoo', 'both', cf_add_all(cf_create(20), '{61, 61, 61, 61, 61, 87, 187, 607, 633, 636, 664, 664, 664}'::integer[])::bytea
    UNION ALL SELECT 'cuckoo', 'set', (cf_add_all(cf_create(10), ARRAY[1, 1, 2]) | cf_add_all(cf_create(10), ARRAY[2, 3]))::bytea
    UNION ALL SELECT 'cuckoo', 'set, stash', (cf_add_all(cf_create(20), '{61, 87, 187, 607}'::integer[]) |
        cf_add_all(cf_create(20), '{607, 633, 636, 664}'::integer[]))::bytea
    UNION ALL SELECT 'cuckoo', 'stash, grown', cf_add_all(cf_create(20), '{61, 87, 187, 607, 633, 636, 664, 696}'::integer[])::bytea
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

-- Truncated anywhere, or with extra bytes at the end: never a filter; but zeroes after a stash are room for more of it.
SELECT text_outcome(type, as_text(substring(image FOR n))) AS text,
    bytes_outcome(type, substring(image FOR n)) AS bytes,
    count(DISTINCT (type, name)) AS images, count(*) > 500 AS many
FROM images, generate_series(0, length(image) - 1) n WHERE name <> 'blocks' GROUP BY 1, 2;
SELECT text_outcome(type, as_text(image || decode(repeat(b, n), 'hex'))) AS text,
    bytes_outcome(type, image || decode(repeat(b, n), 'hex')) AS bytes,
    count(DISTINCT (type, name)) AS images, count(*)
FROM images, unnest(ARRAY['00', 'ff']) b, unnest(ARRAY[1, 2, 3, 7, 8, 9, 24, 64]) n
WHERE NOT (name IN ('stash', 'both', 'set, stash') AND b = '00' AND n % 8 = 0) GROUP BY 1, 2;
SELECT name, n, cf_cardinality(longer) = cf_cardinality(image::cuckoofilter) AND longer @> 664 AND NOT longer @> 1 AS same_values,
    length(cf_compact(longer)::bytea) = length(cf_compact(image::cuckoofilter)::bytea) AS compacted, cf_compact(longer) @> 664 AS found,
    (SELECT string_agg(m::text, ' ' ORDER BY m) FROM generate_series(1, n) m
        WHERE bytes_outcome('cuckoo', substring(longer::bytea FOR length(image) + n - m)) = 'accepted') AS accepted_if_cut
FROM images, unnest(ARRAY[8, 24]) n, LATERAL (SELECT (image || decode(repeat('00', n), 'hex'))::cuckoofilter AS longer) AS l
WHERE name IN ('stash', 'both', 'set, stash') ORDER BY name, n;
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
FROM (SELECT substring(image FROM 86) AS stash FROM images WHERE name = 'stash') AS s, LATERAL (VALUES
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
        (25, 'flag: a set', 'cuckoo', 'text', 17, '\x01'),
        (25.3, 'flag: a set', 'cuckoo', 'grown', 17, '\x01'),
        (25.6, 'flag: a set', 'cuckoo', 'counted', 17, '\x01'),
        (25.9, 'flag: no set', 'cuckoo', 'set, stash', 17, '\x00'),
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
        (59, 'layer flags', 'bloom', 'text', 39, '\x01'),
        (59.1, 'layer flags', 'bloom', 'text', 39, '\x02'),
        (59.2, 'layer flags', 'cuckoo', 'text', 39, '\x04'),
        (59.3, 'layer flags', 'cuckoo', 'both', 39, '\x83'),
        (59.4, 'layer flag: counters', 'cuckoo', 'text', 39, '\x01'),
        (59.5, 'layer flag: stash', 'cuckoo', 'text', 39, '\x02'),
        (59.6, 'layer flag: both', 'cuckoo', 'stash', 39, '\x03'),
        (59.7, 'layer flag: counters', 'cuckoo', 'stash', 39, '\x01'),
        (59.8, 'layer flag: none', 'cuckoo', 'stash', 39, '\x00'),
        (59.9, 'layer flag: none', 'cuckoo', 'stash, grown', 39, '\x00'),
        (60, 'offset', 'bloom', 'text', 40, '\x2f00000000000000'),
        (61, 'offset', 'bloom', 'text', 40, '\xffffffffffffffff'),
        (62, 'offset of second', 'cuckoo', 'grown', 64, '\x3000000000000000'),
        (63, 'bits, all set', 'bloom', 'text', 48, '\xffffffffffffffffffffffffffffffff'),
        (64, 'slots, all set', 'cuckoo', 'text', 48, '\xffffffffffffffffffffffff'),
        (65, 'a slot of 1', 'cuckoo', 'text', 48, '\x010000000000000000000000'),
        (66, 'counters', 'cuckoo', 'counted', 71, '\xffffffffffffff'),
        (67, 'no counters', 'cuckoo', 'counted', 71, '\x00000000000000'),
        (68, 'slots, emptied', 'cuckoo', 'counted', 48, '\x0000000000000000000000000000000000000000000000'),
        (69, 'stash, used', 'cuckoo', 'stash', 85, '\x0200000000000000'),
        (70, 'stash, used', 'cuckoo', 'stash', 85, '\x0400000000000000'),
        (71, 'stash, used', 'cuckoo', 'stash', 85, '\x0300000001000000'),
        (72, 'stash, two used', 'cuckoo', 'stash', 85, '\x0200000000000000' || substring(stash FROM 9 FOR 16) || '\x0000000000000000'),
        (73, 'stash, none used', 'cuckoo', 'stash', 85, decode(repeat('00', 32), 'hex')),
        (74, 'stash, not ascending', 'cuckoo', 'stash', 93, substring(stash FROM 17 FOR 8) || substring(stash FROM 9 FOR 8)),
        (75, 'stash, a class twice', 'cuckoo', 'stash', 93, substring(stash FROM 17 FOR 8)),
        (76, 'stash, a class twice', 'cuckoo', 'stash', 101, set_byte(substring(stash FROM 9 FOR 8), 0, get_byte(stash, 8) | 1)),
        (77, 'stash, copies', 'cuckoo', 'stash', 93, set_byte(substring(stash FROM 9 FOR 1), 0, get_byte(stash, 8) | 15)),
        (78, 'stash, copies', 'cuckoo', 'set, stash', 93, set_byte(substring(stash FROM 9 FOR 1), 0, get_byte(stash, 8) | 1)),
        (79, 'stash, window', 'cuckoo', 'stash', 109, '\xf0bf000000000000'),
        (80, 'stash, window', 'cuckoo', 'stash', 109, '\x10c0000000000000'),
        (81, 'stash, window', 'cuckoo', 'stash', 109, '\xf0bf000000000080'),
        (82, 'stash, fingerprint 0', 'cuckoo', 'stash', 109, '\x00b0000000000000'))
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
-- literal is not of the kind, 42P18 if there is no kind), a different geometry (22023), too large or too many
-- layers (54000), and a delete from a set (55000).
CREATE TABLE errors_of_use (code text);
INSERT INTO errors_of_use VALUES ('42804'), ('42P18'), ('22P02'), ('22003'), ('22023'), ('54000'), ('55000');
-- Without the notices about values that stay.
SET client_min_messages = warning;
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
    size integer, width integer, bits bytea, layer_flags integer DEFAULT 0, flags integer DEFAULT 0)
RETURNS bytea LANGUAGE sql AS $$
    SELECT '\x636b666c01' || little_endian(CASE type WHEN 'bloom' THEN 1 ELSE 2 END, 1) || '\x01'
        || little_endian(layers, 1)
        || '\x7b14ae47e17a843f' || little_endian(kind, 1) || little_endian(flags, 1) || '\x000000000000'
        || string_agg(little_endian(capacity, 8) || little_endian(count, 4) || little_endian(size, 2)
            || little_endian(width, 1)
            || little_endian(layer_flags, 1) || little_endian(24 + 24 * layers + i * length(bits), 8), '' ORDER BY i)
        || string_agg(bits, '')
    FROM generate_series(0, layers - 1) i
$$;
CREATE FUNCTION bytes(VARIADIC parts text[]) RETURNS bytea LANGUAGE sql AS
    'SELECT decode(array_to_string(parts, ''''), ''hex'')';
CREATE TABLE strange AS
    SELECT name, type, make_image(type, kind, layers, capacity, count, size, width, bits, layer_flags, flags) AS image
    FROM (SELECT name, type, kind, layers, capacity, count, size, width, bits, 0, 0 FROM (VALUES
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
        AS image (name, type, kind, layers, capacity, count, size, width, bits)
        UNION ALL SELECT name, 'cuckoo', 2, layers, 10, 100, 3, 8, bits, layer_flags, flags FROM (VALUES
            ('full of one value, permanent', 1, bytes(repeat('0202020302020203', 100), repeat('00', 7), repeat('ff', 400)), 1, 0),
            ('full of one value, counted', 2, bytes(repeat('0202020302020203', 100), repeat('00', 7), repeat('3e', 400)), 1, 0),
            ('full of many values, counted', 2, bytes(repeat('024698bb3254fedd', 100), repeat('00', 7), repeat('1e', 400)), 1, 0),
            ('full of many values, a set', 2, bytes(repeat('024698bb3254fedd', 100), repeat('00', 7)), 0, 1),
            ('full of one value, a set', 32, bytes(repeat('0202020302020203', 100), repeat('00', 7)), 0, 1),
            ('only a stash', 1, bytes(repeat('00', 807), '0200000000000000', '1f00000000000000', '5000000000000000'), 2, 0),
            ('only a stash of much room, twice', 2, bytes(repeat('00', 807), '0100000000000000', '1f00000000000000', repeat('00', 8000)), 2, 0),
            ('much room that is not used', 1, bytes(repeat('00', 807), repeat('00', 80000)), 2, 0),
            ('counters and a stash of the same class', 2, bytes('0200000000000000', repeat('00', 799), '0f', repeat('00', 399),
                '0100000000000000', '1f00000000000000'), 3, 0),
            ('a set of a stash', 3, bytes(repeat('0202020302020203', 100), repeat('00', 7), '0200000000000000', '1000000000000000', '5000000000000000'), 2, 1))
        AS special (name, layers, bits, layer_flags, flags))
        AS image (name, type, kind, layers, capacity, count, size, width, bits, layer_flags, flags);
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
