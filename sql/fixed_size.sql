--
-- Filters that do not grow: they keep the size for their capacity. Beyond it the rate of a Bloom filter rises; a
-- cuckoo filter is full, which is an error.
--
CREATE SCHEMA fixed_size;
SET search_path = fixed_size, public;

CREATE FUNCTION geometry(bloomfilter) RETURNS text LANGUAGE sql AS
'SELECT string_agg(format(''%s of %s, %s'', blocks, block_bits, probes), ''; '' ORDER BY layer) FROM bf_layers($1)';
CREATE FUNCTION geometry(cuckoofilter) RETURNS text LANGUAGE sql AS
'SELECT string_agg(format(''%s of %s, %s'', pages, windows, slot_bits), ''; '' ORDER BY layer) FROM cf_layers($1)';

-- Created at a size, which needs a capacity. NULL is the default: the filter grows.
SELECT (bf_info(bf_create(1000, grow => false))).grows AS b, (cf_info(cf_create(1000, grow => false))).grows AS c,
    (bf_info(bf_create(1000))).grows AS b_default, (cf_info(cf_create(1000, 0.01, NULL, NULL))).grows AS c_null,
    bf_create(1000, grow => true)::text = bf_create(1000)::text AS b_grows,
    (bf_info(bf_create(NULL))).grows AS b_no_capacity, (bf_info(bf_agg(1))).grows AS b_agg, (cf_info(cf_agg(1))).grows AS c_agg;
SELECT bf_create(NULL, grow => false);
SELECT cf_create(NULL, 0.01, 'text', false);

-- A Bloom filter of ten times its capacity: nothing is missing, it is as large as bf_size says, and other values are found
-- at the rate that bf_info reports (within 5 standard deviations plus 0.03 for the estimate itself).
CREATE TABLE overfull AS
    SELECT capacity, fpr, times, bf_add_all(bf_create(capacity, fpr, 'integer', false), array_agg(i)) AS b
    FROM unnest(ARRAY[1, 7, 100, 1000, 20000]) AS capacity, unnest(ARRAY[0.01, 0.0001]::float8[]) AS fpr,
        unnest(ARRAY[1, 2, 10]) AS times, generate_series(1, capacity * times) AS i
    GROUP BY capacity, fpr, times;
SELECT o.capacity, fpr, times, layers, grows, bytes = bf_size(o.capacity, fpr) AS size, info.capacity = o.capacity AS same_capacity,
    geometry(b) = geometry(bf_create(o.capacity, fpr)) AS geometry,
    (SELECT count(*) FROM generate_series(1, o.capacity * times) i WHERE NOT bf_contains(b, i)) AS missing,
    expected_fpr > fpr AS above_rate,
    (SELECT abs(count(*) FILTER (WHERE bf_contains(b, i)) - count(*) * expected_fpr) <=
            5 * sqrt(count(*) * expected_fpr * (1 - expected_fpr)) + 0.03 * expected_fpr * count(*) + 5
        FROM generate_series(-20000, -1) i) AS rate_is_reported
FROM overfull AS o, bf_info(b) AS info ORDER BY o.capacity, fpr, times;

-- The same bits in any order and in any parts, and the same as in a filter that can grow but has not grown yet.
WITH RECURSIVE one_by_one AS (
    SELECT 0 AS n, bf_create(200, grow => false) AS b
    UNION ALL SELECT n + 1, bf_add(b, n + 1) FROM one_by_one WHERE n < 1000)
SELECT b::text = bf_add_all(bf_create(200, grow => false), ARRAY(SELECT generate_series(1, 1000)))::text AS at_once,
    b::text = bf_add_all(bf_add_all(bf_create(200, grow => false), ARRAY(SELECT generate_series(1000, 500, -1))),
        ARRAY(SELECT generate_series(1, 500)))::text AS in_parts,
    bf_add_all(b, ARRAY(SELECT generate_series(1, 1000)))::text = b::text AS again,
    b::text::bloomfilter::bytea::bloomfilter = b AS read_back
FROM one_by_one WHERE n = 1000;
SELECT set_byte(bf_add_all(bf_create(200, grow => false), v)::bytea, 17, 0) = bf_add_all(bf_create(200), v)::bytea AS but_for_the_flag,
    bf_add_all(bf_create(200, grow => false), v) = bf_add_all(bf_create(200), v) AS equal
FROM (SELECT array_agg(i) FROM generate_series(1, 150) i) AS v (v);

-- A cuckoo filter takes as many values as its capacity, and is full soon after. It then holds what it held before,
-- and no value of the rejected call.
CREATE TABLE full_ones (capacity integer, c cuckoofilter);
INSERT INTO full_ones
    SELECT capacity, cf_add_all(cf_create(capacity, grow => false), ARRAY(SELECT generate_series(1, capacity)))
    FROM unnest(ARRAY[12, 100, 1000, 20000]) AS capacity;
CREATE FUNCTION refused(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'done';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END$$;
CREATE TABLE before AS SELECT * FROM full_ones;
UPDATE full_ones SET c = cf_add_all(c, ARRAY(SELECT generate_series(101, 200))) WHERE capacity = 100;
SELECT capacity, refused(format('UPDATE fixed_size.full_ones SET c = cf_add_all(c, ARRAY(SELECT generate_series(%s, %s))) WHERE capacity = %s',
    capacity + 1, capacity * 2, capacity)) FROM unnest(ARRAY[12, 100, 1000, 20000]) AS capacity;
SELECT refused('UPDATE fixed_size.full_ones SET c = cf_add(c, 13) WHERE capacity = 12') AS add,
    refused('UPDATE fixed_size.full_ones SET c = cf_add_unique(c, 13) WHERE capacity = 12') AS add_unique,
    refused('UPDATE fixed_size.full_ones SET c = cf_add_unique(c, 1) WHERE capacity = 12') AS add_unique_of_present;
SELECT capacity, f.c = b.c AS unchanged, layers, grows, cardinality, bytes = cf_size(capacity) AS size,
    geometry(f.c) = geometry(cf_create(capacity)) AS geometry,
    (SELECT count(*) FROM generate_series(1, capacity) i WHERE NOT cf_contains(f.c, i)) AS missing,
    expected_fpr <= requested_fpr AS within_rate
FROM full_ones AS f JOIN before AS b USING (capacity), LATERAL (SELECT layers, grows, cardinality, bytes, expected_fpr, requested_fpr
    FROM cf_info(f.c)) AS info ORDER BY capacity;

-- Deleting makes room, and compacting changes nothing.
UPDATE full_ones SET c = cf_add(cf_delete(c, 1), 13) WHERE capacity = 12;
SELECT cf_contains(c, 13) AS added, cf_cardinality(c), cf_compact(c) = c AS compact, (cf_info(cf_compact(c))).grows
FROM full_ones WHERE capacity = 12;

-- A full filter accepts further copies of its values. They are counted, in half a byte for each slot.
SELECT copies, cf_count(more, 5) AS count, cf_cardinality(more) = cf_cardinality(c) + copies AS cardinality, layers, grows,
    bytes - cf_size(1000) AS counters, bytes - cf_size(1000) = pages * (windows + 1) AS half_a_byte,
    (SELECT count(*) FROM generate_series(1, 1000) i WHERE NOT cf_contains(more, i)) AS missing
FROM (SELECT cf_add_all(cf_create(1000, 0.01, 'integer', false), ARRAY(SELECT generate_series(1, 1000)))) AS f (c),
    unnest(ARRAY[1, 3, 4, 5, 14, 15, 1000]) AS copies, LATERAL (SELECT cf_add_all(c, array_fill(5, ARRAY[copies])) AS more) AS m,
    LATERAL (SELECT layers, grows, bytes FROM cf_info(more)) AS info, LATERAL (SELECT pages, windows FROM cf_layers(more)) AS layer;
SELECT cf_count(c, 5) AS copies, cf_count(cf_add(c, 5), 5) AS fifth, cf_count(cf_add_all(c, array_fill(5, ARRAY[1000])), 5) AS thousands
FROM (SELECT cf_add_all(cf_create(10, grow => false), ARRAY[1, 2, 3, 4, 5, 5, 5, 5, 6, 9])) AS f (c);

-- However many copies the values have, it holds as many values as its capacity, within 1.5 times the requested rate, and has all
-- their copies. Then it is full.
CREATE FUNCTION fill_up(capacity bigint, copies integer, OUT taken integer, OUT missing bigint, OUT exact bigint,
    OUT within_rate boolean, OUT counters boolean, OUT bounded boolean) LANGUAGE plpgsql AS $$
DECLARE
    c cuckoofilter := cf_create(capacity, 0.01, 'integer', false);
BEGIN
    taken := 0;
    BEGIN
        WHILE taken <= 2 * capacity LOOP
            c := cf_add_all(c, array_fill(taken + 1, ARRAY[copies]));
            taken := taken + 1;
        END LOOP;
    EXCEPTION WHEN program_limit_exceeded THEN
        NULL;
    END;
    SELECT count(*) FILTER (WHERE cf_count(c, i) < least(copies, 16)), count(*) FILTER (WHERE cf_count(c, i) = least(copies, 16))
        FROM generate_series(1, taken) i INTO missing, exact;
    within_rate := (cf_info(c)).expected_fpr <= 0.015;
    counters := (cf_info(c)).bytes > cf_size(capacity);
    bounded := (cf_info(c)).bytes <= cf_size(capacity) + (SELECT pages * (windows + 1) FROM cf_layers(c));
END$$;
SELECT capacity, copies, taken >= capacity AS taken, taken <= 1.1 * capacity AS not_more, missing, exact > 0.95 * taken AS exact, within_rate,
    counters, bounded
FROM unnest(ARRAY[500, 2000]) AS capacity, unnest(ARRAY[1, 2, 3, 4, 5, 15, 20]) AS copies, fill_up(capacity, copies) ORDER BY 1, 2;

--
-- Unions of filters that do not grow: nor does the result. One that grows is refused.
--
CREATE TABLE parts AS
    SELECT name, bf_add_all(bf_create(b_capacity, fpr, 'integer', grow), v) AS b, cf_add_all(cf_create(c_capacity, fpr, 'integer', grow), v) AS c
    FROM (VALUES ('fixed', 1000, 1000, 0.01::float8, false, 1, 250), ('fixed too', 999, 1000, 0.01, false, 251, 400),
        ('third', 1000, 1000, 0.01, false, 401, 700), ('fourth', 1000, 1000, 0.01, false, 601, 850),
        ('much', 1000, 1000, 0.01, false, 10001, 10900), ('empty', 1000, 1000, 0.01, false, 1, 0),
        ('other', 5000, 5000, 0.01, false, 1, 10), ('other, empty', 5000, 5000, 0.01, false, 1, 0),
        ('grows', 1000, 1000, 0.01, true, 601, 850), ('grows, empty', 1000, 1000, 0.01, true, 1, 0))
        AS p (name, b_capacity, c_capacity, fpr, grow, lo, hi),
        LATERAL (SELECT array_agg(i) FROM generate_series(lo, hi) i) AS v (v);
INSERT INTO parts VALUES ('no layer', bf_create(NULL), cf_create(NULL));
-- The first two have the same geometry, although their capacities differ.
SELECT a.b <> b.b AS differ, geometry(a.b) = geometry(b.b) AS same_geometry
FROM parts a, parts b WHERE a.name = 'fixed' AND b.name = 'fixed too';

-- The result of a union of some of them: for a Bloom filter the image, for a cuckoo filter whatever does not depend
-- on how its entries move, and for an error the SQLSTATE. Every order, from the left, from the right and by halves.
CREATE FUNCTION permutations(names text[]) RETURNS SETOF text[] LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(names) = 1 THEN
        RETURN NEXT names;
        RETURN;
    END IF;
    FOR i IN 1..cardinality(names) LOOP
        RETURN QUERY SELECT names[i] || p FROM permutations(names[:i - 1] || names[i + 1:]) p;
    END LOOP;
END$$;
CREATE FUNCTION expression(names text[], type text, shape text) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN cardinality(names) = 1 THEN format('(SELECT %I FROM fixed_size.parts WHERE name = %L)', type, names[1])
        ELSE format('(%s | %s)', expression(names[:at], type, shape), expression(names[at + 1:], type, shape)) END
    FROM (SELECT CASE shape WHEN 'left' THEN cardinality(names) - 1 WHEN 'right' THEN 1 ELSE cardinality(names) / 2 END) AS s (at)
$$;
CREATE FUNCTION outcome(expression text, type text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE CASE type WHEN 'b' THEN format('SELECT %s::text', expression)
        ELSE format('SELECT (grows, capacity, cardinality, requested_fpr, layers, bytes, geometry(c))::text
            FROM (SELECT %s) AS u (c), cf_info(c)', expression) END
        INTO result;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END$$;
CREATE FUNCTION every_order(names text[], type text, OUT orders bigint, OUT outcomes bigint, OUT outcome text) LANGUAGE sql AS $$
    SELECT count(*), count(DISTINCT o), min(CASE WHEN length(o) > 5 THEN 'a filter' ELSE o END)
    FROM permutations(names) AS p, unnest(ARRAY['left', 'right', 'halves']) AS shape, outcome(expression(p, type, shape), type) AS o
$$;
SELECT type, names, o.* FROM (VALUES (1, ARRAY['fixed', 'fixed too', 'third', 'fourth']),
    (2, ARRAY['fixed', 'third', 'empty', 'fourth']), (3, ARRAY['fixed', 'much']), (4, ARRAY['fixed', 'fixed too', 'much']),
    (5, ARRAY['much', 'empty']), (6, ARRAY['fixed', 'other']), (7, ARRAY['fixed', 'other, empty']), (8, ARRAY['fixed', 'grows']),
    (9, ARRAY['fixed', 'third', 'grows, empty']), (10, ARRAY['no layer', 'fixed'])) AS sets (n, names),
    unnest(ARRAY['b', 'c']) AS type, every_order(names, type) AS o ORDER BY n, type;

-- Their content: all values, even beyond the capacity, in one layer. For Bloom filters the result is the same as
-- adding all values.
SELECT grows, layers, capacity, bytes = bf_size(1000) AS size,
    (SELECT count(*) FROM generate_series(1, 850) i WHERE NOT u @> i) AS missing,
    (SELECT count(*) FROM generate_series(10001, 10900) i WHERE NOT u @> i) AS missing_of_much,
    u = bf_add_all(bf_create(1000, 0.01, 'integer', false), ARRAY(SELECT generate_series(1, 850)
        UNION ALL SELECT generate_series(10001, 10900))) AS as_added
FROM (SELECT bf_union_agg(b) FROM parts WHERE name !~ '^other|^grows|^no') AS f (u), bf_info(u);
SELECT grows, layers, cardinality, bytes = cf_size(1000) AS size, (SELECT count(*) FROM generate_series(1, 850) i WHERE NOT u @> i) AS missing,
    (SELECT count(*) FROM generate_series(1, 850) i WHERE cf_count(u, i) <> 1) AS counted
FROM (SELECT cf_union_agg(c) FROM parts WHERE name !~ '^other|^grows|^no|much') AS f (u), cf_info(u);
-- Nothing can be deleted from a union of two that hold values, and no value is added to it twice. With an empty one, all copies stay.
SELECT cf_delete(a.c | b.c, 1) FROM parts a, parts b WHERE a.name = 'fixed' AND b.name = 'fixed too';
SELECT cf_add(u, 1) = u AS unchanged, cf_count(cf_add(u, 9999), 9999) AS added, grows
FROM parts a, parts b, LATERAL (SELECT a.c | b.c) AS f (u), cf_info(u) WHERE a.name = 'fixed' AND b.name = 'fixed too';
SELECT cf_count(u, 1) AS count, cf_count(cf_delete(u, 1), 1) AS after_delete, cf_cardinality(u), grows, bytes > cf_size(1000) AS counters
FROM parts e, LATERAL (SELECT cf_add_all(c, array_fill(1, ARRAY[6])) AS c FROM parts WHERE name = 'fixed') AS a,
    LATERAL (VALUES (a.c | e.c), (e.c | a.c)) AS f (u), cf_info(u) WHERE e.name = 'empty';
-- The errors.
SELECT a.b | b.b FROM parts a, parts b WHERE a.name = 'grows' AND b.name = 'fixed';
SELECT cf_union_agg(c) FROM parts WHERE name ~ '^fixed$|^no';
SELECT a.b | b.b FROM parts a, parts b WHERE a.name = 'other' AND b.name = 'fixed';
SELECT a.c | b.c FROM parts a, parts b WHERE a.name = 'fixed' AND b.name = 'much';
-- A full filter united with an empty one is unchanged, even if it holds slightly more than its capacity.
CREATE TABLE over AS
    SELECT cf_add_all(cf_create(1000, grow => false), ARRAY(SELECT generate_series(1, 1020))) AS c;
SELECT c | cf_create(1000, grow => false) = c AS right, cf_create(1000, grow => false) | c = c AS left FROM over;

-- In parallel, and over a window.
CREATE TABLE many AS
    SELECT n, bf_add_all(bf_create(1000, 0.01, 'integer', false), ARRAY(SELECT generate_series(n * 100, n * 100 + 99))) AS b,
        cf_add_all(cf_create(10000, 0.01, 'integer', false), ARRAY(SELECT generate_series(n * 100, n * 100 + 99))) AS c
    FROM generate_series(1, 60) n;
ALTER TABLE many SET (parallel_workers = 2);
CREATE TABLE serial AS SELECT bf_union_agg(b) AS b, cf_union_agg(c) AS c FROM many;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
SELECT bf_union_agg(m.b) = s.b AS b, cf_cardinality(cf_union_agg(m.c)) = cf_cardinality(s.c) AS c, (bf_info(s.b)).grows AS b_grows,
    (cf_info(cf_union_agg(m.c))).grows AS c_grows, cf_contains_all(cf_union_agg(m.c), ARRAY(SELECT generate_series(100, 6099))) AS c_all
FROM many AS m, serial AS s GROUP BY s.b, s.c;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET parallel_leader_participation;
SELECT n, (bf_info(b)).grows AS b_grows, (cf_info(c)).grows AS c_grows, bf_contains_all(b, v) AND cf_contains_all(c, v) AS all_found
FROM (SELECT n, bf_union_agg(b) OVER (ORDER BY n) AS b, cf_union_agg(c) OVER (ORDER BY n) AS c,
          ARRAY(SELECT generate_series(100, n * 100 + 99)) AS v FROM many WHERE n <= 5) AS w ORDER BY n;

-- An intersection does not grow if one of the two filters does not.
SELECT x.name, y.name, grows, layers, (SELECT count(*) FROM generate_series(601, 700) k WHERE NOT i @> k) AS missing,
    cardinality = bf_cardinality(y.b & x.b) AND NOT (bf_info(y.b & x.b)).grows AS from_the_right, cardinality > 0 AS holds
FROM (SELECT name, b | (SELECT b FROM parts WHERE name = 'third') AS b FROM parts WHERE name LIKE 'fixed%') AS x,
    parts AS y, LATERAL (SELECT x.b & y.b) AS f (i), bf_info(i)
WHERE y.name = 'grows' OR y.name = 'no layer' ORDER BY 1, 2;
SELECT a.b & b.b FROM parts a, parts b WHERE a.name = 'other' AND b.name = 'fixed';

-- A union of filters that grow may have a different size from both.
SELECT bytes = bf_size(1000) AS same_size
FROM parts AS x, parts AS y, bf_info(x.b | y.b) WHERE x.name = 'fixed' AND y.name = 'much';

-- A kind with a name, set by the first value, makes the image longer.
SELECT (bf_info(bf_add(bf_create(100, grow => false), ARRAY[1]))).grows,
    bf_add(bf_create(100, grow => false), ARRAY[1]) @> ARRAY[1] AS found,
    (bf_info(bf_create(100, 0.01, 'integer[]', false))).bytes = (bf_info(bf_add(bf_create(100, grow => false), ARRAY[1]))).bytes AS same_size;

-- The use of a fixed size: shards in rows that are updated in place. A row with a filter that grows outgrows its page.
CREATE TABLE seen (shard int PRIMARY KEY, keys bloomfilter NOT NULL) WITH (fillfactor = 50, autovacuum_enabled = off);
ALTER TABLE seen ALTER COLUMN keys SET STORAGE PLAIN;
INSERT INTO seen SELECT shard, bf_create(1000, of => 'text', grow => false) FROM generate_series(0, 7) AS shard;
CREATE TABLE places AS SELECT shard, (ctid::text::point)[0] AS page FROM seen;
CREATE FUNCTION keys_of(shard integer) RETURNS text[] LANGUAGE sql AS
    $$SELECT array_agg('key-' || n) FROM generate_series(1, 80000) n WHERE filter_hash('key-' || n) & 7 = shard$$;
UPDATE seen SET keys = bf_add_all(keys, keys_of(shard));
SELECT count(*) AS shards, bool_and(bf_contains_all(keys, keys_of(shard))) AS all_found,
    count(*) FILTER (WHERE pg_column_size(keys) = bf_size(1000)) AS same_size,
    count(*) FILTER (WHERE (seen.ctid::text::point)[0] = page) AS same_page, min(cardinality(keys_of(shard))) > 9000 AS many_keys
FROM seen JOIN places USING (shard);
\set VERBOSITY sqlstate
UPDATE seen SET keys = bf_add_all(bf_create(1000, of => 'text'), keys_of(shard));
\set VERBOSITY default

SET client_min_messages = warning;
DROP SCHEMA fixed_size CASCADE;
