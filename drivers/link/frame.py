"""Frame codec of the device link, without input or output.

    00 | COBS( ver type flags seq ack boot t_us payload crc ) | 00

    field    bytes    meaning
    ver      1        `VERSION`; a frame with another one is dropped
    type     1        a `FrameType`
    flags    1        bit 0: sent before with the same number (`RESENT`); other bits 0
    seq      2        from the device: in EVENT its number, else the newest event's; from the host: 0
    ack      2        from the host: events up to this one are durably stored; from the device: the last such number
    boot     4        random, not 0, new at every start of the device; 0 in a HELLO before the host knows it
    t_us     8        microseconds since the sender's start; in EVENT when it happened
    payload  0 to 64  by type
    crc      4        CRC-32 of `ver` to `payload`

All numbers are little-endian. A frame is COBS between zero bytes, so after any damage the next zero byte is the start
of a frame again. Source: docs/protocols/link.md.
"""

import struct
from binascii import crc32
from dataclasses import field
from enum import IntEnum

from tablectl.lazy_dataclass import dataclass

VERSION = 1
MAX_PAYLOAD = 64
_HEADER = struct.Struct("<BBBHHIQ")
_CRC = struct.Struct("<I")
MIN_FRAME = _HEADER.size + _CRC.size
MAX_FRAME = MIN_FRAME + MAX_PAYLOAD
MAX_ENCODED = MAX_FRAME + 1  # COBS adds one byte up to 254
_SEQ_SPAN = 1 << 16


class FrameType(IntEnum):
    """Type of a frame; docs/protocols/link.md has the table."""

    HELLO = 1
    IDENTITY = 2
    HEARTBEAT = 3
    EVENT = 4
    ACK = 5
    NAK = 6
    COMMAND = 7
    REPLY = 8
    GET_EVENTS = 9


class NakReason(IntEnum):
    """Why the other side didn't take a frame."""

    UNKNOWN_TYPE = 1
    WRONG_BOOT = 2
    EVENTS_GONE = 3
    MALFORMED = 4
    BUSY = 5


RESENT = 0x01  # flag: this frame was sent before with the same number


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame.

    Args:
        kind: a `FrameType`, or a number that this version doesn't know.
        seq: 0 to 65535; an event's number, in other device frames the newest event's.
        ack: 0 to 65535; up to and including this event all are durably stored.
        boot: the device's random number of its start; 0 only in the first HELLO.
        t_us: microseconds since the sender's start.
        payload: 0 to 64 bytes; in no printed form, for it may tell of cards.
    """

    kind: int
    seq: int = 0
    ack: int = 0
    boot: int = 0
    t_us: int = 0
    flags: int = 0
    payload: bytes = field(default=b"", repr=False)


@dataclass(slots=True)
class FrameCounters:
    """Counters of a frame reader, one for each cause of rejection."""

    frames: int = 0
    bad_cobs: int = 0
    bad_length: int = 0
    bad_crc: int = 0
    bad_version: int = 0
    overflow: int = 0

    @property
    def rejected(self) -> int:
        """All pieces between zero bytes that were no frame."""
        return self.bad_cobs + self.bad_length + self.bad_crc + self.bad_version + self.overflow


def newer(seq: int, than: int) -> bool:
    """Return True if event number `seq` comes after `than`; 0 follows 65535."""
    return 0 < (seq - than) % _SEQ_SPAN < _SEQ_SPAN // 2


def after(seq: int, steps: int = 1) -> int:
    """The event number `steps` after `seq`."""
    return (seq + steps) % _SEQ_SPAN


def cobs_encode(data: bytes) -> bytes:
    """`data` without zero bytes: each run is led by the distance to the next zero."""
    out = bytearray()
    for run in data.split(b"\0"):
        full, rest = divmod(len(run), 254)
        # A last full block needs no empty one after it, but only the end of the data can tell.
        for index in range(full):
            out += b"\xff" + run[254 * index : 254 * (index + 1)]
        out.append(rest + 1)
        out += run[254 * full :]
    last_run = len(data) - data.rfind(b"\0") - 1
    return bytes(out[:-1] if last_run and last_run % 254 == 0 else out)


def cobs_decode(data: bytes) -> bytes | None:
    """The bytes behind `cobs_encode`, or None when `data` can't have come from it."""
    if b"\0" in data:
        return None
    out = bytearray()
    position = 0
    while position < len(data):
        code = data[position]
        end = position + code
        if end > len(data):
            return None
        out += data[position + 1 : end]
        position = end
        if code < 0xFF and position < len(data):
            out.append(0)
    return bytes(out)


def encode_frame(frame: Frame) -> bytes:
    """The bytes of `frame` on the wire, with a zero byte at both ends.

    Raises:
        ValueError: the payload is longer than 64 bytes.
    """
    if len(frame.payload) > MAX_PAYLOAD:
        msg = f"a frame carries at most {MAX_PAYLOAD} bytes, not {len(frame.payload)}"
        raise ValueError(msg)
    head = _HEADER.pack(VERSION, frame.kind, frame.flags, frame.seq, frame.ack, frame.boot, frame.t_us)
    content = head + frame.payload
    return b"\0" + cobs_encode(content + _CRC.pack(crc32(content))) + b"\0"


class FrameReader:
    """Incremental reader of frames from a stream that may be cut anywhere.

    It keeps at most one frame's bytes.
    """

    def __init__(self) -> None:
        self.counters = FrameCounters()
        self._piece = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> list[Frame]:
        """Return the frames that `data` completes, in order; damaged ones are dropped."""
        first, *others = data.split(b"\0")
        frames: list[Frame | None] = []
        self._gather(first)
        for piece in others:
            frames.append(self._finish())
            self._gather(piece)
        return [frame for frame in frames if frame is not None]

    def _gather(self, piece: bytes) -> None:
        if self._skipping or len(self._piece) + len(piece) > MAX_ENCODED:
            self._skipping = True
            self._piece.clear()
        else:
            self._piece += piece

    def _finish(self) -> Frame | None:
        piece, skipped = bytes(self._piece), self._skipping
        self._piece.clear()
        self._skipping = False
        if skipped:
            self.counters.overflow += 1
        return self._decode(piece) if piece else None

    def _decode(self, piece: bytes) -> Frame | None:
        content = cobs_decode(piece)
        if content is None:
            self.counters.bad_cobs += 1
            return None
        if not MIN_FRAME <= len(content) <= MAX_FRAME:
            self.counters.bad_length += 1
            return None
        if crc32(content[: -_CRC.size]) != _CRC.unpack(content[-_CRC.size :])[0]:
            self.counters.bad_crc += 1
            return None
        version, kind, flags, seq, ack, boot, t_us = _HEADER.unpack_from(content)
        if version != VERSION:
            self.counters.bad_version += 1
            return None
        self.counters.frames += 1
        payload = content[_HEADER.size : -_CRC.size]
        return Frame(kind, seq=seq, ack=ack, boot=boot, t_us=t_us, flags=flags, payload=payload)
