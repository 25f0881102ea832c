"""Types of a configuration's values: names, addresses, ports, amounts, hashes."""

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

from tablectl.config.errors import render, worded
from tablectl.core.money import MONEY_LENGTH_MAX, format_money, parse_money

Level = Literal["trace", "debug", "info", "warning", "error"]
"""How much the log says: table events are `info`, each phase of a round `debug`, each frame on a wire `trace`."""

Area = Literal["console", "devices", "drivers", "fault", "journal", "log", "round", "table"]
"""The part of the program that logs."""

STRICT: Final = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
"""What every form of the configuration is like."""

RESERVED: Final = frozenset({"table", "console"})
"""Sources of facts that are neither a person nor a device."""

MEMORY_KIB_MAX: Final = 65_536
PASSES_MAX: Final = 10
LANES_MAX: Final = 4
"""What one check of a PIN may cost; the console holds the same bounds."""

CREDENTIAL: Final = "credential:"
"""Before the name of what systemd hands over, in place of a secret's path."""

_CREDENTIAL: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")
_NAME: Final = re.compile(r"[a-z0-9-]{1,32}")
_USB: Final = re.compile(r"usb:[0-9a-fA-F]{4}:[0-9a-fA-F]{4}(:[!-~]{1,126})?")
_USB_ID: Final = re.compile(r"[0-9a-fA-F]{4}:[0-9a-fA-F]{4}(:[!-~]{1,126})?")
_HOST: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,252})|[0-9A-Fa-f:.]{2,45}")
_ADDRESS: Final = re.compile(r"(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@\[\]]+)):(\d{1,5})")


def unfit(key: str, hint: str = "", **values: object) -> PydanticCustomError:
    """Make an error of a value, as pydantic hands it on.

    Args:
        key: of a text below `config`.
        hint: likewise, of the advice.
    """
    said, advice = worded(key, **values), worded(hint) if hint else ""
    told_in_english = {"message": render(said), "hint": render(advice)}
    return PydanticCustomError("house", "{message}", {**told_in_english, "said": said, "advice": advice})


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise unfit("name", "name_hint")
    if text in RESERVED:
        raise unfit("reserved", "reserved_hint")
    return text


def split_address(text: str) -> tuple[str, int] | None:
    """Split `host:port` or `[IPv6]:port` into host and port; None if it is neither."""
    form = _ADDRESS.fullmatch(text)
    return (form[1] or form[2], int(form[3])) if form and int(form[3]) < 65536 else None


def is_loopback(host: str) -> bool:
    """Return True if the host is this machine by its address.

    No name server is asked.
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_everywhere(host: str) -> bool:
    """Return True if listening on the host is listening on all addresses of a machine.

    Nobody calls a machine by such an address.
    """
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def split_broker(url: str) -> tuple[bool, str, int] | None:
    """Split `mqtt[s]://host[:port]` into TLS or not, host and port.

    None if it isn't of that form.
    """
    scheme, _, rest = url.partition("://")
    if scheme not in {"mqtt", "mqtts"}:
        return None
    standard = 8883 if scheme == "mqtts" else 1883
    address = split_address(rest) or split_address(f"{rest}:{standard}")
    return (scheme == "mqtts", *address) if address and address[1] else None


def _broker(url: str) -> str:
    if "@" in url:
        raise unfit("broker_user", "broker_user_hint")
    if split_broker(url) is None:
        raise unfit("broker")
    return url


def _listen(text: str) -> str:
    if split_address(text) is None:
        raise unfit("listen", "listen_hint")
    return text


def _host(text: str) -> str:
    if not _HOST.fullmatch(text):
        raise unfit("host", "host_hint")
    return text.lower()


def _port(text: str) -> str:
    if text.startswith("usb:"):
        if not _USB.fullmatch(text):
            raise unfit("usb", "usb_hint")
        return text
    scheme, _, rest = text.partition(":")
    address = split_address(rest.removeprefix("//")) if scheme == "tcp" and rest.startswith("//") else None
    if (scheme == "serial" and rest and rest == rest.strip()) or (address and address[1]):
        return text
    raise unfit("port", "port_hint")


def _usb_id(text: str) -> str:
    if not _USB_ID.fullmatch(text):
        raise unfit("usb_id", "usb_id_hint")
    return text


def _absolute(text: str) -> str:
    if not Path(text).is_absolute():
        raise unfit("absolute")
    return text


def _secret(text: str) -> str:
    name = text.removeprefix(CREDENTIAL)
    if name == text:
        return _absolute(text)
    if not _CREDENTIAL.fullmatch(name):
        raise unfit("credential")
    return text


def secret_file(text: str) -> Path | None:
    """Return the file that a secret is in.

    None for a credential where systemd has handed none over.
    """
    name = text.removeprefix(CREDENTIAL)
    if name == text:
        return Path(text)
    handed = os.environ.get("CREDENTIALS_DIRECTORY")
    return Path(handed) / name if handed else None


def _pin_hash(text: str) -> str:
    try:
        cost = extract_parameters(text)
    except InvalidHashError:
        raise unfit("pin_hash", "pin_hash_hint") from None
    if cost.type is not Argon2Type.ID:
        raise unfit("pin_hash_kind", "pin_hash_hint")
    if cost.memory_cost > MEMORY_KIB_MAX or cost.time_cost > PASSES_MAX or cost.parallelism > LANES_MAX:
        raise unfit("pin_hash_dear", "pin_hash_hint")
    return text


def _one_pack(packs: int) -> int:
    if packs != 1:
        raise unfit("one_pack", "one_pack_hint")
    return packs


def _hundredths(given: object) -> int:
    if type(given) is int:
        given = str(given)
    if not isinstance(given, str):
        raise unfit("amount", "amount_hint")
    try:
        return parse_money(given)
    except ValueError:
        if len(given) > MONEY_LENGTH_MAX:
            raise unfit("amount_long", most=MONEY_LENGTH_MAX) from None
        raise unfit("amount_form", given=f"{given!r:.40}") from None


Name = Annotated[str, AfterValidator(_name)]
Port = Annotated[str, AfterValidator(_port)]
UsbId = Annotated[str, AfterValidator(_usb_id)]
Broker = Annotated[str, AfterValidator(_broker)]
HostName = Annotated[str, AfterValidator(_host)]
Listen = Annotated[str, AfterValidator(_listen)]
PinHash = Annotated[str, AfterValidator(_pin_hash)]
OnePack = Annotated[int, AfterValidator(_one_pack)]
AbsolutePath = Annotated[str, AfterValidator(_absolute)]
SecretPath = Annotated[str, AfterValidator(_secret)]
Amount = Annotated[int, BeforeValidator(_hundredths), PlainSerializer(format_money)]
BaudRate = Literal[1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400]
