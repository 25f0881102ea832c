"""A round that nobody has bet in is ended by the dealer, in every game."""

import pytest

from tablectl.core import fold
from tablectl.core.actions.authority import Need, need_of
from tablectl.core.events.round import Voided
from tablectl.core.facts.table_requests import RoundEnded
from tests.core.test_offers import WAYS
from tests.support.sitting import events, fact, refused


@pytest.mark.parametrize("game", WAYS)
def test_dealer_alone_ends_open_round_exactly_where_no_bet_lies(game: str) -> None:
    way = WAYS[game]
    ended, refusals = 0, set[str]()
    for table in (table for seed in range(4) for table in way.tables(seed, 200)):
        asked = fact(RoundEnded(), table.records)
        after, effects = fold.step(way.game, table, asked)
        if (no := refused(effects)) is None:
            ended += 1
            (void,) = (event for event in events(effects) if isinstance(event, Voided))
            assert (void.article, void.reason) == ("table", "no_bets")
            assert not table.game.bets
            assert need_of(way.game, table, asked) is Need.ANY
            assert way.game.round_id(after.game) is None
        else:
            refusals.add(no[1])
            assert (no[1] == "bets_placed") == bool(table.game.bets)
            assert after.game == table.game
    assert ended
    assert refusals >= {"bets_placed", "no_round"}
