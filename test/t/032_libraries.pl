# The three libraries: that of the types works without the others, whatever is in their place; when that of the scans is loaded;
# and each way to load the one that turns joins on.
# Needs: the libraries of scans and joins
use strict;
use warnings;

use File::Basename;
use File::Copy qw(copy move);
use FindBin;
use lib "$FindBin::Bin/../lib";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Session;
use Test::More;

# A copy of PostgreSQL, in which libraries can be replaced.
my $root = PostgreSQL::Test::Utils::tempdir_short();
my %folder;
for my $option (qw(bindir pkglibdir sharedir))
{
	chomp($folder{$option} = `pg_config --$option`);
	system_or_bail('mkdir', '-p', dirname("$root$folder{$option}"));
	# 033_next_version adds files to the shared folder and removes them meanwhile: a copy could fail.
	system_or_bail($option eq 'sharedir' ? qw(ln -s) : qw(cp -a), $folder{$option}, "$root$folder{$option}");
}
my $libraries = "$root$folder{pkglibdir}";
local $ENV{PATH} = "$root$folder{bindir}:$ENV{PATH}";

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "max_worker_processes = 16\nmax_parallel_workers = 16\nlog_min_messages = log\n");
$node->start;
my $dump = $node->basedir . '/dump.sql';

sub query { return $node->safe_psql('postgres', @_) }

# Runs it in a session of its own; the number of lines of the log that a regular expression matches.
sub lines_in_log
{
	my ($sql, $match) = @_;
	my $begin = -s $node->logfile;

	query($sql);
	my @found = slurp_file($node->logfile, $begin) =~ /^.*$match.*$/mg;
	return scalar @found;
}

sub configure { query("ALTER SYSTEM SET $_[0]"); $node->reload; }

query(<<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TABLE facts AS SELECT n, n % 1000 AS k, n % 10 AS g FROM generate_series(1, 200000) n;
CREATE TABLE keys AS SELECT n * 10 AS id FROM generate_series(1, 20) n;
CREATE TABLE filters AS SELECT bf_agg(id) AS b, cf_agg(id) AS c FROM keys;
ANALYZE;
CREATE ROLE reader LOGIN;
GRANT SELECT ON facts, keys, filters TO reader;
SQL
my $serial = 'SET max_parallel_workers_per_gather = 0; SET enable_mergejoin = off;';
my $probe = 'SELECT count(*), sum(n) FROM facts WHERE (SELECT b FROM filters) @> k';
my $join = 'SELECT count(*), sum(n) FROM facts JOIN keys ON facts.k = keys.id';
my $scanned = qr/CuckooFilterScan/;
my $filtered = qr/CuckooFilterScan.*runtime filter 1 .*CuckooRuntimeFilter/s;
my $found = query("SET cuckoo_filter.load_scan = off; $probe");
my $joined = query($join);

# Each library says what it was built from, whatever the script.
my $versions = q(SELECT string_agg(setting, E'\n' ORDER BY name) FROM pg_settings WHERE name ~ '^cuckoo_\w+\.version$');
my ($release) = slurp_file("$FindBin::RealBin/../../VERSION") =~ /^([\d.]+)$/ or die 'no release';
my $version = qr/\Q$release\E \((?:unknown|\d{4}-\d\d-\d\d [0-9a-f]{40}(?:-dirty)?)\)/;
is(query($versions), '', 'no version of what is not loaded');
like(query("BEGIN; UPDATE pg_extension SET extversion = '0.9'; SELECT bf_create(1) IS NULL; $versions"), qr/^f\n$version$/, 'the version of one');
like(query("LOAD 'cuckoo_filter'; LOAD 'cuckoo_join'; $versions"), qr/^($version)\n\1\n\1$/, 'and of all');
like(($node->psql('postgres', "LOAD 'cuckoo_filter'; SET cuckoo_filter.version = 'x'"))[2], qr/"cuckoo_filter.version" cannot be changed/,
	'it cannot be changed');
$node->psql('postgres', "SET cuckoo_filter.version = 'x'; SELECT bf_create(1) IS NULL; SHOW cuckoo_filter.version", stdout => \my $shown);
like($shown, qr/^f\n$version$/, 'nor before the library is loaded');

# The scans' library: found when the first query that can use it is planned, and not before.
unlike(query("$serial EXPLAIN SELECT FROM facts JOIN keys ON k = id; SELECT bf_cardinality(b) FROM filters;
	SELECT name FROM pg_settings WHERE name ~ 'cuckoo_scan'"), qr/cuckoo_scan/, 'functions do not load it');
like(query("$serial EXPLAIN $probe"), $scanned, 'the first query that probes a column');
is(query("$serial $probe"), $found, 'and its result');
like(query("$serial EXPLAIN $probe", extra_params => [ '-U', 'reader' ]), $scanned, 'an ordinary user');
like(query("$serial SET plan_cache_mode = force_generic_plan; PREPARE p(bloomfilter) AS SELECT count(*) FROM facts WHERE \$1 @> k;
	EXPLAIN EXECUTE p(NULL)"), $scanned, 'a generic plan');
like(query("$serial EXPLAIN SELECT FROM facts WHERE bf_contains((SELECT b FROM filters), k) AND n > 3"), $scanned, 'a function');
like(query("$serial CREATE TEMPORARY VIEW v AS $probe; EXPLAIN TABLE v"), $scanned, 'a view');
unlike(query("$serial SET cuckoo_scan.enable_filter_scan = off; EXPLAIN $probe"), $scanned, 'its setting, from before it is loaded');
my ($status, $error);
$node->psql('postgres', 'SELECT bf_create(1); SET cuckoo_filter.load_scan = off', extra_params => [ '-U', 'reader' ], stderr => \$error);
like($error, qr/permission denied to set parameter/, 'only a superuser may turn the loading off');
like(query("$serial SET cuckoo_filter.load_scan = off; EXPLAIN $probe", extra_params => [ '-U', 'reader' ]), $scanned,
	'nor before the library of the types is loaded');
my $plans = query("$serial PREPARE p AS SELECT count(*) FROM facts WHERE n < 10; EXPLAIN EXECUTE p; EXPLAIN $probe; EXPLAIN EXECUTE p");
my @cached = $plans =~ /Seq Scan on facts/g;
is(scalar @cached, 2, 'a cached plan stays');
like(query("$serial EXPLAIN $probe; DROP EXTENSION cuckoo_filter CASCADE; CREATE EXTENSION cuckoo_filter;
	CREATE TEMPORARY TABLE again AS SELECT bf_agg(id) AS b FROM keys; EXPLAIN SELECT FROM facts WHERE (SELECT b FROM again) @> k"),
	qr/$scanned.*$scanned/s, 'another extension in one session');
query('ALTER TABLE filters ADD b bloomfilter, ADD c cuckoofilter');
query('UPDATE filters SET (b, c) = (SELECT bf_agg(id), cf_agg(id) FROM keys)');

# Parallel queries.
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;';
like(query("$parallel EXPLAIN (ANALYZE, COSTS OFF) $probe"), qr/Workers Launched: [1-9].*Parallel Custom Scan \(CuckooFilterScan\)/s,
	'below a Gather');
is(query("$parallel $probe"), $found, 'and its result');
query(<<'SQL');
CREATE FUNCTION plan_of_probe(n integer) RETURNS text PARALLEL SAFE LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	IF n <> 1 THEN
		RETURN NULL;
	END IF;
	EXECUTE 'EXPLAIN (FORMAT json) SELECT FROM facts WHERE (SELECT b FROM filters) @> k' INTO plan;
	RETURN plan::text;
END$$;
SQL
my $in_worker = "$parallel SET parallel_leader_participation = off; SET max_parallel_workers_per_gather = 1;
	SELECT max(plan_of_probe(n)) FROM facts";
like(query("$in_worker"), qr/Seq Scan/, 'a first probe that a worker plans is evaluated by rows');
my $warnings;
$node->psql('postgres', "$in_worker; $serial SELECT plan_of_probe(1); SHOW cuckoo_scan.enable_filter_scan", stdout => \my $later, stderr => \$warnings);
like($later, qr/Seq Scan.*CuckooFilterScan.*on/s, 'the next one in the leader loads it');
is($warnings, '', 'without a warning');

# What else may be in its place.
my $same = sub {
	my ($name, $logged, $match) = @_;

	unlike(query("$serial EXPLAIN $probe"), $scanned, "$name: no filter scan");
	is(query($probe), $found, "$name: the same result");
	is(query("$parallel $probe"), $found, "$name: in parallel");
	is(lines_in_log("$probe; $probe; SELECT bf_contains(b, 10) FROM filters", qr/cuckoo_filter works without cuckoo_scan/), $logged,
		"$name: lines in the log");
	is(lines_in_log($probe, $match), $logged, "$name: what they say") if $match;
	unlink($dump);
	$node->command_ok([ 'pg_dump', '--file', $dump, $node->connstr('postgres') ], "$name: dump");
	query('CREATE DATABASE restored');
	$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('restored'), '-f', $dump ], "$name: restore");
	is($node->safe_psql('restored', $probe), $found, "$name: the result there");
	query('DROP DATABASE restored');
};
my $library = "$libraries/cuckoo_scan" . ($^O eq 'darwin' && -e "$libraries/cuckoo_scan.dylib" ? '.dylib' : '.so');
move($library, "$library.kept");
$same->('missing', 0);
append_to_file($library, "not a library\n");
$same->('text', 1, qr{cannot be loaded: could not load library "/.*cuckoo_scan});
unlink($library);
append_to_file($library, '');
$same->('empty', 1);
unlink($library);
mkdir($library);
$same->('a folder', 1);
rmdir($library);
copy($library =~ s/cuckoo_scan/no_magic/r, $library);
$same->('without a magic block', 1, qr/cannot be loaded: incompatible library/);
unlink($library);
copy($library =~ s/cuckoo_scan/fails_to_load/r, $library);
$same->('an error while it initializes itself', 1, qr/cannot be loaded: this library never loads/);
$status = $node->psql('postgres', "LOAD 'cuckoo_join'", stderr => \$error);
isnt($status, 0, 'what turns joins on needs it');
like($error, qr/this library never loads/, 'and says why it does not load');
unlink($library);
move("$library.kept", $library);
configure('session_preload_libraries = takes_setting');
$same->('another library has one of its settings', 1, qr/cannot be loaded: attempt to redefine parameter/);
unlike(query("$serial SET cuckoo_scan.enable_join_filter = on; EXPLAIN $probe; EXPLAIN $join"), qr/Cuckoo/, 'and no hooks');
copy($library, $library =~ s/cuckoo_scan/copy_of_scan/r);
configure('session_preload_libraries = copy_of_scan');
is(lines_in_log("$probe; $probe", qr/cannot be loaded: extensible node type .* already exists/), 1, 'a copy under another name is loaded');
is(query("$serial $probe"), $found, 'the same result');
configure('session_preload_libraries = cuckoo_filter, other_version');
$same->('another version', 0);
configure('session_preload_libraries = DEFAULT');
query('ALTER DATABASE postgres SET cuckoo_filter.load_scan = off');
$same->('turned off', 0);
query('ALTER DATABASE postgres RESET cuckoo_filter.load_scan');
like(query("$serial LOAD 'cuckoo_scan'; EXPLAIN $probe"), $scanned, 'loaded by hand');

# Replaced by another version, which workers load, while a session has the old one.
my $session = session($node);
my $explained = "EXPLAIN (ANALYZE, COSTS OFF) $join;";
answer($session, "$parallel SET cuckoo_scan.join_filter_min_rows = 0; LOAD 'cuckoo_join';");
like(answer($session, $explained), qr/Workers Launched: [1-9].*runtime filter 1/s, 'before the library is replaced');
my $bytes = slurp_file($library, 0);
move($library, "$library.kept");
$bytes =~ s/\Q$release\E \(/9.9.9 (/ or die 'no version in the library';
append_to_file($library, $bytes);
like(answer($session, $explained), qr/^ERROR:  library "cuckoo_scan" was replaced while this session was connected/m, 'a parallel query');
is(answer($session, "SET max_parallel_workers_per_gather = 0; $join;"), "$joined\n", 'a serial one');
is(query("$parallel LOAD 'cuckoo_join'; $join"), $joined, 'in a new session');
leave($session);
unlink($library);
move("$library.kept", $library);

# What turns joins on.
unlike(query("$serial EXPLAIN $probe; EXPLAIN $join"), qr/CuckooRuntimeFilter/, 'not the scans\' library');
like(query("$serial LOAD 'cuckoo_join'; EXPLAIN $join"), $filtered, 'before a probe');
like(query("$serial EXPLAIN $probe; LOAD 'cuckoo_join'; EXPLAIN $join"), $filtered, 'after a probe');
like(query("$serial LOAD 'cuckoo_join'; EXPLAIN $probe; EXPLAIN $join"), $filtered, 'and a probe after it');
like(query("$serial EXPLAIN $probe; SET cuckoo_scan.enable_join_filter = on; EXPLAIN $join"), $filtered, 'the setting alone');
is(query("LOAD 'cuckoo_join'; RESET cuckoo_scan.enable_join_filter; SHOW cuckoo_scan.enable_join_filter"), 'on', 'RESET');
is(query("LOAD 'cuckoo_join'; DISCARD ALL; SHOW cuckoo_scan.enable_join_filter"), 'on', 'DISCARD ALL');
is(query("SET cuckoo_scan.enable_join_filter = off; LOAD 'cuckoo_join'; SHOW cuckoo_scan.enable_join_filter"), 'off', 'SET before it');
my $local = "BEGIN; SET LOCAL cuckoo_scan.enable_join_filter = %s; EXPLAIN $join; ROLLBACK; EXPLAIN $join";
unlike(query("$serial LOAD 'cuckoo_join'; " . sprintf($local, 'off') =~ s/ROLLBACK.*//sr), qr/CuckooRuntimeFilter/, 'SET LOCAL');
like(query("$serial LOAD 'cuckoo_join'; " . sprintf($local, 'off')), qr/CuckooRuntimeFilter/, 'and its end');
my @filters = query("$serial LOAD 'cuckoo_scan'; " . sprintf($local, 'on')) =~ /CuckooRuntimeFilter/g;
is(scalar @filters, 1, 'SET LOCAL to on, and its end');
is(query("$parallel LOAD 'cuckoo_join'; $join"), $joined, 'in parallel');
like(query("$parallel SET cuckoo_scan.join_filter_min_rows = 0; LOAD 'cuckoo_join'; EXPLAIN (ANALYZE) $join"),
	qr/Workers Launched: [1-9].*rejected=1\d{5}/s, 'workers reject rows');

for my $preload (qw(session_preload_libraries shared_preload_libraries))
{
	configure("$preload = 'cuckoo_join'");
	$node->restart;
	my $show = 'SHOW cuckoo_scan.enable_join_filter';
	like(query("$serial EXPLAIN $join", extra_params => [ '-U', 'reader' ]), $filtered, "$preload: an ordinary user");
	is(query("$parallel $join"), $joined, "$preload: in parallel");
	configure('cuckoo_scan.enable_join_filter = off');
	is(query($show), 'off', "$preload: the configuration file has precedence");
	query('ALTER DATABASE postgres SET cuckoo_scan.enable_join_filter = on');
	is(query($show), 'on', "$preload: and the database over that");
	query('ALTER ROLE reader SET cuckoo_scan.enable_join_filter = off');
	is(query($show, extra_params => [ '-U', 'reader' ]), 'off', "$preload: and the role");
	query('ALTER ROLE reader RESET ALL; ALTER DATABASE postgres RESET ALL');
	configure('cuckoo_scan.enable_join_filter = DEFAULT');
	is(query($show), 'on', "$preload: the default again");
	configure("$preload = DEFAULT");
	$node->restart;
}

SKIP:
{
	skip 'the server does not list libraries', 1 if query('SHOW server_version_num') < 180000;
	is( query("LOAD 'cuckoo_join'; SELECT bf_create(1) IS NULL; SELECT module_name, version FROM pg_get_loaded_modules() WHERE module_name ~ 'cuckoo' ORDER BY 1"),
		"f\ncuckoo_filter|1.0\ncuckoo_join|1.0\ncuckoo_scan|1.0", 'each library has its name');
}

# Hooks of others, before and after ours.
query(q{CREATE FUNCTION other_hooks_called() RETURNS text VOLATILE LANGUAGE c AS 'other_hooks'});
my $all_called = qr/^[1-9]\d* [1-9]\d* [1-9]\d* [1-9]\d*$/m;
for my $order ("LOAD 'other_hooks'; LOAD 'cuckoo_join'", "LOAD 'cuckoo_join'; LOAD 'other_hooks'",
	"LOAD 'cuckoo_scan'; LOAD 'other_hooks'; LOAD 'cuckoo_join'")
{
	my $out = query("$serial $order; EXPLAIN $probe; EXPLAIN $join; SELECT other_hooks_called(); $join");

	like($out, $filtered, "$order: filters");
	like($out, $all_called, "$order: all hooks are called");
	is((split /\n/, $out)[-1], $joined, "$order: the result");
}

# A function in FROM that a support function replaces, since 19, by a query that keeps filters away.
my $inlines = query(q(SELECT current_setting('server_version_num')::int >= 190000)) eq 't';
query(q{CREATE FUNCTION inlined_support(internal) RETURNS internal LANGUAGE c AS 'inlined_from';
	CREATE FUNCTION rows_of(query text) RETURNS SETOF facts STABLE LANGUAGE plpgsql SUPPORT inlined_support
		AS 'BEGIN RETURN QUERY EXECUTE query; END';
	CREATE TABLE secured AS SELECT * FROM facts;
	ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
	CREATE POLICY odd ON secured USING (n % 2 = 1);
	CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM facts WHERE n % 2 = 1;
	GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
	ANALYZE secured});
for my $inner ('SELECT * FROM facts', 'SELECT * FROM secured', 'SELECT * FROM barrier', 'SELECT * FROM facts WHERE random() >= 0',
	$inlines ? 'SELECT * FROM facts ORDER BY n FOR UPDATE' : ())
{
	for my $others ('JOIN keys ON k = id', 'JOIN facts USING (k) JOIN keys ON r.k = id WHERE facts.n < 1000')
	{
		my $outer = "SELECT count(*), sum(r.n) FROM rows_of('$inner') AS r $others";
		my $role = $inner =~ /UPDATE/ ? '' : 'SET ROLE reader;';
		my ($plan, $rows) = query("$serial LOAD 'cuckoo_join'; SET cuckoo_scan.join_filter_min_rows = 0; $role EXPLAIN $outer; $outer")
			=~ /^(.*\n)(.*)\n?$/s;

		is($rows, query("$role $outer"), "$inner: the same rows");
		next unless $inlines;
		unlike($plan, qr/Function Scan/, "$inner: replaces the function");
		unlike($plan, $scanned, "$inner: no filter, since it was not examined");
	}
}

# Each statement is planned once, whether or not the filters that its plan was chosen with can be made.
my %planned = (
	'a join' => $join,
	'below a limit' => 'SELECT facts.n FROM facts JOIN keys ON facts.k = keys.id LIMIT 10',
	'below a window' => 'SELECT * FROM (SELECT n, row_number() OVER (ORDER BY n) AS r FROM facts JOIN keys ON k = id) AS w WHERE r < 3',
	'a full join' => 'SELECT count(*) FROM facts FULL JOIN keys ON facts.k = keys.id',
	'in a loop' => 'SELECT (SELECT count(*) FROM facts JOIN keys ON k = id WHERE n > o.id) FROM keys AS o WHERE o.id < 12',
);
my @settings = map { "SET $_;" } 'cuckoo_scan.enable_filter_scan = off', 'cuckoo_scan.join_filter_costs = off', 'jit = off', 'enable_hashjoin = off';
for my $order ("LOAD 'other_hooks'; LOAD 'cuckoo_join'", "LOAD 'cuckoo_join'; LOAD 'other_hooks'")
{
	my @more;

	for my $name (sort keys %planned)
	{
		for my $setting (@settings)
		{
			my @calls = query("$serial $setting $order; SELECT other_hooks_called(); EXPLAIN $planned{$name}; SELECT other_hooks_called()") =~
				/^(\d+) \d+ \d+ \d+$/mg;

			# Of the explained statement and of the last one.
			push @more, "$name: $setting @calls" if @calls != 2 || $calls[1] - $calls[0] != 2;
		}
	}
	is(join("\n", @more), '', "$order: the planner is called once for a statement");
}

SKIP:
{
	skip 'pg_stat_statements is not installed', 1
		if query(q(SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_stat_statements')) == 0;
	configure("shared_preload_libraries = pg_stat_statements, cuckoo_join");
	$node->restart;
	configure('pg_stat_statements.track_planning = on');
	query('CREATE EXTENSION pg_stat_statements; SELECT pg_stat_statements_reset()');
	for my $name (sort keys %planned)
	{
		query("$serial $_ $planned{$name}") for @settings;
	}
	is( query(q(SELECT string_agg(DISTINCT plans || ' plans in ' || calls || ' calls', ', ') FROM pg_stat_statements WHERE query ~ 'facts')),
		@settings . ' plans in ' . @settings . ' calls', 'pg_stat_statements counts one plan for each execution');
}

done_testing();
