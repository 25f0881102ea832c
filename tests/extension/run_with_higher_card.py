# ruff: noqa: PLC0415  # lists are derived on import, so the game has to be there before
"""Runs `tablectl` with high card among the games, the daemon of a demonstration as well.

`python -m tests.extension.run_with_higher_card COMMAND…`, and `simulate SEED…` for the simulation.
"""

import sys
from typing import Final

from tablectl.core import games
from tests.extension import higher_card

games.GAMES = {**games.GAMES, higher_card.NAME: higher_card.LISTED}  # type: ignore[misc]  # the one line of a new game

PROGRAM: Final = (sys.executable, "-m", "tests.extension.run_with_higher_card")


def _simulate(seeds: list[str]) -> None:
    """Prints what the checkers say of these seeds, and how many rounds were settled."""
    from tests.simulation.pool import judged
    from tests.simulation.world import Plan

    for seed in seeds:
        outcome = judged(Plan(int(seed), "higher-card", 60.0))
        sys.stdout.write(f"seed {seed}: settled {outcome.settled}, flaws {outcome.flaws}\n")


def _main() -> None:
    if sys.argv[1:2] == ["simulate"]:
        _simulate(sys.argv[2:])
        return
    from tablectl.cli import main
    from tablectl.features.demo import layout

    layout.DAEMON = (*PROGRAM, "run")  # type: ignore[misc]  # as the program is started here
    main()


if __name__ == "__main__":
    _main()
