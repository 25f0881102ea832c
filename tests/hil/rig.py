"""The rig made ready: a guest with the package, saved when it was up, and when a table's daemon was about to begin."""

import hashlib
import inspect
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.hil.bench import DEVICES, FOREIGN, SERIALS, SOCKETS, Outside, address, configuration, connect, outside
from tests.hil.guest import BROKER, COMMAND_LINE, CONSOLE_PORT, GATEWAY, OWN, Built, Guest, Saved, fresh_disk
from tests.hil.qmp import MachineError
from tests.support.broker import Broker, private_broker

REPOSITORY: Final = Path(__file__).parents[2]
DATA_MIB: Final = 192
START_WITHIN_S: Final = 300.0
SLOW: Final = "[Service]\nTimeoutStartSec=300\nTimeoutStopSec=90\nTimeoutAbortSec=5\nWatchdogSec=40\n"
"""The unit's times in an emulated processor, where Python is a tenth as fast. Nothing else of the unit is changed."""

PACKAGES: Final = "/usr/lib/tablectl/lib/python3.11/site-packages"
RESEED: Final = (
    "import sys, random; sys.addaudithook("
    'lambda event, about, seed=random.seed: seed() if event == "open" and str(about[0]).endswith("/lock") else None)\n'
)
"""A program that is woken again and again from the same sleep would choose the same numbers for its commands every
time, and its devices would take them for repetitions: so it chooses anew once it takes the journal's lock."""

_RELAYS: Final = {
    "console": (f"{OWN}:{CONSOLE_PORT}", f"127.0.0.1:{CONSOLE_PORT}"),
    "broker": ("127.0.0.1:1883", f"{BROKER}:1883"),
}
"""The guest's own loopback, with the outside behind it: the console and the broker are where the unit lets them be."""


def unit(game: str) -> str:
    """The instance of the shipped unit that is this game's table."""
    return f"tablectl@{game}"


@dataclass(slots=True)
class Rig:
    """What has been built, and the states of the guest that were saved from it.

    Args:
        folder: `scripts/rig_guest.sh` has built here.
        work: for sockets, logs and whatever else is of one run only.
        told: is told what is being done.
    """

    folder: Path
    work: Path
    told: Callable[[str], None]
    broker: Broker
    guest: Guest | None = None
    data: Path = field(default_factory=Path)

    def __post_init__(self) -> None:
        self.data = self.work / "data.raw"
        self.data.write_bytes(blank_disk(self.work))

    @property
    def built(self) -> Built:
        """What a machine is switched on with."""
        return Built(self.folder)

    def machine(self, names: tuple[str, ...] = (), disk: str = "") -> Guest:
        """A machine that is off yet, with lines to these devices.

        Args:
            disk: the second disk, as QEMU's `file=`; without one an empty one.
        """
        lines = {name: self.work / f"{name}.sock" for name in names}
        data = disk or f"file={self.data},format=raw,if=none,id=data,snapshot=on"
        self.guest = Guest(self.built, self.work / "guest", lines, data, self.broker.port)
        return self.guest

    def current(self) -> Guest:
        """The machine that is on."""
        assert self.guest is not None
        return self.guest

    # --- states

    def up(self) -> Saved:
        """A guest that is up, with every game's table configured and none started."""
        return self._state("up", _make_up, "")

    def about_to_begin(self, game: str, *, patch: str = "") -> Saved:
        """A guest in which a table's daemon has been started under its unit, and waits for its configuration.

        The configuration is a pipe: what takes a start so long in an emulated processor, loading the program, is done.

        Args:
            patch: a shell command that damages the installed program before.
        """
        return self._state(f"{game}{'-patched' if patch else ''}", _make_about_to_begin, f"{game}|{patch}")

    def _state(self, name: str, make: "Callable[[Rig, Saved, str], None]", about: str) -> Saved:
        saved = Saved(self.folder / f"saved-{name}.memory", self.folder / f"saved-{name}.disk")
        stamp = self.folder / f"saved-{name}.key"
        key = self._key(about)
        if not (stamp.exists() and stamp.read_text() == key and saved.memory.exists()):
            self.told(f"saving the guest: {name}")
            stamp.unlink(missing_ok=True)
            make(self, saved, about)
            stamp.write_text(key)
        return saved

    def _key(self, about: str) -> str:
        """What a saved state was made from."""
        made_from = [(self.folder / "system.key").read_text(), about, *_MADE_BY]
        return hashlib.sha256("\0".join(made_from).encode()).hexdigest()


@contextmanager
def rig_in(folder: Path, told: Callable[[str], None]) -> Generator[Rig]:
    """The rig, with a broker outside; nothing of it is left at the end but what was built and saved."""
    program = shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin")
    assert program is not None, "mosquitto isn't installed"
    with tempfile.TemporaryDirectory(prefix="tablectl-rig-") as work:
        (Path(work) / "broker").mkdir()
        with private_broker(Path(program), Path(work) / "broker") as broker:
            broker.start()
            rig = Rig(folder, Path(work), told, broker)
            try:
                yield rig
            finally:
                if rig.guest is not None:
                    rig.guest.cut()


@contextmanager
def table_up(
    rig: Rig, game: str, *, start: bool = True, disk: str = "", text: str = ""
) -> Generator[tuple[Guest, Outside]]:
    """A guest with a game's devices plugged in and its table started under its unit.

    Args:
        text: its configuration, where it isn't the game's usual one.
        disk: the second disk, as QEMU's `file=`; without one an empty one.
    """
    names = DEVICES[game]
    with outside((*names, *FOREIGN), rig.work, rig.current) as devices:
        saved = rig.about_to_begin(game) if start else rig.up()
        guest = rig.machine((*names, *FOREIGN), disk)
        guest.restore(saved)
        try:
            connect(guest, (*names, *FOREIGN))
            for name in names:
                devices.plug(name)
            if start:
                begin(guest, game, text)
            yield guest, devices
        finally:
            guest.cut()


def begin(guest: Guest, game: str, text: str = "") -> None:
    """Gives the daemon that waits its configuration, and returns once systemd has it for ready."""
    ours, file = f"/root/{game}.toml", f"/etc/tablectl/{game}.toml"
    if text:
        guest.run(f"cat >{ours}", given=text.encode())
    # A daemon that is begun anew finds a file there, as at any table.
    guest.run(f"cat {ours} >{file} && mv {ours} {file}")
    try:
        guest.until(f"systemctl is-active -q {unit(game)}", "the table is up", timeout_s=START_WITHIN_S)
    except MachineError as error:
        error.add_note(guest.tried(f"journalctl -u {unit(game)} -o cat | tail -20").text)
        raise


def blank_disk(work: Path) -> bytes:
    """An empty ext4 file system."""
    image = work / "blank.raw"
    with image.open("wb") as file:
        file.truncate(DATA_MIB << 20)
    options = "lazy_itable_init=0,lazy_journal_init=0"
    subprocess.run(["/sbin/mke2fs", "-q", "-F", "-t", "ext4", "-E", options, str(image)], check=True)
    return image.read_bytes()


def _make_up(rig: Rig, saved: Saved, about: str) -> None:
    del about
    guest = rig.machine()
    took_s = guest.boot(fresh_disk(rig.built, saved.disk))
    rig.told(f"it was up after {took_s:.1f} s")
    guest.run("systemctl is-system-running --wait || true", timeout_s=120)
    guest.run(f"ip addr add {OWN}/24 dev eth0 && ip link set eth0 up && ip route add default via {GATEWAY}")
    for name, (here, there) in _RELAYS.items():
        guest.put(f"/etc/systemd/system/rig-{name}.socket", f"[Socket]\nListenStream={here}\nFreeBind=yes\n")
        guest.put(
            f"/etc/systemd/system/rig-{name}.service",
            f"[Service]\nExecStart=/lib/systemd/systemd-socket-proxyd {there}\n",
        )
    guest.put("/etc/systemd/system/tablectl@.service.d/rig.conf", SLOW)
    for game in DEVICES:
        guest.put(f"/etc/tablectl/{game}.toml", configuration(game))
    guest.run("chgrp tablectl /etc/tablectl/*.toml && chmod 640 /etc/tablectl/*.toml && chmod 751 /etc/tablectl")
    guest.run("systemctl daemon-reload && systemctl start rig-console.socket rig-broker.socket")
    guest.run("tablectl check-config /etc/tablectl/football-poker.toml", timeout_s=120)  # so that it is in memory
    guest.run("sync")
    guest.save(saved)


def _make_about_to_begin(rig: Rig, saved: Saved, about: str) -> None:
    game, _, patch = about.partition("|")
    before = rig.up()
    shutil.copyfile(before.disk, saved.disk)
    guest = rig.machine()
    guest.restore(before, disk=saved.disk)
    guest.run(f"{patch or 'true'}; mv /etc/tablectl/{game}.toml /root/ && mkfifo /etc/tablectl/{game}.toml")
    guest.run(f"chgrp tablectl /etc/tablectl/{game}.toml && chmod 640 /etc/tablectl/{game}.toml")
    guest.put(f"{PACKAGES}/rig.pth", RESEED)
    # What the unit loads when a device is there, or at its start.
    guest.run("modprobe -a usbserial ftdi_sio cdc_acm")
    guest.run(f"systemctl start --no-block {unit(game)}")
    waits = f"grep -q wait_for_partner /proc/$(systemctl show -P MainPID {unit(game)})/wchan"
    rig.told(f"its daemon was loaded after {guest.until(waits, 'it waits for its configuration', timeout_s=200):.1f} s")
    guest.run("sync")
    guest.save(saved)


_MADE_BY: Final = (
    RESEED, SLOW, COMMAND_LINE, str((DATA_MIB, SOCKETS, SERIALS)), *map(configuration, DEVICES),
    *[inspect.getsource(each) for each in (_make_up, _make_about_to_begin, Guest._command, address)],
)  # fmt: skip
"""What a saved state is made by; with any change of it, it is made anew."""
