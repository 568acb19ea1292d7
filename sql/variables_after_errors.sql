--
-- Variables of PL/pgSQL. From PostgreSQL 18 on, a function changes the filter in a variable in place. That only takes
-- less time: on every version a variable is as it was before an error.
--
CREATE SCHEMA variables_after_errors;
SET search_path = variables_after_errors, public;

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

SET client_min_messages = warning;
DROP SCHEMA variables_after_errors CASCADE;
