"""What a whole daemon logs: a handful of lines for a round, frames on request, and never a card that lies face down."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import CliRunner

import tablectl
from tablectl.config import load
from tablectl.config.values import Area, Level
from tablectl.features.log import log
from tablectl.rule_tables import shipped
from tests.pages.support import GAMES, Table, at_table
from tests.pages.support_play import in_mid_round
from tests.support.daemon import fork_server
from tests.support.demo import EVENTFUL, evening
from tests.support.patience import PATIENCE_S

A_HANDFUL = 4


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.usefixtures("mosquitto")
def test_round_is_logged_in_a_handful_of_lines(game: str, run_folder: Path) -> None:
    lines = (evening(run_folder, EVENTFUL[game]).folder / "daemon.log").read_text("utf-8").splitlines()
    first, second, *_ = (nth for nth, line in enumerate(lines) if re.search(r"\] opened\b", line))
    said = Counter(word for line in lines[first:second] for word in re.findall(r"\] (opened|settled)\b", line))
    assert said == {"opened": 1, "settled": 1}
    assert second - first <= A_HANDFUL, "\n".join(lines)


def lines_of(table: Table) -> list[dict[str, Any]]:
    text = (table.daemon.folder / "daemon.log").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


async def until(holds: Callable[[], bool], what: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not await asyncio.to_thread(holds):  # noqa: ASYNC110  # looked at from outside
            await asyncio.sleep(0.02)
    assert holds(), what


def turned(table: Table, *words: str) -> str:
    """What `tablectl log` says at this table."""
    text = shipped("tables/q-poker.demo.toml").read_text("utf-8")
    folder = table.daemon.folder
    config = folder / "table.toml"
    config.write_text(text + f'\n[paths]\nstate = "{folder / "state"}"\n', "utf-8")
    result = CliRunner().invoke(log, [*words, "--config", str(config)])
    assert result.exit_code == 0, result.output
    return result.output


async def test_requested_frames_are_logged_without_any_card(tmp_path: Path) -> None:
    async with at_table(fork_server(), tmp_path / "table", "q-poker") as table:
        assert not [line for line in lines_of(table) if line["level"] in {"trace", "debug"}]
        assert await asyncio.to_thread(turned, table, "trace", "drivers") == "drivers is logged from trace on\n"
        await in_mid_round(table)
        await until(
            lambda: sum(line["level"] == "trace" and line["device"] == "shoe" for line in lines_of(table)) >= 4, ""
        )
        assert await asyncio.to_thread(turned, table, "info") == "every area is logged from info on\n"
        log_text = await asyncio.to_thread((table.daemon.folder / "daemon.log").read_text, "utf-8")
    frames = [line["event"] for line in lines_of(table) if line["level"] == "trace"]
    assert frames
    # The cards that were dealt, as the journal, as people and as the shoe write them.
    assert not re.search(r"\b(?:Ks|Qh|Qd|7h)\b|[♠♥♦♣]", log_text)
    assert {line["area"] for line in lines_of(table) if line["level"] == "trace"} == {"drivers"}


async def test_returning_device_is_logged_at_one_level(tmp_path: Path) -> None:
    async with at_table(fork_server(), tmp_path / "table", "q-poker") as table:

        def said() -> list[tuple[str, str]]:
            lines = [line for line in lines_of(table) if line["area"] == "devices" and line["device"] == "shuffler"]
            return [(line["level"], line["event"]) for line in lines]

        await table.bench.unplug("shuffler")
        await until(lambda: said()[-1:] == [("info", "lost")], "the loss")
        await table.bench.plug_in("shuffler")
        await until(lambda: said()[-1:] == [("info", "attached")], "the return")


async def test_start_stop_and_open_round_are_logged_at_info(tmp_path: Path) -> None:
    async with at_table(fork_server(), tmp_path / "table", "q-poker") as table:

        def said(event: str) -> list[dict[str, Any]]:
            return [line for line in lines_of(table) if line["area"] == "table" and line["event"] == event]

        await in_mid_round(table)
        round_id = (await table.state())["round_id"]
        assert [(line["level"], line["table"], line["version"]) for line in said("starting")] == [
            ("info", "demo/q-demo", tablectl.__version__)
        ]
        assert re.fullmatch(r"[0-9a-f]{64}", said("starting")[0]["config"])
        assert not said("recovered")
        assert not said("stopping")
        await table.restart(kill=True)
        assert [(line["round"], line["level"]) for line in said("recovered")] == [(round_id, "info")]
        assert said("recovered")[0]["phase"]
        assert not said("stopping")
        await table.restart()
        assert [line["round"] for line in said("stopping")] == [round_id]
        assert len(said("starting")) == 3


def test_command_without_a_daemon_says_so(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    text = shipped("tables/q-poker.demo.toml").read_text("utf-8")
    config.write_text(text + f'\n[paths]\nstate = "{tmp_path}"\n', "utf-8")
    result = CliRunner().invoke(log, ["debug", "--config", str(config)])
    assert result.exit_code == 1
    assert result.stderr == "tablectl log: no daemon of this table runs\n"


PAGE = Path(__file__).parents[2] / "docs" / "logs.md"


def test_page_shows_configuration_commands_levels_and_areas(tmp_path: Path) -> None:
    text = PAGE.read_text("utf-8")
    (snippet,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    config = tmp_path / "table.toml"
    config.write_text(shipped("tables/q-poker.demo.toml").read_text("utf-8") + "\n" + snippet, "utf-8")
    section = load(config, {}).log
    assert (section.level, dict(section.levels)) == ("info", {"drivers": "trace", "round": "debug"})
    shown = re.findall(r"^tablectl log (.*)$", text, re.MULTILINE)
    assert [log.make_context("log", words.split()).params["level"] for words in shown] == ["trace", "info"]
    named = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert sorted(named) == sorted([*get_args(Level), *get_args(Area)])
