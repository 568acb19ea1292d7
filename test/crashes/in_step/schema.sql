-- Functions that test/crashes needs in addition to the recipe of docs/synchronize.md.

-- The email of an account is one of ten, the last of which is NULL. No two accounts have the same email.
CREATE FUNCTION email_of(id bigint, version integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN version < 9 THEN format('user%s.%s', id, version) END
$$;

-- Raises an error if the filters do not contain the email of an account.
CREATE FUNCTION probe(first bigint, last bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	lost text[];
BEGIN
	SELECT array_agg(email) INTO lost
	FROM accounts LEFT JOIN email_shards ON shard = filter_hash(email) & 63
	WHERE id BETWEEN first AND last AND email IS NOT NULL AND cf_contains(emails, email) IS NOT TRUE;
	IF lost IS NOT NULL THEN
		RAISE 'FALSE NEGATIVE: %', lost;
	END IF;
END$$;

-- Adds an account and changes another in a subtransaction that is rolled back.
CREATE FUNCTION fail(new_id bigint, old_id bigint, version integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO accounts VALUES (new_id, email_of(new_id, version)) ON CONFLICT DO NOTHING;
	UPDATE accounts SET email = email_of(id, version) WHERE id = old_id;
	RAISE division_by_zero;
EXCEPTION WHEN division_by_zero THEN
	NULL;
END$$;

-- The emails that the scan of the accounts with the filter of their shard finds.
CREATE VIEW found AS
	SELECT a.id FROM email_shards AS s,
		LATERAL (SELECT id, email FROM accounts WHERE cf_contains(s.emails, email) OFFSET 0) AS a
	WHERE s.shard = filter_hash(a.email) & 63;

-- In one snapshot: emails in the table, entries in the filters, and emails that the filters do not contain or count, or that
-- a scan does not find, or finds twice.
CREATE FUNCTION state(OUT emails bigint, OUT entries bigint, OUT missing bigint) LANGUAGE sql AS $$
	SELECT
		count(a.email),
		(SELECT sum(cf_cardinality(s.emails)) FROM email_shards AS s),
		greatest(count(a.email) FILTER (WHERE (cf_contains(s.emails, a.email) AND cf_count(s.emails, a.email) >= 1) IS NOT TRUE),
			abs(count(a.email) - (SELECT count(*) FROM found)))
	FROM accounts AS a LEFT JOIN email_shards AS s ON s.shard = filter_hash(a.email) & 63
$$;
