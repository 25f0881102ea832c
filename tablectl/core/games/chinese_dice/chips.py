"""Chips on the spaces of a Chinese dice table: article 4.

The bets of a space are settled in the order placed.
"""

from functools import reduce

from tablectl.core.bets.stakes import Bet, Bets, Named
from tablectl.core.bets.stakes import lift as lift_all
from tablectl.core.cards import Place
from tablectl.core.facts.table_requests import BetOffered
from tablectl.lazy_dataclass import replace


def lay(bets: Bets, offered: BetOffered) -> Bets:
    """The bets with these chips.

    They add up with the bettor's own where nobody else has bet on the space since. Otherwise they are a bet of their
    own: with an earlier bet's rank they would be paid before chips that lay there first.

    Rule: 108/89/M art. 4(c), 4(e); reading 7.
    """
    return _put(bets, Bet(offered.place, offered.bettor, offered.bet, offered.stake))


def lift(bets: Bets, named: Named) -> Bets:
    """Return the bets without any chips of this bettor on this space.

    Chips of another bettor that they separated are one bet again.

    Rule: 108/89/M art. 4(c), 4(e); reading 7.
    """
    return reduce(_put, lift_all(bets, named), ())


def gathered(bets: Bets) -> Bets:
    """Of each bettor all chips on a space as one bet, in the order first placed."""
    whole: dict[tuple[Place, str, str], Bet] = {}
    for bet in bets:
        key = bet.place, bet.bettor, bet.bet
        whole[key] = replace(bet, stake=bet.stake + whole[key].stake) if key in whole else bet
    return tuple(whole.values())


def _put(bets: Bets, new: Bet) -> Bets:
    backwards = reversed(range(len(bets)))
    last = next((nth for nth in backwards if (bets[nth].place, bets[nth].bet) == (new.place, new.bet)), None)
    if last is None or bets[last].bettor != new.bettor:
        return (*bets, new)
    grown = replace(bets[last], stake=bets[last].stake + new.stake)
    return (*bets[:last], grown, *bets[last + 1 :])
