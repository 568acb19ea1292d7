#!/usr/bin/env perl
# report.pl FOLDER MEASUREMENTS...: prints tables from the output of bench_peers, a file per run: the filters, and the
# ratios of our time to that of each peer in the same repetition (median, minimum and maximum). The tables of
# docs/performance.md, with the medians for each number of values, are written to FOLDER/peers_bloom.md and peers_cuckoo.md.
use strict;
use warnings;

my (%value, %order);    # size, operation, contender: the values of the repetitions; the order in which they came
my %kind;               # contender: what it is compared with
my $ours;
my $folder = shift @ARGV;
for my $name (@ARGV)
{
	my %before;

	open(my $file, '<', $name) or die "$name: $!\n";
	while (my $line = <$file>)
	{
		chomp $line;
		my ($operation, $contender, $size, $repetition, $value) = split(/\t/, $line);
		die "$name: no measurement: $line\n" if !defined $value;
		my $values = $value{$size}{$operation}{$contender} //= [];
		# Repetitions of another file come after those of the files before it.
		$before{$size}{$operation}{$contender} //= @$values;
		$values->[ $before{$size}{$operation}{$contender} + $repetition - 1 ] = $value;
		$order{$_} //= keys %order for ("operation $operation", "contender $contender");
		# Each repetition begins with ours of a kind.
		$ours = $contender if $contender =~ /^(Bloom|cuckoo), /;
		$kind{$contender} //= $ours;
	}
}

sub median
{
	my @values = sort { $a <=> $b } @_;
	return ($values[ $#values / 2 ] + $values[ @values / 2 ]) / 2;
}

sub in_order
{
	my ($what, @names) = @_;
	return sort { $order{"$what $a"} <=> $order{"$what $b"} } @names;
}

sub nanoseconds
{
	my ($number) = @_;
	return sprintf($number < 10 ? '%.1f ns' : '%.0f ns', $number);
}

# The ratios of our times to a peer's, in ascending order.
sub ratios
{
	my ($our_times, $peer_times) = @_;
	my @both = grep { $our_times->[$_] && $peer_times->[$_] } 0 .. $#{ $peer_times // [] };

	return sort { $a <=> $b } map { $our_times->[$_] / $peer_times->[$_] } @both;
}

sub with_spread
{
	my (@ratios) = @_;
	return @ratios ? sprintf('**%.2f** (%.2f to %.2f)', median(@ratios), @ratios[ 0, -1 ]) : '';
}

# A number of values, in words.
sub in_words
{
	my ($number) = @_;
	return $number % 1000000 == 0 ? $number / 1000000 . ' million' : $number;
}

# The table of one of our filters: a row for each operation, with the median ratio for each number of values.
sub write_summary
{
	my ($file_name, $mine, @peers) = @_;
	my @sizes = sort { $a <=> $b } keys %value;
	my $properties = $value{ $sizes[0] };

	open(my $file, '>', $file_name) or die "$file_name: $!\n";
	print $file '| at ', join(' / ', map { in_words($_) } @sizes), ' values | ', join(' | ', @peers), " |\n|---|", '--:|' x @peers, "\n";
	for ([ 'bits per value', '%.1f', 1 ], [ 'false positives', '%.2g%%', 100 ])
	{
		my ($property, $format, $scale) = @$_;
		my @cells;
		for my $peer (@peers)
		{
			my @numbers = map { $value{$_}{$property}{$peer} } @sizes;
			push @cells, join(' / ', map { $_ ? sprintf($format, $scale * $_->[0]) : '-' } @numbers);
		}
		print $file "| $property | ", join(' | ', @cells), " |\n";
	}
	for my $operation (in_order('operation', grep { $properties->{$_}{$mine} && $_ !~ /^(bits per value|false positives|full at load)$/ } keys %$properties))
	{
		my @cells;
		for my $peer (@peers)
		{
			push @cells, join(' / ', map {
					my @ratios = ratios($value{$_}{$operation}{$mine} // [], $value{$_}{$operation}{$peer});
					@ratios ? sprintf('%.2f', median(@ratios)) : '-'
				} @sizes);
		}
		print $file "| $operation | ", join(' | ', @cells), " |\n";
	}
	close($file) or die "$file_name: $!\n";
}

my @mine = in_order('contender', grep { $kind{$_} eq $_ } keys %kind);

sub peers_of
{
	my ($mine) = @_;
	return in_order('contender', grep { $kind{$_} eq $mine && $_ ne $mine } keys %kind);
}

for my $mine (@mine)
{
	my @peers = peers_of($mine);
	next if !@peers;
	write_summary($folder . '/peers_' . lc($mine =~ s/,.*//r) . '.md', $mine, @peers);
}

for my $size (sort { $a <=> $b } keys %value)
{
	my $of_size = $value{$size};
	my %properties = map { $_ => delete $of_size->{$_} // {} } 'bits per value', 'false positives', 'full at load';

	print "\n### $size values\n\n| filter | bits per value | false positives | full before load 0.95, at |\n|---|--:|--:|--:|\n";
	for my $contender (in_order('contender', keys %{ $properties{'bits per value'} }))
	{
		my ($bits, $rate, $full) = map { $properties{$_}{$contender}[0] } 'bits per value', 'false positives', 'full at load';
		printf "| %s | %.2f | %.3g%% | %s |\n", $contender, $bits, $rate * 100, defined $full ? sprintf('%.3f', $full) : '';
	}

	for my $mine (@mine)
	{
		my @peers = peers_of($mine);

		next if !@peers;
		print "\n| ", join(' | ', $mine, 'time', map { "to $_" } @peers), " |\n|---|--:|", '--:|' x @peers, "\n";
		for my $operation (in_order('operation', grep { $of_size->{$_}{$mine} } keys %$of_size))
		{
			my $of_operation = $of_size->{$operation};
			my $our_times = $of_operation->{$mine};

			print "| ", join(' | ', $operation, nanoseconds(median(@$our_times)), map { with_spread(ratios($our_times, $of_operation->{$_})) } @peers), " |\n";
		}
	}
}
