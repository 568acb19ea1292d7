# Settings and extensions that tell the planner what to do: what enable_seqscan and the like, pg_hint_plan and pg_plan_advice say
# holds with filters, too, in every order of loading; and the advice that pg_plan_advice writes for a plan with filters is
# complete, and gives the same plan again.
# Needs: the libraries of scans and joins
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TABLE facts AS SELECT n, n % 1000 AS k, n % 10 AS g, repeat('x', 20) AS t FROM generate_series(1, 100000) n;
CREATE TABLE keys AS SELECT n * 10 AS id, n % 7 AS g FROM generate_series(1, 20) n;
CREATE TABLE facts_rows (LIKE facts);
CREATE INDEX facts_k ON facts (k);
CREATE INDEX facts_n ON facts (n);
CREATE INDEX keys_id ON keys (id);
CREATE TABLE filters AS SELECT bf_agg(id) AS f FROM keys;
VACUUM ANALYZE;
SQL
chomp(my $libraries = `pg_config --pkglibdir`);

# The tables of a query are always f and k, and both may be read by an index.
my %queries = (
	join => 'SELECT count(*), sum(f.n) FROM facts f JOIN keys k ON f.k = k.id',
	reversed => 'SELECT count(*), sum(f.n) FROM keys k JOIN facts f ON f.k = k.id WHERE f.n < 90000 AND k.id > 0',
	narrow => 'SELECT count(*) FROM facts f JOIN keys k ON f.k = k.id WHERE f.k < 500',
	condition => 'SELECT count(*), sum(f.n) FROM facts f, keys k
		WHERE (SELECT f FROM filters) @> f.k AND f.n < 50000 AND f.k = k.id',
	alternative => 'SELECT count(*), sum(f.n) FROM facts f JOIN filters ON f.k < 900
		WHERE f.g = 3 OR EXISTS (SELECT FROM keys k WHERE k.id = f.k AND k.id > 0)',
	tid => "SELECT count(*) FROM facts f JOIN keys k ON f.k = k.id
		WHERE f.ctid IN ('(0,1)', '(0,10)', '(1,10)') AND k.ctid < '(5,1)' AND f.n < 90000");
my $settings = 'SET max_parallel_workers_per_gather = 0; SET cuckoo_scan.join_filter_min_rows = 0;';
my $off = 'SET cuckoo_scan.enable_join_filter = off; SET cuckoo_scan.enable_filter_scan = off;';

# The plans of all statements, in one session that begins with others.
sub plans
{
	my ($before, @statements) = @_;
	my ($status, $out, $error) = $node->psql('postgres', join("\n", "$before;", '\echo plans', map { "$_;\n\\echo end of plan" } @statements));

	is($error =~ s/^psql:<stdin>:\d+: (WARNING:  supplied plan advice was not enforced|DETAIL:  advice .*)\n?//mgr, '', "messages after $before");
	return split /^end of plan\n?/m, $out =~ s/.*^plans\n//msr =~ s/Custom Scan \(CuckooFilterScan\)/Seq Scan/gr;
}

my @orders = ("LOAD 'other'; LOAD 'cuckoo_join'", "LOAD 'cuckoo_join'; LOAD 'other'",
	"LOAD 'cuckoo_join'; EXPLAIN $queries{condition}; LOAD 'other'", "LOAD 'other'; EXPLAIN $queries{join}; LOAD 'cuckoo_join'");

# What a hint says, and holds in the plan without filters, holds in the one with filters. Of each hint, the pattern is of the node
# that must be in the plan or, after '!', must not.
sub compare
{
	my ($library, $hinted, @hints) = @_;
	my @cases = map { my $query = $_; map { [ $query, @$_ ] } @hints } map { $queries{$_} } sort keys %queries;
	my @statements = map { $hinted->(@$_) } @cases;
	my ($held, @lost) = (0);
	my $holds = sub {
		my ($plan, $pattern) = @_;
		my $kind = $pattern =~ s/^!//r;
		return $pattern =~ /^!/ ? $plan !~ $kind : $plan =~ $kind;
	};

	for my $order (map { s/other/$library/r } @orders)
	{
		my @plain = plans("$order; $settings $off", @statements);
		my @filtered = plans("$order; $settings", @statements);

		is(scalar @plain, scalar @cases, "$order: all have a plan");
		# This one forbids the only scans that could probe one.
		like("@filtered", qr/CuckooRuntimeFilter/, "$order: some have a filter") if $library ne 'takes_over';
		for my $i (0 .. $#cases)
		{
			next if !$holds->($plain[$i], $cases[$i][2]);
			$held++;
			push @lost, "$order: $statements[$i]\n$filtered[$i]" if !$holds->($filtered[$i], $cases[$i][2]);
		}
	}
	is(join("\n", @lost), '', "$library: $held hints hold with filters");
	cmp_ok($held, '>', @cases, "$library: enough hints can be followed");
}

# Any other library.
compare('plpgsql', sub { return "BEGIN; SET LOCAL enable_$_[1] = off; EXPLAIN (COSTS OFF) $_[0]; ROLLBACK" },
	[ seqscan => '!Seq Scan on (facts|keys)' ], [ indexscan => '!Index Scan using' ], [ indexonlyscan => '!Index Only Scan using' ],
	[ bitmapscan => '!Bitmap Heap Scan' ], [ tidscan => '!Tid Scan' ], [ nestloop => '!Nested Loop' ], [ mergejoin => '!Merge Join' ],
	[ hashjoin => '!Hash Join' ]);

# A library that takes the sequential scan out of the list of paths: test/lib/takes_over.c.
compare('takes_over', sub { return "SET takes_over.mode = $_[1]; SET enable_mergejoin = off; SET enable_nestloop = off; EXPLAIN (COSTS OFF) $_[0]" },
	[ forbid => '!Seq Scan on facts' ], [ forbid_first => '!Seq Scan on facts' ]);
# It also forbids a kind of join, as a hint does for some joins.
compare('takes_over', sub { return "SET takes_over.forbids = $_[1]; SET enable_mergejoin = off; EXPLAIN (COSTS OFF) $_[0]" },
	[ hash_join => '!Hash Join' ], [ nested_loop => '!Nested Loop' ]);

SKIP:
{
	skip 'pg_hint_plan is not installed', 1 if !-e "$libraries/pg_hint_plan.so";
	my @checks;
	my %scans = (SeqScan => 'Seq Scan on', IndexScan => 'Index Scan using \w+ on', IndexOnlyScan => 'Index Only Scan using \w+ on',
		BitmapScan => 'Bitmap Heap Scan on', TidScan => 'Tid Scan on');
	my %joins = (NestLoop => 'Nested Loop', MergeJoin => 'Merge Join', HashJoin => 'Hash Join');
	for my $scan (sort keys %scans)
	{
		for my $table ([ f => 'facts f' ], [ k => 'keys k' ])
		{
			push @checks, [ "$scan($table->[0])", "$scans{$scan} $table->[1]" ], [ "No$scan($table->[0])", "!$scans{$scan} $table->[1]" ];
		}
	}
	push @checks, map { ([ "$_(f k)", $joins{$_} ], [ "No$_(f k)", "!$joins{$_}" ]) } sort keys %joins;
	push @checks, [ 'Parallel(f 2 hard)', 'Gather' ], [ 'Set(enable_hashjoin off)', '!Hash Join' ],
	  [ 'Leading((f k))', 'on facts f\n(?:.*\n)*.*on keys k' ], [ 'Leading((k f))', 'on keys k\n(?:.*\n)*.*on facts f' ];
	compare('pg_hint_plan', sub { return "/*+ $_[1] */ EXPLAIN (COSTS OFF) $_[0]" }, @checks);
}

SKIP:
{
	skip 'pg_plan_advice is part of PostgreSQL 19', 1 if !-e "$libraries/pg_plan_advice.so";
	my @hints;
	for my $table ([ f => 'facts f', 'facts_k' ], [ k => 'keys k', 'keys_id' ])
	{
		my ($alias, $name, $index) = @$table;

		push @hints, [ "SEQ_SCAN($alias)", "Seq Scan on $name" ], [ "INDEX_SCAN($alias $index)", "Index Scan using \\w+ on $name" ],
		  [ "INDEX_ONLY_SCAN($alias $index)", "Index Only Scan using \\w+ on $name" ], [ "BITMAP_HEAP_SCAN($alias)", "Bitmap Heap Scan on $name" ],
		  [ "TID_SCAN($alias)", "Tid Scan on $name" ], [ "NO_GATHER($alias)", '!Gather' ], [ "HASH_JOIN($alias)", "Hash  *\\n(?:.*\n){0,2}.*on $name" ],
		  [ "NESTED_LOOP_PLAIN($alias)", 'Nested Loop' ], [ "NESTED_LOOP_MEMOIZE($alias)", 'Memoize' ],
		  [ "NESTED_LOOP_MATERIALIZE($alias)", 'Materialize' ], [ "MERGE_JOIN_PLAIN($alias)", 'Merge Join' ];
	}
	push @hints, [ 'JOIN_ORDER(f k)', 'on facts f\n(?:.*\n)*.*on keys k' ], [ 'JOIN_ORDER(k f)', 'on keys k\n(?:.*\n)*.*on facts f' ];
	compare('pg_plan_advice', sub { return "SET pg_plan_advice.advice = '$_[1]'; EXPLAIN (COSTS OFF) $_[0]" }, @hints);

	# What it writes.
	my @queries = map { $queries{$_} } sort keys %queries;
	my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0';
	for my $order (map { s/other/pg_plan_advice/r } @orders)
	{
		for my $case ('SET max_parallel_workers_per_gather = 0', $parallel, "$parallel; SET enable_indexscan = off; SET enable_bitmapscan = off")
		{
			my $before = "$order; $settings $case";
			my @first = plans($before, map { "EXPLAIN (PLAN_ADVICE, COSTS OFF) $_" } @queries);
			my @advice = map { s/.*Generated Plan Advice:\n//sr =~ s/\(\d+ rows\)//r =~ s/\s+/ /gr } @first;
			my @again = plans($before, map { "SET pg_plan_advice.advice = '$advice[$_]'; EXPLAIN (PLAN_ADVICE, COSTS OFF) $queries[$_]" } 0 .. $#queries);

			is(join('', map { s/^Supplied.*(?=^Generated)//msr } @again), join('', @first), "the same plans by their advice: $before");
			unlike("@again", qr/failed|not matched|inapplicable/, "all of it matched: $before");
			is(scalar(grep { /_SCAN\([^)]*\bf\b/ && /_SCAN\([^)]*\bk\b/ } @advice), scalar @queries, "it tells all scans: $before");
			my @rows = plans("$before; SET pg_plan_advice.always_store_advice_details = on; SET pg_plan_advice.feedback_warnings = on",
				map { "SET pg_plan_advice.advice = '$advice[$_]'; $queries[$_]" } 0 .. $#queries);
			is_deeply(\@rows, [ plans("$order; $off", @queries) ], "the rows of plans with advice: $before");
		}
	}
}

done_testing();
