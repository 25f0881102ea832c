"""What lay in the last round lies again, bettor by bettor, in every game."""

import pytest

from tablectl.core import fold
from tablectl.core.events.round import BetPlaced
from tablectl.core.facts.table_requests import BetsRepeated
from tests.core.test_offers import WAYS
from tests.support.sitting import events, fact, refused


@pytest.mark.parametrize("game", WAYS)
def test_last_rounds_bets_are_repeated_whole_or_not(game: str) -> None:
    way = WAYS[game]
    repeated, refusals = 0, set[str]()
    for table in (table for seed in range(4) for table in way.tables(seed, 200)):
        for bettor in dict.fromkeys(["nobody", *(bet.bettor for bet in table.last_bets)]):
            after, effects = fold.step(way.game, table, fact(BetsRepeated(bettor), table.records))
            if (no := refused(effects)) is not None:
                refusals.add(no[1])
                assert after.game == table.game
                continue
            repeated += 1
            own = [bet for bet in table.last_bets if bet.bettor == bettor]
            placed = [event for event in events(effects) if isinstance(event, BetPlaced)]
            assert [(bet.place, bet.bet) for bet in own] == [(event.place, event.bet) for event in placed]
            assert sum(bet.stake for bet in own) == sum(b.stake for b in after.game.bets if b.bettor == bettor)
    assert repeated
    assert refusals >= {"no_bets_before", "no_round"}
