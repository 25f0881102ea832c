"""The vectors on the wheel's page are what the codecs read and write."""

import re
from binascii import crc32
from pathlib import Path

import pytest

from drivers.wheel import qsb
from drivers.wheel.facts import Defect
from drivers.wheel.qsb import LineReader, Register, Reply
from drivers.wheel.usb_sensor import decode_identity, decode_packet, encode_identity, encode_packet
from tablectl.core.outcomes import Flaw

PAGE = (Path(__file__).parents[2] / "docs" / "protocols" / "wheel.md").read_text()


def rows(first_column: str) -> list[str]:
    """The first cells of the table whose heading begins with `first_column`."""
    _, _, after = PAGE.partition(f"\n| {first_column} |")
    return [row.split("|")[1].strip().strip("`") for row in after.split("\n\n")[0].splitlines()[2:]]


PACKETS = [bytes.fromhex(cell) for cell in rows("packet")]
IDENTITIES = [bytes.fromhex(cell) for cell in rows("identity")]
LINES = [bytes.fromhex(cell) for cell in rows("bytes | line")]


@pytest.mark.parametrize("data", PACKETS)
def test_a_packet_is_read_and_written_as_the_page_says(data: bytes) -> None:
    packet = decode_packet(data)
    assert packet is not None
    assert encode_packet(packet) == data
    assert int.from_bytes(data[-4:], "little") == crc32(data[:-4])


def test_the_packets_say_what_the_page_says() -> None:
    first, second, third = [decode_packet(data) for data in PACKETS]
    assert first is not None
    assert second is not None
    assert third is not None
    assert (first.seq, first.boot, first.readings[0].at_us, first.readings[0].count) == (1, 0xDEADBEEF, 5_000_000, 4096)
    assert [reading.count for reading in second.readings] == [8190, 8201, 8212]
    assert [reading.index for reading in second.readings] == [None, 8192, None]
    assert (second.seq, second.index_number) == (65535, 7)
    assert [reading.defect for reading in second.readings] == [Defect.NONE, Defect.NONE, Defect.QUADRATURE]
    assert (third.seq, third.boot, third.interval_us, third.overrun) == (2, 1, 500, True)
    assert third.readings[0].defect is Defect.WORD


@pytest.mark.parametrize("data", IDENTITIES)
def test_an_identity_is_read_and_written_as_the_page_says(data: bytes) -> None:
    identity = decode_identity(data)
    assert identity is not None
    assert encode_identity(identity) == data


def test_the_identities_say_what_the_page_says() -> None:
    first, second = [decode_identity(data) for data in IDENTITIES]
    assert first is not None
    assert second is not None
    assert (first.maker, first.model, first.serial, first.firmware) == ("tablectl", "wheel", "W-0001", "1.0")
    assert (first.counts_per_turn, first.absolute, first.indexed, first.simulated) == (8192, False, True, True)
    assert (second.maker, second.model, second.serial, second.firmware) == ("ACME", "ABS16", "77", "2.3")
    assert (second.counts_per_turn, second.absolute, second.indexed) == (65536, True, False)


def test_the_commands_and_the_answer_are_as_the_page_says() -> None:
    replies, version, stream, answer = LINES
    assert qsb.encode_write(Register.REPLIES, qsb.FIXED_REPLIES) == replies
    assert qsb.encode_read(Register.VERSION) == version
    assert qsb.encode_stream(Register.COUNT) == stream
    assert LineReader().feed(answer) == [Reply("s", Register.COUNT, 0xFFFF_FFFE, 500)]
    assert len(answer) == qsb.REPLY_BYTES


def test_the_page_names_every_flaw() -> None:
    _, _, table = PAGE.partition("## From readings to facts")
    assert {flaw.value for flaw in Flaw} == set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
