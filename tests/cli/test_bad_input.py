"""Whatever a command is given, it says in words what is wrong: no traceback, no library's own message, no silence."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.rule_tables import shipped
from tests.support.kept import played
from tests.support.patience import PATIENCE_S

PROGRAM: Final = (sys.executable, "-m", "tablectl")
FOREIGN: Final = re.compile(
    r"Traceback|pydantic|Error\(|type=|\bNone\b|errno|Errno|codec|String should|Input should|Tuple should"
)

READERS: Final[Mapping[str, str]] = {
    "check-config {}": "66 78",
    "doctor --config {}": "66 78",
    "run --config {}": "66 78",
    "upgrade-check --config {}": "66 78",
    "probe shoe --config {}": "66 78",
    "sim run --config {}": "66 78",
    "bundle --config {} --to new-{}.tar.gz": "0 66",
    "log info --config {}": "2",
    "key show --config {}": "2",
    "key change --config {}": "2",
    "take-over --config {}": "2",
    "recall --config {}": "2",
    "explain 1a2b3c4d-000001 --config {}": "2",
    "case 1 --config {} --to new": "2",
    "bookmark note --config {} --person mei --pin-file pin": "2",
    "void 1a2b3c4d-000001 why --config {} --person mei --pin-file pin": "2",
    "record --config {}": "66 78",
    "decode angel_eye {}": "65",
    "replay {}": "0 65 66",
    "settle {}": "0 1 2",
    "case verify {}": "1 2",
    "bookmark note --url http://127.0.0.1:9 --person mei --pin-file {}": "2",
    "init --site a --table b --game q_poker --yes --config i.toml --state i --after {}": "73 78",
    "journal verify {}": "2",
    "journal verify state --checkpoint {}": "1 2",
    "journal verify state --key {}": "2",
    "journal export {}": "2",
    "journal since {} 0": "2",
    "journal prune {} --keep-days 1": "2",
    "recall --journal {}": "2",
    "explain 1a2b3c4d-000001 --journal {}": "2",
    "case 1 --journal {} --to new": "2",
}
"""A command that reads something, and with what it may end where that isn't what it should be."""

FILES: Final[Mapping[str, bytes | None]] = {
    "missing": None,
    "binary": bytes(range(256)) * 20,
    "empty": b"",
    "text": b"hello\nworld\n",
    "json": b'{"a":\n',
    "deep": b"[" * 100_000,
    "long": b'{"a": ' + b"9" * 5_000 + b"}",
    "marked": b"\xef\xbb\xbf[table]\n",
}

VALUES: Final[Mapping[str, str]] = {
    "explain {} --journal state": "1",
    "case {} --journal state --to new": "1 2",
    "recall {} --journal state": "1",
    "void {} why --url http://127.0.0.1:9": "2",
    "correct {} why --change Ho=1 --url http://127.0.0.1:9": "2",
    "acknowledge {} --url http://127.0.0.1:9 --person mei --pin-file pin": "2",
    "fault {}": "2 64",
    "odds {}": "2",
    "phases {}": "2",
    "decode angel_eye {}": "65",
    "decode {} 0531": "2",
    "probe {} --config q1.toml": "64",
    "sim fault {} --folder here": "1 2",
    "sim unplug {} --folder here": "1",
    "log {} --config q1.toml": "2",
    "completion {}": "2",
    "tail --broker {}": "2",
    "record --listen {}": "78",
    "record --broker {} --listen a/b": "78",
    "record --store {}": "78",
    "record --pin {}": "2 78",
    "record --set tables.listen={}": "78",
    "record --set broker.timeout_s={}": "78",
    "check-config q1.toml --set {}": "2 78",
    "check-config q1.toml --set mqtt.timeout_s={}": "78",
    "bundle --config q1.toml --hours {} --to new.tar.gz": "2",
    "case 1 --minutes {} --journal state --to new": "2",
    "take-over --config q1.toml --timeout {}": "2",
    "detect --listen {}": "2",
    "sim run --config q1.toml --speed {}": "2",
    "demo --game {}": "2",
    "demo --speed {}": "2",
    "demo --rounds {}": "2",
    "demo --irregular {}": "2",
    "demo --broker {}": "2",
    "journal since state {}": "2",
    "journal prune state --before {} --dry-run": "2",
    "journal prune state --keep-days {} --dry-run": "2",
    "monitor --url {} --person mei --pin-file pin": "2",
    "bookmark note --url {} --person mei --pin-file pin": "2",
}

WRONG: Final = ("", "x", "nan", "'; drop table", "\u202e", "../../etc/passwd", "9" * 40 + "x")


@pytest.fixture(name="here")
def _here(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, state: Path) -> Path:
    folder = tmp_path_factory.mktemp("here")
    (folder / "state").symlink_to(state)
    (folder / "here").mkdir()
    (folder / "pin").write_text("1111\n")
    (folder / "q1.toml").write_bytes(shipped("tables/q-poker.example.toml").read_bytes())
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(name="state", scope="module")
def _state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("journal") / "state"
    played(folder, 1)
    return folder


def told(words: list[str], codes: str) -> None:
    """Runs the command; it ends as it may, and says why in words."""
    result = CliRunner().invoke(main, words)
    assert result.exception is None or isinstance(result.exception, SystemExit), (words, result.exception)
    assert str(result.exit_code) in codes.split(), (words, result.exit_code, result.output)
    assert not FOREIGN.search(result.stderr), (words, result.stderr)
    if result.exit_code not in {0, 1}:
        assert result.stderr.strip(), words


@pytest.mark.parametrize("command", READERS)
def test_a_file_that_is_something_else_is_said_in_words(here: Path, command: str) -> None:
    for name, content in FILES.items():
        if content is not None:
            (here / name).write_bytes(content)
        told([word.replace("{}", name) for word in command.split()], READERS[command])
    told([word.replace("{}", "here") for word in command.split()], READERS[command])


DAMAGE: Final[Mapping[str, tuple[str, str]]] = {
    "topic": ("'ev' || CAST(x'ff' AS TEXT)", "1 2"),
    "payload": ('CAST(replace(CAST(payload AS TEXT), \'"stake":"\', \'"stake":"x\') AS BLOB)', "0 1 2"),
    "payload ": ("CAST(replace(CAST(payload AS TEXT), '\"data\":', '\"data') AS BLOB)", "0 1 2"),
}
"""What stands in a column of every event of a damaged journal, and with what commands may end."""


@pytest.mark.parametrize("column", DAMAGE)
def test_a_journal_with_damaged_rows_is_said_in_words(here: Path, state: Path, column: str) -> None:
    shutil.copytree(state, here / "damaged")
    value, codes = DAMAGE[column]
    with closing(apsw.Connection(str(here / "damaged" / "journal.db"))) as journal:
        journal.execute(f"UPDATE event SET {column} = {value}")
    for command in ("recall", "explain 1", "prove 1", "settle", "case 1 --to new"):
        told([*command.split(), "--journal", "damaged"], codes)
    for command in ("verify damaged", "export damaged", "export damaged --of bets", "since damaged 0"):
        told(["journal", *command.split()], codes)


@pytest.mark.parametrize("command", VALUES)
@pytest.mark.usefixtures("here")
def test_a_value_that_means_nothing_is_said_in_words(command: str) -> None:
    for value in WRONG:
        words = [word.replace("{}", value) for word in command.split()]
        told(words, VALUES[command])


def outside(
    command: str, folder: Path, redirect: str, first: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own, its output led somewhere."""
    line = f'{first} "$0" "$@" {redirect}'
    return subprocess.run(
        ["bash", "-c", line, *PROGRAM, *command.split()], cwd=folder, env={**os.environ, **environment},
        capture_output=True, text=True, errors="replace", timeout=PATIENCE_S, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_full_disk_behind_the_output_is_said_in_a_line(here: Path, unbuffered: str) -> None:
    for command in ("fault", "journal export state", "recall --journal state"):
        ended = outside(command, here, ">/dev/full", PYTHONUNBUFFERED=unbuffered)
        name = command.split()[0]
        assert (ended.returncode, ended.stderr) == (74, f"tablectl {name}: No space left on device\n")
    for option in ("--help", "--version"):
        ended = outside(option, here, ">/dev/full", PYTHONUNBUFFERED=unbuffered)
        assert (ended.returncode, ended.stderr) == (74, "tablectl: No space left on device\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", ["settle rounds", "dev schema"])
def test_output_that_is_written_in_part_only_is_told(here: Path, command: str, unbuffered: str) -> None:
    line = '{"game":"q_poker","id":"%s","round":{"dealer":["Qs","7h","2c"],"places":[]}}\n'
    (here / "rounds").write_text(line % ("r" * 5000))
    ended = outside(command, here, ">part", "ulimit -f 4;", PYTHONUNBUFFERED=unbuffered)
    assert (ended.returncode, ended.stderr.count("\n"), "File too large" in ended.stderr) == (74, 1, True)


def test_a_reader_who_leaves_is_no_mistake(here: Path) -> None:
    for command in ("fault", "journal export state", "recall --journal state"):
        ended = outside(command, here, "| true; exit ${PIPESTATUS[0]}")
        assert (ended.returncode in {0, 1, 141}, ended.stderr) == (True, "")


def test_a_closed_output_is_no_traceback(here: Path) -> None:
    for command in ("fault", "journal since state 0", "recall --journal state"):
        assert outside(command, here, ">&-").stderr == ""


def test_a_terminal_without_the_suits_shows_their_numbers(here: Path) -> None:
    (round_id,) = re.findall(r"[0-9a-f]{8}-\d{6}", outside("recall --journal state", here, "").stdout)[:1]
    ended = outside(f"explain {round_id} --journal state --lang zh-Hant", here, "", PYTHONIOENCODING="latin-1")
    assert (ended.returncode, ended.stderr, "\\u2666" in ended.stdout) == (0, "", True)
