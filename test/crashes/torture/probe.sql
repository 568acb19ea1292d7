\set r random(0, 79)
\set shard case when :r < 64 then :r else 64 + :r % 4 end
SELECT probe(:shard);
