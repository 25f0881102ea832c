"""`tablectl bookmark` and `acknowledge`: what a person does at a table at work by command, in their own name."""

import asyncio
import json
from contextlib import closing
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from tablectl.core.facts import Bookmarked, FaultRaised
from tablectl.core.facts.table_requests import FaultAcknowledged
from tablectl.core.faults import Code
from tablectl.core.money import utc_text
from tablectl.features.bookmark import acknowledge, bookmark
from tablectl.journal.reading.ranges import events_between, records_between
from tablectl.journal.reading.reader import open_reader
from tablectl.rule_tables import shipped
from tests.console.rig import PINS, House, house
from tests.support.kept import played


async def run(here: House, folder: Path, command: click.Command, person: str, *words: str, pin: str = "") -> Result:
    """The command in a thread, as a process of its own would be."""
    path = folder / "pin"
    await asyncio.to_thread(path.write_text, f"{pin or PINS.get(person, '0000')}\n")
    given = [*words, "--url", here.url, "--person", person, "--pin-file", str(path)]
    return await asyncio.to_thread(CliRunner().invoke, command, given)


async def test_a_bookmark_is_recorded_in_the_persons_name(tmp_path: Path) -> None:
    async with house() as here:
        result = await run(here, tmp_path, bookmark, "eve", "look at place 3")
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout == f"recorded as {here.table.table.records}\n"
        fact = here.table.facts[-1]
        assert (fact.body, fact.by) == (Bookmarked("look at place 3"), "eve")


async def test_a_bookmark_marks_the_event_that_is_named(tmp_path: Path) -> None:
    async with house() as here:
        await run(here, tmp_path, bookmark, "eve", "the first one", "--sequence", "1")
        assert here.table.facts[-1].body == Bookmarked("the first one", 1)


async def test_a_fault_is_acknowledged_by_who_may(tmp_path: Path) -> None:
    async with house() as here:
        here.table.report(FaultRaised(Code.LINK_LOST, "shoe"))
        number = str(int(Code.LINK_LOST))
        result = await run(here, tmp_path, acknowledge, "tom", number, "--device", "shoe")
        assert result.exit_code == 0, result.output
        assert here.table.facts[-1].body == FaultAcknowledged(Code.LINK_LOST, "shoe")


@pytest.mark.parametrize(
    ("person", "pin", "words", "code", "said"),
    [
        ("eve", "9999", ("note",), 2, "the name or the PIN is wrong"),
        ("nobody", "", ("note",), 2, "the name or the PIN is wrong"),
    ],
)
async def test_what_can_not_be_asked_is_said_in_a_line(
    tmp_path: Path, person: str, pin: str, words: tuple[str, ...], code: int, said: str
) -> None:
    async with house() as here:
        result = await run(here, tmp_path, bookmark, person, *words, pin=pin)
        assert (result.exit_code, len(result.stderr.splitlines())) == (code, 1)
        assert said in result.stderr


async def test_what_came_of_it_is_said_to_a_script(tmp_path: Path) -> None:
    async with house() as here:
        result = await run(here, tmp_path, bookmark, "eve", "look at place 3", "--json")
        assert json.loads(result.stdout) == {"record": here.table.table.records}
        result = await run(here, tmp_path, acknowledge, "sam", "801", "--lang", "pt", "--json")
        assert (result.exit_code, json.loads(result.stdout)["refused"]) == (1, "table")


async def test_a_refusal_has_its_article_and_text(tmp_path: Path) -> None:
    async with house() as here:
        result = await run(here, tmp_path, acknowledge, "sam", "801", "--lang", "pt")
        assert result.exit_code == 1
        assert "recusado (table): pt:" in result.stderr


def test_a_table_that_is_not_there_is_said(tmp_path: Path) -> None:
    (tmp_path / "pin").write_text("1111\n")
    given = ["note", "--url", "http://127.0.0.1:9", "--person", "eve", "--pin-file", str(tmp_path / "pin")]
    result = CliRunner().invoke(bookmark, given)
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert "nobody listens at" in result.stderr
    result = CliRunner().invoke(bookmark, ["note", "--person", "eve"])
    assert (result.exit_code, "which table?" in result.stderr) == (2, True)


def test_the_pin_is_asked_for_and_not_shown() -> None:
    result = CliRunner().invoke(bookmark, ["note", "--url", "http://127.0.0.1:9", "--person", "eve"], input="4444\n")
    assert "PIN" in result.output
    assert "4444" not in result.output


def test_bookmark_at_a_time_names_its_event_before_asking(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    played(folder)
    with closing(open_reader(folder)) as reader:
        (row,) = events_between(reader, 10, 10)
        stored_us = next(each.recorded_us for each in records_between(reader, row.record, row.record))
    config = tmp_path / "table.toml"
    text = shipped("tables/q-poker.demo.toml").read_text("utf-8").replace("127.0.0.1:0", "127.0.0.1:9")
    config.write_text(text + f'\n[paths]\nstate = "{folder}"\n', "utf-8")
    (tmp_path / "pin").write_text("1111\n")
    given = ["note", "--config", str(config), "--person", "mei", "--pin-file", str(tmp_path / "pin")]
    result = CliRunner().invoke(bookmark, [*given, "--at", utc_text(stored_us)])
    assert result.stderr.splitlines()[0].startswith("event 10 is meant, stored at 20")
    assert "nobody listens" in result.stderr
    result = CliRunner().invoke(bookmark, [*given, "--at", "2001-01-01T00:00:00Z"])
    assert (result.exit_code, "no event as early" in result.stderr) == (1, True)


@pytest.mark.parametrize("words", [("--at", "noon"), ("--at", "2026-11-20T14:03:07"), ("--sequence", "3", "--at", "x")])
def test_time_that_cant_be_used_is_refused(words: tuple[str, ...]) -> None:
    result = CliRunner().invoke(bookmark, ["note", "--url", "http://127.0.0.1:9", "--person", "eve", *words])
    assert result.exit_code == 2
    assert "--at" in result.stderr or "no time" in result.stderr
