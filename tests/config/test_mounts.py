"""The file system of the state folder: which it is, and what is said of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tablectl.config.errors import render
from tablectl.config.mounts import Mount, mount_of, remark_of
from tablectl.words import LANGUAGES

FOLDER = Path("/var/lib/tablectl/t 7")

MOUNTS = r"""22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=remount-ro
23 22 0:5 / /dev rw shared:2 master:3 propagate_from:1 - devtmpfs udev rw,size=4k
31 22 0:40 / /var/lib/tablectl\040new rw,noatime - nfs4 nas:/a\040b rw,vers=4.2
32 22 0:41 / /var rw,relatime - overlay overlay rw,lowerdir=/a,upperdir=/b - c,workdir=/d
33 22 0:42 /@home /home ro - btrfs /dev/sdb rw
broken
34 22 8:1 / /x rw - ext4
"""


@pytest.mark.parametrize(
    ("number", "kind", "source", "option"),
    [
        ("22", "ext4", "/dev/vda", "errors=remount-ro"),
        ("23", "devtmpfs", "udev", "size=4k"),
        ("31", "nfs4", r"nas:/a\040b", "noatime"),
        ("32", "overlay", "overlay", "relatime"),
        ("33", "btrfs", "/dev/sdb", "ro"),
    ],
)
def test_mount_is_read_by_its_number(number: str, kind: str, source: str, option: str) -> None:
    mount = mount_of(MOUNTS, number)
    assert mount is not None
    assert (mount.kind, mount.source, option in mount.options) == (kind, source, True)


@pytest.mark.parametrize("number", ["2", "34", "broken", ""])
def test_mount_that_is_not_listed_whole_is_none(number: str) -> None:
    assert mount_of(MOUNTS, number) is None


@pytest.mark.parametrize(
    ("kind", "source", "options", "said"),
    [
        ("ext4", "/dev/sda1", "rw,relatime", ""),
        ("xfs", "/dev/nvme0n1p2", "rw", ""),
        ("btrfs", "/dev/sda", "rw,subvol=/@", ""),
        ("f2fs", "/dev/mmcblk0p2", "rw", ""),
        ("zfs", "tank/a", "rw", ""),
        ("tmpfs", "tmpfs", "rw", "is in memory (tmpfs)"),
        ("ramfs", "none", "rw", "is in memory (ramfs)"),
        ("ext4", "/dev/ram0", "rw", "is in memory (ext4, /dev/ram0)"),
        ("ext4", "/dev/zram1", "rw", "is in memory (ext4, /dev/zram1)"),
        ("overlay", "overlay", "rw", "is on a layered file system (overlay)"),
        ("aufs", "none", "rw", "is on a layered file system (aufs)"),
        ("fuse.fuse-overlayfs", "fuse-overlayfs", "rw", "is on a layered file system (fuse.fuse-overlayfs)"),
        ("nfs", "nas:/t", "rw", "is on the disk of another machine (nfs)"),
        ("nfs4", "nas:/t", "rw", "is on the disk of another machine (nfs4)"),
        ("cifs", "//nas/t", "rw", "is on the disk of another machine (cifs)"),
        ("9p", "share", "rw", "is on the disk of another machine (9p)"),
        ("virtiofs", "share", "rw", "is on the disk of another machine (virtiofs)"),
        ("fuse.sshfs", "a@b:", "rw", "is on the disk of another machine (fuse.sshfs)"),
        ("vfat", "/dev/sda1", "rw", "is on vfat, and it isn't known"),
        ("fuse.unheard-of", "x", "rw", "is on fuse.unheard-of, and it isn't known"),
        ("ext4", "/dev/sda1", "rw,nobarrier", "is mounted with nobarrier"),
        ("ext4", "/dev/sda1", "rw,barrier=0", "is mounted with barrier=0"),
        ("f2fs", "/dev/sda1", "rw,fsync_mode=nobarrier", "is mounted with fsync_mode=nobarrier"),
        ("ext4", "/dev/sda1", "ro", "is on a disk that is mounted read-only"),
        ("overlay", "overlay", "ro", "is on a disk that is mounted read-only"),
    ],
)
def test_what_keeps_nothing_is_named_with_what_to_do(kind: str, source: str, options: str, said: str) -> None:
    remark = remark_of(Mount(kind, source, frozenset(options.split(","))), FOLDER)
    assert render(remark).startswith(f"{FOLDER} {said}" if said else "")
    assert bool(remark) is bool(said)
    if said:
        assert len({render(remark, language) for language in LANGUAGES}) == len(LANGUAGES)
        assert "[paths] state" in render(remark) or "mount" in render(remark)


REMARK = (
    "from pathlib import Path; import sys; from tablectl.config.mounts import mount_remark;"
    "from tablectl.config.errors import render; print(render(mount_remark(Path(sys.argv[1]))))"
)


@pytest.mark.parametrize(
    ("mounts", "said"),
    [
        ("mount -t tmpfs none {f}", "is in memory (tmpfs)"),
        ("mount -t tmpfs none {f}; mkdir {f}/below; mount --bind /usr {f}/below", "is in memory (tmpfs)"),
        ("mkdir {f}/new; mount -t ramfs none {f}/new; mount -t tmpfs none {f}", "is in memory (tmpfs)"),
        ("mount -t ramfs none {f}; mount -t tmpfs none {f}", "is in memory (tmpfs)"),
        ("mount -t tmpfs none {f}; mount -o remount,ro {f}", "is mounted read-only"),
        (
            "mount -t tmpfs a {f}; cd {f}; mkdir u w; mount -t overlay -o lowerdir=/usr,upperdir=u,workdir=w a {f}",
            "is on a layered file system (overlay)",
        ),
    ],
    ids=["in memory", "beside another", "over a deeper one", "over another", "read-only", "overlay"],
)
def test_folder_is_on_the_mount_that_is_seen_there(mounts: str, said: str, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    folder = tmp_path / "with a space"
    folder.mkdir()
    script = f'set -e; {mounts.format(f="$0")}; cd /; exec "$@"'.replace("$0", '"$0"')
    command = ["unshare", "--mount", "sh", "-c", script, str(folder), sys.executable, "-c", REMARK]
    done = subprocess.run([*command, str(folder / "new" / "state")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
