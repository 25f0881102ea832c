"""Record of a kind of device; the rest of the program derives its lists from it."""

from collections.abc import Callable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any

from drivers.link.handler import DeviceHandler
from drivers.link.messages import Codec
from tablectl.core.effects import Command
from tablectl.core.faults import Code
from tablectl.lazy_dataclass import dataclass

NO_FAULTS: Mapping[int, Code] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Device:
    """A kind of device on one wire protocol.

    Args:
        kind: as configurations name it.
        simulator: its simulator, as `<module>:<class>`; a daemon loads none.
        protocol: that it speaks, as configurations name it.
        baudrate: bits per second that it usually has; 0 for no serial line.
        variant: its name among simulators, where another device of its kind speaks another protocol.
        number: of its kind in its identity, on our link.
        handler: makes the part of its driver that is its own, from its name, on our link.
        codec: its messages, on our link.
        faults: the faults that it reports, by their numbers on our link.
        commands: what the table may command it, as types of effects.
        self_test: the command that has it test itself.
        redactor: makes what takes out of its bytes what nobody may keep.
    """

    kind: str
    simulator: str
    protocol: str = "link"
    baudrate: int = 115_200
    variant: str = ""
    number: int | None = None
    handler: Callable[..., DeviceHandler[Any, Any, Any]] | None = None
    codec: Codec[Any, Any, Any] | None = None
    faults: Mapping[int, Code] = field(default_factory=lambda: NO_FAULTS)
    commands: tuple[type[Command], ...] = ()
    self_test: Command | None = None
    redactor: Callable[[], Callable[[bytes], bytes]] | None = None

    @property
    def name(self) -> str:
        """Its name among simulators and their faults."""
        return self.variant or self.kind
