"""A table of any game, driven fact by fact; what followed can be asked."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar, get_args

from tablectl.core import fold
from tablectl.core.effects import Announce, Effect, Effects, Refuse
from tablectl.core.events import Event
from tablectl.core.facts import Body, Fact, FaultCleared, LogBegan, SessionBegan, Stamp, TableFact
from tablectl.core.facts.reports import DeviceAttached, DeviceFact
from tablectl.core.facts.table_requests import FaultAcknowledged
from tablectl.core.game_step import Game
from tablectl.core.table import Table

S = TypeVar("S")
E = TypeVar("E")

BOOT = "4f2a1c0e-0000-4000-8000-000000000001"
SECOND_US = 1_000_000
START_US = 1_790_000_000 * SECOND_US


def stamp(number: int) -> Stamp:
    """The `number`-th second of the sitting."""
    return Stamp(START_US + number * SECOND_US, number * SECOND_US * 1000, BOOT)


def fact(body: Body, number: int, **about: Any) -> Fact:
    """A fact as its source would report it: a device by its name, persons at the console."""
    of_a_device = isinstance(body, get_args(DeviceFact))
    of_the_table = isinstance(body, get_args(TableFact))
    source = getattr(body, "device", "") if of_a_device else "table" if of_the_table else "console"
    by = None if of_a_device or of_the_table else "dealer"
    given: dict[str, Any] = {"by": by, **about}
    return Fact(body, stamp(number), source, **given)


@dataclass(slots=True)
class Sitting(Generic[S]):
    """A table and all that was told to it."""

    game: Game[S]
    table: Table[S]
    facts: list[Fact] = field(default_factory=list)
    told: list[Effects] = field(default_factory=list)

    @property
    def state(self) -> S:
        return self.table.game

    @property
    def phase(self) -> str:
        return self.game.phase(self.state)

    @property
    def round_id(self) -> str | None:
        return self.game.round_id(self.state)

    @property
    def events(self) -> list[Event]:
        """Everything published so far."""
        return [effect.event for effects in self.told for effect in effects if isinstance(effect, Announce)]

    def all_of(self, kind: type[E]) -> list[E]:
        """The events of one kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    def asked(self, kind: type[E]) -> list[E]:
        """The effects of one kind, in order: commands and faults."""
        return [effect for effects in self.told for effect in effects if isinstance(effect, kind)]

    def prompt(self) -> str:
        """The key of what the table waits for, without its common beginning."""
        return self.game.waiting(self.table).key.removeprefix(f"prompt.{self.game.name}.")

    def prompts(self, steps: "Iterable[Callable[[Self], object]]") -> list[str]:
        """What the table waits for at first and after each step."""
        found = [self.prompt()]
        for step in steps:
            step(self)
            found.append(self.prompt())
        return found

    def tell(self, body: Body, **about: Any) -> Effects:
        """One more fact; a screen that says how much it has seen names its round as well."""
        if "seen" in about:
            about.setdefault("round_id", self.round_id)
        return self.take(fact(body, len(self.facts), **about))

    def take(self, one: Fact) -> Effects:
        """One more fact, made elsewhere."""
        self.table, effects = fold.step(self.game, self.table, one)
        self.facts.append(one)
        self.told.append(effects)
        return effects

    def does(self, *bodies: Body) -> None:
        """Facts that nobody may refuse."""
        for body in bodies:
            assert refused(self.tell(body)) is None, (body, refused(self.told[-1]))


def new_sitting(game: Game[S], *devices: str) -> Sitting[S]:
    """A table whose log and session have begun and whose devices are there."""
    sitting = Sitting(game, fold.begin(game))
    sitting.tell(LogBegan("5eed0001", "site", "table", session="s1"))
    sitting.tell(SessionBegan("s1", "1", "hash", game.name, game.rules_version))
    for name in devices:
        sitting.tell(DeviceAttached(name, boot="1"))
    return sitting


def put_right(table: Table[S]) -> Body:
    """What brings the table's first fault nearer to its end: someone has seen it, then it is cleared."""
    first = table.faults[0]
    seen = first.present and first.acknowledged_by
    return (FaultCleared if seen else FaultAcknowledged)(first.code, first.device)


def refused(effects: Effects) -> tuple[str, str] | None:
    """Article and code of the refusal among the effects."""
    return next(((effect.article, effect.code) for effect in effects if isinstance(effect, Refuse)), None)


def one(effects: Effects, kind: type[E]) -> E:
    """The only effect of this kind."""
    (found,) = (effect for effect in effects if isinstance(effect, kind))
    return found


def events(effects: Effects) -> list[Event]:
    """What was published."""
    return [effect.event for effect in effects if isinstance(effect, Announce)]


def commands(effects: Effects, *kinds: type[Effect]) -> list[Effect]:
    """What devices or the clock were asked for."""
    return [effect for effect in effects if isinstance(effect, kinds)]
