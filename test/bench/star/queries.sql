-- The queries of the Star Schema Benchmark, with filters of the dimensions that keep at most half of the rows. Each filter
-- is a line by itself, that begins with AND bf_contains: star.sql removes these lines for the plain query.

-- 1.1
SELECT sum(lo_extendedprice * lo_discount) AS revenue
FROM lineorder, date
WHERE lo_orderdate = d_datekey AND d_year = 1993 AND lo_discount BETWEEN 1 AND 3 AND lo_quantity < 25
    AND bf_contains((SELECT bf_agg(d_datekey) FROM date WHERE d_year = 1993), lo_orderdate)
;

-- 1.2
SELECT sum(lo_extendedprice * lo_discount) AS revenue
FROM lineorder, date
WHERE lo_orderdate = d_datekey AND d_yearmonthnum = 199401 AND lo_discount BETWEEN 4 AND 6
    AND lo_quantity BETWEEN 26 AND 35
    AND bf_contains((SELECT bf_agg(d_datekey) FROM date WHERE d_yearmonthnum = 199401), lo_orderdate)
;

-- 1.3
SELECT sum(lo_extendedprice * lo_discount) AS revenue
FROM lineorder, date
WHERE lo_orderdate = d_datekey AND d_weeknuminyear = 6 AND d_year = 1994 AND lo_discount BETWEEN 5 AND 7
    AND lo_quantity BETWEEN 26 AND 35
    AND bf_contains((SELECT bf_agg(d_datekey) FROM date WHERE d_weeknuminyear = 6 AND d_year = 1994), lo_orderdate)
;

-- 2.1
SELECT sum(lo_revenue), d_year, p_brand1
FROM lineorder, date, part, supplier
WHERE lo_orderdate = d_datekey AND lo_partkey = p_partkey AND lo_suppkey = s_suppkey
    AND p_category = 'MFGR#12' AND s_region = 'AMERICA'
    AND bf_contains((SELECT bf_agg(p_partkey) FROM part WHERE p_category = 'MFGR#12'), lo_partkey)
    AND bf_contains((SELECT bf_agg(s_suppkey) FROM supplier WHERE s_region = 'AMERICA'), lo_suppkey)
GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1;

-- 2.2
SELECT sum(lo_revenue), d_year, p_brand1
FROM lineorder, date, part, supplier
WHERE lo_orderdate = d_datekey AND lo_partkey = p_partkey AND lo_suppkey = s_suppkey
    AND p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228' AND s_region = 'ASIA'
    AND bf_contains((SELECT bf_agg(p_partkey) FROM part WHERE p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228'), lo_partkey)
    AND bf_contains((SELECT bf_agg(s_suppkey) FROM supplier WHERE s_region = 'ASIA'), lo_suppkey)
GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1;

-- 2.3
SELECT sum(lo_revenue), d_year, p_brand1
FROM lineorder, date, part, supplier
WHERE lo_orderdate = d_datekey AND lo_partkey = p_partkey AND lo_suppkey = s_suppkey
    AND p_brand1 = 'MFGR#2221' AND s_region = 'EUROPE'
    AND bf_contains((SELECT bf_agg(p_partkey) FROM part WHERE p_brand1 = 'MFGR#2221'), lo_partkey)
    AND bf_contains((SELECT bf_agg(s_suppkey) FROM supplier WHERE s_region = 'EUROPE'), lo_suppkey)
GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1;

-- 3.1
SELECT c_nation, s_nation, d_year, sum(lo_revenue) AS revenue
FROM customer, lineorder, supplier, date
WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey
    AND c_region = 'ASIA' AND s_region = 'ASIA' AND d_year >= 1992 AND d_year <= 1997
    AND bf_contains((SELECT bf_agg(c_custkey) FROM customer WHERE c_region = 'ASIA'), lo_custkey)
    AND bf_contains((SELECT bf_agg(s_suppkey) FROM supplier WHERE s_region = 'ASIA'), lo_suppkey)
GROUP BY c_nation, s_nation, d_year ORDER BY d_year, revenue DESC;

-- 3.2
SELECT c_city, s_city, d_year, sum(lo_revenue) AS revenue
FROM customer, lineorder, supplier, date
WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey
    AND c_nation = 'UNITED STATES' AND s_nation = 'UNITED STATES' AND d_year >= 1992 AND d_year <= 1997
    AND bf_contains((SELECT bf_agg(c_custkey) FROM customer WHERE c_nation = 'UNITED STATES'), lo_custkey)
    AND bf_contains((SELECT bf_agg(s_suppkey) FROM supplier WHERE s_nation = 'UNITED STATES'), lo_suppkey)
GROUP BY c_city, s_city, d_year ORDER BY d_year, revenue DESC;

-- 3.3
SELECT c_city, s_city, d_year, sum(lo_revenue) AS revenue
FROM customer, lineorder, supplier, date
WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey
    AND (c_city = 'UNITED KI1' OR c_city = 'UNITED KI5') AND (s_city = 'UNITED KI1' OR s_city = 'UNITED KI5')
    AND d_year >= 1992 AND d_year <= 1997
    AND bf_contains((SELECT bf_agg(c_custkey) FROM customer WHERE c_city IN ('UNITED KI1', 'UNITED KI5')), lo_custkey)
    AND bf_contains((SELECT bf_agg(s_suppkey) FROM supplier WHERE s_city IN ('UNITED KI1', 'UNITED KI5')), lo_suppkey)
GROUP BY c_city, s_city, d_year ORDER BY d_year, revenue DESC;

-- 3.4
SELECT c_city, s_city, d_year, sum(lo_revenue) AS revenue
FROM customer, lineorder, supplier, date
WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey
    AND (c_city = 'UNITED KI1' OR c_city = 'UNITED KI5') AND (s_city = 'UNITED KI1' OR s_city = 'UNITED KI5')
    AND d_yearmonth = 'Dec1997'
    AND bf_contains((SELECT bf_agg(c_custkey) FROM customer WHERE c_city IN ('UNITED KI1', 'UNITED KI5')), lo_custkey)
    AND bf_contains((SELECT bf_agg(s_suppkey) FROM supplier WHERE s_city IN ('UNITED KI1', 'UNITED KI5')), lo_suppkey)
    AND bf_contains((SELECT bf_agg(d_datekey) FROM date WHERE d_yearmonth = 'Dec1997'), lo_orderdate)
GROUP BY c_city, s_city, d_year ORDER BY d_year, revenue DESC;

-- 4.1
SELECT d_year, c_nation, sum(lo_revenue - lo_supplycost) AS profit
FROM date, customer, supplier, part, lineorder
WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey AND lo_orderdate = d_datekey
    AND c_region = 'AMERICA' AND s_region = 'AMERICA' AND (p_mfgr = 'MFGR#1' OR p_mfgr = 'MFGR#2')
    AND bf_contains((SELECT bf_agg(c_custkey) FROM customer WHERE c_region = 'AMERICA'), lo_custkey)
    AND bf_contains((SELECT bf_agg(s_suppkey) FROM supplier WHERE s_region = 'AMERICA'), lo_suppkey)
    AND bf_contains((SELECT bf_agg(p_partkey) FROM part WHERE p_mfgr IN ('MFGR#1', 'MFGR#2')), lo_partkey)
GROUP BY d_year, c_nation ORDER BY d_year, c_nation;

-- 4.2
SELECT d_year, s_nation, p_category, sum(lo_revenue - lo_supplycost) AS profit
FROM date, customer, supplier, part, lineorder
WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey AND lo_orderdate = d_datekey
    AND c_region = 'AMERICA' AND s_region = 'AMERICA' AND (d_year = 1997 OR d_year = 1998)
    AND (p_mfgr = 'MFGR#1' OR p_mfgr = 'MFGR#2')
    AND bf_contains((SELECT bf_agg(c_custkey) FROM customer WHERE c_region = 'AMERICA'), lo_custkey)
    AND bf_contains((SELECT bf_agg(s_suppkey) FROM supplier WHERE s_region = 'AMERICA'), lo_suppkey)
    AND bf_contains((SELECT bf_agg(d_datekey) FROM date WHERE d_year IN (1997, 1998)), lo_orderdate)
    AND bf_contains((SELECT bf_agg(p_partkey) FROM part WHERE p_mfgr IN ('MFGR#1', 'MFGR#2')), lo_partkey)
GROUP BY d_year, s_nation, p_category ORDER BY d_year, s_nation, p_category;

-- 4.3
SELECT d_year, s_city, p_brand1, sum(lo_revenue - lo_supplycost) AS profit
FROM date, customer, supplier, part, lineorder
WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey AND lo_orderdate = d_datekey
    AND c_region = 'AMERICA' AND s_nation = 'UNITED STATES' AND (d_year = 1997 OR d_year = 1998)
    AND p_category = 'MFGR#14'
    AND bf_contains((SELECT bf_agg(c_custkey) FROM customer WHERE c_region = 'AMERICA'), lo_custkey)
    AND bf_contains((SELECT bf_agg(s_suppkey) FROM supplier WHERE s_nation = 'UNITED STATES'), lo_suppkey)
    AND bf_contains((SELECT bf_agg(d_datekey) FROM date WHERE d_year IN (1997, 1998)), lo_orderdate)
    AND bf_contains((SELECT bf_agg(p_partkey) FROM part WHERE p_category = 'MFGR#14'), lo_partkey)
GROUP BY d_year, s_city, p_brand1 ORDER BY d_year, s_city, p_brand1;
