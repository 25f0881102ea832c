"""`tablectl tail`: what tables publish, as it comes."""

import asyncio
import os
import secrets
import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import click

from tablectl.daemon.host.outlet import outlets
from tablectl.edited_files import read_secret
from tablectl.features.common.language import said, why_not
from tablectl.features.common.options import with_language
from tablectl.features.common.output import unhurried_output, write_line, write_lines
from tablectl.features.tail.tail import INCOMPLETE, TailOptions, follow
from tablectl.mqtt.message import Message
from tablectl.mqtt.reconnect import subscribe
from tablectl.mqtt.settings import Tls, broker_settings
from tablectl.tls_files import check_pair
from tablectl.words import Language
from tablectl.words.reason import reasons_within

UNUSABLE = 2
ENDED_BY_PIPE = 128 + 13
"""What a shell reports of a program that SIGPIPE ended."""

FILE = click.Path(exists=True, dir_okay=False, readable=True)


def _read_name(ctx: click.Context, param: click.Parameter, value: str) -> str:  # noqa: ARG001  # click's form
    """A level of a topic, or `+` for all."""
    if value != "+" and (not value or set(value) & set("/+#\0")):
        raise click.BadParameter("a name as in topics, without / + #")
    return value


@click.command()
@click.option(
    "--broker",
    default="mqtt://127.0.0.1",
    show_default=True,
    metavar="URL",
    help="mqtt://[USER@]HOST[:PORT] or mqtts://…",
)
@click.option(
    "--password-file", type=click.Path(path_type=Path, dir_okay=False), help="Its first line is the password."
)
@click.option("--ca", type=FILE, help="Who signed the broker's certificate (mqtts).")
@click.option("--cert", type=FILE, help="Our own certificate (mqtts).")
@click.option("--key", type=FILE, help="The key to it.")
@click.option("--site", default="+", callback=_read_name, help="One site; all without it.")
@click.option("--table", default="+", callback=_read_name, help="One table; all without it.")
@click.option("--json", "raw", is_flag=True, help="Print payloads as they come, one in a line.")
@with_language
@click.option("--count", type=click.IntRange(1), help="End after so many events.")
def tail(*, password_file: Path | None, lang: Language, **given: Any) -> None:
    """Follows what tables publish, in words. Ends with Ctrl-C; says what is missing.

    It may run before the table and the broker do, and outlives both.

    Exit status: 0 nothing missing between the first and the last event seen, 1 something missing, 2 the address is
    wrong or the broker refuses us.
    """
    from tablectl.features.tail.cli import tail_table
    from tablectl.features.tail.tail import TailOptions
    from tablectl.mqtt.client import BrokerError

    try:
        options = TailOptions(
            **given,
            password=read_secret(password_file) if password_file else None,
            language=lang,
            colour=bool(sys.stdout and sys.stdout.isatty()),
        )
        if options.cert:
            check_pair(options.cert, options.key)
        with unhurried_output(lang, for_machines=options.raw):
            status = asyncio.run(tail_table(options, write_line, lambda line: _note(reasons_within(line, lang))))
            if lost := sum(outlet.lost for outlet in outlets() if outlet is sys.stdout.buffer):
                _note(said("left_out", lang, lines=lost))
                status = INCOMPLETE
        raise SystemExit(status)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123,SIM115  # the interpreter flushes it once more at its end
        raise SystemExit(ENDED_BY_PIPE) from None
    except (BrokerError, ValueError, OSError) as error:
        _note(f"tablectl tail: {why_not(error)}")
        raise SystemExit(UNUSABLE) from None


def _note(line: str) -> None:
    write_lines(line, err=True)


async def tail_table(options: TailOptions, out: Callable[[str], None], note: Callable[[str], None]) -> int:
    """Follows the feed; see `follow`.

    Raises:
        BrokerRefusedError: the broker doesn't let us in, or keeps the topics from us.
        ValueError: the address isn't a broker's.
    """
    tls = Tls(options.ca, options.cert, options.key)
    settings = broker_settings(options.broker, options.password, tls)
    client_id = f"tablectl-tail-{secrets.token_hex(4)}"

    def messages(
        filters: tuple[str, ...], on_connection: Callable[[Exception | None], None]
    ) -> AsyncGenerator[Message]:
        return subscribe(settings, filters, client_id, on_connection)

    return await follow(options, messages, out, note)
