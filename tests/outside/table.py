"""A table without devices, its broker and one subscriber, as an outsider builds them from the documentation."""

import base64
import hashlib
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tests.support.patience import PATIENCE_S
from tests.support.warm import tablectl_path  # the program as it is, of a process that has it in memory already

PREFIX = "tablectl/v1/demo/outside/"
PIN = "2741"

CONFIG = """
[table]
site = "demo"
name = "outside"
game = "wheel_of_fortune"
[wheel_of_fortune]
places = 12
[people.sam]
role = "supervisor"
{pin}
[mqtt]
url = "mqtt://127.0.0.1:{broker}"
[console]
listen = "127.0.0.1:{console}"
[paths]
state = "{folder}/state"
runtime = "{folder}/run"
"""


def free_port() -> int:
    """A port below those that Linux gives to outgoing connections: nobody takes it before it is used."""
    while True:
        port = random.SystemRandom().randrange(20_000, 32_768)
        with socket.socket() as listener, suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port


def until(what: Callable[[], Any], longest_s: float = PATIENCE_S) -> Any:
    """Waits until it is so, and gives what came of it."""
    ends_s = time.monotonic() + longest_s
    while not (found := what()):
        assert time.monotonic() < ends_s, "it never came about"
        time.sleep(0.05)
    return found


class Broker:
    """A mosquitto that keeps over its end what it has acknowledged."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.port = free_port()
        self._program, self._config, self._log = program, folder / "mosquitto.conf", folder / "mosquitto.log"
        self._config.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\n"
            f"persistence true\npersistence_location {folder}/\nmax_queued_messages 0\n"
            f"log_dest file {self._log}\n"
        )
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen([self._program, "-c", self._config], stdout=quiet, stderr=quiet)
        until(lambda: _answers(self.port))

    def send(self, what: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(what)

    def clients(self) -> list[str]:
        """The client ids of all that ever connected, but for the subscriber."""
        named = re.findall(r"New client connected from \S+ as (\S+) ", self._log.read_text())
        return [each for each in named if each != "recorder"]

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(PATIENCE_S)
            self._process = None


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Subscriber:
    """Takes in all that the table publishes, with its own account of it."""

    def __init__(self, port: int) -> None:
        self.messages: list[tuple[str, bytes, bool]] = []
        self._news = threading.Lock()
        self._client = paho.Client(CallbackAPIVersion.VERSION2, "recorder", protocol=paho.MQTTv5)
        self._client.on_connect = self._connected
        self._client.on_message = self._take
        session = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        session.SessionExpiryInterval = 3600
        self._client.connect("127.0.0.1", port, clean_start=False, properties=session)
        self._client.loop_start()

    def _connected(self, client: paho.Client, *_: Any) -> None:
        client.subscribe(PREFIX + "#", 1)

    def _take(self, _client: paho.Client, _data: Any, message: paho.MQTTMessage) -> None:
        with self._news:
            self.messages.append((message.topic.removeprefix(PREFIX), bytes(message.payload), message.retain))

    def ask(self, user: str, verb: str, body: dict[str, Any]) -> None:
        self._client.publish(f"{PREFIX}req/{user}/{verb}", json.dumps(body), 1).wait_for_publish(5)

    def keep(self, topic: str, payload: bytes) -> None:
        self._client.publish(PREFIX + topic, payload, 1, retain=True).wait_for_publish(5)

    def stop(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def events(self) -> list[bytes]:
        return [payload for topic, payload, _ in list(self.messages) if topic.startswith("event/")]

    def contents(self) -> dict[str, set[bytes]]:
        """Every content that an event's id has had."""
        found: dict[str, set[bytes]] = {}
        for payload in self.events():
            found.setdefault(json.loads(payload)["id"], set()).add(payload)
        return found

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        forms = [json.loads(payload) for payload in dict.fromkeys(self.events())]
        return [form for form in forms if form["type"] == f"mo.tablectl.{kind}"]

    def checkpoint(self) -> tuple[str, int, bytes] | None:
        """Origin, size and root of the last one."""
        notes = [payload for topic, payload, _ in list(self.messages) if topic == "checkpoint" and payload]
        if not notes:
            return None
        origin, size, root = notes[-1].decode().split("\n")[:3]
        return origin, int(size), base64.b64decode(root)

    def note(self) -> bytes:
        return [payload for topic, payload, _ in list(self.messages) if topic == "checkpoint" and payload][-1]

    def status(self) -> dict[str, Any]:
        """The last word about the table."""
        said = [payload for topic, payload, _ in list(self.messages) if topic == "status" and payload]
        return dict(json.loads(said[-1])["data"]) if said else {"state": ""}

    def is_proved(self) -> bool:
        """Whether the last checkpoint covers all events that came of its log, and its root is theirs."""
        last = self.checkpoint()
        if last is None:
            return False
        log = last[0].rpartition("/")[2]
        leaves = {name: sorted(texts) for name, texts in self.contents().items() if name.startswith(log)}
        if len(leaves) != last[1]:
            return False
        return merkle_root([leaves[name][0] for name in sorted(leaves)]) == last[2]


def merkle_root(leaves: Sequence[bytes]) -> bytes:
    """RFC 6962, section 2.1."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest()
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    return hashlib.sha256(b"\1" + merkle_root(leaves[:half]) + merkle_root(leaves[half:])).digest()


class Daemon:
    """`tablectl run` under a supervisor that it tells when it is ready, as it tells systemd.

    Attributes:
        program: what is run; PYTHON where it has to be a process of its own from its first instruction on.
    """

    def __init__(self, config: Path, log: Path) -> None:
        self.program = [tablectl_path()]
        self._config, self._log = config, log
        self._process: subprocess.Popen[bytes] | None = None
        self._pid = 0

    def start(self) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told, self._log.open("ab") as log:
            told.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            told.bind("")  # a name that the kernel chooses
            told.settimeout(0.1)
            environment = {**os.environ, "NOTIFY_SOCKET": f"@{told.getsockname()[1:].decode()}"}
            command = [*self.program, "run", "--config", str(self._config)]
            self._pid = 0
            self._process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
            until(lambda: self._is_ready(told))

    def _is_ready(self, told: socket.socket) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self._log.read_text()[-4000:]
        with suppress(TimeoutError):
            text, sender, *_ = told.recvmsg(4096, 64)
            self._pid = struct.unpack("3i", sender[0][2])[0]
            return b"READY=1" in text
        return False

    def kill(self) -> None:
        if self._process is not None:
            if self._process.poll() is None:
                os.kill(self._pid or self._process.pid, signal.SIGKILL)
            self.ended()

    def stop(self) -> int:
        os.kill(self._pid, signal.SIGTERM)
        return self.ended()

    def ended(self) -> int:
        """The exit code of one that ends."""
        assert self._process is not None
        code = self._process.wait(PATIENCE_S)
        self._process = None
        return code


PYTHON = [sys.executable, "-m", "tablectl"]


class Table:
    """The daemon, and a supervisor at its console."""

    def __init__(self, folder: Path, broker: int, more: str = "") -> None:
        self.folder, self.state_folder = folder, folder / "state"
        self.console = "127.0.0.1", free_port()
        self.config = folder / "table.toml"
        hashed = self.command("pin", "--stdin", given=f"{PIN}\n").stdout.strip()
        text = CONFIG.format(pin=hashed, broker=broker, console=self.console[1], folder=folder)
        self.config.write_text(text + more)
        self.daemon = Daemon(self.config, folder / "daemon.log")
        self._token = ""
        self._asked = 0

    def command(self, *words: str, given: str = "") -> "subprocess.CompletedProcess[str]":
        """One of the commands, as it is."""
        command = [tablectl_path(), *words]
        return subprocess.run(command, input=given, capture_output=True, text=True, timeout=PATIENCE_S, check=False)

    def tool(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """One of the commands, with this table's configuration."""
        return self.command(*words, "--config", str(self.config))

    def start(self) -> None:
        self.daemon.start()
        self._token = self.call("POST", "/v1/sign-on", {"person": "sam", "pin": PIN})["token"]

    def kill(self) -> None:
        self.daemon.kill()

    def stop(self) -> int:
        return self.daemon.stop()

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        request = urllib.request.Request(f"http://127.0.0.1:{self.console[1]}{path}", method=method)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        if self._token:
            request.add_header("Authorization", f"Bearer {self._token}")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                form: dict[str, Any] = json.load(answer)
        except urllib.error.HTTPError as error:
            form = json.load(error)
        return form

    def state(self) -> dict[str, Any]:
        return self.call("GET", "/v1/state")

    def fault(self, code: int) -> dict[str, Any] | None:
        return next((each for each in self.state()["faults"] if each["code"] == code), None)

    def request(self, verb: str, **fields: Any) -> dict[str, Any]:
        """A request of what the screen shows, ready to be sent any number of times."""
        self._asked += 1
        state = self.state()
        about = {"round_id": state["round_id"], "seen": state["seen"]}
        return {"verb": verb, "request_id": f"{os.getpid()}-{self._asked}-{time.monotonic_ns()}", **about, **fields}

    def send(self, request: dict[str, Any]) -> dict[str, Any]:
        body = {key: value for key, value in request.items() if key != "verb"}
        return self.call("POST", f"/v1/requests/{request['verb']}", body)

    def ask(self, verb: str, **fields: Any) -> dict[str, Any]:
        return self.send(self.request(verb, **fields))

    def bet(self, **fields: Any) -> dict[str, Any]:
        return self.request("bet", **{"place": 1, "bettor": "Ho", "bet": "symbol_1", "stake": "100", **fields})

    def play(self) -> None:
        """A round with one bet, that ends."""
        for verb, fields in (("open_round", {}), ("bet", None), ("void_round", {"reason": "the wheel broke"})):
            reply = self.ask(verb, **fields) if fields is not None else self.send(self.bet())
            assert reply.get("accepted"), reply

    def copy(self, name: str) -> Path:
        """A copy of the state folder, of a daemon that doesn't run."""
        return Path(shutil.copytree(self.state_folder, self.folder / name))

    def put_back(self, copied: Path) -> None:
        shutil.rmtree(self.state_folder)
        shutil.copytree(copied, self.state_folder)
