import doctest
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tablectl.core.games.chinese_dice import hands as throws
from tablectl.core.games.chinese_dice import settlement as chinese_dice
from tablectl.core.games.football_poker import hands as totals
from tablectl.core.games.football_poker import settlement as football_poker
from tablectl.core.games.q_poker import hands as q_poker_hands
from tablectl.core.games.q_poker import settlement as q_poker
from tablectl.core.games.thirteen_cards import hands as tiers
from tablectl.core.games.thirteen_cards import settlement as thirteen_cards
from tablectl.core.games.wheel_of_fortune import settlement as wheel_of_fortune

SETTLED = [each.settle for each in (q_poker, football_poker, wheel_of_fortune, chinese_dice, thirteen_cards)]
RANKED = [
    q_poker_hands.rank_hand,
    totals.total_of,
    throws.rank_throw,
    tiers.rank_three,
    tiers.rank_five,
    tiers.rank_rows,
    tiers.natural,
]


@pytest.mark.parametrize(
    "function", [*SETTLED, *RANKED], ids=lambda function: f"{function.__module__}.{function.__name__}"
)
def test_the_examples_of_a_rule_give_what_they_say(function: Callable[..., Any]) -> None:
    (examples,) = doctest.DocTestFinder(recurse=False).find(
        function, globs=vars(sys.modules[function.__module__]).copy()
    )
    assert sum(bool(example.want) for example in examples.examples) >= 2
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(examples, out=report.append)
    assert not report, "".join(report)
