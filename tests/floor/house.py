"""A recorder and a floor page as processes of their own, at a broker."""

import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tablectl.rule_tables import shipped
from tests.pages.support import PINS
from tests.support.patience import PATIENCE_S

RECORD = """
[broker]
url = "{broker}"
[store]
url = "{store}"
[tables]
trust = "first_use"
"""
FLOOR = """
[broker]
url = "{broker}"
timeout_s = 2
[store]
url = "{store}"
[tables]
pace = {{q_poker = 40}}
[pits]
north = ["demo/q-demo"]
[console]
listen = "127.0.0.1:0"
metrics = true
"""


def people() -> str:
    """The people of the demonstrations, as their configurations have them."""
    text = shipped("tables/q-poker.demo.toml").read_text("utf-8")
    return text[text.index("[people.") : text.index("# The simulators")]


@dataclass
class PageProcess:
    """The floor page: its process, its address, what it has said, and the tokens of who signed on."""

    process: "subprocess.Popen[str]"
    url: str
    lines: list[str]
    tokens: dict[str, str] = field(default_factory=dict[str, str])

    def ask(self, path: str, person: str = "mei", body: Mapping[str, Any] | None = None) -> tuple[int, Any]:
        """The status and the answer to a person's question; with a body to their request."""
        if person and person not in self.tokens:
            _, signed_on = self.ask("/v1/sign-on", "", {"person": person, "pin": PINS[person]})
            self.tokens[person] = signed_on["token"]
        headers = {"Authorization": f"Bearer {self.tokens[person]}"} if person else {}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data, headers | ({"Content-Type": "application/json"} if data else {})
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        return status, json.loads(text) if text.startswith(b"{") else text.decode()

    def heard(self, part: str) -> str:
        """The next line that it says with this in it."""
        return said(self.process, part)[-1]


@contextmanager
def running(folder: Path, name: str, settings: str, *command: str) -> Generator["subprocess.Popen[str]"]:
    """A command of ours with this configuration, stopped as systemd stops it."""
    file = folder / f"{name}.toml"
    file.write_text(settings, "utf-8")
    started = [sys.executable, "-m", "tablectl", *command, "--lang", "en"]
    process = subprocess.Popen([*started, "--config", str(file)], stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)


def said(process: "subprocess.Popen[str]", part: str) -> list[str]:
    """The lines of a process up to the one with this in it."""
    lines: list[str] = []
    assert process.stderr is not None
    for line in process.stderr:
        lines.append(line.rstrip())
        if part in line:
            return lines
    raise AssertionError(f"{part!r} never came: {lines}")


@contextmanager
def recorder_and_page(folder: Path, broker: str) -> Generator[PageProcess]:
    """Both, with one database."""
    names = {"broker": broker, "store": f"sqlite:{folder}/room/room.db"}
    with running(folder, "record", RECORD.format(**names), "record") as recorder:
        said(recorder, "connected")
        with running(folder, "floor", FLOOR.format(**names) + people(), "floor", "serve") as process:
            lines = said(process, "connected to the broker")
            url = next(line for line in lines if "the floor page is at" in line).rpartition(" ")[2].rstrip("/")
            yield PageProcess(process, url, lines)


@contextmanager
def floor_of(
    folder: Path, tables: int, *more: str, program: Sequence[str] = ("tablectl", "floor", "up", "--lang", "en")
) -> Generator[PageProcess]:
    """A floor of which every table has said that it plays."""
    size = ["--tables", str(tables), "--speed", "0", "--keep", str(folder)]
    command = [sys.executable, "-m", *program, *size, *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as floor:
        assert floor.stdout is not None
        try:
            lines = list[str]()
            while sum(" plays " in line for line in lines) < tables:
                lines.append(floor.stdout.readline())
                assert lines[-1], lines
                assert " has stopped: " not in lines[-1], lines
            said = (re.fullmatch(r"the floor page is at (\S+); sign on as .*mei/3333\n", line) for line in lines)
            found = next(filter(None, said))  # a program that ended and was started again is named before
            yield PageProcess(floor, found[1], lines)
        finally:
            floor.kill()
