"""Numbers that the regulation of Q Poker fixes, read from its rule table."""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from tablectl.core.bets.ratios import Ratio, highest, ratio_in, share_in
from tablectl.core.cards import RANKS
from tablectl.core.games.q_poker.hands import Combination
from tablectl.core.json_form import Fields, FormError, Json, object_of, read_at, text_in
from tablectl.lazy_dataclass import dataclass

Pays = Mapping[Combination, Ratio]
"""What each hand pays; a hand that isn't there loses."""


@dataclass(frozen=True, slots=True)
class QPokerRules:
    """The rule table of one regulation.

    Args:
        version: of the regulation, as events name it.
        instrument: the regulation's full name.
        date: on which it was made, ISO 8601.
        source: where it was published.
        pair_or_better: what the bet pays. Rule: 89/2004 art. 10(1) to 10(5).
        versus_dealer: what a hand brings that beats a qualified dealer. Rule: 89/2004 art. 9(7).
        dealer_plays_from: rank 2 to 14 of the card that a high-card hand needs. Rule: 89/2004 art. 9(4).
        dealer_below_pays: share of the stake. Rule: 89/2004 art. 9(5).
        withdrawal_costs: share of the stake. Rule: 89/2004 art. 9(3).
        hash: SHA-256 of the table's file in hexadecimal; empty in terms that are older than this field.
    """

    version: str
    instrument: str
    date: str
    source: str
    pair_or_better: Pays
    versus_dealer: Pays
    dealer_plays_from: int
    dealer_below_pays: Ratio
    withdrawal_costs: Ratio
    hash: str = ""

    def most_pays(self) -> Mapping[str, Ratio]:
        """The most that each bet can win."""
        return {
            "pair_or_better": highest(self.pair_or_better.values()),
            "versus_dealer": highest((*self.versus_dealer.values(), self.dealer_below_pays)),
        }


_TEXTS: Final = ("game", "version", "instrument", "date", "source")
_RULES: Final = Fields.of(*_TEXTS, "pair_or_better", "versus_dealer", "dealer")
_DEALER: Final = Fields.of("plays_from", "below_pays", "withdrawal_costs")
_PAIR_OR_BETTER: Final = tuple(hand for hand in Combination if hand is not Combination.HIGH_CARD)


def read_rules(document: Json) -> QPokerRules:
    """The rules in a rule table.

    Raises:
        FormError: an unknown or missing key, or a value that isn't one.
    """
    form = object_of(document, _RULES)
    game, version, instrument, date, source = (text_in(form, name) for name in _TEXTS)
    if game != "q_poker":
        raise FormError("game", f"a rule table of q_poker is expected, not of {game:.40}")
    plays_from, below_pays, withdrawal_costs = read_at("dealer", _read_dealer, form["dealer"])
    return QPokerRules(
        version=version,
        instrument=instrument,
        date=date,
        source=source,
        pair_or_better=_pays_in(form, "pair_or_better", _PAIR_OR_BETTER),
        versus_dealer=_pays_in(form, "versus_dealer", tuple(Combination)),
        dealer_plays_from=plays_from,
        dealer_below_pays=below_pays,
        withdrawal_costs=withdrawal_costs,
    )


def _read_dealer(form: Json) -> tuple[int, Ratio, Ratio]:
    fields = object_of(form, _DEALER)
    return _rank_in(fields, "plays_from"), ratio_in(fields, "below_pays"), share_in(fields, "withdrawal_costs")


def _pays_in(form: Mapping[str, Json], name: str, hands: tuple[Combination, ...]) -> Pays:
    return read_at(name, partial(_read_pays, hands), form[name])


def _read_pays(hands: tuple[Combination, ...], form: Json) -> Pays:
    fields = object_of(form, Fields.of(*hands))
    return MappingProxyType({hand: ratio_in(fields, hand) for hand in hands})


def _rank_in(form: Mapping[str, Json], name: str) -> int:
    rank = text_in(form, name)
    if len(rank) != 1 or rank not in RANKS:
        raise FormError(name, f"a rank is one of {RANKS}, not {rank!r:.40}")
    return 14 - RANKS.index(rank)
