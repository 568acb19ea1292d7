-- The tables of test/citus/run.

-- For each type, a distributed table and a local one with the same rows, with NULLs and with values in several shards.
SELECT format('CREATE TABLE typed_%1$s (id bigint, v %2$s, g integer);
    SELECT create_distributed_table(''typed_%1$s'', ''id'', shard_count => 4);
    CREATE TABLE local_%1$s (LIKE typed_%1$s);
    INSERT INTO local_%1$s SELECT i, CASE WHEN i %% 100 > 0 THEN %3$s END, i %% 7 FROM generate_series(1, 20000) AS i;
    INSERT INTO typed_%1$s SELECT * FROM local_%1$s;', name, type, value)
FROM (VALUES ('smallint', 'smallint', 'i % 5000'), ('integer', 'integer', 'i % 5000'), ('bigint', 'bigint', 'i % 5000 * 10000000000'),
        ('text', 'text', '''t'' || i % 5000'), ('varchar', 'varchar(20)', '''v'' || i % 5000'), ('bpchar', 'char(9)', '''b'' || i % 5000'),
        ('name', 'name', '''n'' || i % 5000'), ('char', '"char"', 'chr(33 + i % 90)'), ('uuid', 'uuid', 'md5((i % 5000)::text)::uuid'),
        ('numeric', 'numeric', 'i % 5000 / 7.0'), ('date', 'date', 'date ''2000-01-01'' + i % 5000'),
        ('real', 'real', '(i % 5000) / 4'), ('domain', 'positive', 'i % 5000 + 1'),
        ('collated', 'text COLLATE insensitive', 'CASE WHEN i % 2 = 0 THEN ''A'' ELSE ''a'' END || i % 5000'))
    AS types (name, type, value) \gexec

-- Names that must be quoted, one of them so long that Citus shortens the names of its shards.
CREATE SCHEMA "Odd %s Schema";
CREATE TABLE "Odd %s Schema"."a ""table"" with a name %I that is very long; DROP TABLE x; --" (
    id bigint, "Col ""umn'; %L --" text, "select" integer);
SELECT create_distributed_table('"Odd %s Schema"."a ""table"" with a name %I that is very long; DROP TABLE x; --"', 'id', shard_count => 4);
INSERT INTO "Odd %s Schema"."a ""table"" with a name %I that is very long; DROP TABLE x; --"
    SELECT i, 'v' || i, i % 3 FROM generate_series(1, 1000) AS i;

-- A reference table, a local one, a partitioned one, and one to which only some have rights.
CREATE TABLE countries (code text, name text);
SELECT create_reference_table('countries');
INSERT INTO countries VALUES ('de', 'Germany'), ('fr', 'France'), ('it', 'Italy');
CREATE TABLE notes AS SELECT i AS id, 'note ' || i AS note FROM generate_series(1, 100) AS i;
CREATE TABLE events (id bigint, day date, who text) PARTITION BY RANGE (day);
CREATE TABLE events_january PARTITION OF events FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE events_february PARTITION OF events FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
SELECT create_distributed_table('events', 'id', shard_count => 4);
INSERT INTO events SELECT i, date '2026-01-01' + i % 59, 'user' || i % 500 FROM generate_series(1, 5000) AS i;
CREATE TABLE accounts (id bigint, email text, password text);
SELECT create_distributed_table('accounts', 'id', shard_count => 4);
INSERT INTO accounts SELECT i, 'user' || i, 'secret' || i FROM generate_series(1, 2000) AS i;
CREATE ROLE stranger LOGIN;
CREATE ROLE reader LOGIN;
GRANT SELECT (id, email) ON accounts TO reader;
GRANT SELECT ON events TO reader;

-- Filters. Of eight shards, one has most of them, one a single filter, one only NULL, and the others are empty.
CREATE TABLE sets (id bigint, g integer, b bloomfilter, b2 bloomfilter, c cuckoofilter);
SELECT create_distributed_table('sets', 'id', shard_count => 8);
CREATE TABLE local_sets (LIKE sets);
INSERT INTO local_sets
SELECT CASE i WHEN 1 THEN 2 ELSE 1 END, i % 3, bf_agg(v, 3000), bf_agg(v, 100 * i), cf_agg(v, 3000)
FROM generate_series(1, 8) AS i, generate_series(i * 100::bigint, 1000) AS v GROUP BY i;
INSERT INTO local_sets SELECT 3, g FROM generate_series(0, 2) AS g;
INSERT INTO sets SELECT * FROM local_sets;

-- A table that is probed, and its keys.
CREATE TABLE orders (id bigint, customer bigint, day date);
SELECT create_distributed_table('orders', 'id', shard_count => 32);
CREATE TABLE filters (name text PRIMARY KEY, customers bloomfilter);
SELECT create_reference_table('filters');
