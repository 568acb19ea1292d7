\set id random(1, 20000)
\set version random(0, 9)
INSERT INTO accounts VALUES (:id, email_of(:id, :version)) ON CONFLICT DO NOTHING;
