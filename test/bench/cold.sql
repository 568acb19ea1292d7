-- Scans of a table of ten times shared_buffers: as a filter scan, as a sequential scan with the probe as a plain condition,
-- and count(*); from the page cache of the system, and from the disk. Also the bytes that a read asks the system for. Run by
-- test/bench/run, which sets rows (of the table), repetitions, and what measure.sql expects. The times are elapsed times.
\ir measure.sql
SET max_parallel_workers_per_gather = 0;
-- Otherwise each scan would begin where the last one ended, in pages that are still in shared buffers.
SET synchronize_seqscans = off;

-- The system's counts of bytes read by this process, and of the calls that read them.
CREATE FUNCTION reads(OUT bytes float8, OUT calls float8) VOLATILE LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    line := pg_read_file('/proc/self/io', 0, 200);
    bytes := substring(line FROM 'rchar: (\d+)');
    calls := substring(line FROM 'syscr: (\d+)');
END $$;

-- Takes a file out of the page cache. (Nothing is copied: dd asks the system to forget what it has of it.)
CREATE PROCEDURE forget(source regclass) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('COPY (SELECT) TO PROGRAM $program$for file in %1$s %1$s.*; do [ ! -f $file ] || dd of=$file oflag=nocache conv=notrunc,fdatasync count=0 status=none; done$program$',
        current_setting('data_directory') || '/' || pg_relation_filepath(source));
END $$;

CREATE PROCEDURE measure_cold(topic text, repetitions int, on_disk boolean) LANGUAGE plpgsql AS $$
DECLARE
    probe CONSTANT text := 'SELECT count(*) FROM keys WHERE bf_contains((SELECT bloom FROM filters), k)';
    contenders CONSTANT text[] := ARRAY[['count(*)', 'SELECT count(*) FROM keys'], ['filter scan', probe], ['condition',
        format('SET LOCAL cuckoo_scan.enable_filter_scan = off; %s; SET LOCAL cuckoo_scan.enable_filter_scan = on', probe)]];
    start float8;
    before record;
    after record;
BEGIN
    FOR repetition IN 1 .. repetitions LOOP
        FOR i IN 1 .. array_length(contenders, 1) LOOP
            IF on_disk THEN
                CALL forget('keys');
            END IF;
            before := reads();
            start := seconds(false);
            EXECUTE contenders[i][2];
            INSERT INTO measurements VALUES (topic, contenders[i][1], 1, repetition, seconds(false) - start);
            after := reads();
            INSERT INTO measurements VALUES (topic || ', bytes per read', contenders[i][1], 1, repetition,
                (after.bytes - before.bytes) / greatest(after.calls - before.calls, 1));
        END LOOP;
    END LOOP;
END $$;

\echo '   data'
CREATE TABLE filters AS SELECT bf_agg(k) AS bloom FROM generate_series(1, :rows::bigint * 85 / 1000) AS k;
CREATE TABLE keys AS SELECT k FROM generate_series(1000000001, 1000000000 + :rows::bigint) AS k;
VACUUM (FREEZE, ANALYZE) filters, keys;
CHECKPOINT;

DO $$BEGIN
    ASSERT (SELECT 9 * setting::bigint < pg_relation_size('keys') / 8192 FROM pg_settings WHERE name = 'shared_buffers'),
        'shared_buffers is too large for this table';
END$$;
\echo '   from the page cache'
CALL measure_cold('page cache', :repetitions, false);
\echo '   from the disk'
CALL measure_cold('disk', :repetitions, true);

CREATE VIEW report AS
    WITH ratios AS (
        SELECT m.topic, m.contender, other.contender AS other,
            percentile_cont(ARRAY[0.5, 0, 1]) WITHIN GROUP (ORDER BY m.value / other.value) AS ratio
        FROM measurements AS m JOIN measurements AS other USING (topic, repetition)
        WHERE m.contender = 'filter scan' AND other.contender <> 'filter scan' GROUP BY 1, 2, 3)
    SELECT 0 AS number, '' AS topic, '' AS other, '| from | figure | filter scan, relative to | median | lowest | highest |' AS line
    UNION ALL SELECT 1, '', '', '|---|---|---|--:|--:|--:|'
    UNION ALL SELECT 2, topic, other, format('| %s | %s | %s | %s | %s | %s |', split_part(topic, ',', 1),
        CASE WHEN topic LIKE '%bytes%' THEN 'bytes per read' ELSE 'time' END, other, round(ratio[1]::numeric, 2), round(ratio[2]::numeric, 2),
        round(ratio[3]::numeric, 2)) FROM ratios;
