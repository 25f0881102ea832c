"""The table's devices at work: their drivers under supervision, and which of them carries a command out."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from drivers.capture import Capture, tapped
from drivers.faults import fault_of
from tablectl.app.devices import driver_of, tap_of
from tablectl.app.usb import watch_usb
from tablectl.core.effects import (
    BlankDisplay,
    Command,
    RequestDraw,
    RunSelfTest,
    ShowDraw,
    ShowTestPattern,
    ShuffleCards,
    SoundSignal,
)
from tablectl.core.facts import Body, Fact, Stamp
from tablectl.core.ports import Clock, Commanded, DeviceCounters, Driver, Teller
from tablectl.core.table import device
from tablectl.shell.config import Config, device_of
from tablectl.shell.supervisor import Supervised
from tablectl.shell.table import LiveTable

COMMANDED: Final[Mapping[type, str]] = {
    ShuffleCards: "shuffler",
    RequestDraw: "draw",
    ShowDraw: "display",
    BlankDisplay: "display",
    SoundSignal: "buzzer",
    RunSelfTest: "draw",
    ShowTestPattern: "display",
}
"""The kind of device that carries a command out."""


class Fleet:
    """The drivers of all configured devices. To make one reads files."""

    def __init__(self, config: Config, table: LiveTable[Any], clock: Clock) -> None:
        self._config = config
        self._table = table
        self._clock = clock
        self._drivers = tuple(self._driver(name) for name in config.devices)

    def jobs(self, capture: Capture | None) -> list[Coroutine[Any, Any, None]]:
        """What keeps each driver at work, and the eye on USB.

        Args:
            capture: what keeps the links' bytes; None where nothing is to be kept.
        """
        drivers = [
            tapped(tap_of(self._config, capture, driver.name), self._supervised(driver).run())
            for driver in self._drivers
        ]
        return [*drivers, watch_usb(self._config, self._table)]

    def command(self, command: Command) -> None:
        """Asks the device that can do it."""
        name = device_of(self._config, COMMANDED[type(command)])
        for driver in self._drivers:
            if driver.name == name and isinstance(driver, Commanded):
                driver.command(command)

    def missing(self) -> list[str]:
        """The devices that aren't there."""
        return [name for name in self._config.devices if not device(self._table.state, name).attached]

    def counters(self) -> Mapping[str, DeviceCounters]:
        """What each driver has counted, by its device's name."""
        return {driver.name: driver.counters() for driver in self._drivers}

    def _driver(self, name: str) -> Driver:
        delivered = device(self._table.state, name).delivered
        return driver_of(self._config, name, self._teller(name), self._clock, delivered)

    def _supervised(self, driver: Driver) -> Supervised:
        faults = self._table.state.faults
        standing = {item.code: item.detail for item in faults if item.device == driver.name and item.present}
        return Supervised(driver, self._teller(driver.name), fault_of, standing=standing)

    def _teller(self, name: str) -> Teller:
        section = self._config.devices[name]

        def tell(
            body: Body, *, at: Stamp | None = None, stored: Callable[[], None] | None = None, delivery: str = ""
        ) -> None:
            when = at or self._clock.now()
            self._table.tell(Fact(body, when, name, simulated=section.simulated, delivery=delivery), stored)

        return tell
