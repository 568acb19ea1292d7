-- A lookup in the B-tree; see run.
\set n random(1, 2 * :keys)
SELECT EXISTS (SELECT FROM listed WHERE hash = asked)
FROM (SELECT substr(sha256(int8send(:n)), 1, 20) AS asked OFFSET 0) AS request;
