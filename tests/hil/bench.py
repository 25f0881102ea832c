"""The devices of a table in the guest: which wire each is on, and the simulators outside that live on while it dies."""

import asyncio
import random
import re
import secrets
import threading
import tomllib
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from drivers.sim.buzzer import SimulatedBuzzer
from drivers.sim.dice import SimulatedDice
from drivers.sim.display import SimulatedDisplay
from drivers.sim.draw import SimulatedDraw
from drivers.sim.pty import PtyEnd
from drivers.sim.shoe import SimulatedShoe
from drivers.sim.shuffler import SimulatedShuffler
from drivers.sim.usb import UsbPlug
from drivers.sim.wheel import EVEN
from drivers.sim.wheel_physics import Feel, Truth, random_launch, spin_wheel
from drivers.sim.wheel_usb import SimulatedSensor
from drivers.wheel.usb_sensor import VENDOR_REQUEST_IDENTITY, SensorIdentity, encode_identity
from tablectl.rule_tables import shipped
from tests.hil.ends import FtdiEnd, RedirEnd
from tests.hil.guest import CONSOLE_PORT, USB_AT, Guest
from tests.hil.usb_device import adapter, keyboard, linked, sensor

End = RedirEnd | FtdiEnd
T = TypeVar("T")

PATIENCE_S: Final = 120.0
RATE_HZ: Final = 125
"""Of the wheel's sensor: a quarter of what it does at a table, for a processor that is a tenth as fast at best."""

FINER: Final = 4
"""So many times as often the wheel itself is reckoned, for it meets its pegs in milliseconds."""

SERIALS: Final[Mapping[str, str]] = {"display": "SIM-1", "buzzer": "SIM-1", "wheel": "WHEEL-1"}
"""Of the devices that are USB devices themselves: what their descriptors say has to be what they say of themselves."""

SOCKETS: Final[Mapping[str, int]] = {
    "shoe": 1, "shuffler": 2, "draw": 3, "display": 4, "dice": 5, "buzzer": 6, "wheel": 7, "stranger": 8, "expected": 9,
}  # fmt: skip
"""Where each is plugged in."""

KEYBOARDS: Final[Mapping[str, int]] = {"stranger": 0xC31C, "expected": 0xC316}
FOREIGN: Final = tuple(KEYBOARDS)
"""Keyboards that are no table's: one that nobody expects, and one that the configuration names."""

DEVICES: Final[Mapping[str, tuple[str, ...]]] = {
    "q-poker": ("shoe", "shuffler"),
    "football-poker": ("shoe", "shuffler", "draw", "display"),
    "wheel-of-fortune": ("wheel",),
    "chinese-dice": ("dice",),
    "thirteen-cards": ("shoe", "shuffler", "dice", "buzzer"),
}
"""What each game's table has."""


TECHNICIAN: Final = '\n[people.tim]\nrole = "technician"\npin_hash = "PIN_HASH"\nsimulated = true\n'
"""Who alone may end the fault of a USB device; their PIN is the dealer's."""


def configuration(game: str) -> str:
    """The demonstration's table of a game, with its devices on the guest's USB instead of pseudo-terminals."""
    text = shipped(f"tables/{game}.demo.toml").read_text("utf-8")
    text = text.replace('listen = "127.0.0.1:0"', f'listen = "127.0.0.1:{CONSOLE_PORT}"')
    text = text.replace('protocol = "qsb"', 'protocol = "usb"')
    text += f'\n[usb]\nwatch = true\nexpected = ["046d:{KEYBOARDS["expected"]:04x}"]\n'
    text += TECHNICIAN.replace("PIN_HASH", tomllib.loads(text)["people"]["ana"]["pin_hash"])
    return re.sub(r'port = "serial:(\w+)"', lambda found: f'port = "{address(found[1])}"', text)


def address(name: str) -> str:
    """Where a table's configuration finds a device."""
    match name:
        case "display" | "buzzer":
            return f"usb:1209:0002:{SERIALS[name]}"
        case "wheel":
            return f"usb:1209:0001:{SERIALS[name]}"
        case _:
            return f"serial:{port(name)}"


def port(name: str) -> str:
    """The guest's name of the serial port that a device is behind."""
    return f"/dev/tablectl/by-path/{USB_AT}:{SOCKETS[name]}:1.0"


@dataclass(slots=True)
class SensorWheel:
    """A wheel with our USB sensor on its shaft; it lies still between its spins."""

    sensor: SimulatedSensor
    chance: random.Random
    truths: list[Truth] = field(default_factory=list[Truth])

    def spin(self, turns: float = 4.0) -> Truth:
        """Spins it so that it comes to rest clear of the pegs; all its readings come as fast as the host takes them."""
        feel, clear_mdeg = Feel(), EVEN.zone_mdeg + 100
        while True:
            launch = random_launch(self.chance, turns, feel, len(EVEN.pegs_mdeg))
            trace = spin_wheel(EVEN, launch, start_deg=self.sensor.angle_deg, rate_hz=RATE_HZ * FINER, feel=feel)
            if trace.truth.turns_milli >= 3010 and trace.truth.peg_mdeg > clear_mdeg:
                break
        self.sensor.follow(trace.angles_deg[::FINER])
        self.truths.append(trace.truth)
        return trace.truth


Simulator = (
    SimulatedShoe | SimulatedShuffler | SimulatedDraw | SimulatedDisplay | SimulatedDice | SimulatedBuzzer | SensorWheel
)


@dataclass(frozen=True, slots=True)
class GuestBench:
    """The devices by name, and the ends of the wires that they sit at."""

    ports: Mapping[str, End]
    simulators: Mapping[str, Simulator]

    @property
    def shoe(self) -> SimulatedShoe:
        """The shoe."""
        return self._one("shoe", SimulatedShoe)

    @property
    def shuffler(self) -> SimulatedShuffler:
        """The shuffler."""
        return self._one("shuffler", SimulatedShuffler)

    @property
    def wheel(self) -> SensorWheel:
        """The wheel."""
        return self._one("wheel", SensorWheel)

    @property
    def dice(self) -> SimulatedDice:
        """The dice and their reader."""
        return self._one("dice", SimulatedDice)

    def _one(self, name: str, kind: type[T]) -> T:
        found = self.simulators[name]
        assert isinstance(found, kind)
        return found


@dataclass(slots=True)
class Outside:
    """What is outside the guest, at work in a thread of its own; the guest may come and go.

    Args:
        plugging: puts a QEMU's own device into its socket, or pulls it out, by the name of its line.
    """

    loop: asyncio.AbstractEventLoop
    devices: GuestBench
    over: asyncio.Event

    def do(self, act: Callable[[Any], Any]) -> Any:
        """What comes of doing something to the devices, once it is done."""
        return self.begin(act).result(PATIENCE_S)

    def begin(self, act: Callable[[Any], Any]) -> "Future[Any]":
        """Begins to do something to the devices."""
        return asyncio.run_coroutine_threadsafe(self._done(act), self.loop)

    def untold(self) -> int:
        """How many reports wait for the daemon's word that they are stored."""
        return int(
            self.do(lambda now: sum(one.line.unacked for one in now.simulators.values() if hasattr(one, "line")))
        )

    def unplug(self, name: str) -> None:
        """Pulls a device's cable."""
        self.do(lambda now: now.ports[name].unplug())

    def plug(self, name: str) -> None:
        """Puts it in."""
        self.do(lambda now: now.ports[name].plug())

    async def _done(self, act: Callable[[Any], Any]) -> Any:
        made = act(self.devices)
        return await made if asyncio.iscoroutine(made) else made


@contextmanager
def outside(names: tuple[str, ...], folder: Path, guest: Callable[[], Guest]) -> Generator[Outside]:
    """These devices, at work until the end of the block.

    Args:
        guest: the machine that is on, for what QEMU itself plugs and unplugs.
    """
    ready: Future[Outside] = Future()

    async def work() -> None:
        over, ends, simulators = asyncio.Event(), {}, {}
        for name in names:
            ends[name], simulators[name] = made(name, folder, guest)
            await ends[name].open()
        ready.set_result(Outside(asyncio.get_running_loop(), GuestBench(ends, simulators), over))
        await over.wait()
        for end in ends.values():
            await end.close()

    thread = threading.Thread(target=_run, args=(work, ready), name="outside")
    thread.start()
    devices = ready.result(PATIENCE_S)
    try:
        yield devices
    finally:
        devices.loop.call_soon_threadsafe(devices.over.set)
        thread.join(PATIENCE_S)


def _run(work: Callable[[], Any], ready: "Future[Outside]") -> None:
    try:
        asyncio.run(work())
    except BaseException as error:
        if ready.done():
            raise
        ready.set_exception(error)


def made(name: str, folder: Path, guest: Callable[[], Guest]) -> tuple[End, Any]:
    """A device: the end of its wire, and its simulator."""
    path, seed = folder / f"{name}.sock", secrets.randbits(32)
    match name:
        case "shoe":
            shoe = FtdiEnd(path, partial(_plug_ftdi, guest))
            return shoe, SimulatedShoe(cast("PtyEnd", shoe))
        case "display":
            end = RedirEnd(linked(SERIALS[name]), path)
            return end, SimulatedDisplay(end, seed=seed)
        case "buzzer":
            end = RedirEnd(linked(SERIALS[name]), path)
            return end, SimulatedBuzzer(end, seed=seed)
        case "wheel":
            return _wheel(path, seed)
        case "stranger" | "expected":
            return RedirEnd(keyboard(KEYBOARDS[name], f"{name.upper()}-1"), path), None
        case _:
            end = RedirEnd(adapter(f"{name.upper()}-1"), path)
            kinds = {"shuffler": SimulatedShuffler, "draw": SimulatedDraw, "dice": SimulatedDice}
            return end, kinds[name](end, seed=seed)


def _wheel(path: Path, seed: int) -> tuple[End, SensorWheel]:
    identity = SensorIdentity(
        "tablectl", "simulated", SERIALS["wheel"], "SIM-1", seed, 8192, 1_000_000 // RATE_HZ, simulated=True
    )
    about = sensor(identity.maker, identity.model, identity.serial)
    end = RedirEnd(
        about, path, answer=lambda asked: encode_identity(identity) if asked == VENDOR_REQUEST_IDENTITY else None
    )
    wheel = SimulatedSensor(cast("UsbPlug", end), identity, seed=seed, angle_deg=3.0, unread=end.unread)
    return end, SensorWheel(wheel, random.Random(seed))


def _plug_ftdi(guest: Callable[[], Guest], plugged: bool) -> None:  # it is what it says
    control = guest().control
    assert control is not None
    if plugged:
        control.plug(
            "usb-serial", "usb-shoe", chardev="shoe", bus="usb.0", port=str(SOCKETS["shoe"]), **{"always-plugged": True}
        )
    else:
        control.unplug("usb-shoe")


def connect(guest: Guest, names: tuple[str, ...]) -> None:
    """Lays the lines of the redirected devices to a machine that was just switched on; what is plugged in, it sees."""
    assert guest.control is not None
    for name in names:
        if name != "shoe":
            guest.control.plug("usb-redir", f"usb-{name}", chardev=name, bus="usb.0", port=str(SOCKETS[name]))
