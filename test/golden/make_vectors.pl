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

# A field of the descriptor of layer $i: where it is, and how it is packed.
my %field = (capacity => [ 0, 'Q<' ], count => [ 8, 'V' ], size => [ 12, 'v' ], width => [ 14, 'C' ], flags => [ 15, 'C' ], offset => [ 16, 'Q<' ]);

sub field_at
{
	my ($filter, $i, $field) = @_;

	return $filter->{layers}[0]{offset} - 24 * (@{ $filter->{layers} } - $i) + $field{$field}[0];
}

# The words of a stash: the number used, and all others; none if a layer has no stash.
sub stash
{
	my ($filter, $i) = @_;
	my $layer = $filter->{layers}[$i];
	my $flags = ord substr(${ $filter->{image} }, field_at($filter, $i, 'flags'), 1);
	my $before = (slots($layer) * $layer->{width} + 7 >> 3) + 7 + ($flags & 1 ? slots($layer) / 2 : 0);

	return $flags & 2 ? unpack('Q<*', substr(${ $filter->{image} }, $layer->{offset} + $before, $layer->{bytes} - $before)) : ();
}

# The copies that a layer counts beyond one for each entry.
sub further_copies
{
	my ($filter, $i) = @_;
	my $layer = $filter->{layers}[$i];
	my $flags = ord substr(${ $filter->{image} }, field_at($filter, $i, 'flags'), 1);
	my $at = $layer->{offset} + (slots($layer) * $layer->{width} + 7 >> 3) + 7;
	my $copies = 0;

	$copies += hex for $flags & 1 ? split //, hex_of(substr(${ $filter->{image} }, $at, slots($layer) / 2)) : ();
	my (undef, @words) = stash($filter, $i);
	$copies += $_ & 15 for @words;
	return $copies;
}

sub layer_fields
{
	my ($filter, $i) = @_;
	my $layer = $filter->{layers}[$i];
	my $is_bloom = $filter->{type} == 1;
	my %fields = (capacity => $layer->{capacity}, byte_offset => $layer->{offset}, bytes => $layer->{bytes});

	@fields{ $is_bloom ? qw(blocks block_bits probes) : qw(pages windows slot_bits) } = @$layer{qw(count size width)};
	$fields{bits_set} = bits_set(substr(${ $filter->{image} }, $layer->{offset}, $layer->{bytes})) if $is_bloom;
	if (!$is_bloom)
	{
		my ($used, @words) = stash($filter, $i);

		$fields{flags} = ord substr(${ $filter->{image} }, field_at($filter, $i, 'flags'), 1);
		$fields{slots_taken} = slots_taken($filter, $layer);
		@fields{qw(stash_used stash_room)} = ($used, scalar @words) if defined $used;
		$fields{copies} = $fields{slots_taken} + ($used // 0) + further_copies($filter, $i);
	}
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
		layers => [ map { layer_fields($filter, $_) } 0 .. $#{ $filter->{layers} } ],
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

# The same with other fields in the descriptor of its first layer.
sub with_field
{
	my ($name, %values) = @_;
	my $filter = open_image($image{$name});

	return changed($name, map { field_at($filter, 0, $_) => pack($field{$_}[1], $values{$_}) } sort keys %values);
}

# An image of one layer, without counters and stash, with these.
sub with_counters { return with_field($_[0], flags => 1) . $_[1] }

sub with_stash
{
	my ($name, $used, @words) = @_;

	return with_field($name, flags => 2) . pack('Q<*', $used, @words);
}

# A word of the stash of cuckoo_integers, or of another layer of that width.
sub word
{
	my ($window, $fingerprint, $further) = @_;

	return ($window << 8 | $fingerprint) << 4 | $further;
}

# An image of one layer with another `used` and other words in its stash.
sub stash_changed
{
	my ($name, @words) = @_;
	my (@before) = stash(open_image($image{$name}), 0);

	return substr($image{$name}, 0, -8 * @before) . pack('Q<*', @words, @before[ @words .. $#before ]);
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
my $entry = 'a layer holds an invalid entry';
my $offset = 'the offset of a layer is wrong';
my $extra = 'it has extra bytes at the end';
my $layer_flags = 'a layer has unknown flags';
my $stash_length = 'the stash of a layer has an invalid length';
my $sources = 'it records source types that its value kind does not include';
my $name_length = 'the name of its value kind has an invalid length';
my $name = 'the name of its value kind contains a character that is not printable ASCII';
my $plain = open_image($image{cuckoo_integers})->{layers}[0];
my $slots_end = $plain->{offset} + (slots($plain) * $plain->{width} >> 3);
my $half = $plain->{size} + 1;
my $counted = open_image($image{cuckoo_permanent});
my $counters = $counted->{layers}[0]{offset} + $counted->{layers}[0]{bytes} - slots($counted->{layers}[0]) / 2;
my ($empty) = grep { entry($counted, $counted->{layers}[0], $_) == 0 } 0 .. slots($counted->{layers}[0]) - 1;
my $layers = open_image($image{cuckoo_stash_layers});
my $second = field_at($layers, 1, 'offset');
my ($used, @words) = stash(open_image($image{cuckoo_stash}), 0);
my ($used_of_two, @words_of_set) = stash(open_image($image{cuckoo_set_stash}), 0);
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
	[ 'flags_set_in_bloom', 6, 'it has unknown flags', changed('bloom_text', 17 => "\1") ],
	[ 'flags_4_in_set', 6, 'it has unknown flags', changed('cuckoo_set', 17 => "\5") ],
	[ 'set_fixed_with_layers', 6, 'it does not grow, but does not have exactly one layer', changed('cuckoo_union', 17 => "\3") ],
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
	[ 'counters_in_bloom', 14, $layer_flags, with_field('bloom_text', flags => 1) ],
	[ 'stash_in_bloom', 14, $layer_flags, with_field('bloom_text', flags => 2) . "\0" x 16 ],
	[ 'layer_flags_4', 14, $layer_flags, with_field('cuckoo_integers', flags => 4) ],
	[ 'layer_flags_128_in_second', 14, $layer_flags, changed('cuckoo_stash_layers', field_at($layers, 1, 'flags') => "\x80") ],
	[ 'counters_in_set', 14, 'it counts no copies, but a layer has counters', changed('cuckoo_permanent', 17 => "\1") ],
	[ 'counters_in_fixed_set', 14, 'it counts no copies, but a layer has counters', changed('cuckoo_permanent', 17 => "\3") ],
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
	[ 'offset_too_large', 16, $offset, with_field('bloom_text', offset => 56) ],
	[ 'offset_too_small', 16, $offset, with_field('bloom_text', offset => 47) ],
	[ 'first_stash_not_whole', 16, $offset, changed('cuckoo_stash_layers', $second => pack('Q<', $layers->{layers}[1]{offset} + 1)) ],
	[ 'first_stash_without_room', 16, $stash_length, changed('cuckoo_stash_layers', $second => pack('Q<', $layers->{layers}[1]{offset} - 24)) ],
	[ 'first_stash_without_words', 16, $stash_length, changed('cuckoo_stash_layers', $second => pack('Q<', $layers->{layers}[1]{offset} - 32)) ],
	[ 'first_stash_ends_at_0', 16, $stash_length, changed('cuckoo_stash_layers', $second => pack('Q<', 0)) ],
	[ 'first_stash_ends_at_2_to_63', 16, $stash_length, changed('cuckoo_stash_layers', $second => pack('Q<', 1 << 63)) ],
	[ 'counters_reach_into_second', 16, $offset, with_field('cuckoo_layers', flags => 1) ],
	[ 'too_large', 17, 'it is larger than a filter can be', with_field('bloom_text', count => 8192000, size => 512) ],
	[ 'layer_cut', 18, $early, substr($image{bloom_text}, 0, -1) ],
	[ 'tail_cut', 18, $early, substr($image{cuckoo_integers}, 0, -1) ],
	[ 'byte_behind_the_end', 18, $extra, "$image{bloom_text}\0" ],
	[ 'counters_cut', 18, $early, substr($image{cuckoo_permanent}, 0, -1) ],
	[ 'counters_missing', 18, $early, with_field('cuckoo_integers', flags => 1) ],
	[ 'byte_behind_the_counters', 18, $extra, "$image{cuckoo_permanent}\0" ],
	[ 'counters_not_announced', 18, $extra, with_field('cuckoo_permanent', flags => 0) ],
	[ 'stash_missing', 18, $stash_length, with_field('cuckoo_integers', flags => 2) ],
	[ 'stash_without_room', 18, $stash_length, with_stash('cuckoo_integers', 0) ],
	[ 'stash_without_a_whole_word', 18, $extra, substr(with_stash('cuckoo_integers', 0, 0), 0, -1) ],
	[ 'stash_not_whole', 18, $extra, "$image{cuckoo_stash_room}\0" ],
	[ 'stash_not_whole_7', 18, $extra, $image{cuckoo_stash_room} . "\0" x 7 ],
	[ 'stash_not_announced', 18, $extra, with_field('cuckoo_stash', flags => 0) ],
	[ 'bits_without_kind', 19, 'it holds values but no kind of value', changed('bloom_empty', length($image{bloom_empty}) - 1 => "\x80") ],
	[ 'entries_without_kind', 19, 'it holds values but no kind of value', changed('cuckoo_integers', 16 => "\0") ],
	[ 'stash_without_kind', 19, 'it holds values but no kind of value', with_stash('cuckoo_empty', 1, word(0, 1, 0)) ],
	[ 'fingerprint_0', 20, $entry, with_entry('cuckoo_integers', 1, 1) ],
	[ 'second_slot_before_lower_half', 20, $entry, with_entry('cuckoo_integers', 0, 3) ],
	[ 'first_slot_at_end_of_lower_half', 20, $entry, with_entry('cuckoo_integers', $half - 1, 2) ],
	[ 'second_slot_before_upper_half', 20, $entry, with_entry('cuckoo_integers', $half, 3) ],
	[ 'first_slot_at_end_of_upper_half', 20, $entry, with_entry('cuckoo_integers', 2 * $half - 1, 2) ],
	[ 'fingerprint_0_in_set', 20, $entry, with_entry('cuckoo_set', 1, 1) ],
	[ 'fingerprint_0_in_upper_half', 20, $entry, with_entry('cuckoo_set', $half + 1, 1) ],
	[ 'bit_behind_the_slots', 21, $entry, changed('cuckoo_integers', $slots_end => chr(ord(substr($image{cuckoo_integers}, $slots_end, 1)) | 0x80)) ],
	[ 'byte_behind_the_slots', 21, $entry, changed('cuckoo_integers', length($image{cuckoo_integers}) - 1 => "\1") ],
	[ 'byte_before_the_counters', 21, $entry, changed('cuckoo_permanent', $counters - 1 => "\1") ],
	[ 'byte_before_the_stash', 21, $entry, changed('cuckoo_stash', length($image{cuckoo_stash}) - 8 * @words - 9 => "\x80") ],
	[ 'counter_of_empty_slot', 22, $entry, changed('cuckoo_permanent', $counters + ($empty >> 1) =>
				chr(ord(substr($image{cuckoo_permanent}, $counters + ($empty >> 1), 1)) | 1 << 4 * ($empty & 1))) ],
	[ 'counter_15_of_empty_slot', 22, $entry, changed(with_counters('cuckoo_empty', "\0" x ($half - 1) . "\xf0"), 16 => "\1") ],
	[ 'stash_uses_more_than_its_room', 23, $early, stash_changed('cuckoo_stash', $used + 1) ],
	[ 'stash_uses_2_to_32_more', 23, $early, stash_changed('cuckoo_stash', $used + (1 << 32)) ],
	[ 'stash_uses_2_to_64_minus_1', 23, $early, stash_changed('cuckoo_stash', ~0) ],
	[ 'stash_cut', 23, $early, substr($image{cuckoo_stash}, 0, -8) ],
	[ 'stash_of_window_behind_the_last', 24, $entry, with_stash('cuckoo_integers', 1, word($plain->{size}, 1, 0)) ],
	[ 'stash_of_window_2_to_51', 24, $entry, with_stash('cuckoo_integers', 1, word(1 << 51, 1, 0)) ],
	[ 'stash_of_fingerprint_0', 24, $entry, with_stash('cuckoo_integers', 1, word(1, 0, 0)) ],
	[ 'stash_of_word_0', 24, $entry, with_stash('cuckoo_integers', 1, 0) ],
	[ 'stash_not_ascending', 24, $entry, stash_changed('cuckoo_stash', $used, @words[ 1, 0 ]) ],
	[ 'stash_with_a_class_twice', 24, $entry, with_stash('cuckoo_integers', 2, word(1, 1, 0), word(1, 1, 1)) ],
	[ 'stash_with_a_word_twice', 24, $entry, stash_changed('cuckoo_stash', $used, @words[ 0, 0 ]) ],
	[ 'last_word_not_ascending', 24, $entry, stash_changed('cuckoo_stash', $used, @words[ 0, 1, 0 ]) ],
	[ 'unused_word', 25, $entry, with_stash('cuckoo_integers', 1, word(1, 1, 0), word(2, 1, 0)) ],
	[ 'unused_word_in_the_end', 25, $entry, changed('cuckoo_stash_room', length($image{cuckoo_stash_room}) - 1 => "\x80") ],
	[ 'unused_stash', 25, $entry, with_stash('cuckoo_integers', 0, word(1, 1, 0)) ],
	[ 'copies_in_stash_of_set', 26, $entry, stash_changed('cuckoo_set_stash', $used_of_two, $words_of_set[0] | 1) ],
	[ 'permanent_in_stash_of_set', 26, $entry, stash_changed('cuckoo_set_stash', $used_of_two, @words_of_set[ 0 .. $used_of_two - 2 ], $words_of_set[-1] | 15) ],
	[ 'counted_stash_called_set', 26, $entry, changed(with_stash('cuckoo_integers', 1, word(1, 1, 3)), 17 => "\1") ]);

# Images that must be accepted: at the ends of each range of a rule. Each is [name, image].
my @valid = (
	(map { [ "rate_$_", changed('bloom_text', 8 => pack('Q<', hex $_)) ] } qw(3e7ad7f29abcaf48 3fe0000000000000)),
	[ 'layers_32', empty_layers(1, 1, '', 8, ([ 1, 64, 7 ]) x 32) ],
	[ 'flags_fixed', changed('bloom_text', 17 => "\2") ],
	(map { [ "flags_$_", changed('cuckoo_integers', 17 => chr $_) ] } 1, 2, 3),
	[ 'set_without_layers', changed('cuckoo_no_layers', 17 => "\1") ],
	[ 'set_fixed_with_stash', changed('cuckoo_set_stash', 17 => "\3") ],
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
	[ 'counters_of_0', with_counters('cuckoo_integers', "\0" x $half) ],
	[ 'counters_of_0_without_kind', with_counters('cuckoo_empty', "\0" x $half) ],
	[ 'counters_of_15', changed('cuckoo_permanent', $counters => join('', map {
					my $byte = $_;
					chr(15 * (entry($counted, $counted->{layers}[0], 2 * $byte) != 0) + 240 * (entry($counted, $counted->{layers}[0], 2 * $byte + 1) != 0))
				} 0 .. slots($counted->{layers}[0]) / 2 - 1)) ],
	[ 'stash_unused', with_stash('cuckoo_integers', 0, 0) ],
	[ 'stash_unused_without_kind', with_stash('cuckoo_empty', 0, 0, 0, 0) ],
	[ 'stash_of_first_and_last_class', with_stash('cuckoo_integers', 2, word(0, 1, 0), word($plain->{size} - 1, 255, 15)) ],
	[ 'stash_of_neighbours', with_stash('cuckoo_integers', 3, word(0, 255, 15), word(1, 1, 14), word(1, 2, 0)) ],
	[ 'stash_with_more_room', $image{cuckoo_stash} . "\0" x 24 ],
	[ 'stash_emptied', stash_changed('cuckoo_stash', (0) x (1 + @words)) ],
	[ 'copies_in_stash', stash_changed('cuckoo_stash', $used, map { $_ | 15 } @words) ],
	[ 'stash_of_set_no_set', changed('cuckoo_set_stash', 17 => "\0") ]);

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
