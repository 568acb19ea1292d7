# Joins that filter themselves, while another session changes tables: under the snapshot of an older transaction, and where
# a lock is held that the query does not need.
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
session_preload_libraries = 'cuckoo_scan'
cuckoo_scan.enable_join_filter = on
cuckoo_scan.join_filter_min_rows = 0
max_parallel_workers_per_gather = 0
enable_mergejoin = off
enable_nestloop = off
CONF
$node->start;

sub query { return $node->safe_psql('postgres', $_[0]) }

my %setting = ('with filters' => 'on', 'without' => 'off');
sub outcome
{
	my ($session, $filtered, $statement) = @_;

	return answer($session, "SET cuckoo_scan.enable_join_filter = $setting{$filtered};\n$statement;");
}

my $filtered = qr/CuckooFilterScan.*runtime filter 1 .*CuckooRuntimeFilter/s;
query(<<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TABLE keys AS SELECT n AS id FROM generate_series(1, 50) n;
ANALYZE;
SQL

# An older transaction has rows that were deleted, or are others now, when a partition was attached or a constraint was added.
# Each case has a table that has rows with keys up to 5000, the statements of another session, and what is queried.
my $remove = 'DELETE FROM old WHERE k <= 1000';
my $move = 'UPDATE old SET k = k + 5000 WHERE k <= 1000';
my $in_partition = q{satisfies_hash_partition('parent'::regclass, 2, 0, k)};
my $attach = 'ALTER TABLE parent ATTACH PARTITION old FOR VALUES';
my @cases = (
	[ 'a partition, by its name', '', $remove, "$attach FROM (1000) TO (20000)", 'old' ],
	[ 'a partition, by its name, whose rows move', '', $move, "$attach FROM (1000) TO (20000)", 'old' ],
	[ 'a partition of a list, by its name', 'LIST', 'DELETE FROM old WHERE k <= 4995',
		"$attach IN (4996, 4997, 4998, 4999, 5000)", 'old' ],
	[ 'a partition by hash', 'HASH', "DELETE FROM old WHERE NOT $in_partition",
		"$attach WITH (MODULUS 2, REMAINDER 0)", 'parent' ],
	[ 'a partition by hash, by its name', 'HASH', "DELETE FROM old WHERE NOT $in_partition",
		"$attach WITH (MODULUS 2, REMAINDER 0)", 'old' ],
	[ 'a constraint', '', $remove, 'ALTER TABLE old ADD CHECK (k > 1000)', 'old' ],
	[ 'a constraint, whose rows move', '', $move, 'ALTER TABLE old ADD CHECK (k > 1000)', 'old' ],
	[ 'a constraint that was not valid', '', 'ALTER TABLE old ADD CONSTRAINT c CHECK (k > 1000) NOT VALID;' . $remove,
		'ALTER TABLE old VALIDATE CONSTRAINT c', 'old' ],
	[ 'a child with a constraint', '', $remove,
		'ALTER TABLE old ADD CHECK (k > 1000); CREATE TABLE above (k integer, n integer); ALTER TABLE old INHERIT above', 'above' ],
	[ 'a summary of pages', '', 'CREATE INDEX ON old USING brin (k) WITH (pages_per_range = 16)',
		"$move; SELECT brin_desummarize_range('old_k_idx', 0); SELECT brin_summarize_range('old_k_idx', 0)", 'old' ]);
for my $case (@cases)
{
	my ($name, $kind, $before, $change, $table) = @$case;
	my $session = session($node);
	my $keys = $kind eq 'HASH' ? 'keys_of_others' : 'keys';
	my $statement = "SELECT count(*), sum(n) FROM $table JOIN $keys ON k = id";

	$kind ||= 'RANGE';
	query(<<SQL);
DROP TABLE IF EXISTS old, parent, above, keys_of_others CASCADE;
CREATE TABLE parent (k integer, n integer) PARTITION BY $kind (k);
CREATE TABLE old (k integer, n integer) WITH (fillfactor = 50);
INSERT INTO old SELECT n, n FROM generate_series(1, 5000) n;
ANALYZE old;
SQL
	# Those that do not belong into the partition; the old snapshot has rows of them.
	query('CREATE TABLE keys_of_others AS SELECT k AS id FROM old WHERE NOT ' . $in_partition . ' LIMIT 20; ANALYZE keys_of_others')
	  if $kind eq 'HASH';
	answer($session, 'SET constraint_exclusion = on; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM keys;') =~ /50/ or die;
	query("$before; $change");
	like(outcome($session, 'with filters', "EXPLAIN $statement"), $filtered, "$name: filtered");
	is(outcome($session, 'with filters', $statement), outcome($session, 'without', $statement), "$name: the rows");
	leave($session);
}

# Partitions of a table that is queried are left out as PostgreSQL leaves them out: where the plan compares the key with a constant.
{
	my $session = session($node);
	my $join = 'SELECT count(*) FROM parent JOIN keys ON k = id';
	my @expected;

	query(<<'SQL');
DROP TABLE old, parent CASCADE;
CREATE TABLE parent (k integer, n integer) PARTITION BY RANGE (k);
CREATE TABLE old AS SELECT n AS k, n FROM generate_series(1, 5000) n;
ANALYZE old;
SQL
	answer($session, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM keys;');
	query("$remove; $attach FROM (1000) TO (20000)");
	like(outcome($session, 'with filters', "EXPLAIN $join"), $filtered, 'a partition that was attached: filtered');
	@expected = (outcome($session, 'without', $join), outcome($session, 'without', 'SELECT count(*) FROM parent WHERE k BETWEEN 1 AND 50'));
	is_deeply(\@expected, [ "50\n", "0\n" ], 'a partition that was attached: with a constant, PostgreSQL leaves it out');
	like(outcome($session, 'with filters', $join), qr/^(50|0)\n$/, 'a partition that was attached: one or the other');
	leave($session);
}

# Locks that the query does not need.
query(<<'SQL');
CREATE TABLE ranges (k integer, n integer) PARTITION BY RANGE (k);
CREATE TABLE ranges_1 PARTITION OF ranges FOR VALUES FROM (0) TO (10000);
CREATE TABLE lists (k integer, n integer) PARTITION BY LIST (k);
CREATE TABLE lists_1 PARTITION OF lists DEFAULT;
CREATE TABLE lists_2 PARTITION OF lists FOR VALUES IN (1, 2, 3);
CREATE TABLE hashes (k integer, n integer) PARTITION BY HASH (k);
CREATE TABLE hashes_1 PARTITION OF hashes FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE hashes_2 PARTITION OF hashes FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE heirs (k integer, n integer);
CREATE TABLE heirs_1 (CHECK (k > 0)) INHERITS (heirs);
CREATE TABLE indexed (k integer, n integer);
INSERT INTO ranges SELECT n, n FROM generate_series(1, 5000) n;
INSERT INTO lists SELECT n, n FROM generate_series(1, 5000) n;
INSERT INTO hashes SELECT n, n FROM generate_series(1, 5000) n;
INSERT INTO heirs_1 SELECT n, n FROM generate_series(1, 5000) n;
INSERT INTO indexed SELECT n, n FROM generate_series(1, 40000) n;
CREATE INDEX indexed_brin ON indexed USING brin (k) WITH (pages_per_range = 16);
CREATE INDEX indexed_btree ON indexed (k);
ANALYZE ranges, lists, hashes, heirs, indexed;
SQL
for my $case (
	[ 'LOCK TABLE ONLY ranges', 'ranges_1' ],
	[ 'LOCK TABLE ONLY lists', 'lists_1' ],
	[ 'LOCK TABLE ONLY lists', 'lists_2' ],
	[ 'LOCK TABLE ONLY hashes', 'hashes_1' ],
	[ 'LOCK TABLE ONLY heirs', 'heirs_1' ],
	[ 'REINDEX INDEX indexed_brin', 'indexed' ],
	[ 'REINDEX INDEX indexed_btree', 'indexed' ])
{
	my ($lock, $table) = @$case;
	my $statement = "SELECT count(*) FROM $table JOIN keys ON k = id";
	my $holder = session($node);

	for my $kind ('planned', 'cached')
	{
		# The planner looks at all indexes.
		next if $kind eq 'planned' && $lock =~ /REINDEX/;
		for my $setting (sort keys %setting)
		{
			my $session = session($node);
			my $execute = $kind eq 'cached' ? 'EXECUTE cached' : $statement;
			my $expected;

			outcome($session, $setting, 'SET plan_cache_mode = force_generic_plan');
			$expected = $kind eq 'cached' ? answer($session, "PREPARE cached AS $statement; EXECUTE cached;") : query($statement) . "\n";
			answer($holder, "BEGIN; $lock;");
			is(answer($session, "SET lock_timeout = '2s'; $execute;"), $expected, "$lock, $kind, $setting");
			answer($holder, 'ROLLBACK;');
			leave($session);
		}
	}
	leave($holder);
}

# What was compared for the joins of a query: as a notice, and since 18 in EXPLAIN, once for each query level. A lookup is feared.
query(<<'SQL');
CREATE TABLE fact AS SELECT n, n % 20000 AS k, repeat('x', 100) AS text FROM generate_series(1, 100000) n;
CREATE TABLE dimension AS SELECT n AS k, n % 100 AS g FROM generate_series(0, 19999) n;
CREATE INDEX ON fact (k);
VACUUM ANALYZE;
SQL
my $compared = qr/joins of fact, dimension: plain cost \d+( \(feared \d+\))?, with filters \d+: (plan with filters chosen|plain plan kept)/;
for my $few (0, 1)
{
	my $condition = $few ? 'g = 0 AND dimension.k < 2000' : 'g < 20';
	my $settings = 'SET enable_nestloop = on; SET cuckoo_scan.join_filter_min_rows = 50000; SET cuckoo_scan.explain_join_filter = on;';
	my ($out, $notices);

	$node->psql('postgres', "$settings EXPLAIN SELECT * FROM fact JOIN dimension USING (k) WHERE $condition", stdout => \$out, stderr => \$notices);
	like($notices, qr/NOTICE:  $compared/, "what was compared, $condition");
	is($out =~ /CuckooRuntimeFilter/ ? 1 : 0, $notices =~ /filters chosen/ ? 1 : 0, 'the plan is what was chosen');
	is($out =~ /CuckooRuntimeFilter/ ? 1 : 0, 1 - $few, 'a filter for many rows, lookups for few');
	next if $node->pg_version < 18;
	$out = query("$settings EXPLAIN (join_filters) SELECT * FROM fact JOIN dimension USING (k) WHERE $condition");
	like($out, qr/Runtime Filters: $compared/, 'in EXPLAIN');
	$out = query("$settings SET plan_cache_mode = force_generic_plan;
		PREPARE one AS SELECT * FROM fact JOIN dimension USING (k) WHERE $condition; EXECUTE one; EXPLAIN (join_filters) EXECUTE one");
	unlike($out, qr/plain cost/, 'a cached plan does not say what was compared');
}

done_testing();
