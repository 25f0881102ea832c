"""The account of one log's numbers."""

from hypothesis import given
from hypothesis import strategies as st

from tablectl.features.tail import completeness
from tablectl.features.tail.completeness import Arrival, Completeness, ranges_text


def of(*numbers: int) -> Completeness:
    log = Completeness()
    for number in numbers:
        log.take(number, str(number).encode())
    return log


def test_nothing_has_come_yet() -> None:
    log = Completeness()
    assert (log.first, log.last, log.count, log.missing(), log.flawless) == (0, 0, 0, [], True)


def test_gaps_are_named_as_ranges() -> None:
    log = of(1, 2, 6, 8, 9)
    assert log.missing() == [(3, 5), (7, 7)]
    assert ranges_text(log.missing()) == "3–5, 7"
    assert not log.flawless


def test_late_arrivals_fill_their_gaps() -> None:
    log = of(5, 1, 3, 2, 4)
    assert (log.missing(), log.first, log.last, log.count, log.flawless) == ([], 1, 5, 5, True)


def test_repeat_with_the_same_bytes_is_no_flaw() -> None:
    log = of(1, 2)
    assert log.take(1, b"1") is Arrival.REPEATED
    assert (log.repeats, log.count, log.flawless) == (1, 2, True)


def test_repeat_with_other_bytes_is_a_flaw() -> None:
    log = of(1, 2)
    assert log.take(2, b"other") is Arrival.DIFFERENT
    assert (log.different, log.repeats, log.flawless) == ([2], 0, False)


def test_byte_memory_is_bounded_and_number_memory_is_not() -> None:
    log = Completeness()
    for number in range(1, completeness.KEPT + 11):
        log.take(number, b"same")
    assert log.count == completeness.KEPT + 10
    assert log.take(5, b"other") is Arrival.REPEATED
    assert log.take(completeness.KEPT, b"other") is Arrival.DIFFERENT


@given(st.lists(st.integers(1, 40)))
def test_ranges_say_the_same_as_a_set(numbers: list[int]) -> None:
    log, seen = Completeness(), set[int]()
    for number in numbers:
        arrival = log.take(number, b"")
        assert arrival is (Arrival.REPEATED if number in seen else Arrival.NEW)
        seen.add(number)
    missing = {number for low, high in log.missing() for number in range(low, high + 1)}
    whole = set(range(min(seen), max(seen) + 1)) if seen else set()
    assert missing == whole - seen
    assert log.count == len(seen)
    assert (log.first, log.last) == ((min(seen), max(seen)) if seen else (0, 0))
