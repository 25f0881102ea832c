"""The same bets again: what a bettor had on the table in the last round."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from tablectl.core.bets.stakes import Bets
from tablectl.core.effects import Effects, Refuse, refusal
from tablectl.core.events import Event
from tablectl.core.events.round import Settled, Voided
from tablectl.core.facts import Fact
from tablectl.core.facts.table_requests import BetOffered, BetsRepeated
from tablectl.core.table import Table
from tablectl.lazy_dataclass import replace

S = TypeVar("S")


def bets_repeated(
    game: str, take: Callable[[Table[S], Fact], tuple[S, Effects]], table: Table[S], fact: Fact, asked: BetsRepeated
) -> tuple[S, Effects]:
    """Offer a bettor's bets of the last round again: all of them lie, or none.

    They are offered in the order in which they were placed.

    Args:
        take: the game's own step, which says what law and house allow.
    """
    own = [bet for bet in table.last_bets if bet.bettor == asked.bettor]
    laid: Bets = getattr(table.game, "bets", ())
    if not own:
        return table.game, (refusal(game, "table", "no_bets_before", bettor=asked.bettor),)
    if any(bet.bettor == asked.bettor for bet in laid):
        return table.game, (refusal(game, "table", "bets_lie_already", bettor=asked.bettor),)
    state = table.game
    effects: Effects = ()
    for bet in own:
        offered = BetOffered(bet.place, bet.bettor, bet.bet, bet.stake)
        state, said = take(replace(table, game=state), replace(fact, body=offered))
        if any(isinstance(effect, Refuse) for effect in said):
            return table.game, said
        effects += said
    return state, effects


def last_bets(before: Bets, events: Iterable[Event], laid: Bets) -> Bets:
    """The bets that can be repeated after these events.

    They are those of the last round in which any lay.

    Args:
        before: those that could be until now.
        laid: on the table before the events.
    """
    over = any(isinstance(event, Settled | Voided) for event in events)
    return laid if over and laid else before
