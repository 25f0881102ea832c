import random
from binascii import crc32
from collections.abc import Iterable
from itertools import pairwise

import pytest
from cobs import cobs
from hypothesis import given
from hypothesis import strategies as st

from drivers.link.frame import (
    MAX_ENCODED,
    MAX_FRAME,
    Frame,
    FrameReader,
    FrameType,
    after,
    cobs_decode,
    cobs_encode,
    encode_frame,
    newer,
)

frames = st.builds(
    Frame,
    kind=st.integers(0, 255),
    seq=st.integers(0, 0xFFFF),
    ack=st.integers(0, 0xFFFF),
    boot=st.integers(0, 0xFFFFFFFF),
    t_us=st.integers(0, 2**64 - 1),
    flags=st.integers(0, 255),
    payload=st.binary(max_size=64),
)
SAMPLES = [
    Frame(FrameType.HELLO),
    Frame(FrameType.EVENT, seq=7, ack=6, boot=0xDEADBEEF, t_us=123456, payload=b"\x02\0\0\0"),
    Frame(FrameType.REPLY, seq=65535, boot=1, payload=bytes(range(64))),
]


def cut(data: bytes, cuts: Iterable[int]) -> list[bytes]:
    edges = [0, *sorted(point % (len(data) + 1) for point in cuts), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


@given(st.one_of(st.binary(max_size=600), st.lists(st.sampled_from([0, 1]), max_size=600).map(bytes)))
def test_cobs_agrees_with_the_public_implementation(data: bytes) -> None:
    assert cobs_encode(data) == cobs.encode(data)
    assert cobs_decode(cobs_encode(data)) == data


@pytest.mark.parametrize("length", [0, 1, 253, 254, 255, 507, 508, 509, 762])
def test_cobs_agrees_at_the_edges_of_its_blocks(length: int) -> None:
    for data in (b"\x07" * length, b"\x07" * length + b"\0", b"\0" + b"\x07" * length):
        assert cobs_encode(data) == cobs.encode(data)
        assert cobs_decode(cobs_encode(data)) == data


@given(st.binary(max_size=300))
def test_cobs_takes_nothing_that_the_public_decoder_refuses(data: bytes) -> None:
    try:
        expected: bytes | None = cobs.decode(data)
    except cobs.DecodeError:
        expected = None
    assert cobs_decode(data) == expected


@given(frames)
def test_every_frame_survives_the_wire(frame: Frame) -> None:
    data = encode_frame(frame)
    assert data.count(0) == 2
    assert len(data) <= MAX_ENCODED + 2 == MAX_FRAME + 3
    assert FrameReader().feed(data) == [frame]


@given(st.lists(frames, max_size=6), st.lists(st.integers(0)))
def test_chunking_changes_nothing(sent: list[Frame], cuts: list[int]) -> None:
    data = b"".join(encode_frame(frame) for frame in sent)
    reader, single = FrameReader(), FrameReader()
    assert [frame for chunk in cut(data, cuts) for frame in reader.feed(chunk)] == sent
    assert [frame for byte in data for frame in single.feed(bytes((byte,)))] == sent


def test_a_payload_over_64_bytes_is_an_error() -> None:
    with pytest.raises(ValueError, match="at most 64"):
        encode_frame(Frame(FrameType.EVENT, payload=bytes(65)))


def test_a_payload_is_in_no_printed_form() -> None:
    assert "secret" not in repr(Frame(FrameType.EVENT, payload=b"secret"))


@pytest.mark.parametrize("frame", SAMPLES)
def test_no_one_or_two_flipped_bits_give_a_frame(frame: Frame) -> None:
    data = encode_frame(frame)
    source = random.Random(5)
    bits = range(len(data) * 8)
    pairs = [(bit,) for bit in bits] + [tuple(source.sample(bits, 2)) for _ in range(5000)]
    for flips in pairs:
        hurt = int.from_bytes(data)
        for bit in flips:
            hurt ^= 1 << bit
        assert FrameReader().feed(hurt.to_bytes(len(data))) == []


@given(st.binary(max_size=200), frames)
def test_garbage_before_a_frame_does_not_hide_it(garbage: bytes, frame: Frame) -> None:
    assert FrameReader().feed(garbage + encode_frame(frame))[-1] == frame


def test_each_cause_of_rejection_has_its_counter() -> None:
    reader = FrameReader()
    good = encode_frame(SAMPLES[1])
    wrong_version = bytearray(cobs_decode(good[1:-1]) or b"")
    assert reader.feed(b"\0\x05\x01\0") == []
    assert reader.feed(b"\0" + cobs_encode(b"short") + b"\0") == []
    assert reader.feed(b"\0" + b"\x01" * 500 + b"\0") == []
    assert reader.feed(b"\0" + cobs_encode(bytes(wrong_version[:-1]) + b"\x99") + b"\0") == []
    assert reader.feed(_with_version(2)) == []
    assert reader.feed(good) == [SAMPLES[1]]
    counters = reader.counters
    assert (counters.bad_cobs, counters.bad_length, counters.overflow) == (1, 1, 1)
    assert (counters.bad_crc, counters.bad_version, counters.frames, counters.rejected) == (1, 1, 1, 5)


def _with_version(version: int) -> bytes:
    content = bytearray(cobs_decode(encode_frame(SAMPLES[1])[1:-1]) or b"")
    content[0] = version
    content[-4:] = crc32(content[:-4]).to_bytes(4, "little")
    return b"\0" + cobs_encode(bytes(content)) + b"\0"


def test_random_and_mutated_streams_never_crash_and_stay_small() -> None:
    source = random.Random(3)
    reader = FrameReader()
    good = [encode_frame(frame) for frame in SAMPLES]
    taken = 0
    for number in range(30_000):
        data = bytearray(source.choice(good))
        for _ in range(source.randrange(4)):
            data[source.randrange(len(data))] = source.randrange(256)
        found = reader.feed(bytes(data) if number % 4 else source.randbytes(30))
        assert all(frame in SAMPLES for frame in found)
        taken += len(found)
        assert len(reader._piece) <= MAX_ENCODED
    assert taken > 5000
    assert reader.counters.rejected > 5000


@given(st.integers(0, 0xFFFF), st.integers(1, 0x7FFF))
def test_event_numbers_are_ordered_across_their_wrap(seq: int, steps: int) -> None:
    later = after(seq, steps)
    assert newer(later, seq)
    assert not newer(seq, later)
    assert not newer(seq, seq)
    assert after(later, -steps) == seq
