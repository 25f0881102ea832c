"""What a configuration of the right form can still get wrong, so that the table doesn't start."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tablectl.shell.config_console import console_complaints
from tablectl.shell.config_errors import Complaint, KeyPath
from tablectl.shell.config_form import nearest
from tablectl.shell.config_games import USES
from tablectl.shell.config_models import Config, MqttSection
from tablectl.shell.config_values import secret_file
from tablectl.shell.config_wheel import wheel_complaints

ON_USB: Final = frozenset({"link", "usb"})
ONLY_ON_USB: Final = frozenset({"usb"})
TLS_FILES: Final = ("ca_file", "cert_file", "key_file")


def complaints(config: Config) -> Iterator[Complaint]:
    """Everything that stops a table from running with this configuration."""
    yield from _stakes(config)
    yield from _broker(config.mqtt)
    yield from console_complaints(config)
    yield from _ports(config)
    yield from _other_games(config)
    for kind in USES[config.table.game]:
        yield from _device(config, kind)
    yield from _lacking(config)
    yield from wheel_complaints(config)


def is_simulated(config: Config) -> bool:
    """Whether anything at the table is simulated; then all that it says is marked so."""
    return any(item.simulated for item in (*config.devices.values(), *config.people.values()))


def devices_of(config: Config, kind: str) -> tuple[str, ...]:
    """The names of all devices of a kind."""
    return tuple(name for name, device in config.devices.items() if device.kind == kind)


def device_of(config: Config, kind: str) -> str:
    """The name of the device of this kind that the game uses; empty where there is none."""
    named: str = getattr(config.game, kind)
    return named or next(iter(devices_of(config, kind)), "")


def runtime_dir(config: Config) -> Path:
    """Where sockets, locks and simulated ports lie."""
    return Path(config.paths.runtime or _first_of("RUNTIME_DIRECTORY") or "/run/tablectl")


def state_dir(config: Config) -> Path:
    """Where the journal lies."""
    return Path(config.paths.state or _first_of("STATE_DIRECTORY") or f"/var/lib/tablectl/{config.table.name}")


def port_address(config: Config, name: str) -> str:
    """A device's port, a relative path made absolute."""
    port = config.devices[name].port
    scheme, _, path = port.partition(":")
    return f"serial:{runtime_dir(config) / path}" if scheme == "serial" else port


def _first_of(variable: str) -> str:
    """What systemd names in a variable: one folder, or several parted by colons."""
    return os.environ.get(variable, "").partition(":")[0]


def _stakes(config: Config) -> Iterator[Complaint]:
    stakes = config.game.stakes
    here: KeyPath = (config.table.game, "stakes")
    for name, amount in (("least", stakes.least), ("most", stakes.most), ("step", stakes.step)):
        if amount == 0:
            yield Complaint((*here, name), "more than 0 is expected")
    if stakes.least > stakes.most:
        yield Complaint((*here, "least"), "the least stake is more than the most")
    if stakes.step and stakes.least % stakes.step:
        yield Complaint((*here, "least"), "the least stake isn't a multiple of the step")
    if stakes.step and stakes.most % stakes.step:
        yield Complaint((*here, "most"), "the most stake isn't a multiple of the step")


def _broker(mqtt: MqttSection) -> Iterator[Complaint]:
    if mqtt.password_file and not mqtt.username:
        yield Complaint(("mqtt", "password_file"), "a password needs a username", hint="set mqtt.username")
    if bool(mqtt.cert_file) != bool(mqtt.key_file):
        there, lacking = ("cert_file", "key_file") if mqtt.cert_file else ("key_file", "cert_file")
        yield Complaint(("mqtt", there), f"certificate and key go together: {lacking} is missing")
    for key in TLS_FILES:
        if getattr(mqtt, key) and mqtt.url.startswith("mqtt://"):
            yield Complaint(("mqtt", key), "certificates need TLS, and the address has none", hint="use mqtts://")
    for key in ("password_file", *TLS_FILES):
        yield from _unreadable(("mqtt", key), getattr(mqtt, key))


def _unreadable(path: KeyPath, file: str | None) -> Iterator[Complaint]:
    place = secret_file(file) if file is not None else None
    if place is None:
        return  # A credential is handed over at the start only; it is missed then.
    try:
        with place.open("rb"):
            return
    except OSError as error:
        yield Complaint(path, f"the file can't be read: {error.strerror}")


def _ports(config: Config) -> Iterator[Complaint]:
    taken: dict[str, str] = {}
    for name, device in config.devices.items():
        here, real = ("devices", name, "port"), _real_port(port_address(config, name))
        if real in taken:
            yield Complaint(here, f"this is the port of devices.{taken[real]} already: {real}")
        taken.setdefault(real, name)
        if wrong := _wrong_wire(device.port, device.protocol):
            yield Complaint(here, wrong, hint="name another port, or another protocol")
        why = _why_simulated(device.port, real)
        if why and not device.simulated:
            yield Complaint(
                here,
                f"{why}, so only a simulator can be there",
                hint="set simulated = true, or name a real port",
            )


def _wrong_wire(port: str, protocol: str) -> str:
    """Why a protocol isn't spoken at such a port; empty where it is."""
    on_usb = port.startswith("usb:")
    if on_usb and protocol not in ON_USB:
        return f"{protocol} is spoken on a serial line, not over USB"
    return f"the sensor that speaks {protocol} is at usb:VID:PID" if protocol in ONLY_ON_USB and not on_usb else ""


def _real_port(address: str) -> str:
    scheme, _, path = address.partition(":")
    return os.path.realpath(path) if scheme == "serial" else address.lower()


def _why_simulated(port: str, real: str) -> str:
    if real.startswith("/dev/pts/"):
        return "this is a pseudo-terminal"
    relative = port.startswith("serial:") and not port.startswith("serial:/")
    return "a relative path lies in the runtime folder" if relative else ""


def _other_games(config: Config) -> Iterator[Complaint]:
    """Sections of games that aren't played here: somebody means another table, or another game."""
    for game in USES:
        if game in config.model_fields_set and game != config.table.game:
            yield Complaint((game,), f"this table plays {config.table.game}", hint="change table.game, or leave it out")


def _device(config: Config, kind: str) -> Iterator[Complaint]:
    """Whether the game's device of a kind can be told."""
    here: KeyPath = (config.table.game, kind)
    named, there = getattr(config.game, kind), devices_of(config, kind)
    if named and named not in config.devices:
        yield Complaint(here, "there is no such device", nearest(named, list(there)), hint=_known(kind, there))
    elif named and named not in there:
        yield Complaint(here, f"this device is a {config.devices[named].kind}", hint=_known(kind, there))
    elif not named and len(there) > 1:
        yield Complaint(here, f"there is more than one {kind}; say which one the game uses", hint=_known(kind, there))


def _lacking(config: Config) -> Iterator[Complaint]:
    """What the game can't be played without: whatever deals its cards, and the draw system."""
    game = config.table.game
    dealing = getattr(config.game, "dealing", "")
    if dealing and not devices_of(config, dealing):
        yield Complaint(
            (game, "dealing"),
            f"cards are dealt from a {dealing}, and there is none",
            hint=f'add [devices.{dealing}] with kind = "{dealing}"',
        )
    if game == "football_poker" and not devices_of(config, "draw"):
        yield Complaint(
            (game, "draw"),
            "the numbers are drawn by a draw system, and there is none (41/2003 art. 2)",
            hint='add [devices.draw] with kind = "draw"',
        )


def _known(kind: str, there: tuple[str, ...]) -> str:
    return f"known: {', '.join(there)}" if there else f"there is no {kind} under [devices]"
