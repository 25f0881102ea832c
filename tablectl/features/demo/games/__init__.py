"""The demonstrations of the games, one module each."""

from importlib import import_module
from typing import Any

from tablectl.features.demo.script import Act
from tablectl.rule_tables import game_record


def act_of(name: str) -> Act[Any]:
    """How a game is demonstrated.

    Args:
        name: as the command line gives it, such as `q-poker`.
    """
    game = name.replace("-", "_")
    record = game_record(game)
    module = import_module(record.demo)
    return Act(record.table, f"game.{game}", module.plans, module.play, getattr(module, "rules_at", None))
