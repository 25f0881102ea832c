"""Protocols of what the demo's people do to its devices.

They are implemented at the far end of the wire.
"""

from collections.abc import Iterable
from typing import Protocol

from tablectl.core.cards import Card

SHOE = "shoe"
SHUFFLER = "shuffler"
WHEEL = "wheel"
DICE = "dice"
DRAW = "draw"
DISPLAY = "display"
BUZZER = "buzzer"


class ShoeHand(Protocol):
    """A hand at the shoe."""

    async def draw(self, card: Card) -> None:
        """A card leaves the shoe."""
        ...


class ShufflerHand(Protocol):
    """A hand at the shuffler."""

    def deliver_packet(self, count: int) -> None:
        """It puts out a packet."""
        ...

    def jam(self) -> None:
        """Cards get stuck in it."""
        ...

    def unjam(self) -> None:
        """The stuck cards are out."""
        ...


class Rested(Protocol):
    """The wheel at rest after a spin, as everybody at the table sees it."""

    @property
    def turns_milli(self) -> int:
        """Thousandths of a turn."""
        ...

    @property
    def section(self) -> int:
        """The section at the indicator, from 1."""
        ...

    @property
    def on_peg(self) -> bool:
        """True if the indicator rests on a peg."""
        ...


class WheelHand(Protocol):
    """A hand at the wheel; every spin is over when its call returns."""

    async def spin(self, turns: float | None = None) -> Rested:
        """Spins it for about so many turns."""
        ...

    async def spin_short(self) -> Rested:
        """Spins it for fewer than three turns."""
        ...

    async def rest_on_peg(self) -> Rested:
        """Spins it so that it comes to rest on a peg."""
        ...

    def touch(self) -> None:
        """Somebody's hand grips the wheel in the next spin."""
        ...

    async def move(self, angle_deg: float) -> None:
        """Moves it at rest by hand."""
        ...

    async def unplug(self) -> None:
        """Pulls its sensor's cable."""
        ...

    async def plug(self) -> None:
        """Puts it back."""
        ...


class DiceHand(Protocol):
    """A hand with dice before the reader."""

    def throw(self, dice: Iterable[int] | None = None, flaw: int = 0) -> object:
        """Throws these faces.

        Args:
            flaw: why the throw isn't valid, in the reader's numbers; 0 where it is.
        """
        ...


class Devices(Protocol):
    """Simulated devices of one table.

    It is a mistake to ask for one that the table's configuration hasn't.
    """

    @property
    def shoe(self) -> ShoeHand:
        """The shoe."""
        ...

    @property
    def shuffler(self) -> ShufflerHand:
        """The shuffler."""
        ...

    @property
    def wheel(self) -> WheelHand:
        """The wheel."""
        ...

    @property
    def dice(self) -> DiceHand:
        """The dice."""
        ...

    def show_wrongly(self) -> None:
        """The display shows the same picture whatever it is told."""
        ...

    def show_rightly(self) -> None:
        """The display is mended."""
        ...

    def garble(self, name: str) -> None:
        """The next bytes of this device will arrive damaged."""
        ...

    async def unplug(self, name: str) -> None:
        """Pulls a device's cable."""
        ...

    async def plug_in(self, name: str) -> None:
        """Puts it back."""
        ...
