\set id random(1, 20000)
\set other random(1, 20000)
\set version random(0, 9)
BEGIN;
INSERT INTO accounts VALUES (:id, email_of(:id, :version)) ON CONFLICT DO NOTHING;
UPDATE accounts SET email = email_of(id, :version) WHERE id = :other;
DELETE FROM accounts WHERE id = :id;
ROLLBACK;
