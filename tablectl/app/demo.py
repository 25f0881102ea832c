"""What `tablectl demo` needs of rooms that its own may not see."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
import secrets

from tablectl.bus.client import BrokerRefusedError, Message
from tablectl.bus.settings import parse_broker_url
from tablectl.bus.subscription import subscribe
from tablectl.reader.follower import Follower
from tablectl.shell.rules import shipped
from tablectl.tools import demo as tool
from tablectl.tools.demo.options import Options, Ports


def demo(options: Options) -> int:
    """Plays the demonstration; returns its exit status."""
    return tool.demo(options, Ports(_feed, Follower, shipped))
