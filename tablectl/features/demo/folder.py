"""Folder of the demo: private, and removed with the demo.

The next demo removes what a killed one left.
"""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

PREFIX: Final = "tablectl-demo-"
LOCK: Final = "lock"
OLD_S: Final = 60.0
"""A folder younger than this may be of a demo that is just starting."""


@contextmanager
def demo_folder(keep: Path | None) -> Generator[Path]:
    """Make a folder for the demo's state.

    It is a new one that is removed at the end, or the one to keep.
    """
    if keep is not None:
        keep.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield keep.resolve()
        return
    _sweep(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    lock = _locked(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _locked(folder: Path) -> int:
    """A lock on the folder that ends with this process, whatever ends it."""
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


def _sweep(root: Path) -> None:
    """Removes our own folders whose demo is no more."""
    for folder in root.glob(f"{PREFIX}*"):
        try:
            seen = folder.lstat()
            ours = seen.st_uid == os.getuid() and time.time() - seen.st_mtime > OLD_S  # noqa: TID251  # beside a file's own time
            if ours and not folder.is_symlink():
                os.close(_locked(folder))
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # another demo has it, or has just removed it
