# A standby finds every key at any time while the primary changes the filters, and continues alone after promotion.
use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
# Without hot_standby_feedback: with it, VACUUM FULL of a table with TOASTed values can fail on the primary with "missing chunk
# number" (on 15, of a bytea column and without this extension, too).
$primary->append_conf('postgresql.conf', "autovacuum = off\nmax_wal_size = 4GB");
$primary->start;
$primary->safe_psql('postgres', <<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TABLE exact (key bigint PRIMARY KEY);
-- In the row, and out of it; the last one has to grow.
CREATE TABLE stored (name text PRIMARY KEY, b bloomfilter, c cuckoofilter);
INSERT INTO stored SELECT name, bf_create(size, 1e-4), cf_create(size, 1e-4)
	FROM (VALUES ('inline', 100), ('toasted', 20000), ('grown', 20)) AS v (name, size);
CREATE TABLE inline_only (b bloomfilter, c cuckoofilter);
ALTER TABLE inline_only ALTER b SET STORAGE PLAIN, ALTER c SET STORAGE PLAIN;
INSERT INTO inline_only VALUES (bf_create(400), cf_create(400));

-- Keys from .. to, one transaction each; every third is taken out again.
CREATE PROCEDURE change(first bigint, last bigint) LANGUAGE plpgsql AS $$
BEGIN
	FOR k IN first .. last LOOP
		INSERT INTO exact VALUES (k);
		UPDATE stored SET b = bf_add(b, k), c = cf_add(c, k);
		UPDATE inline_only SET b = bf_add(b, k), c = cf_add(c, k);
		COMMIT;
		IF k % 3 = 0 THEN
			DELETE FROM exact WHERE key = k;
			UPDATE stored SET c = cf_delete(c, k);
			UPDATE inline_only SET c = cf_delete(c, k);
			COMMIT;
		END IF;
	END LOOP;
END$$;
CALL change(1, 50);
SQL
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
# VACUUM on the primary must not cancel queries here.
$standby->append_conf('postgresql.conf', 'max_standby_streaming_delay = -1');
$standby->start;

# Keys that are in the exact table and not in a filter, in one snapshot; the exact table's size shows that it changes.
# The stored filter is read once for many keys, and again for each key.
my $missing = <<'SQL';
SELECT (SELECT count(*) FROM exact),
	(SELECT count(*) FROM exact, stored
		WHERE NOT bf_contains(b, key) OR NOT cf_contains(c, key) OR cf_count(c, key) < 1)
	+ (SELECT count(*) FROM exact, inline_only WHERE NOT bf_contains(b, key) OR NOT cf_contains(c, key))
	+ (SELECT count(*) FROM exact WHERE NOT bf_contains((SELECT b FROM stored WHERE name = 'toasted'), key))
	+ (SELECT count(*) FROM exact WHERE NOT cf_contains((SELECT c FROM stored WHERE name = 'toasted'), key))
SQL

# One session, whose plans and copies of filters are kept.
my ($seen, $errors) = ('', '');
my $script = PostgreSQL::Test::Utils::tempdir() . '/probe.sql';
open my $handle, '>', $script or die "cannot write $script: $!";
print $handle "SET plan_cache_mode = force_generic_plan;\nPREPARE probe AS $missing;\n",
	"EXECUTE probe;\nSELECT 'slept' FROM pg_sleep(0.02);\n" x 150;
close $handle;
my $session = IPC::Run::start(
	[ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-f', $script, $standby->connstr('postgres') ],
	'>', \$seen, '2>', \$errors);
$primary->safe_psql('postgres', 'CALL change(51, 200)');
$primary->safe_psql('postgres', 'VACUUM stored; VACUUM FULL inline_only');
$primary->safe_psql('postgres', 'CALL change(201, 300)');
# A large change at once, new filters instead of old ones, and a change that is rolled back.
$primary->safe_psql('postgres', <<'SQL');
BEGIN;
INSERT INTO exact SELECT generate_series(1000, 1999);
UPDATE stored SET b = bf_add_all(b, a), c = cf_add_all(c, a)
	FROM (SELECT array_agg(key) AS a FROM exact WHERE key >= 1000) AS v;
UPDATE inline_only SET b = bf_create(100), c = cf_create(100);
SAVEPOINT s;
UPDATE stored SET b = NULL, c = NULL;
ROLLBACK TO s;
DELETE FROM inline_only;
COMMIT;
SQL
$primary->safe_psql('postgres', 'VACUUM FULL stored');
$session->finish;
is($errors, '', 'probing while the primary changes: no error');
my @probes = grep { $_ ne 'slept' } split /\n/, $seen;
is(scalar @probes, 150, 'all probes returned');
is_deeply([ grep { !/\|0$/ } @probes ], [], 'no probe missed a key');
my %sizes = map { /^(\d+)/ ? ($1 => 1) : () } @probes;
cmp_ok(scalar keys %sizes, '>', 10, 'the filters changed between the probes');

$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
my $images = 'SELECT name, md5(b::text), md5(c::text) FROM stored ORDER BY name';
my $before = $primary->safe_psql('postgres', $images);
is($standby->safe_psql('postgres', $images), $before, 'the same images');
is($standby->safe_psql('postgres', $missing), '1200|0', 'nothing is missing');

my ($status, undef, $message) = $standby->psql('postgres',
	"\\set VERBOSITY sqlstate\nUPDATE stored SET b = bf_add(b, 1::bigint)");
like($message, qr/25006/, 'a standby is read only');

# The primary is gone, with a transaction open.
my $open = IPC::Run::start(
	[
		'psql', '-XAtq', '-d', $primary->connstr('postgres'), '-c', 'BEGIN',
		'-c', 'UPDATE stored SET b = bf_add(b, -1::bigint), c = cf_add(c, -1::bigint)', '-c', 'SELECT pg_sleep(100)'
	],
	'>', '/dev/null', '2>', '/dev/null');
$primary->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
	or die 'the transaction did not get to its end';
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('flush'));
$primary->stop('immediate');
$open->finish;

$standby->promote;
is($standby->safe_psql('postgres', $images), $before, 'promoted: the same images');
is($standby->safe_psql('postgres', $missing), '1200|0', 'promoted: no key is missing');
is($standby->safe_psql('postgres', 'SELECT count(*) FROM stored WHERE bf_contains(b, -1) OR cf_contains(c, -1)'), 0,
	'promoted: no uncommitted change is there');
$standby->safe_psql('postgres', <<'SQL');
-- One that fits in a row.
DELETE FROM exact WHERE key > 1100;
INSERT INTO inline_only SELECT bf_agg(key, 400), cf_agg(key, 400) FROM exact;
CALL change(6000, 6100);
SQL
is($standby->safe_psql('postgres', $missing), '368|0', 'promoted: changes are possible');

$standby->stop;
done_testing();
