-- A lookup in the filters; see run.
\set n random(1, 2 * :keys)
SELECT EXISTS (SELECT FROM leaked WHERE shard = shard_of(asked) AND hashes @> asked)
    OR EXISTS (SELECT FROM leaked_lately WHERE hash = asked)
FROM (SELECT substr(sha256(int8send(:n)), 1, 20) AS asked OFFSET 0) AS request;
