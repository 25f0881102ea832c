"""Players of tables that are killed: what is next, and where kills strike, follows from its state alone."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, NamedTuple

from tablectl.core.cards import COMMON, PACK, Card
from tablectl.core.facts.game_requests import Dealing
from tablectl.players.moves import (
    PEOPLE,
    Ask,
    Deliver,
    Draw,
    Lay,
    Move,
    Plan,
    PlannedBet,
    PlannedStake,
    Spin,
    TableView,
    Throw,
)
from tablectl.rule_tables import game_record, part
from tests.support.crash_games import SUPERVISOR, Act, Form, Rig
from tests.support.patience import PATIENCE_S

OVER: Final = frozenset({"idle", "paying"})
LEAST_LEFT_S: Final = 2.0

KILLED_IN: Final = {"drawing": "while the system draws", "betting": "while the shuffler shuffles"}
"""The phases in which a table is killed while it waits for a device, once in each round."""


class Rested(NamedTuple):
    """What dealer and supervisor say of a spin that a kill has struck."""

    turns_milli: int = 4000
    section: int = 17
    on_peg: bool = False


def bets(*spots: tuple[Any, str], stake: str = "100") -> tuple[PlannedBet, ...]:
    """Bets of one stake, each by the bettor of its place."""
    return tuple(PlannedBet(place, f"bettor-{place}", bet, stake) for place, bet in spots)


PLANS: Final[Mapping[str, Plan]] = {
    "q-poker": Plan(bets((1, "versus_dealer"), (3, "pair_or_better"), (3, "versus_dealer"))),
    "football-poker": Plan(bets((2, "even"), (5, "post"), (COMMON, "odd")), dealing=Dealing.SHUFFLER),
    "wheel-of-fortune": Plan(bets((1, "symbol_1"), (2, "symbol_2"), (3, "symbol_3"), stake="20")),
    "chinese-dice": Plan(stakes=tuple(PlannedStake(steps, "", "100") for steps in (1, 2, 3))),
    "thirteen-cards": Plan(
        tuple(PlannedBet(place, PEOPLE[place - 2], "place", "100") for place in (2, 3)),
        dice=(2, 3, 4, 5),
        late=frozenset({3}),
    ),
}
"""What is played, by the name of the game's demonstration; a game that the shuffler deals goes on from the shoe."""


def _is_worth_it(game: str, state: Form) -> bool:
    """Whether a table in this state is one to kill."""
    table = state["round"]
    match game:
        case "football-poker":
            return bool(state["phase"] != "drawing")
        case "chinese-dice":
            return bool(table["banker"]) or len(table["seats"]) % 4 == 1
        case "thirteen-cards" if state["phase"] == "dealing":
            return lying(state) % 13 == 4
        case "thirteen-cards":
            return len(table["seats"]) == 3
        case _:
            return True


def pack(state: Form) -> tuple[Card, ...]:
    """The pack of a round: the same in every run."""
    number = int(state["round_id"].split("-")[1]) if state["round_id"] else 0
    return tuple(random.Random(f"pack {number}").sample(PACK, len(PACK)))


def lying(state: Form) -> int:
    """How many cards the table sees."""
    return sum(len(hand["cards"]) for hand in state["round"].get("hands", ()))


def moved(before: Form) -> Callable[[Form], bool]:
    """Whether the table shows something else than before."""
    return lambda now: (now["phase"], now["round"]) != (before["phase"], before["round"])


@dataclass(slots=True)
class Player:
    """Plays a game by its player's moves.

    Args:
        struck: the rounds and moments at which a kill is over.
    """

    game: str
    rig: Rig
    struck: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def worth_a_kill(self, state: Form) -> bool:
        """Whether a table in this state is one to kill."""
        return _is_worth_it(self.game, state)

    def next_step(self, state: Form) -> Act:
        """The next thing to do."""
        rig, plan = self.rig, replace(PLANS[self.game], pack=pack(state))
        if any(one["round"].get("dealing") == plan.dealing == Dealing.SHUFFLER for one in rig.shown):
            plan = replace(plan, dealing=Dealing.SHOE)
        sight = TableView(
            state,
            drawn=lying(state),
            last=rig.requests.last,
            refused=rig.requests.refused,
            # What a round has left in the shoe counts as ready, and lacks its cards.
            fresh=next(reversed(rig.requests.records), "").endswith(":confirm_pack"),
            rested=Rested(),
        )
        return self._made(part(game_record(self.game.replace("-", "_")).player)(sight, plan), state)

    def _made(self, move: Move, state: Form) -> Act:
        rig, phase = self.rig, state["phase"]
        lies_more: Callable[[Form], bool] = lambda now: now["phase"] in OVER or lying(now) > lying(state)  # noqa: E731
        match move:
            case Ask() if move.by == "supervisor":
                return partial(rig.ask, replace(move, fields={**move.fields, "second": SUPERVISOR}))
            case Ask():
                return partial(rig.ask, move)
            case Draw(card):
                return partial(rig.device, "a card", lambda devices: devices.shoe.draw(card), lies_more)
            case Deliver(cards) | Lay(cards):
                return partial(rig.device, "a packet", lambda now: now.shuffler.deliver_packet(len(cards)), lies_more)
            case Throw(dice):
                faces = dice or [rig.chance.randint(1, 6) for _ in range(3)]
                return partial(rig.device, "a throw", lambda devices: devices.dice.throw(faces), moved(state))
            case Spin(turns) if self._once_in(state, "spinning"):
                return partial(self._die_in_the_spin, turns)
            case Spin(turns):
                return partial(rig.device, "a word on the spin", lambda now: now.wheel.spin(turns), _judged(state))
            case _ if phase == "players_setting":
                return partial(self._hear_the_buzzer, state["round"])
            case _ if phase in KILLED_IN and self._once_in(state, phase):
                return partial(rig.restart, KILLED_IN[phase])
            case _:
                return partial(rig.wait, "the table moves", moved(state))

    def _once_in(self, state: Form, what: str) -> bool:
        """Whether this has not yet been done in this round, or between these two."""
        key = str(state["round_id"]), what
        fresh = key not in self.struck
        self.struck.add(key)
        return fresh

    def _die_in_the_spin(self, turns: float) -> None:
        spin = self.rig.bench.begin(lambda devices: devices.wheel.spin(turns))
        self.rig.wait("the spin is seen", lambda now: now["phase"] == "spinning")
        self.rig.restart("while the wheel turns")
        spin.result(PATIENCE_S)

    def _hear_the_buzzer(self, table: Form) -> None:
        """The machine sleeps until the five minutes are nearly over; then a kill strikes as the buzzer sounds."""
        ends = datetime.fromisoformat(table["time_ends"])
        left_s = (ends - datetime.now(UTC)).total_seconds()
        # What is left when the machine wakes up has to be enough for the buzzer to be there.
        self.rig.sleep(left_s - max(LEAST_LEFT_S, 4 * self.rig.came_back_s))
        self.rig.wait("the time is up", lambda now: now["round"]["time_ends"] is None)
        self.rig.restart("while the buzzer sounds")
        self.rig.wait("the signal was given", lambda now: now["round"]["called"] or now["round"]["call_time"])


def _judged(before: Form) -> Callable[[Form], bool]:
    tried = before["round"]["wheel"]["invalid_rotations"]
    return lambda now: (
        now["phase"] == "stopped"
        or now["round"]["wheel"]["invalid_rotations"] > tried
        or now["round"]["wheel"]["doubt"] is not None
    )
