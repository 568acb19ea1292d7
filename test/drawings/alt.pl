#!/usr/bin/env perl
# alt.pl [--check] PAGE...: makes the title of each picture its alternative text in the pages, so that this says what the picture
# shows now. With --check, it only says where it is not; the exit status is then 1.
use strict;
use warnings;
use utf8;
use File::Basename;

my $check = @ARGV && $ARGV[0] eq '--check' && shift;
my $differ = 0;
binmode STDOUT, ':encoding(UTF-8)';

sub title
{
	my ($name) = @_;

	open(my $file, '<:encoding(UTF-8)', $name) or return undef;
	local $/ = undef;
	my ($title) = <$file> =~ m{<title>(.*?)</title>}s;
	$title =~ s/&lt;/</g;
	$title =~ s/&amp;/&/g;
	return $title;
}

# In lines of at most 119 characters.
sub wrapped
{
	my ($text) = @_;
	my @lines = ('');

	for my $word (split(/ /, $text))
	{
		push @lines, '' if $lines[-1] ne '' && length("$lines[-1] $word") > 119;
		$lines[-1] .= ($lines[-1] eq '' ? '' : ' ') . $word;
	}
	return join("\n", @lines);
}

for my $page (@ARGV)
{
	my $folder = dirname($page);

	open(my $file, '<:encoding(UTF-8)', $page) or die "$page: $!\n";
	my $text = do { local $/ = undef; <$file> };
	close $file;
	my $before = $text;
	$text =~ s{!\[([^\]]*)\]\(([\w/.]+\.svg)\)}{
		my ($old, $picture, $title) = ($1, $2, title("$folder/$2"));
		my $same = defined $title && ($old =~ s/\s+/ /gr) eq $title;
		print "$page: the alternative text of $picture is not its title: ", $title // 'no such picture', "\n" if $check && !$same;
		$same || !defined $title ? "![$old]($picture)" : wrapped("![$title]($picture)");
	}ge;
	$differ ||= $text ne $before;
	next if $check || $text eq $before;
	open($file, '>:encoding(UTF-8)', $page) or die "$page: $!\n";
	print $file $text;
	close $file or die "$page: $!\n";
}
exit($check && $differ ? 1 : 0);
