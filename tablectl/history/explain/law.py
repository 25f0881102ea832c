"""The articles that a game's events follow where they name none themselves.

They are for a reader who has the law open beside a round.
"""

from tablectl import words
from tablectl.rule_tables import GAMES, game_record
from tablectl.words import Language


def rule_of(game: str, kind: str) -> str:
    """The articles for an event of this kind, as `round.settled.v1`.

    Empty where there are none.
    """
    return game_record(game).articles.get(kind.rpartition(".")[0], "") if game in GAMES else ""


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
