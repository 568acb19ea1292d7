-- Each query begins with its number, by which kits.sh divides the file.

-- 1: users of one country
SELECT count(*), sum(amount) FROM events JOIN users USING ("user") WHERE country = 40;
-- 2: users of the most frequent country, which a filter does not reduce
SELECT count(*), sum(amount) FROM events JOIN users USING ("user") WHERE country = 1;
-- 3: two filters
SELECT category, sum(amount) FROM events JOIN users USING ("user") JOIN items USING (item)
WHERE plan = 'gold' AND category = 70 GROUP BY category;
-- 4: items of a brand, which are found by an index
SELECT kind, count(*) FROM events JOIN items USING (item) WHERE brand = 1500 GROUP BY kind;
-- 5: the most frequent brand
SELECT kind, count(*) FROM events JOIN items USING (item) WHERE brand = 1 GROUP BY kind;
-- 6: columns that depend on each other: expected to be far fewer than they are
SELECT count(*), avg(amount) FROM events JOIN items USING (item) WHERE brand BETWEEN 20 AND 39 AND category = 1;
-- 7: a snowflake
SELECT r.name, sum(amount) FROM events JOIN users USING ("user") JOIN countries AS c USING (country) JOIN regions AS r USING (region)
WHERE r.name = 'region 8' GROUP BY r.name;
-- 8: the same, from the other side
SELECT c.name, count(*) FROM events JOIN items USING (item) JOIN sellers USING (seller) JOIN countries AS c USING (country)
WHERE c.name IN ('country 30', 'country 31') GROUP BY c.name;
-- 9: two keys that belong together
SELECT stars, count(*), sum(amount) FROM events JOIN reviews USING ("user", item) WHERE stars = 1 GROUP BY stars;
-- 10: the same with a filter on one side
SELECT count(*) FROM events AS e JOIN reviews AS r USING ("user", item) JOIN items USING (item) WHERE brand = 700 AND stars < 3;
-- 11: days of a small table
SELECT kind, sum(amount) FROM events JOIN days USING (day) WHERE is_holiday GROUP BY kind;
-- 12: a range of days, which an index finds
SELECT count(*) FROM events JOIN users USING ("user") WHERE day BETWEEN '2025-06-01' AND '2025-06-03' AND plan = 'gold';
-- 13: semi join
SELECT count(*) FROM events WHERE "user" IN (SELECT "user" FROM blocked);
-- 14: anti join, without a filter
SELECT count(*) FROM events WHERE NOT EXISTS (SELECT FROM blocked WHERE blocked."user" = events."user");
-- 15: outer join
SELECT count(*), count(r.stars) FROM carts LEFT JOIN reviews AS r USING (item) WHERE is_open;
-- 16: aggregates below the join
SELECT plan, count(*), sum(n) FROM users JOIN (SELECT "user", count(*) AS n FROM events GROUP BY "user") AS e USING ("user")
WHERE country = 50 GROUP BY plan;
-- 17: groups with HAVING
SELECT count(*) FROM (SELECT item FROM events JOIN users USING ("user") WHERE country = 30 GROUP BY item HAVING count(*) > 1) AS q;
-- 18: many to many, of a rare tag
SELECT count(DISTINCT "user") FROM tags JOIN events USING (item) WHERE tag = 900;
-- 19: of two tags
SELECT count(*) FROM tags AS a JOIN tags AS b USING (item) JOIN events USING (item) WHERE a.tag = 300 AND b.tag = 2;
-- 20: a table joined with itself
SELECT count(*) FROM users AS u JOIN users AS host ON u.invited_by = host."user" WHERE host.plan = 'gold' AND host.country = 9;
-- 21: the most frequent tag
SELECT count(*) FROM tags JOIN events USING (item) WHERE tag = 1;
-- 22: all users
SELECT count(*), sum(amount) FROM events JOIN users USING ("user");
-- 23: nearly all
SELECT count(*), sum(amount) FROM events JOIN items USING (item) WHERE price > 5.01;
-- 24: those with the most events
SELECT count(*), sum(amount) FROM events JOIN users USING ("user") WHERE since < '2020-01-20';
-- 25: those with the fewest
SELECT count(*), sum(amount) FROM events JOIN users USING ("user") WHERE since > '2025-06-01';
-- 26: a condition that the planner cannot estimate
SELECT count(*) FROM events JOIN users USING ("user") WHERE address LIKE '%7@b3%';
-- 27: the same, with far more rows than expected
SELECT count(*) FROM events JOIN users USING ("user") WHERE right(address, 9) = 'a.example';
-- 28: conditions on both sides
SELECT count(*) FROM events JOIN users USING ("user") WHERE kind = 6 AND plan = 'silver';
-- 29: the first rows only
SELECT event, amount FROM events JOIN users USING ("user") WHERE country = 2 ORDER BY event LIMIT 20;
-- 30: the first rows of a rare condition
SELECT event, amount FROM events JOIN users USING ("user") WHERE country = 58 ORDER BY event LIMIT 20;
-- 31: the greatest
SELECT "user", sum(amount) FROM events JOIN items USING (item) WHERE category = 30 GROUP BY "user" ORDER BY 2 DESC, 1 LIMIT 10;
-- 32: windows
SELECT count(*) FILTER (WHERE rank = 1), sum(amount) FILTER (WHERE rank = 2)
FROM (SELECT amount, rank() OVER (PARTITION BY "user" ORDER BY amount DESC, event) AS rank
    FROM events JOIN users USING ("user") WHERE country = 45) AS q;
-- 33: a sub-select for each row
SELECT count(*) FROM users AS u WHERE plan = 'gold' AND country = 7
    AND (SELECT sum(amount) FROM events AS e JOIN items USING (item) WHERE e."user" = u."user" AND category < 5) > 500;
-- 34: a lateral join
SELECT sum(last.amount) FROM users AS u, LATERAL (SELECT amount FROM events AS e WHERE e."user" = u."user" ORDER BY event DESC LIMIT 1) AS last
WHERE country = 55;
-- 35: a union
SELECT count(*) FROM (SELECT "user" FROM reviews UNION ALL SELECT "user" FROM carts) AS q JOIN users USING ("user") WHERE country = 20;
-- 36: carts, a small table, looked up in large ones
SELECT count(*), sum(price) FROM carts JOIN items USING (item) JOIN users USING ("user") WHERE country = 12;
-- 37: the same with events
SELECT count(*) FROM carts JOIN events USING ("user", item) WHERE is_open;
-- 38: small tables only
SELECT c.name, count(*) FROM sellers JOIN countries AS c USING (country) JOIN regions AS r USING (region) WHERE r.region = 3 GROUP BY c.name;
-- 39: one user
SELECT i.title, e.amount FROM events AS e JOIN items AS i USING (item) JOIN sellers USING (seller) WHERE "user" = 500000;
-- 40: one item of a cart
SELECT u.plan, i.title FROM carts JOIN users AS u USING ("user") JOIN items AS i USING (item) WHERE cart = 17;
-- 41: eight tables, one row
SELECT count(*) FROM events JOIN users AS u USING ("user") JOIN countries AS c ON c.country = u.country JOIN regions AS r ON r.region = c.region
    JOIN items AS i USING (item) JOIN sellers AS s USING (seller) JOIN countries AS sc ON sc.country = s.country JOIN days USING (day)
WHERE event = 12345;
-- 42: eight tables, many rows
SELECT r.name, sc.name, sum(amount)
FROM events JOIN users AS u USING ("user") JOIN countries AS c ON c.country = u.country JOIN regions AS r ON r.region = c.region
    JOIN items AS i USING (item) JOIN sellers AS s USING (seller) JOIN countries AS sc ON sc.country = s.country JOIN days USING (day)
WHERE is_weekend AND year = 2024 AND s.rating < 0.3 AND u.plan <> 'free' GROUP BY r.name, sc.name ORDER BY 3 DESC, 1, 2 LIMIT 10;
-- 43: small tables: a thousand rows are followed through four of them
SELECT count(*) FROM topics JOIN posts AS p USING (post) JOIN authors AS a USING (author) JOIN edits AS e USING (author)
    JOIN awards USING (author)
WHERE p.comments >= 0 AND is_closed AND day <= '2014-01-01';
-- 44: small tables: three of them, one author in fifty
SELECT count(*) FROM topics JOIN posts USING (post) JOIN authors USING (author) JOIN awards USING (author) WHERE is_closed;
-- 45: small tables: a condition that nearly all authors meet
SELECT count(*) FROM topics JOIN posts USING (post) JOIN authors USING (author) WHERE NOT is_closed;
-- 46: small tables: few authors
SELECT count(*) FROM posts AS p JOIN edits AS e USING (post) JOIN authors AS a ON a.author = e.author
WHERE comments = 3 AND kind = 2 AND a.author < 200;
-- 47: small tables: few authors, and awards
SELECT count(*) FROM posts AS p JOIN edits AS e USING (post) JOIN authors AS a ON a.author = e.author
    JOIN awards AS w ON w.author = a.author
WHERE comments <= 1 AND kind = 2 AND is_closed;
-- 48: small tables: from topics to the authors of edits
SELECT count(*) FROM topics JOIN edits USING (post) JOIN authors USING (author) WHERE NOT is_closed;
