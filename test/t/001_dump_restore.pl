# Filters survive dump and restore, and COPY in every format, byte for byte; and objects built on them still find
# their values in a cluster with different object identifiers.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $source = PostgreSQL::Test::Cluster->new('source');
$source->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$source->start;
my $target = PostgreSQL::Test::Cluster->new('target');
$target->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$target->start;
my $folder = PostgreSQL::Test::Utils::tempdir;

$source->safe_psql('postgres', <<'SQL');
CREATE SCHEMA tools;
CREATE EXTENSION cuckoo_filter SCHEMA tools;
SET search_path = public, tools;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE pair AS (number integer, label text);
CREATE TYPE span AS RANGE (subtype = float8);

CREATE TABLE stored (name text PRIMARY KEY, b bloomfilter, c cuckoofilter);
INSERT INTO stored
	SELECT 'integers', bf_agg(i), cf_agg(i) FROM generate_series(1, 100000) i
	UNION ALL SELECT 'texts', bf_agg('key ' || i), cf_agg('key ' || i) FROM generate_series(1, 1000) i
	UNION ALL SELECT 'moods', bf_agg(m, 10, 1e-7), cf_agg(m, 10, 1e-7) FROM unnest('{sad,happy}'::mood[]) m
	UNION ALL SELECT 'pairs', bf_agg(ROW(i, i)::pair), cf_agg(ROW(i, i)::pair) FROM generate_series(1, 100) i
	UNION ALL SELECT 'spans', bf_agg(span(i, i + 1)), cf_agg(span(i, i + 1)) FROM generate_series(1, 100) i
	UNION ALL SELECT 'grown', bf_add_all(bf_create(10), array_agg(i)), cf_add_all(cf_create(10), array_agg(i)) FROM generate_series(1, 1000) i
	UNION ALL SELECT 'empty', bf_create(NULL), cf_create(1000)
	UNION ALL SELECT 'null', NULL, NULL;

-- Objects that use the functions: defaults, generated columns, indexes, constraints, views, arrays, functions.
CREATE TABLE uses (
	id integer PRIMARY KEY,
	label text,
	b bloomfilter DEFAULT bf_create(100),
	generated cuckoofilter GENERATED ALWAYS AS (cf_add(cf_create(10), label)) STORED,
	several bloomfilter[],
	CHECK (bf_contains(bf_add(bf_create(10), 1), 1))
);
CREATE INDEX by_hash ON uses (filter_hash(label));
INSERT INTO uses (id, label, several)
	SELECT i, 'label ' || i, ARRAY[bf_add(bf_create(10), i), NULL] FROM generate_series(1, 10) i;
CREATE VIEW hits AS SELECT id FROM uses WHERE generated @> 'label 7'::text OR bf_contains(b, 'x');
CREATE MATERIALIZED VIEW summary AS SELECT bf_union_agg(several[1]) AS b, cf_agg(label) AS c FROM uses;
CREATE TABLE parts (id integer, c cuckoofilter, b bloomfilter DEFAULT bf_create(10)) PARTITION BY RANGE (id);
CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (1) TO (6);
CREATE TABLE parts_high PARTITION OF parts (b DEFAULT bf_add(bf_create(10), 'high'::text)) FOR VALUES FROM (6) TO (11);
ALTER TABLE parts_high ALTER c SET STORAGE PLAIN;
INSERT INTO parts (id, c) SELECT i, cf_add_all(cf_create(10), ARRAY[i, i, -i]) FROM generate_series(1, 5) i;
-- The default of a partition counts where it is named.
INSERT INTO parts_high (id, c) SELECT i, cf_add_all(cf_create(10), ARRAY[i, i, -i]) FROM generate_series(6, 10) i;
CREATE TABLE literal (b tools.bloomfilter DEFAULT 'Y2tmbAEBAQB7FK5H4XqEPwAAAAAAAAAA');
INSERT INTO literal DEFAULT VALUES;
SQL

my @questions = (
	[ 'the filters', q(SELECT name, md5(b::text), md5(c::text) FROM stored ORDER BY name COLLATE "C") ],
	[
		'integers', q(SELECT count(*) FROM stored, generate_series(1, 100000) i
			WHERE name = 'integers' AND tools.bf_contains(b, i) AND tools.cf_contains(c, i)), 100000
	],
	[
		'texts', q(SELECT count(*) FROM stored, generate_series(1, 1000) i
			WHERE name = 'texts' AND tools.bf_contains(b, 'key ' || i) AND tools.cf_contains(c, 'key ' || i)), 1000
	],
	[
		'enums', q(SELECT string_agg(m::text, ' ' ORDER BY m) FROM stored, unnest(enum_range(NULL::mood)) m
			WHERE name = 'moods' AND tools.bf_contains(b, m) AND tools.cf_contains(c, m)), 'sad happy'
	],
	[
		'rows', q(SELECT count(*) FROM stored, LATERAL (SELECT ROW(i, i)::pair AS p FROM generate_series(1, 100) i) AS r
			WHERE name = 'pairs' AND tools.bf_contains(b, p) AND tools.cf_contains(c, p)), 100
	],
	[
		'ranges', q(SELECT count(*) FROM stored, generate_series(1, 100) i
			WHERE name = 'spans' AND tools.bf_contains(b, span(i, i + 1)) AND tools.cf_contains(c, span(i, i + 1))), 100
	],
	[
		'grown filters', q(SELECT count(*) FROM stored, generate_series(1, 1000) i
			WHERE name = 'grown' AND tools.bf_contains(b, i) AND tools.cf_contains(c, i)), 1000
	],
	[ 'defaults', q(SELECT count(*) FROM uses WHERE b::text = tools.bf_create(100)::text), 10 ],
	[ 'generated columns', q(SELECT count(*) FROM uses WHERE tools.cf_contains(generated, label)), 10 ],
	[
		'arrays of filters', q(SELECT count(*) FROM uses
			WHERE tools.bf_contains(several[1], id) AND several[2] IS NULL), 10
	],
	[
		'an index on the hash', q(SELECT id FROM uses
			WHERE tools.filter_hash(label) = tools.filter_hash('label 7'::text)), 7
	],
	[ 'a view', q(SELECT id FROM hits), 7 ],
	[
		'a materialized view', q(SELECT count(*) FROM summary, generate_series(1, 10) i
			WHERE tools.bf_contains(b, i) AND tools.cf_contains(c, 'label ' || i)), 10
	],
	[
		'partitions', q(SELECT count(*), count(*) FILTER (WHERE tools.bf_contains(b, 'high')) FROM parts
			WHERE tools.cf_count(c, id) >= 2 AND tools.cf_contains(c, -id)), '10|5'
	],
	[ 'a literal', q(SELECT count(*) FROM literal WHERE b::text = tools.bf_create(NULL)::text), 1 ]);

# check NODE, DATABASE, WHAT: the answers are those of the source, and correct.
sub check
{
	my ($node, $database, $what) = @_;

	for my $question (@questions)
	{
		my ($name, $query, $expected) = @$question;

		$expected = $source->safe_psql('postgres', $query) unless defined $expected;
		is($node->safe_psql($database, $query), $expected, "$what: $name");
	}
	return;
}

check($source, 'postgres', 'source');

# Other databases, whose catalogs use other object identifiers.
for my $database (qw(plain custom directory))
{
	$target->safe_psql('postgres', "CREATE DATABASE $database");
	$target->safe_psql($database,
		'CREATE TYPE used_up AS ENUM (' . join(', ', map { "'$_'" } 1 .. 50) . '); DROP TYPE used_up');
}
$source->command_ok([ 'pg_dump', '--file', "$folder/plain.sql", $source->connstr('postgres') ], 'pg_dump, plain');
my @psql = qw(psql -X -q -v ON_ERROR_STOP=1 -f);
$target->command_ok([ @psql, "$folder/plain.sql", $target->connstr('plain') ], 'restore, plain');
check($target, 'plain', 'plain dump');
unlike(slurp_file("$folder/plain.sql"), qr/bf_contains_any/, 'the dump contains no function of the extension');

$source->command_ok([ 'pg_dump', '--format=custom', '--file', "$folder/custom.dump", $source->connstr('postgres') ],
	'pg_dump, custom');
$target->command_ok(
	[ 'pg_restore', '--exit-on-error', '--dbname', $target->connstr('custom'), "$folder/custom.dump" ],
	'restore, custom');
check($target, 'custom', 'custom dump');

# By several processes at once.
$source->command_ok(
	[ 'pg_dump', '--format=directory', '--jobs=2', '--file', "$folder/directory", $source->connstr('postgres') ],
	'pg_dump, directory');
$target->command_ok(
	[
		'pg_restore', '--exit-on-error', '--jobs=2', '--dbname', $target->connstr('directory'), "$folder/directory"
	],
	'restore, directory');
check($target, 'directory', 'directory dump');

# A single table, into a database that has the extension.
$target->safe_psql('postgres', 'CREATE DATABASE one');
$target->safe_psql('one', 'CREATE SCHEMA tools; CREATE EXTENSION cuckoo_filter SCHEMA tools');
$source->command_ok([ 'pg_dump', '--table=stored', '--file', "$folder/table.sql", $source->connstr('postgres') ],
	'pg_dump, one table');
$target->command_ok([ @psql, "$folder/table.sql", $target->connstr('one') ], 'restore, one table');
is($target->safe_psql('one', $questions[0][1]), $source->safe_psql('postgres', $questions[0][1]),
	'one table: the filters');

# A dump can also consist of INSERT statements.
$target->safe_psql('postgres', 'CREATE DATABASE inserts');
$source->command_ok([ 'pg_dump', '--inserts', '--file', "$folder/inserts.sql", $source->connstr('postgres') ],
	'pg_dump, inserts');
$target->command_ok([ @psql, "$folder/inserts.sql", $target->connstr('inserts') ], 'restore, inserts');
check($target, 'inserts', 'dump as inserts');

# COPY, through files, both formats.
for my $format (qw(text csv binary))
{
	my $file = "$folder/stored.$format";

	$source->safe_psql('postgres', "COPY stored TO '$file' (FORMAT $format)");
	$target->safe_psql('plain', "TRUNCATE stored; COPY stored FROM '$file' (FORMAT $format)");
	check($target, 'plain', "COPY, $format");
}

# A damaged file is rejected with the right code and adds no rows.
for my $format (qw(text binary))
{
	my $contents = slurp_file("$folder/stored.$format");
	my $damaged = "$folder/damaged.$format";
	my ($from, $to) = $format eq 'text' ? ('Y2tmbAE', 'Y2tmbAI') : ("ckfl\x01", "ckfl\x02");
	my $code = $format eq 'text' ? '22P02' : '22P03';

	# The last one of the file, after others that succeed.
	substr($contents, rindex($contents, $from), length $from) = $to;
	open my $handle, '>:raw', $damaged or die "cannot write $damaged: $!";
	print $handle $contents;
	close $handle;

	my ($status, undef, $error) = $target->psql('plain',
		"\\set VERBOSITY sqlstate\nTRUNCATE stored;\nCOPY stored FROM '$damaged' (FORMAT $format)");
	isnt($status, 0, "damaged $format file: rejected") or diag($error);
	like($error, qr/ERROR:  $code/, "damaged $format file: the code");
	is($target->safe_psql('plain', 'SELECT count(*) FROM stored'), 0, "damaged $format file: no rows were added");
}

# What PostgreSQL's dumps lose of types outside pg_catalog: the pages name each form, their query finds it in every kind of
# object, and what they recommend is restored.
sub page { return slurp_file("$FindBin::RealBin/../../docs/$_[0].md") }
my ($find) = page('operations') =~ /^```sql\n(SELECT pg_describe_object.*?)^```/ms or die 'operations.md has no query';
my ($named) = page('storing') =~ /^A dump loses (.*?)\. Compare/ms or die 'storing.md names no forms';
my ($instead) = page('storing') =~ /^there: `(.*?)`/m or die 'storing.md recommends no form';
my %lost = (
	'f IS DISTINCT FROM g' => undef, 'NULLIF(f, g)' => undef, 'CASE f WHEN g' => 'CASE f WHEN g THEN 1 END',
	'USING (f)' => '(SELECT count(*) FROM pairs AS p JOIN (SELECT f FROM pairs) AS q USING (f))',
	'(f, n) < (g, n)' => undef, '(f, n) IN (SELECT ...)' => '(f, n) IN (SELECT g, n FROM pairs)',
);
my @kept = (
	'f IN (g, f)', 'f BETWEEN g AND f', '(f, n) = (g, n)', 'f = ANY (SELECT g FROM pairs)', 'f IN (SELECT g FROM pairs)',
	'greatest(f, g)', 'ARRAY[f] IS DISTINCT FROM ARRAY[g]', 'pairs IS DISTINCT FROM pairs', 'NOT (f = g)', $instead,
);

# A table with this condition in each kind of object that has one; a policy has it twice.
sub objects
{
	my ($name, $condition) = @_;
	my $of_row = $condition =~ s/\bf\b/OLD.f/gr =~ s/\bg\b/NEW.g/gr;

	return <<SQL;
CREATE TABLE $name (n integer, f bloomfilter, g bloomfilter, CHECK ($condition), generated boolean GENERATED ALWAYS AS ($condition) STORED);
CREATE INDEX ON $name (n) WHERE $condition;
CREATE INDEX ON $name (($condition));
CREATE STATISTICS ${name}_statistics ON n, ($condition) FROM $name;
CREATE POLICY ${name}_policy ON $name USING ($condition) WITH CHECK ($condition);
CREATE RULE ${name}_rule AS ON UPDATE TO $name WHERE $of_row DO ALSO NOTHING;
CREATE TRIGGER ${name}_trigger BEFORE UPDATE ON $name FOR EACH ROW WHEN ($of_row) EXECUTE FUNCTION on_change();
CREATE FUNCTION ${name}_function(f bloomfilter, g bloomfilter) RETURNS boolean BEGIN ATOMIC SELECT $condition; END;
CREATE MATERIALIZED VIEW ${name}_view AS SELECT $condition AS a FROM pairs;
SQL
}
my $setup = <<'SQL';
CREATE EXTENSION cuckoo_filter;
CREATE TABLE pairs (n integer, f bloomfilter, g bloomfilter);
CREATE FUNCTION on_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
SQL
my @names = sort keys %lost;
$source->safe_psql('postgres', 'CREATE DATABASE lost; CREATE DATABASE kept');
$source->safe_psql('lost', join '', $setup, map { 'CREATE VIEW "' . $_ . '" AS SELECT ' . ($lost{$_} // $_) . " AS a FROM pairs;\n" } @names);
like($named =~ s/\n/ /gr, qr/`\Q$_\E`/, "the page names: $_") for @names;
is($source->safe_psql('lost', "SELECT * FROM ($find) AS found ORDER BY 1" =~ s/;\n?\)/)/r),
	join("\n", sort map { qq(rule _RETURN on view "$_") } @names), 'the query finds each form');
$source->safe_psql('lost', objects('many', 'f IS DISTINCT FROM g'));
my $found = $source->safe_psql('lost', $find);
like($found, qr/^.*\b$_\b.*\bmany/m, "the query finds it in: $_")
  for 'constraint', 'default value', 'index', 'statistics object', 'policy', 'rule', 'trigger', 'function', 'view';

$source->safe_psql('kept', $setup . objects('many', $instead) . join '', map { "CREATE VIEW v$_ AS SELECT $kept[$_] AS a FROM pairs;\n" } 0 .. $#kept);
$source->safe_psql('kept', 'CREATE VIEW grouped AS SELECT DISTINCT ON (f) f, n FROM pairs GROUP BY f, n ORDER BY f USING >, n');
$source->command_ok([ 'pg_dump', '--file', "$folder/kept.sql", $source->connstr('kept') ], 'pg_dump, forms that survive');
$target->safe_psql('postgres', 'CREATE DATABASE kept');
$target->command_ok([ @psql, "$folder/kept.sql", $target->connstr('kept') ], 'restore, forms that survive');

$source->stop;
$target->stop;
done_testing();
