"""What a plain subscriber saw: mosquitto's own client, which writes down each message as it was published."""

import re
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.broker import Broker
from tests.support.feed import Feed
from tests.support.patience import PATIENCE_S

_LINE = re.compile(rb"(?P<topic>\S+) (?P<retained>[01]) (?P<qos>[012]) (?P<payload>[0-9a-f]*)")


@dataclass(frozen=True, slots=True)
class Message:
    """One message as it came. `retained` is the flag that the publisher set."""

    topic: str
    retained: bool
    qos: int
    payload: bytes


@contextmanager
def subscriber(broker: Broker, output: Path) -> Generator[None]:
    """Writes down everything that is published from now on, until the end of the block."""
    options = f"-V mqttv5 -q 2 -d -p {broker.port} -t # --retain-as-published -F"
    command = [
        "stdbuf",
        "-oL",
        "mosquitto_sub",
        *options.split(),
        "%t %r %q %x",
    ]  # in hexadecimal: a raw text has line ends
    with output.open("ab") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
    try:
        Feed.until(lambda: b"Subscribed (mid:" in output.read_bytes())
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def read_capture(output: Path) -> list[Message]:
    """The messages in the order in which they came."""
    lines = (_LINE.fullmatch(line) for line in output.read_bytes().splitlines() if b"/" in line.split(b" ")[0])
    return [
        Message(
            line["topic"].decode(), line["retained"] == b"1", int(line["qos"]), bytes.fromhex(line["payload"].decode())
        )
        for line in lines
        if line
    ]
