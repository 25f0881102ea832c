"""Folder of the demo: private, and removed with the demo.

The next demo removes what a killed one left.
"""

import fcntl
import json
import os
import re
import secrets
import shlex
import shutil
import sys
import tempfile
import time
import tomllib
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from tablectl import words
from tablectl.features.demo.games import act_of
from tablectl.features.demo.processes import free_port
from tablectl.features.demo.summary import Show
from tablectl.lazy_dataclass import dataclass
from tablectl.rule_tables import shipped
from tablectl.words import Language

PREFIX: Final = "tablectl-demo-"
LOCK: Final = "lock"
OLD_S: Final = 60.0
"""A folder younger than this may be of a demo that is just starting."""


@dataclass(frozen=True, slots=True)
class Options:
    """How the demo is played.

    Args:
        speed: 1 is human, 2 twice as fast, 0 as fast as possible.
        rounds: how many; None until it is stopped.
        seed: the same one gives the same rounds.
        broker: the address of a broker that exists; None starts a private one.
        irregular: share of the rounds in which something goes wrong, 0 to 1.
        keep: where the table's state is kept; None throws it away at the end.
        table: the table's name; empty for the shipped one, or one of its own on a broker of others.
        own: what its configuration has besides the shipped one, by dotted key.
        play: whether the devices wait for a person at the page, who plays instead of the demo's people.
    """

    seed: int
    game: str = "q-poker"
    speed: float = 1.0
    rounds: int | None = None
    broker: str | None = None
    language: Language = "en"
    irregular: float = 0.2
    keep: Path | None = None
    play: bool = False
    table: str = ""
    own: tuple[tuple[str, str | tuple[str, ...]], ...] = ()


@contextmanager
def demo_folder(keep: Path | None) -> Generator[Path]:
    """Make a folder for the demo's state.

    It is a new one that is removed at the end, or the one to keep.
    """
    if keep is not None:
        keep.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield keep.resolve()
        return
    _sweep(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    lock = _locked(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _locked(folder: Path) -> int:
    """A lock on the folder that ends with this process, whatever ends it."""
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


def _sweep(root: Path) -> None:
    """Removes our own folders whose demo is no more."""
    for folder in root.glob(f"{PREFIX}*"):
        try:
            seen = folder.lstat()
            ours = seen.st_uid == os.getuid() and time.time() - seen.st_mtime > OLD_S  # noqa: TID251  # beside a file's own time
            if ours and not folder.is_symlink():
                os.close(_locked(folder))
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # another demo has it, or has just removed it


HEAD: Final = "# Written by `tablectl demo`, anew each time; what is its own stands first in each section.\n"


def configured(shipped: str, settings: Mapping[str, Any]) -> str:
    """Return the shipped text with these settings in the place of its own.

    Sections that it lacks come last.

    Args:
        settings: by dotted key, as `mqtt.url`.
    """
    text = HEAD + shipped
    sections = dict.fromkeys(key.partition(".")[0] for key in settings)
    for section in sections:
        own = {key.partition(".")[2]: value for key, value in settings.items() if key.startswith(f"{section}.")}
        text = _with(text, section, own)
    return text


def _with(text: str, section: str, own: Mapping[str, Any]) -> str:
    lines = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in own.items())
    header = f"[{section}]\n"
    if f"\n{header}" not in text:
        return f"{text.rstrip()}\n\n{header}{lines}"
    before, _, rest = text.partition(f"\n{header}")
    inner, mark, after = rest.partition("\n[")
    kept = re.sub(rf"^(?:{'|'.join(map(re.escape, own))}) *=.*\n?", "", inner + "\n" * bool(mark), flags=re.MULTILINE)
    return f"{before}\n{header}{lines}{kept}{mark.removeprefix(chr(10))}{after}"


DEALER: Final = ("ana", "1111")
SUPERVISOR: Final = ("rui", "2222")
SURVEILLANCE: Final = ("mei", "3333")


DAEMON: Final[tuple[str, ...]] = (sys.executable, "-P", "-m", "tablectl", "run")
"""What starts a daemon. `-P`: the folder that we happen to be in is no place for modules."""


@dataclass(frozen=True, slots=True)
class Stand:
    """Where the demo plays.

    Args:
        shipped: the text of the shipped configuration.
        site: as in topics, like `name`, which is the table's.
        folder: for everything that it writes.
        broker: the address of the broker.
        api: the address of the console.
        devices: those of the configuration, all of them simulated.
        roles: what each person may do, by name.
        own: what its configuration has in the place of the shipped, by dotted key.
        program: what somebody types to have this program.
    """

    shipped: str
    site: str
    name: str
    folder: Path
    broker: str
    api: str
    devices: Mapping[str, Mapping[str, Any]]
    roles: Mapping[str, str]
    own: Mapping[str, Any]
    program: str

    @property
    def config(self) -> Path:
        """Path of the configuration that the daemon runs with.

        It serves people who look back with another command.
        """
        return self.folder / "table.toml"

    @property
    def topics(self) -> str:
        """The topic filter of everything that this table says."""
        return f"tablectl/v1/{self.site}/{self.name}/#"

    @property
    def log(self) -> Path:
        """Path of the daemon's log."""
        return self.folder / "daemon.log"

    @property
    def state(self) -> Path:
        """Where the journal lies."""
        return self.folder / "state"

    @property
    def runtime(self) -> Path:
        """Where the devices' ports are."""
        return self.folder / "run"

    def command(self) -> tuple[str, ...]:
        """Return the daemon's command line."""
        return (*DAEMON, "--config", str(self.config))

    def write(self) -> None:
        """Makes the folders, and the configuration in them."""
        for needed in (self.state, self.runtime):
            needed.mkdir(mode=0o700, exist_ok=True)
        settings = {
            "table.name": self.name,
            "mqtt.url": self.broker,
            "paths.state": str(self.state),
            "paths.runtime": str(self.runtime),
            "console.listen": self.api.removeprefix("http://"),
            "log.format": "text",
            **self.own,
        }
        self.config.write_text(configured(self.shipped, settings), "utf-8")


def stand_of(options: Options, folder: Path, broker: str) -> Stand:
    """Make the folders and choose the addresses.

    On a broker of others the table has a name of its own.
    """
    act = act_of(options.game)
    text = shipped(act.config).read_text("utf-8")
    set_up = tomllib.loads(text)
    roles = {person: each["role"] for person, each in set_up["people"].items()}
    table = set_up["table"]
    name = table["name"] if options.broker is None else f"{table['name']}-{secrets.token_hex(2)}"
    name = options.table or name
    api = f"http://127.0.0.1:{free_port()}"
    own = dict[str, Any](options.own)
    if act.rules_at and options.speed != 1:
        rules = folder / "rules.toml"
        rules.write_text(act.rules_at(options.speed), "utf-8")
        own[f"{table['game']}.rules"] = str(rules)
    stand = Stand(text, table["site"], name, folder, broker, api, set_up["devices"], roles, own, _program())
    stand.write()
    return stand


def announce(show: Show, options: Options, stand: Stand) -> None:
    """Says what is started, and how to look at it from another terminal."""
    language, address, program = options.language, urlsplit(stand.broker), shlex.quote(stand.program)
    broker = stand.broker if options.broker else words.text("demo.broker_own", language, url=stand.broker)
    listen = f"mosquitto_sub -V mqttv5 -h {address.hostname} -p {address.port or 1883} -t '{stand.topics}' -v"
    config = shlex.quote(str(stand.config))
    lines = [
        ("seed", words.text("demo.seed_hint", language, seed=options.seed)),
        ("broker", broker),
        ("watch", f"{program} monitor --url {stand.api} --person {SUPERVISOR[0]}"),
        ("", f"{program} tail --broker {stand.broker} --table {stand.name}"),
        ("", listen),
        ("look_back", f"{program} explain 1 --config {config}"),
        ("", f"{program} board --config {config}"),
        ("pages", f"{stand.api}/dealer   {stand.api}/display   {stand.api}/surveillance"),
        ("", words.text("demo.table_people", language, people=_people(stand, language))),
        ("table", f"{stand.api}/v1/openapi.json"),
        ("log", str(stand.log)),
        *([("kept", str(stand.folder))] if options.keep else []),
        ("", words.text("demo.stop", language)),
    ]
    show.header(lines, game=words.text(act_of(options.game).name, language))


def _people(stand: Stand, language: Language) -> str:
    """Render the people who may sign on: name, PIN and role."""
    people = (DEALER, SUPERVISOR, SURVEILLANCE)
    told = (f"{name}/{pin} ({words.text(f'role.{stand.roles[name]}', language)})" for name, pin in people)
    return words.listed(told, language)


def _program() -> str:
    """Return the command that starts this program.

    It is its name where a shell finds it so, else the path it was called by.
    """
    called, found = Path(sys.argv[0]), shutil.which("tablectl")
    if called.name != "tablectl" or (found and called.exists() and called.samefile(found)):
        return "tablectl"
    return str(called)
