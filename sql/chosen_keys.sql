--
-- bigint keys chosen by an attacker who knows the hash, so that they share their windows or their block. The hash of
-- an integer can be inverted. The effect of such keys on a filter is bounded: no error, nothing lost, a size in
-- proportion to their number.
--
CREATE SCHEMA chosen_keys;
SET search_path = chosen_keys, public;

--
-- The attacker's tools: the steps of docs/format.md in reverse. 64-bit numbers are bigint here.
--
CREATE FUNCTION as_signed(n numeric) RETURNS bigint IMMUTABLE LANGUAGE sql AS
    $$SELECT (CASE WHEN n >= 2 ^ 63::numeric THEN n - 2 ^ 64::numeric ELSE n END)::bigint$$;
CREATE FUNCTION as_unsigned(n bigint) RETURNS numeric IMMUTABLE LANGUAGE sql AS
    $$SELECT CASE WHEN n < 0 THEN n + 2 ^ 64::numeric ELSE n END$$;
CREATE FUNCTION multiply(a bigint, b numeric) RETURNS bigint IMMUTABLE LANGUAGE sql AS
    $$SELECT as_signed(trunc(as_unsigned(a) * b) % 18446744073709551616)$$;
CREATE FUNCTION multiply_high(a bigint, b bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS
    $$SELECT as_signed(div(as_unsigned(a) * as_unsigned(b), 18446744073709551616))$$;
CREATE FUNCTION shift_right(a bigint, n integer) RETURNS bigint IMMUTABLE LANGUAGE sql AS
    $$SELECT (a >> n) & ((1::bigint << (64 - n)) - 1)$$;
CREATE FUNCTION rotate_left(a bigint, n integer) RETURNS bigint IMMUTABLE LANGUAGE sql AS
    $$SELECT (a << n) | shift_right(a, 64 - n)$$;

-- The key whose mixed hash is this one.
CREATE FUNCTION key_of(mixed bigint) RETURNS bigint IMMUTABLE LANGUAGE plpgsql AS $$
DECLARE
    h bigint := mixed;
BEGIN
    h := h # shift_right(h, 32);
    h := multiply(h, 14982988110149298331);     -- times 0xd6e8feb86659fd93 this is 1
    h := h # shift_right(h, 32);

    h := h # shift_right(h, 28) # shift_right(h, 56);
    h := multiply(h, 192419422752744621);     -- times 0x9fb21c651e98df25 this is 1
    h := h # (shift_right(h, 35) + 8);
    h := multiply(h, 192419422752744621);
    -- h # rotate_left(h, 49) # rotate_left(h, 24), 64 times, is h.
    FOR i IN 1..63 LOOP
        h := h # rotate_left(h, 49) # rotate_left(h, 24);
    END LOOP;
    RETURN rotate_left(h # as_signed(14355981877291832738), 32);
END$$;

CREATE FUNCTION mix(h bigint) RETURNS bigint IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
    h := multiply(h # shift_right(h, 32), 15485907386658061715);
    RETURN h # shift_right(h, 32);
END$$;
SELECT mix(filter_hash(42)) = as_signed(x) AS as_documented
FROM (VALUES (17443237723858852170::numeric)) AS documented (x);
SELECT count(*) AS keys, count(*) FILTER (WHERE mix(filter_hash(key_of(n))) = n) AS with_the_hash_wanted
FROM (SELECT as_signed(trunc(i * 18446744073709551615 / 99)) AS n FROM generate_series(0, 99) i) AS wanted;

-- The sum of the two windows, which the fingerprint determines.
CREATE FUNCTION sum_of_windows(fingerprint bigint, windows bigint) RETURNS bigint IMMUTABLE LANGUAGE plpgsql AS $$
DECLARE
    m bigint := multiply(fingerprint, 3266489909) & 4294967295;
BEGIN
    RETURN shift_right((m # ((m << 15) & 4294967295)) * windows, 32);
END$$;

-- Keys of one lower window (given by the high half, the same in every layer) that also share the upper window, in a
-- layer of the given windows and bits: up to three for each matching fingerprint.
CREATE FUNCTION keys_of_window(high bigint, windows bigint, slot_bits integer, seed bigint) RETURNS bigint[]
LANGUAGE sql AS $$
    SELECT array_agg(key_of((high << 32) | (fingerprint << (33 - slot_bits)) | ((seed * 3 + i) & ((1::bigint << (33 - slot_bits)) - 1))))
    FROM (SELECT array_agg(f) AS fingerprints
          FROM generate_series(1::bigint, least(1::bigint << (slot_bits - 1), 1024) - 1) f
          GROUP BY sum_of_windows(f, windows) ORDER BY count(*) DESC, min(f) LIMIT 1) AS most,
        unnest(fingerprints[1:4]) AS fingerprint, generate_series(0, 2) AS i
$$;

-- Attack: repeatedly examine the newest layer, and add keys that crowd one of its windows.
CREATE TABLE attacked (name text PRIMARY KEY, filter cuckoofilter NOT NULL, keys bigint[] NOT NULL DEFAULT '{}');
CREATE FUNCTION attack(attacked_name text, rounds integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    f cuckoofilter := (SELECT filter FROM attacked WHERE name = attacked_name);
    newest record;
    chosen bigint[];
    collected bigint[] := '{}';
BEGIN
    FOR i IN 1..rounds LOOP
        SELECT * INTO newest FROM cf_layers(f) ORDER BY layer DESC LIMIT 1;
        chosen := keys_of_window((i * 2654435761) & 4294967295, newest.windows, newest.slot_bits, i);
        -- Half of them one by one, half of them together.
        FOR j IN 1..cardinality(chosen) / 2 LOOP
            f := cf_add(f, chosen[j]);
        END LOOP;
        f := cf_add_all(f, chosen[cardinality(chosen) / 2 + 1:]);
        collected := collected || chosen;
    END LOOP;
    UPDATE attacked SET filter = f, keys = keys || collected WHERE name = attacked_name;
END$$;

-- The state of a filter: whether all keys are found, and its fraction of false positives. No integer below 1 million
-- is chosen.
CREATE FUNCTION missing(f cuckoofilter, keys bigint[]) RETURNS bigint LANGUAGE sql AS
    $$SELECT count(*) FROM unnest(keys) k WHERE NOT cf_contains(f, k) OR cf_count(f, k) < 1$$;
CREATE FUNCTION false_positives(f cuckoofilter) RETURNS double precision LANGUAGE sql AS
    $$SELECT count(*) / 20000.0 FROM generate_series(500001, 520000) k WHERE cf_contains(f, k)$$;

--
-- cf_add and cf_add_all: filters of small, medium and large capacity, of a low rate, and nearly full of other values.
--
INSERT INTO attacked VALUES ('small', cf_create(1)), ('plain', cf_create(1000)), ('large', cf_create(30000)),
    ('low rate', cf_create(500, 1e-6)), ('full', cf_add_all(cf_create(1000), ARRAY(SELECT generate_series(1, 900))));
SELECT attack(name, 40) IS NOT NULL AS attacked, name FROM attacked ORDER BY name;
SELECT name, cardinality(keys) BETWEEN 120 AND 500 AS attacked, missing(filter, keys) AS missing, layers <= 20 AS few_layers,
    bytes < 4 * 65536 * 4 + 2000 AS bounded, false_positives(filter) < 0.05 + 0.01 AS rate_is_bounded,
    abs(false_positives(filter) - expected_fpr) < 0.01 AS rate_is_reported
FROM attacked, cf_info(filter) ORDER BY name;

-- More of the same changes little: keys of one class are copies, and the rest grows in proportion.
SELECT attack('plain', 40) IS NOT NULL AS attacked;
SELECT name, missing(filter, keys) AS missing, bytes < 4 * 65536 * 2 + 2000 AS bounded FROM attacked, cf_info(filter)
WHERE name = 'plain';

-- Others can be added and deleted as before.
UPDATE attacked SET filter = cf_add_all(filter, ARRAY(SELECT generate_series(1, 2000)));
UPDATE attacked SET filter = cf_delete_all(filter, ARRAY(SELECT generate_series(1, 1000)));
SELECT name, missing(filter, keys) AS missing, missing(filter, ARRAY(SELECT generate_series(1001, 2000))) AS missing_of_others,
    cf_contains_all(filter, keys) AS found_together,
    (SELECT count(*) FROM generate_series(901, 1000) i WHERE cf_contains(filter, i)) < 30 AS most_were_deleted
FROM attacked ORDER BY name;

-- Dumped and restored.
SELECT name, filter::text::cuckoofilter::bytea = filter::bytea AS same FROM attacked ORDER BY name;

-- A stored filter that is probed by slices.
CREATE TABLE stored (filter cuckoofilter);
ALTER TABLE stored ALTER filter SET STORAGE EXTERNAL;
INSERT INTO stored SELECT filter FROM attacked WHERE name = 'plain';
SELECT count(*) FILTER (WHERE NOT cf_contains(s.filter, keys[1])) AS missing_first,
    count(*) FILTER (WHERE NOT s.filter @> keys[cardinality(keys)]) AS missing_last
FROM stored s, attacked WHERE name = 'plain';

--
-- Deleting the chosen keys: no other key is lost, and no class has become permanent, which a notice would say.
--
UPDATE attacked SET filter = cf_delete_all(filter, keys[:cardinality(keys) / 2]);
SELECT name, missing(filter, keys[cardinality(keys) / 2 + 1:]) AS missing,
    missing(filter, ARRAY(SELECT generate_series(1001, 2000))) AS missing_of_others
FROM attacked ORDER BY name;

--
-- cf_compact, cf_union, cf_union_agg.
--
SELECT name, missing(cf_compact(filter), keys[cardinality(keys) / 2 + 1:]) AS missing,
    missing(cf_compact(filter), ARRAY(SELECT generate_series(1001, 2000))) AS missing_of_others
FROM attacked ORDER BY name;
SELECT a.name, b.name, missing(a.filter | b.filter, a.keys[cardinality(a.keys) / 2 + 1:] || b.keys[cardinality(b.keys) / 2 + 1:])
FROM attacked a, attacked b WHERE a.name IN ('plain', 'full') ORDER BY 1, 2;
-- Forty filters of which each has four keys in the same four slots: the union has most of them in its stash.
CREATE TABLE shards AS
    SELECT i, keys[:4] AS keys, cf_add_all(cf_create(1000), keys[:4]) AS filter
    FROM cf_layers(cf_create(1000)) AS l, generate_series(1, 40) i, keys_of_window(305419896, l.windows, l.slot_bits, i) AS keys;
SELECT missing(u, keys) AS missing, layers < 32 AS there_is_room, bytes < 40 * 1300 AS bounded,
    missing(cf_compact(u), keys) AS missing_when_compacted
FROM (SELECT cf_union_agg(filter) FROM shards) AS united (u), cf_info(u),
    (SELECT array_agg(key) FROM shards, unnest(keys) key) AS k (keys);

--
-- A filter that does not grow eventually rejects chosen keys, and hardly any others. Counters and the stash, of one class for
-- each eight slots, at most double its size. Its rate stays within 1.5 times the requested one.
--
CREATE FUNCTION add_each(f INOUT cuckoofilter, keys bigint[], OUT taken bigint[], OUT refused bigint) LANGUAGE plpgsql AS $$
DECLARE
    key bigint;
BEGIN
    taken := '{}';
    refused := 0;
    FOREACH key IN ARRAY keys LOOP
        BEGIN
            f := cf_add(f, key);
            taken := taken || key;
        EXCEPTION WHEN program_limit_exceeded THEN
            refused := refused + 1;
        END;
    END LOOP;
END$$;
CREATE TABLE attacked_fixed AS
    SELECT c.capacity, a.*
    FROM unnest(ARRAY[10, 100, 2000]) AS c (capacity),
        cf_layers(cf_create(c.capacity, 1e-4)) AS l,
        LATERAL (SELECT array_agg(f ORDER BY f) FROM generate_series(1::bigint, 8191) f
            GROUP BY sum_of_windows(f, l.windows) ORDER BY count(*) DESC, min(f) LIMIT 1) AS most (fingerprints),
        LATERAL (SELECT array_agg(key_of(((i * 2654435761) & 4294967295) << 32 | fingerprint << (33 - l.slot_bits)))
            FROM generate_series(1, 60) i, unnest(fingerprints[1:12]) AS fingerprint) AS k (keys),
        add_each(cf_create(c.capacity, 1e-4, grow => false), keys) AS a;
SELECT capacity, missing(f, taken) AS missing, refused > 100 AS refused, bytes > cf_size(capacity, 1e-4) AS stash,
    bytes <= cf_size(capacity, 1e-4) + slots / 2 + 8 + slots / 8 * 8 AS bounded,
    expected_fpr <= 1.5 * requested_fpr AS within_rate, cf_contains_all(f::text::cuckoofilter, taken) AS read_back
FROM attacked_fixed, LATERAL (SELECT bytes, expected_fpr, requested_fpr FROM cf_info(f)) AS info,
    LATERAL (SELECT 2 * pages * (windows + 1) AS slots FROM cf_layers(f)) AS layer ORDER BY capacity;
SELECT missing(o.f, a.taken) AS missing, missing(o.f, o.taken) AS missing_of_others, o.refused < 15 AS others_are_taken,
    expected_fpr <= 1.5 * requested_fpr AS within_rate
FROM attacked_fixed AS a, add_each(f, ARRAY(SELECT generate_series(1, 1400))) AS o, LATERAL (SELECT expected_fpr, requested_fpr FROM cf_info(o.f)) AS info
WHERE capacity = 2000;
-- Stored out of line, and probed for each key by a query of its own, which would read slices if there were no stash.
CREATE TABLE stored_fixed (f cuckoofilter);
ALTER TABLE stored_fixed ALTER f SET STORAGE EXTERNAL;
INSERT INTO stored_fixed SELECT f FROM attacked_fixed WHERE capacity = 2000;
CREATE FUNCTION missing_one_by_one(keys bigint[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    key bigint;
    found boolean;
    missing bigint := 0;
BEGIN
    FOREACH key IN ARRAY keys LOOP
        EXECUTE format('SELECT cf_contains(f, %1$s) AND f @> %1$s AND cf_count(f, %1$s) >= 1 FROM chosen_keys.stored_fixed', key) INTO found;
        missing := missing + (NOT found)::integer;
    END LOOP;
    RETURN missing;
END$$;
SELECT pg_column_size(s.f) > 4000 AS out_of_line, missing_one_by_one(taken) AS missing FROM stored_fixed AS s, attacked_fixed WHERE capacity = 2000;
-- A union of several such filters, with keys of the same window: it contains all keys, or is an error.
SELECT missing(u, keys) AS missing, grows, layers, expected_fpr <= 1.5 * requested_fpr AS within_rate
FROM (SELECT cf_union_agg(cf_add_all(cf_create(5000, grow => false), ARRAY[key])), array_agg(key)
      FROM unnest(keys_of_window(305419896, 2673, 9, 1)) AS key) AS united (u, keys), cf_info(u);
SELECT missing(u, keys) AS missing, grows, layers, expected_fpr <= 1.5 * requested_fpr AS within_rate
FROM (SELECT cf_union_agg(cf_add(cf_create(100, grow => false), key)), array_agg(key)
      FROM unnest(keys_of_window(305419896, 58, 9, 1)) AS key) AS united (u, keys), cf_info(u);
SELECT missing(u, keys) AS missing, grows, bytes > cf_size(100) AS stash, expected_fpr <= 1.5 * requested_fpr AS within_rate
FROM (SELECT cf_union_agg(cf_add(cf_create(100, grow => false), key)), array_agg(key)
      FROM generate_series(1, 3) i, unnest(keys_of_window(305419896, 58, 9, i) || keys_of_window(379443634, 58, 9, i)) AS key)
    AS united (u, keys), cf_info(u);
SELECT cf_union_agg(cf_add(cf_create(100, grow => false), key))
FROM generate_series(1, 40) i, unnest(keys_of_window((i * 2654435761) & 4294967295, 58, 9, i)) AS key;

--
-- cf_agg: of chosen keys, with and without a capacity, and of chosen ones among others; the same image in any order.
--
CREATE TABLE keys AS
    SELECT key FROM generate_series(1, 30) i, keys_of_window((i * 2654435761) & 4294967295, 190, 9, i) AS chosen, unnest(chosen) key;
SELECT count(*) BETWEEN 200 AND 400 AS many FROM keys;
CREATE TABLE aggregates AS
    SELECT 'exact' AS name, cf_agg(key) AS filter FROM keys
    UNION ALL SELECT 'capacity', cf_agg(key, 500) FROM keys
    UNION ALL SELECT 'rate', cf_agg(key, 100, 1e-5) FROM keys
    UNION ALL SELECT 'others', cf_agg(key) FROM (SELECT key FROM keys UNION ALL SELECT generate_series(1, 5000)) AS k;
INSERT INTO aggregates
    SELECT 'one window', cf_agg(key_of(1311768464867721216 | i * 4194304::bigint)) FROM generate_series(0, 2000) i;
SELECT name, (SELECT count(*) FROM keys WHERE NOT cf_contains(filter, key)) AS missing, bytes < 16000 AS bounded,
    abs(false_positives(filter) - expected_fpr) < 0.03 AS rate_is_reported
FROM aggregates, cf_info(filter) WHERE name <> 'one window' ORDER BY name;
SELECT name, (SELECT count(*) FROM generate_series(0, 2000) i
              WHERE NOT cf_contains(filter, key_of(1311768464867721216 | i * 4194304::bigint))) AS missing, bytes < 2001 * 24 AS bounded
FROM aggregates, cf_info(filter) WHERE name = 'one window';
SELECT cf_agg(key ORDER BY key)::text = cf_agg(key ORDER BY -key)::text AS in_any_order FROM keys;
UPDATE aggregates SET filter = cf_add_all(filter, ARRAY(SELECT generate_series(10001, 12000)));
SELECT name, missing(filter, ARRAY(SELECT generate_series(10001, 12000))) AS missing FROM aggregates ORDER BY name;

--
-- Bloom filters: keys of one block set the bits of that block.
--
CREATE TABLE block_keys AS SELECT key_of(1311768464867721216 | i * 4194304::bigint) AS key FROM generate_series(0, 1000) i;
CREATE TABLE blooms AS
    SELECT 'bf_add_all' AS name, bf_add_all(bf_create(1000), ARRAY(SELECT key FROM block_keys)) AS filter
    UNION ALL SELECT 'bf_agg, capacity', bf_agg(key, 1000) FROM block_keys
    UNION ALL SELECT 'bf_agg', bf_agg(key) FROM block_keys
    UNION ALL SELECT 'bf_union', bf_union_agg(f) FROM (SELECT bf_add(bf_create(1000), key) FROM block_keys) AS one (f);
SELECT name, (SELECT count(*) FROM block_keys WHERE NOT bf_contains(filter, key)) AS missing, layers, bytes < 2000 AS bounded,
    (SELECT count(*) FROM generate_series(500001, 520000) k WHERE bf_contains(filter, k)) < 2000 AS rate_is_bounded
FROM blooms, bf_info(filter) ORDER BY name;
UPDATE blooms SET filter = bf_add_all(filter, ARRAY(SELECT generate_series(1, 900)));
SELECT name, (SELECT count(*) FROM generate_series(1, 900) i WHERE NOT bf_contains(filter, i)) AS missing, layers
FROM blooms, bf_info(filter) ORDER BY name;

--
-- Different values with the same hash: an attacker adds a twin of each victim, and deletes it later. cf_add and cf_add_all
-- count each value, so no victim is lost. cf_agg stores one entry for both, so all are.
--
-- A uuid with the hash of another: XXH3's function for 16 bytes in reverse, with a first half that makes the product
-- 0.
CREATE FUNCTION twin_of(u uuid) RETURNS uuid IMMUTABLE LANGUAGE plpgsql AS $$
DECLARE
    h bigint := filter_hash(u);
    bytes bytea := '';
BEGIN
    h := h # shift_right(h, 32);
    h := multiply(h, 637979407623780425);     -- times 0x165667919e3779f9 this is 1
    h := h # shift_right(h, 37);
    h := (h - 16) # as_signed(12634492766384443962);
    FOR i IN 0..7 LOOP
        bytes := bytes || set_byte('\x00', 0, ((h >> 8 * i) & 255)::integer);
    END LOOP;
    RETURN encode('\xb93942ea7b738267' || bytes, 'hex')::uuid;
END$$;
CREATE TABLE twins AS
    SELECT i, md5(i::text)::uuid AS victim, twin_of(md5(i::text)::uuid) AS twin FROM generate_series(1, 200) i;
SELECT count(DISTINCT victim) AS victims, count(*) FILTER (WHERE victim <> twin AND filter_hash(victim) = filter_hash(twin)) AS twins
FROM twins;

CREATE FUNCTION add_one_by_one(f cuckoofilter, keys uuid[]) RETURNS cuckoofilter LANGUAGE plpgsql AS $$
DECLARE
    key uuid;
BEGIN
    FOREACH key IN ARRAY keys LOOP
        f := cf_add(f, key);
    END LOOP;
    RETURN f;
END$$;
SELECT name, cf_cardinality(filter) AS entries,
    (SELECT count(*) FROM unnest(victims) victim WHERE NOT cf_contains(cf_delete_all(filter, twins), victim)) AS lost
FROM (SELECT array_agg(victim), array_agg(twin), array_agg(victim) || array_agg(twin) FROM twins) AS t (victims, twins, keys),
    LATERAL (VALUES ('cf_add', add_one_by_one(cf_create(1000, 1e-7), keys)),
        ('cf_add_all', cf_add_all(cf_create(1000, 1e-7), keys)),
        ('cf_add_all, layers', cf_add_all(cf_add_all(cf_create(10, 1e-7), victims), twins)),
        ('cf_agg', (SELECT cf_agg(key, NULL, 1e-7) FROM unnest(keys) key)),
        ('cf_agg, then cf_add_all', cf_add_all((SELECT cf_agg(key, NULL, 1e-7) FROM unnest(victims) key), twins)))
        AS f (name, filter)
ORDER BY name;
-- A union has one entry for both, and refuses the deletes.
SELECT cf_cardinality(u) AS entries, cf_contains_all(u, victims || twins) AS all_found
FROM (SELECT array_agg(victim), array_agg(twin) FROM twins) AS t (victims, twins),
    LATERAL (SELECT cf_add_all(cf_create(1000, 1e-7), victims) | cf_add_all(cf_create(1000, 1e-7), twins)) AS f (u);
SELECT cf_delete_all(cf_add_all(cf_create(1000, 1e-7), victims) | cf_add_all(cf_create(1000, 1e-7), twins), twins)
FROM (SELECT array_agg(victim), array_agg(twin) FROM twins) AS t (victims, twins);

-- Types whose hash function returns 32 bits have such values without an attacker, so cf_agg refuses them.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS isn SCHEMA chosen_keys;
RESET client_min_messages;
SELECT cf_agg(e) FROM unnest('{978-0-393-04002-9}'::ean13[]) e;
\set VERBOSITY sqlstate
SELECT cf_agg(ARRAY[e]) FROM unnest('{978-0-393-04002-9}'::ean13[]) e;
SELECT cf_agg(ROW(1, e)) FROM unnest('{978-0-393-04002-9}'::ean13[]) e;
\set VERBOSITY default
SET client_min_messages = warning;
DROP SCHEMA chosen_keys CASCADE;
