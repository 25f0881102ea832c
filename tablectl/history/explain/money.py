"""Net results of a settled round: by bettor, by layer of the bank, and in sum."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tablectl.core.money import format_money, parse_money
from tablectl.history.explain.model import Form, Money, Share, listed
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class _Sum:
    """Hundredths."""

    staked: int = 0
    net: int = 0
    commission: int = 0

    def plus(self, other: "_Sum") -> "_Sum":
        return _Sum(self.staked + other.staked, self.net + other.net, self.commission + other.commission)

    def share(self, name: str) -> Share:
        return Share(name, format_money(self.staked), format_money(self.net), format_money(self.commission))


def money_of(settlement: Form) -> Money:
    """The money of a settlement, as events and `tablectl settle` write it.

    Raises:
        KeyError, TypeError, ValueError: it isn't one.
    """
    bettors = _gathered((str(bet["bettor"]), _sum(bet, bet["stake"])) for bet in _bets(settlement))
    bank = [
        (str(each.get("bettor") or each["layer"]), _sum(each, each["amount"])) for each in listed(settlement, "bank")
    ]
    betted, banked = _total(bettors.values()), _total(each for _, each in bank)
    commission = betted.commission + banked.commission
    house = -(betted.net + banked.net + commission)
    return Money(
        tuple(each.share(name) for name, each in bettors.items()),
        tuple(each.share(name) for name, each in bank),
        format_money(betted.net),
        format_money(banked.net),
        format_money(commission),
        format_money(house),
        format_money(betted.net + banked.net + commission + house),
    )


def _bets(settlement: Form) -> Iterator[Form]:
    yield from listed(settlement, "bets")
    for place in listed(settlement, "places"):
        yield from listed(place, "bets")


def _sum(form: Form, staked: Any) -> _Sum:
    return _Sum(parse_money(staked), signed(form["net"]), parse_money(form["commission"]))


def signed(text: str) -> int:
    """Return an amount of either sign in hundredths.

    Raises:
        ValueError: it is none.
    """
    return -parse_money(text[1:]) if text.startswith("-") else parse_money(text)


def _gathered(shares: Iterable[tuple[str, _Sum]]) -> Mapping[str, _Sum]:
    """By bettor, in the order in which they come first."""
    gathered: dict[str, _Sum] = {}
    for name, share in shares:
        gathered[name] = gathered.get(name, _Sum()).plus(share)
    return gathered


def _total(sums: Iterable[_Sum]) -> _Sum:
    total = _Sum()
    for each in sums:
        total = total.plus(each)
    return total
