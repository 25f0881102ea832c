"""The codec of our own wheel sensor: whole and undamaged, or nothing."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.wheel.facts import Defect, Reading
from drivers.wheel.usb_sensor import (
    MAX_SAMPLES,
    Packet,
    SensorIdentity,
    decode_identity,
    decode_packet,
    encode_identity,
    encode_packet,
)

U16 = st.integers(0, (1 << 16) - 1)
U32 = st.integers(0, (1 << 32) - 1)
NAMES = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=30)
IDENTITY = SensorIdentity("tablectl", "wheel", "W-0001", "1.0", 7, 8192, 1000)


@st.composite
def packets(draw: st.DrawFn) -> Packet:
    interval_us, first_us, index = draw(st.integers(1, 65535)), draw(st.integers(0, 1 << 50)), draw(U32)
    counts = draw(st.lists(U32, min_size=1, max_size=MAX_SAMPLES))
    marked = draw(st.integers(-1, len(counts) - 1))
    readings = [
        Reading(
            first_us + number * interval_us, count, index if number == marked else None, draw(st.sampled_from(Defect))
        )
        for number, count in enumerate(counts)
    ]
    return Packet(draw(U16), draw(U32), draw(U16), index, interval_us, tuple(readings), draw(st.booleans()))


@given(packets())
def test_a_packet_is_read_as_it_was_written(packet: Packet) -> None:
    assert decode_packet(encode_packet(packet)) == packet


@given(packets(), st.data())
def test_no_flipped_bit_makes_another_packet(packet: Packet, data: st.DataObject) -> None:
    sent = encode_packet(packet)
    bits = data.draw(st.sets(st.integers(0, 8 * len(sent) - 1), min_size=1, max_size=3))
    damaged = bytearray(sent)
    for bit in bits:
        damaged[bit // 8] ^= 1 << bit % 8
    assert decode_packet(bytes(damaged)) is None


@given(packets(), st.data())
def test_a_part_of_a_packet_is_none(packet: Packet, data: st.DataObject) -> None:
    sent = encode_packet(packet)
    assert decode_packet(sent[: data.draw(st.integers(0, len(sent) - 1))]) is None
    assert decode_packet(sent + b"\0") is None


@given(st.binary(max_size=600))
def test_random_bytes_are_no_packet_and_no_identity(data: bytes) -> None:
    assert decode_packet(data) is None
    assert decode_identity(data) is None


PACKET = Packet(1, 2, 0, 0, 1000, (Reading(0, 5), Reading(1000, 6)))


@pytest.mark.parametrize(
    "packet",
    [
        replace(PACKET, readings=()),
        replace(PACKET, readings=(Reading(0, 5), Reading(999, 6))),
        replace(PACKET, readings=(Reading(0, 5, 0), Reading(1000, 6, 0))),
        replace(PACKET, readings=(Reading(0, 5, 7), Reading(1000, 6))),
        replace(PACKET, readings=tuple([Reading(1000 * number, 0) for number in range(MAX_SAMPLES + 1)])),
    ],
)
def test_what_can_t_be_read_back_can_t_be_written(packet: Packet) -> None:
    with pytest.raises(ValueError, match="1 to 64 samples"):
        encode_packet(packet)


FLAGS = st.booleans()


@given(st.builds(SensorIdentity, NAMES, NAMES, NAMES, NAMES, U32, U32, U16, FLAGS, FLAGS, FLAGS))
def test_an_identity_is_read_as_it_was_written(identity: SensorIdentity) -> None:
    assert decode_identity(encode_identity(identity)) == identity


@pytest.mark.parametrize("maker", ["", "é", "a\n", "x" * 256])
def test_a_name_is_printable_and_fits(maker: str) -> None:
    with pytest.raises(ValueError, match=r"identity|ordinal|bytes"):
        encode_identity(replace(IDENTITY, maker=maker))


@given(st.integers(0, 8 * len(encode_identity(IDENTITY)) - 1))
def test_no_flipped_bit_makes_another_identity(bit: int) -> None:
    damaged = bytearray(encode_identity(IDENTITY))
    damaged[bit // 8] ^= 1 << bit % 8
    assert decode_identity(bytes(damaged)) is None
