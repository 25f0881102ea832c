"""Evenings with amended mistakes beside the same ones without: 25 short ones of each game.

`make proof` plays 10,000 whole ones.
"""

from pathlib import Path

import pytest

from tests.referee.amended import TABLES, VERSIONS, compared
from tests.referee.comparing import TIMES

EVENINGS, ROUNDS = 25 * TIMES, 7


@pytest.mark.parametrize("seed", range(EVENINGS // VERSIONS))
@pytest.mark.parametrize("game", TABLES)
def test_amended_mistakes_leave_everybody_the_same_money(game: str, seed: int, tmp_path: Path) -> None:
    count = compared(game, seed, tmp_path, ROUNDS)
    assert count.made
    assert count.when
