# What make says if a package is missing that the build needs: a pg_config, the server's headers, the header of xxHash.
use strict;
use warnings;

use File::Basename qw(basename dirname);
use File::Spec;
use IPC::Run qw(run);
use PostgreSQL::Test::Utils;
use Test::More;

my $top = File::Spec->rel2abs(dirname(__FILE__) . '/../..');
my $folder = File::Spec->rel2abs(PostgreSQL::Test::Utils::tempdir);
my ($major) = `pg_config --version` =~ /(\d+)/;

# make_fails PG_CONFIG: what the build prints, with this pg_config.
sub make_fails
{
	my $out;

	ok(!run([ 'make', '-C', $folder, '-f', "$top/Makefile", "PG_CONFIG=$_[0]" ], '>&', \$out), "make fails with $_[0]");
	return $out;
}

# pg_config OPTIONS: a program that says, for these, that what it is asked for is in an empty folder.
sub pg_config
{
	my $program = "$folder/pg_config";

	mkdir "$folder/empty";
	PostgreSQL::Test::Utils::append_to_file($program, "#!/bin/sh\ncase \$1 in $_[0]) echo '$folder/empty/pgxs.mk' ;;\n*) exec pg_config \"\$@\" ;; esac\n");
	chmod 0755, $program;
	return $program;
}

my $packages = qr/install postgresql-server-dev-$major .*, postgresql$major-devel .* or postgresql$major-dev /;

like(make_fails("$folder/none"), qr/cannot run "\Q$folder\E\/none --pgxs": install postgresql-server-dev-N /, 'without pg_config');
like(make_fails(pg_config('--pgxs')), qr/\Q$folder\E\/empty\/pgxs\.mk is missing: $packages/, 'without PGXS');
unlink "$folder/pg_config";
my $out = make_fails(pg_config('--*include*'));
like($out, qr/postgres\.h is missing: $packages/, 'without the headers');
unlike($out, qr/No such file/, 'nothing is compiled without them');

# All headers of the system, and then all but this one.
mkdir "$folder/include";
symlink $_, "$folder/include/" . basename($_) for glob('/usr/include/*');
chomp(my @of_compiler = (`cc -print-file-name=include`, `cc -print-multiarch`));
my @compile = ('cc', '-fsyntax-only', '-nostdinc', "-I$top/src", map { ('-isystem', $_) } $of_compiler[0], "$folder/include");
push @compile, '-isystem', "/usr/include/$of_compiler[1]" if ($of_compiler[1] // '') ne '';
run([ @compile, "$top/src/core/hash.c" ], '>&', \$out);
SKIP:
{
	skip 'the headers of the system are elsewhere', 1 if $out ne '';
	unlink "$folder/include/xxhash.h";
	run([ @compile, "$top/src/core/hash.c" ], '>&', \$out);
	like($out, qr/xxhash\.h is missing: install libxxhash-dev /, 'without the header of xxHash');
}

done_testing();
