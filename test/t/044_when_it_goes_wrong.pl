# What docs/operations.md says first: a server is broken as the page describes, and mended as it says.
# Needs: the libraries of scans and joins
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $page = slurp_file("$FindBin::RealBin/../../docs/operations.md");
my ($section) = $page =~ /^## When it goes wrong\n(.*?)^## /ms or die 'the page has no such section';

# The options in the row that begins so.
sub options_of
{
	my ($what) = @_;

	return ($section =~ /^\| \Q$what\E.*?`PGOPTIONS='([^']*)'`/m)[0] // die "no options: $what";
}

my $missing = 'could not access file "cuckoo_join"';
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE DATABASE shop');
$node->safe_psql('shop', 'CREATE EXTENSION cuckoo_filter; CREATE TABLE sets AS SELECT bf_agg(n) AS f FROM generate_series(1, 100) n');
$node->safe_psql('shop', q(ALTER DATABASE shop SET session_preload_libraries = 'cuckoo_join'));
$node->command_ok([ 'pg_dump', '--create', '--file', "$PostgreSQL::Test::Utils::tmp_check/shop.sql", 'shop' ], 'a dump with the setting');

# As if cuckoo_join were removed.
sub without_library
{
	my ($shared) = @_;

	$node->append_conf('postgresql.conf', "dynamic_library_path = '/nonexistent'\nshared_preload_libraries = '$shared'\n");
	$node->stop;
	return $node->start(fail_ok => 1);
}
is(without_library('cuckoo_join'), 0, 'the server does not start');
like(slurp_file($node->logfile), qr/FATAL:  \Q$missing\E/, 'for this reason');
like($section, qr/^\| the server does not start: `\Q$missing\E`.*Take it out of `postgresql.conf`/m, 'which the page has');
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->start;

isnt($node->psql('shop', 'SELECT 1', stderr => \my $error), 0, 'connections fail');
like($error, qr/\Q$missing\E/, 'with the same error');
my ($reset) = $section =~ /`(ALTER DATABASE shop RESET session_preload_libraries)`/ or die 'no statement';
{
	local $ENV{PGOPTIONS} = options_of('connections fail');
	is($node->safe_psql('shop', 'SELECT 1'), 1, 'but for these options');
	$node->safe_psql('shop', $reset);
}
is($node->safe_psql('shop', 'SELECT 1'), 1, 'not any more');

# Restored where it is missing.
$node->safe_psql('postgres', 'DROP DATABASE shop');
$node->psql('postgres', "\\i $PostgreSQL::Test::Utils::tmp_check/shop.sql", stderr => \$error, on_error_stop => 0);
like($error, qr/\Q$missing\E/, 'a restored database refuses connections');
$node->safe_psql('postgres', $reset);
is($node->safe_psql('shop', 'SELECT 1'), 1, 'and is mended in the same way');

# The library is there again.
$node->append_conf('postgresql.conf', "dynamic_library_path = '\$libdir'\n");
$node->restart;
{
	local $ENV{PGOPTIONS} = options_of('a query raises an error') . ' -c session_preload_libraries=cuckoo_join';
	is( $node->safe_psql('shop', q(SELECT string_agg(setting, ',') FROM pg_settings WHERE name ~ '^cuckoo_scan.enable')),
		'off,off',
		'scans and joins are off');
}
done_testing();
