"""Declared message tables: first byte, class, and fields in the wire's order.

    row(1, Sounded, op="Q", verified="?")      01 | op, 8 bytes | 00 or 01

Numbers are little-endian. A field is a `struct` code, another row (a value within the value), or at the end `Text` or
`Counted`. Bytes that the value wouldn't give again aren't that message, so nothing is read that isn't there.
"""

import struct
from collections.abc import Mapping
from enum import Enum
from typing import Any, Generic, TypeVar, get_type_hints

from tablectl.lazy_dataclass import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """A message that this version doesn't know, or one with an impossible content.

    `kind` is -1 when it is empty.
    """

    kind: int


@dataclass(frozen=True, slots=True)
class Text:
    """ASCII up to the message's end, of which at most so many bytes are sent."""

    most: int

    def read(self, rest: bytes) -> str:
        """Decode these bytes as ASCII.

        Raises:
            ValueError: they aren't ASCII.
        """
        return rest.decode("ascii")

    def write(self, value: str) -> bytes:
        """The text's beginning."""
        return value.encode("ascii", "replace")[: self.most]


@dataclass(frozen=True, slots=True)
class Counted:
    """A byte that counts, then as many bytes up to the message's end."""

    most: int

    def read(self, rest: bytes) -> tuple[int, ...]:
        """The bytes that were counted; the row compares the count."""
        return tuple(rest[1:])

    def write(self, value: tuple[int, ...]) -> bytes:
        """Encode the count and the bytes.

        Raises:
            ValueError: there are more than `most`.
        """
        if len(value) > self.most:
            msg = f"at most {self.most} bytes can be counted, not {len(value)}"
            raise ValueError(msg)
        return bytes((len(value), *value))


@dataclass(frozen=True, slots=True)
class Dropped:
    """Rest of a message that is dropped unread, so that message can't be written."""


@dataclass(frozen=True, slots=True)
class Row:
    """One message of a table; see `row`."""

    head: bytes
    make: Any
    layout: struct.Struct
    fields: Mapping[str, Any]
    fixed: Mapping[str, Any]
    tail: Any = None

    @property
    def made(self) -> type:
        """The class of its value."""
        return self.make if isinstance(self.make, type) else type(self.make)

    def fits(self, value: Any) -> bool:
        """Return True if this is the row of this value, among those of the same class."""
        if not isinstance(self.make, type):
            return bool(self.make == value)
        return all(getattr(value, name) == fixed for name, fixed in self.fixed.items())

    def read(self, rest: bytes) -> Any:
        """The value of the bytes after the head.

        Raises:
            ValueError: they are of no such message.
            struct.error: they are too few.
        """
        if isinstance(self.tail, Dropped):
            return self.make()
        if not isinstance(self.make, type):
            value = self.make
        else:
            tail = () if self.tail is None else (rest[self.layout.size :],)
            numbers = (*self.layout.unpack_from(rest), *tail)
            known = zip(self.fields.items(), numbers, strict=True)
            value = self.make(**{name: _value(field, number) for (name, field), number in known}, **self.fixed)
        if self.write(value) != rest:
            raise ValueError("these bytes aren't of such a message")
        return value

    def write(self, value: Any) -> bytes:
        """The bytes after the head.

        Raises:
            ValueError: the value can't be written.
        """
        if isinstance(self.tail, Dropped):
            raise ValueError(f"{value} has no payload")
        numbers = [_number(field, getattr(value, name)) for name, field in self.fields.items()]
        tail = b"" if self.tail is None else numbers.pop()
        return self.layout.pack(*numbers) + tail


def _value(field: Any, number: Any) -> Any:
    match field:
        case Row() | Text() | Counted():
            return field.read(number)
        case type():
            return field(number)
        case _:
            return number


def _number(field: Any, value: Any) -> Any:
    match field:
        case Row() | Text() | Counted():
            return field.write(value)
        case type():
            return value.value
        case str() if field.endswith("s") and len(value) != int(field[:-1]):
            msg = f"{value!r} isn't of {field[:-1]} bytes"
            raise ValueError(msg)
        case _:
            return value


def row(head: int | tuple[int, ...], make: Any, rest: Dropped | None = None, /, **fields: Any) -> Row:
    """One message.

    Args:
        head: its first byte, or the first two.
        make: its class; or the value itself, of a message without fields.
        rest: that what follows is dropped.
        fields: by name and in the order of the wire: a `struct` code, a `Row`, a `Text` or `Counted` at the end, or the
            value that the field has in this message and that the head says.
    """
    hints = get_type_hints(make) if isinstance(make, type) else {}
    known = {name: field for name, field in fields.items() if isinstance(field, str | Row | Text | Counted)}
    fixed = {name: field for name, field in fields.items() if name not in known}
    last = next(reversed(known.values()), None)
    tail = last if isinstance(last, Text | Counted) else rest
    codes = [f"{item.layout.size}s" if isinstance(item, Row) else item for item in known.values()]
    layout = struct.Struct("<" + "".join(code for code in codes if isinstance(code, str)))
    return Row(
        bytes((head,)) if isinstance(head, int) else bytes(head),
        make,
        layout,
        {name: _enum(hints[name]) or field for name, field in known.items()},
        fixed,
        tail,
    )


def _enum(hint: Any) -> type[Enum] | None:
    return hint if isinstance(hint, type) and issubclass(hint, Enum) else None


class Messages(Generic[T]):
    """The messages of one direction.

    Args:
        rows: one for each message, or for each form of one.
    """

    def __init__(self, *rows: Row) -> None:
        self.rows = rows
        self._heads = {item.head: item for item in rows}
        self._made: dict[type, list[Row]] = {}
        for item in rows:
            self._made.setdefault(item.made, []).append(item)

    def decode(self, body: bytes) -> T | NotUnderstood:
        """The message in these bytes."""
        known = self._heads.get(body[:2]) or self._heads.get(body[:1])
        if known is not None:
            try:
                value: T = known.read(body[len(known.head) :])
            except (ValueError, struct.error):
                pass
            else:
                return value
        return NotUnderstood(body[0] if body else -1)

    def encode(self, message: T) -> bytes:
        """The bytes of a message.

        Raises:
            ValueError: it is one that is only read, or too long.
        """
        for known in self._made.get(type(message), ()):
            if known.fits(message):
                return known.head + known.write(message)
        raise ValueError(f"{message} has no payload")
