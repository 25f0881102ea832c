"""No game is left out of what all are asked."""

from importlib import import_module

import pytest

from tablectl.rule_tables import GAMES
from tests.games.contract.forms import FormsContract
from tests.games.contract.refusals import RefusalContract
from tests.games.contract.totality import TotalityContract
from tests.games.contract.walk import WalkContract


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("name", "contract"),
    [("forms", FormsContract), ("refusals", RefusalContract), ("totality", TotalityContract), ("walk", WalkContract)],
)
def test_every_game_takes_part_in_every_contract(game: str, name: str, contract: type) -> None:
    module = import_module(f"tests.core.games.{game}.test_{name}")
    taking_part = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, contract)]
    assert [each.__name__ for each in taking_part if each is not contract] == [f"Test{name.capitalize()}"]
