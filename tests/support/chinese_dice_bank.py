"""Chinese Dice rounds of one bank and a few bets, for its settlement alone."""

from tablectl.core.games.chinese_dice.settlement import Banker, Bet, Place, Round, SettledBet, Settlement, settle
from tablectl.core.outcomes import Throw
from tablectl.rule_tables import load_rules

RULES = load_rules("chinese_dice")

STORM, TRIPLE, LOSS = (4, 5, 6), (2, 2, 2), (3, 1, 2)
PAIR = {odd: (odd, 5, 5) if odd != 5 else (1, 1, 5) for odd in range(1, 7)}


def one_place(banker: Throw, throw: Throw | None, *stakes: int, capital: int = 1_000_000) -> Round:
    """Place 2 with these bets against the bank at place 1."""
    bets = tuple(Bet("a", stake) for stake in stakes)
    return Round(Banker(1, "b", capital, (banker,)), 0, (), (Place(2, bets, (throw,) if throw is not None else ()),))


def bets_of(settled: Settlement) -> list[SettledBet]:
    """All bets of all places."""
    return [bet for place in settled.places for bet in place.bets]


def nets(settled: Settlement) -> list[int]:
    """What each bet brought."""
    return [bet.net for bet in bets_of(settled)]


def bank_of_1000(*turns: tuple[int, int, Throw | None], banker: Throw = PAIR[3]) -> Settlement:
    """Places with one bet each, settled against a bank of 10.00 at place 6; a turn is place, stake and throw."""
    places = tuple(
        Place(place, (Bet("a", stake),) if stake else (), (throw,) if throw is not None else ())
        for place, stake, throw in turns
    )
    return settle(Round(Banker(6, "b", 1_000, (banker,)), 0, (), places), RULES)
