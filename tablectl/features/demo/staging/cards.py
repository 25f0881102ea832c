"""Cards as they really lie on the demo's table.

A person knows them when they turn them up, not before.
"""

from dataclasses import dataclass, field

from tablectl.core.cards import Card
from tablectl.core.facts import Place


@dataclass(slots=True)
class World:
    """A pack, and what has been laid out of it."""

    rest: list[Card]
    _lying: dict[Place, list[Card]] = field(default_factory=dict[Place, list[Card]])

    def take(self, count: int = 1) -> tuple[Card, ...]:
        """The top cards of the pack."""
        taken, self.rest = self.rest[:count], self.rest[count:]
        return tuple(taken)

    def lay(self, place: Place, cards: tuple[Card, ...]) -> None:
        """Puts cards down at a place."""
        self._lying.setdefault(place, []).extend(cards)

    def push(self, count: int, came: Place, goes: Place) -> None:
        """Moves the last cards of one place to another."""
        cards = self._lying[came][-count:]
        del self._lying[came][-count:]
        self.lay(goes, tuple(cards))

    def turn_up(self, place: Place) -> tuple[Card, ...]:
        """The cards of a place, for whoever turns them."""
        return tuple(self._lying[place])

    def card_count(self) -> int:
        """How many cards lie on the table: what a person counts."""
        return sum(len(cards) for cards in self._lying.values())
