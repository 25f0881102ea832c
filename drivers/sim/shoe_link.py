"""A simulated shoe on the device's end of our link; it knows no rule of any game."""

import random

from drivers.identity import Identity, Kind
from drivers.messages import FaultCleared, FaultRaised, Refused, encode_reply
from drivers.shoe.link_codec import decode_command, encode_event, encode_status
from drivers.shoe.link_messages import (
    UNREAD,
    CutReached,
    Drawn,
    Event,
    GetStatus,
    LidClosed,
    LidOpened,
    Locked,
    ShoeFault,
    Status,
    Unlocked,
)
from drivers.sim.ends import FarEnd
from drivers.sim.linked import LinkEnd, simulated
from tablectl.core.cards import PACK, parse_card, rank_of, suit_of

SIMULATED_LINKED_SHOE = simulated(Kind.SHOE)
_NO = Refused(ShoeFault.UNRECOGNISED)


class SimulatedLinkedShoe:
    """A shoe on a port, running until `close`.

    Args:
        seed: of the cards that nobody chooses, so that a run can be had again.
    """

    def __init__(self, port: FarEnd, *, identity: Identity = SIMULATED_LINKED_SHOE, seed: int = 1) -> None:
        self.port = port
        self.draws: list[str] = []  # every card that was reported and could be read
        self.status = Status(lid_open=False, locked=False)
        self._random = random.Random(seed)
        self.line = LinkEnd(port, identity, self._obey, seed=seed)

    def close(self) -> None:
        """Falls silent; the port stays as it is."""
        self.line.close()

    async def draw(self, card: str = "") -> None:
        """A card (as "As") leaves the shoe: this one, or by chance."""
        drawn = parse_card(card or self._random.choice(PACK))
        self.draws.append(drawn)
        self.tell(Drawn(rank_of(drawn), suit_of(drawn)))

    async def draw_unreadable(self) -> None:
        """A card leaves the shoe, and it can't be read."""
        self.tell(Drawn(UNREAD, UNREAD))

    async def reach_cut_card(self) -> None:
        """The cut card comes."""
        self.tell(CutReached())

    def open_lid(self) -> None:
        """Somebody opens the lid."""
        self.status = Status(lid_open=True, locked=self.status.locked)
        self.tell(LidOpened())

    def close_lid(self) -> None:
        """Somebody closes the lid."""
        self.status = Status(lid_open=False, locked=self.status.locked)
        self.tell(LidClosed())

    async def lock(self, *, locked: bool) -> None:
        """The lock moves; the shoe complains while it is locked."""
        self.status = Status(self.status.lid_open, locked)
        self.tell(Locked() if locked else Unlocked())
        (self.raise_fault if locked else self.clear_fault)(ShoeFault.LOCKED)

    def tell(self, event: Event) -> None:
        """Sends any event."""
        self.line.tell(encode_event(event))

    def raise_fault(self, number: int) -> None:
        """A fault begins."""
        self.tell(FaultRaised(number))

    def clear_fault(self, number: int) -> None:
        """A fault's cause is gone."""
        self.tell(FaultCleared(number))

    def cut_power(self) -> None:
        """Loses power for a moment: what was not told yet is lost."""
        self.line.reboot()

    def _obey(self, body: bytes) -> bytes:
        command = decode_command(body)
        return encode_status(self.status) if isinstance(command, GetStatus) else encode_reply(_NO)
