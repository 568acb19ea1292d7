# The tables of measurements in docs/performance/tables.md.
package Tables;

use strict;
use warnings;

# The rows of a table, each a list of its cells. The first is the header. Empty if there is no such table.
sub rows
{
	my ($name) = @_;
	my ($inside, @rows);

	open(my $file, '<:encoding(UTF-8)', 'docs/performance/tables.md') or die "docs/performance/tables.md: $!\n";
	while (my $line = <$file>)
	{
		$inside = $1 eq $name if $line =~ /^<!-- table (\w+) -->$/;
		$inside = 0 if $line =~ /^<!-- end -->$/;
		push @rows, [ map { s/^ +| +$//gr } split(/\|/, $1, -1) ] if $inside && $line =~ /^\|(.*)\|$/ && $line !~ /^\|[-:|]+\|$/;
	}
	close $file;
	return @rows;
}

1;
