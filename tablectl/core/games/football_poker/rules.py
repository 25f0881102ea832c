"""Numbers that the regulation of Football Poker fixes, read from its rule table."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from enum import StrEnum
from functools import partial
from types import MappingProxyType
from typing import Final, TypeVar

from tablectl.core.bets.ratios import Ratio, ratio_in, share_in
from tablectl.core.cards import RANKS
from tablectl.core.games.football_poker.hands import LAW_VALUES, VALUES, Cards, total_of
from tablectl.core.json_form import Fields, FormError, Json, choices_of, each_in, object_of, read_at, text_in
from tablectl.core.outcomes import COMBINATIONS, Series
from tablectl.lazy_dataclass import dataclass


class BetName(StrEnum):
    """Kind of bet.

    Rule: 41/2003 art. 4.
    """

    UPPER_RANGE = "upper_range"
    LOWER_RANGE = "lower_range"
    EVEN = "even"
    ODD = "odd"
    POST = "post"


BET_NAMES: Final = choices_of(BetName)
"""The kinds of bet by the names that requests and forms give them."""

E = TypeVar("E", bound=StrEnum)

RANGES: Final = (BetName.UPPER_RANGE, BetName.LOWER_RANGE)


class Missed(StrEnum):
    """How a hand misses the Post: with its two cards, or with the third as well."""

    TWO_CARDS = "two_cards"
    THREE_CARDS = "three_cards"


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers that a drawn combination gives each range, in the order of the law."""

    upper: tuple[int, ...]
    lower: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FootballPokerRules:
    """The rule table of one regulation, or of its successor.

    Rule: 41/2003 reading 12.

    Args:
        version: of the regulation, as events name it.
        instrument: the regulation's full name.
        date: on which it was made, ISO 8601.
        source: where it was published.
        combinations: the eight combinations, the first at index 0. Rule: 41/2003 art. 3(1).
        post_numbers: totals of two cards that get a third, and of three that win the Post.
            Rule: 41/2003 art. 3(2), 10(1) and 10(2).
        pays: what each bet pays. Rule: 41/2003 art. 11(1), 11(2).
        commission: share of the winnings that the house keeps; a bet that isn't there pays none.
            Rule: 41/2003 art. 12.
        returned_on_post: bets that get their stake back where three cards total a Post number; others but the Post
            lose. Rule: 41/2003 art. 10(2). A table that doesn't say has those of this article.
        values: points of each rank. Rule: 41/2003 art. 9(1) to 9(3). A table that doesn't say has those of this
            article.
        post_loses_on: what loses the Post; after anything else its stake is returned. Rule: 41/2003 art. 4(5), readings
            3 and 4. With a table that doesn't say it always loses.
        hash: SHA-256 of the table's file in hexadecimal; empty in terms that are older than this field.
    """

    version: str
    instrument: str
    date: str
    source: str
    combinations: tuple[Numbers, ...]
    post_numbers: frozenset[int]
    pays: Mapping[BetName, Ratio]
    commission: Mapping[BetName, Ratio]
    hash: str = ""
    returned_on_post: tuple[BetName, ...] = RANGES
    values: Mapping[str, int] = field(default_factory=lambda: LAW_VALUES)
    post_loses_on: tuple[Missed, ...] = tuple(Missed)

    def most_pays(self) -> Mapping[str, Ratio]:
        """The most that each bet can win."""
        return {str(bet): ratio for bet, ratio in self.pays.items()}

    def numbers_of(self, combination: int) -> Numbers:
        """The numbers of both ranges in a combination, 1 to 8.

        Rule: 41/2003 art. 3(1).
        """
        return self.combinations[combination - 1]

    def total_of(self, cards: Cards) -> int:
        """The total of a hand's cards, 0 to 9.

        Rule: 41/2003 art. 9.
        """
        return total_of(cards, self.values)

    def cards_due(self, first_two: Cards) -> int:
        """Return the number of cards that the hand has in the end.

        It is 3 where the first two total a Post number, else 2.

        Rule: 41/2003 art. 10(1); reading 2. Every such hand gets its third card, whether or not anyone bet on the Post.
        """
        return 3 if total_of(first_two, self.values) in self.post_numbers else 2

    def is_complete(self, cards: Cards) -> bool:
        """Return True if a hand has its two cards, and a third exactly where one is due.

        The cards are in the order dealt.

        Rule: 41/2003 art. 6(3) and 10(1).
        """
        return len(cards) == self.cards_due(cards[:2])


_TEXTS: Final = ("game", "version", "instrument", "date", "source")
_OPTIONAL: Final = ("returned_on_post", "values", "post_loses_on")
_RULES: Final = Fields.of(*_TEXTS, "post_numbers", "combinations", "pays", "commission", optional=_OPTIONAL)
_VALUES: Final = Fields.of(*RANKS)
_COMBINATIONS: Final = Fields.of(*Series)
_PAYS: Final = Fields.of(*BetName)
_COMMISSION: Final = Fields.of(optional=tuple(BetName))
_RANGE_SIZE: Final = 4


def read_rules(document: Json) -> FootballPokerRules:
    """The rules in a rule table.

    Raises:
        FormError: an unknown or missing key, or a value that isn't one.
    """
    form = object_of(document, _RULES)
    game, version, instrument, date, source = (text_in(form, name) for name in _TEXTS)
    if game != "football_poker":
        raise FormError("game", f"a rule table of football_poker is expected, not of {game:.40}")
    post_numbers = _post_numbers_in(form)
    return FootballPokerRules(
        version=version,
        instrument=instrument,
        date=date,
        source=source,
        combinations=read_at("combinations", partial(_read_combinations, post_numbers), form["combinations"]),
        post_numbers=post_numbers,
        pays=read_at("pays", _read_pays, form["pays"]),
        commission=read_at("commission", _read_commission, form["commission"]),
        returned_on_post=_named_in(form, "returned_on_post", _OTHERS) if "returned_on_post" in form else RANGES,
        values=read_at("values", _read_values, form["values"]) if "values" in form else LAW_VALUES,
        post_loses_on=_named_in(form, "post_loses_on", Missed) if "post_loses_on" in form else tuple(Missed),
    )


def _post_numbers_in(form: Mapping[str, Json]) -> frozenset[int]:
    numbers = each_in(form, "post_numbers", _read_number)
    if not numbers or len(set(numbers)) != len(numbers):
        raise FormError("post_numbers", "at least one number is expected, and none twice")
    return frozenset(numbers)


_OTHERS: Final = tuple(bet for bet in BetName if bet is not BetName.POST)


def _named_in(form: Mapping[str, Json], key: str, known: Iterable[E]) -> tuple[E, ...]:
    """The values of a list of names, none of which comes twice."""
    by_name = {str(each): each for each in known}
    names = each_in(form, key, partial(_read_name, by_name))
    if len(set(names)) != len(names):
        raise FormError(key, "a name is given more than once")
    return tuple(by_name[name] for name in names)


def _read_name(known: Collection[str], form: Json) -> str:
    if not isinstance(form, str) or form not in known:
        raise FormError("", f"one of {', '.join(known)} is expected")
    return form


def _read_values(form: Json) -> Mapping[str, int]:
    fields = object_of(form, _VALUES)
    return MappingProxyType({rank: read_at(rank, _read_number, fields[rank]) for rank in RANKS})


def _read_number(form: Json) -> int:
    if type(form) is not int or form not in VALUES:
        raise FormError("", "a total is an integer from 0 to 9")
    return form


def _read_combinations(post_numbers: frozenset[int], form: Json) -> tuple[Numbers, ...]:
    fields = object_of(form, _COMBINATIONS)
    upper, lower = (_series_in(fields, series, post_numbers) for series in Series)
    both = tuple(map(Numbers, upper, lower))
    for index, numbers in enumerate(both):
        if set(numbers.upper) & set(numbers.lower):
            raise FormError(f"{Series.LOWER}[{index}]", "has a number of the upper series")
    return both


def _series_in(form: Mapping[str, Json], series: Series, post_numbers: frozenset[int]) -> tuple[tuple[int, ...], ...]:
    """Read the combinations of one series.

    A range neither repeats a number nor has one of the Post.
    """
    ranges = each_in(form, series, _read_range)
    if len(ranges) != COMBINATIONS:
        raise FormError(series, f"a series has {COMBINATIONS} combinations, not {len(ranges)}")
    for index, numbers in enumerate(ranges):
        if post_numbers & set(numbers):
            raise FormError(f"{series}[{index}]", "has a Post number")
    return ranges


def _read_range(form: Json) -> tuple[int, ...]:
    if not isinstance(form, list) or len(form) != _RANGE_SIZE:
        raise FormError("", f"a combination is a list of {_RANGE_SIZE} numbers")
    numbers = tuple(_read_number(number) for number in form)
    if len(set(numbers)) != _RANGE_SIZE:
        raise FormError("", "a number is given more than once")
    return numbers


def _read_commission(form: Json) -> Mapping[BetName, Ratio]:
    shares = object_of(form, _COMMISSION)
    return MappingProxyType({bet: share_in(shares, bet) for bet in BetName if bet in shares})


def _read_pays(form: Json) -> Mapping[BetName, Ratio]:
    ratios = object_of(form, _PAYS)
    return MappingProxyType({bet: ratio_in(ratios, bet) for bet in BetName})
