"""Whatever is told to the table, in whatever order: what always holds.

A good dealer's next step, what goes wrong at a table, and arbitrary facts alternate at random: so nonsense meets every
phase of a round.
"""

from collections import Counter

import pytest
from hypothesis import strategies as st

from tablectl.core.bets.stakes import Limits
from tablectl.core.cards import Card
from tablectl.core.events import Event
from tablectl.core.events.device import DiceShown, FaultGone, FaultSeen
from tablectl.core.events.round import BetRefused, BetWithdrawn, Decided, Settled
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
from tablectl.core.games.chinese_dice.state import TRANSITIONS, ChineseDice
from tablectl.core.money import parse_money
from tests.games.contract.totality import TotalityContract
from tests.support.bodies import ANYTHING
from tests.support.chinese_dice import READER, new_table, next_body
from tests.support.sitting import Sitting
from tests.support.totality import Book, Spot, Told, Watched, Word, hundredths, step_lists, ways_of

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


class ChineseDiceLaw:
    """What holds at a Chinese dice table."""

    def __init__(self, game: Game[ChineseDice]) -> None:
        self.game = game

    def strays(self, event: Event, book: Book) -> bool:
        """Between rounds the dice show who begins, and requests are made and refused."""
        between = not isinstance(event, Decided | DiceShown | BetRefused) or book.open is None
        return getattr(event, "round_id", None) == "" and between

    def sees(self, event: Event, book: Book) -> None:
        match event:
            case BetWithdrawn():
                assert parse_money(event.stake) == book.stakes[event.place, event.bettor, event.bet]
            case DiceShown(place=None, called_invalid=True):
                book.closed = False  # it wasn't the banker's throw that ended the betting
            case Settled():
                assert settled_stakes(event) == grouped(book.laid())
                assert sum_of_nets(event) == 0
            case _:
                pass

    def holds(self, told: Told[ChineseDice], book: Book) -> None:
        """A refusal tells of no new fault, and the bank's room is never negative."""
        assert not told.refused or not any(isinstance(event, FaultSeen | FaultGone) for event in told.events)
        bank = self.game.public(told.after.game)["bank"]
        assert bank is None or parse_money(bank["room"]) >= 0


def grouped(laid: dict[Spot, int]) -> dict[Spot, int]:
    """What was laid, as settlement has it: associates in the banker's own layer."""
    own = sum(stake for (_, _, bet), stake in laid.items() if bet in {"capital", "associate"})
    (banker,) = ((place, bettor) for place, bettor, bet in laid if bet == "capital")
    rest = {key: stake for key, stake in laid.items() if key[2] not in {"capital", "associate"}}
    return {(*banker, "capital"): own, **rest}


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


class TestTotality(TotalityContract):
    bodies, steps = ANYTHING, STEPS
    set_ups, whole = st.sampled_from([READER, ""]), [READER, ""]
    forward, forward_steps = (6, 6, 4), 80

    def watched(self, set_up: str) -> Watched[ChineseDice]:
        sitting = new_table(dice=set_up, limits=Limits(1, 500, 1)).sitting
        law = ChineseDiceLaw(sitting.game)
        return Watched(sitting, law, ways_of(TRANSITIONS), ("status", "banker", "places", "bank"))

    def meant(self, word: Word, sitting: Sitting[ChineseDice], unused: tuple[Card, ...]) -> list[Body]:
        """The good dealer's next step; a throw shows the word's dice."""
        assert isinstance(sitting.game, ChineseDiceGame)
        assert isinstance(word, tuple)
        return [next_body(sitting, sitting.game.settings, word)]

    @pytest.mark.article("chinese_dice", "4.a")
    def test_with_a_good_dealer_the_bank_goes_round(self, alone: str) -> None:
        settled = self.played(alone, [(self.forward, None, None)] * 80).sitting.all_of(Settled)
        assert [event.round["banker"]["place"] for event in settled[:5]] == [1, 1, 2, 2, 1]
