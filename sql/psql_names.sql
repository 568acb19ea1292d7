--
-- What psql shows of functions: those whose names begin with an underscore are not for users, and all others are.
--
SET client_min_messages = warning;
CREATE EXTENSION cuckoo_filter_citus;
CREATE SCHEMA psql_names;
SET search_path = psql_names, public;
RESET client_min_messages;

CREATE VIEW member_function AS
    SELECT p.*, obj_description(p.oid, 'pg_proc') AS comment
    FROM pg_depend JOIN pg_extension e ON refobjid = e.oid JOIN pg_proc p ON objid = p.oid
    WHERE refclassid = 'pg_extension'::regclass AND classid = 'pg_proc'::regclass AND deptype = 'e'
        AND extname IN ('cuckoo_filter', 'cuckoo_filter_citus');
CREATE VIEW user_function AS SELECT * FROM member_function WHERE proname !~ '^_';

-- Functions that only the system calls: for types, planning, statistics, aggregates and indexes.
CREATE VIEW system_function AS
    SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend]::oid[]) AS oid FROM pg_type
    UNION SELECT prosupport FROM pg_proc
    UNION SELECT unnest(ARRAY[oprrest, oprjoin]::oid[]) FROM pg_operator
    UNION SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn]::oid[]) FROM pg_aggregate
    UNION SELECT amproc FROM pg_amproc
    UNION SELECT evtfoid FROM pg_event_trigger;
-- Users call those that merge two filters, too.
SELECT oid::regprocedure AS internal FROM user_function
WHERE 'internal'::regtype = ANY (proargtypes) OR prorettype = 'internal'::regtype
    OR oid IN (SELECT oid FROM system_function
        EXCEPT SELECT unnest(ARRAY[aggtransfn, aggcombinefn]::oid[]) FROM pg_aggregate WHERE aggtranstype <> 'internal'::regtype);
-- The others are behind operators and casts, or behind functions of cuckoo_filter_citus.
SELECT proname, count(*) FROM member_function
WHERE proname ~ '^_' AND oid NOT IN (SELECT oid FROM system_function) AND oid NOT IN (SELECT oprcode FROM pg_operator)
GROUP BY 1 ORDER BY 1;
SELECT oid::regprocedure AS only_for_operators FROM user_function
WHERE oid IN (SELECT oprcode FROM pg_operator) AND proname !~ '^[bc]f_(contains|union|intersection)$';
SELECT oid::regprocedure AS uncommented FROM user_function WHERE comment IS NULL;

-- Every argument has a name, which \df shows, except those of conversions.
SELECT oid::regprocedure AS unnamed_arguments FROM user_function
WHERE oid NOT IN (SELECT castfunc FROM pg_cast) AND pronargs > 0 AND (proargnames IS NULL OR '' = ANY (proargnames));

SET client_min_messages = warning;
DROP SCHEMA psql_names CASCADE;
DROP EXTENSION cuckoo_filter_citus;
