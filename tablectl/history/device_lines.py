"""Lines for people on the draw system, the wheel and the dice."""

from collections.abc import Iterable
from typing import Final

from tablectl.history.language import Form, Speech

_UNKNOWN: Final = "?"


def draw_committed(say: Speech, data: Form) -> list[str]:
    """The draw and its two ranges of numbers."""
    return [say.label("draw_committed", **_draw(say, data))]


def draw_shown(say: Speech, data: Form) -> list[str]:
    """The draw on the display.

    The line has a remark where the display didn't report itself what it shows.
    """
    read = "" if data.get("read_back", True) else say.label("not_read_back")
    return [say.label("draw_shown", read=_part(read, " — "), **_draw(say, data))]


def draw_void(say: Speech, data: Form) -> list[str]:
    """Why a draw counts for nothing, with its values where it was made."""
    reason = say.term("irregular", data["reason"])
    if data["series"] is None:
        return [say.label("draw_missing", reason=reason)]
    return [say.label("draw_void", reason=reason, **_draw(say, data))]


def wheel_started(say: Speech, data: Form) -> list[str]:
    """Which way the wheel turns, and how fast it was let go where that is known."""
    release = _part(say.label("wheel_release", rpm=f"{data['release_rpm']:g}") if data.get("release_rpm") else "")
    return [say.label("wheel_started", direction=say.term("direction", data["direction"])).rstrip() + release]


def wheel_stopped(say: Speech, data: Form) -> list[str]:
    """The section that the wheel shows, and how it came to it."""
    shown = {name: _UNKNOWN if data[name] is None else str(data[name]) for name in ("section", "symbol")}
    margin = _margin(say, data.get("margin_deg"))
    return [say.label("wheel_stopped", margin=margin, **shown, **_turned(say, data)).rstrip()]


def wheel_invalid(say: Speech, data: Form) -> list[str]:
    """Why a rotation is no result."""
    reasons = say.listed(say.term("spin_flaw", reason) for reason in data["reasons"])
    return [say.label("wheel_invalid", reasons=reasons or _UNKNOWN, **_turned(say, data)).rstrip()]


def dice_thrown(say: Speech, data: Form) -> list[str]:
    """The dice of one throw, and what they make or why they don't count."""
    dice, place = _row(data["dice"]), _part(say.place(data.get("place")))
    if not data["valid"]:
        flaw = say.term("dice_flaw", data.get("flaw") or _UNKNOWN)
        return [say.label("dice_invalid", flaw=flaw, dice=dice, place=place)]
    combination = _part(say.term("combination", data.get("combination") or ""))
    return [say.label("dice_thrown", dice=dice, place=place, combination=combination)]


def _draw(say: Speech, data: Form) -> dict[str, str]:
    return {
        "series": say.term("series", data["series"]),
        "combination": str(data["combination"]),
        "upper": _row(data["upper"]),
        "lower": _row(data["lower"]),
    }


def _turned(say: Speech, data: Form) -> dict[str, str]:
    return {"turns": f"{data['turns']:g}", "direction": say.term("direction", data["direction"])}


def _margin(say: Speech, margin_deg: float | None) -> str:
    """The distance of the indicator from the nearest peg.

    Empty where a person read the wheel.
    """
    return "" if margin_deg is None else say.label("wheel_margin", margin=f"{margin_deg:g}")


def _row(numbers: Iterable[int]) -> str:
    return "-".join(map(str, numbers)) or _UNKNOWN


def _part(text: str, sign: str = "  ") -> str:
    """The text set off from what stands before it; nothing where there is none."""
    return f"{sign}{text}" if text else ""
