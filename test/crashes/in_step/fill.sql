\set shard random(0, 63)
SELECT fill_email_shards(:shard, :shard);
