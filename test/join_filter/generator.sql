--
-- Random queries with joins, run with join filters and without.
--
CREATE EXTENSION IF NOT EXISTS cuckoo_filter;
DO $$BEGIN
    EXECUTE format('ALTER DATABASE %I SET session_preload_libraries = cuckoo_scan', current_database());
END$$;

CREATE FUNCTION pick(VARIADIC choices text[]) RETURNS text VOLATILE LANGUAGE sql AS
    'SELECT choices[1 + floor(random() * cardinality(choices))::int]';
CREATE FUNCTION chance(probability float8) RETURNS boolean VOLATILE LANGUAGE sql AS 'SELECT random() < probability';

-- Fails for zero, and is called by a filter, too: it costs little.
CREATE FUNCTION refuse(value integer) RETURNS integer IMMUTABLE PARALLEL SAFE COST 1 LANGUAGE plpgsql AS $$
BEGIN
    IF value = 0 THEN
        RAISE data_exception USING MESSAGE = 'refused';
    END IF;
    RETURN value;
END$$;

-- A table of random size, with keys that few or many rows of the others have, in columns of random order. Where `k` is null, and only
-- there, `z` is zero and `w` is no number.
CREATE FUNCTION make_table(name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    spread integer := pick('2', '40', '100', '100', '700', '3000')::integer;
    step integer := pick('1', '1', '3', '7')::integer;
    size integer := pick('0', '1', '40', '40', '300', '300', '500', '900', '2000')::integer;
    columns text := (SELECT string_agg(c, ', ' ORDER BY random()) FROM unnest(ARRAY['id integer', 'k integer', 's smallint', 'b bigint',
        'm numeric', 't text', 'v varchar(20)', 'c char(12)', 'u uuid', 'd date', 'f float8', 'a integer[]', 'g integer', 'p text', 'z integer', 'w text']) c);
    parted boolean := chance(0.4);
    partition text := pick('HASH (id)', 'HASH (k)', 'HASH (t)', 'RANGE (k)', 'RANGE (k)', 'RANGE (b, k)', 'RANGE (d)', 'LIST (k)', 'LIST (t)', 'LIST (v)');
    bounds text[];
    wide boolean := chance(0.2);
BEGIN
    -- Joins of large tables with few keys have too many rows.
    IF spread = 2 THEN
        size := least(size, 40);
    END IF;
    EXECUTE format('DROP TABLE IF EXISTS %I CASCADE', name);
    EXECUTE format('CREATE TABLE %I (%s) %s', name, columns, CASE WHEN parted THEN 'PARTITION BY ' || partition END);
    IF parted THEN
        bounds := CASE
            WHEN partition ~ 'HASH' THEN ARRAY['WITH (MODULUS 3, REMAINDER 0)', 'WITH (MODULUS 3, REMAINDER 1)', 'WITH (MODULUS 3, REMAINDER 2)']
            WHEN partition ~ 'b, k' THEN ARRAY['FROM (MINVALUE, MINVALUE) TO (20, 10)', 'FROM (20, 10) TO (20, 30)', 'FROM (20, 30) TO (200, MINVALUE)']
            WHEN partition ~ 'd' THEN ARRAY['FROM (MINVALUE) TO (''2000-01-05'')', 'FROM (''2000-01-05'') TO (''2000-03-01'')']
            WHEN partition ~ 'RANGE' THEN ARRAY['FROM (0) TO (10)', 'FROM (10) TO (20)', 'FROM (20) TO (90)', 'FROM (90) TO (MAXVALUE)']
            WHEN partition ~ 'k' THEN ARRAY['IN (0, 1, NULL)', 'IN (3, 7, 14, 21)', 'IN (4)', 'IN (5, 6)']
            ELSE ARRAY['IN (''key 0'', ''key 1'')', 'IN (''key 7'', NULL)', 'IN (''key 14'')'] END;
        IF partition !~ 'HASH' THEN
            bounds := bounds || 'DEFAULT'::text;
        END IF;
        -- Columns of partitions have another order.
        FOR i IN 1..cardinality(bounds) LOOP
            EXECUTE format('CREATE TABLE %I (%s)', name || '_' || i, (SELECT string_agg(c, ', ' ORDER BY random()) FROM unnest(string_to_array(columns, ', ')) c));
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I %s', name, name || '_' || i,
                CASE WHEN bounds[i] = 'DEFAULT' THEN bounds[i] ELSE 'FOR VALUES ' || bounds[i] END);
        END LOOP;
    END IF;
    EXECUTE format($sql$INSERT INTO %I (id, k, s, b, m, t, v, c, u, d, f, a, g, p, z, w)
        SELECT n, CASE WHEN n %% 13 > 0 THEN x END, x %% 30000, CASE WHEN n %% 17 > 0 THEN x * 2 END, x / 10.0, 'key ' || x, 'key ' || x,
            'key ' || x %% 50, md5(x::text)::uuid, date '2000-01-01' + x, x, ARRAY[x %% 40, NULL], n %% %s, repeat('p', %s), n %% 13,
            CASE WHEN n %% 13 > 0 THEN x::text ELSE 'none' END
        FROM (SELECT n, (floor(random() * %s) * %s)::int AS x FROM generate_series(1, %s) n) q$sql$,
        name, pick('3', '8', '50'), CASE WHEN wide THEN '1000' ELSE pick('0', '10', '300') END, spread, step, size);
    IF chance(0.3) THEN
        EXECUTE format('DELETE FROM %I WHERE id %% 3 = 0', name);
    END IF;
    IF chance(0.5) THEN
        EXECUTE format('CREATE INDEX ON %I (%s)', name, pick('k', 'k', 'b', 't', 'v', 'f', 'k, b'));
    END IF;
    -- In the order of a key, pages can be left out. Then some rows are added that are not summarized.
    IF chance(0.5) THEN
        IF NOT parted AND size > 0 AND chance(0.7) THEN
            EXECUTE format('CREATE INDEX ON %I (k); CLUSTER %1$I USING %I', name, name || '_k_idx');
        END IF;
        EXECUTE format('CREATE INDEX ON %I USING brin (%s) WITH (pages_per_range = %s)', name, pick('k', 'k', 'b', 'k, b', 'd', 't', 'v', 'm', 'f'),
            pick('10', '20'));
        IF chance(0.5) THEN
            EXECUTE format('INSERT INTO %I SELECT * FROM %1$I WHERE id %% 5 = 0', name);
            EXECUTE format('UPDATE %I SET k = k + 1, d = d - 1 WHERE id %% 11 = 0 AND k < 9', name);
        END IF;
    END IF;
    IF NOT parted AND chance(0.2) THEN
        EXECUTE format('ALTER TABLE %I ADD CHECK (%s)', name, pick('k < 40000', 'k >= 0', 'b >= 0 AND t >= ''key''', 'd >= ''1999-12-01'''));
    END IF;
    IF chance(0.9) THEN
        EXECUTE format('ANALYZE %I', name);
    END IF;
END$$;

-- A table of more rows than the guard of a filter examines before it bypasses the filter: the first ones have few keys, which many of
-- the others have, too; of the other keys, a row is among those that follow, and more come later. And each key once.
CREATE TABLE many AS
    SELECT n AS id, k, k::bigint * 2 AS b, 'key ' || k AS t, n % 8 AS g
    FROM (SELECT n, CASE WHEN n <= 4500 THEN n % 10 ELSE 10 + n % 8500 END AS k FROM generate_series(1, 30000) AS n) q;
CREATE TABLE each AS SELECT n AS id, n AS k, n::bigint * 2 AS b, 'key ' || n AS t, n % 8 AS g FROM generate_series(8509, 0, -1) AS n;
ANALYZE many, each;

-- The name of a table, or of one of its partitions.
CREATE FUNCTION part_of(name text) RETURNS text VOLATILE LANGUAGE sql AS $$
    SELECT coalesce((SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = name::regclass AND chance(0.5) ORDER BY random() LIMIT 1), name)
$$;

CREATE FUNCTION join_condition(x text, y text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text := '';
BEGIN
    FOR i IN 1..pick('1', '1', '1', '2', '2', '3')::int LOOP
        result := result || CASE WHEN i > 1 THEN ' AND ' ELSE '' END || format(pick('%1$s.k = %2$s.k', '%1$s.k = %2$s.k', '%1$s.b = %2$s.b',
            '%1$s.k = %2$s.b', '%1$s.b = %2$s.k', '%1$s.t = %2$s.t', '%1$s.g = %2$s.k', '%1$s.k = %2$s.k + 1', '%1$s.k * 2 = %2$s.b', '%1$s.k::bigint = %2$s.b',
            '%1$s.b = %2$s.g', '%1$s.k::numeric = %2$s.b', '%1$s.k::numeric = %2$s.b::numeric', '%1$s.b = %2$s.k::float8', '%1$s.t = (''key '' || %2$s.g)'), x, y);
    END LOOP;
    RETURN result || CASE WHEN chance(0.15) THEN format(pick(' AND %1$s.g <> %2$s.g', ' AND %1$s.id < %2$s.id', ' AND %1$s.g < 5',
        ' AND %2$s.g > 1', ' AND (%1$s.k > 10 OR %2$s.g = 2)', ' AND random() < 2', ' AND 1 / (%1$s.k - 41) < 2', ' AND 5 / (%2$s.k - 18) < %1$s.k'),
        x, y) ELSE '' END;
END$$;

CREATE FUNCTION condition(x text) RETURNS text LANGUAGE sql AS $$
    SELECT format(pick('%1$s.g < 5', '%1$s.id %% 3 = 0', '%1$s.k > 50', '%1$s.k < (SELECT avg(k) FROM t1)', '%1$s.t IS NOT NULL', '%1$s.b IN (SELECT b FROM t2)',
        '%1$s.k IS NULL OR %1$s.k < 100', '%1$s.g = (SELECT 2)', 'false', 'random() < 2', '%1$s.k NOT IN (SELECT k FROM t3 WHERE k IS NOT NULL)',
        'EXISTS (SELECT FROM t2 e WHERE e.k = %1$s.k)', 'NOT EXISTS (SELECT FROM t1 e WHERE e.b = %1$s.b)', '%1$s.k = ANY (ARRAY[1, 3, 7, 21, 49])',
        '1 / (%1$s.k - 18) < 2', '7 / (%1$s.b - 44) < %1$s.g', '(%1$s.g > 2 OR sqrt(%1$s.k - 1) >= 0)'), x)
$$;

-- A table, or a subquery, with columns id, k, b, t, g. Which rows it has must not depend on the order of rows.
CREATE FUNCTION source(depth integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    s text;
BEGIN
    IF depth <= 0 OR chance(0.25) THEN
        RETURN CASE WHEN chance(0.8) THEN part_of(pick('t1', 't2', 't3', 't4')) WHEN chance(0.3) THEN
            '(SELECT n AS id, n * 2 AS k, n::bigint AS b, ''key '' || n AS t, n % 8 AS g FROM generate_series(-9, 400) AS n)' ELSE format('(SELECT id, %s::integer AS k, %s::bigint AS b, %s::text AS t, g FROM %s)',
            pick('k', 's', 'b'), pick('b', 'k', 's'), pick('t', 'v', 'c', 'u', 'd', 'm'), pick('t1', 't2', 't3', 't4')) END;
    END IF;
    s := source(depth - 1);
    RETURN '(' || CASE pick('filter', 'group', 'group', 'by text', 'sets', 'distinct', 'on', 'on', 'limit', 'limit', 'window', 'window', 'union', 'set', 'join', 'join', 'join', 'join',
            'exists', 'in', 'lateral', 'fence', 'cte', 'sorted')
        WHEN 'filter' THEN format('SELECT id, k, b, t, g FROM %s x WHERE %s', s, condition('x'))
        WHEN 'group' THEN format('SELECT min(id) AS id, k, %s AS b, min(t) AS t, count(*)::int AS g FROM %s x GROUP BY k %s', pick('max(b)', 'b'), s, '') || ', b'
        WHEN 'by text' THEN format('SELECT count(*)::int AS id, max(k) AS k, min(b) AS b, t, g FROM %s x GROUP BY g, t HAVING count(*) %s', s, pick('> 0', '> 1', '< 5'))
        WHEN 'sets' THEN format('SELECT count(*)::int AS id, k, max(b) AS b, t, g FROM %s x GROUP BY %s', s,
            pick('GROUPING SETS ((k, t, g), (g), ())', 'ROLLUP (k, t, g)', 'GROUPING SETS ((k, t, g))'))
        WHEN 'distinct' THEN format('SELECT DISTINCT 1 AS id, k, b, t, g FROM %s x', s)
        WHEN 'on' THEN format('SELECT DISTINCT ON (%s) id, k, b, t, g FROM %s x ORDER BY %1$s, id, k, b, t, g', pick('g', 'k', 't'), s)
        WHEN 'limit' THEN format('SELECT id, k, b, t, g FROM %s x ORDER BY id, k, b, t, g LIMIT %s OFFSET %s', s, pick('10', '100', '500'), pick('0', '5'))
        WHEN 'window' THEN format('SELECT row_number() OVER (PARTITION BY %s ORDER BY id, k, b, t, g)::int AS id, k, b, t, g FROM %s x', pick('g', 'k'), s)
        WHEN 'union' THEN format('SELECT id, k, b, t, g FROM %s x UNION ALL SELECT %s FROM %s y', s, pick('id, k, b, t, g', 'id, g, b, t, k', 'id, k + 0, k, t, g'),
            source(depth - 1))
        WHEN 'set' THEN format('SELECT id, k, b, t, g FROM %s x %s SELECT id, k, b, t, g FROM %s y', s, pick('UNION', 'EXCEPT', 'INTERSECT', 'EXCEPT ALL'),
            source(depth - 1))
        WHEN 'join' THEN format('SELECT %s FROM %s x %s JOIN %s y ON %s %s', pick('x.id, y.k, x.b, y.t, x.g', 'x.id, x.k, x.b, x.t, y.g',
            'y.id, y.k, y.b, y.t, y.g', 'y.id, x.k, y.b, x.t, x.g'), s, pick('INNER', 'INNER', 'INNER', 'LEFT', 'RIGHT', 'FULL'), source(depth - 1),
            join_condition('x', 'y'), CASE WHEN chance(0.3) THEN ' WHERE ' || condition(pick('x', 'y')) ELSE '' END)
        WHEN 'exists' THEN format('SELECT id, k, b, t, g FROM %s x WHERE %s EXISTS (SELECT FROM %s y WHERE %s)', s, pick('', '', 'NOT'), source(depth - 1),
            join_condition('x', 'y'))
        WHEN 'in' THEN format('SELECT id, k, b, t, g FROM %s x WHERE %s IN (SELECT %s FROM %s y)', s, pick('k', 'b', 'k', 'k NOT'), pick('k', 'b', 'g'),
            source(depth - 1))
        WHEN 'lateral' THEN format('SELECT o.id, q.k, o.b, q.t, o.g FROM %s o %s JOIN LATERAL (SELECT y.k, x.t FROM %s x JOIN %s y ON %s WHERE %s
            ORDER BY x.id, y.id, y.k, x.t LIMIT 4) q ON true', pick('t1', 't2'), pick('INNER', 'LEFT'), s, source(depth - 2), join_condition('x', 'y'),
            pick('x.g = o.g', 'y.g = o.g', 'x.k = o.k', 'y.k > o.k', 'x.id < o.id'))
        WHEN 'fence' THEN format('SELECT id, k, b, t, g FROM %s x OFFSET 0', s)
        WHEN 'cte' THEN format('WITH q AS %s (SELECT * FROM %s x) SELECT a.id, a.k, c.b, c.t, a.g FROM q a JOIN q c ON %s',
            pick('MATERIALIZED', 'NOT MATERIALIZED', ''), s, join_condition('a', 'c'))
        WHEN 'sorted' THEN format('SELECT id, k, b, t, g FROM %s x ORDER BY %s OFFSET 0', s, pick('k', 't', 'id DESC')) END || ')';
END$$;

-- Rows with columns k and x. An expression over several rows fails if some of them are missing, and never otherwise: if a key of a table
-- whose rows come twice has an odd number of them, if one is alone that has others, or if one is without its partner.
CREATE FUNCTION groups(x text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    twice text := format('(SELECT id, k FROM %s x UNION ALL SELECT id, k FROM %1$s y)', x);
BEGIN
    RETURN CASE pick('count', 'having', 'window', 'left', 'right', 'anti', 'many', 'many', 'many', 'many')
        WHEN 'count' THEN format('(SELECT k, sum(id) / (1 - count(*) %% 2) AS x FROM %s u GROUP BY k)', twice)
        WHEN 'having' THEN format('(SELECT k, count(*) AS x FROM %s u GROUP BY k, k %% 3 HAVING 1 / (1 - count(*) %% 2) = 1)', twice)
        WHEN 'window' THEN format('(SELECT k, id / (1 - count(*) OVER (PARTITION BY k) %% 2) AS x FROM %s u)', twice)
        WHEN 'left' THEN format('(SELECT u.k, 10 / coalesce(v.one, 0) AS x FROM %s u LEFT JOIN (SELECT k, 1 AS one FROM %1$s x GROUP BY k) v ON v.k = u.k
            WHERE u.k IS NOT NULL OFFSET 0)', x)
        WHEN 'right' THEN format('(SELECT u.k, 10 / coalesce(v.id - v.id + 1, 0) AS x FROM %s v RIGHT JOIN (SELECT DISTINCT k FROM %1$s x) u ON v.k = u.k
            WHERE u.k IS NOT NULL OFFSET 0)', x)
        WHEN 'anti' THEN format('(SELECT u.k, 10 / (u.k - u.k) AS x FROM %s u WHERE u.k IS NOT NULL AND NOT EXISTS (SELECT FROM %1$s v WHERE v.k = u.k) OFFSET 0)', x)
        WHEN 'many' THEN pick('(SELECT k, sum(id) / (count(*) - 1) AS x FROM many GROUP BY k)',
            '(SELECT k, (id - min(id) OVER w) / (max(id) OVER w - min(id) OVER w) AS x FROM many WINDOW w AS (PARTITION BY k))',
            '(SELECT k, count(*) AS x FROM many GROUP BY k HAVING 10 / (count(*) - 1) < 9)',
            '(SELECT k, 10 / (id NOT BETWEEN 4501 AND 13000)::integer AS x FROM (SELECT DISTINCT ON (k) k, id FROM many ORDER BY k, id DESC) u OFFSET 0)',
            '(SELECT u.k, 10 / coalesce(v.b - v.b + 1, 0) AS x FROM many u LEFT JOIN each v ON v.k = u.k OFFSET 0)',
            '(SELECT u.k, 10 / (u.k - u.k) AS x FROM many u WHERE NOT EXISTS (SELECT FROM each v WHERE v.k = u.k) OFFSET 0)') END;
END$$;

-- A join that is executed several times, whose rows are others each time if workers return them in another order. Their number is
-- the same.
CREATE FUNCTION repeated_limit() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    chosen text := pick('SELECT id, k FROM each LIMIT 1500', 'SELECT id, k FROM each OFFSET 7000', 'SELECT id, k FROM each ORDER BY id % 2 LIMIT 1500',
        'SELECT DISTINCT ON (id % 1500) id, k FROM each ORDER BY id % 1500', 'SELECT (array_agg(k))[1] AS k FROM each GROUP BY id % 1500',
        'SELECT id, k FROM (SELECT id, k, row_number() OVER () AS n FROM each) w WHERE n % 5 = 0', 'SELECT k FROM each WHERE id % 5 = 0');
    kept text := pick('SELECT k, count(*) FROM many GROUP BY k', 'SELECT k, count(*) FROM many GROUP BY k', 'SELECT DISTINCT k FROM many ORDER BY k OFFSET 0');
BEGIN
    RETURN format('SELECT o, c FROM generate_series(1, 2) AS o %s (SELECT count(*) AS c FROM (%s) f WHERE EXISTS
        (SELECT FROM (SELECT k, repeat(k::text, 300) AS wide FROM (%s) c OFFSET 0) d WHERE d.k = f.k AND d.wide <> f.k::text)%s OFFSET 0) q ON true',
        pick('LEFT JOIN', 'LEFT JOIN LATERAL'), kept, chosen, pick('', ' AND f.k >= 0'));
END$$;

-- A join of two and three keys, some of which fail for some rows.
CREATE FUNCTION failing_query() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    x text := part_of(pick('t1', 't2', 't3', 't4'));
    y text := part_of(pick('t1', 't2', 't3', 't4'));
    keys text := (SELECT string_agg(CASE WHEN chance(0.5) THEN format(key, 'x', 'y') ELSE format(key, 'y', 'x') END, ' AND ')
        FROM (SELECT CASE WHEN i = 1 AND chance(0.5) THEN '%1$s.k = %2$s.k + 0' ELSE pick('%1$s.k = %2$s.k', '%1$s.k = %2$s.k + 0', '%1$s.k + 0 = %2$s.k + 0', '%1$s.b = %2$s.k + 0',
            '%1$s.b = %2$s.b', '%1$s.b = %2$s.b + 0', '12 / %1$s.z = %2$s.g', '12 / %1$s.z = %2$s.z', '12 / %1$s.z = 12 / %2$s.z',
            '%1$s.w::integer = %2$s.k', '%1$s.w::bigint = %2$s.k', '%1$s.w::integer = %2$s.g', 'refuse(%1$s.z) = %2$s.z',
            'refuse(%1$s.z) = %2$s.g', 'refuse(%1$s.id %% 17) = %2$s.g') END AS key FROM generate_series(1, pick('2', '2', '3')::integer) i) q)
        || pick('', '', '', ' AND x.g < 2', ' AND y.g < 2', ' AND x.id < 20', ' AND y.id < 20', ' AND x.id < 0', ' AND y.id < 0');
BEGIN
    RETURN format(pick('SELECT x.id, y.id AS y FROM %s x JOIN %s y ON %s', 'SELECT x.id, y.id AS y FROM %s x JOIN %s y ON %s',
        'SELECT x.id, y.id AS y FROM %s x LEFT JOIN %s y ON %s', 'SELECT x.id, y.id AS y FROM %s x RIGHT JOIN %s y ON %s',
        'SELECT x.id FROM %s x WHERE EXISTS (SELECT FROM %s y WHERE %s)', 'SELECT x.id FROM %s x WHERE NOT EXISTS (SELECT FROM %s y WHERE %s)'), x, y, keys);
END$$;

CREATE FUNCTION random_query() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    x text := source(2);
    y text := source(2);
    z text := source(1);
BEGIN
    RETURN CASE pick('join', 'join', 'join', 'star', 'star', 'cut', 'cut', 'keys', 'keys', 'count', 'scalar', 'scalar', 'exists', 'locked', 'prepared', 'recursive', 'groups', 'groups', 'limit')
        WHEN 'join' THEN format('SELECT x.id, y.id AS y, x.k, y.t FROM %s x %s JOIN %s y ON %s', x, pick('INNER', 'INNER', 'LEFT', 'RIGHT', 'FULL'), y,
            join_condition('x', 'y'))
        WHEN 'star' THEN format('SELECT x.id, y.id AS y, z.id AS z FROM %s x %s JOIN %s y ON %s %s JOIN %s z ON %s', x, pick('INNER', 'LEFT', 'RIGHT'), z,
            join_condition('x', 'y'), pick('INNER', 'INNER', 'LEFT', 'FULL'), source(1), join_condition(pick('x', 'x', 'y'), 'z'))
        WHEN 'keys' THEN format('SELECT x.id, y.id AS y FROM %s x %s JOIN %s y ON %s%s', pick('t1', 't2', 't3'), pick('INNER', 'INNER', 'LEFT', 'RIGHT'),
            pick('t1', 't4', 't3'), pick('x.s = y.k', 'x.k = y.s', 'x.s = y.b', 'x.m = y.m', 'x.m = y.k', 'x.v = y.t', 'x.t = y.v', 'x.c = y.c', 'x.c = y.v',
            'x.u = y.u', 'x.d = y.d', 'x.f = y.f', 'x.f = y.k', 'x.k = y.m', 'x.s = y.m', 'x.b = y.f', 'x.c::text = y.t', 'x.k = y.f AND x.b = y.m', 'x.a = y.a', 'x.a = y.a AND x.k = y.k', '(x.d, x.u) = (y.d, y.u)', 'x.k = y.k AND x.t = y.v', 'x.s::integer = y.k', 'x.s::bigint = y.b', 'x.f = y.f AND x.k::bigint = y.b'),
            pick('', '', ' AND y.g < 2', ' AND y.id > 30 AND x.g <> y.g'))
        WHEN 'cut' THEN format('SELECT x.id, x.n, y.id AS y FROM (SELECT id, k, b, t, g, %s AS n FROM %s q %s) x %s JOIN %s y ON %s',
            pick('1', 'row_number() OVER (ORDER BY id, k, b, t, g)', 'count(*) OVER (PARTITION BY g)', 'sum(id) OVER (ORDER BY id, k, b, t, g ROWS 2 PRECEDING)',
                'lag(k) OVER (PARTITION BY g ORDER BY id, k, b, t)', 'max(id) OVER (PARTITION BY k, g)', 'first_value(id) OVER (ORDER BY k, id, b, t)'),
            pick('t1', 't2', 't1', x), pick('', 'ORDER BY id, k, b, t, g, n LIMIT 200', 'ORDER BY k, id, b, t, g, n LIMIT 400 OFFSET 20', 'ORDER BY id, k, b, t, g, n OFFSET 100'),
            pick('INNER', 'INNER', 'RIGHT', 'LEFT'), pick('t3', 't4', z), join_condition('x', 'y'))
        WHEN 'count' THEN format('SELECT x.g, count(*), sum(y.id) FROM %s x JOIN %s y ON %s GROUP BY x.g', x, y, join_condition('x', 'y'))
        WHEN 'scalar' THEN format('SELECT o.id, (SELECT %s FROM %s x JOIN %s y ON %s WHERE %s) FROM t1 o WHERE o.id < 40', pick('count(*)', 'min(x.id)', 'max(y.k)'), x, z,
            join_condition('x', 'y'), pick('x.g = o.g', 'y.g = o.g', 'y.k < o.k', 'x.g = (SELECT o.g)', 'y.id < o.g * 100', 'y.id < (SELECT max(g) FROM t2)'))
        WHEN 'exists' THEN format('SELECT o.id FROM t2 o WHERE %s EXISTS (SELECT FROM %s x JOIN %s y ON %s WHERE %s)', pick('', 'NOT'), x, z,
            join_condition('x', 'y'), pick('x.k = o.k', 'y.k = o.k', 'x.g > o.g', 'y.b = o.b AND x.t = o.t'))
        WHEN 'locked' THEN format('SELECT * FROM (SELECT x.id, y.id AS y FROM %s x JOIN %s y ON %s FOR UPDATE OF x) q', pick('t1', 't2'), z, join_condition('x', 'y'))
        WHEN 'prepared' THEN format('SELECT x.id, y.id AS y FROM %s x JOIN %s y ON %s WHERE y.g < (SELECT %s)', x, y, join_condition('x', 'y'), pick('3', '6', 'NULL::int'))
        WHEN 'groups' THEN format('SELECT u.k, u.x, y.id FROM %s u %s JOIN %s y ON u.k = y.%s', groups(x), pick('INNER', 'INNER', 'RIGHT'),
            pick('t1', 't2', part_of('t3'), '(SELECT * FROM each WHERE k < 10)', '(SELECT * FROM each WHERE k < 10)', '(SELECT * FROM each WHERE k < 300)'), pick('k', 'k', 'k', 'g'))
        WHEN 'limit' THEN repeated_limit()
        WHEN 'recursive' THEN format('SELECT * FROM (WITH RECURSIVE r(k, n) AS (SELECT k, 1 FROM (SELECT k FROM t1 ORDER BY id LIMIT 5) q
            UNION SELECT %s, n + 1 FROM r JOIN %s x ON x.k = r.k JOIN %s y ON %s WHERE n < 4) SELECT * FROM r) q', pick('x.g', 'y.k', 'x.b::int'), pick('t1', 't2'), z,
            join_condition('x', 'y')) END;
END$$;

-- The locks of this transaction on tables and indexes.
CREATE FUNCTION locks() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(relname || ' ' || mode, ', ' ORDER BY relname, mode) FROM pg_locks JOIN pg_class c ON relation = c.oid
    WHERE pid = pg_backend_pid() AND relnamespace = 'public'::regnamespace
        AND relname NOT IN ('differences', 'errors', 'totals')
$$;
-- Let the next statement find no more of partitions than the first one of a session.
CREATE FUNCTION forget_partitions() RETURNS void LANGUAGE sql AS $$
    UPDATE pg_class SET relname = relname WHERE relispartition AND relnamespace = 'public'::regnamespace
$$;

-- The number of a query's rows, their sum, and the locks that it holds at its end; or the error that it raises. Its locks are released.
CREATE FUNCTION outcome(query text, filtered boolean) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    result text[];
BEGIN
    PERFORM set_config('cuckoo_scan.enable_join_filter', filtered::text, false);
    PERFORM forget_partitions();
    EXECUTE 'SELECT ARRAY[count(*)::text, sum(hashtextextended(q::text, 0)::numeric)::text] FROM (' || query || ') AS q' INTO result;
    result := result || locks();
    RAISE SQLSTATE 'UNDO0';
EXCEPTION WHEN SQLSTATE 'UNDO0' THEN
    RETURN result;
WHEN OTHERS THEN
    RETURN ARRAY[SQLSTATE, SQLERRM];
END$$;

-- The same, of rows that come from a cursor, in random portions.
CREATE FUNCTION fetched(query text, filtered boolean) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    cursor refcursor := 'fetched';
    line record;
    lines bigint := 0;
    sum numeric;
    held text;
BEGIN
    PERFORM set_config('cuckoo_scan.enable_join_filter', filtered::text, false);
    PERFORM forget_partitions();
    OPEN cursor SCROLL FOR EXECUTE query;
    MOVE FORWARD 3 IN cursor;
    MOVE BACKWARD ALL IN cursor;
    LOOP
        FETCH cursor INTO line;
        EXIT WHEN NOT FOUND;
        lines := lines + 1;
        sum := coalesce(sum, 0) + hashtextextended(line::text, 0);
    END LOOP;
    CLOSE cursor;
    held := locks();
    RAISE SQLSTATE 'UNDO0';
EXCEPTION WHEN SQLSTATE 'UNDO0' THEN
    RETURN ARRAY[lines::text, sum::text, held];
WHEN OTHERS THEN
    RETURN ARRAY[SQLSTATE, SQLERRM];
END$$;

-- The rows that a statement leaves in a table; the change is undone.
CREATE FUNCTION changed(statement text, filtered boolean) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    result text[];
    held text;
BEGIN
    PERFORM set_config('cuckoo_scan.enable_join_filter', filtered::text, false);
    BEGIN
        PERFORM forget_partitions();
        EXECUTE statement;
        held := locks();
        SELECT ARRAY[count(*)::text, sum(hashtextextended(x::text, 0)::numeric)::text, held] INTO result FROM t1 x;
        RAISE SQLSTATE 'UNDO0';
    EXCEPTION WHEN SQLSTATE 'UNDO0' THEN
        NULL;
    END;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN ARRAY[SQLSTATE, SQLERRM];
END$$;

-- The number of filters in a query's plan; how many of them read ahead; whether the query may take long, by estimate; and whether
-- it cannot be executed.
CREATE FUNCTION examine(query text, OUT filters integer, OUT ahead integer, OUT is_expensive boolean, OUT is_excluded boolean)
LANGUAGE plpgsql AS $$
DECLARE
    plan json;
    plain json;
BEGIN
    -- The locks are released.
    BEGIN
        SET cuckoo_scan.enable_join_filter = off;
        EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plain;
        SET cuckoo_scan.enable_join_filter = on;
        EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
        RAISE SQLSTATE 'UNDO0';
    EXCEPTION WHEN SQLSTATE 'UNDO0' THEN
        NULL;
    END;
    filters := (SELECT count(*) FROM regexp_matches(plan::text, 'CuckooRuntimeFilter', 'g'));
    ahead := (SELECT count(*)
        FROM jsonb_path_query(plan::jsonb, 'strict $.** ? (@."Node Type" == "Hash Join").Plans[*] ? (exists(@."Runtime Filter"))'));
    -- Before 18, a join or scan that is disabled costs 1e10 more.
    is_expensive := (plan->0->'Plan'->>'Total Cost')::numeric % 1e10 > 2e4;
    -- Without shared memory, PostgreSQL itself crashes where a Gather is executed again with the results of sub-selects. (Since 17,
    -- EXPLAIN does not show that any more.)
    is_excluded := current_setting('compared.shared_memory', true) = 'off' AND (concat(plain, plan) ~ 'Params Evaluated' OR
        (current_setting('server_version_num')::int >= 170000 AND concat(plain, plan) ~ 'Gather' AND concat(plain, plan) ~ 'InitPlan'));
EXCEPTION WHEN OTHERS THEN
    filters := 0;
    ahead := 0;
    is_expensive := false;
    is_excluded := false;
END$$;

-- What the last rounds compared.
CREATE TABLE totals (comparisons bigint, with_filter bigint, ahead bigint, with_rows bigint, errors bigint);
CREATE TABLE errors (sqlstate text, message text, query text);
CREATE TABLE differences (round integer, query text, with_filter text[], without text[], settings text[]);

-- Whether an outcome is the failure of a condition or an expression.
CREATE FUNCTION is_failure(outcome text[]) RETURNS boolean LANGUAGE sql AS $$SELECT outcome[1] ~ '^22' AND outcome[2] ~ '[a-z]'$$;

-- One round: other tables, settings and queries for each seed. In every other round, keys fail, and the plans are those without
-- filters.
CREATE PROCEDURE compare_round(round integer, queries integer) LANGUAGE plpgsql AS $$
DECLARE
    query text;
    with_filter text[];
    without text[];
    form text;
    failing boolean := round % 2 = 1;
    seen record;
    has_filter boolean;
    total totals := (0, 0, 0, 0, 0);
    settings text[] := ARRAY['cuckoo_scan.join_filter_costs', 'random_page_cost', 'geqo_threshold', 'max_parallel_workers_per_gather', 'enable_mergejoin', 'enable_nestloop', 'enable_hashjoin', 'enable_seqscan', 'enable_bitmapscan', 'enable_indexscan', 'enable_material', 'enable_sort', 'enable_parallel_hash',
        'work_mem', 'join_collapse_limit', 'enable_partitionwise_join', 'enable_partitionwise_aggregate', 'plan_cache_mode', 'jit',
        'parallel_leader_participation', 'constraint_exclusion', 'cuckoo_scan.join_filter_max_memory', 'cuckoo_scan.join_filter_max_match_fraction'];
BEGIN
    PERFORM setseed(round % 1000000 / 1000000.0), make_table('t1'), make_table('t2'), make_table('t3'), make_table('t4');
    -- Hold no locks of the tables.
    COMMIT;
    PERFORM set_config('max_parallel_workers_per_gather', pick('0', '0', '2'), false),
        set_config('parallel_setup_cost', '0', false), set_config('parallel_tuple_cost', '0', false), set_config('min_parallel_table_scan_size', '0', false),
        set_config('synchronize_seqscans', 'off', false),
        set_config('enable_mergejoin', CASE WHEN failing THEN 'off' ELSE pick('off', 'off', 'on') END, false),
        set_config('enable_nestloop', CASE WHEN failing THEN 'off' ELSE pick('off', 'off', 'on') END, false),
        set_config('enable_hashjoin', CASE WHEN failing THEN 'on' ELSE pick('on', 'on', 'on', 'off') END, false),
        set_config('enable_seqscan', CASE WHEN failing THEN 'on' ELSE pick('on', 'on', 'off') END, false), set_config('enable_bitmapscan', pick('on', 'off'), false),
        set_config('enable_indexscan', pick('on', 'on', 'off'), false),
        set_config('enable_material', pick('on', 'off'), false), set_config('enable_sort', pick('on', 'on', 'off'), false),
        set_config('enable_parallel_hash', pick('on', 'off'), false), set_config('parallel_leader_participation', pick('on', 'on', 'off'), false),
        set_config('constraint_exclusion', pick('on', 'on', 'partition', 'off'), false),
        set_config('work_mem', pick('64kB', '1MB', '4MB'), false), set_config('hash_mem_multiplier', '1', false), set_config('join_collapse_limit', pick('1', '8'), false),
        set_config('enable_partitionwise_join', pick('on', 'off'), false), set_config('enable_partitionwise_aggregate', pick('on', 'off'), false),
        set_config('plan_cache_mode', pick('auto', 'force_generic_plan'), false), set_config('jit', pick('off', 'off', 'off', 'on'), false),
        set_config('jit_above_cost', '0', false), set_config('jit_inline_above_cost', '-1', false), set_config('jit_optimize_above_cost', '-1', false), set_config('cuckoo_scan.join_filter_min_rows', '0', false),
        set_config('cuckoo_scan.join_filter_costs', CASE WHEN failing THEN 'off' ELSE pick('on', 'on', 'off') END, false), set_config('random_page_cost', pick('4', '1.1'), false),
        set_config('geqo_threshold', pick('12', '12', '2'), false),
        set_config('cuckoo_scan.join_filter_max_memory', pick('64kB', '64MB'), false),
        set_config('cuckoo_scan.join_filter_max_match_fraction', pick('0', '0.75', '1', '1'), false);
    FOR i IN 1..queries LOOP
        form := pick('rows', 'rows', 'rows', 'rows', 'cursor', CASE WHEN failing THEN 'rows' ELSE 'change' END);
        query := CASE WHEN failing THEN failing_query() WHEN form = 'change' THEN format(pick('UPDATE t1 u SET g = -1 FROM (SELECT y.* FROM %s x JOIN %s y ON %s) q WHERE %s',
                'DELETE FROM t1 u USING (SELECT y.* FROM %s x JOIN %s y ON %s) q WHERE %s'),
                source(1), source(1), join_condition('x', 'y'), join_condition('u', 'q'))
            ELSE random_query() END;
        SELECT * INTO seen FROM examine(query);
        CONTINUE WHEN seen.is_expensive OR seen.is_excluded;
        CASE form
            WHEN 'change' THEN
                with_filter := changed(query, true);
                without := changed(query, false);
            WHEN 'cursor' THEN
                with_filter := fetched(query, true);
                without := fetched(query, false);
            ELSE
                with_filter := outcome(query, true);
                without := outcome(query, false);
        END CASE;
        has_filter := seen.filters > 0;
        total.comparisons := total.comparisons + 1;
        total.with_filter := total.with_filter + has_filter::int;
        total.ahead := total.ahead + (seen.ahead > 0)::int;
        total.with_rows := total.with_rows + (has_filter AND without[1] <> '0' AND without[2] !~ '[a-z]')::int;
        IF without[2] ~ '[a-z]' THEN
            total.errors := total.errors + 1;
            INSERT INTO errors VALUES (without[1], without[2], query);
        END IF;
        -- With filters, fewer rows reach an expression that fails; and the side whose rows are read ahead may fail before the other one.
        -- In a plan that was chosen for its filters, they may be others; but there is no such condition in a query of the table `many`.
        IF with_filter IS DISTINCT FROM without AND NOT (is_failure(without) AND (with_filter[2] !~ '[a-z]' OR is_failure(with_filter))) AND
            NOT (is_failure(with_filter) AND current_setting('cuckoo_scan.join_filter_costs') = 'on' AND query !~ 'FROM many') AND
            -- Workers may read rows that a join above them does not ask for.
            NOT (is_failure(with_filter) AND NOT has_filter) THEN
            INSERT INTO differences VALUES (round, query, with_filter, without,
                (SELECT array_agg(s || ' = ' || current_setting(s)) FROM unnest(settings) s));
        END IF;
    END LOOP;
    INSERT INTO totals VALUES (total.*);
END$$;
