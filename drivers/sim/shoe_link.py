"""A simulated shoe on the device's end of our link; it knows no rule of any game."""

import random

from drivers.link.identity import Identity, Kind
from drivers.link.messages import UNRECOGNISED, Refused
from drivers.link.table import NotUnderstood
from drivers.shoe.link import (
    CODEC,
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
from drivers.sim.link_device import SimulatedLinkDevice, simulated
from drivers.sim.wire import FarEnd
from tablectl.core.cards import PACK, parse_card, rank_of, suit_of

SIMULATED_LINKED_SHOE = simulated(Kind.SHOE)


class SimulatedLinkedShoe(SimulatedLinkDevice[Event, GetStatus, Status]):
    """A shoe on a port, running until `close`.

    Args:
        seed: of the cards that nobody chooses, so that a run can be had again.
    """

    def __init__(self, port: FarEnd, *, identity: Identity = SIMULATED_LINKED_SHOE, seed: int = 1) -> None:
        self.draws: list[str] = []  # every card that was reported and could be read
        self.status = Status(lid_open=False, locked=False)
        self._random = random.Random(seed)
        super().__init__(port, identity, CODEC, seed=seed)

    async def draw(self, card: str = "") -> None:
        """A card (as "As") leaves the shoe: this one, or by chance."""
        drawn = parse_card(card or self._random.choice(PACK))
        self.draws.append(drawn)
        self.send(Drawn(rank_of(drawn), suit_of(drawn)))

    async def draw_unreadable(self) -> None:
        """A card leaves the shoe, and it can't be read."""
        self.send(Drawn(UNREAD, UNREAD))

    async def reach_cut_card(self) -> None:
        """The cut card comes."""
        self.send(CutReached())

    def open_lid(self) -> None:
        """Somebody opens the lid."""
        self.status = Status(lid_open=True, locked=self.status.locked)
        self.send(LidOpened())

    def close_lid(self) -> None:
        """Somebody closes the lid."""
        self.status = Status(lid_open=False, locked=self.status.locked)
        self.send(LidClosed())

    async def lock(self, *, locked: bool) -> None:
        """The lock moves; the shoe complains while it is locked."""
        self.status = Status(self.status.lid_open, locked)
        self.send(Locked() if locked else Unlocked())
        (self.raise_fault if locked else self.clear_fault)(ShoeFault.LOCKED)

    def obey(self, command: GetStatus | NotUnderstood) -> Status | Refused:
        """Reports its status; it knows no other command."""
        return self.status if isinstance(command, GetStatus) else Refused(UNRECOGNISED)
