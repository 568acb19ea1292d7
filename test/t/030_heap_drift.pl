# What a filter scan knows of the heap access method's private state (src/host) may change in a release of PostgreSQL. Then it
# raises an error, rather than lose rows or return them twice: with a heap access method whose state has drifted.
# Needs: the libraries of scans and joins
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'the portable form reads no private state' if ($ENV{HOST} // '') eq 'portable';

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
shared_buffers = 256MB
autovacuum = off
max_parallel_workers_per_gather = 0
statement_timeout = 60s
CONF
$node->start;

my $library = $node->safe_psql('postgres', "SELECT setting || '/heap_drift.so' FROM pg_config WHERE name = 'PKGLIBDIR'");
plan skip_all => 'needs a library that test/run builds' unless -e $library;
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');
plan skip_all => 'the portable form reads no private state' if $version >= 200000;

$node->safe_psql('postgres', slurp_file('test/lib/heap_drift.sql') . <<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TABLE filters AS SELECT bf_agg(n) AS few FROM generate_series(100, 20000, 100) n;
-- So many pages that a process takes several at once in a parallel scan, but less than a quarter of the buffers.
CREATE TABLE rows WITH (fillfactor = 10) AS SELECT n AS id, repeat('x', 100) AS filler FROM generate_series(1, 40000) n;
VACUUM (FREEZE, ANALYZE) rows;
SQL
# So often that each buffer has been used as often as PostgreSQL counts.
$node->safe_psql('postgres', 'SELECT count(*) FROM rows') for 1 .. 6;

my $expected = $node->safe_psql('postgres',
	'SELECT count(*), sum(id) FROM rows WHERE bf_contains((SELECT few FROM filters), id)');
my $scan = <<'SQL';
SET cpu_operator_cost = 1;
SET plan_cache_mode = force_generic_plan;
PREPARE scan AS SELECT count(*), sum(id) FROM rows WHERE bf_contains((SELECT few FROM filters), id);
EXPLAIN EXECUTE scan;
SQL
# The plan is parallel, but only the session's own process executes it.
my $parallel = <<'SQL';
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SET max_parallel_workers = 0;
SQL
my $backward = <<'SQL';
SET cpu_operator_cost = 1;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT id FROM rows WHERE bf_contains((SELECT few FROM filters), id);
MOVE FORWARD ALL FROM c;
SQL

sub fails
{
	my ($drift, $before, $after, $name) = @_;
	my ($status, $rows, $message) = $node->psql('postgres', "$before SELECT heap_drift('rows', '$drift'); $after", on_error_stop => 1);

	is($status, 3, "$drift, $name: an error") or diag(substr($rows, -200));
	like($message, qr/the state of a scan of table "rows" does not belong to page [0-9]+/, "$drift, $name");
}

for my $settings ('', $parallel)
{
	my $plan = $node->safe_psql('postgres', "$settings $scan EXECUTE scan");
	like($plan, qr/CuckooFilterScan/, 'a filter scan');
	like($plan, $settings ? qr/Gather/ : qr/^(?!.*Gather)/s, 'parallel if it can be');
	like($plan, qr/^\Q$expected\E$/m, 'no error where nothing has drifted');
}
for my $drift ('block of the next page', 'number of rows after the first', 'index of the next row', 'rows counted from zero',
	'row kept elsewhere')
{
	fails($drift, $scan, 'EXECUTE scan', 'alone');
	fails($drift, "$parallel $scan", 'EXECUTE scan', 'parallel');
	fails($drift, $backward, 'FETCH BACKWARD ALL FROM c', 'backward');
}
# Since 17, only the access method reads pages.
if ($version < 170000)
{
	fails('block kept elsewhere', $scan, 'EXECUTE scan', 'alone');
	fails('blocks taken by a worker', "$parallel $scan", 'EXECUTE scan', 'parallel');
}

done_testing();
