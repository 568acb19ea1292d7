#!/usr/bin/env perl
# Writes docs/format_examples.md: the text of format_examples.md.in, with examples that are computed by the reader in
# test/reader from golden images and vectors.json.
#
#   make_examples.pl           writes it
#   make_examples.pl -         prints it
use strict;
use warnings;
no warnings 'portable';

use Encode qw(encode_utf8);
use File::Basename qw(dirname);
use File::Spec;
use JSON::PP;
use MIME::Base64 qw(encode_base64);
use Text::Wrap qw(wrap);

my $golden = dirname(File::Spec->rel2abs(__FILE__));
require "$golden/../reader/read_filter.pl";
our $secret;

sub contents
{
	my ($path) = @_;

	open(my $file, '<', $path) or die "$path: $!\n";
	local $/ = undef;
	return scalar <$file>;
}

sub image { return pack('H*', contents("$golden/$_[0].hex") =~ s/\s+//gr) }

sub hex32 { return sprintf('%08x', $_[0]) }

sub hex64 { return sprintf('%016x', $_[0]) }

# Numbers in backquotes.
sub q32 { return join(', ', map { '`' . hex32($_) . '`' } @_) }

sub q64 { return join(', ', map { '`' . hex64($_) . '`' } @_) }

sub bytes { return join(' ', map { sprintf('%02x', $_) } unpack('C*', $_[0])) }

sub signed { return unpack('q<', pack('Q<', $_[0])) }

# Lines of 16 bytes, each with its offset.
sub dump_of
{
	my ($data) = @_;
	my $width = length(length($data) - 1);

	return join("\n", map { sprintf("%${width}d: %s", 16 * $_, bytes(substr($data, 16 * $_, 16))) } 0 .. (length($data) - 1) / 16);
}

sub table
{
	my ($head, @rows) = @_;

	return join('', map { '| ' . join(' | ', @$_) . " |\n" =~ s/  \|$/ |/r } $head) . '|' . '---|' x @$head . "\n"
	  . join('', map { '| ' . join(' | ', @$_) . " |\n" } @rows);
}

my $vectors = decode_json(contents("$golden/vectors.json"));

# The hash

sub hashes
{
	my @lengths = (0 .. 4, 8, 9, 16, 17, 32, 33, 64, 65, 96, 97, 128, 129, 144, 240, 241, 256, 1024, 1025, 4096);
	my $rows = @lengths / 3;
	my @cells = map { [ $_, '`' . hex64(hash_bytes(join '', map { chr($_ & 255) } 0 .. $_ - 1)) . '`' ] } @lengths;

	return table([ ('length', 'hash') x 3 ], map { my $row = $_; [ map { @{ $cells[ $row + $rows * $_ ] } } 0 .. 2 ] } 0 .. $rows - 1);
}

# Without values whose bytes another one has, and the longest.
sub values_table
{
	my %shown;

	return table(
		[ 'kind', 'value', 'canonical bytes', 'hash' ],
		map { [ $_->{kind}, '`' . encode_utf8($_->{sql}) . '`', bytes_or_none(pack 'H*', $_->{canonical_bytes}), "`$_->{hash}`" ] }
		grep { length $_->{canonical_bytes} <= 60 && !$shown{"$_->{kind} $_->{canonical_bytes}"}++ } @{ $vectors->{values} });
}

sub bytes_or_none { return $_[0] eq '' ? 'none' : '`' . bytes($_[0]) . '`' }

# The canonical bytes of a value in vectors.json.
sub vector
{
	my ($sql) = @_;
	my ($value) = grep { $_->{sql} eq $sql } @{ $vectors->{values} };

	return pack('H*', $value->{canonical_bytes});
}

sub hash_steps
{
	my ($data) = @_;
	my $length = length $data;
	my ($first, $last) = (read32($data, 0), read32($data, $length - 4));
	my ($s8, $s16) = (read64($secret, 8), read64($secret, 16));
	my $factor = 0x9FB21C651E98DF25;
	my @rows = ([ "`read32(data)`, `read32(data + @{[$length - 4]})`", q32($first, $last) ]);
	my $h = ($first << 32) + $last;

	push @rows, [ '`h = (read32(data) << 32) + read32(data + length - 4)`', q64($h) ], [ '`S(8)`, `S(16)`', q64($s8, $s16) ];
	$h ^= $s8 ^ $s16;
	push @rows, [ '`h = h ^ (S(8) ^ S(16))`', q64($h) ], [ '`rotl(h, 49)`, `rotl(h, 24)`', q64(rotl($h, 49), rotl($h, 24)) ];
	$h ^= rotl($h, 49) ^ rotl($h, 24);
	push @rows, [ '`h = h ^ rotl(h, 49) ^ rotl(h, 24)`', q64($h) ];
	$h = multiply($h, $factor);
	push @rows, [ '`h = h * 0x9FB21C651E98DF25`', q64($h) ];
	$h ^= ($h >> 35) + $length;
	push @rows, [ "`h = h ^ ((h >> 35) + $length)`", q64($h) ];
	$h = multiply($h, $factor);
	push @rows, [ '`h = h * 0x9FB21C651E98DF25`', q64($h) ];
	$h ^= $h >> 28;
	push @rows, [ '`h ^ (h >> 28)`', q64($h) ];
	die "not the hash\n" if $h != hash_bytes($data);
	return 'The canonical bytes are `' . bytes($data) . "`, so `length` is $length. The two reads overlap in @{[8 - $length]} bytes.\n\n"
	  . table([ 'step', 'value' ], @rows) . "\nAs a signed number, which `filter_hash` returns: " . signed($h) . ".\n";
}

my ($hash_42, $hash_apple) = (hash_bytes(pack 'q<', 42), hash_bytes('apple'));

sub mixing
{
	my @h = ($hash_42, $hash_apple);
	my @rows = ([ '`h`', map { q64($_) } @h ]);

	@h = map { $_ ^ ($_ >> 32) } @h;
	push @rows, [ '`h = h ^ (h >> 32)`', map { q64($_) } @h ];
	@h = map { multiply($_, 0xd6e8feb86659fd93) } @h;
	push @rows, [ '`h = h * 0xd6e8feb86659fd93`', map { q64($_) } @h ];
	push @rows, [ '`h ^ (h >> 32)`', q64(mix($hash_42)), q64(mix($hash_apple)) ];
	return table([ 'step', '42', '`apple`' ], @rows);
}

# Images

# The bytes of an image, as a dump and as text.
sub shown
{
	my ($data) = @_;

	return "```\n" . dump_of($data) . "\n```\n\nAs text: `" . encode_base64($data, '') . "`\n\n";
}

sub fields
{
	my ($filter, $kind) = @_;
	my $data = ${ $filter->{image} };
	my ($layer) = @{ $filter->{layers} };
	my $is_bloom = $filter->{type} == 1;
	my $geometry = $is_bloom ? "$layer->{count} block of $layer->{size} bits, $layer->{width} probes" :
	  "$layer->{count} page, $layer->{size} windows per half, $layer->{width} bits per slot";
	my $slots = $is_bloom ? 0 : slots($layer);
	my $content = $is_bloom ? "layer 0: $layer->{bytes} bytes" :
	  "layer 0: $slots slots of $layer->{width} bits are @{[$slots * $layer->{width}]} bits or @{[$layer->{bytes} - 7]} bytes, followed by 7 bytes";

	die "counters or a stash\n" if layer_flags($filter);

	return table(
		[ 'bytes', 'field' ],
		[ '0 .. 7', 'magic, version 1, ' . ($is_bloom ? 'a Bloom filter' : 'a cuckoo filter') . ', hash 1, one layer' ],
		[ '8 .. 15', "rate $filter->{rate}, bit pattern " . q64(read64($data, 8)) ],
		[ '16 .. 23', "kind $filter->{kind} ($kind), flags " . ord(substr($data, 17, 1)) . ', no name, sources ' . ord(substr($data, 20, 1)) . ', reserved' ],
		[ '24 .. 47', "layer 0: capacity $layer->{capacity}, $geometry, flags @{[layer_flags($filter)]}, at byte $layer->{offset}" ],
		[ "$layer->{offset} .. " . (length($data) - 1), $content ]);
}

# The words of the probes of a mixed hash, eight for each product.
sub words
{
	my ($hash, $probes) = @_;
	my (@words, $word);

	for my $i (0 .. $probes - 1)
	{
		if ($i % 8 == 0)
		{
			$hash = multiply($hash, 0x9e3779b97f4a7c15);
			$word = high32($hash);
		}
		push @words, $word;
		$word = low32(multiply($word, 0x9e3779b9));
	}
	return @words;
}

sub bloom
{
	my $data = image('bloom_text');
	my $filter = open_image($data);
	my ($layer) = @{ $filter->{layers} };
	my $hash = mix($hash_apple);
	my @words = words($hash, $layer->{width});
	my @rows;

	for my $i (0 .. $#words)
	{
		my $bit = high32($words[$i] * $layer->{size});
		my $at = $layer->{offset} + ($bit >> 3);
		my $byte = ord substr($data, $at, 1);

		push @rows, [ $i, q32($words[$i]), $bit, sprintf('%d = `%02x`', $at, $byte), ($bit & 7) . ($byte >> ($bit & 7) & 1 ? ': set' : ': not set') ];
	}
	die "apple is missing\n" if !contains($filter, $hash_apple) || grep { $_->[4] =~ /not/ } @rows;
	return "`bf_add_all(bf_create(3), ARRAY['apple', 'banana', 'cherry'])` is this image of @{[length $data]} bytes:\n\n" . shown($data)
	  . fields($filter, 'text')
	  . "\nThe mixed hash of `apple` is " . q64($hash) . '. The only block is block 0. The hash becomes `' . hex64($hash)
	  . ' * 0x9e3779b97f4a7c15 = ' . hex64(multiply($hash, 0x9e3779b97f4a7c15)) . '`, so the first word is ' . q32($words[0]) . ":\n\n"
	  . table([ 'i', 'word', "bit = high32(word * $layer->{size})", 'byte of the image', 'bit of the byte' ], @rows)
	  . "\nAll bits are set: the filter contains `apple`.\n";
}

sub blocks
{
	my ($blocks, $bits, $probes) = (1000, 512, 10);
	my $hash = mix($hash_apple);
	my $product = high32($hash) * $blocks;
	my $block = high32($product);
	my $first = multiply($hash, 0x9e3779b97f4a7c15);
	my @words = words($hash, $probes);

	return "Take a layer of $blocks blocks of $bits bits and $probes probes, and `apple` again. The block is `high32("
	  . hex32(high32($hash)) . " * $blocks) = high32(" . hex64($product) . ")`, that is $block. It begins at byte $block * "
	  . $bits / 8 . ' = ' . $block * $bits / 8 . " of the layer. For the ninth word, the hash is multiplied once more: `"
	  . hex64($first) . ' * 0x9e3779b97f4a7c15 = ' . hex64(multiply($first, 0x9e3779b97f4a7c15)) . "`.\n\n"
	  . table(
		[ 'i', 'word', 'bit of the block', 'byte of the block', 'bit of the byte' ],
		map { my $bit = high32($words[$_] * $bits); [ $_, q32($words[$_]), $bit, $bit >> 3, $bit & 7 ] } 0 .. $#words);
}

# The steps to the position of a mixed hash in a layer: rows, the page, the fingerprint and the windows.
sub position_steps
{
	my ($hash, $pages, $windows, $bits) = @_;
	my $page = mulhigh($hash, $pages);
	my $rest = multiply($hash, $pages);
	my $low = mulhigh($rest, $windows);
	my $fingerprint = low32($hash) >> (33 - $bits);
	my $m = low32(multiply($fingerprint, 0xc2b2ae35));
	my $mixed = $m ^ low32($m << 15);
	my $sum = ($mixed * $windows) >> 32;
	my $high = $sum >= $low ? $sum - $low : $sum - $low + $windows;

	die "fingerprint 0\n" if $fingerprint == 0;
	return ([
			[ '`page = mulhigh(' . hex64($hash) . ", $pages)`", $page ],
			[ "`hash * $pages`", q64($rest) ],
			[ '`window[0] = mulhigh(' . hex64($rest) . ", $windows)`", $low ],
			[ '`fingerprint = ' . hex32(low32($hash)) . ' >> ' . (33 - $bits) . '`', sprintf('`%x`, that is %d', $fingerprint, $fingerprint) ],
			[ "`m = low32($fingerprint * 0xc2b2ae35)`", q32($m) ],
			[ '`m = m ^ low32(m << 15)`', q32($mixed) ],
			[ "`sum = (m * $windows) >> 32`", $sum ],
			[ "`window[1] = $sum - $low" . ($sum >= $low ? '' : " + $windows") . '`', $high ] ],
		$page, $fingerprint, $low, $high);
}

# The lookup of an integer in the single page of a filter.
sub lookup
{
	my ($filter, $value) = @_;
	my ($layer) = @{ $filter->{layers} };
	my $hash = hash_bytes(pack 'q<', $value);
	my ($steps, undef, $fingerprint, @window) = position_steps(mix($hash), @$layer{qw(count size width)});
	my (@rows, $count);

	$count = 0;
	for my $half (0, 1)
	{
		for my $offset (0, 1)
		{
			my $slot = $half * ($layer->{size} + 1) + $window[$half] + $offset;
			my $entry = entry($filter, $layer, $slot);
			my $expected = $fingerprint * 2 + $offset;

			$count += $entry == $expected;
			push @rows, [ $half, $offset, "$half * @{[$layer->{size} + 1]} + $window[$half] + $offset = $slot", "$fingerprint * 2 + $offset = $expected", $entry,
				$entry == $expected ? 'equal' : 'not equal' ];
		}
	}
	die "another count, or 0\n" if !$count || $count != count($filter, $hash);
	return "The integer $value has the mixed hash " . q64(mix($hash)) . ":\n\n" . table([ 'step', 'value' ], @$steps) . "\n"
	  . table([ 'half', 'offset', 'slot', 'expected entry', 'entry in the slot', '' ], @rows)
	  . "\nThe count of $value is $count: the filter contains it.\n";
}

sub cuckoo
{
	my $data = image('cuckoo_integers');
	my $filter = open_image($data);
	my ($layer) = @{ $filter->{layers} };
	my @entries = map { entry($filter, $layer, $_) } 0 .. slots($layer) - 1;
	my ($slot) = grep { $entries[$_] && $_ * $layer->{width} % 8 } 1 .. $#entries;
	my $bit = $slot * $layer->{width};
	my $at = $layer->{offset} + ($bit >> 3);
	my $word = unpack('v', substr($data, $at, 2));

	return "`cf_add_all(cf_create(10), ARRAY(SELECT generate_series(1, 10)))` is this image of @{[length $data]} bytes:\n\n" . shown($data)
	  . fields($filter, 'integer')
	  . "\nThe slots 0 to $#entries contain " . join(', ', @entries) . ". Slots 0 to $layer->{size} are the lower half. Slot $slot, for example, is bits $bit to "
	  . ($bit + $layer->{width} - 1) . " of the layer: it begins at bit @{[$bit & 7]} of byte $at. The bytes $at and @{[$at + 1]} (`"
	  . bytes(substr($data, $at, 2)) . '`) as a number are `' . sprintf('%04x', $word) . "`; the low $layer->{width} bits of `"
	  . sprintf('%04x', $word) . " >> @{[$bit & 7]}` are $entries[$slot].\n\n" . lookup($filter, 7);
}

# The words of the only layer of a filter, which has a stash: the number used, and all others.
sub stash_words
{
	my ($filter) = @_;
	my ($layer) = @{ $filter->{layers} };
	my $at = stash_at($filter);

	return ($at, unpack('Q<*', substr(${ $filter->{image} }, $at, $layer->{offset} + $layer->{bytes} - $at)));
}

sub layer_flags { return ord substr(${ $_[0]{image} }, $_[0]{layers}[0]{offset} - 9, 1) }

# Where the counters of the only layer of a filter begin, and its stash, if it has them.
sub counters_at
{
	my ($layer) = @{ $_[0]{layers} };

	return $layer->{offset} + (slots($layer) * $layer->{width} + 7 >> 3) + 7;
}

sub stash_at { return counters_at($_[0]) + (layer_flags($_[0]) & 1 ? slots($_[0]{layers}[0]) / 2 : 0) }

# The slots of an integer that have its entry.
sub slots_of
{
	my ($filter, $value) = @_;
	my ($layer) = @{ $filter->{layers} };
	my (undef, undef, $fingerprint, @window) = position_steps(mix(hash_bytes(pack 'q<', $value)), @$layer{qw(count size width)});
	my @slots = map { my $half = $_; map { [ $half * ($layer->{size} + 1) + $window[$half] + $_, $fingerprint * 2 + $_ ] } 0, 1 } 0, 1;

	return map { $_->[0] } grep { entry($filter, $layer, $_->[0]) == $_->[1] } @slots;
}

sub counters
{
	my $data = image('cuckoo_permanent');
	my $filter = open_image($data);
	my ($layer) = @{ $filter->{layers} };
	my $at = counters_at($filter);
	my $length = slots($layer) / 2;
	my @rows;

	for my $value (1 .. 4)
	{
		my @slots = slots_of($filter, $value);
		my $count = count($filter, hash_bytes(pack 'q<', $value));
		my $byte = $at + ($slots[0] >> 1);
		my $counter = ord(substr($data, $byte, 1)) >> 4 * ($slots[0] & 1) & 15;

		die "not one entry, or another count\n" if @slots != 1 || $count != 1 + $counter;
		push @rows, [ $value, 13 + $value, $slots[0], sprintf('%d = `%02x`', $byte, ord substr($data, $byte, 1)), $slots[0] & 1 ? 'high' : 'low', $counter, $count ];
	}
	die "not permanent\n" if $rows[2][5] != 15 || $rows[3][5] != 15 || length($data) != $at + $length;
	return "`cf_create(10)`, to which the integer 1 was added 14 times, 2 15 times, 3 16 times and 4 17 times, is this image of @{[length $data]} bytes:\n\n"
	  . shown($data)
	  . "Byte 39, the layer flags, is 1: the layer has counters. They are the bytes $at .. @{[$at + $length - 1]}, after the @{[$at - $layer->{offset}]} bytes of the slots.\n\n"
	  . table([ 'value', 'added', 'slot of its entry', 'byte of the counter', 'half of the byte', 'counter', 'count' ], @rows);
}

sub stash
{
	my $data = image('cuckoo_counters_stash');
	my $filter = open_image($data);
	my ($layer) = @{ $filter->{layers} };
	my ($at, $used, @words) = stash_words($filter);
	my @crowd = (61, 87, 187, 607, 633, 636, 664);
	my %value;
	my @rows;

	for my $value (@crowd)
	{
		my ($steps, undef, $fingerprint, $window, $other) = position_steps(mix(hash_bytes(pack 'q<', $value)), @$layer{qw(count size width)});
		my $class = $window << ($layer->{width} - 1) | $fingerprint;
		my ($i) = grep { $words[$_] >> 4 == $class } 0 .. $used - 1;
		my ($slot) = slots_of($filter, $value);
		my $counter = defined $slot ? ord(substr($data, counters_at($filter) + ($slot >> 1), 1)) >> 4 * ($slot & 1) & 15 : $words[$i] & 15;

		die "$value is in neither, or in both\n" if defined $i == defined $slot;
		die "another count\n" if count($filter, hash_bytes(pack 'q<', $value)) != 1 + $counter;
		push @rows, [ $value, "$window, $other", $fingerprint, "$window * @{[1 << $layer->{width} - 1]} + $fingerprint = $class",
			defined $slot ? "slot $slot" : "word $i", $counter, 1 + $counter ];
	}
	die "not @{[scalar @words]} words\n" if @words != $used;
	return '`cf_create(20)`, to which 61 was added 6 times, 87, 187, 607 and 633 once, 636 17 times, and 664 3 times, is this image of '
	  . length($data) . " bytes. They share both windows, whose four slots hold the classes of four of them.\n\n" . shown($data)
	  . "Byte 39, the layer flags, is @{[layer_flags($filter)]}: the layer has counters, the bytes @{[counters_at($filter)]} .. @{[$at - 1]}, and a stash, the bytes $at .. @{[length($data) - 1]}. "
	  . "The first 8 bytes of the stash are `used`, $used. The room is (@{[length $data]} - $at) / 8 - 1 = @{[scalar @words]}, and the words are "
	  . q64(@words) . ".\n\n"
	  . table([ 'value', 'windows', 'fingerprint', 'class', 'found in', 'copies beyond the first', 'count' ], @rows)
	  . "\nA word is `class << 4 | copies`: that of 636, for example, is " . join('', map { my $w = $_; q64($w) } grep { ($_ & 15) == 15 } @words)
	  . ". The page is 0, so `page * windows + window[0]` is the lower window.\n";
}

sub union_of_two
{
	my $data = image('cuckoo_union');
	my $filter = open_image($data);
	my @counts = map { count($filter, hash_bytes(pack 'q<', $_)) } 1 .. 12;

	die "not a set\n" if ord(substr($data, 17, 1)) != 1 || @{ $filter->{layers} } != 2 || grep { $_ == 0 } @counts;
	return "`cf_add_all(cf_create(10, 0.001), ARRAY(SELECT generate_series(1, 5))) | cf_add_all(cf_create(20, 0.001), ARRAY(SELECT generate_series(4, 12)))` is this image of "
	  . length($data) . " bytes:\n\n" . shown($data)
	  . "Byte 17, the flags, is 1: the filter is a set. Its two layers have no counters.\n";
}

sub pages
{
	my ($pages, $windows, $bits) = (5, 32000, 13);
	my ($steps, $page, $fingerprint, @window) = position_steps(mix($hash_42), $pages, $windows, $bits);
	my $page_slots = 2 * ($windows + 1);
	my $slot = $page * $page_slots + $window[0];
	my $upper = $page * $page_slots + $windows + 1 + $window[1];
	my $bit = $slot * $bits;

	return "Take a layer of $pages pages with $windows windows per half and $bits bits per slot, and the integer 42. A page has $page_slots slots.\n\n" . table(
		[ 'step', 'value' ],
		@$steps,
		[ 'slots in half 0', "$page * $page_slots + $window[0] = $slot, and " . ($slot + 1) ],
		[ 'slots in half 1', "$page * $page_slots + @{[$windows + 1]} + $window[1] = $upper, and " . ($upper + 1) ],
		[ 'expected entries', 2 * $fingerprint . ' in the first slot of a window, ' . (2 * $fingerprint + 1) . ' in the second' ],
		[ "bits of slot $slot", "$bit .. " . ($bit + $bits - 1) . " of the layer, from bit @{[$bit & 7]} of its byte " . ($bit >> 3) ]);
}

# The geometry of a Bloom filter, by the formulas of docs/format.md.

use constant LN_2 => 0.69314718055994530942;

sub least { return $_[0] < $_[1] ? $_[0] : $_[1] }

sub greatest { return $_[0] > $_[1] ? $_[0] : $_[1] }

sub ceiling { return int($_[0]) < $_[0] ? int($_[0]) + 1 : int($_[0]) }

sub power
{
	my ($base, $exponent) = @_;
	my $result = 1;

	for (; $exponent > 0; $exponent >>= 1)
	{
		$result *= $base if $exponent & 1;
		$base *= $base;
	}
	return $result;
}

sub block_rate
{
	my ($bits, $probes, $one_clear, $two_clear) = @_;
	my $fraction = 1 - $one_clear;

	return 0 if $fraction <= 0;
	my $variance = greatest(0, ($two_clear * ($bits - 1) + $one_clear) / $bits - $one_clear * $one_clear);
	return power($fraction, $probes) * (1 + 0.5 * $probes * ($probes - 1) * $variance / ($fraction * $fraction));
}

sub rate_at
{
	my ($probes, $load) = @_;
	my ($one_clear, $two_clear) = (power(1 - 1 / 512, $probes), power(1 - 2 / 512, $probes));
	my ($chance, $one, $two, $sum) = (exp(-$load), 1, 1, 0);

	return 1 if $load > 600;
	for (my $n = 0; $n <= $load + 16 * sqrt($load) + 40; $n++)
	{
		$sum += $chance * block_rate(512, $probes, $one, $two);
		$chance *= $load / ($n + 1);
		$one *= $one_clear;
		$two *= $two_clear;
	}
	return least(1, $sum);
}

sub best_of_block
{
	my ($bits, $values, $rate) = @_;
	my $ideal = least($bits / $values * LN_2, ceiling(-log($rate) / LN_2));
	my $first = $ideal >= 32 ? 31 : int($ideal);
	my ($one, $two) = (power(1 - 1 / $bits, $values), power(1 - 2 / $bits, $values));
	my ($lowest, $best) = (2);

	for my $probes (greatest(1, $first - 1) .. least($first + 1, 32))
	{
		my $r = least(1, block_rate($bits, $probes, power($one, $probes), power($two, $probes)));
		($lowest, $best) = ($r, $probes) if $r < $lowest;
	}
	return ($lowest, $best);
}

sub largest_load
{
	my ($rate) = @_;
	my $textbook = -log($rate) / LN_2;
	my ($load, $best) = (0, 1);

	for (my $probes = $textbook < 4 ? 1 : int($textbook * 0.4); $probes <= 32 && $probes <= $textbook + 2; $probes++)
	{
		next if rate_at($probes, ($load + 1) / 256) > $rate;
		my ($low, $high) = ($load, 131072);
		while ($high - $low > 1)
		{
			my $middle = ($low + $high) >> 1;
			if (rate_at($probes, $middle / 256) > $rate) { $high = $middle }
			else { $low = $middle }
		}
		($load, $best) = ($low, $probes);
	}
	return (greatest(1, $load), $best);
}

sub geometry
{
	my ($capacity, $rate) = @_;
	my $values = $capacity + greatest(0, ceiling($capacity + 0.5 * sqrt($capacity) + 1 - 1.005 * $capacity));

	if ($values <= 8192)
	{
		my $textbook = -log($rate) / (LN_2 * LN_2) * $values / 64;

		for my $words (($textbook < 128 ? int($textbook) + 1 : 128) .. 128)
		{
			my ($lowest, $probes) = best_of_block(64 * $words, $values, $rate);
			return (1, 64 * $words, $probes) if $lowest <= $rate;
		}
	}
	my ($load, $probes) = largest_load($rate);
	return (greatest(2, ceiling($values * 256 / $load)), 512, $probes);
}

sub geometries
{
	my @examples = ([ 8, '0.01' ], [ 10, '1e-7' ], [ 500, '0.01' ], [ 1000, '0.01' ], [ 10000, '0.001' ], [ 1000000, '0.01' ],
		[ 1000000, '0.5' ], [ 10000000, '1e-7' ]);

	return table([ 'capacity', 'rate', 'blocks', 'bits per block', 'probes' ], map { [ @$_, geometry($_->[0], 0 + $_->[1]) ] } @examples);
}

my $array = vector("'{1,NULL}'::integer[]");
my $row = vector("ROW(42, 'apple'::text)");
my %parts = (
	secret => join("\n", map { sprintf('%3d: %s', 16 * $_, bytes(substr($secret, 16 * $_, 16))) } 0 .. 11),
	hashes => hashes(),
	values => values_table(),
	array => join("\n", join('   ', map { bytes(substr($array, 4 * $_, 4)) } 0 .. 2), map { bytes(substr($array, $_, 9)) } 12, 21),
	row => join("\n", map { bytes(substr($row, $_, 9)) } 0, 9),
	interval_number => unpack('q<', vector("'1 day'::interval")),
	hash_apple => hash_steps('apple'),
	mixing => mixing(),
	bloom => bloom(),
	blocks => blocks(),
	cuckoo => cuckoo(),
	counters => counters(),
	stash => stash(),
	union_of_two => union_of_two(),
	pages => pages(),
	geometries => geometries());
my $text = contents("$golden/format_examples.md.in") =~ s/\@(\w+)\@/$parts{$1} \/\/ die "no part $1\n"/gre;

# Paragraphs of examples, in lines of at most 120 characters.
$Text::Wrap::columns = 121;
$Text::Wrap::huge = 'overflow';
$text =~ s/^(?![|]|As text)[^\n]{121,}$/wrap('', '', $&)/gme;

if (($ARGV[0] // '') eq '-')
{
	print $text;
}
else
{
	open(my $file, '>', "$golden/../../docs/format_examples.md") or die "docs/format_examples.md: $!\n";
	print $file $text;
	close($file) or die "docs/format_examples.md: $!\n";
}
