#!/usr/bin/env perl
# draw.pl FOLDER <EXAMPLES: draws what examples.c has printed, the plan of docs/how_it_works.md, which test/t/020_readme.pl
# compares with that of a server, and the rule of src/join_planner/rules.c beside times of docs/performance. Run it at the top.
use strict;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Svg;
use Tables;

my ($folder) = @ARGV;
my %fact;
while (my $line = <STDIN>)
{
	my ($topic, $name, @words) = split(' ', $line);
	push @{ $fact{"$topic $name"} }, \@words;
}

sub fact { return $fact{ $_[0] } ? @{ $fact{ $_[0] }[0] } : die "no fact: $_[0]\n" }

sub read_file
{
	my ($name) = @_;

	open(my $file, '<', $name) or die "$name: $!\n";
	local $/ = undef;
	return scalar <$file>;
}

my $contradictions = 0;
my $page = read_file('docs/how_it_works.md');

# Constants of the design that the page quotes.
sub confirm
{
	my ($words, $source, $pattern) = @_;

	return if $page =~ /\Q$words\E/ && read_file($source) =~ $pattern;
	print STDERR "docs/how_it_works.md is to say \"$words\", and $source to agree\n";
	$contradictions++;
	return;
}

sub thousands
{
	my ($text) = @_;

	1 while $text =~ s/^(\d+)(\d{3})/$1,$2/;
	return $text;
}

sub kilobytes { return sprintf('%.1f kB', $_[0] / 1000) }

sub draw_key
{
	my ($key, $absent, $block, $blocks, $keys) = map { (fact("bloom $_"))[0] } qw(key absent block blocks keys);
	my %set = map { $_ => 1 } fact('bloom set');
	my @bits = fact('bloom key_bits');
	my @other = fact('bloom absent_bits');
	my @clear = sort { $a <=> $b } grep { !$set{$_} } @other;
	my ($place) = fact('bloom place');
	my $svg = Svg->new("Key $key has set " . @bits . " of the 512 bits of a block; key $absent has the same block, but " . @clear . ' of its bits are 0: it is certainly absent', 400);
	my ($cell, $row, $left, $top) = (9.5, 21, 16, 132);

	die "a key of the filter is not found\n" if grep { !$set{$_} } @bits;
	$svg->text(16, 40, "key $key", bold => 1, colour => 'bloom');
	$svg->line('muted', [ [ 92, 35 ], [ 208, 35 ] ], arrow => 1, width => 2);
	$svg->text(148, 25, 'XXH3, mixed', anchor => 'middle', colour => 'muted');
	$svg->box(216, 18, 90, 32, stroke => 'bloom', width => 2);
	$svg->text(261, 40, substr($place, 0, 8), mono => 1, anchor => 'middle');
	$svg->text(312, 40, substr($place, 8), mono => 1);
	$svg->text(406, 40, 'hash, 64 bits', colour => 'muted');
	$svg->line('bloom', [ [ 261, 50 ], [ 261, 74 ] ], arrow => 1, width => 2);
	$svg->runs(16, 95, [ "block $block of $blocks: ", bold => 1 ], [ 'The hash selects ' . @bits . ' of its 512 bits.' ]);
	$svg->box(16, 104, 11, 18, fill => 'muted');
	$svg->text(34, 120, '1, set by one or more of ' . thousands($keys) . ' keys', colour => 'muted');
	$svg->box(350, 104, 11, 18, fill => 'faint');
	$svg->text(368, 120, '0', colour => 'muted');
	for my $bit (0 .. 511)
	{
		my ($x, $y) = ($left + $bit % 64 * $cell, $top + int($bit / 64) * $row);
		$svg->box($x, $y, $cell - 1.5, $row - 5, fill => $set{$bit} ? 'muted' : 'faint') if !grep { $_ == $bit } @bits;
	}
	for my $bit (@bits, @other)
	{
		my ($x, $y) = ($left + $bit % 64 * $cell, $top + int($bit / 64) * $row);
		if (grep { $_ == $bit } @bits)
		{
			$svg->box($x - 1.5, $y - 2, $cell + 1.5, $row - 1, fill => 'bloom');
		}
		else
		{
			$svg->box($x - 1.5, $y - 2, $cell + 1.5, $row - 1, stroke => 'wrong', width => 3);
		}
	}
	$svg->box(16, 318, 11, 20, fill => 'bloom');
	$svg->text(38, 334, "key $key: its " . @bits . ' bits are 1.', colour => 'bloom', bold => 1);
	$svg->text(624, 334, 'Answer: yes, probably.', anchor => 'end');
	$svg->box(16, 354, 11, 20, stroke => 'wrong', width => 3);
	$svg->text(38, 370, "key $absent, never added: " . @clear . ' of its ' . @other . ' bits are 0.', colour => 'wrong', bold => 1);
	$svg->text(624, 370, 'Answer: no, certainly.', anchor => 'end');
	return $svg->write("$folder/key.svg");
}

sub draw_windows
{
	my ($lower, $upper, $fingerprint) = fact('cuckoo place');
	my ($key, $windows, $entries, $bits) = map { (fact("cuckoo $_"))[0] } qw(key windows entries slot_bits);
	my @before = fact('cuckoo before');
	my @after = fact('cuckoo after');
	my $half = $windows + 1;
	my ($from) = grep { $before[$_] ne $after[$_] && $before[$_] !~ /^0+\// } 0 .. $#before;
	my ($to) = grep { $before[$_] ne $after[$_] && $before[$_] =~ /^0+\// } 0 .. $#before;
	my ($moved) = $before[$from] =~ /(.*)\//;
	my $svg = Svg->new("The four slots of key $key, in two windows, are taken; fingerprint $moved moves to its other window, and $fingerprint takes its slot", 392);
	my ($left, $width, @top) = (16, 60.8, 122, 262);

	die "no move\n" if !defined $from || !defined $to || $after[$from] !~ /^$fingerprint\// || $after[$to] !~ /^$moved\//;
	my $x = sub { $left + $_[0] % $half * $width };
	my $y = sub { $top[ $_[0] >= $half ] };
	$svg->runs(16, 30, [ "Key $key ", bold => 1, colour => 'cuckoo' ], [ 'gets two windows and the fingerprint ' ],
		[ $fingerprint, mono => 1, bold => 1, colour => 'cuckoo' ], [ ', ' . ($bits - 1) . ' bits.' ]);
	$svg->text(16, 54, 'All four slots of its windows are taken.');
	for my $upper_half (0, 1)
	{
		my $window = $upper_half ? $upper : $lower;
		my $first = $window + $upper_half * $half;

		$svg->text(16, $top[$upper_half] - 34, $upper_half ? 'upper half' : 'lower half', colour => 'muted');
		for my $slot ($upper_half * $half .. $upper_half * $half + $half - 1)
		{
			my ($entry) = $before[$slot] =~ /(.*)\//;

			$svg->box($x->($slot), $y->($slot), $width - 4, 40, stroke => 'muted');
			$svg->text($x->($slot) + $width / 2 - 2, $y->($slot) + 26, $entry =~ /^0+$/ ? '' : $entry, mono => 1, anchor => 'middle',
				$slot == $from ? (bold => 1) : ());
		}
		$svg->box($x->($first) - 4, $y->($first) - 5, 2 * $width + 4, 50, stroke => 'cuckoo', width => 4, round => 6);
		$svg->text($x->($first) + $width - 2, $y->($first) - 12, "window of $fingerprint", colour => 'cuckoo', bold => 1, anchor => 'middle');
	}
	# The other window of the moved entry.
	my ($offset) = $after[$to] =~ /\/(.*)/;
	my $other = $to - $offset;
	$svg->box($x->($other) + 1, $y->($other) + 48, 2 * $width - 6, 3, fill => 'muted');
	$svg->text($x->($other) + $width - 2, $y->($other) + 69, "window of $moved", colour => 'muted', anchor => 'middle');
	$svg->line('cuckoo', [ [ $x->($from) + $width / 2 - 2, $y->($from) + 45 ], [ $x->($to) + $width / 2 - 2, $y->($to) - 2 ] ], width => 3,
		arrow => 1);
	$svg->text($x->($from) + $width / 2 + 10, $y->($from) + 75, "kick: $moved moves, and $fingerprint takes its slot", bold => 1);
	$svg->text(16, 376, "The $windows windows of a half overlap in its $half slots.");
	return $svg->write("$folder/windows.svg");
}

sub draw_layers
{
	my @layers = @{ $fact{'layers grown'} };
	my ($values, $bytes, $limit) = fact('layers grown_sum');
	my ($planned_capacity, $planned_bytes) = fact('layers planned');
	my $scale = 300 / $planned_bytes;
	my $svg = Svg->new('A Bloom filter created for ' . thousands($layers[0][0]) . ' values has ' . @layers . ' layers when it has ' . thousands($values) . ', of ' . kilobytes($bytes) . '; created for all of them, it takes ' . kilobytes($planned_bytes), 330);
	my $y = 66;

	$svg->text(16, 28, thousands($values) . ' values, added one by one at 1%', bold => 1);
	$svg->text(16, 52, 'Created without a capacity: each layer has twice the capacity.', colour => 'muted');
	for my $i (0 .. $#layers)
	{
		my ($capacity, $size, $rate) = @{ $layers[$i] };
		$svg->text(128, $y + 20, thousands($capacity) . ' values', anchor => 'end');
		$svg->box(138, $y, $scale * $size, 28, fill => 'bloom');
		$svg->text(148 + $scale * $size, $y + 20, kilobytes($size) . ' at ' . Svg::number($rate * 100) / 100 . '%');
		$y += 38;
	}
	$svg->text(138, $y + 16, 'together ' . kilobytes($bytes) . sprintf(' at %.2f%%', $limit),
		bold => 1, colour => 'bloom');
	$y += 50;
	$svg->text(16, $y, 'Created for all values: a single layer.', colour => 'muted');
	$y += 14;
	$svg->text(128, $y + 20, thousands($planned_capacity) . ' values', anchor => 'end');
	$svg->box(138, $y, $scale * $planned_bytes, 28, fill => 'bloom');
	$svg->text(148 + $scale * $planned_bytes, $y + 20, kilobytes($planned_bytes) . ' at 1%', bold => 1);
	return $svg->write("$folder/layers.svg");
}

sub draw_plan
{
	my ($joined) = $page =~ /Hash Join \(actual rows=(\d+)/ or die "no plan in docs/how_it_works.md\n";
	my ($passed) = $page =~ /\(CuckooFilterScan\) on orders \(actual rows=(\d+)/;
	my ($probed, $rejected) = $page =~ /rows probed=(\d+) rejected=(\d+)/;
	my ($node) = $page =~ /Custom Scan \((Cuckoo(?:Runtime|Join)Filter)\)/;
	my ($keys, $size) = $page =~ /\(keys=(\d+) size=(\S+?)\)/;
	my $svg = Svg->new('The filter of the ' . thousands($keys) . ' keys that the join hashes rejects ' . thousands($rejected) . ' of a million rows in the scan of the other side', 372);
	my $box = sub {
		my ($x, $y, $width, $colour, @lines) = @_;

		$svg->box($x, $y, $width, 18 + 22 * @lines, stroke => $colour, width => 2, round => 6);
		$svg->text($x + $width / 2, $y + 26 + 22 * $_, $lines[$_], anchor => 'middle', $_ == 0 ? (bold => 1, colour => $colour) : ()) for 0 .. $#lines;
	};

	$box->(200, 12, 200, 'hash', 'Hash Join', thousands($joined) . ' rows');
	$box->(16, 140, 250, 'bloom', 'CuckooFilterScan', 'on orders, a million rows', thousands($rejected) . ' rejected', thousands($passed) . ' pass');
	$box->(414, 106, 214, 'hash', 'Hash', thousands($keys) . ' rows');
	$box->(414, 204, 214, 'bloom', $node, thousands($keys) . " keys in $size");
	$box->(414, 302, 214, 'muted', 'Seq Scan', 'on vip, ' . thousands($keys) . ' rows');
	$svg->line('muted', [ [ 141, 140 ], [ 141, 96 ], [ 240, 76 ] ], width => 2, arrow => 1);
	$svg->text(20, 106, 'probe side', colour => 'muted');
	$svg->line('muted', [ [ 521, 106 ], [ 521, 84 ], [ 404, 60 ] ], width => 2, arrow => 1);
	$svg->text(534, 88, 'build side', colour => 'muted');
	$svg->line('muted', [ [ 521, 204 ], [ 521, 170 ] ], width => 2, arrow => 1);
	$svg->line('muted', [ [ 521, 302 ], [ 521, 268 ] ], width => 2, arrow => 1);
	$svg->line('bloom', [ [ 412, 235 ], [ 272, 196 ] ], width => 5, arrow => 1);
	$svg->text(330, 252, 'the filter', anchor => 'middle', colour => 'bloom', bold => 1);
	$svg->text(16, 288, '1. The build side is read first.');
	$svg->text(16, 312, '2. Its keys become a filter.');
	$svg->text(16, 336, '3. The scan discards the rows that');
	$svg->text(36, 358, 'the join would discard.');
	return $svg->write("$folder/plan.svg");
}

sub draw_pays
{
	my ($per_key) = read_file('src/join_planner/rules.c') =~ /^#define ROWS_PER_KEY\s+([\d.]+)/m or die "no ROWS_PER_KEY\n";
	my ($most) = read_file('src/plan_nodes/settings.c') =~ /^double\s+runtime_filter_max_match_fraction = ([\d.]+);/m or die "no fraction\n";
	my %time;
	my ($left, $right, $top, $bottom) = (76, 620, 50, 340);
	my ($low, $high) = (0.004, 100);
	my $x = sub { $left + ($right - $left) * log($_[0] / $low) / log($high / $low) };
	my $y = sub { $bottom - ($bottom - $top) * $_[0] / 100 };

	for my $row (Tables::rows('joins'))
	{
		$time{$1} = sprintf('%.0f%%', 100 * $2) if "$row->[0]: $row->[2]" =~ /^20,000 keys, (\d+)% match, never bypassed: ([\d.]+)$/;
	}
	die "no times\n" if !%time;
	my ($edge, $match) = ($x->(100 / $per_key), $y->(100 * $most));
	my $svg = Svg->new('A join builds a filter if at most ' . 100 * $most . '% of the rows match, or if the small side has at most ' . 100 / $per_key . '% as many rows as the large one', 410);
	$svg->text(16, 28, 'rows of the large side that match', colour => 'muted');
	$svg->line('faint', [ [ $left, $y->($_) ], [ $right, $y->($_) ] ]) for 0, 25, 50, 75, 100;
	$svg->text($left - 8, $y->($_) + 6, "$_%", anchor => 'end', colour => 'muted') for 0, 25, 50, 75, 100;
	$svg->text($x->($_), $bottom + 24, "$_%", anchor => 'middle', colour => 'muted') for 0.01, 0.1, 1, 10;
	$svg->text($right, $bottom + 24, '100%', anchor => 'end', colour => 'muted');
	$svg->text(348, $bottom + 52, 'rows of the small side, as a fraction of the large side', anchor => 'middle', colour => 'muted');
	$svg->line('bloom', [ [ $left, $top ], [ $edge, $top ], [ $edge, $match ], [ $right, $match ], [ $right, $bottom ], [ $left, $bottom ], [ $left, $top ] ],
		width => 3);
	$svg->text(($edge + $right) / 2, $top + 42, 'no filter', anchor => 'middle', bold => 1, colour => 'wrong');
	$svg->text(($edge + $right) / 2 - 40, $y->(34), 'A filter pays:', anchor => 'middle', bold => 1, colour => 'bloom');
	$svg->text(($edge + $right) / 2 - 40, $y->(34) + 24, 'fewer than ' . 100 * $most . '% match', anchor => 'middle');
	$svg->text($edge - 12, $y->(90), 'A filter costs little:', anchor => 'end', bold => 1, colour => 'bloom');
	$svg->text($edge - 12, $y->(90) + 22, 'few keys, many rows', anchor => 'end');
	for my $percent (sort { $a <=> $b } keys %time)
	{
		# The same fraction of 20,000 rows is hashed, for 20 million of the other side.
		my $at = $x->(0.1 * $percent / 100);

		$svg->circle($at, $y->($percent), 6, 'bloom');
		$svg->text($at - 12, $y->($percent) + 20, $time{$percent}, bold => 1, anchor => 'end') if $percent > 60;
		$svg->runs($at + 12, $y->($percent) + 6, [ $time{$percent}, bold => 1 ],
			$percent == 10 ? [ ' of the time without a filter' ] : ()) if $percent <= 60;
	}
	return $svg->write("$folder/pays.svg");
}

draw_key();
draw_windows();
draw_layers();
draw_plan();
draw_pays();

confirm('64 bytes', 'src/core/bloom.h', qr/^#define BLOOM_BLOCK_BITS\s+512$/m);
confirm('4,096 steps', 'src/core/cuckoo.h', qr/^#define CUCKOO_MAX_STEPS\s+4096$/m);
confirm('93.5%', 'src/core/cuckoo_sizing.c', qr/fmin\(0\.935,/);
confirm('1.5 times the rate', 'src/core/filter.h', qr/stays within 1\.5 times/);
confirm('50,000 rows', 'src/plan_nodes/settings.c', qr/^int\s+runtime_filter_min_rows = 50000;/m);
exit($contradictions > 0 ? 1 : 0);
