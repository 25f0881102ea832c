"""No page shows a command or a configuration that nobody tried: it is run here, by another test, or has a reason."""

import re
import shlex
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import click
import pytest

from tablectl.cli import main
from tablectl.config import load
from tablectl.rule_tables import shipped
from tests.docs.machine import Machine, machine
from tests.docs.pages import ROOT, blocks, commands, pages
from tests.support.broker import private_broker
from tests.support.demo import PLAIN, evening

ELSEWHERE: Final[Mapping[str, str]] = {
    "docs/console-api.md": "tests/console/test_documentation.py",
    "docs/fairness.md": "tests/fairness/test_command.py",
    "docs/floor.md": "tests/reader/test_record_floor_page.py",
    "docs/rig.md": "tests/testing/test_page.py",
    "docs/surveillance.md": "tests/tools/test_surveillance_docs.py",
    "docs/testing.md": "tests/testing/test_page.py",
}
"""Pages with a test of their own, which runs their commands."""

OTHER_FORMS: Final = ("docs/floor.md", "docs/rig.md", "docs/scenarios.md", "docs/testing.md", "docs/witness.md")
"""Pages whose TOML is no table's: a recorder's, a rig's, a scenario, a witness's; the tests of those load it."""

NOT_RUN: Final[Mapping[str, str]] = {
    r"make run": "tests/docs/test_first_round.py runs it in a fresh clone",
    r"make test": "it is what runs this test",
    r"tablectl demo$": "it plays until Ctrl-C; tests/docs/test_first_day.py ends it",
    r"tablectl init$": "it asks; tests/tools/test_init.py answers at a terminal",
    r"tablectl run ": "it runs until it is told to stop; every table of these tests is started with it",
    r"tablectl tail ": "it follows until Ctrl-C; tests/reader/test_tail.py ends it",
    r"tablectl monitor ": "it is a screen with keys; its own tests press them",
    r"tablectl record ": "it needs a database; docs/floor.md's own test has one",
    r"tablectl floor serve ": "it needs a recorder; tests/pages/test_floor.py has one",
    r"tablectl floor up": "it goes on until it is stopped; tests/floor/test_trial.py stops one",
    r"tablectl witness ": "tests/daemon/test_witnesses.py has one at work",
    r"tablectl (prove|verify) .*cosigned.txt": "tests/daemon/test_witnesses.py goes this way",
    r"tablectl case .*(cosigned|policy).txt": "tests/tools/test_case_witnessed.py goes this way",
    r"tablectl detect": "it opens every port of the machine; tests/daemon/test_detect.py gives it ports",
    r"tablectl key change": "it changes the table for all other commands; tests/daemon/test_key_change.py has its own",
    r"tablectl correct ROUND": "docs/roles/dealer.md has it whole, and it is run there",
    r"tablectl take-over": "it takes two controllers; tests/daemon/test_take_over.py has them",
    r"tablectl sim run": "it runs until it is told to stop; every table of these tests has its devices from it",
    r"tablectl log ": "it is run on the roles' pages; here another test would see its log turned up",
    r"tablectl doctor ": "it is run on the roles' pages; here another test may have brought a fault about",
    r"tablectl pin$": "it asks for the PIN at a terminal; tests/console/test_pin_command.py answers",
    r"tablectl probe wheel": "this table has no wheel; tests/cli/test_probe.py has one",
    r"tablectl dev decode link --kind shuffler 00 05 01 04 …": "a frame cut short; the firmware's page has a whole one",
    r"pip install|apt(-get)? install|install -m|cc -std": "changes the machine; its package is tried in tests/systemd",
    r"systemctl|systemd-creds|udevadm|journalctl": "needs systemd; tests/systemd has the unit and the package",
    r"mosquitto_rr": "tests/mqtt/test_requests.py makes the same request",
    r"mosquitto_(sub|pub) ": "needs a broker with this page's users; tests/contract speaks to one as they do",
    r"python3 (validate|complete)\.py": "tests/cli/test_schema.py and test_record_floor_page.py run the programs",
    r"tablectl verify-program|python3 (-I )?program_check\.py": "needs an installed package; tests/program has one",
    r"RELEASE_KEY=": "builds a package; tests/systemd/test_package.py does",
    r"openssl genpkey": "makes the release key; a build's test has its own, see tests/systemd/test_package.py",
    r"T=tablectl": "a name for the next lines",
}
"""Commands that aren't run here, by how they begin, and why not."""

STANDS_FOR: Final[Mapping[str, str]] = {
    "--site … --table …": "--site macau --table q1",
    "--config …": "--config /etc/tablectl/q1.toml",
    "--folder …": "--folder /run/tablectl",
    "--folder DIR": "--folder /run/tablectl",
    "--to FOLDER": "--to case",
    "--to FILE.tar.gz": "--to q1.tar.gz",
    " ROUND": " 1a2b3c4d-000002",
    "1a2b3c4d-17": "1a2b3c4d-000002",
    "PROTOCOL HEX": "angel_eye 05314481b8033446",
    "successor.toml": str(shipped("rules/football_poker.41-2003.toml")),
    "links-000003-shoe.jsonl": "$(ls capture/links-*-shoe.jsonl | head -n 1)",
    "prune /var/lib/tablectl/q1": "prune copy",
    "q1 4020": "q1 4",
    "sha256:9f86d08…": "$(tablectl key show --config /etc/tablectl/q1.toml)",
}
"""What a page says in general, and what it is here."""

PREPARED: Final = """
cp -r /var/lib/tablectl/q1 copy
cp -r copy/capture capture
tablectl dev replay $(ls capture/links-*-shoe.jsonl | head -n 1) --no-times > expected.txt
python3 -c 'import sqlite3
found = sqlite3.connect("copy/journal.db").execute("SELECT value FROM meta WHERE key = ?", ("checkpoint",))
print(found.fetchone()[0], end="")' > q1.2026-11-20.txt
tablectl prove 1a2b3c4d-000002 --config /etc/tablectl/q1.toml --checkpoint q1.2026-11-20.txt --to round-17.json
"""
"""What a reader who comes to the command has already."""


def here(command: str) -> str:
    """The command with something particular in the place of what it says in general."""
    for general, special in STANDS_FOR.items():
        command = command.replace(general, special)
    return command


def shown() -> list[tuple[str, str]]:
    """Page and command, of all that no other test runs."""
    rest = {name: text for name, text in pages().items() if name not in ELSEWHERE and "/roles/" not in name}
    return [(name, command) for name, text in rest.items() for command in dict.fromkeys(commands(text))]


def of_ours() -> list[str]:
    """Every command of this program, on whatever page."""
    every = dict.fromkeys(command for text in pages().values() for command in commands(text))
    return [command for command in every if command.startswith("tablectl ")]


def is_run(command: str) -> bool:
    return not any(re.match(begin, command) for begin in NOT_RUN)


@pytest.fixture(scope="module", name="table")
def _table(tmp_path_factory: pytest.TempPathFactory, run_folder: Path, mosquitto: Path) -> Iterator[Machine]:
    folder = tmp_path_factory.mktemp("table")
    for name in ("broker", "machine"):
        (folder / name).mkdir()
    with private_broker(mosquitto, folder / "broker") as broker:
        broker.start()
        with machine(evening(run_folder, PLAIN).folder / "state", folder / "machine", broker) as made:
            yield made


@pytest.fixture(scope="module", name="prepared")
def _prepared(table: Machine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    table.script(PREPARED, folder)
    rounds = (ROOT / "tests" / "cli" / "golden" / "q_poker.in.jsonl").read_text("utf-8").splitlines()
    (folder / "round.jsonl").write_text(rounds[0])
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("page", "command"), [each for each in shown() if is_run(each[1])])
def test_a_command_on_a_page_does_its_work(
    page: str, command: str, table: Machine, prepared: Path, tmp_path: Path
) -> None:
    home = shutil.copytree(prepared, tmp_path / "home")
    for new in ("--to round-17.json", "> expected.txt"):
        if command.endswith(new):
            (home / new.split()[1]).unlink()
    table.script(here(command), home)


@pytest.mark.parametrize("command", of_ours())
def test_a_command_on_a_page_is_one(command: str) -> None:
    line = re.sub(r"\s*(\|\||\||>|<|&$|;).*$", "", re.sub(r"\$\(.*?\)", "x", here(command)))
    words = shlex.split(line)[1:]
    at: click.Command = main
    while isinstance(at, click.Group) and words and not words[0].startswith("-"):
        inner = at.get_command(click.Context(at), words.pop(0))
        assert inner is not None, command
        at = inner
    at.make_context("tablectl", words)


def test_each_reason_is_of_a_command_that_a_page_shows() -> None:
    every = [command for text in pages().values() for command in commands(text)]
    assert [begin for begin in NOT_RUN if not any(re.match(begin, each) for each in every)] == []


def test_the_tests_that_run_other_pages_speak_of_them() -> None:
    assert [page for page, test in ELSEWHERE.items() if Path(page).name not in (ROOT / test).read_text()] == []
    named = {path for reason in NOT_RUN.values() for path in re.findall(r"tests/[\w/]+(?:\.py)?", reason)}
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (name, block.text)
        for name, text in pages().items()
        for block in blocks(text)
        if (block.language == "toml" or block.text.startswith("[")) and name not in OTHER_FORMS
    ],
)
def test_a_configuration_on_a_page_is_one(page: str, text: str, tmp_path: Path) -> None:
    """Laid over a table that there is: a key of the page takes the place of the table's."""
    whole = shipped("tables/q-poker.example.toml").read_text("utf-8")
    for name in re.findall(r"^\[(.*?)\]", text, re.MULTILINE):
        whole = re.sub(rf"^\[{re.escape(name)}\]\n(?:(?!\[).*\n)*", "", whole, flags=re.MULTILINE)
    (tmp_path / "table.toml").write_text(f"{whole}\n{text}")
    assert tomllib.loads(text)
    load(tmp_path / "table.toml", {})
