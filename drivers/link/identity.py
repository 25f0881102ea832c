"""Codec of a link device's identity, and its check against the approved device.

    field         bytes      meaning
    layout        1          `LAYOUT`
    protocol      1          version of the messages of this kind
    flags         1          bit 0: simulated; bits 4 to 7: the `Kind`; other bits 0
    capabilities  2          little-endian, by kind
    firmware      8          first 8 bytes of the firmware's SHA-256
    maker         1 + n      length, then that many printable ASCII characters
    model         1 + n      likewise
    serial        1 + n      likewise

At most 64 bytes in all. Source: docs/protocols/link.md, "Identity".
"""

import struct
from enum import IntEnum

from tablectl.lazy_dataclass import dataclass

LAYOUT = 1
PROTOCOL = 1
MAX_IDENTITY = 64
SIMULATED = 0x01
_KIND_SHIFT = 4
_HEAD = struct.Struct("<BBBH8s")


class Kind(IntEnum):
    """Kind of a device; each kind has its own messages."""

    SHUFFLER = 0
    DRAW = 1
    DISPLAY = 2
    DICE = 3
    BUZZER = 4
    SHOE = 5


@dataclass(frozen=True, slots=True)
class Identity:
    """Identity of a device.

    Args:
        firmware: the first 8 bytes of the firmware's SHA-256, as 16 lower-case hexadecimal digits.
        protocol: the version of its kind's messages that the device speaks.
        capabilities: 16 bits, by kind.
        kind: a `Kind`, or a number up to 15 that this version doesn't know.
    """

    maker: str
    model: str
    serial: str
    firmware: str
    protocol: int
    capabilities: int
    simulated: bool
    kind: int = Kind.SHUFFLER


@dataclass(frozen=True, slots=True)
class Expected:
    """The approved device; whatever is empty may be anything.

    Args:
        firmware: every approved firmware, each as 16 lower-case hexadecimal digits.
    """

    maker: str = ""
    model: str = ""
    serial: str = ""
    firmware: tuple[str, ...] = ()


def encode_identity(identity: Identity) -> bytes:
    """The payload of IDENTITY.

    Raises:
        ValueError: it doesn't fit 64 bytes, or a name isn't printable ASCII.
    """
    flags = identity.kind << _KIND_SHIFT | (SIMULATED if identity.simulated else 0)
    capabilities, firmware = int(identity.capabilities), bytes.fromhex(identity.firmware)
    head = _HEAD.pack(LAYOUT, identity.protocol, flags, capabilities, firmware)
    names = [name.encode("ascii") for name in (identity.maker, identity.model, identity.serial)]
    payload = head + b"".join(bytes((len(name),)) + name for name in names)
    if len(payload) > MAX_IDENTITY or decode_identity(payload) != identity:
        msg = f"an identity has at most {MAX_IDENTITY} bytes of printable names, this one {len(payload)}"
        raise ValueError(msg)
    return payload


def decode_identity(payload: bytes) -> Identity | None:
    """Decode the payload of IDENTITY; None if it can't be understood."""
    if len(payload) < _HEAD.size or payload[0] != LAYOUT:
        return None
    _, protocol, flags, capabilities, firmware = _HEAD.unpack_from(payload)
    names = _names(payload[_HEAD.size :])
    if names is None:
        return None
    simulated, kind = bool(flags & SIMULATED), flags >> _KIND_SHIFT
    return Identity(*names, firmware.hex(), protocol, capabilities, simulated, kind)


def _names(data: bytes) -> tuple[str, str, str] | None:
    names: list[str] = []
    while data:
        length = data[0]
        name = data[1 : 1 + length].decode("latin-1")
        if len(name) != length or not (name.isascii() and name.isprintable() and name):
            return None
        names.append(name)
        data = data[1 + length :]
    match names:
        case [maker, model, serial]:
            return maker, model, serial
        case _:
            return None


def mismatch(identity: Identity | None, expected: Expected, *, simulated: bool, kind: int = Kind.SHUFFLER) -> str:
    """Return how the identity differs from the approved device, or nothing."""
    if identity is None:
        return "it says nothing intelligible of itself"
    if identity.kind != kind:
        return f"it is a {_kind_name(identity.kind)}, not a {_kind_name(kind)}"
    if identity.protocol != PROTOCOL:
        return f"it speaks version {identity.protocol} of the messages, this program {PROTOCOL}"
    if identity.simulated and not simulated:
        return "it is a simulator: declare it with simulated = true"
    for field in ("maker", "model", "serial"):
        wanted, found = getattr(expected, field), getattr(identity, field)
        if wanted not in {"", found}:
            return f"its {field} is {found!r}, approved is {wanted!r}"
    if expected.firmware and identity.firmware not in expected.firmware:
        return f"its firmware {identity.firmware} isn't approved"
    return ""


def _kind_name(number: int) -> str:
    names = {
        Kind.SHUFFLER: "shuffler",
        Kind.DRAW: "draw system",
        Kind.DISPLAY: "display",
        Kind.DICE: "dice reader",
        Kind.BUZZER: "buzzer",
        Kind.SHOE: "shoe",
    }
    return {kind.value: name for kind, name in names.items()}.get(number, f"device of kind {number}")
