# The filter scan gets the rows of a page all at once, and on 15 and 16 reads the pages of a cached table by itself where it
# can (src/host/heap_pages.h). Rows, their order, and all that PostgreSQL counts are as in a sequential scan: for tables in
# every state, that change meanwhile, and in parallel.
# Needs: the libraries of scans and joins
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
# No process but the test's reads the table, or changes it.
$node->append_conf('postgresql.conf', <<'CONF');
shared_buffers = 128MB
autovacuum = off
max_prepared_transactions = 1
max_parallel_workers_per_gather = 0
statement_timeout = 60s
CONF
$node->start;

sub query { return $node->safe_psql('postgres', $_[0]) }

my $version = query('SHOW server_version_num');
query(<<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE EXTENSION dblink;
CREATE EXTENSION pg_buffercache;
CREATE EXTENSION pg_prewarm;
CREATE TABLE filters AS SELECT bf_agg(n) FILTER (WHERE n % 3 > 0) AS most, bf_agg(n) FILTER (WHERE n % 100 = 0) AS few,
	bf_agg(n) FILTER (WHERE n % 4 = 0) AS fourth
FROM generate_series(1, 30000) n;
CREATE TABLE rows (id integer, filler text) WITH (fillfactor = 90);
INSERT INTO rows SELECT n, repeat('x', 100) FROM generate_series(1, 20000) n;
VACUUM (FREEZE, ANALYZE) rows;
SQL
my %setting = (
	page => 'SET cuckoo_scan.enable_filter_scan = on; SET cpu_operator_cost = 1; ',
	row => 'SET cuckoo_scan.enable_filter_scan = off; ');
my $few = 'bf_contains((SELECT few FROM filters), id)';
my $most = 'bf_contains((SELECT most FROM filters), id)';
my $some = "bf_contains((SELECT fourth FROM filters), id) AND $most";
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	SET max_parallel_workers_per_gather = 2;';

like(query("$setting{page} EXPLAIN SELECT id FROM rows WHERE $_"), qr/CuckooFilterScan/, 'a filter scan') for $few, $most;

# Where the access method counts each use of a buffer, so does the filter scan: until the count is at its highest.
my %used;
for my $by ('page', 'row')
{
	$node->restart;
	query("SELECT pg_prewarm('rows')");
	for my $scan (1 .. 8)
	{
		query("$setting{$by} SELECT count(*) FROM rows WHERE $few");
		push @{ $used{$by} }, query("SELECT sum(usagecount) FROM pg_buffercache WHERE relfilenode = pg_relation_filenode('rows')
			AND reldatabase = (SELECT oid FROM pg_database WHERE datname = current_database()) AND relforknumber = 0");
	}
}
is("@{$used{page}}", "@{$used{row}}", 'the use of buffers is counted');
is($used{page}[7], 5 * query("SELECT pg_relation_size('rows') / 8192"), 'each buffer has the highest count');

# Rows in their order, and the number of buffers read, are those of a sequential scan.
sub compare
{
	my ($state) = @_;

	# The pages that have changed are no longer at the highest count.
	query("SELECT count(*) FROM rows; SELECT count(*) FROM rows; SELECT count(*) FROM rows; SELECT count(*) FROM rows;
		SELECT count(*) FROM rows") for 1, 2;
	for my $condition ($few, $most, "$most AND id % 2 = 0", "$few AND $most", $some)
	{
		my $ids = "SELECT count(*), md5(string_agg(id::text, ' ')) FROM rows WHERE $condition";
		my %seen = map { $_ => query("$setting{$_} $ids") } keys %setting;
		is($seen{page}, $seen{row}, "$state: $condition");
		# More than once in a session, from a cursor, and with a limit.
		my $cursor = "BEGIN; DECLARE c SCROLL CURSOR FOR SELECT id FROM rows WHERE $condition; FETCH 70 FROM c; FETCH BACKWARD 50 FROM c;
			FETCH 3000 FROM c; FETCH BACKWARD 2500 FROM c; FETCH ALL FROM c; FETCH BACKWARD ALL FROM c; FETCH ALL FROM c";
		%seen = map { $_ => query("$setting{$_} $cursor") } keys %setting;
		ok($seen{page} eq $seen{row}, "$state, a cursor: $condition");
		%seen = map { $_ => query("$setting{$_} SELECT id FROM rows WHERE $condition LIMIT 1234; $ids") } keys %setting;
		ok($seen{page} eq $seen{row}, "$state, a limit: $condition");
		%seen = map { $_ => query("$setting{$_} $parallel SELECT count(*), sum(id::bigint * id) FROM rows WHERE $condition") } keys %setting;
		is($seen{page}, $seen{row}, "$state, parallel: $condition");
		my $loop = "SELECT count(*), sum(r.id * v) FROM (VALUES (1), (2), (7)) v(v),
			LATERAL (SELECT id FROM rows WHERE $condition AND id > v * 1000 OFFSET 0) r";
		%seen = map { $_ => query("$setting{$_} $loop") } keys %setting;
		is($seen{page}, $seen{row}, "$state, repeated: $condition");
		%seen = map {
			join ' ', query("$setting{$_} $ids; EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) $ids") =~ /Buffers: (.*)/;
		} keys %setting;
		is(scalar(keys %seen), 1, "$state, buffers: $condition");
		next if $condition =~ /AND bf/;
		my ($probed) = query("$setting{page} EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $ids") =~ /rows probed=([0-9]+)/;
		is($probed, query('SELECT count(*) FROM rows'), "$state, rows probed: $condition");
	}
}
compare('all rows are visible');
query('DELETE FROM rows WHERE id BETWEEN 5000 AND 5010 OR id % 1000 = 0');
compare('some rows are dead');
query("UPDATE rows SET filler = 'y' WHERE id % 500 = 1");
compare('some rows have moved within their page');
query('DELETE FROM rows WHERE id BETWEEN 7000 AND 9000; VACUUM rows');
compare('some pages are empty');
query('DELETE FROM rows WHERE id > 15000');
compare('the last pages have only dead rows');
query('INSERT INTO rows SELECT n, $$z$$ FROM generate_series(15001, 18000) n; VACUUM ANALYZE rows');
compare('pages were filled again');
query("BEGIN; UPDATE rows SET filler = 'prepared' WHERE id % 900 = 2; PREPARE TRANSACTION 'p'");
compare('a transaction has not ended');
query("ROLLBACK PREPARED 'p'; VACUUM (FREEZE) rows");
# Half of the pages are read into other buffers, so guesses are right and wrong.
$node->restart;
query("SELECT pg_prewarm('rows', 'buffer', 'main', b * 20, b * 20 + 9)
	FROM generate_series(0, pg_relation_size('rows') / 8192 / 20 - 1) b");
compare('pages are in another order');
for my $order ('b DESC', 'hashint8(b)')
{
	$node->restart;
	query("SELECT count(pg_prewarm('rows', 'buffer', 'main', b, b)) FROM (SELECT b FROM generate_series(0,
		pg_relation_size('rows') / 8192 - 1) b ORDER BY $order OFFSET 0) o");
	compare("pages in the order of $order");
}
query('VACUUM FULL rows; VACUUM FREEZE rows');
compare('the table was written anew');

# A table of more than a quarter of the buffers is read with few of them, from where another scan of it has arrived; and by
# several blocks at a time in parallel scans.
query('CREATE TABLE large AS SELECT n AS id, repeat($$x$$, 100) AS filler FROM generate_series(1, 300000) n;
	VACUUM (FREEZE, ANALYZE) large');
$node->restart;
query("SELECT pg_prewarm('large')");
for my $condition ($few, $most, $some)
{
	my $rows = "SELECT count(*), sum(id::bigint * id) FROM large WHERE $condition";
	my $expected = query("$setting{row} $rows");
	for my $limit (77, 11111, 200000)
	{
		for my $by ('page', 'row')
		{
			query("$setting{$by} SELECT id FROM large WHERE $condition OR id > 30000 LIMIT $limit");
			is(query("$setting{page} $rows"), $expected, "a large table, after $limit rows by $by");
			is(query("$setting{page} $parallel $rows"), $expected, "a large table, parallel, after $limit rows by $by");
		}
	}
}
is(query("SELECT max(usagecount) FROM pg_buffercache WHERE relfilenode = pg_relation_filenode('large') AND relforknumber = 0"), 1,
	'the use of buffers for a large table is not counted');

# Changes while a cursor is open: its rows are those of its snapshot, however pages change before it reaches them.
for my $case (map { my $condition = $_; map { [$_, $condition] } 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE' } $most, $some)
{
	my ($isolation, $condition) = @$case;
	my $all = query("$setting{row} SELECT count(*), md5(string_agg(id::text, ' ')) FROM rows WHERE $condition");
	my $output = query(<<SQL);
$setting{page}
CREATE TEMP TABLE seen (at serial, id integer);
SELECT count(*) FROM rows WHERE $condition;
BEGIN ISOLATION LEVEL $isolation;
DO \$\$
DECLARE
	c CURSOR FOR SELECT id FROM rows WHERE $condition;
	found_id integer;
	change text;
BEGIN
	OPEN c;
	FOR i IN 1..100000 LOOP
		FETCH c INTO found_id;
		EXIT WHEN NOT FOUND;
		INSERT INTO seen (id) VALUES (found_id);
		change := CASE i
			WHEN 100 THEN 'DELETE FROM rows WHERE id % 50 = 1'
			WHEN 300 THEN 'UPDATE rows SET id = id + 1 WHERE id % 70 = 4'
			WHEN 800 THEN 'INSERT INTO rows SELECT n, repeat(''w'', 100) FROM generate_series(1, 3000) n'
			WHEN 2000 THEN 'DELETE FROM rows WHERE id BETWEEN 9500 AND 11000'
			WHEN 2500 THEN 'VACUUM rows'
		END;
		IF change IS NOT NULL THEN
			PERFORM dblink_exec('dbname=postgres host=@{[$node->host]} port=@{[$node->port]}', change);
		END IF;
	END LOOP;
END\$\$;
COMMIT;
SELECT count(*), md5(string_agg(id::text, ' ' ORDER BY at)) FROM seen;
SQL
	is((split /\n/, $output)[-1], $all, "rows that change during a scan, $isolation: $condition");
	query('TRUNCATE rows; INSERT INTO rows SELECT n, repeat($$x$$, 100) FROM generate_series(1, 18000) n WHERE n NOT BETWEEN 7000 AND 9000');
	query('VACUUM (FREEZE) rows');
	query('SELECT count(*) FROM rows') for 1 .. 6;
}

# The statistics of the table.
my %counts;
my $scans = 20;
$node->restart;
query("SELECT pg_prewarm('rows')");
for my $by ('page', 'row')
{
	query('SELECT count(*) FROM rows') for 1 .. 5;
	query('SELECT pg_stat_reset()' . ($version >= 160000 ? ", pg_stat_reset_shared('io')" : ''));
	query("$setting{$by} SELECT count(*) FROM rows WHERE $few") for 1 .. $scans;
	# Before 15, a query waits for ten seconds for a collector that does not answer. So this limit is of time, not of attempts.
	my $limit = time + 60;
	until (query("SELECT seq_scan = $scans FROM pg_stat_user_tables WHERE relname = 'rows'") eq 't')
	{
		die 'PostgreSQL has not counted the scans' if time > $limit;
		usleep(100_000);
	}
	my $pages = query("SELECT pg_relation_size('rows') / 8192");
	$counts{$by} = query("SELECT seq_tup_read, heap_blks_read,
		heap_blks_hit = $scans * $pages FROM pg_stat_user_tables JOIN pg_statio_user_tables USING (relname)
		WHERE relname = 'rows'");
	# Some more are those of the catalogs.
	$counts{$by} .= query("SELECT '|' || (sum(hits) BETWEEN $scans * $pages AND 2 * $scans * $pages)
		FROM pg_stat_io WHERE object = 'relation' AND backend_type = 'client backend'") if $version >= 160000;
}
is($counts{page}, $counts{row}, 'statistics');
like($counts{row}, qr/^[0-9]+\|0\|t(\|true)?$/, 'all pages were in buffers');

# PostgreSQL warns of a buffer that is still pinned when a transaction ends.
unlike(slurp_file($node->logfile), $version >= 170000 ? qr/resource was not closed/ : qr/refcount leak/, 'no buffer remains pinned');

done_testing();
