"""The articles that a game's events follow where they name none themselves.

They are for a reader who has the law open beside a round.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tablectl import words
from tablectl.words import Language

RULES: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "q_poker": {
            "round.opened": "6(4)",
            "bet.placed": "5(1), 6(1)",
            "bet.withdrawn": "6(2)",
            "round.betting_closed": "6(2)",
            "card.dealt": "7",
            "round.revealed": "9(1), 9(3)",
            "round.decided": "9(2), 9(3)",
            "round.settled": "8, 9, 10",
        },
        "football_poker": {
            "draw.committed": "3, 6(1)",
            "draw.shown": "6(1)",
            "round.opened": "6(2)",
            "bet.placed": "4, 5",
            "bet.withdrawn": "6(3)",
            "round.betting_closed": "6(3)",
            "card.dealt": "6(3), 6(4), 10(1)",
            "round.revealed": "9, 10",
            "round.settled": "9, 10, 11, 12",
        },
        "wheel_of_fortune": {
            "round.opened": "2",
            "bet.placed": "3",
            "bet.withdrawn": "2",
            "round.betting_closed": "2",
            "wheel.started": "4(1)",
            "wheel.stopped": "4(3), 5",
            "wheel.invalid": "4(3), 4(4)",
            "round.settled": "5, 6",
        },
        "chinese_dice": {
            "round.opened": "4(a)",
            "bet.placed": "2(f), 3(b), 4(c)",
            "bet.withdrawn": "2(f)",
            "round.betting_closed": "2(f)",
            "round.decided": "4",
            "dice.thrown": "2(a), 2(d), 2(e)",
            "round.settled": "4(c), 5, 6, 7(b)",
        },
        "thirteen_cards": {
            "bet.placed": "2(c), 3, 5",
            "bet.withdrawn": "2(c)",
            "round.betting_closed": "2(c)",
            "dice.thrown": "2(b)",
            "card.dealt": "2(b)",
            "round.revealed": "2(d)",
            "round.decided": "2(d)",
            "round.settled": "7, 8, 9, 10, 11",
        },
    }
)
"""Game, then the kind of an event without its version, then the articles of the game's regulation."""


def rule_of(game: str, kind: str) -> str:
    """The articles for an event of this kind, as `round.settled.v1`.

    Empty where there are none.
    """
    return RULES.get(game, {}).get(kind.rpartition(".")[0], "")


def cited(article: str, rule: str, law: str, language: Language) -> str:
    """An article in words: the event's own, else those that it follows.

    Empty without either.

    Args:
        law: the regulation, as `89/2004`.
    """
    if article == "table":
        return words.text("explain.house_rule", language)
    if found := article or rule:
        return words.text("explain.rule", language, law=law, article=found)
    return ""
