# A setting that changes between Bind, when the leader of a parallel query starts its nodes, and Execute, when it sends
# its settings to the workers. Every process must act on one decision, or a filter lacks the keys of some of them.
# Needs: the libraries of scans and joins
use strict;
use warnings;

use IO::Socket::UNIX;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
session_preload_libraries = 'cuckoo_scan'
max_worker_processes = 16
max_parallel_workers = 16
CONF
$node->start;

sub query { return $node->safe_psql('postgres', $_[0]) }

# A client of the protocol, since no driver in Perl binds and executes apart.
my $client = IO::Socket::UNIX->new($node->host . '/.s.PGSQL.' . $node->port) or die "cannot connect: $!";

sub send_message
{
	my ($type, $body) = @_;

	print $client $type . pack('N', 4 + length $body) . $body;
	$client->flush;
	return;
}

# The values of all rows up to ReadyForQuery, or the message of an error.
sub answer
{
	my (@values, $error);

	for (;;)
	{
		my ($header, $body) = ('', '');

		read($client, $header, 5) == 5 or die 'the server closed the connection';
		my ($type, $length) = unpack('a N', $header);
		read($client, $body, $length - 4) if $length > 4;
		push @values, unpack('n/(N/a)', $body) if $type eq 'D';
		($error) = $body =~ /\0M([^\0]*)/ if $type eq 'E';
		last if $type eq 'Z';
	}
	return defined $error ? "ERROR: $error" : join('|', @values);
}

sub simple
{
	send_message('Q', "$_[0]\0");
	return answer();
}

my $user = query('SELECT current_user');
send_message('', pack('N', 196608) . "user\0$user\0database\0postgres\0\0");
answer();

# Prepare a statement, bind it, change what is given, and execute it.
sub outcome
{
	my ($prepared, $before, $between) = @_;
	my $result;

	simple("BEGIN; $before");
	send_message('B', "portal\0$prepared\0" . pack('n n n', 0, 0, 0));
	send_message('S', '');
	$result = answer();
	return $result if $result ne '';
	simple($between);
	send_message('E', "portal\0" . pack('N', 0));
	send_message('S', '');
	$result = answer();
	simple('COMMIT');
	return $result;
}

query(<<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TABLE facts AS SELECT n, n % 1000 AS k FROM generate_series(1, 300000) n;
CREATE TABLE many AS SELECT n * 3 AS id, n % 10 AS g FROM generate_series(1, 90000) n;
CREATE TABLE few AS SELECT n % 40 AS id FROM generate_series(1, 4000) n;
CREATE TABLE stored AS SELECT bf_agg(id) AS filter FROM many;
ANALYZE;
SQL

my %plans = (
	'Parallel Hash' => [ 'SELECT count(*), sum(n) FROM facts JOIN many ON n = id', '' ],
	'a hash table in each process' => [ 'SELECT count(*), sum(n) FROM facts JOIN many ON n = id', 'SET enable_parallel_hash = off' ],
	'one process' => [ 'SELECT count(*), sum(n) FROM facts JOIN many ON n = id', 'SET max_parallel_workers_per_gather = 0' ],
	'rows read ahead' =>
		[ 'SELECT count(*), sum(n) FROM facts JOIN few ON k = id', 'SET enable_parallel_hash = off; SET cuckoo_scan.join_filter_max_match_fraction = 0.9' ],
	'a written filter' => [ 'SELECT count(*), sum(n) FROM facts WHERE bf_contains((SELECT filter FROM stored), n)', '' ],
);
# Without an automatic filter in the plan, the test would pass for the wrong reason.
my $nodes = {
	'a written filter' => qr/CuckooFilterScan/,
	map { $_ => qr/CuckooRuntimeFilter.*CuckooFilterScan|CuckooFilterScan.*CuckooRuntimeFilter/s } grep { $_ ne 'a written filter' } keys %plans };

# The least and the greatest value of every setting of the extension, and of those of PostgreSQL that matter to its nodes.
my @settings = map { [ split /\|/ ] } split /\n/, query(<<'SQL');
LOAD 'cuckoo_scan';
SELECT name, coalesce(min_val, 'off'), CASE vartype WHEN 'bool' THEN 'on' WHEN 'integer' THEN least(max_val::bigint, 65536)::text ELSE max_val END
FROM pg_settings WHERE name ~ '^cuckoo_(filter|scan)[.]' AND context <> 'internal'
SQL
cmp_ok(scalar @settings, '>=', 5, 'the settings of the extension');
push @settings, [ 'work_mem', '64kB', '64MB' ], [ 'enable_parallel_hash', 'off', 'on' ], [ 'max_parallel_workers', 0, 8 ],
	[ 'max_parallel_workers', 1, 8 ], [ 'parallel_leader_participation', 'off', 'on' ];

for my $name (sort keys %plans)
{
	my ($sql, $shape) = @{ $plans{$name} };
	my ($expected, $plan, $prepared);

	simple('RESET ALL');
	simple("SET cuckoo_scan.enable_join_filter = off; $shape");
	$expected = simple($sql);
	like($expected, qr/^\d+\|\d+$/, "$name: a result");
	simple(<<SQL);
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2; SET plan_cache_mode = force_generic_plan; SET enable_mergejoin = off;
SET cuckoo_scan.enable_join_filter = on; SET cuckoo_scan.join_filter_min_rows = 0; $shape
SQL
	like(simple("EXPLAIN $sql"), $nodes->{$name}, "$name: the plan has a filter");
	simple('DEALLOCATE ALL');
	send_message('P', "query\0$sql\0" . pack('n', 0));
	send_message('S', '');
	answer();
	is(outcome('query', '', ''), $expected, "$name: without a change");
	for my $setting (@settings)
	{
		my ($variable, @values) = @$setting;

		for my $order ([ 0, 1 ], [ 1, 0 ])
		{
			my ($first, $second) = map { "SET $variable = '$values[$_]'" } @$order;

			is(outcome('query', $first, $second), $expected, "$name: $first, Bind, $second, Execute");
		}
		simple("RESET $variable; SET cuckoo_scan.enable_join_filter = on");
		is(outcome('query', '', "SAVEPOINT s; SET LOCAL $variable = '$values[0]'; RELEASE s"), $expected, "$name: SET LOCAL $variable after Bind");
		is(outcome('query', "SET LOCAL $variable = '$values[0]'", "SAVEPOINT s; SET LOCAL $variable = '$values[1]'; ROLLBACK TO s; SET $variable = '$values[1]'"),
			$expected, "$name: ROLLBACK TO of a SET LOCAL $variable");
		simple("RESET $variable; SET cuckoo_scan.enable_join_filter = on");
	}

	# The configuration is reloaded in between: the next command of the session reads it.
	simple('RESET cuckoo_scan.enable_join_filter');
	for my $value ('on', 'off')
	{
		my $other = $value eq 'on' ? 'off' : 'on';

		query("ALTER SYSTEM SET cuckoo_scan.enable_join_filter = $value; SELECT pg_reload_conf()");
		for (1 .. 1000)
		{
			last if simple('SHOW cuckoo_scan.enable_join_filter') eq $value;
		}
		simple('BEGIN');
		send_message('B', "portal\0query\0" . pack('n n n', 0, 0, 0));
		send_message('S', '');
		answer();
		query("ALTER SYSTEM SET cuckoo_scan.enable_join_filter = $other; SELECT pg_reload_conf()");
		for (1 .. 1000)
		{
			last if simple('SHOW cuckoo_scan.enable_join_filter') eq $other;
		}
		is(simple('SHOW cuckoo_scan.enable_join_filter'), $other, "$name: the configuration was reloaded");
		send_message('E', "portal\0" . pack('N', 0));
		send_message('S', '');
		is(answer(), $expected, "$name: the configuration is reloaded after Bind, to $other");
		simple('COMMIT');
	}
}

done_testing();
