"""The driver of a shuffler on our device link: identity first, each fact once, each shuffle at most once."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from drivers.conversation import Port, open_port
from drivers.link import parse_address
from drivers.shuffler.connection import Connection, Memory
from drivers.shuffler.deliveries import Deliveries
from drivers.shuffler.operation import Operations
from drivers.shuffler.settings import Expected, ShufflerSettings
from tablectl.core.effects import Command
from tablectl.core.ports import Clock, DeviceCounters, Teller

__all__ = ["Expected", "ShufflerDriver", "ShufflerSettings"]


class ShufflerDriver:
    """One shuffler, over all its connections.

    Args:
        delivered: the last delivery that the journal holds of it (`Device.delivered`), so that a restart of
            the daemon neither loses nor repeats an event.
    """

    def __init__(self, settings: ShufflerSettings, tell: Teller, clock: Clock, *, delivered: str = "") -> None:
        """Prepares it; nothing is opened before `run`.

        Raises:
            AddressError: the address can't be used.
        """
        parse_address(settings.address)
        operations = Operations(settings.timeout_s)
        self._memory: Final = Memory(settings, tell, clock, Deliveries(delivered), operations)
        self._before = DeviceCounters()

    @property
    def name(self) -> str:
        """The device's name at this table."""
        return self._memory.settings.name

    def command(self, command: Command) -> None:
        """Asks for a shuffle, now or once the device is there; again for the same number does nothing."""
        wanted, connection = self._memory.operations.want(command.operation), self._memory.connection
        if wanted and connection is not None:
            connection.within(connection.ask)

    def counters(self) -> DeviceCounters:
        """What came so far."""
        current = self._memory.connection
        counted = self._before if current is None else current.counted(self._before)
        return replace(counted, facts=self._memory.told)

    async def run(self, up: Callable[[], None]) -> None:
        """Connects and reports facts until the link ends.

        Raises:
            LinkError: it ended, there is none, nobody answers, or the device isn't the approved one.
        """
        chosen = self._memory.settings
        port = Port(chosen.address, chosen.baudrate, chosen.base_dir, simulated=chosen.simulated)
        link = await open_port(port)
        connection = self._memory.connection = Connection(self._memory, link, up)
        try:
            await connection.run()
        finally:
            self._before = replace(connection.counted(self._before), silent_s=None)
            self._memory.connection = None
            link.close()
