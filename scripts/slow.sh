#!/bin/sh
# Runs a command as on a slow machine: `slow.sh third COMMAND` has a third of a core, `slow.sh busy COMMAND` has six
# processes beside it that never rest. A third wants root and a control group for the processor; else cpulimit does it.
set -eu
how=$1
shift
cd "$(dirname "$0")/.."

third() {
    group=
    if [ "$(id -u)" -eq 0 ]; then
        for parent in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
            { [ -w "$parent/cpu.cfs_quota_us" ] || grep -qw cpu "$parent/cgroup.subtree_control" 2>/dev/null; } || continue
            mkdir -p "$parent/slow-$$" && group=$parent/slow-$$ && break
        done
    fi
    if [ -z "$group" ]; then
        scripts/debian.sh cpulimit cpulimit
        exec cpulimit --quiet --include-children --limit 33 -- "$@"
    fi
    trap 'sleep 1; rmdir "$group"' EXIT
    if [ -e "$group/cpu.max" ]; then
        echo "33000 100000" >"$group/cpu.max"
    else
        echo 100000 >"$group/cpu.cfs_period_us"
        echo 33000 >"$group/cpu.cfs_quota_us"
    fi
    sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$group" "$@"
}

busy() {
    workers=
    for _ in 1 2 3 4 5 6; do
        sh -c 'while :; do :; done' &
        workers="$workers $!"
    done
    # shellcheck disable=SC2064 # these processes, and no later ones
    trap "kill $workers" EXIT
    "$@"
}

case $how in
third | busy) "$how" "$@" ;;
*) sed -n '2,3p' "$0" | cut -c3- >&2 && exit 2 ;;
esac
