"""Safe writing of files in a folder that another user owns: no link is followed.

Root runs some commands on the daemon user's state folder. The owner of a folder can put a link at any name in it, so
root would write, or give away, the file that the link names. Everything here opens the folder once and works on names
inside it, each opened without following links.
"""

import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from tablectl.lazy_dataclass import dataclass

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

LEAST_FILES: Final = 100
"""So many must still go on the disk: logs of SQLite, captures, keys and the half of what is written whole."""


@dataclass(frozen=True, slots=True)
class Room:
    """Free space on a disk, for users other than root.

    Args:
        files: how many more go on it; None where the file system sets no bound.
    """

    bytes: int
    files: int | None

    def lack(self, least_bytes: int) -> str:
        """Return how much is left of the resource that runs out; empty if none does."""
        if self.bytes < least_bytes:
            return f"{self.bytes >> 20} MiB left"
        return f"{self.files} inodes left" if self.files is not None and self.files < LEAST_FILES else ""


def room_in(folder: Path) -> Room:
    """Return the free space on a folder's disk; of one not made yet, on its parent's.

    Raises:
        OSError: the disk doesn't answer.
    """
    disk = os.statvfs(next(path for path in (folder, *folder.parents) if os.access(path, os.F_OK)))
    return Room(disk.f_bavail * disk.f_frsize, disk.f_favail if disk.f_files else None)


def write_whole(path: Path, content: bytes, mode: int) -> None:
    """Write a file whole or not at all, and durably.

    Root writes it for the folder's owner, the daemon user.

    Raises:
        OSError: it can't be written.
    """
    half = f"{path.name}.new"
    with opened_folder(path.parent) as folder:
        remove(half, folder)  # one that was left lying may be readable for others
        handle = os.open(half, _NEW, mode, dir_fd=folder)
        with os.fdopen(handle, "wb") as file:
            _give_to_owner(handle, folder)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, path.name, src_dir_fd=folder, dst_dir_fd=folder)
    sync_folder(path.parent)


def open_kept(path: Path, mode: int = 0o600) -> IO[bytes]:
    """Open a file that stays, such as a lock, for appending.

    It is made where it isn't there.

    Raises:
        OSError: it can't be opened, or is a link.
    """
    with opened_folder(path.parent) as folder:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.fdopen(os.open(path.name, flags, mode, dir_fd=folder), "ab")
        os.fchmod(file.fileno(), mode)
        return file


def write_new_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a new folder, for the owner alone.

    Args:
        files: by name; a name may have one folder in front, as `rounds/1`.

    Raises:
        FileExistsError: the folder is there already.
        OSError: something can't be written.
    """
    path.mkdir(mode=0o700, parents=False)
    with opened_folder(path) as top:
        for below in dict.fromkeys(name.partition("/")[0] for name in files if "/" in name):
            os.mkdir(below, 0o700, dir_fd=top)
        for name, data in files.items():
            below, _, last = name.rpartition("/")
            folder = os.open(below or ".", _FOLDER | os.O_NOFOLLOW, dir_fd=top)
            try:
                with os.fdopen(os.open(last, _NEW, 0o600, dir_fd=folder), "wb") as file:
                    file.write(data)
            finally:
                os.close(folder)


def set_aside(folder: Path, into: str, names: Sequence[str]) -> Path:
    """Move files into a folder beside them, for the owner alone, and durably.

    Args:
        into: the folder's name; it may be there from an attempt that was interrupted.
        names: in the order in which they go; one that isn't there is left out.

    Raises:
        OSError: one can't be moved.
    """
    with opened_folder(folder) as top:
        with suppress(FileExistsError):
            os.mkdir(into, 0o700, dir_fd=top)
        aside = os.open(into, _FOLDER | os.O_NOFOLLOW, dir_fd=top)
        try:
            _give_to_owner(aside, top)
            for name in names:
                with suppress(FileNotFoundError):
                    os.replace(name, name, src_dir_fd=top, dst_dir_fd=aside)
            os.fsync(aside)
            os.fsync(top)
        finally:
            os.close(aside)
    return folder / into


@contextmanager
def new_file(path: Path, half: str) -> Generator[Path]:
    """A file to write that takes its name once all of it is on disk.

    Args:
        half: the name that it has until then, in the same folder.

    Yields:
        A path that leads to this very file, whatever is put at its name meanwhile.

    Raises:
        OSError: it can't be written.
    """
    with opened_folder(path.parent) as folder:
        handle = os.open(half, _NEW, 0o666, dir_fd=folder)
        try:
            yield Path(f"/proc/self/fd/{handle}")
            os.fsync(handle)
            os.replace(half, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            remove(half, folder)
            raise
        finally:
            os.close(handle)


def give_to(user: int, group: int, path: Path) -> None:
    """Change the owner of a file or folder.

    Of a link the link itself is changed, never the file that it names.

    Raises:
        OSError: we may not.
    """
    os.chown(path, user, group, follow_symlinks=False)


def remove(name: str, folder: int) -> None:
    """Take a name out of an opened folder, where it is there."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return


@contextmanager
def opened_folder(path: Path) -> Generator[int]:
    """Open the folder as a descriptor.

    For root the folder itself may be no link either: its parent may be the daemon user's.

    Raises:
        OSError: it can't be opened.
    """
    handle = os.open(path, _FOLDER | (os.O_NOFOLLOW if os.geteuid() == 0 else 0))
    try:
        yield handle
    finally:
        os.close(handle)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable.

    Otherwise a power cut may take back that a file was put in its place.

    Raises:
        OSError: the disk failed.
    """
    with opened_folder(path) as folder:
        os.fsync(folder)


def forget_cached(path: Path) -> None:
    """Have the kernel forget a file's pages, so that the next read is from the medium.

    It goes through a descriptor that this process has open: to close another one would release SQLite's locks.
    """
    with suppress(OSError):
        file = path.stat()
        for opened in Path("/proc/self/fd").iterdir():
            with suppress(OSError):  # closed meanwhile
                if os.path.samestat(file, opened.stat()):
                    os.posix_fadvise(int(opened.name), 0, 0, os.POSIX_FADV_DONTNEED)
                    return


def _give_to_owner(file: int, folder: int) -> None:
    if os.geteuid() == 0:
        owner = os.fstat(folder)
        os.fchown(file, owner.st_uid, owner.st_gid)
