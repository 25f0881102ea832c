"""Rotations as a sensor or the dealer read them, and the reasons against them."""

from typing import Final

from tablectl.core.events.device import SpinInvalid, SpinResult
from tablectl.core.facts.game_requests import SpinDeclared
from tablectl.core.faults import Code
from tablectl.core.games.wheel_of_fortune.rules import WheelOfFortuneRules
from tablectl.core.games.wheel_of_fortune.settlement import RespinReason
from tablectl.core.games.wheel_of_fortune.state import (
    MOST_TURNS,
    Rotation,
    Settings,
    WheelOfFortune,
    is_section,
    open_round,
    symbol_at,
)
from tablectl.core.outcomes import Flaw, Spin
from tablectl.core.table import Table, device

BLOCKING: Final = frozenset({Code.WHEEL_DRIFT_BLOCKS, Code.WHEEL_SECOND_SENSOR, Code.WHEEL_CALIBRATION})
"""The faults with which nothing that a sensor reports of a spin is believed."""

TURNS_UNKNOWN: Final = "turns_unknown"
"""Nobody at the table can say that three turns were made. Rule: 42/2003 art. 4(3); reading 11."""

ARTICLES: Final = {
    RespinReason.FEWER_THAN_THREE_TURNS: "4(3)",
    RespinReason.ON_PEG: "5",
    RespinReason.INTERFERENCE: "4(2)",
    Flaw.REVERSAL: "4(2)",
    TURNS_UNKNOWN: "4(3)",
}
"""The article behind each reason for another spin; a wheel turns back only where somebody interferes."""

DOUBTS: Final = (Flaw.SAMPLE_GAP, Flaw.POSITION_UNKNOWN, Flaw.INDEX_DISAGREES)
"""The flaws of the sensor and not of the spin: people state what the wheel did. Rule: 42/2003 art. 5; reading 11."""


def believed(table: Table[WheelOfFortune], settings: Settings) -> bool:
    """Return True if the sensor's reports count.

    There is a sensor, it is attached, and no fault makes its reports worthless.
    """
    name = settings.wheel
    blocked = any(fault.code in BLOCKING and fault.device == name for fault in table.faults)
    return bool(name) and device(table, name).attached and not blocked


def works(table: Table[WheelOfFortune], settings: Settings) -> bool:
    """Return True if the sensor is sure to read the next spin.

    The dealer reads the spin otherwise. A sensor that doesn't know its position yet finds it while the wheel turns, or
    else reports the spin as flawed.
    """
    lost = any(fault.code == Code.WHEEL_POSITION_UNKNOWN and fault.device == settings.wheel for fault in table.faults)
    return believed(table, settings) and not lost


def whole_turns_milli(turns_milli: int) -> int:
    """The turns that count, in thousandths.

    One step of the encoder less than a full turn counts as that full turn: a step is less than a thousandth, and the
    sensor's reading is rounded down.

    Rule: 42/2003 art. 4(3); reading 14.
    """
    return turns_milli + 1 if turns_milli % 1000 == 999 else turns_milli


def article_of(reason: str) -> str:
    """The article behind a reason for another spin."""
    return next((article for known, article in ARTICLES.items() if known == reason), "table")


def doubt_about(rotation: Rotation) -> str:
    """The first flaw of the sensor in its reading of a rotation.

    Empty where the reading is accepted.

    Rule: 42/2003 art. 5; reading 11.
    """
    return next((flaw.value for flaw in DOUBTS if flaw.value in rotation.reasons), "")


def read(spin: Spin, settings: Settings, rules: WheelOfFortuneRules) -> Rotation:
    """The rotation that a sensor reports, with all that keeps it from being a result.

    Rule: 42/2003 art. 1(3), 4(2), 4(3), 5; readings 5 (on a peg), 7 (interference) and 8 (exactly three turns).
    """
    section = spin.section if is_section(spin.section) and not spin.on_peg else None
    return Rotation(
        spin.direction.value,
        min(max(0, spin.turns_milli), 1000 * MOST_TURNS),
        section,
        symbol_at(settings, section),
        max(0, spin.margin_mdeg) if abs(spin.margin_mdeg) <= 360_000 else None,
        spin.on_peg,
        _reasons(spin, section, rules),
        spin.calibration,
    )


def read_by_dealer(declared: SpinDeclared, settings: Settings, rules: WheelOfFortuneRules) -> Rotation:
    """The rotation as the dealer counted and read it.

    Rule: 42/2003 art. 4(3), 5; reading 5.
    """
    few = (RespinReason.FEWER_THAN_THREE_TURNS.value,) if declared.turns < rules.full_turns else ()
    on_peg = declared.section is None
    return Rotation(
        turns_milli=declared.turns * 1000,
        section=declared.section,
        symbol=symbol_at(settings, declared.section),
        on_peg=on_peg,
        reasons=few + ((RespinReason.ON_PEG.value,) if on_peg else ()),
        declared=True,
    )


def valid(state: WheelOfFortune, rotation: Rotation) -> SpinResult:
    """The event of a valid rotation and what it shows."""
    return SpinResult(
        open_round(state),
        rotation.direction,
        rotation.turns_milli / 1000,
        rotation.section,
        rotation.symbol,
        _degrees(rotation.margin_mdeg),
        rotation.on_peg,
        (),
        rotation.calibration,
    )


def invalid(state: WheelOfFortune, rotation: Rotation) -> SpinInvalid:
    """The event of a rotation that is no result."""
    return SpinInvalid(
        open_round(state),
        rotation.direction,
        rotation.turns_milli / 1000,
        rotation.section,
        rotation.symbol,
        _degrees(rotation.margin_mdeg),
        rotation.on_peg,
        rotation.reasons,
        rotation.calibration,
    )


def _reasons(spin: Spin, section: int | None, rules: WheelOfFortuneRules) -> tuple[str, ...]:
    """The reasons why the spin is no result.

    The law's reasons come first, in the order of reading 10, then the sensor's.
    """
    law = {
        RespinReason.FEWER_THAN_THREE_TURNS: whole_turns_milli(spin.turns_milli) < 1000 * rules.full_turns,
        RespinReason.ON_PEG: spin.on_peg,
        RespinReason.INTERFERENCE: Flaw.INTERFERENCE in spin.flaws,
    }
    found = [reason.value for reason, there in law.items() if there]
    found += [flaw.value for flaw in dict.fromkeys(spin.flaws) if flaw is not Flaw.INTERFERENCE]
    if not found and (section is None or spin.turns_milli > 1000 * MOST_TURNS):
        found.append(Flaw.POSITION_UNKNOWN.value)
    return tuple(found)


def _degrees(margin_mdeg: int | None) -> float | None:
    return None if margin_mdeg is None else margin_mdeg / 1000
