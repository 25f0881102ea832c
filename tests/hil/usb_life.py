"""What happens to USB devices on a gaming floor, in the guest: pulled in every phase, swapped, stalled, foreign."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from drivers.sim.link_device import LinkEnd
from tests.hil.bench import DEVICES, KEYBOARDS, SOCKETS, Outside
from tests.hil.guest import Guest
from tests.hil.report import Check, Report
from tests.hil.rig import Rig, table_up
from tests.hil.shift import Console, CutNowError, Shift, player_of
from tests.hil.systemd_life import attached, pid_of, said, wait
from tests.support.daemon import RefusedError

GAMES: Final = ("q-poker", "football-poker", "wheel-of-fortune", "chinese-dice", "thirteen-cards")
STEPS_MOST: Final = 90
GROWTH_MOST_KIB: Final = 4096
"""How much the daemon may grow over the replugs after the first few, which fill what is kept for later."""

WARM: Final = 5
LOOK_EVERY: Final = 20
"""Replugs from one look at what the daemon holds to the next."""

QUIET_S: Final = 8.0
"""So long nothing may be said of a device that is expected; four looks at USB."""

TECHNICIAN: Final = ("tim", "1111")


@dataclass(frozen=True, slots=True)
class Seen:
    """What replugging a device in a phase came to.

    Args:
        gone_s: until the console showed that it is gone.
        back_s: from plugging it in until the console showed it attached.
        after: the phase then; another one only where the procedure says so.
    """

    device: str
    phase: str
    gone_s: float
    back_s: float
    after: str


# --- every device, in every phase -------------------------------------------------------------------------------------


def check_phases(rig: Rig, game: str, report: Report, *, most_s: float = 900.0) -> list[Seen]:
    """Plays a game, and pulls and replugs each device when a phase is seen for the first time."""
    seen: list[Seen] = []
    with (
        table_up(rig, game) as (guest, devices),
        report.check(f"usb.replugged_in_every_phase_of_{_named(game)}") as check,
    ):
        shift = Shift(Console(guest.console_port), devices, random.Random(game))
        player, phases, ends_s = player_of(game, shift), set[str](), time.monotonic() + most_s
        shift.begin()
        for _ in range(STEPS_MOST):
            phase = str(shift.shown[-1]["phase"])
            if phase not in phases:
                phases.add(phase)
                seen += [_replugged(shift, devices, name, phase, check) for name in DEVICES[game]]
                shift.look()
            over = shift.shown[-1]["round_id"] is None and len(phases) > 3
            if over or time.monotonic() > ends_s or _stuck(shift, player):
                break
        check.say(f"{len(seen)} replugs in {len(phases)} phases: {', '.join(sorted(phases))}")
        check.want(len(phases) >= 3, "the game was not played through its phases")
        check.want(_tampered(shift.console) is None, "a device of the table's own is taken for a stranger")
        check.want("Traceback" not in said(guest, game), "the daemon raised something")
    return seen


def _replugged(shift: Shift, devices: Outside, name: str, phase: str, check: Check) -> Seen:
    console = shift.console
    began_s = time.monotonic()
    devices.unplug(name)
    wait(lambda: not attached(console, (name,)), f"{name} is gone")
    gone_s, plugged_s = time.monotonic() - began_s, time.monotonic()
    devices.plug(name)
    wait(lambda: attached(console, (name,)), f"{name} is back")
    back_s, after = time.monotonic() - plugged_s, str(console.state()["phase"])
    check.say(f"{phase}: {name} gone after {gone_s:.1f} s, back after {back_s:.1f} s; the phase then: {after}")
    return Seen(name, phase, gone_s, back_s, after)


def _stuck(shift: Shift, player: Any) -> bool:
    """Does the next thing; whether the player can't, for minutes would have to be slept through."""
    try:
        player.next_step(shift.shown[-1])()
    except CutNowError as moment:  # the player would have the power cut here; that is another check
        if "of sleep" in str(moment):
            return True
    shift.look()
    return False


def _named(game: str) -> str:
    return game.replace("-", "_")


# --- accidents --------------------------------------------------------------------------------------------------------


def check_accidents(rig: Rig, report: Report, replugs: int) -> None:
    """A table of four devices: adapters swapped, a hub reset, stalls and bursts, a stranger, and many replugs."""
    game = "football-poker"
    with table_up(rig, game) as (guest, devices):
        console = Console(guest.console_port)
        wait(lambda: bool(console.health()), "the console answers")
        console.sign_on()
        wait(lambda: attached(console, DEVICES[game]), "all devices are attached")
        checks: tuple[tuple[str, Callable[[Guest, Outside, Console, Check], None]], ...] = (
            ("two_identical_adapters_swapped", _swapped),
            ("a_hub_that_resets", _hub),
            ("a_stall_and_a_burst", _stalled),
            ("an_endpoint_that_halts", _halted),
            ("an_expected_device", _expected),
            ("an_unexpected_device", _stranger),
        )
        for name, act in checks:
            with report.check(f"usb.{name}") as check:
                act(guest, devices, console, check)
        with report.check(f"usb.{replugs}_replugs_without_a_leak") as check:
            _often(guest, devices, console, check, replugs)
            check.want(_tampered(console) is None, "a device of the table's own is taken for a stranger")


def _faults(console: Console, device: str) -> list[int]:
    return [fault["code"] for fault in console.state()["faults"] if fault["device"] == device]


def _swapped(guest: Guest, devices: Outside, console: Console, check: Check) -> None:
    """The shuffler's and the draw system's adapters change places; each speaks as who it is."""
    pair = ("shuffler", "draw")
    for name in pair:
        devices.unplug(name)
    devices.do(_swap)
    for name in pair:
        devices.plug(name)
    check.say("shuffler and draw system are in each other's sockets")
    wait(lambda: all(105 in _faults(console, name) for name in pair), "both are found to be other devices")
    check.say("both are found out: fault 105, another device than the approved one answers")
    check.want(not any(attached(console, (name,)) for name in pair), "a device counts that is another one")
    for name in pair:
        devices.unplug(name)
    devices.do(_swap)
    for name in pair:
        devices.plug(name)
    wait(lambda: attached(console, pair), "both are back in their own sockets")
    check.say("both are back in their own sockets, and attached")


def _swap(bench: Any) -> None:
    """The cables of two devices on our link change places."""
    lines: list[LinkEnd] = [bench.simulators[name].line for name in ("shuffler", "draw")]
    ports = [line.port for line in lines]
    for line, port in zip(lines, reversed(ports), strict=True):
        line.port = port
        port.on_bytes = line.hear


def _hub(guest: Guest, devices: Outside, console: Console, check: Check) -> None:
    """All devices go at once and come back at once, as when the hub's own power fails for a moment."""
    names = DEVICES["football-poker"]

    def gone() -> bool:
        return not any(attached(console, (name,)) for name in names)

    for _ in range(3):
        devices.do(lambda now: _all(now, "unplug"))
        wait(gone, "all devices are gone")
        began_s = time.monotonic()
        devices.do(lambda now: _all(now, "plug"))
        wait(lambda: attached(console, names), "all devices are attached again")
        check.say(f"all went at once, and were attached {time.monotonic() - began_s:.1f} s after they came back")
    _shut(guest, 0)
    wait(gone, "all devices are gone")
    _shut(guest, 1)
    wait(lambda: attached(console, names), "all devices are attached again")
    check.say("the kernel shut all of its sockets and opened them again: all devices are back")


def _shut(guest: Guest, opened: int) -> None:
    guest.run(f"for port in /sys/bus/usb/devices/1-?; do echo {opened} >$port/authorized; done")


async def _all(bench: Any, act: str) -> None:
    for name in DEVICES["football-poker"]:
        await getattr(bench.ports[name], act)()


def _stalled(guest: Guest, devices: Outside, console: Console, check: Check) -> None:
    """An adapter holds everything back and then lets it go at once."""
    before = console.health()["health"]["devices"]["shuffler"]["rejected"]
    devices.do(lambda now: now.ports["shuffler"].stall())
    devices.do(
        lambda now: [now.simulators["shuffler"].open_lid() or now.simulators["shuffler"].close_lid() for _ in range(20)]
    )
    wait(lambda: not attached(console, ("shuffler",)), "its silence is a fault", 60)
    check.say("forty reports are held back; its silence was noticed")
    devices.do(lambda now: now.ports["shuffler"].resume())
    wait(lambda: attached(console, ("shuffler",)) and not devices.untold(), "all is told after the burst")
    after = console.health()["health"]["devices"]["shuffler"]["rejected"]
    check.say(f"the burst is over: every report is stored, {after - before} frames were rejected")


def _halted(guest: Guest, devices: Outside, console: Console, check: Check) -> None:
    """A device on our link over USB answers with STALL; the host clears that and goes on."""
    pid = pid_of(guest)
    for _ in range(3):
        devices.do(lambda now: now.ports["display"].halt())
        wait(lambda: not devices.do(lambda now: now.ports["display"].is_halted()), "the host clears the halt")
    check.say("three times the display halted its endpoint, and the host cleared it")
    wait(lambda: attached(console, ("display",)), "the display is attached")
    check.want(pid_of(guest) == pid, "the daemon was begun anew")


def _expected(guest: Guest, devices: Outside, console: Console, check: Check) -> None:
    """A keyboard that the configuration names is plugged in, and nothing is said of it."""
    devices.plug("expected")
    guest.until(_has_keyboard("expected"), "the kernel has the keyboard that is expected")
    time.sleep(QUIET_S)
    check.want(_tampered(console) is None, "a device that the configuration names is a fault")
    check.say("a keyboard that the configuration names is in a socket, and no fault")
    devices.unplug("expected")
    guest.until(f"! {_has_keyboard('expected')}", "the keyboard is out")


def _stranger(guest: Guest, devices: Outside, console: Console, check: Check) -> None:
    """A keyboard is plugged in: a fault that names it, no next round, and only a technician may end it."""
    pid, began_s = pid_of(guest), time.monotonic()
    devices.plug("stranger")
    wait(lambda: _tampered(console) is not None, "fault 711")
    detail = str((_tampered(console) or {})["detail"])
    check.say(f"fault 711 after {time.monotonic() - began_s:.1f} s: {detail}")
    for part in (f"046d:{KEYBOARDS['stranger']:04x}", "USB Keyboard", "STRANGER-1", f"socket 1-{SOCKETS['stranger']}"):
        check.want(part in detail, f"it doesn't name {part}")
    check.want(_refused(console, "open_round", dealing="shoe"), "a round could be opened")
    devices.unplug("stranger")
    wait(lambda: not (_tampered(console) or {"present": False})["present"], "its cause is gone")
    _ended(console, check)
    check.want(attached(console, DEVICES["football-poker"]), "a device was lost")
    check.want(pid_of(guest) == pid, "the daemon was begun anew")


def _ended(console: Console, check: Check) -> None:
    check.want(_tampered(console), "it wasn't kept for the technician")
    check.want(_refused(console, "acknowledge_fault", code=711, device=""), "a dealer could end it")
    console.sign_on(*TECHNICIAN)
    _ask(console, "acknowledge_fault", code=711, device="")
    check.want(not _tampered(console), "the technician couldn't end it")
    check.say("it stayed when the keyboard was out, until a technician ended it; a dealer was not let")
    console.sign_on()


def _tampered(console: Console) -> dict[str, Any] | None:
    """The fault of a USB device that nobody expects, as the console shows it."""
    return next((fault for fault in console.state()["faults"] if fault["code"] == 711), None)


def _has_keyboard(name: str) -> str:
    return f"grep -qrs {KEYBOARDS[name]:04x} /sys/bus/usb/devices/1-{SOCKETS[name]}/idProduct"


def _ask(console: Console, verb: str, **fields: Any) -> None:
    state = console.state()
    seen = {"round_id": state["round_id"], "seen": state["seen"]}
    console.ask(verb, f"{verb}-{state['seen']}-{console.token[:4]}", **seen, **fields)


def _refused(console: Console, verb: str, **fields: Any) -> bool:
    """Whether the table says no, or this person may not even ask."""
    try:
        _ask(console, verb, **fields)
    except RefusedError:
        return True
    except AssertionError as error:
        return ": 403 " in str(error)
    return False


def _often(guest: Guest, devices: Outside, console: Console, check: Check, replugs: int) -> None:
    """Device after device is pulled and plugged in; nothing of that stays in the daemon."""
    names = DEVICES["football-poker"]
    pid = pid_of(guest)
    warm = min(WARM * len(names), replugs // 2)
    for number in range(warm):
        _replugged_once(devices, console, names[number % len(names)])
    before = _held(guest, pid)
    check.say(f"after {warm} replugs: {before}")
    for number in range(warm, replugs):
        if number > warm and number % LOOK_EVERY == 0:
            check.say(f"after {number} replugs: {_held(guest, pid)}")
        try:
            _replugged_once(devices, console, names[number % len(names)])
        except TimeoutError as error:
            listed = guest.tried("cat /sys/bus/usb/devices/1-*/serial").text.split()
            error.add_note(
                f"at replug {number + 1}; the kernel has {listed}; the table shows {console.state()['devices']}"
            )
            raise
    after = _held(guest, pid)
    check.say(f"after {replugs} replugs: {after}")
    check.want(pid_of(guest) == pid, "the daemon was begun anew")
    check.want(after["descriptors"] <= before["descriptors"] + 2, f"descriptors grew from {before} to {after}")
    check.want(after["threads"] <= before["threads"] + 2, f"threads grew from {before} to {after}")
    grown = after["anon_kib"] - before["anon_kib"]
    check.want(grown <= GROWTH_MOST_KIB, f"it grew by {grown} KiB")


def _replugged_once(devices: Outside, console: Console, name: str) -> None:
    devices.unplug(name)
    wait(lambda: not attached(console, (name,)), f"{name} is gone")
    devices.plug(name)
    wait(lambda: attached(console, (name,)), f"{name} is back")


def _held(guest: Guest, pid: int) -> dict[str, int]:
    """What a process holds; of its memory, what no file lies behind."""
    said_ = guest.run(f"ls /proc/{pid}/fd | wc -l; grep -E '^(RssAnon|Threads)' /proc/{pid}/status | tr -dc '0-9\\n'")
    descriptors, anon_kib, threads = (int(line) for line in said_.split())
    return {"descriptors": descriptors, "anon_kib": anon_kib, "threads": threads}
