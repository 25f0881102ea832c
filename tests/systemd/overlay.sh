#!/bin/sh
# Runs a script in a copy of this machine that forgets everything: `overlay.sh FOLDER SCRIPT`; FOLDER is its /mnt. Wants root.
# Called in a mount namespace of its own (unshare --mount), so that nothing stays mounted.
set -eu
room=$(mktemp -d)
mount -t tmpfs tmpfs "$room"
mkdir "$room/up" "$room/work" "$room/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$room/up,workdir=$room/work" "$room/root"
mount -t proc proc "$room/root/proc"
mount --bind /dev "$room/root/dev"
mount -t tmpfs tmpfs "$room/root/run"
mkdir -p "$room/root/mnt"
mount --bind "$1" "$room/root/mnt"
exec chroot "$room/root" /bin/sh -c "cd / && exec /bin/sh -eu /mnt/$2"
