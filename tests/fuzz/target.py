"""What is fuzzed: a program's entrance, and what has to hold for every input of it."""

import json
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final
from unicodedata import bidirectional, category

_OBEYED = frozenset({"Cc", "Cs", "Zl", "Zp", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


class WrongError(AssertionError):
    """Something that must hold for every input didn't."""


@dataclass(frozen=True, slots=True)
class Target:
    """An entrance for bytes from outside.

    Args:
        judge: takes one input; raises for one that the code under test deals with wrongly.
        seeds: sensible inputs to begin with.
        longest: bytes of an input.
    """

    judge: Callable[[bytes], None]
    seeds: Callable[[], Iterable[bytes]]
    longest: int = 512


def hold(condition: object, said: str, *values: object) -> None:
    """Returns where the condition holds.

    Raises:
        WrongError: it doesn't; the values are told.
    """
    if not condition:
        raise WrongError(f"{said}: {', '.join(map(repr, values))}"[:2000])


def obeyed(text: str) -> list[str]:
    """The characters that a terminal doesn't show, but does as they say."""
    return [letter for letter in text if not _OBEYED.isdisjoint((category(letter), bidirectional(letter)))]


@dataclass(slots=True)
class Bytes:
    """An input that is eaten from its front; it never ends, but gives zeros from then on."""

    left: bytes

    def take(self, count: int) -> bytes:
        """So many bytes, or what is left of them."""
        taken, self.left = self.left[:count], self.left[count:]
        return taken

    def number(self, below: int) -> int:
        """A number, of one byte or of two."""
        size = 1 if below <= 256 else 2
        return int.from_bytes(self.take(size), "big") % below

    def pieces(self) -> list[bytes]:
        """The rest, cut into pieces of 1 to 16 bytes; the first byte of each says how long it is."""
        cut: list[bytes] = []
        while self.left:
            cut.append(self.take(1 + self.number(16)))
        return cut


def edited(whole: bytes, edits: bytes) -> bytes:
    """A document with changes: each is where, which kind, and what it needs."""
    given, data = Bytes(edits), bytearray(whole)
    while given.left and data:
        at = given.number(65536) % len(data)
        match given.number(6):
            case 0:
                data[at] ^= 1 << given.number(8)
            case 1:
                data[at] = given.number(256)
            case 2:
                del data[at : at + given.number(64)]
            case 3:
                data[at:at] = given.take(given.number(16))
            case 4:
                source = given.number(65536) % len(data)
                size = 1 + given.number(256)
                data[at : at + size] = data[source : source + size]
            case _:
                del data[at:]
    return bytes(data)


_ODD: Final[tuple[Any, ...]] = (None, True, 0, 1, -1, 1 << 63, 1 << 99, 0.5, "", "1", "\0", "\ud800", "é", [], {}, [[]])
_MANY: Final = 200


def reformed(document: bytes, edits: bytes) -> bytes:
    """A JSON document with changes, and JSON again: each is at which value, which kind, and what it needs."""
    given, form = Bytes(edits), json.loads(document)
    while given.left and (places := list(_places(form))):
        holder, key = places[given.number(256) % len(places)]
        match given.number(5):
            case 0:
                holder[key] = deepcopy(_ODD[given.number(len(_ODD))])
            case 1:
                del holder[key]
            case 2 if len(places) < _MANY:
                other, name = places[given.number(256) % len(places)]
                holder[key] = deepcopy(other[name])
            case 3:
                holder[key] = given.take(given.number(16)).decode(errors="replace")
            case _ if isinstance(holder, dict):
                holder[given.take(given.number(16)).decode(errors="replace")] = holder[key]
            case _:
                holder.insert(0, given.number(65536))
    return json.dumps(form).encode()


def _places(form: Any) -> Iterator[tuple[Any, Any]]:
    """Every value inside, by what holds it and where."""
    within = form.items() if isinstance(form, dict) else enumerate(form) if isinstance(form, list) else ()
    for key, value in list(within):
        yield form, key
        yield from _places(value)
