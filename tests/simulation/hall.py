"""What players of all games have in common: the people, their hands at the devices, and what lies on the table."""

import asyncio
import inspect
import random
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from tests.simulation.history import CardFell, Form, History
from tests.simulation.people import Person, Said
from tests.simulation.slips import Slips

IDLE: Final = "idle"
SEEN_WITHIN_S: Final = 2.5

Act = Coroutine[Any, Any, Any]


@dataclass(slots=True)
class Hall:
    """A table's people and what is in their hands.

    Attributes:
        devices: the simulators by name.
        drawn: the cards that lie on the table, in the order drawn, by round.
        news: what is another thing after each change of what the table shows; a screen is told of every one.
        haste: less than 1 where people are quicker than usual.
        twice: how often two persons ask for the same at once.
        halves: whether every stake has half a unit more than in the plan.
    """

    seed: int
    chance: random.Random
    history: History
    dealer: Person
    supervisor: Person
    technician: Person
    devices: dict[str, Any]
    pace_s: float
    news: Callable[[], object]
    slips: Slips
    drawn: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    haste: float = 1.0
    twice: float = 0.0
    halves: bool = False
    _seen: tuple[object, Form] | None = None

    async def look(self) -> Form | None:
        """What the dealer's screen shows; None where nothing is to be seen. It asks only where there is news."""
        news = self.news()
        if news is None or self._seen is None or self._seen[0] is not news:
            sight = await self.dealer.look()
            self._seen = (news, sight) if sight is not None and news is self.news() else None
            return sight
        return self._seen[1]

    async def ask(self, sight: Form, verb: str, **fields: Any) -> Said | None:
        """The dealer asks, and now and then gets something wrong, or a supervisor asks for the same at once."""
        if self.halves and verb == "bet" and "." not in fields["stake"]:
            fields["stake"] += ".50"
        if verb == "close_betting" and self.slips.binds(sight):
            await self.slips.put_right(sight)
            return None
        if (wrong := self.slips.otherwise(verb, fields)) is not None:
            return await self._slip(sight, verb, wrong, fields)
        if self.chance.random() >= self.twice:
            return await self.dealer.ask(sight, verb, **fields)
        self.history.fault("two at once", verb)
        said, _ = await asyncio.gather(
            self.dealer.ask(sight, verb, **fields), self.supervisor.ask(sight, verb, **fields)
        )
        return said

    async def _slip(self, sight: Form, verb: str, wrong: Form, true: Form, by: Person | None = None) -> Said | None:
        said = await (by or self.dealer).ask(sight, verb, **wrong)
        if said is not None and said.accepted:
            self.slips.note(sight, verb, wrong, true, said.record)
        return said

    async def state(self, sight: Form, verb: str, **fields: Any) -> Said | None:
        """A supervisor says what happened, and now and then gets it wrong."""
        wrong = self.slips.otherwise(verb, fields)
        if wrong is not None:
            return await self._slip(sight, verb, wrong, fields, self.supervisor)
        return await self.supervisor.ask(sight, verb, **fields)

    async def throw(self, sight: Form, faces: list[int]) -> None:
        """Throws the dice, which the reader now and then reads otherwise."""
        if (wrong := self.slips.otherwise("dice", {"dice": faces})) is not None:
            self.slips.note(sight, "dice", wrong, {"dice": faces})
        read = faces if wrong is None else wrong["dice"]
        await self.do(lambda: self.devices["dice"].throw(read), moved(sight))

    async def do(self, what: Callable[[], Any], seen: Callable[[Form], bool]) -> None:
        """Does something to a device and waits until the table has taken it in, or hasn't for long."""
        made = what()
        if inspect.isawaitable(made):
            await made
        await self.wait(seen, SEEN_WITHIN_S)

    async def wait(self, seen: Callable[[Form], bool], most_s: float = 1.0) -> None:
        """Looks on until this is shown, or for so long."""
        ends_s = self.history.clock() + most_s
        while self.history.clock() < ends_s:
            await asyncio.sleep(0.2 + 0.3 * self.chance.random())
            sight = await self.look()
            if sight is not None and seen(sight):
                return

    def lies(self, round_id: str, card: str, read: str = "") -> None:
        """A card lies on the table, whatever the table knows of it; a reader may take it for another."""
        now_s = self.history.clock()
        self.drawn.setdefault(round_id, []).append(card)
        self.history.cards.append(CardFell(now_s, read or card))
        self.history.trace("card", card)

    def lying(self, round_id: str) -> list[str]:
        """The cards that lie on the table."""
        return self.drawn.get(round_id, [])


class Player(Protocol):
    """Plays a game by looking at the table."""

    def next(self, sight: Form) -> Act:
        """The next thing to do at a table in this state."""
        ...


def number_of(sight: Form) -> int:
    """The round's number; 0 between rounds."""
    return int(sight["round_id"].rpartition("-")[2]) if sight["round_id"] else 0


def has_ended(sight: Form) -> bool:
    """Whether no round is open, or the last one is only to be paid."""
    return sight["phase"] in {IDLE, "paying"}


def lying(sight: Form) -> int:
    """How many cards the table sees."""
    return sum(len(hand["cards"]) for hand in sight["round"]["hands"])


def moved(before: Form) -> Callable[[Form], bool]:
    """Whether the table shows something else than before."""
    return lambda now: (now["phase"], now["round"]) != (before["phase"], before["round"])
