"""Brokers of a whole floor on one machine.

A mosquitto in each pit is bridged to three NATS nodes.
"""

import asyncio
import os
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from string import Template
from typing import Final

from tablectl.edited_files import read_text
from tablectl.features.common.language import said
from tablectl.features.demo.console import DemoError
from tablectl.features.demo.processes import ROOTS_PATH, free_port, start
from tablectl.journal.files import write_whole
from tablectl.lazy_dataclass import dataclass
from tablectl.rule_tables import shipped
from tablectl.words import Language

PITS: Final = ("north", "south")
READERS: Final = ("recorder", "floor")
NODES: Final = ("n1", "n2", "n3")
SHARDS: Final = 4
"""Into which the nodes deal the tables."""

STOPS_WITHIN_S: Final = 3.0
AGAIN_AFTER_S: Final = 1.0
"""Before a program that ended is started again."""

PIT: Final = """listener {port} 127.0.0.1
allow_anonymous true
persistence false
user root
log_type error
max_queued_messages 100000
"""


@dataclass(frozen=True, slots=True)
class Program:
    """A program of the floor that is started again whenever it ends.

    Args:
        env: what stands in its environment besides ours.
    """

    name: str
    command: Sequence[str]
    log: Path
    env: Mapping[str, str] = field(default_factory=dict[str, str])

    async def run(self, language: Language, tell: Callable[[str], None]) -> None:
        """Run it until cancelled."""
        while True:
            child = await start(self.name, self.command, self.log, self.env)
            try:
                code = await child.process.wait()
            finally:
                await child.stop(STOPS_WITHIN_S)
            tell(said("floor.trial_again", language, name=self.name, code=code, path=self.log))
            await asyncio.sleep(AGAIN_AFTER_S)


@dataclass(frozen=True, slots=True)
class Backbone:
    """The brokers, with what is needed to come to them.

    Args:
        pits: the address of each pit's broker.
        nodes: those of the NATS nodes.
        passwords: a file for each who reads there.
    """

    pits: Mapping[str, str]
    nodes: Sequence[str]
    passwords: Mapping[str, Path]
    programs: Sequence[Program]


def backbone_in(folder: Path) -> Backbone:
    """Write the brokers' configurations, and say how to run them.

    Raises:
        DemoError: one of the programs isn't installed.
    """
    nats, mosquitto = program_of("nats-server", "nats-server"), program_of("mosquitto", "mosquitto")
    # By its first letter NATS' configuration takes it for a text: 9e1… would be a number that is wrong.
    secret = {user: f"p{secrets.token_hex(16)}" for user in (*PITS, *READERS)}
    for name, text in {
        "nats.conf": read_text(shipped("floor/nats.conf")),
        "nats-users.conf": read_text(shipped("floor/nats-pits.conf")),
        "nats-shards.conf": Template(read_text(shipped("floor/nats-shards.conf"))).substitute(SHARDS=SHARDS),
        "nats-tls.conf": "",
        **{f"{user}.password": f"{secret[user]}\n" for user in READERS},
    }.items():
        write_whole(folder / name, text.encode(), 0o600)
    inner, outer = ({node: free_port() for node in NODES} for _ in range(2))
    shared = {f"NODE_{nth}": f"nats://127.0.0.1:{inner[node]}" for nth, node in enumerate(NODES, 1)}
    shared |= {f"{user.upper()}_PASSWORD": password for user, password in secret.items()}
    programs = list[Program]()
    for node in NODES:
        own = {"NODE": node, "CLUSTER": f"127.0.0.1:{inner[node]}", "MQTT": f"127.0.0.1:{outer[node]}"}
        own["STORE"] = str(folder / node)
        command = (nats, "-c", str(folder / "nats.conf"))
        programs.append(Program(f"nats-server {node}", command, folder / f"{node}.log", {**shared, **own}))
    pits = {pit: free_port() for pit in PITS}
    bridge = Template(read_text(shipped("floor/bridge.conf")))
    addresses = " ".join(f"127.0.0.1:{port}" for port in outer.values())
    for pit, port in pits.items():
        text = PIT.format(port=port) + bridge.substitute(PIT=pit, PASSWORD=secret[pit], NODES=addresses)
        write_whole(folder / f"{pit}.conf", text.encode(), 0o600)
        command = (mosquitto, "-c", str(folder / f"{pit}.conf"))
        programs.append(Program(f"mosquitto {pit}", command, folder / f"{pit}.log"))
    return Backbone(
        {pit: f"mqtt://127.0.0.1:{port}" for pit, port in pits.items()},
        [f"mqtt://127.0.0.1:{port}" for port in outer.values()],
        {user: folder / f"{user}.password" for user in READERS},
        programs,
    )


def program_of(name: str, package: str, path: str | None = None) -> str:
    """Find a program.

    Args:
        path: the folders in which it may be; None takes those of PATH and of root.

    Raises:
        DemoError: it isn't installed.
    """
    found = shutil.which(name, path=path or f"{os.environ.get('PATH', '')}:{ROOTS_PATH}")
    if found is None:
        raise DemoError(f"{name} isn't installed: `apt-get install {package}`, or `--small` does without")
    return found
