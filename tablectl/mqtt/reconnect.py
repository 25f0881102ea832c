"""A subscription that outlives its connections."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence

from tablectl.mqtt.client import BrokerAwayError, Connection
from tablectl.mqtt.message import Message
from tablectl.mqtt.settings import BrokerSettings


async def subscribe(
    settings: BrokerSettings,
    filters: Sequence[str],
    client_id: str,
    on_change: Callable[[BrokerAwayError | None], None],
) -> AsyncGenerator[Message]:
    """Yield the messages of these topics, over as many connections as it takes.

    Args:
        on_change: is called with the error when the broker is away, and with None when it is there (again).

    Raises:
        BrokerRefusedError: the broker doesn't let us in, or keeps a topic from us.
    """
    waits = delays()
    while True:
        try:
            async with Connection(settings, client_id) as connection:
                await connection.subscribe(filters)
                on_change(None)
                waits = delays()
                async for message in connection.messages():
                    yield message
        except BrokerAwayError as error:
            on_change(error)
        await asyncio.sleep(next(waits))


def delays(first_s: float = 0.2, most_s: float = 5.0) -> Iterator[float]:
    """Yield the wait before each next attempt: exponential backoff with jitter.

    It is doubled every time, less up to a half by chance. Without chance a floor full of tables would come back at one
    instant when its broker does.
    """
    wait_s = first_s
    while True:
        yield wait_s * random.uniform(0.5, 1)
        wait_s = min(2 * wait_s, most_s)
