\set id random(1, 20000)
\set version random(0, 9)
UPDATE accounts SET email = email_of(id, :version), logins = logins + 1 WHERE id = :id;
