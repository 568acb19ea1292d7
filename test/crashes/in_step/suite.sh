# shellcheck shell=bash disable=SC2034,SC2154
# For test/crashes/run: clients change a table whose filters the recipe of docs/synchronize.md keeps synchronized. Afterwards no
# key may be missing, and no entry left over.

scripts=(insert@24 update@16 delete@8 touch@4 upsert@8 batch@4 several@8 locked@4 rollback@6 savepoints@4 repeatable@6
    probe@6 fill@2)
actions=(immediate postmaster terminate sigkill terminate terminate)
longest_pause=4
events+=(truncate truncate_rolled_back copy fill_all vacuum_full)
state='SELECT emails, entries, missing FROM state()'
# Deadlocks are detected quickly.
server_settings+=("deadlock_timeout = 100ms")
# If a PREPARE fails with a deadlock with TRUNCATE, pgbench uses the prepared statement nevertheless.
expected+=('deadlock detected' 'could not serialize access' 'terminating .* due to unexpected postmaster exit'
    'lock file "postmaster.pid" already exists' 'pre-existing shared memory block' 'prepared statement .* does not exist')

# The documented SQL, except that the filters are so small that they have to grow.
set_up() {
    sed -n -f "$here/recipe.sed" "$top/docs/synchronize.md" | sed 's/cf_create(2000,/cf_create(50,/' >"$scratch/recipe.sql"
    grep -q 'cf_create(50,' "$scratch/recipe.sql"
    sql -f "$scratch/recipe.sql" -f "$here/schema.sql" >/dev/null
    sql -c 'INSERT INTO accounts SELECT id, email_of(id, (id % 10)::integer) FROM generate_series(1, 20000, 2) AS id'
    touch "$scratch/left_over"
}

# Less frequent operations.
maintain() {
    sql -c 'DELETE FROM accounts WHERE id > 30000' 2>/dev/null &&
        seq 30001 33000 | sed 's/.*/&,copied&/' |
        sql -c 'COPY accounts (id, email) FROM STDIN WITH (FORMAT csv)' 2>/dev/null && happened copy
    sleep 2
    sql -c 'BEGIN' -c 'TRUNCATE accounts' -c "INSERT INTO accounts VALUES (1, 'truncated')" -c 'ROLLBACK' 2>/dev/null &&
        happened truncate_rolled_back
    sql -c 'SELECT fill_email_shards()' >/dev/null 2>&1 && happened fill_all
    sleep 2
    sql -c 'VACUUM FULL email_shards' 2>/dev/null && happened vacuum_full
    sleep 2
    sql -c 'TRUNCATE accounts' 2>/dev/null && happened truncate
    sql -c 'INSERT INTO accounts SELECT id, email_of(id, (id % 10)::integer) FROM generate_series(1, 20000, 2) AS id
        ON CONFLICT DO NOTHING' 2>/dev/null || true
    sleep 10
}

compare() {
    local emails entries missing

    IFS='|' read -r emails entries missing <<<"$2"
    [ "$missing" = 0 ] || echo "$1: $missing of $emails are missing" >>"$scratch/lost"
    [ "$emails" = "$entries" ] || echo "$1: $entries entries for $emails emails" >>"$scratch/left_over"
}

report() {
    local entries

    IFS='|' read -r keys entries _ <<<"$1"
    printf '   %d deadlocks and %d serialization errors, repeated; at the end there are %d emails, with %d entries\n' \
        "$(errors 'deadlock detected')" "$(errors 'could not serialize access')" "${keys:-0}" "${entries:-0}"
}

check_suite() {
    check 'no entry is left over' "$(head -n 20 "$scratch/left_over")"
    check 'the scan for them is a filter scan' \
        "$(sql -c 'EXPLAIN SELECT FROM found' | grep -q CuckooFilterScan || echo 'it is not')"
}
