-- The tables for the lines of docs/applications.md, and filters of other kinds for the queries in the file cases.

CREATE EXTENSION cuckoo_filter;

CREATE TABLE news (name text PRIMARY KEY, readers bloomfilter NOT NULL);
CREATE TABLE news_copy (LIKE news);
-- Of README.md, and of the packages' own pages.
CREATE TABLE seen AS SELECT bf_create(1000000, 0.001, of => 'text') AS keys;
CREATE TABLE filters AS SELECT bf_add(bf_create(100000, of => 'text'), 'user42@example.com') AS known;

CREATE TABLE tickets (name text PRIMARY KEY, open cuckoofilter NOT NULL);
INSERT INTO tickets VALUES ('concert', (SELECT cf_agg(n::bigint) FROM generate_series(1, 100) AS n));
