"""The bytes of the messages of a shoe on our link, and the page that describes them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.messages import FaultCleared as Over
from drivers.messages import FaultRaised as Begun
from drivers.messages import NotUnderstood, Reply
from drivers.shoe.link_codec import decode_command, decode_event, decode_shoe_reply, encode_event, encode_status
from drivers.shoe.link_messages import (
    CutReached,
    Drawn,
    Event,
    GetStatus,
    LidClosed,
    LidOpened,
    Locked,
    ShoeFault,
    Status,
    Unlocked,
)
from drivers.shoe.telling import LINK_FAULTS
from tests.drivers.linkbench import asked, carried, cuts

BYTES = st.integers(0, 255)
LINK_PAGE = (Path(__file__).parents[2] / "docs" / "protocols" / "link.md").read_text()
GOLDEN_EVENTS: list[tuple[str, Event]] = [
    ("01 0e 04", Drawn(14, 4)),
    ("01 00 00", Drawn(0, 0)),
    ("02", CutReached()),
    ("04 01", Begun(1)),
    ("05 01", Over(1)),
    ("06", LidOpened()),
    ("07", LidClosed()),
    ("08", Locked()),
    ("09", Unlocked()),
]
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(Drawn, BYTES, BYTES),
    st.sampled_from([CutReached(), LidOpened(), LidClosed(), Locked(), Unlocked()]),
    st.builds(Begun, BYTES),
    st.builds(Over, BYTES),
)


# --- bytes


@pytest.mark.parametrize(("text", "event"), GOLDEN_EVENTS)
def test_golden_events(text: str, event: Event) -> None:
    assert encode_event(event) == bytes.fromhex(text)
    assert decode_event(bytes.fromhex(text)) == event


@pytest.mark.parametrize("lid_open", [True, False])
@pytest.mark.parametrize("locked", [True, False])
def test_golden_status(*, lid_open: bool, locked: bool) -> None:
    status = Status(lid_open, locked)
    assert encode_status(status) == bytes((4, lid_open, locked))
    assert decode_shoe_reply(encode_status(status)) == status
    assert decode_command(b"\x01") == GetStatus()


@given(st.lists(EVENTS, max_size=12), cuts())
def test_events_arrive_whole_however_the_line_cuts_them(events: list[Event], at: list[int]) -> None:
    assert [decode_event(payload) for payload in carried([encode_event(event) for event in events], at)] == events


def test_events_arrive_whole_with_every_single_cut_and_byte_by_byte() -> None:
    events = [event for _, event in GOLDEN_EVENTS]
    payloads = [encode_event(event) for event in events]
    for at in [*([cut] for cut in range(1, 400)), list(range(1, 400))]:
        assert [decode_event(payload) for payload in carried(payloads, at)] == events


@given(st.builds(Status, st.booleans(), st.booleans()), cuts())
def test_the_status_arrives_whole_however_the_line_cuts_it(status: Status, at: list[int]) -> None:
    (reply,) = asked([b"\x01"], lambda _: encode_status(status), at)
    assert decode_shoe_reply(reply) == status


@given(st.binary(max_size=64))
def test_every_payload_is_a_value_for_each_decoder(payload: bytes) -> None:
    event = decode_event(payload)
    assert isinstance(event, Event)
    assert isinstance(event, NotUnderstood) or encode_event(event) == payload
    assert isinstance(decode_command(payload), GetStatus | NotUnderstood)
    assert isinstance(decode_shoe_reply(payload), Reply | Status)


@pytest.mark.parametrize("payload", [b"", b"\x63", b"\x01", b"\x01\x0e", b"\x01\x0e\x04\x00", b"\x02\x00", b"\x04"])
def test_unknown_and_cut_events_keep_their_kind_alone(payload: bytes) -> None:
    assert decode_event(payload) == NotUnderstood(payload[0] if payload else -1)


def test_what_has_no_payload_cannot_be_sent() -> None:
    with pytest.raises(ValueError, match="no payload"):
        encode_event(NotUnderstood(9))


# --- the page


def page_rows(first_column: str) -> list[list[str]]:
    """The cells of the page's table whose heading begins with `first_column`."""
    _, _, after = LINK_PAGE.partition(f"\n| {first_column} |")
    return [
        [cell.strip().strip("`") for cell in row.strip("|").split("|")]
        for row in after.split("\n\n")[0].splitlines()[2:]
    ]


def test_the_page_s_events_are_the_golden_ones() -> None:
    listed = [bytes.fromhex(payload) for payload, *_ in page_rows("payload | EVENT of a shoe")]
    assert listed == [bytes.fromhex(text) for text, _ in GOLDEN_EVENTS]


def test_the_page_s_command_and_reply_are_those_of_the_code() -> None:
    (command,) = [bytes.fromhex(payload) for payload, *_ in page_rows("payload | COMMAND to a shoe")]
    (reply,) = [bytes.fromhex(payload) for payload, *_ in page_rows("payload | REPLY of a shoe")]
    assert decode_command(command) == GetStatus()
    assert reply == encode_status(Status(lid_open=True, locked=False))


def test_the_page_lists_the_faults() -> None:
    listed = {int(number): name for number, name in page_rows("no. | fault of a shoe")}
    assert listed == {
        fault: fault.name.lower().replace("_", " ") for fault in LINK_FAULTS if isinstance(fault, ShoeFault)
    }
