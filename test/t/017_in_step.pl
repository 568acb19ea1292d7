# The recipe of docs/synchronize.md: triggers keep filters consistent with a table, for every statement that changes it.
use strict;
use warnings;

use File::Basename qw(dirname);
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $tests = dirname(__FILE__) . '/..';
my $document = slurp_file("$tests/../docs/synchronize.md");
my ($recipe) = $document =~ /^```sql\n(.*?)^```$/ms or die 'no recipe';

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'deadlock_timeout = 20ms');
$node->start;
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');

# set_up DATABASE, RECIPE: what test/crashes/in_step/suite.sh uses, too.
sub set_up
{
	my ($database, $sql) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $database") if $database ne 'postgres';
	$node->safe_psql($database, "CREATE EXTENSION cuckoo_filter;\n$sql");
	$node->safe_psql($database, slurp_file("$tests/crashes/in_step/schema.sql"));
}

# in_step SQL, EMAILS: the SQL leaves EMAILS emails in the table, and as many entries in the filters; none is missing.
my $database = 'postgres';

sub in_step
{
	my ($sql, $emails, $name) = @_;

	$node->safe_psql($database, $sql);
	is($node->safe_psql($database, 'SELECT emails, entries, missing FROM state()'), "$emails|$emails|0", $name);
}

sub fails_with
{
	my ($sql, $message, $name) = @_;
	my ($status, $out, $error) = $node->psql($database, $sql);

	like($error, $message, $name);
}

set_up('postgres', $recipe);

# Each kind of statement.
in_step("INSERT INTO accounts VALUES (1, 'a')", 1, 'INSERT of a row');
in_step("INSERT INTO accounts VALUES (2, 'b'), (3, NULL), (4, 'd'), (5, '')", 4, 'INSERT of rows, with NULL and an empty text');
in_step("INSERT INTO accounts SELECT n, 'user' || n FROM generate_series(11, 1010) AS n", 1004, 'INSERT of a query');
in_step("COPY accounts (id, email) FROM stdin;\n6\tf\n7\tg\n\\.\n", 1006, 'COPY');
in_step('UPDATE accounts SET email = id WHERE id BETWEEN 101 AND 200', 1006, 'UPDATE of keys');
in_step('UPDATE accounts SET logins = 1 WHERE id < 500', 1006, 'UPDATE of another column');
in_step('UPDATE accounts SET email = NULL WHERE id = 6', 1005, 'UPDATE to NULL');
in_step("UPDATE accounts SET email = 'f' WHERE id IN (6)", 1006, 'UPDATE from NULL');
in_step("UPDATE accounts SET email = CASE id WHEN 1 THEN 'b' ELSE 'a' END WHERE id IN (1, 2)", 1006, 'UPDATE that swaps keys');
in_step('DELETE FROM accounts WHERE id BETWEEN 151 AND 250', 906, 'DELETE');
in_step('DELETE FROM accounts WHERE false', 906, 'DELETE of nothing');
in_step("INSERT INTO accounts VALUES (1, 'x'), (20, 'x20'), (2000, 'y') ON CONFLICT DO NOTHING", 907, 'ON CONFLICT DO NOTHING');
in_step("INSERT INTO accounts VALUES (1, 'x'), (20, 'x20'), (2001, 'z') ON CONFLICT (id) DO UPDATE SET email = excluded.email",
	908, 'ON CONFLICT DO UPDATE');
in_step("WITH gone AS (DELETE FROM accounts WHERE id BETWEEN 300 AND 309 RETURNING *)
	INSERT INTO accounts SELECT id + 10000, email FROM gone", 908, 'rows moved by one statement');
SKIP:
{
	skip 'MERGE came with PostgreSQL 15', 1 if $version < 150000;
	in_step("MERGE INTO accounts AS a
		USING (VALUES (1, NULL), (2, 'merged'), (3000, 'new'), (3001, NULL)) AS v (id, email) ON a.id = v.id
		WHEN MATCHED AND v.email IS NULL THEN DELETE
		WHEN MATCHED THEN UPDATE SET email = v.email
		WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.email)", 908, 'MERGE');
}
$node->safe_psql('postgres', 'DELETE FROM accounts WHERE id IN (1, 3000, 3001)');
in_step('BEGIN; TRUNCATE accounts; ROLLBACK', 907, 'TRUNCATE rolled back');
in_step("BEGIN; DELETE FROM accounts; INSERT INTO accounts VALUES (1, 'a'); ROLLBACK", 907, 'changes rolled back');
in_step("BEGIN; DELETE FROM accounts WHERE id < 100; SAVEPOINT s; DELETE FROM accounts; INSERT INTO accounts VALUES (1, 'a');
	ROLLBACK TO s; INSERT INTO accounts VALUES (1, 'aa'); COMMIT", 814, 'changes rolled back to a savepoint');
in_step("SELECT fail(5000, 120, 1)", 814, 'changes of a block that caught an error');
in_step("BEGIN; INSERT INTO accounts VALUES (5001, 'own'); UPDATE accounts SET email = 'own2' WHERE id = 5001;
	DELETE FROM accounts WHERE id = 5001; COMMIT", 814, 'a row that comes and goes in a transaction');
in_step('CREATE TABLE owners (id bigint PRIMARY KEY); INSERT INTO owners VALUES (120), (121);
	CREATE TABLE backup AS SELECT * FROM accounts;
	ALTER TABLE accounts ADD owner bigint REFERENCES owners ON DELETE CASCADE;
	UPDATE accounts SET owner = id WHERE id IN (120, 121); DELETE FROM owners', 812, 'rows deleted by a cascade');
in_step('TRUNCATE accounts', 0, 'TRUNCATE');
in_step("TRUNCATE accounts; INSERT INTO accounts SELECT id, email FROM backup", 814, 'INSERT after TRUNCATE');

# Statements that do not change keys do not change filters.
my $versions = 'SELECT md5(string_agg(shard::text || ctid::text || xmin::text, $$ $$ ORDER BY shard)) FROM email_shards';
my $before = $node->safe_psql('postgres', $versions);
in_step('UPDATE accounts SET logins = logins + 1, email = email', 814, 'UPDATE of all rows but no key');
is($node->safe_psql('postgres', $versions), $before, 'that writes no filter');

# Changes that the triggers do not see: the query reports what is missing, filling again adds it.
$node->safe_psql('postgres', "SET session_replication_role = replica; INSERT INTO accounts VALUES (6001, 'unseen')");
is($node->safe_psql('postgres', 'SELECT emails, entries, missing FROM state()'), '815|814|1', 'a key that no trigger saw is reported');
in_step("SELECT fill_email_shards(s, s) FROM (SELECT (filter_hash('unseen'::text) & 63)::integer AS s) AS shard", 815,
	'filling one shard adds it');
in_step("ALTER TABLE accounts DISABLE TRIGGER USER; DELETE FROM accounts WHERE id = 6001; ALTER TABLE accounts ENABLE TRIGGER USER;
	SELECT fill_email_shards()", 814, 'filling all shards takes out what is left over');
$node->safe_psql('postgres', 'CREATE TABLE kept AS SELECT * FROM email_shards; DELETE FROM email_shards WHERE shard = 5');
fails_with("INSERT INTO accounts SELECT 7000 + n, 'more' || n FROM generate_series(1, 1000) AS n",
	qr/email_shards has no row for shard 5/, 'a shard that is not there is an error');
in_step('INSERT INTO email_shards SELECT * FROM kept WHERE shard = 5', 814, 'and nothing was changed');

# Copies of a key. The 16th stays, as a false positive, until the shard is filled again.
in_step("INSERT INTO accounts SELECT n, 'copy' FROM generate_series(8001, 8003) AS n", 817, 'three copies of a key');
in_step('DELETE FROM accounts WHERE id IN (8001, 8003)', 815, 'two of them deleted');
in_step('SELECT fill_email_shards()', 815, 'filling counts copies');
in_step("INSERT INTO accounts VALUES (8001, 'copy'); SELECT fill_email_shards(); DELETE FROM accounts WHERE id = 8001", 815,
	'one of two copies is deleted after filling');
in_step("INSERT INTO accounts SELECT n, 'copy' FROM generate_series(8003, 8016) AS n", 829, 'fifteen copies are counted');
in_step('DELETE FROM accounts WHERE id BETWEEN 8003 AND 8016', 815, 'and deleted');
$node->safe_psql('postgres', "INSERT INTO accounts SELECT n, 'copy' FROM generate_series(8003, 8020) AS n;
	DELETE FROM accounts WHERE id BETWEEN 8003 AND 8019");
is($node->safe_psql('postgres', 'SELECT emails, missing FROM state()'), '816|0', 'the last of nineteen copies is found');
$node->safe_psql('postgres', "DELETE FROM accounts WHERE email = 'copy'");
is($node->safe_psql('postgres', 'SELECT emails, entries, missing FROM state()'), '814|830|0', 'they leave a false positive');
in_step('SELECT fill_email_shards()', 814, 'filling removes that false positive');

# Users need only rights on the table, and cannot substitute a table of their own for the filters'.
in_step("CREATE ROLE clerk; GRANT INSERT, SELECT ON accounts TO clerk; SET ROLE clerk;
	CREATE TEMP TABLE email_shards (shard integer, emails cuckoofilter); SET search_path = pg_temp, public;
	INSERT INTO email_shards SELECT shard, cf_create(10) FROM generate_series(0, 63) AS shard;
	INSERT INTO public.accounts VALUES (9001, 'by clerk')", 815, 'INSERT of a user with few rights');

# REPEATABLE READ: psql runs what another session does after the snapshot.
my $psql = 'psql -XAtq -v ON_ERROR_STOP=1 -d "' . $node->connstr('postgres') . '" -c';
fails_with("BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT 1;\n\\! $psql \"INSERT INTO accounts VALUES (9002, 'other')\"\n"
	  . "INSERT INTO accounts VALUES (9003, 'other');\nCOMMIT;\n",
	qr/could not serialize access/, 'REPEATABLE READ: a shard that changed after the snapshot');
in_step('', 816, 'and only the first is there');
$node->safe_psql('postgres', 'CREATE TABLE stock AS SELECT * FROM email_shards; DELETE FROM email_shards');
fails_with("BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT 1;\n\\! $psql \"SELECT fill_email_shards()\"\n"
	  . "INSERT INTO accounts VALUES (9003, 'third');\nCOMMIT;\n",
	qr/email_shards has no row for shard/, 'REPEATABLE READ: shards made after the snapshot');
in_step('', 816, 'shards filled again');

# Filling waits for transactions that changed a shard, and sees their changes.
my ($in, $out) = ('', '');
my $writer = IPC::Run::start([ 'psql', '-XAtq', $node->connstr('postgres') ], '<', \$in, '>', \$out);
$in .= "BEGIN; INSERT INTO accounts VALUES (9004, 'before'); SELECT 'inserted';\n";
$writer->pump until $out =~ /inserted/;
my $filler = IPC::Run::start([ 'psql', '-XAtqc', 'SELECT fill_email_shards()', $node->connstr('postgres') ]);
$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
  or die 'filling does not wait';
$in .= "COMMIT;\n\\q\n";
$writer->finish;
$filler->finish;
in_step('', 817, 'a key added while filling waits is there');

# The other way round: changes wait for filling, and are made to the new filters.
$in = $out = '';
$filler = IPC::Run::start([ 'psql', '-XAtq', $node->connstr('postgres') ], '<', \$in, '>', \$out);
$in .= "BEGIN; SELECT fill_email_shards(); SELECT 'filled';\n";
$filler->pump until $out =~ /filled/;
my @changes = ("INSERT INTO accounts VALUES (9005, 'after')", "DELETE FROM accounts WHERE id = 9004");
my @writers = map { IPC::Run::start([ 'psql', '-XAtqc', $_, $node->connstr('postgres') ]) } @changes;
$node->poll_query_until('postgres', "SELECT count(*) = 2 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
  or die 'changes do not wait';
$in .= "COMMIT;\n\\q\n";
$_->finish for $filler, @writers;
in_step('', 817, 'keys added and deleted while they wait for filling');

# One of two copies changes, in an UPDATE of both rows.
in_step("INSERT INTO accounts VALUES (9100, 'twin'), (9101, 'twin')", 819, 'two copies');
in_step("UPDATE accounts SET email = CASE id WHEN 9100 THEN 'twin' ELSE 'single' END WHERE id IN (9100, 9101)", 819,
	'UPDATE of two rows that changes one of two copies');

in_step("ALTER TABLE accounts ENABLE ALWAYS TRIGGER keep_inserted; SET session_replication_role = replica;
	INSERT INTO accounts VALUES (9200, 'replicated')", 820, 'a trigger that is enabled always');

# Single statements over many shards: no two wait for each other. Their rows are their own.
my $folder = PostgreSQL::Test::Utils::tempdir;
append_to_file("$folder/many.sql", <<'SQL');
\set id 100000 + :client_id * 1000 + random(0, 900)
INSERT INTO accounts SELECT id, 'e' || id FROM generate_series(:id, :id + 20) AS id ON CONFLICT DO NOTHING;
UPDATE accounts SET email = email || 'x' WHERE id BETWEEN :id AND :id + 50;
DELETE FROM accounts WHERE id BETWEEN :id AND :id + 10;
SQL
$node->command_ok([ 'pgbench', '-n', '-c', 8, '-j', 2, '-t', 60, '-f', "$folder/many.sql", 'postgres' ], 'clients over many shards');
is(scalar(() = slurp_file($node->logfile) =~ /deadlock detected/g), 0, 'no deadlock between single statements');
my $emails = $node->safe_psql('postgres', 'SELECT count(email) FROM accounts');
cmp_ok($emails, '>', 1000, 'the clients left emails');
in_step('', $emails, 'several clients');

# A partitioned table: the triggers are wanted on the partitions, too, for statements that name these.
$database = 'partitioned';
(my $partitioned = $recipe) =~ s/^(CREATE TABLE accounts .*)\);$/$1) PARTITION BY RANGE (id);
CREATE TABLE accounts_low PARTITION OF accounts FOR VALUES FROM (0) TO (1000);
CREATE TABLE accounts_high PARTITION OF accounts FOR VALUES FROM (1000) TO (2000);/m
  or die 'no table';
set_up($database, $partitioned);
for my $partition ('accounts_low', 'accounts_high')
{
	$node->safe_psql($database, join "\n", map { s/ ON accounts / ON $partition /r } $recipe =~ /^CREATE TRIGGER.*?;$/msg);
}
in_step("INSERT INTO accounts SELECT n, 'user' || n FROM generate_series(501, 1500) AS n", 1000, 'INSERT into partitions');
in_step("UPDATE accounts SET id = id - 1400, email = CASE WHEN id % 2 = 0 THEN 'moved' || id ELSE email END WHERE id > 1450", 1000,
	'UPDATE that moves rows and changes keys');
in_step("INSERT INTO accounts_low VALUES (1, 'a'); UPDATE accounts_high SET email = 'u' || id WHERE id < 1050;
	DELETE FROM accounts_low WHERE id = 600", 1000, 'statements that name a partition');
in_step('TRUNCATE accounts_low', 451, 'TRUNCATE of a partition');
in_step('DELETE FROM accounts WHERE id < 1100', 351, 'DELETE from partitions');
in_step('BEGIN; DROP TABLE accounts_high; SELECT fill_email_shards(); COMMIT', 0,
	'a partition is dropped, and all shards are filled');
in_step('TRUNCATE accounts', 0, 'TRUNCATE of all');

$node->stop;
done_testing();
