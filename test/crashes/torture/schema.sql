-- The tables of the torture suite: filters, and the exact keys in them. After every transaction, a key is in both or in
-- neither.

-- A row for each copy of a key.
CREATE TABLE exact (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	shard integer NOT NULL,
	key bigint NOT NULL
);
CREATE INDEX ON exact (shard, key);

-- The Bloom filters hold the keys as text. The filters of shards 0 to 63 hold keys up to 250 and are stored in the row,
-- the others hold keys up to 5000 and are stored out of line. Those of odd shards have to grow.
CREATE TABLE filters (shard integer, b bloomfilter, c cuckoofilter) PARTITION BY RANGE (shard);
CREATE TABLE filters_inline PARTITION OF filters (PRIMARY KEY (shard)) FOR VALUES FROM (0) TO (64)
	WITH (fillfactor = 50);
CREATE TABLE filters_toasted PARTITION OF filters (PRIMARY KEY (shard)) FOR VALUES FROM (64) TO (68);
ALTER TABLE filters_inline ALTER b SET STORAGE PLAIN, ALTER c SET STORAGE PLAIN;
ALTER TABLE filters_toasted ALTER b SET STORAGE EXTENDED;
INSERT INTO filters
	SELECT shard, bf_create(capacity), cf_create(capacity)
	FROM generate_series(0, 67) shard,
		LATERAL (SELECT CASE WHEN shard < 64 THEN 250 ELSE 5000 END / (1 + shard % 2 * 9) AS capacity) AS c;

-- Only keys 1 and 2 get more than five copies: after a 16th, deleting the key has no effect, and tests nothing.
CREATE FUNCTION add_key(to_shard integer, new_key bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF new_key > 2 AND (SELECT count(*) FROM exact WHERE shard = to_shard AND key = new_key) >= 5 THEN
		RETURN;
	END IF;
	INSERT INTO exact (shard, key) VALUES (to_shard, new_key);
	UPDATE filters SET b = bf_add(b, new_key::text), c = cf_add(c, new_key) WHERE shard = to_shard;
END$$;

-- Takes one copy, if there is one.
CREATE FUNCTION delete_key(from_shard integer, old_key bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	taken bigint;
BEGIN
	SELECT id INTO taken FROM exact WHERE shard = from_shard AND key = old_key LIMIT 1 FOR UPDATE SKIP LOCKED;
	IF FOUND THEN
		DELETE FROM exact WHERE id = taken;
		UPDATE filters SET c = cf_delete(c, old_key) WHERE shard = from_shard;
	END IF;
END$$;

-- All keys of a shard, in one snapshot, probed one by one and together.
CREATE FUNCTION probe(asked integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	lost bigint[];
BEGIN
	SELECT array_agg(key) INTO lost
	FROM (SELECT key, count(*) AS copies FROM exact WHERE shard = asked GROUP BY key) AS e
		JOIN filters ON shard = asked
	WHERE NOT bf_contains(b, key::text) OR NOT cf_contains(c, key) OR cf_count(c, key) < least(copies, 16);
	IF lost IS NOT NULL OR
		NOT (SELECT cf_contains_all(c, (SELECT array_agg(key) FROM exact WHERE shard = asked))
			FROM filters WHERE shard = asked)
	THEN
		RAISE EXCEPTION 'FALSE NEGATIVE in shard %: %', asked, lost;
	END IF;
END$$;

-- lost: keys that a filter does not contain; low: keys whose count is too low (16 means 16 or more); absent: keys that
-- are not in the table; stale: absent keys that the cuckoo filter contains nevertheless.
CREATE FUNCTION state(OUT copies bigint, OUT keys bigint, OUT lost bigint, OUT low bigint, OUT absent bigint,
	OUT stale bigint) LANGUAGE sql AS $$
	SELECT sum(e.copies), count(e.copies),
		count(*) FILTER (WHERE e.copies > 0 AND NOT (bf_contains(b, key::text) AND cf_contains(c, key))),
		count(*) FILTER (WHERE e.copies > 0 AND cf_count(c, key) < least(e.copies, 16)),
		count(*) FILTER (WHERE e.copies IS NULL), count(*) FILTER (WHERE e.copies IS NULL AND cf_contains(c, key))
	FROM (SELECT shard, key, count(*) AS copies FROM exact GROUP BY shard, key) AS e
		RIGHT JOIN (
			SELECT shard, key, b, c FROM filters, generate_series(1, CASE WHEN shard < 64 THEN 250 ELSE 5000 END) key
		) AS f USING (shard, key)
$$;
