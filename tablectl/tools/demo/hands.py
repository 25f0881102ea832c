"""What the demo's hands do to its devices; who implements it is at the far end of the wire."""

from typing import Protocol

from tablectl.core.cards import Card

SHOE = "shoe"
SHUFFLER = "shuffler"


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


class Devices(Protocol):
    """The simulated devices of one table. To ask for one that the table's configuration hasn't is a mistake."""

    @property
    def shoe(self) -> ShoeHand:
        """The shoe."""
        ...

    @property
    def shuffler(self) -> ShufflerHand:
        """The shuffler."""
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
