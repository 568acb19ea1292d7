# The next version of both extensions, by update scripts that change and add functions: filters, views, indexes and open
# sessions survive them, and dumps taken after them restore. Then the same for the real scripts of updates/, from each version
# that was released.
#
# The test makes up the next version, 999, from the scripts of this one.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
# Not of the program pg_config, which may be another installation's.
my $folder = $node->safe_psql('postgres', q(SELECT setting FROM pg_config WHERE name = 'SHAREDIR')) . '/extension';
my ($version) = slurp_file("$folder/cuckoo_filter.control") =~ /default_version\s*=\s*'([^']*)'/ or die 'no default version';
plan skip_all => 'the folder of the extension cannot be written to' unless -w $folder;

my $next = '999';
my @made_up = map { ("$folder/$_--$next.sql", "$folder/$_--$version--$next.sql") } qw(cuckoo_filter cuckoo_filter_citus);
END { unlink @made_up if @made_up }

sub write_file
{
	my ($name, $text) = @_;
	open(my $file, '>', $name) or die "$name: $!";
	print $file $text;
	close $file or die "$name: $!";
	return;
}

# What the next version changes: a function that views, operators and indexes use, the default of an argument, a comment. It
# also has a new function.
my $script = slurp_file("$folder/cuckoo_filter--$version.sql");
my ($update, $changes) = ('', 0);
my $change = sub {
	my ($statement) = @_;
	my $new = $statement;

	$new =~ s/ COST \d+//;
	$new =~ s/^LANGUAGE C /LANGUAGE C COST 77 /m if $new =~ /_contains\(/;
	$new =~ s/fpr float8 DEFAULT 0\.01/fpr float8 DEFAULT 0.5/;
	return $statement if $new eq $statement;
	$changes++;
	$update .= $new =~ s/^CREATE FUNCTION/CREATE OR REPLACE FUNCTION/r;
	return $new;
};
$script =~ s/^(CREATE FUNCTION (?:[bc]f_contains|[bc]f_size)\(.*?;\n)/$change->($1)/gmse;
cmp_ok($changes, '>=', 4, 'functions that change');
my $added = <<'SQL';
CREATE FUNCTION bf_added_later(bloomfilter) RETURNS bigint
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT AS 'MODULE_PATHNAME', 'sql_cardinality';
COMMENT ON FUNCTION bf_added_later(bloomfilter) IS 'new';
COMMENT ON FUNCTION bf_cardinality(bloomfilter) IS 'changed';
SQL
write_file($made_up[0], $script . $added);
write_file($made_up[1], $update . $added);

# In the other extension, the default of an argument changes, and a function is new.
my $citus_script = slurp_file("$folder/cuckoo_filter_citus--$version.sql");
$citus_script =~ s/^(CREATE FUNCTION bf_agg_distributed\(.*?fpr float8) DEFAULT 0\.01(.*?\nEND\$\$;\n)/$1 DEFAULT 0.5$2/ms
	or die 'no such function';
my $citus_update = "$1 DEFAULT 0.5$2" =~ s/^CREATE FUNCTION/CREATE OR REPLACE FUNCTION/r;
my $citus_added = <<'SQL';
CREATE FUNCTION added_later() RETURNS integer LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN 1;
SQL
write_file($made_up[2], $citus_script . $citus_added);
write_file($made_up[3], $citus_update . $citus_added);

# Everything of a user that can depend on the extension.
my $users_objects = <<'SQL';
CREATE TABLE stored (n integer PRIMARY KEY, b bloomfilter CHECK (bf_contains(b, 1)), c cuckoofilter DEFAULT cf_create(100),
	size bigint GENERATED ALWAYS AS (bf_cardinality(b)) STORED);
INSERT INTO stored (n, b, c)
	SELECT n, bf_agg(i), cf_agg(i) FROM unnest(ARRAY[10, 30000]) AS n, generate_series(1, n) AS i GROUP BY n;
CREATE INDEX by_image ON stored (md5(b::bytea), cf_count(c, 1));
CREATE INDEX with_20000 ON stored (n) WHERE b @> 20000;
CREATE VIEW hits AS
	SELECT n, count(*) FILTER (WHERE bf_contains(b, i) AND c @> i) AS hits
	FROM stored, generate_series(1, n) AS i GROUP BY n;
CREATE MATERIALIZED VIEW filters AS SELECT bf_agg(n) AS all_n, bf_size(1000) AS size FROM stored;
CREATE FUNCTION holds(integer, integer) RETURNS boolean LANGUAGE SQL
	BEGIN ATOMIC SELECT bf_contains(b, $2) FROM stored WHERE n = $1; END;
CREATE VIEW by_type AS SELECT bf_agg(n::bigint, 100) AS of_type, bf_agg_distributed('stored', 'n', 100) AS of_table FROM stored;
SELECT filter_agg_for_type('real');
SQL
my $images = 'SELECT n, md5(b::bytea), md5(c::text), size FROM stored ORDER BY n';
my $hits = "10|10\n30000|30000";

# The definition of each object of the extensions.
my $objects = <<'SQL';
SELECT string_agg(concat_ws(' ', pg_describe_object(classid, objid, 0), obj_description(objid, classid::regclass::name),
		CASE WHEN classid = 'pg_proc'::regclass AND NOT EXISTS (SELECT FROM pg_aggregate WHERE aggfnoid = objid)
			THEN pg_get_functiondef(objid) END),
	E'\n' ORDER BY pg_describe_object(classid, objid, 0))
FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
	AND refobjid IN (SELECT oid FROM pg_extension WHERE extname LIKE 'cuckoo%')
SQL
my $versions = q(SELECT string_agg(extversion, ' ' ORDER BY extname) FROM pg_extension WHERE extname LIKE 'cuckoo%');

# still_works DATABASE, WHAT: that of a user is as it was, and can be used and changed.
sub still_works
{
	my ($database, $before, $what) = @_;

	is($node->safe_psql($database, $images), $before, "$what: the filters are the same, byte for byte");
	is($node->safe_psql($database, <<'SQL'), "$hits\nt|t\nt|t|t\n30000\n10", "$what: views, functions and indexes");
SELECT * FROM hits ORDER BY n;
SELECT holds(30000, 29999), (SELECT all_n @> 10 FROM filters);
SELECT of_type @> 10, of_table @> 30000, (SELECT bf_agg(0.5::real)) @> 0.5::real FROM by_type;
SET enable_seqscan = off;
SELECT n FROM stored WHERE b @> 20000;
SELECT n FROM stored WHERE md5(b::bytea) = (SELECT md5(bf_agg(i)::bytea) FROM generate_series(1, 10) AS i);
SQL
	is($node->safe_psql($database, <<'SQL'), "t|t\nt", "$what: filters can be changed");
BEGIN;
UPDATE stored SET b = bf_add(b, -1), c = cf_add(c, -1) WHERE n = 10 RETURNING b @> -1, c @> -1;
INSERT INTO stored (n, b) VALUES (1, bf_add(bf_create(100), 1)) RETURNING bf_contains(b, 1);
ROLLBACK;
REFRESH MATERIALIZED VIEW filters;
SQL
	return;
}

sub create_extensions
{
	my ($database, $of) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, "CREATE EXTENSION $_ VERSION '$of'") for qw(cuckoo_filter cuckoo_filter_citus);
	return;
}

# updated DATABASE, FROM, TO: creates a version, updates it with a session open, and compares with a new installation.
sub updated
{
	my ($database, $from, $to) = @_;
	my $what = "$from to $to";

	create_extensions($database, $from);
	$node->safe_psql($database, $users_objects);
	my $before = $node->safe_psql($database, $images);
	is($node->safe_psql($database, <<SQL), "$hits\n$from $from\n$hits\nt\n$to $to", "$what: a session that stays open");
PREPARE hits AS SELECT * FROM hits ORDER BY n;
EXECUTE hits;
$versions;
ALTER EXTENSION cuckoo_filter UPDATE TO '$to';
ALTER EXTENSION cuckoo_filter_citus UPDATE TO '$to';
EXECUTE hits;
SELECT holds(10, 10);
$versions;
SQL
	still_works($database, $before, $what);

	create_extensions("${database}_fresh", $to);
	is($node->safe_psql($database, $objects), $node->safe_psql("${database}_fresh", $objects),
		"$what: the objects are those of a new installation");

	# A dump names no version: it restores to what is there, or to the default version of its server.
	my $dump = $node->basedir . "/$database.sql";
	$node->command_ok([ 'pg_dump', '--no-sync', '--file', $dump, $database ], "$what: pg_dump");
	$node->safe_psql('postgres', "CREATE DATABASE ${database}_default");
	for my $restored ("${database}_fresh", "${database}_default")
	{
		$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-f', $dump, $restored ], "$what: restored to $restored");
		still_works($restored, $before, "$what, restored to $restored");
	}
	is($node->safe_psql("${database}_fresh", $versions), "$to $to", "$what: the versions of the restored database");
	return;
}

updated('next', $version, $next);
is($node->safe_psql('next', <<'SQL'), "77\n77\nt\nt\nt", 'the changes are there');
SELECT DISTINCT procost FROM pg_proc WHERE proname = 'bf_contains';
SELECT DISTINCT procost FROM pg_proc WHERE proname = 'cf_contains';
SELECT bf_size(1000) < bf_size(1000, 0.01);
SELECT bf_added_later(b) = bf_cardinality(b) FROM stored WHERE n = 30000;
SELECT pg_column_size(bf_agg_distributed('stored', 'n', 1000)) < pg_column_size(bf_agg_distributed('stored', 'n', 1000, 0.01))
	AND added_later() = 1;
SQL

# Released scripts are in updates/, and installed.
for my $released (map { m{/cuckoo_filter--([^-]+)\.sql$} ? $1 : () } glob("$FindBin::Bin/../../updates/cuckoo_filter--*.sql"))
{
	updated('from_' . $released =~ tr/./_/r, $released, $version);
}

$node->stop;
done_testing();
