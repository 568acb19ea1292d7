-- A supplier of electricity: long chains of foreign keys, between tables of all sizes. Columns are skewed, and depend on what
-- they refer to. Included by load.sql. At scale 1, the largest table has two million rows.
\ir draw.sql

SELECT (150000 * :scale)::int AS customers, (300000 * :scale)::int AS contracts, (350000 * :scale)::int AS meters \gset

CREATE TABLE country AS SELECT n AS id, 'country ' || n AS name, n % 5 AS zone FROM generate_series(1, 40) AS n;
CREATE TABLE city AS SELECT n AS id, skewed(n, 1, 40, 2) AS country, 'city ' || n AS name, skewed(n, 2, 1000, 3) * 1000 AS inhabitants
FROM generate_series(1, 3000) AS n;
CREATE TABLE station AS SELECT n AS id, skewed(n, 3, 3000, 2) AS city, skewed(n, 4, 9, 2) AS kind FROM generate_series(1, 1200) AS n;
CREATE TABLE maker AS SELECT n AS id, skewed(n, 5, 40, 1) AS country, 'maker ' || n AS name FROM generate_series(1, 50) AS n;
CREATE TABLE model AS SELECT n AS id, skewed(n, 6, 50, 3) AS maker, 2000 + n % 25 AS year, uniform(n, 7) < 0.2 AS is_smart
FROM generate_series(1, 400) AS n;
CREATE TABLE tariff AS SELECT n AS id, 'tariff ' || n AS name, n % 3 AS kind, 0.1 + n * 0.01 AS price FROM generate_series(1, 30) AS n;
CREATE TABLE employee AS SELECT n AS id, skewed(n, 8, 3000, 3) AS city, skewed(n, 9, 20, 2) AS role, date '2000-01-01' + skewed(n, 10, 9000, 1) AS since
FROM generate_series(1, 6000) AS n;
CREATE TABLE customer AS
SELECT n AS id, skewed(n, 11, 3000, 3) AS city, skewed(n, 12, 4, 3) AS kind, 'customer ' || md5(n::text) AS name, skewed(n, 13, 100, 2) AS score
FROM generate_series(1, :customers) AS n;
CREATE TABLE contract AS
SELECT n AS id, skewed(n, 14, :customers, 1.3) AS customer, skewed(n, 15, 30, 3) AS tariff,
    date '2012-01-01' + (4500 * n::bigint / :contracts)::int AS since, uniform(n, 16) < 0.85 AS is_valid
FROM generate_series(1, :contracts) AS n;
-- A meter's model is of its time.
CREATE TABLE meter AS
SELECT n AS id, skewed(n, 17, :contracts, 1) AS contract, skewed(n, 18, 1200, 2) AS station,
    1 + (n::bigint * 380 / :meters + skewed(n, 19, 20, 1)) % 400 AS model, skewed(n, 20, 50, 3) AS state
FROM generate_series(1, :meters) AS n;
CREATE TABLE reading AS
SELECT n AS id, skewed(n, 21, :meters, 1.5) AS meter, date '2022-01-01' + (1400 * n / (2000000 * :scale))::int AS day,
    skewed(n, 22, 10000, 3) AS value, skewed(n, 23, 8, 4) AS quality
FROM generate_series(1::bigint, (2000000 * :scale)::bigint) AS n;
CREATE TABLE invoice AS
SELECT n AS id, skewed(n, 24, :contracts, 1.5) AS contract, date '2020-01-01' + (2100 * n / (700000 * :scale))::int AS day,
    skewed(n, 25, 6, 3) AS state, skewed(n, 26, 5000, 2) AS total
FROM generate_series(1::bigint, (700000 * :scale)::bigint) AS n;
CREATE TABLE payment AS
SELECT n AS id, skewed(n, 27, 700000 * :scale, 1) AS invoice, skewed(n, 28, 9, 2) AS way, skewed(n, 29, 5000, 2) AS amount
FROM generate_series(1::bigint, (900000 * :scale)::bigint) AS n;
CREATE TABLE complaint AS
SELECT n AS id, skewed(n, 30, :customers, 2) AS customer, skewed(n, 31, 6000, 2) AS employee, skewed(n, 32, 12, 2) AS topic,
    skewed(n, 33, 5, 2) AS urgency
FROM generate_series(1::bigint, (80000 * :scale)::bigint) AS n;

SELECT format('ALTER TABLE %s ADD PRIMARY KEY (id)', name)
FROM unnest(string_to_array('country city station maker model tariff employee customer contract meter reading invoice payment complaint', ' ')) AS name \gexec
SELECT format('ALTER TABLE %s ADD FOREIGN KEY (%2$s) REFERENCES %2$s', split_part(key, '.', 1), split_part(key, '.', 2)),
    format('CREATE INDEX ON %s (%s)', split_part(key, '.', 1), split_part(key, '.', 2))
FROM unnest(regexp_split_to_array('city.country station.city maker.country model.maker employee.city customer.city contract.customer
    contract.tariff meter.contract meter.station meter.model reading.meter invoice.contract payment.invoice complaint.customer
    complaint.employee', '\s+')) AS key \gexec
