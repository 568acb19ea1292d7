\set id random(1, 20000)
\set version random(0, 9)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM accounts WHERE id = :id;
INSERT INTO accounts VALUES (:id, email_of(:id, :version)) ON CONFLICT DO NOTHING;
DELETE FROM accounts WHERE id = :id + 1;
COMMIT;
