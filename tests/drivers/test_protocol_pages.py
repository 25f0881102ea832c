"""The vectors on the protocol pages are what the code reads and writes."""

import re
from binascii import crc32
from pathlib import Path

import pytest
from cobs import cobs

from drivers.frames import Frame, FrameReader, FrameType, NakReason, encode_frame
from drivers.identity import decode_identity, encode_identity
from drivers.messages import NotUnderstood, decode_reply, encode_reply
from drivers.shoe.angel_eye import LOCK, CommandType, FrameParser, encode_command
from drivers.shoe.reports import Copy, Undecodable
from drivers.shuffler.codec import (
    decode_command,
    decode_event,
    encode_event,
)
from drivers.shuffler.codec import (
    encode_command as encode_shuffler_command,
)
from drivers.shuffler.messages import FaultCode

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


def test_the_page_numbers_the_types_and_the_reasons_as_the_code_does() -> None:
    assert {(int(no), name) for no, name, *_ in rows(LINK, "no. | type")} == {
        (kind.value, kind.name) for kind in FrameType
    }
    assert [int(no) for no, *_ in rows(LINK, "no. | NAK reason")] == [reason.value for reason in NakReason]


@pytest.mark.parametrize("payload", [bytes.fromhex(row[0]) for row in rows(LINK, "payload | EVENT")])
def test_an_event_s_payload_is_what_the_page_says(payload: bytes) -> None:
    event = decode_event(payload)
    assert not isinstance(event, NotUnderstood)
    assert encode_event(event) == payload


@pytest.mark.parametrize("payload", [bytes.fromhex(row[0]) for row in rows(LINK, "payload | COMMAND body")])
def test_a_command_s_body_is_what_the_page_says(payload: bytes) -> None:
    command = decode_command(payload)
    assert not isinstance(command, NotUnderstood)
    assert encode_shuffler_command(command) == payload


@pytest.mark.parametrize("payload", [bytes.fromhex(row[0]) for row in rows(LINK, "payload | REPLY body")])
def test_a_reply_s_body_is_what_the_page_says(payload: bytes) -> None:
    reply = decode_reply(payload, result_size=2)
    assert not isinstance(reply, NotUnderstood)
    assert encode_reply(reply) == payload


def test_the_identity_on_the_page_can_be_read() -> None:
    (payload,) = [frame.payload for frame, _ in VECTORS if frame.kind == FrameType.IDENTITY]
    identity = decode_identity(payload)
    assert identity is not None
    assert identity.simulated
    assert encode_identity(identity) == payload


def test_the_page_lists_the_fault_codes() -> None:
    text = LINK[LINK.index("Codes:") :].replace("\n", " ")
    listed = {int(no): name.strip() for no, name in re.findall(r"(\d+) ([a-z ]+)[,.]", text)}
    assert listed == {
        code.value: code.name.lower().replace("_", " ") for code in FaultCode if code is not FaultCode.UNRECOGNISED
    }


def test_the_shoe_s_vectors_are_read_and_its_commands_made() -> None:
    vectors = [bytes.fromhex(row[0]) for row in rows(ANGEL_EYE, "bytes | report")]
    copies = [copy for data in vectors[:4] for copy in FrameParser().feed(data)]
    assert [copy.seq for copy in copies if isinstance(copy, Copy)] == ["1", "2", "3", "4"]
    assert not any(isinstance(copy, Copy) and isinstance(copy.report, Undecodable) for copy in copies)
    commands = [encode_command(CommandType.LOCK, LOCK, bcc_includes_stx=stx) for stx in (True, False)]
    assert vectors[4:] == commands
