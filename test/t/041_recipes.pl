# The recipes of docs/recipes.md under data as it comes: repeated keys, bursts, late keys, days that differ, missing shards,
# and four clients. The SQL is that of the page, with other keys. Of each recipe: no key is lost, the false positive rate is at
# most 1.5 times the one asked for, and tables stay small without VACUUM.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Session;
use Test::More;

my $page = slurp_file("$FindBin::Bin/../../docs/recipes.md");
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
# Nothing but the settings of each table keeps it small.
$node->append_conf('postgresql.conf', "autovacuum = off\nlock_timeout = 20s\ndeadlock_timeout = 20ms\njit = off");
$node->start;

# statement HEADING, BEGIN: of the SQL below a heading, the statement that begins thus.
# block HEADING, N: a whole block.
sub block
{
	my ($heading, $n) = @_;
	my ($section) = $page =~ /^## \Q$heading\E\n(.*?)(?=^## |\z)/ms or die "no section $heading";
	my @blocks = $section =~ /^```sql\n(.*?)^```$/msg;

	return $blocks[$n] // die "no block $n in $heading";
}

sub statement
{
	my ($heading, $begin) = @_;
	my ($section) = $page =~ /^## \Q$heading\E\n(.*?)(?=^## |\z)/ms or die "no section $heading";
	my ($statement) = $section =~ /^(\Q$begin\E.*?;)(?: +--[^\n]*)?$/ms or die "no $begin in $heading";

	return $statement;
}

# with SQL, TEXT => OTHER, ...: the SQL with every TEXT replaced.
sub with
{
	my ($sql, @changes) = @_;

	while (my ($text, $other) = splice(@changes, 0, 2))
	{
		index($sql, $text) >= 0 or die "no $text in: $sql";
		$sql =~ s/\Q$text\E/$other/g;
	}
	return $sql;
}

sub ask_one
{
	my ($sql) = @_;

	return $node->safe_psql('postgres', $sql);
}

# clients NAME, TRANSACTIONS, SCRIPT...: four clients, each of which runs so many scripts.
my $folder = PostgreSQL::Test::Utils::tempdir;

sub clients
{
	my ($name, $transactions, @scripts) = @_;
	my @files;

	for my $i (0 .. $#scripts)
	{
		push @files, '-f', "$folder/$i.sql@" . ($i == 0 ? 200 : 1);
		unlink "$folder/$i.sql";
		append_to_file("$folder/$i.sql", $scripts[$i]);
	}
	$node->command_ok(
		[ 'pgbench', '-n', '-c', 4, '-j', 2, '-t', $transactions, '--random-seed=5', '--max-tries=100', @files, 'postgres' ],
		"$name: four clients");
	return;
}

sub none
{
	my ($sql, $name) = @_;

	is(ask_one("SELECT count(*) FROM ($sql) AS found"), 0, $name);
	return;
}

# false_positives NAME, RATE, TABLE, FOUND: of 100,000 keys n that were never added, FOUND holds for those, in rows of the
# table, that are taken for known ones.
sub false_positives
{
	my ($name, $rate, $table, $found) = @_;
	my $count = ask_one("SELECT count(DISTINCT n) FROM generate_series(5000001, 5100000) AS n JOIN $table ON $found");

	cmp_ok($count, '<=', 1.5 * $rate * 100000, "$name: at most 1.5 times the rate");
	return;
}

sub size
{
	my ($table) = @_;

	return ask_one("SELECT pg_total_relation_size('$table')");
}

# bounded TABLE, BYTES, TIMES: it is no larger than four times what it was, or another number of times.
sub bounded
{
	my ($table, $before, $times) = @_;

	cmp_ok(size($table), '<=', ($times // 4) * $before, "$table stays small");
	return;
}

sub fails_with
{
	my ($sql, $message, $name) = @_;
	my ($status, $out, $error) = $node->psql('postgres', $sql);

	like($error, $message, $name);
	return;
}

ask_one('CREATE EXTENSION cuckoo_filter;
	CREATE TABLE orders AS
		SELECT n AS id, 1 + n % 100000 AS customer, date $$2026-01-01$$ + n % 90 AS day FROM generate_series(1, 200000) AS n;
	ANALYZE orders');

# Deduplicate a stream. The clients ask for ten keys at a time, all for the same ones at about the same time.
my $section = 'Deduplicate a stream';
ask_one(block($section, 0));
my $before = size('seen_keys');
ask_one('CREATE SEQUENCE stream; CREATE TABLE asked (key text); CREATE TABLE claimed (key text)');
clients($section, 400, <<'SQL');
SELECT nextval('stream') / 4 * 5 AS first \gset
INSERT INTO asked SELECT 'k' || :first + n * n FROM generate_series(1, 10) AS n;
INSERT INTO claimed SELECT new_keys(ARRAY(SELECT 'k' || :first + n * n FROM generate_series(1, 10) AS n));
SQL
# Sixteen thousand updates, each of which would leave two kilobytes, are thirty times the size. On a slow server, with assertions for
# example, other clients see more of the old rows.
bounded('seen_keys', $before, 6);
ask_one("INSERT INTO asked SELECT 'k' || n FROM generate_series(100001, 200000) AS n;
	INSERT INTO claimed SELECT new_keys(ARRAY(SELECT 'k' || n FROM generate_series(100001, 200000) AS n))");
none('SELECT key FROM claimed GROUP BY key HAVING count(*) > 1', "$section: no key is new twice");
none('SELECT FROM asked LEFT JOIN seen_keys ON shard = filter_hash(key) & 255 WHERE cf_contains(keys, key) IS NOT TRUE',
	"$section: no key is forgotten");
cmp_ok(ask_one('SELECT count(*) FROM (SELECT key FROM asked EXCEPT SELECT key FROM claimed) AS lost'),
	'<=', 0.0015 * ask_one('SELECT count(DISTINCT key) FROM asked'), "$section: no key is lost but the false positives");
bounded('seen_keys', $before, 6);

my $known = session($node);
answer($known, 'BEGIN; SELECT FROM seen_keys FOR UPDATE;');
is(ask_one("SET lock_timeout = '1s'; SELECT count(*) FROM new_keys(ARRAY['k100001', 'k100002', 'key-18'])"), 0,
	"$section: known keys wait for nobody");
leave($known);

is(ask_one("SELECT count(*) FROM new_keys(ARRAY[NULL, 'not null'])"), 1, "$section: NULL is no key");
my ($status, $claimed, $warnings) =
  $node->psql('postgres', "SELECT count(*) FROM new_keys(ARRAY(SELECT 'burst' || n FROM generate_series(1, 300000) AS n))");
cmp_ok($claimed, '>=', 300000 * (1 - 0.0015), "$section: a burst beyond the capacity is not lost");
is(scalar(() = $warnings =~ /WARNING:  shard \d+ of seen_keys has outgrown its capacity/g), 256, "$section: each shard warns");
false_positives($section, 0.001, 'seen_keys', 'shard = filter_hash($$a$$ || n) & 255 AND keys @> ($$a$$ || n)');

my $call = "SELECT new_keys(ARRAY(SELECT 'more' || n FROM generate_series(1, 3000) AS n))";
ask_one('CREATE TABLE kept AS SELECT * FROM seen_keys; DELETE FROM seen_keys WHERE shard = 17');
fails_with($call, qr/seen_keys has no row for shard 17/, "$section: a missing shard is an error");
ask_one('INSERT INTO seen_keys SELECT * FROM kept WHERE shard = 17');
my ($function) = block($section, 0) =~ /^CREATE (FUNCTION .*?^END \$\$;)$/ms or die 'no function';
ask_one('CREATE OR REPLACE ' . with($function, '255' => '511'));
fails_with($call, qr/seen_keys has no row for shard \d+/, "$section: so is a mask with too many bits");

# Jobs. Nobody takes what another client holds: that would violate the primary key.
my $free = statement($section, 'UPDATE seen_keys');
ask_one('TRUNCATE seen_keys; CREATE TABLE held (key text PRIMARY KEY, client int)');
ask_one(statement($section, 'INSERT INTO seen_keys'));
ask_one("CREATE OR REPLACE $function");
clients(
	'Jobs', 300,
	"\\set a random(1, 200)\n\\set b random(1, 200)\n"
	  . "INSERT INTO held SELECT new_keys(ARRAY['t' || :a, 't' || :b]), :client_id;\n"
	  . join '',
	map {
		"SELECT count(*) AS mine FROM held WHERE key = 't' || :$_ AND client = :client_id \\gset\n"
		  . "\\if :mine\nBEGIN;\nDELETE FROM held WHERE key = 't' || :$_;\n"
		  . with($free, "'key-20'" => "('t' || :$_)")
		  . "\nCOMMIT;\n\\endif\n"
	} 'a', 'b');
is(ask_one('SELECT sum(cf_cardinality(keys)) - (SELECT count(*) FROM held) FROM seen_keys'), 0,
	'Jobs: the filters have those that are held');
none('SELECT FROM held JOIN seen_keys ON shard = filter_hash(key) & 255 WHERE NOT cf_contains(keys, key)',
	'Jobs: each of them');
bounded('seen_keys', $before);

# Many small filters: as many keys as the rule allows outgrow no shard. The check finds filters of which a page holds only one.
$section = 'Many small filters';
my $outgrown = statement($section, 'SELECT count(*)');
ask_one('TRUNCATE seen_keys');
ask_one(statement('Deduplicate a stream', 'INSERT INTO seen_keys'));
my $given = "SELECT count(*) FROM new_keys(ARRAY(SELECT 'r' || n FROM generate_series(1, 256 * 800) AS n))";
is(($node->psql('postgres', $given))[2], '', "$section: 800 keys a shard outgrow none");
is(ask_one($outgrown), 0, "$section: as the check says");
ask_one($given =~ s/'r'/'s'/r);
is(ask_one($outgrown), 256, "$section: twice as many outgrow each");
ask_one('CREATE TABLE large (shard int PRIMARY KEY, keys bloomfilter NOT NULL) WITH (fillfactor = 50, toast_tuple_target = 8160);
	INSERT INTO large SELECT 0, bf_agg(n, 1000, 0.001) FROM generate_series(1, 7800) AS n');
is(ask_one(with($outgrown, 'seen_keys' => 'large')), 1, "$section: as does an aggregate, of one layer");
ask_one('TRUNCATE large; INSERT INTO large SELECT 0, f FROM (
	SELECT bf_create(n, 0.001, of => $$int$$) AS f FROM generate_series(1000, 3000) AS n) AS made
	WHERE pg_column_size(f) <= 4000 ORDER BY length(f::bytea) DESC LIMIT 1');
ask_one("UPDATE large SET keys = bf_add(keys, $_)") for 1 .. 20;
is(ask_one("SELECT pg_relation_size('large')"), 8192, "$section: one at the limit is changed in its page");
ask_one('UPDATE large SET keys = (
	SELECT f FROM (SELECT bf_create(n, 0.001, of => $$int$$) AS f FROM generate_series(1000, 3000) AS n) AS made
	WHERE pg_column_size(f) > 4050 ORDER BY length(f::bytea) LIMIT 1)');
ask_one("UPDATE large SET keys = bf_add(keys, $_)") for 1 .. 20;
cmp_ok(size('large'), '>=', 8192 * 20, "$section: one above it makes the table grow");

# Block list.
$section = 'Block list';
ask_one(block($section, 0));
$before = size('revoked');
my $revoke = statement($section, 'WITH new');
my $admit = statement($section, 'WITH gone');
my $blocked = statement($section, 'SELECT token');
clients($section, 400,
	"\\set a random(1, 3000)\n\\set b random(1, 3000)\n\\set c random(1, 3000)\n"
	  . with($revoke, "'token-7777'" => "'token-' || :a", "'token-7'" => "'token-' || :b")
	  . "\n"
	  . with($admit, "'token-3'" => "'token-' || :c", "'nobody'" => "'token-' || :a + 1"));
# On a busy machine, 6.5 times; 44 times if old row versions were kept.
bounded('revoked', $before, 15);
is(ask_one('SELECT (SELECT count(*) FROM revoked_tokens) - sum(cf_cardinality(tokens)) FROM revoked'), 0,
	"$section: as many entries as tokens");
ask_one(with($revoke, "('token-7'), ('token-7777')" => "('token-7777'), ('token-7')")
	  =~ s/VALUES [^\n]*? ON/SELECT 'token-' || n FROM generate_series(100001, 108000) AS n ON/r);
none('SELECT FROM revoked_tokens LEFT JOIN revoked ON shard = filter_hash(token) & 15 WHERE (tokens @> token) IS NOT TRUE',
	"$section: no token is lost");
false_positives($section, 0.01, 'revoked', 'shard = filter_hash($$a$$ || n) & 15 AND tokens @> ($$a$$ || n)');
ask_one('DELETE FROM revoked WHERE shard IN (3, 7)');
my $every = with($blocked, "ARRAY['token-7', 'token-7777']" => 'ARRAY(SELECT token FROM revoked_tokens)') =~ s/;$//r;
is(ask_one("SELECT count(*) FILTER (WHERE blocked) - (SELECT count(*) FROM revoked_tokens) FROM ($every) AS each"), 0,
	"$section: no token passes where a shard is missing");

# Which partition. One day has as many keys as all the others, and keys arrive late, for new days, too.
$section = 'Which partition, file or server';
ask_one("INSERT INTO orders SELECT n, n, date '2026-04-05' FROM generate_series(200001, 400000) AS n;
	INSERT INTO orders VALUES (0, NULL, date '2026-04-05')");
ask_one(statement($section, 'CREATE TABLE parts'));
ask_one(statement($section, 'INSERT INTO parts'));
ask_one('ANALYZE parts');
$before = size('parts');
my $late = statement($section, 'INSERT INTO parts AS p');
clients($section, 500,
	"\\set key random_zipfian(1, 500000, 1.05)\n\\set day random(0, 99)\n"
	  . with($late, '4711' => ':key', "'2026-01-15'" => "date '2026-01-01' + :day")
	  . "\nINSERT INTO orders VALUES (0, :key, date '2026-01-01' + :day);\n");
bounded('parts', $before);
none('SELECT FROM orders LEFT JOIN parts ON part = day AND shard = filter_hash(customer) & 127
	WHERE customer IS NOT NULL AND (filter @> customer) IS NOT TRUE', "$section: no key is lost");
cmp_ok(ask_one("SELECT max(pg_column_size(filter)) FROM parts WHERE part > '2026-04-05'"), '<', 1000,
	"$section: a few keys of a new part take little room");
my $parts = ask_one('SELECT count(DISTINCT part) FROM parts');
my $opened = ask_one(
	'SELECT count(*) FROM generate_series(5000001, 5010000) AS n JOIN parts ON shard = filter_hash(n) & 127 AND filter @> n');
cmp_ok($opened, '<=', 1.5 * 0.001 * 10000 * $parts, "$section: at most 1.5 times the rate");
is(ask_one(with(statement($section, 'SELECT part'), '4711' => '300000')), '2026-04-05', "$section: a key of the busy day");
ask_one(statement($section, 'DELETE FROM parts'));
none("SELECT FROM parts WHERE part = '2026-01-01'", "$section: a part is forgotten");

ask_one($_) for statement($section, 'CREATE TABLE events ('), statement($section, 'CREATE TABLE events_0'),
  statement($section, 'CREATE TABLE events_1');
ask_one('INSERT INTO events SELECT n, $$x$$ FROM generate_series(1, 1000) AS n');
my $find = statement($section, 'EXPLAIN (COSTS OFF) SELECT * FROM events') =~ s/^EXPLAIN \(COSTS OFF\)//r;
is(ask_one('DO $do$ BEGIN FOR i IN 1 .. 1000 LOOP PERFORM FROM (' . with($find, '4711' => 'i') =~ s/;$//r
		  . ') AS one; IF NOT FOUND THEN RAISE $$%$$, i; END IF; END LOOP; END $do$'),
	'', "$section: each key is in the partition that is searched");

# Guard. Keys come while the filters are built again.
$section = 'Guard before a cache or a remote call';
ask_one(statement($section, 'CREATE TABLE guard'));
my $build = block($section, 0) =~ s/\A.*?^(BEGIN.*?^COMMIT;).*\z/$1/msr;
ask_one($build);
my $add = statement($section, 'UPDATE guard');
my $probe = statement($section, 'SELECT key AS ask_for') =~ s/;$//r;
$before = size('guard');
clients(
	$section, 200,
	"\\set key random_zipfian(400001, 480000, 1.02)\nBEGIN;\nINSERT INTO orders VALUES (0, :key, date '2026-04-09');\n"
	  . with($add, '300001' => ':key')
	  . "\nCOMMIT;\n",
	$build);
bounded('guard', $before);
$before = size('guard');
ask_one($build) for 1 .. 3;
is(size('guard'), $before, "$section: filters that are built again and equal write nothing");
ask_one('CREATE TABLE sample AS SELECT DISTINCT customer FROM orders WHERE customer > 400000 OR customer % 50 = 0');
my $missed = 'SELECT customer FROM sample EXCEPT '
  . with($probe, 'ARRAY[17, 199999, 300001, 300002, 300003]' => 'ARRAY(SELECT customer FROM sample)') =~ s/ORDER BY key$//r;
none($missed, "$section: no key is lost");
false_positives($section, 0.001, 'guard', 'shard = filter_hash(n) & 255 AND known @> n');
ask_one('DELETE FROM guard WHERE shard = 5');
none($missed, "$section: keys of a missing shard are asked for");

# Rolling window. The days differ, and every client brings every batch.
$section = 'Rolling window';
my $visit = statement($section, 'INSERT INTO visits');
my $seen = statement($section, 'SELECT coalesce');
ask_one(statement($section, 'CREATE TABLE visits'));
is(ask_one($seen), 'f|0', "$section: nothing was seen in an empty one");
ask_one("CREATE TABLE arrivals AS
	SELECT n AS customer, date '2026-03-31' - (sqrt(n) * 3571)::int % 40 AS day, n % 4 AS batch FROM generate_series(1, 16000) AS n
	UNION ALL SELECT n, date '2026-03-20', n % 4 FROM generate_series(16001, 22000) AS n");
# A tenth of the page's capacity.
$visit = with($visit, '200000' => '20000', 'FROM orders WHERE' => 'FROM arrivals WHERE batch = :batch AND');
clients($section, 1, join "\n", map { "\\set batch $_\n$visit" } 0 .. 3);
$before = size('visits');
clients($section, 1, "\\set batch :client_id\n$visit");
is(size('visits'), $before, "$section: what comes again writes nothing");
none("SELECT FROM (SELECT * FROM arrivals ORDER BY day OFFSET 0) AS arrivals LEFT JOIN visits USING (day)
	WHERE day > date '2026-03-31' - 30 AND (customers @> customer) IS NOT TRUE", "$section: no key is lost");
is(ask_one('SELECT count(*), (SELECT layers FROM bf_info(bf_union_agg(customers))) FROM visits'), '30|1',
	"$section: the days of the window, and their union of one layer");
ask_one('CREATE TABLE month AS SELECT bf_union_agg(customers) AS customers FROM visits');
false_positives($section, 0.001, 'month', 'customers @> n::int');

# Ring. The hours pass, and a tenth of the keys are late, some by more than the ring remembers.
$section = 'A ring of filters that forgets';
my $remember = statement($section, 'INSERT INTO ring');
my $recent = statement($section, 'SELECT now');
ask_one(statement($section, 'CREATE TABLE ring'));
ask_one($remember);
my $late_key = ask_one('SELECT $$late $$ || n FROM generate_series(1, 1000) AS n
	WHERE filter_hash($$late $$ || n) & 15 = filter_hash($$disk full$$::text) & 15 LIMIT 1');
ask_one($remember =~ s/\b100\b/96/gr =~ s/disk full/$late_key/gr);
is(ask_one($recent), "100|t\n103|t\n104|f", "$section: a late key forgets no other");
ask_one($remember =~ s/\b100\b/99/gr =~ s/disk full/last/gr);
is(ask_one($recent =~ s/disk full/last/gr), "100|t\n103|f\n104|f", "$section: a key of the last hour");
ask_one('CREATE SEQUENCE clock; CREATE TABLE logged (hour bigint, key text); CREATE TABLE told (hour bigint, key text)');
my $script = "SELECT 101 + nextval('clock') / 400 AS now \\gset\n\\set ago random_zipfian(1, 6, 3)\n"
  . "\\set hour :now - :ago + 1\n\\set key random_zipfian(1, 3000, 1.1)\nINSERT INTO logged VALUES (:hour, 'e' || :key);\n"
  . 'WITH added AS ('
  . with($remember =~ s/\b100\b/:hour/gr, "'disk full'" => "('e' || :key)", ';' => '')
  . ") INSERT INTO told SELECT :hour, 'e' || :key FROM added;\n";
clients($section, 300, $script);
$before = size('ring');
clients($section, 900, $script);
bounded('ring', $before);
none("SELECT FROM logged LEFT JOIN ring USING (hour) WHERE hour > 101 + (SELECT last_value FROM clock) / 400 - 4
	AND NOT EXISTS (SELECT FROM ring AS r WHERE r.shard = filter_hash(key) & 15 AND r.hour = logged.hour AND r.keys @> key)",
	"$section: no key of the last four hours is lost");
none('SELECT hour, key FROM told GROUP BY hour, key HAVING count(*) > 1', "$section: no key is new twice in an hour");
ask_one('UPDATE ring SET keys = bf_add_all(keys, ARRAY(SELECT $$b$$ || n FROM generate_series(1, 20000) AS n
	WHERE filter_hash($$b$$ || n) & 15 = shard))');
false_positives($section, 0.004, 'ring', 'shard = filter_hash($$a$$ || n) & 15 AND keys @> ($$a$$ || n)');

# Keys of any case: the statements of the page, of names in other cases.
$section = 'Case-insensitive keys';
ask_one(statement($section, 'CREATE FUNCTION folded'));
ask_one(with(statement($section, 'CREATE TABLE names_taken'),
	"ARRAY['Ann', 'BOB', 'ΟΔΟΣ']" => "ARRAY(SELECT 'Name' || n || 'İÖ' FROM generate_series(1, 1000) AS n)"));
none("SELECT FROM names_taken, generate_series(1, 1000) AS n WHERE NOT filter @> folded('NAME' || n || 'İÖ')",
	"$section: names in capitals are found, with other letters as they are");

# Deduplicate for n days, here four, with sixteen shards. Keys come again at once and later, and up to six days late, and days
# are dropped meanwhile. A claim holds until its day is four days before the clock of a client, and clocks differ by one day.
$section = 'Deduplicate for n days';
ask_one(block($section, 0));
($function) = block($section, 0) =~ /^CREATE (FUNCTION .*?^END \$\$;)$/ms or die 'no function';
$function = "CREATE OR REPLACE $function";
my $forget = statement($section, 'DELETE FROM recent');
ask_one('TRUNCATE recent; ' . with($function, '255' => '15', '- 30' => '- 4'));
ask_one('CREATE SEQUENCE days; CREATE TABLE heard (key text);
	CREATE TABLE won (day date, clock date, key text)');
my $day = "date '2026-04-01' + :clock";
$script = "SELECT nextval('days') / 400 AS clock \\gset\n\\set ago random_zipfian(1, 7, 3) - 1\n\\set first random_zipfian(1, 3000, 1.1)\n"
  . "INSERT INTO heard SELECT 'e' || :first + n FROM generate_series(1, 10) AS n;\n"
  . "INSERT INTO won SELECT $day - :ago, $day,\n"
  . "new_lately(ARRAY(SELECT 'e' || :first + n % 10 + 1 FROM generate_series(1, 12) AS n), $day - :ago);\n";
my $drop = "SELECT last_value / 400 AS clock FROM days \\gset\n" . with($forget, "date '2026-04-01'" => $day, '- 30' => '- 4');
clients($section, 400, $script, $drop);
$before = size('recent');
clients($section, 800, $script, $drop);
# The rows of dropped days leave room only to VACUUM.
bounded('recent', $before, 6);
none("SELECT FROM won AS a JOIN won AS b ON a.key = b.key AND a.ctid < b.ctid
	WHERE least(a.day, b.day) > greatest(a.clock, b.clock) + 1 - 4", "$section: no key is new twice");
none("SELECT FROM won WHERE day > date '2026-04-01' + (SELECT last_value / 400 FROM days)::int - 4 AND NOT EXISTS
	(SELECT FROM recent WHERE shard = filter_hash(key) & 15 AND day = won.day AND keys @> key)", "$section: no key is forgotten");
cmp_ok(ask_one('SELECT count(*) FROM (SELECT key FROM heard EXCEPT SELECT key FROM won) AS lost'),
	'<=', 0.0015 * ask_one('SELECT count(DISTINCT key) FROM heard') + 2, "$section: no key is lost but the false positives");

# Two clients, at every step of each other: with one key for two days, and while its day is dropped.
my ($one, $two) = (session($node), session($node));
my $waiting = "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted";
is(answer($one, "BEGIN; SELECT new_lately(ARRAY['at once'], '2026-05-01');"), "at once\n", "$section: the first client");
ask($two, "SELECT new_lately(ARRAY['at once'], '2026-05-02');");
ok($node->poll_query_until('postgres', $waiting), "$section: the second one waits");
answer($one, 'COMMIT;');
is(rest($two), '', "$section: and is told that the key is known");
my $beside = ask_one("SELECT 'beside ' || n FROM generate_series(1, 1000) AS n
	WHERE filter_hash('beside ' || n) & 15 = filter_hash('at once'::text) & 15 LIMIT 1");
answer($one, "BEGIN; DELETE FROM recent WHERE day = '2026-05-01';");
ask($two, "SELECT new_lately(ARRAY['$beside'], '2026-05-01');");
ok($node->poll_query_until('postgres', $waiting), "$section: an addition waits for a day that is dropped");
answer($one, 'COMMIT;');
is(rest($two), "$beside\n", "$section: then makes the day");
is(answer($two, "SELECT new_lately(ARRAY['at once', '$beside'], '2026-05-01');"), "at once\n", "$section: with this key alone");
leave($one);
leave($two);
fails_with("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT new_lately(ARRAY['a'], '2026-05-01')",
	qr/requires the isolation level READ COMMITTED/, "$section: an isolation level that sees no other client is refused");
is(ask_one("SELECT count(*) FROM new_lately(ARRAY[NULL, 'not null'], '2026-05-01')"), 1, "$section: NULL is no key");

# Thirty full days, and then one with more keys than its filters were made for.
ask_one('TRUNCATE recent; ' . with($function, '255' => '3'));
my ($outgrown_days) = $page =~ /`(SELECT day, count\(\*\) FROM recent[^`]*)`/ or die 'no statement that shows them';
$outgrown_days =~ tr/\n/ /;
my $burst = "SELECT count(*) FROM generate_series(1, 30) AS n, new_lately(ARRAY(SELECT n || '-' || i FROM generate_series(1, 3500) AS i),
	date '2026-04-01' + n)";
cmp_ok(ask_one($burst), '>=', 0.9985 * 30 * 3500, "$section: thirty days");
false_positives($section, 0.001, 'recent', 'shard = filter_hash($$a$$ || n) & 3 AND keys @> ($$a$$ || n)');
is(ask_one($burst), 0, "$section: all are known");
is(ask_one($outgrown_days), '', "$section: no shard has outgrown its capacity");
my $more = "SELECT count(*) FROM new_lately(ARRAY(SELECT 'burst' || i FROM generate_series(1, 20000) AS i), '2026-05-01')";
cmp_ok(ask_one($more), '>=', 0.9985 * 20000, "$section: a burst beyond the capacity is not lost");
is(ask_one($more), 0, "$section: but known");
is(ask_one($outgrown_days), '2026-05-01|4', "$section: each shard shows it");
false_positives($section, 0.001, 'recent', 'shard = filter_hash($$a$$ || n) & 3 AND keys @> ($$a$$ || n)');

$node->stop;
done_testing();
