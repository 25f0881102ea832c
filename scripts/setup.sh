#!/bin/sh
# Makes .venv for `run` or `dev` from the pinned, hashed requirements. Nothing is fetched that a hash doesn't name.
set -eu
cd "$(dirname "$0")/.."
kind=$1
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_ROOT_USER_ACTION=ignore

# Debian's own Python, where it is new enough: tables run on it, and one that is built by hand is mostly much slower.
for python in ${PYTHON:-/usr/bin/python3 python3} ''; do
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break
done
[ -n "$python" ] || {
    echo "setup: tablectl needs Python 3.11 or newer; PYTHON=... names another" >&2
    exit 1
}
"$python" -c 'import ensurepip' 2>/dev/null || scripts/debian.sh - python3-venv

# A moved or half-made environment is made anew: its scripts name the folder they were made in. So is another Python's.
made='import sys; print(sys.prefix if len(sys.argv) == 1 else sys.argv[1], sys.version)'
if [ "$(.venv/bin/python -c "$made" 2>/dev/null)" != "$("$python" -c "$made" "$(pwd -P)/.venv")" ] ||
    ! head -2 .venv/bin/pip 2>/dev/null | grep -qF "$(pwd -P)/.venv/"; then
    rm -rf .venv
    "$python" -m venv .venv
fi

install() { .venv/bin/python -m pip install --quiet --progress-bar off "$@"; }

echo "setup: installing into .venv (once, about half a minute)"
# The build tools come first, so that a package that has no wheel builds with them and fetches no other.
install --require-hashes -r requirements/build.txt
install --require-hashes --no-build-isolation -r "requirements/$kind.txt"
install --no-deps --no-build-isolation --editable .
touch .venv/run.stamp
[ "$kind" = run ] || touch .venv/dev.stamp
