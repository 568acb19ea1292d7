--
-- No SQL call crashes the server or causes an internal error, whatever its arguments: every function with every kind
-- of argument, and in every place where a function or an operator can occur.
--
SET client_min_messages = warning;
CREATE SCHEMA any_arguments;
SET search_path = any_arguments, public;
SET bytea_output = 'hex';

CREATE TYPE mood AS ENUM ('calm', 'angry');
CREATE TYPE place AS (x integer, name text);
CREATE TYPE nested AS (at place, places place[]);
CREATE DOMAIN positive AS bigint CHECK (VALUE > 0);
CREATE DOMAIN known AS bloomfilter;

-- Stored, the first out of line.
CREATE TABLE stored AS SELECT bf_agg(i) AS b, cf_agg(i) AS c FROM generate_series(1, 20000) i
    UNION ALL SELECT bf_add_all(bf_create(1), array_agg(i)), cf_agg(i) FROM generate_series(1, 3) i;
-- An image that no function makes, with all bits set.
CREATE FUNCTION full_bloom() RETURNS bloomfilter IMMUTABLE LANGUAGE sql AS $$
    SELECT (substring(image FOR 48) || decode(repeat('ff', length(image) - 48), 'hex'))::bloomfilter
    FROM (SELECT bf_add(bf_create(100), 1)::bytea AS image) AS one
$$;

--
-- The calls and their arguments.
--
CREATE TABLE arguments (type regtype, argument text);
INSERT INTO arguments
SELECT 'bloomfilter'::regtype, argument FROM unnest(ARRAY[
    'NULL::bloomfilter', 'bf_create(NULL)', 'bf_create(1)', 'bf_create(1, 0.5)::known', 'full_bloom()',
    '(SELECT bf_agg(i) FROM generate_series(-5, 5) i)', '(SELECT bf_agg(i::text) FROM generate_series(1, 3) i)',
    'bf_add(bf_create(1), ''calm''::mood)', 'bf_add(bf_create(1), 1.5)', 'bf_add(bf_create(1), interval ''1 day'')',
    'bf_add(bf_create(1), ROW(1, ''a''))',
    'bf_add_all(bf_create(2), ARRAY(SELECT i::float8 FROM generate_series(1, 90) i))',
    'bf_add_all(bf_create(1, grow => false), ARRAY[-5, 5])', '(SELECT b FROM stored LIMIT 1)']) argument
UNION ALL
SELECT 'cuckoofilter'::regtype, argument FROM unnest(ARRAY[
    'NULL::cuckoofilter', 'cf_create(NULL)', 'cf_create(1)', 'cf_create(1, 1e-7)',
    '(SELECT cf_agg(i) FROM generate_series(-5, 5) i)', '(SELECT cf_agg(i::text) FROM generate_series(1, 3) i)',
    'cf_add(cf_create(1), ''calm''::mood)', 'cf_add(cf_create(1), 1.5)', 'cf_add(cf_create(1), interval ''1 day'')',
    'cf_add_all(cf_create(1), array_fill(7, ARRAY[9]))', 'cf_add(cf_create(1), ROW(1, ''a'')::place)',
    'cf_add_all(cf_create(2), ARRAY(SELECT i::float8 FROM generate_series(1, 90) i))',
    'cf_add(cf_create(1, grow => false), 2147483647)', '(SELECT c FROM stored LIMIT 1)']) argument
UNION ALL
SELECT 'anyelement'::regtype, argument FROM unnest(ARRAY[
    'NULL::integer', 'NULL::text', 'NULL::place', 'NULL::point', '(-32768)::smallint', '2147483647',
    '(-9223372036854775808)', '9223372036854775807', '1::positive', '''NaN''::float8', '''-Infinity''::real',
    '1e-320::float8',
    '''-0''::float8', '''NaN''::numeric', '1e-16000::numeric', '9e999::numeric', '''''::text',
    'repeat(''x'', 1000000)', '''a''::"char"',
    '''a''::name', '''a ''::char(9)', '''\x''::bytea', 'true', '''infinity''::date', '''-infinity''::timestamptz',
    '''24:00''::time',
    '''calm''::mood', '''00000000-0000-0000-0000-000000000000''::uuid', 'ROW()', 'ROW(NULL)', 'ROW(1, ROW(2, ''x''))',
    'ROW(1, point(1, 1))', 'ROW(1, ''a'')::place', 'ROW(ROW(1, NULL), ARRAY[ROW(2, ''x'')]::place[])::nested',
    'point(1, 1)',
    '''pg_class''::regclass', '''1''::oid', '''(0,1)''::tid', '''{}''::jsonb', '''{}''::json', '''<a/>''::xml',
    'numrange(1, NULL)',
    '''empty''::int4range', '''1 2''::int2vector', '''1 2''::oidvector', 'ARRAY[]::integer[]',
    'ARRAY[[1, NULL], [3, 4]]',
    'array_fill(1, ARRAY[2, 2, 2, 2, 2, 2])', 'ARRAY[point(1, 1)]', 'ARRAY[''calm''::mood]', 'bf_create(1)',
    'cf_create(NULL)',
    '''x''::filter_literal', '''x''::cstring', '''@''::tsvector', 'B''1''', '''1''::money',
    'txid_current_snapshot()']) argument
UNION ALL
SELECT 'anyarray'::regtype, argument FROM unnest(ARRAY[
    'NULL::integer[]', 'NULL::text[]', '''{}''::bigint[]', 'ARRAY[NULL]::bigint[]', 'ARRAY[NULL, NULL]::text[]',
    'ARRAY[1, -2147483648]', 'ARRAY[[1, 2], [3, NULL]]', '''[-5:-4]={1,2}''::bigint[]',
    'array_fill(NULL::integer, ARRAY[50, 50])',
    'ARRAY(SELECT i::float8 FROM generate_series(1, 5000) i)', 'ARRAY[''NaN'', ''-0'', ''1e-320'']::float8[]',
    'ARRAY[''a'', '''']',
    'ARRAY[''calm'']::mood[]', 'ARRAY[1, NULL]::positive[]', 'ARRAY[ROW(1, ''a''), NULL]::place[]',
    'ARRAY[ROW(1, 2), ROW(1, ''x'')]',
    'ARRAY[point(1, 1)]', 'ARRAY[''pg_class'']::regclass[]', 'ARRAY[bf_create(1)]', '''1 2''::int2vector',
    '''1 2''::oidvector',
    'ARRAY[interval ''1 day'']', 'ARRAY[''x''::filter_literal]', 'ARRAY[''\x'']::bytea[]',
    -- an anyarray column
    '(SELECT most_common_vals FROM pg_stats WHERE most_common_vals IS NOT NULL LIMIT 1)']) argument
UNION ALL
SELECT 'filter_literal'::regtype, argument FROM unnest(ARRAY[
    '''''', '''1''', '''NaN''', '''calm''', '''99999999999999999999''', '''1 day''', '''\x0''', '''t''', 'NULL',
    'repeat(''1'', 100000)::filter_literal']) argument
UNION ALL
SELECT 'bigint'::regtype, argument FROM unnest(ARRAY['NULL::bigint', '0', '1', '-1', '32', '100000000000',
    '9223372036854775807',
    '(-9223372036854775808)::bigint']) argument
UNION ALL
SELECT 'float8'::regtype, argument FROM unnest(ARRAY['NULL::float8', '0', '''-0''::float8', '1e-320::float8', '1e-7',
    '0.5', '0.5000001', '1', '-1', '100', '1000000000',
    '''NaN''::float8', '''Infinity''::float8', '''-Infinity''::float8']) argument
UNION ALL
SELECT 'bytea'::regtype, argument FROM unnest(ARRAY['NULL::bytea', '''\x''::bytea', '''\x00''::bytea',
    '''\x636b666c''::bytea',
    'decode(repeat(''ff'', 5000), ''hex'')', 'decode(repeat(''00'', 5000), ''hex'')', 'bf_create(1)::bytea',
    'cf_create(NULL)::bytea',
    'substring(bf_create(9)::bytea FOR 30)', 'cf_create(9)::bytea || ''\x00''']) argument
UNION ALL
SELECT 'cstring'::regtype, argument FROM unnest(ARRAY['NULL::cstring', '''''::cstring', '''=''::cstring',
    '''AAAA''::cstring',
    'repeat(''A'', 100000)::cstring', '''Y2tmbAEBAQA=''::cstring', 'bf_create(1)::text::cstring',
    'cf_create(1)::text::cstring']) argument
UNION ALL
SELECT 'regtype'::regtype, argument FROM unnest(ARRAY['NULL::regtype', '''text''', '''char(9)''', '''numeric[]''',
    '''place''', '''record''', '''anyelement''', '''point''', '''regclass''', '''internal''', '0', '99999999', '''bloomfilter''']) argument
UNION ALL
SELECT 'boolean'::regtype, argument FROM unnest(ARRAY['NULL::boolean', 'true', 'false']) argument
UNION ALL
SELECT 'text'::regtype, argument FROM unnest(ARRAY['NULL::text', '''''::text', '''=''::text', 'repeat(''A'', 100000)',
    'bf_create(1)::text', 'cf_create(9)::text', 'cf_create(1)::text || ''AAAA''']) argument
UNION ALL
SELECT type, 'NULL::' || type FROM unnest(ARRAY['internal', 'oid', 'integer', 'smallint']::regtype[]) type
UNION ALL VALUES ('internal'::regtype, 'NULL'), ('internal', '''x''::internal'), ('internal', '0::bigint::internal'),
    ('oid', '1::oid'), ('integer', '0'), ('smallint', '1::smallint');
-- The values compared with an untyped parameter.
INSERT INTO arguments
SELECT type, argument
FROM unnest(ARRAY['numeric', 'real', 'boolean', 'uuid', 'character', 'date', 'time', 'timestamp', 'timestamptz', 'name']::regtype[],
        ARRAY['1.0', '1', 'true', '00000000-0000-0000-0000-000000000000', 'calm', 'infinity', '24:00', '-infinity', 'epoch', 'calm'])
    AS v (type, value),
    LATERAL (VALUES (format('%L::%s', value, type)), (format('NULL::%s', type))) AS a (argument);
ANALYZE stored;
ANALYZE arguments;

CREATE TABLE functions AS
    SELECT p.oid, proname, prokind, ARRAY(SELECT unnest(proargtypes)::regtype) AS types,
        'internal'::regtype = ANY (proargtypes::oid[]) AS internal
    FROM pg_depend JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid
    WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'cuckoo_filter');
SELECT count(*) > 80 AS many, bool_and(type IN (SELECT type FROM arguments)) AS all_covered
FROM functions, unnest(types) type;

-- All pairs of the first two arguments; the others vary with them.
CREATE TABLE calls AS
    SELECT f.oid, f.proname, f.prokind, f.internal,
        format('%s(%s)', f.proname, concat_ws(', ', a.argument, b.argument, c.argument, d.argument, e.argument))
            AS call
    FROM functions f
    LEFT JOIN arguments a ON a.type = types[1]
    LEFT JOIN arguments b ON b.type = types[2]
    LEFT JOIN LATERAL (SELECT argument, row_number() OVER () AS n, count(*) OVER () AS of FROM arguments
        WHERE type = types[3]) c
        ON n = 1 + (length(a.argument) + length(b.argument)) % of
    LEFT JOIN LATERAL (SELECT argument, row_number() OVER () AS n, count(*) OVER () AS of FROM arguments
        WHERE type = types[4]) d
        ON d.n = 1 + (length(a.argument) * 3 + length(b.argument)) % d.of
    LEFT JOIN LATERAL (SELECT argument FROM arguments WHERE type = types[5] LIMIT 1) e ON true;

CREATE FUNCTION outcome(command text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE command;
    RETURN 'done';
EXCEPTION WHEN OTHERS THEN
    RETURN CASE WHEN SQLSTATE LIKE 'XX%' THEN SQLSTATE || ' ' || SQLERRM ELSE SQLSTATE END;
END$$;

-- Functions with internal arguments, that is, states, support and estimators, cannot be called. (The error depends on
-- the minor version.)
SELECT outcome('SELECT ' || call) IN ('0A000', '42846', '42883') AS refused, count(DISTINCT oid) AS functions
FROM calls WHERE internal GROUP BY 1;
SELECT count(*) AS internal FROM functions WHERE internal;

-- All others. 42804: another kind of value. 22023, 54000: a bad parameter, too large. 22P02, 22P03, 22003: not a
-- filter or number. 42883: no hash operator class. 42P18: the type is unknown. 0A000: a type that filters do not hold.
CREATE TABLE outcomes AS
    SELECT proname, prokind, call,
        outcome('SELECT ' || call || CASE prokind WHEN 'a' THEN ' FROM generate_series(1, 2)' ELSE '' END) AS outcome
    FROM calls WHERE NOT internal;
-- Without libxml, a value of type xml is an error that no function causes.
SELECT proname, string_agg(outcome, ' ' ORDER BY outcome COLLATE "C") AS outcomes
FROM (SELECT DISTINCT proname, outcome FROM outcomes WHERE call NOT LIKE '%::xml%') AS o
GROUP BY 1 ORDER BY proname COLLATE "C";
SELECT outcome, call FROM outcomes WHERE outcome LIKE 'XX%' OR outcome ~ '^(42601|42703)' LIMIT 20;
SELECT count(*) > 10000 AS many FROM outcomes;
-- Each function succeeded at least once.
SELECT proname FROM outcomes GROUP BY 1 HAVING NOT bool_or(outcome = 'done');

-- Window frames that move, DISTINCT, FILTER and ORDER BY, for every aggregate.
SELECT outcome, count(DISTINCT proname) AS aggregates
FROM (SELECT proname, outcome(format('SELECT %s%s FROM generate_series(1, 3) g', call, clause))
    FROM calls, unnest(ARRAY[' OVER (ORDER BY g ROWS 1 PRECEDING)', ' OVER (PARTITION BY g)',
        ' FILTER (WHERE g > 2)', ' FILTER (WHERE false)']) clause
    WHERE prokind = 'a') AS o
GROUP BY 1 ORDER BY 1;

-- VARIADIC is for functions that are declared so, OVER for aggregates and window functions, WITHIN GROUP for others.
SELECT outcome(command), command FROM unnest(ARRAY[
    'SELECT bf_add_all(bf_create(1), VARIADIC ARRAY[1])', 'SELECT bf_agg(VARIADIC ARRAY[1])',
    'SELECT bf_contains(bf_create(1), 1) OVER ()',
    'SELECT bf_agg() WITHIN GROUP (ORDER BY 1)', 'SELECT cf_agg(1, 1) WITHIN GROUP (ORDER BY 1)',
    'SELECT bf_agg(*) FROM stored',
    'SELECT bf_agg(DISTINCT i, 1 ORDER BY i) FROM generate_series(1, 3) i',
    'SELECT bf_agg(i ORDER BY -i) FROM generate_series(1, 3) i',
    'SELECT bf_union_agg(DISTINCT b) FROM stored', 'SELECT bf_agg(bf_agg(1)) FROM stored',
    'SELECT bf_agg((SELECT bf_agg(s.b::text) FROM stored)::text) FROM stored s']) command;

-- anyarray columns.
SELECT outcome(format('SELECT %s(%s_create(10), most_common_vals) FROM pg_stats '
    'WHERE most_common_vals IS NOT NULL LIMIT 1', proname, left(proname, 2))), count(*)
FROM functions WHERE types[2] = 'anyarray'::regtype GROUP BY 1;

--
-- User-defined aggregates. Only a superuser can create one with a state that a function trusts.
--
CREATE ROLE regress_any_user;
GRANT ALL ON SCHEMA any_arguments TO regress_any_user;
SET ROLE regress_any_user;
SELECT outcome(format('CREATE AGGREGATE mine(%s) (SFUNC = %s, STYPE = internal%s)', input, sfunc, rest)), count(*)
FROM (VALUES ('anyelement', '_bloomfilter_agg_transition'), ('anyelement', '_cuckoofilter_agg_transition'),
        ('anynonarray', 'array_agg_transfn'), ('numeric', 'numeric_avg_accum')) AS s (input, sfunc),
    (VALUES (''), (', FINALFUNC = _bloomfilter_agg_final'), (', FINALFUNC = _cuckoofilter_agg_final')) AS f (rest)
GROUP BY 1;
-- Nor can a different state be passed instead.
SELECT outcome(format('CREATE AGGREGATE mine(%s) (SFUNC = %s, STYPE = %s)', input, sfunc, type)), count(*)
FROM (VALUES ('anyelement', '_bloomfilter_agg_transition'), ('anyelement', '_cuckoofilter_agg_transition')) AS s (input, sfunc),
    unnest(ARRAY['bytea', 'bigint', 'bloomfilter', 'anyelement', 'cstring', 'text', 'record']) type
GROUP BY 1;

CREATE AGGREGATE add_up(integer) (SFUNC = cf_add, STYPE = cuckoofilter,
    INITCOND = 'Y2tmbAECAQB7FK5H4XqEPwAAAAAAAAAA', COMBINEFUNC = cf_union, PARALLEL = SAFE,
    FINALFUNC = cf_cardinality, MSFUNC = cf_add, MINVFUNC = cf_delete, MSTYPE = cuckoofilter,
        MINITCOND = 'Y2tmbAECAQB7FK5H4XqEPwAAAAAAAAAA', MFINALFUNC = cf_cardinality);
CREATE AGGREGATE add_lists(integer[]) (SFUNC = bf_add_all, STYPE = bloomfilter);
CREATE AGGREGATE merged(bloomfilter) (SFUNC = bf_union, STYPE = bloomfilter, FINALFUNC = bytea,
    COMBINEFUNC = bf_intersection, PARALLEL = SAFE);
CREATE AGGREGATE copies(cuckoofilter, integer ORDER BY cuckoofilter) (SFUNC = cf_union, STYPE = cuckoofilter);
SELECT add_up(i), add_up(NULL), add_lists(ARRAY[i, NULL]) IS NULL AS null, length(merged(bf_create(10)))
    FROM generate_series(1, 5) i;
SELECT i, add_up(i) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 5) i;
RESET ROLE;

--
-- Other places where a function can occur.
--
CREATE TABLE places (
    id bigint, name text, b bloomfilter DEFAULT bf_create(10), c cuckoofilter DEFAULT cf_create(10)
        CHECK (cf_count(c, 0) < 3),
    seen boolean GENERATED ALWAYS AS (bf_contains(b, id)) STORED, CHECK (NOT bf_contains(b, 99)));
CREATE INDEX ON places (bf_contains(b, id), filter_hash(name), filter_hash(name COLLATE "C"));
CREATE UNIQUE INDEX ON places (cf_cardinality(c), id) WHERE c @> 1;
INSERT INTO places SELECT i, 'n' || i, bf_add(bf_create(10), i % 3), cf_add_all(cf_create(10), ARRAY[i, 1])
    FROM generate_series(1, 3) i;
INSERT INTO places DEFAULT VALUES;
SELECT id, seen, bf_contains(b, id) = seen AS same FROM places ORDER BY id;
SELECT outcome(command), command FROM unnest(ARRAY[
    'INSERT INTO places VALUES (1, NULL, bf_add(bf_create(10), 99))',
    'INSERT INTO places VALUES (1, NULL, NULL, cf_add_all(cf_create(10), ARRAY[0, 0, 0]))',
    'INSERT INTO places VALUES (1, NULL, bf_add(bf_create(10), ''x''::text))',
    'UPDATE places SET id = 97, b = bf_add(b, 99) WHERE id = 2',
    'CREATE INDEX ON places (b)', 'CREATE INDEX ON places USING hash (c)', 'CREATE INDEX ON places USING gist (b)',
    'CREATE INDEX ON places USING gin (b)', 'CREATE INDEX ON places USING brin (b)',
    'ALTER TABLE places ADD EXCLUDE USING gist (b WITH @>)', 'ALTER TABLE places ADD EXCLUDE (id WITH <@)',
    'ALTER TABLE places ADD PRIMARY KEY (b)',
    'CREATE STATISTICS s ON b, c FROM places', 'SELECT b FROM places ORDER BY b', 'SELECT DISTINCT b FROM places',
    'SELECT b FROM places GROUP BY b', 'SELECT b = b FROM places',
    'SELECT b FROM places UNION SELECT b FROM places', 'SELECT * FROM places ORDER BY b USING |',
    'SELECT NULLIF(b, b) FROM places', 'SELECT ROW(b) = ROW(b) FROM places',
    'SELECT id FROM places WHERE ROW(b, 1) @> ROW(1, 1)', 'SELECT CASE b WHEN b THEN 1 END FROM places',
    'SELECT greatest(b, b) FROM places', 'SELECT ARRAY[b, NULL] @> ARRAY[b] FROM places',
    'SELECT b @> ANY (ARRAY[1, NULL, 3]), b @> ALL (ARRAY[]::bigint[]), 1 <@ ANY (ARRAY[b, NULL]) FROM places',
    'SELECT b @> ANY (ARRAY[[1, 2], [3, 4]]) FROM places',
    'SELECT b @> ANY (ARRAY[point(1, 1)]) FROM places', 'SELECT ''x'' <@ ANY (ARRAY[b]) FROM places',
    'SELECT b | c FROM places', 'SELECT c & c FROM places', 'SELECT b @> b FROM places WHERE id IS NOT NULL',
    'SELECT b::bytea::cuckoofilter FROM places', 'SELECT b::cuckoofilter FROM places',
    'SELECT b::text::cuckoofilter FROM places', 'SELECT b::integer FROM places',
    'SELECT ''x''::text::filter_literal', 'SELECT (b).x FROM places',
    'SELECT b[1] FROM places', 'UPDATE places SET b[1] = 1', 'CREATE TYPE r AS RANGE (subtype = bloomfilter)',
    'CREATE TABLE p (b bloomfilter) PARTITION BY LIST (b)', 'CREATE TABLE q (b bloomfilter) PARTITION BY HASH (b)',
    'CREATE TABLE s (b bloomfilter) PARTITION BY RANGE (bf_cardinality(b))',
    'SELECT * FROM bf_info(bf_create(1)) WITH ORDINALITY',
    'SELECT * FROM ROWS FROM (bf_info(NULL), cf_info(cf_create(NULL)))', 'SELECT * FROM bf_create(1) AS b',
    'CALL bf_create(1)',
    'CREATE VIEW v AS SELECT b FROM places ORDER BY bf_cardinality(b)',
    'SELECT * FROM places TABLESAMPLE bernoulli (bf_cardinality(bf_create(1)))',
    'SELECT 1 LIMIT bf_cardinality(bf_create(1))',
    'PREPARE y AS SELECT bf_contains($1, $2); EXECUTE y(bf_create(1), 1); DEALLOCATE y',
    'PREPARE y AS SELECT bf_add($1, $2); EXECUTE y(bf_create(1), 1); DEALLOCATE y']) command;
-- (A cursor in a function in a query is left out: it fails an assertion of PostgreSQL 15, with or without filters.)
BEGIN;
DECLARE x CURSOR FOR SELECT bf_agg(id) IS NULL AS null FROM places;
FETCH ALL x;
COMMIT;

-- A type is altered between two calls at one call site: PL/pgSQL keeps the state of a simple expression.
CREATE FUNCTION alter_between(v place) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    hash bigint;
BEGIN
    FOR i IN 1..2 LOOP
        hash := filter_hash(v);
        IF i = 1 THEN
            EXECUTE 'ALTER TYPE place ALTER ATTRIBUTE x TYPE text, ALTER ATTRIBUTE name TYPE bigint, '
                'ADD ATTRIBUTE more text';
            EXECUTE $q$SELECT 'abcdefghijk'::text, 77777777777, 'more'::text$q$ INTO v;
        END IF;
    END LOOP;
    RETURN hash;
END$$;
CREATE FUNCTION alter_between(v nested) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    hash bigint;
BEGIN
    FOR i IN 1..2 LOOP
        hash := filter_hash(v);
        IF i = 1 THEN
            EXECUTE 'ALTER TYPE place ALTER ATTRIBUTE x TYPE text, ALTER ATTRIBUTE name TYPE bigint';
            EXECUTE $q$SELECT ROW('abcdefghijk', 77777777777)::place, NULL::place[]$q$ INTO v;
        END IF;
    END LOOP;
    RETURN hash;
END$$;
BEGIN;
SELECT alter_between(ROW(1, 'x')::place);
ROLLBACK;
BEGIN;
SELECT alter_between(ROW(ROW(1, 'x'), NULL)::nested);
ROLLBACK;
-- A variable has a value of the old type, and no call has seen the type before.
CREATE FUNCTION alter_before(v place, change text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'ALTER TYPE place ' || change;
    RETURN filter_hash(v);
END$$;
BEGIN;
SELECT alter_before(ROW(1, 'x'), 'ALTER ATTRIBUTE x TYPE text');
ROLLBACK;
BEGIN;
SELECT alter_before(ROW(1, 'x'), 'DROP ATTRIBUTE name, ADD ATTRIBUTE name text');
ROLLBACK;
-- ANALYZE does not alter the type of a table's rows, nor does a constraint, whether it is a part or not.
CREATE TABLE towns (id integer PRIMARY KEY DEFAULT 1, name text NOT NULL);
INSERT INTO towns VALUES (1, 'x');
CREATE FUNCTION analyze_between(v towns, w towns[]) RETURNS TABLE (town boolean, list boolean) LANGUAGE plpgsql AS $$
DECLARE
    h bigint[];
    k bigint[];
BEGIN
    FOR i IN 1..2 LOOP
        h[i] := filter_hash(v);
        k[i] := filter_hash(w);
        ANALYZE towns;
        EXECUTE format('ALTER TABLE towns ADD CHECK (id > -%s)', i);
    END LOOP;
    RETURN QUERY SELECT h[1] = h[2], k[1] = k[2];
END$$;
SELECT * FROM analyze_between(ROW(1, 'x'), ARRAY[ROW(1, 'x')::towns]);

--
-- Estimators attached to another operator, where a constant is not a filter. (On current servers only a superuser
-- can attach them.)
--
CREATE FUNCTION odd_plain(bigint, bigint) RETURNS boolean IMMUTABLE STRICT SUPPORT _filter_contains_support
    LANGUAGE plpgsql AS 'BEGIN RETURN $1 = $2; END';
CREATE FUNCTION odd_support(bigint, bigint) RETURNS boolean IMMUTABLE STRICT SUPPORT _filter_contains_support
    LANGUAGE plpgsql AS 'BEGIN RETURN $1 = $2; END';
CREATE FUNCTION odd_alone(bigint) RETURNS boolean IMMUTABLE STRICT SUPPORT _filter_contains_support LANGUAGE plpgsql
    AS 'BEGIN RETURN $1 > 1; END';
CREATE FUNCTION odd_rows(bigint, bigint) RETURNS SETOF bigint IMMUTABLE STRICT SUPPORT _filter_contains_support
    LANGUAGE plpgsql AS 'BEGIN RETURN NEXT $1; END';
CREATE OPERATOR =|= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = odd_plain, RESTRICT = _filter_contains_estimate,
    JOIN = _filter_contains_estimate);
CREATE OPERATOR =||= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = odd_support,
    RESTRICT = _filter_contains_estimate, JOIN = _filter_contains_estimate);
CREATE OPERATOR =|= (LEFTARG = bytea, RIGHTARG = bytea, FUNCTION = byteaeq, RESTRICT = _filter_contains_estimate,
    JOIN = _filter_contains_estimate);
CREATE OPERATOR =|= (LEFTARG = text, RIGHTARG = text, FUNCTION = texteq, RESTRICT = _filter_contains_estimate,
    JOIN = _filter_contains_estimate);
CREATE OPERATOR =|= (RIGHTARG = bigint, FUNCTION = odd_alone, RESTRICT = _filter_contains_estimate);
CREATE OPERATOR <@@ (LEFTARG = anyelement, RIGHTARG = bloomfilter, FUNCTION = _bloomfilter_contained,
    RESTRICT = _filter_contains_estimate, JOIN = _filter_contains_estimate);
CREATE OPERATOR @@> (LEFTARG = cuckoofilter, RIGHTARG = anyelement, FUNCTION = cf_contains,
    RESTRICT = _filter_contains_estimate, JOIN = _filter_contains_estimate);
ANALYZE places;
SELECT outcome('SELECT * FROM places p, places q WHERE ' || condition), condition FROM unnest(ARRAY[
    '123456789 =|= p.id', 'p.id =|= 123456789', '123456789 =||= p.id', 'p.id =||= 123456789', 'p.id =|= q.id',
    'p.id =||= q.id', 'p.id =|= (SELECT 1::bigint)',
    '''\x00''::bytea =|= p.name::bytea', '''\xffffffffffffffffffffffffffffff''::bytea =|= p.name::bytea',
    'p.name =|= ''x''', '''x'' =|= p.name', '=|= p.id', '=|= 123456789::bigint',
    'odd_plain(123456789, p.id)', 'odd_support(p.id, 123456789)', 'odd_alone(p.id)', 'odd_rows(p.id, 12345) = 1',
    'p.id IN (SELECT odd_rows(1, 123456789))', 'odd_plain(NULL, p.id)',
    'p.id <@@ bf_create(1)', '123456789::bigint <@@ p.b', '(-1)::bigint <@@ p.b', '12345.5 <@@ p.b',
    'cf_create(1) @@> p.id', 'p.c @@> 123456789', 'p.c @@> q.id', 'NOT p.c @@> 123456789',
    'bf_create(1) @> p.id', '123456789 <@ p.b', 'p.b @> 123456789', 'NULL::bloomfilter @> p.id',
    'p.id <@ NULL::cuckoofilter', '(SELECT bf_agg(id) FROM places) @> p.id', 'p.b @> q.id',
    'full_bloom() @> p.id', 'bf_create(1)::known @> p.id', 'bf_contains(bf_create(NULL), p.name)',
    'p.b @> q.b::text OR q.c @> p.name']) condition;

-- Binary input is checked like text.
CREATE TABLE received (b bloomfilter, c cuckoofilter);
\copy (SELECT bf_add(bf_create(9), 9)::bytea, cf_add(cf_create(9), 9)::bytea) TO PROGRAM 'cat >"$PG_ABS_BUILDDIR"/results/any_arguments.data' WITH (FORMAT binary)
\copy received FROM PROGRAM 'cat "$PG_ABS_BUILDDIR"/results/any_arguments.data' WITH (FORMAT binary)
SELECT b @> 9, c @> 9 FROM received;
\copy (SELECT cf_create(1)::bytea, NULL::bytea) TO PROGRAM 'cat >"$PG_ABS_BUILDDIR"/results/any_arguments.data' WITH (FORMAT binary)
\copy received FROM PROGRAM 'cat "$PG_ABS_BUILDDIR"/results/any_arguments.data' WITH (FORMAT binary)
\copy (SELECT NULL::bytea, substring(cf_create(9)::bytea FOR 40)) TO PROGRAM 'cat >"$PG_ABS_BUILDDIR"/results/any_arguments.data' WITH (FORMAT binary)
\copy received FROM PROGRAM 'cat "$PG_ABS_BUILDDIR"/results/any_arguments.data' WITH (FORMAT binary)
\copy (SELECT '\x'::bytea, NULL::bytea) TO PROGRAM 'cat >"$PG_ABS_BUILDDIR"/results/any_arguments.data' WITH (FORMAT binary)
\copy received FROM PROGRAM 'cat "$PG_ABS_BUILDDIR"/results/any_arguments.data' WITH (FORMAT binary)
\copy (SELECT decode(repeat('ff', 100000), 'hex'), NULL::bytea) TO PROGRAM 'cat >"$PG_ABS_BUILDDIR"/results/any_arguments.data' WITH (FORMAT binary)
\copy received FROM PROGRAM 'cat "$PG_ABS_BUILDDIR"/results/any_arguments.data' WITH (FORMAT binary)
\copy (SELECT NULL::bytea, cf_create(9)::bytea || '\x00') TO PROGRAM 'cat >"$PG_ABS_BUILDDIR"/results/any_arguments.data' WITH (FORMAT binary)
\copy received FROM PROGRAM 'cat "$PG_ABS_BUILDDIR"/results/any_arguments.data' WITH (FORMAT binary)
SELECT count(*) FROM received;

RESET search_path;
DROP SCHEMA any_arguments CASCADE;
DROP ROLE regress_any_user;
