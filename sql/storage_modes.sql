--
-- A filter in every way that a table can hold it: probed, changed, rewritten and indexed, with nothing lost on the way.
--
SET client_min_messages = warning;
CREATE SCHEMA storage_modes;
SET search_path = storage_modes, public;

-- Filters of the values 1 to n: in a row with a short header and with a long one; sparse, so that it fits in a row once
-- it is compressed; thin, so that it is out of the row even then; and full, which does not compress.
CREATE TABLE original (name text, n integer, b bytea, c bytea);
INSERT INTO original
    SELECT name, n, bf_add_all(bf_create(capacity), array_agg(i ORDER BY i))::bytea,
        cf_add_all(cf_create(capacity), array_agg(i ORDER BY i))::bytea
    FROM (VALUES ('short', 10, 20), ('long', 700, 700), ('sparse', 20, 20000), ('thin', 6000, 150000),
        ('full', 30000, 30000)) AS v (name, n, capacity), generate_series(1, n) AS i
    GROUP BY name, n, capacity;

-- One table per mode. If lz4 is not available, the default is used.
-- Filters too large for a row cannot be stored plain.
CREATE TABLE modes (mode text, storage text, compression text);
INSERT INTO modes VALUES ('plain', 'plain', NULL), ('main', 'main', NULL), ('external', 'external', NULL),
    ('pglz', 'extended', 'pglz'), ('lz4', 'extended', 'lz4');
CREATE FUNCTION compress_by(mode text, method text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND method = ANY (enumvals)) THEN
        EXECUTE format('ALTER TABLE %I ALTER b SET COMPRESSION %s, ALTER c SET COMPRESSION %2$s', mode, method);
    END IF;
END$$;
DO $$
DECLARE
    m modes;
BEGIN
    FOR m IN SELECT * FROM modes LOOP
        EXECUTE format('CREATE TABLE %I (name text PRIMARY KEY, b bloomfilter, c cuckoofilter)', m.mode);
        EXECUTE format('ALTER TABLE %I ALTER b SET STORAGE %s, ALTER c SET STORAGE %2$s', m.mode, m.storage);
        PERFORM compress_by(m.mode, m.compression) WHERE m.compression IS NOT NULL;
        EXECUTE format('INSERT INTO %I SELECT name, b::bloomfilter, c::cuckoofilter FROM original
            WHERE %L <> ''plain'' OR name IN (''short'', ''long'')', m.mode, m.mode);
        EXECUTE format('CREATE INDEX ON %I (md5(b::bytea), bf_contains(b, -1), cf_count(c, 1))', m.mode);
    END LOOP;
END$$;
RESET client_min_messages;

-- How each is stored: with a header of 1 byte or 4, compressed or not, in the row or out of line.
CREATE FUNCTION held() RETURNS TABLE (mode text, held text) LANGUAGE plpgsql AS $$
DECLARE
    toast regclass;
BEGIN
    FOR mode IN SELECT m.mode FROM modes m ORDER BY m.mode LOOP
        SELECT reltoastrelid INTO toast FROM pg_class WHERE oid = mode::regclass;
        EXECUTE format($q$SELECT string_agg(name
            || CASE WHEN pg_column_size(b) < octet_length(b::bytea) THEN ' compressed' ELSE '' END
            || CASE WHEN pg_column_size(b) >= octet_length(b::bytea) + 4 THEN ' (4 bytes)'
                WHEN pg_column_size(b) = octet_length(b::bytea) + 1 THEN ' (1 byte)' ELSE '' END, ', '
                ORDER BY octet_length(b::bytea))
            FROM %I$q$, mode) INTO held;
        -- The header of a plain one depends on the version.
        IF mode = 'plain' THEN
            held := regexp_replace(held, ' \(\d bytes?\)', '', 'g');
        END IF;
        held := held || CASE WHEN pg_relation_size(toast) > 0 THEN '; some out of line' ELSE '' END;
        RETURN NEXT;
    END LOOP;
END$$;
SELECT * FROM held();

-- Errors: images that differ from those of filters in memory after the same changes, and missing values.
CREATE FUNCTION wrong(change_b text DEFAULT 'f', change_c text DEFAULT 'f', first integer DEFAULT 1)
    RETURNS TABLE (mode text, filters bigint, other_images bigint, missing bigint) LANGUAGE plpgsql AS $$
BEGIN
    FOR mode IN SELECT m.mode FROM modes m ORDER BY m.mode LOOP
        EXECUTE format($q$SELECT count(*), count(*) FILTER (WHERE t.b::bytea <> o.b OR t.c::bytea <> o.c),
            sum((SELECT count(*) FROM generate_series(%s, n) i
                WHERE NOT (bf_contains(t.b, i) AND t.c @> i AND cf_count(t.c, i) > 0)))
            FROM %I t JOIN (SELECT name, n, (SELECT %s FROM (SELECT b::bloomfilter AS f OFFSET 0) AS x)::bytea AS b,
                (SELECT %s FROM (SELECT c::cuckoofilter AS f OFFSET 0) AS x)::bytea AS c FROM original) AS o USING (name)$q$,
            first, mode, change_b, change_c) INTO filters, other_images, missing;
        RETURN NEXT;
    END LOOP;
END$$;
SELECT * FROM wrong();

-- Changed in place: each statement on the result of the previous one.
SELECT format('UPDATE %I SET b = bf_add(b, -1), c = cf_add(c, -1)', mode) FROM modes \gexec
SELECT * FROM wrong('bf_add(f, -1)', 'cf_add(f, -1)');
SELECT format('UPDATE %I SET b = bf_union(b, b), c = cf_delete(c, 1)', mode) FROM modes \gexec
SELECT * FROM wrong('bf_add(f, -1)', 'cf_delete(cf_add(f, -1), 1)', 2);
SELECT format('UPDATE %I SET b = bf_add_all(b, ARRAY[-2, -3]), c = cf_union(c, cf_add(cf_create(10), -4))', mode)
FROM modes
\gexec
SELECT * FROM wrong('bf_add_all(bf_add(f, -1), ARRAY[-2, -3])',
    'cf_union(cf_delete(cf_add(f, -1), 1), cf_add(cf_create(10), -4))', 2);
-- The results of the changes, recorded as the expected content of the tables from now on.
UPDATE original SET b = bf_add_all(bf_add(b::bloomfilter, -1), ARRAY[-2, -3])::bytea,
    c = cf_union(cf_delete(cf_add(c::cuckoofilter, -1), 1), cf_add(cf_create(10), -4))::bytea;
SELECT count(*) AS wrong FROM wrong('f', 'f', 2) WHERE other_images > 0 OR missing > 0;

-- Rewritten without a change.
SELECT format('VACUUM FULL %I', mode) FROM modes \gexec
SELECT * FROM wrong('f', 'f', 2);
SELECT format('CLUSTER %I USING %I', mode, mode || '_pkey') FROM modes \gexec
SELECT * FROM wrong('f', 'f', 2);
SELECT format('ALTER TABLE %I ADD extra float8 DEFAULT random()', mode) FROM modes \gexec
SELECT * FROM wrong('f', 'f', 2);

-- From every mode into every other one. An index on the rewritten column finds the same rows.
SELECT * FROM held();
DO $$
DECLARE
    m text;
    s text;
BEGIN
    FOR s IN SELECT unnest(ARRAY['external', 'main', 'extended', 'external']) LOOP
        FOR m IN SELECT mode FROM modes WHERE mode <> 'plain' LOOP
            EXECUTE format('ALTER TABLE %I ALTER b SET STORAGE %s, ALTER c SET STORAGE %2$s', m, s);
            PERFORM compress_by(m, CASE WHEN m = 'lz4' THEN 'pglz' ELSE 'lz4' END);
            -- A value cast through bytea is stored anew; a value that is not touched keeps its storage.
            EXECUTE format('UPDATE %I SET b = b::bytea::bloomfilter, c = c::bytea::cuckoofilter', m);
        END LOOP;
        ASSERT NOT EXISTS (SELECT FROM wrong('f', 'f', 2) WHERE other_images > 0 OR missing > 0), s;
    END LOOP;
END$$;
SELECT * FROM held();
SELECT format('VACUUM %I', mode) FROM modes \gexec
SELECT format('REINDEX TABLE %I', mode) FROM modes \gexec
SET enable_seqscan = off;
SET enable_bitmapscan = off;
CREATE FUNCTION counted(query text, OUT rows bigint) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query INTO rows;
END $$;
SELECT mode, counted(format(
    'SELECT count(*) FROM original o JOIN %I t ON md5(t.b::bytea) = md5(o.b) AND bf_contains(t.b, -1)
        AND cf_count(t.c, 1) = cf_count(o.c::cuckoofilter, 1)', mode)) AS found_by_index
FROM modes ORDER BY mode;
RESET enable_seqscan;
RESET enable_bitmapscan;
SELECT * FROM wrong('f', 'f', 2);

SET client_min_messages = warning;
DROP SCHEMA storage_modes CASCADE;
