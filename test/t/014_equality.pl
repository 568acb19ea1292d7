# Generates filters of values of every type, and probes them with every value that is equal in SQL: in the same
# session, under other settings, after dump and restore into databases with other encodings, and with redefined
# collations. The answer must be true, or an error; test/equality has the generator.
#
# CUCKOO_FILTER_FULL=1 runs for CUCKOO_FILTER_SECONDS, each round with other types and values, and prints the answers.
# Without it there is one short round. CUCKOO_FILTER_SEED=7 repeats a run.
use strict;
use warnings;

use File::Basename qw(dirname);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{CUCKOO_FILTER_FULL} && ($ENV{CUCKOO_FILTER_SECONDS} || 120);
my $seed = $ENV{CUCKOO_FILTER_SEED} || ($seconds ? 1 + int(rand(1e6)) : 1);
BAIL_OUT("SECONDS is no number of seconds: $seconds") if $seconds && $seconds !~ /^[0-9]+$/;
my $end = time + ($seconds || 0);

# For setseed().
my $random;

# The number of types in containers, the number of collations, the fraction of pairs to probe here and in other
# databases, and the encodings of a round.
my ($containers, $collations, $part, $part_again, $encodings_each) = $seconds ? (10, 3, 1, 0.3, 3) : (3, 2, 0.4, 0.1, 2);

my $generator = dirname(__FILE__) . '/../equality';
my $folder = PostgreSQL::Test::Utils::tempdir;
my $node = PostgreSQL::Test::Cluster->new('equality');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->append_conf('postgresql.conf', <<'CONF');
autovacuum = off
jit = off
fsync = off
max_locks_per_transaction = 1000
CONF
$node->start;
my $version = $node->safe_psql('postgres', "SELECT current_setting('server_version_num')::integer / 10000");

my $has_utf8_locale = $node->safe_psql('postgres', "SELECT count(*) FROM pg_collation WHERE collctype ~* '^C.UTF-?8\$'");

my (%answers, %notes, %shown);
my ($slots, $pairs) = (0, 0);
my @psql = qw(psql -X -q -v ON_ERROR_STOP=1);

# A superuser's session, in which SQL may print nothing.
sub in_database
{
	my ($database, $sql) = @_;
	return $node->safe_psql($database, "SET client_min_messages = error;\n$sql", timeout => 900);
}

sub create_database
{
	my ($name, $options) = @_;

	$node->safe_psql('postgres', "DROP DATABASE IF EXISTS $name");
	$node->safe_psql('postgres', "CREATE DATABASE $name $options");

	# So that object identifiers differ everywhere.
	$node->safe_psql($name, join(';', map { "CREATE DOMAIN gone AS integer; DROP DOMAIN gone" } 1 .. 10 + rand(100)))
	  if $options !~ /TEMPLATE [^t]/;
	return;
}

# Whether there is such an encoding.
sub encoded_database
{
	my ($name, $encoding) = @_;

	$node->safe_psql('postgres', "DROP DATABASE IF EXISTS $name");
	return $node->psql('postgres', "CREATE DATABASE $name ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0") == 0;
}

# Whether collations of ICU can be made in a database.
my %has_collations;

sub has_collations
{
	my ($database, $encoding) = @_;

	$has_collations{$encoding} =
	  $node->psql($database, "CREATE COLLATION public.test_icu (provider = icu, locale = 'und'); DROP COLLATION public.test_icu") == 0
	  unless defined $has_collations{$encoding};
	return $has_collations{$encoding} ? 'true' : 'false';
}

# probe DATABASE, WHAT, SETTINGS, HOW MANY PAIRS: every kind of probe; one test.
sub probe
{
	my ($database, $what, $settings, $some) = @_;
	my $untyped = $some / 10;
	my $set = join('', map { "SELECT equality.set('$_', '$settings->{$_}');\n" } sort keys %$settings);
	my ($count, $known) = (0, 0);
	my @findings;

	in_database($database, <<"SQL");
ANALYZE;
SELECT setseed($random);
$set
SELECT equality.check_typed('$what', $some), equality.check_untyped('$what', $untyped), equality.check_shards('$what', $untyped),
	equality.check_collate_clauses('$what', 3);
SQL
	for my $line (split(/\n/, in_database($database, 'SELECT form, answer, times FROM equality.summary()')))
	{
		my ($form, $answer, $times) = $line =~ /^([^|]*)\|(.*)\|(\d+)$/ or next;

		$answers{"$answer ($form)"} += $times;
		$count += $times;
	}
	for my $line (split(/\n/, in_database($database, "SET client_encoding = 'SQL_ASCII'; SELECT * FROM equality.findings()")))
	{
		my ($label, $form, $answer, $times, $example) = split(/\|/, $line, 5);

		# The same two types give many.
		(my $class = "$form $answer $example") =~ s/E?'(?:[^']|'')*'|COLLATE \S+|under//g;
		if ($shown{$class}++)
		{
			$known++;
			next;
		}
		push @findings, "$form: $answer, $times times; $example";
	}
	push @findings, "$known like those before" if $known;
	in_database($database, 'TRUNCATE equality.answers');
	ok(!@findings && $count > 1000, "$what: $count answers") or diag("$what: $count answers, findings:\n", map { "  $_\n" } @findings);
	return;
}

# dump FROM, FORMAT, ENCODING: into a file of its own.
my $dumps = 0;

sub dump_database
{
	my ($from, $format, $encoding) = @_;
	my $file = "$folder/$dumps.$format";

	$dumps++;

	$node->command_ok(
		[
			'pg_dump', "--format=$format", ($encoding ? "--encoding=$encoding" : ()), '--file', $file, $node->connstr($from)
		],
		"dump, $format" . ($encoding ? ", --encoding=$encoding" : ''));
	return $file;
}

# Whether it went well; a test.
sub restore
{
	my ($file, $into, $what) = @_;

	return ok(
		run_log(
			$file =~ /plain$/
			? [ @psql, '-f', $file, '-d', $node->connstr($into) ]
			: [ 'pg_restore', '--exit-on-error', '--dbname', $node->connstr($into), $file ]),
		"restore, $what");
}

# Other settings. Without the schema of an extension, "=" would not be the one of its types.
sub settings
{
	my $pick = sub { $_[ int(rand(@_)) ] };

	return {
		'TimeZone' => $pick->('Asia/Kathmandu', 'America/New_York', 'Europe/Berlin'),
		'DateStyle' => $pick->('SQL, DMY', 'German, YMD', 'Postgres, MDY'),
		'IntervalStyle' => $pick->('iso_8601', 'sql_standard', 'postgres_verbose'),
		'extra_float_digits' => $pick->(-15, 0, 3),
		'client_encoding' => $pick->('LATIN1', 'WIN1251', 'EUC_JP', 'SQL_ASCII'),
		'bytea_output' => 'escape',
		'lc_messages' => $pick->('C', 'C.UTF-8'),
		'lc_monetary' => $pick->('C', 'C.UTF-8'),
		'lc_numeric' => $pick->('C', 'C.UTF-8'),
		'lc_time' => $pick->('C', 'C.UTF-8'),
		'search_path' => $pick->('public', 'equality, public', 'public, pg_catalog, equality'),
		'xmlbinary' => 'hex',
		'array_nulls' => $pick->('on', 'off'),
		'quote_all_identifiers' => 'on',
		'standard_conforming_strings' => 'off',
		'plan_cache_mode' => $pick->('auto', 'force_generic_plan'),
	};
}

my @encodings = qw(LATIN1 SQL_ASCII EUC_JP WIN1251 LATIN9 EUC_KR WIN1252 KOI8R EUC_CN LATIN2 EUC_JIS_2004 ISO_8859_5 EUC_TW MULE_INTERNAL);
my $round = 0;

do
{
	$random = 2 * ($seed * 7919 % 10007) / 10007 - 1;
	my @format = $seed % 2 ? qw(plain custom) : qw(custom plain);

	srand($seed);
	note("seed $seed");
	# The locale of the database determines which citext values are equal.
	create_database('main', 'TEMPLATE template0' . (rand() < 0.5 && $has_utf8_locale ? " LC_CTYPE 'C.UTF-8'" : ''));
	in_database('main', 'CREATE EXTENSION cuckoo_filter');
	for my $extension (qw(citext hstore isn ltree cube seg intarray lo uuid-ossp))
	{
		$node->psql('main', qq(SET client_min_messages = error; CREATE EXTENSION "$extension"));
	}
	in_database('main', "CREATE SCHEMA equality;\n" . slurp_file("$generator/values.sql") . slurp_file("$generator/generator.sql"));
	in_database('main', "SELECT equality.make_slots($random, $containers, $collations)");
	in_database('main', "ANALYZE; SELECT equality.find_pairs(), setseed($random); SELECT equality.build($part / 3)");
	$slots += in_database('main', 'SELECT count(*) FROM equality.slots');
	$pairs += in_database('main', 'SELECT count(*) FROM equality.pairs');
	$notes{$_}++ for split(/\n/, in_database('main', "SELECT what || ': ' || name FROM equality.notes WHERE what !~ '^impossible'"));
	probe('main', 'same session', {}, $part);
	probe('main', 'other settings', settings(), $part_again);

	# A database with different object identifiers.
	create_database('copy', 'TEMPLATE main');
	# Only this one may fold letters beyond ASCII.
	in_database('copy', "SELECT equality.prune('UTF8', true), equality.prune_bounds('range.*citext')");
	create_database('restored', 'TEMPLATE template0');
	my $file = dump_database('copy', $format[0]);
	restore($file, 'restored', $format[0]);
	probe('restored', 'restored', settings(), $part_again);

	# Collations of the same names with new definitions.
	if (has_collations('restored', 'UTF8') eq 'true')
	{
		# Bounds that are in order under the one need not be under the other.
		in_database('copy', "SELECT equality.drop_slot(slot) FROM equality.slots WHERE name ~ 'range.*collation'");
		# The collation of the clause is no longer the one under which the filter was built.
		in_database('copy', "DELETE FROM equality.filters USING equality.slots AS s WHERE s.slot = filters.slot AND name ~ 'under COLLATE'");
		my $plain = dump_database('copy', 'plain');
		my $dump = slurp_file($plain);
		my @locales = ('und-u-ks-level1', 'und-u-ks-level2', 'und-u-kn-true', 'und-u-ka-shifted');
		my $changed = $dump =~ s/^(CREATE COLLATION equality.collation_\d.*locale = ')([^']*)'/$1 . (grep { $_ ne $2 } @locales)[rand(3)] . "'"/gem;

		unlink($plain);
		append_to_file($plain, $dump);
		create_database('redefined', 'TEMPLATE template0');
		restore($plain, 'redefined', "$changed collations redefined");
		in_database('redefined', 'TRUNCATE equality.pairs; SELECT equality.find_pairs()');
		probe('redefined', 'redefined collations', {}, $part_again);

		# They are renamed.
		my ($one, $other) = split(/\n/, in_database('copy', "SELECT collname FROM pg_collation WHERE collname ~ '^collation_' ORDER BY random() LIMIT 2"));
		in_database('copy', "ALTER COLLATION equality.$one RENAME TO c; ALTER COLLATION equality.$other RENAME TO $one; ALTER COLLATION equality.c RENAME TO $other");
		probe('copy', 'collations renamed', {}, $part_again);
	}

	for my $encoding (map { $encodings[ (($seed - 1) * $encodings_each + $_) % @encodings ] } 0 .. $encodings_each - 1)
	{
		if (!encoded_database('encoded', $encoding))
		{
			note("no encoding $encoding");
			next;
		}
		my $collations = has_collations('encoded', $encoding);
		# Encodings that can represent the data. UTF8 cannot be converted to MULE_INTERNAL; SQL_ASCII accepts all
		# bytes.
		my $by = $encoding eq 'MULE_INTERNAL' ? 'LATIN2' : $encoding eq 'SQL_ASCII' && rand() < 0.5 ? 'LATIN1' : $encoding;

		create_database('copy', 'TEMPLATE main');
		in_database('copy', "SELECT equality.prune('$by', $collations)");
		if ($encoding eq 'MULE_INTERNAL')
		{
			encoded_database('way', $by);
			restore(dump_database('copy', 'plain'), 'way', $by);
			$node->safe_psql('postgres', 'DROP DATABASE copy');
			$node->safe_psql('postgres', 'ALTER DATABASE way RENAME TO copy');
		}
		my $there = dump_database('copy', $format[1],
			$by ne 'SQL_ASCII' && ($encoding eq 'SQL_ASCII' || rand() < 0.5) ? $by : undef);
		restore($there, 'encoded', "$encoding by way of $by") or next;
		probe('encoded', "restored in $encoding by way of $by", {}, $part_again);

		# And what is built there goes on.
		next unless $seconds;
		my $onward = $encoding =~ /MULE/ || $by eq 'LATIN1' ? $by : $by eq 'SQL_ASCII' || rand() < 0.5 ? 'UTF8' : $encodings[ rand(@encodings) ];
		$onward = 'UTF8' if $onward eq 'MULE_INTERNAL';
		encoded_database('onward', $onward) or next;
		$collations = $collations eq 'true' ? has_collations('onward', $onward) : 'false';
		in_database('encoded', "TRUNCATE equality.filters; SELECT equality.build(0.2); SELECT equality.prune('$onward', $collations)");
		restore(dump_database('encoded', $format[1], $encoding =~ /MULE|ASCII/ || $onward eq 'SQL_ASCII' ? undef : 'UTF8'), 'onward', "from $encoding in $onward")
		  or next;
		probe('onward', "from $encoding in $onward", {}, $part_again);
	}

	# A database whose default collation is an ICU collation.
	if ($seconds && $version >= 15
		&& $node->psql('postgres', "CREATE DATABASE icu LOCALE_PROVIDER icu ICU_LOCALE 'de' TEMPLATE template0") == 0)
	{
		create_database('copy', 'TEMPLATE main');
		in_database('copy', "SELECT equality.prune('UTF8', true);
			SELECT equality.drop_slot(slot) FROM equality.slots WHERE name ~ 'range.*(text|char|name)'");
		restore(dump_database('copy', 'plain'), 'icu', 'database of ICU');
		probe('icu', 'restored in a database of ICU', {}, $part_again);
		$node->safe_psql('postgres', 'DROP DATABASE icu');
	}
	unlink glob("$folder/*");
	$round++;
	$seed++;
} while (time < $end);

my %sums;
for my $answer (keys %answers)
{
	(my $message = $answer) =~ s/ \([^()]*\)$//;
	$sums{$message} += $answers{$answer};
}
if ($seconds)
{
	diag("$round rounds, the last with seed " . ($seed - 1) . "; $slots sources of values, $pairs pairs of them with equal values");
	diag("not comparable by SQL, or without values: " . join(', ', map { s/.*: //r } sort keys %notes));
	diag("$sums{$_} are $_") for sort { $sums{$b} <=> $sums{$a} } keys %sums;
}
my ($scans, $rows) = map { my $form = $_; my $sum = 0; $sum += $answers{$_} for grep { /^true \(\w+ by $form\)$/ } keys %answers; $sum } qw(pages rows);
if (($ENV{LIBRARIES} // '') eq 'types')
{
	is($scans, 0, 'no answers by filter scans, since their library is missing');
}
else
{
	# Among these is text in databases of other encodings.
	ok($scans > 1000 && $scans > 10 * $rows, "$scans answers by filter scans, $rows of keys that it does not support");
}
ok(!(grep { /^no values/ } keys %notes), 'there are values of every type') or diag(join("\n", grep { /^no values/ } keys %notes));
note($_) for sort keys %notes;
$node->stop;
done_testing();
