"""A run, read once for all rules."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, reduce
from typing import Final

from pydantic_core import from_json

from tests.simulation.history import EventRow, Form, History, Image, Published

Lines = Iterator[str]
RAW: Final = ("/checkpoint", "/meta/asyncapi")
"""Topics of text that isn't a message of the table."""


@dataclass(slots=True)
class Case:
    """A run, read once for all rules."""

    history: History
    facts: list[Form] = field(default_factory=list[Form])
    events: list[Form] = field(default_factory=list[Form])
    said: list[tuple[Published, Form]] = field(default_factory=list[tuple[Published, Form]])

    def __post_init__(self) -> None:
        read = cache(_form)
        self.said = [(each, {} if each.topic.endswith(RAW) else read(each.payload)) for each in self.history.published]
        self.facts = [from_json(row.body) for row in self.final.rows]
        self.events = [from_json(row.payload) for row in self.final.events]

    @property
    def final(self) -> Image:
        """What lay on the disk at the end."""
        return self.history.images[-1] if self.history.images else Image(0.0, 0, (), (), {})

    def kinds(self, *kinds: str) -> list[tuple[EventRow, Form]]:
        """The events of these kinds, as `round.opened`."""
        return [(row, form) for row, form in zip(self.final.events, self.events, strict=True) if kind_of(form) in kinds]


def _form(payload: bytes) -> Form:
    """A message's content; empty where there is none."""
    return dict(from_json(payload)) if payload else {}


def kind_of(form: Form) -> str:
    """What an event is of."""
    return str(form["type"]).removeprefix("mo.tablectl.").rpartition(".")[0]


def leaf(payload: bytes) -> bytes:
    """The hash of an event, as RFC 9162 has it."""
    return hashlib.sha256(b"\0" + payload).digest()


def roots(leaves: Sequence[bytes]) -> list[bytes]:
    """The roots of the trees over the first 0, 1, 2, … leaves, as RFC 9162 has them."""
    found = [hashlib.sha256(b"").digest()]
    peaks: list[tuple[int, bytes]] = []  # Whole trees from the left, each smaller than the one before.
    for leaf in leaves:
        size, top = 1, leaf
        while peaks and peaks[-1][0] == size:
            size, top = 2 * size, node(peaks.pop()[1], top)
        peaks.append((size, top))
        found.append(reduce(lambda right, left: node(left[1], right), reversed(peaks[:-1]), top))
    return found


def node(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees, as RFC 9162 has it."""
    return hashlib.sha256(b"\1" + left + right).digest()
