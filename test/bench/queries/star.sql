-- The tables of the Star Schema Benchmark, without indexes of foreign keys. Included by load.sql.
\ir ../star/generate.sql
