#!/usr/bin/env perl
# report.pl FIGURES OUT JUDGE MEASUREMENTS...: makes tables (OUT/tables/*.md) from the lines that the programs and the SQL
# files write: topic, contender, x, repetition, value, separated by tabs. JUDGE is 1 if the sizes are those for which the
# targets were set: then prints how many are met, and those that are not.
use strict;
use warnings;

my ($figures, $out, $judge, @measurements) = @ARGV;

my %value;    # topic, contender, x: the values of the repetitions
for my $name (@measurements)
{
	open(my $file, '<', $name) or die "$name: $!\n";
	while (my $line = <$file>)
	{
		chomp $line;
		my ($topic, $contender, $x, $repetition, $value) = split(/\t/, $line);
		die "$name: no measurement: $line\n" if !defined $value;
		$value{$topic}{$contender}{ $x + 0 }[ $repetition - 1 ] = $value;
	}
}

my %seconds = map { $_ => 1 }
  ('filter scan', 'filter scan, changed', 'filter scan, passing', 'filter scan, parallel', 'filter scan, text',
	'filter scan, other table', 'filter scan, last of 10 columns', 'filter scan, two filters', 'filter scan, two dimensions',
	'aggregate', 'aggregate, hll', 'groups', 'groups without rows', '200 filters', 'variable', 'join in memory', 'join that spills', 'join above GROUP BY',
	'foreign join', 'foreign filter');
my %nanoseconds = map { $_ => 1 }
  ('lookup of absent values', 'lookup of present values', 'build', 'time per row', 'read');

sub sorted { return sort { $a <=> $b } @_ }

sub median
{
	my @values = sorted(@_);
	return ($values[ $#values / 2 ] + $values[ @values / 2 ]) / 2;
}

# The figure for several repetitions: the best, since other work on the machine has affected it least.
sub best { return (sorted(@_))[0] }

# Formats a number with two or three significant digits.
sub number
{
	my ($number) = @_;

	return sprintf('%.0f', $number) if abs($number) >= 100;
	return sprintf('%.1f', $number) if abs($number) >= 10;
	return sprintf('%.2f', $number) if abs($number) >= 0.1 || $number == 0;
	return sprintf('%.2g', $number);
}

sub with_unit
{
	my ($topic, $number) = @_;

	return number($number * 1000) . ' ms' if $seconds{$topic};
	return number($number) . ' ns' if $nanoseconds{$topic};
	return number($number * 100) . '%' if $topic eq 'false positives';
	return number($number);
}

sub thousands
{
	my ($text) = @_;

	1 while $text =~ s/^(\d+)(\d{3})/$1,$2/;
	return $text;
}

my ($targets, @missed) = (0);

# One row of a table of figures, or undef if nothing was measured.
sub figure
{
	my ($what, $topic, $contender, $how, $baseline, $target) = @_;
	my $x = $topic =~ s/@(\d+)$// ? $1 : undef;
	my $less = $contender =~ s/ - (.*)// ? $1 : undef;
	my $of_contender = $value{$topic}{$contender} or return undef;
	my ($mine, $theirs, @results);

	$x //= (sorted(keys %$of_contender))[-1];
	$mine = $of_contender->{$x} or return undef;
	if (defined $less)
	{
		my $of_less = $value{$topic}{$less}{$x} or return undef;
		$mine = [ map { $mine->[$_] - $of_less->[$_] } 0 .. $#$mine ];
	}
	if ($how eq '=')
	{
		@results = @$mine;
	}
	else
	{
		$theirs = $value{$topic}{$baseline}{$x} or return undef;
		for my $i (0 .. ($#$mine < $#$theirs ? $#$mine : $#$theirs))
		{
			# A clock may measure a short time as zero.
			next if $how eq '/' && $theirs->[$i] == 0;
			push @results, $how eq '/' ? $mine->[$i] / $theirs->[$i] : $mine->[$i] - $theirs->[$i];
		}
		return undef if !@results;
	}

	my $median = median(@results);
	my ($low, $high) = (sorted(@results))[ 0, -1 ];
	my $show = $how eq '/' ? \&number : sub { with_unit($topic, $_[0]) };
	if ($target =~ /^([<>])= ([\d.]+)$/)
	{
		$targets++;
		push @missed, "$what: " . $show->($median) . ', not ' . ($1 eq '<' ? 'at most ' : 'at least ') . $2
		  if $1 eq '<' ? $median > $2 : $median < $2;
	}
	return [ $what, $theirs ? $baseline : '', $show->($median), $low == $high ? '' : $show->($low) . ' to ' . $show->($high) ];
}

sub write_table
{
	my ($name, $head, $align, @rows) = @_;

	open(my $file, '>', "$out/tables/$name.md") or die "$name: $!\n";
	print $file '| ', join(' | ', @$head), " |\n";
	print $file '|', join('|', @$align), "|\n";
	print $file '| ', join(' | ', @$_), " |\n" for @rows;
	close $file or die "$name: $!\n";
	return;
}

# A table of contenders (columns) by x (rows).
sub write_by_x
{
	my ($name, $title, $topic, @contenders) = @_;
	my %xs = map { $_ => 1 } map { keys %{ $value{$topic}{$_} // {} } } @contenders;
	my @rows;

	# Of the many rates, only the round ones.
	%xs = map { $_ => 1 } grep { $_ >= 1 || /^(1e-\d+|0\.0*1)$/ } keys %xs;
	return if !%xs;
	for my $x (sorted(keys %xs))
	{
		push @rows, [
			thousands($x),
			map { my $values = $value{$topic}{$_}{$x}; $values ? with_unit($topic, best(@$values)) : '' } @contenders
		];
	}
	write_table($name, [ $title, @contenders ], [ '--:', map { '--:' } @contenders ], @rows);
	return;
}

mkdir "$out/tables";

my ($table, %rows);
open(my $file, '<', $figures) or die "$figures: $!\n";
while (my $line = <$file>)
{
	chomp $line;
	next if $line =~ /^(#|$)/;
	if ($line =~ /^\[(\w+)\]$/)
	{
		$table = $1;
		next;
	}
	my @fields = split(/\s*\|\s*/, $line, -1);
	die "$figures: not six fields: $line\n" if @fields != 6;
	my $row = figure(@fields);
	push @{ $rows{$table} }, $row if $row;
}
close $file;
for my $name (keys %rows)
{
	write_table($name,
		[ '', 'baseline', 'ratio', 'spread' ],
		[ '---', '---', '--:', '--:' ],
		@{ $rows{$name} });
}

my @in_runs = ('random read', 'Bloom, 1%, in runs', 'cuckoo, 0.1%, in runs', 'plain cuckoo, 12 bits, in runs');
my @one_by_one = ('Bloom, 1%', 'cuckoo, 0.1%', 'plain cuckoo, 12 bits', 'textbook Bloom, 1%', 'hash set');
my @built = ('random modify', 'Bloom, 1%', 'cuckoo, 0.1%', 'Bloom, 1%, unsorted', 'sort', 'textbook Bloom, 1%',
	'plain cuckoo, 12 bits', 'one page, plain walk', 'hash set');
my @spaces = ('least possible', 'Bloom', 'cuckoo', 'textbook Bloom', 'plain cuckoo, at best', 'plain cuckoo, at worst');
my @probed = ('no filter', 'bloom', 'cuckoo', '= ANY', 'hash join', 'index');

write_by_x('lookup', 'absent values', 'lookup of absent values', @in_runs, @one_by_one);
write_by_x('lookup_present', 'present values', 'lookup of present values', @in_runs, @one_by_one);
write_by_x('build', 'values', 'build', @built);
write_by_x('space', 'rate', 'bits by rate', @spaces);
write_by_x('size', 'values', 'bits by size', 'Bloom, 1%', 'cuckoo, 0.1%', 'textbook Bloom, 1%', 'plain cuckoo, 12 bits',
	'hash set');
write_by_x('read', 'megabytes', 'read', 'one read');
write_by_x('probe', 'values in the set', 'time per row', @probed);

if ($judge)
{
	printf "%d of %d targets are met\n", $targets - @missed, $targets;
	print "missed: $_\n" for @missed;
}
