"""Text messages of device servers.

One whose port is in use accepts the connection, sends a sentence about it, and hangs up.
"""

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
    """Return these bytes as a sentence in one line; empty if they are anything else.

    Frames are no sentence.
    """
    text = " ".join(data[:MOST_BYTES].decode("ascii", "replace").split())
    return text if text.isascii() and text.isprintable() and _TWO_WORDS.search(text) else ""


async def hung_up(connection: socket.socket) -> bytes | None:
    """Return the bytes of a far end that hung up at once; None if it stays connected."""
    await asyncio.sleep(STAYS_S)
    ends = select.poll()
    ends.register(connection, select.POLLRDHUP)
    if not ends.poll(0):
        return None
    try:
        return connection.recv(MOST_BYTES)
    except OSError:  # it was reset, or said nothing
        return b""
