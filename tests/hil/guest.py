"""A Debian 12 in an emulated machine: switched on, saved, restored, spoken to, and cut from its power."""

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tablectl.features.demo.processes import free_port
from tests.hil.qmp import Agent, Control, MachineError, Said

BOOT_WITHIN_S: Final = 180.0
BROKER: Final = "192.0.2.100"
"""Where the guest finds the broker that is outside: an address of the emulated network, whose other end is ours."""

OWN: Final = "192.0.2.15"
GATEWAY: Final = "192.0.2.2"
NETWORK: Final = "192.0.2.0/24"
"""Of the addresses that are nobody's (RFC 5737)."""

CONSOLE_PORT: Final = 8080
USB_AT: Final = "pci-0000:00:08.0-usb-0"
"""How udev calls the sockets of the machine's USB controller: this, and the socket's number."""

COMMAND_LINE: Final = (
    "console=ttyS0 panic=-1 quiet loglevel=4 mitigations=off random.trust_cpu=on net.ifnames=0 "
    "systemd.show_status=false"
)

_RESEED: Final = (
    'python3 -I -S -c \'import fcntl, sys; pool = open("/dev/urandom", "wb", 0); '
    "pool.write(sys.stdin.buffer.read()); fcntl.ioctl(pool, 0x5207)'"
)
"""Mixes what is given into the kernel's chance, and has it used at once (RNDRESEEDCRNG)."""


@dataclass(frozen=True, slots=True)
class Built:
    """What `scripts/rig_guest.sh` has built."""

    folder: Path

    @property
    def kernel(self) -> Path:
        return self.folder / "vmlinux"

    @property
    def ramdisk(self) -> Path:
        return self.folder / "initrd.gz"

    @property
    def root(self) -> Path:
        return self.folder / "root.raw"


@dataclass(frozen=True, slots=True)
class Saved:
    """A machine that was up when it was saved: its memory, and the disk that belongs to it."""

    memory: Path
    disk: Path


@dataclass(slots=True)
class Guest:
    """One emulated machine, from its start to `off` or `cut`.

    Args:
        folder: its sockets and logs.
        sockets: Unix sockets that USB devices are behind, by the name of the line.
        disk: a second disk, as QEMU's `file=`; empty for none.
        broker_port: of the loopback.
    """

    built: Built
    folder: Path
    sockets: dict[str, Path] = field(default_factory=dict[str, Path])
    disk: str = ""
    broker_port: int = 0
    memory_mib: int = 640
    console_port: int = field(default_factory=free_port)
    control: Control | None = None
    agent: Agent | None = None
    _process: "subprocess.Popen[bytes] | None" = None
    _ending: "Ending" = field(default_factory=lambda: Ending(None))

    # --- on and off

    def boot(self, disk: Path) -> float:
        """Switches it on, with a root disk that keeps what is written; returns how many seconds it took."""
        began_s = time.monotonic()
        self._start(f"file={disk},format=qcow2,if=none,id=root,cache=unsafe")
        assert self.agent is not None
        if not self.agent.up.wait(BOOT_WITHIN_S):
            msg = f"the guest doesn't come up:\n{self.console()[-2000:]}"
            raise MachineError(msg)
        return time.monotonic() - began_s

    def restore(self, saved: Saved, *, disk: Path | None = None) -> None:
        """Goes on where a machine was saved.

        Args:
            disk: a copy of the saved root disk that keeps what is written; without one, that is forgotten.
        """
        root = f"file={disk or saved.disk},format=qcow2,if=none,id=root,cache=unsafe"
        self._start(root if disk else f"{root},snapshot=on", "-incoming", f"exec:cat {saved.memory}")
        assert self.control is not None
        while self.control.do("query-status")["status"] == "inmigrate":
            time.sleep(0.01)
        self.control.do("cont")
        # Its clock goes on from when it was saved, and its chance would be the same every time.
        self.run(f"date -s @{time.time():.3f} >/dev/null; {_RESEED}", given=os.urandom(64))

    def save(self, saved: Saved) -> None:
        """Saves it and switches it off. No USB device may be plugged in."""
        assert self.control is not None
        self.control.do("stop")
        self.control.do("migrate", uri=f"exec:cat > {saved.memory}.new")
        while (status := self.control.do("query-migrate").get("status")) not in {"completed", "failed"}:
            time.sleep(0.05)
        if status == "failed":
            raise MachineError("the guest can't be saved")
        self.off()
        Path(f"{saved.memory}.new").replace(saved.memory)

    def cut(self) -> None:
        """Cuts its power: nothing inside gets a chance to write anything."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            self._ending.close()
        self._hang_up()

    def off(self) -> None:
        """Ends it, with all that its disks were given."""
        if self.control is not None:
            with suppress(MachineError, OSError):
                self.control.do("quit")
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(20)
        self.cut()

    # --- what is done in it

    def run(self, command: str, *, given: bytes = b"", timeout_s: float = 60.0) -> str:
        """What a shell command in the guest prints.

        Raises:
            MachineError: it fails, or the guest is gone.
        """
        said = self.tried(command, given=given, timeout_s=timeout_s)
        if said.status:
            msg = f"{command!r} in the guest ended with {said.status}: {said.text[-3000:]}"
            raise MachineError(msg)
        return said.text

    def tried(self, command: str, *, given: bytes = b"", timeout_s: float = 60.0) -> Said:
        """The same, for a command that may fail."""
        if self.agent is None:
            raise MachineError("the guest is off")
        return self.agent.run(command, given=given, timeout_s=timeout_s)

    def put(self, path: str, text: str) -> None:
        """Writes a small file in the guest; a large one comes on a disk."""
        self.run(f"mkdir -p $(dirname {path}) && cat > {path}", given=text.encode())

    def until(self, condition: str, what: str, *, timeout_s: float = 60.0) -> float:
        """Waits until a shell condition holds in the guest; returns how many seconds it took."""
        began_s = time.monotonic()
        while self.tried(condition).status:
            if time.monotonic() - began_s > timeout_s:
                msg = f"it never came to this in the guest: {what}"
                raise MachineError(msg)
            time.sleep(0.1)
        return time.monotonic() - began_s

    def console(self) -> str:
        """What its kernel and its systemd have written on its screen."""
        return (self.folder / "screen").read_text("utf-8", "replace")

    # --- inside

    def _start(self, root: str, *more: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in ("control", "agent"):
            (self.folder / name).unlink(missing_ok=True)
        self._process, self._ending = started([*self._command(root), *more], self.folder / "qemu.log")
        try:
            self.control = Control(self.folder / "control")
            self.agent = Agent(self.folder / "agent")
        except (MachineError, OSError) as error:
            self.cut()
            msg = f"{error}; QEMU said: {(self.folder / 'qemu.log').read_text()[-1000:]}"
            raise MachineError(msg) from None

    def _command(self, root: str) -> list[str]:
        folder = self.folder
        program = shutil.which("qemu-system-x86_64") or "qemu-system-x86_64"
        nice = ["nice", "-n", os.environ.get("TABLECTL_RIG_NICE", "5")]
        forward = f"hostfwd=tcp:127.0.0.1:{self.console_port}-{OWN}:{CONSOLE_PORT}"
        relay = f"guestfwd=tcp:{BROKER}:1883-cmd:busybox nc 127.0.0.1 {self.broker_port}"
        command = [
            *nice, program, "-name", "tablectl-rig", "-M", "q35", "-accel", "tcg,thread=multi", "-cpu", "max",
            "-smp", "1", "-m", str(self.memory_mib), "-display", "none", "-nodefaults", "-no-reboot", "-no-user-config",
            "-kernel", str(self.built.kernel), "-initrd", str(self.built.ramdisk), "-append", COMMAND_LINE,
            "-chardev", f"file,id=screen,path={folder}/screen", "-serial", "chardev:screen",
            "-qmp", f"unix:{folder}/control,server=on,wait=off",
            "-drive", root, "-device", "virtio-blk-pci,drive=root,addr=0x4",
            "-device", "virtio-serial-pci,id=serial,addr=0x5",
            "-chardev", f"socket,id=agent,path={folder}/agent,server=on,wait=off",
            "-device", "virtserialport,bus=serial.0,chardev=agent,name=rig.agent",
            "-device", "virtio-rng-pci,addr=0x6",
            "-netdev", f"user,id=net,net={NETWORK},host={GATEWAY},restrict=on,{forward},{relay}",
            "-device", "virtio-net-pci,netdev=net,addr=0x7",
            "-device", "qemu-xhci,id=usb,addr=0x8,p2=9,p3=1",
        ]  # fmt: skip
        if self.disk:
            command += ["-drive", self.disk, "-device", "virtio-blk-pci,drive=data,addr=0x9"]
        for name, path in self.sockets.items():
            command += ["-chardev", f"socket,id={name},path={path},reconnect=1"]
        return command

    def _hang_up(self) -> None:
        for each in (self.control, self.agent):
            if each is not None:
                each.close()
        self.control = self.agent = None


# --- no machine outlives the program that switched it on --------------------------------------------------------------

_RUNNING: Final[set["subprocess.Popen[bytes]"]] = set()
_OVER: Final = threading.Event()
_LOGS: Final[dict["subprocess.Popen[bytes]", Path]] = {}
_BROKE: Final = frozenset({-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS})
"""How a program ends that nobody ended."""


@dataclass(frozen=True, slots=True)
class Ending:
    """A small process that kills another one when this program is gone, however that came."""

    process: "subprocess.Popen[bytes] | None"

    def close(self) -> None:
        """There is nothing left to kill."""
        if self.process is not None and self.process.stdin is not None:
            with suppress(BrokenPipeError):
                self.process.stdin.write(b"over\n")
                self.process.stdin.close()
            self.process.wait()


def started(command: list[str], log: Path) -> tuple["subprocess.Popen[bytes]", Ending]:
    """A process that ends with this program at the latest.

    Raises:
        MachineError: `end_all` was called, so nothing may be started any more.
    """
    if _OVER.is_set():
        raise MachineError("this program is being ended")
    with log.open("wb") as file:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
    # Its standard input ends when we do; in a session of its own no key pressed at our terminal reaches it.
    watch = ["sh", "-c", "read -r over || kill -9 $0", str(process.pid)]
    ending = subprocess.Popen(watch, stdin=subprocess.PIPE, bufsize=0, start_new_session=True)
    _RUNNING.add(process)
    _LOGS[process] = log
    if _OVER.is_set():
        process.kill()
    return process, Ending(ending)


def see_that_none_broke() -> None:
    """Looks whether a machine ended by itself, which nobody who waits for its table would hear of.

    Raises:
        MachineError: one did; with what it said at last.
    """
    for process in list(_RUNNING):
        if process.poll() in _BROKE:
            _RUNNING.discard(process)  # It is told once.
            raise MachineError(f"the emulator itself broke: {_LOGS[process].read_text('utf-8', 'replace')[-500:]}")


def end_all() -> None:
    """Kills all machines, and lets none be switched on any more: whoever waits for one hears of it at once."""
    _OVER.set()
    for process in list(_RUNNING):
        if process.poll() is None:
            process.kill()


@contextmanager
def ending_cleanly() -> Generator[None]:
    """Has SIGTERM end this program as Ctrl-C does: with all that it has set up taken down."""

    def interrupt(_number: int, _frame: object) -> None:
        end_all()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def fresh_disk(built: Built, path: Path) -> Path:
    """A disk that holds the built root file system and keeps what is written to it."""
    path.unlink(missing_ok=True)
    subprocess.run(
        ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", str(built.root.resolve()), str(path)], check=True
    )
    return path
