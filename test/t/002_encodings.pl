# Text is hashed as UTF-8, so a filter from a database of one encoding finds its values in a database of another.
# Where that is not possible, an error says so.
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

# Every query is plain ASCII: other characters are given by code point, and psql converts nothing.
my %encodings = (LATIN1 => 'U&\'\00e9\'', EUC_KR => 'U&\'\d55c\ae00\'', WIN1251 => 'U&\'\0416\'');

$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE EXTENSION citext;
CREATE TYPE french AS ENUM (U&'\00e9t\00e9', 'hiver');
CREATE TYPE U&"\00e9" AS RANGE (subtype = integer);
CREATE TYPE words AS RANGE (subtype = text);
CREATE TYPE names AS RANGE (subtype = name);
CREATE TYPE folded AS RANGE (subtype = citext);
SQL

# The error of a query, or its result.
sub outcome
{
	my ($database, $query) = @_;
	my ($status, $out, $err) = $node->psql($database, $query);

	return $status == 0 ? $out : $err =~ /ERROR:  (.*)/ ? $1 : $err;
}

for my $encoding (sort keys %encodings)
{
	my $word = $encodings{$encoding};
	my $table = lc "in_$encoding";
	my $there = lc $encoding;

	create_database($there, $encoding);
	$node->safe_psql('postgres', <<SQL);
CREATE TABLE $table AS
	SELECT bf_agg(w, 10, 1e-7) AS b, cf_agg(w, 10, 1e-7) AS c, bf_agg(w::name, 10, 1e-7) AS names,
		bf_agg(w::char(10), 10, 1e-7) AS padded, bf_agg(ARRAY[w], 10, 1e-7) AS arrays, bf_agg(ROW(w), 10, 1e-7) AS rows,
		bf_agg(words(w, NULL), 10, 1e-7) AS ranges, bf_agg(multirange(names(w::name, NULL)), 10, 1e-7) AS name_ranges,
		bf_agg(folded(w::citext, NULL), 10, 1e-7) AS citext_ranges, bf_agg(numrange(length(w), NULL), 10, 1e-7) AS numbers,
		bf_agg(to_jsonb(w), 10, 1e-7) AS json, cf_agg(w::citext, 10, 1e-7) AS citexts
	FROM (VALUES ($word), ('plain')) AS v (w);
SQL
	$node->command_ok([ 'pg_dump', '--table', $table, '--file', "$folder/$there.sql", $node->connstr('postgres') ],
		"$encoding: dump from UTF8");
	$node->safe_psql($there, 'CREATE EXTENSION cuckoo_filter; CREATE EXTENSION citext;
		CREATE TYPE words AS RANGE (subtype = text); CREATE TYPE names AS RANGE (subtype = name);
		CREATE TYPE folded AS RANGE (subtype = citext)');
	$node->command_ok([ @psql, "$folder/$there.sql", $node->connstr($there) ], "$encoding: restore");
	is($node->safe_psql($there, 'SHOW server_encoding'), $encoding, "$encoding: the database has that encoding");
	isnt($node->safe_psql($there, "SELECT encode($word\::bytea, 'hex')"),
		$node->safe_psql('postgres', "SELECT encode($word\::bytea, 'hex')"), "$encoding: the bytes differ from those in UTF8");
	is( $node->safe_psql($there, <<SQL), 't|t|t|t|t|t|t|t|f|f', "$encoding: the words of UTF8 are found");
SELECT bf_contains(b, $word), cf_contains(c, $word\::text), bf_contains(names, $word\::name),
	bf_contains(padded, $word\::char(5)), bf_contains(arrays, ARRAY[$word]), bf_contains(rows, ROW($word\::text)),
	bf_contains(numbers, numrange(length($word), NULL)), bf_contains(b, 'plain'),
	bf_contains(b, $word || $word), bf_contains(b, 'Plain')
FROM $table
SQL
	is( $node->safe_psql($there, "SELECT filter_hash($word\::text)"),
		$node->safe_psql('postgres', "SELECT filter_hash($word\::text)"),
		"$encoding: the same hash");

	# Hashes from PostgreSQL's own functions depend on the encoding, and the kind records it.
	is(outcome($there, "SELECT bf_contains(json, to_jsonb($word\::text)) FROM $table"),
		"filter holds values of kind jsonb, not jsonb encoding $encoding", "$encoding: jsonb of UTF8 is an error");
	is(outcome($there, "SELECT bf_contains(ranges, words($word, NULL)) FROM $table"),
		"filter holds values of kind public.words(text), not public.words(text) encoding $encoding",
		"$encoding: a range of text of UTF8 is an error");
	is(outcome($there, "SELECT bf_contains(name_ranges, multirange(names($word\::name, NULL))) FROM $table"),
		"filter holds values of kind public.names_multirange(name), not public.names_multirange(name) encoding $encoding",
		"$encoding: a multirange of names of UTF8 is an error");
	is( outcome($there, "SELECT bf_contains(citext_ranges, folded($word\::citext, NULL)) FROM $table"),
		'filter holds values of kind public.folded(public.citext) locale libc C, '
		  . "not public.folded(public.citext) encoding $encoding locale libc C",
		"$encoding: a range of citext of UTF8 is an error");
	like(outcome($there, "SELECT cf_contains(citexts, $word\::citext) FROM $table"),
		qr/^filter holds values of kind public.citext locale libc C, not public.citext encoding $encoding locale libc C$/,
		"$encoding: citext of UTF8 is an error");
	is($node->safe_psql($there, "SELECT bf_contains(bf_agg(to_jsonb($word\::text)), to_jsonb($word\::text))"), 't',
		"$encoding: its own jsonb is found");

	# And the other way: built there, and brought back as text.
	my $image = $node->safe_psql($there, "SELECT cf_agg(w) FROM (VALUES ($word), ('plain')) AS v (w)");
	is($node->safe_psql('postgres', "SELECT cf_contains('$image', $word), cf_contains('$image', 'plain')"), 't|t',
		"$encoding: its words are found in UTF8");
}

# Labels of enums, and names of types that are part of the filter's kind.
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

# The encodings whose text is of another kind; 015_conversions proves which they are. Filters of text cannot be exchanged
# with these databases, in either direction.
my $image = $node->safe_psql('postgres', q(SELECT bf_agg(U&'\00e9'::text, 10, 1e-7)));
my $arrays = $node->safe_psql('postgres', q(SELECT bf_agg(ARRAY['a'])));
for my $encoding (qw(SQL_ASCII EUC_JP KOI8R MULE_INTERNAL))
{
	# Not every version has all of them.
	next if $node->safe_psql('postgres', "SELECT pg_char_to_encoding('$encoding')") < 0;
	my $there = lc $encoding;
	my $kinds = "filter holds values of kind text, not text encoding $encoding";

	create_database($there, $encoding);
	$node->safe_psql($there, "CREATE EXTENSION cuckoo_filter; CREATE TYPE season AS ENUM ('winter')");
	is(outcome($there, "SELECT bf_contains('$image', 'a'::text)"), $kinds, "$encoding: text of UTF8 is an error");
	is(outcome($there, "SELECT bf_contains('$image', 'a')"), $kinds, "$encoding: a literal is an error, too");
	is(outcome($there, "SELECT bf_union('$image', bf_agg('a'::text, 10, 1e-7))"),
		"filters hold values of different kinds, text and text encoding $encoding", "$encoding: a union is an error, too");
	my (undef, undef, $hint) = $node->psql($there, "SELECT bf_contains('$arrays', ARRAY['a'])");
	like($hint, qr/kind text\[\], not text encoding $encoding\[\]\n.*\nHINT:  Use the collation under which the filter was built, or rebuild the filter in this database/,
		"$encoding: an array is an error that says what to do");
	is( $node->safe_psql($there, <<'SQL'), 't|t|t|t|t|f', "$encoding: its own text is found");
SELECT bf_contains(b, 'a'), bf_contains(b, 'a'::text), bf_contains(arrays, ARRAY['a']), bf_contains(padded, 'a  '),
	bf_contains(seasons, 'winter'), bf_contains(b, 'b')
FROM (SELECT bf_agg('a'::text) AS b, bf_agg(ARRAY['a']) AS arrays, bf_agg('a'::char(9)) AS padded,
	bf_agg('winter'::season) AS seasons) AS filters
SQL
	my $theirs = $node->safe_psql($there, q(SELECT bf_agg('a'::text)));
	my $seasons = $node->safe_psql($there, q(SELECT cf_agg('winter'::season)));
	is(outcome('postgres', "SELECT bf_contains('$theirs', 'a'::text)"),
		"filter holds values of kind text encoding $encoding, not text", "$encoding: its text is an error in UTF8");
	is(outcome('postgres', "SELECT cf_contains('$seasons', 'hiver'::french)"),
		"filter holds values of kind enum encoding $encoding, not enum", "$encoding: an enum is an error, too");
}

# A byte that has no equivalent in UTF-8, among the most common values and in the histogram: the planner estimates how many
# rows pass without an error, which only a probe of that value raises.
create_database('win1252', 'WIN1252');
$node->safe_psql('win1252', <<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TABLE words AS SELECT i AS id, CASE WHEN i % 2 = 0 THEN chr(129) ELSE chr(129) || i END AS word FROM generate_series(1, 999) AS i;
ALTER TABLE words ADD PRIMARY KEY (id);
UPDATE words SET word = 'plain' WHERE id = 5;
ANALYZE words;
CREATE TABLE plain AS SELECT i AS id, 'plain' AS word FROM generate_series(1, 998) AS i UNION ALL SELECT 999, chr(129);
ANALYZE plain;
SQL
for my $type ('text', 'varchar', 'name', 'char(9)')
{
	$node->safe_psql('win1252', "ALTER TABLE $_ ALTER word TYPE $type; ANALYZE $_") for qw(words plain);
	my $words = $node->safe_psql('win1252', "SELECT cf_agg('plain'::$type)");

	like(outcome('win1252', "EXPLAIN SELECT FROM words WHERE '$words'::cuckoofilter @> word"), qr/Scan/, "WIN1252: a plan for $type");
	is(outcome('win1252', "SELECT count(*) FROM words WHERE '$words'::cuckoofilter @> word AND id = 5"), '1',
		"WIN1252: a word of type $type is found");
	like(outcome('win1252', "SELECT FROM words WHERE '$words'::cuckoofilter @> word"), qr/has no equivalent in encoding "UTF8"/,
		"WIN1252: another one of type $type is an error");
	for my $rest ('AND id <> 999', 'LIMIT 998')
	{
		is(outcome('win1252', "SELECT count(*) FROM (SELECT FROM plain WHERE '$words'::cuckoofilter @> word $rest) AS found"),
			'998', "WIN1252: no error by a word of type $type that the condition $rest leaves out");
	}
}

$node->stop;
done_testing();
