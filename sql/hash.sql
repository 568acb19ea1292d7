--
-- filter_hash: the 64-bit hash on which both types are based. It is part of the format, so it never changes. The
-- expected hashes were computed outside PostgreSQL, with xxhsum -H3 (the program that comes with xxHash) over the
-- canonical bytes of each value, which docs/format.md specifies.
--
CREATE SCHEMA hash;
SET search_path = hash, public;
CREATE TYPE mood AS ENUM ('happy', 'sad');
CREATE DOMAIN shoe AS text;

CREATE TABLE hashes (value text, hash bigint, expected text);
INSERT INTO hashes VALUES
    ('0::smallint', filter_hash(0::smallint), 'c77b3abb6f87acd9'),
    ('42::smallint', filter_hash(42::smallint), 'd5a6f8c838df27c8'),
    ('42::integer', filter_hash(42::integer), 'd5a6f8c838df27c8'),
    ('42::bigint', filter_hash(42::bigint), 'd5a6f8c838df27c8'),
    ('(-1)::smallint', filter_hash((-1)::smallint), '5111c7e47d784413'),
    ('(-1)::integer', filter_hash((-1)::integer), '5111c7e47d784413'),
    ('(-1)::bigint', filter_hash((-1)::bigint), '5111c7e47d784413'),
    ('9223372036854775807', filter_hash(9223372036854775807), 'a233cf376558df46'),
    ('(-9223372036854775808)::bigint', filter_hash((-9223372036854775808)::bigint), '828f2476789a0e5f'),
    ('''''::text', filter_hash(''::text), '2d06800538d394c2'),
    ('''apple''::text', filter_hash('apple'::text), '517a430dcf1f8a00'),
    ('''apple''::varchar', filter_hash('apple'::varchar), '517a430dcf1f8a00'),
    ('''apple  ''::char(7)', filter_hash('apple  '::char(7)), '517a430dcf1f8a00'),
    ('''apple''::name', filter_hash('apple'::name), '517a430dcf1f8a00'),
    ('''apple  ''::text', filter_hash('apple  '::text), 'c28ccbb46e837674'),
    ('repeat(''x'', 1)', filter_hash(repeat('x', 1)), 'eaf06c6480b2cd11'),
    ('repeat(''x'', 3)', filter_hash(repeat('x', 3)), '75920d64d617a183'),
    ('repeat(''x'', 4)', filter_hash(repeat('x', 4)), 'c39f76e8799dd0cc'),
    ('repeat(''x'', 8)', filter_hash(repeat('x', 8)), '4267e87c9cb0bc97'),
    ('repeat(''x'', 9)', filter_hash(repeat('x', 9)), '7bd3d408882c63a9'),
    ('repeat(''x'', 16)', filter_hash(repeat('x', 16)), 'df76ff0d7f0d9edf'),
    ('repeat(''x'', 17)', filter_hash(repeat('x', 17)), '89975e6b7d2f5a11'),
    ('repeat(''x'', 128)', filter_hash(repeat('x', 128)), '4ca37e83f6cddd17'),
    ('repeat(''x'', 129)', filter_hash(repeat('x', 129)), 'e4f9742108fe27dc'),
    ('repeat(''x'', 240)', filter_hash(repeat('x', 240)), '3e16ca8a0c6ccb68'),
    ('repeat(''x'', 241)', filter_hash(repeat('x', 241)), '14da9e5c301a6a1d'),
    ('repeat(''x'', 1024)', filter_hash(repeat('x', 1024)), 'fc56a7ce85b3164a'),
    ('repeat(''x'', 1025)', filter_hash(repeat('x', 1025)), '9cd2e05a61b8a761'),
    ('repeat(''x'', 5000)', filter_hash(repeat('x', 5000)), '8d8567cbc9ee3d90'),
    ('''\xdeadbeef00''::bytea', filter_hash('\xdeadbeef00'::bytea), '5cf7da12b1770f86'),
    ('''''::bytea', filter_hash(''::bytea), '2d06800538d394c2'),
    ('''00112233-4455-6677-8899-aabbccddeeff''::uuid', filter_hash('00112233-4455-6677-8899-aabbccddeeff'::uuid),
        'c56cde21e711bf96'),
    ('true', filter_hash(true), '2fbc593564db792e'),
    ('false', filter_hash(false), 'c77b3abb6f87acd9'),
    ('''2000-01-01''::date', filter_hash('2000-01-01'::date), 'c77b3abb6f87acd9'),
    ('''1999-12-31''::date', filter_hash('1999-12-31'::date), '5111c7e47d784413'),
    ('''2024-02-29''::date', filter_hash('2024-02-29'::date), 'd435203f9a7d938c'),
    ('''infinity''::date', filter_hash('infinity'::date), '4f7eaf7f8d7636f2'),
    ('''00:00:01''::time', filter_hash('00:00:01'::time), '2c27ac0713086960'),
    ('''2000-01-02 00:00:00.000001''::timestamp', filter_hash('2000-01-02 00:00:00.000001'::timestamp),
        'da7951e1afca0b19'),
    ('''2000-01-02 03:00:00+03''::timestamptz', filter_hash('2000-01-02 03:00:00+03'::timestamptz), '2dd6aa4d8e24603a'),
    ('1.5::float4', filter_hash(1.5::float4), '2561a4889ff63458'),
    ('1.5::float8', filter_hash(1.5::float8), '2561a4889ff63458'),
    ('''0''::float8', filter_hash('0'::float8), 'c77b3abb6f87acd9'),
    ('''-0''::float8', filter_hash('-0'::float8), 'c77b3abb6f87acd9'),
    ('''-0''::float4', filter_hash('-0'::float4), 'c77b3abb6f87acd9'),
    ('''NaN''::float8', filter_hash('NaN'::float8), '0aa61dcfa381c167'),
    ('''NaN''::float4', filter_hash('NaN'::float4), '0aa61dcfa381c167'),
    ('''-Infinity''::float8', filter_hash('-Infinity'::float8), '966b04ab6a2f4836'),
    ('0.1::float8', filter_hash(0.1::float8), 'c9d73e6076fe03cd'),
    ('0.1::float4', filter_hash(0.1::float4), '55d86bc42c308476'),
    ('1.0', filter_hash(1.0), '2fbc593564db792e'),
    ('1.000', filter_hash(1.000), '2fbc593564db792e'),
    ('-12.3400', filter_hash(-12.3400), '5ffde750ecf32eb2'),
    ('0.00', filter_hash(0.00), 'c77b3abb6f87acd9'),
    ('100', filter_hash(100), 'b8473533128e3c5b'),
    ('100::numeric', filter_hash(100::numeric), 'b8473533128e3c5b'),
    ('1e20::numeric', filter_hash(1e20::numeric), '1958eeae00e31462'),
    ('0.000001::numeric', filter_hash(0.000001::numeric), '7791c2e37b228d6d'),
    ('''NaN''::numeric', filter_hash('NaN'::numeric), 'b8c2c57ead05e637'),
    ('''sad''::mood', filter_hash('sad'::mood), '457c52c03077c5ce'),
    ('''x''::shoe', filter_hash('x'::shoe), 'eaf06c6480b2cd11'),
    ('''{}''::integer[]', filter_hash('{}'::integer[]), '48b2c92616fc193d'),
    ('ARRAY[1,2]', filter_hash(ARRAY[1,2]), '35322512c1e3b13f'),
    ('ARRAY[1,NULL]', filter_hash(ARRAY[1,NULL]), '510f6b63169b39aa'),
    ('''[0:1]={1,2}''::bigint[]', filter_hash('[0:1]={1,2}'::bigint[]), 'f57e432e921af4eb'),
    ('ARRAY[[''a'',''b''],[''c'',''d'']]', filter_hash(ARRAY[['a','b'],['c','d']]), '1f1dc04849340d17'),
    ('ROW(1, ''a''::text)', filter_hash(ROW(1, 'a'::text)), 'f3793e98577af2ec'),
    ('ROW(NULL::integer, ''a''::text)', filter_hash(ROW(NULL::integer, 'a'::text)), 'c5b3ec0b93ccc59d');
SELECT count(*) FROM hashes;
SELECT value, lpad(to_hex(hash), 16, '0') AS hash, expected
FROM hashes WHERE lpad(to_hex(hash), 16, '0') IS DISTINCT FROM expected;

-- Integers and numeric are compared by value, so their hashes are equal. Values of other kinds are not compared; some
-- have the same bytes, and so the same hash, which is harmless, since a filter holds one kind.
SELECT filter_hash(1) = filter_hash(1.0) AS numeric_alike, filter_hash(0) = filter_hash(false) AS boolean_alike;

-- Types hashed by their operator class follow its equality.
SELECT filter_hash('1 month'::interval) = filter_hash('30 days'::interval) AS interval,
    filter_hash('{"a": 1, "b": 2}'::jsonb) = filter_hash('{"b": 2, "a": 1.0}'::jsonb) AS jsonb,
    filter_hash('[1,3)'::int4range) = filter_hash('[1,2]'::int4range) AS range;

-- For sharding, by the low bits: 16 shards of 16,000 values. A shard has 1,000 values with a standard deviation of 31;
-- within 5 of those.
SELECT count(*) AS shards, min(n) >= 1000 - 155 AS min, max(n) <= 1000 + 155 AS max
FROM (SELECT count(*) AS n FROM generate_series(1, 16000) i GROUP BY filter_hash(i) & 15) AS shard;
SELECT count(*) AS shards, min(n) >= 1000 - 155 AS min, max(n) <= 1000 + 155 AS max
FROM (SELECT count(*) AS n FROM generate_series(1, 16000) i GROUP BY filter_hash('key ' || i) & 15) AS shard;
-- Whichever bits of the hash determine the shards, the filter of a shard is as good as any other: of some 10,000
-- other values of the shard, no more than 1 % plus 5 standard deviations of 0.1 % are false positives.
CREATE FUNCTION false_positives_of_shard(is_mine text) RETURNS TABLE (enough_probes boolean, bloom boolean, cuckoo boolean)
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('
        WITH shard AS (SELECT i FROM generate_series(1, 320000) i WHERE %s),
            filters AS MATERIALIZED (SELECT bf_agg(i) AS b, cf_agg(i) AS c FROM shard WHERE i <= 160000)
        SELECT count(*) BETWEEN 9500 AND 10500,
            count(*) FILTER (WHERE b @> i) <= count(*) * (0.01 + 5 * 0.001),
            count(*) FILTER (WHERE c @> i) <= count(*) * (0.01 + 5 * 0.001)
        FROM shard, filters WHERE i > 160000', is_mine);
END$$;
SELECT is_mine, f.*
FROM (VALUES ('filter_hash(i) & 15 = 7'), ('filter_hash(i) >> 60 = 3'), ('filter_hash(i) % 16 = 5 OR filter_hash(i) % 16 = -5'),
        ('(filter_hash(i) >> 30) & 15 = 1')) AS shards (is_mine),
    false_positives_of_shard(is_mine) AS f;

-- Nor does it matter if values are added in hash order, beyond the capacity: the rate stays within 1.5 times the
-- requested one, and every value is found.
CREATE TABLE in_order AS
    SELECT bf_add_all(bf_create(5000), n) AS b, cf_add_all(cf_create(5000), n) AS c
    FROM (SELECT array_agg(i ORDER BY filter_hash(i)) AS n FROM generate_series(1, 20000) i) AS numbers;
SELECT bloom_grew, cuckoo_grew,
    count(*) FILTER (WHERE i <= 20000 AND NOT (b @> i AND c @> i)) AS missing,
    count(*) FILTER (WHERE i > 20000 AND b @> i) <= 50000 * (0.015 + 5 * 0.00055) AS bloom,
    count(*) FILTER (WHERE i > 20000 AND c @> i) <= 50000 * (0.015 + 5 * 0.00055) AS cuckoo
FROM (SELECT *, (bf_info(b)).layers > 1 AS bloom_grew, (cf_info(c)).layers > 1 AS cuckoo_grew FROM in_order OFFSET 0) AS filters,
    generate_series(1, 70000) i
GROUP BY bloom_grew, cuckoo_grew;

SET client_min_messages = warning;
DROP SCHEMA hash CASCADE;
