"""The chain of records: a link covers everything, and each part in its place."""

from itertools import combinations
from typing import Any

from tablectl.proof.chain import FIRST_LINK, next_link, seal

EVENTS = ((1, "event/card", b"a" * 32), (2, "event/round", b"b" * 32))
GIVEN: dict[str, Any] = {
    "link": FIRST_LINK,
    "salt": b"s" * 32,
    "number": 1,
    "recorded_us": 5,
    "body": b"fact",
    "events": EVENTS,
}
OTHERS: list[dict[str, Any]] = [
    {},
    {"link": b"x" * 32},
    {"salt": b"t" * 32},
    {"number": 2},
    {"recorded_us": -5},
    {"body": b"fac"},
    {"body": b""},
    {"events": EVENTS[:1]},
    {"events": EVENTS[::-1]},
    {"events": ()},
    {"events": ((1, "event/card", b"c" * 32), EVENTS[1])},
    {"events": ((3, "event/card", b"a" * 32), EVENTS[1])},
    {"events": ((1, "event/cards", b"a" * 32), EVENTS[1])},
]


def test_whatever_is_changed_changes_the_link() -> None:
    links = [next_link(**(GIVEN | other)) for other in OTHERS]
    assert all(one != two for one, two in combinations(links, 2))
    assert next_link(**GIVEN) == links[0]


def test_whatever_is_changed_changes_a_snapshots_seal() -> None:
    given = (b"l" * 32, 7, "table/1", b"state")
    others = [(b"m" * 32, 7, "table/1", b"state"), (b"l" * 32, 8, "table/1", b"state")]
    others += [
        (b"l" * 32, 7, "table/2", b"state"),
        (b"l" * 32, 7, "table/1", b"stat"),
        (b"l" * 32, 7, "table/1s", b"tate"),
    ]
    assert len({seal(*each) for each in (given, *others)}) == 6
