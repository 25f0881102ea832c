"""Supervised drivers of the table's devices, and dispatch of commands to them."""

from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drivers.devices import commanded, fault_of
from drivers.devices import device_of as record_of
from drivers.diagnostics.capture import Capture, Tap, Way, tapped
from tablectl.config.checks import device_of, is_usb_simulated
from tablectl.config.models import Config
from tablectl.core.effects import Command
from tablectl.core.facts import Body, Fact, FaultCleared, FaultRaised, Stamp
from tablectl.core.faults import Code
from tablectl.core.protocols import Clock, Commanded, DeviceCounters, Driver, Teller
from tablectl.core.table import device, fault
from tablectl.daemon.devices.allowance import Allowance
from tablectl.daemon.devices.drivers import driver_of
from tablectl.daemon.devices.presence import Presence
from tablectl.daemon.devices.supervisor import Supervised
from tablectl.daemon.host.log import is_traced, logger, trace
from tablectl.daemon.steady import Steady, with_count
from tablectl.daemon.table import LiveTable

if TYPE_CHECKING:
    from drivers.diagnostics.explain import Explainer


async def watch_usb(config: Config, table: LiveTable[Any]) -> None:
    """Watch USB, where the configuration has it.

    Otherwise the fault that an earlier session left is cleared.
    """
    simulated = is_usb_simulated(config)

    def tell(body: Body) -> None:
        table.tell(table.note(body, simulated=simulated))

    def tell_stranger(stranger: str | None, swings: int) -> None:
        code = Code.USB_UNEXPECTED
        tell(FaultCleared(code) if stranger is None else FaultRaised(code, detail=with_count(stranger, swings)))

    strange: Steady[str] = Steady(tell_stranger)

    def heed(body: Body) -> None:
        strange.now(body.detail if isinstance(body, FaultRaised) else None)

    detail = table.standing(Code.USB_UNEXPECTED)
    if config.usb.watch:
        from drivers.transport.usb_watcher import Strangers, UsbWatch  # hardly any simulated table watches

        ports = [device.port for device in config.devices.values()]
        folder = Path(config.usb.devices)
        await UsbWatch(Strangers(heed, detail), ports, config.usb.expected, folder, _blind).run()
    elif detail is not None:
        tell(FaultCleared(Code.USB_UNEXPECTED))


def _blind(why: str) -> None:
    logger("devices").error("nobody can see what is on USB", error=why)


class Devices:
    """The drivers of all configured devices. To make one reads files."""

    def __init__(self, config: Config, table: LiveTable[Any], clock: Clock) -> None:
        self._config = config
        self._table = table
        self._clock = clock
        self._kinds = frozenset(each.kind for each in config.devices.values())
        self._allowances = {
            name: Allowance(name, self._teller(name), clock, self._standing(name)) for name in config.devices
        }
        self._presences = {
            name: Presence(name, allowance, self._standing(name)) for name, allowance in self._allowances.items()
        }
        self._drivers = tuple(
            driver_of(config, name, presence, clock, device(table.state, name).delivered)
            for name, presence in self._presences.items()
        )

    def jobs(self, capture: Capture | None) -> list[Coroutine[Any, Any, None]]:
        """The supervised jobs of all drivers, and the watch on USB.

        Args:
            capture: takes the links' bytes; None where nothing is to be kept.
        """
        drivers = [
            tapped(_tap_of(self._config, capture, driver.name), self._supervised(driver).run())
            for driver in self._drivers
        ]
        shares = [each.run() for each in self._allowances.values()]
        return [*drivers, *shares, watch_usb(self._config, self._table)]

    def command(self, command: Command) -> None:
        """Asks the device that can do it."""
        name = device_of(self._config, commanded(type(command), self._kinds))
        for driver in self._drivers:
            if driver.name == name and isinstance(driver, Commanded):
                driver.command(command)

    def missing(self) -> list[str]:
        """The devices that aren't there."""
        return [name for name in self._config.devices if not device(self._table.state, name).attached]

    def counters(self) -> Mapping[str, DeviceCounters]:
        """The counters of each driver, by its device's name."""
        return {driver.name: driver.counters() for driver in self._drivers}

    def _standing(self, name: str) -> Mapping[int, str]:
        faults = self._table.state.faults
        return {item.code: item.detail for item in faults if item.device == name and item.present}

    def _supervised(self, driver: Driver) -> Supervised:
        noise = fault(self._table.state, Code.CORRUPT_FRAMES, driver.name)
        is_loud = noise is not None and noise.present
        return Supervised(driver, self._presences[driver.name], fault_of, is_loud=is_loud)

    def _teller(self, name: str) -> Teller:
        section = self._config.devices[name]

        def tell(
            body: Body, *, at: Stamp | None = None, stored: Callable[[], None] | None = None, delivery: str = ""
        ) -> None:
            when = at or self._clock.now()
            self._table.tell(Fact(body, when, name, simulated=section.simulated, delivery=delivery), stored)

        return tell


def _tap_of(config: Config, capture: Capture | None, name: str) -> Tap:
    """The sink of a device's bytes: the log, and the capture.

    The log has them in words. The capture leaves out the bytes that nobody may keep.
    """
    if capture is None:
        return _frames_of(config, name)
    redactor = record_of(config.devices[name].kind, config.devices[name].protocol).redactor
    return _frames_of(config, name, capture.tap(name, redactor() if redactor is not None else None))


def _frames_of(config: Config, name: str, before: Tap | None = None) -> Tap:
    """The sink that logs each frame of a device's links at `trace`.

    The line is in words, without the bytes and without naming a card.

    Args:
        before: another sink, which has the bytes first.
    """
    device = config.devices[name]
    explaining: dict[Way, Explainer] = {}

    def tap(way: Way, data: bytes) -> None:
        if before is not None:
            before(way, data)
        if not is_traced("drivers"):
            explaining.clear()
            return
        if way not in explaining:
            from drivers.diagnostics.explain import explainer  # all devices, of which a table has few

            explaining[way] = explainer(device.protocol, device.kind if device.protocol == "link" else "", cards=False)
        for line in explaining[way].feed(data):
            trace("drivers", line, device=name, way=way.value)

    return tap
