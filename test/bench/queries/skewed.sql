-- A shop with skewed data: few users and items have most events, columns depend on each other, and so do keys of several
-- columns. So the planner's estimates are often wrong, as they are for real data. Included by load.sql. At scale 1, a million
-- users have six million events.
\ir draw.sql

SELECT (1000000 * :scale)::int AS users, (200000 * :scale)::int AS items, (6000000 * :scale)::int AS events \gset

CREATE TABLE regions AS
    SELECT n AS region, 'region ' || n AS name FROM generate_series(1, 8) AS n;
CREATE TABLE countries AS
    SELECT n AS country, 'country ' || n AS name, 1 + n % 8 AS region FROM generate_series(1, 60) AS n;
CREATE TABLE days AS
    SELECT d::date AS day, extract(isodow FROM d) > 5 AS is_weekend, uniform(n, 1) < 0.03 AS is_holiday,
        extract(year FROM d)::int AS year, extract(week FROM d)::int AS week
    FROM generate_series(timestamp '2023-01-01', '2025-12-31', '1 day') WITH ORDINALITY AS t (d, n);
CREATE TABLE sellers AS
    SELECT n AS seller, skewed(n, 2, 60, 3) AS country, round(5 * uniform(n, 3)::numeric, 1) AS rating
    FROM generate_series(1, 5000) AS n;
-- A brand has one category, and a seller few brands.
CREATE TABLE items AS
    SELECT n AS item, b / 20 AS category, b AS brand, 1 + (b * 7 + skewed(n, 5, 30, 2)) % 5000 AS seller,
        round((5 + 2000 * uniform(n, 6) ^ 4)::numeric, 2) AS price, 'item ' || n AS title
    FROM generate_series(1, :items) AS n, skewed(n, 4, 2000, 2) AS b;
CREATE TABLE users AS
    SELECT n AS "user", skewed(n, 7, 60, 4) AS country, date '2020-01-01' + (2000 * n::bigint / :users)::int AS since,
        CASE WHEN uniform(n, 8) < 0.7 THEN skewed(n, 9, :users, 4) END AS invited_by,
        CASE WHEN uniform(n, 10) < 0.02 THEN 'gold' WHEN uniform(n, 10) < 0.15 THEN 'silver' ELSE 'free' END AS plan,
        'user' || n || '@' || CASE WHEN uniform(n, 11) < 0.6 THEN 'a' ELSE 'b' || skewed(n, 12, 500, 2) END || '.example' AS address
    FROM generate_series(1, :users) AS n;
-- In the order of days; recent ones have more.
CREATE TABLE events AS
    SELECT n AS event, skewed(n, 13, :users, 3) AS "user", skewed(n, 14, :items, 3) AS item,
        date '2023-01-01' + (1095 * sqrt(n / (:events + 1)::float8))::int AS day,
        skewed(n, 15, 6, 3) AS kind, skewed(n, 16, 400, 2) AS amount
    FROM generate_series(1, :events::bigint) AS n;
-- Of users and items of one event; so both keys together match whenever one does, unlike what the planner expects.
CREATE TABLE reviews AS
    SELECT DISTINCT ON ("user", item) "user", item, day + 3 AS day, 5 - skewed(event, 17, 5, 2) % 5 AS stars
    FROM events WHERE kind = 4 ORDER BY "user", item, event;
CREATE TABLE tags AS
    SELECT DISTINCT item, skewed(item * 10::bigint + n, 18, 1000, 3) AS tag FROM items, generate_series(1, 4) AS n;
CREATE TABLE blocked AS
    SELECT DISTINCT skewed(n, 19, :users, 1.5) AS "user" FROM generate_series(1, :users / 200) AS n;
CREATE TABLE carts AS
    SELECT n AS cart, skewed(n, 20, :users, 1) AS "user", skewed(n, 21, :items, 1) AS item, uniform(n, 22) < 0.9 AS is_open
    FROM generate_series(1, 20000) AS n;
-- A forum, all of whose tables are small. A thousand topics lead to a post each, and from there to authors, awards and edits.
CREATE TABLE authors AS
    SELECT n AS author, uniform(n, 23) < 0.02 AS is_closed, n % 7 AS kind FROM generate_series(1, 40000) AS n;
CREATE TABLE posts AS
    SELECT n AS post, skewed(n, 24, 40000, 3) AS author, skewed(n, 25, 11, 1) - 1 AS comments, md5(n::text) AS title
    FROM generate_series(1, 92000) AS n;
CREATE TABLE awards AS
    SELECT n AS award, skewed(n, 26, 40000, 2) AS author, date '2010-01-01' + skewed(n, 27, 1600, 1) AS day
    FROM generate_series(1, 80000) AS n;
CREATE TABLE edits AS
    SELECT n AS edit, skewed(n, 28, 40000, 3) AS author, 1 + n % 92000 AS post, md5(n::text) AS body
    FROM generate_series(1, 260000) AS n;
CREATE TABLE topics AS
    SELECT n AS topic, CASE n % 2 WHEN 0 THEN skewed(n, 29, 92000, 1) END AS post FROM generate_series(1, 1000) AS n;

ALTER TABLE regions ADD PRIMARY KEY (region);
ALTER TABLE countries ADD PRIMARY KEY (country);
ALTER TABLE days ADD PRIMARY KEY (day);
ALTER TABLE sellers ADD PRIMARY KEY (seller);
ALTER TABLE items ADD PRIMARY KEY (item);
ALTER TABLE users ADD PRIMARY KEY ("user");
ALTER TABLE events ADD PRIMARY KEY (event);
ALTER TABLE reviews ADD PRIMARY KEY ("user", item);
ALTER TABLE tags ADD PRIMARY KEY (tag, item);
ALTER TABLE blocked ADD PRIMARY KEY ("user");
ALTER TABLE carts ADD PRIMARY KEY (cart);
CREATE INDEX ON items (brand);
CREATE INDEX ON items (seller);
CREATE INDEX ON users (invited_by);
CREATE INDEX ON events ("user", item);
CREATE INDEX ON events (item);
CREATE INDEX ON events (day);
CREATE INDEX ON reviews (item);
CREATE INDEX ON tags (item);
ALTER TABLE authors ADD PRIMARY KEY (author);
ALTER TABLE posts ADD PRIMARY KEY (post);
CREATE INDEX ON posts (author);
CREATE INDEX ON awards (author);
CREATE INDEX ON edits (author);
CREATE INDEX ON edits (post);
