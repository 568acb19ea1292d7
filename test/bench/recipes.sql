-- Run by test/bench/recipes, after the page's own statements have created its tables: fills them with more keys, and creates
-- a plain table with an index for each. `keys` is the number of keys, `days` that of the days of a window.
\set QUIET on
SET client_min_messages = warning;
SET synchronous_commit = off;
-- The nth key, as long as the identifier of an event.
CREATE FUNCTION k(n bigint) RETURNS text IMMUTABLE STRICT PARALLEL SAFE RETURN 'evt_' || left(md5(n::text), 24);

-- Deduplicate, and free.
SELECT count(*) FROM new_keys(ARRAY(SELECT k(n) FROM generate_series(1, :keys) AS n));
CREATE TABLE plain_keys (key text PRIMARY KEY);
INSERT INTO plain_keys SELECT k(n) FROM generate_series(1, :keys) AS n;
CREATE TABLE plain_jobs (key text PRIMARY KEY);
INSERT INTO plain_jobs TABLE plain_keys;

-- For n days.
CREATE TABLE plain_recent (key text PRIMARY KEY, day date NOT NULL);
\if :has_days
SELECT count(*)
FROM generate_series(1, :days) AS day,
    new_lately(ARRAY(SELECT k(day * :per_day + n) FROM generate_series(1, :per_day) AS n), date '2026-01-01' + day);
INSERT INTO plain_recent
    SELECT k(day * :per_day + n), date '2026-01-01' + day
    FROM generate_series(1, :days) AS day, generate_series(1, :per_day) AS n;
CREATE INDEX ON plain_recent (day);
\endif

-- The window, and the ring.
CREATE TABLE arrivals AS
    SELECT 1 + abs(hashint8(day * :per_day + n)) % :keys AS customer, date '2026-01-01' + day AS day
    FROM generate_series(1, :days + 1) AS day, generate_series(1, :per_day) AS n;
CREATE TABLE plain_visits (customer int, day date, PRIMARY KEY (customer, day));
INSERT INTO visits
    SELECT day, bf_agg(customer, :keys, 0.001) FROM arrivals WHERE day <= date '2026-01-01' + :days GROUP BY day;
INSERT INTO plain_visits SELECT DISTINCT customer, day FROM arrivals WHERE day <= date '2026-01-01' + :days;
CREATE TABLE plain_ring (key text, hour bigint, PRIMARY KEY (key, hour));

-- The block list, and the guard.
CREATE TABLE plain_revoked (token text PRIMARY KEY);
TRUNCATE revoked_tokens;
INSERT INTO revoked_tokens SELECT k(n) FROM generate_series(1, 4800) AS n;
UPDATE revoked SET tokens = cf_add_all(cf_create(1000, of => 'text'),
    ARRAY(SELECT token FROM revoked_tokens WHERE filter_hash(token) & 15 = shard));
INSERT INTO plain_revoked TABLE revoked_tokens;
CREATE SEQUENCE revoked_by_filter;
CREATE SEQUENCE revoked_plainly;
CREATE TABLE plain_customers (customer int PRIMARY KEY);
INSERT INTO plain_customers SELECT 20 * n FROM generate_series(1, :keys) AS n;
UPDATE guard SET known = bf_agg FROM (
    SELECT filter_hash(customer) & 255 AS s, bf_agg(customer, 1000, 0.001) FROM plain_customers GROUP BY 1) AS built
WHERE shard = s;

-- Keys of any case, and those that a page or a service reads.
CREATE TABLE plain_names AS SELECT initcap(k(n)) AS name FROM generate_series(1, :keys) AS n;
CREATE UNIQUE INDEX plain_names_folded ON plain_names (lower(name));
DELETE FROM names_taken;
INSERT INTO names_taken SELECT bf_agg(folded(name), :keys) FROM plain_names;

-- Parts, of which each has every thirtieth key.
DELETE FROM parts;
INSERT INTO parts
    SELECT day, filter_hash(customer) & 127 AS shard, bf_agg(customer, NULL, 0.001) FROM arrivals GROUP BY 1, 2 ORDER BY 2, 1;
CREATE TABLE plain_parts (key int, part date, PRIMARY KEY (key, part));
INSERT INTO plain_parts SELECT DISTINCT customer, day FROM arrivals;

-- A batch, of odd numbers.
CREATE TABLE plain_ids AS SELECT 2 * n::int AS id FROM generate_series(1, 5 * :keys) AS n;
ALTER TABLE plain_ids ADD PRIMARY KEY (id);
CREATE TABLE ids AS SELECT bf_agg(id) AS f FROM plain_ids;
VACUUM ANALYZE;
CHECKPOINT;
