"""What the log says of the table: rounds that begin and end, devices that come and go; frames on request."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from drivers.capture import Tap, Way
from drivers.decode import Explainer, explainer
from tablectl import words
from tablectl.core.ports import StoredEvent
from tablectl.core.table import Device, Fault, entry
from tablectl.shell.config import Config
from tablectl.shell.log import is_traced, logger, trace

_ROUND_TOPIC: Final = "event/round"
_SAID: Final[Mapping[str, str]] = {
    "mo.tablectl.round.opened.v1": "opened",
    "mo.tablectl.round.settled.v1": "settled",
    "mo.tablectl.round.void.v1": "void",
    "mo.tablectl.round.irregular.v1": "irregular",
    "mo.tablectl.round.corrected.v1": "corrected",
}
"""The events that are worth a line of their own; every other one of a round is said at `debug`."""

_TOLD: Final = ("round_id", "article", "code")


def log_events(events: Sequence[StoredEvent]) -> None:
    """A line for each event of a round: what happened to it, by which article, and nothing that lies on the table."""
    for event in events:
        if event.topic.endswith(_ROUND_TOPIC):
            _log_event(json.loads(event.payload))


def _log_event(form: Mapping[str, Any]) -> None:
    kind: str = form["type"]
    data: Mapping[str, Any] = form["data"]
    told = {name: data[name] for name in _TOLD if data.get(name)}
    if (said := _SAID.get(kind)) is not None:
        logger("round").info(said, **told)
    else:
        logger("round").debug(kind.removeprefix("mo.tablectl.round.").partition(".")[0], **told)


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
    """One line for each fault that came, changed its reason or went: what is wrong, and what to do about it."""
    old, new = ({(item.code, item.device): item for item in faults if item.present} for faults in (before, now))
    for key in sorted(key for key in new if key not in old or new[key].detail != old[key].detail):
        text = f"fault.{entry(key[0]).key}"
        todo = words.text(f"{text}.technician", "en")
        logger("fault").warning(
            words.text(f"{text}.text", "en"), code=int(key[0]), device=key[1], detail=new[key].detail, todo=todo
        )
    for key in old.keys() - new.keys():
        logger("fault").info("over", code=int(key[0]), device=key[1])


def frames_of(config: Config, name: str) -> Tap:
    """What says each frame of a device's links at `trace`: in words, without the bytes and without naming a card."""
    device = config.devices[name]
    explaining: dict[Way, Explainer] = {}

    def tap(way: Way, data: bytes) -> None:
        if not is_traced("drivers"):
            explaining.clear()
            return
        if way not in explaining:
            explaining[way] = explainer(device.protocol, device.kind if device.protocol == "link" else "", cards=False)
        for line in explaining[way].feed(data):
            trace("drivers", line, device=name, way=way.value)

    return tap


def both(first: Tap, second: Tap) -> Tap:
    """Shows bytes to two."""

    def tap(way: Way, data: bytes) -> None:
        first(way, data)
        second(way, data)

    return tap
