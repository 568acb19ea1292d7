--
-- Invalid capacities and rates: a clear message, a hint, and the error code.
--

-- Capacity.
SELECT bf_create(0);
\set VERBOSITY sqlstate
SELECT cf_create(0);
SELECT bf_create(-1);
SELECT cf_create(-9223372036854775808);
SELECT bf_size(0);
SELECT cf_size(-1);
SELECT bf_agg(i, 0) FROM generate_series(1, 3) i;
SELECT cf_agg(i, -5) FROM generate_series(1, 3) i;
SELECT cf_agg(i, 0, 0.1) FROM generate_series(1, 3) i;
SELECT bf_create(2.5);
SELECT bf_size('NaN');
SELECT cf_create('-Infinity');
\set VERBOSITY default

-- The rate first, as in RedisBloom, or alone; a capacity that is not written as an integer.
SELECT bf_create(0.01, 1000);
SELECT cf_create(0.001, 1000);
SELECT bf_agg(i, 0.01) FROM generate_series(1, 3) i;
SELECT bf_create(1e6) = bf_create(1000000) AS b, cf_create('1e6') = cf_create(1000000::bigint) AS c,
    bf_create(1000.00) = bf_create(1000::smallint) AS numeric, bf_size(1e6) = bf_size(1000000) AS size
FROM (SELECT bf_agg(i, 1e3) = bf_agg(i, 1000) AS agg FROM generate_series(1, 3) i) AS a WHERE agg;

-- Rate. A percentage is the likely mistake.
SELECT bf_create(10, 1);
\set VERBOSITY sqlstate
SELECT cf_create(10, 1);
SELECT bf_create(10, 0);
SELECT bf_create(10, -0.01);
SELECT bf_create(10, 0.5000001);
SELECT bf_create(10, 9.99e-8);
SELECT bf_create(10, 'NaN');
SELECT bf_create(10, 'Infinity');
SELECT bf_create(NULL, 2);
SELECT cf_create(10, 0.5000001);
SELECT cf_create(10, 9.99e-8);
SELECT cf_create(10, 'NaN');
SELECT cf_create(NULL, '-Infinity');
SELECT bf_size(10, 0);
SELECT cf_size(10, 'NaN');
SELECT bf_agg(i, 10, 0.51) FROM generate_series(1, 3) i;
SELECT bf_agg(i, NULL, 'NaN') FROM generate_series(1, 3) i;
SELECT cf_agg(i, 10, 0) FROM generate_series(1, 3) i;
SELECT cf_agg(i, NULL, 1) FROM generate_series(1, 3) i;
\set VERBOSITY default

-- Both ends of the range are valid.
SELECT bf_create(10, 0.5) @> 1 AS b_high, bf_create(10, 1e-7) @> 1 AS b_low, cf_create(10, 0.5) @> 1 AS c_high,
    cf_create(10, 1e-7) @> 1 AS c_low,
    bf_contains(bf_agg(i, NULL, 0.5), 1) AS b_high_1, bf_contains(bf_agg(i, NULL, 1e-7), 1) AS b_low_1,
    cf_contains(cf_agg(i, NULL, 0.5), 1) AS c_high_1, cf_contains(cf_agg(i, NULL, 1e-7), 1) AS c_low_1
FROM generate_series(1, 10) i;

-- Size: the message says how large the filter would be, and the limit, 500 MB. The bits per value at a rate of 1 %
-- are known within bounds: more than 6.64, the minimum for any structure, and at most 10.7; for a Bloom filter 9.58 to
-- 10.1. (The 10 billion values of a cuckoo filter need a lower load than those of a filter that fits.)
CREATE FUNCTION bytes_refused(command text, OUT code text, OUT bits_per_value numeric, OUT message text)
LANGUAGE plpgsql AS $$
DECLARE
    detail text;
    hint text;
BEGIN
    EXECUTE command;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
    hint = PG_EXCEPTION_HINT;
    bits_per_value := substring(message FROM 'take (\d+) bytes')::numeric * 8 / 1e10;
    message := concat_ws(E'\n', regexp_replace(message, '\d+', '...'), detail, hint);
END$$;
SELECT code, bits_per_value BETWEEN 9.58 AND 10.1 AS bytes, message FROM bytes_refused('SELECT bf_create(10000000000)');
SELECT command, code, bits_per_value BETWEEN 6.64 AND 10.7 AS bytes,
    message LIKE 'filter would take ... bytes, more than the limit of 524288000%' AS message
FROM unnest(ARRAY['SELECT cf_create(10000000000)', 'SELECT bf_size(10000000000)', 'SELECT cf_size(10000000000)',
        'SELECT bf_agg(i, 10000000000) FROM generate_series(1, 3) i',
        'SELECT cf_agg(i, 10000000000) FROM generate_series(1, 3) i'])
    WITH ORDINALITY AS c (command, n), bytes_refused(command) ORDER BY n;
\set VERBOSITY sqlstate
SELECT bf_create(9223372036854775807);
SELECT cf_create(9223372036854775807);
SELECT bf_create(9223372036854775807, 0.5);
SELECT cf_create(9223372036854775807, 1e-7);
SELECT cf_size(9223372036854775807, 0.5);
\set VERBOSITY default

-- bf_size and cf_size work for the largest filter allowed, which is just below the limit.
SELECT bf_size(400000000) BETWEEN 490000000 AND 524288004 AS bloom, cf_size(430000000) BETWEEN 490000000
    AND 524288004 AS cuckoo;

DROP FUNCTION bytes_refused(text);
