\set shard random(0, 67)
BEGIN;
-- Every change of a key also changes the filter, so it comes before this lock or waits for it.
SELECT shard FROM filters WHERE shard = :shard FOR UPDATE;
UPDATE filters
SET (b, c) = (
	SELECT bf_agg(key::text), cf_add_all(cf_create(CASE WHEN :shard < 64 THEN 100 ELSE 1000 END), array_agg(key))
	FROM exact WHERE shard = :shard
)
WHERE shard = :shard AND EXISTS (SELECT FROM exact WHERE shard = :shard);
COMMIT;
