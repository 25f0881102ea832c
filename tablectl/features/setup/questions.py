"""`tablectl init`: what a new table's configuration says, from a few answers."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from tablectl.config.remarks import NO_PIN
from tablectl.lazy_dataclass import dataclass
from tablectl.rule_tables import game_record

ROLES: Final = ("dealer", "supervisor", "technician", "surveillance")

_SPEAKS: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "shoe": ('protocol = "angel_eye" # or "link"', "baudrate = 4800 # one known house sets its shoes to 9600"),
        "display": ('protocol = "link" # or "am03127" with baudrate = 9600 for an LED board',),
        "wheel": ('protocol = "usb" # or "qsb" with port = "serial:…"', 'calibration = "wheel/52-even.toml"'),
    }
)
_SIMULATED: Final[Mapping[str, str]] = MappingProxyType({"shoe": "angel_eye", "wheel": "qsb"})
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_EXPECT: Final = 'expect = {maker = "", model = "", serial = "", firmware = ""} # the approved device'


@dataclass(frozen=True, slots=True)
class NewPerson:
    """Somebody who may sign on; `pin_hash` fits no PIN where they have none yet."""

    name: str
    role: str
    pin_hash: str = NO_PIN


@dataclass(frozen=True, slots=True)
class NewTable:
    """A table to be set up.

    Args:
        devices: kinds and ports.
        state: its state folder.
        others: what else is on this machine's USB, as lines of `usb_lines`.
        simulated: whether `tablectl sim run` stands in for the devices.
    """

    site: str
    name: str
    game: str
    language: str
    broker: str
    username: str
    devices: Mapping[str, str]
    people: Sequence[NewPerson]
    state: str
    others: Sequence[str] = ()
    simulated: bool = False


def usual_port(kind: str, number: int, *, simulated: bool = False) -> str:
    """A port as the device's may be called; `number` is the socket's, from 1."""
    if simulated:
        return f"serial:{kind}"
    return "usb:1209:5251" if kind == "wheel" else f"serial:/dev/serial/by-path/platform-xhci-usb-0:{number}:1.0-port0"


def usual_ports(kinds: Iterable[str], *, simulated: bool) -> dict[str, str]:
    """The ports as the devices' may be called, by kind."""
    return {kind: usual_port(kind, number, simulated=simulated) for number, kind in enumerate(kinds, 1)}


def configuration(table: NewTable) -> str:
    """Return the configuration's text.

    Every key that has to be looked at is set, and the others are comments.
    """
    parts = [
        [
            "# A table's configuration, begun by `tablectl init`. After a change: tablectl check-config FILE",
            "# Every key is explained in docs/reference/configuration.md. A commented line shows the default.",
        ],
        _table(table),
        _mqtt(table),
        ["[console]", 'listen = "127.0.0.1:8080"'],
        *(_person(person) for person in table.people),
        *(_device(kind, port, simulated=table.simulated) for kind, port in table.devices.items()),
        *(() if table.simulated else (_usb(table),)),
        _game(table),
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _table(table: NewTable) -> list[str]:
    return [
        "[table]",
        f"site = {_text(table.site)}",
        f"name = {_text(table.name)}",
        f"game = {_text(table.game)}",
        f'language = {_text(table.language)} # of the dealer\'s screen: "en", "pt" or "zh-Hant"',
        "",
        "[paths]",
        f"state = {_text(table.state)} # the journal and the log's key: for the daemon's own user alone",
        *([f"runtime = {_text(table.state + '/run')} # the simulated devices' ports"] if table.simulated else ()),
    ]


def _mqtt(table: NewTable) -> list[str]:
    user = _text(table.username or table.name)
    return [
        "[mqtt]",
        f"url = {_text(table.broker)} # mqtts://host:8883 with TLS",
        f"{'' if table.username else '# '}username = {user}",
        f'# password_file = "/etc/tablectl/{table.name}.mqtt-password"',
        '# ca_file = "/etc/tablectl/broker-ca.pem"',
        f'# cert_file = "/etc/tablectl/{table.name}.pem"',
        f'# key_file = "/etc/tablectl/{table.name}.key"',
        "# restricted_cards = false # whether face-down cards are published on restricted/card",
    ]


def _person(person: NewPerson) -> list[str]:
    note = " # fits no PIN: put in the line that `tablectl pin` prints" if person.pin_hash == NO_PIN else ""
    return [
        f"[people.{toml_key(person.name)}]",
        f"role = {_text(person.role)}",
        f"pin_hash = {_text(person.pin_hash)}{note}",
    ]


def _device(kind: str, port: str, *, simulated: bool) -> list[str]:
    head = [f"[devices.{kind}]", f"kind = {_text(kind)}", f"port = {_text(port)}"]
    if simulated:
        return [*head, f"protocol = {_text(_SIMULATED.get(kind, 'link'))}", "simulated = true"]
    speaks = _SPEAKS.get(kind, ('protocol = "link"',))
    named = [] if kind == "shoe" else [_EXPECT]
    return [*head, *speaks, *named]


def _usb(table: NewTable) -> list[str]:
    watched = any(person.role == "technician" for person in table.people)
    note = "whether any other device on USB stops the next round, until a technician has seen to it (fault 711)"
    return ["[usb]", f"{'' if watched else '# '}watch = true # {note}", *table.others]


def _game(table: NewTable) -> list[str]:
    dealing: list[str] = []
    if table.game in {"q_poker", "football_poker"}:
        way = next((kind for kind in ("shoe", "shuffler") if kind in table.devices), "by_hand")
        dealing = [f"dealing = {_text(way)}"]
    return [f"[{table.game}]", *game_record(table.game).setup, *dealing]


def toml_key(name: str) -> str:
    """A name as TOML has it in a table's head."""
    return name if _BARE.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    """A TOML text; JSON's escapes are all among TOML's."""
    return json.dumps(value, ensure_ascii=False)
