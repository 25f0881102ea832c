"""What an Angel Eye shoe reports of a card, and the facts that follow."""

from drivers.shoe import reports
from drivers.shoe.reports import Target
from tablectl.core.cards import parse_card
from tablectl.core.facts import Body, FaultCleared, FaultRaised
from tablectl.core.facts.reports import CardDrawn
from tablectl.core.faults import Code

NAME = "shoe"
UNSURE = CardDrawn(NAME, None)
"""A card that came, but not which."""


def card(text: str) -> CardDrawn:
    """The fact that this card becomes."""
    return CardDrawn(NAME, parse_card(text), in_game=True, target="player", index=1)


def drawn(text: str) -> reports.CardDrawn:
    """The shoe's report of this card."""
    return reports.CardDrawn(in_game=True, target=Target.PLAYER, index=1, card=text)


def momentary(code: Code, detail: str = "") -> list[Body]:
    """A fault that is over as soon as it was told."""
    return [FaultRaised(code, NAME, detail), FaultCleared(code, NAME)]
