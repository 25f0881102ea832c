"""Files written in a folder that somebody else owns: no link is followed, and there is one writer for all."""

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import tablectl
from tablectl.daemon.host.log import leave_request
from tablectl.daemon.signing.keys import public_key
from tablectl.history.export import ExportError, write_new
from tablectl.journal.database import JournalError, lock
from tablectl.journal.files import give_to, new_file, opened_folder, write_new_folder, write_whole
from tablectl.journal.journal import open_journal

HOME = Path(tablectl.__file__).parent
SAFE = {
    "journal/files.py": "the writer itself",
    "testing": "for tests, as the tester",
    "features/demo": "in a folder of its own that nobody else may enter",
    "features/sim": "in a folder of its own that nobody else may enter",
    "features/doctor/machine.py": "made with O_EXCL, which follows nothing",
    "features/floor/database.py": "the mode of a trial's own folder",
    "features/setup/write.py": "a draft, in a folder of its own that nobody else may enter",
    "features/bundle/archive.py": "the mode of the descriptor that `new_file` gives",
    "history/export.py": "the descriptor that `new_file` gives",
    "features/journal": "no files, but the words of other things",
    "cli.py": "only /dev/null",
    "features/rounds/settle.py": "only /dev/null",
    "features/common/output.py": "only /dev/null",
    "features/common/help_language.py": "a help page, not a file",
    "features/tail/cli.py": "only /dev/null",
}
"""Where a file is written by other means, and why no link of others can lie there."""

WRITERS = {"write_text", "write_bytes", "chown", "lchown", "chmod", "mkstemp"}


@pytest.fixture(name="victim")
def _victim(tmp_path: Path) -> Path:
    victim = tmp_path / "victim"
    victim.write_text("root:x:0:0")
    victim.chmod(0o644)
    return victim


def _untouched(victim: Path) -> bool:
    seen = victim.stat()
    return (victim.read_text(), seen.st_mode & 0o777, seen.st_uid) == ("root:x:0:0", 0o644, os.getuid())


def test_a_request_for_another_log_level_follows_no_link(tmp_path: Path, victim: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    for name in ("log-level.json", "log-level.json.new"):
        (state / name).symlink_to(victim)
    assert leave_request(state, "debug", None).read_text() == '{"level": "debug", "area": null}'
    assert _untouched(victim)


def test_lock_journal_and_reserve_that_are_links_are_refused(tmp_path: Path, victim: Path) -> None:
    for name in ("lock", "journal.db"):
        state = tmp_path / name.partition(".")[0]
        state.mkdir()
        (state / name).symlink_to(victim)
        with pytest.raises(JournalError):
            lock(state) if name == "lock" else open_journal(state)
    assert _untouched(victim)


def test_key_is_written_over_a_link_and_never_through_it(tmp_path: Path, victim: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (state / "log.pub").symlink_to(victim)
    write_whole(state / "log.pub", b"key", 0o644)
    (state / "log.pub").unlink()
    assert public_key(state).fingerprint.startswith("sha256:")
    assert _untouched(victim)


def test_new_file_leads_to_itself_though_link_took_its_name(tmp_path: Path, victim: Path) -> None:
    with new_file(tmp_path / "out", "half") as half:
        (tmp_path / "half").unlink()
        (tmp_path / "half").symlink_to(victim)
        half.write_bytes(b"ours")
    assert _untouched(victim)


def test_new_folder_is_written_despite_a_link_of_its_name(tmp_path: Path) -> None:
    write_new_folder(tmp_path / "case", {"a": b"1", "below/b": b"2"})
    assert (tmp_path / "case/below/b").read_bytes() == b"2"
    with pytest.raises(FileExistsError):
        write_new_folder(tmp_path / "case", {})


def test_link_is_given_away_itself_and_not_what_it_names(tmp_path: Path, victim: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(victim)
    if os.geteuid() == 0:
        give_to(65534, 65534, link)
    assert _untouched(victim)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root writes where others own the folder")
def test_root_takes_no_folder_that_is_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(NotADirectoryError), opened_folder(tmp_path / "link"):
        pass


def test_an_export_is_whole_or_not_there(tmp_path: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield b"half"
        raise OSError(28, "No space left on device")

    with pytest.raises(ExportError):
        write_new(tmp_path / "out", broken())
    assert list(tmp_path.iterdir()) == []


def _writes(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
    given = [*node.args, *(word.value for word in node.keywords)]
    texts = [each.value for each in given if isinstance(each, ast.Constant)]
    if "O_CREAT" in (flags := ast.unparse(node)) and not {"O_EXCL", "O_NOFOLLOW"} & set(re.findall(r"O_[A-Z]+", flags)):
        return True
    if name == "open":
        return any(isinstance(text, str) and set(text) & set("wax+") and set(text) <= set("rwaxbt+") for text in texts)
    if name == "touch":
        return not node.args
    return name in WRITERS


def test_every_file_is_written_by_the_safe_writer() -> None:
    """Finds other ways to write; each that there is stands in the table above with its reason."""
    found = {
        path.relative_to(HOME).as_posix()
        for path in HOME.rglob("*.py")
        if any(map(_writes, ast.walk(ast.parse(path.read_text("utf-8")))))
    }
    assert {name for name in found if not any(name.startswith(safe) for safe in SAFE)} == set()
