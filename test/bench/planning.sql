-- Run by test/bench/run: the effect of a pre-filter on the planner's choices, for several shapes of query. Prints a table
-- in Markdown: the rows expected and found at the join, and the joins chosen, without a filter, with a filter function
-- unknown to the planner, and with bf_contains; then the time with bf_contains relative to that without. `facts` is the number of rows.
\set QUIET on
SET client_min_messages = warning;
SET jit = off;
SET max_parallel_workers_per_gather = 0;
CREATE SCHEMA planning;
SET search_path = planning, public;

-- bf_contains without its support function.
CREATE FUNCTION plain_contains(bloomfilter, anyelement) RETURNS boolean
LANGUAGE c IMMUTABLE PARALLEL SAFE STRICT AS '$libdir/cuckoo_filter', 'sql_contains';

CREATE TABLE fact AS
    SELECT i AS id, (hashint8extended(i, 1) & 1048575)::integer AS k1, (hashint8extended(i, 2) & 65535)::integer AS k2,
        (hashint8extended(i, 3) & 4095)::integer AS k3, (i % 1000)::integer AS v, repeat('x', 40) AS pad
    FROM generate_series(1, :facts) i;
CREATE TABLE d1 AS SELECT i AS k1, i % 100 AS a, md5(i::text) AS label FROM generate_series(0, 1048575) i;
CREATE TABLE d2 AS SELECT i AS k2, i % 50 AS a FROM generate_series(0, 65535) i;
CREATE TABLE d3 AS SELECT i AS k3, i % 10 AS a FROM generate_series(0, 4095) i;
ALTER TABLE d1 ADD PRIMARY KEY (k1);
ALTER TABLE d2 ADD PRIMARY KEY (k2);
ALTER TABLE d3 ADD PRIMARY KEY (k3);
CREATE TABLE indexed AS SELECT id, k1, v FROM fact;
CREATE INDEX ON indexed (k1);
CREATE TABLE parted (id bigint, k1 integer, v integer) PARTITION BY HASH (id);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO parted SELECT id, k1, v FROM fact;
CREATE TABLE parted_by_key (id bigint, k1 integer, v integer) PARTITION BY HASH (k1);
CREATE TABLE parted_by_key_0 PARTITION OF parted_by_key FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE parted_by_key_1 PARTITION OF parted_by_key FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE parted_by_key_2 PARTITION OF parted_by_key FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO parted_by_key SELECT id, k1, v FROM fact;
CREATE TABLE filters AS SELECT a, bf_agg(k1) AS known FROM d1 GROUP BY a;
VACUUM ANALYZE fact, d1, d2, d3, indexed, parted, parted_by_key, filters;
SELECT quote_literal(bf_agg(k1)::text) AS constant FROM d1 WHERE a = 3 \gset

-- In a query, [KEY|FILTER] marks where to insert the filter.
CREATE TABLE shapes (number integer, shape text, query text, settings text);
INSERT INTO shapes VALUES
(1, 'two tables', 'SELECT sum(v) FROM fact JOIN d1 USING (k1) WHERE a = 3 [fact.k1|(SELECT bf_agg(k1) FROM d1 WHERE a = 3)]', ''),
(2, 'star of three', 'SELECT sum(v) FROM fact JOIN d1 USING (k1) JOIN d2 USING (k2) JOIN d3 USING (k3) WHERE d1.a = 3 AND d2.a = 7 AND d3.a = 1 [fact.k1|(SELECT bf_agg(k1) FROM d1 WHERE a = 3)] [fact.k2|(SELECT bf_agg(k2) FROM d2 WHERE a = 7)] [fact.k3|(SELECT bf_agg(k3) FROM d3 WHERE a = 1)]', ''),
(3, 'semi-join', 'SELECT sum(v) FROM fact WHERE k1 IN (SELECT k1 FROM d1 WHERE a = 3) [k1|(SELECT bf_agg(k1) FROM d1 WHERE a = 3)]', ''),
(4, 'anti-join', 'SELECT sum(v) FROM fact WHERE NOT EXISTS (SELECT FROM d1 WHERE d1.k1 = fact.k1 AND a <> 3) [k1|(SELECT bf_agg(k1) FROM d1 WHERE a = 3)]', ''),
(5, 'left join', 'SELECT sum(v), count(label) FROM fact LEFT JOIN d1 ON fact.k1 = d1.k1 AND a = 3 WHERE v < 500 [fact.k1|(SELECT bf_agg(k1) FROM d1 WHERE a = 3)]', ''),
(6, 'GROUP BY below a join', 'SELECT sum(s) FROM (SELECT k1, sum(v) AS s FROM fact WHERE true [k1|(SELECT bf_agg(k1) FROM d1 WHERE a = 3)] GROUP BY k1) AS g JOIN d1 USING (k1) WHERE a = 3', ''),
(7, 'partitioned table', 'SELECT sum(v) FROM parted JOIN d1 USING (k1) WHERE a = 3 [parted.k1|(SELECT bf_agg(k1) FROM d1 WHERE a = 3)]', ''),
(8, 'LIMIT', 'SELECT id, label FROM fact JOIN d1 USING (k1) WHERE a = 3 [fact.k1|(SELECT bf_agg(k1) FROM d1 WHERE a = 3)] ORDER BY id LIMIT 10', ''),
(9, 'parallel', 'SELECT sum(v) FROM fact JOIN d1 USING (k1) WHERE a = 3 [fact.k1|(SELECT bf_agg(k1) FROM d1 WHERE a = 3)]', 'parallel'),
(10, 'hash join that spills', 'SELECT sum(v), count(pad) FROM fact JOIN d1 USING (k1) WHERE a < 50 [fact.k1|(SELECT bf_agg(k1) FROM d1 WHERE a < 50)]', 'small'),
(11, 'nested loop with an index', 'SELECT sum(v) FROM d1 JOIN indexed USING (k1) WHERE d1.k1 < 100 [indexed.k1|(SELECT bf_agg(k1) FROM d1 WHERE k1 < 100)]', ''),
(12, 'two large tables', 'SELECT sum(f.v) FROM fact AS f JOIN indexed AS g ON f.id = g.id JOIN d1 ON f.k1 = d1.k1 WHERE a = 3 [f.k1|(SELECT bf_agg(k1) FROM d1 WHERE a = 3)]', ''),
(13, 'a join on another key', 'SELECT sum(v) FROM fact JOIN d2 USING (k2) WHERE a = 7 [fact.k1|(SELECT bf_agg(k1) FROM d1 WHERE a = 3)]', ''),
(14, 'a constant filter', 'SELECT sum(v) FROM fact JOIN d2 USING (k2) WHERE a < 25 [fact.k1|CONSTANT::bloomfilter]', ''),
(15, 'a constant filter of the other side', 'SELECT sum(v) FROM fact JOIN d1 USING (k1) WHERE a = 3 [fact.k1|CONSTANT::bloomfilter]', ''),
(16, 'a constant filter, a join with all', 'SELECT sum(v) FROM fact JOIN d1 USING (k1) WHERE true [fact.k1|CONSTANT::bloomfilter]', ''),
(17, 'a union of stored filters', 'SELECT sum(v) FROM fact JOIN d2 USING (k2) WHERE a < 25 [fact.k1|(SELECT bf_union_agg(known) FROM filters WHERE a < 10)]', ''),
(18, 'partitions by the key', 'SELECT sum(v) FROM parted_by_key WHERE true [k1|(SELECT bf_agg(k1) FROM d1 WHERE a = 3)]', '');

-- The topmost node that is not an aggregate, sort, limit or gather.
CREATE FUNCTION topmost(plan jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
    WHILE plan ->> 'Node Type' IN ('Aggregate', 'Gather', 'Gather Merge', 'Limit', 'Sort', 'Incremental Sort') LOOP
        plan := (SELECT p FROM jsonb_array_elements(plan -> 'Plans') AS p WHERE p ->> 'Parent Relationship' = 'Outer');
    END LOOP;
    RETURN plan;
END$$;
CREATE FUNCTION joins(plan jsonb) RETURNS text LANGUAGE sql AS $$
    WITH RECURSIVE nodes AS (
        SELECT plan AS node, '' AS place
        UNION ALL
        SELECT p, place || n FROM nodes, jsonb_array_elements(node -> 'Plans') WITH ORDINALITY AS children (p, n)
        WHERE p ->> 'Parent Relationship' <> 'InitPlan')
    SELECT coalesce(string_agg(CASE node ->> 'Node Type' WHEN 'Nested Loop' THEN 'loop' WHEN 'Hash Join' THEN 'hash'
        ELSE 'merge' END, ', ' ORDER BY place), '')
    FROM nodes WHERE node ->> 'Node Type' IN ('Nested Loop', 'Hash Join', 'Merge Join')
$$;

CREATE TABLE outcomes (number integer, variant text, repetition integer, milliseconds float8, expected float8, found float8,
    joins text);
CREATE PROCEDURE run_shapes(repetitions integer, constant text) LANGUAGE plpgsql AS $$
DECLARE
    s shapes;
    variant text;
    plan jsonb;
    node jsonb;
BEGIN
    FOR s IN SELECT * FROM shapes ORDER BY number LOOP
        PERFORM set_config('max_parallel_workers_per_gather', CASE s.settings WHEN 'parallel' THEN '2' ELSE '0' END, false),
            set_config('work_mem', CASE s.settings WHEN 'small' THEN '1MB' ELSE '64MB' END, false);
        FOR repetition IN 1 .. repetitions LOOP
            FOREACH variant IN ARRAY ARRAY['none', 'planning.plain_contains', 'public.bf_contains'] LOOP
                EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT json) ' || replace(regexp_replace(s.query,
                        '\[([^|]*)\|([^]]*)\]',
                        CASE variant WHEN 'none' THEN '' ELSE format('AND %s(\2, \1)', variant) END, 'g'),
                    'CONSTANT', constant) INTO plan;
                node := topmost(plan #> '{0,Plan}');
                INSERT INTO outcomes VALUES (s.number, variant, repetition, (plan #>> '{0,Execution Time}')::float8,
                    (node ->> 'Plan Rows')::float8, (node ->> 'Actual Rows')::float8 * (node ->> 'Actual Loops')::float8,
                    joins(plan #> '{0,Plan}'));
            END LOOP;
        END LOOP;
    END LOOP;
END$$;
CALL run_shapes(:repetitions, :'constant');

SELECT format('| %s | %s | %s | %s | %s | %s | %s | %s | %s |', shape, round(max(found) FILTER (WHERE variant = 'public.bf_contains')),
    round(max(expected) FILTER (WHERE variant = 'none')), round(max(expected) FILTER (WHERE variant = 'planning.plain_contains')),
    round(max(expected) FILTER (WHERE variant = 'public.bf_contains')), max(o.joins) FILTER (WHERE variant = 'none'),
    max(o.joins) FILTER (WHERE variant = 'planning.plain_contains'), max(o.joins) FILTER (WHERE variant = 'public.bf_contains'),
    round((min(milliseconds) FILTER (WHERE variant = 'public.bf_contains') / min(milliseconds) FILTER (WHERE variant = 'none'))::numeric,
        2))
FROM outcomes AS o JOIN shapes USING (number) GROUP BY number, shape ORDER BY number;
