"""`tablectl journal`: whatever a damaged file does comes out as one line."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from tablectl.features.journal.cli import journal
from tests.tools.journal.verifying import change, copied, verify


@pytest.mark.parametrize(
    "spoil",
    [
        shutil.rmtree,
        lambda folder: (folder / "journal.db").unlink(),
        lambda folder: (folder / "journal.db").write_bytes(b"no database" * 1000),
        lambda folder: (folder / "journal.db").write_bytes(b""),
        lambda folder: change(folder, "PRAGMA user_version = 1"),
        lambda folder: (folder / "log.pub").unlink(),
        lambda folder: (folder / "log.pub").write_text("nothing"),
        lambda folder: (folder / "log.pub").write_bytes(b"\xff\xff"),
    ],
)
def test_what_can_not_be_read_is_said_in_one_line(whole: Path, tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    folder = copied(whole, tmp_path / "state")
    spoil(folder)
    result = verify(folder)
    assert (result.exit_code, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", [["verify"], ["export"], ["export", "--format", "csv"], ["since"]])
def test_no_damage_to_the_file_is_more_than_a_line(whole: Path, tmp_path: Path, command: list[str]) -> None:
    folder = copied(whole, tmp_path / "state")
    path = folder / "journal.db"
    content = path.read_bytes()
    chance = random.Random(5)
    found = 0
    for _ in range(120):
        spoilt = bytearray(content)
        at = chance.randrange(len(spoilt))
        spoilt[at : at + 40] = chance.randbytes(min(40, len(spoilt) - at))
        path.write_bytes(spoilt[: chance.choice([len(spoilt), len(spoilt), at])])
        more = ["3"] if command == ["since"] else []
        result = CliRunner().invoke(journal, [command[0], str(folder), *command[1:], *more])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert result.exit_code in {0, 1, 2}
        assert len(result.stderr.splitlines()) <= 1
        found += result.exit_code != 0
    assert found > 20
