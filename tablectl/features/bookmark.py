"""`tablectl bookmark` and `acknowledge`: actions at a running table.

A person takes them in their own name.
"""

from typing import Any, Final

import click

from tablectl.features.common.errors import NOT_FOUND, leave, leaving
from tablectl.features.common.language import said, why_not
from tablectl.features.common.output import tell_left_out, write_lines
from tablectl.features.common.table_files import looking_back
from tablectl.features.common.table_requests import Asker, for_the_record, run, with_person

NAME_MOST: Final = 64


@click.command("bookmark")
@click.argument("note", callback=for_the_record)
@click.option("--sequence", type=click.IntRange(1, 2**53 - 1), help="The event that is meant; without it, this moment.")
@click.option(
    "--at",
    metavar="TIME",
    help="The last event by then, as 2026-11-20T14:03:07: local, or with its zone; needs --config.",
)
@with_person
def bookmark(*, note: str, sequence: int | None, at: str | None, **given: Any) -> None:
    """Marks this moment, or an event, with NOTE.

    The table is at work; it records and publishes the mark.

    Exit status: 0 recorded, 1 refused, 2 the table can't be asked.
    """
    asker = Asker(**given)
    if at is not None and sequence is not None:
        raise click.UsageError(said("bookmark.one_of", asker.lang))
    meant = _event_at(at, asker) if at is not None else sequence
    run("bookmark", "bookmark", {"note": note, **({"sequence": meant} if meant else {})}, asker)


def _event_at(at: str, asker: Asker) -> int:
    """Return the number of the event that a time means, and print which it is.

    It is found in the journal on this machine.
    """
    from tablectl.core.money import utc_text
    from tablectl.daemon.host.clock import SystemClock
    from tablectl.features.case.moment import event_by, wall_time
    from tablectl.history.explain.build import UnknownRoundError
    from tablectl.journal.reading.ranges import records_between

    if (at_us := wall_time(at)) is None:
        raise click.BadParameter(said("bookmark.no_time", asker.lang))
    if asker.url is not None:
        raise click.UsageError(said("bookmark.at_config", asker.lang))
    with leaving("bookmark"), looking_back(asker.config, None) as (reader, _):
        try:
            row, left_out = event_by(reader, at_us, SystemClock().now().utc_us)
            stored_us = next(each.recorded_us for each in records_between(reader, row.record, row.record))
        except UnknownRoundError as error:
            leave("bookmark", why_not(error), NOT_FOUND)
    told = said("bookmark.taken", asker.lang, sequence=row.sequence, stored=utc_text(stored_us), at=utc_text(at_us))
    write_lines(told, err=True)
    tell_left_out(left_out, asker.lang)
    return row.sequence


def device_name(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    """Return the name of a device, which is short.

    Raises:
        click.BadParameter: it is too long.
    """
    if len(value) > NAME_MOST:
        raise click.BadParameter(f"it has {len(value)} characters, and {NAME_MOST} are the most")
    return value


@click.command("acknowledge")
@click.argument("code", type=click.IntRange(1, 9999))
@click.option("--device", default="", callback=device_name, help="The device; without it the controller's own fault.")
@with_person
def acknowledge(*, code: int, device: str, **given: Any) -> None:
    """Acknowledges fault CODE. It is recorded and published.

    Exit status: 0 recorded, 1 refused, 2 the table can't be asked.
    """
    run("acknowledge", "acknowledge_fault", {"code": code, "device": device}, Asker(**given))
