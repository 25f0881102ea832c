#!/bin/sh
# Makes the rig ready in build/rig: the project's package, and the guest that it is installed in. Wants root.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/rig
out=$(pwd -P)/build/rig
scripts/debian.sh mosquitto mosquitto mosquitto_sub mosquitto-clients debugfs e2fsprogs

key=$(git ls-files -z tablectl drivers config systemd requirements pyproject.toml scripts/deb.sh |
    xargs -0 sha256sum 2>/dev/null | sha256sum | cut -c1-64)
if [ "$(cat "$out/package.key" 2>/dev/null)" != "$key" ]; then
    rm -f "$out/package.key"
    scripts/deb.sh "$out/deb"
    cp "$out"/deb/tablectl_*.deb "$out/package.deb"
    rm -rf "$out/deb"
    echo "$key" >"$out/package.key"
fi
scripts/rig_guest.sh "$out" "$out/package.deb"
