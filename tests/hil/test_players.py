"""Who plays Q Poker at the guest's table plays it through its phases, here at a daemon on this machine."""

import random
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from tablectl.core.games.q_poker.state import Phase
from tablectl.rule_tables import shipped
from tests.hil.bench import Outside
from tests.hil.shift import Console, Shift, player_of
from tests.support.broker import private_broker
from tests.support.crash_games import Workbench, workbench
from tests.support.daemon import Daemon, fork_server

STEPS_MOST = 60
DEMO = shipped("tables/q-poker.demo.toml")


@pytest.fixture(name="shift")
def _shift(tmp_path: Path, mosquitto: Path) -> Iterator[Shift]:
    for name in ("run", "broker"):
        (tmp_path / name).mkdir()
    devices = tomllib.loads(DEMO.read_text("utf-8"))["devices"]
    with private_broker(mosquitto, tmp_path / "broker") as broker, workbench(devices, tmp_path / "run", 0) as bench:
        broker.start()
        places = {"paths.state": str(tmp_path / "state"), "paths.runtime": str(tmp_path / "run")}
        daemon = Daemon(fork_server(), DEMO, tmp_path, {"mqtt.url": broker.url, **places})
        daemon.start()
        yield Shift(Console(daemon.port), cast("Outside", bench), random.Random(1))
        daemon.stop()


def test_q_poker_goes_through_all_its_phases_to_settled_round(shift: Shift) -> None:
    player, seen = player_of("q-poker", shift), list[str]()
    shift.begin()
    for _ in range(STEPS_MOST):
        seen.append(str(shift.shown[-1]["phase"]))
        player.next_step(shift.shown[-1])()
        shift.look()
        if shift.shown[-1]["result"]:
            break
    assert list(dict.fromkeys(seen)) == [phase.value for phase in Phase]
    assert shift.shown[-1]["phase"] == "paying"
    assert shift.shown[-1]["result"]["round_id"] == next(one["round_id"] for one in shift.shown if one["round_id"])


def test_q_poker_goes_on_after_shoe_was_away_in_deal(shift: Shift) -> None:
    player, bench = player_of("q-poker", shift), cast("Workbench", shift.bench)
    shift.begin()
    pulled = False
    for _ in range(STEPS_MOST):
        if shift.shown[-1]["phase"] == Phase.DEALING and not pulled:
            pulled = True
            bench.do(lambda now: now.ports["shoe"].unplug())
            shift.wait("the shoe is gone", lambda now: not is_there(now, "shoe"))
            bench.do(lambda now: now.ports["shoe"].plug())
            shift.wait("the shoe is back", lambda now: is_there(now, "shoe"))
            shift.look()
        player.next_step(shift.shown[-1])()
        shift.look()
        if shift.shown[-1]["result"]:
            break
    assert pulled
    assert shift.shown[-1]["result"]


def is_there(state: dict[str, object], name: str) -> bool:
    devices = cast("list[dict[str, object]]", state["devices"])
    return any(one["name"] == name and one["attached"] for one in devices)
