#!/usr/bin/env perl
# A reader of filters without PostgreSQL. It follows docs/format.md, and proves that nothing else is needed.
#
#   read_filter.pl FILE                     checks the image and prints its header
#   read_filter.pl FILE contains VALUE...   a line for each value: "t" (may be in the filter) or "f" (is not)
#   read_filter.pl FILE count VALUE...      a line for each value: its copies in a cuckoo filter; 16 means 16 or more
#   read_filter.pl hash VALUE...            a line for each value: its hash, as filter_hash() returns it
#
# FILE holds an image in base64, in hexadecimal digits (with or without \x) or as it is; "-" is the standard input.
#
# VALUE is KIND:VALUE, such as integer:42, text:apple, bytea:00ff, uuid:00112233-4455-6677-8899-aabbccddeeff,
# boolean:t, float:1.5, numeric:-1.50 or enum:ok. The values of date, time, timestamp and timestamptz are integers: days
# or microseconds, see the document. hash:N is a value of any kind by its hash, as filter_hash() returns it.
#
# An image that is none, or a value that the filter cannot hold, is an error: exit status 1.
use strict;
use warnings;
no warnings 'portable';

use Config;
use MIME::Base64;

die "this takes a perl with 64-bit integers\n" if $Config{ivsize} < 8;

# 64-bit arithmetic. Perl's bitwise operators are unsigned outside "use integer"; its addition and multiplication wrap
# around inside.

sub add { use integer; return $_[0] + $_[1] }

sub multiply { use integer; return $_[0] * $_[1] }

sub low32 { return $_[0] & 0xffffffff }

sub high32 { return $_[0] >> 32 }

sub read32 { return unpack('V', substr($_[0], $_[1], 4)) }

sub read64 { return unpack('Q<', substr($_[0], $_[1], 8)) }

# The high half of a 128-bit product. The products of 32-bit halves and these sums stay below 2^64, where Perl is exact.
sub mulhigh
{
	my ($x, $y) = @_;
	my ($x0, $x1, $y0, $y1) = (low32($x), high32($x), low32($y), high32($y));
	my $middle = $x1 * $y0 + high32($x0 * $y0);
	my $cross = $x0 * $y1 + low32($middle);

	return $x1 * $y1 + high32($middle) + high32($cross);
}

# XXH3-64 with seed 0

use constant {
	P32_1 => 0x9E3779B1,
	P32_2 => 0x85EBCA77,
	P32_3 => 0xC2B2AE3D,
	P64_1 => 0x9E3779B185EBCA87,
	P64_2 => 0xC2B2AE3D27D4EB4F,
	P64_3 => 0x165667B19E3779F9,
	P64_4 => 0x85EBCA77C2B2AE63,
	P64_5 => 0x27D4EB2F165667C5,
};

our $secret = pack('H*', join '', qw(
	b8fe6c3923a44bbe7c01812cf721ad1c ded46de9839097db7240a4a4b7b3671f
	cb79e64eccc0e578825ad07dccff7221 b8084674f743248ee03590e6813a264c
	3c2852bb91c300cb88d0658b1b532ea3 71644897a20df94e3819ef46a9deacd8
	a8fa763fe39c343ff9dcbbc7c70b4f1d 8a51e04bcdb45931c89f7ec9d9787364
	eac5ac8334d3ebc3c581a0fffa1363eb 170ddd51b7f0da49d316552629d4689e
	2b16be587d47a1fc8ff8b8d17ad031ce 45cb3a8f95160428afd7fbcabb4b407e));
my @secret_at = map { read64($secret, $_) } 0 .. length($secret) - 8;

sub rotl { return ($_[0] << $_[1]) | ($_[0] >> (64 - $_[1])) }

sub fold { return multiply($_[0], $_[1]) ^ mulhigh($_[0], $_[1]) }

sub avalanche
{
	my $h = $_[0] ^ ($_[0] >> 37);

	$h = multiply($h, 0x165667919E3779F9);
	return $h ^ ($h >> 32);
}

sub avalanche64
{
	my $h = $_[0] ^ ($_[0] >> 33);

	$h = multiply($h, P64_2);
	$h ^= $h >> 29;
	$h = multiply($h, P64_3);
	return $h ^ ($h >> 32);
}

# mix16(data, offset, offset in the secret)
sub mix16
{
	return fold(read64($_[0], $_[1]) ^ $secret_at[ $_[2] ], read64($_[0], $_[1] + 8) ^ $secret_at[ $_[2] + 8 ]);
}

sub hash_short
{
	my ($data, $length) = @_;
	my @byte = unpack('C*', $data);
	my $c = $byte[-1] + ($length << 8) + ($byte[0] << 16) + ($byte[ $length >> 1 ] << 24);

	return avalanche64($c ^ (read32($secret, 0) ^ read32($secret, 4)));
}

sub hash_upto8
{
	my ($data, $length) = @_;
	my $h = (read32($data, 0) << 32) | read32($data, $length - 4);

	$h ^= $secret_at[8] ^ $secret_at[16];
	$h ^= rotl($h, 49) ^ rotl($h, 24);
	$h = multiply($h, 0x9FB21C651E98DF25);
	$h ^= ($h >> 35) + $length;
	$h = multiply($h, 0x9FB21C651E98DF25);
	return $h ^ ($h >> 28);
}

sub hash_upto16
{
	my ($data, $length) = @_;
	my $x = read64($data, 0) ^ ($secret_at[24] ^ $secret_at[32]);
	my $y = read64($data, $length - 8) ^ ($secret_at[40] ^ $secret_at[48]);
	my $swapped = unpack('Q>', pack('Q<', $x));

	return avalanche(add(add($length, $swapped), add($y, fold($x, $y))));
}

sub hash_upto128
{
	my ($data, $length) = @_;
	my $h = multiply($length, P64_1);

	for my $i (0 .. ($length - 1) >> 5)
	{
		$h = add($h, mix16($data, 16 * $i, 32 * $i));
		$h = add($h, mix16($data, $length - 16 * ($i + 1), 32 * $i + 16));
	}
	return avalanche($h);
}

sub hash_upto240
{
	my ($data, $length) = @_;
	my $h = multiply($length, P64_1);

	$h = add($h, mix16($data, 16 * $_, 16 * $_)) for 0 .. 7;
	$h = avalanche($h);
	$h = add($h, mix16($data, 16 * $_, 16 * ($_ - 8) + 3)) for 8 .. ($length >> 4) - 1;
	return avalanche(add($h, mix16($data, $length - 16, 119)));
}

# add_stripe(accumulators, data, offset, offset in the secret)
sub add_stripe
{
	my ($acc, $data, $at, $n) = @_;
	my @values = unpack('Q<8', substr($data, $at, 64));

	for my $i (0 .. 7)
	{
		my $key = $values[$i] ^ $secret_at[ $n + 8 * $i ];

		$acc->[ $i ^ 1 ] = add($acc->[ $i ^ 1 ], $values[$i]);
		$acc->[$i] = add($acc->[$i], low32($key) * high32($key));
	}
	return;
}

sub hash_long
{
	my ($data, $length) = @_;
	my @acc = (P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1);
	my $h = multiply($length, P64_1);

	for my $n (0 .. (($length - 1) >> 6) - 1)
	{
		add_stripe(\@acc, $data, 64 * $n, 8 * ($n % 16));
		next if $n % 16 != 15;
		@acc = map { multiply($acc[$_] ^ ($acc[$_] >> 47) ^ $secret_at[ 128 + 8 * $_ ], P32_1) } 0 .. 7;
	}
	add_stripe(\@acc, $data, $length - 64, 121);
	for my $i (0 .. 3)
	{
		my $even = $acc[ 2 * $i ] ^ $secret_at[ 11 + 16 * $i ];
		my $odd = $acc[ 2 * $i + 1 ] ^ $secret_at[ 19 + 16 * $i ];

		$h = add($h, fold($even, $odd));
	}
	return avalanche($h);
}

# The hash of a string of bytes, unsigned.
sub hash_bytes
{
	my ($data) = @_;
	my $length = length $data;

	return $length == 0 ? avalanche64($secret_at[56] ^ $secret_at[64])
	  : $length <= 3 ? hash_short($data, $length)
	  : $length <= 8 ? hash_upto8($data, $length)
	  : $length <= 16 ? hash_upto16($data, $length)
	  : $length <= 128 ? hash_upto128($data, $length)
	  : $length <= 240 ? hash_upto240($data, $length)
	  : hash_long($data, $length);
}

# The hash that places a value, from its hash.
sub mix
{
	my ($hash) = @_;

	$hash = multiply($hash ^ ($hash >> 32), 0xd6e8feb86659fd93);
	return $hash ^ ($hash >> 32);
}

# Canonical bytes, from a kind and the text of a value

sub integer_bytes
{
	my ($text, $smallest, $largest) = @_;
	my ($sign, $digits) = $text =~ /^([+-]?)0*([0-9]+)$/ or die "not an integer: $text\n";
	my $limit = $sign eq '-' ? $smallest : $largest;

	die "integer out of range: $text\n"
	  if length $digits > length $limit || (length $digits == length $limit && $digits gt $limit);
	return pack('q<', $sign eq '-' ? "-$digits" : $digits);
}

sub int64_bytes { return integer_bytes($_[0], '9223372036854775808', '9223372036854775807') }

sub int32_bytes { return integer_bytes($_[0], '2147483648', '2147483647') }

sub boolean_bytes
{
	return int64_bytes(1) if $_[0] =~ /^(?:t|true)$/i;
	return int64_bytes(0) if $_[0] =~ /^(?:f|false)$/i;
	die "not a boolean: $_[0]\n";
}

sub bytea_bytes
{
	my ($digits) = $_[0] =~ /^(?:\\x)?((?:[0-9a-f]{2})*)$/i or die "not hexadecimal digits: $_[0]\n";

	return pack('H*', $digits);
}

sub uuid_bytes
{
	my $digits = $_[0] =~ tr/-{}//dr;

	$digits =~ /^[0-9a-f]{32}$/i or die "not a uuid: $_[0]\n";
	return pack('H*', $digits);
}

sub double_bytes
{
	my ($number) = @_;

	return pack('H*', '000000000000f87f') if $number != $number;
	return pack('d<', $number == 0 ? 0 : $number);
}

sub float_bytes
{
	my ($text) = @_;

	return double_bytes(9**9**9 * ($1 eq '-' ? -1 : 1)) if $text =~ /^([+-]?)inf(?:inity)?$/i;
	return double_bytes(9**9**9 - 9**9**9) if $text =~ /^nan$/i;
	$text =~ /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?$/i or die "not a number: $text\n";
	return double_bytes(0 + $text);
}

# Whether a sign and digits without leading zeroes are a number of 64 bits.
sub is_int64
{
	my ($sign, $digits) = @_;

	return length $digits < 19 || length $digits == 19 && $digits le ($sign eq '-' ? '9223372036854775808' : '9223372036854775807');
}

sub numeric_bytes
{
	my ($text) = @_;

	return "NaN" . "\0" x 8 if $text =~ /^nan$/i;
	return ($1 eq '-' ? '-' : '') . "Infinity" . "\0" x 8 if $text =~ /^([+-]?)inf(?:inity)?$/i;
	my ($sign, $whole, $fraction) = $text =~ /^([+-]?)([0-9]*)\.?([0-9]*)\z/;

	die "not a number: $text\n" if !defined $whole || "$whole$fraction" eq '';
	$whole =~ s/^0+//;
	$fraction =~ s/0+$//;
	return int64_bytes(0) if "$whole$fraction" eq '';
	return int64_bytes(($sign eq '-' ? '-' : '') . $whole) if $fraction eq '' && is_int64($sign, $whole);
	return ($sign eq '-' ? '-' : '') . ($whole eq '' ? '0' : $whole) . ($fraction eq '' ? '' : ".$fraction") . "\0" x 8;
}

my @kinds = qw(none integer text bytea uuid boolean date time timestamp timestamptz float numeric enum named character);
my %canonical_bytes = (
	integer => \&int64_bytes,
	text => sub { return $_[0] },
	bytea => \&bytea_bytes,
	uuid => \&uuid_bytes,
	boolean => \&boolean_bytes,
	date => \&int32_bytes,
	time => \&int64_bytes,
	timestamp => \&int64_bytes,
	timestamptz => \&int64_bytes,
	float => \&float_bytes,
	numeric => \&numeric_bytes,
	enum => sub { return $_[0] },
	character => sub { return $_[0] =~ s/ +$//r });

sub split_value
{
	my ($kind, $text) = $_[0] =~ /^([a-z]+):(.*)$/s or die "not of the form KIND:VALUE: $_[0]\n";

	return ($kind, $text);
}

# The canonical bytes of KIND:VALUE.
sub canonical_bytes
{
	my ($kind, $text) = split_value($_[0]);

	die "no such kind of value: $kind\n" if !$canonical_bytes{$kind};
	return $canonical_bytes{$kind}->($text);
}

# The kind and the hash of KIND:VALUE; the kind of hash:N is undefined.
sub hash_value
{
	my ($kind, $text) = split_value($_[0]);

	return (undef, unpack('Q<', int64_bytes($text))) if $kind eq 'hash';
	return ($kind, hash_bytes(canonical_bytes($_[0])));
}

# Images

use constant {
	BLOOM => 1,
	CUCKOO => 2,
	HEADER_BYTES => 24,
	DESCRIPTOR_BYTES => 24,
	TAIL_BYTES => 7,
	MAX_LAYERS => 32,
	MAX_IMAGE_BYTES => 524288000,
	LOWEST_RATE => 0x3e7ad7f29abcaf48,
	HIGHEST_RATE => 0x3fe0000000000000,
	NAMED => 13,
	SET => 1,
	FIXED => 2,
	COUNTERS => 1,
	STASH => 2,
	WORD_BYTES => 8,
	MAX_COUNT => 16,
};

# Image bytes from what a file holds: base64, hexadecimal digits, or the bytes themselves.
sub decode_image
{
	my ($content) = @_;

	return $content if $content =~ /^ckfl/;
	$content =~ s/[ \t\n\r]+\z//;
	if ($content =~ s/^\\x// || $content =~ /^636b666c/i)
	{
		die "it has an odd hexadecimal digit\n" if length($content) % 2 || $content =~ /[^0-9a-f]/i;
		return pack('H*', $content);
	}
	$content =~ tr/ \t\n\r//d;
	die "it is neither base64 nor hexadecimal digits nor an image\n"
	  if length($content) % 4 || $content !~ m{^[A-Za-z0-9+/]*={0,2}\z};
	return decode_base64($content);
}

sub geometry_is_valid
{
	my ($type, $layer) = @_;
	my ($count, $size, $width) = @$layer{qw(count size width)};

	return 0 if $count < 1;
	if ($type == BLOOM)
	{
		return 0 if $width < 1 || $width > 32;
		return $count > 1 ? $size == 512 : $size >= 64 && $size <= 8192 && $size % 64 == 0;
	}
	return $size >= 1 && $size <= 32767 && ($width >= 6 && $width <= 28 || $width == 32);
}

# Where a layer ends at least. If it has a stash, that is the end of the smallest one. Notes where its parts begin.
sub lay_out
{
	my ($type, $layer) = @_;

	return $layer->{offset} + $layer->{count} * ($layer->{size} / 8) if $type == BLOOM;
	my $end = $layer->{offset} + ((slots($layer) * $layer->{width} + 7) >> 3) + TAIL_BYTES;
	if ($layer->{flags} & COUNTERS)
	{
		$layer->{counters} = $end;
		$end += slots($layer) / 2;
	}
	if ($layer->{flags} & STASH)
	{
		$layer->{stash} = $end;
		$end += 2 * WORD_BYTES;
	}
	return $end;
}

# Whether a layer that ends at least at $end can end at $at: a stash has any number of words.
sub can_end
{
	my ($at, $end, $has_stash) = @_;

	return $at == $end || $has_stash && $at > $end && ($at - $end) % WORD_BYTES == 0;
}

# A filter as a hash of its fields, from an image; dies with a reason.
sub open_image
{
	my ($image) = @_;
	my $length = length $image;
	my %filter = (image => \$image, layers => []);

	die "it ends early\n" if $length < HEADER_BYTES;
	my ($magic, $version, $type, $hash, $layers, $rate, $kind, $flags, $name_length, $sources, $reserved) =
	  unpack('a4 C C C C Q< C C v C a3', $image);
	die "it does not begin with the magic number of a filter\n" if $magic ne 'ckfl';
	die "its format version is $version\n" if $version != 1;
	die "its hash function is $hash\n" if $hash != 1;
	die "its type is $type\n" if $type != BLOOM && $type != CUCKOO;
	die "it has $layers layers\n" if $layers > MAX_LAYERS;
	die "its rate is out of range\n" if $rate < LOWEST_RATE || $rate > HIGHEST_RATE;
	die "its flags are $flags\n" if $flags > (SET | FIXED) || ($flags & SET && $type != CUCKOO);
	die "it does not grow, but has $layers layers\n" if $flags & FIXED && $layers != 1;
	die "a reserved byte is not zero\n" if $reserved ne "\0\0\0";
	die "its kind of value is $kind\n" if $kind > $#kinds;
	die "the length of the kind's name is $name_length\n"
	  if $name_length > 255 || ($kind == NAMED) != ($name_length > 0);

	my $descriptor = HEADER_BYTES + (($name_length + 7) & ~7);
	my $end = $descriptor + $layers * DESCRIPTOR_BYTES;
	die "it ends early\n" if $length < $end;
	my $name = substr($image, HEADER_BYTES, $name_length);
	die "the name of its kind is not printable\n" if $name =~ /[^\x20-\x7e]/;
	die "its sources are $sources\n"
	  if $sources > ($kind == 2 || $kind == 10 || $name =~ /^text / ? 3 : 0);
	die "the padding of the name is not zero\n"
	  if substr($image, HEADER_BYTES + $name_length, $descriptor - HEADER_BYTES - $name_length) =~ /[^\0]/;

	my $has_stash = 0;
	for my $i (0 .. $layers - 1)
	{
		my %layer;

		@layer{qw(capacity count size width flags offset)} =
		  unpack('Q< V v C C Q<', substr($image, $descriptor + $i * DESCRIPTOR_BYTES, DESCRIPTOR_BYTES));
		die "the capacity of layer $i is out of range\n"
		  if $layer{capacity} < 1 || $layer{capacity} > 0x7fffffffffffffff;
		die "the flags of layer $i are $layer{flags}\n"
		  if $layer{flags} > ($type == CUCKOO ? COUNTERS | STASH : 0);
		die "it is a set, but layer $i has counters\n" if $flags & SET && $layer{flags} & COUNTERS;
		die "the geometry of layer $i is impossible\n" if !geometry_is_valid($type, \%layer);
		die "the offset of layer $i is wrong\n" if !can_end($layer{offset}, $end, $has_stash);
		$filter{layers}[-1]{bytes} = $layer{offset} - $filter{layers}[-1]{offset} if $i > 0;
		$end = lay_out($type, \%layer);
		$has_stash = defined $layer{stash};
		die "it is too large\n" if $end > MAX_IMAGE_BYTES;
		push @{ $filter{layers} }, \%layer;
	}
	die "its end is at byte $end" . ($has_stash ? ' or behind it' : '') . ", not $length\n"
	  if !can_end($length, $end, $has_stash);
	die "it is too large\n" if $length > MAX_IMAGE_BYTES;
	$filter{layers}[-1]{bytes} = $length - $filter{layers}[-1]{offset} if $layers > 0;

	@filter{qw(type kind name rate is_set)} = ($type, $kind, $name, unpack('d<', substr($image, 8, 8)), $flags & SET);
	check_content(\%filter, $_) for @{ $filter{layers} };
	return \%filter;
}

sub check_content
{
	my ($filter, $layer) = @_;
	my $bytes = substr(${ $filter->{image} }, $layer->{offset}, $layer->{bytes});

	die "it holds values, but has no kind\n" if $filter->{kind} == 0 && $bytes =~ /[^\0]/;
	return if $filter->{type} != CUCKOO;

	my $position = 0;
	my $slots = slots($layer);
	for my $slot (0 .. $slots - 1)
	{
		my $entry = entry($filter, $layer, $slot);
		my $window = $position - ($position > $layer->{size} ? $layer->{size} + 1 : 0) - ($entry & 1);

		die "slot $slot holds an invalid entry\n"
		  if $entry == 1 || $entry != 0 && ($window < 0 || $window >= $layer->{size});
		die "slot $slot is empty, but its counter is not zero\n" if $entry == 0 && counter($filter, $layer, $slot) != 0;
		$position = 0 if ++$position == page_slots($layer);
	}

	my $bits = $slots * $layer->{width};
	my $behind = substr($bytes, $bits >> 3, (($bits + 7) >> 3) + TAIL_BYTES - ($bits >> 3));
	die "the bytes behind the slots are not zero\n" if ord($behind) >> ($bits & 7) || substr($behind, 1) =~ /[^\0]/;
	check_stash($filter, $layer) if defined $layer->{stash};
	return;
}

sub check_stash
{
	my ($filter, $layer) = @_;
	my $used = read64(${ $filter->{image} }, $layer->{stash});
	my $room = ($layer->{offset} + $layer->{bytes} - $layer->{stash}) / WORD_BYTES - 1;
	my $fingerprint_bits = $layer->{width} - 1;
	my $before = 0;

	die "a stash with room for $room words uses $used\n" if $used > $room;
	for my $i (0 .. $room - 1)
	{
		my $word = stash_word($filter, $layer, $i);
		my $class = $word >> 4;

		if ($i >= $used)
		{
			die "a word of a stash is not zero, but unused\n" if $word != 0;
			next;
		}
		die "word $i of a stash is invalid\n"
		  if ($class & ((1 << $fingerprint_bits) - 1)) == 0 ||
		  $class >> $fingerprint_bits >= $layer->{count} * $layer->{size};
		die "word $i of a stash is out of order\n" if $class <= $before;
		die "it is a set, but word $i of a stash has copies\n" if $filter->{is_set} && $word & 15;
		$before = $class;
	}
	return;
}

sub bloom_contains
{
	my ($filter, $layer, $hash) = @_;
	my $start = $layer->{offset} + high32(high32($hash) * $layer->{count}) * ($layer->{size} >> 3);
	my $word;

	for my $i (0 .. $layer->{width} - 1)
	{
		if ($i % 8 == 0)
		{
			$hash = multiply($hash, 0x9e3779b97f4a7c15);
			$word = high32($hash);
		}
		my $bit = high32($word * $layer->{size});
		return 0 if !(ord(substr(${ $filter->{image} }, $start + ($bit >> 3), 1)) >> ($bit & 7) & 1);
		$word = low32($word * 0x9e3779b9);
	}
	return 1;
}

sub page_slots { return 2 * ($_[0]{size} + 1) }

sub slots { return $_[0]{count} * page_slots($_[0]) }

sub entry
{
	my ($filter, $layer, $slot) = @_;
	my $bit = $slot * $layer->{width};
	my $word = read64(${ $filter->{image} }, $layer->{offset} + ($bit >> 3));

	return ($word >> ($bit & 7)) & ((1 << $layer->{width}) - 1);
}

# The copies beyond the first that the entry in a slot stands for.
sub counter
{
	my ($filter, $layer, $slot) = @_;

	return 0 if !defined $layer->{counters};
	return ord(substr(${ $filter->{image} }, $layer->{counters} + ($slot >> 1), 1)) >> 4 * ($slot & 1) & 15;
}

sub stash_word
{
	my ($filter, $layer, $i) = @_;

	return read64(${ $filter->{image} }, $layer->{stash} + WORD_BYTES * (1 + $i));
}

# The copies of a class in the stash of a layer.
sub stash_count
{
	my ($filter, $layer, $class) = @_;
	my ($low, $high) = (0, read64(${ $filter->{image} }, $layer->{stash}));

	while ($low < $high)
	{
		my $middle = ($low + $high) >> 1;
		my $word = stash_word($filter, $layer, $middle);

		return 1 + ($word & 15) if $word >> 4 == $class;
		if ($word >> 4 < $class)
		{
			$low = $middle + 1;
		}
		else
		{
			$high = $middle;
		}
	}
	return 0;
}

sub at_most { return $_[0] < $_[1] ? $_[0] : $_[1] }

sub other_window
{
	my ($layer, $window, $fingerprint) = @_;
	my $m = low32(multiply($fingerprint, 0xc2b2ae35));
	my $sum = ($m ^ low32($m << 15)) * $layer->{size} >> 32;

	return $sum - $window + ($sum >= $window ? 0 : $layer->{size});
}

sub cuckoo_count
{
	my ($filter, $layer, $hash) = @_;
	my $page = mulhigh($hash, $layer->{count});
	my $first = $page * page_slots($layer);
	my $window = mulhigh(multiply($hash, $layer->{count}), $layer->{size});
	my $fingerprint = low32($hash) >> (33 - $layer->{width}) || 1;
	my $upper = $first + $layer->{size} + 1 + other_window($layer, $window, $fingerprint);
	my $count = 0;

	for my $start ($first + $window, $upper)
	{
		for my $offset (0, 1)
		{
			next if entry($filter, $layer, $start + $offset) != $fingerprint * 2 + $offset;
			$count += 1 + counter($filter, $layer, $start + $offset);
		}
	}
	$count +=
	  stash_count($filter, $layer, ($page * $layer->{size} + $window) << ($layer->{width} - 1) | $fingerprint)
	  if defined $layer->{stash};
	return at_most($count, MAX_COUNT);
}

# Whether a filter contains a value, by its hash.
sub contains
{
	my ($filter, $hash) = @_;

	for my $layer (@{ $filter->{layers} })
	{
		return 1
		  if $filter->{type} == BLOOM
		  ? bloom_contains($filter, $layer, mix($hash))
		  : cuckoo_count($filter, $layer, mix($hash)) > 0;
	}
	return 0;
}

# The copies of a value in a cuckoo filter, by its hash.
sub count
{
	my ($filter, $hash) = @_;
	my $sum = 0;

	for my $layer (@{ $filter->{layers} })
	{
		my $count = cuckoo_count($filter, $layer, mix($hash));

		return MAX_COUNT if $count == MAX_COUNT;
		$sum += $count;
	}
	return at_most($sum, MAX_COUNT - 1);
}

sub kind_name { return $_[0]{kind} == NAMED ? $_[0]{name} : $kinds[ $_[0]{kind} ] }

# The command line

sub print_header
{
	my ($filter) = @_;
	my $format =
	  $filter->{type} == BLOOM ? '%d blocks of %d bits, %d probes' : '%d pages of %d windows a half, %d bits a slot';

	printf "type      %s%s\n", $filter->{type} == BLOOM ? 'bloomfilter' : 'cuckoofilter',
	  $filter->{is_set} ? ', a set' : '';
	printf "kind      %s\n", kind_name($filter);
	printf "rate      %.15g\n", $filter->{rate};
	printf "bytes     %d\n", length ${ $filter->{image} };
	for my $i (0 .. $#{ $filter->{layers} })
	{
		my $layer = $filter->{layers}[$i];

		printf "layer %-3d at byte %d: capacity %s, $format%s%s\n", $i, @$layer{qw(offset capacity count size width)},
		  defined $layer->{counters} ? ', counters' : '', defined $layer->{stash} ? ', a stash' : '';
	}
	return;
}

sub hash_for
{
	my ($filter, $value) = @_;
	my ($kind, $hash) = hash_value($value);

	die 'filter holds values of kind ' . kind_name($filter) . ", not $kind\n"
	  if defined $kind && $filter->{kind} != 0 && $kind ne kind_name($filter);
	return $hash;
}

sub read_all
{
	my ($file) = @_;
	my $handle;

	if ($file eq '-')
	{
		$handle = \*STDIN;
	}
	else
	{
		open($handle, '<', $file) or die "$file: $!\n";
	}
	binmode $handle;
	local $/ = undef;
	return <$handle> // '';
}

sub main
{
	my ($file, $command, @values) = @_;

	die "usage: $0 FILE [contains|count VALUE...], or: $0 hash VALUE...\n" if !defined $file;
	if ($file eq 'hash')
	{
		print unpack('q<', pack('Q<', (hash_value($_))[1])), "\n" for grep { defined } $command, @values;
		return;
	}

	my $filter = open_image(decode_image(read_all($file)));

	$command //= 'header';
	if ($command eq 'header')
	{
		print_header($filter);
	}
	elsif ($command eq 'contains')
	{
		print contains($filter, hash_for($filter, $_)) ? 't' : 'f', "\n" for @values;
	}
	elsif ($command eq 'count')
	{
		die "a Bloom filter does not count\n" if $filter->{type} == BLOOM;
		print count($filter, hash_for($filter, $_)), "\n" for @values;
	}
	else
	{
		die "no such command: $command\n";
	}
	return;
}

if (!caller)
{
	eval { main(@ARGV); 1 } or do { print STDERR $@; exit 1 };
}
1;
