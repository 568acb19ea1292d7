# Text is hashed as UTF-8, so a filter from a database of one encoding finds its values in a database of another.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('encodings');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->start;
my $folder = PostgreSQL::Test::Utils::tempdir;

my @psql = qw(psql -X -q -v ON_ERROR_STOP=1 -f);

sub create_database
{
	my ($name, $encoding) = @_;

	$node->safe_psql('postgres',
		"CREATE DATABASE $name ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
	return;
}

# Every query is plain ASCII: what is not is given by code point, and psql converts nothing.
my %encodings = (LATIN1 => 'U&\'\00e9\'', EUC_JP => 'U&\'\65e5\672c\'', WIN1251 => 'U&\'\0416\'');

$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TYPE french AS ENUM (U&'\00e9t\00e9', 'hiver');
CREATE TYPE U&"\00e9" AS RANGE (subtype = integer);
SQL

for my $encoding (sort keys %encodings)
{
	my $word = $encodings{$encoding};
	my $table = lc "in_$encoding";
	my $there = lc $encoding;

	create_database($there, $encoding);
	$node->safe_psql('postgres', <<SQL);
CREATE TABLE $table AS
	SELECT bf_agg(w, 10, 1e-7) AS b, cf_agg(w, 10, 1e-7) AS c, bf_agg(w::name, 10, 1e-7) AS names,
		bf_agg(w::char(10), 10, 1e-7) AS padded, bf_agg(ARRAY[w], 10, 1e-7) AS arrays, bf_agg(ROW(w), 10, 1e-7) AS rows
	FROM (VALUES ($word), ('plain')) AS v (w);
SQL
	$node->command_ok([ 'pg_dump', '--table', $table, '--file', "$folder/$there.sql", $node->connstr('postgres') ],
		"$encoding: dump from UTF8");
	$node->safe_psql($there, 'CREATE EXTENSION cuckoo_filter');
	$node->command_ok([ @psql, "$folder/$there.sql", $node->connstr($there) ], "$encoding: restore");
	is($node->safe_psql($there, 'SHOW server_encoding'), $encoding, "$encoding: the database has that encoding");
	isnt($node->safe_psql($there, "SELECT encode($word\::bytea, 'hex')"),
		$node->safe_psql('postgres', "SELECT encode($word\::bytea, 'hex')"), "$encoding: other bytes than in UTF8");
	is( $node->safe_psql($there, <<SQL), 't|t|t|t|t|t|t|f|f', "$encoding: the words of UTF8 are found");
SELECT bf_contains(b, $word), cf_contains(c, $word\::text), bf_contains(names, $word\::name),
	bf_contains(padded, $word\::char(5)), bf_contains(arrays, ARRAY[$word]), bf_contains(rows, ROW($word\::text)),
	bf_contains(b, 'plain'), bf_contains(b, $word || $word), bf_contains(b, 'Plain')
FROM $table
SQL
	is( $node->safe_psql($there, "SELECT filter_hash($word)"),
		$node->safe_psql('postgres', "SELECT filter_hash($word)"),
		"$encoding: the same hash");

	# And the other way: built there, and brought back as text.
	my $image = $node->safe_psql($there, "SELECT cf_agg(w) FROM (VALUES ($word), ('plain')) AS v (w)");
	is($node->safe_psql('postgres', "SELECT cf_contains('$image', $word), cf_contains('$image', 'plain')"), 't|t',
		"$encoding: its words are found in UTF8");
}

# Labels of enums, and names of types that stand in the filter for its kind.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE special AS
	SELECT bf_agg(e) AS enums, cf_agg(U&"\00e9"(i, i + 2)) AS ranges
	FROM unnest(enum_range(NULL::french)) WITH ORDINALITY AS v (e, o), LATERAL (SELECT o::integer AS i) AS i;
SQL
$node->command_ok(
	[
		'pg_dump', '--encoding=UTF8', '--exclude-table=in_*', '--file', "$folder/special.sql",
		$node->connstr('postgres')
	],
	'types with names beyond ASCII: dump');
create_database('special', 'LATIN1');
$node->command_ok([ @psql, "$folder/special.sql", $node->connstr('special') ],
	'types with names beyond ASCII: restore');
is( $node->safe_psql('special', <<'SQL'), 't|t|t', 'types with names beyond ASCII: found');
SELECT bf_contains(enums, U&'\00e9t\00e9'::french), bf_contains(enums, U&'\00e9t\00e9'),
	cf_contains(ranges, U&"\00e9"(2, 4))
FROM special
SQL

# SQL_ASCII knows no characters: bytes are taken as they stand, so UTF-8 is found where it came as such.
create_database('ascii', 'SQL_ASCII');
$node->safe_psql('ascii', 'CREATE EXTENSION cuckoo_filter');
my $image = $node->safe_psql('postgres', q(SELECT bf_agg(U&'\00e9'::text, 10, 1e-7)));
is($node->safe_psql('ascii', "SELECT bf_contains('$image', E'\\xc3\\xa9'), bf_contains('$image', E'\\xe9')"), 't|f',
	'SQL_ASCII: bytes as they stand');

$node->stop;
done_testing();
