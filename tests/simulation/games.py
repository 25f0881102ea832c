"""The five games, and which one a seed plays."""

from typing import Final

GAMES: Final = ("q-poker", "football-poker", "chinese-dice", "thirteen-cards", "wheel-of-fortune")


def game_of(seed: int) -> str:
    """The game of a seed, in turn."""
    return GAMES[seed % len(GAMES)]


def is_dealt_by_hand(game: str, seed: int) -> bool:
    """Whether the table of a seed has no shoe that reads: one of four where that can be."""
    return game in {"q-poker", "football-poker"} and seed // len(GAMES) % 4 == 3
