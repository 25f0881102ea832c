#!/bin/sh
# Installs each missing Debian program: PROGRAM PACKAGE pairs; "-" for a package that is known to be missing.
set -eu
PATH=$PATH:/usr/sbin:/sbin
export DEBIAN_FRONTEND=noninteractive

missing=
while [ $# -gt 0 ]; do
    if [ "$1" = - ] || ! command -v "$1" >/dev/null; then missing="$missing $2"; fi
    shift 2
done
[ -n "$missing" ] || exit 0

fail() {
    echo "setup: please install$missing (apt-get install$missing) and try again" >&2
    exit 1
}
root=
if [ "$(id -u)" -ne 0 ]; then
    # Without a terminal nobody can type a password.
    if [ -t 0 ]; then root=sudo; else root="sudo -n"; fi
    command -v sudo >/dev/null || fail
fi
command -v apt-get >/dev/null || fail

echo "setup: installing Debian's$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() { $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing; }
# The package lists may be missing or old: they are fetched only when the first try fails.
install >"$log" 2>&1 || { $root apt-get update -q && install; } >"$log" 2>&1 || {
    tail -3 "$log" >&2
    fail
}
