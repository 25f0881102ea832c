"""`tablectl journal verify`: whatever was changed is found, and the first broken link is named."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tablectl.journal.journal import open_journal
from tablectl.journal.reading.rows import Remembered
from tests.proof.journals import played
from tests.tools.journal.verifying import ROUNDS, broken, change, copied, count, verify

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
        note = opened.meta(Remembered.CHECKPOINT)
    assert note
    for at in range(0, len(note), 7):
        with closing(apsw.Connection(str(copy / "journal.db"))) as connection:
            turned = note[:at] + chr(ord(note[at]) ^ 1) + note[at + 1 :]
            connection.execute("UPDATE meta SET value = ? WHERE key = 'checkpoint'", (turned,))
        assert broken(copy).startswith("the journal's last checkpoint: ")


def test_broker_position_may_be_lost_but_never_ahead(copy: Path) -> None:
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
        ("UPDATE snapshot SET state = x'00'", "the snapshot after record 489 isn't what was written"),
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
