-- Run by demo/run, which sets `words` and `mentions` to files: a word per line, and a package and a word per line.
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
CREATE EXTENSION cuckoo_filter;

\echo
\echo === The data: an English word list, and every word in the descriptions and relations of Debian packages
CREATE TABLE words (word text NOT NULL);
\set copy '\\copy words FROM ' :'words'
:copy
CREATE TABLE mentions (package text NOT NULL, word text NOT NULL);
\set copy '\\copy mentions FROM ' :'mentions'
:copy
CREATE INDEX words_index ON words (word);
VACUUM ANALYZE words, mentions;
SELECT (SELECT count(*) FROM words) AS words,
       (SELECT count(*) FROM mentions) AS mentions,
       (SELECT count(DISTINCT word) FROM mentions) AS mentioned_words;

\echo === Building: one pass over the column, no capacity to guess
\echo === CREATE TABLE filters AS SELECT bf_agg(word) AS bloom, cf_agg(word) AS cuckoo FROM words
CREATE TABLE filters AS SELECT bf_agg(word) AS bloom, cf_agg(word) AS cuckoo FROM words;
SELECT 'bloomfilter' AS type, (bf_info(bloom)).* FROM filters
\gset bloom_
SELECT 'cuckoofilter' AS type, (cf_info(cuckoo)).* FROM filters
\gset cuckoo_

CREATE FUNCTION pg_temp.hash_set_bytes() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    SET LOCAL work_mem = '1GB';
    SET LOCAL enable_sort = off;
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) SELECT word FROM words GROUP BY word' INTO plan;
    RETURN (plan #>> '{0,Plan,Peak Memory Usage}')::bigint * 1024;
END $$;
SELECT what, pg_size_pretty(bytes) AS size, round(bytes * 8.0 / (SELECT count(*) FROM words), 1) AS bits_per_word
FROM (VALUES ('the table', pg_table_size('words')),
             ('its index', pg_relation_size('words_index')),
             ('a hash set of the words in memory', pg_temp.hash_set_bytes()),
             ('bloomfilter', :bloom_bytes),
             ('cuckoofilter', :cuckoo_bytes)) AS sizes (what, bytes);

\echo === Probing: a value that was added is always found; one that was not is found at the requested rate, here 1%
SELECT bf_contains(bloom, 'postgres') AS postgres, bf_contains(bloom, 'elephant') AS elephant,
       bloom @> 'elephnat' AS elephnat, cuckoo @> 'elephant' AS in_cuckoo
FROM filters;
CREATE TEMP TABLE probes AS
    SELECT member, bf_contains(bloom, word) AS in_bloom, cf_contains(cuckoo, word) AS in_cuckoo
    FROM filters, (SELECT word, true FROM words UNION ALL SELECT word || '#', false FROM words) AS probe (word, member);
SELECT type, count(*) AS probes,
       count(*) FILTER (WHERE member AND NOT found) AS "members missed",
       round(100.0 * count(*) FILTER (WHERE found AND NOT member) / count(*) FILTER (WHERE NOT member), 3)
           AS "false positives %",
       1.0 AS "requested %"
FROM (SELECT 'bloomfilter', member, in_bloom FROM probes UNION ALL
      SELECT 'cuckoofilter', member, in_cuckoo FROM probes) AS answers (type, member, found)
GROUP BY type ORDER BY type;

\echo '=== Deleting, which a cuckoo filter can: UPDATE filters SET cuckoo = cf_delete(cuckoo, ''elephant'')'
UPDATE filters SET cuckoo = cf_delete(cuckoo, 'elephant');
SELECT cf_contains(cuckoo, 'elephant') AS elephant, cf_contains(cuckoo, 'elephants') AS elephants,
       cf_cardinality(cuckoo) AS entries
FROM filters;

\echo === Storing: a filter for each section of the dictionary, and the sections that can hold a word
CREATE TABLE sections AS
    SELECT left(word, 1) AS section, bf_agg(word, NULL, 0.001) AS filter FROM words GROUP BY 1;
SELECT count(*) AS sections, pg_size_pretty(sum(pg_column_size(filter))) AS size,
       count(*) FILTER (WHERE bf_contains(filter, 'filter')) AS "can hold 'filter'",
       string_agg(section, ' ') FILTER (WHERE bf_contains(filter, 'filter')) AS which
FROM sections;

\echo === Scanning: which mentions are of a rare word? The scan probes a page of rows at a time
CREATE TABLE rare AS SELECT word FROM words WHERE filter_hash(word) % 200 = 0;
ANALYZE rare;
CREATE TABLE rare_filter AS SELECT bf_agg(word) AS filter FROM rare;
SET work_mem = '64MB';
\echo '=== SELECT count(*) FROM mentions WHERE (SELECT filter FROM rare_filter) @> word'
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF)
SELECT count(*) FROM mentions WHERE (SELECT filter FROM rare_filter) @> word;

\echo === Joins that filter themselves: the same query without the library, and with it
\echo '=== SELECT word, count(*) FROM rare JOIN mentions USING (word) GROUP BY word'
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT word, count(*) FROM rare JOIN mentions USING (word) GROUP BY word;
LOAD 'cuckoo_join';
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT word, count(*) FROM rare JOIN mentions USING (word) GROUP BY word;
SET cuckoo_scan.enable_join_filter = off;

\echo === A filter written by hand: in how many packages is each rare word mentioned? The join cannot be pushed below the GROUP BY, so
\echo === all mentions are grouped. A filter of the rare words can be, and discards the other mentions first
SELECT count(*) AS rare_words FROM rare;
\set plain 'SELECT word, packages FROM rare JOIN (SELECT word, count(DISTINCT package) AS packages FROM mentions GROUP BY word) AS grouped USING (word)'
\set filtered 'SELECT word, packages FROM rare JOIN (SELECT word, count(DISTINCT package) AS packages FROM mentions WHERE bf_contains((SELECT bf_agg(word) FROM rare), word) GROUP BY word) AS grouped USING (word)'
CREATE TEMP TABLE results (variant text, word text, packages bigint);
SELECT clock_timestamp() AS started \gset
INSERT INTO results SELECT 'plain', * FROM (:plain) AS answer;
SELECT clock_timestamp() AS between \gset
INSERT INTO results SELECT 'filtered', * FROM (:filtered) AS answer;
SELECT clock_timestamp() AS ended \gset
SELECT count(*) FILTER (WHERE variant = 'plain') AS "rows, plain",
       count(*) FILTER (WHERE variant = 'filtered') AS "rows, filtered",
       NOT EXISTS ((SELECT word, packages FROM results WHERE variant = 'plain'
                    EXCEPT SELECT word, packages FROM results WHERE variant = 'filtered')) AS same,
       round(extract(epoch FROM :'between'::timestamptz - :'started') * 1000) AS "plain ms",
       round(extract(epoch FROM :'ended'::timestamptz - :'between') * 1000) AS "filtered ms",
       round((extract(epoch FROM :'between'::timestamptz - :'started') /
              extract(epoch FROM :'ended'::timestamptz - :'between'))::numeric, 1) AS "times faster"
FROM results;
