"""The daemon's log: JSON lines for journald, readable lines for a terminal. Never a card that lies face down."""

import logging
import os
import sys
from contextlib import suppress
from types import ModuleType
from typing import Literal, TextIO, cast

# structlog draws tracebacks with rich wherever that is installed, which costs the daemon 5 MiB and a tenth of its
# start. None in a module's place says that it isn't installed.
_HIDES_RICH = "rich" not in sys.modules
if _HIDES_RICH:
    sys.modules["rich"] = cast("ModuleType", None)

import structlog  # noqa: E402

if _HIDES_RICH:
    del sys.modules["rich"]

Form = Literal["auto", "json", "text"]


class _Unfailing:
    """Standard error, for whoever must not fall because nobody takes its words: a full disk, a closed pipe."""

    def write(self, text: str) -> int:
        with suppress(OSError, ValueError):
            return sys.stderr.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            sys.stderr.flush()


def configure(level: str, form: Form = "auto") -> None:
    """Sends all logging to standard error in this form, from this level on."""
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
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.WriteLoggerFactory(file=cast("TextIO", _Unfailing())),
        cache_logger_on_first_use=True,
    )
    # Libraries keep to the standard module: only what goes wrong there is worth a line here.
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s", force=True)


def _colour() -> bool:
    """Whether standard error is a terminal for colours (https://no-color.org)."""
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def logger(area: str) -> structlog.stdlib.BoundLogger:
    """A logger whose lines carry the name of their area."""
    bound: structlog.stdlib.BoundLogger = structlog.get_logger(area=area)
    return bound
