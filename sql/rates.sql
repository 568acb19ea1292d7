--
-- Measured false positive rates: no higher than requested, apart from chance.
--
-- Of p probes of values that were not added, a filter of rate r finds r * p, with a standard deviation of
-- no more than sqrt(r * p). The bound is 5 of those above: one in 3.5 million tests would fail by chance. No value that
-- was added may be missing.
--
CREATE SCHEMA rates;
SET search_path = rates, public;

-- The i-th of a set of keys: no key occurs twice, nor in two sets.
CREATE FUNCTION keys_of(kind text, first bigint, last bigint) RETURNS TABLE (key text) LANGUAGE sql AS $$
    SELECT CASE kind WHEN 'sequential' THEN i::text
        WHEN 'scattered' THEN (i * 2654435761)::text
        WHEN 'text' THEN 'user-' || i || '@example.org'
        ELSE md5(i::text) END
    FROM generate_series(first, last) i
$$;

-- Filters of n keys of a type, and the false positives among as many others.
CREATE FUNCTION measure(type text, kind text, n bigint, probes bigint, fpr float8, set_number integer,
    OUT missing bigint, OUT b_found bigint, OUT c_found bigint) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($query$
        WITH filters AS MATERIALIZED (
            SELECT bf_agg(key::%1$s, NULL, $4) AS b, cf_agg(key::%1$s, NULL, $4) AS c FROM keys_of($1, $2, $2 + $3 - 1)
        )
        SELECT count(*) FILTER (WHERE added AND NOT (in_b AND in_c)), count(*) FILTER (WHERE in_b AND NOT added),
        count(*) FILTER (WHERE in_c AND NOT added)
        FROM (SELECT number <= $3 AS added, (SELECT b FROM filters) @> key::%1$s AS in_b,
            (SELECT c FROM filters) @> key::%1$s AS in_c
            FROM keys_of($1, $2, $2 + $3 + $5 - 1) WITH ORDINALITY AS k (key, number) OFFSET 0) AS answers$query$, type)
    INTO missing, b_found, c_found USING kind, set_number * 100000000::bigint, n, fpr, probes;
END$$;

-- Types and sorts of keys, at 1 %, 100,000 values.
SELECT type, kind, sum(missing) AS missing, sum(b_found) <= 3e5 * 0.01 + 5 * sqrt(3e5 * 0.01) AS bloom,
    sum(c_found) <= 3e5 * 0.01 + 5 * sqrt(3e5 * 0.01) AS cuckoo
FROM (VALUES ('bigint', 'sequential'), ('bigint', 'scattered'), ('text', 'text'), ('uuid', 'random'),
    ('numeric', 'sequential'))
        AS keys (type, kind),
    generate_series(1, 3) AS set_number, measure(type, kind, 100000, 100000, 0.01, set_number)
GROUP BY type, kind ORDER BY type, kind;

-- Rates, at 30,000 values.
SELECT fpr, sum(missing) AS missing, sum(b_found) <= 3e5 * fpr + 5 * sqrt(3e5 * fpr) AS bloom,
    sum(c_found) <= 3e5 * fpr + 5 * sqrt(3e5 * fpr) AS cuckoo
FROM unnest(ARRAY[0.5, 0.3, 0.03, 0.003, 0.0003, 0.00003]) fpr, generate_series(1, 3) AS set_number,
    measure('bigint', 'sequential', 30000, 100000, fpr, set_number)
GROUP BY fpr ORDER BY fpr DESC;

-- Small filters, whose rates vary with the places of their few values: many of them, and a bound of 1.25 times the
-- rate instead of the rate.
SELECT n, fpr, sum(b_found) <= 1e5 * 1.25 * fpr + 5 * sqrt(1e5 * 1.25 * fpr) AS bloom,
    sum(c_found) <= 1e5 * 1.25 * fpr + 5 * sqrt(1e5 * 1.25 * fpr) AS cuckoo
FROM unnest(ARRAY[1, 2, 3, 5, 10, 30, 100, 500]) n, unnest(ARRAY[0.1, 0.01]) fpr,
    LATERAL (SELECT s, bf_agg(s * 1000000 + i, NULL, fpr) AS b, cf_agg(s * 1000000 + i, NULL, fpr) AS c
        FROM generate_series(1, 400) s, generate_series(1, n) i GROUP BY s) AS f,
    LATERAL (SELECT count(*) FILTER (WHERE b @> (s * 1000000 + i)) AS b_found,
        count(*) FILTER (WHERE c @> (s * 1000000 + i)) AS c_found
        FROM generate_series(n + 1, n + 250) i) AS p
GROUP BY n, fpr ORDER BY n, fpr;

-- Filled in another way: by adding up to the capacity, by union of parts, or with values deleted. The same bound holds.
CREATE TABLE filled (how text, rate float8, b bloomfilter, c cuckoofilter);
INSERT INTO filled
    SELECT 'added', 0.01, bf_add_all(bf_create(30000), array_agg(i)), cf_add_all(cf_create(30000), array_agg(i))
    FROM generate_series(1, 30000) i
    UNION ALL
    SELECT 'united', 0.01, bf_union_agg(b), cf_union_agg(c)
    FROM (SELECT bf_agg(i, 30000) AS b, cf_agg(i, 30000) AS c FROM generate_series(1, 30000) i GROUP BY i % 7) AS parts
    UNION ALL
    SELECT 'deleted', 0.01 * 2 / 3, bf_agg(i, 30000) FILTER (WHERE i <= 20000),
    cf_delete_all(cf_agg(i), array_agg(i) FILTER (WHERE i > 20000)) FROM generate_series(1, 30000) i
    UNION ALL
    SELECT 'grown', 0.01 * 1.5, bf_add_all(bf_create(1000), array_agg(i)), cf_add_all(cf_create(1000), array_agg(i))
    FROM generate_series(1, 20000) i
    UNION ALL
    SELECT 'half full', 0.005, bf_agg(i, 40000), cf_agg(i, 40000) FROM generate_series(1, 20000) i;
CREATE TABLE found AS
    SELECT how, rate, b_found, c_found, (bf_info(b)).expected_fpr AS b_expected, (cf_info(c)).expected_fpr AS c_expected
    FROM filled JOIN (
        SELECT how, count(*) FILTER (WHERE b @> i) AS b_found, count(*) FILTER (WHERE c @> i) AS c_found
        FROM filled, generate_series(-200000, -1) i GROUP BY how) AS counts USING (how);
SELECT how, b_found <= 2e5 * rate + 5 * sqrt(2e5 * rate) AS bloom,
    c_found <= 2e5 * rate + 5 * sqrt(2e5 * rate) AS cuckoo
FROM found ORDER BY how;

-- The rates that bf_info and cf_info expect are those measured: within 5 standard deviations either way.
SELECT how, abs(b_found - 2e5 * b_expected) <= 5 * sqrt(2e5 * b_expected) AS bloom,
    abs(c_found - 2e5 * c_expected) <= 5 * sqrt(2e5 * c_expected) AS cuckoo
FROM found ORDER BY how;

SET client_min_messages = warning;
DROP SCHEMA rates CASCADE;
