"""The only list of the games, one package each; no game knows another."""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Listed(NamedTuple):
    """Where the parts of a game are, which are imported with their first use.

    Args:
        record: its record, as `<module>:<name>`.
        section: the model of its section of the configuration, likewise.
        texts: the folder of its own catalogues, one for each language; empty where the common ones have its texts.
    """

    record: str
    section: str
    texts: str = ""


_GAMES, _SECTIONS = "tablectl.core.games", "tablectl.config.games"

GAMES: Final[Mapping[str, Listed]] = {
    "q_poker": Listed(f"{_GAMES}.q_poker.game:GAME", f"{_SECTIONS}:QPokerSection"),
    "football_poker": Listed(f"{_GAMES}.football_poker.game:GAME", f"{_SECTIONS}:FootballPokerSection"),
    "wheel_of_fortune": Listed(f"{_GAMES}.wheel_of_fortune.game:GAME", f"{_SECTIONS}:WheelOfFortuneSection"),
    "chinese_dice": Listed(f"{_GAMES}.chinese_dice.game:GAME", f"{_SECTIONS}:ChineseDiceSection"),
    "thirteen_cards": Listed(f"{_GAMES}.thirteen_cards.game:GAME", f"{_SECTIONS}:ThirteenCardsSection"),
}
"""The games that a table can be set up to play, by name."""
