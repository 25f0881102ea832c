"""Whatever is told to the table, in whatever order: what always holds.

A good dealer's next step and arbitrary facts alternate at random: so nonsense meets every phase of a round.
"""

from decimal import Decimal

from hypothesis import strategies as st

from tablectl.core.cards import Card, Place
from tablectl.core.effects import Announce, Refuse
from tablectl.core.events import Event
from tablectl.core.events.device import SpinResult
from tablectl.core.events.round import RoundBegan, Settled
from tablectl.core.facts import Body, FaultRaised
from tablectl.core.facts.game_requests import SpinConfirmed, SpinDeclared, SpinInvalidated
from tablectl.core.facts.reports import DeviceLost, SpinStarted, SpinStopped, TurnCompleted, WheelMoved
from tablectl.core.facts.table_requests import (
    BetOffered,
    BetTakenBack,
    BettingClosed,
    IrregularityDeclared,
    RoundOpened,
)
from tablectl.core.faults import Code
from tablectl.core.game_step import Game
from tablectl.core.games.wheel_of_fortune.sections import BetName
from tablectl.core.games.wheel_of_fortune.state import LAYOUT, TRANSITIONS, WheelOfFortune
from tablectl.core.outcomes import Direction, Flaw, Spin
from tests.games.contract.totality import TotalityContract
from tests.support.nonsense import names, table_bodies
from tests.support.totality import Book, Told, Watched, Word, step_lists, ways_of
from tests.support.wheel_of_fortune import RESTARTED, WHEEL, Wheel, new_table, next_body

NEXT = "next"
"""Stands for the good dealer's next step."""

devices = st.sampled_from([WHEEL, WHEEL, "", "shoe"])
places: st.SearchStrategy[Place] = st.sampled_from([1, 2, 12, 13, 0, "dealer", ""])
bets = st.sampled_from([*BetName, "symbol_8", ""])
codes = st.one_of(st.sampled_from([code for code in Code if 500 < code < 600]), st.sampled_from(Code), st.just(-1))
sections = st.one_of(st.none(), st.integers(1, 52), st.sampled_from([0, 53, -1]))
spins = st.builds(
    Spin,
    st.sampled_from(Direction),
    st.one_of(st.integers(2_900, 9_000), st.sampled_from([-1, 0, 10**400])),
    sections,
    st.integers(-1, 10**12),
    st.sampled_from([False, False, False, True]),
    st.lists(st.sampled_from(Flaw), max_size=1).map(tuple),
)

BODIES = table_bodies(devices, codes) | {
    SpinStarted: st.builds(SpinStarted, devices, st.sampled_from(Direction), sections, st.none() | st.integers()),
    SpinStopped: st.builds(SpinStopped, devices, spins),
    TurnCompleted: st.builds(TurnCompleted, devices, st.integers(-1, 10**30)),
    WheelMoved: st.builds(WheelMoved, devices, st.integers(-(10**30), 10**30)),
    BetOffered: st.builds(BetOffered, places, names, bets, st.integers(-1, 300)),
    BetTakenBack: st.builds(BetTakenBack, places, names, bets),
    SpinDeclared: st.builds(SpinDeclared, st.one_of(st.integers(-1, 9), st.just(10**30)), sections),
    SpinInvalidated: st.builds(SpinInvalidated, st.sampled_from(["interference", "unlucky", ""])),
    IrregularityDeclared: st.builds(
        IrregularityDeclared, st.sampled_from(["late_bet", "bet_disputed", ""]), places, names
    ),
}
MISCHIEF = st.one_of(
    *(BODIES[kind] for kind in (SpinStarted, SpinStopped, SpinDeclared, BetOffered, WheelMoved, FaultRaised)),
    st.sampled_from([DeviceLost(WHEEL), SpinInvalidated("interference"), SpinConfirmed(), BettingClosed()]),
    st.sampled_from([RoundOpened(), RESTARTED, BetTakenBack(1, "ann", "symbol_1")]),
)
"""What goes wrong at a table, with values that make sense."""

STEPS = step_lists(st.just(NEXT), MISCHIEF, st.one_of(*BODIES.values()), forward_of_12=7, least=30)
wheels = st.sampled_from([WHEEL, ""])


class WheelOfFortuneLaw:
    """What holds at a Wheel of Fortune."""

    def __init__(self, game: Game[WheelOfFortune]) -> None:
        self.game = game
        self.shown: int | None = None

    def strays(self, event: Event, book: Book) -> bool:
        return False

    def sees(self, event: Event, book: Book) -> None:
        """The wheel decides, and the money is kept."""
        match event:
            case RoundBegan():
                self.shown = None
            case SpinResult():
                assert event.section
                assert event.symbol == LAYOUT[event.section - 1]
                assert 3 <= event.turns <= 999
                self.shown = event.symbol
            case Settled():
                assert event.round["spin"]["symbol"] == self.shown
                assert event.settlement["status"] == "settled"
                self.money_is_kept(event, book)
            case _:
                pass

    def money_is_kept(self, event: Settled, book: Book) -> None:
        nets = [int(Decimal(bet["net"]) * 100) for bet in event.settlement["bets"]]
        assert len(nets) == len(book.laid())
        assert sum(nets) + self.house_net(book) == 0

    def house_net(self, book: Book) -> int:
        """What the house takes and pays by the watch's own book and the pay table of the law."""
        pays = dict(zip(BetName, (1, 3, 5, 10, 20, 45, 45), strict=True))
        won = f"symbol_{self.shown}"
        return sum(-stake * pays[BetName(bet)] if bet == won else stake for (_, _, bet), stake in book.laid().items())

    def holds(self, told: Told[WheelOfFortune], book: Book) -> None:
        """No device is asked for anything."""
        assert self.game.outstanding(told.after.game) == ()
        assert all(isinstance(effect, Announce | Refuse) for effect in told.effects)


class TestTotality(TotalityContract):
    bodies, steps = BODIES, STEPS
    set_ups = st.tuples(st.sampled_from([WHEEL, ""]), st.booleans())
    whole = ((WHEEL, True), (WHEEL, False), ("", True), ("", False))

    def watched(self, set_up: tuple[str, bool]) -> Watched[WheelOfFortune]:
        wheel, confirm = set_up
        sitting = new_table(wheel=wheel, confirm=confirm)
        return Watched(sitting, WheelOfFortuneLaw(sitting.game), ways_of(TRANSITIONS), ("status", "bets"))

    def meant(self, word: Word, sitting: Wheel, unused: tuple[Card, ...]) -> list[Body]:
        return [next_body(sitting, symbol=len(sitting.facts) % 7 + 1)]
