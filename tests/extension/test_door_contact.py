"""A new device is one package and one line in the list of devices."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_new_device_runs_through_driver_simulator_and_lists(tmp_path: Path) -> None:
    ran = subprocess.run(  # our own program
        [sys.executable, "-m", "tests.extension.run_with_door", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert all(found["known"].values()), found["known"]
    assert len(found["known"]) == 5
    attached, *noted = found["facts"]
    assert attached.startswith("DeviceAttached")
    assert any("door_status" in fact and "closed" in fact for fact in noted)
    assert any("'door'" in fact and "opened" in fact for fact in noted)


def test_no_file_of_the_program_names_the_new_device() -> None:
    shipped = [*ROOT.glob("drivers/**/*.py"), *ROOT.glob("tablectl/**/*.py")]
    assert len(shipped) > 300
    assert [path for path in shipped if "door_contact" in path.read_text()] == []
    registering = (ROOT / "tests" / "extension" / "run_with_door.py").read_text()
    assert registering.count("devices.DEVICES = ") == 1
