"""`tablectl journal export` and `since`: published events to the byte, and nothing else."""

import csv
import io
import json
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tablectl.core.amending.counted_round import WITHIN_REACH
from tablectl.core.protocols import StoredEvent
from tablectl.features.journal.cli import journal
from tablectl.history.export import ENVELOPE, _harmless
from tablectl.journal.journal import open_journal
from tablectl.journal.records import Record
from tests.proof.journals import SECRET, Play, played


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(journal, [str(each) for each in arguments])


def test_lines_are_the_published_bytes(tmp_path: Path) -> None:
    events = played(tmp_path / "state", 3)
    result = run("export", tmp_path / "state")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout_bytes.split(b"\n") == [*(event.payload for event in events), b""]


def test_since_gives_what_follows_a_number(tmp_path: Path) -> None:
    events = played(tmp_path / "state", 3)
    for number in (0, 5, 27, 28, 1000):
        result = run("since", tmp_path / "state", str(number))
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout_bytes == b"".join(event.payload + b"\n" for event in events[number:])


def test_no_fact_leaves_the_journal(tmp_path: Path) -> None:
    played(tmp_path / "state", 3)
    for arguments in (("export",), ("export", "--format", "csv"), ("since",)):
        more = ("0",) if arguments == ("since",) else ()
        result = run(arguments[0], tmp_path / "state", *arguments[1:], *more)
        assert result.exit_code == 0
        assert result.stdout_bytes
        assert SECRET not in result.stdout_bytes
    assert SECRET in (tmp_path / "state" / "journal.db").read_bytes()


def test_table_has_a_row_per_event_and_its_schema(tmp_path: Path) -> None:
    events = played(tmp_path / "state", 2)
    target = tmp_path / "events.csv"
    assert run("export", tmp_path / "state", "--format", "csv", "--to", target).exit_code == 0
    rows = list(csv.DictReader(io.StringIO(target.read_text("utf-8"), newline="")))
    assert [int(row["sequence"]) for row in rows] == [event.sequence for event in events]
    for row, event in zip(rows, events, strict=True):
        form = json.loads(event.payload)
        assert (row["id"], row["type"], row["correlationid"]) == (
            form["id"],
            form["type"],
            form.get("correlationid", ""),
        )
        assert row["simulated"] == "true"
    settled = rows[-1]
    assert json.loads(settled["data.settlement"])["house"] == "300.00"
    assert {row["data.text.zh-Hant"] for row in rows} == {"", "牌靴失聯"}
    schema = json.loads((tmp_path / "events.csv-metadata.json").read_text("utf-8"))
    assert schema["url"] == "events.csv"
    columns = [column["name"] for column in schema["tableSchema"]["columns"]]
    assert columns == list(rows[0])
    assert columns[: len(ENVELOPE)] == list(ENVELOPE)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--since", "2026-11-20"), "--since and --until go with --of rounds or --of bets"),
        (("--of", "rounds", "--until", "yesterday"), "yesterday is no day or time such as 2026-11-20"),
        (("--of", "bets", "--since", "2026-11-21", "--until", "2026-11-20"), "--until has to be later than --since"),
        (("--of", "rounds", "--format", "parquet"), "--of rounds writes csv only"),
    ],
)
def test_times_that_cant_be_used_are_a_usage_error(tmp_path: Path, options: tuple[str, ...], why: str) -> None:
    played(tmp_path / "state", 1)
    result = run("export", tmp_path / "state", *options)
    assert (result.exit_code, why in result.stderr) == (2, True)


def test_a_correction_after_hundreds_of_rounds_counts(tmp_path: Path) -> None:
    bets = [{"bettor": "ann", "bet": "b", "stake": "100.00", "outcome": "win", "net": "95.00", "commission": "5.00"}]
    settled = {"settlement": {"bets": bets}}
    corrected = {"house": "-30.00", "by_hand": True}
    numbers = range(1, WITHIN_REACH + 3)
    events = [one for nth in numbers for one in ((nth, "opened", {"game": "q_poker"}), (nth, "settled", settled))]
    forms = [
        {"id": f"e-{n}", "type": f"mo.tablectl.round.{kind}.v1", "correlationid": f"a-{nth}", "time": "t", "data": data}
        for n, (nth, kind, data) in enumerate([*events, (1, "corrected", corrected)], 1)
    ]
    with closing(open_journal(tmp_path)) as opened:
        stored = (StoredEvent(n, "event/round", json.dumps(form).encode()) for n, form in enumerate(forms, 1))
        opened.append([Record(n, 0, b"", (event,)) for n, event in enumerate(stored, 1)])
    result = run("export", tmp_path, "--of", "rounds")
    first, *others = csv.DictReader(io.StringIO(result.stdout, newline=""))
    assert (first["by_hand"], first["win"]) == ("-30.00", "-125.00")
    assert {(row["by_hand"], row["win"]) for row in others} == {("0.00", "-95.00")}
    assert f"rounds: {len(numbers)}" in result.stderr


def test_no_typed_text_becomes_a_formula_in_a_spreadsheet(tmp_path: Path) -> None:
    played(tmp_path / "state", 1)
    result = run("export", tmp_path / "state", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout, newline="")))
    assert {row["data.bettor"] for row in rows} == {"", "'=ann"}


@pytest.mark.parametrize(
    "cell", ["=1+1", "\uff1d1+1", "\uff0b1", "\uff0da", "\uff20x", " =1", "\u3000=1", "\t=1", f"{' ' * 20}=1", "\n=1"]
)
def test_cell_in_which_a_spreadsheet_sees_a_formula_is_marked(cell: str) -> None:
    assert _harmless(cell) == f"'{cell}"


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    played(tmp_path / "state", 1)
    before = (tmp_path / "state" / "journal.db").read_bytes()
    result = run("export", tmp_path / "state", "--to", tmp_path / "state" / "journal.db")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert "is there already" in result.stderr
    assert (tmp_path / "state" / "journal.db").read_bytes() == before
    assert run("export", tmp_path / "state", "--to", tmp_path / "no" / "where").exit_code == 2


def test_event_spanning_lines_is_not_exported_as_another(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path)) as opened:
        opened.append([Record(1, 0, b"", (StoredEvent(1, "event/card", b"two\nlines"),))])
    target = tmp_path / "events.jsonl"
    result = run("export", tmp_path, "--to", target)
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert "event 1 has a line end" in result.stderr
    assert not target.exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []


@pytest.mark.parametrize("payload", [b"no event", b"[]", b'{"sequence": "x"}', b'{"sequence": "0000000000000002"}'])
def test_an_event_that_is_none_is_said_in_a_line(tmp_path: Path, payload: bytes) -> None:
    with closing(open_journal(tmp_path)) as opened:
        opened.append([Record(1, 0, b"", (StoredEvent(1, "event/card", payload),))])
    result = run("export", tmp_path, "--format", "csv")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


def test_the_journal_of_a_table_at_work_is_exported(tmp_path: Path) -> None:
    played(tmp_path, 1)
    with closing(open_journal(tmp_path)) as opened:
        play = Play(opened, record=opened.last_record, sequence=opened.last_sequence)
        play.round("at-work", over=False)
        result = run("since", tmp_path, "10")
        assert result.stdout_bytes == b"".join(event.payload + b"\n" for event in play.events)
        play.round("later")


def test_an_empty_journal_has_no_lines(tmp_path: Path) -> None:
    open_journal(tmp_path).close()
    assert run("export", tmp_path).stdout_bytes == b""
    assert run("export", tmp_path, "--format", "csv").stdout.splitlines() == [",".join(ENVELOPE)]
