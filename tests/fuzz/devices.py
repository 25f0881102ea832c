"""Bytes from devices: streams that may be cut anywhere, messages in whole frames, a session from its first frame."""

from binascii import crc32
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from cobs import cobs

from drivers.diagnostics.explain import KINDS, PROTOCOLS, explainer
from drivers.display.am03127 import Answer, AnswerReader
from drivers.link.frame import (
    MAX_ENCODED,
    MAX_PAYLOAD,
    Frame,
    FrameReader,
    FrameType,
    cobs_decode,
    cobs_encode,
    encode_frame,
)
from drivers.link.host import HostSession
from drivers.link.identity import decode_identity, encode_identity
from drivers.link.notices import PENDING, EventReceived, EventsLost, HostStatus, NotReadyError, Out
from drivers.link.table import NotUnderstood
from drivers.shoe.angel_eye import MAX_BODY, FrameParser
from drivers.shoe.reports import CardDrawn, Copy, Report
from drivers.shoe.reports import Target as Hand
from drivers.shuffler.codec import CardOrderReceived
from drivers.sim.shoe import encode_report, frame_report
from drivers.wheel import qsb, usb_sensor
from drivers.wheel.facts import Reading
from tablectl.daemon.host.ntp import decode_answer
from tests.fuzz.target import Bytes, Target, hold, obeyed
from tests.support.codec_fuzz import DECODERS


class Reader(Protocol):
    """A codec of a stream."""

    def feed(self, data: bytes) -> Any:
        """What became whole with these bytes."""
        ...


def _same_however_cut(make: Callable[[], Reader], data: bytes) -> list[Any]:
    """What a stream holds; in one piece, byte by byte, and in pieces that the data themselves choose."""
    whole, single, chosen = make(), make(), make()
    found = list(whole.feed(data))
    bytewise = [item for byte in data for item in single.feed(bytes((byte,)))]
    hold(found == bytewise, "one piece and single bytes differ", found, bytewise)
    given, cut = Bytes(data), list[Any]()
    while given.left:
        cut += chosen.feed(given.take(1 + given.left[0] % 19))
    hold(found == cut, "one piece and several differ", found, cut)
    return found


# --- streams

_CARD = CardDrawn(in_game=True, target=Hand.PLAYER, index=1, card="As")


def _angel_eye(data: bytes) -> None:
    for item in _same_however_cut(FrameParser, data):
        if isinstance(item, Copy):
            framed = b"\x05" + item.seq.encode() + item.body
            hold(framed in data or item.body in data, "a report that nobody sent", item, data)
    reader = FrameParser()
    reader.feed(data)
    hold(len(reader._body) <= MAX_BODY, "the parser keeps too much", len(reader._body))
    after: list[Report] = [item.report for item in reader.feed(encode_report("7", _CARD)) if isinstance(item, Copy)]
    hold(after == [_CARD], "a whole report after garbage isn't found", after)


def _link(data: bytes) -> None:
    """A stream, or the contents of frames, under right sums: by chance a sum is never right."""
    given = Bytes(data)
    stream = b"".join(_wrapped(given)) if given.number(2) else given.left
    for frame in _same_however_cut(FrameReader, stream):
        again = FrameReader().feed(encode_frame(frame))
        hold(again == [frame], "a frame changes when it is sent on", frame, again)
    reader, sent = FrameReader(), _frame(data)
    reader.feed(stream)
    hold(len(reader._piece) <= MAX_ENCODED, "the reader keeps too much", len(reader._piece))
    found = reader.feed(encode_frame(sent))
    hold(found[-1:] == [sent], "a whole frame after garbage isn't found", sent, found)
    _cobs(data)


def _wrapped(given: Bytes) -> Iterator[bytes]:
    while given.left:
        content = given.take(given.number(256))
        yield b"\0" + cobs_encode(content + crc32(content).to_bytes(4, "little"))


def _frame(data: bytes) -> Frame:
    given = Bytes(data)
    seq, ack, boot, t_us = (int.from_bytes(given.take(size), "big") for size in (2, 2, 4, 8))
    kind, flags = 1 + given.number(11), given.number(256)
    return Frame(kind, seq, ack, boot, t_us, flags, given.take(given.number(MAX_PAYLOAD + 1)))


def _cobs(data: bytes) -> None:
    try:
        theirs = cobs.decode(data)
    except cobs.DecodeError:
        theirs = None
    hold(cobs_decode(data) == theirs, "COBS is read otherwise than by others", data, cobs_decode(data), theirs)


def _am03127(data: bytes) -> None:
    found = _same_however_cut(AnswerReader, data)
    hold(len(found) == data.count(b"ACK"), "not as many answers as came", found, data)
    reader = AnswerReader()
    reader.feed(data)
    hold(len(reader._piece) <= 3, "the reader keeps too much", reader._piece)
    hold(reader.feed(b"\nACK") == [Answer.ACK], "an answer after garbage isn't found", data)


_MOST_KEPT = qsb.MAX_LINE


def _qsb(data: bytes) -> None:
    reader = qsb.LineReader()
    found = _lines(reader, data)
    hold(len(reader._rest) <= _MOST_KEPT, "the reader keeps too much", len(reader._rest))
    for line in found:
        if isinstance(line, qsb.Reply):
            hold(qsb.encode_reply(line) in data, "a line that nobody sent", line, data)
    clean = qsb.Reply("s", qsb.Register.COUNT, 7, 8)
    after = _lines(reader, b"\n" + qsb.encode_reply(clean))
    hold(after[-1:] == [clean], "a whole line after garbage isn't found", after)
    _counted(found)


def _lines(reader: qsb.LineReader, data: bytes) -> list[qsb.Line]:
    """Read in pieces, as a port gives them."""
    given, found = Bytes(data), list[qsb.Line]()
    while given.left:
        found += reader.feed(given.take(1 + given.left[0] % 29))
    return found


def _counted(lines: list[qsb.Line]) -> None:
    clock, counter = qsb.Clock(), qsb.ClearedCounter(4096)
    for line in lines:
        at_us = clock.read(line.ticks) if isinstance(line, qsb.Reply) else None
        if isinstance(line, qsb.Reply) and at_us is not None:
            reading = counter.read(at_us, line.value)
            hold(0 <= reading.count < 1 << 32, "a count out of its range", reading)


# --- messages in whole frames


def _messages(data: bytes) -> None:
    given = Bytes(data)
    name = list(DECODERS)[given.number(len(DECODERS))]
    decoder = DECODERS[name]
    body = given.left[: decoder.most]
    value = decoder.decode(body)
    if isinstance(value, NotUnderstood):
        return
    again = decoder.encode(value)
    hold(again == (body[:1] if isinstance(value, CardOrderReceived) else body), "a message changes", name, body, value)
    hold(decoder.decode(again) == value, "what was encoded is read otherwise", name, value)


def _identity(data: bytes) -> None:
    identity = decode_identity(data)
    if identity is None:
        return
    if len(data) <= MAX_PAYLOAD:
        hold(decode_identity(encode_identity(identity)) == identity, "an identity changes", identity)


def _usb_sensor(data: bytes) -> None:
    whole = data + crc32(data).to_bytes(4, "little")
    packet = usb_sensor.decode_packet(whole)
    hold(packet is None or usb_sensor.encode_packet(packet) == whole, "a transfer changes", whole, packet)
    identity = usb_sensor.decode_identity(whole)
    same = identity is None or len(whole) > usb_sensor.IDENTITY_BYTES or usb_sensor.encode_identity(identity) == whole
    hold(same, "an identity changes", whole, identity)
    for other in (data, whole[:-1], bytes((*whole[:-1], whole[-1] ^ 1))):
        if len(other) < 4 or crc32(other[:-4]) != int.from_bytes(other[-4:], "little"):
            taken = usb_sensor.decode_packet(other), usb_sensor.decode_identity(other)
            hold(taken == (None, None), "a transfer with a wrong sum is taken", other, taken)


def _chrony(data: bytes) -> None:
    number = int.from_bytes(data[16:20], "big")
    quality = decode_answer(data, number)
    hold(quality is None or quality[1] is None or quality[1] >= 0, "an error bound below nothing", quality)
    hold(decode_answer(data, number ^ 1) is None, "the answer to another question is taken", data)


# --- explaining what was captured

_WAYS = [("link", kind) for kind in ("", *KINDS)] + [(name, "") for name in PROTOCOLS if name not in {"link", "usb"}]


def _explained(data: bytes) -> None:
    given = Bytes(data)
    protocol, kind = _WAYS[given.number(len(_WAYS))]
    rest = given.left
    shown, hidden = explainer(protocol, kind, cards=True), explainer(protocol, kind)
    told, kept = shown.feed(rest), hidden.feed(rest)
    hold(len(told) == len(kept), "hiding cards hides lines", told, kept)
    for line in (*told, *kept):
        hold(not obeyed(line), "a line that a terminal would obey", protocol, line)


# --- a session

_STEPS = (0.0, 0.05, 0.3, 1.1, 4.0)


def _session(data: bytes) -> None:
    given, host = Bytes(data), HostSession()
    watched = _Watched(host)
    watched.see(host.start(0.0))
    while given.left:
        watched.step(given)


class _Watched:
    """A session, and what may follow from what it was told."""

    def __init__(self, host: HostSession) -> None:
        self.host = host
        self.now_s = 0.0
        self.commands = 0
        self.last: EventReceived | None = None
        self.next: int | None = None
        self.stored: set[int] = set()

    def step(self, given: Bytes) -> None:
        self.now_s += _STEPS[given.number(len(_STEPS))]
        match given.number(5):
            case 0 | 1:
                self.see(self.host.receive(encode_frame(_said(given)), self.now_s))
            case 2:
                self.see(self.host.receive(given.take(1 + given.number(24)), self.now_s))
            case 3:
                self._store()
            case _:
                self._command(given.number(3))
        hold(len(self.host._pending) <= PENDING, "too many commands wait", len(self.host._pending))

    def _store(self) -> None:
        if self.last is not None:
            self.stored.add(self.last.seq)
            self.see(self.host.stored(self.last, self.now_s))

    def _command(self, which: int) -> None:
        if which and self.host.status is HostStatus.IDENTIFIED:
            self.next = self.last = None
            self.stored = {self.host._stored}  # where the device, or an earlier run, says that it was
            self.see(self.host.accept(self.now_s))
            return
        self.commands += 1
        try:
            self.see(self.host.command(self.commands, b"\1", self.now_s))
        except NotReadyError:
            self.see(self.host.poll(self.now_s))

    def see(self, out: "Out[Any]") -> None:
        for notice in out.notices:
            if isinstance(notice, EventsLost):
                self.next = (notice.last + 1) % 65536
            elif isinstance(notice, EventReceived):
                hold(self.next in {None, notice.seq}, "an event out of turn", notice, self.next)
                self.last, self.next = notice, (notice.seq + 1) % 65536
        for frame in FrameReader().feed(out.data):
            if frame.kind == FrameType.ACK:
                hold(frame.ack in self.stored, "an event is acknowledged that isn't stored", frame, self.stored)
        polled = self.host.poll(self.now_s)
        deadline = self.host.next_deadline()
        hold(deadline is None or deadline > self.now_s, "it wants to be called again at once, for ever", deadline)
        if polled.data or polled.notices:
            self.see(polled)


def _said(given: Bytes) -> Frame:
    """A frame such as a device sends, of few boots and near numbers."""
    kind, seq, ack = 1 + given.number(10), given.number(8), given.number(8)
    boot, payload = given.number(3), given.take(given.number(12))
    return Frame(kind, seq, ack, boot, 0, given.number(2), payload)


# --- seeds


def _reports() -> Iterator[bytes]:
    for number, content in enumerate((b"S", b"P", b"D0A", b"G1", b"C", b"EB", b"L1", b"MABCDEF")):
        yield frame_report(str(number), content) * 3
    yield encode_report("3", _CARD)


def _frames() -> Iterator[bytes]:
    for kind in FrameType:
        yield b"\0" + encode_frame(Frame(kind, 1, 2, 3, 4, 5, b"\0\1\2"))
    yield b"\0\0" + b"\xff" * 300
    for version, size in ((1, 0), (1, MAX_PAYLOAD), (2, 0), (1, MAX_PAYLOAD + 1)):
        yield b"\1" + bytes((19 + size, version)) + bytes(18 + size) + b"\0"


def _bodies() -> Iterator[bytes]:
    for number, decoder in enumerate(DECODERS.values()):
        for first in decoder.first:
            yield bytes((number, first, 1, 2, 3))
            yield bytes((number, first, 0, 1, 0, 0, 0, 0, 0, 7, 0, 52))


def _packets() -> Iterator[bytes]:
    readings = (Reading(0, 5), Reading(1000, 6, 3))
    yield usb_sensor.encode_packet(usb_sensor.Packet(1, 2, 3, 3, 1000, readings))[:-4]
    yield usb_sensor.encode_identity(usb_sensor.SensorIdentity("m", "n", "s", "1", 7, 8192, 1000))[:-4]


def _answers() -> Iterator[bytes]:
    for leap in range(4):
        head = bytes((6, 2, 0, 0, 0, 33, 0, 5)) + bytes(8) + bytes((0, 0, 0, 1)) + bytes(8)
        yield head + bytes(26) + bytes((0, leap)) + bytes(12) + bytes((0xFE, 1, 0, 7)) * 9


def _conversations() -> Iterator[bytes]:
    identity = bytes((1, 0, 1, 0, 0, 1, 0, 0))
    event = bytes((0, 0, 3, 1, 0, 1, 2, 9, 9, 0))
    yield identity + bytes((1, 4, 1)) + event + bytes((0, 3)) + event * 3
    yield identity * 2 + bytes((1, 4, 1, 0, 4, 0)) * 3


def _lines_seed() -> Iterator[bytes]:
    for number in range(3):
        yield qsb.encode_reply(qsb.Reply("s", qsb.Register.COUNT, number * 9, number * 2)) * 3
    yield b"QSB-D    05!\r\n"


def _words() -> Iterator[bytes]:
    for nth in range(len(_WAYS)):
        yield bytes((nth,)) + encode_frame(Frame(FrameType.EVENT, 1, payload=b"\1\2\3"))
        yield bytes((nth,)) + encode_report("1", _CARD) * 2
        yield bytes((nth,)) + b"ACK" + qsb.encode_reply(qsb.Reply("r", 3, 1, 2))


TARGETS = {
    "angel_eye": Target(_angel_eye, _reports),
    "link": Target(_link, _frames),
    "am03127": Target(_am03127, lambda: [b"ACK\r\nNACK", b"NACNACK"], 64),
    "qsb": Target(_qsb, _lines_seed),
    "messages": Target(_messages, _bodies, 80),
    "identity": Target(_identity, lambda: [b"\1\1" + bytes(11) + b"\1m\1n\1s"], 100),
    "usb_sensor": Target(_usb_sensor, _packets, 400),
    "chrony": Target(_chrony, _answers, 120),
    "explained": Target(_explained, _words),
    "session": Target(_session, _conversations),
}
