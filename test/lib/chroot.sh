# shellcheck shell=bash disable=SC2154,SC2034
# Chroots of Debian suites, for the versions of PostgreSQL that this machine has not. They are kept and used again.
#
# Environment: MATRIX_ROOTS (where they live), MATRIX_MIRROR (for debootstrap, in place of its default).

roots=$(realpath -m "${MATRIX_ROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/cuckoo_filter/matrix}")

# Further options of debootstrap, for make_root.
debootstrap_options=()

# become_root VARIABLE=VALUE...: starts the script anew, with these variables, by sudo if need be.
become_root() {
    local sudo=(sudo)

    [ "$(id -u)" -ne 0 ] || return 0
    can_be_root || die "Run as root, or where sudo works: chroots are made and file systems mounted in them."
    [ -t 0 ] || sudo+=(-n)
    exec "${sudo[@]}" env "$@" MATRIX_ROOTS="$roots" MATRIX_MIRROR="${MATRIX_MIRROR-}" bash "$0"
}

# What programs in a chroot see of the environment.
environment=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root WERROR=1)
for variable in http_proxy https_proxy no_proxy; do
    [ -z "${!variable-}" ] || environment+=("$variable=${!variable}")
done

leave_chroots() {
    # Whoever owns the tree shall be able to remove what was made in it.
    [ "$(id -u)" -ne 0 ] || chown -hR --reference="$top" "$build"
    conclude "$1"
}

on_exit() {
    leave_chroots "$1"
}

# lock_roots NAME: held by all that is started here, until the last of it has ended.
lock_roots() {
    mkdir -p "$roots"
    exec {lock}>"$roots/$1"
    flock --nonblock "$lock" || die "Another run uses the chroots in $roots."
}

# enter ROOT COMMAND...: runs it in the chroot, and in namespaces of its own: however it or this script ends, what it
# mounted and started ends, too. Use through run or quietly.
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
        # Not exec: this is process 1, which has to bury orphans, or a server that has stopped seems to live on.
        chroot "$root" "$@" || exit
        exit 0' bash "$root" env -i "${environment[@]}" "$@"
}

# make_root SUITE ROOT [FUNCTION]: makes a chroot, unless there is one, and whole, of an earlier run. The function is
# given its /etc/apt, to add to.
make_root() {
    local suite=$1 root=$2

    if [ -d "$root" ] && [ -z "$(chroot "$root" dpkg --audit 2>&1)" ]; then
        return
    fi
    echo "   making a chroot: $root"
    # An unfinished one has another name.
    rm -rf "$root" "$root.new"
    # debootstrap mounts.
    quietly unshare --mount debootstrap --variant=minbase --include=git,make "${debootstrap_options[@]}" "$suite" "$root.new" \
        ${MATRIX_MIRROR:+"$MATRIX_MIRROR"} || return
    printf '#!/bin/sh\nexit 101\n' >"$root.new/usr/sbin/policy-rc.d"
    chmod +x "$root.new/usr/sbin/policy-rc.d"
    # Lists of an outdated mirror are good enough.
    echo 'Acquire::Check-Valid-Until "false";' >"$root.new/etc/apt/apt.conf.d/matrix"
    [ -z "${3-}" ] || "$3" "$root.new/etc/apt"
    mv "$root.new" "$root"
}

# copy_tree ROOT FOLDER: puts the tree as it is checked out into a folder of the chroot.
copy_tree() {
    local root=$1 folder=$2

    # What an interrupted run left; and this machine may be in another network by now.
    rm -rf "${root:?}$folder" "$root"/{tmp,var/tmp}/cuckoo_filter.*
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    mkdir "$root$folder"
    tar -C "$top" --exclude=./.git --exclude=./build -cf - . | tar -C "$root$folder" --no-same-owner -xf -
}
