"""Subscribers who ask the table over MQTT: their requests and its answers are lost, doubled and late on the way."""

import asyncio
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic_core import from_json

from tablectl.config.models import SubscriberSection
from tests.simulation.broker import Broker
from tests.simulation.history import Answered, Asked, Form, History, Wanted

SUBSCRIBERS: Final = {
    "watch": SubscriberSection(
        may=("status", "replay", "recall", "bookmark", "acknowledge", "prove"),
        reads=("round", "bet", "card", "draw", "wheel", "dice", "fault", "fairness", "audit"),
        role="supervisor",
    ),
    "press": SubscriberSection(may=("replay", "recall"), reads=("round",)),
}
"""One who may everything, and one who may little."""

DOES: Final = {"bookmark": "bookmark", "acknowledge": "acknowledge_fault"}
"""What moves the table, and what the same is called at the console."""

TRIES: Final = 4
ANSWER_S: Final = 3.0
LATE_S: Final = 4.0


@dataclass(slots=True)
class Asker:
    """A user of the broker.

    Attributes:
        matter: goes into the names of their requests; only answers to these are heard.
        lost, doubled, late: how often a message is so on its way, either way; each from 0 to 1.
    """

    user: str
    prefix: str
    broker: Broker
    history: History
    chance: random.Random
    matter: str = ""
    lost: float = 0.0
    doubled: float = 0.0
    late: float = 0.0
    _made: int = 0
    _verbs: dict[str, str] = field(default_factory=dict[str, str])
    _waits: dict[str, asyncio.Future[None]] = field(default_factory=dict[str, "asyncio.Future[None]"])

    async def ask(self, verb: str, **body: Any) -> bool:
        """Makes a request, again and again under its name until something comes back; whether it did."""
        self._made += 1
        name = f"{self._called}-{self._made}"
        self._verbs[name] = verb
        self._note(verb, name, body)
        payload = json.dumps({"transaction": name, **body}).encode()
        for _ in range(TRIES):
            heard = self._waits[name] = asyncio.get_running_loop().create_future()
            self._send(f"{self.prefix}/req/{self.user}/{verb}", payload)
            await asyncio.wait([heard], timeout=ANSWER_S)
            if heard.done():
                return True
        return False

    def hear(self, topic: str, payload: bytes) -> None:
        """Takes what the broker has for somebody, later, twice, or not at all."""
        *_, user, name = topic.split("/")
        if user == self.user and name.rpartition("-")[0] == self._called:
            self._carry("answer", lambda: self._arrive(topic, payload))

    @property
    def _called(self) -> str:
        return f"{self.user}-{self.matter}" if self.matter else self.user

    def _note(self, verb: str, name: str, body: Form) -> None:
        history, now_s = self.history, self.history.clock()
        history.wanted.append(Wanted(now_s, self.user, verb, name, body))
        history.trace("asks over mqtt", self.user, verb, json.dumps(body))
        if verb in DOES:
            history.asked.append(Asked(now_s, self.user, DOES[verb], f"mqtt:{name}", body))

    def _send(self, topic: str, payload: bytes) -> None:
        self._carry("request", lambda: self.broker.bring(topic, payload))

    def _carry(self, what: str, arrive: Callable[[], None]) -> None:
        fate, world = self.chance.random(), self.broker.world
        if fate < self.lost:
            self.history.fault(f"{what} lost")
        elif fate < self.lost + self.late:
            self.history.fault(f"{what} late")
            world.call_later(self.chance.uniform(0.1, LATE_S), arrive)
        else:
            arrive()
            if fate < self.lost + self.late + self.doubled:
                self.history.fault(f"{what} doubled")
                world.call_later(self.chance.uniform(0.0, LATE_S), arrive)

    def _arrive(self, topic: str, payload: bytes) -> None:
        form = from_json(payload)
        name = topic.rpartition("/")[2]
        verb = self._verbs[name]
        self.history.trace("answered over mqtt", self.user, name, verb)
        if verb in DOES and "data" in form:
            record, now_s = form["data"]["record"], self.history.clock()
            self.history.answered.append(Answered(now_s, self.user, DOES[verb], f"mqtt:{name}", record, accepted=True))
        is_last = verb not in {"replay", "recall"} or "complete" in form or "error" in form
        if is_last and not (heard := self._waits[name]).done():
            heard.set_result(None)


async def ask_around(asker: Asker, every_s: float) -> None:
    """Asks for this and that, also for what they may not have, until cancelled."""
    chance, history = asker.chance, asker.history
    while True:
        await asyncio.sleep(chance.expovariate(1 / every_s))
        match chance.choice(("status", "replay", "replay", "recall", "bookmark", "acknowledge")):
            case "replay":
                await asker.ask("replay", **_stretch(chance, _newest(history)))
            case "recall":
                await asker.ask("recall", rounds=chance.randint(1, 5))
            case "bookmark":
                await asker.ask("bookmark", note=f"looked at {history.clock():.0f} s")
            case "acknowledge":
                await asker.ask("acknowledge", **_standing(history))
            case verb:
                await asker.ask(verb)


async def ask_for_proofs(asker: Asker, every_s: float) -> None:
    """Asks for proofs of rounds, also where there is nothing to prove, until cancelled."""
    while True:
        await asyncio.sleep(asker.chance.expovariate(1 / every_s))
        await asker.ask("prove", **_disputed(asker.chance, asker.history))


def newest_under_checkpoint(history: History) -> str | None:
    """The newest round that a checkpoint of the broker covers with all that the broker has of it; None before one."""
    notes = [each.payload for each in history.published if each.topic.endswith("/checkpoint") and each.payload]
    size = max((int(note.split(b"\n")[1]) for note in notes), default=0)
    return next((name for name, last in reversed(_rounds(history).items()) if last <= size), None)


def _disputed(chance: random.Random, history: History) -> Form:
    """A round that the broker has heard of; now and then one that isn't in the log, or no round at all."""
    rounds = list(_rounds(history))
    fate = chance.random()
    if rounds and fate < 0.75:
        return {"round_id": chance.choice(rounds)}
    if fate < 0.85:
        return {"round_id": f"{rounds[-1].partition('-')[0] if rounds else '0' * 8}-999999"}
    return {"round_id": "ffffffff-000001"} if fate < 0.95 else {"round_id": None}


def _rounds(history: History) -> dict[str, int]:
    """The rounds that the broker has heard of, in order, and the last event of each."""
    last: dict[str, int] = {}
    for each in history.published:
        if "/event/" in each.topic:
            form = from_json(each.payload)
            if name := form.get("correlationid"):
                last[name] = max(last.get(name, 0), int(form["sequence"]))
    return last


def _newest(history: History) -> int:
    """The number of the newest event that the broker was given."""
    return history.newest_event


def _stretch(chance: random.Random, newest: int) -> Form:
    first = chance.randint(1, max(1, newest))
    to = None if chance.random() < 0.5 else f"{first + chance.randint(0, 30):016d}"
    return {"from": f"{first:016d}", "to": to}


def _standing(history: History) -> Form:
    """A fault that a screen has shown last; any, where none was."""
    faults = history.shown[-1].state["faults"] if history.shown else []
    return {"code": faults[0]["code"], "device": faults[0]["device"]} if faults else {"code": 308, "device": "shuffler"}
