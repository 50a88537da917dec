#!/bin/bash
# Try the two commands of the README on a new Debian machine that has only what the README asks for.
#
#     tools/fresh_machine.sh [options]        as root; needs debootstrap
#
#   --suite NAME    bookworm (default) or trixie
#   --mirror URL    where Debian's packages are; default: as in this machine's apt configuration
#   --root DIR      where to make the machine, or one that an earlier run made with --keep
#   --keep          leave the machine in DIR when done
#   --only WHAT     play or test; default: both
#   --as-root       work as root, so that `make test` may install Debian packages for more tests
#   --bare          no pseudo-terminals and no /dev/shm, as in some containers
#
# What is tested is the last commit of this checkout. The machine is a folder with its own file
# system tree (chroot). It gets this machine's pip configuration, PIP_ variables, LUDUS_TORCH, name
# servers and, read-only, the local folders that the pip configuration names. All of it runs in
# namespaces of its own, so that mounts and processes end with this script, however it ends.

set -euo pipefail

PACKAGES=python3,python3-venv,python3-dev,g++,make,git   # as in README.md
CHECKOUT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [ -z "${LUDUS_IN_NAMESPACE:-}" ]; then
    [ "$(id -u)" = 0 ] || { echo "fresh_machine.sh: only root can make a new machine" >&2; exit 2; }
    command -v debootstrap >/dev/null || {
        echo "fresh_machine.sh: debootstrap is missing: apt-get install debootstrap" >&2; exit 2; }
    LUDUS_IN_NAMESPACE=1 exec unshare --mount --pid --fork --kill-child "$0" "$@"
fi

suite=bookworm mirror="" root="" keep="" only="" user=player bare=""
while [ $# -gt 0 ]; do
    case $1 in
        --suite) suite=$2; shift ;;
        --mirror) mirror=$2; shift ;;
        --root) root=$2; shift ;;
        --keep) keep=1 ;;
        --only) only=$2; shift ;;
        --as-root) user=root ;;
        --bare) bare=1 ;;
        *) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 2 ;;
    esac
    shift
done
if [ -z "$mirror" ]; then
    mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 2>/dev/null \
        | awk '$2 ~ /^(bookworm|trixie|stable)$/ { print $1; exit }')
fi
root=${root:-$(mktemp -d "${TMPDIR:-/tmp}/fresh-machine.XXXXXX")}
mkdir -p "$root"
root=$(cd "$root" && pwd)

mount --make-rprivate /
clean_up() {
    [ -z "${server:-}" ] || kill "$server" 2>/dev/null || true
    # Mounts must be gone before anything is removed: some of them are this machine's own folders.
    umount --recursive --lazy "$root/machine" 2>/dev/null || true
    if [ -n "$keep" ]; then
        echo "kept: $root"
    else
        rm -rf --one-file-system "$root"
    fi
}
trap clean_up EXIT
trap 'exit 130' INT TERM

measure() {  # TEXT COMMAND...: run it and print how long it took
    local text=$1 began=$SECONDS
    shift
    "$@" || { echo "FAILED after $((SECONDS - began)) s: $text" >&2; exit 1; }
    printf '%5d s  %s\n' $((SECONDS - began)) "$text"
}

# The machine itself.
log=$root/debootstrap.log
new_root() {
    debootstrap --variant=minbase --include="ca-certificates,$PACKAGES" "$suite" \
        "$root/machine" ${mirror:+"$mirror"} >"$log" 2>&1 || { tail -20 "$log" >&2; return 1; }
    touch "$root/made"
}
if [ ! -e "$root/made" ]; then
    rm -rf --one-file-system "$root/machine"
    measure "debootstrap $suite" new_root
fi
mount --bind "$root/machine" "$root/machine"
cd "$root/machine"

# What a machine has that runs: kernel file systems, devices, name servers.
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys 2>/dev/null || true
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do
    touch "dev/$device"
    mount --bind "/dev/$device" "dev/$device"
done
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
if [ -z "$bare" ]; then
    mkdir dev/pts dev/shm
    mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts dev/pts
    ln -s pts/ptmx dev/ptmx
    mount -t tmpfs -o mode=1777 tmpfs dev/shm
fi
cp /etc/resolv.conf /etc/hosts etc/

# This machine's way to packages.
variables=(PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8)
while IFS= read -r line; do
    variables+=("$line")
done < <(env | grep -E '^(PIP_|LUDUS_TORCH=|LUDUS_MARCH=|SSL_CERT_FILE=|[a-z]+_proxy=)' || true)
settings=$(python3 -m pip config list 2>/dev/null || true)
python3 - "$settings" >etc/pip.conf <<'END'
import ast, sys
print("[global]")
for line in sys.argv[1].splitlines():
    name, _, value = line.partition("=")
    if name.startswith("global."):
        print(name.removeprefix("global."), "=", *ast.literal_eval(value).split())
END
share() {  # PATH: make a file or folder of this machine visible under the same name
    [ -e "$1" ] && [ "$1" != / ] || return 0
    if [ -d "$1" ]; then
        mkdir -p ".$1"
        mount --bind "$1" ".$1" && mount -o remount,bind,ro ".$1"
    else
        mkdir -p ".$(dirname "$1")"
        cp --remove-destination "$(readlink -f "$1")" ".$1"
    fi
}
for word in $(printf '%s\n' "$settings" "${variables[@]:2}" | tr "=' " '\n\n\n' | sort -u); do
    case $word in
        # The files of a local index lie beside its folder of links.
        file:///*) share "$(dirname "${word#file://}")" ;;
        /*) share "$word" ;;
    esac
done

# A user, and a clone.
home=/root
if [ "$user" != root ]; then
    home=/home/$user
    [ -d ".$home" ] || chroot . useradd --create-home --shell /bin/bash "$user"
fi
inside() {  # COMMAND: run it in the clone, as the user
    chroot --userspec="$user" . env -i HOME="$home" USER="$user" "${variables[@]}" CI="${CI:-}" \
        /bin/bash -c "cd && mkdir -p ludus && cd ludus && $1"
}
git -C "$CHECKOUT" diff --quiet HEAD || echo "note: changes that are not committed are not tried"
rm -rf ".$home/ludus" ".$home/.cache"
git -C "$CHECKOUT" bundle create --quiet "$root/machine/ludus.bundle" HEAD
chmod a+r ludus.bundle
measure "git clone" inside "git -c advice.detachedHead=false clone --quiet /ludus.bundle ."
chroot . python3 --version
chroot . g++ --version | head -1

# The commands.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
page_answers() {
    setsid chroot --userspec="$user" . env -i HOME="$home" USER="$user" "${variables[@]}" \
        /bin/bash -c "cd ~/ludus && exec make play ARGS='--no-browser --port $port'" \
        >"$root/play.log" 2>&1 &
    server=$!
    until python3 - "$port" 2>/dev/null <<'END'
import sys, urllib.request
page = urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/", timeout=10)
sys.exit(b"<html" not in page.read())
END
    do
        kill -0 "$server" 2>/dev/null || { tail -40 "$root/play.log" >&2; return 1; }
        sleep 0.2
    done
    kill -INT -- "-$server"
    wait "$server" || true
    server=""
}
if [ "$only" != test ]; then
    measure "make play, from the clone to a page that answers, nothing cached" page_answers
    inside "rm -rf .venv build"
    measure "make play again without .venv, pip's cache filled" page_answers
    measure "make play again, nothing changed" page_answers
fi
if [ "$only" != play ]; then
    measure "make test" inside "make test"
fi
