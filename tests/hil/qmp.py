"""The emulated machine's own control socket, and the agent inside it: lines of JSON over Unix sockets."""

import json
import queue
import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

Form = dict[str, Any]

CONNECT_WITHIN_S: Final = 30.0
EVENT_WITHIN_S: Final = 20.0
LOOK_EVERY_S: Final = 0.02


class MachineError(Exception):
    """The emulated machine doesn't do what was asked: why."""


def connected(path: Path) -> socket.socket:
    """A connection to a socket that the machine makes when it starts.

    Raises:
        MachineError: it isn't there in time.
    """
    deadline = time.monotonic() + CONNECT_WITHIN_S
    while True:
        made = socket.socket(socket.AF_UNIX)
        try:
            made.connect(str(path))
        except OSError as error:
            made.close()
            if time.monotonic() > deadline:
                msg = f"nobody listens at {path}"
                raise MachineError(msg) from error
            time.sleep(LOOK_EVERY_S)
        else:
            return made


class Control:
    """QEMU's machine protocol: one command at a time, and the events that came in between."""

    def __init__(self, path: Path) -> None:
        self._socket = connected(path)
        self._lines = self._socket.makefile("rb")
        self._lock = threading.Lock()
        self._gone: list[str] = []
        self._read()
        self.do("qmp_capabilities")

    def close(self) -> None:
        """Hangs up."""
        self._socket.close()

    def do(self, command: str, **arguments: Any) -> Any:
        """What a command returns.

        Raises:
            MachineError: the machine refuses it, or is gone.
        """
        with self._lock:
            asked = {"execute": command, "arguments": arguments}
            self._socket.sendall(json.dumps(asked).encode() + b"\n")
            while True:
                answer = self._read()
                if "return" in answer:
                    return answer["return"]
                if "error" in answer:
                    msg = f"{command}: {answer['error']['desc']}"
                    raise MachineError(msg)
                self._note(answer)

    def plug(self, driver: str, name: str, **settings: Any) -> None:
        """Puts a device into a socket of the machine."""
        self.do("device_add", driver=driver, id=name, **settings)

    def unplug(self, name: str) -> None:
        """Takes a device out; returns when it is out, for until then its other end can't be used again.

        Raises:
            MachineError: it doesn't come out.
        """
        self._gone.clear()
        self.do("device_del", id=name)
        deadline = time.monotonic() + EVENT_WITHIN_S
        while name not in self._gone:
            if time.monotonic() > deadline:
                msg = f"{name} doesn't come out"
                raise MachineError(msg)
            time.sleep(LOOK_EVERY_S)
            self.do("query-status")

    def _note(self, event: Form) -> None:
        if event.get("event") == "DEVICE_DELETED" and "device" in event["data"]:
            self._gone.append(event["data"]["device"])

    def _read(self) -> Form:
        line = self._lines.readline()
        if not line:
            raise MachineError("the machine is gone")
        answer: Form = json.loads(line)
        return answer


@dataclass(frozen=True, slots=True)
class Said:
    """What a command in the guest printed, and its exit status; -1: it took too long."""

    status: int
    text: str


class Agent:
    """Runs commands in the guest."""

    def __init__(self, path: Path) -> None:
        self.up = threading.Event()
        self._socket = connected(path)
        self._asked = 0
        self._waiting: dict[int, queue.SimpleQueue[Said | None]] = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._listen, name="agent", daemon=True).start()

    def close(self) -> None:
        """Hangs up."""
        self._socket.close()

    def run(self, command: str, *, given: bytes = b"", timeout_s: float = 60.0) -> Said:
        """What a shell command says.

        Args:
            given: its standard input.

        Raises:
            MachineError: the guest doesn't answer, or is gone.
        """
        answers: queue.SimpleQueue[Said | None] = queue.SimpleQueue()
        with self._lock:
            self._asked += 1
            number, self._waiting[self._asked] = self._asked, answers
            asked = {"id": number, "run": command, "input": given.decode("latin-1"), "timeout_s": timeout_s}
            self._send(json.dumps(asked).encode() + b"\n", command)
        try:
            said = answers.get(timeout=2 * timeout_s)
        except queue.Empty:
            said = None
        if said is None:
            msg = f"the guest doesn't answer: {command}"
            raise MachineError(msg)
        return said

    def _send(self, data: bytes, command: str) -> None:
        try:
            self._socket.sendall(data)
        except OSError as error:
            msg = f"the guest is gone: {command}"
            raise MachineError(msg) from error

    def _listen(self) -> None:
        try:
            for line in self._socket.makefile("rb"):
                self._take(json.loads(line))
        except (OSError, ValueError):
            pass  # the machine was switched off
        for answers in list(self._waiting.values()):
            answers.put(None)

    def _take(self, form: Form) -> None:
        if "up" in form:
            self.up.set()
        elif (answers := self._waiting.pop(form["id"], None)) is not None:
            answers.put(Said(form["status"], form["said"]))
