\set shard random(0, 63)
\set other random(64, 67)
\set key random(3, 250)
BEGIN;
-- The UPDATE below locks both rows. A key that is there already locks none.
SELECT shard FROM filters WHERE shard = :shard FOR UPDATE;
SELECT add_key(:shard, :key);
SAVEPOINT first;
SELECT add_key(:shard, :key + 1000);
SELECT delete_key(:shard, :key);
ROLLBACK TO first;
SELECT delete_key(:shard, 253 - :key);
SAVEPOINT second;
SELECT add_key(:other, :key * 11);
SAVEPOINT third;
UPDATE filters SET b = bf_create(10), c = cf_create(10) WHERE shard IN (:shard, :other);
SELECT add_key(:other, :key * 12);
ROLLBACK TO third;
SELECT delete_key(:other, :key * 13);
RELEASE second;
COMMIT;
