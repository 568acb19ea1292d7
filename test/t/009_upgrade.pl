# pg_upgrade preserves stored filters: the same images, which find the same values and can be changed. UPGRADE_FROM is
# the directory of an older PostgreSQL, see test/upgrade; without it, the upgrade is from this version to itself.
use strict;
use warnings;

use File::Basename;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The one that "make installcheck" put into the path.
my ($bindir) = grep { -x "$_/pg_upgrade" } split /:/, $ENV{PATH};
plan skip_all => 'no pg_upgrade' unless defined $bindir;
my $from = $ENV{UPGRADE_FROM};

my @initdb = ('--encoding=UTF8', '--no-locale');
my $old = PostgreSQL::Test::Cluster->new('old', $from ? (install_path => $from) : ());
$old->init(extra => \@initdb);
$old->start;
note('from ' . $old->safe_psql('postgres', 'SHOW server_version'));

# Values of each kind, made of i. Those of the second half are hashed by functions of PostgreSQL.
my %kinds = (
	integers => 'i', bigints => 'i::bigint * 1000000007', texts => "'key ' || i", names => "('name ' || i)::name",
	padded => "('key ' || i)::char(20)", byteas => "decode(md5(i::text), 'hex')", uuids => 'md5(i::text)::uuid',
	booleans => 'i = 1', dates => "date '2000-01-01' + i", times => "time '00:00' + make_interval(secs => i)",
	timestamps => "timestamp '2000-01-01' + make_interval(secs => i)",
	timestamptzs => "timestamptz '2000-01-01 UTC' + make_interval(secs => i)", floats => 'i * 0.1::float8',
	numerics => 'i / 100.0', moods => "(enum_range(NULL::mood))[1 + i % 2]", domains => 'i::positive',
	arrays => 'ARRAY[i, i + 1]', rows => "ROW(i, 'label ' || i)::pair",
	intervals => 'make_interval(hours => i)', inets => "inet '10.0.0.0' + i", ranges => 'int4range(i, i + 2)',
	jsonbs => "jsonb_build_object('i', i)", spans => 'span(i, i + 1)', oids => 'i::oid');

# How a column is stored; the filters of the first fit in a row.
my %storage = (plain => [ 200, 'PLAIN' ], main => [ 10000, 'MAIN' ], external => [ 10000, 'EXTERNAL' ],
	extended => [ 10000, 'EXTENDED' ], full => [ 200, 'EXTERNAL' ]);
my $has_lz4 = ($old->psql('postgres', 'SET default_toast_compression = lz4'))[0] == 0;
$storage{lz4} = [ 10000, 'EXTENDED' ] if $has_lz4;

my $setup = <<'SQL';
CREATE EXTENSION cuckoo_filter;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
-- A label that came later has a number out of order.
ALTER TYPE mood ADD VALUE 'wild' BEFORE 'ok';
CREATE TYPE pair AS (number integer, label text);
CREATE TYPE span AS RANGE (subtype = float8);
CREATE DOMAIN positive AS integer CHECK (value > 0);
SQL
my @storages = sort keys %storage;
for my $kind (sort keys %kinds)
{
	my $members = $kind eq 'booleans' ? 1 : 100;

	$setup .= "CREATE TABLE exact_$kind AS SELECT $kinds{$kind} AS v FROM generate_series(1, $members) i;\n";
}
for my $name (@storages)
{
	my ($capacity, $mode) = @{ $storage{$name} };

	$setup .= "CREATE TABLE stored_$name (kind text PRIMARY KEY, b bloomfilter, c cuckoofilter);\n";
	$setup .= "ALTER TABLE stored_$name ALTER b SET STORAGE $mode, ALTER c SET STORAGE $mode;\n";
	$setup .= "ALTER TABLE stored_$name ALTER b SET COMPRESSION lz4, ALTER c SET COMPRESSION lz4;\n" if $name eq 'lz4';
	$setup .= "INSERT INTO stored_$name SELECT '$_', bf_agg(v, $capacity), cf_agg(v, $capacity) FROM exact_$_;\n"
	  for sort keys %kinds;
}
$setup .= <<'SQL';
-- Of several layers, large, empty, copies, and nothing.
CREATE TABLE special (name text PRIMARY KEY, b bloomfilter, c cuckoofilter);
INSERT INTO special
	SELECT 'grown', bf_add_all(bf_create(10), array_agg(i)), cf_add_all(cf_create(10), array_agg(i)) FROM generate_series(1, 5000) i
	UNION ALL SELECT 'large', bf_agg(i), cf_agg(i) FROM generate_series(1, 50000) i
	UNION ALL SELECT 'copies', bf_agg(i), cf_add_all(cf_create(100), array_agg(i % 100)) FROM generate_series(0, 299) i
	UNION ALL SELECT 'empty', bf_create(NULL), cf_create(100)
	UNION ALL SELECT 'null', NULL, NULL;
CREATE TABLE uses (id integer PRIMARY KEY, b bloomfilter DEFAULT bf_add(bf_create(10), 'x'::text),
	c cuckoofilter GENERATED ALWAYS AS (cf_add(cf_create(10), id)) STORED, several cuckoofilter[]);
INSERT INTO uses (id, several) SELECT i, ARRAY[cf_add(cf_create(10), i)] FROM generate_series(1, 10) i;
CREATE INDEX by_filter ON uses (bf_contains(b, 'x'));
CREATE MATERIALIZED VIEW summary AS SELECT bf_agg(id) AS b, cf_union_agg(several[1]) AS c FROM uses;
CREATE EXTENSION cuckoo_filter_citus;
SQL
$old->safe_psql('postgres', $setup);

my $images = join ' UNION ALL ',
  (map { "SELECT '$_', kind, md5(b::text), md5(c::text) FROM stored_$_" } @storages),
  q(SELECT 'special', name, md5(b::text), md5(c::text) FROM special),
  q(SELECT 'uses', id::text, md5(b::text), md5(c::text || several::text) FROM uses),
  q(SELECT 'summary', '', md5(b::text), md5(c::text) FROM summary);
$images = "SELECT * FROM ($images) AS i (a, b, c, d) ORDER BY a COLLATE \"C\", b COLLATE \"C\"";

# The number of members of each filter, and how many of them it finds; a single number if they agree.
my $found = join ' UNION ALL ', map {
	my $storage = $_;
	map {
		my $member = 'bf_contains(b, v) AND cf_contains(c, v) AND cf_count(c, v) >= 1';
		"SELECT '$storage', '$_', count(*) - count(*) FILTER (WHERE $member), count(*)
			FROM stored_$storage, exact_$_ WHERE kind = '$_'"
	} sort keys %kinds
} @storages;
$found = "SELECT count(*), sum(missing), sum(members) FROM ($found) AS f (storage, kind, missing, members)";
my $members = (99 * (keys(%kinds) - 1) + keys(%kinds)) * @storages;
my $all_found = join '|', @storages * keys %kinds, 0, $members;

my $special = <<'SQL';
SELECT
	(SELECT count(*) FROM special, generate_series(1, 5000) i
		WHERE name = 'grown' AND bf_contains(b, i) AND cf_contains(c, i)),
	(SELECT count(*) FROM special, generate_series(1, 50000) i
		WHERE name = 'large' AND bf_contains(b, i) AND cf_contains(c, i)),
	(SELECT count(*) FROM special, generate_series(0, 99) i WHERE name = 'copies' AND cf_count(c, i) >= 3),
	(SELECT count(*) FROM uses WHERE bf_contains(b, 'x') AND cf_contains(c, id) AND cf_contains(several[1], id)),
	(SELECT count(*) FROM summary, uses WHERE bf_contains(summary.b, id) AND cf_contains(summary.c, id))
SQL

is($old->safe_psql('postgres', $found), $all_found, 'every member before');
is($old->safe_psql('postgres', $special), '5000|50000|100|10|10', 'special filters before');
for my $name (grep { $storage{$_}[1] eq 'EXTENDED' } @storages)
{
	is($old->safe_psql('postgres', "SELECT bool_or(pg_column_size(b) < length(b::bytea) / 2) FROM stored_$name"),
		't', "$name: some filters are compressed");
}
my $before = $old->safe_psql('postgres', $images);
$old->stop;

# upgrade NAME, OPTION...: into a new cluster, which must give the same answers.
sub upgrade
{
	my ($mode, @options) = @_;
	my $new = PostgreSQL::Test::Cluster->new($mode);
	my $folder = PostgreSQL::Test::Utils::tempdir;

	$new->init(extra => \@initdb);
	chdir $folder or die "cannot enter $folder: $!";
	command_ok(
		[
			"$bindir/pg_upgrade", '--old-bindir', $from ? "$from/bin" : $bindir, '--new-bindir', $bindir,
			'--old-datadir', $old->data_dir, '--new-datadir', $new->data_dir, '--socketdir', $new->host,
			'--old-port', $old->port, '--new-port', $new->port, @options
		],
		"$mode: pg_upgrade");
	$new->start;
	note('to ' . $new->safe_psql('postgres', 'SHOW server_version'));
	is($new->safe_psql('postgres', $images), $before, "$mode: the same images");
	is($new->safe_psql('postgres', $found), $all_found, "$mode: every member");
	is($new->safe_psql('postgres', $special), '5000|50000|100|10|10', "$mode: special filters");

	like(($new->psql('postgres', 'CREATE SCHEMA other; ALTER EXTENSION cuckoo_filter SET SCHEMA other'))[2], qr/"cuckoo_filter_citus" prevents it/,
		"$mode: the extension for Citus");

	# More members of most kinds are added, and half of the first ones deleted. Arrays of arrays are lists of the
	# elements.
	my @changed = grep { !/^(arrays|booleans|moods)$/ } sort keys %kinds;
	my $changes = '';
	for my $kind (@changed)
	{
		$changes .= "CREATE TABLE gone_$kind AS SELECT $kinds{$kind} AS v FROM generate_series(1, 50) i;\n";
		$changes .= "DELETE FROM exact_$kind WHERE v IN (SELECT v FROM gone_$kind);\n";
		$changes .= "CREATE TABLE more_$kind AS SELECT $kinds{$kind} AS v FROM generate_series(101, 200) i;\n";
		$changes .= "INSERT INTO exact_$kind SELECT v FROM more_$kind;\n";
		$changes .= "UPDATE stored_$_ SET b = bf_add_all(b, (SELECT array_agg(v) FROM more_$kind)),
			c = cf_add_all(cf_delete_all(c, (SELECT array_agg(v) FROM gone_$kind)),
				(SELECT array_agg(v) FROM more_$kind))
			WHERE kind = '$kind';\n" for @storages;
	}
	$new->safe_psql('postgres', $changes);
	my ($filters, $missing, $count) = split /\|/, $new->safe_psql('postgres', $found);
	is($missing, 0, "$mode: every member after adding and deleting");
	is($count, $members + @storages * 50 * @changed, "$mode: all members were probed");
	my $left = join ' + ',
	  map {
		my $kind = $_;
		map { "(SELECT count(*) FROM stored_$_, gone_$kind WHERE kind = '$kind' AND cf_contains(c, v))" } @storages
	  } @changed;
	cmp_ok($new->safe_psql('postgres', "SELECT $left"), '<', 0.05 * 50 * @changed * @storages,
		"$mode: deleted members are gone");
	is( $new->safe_psql('postgres',
			"INSERT INTO uses (id) VALUES (11) RETURNING cf_contains(c, 11), bf_contains(b, 'x')"),
		't|t', "$mode: defaults and generated columns");
	$new->stop;
	return;
}

upgrade('copy');
# The old cluster must not be started after this. Within one version, one way is enough.
upgrade('link', '--link') if $from;

done_testing();
