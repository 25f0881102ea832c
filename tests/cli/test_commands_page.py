"""The page of commands: generated from their help, and its exit statuses tried."""

import os
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from scripts import commands_page
from tablectl.cli import main

COMMANDS = dict(commands_page.commands())


def test_page_of_commands_is_generated_from_their_help() -> None:
    assert commands_page.PAGE.read_text("utf-8") == commands_page.page()


@pytest.mark.parametrize("name", COMMANDS)
def test_command_says_its_exit_codes_in_its_help(name: str) -> None:
    printed = CliRunner().invoke(main, [*name.split()[1:], "--help"])
    assert printed.exit_code == 0
    codes = commands_page.codes_of(COMMANDS[name])
    assert 0 in codes
    _, _, said = printed.output.partition("Exit ")
    # Numbers of one or two digits that no letter or digit touches, before the options begin.
    numbers = {int(number) for number in re.findall(r"(?<![\w.-])\d{1,2}(?![\w.-])", said.partition("\nOptions:")[0])}
    assert numbers == set(codes)


@pytest.mark.parametrize("name", COMMANDS)
def test_meaning_of_a_code_is_words(name: str) -> None:
    for meaning in commands_page.codes_of(COMMANDS[name]).values():
        assert re.fullmatch(r"[^\s\d].{2,}", meaning), meaning
        assert "  " not in meaning


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["check-config", "nowhere.toml"], 66),
        (["check-config", "broken.toml"], 78),
        (["dev", "decode", "angel_eye", "zz"], 65),
        (["dev", "replay", "nowhere.jsonl"], 66),
        (["fault", "1"], 64),
        (["journal", "verify", "nowhere"], 2),
        (["recall", "--journal", "nowhere"], 2),
        (["run", "--config", "nowhere.toml"], 66),
        (["run", "--config", "broken.toml"], 78),
        (["probe", "shoe", "--config", "nowhere.toml"], 66),
        (["doctor", "--config", "broken.toml"], 78),
        (["sim", "plug", "shoe", "--folder", "."], 1),
        (["sim", "run", "--config", "nowhere.toml"], 66),
        (["log", "info", "--config", "broken.toml"], 2),
        (["verify", "nowhere", "--key", "ab"], 2),
    ],
)
def test_command_ends_as_the_page_says(
    words: list[str], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.toml").write_text("[table]\n", "utf-8")
    result = CliRunner().invoke(main, words)
    assert result.exit_code == code, result.output
    named = max((name for name in COMMANDS if f"tablectl {' '.join(words)} ".startswith(f"{name} ")), key=len)
    assert code in commands_page.codes_of(COMMANDS[named])


def test_service_starts_again_after_the_codes_that_the_page_names() -> None:
    unit = Path(commands_page.__file__).parents[1] / "systemd" / "tablectl@.service"
    (stays,) = re.findall("^RestartPreventExitStatus=(.*)$", unit.read_text("utf-8"), re.MULTILINE)
    page = commands_page.PAGE.read_text("utf-8")
    tried = {int(code) for code in re.findall(r"^\| (\d\d) \|", page, re.MULTILINE)}
    (named,) = re.findall(r"After (.*) the service waits", page)
    assert {int(code) for code in re.findall(r"\d+", named)} == {int(code) for code in stays.split()}
    assert tried | {0, *map(int, stays.split())} == set(commands_page.codes_of(COMMANDS["tablectl run"]))


def test_constants_of_the_system_mean_what_the_page_says() -> None:
    assert (os.EX_USAGE, os.EX_DATAERR, os.EX_NOINPUT, os.EX_UNAVAILABLE, os.EX_CONFIG) == (64, 65, 66, 69, 78)


def test_every_command_that_a_script_reads_speaks_json() -> None:
    # The others print what is already for programs, write files, or only do something.
    for_people = """
        bundle; case; completion; dev decode; demo; floor serve; floor up; help; init; journal export; journal
        prune; journal since; key change; log; monitor; pin; prove; record; record archive; record check-archive;
        dev replay; dev rig acquire; dev rig compare; dev rig places; dev rig release; dev rig run; run; settle; sim
        clear; sim deal; sim draw; sim fault; sim packet; sim plug; sim run; sim spin; sim throw; sim unplug;
        subscriber add; subscriber remove; take-over; restore; version; witness key; witness serve
    """
    silent = {name for name, command in COMMANDS.items() if not _speaks_json(command)}
    assert silent == {f"tablectl {' '.join(name.split())}" for name in for_people.split(";")}


def _speaks_json(command: click.Command) -> bool:
    return any("--json" in parameter.opts for parameter in command.params)


@pytest.mark.parametrize("name", ["tablectl", *COMMANDS])
def test_no_summary_of_a_command_is_cut_at_80_columns(name: str) -> None:
    printed = CliRunner().invoke(main, [*name.split()[1:], "--help"], terminal_width=80)
    assert "..." not in printed.output.partition("\nCommands:")[2]


@pytest.mark.parametrize("name", COMMANDS)
def test_summary_is_a_short_sentence_that_says_what_command_does(name: str) -> None:
    summary = COMMANDS[name].get_short_help_str(200)
    assert re.match(r"[A-Z][a-z]+s ", summary)
    assert len(summary) <= 60
    if name.count(" ") == 1:
        assert len(summary) <= 45
