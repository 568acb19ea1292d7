# A drawing of 640 units width with type of 16 units, in light and dark. One colour is for one thing in all pictures of the
# documentation; each has a contrast of 4.5 to 1 with the background, as test/lint checks.
package Svg;

use strict;
use warnings;
use utf8;

our %light = (
	background => '#ffffff', text => '#1f2328', muted => '#59636e', faint => '#d1d9e0',
	bloom      => '#1565b0', # Bloom filters, also those of joins
	cuckoo     => '#b3450b',
	textbook   => '#0b6e7c', # a textbook Bloom filter
	plain      => '#85553f', # a plain cuckoo filter
	hash       => '#2a7030', # hash joins, hash tables
	index      => '#7a3fa0',
	array      => '#a3246b',
	condition  => '#6b6500', # a filter that is an ordinary condition
	wrong      => '#b42318', # no
);
our %dark = (
	background => '#0d1117', text => '#e6edf3', muted => '#9198a1', faint => '#3d444d',
	bloom      => '#58a6ff', cuckoo => '#ff9a5c', textbook => '#39c5cf', plain => '#d9a58c', hash => '#56d364',
	index      => '#c297ff', array => '#ff7bb5', condition => '#d8cf3c', wrong => '#ff7b72',
);

sub new
{
	my ($class, $title, $height) = @_;

	return bless { title => $title, height => $height, body => '', used => { background => 1, text => 1 } }, $class;
}

sub escape
{
	my ($text) = @_;

	$text =~ s/&/&amp;/g;
	$text =~ s/</&lt;/g;
	return $text;
}

# At most two decimals, and none without need.
sub number
{
	my $number = sprintf('%.1f', $_[0]);

	$number =~ s/\.0$//;
	return $number eq '-0' ? '0' : $number;
}

sub element
{
	my ($self, $name, $colours, $attributes, $content) = @_;
	my @classes;

	for my $use (sort keys %$colours)
	{
		$self->{used}{ $colours->{$use} } = 1;
		push @classes, substr($use, 0, 1) . '-' . $colours->{$use};
	}
	my @attributes = map { [ $_, $attributes->{$_} ] } sort keys %$attributes;
	unshift @attributes, [ 'class', join(' ', @classes) ] if @classes;
	$self->{body} .= "<$name" . join('', map { " $_->[0]=\"" . ($_->[1] =~ /^-?[\d.]+$/ ? number($_->[1]) : $_->[1]) . '"' } @attributes);
	$self->{body} .= defined $content ? '>' . escape($content) . "</$name>\n" : "/>\n";
	return;
}

# Options: colour, anchor (start, middle, end), bold, mono.
sub text
{
	my ($self, $x, $y, $text, %option) = @_;
	my %attributes = (x => $x, y => $y);

	$attributes{'text-anchor'} = $option{anchor} if $option{anchor};
	$attributes{'font-weight'} = 'bold'          if $option{bold};
	$attributes{'font-family'} = 'monospace'     if $option{mono};
	return $self->element('text', { fill => $option{colour} // 'text' }, \%attributes, $text);
}

# Text in several styles, each [text, options...].
sub runs
{
	my ($self, $x, $y, @runs) = @_;
	my $content = '';

	for my $run (@runs)
	{
		my ($text, %option) = @$run;
		my $colour = $option{colour} // 'text';

		$self->{used}{$colour} = 1;
		$content .= "<tspan class=\"f-$colour\"" . ($option{bold} ? ' font-weight="bold"' : '') .
		  ($option{mono} ? ' font-family="monospace"' : '') . '>' . escape($text) . '</tspan>';
	}
	$self->{body} .= sprintf("<text x=\"%s\" y=\"%s\" xml:space=\"preserve\">%s</text>\n", number($x), number($y), $content);
	return;
}

# A rectangle, filled or with a border. Options: fill, stroke, round, width (of the border), dash.
sub box
{
	my ($self, $x, $y, $width, $height, %option) = @_;
	my %attributes = (x => $x, y => $y, width => $width, height => $height);

	$attributes{rx} = $option{round} if $option{round};
	$attributes{fill} = 'none' if !$option{fill};
	$attributes{'stroke-width'} = $option{width} if $option{width};
	$attributes{'stroke-dasharray'} = $option{dash} if $option{dash};
	return $self->element('rect', { map { $option{$_} ? ($_ => $option{$_}) : () } 'fill', 'stroke' }, \%attributes);
}

sub circle
{
	my ($self, $x, $y, $radius, $colour) = @_;

	return $self->element('circle', { fill => $colour }, { cx => $x, cy => $y, r => $radius });
}

# Lines through points. Options: width, dash, arrow.
sub line
{
	my ($self, $colour, $points, %option) = @_;
	my %attributes = (fill => 'none', points => join(' ', map { number($_->[0]) . ',' . number($_->[1]) } @$points));

	$attributes{'stroke-width'} = $option{width} if $option{width};
	$attributes{'stroke-dasharray'} = $option{dash} if $option{dash};
	$self->element('polyline', { stroke => $colour }, \%attributes);
	$self->head($colour, @$points[ -2, -1 ]) if $option{arrow};
	return;
}

# The head of an arrow from one point to another.
sub head
{
	my ($self, $colour, $from, $to) = @_;
	my ($dx, $dy) = ($to->[0] - $from->[0], $to->[1] - $from->[1]);
	my $length = sqrt($dx * $dx + $dy * $dy) || 1;
	my ($x, $y) = ($dx / $length, $dy / $length);
	my @points = ($to, [ $to->[0] - 10 * $x + 5 * $y, $to->[1] - 10 * $y - 5 * $x ],
		[ $to->[0] - 10 * $x - 5 * $y, $to->[1] - 10 * $y + 5 * $x ]);

	return $self->element('polygon', { fill => $colour }, { points => join(' ', map { number($_->[0]) . ',' . number($_->[1]) } @points) });
}

# Labels at one x, moved apart so that they do not overlap: each is [y, text, colour, options...].
sub labels
{
	my ($self, $x, $top, $bottom, @labels) = @_;
	my $step = 19;

	@labels = sort { $a->[0] <=> $b->[0] } @labels;
	my @y = map { $_->[0] } @labels;
	for (1 .. 200)
	{
		for my $i (1 .. $#y)
		{
			my $lacking = $step - ($y[$i] - $y[ $i - 1 ]);
			next if $lacking <= 0;
			$y[ $i - 1 ] -= $lacking / 2;
			$y[$i] += $lacking / 2;
		}
		$y[0] = $top if @y && $y[0] < $top;
		$y[-1] = $bottom if @y && $y[-1] > $bottom;
	}
	$self->text($x, $y[$_] + 5, $labels[$_][1], colour => $labels[$_][2], @{ $labels[$_] }[ 3 .. $#{ $labels[$_] } ]) for 0 .. $#y;
	return;
}

sub rules
{
	my ($self, $colours) = @_;
	my $rules = '';

	for my $name (sort keys %{ $self->{used} })
	{
		die "no colour $name\n" if !$colours->{$name};
		$rules .= sprintf('.f-%s{fill:%s}', $name, $colours->{$name}) if $self->{body} =~ /\bf-$name\b/ || $name eq 'background';
		$rules .= sprintf('.s-%s{stroke:%s}', $name, $colours->{$name}) if $self->{body} =~ /\bs-$name\b/;
	}
	return $rules;
}

sub write
{
	my ($self, $name) = @_;

	open(my $file, '>:encoding(UTF-8)', $name) or die "$name: $!\n";
	print $file qq{<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 $self->{height}" width="640" height="$self->{height}" },
	  qq{role="img" font-family="system-ui,Helvetica,Arial,sans-serif" font-size="16">\n},
	  '<title>', escape($self->{title}), "</title>\n",
	  '<style>', $self->rules(\%light), "\n",
	  '@media (prefers-color-scheme:dark){', $self->rules(\%dark), "}</style>\n",
	  qq{<rect class="f-background" width="640" height="$self->{height}"/>\n},
	  $self->{body}, "</svg>\n";
	close $file or die "$name: $!\n";
	return;
}

sub luminance
{
	my @parts = map { hex($_) / 255 } $_[0] =~ /^#(..)(..)(..)$/;
	my @linear = map { $_ <= 0.03928 ? $_ / 12.92 : (($_ + 0.055) / 1.055)**2.4 } @parts;

	return 0.2126 * $linear[0] + 0.7152 * $linear[1] + 0.0722 * $linear[2];
}

# The colours whose contrast with the background is below 4.5 to 1, but for the faint one of what need not be read.
sub pale
{
	my @pale;

	for my $colours (\%light, \%dark)
	{
		my $background = luminance($colours->{background});
		for my $name (grep { !/^(background|faint)$/ } sort keys %$colours)
		{
			my ($low, $high) = sort { $a <=> $b } $background, luminance($colours->{$name});
			push @pale, "$name, $colours->{$name}" if ($high + 0.05) / ($low + 0.05) < 4.5;
		}
	}
	return @pale;
}

1;
