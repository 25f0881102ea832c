"""The vectors on the protocol pages are what the code reads and writes."""

from binascii import crc32
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from cobs import cobs

from drivers.buzzer import codec as buzzer
from drivers.dice import codec as dice
from drivers.dice.codec import Flaw, Motion, Status
from drivers.display import codec as display
from drivers.display.codec import Seen, ShowDraw
from drivers.draw import codec as draw
from drivers.draw.codec import Drawn, RngState, RngStatus
from drivers.draw.health import PROPORTION_CUTOFF, PROPORTION_WINDOW, REPETITION_CUTOFF, STARTUP_SAMPLES
from drivers.link.frame import Frame, FrameReader, FrameType, NakReason, encode_frame
from drivers.link.identity import Kind, decode_identity, encode_identity
from drivers.link.messages import Codec, OperationState, OperationStatus
from drivers.link.table import NotUnderstood
from drivers.shoe.angel_eye import LOCK, CommandType, FrameParser, encode_command
from drivers.shoe.reports import Copy, Undecodable
from drivers.shuffler import codec as shuffler

PAGES = Path(__file__).parents[2] / "docs" / "protocols"
LINK = (PAGES / "link.md").read_text()
ANGEL_EYE = (PAGES / "angel-eye.md").read_text()


def rows(page: str, first_column: str) -> list[list[str]]:
    """The cells of the table whose heading begins with `first_column`."""
    _, _, after = page.partition(f"\n| {first_column} |")
    body = after.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip().strip("`") for cell in row.strip("|").split("|")] for row in body]


VECTORS = [
    (
        Frame(int(kind), int(seq), int(ack), int(boot, 16), int(t_us), int(flags), bytes.fromhex(payload)),
        bytes.fromhex(data),
    )
    for _, kind, flags, seq, ack, boot, t_us, payload, data in rows(LINK, "name | type")
]


def test_the_page_has_a_vector_of_every_type() -> None:
    assert {frame.kind for frame, _ in VECTORS} == set(FrameType)


@pytest.mark.parametrize(("frame", "data"), VECTORS)
def test_a_frame_is_what_the_page_says(frame: Frame, data: bytes) -> None:
    assert encode_frame(frame) == data
    assert FrameReader().feed(data) == [frame]


@pytest.mark.parametrize(("frame", "data"), VECTORS)
def test_a_vector_follows_from_the_page_s_own_description(frame: Frame, data: bytes) -> None:
    content = cobs.decode(data.strip(b"\0"))
    assert content[:3] == bytes((1, frame.kind, frame.flags))
    assert content[3:19] == b"".join(
        number.to_bytes(size, "little")
        for number, size in ((frame.seq, 2), (frame.ack, 2), (frame.boot, 4), (frame.t_us, 8))
    )
    assert content[19:-4] == frame.payload
    assert content[-4:] == crc32(content[:-4]).to_bytes(4, "little")


def test_page_numbers_types_and_reasons_as_code_does() -> None:
    assert {(int(no), name) for no, name, *_ in rows(LINK, "no. | type")} == {
        (kind.value, kind.name) for kind in FrameType
    }
    assert [int(no) for no, *_ in rows(LINK, "no. | NAK reason")] == [reason.value for reason in NakReason]


CODECS: dict[str, Codec[Any, Any, Any]] = {
    "shuffler": shuffler.CODEC,
    "draw system": draw.CODEC,
    "display": display.CODEC,
    "dice reader": dice.CODEC,
    "buzzer": buzzer.CODEC,
}
WITH_EVENTS = [device for device in CODECS if device != "display"]
WITH_REPORTS = [device for device in CODECS if device != "shuffler"]


def vectors(heading: str, devices: Iterable[str]) -> list[tuple[str, bytes]]:
    """The payloads in the tables of a heading, each with its device."""
    return [
        (device, bytes.fromhex(row[0])) for device in devices for row in rows(LINK, f"payload | {heading} a {device}")
    ]


@pytest.mark.parametrize(("device", "payload"), vectors("EVENT of", WITH_EVENTS))
def test_an_event_s_payload_is_what_the_page_says(device: str, payload: bytes) -> None:
    event = CODECS[device].events.decode(payload)
    assert not isinstance(event, NotUnderstood)
    assert CODECS[device].events.encode(event) == payload


@pytest.mark.parametrize(("device", "payload"), vectors("COMMAND to", CODECS))
def test_a_command_s_body_is_what_the_page_says(device: str, payload: bytes) -> None:
    command = CODECS[device].commands.decode(payload)
    assert not isinstance(command, NotUnderstood)
    assert CODECS[device].commands.encode(command) == payload


@pytest.mark.parametrize("payload", [bytes.fromhex(row[0]) for row in rows(LINK, "payload | REPLY body")])
def test_a_reply_s_body_is_what_the_page_says(payload: bytes) -> None:
    reply = shuffler.REPLIES.decode(payload)  # its result has two bytes, as the page's
    assert not isinstance(reply, NotUnderstood)
    assert shuffler.REPLIES.encode(reply) == payload


@pytest.mark.parametrize(("device", "payload"), vectors("REPLY of", WITH_REPORTS))
def test_a_device_s_own_reply_is_what_the_page_says(device: str, payload: bytes) -> None:
    assert not isinstance(CODECS[device].replies.decode(payload), NotUnderstood)


def test_the_page_s_own_replies_have_the_values_that_it_names() -> None:
    drawn, rng = (draw.REPLIES.decode(payload) for _, payload in vectors("REPLY of", ["draw system"]))
    assert drawn == OperationStatus(OperationState.DONE, draw.RESULT.write(Drawn(1, 3)))
    assert rng == RngStatus(RngState.GOOD, 0, 1024)
    shown = [display.REPLIES.decode(payload) for _, payload in vectors("REPLY of", ["display"])]
    assert shown == [Seen.NOTHING, ShowDraw(42, 1, 3), Seen.TEST_PATTERN, Seen.SOMETHING_ELSE]
    (status,) = (dice.REPLIES.decode(payload) for _, payload in vectors("REPLY of", ["dice reader"]))
    assert status == Status(Motion.RESTING, cover_open=False)


def test_the_identity_on_the_page_can_be_read() -> None:
    (payload,) = [frame.payload for frame, _ in VECTORS if frame.kind == FrameType.IDENTITY]
    identity = decode_identity(payload)
    assert identity is not None
    assert identity.simulated
    assert encode_identity(identity) == payload


def test_the_page_lists_the_kinds_of_device() -> None:
    assert [int(no) for no, _ in rows(LINK, "kind | device")] == [kind.value for kind in Kind]


@pytest.mark.parametrize("device", CODECS)
def test_the_page_lists_the_faults(device: str) -> None:
    listed = {int(no): name for no, name in rows(LINK, f"no. | fault of a {device}")}
    assert listed == {
        fault.value: fault.name.lower().replace("_", " ")
        for fault in CODECS[device].faults
        if fault.name != "UNRECOGNISED"
    }


def test_the_page_lists_the_flaws_of_a_throw() -> None:
    listed = [(int(no), name) for no, name in rows(LINK, "no. | flaw")]
    assert listed == [(flaw.value, flaw.name.lower() if flaw else "") for flaw in Flaw]


def test_the_page_has_the_cut_offs_of_the_health_tests() -> None:
    text = f"{REPETITION_CUTOFF} in a row, {PROPORTION_CUTOFF} in a window of {PROPORTION_WINDOW}"
    assert text in LINK
    assert f"over the first {STARTUP_SAMPLES} samples" in LINK


def test_the_shoe_s_vectors_are_read_and_its_commands_made() -> None:
    vectors = [bytes.fromhex(row[0]) for row in rows(ANGEL_EYE, "bytes | report")]
    copies = [copy for data in vectors[:4] for copy in FrameParser().feed(data)]
    assert [copy.seq for copy in copies if isinstance(copy, Copy)] == ["1", "2", "3", "4"]
    assert not any(isinstance(copy, Copy) and isinstance(copy.report, Undecodable) for copy in copies)
    commands = [encode_command(CommandType.LOCK, LOCK, bcc_includes_stx=stx) for stx in (True, False)]
    assert vectors[4:] == commands
