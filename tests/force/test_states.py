"""Power cuts at the level of files: whatever a cut leaves, the journal opens and holds all that was told.

Two thousand states here, thirty thousand by `make force`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.force.crashes import Disk, Model, Rename, Write, whole_lines
from tests.force.crashes import Name as Named
from tests.force.players import PLANS
from tests.force.states import Bench, history
from tests.force.sweep import Arena
from tests.support.long import by_turn

Arenas = Callable[..., Arena]

STATES: Final = {False: 120, True: 40}
"""For each game and model: of a life from its first start, and of a start that takes another key into use."""


@pytest.mark.parametrize("game", by_turn(PLANS))
def test_no_power_cut_loses_what_was_told(arena: Arenas, room: Path, game: str) -> None:
    table = arena(game)
    for changes_key, most in STATES.items():
        lived = history(table, f"key-{changes_key}", changes_key=changes_key)
        for model in (Model.POSIX, Model.EXT4):
            seen = Bench(lived, room / "state").judge(model, most)
            assert seen.wrong == ()
            assert seen.states == most
            assert seen.told >= 20  # a cut before anybody was told of anything shows little


# --- that this proof can fail


@pytest.mark.parametrize("model", [Model.POSIX, Model.EXT4])
def test_a_commit_that_need_not_reach_the_disk_is_caught(arena: Arenas, room: Path, model: Model) -> None:
    seen = Bench(history(arena("q-poker", "synchronise_less"), "lazy"), room / "state").judge(model, 40)
    assert any("records were promised" in line for line in seen.wrong), seen.wrong


def test_disk_that_does_not_write_what_it_says_is_caught(arena: Arenas, room: Path) -> None:
    seen = Bench(history(arena("q-poker"), "lied to"), room / "state").judge(Model.LIAR, 40)
    assert any("records were promised" in line for line in seen.wrong), seen.wrong


def test_a_key_whose_place_was_never_synced_is_caught(arena: Arenas, room: Path) -> None:
    seen = Bench(history(arena("q-poker", "forget_the_folder"), "forgotten"), room / "state").judge(Model.POSIX, 100)
    assert any("log.key" in line or "log.pub" in line for line in seen.wrong), seen.wrong


def test_call_interrupted_by_another_thread_is_read_as_one() -> None:
    lines = ["7  pwrite64(3<x>, 1 <unfinished ...>", "8  close(4) = 0", "7  <... pwrite64 resumed>, 2) = 5"]
    assert list(whole_lines(lines)) == ["8  close(4) = 0", "7 pwrite64(3<x>, 1, 2) = 5"]


def test_a_file_follows_its_names() -> None:
    disk = Disk()
    for change in (Named("new", 1), Write(1, 2, b"ab"), Named("old", 2), Rename("new", "old")):
        disk.do(change)
    assert disk.content() == {"old": b"\0\0ab"}
    disk.do(Named("old", None))
    assert disk.content() == {}
