# An aggregate that spills leaves no temporary file behind, however it ends. It has one file for all groups at a time,
# which together take hardly more memory than one.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
work_mem = 64kB
hash_mem_multiplier = 1
max_parallel_workers_per_gather = 0
CONF
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TABLE numbers AS SELECT i, i % 3 AS g FROM generate_series(1, 100000) i;
ANALYZE numbers;
CREATE TABLE ordered AS SELECT i, i / 10000 AS g FROM generate_series(1, 300000) i;
CREATE INDEX ON ordered (g, i);
VACUUM ANALYZE ordered;
SQL

sub files { return $node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()') }

# How many there are when the last row has come: a subquery without arguments runs when it is first needed.
my $at_the_end = 'max(CASE WHEN i = 100000 THEN (SELECT count(*) FROM pg_ls_tmpdir()) END)';

for my $aggregate (qw(bf_agg cf_agg))
{
	is($node->safe_psql('postgres', "SELECT $at_the_end FROM numbers"), 0, "$aggregate: no file in a query without it");
	like($node->safe_psql('postgres', "SELECT $aggregate(i) IS NOT NULL, $at_the_end FROM numbers"), qr/^t\|[1-9]/,
		"$aggregate: it spills");
	is(files(), 0, "$aggregate: no file is left after success");

	# An error at the last row, after the files were written.
	my ($status) = $node->psql('postgres', "SELECT $aggregate(i / (i - 100000)) FROM numbers");
	isnt($status, 0, "$aggregate: an error");
	is(files(), 0, "$aggregate: no file is left after an error");

	# Cancelled while it waits at the last row.
	my ($cancelled, undef, $message) = $node->psql('postgres', <<SQL);
\\set VERBOSITY sqlstate
SET statement_timeout = '1s';
SELECT $aggregate(i + CASE WHEN i = 100000 THEN (SELECT 1 FROM pg_sleep(100)) ELSE 0 END) FROM numbers;
SQL
	like($message, qr/57014/, "$aggregate: cancelled");
	is(files(), 0, "$aggregate: no file is left after a cancel");

	# All in one transaction, which continues: errors in subtransactions, cursors closed early, many runs.
	is( $node->safe_psql('postgres', <<SQL), 0, "$aggregate: no file is left after errors in subtransactions");
DO \$\$
BEGIN
	FOR n IN 1..5 LOOP
		BEGIN
			PERFORM $aggregate(i / (i - 100000)) FROM numbers;
		EXCEPTION WHEN division_by_zero THEN
			NULL;
		END;
	END LOOP;
	CREATE TABLE count_$aggregate AS SELECT count(*) FROM pg_ls_tmpdir();
END\$\$;
SELECT * FROM count_$aggregate;
SQL
	is( $node->safe_psql('postgres', <<SQL), "t\n0", "$aggregate: no file is left after a cursor is closed early");
BEGIN;
SET LOCAL enable_hashagg = off;
DECLARE groups CURSOR FOR SELECT $aggregate(i) IS NOT NULL FROM numbers GROUP BY g;
FETCH groups;
CLOSE groups;
SELECT count(*) FROM pg_ls_tmpdir();
SQL
	is( $node->safe_psql('postgres', <<SQL), "10\n0", "$aggregate: no file is left from the earlier runs of a subquery");
BEGIN;
SELECT count(*) FROM generate_series(1, 10) n WHERE (SELECT $aggregate(i + n) FROM numbers WHERE i > n) IS NOT NULL;
SELECT count(*) FROM pg_ls_tmpdir();
SQL

	# Group after group, in the order of an index: each gives its file back, so there is never more than that of one.
	my (undef, $files, $bytes) = split /\|/, $node->safe_psql('postgres', <<SQL);
SET enable_hashagg = off;
SET enable_sort = off;
SELECT count(filter), max(files), max(bytes) FROM (
	SELECT $aggregate(i) AS filter,
		max(CASE WHEN i = 299999 THEN (SELECT count(*) FROM pg_ls_tmpdir()) END) AS files,
		max(CASE WHEN i = 299999 THEN (SELECT sum(size) FROM pg_ls_tmpdir()) END) AS bytes
	FROM ordered GROUP BY g
) AS groups
SQL
	is($files, 1, "$aggregate: groups in order have one file at a time");
	cmp_ok($bytes, '<', 200_000, "$aggregate: that file does not grow from group to group");

	# All groups at a time.
	my $all_groups = <<SQL;
SET enable_sort = off;
SET hash_mem_multiplier = 2;
SET jit = off;
SELECT count(*), min(bytes) > 20000, min(length(filter)) > 20000, max(files) FROM (
	SELECT length($aggregate(i)::bytea) AS bytes, $aggregate(i + 1)::text AS filter,
		max(CASE WHEN i = 2000000 THEN (SELECT count(*) FROM pg_ls_tmpdir()) END) AS files
	FROM generate_series(1, 2000000) i GROUP BY i % 100
) AS groups;
SQL
	# And one for the rows, and one for the groups that HashAggregate deferred.
	like($node->safe_psql('postgres', $all_groups), qr/^100\|t\|t\|[1-4]$/, "$aggregate: one file for each call");
	SKIP:
	{
		skip 'no /proc to read the memory of a process from', 1 unless -r '/proc/self/status';
		my $most_memory = <<'SQL';
SELECT substring(pg_read_file('/proc/self/status', 0, 4000) FROM 'VmHWM:\s+(\d+) kB');
SQL
		my ($without, undef, $with) = split /\n/, $node->safe_psql('postgres', $most_memory . $all_groups . $most_memory);
		cmp_ok($with - $without, '<', 20_000, "$aggregate: kilobytes for all groups");
	}
}

# In parallel workers.
is( $node->safe_psql('postgres', <<'SQL'), "t\n0", 'parallel: no file is left');
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT bf_contains(bf_agg(i), 100000) AND cf_contains(cf_agg(i), 1) FROM numbers;
SELECT count(*) FROM pg_ls_tmpdir();
SQL

# A process hands its values over in as much memory as the distinct ones need. Without workers, that process is the leader.
SKIP:
{
	skip 'no /proc to read the memory of a process from', 2 unless -r '/proc/self/status';
	my $peak = q(SELECT substring(pg_read_file('/proc/self/status', 0, 4000) FROM 'VmPeak:\s+(\d+) kB'));
	my ($serial, $serial_peak, $partial, $partial_peak) = split /\n/, $node->safe_psql('postgres', <<"SQL");
CREATE TABLE often AS SELECT i * 7919 % 20000 AS i FROM generate_series(1, 2000000::bigint) i;
SELECT bf_cardinality(bf_agg(i)) FROM often;
$peak;
SET max_parallel_workers = 0;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT bf_cardinality(bf_agg(i)) FROM often;
$peak;
SQL
	is($partial, $serial, 'handed over: the same filter');
	cmp_ok($partial_peak - $serial_peak, '<', 8_000, 'handed over: no memory for duplicates');
}

$node->stop;
done_testing();
