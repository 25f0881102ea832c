"""Name servers and addresses that don't answer, for look-ups and connections in this process."""

import socket
import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

DEAD = "127.0.0.2"
"""Of this machine as well, so that the same port is free for somebody who doesn't answer."""


@contextmanager
def dead_address(port: int) -> Generator[str]:
    """An address at which nobody takes connections, and nobody refuses them."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind((DEAD, port))
        listener.listen(0)
        for _ in range(3):  # its queue is full then, and the system drops whoever comes
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex((DEAD, port))
        yield DEAD


def name(monkeypatch: pytest.MonkeyPatch, host: str, *addresses: str) -> None:
    """Gives a machine's name these addresses."""
    really = socket.getaddrinfo

    def answer(asked: Any, port: Any, *args: Any, **flags: Any) -> Any:
        if asked != host:
            return really(asked, port, *args, **flags)
        if flags.get("flags", 0) & socket.AI_NUMERICHOST:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [found for address in addresses for found in really(address, port, *args, **flags)]

    monkeypatch.setattr(socket, "getaddrinfo", answer)


@contextmanager
def swallowed(monkeypatch: pytest.MonkeyPatch, host: str) -> Generator[list[str]]:
    """Has questions about a name unanswered inside; gives the questions that were asked."""
    really, over, asked = socket.getaddrinfo, threading.Event(), list[str]()

    def swallow(about: Any, port: Any, *args: Any, **flags: Any) -> Any:
        if about != host or flags.get("flags", 0) & socket.AI_NUMERICHOST:
            return really(about, port, *args, **flags)
        asked.append(about)
        over.wait()
        return really("127.0.0.1", port, *args, **flags)

    monkeypatch.setattr(socket, "getaddrinfo", swallow)
    try:
        yield asked
    finally:
        over.set()
