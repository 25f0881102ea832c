"""Whatever is told to the table, in whatever order: what always holds.

A good dealer's next step, mischief and arbitrary facts alternate at random: so nonsense meets every phase of a round.
"""

import json
import re
from dataclasses import fields, is_dataclass
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablectl.core import procedure
from tablectl.core.cards import PACK, Card
from tablectl.core.effects import Announce, Effects, Refuse, ShuffleCards, SoundSignal, StartTimer
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
    BANKER,
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
    CardsPickedUp,
    DealCancelled,
    DealFinished,
    DeviceAttached,
    DeviceLost,
    DiceEntered,
    DiceThrown,
    Fact,
    FaultAcknowledged,
    FaultCleared,
    FaultRaised,
    IrregularityDeclared,
    LogBegan,
    Place,
    RoundVoided,
    SeatLeft,
    SeatTaken,
    SessionBegan,
    SettingFinished,
    ShuffleCompleted,
    ShuffleFailed,
    SignalFailed,
    SignalSounded,
    ThrowInvalidated,
    TiersShown,
    TimerElapsed,
)
from tablectl.core.faults import Code
from tablectl.core.forms import Json
from tablectl.core.games.thirteen_cards.forms import settle_form
from tablectl.core.games.thirteen_cards.irregular import KINDS
from tablectl.core.games.thirteen_cards.state import TRANSITIONS, Phase, ThirteenCards, dealt
from tablectl.core.lying import known
from tablectl.core.money import parse_money
from tablectl.core.settle import settle_line
from tablectl.core.table import Table
from tests.support.bodies import ANYTHING
from tests.support.sitting import fact
from tests.support.thirteen_cards import (
    BUZZER,
    DICE,
    HANDS,
    SHOE,
    SHUFFLER,
    UNIT,
    Sitting,
    new_table,
    next_body,
    rules,
)

NEXT, DEAL, REVERSED = "next", "deal", "reversed"
"""The good dealer's next step, his whole deal, and his next showing with the cards set the other way round."""

WHOLE: dict[str, Any] = {"shoe": SHOE, "shuffler": SHUFFLER, "dice": DICE, "buzzer": BUZZER}
BARE: dict[str, Any] = {"dice": ""}
SET_UPS = st.sampled_from([WHOLE, WHOLE, BARE, {"shoe": SHOE}])

FEW = PACK[:14]
places = st.sampled_from([1, 2, 3, 4, 0, -1, 99, 10**12])
anywhere = st.one_of(places, st.sampled_from([BANKER, "", "2", "dealer"]))
names = st.sampled_from(["ann", "bob", "", "安"])
devices = st.sampled_from([SHOE, SHUFFLER, DICE, BUZZER, "", "wheel"])
some_cards = st.one_of(st.sampled_from(FEW), st.sampled_from([Card("zz"), Card("")]))
counts = st.one_of(st.integers(-1, 7), st.sampled_from([51, 52, 53, 10**9]))
codes = st.one_of(st.sampled_from(Code), st.sampled_from([0, -1, 9_999]))
texts = st.sampled_from(["", " ", "why", "\ud800"])
stakes = st.sampled_from([UNIT, 2 * UNIT, 3 * UNIT, 0, -1, 1, 10**12])
throws = st.lists(st.integers(0, 7), max_size=5).map(tuple)
flaws = st.sampled_from(["", "", "cocked", "outside", "?"])
tiers = st.sampled_from([*HANDS.values(), ((), (), ()), (), ((Card("As"),) * 3, (Card("zz"),) * 5, FEW[:5])])

BODIES: dict[type, st.SearchStrategy[Any]] = ANYTHING | {
    LogBegan: st.builds(LogBegan, st.sampled_from(["5eed0002", "", "no hex", "\ud800"]), texts, texts),
    SessionBegan: st.builds(SessionBegan, texts, texts, texts, texts, texts),
    FaultRaised: st.builds(FaultRaised, codes, devices, texts),
    FaultCleared: st.builds(FaultCleared, codes, devices),
    FaultAcknowledged: st.builds(FaultAcknowledged, codes, devices),
    DeviceAttached: st.builds(DeviceAttached, devices, boot=st.sampled_from(["", "1", "2"])),
    DeviceLost: st.builds(DeviceLost, devices),
    CardDrawn: st.builds(CardDrawn, devices, st.one_of(st.none(), some_cards)),
    DiceThrown: st.builds(DiceThrown, devices, throws, flaws),
    DiceEntered: st.builds(DiceEntered, anywhere, throws, flaws),
    ThrowInvalidated: st.builds(ThrowInvalidated, flaws),
    BetOffered: st.builds(BetOffered, anywhere, names, st.sampled_from(["place", "bank", ""]), stakes),
    BetTakenBack: st.builds(BetTakenBack, places, names, st.just("place")),
    SeatTaken: st.builds(SeatTaken, places, names),
    SeatLeft: st.builds(SeatLeft, places),
    CardExposed: st.builds(CardExposed, anywhere, st.integers(-1, 14), st.one_of(st.none(), some_cards)),
    CardMisplaced: st.builds(CardMisplaced, anywhere),
    CardsCounted: st.builds(CardsCounted, counts),
    CardsHeldAway: st.builds(CardsHeldAway, places, names),
    IrregularityDeclared: st.builds(IrregularityDeclared, st.sampled_from([*KINDS, "", "rain"]), anywhere, names),
    TiersShown: st.builds(TiersShown, anywhere, tiers),
    CardsPickedUp: st.builds(CardsPickedUp, places),
    SettingFinished: st.builds(SettingFinished, places),
    RoundVoided: st.builds(RoundVoided, texts),
}
MISCHIEF = st.one_of(
    st.builds(CardDrawn, st.just(SHOE), st.one_of(st.none(), st.sampled_from(FEW))),
    st.builds(CardExposed, st.sampled_from([2, 3, BANKER]), st.integers(1, 3)),
    st.builds(CardMisplaced, st.sampled_from([2, 3, BANKER])),
    st.builds(BetOffered, st.integers(2, 4), st.sampled_from(["ann", "bob"]), st.just("place"), st.just(UNIT)),
    st.builds(SeatTaken, st.integers(2, 4), st.sampled_from(["ann", "bob"])),
    st.builds(SeatLeft, st.integers(2, 4)),
    st.builds(CardsPickedUp, st.integers(2, 3)),
    st.builds(SettingFinished, st.integers(2, 3)),
    st.builds(CardsCounted, st.sampled_from([0, 9, 51, 52])),
    st.sampled_from([CardMended(), DealFinished(), DealCancelled(), BettingClosed(), DeviceLost(SHOE)]),
    st.sampled_from([DeviceLost(BUZZER), DeviceLost(DICE), FaultRaised(Code.SHUFFLER_JAM, SHUFFLER)]),
    st.sampled_from([DiceThrown(DICE, (1, 2), "outside"), ThrowInvalidated("cocked"), DiceThrown(DICE, (6, 6, 6, 6))]),
    st.sampled_from(["time", "time", "sounded", "failed", "shuffled", REVERSED, REVERSED]),
)
"""What goes wrong at a table, with values that make sense."""

Step = tuple[Body | str, str | None, int | None]


@st.composite
def step(draw: st.DrawFn) -> Step:
    """A body, a request's id, and how much its screen had seen: mostly a step forward, or no round came to its end."""
    kind = draw(st.integers(0, 11))
    if kind < 8:
        return (NEXT if kind < 5 else DEAL), None, None
    body = draw(MISCHIEF if kind < 11 else st.one_of(*BODIES.values()))
    return body, draw(st.sampled_from([None, None, "r1", "r2"])), draw(st.sampled_from([None, None, None, 0, 10**9]))


STEPS = st.lists(step(), min_size=20, max_size=60)


def test_every_kind_of_fact_is_told() -> None:
    assert set(BODIES) == set(get_args(Body))


class Watched:
    """A table of which every step is checked against all that always holds."""

    def __init__(self, set_up: dict[str, Any]) -> None:
        self.sitting = new_table(**set_up)
        self.open: str | None = None
        self.ended: set[str] = set()
        self.stakes: dict[tuple[Place, str], int] = {}
        self.finished: set[Place] = set()
        self.drawn: set[str] = set()
        self.up: set[str] = set()

    def take(self, one: Fact) -> None:
        before = self.sitting.table
        effects = self.sitting.take(one)
        after = self.sitting.table
        self.phase_moves_along_the_table(before.game, after.game)
        self.no_card_is_told_before_it_is_turned_up(one, before.game, after, effects)
        self.a_refused_request_changes_nothing(before, after, effects)
        self.commands_are_only_asked_for_while_they_are_open(after.game, effects)
        self.hands_hold_what_one_pack_holds(after.game)
        for effect in effects:
            if isinstance(effect, Announce):
                self.belongs_to_the_open_round(effect.event)
                self.places_are_settled_that_finished(effect.event)
                self.money_is_kept(effect.event)
                self.settles_again(effect.event)
        if after.game.phase is Phase.RESHUFFLING:
            self.finished = set()
        assert (self.open is None) == (after.game.phase is Phase.IDLE)

    def phase_moves_along_the_table(self, before: ThirteenCards, after: ThirteenCards) -> None:
        if before.phase is not after.phase:
            assert after.phase in TRANSITIONS[before.phase].values()
        if before.phase not in {Phase.IDLE, Phase.BETTING} and after.phase is not Phase.IDLE:
            assert after.bets == before.bets

    def no_card_is_told_before_it_is_turned_up(
        self, one: Fact, before: ThirteenCards, after: Table[ThirteenCards], effects: Effects
    ) -> None:
        """By the game's word and by the watch's own book."""
        game = self.sitting.game
        if isinstance(one.body, CardDrawn) and one.body.card in PACK:
            self.drawn.add(str(one.body.card))
        turned_up = _turned_up(effects)
        assert turned_up <= _may_show(one, before)
        self.up |= turned_up
        told = _words(effects)
        seen = _words(game.public(after.game)) | _words(game.waiting(after))
        hidden = game.unrevealed(after.game)
        assert not ((game.unrevealed(before) | hidden) - turned_up) & told
        assert not hidden & seen
        assert not (self.drawn - self.up) & (told | seen)

    def a_refused_request_changes_nothing(
        self, before: Table[ThirteenCards], after: Table[ThirteenCards], effects: Effects
    ) -> None:
        if not any(isinstance(effect, Refuse) for effect in effects):
            return
        assert after.game == before.game
        assert (after.devices, after.rounds) == (before.devices, before.rounds)
        told = {type(effect.event) for effect in effects if isinstance(effect, Announce)}
        assert told <= {BetRefused, FaultSeen, FaultGone, FaultSeenBy}

    def commands_are_only_asked_for_while_they_are_open(self, after: ThirteenCards, effects: Effects) -> None:
        outstanding = self.sitting.game.outstanding(after)
        kinds = ShuffleCards, StartTimer, SoundSignal
        assert all(effect in outstanding for effect in effects if isinstance(effect, kinds))
        running = any(isinstance(command, StartTimer) for command in outstanding)
        assert running == (after.phase is Phase.PLAYERS_SETTING)

    def hands_hold_what_one_pack_holds(self, after: ThirteenCards) -> None:
        cards = known(after.hands)
        assert len(cards) == len(set(cards))
        assert set(cards) <= set(PACK)
        counts = [len(hand.cards) for hand in after.hands]
        assert all(count <= 13 for count in counts)
        assert after.phase is Phase.DEALING or set(counts) <= {13}

    def belongs_to_the_open_round(self, event: Event) -> None:
        named = getattr(event, "round_id", None)
        if isinstance(event, RoundBegan):
            assert self.open is None
            assert event.round_id not in self.ended
            self.open, self.stakes, self.finished = event.round_id, {}, set()
            self.drawn, self.up = set(), set()
        elif named is not None:
            assert named == self.open
        if isinstance(event, Settled | Voided):
            self.ended.add(event.round_id)
            self.open = None

    def places_are_settled_that_finished(self, event: Event) -> None:
        if isinstance(event, Decided) and event.decision == "finishes":
            assert event.place not in self.finished
            self.finished.add(event.place)
        if isinstance(event, Settled):
            in_time = {place["place"] for place in event.round["places"] if place["in_time"]}
            assert in_time == self.finished

    def money_is_kept(self, event: Event) -> None:
        if isinstance(event, BetPlaced | BetWithdrawn):
            sign = 1 if isinstance(event, BetPlaced) else -1
            key = (event.place, event.bettor)
            self.stakes[key] = self.stakes.get(key, 0) + sign * parse_money(event.stake)
        if isinstance(event, Voided):
            assert {(bet.place, bet.bettor): parse_money(bet.stake) for bet in event.returned} == self.laid()
        if isinstance(event, Settled):
            bets = [(place["place"], bet) for place in event.settlement["places"] for bet in place["bets"]]
            assert {(place, bet["bettor"]): parse_money(bet["stake"]) for place, bet in bets} == self.laid()
            assert _bettors(bets) + _house(bets) == 0

    def laid(self) -> dict[tuple[Place, str], int]:
        return {key: stake for key, stake in self.stakes.items() if stake}

    def settles_again(self, event: Event) -> None:
        if isinstance(event, Settled):
            line = json.dumps({"game": "thirteen_cards", "rules": event.rules, "round": event.round})
            again = json.loads(settle_line(line.encode(), 1, {"thirteen_cards": _settle}).text)
            assert event.settlement == {name: again[name] for name in ("status", "banker", "places")}


def _settle(form: Json, overrides: Json) -> str:
    return settle_form(form, overrides, rules())


def _signed(amount: str) -> int:
    return -parse_money(amount[1:]) if amount.startswith("-") else parse_money(amount)


def _bettors(bets: list[tuple[int, Any]]) -> int:
    return sum(_signed(bet["net"]) for _, bet in bets)


def _house(bets: list[tuple[int, Any]]) -> int:
    """What the banker, who is the house, wins and pays: the stake, nothing, or half of it less two in a hundred."""
    kept = {"lose": 1_00, "push": 0, "win": -49}
    return sum(parse_money(bet["stake"]) * kept[bet["outcome"]] // 1_00 for _, bet in bets)


def _turned_up(effects: Effects) -> set[str]:
    events = [effect.event for effect in effects if isinstance(effect, Announce)]
    return {str(card) for event in events if isinstance(event, Revealed | CardShown) for card in event.cards}


def _may_show(one: Fact, before: ThirteenCards) -> set[str]:
    """The cards that a fact may turn up: those shown as set, or the one that showed."""
    hands = {hand.place: hand.cards for hand in before.hands}
    match one.body:
        case TiersShown(_, shown):
            return {str(card) for row in shown for card in row}
        case CardExposed(place, index, given):
            cards = hands.get(BANKER if place == 1 else place, ())
            read = cards[index - 1] if 0 < index <= len(cards) else None
            return {str(card) for card in (read, given) if card}
        case _:
            return set()


def _words(value: object) -> set[str]:
    """Every word in a value, as it would stand in a message or a log."""
    return set(re.findall(r"[A-Za-z0-9]+", f"{_plain(value)!r}"))


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


def play(set_up: dict[str, Any], steps: list[Step], unused: list[Card]) -> Watched:
    """The steps told to a watched table."""
    watched = Watched(set_up)
    for body, request_id, seen in steps:
        for told in meant(body, watched.sitting, tuple(unused)):
            number = len(watched.sitting.facts)
            named = request_id and f"{request_id}-{number // 7}"
            about = {} if isinstance(body, str) else {"request_id": named, "seen": seen}
            watched.take(fact(told, number, **about))
    return watched


def meant(body: Body | str, sitting: Sitting, unused: tuple[Card, ...]) -> list[Body]:
    """What a step stands for at this table now."""
    state = sitting.state
    match body:
        case "deal":
            return _the_deal(sitting, unused)
        case "reversed":
            return [_reversed(next_body(sitting, sitting.set_up, unused))]
        case "time":
            return [TimerElapsed(state.clock.operation if state.clock else 0)]
        case "sounded":
            return [SignalSounded(BUZZER, state.signal, verified=False)]
        case "failed":
            return [SignalFailed(BUZZER, state.signal), ShuffleFailed(SHUFFLER, state.pack.operation)]
        case "shuffled":
            return [ShuffleCompleted(SHUFFLER, state.pack.operation, 51)]
        case str():
            return [next_body(sitting, sitting.set_up, unused)]
        case _:
            return [body]


def _the_deal(sitting: Sitting, unused: tuple[Card, ...]) -> list[Body]:
    """Every card that is still to come out of the box; else the next step."""
    state = sitting.state
    following = next_body(sitting, sitting.set_up, unused)
    if not isinstance(following, CardDrawn):
        return [following]
    left = [card for card in unused if card not in known(state.hands)]
    return [CardDrawn(SHOE, card) for card in left[: 52 - dealt(state)]]


def _reversed(body: Body) -> Body:
    if not isinstance(body, TiersShown):
        return body
    cards = tuple(card for row in body.rows for card in row)[::-1]
    return TiersShown(body.place, (cards[:3], cards[3:8], cards[8:]))


@given(SET_UPS, STEPS, st.permutations(PACK))
def test_whatever_is_told_the_law_holds_at_every_step(
    set_up: dict[str, Any], steps: list[Step], unused: list[Card]
) -> None:
    play(set_up, steps, unused)


@pytest.mark.parametrize("set_up", [WHOLE, BARE])
def test_the_steps_that_are_watched_lead_through_whole_rounds(set_up: dict[str, Any]) -> None:
    events = play(set_up, [(DEAL, None, None)] * 60, [*PACK]).sitting
    assert len(events.all_of(Settled)) > 3


@settings(max_examples=settings().max_examples // 2)
@given(SET_UPS, STEPS, st.permutations(PACK), st.integers(0, 200))
def test_a_replay_from_any_point_gives_the_same_table_and_the_same_effects(
    set_up: dict[str, Any], steps: list[Step], unused: list[Card], cut: int
) -> None:
    sitting = play(set_up, steps, unused).sitting
    start = procedure.begin(sitting.game)
    middle = procedure.fold(sitting.game, start, sitting.facts[:cut])
    assert procedure.fold(sitting.game, middle, sitting.facts[cut:]) == sitting.table
    table, effects = start, []
    for one in sitting.facts:
        table, followed = procedure.step(sitting.game, table, one)
        effects.append(followed)
    assert effects == sitting.told


@given(st.lists(st.one_of(*BODIES.values()), max_size=40), SET_UPS)
def test_nonsense_alone_is_taken_without_an_error(bodies: list[Body], set_up: dict[str, Any]) -> None:
    watched = Watched(set_up)
    for number, body in enumerate(bodies):
        watched.take(fact(body, number))


@pytest.mark.parametrize("set_up", [WHOLE, BARE])
def test_the_good_dealer_comes_to_a_settlement_without_a_refusal(set_up: dict[str, Any]) -> None:
    sitting = play(set_up, [(DEAL, None, None)] * 30, [*PACK]).sitting
    assert sitting.all_of(Settled)
    assert not [effect for effects in sitting.told for effect in effects if isinstance(effect, Refuse)]


def test_the_watch_sees_a_card_that_is_told() -> None:
    table = new_table(shoe=SHOE)
    for body in _good_deal(table):
        table.tell(body)
    hidden = table.game.unrevealed(table.state)
    assert len(hidden) == 52
    assert hidden <= _words(table.state)
    assert not hidden & _words(table.events)


def _good_deal(table: Sitting) -> list[Body]:
    while table.phase != Phase.DEALING:
        table.tell(next_body(table, table.set_up))
    return _the_deal(table, PACK)
