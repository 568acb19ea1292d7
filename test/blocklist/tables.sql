-- The tables of the recipe for a long list of hashes (docs/recipes.md), and a table with a B-tree. Run by test/blocklist/run,
-- which sets shards, a number.
CREATE EXTENSION cuckoo_filter;
CREATE TABLE leaked (shard int PRIMARY KEY, hashes bloomfilter NOT NULL) WITH (toast_tuple_target = 8160);
CREATE TABLE leaked_lately (hash bytea PRIMARY KEY);
CREATE FUNCTION shard_of(hash bytea) RETURNS int IMMUTABLE STRICT PARALLEL SAFE
    RETURN ('x' || encode(substr(hash, 1, 4), 'hex'))::bit(32)::bigint % :shards;
CREATE TABLE listed (hash bytea);
-- A thousandth as many hashes as there are keys in the list, which has none of them.
CREATE FUNCTION more(keys bigint) RETURNS TABLE (hash bytea)
    BEGIN ATOMIC SELECT substr(sha256(int8send(n)), 1, 20) FROM generate_series(3 * keys, 3 * keys + keys / 1000) AS n; END;
