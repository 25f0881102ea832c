"""A whole Q Poker daemon with a dealer and a shoe, seen from outside."""

import json
import os
from pathlib import Path
from typing import Any

from tablectl.rule_tables import shipped
from tests.support.broker import Broker
from tests.support.daemon import Daemon, RefusedError, fork_server
from tests.support.feed import Feed
from tests.support.shoe import Shoe
from tests.support.whole import assert_whole, flaws, lacks, received, stored

CARDS = ("As", "Kd", "2c", "Qs", "Qd", "7h")
"""Place 1 gets As 2c Qd, the dealer Kd Qs 7h."""

LOOKS = 20


def daemon_at(broker: Broker, folder: Path, **more: str) -> Daemon:
    """The daemon of the demonstration's table, not started.

    Args:
        more: dotted keys over its configuration.
    """
    settings = {
        "mqtt.url": broker.url,
        "mqtt.timeout_s": "1.0",
        "paths.state": str(folder / "state"),
        "paths.runtime": str(folder / "run"),
        **more,
    }
    return Daemon(fork_server(), shipped("tables/q-poker.demo.toml"), folder, settings)


class Table:
    """A dealer at the daemon's console, and the shoe in their hands."""

    def __init__(self, daemon: Daemon, shoe: Shoe) -> None:
        self.daemon = daemon
        self.shoe = shoe
        self.asked = 0

    def begin(self) -> None:
        """Starts it and signs a dealer on; its shoe is there."""
        self.daemon.start()
        self.daemon.sign_on("ana", "1111")
        Feed.until(lambda: self.device("shoe")["attached"])

    def device(self, name: str) -> dict[str, Any]:
        """A device as the console shows it."""
        known: list[dict[str, Any]] = self.daemon.state()["devices"]
        return next((item for item in known if item["name"] == name), {"attached": False})

    def fault(self, code: int) -> dict[str, Any] | None:
        """A fault that stands, by its number."""
        return next((item for item in self.daemon.state()["faults"] if item["code"] == code), None)

    def ask(self, verb: str, **fields: Any) -> None:
        """Makes a request, about the round and the state that are seen now; whoever saw too old a state looks again."""
        for _ in range(LOOKS):
            state = self.daemon.state()
            self.asked += 1
            name = f"{os.getpid()}-{self.asked}-{verb}"
            try:
                self.daemon.ask(verb, name, round_id=state["round_id"], seen=state["seen"], **fields)
            except RefusedError as no:
                if no.code != "stale_screen":
                    raise
            else:
                return
        raise AssertionError(f"{verb}: the screen was stale {LOOKS} times")

    def open(self) -> None:
        """Opens a round with one bet, once the last one is paid."""
        if self.daemon.state()["phase"] == "paying":
            self.ask("pay_place")
        self.ask("confirm_pack")
        self.ask("open_round")
        self.ask("bet", place=1, bettor="ann", bet="versus_dealer", stake="100")

    def deal(self, cards: tuple[str, ...] = CARDS) -> None:
        """Draws these cards, each after the table knows of the one before."""
        for card in cards:
            lying = self.lying()
            self.shoe.draw(card)
            Feed.until(lambda lying=lying: self.lying() > lying)

    def lying(self) -> int:
        """How many cards lie on the table."""
        return sum(len(hand["cards"]) for hand in self.daemon.state()["round"]["hands"])

    def show(self) -> None:
        """Opens all hands, and ends the round."""
        self.ask("open_hand", place=1)
        self.ask("decide", place=1, bettor="ann", decision="play")
        self.ask("open_hand", place="dealer")

    def play(self) -> None:
        """A whole round."""
        self.open()
        self.deal()
        self.show()


def status_of(feed: Feed) -> str:
    """What the table says of itself; empty before it says anything."""
    status = feed.last("/q-demo/status")
    return str(status["data"]["state"]) if status else ""


def complete(feed: Feed, settled: int) -> bool:
    """Whether so many rounds were settled, by what came."""
    kinds = [event["type"] for event in {event["id"]: event for event in feed.events()}.values()]
    return kinds.count("mo.tablectl.round.settled.v1") >= settled


def assert_complete_and_ordered(feed: Feed) -> None:
    """What came is what the journal holds, by a judge that knows none of our code."""
    journal = feed.output.parent / "state" / "journal.db"
    came, held = received(feed.output), stored(journal)
    numbers = list(dict.fromkeys(int(json.loads(message.payload)["sequence"]) for message in came))
    assert numbers == list(range(1, len(numbers) + 1))
    # Events that are still on their way, as the end of a fault, are behind all that came.
    assert flaws(came, held[: len(numbers)]) == []


def assert_all_of_it(feed: Feed) -> None:
    """To the journal's last event: what has yet to come is waited for."""
    journal = feed.output.parent / "state" / "journal.db"
    Feed.until(lambda: not lacks(feed.output, journal))
    assert_whole(feed.output, journal)
