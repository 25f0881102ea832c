"""A daemon that is watched begins with everything full that fills up once, so that what still grows is a leak.

The rounds that a table remembers and the sayings that it has rendered are fewer, so that they are all there within the
run's first seconds; what keeps answers that are all of one size (pydantic's texts, sums of money, hands) has as many as
it takes. That the limits hold with the true numbers is what `--virtual` shows.
"""

import json
from functools import lru_cache
from itertools import combinations
from typing import Any, Final

import pydantic_core

from tablectl.core import cards, money
from tablectl.core.bets import results
from tablectl.core.games.q_poker import hands
from tablectl.history import board
from tablectl.journal import encoding

ROUNDS: Final = 24
"""Remembered in place of 256 and 200: no fewer than a board shows."""

SAYINGS: Final = 16
"""Rendered ones in place of 512: they take more or less, by what is said."""

TEXTS: Final = 200_000
"""Enough to fill each of the 16,384 places in which pydantic keeps a short text that it has read."""


def fill() -> None:
    """Fills what there is, before the daemon begins."""
    rendered = lru_cache(maxsize=SAYINGS)(vars(encoding)["_in_all_languages"].__wrapped__)
    fewer = (results, "ROUNDS_KEPT", ROUNDS), (board, "COUNTED", ROUNDS), (encoding, "_in_all_languages", rendered)
    for module, name, value in fewer:
        setattr(module, name, value)
    pydantic_core.from_json(json.dumps([f"{number:016x}" for number in range(TEXTS)]))
    for hand in combinations(cards.PACK, 3):
        hands.rank_hand(hand)
    for number in range(_places(money.format_money)):
        money.parse_money(money.format_money(100 * number))


def _places(kept: Any) -> int:
    """How many answers an `lru_cache` keeps."""
    return int(kept.cache_parameters()["maxsize"])
