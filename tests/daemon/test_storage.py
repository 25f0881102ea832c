"""The disk under a running table: inodes are watched like bytes, and a disk that keeps nothing is told at the start."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tablectl.config import load
from tablectl.config.mounts import mount_remark
from tablectl.daemon.host.log import configure
from tablectl.daemon.run import recovered
from tablectl.journal.files import LEAST_FILES, Room, room_in
from tests.support.config import SHOE

MIB = 1 << 20


@pytest.mark.parametrize(
    ("room", "lack"),
    [
        (Room(64 * MIB, LEAST_FILES), ""),
        (Room(64 * MIB, None), ""),
        (Room(64 * MIB - 1, None), "63 MiB left"),
        (Room(64 * MIB, LEAST_FILES - 1), "99 inodes left"),
        (Room(64 * MIB, 0), "0 inodes left"),
        (Room(3 * MIB, 0), "3 MiB left"),
    ],
)
def test_what_runs_out_is_said_with_what_is_left(room: Room, lack: str) -> None:
    assert room.lack(64 * MIB) == lack


def test_room_is_that_of_the_nearest_folder_that_is_there(tmp_path: Path) -> None:
    disk = os.statvfs(tmp_path)
    room = room_in(tmp_path / "not" / "yet")
    assert room.files is None if not disk.f_files else room.files is not None
    assert abs(room.bytes - disk.f_bavail * disk.f_frsize) < 1 << 30


def on_a_disk_of_400_inodes(script: str, folder: Path) -> str:
    """What a script prints that has a small file system of its own in a folder, which it is given."""
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    mounted = f'mount -t tmpfs -o size=64m,nr_inodes=400,mode=700 none {folder} && exec "$@"'
    command = ["unshare", "--mount", "sh", "-c", mounted, "sh", sys.executable, "-c", script, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


_PLAY = """
import asyncio, sys
from pathlib import Path
from tablectl.core.facts.table_requests import RoundOpened
from tablectl.core.faults import Code
from tablectl.core.table import fault
from tablectl.daemon.host.journal_care import StorageWatch
from tablectl.journal.files import room_in
from tests.daemon.test_table import BEGUN, ask, fact, running

async def play(folder):
    async with running(folder) as (table, _):
        await ask(table, *BEGUN[:4])
        hogs = [folder / f"hog{nth}" for nth in range(room_in(folder).files - 99)]
        for hog in hogs:
            hog.touch()
        watch = StorageWatch(table, 1 << 60)
        for watch.low_water_bytes in (1 << 60, 1, 1):
            await watch.look()
        print((await table.ask(fact(table, RoundOpened()))).refused.code)
        standing = fault(table.state, Code.STORAGE_LOW, "")
        print(standing.detail, standing.times)
        hogs[0].unlink()
        await watch.look()
        await ask(table, RoundOpened())
        print(fault(table.state, Code.STORAGE_LOW, ""))

asyncio.run(play(Path(sys.argv[1])))
"""


def test_few_inodes_refuse_rounds_and_the_fault_follows_its_cause(tmp_path: Path) -> None:
    said = on_a_disk_of_400_inodes(_PLAY, tmp_path).splitlines()
    assert said == ["fault_stands", "99 inodes left 2", "None"]


_OPEN = """
import sys
from pathlib import Path
from tablectl.journal.database import JournalError
from tablectl.journal.files import room_in
from tablectl.journal.journal import open_journal
folder = Path(sys.argv[1])
open_journal(folder).close()
for nth in range(room_in(folder).files):
    (folder / f"hog{nth}").touch()
for place in (folder, folder / "new"):
    try:
        open_journal(place)
    except JournalError as error:
        print(error)
"""


def test_advice_without_an_inode_left_is_to_delete_files(tmp_path: Path) -> None:
    known, new = on_a_disk_of_400_inodes(_OPEN, tmp_path).splitlines()
    for said in (known, new):
        assert said.endswith("(no inode is left): delete files that nobody needs and start again.")
    assert str(tmp_path / "journal.db") in known
    assert str(tmp_path / "new") in new


@pytest.mark.parametrize(("simulated", "warned"), [("false", True), ("true", False)])
def test_start_warns_of_a_disk_that_keeps_nothing_unless_simulated(
    simulated: str, warned: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    if not mount_remark(Path("/dev/shm")):
        pytest.skip("nothing is mounted in memory here")
    file = tmp_path / "q1.toml"
    file.write_text(SHOE, "utf-8")
    state = Path("/dev/shm") / f"tablectl-test-{os.getpid()}"
    configure("info", "json")
    try:
        table, *_ = recovered(load(file, {"paths.state": str(state), "devices.shoe.simulated": simulated}))
        table.shut()
    finally:
        for each in state.iterdir():
            each.unlink()
        state.rmdir()
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    said = [line["event"] for line in lines if line["level"] == "warning" and line["area"] == "journal"]
    assert len(said) == warned
    assert all(f"{state} is in memory (tmpfs)" in line and "[paths] state" in line for line in said)
