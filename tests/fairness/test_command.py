"""`tablectl fairness` reads a journal, an export and a recorder's database, and comes to the same."""

import asyncio
import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tablectl import words
from tablectl.cli import main
from tablectl.features.recorder.stores.records import Batch, Event, LogState, Trust
from tablectl.features.recorder.stores.sqlite import SqliteStore
from tablectl.proof.tree import Frontier
from tablectl.words import LANGUAGES
from tablectl.words.terminal import cells
from tests.fairness.spoken import event, lines, spin, throw
from tests.fairness.test_monitor import evening, poker
from tests.support.kept import played

PAGE = Path(__file__).parents[2] / "docs" / "fairness.md"
WHEEL = [event("audit.signed_on.v1", by="mei", role="dealer"), *(spin(7) for _ in range(30))]


def run(source: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["fairness", str(source), *options])


@pytest.fixture
def export(tmp_path: Path) -> Path:
    path = tmp_path / "events.jsonl"
    path.write_text(lines(WHEEL))
    return path


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_stream_is_shown_in_every_language(export: Path, language: str) -> None:
    result = run(export, "--lang", language)
    assert result.exit_code == 0, result.output
    assert "mei" in result.stdout
    assert "fairness." not in result.stdout
    assert max(map(cells, result.stdout.splitlines())) <= 80


def test_all_kinds_of_streams_have_words(tmp_path: Path) -> None:
    bet = {"stake": "1.00", "net": "-1.00"}
    places = [{"place": 1, "bets": [{**bet, "bet": "pair_or_better"}]}]
    dealt = {"status": "settled", "dealer": {"hand": "flush"}, "places": places}
    banker = {"banker": {"natural": "dragon", "rows": ["a"]}}
    other = [
        throw(6, 6, 6),
        event("audit.material_changed.v1", by="mei", kind="dice", name="D-1"),
        throw(1, 1, 1, 1, round_id="r1"),
        event("draw.committed.v1", series="upper", combination=3),
        event("round.settled.v1", game="q_poker", rules={}, settlement=dealt),
        event("round.settled.v1", "r2", game="thirteen_cards", rules={}, settlement=banker),
        event(
            "round.settled.v1",
            "r3",
            game="wheel_of_fortune",
            rules={},
            settlement={"bets": [{**bet, "bet": "symbol_1"}]},
        ),
    ]
    path = tmp_path / "events.jsonl"
    other += [event("wheel.started.v1", round_id="r4", release_rpm=51.5), spin(7, round_id="r4")]
    other += [event("audit.signed_on.v1", by="ana", role="dealer"), *evening(499)]
    other += [each for name in ("p1", "p2") for each in poker(name, "As", "Ks", "Qs", "2h", "3h", "4h")]
    other += [event("round.opened.v1", f"x{nth}") for nth in range(400)]
    path.write_text(lines([*WHEEL, *other]))
    for language in LANGUAGES:
        shown = run(path, "--lang", language).stdout
        assert words.text("fairness.faces_of", language, subject="D-1") in shown
        assert not [
            key for key in ("fairness.", "symbol_1", "pair_or_better", "upper_3", "greater", "voids") if key in shown
        ]
    forms = [json.loads(line) for line in run(path, "--json").stdout.splitlines()]
    assert {form["stream"] for form in forms} == {
        *("sections", "direction", "dealer", "speed", "faces", "sums", "draws", "hands", "naturals"),
        *("returns", "dealer_returns", "wheel_returns", "voids", "amendments", "shuffles"),
    }


def test_a_script_gets_a_line_for_each_stream(export: Path) -> None:
    forms = [json.loads(line) for line in run(export, "--json", "--years", "1", "--tables", "2").stdout.splitlines()]
    assert [(form["stream"], form["subject"]) for form in forms] == [
        ("sections", "2027-01 5eed"),
        ("direction", "2027-01 5eed cw"),
        ("dealer", "mei"),
    ]
    assert forms[0]["table"] == "macau/t1"
    assert (forms[0]["observed"], forms[0]["threshold"], forms[0]["alarmed"]) == (30, "1.681241237", True)
    assert forms[0]["leading"]["outcomes"] == ["7"]
    assert "ALARM" in run(export, "--years", "1", "--lang", "en").stdout


async def record(path: Path, payloads: list[bytes]) -> None:
    """These events of a log, in a recorder's database."""
    store = SqliteStore(path)
    await store.open()
    source = json.loads(payloads[0])["source"]
    at = "2026-11-20T00:00:01.000001Z"
    events = tuple(Event(source, nth, str(nth), "", at, "", each, at) for nth, each in enumerate(payloads, 1))
    state = LogState(source, (), (), 0, Frontier(), 0, None, (), Trust.PINNED, "", None)
    await store.save(Batch(events, (state,)))
    await store.close()


def test_journal_its_export_and_a_recorders_database_say_the_same(tmp_path: Path) -> None:
    folder, exported, database = tmp_path / "state", tmp_path / "export.jsonl", tmp_path / "record.db"
    played(folder, 3)
    assert CliRunner().invoke(main, ["journal", "export", str(folder), "--to", str(exported)]).exit_code == 0
    shown = run(exported, "--json")
    assert shown.exit_code == 0, shown.output
    assert run(folder, "--json").stdout == shown.stdout
    asyncio.run(record(database, exported.read_bytes().splitlines(keepends=True)))
    assert run(database, "--json").stdout == shown.stdout


def test_the_page_shows_commands_that_do_their_work(export: Path) -> None:
    shown = re.findall(r"^\$ tablectl (.*)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(shown) == 3
    for command, source, *options in map(shlex.split, shown):
        assert command == "fairness"
        assert source.startswith(("/var/lib/", "events"))
        assert run(export, *options).exit_code == 0


def test_what_cannot_be_weighed_or_read_is_said(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(lines([event("audit.session_began.v1", by="table")]))
    assert run(path).exit_code == 1
    path.write_text("no event\n")
    assert run(path).exit_code == 2
    assert run(tmp_path).exit_code == 2
    path.write_bytes(b"SQLite format 3\0" + bytes(100))
    assert run(path).exit_code == 2
    assert run(tmp_path / "nowhere").exit_code == 2
