"""What a broker keeps of a table: the states of today, nothing of what the table no longer has."""

import subprocess
from itertools import count
from pathlib import Path

import pytest

from tablectl.rule_tables import shipped
from tests.support.broker import Broker
from tests.support.feed import Feed
from tests.support.live_table import Table, status_of

OTHER = {"shoe": "shuffler", "shuffler": "shoe"}
"""Of the table's two devices: the shoe is there from the start, the shuffler never."""


def without(device: str) -> str:
    """The demonstration's configuration, this device taken off and the other one dealing."""
    before, found, after = shipped("tables/q-poker.demo.toml").read_text("utf-8").partition(f"[devices.{device}]\n")
    assert found
    rest = before + after[after.index("\n[") :]
    return rest.replace('dealing = "shoe"', f'dealing = "{OTHER[device]}"')


def kept(broker: Broker, output: Path) -> set[str]:
    """The ends of the topics of which the broker keeps something, by a subscriber who comes now."""
    late = Feed(broker, output)
    late.start()
    # What comes live comes after all that was kept.
    command = ["mosquitto_pub", "-p", str(broker.port), "-t", "tablectl/mark", "-m", "{}"]
    subprocess.run(command, check=True)
    Feed.until(lambda: late.last("/mark") is not None)
    late.stop()
    return {topic.partition("/q-demo/")[2] for topic, retained, _ in late.messages() if retained}


def take_off(table: Table, device: str) -> None:
    """Starts the daemon anew, without the device."""
    assert table.daemon.stop() == 0
    table.daemon.config = table.daemon.folder / "table.toml"
    table.daemon.config.write_text(without(device), "utf-8")
    table.daemon.start()


@pytest.mark.parametrize("device", OTHER)
def test_retained_state_of_a_removed_device_is_cleared(
    broker: Broker, table: Table, tmp_path: Path, device: str
) -> None:
    table.begin()
    gone = f"device/{device}/status"
    late = (tmp_path / f"late-{number}" for number in count())
    Feed.until(lambda: gone in kept(broker, next(late)))
    take_off(table, device)
    Feed.until(lambda: gone not in kept(broker, next(late)))
    states = {"status", "meta/info", f"device/{OTHER[device]}/status", "round/state", "round/phase", "board", "health"}
    Feed.until(lambda: states <= kept(broker, next(late)))
    after = kept(broker, next(late))
    assert gone not in after
    assert not [topic for topic in after if topic.startswith(("event/", "req/", "answer/"))]


def cleared(feed: Feed) -> list[tuple[int, str]]:
    """The faults that were published as over."""
    events = [event["data"] for event in feed.events() if event["type"] == "mo.tablectl.fault.cleared.v1"]
    return [(each["code"], each["device"]) for each in events]


def test_faults_of_device_that_was_taken_off_table_are_over(feed: Feed, table: Table) -> None:
    table.begin()
    Feed.until(lambda: table.fault(102) is not None)  # the shuffler was never there
    take_off(table, "shuffler")
    table.daemon.sign_on("ana", "1111")
    assert table.fault(102) is None
    Feed.until(lambda: status_of(feed) == "ready")
    Feed.until(lambda: (102, "shuffler") in cleared(feed))
