# shellcheck shell=bash
# Debian's source package of PostgreSQL.

# add_sources FOLDER: writes deb-src lines for the machine's package sources to files in FOLDER/parts.
add_sources() {
    local file

    mkdir -p "$1/parts" "$1/lists/partial"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ ! -s "$file" ] || sed -n 's/^deb /deb-src /p' "$file" >"$1/parts/$(basename "$file" .list).list"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        sed 's/^Types:.*/Types: deb-src/' "$file" >"$1/parts/$(basename "$file")"
    done
}

# fetch_postgresql_source MAJOR FOLDER: unpacks it in a new FOLDER, as FOLDER/postgresql-*.
fetch_postgresql_source() (
    major=$1
    folder=$2
    options=(-qq -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$folder/apt/parts"
        -o "Dir::State::lists=$folder/apt/lists" -o APT::Sandbox::User=root)

    set -e
    rm -rf "$folder"
    add_sources "$folder/apt"
    cd "$folder"
    apt-get "${options[@]}" update
    # The mirror may not have the source of the newest version.
    for version in $(apt-cache "${options[@]}" showsrc "postgresql-$major" | sed -n 's/^Version: //p' | sort -Vr); do
        apt-get "${options[@]}" source "postgresql-$major=$version" && break
    done
    rm -rf apt postgresql*.{dsc,tar.*}
)
