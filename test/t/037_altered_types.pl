# Another session alters a row type while its values are hashed: an error, and no filter of two definitions.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Session;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
# wait_for_other() lets the other session alter the type, and then opens a table, by which the session learns of it.
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TABLE unrelated (i integer);
CREATE FUNCTION wait_for_other() RETURNS integer LANGUAGE plpgsql AS $$BEGIN
    PERFORM pg_advisory_lock(1), pg_advisory_unlock(1);
    PERFORM FROM unrelated;
    RETURN 0;
END$$;
SQL

my $stored = 'SELECT CASE WHEN i = 3 THEN wait_for_other() ELSE 0 END AS waited, v FROM pairs ORDER BY i OFFSET 0';
my $made = 'SELECT CASE WHEN i = 3 THEN wait_for_other() ELSE 0 END AS waited, ROW(i, i)::pair AS v FROM generate_series(1, 9) i OFFSET 0';
my %rows = ('of a table' => $stored, 'of a row constructor' => $made);
my %query = (
	'bf_agg' => 'SELECT bf_cardinality(bf_agg(v)) FROM (%s) q WHERE waited = 0',
	'cf_agg' => 'SELECT cf_cardinality(cf_agg(v)) FROM (%s) q WHERE waited = 0',
	'of an array' => 'SELECT bf_cardinality(bf_agg(ARRAY[v])) FROM (%s) q WHERE waited = 0',
	'of a row' => 'SELECT bf_cardinality(bf_agg(ROW(1, v))) FROM (%s) q WHERE waited = 0',
	'bf_contains' => 'SELECT count(*) FROM (%s) q, filters WHERE waited = 0 AND bf_contains(f, v)',
	'cf_add' => 'SELECT count(cf_add(cf_create(9), v)) FROM (%s) q WHERE waited = 0');
my %alteration = (
	'an attribute more' => 'ADD ATTRIBUTE c integer',
	'an attribute less' => 'DROP ATTRIBUTE a',
	'another type' => 'ALTER ATTRIBUTE b TYPE text');

my $waiting = q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted;};
my ($one, $other) = (session($node), session($node));
for my $alteration (sort keys %alteration)
{
	for my $rows (sort keys %rows)
	{
		# PostgreSQL does not allow it where a table has the type.
		next if $alteration eq 'another type' && $rows eq 'of a table';
		for my $query (sort keys %query)
		{
			answer($other, <<'SQL');
SET client_min_messages = warning;
DROP TABLE IF EXISTS pairs, filters;
DROP TYPE IF EXISTS pair;
CREATE TYPE pair AS (a integer, b integer);
CREATE TABLE filters AS SELECT bf_agg(ROW(i, i)::pair) AS f FROM generate_series(1, 9) i;
SQL
			answer($other, 'CREATE TABLE pairs AS SELECT i, ROW(i, i)::pair AS v FROM generate_series(1, 9) i;')
				if $rows eq 'of a table';
			answer($other, 'SELECT pg_advisory_lock(1);');
			ask($one, sprintf("$query{$query};", $rows{$rows}));
			1 until has_answered($one) || answer($other, $waiting) eq "t\n";
			is(answer($other, "ALTER TYPE pair $alteration{$alteration};"), '', "$alteration, $query, $rows: altered");
			answer($other, 'SELECT pg_advisory_unlock(1);');
			like(rest($one), qr/ERROR:  type pair was altered/, "$alteration, $query, $rows");
		}
	}
}
leave($one);
leave($other);
$node->stop;
done_testing();
