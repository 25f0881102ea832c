"""Descriptions of a device's reports in words, for a technician."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from tablectl import words
from tablectl.core.cards import pretty
from tablectl.core.facts import Body, FaultCleared, FaultRaised
from tablectl.core.facts.reports import (
    CardDrawn,
    CutCardReached,
    DeviceAttached,
    DeviceLost,
    DeviceNoted,
    DiceThrown,
    DrawCommitted,
    DrawFailed,
    DrawReport,
    DrawShown,
    LinkReport,
    PacketDelivered,
    ShuffleCompleted,
    ShuffleFailed,
    ShuffleReport,
    ShuffleStarted,
    SignalFailed,
    SignalReport,
    SignalSounded,
    SpinStarted,
    SpinStopped,
    TurnCompleted,
    WheelMoved,
    WheelReport,
)
from tablectl.core.outcomes import Direction, Series, Spin
from tablectl.core.protocols import DeviceCounters
from tablectl.core.table import entry
from tablectl.features.probe.dial import Pose


def fact_text(body: Body, *, cards: bool) -> str:
    """A fact as a line.

    Args:
        cards: whether a card is named.
    """
    match body:
        case FaultRaised(code=code, detail=detail):
            return f"fault {code}: {fault(code)}{_after(' — ', detail)}"
        case FaultCleared(code=code):
            return f"fault {code} is over: {fault(code)}"
        case DeviceAttached() | DeviceLost() | DeviceNoted():
            return _link_fact(body)
        case CardDrawn(card=card, in_game=in_game):
            read = "not read for certain" if card is None else pretty(card) if cards else "read"
            return f"a card left the shoe: {read}{'' if in_game else ', outside a game'}"
        case CutCardReached():
            return "the cut card came"
        case SpinStarted() | TurnCompleted() | SpinStopped() | WheelMoved():
            return _wheel_fact(body)
        case DiceThrown(dice=dice, flaw=flaw):
            return f"dice: {'-'.join(map(str, dice)) or 'none read'}{_after(', not valid: ', flaw)}"
        case ShuffleStarted() | ShuffleCompleted() | ShuffleFailed() | PacketDelivered():
            return _shuffle_fact(body)
        case DrawCommitted() | DrawFailed() | DrawShown():
            return _draw_fact(body)
        case SignalSounded() | SignalFailed():
            return _signal_fact(body)
        case _:
            return type(body).__name__  # no device tells of anything else


def fields_of(body: Body, *, cards: bool) -> dict[str, Any]:
    """A fact's fields for JSON; a card that isn't to be named is left out."""
    fields = asdict(body)
    if isinstance(body, CardDrawn) and not cards:
        fields["card"] = None
        fields["read"] = body.card is not None
    return fields


def fault(code: int) -> str:
    """Return the text of a fault of the catalogue."""
    return words.text(f"fault.{entry(code).key}.text", "en")


def remedy(code: int) -> str:
    """Return the technician's remedy for a fault."""
    return words.text(f"fault.{entry(code).key}.technician", "en")


def counted(counters: DeviceCounters) -> str:
    """Return the counters of the traffic as text."""
    silent = "" if counters.silent_s is None else f", the last {counters.silent_s:.1f} s ago"
    return (
        f"{counters.bytes:,} bytes, {counters.frames:,} frames{silent}, "
        f"{counters.rejected:,} rejected, {counters.facts:,} facts"
    )


def posed(pose: Pose) -> str:
    """Where the wheel is."""
    turning = f"{_way(pose.direction)} {abs(pose.speed_mdeg_s) / 1000:.0f}°/s" if pose.direction else "at rest"
    turns = f"{abs(pose.turns_milli) / 1000:.2f} turns"
    if pose.angle_mdeg is None or pose.margin_mdeg is None:
        return f"position unknown, {turning}, {turns}"
    where = "on a peg" if pose.on_peg else f"section {pose.section}"
    sure = "" if pose.sure else " (not confirmed)"
    return f"{pose.angle_mdeg / 1000:.2f}°, {where}{sure}, {_degrees(pose.margin_mdeg)} to a peg, {turning}, {turns}"


def _link_fact(body: LinkReport) -> str:
    match body:
        case DeviceAttached():
            return f"attached: {_identity(body)}"
        case DeviceLost(reason=reason):
            return f"lost{_after(': ', reason)}"
        case DeviceNoted(report=report, value=value):
            return f"noted: {report.replace('_', ' ')}{_after(' ', value)}"


def _identity(body: DeviceAttached) -> str:
    parts: Mapping[str, str] = {"": f"{body.maker} {body.model}".strip(), "serial": body.serial}
    named = {**parts, "firmware": body.firmware, "start": body.boot}
    said = ", ".join(f"{name} {value}".strip() for name, value in named.items() if value)
    return (said or "known by its port only") + (" (simulated)" if body.simulated else "")


def _wheel_fact(body: WheelReport) -> str:
    match body:
        case SpinStarted(direction=direction, section=section, release_mrpm=mrpm):
            begin = "" if section is None else f", from section {section}"
            return f"spin started {_way(direction)}{begin}{'' if mrpm is None else f', let go at {mrpm / 1000:g} rpm'}"
        case TurnCompleted(turns=turns):
            return f"turn {turns} completed"
        case SpinStopped(spin=spin):
            return f"spin stopped: {_spin(spin)}"
        case WheelMoved(turns_milli=turns):
            return f"moved at rest by {abs(turns) / 1000:.3f} of a turn"


def _spin(spin: Spin) -> str:
    where = "on a peg" if spin.on_peg else "section unknown" if spin.section is None else f"section {spin.section}"
    flaws = ", ".join(words.text(f"spin_flaw.{flaw}", "en") for flaw in spin.flaws)
    turned = f"{spin.turns_milli / 1000:.3f} turns {_way(spin.direction)}"
    return f"{turned}, {where}, {_degrees(spin.margin_mdeg)} to a peg{_after('; ', flaws)}"


def _shuffle_fact(body: ShuffleReport) -> str:
    match body:
        case ShuffleStarted(operation=number):
            return f"shuffle {number} started"
        case ShuffleCompleted(operation=number, count=count):
            return f"shuffle {number} completed: {count} cards"
        case ShuffleFailed(operation=number, reason=reason):
            return f"shuffle {number} failed{_after(': ', reason)}"
        case PacketDelivered(count=count):
            return f"a packet of {count} cards"


def _draw_fact(body: DrawReport) -> str:
    match body:
        case DrawCommitted(draw_id=number, series=series, combination=combination):
            return f"draw {number} made: {_drawn(series, combination)}"
        case DrawFailed(draw_id=number, reason=reason):
            return f"draw {number} not made{_after(': ', reason)}"
        case DrawShown(draw_id=number, series=series, combination=combination, read_back=read_back):
            return f"draw {number} shown: {_drawn(series, combination)}{'' if read_back else ', not read back'}"


def _drawn(series: Series, combination: int) -> str:
    return f"{words.text(f'series.{series}', 'en')} {combination}"


def _signal_fact(body: SignalReport) -> str:
    match body:
        case SignalSounded(operation=number, verified=verified):
            return f"signal {number} sounded{'' if verified else ', not verified'}"
        case SignalFailed(operation=number, reason=reason):
            return f"signal {number} did not sound{_after(': ', reason)}"


def _way(direction: Direction) -> str:
    return words.text(f"direction.{direction}", "en")


def _degrees(mdeg: int) -> str:
    return f"{mdeg / 1000:.2f}°"


def _after(sign: str, text: str) -> str:
    """The text behind its sign; nothing where there is none."""
    return f"{sign}{text}" if text else ""
