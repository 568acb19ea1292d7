-- A table with a B-tree, to compare the recipe for a long list of hashes with (docs/billion_hashes.md), and further hashes.
-- Run by test/blocklist/run.
CREATE TABLE listed (hash bytea);
-- A thousandth as many hashes as there are keys in the list, which has none of them.
CREATE FUNCTION more(keys bigint) RETURNS TABLE (hash bytea)
    BEGIN ATOMIC SELECT substr(sha256(int8send(n)), 1, 20) FROM generate_series(3 * keys, 3 * keys + keys / 1000) AS n; END;
