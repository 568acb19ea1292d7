# The clients in Python and JavaScript agree with the golden vectors, give the server's answers for values and filters of
# every kind that they support, and build the images that the server builds.
use strict;
use warnings;

use Cwd qw(abs_path);
use FindBin;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $top = abs_path("$FindBin::Bin/../..");
my $seed = $ENV{CUCKOO_FILTER_SEED} || 1;
my $cases = PostgreSQL::Test::Utils::tempdir() . '/cases.json';

# The function of the recipe for keys of any case, in each language.
my ($recipe) = slurp_file("$top/docs/recipes.md") =~ /^## Case-insensitive keys\n(.*?)^## /ms or die 'no recipe';
my @folded = map { $recipe =~ /^```$_\n(.*?)^(?:```)?$/ms or die "no $_"; "--set=folded_$_=$1" } qw(sql python js);

# Debian's packages are for its own Python.
my $python = -x '/usr/bin/python3' ? '/usr/bin/python3' : 'python3';

# Whether a command succeeds, and its output.
sub succeeds
{
	my ($command, $output) = @_;
	my $text = '';
	my $done = eval { IPC::Run::run($command, '>', \$text, '2>&1') };

	$$output = $text . ($@ // '') if defined $output;
	return $done;
}

my $has_python = succeeds([ $python, '-c', 'import sys, xxhash; assert sys.version_info >= (3, 9)' ]);
my $has_numpy = succeeds([ $python, '-c', 'import numpy' ]);
my $has_node = succeeds([ 'node', '-e', 'process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)' ]);
my $has_hash = $has_node &&
  succeeds([ 'sh', '-c', 'cd "$1" && node -e "import(\'hash-wasm\')"', 'sh', "$top/clients/javascript" ]);

# For the page of the demo.
my $has_chromium = grep { succeeds([ $_, '--version' ]) } 'chromium', 'chromium-browser';

plan skip_all => 'neither Python 3.9 with xxhash nor Node 18 with hash-wasm is installed' if !$has_python && !$has_hash;

my $node = PostgreSQL::Test::Cluster->new('clients');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->start;
# Where lower() knows all letters, if the system has such a locale.
my $database = ($node->psql('postgres', "CREATE DATABASE unicode TEMPLATE template0 LC_CTYPE 'C.UTF-8'"))[0] ? 'postgres' : 'unicode';
my $errors;
ok( IPC::Run::run([
			'psql', '--no-psqlrc', '--dbname', $node->connstr($database), '--set=ON_ERROR_STOP=1',
			'--set=seed=' . ($seed % 1000 / 1000), '--set=geometries=' . ($ENV{CUCKOO_FILTER_FULL} ? 4000 : 300),
			@folded, '--file', "$top/test/clients/cases.sql" ],
		'>', $cases, '2>', \$errors),
	'the server makes the cases') or diag($errors);
$node->stop;

local $ENV{CUCKOO_FILTER_CASES} = $cases;
local $ENV{CUCKOO_FILTER_GOLDEN} = "$top/test/golden";
local $ENV{PYTHONDONTWRITEBYTECODE} = 1;
local $ENV{PYTHONPATH} = "$top/clients/python/src";

SKIP:
{
	my $output;

	skip 'Python 3.9 with xxhash is not installed', 1 if !$has_python;
	ok(succeeds([ $python, '-m', 'unittest', 'discover', '--start-directory', "$top/clients/python/tests" ], \$output),
		'the client in Python') or diag($output);
	my ($run) = $output =~ /^Ran ([0-9]+) tests/m;
	my ($skipped) = $output =~ /skipped=([0-9]+)/;
	is($skipped // 0, $has_numpy ? 0 : 3, 'no test was left out');
	diag("Python: $run tests, " . ($has_numpy ? 'with and without numpy' : 'without numpy'));
}

# The packages are built, and that for Python installed and tested, without a network, and with Debian's package of xxhash.
SKIP:
{
	my ($folder, $output) = (PostgreSQL::Test::Utils::tempdir());

	skip 'setuptools, wheel, pip or venv is not installed', 1
	  if !$has_python || !succeeds([ $python, '-c', 'import setuptools, wheel, pip, ensurepip' ]);
	ok( succeeds([ 'sh', '-ec', <<'SH', 'sh', "$top/clients/python", $folder, $python ], \$output), 'the packages for Python') or diag($output);
cp -r "$1" "$2/source"
cd "$2/source"
unset PYTHONPATH CUCKOO_FILTER_GOLDEN CUCKOO_FILTER_CASES
"$3" -c 'from setuptools import build_meta as build; build.build_sdist(".."); build.build_wheel("..")'
cd ..
"$3" -m venv --system-site-packages venv
venv/bin/pip install -q --no-index ./*.whl
tar -xzf ./*.tar.gz
cd cuckoo-filter-client-*/
../venv/bin/python -m unittest discover -s tests
SH
	like($output, qr/^Ran \d\d tests.*^OK/ms, 'the tests in the source distribution');
}

SKIP:
{
	my ($folder, $output) = (PostgreSQL::Test::Utils::tempdir());

	skip 'npm is not installed', 1 if !succeeds([ 'npm', '--version' ]);
	ok(succeeds([ 'sh', '-ec', 'cd "$1" && npm pack --offline --silent --pack-destination "$2" && tar -tzf "$2"/*.tgz', 'sh',
			"$top/clients/javascript", $folder ], \$output), 'the package for JavaScript') or diag($output);
	like($output, qr{^package/$_$}m, "it has $_") for 'index.d.ts', 'src/index.js', 'README.md', 'LICENSE';
}

SKIP:
{
	my $output;

	skip 'Node 18 with hash-wasm is not installed', 1 if !$has_hash;
	ok(succeeds([ 'node', '--test', glob("$top/clients/javascript/test/*.test.js") ], \$output), 'the client in JavaScript')
	  or diag($output);
	my %count = $output =~ /^\W+ (tests|skipped) ([0-9]+)$/mg;
	is($count{skipped}, $has_chromium ? 0 : 3, 'no test was left out');
	diag("JavaScript: $count{tests} tests, " . ($has_chromium ? 'some in Chromium' : 'without Chromium'));
}

done_testing();
