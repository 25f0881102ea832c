"""What a frame costs in each codec, on one core.

The floor is the least that anybody does with the same bytes: cut them at their separators and check or convert each
piece with what C gives. The second lines say which part of a core a device takes whose line is full.
"""

import random
import re
import time
from binascii import crc32
from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct

from cobs import cobs

from bench.figures import Figure
from drivers.dice.codec import EVENTS, Thrown
from drivers.display.am03127 import AnswerReader
from drivers.link.frame import Frame, FrameReader, FrameType, encode_frame
from drivers.shoe.reports import CardDrawn, Target
from drivers.shoe.vote import ShoeReceiver
from drivers.sim.shoe import encode_report
from drivers.wheel.facts import Reading
from drivers.wheel.qsb import LineReader, Register, Reply, encode_reply
from drivers.wheel.usb_sensor import Packet, decode_packet, encode_packet
from tablectl.core.cards import PACK

READ_BYTES = 256
"""So many bytes come with one read: a line that is full and a loop that is prompt give fewer, a burst more."""

BITS_A_BYTE = 10
TARGET_PERCENT = 1.0
SAMPLE, HEAD = Struct("<IB"), 26
"""A reading of the USB sensor's transfer, and where the first one lies."""


@dataclass(frozen=True, slots=True)
class Case:
    """One codec at its work.

    Args:
        ours: takes all frames once.
        floor: does the least with the same bytes.
        per_s: how many frames a full line brings in a second.
    """

    name: str
    frames: int
    ours: Callable[[], object]
    floor: Callable[[], object]
    line: str
    per_s: float


def measure(frames: int, rounds: int) -> list[Figure]:
    """Microseconds a frame, the best of some rounds in which ours and the floor take turns, and shares of a core."""
    cases = [_shoe(frames), _link(frames), _dice(frames), _board(frames), _qsb(frames), _usb(frames)]
    costs = [(case, *_best_us(case, rounds)) for case in cases]
    costly = [
        Figure(f"{case.name}: {1e6 / ours_us:,.0f}/s", ours_us, "us", floor_us) for case, ours_us, floor_us in costs
    ]
    shares = [
        Figure(f"{case.line}, of a core", ours_us * case.per_s / 1e4, "%", target=TARGET_PERCENT)
        for case, ours_us, _ in costs
        if case.line
    ]
    return [*costly, *shares]


def _best_us(case: Case, rounds: int) -> tuple[float, float]:
    ours = floor = float("inf")
    for _ in range(rounds):
        ours, floor = min(ours, _taken_s(case.ours)), min(floor, _taken_s(case.floor))
    return ours * 1e6 / case.frames, floor * 1e6 / case.frames


def _taken_s(work: Callable[[], object]) -> float:
    begun_s = time.process_time()
    work()
    return time.process_time() - begun_s


def _reads(data: bytes) -> list[bytes]:
    return [data[begin : begin + READ_BYTES] for begin in range(0, len(data), READ_BYTES)]


def _full(baudrate: int, data: bytes, frames: int) -> float:
    """How many of these frames a second has on a line that is full."""
    return baudrate / BITS_A_BYTE / (len(data) / frames)


def _shoe(frames: int) -> Case:
    copies = [
        encode_report(
            str(number // 3 % 10), CardDrawn(in_game=True, target=Target.PLAYER, index=1, card=PACK[number // 3 % 52])
        )
        for number in range(frames)
    ]
    data = b"".join(copies)
    reads = _reads(data)

    def ours() -> None:
        receiver, now_s = ShoeReceiver(), 0.0
        for read in reads:
            now_s += 0.6
            receiver.receive(read, now_s)

    line = "a shoe's line full at 4,800 baud"
    return Case(
        "shoe, a copy and its vote", frames, ours, lambda: _summed(data, b"\x05"), line, _full(4800, data, frames)
    )


def _summed(data: bytes, separator: bytes) -> list[int]:
    return [crc32(piece) for piece in data.split(separator)]


def _link(frames: int) -> Case:
    chance = random.Random(1)
    data = b"".join(
        [
            encode_frame(Frame(FrameType.EVENT, number & 0xFFFF, 0, 7, number, payload=chance.randbytes(12)))
            for number in range(frames)
        ]
    )
    reads = _reads(data)

    def ours() -> None:
        reader = FrameReader()
        for read in reads:
            reader.feed(read)

    def floor() -> list[int]:
        return [crc32(cobs.decode(piece)) for piece in data.split(b"\0") if piece]

    line = "a link's line full at 115,200 baud"
    return Case("our link, an event's frame", frames, ours, floor, line, _full(115_200, data, frames))


def _dice(frames: int) -> Case:
    chance = random.Random(1)
    payloads = [EVENTS.encode(Thrown(tuple(chance.choices(range(1, 7), k=3)))) for _ in range(frames)]

    def ours() -> None:
        for payload in payloads:
            EVENTS.decode(payload)

    return Case("a message, three dice", frames, ours, lambda: [tuple(payload) for payload in payloads], "", 0.0)


def _board(frames: int) -> Case:
    data = b"ACK\r\n" * frames
    reads, answer = _reads(data), re.compile(rb"N?ACK")

    def ours() -> None:
        reader = AnswerReader()
        for read in reads:
            reader.feed(read)

    line = "a board's line full at 9,600 baud"
    return Case("AM03127, an answer", frames, ours, lambda: answer.findall(data), line, _full(9600, data, frames))


def _qsb(frames: int) -> Case:
    data = b"".join(
        [encode_reply(Reply("s", Register.COUNT, number * 37 % 8192, number * 2)) for number in range(frames)]
    )
    reads = _reads(data)

    def ours() -> None:
        reader = LineReader()
        for read in reads:
            reader.feed(read)

    def floor() -> list[tuple[int, int]]:
        return [(int(line[5:13], 16), int(line[14:22], 16)) for line in data.split(b"\n") if line]

    line = "a QSB's line full at 230,400 baud"
    return Case("QSB, a line", frames, ours, floor, line, _full(230_400, data, frames))


def _usb(frames: int) -> Case:
    packets = [encode_packet(_packet(number)) for number in range(frames)]

    def ours() -> None:
        for data in packets:
            decode_packet(data)

    def floor() -> list[tuple[int, list[tuple[int, ...]]]]:
        return [(crc32(data[:-4]), list(SAMPLE.iter_unpack(data[HEAD:-4]))) for data in packets]

    return Case("USB sensor, 16 readings", frames, ours, floor, "the USB sensor at 1 kHz", 1000 / 16)


def _packet(number: int) -> Packet:
    readings = tuple([Reading((number * 16 + at) * 1000, number * 16 + at) for at in range(16)])
    return Packet(number & 0xFFFF, 7, 0, 0, 1000, readings)
