"""A live table's figures for Prometheus, and the alert rules and the dashboard that go by them."""

import json
import re
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tablectl.console.openmetrics import CONTENT_TYPE
from tablectl.features.recorder.ingest import Tally
from tablectl.features.recorder.status import families
from tests.support.broker import Broker
from tests.support.daemon import Daemon
from tests.support.feed import Feed
from tests.support.live_table import Table, daemon_at
from tests.support.openmetrics import Read, read
from tests.support.patience import PATIENCE_S
from tests.support.shoe import Shoe

FLOOR = Path(__file__).parents[2] / "config" / "floor"
PLACE = {"site": "demo", "table": "q-demo"}


@pytest.fixture(name="daemon")
def _daemon(broker: Broker, tmp_path: Path) -> Iterator[Daemon]:
    daemon = daemon_at(broker, tmp_path, **{"console.metrics": "true"})
    yield daemon
    daemon.kill()


def scraped(daemon: Daemon) -> dict[str, Read]:
    with urllib.request.urlopen(f"http://127.0.0.1:{daemon.port}/metrics", timeout=PATIENCE_S) as answer:
        assert answer.headers["Content-Type"] == CONTENT_TYPE
        return read(answer.read().decode())


def series(scrape: Mapping[str, Read]) -> set[tuple[str, object]]:
    return {(name, key) for name, family in scrape.items() for key in family.samples}


def faulty(scrape: Mapping[str, Read]) -> set[str]:
    return {dict(labels)["device"] for _, labels in scrape["tablectl_faults"].samples}


def test_tables_figures_follow_its_play_and_their_labels_stay_same(table: Table, shoe: Shoe) -> None:
    table.begin()
    table.play()
    before = scraped(table.daemon)
    for _ in range(5):
        table.play()
    Feed.until(lambda: scraped(table.daemon)["tablectl_rounds"].value("_total", end="settled", **PLACE) == 6)
    Feed.until(lambda: not scraped(table.daemon)["tablectl_events_behind"].value(**PLACE))
    after = scraped(table.daemon)
    assert series(after) == series(before)
    assert after["tablectl_state"].value(tablectl_state="degraded", **PLACE) == 1  # no shuffler is there
    assert after["tablectl_phase"].value(tablectl_phase="idle", **PLACE) == 1
    assert after["tablectl_mqtt_connected"].value(**PLACE) == 1
    assert after["tablectl_events_acknowledged"].value("_total") == after["tablectl_events_stored"].value("_total") > 50
    assert after["tablectl_commit_seconds"].value("_count") > before["tablectl_commit_seconds"].value("_count")
    assert after["tablectl_device_frames"].value("_total", device="shoe") > 36
    shown = json.dumps([str(each) for each in series(after)])
    assert not re.search(r"\bann\b|\bana\b", shown), "a person is named"

    shoe.unplug()
    Feed.until(lambda: faulty(scraped(table.daemon)) == faulty(after) | {"shoe"})
    assert "shoe" not in faulty(after)
    assert scraped(table.daemon)["tablectl_device_attached"].value(device="shoe") == 0
    shoe.link.unlink()
    shoe.plug()


def test_alerts_and_dashboard_ask_only_for_figures_that_exist(table: Table) -> None:
    table.begin()
    known = {*scraped(table.daemon), *(family.name for family in families([], Tally(), "1"))}
    known |= {f"{name}{end}" for name in known for end in ("_total", "_bucket", "_count", "_sum", "_info")}
    for file in ("alerts.yml", "dashboard.json"):
        asked = set(re.findall(r"\b(?:tablectl|process)_[a-z_]+", "\n".join(expressions(FLOOR / file))))
        assert asked, file
        states = {"tablectl_state", "tablectl_phase"}
        assert asked <= known | states, (file, asked - known)


def test_every_alert_has_a_severity_and_says_what_to_do() -> None:
    rules = [rule for group in _yaml(FLOOR / "alerts.yml")["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules) > 5
    for rule in rules:
        assert rule["labels"]["severity"] in {"page", "ticket"}, rule["alert"]
        assert {"summary", "action"} <= set(rule["annotations"]), rule["alert"]


def expressions(file: Path) -> list[str]:
    """The queries in a file of rules or in a dashboard."""
    if file.suffix == ".yml":
        return [rule["expr"] for group in _yaml(file)["groups"] for rule in group["rules"]]
    board = json.loads(file.read_text())
    return [target["expr"] for panel in board["panels"] for target in panel["targets"]]


def _yaml(file: Path) -> Any:
    return yaml.safe_load(file.read_text())


def test_a_round_that_was_open_again_is_counted_once(table: Table) -> None:
    agrees = {"person": "rui", "pin": "2222"}
    table.begin()
    table.open()
    table.deal()
    state = table.daemon.state()
    round_id = state["round_id"]
    table.ask("void_round", reason="meant for the next table", second=agrees)
    records = table.daemon._call("GET", f"/v1/rounds/{round_id}/records")
    (void,) = (each["record"] for each in records["records"] if each["verb"] == "void_round")
    struck = [{"record": void, "to": None}]
    about = {"round_id": round_id, "seen": records["seen"], "reason": "it was this one", "second": agrees}
    table.daemon.ask("amend", "open-again", changes=struck, **about)
    table.show()
    table.play()
    Feed.until(lambda: scraped(table.daemon)["tablectl_rounds"].value("_total", end="settled", **PLACE))
    Feed.until(lambda: not scraped(table.daemon)["tablectl_events_behind"].value(**PLACE))
    rounds = scraped(table.daemon)["tablectl_rounds"]
    assert [rounds.value("_total", end=end, **PLACE) for end in ("settled", "void")] == [1, 1]
