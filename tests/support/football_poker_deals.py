"""Football Poker rounds played up to a phase, or with one card out, and a draw as events name it."""

from typing import Any

from tablectl.core.cards import Place
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.games.football_poker.state import Phase
from tablectl.core.outcomes import Draw
from tests.support.football_poker import EVEN, Sitting, bet, new_table
from tests.support.poker import next_cards

IN_PLAY = (Phase.DEALING, Phase.LOOKING, Phase.THIRDS, Phase.OPENING)


def dealing_to(*places: Place, dealing: Dealing = Dealing.SHOE, **settings: Any) -> Sitting:
    """A deal with one card, or one packet, out."""
    table = new_table(dealing, **settings).begin(*(bet(place) for place in places))
    next_cards(table, "As")
    return table


def all_dealt(*places: Place, dealing: Dealing = Dealing.SHOE) -> Sitting:
    """A round whose hands have all their cards."""
    return new_table(dealing).begin(*(bet(place) for place in places)).deal()


def in_phase(phase: Phase, dealing: Dealing) -> Sitting:
    """A round with bets on places 1 and 2, of which the second gets a third card, played up to this phase."""
    table = new_table(dealing)
    if phase is Phase.IDLE:
        return table
    table.ready()
    if phase is Phase.DRAWING:
        return table
    table.commit()
    table.show()
    table.does(bet(1), bet(2, EVEN, "bob", 10_00))
    if phase is Phase.BETTING:
        return table
    table.close()
    if phase is Phase.CLOSED:
        return table
    if phase is Phase.DEALING:
        next_cards(table, "As")
        return table
    if phase is Phase.LOOKING:
        return look_needed(table)
    table.deal_two().look()
    if phase is Phase.OPENING:
        table.deal_thirds()
    assert table.phase == phase
    return table


def look_needed(table: Sitting) -> Sitting:
    """Two cards everywhere, some of them not known."""
    if table.state.dealing is Dealing.SHUFFLER:
        return table.deal_two()
    table.draw("As", "4d", None, "Th", "2s", "6d")
    return table


def plain(draw: Draw) -> tuple[str, int]:
    """Series and number as events name them."""
    return draw.series.value, draw.combination


def up_to(when: Phase) -> Sitting:
    """A round played to this phase; the draw is committed."""
    table = new_table()
    if when is Phase.IDLE:
        return table
    table.ready().commit()
    if when is Phase.DRAWING:
        return table
    table.show()
    table.bet()
    return table if when is Phase.BETTING else table.deal()
