"""Every state that a small table can come to has a way out, and the table of transitions is walked whole.

The walk tells a finite alphabet of facts to every state, breadth first. Two states are one where they differ only
in what has no bearing on the procedure: numbers, times, names. Devices come back and faults are dealt with at once.
"""

from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from tablectl.core.cards import ASIDE, DEALER, PACK
from tablectl.core.dealing.deal import Cards, known_cards, live_hands
from tablectl.core.dealing.hands import Hand
from tablectl.core.dealing.pack import Pack
from tablectl.core.facts import Body, FaultRaised
from tablectl.core.facts.game_requests import (
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    CardsHeldAway,
    DealFinished,
    Dealing,
    DealingChanged,
    HandOpened,
    MalfunctionDeclared,
    MisdealDeclared,
    PackConfirmed,
)
from tablectl.core.facts.reports import (
    CardDrawn,
    DeviceAttached,
    DeviceLost,
    PacketDelivered,
    ShuffleCompleted,
    ShuffleFailed,
)
from tablectl.core.facts.table_requests import (
    BetOffered,
    BetTakenBack,
    BettingClosed,
    DecisionDeclared,
    IrregularityDeclared,
    RoundEnded,
    RoundOpened,
    RoundVoided,
)
from tablectl.core.faults import Code
from tablectl.core.games.q_poker.state import TRANSITIONS, Cause, Phase, QPoker
from tablectl.core.table import Table
from tablectl.lazy_dataclass import replace
from tests.games.contract.walk import WalkContract
from tests.support.long import in_full
from tests.support.poker import SHOE, SHUFFLER, named
from tests.support.q_poker import PAIR, VERSUS, Sitting, new_table
from tests.support.q_poker_dealer import next_body
from tests.support.walk import Walk, walk

pytestmark = [pytest.mark.slow, pytest.mark.timeout(360)]  # the first test walks for all

START = new_table(Dealing.BY_HAND, places=2)
GAME = START.game
ALL_LIES = frozenset({Phase.OPENING, Phase.DECIDING, Phase.SHOWDOWN})
MALFUNCTIONS = (MalfunctionDeclared, FaultRaised, DeviceAttached)


BETS: tuple[Body, ...] = (
    BetOffered(1, "ann", VERSUS, 1),
    BetOffered(1, "ann", PAIR, 1),
    BetTakenBack(1, "ann", VERSUS),
)


def alphabet(table: Table[QPoker]) -> Iterator[Body]:
    """What may happen next, of almost every kind."""
    state = table.game
    unused = [card for card in PACK if card not in known_cards(state.deal)]
    lying = _lying(state)
    yield from (PackConfirmed(), RoundOpened(Dealing.SHOE), RoundOpened(Dealing.SHUFFLER), RoundOpened(Dealing.BY_HAND))
    yield from map(DealingChanged, Dealing)
    yield from BETS
    yield from (DealFinished(), BettingClosed(), RoundEnded(), PacketDelivered(SHUFFLER, 3))
    if state.dealing is not Dealing.BY_HAND or not state.deal.hands:
        yield CardDrawn(SHOE, unused[0])
    yield from (PacketDelivered(SHUFFLER, 2), ShuffleFailed(SHUFFLER, state.pack.operation))
    yield from (ShuffleCompleted(SHUFFLER, state.pack.operation, count) for count in (51, 52))
    yield from _opened(state)
    yield from (DecisionDeclared(1, "ann", "play"), DecisionDeclared(1, "ann", "withdraw"))
    yield from (CardExposed(1, 1), CardExposed(DEALER, 1))
    yield from (CardMisplaced(1), CardMisplaced(2), CardMisplaced(DEALER), CardMended())
    yield from (CardsCounted(lying), CardsCounted(lying + 1), MalfunctionDeclared(), CardsHeldAway(1))
    yield from (MisdealDeclared(1), MisdealDeclared(DEALER))
    yield from (IrregularityDeclared("did_not_decide", 1, "ann"), IrregularityDeclared("foreign_card", 1))
    yield from (RoundVoided("why"), DeviceLost(SHOE))
    yield from (FaultRaised(Code.SHUFFLER_JAM, SHUFFLER), DeviceAttached(SHUFFLER, boot="2"))


def in_short(table: Table[QPoker]) -> Iterator[Body]:
    """The alphabet where the proof isn't whole: a table with one bet, or dealt by hand, is told its good end alone."""
    state = table.game
    if len(state.bets) != 1 and (state.dealing is not Dealing.BY_HAND or state.phase not in ALL_LIES):
        in_mid_deal = state.phase is Phase.DEALING
        yield from (body for body in alphabet(table) if not (in_mid_deal and isinstance(body, CardExposed)))
        return
    yield from (*BETS, RoundVoided("why"))
    if PAIR in {bet.bet for bet in state.bets} and state.dealing is Dealing.BY_HAND:
        yield from (PackConfirmed(), BettingClosed(), CardsCounted(_lying(state)), DealFinished(), CardMended())
        yield from (*_opened(state), DecisionDeclared(1, "ann", "play"))


def _opened(state: QPoker) -> Iterator[Body]:
    unused = tuple(card for card in PACK if card not in known_cards(state.deal))
    yield from (HandOpened(hand.place, named(hand.cards, unused)) for hand in state.deal.hands)


def _lying(state: QPoker) -> int:
    return sum(len(hand.cards) for hand in state.deal.hands) + len(state.deal.surplus)


def _alike_hand(hand: Hand, *, named: bool) -> Hand:
    """The hand by what is asked of the dealer: to name the cards, or none; what lies aside is nobody's."""
    if hand.place == ASIDE:
        return Hand(ASIDE, dead=True)
    return replace(hand, cards=PACK[: len(hand.cards)] if named and not hand.dead else (None,) * len(hand.cards))


def alike(state: QPoker) -> QPoker:
    """The state without what has no bearing on the procedure, as how many cards are laid aside."""
    named = all(None not in hand.cards for hand in live_hands(state.deal.hands))
    hands = tuple(_alike_hand(hand, named=named) for hand in state.deal.hands)
    surplus: Cards = (None,) * len(state.deal.surplus)
    return replace(
        state,
        deal=replace(state.deal, hands=hands, surplus=surplus, dealt_at=0, sure=()),
        bets=tuple(sorted((replace(bet, stake=1) for bet in state.bets), key=lambda bet: bet.bet)),
        irregularities=(),
        round_id="",
        opened_us=0,
        pack=Pack(state.pack.state),
    )


@cache
def walked() -> Walk[QPoker]:
    """The whole walk, made once."""
    return walk(GAME, START.table, alphabet if in_full() else in_short, alike)


def test_the_walk_sees_every_phase_in_every_way_of_dealing() -> None:
    seen = {(node.state.phase, node.state.dealing) for node in walked().tables}
    assert seen == {(phase, dealing) for phase in Phase for dealing in Dealing}


@pytest.mark.article("q_poker", "11")
def test_round_is_void_for_article_11_only() -> None:
    voids = {(type(step.body), step.irregular) for step in walked().steps if step.end == "void"}
    assert voids == {
        (RoundEnded, None),
        (CardDrawn, ("3(1)", "pack_not_shuffled")),
        (PacketDelivered, ("3(2)", "pack_not_shuffled")),
        (CardDrawn, ("11(1)", "dealt_without_bets")),
        (PacketDelivered, ("11(1)", "dealt_without_bets")),
        (CardDrawn, ("11(1)", "wrong_order")),
        (PacketDelivered, ("11(1)", "wrong_order")),
        (CardDrawn, ("11(1)", "wrong_number")),
        (PacketDelivered, ("11(1)", "wrong_number")),
        (CardMisplaced, ("11(1)", "wrong_number")),
        (CardsCounted, ("11(1)", "count_differs")),
        (CardsCounted, ("table", "count_differs")),
        (CardsCounted, ("3(1)", "pack_not_shuffled")),
        (CardsCounted, ("11(1)", "dealt_without_bets")),
        (MisdealDeclared, ("11(1)", "misdealt")),
        (CardExposed, ("11(3)", "dealer_card_exposed")),
        *((kind, ("11(5)", "shuffler_failed")) for kind in MALFUNCTIONS),
        (IrregularityDeclared, ("1(1)", "foreign_card")),
        (RoundVoided, None),
    }


@pytest.mark.article("q_poker", "11")
def test_what_voids_nothing_is_noted_and_play_goes_on() -> None:
    noted = {(type(step.body), step.irregular) for step in walked().steps if step.irregular and not step.end}
    assert noted == {
        (CardExposed, ("11(2)", "card_exposed")),
        (CardMended, ("11(1)", "mended")),
        (CardMisplaced, ("11(4)", "dealt_without_bet")),
        (CardsHeldAway, ("6(3)", "cards_held_away")),
        (IrregularityDeclared, ("table", "did_not_decide")),
    }


@pytest.mark.article("q_poker", "9.3")
def test_opening_the_dealers_hand_after_all_decisions_settles() -> None:
    for step in walked().steps:
        if step.end == "settled":
            assert isinstance(step.body, HandOpened)
            assert (step.body.place, step.at.phase) == (DEALER, Phase.SHOWDOWN)
            assert all(bet.decision for bet in step.at.bets if bet.bet == VERSUS)


@pytest.mark.article("q_poker", "6.2")
def test_after_the_first_card_no_bet_changes() -> None:
    for step in walked().steps:
        if step.at.deal.hands and not step.end:
            assert [bet.bet for bet in step.to.bets] == [bet.bet for bet in step.at.bets]


@pytest.mark.article("q_poker", "9.3")
def test_a_decision_never_changes() -> None:
    for step in walked().steps:
        if step.to.deal.hands:
            old = {bet.bet: bet.decision for bet in step.at.bets if bet.decision}
            assert old.items() <= {bet.bet: bet.decision for bet in step.to.bets}.items()


PROMPTED: Mapping[str, set[type]] = {
    "pack": {PackConfirmed},
    "open_round": {RoundOpened},
    "betting": {BetOffered, CardDrawn, PacketDelivered},
    "betting_shuffling": {ShuffleCompleted},
    "closed": {CardDrawn, PacketDelivered},
    "closed_shuffling": {ShuffleCompleted},
    "pack_unfit": {PackConfirmed, DealingChanged},
    "card": {CardDrawn},
    "packet": {PacketDelivered},
    "betting_deal": {BetOffered, DealFinished},
    "closed_deal": {DealFinished},
    "deal": {DealFinished},
    "misplaced": {CardMended},
    "surplus": {CardMisplaced},
    "count": {CardsCounted},
    "open_hands": {HandOpened},
    "decisions": {DecisionDeclared},
    "open_dealer": {HandOpened},
}


class TestWalk(WalkContract):
    transitions, causes, prompted = TRANSITIONS, Cause, PROMPTED
    from_idle = True

    def walked(self, which: object) -> Walk[QPoker]:
        return walked()

    def dealer(self, which: object, table: Table[QPoker]) -> tuple[Sitting, Body]:
        sitting = Sitting(GAME, table)
        return sitting, next_body(sitting)

    @pytest.mark.article("q_poker", "11.4")
    @pytest.mark.article("q_poker", "reading 22")
    def test_a_round_can_come_to_its_own_settlement(self, which: object) -> None:
        super().test_a_round_can_come_to_its_own_settlement(which)
