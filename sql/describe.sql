--
-- Describing a filter: bf_info and cf_info, cardinalities, sizes.
--
CREATE SCHEMA describe;
SET search_path = describe, public;

-- Without a value or a layer.
SELECT value_kind, capacity, cardinality, requested_fpr, expected_fpr, layers, bits_per_value, fill
FROM bf_info(bf_create(NULL));
SELECT value_kind, capacity, cardinality, requested_fpr, expected_fpr, layers, bits_per_value, load_factor
FROM cf_info(cf_create(NULL));

-- With a layer, but no value.
SELECT value_kind, capacity, cardinality, requested_fpr, expected_fpr, layers, bits_per_value, fill
FROM bf_info(bf_create(500, 0.02));
SELECT value_kind, capacity, cardinality, requested_fpr, expected_fpr, layers, bits_per_value, load_factor
FROM cf_info(cf_create(500, 0.02));

-- Full: the figures are consistent. In a Bloom filter about half of the bits are set, and at least 35 %; a cuckoo
-- filter of 10,000 values is at least 85 % full, with a design load of 93.5 %.
CREATE TABLE filters AS SELECT bf_agg(i, NULL, 0.02) AS b, cf_agg(i, NULL, 0.02) AS c FROM generate_series(1, 10000) i;
SELECT value_kind, capacity, cardinality BETWEEN 9700 AND 10300 AS cardinality,
    cardinality = bf_cardinality(b) AS same_cardinality,
    requested_fpr, expected_fpr BETWEEN 0.01 AND 0.021 AS expected_fpr, layers,
    abs(bits_per_value - bytes * 8.0 / cardinality) < 0.01 AS bits_per_value, fill BETWEEN 0.35 AND 0.6 AS fill,
    bytes = 4 + octet_length(b::bytea) AS bytes
FROM filters, bf_info(b);
SELECT value_kind, capacity, cardinality, cardinality = cf_cardinality(c) AS same_cardinality,
    requested_fpr, expected_fpr BETWEEN 0.01 AND 0.02 AS expected_fpr, layers,
    abs(bits_per_value - bytes * 8.0 / cardinality) < 0.01 AS bits_per_value, load_factor BETWEEN 0.85
        AND 0.94 AS load_factor,
    bytes = 4 + octet_length(c::bytea) AS bytes
FROM filters, cf_info(c);

-- Grown: all layers count.
CREATE TABLE grown AS
    SELECT bf_add_all(b, more) AS b, cf_add_all(c, more) AS c
    FROM filters, (SELECT array_agg(-i) AS more FROM generate_series(1, 1000) i) AS m;
SELECT capacity, cardinality BETWEEN 10600 AND 11400 AS cardinality,
    expected_fpr <= 1.5 * requested_fpr AS expected_fpr,
    layers, bytes = 4 + octet_length(b::bytea) AS bytes
FROM grown, bf_info(b);
SELECT capacity, cardinality, expected_fpr <= 1.5 * requested_fpr AS expected_fpr,
    layers, bytes = 4 + octet_length(c::bytea) AS bytes
FROM grown, cf_info(c);

-- The layers, one after the other, add up to the whole filter, and have the geometry of docs/format.md.
SELECT count(*) = (bf_info(b)).layers AS layers, sum(l.capacity) = (bf_info(b)).capacity AS capacity,
    array_agg(layer ORDER BY layer) AS numbers,
    bool_and(byte_offset = coalesce((SELECT n.byte_offset + n.bytes FROM bf_layers(b) AS n WHERE n.layer = l.layer - 1),
        24 + 24 * (bf_info(b)).layers)) AS offsets,
    max(byte_offset + bytes) = octet_length(b::bytea) AS bytes, bool_and(bytes = blocks * block_bits / 8) AS sizes,
    bool_and(probes BETWEEN 1 AND 32) AS probes
FROM grown, bf_layers(b) AS l GROUP BY b;
SELECT layer, fill > 0 AS filled, round(fill * bytes * 8) = (
    SELECT count(*) FILTER (WHERE get_bit(b::bytea, bit) = 1)
    FROM generate_series(byte_offset::int * 8, (byte_offset + bytes)::int * 8 - 1) AS bit) AS fill
FROM bf_add_all(bf_create(10), ARRAY(SELECT generate_series(1, 20))) AS b, bf_layers(b);
SELECT count(*) = (cf_info(c)).layers AS layers, sum(l.capacity) = (cf_info(c)).capacity AS capacity,
    array_agg(layer ORDER BY layer) AS numbers,
    bool_and(byte_offset = coalesce((SELECT n.byte_offset + n.bytes FROM cf_layers(c) AS n WHERE n.layer = l.layer - 1),
        24 + 24 * (cf_info(c)).layers)) AS offsets,
    max(byte_offset + bytes) = octet_length(c::bytea) AS bytes,
    bool_and(bytes = ceil(pages * 2 * (windows + 1) * slot_bits / 8.0) + 7) AS sizes,
    round(sum(load_factor * pages * 2 * (windows + 1))) = cf_cardinality(c) AS load_factor
FROM grown, cf_layers(c) AS l GROUP BY c;
SELECT (SELECT count(*) FROM bf_layers(bf_create(NULL))) AS without, (SELECT count(*) FROM cf_layers(NULL)) AS null,
    (SELECT layer FROM bf_layers(bf_create(1)) LIMIT 0) AS not_read;
SELECT layer, capacity, cf_layers(c) = l AS same FROM grown, cf_layers(c) AS l ORDER BY layer;

-- A Bloom filter's cardinality is an estimate: within 3 % at 100 and 1,000 values of a filter for 10,000, where its
-- standard error is well below 1 % (of 1,000) and about 1 % (of 100).
SELECT n, abs(bf_cardinality(bf_add_all(bf_create(10000), array_agg(i))) - n) <= 0.03 * n AS estimate,
    cf_cardinality(cf_add_all(cf_create(10000), array_agg(i))) AS count
FROM unnest(ARRAY[1, 10, 100, 1000, 9999]) n, generate_series(1, n) i GROUP BY n ORDER BY n;

-- The predicted size is the size of the filter, as created and as stored.
SELECT count(*) AS sizes, bool_and(bf_size(capacity, fpr) = pg_column_size(bf_create(capacity, fpr))) AS bf_size,
    bool_and(bf_size(capacity, fpr) = (bf_info(bf_create(capacity, fpr))).bytes) AS bf_info,
    bool_and(cf_size(capacity, fpr) = pg_column_size(cf_create(capacity, fpr))) AS cf_size,
    bool_and(cf_size(capacity, fpr) = (cf_info(cf_create(capacity, fpr))).bytes) AS cf_info
FROM unnest(ARRAY[1, 2, 7, 50, 1000, 4096, 65536, 100000]) capacity, unnest(ARRAY[0.5, 0.03, 0.01, 0.0001, 1e-7]) fpr;
SELECT bf_size(1000) = bf_size(1000, 0.01) AS bf_default, cf_size(1000) = cf_size(1000, 0.01) AS cf_default,
    bf_size(100000000) > bf_size(1000000) AS bf_large, cf_size(100000000) > cf_size(1000000) AS cf_large;

-- Bits per value at a million values stay below the documented figures.
SELECT fpr, bf_size(1000000, fpr) * 8 / 1e6 <= bloom AS bloom, cf_size(1000000, fpr) * 8 / 1e6 <= cuckoo AS cuckoo
FROM (VALUES (0.03, 7.6, 7.7), (0.01, 10.1, 9.8), (0.001, 15.8, 13.1)) AS promise (fpr, bloom, cuckoo)
ORDER BY fpr DESC;

-- So do small filters: within 25 % of that, and a header of at most 64 bytes.
SELECT fpr, count(*) FILTER (WHERE bf_size(n, fpr) > ceil(n * bloom * 1.25 / 8) + 64) AS bloom_larger,
    count(*) FILTER (WHERE cf_size(n, fpr) > ceil(n * cuckoo * 1.25 / 8) + 64) AS cuckoo_larger
FROM (VALUES (0.03, 7.6, 7.7), (0.01, 10.1, 9.8), (0.001, 15.8, 13.1)) AS promise (fpr, bloom, cuckoo),
    generate_series(1, 1000) n
GROUP BY fpr ORDER BY fpr DESC;

SET client_min_messages = warning;
DROP SCHEMA describe CASCADE;
