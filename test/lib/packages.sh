# shellcheck shell=bash disable=SC2154
# Finding and installing the Debian or Ubuntu packages that the build and the tests need.

# shellcheck source=test/lib/source.sh
. "$(dirname "${BASH_SOURCE[0]}")/source.sh"

create_cluster_folder=/etc/postgresql-common/createcluster.d
create_cluster_file=$create_cluster_folder/cuckoo_filter-test.conf

has_package() {
    [[ $(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null) == ?i* ]]
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

can_be_root() {
    [ "$(id -u)" -eq 0 ] || { command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; }
}

update_package_lists() {
    can_be_root || return 0
    as_root apt-get -qq -o DPkg::Lock::Timeout=300 update ||
        echo "apt-get update failed; continuing with the existing package lists" >&2
}

# Prints the newest installed major version of the server whose headers are installed or available.
installed_major() {
    local postgres major

    while IFS= read -r postgres; do
        major=${postgres#/usr/lib/postgresql/}
        major=${major%%/*}
        if has_package "postgresql-server-dev-$major" ||
            apt-cache show "postgresql-server-dev-$major" >/dev/null 2>&1; then
            echo "$major"
            return
        fi
    done < <(find /usr/lib/postgresql -path '*/bin/postgres' 2>/dev/null | sort -t / -k 5,5nr)
}

# Prints the major version of the distribution's metapackage.
default_major() {
    apt-cache show --no-all-versions postgresql 2>/dev/null |
        sed -n 's/^Depends:.*postgresql-\([0-9][0-9]*\).*/\1/p'
}

# Prints the packages among the arguments that are not installed.
missing_packages() {
    local package

    for package in "$@"; do
        has_package "$package" || printf '%s ' "$package"
    done
}

# Installs packages, without the default cluster that a server package creates and starts.
install_packages() {
    local log=$build/apt.log new_folder=

    if ! can_be_root; then
        die "Missing packages: $*
Install them as root: apt-get install --no-install-recommends $*"
    fi
    echo "   installing: $*"
    [ -d "$create_cluster_folder" ] || new_folder=yes
    (
        trap restore_create_cluster EXIT
        as_root mkdir -p "$create_cluster_folder" &&
            echo 'create_main_cluster = false' | as_root tee "$create_cluster_file" >/dev/null &&
            as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 apt-get -qq -y \
                -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@" >"$log" 2>&1 </dev/null
    ) || {
        cat "$log" >&2
        die "Could not install: $*"
    }
}

restore_create_cluster() {
    as_root rm -f "$create_cluster_file"
    [ -z "$new_folder" ] || as_root rmdir --ignore-fail-on-non-empty "$create_cluster_folder"
}

# ensure_packages PACKAGE...: installs those that are missing; prints nothing if none are.
ensure_packages() {
    local missing

    if ! command -v dpkg-query >/dev/null; then
        echo "   not Debian or Ubuntu: assuming that the content of these packages is installed: $*"
        return
    fi
    read -ra missing <<<"$(missing_packages "$@")"
    [ ${#missing[@]} -ne 0 ] || return 0
    [ -n "${lists_updated-}" ] || update_package_lists
    lists_updated=yes
    install_packages "${missing[@]}"
}

# ensure_clang PACKAGE...: also installs clang, and its run-time libraries for sanitizers and fuzzing, which some
# releases have in a separate package.
ensure_clang() {
    ensure_packages clang "$@"
    if command -v dpkg-query >/dev/null && { has_package libclang-rt-dev || apt-cache show libclang-rt-dev; } \
        >/dev/null 2>&1; then
        ensure_packages libclang-rt-dev
    fi
}

# ensure_postgresql: sets pg_config; installs a server and its headers if necessary. PG_CONFIG selects an installation, PG_MAJOR
# a major version, and ASSERTIONS=1 a server that is built with assertions.
ensure_postgresql() {
    local major=${PG_MAJOR-}

    pg_config=${PG_CONFIG-}
    if [ -z "$pg_config" ] && command -v dpkg-query >/dev/null; then
        [ -n "$major" ] || major=$(installed_major)
        if [ -z "$major" ]; then
            update_package_lists
            lists_updated=yes
            major=$(default_major)
        fi
        [ -n "$major" ] || die "No PostgreSQL is installed, and apt offers none."
        if [ "${ASSERTIONS-}" = 1 ]; then
            ensure_assertions "$major"
        else
            ensure_packages "postgresql-$major" "postgresql-server-dev-$major"
            pg_config=/usr/lib/postgresql/$major/bin/pg_config
        fi
    fi
    pg_config=$(type -P "${pg_config:-pg_config}") || die "No pg_config found; set PG_CONFIG."
    [ -f "$("$pg_config" --pgxs)" ] || die "The server headers for $pg_config are not installed."
}

# install_hint_plan: installs pg_hint_plan for a server of Debian or Ubuntu that has it, for test/t/035_plan_hints.pl.
install_hint_plan() {
    local package

    [[ $pg_config =~ ^/usr/lib/postgresql/([0-9]+)/ ]] || return 0
    package=postgresql-${BASH_REMATCH[1]}-pg-hint-plan
    ! apt-cache show "$package" >/dev/null 2>&1 || ensure_packages "$package"
}

# install_for_clients: installs what test/t/026_clients.pl needs for the packages of $scratch/source, or prints why it cannot
# be installed; the test then omits that package.
install_for_clients() {
    local folder=$scratch/source/clients/javascript

    (ensure_packages python3-xxhash python3-numpy) || true
    (ensure_packages nodejs) || true
    [ "${CUCKOO_FILTER_FULL-}" != 1 ] ||
        (ensure_packages chromium python3-setuptools python3-wheel python3-pip python3-venv) || true
    # Older versions of Node have no test runner.
    if node -e 'process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)' 2>/dev/null; then
        type -P npm >/dev/null || (ensure_packages npm) || true
        quietly npm install --prefix "$folder" --omit=dev --no-audit --no-fund --ignore-scripts --fetch-retries=1 ||
            echo 'npm cannot install the dependencies of the client in JavaScript'
    fi
    own_scratch
}
