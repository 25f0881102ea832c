"""`tablectl probe`: one device looked at without a game."""

import os
from pathlib import Path
from typing import NoReturn

import click

from tablectl.features.common.language import unreadable, why_not
from tablectl.features.common.options import finite, read_changes, with_changes, with_language, with_table
from tablectl.features.common.output import write_lines
from tablectl.words import Language


@click.command("probe")
@click.argument("device")
@with_table()
@with_changes
@click.option(
    "--seconds", type=click.FloatRange(0, min_open=True), callback=finite, help="How long; without it, until Ctrl-C."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in a line.")
@click.option("--self-test", is_flag=True, help="Has a draw system test its random source, a display light all it has.")
@with_language
@click.option("--cards", is_flag=True, help="Name the cards that leave a shoe: for a pack that is not in play.")
def probe(
    *,
    device: str,
    config: Path,
    changes: tuple[str, ...],
    seconds: float | None,
    as_json: bool,
    self_test: bool,
    cards: bool,
    lang: Language,
) -> None:
    """Talks to one device without a game.

    Prints who DEVICE is, what comes over its wire and each fact as it comes; of a wheel where it is, and after each
    spin the curve of its speed. What a device keeps for its table is shown and not acknowledged: the table still
    gets it. Nothing is asked of a device but what its table asks whenever it connects, and with --self-test its own
    test, with whose outcome the probe ends.

    \b
    Exit codes:
      0  the device was there          1  it was not, went away, is not the approved one or failed its test
     64  no such device or test       66  the configuration can't be read
     69  the daemon or another program has the port
     78  the configuration is wrong
    """  # noqa: D301  # click wants the character itself
    from tablectl.config.errors import ConfigError
    from tablectl.daemon.room_settings import StartError
    from tablectl.features.probe.device import probe as look
    from tablectl.features.probe.options import Options

    options = Options(seconds, as_json=as_json, cards=cards, self_test=self_test, language=lang)
    try:
        raise SystemExit(look(config, read_changes(changes), device, options))
    except ConfigError as error:
        _leave(why_not(error), os.EX_CONFIG)
    except StartError as error:
        _leave(f"tablectl: {why_not(error)}", error.exit_code)
    except OSError as error:
        _leave(f"tablectl: {unreadable(config, error)}", os.EX_NOINPUT)


def _leave(message: str, code: int) -> NoReturn:
    write_lines(message, err=True)
    raise SystemExit(code)
