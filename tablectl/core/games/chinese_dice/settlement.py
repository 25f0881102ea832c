"""Settlement of Chinese dice: from throws and stakes to each stake's result.

The bank can win or lose no more than it holds. So the places are settled one after the other, each against
what the ones before it have left, and `Bank` is what one place hands on to the next. A live table settles
place by place with the same functions.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, NamedTuple

from tablectl.core.games.chinese_dice.hands import Combination, combination_of, key_of, rank_throw
from tablectl.core.games.chinese_dice.rules import ChineseDiceRules
from tablectl.core.money import Outcome, ceil_share
from tablectl.core.outcomes import Throw
from tablectl.lazy_dataclass import dataclass

PLACE_MAX: Final = 8
"""Places in a ring, the banker's among them. Rule: 108/89/M art. 3(a)."""

Throws = tuple[Throw | None, ...]
"""One turn with the dice: None is an invalid throw; the last one decides."""


class Role(StrEnum):
    """Owner of a layer of the bank, in the order in which layers pay and collect.

    Rule: 108/89/M art. 4(e).
    """

    BANKER = "banker"
    CASINO = "casino"
    PARTNER = "partner"


class Bet(NamedTuple):
    """One stake of one bettor, in hundredths: at a place, or with the bank."""

    bettor: str
    stake: int


class Place(NamedTuple):
    """Place from 1 to 8, its bets in the order placed, and its throws.

    It has no throws where it doesn't throw.
    """

    place: int
    bets: tuple[Bet, ...]
    throws: Throws


class Banker(NamedTuple):
    """Holder of the bank: their place, their name, their capital in hundredths."""

    place: int
    bettor: str
    capital: int
    throws: Throws


@dataclass(frozen=True, slots=True)
class Round:
    """Input of the settlement: the bank's layers and the places in any order.

    Args:
        casino_share: hundredths; 0 where the casino hasn't joined.
        partners: bets on the banker's place, in the order placed.
    """

    banker: Banker
    casino_share: int
    partners: tuple[Bet, ...]
    places: tuple[Place, ...]


class Bank(NamedTuple):
    """All the capital on the table, and what it has won so far, in hundredths."""

    capital: int
    result: int = 0

    @property
    def room(self) -> int:
        """Amount that may still be won or lost; at 0 the round is over.

        Rule: 108/89/M art. 4(c).
        """
        return self.capital - abs(self.result)


class SettledBet(NamedTuple):
    """Settled bet and its result, in hundredths.

    `net` is signed and after `commission`.
    """

    bet: Bet
    covered: int
    outcome: Outcome
    net: int
    commission: int


class SettledPlace(NamedTuple):
    """A place's combination and bets; no combination where the place doesn't throw."""

    place: int
    combination: Combination | None
    bets: tuple[SettledBet, ...]


class SettledLayer(NamedTuple):
    """Settled layer of the bank and its result, in hundredths.

    The casino's has no bettor.
    """

    role: Role
    bettor: str | None
    amount: int
    net: int
    commission: int


@dataclass(frozen=True, slots=True)
class Settlement:
    """Settled round: the banker's combination, places as given, layers in order."""

    banker: Combination
    places: tuple[SettledPlace, ...]
    bank: tuple[SettledLayer, ...]


class ThrowsError(ValueError):
    """A place that threw out of turn or didn't throw: the place, and why."""

    def __init__(self, place: int, message: str) -> None:
        super().__init__(place, message)
        self.place = place
        self.message = message


_TRIPLE: Final = key_of(Combination.TRIPLE)
_LOWEST: Final = key_of(Combination.ONE_TWO_THREE)


def settle(played: Round, rules: ChineseDiceRules) -> Settlement:
    """Settle every stake of the round.

    Rule: 108/89/M art. 4 and 5.

    Args:
        played: in every turn the last throw is decisive.

    Raises:
        ThrowsError: a place threw though nothing was left to decide, or didn't though something was.

    Examples:
        >>> from tablectl.rule_tables import load_rules
        >>> banker, place = Banker(1, "b", 90_000, ((5, 3, 5),)), Place(2, (Bet("a", 10_000),), ((4, 2, 2),))
        >>> settle(Round(banker, 0, (), (place,)), load_rules("chinese_dice")).places[0].bets[0].net
        9600
        >>> high = banker._replace(throws=((6, 4, 5),))  # no place throws
        >>> settle(Round(high, 0, (), (place._replace(throws=()),)), load_rules("chinese_dice")).places[0].bets[0].net
        -10000
    """
    key = _decided(played.banker.throws)
    bank = Bank(played.banker.capital + played.casino_share + sum(partner.stake for partner in played.partners))
    settled: dict[int, SettledPlace] = {}
    for place in order_of_play(played.banker.place, played.places):
        thrown = turn_of(place, bank, key)
        outcome = place_outcome(key, thrown)
        bank, bets = settle_place(bank, place.bets, outcome, rules)
        settled[place.place] = SettledPlace(place.place, combination_of(thrown) if thrown else None, bets)
    places = tuple([settled[place.place] for place in played.places])
    return Settlement(combination_of(key), places, share_out(played, bank.result, rules))


def _decided(throws: Throws) -> int:
    """The key of the throw that ends a turn."""
    assert throws
    assert throws[-1] is not None
    return rank_throw(throws[-1])


def order_of_play(banker: int, places: Iterable[Place]) -> list[Place]:
    """Return the places in the order in which they throw.

    It is round the table from the one after the banker's.

    Rule: 108/89/M art. 2(a) and 2(c); reading 2.
    """
    return sorted(places, key=lambda place: (place.place - banker) % PLACE_MAX)


def throws_next(bets: tuple[Bet, ...], bank: Bank, banker: int) -> bool:
    """Return True if a place has something to throw for.

    Rule: 108/89/M art. 3(b): who throws is who bet most. Art. 4(c): nothing is left to win when the bank is
    decided. Art. 5(a) and 5(b): nothing is left to decide when the banker's own throw did.
    """
    return bool(bets) and bank.room > 0 and banker_outcome(banker) is None


def turn_of(place: Place, bank: Bank, banker: int) -> int | None:
    """The key that a place threw; None if it had nothing to throw for.

    Raises:
        ThrowsError: it threw and had not to, or the other way round.
    """
    if throws_next(place.bets, bank, banker):
        if not place.throws:
            raise ThrowsError(place.place, "this place has to throw: its bets are undecided")
        return _decided(place.throws)
    if place.throws:
        raise ThrowsError(place.place, f"this place doesn't throw: {_why_not(place, banker)}")
    return None


def _why_not(place: Place, banker: int) -> str:
    if not place.bets:
        return "it has no bet"
    if banker_outcome(banker) is not None:
        return f"the banker's {combination_of(banker)} decides"
    return "the bank is decided"


def banker_outcome(banker: int) -> Outcome | None:
    """Return every place's outcome by the banker's throw alone; None if places throw.

    Rule: 108/89/M art. 5(a) and 5(b); readings 4 and 5.

    Args:
        banker: key of the banker's throw.
    """
    if banker >= _TRIPLE:
        return Outcome.LOSE
    return Outcome.WIN if banker == _LOWEST else None


def place_outcome(banker: int, thrown: int | None) -> Outcome:
    """Return the outcome of a place's bets.

    Rule: 108/89/M art. 5(a) to 5(c); reading 4.

    Args:
        banker: key of the banker's throw.
        thrown: key of the place's; None if it doesn't throw. Without a throw that decides, the bets are returned.
    """
    decided = banker_outcome(banker)
    if decided is not None:
        return decided
    if thrown is None or thrown == banker:
        return Outcome.PUSH
    return Outcome.WIN if thrown > banker else Outcome.LOSE


def settle_place(
    bank: Bank, bets: tuple[Bet, ...], outcome: Outcome, rules: ChineseDiceRules
) -> tuple[Bank, tuple[SettledBet, ...]]:
    """The bank after one place, and what the place's bets bring, in the order placed.

    Rule: 108/89/M art. 4(c), 5 and 7(b); reading 7.
    """
    covers = cover(bank.room, bets)
    settled = tuple([_settle_bet(bet, covered, outcome, rules) for bet, covered in zip(bets, covers, strict=True)])
    moved = sum(bet.net + bet.commission for bet in settled)
    return bank._replace(result=bank.result - moved), settled


def cover(room: int, bets: tuple[Bet, ...]) -> tuple[int, ...]:
    """Return how much of each bet of one place the bank can meet.

    The rest is returned whatever is thrown. The amounts are fixed before the place throws, so that what can't be won
    can't be lost either.

    Rule: 108/89/M art. 4(c).

    Args:
        room: the amount that the bank may still win or lose, in hundredths.
        bets: in the order placed.
    """
    covers: list[int] = []
    for bet in bets:
        covers.append(min(bet.stake, room))
        room -= covers[-1]
    return tuple(covers)


def _settle_bet(bet: Bet, covered: int, outcome: Outcome, rules: ChineseDiceRules) -> SettledBet:
    """A bet at even money on its covered part.

    Rule: 108/89/M art. 2(g) and 5; reading 1.
    """
    if not covered or outcome is Outcome.PUSH:
        return SettledBet(bet, covered, Outcome.PUSH, 0, 0)
    net, kept = after_commission(covered if outcome is Outcome.WIN else -covered, rules)
    return SettledBet(bet, covered, outcome, net, kept)


def after_commission(gain: int, rules: ChineseDiceRules) -> tuple[int, int]:
    """Return a stake's gain after commission in the round, and the commission.

    There is no commission on a loss. The two sum to the gain to the last hundredth, as rounding the one up rounds the
    other down.

    Rule: 108/89/M art. 7(b); reading 6.

    Args:
        gain: hundredths, negative for a loss.
    """
    kept = ceil_share(max(gain, 0), rules.commission.numerator, rules.commission.denominator)
    return gain - kept, kept


def share_out(played: Round, result: int, rules: ChineseDiceRules) -> tuple[SettledLayer, ...]:
    """Distribute the bank's result to its layers.

    The first takes it until it is doubled or gone, then the next, and so on.

    Rule: 108/89/M art. 4(e); reading 8.

    Args:
        played: the round with its layers.
        result: of the whole bank, in hundredths; no more than its capital either way.
    """
    sign, left = (1 if result > 0 else -1), abs(result)
    settled: list[SettledLayer] = []
    for role, bettor, amount in _layers(played):
        part = min(amount, left)
        left -= part
        net, kept = after_commission(sign * part, rules)
        settled.append(SettledLayer(role, bettor, amount, net, kept))
    return tuple(settled)


def _layers(played: Round) -> list[tuple[Role, str | None, int]]:
    """The bank's layers in order: banker, casino if it joined, partners as placed.

    Rule: 108/89/M art. 4(e).
    """
    casino = [(Role.CASINO, None, played.casino_share)] if played.casino_share else []
    partners = [(Role.PARTNER, partner.bettor, partner.stake) for partner in played.partners]
    return [(Role.BANKER, played.banker.bettor, played.banker.capital), *casino, *partners]
