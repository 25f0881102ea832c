"""The daemon's log: JSON lines for journald, readable lines for a terminal.

It never names a card that lies face down. Its levels change while the daemon runs: a file in its state folder has the
new level, and a signal tells the daemon to read it.
"""

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal, TextIO, cast, get_args

from tablectl.config.values import Area, Level
from tablectl.journal.files import write_whole
from tablectl.lazy_dataclass import dataclass

# structlog draws tracebacks with rich wherever that is installed, which costs the daemon 5 MiB and a tenth of its
# start. None in a module's place says that it isn't installed.
_HIDES_RICH = "rich" not in sys.modules
if _HIDES_RICH:
    sys.modules["rich"] = cast("ModuleType", None)

import structlog  # noqa: E402

from tablectl.words.terminal import visible  # noqa: E402

if _HIDES_RICH:
    del sys.modules["rich"]

Form = Literal["auto", "json", "text"]

_ORDER: Final[Mapping[str, int]] = {level: order for order, level in enumerate(get_args(Level))}
_TRACE: Final = "_trace"
"""Marks a line of the level that structlog doesn't know."""


@dataclass(slots=True)
class Levels:
    """The log level of each area, as the first of structlog's processors.

    It changes at run time.
    """

    usual: Level
    areas: dict[str, Level] = field(default_factory=dict[str, Level])

    def lets(self, area: str, level: str) -> bool:
        """Return True if a line of this level is written.

        A line whose level isn't known here is always written.
        """
        return _ORDER.get(level, len(_ORDER)) >= _ORDER[self.areas.get(area, self.usual)]

    def turn(self, level: Level, area: Area | None) -> None:
        """Has an area heard from this level on; every area where none is named."""
        if area is None:
            self.usual = level
            self.areas.clear()
        else:
            self.areas[area] = level

    def __call__(self, _logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        """Lets a line pass, or drops it."""
        if event.pop(_TRACE, False):
            event["level"] = "trace"
        if not self.lets(str(event.get("area", "")), str(event["level"])):
            raise structlog.DropEvent
        return event


class _Unfailing:
    """Standard error whose writes never fail.

    A full disk or a closed pipe must not end the program.
    """

    def write(self, text: str) -> int:
        with suppress(OSError, ValueError):
            return sys.stderr.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            sys.stderr.flush()


def configure(level: Level, form: Form = "auto", areas: Mapping[Area, Level] | None = None) -> None:
    """Send all logging to standard error in this form, from this level on.

    Some areas may have another level.
    """
    text = form == "text" or (form == "auto" and sys.stderr.isatty())
    renderer = (
        structlog.dev.ConsoleRenderer(colors=_colour())
        if text
        else structlog.processors.JSONRenderer(ensure_ascii=False)
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            Levels(level, {str(area): each for area, each in (areas or {}).items()}),
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _harmless,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG),
        logger_factory=structlog.WriteLoggerFactory(file=cast("TextIO", _Unfailing())),
        cache_logger_on_first_use=True,
    )
    # Libraries keep to the standard module: only what goes wrong there is worth a line here.
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s", force=True)


def _harmless(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The line without control characters that a terminal would obey.

    Line ends stay: both forms write them as they should.
    """
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = "\n".join(map(visible, value.split("\n")))
    return event


def _colour() -> bool:
    """Return True if standard error is a terminal for colours (https://no-color.org)."""
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def logger(area: Area) -> structlog.stdlib.BoundLogger:
    """A logger whose lines carry the name of their area."""
    bound: structlog.stdlib.BoundLogger = structlog.get_logger(area=area)
    return bound


def left_out(lines: int) -> str:
    """The log line for lines that are missing at its place, in the form of all others."""
    event: Any = {"area": "log", "event": "lines were left out: nobody took them", "lines": lines}
    for process in structlog.get_config()["processors"]:
        event = process(None, "error", event)
    return f"{event}\n"


def levels() -> Levels:
    """The levels in force, to be read and changed.

    Before `configure` they are levels that nothing uses.
    """
    for each in structlog.get_config()["processors"]:
        if isinstance(each, Levels):
            return each
    return Levels("error")


def is_traced(area: Area) -> bool:
    """Return True if the frames of this area are written.

    With it no frame is put into words for nothing.
    """
    return levels().lets(area, "trace")


def trace(area: Area, said: str, **values: object) -> None:
    """Writes a line of the lowest level."""
    logger(area).debug(said, **{_TRACE: True, **values})


LEVEL_SIGNAL: Final = signal.SIGUSR2
_LEVEL_FILE: Final = "log-level.json"


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
            text = await asyncio.to_thread(_take_request, self.folder / _LEVEL_FILE)
            if (asked := _read_request(text)) is not None:
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
    path = folder / _LEVEL_FILE
    write_whole(path, json.dumps({"level": level, "area": area}).encode(), 0o600)
    return path


def _take_request(path: Path) -> str:
    try:
        text = path.read_text("utf-8")
        path.unlink()
    except (OSError, UnicodeDecodeError):
        return ""
    return text


def _read_request(text: str) -> tuple[Level, Area | None] | None:
    """The requested level and area; None where the text is no known request."""
    try:
        form = json.loads(text)
        level, area = form["level"], form["area"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if level not in get_args(Level) or area not in {None, *get_args(Area)}:
        return None
    return cast("Level", level), cast("Area | None", area)
