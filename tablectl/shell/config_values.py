"""The values that a configuration's keys may have: names, addresses, ports, amounts, hashes."""

import ipaddress
import os
import re
from pathlib import Path
from typing import Annotated, Final, Literal

from argon2 import Type as Argon2Type
from argon2 import extract_parameters
from argon2.exceptions import InvalidHashError
from pydantic import AfterValidator, BeforeValidator, ConfigDict, PlainSerializer
from pydantic_core import PydanticCustomError

from tablectl.core.money import format_money, parse_money

STRICT: Final = ConfigDict(extra="forbid", frozen=True, strict=True)
"""What every form of the configuration is like."""

RESERVED: Final = frozenset({"table", "console"})
"""Sources of facts that are neither a person nor a device."""

MEMORY_KIB_MAX: Final = 65_536
PASSES_MAX: Final = 10
LANES_MAX: Final = 4
"""What one check of a PIN may cost; the console holds the same bounds."""

HASH_HINT: Final = "make one with: tablectl pin"

CREDENTIAL: Final = "credential:"
"""Before the name of what systemd hands over, in place of a secret's path."""

_CREDENTIAL: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")
_NAME: Final = re.compile(r"[a-z0-9-]{1,32}")
_USB: Final = re.compile(r"usb:[0-9a-fA-F]{4}:[0-9a-fA-F]{4}(:[!-~]{1,126})?")
_HOST: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,252})|[0-9A-Fa-f:.]{2,45}")
_ADDRESS: Final = re.compile(r"(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@\[\]]+)):(\d{1,5})")


def _wrong(message: str, hint: str = "") -> PydanticCustomError:
    return PydanticCustomError("house", "{message}", {"message": message, "hint": hint})


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise _wrong("a name has 1 to 32 lower-case letters, digits and hyphens", "it becomes a part of topics")
    if text in RESERVED:
        raise _wrong("this name stands for the controller's own parts", "choose another name")
    return text


def split_address(text: str) -> tuple[str, int] | None:
    """Host and port of ``host:port`` or ``[IPv6]:port``; None if it is neither."""
    form = _ADDRESS.fullmatch(text)
    return (form[1] or form[2], int(form[3])) if form and int(form[3]) < 65536 else None


def is_loopback(host: str) -> bool:
    """Whether the host is this machine by its address, without asking a name server."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def split_broker(url: str) -> tuple[bool, str, int] | None:
    """Whether it is TLS, host and port of ``mqtt[s]://host[:port]``; None if it isn't of that form."""
    scheme, _, rest = url.partition("://")
    if scheme not in {"mqtt", "mqtts"}:
        return None
    standard = 8883 if scheme == "mqtts" else 1883
    address = split_address(rest) or split_address(f"{rest}:{standard}")
    return (scheme == "mqtts", *address) if address and address[1] else None


def _broker(url: str) -> str:
    if "@" in url:
        raise _wrong("an address holds no user and no password", "use mqtt.username and mqtt.password_file")
    if split_broker(url) is None:
        raise _wrong("a broker's address is mqtt://host:port, or mqtts://host:port with TLS")
    return url


def _listen(text: str) -> str:
    if split_address(text) is None:
        raise _wrong("an address to listen on is host:port", 'such as "127.0.0.1:8080"; port 0 is any free one')
    return text


def _host(text: str) -> str:
    if not _HOST.fullmatch(text):
        raise _wrong("a name of this machine is a host name or an address, without a port", 'such as "table-7.floor"')
    return text.lower()


def _port(text: str) -> str:
    if text.startswith("usb:"):
        return _usb_port(text)
    scheme, _, rest = text.partition(":")
    address = split_address(rest.removeprefix("//")) if scheme == "tcp" and rest.startswith("//") else None
    if (scheme == "serial" and rest and rest == rest.strip()) or (address and address[1]):
        return text
    raise _wrong("a port is serial:<path>, tcp://host:port or usb:VID:PID", "such as serial:/dev/serial/by-path/…")


def _usb_port(text: str) -> str:
    if not _USB.fullmatch(text):
        raise _wrong("a USB device is usb:VID:PID or usb:VID:PID:serial", "VID and PID are four hexadecimal digits")
    return text


def _absolute(text: str) -> str:
    if not Path(text).is_absolute():
        raise _wrong("a path begins with /")
    return text


def _secret(text: str) -> str:
    name = text.removeprefix(CREDENTIAL)
    if name == text:
        return _absolute(text)
    if not _CREDENTIAL.fullmatch(name):
        raise _wrong("a credential's name has letters, digits, dots, hyphens and underscores")
    return text


def secret_file(text: str) -> Path | None:
    """The file that a secret is in; None for a credential where systemd has handed none over."""
    name = text.removeprefix(CREDENTIAL)
    if name == text:
        return Path(text)
    handed = os.environ.get("CREDENTIALS_DIRECTORY")
    return Path(handed) / name if handed else None


def _pin_hash(text: str) -> str:
    try:
        cost = extract_parameters(text)
    except InvalidHashError:
        raise _wrong("this isn't an Argon2 hash of a PIN", HASH_HINT) from None
    if cost.type is not Argon2Type.ID:
        raise _wrong("of the Argon2 hashes only Argon2id is taken", HASH_HINT)
    if cost.memory_cost > MEMORY_KIB_MAX or cost.time_cost > PASSES_MAX or cost.parallelism > LANES_MAX:
        raise _wrong("to check a PIN against this hash costs too much memory or time", HASH_HINT)
    return text


def _one_pack(packs: int) -> int:
    if packs != 1:
        raise _wrong(
            "Q Poker is played with exactly one pack (89/2004 art. 1)",
            "the ranking of hands is complete with one pack only, and more packs favour the bettors",
        )
    return packs


def _hundredths(given: object) -> int:
    if type(given) is int:
        given = str(given)
    if not isinstance(given, str):
        raise _wrong("an amount is a decimal text in quotes", 'such as "50" or "0.50"')
    try:
        return parse_money(given)
    except ValueError as error:
        raise _wrong(str(error)) from None


Name = Annotated[str, AfterValidator(_name)]
Port = Annotated[str, AfterValidator(_port)]
Broker = Annotated[str, AfterValidator(_broker)]
HostName = Annotated[str, AfterValidator(_host)]
Listen = Annotated[str, AfterValidator(_listen)]
PinHash = Annotated[str, AfterValidator(_pin_hash)]
OnePack = Annotated[int, AfterValidator(_one_pack)]
AbsolutePath = Annotated[str, AfterValidator(_absolute)]
SecretPath = Annotated[str, AfterValidator(_secret)]
Amount = Annotated[int, BeforeValidator(_hundredths), PlainSerializer(format_money)]
BaudRate = Literal[1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400]
