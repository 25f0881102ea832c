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
from tablectl.core.outcomes import Series, Spin
from tablectl.core.protocols import DeviceCounters
from tablectl.core.table import entry
from tablectl.features.probe.dial import Pose
from tablectl.features.probe.options import Ports
from tablectl.lazy_dataclass import dataclass
from tablectl.words import Language
from tablectl.words.reason import heard


def fields_of(body: Body, *, cards: bool) -> dict[str, Any]:
    """A fact's fields for JSON; a card that isn't to be named is left out."""
    fields = asdict(body)
    if isinstance(body, CardDrawn) and not cards:
        fields["card"] = None
        fields["read"] = body.card is not None
    return fields


@dataclass(frozen=True, slots=True)
class Description:
    """Lines of a probe in a language.

    Args:
        cards: whether a card is named.
    """

    language: Language
    cards: bool = False

    def device(self, ports: Ports) -> str:
        """The device, and how the probe ends."""
        return self._say("simulated_device" if ports.simulated else "device", name=ports.name, what=ports.what)

    def fact(self, body: Body) -> str:
        """A fact as a line."""
        match body:
            case FaultRaised(code=code, detail=detail):
                return self.fault(code, detail)
            case FaultCleared(code=code):
                return self._say("fault_over", code=code, text=self._fault(code))
            case DeviceAttached() | DeviceLost() | DeviceNoted():
                return self._link_fact(body)
            case CardDrawn(card=card, in_game=in_game):
                named = pretty(card) if card and self.cards else self._say("card_read" if card else "card_unread")
                return self._say("card" if in_game else "card_outside", read=named)
            case CutCardReached():
                return self._say("cut_card")
            case SpinStarted() | TurnCompleted() | SpinStopped() | WheelMoved():
                return self._wheel_fact(body)
            case DiceThrown(dice=dice, flaw=flaw):
                shown = "-".join(map(str, dice)) or self._say("no_dice")
                why = words.catalogue(self.language).get(f"dice_flaw.{flaw}", flaw)
                return self._say("flawed_dice" if flaw else "dice", dice=shown, flaw=why)
            case ShuffleStarted() | ShuffleCompleted() | ShuffleFailed() | PacketDelivered():
                return self._shuffle_fact(body)
            case DrawCommitted() | DrawFailed() | DrawShown():
                return self._draw_fact(body)
            case SignalSounded() | SignalFailed():
                return self._signal_fact(body)
            case _:
                return type(body).__name__  # no device tells of anything else

    def fault(self, code: int, detail: str) -> str:
        """A fault that came, with what the device or its link says of it."""
        key = "fault_detail" if detail else "fault"
        return self._say(key, code=code, text=self._fault(code), detail=heard(detail, self.language))

    def remedy(self, code: int) -> str:
        """The technician's remedy for a fault."""
        return words.text(f"fault.{entry(code).key}.technician", self.language)

    def state(self, counters: DeviceCounters, pose: Pose | None, *, up: bool) -> str:
        """How it stands now."""
        where = "" if pose is None else f"{self._posed(pose)}; "
        return self._say("up" if up else "not_up", state=where + self._counted(counters))

    def total(self, counters: DeviceCounters) -> str:
        """The traffic of the whole probe."""
        return self._say("total", counts=self._counted(counters))

    def _say(self, key: str, **values: object) -> str:
        return words.text(f"probe.{key}", self.language, **values)

    def _fault(self, code: int) -> str:
        return words.text(f"fault.{entry(code).key}.text", self.language)

    def _counted(self, counters: DeviceCounters) -> str:
        numbers = {name: f"{getattr(counters, name):,}" for name in ("bytes", "frames", "rejected", "facts")}
        if counters.silent_s is None:
            return self._say("counted", **numbers)
        return self._say("counted_since", **numbers, seconds=f"{counters.silent_s:.1f}")

    def _posed(self, pose: Pose) -> str:
        speed = f"{abs(pose.speed_mdeg_s) / 1000:.0f}"
        way = words.text(f"direction.{pose.direction}", self.language) if pose.direction else ""
        turning = self._say("turning", way=way, speed=speed) if way else self._say("at_rest")
        turns = f"{abs(pose.turns_milli) / 1000:.2f}"
        if pose.angle_mdeg is None or pose.margin_mdeg is None:
            return self._say("posed_unknown", turning=turning, turns=turns)
        where = self._where(pose.section, on_peg=pose.on_peg)
        where = where if pose.sure else self._say("unsure", where=where)
        angle, margin = _degrees(pose.angle_mdeg), _degrees(pose.margin_mdeg)
        return self._say("posed", angle=angle, where=where, margin=margin, turning=turning, turns=turns)

    def _where(self, section: int | None, *, on_peg: bool) -> str:
        if on_peg:
            return self._say("on_peg")
        return self._say("no_section") if section is None else self._say("section", section=section)

    def _link_fact(self, body: LinkReport) -> str:
        match body:
            case DeviceAttached():
                return self._say("attached_simulated" if body.simulated else "attached", who=self._identity(body))
            case DeviceLost(reason=reason):
                return self._say("lost_why" if reason else "lost", reason=heard(reason, self.language))
            case DeviceNoted(report=report, value=value):
                return self._say("noted", report=f"{report.replace('_', ' ')} {value}".rstrip())

    def _identity(self, body: DeviceAttached) -> str:
        parts: Mapping[str, str] = {"serial": body.serial, "firmware": body.firmware, "start": body.boot}
        said = [f"{body.maker} {body.model}".strip()]
        said += [self._say(name, value=value) for name, value in parts.items() if value]
        return words.listed(said, self.language) or self._say("by_port")

    def _wheel_fact(self, body: WheelReport) -> str:
        match body:
            case SpinStarted(direction=direction, section=section, release_mrpm=mrpm):
                parts = [self._say("spin_started", way=words.text(f"direction.{direction}", self.language))]
                parts += [] if section is None else [self._say("from_section", section=section)]
                parts += [] if mrpm is None else [self._say("let_go", rpm=f"{mrpm / 1000:g}")]
                return words.listed(parts, self.language)
            case TurnCompleted(turns=turns):
                return self._say("turn", turns=turns)
            case SpinStopped(spin=spin):
                return self._say("spin_stopped", spin=self._spin(spin))
            case WheelMoved(turns_milli=turns):
                return self._say("moved", turns=f"{abs(turns) / 1000:.3f}")

    def _spin(self, spin: Spin) -> str:
        said = self._say(
            "spin",
            turns=f"{spin.turns_milli / 1000:.3f}",
            way=words.text(f"direction.{spin.direction}", self.language),
            where=self._where(spin.section, on_peg=spin.on_peg),
            margin=_degrees(spin.margin_mdeg),
        )
        flaws = words.listed((words.text(f"spin_flaw.{flaw}", self.language) for flaw in spin.flaws), self.language)
        return f"{said}; {flaws}" if flaws else said

    def _shuffle_fact(self, body: ShuffleReport) -> str:
        match body:
            case ShuffleStarted(operation=number):
                return self._say("shuffle_started", number=number)
            case ShuffleCompleted(operation=number, count=count):
                return self._say("shuffle_completed", number=number, count=count)
            case ShuffleFailed(operation=number, reason=reason):
                return self._say("shuffle_failed", number=number, reason=heard(reason, self.language))
            case PacketDelivered(count=count):
                return self._say("packet", count=count)

    def _draw_fact(self, body: DrawReport) -> str:
        match body:
            case DrawCommitted(draw_id=number, series=series, combination=combination):
                return self._say("draw_made", number=number, drawn=self._drawn(series, combination))
            case DrawFailed(draw_id=number, reason=reason):
                return self._say("draw_failed", number=number, reason=heard(reason, self.language))
            case DrawShown(draw_id=number, series=series, combination=combination, read_back=read_back):
                key = "draw_shown" if read_back else "draw_shown_blindly"
                return self._say(key, number=number, drawn=self._drawn(series, combination))

    def _drawn(self, series: Series, combination: int) -> str:
        return f"{words.text(f'series.{series}', self.language)} {combination}"

    def _signal_fact(self, body: SignalReport) -> str:
        match body:
            case SignalSounded(operation=number, verified=verified):
                return self._say("signal" if verified else "signal_unverified", number=number)
            case SignalFailed(operation=number, reason=reason):
                return self._say("signal_failed", number=number, reason=heard(reason, self.language))


def _degrees(mdeg: int) -> str:
    return f"{mdeg / 1000:.2f}°"
