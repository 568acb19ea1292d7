\set id random(1, 20000)
SELECT probe(:id, :id + 100);
