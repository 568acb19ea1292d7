-- Makes the tables of the Star Schema Benchmark (O'Neil, O'Neil and Chen): its columns, ranges, and numbers of rows, for
-- six million rows of lineorder per unit of scale. Values are made from hashes of the row's number, so they are the same
-- in every run. Included by star.sql, which sets scale.

-- A random number from 0 on and below a limit, for a row and a column.
CREATE FUNCTION draw(n bigint, salt int, below int) RETURNS int IMMUTABLE LANGUAGE sql AS
    'SELECT ((hashint8extended(n, salt) & 9223372036854775807) % below)::int';

CREATE TEMPORARY TABLE nations AS
SELECT (ord - 1)::int AS number, nation,
    (ARRAY['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST'])[((ord + 4) / 5)::int] AS region
FROM unnest(ARRAY['ALGERIA', 'ETHIOPIA', 'KENYA', 'MOROCCO', 'MOZAMBIQUE', 'ARGENTINA', 'BRAZIL', 'CANADA', 'PERU',
    'UNITED STATES', 'CHINA', 'INDIA', 'INDONESIA', 'JAPAN', 'VIETNAM', 'FRANCE', 'GERMANY', 'ROMANIA', 'RUSSIA',
    'UNITED KINGDOM', 'EGYPT', 'IRAN', 'IRAQ', 'JORDAN', 'SAUDI ARABIA']) WITH ORDINALITY AS listed (nation, ord);

CREATE TABLE customer AS
SELECT n AS c_custkey, 'Customer#' || lpad(n::text, 9, '0') AS c_name, left(md5(n::text), 10 + draw(n, 1, 15)) AS c_address,
    rpad(left(nation, 9), 9) || draw(n, 3, 10) AS c_city, nation AS c_nation, region AS c_region,
    (10 + number) || '-' || (100 + draw(n, 4, 900)) || '-' || (1000 + draw(n, 5, 9000)) AS c_phone,
    (ARRAY['AUTOMOBILE', 'BUILDING', 'FURNITURE', 'HOUSEHOLD', 'MACHINERY'])[1 + draw(n, 6, 5)] AS c_mktsegment
FROM generate_series(1, (30000 * :scale)::int) AS n JOIN nations ON number = draw(n, 2, 25);
ALTER TABLE customer ADD PRIMARY KEY (c_custkey);

CREATE TABLE supplier AS
SELECT n AS s_suppkey, 'Supplier#' || lpad(n::text, 9, '0') AS s_name, left(md5(n::text), 10 + draw(n, 11, 15)) AS s_address,
    rpad(left(nation, 9), 9) || draw(n, 13, 10) AS s_city, nation AS s_nation, region AS s_region,
    (10 + number) || '-' || (100 + draw(n, 14, 900)) || '-' || (1000 + draw(n, 15, 9000)) AS s_phone
FROM generate_series(1, (2000 * :scale)::int) AS n JOIN nations ON number = draw(n, 12, 25);
ALTER TABLE supplier ADD PRIMARY KEY (s_suppkey);

CREATE TABLE part AS
SELECT n AS p_partkey, left(md5(n::text), 8 + draw(n, 21, 14)) AS p_name, 'MFGR#' || maker AS p_mfgr,
    'MFGR#' || maker || category AS p_category, 'MFGR#' || maker || category || (1 + draw(n, 24, 40)) AS p_brand1,
    left(md5((n % 92)::text), 3 + n % 8) AS p_color, left(md5((n % 150)::text), 9 + n % 16) AS p_type,
    1 + draw(n, 25, 50) AS p_size, left(md5((n % 40)::text), 8) AS p_container
FROM generate_series(1, (200000 * (1 + floor(greatest(log(2, :scale), 0))))::int) AS n,
    LATERAL (SELECT 1 + draw(n, 22, 5) AS maker, 1 + draw(n, 23, 5) AS category OFFSET 0) AS drawn;
ALTER TABLE part ADD PRIMARY KEY (p_partkey);

CREATE TABLE date AS
SELECT to_char(day, 'YYYYMMDD')::int AS d_datekey, to_char(day, 'FMMonth DD, YYYY') AS d_date,
    to_char(day, 'FMDay') AS d_dayofweek, to_char(day, 'FMMonth') AS d_month, extract(year FROM day)::int AS d_year,
    to_char(day, 'YYYYMM')::int AS d_yearmonthnum, to_char(day, 'MonYYYY') AS d_yearmonth,
    extract(isodow FROM day)::int AS d_daynuminweek, extract(day FROM day)::int AS d_daynuminmonth,
    extract(doy FROM day)::int AS d_daynuminyear, extract(month FROM day)::int AS d_monthnuminyear,
    (extract(doy FROM day)::int + 6) / 7 AS d_weeknuminyear
FROM generate_series(timestamp '1992-01-01', timestamp '1998-12-31', interval '1 day') AS day;
ALTER TABLE date ADD PRIMARY KEY (d_datekey);

-- Orders have four lines, each with a part and a supplier, and are placed until August 2, 1998.
CREATE TEMPORARY TABLE days AS SELECT (row_number() OVER (ORDER BY d_datekey))::int - 1 AS number, d_datekey FROM date;
ANALYZE days;
CREATE TABLE lineorder AS
SELECT o AS lo_orderkey, line AS lo_linenumber, 1 + draw(o, 31, (30000 * :scale)::int) AS lo_custkey, part AS lo_partkey,
    1 + draw(n, 33, (2000 * :scale)::int) AS lo_suppkey, ordered.d_datekey AS lo_orderdate,
    (ARRAY['1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECI', '5-LOW'])[1 + draw(o, 34, 5)] AS lo_orderpriority,
    '0'::text AS lo_shippriority, quantity AS lo_quantity, quantity * price AS lo_extendedprice,
    4 * quantity * price AS lo_ordtotalprice, discount AS lo_discount,
    quantity * price / 100 * (100 - discount) AS lo_revenue, price * 6 / 10 AS lo_supplycost,
    draw(n, 37, 9) AS lo_tax, committed.d_datekey AS lo_commitdate,
    (ARRAY['REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB'])[1 + draw(n, 38, 7)] AS lo_shipmode
FROM (SELECT n, (n + 3) / 4 AS o, 1 + n % 4 AS line,
          1 + draw(n, 32, (SELECT count(*) FROM part)::int) AS part, 1 + draw(n, 35, 50) AS quantity,
          draw(n, 36, 11) AS discount, draw((n + 3) / 4, 39, 2406) AS day
      FROM generate_series(1, (6000000 * :scale)::int) AS n OFFSET 0) AS lines
    CROSS JOIN LATERAL (SELECT 90000 + part / 10 % 20001 + 100 * (part % 1000) AS price) AS priced
    JOIN days AS ordered ON ordered.number = day JOIN days AS committed ON committed.number = day + 30 + part % 61;

VACUUM (FREEZE, ANALYZE);
