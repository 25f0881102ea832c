"""What a device server says in words: one whose port is in use takes the connection, says so, and hangs up."""

import asyncio
import re
import select
import socket
from typing import Final

STAYS_S: Final = 0.25
"""A connection that lasts so long is one; it is what a network takes to bring a refusal, and more."""

MOST_BYTES: Final = 120

_TWO_WORDS: Final = re.compile(r"[A-Za-z]{2,}[ ,.:]+[A-Za-z]{2,}")


def words_in(data: bytes) -> str:
    """The sentence that these bytes are, in one line; empty where they are anything else, as frames."""
    text = " ".join(data[:MOST_BYTES].decode("ascii", "replace").split())
    return text if text.isascii() and text.isprintable() and _TWO_WORDS.search(text) else ""


async def hung_up(connection: socket.socket) -> bytes | None:
    """What came from a far end that hung up at once; None where it stays."""
    await asyncio.sleep(STAYS_S)
    ends = select.poll()
    ends.register(connection, select.POLLRDHUP)
    if not ends.poll(0):
        return None
    try:
        return connection.recv(MOST_BYTES)
    except OSError:  # it was reset, or said nothing
        return b""
