"""The journal's files as our own writes left them, so that anybody else's are noticed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tablectl.journal.files import identity
from tablectl.journal.reading.reader import FILE

LOG: Final = f"{FILE}-wal"
NAMES: Final = (FILE, LOG, "lock")


class OwnFiles:
    """Identity of each file, and of those with content their size and the time of their last writing.

    SQLite's log is written by our transactions alone and its file by our checkpoints; readers write into neither.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._as_left: dict[str, tuple[int, ...] | None] = {}
        self.left()

    def left(self, names: Sequence[str] = NAMES) -> None:
        """Take the files in as a write of ours left them; never one that was put in another's place."""
        for name in names:
            before, now = self._as_left.get(name), self._now(name)
            if before is None or (now is not None and now[:2] == before[:2]):
                self._as_left[name] = now

    def foreign(self) -> Path | None:
        """Return the first file that isn't as we left it; one that wasn't there before is taken in."""
        for name, before in self._as_left.items():
            if before is None:
                self._as_left[name] = self._now(name)
            elif self._now(name) != before:
                return self._folder / name
        return None

    def _now(self, name: str) -> tuple[int, ...] | None:
        return identity(self._folder / name, by_content=name != "lock")
