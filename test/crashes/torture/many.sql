\set r random(0, 79)
\set shard case when :r < 64 then :r else 64 + :r % 4 end
\set key case when :r < 64 then random(3, 240) else random(3, 4990) end
BEGIN;
WITH gone AS (
	DELETE FROM exact
	WHERE id IN (
		SELECT id FROM exact WHERE shard = :shard AND key BETWEEN :key AND :key + 10 FOR UPDATE SKIP LOCKED
	)
	RETURNING key
)
UPDATE filters SET c = cf_delete_all(c, keys) FROM (SELECT array_agg(key) AS keys FROM gone) AS g
WHERE shard = :shard AND keys IS NOT NULL;
WITH added AS (
	INSERT INTO exact (shard, key)
	SELECT :shard, k FROM generate_series(:key, :key + 10, 2) k
	WHERE (SELECT count(*) FROM exact WHERE shard = :shard AND key = k) < 2
	RETURNING key
)
UPDATE filters SET b = bf_add_all(b, texts), c = cf_add_all(c, keys)
FROM (SELECT array_agg(key) AS keys, array_agg(key::text) AS texts FROM added) AS a
WHERE shard = :shard AND keys IS NOT NULL;
COMMIT;
