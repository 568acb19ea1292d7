# A server process that runs out of memory raises an error and continues: nothing is lost, and the next statement
# works.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'needs to know how much address space a process has' unless -r '/proc/self/status';

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
autovacuum = off
jit = off
max_parallel_workers_per_gather = 0
max_wal_senders = 0
max_wal_size = 10GB
shared_buffers = 16MB
wal_level = minimal
CONF
$node->start;

# 100 MB each; half of the bits of the first are set, which is more than at its capacity: a new value makes it grow.
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE UNLOGGED TABLE filters AS
	SELECT bf_create(82000000) AS b, bf_add(bf_create(90000000), 1) AS other, cf_add(cf_create(82000000), 1) AS c,
		bf_create(82000000) AS emptied;
UPDATE filters SET b = (substring(image FOR 48) || decode(repeat('aa', octet_length(image) - 48), 'hex'))::bloomfilter
	FROM (SELECT bf_add(bf_create(82000000), 1)::bytea AS image) AS i;
SQL
my $images = 'SELECT md5(b::bytea), md5(c::bytea), md5(emptied::bytea) FROM filters';
my $before = $node->safe_psql('postgres', $images);
my $space = $node->safe_psql('postgres',
	q(SELECT substring(pg_read_file('/proc/self/status') FROM 'VmSize:\s*(\d+) kB')));
$node->stop;

# 250 MB more than an idle process has.
my $limit = $space + 250 * 1024;
my @pg_ctl = ('pg_ctl', '-s', '-w', '-D', $node->data_dir, '-l', $node->logfile);
system_or_bail('sh', '-c', "ulimit -v $limit && exec \"\$@\"", 'sh', @pg_ctl, 'start');
END { system(@pg_ctl, '-m', 'immediate', 'stop') if @pg_ctl && -e $node->data_dir . '/postmaster.pid' }

my $many = 'FROM (SELECT generate_series(1::bigint, 40000000) AS i) AS n';
my $fewer = 'FROM (SELECT generate_series(1::bigint, 5000000) AS i) AS n';
my @queries = (
	['creating' => 'SELECT bf_create((SELECT 330000000)) IS NULL'],
	['creating a cuckoo filter' => 'SELECT cf_create((SELECT 330000000)) IS NULL'],
	['growth by one' => 'SELECT bf_add(b, 7) IS NULL FROM filters'],
	['growth by many' => 'SELECT bf_add_all(b, ARRAY[7, 8, 9]) IS NULL FROM filters'],
	['union' => 'SELECT bf_union(b, other) IS NULL FROM filters'],
	['union of cuckoo filters' => 'SELECT cf_union(c, c) IS NULL FROM filters'],
	['text' => 'SELECT _bloomfilter_in(_bloomfilter_out(b)) IS NULL FROM filters'],
	['building' => "SELECT bf_agg(i) IS NULL $many", '1GB'],
	['building a cuckoo filter' => "SELECT cf_agg(i) IS NULL $many", '1GB'],
	['building of a capacity' => "SELECT bf_agg(i, 330000000) IS NULL $many", '1GB'],
	['changing what is stored' => 'UPDATE filters SET b = bf_union(b, other)'],
);

for (@queries)
{
	my ($name, $query, $work_mem) = @$_;
	my $set = defined $work_mem ? "SET work_mem = '$work_mem';" : '';

	# One session: the output after the error is its answer.
	my ($status, $answer, $message) = $node->psql('postgres', <<SQL, on_error_stop => 0);
\\set VERBOSITY verbose
$set
$query;
SELECT bf_contains(bf_agg(i), 7) AND cf_contains(cf_agg(i), 7) FROM generate_series(1, 1000) AS i;
SELECT bf_cardinality(emptied) FROM filters;
SELECT count(*) FROM pg_ls_tmpdir();
SQL
	like($message, qr/^psql:\S+ ERROR:  53200: out of memory/m, "$name: out of memory");
	is($answer, "t\n0\n0", "$name: the session continues");
}

is( $node->safe_psql('postgres', <<SQL), 5000, 'within the limit, filters are built by way of files');
SET work_mem = '4MB';
SELECT count(*) FROM generate_series(1, 5000000, 1000) AS k WHERE bf_contains((SELECT bf_agg(i) $fewer), k);
SQL
system_or_bail(@pg_ctl, 'stop');
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'no server process crashed');

# Without the limit, which all three at once are too large for.
$node->start;
is($node->safe_psql('postgres', $images), $before, 'the stored filters are unchanged');
$node->stop;
done_testing();
