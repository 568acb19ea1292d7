\set id random(1, 20000)
UPDATE accounts SET logins = logins + 1 WHERE id BETWEEN :id AND :id + 10;
