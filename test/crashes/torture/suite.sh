# shellcheck shell=bash disable=SC2034,SC2154
# For test/crashes/run: each statement changes filters and a table of their exact keys. Meanwhile statements time out, VACUUM
# FULL runs, and dumps are restored.

scripts=(add@30 delete@24 many@8 savepoints@6 rollback@4 probe@12 compact@2 rebuild@2)
actions=(terminate sigkill terminate immediate)
tasks+=(run_out_of_time)
events+=(vacuum vacuum_full dump)
state='SELECT copies, keys, lost, low, absent, stale FROM state()'

# A timeout that fires when its statement ends cancels the next one, for which PostgreSQL then names no reason but the user.
# PostgreSQL bug #18351: while there is a transaction in another database, where the dumps are restored, VACUUM FULL still
# reads rows whose values VACUUM has removed from the TOAST table already. The same message is an error in any other
# statement.
expected+=('canceling statement due to statement timeout' 'canceling statement due to user request'
    'ERROR:  missing chunk number [0-9]* for toast value .* STATEMENT:  VACUUM FULL filters_toasted$')

set_up() {
    local n

    sql -f "$here/schema.sql"
    for ((n = 0; n < 200; n++)); do
        # The timeout may strike anywhere in the transaction, or not at all.
        cat <<'SQL'
SELECT (random() * 67)::integer AS shard, 3 + (random() * 247)::integer AS key \gset
BEGIN;
SET LOCAL statement_timeout = '5ms';
SELECT add_key(:shard, :key), pg_sleep(random() * 0.005), delete_key(:shard, :key), pg_sleep(random() * 0.005);
COMMIT;
-- If the timeout prevented the COMMIT.
ROLLBACK;
SQL
    done >"$scratch/timeouts.sql"
}

# A client about half of whose statements are cancelled by a timeout.
run_out_of_time() {
    sql -v ON_ERROR_STOP=0 -f "$scratch/timeouts.sql" >/dev/null 2>&1 || sleep 0.2
}

# The work of an administrator.
maintain() {
    local table restored

    sql -c 'VACUUM ANALYZE' 2>/dev/null && happened vacuum
    for table in filters_inline filters_toasted exact; do
        sql -c "VACUUM FULL $table" 2>/dev/null && happened vacuum_full
    done
    if "$private_bin/pg_dump" --format=custom --file="$scratch/dump" postgres 2>/dev/null &&
        sql -c 'DROP DATABASE IF EXISTS restored WITH (FORCE)' -c 'CREATE DATABASE restored' 2>/dev/null &&
        "$private_bin/pg_restore" --exit-on-error --dbname=restored "$scratch/dump" 2>"$scratch/restore_errors" &&
        restored=$(sql -d restored -c 'SELECT lost, low FROM state()' 2>/dev/null); then
        happened dump
        [ "$restored" = '0|0' ] || echo "restored from a dump: $restored" >>"$scratch/lost"
    fi
    sleep 1
}

compare() {
    [[ $2 == *'|'*'|0|0|'* ]] || echo "$1: copies, keys, lost, low, absent, stale: $2" >>"$scratch/lost"
}

report() {
    local different

    IFS='|' read -r keys different _ _ absent stale <<<"$1"
    timeouts=$(errors 'canceling statement due to statement timeout')
    printf '   %d statements timed out; at the end there are %d copies of %d keys\n' "$timeouts" "${keys:-0}" "${different:-0}"
}

check_suite() {
    check 'statements timed out' "$([ "$timeouts" -gt 0 ] || echo none)"
    # Otherwise the counts would not test deletions.
    check 'most deleted keys are gone' \
        "$([ $((4 * ${stale:-0})) -lt "${absent:-0}" ] || echo "$stale of $absent are not")"
    check 'the server lost as many processes as were killed' "$(
        n=$(grep -ac 'was terminated by signal' "$scratch/server.log" || true)
        [ "$n" -eq "$(count sigkill)" ] || grep -a 'was terminated by signal' "$scratch/server.log"
    )"
}
