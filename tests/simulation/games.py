"""The five games, and which one a seed plays."""

from typing import Final

GAMES: Final = ("q-poker", "football-poker", "chinese-dice", "thirteen-cards", "wheel-of-fortune")


def game_of(seed: int) -> str:
    """The game of a seed, in turn."""
    return GAMES[seed % len(GAMES)]
