-- Run by demo/run, which sets words and packages to files of one word a line.
CREATE EXTENSION cuckoo_filter;

CREATE TABLE words (word text);
COPY words FROM :'words';

SELECT count(*) AS words FROM words;
