"""Each game's dispatch table: every rule takes the fact that it stands for, and no fact is without an answer."""

from typing import Any, get_args, get_type_hints

import pytest

from tablectl.core.effects import Refuse
from tablectl.core.events.text import saying
from tablectl.core.facts import Body, Fact, Stamp
from tablectl.core.facts.table_requests import FaultAcknowledged, MaterialNamed, Request, RoundCorrected
from tablectl.core.games.chinese_dice import game as chinese_dice
from tablectl.core.games.football_poker import game as football_poker
from tablectl.core.games.q_poker import game as q_poker
from tablectl.core.games.thirteen_cards import game as thirteen_cards
from tablectl.core.games.wheel_of_fortune import game as wheel_of_fortune
from tablectl.core.step import Step, apply_rule
from tablectl.core.table import Table

RULES = {
    module.__name__.split(".")[-2]: module.RULES
    for module in (q_poker, football_poker, wheel_of_fortune, chinese_dice, thirteen_cards)
}


def answered(rules: Any, body: Any) -> Any:
    """What the game makes of a fact in a state that no rule knows."""
    step = Step("any_game", Table("as it was"), Fact(body, Stamp(0, 0, ""), "test"), None, None)
    return apply_rule(rules, step)


def made(kind: type) -> Any:
    """A fact of this type, without its fields: dispatch looks at nothing else."""
    return object.__new__(kind)


@pytest.mark.parametrize("game", RULES)
def test_every_rule_takes_the_fact_it_stands_for(game: str) -> None:
    for kind, rule in RULES[game].items():
        takes = list(get_type_hints(rule).values())[1]
        assert kind is takes or kind in get_args(takes), rule.__qualname__


@pytest.mark.parametrize("game", RULES)
def test_a_game_names_only_facts(game: str) -> None:
    assert set(RULES[game]) <= set(get_args(Body))


@pytest.mark.parametrize("game", RULES)
def test_a_fact_that_a_game_does_not_name_moves_nothing(game: str) -> None:
    for kind in set(get_args(Body)) - set(RULES[game]):
        state, effects = answered(RULES[game], made(kind))
        refused = (Refuse("table", "not_played_here", saying("refuse.any_game.not_played_here")),)
        asked = kind in set(get_args(Request)) - {FaultAcknowledged, RoundCorrected, MaterialNamed}
        assert (state, effects) == ("as it was", refused if asked else ()), kind
