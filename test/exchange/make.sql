-- Filters of every kind of value, of both types, made the same way on every server.
\set QUIET on
SET client_min_messages = warning;
SET timezone = 'UTC';
CREATE EXTENSION cuckoo_filter;
CREATE TYPE color AS ENUM ('red', 'green', 'blue');
CREATE TYPE point3 AS (x int, y bigint, label text);

-- Values 1 to 4,000: the first 2,000 are members of the filters.
CREATE TABLE samples AS
    SELECT i, i * 7919 AS whole, (i::bigint << 33) - i AS long, (i % 30000)::smallint AS short,
        'värde ' || md5(i::text) AS words, decode(md5(i::text), 'hex') AS bytes, md5(i::text)::uuid AS id,
        '2000-01-01'::date + (i - 2000) AS day, '00:00'::time + i * interval '21.6 seconds' AS clock,
        '1970-01-01'::timestamp + i * interval '1 day 1 second' AS moment,
        '1970-01-01 UTC'::timestamptz - i * interval '1 hour 1 microsecond' AS instant,
        i / 7.0::float8 AS double, (i / 8.0)::real AS single, (i / 16.0 - 50)::numeric(12, 3) AS decimal,
        ARRAY[i, NULL, -i] AS list, ARRAY[i::text, 'ß'] AS text_list, ROW(i, -i, 'é' || i)::point3 AS place,
        jsonb_build_object('n', i) AS document, int4range(i, i + 3) AS span,
        ('é ' || i)::char(20) AS padded
    FROM generate_series(1, 4000) AS i;

-- portable: not hashed by a function of PostgreSQL, whose result depends on the byte order.
-- changes: whether change.sql changes it. It cannot change those of arrays: array_agg makes one array of all elements.
CREATE TABLE filters (name text PRIMARY KEY, value text, portable boolean, changes boolean, bloom bloomfilter, cuckoo cuckoofilter);
CREATE TABLE received (LIKE filters);
DO $$
DECLARE
    value text;
BEGIN
    FOR value IN SELECT attname FROM pg_attribute WHERE attrelid = 'samples'::regclass AND attnum > 1 ORDER BY attnum LOOP
        EXECUTE format('INSERT INTO filters SELECT %1$L, %1$L, %2$L, %3$L, bf_agg(%1$I), cf_agg(%1$I)
            FROM samples WHERE i <= 2000', value, value NOT IN ('document', 'span'), value !~ 'list|document|span');
    END LOOP;
END $$;
INSERT INTO filters
SELECT 'grown', 'whole', true, true, bf_add_all(bf_create(100), array_agg(whole ORDER BY i)),
    cf_add_all(cf_create(100), array_agg(whole ORDER BY i)) FROM samples WHERE i <= 2000
UNION ALL
SELECT 'union', 'words', true, true, bf_union(bf_agg(words, 1500) FILTER (WHERE i <= 900), bf_agg(words, 1500) FILTER (WHERE i > 900)),
    cf_union(cf_agg(words, 1500) FILTER (WHERE i <= 900), cf_agg(words, 1500) FILTER (WHERE i > 900))
    FROM samples WHERE i <= 2000
UNION ALL
SELECT 'many', 'whole', true, true, bf_agg(n, 200000, 0.0001), cf_agg(n, 200000, 0.0001)
    FROM (SELECT n FROM generate_series(1, 150000) AS n UNION ALL SELECT whole FROM samples WHERE i <= 2000) AS numbers;
INSERT INTO filters
SELECT 'color', 'color', true, false, bf_agg(c), cf_agg(c) FROM unnest('{red,blue}'::color[]) AS c;
