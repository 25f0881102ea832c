"""The host's end of our device link, without input or output."""

from collections import deque
from collections.abc import Callable

from drivers.link.commands import PendingCommands
from drivers.link.frame import (
    MAX_PAYLOAD,
    RESENT,
    Frame,
    FrameReader,
    FrameType,
    NakReason,
    after,
    encode_frame,
    newer,
)
from drivers.link.notices import (
    ATTEMPTS,
    COMMAND_ID,
    EVENT_NUMBER,
    HEARTBEAT_S,
    MISSED_HEARTBEATS,
    PENDING,
    RING,
    RTO_MAX_S,
    RTO_START_S,
    CommandReplied,
    CommandUnanswered,
    DeviceRestarted,
    EventGap,
    EventReceived,
    EventsLost,
    HostCounters,
    HostNotice,
    HostStatus,
    IdentityReceived,
    IdentityUnanswered,
    NakReceived,
    NotReadyError,
    Out,
    Recovered,
    Resume,
    Stale,
)

HostOut = Out[HostNotice]


class HostSession:
    """Host's end of one link session; call `start`, then `receive` and `poll`.

    `poll` is due at `next_deadline`.

    Args:
        resume: what an earlier run stored, so that a restart of the host neither loses nor repeats an event.
    """

    def __init__(self, *, resume: Resume | None = None) -> None:
        self.status = HostStatus.IDENTIFYING
        self.counters = HostCounters()
        self.reader = FrameReader()
        self._resume = resume
        self._boot: int | None = None
        self._identity = b""
        self._delivered = self._stored = self._newest = 0
        self._unstored: deque[int] = deque()
        self._pending = PendingCommands()
        self._hellos = 0
        self._hello_s: float | None = None
        self._ask_s: float | None = None  # when to ask again for missing events
        self._heard_s = 0.0
        self._stale = False
        self._ack_due = False
        self._now_s = 0.0
        self._data = bytearray()
        self._notices: list[HostNotice] = []

    def start(self, now_s: float) -> HostOut:
        """Asks the device who it is."""
        self._begin_hello(now_s)
        return self.poll(now_s)

    def receive(self, data: bytes, now_s: float) -> HostOut:
        """Process `data`, received at `now_s` (monotonic): bytes to send, and notices."""
        self._now_s = now_s
        for frame in self.reader.feed(data):
            self._take(frame)
        self._poll()
        return self._out()

    def poll(self, now_s: float) -> HostOut:
        """Process the time `now_s`: bytes to send, and notices."""
        self._now_s = now_s
        self._poll()
        return self._out()

    def accept(self, now_s: float) -> HostOut:
        """Accept the device's identity: from now on events and commands count.

        Raises:
            NotReadyError: there is no identity to accept.
        """
        if self.status is not HostStatus.IDENTIFIED:
            msg = "there is no identity to accept"
            raise NotReadyError(msg)
        self._now_s = self._heard_s = now_s
        self.status, self._stale, self._ack_due = HostStatus.READY, False, True
        if newer(self._newest, self._delivered):
            self._ask_events()
        return self._out()

    def stored(self, event: EventReceived, now_s: float) -> HostOut:
        """Acknowledge `event` and all before it as durable.

        Raises:
            ValueError: the event was not delivered yet.
        """
        self._now_s = now_s
        if self.status is not HostStatus.READY or event.boot != self._boot:
            return self._out()  # the device that had it is gone or restarted; there is nobody to tell
        if newer(event.seq, self._delivered):
            msg = f"event {event.seq} was not delivered yet"
            raise ValueError(msg)
        if newer(event.seq, self._stored):
            self._stored = event.seq
        while self._unstored and not newer(self._unstored[0], self._stored):
            self._unstored.popleft()
        self._ack_due = True
        return self._out()

    def command(self, command_id: int, body: bytes, now_s: float) -> HostOut:
        """Send a command.

        Its outcome comes as `CommandReplied`, `NakReceived` or `CommandUnanswered`.

        Args:
            command_id: 64 bits, never used before with this device.
            body: up to 56 bytes.

        Raises:
            NotReadyError: no identity was accepted, or eight commands wait.
            ValueError: the id was used, or the body is too long.
        """
        if self.status is not HostStatus.READY or len(self._pending) >= PENDING:
            msg = f"device is {self.status.value}, {len(self._pending)} commands wait"
            raise NotReadyError(msg)
        if self._pending.knows(command_id) or len(body) > MAX_PAYLOAD - COMMAND_ID.size:
            msg = f"command {command_id:#x} was used already or has a body over 56 bytes"
            raise ValueError(msg)
        self._now_s = now_s
        self._send(FrameType.COMMAND, COMMAND_ID.pack(command_id) + body)
        self._pending.sent(command_id, body, now_s)
        return self._out()

    def next_deadline(self) -> float | None:
        """When `poll` must be called at the latest, in the seconds of `now_s`."""
        ready = self.status is HostStatus.READY
        stale_s = self._stale_s() if ready and not self._stale else None
        times = (self._hello_s, self._ask_s, stale_s, self._pending.next_deadline())
        return min((time for time in times if time is not None), default=None)

    # -- what goes out

    def _out(self) -> HostOut:
        if self._ack_due:
            self._ack_due = False
            self._send(FrameType.ACK)
        out = Out(bytes(self._data), tuple(self._notices))
        self._data.clear()
        self._notices.clear()
        return out

    def _send(self, kind: FrameType, payload: bytes = b"", *, flags: int = 0) -> None:
        t_us, boot = int(self._now_s * 1_000_000), self._boot or 0
        self._data += encode_frame(Frame(kind, ack=self._stored, boot=boot, t_us=t_us, flags=flags, payload=payload))

    def _ask_events(self) -> None:
        self._send(FrameType.GET_EVENTS, EVENT_NUMBER.pack(after(self._delivered)))
        self._ask_s = self._now_s + self._pending.rto_s

    # -- what time brings

    def _begin_hello(self, now_s: float) -> None:
        self._hellos, self._hello_s = 0, now_s

    def _stale_s(self) -> float:
        return self._heard_s + (MISSED_HEARTBEATS + 0.5) * HEARTBEAT_S

    def _poll(self) -> None:
        now_s = self._now_s
        if self.status is HostStatus.READY and not self._stale and self._stale_s() <= now_s:
            self._stale = True
            self._notices.append(Stale(now_s - self._heard_s))
            self._begin_hello(now_s)
        if self._hello_s is not None and self._hello_s <= now_s:
            self._hello()
        if self._ask_s is not None and self._ask_s <= now_s:
            self._ask_events()
        again, given_up = self._pending.due(now_s)
        for command_id, body in again:
            self._send(FrameType.COMMAND, COMMAND_ID.pack(command_id) + body, flags=RESENT)
        self._notices += [CommandUnanswered(command_id) for command_id in given_up]

    def _hello(self) -> None:
        if self._hellos == ATTEMPTS and self.status is HostStatus.IDENTIFYING:
            self._notices.append(IdentityUnanswered(self._hellos))
        self._send(FrameType.HELLO)
        self._hello_s = self._now_s + min(RTO_START_S * 2**self._hellos, RTO_MAX_S)
        self._hellos = min(self._hellos + 1, ATTEMPTS + 1)

    # -- what the device says

    def _take(self, frame: Frame) -> None:
        if frame.kind == FrameType.IDENTITY:
            self._take_identity(frame)
        elif self.status is not HostStatus.READY:
            self.counters.before_identity += 1
            if frame.boot == self._boot and newer(frame.seq, self._newest):
                self._newest = frame.seq  # asked for when the caller accepts
        elif frame.boot != self._boot:
            self.counters.foreign_boot += 1
            if self._hello_s is None:
                self._begin_hello(self._now_s)
        else:
            self._hear(frame)
            self._take_known(frame)

    def _hear(self, frame: Frame) -> None:
        self._heard_s = self._now_s
        if self._stale:
            self._stale, self._hello_s = False, None
            self._notices.append(Recovered())
        if newer(frame.ack, self._delivered):  # it gave up what it made while no host was there
            self._skip_to(after(frame.ack))

    def _take_identity(self, frame: Frame) -> None:
        self._hello_s = None
        if (frame.boot, frame.payload) == (self._boot, self._identity):
            if self.status is HostStatus.READY:
                self._hear(frame)
                self._note_newest(frame)
            return
        if self._boot is not None and frame.boot != self._boot:
            self._notices.append(DeviceRestarted(self._boot, frame.boot))
        self._notices += [CommandUnanswered(command_id) for command_id in self._pending.abandon()]
        self._place(frame)
        self._notices.append(IdentityReceived(frame.boot, frame.payload))

    def _place(self, frame: Frame) -> None:
        """Finds where in the device's events to go on."""
        if frame.boot != self._boot:
            resume = self._resume
            known = resume is not None and resume.boot == frame.boot and not newer(resume.seq, frame.seq)
            self._stored = resume.seq if resume is not None and known else frame.ack
        self._delivered, self._newest = self._stored, frame.seq
        self._unstored.clear()
        self._boot, self._identity, self._ask_s = frame.boot, frame.payload, None
        self.status, self._stale = HostStatus.IDENTIFIED, False

    def _take_known(self, frame: Frame) -> None:
        takers: dict[int, Callable[[Frame], None]] = {
            FrameType.EVENT: self._take_event,
            FrameType.REPLY: self._take_reply,
            FrameType.NAK: self._take_nak,
            FrameType.HEARTBEAT: self._note_newest,
        }
        taker = takers.get(frame.kind)
        if taker is not None:
            taker(frame)
        else:
            self.counters.unknown_type += 1
            self._send(FrameType.NAK, bytes((NakReason.UNKNOWN_TYPE, frame.kind)))

    def _take_event(self, frame: Frame) -> None:
        if not newer(frame.seq, self._delivered):
            self.counters.duplicate_events += 1
            self._ack_due = self._ack_due or not newer(frame.seq, self._stored)
        elif frame.seq == after(self._delivered) and len(self._unstored) < RING:
            self._delivered = frame.seq
            self._unstored.append(frame.seq)
            self._ask_s = self._now_s + self._pending.rto_s if self._ask_s is not None else None
            self._notices.append(EventReceived(frame.boot, frame.seq, frame.t_us, frame.payload))
        else:
            self.counters.early_events += 1
        self._note_newest(frame)

    def _note_newest(self, frame: Frame) -> None:
        if newer(frame.seq, self._newest):
            self._newest = frame.seq
        if not newer(self._newest, self._delivered):
            self._ask_s = None
        elif self._ask_s is None:
            self._notices.append(EventGap(after(self._delivered), self._newest))
            self._ask_events()

    def _take_reply(self, frame: Frame) -> None:
        self._note_newest(frame)
        if len(frame.payload) < COMMAND_ID.size:
            self.counters.malformed += 1
            return
        (command_id,) = COMMAND_ID.unpack_from(frame.payload)
        if self._pending.settle(command_id, self._now_s):
            self._notices.append(CommandReplied(command_id, frame.payload[COMMAND_ID.size :]))
        else:
            self.counters.duplicate_replies += 1

    def _take_nak(self, frame: Frame) -> None:
        self.counters.naks += 1
        if len(frame.payload) < 2:
            self.counters.malformed += 1
            return
        reason, about, detail = frame.payload[0], frame.payload[1], frame.payload[2:]
        command_id = None
        if about == FrameType.COMMAND and len(detail) == COMMAND_ID.size:
            (command_id,) = COMMAND_ID.unpack(detail)
            if reason != NakReason.WRONG_BOOT:
                self._pending.settle(command_id, self._now_s)
        self._notices.append(NakReceived(reason, about, command_id))
        if reason == NakReason.EVENTS_GONE and len(detail) == EVENT_NUMBER.size:
            self._skip_to(EVENT_NUMBER.unpack(detail)[0])

    def _skip_to(self, oldest: int) -> None:
        first = after(self._delivered)
        if not newer(oldest, first):
            return
        self._notices.append(EventsLost(first, after(oldest, -1)))
        self._delivered, self._ask_s = after(oldest, -1), None
        if newer(self._delivered, self._newest):
            self._newest = self._delivered
        if newer(self._newest, self._delivered):
            self._ask_events()
