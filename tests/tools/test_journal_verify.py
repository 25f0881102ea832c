"""`tablectl journal verify`: whatever was changed is found, and the first broken link is named."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner, Result

from tablectl.cli.journal import journal
from tablectl.proof.note import fingerprint, verifier_key
from tablectl.shell import journal_file
from tablectl.shell.journal import open_journal
from tablectl.shell.keys import public_key
from tablectl.tools import journal_reader
from tests.proof.journals import ORIGIN, Play, go_on, played, sign

ROUNDS = 62
"""More than two tiles of events."""

PRUNED = 256


@pytest.fixture(scope="module", name="whole")
def _whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "state"
    played(folder, ROUNDS)
    return folder


@pytest.fixture(scope="module", name="pruned")
def _pruned(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copied(whole, tmp_path_factory.mktemp("pruned") / "state")
    with closing(open_journal(folder)) as opened:
        opened.prune(PRUNED)
    return folder


@pytest.fixture(name="copy", params=["whole", "pruned"])
def _copy(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return copied(request.getfixturevalue(request.param), tmp_path / "state")


def copied(folder: Path, target: Path) -> Path:
    return Path(shutil.copytree(folder, target))


def verify(folder: Path, *options: str | Path) -> Result:
    return CliRunner().invoke(journal, ["verify", str(folder), *map(str, options)])


def broken(folder: Path, *options: str | Path) -> str:
    """What is said of a journal that isn't whole, in one line."""
    result = verify(folder, *options)
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    return line.removeprefix(f"{folder}: broken: ")


def change(folder: Path, *statements: str) -> None:
    with closing(apsw.Connection(str(folder / "journal.db"))) as connection:
        for statement in statements:
            connection.execute(statement)


def count(folder: Path, table: str) -> int:
    with closing(apsw.Connection(str(folder / "journal.db"))) as connection:
        return int(next(iter(connection.execute(f"SELECT count(*) FROM {table}")))[0])


def test_a_journal_that_is_what_was_written_is_whole(copy: Path) -> None:
    result = verify(copy)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{copy}: whole\n  records     {ROUNDS * 8 + 1}, chained")
    assert f"events      {ROUNDS * 9 + 1}, none missing" in result.stdout
    assert "checkpoint  continues the journal's last checkpoint" in result.stdout
    assert f"verifier    {verifier_key(ORIGIN, public_key(copy).raw)}" in result.stdout
    assert "not seen" in result.stdout


def test_a_whole_journal_is_summed_up_for_a_script(copy: Path) -> None:
    form, text = json.loads(verify(copy, "--json").stdout), verify(copy).stdout
    assert (form["records"], form["events"]) == (ROUNDS * 8 + 1, ROUNDS * 9 + 1)
    assert (f"1 to {form['pruned']} pruned" in text) == (form["pruned"] > 0)
    assert form["root"] in text
    assert [each["events"] for each in form["checkpoints"]] == [ROUNDS * 9 + 1]


def test_reading_a_journal_changes_nothing_in_it(copy: Path) -> None:
    before = (copy / "journal.db").read_bytes()
    verify(copy)
    assert (copy / "journal.db").read_bytes() == before


def test_the_reader_knows_the_form_that_is_written() -> None:
    assert journal_reader.FORM == journal_file.FORM


COLUMNS = {
    "record": ("number", "recorded_us", "body", "salt", "link"),
    "event": ("sequence", "record", "topic", "payload"),
    "tile": ("number", "root", "leaves"),
    "snapshot": ("record", "sequence", "version", "state", "seal"),
}


def values_with_one_bit_turned(value: object) -> Iterator[object]:
    if isinstance(value, int):
        yield from (value ^ 1, value ^ (1 << 40), value - (1 << 62))
        return
    raw = value.encode() if isinstance(value, str) else value
    assert isinstance(raw, bytes)
    for at in {0, len(raw) // 2, len(raw) - 1}:
        if raw:
            turned = raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]
            yield turned.decode() if isinstance(value, str) else turned


@pytest.mark.parametrize(("table", "column"), [(table, column) for table, names in COLUMNS.items() for column in names])
def test_one_bit_turned_in_any_column_is_found(copy: Path, table: str, column: str) -> None:
    path = copy / "journal.db"
    whole = path.read_bytes()
    with closing(apsw.Connection(str(path))) as connection:
        rows = list(connection.execute(f"SELECT rowid, {column} FROM {table} ORDER BY rowid"))
    tried = 0
    for row, value in [rows[0], rows[len(rows) // 2], rows[-1]]:
        for turned in values_with_one_bit_turned(value):
            path.write_bytes(whole)
            with closing(apsw.Connection(str(path))) as connection:
                try:
                    connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (turned, row))
                except apsw.ConstraintError:
                    continue  # The number is another row's: that is an edit of two rows, tried below.
            assert verify(copy).exit_code == 1, (row, value, turned)
            tried += 1
    assert tried or column == "payload"


@pytest.mark.parametrize("key", ["checkpoint", "published", "pruned"])
def test_a_changed_key_of_what_is_remembered_is_found(pruned: Path, tmp_path: Path, key: str) -> None:
    folder = copied(pruned, tmp_path / "state")
    change(folder, f"UPDATE meta SET key = 'x{key}' WHERE key = '{key}'")
    assert broken(folder)


@pytest.mark.parametrize("value", ["255", "257", "0", "x", "", "0256", "99999999999999999999"])
def test_a_changed_number_of_pruned_events_is_found(pruned: Path, tmp_path: Path, value: str) -> None:
    folder = copied(pruned, tmp_path / "state")
    change(folder, f"UPDATE meta SET value = '{value}' WHERE key = 'pruned'")
    assert "pruned" in broken(folder)


def test_one_bit_turned_in_the_last_checkpoint_is_found(copy: Path) -> None:
    with closing(open_journal(copy)) as opened:
        note = opened.meta("checkpoint")
    assert note
    for at in range(0, len(note), 7):
        with closing(apsw.Connection(str(copy / "journal.db"))) as connection:
            turned = note[:at] + chr(ord(note[at]) ^ 1) + note[at + 1 :]
            connection.execute("UPDATE meta SET value = ? WHERE key = 'checkpoint'", (turned,))
        assert broken(copy).startswith("the journal's last checkpoint: ")


def test_how_far_the_broker_is_may_be_lost_without_harm_but_not_be_ahead(copy: Path) -> None:
    change(copy, "UPDATE meta SET value = '3' WHERE key = 'published'")
    assert verify(copy).exit_code == 0
    change(copy, "UPDATE meta SET value = '600' WHERE key = 'published'")
    assert broken(copy) == "event 560 is missing: the broker has events up to 600"


@pytest.mark.parametrize("table", COLUMNS)
def test_a_row_that_is_gone_is_found(copy: Path, table: str) -> None:
    if table == "snapshot":
        change(copy, "DELETE FROM snapshot")
        assert verify(copy).exit_code == 0  # A snapshot shortens a start; the records are the truth.
        return
    rows = count(copy, table)
    path = copy / "journal.db"
    whole = path.read_bytes()
    for nth in {0, rows // 2, rows - 1}:
        path.write_bytes(whole)
        change(
            copy, f"DELETE FROM {table} WHERE rowid = (SELECT rowid FROM {table} ORDER BY rowid LIMIT 1 OFFSET {nth})"
        )
        assert re.search(r"missing|isn't there|isn't what was written", broken(copy))


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM record WHERE number = 40", "record 40 is missing"),
        ("DELETE FROM event WHERE sequence = 300", "event 300 is missing"),
        ("UPDATE record SET body = x'00' WHERE number = 41", "record 41 isn't what was written"),
        ("UPDATE event SET payload = x'00' WHERE sequence = 300", "(events 300 to 300)"),
        ("UPDATE event SET payload = x'' WHERE sequence = 300", "event 300 has no payload"),
        ("UPDATE event SET topic = 'event/cart' WHERE sequence = 300", "(events 300 to 300)"),
        ("DELETE FROM tile WHERE number = 1", "tile 1 of the tree is missing"),
        ("INSERT INTO tile VALUES (2, x'', x'')", "tile 2 of the tree holds events that aren't there"),
        ("UPDATE snapshot SET state = x'00'", "the snapshot after record 497 isn't what was written"),
        ("INSERT INTO record VALUES (0, 0, x'', x'', x'')", "record 0 doesn't belong there"),
        ("INSERT INTO event VALUES (-7, 1, 'event/card', x'00')", "event -7 doesn't belong there"),
        ("INSERT INTO event VALUES (560, 497, 'event/card', x'00')", "record 497 isn't what was written"),
        ("INSERT INTO event VALUES (560, 600, 'event/card', x'00')", "event 560 belongs to record 600"),
        ("INSERT INTO record VALUES (498, 0, x'', x'', x'')", "record 498 isn't what was written"),
        ("CREATE TABLE more (x)", "it has a table more"),
        ("CREATE TRIGGER t AFTER INSERT ON event BEGIN DELETE FROM event; END", "it has a trigger t"),
        ("DROP TABLE snapshot", "it has no table snapshot"),
    ],
)
def test_the_first_broken_link_is_named(whole: Path, tmp_path: Path, statement: str, said: str) -> None:
    folder = copied(whole, tmp_path / "state")
    change(folder, statement)
    assert said in broken(folder)


def test_rows_in_another_order_are_found(copy: Path) -> None:
    path = copy / "journal.db"
    whole = path.read_bytes()
    for table, key, one, two in (
        ("record", "number", 30, 31),
        ("event", "sequence", 300, 301),
        ("tile", "number", 0, 1),
    ):
        path.write_bytes(whole)
        change(
            copy,
            f"UPDATE {table} SET {key} = 9999 WHERE {key} = {one}",
            f"UPDATE {table} SET {key} = {one} WHERE {key} = {two}",
            f"UPDATE {table} SET {key} = {two} WHERE {key} = 9999",
        )
        assert broken(copy)


def test_a_journal_spliced_of_two_is_found_at_the_seam(whole: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    played(other, ROUNDS)
    folder = copied(whole, tmp_path / "state")
    change(
        folder,
        f"ATTACH '{other / 'journal.db'}' AS other",
        "DELETE FROM record WHERE number > 240",
        "INSERT INTO record SELECT * FROM other.record WHERE number > 240",
    )
    assert "record 241 isn't what was written" in broken(folder)


def test_the_end_of_a_fork_after_the_same_beginning_is_found_by_the_kept_checkpoint(tmp_path: Path) -> None:
    played(tmp_path / "a", 3)
    fork = copied(tmp_path / "a", tmp_path / "b")
    go_on(tmp_path / "a", rounds=2)
    go_on(fork, rounds=1)
    kept = tmp_path / "kept.txt"
    kept.write_text(sign(tmp_path / "a"))
    sign(fork)
    go_on(fork, rounds=1)
    assert verify(fork).exit_code == 0
    assert "they were rewritten" in broken(fork, "--checkpoint", kept)


def cut(folder: Path, records: int, *, forget: bool) -> None:
    """Takes the last records away with all that follows from them."""
    last = count(folder, "record") - records
    change(folder, f"DELETE FROM event WHERE record > {last}", f"DELETE FROM record WHERE number > {last}")
    if forget:
        change(
            folder,
            "DELETE FROM snapshot",
            "DELETE FROM meta WHERE key = 'checkpoint'",
            "UPDATE meta SET value = (SELECT max(sequence) FROM event) WHERE key = 'published'",
        )


def test_a_cut_end_is_found_and_a_careful_cut_by_the_kept_checkpoint(whole: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_text(sign(whole))
    folder = copied(whole, tmp_path / "careless")
    cut(folder, 1, forget=False)
    assert "record 497 is missing" in broken(folder)
    folder = copied(whole, tmp_path / "careful")
    cut(folder, 1, forget=True)
    assert verify(folder).exit_code == 0
    line = broken(folder, "--checkpoint", kept)
    assert "is missing" in line
    assert "cut or rolled back" in line


def test_records_cut_without_events_are_found_by_the_kept_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    played(folder, 2)
    with closing(open_journal(folder)) as opened:
        play = Play(opened, record=opened.last_record, sequence=opened.last_sequence)
        opened.append([play._record()])
    kept = tmp_path / "kept.txt"
    kept.write_text(sign(folder))
    cut(folder, 1, forget=True)
    assert verify(folder).exit_code == 0
    assert broken(folder, "--checkpoint", kept).startswith("record 18 is missing")


def test_an_older_copy_is_found_by_the_kept_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    played(folder, 3)
    older = copied(folder, tmp_path / "older")
    go_on(folder)
    kept = tmp_path / "kept.txt"
    kept.write_text(sign(folder).replace("\n", "\r\n"))
    assert verify(folder, "--checkpoint", kept).exit_code == 0
    assert verify(older).exit_code == 0
    assert broken(older, "--checkpoint", kept).startswith("event 29 is missing")


def test_a_rewritten_log_is_found_by_the_kept_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    played(folder, 3)
    kept = tmp_path / "kept.txt"
    kept.write_text(sign(folder))
    forged = tmp_path / "forged"
    forged.mkdir()
    for name in ("log.key", "log.pub"):
        shutil.copy(folder / name, forged)
    played(forged, 3)
    go_on(forged)
    sign(forged)
    assert verify(forged).exit_code == 0
    assert "rewritten" in broken(forged, "--checkpoint", kept)


def test_a_kept_checkpoint_of_another_log_or_key_is_named(whole: Path, tmp_path: Path) -> None:
    played(tmp_path / "other", 1, origin="tablectl/macau/q2/ffffffff")
    with closing(open_journal(tmp_path / "other")) as opened:
        (tmp_path / "kept.txt").write_text(opened.meta("checkpoint") or "")
    assert "isn't signed by this key" in broken(whole, "--checkpoint", tmp_path / "kept.txt")
    for name in ("log.key", "log.pub"):
        shutil.copy(whole / name, tmp_path / "other")
    with closing(open_journal(tmp_path / "other")) as opened:
        opened.remember("checkpoint", sign(whole))
    assert f"is of the log {ORIGIN}" in broken(tmp_path / "other")


def test_the_key_beside_the_journal_must_be_the_trusted_one(whole: Path, tmp_path: Path) -> None:
    key = public_key(whole)
    for text in (key.fingerprint, key.text, str(whole / "log.pub")):
        assert verify(whole, "--key", text).exit_code == 0
    assert "not the trusted one" in broken(whole, "--key", fingerprint(bytes(32)))
    result = verify(whole, "--key", str(tmp_path / "nothing"))
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


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


def test_the_journal_of_a_table_at_work_is_verified_as_it_is(tmp_path: Path) -> None:
    events = played(tmp_path, 2)
    with closing(open_journal(tmp_path)) as opened:
        play = Play(opened, record=opened.last_record, sequence=opened.last_sequence)
        play.round("at-work", over=False)
        assert (tmp_path / "journal.db-wal").stat().st_size
        assert f"events      {len(events) + 7}, none missing" in verify(tmp_path).stdout
        play.round("later")


def test_a_copy_of_the_folder_of_a_table_at_work_is_verified(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    events = played(folder, 2)
    with closing(open_journal(folder)) as opened:
        play = Play(opened, record=opened.last_record, sequence=opened.last_sequence)
        play.round("at-work", over=False)
        copy = copied(folder, tmp_path / "copy")
    (copy / "journal.db-shm").unlink()
    assert f"events      {len(events) + 7}, none missing" in verify(copy).stdout


_READ_ONLY = """
mount --bind {folder} {folder} && mount -o remount,ro,bind {folder} || exit 99
exec {python} -c 'from tablectl.cli.journal import journal; journal()' verify {folder}
"""


def on_a_read_only_medium(folder: Path) -> subprocess.CompletedProcess[str]:
    script = _READ_ONLY.format(folder=folder, python=sys.executable)
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", script], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.usefixtures("root_mounts")
def test_a_journal_on_a_read_only_medium_is_verified_and_left_as_it_is(tmp_path: Path) -> None:
    played(tmp_path, 2)
    before = sorted(path.name for path in tmp_path.iterdir())
    done = on_a_read_only_medium(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "events      19, none missing" in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.usefixtures("root_mounts")
def test_a_copy_on_a_read_only_medium_whose_log_is_not_in_the_file_is_asked_to_be_copied(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    with closing(open_journal(folder)) as opened:
        Play(opened).begin()
        copy = copied(folder, tmp_path / "copy")
    (copy / "journal.db-shm").unlink()
    done = on_a_read_only_medium(copy)
    assert (done.returncode, done.stdout) == (2, "")
    assert "copy the whole folder to another disk" in done.stderr


@pytest.fixture(name="root_mounts")
def _root_mounts() -> None:
    if os.geteuid() == 0 and not subprocess.run(["unshare", "--mount", "true"], check=False).returncode:
        return
    message = "mounting a folder read-only needs root: run the tests as root, or in CI"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def test_a_folder_that_can_not_be_looked_into_is_said_in_a_line() -> None:
    with pytest.raises(journal_reader.UnreadableError, match=r"journal\.db: File name too long"):
        journal_reader.open_reader(Path("x" * 300))
