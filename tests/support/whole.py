"""Whether a plain subscriber received exactly what the journal holds. Knows SQLite, JSON and the contract only.

What came is read from what mosquitto's own client wrote down, a line for each message: topic, whether it was retained,
payload (`-F '%t %r %p'`). What should have come is read from the journal's file with a query of its own.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

PREFIX = "tablectl/v1/"
EVENT = "/event/"


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it came.

    Args:
        topic: whole.
    """

    topic: str
    payload: bytes
    retained: bool = False


def received(output: Path) -> list[Message]:
    """The messages below `event/` that the client wrote down, in the order in which they came."""
    written, _, _ = output.read_bytes().rpartition(b"\n")  # The last line may be half written.
    lines = (line.split(b" ", 2) for line in written.splitlines() if line.startswith(PREFIX.encode()))
    came = [Message(parts[0].decode(), parts[2], parts[1] == b"1") for parts in lines if len(parts) == 3]
    return [message for message in came if EVENT in message.topic]


def stored(journal: Path) -> list[Message]:
    """The events in a journal's file, in order; topics as the journal has them, below the table's prefix."""
    connection = sqlite3.connect(f"file:{journal}?mode=ro", uri=True)
    try:
        rows = connection.execute("SELECT sequence, topic, payload FROM event ORDER BY sequence").fetchall()
    finally:
        connection.close()
    assert [row[0] for row in rows] == list(range(1, len(rows) + 1)), "the journal itself has a gap"
    return [Message(row[1], bytes(row[2])) for row in rows]


def flaws(came: Sequence[Message], held: Sequence[Message]) -> list[str]:
    """Everything in which what came isn't what the journal holds; nothing where the two are equal.

    A message may come again, with the same id and the same bytes. First arrivals come in the order of their numbers.
    """
    wanted = {_form(message)["id"]: message for message in held}
    log = str(_form(held[0])["source"]).rpartition("/")[2] if held else ""
    ours = [message for message in came if str(_form(message).get("source")).endswith(f"/{log}")]
    first = _first_arrivals(ours)
    return [
        *(f"{key} was lost" for key in wanted if key not in first),
        *(f"{key} was never stored" for key in first if key not in wanted),
        *_altered(first, wanted),
        *_changed(ours, first),
        *_disorder(list(first), list(wanted)),
        *(f"{_form(message)['id']} was retained" for message in ours if message.retained),
    ]


def assert_whole(output: Path, journal: Path) -> None:
    """The subscriber has every event of the journal once, under one id, in order, to the byte."""
    held = stored(journal)
    assert held, "the journal has no event: nothing was shown"
    assert flaws(received(output), held) == []


def lacks(output: Path, journal: Path) -> bool:
    """Whether something that the journal holds has yet to come."""
    return len({message.payload for message in received(output)}) < len(stored(journal))


def _first_arrivals(came: Iterable[Message]) -> dict[str, Message]:
    first: dict[str, Message] = {}
    for message in came:
        first.setdefault(str(_form(message)["id"]), message)
    return first


def _altered(first: Mapping[str, Message], wanted: Mapping[str, Message]) -> Iterator[str]:
    for key in first.keys() & wanted.keys():
        if first[key].payload != wanted[key].payload:
            yield f"{key} came with other bytes than are stored"
        if not first[key].topic.endswith(f"/{wanted[key].topic}"):
            yield f"{key} came on {first[key].topic}"


def _changed(came: Iterable[Message], first: Mapping[str, Message]) -> Iterator[str]:
    for message in came:
        key = str(_form(message)["id"])
        if message.payload != first[key].payload or message.topic != first[key].topic:
            yield f"{key} came twice, and not the same"


def _disorder(came: Sequence[str], wanted: Sequence[str]) -> Iterator[str]:
    place = {key: nth for nth, key in enumerate(wanted)}
    known = [key for key in came if key in place]
    for before, after in pairwise(known):
        if place[after] < place[before]:
            yield f"{after} came after {before}"


def _form(message: Message) -> dict[str, Any]:
    form = json.loads(message.payload)
    return form if isinstance(form, dict) else {}
