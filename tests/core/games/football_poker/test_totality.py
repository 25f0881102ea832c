"""Whatever is told to the table, in whatever order: what always holds.

A good dealer's next step and arbitrary facts alternate at random: so nonsense meets every phase of a round.
"""

import json
import re
from dataclasses import fields, is_dataclass
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablectl.core import procedure
from tablectl.core.cards import PACK, Card
from tablectl.core.deal import known_cards
from tablectl.core.draw import Draw, Series
from tablectl.core.effects import Announce, BlankDisplay, Effects, Refuse, RequestDraw, ShowDraw, ShuffleCards
from tablectl.core.events import (
    BetPlaced,
    BetRefused,
    BetWithdrawn,
    CardShown,
    DrawDisplayed,
    DrawMade,
    DrawVoided,
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
    COMMON,
    BetOffered,
    BetTakenBack,
    BettingClosed,
    Body,
    CardDrawn,
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    Dealing,
    DealingChanged,
    DeviceAttached,
    DeviceLost,
    DrawCommitted,
    DrawFailed,
    DrawShown,
    Fact,
    FaultAcknowledged,
    FaultCleared,
    FaultRaised,
    HandOpened,
    IrregularityDeclared,
    LogBegan,
    MalfunctionDeclared,
    MisdealDeclared,
    PackConfirmed,
    PacketDelivered,
    Place,
    RoundOpened,
    RoundVoided,
    SessionBegan,
    ShuffleCompleted,
    ShuffleFailed,
)
from tablectl.core.faults import Code
from tablectl.core.forms import Json
from tablectl.core.games.football_poker.forms import settle_form
from tablectl.core.games.football_poker.state import HAND_MOST, TRANSITIONS, FootballPoker, Phase
from tablectl.core.money import format_money, parse_money
from tablectl.core.pack import PackState
from tablectl.core.settle import settle_line
from tablectl.core.table import Table
from tests.support.bodies import ANYTHING
from tests.support.football_poker import (
    BOTH_WAYS,
    DISPLAY,
    DRAW,
    EVEN,
    ODD,
    POST,
    SHOE,
    SHUFFLER,
    UPPER,
    Sitting,
    bet,
    nets,
    new_table,
    next_body,
    rules,
)
from tests.support.sitting import fact

NEXT, AGAIN, ASTRAY = "next", "again", "astray"
"""Stand for the good dealer's next step, a card that was read before, and the last card at a place without a bet."""
DRAW_AGAIN, DRAW_OTHERWISE, SHOW_AGAIN, SHOW_OTHERWISE, FAIL = "draw", "other draw", "show", "other show", "fail"
"""Stand for what the draw system and the display may say of the draw asked for last."""

FEW = PACK[:14]
FIVE_BETS = st.sampled_from(["upper_range", "lower_range", EVEN, ODD, POST])
places = st.sampled_from([1, 2, 3, 4, 0, -1, 99, 10**12, COMMON])
anywhere = st.one_of(places, st.sampled_from(["", "1", "banker"]))
names = st.sampled_from(["ann", "bob", "", "安"])
devices = st.sampled_from([SHOE, SHUFFLER, DRAW, DISPLAY, "", "wheel"])
some_cards = st.one_of(st.sampled_from(FEW), st.sampled_from([Card("zz"), Card("")]))
counts = st.one_of(st.integers(-1, 7), st.sampled_from([51, 52, 104, 10**9]))
codes = st.one_of(st.sampled_from(Code), st.sampled_from([0, -1, 9_999]))
numbers = st.integers(-1, 3)
texts = st.sampled_from(["", " ", "why", "\ud800"])

BODIES: dict[type, st.SearchStrategy[Any]] = ANYTHING | {
    LogBegan: st.builds(LogBegan, st.sampled_from(["5eed0002", "", "no hex", "\ud800"]), texts, texts),
    SessionBegan: st.builds(SessionBegan, texts, texts, texts, texts, texts),
    FaultRaised: st.builds(FaultRaised, codes, devices, texts),
    FaultCleared: st.builds(FaultCleared, codes, devices),
    DeviceAttached: st.builds(DeviceAttached, devices, boot=st.sampled_from(["", "1", "2"])),
    DeviceLost: st.builds(DeviceLost, devices),
    CardDrawn: st.builds(CardDrawn, devices, st.one_of(st.none(), some_cards)),
    ShuffleCompleted: st.builds(ShuffleCompleted, devices, numbers, counts),
    ShuffleFailed: st.builds(ShuffleFailed, devices, numbers),
    PacketDelivered: st.builds(PacketDelivered, devices, counts),
    DrawCommitted: st.builds(DrawCommitted, devices, numbers, st.sampled_from(Series), st.integers(-1, 10)),
    DrawFailed: st.builds(DrawFailed, devices, numbers, texts),
    DrawShown: st.builds(DrawShown, devices, numbers, st.sampled_from(Series), st.integers(-1, 10)),
    RoundOpened: st.builds(RoundOpened, st.one_of(st.none(), st.sampled_from(Dealing))),
    DealingChanged: st.builds(DealingChanged, st.sampled_from(Dealing)),
    BetOffered: st.builds(BetOffered, anywhere, names, st.one_of(FIVE_BETS, texts), st.integers(-1, 300)),
    BetTakenBack: st.builds(BetTakenBack, places, names, FIVE_BETS),
    HandOpened: st.builds(HandOpened, anywhere, st.lists(some_cards, max_size=4).map(tuple)),
    CardExposed: st.builds(CardExposed, anywhere, st.integers(-1, 4), st.one_of(st.none(), some_cards)),
    CardMisplaced: st.builds(CardMisplaced, anywhere),
    CardsCounted: st.builds(CardsCounted, counts),
    MisdealDeclared: st.builds(MisdealDeclared, anywhere),
    IrregularityDeclared: st.builds(
        IrregularityDeclared, st.sampled_from(["held_by_another", "common_handled", ""]), anywhere, names
    ),
    RoundVoided: st.builds(RoundVoided, texts),
    FaultAcknowledged: st.builds(FaultAcknowledged, codes, devices),
}
MISCHIEF = st.one_of(
    st.sampled_from([AGAIN, ASTRAY, DRAW_AGAIN, SHOW_AGAIN, SHOW_OTHERWISE, FAIL]),
    st.sampled_from([ASTRAY, ASTRAY, DRAW_OTHERWISE]),
    st.builds(CardDrawn, st.just(SHOE), st.one_of(st.none(), st.sampled_from(FEW))),
    st.builds(CardExposed, st.sampled_from([1, 1, 4, COMMON]), st.integers(1, 3)),
    st.builds(CardMisplaced, st.sampled_from([1, 2, COMMON])),
    st.builds(BetOffered, st.sampled_from([1, 2, 3, COMMON]), st.sampled_from(["ann", "bob"]), FIVE_BETS, st.just(77)),
    st.builds(RoundOpened, st.sampled_from(Dealing)),
    st.sampled_from([HandOpened(1), CardMended(), DeviceLost(SHOE), BettingClosed(), PackConfirmed()]),
    st.sampled_from([MalfunctionDeclared(), FaultRaised(Code.SHUFFLER_JAM, SHUFFLER), PacketDelivered(SHUFFLER, 1)]),
)
"""What goes wrong at a table, with values that make sense."""

Step = tuple[Body | str, str | None, int | None]


@st.composite
def step(draw: st.DrawFn) -> Step:
    """A body, a request's id, and how much its screen had seen: mostly a step forward, or no round came to its end."""
    kind = draw(st.integers(0, 11))
    if kind < 9:
        return NEXT, None, None
    body = draw(MISCHIEF if kind < 11 else st.one_of(*BODIES.values()))
    return body, draw(st.sampled_from([None, None, "r1", "r2"])), draw(st.sampled_from([None, None, None, 0, 10**9]))


STEPS = st.lists(step(), min_size=40, max_size=120)
often = settings(max_examples=2 * settings().max_examples)
"""For what has to meet every corner: more examples than usual, in every profile."""


def test_every_kind_of_fact_is_told() -> None:
    assert set(BODIES) == set(get_args(Body))


class Watched:
    """A table of which every step is checked against all that always holds."""

    def __init__(self, dealing: Dealing, packs: int = 1, display: str = DISPLAY) -> None:
        self.sitting = new_table(dealing, places=4, packs=packs, display=display)
        self.packs = packs
        self.open: str | None = None
        self.ended: set[str] = set()
        self.stakes: dict[tuple[Place, str, str], int] = {}
        self.made: dict[str, tuple[str, int]] = {}
        self.shown: tuple[str, int] | None = None
        self.drawn: set[str] = set()
        self.up: set[str] = set()

    def take(self, one: Fact) -> None:
        before = self.sitting.table
        effects = self.sitting.take(one)
        after = self.sitting.table
        self.phase_moves_along_the_table(before.game, after.game)
        self.no_card_face_down_is_told(one, before.game, after, effects)
        self.a_refused_request_changes_nothing(before, after, effects)
        self.commands_stay_open_until_they_are_answered(after.game, effects)
        self.hands_hold_what_the_packs_hold(after.game)
        for event in (effect.event for effect in effects if isinstance(effect, Announce)):
            self.belongs_to_the_open_round(event)
            self.draws_are_kept(event)
            self.money_is_kept(event)
            self.settles_again(event)
        assert (self.open is None) == (after.game.phase is Phase.IDLE)

    def phase_moves_along_the_table(self, before: FootballPoker, after: FootballPoker) -> None:
        """One packet can be both the first and the last where only the common place has a bet."""
        if before.phase is not after.phase:
            ways = {*TRANSITIONS[before.phase].values()}
            at_once = {*TRANSITIONS[Phase.DEALING].values()} if Phase.DEALING in ways else set()
            assert after.phase in ways | (at_once if before.phase in {Phase.BETTING, Phase.CLOSED} else set())

    def no_card_face_down_is_told(
        self, one: Fact, before: FootballPoker, after: Table[FootballPoker], effects: Effects
    ) -> None:
        """By the game's word and by the watch's own book of what was read and what was turned up."""
        game = self.sitting.game
        turned_up = _turned_up(effects)
        said = _words(effects) | _words(game.public(after.game)) | _words(game.waiting(after))
        assert not ((game.unrevealed(before) | game.unrevealed(after.game)) - turned_up) & _words(effects)
        assert not game.unrevealed(after.game) & (_words(game.public(after.game)) | _words(game.waiting(after)))
        assert turned_up <= _may_show(one, before)
        if isinstance(one.body, CardDrawn) and one.body.card in PACK:
            self.drawn.add(str(one.body.card))
        self.up |= turned_up
        assert not (self.drawn - self.up) & said

    def a_refused_request_changes_nothing(
        self, before: Table[FootballPoker], after: Table[FootballPoker], effects: Effects
    ) -> None:
        if not any(isinstance(effect, Refuse) for effect in effects):
            return
        assert after.game == before.game
        assert (after.devices, after.rounds) == (before.devices, before.rounds)
        told = {type(effect.event) for effect in effects if isinstance(effect, Announce)}
        assert told <= {BetRefused, FaultSeen, FaultGone, FaultSeenBy}

    def commands_stay_open_until_they_are_answered(self, after: FootballPoker, effects: Effects) -> None:
        outstanding = self.sitting.game.outstanding(after)
        opening = [effect for effect in effects if isinstance(effect, ShuffleCards | RequestDraw)]
        assert all(effect in outstanding for effect in opening)
        shown = [effect for effect in effects if isinstance(effect, ShowDraw | BlankDisplay)]
        assert not shown or self.sitting.settings.display
        shuffling = any(isinstance(command, ShuffleCards) for command in outstanding)
        assert shuffling == (after.pack.state is PackState.SHUFFLING)

    def hands_hold_what_the_packs_hold(self, after: FootballPoker) -> None:
        known = known_cards(after.deal)
        assert all(known.count(card) <= self.packs for card in known)
        assert set(known) <= set(PACK)
        assert all(len(hand.cards) <= HAND_MOST for hand in after.deal.hands)

    def belongs_to_the_open_round(self, event: Event) -> None:
        named = getattr(event, "round_id", None)
        if isinstance(event, RoundBegan):
            assert self.open is None
            assert event.round_id not in self.ended
            self.open, self.stakes, self.shown = event.round_id, {}, None
            self.drawn, self.up = set(), set()
        elif isinstance(event, DrawVoided) and named != self.open:
            assert named in self.ended
            assert event.reason == "round_over"
        elif named is not None:
            assert named == self.open
        if isinstance(event, Settled | Voided):
            self.ended.add(event.round_id)
            self.open = None

    def draws_are_kept(self, event: Event) -> None:
        """No bet before the draw is shown; one draw for each number, and one that counts for each round."""
        if isinstance(event, DrawMade):
            assert event.draw_id not in self.made
            self.made[event.draw_id] = event.series, event.combination
        if isinstance(event, DrawDisplayed):
            assert self.shown is None
            self.shown = event.series, event.combination
            assert self.made[event.draw_id] == self.shown
        if isinstance(event, BetPlaced):
            assert self.shown is not None
        if isinstance(event, Settled):
            draw = event.round["draw"]
            assert (draw["series"], draw["combination"]) == self.shown

    def money_is_kept(self, event: Event) -> None:
        if isinstance(event, BetPlaced | BetWithdrawn):
            sign = 1 if isinstance(event, BetPlaced) else -1
            key = (event.place, event.bettor, event.bet)
            self.stakes[key] = self.stakes.get(key, 0) + sign * parse_money(event.stake)
        if isinstance(event, Voided):
            assert {(b.place, b.bettor, b.bet): parse_money(b.stake) for b in event.returned} == self.laid()
        if isinstance(event, Settled):
            bets = [(place["place"], b) for place in event.settlement["places"] for b in place["bets"]]
            assert {(at, b["bettor"], b["bet"]): parse_money(b["stake"]) for at, b in bets} == self.laid()
            assert all(b["commission"] == "0.00" or b["bet"].endswith("_range") for _, b in bets)
            assert all(_hundredths(b["net"]) >= -parse_money(b["stake"]) for _, b in bets)

    def laid(self) -> dict[tuple[Place, str, str], int]:
        return {key: stake for key, stake in self.stakes.items() if stake}

    def settles_again(self, event: Event) -> None:
        if isinstance(event, Settled):
            line = json.dumps({"game": "football_poker", "rules": event.rules, "round": event.round})
            again = json.loads(settle_line(line.encode(), 1, {"football_poker": settle}).text)
            assert event.settlement == {name: again[name] for name in ("status", "draw", "places")}


def settle(form: Json, overrides: Json) -> str:
    return settle_form(form, overrides, rules())


def _hundredths(signed: str) -> int:
    return -parse_money(signed[1:]) if signed.startswith("-") else parse_money(signed)


def _turned_up(effects: Effects) -> set[str]:
    """The cards that these effects say lie face up from now on."""
    events = [effect.event for effect in effects if isinstance(effect, Announce)]
    shown = {card for event in events if isinstance(event, Revealed | CardShown) for card in event.cards}
    return {str(card) for card in shown}


def _may_show(one: Fact, before: FootballPoker) -> set[str]:
    """The cards that a fact may turn up: those of the hand opened, or the one that showed."""
    hands = {hand.place: hand.cards for hand in before.deal.hands}
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


def play(watched: Watched, steps: list[Step], unused: list[Card]) -> Sitting:
    """The steps told to a watched table."""
    for body, request_id, seen in steps:
        told = meant(body, watched.sitting, tuple(unused))
        number = len(watched.sitting.facts)
        named = request_id and f"{request_id}-{number // 7}"
        about = {} if isinstance(body, str) else {"request_id": named, "seen": seen}
        watched.take(fact(told, number, **about))
    return watched.sitting


def meant(body: Body | str, sitting: Sitting, unused: tuple[Card, ...]) -> Body:
    """What a step stands for at this table now."""
    asked = sitting.asked(RequestDraw)
    number = asked[-1].draw_id if asked else 0
    draw = sitting.state.drawing.draw or Draw(Series.UPPER, 1)
    other = Draw(Series.LOWER, draw.combination % 8 + 1)
    match body:
        case "again":
            return CardDrawn(SHOE, min(known_cards(sitting.state.deal), default=None))
        case "astray":
            return CardMisplaced(4)
        case "draw" | "other draw":
            told = draw if body == DRAW_AGAIN else other
            return DrawCommitted(DRAW, number, told.series, told.combination)
        case "show" | "other show":
            told = draw if body == SHOW_AGAIN else other
            return DrawShown(DISPLAY, number, told.series, told.combination)
        case "fail":
            return DrawFailed(DRAW, number, "why")
        case str():
            return next_body(sitting, unused)
        case _:
            return body


tables = st.builds(Watched, st.sampled_from(BOTH_WAYS), st.sampled_from([1, 1, 2]), st.sampled_from([DISPLAY, ""]))


@often
@given(tables, STEPS, st.permutations(PACK))
def test_whatever_is_told_the_law_holds_at_every_step(table: Watched, steps: list[Step], unused: list[Card]) -> None:
    play(table, steps, unused)


@pytest.mark.parametrize("dealing", BOTH_WAYS)
def test_the_steps_that_are_watched_lead_through_whole_rounds(dealing: Dealing) -> None:
    sitting = play(Watched(dealing), [(NEXT, None, None)] * 70, [*PACK])
    assert len(sitting.all_of(Settled)) > 3


@given(tables, STEPS, st.permutations(PACK), st.integers(0, 70))
def test_a_replay_from_any_point_gives_the_same_table_and_the_same_effects(
    table: Watched, steps: list[Step], unused: list[Card], cut: int
) -> None:
    sitting = play(table, steps, unused)
    start = procedure.begin(sitting.game)
    middle = procedure.fold(sitting.game, start, sitting.facts[:cut])
    assert procedure.fold(sitting.game, middle, sitting.facts[cut:]) == sitting.table
    folded, effects = start, []
    for one in sitting.facts:
        folded, followed = procedure.step(sitting.game, folded, one)
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
        st.sampled_from([1, 2, 3, COMMON]),
        st.sampled_from(["ann", "bob"]),
        FIVE_BETS,
        st.integers(1, 300),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda bet: (bet.place, bet.bettor, bet.bet),
)


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
    table = new_table(Dealing.SHUFFLER).begin(*bets).deal(hands)
    assert (table.finish(hands)).settlement == from_the_shoe.settlement


@given(st.permutations(PACK), st.integers(20, 20_000))
def test_of_a_winning_range_the_house_keeps_one_twentieth_of_the_stake(pack: list[Card], stake: int) -> None:
    over = settled([bet(1, UPPER, stake=stake), bet(1, EVEN, stake=stake)], pack, Dealing.SHOE)
    upper, even = over.settlement["places"][0]["bets"]
    assert even["commission"] == "0.00"
    kept = -(-stake // 20)
    assert (upper["commission"] == format_money(kept)) == (upper["outcome"] == "win")
    if upper["outcome"] == "win":
        assert _hundredths(upper["net"]) == stake - kept


def settled(bets: list[BetOffered], pack: list[Card], dealing: Dealing) -> Settled:
    """A round with these bets, played by a good dealer with the cards in this order."""
    table = new_table(dealing).begin(*bets)
    while not table.all_of(Settled):
        table.tell(next_body(table, tuple(pack)))
    return table.all_of(Settled)[0]


@pytest.mark.parametrize("dealing", BOTH_WAYS)
def test_the_good_dealer_comes_to_a_settlement_without_an_irregularity(dealing: Dealing) -> None:
    assert settled([bet()], [*PACK], dealing).irregularities == ()


def test_the_watch_sees_a_card_that_is_told() -> None:
    table = new_table().begin(bet()).deal()
    hidden = table.game.unrevealed(table.state)
    assert hidden <= _words(table.state)
    assert not hidden & _words(table.events)
