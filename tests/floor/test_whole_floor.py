"""A whole floor of which parts are killed: nothing is lost or altered, and the record is complete soon afterwards."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.floor.house import floor_of
from tests.floor.kills import (
    COMPLETE_WITHIN_S,
    EVERY_S,
    assert_recorded_as_published,
    broker,
    floor_folder,
    killed,
    killed_in_turn,
    node,
    primary,
    recorder,
    until_recorded,
)
from tests.support.patience import LONG_PATIENCE_S

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("mosquitto")]


@pytest.fixture(name="folder")
def _folder() -> Iterator[Path]:
    with floor_folder() as folder:
        yield folder


@pytest.mark.timeout(5 * LONG_PATIENCE_S)
def test_parts_of_a_floor_are_killed_and_nothing_is_lost(folder: Path) -> None:
    tables = ["q1", "f2"]
    with floor_of(folder, 2, "--speed", "3") as page:
        until_recorded(folder, dict.fromkeys(("demo/q1", "demo/f2"), 1))
        for victim in (node, recorder, primary, broker):
            killed(page, folder, tables, victim)
        assert_recorded_as_published(folder, tables)
        page.process.send_signal(signal.SIGINT)
        said, _ = page.process.communicate(timeout=LONG_PATIENCE_S)
    assert page.process.returncode == 0
    assert [line.split(" has ended")[0].rstrip(" 123") for line in said.splitlines() if " has ended" in line] == [
        "nats-server n",
        "tablectl record",
        "a PostgreSQL server",
        "mosquitto north",
    ]


@pytest.mark.long
@pytest.mark.timeout(20 * LONG_PATIENCE_S)
def test_record_is_complete_within_15_s_of_each_kill(folder: Path) -> None:
    took = killed_in_turn(folder, 5, 16, EVERY_S)
    assert max(max(each) for each in took.values()) < COMPLETE_WITHIN_S, took
