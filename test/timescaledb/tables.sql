-- Hypertables with the same rows, whose chunks are compressed in different ways, a plain table, a small one, and filters.
-- Without the variable licensed, chunks are not compressed: see takes_over in test/timescaledb/run.
CREATE EXTENSION timescaledb;
CREATE EXTENSION cuckoo_filter;

CREATE TABLE plain (t timestamptz NOT NULL, device integer, n integer, k integer, s text, v integer);
INSERT INTO plain
SELECT timestamptz '2026-01-01' + i * interval '1 minute', i % 20, i, i * 7919 % 1000, 'v' || i % 300, i % 7
FROM generate_series(0, 5759) AS i;

CREATE TABLE dim AS
SELECT timestamptz '2026-01-01' + i * interval '97 minutes' AS t, i % 3 AS device, i * 101 AS n, i * 17 AS k, 's' AS x, 'v' || i * 5 AS s, i AS w
FROM generate_series(0, 49) AS i;
-- NULLs equal nothing.
INSERT INTO dim (device, n, k, s, w) VALUES (NULL, NULL, NULL, NULL, 50);

-- Compression.
\if :licensed
CREATE PROCEDURE allow_compression(name text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I SET (timescaledb.compress, timescaledb.compress_segmentby = %L, timescaledb.compress_orderby = %L)',
        name, 'device', 'n');
END $$;
CREATE PROCEDURE compress(chunk regclass) LANGUAGE sql AS 'SELECT compress_chunk(chunk)';
CREATE PROCEDURE decompress(chunk regclass) LANGUAGE sql AS 'SELECT decompress_chunk(chunk)';
\else
CREATE PROCEDURE allow_compression(name text) LANGUAGE sql AS '';
CREATE PROCEDURE compress(chunk regclass) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %s_rows AS TABLE %1$s; DELETE FROM %1$s', chunk);
END $$;
CREATE PROCEDURE decompress(chunk regclass) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %s TABLE %1$s_rows; DROP TABLE %1$s_rows', chunk);
EXCEPTION
    WHEN undefined_table THEN NULL;
END $$;
\endif

-- The chunks with these numbers are compressed; columns are added afterwards. Space partitions are of devices.
CREATE PROCEDURE make_hypertable(name text, VARIADIC compressed integer[]) LANGUAGE plpgsql AS $$
DECLARE
    chunk regclass;
    added text;
    i integer := 0;
BEGIN
    EXECUTE format('CREATE TABLE %I (LIKE plain)', name);
    -- To group by time, TimescaleDB adds scans of indexes to what is left of a chunk's paths; takes_over does not replace these.
    PERFORM create_hypertable(name, by_range('t', interval '1 day'), create_default_indexes => current_setting('takes_over.mode', true) IS NULL);
    IF name ~ '^space' THEN
        PERFORM add_dimension(name, by_hash('device', 3));
    END IF;
    IF name <> 'never_compressed' THEN
        CALL allow_compression(name);
    END IF;
    EXECUTE format('INSERT INTO %I SELECT * FROM plain', name);
    FOR chunk IN SELECT c FROM show_chunks(name) AS c ORDER BY c LOOP
        i := i + 1;
        IF i = ANY (compressed) THEN
            CALL compress(chunk);
        END IF;
    END LOOP;
    FOREACH added IN ARRAY ARRAY['later integer', 'filled integer DEFAULT 17'] LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN %s', name, added);
        FOR chunk IN SELECT to_regclass(c || '_rows') FROM show_chunks(name) AS c WHERE to_regclass(c || '_rows') IS NOT NULL LOOP
            EXECUTE format('ALTER TABLE %s ADD COLUMN %s', chunk, added);
        END LOOP;
    END LOOP;
END $$;
CALL make_hypertable('never_compressed', 0);
CALL make_hypertable('none_compressed', 0);
CALL make_hypertable('some_compressed', 1, 3);
CALL make_hypertable('partly_compressed', 1, 2, 3, 4);
CALL make_hypertable('all_compressed', 1, 2, 3, 4);
CALL make_hypertable('decompressed', 1, 2, 3, 4);
CALL make_hypertable('space_partitions', 0);
CALL make_hypertable('space_some_compressed', 1, 2, 5);
ALTER TABLE plain ADD COLUMN later integer, ADD COLUMN filled integer DEFAULT 17;
-- Rows in the heap of three compressed chunks.
INSERT INTO partly_compressed
SELECT t, device, n + 10000, k, s, v, n % 30, n % 40 FROM plain WHERE n BETWEEN 1000 AND 4000;
DO $$
DECLARE
    chunk regclass;
BEGIN
    FOR chunk IN SELECT show_chunks('decompressed') LOOP
        CALL decompress(chunk);
    END LOOP;
END $$;
ALTER TABLE dim ADD COLUMN later integer DEFAULT 7, ADD COLUMN filled integer DEFAULT 17;

CREATE TABLE filters AS
SELECT bf_agg(t) AS bt, bf_agg(device) AS bdevice, bf_agg(n) AS bn, bf_agg(k) AS bk, bf_agg(s) AS bs, bf_agg(later) AS blater, bf_agg(filled) AS bfilled,
    cf_agg(t) AS ct, cf_agg(device) AS cdevice, cf_agg(n) AS cn, cf_agg(k) AS ck, cf_agg(s) AS cs, cf_agg(later) AS clater, cf_agg(filled) AS cfilled
FROM dim;

-- Continuous aggregates: half materialized, with the rest computed or missing; and with compressed chunks of their own.
\if :licensed
CREATE MATERIALIZED VIEW hourly WITH (timescaledb.continuous, timescaledb.materialized_only = false) AS
SELECT time_bucket('1 hour', t) AS t, device, k, max(n) AS n, max(s) AS s, max(v) AS v, max(later) AS later, max(filled) AS filled
FROM all_compressed GROUP BY 1, 2, 3 WITH NO DATA;
CREATE MATERIALIZED VIEW hourly_partly WITH (timescaledb.continuous, timescaledb.materialized_only = false) AS
SELECT time_bucket('1 hour', t) AS t, device, k, max(n) AS n, max(s) AS s, max(v) AS v, max(later) AS later, max(filled) AS filled
FROM partly_compressed GROUP BY 1, 2, 3 WITH NO DATA;
CREATE MATERIALIZED VIEW hourly_stored WITH (timescaledb.continuous, timescaledb.materialized_only = true) AS
SELECT time_bucket('1 hour', t) AS t, device, k, max(n) AS n, max(s) AS s, max(v) AS v, max(later) AS later, max(filled) AS filled
FROM partly_compressed GROUP BY 1, 2, 3 WITH NO DATA;
CALL refresh_continuous_aggregate('hourly', NULL, '2026-01-03');
CALL refresh_continuous_aggregate('hourly_partly', NULL, '2026-01-03');
CALL refresh_continuous_aggregate('hourly_stored', NULL, NULL);
ALTER MATERIALIZED VIEW hourly_stored SET (timescaledb.compress);
SELECT compress_chunk(c) FROM show_chunks('hourly_stored') AS c;
\else
CREATE VIEW hourly AS
SELECT time_bucket('1 hour', t) AS t, device, k, max(n) AS n, max(s) AS s, max(v) AS v, max(later) AS later, max(filled) AS filled
FROM all_compressed GROUP BY 1, 2, 3;
CREATE VIEW hourly_partly AS
SELECT time_bucket('1 hour', t) AS t, device, k, max(n) AS n, max(s) AS s, max(v) AS v, max(later) AS later, max(filled) AS filled
FROM partly_compressed GROUP BY 1, 2, 3;
CREATE MATERIALIZED VIEW hourly_stored AS TABLE hourly_partly;
\endif
