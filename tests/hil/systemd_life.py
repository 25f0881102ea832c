"""What systemd does with the shipped unit in the guest: when it is ready, when it is begun anew, what it may do."""

import hashlib
import inspect
import random
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from tests.hil.bench import DEVICES, connect, outside
from tests.hil.guest import OWN, Guest, see_that_none_broke
from tests.hil.report import Check, Report
from tests.hil.rig import DATA_MIB, START_WITHIN_S, Rig, table_up, unit
from tests.hil.shift import Console, CutNowError, Shift, player_of
from tests.support.daemon import DaemonGoneError

GAME: Final = "football-poker"
PATIENCE_S: Final = 300.0
"""For anything in a guest that may have to share a busy machine; how long things take is told, and not judged by it."""

SCORE_MOST: Final = 1.5
KILLED_WITHIN_S: Final = 5.0
"""On a machine itself; in the guest so much longer as Python is slower there."""

WORK: Final = (
    "import time; began = time.process_time(); sum(n * n for n in range(400_000)); print(time.process_time() - began)"
)

_VERSION: Final = "+rig1"


def pid_of(guest: Guest, game: str = GAME) -> int:
    """The daemon's process; 0 where there is none."""
    return int(guest.run(f"systemctl show -P MainPID {unit(game)}"))


def said(guest: Guest, game: str = GAME) -> str:
    """What systemd and the daemon have logged."""
    return guest.run(f"journalctl -b -u {unit(game)} --no-pager -o cat")


def slowness(guest: Guest) -> float:
    """How much longer Python takes for the same in the guest by its clock, than here by the processor's."""
    work = f"python3 -I -c '{WORK.replace('process_time', 'monotonic')}'"
    there = min(float(guest.run(work)) for _ in range(3))  # a moment in which the guest had to wait is none of it
    here = subprocess.run(["/usr/bin/python3", "-I", "-c", WORK], capture_output=True, text=True, check=True)
    return there / float(here.stdout)


def came_back(guest: Guest, before: int, within_s: float) -> float:
    """Waits until another process is up under the unit; returns how many seconds that took."""
    name = unit(GAME)
    other = f'[ "$(systemctl show -P MainPID {name})" != {before} ] && systemctl is-active -q {name}'
    return guest.until(other, "it is begun anew", timeout_s=within_s)


def attached(console: Console, names: tuple[str, ...]) -> bool:
    """Whether the table has all these devices."""
    state = console.state()
    return set(names) <= {one["name"] for one in state["devices"] if one["attached"]}


# --- one table, from its start to an upgrade --------------------------------------------------------------------------


def check_unit(rig: Rig, report: Report) -> None:
    """A table under its unit: ready in the right order, tight, killed, blocked, replugged, upgraded in mid-round."""
    disk = f"file={newer(rig)},format=raw,if=none,id=data,snapshot=on"
    with table_up(rig, GAME, disk=disk) as (guest, devices):
        with report.check("systemd.ready_when_devices_and_journal_are_up") as check:
            _ready_last(guest, check)
        with report.check("systemd.exposure") as check:
            _exposure(guest, check)
        console = Console(guest.console_port)
        shift = Shift(console, devices, random.Random(7))
        player = player_of(GAME, shift)
        with report.check("systemd.a_round_is_played") as check:
            shift.begin()
            _play_to(shift, player, "betting", check)
        with report.check("systemd.begun_anew_after_SIGKILL") as check:
            _killed(guest, shift, check)
        with report.check("systemd.watchdog_ends_a_blocked_loop") as check:
            _blocked(guest, shift, check)
        with report.check("systemd.upgrade_in_mid_round") as check:
            _upgraded(guest, shift, check)


def _play_to(shift: Shift, player: Any, phase: str, check: Check) -> None:
    while shift.shown[-1]["phase"] != phase or len(shift.shown[-1]["round"]["bets"]) < 2:
        with suppress(CutNowError):  # the player would have the power cut here; that is another check
            player.next_step(shift.shown[-1])()
        shift.look()
    check.say(
        f"round {shift.shown[-1]['round_id']} is at {phase}, with {len(shift.requests.records)} requests answered"
    )


def _ready_last(guest: Guest, check: Check) -> None:
    log = said(guest).splitlines()
    started = next(nth for nth, line in enumerate(log) if line.startswith("Started "))
    for name in DEVICES[GAME]:
        nth = next(
            (nth for nth, line in enumerate(log) if f'"device": "{name}"' in line and '"attached"' in line), None
        )
        told = any('"missing"' in line and f'"{name}"' in line for line in log)  # after a while it begins without
        check.want(told or (nth is not None and nth < started), f"{name} was not attached when the unit was ready")
    for line in log:
        check.say(line[:200])
    kept = guest.run(f"ls /var/lib/tablectl/{GAME}").split()
    check.want({"journal.db", "log.key", "log.pub"} <= set(kept), f"the journal wasn't there: {kept}")


def _exposure(guest: Guest, check: Check) -> None:
    said_ = guest.run(f"systemd-analyze security --no-pager {unit(GAME)} | tail -1", timeout_s=120)
    check.say(said_.strip())
    found = re.search(r": ([\d.]+) ", said_)
    check.want(found and float(found[1]) <= SCORE_MOST, f"its exposure is above {SCORE_MOST}")
    status = guest.run(f"grep -E 'NoNewPrivs|Seccomp:|CapEff|VmRSS' /proc/{pid_of(guest)}/status")
    check.say(" ".join(status.split()))
    check.want(
        "NoNewPrivs:\t1" in status and "CapEff:\t0000000000000000" in status, "it has more rights than it should"
    )


def _same(before: dict[str, Any], after: dict[str, Any]) -> bool:
    doubts = {"count_due", "doubt"}
    certain = [{key: value for key, value in state["round"].items() if key not in doubts} for state in (before, after)]
    return certain[0] == certain[1] and (before["round_id"], before["phase"]) == (after["round_id"], after["phase"])


def _back(shift: Shift, check: Check, before: dict[str, Any]) -> None:
    after = shift.begin()
    check.say(f"round {after['round_id']} is at {after['phase']}, all devices attached")
    check.want(_same(before, after), f"the table came back as {after}, and was {before}")


def _killed(guest: Guest, shift: Shift, check: Check) -> None:
    before, pid = shift.console.state(), pid_of(guest)
    guest.run(f"kill -9 {pid}")
    check.say(f"SIGKILL to {pid}")
    took_s = came_back(guest, pid, START_WITHIN_S)
    check.say(f"active again after {took_s:.1f} s")
    slower = slowness(guest)
    check.say(f"Python is {slower:.1f} times as slow in the guest as here: that is {took_s / slower:.1f} s here")
    check.want(took_s / slower <= KILLED_WITHIN_S, f"that is more than {KILLED_WITHIN_S:.0f} s")
    _back(shift, check, before)


def _blocked(guest: Guest, shift: Shift, check: Check) -> None:
    before, pid = shift.console.state(), pid_of(guest)
    patience_s = int(guest.run(f"systemctl show -P WatchdogUSec {unit(GAME)} | tr -dc 0-9"))
    guest.run(f"kill -STOP {pid}")
    check.say(f"SIGSTOP to {pid}; the watchdog's patience is {patience_s} s")
    took_s = came_back(guest, pid, START_WITHIN_S)
    check.say(f"active again after {took_s:.1f} s")
    check.want("Watchdog timeout" in said(guest), "it wasn't the watchdog")
    check.want(took_s >= patience_s / 2, "it was sooner than a watchdog can bite")
    _back(shift, check, before)


def _upgraded(guest: Guest, shift: Shift, check: Check) -> None:
    before, pid = shift.console.state(), pid_of(guest)
    folder = f"/var/lib/tablectl/{GAME}"
    keys = guest.run(f"sha256sum {folder}/log.key {folder}/log.pub")
    guest.run("blockdev --flushbufs /dev/vdb && mount -o ro /dev/vdb /mnt")  # another disk than when it was saved
    for line in guest.run("dpkg -i /mnt/newer.deb", timeout_s=600).splitlines():
        check.say(line)
    took_s = came_back(guest, pid, START_WITHIN_S)
    check.say(f"active under the new program {took_s:.1f} s after the installation")
    version = guest.run("dpkg-query -W tablectl")
    check.want(_VERSION in version, f"the new version isn't installed: {version}")
    check.want(guest.run(f"sha256sum {folder}/log.key {folder}/log.pub") == keys, "the log's key changed")
    _back(shift, check, before)
    verified = guest.tried(f"tablectl journal verify {folder}", timeout_s=300)
    check.say(verified.text.strip()[:300])
    check.want(verified.status == 0, "the journal isn't whole after the upgrade")


def newer(rig: Rig) -> Path:
    """A disk that holds the same package with a higher version number, made once for each package.

    Its modules are compiled already, as compiling them takes minutes in an emulated processor; the first installation
    has done that as on any machine.
    """
    package, disk, stamp = rig.folder / "package.deb", rig.folder / "newer.raw", rig.folder / "newer.key"
    key = hashlib.sha256(package.read_bytes() + inspect.getsource(newer).encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == key:
        return disk
    stamp.unlink(missing_ok=True)
    tree, folder = rig.work / "tree", rig.work / "newer"
    folder.mkdir()
    subprocess.run(["dpkg-deb", "-R", str(package), str(tree)], check=True)
    control = tree / "DEBIAN" / "control"
    text = re.sub(r"(?m)^(Version: .*)$", rf"\g<1>{_VERSION}", control.read_text("utf-8"))
    control.write_text(text, encoding="utf-8")
    compiling = [
        "/usr/bin/python3",
        "-m",
        "compileall",
        "-q",
        "-s",
        str(tree),
        "-p",
        "/",
        str(tree / "usr/lib/tablectl"),
    ]
    subprocess.run(compiling, check=False, stdout=subprocess.DEVNULL)  # a library may hold what isn't Python's of today
    pack = ["dpkg-deb", "--root-owner-group", "-Znone", "-b", str(tree), str(folder / "newer.deb")]
    subprocess.run(pack, check=True, capture_output=True)
    with disk.open("wb") as file:
        file.truncate(DATA_MIB << 20)
    subprocess.run(["/sbin/mke2fs", "-q", "-F", "-t", "ext4", "-d", str(folder), str(disk)], check=True)
    shutil.rmtree(tree)
    shutil.rmtree(folder)
    stamp.write_text(key)
    return disk


# --- a boot with nothing plugged in, and a journal that can't be used -------------------------------------------------


def check_boot(rig: Rig, report: Report) -> None:
    """A machine that is switched on with nothing plugged in begins its table; what is plugged in later is let in."""
    names = DEVICES[GAME]
    disk = rig.work / "boot.disk"
    shutil.copyfile(rig.up().disk, disk)
    with outside(names, rig.work, rig.current) as devices:
        guest = rig.machine(names)
        try:
            with report.check("systemd.boot_with_nothing_plugged_in") as check:
                guest.restore(rig.up(), disk=disk)
                guest.run(f"systemctl enable {unit(GAME)} && sync")
                guest.off()
                check.say(f"it boots in {guest.boot(disk):.1f} s")
                active = f"systemctl is-active -q {unit(GAME)}"
                took_s = guest.until(active, "the table is up", timeout_s=START_WITHIN_S)
                check.say(f"the table is up {took_s:.1f} s later")
                check.want("up without all devices" in said(guest), "it doesn't say that devices are missing")
                check.want("Failed with result" not in said(guest), "it failed at first")
                known = guest.run("grep -E 'ttyUSB|ttyACM|usb_device' /proc/devices")
                check.say(" ".join(known.split()))
            with report.check("systemd.devices_plugged_in_later_are_let_in") as check:
                _plugged_later(guest, devices, check)
        finally:
            guest.cut()


def _plugged_later(guest: Guest, devices: Any, check: Check) -> None:
    names = DEVICES[GAME]
    guest.run(f"ip addr add {OWN}/24 dev eth0; ip link set eth0 up; systemctl start rig-console.socket")
    connect(guest, names)
    console = Console(guest.console_port)
    until_it_answers(console)
    console.sign_on()
    for name in names:
        began_s = time.monotonic()
        devices.plug(name)
        wait(partial(attached, console, (name,)), f"{name} is attached")
        check.say(f"{name} was attached {time.monotonic() - began_s:.1f} s after it was plugged in")
    check.want("no permission" not in said(guest), "a device was refused")


def check_damaged(rig: Rig, report: Report) -> None:
    """A table whose journal is damaged is never ready, and says why."""
    folder = f"/var/lib/tablectl/{GAME}"
    with (
        table_up(rig, GAME, start=False) as (guest, _),
        report.check("systemd.never_ready_with_a_bad_journal") as check,
    ):
        guest.run(
            f"install -d -o tablectl -g tablectl -m 700 {folder} && head -c 8192 /dev/urandom >{folder}/journal.db"
        )
        guest.run(f"chown tablectl: {folder}/journal.db")
        guest.tried(f"timeout 100 systemctl start {unit(GAME)}", timeout_s=120)
        log = said(guest)
        for line in log.splitlines()[-8:]:
            check.say(line[:300])
        check.want("Started " not in log, "it was ready")
        check.want(
            "status=65" in log or "status=73" in log, "it didn't end with the code of a journal that can't be used"
        )


def until_it_answers(console: Console) -> None:
    """Waits for the console."""
    wait(lambda: bool(console.health()), "the console answers")


def wait(true: Callable[[], bool], what: str, within_s: float = PATIENCE_S) -> None:
    """Looks until it is so; nobody answering is no answer yet.

    Raises:
        MachineError: a machine broke meanwhile.
        TimeoutError: it never was so.
    """
    deadline = time.monotonic() + within_s
    while True:
        with suppress(DaemonGoneError):
            if true():
                return
        see_that_none_broke()
        if time.monotonic() > deadline:
            msg = f"it never came to this: {what}"
            raise TimeoutError(msg)
        time.sleep(0.1)
