"""Every state that a small table can come to has a way out, and the table of transitions is walked whole.

One table has every device, the other none: there the dealer says what devices would report.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

import pytest

from tablectl.core.bets.stakes import Bet
from tablectl.core.cards import BANKER, PACK
from tablectl.core.dealing.hands import Hand, known
from tablectl.core.dealing.pack import Pack
from tablectl.core.effects import StartTimer
from tablectl.core.facts import Body, TimerElapsed
from tablectl.core.facts.game_requests import (
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    CardsPickedUp,
    DealCancelled,
    DealFinished,
    DiceEntered,
    HandOpened,
    LatenessConfirmed,
    PackConfirmed,
    SettingFinished,
    ThrowInvalidated,
    TiersShown,
    TimeCalled,
)
from tablectl.core.facts.reports import (
    CardDrawn,
    DeviceLost,
    DiceThrown,
    ShuffleCompleted,
    ShuffleFailed,
    SignalFailed,
    SignalSounded,
)
from tablectl.core.facts.table_requests import (
    BetOffered,
    BetTakenBack,
    BettingClosed,
    IrregularityDeclared,
    RoundEnded,
    RoundOpened,
    RoundVoided,
    SeatLeft,
    SeatTaken,
)
from tablectl.core.games.thirteen_cards.irregularities import UNSET
from tablectl.core.games.thirteen_cards.settlement import examine
from tablectl.core.games.thirteen_cards.state import (
    BET,
    TRANSITIONS,
    Cause,
    Phase,
    Seat,
    Settings,
    ThirteenCards,
    Tiers,
    dealt,
)
from tablectl.core.table import Table
from tests.games.contract.walk import WalkContract
from tests.support import walk as walking
from tests.support.sitting import stamp
from tests.support.thirteen_cards import BANKERS, BUZZER, DICE, FOUL, HANDS, SHOE, SHUFFLER, UNIT, Sitting, new_table
from tests.support.thirteen_cards_dealer import as_seen, next_body
from tests.support.walk import SETTLED, Step, Walk

pytestmark = pytest.mark.slow

WHOLE, BARE = "every device", "no device"
TABLES = (WHOLE, BARE)
START = {
    WHOLE: new_table(shoe=SHOE, shuffler=SHUFFLER, dice=DICE, buzzer=BUZZER),
    BARE: new_table(dice=""),
}
both = pytest.mark.parametrize("which", TABLES)
THROW = (1, 1, 1, 2)


def alphabet(table: Table[ThirteenCards]) -> Iterator[Body]:
    """What may happen next, of almost every kind."""
    state = table.game
    yield from (PackConfirmed(), RoundOpened(), RoundEnded(), BettingClosed(), RoundVoided("why"))
    yield from (SeatTaken(2, "ann"), SeatTaken(3, "bob"), SeatLeft(2))
    yield from (BetOffered(2, "ann", "place", UNIT), BetOffered(3, "bob", "place", UNIT))
    yield from (BetOffered(3, "ann", "place", UNIT), BetTakenBack(3, "bob", "place"), BetTakenBack(3, "ann", "place"))
    yield from (DiceEntered(2, THROW), DiceEntered(3, THROW), DiceEntered(2, THROW, "cocked"), ThrowInvalidated("away"))
    yield from (DiceThrown(DICE, THROW), DiceThrown(DICE, THROW, "cocked"))
    yield from _about_cards(state)
    yield from (CardsPickedUp(2), CardsPickedUp(3), SettingFinished(2), SettingFinished(3))
    yield from (TimerElapsed(state.clock.operation if state.clock else 0), IrregularityDeclared("looked_early", 2))
    yield from (IrregularityDeclared("did_not_shake"), IrregularityDeclared("did_not_show", 2))
    yield IrregularityDeclared("foreign_card")
    yield from (SignalFailed(BUZZER, state.signal), SignalSounded(BUZZER, state.signal), DeviceLost(BUZZER))
    yield from (TimeCalled(), LatenessConfirmed(2), LatenessConfirmed(3))
    yield from (ShuffleFailed(SHUFFLER, state.pack.operation), ShuffleCompleted(SHUFFLER, state.pack.operation, 51))
    yield ShuffleCompleted(SHUFFLER, state.pack.operation, 52)


def _about_cards(state: ThirteenCards) -> Iterator[Body]:
    unused = tuple(card for card in PACK if card not in known(state.hands))
    yield from (CardDrawn(SHOE, unused[0] if unused else None), DeviceLost(SHOE), DealFinished(), DealCancelled())
    yield from (CardsCounted(dealt(state)), CardsCounted(52), CardsCounted(0))
    yield from (CardExposed(2, 1), CardMisplaced(4), CardMended(), CardMended(3))
    for hand in state.hands:
        if len(hand.cards) == 13:
            seen = as_seen(state, hand.place, unused)
            back = tuple(card for row in seen for card in row)[::-1]
            yield HandOpened(hand.place)
            yield from (TiersShown(hand.place, seen), TiersShown(hand.place, (back[:3], back[3:8], back[8:])))


def alike(state: ThirteenCards) -> ThirteenCards:
    """The state without what has no bearing on the procedure.

    Of a deal, only whether it is begun and over; once the dice are shaken, only on which places there are bets.
    """
    progress = PACK[: min(dealt(state), 1) + (dealt(state) == 52)]
    shown = tuple(nth for hand in state.hands for nth in hand.shown) if state.phase in UNSET else ()
    bets = sorted(state.bets, key=lambda bet: (str(bet.place), bet.bettor))
    if state.dice:
        bets = [Bet(place, "", BET, UNIT) for place in sorted({bet.place for bet in bets}, key=str)]
    return replace(
        state,
        round_id="",
        pack=Pack(state.pack.state),
        seats=() if state.dice else tuple(sorted(state.seats, key=lambda seat: seat.place)),
        bets=tuple(bets),
        redealt=state.redealt and state.phase in {Phase.DEALING, Phase.RESHUFFLING},
        hands=(
            Hand("", progress, shown=shown),
            *(Hand(hand.place, opened=True) for hand in state.hands if hand.opened),
        ),
        dealt_at=0,
        last="",
        owner="",
        holders=(),
        sure=None if state.sure is None else 0,
        tiers=tuple(Tiers(tiers.place, FOUL if examine(tiers.rows).foul else BANKERS) for tiers in state.tiers),
        picked=tuple(sorted(state.picked)),
        done=tuple(sorted(state.done)),
        misdealt=tuple(sorted({*state.misdealt} & {2, 3}, key=str)),
        clock=StartTimer(1, stamp(0), 1) if state.clock else None,
        signal=bool(state.signal),
        opened_us=0,
        irregularities=(),
    )


@cache
def walk(which: str) -> Walk[ThirteenCards]:
    """The whole walk of a table, made once."""
    start = START[which]
    return walking.walk(start.game, start.table, alphabet, alike)


def settings(which: str) -> Settings:
    return START[which].set_up


@pytest.mark.article("thirteen_cards", "4")
@both
def test_only_supervisor_or_lack_of_bets_voids_a_round(which: str) -> None:
    assert {type(step.body) for step in walk(which).steps if step.end == walking.VOID} == {
        RoundEnded,
        RoundVoided,
        IrregularityDeclared,
    }


@pytest.mark.article("thirteen_cards", "2.c")
@pytest.mark.article("thirteen_cards", "reading 13")
@both
def test_from_the_shake_on_no_bet_changes(which: str) -> None:
    for step in walk(which).steps:
        if step.at.phase is not Phase.IDLE and step.to.phase is not Phase.BETTING and not step.end:
            assert {bet.place for bet in step.to.bets} == {bet.place for bet in step.at.bets} != set()


@pytest.mark.article("thirteen_cards", "2.c")
@both
def test_the_dice_stand_from_the_first_card_on(which: str) -> None:
    for step in walk(which).steps:
        if step.at.dice and (step.at.redealt or step.at.hands[0].cards) and not step.end:
            assert step.to.dice == step.at.dice


@pytest.mark.article("thirteen_cards", "2.a")
@both
def test_no_dice_count_before_pack_is_shuffled_cut_and_boxed(which: str) -> None:
    begun = [step for step in walk(which).steps if (step.at.phase, step.to.phase) in BEGUN]
    assert begun
    assert all(step.at.boxed for step in begun)


BEGUN = {(Phase.BETTING, Phase.DEALING), (Phase.CLOSED, Phase.DEALING)}


@pytest.mark.article("thirteen_cards", "2.d")
@both
def test_players_take_up_cards_after_the_banker_has_shown(which: str) -> None:
    for node in walk(which).tables:
        if node.state.picked:
            assert [tiers.place for tiers in node.state.tiers][:1] == [BANKER]


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 17")
@both
def test_banker_sets_nothing_after_a_player_took_up_cards(which: str) -> None:
    shows = [step for step in walk(which).steps if isinstance(step.body, TiersShown) and step.body.place == BANKER]
    assert {bool(step.refused) for step in shows if step.at.picked} == {True}
    assert {bool(step.refused) for step in shows if step.at.phase is Phase.BANKER_SETTING and _mended(step)} == {False}


def _mended(step: Step[ThirteenCards]) -> bool:
    return not step.at.misplaced


@pytest.mark.article("thirteen_cards", "2.d")
@both
def test_the_clock_runs_exactly_while_the_players_set_their_cards(which: str) -> None:
    for node in walk(which).tables:
        assert (node.state.clock is not None) == (node.state.phase is Phase.PLAYERS_SETTING)


@pytest.mark.article("thirteen_cards", "2.d")
@both
def test_last_shown_cards_or_time_settle_the_round(which: str) -> None:
    for step in walk(which).steps:
        if step.end == SETTLED:
            expected = LatenessConfirmed if step.at.phase is Phase.PLAYERS_SETTING else TiersShown
            assert isinstance(step.body, expected)
            assert bool(step.at.done) == (expected is TiersShown)


@pytest.mark.article("thirteen_cards", "5")
@both
def test_no_deal_begins_with_place_whose_cards_nobody_may_hold(which: str) -> None:
    for step in walk(which).steps:
        if (step.at.phase, step.to.phase) in BEGUN:
            held = {bet.place for bet in step.at.bets if Seat(int(bet.place), bet.bettor) in step.at.seats}
            assert {bet.place for bet in step.at.bets} == held != set()


PROMPTED: Mapping[str, set[type]] = {
    "pack": {PackConfirmed},
    "shuffling": {ShuffleCompleted},
    "cut": {PackConfirmed},
    "reshuffle": {PackConfirmed},
    "open_round": {RoundOpened},
    "call_time": {TimeCalled, CardMended},
    "signal": {TimeCalled},
    "lateness": {LatenessConfirmed, SettingFinished},
    "set_on": {SettingFinished},
    "betting": {BetOffered, SeatTaken, PackConfirmed, ShuffleCompleted},
    "no_holder": {BetTakenBack, PackConfirmed, ShuffleCompleted},
    "betting_shake": {DiceThrown},
    "closed_shake": {DiceThrown},
    "betting_enter_dice": {DiceEntered},
    "closed_enter_dice": {DiceEntered},
    "card": {CardDrawn},
    "deal": {DealFinished},
    "count": {CardsCounted},
    "misplaced": {CardMended},
    "misplaced_whose": {CardMended, DealCancelled},
    "banker_sets": {TiersShown},
    "pick_up": {SettingFinished},
    "players_set": {SettingFinished},
    "compare": {TiersShown},
}


def test_the_pack_of_the_tests_is_one_pack() -> None:
    assert sorted(card for tiers in HANDS.values() for row in tiers for card in row) == sorted(PACK)


class TestWalk(WalkContract):
    tables, transitions, causes, prompted = TABLES, TRANSITIONS, Cause, PROMPTED
    from_idle = True

    def walked(self, which: str) -> Walk[ThirteenCards]:
        return walk(which)

    def dealer(self, which: str, table: Table[ThirteenCards]) -> tuple[Sitting, Body]:
        sitting = Sitting(START[which].game, table)
        return sitting, next_body(sitting, settings(which))
