"""The journal's files as our own writes left them.

By them a write of anybody else is noticed.
"""

from pathlib import Path

from tablectl.journal.files import identity
from tablectl.journal.reading.reader import FILE


class OwnFiles:
    """Identity of each file, and of those with content their size and last write.

    SQLite's log is written by our transactions alone and its file by our checkpoints; readers write into neither.
    """

    def __init__(self, folder: Path) -> None:
        self._log, self._lock = folder / f"{FILE}-wal", folder / "lock"
        self._as_left: dict[Path, tuple[int, ...] | None] = dict.fromkeys((folder / FILE, self._log, self._lock))
        self.checkpointed()

    def checkpointed(self) -> None:
        """Take the files in as a checkpoint of ours left them."""
        for path in self._as_left:
            self._take_in(path)

    def committed(self) -> None:
        """Take SQLite's log in as a transaction of ours left it."""
        self._take_in(self._log)

    def foreign(self) -> Path | None:
        """Return the first file that isn't as we left it.

        One that wasn't there before is taken in.
        """
        for path, before in self._as_left.items():
            if before is None:
                self._take_in(path)
            elif self._now(path) != before:
                return path
        return None

    def _take_in(self, path: Path) -> None:
        """Never one that was put in another's place."""
        before, now = self._as_left[path], self._now(path)
        if before is None or (now is not None and now[:2] == before[:2]):
            self._as_left[path] = now

    def _now(self, path: Path) -> tuple[int, ...] | None:
        return identity(path, by_content=path is not self._lock)
