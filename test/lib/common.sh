# shellcheck shell=bash
# Common to all test scripts and the demo: output, signals, child processes, the temporary folder.
#
# Everything that a script starts is below $scratch: the copy of PostgreSQL, the data folders, the sockets. However the
# script ends, even by Ctrl-C, every server below $scratch is stopped and the folder is removed.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
build=$top/build
scratch=
child=

mkdir -p "$build"
shopt -s nullglob
export LC_ALL=C.UTF-8
unset MAKEFLAGS MFLAGS MAKELEVEL

# The caller's PGHOST, PGOPTIONS and the like must not apply to the temporary server; PG_CONFIG and PG_MAJOR are ours.
for variable in "${!PG@}"; do
    [[ $variable == PG_* ]] || unset "$variable"
done

die() {
    printf '%s\n' "$*" >&2
    exit 1
}

# set_seconds DEFAULT: sets for how long a suite runs: make's SECONDS, by the name that make passes it under.
set_seconds() {
    seconds=${CUCKOO_FILTER_SECONDS:-$1}
    [[ $seconds =~ ^[1-9][0-9]*$ ]] || die "SECONDS must be a number of seconds, not \"$seconds\"."
}

# begin_stage NAME, end_stage: print a stage's name, and how long it took.
begin_stage() {
    stage=$1
    stage_start=${EPOCHREALTIME/[.,]/}
    printf '== %s\n' "$stage"
}

end_stage() {
    local ms=$(((${EPOCHREALTIME/[.,]/} - stage_start) / 1000))

    printf '   %s: %d.%d s\n' "$stage" $((ms / 1000)) $((ms % 1000 / 100))
}

# start COMMAND...: starts it in a process group of its own, so that a signal ends this script at once, and with it all
# processes of the command, however many levels of make and pg_regress are in between.
start() {
    set -m
    "$@" </dev/null &
    child=$!
    set +m
}

# run COMMAND...: starts it, and waits for its end.
run() {
    local status=0

    start "$@"
    wait "$child" || status=$?
    child=
    return "$status"
}

# quietly COMMAND...: like run, but shows the output only if the command fails.
quietly() {
    local status=0 log=$build/log

    run "$@" >"$log" 2>&1 || status=$?
    [ "$status" -eq 0 ] || cat "$log"
    return "$status"
}

# The user that servers run as, since PostgreSQL refuses to run as root; empty: the current user.
server_user=
if [ "$(id -u)" -eq 0 ]; then
    server_user=nobody
fi

# as_server COMMAND...: runs it as the server's user, in $scratch, since that user may not be able to read the source
# tree. Use through run.
as_server() {
    cd "$scratch" || return
    export HOME=$scratch TMPDIR=$scratch/tmp
    if [ -n "$server_user" ]; then
        export USER=$server_user LOGNAME=$server_user
        exec setpriv --reuid="$server_user" --regid="$(id -g "$server_user")" --init-groups -- "$@"
    fi
    exec "$@"
}

# Creates $scratch in the first folder where the server's user may run programs and the path of a socket fits.
make_scratch() {
    local base

    if [ -n "$server_user" ] && id postgres >/dev/null 2>&1; then
        server_user=postgres
    fi
    for base in "${TMPDIR:-/tmp}" /tmp /var/tmp; do
        [ ${#base} -le 40 ] || continue
        scratch=$(mktemp -d "$base/cuckoo_filter.XXXXXX" 2>/dev/null) || continue
        mkdir "$scratch/tmp"
        cp "$(type -P true)" "$scratch/probe"
        own_scratch
        # Through a shell: setpriv itself can enter folders that the user cannot.
        if (as_server sh -c "'$scratch/probe'") 2>/dev/null; then
            rm "$scratch/probe"
            return
        fi
        rm -rf "$scratch"
        scratch=
    done
    die "No folder for temporary files where ${server_user:-this user} can run a server; set TMPDIR to one."
}

# Makes the server's user the owner of everything in $scratch.
own_scratch() {
    [ -z "$server_user" ] || chown -hR "$server_user:" "$scratch"
}

# Stops every server whose data folder is below $scratch, including those of the TAP tests.
stop_servers() {
    local pid_file pid tries

    while IFS= read -r pid_file; do
        pid=$(head -n 1 "$pid_file" 2>/dev/null) || continue
        # A server's working directory is its data folder. So it is the server, not a later process of that number.
        [ "$(readlink "/proc/$pid/cwd")" = "$(dirname "$pid_file")" ] || continue
        kill -INT "$pid" 2>/dev/null || continue
        for ((tries = 0; tries < 100; tries++)); do
            { [ -e "$pid_file" ] && kill -0 "$pid" 2>/dev/null; } || break
            [ "$tries" -ne 50 ] || kill -QUIT "$pid" 2>/dev/null || true
            sleep 0.1
        done
    done < <(find "$scratch" -name postmaster.pid 2>/dev/null)
}

clean_up() {
    trap '' INT TERM HUP
    [ -z "$child" ] || kill -TERM -- "-$child" 2>/dev/null || true
    [ -z "$scratch" ] || stop_servers
    if [ -n "$child" ]; then
        kill -KILL -- "-$child" 2>/dev/null || true
        wait "$child" 2>/dev/null || true
    fi
    [ -z "$scratch" ] || rm -rf "$scratch"
}

# Called last, after clean_up, with the script's exit status. A script may define its own.
on_exit() {
    return "$1"
}

leave() {
    local status=$?

    clean_up
    on_exit "$status"
}

trap leave EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
