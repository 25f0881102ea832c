"""Every state that a small table can come to has a way out, and the table of transitions is walked whole."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from tablectl.core.facts import Body
from tablectl.core.facts.game_requests import (
    AssociateJoined,
    BankDeclined,
    BankLimitWaived,
    BankTaken,
    CasinoJoined,
    DiceEntered,
    PlacePaid,
    ThrowInvalidated,
)
from tablectl.core.facts.reports import DeviceAttached, DeviceLost, DiceThrown
from tablectl.core.facts.table_requests import (
    BetOffered,
    BetTakenBack,
    BettingClosed,
    IrregularityDeclared,
    RoundEnded,
    RoundOpened,
    RoundVoided,
)
from tablectl.core.games.chinese_dice.dice import due_to_throw
from tablectl.core.games.chinese_dice.state import TRANSITIONS, Banker, Cause, ChineseDice, Doubt, Phase, Tenure, Thrown
from tablectl.core.outcomes import Throw
from tablectl.core.table import Table
from tests.games.contract.walk import WalkContract
from tests.support.chinese_dice import BANK, NOTHING, READER, STORM, new_table, next_body, point
from tests.support.long import in_full
from tests.support.sitting import Sitting
from tests.support.walk import SETTLED, VOID, Step, Walk, reaching, walk

pytestmark = pytest.mark.slow

START = new_table().seat_all({1: "ben", 2: "ann"})
GAME = START.sitting.game
THROWS = (STORM, point(3), point(4), NOTHING)


def alphabet(table: Table[ChineseDice]) -> Iterator[Body]:
    """What may happen next, of almost every kind: two people, two places with bets, a bank of one bet or of three."""
    state = table.game
    yield from (RoundOpened(), RoundEnded(), RoundVoided("why"), BettingClosed(), BankLimitWaived())
    yield from (BankTaken(1, "ben", 100), BankTaken(2, "ann", 300))
    yield BankTaken(state.tenure.place, state.tenure.bettor, max(state.tenure.least, 100))
    yield from (BankDeclined(1), BankDeclined(2))
    yield from (BetOffered(place, "cy", "place", 100) for place in (2, 3))
    yield from (BetTakenBack(3, "cy", "place"), BetOffered("banker", "di", BANK, 100))
    yield from (AssociateJoined("eve", 100), CasinoJoined(100))
    yield from (DiceThrown(READER, dice) for dice in THROWS)
    yield from (DiceThrown(READER, STORM, "cocked"), DiceThrown(READER, STORM, "unsure"))
    yield from (DiceEntered(due_to_throw(state), point(4)), DiceEntered(due_to_throw(state), STORM))
    yield from (ThrowInvalidated("cocked"), PlacePaid(2), PlacePaid(3), IrregularityDeclared("dice_held_away"))
    yield from (IrregularityDeclared("did_not_throw"), IrregularityDeclared("thrown_out_of_turn"))
    yield from (DeviceLost(READER), DeviceAttached(READER, boot="2"))


def in_short(table: Table[ChineseDice]) -> Iterator[Body]:
    """The alphabet where the proof isn't whole: later rounds of a bank are told their end, and go on as the first."""
    state = table.game
    if not state.thrown or not (state.waived or state.tenure.rounds):
        yield from alphabet(table)
        return
    yield from (RoundVoided("why"), PlacePaid(2), PlacePaid(3))
    yield from (DiceThrown(READER, dice) for dice in (STORM, point(3), point(4)))
    yield from (DiceEntered(due_to_throw(state), dice) for dice in (STORM, point(4)))


def alike(state: ChineseDice) -> ChineseDice:
    """The state without what has no bearing on the procedure: only the last throw of a turn moves anything.

    Who declined the bank counts between rounds only, and is forgotten when a round is paid; after a void it stays,
    which `test_banking` shows.
    """
    return replace(
        state,
        banker=Banker(state.banker.place, state.banker.bettor, min(state.banker.capital, 101)),
        tenure=Tenure(state.tenure.place, state.tenure.bettor, spent(state), min(state.tenure.least, 1)),
        turns=1,
        declined=tuple(sorted(state.declined)) if idle(state) else (),
        played=(),
        casino=0,
        bets=tuple(sorted({replace(bet, stake=1) for bet in state.bets if bet.bet == "place"}, key=repr)),
        thrown=tuple(Thrown(thrown.place, _throws_alike(state, thrown)) for thrown in state.thrown),
        irregularities=(),
        round_id="",
        opened_us=0,
        thrown_at=0,
    )


def _throws_alike(state: ChineseDice, thrown: Thrown) -> tuple[Throw | None, ...]:
    """The last throw of a turn; and one before it, where it matters whether it was the banker's first."""
    last = meant(thrown.throws[-1])
    again = state.closed_by_throw and thrown.place == state.banker.place and len(thrown.throws) > 1
    return (None, last) if again else (last,)


def spent(state: ChineseDice) -> int:
    """How many of the last two rounds of its turn the bank's place has used up."""
    own = state.waived == state.tenure.place
    left = 2 * (1 + (state.turns if own else 0)) - state.tenure.rounds
    return min(2, max(0, 2 - left))


def meant(throw: Throw | None) -> Throw | None:
    """The throw, where it is one of few."""
    return throw if throw in THROWS else None


@cache
def walked() -> Walk[ChineseDice]:
    """The whole walk, made once."""
    return walk(GAME, START.sitting.table, alphabet if in_full() else in_short, alike)


def idle(state: ChineseDice) -> bool:
    return state.phase is Phase.IDLE


def steps(*kinds: type) -> list[Step[ChineseDice]]:
    return [step for step in walked().steps if isinstance(step.body, kinds)]


def test_the_walk_sees_every_phase_every_doubt_and_both_bankers() -> None:
    states = [node.state for node in walked().tables]
    assert {state.phase for state in states} == set(Phase)
    assert {state.doubt for state in states} == set(Doubt)
    assert {(state.banker.place, state.phase) for state in states} >= {(1, Phase.PAYING), (2, Phase.PAYING)}
    assert {state.by_hand for state in states} == {True, False}


def test_round_is_void_by_a_supervisor_or_without_bets_only() -> None:
    assert {type(step.body) for step in walked().steps if step.end == VOID} == {RoundEnded, RoundVoided}


@pytest.mark.article("chinese_dice", "2.c")
def test_round_with_bets_is_settled_by_paying_places_only() -> None:
    settling = [step for step in walked().steps if step.end == SETTLED]
    assert all(isinstance(step.body, PlacePaid) for step in settling if step.at.bets)
    assert all(isinstance(step.body, DiceThrown | DiceEntered) for step in settling if not step.at.bets)


@pytest.mark.article("chinese_dice", "2.f")
def test_after_the_bankers_first_throw_no_bet_changes() -> None:
    for step in walked().steps:
        if step.at.thrown and not step.end:
            assert step.to.bets == step.at.bets


@pytest.mark.article("chinese_dice", "2.c")
def test_a_place_throws_when_all_before_it_are_paid() -> None:
    for node in walked().tables:
        state = node.state
        if state.phase in {Phase.THROWING, Phase.PAYING}:
            before = [thrown.place for thrown in state.thrown[1:] if thrown.place != state.due]
            assert set(before) <= set(state.paid)


@pytest.mark.article("chinese_dice", "4.a")
@pytest.mark.article("chinese_dice", "reading 10")
def test_no_place_opens_third_round_in_row_unless_others_agreed() -> None:
    opened = [step for step in steps(RoundOpened) if not step.refused]
    again = [step for step in opened if step.at.tenure.place == step.at.banker.place]
    assert {step.at.waived == step.at.banker.place for step in again} == {True, False}
    assert all(step.at.tenure.rounds < 2 for step in again)


@pytest.mark.article("chinese_dice", "4.c")
def test_no_round_opens_without_capital() -> None:
    assert all(step.at.banker.capital > 0 for step in steps(RoundOpened) if not step.refused)


def test_no_report_of_the_reader_is_refused() -> None:
    assert [step for step in steps(DiceThrown, DeviceLost, DeviceAttached) if step.refused] == []


def test_what_leads_nowhere_would_be_found() -> None:
    goals = [step.start for step in steps(PlacePaid) if step.end == SETTLED]
    without = [step for step in walked().steps if not isinstance(step.body, DiceThrown | DiceEntered)]
    assert reaching(goals[:0], walked().steps) == set()
    assert reaching(goals, without) != set(walked().tables)


class TestWalk(WalkContract):
    transitions, causes = TRANSITIONS, Cause

    def walked(self, which: object) -> Walk[ChineseDice]:
        return walked()

    def dealer(self, which: object, table: Table[ChineseDice]) -> tuple[Sitting[ChineseDice], Body]:
        sitting = Sitting(GAME, table)
        return sitting, next_body(sitting, START.settings)
