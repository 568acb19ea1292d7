# An aggregate that spills leaves no temporary file behind, however it ends.
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
SQL

sub files { return $node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()') }

# How many there are when the last row has come: a subquery without arguments runs when it is first needed.
my $at_the_end = 'max(CASE WHEN i = 100000 THEN (SELECT count(*) FROM pg_ls_tmpdir()) END)';

for my $aggregate (qw(bf_agg cf_agg))
{
	is($node->safe_psql('postgres', "SELECT $at_the_end FROM numbers"), 0, "$aggregate: without it there are no files");
	like($node->safe_psql('postgres', "SELECT $aggregate(i) IS NOT NULL, $at_the_end FROM numbers"), qr/^t\|[1-9]/,
		"$aggregate: it spills");
	is(files(), 0, "$aggregate: no file is left after it ended well");

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

	# All in one transaction, which goes on: errors in subtransactions, cursors closed early, many runs.
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
	is( $node->safe_psql('postgres', <<SQL), "10\n0", "$aggregate: no file is left of the earlier runs of a subquery");
BEGIN;
SELECT count(*) FROM generate_series(1, 10) n WHERE (SELECT $aggregate(i + n) FROM numbers WHERE i > n) IS NOT NULL;
SELECT count(*) FROM pg_ls_tmpdir();
SQL

	# Group after group: each gives its files back, so there are never more than those of one, and of the sort.
	cmp_ok(
		$node->safe_psql('postgres', <<SQL), '<', 100, "$aggregate: files of one group at a time");
SET enable_hashagg = off;
SELECT max(files) FROM (
	SELECT $aggregate(i), max(CASE WHEN i = 99998 THEN (SELECT count(*) FROM pg_ls_tmpdir()) END) AS files
	FROM numbers GROUP BY g
) AS groups
SQL
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

$node->stop;
done_testing();
