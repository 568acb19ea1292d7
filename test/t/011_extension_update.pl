# ALTER EXTENSION ... UPDATE with stored filters, indexes and views on them, and a session that stays open.
#
# There is no earlier release: the test makes one up, which lacks a function.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
# Not of the program pg_config, which may be another installation's.
my $folder = $node->safe_psql('postgres', q(SELECT setting FROM pg_config WHERE name = 'SHAREDIR')) . '/extension';
my ($control) = slurp_file("$folder/cuckoo_filter.control");
my ($version) = $control =~ /default_version\s*=\s*'([^']*)'/ or die 'no default version';
my $script = slurp_file("$folder/cuckoo_filter--$version.sql");
plan skip_all => 'the folder of the extension cannot be written to' unless -w $folder;

my $old_script = "$folder/cuckoo_filter--0.0.sql";
my $update_script = "$folder/cuckoo_filter--0.0--$version.sql";
END { unlink grep { defined } $old_script, $update_script }

sub write_file
{
	my ($name, $text) = @_;
	open(my $file, '>', $name) or die "$name: $!";
	print $file $text;
	close $file or die "$name: $!";
	return;
}

# The statements about bf_size make the difference.
my @missing = $script =~ /^(CREATE FUNCTION bf_size\(.*?;\n|COMMENT ON FUNCTION bf_size\(.*?;\n)/msg;
is(scalar @missing, 2, 'two statements to leave out');
my $old = $script;
$old =~ s/\Q$_\E// for @missing;
write_file($old_script, $old);
write_file($update_script, join "\n", @missing);

$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION cuckoo_filter VERSION '0.0';
CREATE TABLE stored AS
	SELECT n, bf_agg(i) AS b, cf_agg(i) AS c, bf_agg('key ' || i) AS keys
	FROM unnest(ARRAY[10, 30000]) AS n, generate_series(1, n) AS i GROUP BY n;
CREATE INDEX ON stored (md5(b::bytea), cf_count(c, 1));
CREATE VIEW hits AS
	SELECT n, count(*) FILTER (WHERE bf_contains(b, i) AND c @> i AND keys @> ('key ' || i)) AS hits
	FROM stored, generate_series(1, n) AS i GROUP BY n;
SQL
my $images = 'SELECT n, md5(b::bytea), md5(c::text), md5(_bloomfilter_send(keys)) FROM stored ORDER BY n';
my $before = $node->safe_psql('postgres', $images);
my ($status) = $node->psql('postgres', 'SELECT bf_size(100)');
isnt($status, 0, 'the earlier version lacks a function');

my $hits = "10|10\n30000|30000";
is($node->safe_psql('postgres', <<SQL), "$hits\n0.0\n$hits\nt\nt|t\n$version", 'a session that stays open');
PREPARE hits AS SELECT * FROM hits ORDER BY n;
PREPARE adds AS UPDATE stored SET b = bf_add(b, -1), c = cf_add(c, -1) WHERE n = 10 RETURNING b @> -1, c @> -1;
EXECUTE hits;
SELECT extversion FROM pg_extension WHERE extname = 'cuckoo_filter';
ALTER EXTENSION cuckoo_filter UPDATE;
EXECUTE hits;
SELECT bf_size(100) > 100;
BEGIN;
EXECUTE adds;
ROLLBACK;
SELECT extversion FROM pg_extension WHERE extname = 'cuckoo_filter';
SQL
is($node->safe_psql('postgres', $images), $before, 'the filters are the same, byte for byte');
is($node->safe_psql('postgres', 'SELECT * FROM hits ORDER BY n'), $hits, 'the filters hold their values');
is( $node->safe_psql('postgres', <<'SQL'), 10, 'an index on them is used and correct');
SET enable_seqscan = off;
SELECT n FROM stored WHERE md5(b::bytea) = (SELECT md5(bf_agg(i)::bytea) FROM generate_series(1, 10) i);
SQL

# An update and a creation result in the same objects.
my $objects = <<'SQL';
SELECT string_agg(pg_describe_object(classid, objid, 0) || coalesce(obj_description(objid, classid::regclass::name), ''),
	E'\n' ORDER BY pg_describe_object(classid, objid, 0))
FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
	AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'cuckoo_filter')
SQL
$node->safe_psql('postgres', 'CREATE DATABASE fresh');
$node->safe_psql('fresh', 'CREATE EXTENSION cuckoo_filter');
is($node->safe_psql('postgres', $objects), $node->safe_psql('fresh', $objects), 'the objects are those of a new installation');
my (undef, undef, $notice) = $node->psql('postgres', 'ALTER EXTENSION cuckoo_filter UPDATE');
like($notice, qr/already installed/, 'there is nothing more to update');

$node->stop;
done_testing();
