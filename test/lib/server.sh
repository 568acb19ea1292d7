# shellcheck shell=bash disable=SC2154,SC2034
# Building the extension, installing it into a private copy of PostgreSQL, and starting a temporary server.

# build_extension: compiles out of tree into $module_build. Builds with different options are in different folders,
# since make does not notice a change of options.
build_extension() {
    local makefile_global clang

    module_build=$build/pg$("$pg_config" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/')
    [ "${WERROR-}" != 1 ] || module_build+=-werror
    [ "${VECTORS-}" != 0 ] || module_build+=-plain
    [ "${HOST-}" != portable ] || module_build+=-portable
    [ "${PREFETCH_ALL-}" != 1 ] || module_build+=-prefetch
    # There may be several installations of one major version.
    [ -z "${PG_CONFIG-}" ] || module_build+=-$(cksum <<<"$pg_config" | cut -d ' ' -f 1)
    mkdir -p "$module_build"

    # Bitcode for the JIT requires the version of clang that PostgreSQL was built with.
    makefile_global=$(dirname "$("$pg_config" --pgxs)")/../Makefile.global
    clang=$(sed -n 's/^CLANG *= *//p' "$makefile_global")
    make_options=(PG_CONFIG="$pg_config")
    type -P "${clang:-none}" >/dev/null || make_options+=(with_llvm=no)

    quietly make -s -C "$module_build" -f "$top/Makefile" -j "$(nproc)" "${make_options[@]}"
}

# build_for_server PACKAGE...: the first stages of a script that needs a server: these packages, and the build.
build_for_server() {
    begin_stage packages
    ensure_packages gcc libc6-dev make libxxhash-dev "$@"
    ensure_postgresql
    end_stage

    begin_stage "build for $("$pg_config" --version)"
    build_extension
    end_stage
}

# copy_postgresql: copies PostgreSQL's programs, libraries and shared files into $scratch/root, under the paths they
# have on the machine, and installs the extension into the copy. PostgreSQL locates its files relative to its programs,
# so the copy uses its own. Sets $private_bin to the folder of the copy's programs.
copy_postgresql() {
    local root=$scratch/root option folder

    for option in bindir pkglibdir sharedir; do
        folder=$("$pg_config" --"$option")
        mkdir -p "$root$folder"
        cp -a "$folder/." "$root$folder"
    done
    rm -rf "$root$("$pg_config" --pkglibdir)"/{,bitcode/}cuckoo_filter* \
        "$root$("$pg_config" --sharedir)"/extension/cuckoo_filter*
    private_bin=$root$("$pg_config" --bindir)
    quietly make -s -C "$module_build" -f "$top/Makefile" "${make_options[@]}" DESTDIR="$root" install
    [ "${LIBRARIES-}" != types ] || find "$root" -name "cuckoo_[sj]*.so" -delete
    install_test_libraries
    # The programs of a server with assertions look for libpq where it was built, which the server's user may not read.
    if [ "${ASSERTIONS-}" = 1 ]; then
        LD_LIBRARY_PATH=$root$("$pg_config" --libdir)
        export LD_LIBRARY_PATH
    fi
    own_scratch
}

# install_test_libraries: compiles what tests load into the server, test/lib/*.c, into the copy of PostgreSQL.
install_test_libraries() {
    local source

    for source in "$top"/test/lib/*.c; do
        quietly gcc -O2 -Wall -Werror -fPIC -shared -I "$("$pg_config" --includedir-server)" \
            -o "$scratch/root$("$pg_config" --pkglibdir)/$(basename -s .c "$source").so" "$source"
    done
}

# copy_source: copies the source tree to $scratch/source, for installcheck.
copy_source() {
    mkdir "$scratch/source" "$scratch/checks"
    tar -C "$top" --exclude=./.git --exclude=./build -cf - . | tar -C "$scratch/source" -xf -
    own_scratch
}

# installcheck NAME GOAL VARIABLE=VALUE...: makes installcheck or prove_installcheck in the copy of the source tree, with
# output in a folder of its own. Use through run.
installcheck() {
    # shellcheck disable=SC2016
    as_server sh -c 'mkdir "checks/$1" && cd "checks/$1" && shift && exec make -s -f ../../source/Makefile "$@"' sh "$1" \
        PG_CONFIG="$private_bin/pg_config" "${@:2}"
}

# For start_server: additional lines of configuration, and the program to start instead of postgres.
server_settings=()
server_program=

# start_server: starts a new cluster with a superuser postgres, which listens only on the socket in PGHOST.
start_server() {
    export PGHOST=$scratch PGPORT=54321 PGUSER=postgres

    quietly as_server "$private_bin/initdb" --no-sync --username=postgres --auth=trust --encoding=UTF8 \
        --locale=C.UTF-8 --pgdata="$scratch/data"
    cat >>"$scratch/data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$scratch'
port = $PGPORT
fsync = off
CONF
    [ ${#server_settings[@]} -eq 0 ] || printf '%s\n' "${server_settings[@]}" >>"$scratch/data/postgresql.conf"
    quietly as_server "$private_bin/pg_ctl" --silent --wait --pgdata="$scratch/data" --log="$scratch/server.log" \
        ${server_program:+-p "$server_program"} start
}
