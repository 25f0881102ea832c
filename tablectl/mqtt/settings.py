"""Settings of a connection to the broker, and their form as a URL."""

from dataclasses import field
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from tablectl.lazy_dataclass import dataclass, replace

PORTS: Final = {"mqtt": 1883, "mqtts": 8883}
"""The ports of MQTT, without and with TLS."""


@dataclass(frozen=True, slots=True)
class Tls:
    """The files of a connection under TLS, all of them PEM.

    Args:
        ca: who signed the broker's certificate; None trusts the authorities that the machine trusts.
        cert: our own certificate, where the broker asks for one.
        key: the key to it.
    """

    ca: str | None = None
    cert: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class BrokerSettings:
    """How to reach the broker.

    Args:
        host: name or address.
        port: 1 to 65535.
        username: who we are to the broker; None comes in without a name.
        password: to the name; never shown.
        tls: None speaks in the clear.
        keepalive_s: an idle connection is probed after so many whole seconds.
        timeout_s: how long anything that the broker has to answer may take.
        mqtt5: False speaks MQTT 3.1.1, which has no reasons for refusals and no properties.
    """

    host: str
    port: int = PORTS["mqtt"]
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: Tls | None = None
    keepalive_s: int = 10
    timeout_s: float = 5.0
    mqtt5: bool = field(default=True, kw_only=True)

    @property
    def address(self) -> str:
        """The broker as messages name it: host and port."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_broker_url(url: str) -> BrokerSettings:
    """Parse an address: `mqtt://[user@]host[:port]`, or `mqtts://…` for TLS.

    Raises:
        ValueError: it isn't such an address; says what is wrong with it.
    """
    parts = _split(url)
    if parts.scheme not in PORTS:
        raise ValueError(f"broker address {url!r}: it begins with mqtt:// or mqtts://")
    if not parts.hostname:
        raise ValueError(f"broker address {url!r}: the host is missing, as in {parts.scheme}://broker.example")
    if parts.password is not None:
        raise ValueError("broker address: leave the password out, it would show in logs and in lists of processes")
    if parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise ValueError(f"broker address {url!r}: nothing follows the port")
    return BrokerSettings(
        host=parts.hostname,
        port=_port(url, parts),
        username=unquote(parts.username) if parts.username else None,
        tls=Tls() if parts.scheme == "mqtts" else None,
    )


def broker_settings(url: str, password: str | None = None, tls: Tls | None = None) -> BrokerSettings:
    """The settings that an address names, with what doesn't belong into one.

    Args:
        tls: the files for `mqtts://`.

    Raises:
        ValueError: it isn't such an address, or files for TLS are given and it doesn't ask for TLS.
    """
    settings = parse_broker_url(url)
    if tls is not None and tls != Tls() and settings.tls is None:
        raise ValueError(f"broker address {url!r}: certificates go with mqtts://")
    return replace(settings, password=password, tls=tls if settings.tls and tls else settings.tls)


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError as error:
        raise ValueError(f"broker address {url!r}: {error}") from None


def _port(url: str, parts: SplitResult) -> int:
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port is None:
        return PORTS[parts.scheme]
    if port == 0:
        raise ValueError(f"broker address {url!r}: the port is a number from 1 to 65535")
    return port
