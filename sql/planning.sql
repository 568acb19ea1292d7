--
-- The planner's estimates for contains: the number of rows that pass, and the cost of a probe.
--
CREATE SCHEMA planning;
SET search_path = planning, public;
SET max_parallel_workers_per_gather = 0;

-- The rows expected from the topmost node of a plan that is not an aggregate, and the total cost.
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

-- A constant filter is probed with the most common values and the histogram. Bounds are a factor of 1.5 either way;
-- the fraction of a histogram's 100 bounds that are in a filter has a standard deviation of at most 5 %.
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
    ('SELECT FROM facts WHERE (SELECT cf_agg(customer) FROM customers WHERE NOT chosen) @> customer'),
    ('SELECT FROM facts WHERE bf_contains((SELECT bf_agg(fact) FROM facts), quarter)'))
    AS cases (query);

-- The content of a filter is estimated by the distinct values that go into it.
SELECT query, off_by(query) BETWEEN 0.4 AND 2.5 AS estimated
FROM (VALUES
    ('SELECT FROM facts WHERE NOT bf_contains((SELECT bf_agg(customer) FROM facts WHERE fact <= 500), customer)'),
    ('SELECT FROM facts WHERE customer <@ (SELECT cf_agg(customer) FILTER (WHERE customer > 300) FROM customers)'),
    ('SELECT FROM facts, (SELECT bf_agg(customer) AS f FROM customers WHERE chosen) AS q WHERE bf_contains(f, facts.customer)'),
    ('WITH q AS (SELECT cf_agg(customer) AS f FROM customers WHERE chosen) SELECT FROM facts WHERE cf_contains((SELECT f FROM q), customer)'))
    AS cases (query);
-- If its content is unknown, a third of the rows pass: a filter in a table, of a union or intersection, of a group, or from
-- a WITH query that is planned separately.
CREATE TABLE filters AS
    SELECT customer % 20 AS id, bf_agg(customer) AS b, cf_agg(customer) AS c FROM customers GROUP BY customer % 20;
ANALYZE filters;
SELECT query, (expected(query)).rows BETWEEN 9900 AND 10100 AS a_third
FROM (VALUES
    ('SELECT FROM facts WHERE bf_contains((SELECT b FROM filters WHERE id = 7), customer)'),
    ('SELECT FROM facts WHERE customer <@ (SELECT c FROM filters WHERE id = 7)'),
    ('SELECT FROM facts, filters WHERE id = 7 AND b @> customer'),
    ('SELECT FROM facts WHERE (SELECT cf_union_agg(c) FROM filters WHERE id > 11) @> customer'),
    ('SELECT FROM facts WHERE bf_contains((SELECT bf_intersection_agg(b) FROM filters), customer)'),
    ('SELECT FROM facts WHERE bf_contains((SELECT bf_union_agg(f) FROM (SELECT bf_agg(customer) AS f FROM facts GROUP BY fact % 7) AS q), customer)'),
    ('WITH q AS MATERIALIZED (SELECT cf_agg(customer) AS f FROM customers WHERE chosen) SELECT FROM facts WHERE cf_contains((SELECT f FROM q), customer)'))
    AS cases (query);

-- A filter is compared with the values of all partitions together, whether ANALYZE has read the partitioned table or,
-- as autovacuum does, only the partitions.
CREATE TABLE by_customer (LIKE facts) PARTITION BY HASH (customer);
CREATE TABLE by_customer_0 PARTITION OF by_customer FOR VALUES WITH (MODULUS 4, REMAINDER 0);
CREATE TABLE by_customer_1 PARTITION OF by_customer FOR VALUES WITH (MODULUS 4, REMAINDER 1);
CREATE TABLE by_customer_2 PARTITION OF by_customer FOR VALUES WITH (MODULUS 4, REMAINDER 2);
CREATE TABLE by_customer_3 PARTITION OF by_customer FOR VALUES WITH (MODULUS 4, REMAINDER 3);
INSERT INTO by_customer SELECT * FROM facts WHERE customer <> 3;
CREATE TABLE by_fact_range (fact integer, customer integer) PARTITION BY RANGE (fact);
CREATE TABLE by_fact_range_0 PARTITION OF by_fact_range FOR VALUES FROM (0) TO (15000);
CREATE TABLE by_fact_range_1 PARTITION OF by_fact_range FOR VALUES FROM (15000) TO (30001);
INSERT INTO by_fact_range SELECT fact, customer FROM facts;
CREATE TABLE inheriting (k integer);
CREATE TABLE inheriting_1 () INHERITS (inheriting);
CREATE TABLE inheriting_2 () INHERITS (inheriting);
INSERT INTO inheriting_1 SELECT generate_series(1, 3000);
INSERT INTO inheriting_2 SELECT generate_series(3001, 6000);
CREATE VIEW partition_cases AS
SELECT query FROM (VALUES
    ('SELECT FROM by_customer WHERE bf_contains((SELECT bf_agg(customer) FROM customers WHERE chosen), customer)'),
    ('SELECT FROM by_customer WHERE customer <@ (SELECT cf_agg(customer) FROM customers WHERE customer > 300)'),
    ('SELECT FROM by_fact_range WHERE fact <@ (SELECT cf_agg(i) FROM generate_series(1, 3000) AS i)'))
    AS cases (query);
ANALYZE by_customer_0, by_customer_1, by_customer_2, by_customer_3, by_fact_range_0, by_fact_range_1;
SELECT 'partitions' AS analyzed, query, off_by(query) BETWEEN 0.6 AND 1.7 AS estimated FROM partition_cases;
ANALYZE by_customer, by_fact_range, inheriting;
SELECT 'all' AS analyzed, query, off_by(query) BETWEEN 0.6 AND 1.7 AS estimated
FROM (TABLE partition_cases
    UNION ALL SELECT 'SELECT FROM inheriting WHERE bf_contains((SELECT bf_agg(i) FROM generate_series(1, 1500) AS i), k)'
    UNION ALL SELECT 'SELECT FROM (SELECT customer FROM facts UNION ALL SELECT customer FROM by_fact) AS u
        WHERE bf_contains((SELECT bf_agg(customer) FROM customers WHERE NOT chosen), customer)') AS cases;

-- A constant in a sub-select is as good as any; PostgreSQL copies it once and not for each partition.
SELECT what, off_by(format(query, constant(filter))) BETWEEN 0.6 AND 1.5 AS estimated
FROM (VALUES
    ('table', 'SELECT FROM facts WHERE bf_contains((SELECT %s), customer)', 'bf_agg(customer) FROM customers WHERE chosen'),
    ('partitions', 'SELECT FROM by_customer WHERE customer <@ (SELECT %s)',
        'cf_agg(customer) FROM customers WHERE chosen'))
    AS cases (what, query, filter);

-- Below a join on the same key a filter does not change the estimate: the join is assumed to remove the same rows.
CREATE FUNCTION same_estimate(query text, filter text) RETURNS boolean LANGUAGE sql AS $$
    SELECT (expected(replace(query, '?', 'true'))).rows = (expected(replace(query, '?', filter))).rows
$$;
CREATE TABLE regions AS SELECT i AS region, i % 10 = 0 AS far FROM generate_series(0, 49) AS i;
ANALYZE regions;
CREATE VIEW joins AS
SELECT what, query FROM (VALUES
    ('join', 'SELECT FROM facts f JOIN customers c ON f.customer = c.customer WHERE chosen AND ?'),
    ('join, another side', 'SELECT FROM customers c, facts f WHERE c.customer = f.customer AND chosen AND ?'),
    ('IN', 'SELECT FROM facts f WHERE customer IN (SELECT customer FROM customers WHERE chosen) AND ?'),
    ('EXISTS', 'SELECT FROM facts f WHERE EXISTS (SELECT FROM customers c WHERE chosen AND c.customer = f.customer) AND ?'),
    ('partitions', 'SELECT FROM by_fact f JOIN customers c ON f.customer = c.customer WHERE chosen AND ?'),
    ('partitions by the key', 'SELECT FROM by_customer f JOIN customers c ON f.customer = c.customer WHERE chosen AND ?'),
    ('UNION ALL', 'SELECT FROM (SELECT customer FROM facts UNION ALL SELECT customer FROM by_fact) AS f JOIN customers c ON f.customer = c.customer WHERE chosen AND ?'),
    ('nullable side', 'SELECT FROM customers c LEFT JOIN facts f ON f.customer = c.customer AND ? WHERE chosen'),
    ('IS TRUE', 'SELECT FROM facts f JOIN customers c ON f.customer = c.customer WHERE chosen AND (?) IS TRUE'),
    ('below GROUP BY', 'SELECT FROM (SELECT customer, fact % 10, count(*) FROM facts f WHERE ? GROUP BY 1, 2) AS g JOIN customers c ON g.customer = c.customer WHERE chosen'),
    ('below two subqueries', 'SELECT FROM (SELECT DISTINCT customer, m FROM (SELECT customer, fact % 10 AS m, count(*) FROM facts f WHERE ? GROUP BY 1, 2) AS g OFFSET 0) AS h JOIN customers c ON h.customer = c.customer WHERE chosen'),
    ('below DISTINCT', 'SELECT FROM (SELECT DISTINCT customer, quarter FROM facts f WHERE ?) AS d LEFT JOIN customers c2 USING (customer) JOIN customers c ON d.customer = c.customer WHERE c.chosen'),
    ('below a window', 'SELECT FROM (SELECT customer, rank() OVER (PARTITION BY customer ORDER BY fact) FROM facts f WHERE ?) AS w JOIN customers c ON w.customer = c.customer WHERE chosen'),
    ('below UNION', 'SELECT FROM (SELECT customer FROM customers WHERE NOT chosen UNION SELECT customer FROM facts f WHERE ?) AS u JOIN customers c ON u.customer = c.customer WHERE chosen'),
    ('below UNION ALL', 'SELECT FROM (SELECT quarter, customer FROM facts UNION ALL SELECT count(*), customer FROM facts f WHERE ? GROUP BY customer, quarter) AS u JOIN customers c ON u.customer = c.customer WHERE chosen'),
    ('snowflake', 'SELECT FROM facts f JOIN customers c ON f.customer = c.customer JOIN regions r ON c.customer % 50 = r.region WHERE far AND ?'))
    AS queries (what, query);
SELECT what, same_estimate(query, filter)
FROM joins,
    (VALUES ('bf_contains((SELECT bf_agg(customer) FROM customers WHERE chosen), f.customer)'),
        ('(SELECT cf_agg(customer) FROM customers WHERE chosen) @> f.customer'),
        ('(SELECT c FROM filters WHERE id = 7) @> f.customer'),
        (format('bf_contains(%s, f.customer)', constant('bf_agg(customer) FROM customers WHERE chosen'))),
        (format('f.customer <@ %s', constant('cf_agg(customer) FROM customers WHERE chosen'))),
        (format('f.customer <@ (SELECT %s)', constant('cf_agg(customer) FROM customers WHERE chosen')))) AS filters (filter)
ORDER BY what COLLATE "C", filter;
-- Nor, in a generic plan, an unknown one.
SET plan_cache_mode = force_generic_plan;
PREPARE generic(bloomfilter) AS
    SELECT FROM facts f JOIN customers c ON f.customer = c.customer WHERE chosen AND bf_contains($1, f.customer);
SELECT (expected(replace(query, '?', 'true'))).rows = (expected('EXECUTE generic(NULL)')).rows AS same_estimate
FROM joins WHERE what = 'join';
RESET plan_cache_mode;

-- Nor do filters that remove rows that the join keeps: a filter of fewer customers, one below a join with all of them, and
-- filters on both sides.
CREATE TABLE customers_parted (customer integer) PARTITION BY HASH (customer);
CREATE TABLE customers_parted_0 PARTITION OF customers_parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE customers_parted_1 PARTITION OF customers_parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO customers_parted SELECT generate_series(1, 100000);
ANALYZE customers_parted;
SELECT what, same_estimate(query, '(SELECT bf_agg(customer) FROM customers WHERE NOT chosen AND customer > 600) @> f.customer')
FROM (VALUES
    ('fewer', 'SELECT FROM facts f JOIN customers c ON f.customer = c.customer WHERE c.customer > 500 AND ?'),
    ('a join with all', 'SELECT FROM facts f JOIN customers c ON f.customer = c.customer WHERE ?'),
    ('both sides', 'SELECT FROM facts f JOIN (SELECT customer FROM customers f WHERE ?) AS c ON f.customer = c.customer WHERE ?'),
    ('a partitioned other side', 'SELECT FROM customers_parted c JOIN facts f ON c.customer = f.customer WHERE c.customer > 500 AND ?'))
    AS queries (what, query) ORDER BY what COLLATE "C";
-- Filters combined by OR, nulls, which the join also removes, an empty filter, and a value that is fixed anyway.
SELECT what, off_by(query) BETWEEN 0.4 AND 1.5 AS estimated
FROM (VALUES
    ('OR', 'SELECT FROM facts f JOIN customers c ON f.customer = c.customer WHERE chosen AND (bf_contains((SELECT bf_agg(customer) FROM customers WHERE chosen AND customer <= 500), f.customer) OR bf_contains((SELECT bf_agg(customer) FROM customers WHERE chosen AND customer > 500), f.customer)) AND f.customer <> 3'),
    ('nulls', 'SELECT FROM facts f JOIN facts g ON f.quarter = g.fact WHERE bf_contains((SELECT bf_agg(fact) FROM facts), f.quarter)'),
    ('an empty filter', 'SELECT FROM facts f JOIN generate_series(1, 1000) AS i ON f.customer = i WHERE bf_create(10) @> f.customer'),
    ('a constant', 'SELECT FROM facts WHERE customer = 3 AND bf_contains((SELECT bf_agg(customer) FROM customers WHERE chosen), customer)'))
    AS queries (what, query);
-- A join on another key, or one that keeps rows without a match, does not remove the same rows as the filter.
SELECT what, same_estimate(query, 'bf_contains((SELECT bf_agg(customer) FROM customers WHERE chosen), f.customer)')
FROM (VALUES
    ('another key', 'SELECT FROM facts f JOIN customers c ON f.fact = c.customer WHERE ?'),
    ('preserved side', 'SELECT FROM facts f LEFT JOIN customers c ON f.customer = c.customer WHERE ?'),
    ('below NOT', 'SELECT FROM facts f JOIN customers c ON f.customer = c.customer WHERE (? AND f.fact > 0) IS NOT TRUE'))
    AS queries (what, query) ORDER BY what COLLATE "C";

-- If nothing is known, a third, as for any function.
CREATE TABLE unknown (k integer, f bloomfilter);
INSERT INTO unknown SELECT i, NULL FROM generate_series(1, 3000) i;
SELECT expected.rows / (expected('SELECT FROM unknown')).rows BETWEEN 0.3 AND 0.4 AS a_third
FROM expected('SELECT FROM unknown WHERE bf_contains(f, 7)');
-- So with what postgres_fdw writes in place of a parameter.
SELECT expected.rows / (expected('SELECT FROM facts')).rows BETWEEN 0.3 AND 0.4 AS a_third
FROM expected('SELECT FROM facts WHERE bf_contains(((SELECT null::bloomfilter)::bloomfilter), customer)');

-- What a probe costs in a sequential scan; filter_scan.sql has the other scan.
SET cuckoo_scan.enable_filter_scan = off;

-- A filter of another kind, or of a type that cannot be tested, is an error of the probe and not of planning.
EXPLAIN (COSTS OFF) SELECT FROM facts WHERE bf_contains(bf_add(bf_create(10), 'a'::text), customer);
SELECT FROM facts WHERE bf_contains(bf_add(bf_create(10), 'a'::text), customer);
SELECT count(*) FROM facts WHERE fact < 0 AND bf_contains(bf_add(bf_create(10), 'a'::text), customer);
-- So is a damaged filter, and what an aggregate that is never computed does with its rows.
CREATE FUNCTION unchecked(bytea) RETURNS bloomfilter LANGUAGE internal IMMUTABLE STRICT AS 'byteasend';
SELECT count(*) FROM facts WHERE bf_contains(unchecked('\x00'), customer);
SELECT count(*) FROM facts WHERE fact < 0 AND bf_contains(unchecked('\x00'), customer);
SELECT count(*) FROM facts WHERE fact < 0 AND bf_contains((SELECT bf_agg(customer) FILTER (WHERE name ~ '(') FROM customers), customer);

-- A probe of a large filter costs more than one of a small filter, and either more than a comparison.
SELECT small.cost > comparison.cost AS small, large.cost > small.cost AS large
FROM expected('SELECT FROM facts WHERE customer < 0') AS comparison,
    expected(format('SELECT FROM facts WHERE bf_contains(%s, customer)', constant('bf_add(bf_create(100), 1)'))) AS small,
    expected(format('SELECT FROM facts WHERE bf_contains(%s, customer)', constant('bf_add(bf_create(10000000), 1)'))) AS large;
RESET cuckoo_scan.enable_filter_scan;

-- The planner loads no libraries to find out which functions are probes: a missing one would be an error. The executor does
-- load them, after it has checked the rights to the tables, which this role does not have.
CREATE FUNCTION missing(integer, integer) RETURNS boolean LANGUAGE internal AS 'int4lt';
CREATE OPERATOR <<< (LEFTARG = integer, RIGHTARG = integer, FUNCTION = missing);
CREATE FUNCTION missing_transition(bloomfilter, bloomfilter) RETURNS bloomfilter LANGUAGE sql AS 'SELECT $1';
CREATE AGGREGATE missing_agg(bloomfilter) (SFUNC = missing_transition, STYPE = bloomfilter);
UPDATE pg_proc SET prolang = (SELECT oid FROM pg_language WHERE lanname = 'c'), prosrc = 'missing', probin = '$libdir/no_such_library'
WHERE oid IN ('missing'::regproc, 'missing_transition'::regproc);
CREATE FUNCTION error_of(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END$$;
CREATE ROLE regress_planning_stranger;
GRANT USAGE ON SCHEMA planning TO regress_planning_stranger;
SET ROLE regress_planning_stranger;
SELECT condition, error_of('SELECT FROM facts JOIN customers AS c ON facts.customer = c.customer WHERE ' || condition)
FROM unnest(ARRAY['missing(fact, 1)', 'fact <<< 1', 'NOT missing(fact, c.customer)', 'missing(fact, 1) AND bf_contains(NULL, fact)',
    'missing(fact, 1) AND bf_contains((SELECT missing_agg(bf_create(10)) FROM facts), c.customer)']) AS condition;
RESET ROLE;
SELECT replace(error_of('SELECT FROM facts WHERE missing(fact, 1)'), '$libdir/', '') AS error;

SET client_min_messages = warning;
DROP SCHEMA planning CASCADE;
DROP ROLE regress_planning_stranger;
