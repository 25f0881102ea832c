"""A simulated dice reader or shaker on the device's end of our link."""

import random
from collections.abc import Iterable

from drivers.dice.codec import decode_command, encode_event, encode_status
from drivers.dice.messages import (
    CoverClosed,
    CoverOpened,
    DiceFault,
    Event,
    Flaw,
    GetStatus,
    Motion,
    Settled,
    Shaking,
    Status,
    Thrown,
)
from drivers.identity import Identity, Kind
from drivers.messages import FaultCleared, FaultRaised, Refused, encode_reply
from drivers.sim.ends import FarEnd
from drivers.sim.linked import LinkEnd, simulated

SIMULATED_DICE = simulated(Kind.DICE)


class SimulatedDice:
    """A dice reader or shaker on a port, running until `close`.

    Args:
        dice: how many it throws.
        seed: of its throws, so that a run can be had again.
    """

    def __init__(self, port: FarEnd, *, identity: Identity = SIMULATED_DICE, dice: int = 3, seed: int = 1) -> None:
        self.port = port
        self.dice = dice
        self.throws: list[tuple[int, ...]] = []  # every throw that was reported
        self.status = Status(Motion.RESTING, cover_open=False)
        self._random = random.Random(seed)
        self.line = LinkEnd(port, identity, self._obey, seed=seed)

    def close(self) -> None:
        """Falls silent; the port stays as it is."""
        self.line.close()

    def throw(self, dice: Iterable[int] | None = None, flaw: int = Flaw.NONE) -> tuple[int, ...]:
        """Somebody throws: these faces, or by chance."""
        faces = tuple(dice) if dice is not None else tuple(self._random.randint(1, 6) for _ in range(self.dice))
        self.throws.append(faces)
        self.tell(Thrown(faces, flaw))
        return faces

    def shake(self) -> None:
        """Somebody begins to shake."""
        self.status = Status(Motion.SHAKEN, self.status.cover_open)
        self.tell(Shaking())

    def settle(self) -> None:
        """The dice come to rest."""
        self.status = Status(Motion.RESTING, self.status.cover_open)
        self.tell(Settled())

    def open_cover(self) -> None:
        """Somebody takes the cover off."""
        self.status = Status(self.status.motion, cover_open=True)
        self.tell(CoverOpened())

    def close_cover(self) -> None:
        """Somebody puts the cover on."""
        self.status = Status(self.status.motion, cover_open=False)
        self.tell(CoverClosed())

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


_NO = Refused(DiceFault.UNRECOGNISED)
