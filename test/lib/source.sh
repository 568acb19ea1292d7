# shellcheck shell=bash disable=SC2154,SC2034
# PostgreSQL's own sources, a server with assertions that is built from them, and the headers of other versions. The sources are
# those of Debian's source package, without Debian's patches: with these, a build installs libraries over those of the machine's
# server, whatever its prefix is.
#
# Environment: POSTGRESQL_SOURCE (a source tree to use instead), XDG_CACHE_HOME (where the server is kept).

# own_apt FOLDER: sets apt_options to those of an apt in FOLDER, which has its own lists, and no package sources yet.
own_apt() {
    mkdir -p "$1"/{parts,lists/partial,cache/archives/partial}
    apt_options=(-qq -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$1/parts" -o "Dir::State::lists=$1/lists"
        -o "Dir::Cache=$1/cache" -o Dir::State::status=/dev/null -o Acquire::Languages=none -o APT::Sandbox::User=root)
}

# add_sources FOLDER: writes deb-src lines for the machine's package sources to files in FOLDER/parts.
add_sources() {
    local file

    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ ! -s "$file" ] || sed -n 's/^deb /deb-src /p' "$file" >"$1/parts/$(basename "$file" .list).list"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        sed 's/^Types:.*/Types: deb-src/' "$file" >"$1/parts/$(basename "$file")"
    done
}

# fetch_postgresql_source MAJOR FOLDER: puts the sources into a new FOLDER/source.
fetch_postgresql_source() (
    local major=$1 folder=$2 candidate apt_options

    # "set -e" has no effect in what is called before "&&" or "||".
    rm -rf "$folder" && mkdir -p "$folder/source" && cd "$folder" || exit
    if [ -n "${POSTGRESQL_SOURCE-}" ]; then
        tar -C "$POSTGRESQL_SOURCE" --exclude=./.git -cf - . | tar -C source --no-same-owner -xf -
        exit
    fi
    own_apt "$folder/apt" && add_sources apt && apt-get "${apt_options[@]}" update || exit
    # The mirror may not have the source of the newest version.
    for candidate in $(apt-cache "${apt_options[@]}" showsrc "postgresql-$major" | sed -n 's/^Version: //p' | sort -Vr); do
        apt-get "${apt_options[@]}" source --download-only "postgresql-$major=$candidate" && break
    done
    tar -C source --strip-components=1 --no-same-owner -xf postgresql-"$major"_*.orig.tar.* ||
        die "apt has no source package of PostgreSQL $major; set POSTGRESQL_SOURCE to a tree from https://www.postgresql.org/ftp/source/"
    rm -rf apt postgresql*
)

# fetch_headers FOLDER: unpacks the headers of each major that newer suites of Debian have into a new FOLDER, without installing
# anything. There are none on other systems.
fetch_headers() (
    local keys=/usr/share/keyrings/debian-archive-keyring.gpg mirror packages package apt_options

    rm -rf "$1" && mkdir -p "$1" && cd "$1" && own_apt "$1/apt" || exit
    # shellcheck disable=SC2016
    mirror=$(. /etc/os-release && apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $VERSION_CODENAME" \
        2>/dev/null | head -n 1)
    [ -e "$keys" ] && [ -n "$mirror" ] || exit 0
    printf "deb [signed-by=$keys] $mirror %s main\n" stable unstable experimental >apt/parts/suites.list
    apt-get "${apt_options[@]}" update || exit
    mapfile -t packages < <(apt-cache "${apt_options[@]}" pkgnames postgresql-server-dev- | grep '[0-9]$')
    apt-get "${apt_options[@]}" download "${packages[@]}" || exit
    for package in *.deb; do
        dpkg-deb -x "$package" . || exit
    done
    rm -rf apt ./*.deb
    # They are configured for compilers and C libraries of those suites.
    sed -i -E 's/^(#define HAVE_DECL_STRLC(PY|AT)) 1/\1 0/; s/^#define HAVE_TYPEOF_UNQUAL 1/#define typeof_unqual typeof/' \
        usr/include/postgresql/*/server/pg_config.h
)

# build_with_assertions MAJOR FOLDER: installs a server in FOLDER/pgsql, and last its list of suppressions for valgrind. It also
# overwrites memory that is freed, and tells valgrind what is allocated within its blocks of memory. The setting
# debug_discard_caches has an effect at one of 16 points, so that tests with it take minutes and not days.
build_with_assertions() (
    fetch_postgresql_source "$1" "$2" && cd "$2/source" &&
        sed -i 's/if (recursion_depth < debug_discard_caches)/if (recursion_depth < debug_discard_caches \&\& random() % 16 == 0)/' \
            src/backend/utils/cache/inval.c && grep -q 'random() % 16' src/backend/utils/cache/inval.c &&
        ./configure --quiet --prefix="$2/pgsql" --enable-cassert --enable-debug --enable-tap-tests --with-icu --without-readline \
            --without-zlib CPPFLAGS=-DUSE_VALGRIND CFLAGS='-O1 -g' &&
        make -s -j "$(nproc)" install && make -s -j "$(nproc)" -C contrib install &&
        cp src/tools/valgrind.supp "$2/pgsql" && rm -rf "$2/source"
)

# ensure_assertions MAJOR: sets PG_CONFIG and pg_config to a server with assertions, which later runs use, too.
ensure_assertions() {
    local folder

    [ -z "${POSTGRESQL_SOURCE-}" ] || set -- "$(sed -n "s/^PACKAGE_VERSION='\([0-9]*\).*/\1/p" "$POSTGRESQL_SOURCE/configure")"
    folder=${XDG_CACHE_HOME:-$HOME/.cache}/cuckoo_filter/assertions/$1
    if [ ! -e "$folder/pgsql/valgrind.supp" ]; then
        ensure_packages gcc libc6-dev make bison flex perl pkg-config libicu-dev libipc-run-perl valgrind bzip2
        echo "   building PostgreSQL $1 with assertions: $folder"
        quietly build_with_assertions "$1" "$folder" || exit
    fi
    PG_CONFIG=$folder/pgsql/bin/pg_config
    pg_config=$PG_CONFIG
}
