"""What a table offers is what it does, in every game: nothing of the law stands anywhere a second time."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import pytest

from tablectl.core.actions.forms import Offer
from tablectl.core.cards import BANKER
from tablectl.core.facts import Body
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.table import Table
from tests.core.games.chinese_dice import test_walk as dice
from tests.core.games.football_poker import test_walk as football
from tests.core.games.q_poker import test_walk as q_poker
from tests.core.games.thirteen_cards import test_walk as thirteen
from tests.core.games.wheel_of_fortune import test_walk as wheel
from tests.support import (
    chinese_dice,
    football_poker,
    football_poker_dealer,
    q_poker_dealer,
    thirteen_cards_dealer,
    wheel_of_fortune,
)
from tests.support import q_poker as q_poker_table
from tests.support.long import first
from tests.support.offered import Way, broken, nothing_to_do, offered, told_too_early
from tests.support.sitting import Sitting


def _q_poker() -> Way[Any]:
    start = q_poker.START
    return Way(
        start.game,
        start.table,
        q_poker.alphabet,
        lambda table: q_poker_dealer.next_body(q_poker_table.Sitting(start.game, table), dealing=Dealing.SHOE),
    )


def _football() -> Way[Any]:
    start = football.START
    return Way(
        start.game,
        start.table,
        football.alphabet,
        lambda table: football_poker_dealer.next_body(football_poker.Sitting(start.game, table)),
    )


def _wheel(name: str, *, confirm: bool) -> Way[Any]:
    start = wheel_of_fortune.new_table(wheel=name, confirm=confirm)
    return Way(
        start.game, start.table, wheel.alphabet, lambda table: wheel_of_fortune.next_body(Sitting(start.game, table))
    )


def _thirteen(which: str) -> Way[Any]:
    start, settings = thirteen.START[which], thirteen.settings(which)
    return Way(
        start.game,
        start.table,
        thirteen.alphabet,
        lambda table: thirteen_cards_dealer.next_body(Sitting(start.game, table), settings),
    )


def _dice() -> Way[Any]:
    game, table = dice.GAME, dice.START.sitting.table

    def alphabet(table: Table[Any]) -> Iterator[Body]:
        """Places by number: their other name stands for the same request."""
        return (body for body in dice.alphabet(table) if getattr(body, "place", 1) != BANKER)

    return Way(game, table, alphabet, lambda table: chinese_dice.next_body(Sitting(game, table), dice.START.settings))


WAYS = {
    "Q Poker": _q_poker(),
    "Football Poker": _football(),
    "Wheel of Fortune with a sensor": _wheel("wheel", confirm=True),
    "Wheel of Fortune by hand": _wheel("", confirm=False),
    "Chinese dice": _dice(),
    "13 Cards with every device": _thirteen(thirteen.WHOLE),
    "13 Cards without a device": _thirteen(thirteen.BARE),
}
AWAITS_A_DEVICE = {"fault"}
"""What only a device brings: the end of a fault that everybody has seen."""

all_games = pytest.mark.parametrize("game", WAYS)
several = pytest.mark.parametrize("seed", first(range(4)))


@cache
def met(game: str, seed: int) -> Sequence[tuple[Table[Any], Sequence[Offer]]]:
    """The tables on one way, each with what is offered there; made once."""
    way = WAYS[game]
    return [(table, offered(way.game, table)) for table in way.tables(seed)]


@all_games
@several
def test_allowed_action_passes_and_refused_one_cites_the_same_article(game: str, seed: int) -> None:
    assert [wrong for table, given in met(game, seed) for wrong in broken(WAYS[game], table, given)] == []


@all_games
@several
def test_something_may_be_done_wherever_no_device_is_awaited(game: str, seed: int) -> None:
    waits = {key for met_here in met(game, seed) if (key := nothing_to_do(WAYS[game].game, *met_here))}
    assert waits <= AWAITS_A_DEVICE


@pytest.mark.parametrize("game", ["Q Poker", "Football Poker", "13 Cards with every device"])
def test_ways_pass_tables_at_which_known_cards_lie_face_down(game: str) -> None:
    way = WAYS[game]
    assert any(way.game.unrevealed(table.game) for table in way.tables(0))


@all_games
@several
def test_no_card_that_lies_face_down_stands_in_an_action(game: str, seed: int) -> None:
    assert [card for met_here in met(game, seed) for card in told_too_early(WAYS[game].game, *met_here)] == []
