-- Cases for the clients, as one JSON object in the output: values of every kind that a client supports, filters of some
-- of them with the server's answers for all, Bloom filters to build, and the geometries of others.
-- psql variables: seed (0 .. 1), geometries; of the recipe for keys of any case, its lines in SQL, and those for Python and
-- JavaScript, which are passed on.
\set QUIET on
\pset format unaligned
\pset tuples_only on
SET timezone = 'UTC';
SET datestyle = 'ISO';
SET bytea_output = 'hex';
SET search_path = public;
SET client_min_messages = warning;
CREATE EXTENSION cuckoo_filter;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'naïve', '');

CREATE FUNCTION random_integer(magnitude float8) RETURNS bigint LANGUAGE sql VOLATILE AS $$
	SELECT trunc((random() - 0.5) * 2 ^ (random() * magnitude))::bigint
$$;

-- Characters of 1 to 4 bytes, and spaces at the end.
CREATE FUNCTION random_text(n integer) RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT coalesce(string_agg(chr(CASE (random() * 3)::integer
		WHEN 0 THEN 32 + (random() * 90)::integer WHEN 1 THEN 97 + (random() * 25)::integer
		WHEN 2 THEN 200 + (random() * 5000)::integer ELSE 128512 + (random() * 50)::integer END), ''), '')
		|| repeat(' ', greatest(0, (random() * 8)::integer - 6))
	FROM generate_series(1, CASE WHEN n % 20 = 0 THEN 400 * random() ELSE 12 * random() END::integer)
$$;

CREATE FUNCTION random_bytes(n integer) RETURNS bytea LANGUAGE sql VOLATILE AS $$
	SELECT substr(coalesce(string_agg(decode(md5(random()::text), 'hex'), ''), ''), 1, n % 300)
	FROM generate_series(0, n % 300 / 16)
$$;

CREATE FUNCTION random_numeric(n integer) RETURNS numeric LANGUAGE sql VOLATILE AS $$
	SELECT CASE n % 8
		WHEN 0 THEN random_integer(20)::numeric
		WHEN 1 THEN random_integer(63)::numeric + (random() * 10)::integer
		WHEN 2 THEN random_integer(40) / 100.0
		WHEN 3 THEN round(random_integer(30) / 1000.0, (random() * 9)::integer)
		WHEN 4 THEN random_integer(63)::numeric * 10::numeric ^ (random() * 40)::integer
		WHEN 5 THEN (random_integer(63)::numeric / 7)::numeric(60, 30) * 10::numeric ^ -(random() * 40)::integer
		WHEN 6 THEN 9223372036854775807::numeric + random_integer(5)
		ELSE -9223372036854775808::numeric + random_integer(5) END
$$;

-- Of each kind: the type, a random value by its number n, and the text that the clients read.
CREATE TABLE kinds (kind text, type text, value text, shown text);
INSERT INTO kinds VALUES
	('integer', 'bigint', 'random_integer(64)', 'v::text'),
	('integer', 'integer', 'random_integer(31)::integer', 'v::text'),
	('integer', 'smallint', 'random_integer(15)::smallint', 'v::text'),
	('numeric', 'numeric', 'random_numeric(n)', 'v::text'),
	('text', 'text', 'random_text(n)', 'v'),
	('text', 'varchar', 'random_text(n)', 'v'),
	('character', 'character(30)', 'random_text(n)', 'v::text'),
	('bytea', 'bytea', 'random_bytes(n)', 'v::text'),
	('uuid', 'uuid', 'md5(random()::text)::uuid', 'v::text'),
	('boolean', 'boolean', 'random() < 0.5', 'v::text'),
	('enum', 'mood', '(enum_range(NULL::mood))[1 + floor(random() * 5)]', 'v::text'),
	('date', 'date', $$CASE WHEN n % 10 = 0 THEN date '2000-01-01' + (random() * 4500000 - 1500000)::integer
		WHEN n % 101 = 0 THEN CASE WHEN random() < 0.5 THEN 'infinity'::date ELSE '-infinity' END
		ELSE date '0001-01-01' + (random() * 3652000)::integer END$$, 'v::text'),
	('time', 'time', $$time '00:00' + random() * interval '86399.999999 seconds'$$, $$to_char(v, 'HH24:MI:SS.US')$$),
	('timestamp', 'timestamp', $$timestamp '2000-01-01' + (random() - 0.2) * interval '2000000 days'$$,
		$$to_char(v, 'YYYY-MM-DD"T"HH24:MI:SS.US')$$),
	('timestamptz', 'timestamptz', $$timestamptz '2000-01-01' + (random() - 0.2) * interval '2000000 days'$$,
		$$to_char(v, 'YYYY-MM-DD"T"HH24:MI:SS.US') || '+00:00'$$);

-- Ways to make a filter of the members. One has slots of 23, 27, 28 and 32 bits: those of 27 can reach into a fifth byte.
CREATE TABLE filters (filter text);
INSERT INTO filters VALUES
	('(SELECT bf_agg(v) FROM members)'),
	('(SELECT bf_agg(v, 5000, 0.001) FROM members)'),
	('(SELECT bf_agg(v, 300, 0.3) FROM members)'),
	('bf_add_all(bf_create(10), ARRAY(SELECT v FROM members))'),
	('bf_add_all(bf_create(100, 1e-7, grow => false), ARRAY(SELECT v FROM members))'),
	('(SELECT bf_agg(v, 40) FROM (SELECT v FROM members LIMIT 20) AS t) | (SELECT bf_agg(v, 3000) FROM members)'),
	('(SELECT cf_agg(v) FROM members)'),
	('(SELECT cf_agg(v, 120000, 1e-7) FROM members)'),
	('cf_add_all(cf_create(10), ARRAY(SELECT v FROM members UNION ALL SELECT v FROM members LIMIT 500))'),
	('cf_add_all(cf_create(10, 6e-7), ARRAY(SELECT v FROM members))'),
	('cf_add_all(cf_create(100, 0.5), ARRAY(SELECT v FROM members))'),
	('cf_add_all(cf_create(2000, 0.0001, grow => false), ARRAY(SELECT v FROM members))'),
	('(SELECT cf_agg(v) FROM (SELECT v FROM members LIMIT 3) AS t)');

-- Values, and filters of the first ones, with an answer and a count for each value.
CREATE FUNCTION readings(kind text, type text, value text, shown text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	texts jsonb;
	result jsonb;
	one jsonb;
	results jsonb := '[]';
	filter text;
	name text;
BEGIN
	EXECUTE format('CREATE TEMP TABLE probes AS SELECT n, (%s)::%s AS v FROM generate_series(1, 800) AS n', value, type);
	CREATE TEMP TABLE members AS SELECT * FROM probes WHERE n <= 300 ORDER BY n;
	EXECUTE format('SELECT jsonb_agg(%s ORDER BY n) FROM probes', shown) INTO texts;
	FOR filter IN SELECT f.filter FROM filters AS f LOOP
		name := CASE WHEN filter ~ 'cf_' THEN 'cf' ELSE 'bf' END;
		EXECUTE format($sql$
			WITH made AS MATERIALIZED (SELECT %1$s AS f)
			SELECT jsonb_build_object('image', (SELECT f::text FROM made),
				'contains', string_agg(%2$s_contains(f, v)::integer::text, '' ORDER BY n), 'counts', %3$s)
			FROM probes, made$sql$, filter, name,
			CASE name WHEN 'cf' THEN $sql$string_agg(cf_count(f, v)::text, ' ' ORDER BY n)$sql$ ELSE 'NULL' END) INTO one;
		results := results || (one || jsonb_build_object('members', CASE WHEN filter ~ 'LIMIT 3' THEN 3 ELSE 300 END));
	END LOOP;
	result := jsonb_build_object('kind', kind, 'values', texts, 'filters', results);
	DROP TABLE probes, members;
	RETURN result;
END$$;

-- Bloom filters of the first `count` values, as the aggregate and as additions make them, and the empty ones.
CREATE FUNCTION buildings(kind text, type text, value text, shown text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	texts jsonb;
	one jsonb;
	results jsonb := '[]';
	-- Without a length.
	of text := regexp_replace(type, '\(.*', '');
	count integer;
	capacity integer;
	rate float8;
BEGIN
	EXECUTE format('CREATE TEMP TABLE probes AS SELECT n, (%s)::%s AS v FROM generate_series(1, 1000) AS n', value, type);
	EXECUTE format('SELECT jsonb_agg(%s ORDER BY n) FROM probes', shown) INTO texts;
	FOR i IN 1 .. 12 LOOP
		count := floor(1000 ^ random());
		capacity := count + floor(5000 * random() ^ 8);
		rate := exp(ln(1e-7) + random() * (ln(0.5) - ln(1e-7)));
		EXECUTE format($sql$
			SELECT jsonb_build_object('count', $1, 'capacity', $2, 'rate', $3, 'grows', true,
				'template', bf_create($2, $3, of => %L)::text,
				'image', (SELECT bf_agg(v, $2, $3) FROM probes WHERE n <= $1)::text,
				'added', bf_add_all(bf_create($2, $3, of => %1$L), ARRAY(SELECT v FROM probes WHERE n <= $1))::text)$sql$, of)
			USING count, capacity, rate INTO one;
		results := results || one;
		EXECUTE format($sql$
			SELECT jsonb_build_object('count', 1000, 'capacity', $2, 'rate', $3, 'grows', false,
				'template', bf_create($2, $3, of => %L, grow => false)::text,
				'image', bf_add_all(bf_create($2, $3, of => %1$L, grow => false), ARRAY(SELECT v FROM probes))::text)$sql$, of)
			USING count, capacity, rate INTO one;
		results := results || one;
	END LOOP;
	DROP TABLE probes;
	RETURN jsonb_build_object('kind', kind, 'values', texts, 'filters', results);
END$$;

-- Names, and every character but surrogates and those that psql does not print.
:folded_sql
CREATE TABLE names AS
	SELECT unnest('{Ann,ANN,ann@Example.COM,ΟΔΟΣ,ΟΔΟΣ@X.GR,İ,İ@X.TR,Ö,K,ß}'::text[]) AS name
	UNION ALL
	SELECT string_agg(chr(n), '') FROM generate_series(1, 131071) AS n
	WHERE n NOT BETWEEN 55296 AND 57343 AND n % 65536 < 65534 GROUP BY n / 1000;

SELECT setseed(:seed);
\o
SELECT jsonb_build_object(
	'folding', (
		SELECT jsonb_build_object('python', :'folded_python', 'js', :'folded_js',
			'names', jsonb_agg(jsonb_build_array(name, folded(name), lower(name))),
			'filter', bf_agg(folded(name), 1000, 0.0001)::text, 'lower', bf_agg(lower(name), 1000, 0.0001)::text)
		FROM names),
	'readings', (SELECT jsonb_agg(readings(kind, type, value, shown)) FROM kinds),
	'buildings', (SELECT jsonb_agg(buildings(kind, type, value, shown)) FROM kinds),
	'geometries', (
		SELECT jsonb_agg(jsonb_build_object('capacity', capacity, 'rate', rate, 'bytes', bf_size(capacity, rate),
			'layer', CASE WHEN bf_size(capacity, rate) < 1000000 THEN
				(SELECT jsonb_build_array(blocks, block_bits, probes) FROM bf_layers(bf_create(capacity, rate))) END))
		FROM (SELECT greatest(1, exp(random() * 18)::bigint) AS capacity,
				CASE n % 3 WHEN 0 THEN 0.5 * 10 ^ -floor(random() * 7)
					WHEN 1 THEN floor(1 + random() * 99)::float8 / 200
					ELSE exp(ln(1e-7) + random() * (ln(0.5) - ln(1e-7))) END AS rate
			FROM generate_series(1, :geometries) AS n) AS pairs));
