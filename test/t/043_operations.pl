# The path of docs/operations.md on a server with load: from one session to a role, what gained and what lost, and back; what
# sessions that stay open and a standby do. The statements are those of the page.
# Needs: the libraries of scans and joins
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use IPC::Run qw(start);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Session;
use Test::More;

my $page = slurp_file("$FindBin::RealBin/../../docs/operations.md");
my ($section) = $page =~ /^(## Turn on joins that filter themselves\n.*?)^## /ms or die 'the page has no such section';
my @blocks = $section =~ /^```\n(.*?)^```$/msg;

# The only block of the page that begins so.
sub block
{
	my ($begin) = @_;
	my @found = grep { index($_, $begin) == 0 } @blocks;

	die scalar(@found) . " blocks begin with $begin" if @found != 1;
	return $found[0];
}

# What the page says turns filters off for this.
sub off_for
{
	my ($what) = @_;

	return ($section =~ /^\| \Q$what\E \| `([^`]+)`/m)[0] // die "nothing turns filters off for $what";
}

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', "autovacuum = off\njit = off\nmax_parallel_workers_per_gather = 0\n");
$node->start;
plan(skip_all => 'pg_stat_statements is not installed')
	if $node->safe_psql('postgres', q(SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_stat_statements')) == 0;
$node->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = 'pg_stat_statements'
pg_stat_statements.track_planning = on
CONF
$node->restart;

sub query { return $node->safe_psql('shop', $_[0]) }
sub query_as_ann { return $node->safe_psql('shop', $_[0], extra_params => [ '-U', 'ann' ]) }

# A million sales, and what is asked about them. One statement gains so much that a busy machine does not hide it. Another
# loses: of 800 picked customers, three are left, which the statistics do not know. The planner reads all sales if a filter
# rejects most, and otherwise looks for the customers in an index. report: how many rows filters reject in the plain join.
my $joins = 'SELECT name, sum(amount) FROM sales JOIN customers ON customer = customers.id WHERE region = 7 GROUP BY name';
my $gains = 'SELECT name, sum FROM customers JOIN (SELECT customer, sum(length(md5(md5(note)))) FROM sales GROUP BY customer)'
  . ' AS s ON customer = customers.id WHERE region = 7';
my $loses = 'SELECT sum(amount) FROM sales JOIN picked ON customer = picked.id';
my $explain = 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)';
$node->safe_psql('postgres', 'CREATE DATABASE shop; CREATE ROLE ann LOGIN; CREATE ROLE app LOGIN');
query(<<SQL);
CREATE EXTENSION pg_stat_statements;
CREATE TABLE customers AS SELECT n AS id, n % 100 AS region, 'c' || n AS name FROM generate_series(1, 20000) n;
CREATE TABLE sales AS
	SELECT n AS id, (n * 7919::bigint % 20000 + 1)::int AS customer, n % 100 AS amount, repeat('x', 40) AS note
	FROM generate_series(1, 1000000) n;
CREATE TABLE picked AS SELECT n * 7 AS id FROM generate_series(1, 800) n;
ALTER TABLE customers ADD PRIMARY KEY (id);
ALTER TABLE sales ADD PRIMARY KEY (id);
CREATE INDEX ON sales (customer);
VACUUM ANALYZE;
DELETE FROM picked WHERE id > 21;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO ann, app;
CREATE FUNCTION report() RETURNS bigint LANGUAGE plpgsql AS \$\$
DECLARE
	line text;
	rejected bigint := 0;
BEGIN
	FOR line IN EXECUTE '$explain $joins' LOOP
		rejected := rejected + coalesce(substring(line FROM 'rejected=(\\d+)')::bigint, 0);
	END LOOP;
	RETURN rejected;
END\$\$;
SQL
my $off = 0;
my $on = qr/^9[0-9]{5}$/;

# The same in an open session, of this statement or another.
sub rejected
{
	my ($session, $statement) = @_;
	my $plan = answer($session, "$explain $statement;");

	die $plan if $plan !~ /actual rows/;
	return $plan =~ /rejected=(\d+)/ ? $1 : 0;
}

# Runs a block of the page that reloads the configuration, and waits until a session has noticed.
sub reload
{
	my ($on, $session, $statements) = @_;
	my $time = 'SELECT pg_conf_load_time();';
	my $before = answer($session, $time);

	$on->safe_psql('shop', $statements);
	1 while answer($session, $time) eq $before;
	return;
}

# Another role's load, until the end.
my $script = PostgreSQL::Test::Utils::tempdir() . '/load.sql';
append_to_file($script, "\\set id random(1, 1000000)\nSELECT amount FROM sales WHERE id = :id;\n");
my $load_errors = '';
my @pgbench = ('pgbench', '--no-vacuum', '--client=2', '--rate=50', '--time=1000', '--file', $script);
push @pgbench, '--host', $node->host, '--port', $node->port, '--username=app', 'shop';
my $load = start(\@pgbench, '>', '/dev/null', '2>', \$load_errors);

# One session.
my $session = session($node, 'shop');
is(rejected($session, $joins), $off, 'before LOAD');
answer($session, "LOAD 'cuckoo_join';");
like(rejected($session, $joins), $on, 'one session');
leave($session);

# Before.
my $period = join(";\n", ($gains, $loses) x 5);
query('SELECT pg_stat_statements_reset()');
my @results = sort split(/\n/, query_as_ann($period));
query(block('CREATE TABLE statements_before'));

# On, for a role. The log gets every plan here.
my $turn_on = block('ALTER ROLE ann SET session_preload_libraries') =~ s/'100ms'/0/r;
query($turn_on =~ s/auto_explain, cuckoo_join/'auto_explain, cuckoo_join'/r);
isnt($node->psql('shop', 'SELECT 1', extra_params => [ '-U', 'ann' ], stderr => \my $error), 0, 'a list in quotes');
like($error, qr/could not access file "auto_explain, cuckoo_join"/, 'is one name');
query('ALTER DATABASE shop SET session_preload_libraries = cuckoo_join');
query('ALTER ROLE ann SET session_preload_libraries = auto_explain');
is(query('SELECT report() > 0'), 't', 'the list of the database');
is(query_as_ann('SELECT report()'), $off, 'is replaced by that of the role');
query('ALTER DATABASE shop RESET session_preload_libraries');
query($turn_on);
is(query('SELECT report()'), $off, 'another role');

# After.
query('SELECT pg_stat_statements_reset()');
my $log_begin = -s $node->logfile;
is_deeply([ sort split(/\n/, query_as_ann($period)) ], \@results, 'the same rows');
my $compare = block('SELECT calls');
my ($columns) = $node->safe_psql('shop', $compare, extra_params => [ '--pset=tuples_only=off' ]) =~ /^(.*)\n/;
is($columns, join('|', split(' ', (split /\n/, block(' calls'))[0] =~ tr/|/ /r)), 'the columns that the page shows');
my @changes = map { [ split /\|/ ] } grep { /JOIN/ } split /\n/, query($compare);
note(map { join(' ', @$_) . "\n" } @changes);
is(scalar @changes, 2, 'two statements');
is($changes[0][4], substr($gains, 0, 50), 'the first gained');
cmp_ok($changes[0][3], '<', 0, 'time');
is($changes[1][4], substr($loses, 0, 50), 'the last lost');
cmp_ok($changes[1][3], '>', 0, 'time');
is($changes[0][0] + $changes[1][0], 10, 'calls');
like(
	slurp_file($node->logfile, $log_begin),
	qr/Query Text: \Q$gains\E;\n(?:\t.*\n)*?\t *Probe: runtime filter 1 .*rejected=9\d{5} /,
	'auto_explain logs what filters reject');

# Why it lost.
$session = session($node, 'shop', 'ann');
like(rejected($session, $loses), $on, 'a filter');
answer($session, 'SET cuckoo_scan.join_filter_costs = off;');
is(rejected($session, $loses), $off, 'another plan without its costs');
answer($session, 'RESET cuckoo_scan.join_filter_costs;');

# Off for a query, a function, a role, a database.
answer($session, 'BEGIN; ' . off_for('a query') . ';');
is(rejected($session, $joins), $off, 'a query');
answer($session, 'COMMIT;');
like(rejected($session, $joins), $on, 'the next one');
like(answer($session, 'SELECT report();'), $on, 'a function');
query(off_for('a function'));
is(answer($session, 'SELECT report();'), "$off\n", 'at its next call');
query('ALTER FUNCTION report() RESET ALL');
for my $for ('a role', 'a database')
{
	my $statement = off_for($for);

	query($statement);
	like(rejected($session, $joins), $on, "$for: not in an open session");
	is(query_as_ann('SELECT report()'), $off, "$for: in the next");
	query($statement =~ s/SET (\S+) = off/RESET $1/r);
	like(query_as_ann('SELECT report()'), $on, "$for: again");
}
query(block('SELECT pg_terminate_backend'));
ok($node->poll_query_until('shop', q(SELECT count(*) = 0 FROM pg_stat_activity WHERE usename = 'ann')),
	'sessions of a role end');
$session->{run}->kill_kill;

# Off and on in running sessions, and their generic plans.
my ($switch_off, $switch_on, $replan) = (block('LOAD'), block('ALTER SYSTEM RESET'), block('CREATE SCHEMA'));
$session = session($node, 'shop', 'ann');
my $other = session($node, 'shop', 'ann');
answer($session, "SET plan_cache_mode = force_generic_plan; PREPARE joins AS $joins; PREPARE loses AS $loses;");
answer($other, 'SET cuckoo_scan.enable_join_filter = on;');
like(rejected($session, "EXECUTE $_"), $on, "$_: filtered") for qw(joins loses);
reload($node, $session, $switch_off);
is(rejected($session, $joins), $off, 'off: in a running session');
like(rejected($other, $joins), $on, 'off: not in one that says otherwise');
is(rejected($session, "EXECUTE $_"), $off, "off: $_ is not filtered") for qw(joins loses);
like(answer($session, 'EXPLAIN EXECUTE loses;'), qr/Hash Join/, 'off: a generic plan keeps its joins');
unlike(answer($session, "EXPLAIN $loses;"), qr/Hash Join/, 'off: a new plan has others');
query($replan);
unlike(answer($session, 'EXPLAIN EXECUTE loses;'), qr/Hash Join/, 'off: planned again');
is(rejected($session, 'EXECUTE joins'), $off, 'off: so is the other one');
reload($node, $session, $switch_on);
like(rejected($session, $joins), $on, 'on: in a running session');
is(rejected($session, 'EXECUTE joins'), $off, 'on: a plan made without filters has none');
answer($session, 'DISCARD PLANS;');
like(rejected($session, 'EXECUTE joins'), $on, 'on: planned again');

# The cause.
query('ANALYZE picked');
is(rejected($session, $loses), $off, 'ANALYZE: another plan');

# What a pooler sends between two clients.
answer($session, 'SET cuckoo_scan.enable_join_filter = off;');
is(rejected($session, $joins), $off, 'the next client of a pooled connection inherits a SET');
answer($session, 'DISCARD ALL;');
like(rejected($session, $joins), $on, 'DISCARD ALL undoes it');
like(answer($session, 'EXECUTE joins;'), qr/does not exist/, 'and discards prepared statements');

# A standby.
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
my $on_standby = session($standby, 'shop', 'ann');
like(rejected($on_standby, $joins), $on, 'a standby: the role has filters');
reload($node, $session, $switch_off);
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
is(rejected($session, $joins), $off, 'a standby: off on the primary');
like(rejected($on_standby, $joins), $on, 'a standby: not on the standby');
reload($standby, $on_standby, $switch_off);
is(rejected($on_standby, $joins), $off, 'a standby: off there');
reload($standby, $on_standby, $switch_on);
like(rejected($on_standby, $joins), $on, 'a standby: on again');
query(off_for('a role'));
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
my $next = session($standby, 'shop', 'ann');
is(rejected($next, $joins), $off, 'a standby: replays what is set for a role');

# The load was not disturbed.
ok($load->pumpable, 'the load runs');
$load->signal('TERM');
$load->finish;
is($load_errors, '', 'without an error');
leave($_) for $session, $other, $on_standby, $next;
$standby->stop;
$node->stop;

done_testing();
