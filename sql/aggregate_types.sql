--
-- The aggregates of a type by name give the same bytes as those of any type, and no other type resolves to a wrong one.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS cuckoo_filter;
CREATE SCHEMA aggregate_types;
SET search_path = aggregate_types, public;
RESET client_min_messages;

-- Aggregates of any type with other names, for which no type resolves to one by name.
CREATE AGGREGATE bf_any(anyelement) (SFUNC = bloomfilter_agg_transition, STYPE = internal,
    FINALFUNC = bloomfilter_agg_final, FINALFUNC_EXTRA);
CREATE AGGREGATE bf_any(anyelement, float8) (SFUNC = bloomfilter_agg_transition, STYPE = internal,
    FINALFUNC = bloomfilter_agg_final, FINALFUNC_EXTRA);
CREATE AGGREGATE bf_any(anyelement, float8, float8) (SFUNC = bloomfilter_agg_transition, STYPE = internal,
    FINALFUNC = bloomfilter_agg_final, FINALFUNC_EXTRA);
CREATE AGGREGATE cf_any(anyelement) (SFUNC = cuckoofilter_agg_transition, STYPE = internal,
    FINALFUNC = cuckoofilter_agg_final, FINALFUNC_EXTRA);
CREATE AGGREGATE cf_any(anyelement, float8) (SFUNC = cuckoofilter_agg_transition, STYPE = internal,
    FINALFUNC = cuckoofilter_agg_final, FINALFUNC_EXTRA);
CREATE AGGREGATE cf_any(anyelement, float8, float8) (SFUNC = cuckoofilter_agg_transition, STYPE = internal,
    FINALFUNC = cuckoofilter_agg_final, FINALFUNC_EXTRA);

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
        WHEN type IN ('date'::regtype, 'timestamptz'::regtype) THEN '(date ''2026-01-01'' + i)::' || type
        WHEN type = 'bytea'::regtype THEN 'i::text::bytea'
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
    'positive', 'word', 'short_word', 'oid', 'mood', 'numeric', 'real', 'double precision', 'date', 'timestamptz', 'bytea', 'boolean', 'integer[]']::regtype[])
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

-- A state as bytes, whatever it is in when it is serialized: every value is there, and its size depends on the values seen, not
-- on the capacity. Distributed databases make such aggregates of the support functions.
CREATE AGGREGATE bf_state(anyelement, float8) (SFUNC = bloomfilter_agg_transition, STYPE = internal,
    FINALFUNC = filter_agg_serialize);
CREATE AGGREGATE bf_state(bigint, float8) (SFUNC = bloomfilter_agg_transition, STYPE = internal,
    FINALFUNC = filter_agg_serialize);

SET client_min_messages = warning;
DROP SCHEMA aggregate_types CASCADE;
