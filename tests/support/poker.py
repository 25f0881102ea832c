"""What the two games of poker have alike at a table: the dealer's steps, the shoe's and the faults."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from tablectl.core.cards import Card, Place
from tablectl.core.effects import Effects
from tablectl.core.events.round import Irregular, Voided
from tablectl.core.facts import FaultCleared, FaultRaised
from tablectl.core.facts.game_requests import (
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    Dealing,
    DealingChanged,
    HandOpened,
    PackConfirmed,
)
from tablectl.core.facts.reports import CardDrawn, CutCardReached, DeviceAttached, DeviceLost
from tablectl.core.facts.table_requests import BettingClosed, FaultAcknowledged, RoundOpened, RoundVoided
from tests.support.sitting import S, Sitting, events

E = TypeVar("E")
SHOE, SHUFFLER = "shoe", "shuffler"


@dataclass(slots=True)
class PokerSitting(Sitting[S]):
    """A table and all that was told to it. Every step answers with the effects that followed from it."""

    def public(self) -> Mapping[str, Any]:
        """What anybody may know of the round."""
        return self.game.public(self.state)

    # --- the dealer's steps

    def confirm_pack(self) -> Effects:
        """A whole, shuffled pack lies in the shoe."""
        return self.tell(PackConfirmed())

    def open_round(self, dealing: Dealing | None = None) -> Effects:
        """A round, dealt as the table's settings say unless another way is named."""
        return self.tell(RoundOpened(dealing))

    def change(self, dealing: Dealing) -> Effects:
        """The round is dealt the other way."""
        return self.tell(DealingChanged(dealing))

    def close(self) -> Effects:
        """No more bets."""
        return self.tell(BettingClosed())

    def open_hand(self, place: Place, *names: str) -> Effects:
        """A hand is turned up; its cards are named where nobody read them."""
        return self.tell(HandOpened(place, cards(*names)))

    def expose(self, place: Place, index: int = 1, card: str | None = None) -> Effects:
        """A card showed that should not have."""
        return self.tell(CardExposed(place, index, Card(card) if card else None))

    def misplace(self, place: Place, **about: Any) -> Effects:
        """The last card or packet lies at this place."""
        return self.tell(CardMisplaced(place), **about)

    def mend(self) -> Effects:
        """The misplaced card was put where it belongs."""
        return self.tell(CardMended())

    def count(self, number: int, **about: Any) -> Effects:
        """So many cards lie on the table."""
        return self.tell(CardsCounted(number), **about)

    def void(self, reason: str = "fire alarm") -> Effects:
        """The supervisor ends the round."""
        return self.tell(RoundVoided(reason), by="supervisor")

    # --- what devices report

    def draw(self, *names: str | None) -> Effects:
        """Cards out of the shoe, one fact each; None for one that couldn't be read."""
        return sum((self.tell(CardDrawn(SHOE, Card(name) if name else None)) for name in names), ())

    def cut(self) -> Effects:
        """The cut card came to the shoe's mouth."""
        return self.tell(CutCardReached(SHOE))

    def attach(self, name: str, boot: str = "1") -> Effects:
        """A device is there."""
        return self.tell(DeviceAttached(name, boot=boot))

    def lose(self, name: str) -> Effects:
        """A device is gone."""
        return self.tell(DeviceLost(name))

    def raise_fault(self, code: int, name: str = SHUFFLER) -> Effects:
        """A device complains."""
        return self.tell(FaultRaised(code, name))

    def clear_fault(self, code: int, name: str = SHUFFLER) -> Effects:
        """The cause is gone."""
        return self.tell(FaultCleared(code, name))

    def acknowledge(self, code: int, name: str = SHUFFLER) -> Effects:
        """The supervisor has seen a fault."""
        return self.tell(FaultAcknowledged(code, name), by="supervisor")


def cards(*names: str) -> tuple[Card, ...]:
    """The names as cards."""
    return tuple(Card(name) for name in names)


def next_cards(table: Any, *names: str) -> Effects:
    """The next card from the shoe, any one or these, or the next packet."""
    if table.state.dealing is Dealing.SHOE:
        told: Effects = table.draw(*(names or ("3c",)))
    else:
        told = table.packet(1) if table.phase == "thirds" else table.packet()
    return told


def named(held: tuple[Card | None, ...], unused: tuple[Card, ...]) -> tuple[Card, ...]:
    """The hand as the dealer sees it: what was read, and cards nobody has for the others."""
    rest = iter(unused)
    return tuple(card or next(rest) for card in held) if None in held else ()


def said(effects: Effects, kind: type[E]) -> E:
    """The one event of this kind among the effects."""
    (only,) = (event for event in events(effects) if isinstance(event, kind))
    return only


def irregularity(effects: Effects) -> tuple[str, str, str]:
    """Article, code and consequence of the one irregularity that followed."""
    event = said(effects, Irregular)
    return event.article, event.code, event.consequence.value


def voided(effects: Effects) -> tuple[str, str]:
    """Article and reason of the round's void end."""
    event = said(effects, Voided)
    return event.article, event.reason
