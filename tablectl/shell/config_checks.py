"""What a configuration of the right form can still get wrong. Complaints stop a table, remarks don't."""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from tablectl.core.facts import Dealing
from tablectl.shell.config_errors import Complaint, KeyPath
from tablectl.shell.config_form import nearest
from tablectl.shell.config_models import Config, MqttSection, ShoeSection, ShufflerSection
from tablectl.shell.config_values import is_loopback, split_broker

LEGAL_PLACES: Final = 7
KEY_FILES: Final = ("password_file", "key_file")
TLS_FILES: Final = ("ca_file", "cert_file", "key_file")


class Weight(StrEnum):
    """How much a remark matters."""

    WARNING = "warning"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a technician should know of a configuration that works."""

    weight: Weight
    key: str
    text: str

    def __str__(self) -> str:
        """The line that the technician reads."""
        return f"{self.weight}: {self.key}: {self.text}"


def complaints(config: Config) -> Iterator[Complaint]:
    """Everything that stops a table from running with this configuration."""
    yield from _stakes(config)
    yield from _broker(config.mqtt)
    yield from _ports(config)
    for dealing in Dealing:
        yield from _device(config, dealing)


def remarks(config: Config, file: Path) -> Iterator[Remark]:
    """Everything worth knowing of a configuration that works.

    Args:
        file: where it was read from.
    """
    yield from _table_remarks(config)
    yield from _people_remarks(config, file)
    yield from _broker_remarks(config.mqtt)
    for name, device in config.devices.items():
        yield from _device_remarks(f"devices.{name}", device)
    if is_simulated(config):
        yield Remark(Weight.NOTICE, "table", "something is simulated, so all that this table says is marked simulated")


def is_simulated(config: Config) -> bool:
    """Whether anything at the table is simulated; then all that it says is marked so."""
    return any(item.simulated for item in (*config.devices.values(), *config.people.values()))


def devices_of(config: Config, kind: Dealing) -> tuple[str, ...]:
    """The names of all shoes, or of all shufflers."""
    return tuple(name for name, device in config.devices.items() if device.kind == kind)


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
    stakes = config.q_poker.stakes
    here: KeyPath = ("q_poker", "stakes")
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
    if file is None:
        return
    try:
        with Path(file).open("rb"):
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
        why = _why_simulated(device.port, real)
        if why and not device.simulated:
            yield Complaint(
                here,
                f"{why}, so only a simulator can be there",
                hint="set simulated = true, or name a real port",
            )


def _real_port(address: str) -> str:
    scheme, _, path = address.partition(":")
    return os.path.realpath(path) if scheme == "serial" else address.lower()


def _why_simulated(port: str, real: str) -> str:
    if real.startswith("/dev/pts/"):
        return "this is a pseudo-terminal"
    relative = port.startswith("serial:") and not port.startswith("serial:/")
    return "a relative path lies in the runtime folder" if relative else ""


def _device(config: Config, kind: Dealing) -> Iterator[Complaint]:
    """Whether the game's device of a kind can be told, and is there where cards are dealt from it."""
    here: KeyPath = ("q_poker", kind)
    named, there = getattr(config.q_poker, kind), devices_of(config, kind)
    if named and named not in config.devices:
        yield Complaint(here, "there is no such device", nearest(named, list(there)), hint=_known(kind, there))
    elif named and named not in there:
        yield Complaint(here, f"this device is a {config.devices[named].kind}", hint=_known(kind, there))
    elif not named and len(there) > 1:
        yield Complaint(here, f"there is more than one {kind}; say which one the game uses", hint=_known(kind, there))
    if not there and config.q_poker.dealing == kind:
        yield Complaint(
            ("q_poker", "dealing"),
            f"cards are dealt from a {kind}, and there is none",
            hint=f'add [devices.{kind}] with kind = "{kind}"',
        )


def _known(kind: Dealing, there: tuple[str, ...]) -> str:
    return f"known: {', '.join(there)}" if there else f"there is no {kind} under [devices]"


def _table_remarks(config: Config) -> Iterator[Remark]:
    game = config.q_poker
    if game.places < LEGAL_PLACES:
        text = f"a table has at least {LEGAL_PLACES} places for bettors (89/2004 art. 2)"
        yield Remark(Weight.WARNING, "q_poker.places", text)
    if game.stakes.step % 2:
        text = "half of such a stake has no exact amount; what the bettor gets is rounded down to 0.01"
        yield Remark(Weight.WARNING, "q_poker.stakes.step", text)
    if not devices_of(config, Dealing.SHOE):
        text = "if the shuffler fails during a deal there is no shoe to deal from instead (89/2004 art. 11(5))"
        yield Remark(Weight.NOTICE, "devices", text)


def _people_remarks(config: Config, file: Path) -> Iterator[Remark]:
    roles = {person.role for person in config.people.values()}
    for role, lack in (("dealer", "nobody can run a round"), ("supervisor", "nobody can void a round")):
        if role not in roles:
            yield Remark(Weight.WARNING, "people", f"there is no {role}: {lack}")
    real = any(not person.simulated for person in config.people.values())
    if real and _mode(str(file)) & stat.S_IROTH:
        text = f"everybody on this machine can read {file} and try PINs on their hashes; chmod o-r"
        yield Remark(Weight.WARNING, "people", text)


def _broker_remarks(mqtt: MqttSection) -> Iterator[Remark]:
    broker = split_broker(mqtt.url)
    if broker and not broker[0] and not is_loopback(broker[1]):
        yield Remark(Weight.WARNING, "mqtt.url", "messages and password cross the network unencrypted; use mqtts://")
    for key in KEY_FILES:
        file = getattr(mqtt, key)
        if file and _mode(file) & stat.S_IRWXO:
            yield Remark(Weight.WARNING, f"mqtt.{key}", f"everybody on this machine has access to {file}; chmod o=")


def _device_remarks(key: str, device: ShoeSection | ShufflerSection) -> Iterator[Remark]:
    scheme, _, path = device.port.partition(":")
    if re.fullmatch(r"/dev/tty(USB|ACM)\d+", path):
        yield Remark(
            Weight.WARNING,
            f"{key}.port",
            f"{path} can be another device after a restart; use /dev/serial/by-path",
        )
    if scheme == "serial" and not device.simulated and not Path(path).exists():
        yield Remark(Weight.WARNING, f"{key}.port", f"{path} isn't there at present")
    if isinstance(device, ShufflerSection) and not device.simulated and not any(device.expect.model_dump().values()):
        yield Remark(Weight.WARNING, f"{key}.expect", "no approved identity: whatever shuffler is attached is taken")
    if isinstance(device, ShoeSection) and not device.read_only:
        yield Remark(Weight.NOTICE, f"{key}.read_only", "the shoe may be sent commands")


def _mode(file: str) -> int:
    try:
        return Path(file).stat().st_mode
    except OSError:
        return 0
