"""Every state that a small table can come to has a way out, and the table of transitions is walked whole.

Cards are worth 0 or 4 here, so that two of them call for a third or don't. Two states are one where they differ only
in what has no bearing on the procedure: numbers, times, names. Devices come back and faults are dealt with at once.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

import pytest

from tablectl.core.cards import COMMON, PACK, Card
from tablectl.core.dealing import deal
from tablectl.core.dealing.deal import Cards, Deal
from tablectl.core.dealing.hands import Hand
from tablectl.core.dealing.pack import Pack
from tablectl.core.facts import Body, FaultRaised
from tablectl.core.facts.game_requests import (
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
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
    DrawCommitted,
    DrawFailed,
    DrawShown,
    PacketDelivered,
    ShuffleCompleted,
    ShuffleFailed,
)
from tablectl.core.facts.table_requests import (
    BetOffered,
    BetTakenBack,
    BettingClosed,
    IrregularityDeclared,
    RoundEnded,
    RoundOpened,
    RoundVoided,
)
from tablectl.core.faults import Code
from tablectl.core.games.football_poker.hands import LAW_VALUES
from tablectl.core.games.football_poker.state import TRANSITIONS, Cause, Drawing, FootballPoker, Hold, Phase
from tablectl.core.outcomes import Draw
from tablectl.core.table import Table
from tests.games.contract.walk import WalkContract
from tests.support.football_poker import DISPLAY, DRAW, DRAWN, EVEN, OTHER, Sitting, new_table
from tests.support.football_poker_dealer import next_body
from tests.support.long import in_full
from tests.support.poker import SHOE, SHUFFLER
from tests.support.walk import VOID, Walk, walk

pytestmark = pytest.mark.slow

START = new_table(Dealing.BY_HAND, places=2)
GAME = START.game
NOUGHTS = tuple(card for card in PACK if LAW_VALUES[card[0]] == 0)
FOURS = tuple(card for card in PACK if LAW_VALUES[card[0]] == 4)
LOOKED_AT = frozenset({Phase.LOOKING, Phase.THIRDS, Phase.OPENING})
CARDS_LIE = LOOKED_AT | {Phase.DEALING}


def alphabet(table: Table[FootballPoker]) -> Iterator[Body]:
    """What may happen next, of almost every kind: each trouble where it matters, and one of a kind at a time."""
    state = table.game
    yield from (
        PackConfirmed(),
        RoundOpened(Dealing.SHOE),
        RoundOpened(Dealing.SHUFFLER),
        RoundOpened(Dealing.BY_HAND),
        RoundVoided("why"),
    )
    yield from (
        BettingClosed(),
        DealFinished(),
        RoundEnded(),
        BetOffered(1, "ann", EVEN, 1),
        BetTakenBack(1, "ann", EVEN),
    )
    yield from (MalfunctionDeclared(), MisdealDeclared(1), CardMended(), IrregularityDeclared("held_by_another", 1))
    yield from (IrregularityDeclared("did_not_show", 1), IrregularityDeclared("foreign_card", 1))
    yield from (FaultRaised(Code.SHUFFLER_JAM, SHUFFLER), DeviceAttached(SHUFFLER, boot="2"))
    if state.phase not in CARDS_LIE:
        yield from map(DealingChanged, Dealing)
        yield from (ShuffleCompleted(SHUFFLER, state.pack.operation, count) for count in (51, 52))
        yield ShuffleFailed(SHUFFLER, state.pack.operation)
    if state.phase is Phase.DRAWING:
        yield from _draws(state.drawing.draw_id)
    yield from _cards(state)
    yield from _words(state)


def in_short(table: Table[FootballPoker]) -> Iterator[Body]:
    """The alphabet where the proof isn't whole: a round dealt by hand is told its end, and all else with the shoe."""
    state = table.game
    if state.dealing is not Dealing.BY_HAND or state.phase not in LOOKED_AT:
        yield from alphabet(table)
        return
    yield from (RoundVoided("why"), DealFinished(), CardMended(), CardsCounted(deal.cards_on_table(state.deal)))
    for hand in state.deal.hands:
        yield from (HandOpened(hand.place, named) for named in _as_seen(state, hand))


def _draws(number: int) -> Iterator[Body]:
    yield from (_committed(number, DRAWN), _committed(number, OTHER), DrawFailed(DRAW, number, "why"))
    yield from (_shown(number, DRAWN), _shown(number, OTHER), _shown(number + 1, DRAWN))


def _committed(number: int, draw: Draw) -> Body:
    return DrawCommitted(DRAW, number, draw.series, draw.combination)


def _shown(number: int, draw: Draw) -> Body:
    return DrawShown(DISPLAY, number, draw.series, draw.combination)


def _cards(state: FootballPoker) -> Iterator[Body]:
    if state.phase in {Phase.LOOKING, Phase.OPENING} and (_dead(state) or state.deal.doubtful):
        return  # one trouble at a time
    if state.dealing is Dealing.SHUFFLER or not state.deal.hands:
        yield from (PacketDelivered(SHUFFLER, 2), PacketDelivered(SHUFFLER, 1))
    yield from (CardDrawn(SHOE, card) for card in _next_cards(state))
    if state.phase in CARDS_LIE and not _unread(state):
        yield CardDrawn(SHOE, None)
        yield from (CardDrawn(SHOE, card) for card in state.deal.hands[0].cards[:1])


def _unread(state: FootballPoker) -> bool:
    return any(None in hand.cards for hand in deal.live_hands(state.deal.hands))


def _words(state: FootballPoker) -> Iterator[Body]:
    lying = deal.cards_on_table(state.deal)
    yield from (CardsCounted(lying), CardsCounted(lying + 1), CardMisplaced(1), CardMisplaced(COMMON))
    if state.deal.surplus or not _dead(state):
        yield CardMisplaced(2)
    if state.phase in {Phase.THIRDS, Phase.BETTING} and not _unsettled(state):
        yield DeviceLost(SHOE)
    if state.phase is Phase.LOOKING and not _unsettled(state):
        yield CardExposed(1, 1)
    for hand in state.deal.hands:
        yield from (HandOpened(hand.place, named) for named in _as_seen(state, hand))


def _unsettled(state: FootballPoker) -> bool:
    """Whether something is in the way already."""
    return _dead(state) or bool(state.deal.surplus or state.deal.misplaced or state.deal.doubtful)


def _dead(state: FootballPoker) -> bool:
    return any(hand.dead for hand in state.deal.hands)


def _next_cards(state: FootballPoker) -> list[Card]:
    """A card worth nothing and one worth four that nobody has."""
    out = (*deal.known_cards(state.deal), *state.used)
    kinds = ([card for card in kind if card not in out] for kind in (NOUGHTS, FOURS))
    return [unused[0] for unused in kinds if unused]


def _as_seen(state: FootballPoker, hand: Hand) -> list[tuple[Card, ...]]:
    """The hand as the dealer names it: cards that nobody has for those not known, all noughts or with a four."""
    if None not in hand.cards:
        return [()]
    out = (*deal.known_cards(state.deal), *state.used)
    noughts = [card for card in NOUGHTS if card not in out]
    fours = [card for card in FOURS if card not in out]
    return [_filled(hand.cards, unused) for unused in (noughts, fours[:1] + noughts) if unused]


def _filled(held: Cards, unused: list[Card]) -> tuple[Card, ...]:
    rest = iter(unused)
    return tuple(card or next(rest) for card in held)


def alike(state: FootballPoker) -> FootballPoker:
    """The state without what has no bearing on the procedure."""
    return replace(
        state,
        round_id="",
        pack=Pack(state.pack.state),
        left=99 if state.left >= 9 else 0,
        used=(),
        drawing=_alike_drawing(state.drawing),
        past=(),
        bets=tuple(replace(bet, stake=1) for bet in state.bets),
        deal=_alike_deal(state.deal),
        opened_us=0,
        irregularities=(),
        shoe_ended=False,
    )


def _alike_drawing(drawing: Drawing) -> Drawing:
    drawn = drawing.draw is not None
    return replace(
        drawing,
        draw_id=min(drawing.draw_id, 1),
        draw=DRAWN if drawn else None,
        failures=0 if drawn else drawing.failures,
    )


def _alike_deal(lies: Deal) -> Deal:
    """The cards by what they are worth to the procedure, which asks only if a third is due."""
    noughts, fours = iter(NOUGHTS * 2), iter(FOURS * 3)
    hands = tuple(
        replace(
            hand,
            cards=tuple(
                card and next(fours if four else noughts) for card, four in zip(hand.cards, _fours(hand), strict=True)
            ),
            shown=() if hand.dead else hand.shown,
        )
        for hand in lies.hands
    )
    misplaced = COMMON if lies.misplaced else ""
    return replace(lies, hands=hands, misplaced=misplaced, surplus=(None,) * len(lies.surplus), dealt_at=0, sure=())


def _fours(hand: Hand) -> tuple[bool, ...]:
    """Which cards of a hand have to be a four: the second of two that need no third, or a four beside an unknown."""
    if hand.dead or len(hand.cards) == 3:
        return (False,) * len(hand.cards)
    worth = tuple(card is not None and LAW_VALUES[card[0]] == 4 for card in hand.cards)
    return (False, any(worth)) if len(worth) == 2 and None not in hand.cards else worth


@cache
def walked() -> Walk[FootballPoker]:
    """The whole walk, made once."""
    return walk(GAME, START.table, alphabet if in_full() else in_short, alike)


def test_walk_sees_every_phase_dealing_way_and_hold() -> None:
    seen = {(node.state.phase, node.state.dealing) for node in walked().tables}
    assert seen == {(phase, dealing) for phase in Phase for dealing in Dealing}
    assert {node.state.drawing.hold for node in walked().tables} == set(Hold)


@pytest.mark.article("football_poker", "reading 9")
def test_round_is_void_for_a_misdeal_and_for_nothing_else() -> None:
    voids = {(type(step.body), step.irregular) for step in walked().steps if step.end == VOID}
    cards = (CardDrawn, PacketDelivered)
    assert voids == {
        (RoundEnded, None),
        *((kind, ("6(3)", "dealt_without_bets")) for kind in cards),
        *((kind, ("6(3)", "pack_not_shuffled")) for kind in cards),
        *((kind, ("6(3)", "wrong_order")) for kind in cards),
        *((kind, ("6(3)", "wrong_number")) for kind in (*cards, CardMisplaced)),
        *((kind, ("2(2)", "shuffler_failed")) for kind in (MalfunctionDeclared, FaultRaised, DeviceAttached)),
        (CardsCounted, ("6(3)", "count_differs")),
        (CardsCounted, ("table", "count_differs")),
        *((CardsCounted, ("6(3)", code)) for code in ("pack_not_shuffled", "dealt_without_bets")),
        (MisdealDeclared, ("6(3)", "misdealt")),
        (HandOpened, ("10(1)", "third_card_not_due")),
        (IrregularityDeclared, ("2(1)", "foreign_card")),
        (RoundVoided, None),
    }


@pytest.mark.article("football_poker", "7")
def test_what_voids_nothing_is_noted_and_play_goes_on() -> None:
    noted = {(type(step.body), step.irregular) for step in walked().steps if step.irregular and not step.end}
    assert noted == {
        (CardExposed, ("7", "card_exposed")),
        (CardMended, ("6(3)", "mended")),
        (CardMisplaced, ("6(3)", "dealt_without_bet")),
        (IrregularityDeclared, ("5(3)", "held_by_another")),
        (IrregularityDeclared, ("table", "did_not_show")),
    }


@pytest.mark.article("football_poker", "reading 11")
def test_round_is_settled_by_opening_of_last_hand_only() -> None:
    settled = [step for step in walked().steps if step.end == "settled"]
    assert settled
    for step in settled:
        assert isinstance(step.body, HandOpened)
        others = [hand for hand in deal.live_hands(step.at.deal.hands) if hand.place != step.body.place]
        assert all(hand.opened for hand in others)


@pytest.mark.article("football_poker", "reading 11")
def test_after_the_first_card_no_bet_changes() -> None:
    for step in walked().steps:
        if step.at.deal.hands and not step.end:
            assert step.to.bets == step.at.bets


@pytest.mark.article("football_poker", "6.1")
def test_a_draw_once_committed_is_never_drawn_again() -> None:
    for step in walked().steps:
        if step.at.drawing.draw and not step.end:
            assert step.to.drawing.draw
            assert not asks_to_draw(step.to)


def asks_to_draw(state: FootballPoker) -> bool:
    return any(type(command).__name__ == "RequestDraw" for command in GAME.outstanding(state))


PROMPTED: Mapping[str, set[type]] = {
    "pack": {PackConfirmed},
    "open_round": {RoundOpened},
    "drawing": {DrawCommitted},
    "showing": {DrawShown},
    "mismatch": {DrawShown},
    "conflict": {RoundVoided},
    "no_draw": {RoundVoided},
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
    "deal_thirds": {DealFinished},
    "misplaced": {CardMended},
    "surplus": {CardMisplaced},
    "count": {CardsCounted},
    "look": {HandOpened},
    "third_card": {CardDrawn, PacketDelivered},
    "open_hands": {HandOpened},
}


class TestWalk(WalkContract):
    transitions, causes, prompted = TRANSITIONS, Cause, PROMPTED
    stuck_for = frozenset({Hold.CONFLICT, Hold.NO_DRAW})

    def walked(self, which: object) -> Walk[FootballPoker]:
        return walked()

    def dealer(self, which: object, table: Table[FootballPoker]) -> tuple[Sitting, Body]:
        sitting = Sitting(GAME, table)
        return sitting, next_body(sitting)

    def lacking(self, state: FootballPoker) -> Hold:
        return state.drawing.hold

    @pytest.mark.article("football_poker", "6.1")
    def test_a_settlement_can_be_reached_without_a_supervisor(self, which: object) -> None:
        super().test_a_settlement_can_be_reached_without_a_supervisor(which)
