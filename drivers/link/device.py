"""The device's end of the device link, without input or output.

It is the reference for firmware, and simulators run it.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import field

from drivers.link.frame import RESENT, Frame, FrameReader, FrameType, NakReason, after, encode_frame, newer
from drivers.link.notices import (
    BURST,
    COMMAND_ID,
    EVENT_NUMBER,
    HEARTBEAT_S,
    REPLIES,
    RING,
    RTO_MAX_S,
    RTO_START_S,
    Out,
)
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CommandReceived:
    """A command to carry out, given once per id; answer it with `DeviceSession.reply`."""

    command_id: int
    body: bytes


@dataclass(slots=True)
class DeviceCounters:
    """Counters of the device's end: what it received and did not carry out."""

    duplicate_commands: int = 0
    lost_events: int = 0
    naks_received: int = 0
    naks_sent: int = 0


@dataclass(frozen=True, slots=True)
class _Kept:
    seq: int
    t_us: int
    payload: bytes = field(repr=False)


# With no host for very long the newest event must not lap the acknowledged one: order is known only within
# half of the numbers. The host still learns of a loss, of fewer events than there were.
_FURTHEST = 1 << 14

DeviceOut = Out[CommandReceived]


class DeviceSession:
    """A device's memory of what it has told and done since its start.

    Args:
        boot: random, 1 to 2**32 - 1, new at every start.
        identity: the payload of IDENTITY.
        started_s: the time of the start, in the seconds of every later `now_s`.
        newest: the number of the last event before this one; 0 at a start.
    """

    def __init__(self, *, boot: int, identity: bytes, started_s: float, newest: int = 0) -> None:
        self.counters = DeviceCounters()
        self.reader = FrameReader()
        self.boot = boot
        self.heartbeats = True  # a simulator mutes them
        self._identity = identity
        self._started_s = self._now_s = started_s
        self._newest = self._acked = newest
        self._kept: deque[_Kept] = deque(maxlen=RING)
        self._replies: OrderedDict[int, bytes | None] = OrderedDict()  # None while the command is carried out
        self._beat_s = started_s
        self._resend_s: float | None = None
        self._rto_s = RTO_START_S
        self._data = bytearray()
        self._notices: list[CommandReceived] = []

    @property
    def unacked(self) -> int:
        """How many events wait for the host."""
        return len(self._kept)

    def start(self) -> DeviceOut:
        """Says who it is without being asked, so that the host sees a restart at once."""
        self._send_identity()
        return self._out()

    def receive(self, data: bytes, now_s: float) -> DeviceOut:
        """Process `data` from the host; return the bytes to send and the commands to do."""
        self._now_s = now_s
        for frame in self.reader.feed(data):
            self._take(frame)
        return self._out()

    def poll(self, now_s: float) -> DeviceOut:
        """Heartbeats and events sent again, when they are due."""
        self._now_s = now_s
        if self._beat_s <= now_s:
            self._beat_s = now_s + HEARTBEAT_S
            if self.heartbeats:
                self._send(FrameType.HEARTBEAT)
        if self._resend_s is not None and self._resend_s <= now_s:
            self._rto_s = min(self._rto_s * 2, RTO_MAX_S)
            self._resend(self._kept)
        return self._out()

    def event(self, payload: bytes, now_s: float) -> DeviceOut:
        """Numbers, keeps and sends an event; when 64 wait already, the oldest is lost."""
        self._now_s = now_s
        self.counters.lost_events += len(self._kept) == RING
        self._newest = after(self._newest)
        if newer(self._newest, after(self._acked, _FURTHEST)):
            self._acked = after(self._acked)
        kept = _Kept(self._newest, self._t_us(), payload)
        self._kept.append(kept)
        self._send_event(kept, flags=0)
        if self._resend_s is None:
            self._resend_s = now_s + self._rto_s
        return self._out()

    def reply(self, command_id: int, body: bytes, now_s: float) -> DeviceOut:
        """Answers a command and remembers the answer for its repetitions."""
        self._now_s = now_s
        self._replies[command_id] = body
        self._send(FrameType.REPLY, COMMAND_ID.pack(command_id) + body)
        return self._out()

    def next_deadline(self) -> float:
        """When `poll` must be called at the latest, in the seconds of `now_s`."""
        return self._beat_s if self._resend_s is None else min(self._beat_s, self._resend_s)

    # -- what goes out

    def _out(self) -> DeviceOut:
        out = Out(bytes(self._data), tuple(self._notices))
        self._data.clear()
        self._notices.clear()
        return out

    def _t_us(self) -> int:
        return int((self._now_s - self._started_s) * 1_000_000)

    def _send(self, kind: FrameType, payload: bytes = b"") -> None:
        frame = Frame(kind, self._newest, self._acked, self.boot, self._t_us(), payload=payload)
        self._data += encode_frame(frame)

    def _send_event(self, kept: _Kept, *, flags: int) -> None:
        frame = Frame(FrameType.EVENT, kept.seq, self._acked, self.boot, kept.t_us, flags, kept.payload)
        self._data += encode_frame(frame)

    def _send_identity(self) -> None:
        self._send(FrameType.IDENTITY, self._identity)

    def _send_nak(self, reason: NakReason, about: int, detail: bytes = b"") -> None:
        self.counters.naks_sent += 1
        self._send(FrameType.NAK, bytes((reason, about)) + detail)

    def _resend(self, events: Iterable[_Kept]) -> None:
        for kept in tuple(events)[:BURST]:
            self._send_event(kept, flags=RESENT)
        self._resend_s = self._now_s + self._rto_s if self._kept else None

    # -- what the host says

    def _take(self, frame: Frame) -> None:
        if frame.kind == FrameType.HELLO:
            self._send_identity()
        elif frame.boot != self.boot and frame.kind != FrameType.NAK:  # a NAK is never answered with one
            detail = frame.payload[: COMMAND_ID.size] if frame.kind == FrameType.COMMAND else b""
            self._send_nak(NakReason.WRONG_BOOT, frame.kind, detail)
        else:
            self._take_ack(frame.ack)
            self._take_known(frame)

    def _take_known(self, frame: Frame) -> None:
        match frame.kind:
            case FrameType.ACK:
                pass  # its number was taken with the header
            case FrameType.NAK:
                self.counters.naks_received += 1
            case FrameType.GET_EVENTS if len(frame.payload) == EVENT_NUMBER.size:
                self._give_events(EVENT_NUMBER.unpack(frame.payload)[0])
            case FrameType.COMMAND if len(frame.payload) >= COMMAND_ID.size:
                self._take_command(frame.payload)
            case FrameType.GET_EVENTS | FrameType.COMMAND:
                self._send_nak(NakReason.MALFORMED, frame.kind)
            case _:
                self._send_nak(NakReason.UNKNOWN_TYPE, frame.kind)

    def _take_ack(self, ack: int) -> None:
        if not newer(ack, self._acked) or newer(ack, self._newest):
            return
        self._acked = ack
        while self._kept and not newer(self._kept[0].seq, ack):
            self._kept.popleft()
        self._rto_s = RTO_START_S
        self._resend_s = self._now_s + self._rto_s if self._kept else None

    def _give_events(self, first: int) -> None:
        oldest = self._kept[0].seq if self._kept else after(self._newest)
        if newer(oldest, first):
            self._send_nak(NakReason.EVENTS_GONE, FrameType.GET_EVENTS, EVENT_NUMBER.pack(oldest))
        self._resend(kept for kept in self._kept if not newer(first, kept.seq))

    def _take_command(self, payload: bytes) -> None:
        (command_id,) = COMMAND_ID.unpack_from(payload)
        if command_id not in self._replies:
            self._begin_command(command_id, payload)
            return
        self.counters.duplicate_commands += 1
        reply = self._replies[command_id]
        if reply is not None:
            self._send(FrameType.REPLY, COMMAND_ID.pack(command_id) + reply)

    def _begin_command(self, command_id: int, payload: bytes) -> None:
        if len(self._replies) == REPLIES:
            oldest = next((known for known, reply in self._replies.items() if reply is not None), None)
            if oldest is None:
                self._send_nak(NakReason.BUSY, FrameType.COMMAND, payload[: COMMAND_ID.size])
                return
            del self._replies[oldest]
        self._replies[command_id] = None
        self._notices.append(CommandReceived(command_id, payload[COMMAND_ID.size :]))
