"""`tablectl void` and `correct`: end a round without a result, correct payments.

A correction is for a round that is over.
"""

import re
from typing import Any, Final

import click

from tablectl.features.common.table_requests import Asker, for_the_record, run, with_person, with_second

CHANGE: Final = re.compile(r"([^=]{1,64})=([+-]?)((?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,2})?)")


def round_id_of(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    """Return a round's id from `1a2b3c4d-17`, or its number from `17`.

    The table completes a number.

    Raises:
        click.BadParameter: it is neither.
    """
    found = re.fullmatch(r"(?:([0-9a-z]{1,32})-)?0*([0-9]{1,12})", value)
    if found is None:
        raise click.BadParameter(f"{value!r} is no round: one is as 17 or 1a2b3c4d-000017, see tablectl recall")
    return f"{found[1]}-{int(found[2]):06d}" if found[1] else found[2]


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

    ROUND, as 17 or 1a2b3c4d-17, has to be that one; all stakes go back, for REASON.

    A supervisor does it, or a dealer with a supervisor as --second. It is recorded and published with all names.

    Exit status: 0 recorded, 1 refused, 2 the table can't be asked.
    """
    run("void", "void_round", {"reason": reason}, Asker(**given), round_id)


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

    The round is over, and the bettors' money wasn't right.

    Its settlement stays as it was published; what differs is a new fact, recorded and published with both names. Two
    persons do it, one of them a supervisor: --person and --second.

    Exit status: 0 recorded, 1 refused, 2 the table can't be asked.
    """
    fields = {"corrects": round_id, "reason": reason, "changes": changes}
    run("correct", "correct_round", fields, Asker(**given))
