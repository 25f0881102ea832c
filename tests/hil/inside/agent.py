"""Inside the guest: runs what the rig sends over virtio-serial, a JSON object in a line, and answers what it said."""

import json
import os
import subprocess
import threading
from typing import Any

PORT = "/dev/virtio-ports/rig.agent"


def main() -> None:
    """Answers until the machine is switched off."""
    port = os.open(PORT, os.O_RDWR)
    lock = threading.Lock()
    send(port, lock, {"up": True})
    waiting = b""
    while True:
        # Without a listener at the other end a read returns at once with nothing.
        *lines, waiting = (waiting + (os.read(port, 65536) or wait(port))).split(b"\n")
        for line in lines:
            threading.Thread(target=answer, args=(port, lock, json.loads(line)), daemon=True).start()


def wait(port: int) -> bytes:
    """Waits a little, for nobody is there."""
    del port
    threading.Event().wait(0.02)
    return b""


def answer(port: int, lock: threading.Lock, asked: dict[str, Any]) -> None:
    """Runs one command and sends what it said."""
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", asked["run"]],
            input=asked["input"].encode("latin-1"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=asked["timeout_s"],
            check=False,
        )
        said = {"status": done.returncode, "said": done.stdout.decode("utf-8", "replace")}
    except subprocess.TimeoutExpired as late:
        said = {"status": -1, "said": (late.stdout or b"").decode("utf-8", "replace") + "\n(it took too long)"}
    send(port, lock, {"id": asked["id"], **said})


def send(port: int, lock: threading.Lock, form: dict[str, Any]) -> None:
    """Writes one line, whole."""
    data = json.dumps(form).encode() + b"\n"
    with lock:
        while data:
            data = data[os.write(port, data) :]


if __name__ == "__main__":
    main()
