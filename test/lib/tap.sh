# shellcheck shell=bash disable=SC2154
# Running tests, and counting their results in passed, failed and skipped.

passed=0
failed=0
skipped=0

# Where a failing test's output is kept.
results=$build/results
mkdir -p "$results"

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
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ] || exit 1
}

# How many tests run at a time.
jobs=${JOBS:-$(nproc)}

# execute NAME COMMAND...: runs it, and keeps its output, errors and status in $results.
execute() {
    local status=0

    ("${@:2}") >"$results/$1.out" 2>"$results/$1.err" || status=$?
    echo "$status" >"$results/$1.status"
}

# execute_all FUNCTION NAME...: executes FUNCTION NAME for each, and writes the name to a pipe when that has ended.
execute_all() {
    local name

    set +m
    exec 3>"$results/ended"
    for name in "${@:2}"; do
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
            wait -n || true
        done
        { execute "$name" "$1" "$name" 3>&- && echo "$name" >&3; } &
    done
    wait
}

# side_by_side FUNCTION REPORT NAME...: executes FUNCTION NAME for each name, $jobs at a time, and calls REPORT NAME when
# that has ended.
side_by_side() {
    local report=$2 name

    rm -f "$results/ended"
    mkfifo "$results/ended"
    start execute_all "$1" "${@:3}"
    while read -r name; do
        "$report" "$name"
    done <"$results/ended"
    wait "$child" || true
    child=
    rm "$results/ended"
}

# run_tap NAME COMMAND...: runs a program that prints TAP, and reports its results.
run_tap() {
    run execute "$@"
    report_tap "$1"
}

# report_tap NAME: counts the test points of the top level in the output of a program that has ended. A program that
# dies, or does not run the planned number of points, counts as one more failure. Prints one line, the failures, and the
# program's figures ("# figure: ...").
report_tap() {
    local name=$1 output=$results/$1.out errors=$results/$1.err
    local status line plan='' ok=0 bad=0 skip=0 complaint=''

    status=$(<"$results/$1.status")
    while IFS= read -r line; do
        case $line in
            'ok'*'# SKIP'* | 'ok'*'# skip'* | 'not ok'*'# TODO'*) skip=$((skip + 1)) ;;
            'ok' | 'ok '*) ok=$((ok + 1)) ;;
            'not ok' | 'not ok '*)
                bad=$((bad + 1))
                printf '   %s: %s\n' "$name" "$line"
                ;;
            '1..0'*'#'*)
                plan=0
                printf '   %s: skipped:%s\n' "$name" "${line#*#}"
                ;;
            '1..'*) plan=${line#1..} ;;
            'Bail out!'*) complaint=$line ;;
            '# figure: '*) printf '   %s\n' "${line#\# figure: }" ;;
        esac
    done <"$output"

    if [ -z "$complaint" ] && [ -z "$plan" ]; then
        complaint='no plan: it did not run to the end'
    elif [ -z "$complaint" ] && [ "$plan" != $((ok + bad + skip)) ]; then
        complaint="ran $((ok + bad + skip)) of $plan tests"
    elif [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
        complaint='all tests passed, but it did not exit with status 0'
    fi
    if [ -n "$complaint" ]; then
        bad=$((bad + 1))
        printf '   %s: %s (exit status %d)\n' "$name" "$complaint" "$status"
    fi
    printf '   %s: %d passed' "$name" "$ok"
    [ "$bad" -eq 0 ] || printf ', %d failed' "$bad"
    [ "$skip" -eq 0 ] || printf ', %d skipped' "$skip"
    printf '\n'
    if [ "$bad" -gt 0 ]; then
        tail -n 40 "$errors"
    else
        rm -f "$output" "$errors"
    fi
    rm "$results/$name.status"
    passed=$((passed + ok))
    failed=$((failed + bad))
    skipped=$((skipped + skip))
}

# run_regress TEST...: runs tests of sql/, each in a database and a folder of its own.
run_regress() {
    regress_passed=0
    regress_failed=0
    side_by_side regress_test report_regress "$@"
    printf '   pg_regress: %d passed' "$regress_passed"
    [ "$regress_failed" -eq 0 ] || printf ', %d failed' "$regress_failed"
    printf '\n'
    passed=$((passed + regress_passed))
    failed=$((failed + $# - regress_passed))
}

regress_test() {
    installcheck "$1" installcheck REGRESS="$1" CONTRIB_TESTDB="$1"
}

# report_regress TEST: shows the differences of a test that has failed.
report_regress() {
    local name=$1 folder=$results/$1

    if [ "$(<"$folder.status")" -eq 0 ]; then
        regress_passed=$((regress_passed + 1))
    else
        regress_failed=$((regress_failed + 1))
        printf '   not ok %s\n' "$name"
        mkdir -p "$folder"
        cp -r "$scratch/checks/$name"/{results,regression.diffs} "$scratch/server.log" "$folder" 2>/dev/null || true
        cat "$folder/regression.diffs" 2>/dev/null || tail -n 40 "$folder.out" "$folder.err"
        echo "   kept in $folder"
    fi
    rm -f "$folder".{out,err,status}
}

# perl in prove's place: the same environment, and the TAP itself to read.
tap_test() {
    installcheck "$1" prove_installcheck PROVE=perl PROVE_TESTS="test/t/$1.pl"
}

report_tap_test() {
    local before=$failed

    report_tap "$1"
    if [ "$failed" -gt "$before" ]; then
        mkdir -p "$results/$1"
        cp -r "$scratch/checks/$1"/{tmp_check/log,log} "$results/$1" 2>/dev/null || true
        echo "   logs kept in $results/$1"
    fi
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

# run_unit FOLDER RUNNER MAKE_OPTION...: builds the unit tests in build/FOLDER and runs them, through the command RUNNER
# unless that is empty, except those in skipped_units.
run_unit() {
    local source name names=()

    unit_folder=$build/$1
    unit_runner=$2
    shift 2
    quietly make -s -C "$top/test/unit" -j "$(nproc)" BUILD="$unit_folder" "$@"
    for source in "$top"/test/unit/test_*.c; do
        name=$(basename "$source" .c)
        [[ " ${skipped_units-} " == *" $name "* ]] || names+=("$name")
    done
    side_by_side unit_test report_tap "${names[@]}"
}

unit_test() {
    # shellcheck disable=SC2086
    $unit_runner "$unit_folder/$1"
}
