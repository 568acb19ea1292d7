#!/usr/bin/env perl
# Writes vectors.json, for programs in any language that read filters or make hashes, and verdicts.tsv, its images that must be
# refused or accepted, for the unit tests. See the README here.
#
#   make_vectors.pl [FOLDER]       from the golden images, beside them, or into another folder
#
# Nothing is taken from the extension but the golden images and values.tsv: hashes, canonical bytes and the fields of the images
# are those of test/reader/read_filter.pl. test/t/021_vectors.pl compares all of them with the server.
use strict;
use warnings;
no warnings 'portable';

use Encode qw(decode_utf8);
use File::Basename qw(dirname);
use File::Spec;
use JSON::PP;
use MIME::Base64 qw(encode_base64);

my $golden = dirname(File::Spec->rel2abs(__FILE__));
require "$golden/../reader/read_filter.pl";

sub hex_of { return unpack('H*', $_[0]) }

sub hex_hash { return sprintf('%016x', $_[0]) }

# The number as SQL has it, a string: JSON's numbers are often read as doubles.
sub signed { return '' . unpack('q<', pack('Q<', $_[0])) }

sub hash_fields
{
	my ($bytes) = @_;
	my $hash = hash_bytes($bytes);

	return (canonical_bytes => hex_of($bytes), hash => hex_hash($hash), filter_hash => signed($hash));
}

# Values: how SQL writes them, the name of their kind, and their canonical bytes. "mood" is an enum, "pair" a composite type of an
# integer and a text.

# Canonical bytes of KIND:VALUE; of nested values, from their parts.
sub simple { return canonical_bytes($_[0]) }

sub part { return defined $_[0] ? "\1" . pack('Q<', hash_bytes($_[0])) : "\0" x 9 }

sub array
{
	my ($dimensions, @elements) = @_;

	return pack('V', scalar @$dimensions) . join('', map { pack('V l<', @$_) } @$dimensions) . join('', map { part($_) } @elements);
}

sub row { return join('', map { part($_) } @_) }


sub integer { return simple("integer:$_[0]") }

my $long_text = join(' ', map { "word$_" } 1 .. 40);
my @values = (
	[ '0::integer', 'integer', integer(0) ],
	[ '42::smallint', 'integer', integer(42) ],
	[ '42::integer', 'integer', integer(42) ],
	[ '42::bigint', 'integer', integer(42) ],
	[ '(-1)::integer', 'integer', integer(-1) ],
	[ "'9223372036854775807'::bigint", 'integer', integer('9223372036854775807') ],
	[ "'-9223372036854775808'::bigint", 'integer', integer('-9223372036854775808') ],
	[ "''::text", 'text', '' ],
	[ "'apple'::text", 'text', 'apple' ],
	[ "'apple'::varchar", 'text', 'apple' ],
	[ "'apple'::name", 'text', 'apple' ],
	[ "'apple '::text", 'text', 'apple ' ],
	[ "'naïve'::text", 'text', "na\xc3\xafve" ],
	[ "'日本語'::text", 'text', "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e" ],
	[ "'😀'::text", 'text', "\xf0\x9f\x98\x80" ],
	[ "'$long_text'::text", 'text', $long_text ],
	[ "'apple'::char(8)", 'character', simple('character:apple   ') ],
	[ "'\\x00ff'::bytea", 'bytea', simple('bytea:00ff') ],
	[ "'00112233-4455-6677-8899-aabbccddeeff'::uuid", 'uuid', simple('uuid:00112233-4455-6677-8899-aabbccddeeff') ],
	[ 'true', 'boolean', simple('boolean:true') ],
	[ 'false', 'boolean', simple('boolean:false') ],
	[ "'2024-02-29'::date", 'date', simple('date:8825') ],
	[ "'1999-12-31'::date", 'date', simple('date:-1') ],
	[ "'infinity'::date", 'date', simple('date:2147483647') ],
	[ "'-infinity'::date", 'date', simple('date:-2147483648') ],
	[ "'12:34:56.789'::time", 'time', simple('time:45296789000') ],
	[ "'24:00:00'::time", 'time', simple('time:86400000000') ],
	[ "'2024-02-29 12:34:56.789'::timestamp", 'timestamp', simple('timestamp:762525296789000') ],
	[ "'-infinity'::timestamp", 'timestamp', simple('timestamp:-9223372036854775808') ],
	[ "'2024-02-29 12:34:56.789+02'::timestamptz", 'timestamptz', simple('timestamptz:762518096789000') ],
	[ "'infinity'::timestamptz", 'timestamptz', simple('timestamptz:9223372036854775807') ],
	[ '1.5::double precision', 'float', simple('float:1.5') ],
	[ '1.5::real', 'float', simple('float:1.5') ],
	[ "'0.1'::double precision", 'float', simple('float:0.1') ],
	[ "'0.1'::real", 'float', pack('d<', unpack('f<', pack('f<', 0.1))) ],
	[ "'-0'::double precision", 'float', simple('float:0') ],
	[ "'NaN'::real", 'float', simple('float:nan') ],
	[ "'-Infinity'::double precision", 'float', simple('float:-inf') ],
	[ '0.00::numeric', 'numeric', simple('numeric:0.00') ],
	[ '(-1.50)::numeric', 'numeric', simple('numeric:-1.50') ],
	[ '1e3::numeric', 'numeric', simple('numeric:1000') ],
	[ "'-9223372036854775808'::numeric", 'numeric', simple('numeric:-9223372036854775808') ],
	[ "'9223372036854775808'::numeric", 'numeric', simple('numeric:9223372036854775808') ],
	[ '.5::numeric', 'numeric', simple('numeric:.5') ],
	[ "'123456789012345678901234567890.0987654321'::numeric", 'numeric',
		simple('numeric:123456789012345678901234567890.0987654321') ],
	[ "'NaN'::numeric", 'numeric', simple('numeric:nan') ],
	[ "'ok'::mood", 'enum', 'ok' ],
	[ "'x'::\"char\"", 'char', integer(ord 'x') ],
	[ "'{1,NULL}'::integer[]", 'integer[]', array([ [ 2, 1 ] ], integer(1), undef) ],
	[ "'{}'::text[]", 'text[]', array([]) ],
	[ "'[0:1][2:3]={{a,b},{c,d}}'::text[]", 'text[]', array([ [ 2, 0 ], [ 2, 2 ] ], qw(a b c d)) ],
	[ "ROW(42, 'apple'::text)", '(integer,text)', row(integer(42), 'apple') ],
	[ "ROW(42, NULL)::pair", '(integer,text)', row(integer(42), undef) ],
	[ "ROW(1, ARRAY['a'::text])", '(integer,text[])', row(integer(1), array([ [ 1, 1 ] ], 'a')) ],
	[ "'1 day'::interval", 'interval', pack('q<', 8030965169264967180) ]);

# Images

sub read_text
{
	open(my $file, '<', "$golden/$_[0]") or die "$golden/$_[0]: $!\n";
	local $/ = undef;
	return <$file>;
}

my %sql_type = (none => 'integer', integer => 'integer', text => 'text', uuid => 'uuid', float => 'double precision',
	'integer[]' => 'integer[]');
my (%image, %answers, @names);
my (undef, @lines) = split /\n/, read_text('values.tsv');
for my $line (@lines)
{
	my ($name, $value, $bytes, $hash, $answer) = split /\t/, $line, -1;

	if (!$image{$name})
	{
		$image{$name} = pack('H*', read_text("$name.hex") =~ s/\s+//gr);
		push @names, $name;
	}
	my $filter = open_image($image{$name});
	my %fields = hash_fields(pack 'H*', $bytes);
	die "$name: the hash of $value differs\n" if $fields{hash} ne $hash;
	my $sql = "'$value'::" . $sql_type{ kind_name($filter) };
	my $contained = $answer > 0 ? JSON::PP::true : JSON::PP::false;
	push @{ $answers{$name} },
	  { sql => decode_utf8($sql), %fields, contains => $contained, $filter->{type} == 2 ? (count => 0 + $answer) : () };
}

sub bits_set { return unpack('%32b*', $_[0]) }

sub slots_taken
{
	my ($filter, $layer) = @_;

	return scalar grep { entry($filter, $layer, $_) != 0 } 0 .. slots($layer) - 1;
}

sub layer_fields
{
	my ($filter, $layer) = @_;
	my $is_bloom = $filter->{type} == 1;
	my %fields = (capacity => $layer->{capacity}, byte_offset => $layer->{offset}, bytes => $layer->{bytes});

	@fields{ $is_bloom ? qw(blocks block_bits probes) : qw(pages windows slot_bits) } = @$layer{qw(count size width)};
	$fields{bits_set} = bits_set(substr(${ $filter->{image} }, $layer->{offset}, $layer->{bytes})) if $is_bloom;
	$fields{slots_taken} = slots_taken($filter, $layer) if !$is_bloom;
	return \%fields;
}

sub image_fields
{
	my ($name) = @_;
	my $filter = open_image($image{$name});

	return {
		name => $name,
		image => hex_of($image{$name}),
		text => encode_base64($image{$name}, ''),
		type => $filter->{type} == 1 ? 'bloomfilter' : 'cuckoofilter',
		kind => kind_name($filter),
		flags => ord(substr($image{$name}, 17, 1)),
		requested_fpr => $filter->{rate},
		layers => [ map { layer_fields($filter, $_) } @{ $filter->{layers} } ],
		answers => $answers{$name} };
}

# Images that must be refused. The rule is that of "Validity" in docs/format.md, the reason what the extension says in the detail of
# its error. Each image breaks that rule and no other, but where it would have to be very large for that: rule 17, and a layer of
# 32768 windows; and where an image that ends early cannot have what comes later.

# A copy of an image, given by its name or as a whole, with bytes from an offset on replaced.
sub changed
{
	my ($name, @changes) = @_;
	my $copy = $image{$name} // $name;

	while (my ($at, $bytes) = splice @changes, 0, 2)
	{
		substr($copy, $at, length $bytes) = $bytes;
	}
	return $copy;
}

# The same with another entry in a slot of its only layer.
sub with_entry
{
	my ($name, $slot, $entry) = @_;
	my $layer = open_image($image{$name})->{layers}[0];
	my $bit = $slot * $layer->{width};
	my $at = $layer->{offset} + ($bit >> 3);
	my $mask = ((1 << $layer->{width}) - 1) << ($bit & 7);
	my $word = unpack('Q<', substr($image{$name}, $at, 8));

	return changed($name, $at => pack('Q<', ($word & ~$mask) | ($entry << ($bit & 7))));
}

# The offset in an image of a field of its first descriptor.
my %field = (capacity => 0, count => 8, size => 12, width => 14, reserved => 15, offset => 16);

sub with_field
{
	my ($name, %values) = @_;
	my $descriptor = open_image($image{$name})->{layers}[0]{offset} - 24;
	my %packed = (capacity => 'Q<', count => 'V', size => 'v', width => 'C', reserved => 'C', offset => 'Q<');

	return changed($name, map { $descriptor + $field{$_} => pack($packed{$_}, $values{$_}) } sort keys %values);
}

# An image that breaks no other rule, with layers of zero bytes: [count, size, width] each. All have the same number of bytes.
sub empty_layers
{
	my ($type, $kind, $name, $bytes, @layers) = @_;
	my $padded = $name . "\0" x (-length($name) & 7);
	my $offset = 24 + length($padded) + 24 * @layers - $bytes;

	return pack('a4 C4 d< C2 v V', 'ckfl', 1, $type, 1, scalar @layers, 0.01, $kind, 0, length $name, 0) . $padded
	  . join('', map { pack('Q< V v C2 Q<', 10, @$_, 0, $offset += $bytes) } @layers) . "\0" x ($bytes * @layers);
}

# An empty filter of a named kind.
sub named { return empty_layers(1, 13, $_[0], 8, [ 1, 64, 7 ]) }

sub bloom_geometry
{
	my ($what, $blocks, $bits, $probes) = @_;

	return [ "bloom_of_$what", 15, 'the geometry of a layer is invalid',
		empty_layers(1, 1, '', $blocks * $bits / 8, [ $blocks, $bits, $probes ]) ];
}

sub cuckoo_geometry
{
	my ($what, $pages, $windows, $slot_bits) = @_;

	return [ "cuckoo_of_$what", 15, 'the geometry of a layer is invalid',
		empty_layers(2, 1, '', ($pages * 2 * ($windows + 1) * $slot_bits + 7 >> 3) + 7, [ $pages, $windows, $slot_bits ]) ];
}

my $rate = 'its false positive rate is out of range';
my $reserved = 'its reserved bytes are not zero';
my $early = 'it ends early';
my $entry = 'a slot holds an invalid entry';
my $sources = 'it records source types that its value kind does not include';
my $name_length = 'the name of its value kind has an invalid length';
my $name = 'the name of its value kind contains a character that is not printable ASCII';
my $crowded = open_image($image{cuckoo_crowded})->{layers}[0];
my $plain = open_image($image{cuckoo_integers})->{layers}[0];
my $slots_end = $plain->{offset} + (slots($plain) * $plain->{width} >> 3);
my $half = $plain->{size} + 1;
my @invalid = (
	[ 'empty', 1, $early, '' ],
	[ 'header_cut', 1, $early, substr($image{bloom_text}, 0, 23) ],
	[ 'magic', 2, 'it does not begin with the magic number of a filter', changed('bloom_text', 0 => 'CKFL') ],
	[ 'version', 2, 'its format version is unknown to this release', changed('bloom_text', 4 => "\2") ],
	[ 'hash', 2, 'its hash function is unknown to this release', changed('cuckoo_integers', 6 => "\2") ],
	[ 'type_0', 3, 'its filter type is unknown', changed('cuckoo_integers', 5 => "\0") ],
	[ 'type_3', 3, 'its filter type is unknown', changed('cuckoo_integers', 5 => "\3") ],
	[ 'layers_33', 4, 'it has too many layers', empty_layers(1, 1, '', 8, ([ 1, 64, 7 ]) x 33) ],
	[ 'rate_too_low', 5, $rate, changed('bloom_text', 8 => pack('Q<', 0x3e7ad7f29abcaf47)) ],
	[ 'rate_too_high', 5, $rate, changed('cuckoo_integers', 8 => pack('Q<', 0x3fe0000000000001)) ],
	[ 'rate_negative', 5, $rate, changed('bloom_text', 8 => pack('d<', -0.01)) ],
	[ 'rate_nan', 5, $rate, changed('bloom_text', 8 => pack('Q<', 0x7ff8000000000000)) ],
	[ 'rate_infinite', 5, $rate, changed('bloom_text', 8 => pack('Q<', 0x7ff0000000000000)) ],
	[ 'flags_unknown', 6, 'it has unknown flags', changed('cuckoo_integers', 17 => "\x80") ],
	[ 'fixed_without_layer', 6, 'it does not grow, but does not have exactly one layer', changed('bloom_no_layers', 17 => "\2") ],
	[ 'fixed_with_layers', 6, 'it does not grow, but does not have exactly one layer', changed('bloom_layers', 17 => "\2") ],
	[ 'flags_wildcards_in_bloom', 6, 'it has unknown flags', changed('bloom_text', 17 => "\1") ],
	[ 'reserved_21', 7, $reserved, changed('bloom_text', 21 => "\1") ],
	[ 'reserved_23', 7, $reserved, changed('cuckoo_integers', 23 => "\x80") ],
	[ 'sources_of_text', 7, $sources, changed('bloom_text', 20 => "\4") ],
	[ 'sources_of_integers', 7, $sources, changed('cuckoo_integers', 20 => "\1") ],
	[ 'sources_of_arrays', 7, $sources, changed('bloom_named', 20 => "\1") ],
	[ 'sources_of_name_text', 7, $sources, changed(named('text'), 20 => "\1") ],
	[ 'sources_of_name_text_tilde', 7, $sources, changed(named('text~'), 20 => "\1") ],
	[ 'sources_of_named_characters', 7, $sources, changed(named('character '), 20 => "\1") ],
	[ 'sources_of_named_text', 7, $sources, changed(named('text '), 20 => "\4") ],
	[ 'kind_15', 8, 'its value kind is unknown', changed('cuckoo_integers', 16 => chr 15) ],
	[ 'name_missing', 9, $name_length, changed('cuckoo_integers', 16 => chr 13) ],
	[ 'name_of_integers', 9, $name_length, empty_layers(2, 1, 'x', 19, [ 1, 4, 9 ]) ],
	[ 'name_of_256_bytes', 9, $name_length, named('x' x 256) ],
	[ 'descriptors_cut', 10, $early, substr($image{bloom_text}, 0, 47) ],
	[ 'name_cut', 10, $early, substr($image{bloom_named}, 0, 30) ],
	[ 'name_control_character', 11, $name, changed('bloom_named', 24 => "\x1f") ],
	[ 'name_delete', 11, $name, changed('bloom_named', 24 => "\x7f") ],
	[ 'name_not_ascii', 11, $name, changed('cuckoo_named', 32 => "\xe9") ],
	[ 'name_padding', 12, $reserved, changed('bloom_named', 39 => "\1") ],
	[ 'capacity_0', 13, 'the capacity of a layer is out of range', with_field('bloom_text', capacity => 0) ],
	[ 'capacity_2_to_63', 13, 'the capacity of a layer is out of range', with_field('cuckoo_integers', capacity => 1 << 63) ],
	[ 'descriptor_reserved', 14, $reserved, with_field('bloom_text', reserved => 1) ],
	bloom_geometry('no_blocks', 0, 512, 7),
	bloom_geometry('two_blocks_of_64_bits', 2, 64, 7),
	bloom_geometry('two_blocks_of_1024_bits', 2, 1024, 7),
	bloom_geometry('no_bits', 1, 0, 7),
	bloom_geometry('72_bits', 1, 72, 7),
	bloom_geometry('8256_bits', 1, 8256, 7),
	bloom_geometry('no_probes', 1, 64, 0),
	bloom_geometry('33_probes', 1, 64, 33),
	cuckoo_geometry('no_pages', 0, 4, 9),
	cuckoo_geometry('no_windows', 1, 0, 9),
	cuckoo_geometry('5_bits', 1, 4, 5),
	cuckoo_geometry('29_bits', 1, 4, 29),
	cuckoo_geometry('31_bits', 1, 4, 31),
	cuckoo_geometry('33_bits', 1, 4, 33),
	[ 'cuckoo_of_32768_windows', 15, 'the geometry of a layer is invalid', with_field('cuckoo_integers', size => 32768) ],
	[ 'offset_too_large', 16, 'the offset of a layer is wrong', with_field('bloom_text', offset => 56) ],
	[ 'offset_too_small', 16, 'the offset of a layer is wrong', with_field('bloom_text', offset => 47) ],
	[ 'too_large', 17, 'it is larger than a filter can be', with_field('bloom_text', count => 8192000, size => 512) ],
	[ 'layer_cut', 18, $early, substr($image{bloom_text}, 0, -1) ],
	[ 'tail_cut', 18, $early, substr($image{cuckoo_integers}, 0, -1) ],
	[ 'byte_behind_the_end', 18, 'it has extra bytes at the end', "$image{bloom_text}\0" ],
	[ 'bits_without_kind', 19, 'it holds values but no kind of value', changed('bloom_empty', length($image{bloom_empty}) - 1 => "\x80") ],
	[ 'entries_without_kind', 19, 'it holds values but no kind of value', changed('cuckoo_integers', 16 => "\0") ],
	[ 'fingerprint_0', 20, $entry, with_entry('cuckoo_integers', 1, 1) ],
	[ 'second_slot_before_lower_half', 20, $entry, with_entry('cuckoo_integers', 0, 3) ],
	[ 'first_slot_at_end_of_lower_half', 20, $entry, with_entry('cuckoo_integers', $half - 1, 2) ],
	[ 'second_slot_before_upper_half', 20, $entry, with_entry('cuckoo_integers', $half, 3) ],
	[ 'first_slot_at_end_of_upper_half', 20, $entry, with_entry('cuckoo_integers', 2 * $half - 1, 2) ],
	[ 'wildcard_in_upper_half', 20, $entry, with_entry('cuckoo_crowded', $crowded->{size} + 2, 1) ],
	[ 'wildcard_without_flag', 20, $entry, changed('cuckoo_crowded', 17 => "\0") ],
	[ 'bit_behind_the_slots', 21, $entry, changed('cuckoo_integers', $slots_end => chr(ord(substr($image{cuckoo_integers}, $slots_end, 1)) | 0x80)) ],
	[ 'byte_behind_the_slots', 21, $entry, changed('cuckoo_integers', length($image{cuckoo_integers}) - 1 => "\1") ]);

# Images that must be accepted: at the ends of each range of a rule. Each is [name, image].
my @valid = (
	(map { [ "rate_$_", changed('bloom_text', 8 => pack('Q<', hex $_)) ] } qw(3e7ad7f29abcaf48 3fe0000000000000)),
	[ 'layers_32', empty_layers(1, 1, '', 8, ([ 1, 64, 7 ]) x 32) ],
	[ 'flags_fixed', changed('bloom_text', 17 => "\2") ],
	[ 'flags_wildcards_fixed', changed('cuckoo_integers', 17 => "\3") ],
	[ 'sources_of_text_3', changed('bloom_text', 20 => "\3") ],
	[ 'sources_of_floats_3', changed('cuckoo_wide', 20 => "\3") ],
	[ 'name_of_255_bytes', named('~' x 255) ],
	[ 'name_of_a_space', named(' ') ],
	(map { [ 'name_' . ($_ =~ s/ /_/r), changed(named($_), 20 => "\3") ] } 'text ', 'text x'),
	[ 'capacity_of_2_to_63_minus_1', with_field('cuckoo_integers', capacity => (1 << 63) - 1) ],
	(map { [ "bloom_of_$_->[0]_blocks_of_$_->[1]_bits_$_->[2]_probes", empty_layers(1, 1, '', $_->[0] * $_->[1] / 8, $_) ] }
		  [ 1, 64, 1 ], [ 1, 512, 32 ], [ 1, 8192, 7 ], [ 2, 512, 7 ]),
	(map { [ "cuckoo_of_$_->[0]_pages_of_$_->[1]_windows_$_->[2]_bits",
			empty_layers(2, 1, '', ($_->[0] * 2 * ($_->[1] + 1) * $_->[2] + 7 >> 3) + 7, $_) ] }
		  [ 1, 1, 6 ], [ 1, 4, 28 ], [ 1, 4, 32 ], [ 3, 5, 11 ]),
	[ 'wildcard_in_last_lower_slot', with_entry('cuckoo_crowded', $crowded->{size}, 1) ]);

# Text forms of an image: [text, whether a reader must accept it]. It must skip the first four characters, and no other.
my ($front, $back) = encode_base64($image{bloom_text}, '') =~ /^(.{9})(.*)$/;
my @texts = (
	(map { [ "$front$_$back", JSON::PP::true ], [ "$_$front$back$_", JSON::PP::true ] } ' ', "\t", "\n", "\r"),
	(map { [ "$front$_$back", JSON::PP::false ], [ "$_$front$back", JSON::PP::false ], [ "$front$back$_", JSON::PP::false ] }
		  "\x0b", "\x0c", "\x1c", "\x{85}", "\x{a0}", "\x{2003}", "\x{feff}", '-', '_', '='),
	[ "$front$back==", JSON::PP::false ], [ "$front$back====", JSON::PP::false ],
	[ encode_base64($image{bloom_no_layers}, '') =~ s/.\z//r, JSON::PP::false ]);

# The files

my $json = JSON::PP->new->canonical->ascii;

# One entry a line.
sub list
{
	my ($key, @entries) = @_;

	return qq("$key": [\n) . join(",\n", map { $json->encode($_) } @entries) . "\n]";
}

sub write_file
{
	my ($path, $content) = @_;

	open(my $file, '>', $path) or die "$path: $!\n";
	print $file $content;
	close($file) or die "$path: $!\n";
	return;
}

my $folder = $ARGV[0] // $golden;
write_file("$folder/vectors.json", "{\n" . join(",\n",
		'"format_version": 1',
		list('values', map { { sql => decode_utf8($_->[0]), kind => $_->[1], hash_fields($_->[2]) } } @values),
		list('hashes', map { { hash_fields(join '', map { chr($_ & 255) } 0 .. $_ - 1) } }
			  0 .. 9, 16, 17, 32, 33, 64, 65, 96, 97, 128, 129, 144, 240, 241, 256, 1024, 1025),
		list('images', map { image_fields($_) } @names),
		list('invalid', map { { name => $_->[0], rule => $_->[1], reason => $_->[2], image => hex_of($_->[3]) } } @invalid),
		list('valid', map { { name => $_->[0], image => hex_of($_->[1]) } } @valid),
		list('texts', map { { text => $_->[0], valid => $_->[1] } } @texts))
	  . "\n}\n");
write_file("$folder/verdicts.tsv", "name\trule\treason\timage\n"
	  . join('', map { join("\t", @$_[ 0 .. 2 ], hex_of($_->[3])) . "\n" } @invalid, map { [ $_->[0], '', '', $_->[1] ] } @valid));
