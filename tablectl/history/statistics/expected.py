"""Results of each game's rounds, and their exact chances where they can be given.

There is one count of a round for each kind, so that counts are independent and a binomial range holds for them. What
depends on how people play or set their cards has no chance here.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from enum import StrEnum
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any, Final, TypeVar

from tablectl.core.cards import PACK
from tablectl.core.game_step import Game
from tablectl.core.outcomes import COMBINATIONS, FACES, Series
from tablectl.history.explain.model import Form, inside, items_of, listed
from tablectl.lazy_dataclass import dataclass

E = TypeVar("E", bound=StrEnum)

Chances = Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class Kind:
    """One thing that is counted in each settled round.

    Args:
        name: what is counted.
        family: below which keys the names of its outcomes stand in the catalogue.
        of: the outcome, from the settlement and the sections that the wheel showed; None where there is none.
        chances: of each outcome; what isn't in it has no known chance.
    """

    name: str
    family: str
    of: Callable[[Form, int | None], str | None]
    chances: Chances


def kinds_of(game: Any) -> tuple[Kind, ...]:
    """The kinds of result counted in this game, with the chances under its rules.

    No other game is imported; there are none where nobody has worked chances out.
    """
    match game.name:
        case "q_poker":
            return (hands(),)
        case "football_poker":
            totals = _totals(game)
            drawn = {f"{series.value}_{number}": Fraction(1, 16) for series in Series for number in _NUMBERS}
            return (
                Kind("draws", "draw", _draw, drawn),
                Kind("totals", "hand", _common_total, _shares({str(each): n for each, n in totals.items()})),
            )
        case "wheel_of_fortune":
            sections = game.rules.sections
            symbols = {f"symbol_{nth}": Fraction(count, sum(sections)) for nth, count in enumerate(sections, 1)}
            each = {str(nth): Fraction(1, sum(sections)) for nth in range(1, sum(sections) + 1)}
            return Kind("symbols", "bet", _symbol, symbols), Kind("sections", "section", _section, each)
        case "chinese_dice":
            return (Kind("throws", "combination", _bankers_throw, _decisive()),)
        case "thirteen_cards":
            return (naturals(),)
        case _:
            return ()


@cache
def hands() -> Kind:
    """Dealer's hands of Q Poker."""
    return Kind("hands", "hand", _dealers_hand, _three_cards())


@cache
def naturals() -> Kind:
    """Banker's naturals of 13 Cards."""
    return Kind("naturals", "natural", _bankers_natural, _naturals())


def chances_of(game: Game[Any]) -> Chances:
    """The chance of each result of a round, by its name on the history board.

    Working it out takes a tenth of a second.
    """
    return next((kind.chances for kind in kinds_of(game)), dict[str, Fraction]())


_NUMBERS: Final = range(1, COMBINATIONS + 1)


def _shares(counts: Mapping[str, int]) -> Chances:
    total = sum(counts.values())
    return {name: Fraction(count, total) for name, count in counts.items()}


def _in_order(counts: Mapping[E, int], order: type[E]) -> Chances:
    """The shares in the law's order, which is that of the enum."""
    return _shares({str(each): counts[each] for each in order})


def _totals(game: Any) -> Mapping[int, int]:
    from tablectl.core.games.football_poker.odds import count_totals

    totals: Counter[int] = Counter()
    for (total, _), ways in count_totals(game.settings.packs, game.rules).items():
        totals[total] += ways
    return totals


@cache
def _three_cards() -> Chances:
    """How likely each combination is in three cards of one pack."""
    from tablectl.core.games.q_poker.hands import Combination, combination_of, rank_hand

    return _in_order(Counter(combination_of(rank_hand(hand)) for hand in combinations(PACK, 3)), Combination)


@cache
def _decisive() -> Chances:
    """The chance of each throw that decides.

    Throwing until one does gives all the same chance.
    """
    from tablectl.core.games.chinese_dice.hands import DICE, Combination, combination

    made = (combination(throw) for throw in product(FACES, repeat=DICE))
    return _in_order(Counter(each for each in made if each is not None), Combination)


@cache
def _naturals() -> Chances:
    """The chances of the naturals that don't depend on how the cards are set.

    A dragon is no six and a half pairs.
    """
    from tablectl.core.games.thirteen_cards.hands import Natural
    from tablectl.core.games.thirteen_cards.odds import Pack, count_naturals

    pack = Pack()
    counts = count_naturals(pack)
    return {str(name): Fraction(counts[name], pack.hands) for name in (Natural.DRAGON, Natural.SIX_AND_A_HALF_PAIRS)}


def _dealers_hand(settled: Form, _section: int | None) -> str | None:
    return inside(inside(settled, "settlement"), "dealer").get("hand")


def _draw(settled: Form, _section: int | None) -> str | None:
    draw = inside(inside(settled, "round"), "draw")
    return f"{draw['series']}_{draw['combination']}" if draw else None


def _common_total(settled: Form, _section: int | None) -> str | None:
    places = listed(inside(settled, "settlement"), "places")
    return next((str(place["total"]) for place in places if place.get("place") == "common"), None)


def _symbol(settled: Form, _section: int | None) -> str | None:
    symbol = inside(inside(settled, "round"), "spin").get("symbol")
    return f"symbol_{symbol}" if symbol else None


def _section(_settled: Form, section: int | None) -> str | None:
    return str(section) if section else None


def _bankers_throw(settled: Form, _section: int | None) -> str | None:
    return inside(inside(settled, "settlement"), "banker").get("combination")


def _bankers_natural(settled: Form, _section: int | None) -> str | None:
    banker = inside(inside(settled, "settlement"), "banker")
    return str(banker.get("natural") or "no_natural") if items_of(banker.get("rows")) else None
