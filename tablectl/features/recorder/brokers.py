"""Routes to a floor's brokers: where events come from and tables are asked."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Final

from tablectl.config.errors import Complaint, worded
from tablectl.edited_files import read_secret
from tablectl.features.recorder.settings import BrokerSection, PitBroker, ServerSection
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.client import Connection
from tablectl.mqtt.settings import BrokerSettings, Tls, parse_broker_url
from tablectl.tls_files import check_pair

LARGEST: Final = 1 << 20
"""Bytes of a message; an event has some thousand. A broker with MQTT 5 keeps larger ones from us."""


@dataclass(frozen=True, slots=True)
class Route:
    """A broker that is connected to, and connected to anew whenever it is lost.

    Args:
        pit: whose broker it is; empty for the one that brings the events.
        connect: makes a connection, not open yet; to each node of a cluster in turn.
        hears: `<site>/<table>` whose events and states come this way, each level also `+`.
        asks: those to which requests go, and from which answers come, this way.
    """

    pit: str
    connect: Callable[[], Connection]
    hears: Sequence[str] = ()
    asks: Sequence[str] = ()

    def leads_to(self, place: str) -> bool:
        """Return True if this table is asked this way."""
        return any(_matches(each, place) for each in self.asks)


def _matches(pattern: str, place: str) -> bool:
    return all(own in {"+", other} for own, other in zip(pattern.split("/"), place.split("/"), strict=True))


def routes_of(
    broker: BrokerSection, pits: Mapping[str, PitBroker], listen: Sequence[str], client_id: str
) -> tuple[Route, ...]:
    """The route of the events, and one to each pit whose tables are asked there.

    Raises:
        OSError: the password's file can't be read, or certificate and key can't be used.
    """
    if not pits:
        return (Route("", _connections(broker, broker.user, client_id), listen, listen),)
    asked = (Route(pit, _connections(at, broker.user, client_id), (), at.tables) for pit, at in pits.items())
    return (Route("", _connections(broker, broker.user, client_id), listen), *asked)


def broker_complaints(broker: BrokerSection, pits: Mapping[str, PitBroker]) -> Iterator[Complaint]:
    """Check that the keys of each broker's section agree with each other."""
    at_pits = [(("pit_brokers", pit), server) for pit, server in pits.items()]
    servers: list[tuple[tuple[str, ...], ServerSection]] = [(("broker",), broker), *at_pits]
    for path, server in servers:
        try:
            nodes_of(server, broker.user)
        except ValueError as error:
            yield Complaint((*path, "url"), str(error))
    if broker.shards and not pits:
        yield Complaint(("broker", "shards"), worded("shards_pits"))


def nodes_of(server: ServerSection, user: str) -> list[BrokerSettings]:
    """Return the settings of each node's connection, without the password.

    Raises:
        ValueError: an address holds a user, or certificates go with no TLS.
    """
    tls, nodes = Tls(server.ca_file, server.cert_file, server.key_file), list[BrokerSettings]()
    for address in map(parse_broker_url, (server.url, *server.others)):
        if address.username:
            raise ValueError("an address holds no user: say broker.user")
        if address.tls is None and tls != Tls():
            raise ValueError("certificates go with mqtts://")
        nodes.append(
            BrokerSettings(
                address.host,
                address.port,
                username=user if server.password_file else None,
                tls=tls if address.tls else None,
                timeout_s=server.timeout_s,
                mqtt5=server.protocol == "5",
            )
        )
    return nodes


def _connections(server: ServerSection, user: str, client_id: str) -> Callable[[], Connection]:
    file = server.password_file
    password = read_secret(Path(file)) if file else None
    if server.cert_file:
        check_pair(server.cert_file, server.key_file)
    turn = cycle([replace(node, password=password) for node in nodes_of(server, user)])
    # Clean start: what came while we were away is asked for again, however much a broker would have kept.
    return lambda: Connection(next(turn), client_id, largest=LARGEST)
