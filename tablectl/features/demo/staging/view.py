"""The table as a console shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tablectl.core.facts import Place

IDLE = "idle"
PAYING = "paying"
OVER = frozenset({IDLE, PAYING})
"""The phases of a round that is decided; Chinese dice pays within its rounds."""


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand on the layout; a card is None while it lies face down."""

    place: Place
    cards: tuple[str | None, ...]
    opened: bool
    dead: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """A fault on the table's list; `clears` names who may acknowledge it."""

    code: int
    device: str
    clears: str
    present: bool
    waits_for_person: bool


@dataclass(frozen=True, slots=True)
class View:
    """View of the table on a screen.

    Args:
        seen: how many facts are in it.
        round: as the game has it.
        owes: whether a payment is due.
    """

    seen: int
    round_id: str | None
    phase: str
    round: Mapping[str, Any]
    attached: frozenset[str]
    faults: tuple[Standing, ...]
    waiting: Mapping[str, str]
    owes: bool = False

    @property
    def pack(self) -> str:
        """State of the pack as far as it is known, where the game has one."""
        return str(self.round.get("pack", ""))

    @property
    def hands(self) -> tuple[Hand, ...]:
        """The hands on the layout."""
        hands = self.round.get("hands", ())
        return tuple(
            Hand(hand["place"], tuple(hand["cards"]), opened=hand["opened"], dead=hand.get("dead", False))
            for hand in hands
        )

    @property
    def card_count(self) -> int:
        """How many cards lie on the table."""
        return sum(len(hand.cards) for hand in self.hands)


def view_of(state: Mapping[str, Any]) -> View:
    """The state of the console's API as a value."""
    return View(
        seen=state["seen"],
        round_id=state["round_id"],
        phase=state["phase"],
        round=state["round"],
        attached=frozenset(device["name"] for device in state["devices"] if device["attached"]),
        faults=tuple(_standing(fault) for fault in state["faults"]),
        waiting=state["waiting"],
        owes=bool(state["payment"]),
    )


def _standing(fault: Mapping[str, Any]) -> Standing:
    gone = not fault["present"] and fault["acknowledged_by"] is None
    return Standing(fault["code"], fault["device"], fault["clears"], present=fault["present"], waits_for_person=gone)
