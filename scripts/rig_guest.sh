#!/bin/sh
# Builds what the rig's guest boots, in FOLDER: kernel, initramfs and a root file system of Debian 12 with the package in it.
# `rig_guest.sh FOLDER PACKAGE.deb`. What an earlier run made from the same inputs stays as it is. Wants root.
set -eu
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/sbin:/sbin
here=$(pwd -P)
mkdir -p "$1"
out=$(cd "$1" && pwd -P)
package=$(readlink -f "$2")
[ "$(id -u)" -eq 0 ] || { echo "rig: building the guest wants root: sudo make rig" >&2; exit 1; }

scripts/debian.sh qemu-system-x86_64 qemu-system-x86 qemu-img qemu-utils debootstrap debootstrap mke2fs e2fsprogs \
    busybox busybox-static cpio cpio depmod kmod xz xz-utils

# What apt knows: the kernel of today, and the archive that this machine takes Debian from.
kernel() { apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -1; }
image=$(kernel)
[ -n "$image" ] || { apt-get update -q >/dev/null && image=$(kernel); }
release=${image#linux-image-}
archive=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Codename: bookworm' 'Origin: Debian' | head -1)
: "${image:?rig: apt knows no kernel}" "${archive:?rig: apt takes no Debian 12 from anywhere}"

# stage NAME INPUT...: whether NAME has to be made, because it isn't there or was made from something else.
stage() {
    name=$1 && shift
    key=$(cat "$@" | sha256sum | cut -c1-16)-$release
    [ "$(cat "$out/$name.key" 2>/dev/null)" != "$key" ] || return 1
    rm -f "$out/$name.key"
    echo "rig: making the guest's $name"
}
made() { echo "$key" >"$out/$name.key"; }

if stage kernel /dev/null; then
    rm -rf "$out/kernel" && mkdir -p "$out/kernel"
    (cd "$out/kernel" && apt-get download -q "$image" >/dev/null 2>&1 && dpkg-deb -x "$image"_*.deb . && rm -f ./*.deb)
    # An ELF kernel is entered directly; the packed one would unpack itself in the slow emulated processor.
    python3 - "$out/kernel/boot/vmlinuz-$release" "$out/vmlinux" <<'P'
import lzma, struct, sys

packed = open(sys.argv[1], "rb").read()
offset, length = struct.unpack_from("<II", packed, 0x248)
begin = (packed[0x1F1] + 1) * 512 + offset
# The last four bytes are its unpacked length.
open(sys.argv[2], "wb").write(lzma.decompress(packed[begin : begin + length - 4]))
P
    made
fi

# python3 is the package's own need; the rest is what a Debian has that was installed for a table.
wanted=systemd,systemd-sysv,udev,dbus,kmod,adduser,python3,iproute2,procps,e2fsprogs,netbase
echo "$wanted" >"$out/debian.wanted"
if stage debian "$out/debian.wanted"; then
    rm -rf "$out/debian" && mkdir "$out/debian"
    debootstrap --variant=minbase --include="$wanted" bookworm "$out/debian" "$archive" >"$out/debootstrap.log" 2>&1 ||
        { tail -5 "$out/debootstrap.log" >&2; exit 1; }
    rm -rf "$out/debian/var/cache/apt/archives/"*.deb "$out/debian/var/lib/apt/lists/"*
    chroot "$out/debian" python3 -m compileall -q /usr/lib/python3.11 >/dev/null || true
    made
fi

own="scripts/rig_guest.sh tests/hil/inside/agent.py tests/hil/inside/init tests/hil/inside/modules"
if stage system "$out/debian.key" "$package" $own; then
    root=$out/root
    rm -rf "$root" && cp -a "$out/debian" "$root"
    modules=lib/modules/$release
    mkdir -p "$root/usr/$modules"
    for one in $(grep -v '^#' tests/hil/inside/modules); do
        from=$out/kernel/$modules/kernel/$one
        [ -e "$from" ] || continue # built in, by this kernel
        mkdir -p "$root/usr/$modules/kernel/$(dirname "$one")"
        cp -a "$from" "$root/usr/$modules/kernel/$one"
    done
    cp "$out/kernel/$modules"/modules.order "$out/kernel/$modules"/modules.builtin* "$root/usr/$modules/"
    depmod -b "$root" "$release"

    # --- the initramfs: enough to find the disk
    ram=$out/initramfs
    rm -rf "$ram" && mkdir -p "$ram/bin" "$ram/dev" "$ram/proc" "$ram/sys" "$ram/newroot" "$ram/modules"
    cp /bin/busybox "$ram/bin/" && ln -s busybox "$ram/bin/sh" && install -m755 tests/hil/inside/init "$ram/init"
    number=100
    for one in virtio_pci virtio_blk virtio_console virtio_net virtio_rng crc32c_generic ext4; do
        modprobe -d "$root" -S "$release" --show-depends "$one" | sed -n 's/^insmod //p'
    done | awk '!seen[$1]++ { print $1 }' | while read -r file; do
        cp "$file" "$ram/modules/$number-$(basename "$file")" && number=$((number + 1))
    done
    (cd "$ram" && find . | cpio -o -H newc 2>/dev/null | gzip -1 >"$out/initrd.gz")

    # --- the machine: a name, an agent of the rig, and nothing that a table has no need of
    install -m755 tests/hil/inside/agent.py "$root/usr/local/sbin/rig-agent"
    units=$root/etc/systemd/system
    printf '%s\n' '[Unit]' 'Description=Agent of the rig' DefaultDependencies=no 'After=systemd-udevd.service local-fs.target' \
        '[Service]' 'ExecStart=/usr/bin/python3 -I /usr/local/sbin/rig-agent' Restart=always '[Install]' \
        WantedBy=multi-user.target >"$units/rig-agent.service"
    mkdir -p "$units/multi-user.target.wants"
    ln -sf ../rig-agent.service "$units/multi-user.target.wants/"
    for one in systemd-timesyncd.service apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer fstrim.timer \
        dpkg-db-backup.timer e2scrub_reap.service getty@tty1.service getty-static.service systemd-pcrphase.service \
        systemd-pcrphase-sysinit.service systemd-binfmt.service proc-sys-fs-binfmt_misc.automount; do
        ln -sf /dev/null "$units/$one"
    done
    echo rig >"$root/etc/hostname"
    echo '127.0.0.1 localhost rig' >"$root/etc/hosts"
    : >"$root/etc/fstab"
    echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
    chroot "$root" passwd -d root >/dev/null

    # --- the package, as an administrator would install it
    cp "$package" "$root/tablectl.deb"
    chroot "$root" dpkg -i /tablectl.deb >"$out/dpkg.log" 2>&1 || { tail -5 "$out/dpkg.log" >&2; exit 1; }
    rm "$root/tablectl.deb"

    rm -f "$out/root.raw"
    truncate -s 1200M "$out/root.raw"
    mke2fs -q -F -t ext4 -L root -d "$root" "$out/root.raw"
    rm -rf "$root" "$ram" "$out"/saved*
    made
fi
