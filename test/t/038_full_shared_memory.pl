# A small /dev/shm, as containers have, at every level of fullness: what a Parallel Hash needs besides its hash table is no more
# than the size of its filter.
# Needs: the libraries of scans and joins
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The server has a file system of its own there, in a namespace where an ordinary user may mount it.
my @namespace = ('unshare', '--user', '--map-root-user', '--mount', 'sh', '-c',
	'mount -t tmpfs -o size=48m tmpfs /dev/shm && exec unshare --user --map-user=' . int($>) . ' --map-group=' . int($)) . ' "$@"', 'sh');
plan skip_all => 'needs user namespaces' if system("@{[ map { quotemeta } @namespace ]} true >/dev/null 2>&1") != 0;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "dynamic_shared_memory_type = posix\nautovacuum = off\njit = off\n");
my @pg_ctl = ('pg_ctl', '--wait', '--pgdata', $node->data_dir, '--log', $node->logfile);
system_or_bail(@namespace, @pg_ctl, 'start');

my $keys = 100000;
my $settings = "LOAD 'cuckoo_scan'; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	SET max_parallel_workers_per_gather = 2; SET enable_mergejoin = off; SET enable_nestloop = off; SET work_mem = '64MB';
	SET cuckoo_scan.join_filter_min_rows = 0; SET cuckoo_scan.join_filter_costs = off;";
my $query = 'SELECT count(*), sum(f.n) FROM facts f JOIN keys k ON f.n = k.id';
$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION cuckoo_filter;
CREATE TABLE facts AS SELECT n FROM generate_series(1, 400000) n;
-- The planner expects more rows, and ten times as many keys, so that the filter is large.
CREATE TABLE keys AS SELECT n * 3 AS id FROM generate_series(1, $keys) n;
ANALYZE;
UPDATE pg_class SET reltuples = 1e6 WHERE relname = 'keys';
UPDATE pg_class SET reltuples = 1e7 WHERE relname = 'facts';
SQL

# What the query returns, or its error, if so many kB are free.
sub answer
{
	my ($free, $filters) = @_;
	my ($status, $rows, $message) = $node->psql('postgres', "$settings SET cuckoo_scan.enable_join_filter = $filters;
		COPY (SELECT repeat('x', 1023) FROM generate_series(1, 49152 - 256 - $free)) TO '/dev/shm/fill'; $query", on_error_stop => 1);

	return $status == 0 ? $rows =~ s/^COPY.*\n//r : $message =~ /(No space left on device|not enough shared memory)/ ? $1 : "failed: $message";
}

my $plan = $node->safe_psql('postgres', "$settings SET cuckoo_scan.enable_join_filter = on; EXPLAIN (ANALYZE, TIMING OFF) $query");
like($plan, qr/Parallel Hash Join.*Runtime Filter: 1 \(id\) \(keys=$keys size=(\d+)kB\)/s, 'the processes make a filter together');
my ($filter_size) = $plan =~ /size=(\d+)kB/;
my $expected = answer(45000, 'off');
my $step = 512;
my (%fails_up_to, @other);
for (my $free = 8 * 1024; $free <= 40 * 1024; $free += $step)
{
	for my $filters ('off', 'on')
	{
		my $answer = answer($free, $filters);

		$fails_up_to{$filters} = $free if $answer =~ /^(No space|not enough)/;
		push @other, "$free: $answer" if $answer ne $expected && $answer !~ /^(No space|not enough)/;
	}
}
note "without filters, it fails up to $fails_up_to{off} kB; with them, up to $fails_up_to{on}";
is("@other", '', 'no other error, and no other result');
# Where memory is short, chance decides in which order processes ask for it.
cmp_ok($fails_up_to{on}, '<=', $fails_up_to{off} + $filter_size + 2 * $step, "with filters, it needs no more than the filter's $filter_size kB besides");

system_or_bail(@pg_ctl, '--mode=fast', 'stop');
done_testing();
