"""Whether the checker notices a daemon that breaks a promise: it is only worth as much as what it catches."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Final

import pytest

from tests.simulation.checker import RULES
from tests.simulation.mutants import MUTANTS
from tests.simulation.pool import first_caught, one_process
from tests.support.long import spread

WITHIN: Final = 60
"""Seeds within which every one has to be caught, where its own seed no longer does it."""

OF_THE_RUN: Final = frozenset({"program_is_sound", "something_happened"})
"""What is asked of a run itself, whatever the daemon does."""


@pytest.fixture(name="process", scope="module")
def _process() -> Iterator[ProcessPoolExecutor]:
    with one_process() as pool:
        yield pool


@pytest.mark.parametrize("name", spread(MUTANTS, 3))
def test_a_daemon_that_does_one_thing_wrongly_is_caught(process: ProcessPoolExecutor, name: str) -> None:
    assert process.submit(first_caught, name, WITHIN).result() is not None


def test_every_rule_has_a_daemon_that_breaks_it() -> None:
    broken = set().union(*(mutant.caught_by for mutant in MUTANTS.values()))
    assert {rule.__name__ for rule in RULES} - broken <= OF_THE_RUN
