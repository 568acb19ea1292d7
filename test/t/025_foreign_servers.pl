# Filters and postgres_fdw: what is evaluated on the other server, and that the answers are the same there, whatever the
# other server has in place of this one's type, collation, encoding, schema or version; otherwise there is an error.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $here = PostgreSQL::Test::Cluster->new('here');
$here->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$here->start;
plan skip_all => 'postgres_fdw is not available'
  if $here->safe_psql('postgres', q(SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw')) == 0;

my $there = PostgreSQL::Test::Cluster->new('there');
$there->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$there->start;

my $shipping = q(extensions 'cuckoo_filter');

# create_server NAME, DATABASE, OPTIONS: a foreign server for a database of the other cluster.
sub create_server
{
	my ($name, $database, @options) = @_;
	my ($host, $port) = ($there->host, $there->port);
	my $options = join(', ', "host '$host'", "port '$port'", "dbname '$database'", @options);

	$here->safe_psql('postgres', <<SQL);
CREATE SERVER $name FOREIGN DATA WRAPPER postgres_fdw OPTIONS ($options);
CREATE USER MAPPING FOR PUBLIC SERVER $name OPTIONS (user '@{[ $here->safe_psql('postgres', 'SELECT current_user') ]}');
SQL
	return;
}

# The result of a query, or its error, with the SQLSTATE.
sub outcome
{
	my ($query, $node, $database) = @_;
	my ($status, $out, $err) = ($node // $here)->psql($database // 'postgres', "\\set VERBOSITY verbose\n$query");

	return $status == 0 ? $out : $err =~ /ERROR:  (.*)/ ? $1 : $err;
}

# The SQL that a query sends.
sub remote_sql
{
	my ($query, $settings) = @_;
	my $plan = $here->safe_psql('postgres', ($settings // '') . "EXPLAIN (VERBOSE, COSTS OFF) $query");

	return join("\n", $plan =~ /^\s*Remote SQL: (.*)/mg);
}

# ships NAME, QUERY, PATTERN: the query sends SQL of this pattern, and has the same result as if the rows come from a
# local table, or from a server that is sent no functions of the extension.
sub ships
{
	my ($name, $query, $pattern) = @_;
	my %result = map { $_ => outcome("SET search_path = $_, public; $query") } qw(local plain shipped);

	like(remote_sql($query, 'SET search_path = shipped, public;'), $pattern, "$name: it is shipped");
	unlike(remote_sql($query, 'SET search_path = plain, public;'), qr/[bc]f_\w|filter_\w|OPERATOR/,
		"$name: not without the option");
	unlike($result{local}, qr/^(0?|\w{5}: .*)$/, "$name: there is a result");
	is($result{plain}, $result{local}, "$name: the same result from rows");
	is($result{shipped}, $result{local}, "$name: the same result when shipped");
	return;
}

my $facts = <<'SQL';
CREATE TABLE facts AS
	SELECT n::bigint AS key, 'key ' || n AS name, n % 20 AS part, CASE WHEN n % 3 = 0 THEN n END AS third
	FROM generate_series(1, 20000) AS n;
CREATE TABLE filters AS
	SELECT part, bf_agg(key, 30000) AS keys, cf_agg(name) AS names FROM facts GROUP BY part;
ANALYZE facts, filters;
SQL
$there->safe_psql('postgres', "CREATE DATABASE $_ TEMPLATE template0") for qw(facts second);
$there->safe_psql($_, "CREATE EXTENSION cuckoo_filter; $facts") for qw(facts second);
$here->safe_psql('postgres', <<SQL);
CREATE EXTENSION cuckoo_filter;
CREATE EXTENSION postgres_fdw;
CREATE SCHEMA local;
CREATE SCHEMA plain;
CREATE SCHEMA shipped;
CREATE TABLE dimension AS SELECT 7 * n::bigint AS key, 'key ' || 7 * n AS name FROM generate_series(1, 500) AS n;
SET search_path = local, public;
$facts
SQL
create_server('plain', 'facts');
create_server('shipping', 'facts', $shipping);
create_server('second', 'second', $shipping);
$here->safe_psql('postgres', <<'SQL');
IMPORT FOREIGN SCHEMA public FROM SERVER plain INTO plain;
IMPORT FOREIGN SCHEMA public FROM SERVER shipping INTO shipped;
SQL

# A filter that is made here is sent there as a parameter.
ships('a filter of a sub-select', <<'SQL', qr/ WHERE \(public\.bf_contains\(\$1::public\.bloomfilter, key\)\)/);
SELECT count(*), sum(key) FROM facts WHERE bf_contains((SELECT bf_agg(key) FROM dimension), key)
SQL
ships('a join', <<'SQL', qr/ WHERE \(public\.bf_contains\(\$1::public\.bloomfilter, key\)\)/);
SELECT count(*), sum(part) FROM dimension JOIN facts USING (key)
WHERE bf_contains((SELECT bf_agg(key) FROM dimension), facts.key)
SQL
ships('a cuckoo filter and text', <<'SQL', qr/ WHERE \(public\.cf_contains\(\$1::public\.cuckoofilter, name\)\)/);
SELECT count(*), min(name) FROM facts WHERE cf_contains((SELECT cf_agg(name) FROM dimension), name)
SQL
ships('operators', <<'SQL', qr/public\.bloomfilter OPERATOR\(public\.@>\) key\b.*\(name OPERATOR\(public\.<@\) \$2::public\.cuckoofilter/);
SELECT count(*), sum(key) FROM facts
WHERE (SELECT bf_agg(key) FROM dimension) @> key AND name <@ (SELECT cf_agg(name) FROM dimension)
SQL
ships('rows that are certainly not in the filter', <<'SQL', qr/NOT public\.bf_contains\(\$1/);
SELECT count(*), sum(key) FROM facts WHERE NOT bf_contains((SELECT bf_agg(key) FROM dimension), key)
SQL
ships('NULLs as keys', <<'SQL', qr/public\.bf_contains\(\$1::public\.bloomfilter, third\)/);
SELECT count(*), sum(key) FROM facts WHERE bf_contains((SELECT bf_agg(key) FROM dimension), third) IS NULL
SQL
ships('an empty filter', <<'SQL', qr/NOT public\.cf_contains\(\$1/);
SELECT count(*), sum(key) FROM facts WHERE NOT cf_contains((SELECT cf_agg(key) FROM dimension WHERE false), key)
SQL
ships('a constant filter', <<'SQL', qr/public\.bf_contains\('\w+/);
SELECT count(*), sum(key) FROM facts WHERE bf_contains(bf_add_all(bf_create(10, of => 'integer'), '{1,20000}'), key)
SQL
# Another filter for each row of the other table: the cursor is opened again.
ships('a filter for each row', <<'SQL', qr/public\.bf_contains\(\$1::public\.bloomfilter, key\)/);
SELECT remainder, (SELECT sum(key) FROM facts WHERE bf_contains(d.keys, facts.key))
FROM (SELECT key % 5 AS remainder, bf_agg(key) AS keys FROM dimension GROUP BY 1) AS d ORDER BY 1
SQL
ships('a filter that is changed there', <<'SQL', qr/public\.bf_contains\(public\.bf_add\(\$1::public\.bloomfilter, \$2::bigint\), key\)/);
SELECT count(*), sum(key) FROM facts
WHERE bf_contains(bf_add((SELECT bf_agg(key) FROM dimension), (SELECT max(key) + 1 FROM dimension)), key)
SQL

# The estimate of the other server is for a parameter whose value it does not know.
my ($estimate) = $here->safe_psql('postgres', <<'SQL') =~ /rows=(\d+)/;
ALTER FOREIGN TABLE shipped.facts OPTIONS (ADD use_remote_estimate 'true');
EXPLAIN SELECT * FROM shipped.facts WHERE bf_contains((SELECT bf_agg(key) FROM dimension), key);
ALTER FOREIGN TABLE shipped.facts OPTIONS (DROP use_remote_estimate);
SQL
cmp_ok($estimate, '>', 5000, 'the other server\'s estimate: a third');

# A stored filter there.
ships('stored filters', <<'SQL', qr/ WHERE \(public\.bf_contains\(keys, 45\)\)/);
SELECT part FROM filters WHERE bf_contains(keys, 45) ORDER BY part
SQL
ships('stored filters, as an operator', <<'SQL', qr/ WHERE \(\(keys OPERATOR\(public\.@>\) 45::bigint\)\)/);
SELECT count(*) FROM filters WHERE keys @> 45::bigint
SQL
ships('stored filters, a list', <<'SQL', qr/public\.bf_contains_any\(keys, '\{1,2\}'::integer\[\]\)/);
SELECT count(*) FROM filters WHERE bf_contains_any(keys, ARRAY[1, 2])
SQL
# Constant text has a collation that is not of a foreign column, so the filter comes here. Its hash has none.
is(remote_sql(q(SELECT part FROM shipped.filters WHERE cf_contains(names, 'key 45'::text))),
	'SELECT part, names FROM public.filters', 'stored filters and constant text: nothing is shipped');
ships('stored filters and the hash of text', <<'SQL', qr/public\.cf_contains_hash\(names, \(?-?\d+\)?::bigint, 'text'::regtype\)/);
SELECT part FROM filters WHERE cf_contains_hash(names, filter_hash('key 45'::text), 'text') ORDER BY part
SQL
for my $probe (q(cf_contains(names, 'key 45')), q(cf_contains(names, 'key 45'::text)), q(names @> 'key 45'),
	q(cf_contains_any(names, '{key 45}')), q(bf_contains(keys, '45')))
{
	is(outcome("SELECT part FROM shipped.filters WHERE $probe ORDER BY part"),
		outcome("SELECT part FROM local.filters WHERE $probe ORDER BY part"), "stored filters: $probe");
}
ships('filters and keys there', <<'SQL', qr/JOIN public\.facts .*public\.bf_contains\(r\d\.keys, r\d\.key\)/);
SELECT sum(facts.key) FROM filters JOIN facts ON bf_contains(filters.keys, facts.key) WHERE filters.part = 3
SQL

# Whole aggregates. The images are the same.
ships('aggregates', <<'SQL', qr/^SELECT public\.bf_agg\(key\), public\.cf_agg\(name, NULL::double precision, 0\.001::double precision\)/);
SELECT bf_agg(key), cf_agg(name, NULL, 0.001) FROM facts
SQL
ships('an aggregate by group', <<'SQL', qr/^SELECT .*public\.bf_agg\(key, 30000::double precision\).* GROUP BY/);
SELECT md5(string_agg(f::text, ' ' ORDER BY part)) FROM (SELECT part, bf_agg(key, 30000) AS f FROM facts GROUP BY part) AS parts
SQL
ships('an aggregate of some rows', <<'SQL', qr/public\.bf_agg\(key\) FILTER \(WHERE .* = 0\)/);
SELECT bf_agg(key) FILTER (WHERE part % 2 = 0), count(*) FROM facts
SQL
ships('unions', <<'SQL', qr/^SELECT public\.bf_union_agg\(keys\), public\.cf_union_agg\(names\), public\.bf_intersection_agg\(keys\)/);
SELECT bf_union_agg(keys), cf_union_agg(names), bf_intersection_agg(keys) FROM filters
SQL
ships('an aggregate of the rows of a shard', <<'SQL', qr/public\.bf_agg\(key\) .*WHERE .*public\.filter_hash\(name\) & 7/);
SELECT bf_agg(key) FROM facts WHERE filter_hash(name) & 7 = 3
SQL
is(outcome('SELECT count(*) FROM local.facts WHERE NOT bf_contains((SELECT bf_agg(key) FROM shipped.facts), key)'), 0,
	'a filter that is made there and probed here');

# Changes: there if the expression can be shipped, otherwise the filter comes here and is sent back.
my %changes = (
	'bf_add(keys, 77777::bigint)' => [ 'keys', qr/^UPDATE public\.filters SET keys = public\.bf_add\(keys, 77777::bigint\)/ ],
	q(cf_add(names, 'a new key'::text)) => [ 'names', qr/^UPDATE public\.filters SET names = \$2/ ],
	'cf_delete(names, name)' => [ 'names', qr/^UPDATE public\.filters/ ]);
for my $change (sort keys %changes)
{
	my ($column, $pattern) = @{ $changes{$change} };
	my $from = $change =~ /\bname\b/ ? 'FROM (SELECT name FROM local.facts WHERE key = 7) AS gone' : '';
	my @updates = map { "UPDATE $_.filters SET $column = $change $from WHERE part = 7" } qw(shipped local);
	my $same = <<'SQL';
SELECT md5(string_agg(concat(keys, names), ' ' ORDER BY part)) FROM
SQL

	like(remote_sql($updates[0]), $pattern, "$change: the plan");
	isnt(outcome("SELECT md5($column\::text) FROM local.filters WHERE part = 7"),
		outcome("$updates[1]; SELECT md5($column\::text) FROM local.filters WHERE part = 7"), "$change changes the filter");
	$here->safe_psql('postgres', $updates[0]);
	is(outcome("$same shipped.filters"), outcome("$same local.filters"), "$change: the same filters");
}
my $doomed = 'part = 1 AND NOT bf_contains((SELECT bf_agg(key) FROM dimension), key)';
like(remote_sql("DELETE FROM shipped.facts WHERE $doomed"), qr/^DELETE FROM public\.facts WHERE .*NOT public\.bf_contains\(\$1/,
	'DELETE is shipped');
$here->safe_psql('postgres', "DELETE FROM $_.facts WHERE $doomed") for qw(shipped local);
is(outcome('SELECT count(*), sum(key) FROM shipped.facts'), outcome('SELECT count(*), sum(key) FROM local.facts'),
	'DELETE: the same rows remain');
cmp_ok(outcome('SELECT count(*) FROM shipped.facts'), '<', 20000, 'DELETE: not all');

# Several servers: filters made there, at the same time if possible, and united here; a partitioned table.
$there->safe_psql('facts', 'CREATE TABLE half AS SELECT key, name, part FROM facts WHERE part < 10');
$there->safe_psql('second', 'CREATE TABLE half AS SELECT key, name, part FROM facts WHERE part >= 10');
$there->safe_psql($_, 'CREATE VIEW key_filter AS SELECT bf_agg(key, 30000) AS keys FROM half') for qw(facts second);
$here->safe_psql('postgres', "ALTER SERVER $_ OPTIONS (ADD async_capable 'true')") for qw(shipping second);
$here->safe_psql('postgres', <<'SQL');
CREATE TABLE halves (key bigint, name text, part integer) PARTITION BY RANGE (part);
CREATE FOREIGN TABLE lower_half PARTITION OF halves FOR VALUES FROM (0) TO (10) SERVER shipping OPTIONS (table_name 'half');
CREATE FOREIGN TABLE upper_half PARTITION OF halves FOR VALUES FROM (10) TO (20) SERVER second OPTIONS (table_name 'half');
CREATE FOREIGN TABLE lower_filter (keys bloomfilter) SERVER shipping OPTIONS (table_name 'key_filter');
CREATE FOREIGN TABLE upper_filter (keys bloomfilter) SERVER second OPTIONS (table_name 'key_filter');
SQL

# on_both NAME, QUERY, PATTERN, SETTINGS: the query sends SQL of this pattern to both servers, at the same time.
sub on_both
{
	my ($name, $query, $pattern, $settings) = @_;
	my $plan = $here->safe_psql('postgres', ($settings // '') . "EXPLAIN (VERBOSE, COSTS OFF) $query");
	my @async = $plan =~ /Async Foreign Scan/g;
	my @sent = grep { $_ =~ $pattern } $plan =~ /^\s*Remote SQL: (.*)/mg;

	is(scalar @sent, 2, "$name: shipped to both servers");
	is(scalar @async, 2, "$name: at the same time");
	return;
}
my $united = <<'SQL';
SELECT bf_union_agg(keys) FROM (
	SELECT bf_agg(key, 30000) AS keys FROM lower_half UNION ALL SELECT bf_agg(key, 30000) FROM upper_half) AS parts
SQL
my $views = 'SELECT bf_union_agg(keys) FROM (TABLE lower_filter UNION ALL TABLE upper_filter) AS parts';
my $of_all = 'SELECT bf_agg(key, 30000) FROM (SELECT key FROM halves OFFSET 0) AS rows';

on_both('filters of two servers', $united, qr/^SELECT public\.bf_agg\(key, 30000::double precision\) FROM public\.half$/);
on_both('filters of two views', $views, qr/^SELECT keys FROM public\.key_filter$/);
is(outcome("SELECT md5(f::text) FROM ($united) AS v (f)"), outcome("SELECT md5(f::text) FROM ($of_all) AS v (f)"),
	'filters of two servers: the union is the filter of all rows');
is(outcome("SELECT md5(f::text) FROM ($views) AS v (f)"), outcome("SELECT md5(f::text) FROM ($of_all) AS v (f)"),
	'filters of two views: the union is the filter of all rows');
my $partitionwise = 'SET enable_partitionwise_aggregate = on;';
my $by_part = 'SELECT part, bf_agg(key) FROM halves GROUP BY part';
on_both('filters by partition key', $by_part, qr/^SELECT part, public\.bf_agg\(key\) .*GROUP BY/, $partitionwise);
my $of_parts = 'SELECT count(*), md5(string_agg(f::text, $$ $$ ORDER BY part)) FROM (%s) AS v (part, f)';
is(outcome($partitionwise . sprintf($of_parts, $by_part)),
	outcome(sprintf($of_parts, 'SELECT part, bf_agg(key) FROM (SELECT * FROM halves OFFSET 0) AS rows GROUP BY part')),
	'filters by partition key: the same');
# Not by partition key: rows are shipped.
unlike(remote_sql('SELECT bf_agg(key) FROM halves', $partitionwise), qr/bf_agg/, 'partial states are not shipped');
is(outcome("$partitionwise SELECT md5(bf_agg(key, 30000)::text) FROM halves"),
	outcome("SELECT md5(f::text) FROM ($of_all) AS v (f)"), 'a filter of a partitioned table: the same');

my $probe_halves = <<'SQL';
SELECT count(*), sum(halves.key) FROM dimension JOIN halves USING (key)
WHERE bf_contains((SELECT bf_agg(key) FROM dimension), halves.key)
SQL
on_both('a probe of a partitioned table', $probe_halves, qr/public\.bf_contains\(\$1::public\.bloomfilter, key\)/);
is(outcome($probe_halves), outcome('SELECT count(*), sum(key) FROM dimension JOIN (SELECT key FROM halves OFFSET 0) AS rows USING (key)'),
	'a probe of a partitioned table: the same result');
is(outcome(<<SQL), 0, 'the union of two servers, sent to both, finds all rows');
SELECT count(*) FROM halves WHERE NOT bf_contains(($united), key)
SQL
# A filter of each server tells which of them can have a key.
is(outcome(<<'SQL'), "lower\nupper", 'a directory of servers');
SELECT server FROM (SELECT 'lower' AS server, keys FROM lower_filter UNION ALL SELECT 'upper', keys FROM upper_filter) AS directory,
	unnest(ARRAY[5, 15]) AS wanted
WHERE bf_contains(keys, wanted) ORDER BY wanted
SQL

# Types. The other server evaluates the probe with the type that the column has there. For every pair of types of a
# column, here and there: a filter of the rows as they are here, sent there, and a filter that is made there, probed here.
my @types = (
	'smallint', 'integer', 'bigint', 'numeric', 'numeric(10,1)', 'real', 'double precision', 'text', 'varchar', 'varchar(3)',
	'char(3)', 'char(10)', 'name', '"char"', 'bytea', 'uuid', 'boolean', 'date', 'time', 'time(0)', 'timetz', 'timestamp',
	'timestamp(0)', 'timestamptz', 'interval', 'inet', 'cidr', 'macaddr', 'jsonb', 'integer[]', 'bigint[]', 'text[]',
	'char(3)[]', 'int4range', 'numrange', 'public.color', 'public.short');
my $literals = <<'SQL';
CREATE TYPE color AS ENUM ('0', '1', 'red', 'abc');
CREATE DOMAIN short AS text;
CREATE TABLE literals AS SELECT row_number() OVER () AS id, literal FROM unnest(ARRAY['0', '1', '2', '-3', '1.0', '1.50', '0.1',
	'1.23456789', '16777217', '123456789012', '1e10', 'NaN', '-0', 'infinity', '', 'a', 'abc', 'abc  ', 'ABC', 'red', 'true',
	repeat('x', 80), '\x6162', '11111111-1111-1111-1111-111111111111', '2026-01-31', '2026-01-31 12:34:56.789',
	'2026-01-31 23:59:59.999+00', '12:34:56.789', '24:00:00', '1 day', '10.0.0.1', '10.0.0.0/8', '08:00:2b:01:02:03',
	'{"a": 1.0}', '{"a":1}', '{1,2}', '{a,b}', '{a ,b}', '[1,3)', '(0,2]']) AS literal;
CREATE FUNCTION reads(literal text, type text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT %L::%s', literal, type);
	RETURN true;
EXCEPTION WHEN OTHERS THEN
	RETURN false;
END $$;
SQL
$there->safe_psql('facts', $literals);
for my $i (0 .. $#types)
{
	$there->safe_psql('facts', <<SQL);
CREATE TABLE of_type_$i (id integer, key $types[$i]);
SELECT format('INSERT INTO of_type_$i VALUES (%s, %L::$types[$i])', id, literal) FROM literals
WHERE reads(literal, '$types[$i]') \\gexec
SQL
	$here->safe_psql('postgres', <<SQL);
CREATE FOREIGN TABLE texts (id integer, key text) SERVER plain OPTIONS (table_name 'of_type_$i');
CREATE TABLE texts_$i AS TABLE texts;
DROP FOREIGN TABLE texts;
SQL
}
$here->safe_psql('postgres', <<'SQL');
CREATE TYPE color AS ENUM ('0', '1', 'red', 'abc');
CREATE DOMAIN short AS text;
CREATE TABLE answers (here text, there text, members bigint, found_there bigint, found_here bigint, error_there text, error_here text);
CREATE FUNCTION internal_or(state text, message text) RETURNS text LANGUAGE sql AS
	$$SELECT CASE WHEN state = 'XX000' THEN 'internal: ' ELSE '' END || message$$;
CREATE PROCEDURE compare(types text[]) LANGUAGE plpgsql AS $$
DECLARE
	answer answers;
	filter bloomfilter;
	row record;
BEGIN
	FOR here IN 1 .. cardinality(types) LOOP
		FOR there IN 1 .. cardinality(types) LOOP
			answer := ROW(types[here], types[there]);
			EXECUTE format('CREATE FOREIGN TABLE sent (id integer, key %s) SERVER shipping OPTIONS (table_name %L)',
				types[here], 'of_type_' || there - 1);
			EXECUTE format('CREATE FOREIGN TABLE fetched (id integer, key %s) SERVER plain OPTIONS (table_name %L)',
				types[here], 'of_type_' || there - 1);
			CREATE TEMP TABLE rows (LIKE fetched);
			BEGIN
				INSERT INTO rows TABLE fetched;
			EXCEPTION WHEN OTHERS THEN
				-- Only those that can be read as the type here.
				FOR row IN EXECUTE format('SELECT * FROM texts_%s', there - 1) LOOP
					BEGIN
						EXECUTE format('INSERT INTO rows VALUES (%s, %L)', row.id, row.key);
					EXCEPTION WHEN OTHERS THEN
						NULL;
					END;
				END LOOP;
			END;
			SELECT bf_agg(key, 100, 1e-7), count(key) FROM rows INTO filter, answer.members;
			BEGIN
				SELECT count(*) FROM rows WHERE id IN (SELECT id FROM sent WHERE bf_contains((SELECT filter), key))
				INTO answer.found_there;
			EXCEPTION WHEN OTHERS THEN
				answer.error_there := internal_or(SQLSTATE, SQLERRM);
			END;
			BEGIN
				SELECT count(*) FROM rows WHERE bf_contains((SELECT bf_agg(key, 100, 1e-7) FROM sent), key)
				INTO answer.found_here;
			EXCEPTION WHEN OTHERS THEN
				answer.error_here := internal_or(SQLSTATE, SQLERRM);
			END;
			INSERT INTO answers SELECT answer.*;
			DROP FOREIGN TABLE sent, fetched;
			DROP TABLE rows;
			COMMIT;
		END LOOP;
	END LOOP;
END $$;
SQL
$here->safe_psql('postgres', 'CALL compare($list$' . '{' . join(',', map { s/"/\\"/gr =~ s/(.*)/"$1"/r } @types) . '}$list$)');

# PostgreSQL itself converts the value to another one here, and "=" does not find it there either.
my $converted = <<'END';
double precision, there real
name, there public.short
name, there text
name, there varchar
numeric(10,1), there numeric
real, there double precision
time(0), there time
timestamp(0), there timestamp
varchar(3), there name
varchar(3), there public.short
varchar(3), there text
varchar(3), there varchar
END
is(outcome(<<'SQL') . "\n", $converted, 'types: a row is missed only if the declaration changes its value');
SELECT DISTINCT here || ', there ' || there FROM answers WHERE found_there < members OR found_here < members ORDER BY 1
SQL
is(outcome(q(SELECT * FROM answers WHERE (here, there) IN (SELECT here, here FROM answers) AND here = there
	AND members > 0 AND (found_there IS DISTINCT FROM members OR found_here IS DISTINCT FROM members))),
	'', 'types: the same type there finds all rows');
is(outcome(q(SELECT * FROM answers WHERE concat(error_there, error_here) LIKE '%internal: %')), '', 'types: no internal errors');
is(outcome(q(SELECT count(*) FROM answers)), @types * @types, 'types: every pair');
cmp_ok(outcome('SELECT count(*) FROM answers WHERE here <> there AND members > 0 AND found_there = members AND found_here = members'),
	'>', 60, 'types: other types that find all rows');
cmp_ok(outcome(q(SELECT count(*) FROM answers WHERE error_there LIKE 'filter holds values of kind%'
	AND error_here LIKE 'filter holds values of kind%')), '>', 250, 'types: errors because the kinds differ');
is(outcome(q(SELECT error_there FROM answers WHERE here = 'text' AND there = 'char(10)')),
	'filter holds values of kind text, not character', 'types: text here, char(10) there');
# The same for "=", without filters.
is(outcome(<<'SQL'), 'f', 'types: = of real here and double precision there');
CREATE FOREIGN TABLE reals (id integer, key real) SERVER shipping OPTIONS (table_name 'of_type_6');
SELECT EXISTS (SELECT FROM reals WHERE key = real '0.1')
SQL

# Other differences. An error that the other server raises when a filter is sent there, or SQL.
sub refused
{
	my ($name, $query, $pattern) = @_;

	like(outcome($query), $pattern, $name);
	return;
}

# Encodings. The words are given by code point.
my %words = (latin1 => 'U&\'\00e9t\00e9\'', euc_kr => 'U&\'\d55c\ae00\'', sql_ascii => '\'summer\'');
for my $encoding (sort keys %words)
{
	my $word = $words{$encoding};

	$there->safe_psql('postgres',
		"CREATE DATABASE in_$encoding ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
	$there->safe_psql("in_$encoding", <<SQL);
CREATE EXTENSION cuckoo_filter;
CREATE TABLE words AS SELECT $word\::text AS word UNION ALL SELECT 'plain';
SQL
	create_server("$encoding\_shipping", "in_$encoding", $shipping);
	create_server("$encoding\_plain", "in_$encoding");
	$here->safe_psql('postgres', <<SQL);
CREATE FOREIGN TABLE $encoding (word text) SERVER $encoding\_shipping OPTIONS (table_name 'words');
CREATE FOREIGN TABLE $encoding\_rows (word text) SERVER $encoding\_plain OPTIONS (table_name 'words');
CREATE TABLE $encoding\_here AS TABLE $encoding\_rows;
SQL
	# The filter also has a word that does not exist in the other encoding.
	my $sent = "SELECT count(*) FROM %s WHERE bf_contains((SELECT bf_agg(word, 100, 1e-7) FROM (TABLE $encoding\_here
		UNION ALL SELECT U&'\\0e01') AS words), word)";
	my $fetched = "SELECT count(*) FROM $encoding\_here WHERE cf_contains((SELECT cf_agg(word) FROM $encoding), word)";

	like(remote_sql(sprintf($sent, $encoding)), qr/bf_contains/, "$encoding: a filter is sent");
	like(remote_sql($fetched), qr/cf_agg/, "$encoding: a filter is fetched");
	is(outcome(sprintf($sent, "$encoding\_rows")), 2, "$encoding: the words are found here");
	if ($encoding eq 'sql_ascii')
	{
		refused("$encoding: a filter that is sent is refused", sprintf($sent, $encoding),
			qr/^42804: filter holds values of kind text, not text encoding SQL_ASCII/);
		refused("$encoding: a filter that is fetched is refused", $fetched,
			qr/^42804: filter holds values of kind text encoding SQL_ASCII, not text/);
	}
	else
	{
		is(outcome(sprintf($sent, $encoding)), 2, "$encoding: the words are found there");
		is(outcome($fetched), 2, "$encoding: the words are in the filter from there");
	}
}

# Collations: the same there; the same name, with another definition; none there, or none here.
SKIP:
{
	skip 'this server has no ICU', 1
	  if $here->safe_psql('postgres', q(SELECT count(*) FROM pg_collation WHERE collprovider = 'i')) == 0;
	my $definition = q(provider = icu, locale = '%s', deterministic = false);

	$there->safe_psql('facts', sprintf(<<'SQL', ($definition) x 2) =~ s/%s/und-u-ks-level2/r =~ s/%s/und-u-ks-level1/r);
CREATE COLLATION same (%s);
CREATE COLLATION other (%s);
CREATE TABLE spelled (same text COLLATE same, other text COLLATE other, plain text COLLATE "C");
INSERT INTO spelled SELECT w, w, w FROM unnest(ARRAY['Ann', 'BOB', 'carol']) AS w;
SQL
	$here->safe_psql('postgres', sprintf(<<'SQL', ($definition) x 2) =~ s/%s/und-u-ks-level2/gr);
CREATE COLLATION same (%s);
CREATE COLLATION other (%s);
CREATE FOREIGN TABLE spelled (same text COLLATE same, other text COLLATE other, plain text) SERVER shipping;
-- Columns for which the foreign table declares another collation, or none.
CREATE FOREIGN TABLE misdeclared (same text, plain text COLLATE same) SERVER shipping OPTIONS (table_name 'spelled');
CREATE TABLE ours AS
	SELECT w COLLATE same AS same, w COLLATE other AS other, w COLLATE "default" AS plain
	FROM unnest(ARRAY['ann', 'bob', 'carol']) AS w;
SQL
	# A table, its column there, and the column here whose collation is the one that the table declares.
	my $sent = 'SELECT count(*) FROM %s WHERE bf_contains((SELECT bf_agg(%3$s) FROM ours), %2$s)';
	my $fetched = 'SELECT count(*) FROM ours WHERE bf_contains((SELECT bf_agg(%2$s) FROM %1$s), %3$s)';
	my $differ = qr/^42804: filter holds values of kind text.*, not text/;
	my %collations = (
		'spelled same same' => 3,
		'spelled plain plain' => 1,
		'spelled other other' => $differ,
		'misdeclared same plain' => $differ,
		'misdeclared plain same' => $differ);

	for my $case (sort keys %collations)
	{
		for my $query (sprintf($sent, split(/ /, $case)), sprintf($fetched, split(/ /, $case)))
		{
			like(remote_sql($query), qr/public\.bf_/, "collations, $case: a filter is shipped");
			like(outcome($query), ref $collations{$case} ? $collations{$case} : qr/^$collations{$case}$/, "collations, $case");
		}
	}
	is(outcome('SELECT count(*) FROM spelled WHERE bf_contains((SELECT bf_agg(same) FROM ours), other COLLATE same)'), 3,
		'collations: a probe under an explicit collation is made here');
}

# Types of other extensions are shipped only if these are in the option, too; their hashes can depend on the locale.
SKIP:
{
	skip 'citext is not available', 1
	  if $here->safe_psql('postgres', q(SELECT count(*) FROM pg_available_extensions WHERE name = 'citext')) == 0;
	my $names = q(CREATE EXTENSION citext; CREATE TABLE names AS SELECT n::citext AS n FROM unnest(ARRAY['Ann', 'BOB']) AS n);

	$there->safe_psql($_, $names) for qw(facts in_latin1);
	$here->safe_psql('postgres', q(CREATE EXTENSION citext; CREATE TABLE members AS SELECT n::citext AS n FROM unnest(ARRAY['ann', 'bob']) AS n));
	my $query = 'SELECT count(*) FROM names_%s WHERE bf_contains((SELECT bf_agg(n) FROM members), n)';
	for my $case ([ 'facts', 'cuckoo_filter', 2 ], [ 'facts', 'cuckoo_filter, citext', 2 ],
		[ 'in_latin1', 'cuckoo_filter, citext', qr/^42804: filter holds values of kind public.citext .* not public.citext encoding LATIN1/ ])
	{
		my ($database, $extensions, $expected) = @$case;
		my $number = $here->safe_psql('postgres', 'SELECT count(*) FROM pg_foreign_server');
		my $ships = $extensions =~ /citext/;

		create_server("citext_$number", $database, "extensions '$extensions'");
		$here->safe_psql('postgres', "CREATE FOREIGN TABLE names_$number (n citext) SERVER citext_$number OPTIONS (table_name 'names')");
		is(!!(remote_sql(sprintf($query, $number)) =~ /bf_contains/), !!$ships, "citext in $database, with $extensions: the plan");
		like(outcome(sprintf($query, $number)), ref $expected ? $expected : qr/^$expected$/,
			"citext in $database, with $extensions");
	}
}

# A database without the extension; with the extension in another schema; with an earlier version, which lacks a function;
# an image of a later version.
my $probe = 'SELECT count(*) FROM %s.facts WHERE bf_contains((SELECT bf_agg(key) FROM dimension), key)';
my $build = 'SELECT bf_cardinality(bf_agg(key)) FROM %s.facts';

$there->safe_psql('postgres', "CREATE DATABASE without TEMPLATE template0");
$there->safe_psql('without', 'CREATE TABLE facts AS SELECT n::bigint AS key FROM generate_series(1, 1000) AS n');
create_server('without_shipping', 'without', $shipping);
create_server('without_plain', 'without');
$here->safe_psql('postgres', <<'SQL');
CREATE SCHEMA without_shipping;
CREATE SCHEMA without_plain;
IMPORT FOREIGN SCHEMA public FROM SERVER without_shipping INTO without_shipping;
IMPORT FOREIGN SCHEMA public FROM SERVER without_plain INTO without_plain;
SQL
refused('no extension there: a probe', sprintf($probe, 'without_shipping'), qr/^42704: type "public.bloomfilter" does not exist/);
refused('no extension there: an aggregate', sprintf($build, 'without_shipping'), qr/^42883: function public.bf_agg\(bigint\) does not exist/);
cmp_ok(outcome(sprintf($probe, 'without_plain')), '>=', 142, 'no extension there: a probe of rows');
cmp_ok(outcome(sprintf($build, 'without_plain')), '>', 900, 'no extension there: an aggregate of rows');

$there->safe_psql('without', 'CREATE SCHEMA elsewhere; CREATE EXTENSION cuckoo_filter SCHEMA elsewhere');
refused('another schema there: a probe', sprintf($probe, 'without_shipping'), qr/^42704: type "public.bloomfilter" does not exist/);
refused('another schema there: an aggregate', sprintf($build, 'without_shipping'), qr/^42883: function public.bf_agg\(bigint\) does not exist/);
# In one session, whose connection and cached plan remain.
is(outcome(<<SQL), "142\n142", 'the schema is the same again');
PREPARE probe AS @{[ sprintf($probe, 'without_plain') =~ s/count\(\*\)/count(*) FILTER (WHERE key % 7 = 0)/r ]};
EXECUTE probe;
CREATE SCHEMA elsewhere;
ALTER EXTENSION cuckoo_filter SET SCHEMA elsewhere;
SET search_path = public, elsewhere;
DEALLOCATE probe;
PREPARE probe AS @{[ sprintf($probe, 'without_shipping') =~ s/count\(\*\)/count(*) FILTER (WHERE key % 7 = 0)/r ]};
EXECUTE probe;
ALTER EXTENSION cuckoo_filter SET SCHEMA public;
SQL
$there->safe_psql('without', <<'SQL');
ALTER EXTENSION cuckoo_filter SET SCHEMA public;
ALTER EXTENSION cuckoo_filter DROP FUNCTION bf_contains_any(bloomfilter, anyarray);
DROP FUNCTION bf_contains_any(bloomfilter, anyarray);
CREATE TABLE images AS SELECT set_byte(bf_agg(key)::bytea, 4, 2)::text AS keys FROM facts;
SQL
refused('an earlier version there, without the function',
	'SELECT count(*) FROM without_shipping.facts WHERE bf_contains_any((SELECT bf_agg(key) FROM dimension), ARRAY[key])',
	qr/^42883: function public.bf_contains_any\(public.bloomfilter, bigint\[\]\) does not exist/);
refused('a later version there, with other images', <<'SQL', qr/^22P02: .*bloomfilter/);
CREATE FOREIGN TABLE images (keys bloomfilter) SERVER without_plain;
SELECT bf_contains(keys, 1) FROM images
SQL

# An error there leaves the session usable.
is($here->safe_psql('postgres', <<"SQL"), 'caught', 'an error there can be caught');
CREATE FUNCTION try() RETURNS text LANGUAGE plpgsql AS \$\$
BEGIN
	PERFORM count(*) FROM shipped.facts WHERE bf_contains((SELECT bf_agg(name) FROM dimension), key);
	RETURN 'no error';
EXCEPTION WHEN datatype_mismatch THEN
	PERFORM count(*) FROM shipped.facts WHERE bf_contains((SELECT bf_agg(key) FROM dimension), key);
	RETURN 'caught';
END \$\$;
SELECT try();
SQL

$here->stop;
$there->stop;
done_testing();
