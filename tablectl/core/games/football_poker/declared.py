"""Irregularities that the dealer declares by their kind."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from tablectl.core.cards import COMMON, Place
from tablectl.core.dealing.hands import hand_of
from tablectl.core.facts.table_requests import IrregularityDeclared
from tablectl.core.games.football_poker import drawing
from tablectl.core.games.football_poker.betting import is_place
from tablectl.core.games.football_poker.dealing import void
from tablectl.core.games.football_poker.irregularities import CARDS_LIE
from tablectl.core.games.football_poker.state import Outcome, Phase, Step
from tablectl.core.step import irregular, left_undone, refuse


class Kind(StrEnum):
    """Kind of irregularity that can be declared."""

    HELD_BY_ANOTHER = "held_by_another"
    COMMON_HANDLED = "common_handled"
    SHOWN_OTHERWISE = "shown_otherwise"
    FOREIGN_CARD = "foreign_card"
    DID_NOT_SHOW = "did_not_show"


ARTICLES: Final[Mapping[Kind, str]] = {
    Kind.HELD_BY_ANOTHER: "5(3)",
    Kind.COMMON_HANDLED: "5(4)",
    Kind.SHOWN_OTHERWISE: "6(1)",
    Kind.FOREIGN_CARD: "2(1)",
    Kind.DID_NOT_SHOW: "table",
}

NEEDS: Final[Mapping[Kind, tuple[str, ...]]] = {
    Kind.HELD_BY_ANOTHER: ("place",),
    Kind.FOREIGN_CARD: ("place",),
    Kind.DID_NOT_SHOW: ("place", "bettor"),
}
"""What else has to be said of each."""


def irregularity_declared(step: Step, declared: IrregularityDeclared) -> Outcome:
    """Note an irregularity after which the round continues.

    Somebody handled cards that aren't theirs, or didn't open their own, or the draw is shown by other means. With a
    card that isn't of the packs in play the round can't go on, and is void.

    Rule: 41/2003 art. 2(1); art. 5(3) (the holder of a place alone holds its cards), 5(4) (the dealer alone those of
    the common place); art. 6(1) and reading 13 (the draw shown by other means).
    """
    state = step.state
    if declared.kind not in tuple(Kind):
        return refuse(step, "table", "no_such_kind", kind=declared.kind)
    kind = Kind(declared.kind)
    if kind is Kind.SHOWN_OTHERWISE:
        return _shown_otherwise(step)
    if state.phase not in CARDS_LIE:
        return refuse(step, "6(3)", "no_cards_out")
    if kind is Kind.COMMON_HANDLED:
        return irregular(step, state, ARTICLES[kind], "common_handled", COMMON)
    if kind is Kind.FOREIGN_CARD and (declared.place == "" or is_place(step, declared.place)):
        return void(step, state, ARTICLES[kind], "foreign_card", declared.place or None)
    if declared.place == COMMON or not is_place(step, declared.place):
        return refuse(step, "5(1)", "no_such_place", place=declared.place, places=step.settings.places)
    if kind is Kind.DID_NOT_SHOW:
        return _not_shown(step, declared.place, declared.bettor)
    return irregular(step, state, ARTICLES[kind], "held_by_another", declared.place)


def _not_shown(step: Step, place: Place, bettor: str) -> Outcome:
    """Record that the holder of a place doesn't open its cards.

    What follows is for the house to say, as the law is silent.

    Rule: 41/2003 art. 5(3).
    """
    hand = hand_of(step.state.deal.hands, place)
    if step.state.phase not in {Phase.LOOKING, Phase.OPENING} or hand is None or hand.dead or hand.opened:
        return refuse(step, "6(3)", "nothing_to_show", place=place)
    return left_undone(step, step.state, "no_show", "did_not_show", place, bettor)


def _shown_otherwise(step: Step) -> Outcome:
    """The draw shown by other means than the lost display: bets are taken again.

    Rule: 41/2003 art. 6(1); reading 13 (a supervisor says so).
    """
    state = step.state
    if state.phase is not Phase.BETTING or state.drawing.shown:
        return refuse(step, "6(1)", "display_not_lost")
    shown = drawing.with_shown(state, shown=True)
    return irregular(step, shown, ARTICLES[Kind.SHOWN_OTHERWISE], "shown_otherwise")
