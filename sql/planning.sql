--
-- What the planner expects of contains: how many rows pass, and what a probe costs.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS cuckoo_filter;
CREATE SCHEMA planning;
SET search_path = planning, public;
RESET client_min_messages;
SET max_parallel_workers_per_gather = 0;

-- The rows that are expected from the topmost node of a plan that is no aggregate, and the total cost.
CREATE FUNCTION expected(query text, OUT rows float8, OUT cost float8) LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    rows := plan #>> '{0,Plan,Plan Rows}';
    cost := plan #>> '{0,Plan,Total Cost}';
END$$;
-- The expected rows over the real ones.
CREATE FUNCTION off_by(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    real_rows float8;
BEGIN
    EXECUTE 'SELECT count(*) FROM (' || query || ') AS q' INTO real_rows;
    RETURN round(((expected(query)).rows / greatest(real_rows, 1))::numeric, 1);
END$$;

-- 30,000 facts, all of which ANALYZE reads, of 1,000 customers, one of them with every fifth fact; about 100 of the
-- customers are chosen, that one too.
CREATE TABLE customers AS
    SELECT i AS customer, 'customer ' || i AS name, i = 3 OR md5(i::text) < '19' AS chosen FROM generate_series(1, 1000) i;
CREATE TABLE facts AS
    SELECT i AS fact, CASE i % 5 WHEN 0 THEN 3 ELSE i * 7919 % 1000 + 1 END AS customer,
        'customer ' || CASE i % 5 WHEN 0 THEN 3 ELSE i * 7919 % 1000 + 1 END AS name,
        CASE WHEN i % 4 = 0 THEN i END AS quarter
    FROM generate_series(1, 30000) i;
CREATE TABLE by_fact (LIKE facts) PARTITION BY HASH (fact);
CREATE TABLE by_fact_0 PARTITION OF by_fact FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE by_fact_1 PARTITION OF by_fact FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO by_fact SELECT * FROM facts;
ANALYZE customers, facts, by_fact;

-- A constant filter is asked about the most common values and the histogram. Bounds are a factor of 1.5 either way; the
-- share of 100 bounds of a histogram that are in a filter has a standard deviation of at most 5 %.
CREATE FUNCTION constant(expression text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    filter text;
BEGIN
    EXECUTE 'SELECT quote_literal((SELECT ' || expression || ')::text)' INTO filter;
    RETURN filter || CASE WHEN expression LIKE 'bf%' THEN '::bloomfilter' ELSE '::cuckoofilter' END;
END$$;
SELECT what, off_by(format(query, constant(filter))) BETWEEN 0.6 AND 1.5 AS estimated
FROM (VALUES
    ('few, a common one', 'SELECT FROM facts WHERE bf_contains(%s, customer)',
        'bf_agg(customer) FROM customers WHERE chosen'),
    ('few, no common one', 'SELECT FROM facts WHERE bf_contains(%s, customer)',
        'bf_agg(customer) FROM customers WHERE chosen AND customer <> 3'),
    ('many', 'SELECT FROM facts WHERE cf_contains(%s, customer)',
        'cf_agg(customer) FROM customers WHERE NOT chosen'),
    ('all', 'SELECT FROM facts WHERE cf_contains(%s, customer)', 'cf_agg(customer) FROM customers'),
    ('NOT', 'SELECT FROM facts WHERE NOT cf_contains(%s, customer)', 'cf_agg(customer) FROM customers WHERE chosen'),
    ('text', 'SELECT FROM facts WHERE bf_contains(%s, name)', 'bf_agg(name) FROM customers WHERE chosen'),
    ('another width', 'SELECT FROM facts WHERE bf_contains(%s, customer::bigint)',
        'bf_agg(customer) FROM customers WHERE chosen'),
    ('nulls', 'SELECT FROM facts WHERE bf_contains(%s, quarter)', 'bf_agg(fact) FROM facts'),
    ('operator', 'SELECT FROM facts WHERE %s @> customer', 'bf_agg(customer) FROM customers WHERE chosen'),
    ('the other operator', 'SELECT FROM facts WHERE customer <@ %s', 'cf_agg(customer) FROM customers WHERE chosen'),
    ('partitions', 'SELECT FROM by_fact WHERE bf_contains(%s, customer)',
        'bf_agg(customer) FROM customers WHERE chosen'),
    ('a common one alone', 'SELECT FROM facts WHERE customer <@ %s', 'bf_add(bf_create(10), 3)'))
    AS cases (what, query, filter);

-- A constant filter that has none of the values: few rows, and none from an empty one or NULL.
SELECT (expected(format('SELECT FROM facts WHERE bf_contains(%s, customer)', constant('bf_agg(-customer, 1000, 0.0001) FROM customers')))).rows
    < 1000 AS few,
    (expected(format('SELECT FROM facts WHERE bf_contains(%s, customer)', constant('bf_create(10)')))).rows AS empty,
    (expected('SELECT FROM facts WHERE bf_contains(NULL, customer)')).rows AS null;

-- A filter that the query computes is estimated by what goes into it: the chosen customers over all, here.
SELECT query, off_by(query) BETWEEN 0.6 AND 1.5 AS estimated
FROM (VALUES
    ('SELECT FROM facts WHERE name LIKE ''%'' AND bf_contains((SELECT bf_agg(customer) FROM customers WHERE NOT chosen), customer)'),
    ('SELECT FROM facts WHERE (SELECT cf_agg(customer) FROM customers WHERE NOT chosen) @> customer'))
    AS cases (query);

-- Before a join on the same key a filter changes no estimate: the join leaves out the same rows.
CREATE FUNCTION same_estimate(query text, filter text) RETURNS boolean LANGUAGE sql AS $$
    SELECT (expected(replace(query, '?', 'true'))).rows = (expected(replace(query, '?', filter))).rows
$$;
SELECT what, same_estimate(query, filter)
FROM (VALUES
    ('join', 'SELECT FROM facts f JOIN customers c ON f.customer = c.customer WHERE chosen AND ?'),
    ('join, another side', 'SELECT FROM customers c, facts f WHERE c.customer = f.customer AND chosen AND ?'),
    ('IN', 'SELECT FROM facts f WHERE customer IN (SELECT customer FROM customers WHERE chosen) AND ?'),
    ('EXISTS', 'SELECT FROM facts f WHERE EXISTS (SELECT FROM customers c WHERE chosen AND c.customer = f.customer) AND ?'),
    ('partitions', 'SELECT FROM by_fact f JOIN customers c ON f.customer = c.customer WHERE chosen AND ?'),
    ('nullable side', 'SELECT FROM customers c LEFT JOIN facts f ON f.customer = c.customer AND ?'))
    AS queries (what, query),
    (VALUES ('bf_contains((SELECT bf_agg(customer) FROM customers WHERE chosen), f.customer)'),
        ('(SELECT cf_agg(customer) FROM customers WHERE chosen) @> f.customer')) AS filters (filter)
ORDER BY what, filter;
-- A join on another key, and one that keeps the rows without a match, leave out other rows than the filter.
SELECT what, same_estimate(query, 'bf_contains((SELECT bf_agg(customer) FROM customers WHERE chosen), f.customer)')
FROM (VALUES
    ('another key', 'SELECT FROM facts f JOIN customers c ON f.fact = c.customer WHERE ?'),
    ('preserved side', 'SELECT FROM facts f LEFT JOIN customers c ON f.customer = c.customer WHERE ?'),
    ('below NOT', 'SELECT FROM facts f JOIN customers c ON f.customer = c.customer WHERE (? AND f.fact > 0) IS NOT TRUE'))
    AS queries (what, query) ORDER BY what;

-- Where nothing is known, a third, as for any function.
CREATE TABLE unknown (k integer, f bloomfilter);
INSERT INTO unknown SELECT i, NULL FROM generate_series(1, 3000) i;
SELECT expected.rows / (expected('SELECT FROM unknown')).rows BETWEEN 0.3 AND 0.4 AS a_third
FROM expected('SELECT FROM unknown WHERE bf_contains(f, 7)');

-- A filter of another kind, or of a type that cannot be asked, is an error of the probe and not of the plan.
EXPLAIN (COSTS OFF) SELECT FROM facts WHERE bf_contains(bf_add(bf_create(10), 'a'::text), customer);
SELECT FROM facts WHERE bf_contains(bf_add(bf_create(10), 'a'::text), customer);
SELECT count(*) FROM facts WHERE fact < 0 AND bf_contains(bf_add(bf_create(10), 'a'::text), customer);

-- A probe of a large filter costs more than one of a small filter, and either more than a comparison.
SELECT small.cost > comparison.cost AS small, large.cost > small.cost AS large
FROM expected('SELECT FROM facts WHERE customer < 0') AS comparison,
    expected(format('SELECT FROM facts WHERE bf_contains(%s, customer)', constant('bf_add(bf_create(100), 1)'))) AS small,
    expected(format('SELECT FROM facts WHERE bf_contains(%s, customer)', constant('bf_add(bf_create(10000000), 1)'))) AS large;

SET client_min_messages = warning;
DROP SCHEMA planning CASCADE;
