# COPY of truncated or damaged files: a clear error that adds no rows, or a valid filter.
use strict;
use warnings;

use MIME::Base64;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
# There will be a thousand errors.
$node->append_conf('postgresql.conf', 'log_min_messages = panic');
$node->start;
my $folder = PostgreSQL::Test::Utils::tempdir;

$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TABLE stored (b bloomfilter, c cuckoofilter);
INSERT INTO stored VALUES (bf_add(bf_create(8), interval '1 day'), cf_add_all(cf_create(8), ARRAY[1, 42, 42, 42]));
CREATE TABLE target (LIKE stored);
-- What the functions that read an image say to one, as the casts from bytea do.
CREATE FUNCTION verdict(b bytea, c bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM b::bloomfilter, c::cuckoofilter;
	RETURN 'good';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END$$;
SQL
my $pid = $node->safe_psql('postgres', "SELECT pg_read_file('postmaster.pid')");

my %contents;
for my $format (qw(text csv binary))
{
	$node->safe_psql('postgres', "COPY stored TO '$folder/stored' (FORMAT $format)");
	$contents{$format} = slurp_file("$folder/stored");
}
my @images = map { pack 'H*', $_ }
  split /\|/, $node->safe_psql('postgres', "SELECT encode(b::bytea, 'hex'), encode(c::bytea, 'hex') FROM stored");

# copy_all FORMAT, CONTENTS...: copies each, as a separate file, in one session, and returns the result of each: good
# or the code of the error. Those with an error must not add rows.
sub copy_all
{
	my ($format, @files) = @_;
	my $number = 0;
	my $sql = "\\set VERBOSITY sqlstate\n\\set ON_ERROR_STOP off\n";

	for my $file (@files)
	{
		my $name = "$folder/damaged." . $number++;

		open my $handle, '>:raw', $name or die "cannot write $name: $!";
		print $handle $file;
		close $handle;
		$sql .= "TRUNCATE target;\nCOPY target FROM '$name' (FORMAT $format);\n";
		# A value that was accepted is complete: it can be written and probed.
		$sql .= "SELECT :'SQLSTATE', count(*),
			sum(length(b::text) + length(c::text) + bf_cardinality(b) + cf_cardinality(c)) IS NOT NULL FROM target;\n";
	}
	my ($status, $output, $errors) = $node->psql('postgres', $sql, on_error_stop => 0);
	is($status, 0, "$format: the session continues to its end");
	my @lines = split /\n/, $output;
	is(scalar @lines, scalar @files, "$format: a result for each file");

	my @verdicts;
	for my $line (@lines)
	{
		my ($code, $rows, $whole) = split /\|/, $line;

		if ($code eq '00000')
		{
			push @verdicts, $rows == 1 && $whole eq 't' ? 'good' : "taken, with $rows rows";
		}
		else
		{
			push @verdicts, $rows == 0 ? $code : "$code, but $rows rows";
		}
	}
	unlink glob "$folder/damaged.*";
	return @verdicts;
}

# all_like NAME, VERDICTS, PATTERN: every one must match.
sub all_like
{
	my ($name, $verdicts, $pattern) = @_;
	my @wrong = grep { $verdicts->[$_] !~ $pattern } 0 .. $#$verdicts;

	ok(@$verdicts && !@wrong, $name) or diag(join "\n", map { "$_: $verdicts->[$_]" } @wrong);
	return;
}

is_deeply([ map { copy_all($_, $contents{$_}) } qw(text csv binary) ], [ ('good') x 3 ], 'whole files');

# Truncated after every byte. 22P02, 22P03: the image is not valid; 22P04: the file is not. PostgreSQL treats a binary
# file that ends before its first row as empty, and an empty CSV field as a null.
my $binary = $contents{binary};
all_like('binary, cut off', [ copy_all('binary', map { substr $binary, 0, $_ } 0 .. 18, 21 .. length($binary) - 3) ],
	qr/^(22P03|22P04)$/);
for my $format (qw(text csv))
{
	my $line = $contents{$format};

	chomp $line;
	all_like("$format, cut off",
		[ copy_all($format, grep { !/,\z/ } map { substr $line, 0, $_ } 1 .. length($line) - 1) ],
		qr/^(22P02|22P04)$/);
}

# A field that is shorter or longer than the length in front of it.
for my $which (0, 1)
{
	my $at = 19 + 2 + ($which ? 4 + length $images[0] : 0);
	my $length = length $images[$which];
	my @lengths = (0, 1, 23, 24, $length - 1, $length + 1, 1000, 2**30 - 1, 2**31 - 1, 2**32 - 2);
	my @files = map { my $file = $binary; substr($file, $at, 4) = pack 'N', $_; $file } @lengths;

	# 54000: PostgreSQL has no room for such a field.
	all_like("binary, another length for column $which", [ copy_all('binary', @files) ], qr/^(22P03|22P04|54000)$/);
}

# Each byte of the images with one bit changed, and with all of them: as valid as the same image as bytea.
my @damaged;
for my $which (0, 1)
{
	for my $at (0 .. length($images[$which]) - 1)
	{
		for my $mask (1, 0x80, 0xff)
		{
			my @pair = @images;

			substr($pair[$which], $at, 1) ^= chr $mask;
			push @damaged, \@pair;
		}
	}
}
my @rows =
  map { sprintf q((%d, '\x%s'::bytea, '\x%s'::bytea)), $_, map { unpack 'H*', $_ } @{ $damaged[$_] } } 0 .. $#damaged;
my @expected = split /\n/, $node->safe_psql('postgres',
	'SELECT verdict(b, c) FROM (VALUES ' . join(', ', @rows) . ') AS v (n, b, c) ORDER BY n');
my %seen = map { $_ => 1 } @expected;
is_deeply([ sort keys %seen ], [ '22P03', 'good' ], 'some of the damage can be seen, some cannot');
my $trailer = substr $binary, -2;
my @verdicts = copy_all('binary',
	map { substr($binary, 0, 21) . pack('N/a N/a', @$_) . $trailer } @damaged);
is_deeply(\@verdicts, \@expected, 'binary, damaged: refused where the image is not valid');

# As text, with the code for that; one damage of each byte is enough here.
my @some = grep { $_ % 3 == 2 } 0 .. $#damaged;
for my $format (qw(text csv))
{
	my $between = $format eq 'text' ? "\t" : ',';

	@verdicts = copy_all($format, map { join($between, map { encode_base64($_, '') } @{ $damaged[$_] }) . "\n" } @some);
	is_deeply(\@verdicts, [ map { $expected[$_] eq 'good' ? 'good' : '22P02' } @some ],
		"$format, damaged: refused where the image is not valid");
}

# From the client: the data ends in the middle of a filter.
for my $format (qw(text binary))
{
	my $file = "$folder/half.$format";

	open my $handle, '>:raw', $file or die "cannot write $file: $!";
	print $handle substr $contents{$format}, 0, length($contents{$format}) / 2;
	close $handle;
	my ($status, undef, $errors) = $node->psql('postgres',
		"\\set VERBOSITY sqlstate\nTRUNCATE target;\n\\copy target FROM '$file' (FORMAT $format)\n");
	isnt($status, 0, "$format, half of the file from the client: rejected");
	like($errors, qr/ERROR:  22P0[234]/, "$format, half of the file from the client: the code");
}
is($node->safe_psql('postgres', 'SELECT count(*) FROM target'), 0, 'no rows of rejected files are left');

# Out to a client and back in.
$node->command_ok(
	[
		'sh', '-c',
		'psql -XAtq -d "$1" -c "COPY stored TO STDOUT (FORMAT binary)" |
			psql -XAtq -d "$1" -c "COPY target FROM STDIN (FORMAT binary)"',
		'sh', $node->connstr('postgres')
	],
	'from client to client');
is($node->safe_psql('postgres', 'SELECT target::text = stored::text FROM target, stored'), 't', 'the same images');

is($node->safe_psql('postgres', "SELECT pg_read_file('postmaster.pid')"), $pid, 'the server did not crash');

$node->stop;
done_testing();
