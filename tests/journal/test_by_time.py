"""Events found by their time, whatever some of them bear."""

from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from tablectl.core.protocols import StoredEvent
from tablectl.history.events import period_of
from tablectl.journal.journal import Journal, open_journal
from tablectl.journal.reading.by_time import last_event_by
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.records import Record
from tests.proof.journals import DAY_US, LATER_US, START_US, Play

NOW_US = 1_000
EVENTS = 40


def filled(folder: Path, times: list[int]) -> Journal:
    """A journal with an event of each time, one a record."""
    journal = open_journal(folder)
    events = [StoredEvent(number, "event/card", b"{}") for number in range(1, len(times) + 1)]
    rows = zip(events, times, strict=True)
    journal.append([Record(event.sequence, at_us, b"fact", (event,)) for event, at_us in rows])
    return journal


@pytest.mark.parametrize("seed", range(8))
def test_last_event_by_time_is_found_among_later_years(tmp_path: Path, seed: int) -> None:
    chance = Random(seed)
    rising = sorted(chance.randrange(1, NOW_US) for _ in range(EVENTS))
    wrong = set(chance.sample(range(EVENTS), chance.randrange(EVENTS)))
    times = [LATER_US if place in wrong else at_us for place, at_us in enumerate(rising)]
    with closing(filled(tmp_path, times)) as journal:
        for at_us in range(0, NOW_US, 9):
            by_then = [number for number, stored_us in enumerate(times, 1) if stored_us <= at_us]
            assert journal.last_event_by(at_us, NOW_US) == max(by_then, default=0)


def test_a_machine_whose_clock_is_behind_finds_the_same(tmp_path: Path) -> None:
    times = list(range(10, 10 * EVENTS + 1, 10))
    filled(tmp_path, times).close()
    with closing(open_reader(tmp_path)) as reader:
        assert [last_event_by(reader.connection, at_us, 1).sequence for at_us in times] == list(range(1, EVENTS + 1))


def test_omitted_events_of_a_later_year_are_counted(tmp_path: Path) -> None:
    filled(tmp_path, [1, 2, 3, LATER_US, LATER_US, 4, 5]).close()
    with closing(open_reader(tmp_path)) as reader:
        assert (last_event_by(reader.connection, 3, NOW_US).sequence) == 3
        assert {last_event_by(reader.connection, at_us, NOW_US).left_out for at_us in (3, 4)} == {1, 2}
        assert last_event_by(reader.connection, 1, NOW_US).left_out == 1


def test_period_begins_and_ends_by_times_that_can_be_right(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path)) as journal:
        play = Play(journal)
        for number in range(1, 8):
            normal_us = play.at_us
            play.at_us = LATER_US if number == 4 else normal_us
            play.round(f"r{number}")
            play.at_us = normal_us + DAY_US
    day = "2026-09-{:02}".format
    with closing(open_reader(tmp_path)) as reader:
        found = period_of(reader, day(21 + 2), day(21 + 4), START_US + 30 * DAY_US)
        assert found.rounds() == ("r3", "r4", "r5")
        assert found.left_out
