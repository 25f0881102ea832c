"""Hole cards: cards that a device read face down, which only few may know then."""

from tablectl.core.cards import Card, Place
from tablectl.core.effects import Announce, Effects
from tablectl.core.events.round import CardDealt
from tablectl.core.facts import Fact
from tablectl.core.facts.reports import CardDrawn
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ReadCard:
    """A card as a device read it on its way to the table.

    Args:
        number: of all cards read in this log, from 1, never reset.
        fact: the report.
        card: its identity.
        place: where it was dealt to, as its `index`-th card from 1; None where it belongs to no hand.
    """

    number: int
    fact: Fact
    card: Card
    round_id: str | None
    place: Place | None
    index: int | None


def read_card(fact: Fact, effects: Effects, number: int, round_id: str | None) -> ReadCard | None:
    """The card that was read with this fact; None where none was.

    Args:
        effects: what followed from the fact: they say where the card went.
        number: of the card.
        round_id: the round in being.
    """
    if not isinstance(fact.body, CardDrawn) or fact.body.card is None:
        return None
    dealt = [item.event for item in effects if isinstance(item, Announce) and isinstance(item.event, CardDealt)]
    last = dealt[-1] if dealt else None
    return ReadCard(number, fact, fact.body.card, round_id, last.place if last else None, last.index if last else None)
