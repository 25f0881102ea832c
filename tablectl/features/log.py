"""`tablectl log`: how much a daemon says, changed while it runs."""

import os
from pathlib import Path
from typing import Final, NoReturn, get_args

import click

from tablectl.config.values import Area, Level
from tablectl.features.common.language import here, said, why_not
from tablectl.features.common.options import with_language, with_table
from tablectl.features.common.output import write_line, write_lines
from tablectl.words import Language
from tablectl.words.reason import why

ABSENT, UNREADABLE = 1, 2
WITHIN_S: Final = 5.0
LOOK_EVERY_S: Final = 0.05


@click.command("log")
@click.argument("level", type=click.Choice(get_args(Level)))
@click.argument("area", required=False, type=click.Choice(get_args(Area)))
@with_table()
@with_language
def log(*, level: Level, area: Area | None, config: Path, lang: Language) -> None:
    """Changes the log level of a running daemon.

    It changes one AREA, or all; run this with sudo, or as user tablectl.

    Lasts until the daemon ends; what stands under [log] in the configuration counts from its next start. At trace,
    the area drivers says each frame on the wires in words; no card is named.

    Exit status: 0 changed, 1 no daemon of this table runs or it doesn't answer, 2 something can't be read or written.
    """
    from tablectl.config import load
    from tablectl.config.checks import state_dir
    from tablectl.config.errors import ConfigError
    from tablectl.features.journal.take_over import NoTakeOverError, daemon_of

    try:
        folder = state_dir(load(config, {}))
        changed = _changed(folder, daemon_of(folder), level, area)
    except NoTakeOverError:
        _leave(said("log.absent", lang), ABSENT)
    except ConfigError as error:
        _leave(why_not(error), UNREADABLE)
    except OSError as error:
        _leave(f"{error.filename or config}: {why(error, here())}", UNREADABLE)
    if not changed:
        _leave(said("log.silent", lang), ABSENT)
    write_line(said("log.changed", lang, area=area or said("log.every_area", lang), level=level))


def _changed(folder: Path, daemon: int, level: Level, area: Area | None) -> bool:
    """Return True if the daemon took the change in time."""
    import time

    from tablectl.daemon.host.log import LEVEL_SIGNAL, leave_request

    request = leave_request(folder, level, area)
    os.kill(daemon, LEVEL_SIGNAL)
    deadline_s = time.monotonic() + WITHIN_S
    while request.exists():
        if time.monotonic() > deadline_s:
            request.unlink(missing_ok=True)
            return False
        time.sleep(LOOK_EVERY_S)
    return True


def _leave(message: str, code: int) -> NoReturn:
    write_lines(f"tablectl log: {message}", err=True)
    raise SystemExit(code)
