"""A table whose power is cut again and again while it is played at, and what each cut came to."""

import random
import shutil
import subprocess
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from drivers.sim.draw import SimulatedDraw
from drivers.sim.shuffler import SimulatedShuffler
from tablectl.config import load
from tablectl.config.game_setup import game_of
from tablectl.rule_tables import shipped
from tests.hil.bench import DEVICES, Outside, connect, outside
from tests.hil.disk import Disk, Lost, serve
from tests.hil.guest import Guest
from tests.hil.judge import Judged, Told, journal_in, judge
from tests.hil.qmp import MachineError
from tests.hil.rig import PACKAGES, START_WITHIN_S, Rig, blank_disk, unit
from tests.hil.shift import Console, CutNowError, Shift, player_of
from tests.support.crash_games import Subscriber
from tests.support.crash_verdict import Verdict
from tests.support.daemon import DaemonGoneError

GAME: Final = "football-poker"
PLAYED_MOST_S: Final = 25.0
SOON_S: Final = 6.0
TAKES_S: Final = 3.0
"""How long a draw and a shuffle take, so that a cut may fall into them."""

NORMAL: Final = f"sed -i s/synchronous=FULL/synchronous=NORMAL/ {PACKAGES}/tablectl/journal/database.py"
"""Damages the installed program: commits are no longer flushed."""


@dataclass(frozen=True, slots=True)
class Cut:
    """One cut, and how it was taken.

    Args:
        answers: requests that were answered since the table was taken up again.
        steps: what was done at the table and stored since then, requests and devices' reports.
        back_s: from restoring the guest to a table that is played at.
        took_s: the whole cycle.
    """

    how: str
    lost: Lost
    answers: int
    steps: int
    back_s: float
    took_s: float
    judged: Judged


@dataclass(slots=True)
class Series:
    """Cuts of one table's power, one after another.

    Args:
        chance: what is random about them.
    """

    rig: Rig
    disk: Disk
    devices: Outside
    subscriber: Subscriber
    chance: random.Random
    patch: str = ""
    cuts: list[Cut] = field(default_factory=list[Cut])
    shift: Shift | None = None
    _player: Any = None

    def cycle(self, *, last: bool = False) -> None:
        """Switches the guest on, plays and cuts its power."""
        began_s = time.monotonic()
        try:
            guest = self._begun()
            shift = self._taken_up(guest)
            back_s, before = time.monotonic() - began_s, (len(shift.requests.records), len(shift.shown))
            how = "switched off" if last else self._played(guest, shift)
        finally:
            self.rig.current().cut()
            self._pull()
        lost = self.disk.cut(self.chance)
        new = len(shift.requests.records) - before[0], len(shift.shown) - before[1]
        self.cuts.append(Cut(how, lost, *new, back_s, time.monotonic() - began_s, self._judged(shift)))

    # --- in a cycle

    def _begun(self) -> Guest:
        names, state = DEVICES[GAME], f"/var/lib/tablectl/{GAME}"
        listens, saved = self.rig.work / "disk.sock", self.rig.about_to_begin(GAME, patch=self.patch)
        guest = self.rig.machine(
            names, f"file=nbd+unix:///?socket={listens},format=raw,if=none,id=data,cache=writeback"
        )
        guest.restore(saved)
        _mount(guest, state)
        connect(guest, names)
        for name in names:
            self.devices.plug(name)
        guest.run(f"cat /root/{GAME}.toml > /etc/tablectl/{GAME}.toml")
        active = f"systemctl is-active -q {unit(GAME)}"
        try:
            guest.until(active, "the table is up", timeout_s=START_WITHIN_S / 4)
        except Exception as error:
            error.add_note(guest.tried(f"journalctl -u {unit(GAME)} -o cat | tail -20").text)
            raise
        return guest

    def _taken_up(self, guest: Guest) -> Shift:
        if self.shift is None:
            self.shift = Shift(Console(guest.console_port), self.devices, self.chance)
            self._player = player_of(GAME, self.shift)
            self.shift.begin()
            return self.shift
        shift, before = self.shift, self.shift.shown[-1]
        shift.console.port = guest.console_port
        shift.cut(self.cuts[-1].how, before, shift.begin())
        return shift

    def _played(self, guest: Guest, shift: Shift) -> str:
        """Plays until the power is cut; returns how that came."""
        wanted: list[str] = []
        amiss: list[Exception] = []
        playing = threading.Thread(target=self._play, args=(shift, wanted, amiss))
        shown = len(shift.shown)
        playing.start()
        ends_s = time.monotonic() + PLAYED_MOST_S
        while playing.is_alive() and len(shift.shown) == shown and time.monotonic() < ends_s:
            time.sleep(0.01)
        how = self._moment(playing, ends_s)
        if wanted:
            how = self._soon(wanted[0])
        guest.cut()
        playing.join()
        if amiss:
            raise amiss[0]
        return how

    def _soon(self, why: str) -> str:
        """Waits for a burst of writes in what follows by itself, while nobody plays."""
        writes = int(self.chance.expovariate(1 / 6))
        self.disk.freeze_after(writes)
        return f"{why}, {writes} writes later" if self.disk.frozen.wait(SOON_S) else why

    def _moment(self, playing: threading.Thread, ends_s: float) -> str:
        """Waits for the moment of the cut: in a burst of writes, or at any time."""
        if self.chance.random() < 0.8:
            writes = int(self.chance.expovariate(1 / 40)) + 1
            self.disk.freeze_after(writes)
            while playing.is_alive() and not self.disk.frozen.is_set() and time.monotonic() < ends_s:
                time.sleep(0.005)
            time.sleep(0.02)  # so that what has been acknowledged already may leave the guest
            return f"in a burst, after {writes} writes" if self.disk.frozen.is_set() else "at the end of its time"
        until_s = time.monotonic() + self.chance.uniform(0.0, 6.0)
        while playing.is_alive() and time.monotonic() < until_s:
            time.sleep(0.01)
        return "at any time"

    def _play(self, shift: Shift, wanted: list[str], amiss: list[Exception]) -> None:
        try:
            shift.play(self._player)
        except CutNowError as now:
            wanted.append(str(now))
        except DaemonGoneError:
            pass  # the power is gone
        except Exception as error:  # noqa: BLE001  # for whoever started the thread
            error.add_note(f"the table showed: {shift.shown[-1]}")
            amiss.append(error)

    def _pull(self) -> None:
        """Without a machine no adapter of QEMU's is in any socket; the others find the next machine themselves."""
        self.devices.do(lambda now: now.ports["shoe"].gone())

    def _judged(self, shift: Shift) -> Judged:
        folder = self.rig.work / "judged"
        shutil.rmtree(folder, ignore_errors=True)
        told = Told(dict(shift.requests.records), list(shift.shown), self.subscriber.events())
        try:
            return judge(GAME, journal_in(bytes(self.disk.now), folder), told)
        except OSError as error:
            return Judged((str(error),))

    def phases_kept(self) -> int:
        """After how many cuts the table was exactly where it had been; after the others it was told more meanwhile.

        Raises:
            AssertionError: it was somewhere else, and nothing had happened.
        """
        assert self.shift is not None
        config = load(shipped(f"tables/{GAME}.demo.toml"))
        verdict = Verdict(game_of(config).make(config), self.rig.work / "judged" / "journal")
        return verdict.check_kills(self.shift.kills)

    def keep(self, folder: Path) -> None:
        """Keeps the disk as it is now, and the journal on it, to be looked at."""
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError, subprocess.CalledProcessError):
            journal_in(bytes(self.disk.now), folder)
        (folder / "disk.raw").write_bytes(self.disk.now)

    def end(self) -> list[str]:
        """What is wrong with the whole series, held against what the devices did."""
        assert self.shift is not None
        wrong: list[str] = []
        simulators = self.devices.devices.simulators
        draw, shuffler = simulators["draw"], simulators["shuffler"]
        assert isinstance(draw, SimulatedDraw)
        assert isinstance(shuffler, SimulatedShuffler)
        for name, numbers in (("draw", draw.draws), ("shuffler", shuffler.shuffles)):
            if len(set(numbers)) != len(numbers):
                wrong.append(f"the {name} did the same twice: {numbers}")
        return wrong


@contextmanager
def series(rig: Rig, seed: int, *, honest: bool = True, patch: str = "") -> Generator[Series]:
    """A table with a fresh disk, its devices and a subscriber; nobody has played yet."""
    rig.about_to_begin(GAME, patch=patch)  # so that no cycle has to wait for that
    disk = Disk(bytearray(blank_disk(rig.work)), honest=honest)
    subscriber = Subscriber(rig.broker, rig.work / f"messages-{seed}-{honest}-{bool(patch)}")
    listening = serve(disk, rig.work / "disk.sock")
    with outside(DEVICES[GAME], rig.work, rig.current) as devices:
        devices.do(_slow)
        subscriber.start()
        try:
            yield Series(rig, disk, devices, subscriber, random.Random(seed), patch)
        finally:
            subscriber.stop()
            listening.close()


def _mount(guest: Guest, state: str) -> None:
    """Mounts the table's disk. The guest was saved with another one, of which its kernel may still hold a part."""
    mount = f"blockdev --flushbufs /dev/vdb && mount -o noatime /dev/vdb {state}"
    try:
        guest.run(f"for again in 1 2 3; do {mount} && break; sleep 1; done; mountpoint -q {state}")
    except MachineError as error:
        error.add_note(guest.tried("dmesg | tail -8").text)
        raise
    guest.run(f"chown tablectl: {state} && chmod 700 {state}")


def _slow(devices: Any) -> None:
    devices.simulators["draw"].draw_s = devices.simulators["shuffler"].shuffle_s = TAKES_S
