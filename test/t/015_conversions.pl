# Text of two databases is of one kind only if every conversion between their encodings keeps its canonical bytes. This
# test computes from PostgreSQL's conversions for which encodings that is true. Then tables whose keys are all characters
# of an encoding, with filters of them, go from database to database in every way.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('conversions');
$node->init(allows_streaming => 'logical', extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->append_conf('postgresql.conf', "$_ = 100")
  for qw(max_connections max_wal_senders max_replication_slots max_worker_processes max_logical_replication_workers),
  $node->pg_version >= 18 ? 'max_active_replication_origins' : ();
$node->start;
my $folder = PostgreSQL::Test::Utils::tempdir;

# query DATABASE, SQL: its result. All of it is ASCII, and characters are given by their bytes.
sub query
{
	my ($database, $sql) = @_;

	return $node->safe_psql($database, $sql);
}

# A database for each encoding of servers, and the kind of its text.
my %kind;
for my $encoding (split(/\n/, query('postgres', q(SELECT name FROM generate_series(0, pg_char_to_encoding('KOI8U')) AS n,
	pg_encoding_to_char(n) AS name WHERE pg_char_to_encoding(name) = n))))
{
	my $database = lc $encoding;

	query('postgres', "CREATE DATABASE $database ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
	$kind{$encoding} = query($database, q(CREATE EXTENSION cuckoo_filter; SELECT (bf_info(bf_add(bf_create(1), 'a'::text))).value_kind));
}
my @encodings = sort keys %kind;
my $list = join(',', map { "('$_', '$kind{$_}')" } @encodings);

# Convert every character by every conversion of encodings of servers. In `converted`, `result` is null if that is an
# error; `unicode` is the UTF-8 form of the character, and `there` that of the result, each null if there is none.
query('postgres', <<SQL . <<'SQL');
CREATE TABLE encodings AS SELECT name, kind, pg_encoding_max_length(pg_char_to_encoding(name)) AS most
	FROM (VALUES $list) AS v (name, kind);
SQL
CREATE TABLE conversions AS
	SELECT x.name AS x, y.name AS y FROM pg_conversion
	JOIN encodings AS x ON conforencoding = pg_char_to_encoding(x.name)
	JOIN encodings AS y ON contoencoding = pg_char_to_encoding(y.name)
	WHERE condefault AND 'MULE_INTERNAL' NOT IN (x.name, y.name);
CREATE FUNCTION convert_or_null(bytes bytea, x name, y name) RETURNS bytea LANGUAGE plpgsql AS $$
BEGIN
	RETURN convert(bytes, x, y);
EXCEPTION WHEN character_not_in_repertoire OR untranslatable_character THEN
	RETURN NULL;
END $$;
-- Every character of Unicode that an encoding has: those of one byte have none beyond the first plane, and the others
-- none beyond the third.
CREATE TABLE converted AS
	SELECT 'UTF8'::name AS x, y, convert_to(chr(n), 'UTF8') AS bytes, result, convert_to(chr(n), 'UTF8') AS unicode
	FROM conversions JOIN encodings ON y = name, generate_series(1, CASE most WHEN 1 THEN 65535 ELSE 196607 END) AS n,
		convert_or_null(CASE WHEN n NOT BETWEEN 55296 AND 57343 THEN convert_to(chr(n), 'UTF8') END, 'UTF8', y) AS result
	WHERE x = 'UTF8' AND result IS NOT NULL;
-- And every character of an encoding that Unicode has: sequences of 1 to 4 bytes.
CREATE TABLE sequences AS
	SELECT set_byte('\x00', 0, i) AS bytes FROM generate_series(1, 255) AS i
	UNION ALL
	SELECT start || set_byte(set_byte('\x0000', 0, i), 1, j)
	FROM (VALUES (''::bytea, 128), ('\x8e', 160), ('\x8f', 160)) AS v (start, first),
		generate_series(first, 255) AS i, generate_series(128, 255) AS j
	UNION ALL
	SELECT set_byte(set_byte(set_byte('\x8e000000', 1, plane), 2, i), 3, j)
	FROM generate_series(161, 176) AS plane, generate_series(160, 255) AS i, generate_series(160, 255) AS j;
CREATE TABLE characters AS
	SELECT name AS x, bytes, convert_or_null(bytes, name, 'UTF8') AS unicode
	FROM encodings JOIN sequences ON length(bytes) <= most
	WHERE name IN (SELECT x FROM conversions WHERE y = 'UTF8')
	UNION
	SELECT y, result, convert_or_null(result, y, 'UTF8') FROM converted;
CREATE INDEX ON characters (x, bytes);
INSERT INTO converted
	SELECT x, y, bytes, convert_or_null(bytes, x, y), unicode FROM conversions JOIN characters USING (x)
	WHERE unicode IS NOT NULL;
ALTER TABLE converted ADD there bytea;
UPDATE converted SET there = CASE y WHEN 'UTF8' THEN result ELSE
	(SELECT c.unicode FROM characters AS c WHERE c.x = y AND c.bytes = result) END;
ANALYZE;

-- The conversions that can change the canonical bytes of text. First, of a character.
CREATE TABLE unsafe AS SELECT DISTINCT x, y FROM converted WHERE unicode <> there;
-- Second, of a string: the result of a conversion is not a character, but begins one that ends in what follows.
INSERT INTO unsafe SELECT DISTINCT i.x, i.y
FROM (SELECT DISTINCT ON (x, y, get_byte(result, 0)) * FROM converted WHERE result IS NOT NULL AND there IS NULL
	ORDER BY x, y, get_byte(result, 0)) AS i
	JOIN characters AS next ON next.x = i.y AND next.unicode IS NOT NULL
WHERE convert_or_null(i.result || next.bytes, i.y, 'UTF8') <> i.unicode || next.unicode;
SQL

diag(query('postgres', 'SELECT count(*) FROM conversions') . ' conversions of '
	. query('postgres', 'SELECT count(*) FROM converted') . ' characters; those that can change the canonical bytes: '
	. query('postgres', q(SELECT string_agg(x || ' to ' || y, ', ' ORDER BY x, y) FROM (SELECT DISTINCT x, y FROM unsafe) AS u)));
is(query('postgres', <<'SQL'), '', 'text of one kind: no conversion changes its canonical bytes');
SELECT DISTINCT x, y FROM unsafe JOIN encodings AS a ON a.name = x JOIN encodings AS b ON b.name = y
WHERE a.kind = b.kind ORDER BY 1, 2
SQL
is(query('postgres', <<'SQL'), '', 'text of another kind: some conversion changes its canonical bytes, or there is none');
SELECT name FROM encodings AS e
WHERE kind <> 'text' AND EXISTS (SELECT FROM conversions WHERE x = e.name AND y = 'UTF8')
	AND NOT EXISTS (SELECT FROM unsafe JOIN encodings AS other ON other.name IN (x, y)
		WHERE e.name IN (x, y) AND other.kind = 'text')
SQL
is(query('postgres', <<'SQL'), '', 'encodings without a conversion to UTF-8 are of another kind');
SELECT name FROM encodings AS e
WHERE kind = 'text' AND name <> 'UTF8' AND NOT EXISTS (SELECT FROM conversions WHERE x = e.name AND y = 'UTF8')
SQL
is(query('postgres', <<'SQL'), '', 'text of another kind is the same after a detour by way of UTF8');
SELECT there.x, there.bytes FROM converted AS there JOIN converted AS back ON back.x = 'UTF8' AND back.y = there.x
	AND back.bytes = there.result
WHERE there.y = 'UTF8' AND back.there <> there.unicode
SQL
# Characters are converted one by one. This is what everything above assumes.
is(query('postgres', <<'SQL'), '', 'a string is converted like its characters');
SELECT x, y FROM converted JOIN encodings AS a ON a.name = x JOIN encodings AS b ON b.name = y, generate_series(1, 3) AS seed
WHERE result IS NOT NULL AND there IS NOT NULL AND a.kind = b.kind
GROUP BY x, y, seed
HAVING convert_or_null(string_agg(bytes, '' ORDER BY md5(seed::text || bytes::text)), x, y)
	IS DISTINCT FROM string_agg(result, '' ORDER BY md5(seed::text || bytes::text))
SQL

# Tables of all characters that two encodings have, one for each way, and filters of them. Their names are those of the
# two databases.
my @ways = map { [ split(/\|/) ] } split(/\n/, query('postgres', <<'SQL'));
SELECT lower(x), lower(y), count(*), (SELECT kind FROM encodings WHERE name = x), (SELECT kind FROM encodings WHERE name = y)
FROM converted WHERE unicode IS NOT NULL AND there IS NOT NULL GROUP BY x, y ORDER BY x, y
SQL
for my $encoding (@encodings)
{
	my $from = lc $encoding;
	my @tables = map { "$from\_$_->[1]" } grep { $_->[0] eq $from } @ways or next;

	query('postgres', "COPY (SELECT lower(x || '_' || y), bytes FROM converted
		WHERE x = '$encoding' AND unicode IS NOT NULL AND there IS NOT NULL) TO '$folder/$from'");
	query($from, join("\n", "CREATE TABLE characters (name text, bytes bytea); COPY characters FROM '$folder/$from';",
		map { <<SQL } @tables));
CREATE TABLE $_ AS SELECT convert_from(bytes, getdatabaseencoding()) AS key, NULL::bloomfilter AS b, NULL::cuckoofilter AS c
	FROM characters WHERE name = '$_';
INSERT INTO $_ (b, c) SELECT bf_agg(key, NULL, 1e-6), cf_agg(key, NULL, 1e-6) FROM $_;
SQL
}

# arrives DATABASE, TABLE, WAY, NAME: a table of keys and their filters has come. The filters find every key if the kinds
# are the same, and refuse to answer otherwise.
sub arrives
{
	my ($database, $table, $way, $name) = @_;
	my (undef, undef, $count, $there, $here) = @$way;

	$node->psql($database, <<SQL, on_error_stop => 0, stdout => \my $found, stderr => \my $errors);
SELECT count(*) FILTER (WHERE bf_contains(f.b, k.key)) FROM $table AS f, $table AS k WHERE f.b IS NOT NULL AND k.b IS NULL;
SELECT count(*) FILTER (WHERE cf_contains(f.c, k.key)) FROM $table AS f, $table AS k WHERE f.b IS NOT NULL AND k.b IS NULL;
SQL
	my $expected = $there eq $here ? "$count\n$count" : join("\n",
		("filter holds values of kind $there, not $here", 'Use the collation under which the filter was built, or rebuild the filter in this database.') x 2);
	is(join("\n", $found =~ /\S+/g, $errors =~ /(?:ERROR|HINT): +(.*)/g), $expected, $name);
	return;
}

# By postgres_fdw. And filters that are built here of rows from there, and sent there.
SKIP:
{
	skip 'postgres_fdw is not available', 2 * @ways
	  if query('postgres', q(SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw')) == 0;
	my %has_extension;

	for my $way (@ways)
	{
		my ($from, $to, $count, $there, $here) = @$way;
		my $options = "host '@{[ $node->host ]}', port '@{[ $node->port ]}', dbname '$from', fetch_size '20000'";

		query($to, ($has_extension{$to}++ ? '' : 'CREATE EXTENSION postgres_fdw;') . <<SQL);
CREATE SERVER rows_$from FOREIGN DATA WRAPPER postgres_fdw OPTIONS ($options);
CREATE SERVER probes_$from FOREIGN DATA WRAPPER postgres_fdw OPTIONS ($options, extensions 'cuckoo_filter');
CREATE USER MAPPING FOR PUBLIC SERVER rows_$from;
CREATE USER MAPPING FOR PUBLIC SERVER probes_$from;
CREATE FOREIGN TABLE rows_$from (key text, b bloomfilter, c cuckoofilter) SERVER rows_$from OPTIONS (table_name '$from\_$to');
CREATE FOREIGN TABLE probes_$from (key text) SERVER probes_$from OPTIONS (table_name '$from\_$to');
SQL
		arrives($to, "rows_$from", $way, "$from to $to: fetched");
		$node->psql($to, <<SQL, stdout => \my $found, stderr => \my $errors);
SELECT count(*) FROM probes_$from WHERE bf_contains((SELECT bf_agg(key, NULL, 1e-6) FROM rows_$from), key)
SQL
		is(join('', $found, $errors =~ /ERROR: +(.*)/g), $there eq $here ? $count
			: "filter holds values of kind $here, not $there", "$from to $to: sent back");
	}
}

# By a dump, which takes longer: only where the filters can be used.
@ways = grep { $_->[3] eq $_->[4] } @ways;
for my $way (@ways)
{
	my ($from, $to) = @$way;

	$node->run_log([ 'pg_dump', '--table', "$from\_$to", '--file', "$folder/dump.sql", $node->connstr($from) ]);
	$node->run_log([ qw(psql -X -q -f), "$folder/dump.sql", $node->connstr($to) ]);
	arrives($to, "$from\_$to", $way, "$from to $to: restored");
}

# And by subscriptions.
for my $way (@ways)
{
	my ($from, $to) = @$way;
	my $name = "sent_$from\_$to";

	query($from, <<SQL);
CREATE TABLE $name (LIKE $from\_$to);
CREATE PUBLICATION $name FOR TABLE $name WITH (publish = 'insert');
SELECT pg_create_logical_replication_slot('$name', 'pgoutput');
SQL
	query($to, <<SQL);
CREATE TABLE $name (key text, b bloomfilter, c cuckoofilter);
CREATE SUBSCRIPTION $name CONNECTION '@{[ $node->connstr($from) =~ s/'/''/gr ]}' PUBLICATION $name
	WITH (create_slot = false, copy_data = false);
SQL
}
query($_->[0], "INSERT INTO sent_$_->[0]_$_->[1] TABLE $_->[0]_$_->[1]") for @ways;
for my $way (@ways)
{
	my ($from, $to) = @$way;

	$node->wait_for_catchup("sent_$from\_$to");
	arrives($to, "sent_$from\_$to", $way, "$from to $to: replicated");
}

$node->stop('immediate');
done_testing();
