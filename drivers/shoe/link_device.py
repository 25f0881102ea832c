"""A shoe on the device link: it reports each card once, and people draw the cards."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from drivers.link.handler import DeviceFaults, Outcome, StatusHandler, momentary
from drivers.link.identity import Kind
from drivers.shoe import link
from drivers.shoe.link import CODEC, DRAWN
from tablectl.core.cards import PACK, rank_of, suit_of
from tablectl.core.facts import Body
from tablectl.core.facts import reports as facts
from tablectl.core.facts.reports import DeviceNoted
from tablectl.core.faults import Code

FAULTS: Mapping[int, Code] = MappingProxyType(
    {
        link.ShoeFault.CANNOT_READ: Code.SHOE_CANNOT_READ,
        link.ShoeFault.OVERDRAW: Code.SHOE_OVERDRAW,
        link.ShoeFault.BUTTON_MISUSE: Code.SHOE_BUTTON_MISUSE,
        link.ShoeFault.REVERSE_AT_EXIT: Code.SHOE_REVERSE_AT_EXIT,
        link.ShoeFault.REVERSE_MIDWAY: Code.SHOE_REVERSE_MIDWAY,
        link.ShoeFault.CARD_CODE: Code.SHOE_CARD_CODE,
        link.ShoeFault.DRAW_TIMEOUT: Code.SHOE_DRAW_TIMEOUT,
        link.ShoeFault.REPEATS_DISAGREE: Code.SHOE_REPEATS_DISAGREE,
        link.ShoeFault.LOCKED: Code.SHOE_LOCKED,
    }
)
_CARDS: Final = {(rank_of(card), suit_of(card)): card for card in PACK}
_NOTES: Final = {
    link.LidOpened: ("lid_opened", ""),
    link.LidClosed: ("lid_closed", ""),
    link.Locked: ("lock", "locked"),
    link.Unlocked: ("lock", "unlocked"),
}


class LinkedShoeHandler(StatusHandler[link.Event, link.GetStatus, link.Status]):
    """A shoe's messages as facts. People draw, so it takes no command."""

    def __init__(self, name: str) -> None:
        faults = DeviceFaults(name, FAULTS, Code.SHOE_UNKNOWN_ERROR)
        super().__init__(Kind.SHOE, name, CODEC, faults, link.GetStatus())

    def on_message(self, event: link.Event, now_s: float) -> Outcome:  # noqa: ARG002 -- a card is as good as its record
        """A card, the cut card, or a note."""
        match event:
            case link.Drawn():
                return Outcome(self._drawn(event))
            case link.CutReached():
                return Outcome((facts.CutCardReached(self.name),))
            case link.LidOpened() | link.LidClosed() | link.Locked() | link.Unlocked():
                return Outcome((DeviceNoted(self.name, *_NOTES[type(event)]),))

    def on_unknown(self, kind: int) -> Outcome:
        """A message about a card is one card, however it is cut."""
        if kind != DRAWN:
            return super().on_unknown(kind)
        note = DeviceNoted(self.name, "not_understood", str(kind))
        unread = (facts.CardDrawn(self.name, None), *momentary(Code.SHOE_CARD_CODE, self.name))
        return Outcome((note, *unread), unknown=f"event {kind}")

    def status_note(self, status: link.Status) -> DeviceNoted:
        """The lid and the lock."""
        lid, lock = "open" if status.lid_open else "closed", "locked" if status.locked else "unlocked"
        return DeviceNoted(self.name, "shoe_status", f"lid {lid}, {lock}")

    def _drawn(self, drawn: link.Drawn) -> tuple[Body, ...]:
        """Translate a card that left the shoe to facts, also where nobody knows which.

        No text may name what was read.
        """
        card = _CARDS.get((drawn.rank, drawn.suit))
        if card is not None:
            return (facts.CardDrawn(self.name, card),)
        unread = (drawn.rank, drawn.suit) == (link.UNREAD, link.UNREAD)
        code = Code.SHOE_CANNOT_READ if unread else Code.SHOE_CARD_CODE
        return (facts.CardDrawn(self.name, None), *momentary(code, self.name))
