-- Run by test/bench/run, which sets rows (of a table), repetitions, has_hll (whether that extension is available), and
-- what measure.sql expects.
\ir measure.sql
SET max_parallel_workers_per_gather = 0;
SET work_mem = '256MB';

\echo '   data'
CREATE TABLE half AS SELECT k, (k % 100000)::int AS g FROM generate_series(1000000001, 1000000000 + :rows::bigint / 2) AS k;
VACUUM (FREEZE, ANALYZE) half;
CALL settle('half');

\echo '   building'
CALL measure('aggregate', :rows / 2, :repetitions, ARRAY[
    ['count(k)', 'SELECT count(k) FROM half'],
    ['bf_agg(k, n, 0.01)', format('SELECT bf_agg(k, %s, 0.01) FROM half', :rows / 2)],
    ['bf_agg(k)', 'SELECT bf_agg(k) FROM half'],
    ['cf_agg(k)', 'SELECT cf_agg(k) FROM half'],
    ['bf_agg(k, n, 0.01), work_mem 4MB', format('SET LOCAL work_mem = ''4MB''; SELECT bf_agg(k, %s, 0.01) FROM half;
                                                 SET LOCAL work_mem = ''256MB''', :rows / 2)],
    ['bf_agg(k), work_mem 4MB', 'SET LOCAL work_mem = ''4MB''; SELECT bf_agg(k) FROM half; SET LOCAL work_mem = ''256MB'''],
    ['cf_agg(k), work_mem 4MB', 'SET LOCAL work_mem = ''4MB''; SELECT cf_agg(k) FROM half; SET LOCAL work_mem = ''256MB'''],
    ['count(DISTINCT k)', 'SELECT count(DISTINCT k) FROM half']], :has_schedstat);
\if :has_hll
CREATE EXTENSION hll;
CALL measure('aggregate, hll', :rows / 2, :repetitions, ARRAY[
    ['hll_add_agg', 'SELECT hll_add_agg(hll_hash_bigint(k)) FROM half'],
    ['bf_agg(k)', 'SELECT bf_agg(k) FROM half']], :has_schedstat);
\endif
-- Groups of 2, 20 and 50 rows, which are far apart in the table. The executor expects 8 kB for each state of array_agg, so with
-- less memory, array_agg alone writes some of its groups to disk. These times depend on where the states lie in memory, and
-- differ by a third from one run to the next, so they are taken more often.
SET work_mem = '1GB';
SELECT format('CREATE TABLE groups_%1$s AS SELECT * FROM half LIMIT 100000 * %1$s', size),
    format('VACUUM (FREEZE, ANALYZE) groups_%s', size),
    format($$CALL measure('groups', %1$s, %3$s, ARRAY[
    ['array_agg(k)', 'SELECT count(a) FROM (SELECT array_agg(k) AS a FROM groups_%1$s GROUP BY g) AS groups'],
    ['bf_agg(k)', 'SELECT count(f) FROM (SELECT bf_agg(k) AS f FROM groups_%1$s GROUP BY g) AS groups'],
    ['cf_agg(k)', 'SELECT count(f) FROM (SELECT cf_agg(k) AS f FROM groups_%1$s GROUP BY g) AS groups'],
    ['bf_agg(k, n)', 'SELECT count(f) FROM (SELECT bf_agg(k, %1$s) AS f FROM groups_%1$s GROUP BY g) AS groups'],
    ['cf_agg(k, n)', 'SELECT count(f) FROM (SELECT cf_agg(k, %1$s) AS f FROM groups_%1$s GROUP BY g) AS groups']], %2$L)$$,
    size, :'has_schedstat', 3 * :repetitions)
FROM unnest(ARRAY[2, 20, 50]) AS size \gexec
-- Groups without rows.
SELECT $$SELECT count(f) FROM (SELECT bf_agg(k, 100, 0.02) FILTER (WHERE k < 0) AS f FROM groups_2 GROUP BY k) AS groups$$ AS without_rows \gset
CALL measure('groups without rows', 2, :repetitions, ARRAY[['no JIT', :'without_rows'],
    ['JIT', format('SET LOCAL jit = on; SET LOCAL jit_above_cost = 0; %s; SET LOCAL jit = off', :'without_rows')]], :has_schedstat);
SET work_mem = '256MB';

\echo '   one lookup in a stored filter'
-- Filters of a single value: how much of a filter a lookup reads does not depend on its content.
CREATE TABLE stored (megabytes int PRIMARY KEY, bloom bloomfilter, cuckoo cuckoofilter);
INSERT INTO stored
SELECT megabytes, bf_add(bf_create(850000 * megabytes), 1::bigint), cf_add(cf_create(850000 * megabytes), 1::bigint)
FROM unnest(ARRAY[1, 10, 100]) AS megabytes;
VACUUM (FREEZE, ANALYZE) stored;
INSERT INTO measurements
SELECT 'buffers of a lookup', contender, megabytes, n,
    buffers(format('SELECT ' || expression || ' FROM stored WHERE megabytes = %2$s', n, megabytes))
FROM unnest(ARRAY[1, 10, 100]) AS megabytes, generate_series(0, :repetitions) AS n,
    (VALUES ('the row', 'megabytes'),
            ('bloom', 'bf_contains(bloom, %1$s::bigint)'),
            ('cuckoo', 'cf_contains(cuckoo, %1$s::bigint)')) AS lookup (contender, expression);
-- The first lookups of a session also read catalogs.
DELETE FROM measurements WHERE topic = 'buffers of a lookup' AND repetition = 0;

\echo '   scanning and probing a row, compared with other ways'
-- Sets of even numbers, and odd numbers of the same range in random order.
CREATE TABLE sets (size int PRIMARY KEY, bloom bloomfilter, cuckoo cuckoofilter);
SELECT format('CREATE TABLE set_%1$s AS SELECT 2 * n AS k FROM generate_series(1, %1$s::bigint) AS n', size),
    format('CREATE UNIQUE INDEX ON set_%s (k)', size),
    format('INSERT INTO sets SELECT %1$s, bf_agg(k), cf_agg(k) FROM set_%1$s', size),
    format('CREATE TABLE probes_%1$s AS
            SELECT 2 * (n * 48271 %% %1$s) + 1 AS k FROM generate_series(1, %2$s::bigint) AS n', size, :rows / 10)
FROM unnest(ARRAY[100, 1000, 10000, 100000, 1000000]) AS size \gexec
VACUUM (FREEZE, ANALYZE);
SELECT format($$CALL measure('probe', %1$s, %2$s, ARRAY[
    ['no filter', 'SELECT count(*) FROM probes_%1$s'],
    ['bloom', 'SELECT count(*) FROM probes_%1$s WHERE bf_contains((SELECT bloom FROM sets WHERE size = %1$s), k)'],
    ['cuckoo', 'SELECT count(*) FROM probes_%1$s WHERE cf_contains((SELECT cuckoo FROM sets WHERE size = %1$s), k)'],
    ['hash join', 'SET LOCAL enable_nestloop = off; SET LOCAL enable_mergejoin = off;
                   SELECT count(*) FROM probes_%1$s JOIN set_%1$s USING (k)'],
    ['index', 'SET LOCAL enable_nestloop = on; SET LOCAL enable_hashjoin = off;
               SELECT count(*) FROM probes_%1$s JOIN set_%1$s USING (k);
               SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on']
    %3$s], %4$L)$$, size, :repetitions,
    CASE WHEN size <= 10000 THEN
        format($$, ['= ANY', 'SELECT count(*) FROM probes_%1$s WHERE k = ANY (''%2$s''::bigint[])']$$, size,
               (SELECT array_agg(2 * n) FROM generate_series(1, size) AS n))
    END, :'has_schedstat')
FROM sets ORDER BY size \gexec
INSERT INTO measurements
SELECT 'time per row', contender, x, repetition, value * 1e9 / (:rows / 10) FROM measurements WHERE topic = 'probe';

\echo '   joins'
-- Each key of facts occurs four times. Every dimension has as many keys, of which a given percentage are in facts.
CREATE TABLE facts AS
    SELECT 1 + n * 48271 % (:rows / 20) AS k, n AS v FROM generate_series(1, (:rows / 5)::bigint) AS n;
SELECT format('CREATE TABLE dim_%s AS SELECT k, k * 10 AS w FROM generate_series(1 + %2$s, %2$s + %3$s::bigint) AS k',
              share, :rows / 2000 * (100 - share), :rows / 20)
FROM unnest(ARRAY[1, 3, 10, 30, 100]) AS share \gexec
VACUUM (FREEZE, ANALYZE);
CALL settle('facts');
SELECT format($$CALL measure('%1$s', %2$s, %3$s, ARRAY[
    ['without', 'SET LOCAL work_mem = ''%5$s''; %4$s'],
    ['bloom', 'SET LOCAL work_mem = ''%5$s''; %6$s']], %7$L)$$, topic, share, :repetitions,
    format(statement, share, ''), work_mem,
    format(statement, share, format('WHERE bf_contains((SELECT bf_agg(k) FROM dim_%s), facts.k)', share)),
    :has_schedstat AND work_mem <> '4MB')
FROM unnest(ARRAY[1, 3, 10, 30, 100]) AS share,
    (VALUES ('join in memory', '256MB', 'SELECT count(*), sum(v + w) FROM facts JOIN dim_%1$s USING (k) %2$s'),
            ('join that spills', '4MB', 'SELECT count(*), sum(v + w) FROM facts JOIN dim_%1$s USING (k) %2$s'),
            ('join above GROUP BY', '256MB', 'SELECT count(*), sum(v + w)
              FROM dim_%1$s JOIN (SELECT k, sum(v) AS v FROM facts %2$s GROUP BY k) AS totals USING (k)'))
        AS shape (topic, work_mem, statement) \gexec

\echo '   200 stored filters joined to keys'
CREATE TABLE few AS SELECT k FROM half LIMIT 2000;
-- A call site keeps 20 MB of filters, but not 100 MB. OFFSET 0 prevents the planner from exchanging the loops.
SELECT format('CREATE TABLE parts_%s (filter bloomfilter)', megabytes),
    format('INSERT INTO parts_%s SELECT filter FROM (SELECT bf_agg(k) AS filter FROM generate_series(1, %s::bigint) AS k
            OFFSET 0) AS made, generate_series(1, 200)', megabytes, megabytes * 4250),
    format('VACUUM (FREEZE, ANALYZE) parts_%s, few', megabytes)
FROM unnest(ARRAY[20, 100]) AS megabytes \gexec
SELECT format($$CALL measure('200 filters', %1$s, %2$s, ARRAY[
    ['filter by filter', '%3$s'],
    ['key by key', '%4$s']], %5$L)$$, megabytes, :repetitions, filter_by_filter, key_by_key, :'has_schedstat'),
    format($$INSERT INTO measurements
    VALUES ('buffers of 200 filters', 'filter by filter', %1$s, 1, buffers('%2$s')),
           ('buffers of 200 filters', 'key by key', %1$s, 1, buffers('%3$s'))$$, megabytes, filter_by_filter, key_by_key)
FROM unnest(ARRAY[20, 100]) AS megabytes,
    LATERAL (SELECT format('SELECT count(*) FROM (SELECT filter FROM parts_%s OFFSET 0) AS part,
        LATERAL (SELECT FROM few WHERE bf_contains(filter, k) OFFSET 0) AS found', megabytes),
                    format('SELECT count(*) FROM (SELECT k FROM few OFFSET 0) AS key,
        LATERAL (SELECT FROM parts_%s WHERE bf_contains(filter, k) OFFSET 0) AS found', megabytes))
        AS statements (filter_by_filter, key_by_key) \gexec

\echo '   filters in variables'
CREATE FUNCTION added_one_by_one(f bloomfilter, n int) RETURNS bloomfilter LANGUAGE plpgsql AS
    'BEGIN FOR i IN 1 .. n LOOP f := bf_add(f, i); END LOOP; RETURN f; END';
CREATE FUNCTION added_by_copies(f bloomfilter, n int) RETURNS bloomfilter LANGUAGE plpgsql AS
    'BEGIN FOR i IN 1 .. n LOOP f := (SELECT bf_add(f, i)); END LOOP; RETURN f; END';
CREATE FUNCTION added_as_array(f bloomfilter, n int) RETURNS bloomfilter LANGUAGE plpgsql AS
    'DECLARE collected int[]; BEGIN FOR i IN 1 .. n LOOP collected := collected || i; END LOOP; RETURN bf_add_all(f, collected); END';
CREATE TABLE variables AS SELECT megabytes, bf_create(megabytes * 850000, of => 'int') AS f FROM unnest(ARRAY[1, 10]) AS megabytes;
SELECT format($$CALL measure('variable', %1$s, %2$s, ARRAY[
    ['f := bf_add(f, x)', 'SELECT bf_contains(added_one_by_one(f, 100), 1) FROM variables WHERE megabytes = %1$s'],
    ['f := (SELECT bf_add(f, x))', 'SELECT bf_contains(added_by_copies(f, 100), 1) FROM variables WHERE megabytes = %1$s'],
    ['bf_add_all(f, collected)', 'SELECT bf_contains(added_as_array(f, 100), 1) FROM variables WHERE megabytes = %1$s']],
    %3$L)$$, megabytes, :repetitions, :'has_schedstat')
FROM variables ORDER BY megabytes \gexec
