--
-- cuckoo_filter_citus without Citus: the aggregates of a type by name give the same bytes as those of any type, no other
-- type resolves to a wrong one, and filters of tables that are not distributed.
--
SET client_min_messages = warning;
CREATE EXTENSION cuckoo_filter_citus;
CREATE SCHEMA aggregate_types;
SET search_path = aggregate_types, public;
RESET client_min_messages;

-- Aggregates of any type with other names, for which no type resolves to one by name.
CREATE AGGREGATE bf_any(anyelement) (SFUNC = _bloomfilter_agg_transition, STYPE = internal,
    FINALFUNC = _bloomfilter_agg_final, FINALFUNC_EXTRA);
CREATE AGGREGATE bf_any(anyelement, float8) (SFUNC = _bloomfilter_agg_transition, STYPE = internal,
    FINALFUNC = _bloomfilter_agg_final, FINALFUNC_EXTRA);
CREATE AGGREGATE bf_any(anyelement, float8, float8) (SFUNC = _bloomfilter_agg_transition, STYPE = internal,
    FINALFUNC = _bloomfilter_agg_final, FINALFUNC_EXTRA);
CREATE AGGREGATE cf_any(anyelement) (SFUNC = _cuckoofilter_agg_transition, STYPE = internal,
    FINALFUNC = _cuckoofilter_agg_final, FINALFUNC_EXTRA);
CREATE AGGREGATE cf_any(anyelement, float8) (SFUNC = _cuckoofilter_agg_transition, STYPE = internal,
    FINALFUNC = _cuckoofilter_agg_final, FINALFUNC_EXTRA);
CREATE AGGREGATE cf_any(anyelement, float8, float8) (SFUNC = _cuckoofilter_agg_transition, STYPE = internal,
    FINALFUNC = _cuckoofilter_agg_final, FINALFUNC_EXTRA);

CREATE TYPE mood AS ENUM ('calm', 'angry');
CREATE DOMAIN positive AS bigint CHECK (VALUE > 0);
CREATE DOMAIN word AS text;
CREATE DOMAIN short_word AS varchar(9);
CREATE TABLE rows AS SELECT i FROM generate_series(1, 3000) i UNION ALL SELECT NULL;

-- Which aggregates a value of each type resolves to, and whether the filters of its values are the same: without
-- parameters, with a capacity, with a capacity and rate, in groups, as a window function, and without rows.
CREATE FUNCTION resolves(type regtype, OUT by_name text, OUT same boolean) LANGUAGE plpgsql AS $$
DECLARE
    value text := CASE WHEN type = 'mood'::regtype THEN $q$(CASE WHEN i > 9 THEN 'calm' ELSE 'angry' END)::mood$q$
        WHEN type = 'uuid'::regtype THEN 'md5(i::text)::uuid'
        WHEN type = '"char"'::regtype THEN 'chr(33 + i % 90)::"char"'
        WHEN type IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype) THEN '(date ''2026-01-01'' + i)::' || type
        WHEN type = 'bytea'::regtype THEN 'i::text::bytea'
        WHEN type = 'time'::regtype THEN 'time ''00:00'' + i * interval ''1 second'''
        WHEN type = 'boolean'::regtype THEN 'i > 5'
        WHEN type = 'integer[]'::regtype THEN 'ARRAY[i, 1]'
        ELSE 'i::text::' || type END;
BEGIN
    EXECUTE format('PREPARE resolved AS SELECT bf_agg(%s) FROM rows', value);
    DEALLOCATE resolved;
    EXECUTE format('CREATE VIEW resolved AS SELECT bf_agg(%s) FROM rows', value);
    SELECT coalesce(string_agg(p.proargtypes[0]::regtype::text, ', '), 'none') INTO by_name
    FROM pg_rewrite AS r JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
        JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
    WHERE r.ev_class = 'resolved'::regclass AND p.prokind = 'a';
    DROP VIEW resolved;
    EXECUTE format($q$
        SELECT (SELECT (bf_agg(v), bf_agg(v, 5000), bf_agg(v, NULL, 0.1), cf_agg(v), cf_agg(v, 5000), cf_agg(v, NULL, 0.1))::text =
                (bf_any(v), bf_any(v, 5000), bf_any(v, NULL, 0.1), cf_any(v), cf_any(v, 5000), cf_any(v, NULL, 0.1))::text
            FROM (SELECT %1$s AS v FROM rows) AS f)
            AND (SELECT bool_and(a = b AND c = d) AND count(*) = 7
                FROM (SELECT bf_agg(%1$s) AS a, bf_any(%1$s) AS b, cf_agg(%1$s, 100) AS c, cf_any(%1$s, 100) AS d FROM rows
                    WHERE i > 0 GROUP BY i %% 7) AS f)
            AND (SELECT bf_agg(v) OVER () = bf_any(v) OVER () FROM (SELECT %1$s AS v FROM rows) AS f LIMIT 1)
            AND (SELECT bf_agg(v) = bf_any(v) AND cf_agg(v, 9) = cf_any(v, 9) FROM (SELECT %1$s AS v FROM rows) AS f WHERE v IS NULL)
            AND (SELECT bf_agg(v) = bf_any(v) AND cf_agg(v, 9) = cf_any(v, 9) FROM (SELECT %1$s AS v FROM rows WHERE i < 0) AS f)
        $q$, value) INTO same;
END$$;
SELECT type, r.* FROM unnest(ARRAY['smallint', 'integer', 'bigint', 'text', 'varchar', 'varchar(20)', 'char(20)', 'bpchar', 'name', '"char"', 'uuid',
    'numeric', 'date', 'timestamp', 'timestamptz', 'bytea', 'positive', 'word', 'short_word', 'oid', 'mood', 'real', 'double precision', 'boolean', 'time', 'integer[]']::regtype[])
    WITH ORDINALITY AS t (type, n), resolves(type) AS r ORDER BY n;

-- An untyped value is an error, whatever the types of the other arguments.
CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN 'done';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END$$;
SELECT outcome(format('SELECT %s(%s%s)', aggregate, value, parameters)), count(*)
FROM unnest(ARRAY['bf_agg', 'cf_agg']) AS aggregate, unnest(ARRAY['NULL', '''apple''']) AS value,
    unnest(ARRAY['', ', NULL', ', 1000', ', 1000::bigint', ', 1e3', ', 1e3::float8', ', ''1000''', ', NULL, 0.1', ', 1000, 0.1',
        ', 1000::bigint, 0.1', ', 1e3, 0.1', ', 1e3::float8, 0.1', ', 1e3::float8, 0.1::float8', ', NULL, NULL', ', 1000, NULL',
        ', ''1000'', 0.1::float8']) AS parameters
GROUP BY 1;

-- The planner's estimate looks at the column below a cast.
CREATE TABLE keys AS SELECT i::bigint AS k, i::text::word AS w FROM generate_series(1, 1000) i;
ANALYZE keys;
CREATE FUNCTION estimate(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END$$;
SELECT estimate('SELECT * FROM keys WHERE bf_contains((SELECT bf_agg(k) FROM keys WHERE k <= 100), k)') BETWEEN 90 AND 130 AS by_key,
    estimate('SELECT * FROM keys WHERE bf_contains((SELECT bf_agg(w) FROM keys WHERE k <= 100), w)') BETWEEN 90 AND 130 AS by_domain;

-- A type whose equality is not that of text, although it is cast to text implicitly, as citext is: an error where it was
-- taken for text, even by an explicit cast, since a dumped view has explicit casts. With aggregates of its own, everything
-- is as without those of text.
SET client_min_messages = warning;
CREATE TYPE loose;
CREATE FUNCTION loose_in(cstring) RETURNS loose LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION loose_out(loose) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE loose (INPUT = loose_in, OUTPUT = loose_out, LIKE = text, CATEGORY = 'S', COLLATABLE = true);
RESET client_min_messages;
CREATE CAST (loose AS text) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (text AS loose) WITHOUT FUNCTION AS ASSIGNMENT;
CREATE FUNCTION loose_equal(loose, loose) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT lower($1::text) = lower($2::text)';
CREATE FUNCTION loose_cmp(loose, loose) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT bttextcmp(lower($1::text), lower($2::text))';
CREATE OPERATOR = (LEFTARG = loose, RIGHTARG = loose, FUNCTION = loose_equal, HASHES);
CREATE FUNCTION loose_hash(loose) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT hashtext(lower($1::text))';
CREATE FUNCTION loose_hash_extended(loose, bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT hashtextextended(lower($1::text), $2)';
CREATE OPERATOR CLASS loose_ops DEFAULT FOR TYPE loose USING btree AS OPERATOR 3 = (loose, loose), FUNCTION 1 loose_cmp(loose, loose);
CREATE OPERATOR CLASS loose_ops DEFAULT FOR TYPE loose USING hash AS
    OPERATOR 1 = (loose, loose), FUNCTION 1 loose_hash(loose), FUNCTION 2 loose_hash_extended(loose, bigint);
CREATE DOMAIN loose_word AS loose;
CREATE TABLE words AS
    SELECT ('Word' || i)::loose AS l, ('Word' || i)::loose::loose_word AS d, 'Word' || i AS t, i % 2 AS g
    FROM generate_series(1, 1000) i;
ANALYZE words;
CREATE VIEW calls AS SELECT * FROM unnest(ARRAY['bf_agg(l)', 'bf_agg(l, 5000)', 'cf_agg(l, NULL, 0.1)',
    'bf_agg(DISTINCT l::text)', 'bf_agg(l ORDER BY t)', 'bf_agg(l ORDER BY l::text)', 'bf_agg(l) FILTER (WHERE g = 1)', 'bf_agg(d)',
    'bf_agg(l::text)', 'bf_agg(''a''::loose)']) AS call;
SELECT outcome(format('SELECT %s FROM words %s', call, clause)), count(*)
FROM calls, unnest(ARRAY['', 'GROUP BY g', 'WHERE g = 1']) AS clause GROUP BY 1 ORDER BY 1;
SELECT outcome(format('SELECT %s OVER (PARTITION BY g) FROM words', call)), count(*)
FROM calls WHERE call !~ 'DISTINCT|ORDER|FILTER' GROUP BY 1 ORDER BY 1;
-- One node computes both of these, with one function: of which type the value of a call is, is not known.
SELECT outcome('SELECT bf_agg(l) OVER (), bf_agg(t) OVER () FROM words'), outcome('SELECT bf_agg(t) OVER (), bf_agg(l) OVER () FROM words');
SELECT outcome('SELECT bf_agg(t), cf_agg(t, 9), bf_agg(t || ''x''), bf_agg(DISTINCT t), bf_agg(lower(l::text)) FROM words GROUP BY g'),
    outcome('SELECT bf_agg(t) OVER (), cf_agg(t) OVER (ORDER BY g) FROM words'), outcome('SELECT bf_agg(''a''::varchar)'),
    outcome('SELECT bf_agg(l::varchar) FROM words');
SELECT bf_agg(l) FROM words;
SELECT bf_agg('a'::text);
SELECT filter_agg_for_type('loose');
SELECT outcome(format('SELECT %s FROM words %s', call, clause)), count(*)
FROM calls, unnest(ARRAY['', 'GROUP BY g', 'WHERE g = 1']) AS clause GROUP BY 1 ORDER BY 1;
SELECT bf_contains(bf_agg(l), 'WORD7'::loose) AS found, bf_contains(bf_agg(d), 'WORD7'::loose) AS by_domain,
    bf_contains(bf_agg('a'::loose), 'A'::loose) AS constant, bf_contains(bf_agg(l::text), 'Word7'::text) AS as_text,
    bf_contains(bf_agg('a'::text), 'a'::text) AS constant_text
FROM words;
SELECT count(*) FROM (SELECT bf_agg(l) OVER () AS b, bf_agg(t) OVER () AS b_text FROM words) AS w
WHERE b @> 'word7'::loose AND b_text @> 'Word7'::text;

-- A cast that changes the value.
SET client_min_messages = warning;
CREATE TYPE loud;
CREATE FUNCTION loud_in(cstring) RETURNS loud LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION loud_out(loud) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE loud (INPUT = loud_in, OUTPUT = loud_out, LIKE = text, CATEGORY = 'S', COLLATABLE = true);
RESET client_min_messages;
CREATE FUNCTION loud_text(loud) RETURNS text LANGUAGE internal IMMUTABLE STRICT AS 'upper';
CREATE CAST (loud AS text) WITH FUNCTION loud_text(loud) AS IMPLICIT;
SELECT bf_agg(v) FROM unnest(ARRAY['a', 'b']::loud[]) v;

-- Computed in parts, as by Citus: the same filters from the partitions of a table. Parallel workers only scan.
CREATE FUNCTION plan_has(query text, VARIADIC parts text[]) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN (SELECT bool_and(plan::text LIKE '%"' || part || '%') FROM unnest(parts) part);
END$$;
CREATE TABLE numbers (i integer, v integer, t text, g integer, h integer) PARTITION BY LIST (g);
CREATE TABLE numbers_1 PARTITION OF numbers FOR VALUES IN (0, 1, 2) WITH (parallel_workers = 2);
CREATE TABLE numbers_2 PARTITION OF numbers FOR VALUES IN (3, 4) WITH (parallel_workers = 2);
CREATE TABLE numbers_3 PARTITION OF numbers FOR VALUES IN (5, 6) WITH (parallel_workers = 2);
INSERT INTO numbers SELECT i, i % 30000, 'value ' || i % 30000, i % 7, i % 3 FROM generate_series(1, 60000) i;
ANALYZE numbers;
CREATE TABLE expected AS
    SELECT h, bf_any(v) AS b, bf_any(t) AS b_text, bf_any(v, 40000) AS b_capacity, bf_any(v, 2000) AS b_outgrown,
        bf_any(v, NULL, 0.0001) AS b_rate, cf_any(v) AS c, cf_any(t) AS c_text, cf_any(v, 40000) AS c_capacity, cf_any(v, NULL, 0.0001) AS c_rate
    FROM numbers GROUP BY GROUPING SETS ((h), ());
CREATE VIEW all_values AS
    SELECT NULL::integer AS h, bf_agg(v) AS b, bf_agg(t) AS b_text, bf_agg(v, 40000) AS b_capacity, bf_agg(v, 2000) AS b_outgrown,
        bf_agg(v, NULL, 0.0001) AS b_rate, cf_agg(v) AS c, cf_agg(t) AS c_text, cf_agg(v, 40000) AS c_capacity, cf_agg(v, NULL, 0.0001) AS c_rate
    FROM numbers;
CREATE VIEW by_group AS
    SELECT h, bf_agg(v) AS b, bf_agg(t) AS b_text, bf_agg(v, 40000) AS b_capacity, bf_agg(v, 2000) AS b_outgrown,
        bf_agg(v, NULL, 0.0001) AS b_rate, cf_agg(v) AS c, cf_agg(t) AS c_text, cf_agg(v, 40000) AS c_capacity, cf_agg(v, NULL, 0.0001) AS c_rate
    FROM numbers GROUP BY h;
CREATE FUNCTION same(OUT same bigint, OUT of bigint) LANGUAGE sql AS $$
    SELECT count(*) FILTER (WHERE p::text = e::text), count(*)
    FROM (TABLE all_values UNION ALL TABLE by_group) AS p FULL JOIN expected AS e ON coalesce(p.h, -1) = coalesce(e.h, -1)
$$;
CREATE AGGREGATE bf_serialized(value anyelement, capacity float8) (
    SFUNC = _bloomfilter_agg_transition, STYPE = internal, FINALFUNC = _citus_agg_serialize, COMBINEFUNC = _citus_agg_combine,
    SERIALFUNC = _citus_agg_serialize, DESERIALFUNC = _citus_agg_deserialize, PARALLEL = SAFE);
CREATE VIEW states AS
    SELECT length(bf_serialized(i, NULL)) = 29 + 8 * count(DISTINCT i) AS free,
        length(bf_serialized(i, 50000)) = 29 + 8 * count(DISTINCT i) AS with_capacity FROM numbers_1;
CREATE FUNCTION parameters(f bloomfilter) RETURNS text LANGUAGE sql AS $$SELECT format('%s at %s', capacity, requested_fpr) FROM bf_info(f)$$;
CREATE FUNCTION parameters(f cuckoofilter) RETURNS text LANGUAGE sql AS $$SELECT format('%s at %s', capacity, requested_fpr) FROM cf_info(f)$$;

SET max_parallel_workers_per_gather = 4;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
SET work_mem = '16MB';
SELECT plan_has('SELECT * FROM all_values', 'Gather', 'Simple"') AS all_values, plan_has('SELECT * FROM by_group', 'Gather', 'Simple"') AS by_group;
SELECT * FROM same();
SET max_parallel_workers_per_gather = 0;
SET enable_partitionwise_aggregate = on;
SELECT plan_has('SELECT * FROM all_values', 'Append"', 'Partial"', 'Finalize"') AS all_values,
    plan_has('SELECT * FROM by_group', 'Append"', 'Partial"', 'Finalize"') AS by_group;
SELECT * FROM same();
SET work_mem = '64kB';
SELECT * FROM same();
-- Partitions without a row, and one that has only NULLs.
SELECT bf_agg(v) = bf_create(NULL, of => 'bigint') AS b, cf_agg(v) = cf_create(NULL, of => 'integer') AS c FROM numbers WHERE i < 0;
SELECT bf_agg(CASE WHEN i = 1 THEN v END) = bf_add(bf_create(1), 1) AS b, cf_agg(CASE WHEN i = 1 THEN v END) = cf_add(cf_create(1), 1) AS c
FROM numbers;
\set VERBOSITY sqlstate
SELECT bf_agg(v, v) FROM numbers;
SELECT bf_agg(v, CASE WHEN g < 3 THEN 100 ELSE 200 END) FROM numbers;
SELECT cf_agg(v, 0) FROM numbers;
SELECT bf_agg(v, 100, 2) FROM numbers;
\set VERBOSITY default
SELECT parameters(bf_agg(i, 100, 0.001)) AS b, parameters(cf_agg(i, 200, 0.001)) AS c, parameters(cf_agg(i, (SELECT 300))) AS computed
FROM numbers WHERE i % 10 > 10;
SELECT i % 2 AS half, parameters(bf_agg(i, 100, 0.001) FILTER (WHERE i < 0)) AS b, parameters(cf_agg(i, 200, 0.001) FILTER (WHERE i < 0)) AS c
FROM numbers GROUP BY i % 2 ORDER BY half;
RESET enable_partitionwise_aggregate;
SET work_mem = '16MB';
-- A state that is serialized has all hashes once. One that has become a filter, as it may if nothing shows that it will be
-- handed over, is refused.
SELECT * FROM states;
SET work_mem = '64kB';
SELECT free FROM states;
SELECT with_capacity FROM states;
SET max_parallel_workers_per_gather = 4;
SELECT * FROM states;
RESET work_mem;
SELECT length(bf_serialized(i % 60000, NULL)) = 29 + 8 * 60000 AS of_all,
    length(bf_serialized(CASE WHEN i > 60000 AND i % 3 = 0 THEN 0 ELSE i END, NULL)) = 29 + 8 * 140001 AS of_one
FROM generate_series(1, 180000) i;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET parallel_leader_participation;

-- Filters of tables that are not distributed.
CREATE TABLE "Odd "" Table" AS SELECT i AS "Odd '; -- Column", i::text AS t, i % 2 AS g FROM generate_series(1, 1000) i;
SELECT bf_agg_distributed('"Odd "" Table"', 'Odd ''; -- Column') = bf_agg("Odd '; -- Column") AS b,
    cf_agg_distributed('"Odd "" Table"', 't', 5000, 0.001) = cf_agg(t, 5000, 0.001) AS c,
    bf_agg_distributed('"Odd "" Table"', 't', 100, 0.001, 'g = 1 -- odd ones') = bf_agg(t, 100, 0.001) FILTER (WHERE g = 1) AS condition
FROM "Odd "" Table";
\set VERBOSITY terse
SELECT bf_agg_distributed('words', 'nothing');
SELECT bf_agg_distributed('words', NULL);
\set VERBOSITY sqlstate
SELECT bf_agg_distributed('words', 'g', 0);
SELECT bf_agg_distributed('words', 'g', condition => 'nothing');
CREATE ROLE regress_filter_stranger;
GRANT USAGE ON SCHEMA aggregate_types TO regress_filter_stranger;
GRANT SELECT (g) ON words TO regress_filter_stranger;
SET ROLE regress_filter_stranger;
SELECT bf_agg_distributed('words', 't');
SELECT bf_agg_distributed('words', 'g', condition => 't = ''Word7''');
SELECT bf_agg_distributed('words', 'g') @> 1;
SELECT filter_agg_for_type('date');
RESET ROLE;
-- No one can pass a state to the functions that trust it, and only a superuser can create an aggregate that does.
-- Minor releases raise one of two errors.
SELECT call, outcome('SELECT ' || call) IN ('0A000', '42883') AS fails
FROM unnest(ARRAY['_citus_agg_combine(NULL, NULL)', '_citus_agg_serialize(NULL)', '_citus_agg_deserialize('''', NULL)']) AS call;
GRANT CREATE ON SCHEMA aggregate_types TO regress_filter_stranger;
SET ROLE regress_filter_stranger;
SELECT outcome(format('CREATE AGGREGATE mine(%s) (SFUNC = %s, STYPE = %s%s)', input, sfunc, type, rest)), count(*)
FROM (VALUES ('internal', '_citus_agg_combine'), ('bytea', '_citus_agg_combine'), ('bytea', '_citus_agg_deserialize'),
        ('integer', '_citus_bloom_agg_transition')) AS s (input, sfunc),
    unnest(ARRAY['internal', 'bytea', 'bigint', 'bloomfilter', 'anyelement', 'cstring', 'text', 'record']) AS type,
    unnest(ARRAY['', ', FINALFUNC = _bloomfilter_agg_final', ', COMBINEFUNC = _citus_agg_combine, SERIALFUNC = _citus_agg_serialize, '
        'DESERIALFUNC = _citus_agg_deserialize']) AS rest
GROUP BY 1;
RESET ROLE;
\set VERBOSITY default

SET client_min_messages = warning;
DROP SCHEMA aggregate_types CASCADE;
DROP EXTENSION cuckoo_filter_citus;
DROP ROLE regress_filter_stranger;
