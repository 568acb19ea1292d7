--
-- Variables of PL/pgSQL. From PostgreSQL 18 on, a function changes the filter in a variable in place. That only takes
-- less time: on every version other holders of a filter see no change of it.
--
CREATE SCHEMA variables_copied;
SET search_path = variables_copied, public;

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
    united cuckoofilter;
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

    c := c | cf_create(1000);
    c := cf_union(cf_create(1000), c);
    c := cf_add_all(cf_add(c, 1), ARRAY[1, 1, 1, 11]);
    ASSERT cf_count(c, 1) = 5 AND cf_count(c, 11) = 1;
    c := cf_delete(cf_add(c, 11), 11);
    c := cf_delete(cf_delete_all(c, ARRAY[1, 1]), 1);
    ASSERT cf_count(c, 1) = 2 AND cf_count(c, 11) = 1;
    united := c | c;
    united := cf_union(united, cf_add(united, 14));
    ASSERT cf_count(c, 1) = 2 AND cf_count(united, 1) = 1 AND cf_count(united, 14) = 1 AND NOT c @> 14;
    BEGIN
        united := cf_delete(united, 1);
        ASSERT false;
    EXCEPTION WHEN object_not_in_prerequisite_state THEN
        ASSERT united @> 1;
    END;
    united := cf_add(united, 1);
    ASSERT cf_count(united, 1) = 1;
    -- Up to a permanent copy, in place.
    united := cf_create(1000);
    FOR i IN 1..40 LOOP
        united := cf_add(united, 3);
        ASSERT cf_count(united, 3) = least(i, 16);
    END LOOP;
    united := cf_create(1000);
    FOR i IN 1..15 LOOP
        united := cf_add(united, 3);
    END LOOP;
    FOR i IN REVERSE 14..0 LOOP
        united := cf_delete(united, 3);
        ASSERT cf_count(united, 3) = i;
    END LOOP;
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

SET client_min_messages = warning;
DROP SCHEMA variables_copied CASCADE;
