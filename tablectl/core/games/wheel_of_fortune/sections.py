"""The sections of the wheel and the bets on the symbols that they show."""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from tablectl.core.json_form import FormError, choices_of

SECTIONS: Final = 52
"""Sections between the pegs of the rim. Rule: 42/2003 art. 1(2)."""

SYMBOLS: Final = 7
"""Symbols, numbered from 1 in the order of the law. Rule: 42/2003 art. 1(2)."""


class BetName(StrEnum):
    """Bets on the layout: one for each symbol, in the order of the law.

    Rule: 42/2003 art. 3(1).
    """

    SYMBOL_1 = "symbol_1"
    SYMBOL_2 = "symbol_2"
    SYMBOL_3 = "symbol_3"
    SYMBOL_4 = "symbol_4"
    SYMBOL_5 = "symbol_5"
    SYMBOL_6 = "symbol_6"
    SYMBOL_7 = "symbol_7"


BET_NAMES: Final = choices_of(BetName)
"""The kinds of bet by the names that requests and forms give them."""

_SYMBOL_OF: Final = {bet: symbol for symbol, bet in enumerate(BetName, 1)}


def symbol_of(bet: BetName) -> int:
    """The symbol, 1 to 7, that wins the bet.

    Rule: 42/2003 art. 3(1) and 5. The sixth and the seventh are two bets, each on one section.
    """
    return _SYMBOL_OF[bet]


def count_sections(layout: Sequence[int]) -> tuple[int, ...]:
    """How many sections of a wheel show each symbol, the first symbol's at index 0.

    Rule: 42/2003 art. 1(2), which fixes these counts but not where around the rim a symbol stands.

    Args:
        layout: the symbol of every section, 1 to 7, once around the rim.
    """
    shown = Counter(layout)
    return tuple(shown[symbol] for symbol in range(1, SYMBOLS + 1))


def check_layout(layout: Sequence[int], sections: Sequence[int]) -> None:
    """Sees that the rim shows each symbol as often as the rule table says.

    Rule: 42/2003 art. 1(2).

    Args:
        layout: the symbol of every section, once around the rim.
        sections: how many of them show each symbol, by the rule table.

    Raises:
        FormError: it doesn't.
    """
    if len(layout) != sum(sections) or count_sections(layout) != tuple(sections):
        expected = ", ".join(map(str, sections))
        raise FormError("layout", f"{expected} sections of the symbols 1 to {SYMBOLS} are expected")
