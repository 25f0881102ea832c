"""What a technician should know of a configuration that works."""

import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from tablectl.shell.config_checks import devices_of, is_simulated
from tablectl.shell.config_devices import Device, ShoeSection
from tablectl.shell.config_games import (
    USES,
    ChineseDiceSection,
    FootballPokerSection,
    QPokerSection,
    ThirteenCardsSection,
    WheelOfFortuneSection,
)
from tablectl.shell.config_models import Config, ConsoleSection, MqttSection
from tablectl.shell.config_values import is_loopback, split_broker

LEGAL_PLACES: Final = 7
FIVE_PERCENT: Final = 20
PROTOCOLS_WITHOUT_NAMES: Final = frozenset({"am03127", "angel_eye", "qsb"})
"""These devices say nothing of themselves; their port is their identity."""

KEY_FILES: Final = ("password_file", "key_file")


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


def remarks(config: Config, file: Path) -> Iterator[Remark]:
    """Everything worth knowing of a configuration that works.

    Args:
        file: where it was read from.
    """
    yield from _table_remarks(config)
    yield from _people_remarks(config, file)
    yield from _broker_remarks(config.mqtt)
    yield from _key_remarks("console", config.console)
    for name, device in config.devices.items():
        yield from _device_remarks(f"devices.{name}", device)
    if is_simulated(config):
        yield Remark(Weight.NOTICE, "table", "something is simulated, so all that this table says is marked simulated")


def _table_remarks(config: Config) -> Iterator[Remark]:
    yield from _game_remarks(config)
    for name, device in config.devices.items():
        if device.kind not in USES[config.table.game]:
            text = f"{config.table.game} has no use for a {device.kind}: it is connected, and nothing follows"
            yield Remark(Weight.WARNING, f"devices.{name}", text)


def _game_remarks(config: Config) -> Iterator[Remark]:
    """What each regulation makes worth knowing."""
    match config.game:
        case QPokerSection() as game:
            yield from _q_poker_remarks(config, game)
        case FootballPokerSection() as game:
            if game.stakes.step % FIVE_PERCENT:
                text = "5 % of such a stake has no exact amount; what the bettor gets is rounded down to 0.01"
                yield Remark(Weight.WARNING, "football_poker.stakes.step", text)
        case WheelOfFortuneSection():
            yield from _without(config, "wheel", "the dealer reads the wheel and enters what it shows")
        case ChineseDiceSection():
            yield from _without(config, "dice", "the dealer enters every throw")
        case ThirteenCardsSection():
            yield from _without(config, "dice", "the dealer enters the throw")
            yield from _without(config, "buzzer", "the dealer calls the end of the five minutes (51/89/M art. 2(d))")


def _without(config: Config, kind: str, text: str) -> Iterator[Remark]:
    if not devices_of(config, kind):
        yield Remark(Weight.NOTICE, "devices", f"there is no {kind}: {text}")


def _q_poker_remarks(config: Config, game: QPokerSection) -> Iterator[Remark]:
    if game.places < LEGAL_PLACES:
        text = f"a table has at least {LEGAL_PLACES} places for bettors (89/2004 art. 2)"
        yield Remark(Weight.WARNING, "q_poker.places", text)
    if game.stakes.step % 2:
        text = "half of such a stake has no exact amount; what the bettor gets is rounded down to 0.01"
        yield Remark(Weight.WARNING, "q_poker.stakes.step", text)
    if not devices_of(config, "shoe"):
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
    if mqtt.restricted_cards:
        yield Remark(
            Weight.NOTICE, "mqtt.restricted_cards", "face-down cards go out on restricted/card: see who may read it"
        )
    yield from _key_remarks("mqtt", mqtt)


def _key_remarks(name: str, section: MqttSection | ConsoleSection) -> Iterator[Remark]:
    for key in KEY_FILES:
        file: str | None = getattr(section, key, None)
        if file and _mode(file) & stat.S_IRWXO:
            yield Remark(Weight.WARNING, f"{name}.{key}", f"everybody on this machine has access to {file}; chmod o=")


def _device_remarks(key: str, device: Device) -> Iterator[Remark]:
    scheme, _, path = device.port.partition(":")
    if re.fullmatch(r"/dev/tty(USB|ACM)\d+", path):
        yield Remark(
            Weight.WARNING,
            f"{key}.port",
            f"{path} can be another device after a restart; use /dev/serial/by-path",
        )
    if scheme == "serial" and not device.simulated and not Path(path).exists():
        yield Remark(Weight.WARNING, f"{key}.port", f"{path} isn't there at present")
    yield from _identity_remarks(key, device)
    if isinstance(device, ShoeSection) and device.protocol == "angel_eye" and not device.read_only:
        yield Remark(Weight.NOTICE, f"{key}.read_only", "the shoe may be sent commands")


def _identity_remarks(key: str, device: Device) -> Iterator[Remark]:
    if device.simulated or device.protocol in PROTOCOLS_WITHOUT_NAMES:
        return
    if not any(device.expect.model_dump().values()):
        text = f"no approved identity: whatever {device.kind} is attached is taken"
        yield Remark(Weight.WARNING, f"{key}.expect", text)


def _mode(file: str) -> int:
    try:
        return Path(file).stat().st_mode
    except OSError:
        return 0
