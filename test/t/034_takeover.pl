# Another library takes over the scans of tables, whose rows are elsewhere: test/lib/takes_over.c. Whenever it is loaded, before or
# after ours, the rows are the same as where nobody takes over anything, and other tables have filters.
# Needs: the libraries of scans and joins
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Session;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
autovacuum = off
jit = off
max_worker_processes = 16
max_parallel_workers = 16
CONF
$node->start;

sub query { return $node->safe_psql('postgres', @_) }

# In each schema, the same tables have the same rows: in `whole` themselves; in `empty` and `vacuumed` elsewhere; in `split` half of
# them. Of the partitions, one keeps its rows. The estimates of a table that was vacuumed are that it is empty.
query('CREATE EXTENSION cuckoo_filter');
query(<<'SQL' =~ s/THERE/$_/gr) for qw(whole empty vacuumed split);
CREATE SCHEMA THERE;
SET search_path = THERE, public;
CREATE TABLE facts AS SELECT n, n % 200 AS k, n % 10 AS g FROM generate_series(1, 1200) n;
CREATE TABLE few AS SELECT n * 10 AS id, n % 3 AS g FROM generate_series(1, 10) n;
CREATE TABLE indexed (n integer PRIMARY KEY, k integer, g integer);
INSERT INTO indexed TABLE facts;
CREATE TABLE parted (n integer, k integer, g integer) PARTITION BY RANGE (n);
CREATE TABLE part_1 PARTITION OF parted FOR VALUES FROM (0) TO (400);
CREATE TABLE part_2 PARTITION OF parted FOR VALUES FROM (400) TO (800);
CREATE TABLE part_3 PARTITION OF parted FOR VALUES FROM (800) TO (2000);
INSERT INTO parted TABLE facts;
ANALYZE facts, few, indexed, parted;
SQL
for my $table (qw(facts few indexed part_1 part_3))
{
	query("CREATE TABLE $_.${table}_rows AS TABLE $_.$table; TRUNCATE $_.$table") for qw(empty vacuumed);
	my $half = ($table eq 'few' ? 'id' : 'n') . ' % 20 < 10';
	query("CREATE TABLE split.${table}_rows AS SELECT * FROM split.$table WHERE $half; DELETE FROM split.$table WHERE $half");
}
query('VACUUM vacuumed.facts, vacuumed.few, vacuumed.indexed, vacuumed.part_1, vacuumed.part_3');
my $fill_plain = 'INSERT INTO plain SELECT n, n % 200, n % 10 FROM generate_series(1, 1200) n';
query(<<SQL);
CREATE TABLE keys AS SELECT n * 10 AS id FROM generate_series(1, 10) n;
CREATE TABLE filters AS SELECT bf_agg(id) AS b, cf_agg(id) AS c FROM keys;
CREATE TABLE plain (n integer, k integer, g integer);
$fill_plain;
ANALYZE keys, filters, plain;
SQL

# Which schema each mode is tested with.
my %modes = (
	replace => 'empty', replace_first => 'vacuumed', append => 'split', append_first => 'split',
	add_free => 'empty', add_free_first => 'empty', add_half => 'empty', add_half_first => 'empty', in_plan => 'empty');

my $b = '(SELECT b FROM filters)';
my $c = '(SELECT c FROM filters)';
my @queries = ((map {(
	"SELECT count(*), sum(n) FROM $_ WHERE $b @> k",
	"SELECT count(*), sum(n) FROM $_ WHERE bf_contains($b, k) AND g = 0",
	"SELECT count(*), sum(n) FROM $_ WHERE cf_contains($c, k)",
	"SELECT n, k, g FROM $_ WHERE $c @> k ORDER BY n DESC LIMIT 3",
	"SELECT count(*), sum(n) FROM $_ JOIN keys ON k = id",
	"SELECT count(*), sum(n) FROM $_ JOIN few ON k = id AND few.g < 2",
	"SELECT count(*), sum(n), sum(id) FROM $_ LEFT JOIN keys ON k = id",
	"SELECT count(*), sum(n), sum(id) FROM keys LEFT JOIN $_ ON k = id",
	"SELECT count(*), sum(n), sum(id) FROM few LEFT JOIN $_ ON k = id AND $b @> k",
	"SELECT count(*), sum(n) FROM $_ WHERE k IN (SELECT id FROM keys)",
	"SELECT count(*), sum(n) FROM $_ WHERE EXISTS (SELECT FROM few WHERE id = k)",
	"SELECT count(*), sum(n) FROM $_ WHERE NOT EXISTS (SELECT FROM keys WHERE id = k)",
	"SELECT count(*), sum(id) FROM keys WHERE NOT EXISTS (SELECT FROM $_ WHERE id = k AND n > 100)",
	"SELECT count(*), sum(a.n), sum(b.n) FROM $_ a JOIN plain b ON a.n = b.n JOIN keys ON b.k = id",
	"SELECT count(*), sum(a.n), sum(b.n) FROM $_ a JOIN $_ b ON a.n = b.n JOIN few ON b.k = id WHERE $b @> a.k",
	"SELECT sum(s.c) FROM (SELECT k, count(*) AS c FROM $_ GROUP BY k) s JOIN keys ON s.k = id",
	"SELECT sum((SELECT count(*) FROM $_ WHERE k = id AND $b @> k)) FROM keys",
	"SELECT count(*), sum(l.n) FROM keys, LATERAL (SELECT n FROM $_ WHERE k = id AND bf_contains($b, k) OFFSET 0) l")}
	qw(facts parted)),
	"SELECT count(*), sum(n) FROM plain JOIN few ON k = id",
	"SELECT count(*), sum(n) FROM plain JOIN few ON k = id AND $b @> id",
	"SELECT count(*), sum(n) FROM plain WHERE $b @> k AND n IN (SELECT n FROM facts WHERE g = 0)",
	"SELECT count(DISTINCT tableoid), count(*) FROM parted WHERE $b @> k",
	"SELECT count(*) FROM (SELECT plain.n FROM plain JOIN few ON k = id FOR UPDATE OF plain) q",
	"WITH a AS MATERIALIZED (SELECT * FROM facts WHERE $b @> k) SELECT count(*), sum(a.n) FROM a JOIN keys ON k = id");
my @prepared = (
	[ 'bloomfilter', ":'f'", "SELECT count(*), sum(n) FROM facts WHERE \$1 @> k" ],
	[ 'bloomfilter', ":'f'", "SELECT count(*), sum(n) FROM parted WHERE bf_contains(\$1, k)" ],
	[ 'integer', '5', "SELECT count(*), sum(n) FROM facts JOIN keys ON k = id AND facts.g < \$1" ],
	[ 'integer', '5', "SELECT count(*), sum(n) FROM parted JOIN few ON k = id AND few.g < \$1 AND $b @> k" ]);

# Statements that change a table, with other tables that nobody takes over.
my @changes = ((map {(
	[ $_, "UPDATE $_ SET g = -1 WHERE $b @> k" ],
	[ $_, "UPDATE $_ SET g = -1 WHERE n IN (40, 440, 840) AND $b @> k" ],
	[ $_, "DELETE FROM $_ WHERE cf_contains($c, k)" ],
	[ $_, "WITH d AS (DELETE FROM $_ WHERE $b @> k RETURNING n) SELECT count(*), sum(n) FROM d" ],
	[ $_, "UPDATE $_ SET g = -1 FROM keys WHERE k = id" ],
	[ $_, "DELETE FROM $_ USING keys WHERE k = id AND $b @> k" ],
	[ $_, "DELETE FROM $_ WHERE k IN (SELECT id FROM keys)" ],
	[ $_, "DELETE FROM $_ WHERE NOT EXISTS (SELECT FROM keys WHERE id = k)" ],
	[ $_, "WITH u AS (UPDATE $_ SET g = 7 FROM plain JOIN keys ON plain.k = id WHERE plain.n = $_.n RETURNING $_.n)
		SELECT count(*), sum(n) FROM u" ],
	[ $_, "MERGE INTO $_ t USING keys ON t.k = id WHEN MATCHED AND t.g = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET g = -1
		WHEN NOT MATCHED THEN INSERT VALUES (id, id, -5)" ],
	[ $_, "MERGE INTO $_ t USING plain p ON t.n = p.n AND $b @> t.k WHEN MATCHED THEN UPDATE SET g = p.g + 1" ])}
	qw(facts parted indexed)));
# And with some that it does.
my @joined_changes = ((map {(
	[ $_, "UPDATE $_ SET g = -1 FROM few WHERE k = id" ],
	[ $_, "DELETE FROM $_ USING few WHERE k = id AND bf_contains($b, few.id)" ],
	[ $_, "MERGE INTO $_ t USING few ON t.k = id WHEN MATCHED THEN DELETE" ])} qw(facts parted plain)),
	[ 'plain', "UPDATE plain SET g = facts.g - 1 FROM facts WHERE facts.n = plain.n AND $b @> facts.k" ],
	[ 'plain', "DELETE FROM plain WHERE n IN (SELECT n FROM parted JOIN few ON k = id)" ],
	[ 'plain', "INSERT INTO plain SELECT n, k, g FROM parted WHERE $c @> k" ]);

my $serial = 'SET max_parallel_workers_per_gather = 0';
my $parallel = 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
	SET min_parallel_table_scan_size = 0;
	SET enable_partitionwise_join = on; SET enable_partitionwise_aggregate = on';

# All of them as one script; each result follows a line with the statement.
sub script
{
	my ($mode) = @_;
	my @steps;

	if ($mode ne 'in_plan')
	{
		push @steps, map { ("serial $_", "$_;") } @queries;
		my $number = 0;
		for (@prepared)
		{
			my ($type, $value, $statement) = @$_;
			my $name = 'p' . ++$number;
			push @steps, "prepared $statement",
			  "PREPARE $name($type) AS $statement;\nEXECUTE $name($value);\nEXECUTE $name($value);";
		}
		push @steps, map { ("parallel $_", "$parallel; $_; $serial;") } @queries[grep { $_ % 4 == 0 } 0 .. $#queries];
	}
	push @steps, "change $_->[1]", "BEGIN; $_->[1]; SET LOCAL takes_over.mode = in_plan;
		SELECT count(*), sum(n), sum(k), sum(g) FROM $_->[0]; ROLLBACK;"
	  for @changes, $mode eq 'in_plan' ? () : @joined_changes;
	my $script = "$serial; SET enable_mergejoin = off; SET enable_nestloop = off; SET plan_cache_mode = force_generic_plan;
		SET cuckoo_scan.join_filter_min_rows = 0; SELECT b AS f FROM filters \\gset\n";
	# An Append of one partition is not one that the executor can prune.
	$script .= "SET enable_partition_pruning = off;\n" if $mode =~ /append/;
	while (my ($name, $statements) = splice(@steps, 0, 2))
	{
		$name =~ s/\s+/ /g;
		$script .= "\\echo == $name\n$statements\n";
	}
	return $script;
}

# What a session answers, by statement. Its first statements may set or load something.
sub answers
{
	my ($first, $mode, $schema, $preload) = @_;
	local $ENV{PGOPTIONS} = $preload ? "-c session_preload_libraries=$preload" : '';
	my ($out, $errors);

	$node->psql('postgres', "$first; SET search_path = $schema, public; SET takes_over.mode = $mode; " . script($mode),
		stdout => \$out, stderr => \$errors, on_error_stop => 0);
	diag($errors) if $errors;
	my (undef, %answers) = split /^== (.*)\n/m, "$out\n";
	s/\s+$// for values %answers;
	return \%answers;
}

my $probe = "SELECT count(*) FROM whole.facts WHERE $b @> k";
my $join = 'SELECT count(*) FROM whole.facts JOIN keys ON k = id';
my $on = 'SET cuckoo_scan.enable_join_filter = on';
my $small = 'SET cuckoo_scan.join_filter_min_rows = 0; SET enable_mergejoin = off; SET enable_nestloop = off; ' . $serial;

my %expected = map { $_ => answers('SET cuckoo_filter.load_scan = off', $_, 'whole') } qw(replace in_plan);
is(scalar(grep { $_ eq '' } values %{$expected{$_}}), 0, "$_: every statement has a result") for sort keys %expected;
cmp_ok(scalar(keys %{$expected{replace}}), '>', 90, 'there are many');

# Each order of loading, with the first statements of the session and what is preloaded there; whether there are filter scans.
sub test_order
{
	my ($name, $first, $preload, $filter_scans, @modes) = @_;

	for my $mode (@modes)
	{
		my $expected = $expected{$mode eq 'in_plan' ? $mode : 'replace'};
		my $answers = answers($first, $mode, $modes{$mode}, $preload);
		my @different = grep { ($answers->{$_} // '') ne $expected->{$_} } sort keys %$expected;

		is(join("\n", map { "$_: " . ($answers->{$_} // '') . " for $expected->{$_}" } @different), '', "$name, $mode: the same rows");
	}
	local $ENV{PGOPTIONS} = $preload ? "-c session_preload_libraries=$preload" : '';
	return if !defined $filter_scans;
	my $plans = query("$first; SET takes_over.mode = replace; $small; EXPLAIN $probe; $on; EXPLAIN $join");
	like($plans, $filter_scans ? qr/^Aggregate.*CuckooFilterScan.*^Aggregate/ms : qr/^Aggregate.*Seq Scan on facts.*^Aggregate/ms,
		"$name: " . ($filter_scans ? 'filter scans' : 'no filter scans'));
	like($plans, qr/CuckooFilterScan.*runtime filter 1 .*CuckooRuntimeFilter/s, "$name: joins with filters");
}

my @all = sort keys %modes;
my @some = qw(replace append add_half in_plan);
test_order('without', "LOAD 'takes_over'; SET cuckoo_filter.load_scan = off", '', undef, @all);
test_order('on demand', "LOAD 'takes_over'", '', 1, @some);
test_order('before', "LOAD 'takes_over'; LOAD 'cuckoo_join'", '', 1, @all);
test_order('after', "LOAD 'cuckoo_join'; LOAD 'takes_over'", '', 1, @some);
test_order('between', "LOAD 'cuckoo_scan'; LOAD 'takes_over'; LOAD 'cuckoo_join'", '', 1, @some);
test_order('after a probe', "$probe; LOAD 'takes_over'; $on", '', 0, @some);
test_order('after a probe and a join', "LOAD 'cuckoo_join'; $probe; $join; LOAD 'takes_over'", '', 0, @all);
test_order('session, before', 'SELECT 1 WHERE false', 'takes_over,cuckoo_join', 1, @some);
test_order('session, after', 'SELECT 1 WHERE false', 'cuckoo_join,takes_over', 1, @some);
for my $preload ('takes_over,cuckoo_join', 'cuckoo_join,takes_over')
{
	query("ALTER SYSTEM SET shared_preload_libraries = $preload");
	$node->restart;
	test_order("shared, $preload", 'SELECT 1 WHERE false', '', 1, @some);
}

# EvalPlanQual: another session changes rows of a table that is joined with one that is taken over. These statements wait for it, and
# look at the new rows. Two scans of one table, as in `append`, cannot tell from which of them a row came.
my $other = session($node);
for my $mode (qw(replace replace_first add_half))
{
	for my $statement (
		'UPDATE plain SET g = -1 FROM few WHERE plain.k = id AND plain.g < 50 RETURNING plain.n, plain.g, id',
		"SELECT plain.n, plain.g, few.g FROM plain JOIN few ON k = id AND $b @> k FOR UPDATE OF plain",
		"DELETE FROM plain USING facts WHERE plain.n = facts.n AND $b @> facts.k AND plain.k < 100 RETURNING plain.n, facts.k",
		'SELECT plain.n, p.k FROM part_1 p LEFT JOIN keys ON k = id JOIN plain ON plain.n = p.n AND plain.k = 30 FOR UPDATE OF plain')
	{
		my %rows;

		for my $case ([ 'whole', 'off' ], [ $modes{$mode}, 'off' ], [ $modes{$mode}, 'on' ])
		{
			my ($schema, $setting) = @$case;
			my $session = session($node);

			query("TRUNCATE plain; $fill_plain");
			answer($other, 'BEGIN; UPDATE plain SET g = 100 WHERE n % 400 = 30; UPDATE plain SET k = 31 WHERE n % 400 = 230;');
			answer($session, "LOAD 'takes_over'; LOAD 'cuckoo_join'; SET takes_over.mode = $mode; $small; SET search_path = $schema, public;
				SET cuckoo_scan.enable_filter_scan = $setting; SET cuckoo_scan.enable_join_filter = $setting;");
			like(answer($session, "EXPLAIN $statement;"), qr/CuckooFilterScan/, "$mode: filtered: $statement")
			  if $setting eq 'on' && $statement =~ /@> k FOR UPDATE/;
			ask($session, "$statement;");
			1 until answer($other, 'SELECT 1 FROM pg_locks WHERE NOT granted LIMIT 1;') ne '' || has_answered($session);
			ok(!has_answered($session), "$mode: it waits: $statement") if $schema eq 'whole';
			answer($other, 'COMMIT;');
			$rows{"$schema $setting"} = join "\n", sort split /\n/, rest($session);
			leave($session);
		}
		is($rows{"$modes{$mode} $_"}, $rows{'whole off'}, "$mode, filters $_: $statement") for qw(off on);
	}
}
leave($other);

# Tables of other access methods are not filtered, and no join is chosen for a filter that cannot be made; nor without filter scans.
query(<<'SQL');
CREATE FUNCTION other_heap(internal) RETURNS table_am_handler LANGUAGE C AS 'takes_over', 'other_heap';
CREATE ACCESS METHOD other_heap TYPE TABLE HANDLER other_heap;
CREATE SCHEMA elsewhere;
CREATE TABLE elsewhere.facts USING other_heap AS TABLE whole.facts;
CREATE TABLE elsewhere.parted (n integer, k integer, g integer) PARTITION BY RANGE (n);
CREATE TABLE elsewhere.part_1 PARTITION OF elsewhere.parted FOR VALUES FROM (0) TO (600) USING other_heap;
CREATE TABLE elsewhere.part_2 PARTITION OF elsewhere.parted FOR VALUES FROM (600) TO (2000) USING other_heap;
INSERT INTO elsewhere.parted TABLE whole.facts;
ANALYZE elsewhere.facts, elsewhere.parted;
SQL
for my $case ([ 'whole', 'off', 'facts' ], [ 'whole', 'on', 'facts' ], map { [ 'elsewhere', 'on', $_ ] } qw(facts parted))
{
	my ($schema, $setting, $table) = @$case;
	my ($status, $plan, $messages) = $node->psql('postgres', "LOAD 'cuckoo_join'; $small; SET client_min_messages = debug1;
		SET cuckoo_scan.enable_filter_scan = $setting; EXPLAIN SELECT count(*) FROM $schema.$table JOIN keys ON k = id");
	my $case_name = "$schema.$table, filter scans $setting";

	is($plan =~ /CuckooFilterScan/ ? 1 : 0, $schema eq 'whole' && $setting eq 'on' ? 1 : 0, "$case_name: whether it is filtered");
	unlike($messages, qr/filter was not made/, "$case_name: what is chosen is made");
}

done_testing();
