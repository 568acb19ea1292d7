\set id random(1, 20000)
\set other random(1, 20000)
\set version random(0, 8)
BEGIN;
SELECT shard FROM email_shards
WHERE shard = ANY (SELECT filter_hash(email_of(id, :version)) & 63 FROM unnest(ARRAY[:id::bigint, :other]) AS id)
ORDER BY shard FOR UPDATE;
INSERT INTO accounts VALUES (:id, email_of(:id, :version)) ON CONFLICT DO NOTHING;
INSERT INTO accounts VALUES (:other, email_of(:other, :version)) ON CONFLICT DO NOTHING;
COMMIT;
