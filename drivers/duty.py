"""What is particular to one kind of device on our link, as its connection sees it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from drivers import messages
from drivers.identity import Expected, Kind
from tablectl.core.effects import Command
from tablectl.core.facts import Body, FaultCleared, FaultRaised
from tablectl.core.faults import Code


@dataclass(frozen=True, slots=True)
class Outcome:
    """What follows from something that the device said, or from the time.

    Args:
        bodies: facts, in order.
        send: a command's body to send now.
        ask: whether to ask the duty's question now.
        unknown: what the device said that this program doesn't know.
    """

    bodies: tuple[Body, ...] = ()
    send: bytes | None = None
    ask: bool = False
    unknown: str = ""


NOTHING = Outcome()


class Duty(Protocol):
    """One kind of device: what its bytes mean to the table, and what to ask it. It does no input or output."""

    @property
    def kind(self) -> Kind:
        """What the device must say it is."""
        ...

    def commanded(self, command: Command, now_s: float) -> bool:
        """The table asks for something; True where there is a new question to ask."""
        ...

    def attached(self, boot: int, now_s: float, *, restarted: bool) -> Outcome:
        """The device is there; `restarted` where it was known under another start."""
        ...

    def question(self) -> bytes | None:
        """The body of the command that is to be asked and may be asked again; None for nothing."""
        ...

    def heard(self, payload: bytes, now_s: float) -> Outcome:
        """What an event means: one fact at least, so that its acknowledgement waits for a record."""
        ...

    def replied(self, asked: bytes, reply: bytes, now_s: float) -> Outcome:
        """What the reply to a command means."""
        ...

    def not_taken(self, asked: bytes, now_s: float) -> Outcome:
        """The device took no notice of a command: it doesn't know such a one."""
        ...

    def woken(self, now_s: float) -> Outcome:
        """What the time brings."""
        ...

    def next_deadline(self) -> float | None:
        """When `woken` must be called at the latest."""
        ...


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """What is set for every device on our link.

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
    """A fault whose cause is over already; it stays on the list if a person has to acknowledge it."""
    return FaultRaised(code, name, detail), FaultCleared(code, name)


class DeviceFaults:
    """The faults of one device: those that it complains of, and those that its driver finds.

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

    def told(self, event: messages.FaultRaised | messages.FaultCleared) -> tuple[Body, ...]:
        """What the device's own complaint is."""
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
        """Clears everything: a device that was started anew says again what is wrong."""
        self._present.clear()
        return tuple(FaultCleared(code, self._name) for code in self._all)
