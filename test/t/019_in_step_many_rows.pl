# The form of docs/synchronize.md for keys with many rows: filters have each key of a table once, whatever changes the table,
# and whoever changes it at the same time. CUCKOO_FILTER_SEED is the seed of the random changes.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Session;
use Test::More;

my $document = slurp_file("$FindBin::Bin/../../docs/synchronize.md");
my ($recipe) = $document =~ /^```sql\n(.*?)^```$/ms or die 'no recipe';
my ($many_rows) = $document =~ /^## Keys with many rows\n.*?^```sql\n(.*?)^```$/ms or die 'no form for many rows';

# Small enough that a filter with several copies of its keys would have to grow.
s/cf_create\(2000,/cf_create(20,/ or die 'no capacity' for $recipe, $many_rows;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "deadlock_timeout = 20ms\nlock_timeout = 10s\nautovacuum = off");
$node->start;
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');

$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION cuckoo_filter;
$recipe
-- Raises an error in a block, which changes rows first.
CREATE FUNCTION fail(first bigint, last bigint) RETURNS void LANGUAGE plpgsql AS \$\$
BEGIN
	INSERT INTO accounts VALUES (last + 1000, 'k1') ON CONFLICT DO NOTHING;
	DELETE FROM accounts WHERE id BETWEEN first AND last;
	RAISE division_by_zero;
EXCEPTION WHEN division_by_zero THEN
	NULL;
END\$\$;
-- In one snapshot: keys of the table, entries in the filters, keys that their filter does not contain, or has more often than
-- a filter of each key once would, keys whose count is wrong, and filters that grew.
CREATE FUNCTION state(OUT keys bigint, OUT entries bigint, OUT missing bigint, OUT copies bigint, OUT miscounted bigint,
	OUT larger bigint) STABLE LANGUAGE plpgsql AS \$\$
BEGIN
	WITH each_key AS MATERIALIZED (
		SELECT email, filter_hash(email) & 63 AS shard FROM accounts WHERE email IS NOT NULL GROUP BY email
	), ideal AS (
		SELECT shard, cf_add_all(cf_create(20, 0.001, 'text'), array_agg(email)) AS once FROM each_key GROUP BY shard
	)
	SELECT count(*), count(*) FILTER (WHERE cf_contains(emails, email) IS NOT TRUE),
			count(*) FILTER (WHERE cf_count(emails, email) > cf_count(once, email))
		INTO keys, missing, copies
		FROM each_key JOIN ideal USING (shard) LEFT JOIN email_shards USING (shard);
	SELECT sum(cf_cardinality(emails)), count(*) FILTER (WHERE pg_column_size(emails) > pg_column_size(cf_create(20, 0.001, 'text')))
		INTO entries, larger FROM email_shards;
	SELECT count(*) INTO miscounted
		FROM (SELECT email, count(*) FROM accounts WHERE email IS NOT NULL GROUP BY email) AS a
			FULL JOIN email_counts AS c USING (email)
		WHERE a.count IS DISTINCT FROM c.copies;
END\$\$;
SQL

# in_step SQL, KEYS: the SQL leaves KEYS keys in the table, and the filters have each of them once.
sub in_step
{
	my ($sql, $keys, $name) = @_;

	$node->safe_psql('postgres', $sql);
	is($node->safe_psql('postgres', 'SELECT * FROM state()'), "$keys|$keys|0|0|0|0", $name);
	return;
}

# Rows of before, and a session that changes some while the functions are replaced.
$node->safe_psql('postgres', "INSERT INTO accounts SELECT id, 'k' || id % 5 FROM generate_series(1, 1000) AS id");
my $installer = session($node);
my $writer = session($node);
my $watcher = session($node);

# Waits until a session has answered or waits for a lock.
sub settle
{
	my ($session) = @_;
	my $waiting = "SELECT 'waits' FROM pg_stat_activity WHERE wait_event_type = 'Lock';";

	1 until has_answered($session) || answer($watcher, $waiting) =~ /waits/;
	return;
}

answer($installer, $many_rows =~ s/^COMMIT;\n\z//mr);
ask($writer, "INSERT INTO accounts VALUES (1001, 'new'), (1002, 'new'); DELETE FROM accounts WHERE id % 5 IN (1, 2) AND id < 996;");
settle($writer);
answer($installer, 'COMMIT;');
is(rest($writer), '', 'changes wait while the functions are replaced');
in_step('', 6, 'and are made by the new ones');

# Each kind of statement.
in_step("DELETE FROM accounts WHERE id = 996", 5, 'DELETE of the last row of a key');
in_step("DELETE FROM accounts WHERE email = 'k2' OR id = 1001", 4, 'DELETE of the last row of a key, and of the last but one');
in_step("DELETE FROM accounts WHERE email = 'new'", 3, 'DELETE of one more');
in_step("INSERT INTO accounts SELECT id, 'k2' FROM generate_series(2001, 2100) AS id", 4, 'INSERT of the first rows of a key');
in_step("UPDATE accounts SET email = 'k6' WHERE email = 'k2'", 4, 'UPDATE of all rows of a key');
in_step("UPDATE accounts SET email = 'k7' WHERE id > 2050", 5, 'UPDATE of some of them');
in_step("UPDATE accounts SET email = CASE email WHEN 'k6' THEN 'k7' ELSE 'k6' END WHERE email IN ('k6', 'k7')", 5, 'UPDATE that swaps keys');
in_step("UPDATE accounts SET email = NULL WHERE email = 'k6'", 4, 'UPDATE to NULL');
in_step("UPDATE accounts SET email = 'k6' WHERE email IS NULL", 5, 'UPDATE from NULL');
in_step("INSERT INTO accounts VALUES (2001, 'u'), (3001, 'u'), (3002, 'u') ON CONFLICT (id) DO UPDATE SET email = excluded.email", 6,
	'ON CONFLICT: the first rows of a key are inserted and updated');
in_step("INSERT INTO accounts VALUES (2001, 'v'), (3003, 'u') ON CONFLICT (id) DO UPDATE SET email = excluded.email", 7,
	'ON CONFLICT: a key is added and updated');
in_step("DELETE FROM accounts WHERE id IN (3002, 3003);
	INSERT INTO accounts VALUES (3001, 'v'), (3002, 'u') ON CONFLICT (id) DO UPDATE SET email = excluded.email", 7,
	'ON CONFLICT: the last row of a key is updated and one inserted');
in_step("WITH gone AS (DELETE FROM accounts WHERE email = 'u' RETURNING *) INSERT INTO accounts SELECT id + 100, email FROM gone", 7,
	'a statement that deletes and inserts the only row of a key');
SKIP:
{
	skip 'MERGE came with PostgreSQL 15', 1 if $version < 150000;
	in_step("MERGE INTO accounts AS a
		USING (VALUES (2001, 'm'), (3001, NULL), (3102, 'm'), (4000, 'm'), (4001, 'u')) AS v (id, email) ON a.id = v.id
		WHEN MATCHED AND v.email IS NULL THEN DELETE
		WHEN MATCHED THEN UPDATE SET email = v.email
		WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.email)", 7, 'MERGE');
}
$node->safe_psql('postgres', 'DELETE FROM accounts WHERE id > 3000 OR id = 2001');
in_step("BEGIN; DELETE FROM accounts; INSERT INTO accounts VALUES (1, 'x'); ROLLBACK", 5, 'changes rolled back');
in_step("BEGIN; DELETE FROM accounts WHERE email = 'k6'; SAVEPOINT s; DELETE FROM accounts; ROLLBACK TO s; COMMIT", 4,
	'changes rolled back to a savepoint');
in_step("SELECT fail(1, 2000)", 4, 'changes of a block that caught an error');
in_step("BEGIN; INSERT INTO accounts VALUES (5001, 'own'), (5002, 'own'); DELETE FROM accounts WHERE id = 5001;
	UPDATE accounts SET email = 'own2' WHERE id = 5002; DELETE FROM accounts WHERE id = 5002; COMMIT", 4, 'rows that come and go');
in_step('SELECT fill_email_shards()', 4, 'filling all shards');
in_step("SET session_replication_role = replica; INSERT INTO accounts VALUES (5001, 'unseen'), (5002, 'unseen'), (5003, 'k0');
	SELECT fill_email_shards(s, s) FROM (SELECT (filter_hash(e) & 63)::integer AS s FROM unnest(ARRAY['unseen', 'k0']) AS e) AS s", 5,
	'filling two shards');
in_step('CREATE TABLE backup AS SELECT * FROM accounts; TRUNCATE accounts', 0, 'TRUNCATE');
is($node->safe_psql('postgres', 'SELECT count(*) FROM email_counts'), 0, 'nothing is counted');
in_step('INSERT INTO accounts SELECT * FROM backup', 5, 'INSERT after TRUNCATE');

# A row that is neither the first nor the last writes no filter.
my $versions = 'SELECT md5(string_agg(shard::text || ctid::text || xmin::text, $$ $$ ORDER BY shard)) FROM email_shards';
my $before = $node->safe_psql('postgres', $versions);
in_step("INSERT INTO accounts VALUES (6001, 'k0'); UPDATE accounts SET email = 'k3' WHERE id = 6001;
	DELETE FROM accounts WHERE id = 6001", 5, 'changes of the rows of keys that have others');
is($node->safe_psql('postgres', $versions), $before, 'they write no filter');
my ($status, $out, $error) = $node->psql('postgres',
	"BEGIN; DELETE FROM email_shards WHERE shard = filter_hash('lost'::text) & 63; INSERT INTO accounts VALUES (6001, 'lost')");
like($error, qr/email_shards has no row for shard/, 'a shard that is not there is an error');

# Two sessions change the rows of a key that has none, one or two, or begin with the lock of the shard; either may roll back.
my %changes = (
	insert => [ "INSERT INTO accounts VALUES (11, 'k');", "INSERT INTO accounts VALUES (12, 'k');" ],
	delete => [ 'DELETE FROM accounts WHERE id = 1;', 'DELETE FROM accounts WHERE id = 2;' ],
	rename => [ "UPDATE accounts SET email = 'l' WHERE id = 1;", "UPDATE accounts SET email = 'l' WHERE id = 2;" ]);
my $other = $installer;

for my $level ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
{
	my (@wrong, %answers);

	for my $rows (0 .. 2) { for my $lock (0, 1) { for my $change (sort keys %changes) { for my $others (sort keys %changes) {
		for my $end ('COMMIT;', 'ROLLBACK;') { for my $others_end ('COMMIT;', 'ROLLBACK;')
		{
			next if @wrong > 1;
			answer($watcher, "TRUNCATE accounts; INSERT INTO accounts SELECT id, 'k' FROM generate_series(1, $rows) AS id;");
			answer($_, "BEGIN ISOLATION LEVEL $level; SELECT count(*) FROM accounts;") for $writer, $other;
			my $said = $lock
			  ? answer($writer, "SELECT FROM email_shards WHERE shard IN (filter_hash('k'::text) & 63, filter_hash('l'::text) & 63)
				ORDER BY shard FOR UPDATE;")
			  : answer($writer, $changes{$change}[0]);
			ask($other, $changes{$others}[1]);
			settle($other);
			$said .= answer($writer, $lock ? "$changes{$change}[0]\n$end" : $end);
			my $others_said = rest($other) . answer($other, $others_end);
			my $state = answer($watcher, 'SELECT keys = entries AND missing + copies + miscounted + larger = 0 FROM state();');
			$answers{ $others_said =~ /ERROR: +(.*)/ ? $1 : 'none' }++;
			push @wrong, "$rows rows, " . ($lock ? 'lock, ' : '') . "$change $end, $others $others_end: $said$others_said$state"
			  if $state ne "t\n" || $said =~ /ERROR/ || $others_said =~ /ERROR/ && $end eq 'ROLLBACK;';
		} } } } } }
	is(join("\n", @wrong), '', "$level: two sessions change rows of a key");
	note("$level: $answers{$_} times $_") for sort keys %answers;
	if ($level eq 'READ COMMITTED')
	{
		is(join(' ', keys %answers), 'none', 'both succeed');
	}
	else
	{
		is(join(' ', grep { !/^(none|could not serialize access .*)$/ } keys %answers), '', "$level: or the second fails to serialize");
		cmp_ok($answers{none}, '>', 100, "$level: not too often");
	}
}
leave($_) for $writer, $other;

# Sessions that change rows of their own, which share keys: single statements do not deadlock.
my $folder = PostgreSQL::Test::Utils::tempdir;
append_to_file("$folder/single.sql", <<'SQL');
\set id :client_id * 10000 + random(0, 900)
INSERT INTO accounts SELECT id, 'k' || hashint8(id) % 300 FROM generate_series(:id, :id + 30) AS id ON CONFLICT DO NOTHING;
UPDATE accounts SET email = 'k' || hashint8(id + 7) % 300 WHERE id BETWEEN :id AND :id + 40;
DELETE FROM accounts WHERE id BETWEEN :id AND :id + 20;
SQL
$node->safe_psql('postgres', 'TRUNCATE accounts');
my $deadlocks = 0;
$deadlocks++ while slurp_file($node->logfile) =~ /deadlock detected/g;
is($deadlocks, 0, 'no deadlock yet');
$node->command_ok([ 'pgbench', '-n', '-c', 8, '-j', 2, '-t', 60, '-f', "$folder/single.sql", 'postgres' ], 'single statements');
$deadlocks++ while slurp_file($node->logfile) =~ /deadlock detected/g;
is($deadlocks, 0, 'no deadlock between single statements');
my $keys = $node->safe_psql('postgres', 'SELECT count(DISTINCT email) FROM accounts');
cmp_ok($keys, '>', 200, 'they leave keys');
in_step('', $keys, 'sessions that share keys');

# Sessions that change any rows of a few keys, in transactions of all levels, some rolled back, while filters are filled again.
srand($ENV{CUCKOO_FILTER_SEED} || 19);
my $rows = 400;

sub random_id { return 1 + int rand $rows }
# The fewer rows a key has, the more often it comes and goes.
sub random_key { my $n = int 25 * rand() * rand(); return $n == 0 ? 'NULL' : "'k$n'" }

sub random_statement
{
	my $id = random_id();
	my $key = random_key();
	my ($other_id, $other_key) = (random_id(), random_key());
	my $last = $id + int rand 20;
	my @kinds = (
		("INSERT INTO accounts VALUES ($id, $key) ON CONFLICT DO NOTHING") x 3,
		"INSERT INTO accounts SELECT id, $key FROM generate_series($id, $last) AS id ON CONFLICT DO NOTHING",
		("DELETE FROM accounts WHERE id = $id") x 3,
		"DELETE FROM accounts WHERE id BETWEEN $id AND $last",
		"DELETE FROM accounts WHERE email = $key",
		("UPDATE accounts SET email = $key WHERE id = $id") x 2,
		"UPDATE accounts SET email = $key WHERE id BETWEEN $id AND $last",
		"UPDATE accounts SET email = $key WHERE email = $other_key",
		"UPDATE accounts SET logins = logins + 1 WHERE id BETWEEN $id AND $last",
		"INSERT INTO accounts VALUES ($id, $key), ($id + 1, $other_key), ($id + 2, $key)
			ON CONFLICT (id) DO UPDATE SET email = excluded.email",
		"WITH gone AS (DELETE FROM accounts WHERE id BETWEEN $id AND $last RETURNING *)
			INSERT INTO accounts SELECT id + $rows, email FROM gone ON CONFLICT DO NOTHING",
		"SELECT FROM fail($id, $other_id)");
	push @kinds, "MERGE INTO accounts AS a USING (VALUES ($id, $key), ($other_id + $rows, $other_key), ($other_id, $key)) AS v (id, email)
		ON a.id = v.id WHEN MATCHED AND logins % 2 = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET email = v.email
		WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.email)" if $version >= 150000;
	return $kinds[ rand @kinds ] . ";\n";
}

sub random_transaction
{
	my $kind = rand;
	my @statements = map { random_statement() } 0 .. rand 4;
	my $level = ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')[ rand 3 ];

	return $statements[0] if $kind < 0.3;
	return sprintf("SELECT fill_email_shards(%d, 63);\n", 64 * rand) if $kind < 0.32;
	return "BEGIN ISOLATION LEVEL $level;\n"
	  . join(rand() < 0.2 ? "SAVEPOINT s;\n" : '', @statements)
	  . ($kind < 0.4 ? "SAVEPOINT t;\n" . random_statement() . "ROLLBACK TO t;\n" : '')
	  . ($kind < 0.5 ? "ROLLBACK;\n" : "COMMIT;\n");
}

in_step("TRUNCATE accounts; INSERT INTO accounts SELECT id, 'k' || id % 5 FROM generate_series(1, $rows) AS id", 5, 'many rows of five keys');
for my $client (1 .. 6)
{
	append_to_file("$folder/random$client.sql", join('', map { random_transaction() } 1 .. 500));
}
my $psql = "psql -Xqo /dev/null '" . $node->connstr('postgres') . "'";
my $sessions = IPC::Run::start([ 'sh', '-c',
	"cd '$folder' && for i in 1 2 3 4 5 6; do $psql -f random\$i.sql 2>errors\$i & done; wait; touch ended" ]);

# Every snapshot is consistent.
my ($snapshots, $inconsistent) = (0, '');
while (!-e "$folder/ended")
{
	my $state = answer($watcher, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT * FROM state(); COMMIT;");
	$snapshots++;
	$inconsistent .= $state if $state !~ /^(\d+)\|\1\|0\|0\|0\|0$/;
}
$sessions->finish;
is($inconsistent, '', 'every snapshot is consistent');
cmp_ok($snapshots, '>', 10, 'there were several');
my %reasons;
for my $line (map { split /\n/, slurp_file("$folder/errors$_") } 1 .. 6)
{
	$reasons{$1}++ if $line =~ /(?:ERROR|FATAL): +(.*)/ && $line !~ /transaction is aborted|savepoint "t" does not exist/;
}
note("$reasons{$_} times $_") for sort keys %reasons;
my $expected = qr/^(could not serialize access .*|deadlock detected|.* "accounts_pkey"|.* cannot affect row a second time)$/;
is(join(' ', grep { $_ !~ $expected } keys %reasons), '', 'no other errors than can be expected');
$keys = $node->safe_psql('postgres', 'SELECT count(DISTINCT email) FROM accounts');
cmp_ok($keys, '>', 0, 'the sessions leave keys');
in_step('', $keys, 'random changes at the same time');
is($node->safe_psql('postgres', "SELECT count(*) FROM email_counts WHERE copies <= 0"), 0, 'no count is left over');
in_step('DELETE FROM accounts', 0, 'no key is stale when all rows are deleted');

leave($watcher);
$node->stop;
done_testing();
