"""What a wheel or a draw system did is published with its serial number, and weighed with it over a restart."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from tablectl.config import load
from tablectl.config.game_setup import game_of
from tablectl.config.models import Config
from tablectl.core.facts import Body, LogBegan
from tablectl.core.facts.amendments import Change, RoundAmended
from tablectl.core.facts.game_requests import PackConfirmed, SpinDeclared
from tablectl.core.facts.reports import DeviceAttached, DeviceLost, DrawCommitted, SpinStarted, SpinStopped
from tablectl.core.facts.table_requests import BettingClosed, RoundOpened
from tablectl.core.outcomes import Direction, Series, Spin
from tablectl.core.protocols import Standing
from tablectl.history.statistics.evidence_account import Account, catch_up, read_account
from tablectl.history.statistics.fairness_monitor import Budget, Monitor
from tablectl.journal.journal import open_journal
from tablectl.journal.reading.reader import open_reader
from tablectl.rule_tables import shipped
from tests.daemon.test_other_terms import ROUND, UP_TO_THE_BET, began, config_in, recovered

FOOTBALL: Final = shipped("tables/football-poker.demo.toml")
STOPPED = SpinStopped("wheel", Spin(Direction.CLOCKWISE, 4000, 7, 1500, calibration="2027-01 5eed"))
SPUN = (*UP_TO_THE_BET, BettingClosed(), SpinStarted("wheel", Direction.CLOCKWISE, 1), STOPPED)
FLOOR = Standing(("dealer", "supervisor"))


def put_right(record: int) -> RoundAmended:
    """A spin stated by persons, who saw where the wheel stood."""
    return RoundAmended("the sensor misread it", (Change(record, json.dumps({"turns": 4, "section": 9})),))


async def _session(config: Config, bodies: Sequence[Body]) -> int:
    """The number of the last record, after these facts were accepted."""
    table = await asyncio.to_thread(recovered, config)
    try:
        async with asyncio.TaskGroup() as group:
            at_work = group.create_task(table.run())
            for body in bodies:
                about: dict[str, Any] = {}
                if isinstance(body, RoundAmended):
                    about = {"by": "ana", "second": "rui", "round_id": ROUND, "seen": table.state.records}
                reply = await table.ask(replace(table.note(body), **about), FLOOR)
                assert reply.refused is None, (body, reply.refused)
            at_work.cancel()
    finally:
        await asyncio.to_thread(table.shut)
    return table.state.records


def at_table(config: Config, session: str, *bodies: Body) -> int:
    """A session of the daemon: the first one begins the log."""
    table = config.table
    beginning = () if session != "s1" else (LogBegan("5eed0001", table.site, table.name, session=session),)
    return asyncio.run(_session(config, (*beginning, began(session, game_of(config).make(config)), *bodies)))


def published(folder: Path, kind: str) -> list[Mapping[str, Any]]:
    with closing(open_reader(folder)) as reader:
        forms = [json.loads(row.payload) for row in reader.events()]
    return [form["data"] for form in forms if form["type"] == f"mo.tablectl.{kind}.v1"]


def test_spin_names_its_wheel_and_a_stated_one_names_none(tmp_path: Path) -> None:
    config = config_in(tmp_path, {})
    attached = DeviceAttached("wheel", "maker", "model", "W-7")
    stopped = at_table(config, "s1", attached, *SPUN)
    assert [spin.get("serial") for spin in published(tmp_path, "wheel.stopped")] == ["W-7"]
    at_table(config, "s2", put_right(stopped))
    assert [(spin["section"], spin.get("serial")) for spin in published(tmp_path, "wheel.stopped")] == [
        (7, "W-7"),
        (9, None),
    ]


def test_spin_announced_again_names_its_wheel_of_then(tmp_path: Path) -> None:
    config = config_in(tmp_path, {})
    stopped = at_table(config, "s1", DeviceAttached("wheel", serial="W-7"), *SPUN)
    more = RoundAmended("more chips lay there", (Change(stopped - 3, json.dumps({"stake": "200"})),))
    at_table(config, "s2", DeviceAttached("wheel", serial="W-8"), more)
    first, again = published(tmp_path, "wheel.stopped")
    assert first == again
    assert again["serial"] == "W-7"


def test_spin_of_a_sensor_without_number_or_lost_names_none(tmp_path: Path) -> None:
    at_table(config_in(tmp_path / "a", {}), "s1", DeviceAttached("wheel"), *SPUN)
    lost = (DeviceAttached("wheel", serial="W-7"), *SPUN[:-1], DeviceLost("wheel"), SpinDeclared(4, 9))
    at_table(config_in(tmp_path / "b", {}), "s1", *lost)
    spins = [*published(tmp_path / "a", "wheel.stopped"), *published(tmp_path / "b", "wheel.stopped")]
    assert [("serial" in spin, spin["section"]) for spin in spins] == [(False, 7), (False, 9)]


def test_draw_names_the_system_that_made_it(tmp_path: Path) -> None:
    config = load(FOOTBALL, {"paths.state": str(tmp_path)})
    there = [DeviceAttached(name, serial=f"{name}-1") for name in config.devices]
    at_table(config, "s1", *there, PackConfirmed(), RoundOpened())
    table = recovered(config)
    draw_id: int = table.state.game.drawing.draw_id
    table.shut()
    at_table(config, "s2", *there, DrawCommitted("draw", draw_id, Series.UPPER, 3))
    assert [draw.get("serial") for draw in published(tmp_path, "draw.committed")] == ["draw-1"]


@pytest.mark.parametrize("is_restarted", [False, True])
def test_spin_put_right_after_restart_goes_on_with_its_wheel(tmp_path: Path, *, is_restarted: bool) -> None:
    config = config_in(tmp_path, {})
    record = at_table(config, "s1", DeviceAttached("wheel", serial="W-7"), *SPUN)
    account = Account(Monitor(Budget()))
    _weigh(tmp_path, account)
    if is_restarted:
        account = read_account(account.kept(), Budget())
    at_table(config, "s2", put_right(record))
    _weigh(tmp_path, account)
    spins = {key: stream.evidence for key, stream in account.monitor.streams.items() if key[0] == "sections"}
    assert [*spins] == [("sections", "W-7")]
    assert spins["sections", "W-7"].total == 1
    assert spins["sections", "W-7"].kept()["counts"][9 - 1] == 1


def _weigh(folder: Path, account: Account) -> None:
    with closing(open_reader(folder)) as reader:
        for row in reader.events():
            if row.sequence >= account.monitor.reader.place.sequence:
                catch_up(account, json.loads(row.payload))


def test_replay_makes_the_same_bytes_with_serial_numbers(tmp_path: Path) -> None:
    config = config_in(tmp_path, {})
    record = at_table(config, "s1", DeviceAttached("wheel", serial="W-7"), *SPUN)
    at_table(config, "s2", put_right(record))
    with closing(open_reader(tmp_path)) as reader:
        stored = [row.payload for row in reader.events()]
    again = recovered(config_in(tmp_path / "empty", {}))
    with closing(open_journal(tmp_path)) as journal:
        made = [event.payload for each in journal.replay(0) for event in again.folding.replayed(each)]
    again.shut()
    assert made == stored
