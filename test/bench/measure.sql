-- Included by the measurements in the server: what they share. Expects has_prewarm (whether that extension is available),
-- and has_schedstat (whether the system reports the CPU time of a process). The measurements are left in a table: in
-- seconds, unless the topic implies another unit.
\set QUIET on
SET client_min_messages = warning;
CREATE EXTENSION cuckoo_filter;
\if :has_prewarm
CREATE EXTENSION pg_prewarm;
\endif

CREATE TABLE measurements (topic text, contender text, x numeric, repetition int, value float8);

-- The CPU time of this process, on which other work on the machine has less effect; with parallel workers, that of all
-- processes of the server, which includes workers that have ended (in units of 10 ms) and those that read (from 18 on).
-- Statements that wait for files need wall-clock time. If `alone`, no other process works for this one.
CREATE FUNCTION seconds(of_processor boolean, alone boolean DEFAULT false) RETURNS float8 VOLATILE LANGUAGE plpgsql AS $$
BEGIN
    IF NOT of_processor THEN
        RETURN extract(epoch FROM clock_timestamp());
    END IF;
    -- The system updates the figure when the process yields the CPU.
    IF alone OR current_setting('max_parallel_workers_per_gather') = '0' THEN
        PERFORM pg_sleep(0.001);
        RETURN split_part(pg_read_file('/proc/self/schedstat', 0, 100), ' ', 1)::float8 / 1e9;
    END IF;
    -- The times of ended workers are added when the postmaster, the parent, has waited for them.
    PERFORM pg_sleep(0.02), pg_stat_clear_snapshot();
    RETURN (SELECT sum(split_part(pg_read_file(format('/proc/%s/schedstat', pid), 0, 100, true), ' ', 1)::float8) / 1e9
            FROM pg_stat_activity)
        + (SELECT (fields[16]::float8 + fields[17]::float8) / 100
           FROM split_part(pg_read_file('/proc/self/stat', 0, 1000), ' ', 4) AS parent,
               string_to_array(pg_read_file(format('/proc/%s/stat', parent), 0, 1000), ' ') AS fields);
END $$;

-- How often to execute together what takes so many seconds once: for a tenth of a second, or half a second with workers.
CREATE FUNCTION executions(once float8) RETURNS int LANGUAGE sql AS $$
    SELECT least(greatest(least_time / once, 1), 100)
    FROM (SELECT CASE current_setting('max_parallel_workers_per_gather') WHEN '0' THEN 0.1 ELSE 0.5 END) AS block (least_time)
$$;

-- Times statements: pairs of a name and a statement. Each repetition runs all of them, so that the ratio of two is of
-- times measured close together.
CREATE PROCEDURE measure(topic text, x numeric, repetitions int, contenders text[], of_processor boolean)
LANGUAGE plpgsql AS $$
DECLARE
    start float8;
BEGIN
    FOR repetition IN 1 .. repetitions LOOP
        FOR i IN 1 .. array_length(contenders, 1) LOOP
            start := seconds(of_processor);
            EXECUTE contenders[i][2];
            INSERT INTO measurements VALUES (topic, contenders[i][1], x, repetition, seconds(of_processor) - start);
        END LOOP;
    END LOOP;
END $$;

-- The number of buffers that a statement accesses.
CREATE FUNCTION buffers(statement text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || statement INTO plan;
    RETURN (plan #>> '{0,Plan,Shared Hit Blocks}')::bigint + (plan #>> '{0,Plan,Shared Read Blocks}')::bigint;
END $$;

-- Loads tables into shared buffers, with their large values.
CREATE PROCEDURE settle(VARIADIC tables regclass[]) LANGUAGE plpgsql AS $$
DECLARE
    settled regclass;
BEGIN
    FOREACH settled IN ARRAY tables LOOP
        IF EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_prewarm') THEN
            EXECUTE 'SELECT pg_prewarm(part) FROM pg_class AS c, unnest(ARRAY[c.oid, reltoastrelid]) AS part
                WHERE c.oid = $1 AND part > 0' USING settled;
        END IF;
    END LOOP;
END $$;

