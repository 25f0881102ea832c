"""A simulated dice reader or shaker on the device's end of our link."""

import random
from collections.abc import Iterable

from drivers.dice.codec import (
    CODEC,
    CoverClosed,
    CoverOpened,
    Event,
    Flaw,
    GetStatus,
    Motion,
    Settled,
    Shaking,
    Status,
    Thrown,
)
from drivers.link.identity import Identity, Kind
from drivers.link.messages import UNRECOGNISED, Refused
from drivers.link.table import NotUnderstood
from drivers.sim.link_device import SimulatedLinkDevice, simulated
from drivers.sim.pty import FarEnd

SIMULATED_DICE = simulated(Kind.DICE)


class SimulatedDice(SimulatedLinkDevice[Event, GetStatus, Status]):
    """A dice reader or shaker on a port, running until `close`.

    Args:
        dice: how many it throws.
        seed: of its throws, so that a run can be had again.
    """

    def __init__(self, port: FarEnd, *, identity: Identity = SIMULATED_DICE, dice: int = 3, seed: int = 1) -> None:
        self.dice = dice
        self.throws: list[tuple[int, ...]] = []  # every throw that was reported
        self.status = Status(Motion.RESTING, cover_open=False)
        self._random = random.Random(seed)
        super().__init__(port, identity, CODEC, seed=seed)

    def throw(self, dice: Iterable[int] | None = None, flaw: int = Flaw.NONE) -> tuple[int, ...]:
        """Somebody throws: these faces, or by chance."""
        faces = tuple(dice) if dice is not None else tuple(self._random.randint(1, 6) for _ in range(self.dice))
        self.throws.append(faces)
        self.send(Thrown(faces, flaw))
        return faces

    def shake(self) -> None:
        """Somebody begins to shake."""
        self.status = Status(Motion.SHAKEN, self.status.cover_open)
        self.send(Shaking())

    def settle(self) -> None:
        """The dice come to rest."""
        self.status = Status(Motion.RESTING, self.status.cover_open)
        self.send(Settled())

    def open_cover(self) -> None:
        """Somebody takes the cover off."""
        self.status = Status(self.status.motion, cover_open=True)
        self.send(CoverOpened())

    def close_cover(self) -> None:
        """Somebody puts the cover on."""
        self.status = Status(self.status.motion, cover_open=False)
        self.send(CoverClosed())

    def obey(self, command: GetStatus | NotUnderstood) -> Status | Refused:
        """Reports its status; it knows no other command."""
        return self.status if isinstance(command, GetStatus) else Refused(UNRECOGNISED)
