"""Two controllers of one table: the one that waits takes over, deliberately, and both logs say so."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import apsw
import pytest
from click.testing import CliRunner, Result

from tablectl.cli import main
from tablectl.features.journal.take_over import NoTakeOverError, daemon_of
from tests.support.broker import Broker
from tests.support.daemon import Daemon, fork_server
from tests.support.feed import Feed
from tests.support.whole import Message, flaws, received

TABLE = """
[table]
site = "demo"
name = "d-demo"
game = "wheel_of_fortune"
[wheel_of_fortune]
places = 12
[people.ana]
role = "dealer"
pin_hash = "$argon2id$v=19$m=19456,t=2,p=1$hFZycK2PudxsMdicH1HW2A$RJ+b8wfApdTtO0/u+tw5DrDNo4dmU7ws5x6AZcj7LRE"
simulated = true
"""
"""A table without devices."""


@pytest.fixture(name="two")
def _two(tmp_path: Path, broker: Broker) -> Iterator[tuple[Daemon, Daemon]]:
    """The controller that has the table, and the one that waits; the second isn't started yet."""
    daemons: list[Daemon] = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        paths = f'[paths]\nstate = "{folder / "state"}"\nruntime = "{folder / "run"}"\n'
        (folder / "table.toml").write_text(f'{TABLE}{paths}[mqtt]\nurl = "{broker.url}"\n', "utf-8")
        daemons.append(Daemon(fork_server(), folder / "table.toml", folder, {}))
    yield daemons[0], daemons[1]
    for daemon in daemons:
        daemon.kill()


def take_over(daemon: Daemon, *words: str) -> Result:
    return CliRunner().invoke(main, ["take-over", "--config", str(daemon.config), *words])


def taken(daemon: Daemon) -> bool:
    """Whether, by its own log, another one speaks for its table."""
    about = [json.loads(message.payload) for message in logged(daemon) if b'"code":803' in message.payload]
    return bool(about) and about[-1]["type"].endswith("raised.v1")


def logged(daemon: Daemon) -> list[Message]:
    """The events of a daemon's journal."""
    flags = apsw.SQLITE_OPEN_READONLY
    connection = apsw.Connection(str(daemon.folder / "state" / "journal.db"), flags=flags)
    rows = list(connection.execute("SELECT topic, payload FROM event ORDER BY sequence"))
    connection.close()
    return [Message(topic, payload) for topic, payload in rows]


def handed(feed: Feed) -> list[dict[str, Any]]:
    return [event for event in feed.events() if event["type"].endswith("audit.handed_over.v1")]


def speaker(feed: Feed) -> str:
    status = feed.last("/d-demo/status")
    return status["data"]["session"] if status and status["data"]["state"] in {"init", "ready", "degraded"} else ""


def test_the_waiting_controller_takes_over_and_both_logs_say_so(two: tuple[Daemon, Daemon], feed: Feed) -> None:
    first, second = two
    first.start()
    Feed.until(lambda: speaker(feed))
    before = speaker(feed)
    second.start()
    Feed.until(lambda: taken(second))
    result = take_over(second)
    assert (result.exit_code, result.output) == (0, "this controller speaks for the table now\n")
    Feed.until(lambda: speaker(feed) not in {"", before})
    after = speaker(feed)
    Feed.until(lambda: taken(first))
    Feed.until(lambda: len(handed(feed)) == 2)
    steps = {event["data"]["step"]: event for event in handed(feed)}
    for step in ("asked", "given"):
        assert (steps[step]["data"]["from_session"], steps[step]["data"]["to_session"]) == (before, after)
    assert steps["given"]["session"] == before
    assert steps["asked"]["session"] == after
    assert steps["given"]["source"] != steps["asked"]["source"]
    Feed.until(lambda: not any("was lost" in flaw for flaw in flaws(received(feed.output), logged(second))))
    assert flaws(received(feed.output), logged(second)) == []
    first_log = [replace(message) for message in logged(first) if b'"code":803' not in message.payload]
    assert flaws(received(feed.output), first_log) == []


def test_the_new_controller_opens_a_round_at_once(two: tuple[Daemon, Daemon], feed: Feed) -> None:
    first, second = two
    first.start()
    Feed.until(lambda: speaker(feed))
    before = speaker(feed)
    Feed.until(lambda: any(name.endswith("/d-demo/checkpoint") for name, _, _ in feed.messages()))
    second.start()
    second.sign_on("ana", "1111")
    Feed.until(lambda: taken(second))
    assert take_over(second).exit_code == 0
    second.ask("open_round", "r1", round_id=None, seen=second.state()["seen"])
    Feed.until(lambda: speaker(feed) not in {"", before})
    Feed.until(lambda: (feed.last("/d-demo/status") or {})["data"]["state"] == "ready")


def test_it_goes_back_the_same_way(two: tuple[Daemon, Daemon], feed: Feed) -> None:
    first, second = two
    first.start()
    Feed.until(lambda: speaker(feed))
    before = speaker(feed)
    second.start()
    Feed.until(lambda: taken(second))
    assert take_over(second).exit_code == 0
    Feed.until(lambda: taken(first))
    assert take_over(first).exit_code == 0
    Feed.until(lambda: speaker(feed) == before)
    Feed.until(lambda: taken(second))


def test_a_table_with_an_open_round_is_not_given_away(two: tuple[Daemon, Daemon], feed: Feed) -> None:
    first, second = two
    first.start()
    Feed.until(lambda: speaker(feed))
    before = speaker(feed)
    first.sign_on("ana", "1111")
    first.ask("open_round", "r1", round_id=None, seen=first.state()["seen"])
    second.start()
    Feed.until(lambda: taken(second))
    result = take_over(second, "--timeout", "2")
    assert (result.exit_code, "is a round open there?" in result.output) == (1, True)
    Feed.until(lambda: speaker(feed) == before)
    assert taken(second)
    assert not taken(first)
    Feed.until(lambda: b"a round is open" in (first.folder / "daemon.log").read_bytes())


def test_asking_a_starting_daemon_does_not_end_it(two: tuple[Daemon, Daemon]) -> None:
    ours, _ = two
    ended = Event()
    asking = Thread(target=_ask_from_the_start, args=(ours.folder / "state", ended))
    asking.start()
    try:
        ours.start()
    finally:
        ended.set()
        asking.join()
    assert ours.stop() == 0


def _ask_from_the_start(state: Path, ended: Event) -> None:
    """Sends a daemon both signals for as long as it starts."""
    while not ended.wait(0.005):
        with suppress(NoTakeOverError, ProcessLookupError):
            holder = daemon_of(state)
            for number in (signal.SIGUSR1, signal.SIGUSR2):
                os.kill(holder, number)


def test_without_another_controller_there_is_nothing_to_take_over(two: tuple[Daemon, Daemon]) -> None:
    first, second = two
    assert "no daemon runs with" in take_over(second).output
    first.start()
    result = take_over(first)
    assert "nothing to take over" in result.output
    assert result.exit_code == 1
