# DBD::Pg.
use strict;
use warnings;

use DBD::Pg;
use DBI;
use Test::More;

my $db = DBI->connect('dbi:Pg:', '', '', { RaiseError => 1, PrintError => 0 });

# Lines of the documentation: dbi

is($known, 1, 'the value is known');
is(substr($image, 0, 4), 'ckfl', 'the bytes are those of an image');

sub ask
{
	my ($query, @parameters) = @_;
	my @ordered = map { $parameters[ $_ - 1 ] } $query =~ /\$(\d)/g;
	$query =~ s/\$\d/?/g;
	my $statement = $db->prepare($query);
	my $answer = eval { $statement->execute(@ordered); ($statement->fetchrow_array)[0] };
	return "ERROR: $@" if $@;
	return 'null' unless defined $answer;
	return $statement->{pg_type}[0] eq 'bool' ? ($answer ? 'true' : 'false') : $answer;
}

sub parameter
{
	my ($kind, $value) = split(/:/, shift, 2);
	return $kind eq 'null' ? undef : $kind eq 'list' ? [ split(/,/, $value) ] : $value;
}

# COPY, in text.
my (@rows, $row);
$db->do('COPY news TO STDOUT');
push(@rows, $row) while $db->pg_getcopydata($row) >= 0;
$db->do('COPY news_copy FROM STDIN');
$db->pg_putcopydata($_) for @rows;
$db->pg_putcopyend;
is(ask('SELECT count(*) FROM news_copy JOIN news USING (name, readers)'), 2, 'COPY copied');

my $asked = 0;
open(my $cases, '<', 'cases') or die "cases: $!";
while (my $line = <$cases>)
{
	chomp($line);
	next if $line =~ /^#/;
	my ($drivers, $title, $query, $words, $expected) = split(/ *\| */, $line);
	my ($named, $excepted) = ($drivers =~ /\bdbi\b/, $drivers =~ /^all but/);
	next if $named ? $excepted : $drivers !~ /^all/;
	my $got = ask($query, map { parameter($_) } split(/ /, $words));
	if ($expected =~ /^ERROR: (.*)/)
	{
		like($got, qr/^ERROR: .*\Q$1\E/s, $title);
	}
	else
	{
		is($got, $expected, $title);
	}
	$asked++;
}
cmp_ok($asked, '>', 25, 'the queries were run');
done_testing();
