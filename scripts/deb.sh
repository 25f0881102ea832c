#!/bin/sh
# Builds the Debian package and has lintian look at it: `deb.sh [FOLDER]`, without one in build/deb. RELEASE_KEY names
# the file of the private key that signs its manifest; without one the build is unsigned.
set -eu
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/sbin:/sbin
[ -x /usr/bin/python3 ] || { echo "deb: needs Debian's own /usr/bin/python3, with which the package will run" >&2; exit 1; }
scripts/debian.sh dh debhelper dpkg-buildpackage dpkg-dev lintian lintian fakeroot fakeroot
/usr/bin/python3 -c 'import ensurepip' 2>/dev/null || scripts/debian.sh - python3-venv

version=$(.venv/bin/python -c 'import tablectl; print(tablectl.__version__)')
top=$(pwd -P)
built=${1:-$top/build/deb}
stage=$built/tablectl-$version
rm -rf "$built"
mkdir -p "$stage"

.venv/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$built" .
git ls-files -z docs README.md requirements | xargs -0 cp --parents -t "$stage"
cp CHANGELOG.md "$stage/docs" # at the top debhelper would take it for Debian's own
cp -r systemd/debian "$stage/debian"
for unit in systemd/*.service; do cp "$unit" "$stage/debian/tablectl.$(basename "$unit")"; done
cp config/udev/99-tablectl.rules "$stage/debian/tablectl.udev"
cp systemd/board-uart.conf "$stage"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
printf 'tablectl (%s) bookworm; urgency=medium\n\n  * See /usr/share/doc/tablectl/CHANGELOG.md.\n\n -- The tablectl team <tablectl@localhost>  %s\n' \
    "$version" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" >"$stage/debian/changelog"

log=$built/build.log
key=${RELEASE_KEY:+$(realpath "$RELEASE_KEY")}
(cd "$stage" && PIP="$top/.venv/bin/python -m pip --disable-pip-version-check" \
    MANIFEST="$top/.venv/bin/python -P $top/scripts/manifest.py" RELEASE_KEY="$key" WHEEL=$(echo "$built"/tablectl-*.whl) \
    dpkg-buildpackage --build=binary --no-sign --no-check-builddeps) >"$log" 2>&1 || { tail -30 "$log" >&2; exit 1; }
package=$(echo "$built"/tablectl_*.deb)
lintian --allow-root --fail-on error,warning "$package"
grep '^manifest: ' "$log"
echo "deb: $package, $(du -h "$package" | cut -f1)"
