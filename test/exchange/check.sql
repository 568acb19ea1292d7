-- Compares the filters received from the other server with those that this one made. `changed`: whether they were
-- changed before. Filters of types that PostgreSQL hashes differently there must be rejected.
\set QUIET on
SET timezone = 'UTC';
CREATE FUNCTION pg_temp.answers(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer text;
BEGIN
    EXECUTE query INTO answer;
    RETURN answer;
EXCEPTION WHEN datatype_mismatch THEN
    RETURN 'refused';
END $$;

-- Queries for the number of missing members, and for the results of all probes, including false positives and counts.
CREATE TEMP VIEW probes AS
SELECT name, value <> 'color' AND portable AS sampled,
    format('SELECT count(*) FROM samples, %%1$s f WHERE name = %L AND (i <= 2000 AND (NOT %L OR i > 500) OR %L AND i > 3000)
                AND NOT (bf_contains(bloom, %I) AND cf_contains(cuckoo, %I))', name, changed, changed, value, value) AS missing,
    format('SELECT md5(string_agg(bf_contains(bloom, %I)::int || '' '' || cf_count(cuckoo, %I), '','' ORDER BY i))
            FROM samples, %%1$s f WHERE name = %L', value, value, name) AS answers
FROM (SELECT *, changes AND :'changed' AS changed FROM filters) AS f;

CREATE TEMP TABLE findings AS
SELECT p.name || ': ' || what AS test, finding
FROM probes p JOIN received r USING (name) JOIN filters f USING (name),
    LATERAL (VALUES
        ('the same Bloom filter', r.bloom::bytea = f.bloom::bytea OR NOT f.portable),
        ('the same cuckoo filter', r.cuckoo::bytea = f.cuckoo::bytea OR NOT f.portable),
        ('no member is missing', NOT sampled OR pg_temp.answers(format(missing, 'received')) = '0'),
        ('the same answers', NOT sampled OR
            pg_temp.answers(format(answers, 'received')) = pg_temp.answers(format(answers, 'filters')))) AS checks (what, finding);
INSERT INTO findings
SELECT 'color: ' || c, bf_contains(bloom, c) = (c <> 'green') AND cf_contains(cuckoo, c) = (c <> 'green')
FROM received, unnest(enum_range(NULL::color)) AS c WHERE name = 'color'
UNION ALL
SELECT name || ' is refused: ' || query, pg_temp.answers(format(query, value, name)) = 'refused'
FROM filters, unnest(ARRAY['SELECT bool_or(bf_contains(bloom, %1$I)) FROM received, samples WHERE name = %2$L',
    'SELECT max(cf_count(cuckoo, %1$I)) FROM received, samples WHERE name = %2$L',
    'SELECT bf_union(f.bloom, r.bloom)::text FROM filters f JOIN received r USING (name) WHERE name = %2$L']) AS query
WHERE NOT portable AND NOT :'changed'
UNION ALL
SELECT 'every filter came', (SELECT count(*) FROM received) = (SELECT count(*) FROM filters);

SELECT '1..' || count(*) FROM findings;
SELECT CASE WHEN finding THEN 'ok - ' ELSE 'not ok - ' END || test FROM findings ORDER BY test;
