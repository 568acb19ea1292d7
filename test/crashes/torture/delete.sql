\set r random(0, 79)
\set shard case when :r < 64 then :r else 64 + :r % 4 end
\set key case when random(1, 50) = 1 then random(1, 2) when :r < 64 then random(3, 250) else random(3, 5000) end
WITH gone AS (
	DELETE FROM exact
	WHERE id = (SELECT id FROM exact WHERE shard = :shard AND key = :key LIMIT 1 FOR UPDATE SKIP LOCKED)
	RETURNING key
)
UPDATE filters SET c = cf_delete(c, key) FROM gone WHERE shard = :shard;
