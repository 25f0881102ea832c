"""Operational log lines of the table: rounds, devices, faults."""

from collections.abc import Mapping, Sequence
from typing import Final

from tablectl import words
from tablectl.core.events import KINDS, Event
from tablectl.core.events.amendments import Amended, Reopened
from tablectl.core.events.round import Corrected, Irregular, RoundBegan, Settled, Voided
from tablectl.core.protocols import StoredEvent
from tablectl.core.table import Device, Fault, entry
from tablectl.daemon.host.log import logger
from tablectl.lazy_dataclass import replace

_ROUND_TOPIC: Final = "event/round"
_NOTABLE: Final[Mapping[type[Event], str]] = {
    RoundBegan: "opened",
    Settled: "settled",
    Voided: "void",
    Irregular: "irregular",
    Corrected: "corrected",
    Amended: "amended",
    Reopened: "reopened",
}
"""The events with a line at `info`; every other one of a round has one at `debug`."""

_LOGGED: Final = ("round_id", "article", "code")


def log_events(events: Sequence[StoredEvent]) -> None:
    """Log each event of a round and its article, and nothing that lies on the table."""
    for stored in events:
        event = stored.event
        if event is None or stored.topic != _ROUND_TOPIC:
            continue
        fields = {name: value for name in _LOGGED if (value := getattr(event, name, None))}
        if (notable := _NOTABLE.get(type(event))) is not None:
            logger("round").info(notable, **fields)
        else:
            logger("round").debug(KINDS[type(event)][1].split(".")[1], **fields)


def log_devices(before: Sequence[Device], now: Sequence[Device]) -> None:
    """A line for each device that came or went, at the same level."""
    was = {device.name: device.attached for device in before}
    for device in now:
        if device.attached != was.get(device.name, False):
            known = {"model": device.model, "serial": device.serial, "firmware": device.firmware}
            told = known if device.attached else {"reason": device.reason}
            said = "attached" if device.attached else "lost"
            logger("devices").info(said, device=device.name, **{name: text for name, text in told.items() if text})


def log_faults(before: tuple[Fault, ...], now: tuple[Fault, ...]) -> None:
    """Log each fault that was raised, changed its reason or was cleared.

    The line states the fault and its remedy.
    """
    old, new = ({(item.code, item.device): item for item in faults if item.present} for faults in (before, now))
    for key in sorted(key for key in new if key not in old or new[key].detail != old[key].detail):
        text = f"fault.{entry(key[0]).key}"
        todo = words.text(f"{text}.technician", "en")
        logger("fault").warning(
            words.text(f"{text}.text", "en"), code=int(key[0]), device=key[1], detail=new[key].detail, todo=todo
        )
    for key in old.keys() - new.keys():
        logger("fault").info("over", code=int(key[0]), device=key[1])


class StatusDiff:
    """Detector of changes of devices, faults and status since they were last reported."""

    def __init__(self) -> None:
        self._devices: tuple[Device, ...] = ()
        self._faults: tuple[Fault, ...] = ()
        self._status = ""

    def changed_devices(self, devices: tuple[Device, ...], faults: tuple[Fault, ...]) -> list[str]:
        """Log the changes, and return the names of the devices whose state is another now."""
        if (devices, faults) == (self._devices, self._faults):
            return []
        log_devices(self._devices, devices)
        log_faults(self._faults, faults)
        known = {device.name for device in (*self._devices, *devices)}
        names = sorted(known | {item.device for item in (*self._faults, *faults)})
        was = {name: _reported(name, self._devices, self._faults) for name in names}
        self._devices, self._faults = devices, faults
        return [name for name in names if _reported(name, devices, faults) != was[name]]

    def is_new_status(self, status: str) -> bool:
        """Return True if the table's status is another than the last time."""
        before, self._status = self._status, status
        return before != status


def _reported(
    name: str, devices: tuple[Device, ...], faults: tuple[Fault, ...]
) -> tuple[Device | None, tuple[Fault, ...]]:
    """Public state of a device; the number of its last delivery isn't part of it."""
    known = next((replace(device, delivered="") for device in devices if device.name == name), None)
    return known, tuple(item for item in faults if item.device == name)
