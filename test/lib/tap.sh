# shellcheck shell=bash disable=SC2154
# Running tests with prove and pg_regress, and counting their results in passed and failed. Includes what is common to all
# scripts, and what installs, builds and starts servers.
lib=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=test/lib/common.sh
. "$lib/common.sh"
# shellcheck source=test/lib/packages.sh
. "$lib/packages.sh"
# shellcheck source=test/lib/server.sh
. "$lib/server.sh"

passed=0
failed=0

# Where a failing test's output is kept.
results=$build/results
mkdir -p "$results"

# What ran when on this machine: a line with the date, the revision, the command and the result.
runs=$build/runs
touch "$runs"
revision=$(git -C "$top" describe --always --dirty --exclude='*' -- 2>/dev/null || echo unknown)
this_run="$revision $0 $*"

# A script that counts tests ends with the counts as its last line, and as its exit status.
on_exit() {
    conclude "$1"
}

conclude() {
    # From 129 on: ended by a signal, so there is no verdict.
    [ "$1" -lt 129 ] || exit "$1"
    if [ "$1" -ne 0 ] && [ "$failed" -eq 0 ]; then
        failed=1
    fi
    printf '%(%F)T %s: %d passed, %d failed\n' -1 "$this_run" "$passed" "$failed" >>"$runs"
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ] || exit 1
}

# What prove shows, besides a line with the time for each program: tests that failed, and why others were skipped.
prove_flags=(-j "${JOBS:-$(nproc)}" --failures --directives --timer)

# shown FILE COMMAND...: copies the command's output to a file. Use through run.
shown() {
    set +m
    ("${@:2}") 2>&1 | tee "$1"
}

# add_counts STATUS OK BAD: a command that fails has at least one failed test. Returns whether no test failed.
add_counts() {
    local bad=$3

    [ "$1" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
    passed=$((passed + $2))
    failed=$((failed + bad))
    [ "$bad" -eq 0 ]
}

# run_prove NAME COMMAND...: runs a command whose output is prove's, and counts the tests; skipped ones are in neither count.
# A program that dies, or does not run the planned tests, has at least one failed test. If a test failed, the status is 1 and
# the output is in $results/NAME.out.
run_prove() {
    local output=$results/$1.out status=0 ok bad

    run shown "$output" "${@:2}" || status=$?
    read -r ok bad < <(awk '
        tolower($0) ~ /^(not )?ok .*# *(skip|todo)/ { skipped++ }
        /\(Wstat: .* Failed: [0-9]+\)$/ { of_program = $NF + 0; bad += of_program; all_bad += of_program }
        /^  (Non-zero|Parse errors)/ && of_program == 0 { of_program = 1; bad++ }
        /^Files=[0-9]+, Tests=[0-9]+/ { split($2, tests, /[=,]/) }
        END { print tests[2] == "" ? "0 1" : tests[2] - all_bad - skipped " " bad + 0 }' "$output")
    add_counts "$status" "$ok" "$bad" && rm "$output"
}

# run_unit FOLDER RUNNER MAKE_OPTION...: builds the unit tests in build/FOLDER and runs them, through the command RUNNER
# unless that is empty, except those in skipped_units.
run_unit() {
    local folder=$build/$1 runner=$2 source name programs=()

    quietly make -s -C "$top/test/unit" -j "$(nproc)" BUILD="$folder" "${@:3}"
    for source in "$top"/test/unit/test_*.c; do
        name=$(basename "$source" .c)
        [[ " ${skipped_units-} " == *" $name "* ]] || programs+=("$folder/$name")
    done
    run_prove "$1" prove "${prove_flags[@]}" --exec "$runner" "${programs[@]}" || true
}

# run_taps TEST...: runs tests of test/t, and keeps the logs of those that fail. Use after copy_source and copy_postgresql.
run_taps() {
    local files=("${@/#/test/t/}") name

    ! run_prove tap installcheck tap prove_installcheck PROVE_FLAGS="${prove_flags[*]}" PROVE_TESTS="${files[*]/%/.pl}" ||
        return 0
    while read -r name; do
        mkdir -p "$results/$name"
        cp -r "$scratch"/checks/tap/tmp_check/log/*"$name"* "$results/$name"
        echo "   logs kept in $results/$name"
    done < <(sed -nE 's|^test/t/(.*)\.pl .*\(Wstat.*|\1|p' "$results/tap.out")
}

# run_regress TEST...: runs tests of sql, side by side; shows and keeps the differences of those that fail. Use after
# copy_source, copy_postgresql and start_server.
run_regress() {
    local output=$results/regress.out status=0 ok bad

    run shown "$output" installcheck regress installcheck REGRESS="$*" EXTRA_REGRESS_OPTS="--max-connections=${JOBS:-0}" ||
        status=$?
    # It ends with "All 9 tests passed." or "1 of 9 tests failed."; otherwise it did not run to the end.
    bad=$(sed -nE 's/^[# ]*All [0-9]+ tests passed.*/0/p; s/^[# ]*([0-9]+) of [0-9]+ tests failed.*/\1/p' "$output")
    bad=${bad:-$#}
    if add_counts "$status" $(($# - bad)) "$bad"; then
        rm "$output"
        return
    fi
    mkdir -p "$results/regress"
    cp -r "$scratch"/checks/regress/{results,regression.diffs} "$scratch/server.log" "$results/regress" 2>/dev/null || true
    cat "$results/regress/regression.diffs" 2>/dev/null || true
    echo "   kept in $results/regress"
}

# check NAME FINDINGS: one test, which passes if FINDINGS is empty.
check() {
    if [ -z "$2" ]; then
        passed=$((passed + 1))
        printf '   %s: passed\n' "$1"
    else
        failed=$((failed + 1))
        printf '   %s: failed\n%s\n' "$1" "$2"
    fi
}
