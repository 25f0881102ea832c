"""`tablectl journal export --format parquet`: read back, it is what was published."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result

from tablectl.features.journal import parquet
from tablectl.features.journal.cli import journal
from tablectl.history.export import NO_PARQUET
from tests.proof.journals import SECRET, played


def export(folder: Path, *options: str | Path) -> Result:
    return CliRunner().invoke(journal, ["export", str(folder), "--format", "parquet", *map(str, options)])


@pytest.mark.parametrize("batch", [7, 4096])
def test_every_event_is_a_row_with_its_bytes_and_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(parquet, "BATCH", batch)
    events = played(tmp_path / "state", 3)
    result = export(tmp_path / "state", "--to", tmp_path / "events.parquet")
    assert (result.exit_code, result.output) == (0, "")
    table = pyarrow.parquet.read_table(tmp_path / "events.parquet")
    rows = table.to_pylist()
    assert [row["payload"] for row in rows] == [event.payload for event in events]
    assert [row["sequence"] for row in rows] == [event.sequence for event in events]
    for row, event in zip(rows, events, strict=True):
        form = json.loads(event.payload)
        assert row["time"] == datetime.fromisoformat(form["time"]).astimezone(UTC)
        assert (row["id"], row["correlationid"], row["simulated"]) == (form["id"], form.get("correlationid"), True)
        assert row["clockerrus"] is None
    bets = [row["data.bettor"] for row in rows if row["type"].endswith("bet.placed.v1")]
    assert bets == ["=ann"] * 9  # no spreadsheet runs it, so it stays as it is
    assert table.schema.field("sequence").metadata[b"description"] == b"the event's number in its log"


def test_no_fact_is_in_it(tmp_path: Path) -> None:
    played(tmp_path / "state", 3)
    assert export(tmp_path / "state", "--to", tmp_path / "events.parquet").exit_code == 0
    table = pyarrow.parquet.read_table(tmp_path / "events.parquet")
    assert all(SECRET not in bytes(value or b"") for value in table.column("payload").to_pylist())


def test_it_wants_a_file_and_replaces_none(tmp_path: Path) -> None:
    played(tmp_path / "state", 1)
    assert "name it with --to" in export(tmp_path / "state").output
    (tmp_path / "there").write_text("mine")
    refused = export(tmp_path / "state", "--to", tmp_path / "there")
    assert (refused.exit_code, "is there already" in refused.output) == (2, True)
    assert (tmp_path / "there").read_text() == "mine"


def test_without_pyarrow_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played(tmp_path / "state", 1)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = export(tmp_path / "state", "--to", tmp_path / "events.parquet")
    assert (result.exit_code, result.output) == (2, f"tablectl journal: {NO_PARQUET}\n")
    assert list(tmp_path.glob("*events*")) == []
