--
-- What psql shows of functions: \df bf_* and \df cf_* list those for users and no others.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS cuckoo_filter;
CREATE SCHEMA psql_names;
SET search_path = psql_names, public;
RESET client_min_messages;

CREATE VIEW user_function AS
    SELECT p.*, obj_description(p.oid, 'pg_proc') AS comment
    FROM pg_depend JOIN pg_extension e ON refobjid = e.oid JOIN pg_proc p ON objid = p.oid
    WHERE refclassid = 'pg_extension'::regclass AND classid = 'pg_proc'::regclass AND deptype = 'e'
        AND extname = 'cuckoo_filter' AND proname ~ '^[bc]f_';

-- None of them is planner support, an estimator, part of an aggregate, or exists only for an operator.
SELECT oid::regprocedure AS internal FROM user_function
WHERE 'internal'::regtype = ANY (proargtypes) OR prorettype = 'internal'::regtype
    OR oid IN (SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn]) FROM pg_aggregate)
    OR oid IN (SELECT prosupport FROM pg_proc UNION SELECT oprrest FROM pg_operator UNION SELECT oprjoin FROM pg_operator)
    OR proname ~ '_contained';

-- Every argument has a name, which \df shows.
SELECT oid::regprocedure AS unnamed_arguments FROM user_function
WHERE pronargs > 0 AND (proargnames IS NULL OR '' = ANY (proargnames));

