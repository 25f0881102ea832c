"""One run: a table, its devices, its broker, its people, and everything that goes wrong, from one seed."""

import asyncio
import hashlib
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from argon2 import PasswordHasher
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from drivers.sim.buzzer import SimulatedBuzzer
from drivers.sim.dice import SimulatedDice
from drivers.sim.display import SimulatedDisplay, SimulatedLed
from drivers.sim.draw import SimulatedDraw
from drivers.sim.shoe import SimulatedLinkedShoe, SimulatedShoe
from drivers.sim.shuffler import SimulatedShuffler
from drivers.sim.wheel import SimulatedWheel
from tablectl.config import load
from tablectl.config.models import Config
from tablectl.core.games.thirteen_cards.rules import SETTING_S
from tablectl.daemon.signing.keys import PublicKey, write_public
from tablectl.features.demo.games.thirteen_cards import SHORTEST_S, rules_at
from tablectl.rule_tables import game_record, shipped
from tests.simulation.askers import SUBSCRIBERS
from tests.simulation.broker import Broker
from tests.simulation.disk import Disk
from tests.simulation.games import is_dealt_by_hand, setting_s
from tests.simulation.history import History, Image, Published, Stored
from tests.simulation.image import read_image
from tests.simulation.net import Network
from tests.simulation.process import Machine, Process, doors
from tests.simulation.virtual import Universe, VirtualLoop
from tests.simulation.wires import Wire

RESTART_S: Final = 0.5
"""How long the system waits before it starts a daemon that ended."""

ENDS_WITHIN_S: Final = 3.0
"""How soon after a failure of its disk a daemon has to end."""

BOOT_S: Final = 6.0
PINS: Final = {"ana": "1111", "rui": "2222", "tec": "4444"}


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is.

    Args:
        lasts_s: how long things may go wrong; then the round is played to its end in peace.
        kinds: of accidents that may happen; all, if none are named.
    """

    seed: int
    game: str
    lasts_s: float = 60.0
    kinds: frozenset[str] = frozenset()


class World:
    """The simulated surroundings of one daemon."""

    def __init__(self, plan: Plan, folder: Path, voice: Callable[[str], None] | None = None) -> None:
        self.plan = plan
        self.universe = Universe()
        self.chance = random.Random(f"{plan.game}/{plan.seed}")
        self.history = History(lambda: self.universe.now_s, setting_s(plan.game, plan.seed), voice=voice)
        self.history.public_key = _key(plan.seed).public_key().public_bytes_raw()
        self.loop = VirtualLoop(self.universe, self.chance, lambda text: self.history.error(f"world: {text}"))
        self.disk = Disk(self._own_chance("disk"), self._died_writing)
        self.broker = Broker(self.loop, self._own_chance("broker"), self._noted)
        config = table_config(
            plan.game, folder, by_hand=is_dealt_by_hand(plan.game, plan.seed), setting_s=self.history.setting_s
        )
        wires = {name: Wire(name, self.loop, self._own_chance(name), self.history.fault) for name in config.devices}
        self.config = config
        self.machine = Machine(
            self.universe, self.loop, self._own_chance("machine"), self.disk, self.broker, wires, self.history, folder
        )
        self.machine.touched = self.touched
        self.net = Network(self.loop, self._own_chance("net"))
        self.process: Process | None = None
        self.graves: list[Process] = []
        self.copies: list[dict[str, bytes]] = []
        self.devices: dict[str, Any] = {}
        self.stopping = False
        self.ended: asyncio.Future[None] = asyncio.Future(loop=self.loop)
        self.armed: tuple[str, int] | None = None
        self.kill_kind = "kill"
        self.disk.clock = lambda: self.universe.now_s
        self.jammed: list[Any] = []
        self.disk.reserve_is_gone = lambda: not (folder / "state" / "reserve").exists()

    def _own_chance(self, name: str) -> random.Random:
        return random.Random(f"{self.plan.game}/{self.plan.seed}/{name}")

    # --- life and death

    def start(self) -> None:
        """Starts the daemon on what the disk holds."""
        if self.process is not None or self.stopping:
            return
        self.history.trace("start", self.machine.lives + 1)
        self.history.images.append(self.image())
        self.copies.append({name: bytes(data) for name, data in self.disk.files.items()})
        process = Process(self.machine)
        process.on_end = self._ended
        self.process = self.net.process = process
        process.start(self.config)

    def _ended(self, why: str) -> None:
        """The daemon ended by itself."""
        self.history.trace("ended", why)
        self._note_stored()
        self.disk.die()
        self._gone(0.001)
        if self.stopping:
            if not self.ended.done():
                self.ended.set_result(None)
            return
        stopped_s = self.graves[-1].stopped_until_s if self.graves else 0.0
        if why and self.universe.now_s > max(self.disk.failed_s, stopped_s) + ENDS_WITHIN_S:
            self.history.error(f"the daemon ended: {why}")
        self.loop.call_later(RESTART_S, self.start)

    def put_back(self, copy: Mapping[str, bytes], what: str) -> None:
        """The state folder has other files, and the daemon, which was stopped, is started on them."""
        self.history.fault(what)
        self.disk.replace(copy)
        self.stopping, self.ended = False, asyncio.Future(loop=self.loop)
        self.loop.call_soon(self.start)

    def kill(self, *, power: bool) -> None:
        """SIGKILL, or the end of the current."""
        process = self.process
        if process is None:
            return
        self.history.fault("power cut" if power else "kill", process.turns)
        self._note_stored()
        if power:
            self.disk.lose_power()
        else:
            self.disk.die()
        process.strike()
        self._gone(15.0 if power else 0.001)
        if power:
            self.machine.boots += 1
            self.machine.booted_s = self.universe.now_s
        self.loop.call_later(BOOT_S if power else RESTART_S, self.start)

    def _gone(self, notices_s: float) -> None:
        if self.process is not None:
            self.graves.append(self.process)
        self.process = self.net.process = None
        if (connection := self.broker.connection) is not None:
            self.broker.connection = None
            self.broker.bury(connection, notices_s)

    def _died_writing(self) -> None:
        """The process dies in the middle of a write: it does nothing more, and is buried once SQLite has let go."""
        process = self.process
        if process is not None:
            process.kill()
            self.disk.life += 1
            self.loop.call_soon(self._bury_writer, process)

    def _bury_writer(self, process: Process) -> None:
        if self.process is process:
            self.kill(power=self.kill_kind == "power")

    def touched(self, what: str) -> None:
        """Something crossed the daemon's border: a kill may wait for just that."""
        alive = self.process is not None and not self.process.is_dead
        if alive and self.armed is not None and self.armed[0] == what:
            turns = self.armed[1]
            self.armed = None
            self.light_fuse(turns)

    def light_fuse(self, turns: int) -> None:
        """Kills the process after so many turns of its loop."""
        if self.process is not None:
            self.process.blown = lambda: self.kill(power=self.kill_kind == "power")
            self.process.fuse = turns

    # --- what is seen

    def _noted(self, what: str, topic: str) -> None:
        last = self.broker.received[-1]
        self.history.published.append(Published(last.at_s, last.life, last.topic, last.payload, last.retained))
        self.history.newest_event += "/event/" in topic  # Some come twice: it is as good a guess as a person has.
        digest = hashlib.sha256(last.payload).hexdigest()[:12]
        self.history.trace(what, topic, digest)
        self.touched("published")

    def _note_stored(self) -> None:
        """What devices were told to forget up to now."""
        for name, device in self.devices.items():
            if (line := getattr(device, "line", None)) is not None:
                session = line.session
                self.history.stored.append(Stored(self.universe.now_s, name, session.boot, session._acked))

    def shown(self) -> object:
        """What the table shows now: another object after each change; None where nobody could show anything."""
        process = self.process
        if process is None or process.is_dead or process.app is None or process.table is None:
            return None
        return process.table.state

    @property
    def is_calm(self) -> bool:
        """Whether nothing is done to the table any more."""
        return 0 < self.history.calm_s < self.universe.now_s

    def is_drained(self) -> bool:
        """Whether the broker has every event that the table has stored."""
        process = self.process
        if process is None or process.daemon is None or process.table is None:
            return False
        acknowledged = process.daemon._publisher.acknowledged()  # pyright: ignore[reportPrivateUsage]
        return acknowledged >= process.table.journal.last_sequence()

    def image(self) -> Image:
        """What lies on the disk."""
        path = str(self.machine.folder / "state" / "journal.db")
        return read_image(doors().vfs, self.disk, path, self.universe.now_s, self.machine.lives + 1)


@cache
def _hashes() -> dict[str, str]:
    """The PINs' hashes at the least cost: guessing them is nobody's aim here."""
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    return {name: hasher.hash(pin, salt=name.encode().ljust(16, b".")) for name, pin in PINS.items()}


def table_config(game: str, folder: Path, *, by_hand: bool = False, setting_s: int = SETTING_S) -> Config:
    """The demonstration's table, with a technician; dealt by hand, it has no shoe that reads.

    Args:
        setting_s: how long the players of 13 Cards have to set their cards.
    """
    config = _config(game, by_hand=by_hand)
    if setting_s != SETTING_S:
        rules = folder / "rules.toml"
        rules.write_text(rules_at(0).replace(f"setting_s = {SHORTEST_S}", f"setting_s = {setting_s}"), "utf-8")
        config = config.model_copy(
            update={game.replace("-", "_"): config.game.model_copy(update={"rules": str(rules)})}
        )
    paths = {"state": folder / "state", "runtime": folder / "run"}
    return config.model_copy(update={"paths": config.paths.model_copy(update=paths)})


@cache
def _config(game: str, *, by_hand: bool) -> Config:
    """The table in whatever folder: read once."""
    overrides = {f"people.{name}.pin_hash": value for name, value in _hashes().items()}
    overrides |= {"people.tec.role": "technician", "people.tec.simulated": "true", "capture.enabled": "false"}
    overrides |= {f"{game.replace('-', '_')}.dealing": "by_hand"} if by_hand else {}
    overrides[f"{game.replace('-', '_')}.stakes.step"] = '"0.50"'
    config = load(shipped(game_record(game.replace("-", "_")).table), overrides)
    devices = {name: each for name, each in config.devices.items() if not (by_hand and each.kind == "shoe")}
    return config.model_copy(update={"subscribers": SUBSCRIBERS, "devices": devices})


def prepare(folder: Path, seed: int) -> None:
    """The state folder as `tablectl init` leaves it: a key and a log's name."""
    state = folder / "state"
    state.mkdir(mode=0o700)
    key = _key(seed)
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (state / "log.key").write_bytes(pem)
    (state / "log.key").chmod(0o600)
    write_public(state, PublicKey(key.public_key().public_bytes_raw()))
    (state / "log.id").write_text(hashlib.sha256(f"log {seed}".encode()).hexdigest()[:8])


def _key(seed: int) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(f"key {seed}".encode()).digest())


def simulator(section: Any, wire: Wire, seed: int) -> Any:
    """The simulated device of a section of the configuration."""
    port: Any = wire
    match section.kind, section.protocol:
        case "shoe", "link":
            return SimulatedLinkedShoe(port, seed=seed)
        case "shoe", _:
            return SimulatedShoe(port)
        case "shuffler", _:
            return SimulatedShuffler(port, shuffle_s=2.0, seed=seed)
        case "dice", _:
            return SimulatedDice(port, seed=seed)
        case "draw", _:
            return SimulatedDraw(port, seed=seed, draw_s=2.0)
        case "display", "am03127":
            return SimulatedLed(port, board=section.board)
        case "display", _:
            return SimulatedDisplay(port, seed=seed)
        case "buzzer", _:
            return SimulatedBuzzer(port, seed=seed, sound_s=0.5)
        case _:
            return SimulatedWheel(port, seed=seed, speed=1.0)
