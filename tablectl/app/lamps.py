"""The devices and faults as they were last told: only what has changed is told again."""

from dataclasses import replace

from tablectl.app.diary import log_devices, log_faults
from tablectl.core.table import Device, Fault

_Told = tuple[Device | None, tuple[Fault, ...]]


class Lamps:
    """What the table's log and its subscribers know of the devices."""

    def __init__(self) -> None:
        self._devices: tuple[Device, ...] = ()
        self._faults: tuple[Fault, ...] = ()
        self._word = ""

    def turned(self, devices: tuple[Device, ...], faults: tuple[Fault, ...]) -> list[str]:
        """Logs what came and went, and returns the names of the devices of which something else is to be told now."""
        if (devices, faults) == (self._devices, self._faults):
            return []
        log_devices(self._devices, devices)
        log_faults(self._faults, faults)
        known = {device.name for device in (*self._devices, *devices)}
        names = sorted(known | {item.device for item in (*self._faults, *faults)})
        was = {name: _told(name, self._devices, self._faults) for name in names}
        self._devices, self._faults = devices, faults
        return [name for name in names if _told(name, devices, faults) != was[name]]

    def reworded(self, word: str) -> bool:
        """Whether the table's state in a word is another than the last time."""
        before, self._word = self._word, word
        return before != word


def _told(name: str, devices: tuple[Device, ...], faults: tuple[Fault, ...]) -> _Told:
    """What is told of a device. Which of its reports came last is between the two of us."""
    known = next((replace(device, delivered="") for device in devices if device.name == name), None)
    return known, tuple(item for item in faults if item.device == name)
