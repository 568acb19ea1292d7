--
-- Variables of PL/pgSQL. From PostgreSQL 18 on, a function changes the filter in a variable in place. That only takes
-- less time: on every version a variable has the same content as a copy would.
--
CREATE SCHEMA variables_changed;
SET search_path = variables_changed, public;

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
CREATE TABLE stored (id integer PRIMARY KEY, b bloomfilter, c cuckoofilter);
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
DROP SCHEMA variables_changed CASCADE;
