# Runs the SQL of README.md and of every page in docs, block by block, and compares what the pages show with what it prints;
# restores a dump of what it made; compares the reference with the functions that exist; follows the links between the documents.
use strict;
use warnings;

use File::Basename qw(basename dirname);
use File::Spec;
use IPC::Run qw(run);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $top = File::Spec->rel2abs(dirname(__FILE__) . '/../..');
my $node = PostgreSQL::Test::Cluster->new('readme');
# The errors name kinds as in UTF8.
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->start;
my $user = $node->safe_psql('postgres', 'SELECT current_user');
my $types_alone = ($ENV{LIBRARIES} // '') eq 'types';

# What is compared. The width of a column depends on what "..." stands for. 18 prints rows=1.00, buffers, and searches of an index,
# and 19 another name of a sub-select.
sub normal
{
	my ($text) = @_;

	$text =~ s/^ *(Buffers: .*|Index Searches: .*|Planning:)\n//mg;
	$text =~ s/InitPlan expr_(\d)/InitPlan $1/g;
	return $text =~ s/-{2,}/--/gr =~ s/[ \t]+/ /gr =~ s/ $//mgr =~ s/^\n+//mgr =~ s/(rows=\d+)\.\d\d/$1/gr;
}

# output_pattern SHOWN: matches what psql prints, if a document shows it thus. "..." is any text within a line, a line of nothing
# else any lines.
sub output_pattern
{
	my ($shown) = @_;
	my $pattern = '';

	for my $line (split /\n/, normal($shown))
	{
		$pattern .= $line eq '...' ? '(?:.*\n)*' : join('[^\n]*', map { quotemeta } split(/\.\.\./, $line, -1)) . '\n';
	}
	return qr/\A$pattern\z/;
}

# run_blocks FILE, DATABASE: runs its SQL, and compares what it prints with what the document shows; returns what it prints.
sub run_blocks
{
	my ($file, $database) = @_;
	my $text = slurp_file("$top/$file");
	my ($blocks, $printed) = (0, '');

	while ($text =~ /^```sql\n(.*?)^```\n(?:\n?^```\n(.*?)^```\n)?/msg)
	{
		my ($sql, $shown) = ($1, $2 // '');
		my ($out, $err);
		my $title = (grep { /\S/ } split(/\n/, $sql))[0];

		# The foreign servers of the examples are this one.
		my $here = sprintf("host '%s', port '%s', dbname '%s'", $node->host, $node->port, $database);
		$sql =~ s/host '[\w.]+\.example\.com', dbname 'shop'/$here/g;
		$sql =~ s/user 'reader', password 'secret'/user '$user'/g;

		$blocks++;
		next if $types_alone && "$sql$shown" =~ /cuckoo_(?:scan|join)|Cuckoo(?:FilterScan|RuntimeFilter)/;
		run(
			[ 'psql', '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--pset=footer=off', '--dbname', $node->connstr($database) ],
			'<', \$sql, '>', \$out, '2>', \$err);
		$printed .= $out;
		$err =~ s/^psql:[^ ]+ //mg;
		if ($shown =~ /^(?:ERROR|NOTICE):/)
		{
			my @missing = grep { index($err, $_) < 0 } split(/\n/, $shown);
			is(join("\n", @missing), '', "$file has the error or notice of: $title") or diag($err);
			next;
		}
		is($err, '', "$file runs: $title");
		like(normal($out), output_pattern($shown), "$file shows the result of: $title") if $shown ne '';
	}

	# A block that the pattern above does not match would go untested.
	my $fences = () = $text =~ /^[ \t]*```sql/mg;
	is($blocks, $fences, "$file: every block of SQL was run");
	return $printed;
}

# schema DATABASE: what a dump has of it. Some minor releases add a random word.
sub schema
{
	run([ 'pg_dump', '--schema-only', '--dbname', $node->connstr($_[0]) ], '>', \my $dump) or die "no dump of $_[0]";
	return $dump =~ s/^\\(un)?restrict .*//mgr;
}

# check_restore FILE, DATABASE: all objects that the page made are there after dump and restore.
sub check_restore
{
	my ($file, $database) = @_;
	my $dump = "$PostgreSQL::Test::Utils::tmp_check/$database.sql";

	$node->safe_psql('template1', 'CREATE DATABASE restored');
	system_or_bail('pg_dump', '--exclude-table-data=orders', '--file', $dump, '--dbname', $node->connstr($database));
	run([ 'psql', '--no-psqlrc', '--quiet', '--file', $dump, '--dbname', $node->connstr('restored') ], '>', '/dev/null', '2>', \my $err);
	is($err, '', "$file: a dump is restored");
	my %restored = map { $_ => 1 } split /\n/, schema('restored');
	is(join("\n", grep { !$restored{$_} } split(/\n/, schema($database))), '', "$file: with all objects");
	$node->safe_psql('template1', 'DROP DATABASE restored');
	return;
}

$node->safe_psql('postgres', 'CREATE DATABASE shop');
run_blocks('README.md', 'shop');
check_restore('README.md', 'shop');

# The reference has every function for users, and none that does not exist.
my $reference = slurp_file("$top/docs/reference.md");
my %documented = map { $_ => 1 } $reference =~ /\b([bc]f_\w+|filter_hash)\b/g;
my %existing = map { $_ => 1 } split /\n/, $node->safe_psql('shop', <<'SQL');
SELECT DISTINCT proname FROM pg_proc WHERE proname ~ '^[bc]f_' OR proname = 'filter_hash'
SQL
is(join(' ', grep { !$documented{$_} } sort keys %existing), '', 'every function is in the reference');
is(join(' ', grep { !$existing{$_} } sort keys %documented), '', 'every function of the reference exists');

# Every number from three on that a function's comment states stands in the reference, where it describes that function.
my @words = qw(three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen);
my %value_of = (third => 3, fifth => 5, eighth => 8, ninth => 9, twelfth => 12,
	map { ($words[$_] => $_ + 3, "$words[$_]th" => $_ + 3) } 0 .. $#words);
my $number = join('|', '\d+(?:\.\d+)?', map { "\\b$_\\b" } sort keys %value_of);

sub numbers { return grep { $_ > 2 } map { $value_of{ lc $_ } // $_ } $_[0] =~ /($number)/gi }

my %described;
while ($reference =~ /^(\* .*?)\n(?=\* |\n)/msg)
{
	my $entry = $1;
	$described{$_} .= " $entry" for $entry =~ /`([bc]f_\w+|filter_hash)\(/g;
}

# The numbers that it does not state.
sub not_described
{
	my ($function, $text) = @_;
	my %stated = map { $_ => 1 } numbers($described{$function} // '');

	return map { "$function: $_" } grep { !$stated{$_} } numbers($text);
}

my @comments = map { [ split /\|/, $_, 2 ] } split /\n/, $node->safe_psql('shop', <<'SQL');
SELECT proname, obj_description(oid, 'pg_proc') FROM pg_proc WHERE proname ~ '^[bc]f_' OR proname = 'filter_hash'
SQL
is(join(' ', map { $_->[0] } grep { $_->[1] eq '' } @comments), '', 'every function has a comment');
is(join(' ', grep { !$described{$_} } sort keys %existing), '', 'every function has an entry in the reference');
is(join("\n", map { not_described(@$_) } @comments), '', 'the numbers of comments are in the reference');
my @stated;
for my $page ('README.md', map { 'docs/' . basename($_) } glob("'$top/docs/*.md'"))
{
	my $text = slurp_file("$top/$page");
	push @stated, map { "$page: $_" } not_described($1, $2) while $text =~ /`([bc]f_\w+|filter_hash)\([^`\n]*\)`: ([^|\n]*)/g;
}
is(join("\n", @stated), '', 'and those that pages state of a function');

# The others use tables of the README, so each has a copy of its database.
my @documents = map { 'docs/' . basename($_) } glob("'$top/docs/*.md'");
for my $document (@documents)
{
	my $database = basename($document, '.md');

	$node->safe_psql('template1', "CREATE DATABASE $database TEMPLATE shop");
	$node->safe_psql('template1', "ALTER DATABASE $database SET session_preload_libraries = 'cuckoo_join'") if !$types_alone;
	run_blocks($document, $database);
	check_restore($document, $database) if slurp_file("$top/$document") =~ /^```sql/m;
	$node->safe_psql('template1', "DROP DATABASE $database");
}

# Each page says where it stands in docs/README.md, and what follows.
my $contents = slurp_file("$top/docs/README.md");
my ($section, @pages);
for my $line (split /\n/, $contents)
{
	$section = $1 if $line =~ /^## (.*)/;
	push @pages, { section => $section, title => $1, path => $2 } if $line =~ /^\* \[(.*?)\]\((.*?)\)/;
}
for my $i (0 .. $#pages)
{
	my $page = $pages[$i];

	next if $page->{path} =~ m{^\.\./} || $page->{path} =~ m{/};
	my $anchor = lc($page->{section}) =~ tr/ /-/r;
	my $next = $i < $#pages ? " · Next: [$pages[$i + 1]{title}]($pages[$i + 1]{path})" : '';
	my $line = (split /\n/, slurp_file("$top/docs/$page->{path}"))[2];
	is($line, "[Documentation](README.md) › [$page->{section}](README.md#$anchor)$next", "$page->{path} leads to its place and the next page");
}
my %listed = map { ("docs/$_->{path}" => 1) } @pages;
is(join(' ', grep { !$listed{$_} && $_ ne 'docs/README.md' } @documents), '', 'docs/README.md lists every page');

$node->stop;

is(`perl '$top/test/links' '$top'`, '', 'every link has a target');

# The pages are installed with what they link to.
my $installed = PostgreSQL::Test::Utils::tempdir;
system_or_bail('make', '-s', '-f', "$top/Makefile", 'install-pages', "DESTDIR=$installed", 'docdir=/doc');
is(`perl '$top/test/links' '$installed/doc/cuckoo_filter'`, '', 'every link has a target where the pages are installed');
is($?, 0, 'there are pages');

done_testing();
