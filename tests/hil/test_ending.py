"""No machine outlives the rig, however it ends; here a sleeping process stands for QEMU."""

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tablectl.testing.blocking import aside
from tests.hil.guest import see_that_none_broke, started
from tests.hil.qmp import MachineError
from tests.hil.systemd_life import wait
from tests.support.patience import PATIENCE_S

REPOSITORY = Path(__file__).parents[2]
GONE_WITHIN_S = 60.0

SWITCHED_ON = """
import sys
from pathlib import Path
from tests.hil.guest import ending_cleanly, started
with ending_cleanly():
    machine, _ = started(["sleep", "600"], Path(sys.argv[1]))
    try:
        print(machine.pid, flush=True)
        machine.wait(600)  # it looks again and again: a signal just before the call of `pause` would be slept through
    finally:
        print("taken down", flush=True)
"""

BEING_SWITCHED_ON = """
import sys, time
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tablectl.testing.blocking import aside
from tests.hil.guest import end_all, started

@contextmanager
def up():
    machine, ending = started(["sleep", "600"], Path(__file__).with_name("qemu.log"))
    print(machine.pid, flush=True)
    try:
        if machine.wait():  # the table in it is being started, and that takes minutes
            raise OSError("the machine is gone")
        yield
    finally:
        machine.kill()
        ending.close()
        print("taken down", flush=True)

class Level:
    name = "vm"

    @asynccontextmanager
    async def rig(self, scenario, timeline):
        async with aside(up(), end_all):
            yield

def level(choice):
    return Level()
"""


def machine_of(program: "subprocess.Popen[str]") -> psutil.Process:
    """The process that stands for the machine, whose number the program prints."""
    assert program.stdout is not None
    return psutil.Process(int(program.stdout.readline()))


def is_gone(machine: psutil.Process) -> bool:
    _, alive = psutil.wait_procs([machine], GONE_WITHIN_S)
    return not alive or alive[0].status() == psutil.STATUS_ZOMBIE


@contextmanager
def program_that_runs(code: str, *args: str, cwd: Path) -> Generator["subprocess.Popen[str]"]:
    """A Python program that is gone when the block is left, whatever happened in it.

    It hears SIGINT even where this process was started in the background by a shell that has it ignored.
    """
    command = [sys.executable, "-c", f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n{code}"]
    with subprocess.Popen([*command, *args], cwd=cwd, stdout=subprocess.PIPE, text=True) as program:
        try:
            yield program
        finally:
            program.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_machine_ends_with_the_program_that_switched_it_on(number: signal.Signals, tmp_path: Path) -> None:
    with program_that_runs(SWITCHED_ON, str(tmp_path / "log"), cwd=REPOSITORY) as program:
        machine = machine_of(program)
        program.send_signal(number)
        assert is_gone(machine)
        said, _ = program.communicate(timeout=GONE_WITHIN_S)
        assert ("taken down" in said) == (number is not signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_rig_told_to_end_during_boot_takes_its_machine_down(number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "standing_in.py").write_text(BEING_SWITCHED_ON, "utf-8")
    (tmp_path / "rig.toml").write_text('[vm]\nprovider = "standing_in:level"\n', "utf-8")
    scenario = REPOSITORY / "tests" / "scenarios" / "w_round.toml"
    paths = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(REPOSITORY)!r}]"
    call = (
        f"from tablectl.cli import main; main(['rig', 'run', {str(scenario)!r}, '--level', 'vm', '--rig', 'rig.toml'])"
    )
    with program_that_runs(f"{paths}; {call}", cwd=tmp_path) as program:
        machine = machine_of(program)
        program.send_signal(number)
        said, _ = program.communicate(timeout=GONE_WITHIN_S)
        assert is_gone(machine)
        assert "taken down" in said
        assert program.returncode


async def test_block_left_while_being_entered_is_left_whole() -> None:
    entering, done, noted = threading.Event(), threading.Event(), list[str]()

    class Slow:
        def __enter__(self) -> None:
            entering.set()
            done.wait(PATIENCE_S)
            noted.append("entered")

        def __exit__(self, *_: object) -> None:
            noted.append("left")

    async def use() -> None:
        async with aside(Slow(), done.set):
            noted.append("used")

    task = asyncio.create_task(use())  # what is tried is its cancellation
    await asyncio.to_thread(entering.wait)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert noted == ["entered", "left"]


def test_broken_machine_is_named_at_once_with_its_last_words(tmp_path: Path) -> None:
    process, ending = started(["sh", "-c", "echo 'core.c: Assertion failed' >&2; kill -ABRT $$"], tmp_path / "log")
    process.wait()
    with pytest.raises(MachineError, match=r"the emulator itself broke: core\.c: Assertion failed"):
        wait(lambda: False, "what can't come any more")
    ending.close()
    see_that_none_broke()
