#!/usr/bin/env perl
# plots.pl FOLDER FACTS: draws the pictures of docs/performance from the tables of measurements, and space.svg also from what
# test/drawings/examples.c prints, FACTS. A picture is left out if its table does not have all that it shows.
use strict;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/../lib";
use List::Util qw(max min);
use Svg;
use Tables;

my ($folder, $facts) = @ARGV;

# A table: its rows by the text of their first cell, and of their baseline if they have one; each a hash by the header. A
# second column of one name has the name of the column before it: "join filter spread".
sub table
{
	my ($name) = @_;
	my ($head, @rows) = Tables::rows($name) or return;
	my (@names, %seen, %table);

	for my $i (0 .. $#$head)
	{
		push @names, $head->[$i] eq 'spread' && $i > 0 && $head->[ $i - 1 ] ne 'ratio' ? "$head->[$i - 1] spread" : $head->[$i];
	}
	for my $row (@rows)
	{
		my %cells;
		@cells{@names} = @$row;
		$cells{$_} =~ s/\*\*//g for keys %cells;
		my $key = $cells{ $names[0] };
		$key = "$table{order}[-1], condition" if $key eq 'the same, as a condition';
		push @{ $table{order} }, $key;
		$table{rows}{$key} //= \%cells;
		$table{rows}{"$key / $cells{baseline}"} = \%cells if $cells{baseline};
	}
	return \%table;
}

sub value { return defined $_[0] && $_[0] =~ /^([\d.]+)/ ? $1 : undef }

# The figure of a row in a column, and its spread.
sub figures
{
	my ($table, $row, $column) = @_;
	my $cells = $table->{rows}{$row} or die "no row: $row\n";
	my @spread = ($cells->{ $column eq 'ratio' ? 'spread' : "$column spread" } // '') =~ /([\d.]+)/g;
	my $value = value($cells->{$column}) // die "no figure: $row, $column\n";

	return ($value, @spread == 2 ? @spread : ($value, $value));
}

sub percent { return sprintf($_[0] < 0.095 ? '%.2g%%' : '%.0f%%', 100 * $_[0]) }

sub rounded { return $_[0] >= 10 ? thousands(sprintf('%.0f', $_[0])) : sprintf($_[0] < 1 ? '%.2f' : '%.1f', $_[0]) }

sub thousands
{
	my ($text) = @_;

	1 while $text =~ s/^(\d+)(\d{3})/$1,$2/;
	return $text;
}

sub headings
{
	my ($svg, $what, @more) = @_;

	$svg->text(16, 28, $what, bold => 1);
	$svg->text(16, 30 + 22 * $_, $more[ $_ - 1 ], colour => 'muted') for 1 .. @more;
	return;
}

# Horizontal bars of ratios, with a line at 100%. A row is [label, value, low, high, colour], or a heading.
sub bars
{
	my ($file, $title, $headings, $reference, @rows) = @_;
	my $top = 50 + 22 * (@$headings - 1);
	my $most = max(1, map { ref $_ ? $_->[3] : () } @rows);
	my $left = 24 + 10 * max(map { ref $_ ? length($_->[0]) : () } @rows);
	my $scale = (570 - $left) / $most;
	my $bottom = $top + 20 + 26 * @rows;
	my $svg = Svg->new($title, $bottom + 12);

	headings($svg, @$headings);
	$svg->text($left + $scale, $top + 8, $reference, anchor => 'end', colour => 'muted');
	$svg->line('muted', [ [ $left + $scale, $top + 14 ], [ $left + $scale, $bottom ] ], dash => '4 4', width => 2);
	my $y = $top + 20;
	for my $row (@rows)
	{
		if (ref $row)
		{
			my ($label, $value, $low, $high, $colour) = @$row;
			my $end = $left + $scale * max($value, $high);

			$svg->text($left - 8, $y + 16, $label, anchor => 'end');
			$svg->box($left, $y + 1, $scale * $value, 19, fill => $colour);
			$svg->line('text', [ [ $left + $scale * $low, $y + 10.5 ], [ $left + $scale * $high, $y + 10.5 ] ], width => 2) if $high > $low;
			$svg->text($end + 8, $y + 16, percent($value), bold => 1);
		}
		else
		{
			$svg->text(16, $y + 16, $row, bold => 1);
		}
		$y += 26;
	}
	return $svg->write("$folder/$file.svg");
}

# Lines over a logarithmic x axis, labelled at their ends. A line is [label, colour, points, options...].
sub lines
{
	my ($file, $title, $headings, %of) = @_;
	my ($left, $right, $top, $bottom) = (64, $of{right} // 420, 44 + 22 * (@$headings - 1), 350);
	my $svg = Svg->new($title, 408);
	my ($first, $last) = map { log } @{ $of{x} };
	my @y = map { $of{log} ? log : $_ } @{ $of{y} };
	my $x = sub { $left + ($right - $left) * (log($_[0]) - $first) / ($last - $first) };
	my $y = sub { $bottom - ($bottom - $top) * (($of{log} ? log($_[0]) : $_[0]) - $y[0]) / ($y[1] - $y[0]) };
	my @labels;

	headings($svg, @$headings);
	for my $tick (@{ $of{yticks} })
	{
		$svg->line('faint', [ [ $left, $y->($tick) ], [ $right, $y->($tick) ] ]);
		$svg->text($left - 8, $y->($tick) + 6, thousands($tick), anchor => 'end', colour => 'muted');
	}
	for my $tick (@{ $of{xticks} })
	{
		$svg->text($x->($tick->[0]), $bottom + 24, $tick->[1], anchor => 'middle', colour => 'muted');
	}
	$svg->text(($left + $right) / 2, $bottom + 48, $of{xname}, anchor => 'middle', colour => 'muted');
	for my $line (@{ $of{lines} })
	{
		my ($label, $colour, $points, %option) = @$line;
		my @points = map { [ $x->($_->[0]), $y->($_->[1]) ] } @$points;

		next if !@points;
		$svg->line($colour, \@points, width => 3, %option);
		if ($points[-1][0] < $right - 60)
		{
			$svg->text($points[-1][0] - 2, $points[-1][1] - 10, $label, colour => $colour, anchor => 'end');
			next;
		}
		push @labels, [ $points[-1][1], $label, $colour ];
	}
	$svg->labels($right + 10, $top, $bottom, @labels);
	return $svg->write("$folder/$file.svg");
}

# The points of a column of a table by numbers, in the order of its rows.
sub points
{
	my ($table, $column) = @_;
	my @points;

	for my $key (@{ $table->{order} })
	{
		my $value = value($table->{rows}{$key}{$column} // '') // next;
		push @points, [ $key =~ tr/,//dr, $value ];
	}
	return [ sort { $a->[0] <=> $b->[0] } @points ];
}

sub last_of { return $_[0][-1][1] }

my @set_sizes = ([ 100, '100' ], [ 1e3, '1,000' ], [ 1e4, '10,000' ], [ 1e5, '100,000' ], [ 1e6, '1 million' ]);

sub draw_probe
{
	my ($table) = @_;
	my %points = map { $_ => points($table, $_) } 'no filter', 'bloom', 'cuckoo', '= ANY', 'hash join', 'index';
	my $ns = sub { rounded(last_of($points{ $_[0] })) . ' ns' };

	lines('probe', 'Time to scan a row and check a key that is not in the set, with a million keys: bloomfilter ' . $ns->('bloom') .
		', cuckoofilter ' . $ns->('cuckoo') . ', hash join ' . $ns->('hash join') . ', index ' . $ns->('index'),
		[ 'Time to scan a row and reject it by its key', 'nanoseconds per row; without a check, the row is counted' ],
		x => [ 100, 1e6 ], y => [ 5, 2000 ], log => 1, yticks => [ 10, 100, 1000 ], xticks => \@set_sizes, xname => 'keys in the set',
		lines => [
			[ 'index ' . $ns->('index'), 'index', $points{'index'} ],
			[ 'hash join ' . $ns->('hash join'), 'hash', $points{'hash join'} ],
			[ '= ANY (array)', 'array', $points{'= ANY'} ],
			[ 'no check ' . $ns->('no filter'), 'muted', $points{'no filter'}, dash => '3 5' ],
			[ 'cuckoofilter ' . $ns->('cuckoo'), 'cuckoo', $points{'cuckoo'} ],
			[ 'bloomfilter ' . $ns->('bloom'), 'bloom', $points{'bloom'} ] ]);
	return;
}

sub draw_lookup
{
	my ($table) = @_;
	my %points = map { $_ => points($table, $_) } 'random read', 'Bloom, 1%', 'cuckoo, 0.1%', 'plain cuckoo, 12 bits',
	  'textbook Bloom, 1%', 'hash set';
	my $ns = sub { rounded(last_of($points{ $_[0] })) . ' ns' };

	lines('lookup', 'Time to look up an absent value in C, one by one, in a set of 100 million: Bloom filter ' . $ns->('Bloom, 1%') .
		', cuckoo filter ' . $ns->('cuckoo, 0.1%') . ', hash set ' . $ns->('hash set'),
		[ 'Time to look up an absent value, one by one', 'nanoseconds, in C, on one thread' ],
		x => [ 1e4, 1e8 ], y => [ 1, 300 ], log => 1, yticks => [ 1, 10, 100 ],
		xticks => [ [ 1e4, '10,000' ], [ 1e6, '1 million' ], [ 1e8, '100 million' ] ], xname => 'values in the set',
		lines => [
			[ 'hash set ' . $ns->('hash set'), 'hash', $points{'hash set'} ],
			[ 'textbook Bloom ' . $ns->('textbook Bloom, 1%'), 'textbook', $points{'textbook Bloom, 1%'}, dash => '8 4' ],
			[ 'cuckoo, 0.1% ' . $ns->('cuckoo, 0.1%'), 'cuckoo', $points{'cuckoo, 0.1%'} ],
			[ 'plain cuckoo ' . $ns->('plain cuckoo, 12 bits'), 'plain', $points{'plain cuckoo, 12 bits'}, dash => '8 4' ],
			[ 'Bloom, 1% ' . $ns->('Bloom, 1%'), 'bloom', $points{'Bloom, 1%'} ],
			[ 'one random read ' . $ns->('random read'), 'muted', $points{'random read'}, dash => '3 5' ] ]);
	return;
}

sub draw_space
{
	my ($table) = @_;
	my (%points, %at);

	open(my $file, '<', $facts) or die "$facts: $!\n";
	while (my $line = <$file>)
	{
		push @{ $points{$1} }, [ 1 / $2, $3 ] if $line =~ /^space (\w+) (\S+) (\S+)$/;
	}
	close $file;
	for my $name ('least possible', 'textbook Bloom', 'plain cuckoo, at best')
	{
		$points{$name} = [ sort { $a->[0] <=> $b->[0] } map { [ 1 / $_->[0], $_->[1] ] } @{ points($table, $name) } ];
	}
	for my $type ('bloom', 'cuckoo')
	{
		$points{$type} = [ sort { $a->[0] <=> $b->[0] } @{ $points{$type} } ];
		($at{$type}) = map { $_->[1] } grep { abs($_->[0] - 100) < 1e-6 } @{ $points{$type} };
		# Both have been computed for the same number of values.
		die "space: the table contradicts the code, of 1%, $type\n" if abs($at{$type} - value($table->{rows}{'0.01'}{ $type eq 'bloom' ? 'Bloom' : 'cuckoo' })) > 0.05;
		$points{$type} = [ grep { $_->[0] > 9.99 } @{ $points{$type} } ];
	}
	lines('space', sprintf('Size of a filter of 10 million values: at 1%%, a Bloom filter takes %.1f bits per value, a cuckoo filter %.1f; at lower rates, the cuckoo filter is smaller', $at{bloom}, $at{cuckoo}),
		[ 'Size of a filter, by its false positive rate', 'bits per value, of 10 million values' ],
		right => 450, x => [ 10, 1e6 ], y => [ 0, 40 ], yticks => [ 0, 10, 20, 30, 40 ],
		xticks => [ [ 10, '10%' ], [ 100, '1%' ], [ 1e3, '0.1%' ], [ 1e4, '0.01%' ], [ 1e5, '0.001%' ], [ 1e6, '0.0001%' ] ], xname => 'false positive rate',
		lines => [
			[ 'Bloom', 'bloom', $points{bloom} ],
			[ 'textbook Bloom', 'textbook', $points{'textbook Bloom'}, dash => '8 4' ],
			[ 'plain cuckoo, at best', 'plain', $points{'plain cuckoo, at best'}, dash => '8 4' ],
			[ 'cuckoo', 'cuckoo', $points{cuckoo} ],
			[ 'least possible', 'muted', $points{'least possible'}, dash => '3 5' ] ]);
	return;
}

sub draw_star
{
	my ($table) = @_;
	my @queries = grep { /^\d\.\d$/ } @{ $table->{order} };
	my @mean = figures($table, 'geometric mean', 'join filter');
	my @all = map { (figures($table, $_, 'join filter'))[0] } @queries;

	bars('star', 'Star Schema Benchmark: with joins that filter themselves, its ' . @queries . ' queries take ' . percent(min(@all)) . ' to ' . percent(max(@all)) .
		' of the time without, ' . percent($mean[0]) . ' on average',
		[ 'Star Schema Benchmark, joins that filter themselves', 'time of each query, of its time without filters' ], 'without filters: 100%',
		(map { [ "query $_", figures($table, $_, 'join filter'), 'bloom' ] } @queries), [ 'mean', @mean, 'bloom' ]);
	return;
}

sub draw_join
{
	my ($table) = @_;
	my %kind = ('in memory' => 'join in memory', 'with files' => 'join that spills', 'GROUP BY' => 'join above GROUP BY');
	my @rows;

	for my $fraction ('1%', '10%', '100%')
	{
		push @rows, "$fraction of the rows match";
		push @rows, map { [ $_, figures($table, "$fraction of rows match, $kind{$_}", 'ratio'), 'bloom' ] } 'in memory', 'with files', 'GROUP BY';
	}
	my %range = map { my $of = $_; ($of => [ map { (figures($table, "$of of rows match, $_", 'ratio'))[0] } values %kind ]) } '1%', '100%';
	bars('join', 'Time of joins with a filter that the query builds, relative to the same joins without one: ' . percent(min(@{ $range{'1%'} })) . ' to ' . percent(max(@{ $range{'1%'} })) .
		' if 1% of the rows match, ' . percent(min(@{ $range{'100%'} })) . ' to ' . percent(max(@{ $range{'100%'} })) . ' if all match',
		[ 'Joins with bf_contains, of the time without', 'the time includes building the filter' ], 'without: 100%', @rows);
	return;
}

sub draw_foreign
{
	my ($table) = @_;
	my %ratio = map { $_ => [ figures($table, "$_% match: filter sent, fetch_size 10,000 / all rows, 10000", 'ratio') ] } 1, 10, 50;

	bars('foreign', 'Time of a join with 2 million rows of another server that receives a filter, relative to fetching all rows: ' .
		join(', ', map { percent($ratio{$_}[0]) . " if $_% match" } 1, 10, 50),
		[ 'Join with 2 million rows of another server', 'filter sent, of the time of fetching all rows' ], 'all rows: 100%',
		map { [ "$_% match", @{ $ratio{$_} }, 'bloom' ] } 1, 10, 50);
	return;
}

sub draw_scan
{
	my ($table) = @_;
	# Label, row of the filter scan, row of the condition, colour.
	my @rows = ('No row passes',
		(map { [ "Bloom, $_ MB", "all rejected, Bloom of $_ MB", "as a condition: all rejected, Bloom of $_ MB", 'bloom' ] } 1, 10, 100),
		(map { [ "cuckoo, $_ MB", "all rejected, cuckoo of $_ MB", "as a condition: all rejected, cuckoo of $_ MB", 'cuckoo' ] } 1, 10, 100),
		(map { [ $_->[0], $_->[1], "$_->[1], condition", 'bloom' ] } [ 'text, 1 MB', 'all rejected, text(16), Bloom of 1 MB' ],
			[ '10th column, 1 MB', '99% rejected, last of 10 columns, Bloom of 1 MB' ]),
		'Some rows pass, 10 MB',
		map { my $pass = $_; map { [ lc($_) eq $_ ? "cuckoo, $pass%" : "Bloom, $pass%", "$pass% pass, $_ of 10 MB", undef, lc ] } 'Bloom', 'cuckoo' } 10, 50, 100);
	my ($left, $right, $top) = (180, 600, 84);
	my ($low, $high) = (0.2, 14);
	my $bottom = $top + 4 + 23 * @rows;
	my $x = sub { $left + ($right - $left) * log($_[0] / $low) / log($high / $low) };
	my (@fast, @slow);

	for my $row (grep { ref } @rows)
	{
		push @fast, (figures($table, "$row->[1] / count(*)", 'ratio'))[0];
		push @slow, (figures($table, $row->[2], 'ratio'))[0] if $row->[2];
	}
	my $svg = Svg->new(sprintf('Time of a scan with a filter, relative to count(*) of the same table: %s to %s times with the filter scan, %s to %s times as a condition',
			map { sprintf('%.2g', $_) } min(@fast), max(@fast), min(@slow), max(@slow)), $bottom + 56);

	headings($svg, 'Time of a scan with a filter');
	$svg->runs(16, 52, [ 'filter scan: ', colour => 'text' ], [ '●', colour => 'bloom' ], [ ' Bloom, ' ], [ '●', colour => 'cuckoo' ],
		[ ' cuckoo;  ' ], [ '● as a condition', colour => 'condition' ]);
	for my $tick (0.5, 1, 2, 5, 10)
	{
		$svg->line($tick == 1 ? 'muted' : 'faint', [ [ $x->($tick), $top - 8 ], [ $x->($tick), $bottom ] ], $tick == 1 ? (width => 2, dash => '4 4') : ());
		$svg->text($x->($tick), $bottom + 20, $tick, anchor => 'middle', colour => 'muted');
	}
	$svg->text(($left + $right) / 2, $bottom + 42, 'times the time of count(*)', anchor => 'middle', colour => 'muted');
	my $y = $top;
	for my $row (@rows)
	{
		if (!ref $row)
		{
			$svg->text(16, $y + 12, $row, bold => 1);
			$y += 23;
			next;
		}
		my ($label, $scan, $condition, $colour) = @$row;
		my $fast = (figures($table, "$scan / count(*)", 'ratio'))[0];
		my $slow = $condition ? (figures($table, $condition, 'ratio'))[0] : undef;

		$svg->text($left - 12, $y + 12, $label, anchor => 'end');
		$svg->line('faint', [ [ $x->($fast), $y + 7 ], [ $x->($slow), $y + 7 ] ], width => 3) if $slow;
		$svg->circle($x->($fast), $y + 7, 6, $colour);
		$svg->box($x->($fast) + ($slow ? -46 : 10), $y - 1, 36, 17, fill => 'background');
		$svg->text($x->($fast) + ($slow ? -10 : 10), $y + 12, rounded($fast), colour => $colour, anchor => $slow ? 'end' : 'start');
		if ($slow)
		{
			$svg->circle($x->($slow), $y + 7, 6, 'condition');
			$svg->text($x->($slow) + 10, $y + 12, rounded($slow), colour => 'condition');
		}
		$y += 23;
	}
	$svg->write("$folder/scan.svg");
	return;
}

my %draw = (probe => \&draw_probe, lookup => \&draw_lookup, space => \&draw_space, star => \&draw_star, join => \&draw_join,
	foreign => \&draw_foreign, scan => \&draw_scan);
for my $name (sort keys %draw)
{
	my $table = table($name) or next;

	# Of quick or partial measurements.
	warn "$name.svg is left out: $@" if !eval { $draw{$name}->($table); 1 };
}
