"""Whatever is told to the table, in whatever order: what always holds.

A good dealer's next step and arbitrary facts alternate at random: so nonsense meets every phase of a round.
"""

import json
import re
from dataclasses import fields, is_dataclass, replace
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablectl.core import procedure
from tablectl.core.cards import PACK, Card
from tablectl.core.effects import Announce, Effects, Refuse, ShuffleCards
from tablectl.core.events import (
    BetPlaced,
    BetRefused,
    BetWithdrawn,
    CardShown,
    Decided,
    Event,
    FaultGone,
    FaultSeen,
    FaultSeenBy,
    Revealed,
    RoundBegan,
    Settled,
    Voided,
)
from tablectl.core.facts import (
    DEALER,
    BetOffered,
    BetTakenBack,
    BettingClosed,
    Body,
    CardDrawn,
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    CardsHeldAway,
    CutCardReached,
    Dealing,
    DealingChanged,
    DecisionDeclared,
    DeviceAttached,
    DeviceLost,
    DeviceNoted,
    Fact,
    FaultAcknowledged,
    FaultCleared,
    FaultRaised,
    HandOpened,
    LogBegan,
    MalfunctionDeclared,
    MisdealDeclared,
    PackConfirmed,
    PacketDelivered,
    PersonSignedOn,
    Place,
    RoundOpened,
    RoundVoided,
    SessionBegan,
    SessionEnded,
    Shuffle,
    ShuffleCompleted,
    ShuffleFailed,
    ShuffleStarted,
)
from tablectl.core.faults import Code
from tablectl.core.forms import Json
from tablectl.core.games.q_poker.forms import settle_form
from tablectl.core.games.q_poker.state import HAND_SIZE, TRANSITIONS, PackState, Phase, QPoker, known_cards
from tablectl.core.money import parse_money
from tablectl.core.settle import settle_line
from tablectl.core.table import Table
from tests.support.bodies import ANYTHING
from tests.support.q_poker import (
    BOTH_WAYS,
    PAIR,
    SHOE,
    SHUFFLER,
    VERSUS,
    Sitting,
    fact,
    nets,
    new_table,
    next_body,
    versus,
)

NEXT, AGAIN, ASTRAY = "next", "again", "astray"
"""Stand for the good dealer's next step, a card that was read before, and the last card at a place without a bet."""

FEW = PACK[:14]
places = st.sampled_from([1, 2, 3, 4, 0, -1, 99, 10**12])
anywhere = st.one_of(places, st.sampled_from([DEALER, "", "1", "banker"]))
names = st.sampled_from(["ann", "bob", "", "安"])
devices = st.sampled_from([SHOE, SHUFFLER, "", "wheel"])
some_cards = st.one_of(st.sampled_from(FEW), st.sampled_from([Card("zz"), Card("")]))
counts = st.one_of(st.integers(-1, 7), st.sampled_from([51, 52, 53, 10**9]))
codes = st.one_of(st.sampled_from(Code), st.sampled_from([0, -1, 9_999]))
operations = st.integers(-1, 3)
texts = st.sampled_from(["", " ", "why", "\ud800"])

BODIES: dict[type, st.SearchStrategy[Any]] = ANYTHING | {
    LogBegan: st.builds(LogBegan, st.sampled_from(["5eed0002", "", "no hex", "\ud800"]), texts, texts),
    SessionBegan: st.builds(SessionBegan, texts, texts, texts, texts, texts),
    SessionEnded: st.builds(SessionEnded, texts),
    FaultRaised: st.builds(FaultRaised, codes, devices, texts),
    FaultCleared: st.builds(FaultCleared, codes, devices),
    DeviceAttached: st.builds(DeviceAttached, devices, boot=st.sampled_from(["", "1", "2"])),
    DeviceLost: st.builds(DeviceLost, devices),
    CardDrawn: st.builds(CardDrawn, devices, st.one_of(st.none(), some_cards)),
    CutCardReached: st.builds(CutCardReached, devices),
    DeviceNoted: st.builds(DeviceNoted, devices, texts),
    ShuffleStarted: st.builds(ShuffleStarted, devices, operations),
    ShuffleCompleted: st.builds(ShuffleCompleted, devices, operations, counts),
    ShuffleFailed: st.builds(ShuffleFailed, devices, operations),
    PacketDelivered: st.builds(PacketDelivered, devices, counts),
    PersonSignedOn: st.builds(PersonSignedOn, names, texts),
    PackConfirmed: st.builds(PackConfirmed, st.sampled_from(Shuffle)),
    RoundOpened: st.builds(RoundOpened, st.one_of(st.none(), st.sampled_from(Dealing))),
    DealingChanged: st.builds(DealingChanged, st.sampled_from(Dealing)),
    BetOffered: st.builds(BetOffered, places, names, st.sampled_from([PAIR, VERSUS, "tie", ""]), st.integers(-1, 300)),
    BetTakenBack: st.builds(BetTakenBack, places, names, st.sampled_from([PAIR, VERSUS, "tie"])),
    BettingClosed: st.builds(BettingClosed),
    DecisionDeclared: st.builds(DecisionDeclared, places, names, st.sampled_from(["play", "withdraw", "raise", ""])),
    HandOpened: st.builds(HandOpened, anywhere, st.lists(some_cards, max_size=4).map(tuple)),
    CardExposed: st.builds(CardExposed, anywhere, st.integers(-1, 4), st.one_of(st.none(), some_cards)),
    CardMisplaced: st.builds(CardMisplaced, anywhere),
    CardMended: st.builds(CardMended),
    CardsCounted: st.builds(CardsCounted, counts),
    MalfunctionDeclared: st.builds(MalfunctionDeclared),
    MisdealDeclared: st.builds(MisdealDeclared, anywhere),
    CardsHeldAway: st.builds(CardsHeldAway, places, names),
    RoundVoided: st.builds(RoundVoided, texts),
    FaultAcknowledged: st.builds(FaultAcknowledged, codes, devices),
}
MISCHIEF = st.one_of(
    st.sampled_from([AGAIN, ASTRAY]),
    st.just(ASTRAY),
    st.builds(CardDrawn, st.just(SHOE), st.one_of(st.none(), st.sampled_from(FEW))),
    st.builds(CardExposed, st.sampled_from([1, 1, 4, DEALER]), st.integers(1, 3)),
    st.builds(CardMisplaced, st.sampled_from([1, 2, DEALER])),
    st.builds(BetOffered, st.integers(1, 3), st.sampled_from(["ann", "bob"]), st.just(PAIR), st.just(7)),
    st.builds(BetOffered, st.integers(1, 3), st.sampled_from(["ann", "bob"]), st.just(VERSUS), st.just(100)),
    st.builds(DecisionDeclared, st.integers(1, 2), st.sampled_from(["ann", "bob"]), st.just("withdraw")),
    st.builds(RoundOpened, st.sampled_from(Dealing)),
    st.sampled_from([HandOpened(1), CardMended(), DeviceLost(SHOE), BettingClosed()]),
    st.sampled_from([MalfunctionDeclared(), FaultRaised(Code.SHUFFLER_JAM, SHUFFLER), PacketDelivered(SHUFFLER, 3)]),
)
"""What goes wrong at a table, with values that make sense."""

Step = tuple[Body | str, str | None, int | None]


@st.composite
def step(draw: st.DrawFn) -> Step:
    """A body, a request's id, and how much its screen had seen: mostly a step forward, or no round came to its end."""
    kind = draw(st.integers(0, 11))
    if kind < 8:
        return NEXT, None, None
    body = draw(MISCHIEF if kind < 11 else st.one_of(*BODIES.values()))
    return body, draw(st.sampled_from([None, None, "r1", "r2"])), draw(st.sampled_from([None, None, None, 0, 10**9]))


STEPS = st.lists(step(), min_size=40, max_size=120)
"""Two thirds of what isn't a step forward makes sense at some time; the rest is anything at all."""


often = settings(max_examples=2 * settings().max_examples)
"""For what has to meet every corner: more examples than usual, in every profile."""


def test_every_kind_of_fact_is_told() -> None:
    assert set(BODIES) == set(get_args(Body))


class Watched:
    """A table of which every step is checked against all that always holds."""

    def __init__(self, dealing: Dealing) -> None:
        self.sitting = new_table(dealing, places=4)
        self.open: str | None = None
        self.ended: set[str] = set()
        self.stakes: dict[tuple[Place, str, str], int] = {}
        self.decisions: dict[tuple[Place, str], str] = {}
        self.drawn: set[str] = set()
        self.up: set[str] = set()

    def take(self, one: Fact) -> None:
        before = self.sitting.table
        effects = self.sitting.take(one)
        after = self.sitting.table
        events = [effect.event for effect in effects if isinstance(effect, Announce)]
        self.phase_moves_along_the_table(before.game, after.game)
        self.no_card_face_down_is_told(one, before.game, after, effects)
        self.no_card_drawn_is_told_before_it_is_turned_up(one, before.game, after, effects)
        self.a_refused_request_changes_nothing(before, after, effects)
        self.commands_are_only_asked_for_while_they_are_open(after.game, effects)
        self.hands_hold_what_one_pack_holds(after.game)
        for event in events:
            self.belongs_to_the_open_round(event)
            self.decisions_are_kept(event)
            self.money_is_kept(event)
            self.settles_again(event)
        assert (self.open is None) == (after.game.phase is Phase.IDLE)

    def phase_moves_along_the_table(self, before: QPoker, after: QPoker) -> None:
        if before.phase is not after.phase:
            assert after.phase in TRANSITIONS[before.phase].values()

    def no_card_face_down_is_told(self, one: Fact, before: QPoker, after: Table[QPoker], effects: Effects) -> None:
        game = self.sitting.game
        turned_up = _turned_up(effects)
        hidden = (game.unrevealed(before) | game.unrevealed(after.game)) - turned_up
        assert not hidden & _words(effects)
        assert not game.unrevealed(after.game) & (_words(game.public(after.game)) | _words(game.waiting(after)))
        assert turned_up <= _may_show(one, before)

    def no_card_drawn_is_told_before_it_is_turned_up(
        self, one: Fact, before: QPoker, after: Table[QPoker], effects: Effects
    ) -> None:
        """The same by the watch's own book: it doesn't take the game's word for what lies face down."""
        game = self.sitting.game
        if isinstance(one.body, CardDrawn) and one.body.card in PACK:
            self.drawn.add(str(one.body.card))
        if isinstance(one.body, HandOpened | CardExposed):
            self.up |= _turned_up(effects) & _may_show(one, before)
        assert not (self.drawn - self.up) & (
            _words(effects) | _words(game.public(after.game)) | _words(game.waiting(after))
        )

    def a_refused_request_changes_nothing(self, before: Table[QPoker], after: Table[QPoker], effects: Effects) -> None:
        if not any(isinstance(effect, Refuse) for effect in effects):
            return
        assert after.game == before.game
        assert (after.devices, after.rounds) == (before.devices, before.rounds)
        told = {type(effect.event) for effect in effects if isinstance(effect, Announce)}
        assert told <= {BetRefused, FaultSeen, FaultGone, FaultSeenBy}

    def commands_are_only_asked_for_while_they_are_open(self, after: QPoker, effects: Effects) -> None:
        outstanding = self.sitting.game.outstanding(after)
        assert all(effect in outstanding for effect in effects if isinstance(effect, ShuffleCards))
        assert bool(outstanding) == (after.pack.state is PackState.SHUFFLING)

    def hands_hold_what_one_pack_holds(self, after: QPoker) -> None:
        known = known_cards(after)
        assert len(known) == len(set(known))
        assert set(known) <= set(PACK)
        assert all(len(hand.cards) <= HAND_SIZE for hand in after.hands)

    def belongs_to_the_open_round(self, event: Event) -> None:
        named = getattr(event, "round_id", None)
        if isinstance(event, RoundBegan):
            assert self.open is None
            assert event.round_id not in self.ended
            self.open, self.stakes, self.decisions = event.round_id, {}, {}
            self.drawn, self.up = set(), set()
        elif named is not None:
            assert named == self.open
        if isinstance(event, Settled | Voided):
            self.ended.add(event.round_id)
            self.open = None

    def decisions_are_kept(self, event: Event) -> None:
        if isinstance(event, Decided):
            assert (event.place, event.bettor) not in self.decisions
            self.decisions[event.place, event.bettor] = event.decision
        if isinstance(event, Settled):
            settled = {
                (place["place"], bet["bettor"]): bet["decision"]
                for place in event.round["places"]
                for bet in place["bets"]
                if bet["bet"] == VERSUS
            }
            assert settled == self.decisions

    def money_is_kept(self, event: Event) -> None:
        if isinstance(event, BetPlaced | BetWithdrawn):
            sign = 1 if isinstance(event, BetPlaced) else -1
            key = (event.place, event.bettor, event.bet)
            self.stakes[key] = self.stakes.get(key, 0) + sign * parse_money(event.stake)
        if isinstance(event, Voided):
            back = {(bet.place, bet.bettor, bet.bet): parse_money(bet.stake) for bet in event.returned}
            assert back == self.laid()
        if isinstance(event, Settled):
            settled = {
                (place["place"], bet["bettor"], bet["bet"]): parse_money(bet["stake"])
                for place in event.round["places"]
                for bet in place["bets"]
            }
            assert settled == self.laid()

    def laid(self) -> dict[tuple[Place, str, str], int]:
        return {key: stake for key, stake in self.stakes.items() if stake}

    def settles_again(self, event: Event) -> None:
        if isinstance(event, Settled):
            line = json.dumps({"game": "q_poker", "rules": event.rules, "round": event.round})
            again = json.loads(settle_line(line.encode(), 1, {"q_poker": self.settle}).text)
            assert event.settlement == {name: again[name] for name in ("status", "dealer", "places")}

    def settle(self, form: Json, overrides: Json) -> str:
        return settle_form(form, overrides, self.sitting.game.rules)


def _turned_up(effects: Effects) -> set[str]:
    """The cards that these effects say lie face up from now on."""
    events = [effect.event for effect in effects if isinstance(effect, Announce)]
    shown = {card for event in events if isinstance(event, Revealed | CardShown) for card in event.cards}
    return {str(card) for card in shown}


def _may_show(one: Fact, before: QPoker) -> set[str]:
    """The cards that a fact may turn up: those of the hand opened, or the one that showed."""
    hands = {hand.place: hand.cards for hand in before.hands}
    match one.body:
        case HandOpened(place, given):
            return {str(card) for card in given or hands.get(place, ()) if card}
        case CardExposed(place, index, given):
            read = hands[place][index - 1] if place in hands and 0 < index <= len(hands[place]) else None
            return {str(card) for card in (read, given) if card}
        case _:
            return set()


def _words(value: object) -> set[str]:
    """Every word in a value, as it would stand in a message or a log."""
    return set(re.findall(r"[A-Za-z0-9]+", f"{value!r} {_plain(value)!r}"))


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


def play(dealing: Dealing, steps: list[Step], unused: list[Card]) -> Watched:
    """The steps told to a watched table."""
    watched = Watched(dealing)
    for body, request_id, seen in steps:
        told = meant(body, watched.sitting, tuple(unused))
        number = len(watched.sitting.facts)
        named = request_id and f"{request_id}-{number // 7}"
        about = {} if isinstance(body, str) else {"request_id": named, "seen": seen}
        watched.take(fact(told, number, **about))
    return watched


def meant(body: Body | str, sitting: Sitting, unused: tuple[Card, ...]) -> Body:
    """What a step stands for at this table now."""
    match body:
        case "again":
            return CardDrawn(SHOE, min(known_cards(sitting.state), default=None))
        case "astray":
            return CardMisplaced(4)
        case str():
            return next_body(sitting, unused)
        case _:
            return body


@often
@given(st.sampled_from(BOTH_WAYS), STEPS, st.permutations(PACK))
def test_whatever_is_told_the_law_holds_at_every_step(dealing: Dealing, steps: list[Step], unused: list[Card]) -> None:
    play(dealing, steps, unused)


@pytest.mark.parametrize("dealing", BOTH_WAYS)
def test_the_steps_that_are_watched_lead_through_whole_rounds(dealing: Dealing) -> None:
    events = play(dealing, [(NEXT, None, None)] * 70, [*PACK]).sitting
    assert len(events.all_of(Settled)) > 3


@given(st.sampled_from(BOTH_WAYS), STEPS, st.permutations(PACK), st.integers(0, 70))
def test_a_replay_from_any_point_gives_the_same_table_and_the_same_effects(
    dealing: Dealing, steps: list[Step], unused: list[Card], cut: int
) -> None:
    sitting = play(dealing, steps, unused).sitting
    start = procedure.begin(sitting.game)
    middle = procedure.fold(sitting.game, start, sitting.facts[:cut])
    assert procedure.fold(sitting.game, middle, sitting.facts[cut:]) == sitting.table
    table, effects = start, []
    for one in sitting.facts:
        table, followed = procedure.step(sitting.game, table, one)
        effects.append(followed)
    assert effects == sitting.told


@given(st.lists(st.one_of(*BODIES.values()), max_size=40), st.sampled_from(BOTH_WAYS))
def test_nonsense_alone_is_taken_without_an_error(bodies: list[Body], dealing: Dealing) -> None:
    watched = Watched(dealing)
    for number, body in enumerate(bodies):
        watched.take(fact(body, number))


some_bets = st.lists(
    st.builds(
        BetOffered,
        st.integers(1, 3),
        st.sampled_from(["ann", "bob"]),
        st.sampled_from([PAIR, VERSUS]),
        st.integers(1, 300),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda bet: (bet.place, bet.bettor, bet.bet),
)
three_places = st.sampled_from([(1, 2, 3), (2, 5, 7), (4, 5, 6)])


@given(some_bets, st.permutations(PACK), three_places, st.sampled_from(BOTH_WAYS))
def test_it_is_the_order_of_the_places_that_counts_and_not_their_numbers(
    bets: list[BetOffered], pack: list[Card], where: tuple[int, int, int], dealing: Dealing
) -> None:
    here = nets(settled(bets, pack, dealing))
    there = nets(settled([replace(bet, place=where[int(bet.place) - 1]) for bet in bets], pack, dealing))
    assert {(where[place - 1], bettor, bet): net for (place, bettor, bet), net in here.items()} == there


@given(some_bets, st.permutations(PACK), st.randoms(use_true_random=False))
def test_the_order_in_which_the_bets_are_laid_moves_no_money(
    bets: list[BetOffered], pack: list[Card], chance: Random
) -> None:
    other_order = chance.sample(bets, len(bets))
    assert nets(settled(bets, pack, Dealing.SHOE)) == nets(settled(other_order, pack, Dealing.SHOE))


@given(some_bets, st.permutations(PACK))
def test_both_ways_of_dealing_settle_the_same_hands_alike(bets: list[BetOffered], pack: list[Card]) -> None:
    from_the_shoe = settled(bets, pack, Dealing.SHOE)
    hands = {place["place"]: place["cards"] for place in from_the_shoe.round["places"]}
    hands[DEALER] = from_the_shoe.round["dealer"]
    table = new_table(Dealing.SHUFFLER).begin(*bets).deal()
    assert table.finish(hands).settlement == from_the_shoe.settlement


def settled(bets: list[BetOffered], pack: list[Card], dealing: Dealing) -> Settled:
    """A round with these bets, played by a good dealer with the cards in this order."""
    table = new_table(dealing).begin(*bets)
    while not table.all_of(Settled):
        table.tell(next_body(table, tuple(pack)))
    return table.all_of(Settled)[0]


@pytest.mark.parametrize("dealing", BOTH_WAYS)
def test_the_good_dealer_comes_to_a_settlement_without_an_irregularity(dealing: Dealing) -> None:
    assert settled([versus()], [*PACK], dealing).irregularities == ()


def test_the_watch_sees_a_card_that_is_told() -> None:
    table = new_table().begin(versus()).deal()
    hidden = table.game.unrevealed(table.state)
    assert hidden <= _words(table.state)
    assert not hidden & _words(table.events)
