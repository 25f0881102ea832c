"""The daemon's log: JSON lines for journald, readable lines for a terminal. Never a card that lies face down."""

import logging
import sys
from typing import Literal

import structlog

Form = Literal["auto", "json", "text"]


def configure(level: str, form: Form = "auto") -> None:
    """Sends all logging to standard error in this form, from this level on."""
    text = form == "text" or (form == "auto" and sys.stderr.isatty())
    renderer = structlog.dev.ConsoleRenderer() if text else structlog.processors.JSONRenderer(ensure_ascii=False)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    # Libraries keep to the standard module: only what goes wrong there is worth a line here.
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s", force=True)


def logger(area: str) -> structlog.stdlib.BoundLogger:
    """A logger whose lines carry the name of their area."""
    bound: structlog.stdlib.BoundLogger = structlog.get_logger(area=area)
    return bound
