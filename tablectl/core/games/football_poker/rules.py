"""Numbers that the regulation of Football Poker fixes, read from its rule table."""

from collections.abc import Mapping
from enum import StrEnum
from functools import partial
from types import MappingProxyType
from typing import Final

from tablectl.core.bets.ratios import Ratio, ratio_in, share_in
from tablectl.core.games.football_poker.hands import VALUES
from tablectl.core.json_form import Fields, FormError, Json, each_in, object_of, read_at, text_in
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


RANGES: Final = (BetName.UPPER_RANGE, BetName.LOWER_RANGE)


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

    def most_pays(self) -> Mapping[str, Ratio]:
        """The most that each bet can win."""
        return {str(bet): ratio for bet, ratio in self.pays.items()}

    def numbers_of(self, combination: int) -> Numbers:
        """The numbers of both ranges in a combination, 1 to 8.

        Rule: 41/2003 art. 3(1).
        """
        return self.combinations[combination - 1]


_TEXTS: Final = ("game", "version", "instrument", "date", "source")
_RULES: Final = Fields.of(*_TEXTS, "post_numbers", "combinations", "pays", "commission", optional=("returned_on_post",))
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
        returned_on_post=_returned_in(form) if "returned_on_post" in form else RANGES,
    )


def _post_numbers_in(form: Mapping[str, Json]) -> frozenset[int]:
    numbers = each_in(form, "post_numbers", _read_number)
    if not numbers or len(set(numbers)) != len(numbers):
        raise FormError("post_numbers", "at least one number is expected, and none twice")
    return frozenset(numbers)


def _returned_in(form: Mapping[str, Json]) -> tuple[BetName, ...]:
    named = each_in(form, "returned_on_post", _read_other)
    if len(set(named)) != len(named):
        raise FormError("returned_on_post", "a bet is given more than once")
    return named


def _read_other(form: Json) -> BetName:
    others = [bet for bet in BetName if bet is not BetName.POST]
    if form not in others:
        raise FormError("", f"one of {', '.join(others)} is expected")
    return BetName(form)


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
