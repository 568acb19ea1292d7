--
-- bf_agg_distributed and cf_agg_distributed without Citus: with its catalogs as temporary tables, and functions in place of
-- its own, which run the commands for the nodes in this session. test/citus runs them on a cluster.
--
SET client_min_messages = warning;
CREATE EXTENSION cuckoo_filter_citus;
CREATE SCHEMA distributed;
SET search_path = distributed, public;
RESET client_min_messages;

CREATE TEMP TABLE pg_dist_partition (logicalrelid regclass, partmethod "char");
CREATE TEMP TABLE pg_dist_shard (logicalrelid regclass, shardid bigint);
CREATE TEMP TABLE pg_dist_placement (placementid bigint, shardid bigint, shardstate integer, groupid integer);
CREATE TEMP TABLE pg_dist_node (groupid integer, nodename text, nodeport integer, noderole text, isactive boolean);
CREATE TEMP TABLE calls (nodeport integer);
INSERT INTO pg_dist_node SELECT g, 'node', 5432 + g, 'primary', true FROM generate_series(1, 2) AS g;
CREATE FUNCTION pg_catalog.shard_name(source regclass, shardid bigint) RETURNS text LANGUAGE sql AS $$
    SELECT CASE n.nspname WHEN 'public' THEN '' ELSE quote_ident(n.nspname) || '.' END || quote_ident(c.relname || '_' || shardid)
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = source
$$;
CREATE FUNCTION pg_catalog.master_run_on_worker(nodes text[], ports integer[], commands text[], parallel boolean)
RETURNS TABLE (node_name text, node_port integer, success boolean, result text) LANGUAGE plpgsql
SET search_path = pg_catalog SET timezone = 'UTC' AS $$
BEGIN
    FOR i IN 1 .. array_length(nodes, 1) LOOP
        INSERT INTO pg_temp.calls VALUES (ports[i]);
        node_name := nodes[i];
        node_port := ports[i];
        BEGIN
            EXECUTE commands[i] INTO result;
            success := true;
        EXCEPTION WHEN OTHERS THEN
            result := SQLERRM;
            success := false;
        END;
        RETURN NEXT;
    END LOOP;
END$$;

-- Distribute the rows of a table over three shards on two nodes.
CREATE FUNCTION distribute(source regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    shard text;
BEGIN
    INSERT INTO pg_dist_partition VALUES (source, 'h');
    FOR i IN 100 .. 102 LOOP
        shard := CASE WHEN shard_name(source, i) LIKE '%.%' THEN '' ELSE 'public.' END || shard_name(source, i);
        EXECUTE format('CREATE TABLE %s AS SELECT * FROM %s WHERE id %% 3 = %s - 100', shard, source, i);
        EXECUTE format('GRANT SELECT (id, email) ON %s, %s TO regress_distributed_reader', source, shard);
        INSERT INTO pg_dist_shard VALUES (source, i);
        INSERT INTO pg_dist_placement VALUES (2 * i, i, 1, i % 2 + 1), (2 * i + 1, i, 4, 2 - i % 2);
    END LOOP;
    EXECUTE format('TRUNCATE %s', source);
END$$;
CREATE ROLE regress_distributed_reader;
GRANT USAGE ON SCHEMA distributed TO regress_distributed_reader;
GRANT ALL ON pg_dist_partition, pg_dist_shard, pg_dist_placement, pg_dist_node, calls TO regress_distributed_reader;
CREATE TABLE accounts AS
    SELECT i AS id, 'user' || i AS email, 'secret' || i AS password, timestamptz '2026-01-01 00:00+00' + i * interval '1 hour' AS seen
    FROM generate_series(1, 1000) AS i;
CREATE TABLE everyone AS SELECT * FROM accounts;
CREATE TABLE "Odd ""%s"" %L; --" AS SELECT i AS id, i::text AS email, 'x' || i AS "Col ""'; %1$I --" FROM generate_series(1, 300) AS i;
CREATE TABLE public.regress_filter_shared AS SELECT i AS id, 'mail' || i AS email FROM generate_series(1, 300) AS i;
SELECT distribute(t) FROM unnest(ARRAY['accounts', '"Odd ""%s"" %L; --"', 'public.regress_filter_shared']::regclass[]) AS t;

-- Each node is asked once, for all its shards, and once before that if there is no capacity.
SELECT bf_agg_distributed('accounts', 'email', 2000, 0.001) = bf_agg(email, 2000, 0.001) AS same FROM everyone;
SELECT nodeport, count(*) FROM calls GROUP BY 1 ORDER BY 1;
TRUNCATE calls;
SELECT (bf_info(f)).capacity, (bf_info(f)).layers, bf_cardinality(f) BETWEEN 980 AND 1020 AS counted FROM bf_agg_distributed('accounts', 'email') AS f;
SELECT nodeport, count(*) FROM calls GROUP BY 1 ORDER BY 1;
SELECT bool_and(cf_contains(c, email)) AS all_found FROM everyone, cf_agg_distributed('accounts', 'email') AS c;
SELECT bf_agg_distributed('accounts', 'id', 2000, condition => 'accounts.id % 7 = 1 -- comment') = bf_agg(id, 2000) FILTER (WHERE id % 7 = 1) AS condition
FROM everyone;
SELECT bf_agg_distributed('"Odd ""%s"" %L; --"', 'Col "''; %1$I --', 500) = bf_agg('x' || i, 500) AS odd_names,
    bf_agg_distributed('public.regress_filter_shared', 'email', 500) = bf_agg('mail' || i, 500) AS in_public,
    bf_agg_distributed('everyone', 'email', 500, condition => 'distributed.everyone.id <= 300') = bf_agg('user' || i, 500) AS not_distributed
FROM generate_series(1, 300) AS i;
SELECT bf_agg_distributed('accounts', 'id', condition => 'false') @> 1 AS no_rows;

-- A condition is read with the settings of this session, which stay as they are.
CREATE FUNCTION is_odd(bigint) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT $1 % 2 = 1';
SET timezone = 'Asia/Tokyo';
SET datestyle = 'ISO, DMY';
SELECT bf_agg_distributed('accounts', 'id', 2000, condition => $$is_odd(id) AND seen < '03/02/2026'$$)
    = bf_agg(id, 2000) FILTER (WHERE is_odd(id) AND seen < '2026-02-03') AS same,
    current_setting('timezone') AS timezone, current_setting('search_path') AS search_path FROM everyone;
RESET timezone;
RESET datestyle;

-- Shards that move, or have no place.
\set SHOW_CONTEXT never
CREATE TEMP TABLE moves AS SELECT 2 AS max;
CREATE FUNCTION move() RETURNS boolean LANGUAGE sql AS $$
    UPDATE pg_dist_placement SET placementid = placementid + 1000
    WHERE shardid = 100 AND shardstate = 1 AND placementid < 1000 * (SELECT max FROM moves);
    SELECT true
$$;
SELECT bf_agg_distributed('accounts', 'id', 2000, condition => '(SELECT move())') = bf_agg(id, 2000) AS moved FROM everyone;
UPDATE moves SET max = 1000000;
SELECT bf_agg_distributed('accounts', 'id', 2000, condition => '(SELECT move())');
UPDATE pg_dist_placement SET shardstate = 4 WHERE shardid = 102;
SELECT bf_agg_distributed('accounts', 'id', 2000);
UPDATE pg_dist_placement SET shardstate = 1 WHERE shardid = 102 AND placementid % 2 = 0;

-- An ordinary role needs nothing but the right to read the columns, and has no other rights on a node.
SET ROLE regress_distributed_reader;
SELECT bf_agg_distributed('accounts', 'email', 2000, condition => 'id <= 100') = bf_agg('user' || i, 2000) AS reader
FROM generate_series(1, 100) AS i;
SELECT cf_contains(cf_agg_distributed('accounts', 'email'), 'user7') AS without_capacity;
\set VERBOSITY terse
SELECT bf_agg_distributed('accounts', 'password', 2000);
SELECT bf_agg_distributed('everyone', 'email', 2000);
\set VERBOSITY default
SELECT bf_agg_distributed('accounts', 'email', 2000, condition => $$password > 'a'$$);
RESET ROLE;

-- The other functions take no SQL but a condition. Names are quoted, and settings may be missing.
\set VERBOSITY terse
SELECT _filter_agg_tables('b', '{everyone}', 'e', 'id', 2000, 0.01, 'e.id > 5', settings, false)::bloomfilter
    = (SELECT bf_agg(id, 2000) FROM everyone WHERE id > 5) AS same
FROM (VALUES (NULL::text[]), ('{}'), ('{NULL}'), ('{public}'), ('{public,UTC,ISO,postgres,more}')) AS s (settings);
SELECT _filter_agg_tables('b', '{everyone}', NULL, 'id', NULL, 0.01, NULL, NULL, true) AS capacity;
SELECT _filter_agg_tables('bf_agg(1) --', '{everyone}', NULL, 'id', NULL, 0.01, NULL, NULL, false);
SELECT _filter_agg_tables('b', '{everyone}', '"; --', 'id" FROM x; --', NULL, 0.01, NULL, NULL, false);
SELECT _filter_agg_tables('b', '{}', NULL, 'id', NULL, 0.01, NULL, NULL, false);
SELECT _filter_agg_tables('b', NULL, NULL, 'id', NULL, 0.01, NULL, NULL, false);
\set VERBOSITY default

SET client_min_messages = warning;
DROP SCHEMA distributed CASCADE;
DROP TABLE public.regress_filter_shared, public.regress_filter_shared_100, public.regress_filter_shared_101, public.regress_filter_shared_102;
DROP FUNCTION pg_catalog.shard_name(regclass, bigint), pg_catalog.master_run_on_worker(text[], integer[], text[], boolean);
DROP TABLE pg_dist_partition, pg_dist_shard, pg_dist_placement, pg_dist_node, calls, moves;
DROP EXTENSION cuckoo_filter_citus;
DROP ROLE regress_distributed_reader;
