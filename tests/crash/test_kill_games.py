"""SIGKILL in the middle of rounds of the four other games: no draw, shuffle or signal is made twice, nothing is lost.

Whole daemons play scripted rounds with the shipped demonstration's tables, over real ptys, the console's API, a real
disk and a real broker. They are killed after answers, while requests and reports are on their way, and while they
recover. What a request or a device did, it did once; what the console had shown is what the journal says; and a plain
subscriber holds every event once, under checkpoints that agree.

The script follows from ``TABLECTL_KILL_SEED``; how far into a step a kill strikes is the machine's to say as well.
"""

import json
import os
import random
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any, Final, Protocol

import pytest

from tablectl.app.games import game_of
from tablectl.core.cards import PACK, Card
from tablectl.core.facts import BANKER, COMMON, DrawCommitted, ShuffleCompleted, SignalSounded
from tablectl.core.games.football_poker.hands import total_of
from tablectl.reader.checkpoints import Checkpoints
from tablectl.reader.follower import Follower
from tablectl.shell.config import load
from tablectl.shell.rules import shipped
from tablectl.tools.demo.devices import Bench
from tablectl.tools.demo.thirteen_cards.house_way import set_cards
from tests.support.broker import private_broker
from tests.support.crash_games import Act, Forks, Form, Rig, Subscriber, Verdict, once, until, workbench
from tests.support.daemon import Daemon

KILLS: Final = 25
SEED: Final = int(os.environ.get("TABLECTL_KILL_SEED", "19890320"))
SPEED: Final = 25.0
"""Of the wheel, whose spin else takes as long as a real one."""

TAKES_S: Final = 0.15
"""How long a draw, a shuffle or a signal takes: long enough to be killed in."""

POST: Final = frozenset({0, 9})
IDLE: Final = "idle"
LEFT_S: Final = 3.0
"""What is left of the five minutes once the machine wakes up: enough for the buzzer to be there."""


def pack(state: Form) -> list[Card]:
    """The pack of a round: the same in every run."""
    return random.Random(f"{SEED}:{number_of(state)}").sample(PACK, len(PACK))


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
        return state["phase"] != "drawing"

    def next_step(self, state: Form) -> Act:
        rig, table = self.rig, state["round"]
        match state["phase"]:
            case "idle":
                return self._open(table)
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
        if dealing == "shoe" and table["pack"] != "ready":
            return partial(self.rig.ask, "confirm_pack", shuffle="hand")
        return partial(self.rig.ask, "open_round", dealing=dealing)

    def _deal(self, state: Form, card: Card, packet: int) -> Act:
        def act(devices: Bench) -> Any:
            if state["round"]["dealing"] == "shoe":
                return devices.shoe.draw(card)
            return devices.shuffler.deliver_packet(packet)

        return partial(self.rig.device, "a card", act, lambda now: now["phase"] == IDLE or lying(now) > lying(state))

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
    """Three bets and a spin; the kill that strikes in it makes it another spin."""

    rig: Rig

    def worth_a_kill(self, state: Form) -> bool:  # noqa: ARG002 -- the protocol's
        return True

    def next_step(self, state: Form) -> Act:
        rig, table = self.rig, state["round"]
        match state["phase"]:
            case "idle":
                return partial(rig.ask, "open_round")
            case "betting" if len(table["bets"]) < 3:
                place = len(table["bets"]) + 1
                return partial(rig.ask, "bet", place=place, bettor="Chan", bet=f"symbol_{place}", stake="20")
            case "betting":
                return partial(rig.ask, "close_betting")
            case "closed" if table["wheel"]["turning"]:
                return partial(rig.wait, "the wheel stands still", moved(state))
            case "closed":
                return partial(rig.device, "a word on the spin", self._spin, self._judged(state))
            case "spinning":
                return partial(rig.wait, "a word on the spin", moved(state))
            case _:
                return partial(rig.ask, "confirm_spin")

    @staticmethod
    def _spin(devices: Bench) -> Any:
        return devices.wheel.spin(4.0)

    @staticmethod
    def _judged(before: Form) -> Callable[[Form], bool]:
        tried = before["round"]["wheel"]["invalid_rotations"]
        return lambda now: now["phase"] == "stopped" or now["round"]["wheel"]["invalid_rotations"] > tried


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
    """Two players, fifty-two cards; one player sets his in time, the other hears the buzzer."""

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
        return partial(self._hear_the_buzzer, table)

    def _hear_the_buzzer(self, table: Form) -> None:
        """The machine sleeps until the five minutes are nearly over; then a kill strikes as the buzzer sounds."""
        ends = datetime.fromisoformat(table["time_ends"])
        left_s = (ends - datetime.now(UTC)).total_seconds()
        self.rig.sleep(left_s - LEFT_S)
        self.rig.wait("the time is up", lambda now: now["phase"] != "players_setting")
        self.rig.restart("while the buzzer sounds")

    def _compare(self, state: Form) -> Act:
        if state["round"]["signal_due"]:
            return partial(self.rig.wait, "the signal has sounded", lambda now: not now["round"]["signal_due"])
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


@dataclass(frozen=True, slots=True)
class Played:
    """What a killed table leaves behind."""

    rig: Rig
    subscriber: Subscriber
    verdict: Verdict

    def kinds(self, *kinds: str) -> list[str]:
        """The rounds that events of these kinds are of."""
        events = [json.loads(event) for event in self.verdict.events()]
        return [event["subject"] for event in events if event["type"].split(".", 2)[2].removesuffix(".v1") in kinds]

    def bodies(self, kind: type[Any]) -> list[Any]:
        """Everything of this kind that happened; what a device told again counts once."""
        told = {fact.delivery or str(nth): fact.body for nth, fact in enumerate(self.verdict.facts())}
        return [body for body in told.values() if isinstance(body, kind)]


@pytest.fixture(name="play")
def _play(mosquitto: Path, tmp_path: Path) -> Iterator[Callable[[str], Played]]:
    with ExitStack() as stack:
        yield lambda game: stack.enter_context(_table(game, mosquitto, tmp_path))


@contextmanager
def _table(game: str, mosquitto: Path, folder: Path) -> Iterator[Played]:
    """A whole table, played and killed `KILLS` times, and stopped at last."""
    for name in ("run", "broker"):
        (folder / name).mkdir()
    config = shipped(f"tables/{game}.demo.toml")
    devices = tomllib.loads(config.read_text("utf-8"))["devices"]
    with private_broker(mosquitto, folder / "broker") as broker, workbench(devices, folder / "run", SPEED) as bench:
        broker.start()
        subscriber = Subscriber(broker, folder / "broker" / "messages")
        subscriber.start()
        settings = {"table.name": game, "mqtt.url": broker.url}
        settings |= {"paths.state": str(folder / "state"), "paths.runtime": str(folder / "run")}
        forks = Forks()
        rig = Rig(Daemon(forks.context(), config, folder, settings), bench, forks, random.Random(f"{SEED}:{game}"))
        try:
            bench.do(slow)
            rig.begin()
            play_on(rig, PLAYERS[game](rig))
            assert rig.daemon.stop() == 0
            loaded = load(config, settings)
            yield Played(rig, subscriber, Verdict(game_of(loaded).make(loaded), folder / "state"))
        except BaseException as error:
            again = f"TABLECTL_KILL_SEED={SEED} pytest tests/crash/test_kill_games.py -k {game}"
            error.add_note(f"to repeat it: {again}; the kills were: {[kill.how for kill in rig.kills]}")
            raise
        finally:
            if rig.daemon.process is not None:
                rig.daemon.kill()
            subscriber.stop()


def slow(devices: Bench) -> None:
    """What takes time takes enough of it to be killed in."""
    for one in devices.simulators.values():
        for attribute in ("shuffle_s", "draw_s", "sound_s"):
            if hasattr(one, attribute):
                setattr(one, attribute, TAKES_S)


def play_on(rig: Rig, player: Player) -> None:
    """Plays until the kills are done, and the round to its end."""
    fates = cycle(("during", "after", ""))
    while len(rig.kills) < KILLS or rig.shown[-1]["round_id"] is not None:
        state = rig.shown[-1]
        act = player.next_step(state)
        fate = next(fates) if len(rig.kills) < KILLS and player.worth_a_kill(state) else ""
        rig.step(act, fate)
        rig.look()


@pytest.mark.slow
@pytest.mark.parametrize("game", PLAYERS)
def test_kills_in_mid_round_lose_nothing_and_repeat_nothing(play: Callable[[str], Played], game: str) -> None:
    played = play(game)
    rig, verdict = played.rig, played.verdict
    assert len(rig.kills) >= KILLS
    verdict.check_answers(rig.records)
    verdict.check_shown(rig.shown)
    verdict.check_kills(rig.kills)
    check_rounds(played)
    check_devices(played)
    check_feed(played)


def check_rounds(played: Played) -> None:
    """Every round ended once, with a result."""
    opened = played.kinds("round.opened")
    assert opened
    assert played.kinds("round.settled", "round.void") == opened
    assert played.kinds("round.settled") == opened


def check_devices(played: Played) -> None:
    """What a device was asked for it did once, and the table knows what came of it."""
    simulators = played.rig.bench.devices.simulators
    rounds = len(played.kinds("round.opened"))
    if draw := simulators.get("draw"):
        assert once(draw.draws) == {body.draw_id for body in played.bodies(DrawCommitted)}
        assert len(draw.draws) == rounds
    if shuffler := simulators.get("shuffler"):
        assert once(shuffler.shuffles) == {body.operation for body in played.bodies(ShuffleCompleted)}
        assert shuffler.shuffles
    if buzzer := simulators.get("buzzer"):
        assert once([op for op, _ in buzzer.sounds]) == {body.operation for body in played.bodies(SignalSounded)}
        assert len(buzzer.sounds) == rounds


def check_feed(played: Played) -> None:
    """A subscriber holds every event: the same bytes, in order, under checkpoints that agree."""
    stored, subscriber = played.verdict.events(), played.subscriber
    until(lambda: len(set(subscriber.events())) >= len(stored), "every event has arrived")
    assert list(dict.fromkeys(subscriber.events())) == stored
    follower, checkpoints = Follower(), Checkpoints()
    for nth, event in enumerate(stored, 1):
        checkpoints.take(nth, event)
    for message in subscriber.messages():
        follower.tell(message)
        if message.topic.endswith("/checkpoint"):
            assert not checkpoints.disagrees(message.payload.decode())
    assert follower.flawless, follower.completeness()
    assert checkpoints.agreed
