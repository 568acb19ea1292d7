# Compiled queries: with JIT compilation and inlining of everything, the results are those without. The functions of the library
# that are chosen for the CPU are inlined, too, if the bitcode of the extension is installed.
# Needs: the libraries of scans and joins
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

sub query { return $node->safe_psql('postgres', $_[0]) }

plan(skip_all => 'the server has no JIT compiler') if query('SELECT pg_jit_available()') ne 't';

query(<<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TABLE numbers AS SELECT n, n::text AS t, n % 10 AS g FROM generate_series(1, 50000) n;
CREATE TABLE filters AS SELECT g, bf_agg(n) AS b, cf_agg(n) AS c, bf_agg(t, 10000, 0.001) AS bt, cf_agg(t, 10000, 0.001) AS ct
	FROM numbers WHERE g IN (0, 3) AND n <= 40000 GROUP BY g;
ANALYZE;
SQL

my @statements = (
	map({ my $filter = $_;
			map { "SELECT count(*), sum(n) FROM numbers WHERE $_" }
				"bf_contains((SELECT b FROM filters WHERE g = $filter), n)", "cf_contains((SELECT c FROM filters WHERE g = $filter), n)",
				"(SELECT bt FROM filters WHERE g = $filter) @> t", "(SELECT ct FROM filters WHERE g = $filter) @> t AND n % 7 = 0" } 0, 3),
	'SELECT numbers.g, count(*) FROM numbers, filters WHERE bf_contains(b, n) AND cf_contains(c, n) GROUP BY 1 ORDER BY 1',
	'SELECT g, bf_agg(n)::text, cf_agg(n)::text FROM numbers GROUP BY g ORDER BY g',
	'SELECT cf_add_all(c, ARRAY[1, 2, 3])::text, cf_delete(c, 10)::text, bf_add(b, 77)::text FROM filters ORDER BY g');

# A value of another type, in a compiled expression.
my $mistake = 'SELECT bf_contains(bt, n) FROM filters, numbers';

my $outcome = sub {
	my ($jit, $scan, $statement) = @_;
	my ($code, $output, $errors) = $node->psql('postgres', <<"SQL");
SET jit = $jit;
SET jit_above_cost = 0;
SET jit_inline_above_cost = 0;
SET jit_optimize_above_cost = 0;
SET cuckoo_scan.enable_filter_scan = $scan;
$statement;
SQL
	$errors =~ s/^psql:<stdin>:\d+: //mg;
	return "$output\n$errors";
};

for my $statement (@statements, $mistake)
{
	my $expected = $outcome->('off', 'off', $statement);
	($statement eq $mistake ? \&like : \&unlike)->($expected, qr/ERROR/, "not compiled: $statement");
	is($outcome->('on', $_, $statement), $expected, "compiled, filter scan $_: $statement") for 'on', 'off';
}
like(query("SET jit_above_cost = 0; EXPLAIN (ANALYZE) $statements[0]"), qr/JIT:/, 'such statements are compiled');
like(query("SET jit_above_cost = 0; SET jit_inline_above_cost = 0; EXPLAIN (ANALYZE) $statements[0]"),
	qr/Inlining true/, 'and functions are inlined');

# Nothing is compiled for each group without rows, or for each empty frame of a window.
for my $query (
	'SELECT bf_agg(n, 100, 0.02) FILTER (WHERE n < 0) FROM numbers WHERE n <= %d GROUP BY n',
	'SELECT cf_agg(n, 100) OVER (ORDER BY n ROWS BETWEEN 2 PRECEDING AND 3 PRECEDING) FROM numbers WHERE n <= %d',
	'SELECT o.n, f FROM numbers o, LATERAL (SELECT bf_agg(i.g, 100) AS f FROM filters i WHERE i.g < -o.n) AS s WHERE o.n <= %d',
	'SELECT (SELECT cf_agg(i.g, 100, 0.02) FROM filters i WHERE i.g < -o.n) FROM numbers o WHERE n <= %d')
{
	my @compiled = map { query('SET jit_above_cost = 0; EXPLAIN (ANALYZE) ' . sprintf($query, $_)) =~ /Functions: (\d+)/ } 10, 300;

	cmp_ok($compiled[1], '<', $compiled[0] + 10, "no function for each: $query");
}

done_testing();
