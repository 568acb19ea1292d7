\set id random(1, 20000)
DELETE FROM accounts WHERE id = :id;
