\set r random(0, 79)
\set shard case when :r < 64 then :r else 64 + :r % 4 end
\set key case when random(1, 50) = 1 then random(1, 2) when :r < 64 then random(3, 250) else random(3, 5000) end
WITH added AS (
	INSERT INTO exact (shard, key)
	SELECT :shard, :key
	WHERE :key <= 2 OR (SELECT count(*) FROM exact WHERE shard = :shard AND key = :key) < 2
	RETURNING key
)
UPDATE filters SET b = bf_add(b, key::text), c = cf_add(c, key) FROM added WHERE shard = :shard;
