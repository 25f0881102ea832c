"""A bad medium's damage, of which no file's size and time of writing tell; a statement stands for it in tests."""

from collections.abc import Callable
from pathlib import Path

from tablectl.journal import own_files
from tablectl.journal.files import identity


def leave_no_trace(patch: Callable[[object, str, object], None] = setattr) -> None:
    """Have a journal of this process know its files by their inodes alone."""
    patch(own_files, "identity", _inode)


def _inode(path: Path, **_: bool) -> tuple[int, ...] | None:
    return identity(path, by_content=False)
