-- Makes the tables of a benchmark from what kits.sh leaves. Run by test/bench/run, which sets benchmark (star, skewed, chains,
-- tpch or tpcds), folder (where that is), scale, and what measure.sql expects.
\ir ../measure.sql

\i :folder/schema.sql
-- Some names of countries are in Latin 1.
SELECT format('COPY %I FROM %L (DELIMITER ''|'', NULL '''', ENCODING ''latin1'')', split_part(file, '.', 1),
    :'folder' || '/data/' || file)
FROM pg_ls_dir(:'folder' || '/data') AS file \gexec
\ir :benchmark.sql
VACUUM (FREEZE, ANALYZE);
