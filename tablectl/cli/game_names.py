"""The games as people type them: `q-poker` and `q_poker` are one."""

from typing import Final

GAMES: Final = ("q_poker", "football_poker", "wheel_of_fortune", "chinese_dice", "thirteen_cards")
"""As configurations and rounds write them."""

_HYPHENATED: Final = {game.replace("_", "-"): game for game in GAMES}


def underlined(name: str) -> str:
    """Takes `q-poker` for `q_poker`; other words stay as they are."""
    return _HYPHENATED.get(name, name)
