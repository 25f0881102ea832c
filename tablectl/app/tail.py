"""What `tablectl tail` needs of rooms that the reader may not see."""

import secrets
from collections.abc import AsyncGenerator, Callable

from tablectl.bus.client import Message
from tablectl.bus.settings import Tls, broker_settings
from tablectl.bus.subscription import subscribe
from tablectl.reader.tail import TailOptions, follow


async def tail_table(options: TailOptions, out: Callable[[str], None], note: Callable[[str], None]) -> int:
    """Follows the feed; see ``follow``.

    Raises:
        BrokerRefusedError: the broker doesn't let us in, or keeps the topics from us.
        ValueError: the address isn't a broker's.
    """
    tls = Tls(options.ca, options.cert, options.key)
    settings = broker_settings(options.broker, options.password, tls)
    client_id = f"tablectl-tail-{secrets.token_hex(4)}"

    def messages(filters: tuple[str, ...], told: Callable[[Exception | None], None]) -> AsyncGenerator[Message]:
        return subscribe(settings, filters, client_id, told)

    return await follow(options, messages, out, note)
