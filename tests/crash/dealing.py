"""A Q Poker table that dies while it plays: its dealer and its shoe live on, and what was said is judged.

A whole daemon plays scripted rounds over a real pty, its console's API, a real disk and a real broker. What the
dealer does next follows from the table's state alone, so after a kill the script goes on where it was.
"""

import json
import os
import random
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import apsw

from tablectl.core.cards import PACK, Card
from tablectl.players.moves import Ask, Draw, Plan, TableView
from tablectl.players.q_poker import next_move
from tablectl.rule_tables import shipped
from tests.support.broker import Broker, private_broker
from tests.support.crash_games import Subscriber
from tests.support.crash_players import bets
from tests.support.crash_verdict import events_kept, verdict_on
from tests.support.daemon import Daemon, fork_server
from tests.support.feed import Feed
from tests.support.patience import PATIENCE_S
from tests.support.shoe import Shoe
from tests.support.whole import assert_whole

FULL: Final = os.environ.get("TABLECTL_FORCE") == "full"
"""Whether everything is tried, as `make force` does, or as much as a run of all tests has time for."""

Listener = TypeVar("Listener", Feed, Subscriber)
SEED = 20_041_231
PLAN: Final = Plan(bets(*((place, bet) for place in (2, 5) for bet in ("pair_or_better", "versus_dealer"))))
PIN = ("ana", "1111")
"""The demonstration's dealer; the configuration is the shipped one."""


def pack(number: int) -> list[Card]:
    """The shuffled pack of a round: the same in every run."""
    return random.Random(f"{SEED}:{number}").sample(PACK, len(PACK))


@dataclass(slots=True)
class Dealer:
    """Plays rounds by looking at the table: what they do next follows from its state alone."""

    daemon: Daemon
    shoe: Shoe
    records: dict[str, int] = field(default_factory=dict)
    steps: int = 0

    def next_step(self, state: dict[str, Any]) -> Callable[[], None]:
        """The next thing to do at a table in this state."""
        number, table = self.round_number(state), state["round"]
        dealt = sum(len(hand["cards"]) for hand in table["hands"])
        # They count when all cards lie, else they would do nothing but count where every step is struck.
        counts = table["count_due"] and state["phase"] == "opening"
        seen = TableView({**state, "round": {**table, "count_due": counts}}, drawn=dealt)
        match next_move(seen, replace(PLAN, pack=tuple(pack(number)))):
            case Ask(verb, fields):
                return partial(self._ask, state, verb, fields)
            case Draw(card):
                return partial(self._deal, card, dealt)
            case move:
                raise AssertionError(f"a table with nothing but a shoe has the dealer do this: {move}")

    @staticmethod
    def round_number(state: dict[str, Any]) -> int:
        return int(state["round_id"].split("-")[1]) if state["round_id"] else 0

    def _ask(self, state: dict[str, Any], verb: str, fields: Mapping[str, Any]) -> None:
        # The name of a request is fixed by what it does, so that asking again can't do it again.
        number = self.round_number(state)
        name = ":".join(map(str, (verb, number or f"idle-{state['seen']}", *fields.values())))
        self.records[name] = self.daemon.ask(verb, name, round_id=state["round_id"], seen=state["seen"], **fields)

    def _deal(self, card: Card, dealt: int) -> None:
        self.shoe.draw(card)
        self.until(lambda: self._dealt() > dealt)

    def _dealt(self) -> int:
        return sum(len(hand["cards"]) for hand in self.daemon.state()["round"]["hands"])

    def until(self, true: Callable[[], bool]) -> None:
        """Looks until it is so."""
        deadline = time.monotonic() + PATIENCE_S
        while not true():
            assert time.monotonic() < deadline, self.daemon.state()


def public(state: dict[str, Any]) -> dict[str, Any]:
    """What of a state has to be the same after a kill. That the cards must be counted after it is as it should be."""
    table = {key: value for key, value in state["round"].items() if key != "count_due"}
    return {"round_id": state["round_id"], "phase": state["phase"], "round": table}


def play(dealer: Dealer, steps: int, dies: Callable[[int], object] = lambda _: False) -> None:
    """Plays this many steps; `dies` says for each whether the daemon is killed after its answer."""
    for step in range(steps):
        dealer.next_step(dealer.daemon.state())()
        if dies(step):
            before = public(dealer.daemon.state())
            restart(dealer)
            assert public(dealer.daemon.state()) == before


def restart(dealer: Dealer) -> None:
    dealer.daemon.kill()
    begin(dealer)


@contextmanager
def subscribed(mosquitto: Path, folder: Path, made: Callable[[Broker, Path], Listener]) -> Generator[Listener]:
    """A broker in this folder, and somebody who listens to all that it is told."""
    folder.mkdir()
    with private_broker(mosquitto, folder) as broker:
        broker.start()
        subscriber = made(broker, folder / "messages")
        subscriber.start()
        try:
            yield subscriber
        finally:
            subscriber.stop()


@contextmanager
def tables(subscriber: Feed, folder: Path, url: str = "") -> Generator[Callable[[str], Dealer]]:
    """Makes tables by their names, each with its shoe and a dealer who has signed on.

    Args:
        url: where they find the broker; where it is itself, if nothing is said.
    """
    made: list[Dealer] = []
    context = fork_server()

    def make(name: str) -> Dealer:
        own = folder / name
        (own / "run").mkdir(parents=True)
        shoe = Shoe(own / "run" / "shoe")
        shoe.plug()
        settings = {"table.name": name, "mqtt.url": url or subscriber.broker.url}
        settings |= {"paths.state": str(own / "state"), "paths.runtime": str(own / "run")}
        made.append(Dealer(Daemon(context, shipped("tables/q-poker.demo.toml"), own, settings), shoe))
        begin(made[-1])
        return made[-1]

    try:
        yield make
    finally:
        for dealer in made:
            dealer.daemon.kill()
            dealer.shoe.unplug()


def begin(dealer: Dealer) -> None:
    """Starts the daemon and waits for the shoe."""
    dealer.daemon.start()
    dealer.daemon.sign_on(*PIN)
    dealer.until(lambda: any(d["name"] == "shoe" and d["attached"] for d in dealer.daemon.state()["devices"]))


def assert_same_or_next(dealer: Dealer, before: dict[str, Any]) -> None:
    """After a kill in mid-step the table is where it was, or one step further; nothing in between, nothing else."""
    after = dealer.daemon.state()
    grown = _progress(after) - _progress(before)
    # A round that is decided keeps its number until it is paid.
    ended = (after["round_id"], after["round"]["round_id"]) != (before["round_id"], before["round"]["round_id"])
    assert public(after) == public(before) or grown == 1 or ended, (before, after)


def _progress(state: dict[str, Any]) -> int:
    """How far a round is: every step of the script moves exactly one of these."""
    table: dict[str, Any] = state["round"]
    opened: int = sum(hand["opened"] for hand in table["hands"])
    decided = sum(bet["decision"] is not None for bet in table["bets"])
    dealt = sum(len(hand["cards"]) for hand in table["hands"])
    closed = state["phase"] not in {"idle", "paying", "betting"}
    ready: bool = table["pack"] != "needed"
    return len(table["bets"]) + dealt + opened + decided + closed + ready


def finish_round(dealer: Dealer) -> None:
    while dealer.daemon.state()["round_id"] is not None:
        play(dealer, 1)


def stop(dealer: Dealer, subscriber: Feed) -> None:
    """Ends the daemon as it should be, once every event is out: it doesn't wait long for a slow broker."""
    folder = dealer.daemon.folder / "state"
    dealer.until(lambda: heard(subscriber) >= events_kept(folder))
    assert dealer.daemon.stop() == 0


def settled(dealer: Dealer) -> list[dict[str, Any]]:
    """The settled rounds in the journal's file."""
    connection = apsw.Connection(str(dealer.daemon.folder / "state" / "journal.db"), flags=apsw.SQLITE_OPEN_READONLY)
    rows = list(connection.execute("SELECT payload FROM event WHERE topic = 'event/round' ORDER BY sequence"))
    connection.close()
    events = [json.loads(row[0]) for row in rows]
    return [event for event in events if event["type"] == "mo.tablectl.round.settled.v1"]


def heard(subscriber: Feed) -> int:
    """How many different events have come."""
    return len({event["id"] for event in subscriber.events()})


def judge(dealer: Dealer, subscriber: Feed) -> None:
    """Every answer is in the journal, once, at the record it named; the subscriber has every event, once, in order."""
    verdict = verdict_on(dealer.daemon)
    verdict.check_answers(dealer.records)
    verdict.check_ends()
    events = len(verdict.events())
    dealer.until(lambda: heard(subscriber) == events)
    assert_whole(subscriber.output, verdict.folder / "journal.db")
