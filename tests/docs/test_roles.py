"""The pages for people do what they say: every command that one shows is run, on a table at work."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.machine import Machine, machine
from tests.docs.pages import looks_like, pages, steps
from tests.support.broker import private_broker
from tests.support.demo import PLAIN, evening

ROLES = [name for name in pages() if name.startswith("docs/roles/")]


@pytest.fixture(name="table")
def _table(run_folder: Path, tmp_path: Path, mosquitto: Path) -> Iterator[Machine]:
    for name in ("broker", "machine", "home"):
        (tmp_path / name).mkdir()
    with private_broker(mosquitto, tmp_path / "broker") as broker:
        broker.start()
        with machine(evening(run_folder, PLAIN).folder / "state", tmp_path / "machine", broker) as made:
            yield made


def test_there_is_page_for_each_who_works_with_table() -> None:
    people = ("dealer", "firmware-engineer", "surveillance", "technician", "test-engineer")
    assert [f"docs/roles/{name}.md" for name in people] == ROLES


@pytest.mark.slow
@pytest.mark.parametrize("name", ROLES)
def test_every_command_of_the_page_prints_what_is_shown(name: str, table: Machine, tmp_path: Path) -> None:
    shown = steps(pages()[name])
    printed = table.run(shown, tmp_path / "home")
    assert len(shown) >= 3
    for step, was in zip(shown, printed, strict=True):
        assert looks_like(table.here(step.shown), was), f"$ {step.command}\n{was}"
