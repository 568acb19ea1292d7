# shellcheck shell=bash disable=SC2154,SC2034
# Chroots of Debian suites, for versions of PostgreSQL that this machine does not have. They are kept for later runs.
#
# Environment: MATRIX_ROOTS (where they are), MATRIX_MIRROR (for mmdebstrap, in place of its default).

# shellcheck source=test/lib/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

roots=$(realpath -m "${MATRIX_ROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/cuckoo_filter/matrix}")

# Additional options of mmdebstrap, for make_root.
mmdebstrap_options=()

# become_root VARIABLE=VALUE...: unless this is root, restarts the script through sudo, with these variables.
become_root() {
    local sudo=(sudo)

    [ "$(id -u)" -ne 0 ] || return 0
    can_be_root || die "Run this as root, or where sudo works: it creates chroots and mounts file systems in them."
    [ -t 0 ] || sudo+=(-n)
    exec "${sudo[@]}" env "$@" MATRIX_ROOTS="$roots" MATRIX_MIRROR="${MATRIX_MIRROR-}" bash "$0"
}

# The environment of programs in a chroot.
environment=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root WERROR=1)
for variable in http_proxy https_proxy no_proxy; do
    [ -z "${!variable-}" ] || environment+=("$variable=${!variable}")
done

leave_chroots() {
    # The owner of the tree must be able to remove what was created in it.
    [ "$(id -u)" -ne 0 ] || chown -hR --reference="$top" "$build"
    conclude "$1"
}

on_exit() {
    leave_chroots "$1"
}

# lock_roots NAME: takes a lock, which every process started later inherits, and holds until the last of them has ended.
lock_roots() {
    mkdir -p "$roots"
    exec {lock}>"$roots/$1"
    flock --nonblock "$lock" || die "Another run uses the chroots in $roots."
}

# enter ROOT COMMAND...: runs a command in the chroot, and in namespaces of its own: however it or this script ends, its
# mounts and processes end, too. Use through run or quietly.
enter() {
    local root=$1

    shift
    # shellcheck disable=SC2016
    exec unshare --mount --pid --ipc --fork --kill-child bash -ec '
        root=$1
        shift
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
        # Not exec: this is process 1, which has to reap orphans. Without that, a stopped server seems to be running.
        chroot "$root" "$@" || exit
        exit 0' bash "$root" env -i "${environment[@]}" "$@"
}

# make_root ROOT SUITE...: makes a chroot of the first suite, in which apt has the packages of the others, too, unless an
# earlier run left a complete one.
make_root() {
    local root=$1 suite

    if [ -d "$root" ] && [ -z "$(chroot "$root" dpkg --audit 2>&1)" ]; then
        return
    fi
    echo "   making a chroot: $root"
    # Renamed when it is complete.
    rm -rf "$root" "$root.new"
    # Expired package lists of an outdated mirror are accepted, now and later.
    quietly mmdebstrap --variant=minbase --include=git,make --aptopt='Acquire::Check-Valid-Until "false"' \
        "${mmdebstrap_options[@]}" "$2" "$root.new" ${MATRIX_MIRROR:+"$MATRIX_MIRROR"} || return
    for suite in "${@:3}"; do
        sed -n "s/ $2 / $suite /p" "$root.new/etc/apt/sources.list" >>"$root.new/etc/apt/sources.list.d/matrix.list"
    done
    printf '#!/bin/sh\nexit 101\n' >"$root.new/usr/sbin/policy-rc.d"
    chmod +x "$root.new/usr/sbin/policy-rc.d"
    # By default the server packages create and start a cluster.
    mkdir -p "$root.new/etc/postgresql-common/createcluster.d"
    echo 'create_main_cluster = false' >"$root.new/etc/postgresql-common/createcluster.d/none.conf"
    mv "$root.new" "$root"
}

# install_in ROOT PACKAGE...
install_in() {
    # shellcheck disable=SC2016
    quietly enter "$1" sh -ec '
        export DEBIAN_FRONTEND=noninteractive
        apt-get -qq update
        apt-get -qq -y install --no-install-recommends "$@"' sh "${@:2}"
}

# copy_tree ROOT FOLDER: puts the tree as it is checked out into a folder of the chroot.
copy_tree() {
    local root=$1 folder=$2

    # Remove what an interrupted run left. The network of this machine may have changed since the chroot was made.
    rm -rf "${root:?}$folder" "$root"/{tmp,var/tmp}/cuckoo_filter.*
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    # mmdebstrap makes none.
    [ -e "$root/etc/hosts" ] || printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"
    mkdir "$root$folder"
    tar -C "$top" --exclude=./.git --exclude=./build -cf - . | tar -C "$root$folder" --no-same-owner -xf -
}
