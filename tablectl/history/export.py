"""Export of published events for `tablectl journal export` and `since`.

They are written as lines or as a table. Nothing else leaves the journal: no fact, hence no card that lay face down.
"""

import csv
import io
import json
import os
import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol, cast
from unicodedata import normalize

from tablectl.journal.files import new_file
from tablectl.journal.reading.reader import JournalReader
from tablectl.journal.reading.rows import EventRow, UnreadableError

ENVELOPE: Final[Mapping[str, tuple[str, str]]] = {
    "sequence": ("integer", "the event's number in its log"),
    "id": ("string", "the event's id, the same for every re-send"),
    "source": ("string", "/tablectl/<site>/<table>/<log id>"),
    "type": ("string", "what happened"),
    "subject": ("string", "the round, where the event is about one"),
    "time": ("dateTime", "when it happened, UTC"),
    "recordedtime": ("dateTime", "when it was journaled, UTC"),
    "correlationid": ("string", "the round during which it happened"),
    "causationid": ("string", "the event that led to it"),
    "bootid": ("string", "the boot of the machine"),
    "session": ("string", "the start of the controller"),
    "monotonicns": ("integer", "the monotonic clock, nanoseconds"),
    "clockerrus": ("integer", "the bound of the clock's error, microseconds; empty while unknown"),
    "clockstate": ("string", "synced, holdover or unsynced"),
    "simulated": ("boolean", "whether anything at the table was simulated"),
}
"""Columns that every event has: type and meaning."""

NO_PARQUET: Final = (
    "the parquet form needs pyarrow, which isn't installed: in the clone, .venv/bin/pip install -e '.[parquet]'"
)

_FORMULA: Final = ("=", "+", "-", "@")
_CONTROLS: Final = ("\t", "\r")
_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")


class Events(Protocol):
    """Stored events, all of a journal's or some of them."""

    def events(self, after: int = 0) -> Iterator[EventRow]:
        """Those that follow this number, in order."""
        ...


class ExportError(Exception):
    """It can't be exported: why, in one line."""


def arrow_with_parquet() -> tuple[Any, Any]:
    """The library, and its part for Parquet.

    It is large, needed by few, and imported when it is used.

    Raises:
        ExportError: it isn't installed.
    """
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise ExportError(NO_PARQUET) from None


def lines(reader: JournalReader, after: int = 0) -> Iterator[bytes]:
    """The events that follow this number.

    Each is the exact bytes that were published and a line end.

    Raises:
        ExportError: an event's bytes would take more than one line.
        UnreadableError: the journal can't be read.
    """
    for row in reader.events(after):
        if b"\n" in row.payload or b"\r" in row.payload:
            raise ExportError(f"event {row.sequence} has a line end in it; as a line it would not be the same bytes")
        if row.payload:
            yield row.payload + b"\n"


def data_columns(reader: Events) -> list[str]:
    """The columns besides those that every event has, by name: fields of `data`."""
    found: set[str] = set()
    for form in _forms(reader):
        found.update(cells_of(form.get("data")))
    return sorted(found)


def table(reader: Events, columns: Iterable[str]) -> Iterator[bytes]:
    """The events as CSV (RFC 4180, UTF-8), a header first.

    Args:
        columns: of the data, as `data_columns` gives them.
    """
    names = [*ENVELOPE, *columns]
    yield from csv_rows(names, _rows(reader, names))


def schema(name: str, columns: Iterable[str]) -> str:
    """The table's schema as CSV on the Web (W3C), to stand beside it.

    Args:
        name: the table's file.
    """
    described = [_column(key, kind, meaning) for key, (kind, meaning) in ENVELOPE.items()]
    described += [
        _column(each, "string", "a field of the event's data; a list or an object is JSON") for each in columns
    ]
    form = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": name,
        "dc:description": "Events of a tablectl log. A text that a spreadsheet would take for a formula begins with '.",
        "tableSchema": {"columns": described, "primaryKey": "sequence"},
    }
    return json.dumps(form, ensure_ascii=False, indent=1) + "\n"


def write_new(path: Path, chunks: Iterable[bytes]) -> None:
    """Writes a file that isn't there yet, whole or not at all.

    Raises:
        ExportError: it is there, or can't be written.
    """
    with writing_new(path) as half, half.open("ab") as file:
        file.writelines(chunks)


@contextmanager
def writing_new(path: Path) -> Generator[Path]:
    """Open a new file that takes its name only when all of it is on disk.

    It is written in place of one that isn't there yet.

    Raises:
        ExportError: it is there, or can't be written.
    """
    if not path.name:
        raise ExportError(f"{path} is a folder: name a new file")
    try:
        if path.exists():
            raise ExportError(f"{path} is there already: name another file")
        with new_file(path, f".{path.name}.{os.getpid()}.part") as half:
            yield half
    except OSError as error:
        raise ExportError(f"{path} can't be written: {error.strerror}") from None


def _rows(reader: Events, names: Iterable[str]) -> Iterator[list[str]]:
    for form in _forms(reader):
        cells = {key: _text(form.get(key)) for key in ENVELOPE} | cells_of(form.get("data"))
        cells["sequence"] = str(int(form["sequence"]))
        yield [cells.get(name, "") for name in names]


def _forms(reader: Events) -> Iterator[dict[str, Any]]:
    for row in reader.events():
        if row.payload:
            yield form_of(row.sequence, row.payload)


def form_of(sequence: int, payload: bytes) -> dict[str, Any]:
    """An event's envelope.

    Raises:
        UnreadableError: the payload isn't that event.
    """
    with suppress(ValueError, TypeError, KeyError, RecursionError):
        form = _object(json.loads(payload))
        if form is not None and int(form["sequence"]) == sequence:
            return form
    raise UnreadableError(
        f"event {sequence} of the journal isn't what was written: `tablectl journal verify` says more"
    )


def cells_of(data: Any) -> dict[str, str]:
    """The fields of an event's data; an object of plain values as columns of its own."""
    cells: dict[str, str] = {}
    for key, value in (_object(data) or {}).items():
        inner = _object(value)
        if inner and not any(isinstance(each, dict | list) for each in inner.values()):
            cells |= {f"data.{key}.{name}": _text(each) for name, each in inner.items()}
        else:
            cells[f"data.{key}"] = _text(value)
    return cells


def _object(value: Any) -> dict[str, Any] | None:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _text(value: Any) -> str:
    match value:
        case None:
            return ""
        case str():
            return value
        case _:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _harmless(cell: str) -> str:
    """The cell, so that no spreadsheet takes a typed text for a formula.

    A full-width sign begins one too, and blanks before it don't count.
    """
    begins = cell[:1] in _CONTROLS or normalize("NFKC", cell.lstrip()[:16]).lstrip().startswith(_FORMULA)
    return f"'{cell}" if begins and not _NUMBER.fullmatch(cell) else cell


def csv_rows(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[bytes]:
    """Rows as CSV, a header first."""
    yield _row(columns)
    for row in rows:
        yield _row(_harmless(cell) for cell in row)


def _row(cells: Iterable[str]) -> bytes:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue().encode(errors="replace")


def _column(name: str, kind: str, meaning: str) -> dict[str, str]:
    return {"name": name, "titles": name, "datatype": kind, "dc:description": meaning}
