"""Daemons that make something wrong of amendments."""

from dataclasses import replace
from typing import Any

import tablectl.history.board
import tablectl.history.journal_scan
from tablectl.core.actions import authority
from tablectl.core.actions.authority import Need
from tablectl.core.amending import amendments, placed, published
from tablectl.core.effects import RequestDraw
from tablectl.daemon.requests.amendment_edits import EditReader
from tests.simulation.wrong import Patch


def forgets_a_change() -> list[Patch]:
    edits = EditReader.edits

    def forgetful(self: Any, changes: Any) -> Any:
        made = edits(self, changes)
        return made[:-1] if isinstance(made, tuple) else made

    return [(EditReader, "edits", forgetful)]


def settles_with_the_old_facts() -> list[Patch]:
    amended = placed.as_amended
    return [(amendments, "as_amended", lambda known, made: amended(known, tuple(made)[:-1]))]


def keeps_the_old_money() -> list[Patch]:
    return [(published, "_nets_after", lambda case: case.ending.nets if case.ending else None)]


def keeps_an_event_that_counts_no_more() -> list[Patch]:
    said = published.announced

    def kept(case: Any) -> Any:
        effects: Any = said(case)
        first, *rest = effects
        return (replace(first, event=replace(first.event, amends=first.event.amends[1:])), *rest)

    return [(amendments, "announced", kept)]


def lets_anybody_amend() -> list[Patch]:
    return [(authority, "_to_amend", lambda *_: Need.ANY)]


def lets_one_person_amend_what_is_over() -> list[Patch]:
    to_amend = authority._to_amend  # pyright: ignore[reportPrivateUsage]
    return [(authority, "_to_amend", lambda *given: min(to_amend(*given), Need.SUPERVISOR))]


def leaves_the_board_as_it_was() -> list[Patch]:
    moves_end = tablectl.history.journal_scan.moves_end

    def ends(event: Any) -> bool:
        return moves_end(event) and b"round.corrected" not in event.payload

    return [(tablectl.history.board, "moves_end", ends)]


def draws_again() -> list[Patch]:
    commands = amendments._commands  # pyright: ignore[reportPrivateUsage]

    def anew(case: Any) -> Any:
        draws = (each for each in case.after.commands if isinstance(each, RequestDraw))
        return (*commands(case), *(replace(each, draw_id=each.draw_id + 1) for each in draws))

    return [(amendments, "_commands", anew)]
