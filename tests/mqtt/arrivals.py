"""What a witness got of a table's events, by their numbers."""

from tests.mqtt.conftest import number
from tests.support.witness import Witness


def first_arrivals(seen: Witness) -> list[int]:
    """The events' numbers in the order of their first arrivals; every repeat has the same bytes."""
    first: dict[int, bytes] = {}
    for message in seen.under("/event/"):
        payload = bytes(message.payload)
        assert first.setdefault(number(payload), payload) == payload
    return list(first)


def newest(seen: Witness) -> int:
    """The number of the event that came last, told without a look at all the others."""
    found = (message for message in reversed(seen.messages) if "/event/" in message.topic.value)
    return next((number(bytes(message.payload)) for message in found), 0)


def upto(count: int) -> list[int]:
    """The numbers of the first `count` events."""
    return list(range(1, count + 1))
