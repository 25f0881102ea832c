"""Dealers for tables that are killed: each plays one of the games by looking at nothing but the table's state."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, Protocol

from tablectl.core.cards import BANKER, COMMON, PACK, Card
from tablectl.core.games.football_poker.hands import total_of
from tablectl.core.games.thirteen_cards.legal_actions import set_cards
from tablectl.features.demo.devices import Bench
from tests.support.crash_games import SUPERVISOR, Act, Form, Rig
from tests.support.patience import PATIENCE_S

POST: Final = frozenset({0, 9})
IDLE: Final = "idle"
OVER: Final = frozenset({IDLE, "paying"})
LEAST_LEFT_S: Final = 2.0


def pack(state: Form) -> list[Card]:
    """The pack of a round: the same in every run."""
    return random.Random(f"pack {number_of(state)}").sample(PACK, len(PACK))


def number_of(state: Form) -> int:
    return int(state["round_id"].split("-")[1]) if state["round_id"] else 0


def lying(state: Form) -> int:
    return sum(len(hand["cards"]) for hand in state["round"]["hands"])


def once_in(struck: set[tuple[str, str]], state: Form, what: str) -> bool:
    """Whether this has not yet been done in this round, or between these two."""
    key = str(state["round_id"]), what
    fresh = key not in struck
    struck.add(key)
    return fresh


def moved(before: Form) -> Callable[[Form], bool]:
    """Whether the table shows something else than before."""
    return lambda now: (now["phase"], now["round"]) != (before["phase"], before["round"])


class Player(Protocol):
    """Plays a game by looking at the table: what is next follows from its state alone."""

    def next_step(self, state: Form) -> Act:
        """The next thing to do."""
        ...

    def worth_a_kill(self, state: Form) -> bool:
        """Whether a table in this state is one to kill."""
        ...


@dataclass(slots=True)
class Football:
    """Two places and the common one, dealt by the shuffler first and from the shoe then."""

    rig: Rig
    struck: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    bets: tuple[tuple[Any, str], ...] = ((2, "even"), (5, "post"), (COMMON, "odd"))

    def worth_a_kill(self, state: Form) -> bool:
        return bool(state["phase"] != "drawing")

    def next_step(self, state: Form) -> Act:
        rig, table = self.rig, state["round"]
        match state["phase"]:
            case "idle":
                return self._open(table)
            case "paying":
                return partial(rig.ask, "pay_place")
            case "drawing" if once_in(self.struck, state, "drawing"):
                return partial(rig.restart, "while the system draws")
            case "drawing":
                return partial(rig.wait, "the draw is shown", lambda now: now["phase"] != "drawing")
            case "betting" if len(table["bets"]) < len(self.bets):
                place, bet = self.bets[len(table["bets"])]
                return partial(rig.ask, "bet", place=place, bettor=f"bettor-{place}", bet=bet, stake="100")
            case _ if table["count_due"]:
                return partial(rig.ask, "count_cards", count=lying(state))
            case "betting" if table["pack"] != "ready" and once_in(self.struck, state, "shuffling"):
                return partial(rig.restart, "while the shuffler shuffles")
            case "betting" if table["pack"] != "ready":
                return partial(rig.wait, "the pack is shuffled", moved(state))
            case "betting":
                return partial(rig.ask, "close_betting")
            case "closed" | "dealing":
                return self._deal(state, pack(state)[lying(state)], 2)
            case "thirds":
                return self._deal(state, self._third(state, self._due(state)), 1)
            case _:
                return self._turn_up(state)

    def _open(self, table: Form) -> Act:
        dealt_before = any(state["round"]["dealing"] == "shuffler" for state in self.rig.shown)
        dealing = "shoe" if dealt_before else "shuffler"
        if dealing == "shoe" and not self._fresh(table):
            return partial(self.rig.ask, "confirm_pack", shuffle="hand")
        return partial(self.rig.ask, "open_round", dealing=dealing)

    def _fresh(self, table: Form) -> bool:
        """Whether a whole pack is in the shoe: what a round has left there counts as ready, and lacks its cards."""
        last = next(reversed(self.rig.records), "")
        return table["pack"] == "ready" and last.endswith(":confirm_pack")

    def _deal(self, state: Form, card: Card, packet: int) -> Act:
        def act(devices: Bench) -> Any:
            if state["round"]["dealing"] == "shoe":
                return devices.shoe.draw(card)
            return devices.shuffler.deliver_packet(packet)

        return partial(self.rig.device, "a card", act, lambda now: now["phase"] in OVER or lying(now) > lying(state))

    def _turn_up(self, state: Form) -> Act:
        looking = state["phase"] == "looking"
        hands = [hand for hand in state["round"]["hands"] if not hand["opened"]]
        hand = next(hand for hand in hands if not looking or None in hand["cards"])
        cards = [*self._first(state, hand["place"])]
        cards += [self._third(state, hand["place"])] if len(hand["cards"]) > len(cards) else []
        return partial(self.rig.ask, "open_hand", place=hand["place"], cards=cards)

    def _due(self, state: Form) -> Any:
        short = [hand["place"] for hand in state["round"]["hands"] if len(hand["cards"]) == 2]
        return next(place for place in short if total_of(self._first(state, place)) in POST)

    def _first(self, state: Form, place: Any) -> tuple[Card, ...]:
        nth = [place for place, _ in self.bets].index(place)
        return tuple(pack(state)[2 * nth : 2 * nth + 2])

    def _third(self, state: Form, place: Any) -> Card:
        return pack(state)[20 + [place for place, _ in self.bets].index(place)]


@dataclass(slots=True)
class Wheel:
    """Three bets and a spin; where a kill strikes in it, dealer and supervisor state it."""

    rig: Rig
    struck: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def worth_a_kill(self, state: Form) -> bool:
        return True

    def next_step(self, state: Form) -> Act:
        rig, table = self.rig, state["round"]
        match state["phase"]:
            case "idle":
                return partial(rig.ask, "open_round")
            case "paying":
                return partial(rig.ask, "pay_place")
            case "betting" if len(table["bets"]) < 3:
                place = len(table["bets"]) + 1
                return partial(rig.ask, "bet", place=place, bettor="Chan", bet=f"symbol_{place}", stake="20")
            case "betting":
                return partial(rig.ask, "close_betting")
            case "closed" if table["wheel"]["turning"]:
                return partial(rig.wait, "the wheel stands still", moved(state))
            case "closed" if once_in(self.struck, state, "spinning"):
                return self._die_in_the_spin
            case "closed":
                return partial(rig.device, "a word on the spin", self._spin, self._judged(state))
            case "spinning" if table["wheel"]["doubt"]:
                return partial(rig.ask, "declare_spin", turns=4, section=17, second=SUPERVISOR)
            case "spinning":
                return partial(rig.wait, "a word on the spin", moved(state))
            case _:
                return partial(rig.ask, "confirm_spin")

    def _die_in_the_spin(self) -> None:
        spin = self.rig.bench.begin(self._spin)
        self.rig.wait("the spin is seen", lambda now: now["phase"] == "spinning")
        self.rig.restart("while the wheel turns")
        spin.result(PATIENCE_S)

    @staticmethod
    def _spin(devices: Bench) -> Any:
        return devices.wheel.spin(4.0)

    @staticmethod
    def _judged(before: Form) -> Callable[[Form], bool]:
        tried = before["round"]["wheel"]["invalid_rotations"]
        return lambda now: (
            now["phase"] == "stopped"
            or now["round"]["wheel"]["invalid_rotations"] > tried
            or now["round"]["wheel"]["doubt"] is not None
        )


@dataclass(slots=True)
class Dice:
    """Eight seats, three stakes, and throws until everybody is paid."""

    rig: Rig

    def worth_a_kill(self, state: Form) -> bool:
        return bool(state["round"]["banker"]) or len(state["round"]["seats"]) % 4 == 1

    def next_step(self, state: Form) -> Act:
        rig, table = self.rig, state["round"]
        if state["phase"] == IDLE:
            return self._between(table)
        if state["phase"] == "betting" and len(table["bets"]) < 3:
            place = (table["banker"]["place"] + len(table["bets"])) % 8 + 1
            return partial(rig.ask, "bet", place=place, bettor=f"bettor-{place}", bet="place", stake="100")
        if state["phase"] == "betting":
            return partial(rig.ask, "close_betting")
        if table["due"]["to"] == "throw":
            faces = [rig.chance.randint(1, 6) for _ in range(3)]
            return partial(rig.device, "a throw", lambda devices: devices.dice.throw(faces), self._seen(state))
        return partial(rig.ask, "pay_place", place=table["due"]["place"])

    def _between(self, table: Form) -> Act:
        banker, due = table["banker"], table["due"]
        if len(table["seats"]) < 8:
            place = len(table["seats"]) + 1
            return partial(self.rig.ask, "take_seat", place=place, bettor=f"bettor-{place}")
        if due is not None:
            return partial(self.rig.ask, "take_bank", place=due["place"], bettor=due["bettor"], capital="5000")
        if banker["capital"] in {"0", "0.00"}:
            capital = banker["least_capital"] if float(banker["least_capital"]) > 5000 else "5000"
            return partial(self.rig.ask, "take_bank", place=banker["place"], bettor=banker["bettor"], capital=capital)
        return partial(self.rig.ask, "open_round")

    @staticmethod
    def _seen(before: Form) -> Callable[[Form], bool]:
        return lambda now: now["seen"] > before["seen"]


@dataclass(slots=True)
class Thirteen:
    """Two players, fifty-two cards; one player sets theirs in time, the other hears the buzzer."""

    rig: Rig
    struck: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def worth_a_kill(self, state: Form) -> bool:
        if state["phase"] == "dealing":
            return lying(state) % 13 == 4
        return len(state["round"]["seats"]) == 3

    def next_step(self, state: Form) -> Act:
        rig, table = self.rig, state["round"]
        match state["phase"]:
            case "idle":
                return self._between(table)
            case "paying":
                return partial(rig.ask, "pay_place")
            case "betting" if len(table["bets"]) < 2:
                place = len(table["bets"]) + 2
                return partial(rig.ask, "bet", place=place, bettor=f"bettor-{place}", bet="place", stake="100")
            case "betting" | "closed":
                faces = [1 + (number_of(state) + nth) % 6 for nth in range(4)]
                return partial(rig.device, "the dice", lambda devices: devices.dice.throw(faces), moved(state))
            case "dealing" if table["count_due"]:
                return partial(rig.ask, "count_cards", count=lying(state))
            case "dealing":
                return self._deal(state)
            case "banker_setting":
                return self._show(state, BANKER)
            case "players_setting":
                return self._set(state)
            case _:
                return self._compare(state)

    def _between(self, table: Form) -> Act:
        ask = self.rig.ask
        if len(table["seats"]) < 3:
            place = len(table["seats"]) + 2
            return partial(ask, "take_seat", place=place, bettor=f"bettor-{place}")
        if table["boxed"]:
            return partial(ask, "open_round")
        if table["pack"] == "shuffling" and once_in(self.struck, {"round_id": None}, "shuffling"):
            return partial(self.rig.restart, "while the machine shuffles")
        if table["pack"] == "shuffling":
            return partial(self.rig.wait, "the machine has shuffled", lambda now: now["round"]["pack"] != "shuffling")
        return partial(ask, "confirm_pack", shuffle="machine" if table["pack"] == "ready" else "hand")

    def _deal(self, state: Form) -> Act:
        card = pack(state)[lying(state)]
        seen: Callable[[Form], bool] = lambda now: now["phase"] != "dealing" or lying(now) > lying(state)  # noqa: E731
        return partial(self.rig.device, "a card", lambda devices: devices.shoe.draw(card), seen)

    def _set(self, state: Form) -> Act:
        table = state["round"]
        if len(table["picked_up"]) < 2:
            return partial(self.rig.ask, "pick_up_cards", place=len(table["picked_up"]) + 2)
        if not table["set"]:
            return partial(self.rig.ask, "finish_setting", place=2)
        if table["called"]:
            return partial(self.rig.ask, "confirm_late", place=3)
        if table["call_time"]:
            return partial(self.rig.ask, "call_time")
        return partial(self._hear_the_buzzer, table)

    def _hear_the_buzzer(self, table: Form) -> None:
        """The machine sleeps until the five minutes are nearly over; then a kill strikes as the buzzer sounds."""
        ends = datetime.fromisoformat(table["time_ends"])
        left_s = (ends - datetime.now(UTC)).total_seconds()
        # What is left when the machine wakes up has to be enough for the buzzer to be there.
        self.rig.sleep(left_s - max(LEAST_LEFT_S, 4 * self.rig.came_back_s))
        self.rig.wait("the time is up", lambda now: now["round"]["time_ends"] is None)
        self.rig.restart("while the buzzer sounds")
        self.rig.wait("the signal was given", lambda now: now["round"]["called"] or now["round"]["call_time"])

    def _compare(self, state: Form) -> Act:
        return self._show(state, 2)

    def _show(self, state: Form, place: Any) -> Act:
        places = (BANKER, 2, 3, 4)
        nth = (places.index(place) - places.index(state["round"]["first"])) % 4
        rows = set_cards(tuple(pack(state)[nth::4]))
        return partial(self.rig.ask, "show_tiers", place=place, rows=[list(row) for row in rows])


PLAYERS: Final[dict[str, Callable[[Rig], Player]]] = {
    "football-poker": Football,
    "wheel-of-fortune": Wheel,
    "chinese-dice": Dice,
    "thirteen-cards": Thirteen,
}
"""By the name of the game's demonstration."""
