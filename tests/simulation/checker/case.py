"""A run, read once for all rules."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from tests.simulation.history import EventRow, Form, History, Image, Published

Lines = Iterator[str]


@dataclass(slots=True)
class Case:
    """A run, read once for all rules."""

    history: History
    facts: list[Form] = field(default_factory=list[Form])
    events: list[Form] = field(default_factory=list[Form])
    said: list[tuple[Published, Form]] = field(default_factory=list[tuple[Published, Form]])

    def __post_init__(self) -> None:
        read = cache(_form)
        self.said = [(message, read(message.payload)) for message in self.history.published]
        self.facts = [json.loads(row.body) for row in self.final.rows]
        self.events = [json.loads(row.payload) for row in self.final.events]

    @property
    def final(self) -> Image:
        """What lay on the disk at the end."""
        return self.history.images[-1] if self.history.images else Image(0.0, 0, (), (), {})

    def kinds(self, *kinds: str) -> list[tuple[EventRow, Form]]:
        """The events of these kinds, as ``round.opened``."""
        return [(row, form) for row, form in zip(self.final.events, self.events, strict=True) if kind_of(form) in kinds]


def _form(payload: bytes) -> Form:
    """A message's content; empty where it isn't JSON."""
    return dict(json.loads(payload)) if payload.startswith(b"{") else {}


def kind_of(form: Form) -> str:
    """What an event is of."""
    return str(form["type"]).removeprefix("mo.tablectl.").rpartition(".")[0]


def leaf(payload: bytes) -> bytes:
    """The hash of an event, as RFC 9162 has it."""
    return hashlib.sha256(b"\0" + payload).digest()


def root(leaves: Sequence[bytes]) -> bytes:
    """The root of the tree over leaves, as RFC 9162 has it."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    half = 1 << ((len(leaves) - 1).bit_length() - 1)
    return hashlib.sha256(b"\1" + root(leaves[:half]) + root(leaves[half:])).digest()
