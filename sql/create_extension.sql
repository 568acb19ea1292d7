--
-- The objects that CREATE EXTENSION creates, the schemas where it can be installed, and who may do it.
--
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS cuckoo_filter;
CREATE SCHEMA filters;
CREATE SCHEMA elsewhere;
CREATE SCHEMA hostile;

-- The extension looks up nothing by search_path, during creation or later. The path is empty here, then full of traps.
SET search_path = '';
CREATE EXTENSION cuckoo_filter WITH SCHEMA filters;
SELECT filters.bf_contains(filters.bf_agg(i), 7), filters.cf_contains(filters.cf_agg(i), 7),
    filters.bf_agg(i) OPERATOR(filters.@>) 7, 7 OPERATOR(filters.<@) filters.cf_agg(i)
FROM pg_catalog.generate_series(1, 10) i;

CREATE FUNCTION hostile.trap() RETURNS void LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE DOMAIN hostile.text AS pg_catalog.text CHECK (false);
CREATE DOMAIN hostile.bytea AS pg_catalog.bytea CHECK (false);
CREATE DOMAIN hostile.bloomfilter AS pg_catalog.text CHECK (false);
CREATE FUNCTION hostile.bf_contains(filters.bloomfilter, anyelement) RETURNS boolean LANGUAGE sql
    AS 'SELECT NULL::boolean FROM hostile.trap()';
CREATE FUNCTION hostile.bf_union(filters.bloomfilter, filters.bloomfilter) RETURNS filters.bloomfilter LANGUAGE sql
    AS 'SELECT NULL::filters.bloomfilter FROM hostile.trap()';
CREATE FUNCTION hostile.hashtext(pg_catalog.text) RETURNS integer LANGUAGE sql
    AS 'SELECT NULL::integer FROM hostile.trap()';
SET search_path = hostile, pg_catalog, filters;
SELECT filters.bf_agg('x'::pg_catalog.text) @> 'x', filters.bf_agg('1 day'::interval) @> '24:00'::interval,
    (filters.bf_agg(1) | filters.bf_agg(2)) @> 2;

-- Created with traps in the target schema itself.
DROP SCHEMA hostile CASCADE;
DROP EXTENSION cuckoo_filter;
CREATE SCHEMA hostile;
CREATE DOMAIN hostile.text AS pg_catalog.text CHECK (false);
CREATE DOMAIN hostile.bytea AS pg_catalog.bytea CHECK (false);
CREATE DOMAIN hostile.bigint AS pg_catalog.int8 CHECK (false);
CREATE DOMAIN hostile.anyelement AS pg_catalog.int8 CHECK (false);
SET search_path = hostile, pg_catalog;
CREATE EXTENSION cuckoo_filter WITH SCHEMA hostile;
SELECT bf_contains(bf_create(10)::pg_catalog.bytea::bloomfilter, 'x') AS false,
    cf_cardinality(cf_agg('x'::name)) AS one;
DROP EXTENSION cuckoo_filter;

-- Relocatable, while filters are stored and a view uses its functions.
SET search_path = public;
CREATE EXTENSION cuckoo_filter WITH SCHEMA filters;
CREATE TABLE public.stored AS
    SELECT filters.bf_agg(i) AS b, filters.cf_agg(i) AS c FROM generate_series(1, 100) i;
CREATE VIEW public.hits AS
    SELECT count(*) AS hits FROM public.stored, generate_series(1, 100) i
    WHERE filters.bf_contains(b, i) AND c OPERATOR(filters.@>) i;
ALTER EXTENSION cuckoo_filter SET SCHEMA elsewhere;
SELECT * FROM public.hits;
SELECT elsewhere.cf_cardinality(elsewhere.cf_add(c, 101)) FROM public.stored;
SELECT elsewhere.bf_contains(b, '50') FROM public.stored;

-- The extension cannot be dropped while something uses it.
\set VERBOSITY sqlstate
DROP EXTENSION cuckoo_filter;
\set VERBOSITY default
DROP VIEW public.hits;
DROP TABLE public.stored;
DROP EXTENSION cuckoo_filter;
SELECT count(*) FROM pg_type WHERE typname LIKE '%filter%';

-- Trusted: anyone with CREATE on the database can install it, without a superuser. Anyone can then use it.
CREATE ROLE regress_filter_owner;
CREATE ROLE regress_filter_user;
DO $$BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_filter_owner', current_database()); END$$;
SET ROLE regress_filter_user;
\set VERBOSITY sqlstate
CREATE EXTENSION cuckoo_filter WITH SCHEMA public;
\set VERBOSITY default
SET ROLE regress_filter_owner;
CREATE SCHEMA regress_filters;
CREATE EXTENSION cuckoo_filter WITH SCHEMA regress_filters;
GRANT USAGE ON SCHEMA regress_filters TO regress_filter_user;
SELECT extowner::regrole, extrelocatable, extversion FROM pg_extension WHERE extname = 'cuckoo_filter';
SET ROLE regress_filter_user;
SELECT regress_filters.bf_contains(regress_filters.bf_agg(i), 3),
    regress_filters.cf_cardinality(regress_filters.cf_agg(i))
FROM generate_series(1, 5) i;
RESET ROLE;
DROP EXTENSION cuckoo_filter;
DROP SCHEMA regress_filters;
DO $$BEGIN EXECUTE format('REVOKE CREATE ON DATABASE %I FROM regress_filter_owner', current_database()); END$$;
DROP ROLE regress_filter_owner, regress_filter_user;

--
-- Every object of the extension, by the catalogs.
--
CREATE EXTENSION cuckoo_filter WITH SCHEMA public;
CREATE VIEW member AS
    SELECT classid, objid FROM pg_depend JOIN pg_extension e ON refobjid = e.oid
    WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND extname = 'cuckoo_filter';
CREATE VIEW member_function AS
    SELECT p.* FROM member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid;

-- The functions for users.
SELECT proname, array_to_string(proargtypes::oid[]::regtype[], ', ') AS arguments, prorettype::regtype AS result
FROM member_function
WHERE proname !~ '^_'
ORDER BY proname COLLATE "C", array_to_string(proargtypes::oid[]::regtype[], ', ') COLLATE "C";

-- The operators, each with its commutator.
SELECT o.oid::regoperator AS operator, o.oprcode, o.oprcom::regoperator AS commutator
FROM member JOIN pg_operator o ON classid = 'pg_operator'::regclass AND objid = o.oid
ORDER BY o.oprname COLLATE "C", o.oprleft::regtype::text COLLATE "C", o.oprright::regtype::text COLLATE "C";

-- No object for users without a comment: \df+, \do+ and \dT+ show it.
SELECT pg_describe_object(classid, objid, 0) AS uncommented
FROM member
WHERE obj_description(objid, classid::regclass::name) IS NULL
    AND objid NOT IN (SELECT typarray FROM pg_type UNION SELECT oid FROM pg_proc WHERE proname ~ '^_')
    AND classid NOT IN ('pg_opclass'::regclass, 'pg_opfamily'::regclass);

-- All are parallel safe. All are immutable except the binary conversions of the literal type, which depend on the
-- client's encoding as those of text do; its input function, which the planner must not evaluate for a value of another
-- type; and functions that read a date or time, which depend on the session.
SELECT oid::regprocedure AS not_parallel_safe FROM member_function WHERE proparallel <> 's';
SELECT oid::regprocedure AS not_immutable, provolatile FROM member_function WHERE provolatile <> 'i'
ORDER BY oid::regprocedure::text COLLATE "C";

-- A function that is not STRICT handles NULL itself: a NULL value leaves a filter unchanged, a NULL capacity is
-- determined from the data, and an aggregate skips NULLs.
SELECT DISTINCT proname::text COLLATE "C" AS not_strict
FROM member_function WHERE NOT proisstrict AND prokind = 'f' ORDER BY 1;

-- Every aggregate declares the size of its state. If that is a filter, the aggregate can be computed in parts; an internal
-- state needs a function that makes the result.
SELECT a.aggfnoid AS incomplete
FROM member_function JOIN pg_aggregate a ON a.aggfnoid = oid
WHERE aggtransspace = 0 OR CASE aggtranstype WHEN 'internal'::regtype THEN aggfinalfn = 0 ELSE aggcombinefn = 0 END;

-- A caller cannot construct an aggregate's state, unless it is a filter.
SELECT aggtranstype::regtype AS state, count(*) AS aggregates
FROM member_function JOIN pg_aggregate a ON a.aggfnoid = oid GROUP BY aggtranstype ORDER BY aggtranstype::regtype::text COLLATE "C";
SELECT oid::regprocedure AS callable_by_hand
FROM member_function
WHERE prokind = 'f' AND proname ~ '_agg_' AND NOT 'internal'::regtype = ANY (proargtypes) AND proargtypes[0] <> prorettype;

-- Filters do not compress and are read in part: they are stored out of line, uncompressed.
SELECT typname, typlen, typbyval, typalign, typstorage, typcategory
FROM member JOIN pg_type t ON classid = 'pg_type'::regclass AND objid = t.oid
WHERE typcategory <> 'A' ORDER BY typname COLLATE "C";

-- No cast is implicit.
SELECT castsource::regtype, casttarget::regtype, castcontext, castmethod
FROM member JOIN pg_cast c ON classid = 'pg_cast'::regclass AND objid = c.oid
ORDER BY castsource::regtype::text COLLATE "C", casttarget::regtype::text COLLATE "C";

DROP VIEW member_function, member;
DROP SCHEMA filters, elsewhere, hostile CASCADE;
