"""`tablectl void` and `correct`: end a round without a result, correct payments.

A correction is for a round that is over.
"""

import re
from typing import Any, Final

import click

from tablectl.features.common.errors import NOT_FOUND, leave, leaving
from tablectl.features.common.language import said, why_not
from tablectl.features.common.output import write_line
from tablectl.features.common.table_files import looking_back
from tablectl.features.common.table_requests import Asker, for_the_record, run, with_person, with_second

EVENT: Final = re.compile(r"event:[0-9]{1,16}")

CHANGE: Final = re.compile(r"([^=]{1,64})=([+-]?)((?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,2})?)")


def round_id_of(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    """Return a round's id from `1a2b3c4d-17`, or its number from `17`.

    The table completes a number; `event:4031` stays as it is.

    Raises:
        click.BadParameter: it is none of them.
    """
    if EVENT.fullmatch(value):
        return value
    found = re.fullmatch(r"(?:([0-9a-z]{1,32})-)?0*([0-9]{1,12})", value)
    if found is None:
        raise click.BadParameter(f"{value!r} is no round: one is as 17, 1a2b3c4d-17 or event:4031, see tablectl recall")
    return f"{found[1]}-{int(found[2]):06d}" if found[1] else found[2]


def _round_of(given: str, command: str, asker: Asker) -> str:
    """Return the round of `event:4031`, by this machine's journal.

    Any other round is given back.
    """
    from tablectl.history.explain.build import UnknownRoundError, round_meant

    if not EVENT.fullmatch(given):
        return given
    if asker.url is not None:
        raise click.UsageError(said("usage.event_config", asker.lang))
    with leaving(command), looking_back(asker.config, None) as (reader, _):
        try:
            meant = round_meant(reader, given)
        except UnknownRoundError as error:
            leave(command, why_not(error), NOT_FOUND)
    write_line(said("errand.event_round", asker.lang, event=given, round=meant), err=True)
    return meant


def changes_of(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> list[dict[str, str]]:
    """Return the bettors' changes, in the form of the console's API.

    A bettor gets more or gives back.
    """
    return [_change(value) for value in values]


def _change(value: str) -> dict[str, str]:
    found = CHANGE.fullmatch(value)
    if found is None or not float(found[3]):
        raise click.BadParameter(f"{value!r} isn't BETTOR=AMOUNT, as Ho=150 for more or Ho=-0.50 for back")
    return {"bettor": found[1], "amount": f"{'-' if found[2] == '-' else ''}{found[3]}"}


@click.command("void")
@click.argument("round_id", metavar="ROUND", callback=round_id_of)
@click.argument("reason", callback=for_the_record)
@with_second
@with_person
def void(*, round_id: str, reason: str, **given: Any) -> None:
    """Voids the open round.

    ROUND, as 17, 1a2b3c4d-17, or event:4031 for the round of an event, has to be that one; all stakes go back, for
    REASON.

    A supervisor does it, or a dealer with a supervisor as --second. It is recorded and published with all names.

    Exit status: 0 recorded, 1 refused, 2 the table can't be asked.
    """
    asker = Asker(**given)
    run("void", "void_round", {"reason": reason}, asker, _round_of(round_id, "void", asker))


@click.command("correct")
@click.argument("round_id", metavar="ROUND", callback=round_id_of)
@click.argument("reason", callback=for_the_record)
@click.option(
    "--change",
    "changes",
    metavar="BETTOR=AMOUNT",
    callback=changes_of,
    multiple=True,
    required=True,
    help="What a bettor gets more, or with - gives back; again for each bettor.",
)
@with_second
@with_person
def correct(*, round_id: str, reason: str, changes: list[dict[str, str]], **given: Any) -> None:
    """Corrects the payments of a finished ROUND.

    The round is over, and the bettors' money wasn't right. ROUND is as 17, 1a2b3c4d-17, or event:4031 for the round
    of an event.

    Its settlement stays as it was published; what differs is a new fact, recorded and published with both names. Two
    persons do it, one of them a supervisor: --person and --second.

    Exit status: 0 recorded, 1 refused, 2 the table can't be asked.
    """
    asker = Asker(**given)
    fields = {"corrects": _round_of(round_id, "correct", asker), "reason": reason, "changes": changes}
    run("correct", "correct_round", fields, asker)
