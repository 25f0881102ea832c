"""Cards that lie face down."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tablectl.rule_tables import game_record
from tests.simulation.checker.case import Case, Lines
from tests.simulation.history import Form

CARD: Final = re.compile(rb'"[2-9TJQKA][shdc]"')
CARD_IN_TEXT: Final = re.compile('"[2-9TJQKA][shdc]"')
CARD_NAME: Final = re.compile("[2-9TJQKA][shdc]")
NAMES_OF_PEOPLE: Final = frozenset({"bettor", "by"})
CARD_IN_A_LOG: Final = re.compile(r"'([2-9TJQKA][shdc])'")


def cards_are_secret(case: Case) -> Lines:
    """No message of a round and no screen names a card before a person turned it up; no line of the log ever does."""
    up = _turned_up(case)
    for message, form in case.said:
        if not form or "/restricted/" in message.topic or not CARD.search(message.payload):
            continue
        if (card := _too_early(form.get("data"), up[_round_of(form)], message.at_s)) is not None:
            yield f"{card} was told on {message.topic} at {message.at_s:.3f} s, face down"
            return
    for shown in case.history.shown:
        if not CARD_IN_TEXT.search(shown.text):
            continue
        if (card := _too_early(shown.state["round"], up[str(shown.state["round_id"])], shown.at_s)) is not None:
            yield f"{card} was shown at {shown.at_s:.3f} s, face down"
            return
    for at_s, line in case.history.lines:
        if CARD_IN_A_LOG.search(line):
            yield f"the log names a card at {at_s:.3f} s: {line}"
            return


def _round_of(form: Form) -> str:
    """The round that a message is about; an answer to a subscriber says it further inside."""
    inside = form["data"].get("round") if "transaction" in form and "data" in form else None
    return str(inside["round_id"] if inside else form.get("correlationid"))


def _turned_up(case: Case) -> dict[str, dict[str, float]]:
    """Since when each card of a round was face up: since a person asked for what turned it up.

    In a game that is dealt face up it is so since it fell.
    """
    asked = {(word.by, word.request_id): word.at_s for word in case.history.asked}
    is_open = any(game_record(form["data"]["game"]).dealt_open for _, form in case.kinds("round.opened")[:1])
    fell = {card.card: card.at_s for card in reversed(case.history.cards)} if is_open else {}
    up: dict[str, dict[str, float]] = defaultdict(dict)
    for row, form in case.kinds("round.revealed", "card.exposed", "card.shown"):
        fact = case.facts[row.record - 1]
        at_s = asked.get((fact.get("by", ""), fact.get("request_id", "")))
        for card in _cards(form["data"]):
            if (since_s := fell.get(card) if at_s is None else at_s) is not None:
                up[form["subject"]].setdefault(card, since_s)
    return up


def _too_early(form: Any, up: Mapping[str, float], at_s: float) -> str | None:
    return next((card for card in _cards(form) if up.get(card, at_s + 1) > at_s), None)


def _cards(form: Any) -> Iterator[str]:
    """The cards in a form, wherever they stand."""
    if isinstance(form, str):
        if len(form) == 2 and CARD_NAME.fullmatch(form):
            yield form
    elif isinstance(form, Mapping):
        for name, value in form.items():
            if name not in NAMES_OF_PEOPLE:
                yield from _cards(value)
    elif isinstance(form, list):
        for item in form:
            yield from _cards(item)
