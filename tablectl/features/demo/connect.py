"""Wiring of `tablectl demo` to the broker, the follower and the shipped tables."""

import secrets
from collections.abc import AsyncGenerator, Callable, Sequence

from tablectl.features import demo as tool
from tablectl.features.demo.options import Options, Ports
from tablectl.features.demo.staging.console import DemoError
from tablectl.features.tail.follower import Follower
from tablectl.mqtt.client import BrokerRefusedError
from tablectl.mqtt.message import Message
from tablectl.mqtt.reconnect import subscribe
from tablectl.mqtt.settings import parse_broker_url
from tablectl.rule_tables import shipped
from tablectl.words import Language


def demo(options: Options) -> int:
    """Plays the demonstration; returns its exit status."""
    return tool.demo(options, Ports(_feed, _reader, shipped))


async def _feed(
    url: str, filters: Sequence[str], on_connection: Callable[[Exception | None], None]
) -> AsyncGenerator[Message]:
    try:
        async for message in subscribe(
            parse_broker_url(url), filters, f"tablectl-demo-{secrets.token_hex(4)}", on_connection
        ):
            yield message
    except (BrokerRefusedError, ValueError) as error:
        raise DemoError(str(error)) from None


def _reader(language: Language, colour: bool) -> Follower:  # the port's form
    return Follower(language, colour=colour)
