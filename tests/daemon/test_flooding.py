"""A whole daemon whose shoe reports without end in the middle of a deal."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

from tablectl.journal.reading.reader import open_reader
from tests.support.feed import Feed
from tests.support.live_table import CARDS, Table
from tests.support.shoe import Shoe

FLOODS, GAP = 114, 107
REPORTS = 2000


def test_flooding_shoe_fills_no_journal_and_doubts_the_deal(table: Table, shoe: Shoe, tmp_path: Path) -> None:
    table.begin()
    table.open()
    table.deal(CARDS[:2])
    for _ in range(REPORTS):
        shoe.report(b"P")
    Feed.until(lambda: (standing := table.fault(GAP)) is not None and not standing["present"])
    state = table.daemon.state()
    assert (state["round"]["count_due"], table.lying()) == (True, 2)
    assert [item["present"] for item in state["faults"] if item["code"] == FLOODS] == [False]
    table.ask("count_cards", count=2)
    table.deal(CARDS[2:])
    table.show()
    table.daemon.stop()
    bodies = noted(tmp_path / "state")
    left_out = REPORTS - sum(body["fact"] == "device_noted" for body in bodies)
    told = [body["body"]["detail"] for body in bodies if body["body"].get("code") == GAP and "detail" in body["body"]]
    assert told == ["it sends more than can be stored", f"{left_out} reports left out: too many at once"]
    assert REPORTS - left_out < 1024 + 256 + 100


def noted(folder: Path) -> list[dict[str, Any]]:
    """What the journal has of the shoe."""
    with closing(open_reader(folder)) as reader:
        return [form for row in reader.records() if (form := json.loads(row.body))["source"] == "shoe"]
