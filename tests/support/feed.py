"""A plain subscriber: mosquitto's own client, which writes down every message as it comes."""

import json
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.broker import Broker
from tests.support.patience import PATIENCE_S


@dataclass(slots=True)
class Feed:
    """Everything below `tablectl/`, in the order in which it came."""

    broker: Broker
    output: Path
    _process: "subprocess.Popen[bytes] | None" = field(default=None)

    def start(self) -> None:
        """Subscribes, and returns once the broker has the subscription."""
        self._process = listen(self.broker, self.output, "%t %r %p")

    def stop(self) -> None:
        """Hangs up."""
        if self._process is not None:
            end(self._process)
            self._process = None

    def messages(self) -> list[tuple[str, bool, bytes]]:
        """Topic, whether it came as retained, payload."""
        whole, _, _ = self.output.read_bytes().rpartition(b"\n")  # the last line may be half written
        lines = [line.split(b" ", 2) for line in whole.splitlines() if line.startswith(b"tablectl/")]
        return [(line[0].decode(), line[1] == b"1", line[2]) for line in lines if len(line) == 3]

    def events(self) -> list[dict[str, Any]]:
        """The events, decoded."""
        return [json.loads(payload) for topic, _, payload in self.messages() if "/event/" in topic]

    def last(self, topic: str) -> dict[str, Any] | None:
        """The newest message of the topic with this end."""
        found = [payload for name, _, payload in self.messages() if name.endswith(topic)]
        return json.loads(found[-1]) if found else None

    @staticmethod
    def until(true: Any, longest_s: float = PATIENCE_S) -> None:
        """Looks until it is so."""
        deadline = time.monotonic() + longest_s
        while not true():
            assert time.monotonic() < deadline, "it never came"
            time.sleep(0.01)


def listen(broker: Broker, output: Path, form: str) -> "subprocess.Popen[bytes]":
    """mosquitto's own client, once the broker has its subscription; each message is a line of this form."""
    command = f"stdbuf -oL mosquitto_sub -V mqttv5 -q 1 -d -p {broker.port} -t tablectl/# -F".split()
    with output.open("ab") as file:
        process = subprocess.Popen([*command, form], stdout=file, stderr=subprocess.STDOUT)
    Feed.until(lambda: b"Subscribed (mid:" in output.read_bytes())
    return process


def end(process: "subprocess.Popen[bytes]", patience_s: float = 2.0) -> None:
    """Ends a subscriber. Now and then mosquitto_sub overhears the signal, while its network loop waits."""
    process.terminate()
    try:
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
