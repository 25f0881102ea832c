"""The judge of completeness itself: every seeded fault is caught, and nothing else is."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.whole import Message, assert_whole, flaws, lacks, received, stored

LOG = "0a0b0c0d"
FAMILIES = ("audit", "round", "bet", "bet", "card", "round")
PREFIX = "tablectl/v1/macau/q1"


def payload(sequence: int, text: str = "", log: str = LOG) -> bytes:
    envelope = {"id": f"{log}-{sequence:016d}", "source": f"/tablectl/macau/q1/{log}", "data": {"text": text}}
    return json.dumps(envelope).encode()


HELD = [Message(f"event/{family}", payload(number)) for number, family in enumerate(FAMILIES, 1)]
CAME = [Message(f"{PREFIX}/{message.topic}", message.payload) for message in HELD]


def with_one(number: int, *instead: Message) -> list[Message]:
    """What came, with something else in place of this number."""
    return [*CAME[: number - 1], *instead, *CAME[number:]]


def test_what_came_as_it_is_stored_has_no_flaw() -> None:
    assert flaws(CAME, HELD) == []


def test_the_same_bytes_twice_are_no_flaw_even_late() -> None:
    assert flaws([*CAME[:3], *CAME[:3], *CAME[3:]], HELD) == []


def test_events_of_another_log_are_left_out() -> None:
    assert flaws([*CAME, Message(f"{PREFIX}/event/audit", payload(1, log="ffffffff"))], HELD) == []


SEEDED: dict[str, tuple[list[Message], str]] = {
    "lost": (with_one(3), "was lost"),
    "lost at the end": (CAME[:-1], "was lost"),
    "doubled with other bytes": ([*CAME, Message(CAME[2].topic, payload(3, "other"))], "twice, and not the same"),
    "doubled on another topic": ([*CAME, Message(f"{PREFIX}/event/card", CAME[2].payload)], "twice, and not the same"),
    "reordered": ([*CAME[:2], CAME[3], CAME[2], *CAME[4:]], "came after"),
    "reordered across topics": ([CAME[1], CAME[0], *CAME[2:]], "came after"),
    "altered": (with_one(4, Message(CAME[3].topic, payload(4, "altered"))), "other bytes"),
    "on another topic": (with_one(4, Message(f"{PREFIX}/event/round", CAME[3].payload)), "came on"),
    "invented": ([*CAME, Message(CAME[0].topic, payload(7))], "never stored"),
    "retained": (with_one(2, Message(CAME[1].topic, CAME[1].payload, retained=True)), "retained"),
}


@pytest.mark.parametrize("fault", SEEDED)
def test_a_seeded_fault_is_caught(fault: str) -> None:
    came, said = SEEDED[fault]
    assert any(said in flaw for flaw in flaws(came, HELD)), flaws(came, HELD)


@pytest.mark.parametrize("number", range(1, len(CAME) + 1))
def test_whichever_event_is_lost_it_is_one_that_is_named(number: int) -> None:
    assert flaws(with_one(number), HELD) == [f"{LOG}-{number:016d} was lost"]


def written(folder: Path, came: list[Message]) -> tuple[Path, Path]:
    """What came as mosquitto_sub writes it, and a journal's file."""
    lines = [f"{message.topic} {int(message.retained)} ".encode() + message.payload + b"\n" for message in came]
    (folder / "feed").write_bytes(b"Client sending CONNECT\n" + b"".join(lines) + b"tablectl/v1/macau/q1/status 1 {}\n")
    connection = sqlite3.connect(folder / "journal.db")
    connection.execute("CREATE TABLE event (sequence INTEGER, record INTEGER, topic TEXT, payload BLOB)")
    rows = [(number, number, message.topic, message.payload) for number, message in enumerate(HELD, 1)]
    connection.executemany("INSERT INTO event VALUES (?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    return folder / "feed", folder / "journal.db"


def test_files_are_read_as_they_were_written(tmp_path: Path) -> None:
    feed, journal = written(tmp_path, CAME)
    assert (received(feed), stored(journal)) == (CAME, HELD)
    assert_whole(feed, journal)
    assert not lacks(feed, journal)


@pytest.mark.parametrize("fault", SEEDED)
def test_a_file_with_a_seeded_fault_is_not_whole(tmp_path: Path, fault: str) -> None:
    feed, journal = written(tmp_path, SEEDED[fault][0])
    with pytest.raises(AssertionError):
        assert_whole(feed, journal)


def test_what_has_yet_to_come_is_waited_for_not_judged(tmp_path: Path) -> None:
    feed, journal = written(tmp_path, CAME[:-1])
    assert lacks(feed, journal)


def cut(journal: Path) -> None:
    connection = sqlite3.connect(journal)
    connection.execute("DELETE FROM event WHERE sequence = 2")
    connection.commit()
    connection.close()


def empty(journal: Path) -> None:
    connection = sqlite3.connect(journal)
    connection.execute("DELETE FROM event")
    connection.commit()
    connection.close()


@pytest.mark.parametrize("spoil", [cut, empty])
def test_a_journal_with_a_gap_or_without_events_shows_nothing(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    feed, journal = written(tmp_path, CAME)
    spoil(journal)
    with pytest.raises(AssertionError):
        assert_whole(feed, journal)
