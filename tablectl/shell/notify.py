"""Word to systemd: ready, alive, what is going on."""

import os
import socket


def notify(message: str) -> None:
    """Sends one message (``READY=1``, ``STATUS=…``, ``WATCHDOG=1``); does nothing where nobody listens."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
        channel.setblocking(False)  # noqa: FBT003  # the socket's own form
        try:
            channel.sendto(message.encode(), "\0" + address[1:] if address[0] == "@" else address)
        except OSError:
            return  # The supervisor went away; it will find out by itself.


def watchdog_interval_s() -> float | None:
    """A third of the time within which systemd wants to hear of us; None where it doesn't."""
    text = os.environ.get("WATCHDOG_USEC", "")
    return int(text) / 3e6 if text.isdigit() and int(text) > 0 else None
