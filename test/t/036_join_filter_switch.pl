# What turns joins that filter themselves on and off: each statement, and what it leaves in a session and in its workers.
# Needs: the libraries of scans and joins
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Session;
use Test::More;

my $setting = 'cuckoo_scan.enable_join_filter';
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\njit = off\nenable_mergejoin = off\n");
$node->start;

sub query { return $node->safe_psql('postgres', $_[0]) }

# state: on, if the setting is on and a join has a filter; off, if neither. states: that of the session, and of a worker.
my $force = $node->pg_version >= 16 ? 'debug_parallel_query' : 'force_parallel_mode';
query(<<SQL);
CREATE EXTENSION cuckoo_filter;
CREATE TABLE facts AS SELECT n, n % 1000 AS k FROM generate_series(1, 100000) n;
CREATE TABLE keys AS SELECT n * 10 AS id FROM generate_series(1, 20) n;
CREATE TABLE filters AS SELECT bf_agg(id) AS b FROM keys;
ANALYZE;
CREATE FUNCTION state(OUT state text, OUT process integer) LANGUAGE plpgsql PARALLEL SAFE AS \$\$
DECLARE
	plan text;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) SELECT count(*) FROM facts JOIN keys ON k = id' INTO plan;
	process := pg_backend_pid();
	state := current_setting('$setting', true);
	IF state IS DISTINCT FROM (CASE WHEN plan ~ 'CuckooRuntimeFilter' THEN 'on' ELSE 'off' END) THEN
		state := format('%s, but %s', state, plan);
	END IF;
END\$\$;
CREATE FUNCTION states() RETURNS text LANGUAGE plpgsql SET $force = on AS \$\$
DECLARE
	leader record;
	worker record;
BEGIN
	EXECUTE 'SELECT * FROM state()' INTO worker;
	leader := state();
	RETURN leader.state || CASE WHEN leader.process = worker.process THEN ', no worker'
		WHEN worker.state <> leader.state THEN ', in a worker ' || worker.state ELSE '' END;
END\$\$;
SQL

# A session that takes steps: statements, or one of these. `?` is the setting.
my $session;
sub take
{
	my ($step) = @_;
	my $time = 'SELECT pg_conf_load_time();';

	$step =~ s/\?/$setting/g;
	if ($step eq 'connect')
	{
		leave($session) if $session;
		$session = session($node);
	}
	elsif ($step =~ /ALTER SYSTEM/)
	{
		my $before = answer($session, $time);

		# PostgreSQL 15 and 16 know the name only where the library is loaded.
		query("LOAD 'cuckoo_scan'; $step; SELECT pg_reload_conf()");
		1 while answer($session, $time) eq $before;
	}
	elsif ($step =~ /ALTER (ROLE|DATABASE)/)
	{
		query($step);
	}
	else
	{
		is(answer($session, "$step;"), '', $step);
	}
	return;
}

# Takes them, and compares the states after each with what is expected.
sub follow
{
	my ($name, @steps) = @_;

	while (my ($step, $expected) = splice(@steps, 0, 2))
	{
		take($step);
		is(answer($session, 'SELECT states();'), "$expected\n", "$name: $step");
	}
	return;
}

sub preload
{
	my ($shared, $session_preload) = @_;

	query("ALTER SYSTEM SET shared_preload_libraries = $shared");
	query("ALTER SYSTEM SET session_preload_libraries = $session_preload");
	$node->restart;
	return;
}

# With cuckoo_join, however it is loaded, and with cuckoo_scan alone.
my @table = (
	# step                           with   without
	'connect',                       'on',  'off',
	# The emergency switch.
	'ALTER SYSTEM SET ? = off',      'off', 'off',
	'ALTER SYSTEM RESET ?',          'on',  'off',
	'ALTER SYSTEM SET ? = on',       'on',  'on',
	'ALTER SYSTEM RESET ?',          'on',  'off',
	# The session has precedence over it.
	'SET ? = off',                   'off', 'off',
	'ALTER SYSTEM SET ? = on',       'off', 'off',
	'RESET ?',                       'on',  'on',
	'SET ? = off',                   'off', 'off',
	'ALTER SYSTEM RESET ?',          'off', 'off',
	'DISCARD ALL',                   'on',  'off',
	'SET ? = on',                    'on',  'on',
	'ALTER SYSTEM SET ? = off',      'on',  'on',
	'RESET ALL',                     'off', 'off',
	'SET ? TO DEFAULT',              'off', 'off',
	'ALTER SYSTEM RESET ?',          'on',  'off',
	# Transactions.
	'BEGIN; SET LOCAL ? = off',      'off', 'off',
	'ALTER SYSTEM SET ? = on',       'off', 'off',
	'ROLLBACK',                      'on',  'on',
	'BEGIN; SET LOCAL ? = off',      'off', 'off',
	'ALTER SYSTEM RESET ?',          'off', 'off',
	'COMMIT',                        'on',  'off',
	'BEGIN; SET ? = on',             'on',  'on',
	'SAVEPOINT s; SET LOCAL ? = off', 'off', 'off',
	'ROLLBACK TO s',                 'on',  'on',
	'RESET ?',                       'on',  'off',
	'ROLLBACK',                      'on',  'off',
	# Roles and databases: for new sessions, with precedence over the switch.
	'ALTER DATABASE postgres SET ? = off', 'on', 'off',
	'RESET ?',                       'on',  'off',
	'connect',                       'off', 'off',
	'ALTER SYSTEM SET ? = on',       'off', 'off',
	'SET ? = on',                    'on',  'on',
	'DISCARD ALL',                   'off', 'off',
	'ALTER ROLE CURRENT_USER SET ? = on', 'off', 'off',
	'connect',                       'on',  'on',
	'ALTER SYSTEM SET ? = off',      'on',  'on',
	'ALTER SYSTEM RESET ?',          'on',  'on',
	'SET ? = off',                   'off', 'off',
	'RESET ALL',                     'on',  'on',
	'ALTER ROLE CURRENT_USER RESET ?', 'on', 'on',
	'connect',                       'off', 'off',
	'ALTER DATABASE postgres RESET ?', 'off', 'off',
	'ALTER SYSTEM SET ? = off',      'off', 'off',
	'connect',                       'off', 'off',
	'ALTER SYSTEM RESET ?',          'on',  'off');

# RESET, DISCARD ALL, the switch, the role and the database in every order, in a session that has turned them off.
sub orders
{
	my ($taken, @left) = @_;

	return $taken unless @left;
	return map { my $step = $_; orders([ @$taken, $step ], grep { $_ ne $step } @left) } @left;
}
my @orders = orders([], 'RESET ?', 'DISCARD ALL', 'ALTER SYSTEM RESET ?', 'ALTER ROLE CURRENT_USER SET ? = off',
	'ALTER DATABASE postgres SET ? = on');

for my $way (
	# shared_preload_libraries, session_preload_libraries, and whether joins are on
	[ 'DEFAULT', 'cuckoo_join', 1 ],
	[ 'cuckoo_join', 'DEFAULT', 1 ],
	[ 'DEFAULT', 'cuckoo_scan, cuckoo_join', 1 ],
	[ 'DEFAULT', 'cuckoo_join, cuckoo_scan', 1 ],
	[ 'cuckoo_scan', 'cuckoo_join', 1 ],
	[ 'cuckoo_join', 'cuckoo_scan', 1 ],
	[ 'DEFAULT', 'cuckoo_scan', 0 ],
	[ 'cuckoo_scan', 'DEFAULT', 0 ])
{
	my ($shared, $session_preload, $on) = @$way;
	my $name = "$shared, $session_preload";
	my @rows = @table;
	my @steps;

	preload($shared, $session_preload);
	while (my ($step, $with, $without) = splice(@rows, 0, 3))
	{
		push @steps, $step, $on ? $with : $without;
	}
	follow($name, @steps);
	# One way is enough for all orders: the one in which the library of the setting is loaded with the other default.
	next if $session_preload ne 'cuckoo_scan, cuckoo_join';
	for my $order (@orders)
	{
		my %done;

		follow($name, 'connect', 'on', 'SET ? = off', 'off', 'ALTER SYSTEM SET ? = off', 'off');
		for my $step (@$order)
		{
			$done{$step} = 1;
			follow($name, $step, ($done{'RESET ?'} || $done{'DISCARD ALL'}) && $done{'ALTER SYSTEM RESET ?'} ? 'on' : 'off');
		}
		follow($name, 'connect', 'off');
		take("ALTER $_ RESET ?") for 'ROLE CURRENT_USER', 'DATABASE postgres';
	}
}

# Libraries that are loaded by LOAD, before and after the setting is set.
preload('DEFAULT', 'DEFAULT');
my ($scan, $join) = map { "LOAD 'cuckoo_$_'" } qw(scan join);
my $probe = 'DO $$BEGIN PERFORM FROM facts WHERE (SELECT b FROM filters) @> k; END$$';
for my $steps (
	[ $join, 'on', $scan, 'on', $probe, 'on' ],
	[ $scan, 'off', $join, 'on', 'ALTER SYSTEM SET ? = off', 'off', 'ALTER SYSTEM RESET ?', 'on' ],
	[ $probe, 'off', $join, 'on', 'ALTER SYSTEM SET ? = off', 'off', 'ALTER SYSTEM RESET ?', 'on' ],
	[ "SET ? = off; $join", 'off', 'RESET ?', 'on' ],
	[ "SET ? = on; $scan", 'on', 'RESET ?', 'off', 'SET ? = off', 'off', $join, 'off', 'DISCARD ALL', 'on' ],
	[ $scan, 'off', 'ALTER SYSTEM SET ? = off', 'off', $join, 'off', 'ALTER SYSTEM RESET ?', 'on' ],
	[ "BEGIN; $join", 'on', 'ROLLBACK', 'on' ],
	[ "BEGIN; SET LOCAL ? = off; $join", 'off', 'ROLLBACK', 'on' ],
	[ "$scan; BEGIN; SET LOCAL ? = off; $join", 'off', 'ROLLBACK', 'on' ],
	[ "$scan; BEGIN; SET LOCAL ? = on; $join", 'on', 'COMMIT', 'on' ],
	[ "$scan; BEGIN; SAVEPOINT s; SET ? = off; $join", 'off', 'ROLLBACK TO s', 'on', 'COMMIT', 'on' ])
{
	take('connect');
	follow('LOAD', @$steps);
}
take('connect');
take('ALTER SYSTEM SET ? = off');
for my $before ('', $scan)
{
	take('connect');
	follow('LOAD with a configuration', "$before; $join", 'off');
}
follow('LOAD with a configuration', 'ALTER SYSTEM RESET ?', 'on');

# EXPLAIN says that it is not the default.
like(query("$join; SET $setting = off; EXPLAIN (SETTINGS) SELECT 1"), qr/$setting = 'off'/, 'EXPLAIN (SETTINGS)');

# The other prefix.
for my $name (qw(enable_join_filter anything))
{
	$node->psql('postgres', "$join; SET cuckoo_join.$name = on", stderr => \my $error);
	like($error, qr/invalid configuration parameter name "cuckoo_join.$name"/, "SET cuckoo_join.$name");
}

leave($session);
done_testing();
