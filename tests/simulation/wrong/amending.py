"""Daemons that make something wrong of amendments."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import tablectl.history.board
from tablectl.core.actions import authority
from tablectl.core.actions.authority import Need
from tablectl.core.amending import amendments, refold
from tablectl.daemon.requests.amendment_edits import EditReader
from tests.simulation.wrong import Patch


def forgets_a_change() -> list[Patch]:
    edits = EditReader.edits

    def forgetful(self: Any, changes: Any) -> Any:
        made = edits(self, changes)
        return made[:-1] if isinstance(made, tuple) else made

    return [(EditReader, "edits", forgetful)]


def settles_with_the_old_facts() -> list[Patch]:
    amended = amendments.as_amended
    return [(amendments, "as_amended", lambda known, made: amended(known, tuple(made)[:-1]))]


def keeps_the_old_money() -> list[Patch]:
    return [(amendments, "_nets_after", lambda case: case.ending.nets if case.ending else None)]


def keeps_the_events_that_count_no_more() -> list[Patch]:
    said = amendments._said  # pyright: ignore[reportPrivateUsage]

    def kept(case: Any) -> Any:
        first, *rest = said(case)
        return (replace(first, event=replace(first.event, amends=first.event.amends[1:])), *rest)

    return [(amendments, "_said", kept)]


def keeps_an_answer() -> list[Patch]:
    """A decision stays though its bettor has no bet any more: what an amendment refuses is told as it was before."""
    fold = amendments.refold

    def kept(then: Any, opening: Any, facts: Sequence[Any]) -> Any:
        done = fold(then, opening, facts)
        for no in done.refused:
            if no.placed.verb == "decide":
                done.events += [said for said in fold(then, opening, _as_recorded(facts)).events if _decides(said)]
        return done

    return [(amendments, "refold", kept)]


def _as_recorded(facts: Sequence[Any]) -> list[Any]:
    return [placed for placed in facts if placed.made_by is None]


def _decides(said: Any) -> bool:
    return type(said.event).__name__ == "Decided"


def lets_anybody_amend() -> list[Patch]:
    return [(authority, "_to_amend", lambda *_: Need.ANY)]


def lets_one_person_amend_what_is_over() -> list[Patch]:
    to_amend = authority._to_amend  # pyright: ignore[reportPrivateUsage]
    return [(authority, "_to_amend", lambda *given: min(to_amend(*given), Need.SUPERVISOR))]


def leaves_the_board_as_it_was() -> list[Patch]:
    moves_end = tablectl.history.board.moves_end

    def ends(event: Any) -> bool:
        return moves_end(event) and b"round.corrected" not in event.payload

    return [(tablectl.history.board, "moves_end", ends)]


def asks_devices_again() -> list[Patch]:
    return [(amendments, "_commands", lambda case: tuple(case.after.commands))]


def counts_what_was_struck() -> list[Patch]:
    stand = refold._that_stand  # pyright: ignore[reportPrivateUsage]

    def counted(made: Any) -> Any:
        return [replace(each, edits=each.edits[:0]) for each in stand(made)]

    return [(refold, "_that_stand", counted)]
