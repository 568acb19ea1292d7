-- The tables of the recipe for a long list of hashes (docs/recipes.md), and a table with a B-tree. Run by test/blocklist/run,
-- which sets shards, a number.
CREATE EXTENSION cuckoo_filter;
CREATE TABLE leaked (shard int PRIMARY KEY, hashes bloomfilter NOT NULL) WITH (toast_tuple_target = 8160);
CREATE TABLE leaked_lately (hash bytea PRIMARY KEY);
CREATE FUNCTION shard_of(hash bytea) RETURNS int IMMUTABLE STRICT PARALLEL SAFE
    RETURN ('x' || encode(substr(hash, 1, 4), 'hex'))::bit(32)::bigint % :shards;
CREATE TABLE listed (hash bytea);
