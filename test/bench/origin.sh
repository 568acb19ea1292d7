# shellcheck shell=bash disable=SC2154
# Where measurements come from, for test/bench/run and test/peers/run, as lines of a key, a tab and a value. publish refuses
# tables of different origins. Also the load, that is the number of CPUs that are busy while nothing is measured.

# describe_origin OPTIONS SERVER: of the compiler; the version of the server, if there is one.
describe_origin() {
    local compiler huge_pages=/sys/kernel/mm/transparent_hugepage/enabled

    compiler=$("${CC:-cc}" --version)
    LC_ALL=C lscpu | sed -n 's/^\(Model name\|CPU(s)\|L2 cache\|L3 cache\): *\(.*\)/\1\t\2/p'
    awk '/^MemTotal:/ { printf "memory\t%.0f GB\n", $2 / 1048576 }' /proc/meminfo
    [ ! -r "$huge_pages" ] || printf 'huge pages\t%s\n' "$(sed 's/.*\[\(.*\)\].*/\1/' "$huge_pages")"
    printf 'system\t%s, Linux %s\n' "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)" "$(uname -r)"
    printf 'compiler\t%s\n' "${compiler%%$'\n'*}, $1"
    [ -z "$2" ] || printf 'server\t%s\n' "$2"
    # The commit, and whether the tree differs from it.
    printf 'revision\t%s\n' "$(git -C "$top" describe --always --dirty 2>/dev/null || echo unknown)"
    printf 'date\t%s\n' "$(date +%F)"
}

# other_load: prints the number of CPUs that are busy for two seconds, in which the caller does nothing.
other_load() {
    local before after

    before=$(sed -n '1s/^cpu //p' /proc/stat)
    sleep 2
    after=$(sed -n '1s/^cpu //p' /proc/stat)
    # user, nice, system, idle, iowait, irq, softirq, steal
    echo "$before $after" | awk -v ticks="$(getconf CLK_TCK)" -v count="$(sed -n '1s/^cpu //p' /proc/stat | wc -w)" '{
        for (i = 1; i <= 8; i++)
            if (i != 4 && i != 5)
                busy += $(count + i) - $i
        printf "load\t%.2f\n", busy / ticks / 2
    }'
}
