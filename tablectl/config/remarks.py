"""Remarks for a technician on a configuration that works."""

import re
import stat
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final

from tablectl.config.checks import copies_dir, devices_of, is_simulated, state_dir, unlawful_places
from tablectl.config.devices import Device, ShoeSection
from tablectl.config.errors import Text, render, worded
from tablectl.config.files import expiries
from tablectl.config.games import (
    ChineseDiceSection,
    FootballPokerSection,
    QPokerSection,
    ThirteenCardsSection,
    WheelOfFortuneSection,
)
from tablectl.config.models import Config, ConsoleSection, MqttSection, PersonSection
from tablectl.config.mounts import mount_remark
from tablectl.config.values import is_everywhere, is_loopback, split_broker
from tablectl.config.wheel import unmeasured
from tablectl.core.actions.names import skeleton
from tablectl.lazy_dataclass import dataclass
from tablectl.rule_tables import game_record
from tablectl.words import Language

NO_PIN: Final = "$argon2id$v=19$m=19456,t=2,p=1$qrIE4JrUQXLHMKqq5pZOuQ$zPEyNiyGFKsZOsLiIztJX0Ca0PJZ/+yLULg5XNuIZSE"
"""The hash of a person who has no PIN yet: none fits it."""

COPIES: Final = "paths.copy_to"

FIVE_PERCENT: Final = 20
PROTOCOLS_WITHOUT_NAMES: Final = frozenset({"am03127", "angel_eye", "qsb"})
"""These devices say nothing of themselves; their port is their identity."""

KEY_FILES: Final = ("password_file", "key_file")
OTHER_SCHEMES: Final = {1883: True, 8883: False}
"""Ports by custom, and the scheme that is usually wrong there: whether TLS."""


class Weight(StrEnum):
    """How much a remark matters."""

    WARNING = "warning"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a technician should know of a configuration that works."""

    weight: Weight
    key: str
    said: Text

    def __str__(self) -> str:
        """The line in English."""
        return self.render("en")

    @property
    def text(self) -> str:
        """The remark in English."""
        return render(self.said)

    def render(self, language: Language) -> str:
        """The line that the technician reads."""
        return f"{render(worded(f'say.{self.weight}'), language)}: {self.key}: {render(self.said, language)}"


def remarks(config: Config, file: Path) -> Iterator[Remark]:
    """Everything worth knowing of a configuration that works.

    Args:
        file: where it was read from.
    """
    yield from _table_remarks(config)
    yield from _people_remarks(config, file)
    yield from _broker_remarks(config.mqtt)
    yield from _key_remarks("console", config.console)
    if is_everywhere(config.console.listen.rpartition(":")[0].strip("[]")) and not config.console.hosts:
        yield Remark(Weight.NOTICE, "console.hosts", worded("remark.by_address"))
    if not is_simulated(config) and (text := mount_remark(state_dir(config))):
        yield Remark(Weight.WARNING, "paths.state", text)
    if copies := copies_dir(config):
        yield from (Remark(Weight.WARNING, COPIES, text) for text in _copy_remarks(state_dir(config), copies))
    for name, device in config.devices.items():
        yield from _device_remarks(f"devices.{name}", device)
    if is_simulated(config):
        yield Remark(Weight.NOTICE, "table", worded("remark.simulated"))


def _copy_remarks(state: Path, copies: Path) -> Iterator[Text]:
    if not copies.is_dir():
        yield worded("remark.copy_missing", folder=copies)
    elif state.is_dir() and state.stat().st_dev == copies.stat().st_dev:
        yield worded("remark.copy_same", folder=copies)
    if text := mount_remark(copies, COPIES):
        yield text


def _table_remarks(config: Config) -> Iterator[Remark]:
    yield from _game_remarks(config)
    for name, device in config.devices.items():
        if device.kind not in game_record(config.table.game).devices:
            text = worded("remark.no_use", game=config.table.game, kind=device.kind)
            yield Remark(Weight.WARNING, f"devices.{name}", text)


def _game_remarks(config: Config) -> Iterator[Remark]:
    """Yield the remarks that depend on each game's regulation.

    Rule: 41/2003 art. 2(3) (where no display shows the draw); reading 10; 51/89/M art. 1(c).
    """
    if unlawful := unlawful_places(config):
        yield Remark(Weight.WARNING, f"{config.table.game}.places", unlawful)
    match config.game:
        case QPokerSection() as game:
            yield from _q_poker_remarks(config, game)
        case FootballPokerSection() as game:
            if game.stakes.step % FIVE_PERCENT:
                text = worded("remark.twentieth")
                yield Remark(Weight.WARNING, "football_poker.stakes.step", text)
            yield from _without(config, "display", "shows_draw")
        case WheelOfFortuneSection():
            yield from _without(config, "wheel", "reads_wheel")
            for each in unmeasured(config):
                yield Remark(Weight.WARNING, ".".join(each.path), each.message)
        case ChineseDiceSection():
            yield from _without(config, "dice", "enters_throws")
        case ThirteenCardsSection():
            yield from _without(config, "dice", "enters_throw")
            yield from _without(config, "buzzer", "calls_end")
        case _:
            pass


def _without(config: Config, kind: str, what: str) -> Iterator[Remark]:
    """Yield a remark on a person's task where there is no such device.

    Args:
        what: a text below `config.remark`.
    """
    if not devices_of(config, kind):
        yield Remark(Weight.NOTICE, "devices", worded(f"remark.{what}", kind=kind))


def _q_poker_remarks(config: Config, game: QPokerSection) -> Iterator[Remark]:
    if game.stakes.step % 2:
        text = worded("remark.half")
        yield Remark(Weight.WARNING, "q_poker.stakes.step", text)
    if not devices_of(config, "shoe"):
        text = worded("remark.no_shoe")
        yield Remark(Weight.NOTICE, "devices", text)


def can_sign_on(person: PersonSection) -> bool:
    """Return True if the person has a PIN or a certificate.

    `tablectl init` and the examples give a hash that fits no PIN.
    """
    return bool(person.certificate) or person.pin_hash != NO_PIN


def _people_remarks(config: Config, file: Path) -> Iterator[Remark]:
    roles = {person.role for person in config.people.values()}
    for role in ("dealer", "supervisor"):
        if role not in roles:
            yield Remark(Weight.WARNING, "people", worded(f"remark.no_{role}"))
    if config.usb.watch and "technician" not in roles | {one.role for one in config.subscribers.values()}:
        yield Remark(Weight.WARNING, "people", worded("remark.no_technician"))
    for name, person in config.people.items():
        if not can_sign_on(person):
            yield Remark(Weight.WARNING, f"people.{name}.pin_hash", worded("remark.no_pin"))
    yield from _alike(config)
    real = any(not person.simulated for person in config.people.values())
    if real and _mode(str(file)) & stat.S_IROTH:
        text = worded("remark.open_file", file=file)
        yield Remark(Weight.WARNING, "people", text)


def _alike(config: Config) -> Iterator[Remark]:
    looks: dict[str, str] = {}
    for section, names in (("people", config.people), ("subscribers", config.subscribers)):
        for name in names:
            if (other := looks.setdefault(skeleton(name), name)) != name:
                yield Remark(Weight.WARNING, f"{section}.{name}", worded("remark.alike", name=name, other=other))


def _broker_remarks(mqtt: MqttSection) -> Iterator[Remark]:
    broker = split_broker(mqtt.url)
    if broker and not broker[0] and not is_loopback(broker[1]):
        yield Remark(Weight.WARNING, "mqtt.url", worded("remark.plain_broker"))
    if broker and OTHER_SCHEMES.get(broker[2]) == broker[0]:
        text = "remark.tls_on_plain_port" if broker[0] else "remark.plain_on_tls_port"
        yield Remark(Weight.WARNING, "mqtt.url", worded(text, port=broker[2]))
    if mqtt.restricted_cards:
        yield Remark(Weight.NOTICE, "mqtt.restricted_cards", worded("remark.restricted"))
    yield from _key_remarks("mqtt", mqtt)


def _key_remarks(name: str, section: MqttSection | ConsoleSection) -> Iterator[Remark]:
    for key in KEY_FILES:
        file: str | None = getattr(section, key, None)
        if file and _mode(file) & stat.S_IRWXO:
            yield Remark(Weight.WARNING, f"{name}.{key}", worded("remark.open_key", file=file))
    for path, text in expiries(name, section):
        yield Remark(Weight.WARNING, path, text)


def _device_remarks(key: str, device: Device) -> Iterator[Remark]:
    scheme, _, path = device.port.partition(":")
    if re.fullmatch(r"/dev/tty(USB|ACM)\d+", path):
        yield Remark(
            Weight.WARNING,
            f"{key}.port",
            worded("remark.changing_port", path=path),
        )
    if scheme == "serial" and not device.simulated and not Path(path).exists():
        yield Remark(Weight.WARNING, f"{key}.port", worded("remark.absent_port", path=path))
    yield from _identity_remarks(key, device)
    if isinstance(device, ShoeSection) and device.protocol == "angel_eye" and not device.read_only:
        yield Remark(Weight.NOTICE, f"{key}.read_only", worded("remark.commanded"))


def _identity_remarks(key: str, device: Device) -> Iterator[Remark]:
    if device.simulated or device.protocol in PROTOCOLS_WITHOUT_NAMES:
        return
    if not any(device.expect.model_dump().values()):
        text = worded("remark.not_approved", kind=device.kind)
        yield Remark(Weight.WARNING, f"{key}.expect", text)


def _mode(file: str) -> int:
    try:
        return Path(file).stat().st_mode
    except OSError:
        return 0
