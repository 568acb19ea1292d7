# The tables of measurements in Markdown: those of documents lie between "<!-- table NAME -->" and "<!-- end -->".
package Tables;

use strict;
use warnings;

# The rows of a table, each a list of its cells: of the documents, or the file NAME.md among them. The first is the header.
sub rows
{
	my ($name, @files) = @_;
	my @rows;

	for my $path (@files)
	{
		my $inside = $path =~ m{(^|/)\Q$name\E\.md$};
		my $is_whole = $inside;

		open(my $file, '<:encoding(UTF-8)', $path) or die "$path: $!\n";
		while (my $line = <$file>)
		{
			$inside = $1 eq $name if !$is_whole && $line =~ /^<!-- table (\w+) -->$/;
			$inside = 0 if !$is_whole && $line =~ /^<!-- end -->$/;
			next if !$inside || $line !~ /^\|(.*)\|$/ || $line =~ /^\|[-:|]+\|$/;
			push @rows, [ map { s/^ +| +$//gr } split(/\|/, $1, -1) ];
		}
		close $file;
		return @rows if @rows;
	}
	return;
}

1;
