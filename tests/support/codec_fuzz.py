"""Random and mutated frames for every codec, and what each of them makes of it that isn't true.

A codec may refuse what is damaged, and may not crash, hang, or make of it a fact that the device never told.
"""

import random
import re
import struct
from binascii import crc32
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, TypeVar

from drivers.devices import linked
from drivers.display.am03127 import AnswerReader
from drivers.link.frame import MAX_ENCODED, MAX_PAYLOAD, Frame, FrameReader, encode_frame
from drivers.link.identity import decode_identity, encode_identity
from drivers.link.table import NotUnderstood
from drivers.shoe.angel_eye import MAX_BODY, RANKS, SUITS, decode_report
from drivers.shoe.reports import CardDrawn, CutCardReached, LockReported, Report, StandBy, Started, Target, Undecodable
from drivers.shoe.vote import Confirmed, ShoeReceiver
from drivers.shuffler.codec import CardOrderReceived, EventKind
from drivers.sim.shoe import encode_report, frame_report
from drivers.wheel import usb_sensor
from drivers.wheel.facts import Defect, Reading
from drivers.wheel.usb_sensor import Packet, SensorIdentity
from tablectl.daemon.host.ntp import decode_answer

MOST_TOLD = 20
"""So many wrong facts are told in words; all are counted."""

COPIES = 3
LATE = 6
"""The end of a frame may come with one of so many after it, where the line cut it there."""


@dataclass(slots=True)
class Fuzzed:
    """What came of it.

    Args:
        frames: how many were fed.
        taken: how many were understood.
        wrong: what came out that nobody sent, as sentences.
    """

    frames: int = 0
    taken: int = 0
    wrong: list[str] = field(default_factory=list[str])

    def blame(self, what: str) -> None:
        """Notes a wrong fact."""
        if len(self.wrong) < MOST_TOLD:
            self.wrong.append(what)

    def add(self, other: "Fuzzed") -> None:
        """Adds another part's."""
        self.frames, self.taken = self.frames + other.frames, self.taken + other.taken
        self.wrong += other.wrong


Fuzz = Callable[[int, int], Fuzzed]
"""So many frames, by this seed."""


def hurt(chance: random.Random, data: bytes) -> bytes:
    """What a bad line makes of a frame; one in six comes whole."""
    if not data:
        return chance.randbytes(chance.randrange(4))
    at = chance.randrange(len(data))
    end = min(len(data), at + chance.randrange(1, 6))
    match chance.randrange(12):
        case 0 | 1:
            return data
        case 2 | 3 | 4:
            flipped = bytearray(data)
            for _ in range(chance.randrange(1, 4)):
                flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            return bytes(flipped)
        case 5:
            return data[:at] + chance.randbytes(end - at) + data[end:]
        case 6:
            return data[:at] + data[end:]
        case 7:
            return data[:at] + chance.randbytes(end - at) + data[at:]
        case 8:
            return data[:end] + data[at:]
        case 9:
            return data[:at]
        case 10:
            return data[at:] + data[:at]
        case _:
            return chance.randbytes(chance.randrange(1, 2 * len(data) + 1))


# --- the shoe ---------------------------------------------------------------------------------------------------------

_FACES = tuple(rank + suit for rank in RANKS.values() for suit in SUITS.values())
_QUIET: tuple[Report, ...] = (Started(), StandBy(), CutCardReached(), LockReported(locked=True))


def fuzz_angel_eye(count: int, seed: int) -> Fuzzed:
    """Reports in three copies, hurt on the line: what the vote confirms is what the shoe sent, once and in order."""
    chance, fuzzed, receiver = random.Random(seed), Fuzzed(), ShoeReceiver()
    sent: deque[Confirmed] = deque(maxlen=LATE)
    number, now_s = 0, 0.0
    while fuzzed.frames < count:
        number, now_s = number + 1, now_s + chance.choice((0.1, 0.7))
        report = _report(chance)
        sent.append(Confirmed(str(number % 10), report))
        for copy in _copies(chance, encode_report(str(number % 10), report)):
            notices = receiver.receive(copy, now_s)
            fuzzed.frames += 1
            for notice in [notice for notice in notices if isinstance(notice, Confirmed)]:
                fuzzed.taken += 1
                _claim(fuzzed, sent, notice, f"report {number}")
        if len(receiver._parser._body) > MAX_BODY:
            fuzzed.blame(f"report {number}: the parser keeps {len(receiver._parser._body)} bytes")
        _impossible_report(chance, fuzzed)
    return fuzzed


T = TypeVar("T")


def _claim(fuzzed: Fuzzed, sent: deque[T], found: T, name: str) -> None:
    """Takes what was found out of what was sent, and all that was sent before; damage may have held it back."""
    if found not in sent:
        fuzzed.blame(f"{name}: read {found}, sent {list(sent)}")
        return
    while sent.popleft() != found:
        pass


def _report(chance: random.Random) -> Report:
    if chance.random() < 0.2:
        return chance.choice(_QUIET)
    target = chance.choice((Target.PLAYER, Target.BANKER))
    return CardDrawn(in_game=True, target=target, index=chance.randrange(11), card=chance.choice(_FACES))


def _copies(chance: random.Random, sent: bytes) -> list[bytes]:
    """Three copies: one hurt, or all of them, but never two in the same way, against which the wire has nothing."""
    if chance.random() < 0.5:
        copies = [sent] * COPIES
        copies[chance.randrange(COPIES)] = hurt(chance, sent)
        return copies
    while True:
        copies = [hurt(chance, sent) for _ in range(COPIES)]
        damaged = [copy for copy in copies if copy != sent]
        if len(set(damaged)) == len(damaged):
            return copies


def _impossible_report(chance: random.Random, fuzzed: Fuzzed) -> None:
    """Any content under right check characters is refused, or is what those bytes say."""
    content = bytes((chance.choice(b"SPDdRGCEeLMX"),)) + chance.randbytes(chance.randrange(5))
    report = decode_report(content)
    fuzzed.frames += 1
    if isinstance(report, Undecodable | LockReported):
        return
    fuzzed.taken += 1
    if encode_report("1", report) != frame_report("1", content):
        fuzzed.blame(f"{content.hex()} is read as {report}")


# --- our link ---------------------------------------------------------------------------------------------------------


def fuzz_link(count: int, seed: int) -> Fuzzed:
    """Frames hurt on the line: what the reader finds is what was sent, once unless the line doubled it."""
    chance, fuzzed, reader = random.Random(seed), Fuzzed(count), FrameReader()
    sent: deque[Frame] = deque(maxlen=LATE)
    for number in range(count):
        sent.append(_frame(chance))
        found = reader.feed(hurt(chance, encode_frame(sent[-1])))
        fuzzed.taken += len(found)
        for frame in found:
            if frame not in sent:
                fuzzed.blame(f"frame {number}: read {frame} {frame.payload.hex()}, sent {list(sent)}")
        if len(reader._piece) > MAX_ENCODED:
            fuzzed.blame(f"frame {number}: the reader keeps {len(reader._piece)} bytes")
    return fuzzed


def _frame(chance: random.Random) -> Frame:
    bits = chance.getrandbits
    payload = chance.randbytes(chance.randrange(MAX_PAYLOAD + 1))
    return Frame(chance.randrange(1, 12), bits(16), bits(16), bits(32), bits(64), bits(8), payload)


@dataclass(frozen=True, slots=True)
class Decoder:
    """One decoder of messages, and what makes the bytes again of what it read.

    Args:
        first: the first bytes that mean something to it.
        most: how many bytes a message may have.
    """

    decode: Callable[[bytes], Any]
    encode: Callable[[Any], bytes]
    first: range
    most: int = MAX_PAYLOAD


_BODY = MAX_PAYLOAD - 8


_MOST: Final[Mapping[str, tuple[int, int]]] = {
    "shuffler events": (10, 16), "shuffler commands": (5, 12), "shuffler replies": (5, 8),
    "draw events": (8, 14), "draw commands": (6, _BODY), "draw replies": (6, 14),
    "display commands": (6, 14), "display replies": (6, 14),
    "shoe events": (11, 14), "shoe commands": (4, 12), "shoe replies": (6, 14),
    "dice commands": (4, 12), "dice events": (9, 14), "dice replies": (6, 5),
    "buzzer events": (7, 12), "buzzer commands": (4, 12), "buzzer replies": (5, 8),
}  # fmt: skip
"""The tables in the order in which they are fed: from which first byte on nothing is known, and the longest message."""


def _decoder(name: str, first: int, most: int) -> Decoder:
    kind, direction = name.split()
    table = getattr(next(device.codec for device in linked() if device.kind == kind), direction)

    def encode(value: Any) -> bytes:
        return bytes((EventKind.CARD_ORDER,)) if isinstance(value, CardOrderReceived) else bytes(table.encode(value))

    return Decoder(table.decode, encode, range(first), most)


DECODERS: Final[Mapping[str, Decoder]] = MappingProxyType(
    {name: _decoder(name, first, most) for name, (first, most) in _MOST.items()}
)
"""Every decoder of every device's messages."""

_CHRONY_HEAD, _CHRONY_TAIL = struct.Struct(">BBBBHHHHHHIII"), struct.Struct(">I20sHH3I9I")
_LENGTHS = (0, 1, 2, 3, 4, 5, 8, 9, 10, 11)

MESSAGES: Final = tuple(sorted({name.split()[0] for name in DECODERS}))
"""The devices whose messages go over our own link."""


def fuzz_messages(device: str, count: int, seed: int) -> Fuzzed:
    """Any bytes in a whole frame: a message is refused, or says exactly what its bytes say."""
    chance, fuzzed = random.Random(seed), Fuzzed(count)
    decoders = [(name, decoder) for name, decoder in DECODERS.items() if name.split()[0] == device]
    for number in range(count):
        name, decoder = decoders[number % len(decoders)]
        body = _body(chance, decoder)
        value = decoder.decode(body)
        if not isinstance(value, NotUnderstood):
            fuzzed.taken += 1
            again = decoder.encode(value)
            if again != (body[:1] if isinstance(value, CardOrderReceived) else body):
                fuzzed.blame(f"{name} {body.hex()} is read as {value}")
        if not number % 4:
            _identity(chance, fuzzed)
    return fuzzed


def _body(chance: random.Random, decoder: Decoder) -> bytes:
    """Often of a length that means something, and of small values."""
    length = chance.choice(_LENGTHS) if chance.random() < 0.8 else chance.randrange(decoder.most)
    rest = bytes(chance.choices(range(9), k=length)) if chance.random() < 0.5 else chance.randbytes(length)
    whole = bytes((chance.choice(decoder.first),)) + rest
    return whole[: decoder.most] if chance.random() < 0.95 else b""


def _identity(chance: random.Random, fuzzed: Fuzzed) -> None:
    names = b"".join(bytes((len(name),)) + name for name in (b"maker", b"model", b"serial"))
    payload = hurt(chance, b"\x01\x01" + chance.randbytes(11) + names)
    identity = decode_identity(payload)
    if identity is not None and len(payload) <= MAX_PAYLOAD and decode_identity(encode_identity(identity)) != identity:
        fuzzed.blame(f"identity {payload.hex()} is read as {identity}")


def fuzz_chrony(count: int, seed: int) -> Fuzzed:
    """Answers of who keeps the clock, hurt on the way: none is told that isn't one, nor an error below nothing."""
    chance, fuzzed = random.Random(seed), Fuzzed(count)
    for number in range(count):
        told = (6, 2, 0, 0, 33, 5, 0, 0, 0, 0, number, 0, 0)
        floats = [chance.getrandbits(32) for _ in range(9)]
        tail = _CHRONY_TAIL.pack(1, bytes(20), 1, chance.randrange(4), 0, 0, 0, *floats)
        data = hurt(chance, _CHRONY_HEAD.pack(*told) + tail)
        quality = decode_answer(data, number)
        fuzzed.taken += quality is not None
        if quality is not None and quality[1] is not None and quality[1] < 0:
            fuzzed.blame(f"answer {data.hex()} is read as {quality}")
    return fuzzed


# --- the board, and the wheel's own sensor ----------------------------------------------------------------------------

_ANSWER = re.compile(rb"N?ACK")
_STREAM = 64


def fuzz_am03127(count: int, seed: int) -> Fuzzed:
    """Answers hurt on the line and cut anywhere: as many are found as are there, each as what it is."""
    chance, fuzzed = random.Random(seed), Fuzzed(count)
    for begin in range(0, count, _STREAM):
        answers = [chance.choice((b"ACK", b"NACK", b"ACK\r\n")) for _ in range(min(_STREAM, count - begin))]
        pieces = [hurt(chance, answer) for answer in answers]
        reader = AnswerReader()
        found = [answer.value.encode() for piece in pieces for answer in reader.feed(piece)]
        fuzzed.taken += len(found)
        if found != _ANSWER.findall(b"".join(pieces)):
            fuzzed.blame(f"{b''.join(pieces)!r} is read as {found}")
        if len(reader._piece) > 3:
            fuzzed.blame(f"the reader keeps {reader._piece!r}")
    return fuzzed


def fuzz_usb_sensor(count: int, seed: int) -> Fuzzed:
    """Transfers hurt on the way: each is refused or is the one that was sent; any bytes under a right sum likewise."""
    chance, fuzzed = random.Random(seed), Fuzzed(count)
    identity = SensorIdentity("maker", "model", "W-1", "1.0", 7, 8192, 1000)
    told = usb_sensor.encode_identity(identity)
    for number in range(count):
        packet = _packet(chance, number)
        data = usb_sensor.encode_packet(packet)
        read = usb_sensor.decode_packet(hurt(chance, data))
        fuzzed.taken += read is not None
        if read not in (None, packet):
            fuzzed.blame(f"transfer {number}: sent {packet}, read {read}")
        if not number % 4:
            _summed_packet(chance, data, fuzzed)
            if usb_sensor.decode_identity(hurt(chance, told)) not in (None, identity):
                fuzzed.blame(f"transfer {number}: another identity")
    return fuzzed


def _packet(chance: random.Random, number: int) -> Packet:
    bits, interval_us = chance.getrandbits, chance.choice((1000, 2000))
    passed, index = chance.randrange(12), bits(32)
    readings = tuple(
        Reading(number * 8000 + at * interval_us, bits(32), index if at == passed else None, Defect(bits(2) << 1))
        for at in range(chance.randrange(1, 9))
    )
    return Packet(number & 0xFFFF, bits(32), bits(16), index, interval_us, readings, overrun=bool(bits(1)))


def _summed_packet(chance: random.Random, data: bytes, fuzzed: Fuzzed) -> None:
    """A device that counts wrongly and sums rightly."""
    damaged = bytearray(data[:-4])
    for _ in range(chance.randrange(1, 4)):
        damaged[chance.randrange(len(damaged))] = chance.randrange(256)
    whole = bytes(damaged) + crc32(damaged).to_bytes(4, "little")
    read = usb_sensor.decode_packet(whole)
    if read is not None and usb_sensor.encode_packet(read) != whole:
        fuzzed.blame(f"{whole.hex()} is read as {read}")
