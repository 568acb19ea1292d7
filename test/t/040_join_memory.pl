# The memory of joins with filters: under a limit that the plain query just meets, they return the same rows, without filters; and
# no filter needs more than its documented bound.
# Needs: the libraries of scans and joins
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Session;
use Test::More;

plan skip_all => 'needs to limit the address space of a process'
	if !-r '/proc/self/status' || system('prlimit --pid $$ --as=unlimited >/dev/null 2>&1') != 0;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\njit = off\nmax_parallel_workers_per_gather = 0\n");
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TABLE facts AS SELECT (i * 7919::bigint) % 2000000 AS k, i % 1000 AS a, i % 500 AS b, i % 2000 AS c, i AS v
	FROM generate_series(1, 1000000) AS i;
CREATE TABLE keys AS SELECT i * 2 AS k FROM generate_series(1, 1000000) AS i;
-- Few keys, so that the planner hashes the larger side.
CREATE TABLE wide AS SELECT i % 20 * 2 AS k, repeat(md5(i::text), 20) AS w FROM generate_series(1, 15000) AS i;
CREATE TABLE da AS SELECT i AS a FROM generate_series(1, 1000, 50) AS i;
CREATE TABLE db AS SELECT i AS b FROM generate_series(1, 500, 20) AS i;
CREATE TABLE dc AS SELECT i AS c FROM generate_series(1, 2000, 9) AS i;
CREATE TABLE parts (k text, v int) PARTITION BY RANGE (k);
CREATE FUNCTION part_key(i int) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT repeat('x', 400) || lpad(i::text, 7, '0') $$;
DO $$ BEGIN
	FOR i IN 0 .. 9 LOOP
		EXECUTE format('CREATE TABLE parts_%s PARTITION OF parts FOR VALUES FROM (%L) TO (%L)', i, part_key(i * 20000),
			part_key((i + 1) * 20000));
	END LOOP;
END $$;
INSERT INTO parts SELECT part_key(i), i FROM generate_series(1, 199999) AS i;
CREATE TABLE part_keys AS SELECT part_key(i * 7) AS k FROM generate_series(1, 8000) AS i;
VACUUM ANALYZE;
SQL

my $settings = "LOAD 'cuckoo_scan'; SET cuckoo_scan.join_filter_min_rows = 0; SET cuckoo_scan.join_filter_costs = off;
	SET enable_mergejoin = off; SET enable_nestloop = off;";
my $peak = q(SELECT substring(pg_read_file('/proc/self/status') FROM 'VmPeak:\s+(\d+)'));

# Run a query in a session of its own, in which its address space, or another resource that prlimit knows, is limited to so many
# kB; returns what it prints.
sub run_limited
{
	my ($limit, $statements, $resource) = (@_, 'as');
	my $session = session($node);
	my $pid = answer($session, 'SELECT pg_backend_pid();') + 0;
	my $out;

	system_or_bail('prlimit', '--pid', $pid, "--$resource=" . $limit * 1024 . ':') if $limit > 0;
	$out = answer($session, "$statements;");
	leave($session);
	return $out;
}

# What the plain query may take beyond what it takes here does not depend on filters.
my $slack = 1024;

# Each with the work_mem in kB, the number of filters, and how many of these read ahead.
for (
	[ 'many keys', 65536, 1, 0, 'count(*) FROM facts JOIN keys USING (k)' ],
	[ 'a join that spills', 4096, 1, 0, 'count(*) FROM facts JOIN keys USING (k)' ],
	[ 'little memory', 64, 1, 0, 'count(*) FROM facts JOIN keys USING (k)' ],
	[ 'rows that are read ahead', 65536, 1, 1, 'count(v), sum(length(w)) FROM wide LEFT JOIN facts USING (k)' ],
	[ 'several filters', 4096, 3, 0, 'count(*) FROM facts JOIN da USING (a) JOIN db USING (b) JOIN dc USING (c)' ],
	[ 'long keys of partitions', 4096, 1, 0, 'count(*) FROM parts JOIN part_keys USING (k)' ],
  )
{
	my ($name, $work_mem, $filters, $reads_ahead, $query) = @$_;
	my $prepare = "$settings SET work_mem = $work_mem;";
	my ($result, $plain) = split /\n/, run_limited(0, "$prepare SELECT $query; $peak");
	my $filtered = "$prepare SET cuckoo_scan.enable_join_filter = on;";
	my $explain = "EXPLAIN (ANALYZE, BUFFERS OFF, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT $query";
	my $hash_memory = $node->safe_psql('postgres', "SELECT ($work_mem * current_setting('hash_mem_multiplier')::float8)::int");

	# As docs/joins_internals.md has it, in kB.
	my $bound = $filters * ($hash_memory < 65536 ? $hash_memory : 65536) + $reads_ahead * 2 * $work_mem + 300;

	like(run_limited($plain - 2 * $slack, "$prepare SELECT $query"), qr/out of memory/, "$name: with less memory, the plain query fails");
	is(run_limited($plain + $slack, "$filtered SELECT $query"), "$result\n", "$name: with as much as it needs, filters do no harm");
	is(run_limited($plain + $slack + $bound / 2, "$filtered SELECT $query"), "$result\n", "$name: with half of what filters may take");

	my $plan = run_limited($plain + $slack + $bound + $filters * $hash_memory, "$filtered $explain");
	my @built = $plan =~ /Runtime Filter: \d+ \(.*\) \(keys=[1-9]/g;
	my @ahead = $plan =~ /Left Join.*\n.*\n +-> .*CuckooRuntimeFilter/g;
	is(scalar @built, $filters, "$name: with all of that, each filter is built") or diag($plan);
	is(scalar @ahead, $reads_ahead, "$name: of rows that are read ahead") or diag($plan) if $reads_ahead;

	# More than the machine has.
	$plan = run_limited(0, "$filtered SET work_mem = '1TB'; $explain");
	@built = $plan =~ /Runtime Filter: \d+ \(.*\) \(keys=[1-9]/g;
	is(scalar @built, $filters, "$name: with work_mem of a terabyte, too") or diag($plan);
}

# Where vm.overcommit_memory is 2, the system sets memory aside for what counts as data: mappings that can be written.
my $plan = run_limited(1024 * 1024, "$settings SET cuckoo_scan.enable_join_filter = on; SET work_mem = '1TB';
	EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT count(*) FROM facts JOIN da USING (a)", 'data');
like($plan, qr/Runtime Filter: \d+ \(.*\) \(keys=[1-9]/, 'no memory is set aside for the test of how much there is');

done_testing();
