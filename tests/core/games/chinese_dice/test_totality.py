"""Whatever is told to the table, in whatever order: what always holds.

A good dealer's next step, what goes wrong at a table, and arbitrary facts alternate at random: so nonsense meets every
phase of a round.
"""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.bets.stakes import Limits
from tablectl.core.events import Event
from tablectl.core.events.device import DiceShown, FaultGone, FaultSeen
from tablectl.core.events.round import (
    BetPlaced,
    BetRefused,
    BettingOver,
    BetWithdrawn,
    Decided,
    Irregular,
    RoundBegan,
    Settled,
)
from tablectl.core.facts import Body, FaultRaised, SessionBegan
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
    RoundOpened,
    RoundVoided,
    SeatLeft,
    SeatTaken,
)
from tablectl.core.faults import Code
from tablectl.core.game_step import Game
from tablectl.core.games.chinese_dice.game import ChineseDiceGame
from tablectl.core.games.chinese_dice.shapes import settle_form
from tablectl.core.games.chinese_dice.state import TRANSITIONS, ChineseDice
from tablectl.core.json_form import Json
from tablectl.core.money import parse_money
from tests.support.bodies import ANYTHING
from tests.support.chinese_dice import READER, new_table, next_body, rules
from tests.support.sitting import Sitting, fact
from tests.support.totality import (
    Book,
    Spot,
    Step,
    Told,
    Watched,
    Word,
    assert_replay_is_the_same,
    hundredths,
    often,
    play,
    step_lists,
    take_all,
    ways_of,
)

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
NEXT: st.SearchStrategy[Word] = st.tuples(faces, faces, faces)
"""The good dealer's next step; if it is a throw, with these dice."""

STEPS = step_lists(NEXT, MISCHIEF, NONSENSE, forward_of_12=7, least=40)
READERS = st.sampled_from([READER, ""])


class ChineseDiceLaw:
    """What holds at a Chinese dice table."""

    def __init__(self, game: Game[ChineseDice]) -> None:
        self.game = game
        self.closed = False
        self.articles: list[str] = []

    def strays(self, event: Event, book: Book) -> bool:
        """Between rounds the dice show who begins, and requests are made and refused."""
        between = not isinstance(event, Decided | DiceShown | BetRefused) or book.open is None
        return getattr(event, "round_id", None) == "" and between

    def sees(self, event: Event, book: Book) -> None:
        match event:
            case RoundBegan():
                self.closed, self.articles = False, []
            case BetPlaced():
                assert not self.closed
            case BetWithdrawn():
                assert not self.closed
                assert parse_money(event.stake) == book.stakes[event.place, event.bettor, event.bet]
            case BettingOver():
                assert not self.closed
                assert parse_money(event.total_stakes) == sum(book.stakes.values())
                self.closed = True
            case Irregular():
                self.articles.append(event.article)
            case Settled():
                assert settled_stakes(event) == grouped(book.laid())
                assert sum_of_nets(event) == 0
                assert event.irregularities == tuple(self.articles)
            case _:
                pass

    def holds(self, told: Told[ChineseDice], book: Book) -> None:
        """A refusal tells of no new fault, and the view holds what it has to."""
        assert not told.refused or not any(isinstance(event, FaultSeen | FaultGone) for event in told.events)
        public = self.game.public(told.after.game)
        json.dumps(public)
        assert public["round_id"] == book.open
        assert self.game.waiting(told.after).key.startswith("prompt.chinese_dice.")
        if public["bank"] is not None:
            assert parse_money(public["bank"]["room"]) >= 0


def grouped(laid: dict[Spot, int]) -> dict[Spot, int]:
    """What was laid, as settlement has it: associates in the banker's own layer."""
    own = sum(stake for (_, _, bet), stake in laid.items() if bet in {"capital", "associate"})
    (banker,) = ((place, bettor) for place, bettor, bet in laid if bet == "capital")
    rest = {key: stake for key, stake in laid.items() if key[2] not in {"capital", "associate"}}
    return {(*banker, "capital"): own, **rest}


def settle(form: Json, overrides: Json) -> str:
    return settle_form(form, overrides, rules())


def settled_stakes(event: Settled) -> dict[Spot, int]:
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
    return sum(hundredths(part["net"]) + parse_money(part["commission"]) for part in parts)


def watched(reader: str) -> Watched[ChineseDice]:
    """A table that has just begun, watched."""
    sitting = new_table(dice=reader, limits=Limits(1, 500, 1)).sitting
    law = ChineseDiceLaw(sitting.game)
    return Watched(sitting, law, ways_of(TRANSITIONS), settle, ("status", "banker", "places", "bank"))


def good_step(sitting: Sitting[ChineseDice], dice: Word) -> Body:
    """The good dealer's next step; a throw shows these dice."""
    assert isinstance(sitting.game, ChineseDiceGame)
    assert isinstance(dice, tuple)
    return next_body(sitting, sitting.game.settings, dice)


def played(reader: str, steps: list[Step]) -> Watched[ChineseDice]:
    """A watched table after these steps."""
    table = watched(reader)
    play(table, steps, lambda dice: [good_step(table.sitting, dice)])
    return table


@often
@given(READERS, STEPS)
def test_whatever_is_told_the_law_holds_at_every_step(reader: str, steps: list[Step]) -> None:
    played(reader, steps)


@given(READERS, st.lists(NONSENSE, max_size=40))
def test_nonsense_alone_is_taken_without_an_error(reader: str, bodies: list[Body]) -> None:
    take_all(watched(reader), bodies)


@given(READERS, STEPS, st.integers(0, 70))
def test_replay_from_any_point_gives_same_table_and_same_effects(reader: str, steps: list[Step], cut: int) -> None:
    assert_replay_is_the_same(played(reader, steps).sitting, cut)


@pytest.mark.article("chinese_dice", "4.a")
@pytest.mark.parametrize("reader", [READER, ""])
def test_good_dealer_plays_whole_rounds_and_the_bank_goes_round(reader: str) -> None:
    sitting = played(reader, [((6, 6, 4), None, None)] * 80).sitting
    settled = sitting.all_of(Settled)
    assert len(settled) > 8
    assert all(event.irregularities == () for event in settled)
    assert [event.round["banker"]["place"] for event in settled[:5]] == [1, 1, 2, 2, 1]


@given(READERS, STEPS)
def test_from_wherever_table_is_good_dealer_comes_to_a_settlement(reader: str, steps: list[Step]) -> None:
    table = played(reader, steps)
    ended = len(table.sitting.all_of(Settled))
    for _ in range(60):
        if len(table.sitting.all_of(Settled)) > ended:
            return
        table.take(fact(good_step(table.sitting, (6, 6, 4)), len(table.sitting.facts)))
    pytest.fail("no settlement")
