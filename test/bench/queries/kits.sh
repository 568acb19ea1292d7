# shellcheck shell=bash disable=SC2154
# Data and queries of TPC-H and TPC-DS, made by the programs of their kits, and of the benchmarks star, skewed and chains. Neither
# the kits nor what they make is part of this project. Sourced by test/bench/run.

# The seed of the parameters in the queries, and of the data of TPC-DS; TPC-H has its own.
tpc_seed=1

# The files by which the kits are known.
declare -A tpc_files=([tpch]=dbgen/qgen.c [tpcds]=tools/tpcds.sql)

# find_kit BENCHMARK: sets kit_source to the source tree that the benchmark's variable names.
find_kit() {
    local variable=${1^^}_SOURCE

    kit_source=${!variable-}
    [ -n "$kit_source" ] || die "Set $variable to the source tree of the kit; see test/README.md."
    [ -f "$kit_source/${tpc_files[$1]}" ] || die "There is no ${tpc_files[$1]} in $variable=$kit_source"
}

# make_kit BENCHMARK SCALE: leaves in the temporary folder $kit the definitions of the tables in schema.sql, and files in
# data and queries. Kits are built in their tree, of which this is a copy.
make_kit() {
    kit=$scratch/kit
    mkdir -p "$kit"/{source,data,queries}
    if [[ $1 == tpc* ]]; then
        find_kit "$1"
        cp -a "$kit_source/." "$kit/source"
        find "$kit/source" -name '*.o' -delete
    fi
    "make_$1" "$2"
}

make_tpch() {
    local programs=$kit/source/dbgen number template

    quietly make -s -C "$programs" CC='gcc -std=gnu89 -w' DATABASE=POSTGRESQL MACHINE=LINUX dbgen qgen
    cp "$programs/dss.ddl" "$kit/schema.sql"
    quietly env -C "$programs" DSS_PATH="$kit/data" ./dbgen -q -f -s "$1"
    for number in {1..22}; do
        # Query 15 makes a view; its approved variant has WITH instead.
        template=queries/$number
        [ "$number" != 15 ] || template=variants/15a
        DSS_QUERY=$programs/${template%/*} "$programs/qgen" -b "$programs/dists.dss" -r "$tpc_seed" -s "$1" \
            "${template#*/}" | sed -Ez -f "$here/queries/tpch.sed" >"$kit/queries/$number.sql"
    done
}

# The kit knows whole scales only; tpcds.sql removes rows for a fraction of 1.
make_tpcds() {
    local programs=$kit/source/tools scale=$1

    [[ $scale != 0.* ]] || scale=1
    # Its files define variables of the same names, which it expects to be the same variables.
    quietly make -s -C "$programs" CC='gcc -std=gnu89 -fcommon -w' OS=LINUX LINUX_YACC='bison -y' LINUX_LEX=flex \
        dsdgen dsqgen tpcds.idx
    cp "$programs/tpcds.sql" "$kit/schema.sql"
    quietly env -C "$programs" ./dsdgen -QUIET Y -SCALE "$scale" -RNGSEED "$tpc_seed" -TERMINATE N -FORCE Y -DIR "$kit/data"
    quietly env -C "$programs" ./dsqgen -QUIET Y -SCALE "$scale" -RNGSEED "$tpc_seed" -DIALECT netezza -OUTPUT_DIR "$kit" \
        -DIRECTORY ../query_templates -INPUT ../query_templates/templates.lst
    # Where a template has two queries, they are 14a and 14b.
    awk -v folder="$kit/queries" '
        /^-- start query/ { name = $NF; gsub(/[^0-9]/, "", name); text = ""; next }
        /^-- end query/ {
            count = split(text, statements, /;[[:space:]]*/) - 1
            for (i = 1; i <= count; i++)
                print statements[i] ";" >(folder "/" name (count > 1 ? substr("ab", i, 1) : "") ".sql")
            next
        }
        { text = text $0 "\n" }' "$kit/query_0.sql"
    sed -Ez -i -f "$here/queries/tpcds.sed" "$kit"/queries/*.sql
}

# skewed.sql and star.sql make their tables themselves. Joins make the filters that star/queries.sql contains.
make_skewed() {
    : >"$kit/schema.sql"
    awk -v folder="$kit/queries" '
        /^-- [0-9.]+(:|$)/ { file = folder "/" ($2 + 0) ".sql"; next }
        file != "" && !/^ *AND bf_contains\(/ { print >file }' "${2:-$here/queries/skewed_queries.sql}"
}

make_chains() {
    make_skewed "$1" "$here/queries/chains_queries.sql"
}

make_star() {
    make_skewed "$1" "$here/star/queries.sql"
}
