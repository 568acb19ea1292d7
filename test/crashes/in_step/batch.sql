\set id random(1, 20000)
\set version random(0, 9)
INSERT INTO accounts SELECT id, email_of(id, (:version + id % 2)::integer) FROM generate_series(:id, :id + 99) AS id
ON CONFLICT DO NOTHING;
UPDATE accounts SET email = email_of(id, (id % 10)::integer) WHERE id BETWEEN :id + 50 AND :id + 149;
DELETE FROM accounts WHERE id BETWEEN :id + 100 AND :id + 149;
