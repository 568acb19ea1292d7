-- The tables for the lines of docs/applications.md, and filters of other kinds for the queries in the file cases.

CREATE EXTENSION cuckoo_filter;

CREATE TABLE news (name text PRIMARY KEY, readers bloomfilter NOT NULL);
CREATE TABLE news_copy (LIKE news);

CREATE TABLE tickets (name text PRIMARY KEY, open cuckoofilter NOT NULL);
INSERT INTO tickets VALUES ('concert', (SELECT cf_agg(n::bigint) FROM generate_series(1, 100) AS n));
