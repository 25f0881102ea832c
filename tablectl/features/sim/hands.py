"""Manual actions at simulated devices: deal, deliver, spin, throw.

The cards are of a pack that runs out.
"""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from random import Random
from typing import Any, Final, TypeVar

from drivers.draw.codec import Drawn
from tablectl.core.cards import PACK, Card, parse_card
from tablectl.features.demo.devices import Bench

T = TypeVar("T")

DICE_SIDES: Final = 6
PACKET: Final = 3
"""Cards that the shuffler delivers at a time, unless another number is asked for."""


class SimError(Exception):
    """The simulation can't do what was asked of it: why."""


class Hands:
    """The hands at one table's simulated devices.

    Args:
        stage: the devices.
        seed: of the cards and dice, so that a session can be had again; None for one that nobody knows.
    """

    def __init__(self, stage: Bench, seed: int | None = None) -> None:
        self._stage = stage
        self._chance = Random(secrets.randbits(64) if seed is None else seed)
        self._pack: list[Card] = []

    async def do(self, act: str, how: Mapping[str, Any]) -> str:
        """Does one of the acts; returns what was done, in words that name no card.

        Raises:
            SimError: the table has no such device, or what is asked for isn't one.
        """
        try:
            return await ACTS[act](self, how)
        except (ValueError, TypeError) as error:
            raise SimError(f"{act}: {error}") from None

    async def deal(self, how: Mapping[str, Any]) -> str:
        """A card leaves the shoe: the one that is named, else the next of the pack."""
        await _found("shoe", lambda: self._stage.shoe).draw(self._next(how.get("card")))
        return "shoe: a card"

    async def packet(self, how: Mapping[str, Any]) -> str:
        """The shuffler delivers a packet."""
        count = int(how.get("count", PACKET))
        _found("shuffler", lambda: self._stage.shuffler).deliver_packet(count)
        return f"shuffler: {count} {'card' if count == 1 else 'cards'}"

    async def spin(self, how: Mapping[str, Any]) -> str:
        """The wheel is spun, for about so many turns."""
        turns = float(how.get("turns", 3.5 + 2 * self._chance.random()))
        await _found("wheel", lambda: self._stage.wheel).spin(turns)
        return f"wheel: about {turns:.1f} turns"

    async def throw(self, how: Mapping[str, Any]) -> str:
        """The dice are thrown: the faces that are named, else by chance."""
        reader = _found("dice", lambda: self._stage.dice)
        faces = how.get("dice") or [self._chance.randint(1, DICE_SIDES) for _ in range(int(how.get("count", 3)))]
        reader.throw(tuple(int(face) for face in faces))
        return f"dice: {' '.join(map(str, faces))}"

    async def draw(self, how: Mapping[str, Any]) -> str:
        """The next draw of the draw system will be this one."""
        drawn = Drawn(
            int(how.get("series", self._chance.randint(0, 1))), int(how.get("combination", self._chance.randint(1, 8)))
        )
        _found("draw system", lambda: self._stage.draw).wanted.append(drawn)
        return f"draw system: the next draw is {('upper', 'lower')[drawn.series]} {drawn.combination}"

    async def pack(self, how: Mapping[str, Any]) -> str:  # noqa: ARG002  # the form of an act
        """A whole pack, shuffled, is put into the shoe."""
        self._pack = list(PACK)
        self._chance.shuffle(self._pack)
        return "shoe: a shuffled pack"

    async def jam(self, how: Mapping[str, Any]) -> str:  # noqa: ARG002  # the form of an act
        """A card gets stuck in the shuffler."""
        _found("shuffler", lambda: self._stage.shuffler).jam()
        return "shuffler: jammed"

    async def unjam(self, how: Mapping[str, Any]) -> str:  # noqa: ARG002  # the form of an act
        """The stuck card is out."""
        _found("shuffler", lambda: self._stage.shuffler).unjam()
        return "shuffler: clear"

    def _next(self, named: object) -> Card:
        if named is not None:
            card = parse_card(str(named))
            self._pack = [other for other in self._pack if other != card]
            return card
        if not self._pack:
            self._pack = list(PACK)
            self._chance.shuffle(self._pack)
        return self._pack.pop()


def _found(name: str, pick: Callable[[], T]) -> T:
    """The device, where the table has one.

    Raises:
        SimError: it has none.
    """
    try:
        return pick()
    except StopIteration:
        raise SimError(f"this table has no simulated {name}") from None


ACTS: Final[Mapping[str, Callable[[Hands, Mapping[str, Any]], Awaitable[str]]]] = {
    "deal": Hands.deal,
    "packet": Hands.packet,
    "spin": Hands.spin,
    "throw": Hands.throw,
    "draw": Hands.draw,
    "pack": Hands.pack,
    "jam": Hands.jam,
    "unjam": Hands.unjam,
}
"""The acts by their names."""
