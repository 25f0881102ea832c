"""The exact odds of every bet, game by game: how long a person waits for `tablectl odds`.

The floor is C's own enumeration of as many hands of five as a pack has, in the same process: 2,598,960.
"""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Final

from bench.figures import Figure
from tablectl.core.cards import PACK
from tablectl.core.games.chinese_dice.odds import chinese_dice_odds
from tablectl.core.games.q_poker.odds import q_poker_odds
from tablectl.core.games.thirteen_cards.odds import thirteen_cards_odds
from tablectl.core.games.wheel_of_fortune.odds import wheel_of_fortune_odds
from tablectl.rule_tables import load_rules

MOST_S: Final = 2.0
ODDS: Final[Mapping[str, Callable[[], object]]] = {
    "Wheel of Fortune": lambda: wheel_of_fortune_odds(load_rules("wheel_of_fortune")),
    "Chinese dice": lambda: chinese_dice_odds(load_rules("chinese_dice")),
    "13 Cards": thirteen_cards_odds,
    "Q Poker, best play": lambda: q_poker_odds(load_rules("q_poker")),
}


def measure(games: int = len(ODDS)) -> Sequence[Figure]:
    """Processor seconds for the odds of the first so many games."""
    floor_s = _took_s(lambda: deque(combinations(PACK, 5), maxlen=0))
    return [Figure(game, _took_s(ODDS[game]), "s", floor_s, target=MOST_S) for game in [*ODDS][:games]]


def _took_s(computed: Callable[[], object]) -> float:
    begun_s = time.process_time()
    computed()
    return time.process_time() - begun_s
