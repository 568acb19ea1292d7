--
-- Users' own aggregates of the functions that change filters: a transition function may change the state in place, a final
-- function may not, since several aggregates share a state, and a plan can end a group twice.
--
CREATE SCHEMA aggregate_states;
SET search_path = aggregate_states, public;

CREATE TABLE numbers AS SELECT i, i % 5 AS g, 1000 * (i % 5) + i AS v FROM generate_series(1, 5000) i;
CREATE TABLE filters AS SELECT g, cf_agg(v, 1500) AS c, bf_agg(v, 6000, 0.0001) AS b FROM numbers GROUP BY g;
CREATE TABLE parts AS SELECT cf_agg(v, 1500) AS c, bf_agg(v, 1500) AS b FROM numbers GROUP BY i / 20;
ANALYZE numbers, filters, parts;
SELECT cf_create(6000, 0.0001, 'int') AS c, bf_create(6000, 0.0001, 'int') AS b \gset

-- Each final function takes a direct argument; the states of aggregates with the same input are shared.
CREATE AGGREGATE cf_less(int ORDER BY int) (sfunc = cf_add, stype = cuckoofilter, initcond = :'c',
    finalfunc = cf_delete, finalfunc_modify = read_only);
CREATE AGGREGATE cf_less_all(int[] ORDER BY int) (sfunc = cf_add, stype = cuckoofilter, initcond = :'c',
    finalfunc = cf_delete_all, finalfunc_modify = read_only);
CREATE AGGREGATE cf_more(int ORDER BY int) (sfunc = cf_add, stype = cuckoofilter, initcond = :'c',
    finalfunc = cf_add, finalfunc_modify = read_only);
CREATE AGGREGATE cf_more_unique(int ORDER BY int) (sfunc = cf_add, stype = cuckoofilter, initcond = :'c',
    finalfunc = cf_add_unique, finalfunc_modify = read_only);
CREATE AGGREGATE cf_less_hash(bigint, regtype ORDER BY int) (sfunc = cf_add, stype = cuckoofilter, initcond = :'c',
    finalfunc = cf_delete_hash, finalfunc_modify = read_only);
CREATE AGGREGATE cf_same(int) (sfunc = cf_add, stype = cuckoofilter, initcond = :'c');
CREATE AGGREGATE cf_set(cuckoofilter ORDER BY int) (sfunc = cf_add, stype = cuckoofilter, initcond = :'c',
    finalfunc = cf_union, finalfunc_modify = read_only);
CREATE AGGREGATE bf_more(int ORDER BY int) (sfunc = bf_add, stype = bloomfilter, initcond = :'b',
    finalfunc = bf_add, finalfunc_modify = read_only);
CREATE AGGREGATE bf_more_all(int[] ORDER BY int) (sfunc = bf_add, stype = bloomfilter, initcond = :'b',
    finalfunc = bf_add_all, finalfunc_modify = read_only);
CREATE AGGREGATE bf_common(bloomfilter ORDER BY int) (sfunc = bf_add, stype = bloomfilter, initcond = :'b',
    finalfunc = bf_intersection, finalfunc_modify = read_only);
CREATE AGGREGATE cf_of(int) (sfunc = cf_add, stype = cuckoofilter, initcond = :'c', combinefunc = cf_union, parallel = safe);
CREATE AGGREGATE cf_united(cuckoofilter) (sfunc = cf_union, stype = cuckoofilter, combinefunc = cf_union, parallel = safe);
CREATE AGGREGATE bf_united(bloomfilter) (sfunc = bf_union, stype = bloomfilter, combinefunc = bf_union, parallel = safe);
-- A final function with null arguments, as a hash table that is read twice has; and one of a moving window.
CREATE AGGREGATE cf_ended(int) (sfunc = cf_add, stype = cuckoofilter, initcond = :'c', finalfunc = cf_delete, finalfunc_extra);
CREATE AGGREGATE cf_moving(int) (sfunc = cf_add, stype = cuckoofilter, initcond = :'c', finalfunc = cf_add, finalfunc_extra,
    msfunc = cf_add, minvfunc = cf_delete, mstype = cuckoofilter, minitcond = :'c', mfinalfunc = cf_delete, mfinalfunc_extra);

-- Each aggregate is that of a query of its own.
CREATE FUNCTION different(expressions text[], source text) RETURNS TABLE (expression text) LANGUAGE plpgsql AS $$
DECLARE
    alone text;
    together text[];
BEGIN
    EXECUTE format('SELECT ARRAY[%s] FROM %s',
        (SELECT string_agg(e || '::text', ', ') FROM unnest(expressions) e), source) INTO together;
    FOR n IN 1 .. cardinality(expressions) LOOP
        EXECUTE format('SELECT %s::text FROM %s', expressions[n], source) INTO alone;
        IF alone IS DISTINCT FROM together[n] THEN
            expression := expressions[n];
            RETURN NEXT;
        END IF;
    END LOOP;
END$$;
CREATE VIEW expressions AS
SELECT ARRAY(SELECT format(e, n) FROM unnest(ARRAY['cf_less(%s) WITHIN GROUP (ORDER BY v)',
    'cf_less_all(ARRAY[%s, 17]) WITHIN GROUP (ORDER BY v)',
    'cf_more(%s) WITHIN GROUP (ORDER BY v)', 'cf_more_unique(-%s) WITHIN GROUP (ORDER BY v)',
    'cf_less_hash(filter_hash(%s), ''int'') WITHIN GROUP (ORDER BY v)',
    'cf_set((SELECT c FROM filters WHERE g = %s %% 5)) WITHIN GROUP (ORDER BY v)',
    'bf_more(-%s) WITHIN GROUP (ORDER BY v)', 'bf_more_all(ARRAY[-17, -%s]) WITHIN GROUP (ORDER BY v)',
    'bf_common((SELECT b FROM filters WHERE g = %s %% 5)) WITHIN GROUP (ORDER BY v)',
    'cf_same(v ORDER BY v)', 'cf_same(DISTINCT v)', 'cf_same(v ORDER BY v DESC)']) e, generate_series(1001, 1021, 10) n) AS list;
-- A cuckoo filter depends on the order of additions, which since 16 depends on what else is aggregated.
SELECT count(set_config(name, 'off', false)) < 2 AS set FROM pg_settings WHERE name = 'enable_presorted_aggregate';
SELECT different(list, 'numbers') FROM expressions;
SELECT different(list, 'numbers WHERE g = 1') FROM expressions;
SET jit_above_cost = 0;
SET jit_inline_above_cost = 0;
SET jit_optimize_above_cost = 0;
SELECT different(list, 'numbers') FROM expressions;
RESET jit_above_cost;
RESET jit_inline_above_cost;
RESET jit_optimize_above_cost;
SELECT cf_count(x, 1001), cf_count(x, 2007), cf_count(y, 1001), cf_count(y, 2007)
FROM (SELECT cf_less(1001) WITHIN GROUP (ORDER BY v) AS x, cf_less(2007) WITHIN GROUP (ORDER BY v) AS y FROM numbers) AS f;

-- Grouping sets; a hash table that is read again; moving windows, with and without an inverse transition function.
SELECT g, cf_count(more, 1001) AS more, cf_count(less, 1001) AS less, cf_count(same, 1001) AS same
FROM (SELECT g, cf_more(1001) WITHIN GROUP (ORDER BY v) AS more,
        cf_less(1001) WITHIN GROUP (ORDER BY v) AS less, cf_same(v ORDER BY v) AS same
        FROM numbers GROUP BY ROLLUP (g)) AS f
WHERE coalesce(g, 1) = 1 ORDER BY g;
SET enable_sort = off;
SET enable_material = off;
SELECT n, count(*) AS groups, sum(cf_cardinality(ended)) AS ended, sum(cf_cardinality(same)) AS same
FROM generate_series(1, 3) n, LATERAL (SELECT g, cf_ended(v) AS ended, cf_same(v) AS same FROM numbers GROUP BY g OFFSET 0) AS f
GROUP BY n ORDER BY n;
RESET enable_sort;
RESET enable_material;
SELECT count(*) AS frames,
    count(*) FILTER (WHERE cf_cardinality(moving) <> least(i, 4) OR NOT cf_contains(moving, i) OR cf_contains(moving, i - 4)) AS wrong,
    count(*) FILTER (WHERE cf_cardinality(again) <> least(i, 4) OR NOT cf_contains(again, i)) AS wrong_again,
    count(*) FILTER (WHERE cf_cardinality(running) <> i OR cf_cardinality(same) <> i) AS wrong_running
FROM (SELECT i, cf_moving(i) OVER w AS moving, cf_same(i) OVER w AS again,
        cf_moving(i) OVER (ORDER BY i) AS running, cf_same(i) OVER (ORDER BY i) AS same
        FROM numbers WHERE i <= 500 WINDOW w AS (ORDER BY i ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)) AS f;

-- Partial and Finalize plans: in parallel, and of the partitions of a table.
CREATE FUNCTION plan_has(query text, part text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN plan::text LIKE '%"' || part || '%';
END$$;
CREATE VIEW combined AS
    SELECT (SELECT cf_of(v) FROM numbers) AS c_of, (SELECT cf_united(c) FROM parts) AS c, (SELECT bf_united(b) FROM parts) AS b;
CREATE VIEW missing AS
    SELECT count(*) AS values, count(*) FILTER (WHERE NOT c_of @> v) AS c_of, count(*) FILTER (WHERE NOT c @> v) AS c,
        count(*) FILTER (WHERE NOT b @> v) AS b
    FROM combined, numbers;
SELECT * FROM missing;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
ALTER TABLE parts SET (parallel_workers = 2);
SET max_parallel_workers_per_gather = 4;
SET parallel_leader_participation = off;
SELECT plan_has('SELECT cf_of(v) FROM numbers', 'Finalize') AS c_of, plan_has('SELECT cf_united(c) FROM parts', 'Finalize') AS c,
    plan_has('SELECT bf_united(b) FROM parts', 'Finalize') AS b;
SELECT * FROM missing;
SET jit_above_cost = 0;
SELECT * FROM missing;
RESET jit_above_cost;
SELECT count(*) AS groups, count(*) FILTER (WHERE cf_cardinality(f) <> 1000) AS wrong
FROM (SELECT g, cf_of(v) AS f FROM numbers GROUP BY g) AS groups;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE parted (g integer, v integer, c cuckoofilter) PARTITION BY LIST (g);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (0, 1, 2);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (3, 4);
INSERT INTO parted SELECT n.g, v, c FROM numbers n JOIN filters f ON f.g = n.g AND v % 1000 = f.g;
INSERT INTO parted SELECT g, v FROM numbers;
ANALYZE parted;
SET enable_partitionwise_aggregate = on;
SELECT plan_has('SELECT cf_of(v), cf_united(c) FROM parted', 'Partial') AS partial;
SELECT count(*) AS values, count(*) FILTER (WHERE NOT c_of @> v) AS c_of, count(*) FILTER (WHERE NOT c @> v) AS c
FROM (SELECT cf_of(v) AS c_of, cf_united(c) AS c FROM parted) AS f, numbers;
SELECT count(*) AS groups, count(*) FILTER (WHERE cf_cardinality(c_of) <> 1000 OR cf_cardinality(c) < 990) AS wrong
FROM (SELECT g, cf_of(DISTINCT v) AS c_of, cf_united(c) AS c FROM parted GROUP BY g) AS f;
-- The filters from which states began are as they were.
SELECT count(*) AS filters,
    count(*) FILTER (WHERE NOT cf_contains_all(c, list) OR NOT bf_contains_all(b, list) OR cf_cardinality(c) < 990) AS wrong
FROM filters JOIN (SELECT g, array_agg(v) AS list FROM numbers GROUP BY g) AS n USING (g);
SET client_min_messages = warning;
DROP SCHEMA aggregate_states CASCADE;
