"""`tablectl journal export --format parquet`: the events as a typed table.

Their exact bytes are a column of it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from tablectl.history.export import ENVELOPE, arrow_with_parquet, cells_of, form_of, writing_new
from tablectl.journal.reading.reader import JournalReader

BATCH: Final = 4096
"""Events that become a row group: what is in memory at once."""


def write_parquet(path: Path, reader: JournalReader, columns: Sequence[str]) -> None:
    """Writes a file that isn't there yet, whole or not at all.

    Args:
        columns: of the data, as `data_columns` gives them.

    Raises:
        ExportError: pyarrow is missing, or the file is there, or it can't be written.
        UnreadableError: the journal can't be read.
    """
    arrow, parquet = arrow_with_parquet()
    schema = _schema(arrow, columns)
    with writing_new(path) as half, parquet.ParquetWriter(half, schema, compression="zstd") as writer:
        for rows in _batches(reader, columns):
            writer.write_batch(arrow.RecordBatch.from_pylist(rows, schema))


def _schema(arrow: Any, columns: Sequence[str]) -> Any:
    kinds = {
        "integer": arrow.int64(),
        "dateTime": arrow.timestamp("us", tz="UTC"),
        "boolean": arrow.bool_(),
        "string": arrow.string(),
    }
    known = [_field(arrow, name, kinds[kind], meaning) for name, (kind, meaning) in ENVELOPE.items()]
    found = [_field(arrow, name, arrow.string(), "a field of the event's data; a list is JSON") for name in columns]
    return arrow.schema(
        [*known, *found, _field(arrow, "payload", arrow.binary(), "the exact bytes that were published")]
    )


def _field(arrow: Any, name: str, kind: Any, meaning: str) -> Any:
    return arrow.field(name, kind, metadata={"description": meaning})


def _batches(reader: JournalReader, columns: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    for event in reader.events():
        if not event.payload:
            continue
        rows.append(_row(form_of(event.sequence, event.payload), columns, event.payload))
        if len(rows) == BATCH:
            yield rows
            rows = []
    if rows:
        yield rows


def _row(form: Mapping[str, Any], columns: Sequence[str], payload: bytes) -> dict[str, Any]:
    cells = cells_of(form.get("data"))
    known = {name: _value(kind, form.get(name)) for name, (kind, _) in ENVELOPE.items()}
    return known | {name: cells.get(name) for name in columns} | {"payload": payload}


def _value(kind: str, given: Any) -> Any:
    match kind, given:
        case _, None:
            return None
        case "integer", _:
            return int(given)
        case "dateTime", _:
            return datetime.fromisoformat(given).astimezone(UTC)
        case "boolean", _:
            return bool(given)
        case _:
            return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
