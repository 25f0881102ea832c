"""Irregularities and endings of a round that the dealer or a supervisor declares."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from tablectl.core.facts.table_requests import IrregularityDeclared, RoundEnded, RoundVoided
from tablectl.core.games.wheel_of_fortune.betting import is_place
from tablectl.core.games.wheel_of_fortune.state import Cause, Outcome, Phase, Step, Stray, cleared
from tablectl.core.step import end_without_bets, irregular, refuse, voided
from tablectl.lazy_dataclass import replace


class Kind(StrEnum):
    """Kinds of irregularity that can be declared."""

    LATE_BET = "late_bet"
    BET_DISPUTED = "bet_disputed"


ARTICLES: Final[Mapping[Kind, str]] = {Kind.LATE_BET: "2", Kind.BET_DISPUTED: "3(3)"}


def irregularity_declared(step: Step, declared: IrregularityDeclared) -> Outcome:
    """Note a late bet, or a bettor's objection to the place of their bet.

    Late are chips that are put down or moved after the call. The bets stand in both cases.

    Rule: 42/2003 art. 2 (no bet accepted, replaced or taken back after the call), art. 3(3) and 3(4) (bettors alone
    answer for where their chips lie, even where the dealer helped); reading 13 (before the call it is a bet).
    """
    state = step.state
    if state.phase is Phase.IDLE:
        return refuse(step, "2", "no_round")
    if declared.kind not in tuple(Kind):
        return refuse(step, "table", "no_such_kind", kind=declared.kind)
    if declared.place != "" and not is_place(step.settings, declared.place):
        return refuse(step, "table", "no_such_place", place=declared.place, places=step.settings.places)
    kind = Kind(declared.kind)
    if kind is Kind.LATE_BET and state.phase is Phase.BETTING:
        return refuse(step, "2", "not_late")
    return irregular(step, state, ARTICLES[kind], kind.value, declared.place or None, bettor=declared.bettor)


def round_voided(step: Step, asked: RoundVoided) -> Outcome:
    """A supervisor ends the round without a result; every stake goes back."""
    state = step.state
    if state.phase is Phase.IDLE:
        return refuse(step, "2", "no_round")
    if not asked.reason.strip():
        return refuse(step, "table", "reason_missing")
    still_turns = Stray.DROPPED if state.phase is Phase.SPINNING else state.stray
    closed = cleared(replace(state, stray=still_turns), Cause.VOIDED)
    return closed, voided(step, state, "table", asked.reason, state.bets)


def round_ended(step: Step, _: RoundEnded) -> Outcome:
    """The dealer ends a round in which nobody has bet."""
    return end_without_bets(step, step.state.bets, round_voided)
