# Turns a statement that dsqgen makes for Netezza into one for PostgreSQL. All lines are one buffer (sed -Ez).
# Days are integers that are added to a date.
s/(as date\)\s*[-+]\s*[0-9]+) days/\1/g
# A name of the output is not known in an expression of ORDER BY.
s/(grouping\(\w+\)\s*\+\s*grouping\(\w+\))(\s+as lochierarchy.*when) lochierarchy = 0/\1\2 \1 = 0/
# Before PostgreSQL 16, a subquery in FROM has a name.
s/((from catalog_sales|group by c_customer_sk)\))\),/\1 AS unnamed),/
s/(best_ss_customer\))\)(\s*limit)/\1) AS unnamed\2/
s/\)(\s*(where i_brand_id = brand_id|order by (1,4,5,2|c_last_name,c_first_name,sales)))/) AS unnamed\1/
