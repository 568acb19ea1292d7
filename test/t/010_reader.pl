# docs/format.md describes the format: a reader written from it gives the server's answers, including false positives,
# and rejects the images that the server rejects.
use strict;
use warnings;
no warnings 'portable';

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $reader = "$FindBin::Bin/../reader/read_filter.pl";
require $reader;

my $node = PostgreSQL::Test::Cluster->new('reader');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->start;

sub query { return $node->safe_psql('postgres', $_[0]) }

# Rows as arrays of fields. The tests' values have no | and no line breaks.
sub rows { return map { [ split /\|/, $_, -1 ] } split /\n/, query($_[0]) }

sub signed { return unpack('q<', pack('Q<', $_[0])) }

# is_none(errors, name): shows the first few.
sub is_none
{
	my ($wrong, $name) = @_;

	ok(!@$wrong, $name) or diag(join "\n", @$wrong[ 0 .. ($#$wrong < 9 ? $#$wrong : 9) ]);
	return;
}

query(<<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE pair AS (number integer, label text);
CREATE TYPE "é %" AS RANGE (subtype = integer);
CREATE DOMAIN positive AS bigint CHECK (value > 0);
CREATE FUNCTION integers(first bigint, last bigint) RETURNS bigint[] IMMUTABLE LANGUAGE SQL AS $$
	SELECT array_agg(i) FROM generate_series(first, last) i
$$;
-- Bytes that are the same in every run.
CREATE FUNCTION some_bytes(length integer) RETURNS bytea IMMUTABLE LANGUAGE SQL AS $$
	SELECT substr(coalesce(string_agg(decode(md5(length || '.' || i), 'hex'), '' ORDER BY i), ''), 1, length)
	FROM generate_series(1, (length + 15) / 16) i
$$;
CREATE TABLE tested_bf (f bloomfilter);
CREATE TABLE tested_cf (f cuckoofilter);
CREATE FUNCTION verdict(image bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM image::bloomfilter;
	RETURN 1;
EXCEPTION WHEN invalid_binary_representation THEN
	BEGIN
		PERFORM image::cuckoofilter;
		RETURN 2;
	EXCEPTION WHEN invalid_binary_representation THEN
		RETURN 'refused';
	END;
END
$$;
SQL

# The hash

my @wrong;
my $lengths = 0;
for my $row (rows(<<'SQL'))
	SELECT n, encode(some_bytes(n), 'hex'), filter_hash(some_bytes(n))
	FROM (SELECT generate_series(0, 600) UNION SELECT generate_series(1000, 5000, 61)
		UNION SELECT unnest(ARRAY[1023, 1024, 1025, 2047, 2048, 2049, 3072, 3073, 100000])) AS lengths(n)
SQL
{
	my ($length, $hex, $hash) = @$row;

	$lengths++;
	push @wrong, "length $length" if signed(hash_bytes(pack 'H*', $hex)) ne $hash;
}
cmp_ok($lengths, '>', 600, 'lengths compared');
is_none(\@wrong, 'the hash of bytes of every length is that of filter_hash()');

# Canonical bytes. Text is given in hexadecimal digits, dates and times as integers.

my %shown = (
	text => q(encode(convert_to(v::text, 'UTF8'), 'hex')),
	enum => q(encode(convert_to(v::text, 'UTF8'), 'hex')),
	character => q(encode(convert_to(v::text, 'UTF8'), 'hex')),
	date => q(CASE v WHEN 'infinity' THEN 2147483647 WHEN '-infinity' THEN -2147483648 ELSE v - date '2000-01-01' END),
	time => q((extract(epoch FROM v) * 1000000)::bigint),
	timestamp => q(CASE v WHEN 'infinity' THEN 9223372036854775807 WHEN '-infinity' THEN -9223372036854775807 - 1
		ELSE (extract(epoch FROM date_trunc('second', v) - timestamp '2000-01-01 00:00:00') * 1000000)::bigint
			+ extract(microseconds FROM v)::bigint % 1000000 END),
	timestamptz => q(CASE v WHEN 'infinity' THEN 9223372036854775807 WHEN '-infinity' THEN -9223372036854775807 - 1
		ELSE (extract(epoch FROM date_trunc('second', v) - timestamptz '2000-01-01 00:00:00Z') * 1000000)::bigint
			+ extract(microseconds FROM v)::bigint % 1000000 END));

# The reader's hash of a value as a query shows it.
sub hash_of
{
	my ($kind, $shown) = @_;

	$shown = pack 'H*', $shown if $kind eq 'text' || $kind eq 'enum' || $kind eq 'character';
	return (hash_value("$kind:$shown"))[1];
}

my $numbers = q(generate_series(-1000, 1000) i);
my $texts = q(generate_series(0, 600) i);
my @kinds = (
	[ 'integer', "SELECT (i * 7)::smallint FROM $numbers" ],
	[ 'integer', "SELECT i * 1999993 FROM $numbers" ],
	[ 'integer', "SELECT i * 9007199254740993 FROM $numbers" ],
	[ 'integer', 'SELECT unnest(ARRAY[-9223372036854775807 - 1, 9223372036854775807, 0, -1])' ],
	[ 'integer', 'SELECT i::positive FROM generate_series(1, 20) i' ],
	[ 'text', "SELECT repeat(md5(i::text), 1 + i / 32) || repeat('é', i % 3) FROM $texts" ],
	[ 'text', "SELECT left(repeat(md5(i::text), 20), i) FROM $texts" ],
	[ 'text', "SELECT (repeat('ß', i % 7) || '  ')::varchar FROM $texts" ],
	[ 'text', "SELECT md5(i::text)::name FROM $texts" ],
	[ 'character', "SELECT (repeat('ß', i % 7) || '  ')::char(12) FROM $texts" ],
	[ 'bytea', "SELECT some_bytes(i) FROM $texts" ],
	[ 'uuid', "SELECT md5(i::text)::uuid FROM $texts" ],
	[ 'boolean', 'SELECT unnest(ARRAY[true, false])' ],
	[ 'date', "SELECT date '2000-01-01' + i * 1234 FROM $numbers
		UNION ALL SELECT 'infinity' UNION ALL SELECT '-infinity'" ],
	[ 'time', "SELECT time '00:00' + i * interval '71.123456 seconds' FROM $texts UNION ALL SELECT '24:00'" ],
	[ 'timestamp', "SELECT timestamp '2000-01-01' + i * interval '4567890.123457 seconds' FROM $numbers
		UNION ALL SELECT 'infinity' UNION ALL SELECT '-infinity'" ],
	[ 'timestamptz', "SELECT timestamptz '2000-01-01Z' + i * interval '4567890.123457 seconds' FROM $numbers
		UNION ALL SELECT 'infinity' UNION ALL SELECT '-infinity'" ],
	[ 'float', "SELECT i / 64::float8 FROM $numbers
		UNION ALL SELECT unnest('{-0,nan,inf,-inf,1e300,5e-324}'::float8[])" ],
	[ 'float', "SELECT i / 3::float8 FROM $numbers" ],
	[ 'float', "SELECT (i / 64::float8)::float4 FROM $numbers" ],
	[ 'numeric', "SELECT i * 1.2500 FROM $numbers UNION ALL SELECT i * 1e30 FROM $numbers
		UNION ALL SELECT i * 1e-30 FROM $numbers UNION ALL SELECT 'NaN'" ],
	[ 'enum', 'SELECT unnest(enum_range(NULL::mood))' ]);

for my $case (@kinds)
{
	my ($kind, $values) = @$case;
	my $shown = $shown{$kind} // 'v::text';

	@wrong = ();
	for my $row (rows("SET timezone = 'UTC'; SELECT $shown, filter_hash(v) FROM ($values) AS t(v)"))
	{
		push @wrong, "$row->[0]: $row->[1]" if signed(hash_of($kind, $row->[0])) ne $row->[1];
	}
	is_none(\@wrong, "canonical bytes of $kind: " . $values =~ s/\s+/ /gr);
}

sub part { return defined $_[0] ? pack('C Q<', 1, $_[0]) : "\0" x 9 }

# The canonical bytes of a type with a hash function of its own.
sub by_function { return pack('q<', query("SELECT $_[0]")) }

my @one_to_three = map { hash_of('integer', $_) } 1 .. 3;
my $text_a = hash_of('text', '61');
my @built = (
	[ q('{1,NULL,3}'::int[]), pack('V3', 1, 3, 1) . part($one_to_three[0]) . part(undef) . part($one_to_three[2]) ],
	[ q('{}'::text[]), pack('V', 0) ],
	[ q('[-1:0]={1,2}'::bigint[]), pack('V3', 1, 2, 0xffffffff) . join '', map { part($_) } @one_to_three[ 0, 1 ] ],
	[
		q('{{1,2,3},{3,2,1}}'::smallint[]),
		pack('V5', 2, 2, 1, 3, 1) . join '', map { part($_) } @one_to_three, reverse @one_to_three
	],
	[
		q('1 2'::oidvector),
		pack('V3', 1, 2, 0) . join '', map { part(hash_bytes(by_function("hashoidextended($_, 0)"))) } 1, 2
	],
	[ q(row(1, 'a'::text)), part($one_to_three[0]) . part($text_a) ],
	[ q(row(1, 'a')::pair), part($one_to_three[0]) . part($text_a) ],
	[ q(row(NULL, NULL)::pair), part(undef) . part(undef) ],
	[ q(row()), '' ],
	[ q(ARRAY[row(1, 'a')::pair]), pack('V3', 1, 1, 1) . part(hash_bytes(part($one_to_three[0]) . part($text_a))) ],
	[ q('a'::char(8)), 'a' ],
	[ q(interval '1 day'), by_function(q(interval_hash_extended(interval '1 day', 0))) ],
	[ q('192.168.0.1/24'::inet), by_function(q(hashinetextended('192.168.0.1/24'::inet, 0))) ],
	[ q('{"a": 1}'::jsonb), by_function(q(jsonb_hash_extended('{"a": 1}'::jsonb, 0))) ]);
@wrong = ();
for my $case (@built)
{
	my ($value, $bytes) = @$case;

	push @wrong, $value if signed(hash_bytes($bytes)) ne query("SELECT filter_hash($value)");
}
is_none(\@wrong, 'canonical bytes of arrays, rows and types with a hash function of their own');

query(q(CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'));
$node->safe_psql('latin', 'CREATE EXTENSION cuckoo_filter');
is( $node->safe_psql('latin', q(SELECT filter_hash(convert_from('\xef', 'LATIN1')))),
	signed(hash_bytes("\xc3\xaf")),
	'canonical bytes of text in another encoding are UTF-8');

my $long_row = '(' . join(',', ('integer') x 60) . ')';
my @names = (
	[ q('{1}'::bigint[]), 'integer[]' ],
	[ q(row(1, ARRAY['a'])), '(integer,text[])' ],
	[ q(row(1, 'a')::pair), '(integer,text)' ],
	[ q('1 2'::oidvector), 'oid[]' ],
	[ q(interval '1 day'), 'interval' ],
	[ q('a'::"char"), 'char' ],
	[ q{'[1,2)'::"é %"}, 'public.%C3%A9%20%25(int4)' ],
	[ q{'[1,2)'::int8range}, 'int8range(int8)' ],
	[ q{'a'::char(3)}, 'character' ],
	[
		'row(' . join(',', 1 .. 60) . ')',
		substr($long_row, 0, 238) . sprintf('~%016x', hash_bytes($long_row))
	]);
@wrong = ();
for my $case (@names)
{
	my ($value, $name) = @$case;
	my $filter = open_image(decode_image(query("SELECT cf_add(cf_create(8), $value)")));

	push @wrong, "$value: $filter->{name}" if kind_name($filter) ne $name;
}
is_none(\@wrong, 'names of kinds');

# Integers that share their windows in the layer of cf_create(20): see test/golden/README.md.
my $crowd = '{61, 87, 187, 607, 633, 636, 664}';

# Filters. Each case: a name, the filter type, an expression, a query of values to probe, their kind.

sub series { return "SELECT i::bigint FROM generate_series($_[0]) i" }

my @cases = (
	[ 'no layer, no kind', 'bf', 'bf_create(NULL)', series('1, 20') ],
	[ 'empty', 'bf', 'bf_create(1000)', series('1, 20') ],
	[ 'one probe', 'bf', 'bf_agg(i, 500, 0.5) FROM generate_series(1, 500) i', series('-1000, 2000') ],
	[ 'one block', 'bf', 'bf_agg(i, 600, 0.01) FROM generate_series(1, 600) i', series('-3000, 3000') ],
	[ 'many blocks', 'bf', 'bf_agg(i, 20000, 0.01) FROM generate_series(1, 20000) i', series('19000, 24000') ],
	[ 'many probes', 'bf', 'bf_agg(i, 5000, 1e-7) FROM generate_series(1, 5000) i', series('4000, 7000') ],
	[ 'grown', 'bf', 'bf_add_all(bf_create(10, 0.1), integers(1, 3000))', series('1, 9000, 2') ],
	[ 'not grown', 'bf', 'bf_add_all(bf_create(300, grow => false), integers(1, 900))', series('1, 3000') ],
	[ 'grown, lowest rate', 'bf', 'bf_add_all(bf_create(10, 1e-7), integers(1, 3000))', series('2000, 4000') ],
	[ 'grown from nothing', 'bf', 'bf_add_all(bf_create(NULL), integers(1, 9000))', series('8000, 12000') ],
	[
		'union of unlike ones', 'bf', 'bf_union(bf_add_all(bf_create(300, 0.2), integers(1, 300)),
			bf_add_all(bf_create(4000, 0.05), integers(301, 4000)))', series('-3000, 6000, 3')
	],
	[
		'intersection', 'bf', 'bf_intersection(bf_add_all(bf_create(3000, 0.1), integers(1, 3000)),
			bf_add_all(bf_create(3000, 0.1), integers(1500, 4000)))', series('-1000, 5000, 2')
	],
	[
		'text', 'bf', 'bf_agg(i::text, 3000, 0.05) FROM generate_series(1, 3000) i',
		'SELECT i::text FROM generate_series(2000, 5000) i', 'text'
	],
	[
		'uuids', 'bf', 'bf_agg(md5(i::text)::uuid, 1000, 0.05) FROM generate_series(1, 1000) i',
		'SELECT md5(i::text)::uuid FROM generate_series(1, 3000) i', 'uuid'
	],
	[
		'numerics', 'bf', 'bf_agg(i / 8.0, 1000, 0.1) FROM generate_series(1, 1000) i',
		'SELECT i / 16.0 FROM generate_series(1, 4000) i', 'numeric'
	],
	[
		'dates', 'bf', q(bf_agg(date '2024-01-01' + i, 366, 0.1) FROM generate_series(0, 365) i),
		q(SELECT date '1999-01-01' + i FROM generate_series(0, 12000, 5) i), 'date'
	],
	[
		'intervals', 'bf', q(bf_agg(i * interval '1 day', 1000, 0.1) FROM generate_series(1, 1000) i),
		q(SELECT i * interval '1 day' FROM generate_series(1, 4000) i), 'hash'
	],

	[ 'no layer, no kind', 'cf', 'cf_create(NULL)', series('1, 20') ],
	[ 'empty', 'cf', 'cf_create(1000)', series('1, 20') ],
	[ 'stash', 'cf', "cf_add_all(cf_create(20), '$crowd'::bigint[])", series('1, 900') ],
	[ 'stash, grown', 'cf', "cf_add_all(cf_add_all(cf_create(20), '$crowd'::bigint[]), integers(1, 500))", series('1, 900') ],
	[
		'stash and counters', 'cf', "cf_add_all(cf_create(20), array_fill(61::bigint, ARRAY[6]) || '$crowd'::bigint[] || array_fill(636::bigint, ARRAY[18])
			|| array_fill(664::bigint, ARRAY[14]))", series('1, 900')
	],
	[ 'stash, not grown', 'cf', "cf_add_all(cf_create(20, grow => false), '$crowd'::bigint[])", series('1, 900') ],
	[ 'stash, deleted from', 'cf', "cf_delete_all(cf_add_all(cf_create(20), '$crowd'::bigint[]), ARRAY[61, 636]::bigint[])", series('1, 900') ],
	[
		'set with a stash', 'cf', "cf_union(cf_add_all(cf_create(20), ('$crowd'::bigint[])[:4]), cf_add_all(cf_create(20), ('$crowd'::bigint[])[3:]))",
		series('1, 900')
	],
	[
		'counters', 'cf', 'cf_add_all(cf_create(400, 0.05), (SELECT array_agg(i) FROM generate_series(1::bigint, 300) i, generate_series(1, i % 21)))',
		series('-1000, 2000')
	],
	[
		'counters in several layers', 'cf', 'cf_add_all(cf_add_all(cf_create(50, 0.05), integers(1, 400)),
			(SELECT array_agg(i) FROM generate_series(1::bigint, 400) i, generate_series(1, i % 18)))', series('-500, 2500')
	],
	[ 'not grown', 'cf', 'cf_add_all(cf_create(300, grow => false), integers(1, 300))', series('1, 3000') ],
	[
		'not grown, counters', 'cf', 'cf_add_all(cf_create(2000, 0.1, grow => false),
			ARRAY(SELECT i / 3 FROM generate_series(1::bigint, 800) i))', series('1, 3000')
	],
	[ 'emptied', 'cf', 'cf_delete(cf_add(cf_create(1000), 7), 7)', series('1, 20') ],
	[ 'one page', 'cf', 'cf_agg(i, 5000, 0.01) FROM generate_series(1, 5000) i', series('3000, 9000') ],
	[ 'many pages', 'cf', 'cf_agg(i, 150000, 0.02) FROM generate_series(1, 150000) i', series('145000, 153000') ],
	[ 'grown', 'cf', 'cf_add_all(cf_create(10, 0.1), integers(1, 3000))', series('1, 9000, 2') ],
	[ 'grown, lowest rate', 'cf', 'cf_add_all(cf_create(10, 1e-7), integers(1, 3000))', series('2000, 4000') ],
	[ 'grown, low rate', 'cf', 'cf_add_all(cf_create(10, 2e-6), integers(1, 3000))', series('2000, 4000') ],
	[
		'grown to many pages', 'cf', 'cf_add_all(cf_create(50000, 0.1), integers(1, 120000))',
		series('118000, 124000')
	],
	[ 'grown from nothing', 'cf', 'cf_add_all(cf_create(NULL), integers(1, 9000))', series('8000, 12000') ],
	[
		'copies', 'cf', 'cf_delete_all(cf_add_all(cf_create(50, 0.2),
			(SELECT array_agg(i % 700) FROM generate_series(1::bigint, 1900) i)), integers(300, 500))',
		series('-500, 2500')
	],
	[
		'union of unlike ones', 'cf', 'cf_union(cf_add_all(cf_create(300, 0.2), integers(1, 500)),
			cf_add_all(cf_create(4000, 0.05), integers(301, 4000)))', series('-3000, 6000, 3')
	],
	[
		'union of copies', 'cf', 'cf_union(cf_add_all(cf_create(150, 0.2), integers(1, 90) || integers(1, 50)),
			cf_add_all(cf_create(900, 0.05), integers(1, 90) || integers(1, 50)))', series('-500, 500')
	],
	[
		'compacted', 'cf', 'cf_compact(cf_delete_all(cf_add_all(cf_create(100, 0.1), integers(1, 6000)),
			integers(100, 5000)))', series('-3000, 9000, 3')
	],
	[
		'text', 'cf', 'cf_agg(i::text, 3000, 0.05) FROM generate_series(1, 3000) i',
		'SELECT i::text FROM generate_series(2000, 5000) i', 'text'
	],
	[
		'enum', 'cf', q(cf_agg(v, 10, 0.1) FROM unnest('{sad,happy}'::mood[]) v),
		'SELECT unnest(enum_range(NULL::mood))', 'enum'
	],
	[
		'floats', 'cf', 'cf_agg(i / 8::float8, 1000, 0.1) FROM generate_series(1, 1000) i',
		'SELECT i / 16::float8 FROM generate_series(1, 4000) i', 'float'
	],
	[
		'arrays', 'cf', 'cf_agg(ARRAY[i, 1], 1000, 0.1) FROM generate_series(1, 1000) i',
		'SELECT ARRAY[i, 1] FROM generate_series(1, 4000) i', 'hash'
	]);
# Slots of every width, and many numbers of probes.
for my $rate (map { sprintf '%.3g', 0.5 / 1.7**$_ } 0 .. 28)
{
	push @cases, [ "rate $rate", $_, "${_}_agg(i, 300, $rate) FROM generate_series(1, 300) i", series('-1000, 1000') ]
	  for 'bf', 'cf';
}

my $probed = 0;
my $contained = 0;
my %widths;
my %layers;
my %geometry = (bf => 'blocks, block_bits, probes', cf => 'pages, windows, slot_bits');
for my $case (@cases)
{
	my ($name, $type, $expression, $values, $kind) = @$case;
	my $info;
	my $number = 0;

	$kind //= 'integer';
	query("TRUNCATE tested_$type; INSERT INTO tested_$type SELECT $expression");
	my ($text) = query("SELECT f FROM tested_$type");
	my $filter = open_image(decode_image($text));

	@wrong = ();
	push @wrong, 'hexadecimal digits hold another image'
	  if decode_image(query("SELECT f::bytea FROM tested_$type")) ne ${ $filter->{image} };
	push @wrong, 'raw bytes are not taken as they are'
	  if decode_image(${ $filter->{image} }) ne ${ $filter->{image} };
	($info) = rows("SELECT coalesce(value_kind, 'none'), layers, requested_fpr, bytes - 4,
			(SELECT string_agg(concat_ws(' ', capacity, $geometry{$type}, byte_offset, l.bytes), ';' ORDER BY layer)
			 FROM ${type}_layers(f) AS l)
		FROM tested_$type, ${type}_info(f)");
	my $layers = join ';', map { join ' ', @$_{qw(capacity count size width offset bytes)} } @{ $filter->{layers} };
	push @wrong, 'the header differs: ' . join(', ', @$info)
	  if $filter->{type} != ($type eq 'bf' ? 1 : 2) || kind_name($filter) ne $info->[0] ||
	  @{ $filter->{layers} } != $info->[1] || $filter->{rate} != $info->[2] ||
	  length(${ $filter->{image} }) != $info->[3] || $layers ne $info->[4];

	my $shown = $kind eq 'hash' ? 'filter_hash(v)' : $shown{$kind} // 'v::text';
	my $count = $type eq 'cf' ? 'cf_count(f, v)' : '0';
	for my $row (rows("SELECT $shown, ${type}_contains(f, v)::int, $count FROM tested_$type, ($values) AS t(v)"))
	{
		my $hash = hash_of($kind, $row->[0]);

		$number++;
		$contained += $row->[1];
		push @wrong, "$row->[0]: contains" if contains($filter, $hash) != $row->[1];
		push @wrong, "$row->[0]: count" if $type eq 'cf' && count($filter, $hash) != $row->[2];
	}
	push @wrong, 'no values' if !$number;
	$probed += $number;
	$widths{$type}{ $_->{width} }++ for @{ $filter->{layers} };
	$layers{$type}{ scalar @{ $filter->{layers} } }++;
	is_none(\@wrong, "$type, $name: $number answers agree");
}
note("$probed values probed, $contained contained");
note("widths of $_: ", join ' ', sort { $a <=> $b } keys %{ $widths{$_} }) for 'bf', 'cf';
note("numbers of layers of $_: ", join ' ', sort { $a <=> $b } keys %{ $layers{$_} }) for 'bf', 'cf';
ok($layers{$_}{0} && $layers{$_}{2}, "$_: some have no layer, some have several") for 'bf', 'cf';

# Damage: one bit flipped, truncated, or longer; the reader and the server agree on validity.

my @images = map { decode_image(query("SELECT $_")) } (
	'bf_create(NULL)',
	"bf_add(bf_create(8), 'apple'::text)",
	"bf_add_all(bf_create(2, 0.1), integers(1, 20))",
	'bf_add_all(bf_create(2, grow => false), integers(1, 20))',
	'bf_create(3000, 0.3)',
	'cf_create(NULL)',
	'cf_create(8)',
	'cf_add_all(cf_create(8), ARRAY[1, 42, 42, 42])',
	'cf_add_all(cf_create(8, grow => false), ARRAY[1, 42, 42, 42])',
	'cf_union(cf_add(cf_create(3, 0.3), 1), cf_add_all(cf_create(7, 1e-7), ARRAY[2, 3, 4]))',
	"cf_add(cf_create(8), interval '1 day')",
	'cf_add(cf_create(20, 0.002), row(1, 2))',
	"cf_add_all(cf_create(20), '$crowd'::integer[])",
	"cf_add_all(cf_create(20), '$crowd'::integer[] || ARRAY[696, 1, 2, 3])",
	"cf_add_all(cf_create(20), array_fill(61, ARRAY[6]) || '$crowd'::integer[] || array_fill(636, ARRAY[18]))",
	"cf_add_all(cf_create(8), array_fill(42, ARRAY[20]) || ARRAY[1, 2])",
	'cf_union(cf_add(cf_create(8), 1), cf_add_all(cf_create(8), ARRAY[1, 2]))');
my @damaged;
for my $image (@images)
{
	my $bytes = length $image;

	for my $at (0 .. ($bytes < 200 ? $bytes : 200) - 1)
	{
		for my $bit (0 .. 7)
		{
			my $copy = $image;

			substr($copy, $at, 1) ^= chr(1 << $bit);
			push @damaged, $copy;
		}
	}
	push @damaged, $image, "$image\0", "\0$image";
	push @damaged, map { substr($image, 0, $_) } 0 .. ($bytes < 200 ? $bytes : 200) - 1;
	# Rates at, and just out of, the ends of their range; no number; infinity; a negative one.
	for my $rate (0x3e7ad7f29abcaf48, 0x3fe0000000000000, 0x3e7ad7f29abcaf47, 0x3fe0000000000001, 0x7ff8000000000000,
		0x7ff0000000000000, 0xbfb0000000000000)
	{
		push @damaged, substr($image, 0, 8) . pack('Q<', $rate) . substr($image, 16);
	}
}
# An image of one layer with a type, count, size, width and number of zero bytes after the header.
sub image_of_integers
{
	my ($type, $count, $size, $width, $bytes) = @_;

	return pack('a4 C4 d< C2 v V', 'ckfl', 1, $type, 1, 1, 0.01, 1, 0, 0, 0) .
	  pack('Q< V v C2 Q<', 10, $count, $size, $width, 0, 48) . "\0" x $bytes;
}
# Geometries, with as many bytes after the descriptor as they need.
for my $type (1, 2)
{
	for my $geometry (
		[ 1, 0, 1 ], [ 0, 512, 1 ], [ 1, 32, 1 ], [ 1, 64, 0 ], [ 1, 64, 32 ], [ 1, 64, 33 ], [ 1, 72, 1 ],
		[ 1, 8192, 1 ], [ 1, 8256, 1 ], [ 2, 512, 1 ], [ 2, 64, 1 ], [ 3, 1024, 7 ], [ 1, 1, 5 ], [ 1, 1, 6 ],
		[ 1, 1, 28 ], [ 1, 1, 29 ], [ 1, 1, 31 ], [ 1, 1, 32 ], [ 1, 1, 33 ], [ 1, 0, 8 ], [ 0, 1, 8 ],
		[ 1, 32767, 6 ], [ 1, 32768, 6 ], [ 3, 5, 11 ])
	{
		my ($count, $size, $width) = @$geometry;
		my $bytes = $type == 1 ? $count * int($size / 8) : int(($count * 2 * ($size + 1) * $width + 7) / 8) + 7;

		push @damaged, image_of_integers($type, @$geometry, $bytes + $_) for -1, 0, 1;
	}
}
# Entries of every slot of a small cuckoo filter: the empty one, the impossible one, some possible ones.
for my $slot (0 .. 9)
{
	for my $entry (0 .. 3, 254, 255)
	{
		my $copy = image_of_integers(2, 1, 4, 8, 17);

		substr($copy, 48 + $slot, 1) = chr $entry;
		push @damaged, $copy;
		# The same in a set.
		my $set = $copy;
		substr($set, 17, 1) = "\1";
		push @damaged, $set;
		# The same with counters, of all slots, of one and of none.
		substr($copy, 39, 1) = "\1";
		push @damaged, map { $copy . $_ } "\xff" x 5, "\0" x 5, "\0" x ($slot >> 1) . chr(1 << 4 * ($slot & 1)) . "\0" x (4 - ($slot >> 1));
	}
}
# Stashes of a layer of 4 windows and 8 bits, of a filter that counts and of a set: used, and words.
for my $stash (
	[], [0], [ 0, 0 ], [ 1, 0 ], [ 1, 0x10 ], [ 1, 0x1f ], [ 1, 0x800 ], [ 1, 0x7f0 ], [ 1, 0x1ff0 ], [ 1, 0x2000 ], [ 1, 0x2010 ], [ 1, 1 << 63 | 0x10 ],
	[ 2, 0x10 ], [ 1 << 32 | 1, 0x10 ], [ 2, 0x10, 0x20 ], [ 2, 0x20, 0x10 ], [ 2, 0x10, 0x11 ], [ 2, 0x10, 0x10 ], [ 1, 0x10, 0x20 ], [ 0, 0x10 ],
	[ 2, 0x10, 0x20, 0, 0 ], [ 3, 0x10, 0x20, 0x1ff0 ], [ 3, 0x10, 0x20, 0x1fff ])
{
	for my $flags (0, 1)
	{
		my $copy = image_of_integers(2, 1, 4, 8, 17) . pack('Q<*', @$stash);

		substr($copy, 17, 1) = chr $flags;
		for my $layer_flags (0 .. 4)
		{
			substr($copy, 39, 1) = chr $layer_flags;
			push @damaged, $copy, "$copy\0", substr($copy, 0, -1);
			push @damaged, substr($copy, 0, 65) . "\0" x 5 . substr($copy, 65);
		}
	}
}
my @verdicts = map { $_->[0] } rows("SELECT verdict(decode(h, 'hex')) FROM unnest(ARRAY["
	  . join(',', map { "'" . unpack('H*', $_) . "'" } @damaged)
	  . "]) WITH ORDINALITY AS damaged(h, n) ORDER BY n");
my %verdicts;
@wrong = ();
for my $i (0 .. $#damaged)
{
	my $verdict = eval { open_image($damaged[$i])->{type} } // 'refused';

	$verdicts{$verdict}++;
	push @wrong, unpack('H*', $damaged[$i]) . ": $verdict, not $verdicts[$i]" if $verdict ne ($verdicts[$i] // '');
}
note(join ', ', map { "$_: $verdicts{$_}" } sort keys %verdicts);
cmp_ok(keys %verdicts, '==', 3, 'some are images, some are not');
is_none(\@wrong, 'the reader rejects the images that the server rejects, and no others');

# The numbers of the page of examples. Every row of a table with bytes and a hash, and every test vector.

my $document = slurp_file("$FindBin::Bin/../../docs/format_examples.md");
my $examples = 0;
@wrong = ();
while ($document =~ /^\|[^|]*\|[^|]*\| (none|`(?:[0-9a-f]{2} ?)+`) \| `([0-9a-f]{16})` \|$/mg)
{
	my ($bytes, $hash) = ($1 eq 'none' ? '' : $1, $2);

	$bytes =~ tr/0-9a-f//cd;
	$examples++;
	push @wrong, $hash if sprintf('%016x', hash_bytes(pack 'H*', $bytes)) ne $hash;
}
while ($document =~ /\| ([0-9]+) \| `([0-9a-f]{16})` (?=\|)/g)
{
	$examples++;
	push @wrong, "$1 bytes" if sprintf('%016x', hash_bytes(join '', map { chr($_ & 255) } 0 .. $1 - 1)) ne $2;
}
cmp_ok($examples, '>', 40, 'examples in the document');
is_none(\@wrong, 'the hashes in the document are correct');

my @texts = $document =~ /^As text: `([^`]*)`$/mg;
is_deeply(
	\@texts,
	[
		query("SELECT bf_add_all(bf_create(3), ARRAY['apple', 'banana', 'cherry'])"),
		query('SELECT cf_add_all(cf_create(10), ARRAY(SELECT generate_series(1, 10)))'),
		query('SELECT cf_add_all(cf_create(10), ARRAY(SELECT i FROM generate_series(1, 4) i, generate_series(1, 13 + i)))'),
		query("SELECT cf_add_all(cf_create(20), array_fill(61, ARRAY[5]) || '$crowd'::integer[] || ARRAY[664, 664] || array_fill(636, ARRAY[16]))"),
		query('SELECT cf_add_all(cf_create(10, 0.001), ARRAY(SELECT generate_series(1, 5))) | cf_add_all(cf_create(20, 0.001), ARRAY(SELECT generate_series(4, 12)))')
	],
	'the images in the document are what the server makes');
my @dumps = map { my $dump = $_; $dump =~ s/^ *[0-9]+://mg; $dump =~ tr/0-9a-f//cd; pack 'H*', $dump }
  $document =~ /^```\n( *0: 63 6b 66 6c.*?)^```$/msg;
is_deeply(
	[ map { unpack 'H*', $_ } @dumps ],
	[ map { unpack 'H*', decode_image($_) } @texts ],
	'and so are their dumps');
my @geometries = $document =~ /^\| ([0-9]+ \| [0-9.e-]+ \| [0-9]+ \| [0-9]+ \| [0-9]+) \|$/mg;
is_deeply(
	[
		map { join ' | ', @$_ } map { rows("SELECT $_->[0], '$_->[1]', blocks, block_bits, probes FROM bf_layers(bf_create($_->[0], $_->[1]))") }
		map { [ split / \| / ] } @geometries
	],
	\@geometries,
	'the geometries in the document are what the server chooses');
cmp_ok(scalar @geometries, '>', 5, 'geometries in the document');

# The program itself

my $tempdir = PostgreSQL::Test::Utils::tempdir();
append_to_file("$tempdir/bloom", "$texts[0]\n");
append_to_file("$tempdir/cuckoo", decode_image(query('SELECT cf_add_all(cf_create(8), ARRAY[1, 42, 42, 42])')));
sub command { return [ $^X, $reader, @_ ] }
command_like(command("$tempdir/cuckoo"), qr/^kind +integer\n.*1 pages of 4 windows a half, 9 bits a slot$/ms, 'header');
command_like(command("$tempdir/bloom", 'contains', 'text:apple', 'text:pear'), qr/^t\nf\n$/, 'contains');
command_like(command("$tempdir/cuckoo", 'count', 'integer:1', 'integer:42', 'integer:7'), qr/^1\n3\n0\n$/, 'count');
command_like(command('hash', 'integer:42', 'text:apple'), qr/^-3051478158665635896\n5871078790819449344\n$/, 'hash');
command_fails_like(command("$tempdir/bloom", 'contains', 'integer:1'), qr/holds values of kind text/, 'another kind');
command_fails_like(command($reader), qr/neither base64/, 'no image');

$node->stop;
done_testing();
