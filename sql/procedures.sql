--
-- Variables of PL/pgSQL. From PostgreSQL 18 on, a function changes the filter in a variable in place. That only takes
-- less time: on every version a variable has the same content as a copy would, and nothing else changes.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS cuckoo_filter;
CREATE SCHEMA procedures;
SET search_path = procedures, public;
RESET client_min_messages;

-- Changed value by value and array by array, against changes that always copy.
DO $$
DECLARE
    b bloomfilter := bf_create(20000);
    b_copied bloomfilter := b;
    c cuckoofilter := cf_create(20000);
    c_copied cuckoofilter := c;
BEGIN
    FOR i IN 1..2000 LOOP
        b := bf_add(b, i);
        b_copied := (SELECT bf_add(b_copied, i));
        b := bf_add(b, '-77');
        b_copied := (SELECT bf_add(b_copied, '-77'));
        b := bf_add_all(b, ARRAY[-i, NULL, i / 2]);
        b_copied := (SELECT bf_add_all(b_copied, ARRAY[-i, NULL, i / 2]));
        c := cf_add(c, i % 1000);
        c_copied := (SELECT cf_add(c_copied, i % 1000));
        c := cf_add_unique(c, i);
        c_copied := (SELECT cf_add_unique(c_copied, i));
        c := cf_add_all(c, ARRAY[i, NULL, i + 1]);
        c_copied := (SELECT cf_add_all(c_copied, ARRAY[i, NULL, i + 1]));
        c := cf_delete(c, i - 1);
        c_copied := (SELECT cf_delete(c_copied, i - 1));
        c := cf_delete_all(c, ARRAY[i, NULL]);
        c_copied := (SELECT cf_delete_all(c_copied, ARRAY[i, NULL]));
        ASSERT bf_contains(b, i) AND b @> -i AND bf_contains_all(b, ARRAY[i, -i]) AND c @> (i + 1) AND cf_contains(c, 77) = (i >= 76),
            format('missing after %s', i);
        ASSERT cf_count(c, i + 1) = (SELECT cf_count(c_copied, i + 1)), format('another count of %s', i + 1);
    END LOOP;
    ASSERT b = b_copied AND c = c_copied;
    ASSERT bf_info(b) = bf_info(b_copied) AND cf_info(c) = cf_info(c_copied);
END$$;

-- The image moves: the first value sets the kind of a filter, with a name or without; other values add a source, or
-- make the filter grow. The probes always use the same expressions.
DO $$
DECLARE
    b bloomfilter;
    c cuckoofilter;
BEGIN
    FOR capacity IN 1..6 LOOP
        b := bf_create(CASE WHEN capacity > 1 THEN 10 ^ capacity END::bigint);
        c := cf_create(CASE WHEN capacity > 1 THEN 10 ^ capacity END::bigint);
        FOR i IN 1..5000 LOOP
            b := bf_add(b, i);
            c := cf_add(c, '10.0.0.0'::inet + i);
            ASSERT bf_contains(b, i) AND cf_contains(c, '10.0.0.0'::inet + i), format('%s is missing of %s', i, capacity);
        END LOOP;
        FOR i IN 1..5000 LOOP
            ASSERT bf_contains(b, i) AND cf_contains(c, '10.0.0.0'::inet + i), format('%s went missing of %s', i, capacity);
        END LOOP;
        ASSERT cf_cardinality(c) = 5000 AND abs(bf_cardinality(b) - 5000) < 250;
    END LOOP;
    -- Without its source, '0.2' would not be read as double precision.
    b := bf_create(100, of => 'real');
    b := bf_add(b, 0.1::real);
    b := bf_add(b, 0.2::double precision);
    ASSERT b @> '0.1' AND b @> '0.2' AND NOT b @> '0.3';
    b := bf_create(100);
    b := bf_union(b, b);
    b := bf_add(b, 'a'::text);
    ASSERT b @> 'a' AND (bf_info(b)).value_kind = 'text';
END$$;

--
-- Other holders of the filter see no change.
--
CREATE TABLE stored (id integer PRIMARY KEY, b bloomfilter, c cuckoofilter);
CREATE FUNCTION with_more(f bloomfilter, more integer) RETURNS bloomfilter LANGUAGE plpgsql AS $$
BEGIN
    f := bf_add(f, more);
    f := bf_add(f, -more);
    RETURN f;
END$$;
CREATE FUNCTION with_more_returned(f bloomfilter, more integer) RETURNS bloomfilter LANGUAGE plpgsql AS
    'BEGIN RETURN bf_add(f, more); END';
CREATE FUNCTION with_more_out(f bloomfilter, more integer, OUT one bloomfilter, OUT two bloomfilter) LANGUAGE plpgsql AS $$
BEGIN
    one := f;
    one := bf_add(one, more);
    two := bf_add(one, more + 1);
    one := bf_add(one, more + 2);
END$$;
CREATE FUNCTION with_more_sql(f bloomfilter, more integer) RETURNS bloomfilter LANGUAGE sql VOLATILE AS
    'SELECT bf_add(bf_add(f, more), -more)';
CREATE FUNCTION each_with_more(f bloomfilter, more integer) RETURNS SETOF bloomfilter LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..more LOOP
        f := bf_add(f, i);
        RETURN NEXT f;
    END LOOP;
    RETURN QUERY SELECT bf_add(f, more + 1);
END$$;
CREATE PROCEDURE add_more(INOUT f bloomfilter, more integer) LANGUAGE plpgsql AS 'BEGIN f := bf_add(f, more); END';
CREATE TYPE holder AS (b bloomfilter, n integer);

DO $$
DECLARE
    f bloomfilter := bf_create(1000);
    g bloomfilter;
    h bloomfilter;
    before bloomfilter;
    held holder;
    anything record;
    many bloomfilter[];
BEGIN
    f := bf_add(f, 1);
    f := bf_add(f, 2);
    before := (SELECT bf_add_all(bf_create(1000), ARRAY[1, 2]));
    ASSERT f = before;

    -- Other variables.
    g := f;
    f := bf_add(f, 3);
    ASSERT g = before AND NOT g @> 3 AND f @> 3, 'g := f';
    g := bf_add(f, 4);
    ASSERT g @> 4 AND g @> 3 AND NOT f @> 4, 'g := bf_add(f)';
    h := g;
    g := bf_add(h, 5);
    f := bf_add(g, 6);
    ASSERT f @> 6 AND NOT g @> 6 AND NOT h @> 5 AND f @> 4, 'in a ring';
    f := g;
    ASSERT f = g;
    f := f;
    ASSERT f = g;
    f := before;

    -- Functions: additions to a parameter are not visible outside.
    f := bf_add(f, 1);
    f := bf_add(f, 7);
    f := bf_union(before, before);
    f := bf_add(f, 2);
    g := with_more(f, 10);
    ASSERT f = before AND g @> 10 AND g @> -10, 'with_more';
    g := with_more_returned(f, 10);
    ASSERT f = before AND g @> 10, 'with_more_returned';
    g := with_more_sql(f, 10);
    ASSERT f = before AND g @> 10 AND g @> -10, 'with_more_sql';
    PERFORM with_more(f, 11), with_more_returned(f, 11), with_more_sql(f, 11), bf_add(f, 11), with_more_out(f, 11);
    ASSERT f = before, 'PERFORM';
    anything := with_more_out(f, 10);
    ASSERT f = before AND anything.one @> 12 AND NOT anything.one @> 11 AND anything.two @> 11 AND NOT anything.two @> 12, 'OUT';
    ASSERT (SELECT array_agg(bf_cardinality(e) ORDER BY n) FROM each_with_more(f, 4) WITH ORDINALITY AS made (e, n))
        = ARRAY[2, 2, 3, 4, 5]::bigint[], 'SETOF';
    ASSERT f = before, 'SETOF';
    h := f;
    CALL add_more(f, 12);
    ASSERT f @> 12 AND NOT h @> 12, 'INOUT';
    f := with_more(f, 13);
    f := bf_add(with_more(with_more_returned(f, 14), 15), 16);
    ASSERT bf_contains_all(f, ARRAY[1, 2, 12, 13, -13, 14, 15, -15, 16]) AND h = before, 'nested';
    f := before;
    f := bf_add(f, 2);

    -- Fields and elements.
    held := ROW(f, 1);
    f := bf_add(f, 20);
    held.b := bf_add(held.b, 21);
    held.b := bf_add(held.b, 22);
    anything := held;
    held.b := bf_add(held.b, 23);
    anything.b := bf_add(anything.b, 24);
    ASSERT f @> 20 AND NOT f @> 21 AND bf_contains_all(held.b, ARRAY[1, 2, 21, 22, 23]) AND NOT held.b @> 24 AND
        bf_contains_all(anything.b, ARRAY[21, 22, 24]) AND NOT anything.b @> 23, 'fields';
    f := before;
    f := bf_add(f, 2);
    many := ARRAY[f, f];
    f := bf_add(f, 25);
    many := many || f;
    many[1] := bf_add(many[1], 26);
    f := bf_add(f, 27);
    ASSERT many[2] = before AND many[1] @> 26 AND many[3] @> 25 AND NOT many[3] @> 27, 'elements';
    FOREACH g IN ARRAY many LOOP
        g := bf_add(g, 28);
        g := bf_add(g, 29);
        ASSERT g @> 28 AND g @> 29;
    END LOOP;
    ASSERT NOT many[1] @> 28 AND NOT many[3] @> 29, 'FOREACH';
    FOR g IN SELECT e FROM unnest(many) AS e LOOP
        g := bf_add(g, 30);
        g := bf_add(g, 31);
        ASSERT g @> 30 AND g @> 1;
    END LOOP;

    -- Rows.
    f := bf_add(f, 32);
    INSERT INTO stored VALUES (1, f), (2, bf_add(f, 33));
    f := bf_add(f, 34);
    UPDATE stored SET b = bf_add(b, 35) WHERE id = 1 RETURNING b INTO g;
    g := bf_add(g, 36);
    ASSERT (SELECT b @> 32 AND b @> 35 AND NOT b @> 34 AND NOT b @> 36 FROM stored WHERE id = 1) AND
        (SELECT b @> 33 AND NOT b @> 34 FROM stored WHERE id = 2) AND NOT f @> 33, 'rows';
    SELECT b INTO f FROM stored WHERE id = 2;
    f := bf_add(f, 37);
    f := bf_add(f, 38);
    ASSERT f @> 33 AND f @> 38 AND (SELECT NOT b @> 37 FROM stored WHERE id = 2), 'SELECT INTO';
    EXECUTE 'UPDATE stored SET b = $1 WHERE id = 2' USING f;
    EXECUTE 'SELECT bf_add($1, 39), bf_add($1, 40)' INTO g, h USING f;
    ASSERT g @> 39 AND NOT g @> 40 AND h @> 40 AND NOT h @> 39 AND NOT f @> 39 AND (SELECT b = f FROM stored WHERE id = 2), 'USING';
END$$;

-- A query sees the variable as it was when the query began.
CREATE FUNCTION answers() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    f bloomfilter := bf_create(1000);
    opened refcursor;
    bound CURSOR (g bloomfilter) FOR SELECT count(*) FROM generate_series(1, 100) AS i WHERE bf_contains(g, i);
    key integer;
    hit record;
    hits integer := 0;
BEGIN
    FOR i IN 1..10 LOOP
        f := bf_add(f, i);
    END LOOP;
    OPEN opened FOR SELECT i FROM generate_series(1, 100) AS i WHERE bf_contains(f, i);
    OPEN bound (f);
    FOR hit IN SELECT i FROM generate_series(1, 100) AS i WHERE bf_contains(f, i) LOOP
        f := bf_add(f, hit.i + 1);
        hits := hits + 1;
    END LOOP;
    RETURN NEXT format('%s by a loop', hits);
    f := bf_add_all(f, ARRAY[60, 61]);
    hits := 0;
    LOOP
        FETCH opened INTO key;
        EXIT WHEN NOT FOUND;
        f := bf_add(f, key + 1);
        hits := hits + 1;
    END LOOP;
    RETURN NEXT format('%s by a cursor', hits);
    FETCH bound INTO hits;
    RETURN NEXT format('%s by a cursor with a parameter', hits);
    RETURN NEXT format('%s then', (SELECT count(*) FROM generate_series(1, 100) AS i WHERE bf_contains(f, i)));
END$$;
SELECT answers();

--
-- The variable in the other arguments, more than once, below other expressions.
--
DO $$
DECLARE
    f bloomfilter := bf_create(1000);
    c cuckoofilter := cf_create(1000);
    t bloomfilter := bf_create(1000);
    before bloomfilter;
BEGIN
    FOR i IN 1..10 LOOP
        f := bf_add(f, i);
        c := cf_add(c, i);
    END LOOP;
    f := bf_union(f, bf_add(f, 11));
    f := bf_union(bf_add(f, 12), bf_add(f, 13));
    f := bf_union(bf_add(f, 14), f);
    f := f | f;
    f := f & f;
    ASSERT bf_contains_all(f, ARRAY[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]) AND bf_cardinality(f) BETWEEN 13 AND 15;
    before := f;
    f := bf_add(f, bf_cardinality(f)::integer + 100);
    f := bf_add(bf_add(f, 15), 16);
    f := bf_add_all(bf_add(f, 17), ARRAY[18, bf_cardinality(f)::integer + 200]);
    ASSERT bf_contains_all(f, ARRAY[15, 16, 17, 18]) AND NOT before @> 15;
    f := CASE WHEN bf_contains(f, 18) THEN bf_add(f, 19) ELSE f END;
    f := coalesce(bf_add(f, 20), f);
    f := (ARRAY[bf_add(f, 21), f])[1];
    f := bf_intersection(bf_add(f, 22), bf_add(bf_add(f, 22), 23));
    ASSERT bf_contains_all(f, ARRAY[19, 20, 21, 22]) AND NOT f @> 23;
    f := f::bytea::bloomfilter;
    f := bf_add(f, 24);
    f := f::text::bloomfilter;
    ASSERT f @> 24 AND f @> 1;

    c := c | c;
    c := cf_union(c, cf_add(c, 11));
    ASSERT cf_count(c, 1) = 4 AND cf_count(c, 11) = 1;
    c := cf_delete(cf_add(c, 11), 11);
    c := cf_add(c, cf_count(c, 11) + 50);
    c := cf_compact(cf_add(c, 12));
    c := cf_compact(c);
    ASSERT cf_count(c, 11) = 1 AND c @> 51 AND c @> 12;

    -- The filter as a value of itself.
    FOR i IN 1..5 LOOP
        t := bf_add(t, t::text);
        ASSERT bf_cardinality(t) = i AND NOT t @> t::text;
    END LOOP;
END$$;

-- Merged into a variable, in the layers that the same query makes, and counted by it.
DO $$
DECLARE
    f bloomfilter := bf_create(NULL);
    c cuckoofilter := cf_create(NULL);
    parts bloomfilter[];
    c_parts cuckoofilter[];
BEGIN
    parts := ARRAY(SELECT bf_agg(n * 1000 + i, 100 * n) FROM generate_series(1, 8) AS n, generate_series(1, 80) AS i GROUP BY n ORDER BY n);
    c_parts := ARRAY(SELECT cf_agg(n * 1000 + i, 100 * n) FROM generate_series(1, 8) AS n, generate_series(1, 80) AS i GROUP BY n ORDER BY n);
    FOR n IN 1..8 LOOP
        f := f | parts[n];
        c := cf_union(c, c_parts[n]);
        f := bf_add(f, n);
        c := cf_add(c, n);
    END LOOP;
    FOR n IN 1..8 LOOP
        ASSERT f @> n AND c @> n;
        FOR i IN 1..80 LOOP
            ASSERT bf_contains(f, n * 1000 + i) AND cf_contains(c, n * 1000 + i);
        END LOOP;
    END LOOP;
    ASSERT cf_cardinality(c) = 648;
    c := cf_compact(c);
    ASSERT cf_cardinality(c) = 648;
END$$;

-- In the check of a domain, which sees the value that is to be assigned.
CREATE DOMAIN checked AS bloomfilter CHECK (bf_add(VALUE, 99) @> 99 AND bf_add_all(VALUE, ARRAY[98]) @> 98);
DO $$
DECLARE
    f checked := bf_create(1000);
BEGIN
    FOR i IN 1..10 LOOP
        f := bf_add(f, i);
        f := bf_add_all(f, ARRAY[-i]);
    END LOOP;
    ASSERT bf_cardinality(f) = 20 AND NOT bf_contains_any(f, ARRAY[98, 99]);
END$$;

-- NULL.
DO $$
DECLARE
    f bloomfilter;
    g bloomfilter := bf_create(1000, of => 'integer');
    nothing integer;
BEGIN
    f := bf_add(f, 1);
    ASSERT f IS NULL;
    g := bf_add(g, 1);
    g := bf_add(g, nothing);
    g := bf_add(g, NULL);
    g := bf_add_all(g, NULL::integer[]);
    g := bf_add_all(g, ARRAY[nothing]);
    ASSERT g = bf_add(bf_create(1000), 1);
    g := bf_union(g, f);
    ASSERT g IS NULL;
    g := bf_add(g, 2);
    ASSERT g IS NULL;
END$$;

--
-- Every way to read a variable.
--
CREATE TABLE ways (way text, ok boolean);
DO $$
DECLARE
    f bloomfilter := bf_create(1000);
    c cuckoofilter := cf_create(1000);
    flat bloomfilter := bf_add_all(bf_create(1000), ARRAY[1, 2, 3]);
    c_flat cuckoofilter := cf_add_all(cf_create(1000), ARRAY[1, 2, 3]);
BEGIN
    FOR i IN 1..3 LOOP
        f := bf_add(f, i);
        c := cf_add(c, i);
    END LOOP;
    INSERT INTO ways VALUES
        ('text', f::text = flat::text AND c::text = c_flat::text AND format('%s', f) = flat::text),
        ('bytea', f::bytea = flat::bytea AND octet_length(c::bytea) = octet_length(c_flat::bytea)),
        ('send', _bloomfilter_send(f) = _bloomfilter_send(flat) AND _cuckoofilter_send(c) = _cuckoofilter_send(c_flat)),
        ('compare', f = flat AND c = c_flat AND f <= flat AND NOT c > c_flat AND NOT f IS DISTINCT FROM flat),
        ('describe', bf_info(f) = bf_info(flat) AND cf_info(c) = cf_info(c_flat) AND cf_cardinality(c) = 3),
        ('size', pg_column_size(f) = pg_column_size(flat)),
        ('json', to_json(f)::text = to_json(flat)::text),
        ('row', ROW(f, c) = ROW(flat, c_flat) AND ROW(f)::text = ROW(flat)::text),
        ('array', ARRAY[f, flat] = ARRAY[flat, f] AND f = ANY (ARRAY[flat])),
        ('union', f | flat = flat AND flat | f = flat AND cf_union(c, c_flat) = cf_union(c_flat, c)),
        ('intersection', f & flat = flat AND flat & f = flat),
        ('aggregate', (SELECT bf_union_agg(e) = flat FROM unnest(ARRAY[f, f]) AS e) AND
            (SELECT bf_union_agg(f) = flat AND bf_intersection_agg(f) = flat AND cf_union_agg(c) = c_flat FROM generate_series(1, 1))),
        ('group', (SELECT count(DISTINCT e) = 1 FROM (VALUES (f), (flat), (f)) AS v (e))),
        ('sort', (SELECT array_agg(e ORDER BY e) = ARRAY[f, flat] FROM (VALUES (f), (flat)) AS v (e))),
        ('any, all, count', bf_contains_any(f, ARRAY[0, 3]) AND bf_contains_all(f, ARRAY[1, 3]) AND cf_count(c, 3) = 1);
    -- Expressions that cannot be constants of the plan.
    PERFORM set_config('plan_cache_mode', 'force_generic_plan', true);
    INSERT INTO ways SELECT 'generic plan', bf_contains(f, i) AND cf_contains(c, i) FROM generate_series(1, 3) AS i;
    INSERT INTO ways SELECT 'changed in a query', bf_contains(bf_add(f, -i), -i) AND NOT bf_contains(f, -i) AND
        bf_add(f, 4) = bf_add(flat, 4) AND bf_add(bf_add(f, 4), 5) = bf_add_all(flat, ARRAY[4, 5]) FROM generate_series(1, 3) AS i;
    INSERT INTO ways SELECT 'changed twice in a query', one = bf_add(flat, 4) AND bf_add(one, 5) = bf_add_all(flat, ARRAY[4, 5]) AND
        bf_add(one, 6) = bf_add_all(flat, ARRAY[4, 6]) AND one = bf_add(flat, 4)
        FROM (SELECT bf_add(f, 4) AS one OFFSET 0) AS made;
    INSERT INTO ways SELECT 'changed for an aggregate', bf_union_agg(bf_add(f, i)) = bf_add_all(flat, array_agg(i)) FROM generate_series(10, 20) AS i;
    ASSERT f = flat AND c = c_flat;
END$$;
SELECT way, bool_and(ok) FROM ways GROUP BY way ORDER BY way COLLATE "C";

-- As states of aggregates.
CREATE FUNCTION state_in_plpgsql(f bloomfilter, value integer) RETURNS bloomfilter LANGUAGE plpgsql AS $$
BEGIN
    f := bf_add(f, value);
    f := bf_add(f, -value);
    RETURN f;
END$$;
SELECT format('CREATE AGGREGATE by_hand(integer) (SFUNC = state_in_plpgsql, STYPE = bloomfilter, INITCOND = %L)', bf_create(1000)) \gexec
CREATE AGGREGATE united_by_hand(bloomfilter) (SFUNC = bf_union, STYPE = bloomfilter);
SELECT by_hand(i) = (SELECT bf_add_all(bf_create(1000), array_agg(v)) FROM generate_series(-20, 20) AS v WHERE v <> 0) AS by_hand
FROM generate_series(1, 20) AS i;
SELECT count(*), count(*) FILTER (WHERE bf_cardinality(f) = 2 * i AND f @> i AND NOT f @> (i + 1)) AS as_they_were
FROM (SELECT i, by_hand(i) OVER (ORDER BY i) AS f FROM generate_series(1, 20) AS i) AS running;
SELECT bf_cardinality(united_by_hand(bf_add(bf_create(1000), i))) FROM generate_series(1, 20) AS i;

-- In a trigger.
CREATE FUNCTION add_id() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    c cuckoofilter := coalesce(NEW.c, cf_create(100));
BEGIN
    NEW.b := bf_add(coalesce(NEW.b, bf_create(100)), NEW.id);
    NEW.b := bf_add(NEW.b, -NEW.id);
    c := cf_add(c, NEW.id);
    c := cf_add(c, NEW.id);
    NEW.c := c;
    c := cf_add(c, -1);
    RETURN NEW;
END$$;
TRUNCATE stored;
CREATE TRIGGER add_id BEFORE INSERT OR UPDATE ON stored FOR EACH ROW EXECUTE FUNCTION add_id();
INSERT INTO stored SELECT generate_series(1, 5);
UPDATE stored SET id = id + 10;
SELECT id, bf_contains_all(b, ARRAY[id, -id, id - 10, 10 - id]) AS b, cf_count(c, id) AS copies, cf_contains(c, -1) AS more FROM stored ORDER BY id;

-- Across transaction boundaries.
CREATE PROCEDURE in_transactions() LANGUAGE plpgsql AS $$
DECLARE
    f bloomfilter := bf_create(20);
    stored_one bloomfilter;
BEGIN
    FOR i IN 1..100 LOOP
        f := bf_add(f, i);
        IF i % 3 = 0 THEN
            UPDATE stored SET b = f WHERE id = 11;
            COMMIT;
        ELSIF i % 3 = 1 THEN
            ROLLBACK;
        END IF;
        SELECT b INTO stored_one FROM stored WHERE id = 11;
        stored_one := bf_add(stored_one, i);
        ASSERT bf_contains(f, i) AND bf_contains(f, 1) AND bf_contains(stored_one, i);
    END LOOP;
    ASSERT (SELECT bool_and(bf_contains(f, i)) FROM generate_series(1, 100) AS i);
END$$;
CALL in_transactions();

--
-- Errors: the variable is as it was before.
--
CREATE FUNCTION many_layers(OUT b bloomfilter, OUT c cuckoofilter) LANGUAGE sql AS $$
    SELECT bf_union_agg(b ORDER BY size DESC), cf_union_agg(c ORDER BY size DESC)
    FROM (SELECT size, bf_agg(size::real, 1000 * size) AS b, cf_agg(size, 1000 + 37 * size) AS c
          FROM generate_series(1, 32) AS size GROUP BY size) AS parts
$$;
SELECT (bf_info(b)).layers AS b, (cf_info(c)).layers AS c FROM many_layers();
CREATE DOMAIN few AS bloomfilter CHECK (bf_cardinality(VALUE) <= 2);
CREATE FUNCTION after_errors() RETURNS TABLE (message text, as_before boolean) LANGUAGE plpgsql AS $$
DECLARE
    b bloomfilter;
    c cuckoofilter;
    b_before bloomfilter;
    c_before cuckoofilter;
    limited few := bf_create(1000);
BEGIN
    FOR attempt IN 1..10 LOOP
        SELECT * INTO b, c FROM many_layers();
        -- Twice, so that something can be changed in place.
        b := bf_add(b, 100::real);
        b := bf_add(b, attempt::real);
        c := cf_add(c, 100);
        c := cf_add(c, attempt);
        b_before := b;
        c_before := c;
        BEGIN
            IF attempt = 1 THEN
                b := bf_add(b, 'a'::text);
            ELSIF attempt = 2 THEN
                b := bf_add_all(b, ARRAY(SELECT i::real FROM generate_series(1, 5000) AS i));
            ELSIF attempt = 3 THEN
                -- Of another source, too.
                b := bf_add_all(b, ARRAY(SELECT i::double precision FROM generate_series(1, 5000) AS i));
            ELSIF attempt = 4 THEN
                FOR i IN 1..5000 LOOP
                    b_before := b;
                    b := bf_add(b, i::real);
                END LOOP;
            ELSIF attempt = 5 THEN
                b := bf_union(b, (SELECT bf_union_agg(bf_agg) FROM (
                    SELECT bf_agg(i::real, 1000 * size) FROM generate_series(1, 50) AS size, generate_series(1, 10) AS i
                    GROUP BY size HAVING size IN (1, 50)) AS parts));
            ELSIF attempt = 6 THEN
                c := cf_add_all(c, ARRAY(SELECT generate_series(1, 5000)));
            ELSIF attempt = 7 THEN
                FOR i IN 1..5000 LOOP
                    c_before := c;
                    c := cf_add_unique(c, i);
                END LOOP;
            ELSIF attempt = 8 THEN
                c := cf_delete_all(c, ARRAY['a'::text]);
            ELSIF attempt = 9 THEN
                -- Full, and then a value of another source, which alone would be a change.
                FOR i IN 1..5000 LOOP
                    BEGIN
                        b := bf_add(b, i::real);
                    EXCEPTION WHEN program_limit_exceeded THEN
                        EXIT;
                    END;
                END LOOP;
                b_before := b;
                b := bf_add(b, 0.1::double precision);
            ELSE
                -- A check that comes after the change.
                b := limited;
                limited := bf_add(limited, 1);
                limited := bf_add(limited, 2);
                b_before := bf_add_all(b, ARRAY[1, 2]);
                b := b_before;
                limited := bf_add(limited, 3);
            END IF;
            message := 'none';
        EXCEPTION WHEN OTHERS THEN
            message := SQLERRM;
            b := CASE WHEN attempt = 10 THEN limited ELSE b END;
        END;
        as_before := b = b_before AND c = c_before;
        RETURN NEXT;
    END LOOP;
END$$;
SELECT * FROM after_errors();

-- Cancelled at any time: the variable is as it was before, or has the whole change.
CREATE TABLE many (ids integer[]);
ALTER TABLE many ALTER COLUMN ids SET STORAGE EXTERNAL;
INSERT INTO many SELECT array_agg(i) FROM generate_series(1, 1000000) AS i;
CREATE FUNCTION after_cancel() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    b bloomfilter;
    c cuckoofilter;
    b_before bloomfilter;
    c_before cuckoofilter;
    ids integer[];
    is_cancelled boolean := false;
BEGIN
    BEGIN
        SELECT many.ids INTO ids FROM many;
        b := bf_create(1000000);
        b := bf_add(b, -1);
        c := cf_create(1000000);
        c := cf_add(c, -1);
        b_before := b;
        c_before := c;
        FOR i IN 1..10 LOOP
            b := bf_add_all(b, ids);
            b_before := b;
            c := cf_add_all(c, ids);
            c_before := c;
            c := cf_delete_all(c, ids);
            c_before := c;
        END LOOP;
    EXCEPTION WHEN query_canceled THEN
        is_cancelled := true;
    END;
    -- Possibly before anything was added.
    RETURN is_cancelled AND (c_before IS NULL OR
        ((b = b_before OR bf_contains_all(b, ids)) AND (c = c_before OR cf_contains_all(c, ids) OR cf_cardinality(c) < 100)));
END$$;
SELECT format('SET statement_timeout = %s', 20 + 17 * n), 'SELECT after_cancel()' FROM generate_series(1, 10) AS n \gexec
RESET statement_timeout;

-- In place, if PostgreSQL supports it: copies of 10 MB would take minutes.
SET statement_timeout = '60s';
DO $$
DECLARE
    b bloomfilter := bf_create(8500000);
    c cuckoofilter := cf_create(8500000);
    few boolean := current_setting('server_version_num')::integer < 180000;
BEGIN
    FOR i IN 1..CASE WHEN few THEN 20 ELSE 100000 END LOOP
        b := bf_add(b, i);
        b := bf_add(b, '-7');
        b := bf_add_all(b, ARRAY[-i, i]);
        IF NOT bf_contains(b, i) OR NOT bf_contains_any(b, ARRAY[-i]) THEN
            RAISE 'missing: %', i;
        END IF;
        c := cf_add(c, i);
        c := cf_add_unique(c, i);
        c := cf_add_all(c, ARRAY[-i, i]);
        c := cf_delete(c, i);
        c := cf_delete_all(c, ARRAY[-i]);
        IF NOT c @> i OR cf_count(c, i) < 1 THEN
            RAISE 'missing: %', i;
        END IF;
    END LOOP;
    -- Value by value, with a variable that is visible after an error.
    BEGIN
        FOR i IN 1..CASE WHEN few THEN 20 ELSE 100000 END LOOP
            b := bf_add(b, i);
            c := cf_add_unique(c, i);
            c := cf_delete(c, -i);
        END LOOP;
    EXCEPTION WHEN division_by_zero THEN
        RAISE;
    END;
END$$;
RESET statement_timeout;

SET client_min_messages = warning;
DROP SCHEMA procedures CASCADE;
