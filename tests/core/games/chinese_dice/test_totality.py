"""Whatever is told to the table, in whatever order: what always holds.

A good dealer's next step, what goes wrong at a table, and arbitrary facts alternate at random: so nonsense meets every
phase of a round.
"""

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablectl.core import procedure
from tablectl.core.effects import Announce, Effects, Refuse
from tablectl.core.events import (
    BetPlaced,
    BetRefused,
    BettingOver,
    BetWithdrawn,
    Decided,
    DiceShown,
    Event,
    FaultSeenBy,
    Irregular,
    RoundBegan,
    Settled,
    Voided,
)
from tablectl.core.facts import (
    AssociateJoined,
    BankDeclined,
    BankLimitWaived,
    BankTaken,
    BetOffered,
    BetTakenBack,
    BettingClosed,
    Body,
    CasinoJoined,
    DeviceAttached,
    DeviceLost,
    DiceEntered,
    DiceThrown,
    Fact,
    FaultRaised,
    IrregularityDeclared,
    Place,
    PlacePaid,
    RoundOpened,
    RoundVoided,
    SeatLeft,
    SeatTaken,
    SessionBegan,
    ThrowInvalidated,
)
from tablectl.core.faults import Code
from tablectl.core.forms import Json
from tablectl.core.games.chinese_dice.forms import settle_form
from tablectl.core.games.chinese_dice.state import TRANSITIONS, ChineseDice, Phase
from tablectl.core.money import parse_money
from tablectl.core.settle import settle_line
from tablectl.core.stakes import Limits
from tablectl.core.table import Table
from tests.support.bodies import ANYTHING
from tests.support.chinese_dice import READER, new_table, next_body, rules
from tests.support.sitting import fact

NEXT = "next"
"""Stands for the good dealer's next step."""

some_places = st.sampled_from([1, 2, 3, 4, 8, "banker", 0, 9, ""])
numbers = st.sampled_from([1, 2, 3, 4, 8, 0, 9])
names = st.sampled_from(["ann", "ben", "cy", "di", "安", "", " "])
bets = st.sampled_from(["place", "bank", "associate", "capital", "casino", "tie"])
stakes = st.one_of(st.integers(-1, 600), st.sampled_from([10**9]))
faces = st.integers(1, 6)
throws = st.one_of(
    st.tuples(faces, faces, faces),
    st.sampled_from([(4, 5, 6), (1, 2, 3), (2, 2, 2), (6, 6, 1), (1, 2, 4)]),
    st.lists(st.integers(-1, 7), max_size=5).map(tuple),
)
flaws = st.sampled_from(["", "", "", "cocked", "outside", "unsure", "away", "out_of_turn", "lost"])
kinds = st.sampled_from(["dice_held_away", "thrown_out_of_turn", "bet_misplaced", "bet_late", "looked_early"])

MISCHIEF: st.SearchStrategy[Body] = st.one_of(
    st.builds(DiceThrown, st.just(READER), throws, flaws),
    st.builds(DiceEntered, some_places, throws, flaws),
    st.builds(BetOffered, some_places, names, st.sampled_from(["place", "place", "bank", "tie"]), stakes),
    st.builds(BetTakenBack, some_places, names, bets),
    st.builds(AssociateJoined, names, stakes),
    st.builds(CasinoJoined, stakes),
    st.builds(SeatTaken, numbers, names),
    st.builds(SeatLeft, numbers),
    st.builds(BankTaken, numbers, names, stakes),
    st.builds(BankDeclined, numbers),
    st.builds(ThrowInvalidated, flaws),
    st.builds(PlacePaid, numbers),
    st.builds(IrregularityDeclared, kinds, some_places),
    st.builds(RoundVoided, st.sampled_from(["", "why"])),
    st.sampled_from([RoundOpened(), BettingClosed(), BankLimitWaived(), DeviceLost(READER)]),
    st.sampled_from([FaultRaised(Code.EVENT_GAP, READER), DeviceAttached(READER, boot="2")]),
    st.sampled_from([FaultRaised(Code.STORAGE_LOW), SessionBegan("s", "1", "h", "chinese_dice", "108/89/M")]),
)
"""What happens at a table besides, with values that mostly make sense."""

NONSENSE: st.SearchStrategy[Body] = st.one_of(*ANYTHING.values())
Step = tuple[Body | str, tuple[int, ...], str | None, int | None]


@st.composite
def step(draw: st.DrawFn) -> Step:
    """A body, the dice if it is a throw, a request's id, and how much its screen had seen: mostly a step forward."""
    kind = draw(st.integers(0, 11))
    dice = draw(st.tuples(faces, faces, faces))
    if kind < 7:
        return NEXT, dice, None, None
    body = draw(MISCHIEF if kind < 11 else NONSENSE)
    return body, dice, draw(st.sampled_from([None, None, "r1", "r2"])), draw(st.sampled_from([None, None, None, 0]))


STEPS = st.lists(step(), min_size=40, max_size=120)
READERS = st.sampled_from([READER, ""])
often = settings(max_examples=2 * settings().max_examples)
"""For what has to meet every corner: more examples than usual, in every profile."""


class Watched:
    """A table of which every step is checked against all that always holds."""

    def __init__(self, reader: str) -> None:
        self.table = new_table(dice=reader, limits=Limits(1, 500, 1))
        self.sitting = self.table.sitting
        self.open: str | None = None
        self.closed = False
        self.ended: set[str] = set()
        self.stakes: dict[tuple[Place, str, str], int] = {}
        self.articles: list[str] = []

    def take(self, one: Fact) -> None:
        before = self.sitting.table
        effects = self.sitting.take(one)
        after = self.sitting.table
        self.phase_moves_along_the_table(before.game, after.game)
        self.a_refused_request_changes_nothing(before, after, effects)
        for event in (effect.event for effect in effects if isinstance(effect, Announce)):
            self.belongs_to_the_open_round(event)
            self.money_is_kept(event)
            self.settles_again(event)
            self.is_noted(event)
        self.view_holds_what_it_has_to(after)
        assert (self.open is None) == (after.game.phase is Phase.IDLE)

    def phase_moves_along_the_table(self, before: ChineseDice, after: ChineseDice) -> None:
        if before.phase is not after.phase:
            assert after.phase in TRANSITIONS[before.phase].values()

    def a_refused_request_changes_nothing(
        self, before: Table[ChineseDice], after: Table[ChineseDice], effects: Effects
    ) -> None:
        if any(isinstance(effect, Refuse) for effect in effects):
            assert (after.game, after.devices, after.rounds) == (before.game, before.devices, before.rounds)
            told = {type(effect.event) for effect in effects if isinstance(effect, Announce)}
            assert told <= {BetRefused, FaultSeenBy}

    def belongs_to_the_open_round(self, event: Event) -> None:
        named = getattr(event, "round_id", None)
        if isinstance(event, RoundBegan):
            assert self.open is None
            assert event.round_id not in self.ended
            self.open, self.stakes, self.articles, self.closed = event.round_id, {}, [], False
        elif named:
            assert named == self.open
        elif isinstance(event, Decided | DiceShown | BetRefused):
            assert self.open is None
        if isinstance(event, Settled | Voided):
            self.ended.add(event.round_id)
            self.open = None

    def money_is_kept(self, event: Event) -> None:
        if isinstance(event, BetPlaced | BetWithdrawn):
            assert not self.closed
            sign = 1 if isinstance(event, BetPlaced) else -1
            key = (event.place, event.bettor, event.bet)
            assert sign > 0 or parse_money(event.stake) == self.stakes[key]
            self.stakes[key] = self.stakes.get(key, 0) + sign * parse_money(event.stake)
        if isinstance(event, BettingOver):
            assert not self.closed
            assert parse_money(event.total_stakes) == sum(self.stakes.values())
            self.closed = True
        if isinstance(event, Voided):
            back = {(one.place, one.bettor, one.bet): parse_money(one.stake) for one in event.returned}
            assert len(back) == len(event.returned)
            assert back == self.laid()
        if isinstance(event, Settled):
            assert settled_stakes(event) == self.grouped()
            assert sum_of_nets(event) == 0

    def laid(self) -> dict[tuple[Place, str, str], int]:
        return {key: stake for key, stake in self.stakes.items() if stake}

    def grouped(self) -> dict[tuple[Place, str, str], int]:
        """What was laid, as settlement has it: associates in the banker's own layer."""
        laid = self.laid()
        own = sum(stake for (_, _, bet), stake in laid.items() if bet in {"capital", "associate"})
        (banker,) = ((place, bettor) for place, bettor, bet in laid if bet == "capital")
        rest = {key: stake for key, stake in laid.items() if key[2] not in {"capital", "associate"}}
        return {(*banker, "capital"): own, **rest}

    def settles_again(self, event: Event) -> None:
        if isinstance(event, Settled):
            line = json.dumps({"game": "chinese_dice", "rules": event.rules, "round": event.round})
            again = json.loads(settle_line(line.encode(), 1, {"chinese_dice": settle}).text)
            assert event.settlement == {name: again[name] for name in ("status", "banker", "places", "bank")}

    def is_noted(self, event: Event) -> None:
        if isinstance(event, Irregular):
            self.articles.append(event.article)
        if isinstance(event, Settled):
            assert event.irregularities == tuple(self.articles)

    def view_holds_what_it_has_to(self, after: Table[ChineseDice]) -> None:
        game = self.sitting.game
        public = game.public(after.game)
        json.dumps(public)
        assert public["round_id"] == self.open
        assert game.waiting(after).key.startswith("prompt.chinese_dice.")
        if public["bank"] is not None:
            assert parse_money(public["bank"]["room"]) >= 0


def settle(form: Json, overrides: Json) -> str:
    return settle_form(form, overrides, rules())


def settled_stakes(event: Settled) -> dict[tuple[Place, str, str], int]:
    """What was settled, by place, bettor and bet."""
    played = event.round
    banker, share = played["banker"], parse_money(played["casino_share"])
    at = banker["place"]
    stakes = Counter({(at, banker["bettor"], "capital"): parse_money(banker["capital"])})
    for place in played["places"]:
        for bet in place["bets"]:
            stakes[place["place"], bet["bettor"], "place"] += parse_money(bet["stake"])
    for bet in played["partners"]:
        stakes[at, bet["bettor"], "bank"] += parse_money(bet["stake"])
    return {**stakes, **({(at, "casino", "casino"): share} if share else {})}


def sum_of_nets(event: Settled) -> int:
    """What bettors, layers of the bank and the house won together."""
    bets_of = [bet for place in event.settlement["places"] for bet in place["bets"]]
    parts = [*bets_of, *event.settlement["bank"]]
    return sum(signed(part["net"]) + parse_money(part["commission"]) for part in parts)


def signed(text: str) -> int:
    return -parse_money(text[1:]) if text.startswith("-") else parse_money(text)


def play(reader: str, steps: list[Step]) -> Watched:
    """The steps told to a watched table."""
    watched = Watched(reader)
    for body, dice, request_id, seen in steps:
        number = len(watched.sitting.facts)
        told = next_body(watched.sitting, watched.table.settings, dice) if isinstance(body, str) else body
        named = request_id and f"{request_id}-{number // 7}"
        about: dict[str, Any] = {} if isinstance(body, str) else {"request_id": named, "seen": seen}
        watched.take(fact(told, number, **about))
    return watched


@often
@given(READERS, STEPS)
def test_whatever_is_told_the_law_holds_at_every_step(reader: str, steps: list[Step]) -> None:
    play(reader, steps)


@given(READERS, st.lists(NONSENSE, max_size=40))
def test_nonsense_alone_is_taken_without_an_error(reader: str, bodies: list[Body]) -> None:
    watched = Watched(reader)
    for number, body in enumerate(bodies):
        watched.take(fact(body, number))


@given(READERS, STEPS, st.integers(0, 70))
def test_a_replay_from_any_point_gives_the_same_table_and_the_same_effects(
    reader: str, steps: list[Step], cut: int
) -> None:
    sitting = play(reader, steps).sitting
    start = procedure.begin(sitting.game)
    middle = procedure.fold(sitting.game, start, sitting.facts[:cut])
    assert procedure.fold(sitting.game, middle, sitting.facts[cut:]) == sitting.table
    table, effects = start, []
    for one in sitting.facts:
        table, followed = procedure.step(sitting.game, table, one)
        effects.append(followed)
    assert effects == sitting.told


@pytest.mark.article("chinese_dice", "4.a")
@pytest.mark.parametrize("reader", [READER, ""])
def test_the_good_dealer_plays_whole_rounds_and_the_bank_goes_round(reader: str) -> None:
    sitting = play(reader, [(NEXT, (6, 6, 4), None, None)] * 80).sitting
    settled = sitting.all_of(Settled)
    assert len(settled) > 8
    assert all(event.irregularities == () for event in settled)
    assert [event.round["banker"]["place"] for event in settled[:5]] == [1, 1, 2, 2, 1]


@given(READERS, STEPS)
def test_from_wherever_the_table_is_the_good_dealer_comes_to_a_settlement(reader: str, steps: list[Step]) -> None:
    watched = play(reader, steps)
    ended = len(watched.sitting.all_of(Settled))
    for _ in range(60):
        if len(watched.sitting.all_of(Settled)) > ended:
            return
        body = next_body(watched.sitting, watched.table.settings, (6, 6, 4))
        watched.take(fact(body, len(watched.sitting.facts)))
    pytest.fail("no settlement")
