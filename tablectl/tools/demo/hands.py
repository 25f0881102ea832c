"""What the demo's hands do to its devices; who implements it is at the far end of the wire."""

from typing import Protocol

from tablectl.core.cards import Card

SHOE = "shoe"
SHUFFLER = "shuffler"


class Devices(Protocol):
    """The simulated shoe and shuffler."""

    async def draw(self, card: Card) -> None:
        """A card leaves the shoe."""
        ...

    def deliver(self, count: int) -> None:
        """The shuffler puts out a packet."""
        ...

    def garble(self) -> None:
        """The first of the next report's three copies will arrive damaged."""
        ...

    async def unplug_shoe(self) -> None:
        """Pulls the shoe's cable."""
        ...

    async def plug_in_shoe(self) -> None:
        """Puts it back."""
        ...

    def jam(self) -> None:
        """Cards get stuck in the shuffler."""
        ...

    def free(self) -> None:
        """The stuck cards are out."""
        ...

    async def close(self) -> None:
        """Takes both devices and their ports away."""
        ...
