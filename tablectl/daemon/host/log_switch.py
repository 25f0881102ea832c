"""Changes of log levels while the daemon runs.

A file in its state folder has the new level, and a signal tells the daemon to read it.
"""

import asyncio
import json
import signal
from dataclasses import field
from pathlib import Path
from typing import Final, cast, get_args

from tablectl.config.values import Area, Level
from tablectl.daemon.host.log import levels, logger
from tablectl.journal.files import write_whole
from tablectl.lazy_dataclass import dataclass

SIGNAL: Final = signal.SIGUSR2
_FILE: Final = "log-level.json"


@dataclass(slots=True)
class LevelSwitch:
    """The daemon's side: takes each file away once it is done.

    Args:
        folder: the state folder, which is the owner's alone: who may write there may decide what is logged.
    """

    folder: Path
    _signalled: asyncio.Event = field(default_factory=asyncio.Event)

    def signal(self) -> None:
        """Says that a file lies there."""
        self._signalled.set()

    async def run(self) -> None:
        """Follows the files, for ever."""
        while True:
            await self._signalled.wait()
            self._signalled.clear()
            text = await asyncio.to_thread(_take, self.folder / _FILE)
            if (asked := _read(text)) is not None:
                level, area = asked
                levels().turn(level, area)
                logger("log").warning("level changed", to=level, of=area or "every area")


def leave_request(folder: Path, level: Level, area: Area | None) -> Path:
    """Leave a request for the daemon of this state folder.

    The daemon is then to be signalled.

    Returns:
        The file; it is gone once the daemon has carried the request out.

    Raises:
        OSError: it can't be written.
    """
    path = folder / _FILE
    write_whole(path, json.dumps({"level": level, "area": area}).encode(), 0o600)
    return path


def _take(path: Path) -> str:
    try:
        text = path.read_text("utf-8")
        path.unlink()
    except (OSError, UnicodeDecodeError):
        return ""
    return text


def _read(text: str) -> tuple[Level, Area | None] | None:
    """The requested level and area; None where the text is no known request."""
    try:
        form = json.loads(text)
        level, area = form["level"], form["area"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if level not in get_args(Level) or area not in {None, *get_args(Area)}:
        return None
    return cast("Level", level), cast("Area | None", area)
