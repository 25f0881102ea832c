"""A Wheel of Fortune table: its facts in few words, its phases, and a good dealer."""

from functools import cache
from typing import Any

from tablectl.core.effects import Effects
from tablectl.core.events.round import Irregular, Settled
from tablectl.core.facts import Body, SessionBegan
from tablectl.core.facts.game_requests import SpinConfirmed, SpinDeclared
from tablectl.core.facts.reports import DeviceAttached, DeviceLost, SpinStarted, SpinStopped, TurnCompleted
from tablectl.core.facts.table_requests import BetOffered, BettingClosed, RoundOpened
from tablectl.core.games.wheel_of_fortune.game import WheelOfFortuneGame
from tablectl.core.games.wheel_of_fortune.reading import works
from tablectl.core.games.wheel_of_fortune.rules import WheelOfFortuneRules
from tablectl.core.games.wheel_of_fortune.state import LAYOUT, Phase, Settings, WheelOfFortune
from tablectl.core.outcomes import Direction, Flaw, Spin
from tablectl.core.table import device
from tablectl.rule_tables import load_rules
from tests.support.sitting import Sitting, events, new_sitting, put_right

GAME = "wheel_of_fortune"
WHEEL = "wheel"
CALIBRATION = "2027-01 5eed"

Wheel = Sitting[WheelOfFortune]

OPENED, CALLED, CONFIRMED = RoundOpened(), BettingClosed(), SpinConfirmed()
LOST, BACK = DeviceLost(WHEEL), DeviceAttached(WHEEL, boot="1")
RESTARTED = SessionBegan("s2", "1", "hash", GAME, "42/2003")


@cache
def rules() -> WheelOfFortuneRules:
    """The rule table in force, read once."""
    return load_rules("wheel_of_fortune")


# --- facts


def bet(symbol: int = 1, bettor: str = "ann", stake: int = 100_00, place: int = 1) -> BetOffered:
    """Chips on a symbol."""
    return BetOffered(place, bettor, f"symbol_{symbol}", stake)


def section_of(symbol: int) -> int:
    """The first section that shows a symbol."""
    return LAYOUT.index(symbol) + 1


def started(direction: Direction = Direction.CLOCKWISE, section: int | None = 1) -> SpinStarted:
    """The wheel turns."""
    return SpinStarted(WHEEL, direction, section)


def turned(turns: int) -> TurnCompleted:
    """One more full turn."""
    return TurnCompleted(WHEEL, turns)


def spin(symbol: int = 1, turns_milli: int = 4_250, *flaws: Flaw, on_peg: bool = False) -> Spin:
    """A spin that comes to rest at a symbol's first section, or on a peg."""
    section = None if on_peg else section_of(symbol)
    return Spin(Direction.CLOCKWISE, turns_milli, section, 1_500, on_peg, flaws, CALIBRATION)


def stopped(symbol: int = 1, turns_milli: int = 4_250, *flaws: Flaw, on_peg: bool = False) -> SpinStopped:
    """The wheel came to rest."""
    return SpinStopped(WHEEL, spin(symbol, turns_milli, *flaws, on_peg=on_peg))


def declared(symbol: int | None = 1, turns: int = 4) -> SpinDeclared:
    """The dealer counted the turns and read a symbol's first section; None stands for a peg."""
    return SpinDeclared(turns, section_of(symbol) if symbol else None)


# --- tables


def new_table(**settings: Any) -> Wheel:
    """A table that waits for its first round; its sensor is there, if it has one."""
    table_settings = Settings(**settings)
    devices = (table_settings.wheel,) if table_settings.wheel else ()
    return new_sitting(WheelOfFortuneGame(rules(), table_settings), *devices)


def betting(*bets: BetOffered, **settings: Any) -> Wheel:
    """A round with these bets, betting open."""
    table = new_table(**settings)
    table.does(OPENED, *(bets or (bet(),)))
    return table


def closed(*bets: BetOffered, **settings: Any) -> Wheel:
    """A round with these bets, after the call."""
    table = betting(*bets, **settings)
    table.does(CALLED)
    return table


def spinning(*bets: BetOffered, **settings: Any) -> Wheel:
    """A round with these bets, and its wheel turns."""
    table = closed(*bets, **settings)
    table.does(started())
    return table


def at_rest(*bets: BetOffered, symbol: int = 1, **settings: Any) -> Wheel:
    """A round with these bets whose result waits to be confirmed."""
    table = spinning(*bets, **settings)
    table.does(stopped(symbol))
    return table


def without_sensor(*bets: BetOffered, **settings: Any) -> Wheel:
    """A round after the call, at a table where the dealer reads the wheel."""
    return closed(*bets, wheel="", **settings)


# --- what followed


def irregularity(effects: Effects) -> tuple[str, str, str]:
    """Article, code and consequence of the one irregularity that followed."""
    (event,) = (event for event in events(effects) if isinstance(event, Irregular))
    return event.article, event.code, event.consequence.value


def settled(table: Wheel) -> Settled:
    """The last settlement."""
    return table.all_of(Settled)[-1]


def nets(event: Settled) -> dict[tuple[str, str], str]:
    """What each bet brought, by bettor and bet."""
    return {(bet["bettor"], bet["bet"]): bet["net"] for bet in event.settlement["bets"]}


# --- what a good dealer and their wheel do next


def next_body(table: Wheel, symbol: int = 1) -> Body:
    """The fact that brings the round nearer to its end, whatever stands in the way."""
    game = table.game
    assert isinstance(game, WheelOfFortuneGame)
    if (name := game.settings.wheel) and not device(table.table, name).attached:
        return DeviceAttached(name, boot=device(table.table, name).boot)
    if table.table.faults and table.state.phase in {Phase.IDLE, Phase.BETTING}:
        return put_right(table.table)
    match table.state.phase:
        case Phase.IDLE:
            return OPENED
        case Phase.BETTING:
            return CALLED if table.state.bets else bet()
        case Phase.CLOSED:
            return started() if works(table.table, game.settings) else declared(symbol)
        case Phase.SPINNING:
            return declared(symbol) if table.state.doubt else stopped(symbol)
        case Phase.STOPPED:
            return CONFIRMED
