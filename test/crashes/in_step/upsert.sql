\set id random(1, 20000)
\set version random(0, 9)
INSERT INTO accounts SELECT id, email_of(id, :version) FROM generate_series(:id, :id + 5) AS id
ON CONFLICT (id) DO UPDATE SET email = excluded.email;
