"""State of a Wheel of Fortune round, its phases and their transitions."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from fractions import Fraction
from typing import Final

from tablectl.core import step
from tablectl.core.bets.stakes import Bet, Limits
from tablectl.core.games.wheel_of_fortune.rules import WheelOfFortuneRules
from tablectl.core.games.wheel_of_fortune.sections import SECTIONS
from tablectl.lazy_dataclass import dataclass

NAME: Final = "wheel_of_fortune"
MOST_TURNS: Final = 999
"""More turns than any wheel makes: a count beyond it is a fault of whoever counted."""


class Phase(StrEnum):
    """Where a round stands."""

    IDLE = "idle"
    BETTING = "betting"
    CLOSED = "closed"
    SPINNING = "spinning"
    STOPPED = "stopped"


class Cause(StrEnum):
    """Causes of the transitions from phase to phase."""

    OPENED = "round opened"
    CALLED = "no more bets"
    SPUN = "wheel spun"
    READ = "valid rotation, to be confirmed"
    INVALID = "invalid rotation"
    SETTLED = "settled"
    VOIDED = "void"


TRANSITIONS: Mapping[Phase, Mapping[Cause, Phase]] = {
    Phase.IDLE: {Cause.OPENED: Phase.BETTING},
    Phase.BETTING: {Cause.CALLED: Phase.CLOSED, Cause.VOIDED: Phase.IDLE},
    Phase.CLOSED: {
        Cause.SPUN: Phase.SPINNING,
        Cause.READ: Phase.STOPPED,
        Cause.INVALID: Phase.CLOSED,
        Cause.SETTLED: Phase.IDLE,
        Cause.VOIDED: Phase.IDLE,
    },
    Phase.SPINNING: {
        Cause.READ: Phase.STOPPED,
        Cause.INVALID: Phase.CLOSED,
        Cause.SETTLED: Phase.IDLE,
        Cause.VOIDED: Phase.IDLE,
    },
    Phase.STOPPED: {
        Cause.READ: Phase.STOPPED,
        Cause.INVALID: Phase.CLOSED,
        Cause.SETTLED: Phase.IDLE,
        Cause.VOIDED: Phase.IDLE,
    },
}
"""The only ways from phase to phase; diagrams are drawn from it. A valid rotation is read and settled from the closed
phase where no sensor sees the spin."""


class Stray(StrEnum):
    """A spin that still turns and is no result, whatever it shows."""

    NONE = ""
    OUT_OF_TURN = "out_of_turn"
    DROPPED = "dropped"
    """Its invalid rotation is published already, or its round is over."""


def spread(counts: Sequence[int]) -> tuple[int, ...]:
    """Spread the symbols around the rim, each as evenly as possible.

    The last begins the rim, so that it faces its like. The regulation fixes the counts and not the places.
    Rule: 42/2003 art. 1(2).

    Args:
        counts: how many sections show each symbol, the first symbol's at index 0.
    """
    last = len(counts)
    spots = (
        (Fraction(2 * nth + (symbol != last), 2 * count), count, symbol)
        for symbol, count in enumerate(counts, 1)
        for nth in range(count)
    )
    return tuple(symbol for _, _, symbol in sorted(spots))


LAYOUT: Final = spread((24, 12, 8, 4, 2, 1, 1))
"""The rim of a wheel about which nothing else is said."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How this table is set up. Money in hundredths.

    Args:
        wheel: the name of the wheel's sensor; empty where the dealer reads the wheel.
        layout: the symbol, 1 to 7, of each of the 52 sections around the rim, section 1 first.
        confirm: whether the dealer agrees with every result before it is settled.
        limits: the stakes that the house takes.
        confirm_payment: whether the dealer confirms what they have paid and collected.
        places: how many positions at the table bettors have; the law knows none, they tell the bets apart.
    """

    wheel: str = "wheel"
    layout: tuple[int, ...] = LAYOUT
    confirm: bool = True
    limits: Limits = field(default_factory=Limits)
    confirm_payment: bool = False
    places: int = 12


@dataclass(frozen=True, slots=True)
class Rotation:
    """One rotation, as a sensor or the dealer read it.

    Args:
        direction: `cw` or `ccw`; empty where a person read the wheel.
        turns_milli: thousandths of a turn, from 0.
        section: at the indicator, from 1; None where it shows none.
        symbol: of that section.
        margin_mdeg: thousandths of a degree to the nearest peg; None where a person read the wheel.
        on_peg: whether the indicator rests on a peg.
        reasons: why it is no result; empty for a valid one.
        calibration: of the sensor; empty where a person read the wheel.
        declared: whether a person read the wheel.
    """

    direction: str = ""
    turns_milli: int = 0
    section: int | None = None
    symbol: int | None = None
    margin_mdeg: int | None = None
    on_peg: bool = False
    reasons: tuple[str, ...] = ()
    calibration: str = ""
    declared: bool = False


@dataclass(frozen=True, slots=True)
class WheelOfFortune:
    """A Wheel of Fortune table's state.

    Args:
        round_id: the round in being, or the last one; empty before the first.
        bets: in the order placed.
        direction: of the spin that turns now.
        turns: those that it has made whole.
        invalid: how many rotations of this round were invalid.
        stray: the spin that turns though it is no result.
        rotation: the last one of this round: the result in the stopped phase, an invalid one in the closed. Between
            rounds the result of the last round, which the wheel still shows.
        opened_us: when the round was opened, UTC microseconds.
        irregularities: the articles of what went wrong so far.
        read_at: the record at which the last rotation was read.
        doubt: why the sensor's word on the spin isn't taken, so that people state it; empty where it is.
    """

    phase: Phase = Phase.IDLE
    round_id: str = ""
    bets: tuple[Bet, ...] = ()
    direction: str = ""
    turns: int = 0
    invalid: int = 0
    stray: Stray = Stray.NONE
    rotation: Rotation | None = None
    opened_us: int = 0
    irregularities: tuple[str, ...] = ()
    read_at: int = 0
    doubt: str = ""


Step = step.Step[WheelOfFortune, Settings, WheelOfFortuneRules]
Outcome = step.Outcome[WheelOfFortune]


def after(phase: Phase, cause: Cause) -> Phase:
    """The phase that follows; the table of transitions knows no other way."""
    return TRANSITIONS[phase][cause]


def open_round(state: WheelOfFortune) -> str | None:
    """The round in being; None between rounds."""
    return None if state.phase is Phase.IDLE else state.round_id


def is_section(section: int | None) -> bool:
    """Return True if the wheel has this section."""
    return section is not None and 1 <= section <= SECTIONS


def symbol_at(settings: Settings, section: int | None) -> int | None:
    """The symbol of a section; None where the wheel has no such section.

    Rule: 42/2003 art. 1(2), 1(3).
    """
    return settings.layout[section - 1] if section is not None and is_section(section) else None


def cleared(state: WheelOfFortune, cause: Cause, shown: Rotation | None = None) -> WheelOfFortune:
    """Return the table to its state between rounds.

    No bet lies on it, and the wheel shows the result of the last round, if it had one.
    """
    return WheelOfFortune(phase=after(state.phase, cause), round_id=state.round_id, stray=state.stray, rotation=shown)
