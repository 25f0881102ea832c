"""Who held a journal's lock before: the broker isn't asked for a session that is known to be over."""

import shutil
from pathlib import Path

import pytest

from tablectl.daemon.lifecycle import HOLDER, last_holder, name_holder
from tablectl.journal.database import lock


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    """A state folder in which a session was."""
    folder = tmp_path / "state"
    lock(folder).close()
    name_holder(folder, "boot", "s1")
    return folder


def test_who_held_the_lock_before_is_known(folder: Path) -> None:
    assert last_holder(folder, "boot") == "s1"


def test_copy_of_the_folder_knows_nobody_who_is_over(folder: Path) -> None:
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    assert last_holder(copy, "boot") == ""


def test_nobody_of_another_boot_is_known_to_be_over(folder: Path) -> None:
    assert last_holder(folder, "another") == ""


@pytest.mark.parametrize("content", [b"", b"s1", b"\xff", b"boot 1 2"])
def test_a_spoilt_note_names_nobody(folder: Path, content: bytes) -> None:
    (folder / HOLDER).write_bytes(content)
    assert last_holder(folder, "boot") == ""
