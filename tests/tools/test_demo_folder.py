"""The demo's folder is gone with the demo, or with the next one."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tablectl.features.demo.layout import LOCK, OLD_S, PREFIX, demo_folder


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def left_behind(root: Path, name: str, *, age_s: float) -> Path:
    """A folder as a killed demo leaves it: with a lock that nobody holds."""
    folder = root / f"{PREFIX}{name}"
    folder.mkdir()
    (folder / LOCK).touch()
    then_s = folder.stat().st_mtime - age_s
    os.utime(folder, (then_s, then_s))
    return folder


def test_the_folder_is_private_and_goes_with_the_demo(root: Path) -> None:
    with demo_folder(None) as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "state").mkdir()
        (folder / "state" / "file").touch()
    assert list(root.iterdir()) == []


def test_a_killed_demos_folder_goes_with_the_next_one(root: Path) -> None:
    left = left_behind(root, "old", age_s=OLD_S + 1)
    with demo_folder(None):
        assert not left.exists()


def test_a_folder_that_is_just_being_made_stays(root: Path) -> None:
    left = left_behind(root, "new", age_s=0)
    with demo_folder(None):
        assert left.exists()


def test_a_running_demos_folder_stays(root: Path) -> None:
    held = left_behind(root, "held", age_s=OLD_S + 1)
    hold = f"""
import fcntl, sys
with open({str(held / LOCK)!r}) as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    print("held", flush=True)
    sys.stdin.read()
"""
    with subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with demo_folder(None):
            assert held.exists()
        holder.communicate()


def test_a_folder_to_keep_is_made_and_stays(root: Path) -> None:
    wanted = root / "deep" / "down"
    with demo_folder(wanted) as folder:
        (folder / "state").touch()
    assert (wanted / "state").exists()
