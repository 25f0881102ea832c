"""The five games, and which one a seed plays."""

from typing import Final

from tablectl.core.games.thirteen_cards.rules import SETTING_S

GAMES: Final = ("q-poker", "football-poker", "chinese-dice", "thirteen-cards", "wheel-of-fortune")


HURRIED_S: Final = 2
"""How long players have to set their cards where that is short."""


def game_of(seed: int) -> str:
    """The game of a seed, in turn."""
    return GAMES[seed % len(GAMES)]


def setting_s(game: str, seed: int) -> int:
    """How long players have to set their cards: at every other table so short that the time runs out."""
    return HURRIED_S if game == "thirteen-cards" and seed // len(GAMES) % 2 == 1 else SETTING_S


def is_dealt_by_hand(game: str, seed: int) -> bool:
    """Whether the table of a seed has no shoe that reads: one of four where that can be."""
    return game in {"q-poker", "football-poker"} and seed // len(GAMES) % 4 == 3
