# Logical replication transfers filters byte for byte, as text and in binary, including those that an update does not
# change.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $publisher = PostgreSQL::Test::Cluster->new('publisher');
$publisher->init(allows_streaming => 'logical', extra => [ '--encoding=UTF8', '--no-locale' ]);
$publisher->start;
my $subscriber = PostgreSQL::Test::Cluster->new('subscriber');
$subscriber->init(allows_streaming => 'logical', extra => [ '--encoding=UTF8', '--no-locale' ]);
$subscriber->start;

my $tables = <<'SQL';
CREATE EXTENSION cuckoo_filter;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE stored (name text PRIMARY KEY, note integer, b bloomfilter, c cuckoofilter, several bloomfilter[]);
CREATE TABLE exact (name text, key bigint, PRIMARY KEY (name, key));
CREATE TABLE keyless (b bloomfilter, c cuckoofilter, note integer);
ALTER TABLE keyless REPLICA IDENTITY FULL;
SQL
$publisher->safe_psql('postgres', $tables);
$publisher->safe_psql('postgres', <<'SQL');
INSERT INTO exact SELECT 'inline', generate_series(1, 100) UNION ALL SELECT 'toasted', generate_series(1, 20000);
INSERT INTO stored SELECT name, 0, bf_agg(key), cf_agg(key), ARRAY[bf_agg(key), NULL] FROM exact GROUP BY name;
INSERT INTO stored VALUES ('empty', 0, bf_create(NULL), cf_create(100), '{}'), ('null', 0, NULL, NULL, NULL);
INSERT INTO stored SELECT 'moods', 0, bf_agg(m), cf_agg(m), NULL FROM unnest('{sad,happy}'::mood[]) m;
INSERT INTO keyless SELECT bf_agg(i), cf_agg(i), n FROM unnest('{10,20,30000,30010}'::integer[]) n, generate_series(1, n) i GROUP BY n;
INSERT INTO keyless VALUES (NULL, cf_create(10), 0);
CREATE PUBLICATION filters FOR TABLE stored, exact, keyless;
SQL

# The databases at the other end, by the option their subscription has.
my %databases = (as_text => '', as_binary => ', binary = true');
for my $database (sort keys %databases)
{
	$subscriber->safe_psql('postgres', "CREATE DATABASE $database");
	# So that types have other oids there.
	$subscriber->safe_psql($database, "CREATE TYPE used_up AS ENUM ('1', '2'); DROP TYPE used_up;\n$tables");
	my $connection = $publisher->connstr . ' dbname=postgres';
	$subscriber->safe_psql($database, <<SQL);
CREATE SUBSCRIPTION $database CONNECTION '$connection' PUBLICATION filters
	WITH (slot_name = '$database' $databases{$database})
SQL
	$subscriber->wait_for_subscription_sync($publisher, $database, $database);
}

# The same rows, byte for byte, and every key found at the other end.
sub check
{
	my ($what) = @_;
	my $images = <<'SQL';
SELECT name, note, md5(b::text), md5(c::text), md5(several::text) FROM stored ORDER BY name COLLATE "C"
SQL
	my $found = <<'SQL';
SELECT name, count(*), count(*) FILTER (WHERE bf_contains(b, key)),
	count(*) FILTER (WHERE cf_contains(c, key) AND cf_count(c, key) >= 1)
FROM exact JOIN stored USING (name) GROUP BY name ORDER BY name COLLATE "C"
SQL
	my $rows = $publisher->safe_psql('postgres', $images);
	my $keys = $publisher->safe_psql('postgres',
		'SELECT name, count(*) FROM exact GROUP BY name ORDER BY name COLLATE "C"');
	$keys =~ s/\|(\d+)/|$1|$1|$1/g;
	for my $database (sort keys %databases)
	{
		$publisher->wait_for_catchup($database);
		is($subscriber->safe_psql($database, $images), $rows, "$what: the same images, $database");
		is($subscriber->safe_psql($database, $found), $keys, "$what: every key, $database");
	}
	return;
}

check('initial copy');
is( $subscriber->safe_psql(
		'as_text', "SELECT string_agg(m::text, ' ' ORDER BY m) FROM stored, unnest(enum_range(NULL::mood)) m
			WHERE name = 'moods' AND bf_contains(b, m) AND cf_contains(c, m)"),
	'sad happy', 'enums');

# sub change: runs it on the publisher.
sub change
{
	my ($what, $sql) = @_;

	$publisher->safe_psql('postgres', $sql);
	check($what);
	return;
}

# The row is sent without unchanged values that are out of line.
change('another column changes', 'UPDATE stored SET note = note + 1');
change('one filter of two changes', <<'SQL');
BEGIN;
INSERT INTO exact SELECT name, -1 FROM stored WHERE name IN ('inline', 'toasted');
UPDATE stored SET b = bf_add(b, -1::bigint) WHERE name IN ('inline', 'toasted');
UPDATE stored SET c = cf_add(c, -1::bigint) WHERE name IN ('inline', 'toasted');
COMMIT;
SQL
change('many transactions', <<'SQL');
DO $$
BEGIN
	FOR k IN 30000..30100 LOOP
		INSERT INTO exact VALUES ('inline', k), ('toasted', k);
		UPDATE stored SET b = bf_add(b, k::bigint), c = cf_add(c, k::bigint), note = note + 1
			WHERE name IN ('inline', 'toasted');
		COMMIT;
		IF k % 3 = 0 THEN
			DELETE FROM exact WHERE key = k;
			UPDATE stored SET c = cf_delete(c, k::bigint) WHERE name IN ('inline', 'toasted');
			COMMIT;
		END IF;
	END LOOP;
END$$
SQL
change('rolled back in part', <<'SQL');
BEGIN;
UPDATE stored SET b = bf_add(b, -2::bigint) WHERE name = 'toasted';
SAVEPOINT s;
UPDATE stored SET b = NULL, c = NULL;
ROLLBACK TO s;
INSERT INTO exact VALUES ('toasted', -2);
UPDATE stored SET c = cf_add(c, -2::bigint) WHERE name = 'toasted';
COMMIT;
SQL
change('the key of the row changes', <<'SQL');
BEGIN;
UPDATE stored SET name = 'renamed' WHERE name = 'toasted';
UPDATE exact SET name = 'renamed' WHERE name = 'toasted' AND key <= 5;
DELETE FROM exact WHERE name = 'toasted';
COMMIT;
SQL
change('one becomes large, one small', <<'SQL');
BEGIN;
INSERT INTO exact SELECT 'inline', generate_series(100000, 110000);
UPDATE stored SET (b, c) = (SELECT bf_union(b, bf_agg(key)), cf_agg(key) FROM exact WHERE name = 'inline')
	WHERE name = 'inline';
UPDATE stored SET (b, c) = (SELECT bf_agg(key), cf_agg(key) FROM exact WHERE name = 'renamed') WHERE name = 'renamed';
COMMIT;
SQL

# Rows of a table without a key are found by all of their columns, so filters have to be comparable.
$publisher->safe_psql('postgres', <<'SQL');
UPDATE keyless SET b = bf_add(b, -1), c = cf_add(c, -1) WHERE note IN (20, 30010);
UPDATE keyless SET note = note + 1 WHERE note IN (0, 10);
DELETE FROM keyless WHERE note = 30000;
SQL
my $keyless = 'SELECT note, md5(b::text), md5(c::text) FROM keyless ORDER BY note';
for my $database (sort keys %databases)
{
	$publisher->wait_for_catchup($database);
	is( $subscriber->safe_psql($database, $keyless), $publisher->safe_psql('postgres', $keyless),
		"rows are found by their filters: the same images, $database");
	is( $subscriber->safe_psql($database, 'SELECT count(*) FROM keyless WHERE b @> -1 AND c @> -1'), 2,
		"rows are found by their filters: new members, $database");
}

# Replicated filters can be added to on the subscriber.
for my $database (sort keys %databases)
{
	is( $subscriber->safe_psql($database, <<'SQL'), "t\nt", "replicated filters can be added to, $database");
UPDATE stored SET b = bf_add(b, -3::bigint), c = cf_add(c, -3::bigint) WHERE name IN ('inline', 'renamed')
	RETURNING bf_contains(b, -3) AND cf_contains(c, -3)
SQL
}

is( $subscriber->safe_psql('postgres', "SELECT subbinary FROM pg_subscription WHERE subname = 'as_binary'"),
	't', 'one of the subscriptions is in binary');
unlike(slurp_file($subscriber->logfile), qr/ERROR: /, 'no error when changes are applied');

$subscriber->stop;
$publisher->stop;
done_testing();
