"""Device handlers: the part of a driver that is particular to one kind of device.

They serve the device link and do no input or output.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Generic

from drivers.link import messages
from drivers.link.identity import Expected
from drivers.link.messages import UNRECOGNISED, Answer, Codec, CommandT, EventT, Refused, ReportT
from drivers.link.table import NotUnderstood
from tablectl.core.effects import Command
from tablectl.core.facts import Body, FaultCleared, FaultRaised
from tablectl.core.facts.reports import DeviceNoted
from tablectl.core.faults import Code
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """The consequences of a message or of a timer.

    Args:
        bodies: facts, in order.
        send: a command's body to send now.
        ask: whether to send the handler's query now.
        unknown: the part of a message that this program doesn't know.
    """

    bodies: tuple[Body, ...] = ()
    send: bytes | None = None
    ask: bool = False
    unknown: str = ""


NOTHING = Outcome()


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """The settings of every device on our link.

    Args:
        name: the device's name at the table.
        address: `serial:<path>`, `tcp://<host>:<port>` or `usb:<vendor>:<product>[:<serial>]`.
        baudrate: bits per second.
        base_dir: where relative paths begin.
        expect: the approved device.
        simulated: whether a simulator stands at the port.
    """

    name: str
    address: str
    baudrate: int
    base_dir: Path
    expect: Expected = field(default_factory=Expected)
    simulated: bool = False


def momentary(code: Code, name: str, detail: str = "") -> tuple[Body, ...]:
    """Return a fault whose cause is over already, as raised and cleared.

    It stays on the list if a person has to acknowledge it.
    """
    return FaultRaised(code, name, detail), FaultCleared(code, name)


class DeviceFaults:
    """Faults of one device: those that it reports, and those that its driver finds.

    Args:
        name: the device's.
        codes: which fault of the catalogue each of the device's numbers is.
        otherwise: the fault of a number that this program doesn't know.
        found: the faults that the driver finds, and that a restart of the device ends.
    """

    def __init__(self, name: str, codes: Mapping[int, Code], otherwise: Code, found: tuple[Code, ...] = ()) -> None:
        self._name = name
        self._codes = codes
        self._otherwise = otherwise
        self._all = (*codes.values(), otherwise, *found)
        self._present: set[Code] = set()

    def reported(self, event: messages.Fault) -> tuple[Body, ...]:
        """The device's own report as a fact."""
        code = self._codes.get(event.number, self._otherwise)
        if isinstance(event, messages.FaultRaised):
            return (FaultRaised(code, self._name, f"fault {event.number}"),)
        return (FaultCleared(code, self._name),)

    def find(self, code: Code, detail: str = "") -> tuple[Body, ...]:
        """The fact that the driver found a fault, unless that stands already."""
        if code in self._present:
            return ()
        self._present.add(code)
        return (FaultRaised(code, self._name, detail),)

    def end(self, code: Code) -> tuple[Body, ...]:
        """The fact that a fault that the driver found is over, if it stands."""
        if code not in self._present:
            return ()
        self._present.remove(code)
        return (FaultCleared(code, self._name),)

    def restarted(self) -> tuple[Body, ...]:
        """Clears everything: a device that was started anew reports again what is wrong."""
        self._present.clear()
        return tuple(FaultCleared(code, self._name) for code in self._all)


class DeviceHandler(ABC, Generic[EventT, CommandT, ReportT]):
    """Handler of one kind of device: its messages as facts, and its commands.

    A kind of device overrides what it has.

    Args:
        kind: of device, as its identity must have it.
        name: the device's at the table.
        codec: its messages.
        faults: its faults.
    """

    def __init__(self, kind: int, name: str, codec: Codec[EventT, CommandT, ReportT], faults: DeviceFaults) -> None:
        self.kind = kind
        self.name = name
        self.codec = codec
        self.faults = faults

    def on_command(self, command: Command, now_s: float) -> bool:  # noqa: ARG002 -- most devices take none
        """Take a command of the table; True where there is a new query to send."""
        return False

    def on_attached(self, boot: int, now_s: float, *, restarted: bool) -> Outcome:  # noqa: ARG002 -- for those with a memory
        """The device is there; `restarted` where it was known under another start."""
        return Outcome(self.faults.restarted()) if restarted else NOTHING

    def query(self) -> bytes | None:
        """The body of the command to send, which may be repeated; None for nothing."""
        return None

    def on_event(self, payload: bytes, now_s: float) -> Outcome:
        """An event as facts: one at least, so that its acknowledgement waits for a record."""
        event = self.codec.events.decode(payload)
        match event:
            case messages.FaultRaised() | messages.FaultCleared():
                return self.on_fault(event)
            case NotUnderstood(kind=kind):
                return self.on_unknown(kind)
            case _:
                return self.on_message(event, now_s)

    @abstractmethod
    def on_message(self, event: EventT, now_s: float) -> Outcome:
        """Translate an event of this kind of device to facts."""

    def on_fault(self, event: messages.Fault) -> Outcome:
        """A fault that the device reports, as a fact."""
        return Outcome(self.faults.reported(event))

    def on_unknown(self, kind: int) -> Outcome:
        """An event that this program doesn't know, as a note.

        One that it knows and can't read, or that has no content, is acknowledged and gone: a report is missing.
        """
        note = DeviceNoted(self.name, "not_understood", str(kind))
        if kind >= 0 and kind not in {row.head[0] for row in self.codec.events.rows}:
            return Outcome((note,), unknown=f"event {kind}")
        lost = momentary(Code.EVENT_GAP, self.name, f"event {kind} can't be read" if kind >= 0 else "an empty event")
        return Outcome((*lost, note), ask=True, unknown=f"event {kind}")

    def on_reply(self, asked: bytes, reply: bytes, now_s: float) -> Outcome:
        """The reply to a command."""
        return self.answered(self.codec.commands.decode(asked), self.codec.replies.decode(reply), now_s)

    def on_nak(self, asked: bytes, now_s: float) -> Outcome:
        """The device doesn't know such a command."""
        return self.answered(self.codec.commands.decode(asked), Refused(UNRECOGNISED), now_s)

    def answered(
        self, command: CommandT | NotUnderstood, reply: ReportT | Answer | NotUnderstood, now_s: float
    ) -> Outcome:
        """The outcome of an answer, with what is unknown of it."""
        outcome = self.on_answer(command, reply, now_s)
        return replace(outcome, unknown=f"reply {reply.kind}") if isinstance(reply, NotUnderstood) else outcome

    def on_answer(
        self,
        command: CommandT | NotUnderstood,  # noqa: ARG002 -- some have only one
        reply: ReportT | Answer | NotUnderstood,  # noqa: ARG002 -- a device that is asked nothing has none
        now_s: float,  # noqa: ARG002 -- a status has no age
    ) -> Outcome:
        """The answer to a command as facts."""
        return NOTHING

    def on_timer(self, now_s: float) -> Outcome:  # noqa: ARG002 -- most devices wait for nothing
        """Called at `next_timeout`."""
        return NOTHING

    def next_timeout(self) -> float | None:
        """When `on_timer` must be called at the latest."""
        return None


class StatusHandler(DeviceHandler[EventT, CommandT, ReportT]):
    """A device that takes no command and is asked for its status once per connection.

    Args:
        status: the command that asks for it.
    """

    def __init__(
        self,
        kind: int,
        name: str,
        codec: Codec[EventT, CommandT, ReportT],
        faults: DeviceFaults,
        status: CommandT,
    ) -> None:
        super().__init__(kind, name, codec, faults)
        self._status = codec.commands.encode(status)
        self._status_wanted = False

    def on_attached(self, boot: int, now_s: float, *, restarted: bool) -> Outcome:
        """Its status is wanted."""
        self._status_wanted = True
        return super().on_attached(boot, now_s, restarted=restarted)

    def query(self) -> bytes | None:
        """The status, while it is wanted."""
        return self._status if self._status_wanted else None

    def on_answer(
        self,
        command: CommandT | NotUnderstood,  # noqa: ARG002 -- there is one
        reply: ReportT | Answer | NotUnderstood,
        now_s: float,  # noqa: ARG002 -- a status has no age
    ) -> Outcome:
        """Its status as a note; one that can't be had isn't asked for again."""
        self._status_wanted = False
        match reply:
            case messages.Accepted() | Refused() | messages.OperationStatus() | NotUnderstood():
                return NOTHING
            case _:
                return Outcome((self.status_note(reply),))

    @abstractmethod
    def status_note(self, status: ReportT) -> DeviceNoted:
        """Return the device's status in words."""
