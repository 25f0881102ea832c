"""Places of a rig: found, taken by one at a time, and given back."""

import json
import multiprocessing
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.testing.bench_inventory import PlaceError, acquire, at_place, holder, read_rig, release
from tablectl.testing.scenarios.scenario import NotPlayableError

PLACE = """
[places.bench1]
config = "q1.toml"
console = "http://127.0.0.1:8080"
broker = "mqtt://127.0.0.1"
people = {dealer = {name = "ana", pin_file = "ana.pin"}}
[places.bench1.devices.shoe]
adapter = "/dev/ttyUSB0"
"""


@pytest.fixture(name="rig")
def _rig(tmp_path: Path) -> Path:
    file = tmp_path / "rig.toml"
    file.write_text(PLACE)
    return file


def test_the_example_can_be_read_and_has_a_place() -> None:
    rig = read_rig(Path(__file__).parents[2] / "config/rig.example.toml")
    assert rig.place().name == "bench1"
    assert set(rig.place().set_up.people) == {"dealer", "supervisor", "technician"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[places.b1\n", "rig.toml:1: this isn't TOML"),
        (PLACE.replace("console", "consoel"), "rig.toml:4: places.bench1.consoel: Extra inputs are not permitted"),
        (
            PLACE.replace('"/dev/ttyUSB0"', "3"),
            "rig.toml:8: places.bench1.devices.shoe.adapter: Input should be a valid",
        ),
    ],
)
def test_a_wrong_rig_file_is_told_with_its_line(rig: Path, text: str, told: str) -> None:
    rig.write_text(text)
    with pytest.raises(PlaceError) as raised:
        read_rig(rig)
    assert told in str(raised.value)


def test_a_missing_rig_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(PlaceError, match=r"No such file or directory: .*config/rig\.example\.toml shows one"):
        read_rig(tmp_path / "none.toml")


def test_pin_file_is_read_without_its_line_end(rig: Path) -> None:
    (rig.parent / "ana.pin").write_text("2580\n")
    assert read_rig(rig).place("bench1").people()["dealer"].pin == "2580"
    assert "2580" not in repr(read_rig(rig).place("bench1").people())


def test_a_place_is_one_persons_until_he_gives_it_back(tmp_path: Path) -> None:
    acquire(tmp_path, "bench1", "tess", "nightly")
    acquire(tmp_path, "bench1", "tess")
    with pytest.raises(PlaceError, match=r"bench1 is taken by tess \(nightly\)"):
        acquire(tmp_path, "bench1", "max")
    with pytest.raises(PlaceError, match="bench1 is taken by tess: --force releases it all the same"):
        release(tmp_path, "bench1", "max")
    release(tmp_path, "bench1", "tess")
    acquire(tmp_path, "bench1", "max")


def test_a_place_can_be_taken_from_whoever_has_it(tmp_path: Path) -> None:
    acquire(tmp_path, "bench1", "tess")
    release(tmp_path, "bench1", "max", force=True)
    assert holder(tmp_path, "bench1") is None


def _take_and_die(locks: Path) -> None:
    acquire(locks, "bench1", "tess")
    os._exit(9)


def test_a_place_stays_its_holders_when_their_program_dies(tmp_path: Path) -> None:
    process = multiprocessing.get_context("fork").Process(target=_take_and_die, args=(tmp_path,))
    process.start()
    process.join()
    with pytest.raises(PlaceError, match="tess"):
        acquire(tmp_path, "bench1", "max")


def test_a_damaged_lock_is_somebodys_until_it_is_forced(tmp_path: Path) -> None:
    (tmp_path / "bench1.json").write_text("{")
    with pytest.raises(PlaceError, match="release it with --force"):
        acquire(tmp_path, "bench1", "max")
    release(tmp_path, "bench1", "max", force=True)


def test_only_one_program_of_a_person_is_present(tmp_path: Path) -> None:
    with (
        at_place(tmp_path, "bench1", "tess"),
        pytest.raises(NotPlayableError, match="another program of tess uses bench1"),
        at_place(tmp_path, "bench1", "tess"),
    ):
        pass
    assert holder(tmp_path, "bench1") is None


def test_place_that_was_taken_before_run_is_kept_after_it(tmp_path: Path) -> None:
    acquire(tmp_path, "bench1", "tess")
    with at_place(tmp_path, "bench1", "tess"):
        pass
    assert json.loads((tmp_path / "bench1.json").read_text())["owner"] == "tess"


def test_the_commands_take_show_and_give_back(rig: Path) -> None:
    def said(*words: str) -> tuple[int, str]:
        result = CliRunner().invoke(main, ["dev", "rig", *words, "--rig", str(rig)])
        return result.exit_code, result.output

    assert said("places") == (0, "bench1  free\n")
    assert said("acquire", "bench1", "--owner", "tess", "--note", "nightly") == (0, "bench1 is yours, tess\n")
    assert said("places") == (0, "bench1  tess nightly\n")
    assert said("acquire", "bench1", "--owner", "max")[0] == 75
    assert said("release", "bench1", "--owner", "max")[0] == 75
    assert said("acquire", "bench2")[0] == 78
    assert said("release", "bench1", "--owner", "tess") == (0, "bench1 is free\n")
