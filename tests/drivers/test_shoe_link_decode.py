"""The bytes of a shoe on our link, explained: which card came is told only where that is asked for."""

import pytest

from drivers.diagnostics.explain import explainer
from drivers.link.frame import Frame, FrameType, encode_frame
from drivers.link.identity import encode_identity
from drivers.shoe.link import EVENTS, REPLIES, UNREAD, CutReached, Drawn, Event, Status
from drivers.sim.shoe import SIMULATED_LINKED_SHOE

BOOT = 0x1BADB002


def event(said: Event) -> bytes:
    return encode_frame(Frame(FrameType.EVENT, 1, 0, BOOT, 256, 0, EVENTS.encode(said)))


@pytest.mark.parametrize(
    ("drawn", "cards", "told"),
    [
        (Drawn(12, 3), False, "Drawn (card (hidden))"),
        (Drawn(12, 3), True, "Drawn (card Qh)"),
        (Drawn(UNREAD, UNREAD), False, "Drawn (card (hidden))"),
        (Drawn(UNREAD, UNREAD), True, "Drawn (card unread)"),
        (CutReached(), False, "CutReached"),
    ],
)
@pytest.mark.parametrize("known", [True, False], ids=["told the kind", "by its identity"])
def test_a_card_is_named_only_where_that_is_asked_for(drawn: Event, told: str, *, cards: bool, known: bool) -> None:
    explaining = explainer("link", "shoe" if known else "", cards=cards)
    explaining.feed(encode_frame(Frame(FrameType.IDENTITY, 0, 0, BOOT, 1, 0, encode_identity(SIMULATED_LINKED_SHOE))))
    (line,) = explaining.feed(event(drawn))
    assert line == f"EVENT seq 1 ack 0 boot 1badb002: {told}"


def test_card_of_a_device_of_unknown_kind_is_its_length() -> None:
    (line,) = explainer("link", cards=True).feed(event(Drawn(12, 3)))
    assert line.endswith(": 3 bytes of a device of unknown kind")


def test_what_a_shoe_answers_is_explained() -> None:
    reply = bytes(8) + REPLIES.encode(Status(lid_open=True, locked=False))
    (line,) = explainer("link", "shoe").feed(encode_frame(Frame(FrameType.REPLY, 1, 0, BOOT, 1, 0, reply)))
    assert line.endswith("command 0000000000000000: Status (lid_open True, locked False)")
