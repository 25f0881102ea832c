"""Football Poker rounds with a committed draw, and a draw as events name it."""

from tablectl.core.games.football_poker.state import Phase
from tablectl.core.outcomes import Draw
from tests.support.football_poker import Sitting, new_table


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
