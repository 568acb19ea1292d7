\set r random(0, 79)
\set shard case when :r < 64 then :r else 64 + :r % 4 end
\set key case when random(1, 50) = 1 then random(1, 2) when :r < 64 then random(3, 250) else random(3, 5000) end
BEGIN;
SELECT add_key(:shard, :key);
SELECT delete_key(:shard, :key / 2 + 3);
UPDATE filters SET b = NULL, c = cf_delete_all(c, ARRAY[:key, :key + 1, :key + 2]) WHERE shard = :shard;
ROLLBACK;
