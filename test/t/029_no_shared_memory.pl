# When all slots of dynamic shared memory are taken, PostgreSQL executes parallel plans in the leader alone, with private memory
# in place of what processes share. Filters then must do without it, too: each shape of a parallel plan returns what it
# returns without filters, and the server goes on.
# Needs: the libraries of scans and joins
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
# Few processes, so that there are few slots: 64, and 5 for each process.
$node->append_conf('postgresql.conf', <<'CONF');
max_connections = 6
max_wal_senders = 0
max_worker_processes = 4
autovacuum = off
autovacuum_max_workers = 1
jit = off
CONF
$node->start;

my $library = $node->safe_psql('postgres', "SELECT setting || '/shared_memory.so' FROM pg_config WHERE name = 'PKGLIBDIR'");
plan skip_all => 'needs a library that test/run builds' unless -e $library;

# The rows, or the error; a server that has crashed gives no answer.
sub answer
{
	my ($sql) = @_;
	my ($status, $rows, $message) = $node->psql('postgres', $sql, on_error_stop => 1);

	return $status == 0 ? $rows : "failed ($status): $message";
}

$node->safe_psql('postgres', 'CREATE EXTENSION cuckoo_filter; ' . slurp_file('test/lib/shared_memory.sql'));
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE facts AS SELECT n, n % 1000 AS k, n % 10 AS g FROM generate_series(1, 100000) n;
CREATE TABLE keys AS SELECT n * 10 AS id, n % 10 AS g FROM generate_series(1, 5000) n;
CREATE TABLE parts (n integer, g integer) PARTITION BY RANGE (n);
CREATE TABLE part_1 PARTITION OF parts FOR VALUES FROM (0) TO (40000);
CREATE TABLE part_2 PARTITION OF parts FOR VALUES FROM (40000) TO (80000);
CREATE TABLE part_3 PARTITION OF parts FOR VALUES FROM (80000) TO (200000);
INSERT INTO parts SELECT n, n % 10 FROM generate_series(1, 100000) n;
CREATE TABLE filters AS SELECT bf_agg(id) AS few FROM keys WHERE id < 1000;
CREATE TABLE more_facts AS SELECT * FROM facts;
CREATE TABLE more_keys AS SELECT * FROM keys;
ANALYZE;
UPDATE pg_class SET reltuples = 3e7 WHERE relname = 'more_facts';
UPDATE pg_class SET reltuples = 2e6 WHERE relname = 'more_keys';
SQL

my $parallel = "LOAD 'cuckoo_scan'; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	SET max_parallel_workers_per_gather = 2; SET enable_mergejoin = off; SET enable_nestloop = off;
	SET cuckoo_scan.join_filter_min_rows = 0; SET cuckoo_scan.enable_join_filter = on;";
my $without = "LOAD 'cuckoo_scan'; SET cuckoo_scan.enable_filter_scan = off; SET max_parallel_workers_per_gather = 0;";
my $take = "DO 'BEGIN PERFORM take_shared_memory(); END';";
my $release = "DO 'BEGIN PERFORM release_shared_memory(); END';";
my $join = 'facts JOIN keys ON facts.n = keys.id';
my $shared_hash = qr/Parallel Hash Join.*Parallel Custom Scan \(CuckooFilterScan\).*Parallel Custom Scan \(CuckooRuntimeFilter\)/s;
my $private_hash = qr/Gather.* Hash Join.*Parallel Custom Scan \(CuckooFilterScan\).*-> +Custom Scan \(CuckooRuntimeFilter\)/s;
my $condition = 'bf_contains((SELECT few FROM filters), facts.n)';
my $repeated = 'SELECT count(*), min(c), sum(c) FROM (VALUES (1), (2), (3)) v(x), LATERAL';

# Name, the plan that it is to have, settings, query.
my @shapes = (
	['Parallel Hash', $shared_hash, '', "SELECT count(*), sum(facts.n) FROM $join"],
	['Parallel Hash in batches', $shared_hash, "SET work_mem = '64kB';", "SELECT count(*), sum(facts.n) FROM $join"],
	['Parallel Hash, a filter of little memory', $shared_hash, "SET cuckoo_scan.join_filter_max_memory = '64kB';",
		"SELECT count(*), sum(facts.n) FROM $join"],
	['a hash table of each process', $private_hash, 'SET enable_parallel_hash = off; SET parallel_tuple_cost = 0.1;', "SELECT count(*), sum(facts.n) FROM $join"],
	['two joins', qr/CuckooFilterScan.*(CuckooRuntimeFilter.*){2}/s, '',
		"SELECT count(*), sum(facts.n) FROM $join JOIN keys others ON facts.k = others.id"],
	['a condition', qr/Parallel Custom Scan \(CuckooFilterScan\)/, '', "SELECT count(*), sum(n) FROM facts WHERE $condition"],
	['a condition and a join', qr/Parallel Custom Scan \(CuckooFilterScan\).*CuckooRuntimeFilter/s, '',
		"SELECT count(*), sum(facts.n) FROM $join WHERE $condition"],
	['Parallel Append', qr/Parallel Append.*Custom Scan \(CuckooFilterScan\).*CuckooRuntimeFilter/s, '',
		'SELECT count(*), sum(parts.n) FROM parts JOIN keys ON parts.n = keys.id'],
	['Gather Merge', qr/Gather Merge.*CuckooFilterScan.*CuckooRuntimeFilter/s, 'SET enable_hashagg = off;',
		"SELECT facts.n FROM $join ORDER BY facts.n"],
	['partial groups', qr/Partial \S*Aggregate.*CuckooFilterScan.*CuckooRuntimeFilter/s, '',
		"SELECT keys.g, count(*), sum(facts.n) FROM $join GROUP BY keys.g ORDER BY keys.g"],
	['bf_agg', qr/Aggregate.*Gather.*Parallel Seq Scan/s, '', 'SELECT md5(bf_agg(n)::bytea) FROM facts'],
	['cf_agg', qr/Aggregate.*Gather.*Parallel Seq Scan/s, '', 'SELECT md5(cf_agg(n)::bytea) FROM facts'],
	['bf_agg of a join', qr/Aggregate.*Gather.*CuckooFilterScan.*CuckooRuntimeFilter/s, '', "SELECT md5(bf_agg(facts.n)::bytea) FROM $join"],
	['an outer join', qr/Hash (Right|Left) Join/s, '',
		'SELECT count(*), sum(facts.n) FROM facts RIGHT JOIN (SELECT * FROM keys WHERE g < 5) k ON facts.n = k.id'],
	['a semi-join', qr/CuckooFilterScan.*CuckooRuntimeFilter/s, '',
		'SELECT count(*), sum(n) FROM facts WHERE n IN (SELECT id FROM keys)'],
	['a Gather that is executed again', qr/Nested Loop.*Gather/s, 'SET enable_material = off;',
		"$repeated (SELECT count(*) AS c FROM $join WHERE facts.g >= 0 AND x > 0 OFFSET 0) q"],
	['a Gather with a parameter', qr/Nested Loop.*Gather/s, 'SET enable_material = off; SET enable_nestloop = on;',
		"$repeated (SELECT count(*) AS c FROM $join WHERE facts.k >= x * 100 OFFSET 0) q"],
	['a Gather below a Limit, executed again', $shared_hash, 'SET enable_material = off; SET enable_nestloop = on;',
		"$repeated (SELECT facts.n - facts.n + x AS c FROM $join WHERE facts.g >= 0 LIMIT 100) q"],
	['a Gather in a subquery', qr/(SubPlan|InitPlan).*CuckooRuntimeFilter/s, '',
		"SELECT x, (SELECT count(*) FROM $join) FROM (VALUES (1), (2)) v(x)"],
);

for my $shape (@shapes)
{
	my ($name, $plan, $settings, $query) = @$shape;
	my $expected = $node->safe_psql("postgres", "$without $query");

	for my $leader ('on', 'off')
	{
		my $set = "$parallel $settings SET parallel_leader_participation = $leader;";
		my $explain = "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $query";

		my $answers = answer("$set $query; $take $query; $query; $release $query");

		# Some minor releases, such as 16.2, look for what they did not put there if a Gather is executed again.
		if ($answers =~ /shm TOC/ && answer("$set SET cuckoo_scan.enable_filter_scan = off; $take $query") =~ /shm TOC/)
		{
			note "$name: PostgreSQL itself fails";
			next;
		}
		is($answers, join("\n", ($expected) x 4), "$name: with shared memory, twice without, and with it; leader $leader");
		my $planned = answer("$set EXPLAIN (COSTS OFF) $query");
		like($planned, $plan, "$name: the plan, leader $leader");
		my $analyzed = answer("$set $take $explain");
		my @planned = $planned =~ /Workers Planned/g;
		my @none = $analyzed =~ /Workers Launched: 0/g;
		is(@none, @planned, "$name: no workers, leader $leader");
	}
}

# Some slots are left. A Parallel Hash fails where it finds none for more memory; its filter needs none.
my $one_batch = "$parallel SET work_mem = '64MB';";
my $succeeded = 0;
for my $free (1 .. 8)
{
	my $taken = "$take DO 'BEGIN PERFORM release_shared_memory(); PERFORM take_shared_memory($free); END';";
	my $query = 'SELECT count(*), sum(f.n) FROM more_facts f JOIN more_keys k ON f.n = k.id';
	my $without_filter = answer("$one_batch SET cuckoo_scan.enable_join_filter = off; $taken $query");
	my $with_filter = answer("$one_batch $taken $query");

	if ($without_filter =~ /^failed/)
	{
		like($with_filter, qr/^failed \(3\).*too many dynamic shared memory segments|^5000\|/, "$free slots: PostgreSQL fails");
		next;
	}
	is($with_filter, $without_filter, "$free slots");
	$succeeded++;
}
ok($succeeded >= 4, 'PostgreSQL seldom fails');

# Any role can take the slots: a query keeps those of each Gather until it ends.
my $sum = join ' + ', map { "(SELECT count(*) FROM $join WHERE facts.k <> $_)" } 1 .. 150;
my $all_slots = "$parallel SET max_parallel_workers = 0; SET enable_hashagg = off; SELECT $sum";
like(answer("$parallel EXPLAIN SELECT $sum"), qr/(Gather.*Parallel Hash Join.*CuckooRuntimeFilter.*){2}/s, 'many Gathers');
# From 17 on, the hash table of the last ones needs a segment that is not left, with filters or without.
my $expected = answer("$parallel SET max_parallel_workers = 0; SET enable_hashagg = off; SET cuckoo_scan.enable_join_filter = off; SELECT $sum");
like($expected, qr/^failed \(3\).*too many dynamic shared memory segments|^\d+$/, 'a query that takes all slots, without filters');
is(answer($all_slots) =~ s/psql:<stdin>:\d+: //r, $expected =~ s/psql:<stdin>:\d+: //r, 'a query that takes all slots');

unlike(slurp_file($node->logfile), qr/terminated by signal|resource was not closed|leak/, 'no crash, and no leak');
$node->stop;
done_testing();
