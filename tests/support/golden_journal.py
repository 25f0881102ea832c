"""Journals of earlier builds as text: `python -m tests.support.golden_journal STATE_FOLDER` prints one.

The first line is JSON: the file's form and tables, `meta`, the public key, and the texts that stand for a sign each in
the lines below it. A line is a row; links and seals are left out, as the signed checkpoint vouches for them.
"""

import hashlib
import json
import sys
from base64 import b64decode, b64encode
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import apsw

from tablectl.journal.reading.reader import FILE
from tablectl.proof.chain import FIRST_LINK, next_link, seal

SIGNS: Final = "①②③④⑤⑥⑦⑧⑨⑩"
QUERIES: Final = {
    "record": "SELECT number, recorded_us, salt, CAST(body AS TEXT) FROM record ORDER BY number",
    "event": "SELECT sequence, record, topic, CAST(payload AS TEXT) FROM event ORDER BY sequence",
    "snapshot": "SELECT record, sequence, version, CAST(state AS TEXT) FROM snapshot ORDER BY record",
}


def dump(state: Path) -> str:
    """The journal in this folder."""
    with closing(apsw.Connection(str(state / FILE), flags=apsw.SQLITE_OPEN_READONLY)) as file:
        head: dict[str, Any] = {
            "form": file.pragma("user_version"),
            "schema": [sql for (sql,) in file.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")],
            "meta": {str(key): value for key, value in file.execute("SELECT key, value FROM meta ORDER BY key")},
            "public": (state / "log.pub").read_text(),
        }
        rows = [" ".join((kind, *map(_text, row))) for kind, query in QUERIES.items() for row in file.execute(query)]
    lines = "\n".join(rows)
    head["texts"] = _texts(lines)
    for sign, text in head["texts"].items():
        lines = lines.replace(text, sign)
    return f"{json.dumps(head, ensure_ascii=False)}\n{lines}\n"


def _text(value: object) -> str:
    return b64encode(value).decode() if isinstance(value, bytes) else str(value)


def _texts(lines: str) -> dict[str, str]:
    """Long texts that come often, by their signs: what events and facts have in common."""
    first = json.loads(lines.partition("\nevent 1 1 event/audit ")[2].partition("\n")[0])
    boot, session, log = first["bootid"], first["session"], first["source"]
    return dict(
        zip(
            SIGNS,
            (
                '","datacontenttype":"application/json","dataschema":"urn:tablectl:v1:',
                f'","bootid":"{boot}","session":"{session}","monotonicns":"',
                '","clockstate":"unsynced","simulated":true,"data":{',
                f'","source":"{log}","type":"mo.tablectl.',
                '{"specversion":"1.0","id":"',
                f'"boot_id":"{boot}","clock":"unsynced","error_us":null}},"source":"',
                '","recordedtime":"',
                '"at":{"utc_us":',
                '{"v":1,"fact":"',
                '","correlationid":"',
            ),
            strict=True,
        )
    )


def build(text: str, folder: Path, last: int | None = None) -> None:
    """Writes the journal into a state folder as it was left, or as it was after the record `last`."""
    folder.mkdir(mode=0o700)
    (folder / "log.pub").write_text(key_of(text))
    write_file(text, folder / FILE, last)


def key_of(text: str) -> str:
    """The public key of the journal's log, as its file has it."""
    return str(json.loads(text.partition("\n")[0])["public"])


def write_file(text: str, path: Path, last: int | None = None) -> None:
    """Writes the journal's file alone."""
    first, _, lines = text.partition("\n")
    head = json.loads(first)
    for sign, said in head["texts"].items():
        lines = lines.replace(sign, said)
    rows: dict[str, list[list[str]]] = defaultdict(list)
    for line in lines.splitlines():
        kind, *values = line.split(" ", 4)
        rows[kind].append(values)
    with closing(apsw.Connection(str(path))) as file, file:
        file.execute(";".join(head["schema"]) + f";PRAGMA user_version={head['form']}")
        file.executemany("INSERT INTO meta VALUES (?, ?)", head["meta"].items() if last is None else ())
        _fill(file, rows, sys.maxsize if last is None else last)


def _fill(file: apsw.Connection, rows: dict[str, list[list[str]]], last: int) -> None:
    events: dict[int, list[tuple[int, str, bytes]]] = defaultdict(list)
    for sequence, record, topic, payload in rows["event"]:
        if int(record) <= last:
            file.execute("INSERT INTO event VALUES (?, ?, ?, ?)", (int(sequence), int(record), topic, payload.encode()))
            leaf = hashlib.sha256(b"\0" + payload.encode()).digest()
            events[int(record)].append((int(sequence), topic, leaf))
    links = {0: FIRST_LINK}
    for number, at_us, salt, body in rows["record"][:last]:
        about = b64decode(salt), int(number), int(at_us), body.encode()
        links[int(number)] = next_link(links[int(number) - 1], *about, events[int(number)])
        values = (int(number), int(at_us), body.encode(), b64decode(salt), links[int(number)])
        file.execute("INSERT INTO record VALUES (?, ?, ?, ?, ?)", values)
    for record, sequence, version, state in rows["snapshot"]:
        if int(record) <= last:
            sealed = seal(links[int(record)], int(sequence), version, state.encode())
            kept = (int(record), int(sequence), version, state.encode(), sealed)
            file.execute("INSERT INTO snapshot VALUES (?, ?, ?, ?, ?)", kept)


if __name__ == "__main__":
    sys.stdout.write(dump(Path(sys.argv[1])))
