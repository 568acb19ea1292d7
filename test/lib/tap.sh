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

# run_tap NAME COMMAND...: runs a program that prints TAP, and counts its test points of the top level. A program that
# dies, or does not run the planned number of points, counts as one more failure. Prints one line, the failures, and the
# program's figures ("# figure: ...").
run_tap() {
    local name=$1 output=$results/$1.tap errors=$results/$1.err
    local status=0 line plan='' ok=0 bad=0 skip=0 complaint=''

    shift
    run "$@" >"$output" 2>"$errors" || status=$?
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
    passed=$((passed + ok))
    failed=$((failed + bad))
    skipped=$((skipped + skip))
}

# run_pg_regress COUNT COMMAND...: runs a command that runs pg_regress over COUNT tests, and parses its output, in the
# format of PostgreSQL 16 and later (TAP) or in the older one. A test without a result has failed.
run_pg_regress() {
    local count=$1 output=$results/regression.out status=0 line ok=0

    shift
    run "$@" >"$output" 2>&1 || status=$?
    while IFS= read -r line; do
        case $line in
            'ok '*) ok=$((ok + 1)) ;;
            'not ok '*) printf '   %s\n' "$line" ;;
            *' ... ok'*) ok=$((ok + 1)) ;;
            *' ... FAILED'*) printf '   %s\n' "$line" ;;
        esac
    done <"$output"
    if [ "$ok" -eq "$count" ] && [ "$status" -ne 0 ]; then
        ok=$((ok - 1))
    fi
    printf '   pg_regress: %d passed' "$ok"
    [ "$ok" -eq "$count" ] || printf ', %d failed' $((count - ok))
    printf '\n'
    passed=$((passed + ok))
    failed=$((failed + count - ok))
    [ "$ok" -eq "$count" ]
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
    local folder=$1 runner=$2 source name

    shift 2
    quietly make -s -C "$top/test/unit" -j "$(nproc)" BUILD="$build/$folder" "$@"
    for source in "$top"/test/unit/test_*.c; do
        name=$(basename "$source" .c)
        [[ " ${skipped_units-} " != *" $name "* ]] || continue
        # shellcheck disable=SC2086
        run_tap "$name" $runner "$build/$folder/$name"
    done
}
