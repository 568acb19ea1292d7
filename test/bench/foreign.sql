-- Joins with a table on another server, through postgres_fdw: all rows come here, rows are filtered after they came, or
-- the filter is sent. Also sends, fetches and unites large filters. Run by test/bench/run, which sets rows (five times
-- those of the table), repetitions, and what measure.sql expects. The other server is another database of this one.
\ir measure.sql
CREATE EXTENSION postgres_fdw;
CREATE DATABASE there;
\c there
\set QUIET on
SET client_min_messages = warning;
CREATE EXTENSION cuckoo_filter;
CREATE TABLE facts AS SELECT n::bigint AS key, n % 1000 AS amount FROM generate_series(1, :rows / 5) AS n;
CREATE TABLE no_facts (key bigint);
CREATE VIEW processor AS
    SELECT split_part(pg_read_file('/proc/self/schedstat', 0, 100), ' ', 1)::float8 / 1e9 AS seconds;
CREATE TABLE filters AS
    SELECT megabytes, bf_agg(k) AS filter
    FROM unnest(ARRAY[10, 100]) AS megabytes, generate_series(1, megabytes * :rows::bigint * 85 / 1000) AS k
    GROUP BY megabytes;
VACUUM (FREEZE, ANALYZE) facts, no_facts, filters;
\c foreign
\set QUIET on
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '256MB';

\echo '   data'
-- A server to which functions are shipped, and one to which they are not; each with two values of fetch_size.
SELECT format('CREATE SERVER %I FOREIGN DATA WRAPPER postgres_fdw
        OPTIONS (host %L, port %L, dbname ''there'', fetch_size %L %s)',
    name, split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), fetch_size, option),
    format('CREATE USER MAPPING FOR CURRENT_USER SERVER %I OPTIONS (user %L)', name, current_user),
    format('CREATE SCHEMA %I', name),
    format('IMPORT FOREIGN SCHEMA public FROM SERVER %1$I INTO %1$I', name),
    format('ANALYZE %I.facts', name)
FROM (VALUES ('shipping', ', extensions ''cuckoo_filter'''), ('plain', '')) AS kinds (kind, option),
    unnest(ARRAY[100, 10000]) AS fetch_size, concat(kind, '_', fetch_size) AS name \gexec
-- The CPU time of this process and of those that it is connected to. They wait for each other, so this is the time of a
-- query on an idle machine, without a network.
CREATE OR REPLACE FUNCTION seconds(of_processor boolean) RETURNS float8 VOLATILE LANGUAGE plpgsql AS $$
BEGIN
    IF NOT of_processor THEN
        RETURN extract(epoch FROM clock_timestamp());
    END IF;
    PERFORM pg_sleep(0.001);
    RETURN split_part(pg_read_file('/proc/self/schedstat', 0, 100), ' ', 1)::float8 / 1e9
        + (SELECT sum(seconds) FROM (TABLE plain_100.processor UNION ALL TABLE plain_10000.processor
                                     UNION ALL TABLE shipping_100.processor UNION ALL TABLE shipping_10000.processor) AS others);
END $$;

-- Keys of which a percentage is there.
CREATE TABLE members (percent int, key bigint);
INSERT INTO members
SELECT percent, n * 100 / percent FROM unnest(ARRAY[1, 10, 50]) AS percent, generate_series(1, :rows / 500 * percent) AS n;
CREATE TABLE filters AS TABLE plain_100.filters;
SELECT format('CREATE TABLE members_%1$s AS SELECT key FROM members WHERE percent = %1$s', percent),
    format('VACUUM (FREEZE, ANALYZE) members_%s', percent), format('CALL settle(''members_%s'')', percent)
FROM unnest(ARRAY[1, 10, 50]) AS percent \gexec
CALL settle('filters');

-- Measures the join with a percentage, after it checked that the plans are those to measure, and the results the same.
CREATE PROCEDURE measure_joins(percent int, repetitions int, of_processor boolean) LANGUAGE plpgsql AS $$
DECLARE
    query CONSTANT text := 'SELECT sum(amount) FROM members_%1$s AS m JOIN %2$s.facts ON m.key = facts.key %3$s';
    filter CONSTANT text := format('WHERE bf_contains((SELECT bf_agg(key) FROM members_%s), facts.key)', percent);
    list CONSTANT text := format('WHERE facts.key = ANY ((SELECT array_agg(key) FROM members_%s)::bigint[])', percent);
    contenders text[] := '{}';
    expected bigint;
    result bigint;
    fetch_size int;
    plan text;
BEGIN
    FOREACH fetch_size IN ARRAY ARRAY[100, 10000] LOOP
        contenders := contenders || ARRAY[
            ['all rows, ' || fetch_size, format(query, percent, 'plain_' || fetch_size, '')],
            ['filtered here, ' || fetch_size, format(query, percent, 'plain_' || fetch_size, filter)],
            ['filtered there, ' || fetch_size, format(query, percent, 'shipping_' || fetch_size, filter)]];
    END LOOP;
    contenders := contenders || ARRAY[['list of keys, 10000', format(query, percent, 'shipping_10000', list)]];
    FOR i IN 1 .. array_length(contenders, 1) LOOP
        EXECUTE 'EXPLAIN (VERBOSE, FORMAT json) ' || contenders[i][2] INTO plan;
        ASSERT (plan ~ 'Remote SQL.*(bf_contains|ANY)') = (contenders[i][1] ~ 'there|list'), plan;
        ASSERT plan ~ 'Hash Join', plan;
        EXECUTE contenders[i][2] INTO result;
        expected := coalesce(expected, result);
        ASSERT result = expected, format('%s: %s, not %s', contenders[i][1], result, expected);
    END LOOP;
    CALL measure('foreign join', percent, repetitions, contenders, of_processor);
END $$;

\echo '   joins'
SELECT format('CALL measure_joins(%s, %s, %L)', percent, :repetitions, :'has_schedstat') FROM unnest(ARRAY[1, 10, 50]) AS percent \gexec

\echo '   filters'
SELECT format($$CALL measure('foreign filter', %1$s, %2$s, ARRAY[
    ['send', 'SELECT count(*) FROM shipping_100.no_facts
              WHERE bf_contains((SELECT filter FROM filters WHERE megabytes = %1$s), key)'],
    ['fetch', 'SELECT count(filter) FROM (SELECT filter FROM plain_100.filters WHERE megabytes = %1$s OFFSET 0) AS fetched'],
    ['unite', 'SELECT count(bf_union(filter, filter)) FROM filters WHERE megabytes = %1$s']], %3$L)$$,
    megabytes, :repetitions, :'has_schedstat')
FROM filters ORDER BY megabytes \gexec
