"""The dealer of an evening: makes the moves of the game's player, with people and devices that are as they are."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from tablectl.features.demo.games import act_of
from tablectl.players.moves import Ask, Deliver, Draw, Lay, Move, Player, Spin, TableView, Throw, Wait
from tablectl.rule_tables import game_record, part
from tests.simulation.hall import Act, Hall, has_ended, lying, moved, number_of
from tests.simulation.history import Form

SPUN: tuple[float, float] = (3.2, 4.5)
"""How many turns the wheel is spun by: a long spin takes long to simulate."""


@dataclass(slots=True)
class Plans:
    """The rounds that are planned, by their numbers; rounds that never end well don't use one up."""

    made: Iterator[Any]
    _known: list[Any] = field(default_factory=list[Any])

    def __getitem__(self, number: int) -> Any:
        missing = max(number, 1) - len(self._known)
        if missing > 0:
            self._known += islice(self.made, missing)
        return self._known[max(number, 1) - 1]


@dataclass(slots=True)
class Dealer:
    """Looks at the table and makes the player's next move."""

    hall: Hall
    plans: Plans
    player: Player
    _last: Ask | None = None
    _refused: str = ""
    _tried: dict[str, set[tuple[Any, str, str]]] = field(
        default_factory=lambda: defaultdict[str, set[tuple[Any, str, str]]](set)
    )

    def next(self, sight: Form) -> Act:
        """The next thing to do at a table in this state."""
        hall, round_id = self.hall, sight["round_id"]
        if round_id:
            hall.drawn.setdefault(round_id, [])
        plan = self.plans[number_of(sight) or rounds(hall) + 1]
        wheel = hall.devices.get("wheel")
        seen = TableView(
            sight,
            drawn=len(hall.lying(round_id)),
            last=self._last,
            refused=self._refused,
            tried=frozenset(self._tried[round_id]),
            rested=wheel.truth if wheel else None,
            hasty=True,
        )
        move = self.player(seen, plan)
        hall.haste = 0.1 if isinstance(move, Draw) and getattr(plan, "card_s", 1.0) < 0.2 else 1.0
        return self._make(sight, move)

    async def _make(self, sight: Form, move: Move) -> None:
        hall, devices = self.hall, self.hall.devices
        if isinstance(move, Draw | Deliver | Lay | Throw) and hall.slips.binds(sight):
            await hall.slips.put_right(sight)
            return
        match move:
            case Ask():
                await self._ask(sight, move)
            case Draw(card):
                read = hall.slips.read(sight, card)
                hall.lies(sight["round_id"], card, read)
                await hall.do(lambda: devices["shoe"].draw(read), _lies_more(sight))
            case Deliver(cards):
                for card in cards:
                    hall.lies(sight["round_id"], card)
                await hall.do(lambda: devices["shuffler"].deliver_packet(len(cards)), _lies_more(sight))
            case Lay(cards):
                for card in cards:
                    hall.lies(sight["round_id"], card)
            case Throw(dice):
                await hall.throw(sight, list(dice) or [hall.chance.randint(1, 6) for _ in range(3)])
            case Spin():
                await hall.do(lambda: devices["wheel"].spin(hall.chance.uniform(*SPUN)), moved(sight))
            case Wait():
                await hall.wait(moved(sight))

    async def _ask(self, sight: Form, move: Ask) -> None:
        fields = move.fields
        if move.verb == "bet":
            self._tried[sight["round_id"]].add((fields["place"], fields["bettor"], fields["bet"]))
        asks = self.hall.state if move.by == "supervisor" else self.hall.ask
        said = await asks(sight, move.verb, **fields)
        self._last, self._refused = move, said.code if said is not None else ""


def _lies_more(before: Form) -> Any:
    """Whether the table sees more cards than before, or no round any more."""
    return lambda now: lying(now) > lying(before) or has_ended(now)


def rounds(hall: Hall) -> int:
    """The number of the last round that was played."""
    return max((int(name.rpartition("-")[2]) for name in hall.drawn), default=0)


def player_of(name: str, hall: Hall) -> Dealer:
    """Whoever deals a game, by the name of its demonstration."""
    record = game_record(name.replace("-", "_"))
    return Dealer(hall, Plans(act_of(name).plans(hall.seed, 0.0)), part(record.player))
