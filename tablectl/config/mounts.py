"""Check of the state folder's file system.

A remark is made where it may not keep what is acknowledged.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tablectl.config.errors import Text, worded
from tablectl.lazy_dataclass import dataclass

KEPT: Final = frozenset(
    {"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "jfs", "nilfs2", "reiserfs", "xfs", "zfs"}
)
"""On a disk of this machine, which keeps what it was told to keep."""

_IN_MEMORY, _LAYERED, _AFAR = "remark.in_memory", "remark.layered", "remark.afar"
_OTHERS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("tmpfs", "ramfs", "devtmpfs", "hugetlbfs"), _IN_MEMORY),
    **dict.fromkeys(("overlay", "overlayfs", "aufs", "unionfs"), _LAYERED),
    **dict.fromkeys(("fuse.fuse-overlayfs", "fuse.mergerfs", "fuse.unionfs", "fuse.unionfs-fuse"), _LAYERED),
    **dict.fromkeys(("nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "lustre", "glusterfs", "ncpfs"), _AFAR),
    **dict.fromkeys(("9p", "virtiofs", "vboxsf", "ocfs2", "gfs2", "fuse.sshfs", "fuse.glusterfs"), _AFAR),
    **dict.fromkeys(("fuse.s3fs", "fuse.rclone", "fuse.ceph", "fuse.vmhgfs-fuse", "fuse.davfs2"), _AFAR),
}
"""What there is to know of other kinds."""

STATE: Final = "[paths] state"
_RAM_DISKS: Final = ("/dev/ram", "/dev/zram")
_UNFLUSHED: Final = frozenset({"nobarrier", "barrier=0", "fsync_mode=nobarrier"})
"""With these the kernel doesn't have the disk write its cache out."""


@dataclass(frozen=True, slots=True)
class Mount:
    """A mounted file system.

    Args:
        kind: as `ext4`.
        source: the disk, as `/dev/sda1`.
        options: of the mount and of the file system.
    """

    kind: str
    source: str
    options: frozenset[str]


def mount_of(mountinfo: str, number: str) -> Mount | None:
    """Find the mount of this number in the text of `/proc/self/mountinfo`.

    The form is that of proc_pid_mountinfo(5). None where there is no such mount.
    """
    for line in mountinfo.splitlines():
        left, _, right = line.partition(" - ")
        before, after = left.split(" "), right.split(" ")
        if before[0] == number and len(before) > 5 and len(after) > 2:
            return Mount(after[0], after[1], frozenset({*before[5].split(","), *after[2].split(",")}))
    return None


def remark_of(mount: Mount, folder: Path, setting: str = STATE) -> Text:
    """Return a remark on a mount as the place of a state folder, with advice.

    It is empty where all is well.

    Args:
        setting: of the configuration, that names the folder.
    """
    if "ro" in mount.options:
        return worded("remark.read_only", folder=folder)
    if mount.source.startswith(_RAM_DISKS):
        return worded(_IN_MEMORY, folder=folder, kind=f"{mount.kind}, {mount.source}", setting=setting)
    if mount.kind not in KEPT:
        return worded(_OTHERS.get(mount.kind, "remark.unknown_disk"), folder=folder, kind=mount.kind, setting=setting)
    if unflushed := sorted(mount.options & _UNFLUSHED):
        return worded("remark.unflushed", folder=folder, option=unflushed[0])
    return ""


def mount_remark(folder: Path, setting: str = STATE) -> Text:
    """Return a remark on the disk that a folder is or will be on, with advice.

    It is empty where all is well.
    """
    for there in (folder, *folder.parents):
        try:
            handle = os.open(there, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            continue  # not made yet, or not for us to look into
        try:
            # The number of the very mount: of several at one place, and of one below another, only one is seen.
            described = Path(f"/proc/self/fdinfo/{handle}").read_text("ascii")
            mounts = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape")
        except OSError:
            return ""
        finally:
            os.close(handle)
        number = dict(line.split(":\t", 1) for line in described.splitlines() if ":\t" in line).get("mnt_id", "")
        mount = mount_of(mounts, number)
        return remark_of(mount, folder, setting) if mount else ""
    return ""
