"""Report of `tablectl detect` on each port, and the lines for a configuration."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from drivers.devices import records
from tablectl import words
from tablectl.lazy_dataclass import dataclass
from tablectl.words import Language


@dataclass(frozen=True, slots=True)
class Seen:
    """Device at a port, as far as it could be found out.

    See `drivers.diagnostics.detect.Found`.

    Args:
        baudrate: 0 where the line has none, or nobody is known to be there.
        trouble: why the port can't be used.
    """

    port: str
    kind: str = ""
    protocol: str = ""
    baudrate: int = 0
    maker: str = ""
    model: str = ""
    serial: str = ""
    firmware: str = ""
    simulated: bool = False
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Other:
    """A device on USB that is at none of the table's ports.

    Args:
        number: as a configuration names it, `<vendor>:<product>[:<serial>]`.
        about: the same device in words.
    """

    number: str
    about: str


USUAL: Final = {device.protocol: device.baudrate for device in records()}
"""The speed that a configuration means where it names none."""


def proposal(found: Sequence[Seen]) -> Iterator[str]:
    """The sections of a configuration for the devices that said who they are."""
    taken: dict[str, int] = {}
    for seen in found:
        if not seen.kind or seen.trouble:
            continue
        taken[seen.kind] = taken.get(seen.kind, 0) + 1
        number = taken[seen.kind]
        yield from _section(seen, seen.kind if number == 1 else f"{seen.kind}{number}")


def usb_lines(others: Sequence[Other]) -> Iterator[str]:
    """Yield the line of `[usb]` that names the other devices on USB.

    It is for a person who has looked at each of them.
    """
    if not others:
        yield 'expected = [] # what belongs to the machine itself, as "VID:PID" or "VID:PID:serial"'
        return
    yield "expected = [ # what is plugged in now: take out what doesn't belong to this machine"
    for other in others:
        yield f"  {json.dumps(other.number)}, # {other.about}"
    yield "]"


def usb_proposal(others: Sequence[Other]) -> Iterator[str]:
    """The section of a configuration that has USB watched."""
    yield from ("", "[usb]", "watch = true", *usb_lines(others))


def report(found: Sequence[Seen], language: Language) -> Iterator[str]:
    """A line for each port."""
    if not found:
        yield words.text("detect.none", language)
    for seen in found:
        yield f"{seen.port}: {_said(seen, language)}"


def form(found: Sequence[Seen]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [{name: getattr(seen, name) for name in seen.__dataclass_fields__} for seen in found]


def _said(seen: Seen, language: Language) -> str:
    if seen.trouble:
        return seen.trouble
    if not seen.protocol:
        return words.text("detect.silent", language)
    who = " ".join(part for part in (seen.maker, seen.model, seen.serial) if part)
    kind = words.text(f"detect.kind.{seen.kind or 'unknown'}", language)
    return words.text("detect.found", language, kind=kind, protocol=seen.protocol, who=who or "–")


def _section(seen: Seen, name: str) -> Iterator[str]:
    yield ""
    yield f"[devices.{name}]"
    yield f'kind = "{seen.kind}"'
    yield f'protocol = "{seen.protocol}"'
    yield f"port = {json.dumps(seen.port)}"
    if seen.baudrate and seen.baudrate != USUAL[seen.protocol]:
        yield f"baudrate = {seen.baudrate}"
    if seen.simulated:
        yield "simulated = true"
    if seen.serial:
        approved = {"maker": seen.maker, "model": seen.model, "serial": seen.serial}
        lines = ", ".join(f"{key} = {json.dumps(value)}" for key, value in approved.items() if value)
        yield f"expect = {{ {lines}, firmware = {json.dumps(seen.firmware)} }}"
