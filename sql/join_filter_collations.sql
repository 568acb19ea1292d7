--
-- The filter of a join on a key under a nondeterministic collation has the kind of that collation. (Without ICU, or in a
-- database that is not UTF8, the file ends early.)
--
SELECT getdatabaseencoding() <> 'UTF8' OR
    NOT EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i' AND collname = 'und-x-icu') AS skip \gset
\if :skip
\echo ICU is not available
\quit
\endif
CREATE SCHEMA join_filter_collations;
SET search_path = join_filter_collations, public;
CREATE COLLATION ignore_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);

CREATE TABLE spelled AS SELECT n, (CASE WHEN n % 2 = 0 THEN 'Key ' ELSE 'KEY ' END || n / 2) COLLATE ignore_case AS key FROM generate_series(0, 999) AS n;
CREATE TABLE wanted_keys AS SELECT ('key ' || n) COLLATE ignore_case AS key FROM generate_series(1, 9) AS n;
ANALYZE spelled, wanted_keys;
SET enable_mergejoin = off;
SET enable_nestloop = off;
SET cuckoo_scan.join_filter_min_rows = 0;
SELECT count(*) FROM spelled JOIN wanted_keys USING (key);
LOAD 'cuckoo_join';
EXPLAIN (COSTS OFF) SELECT count(*) FROM spelled JOIN wanted_keys USING (key);
SELECT count(*) FROM spelled JOIN wanted_keys USING (key);
SELECT count(*), sum(total) FROM (SELECT key, count(*) AS total FROM spelled GROUP BY key) AS q JOIN wanted_keys USING (key);
SET cuckoo_scan.enable_join_filter = off;
RESET cuckoo_scan.join_filter_min_rows;
RESET enable_mergejoin;
RESET enable_nestloop;

SET client_min_messages = warning;
DROP SCHEMA join_filter_collations CASCADE;
