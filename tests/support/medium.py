"""A bad medium's damage, of which no file's size and time of writing tell; a statement stands for it in tests."""

from collections.abc import Callable
from pathlib import Path

from tablectl.journal.database import OwnFiles


def leave_no_trace(patch: Callable[[object, str, object], None] = setattr) -> None:
    """Have a journal of this process know its files by their inodes alone."""
    patch(OwnFiles, "_now", _inode)


def _inode(_files: OwnFiles, path: str) -> tuple[int, ...] | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
