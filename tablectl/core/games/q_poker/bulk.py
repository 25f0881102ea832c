"""Fast settlement of the usual line of an archive, from decoded JSON to text.

It is one pass without values in between, which takes less than half the time. Nothing is decided here: all shares come
from `settlement`, and a round that isn't plainly right (a field too many, another type, an amount that can't be read)
is left to `shapes`, which settles it or names the error.
"""

from typing import Any, Final

from tablectl.core.bets.settle import UnusualError
from tablectl.core.games.q_poker.hands import Combination, key_of_high_card, lowest_key, rank_hand, strength_of
from tablectl.core.games.q_poker.rules import QPokerRules
from tablectl.core.games.q_poker.settlement import PLACE_MAX, Share, pair_or_better, versus_dealer, withdrawn
from tablectl.core.json_form import encode_text
from tablectl.core.money import floor_share, parse_money

_PLACES: Final = frozenset(range(1, PLACE_MAX + 1))
_ROUND_FIELDS: Final = 2
_PLACE_FIELDS: Final = 3
_BET_FIELDS: Final = 3
_BOOLEAN: Final = ("false", "true")
_ENDINGS_KEPT: Final = 4096
_ORDINARY: Final = 17


class _Endings(dict[str, str]):
    """Cache of the end of a settled bet's text, by stake, for one share.

    The key is the text of the stake.
    """

    __slots__ = ("_denominator", "_numerator", "_outcome")

    def __init__(self, share: Share) -> None:
        super().__init__()
        outcome, self._numerator, self._denominator = share
        self._outcome = f'","outcome":"{outcome}","net":"'

    def __missing__(self, stake: str) -> str:
        """Make the text, and keep it for the next bet of this size.

        Raises:
            UnusualError, ValueError, TypeError: the stake isn't an amount above 0.
        """
        hundredths = _hundredths(stake)
        if not hundredths:
            raise UnusualError
        if len(self) >= _ENDINGS_KEPT:
            self.clear()
        net = floor_share(hundredths, self._numerator, self._denominator)
        sign, net = ("", net) if net >= 0 else ("-", -net)
        text = f'"stake":"{stake}{self._outcome}{sign}{net // 100}.{net % 100:02d}","commission":"0.00"}}'
        self[stake] = text
        return text


def _hundredths(stake: str) -> int:
    """Return the amount in hundredths.

    One of an ordinary size is read without the search for errors in it.
    """
    whole, places = (stake[:-3], stake[-2:]) if stake[-3:-2] == "." else (stake, "00")
    digits = whole + places
    if digits.isdecimal() and digits.isascii() and whole[0] != "0" and len(digits) <= _ORDINARY:
        return int(digits)
    return parse_money(stake)


class BulkSettler:
    """Settle decoded rounds of Q Poker by one rule table."""

    __slots__ = ("_below", "_by_strength", "_loses", "_pushes", "_qualified", "_withdrawn")

    def __init__(self, rules: QPokerRules) -> None:
        self._qualified = key_of_high_card(rules.dealer_plays_from)
        self._below, self._withdrawn = _Endings(versus_dealer(0, None, rules)), _Endings(withdrawn(rules))
        self._loses, self._pushes = _Endings(versus_dealer(0, 1, rules)), _Endings(versus_dealer(1, 1, rules))
        self._by_strength = [
            (
                str(hand),
                _Endings(pair_or_better(hand, rules)),
                _Endings(versus_dealer(lowest_key(hand), -1, rules)),
            )
            for hand in reversed(Combination)
        ]

    def __call__(self, played: Any) -> tuple[str, int]:
        """Settle a round.

        Returns:
            The settlement as an object's text without its opening brace, and the number of fields that were read.

        Raises:
            UnusualError, ValueError, TypeError, LookupError, AttributeError: the round isn't a usual one.
        """
        cards, places = played["dealer"], played["places"]
        dealer = rank_hand(cards)
        qualifies = dealer >= self._qualified
        dealt: list[Any] = [*cards]
        texts: list[str] = []
        fields = _ROUND_FIELDS
        for place in places:
            hand = place["cards"]
            text, read = self._settle_place(place, rank_hand(hand), dealer if qualifies else None)
            fields += read
            dealt += hand
            texts.append(text)
        numbers = {place["place"] for place in places}
        once = len(set(dealt)) == len(dealt) and len(numbers) == len(texts) and numbers <= _PLACES
        if not once or len(played) != _ROUND_FIELDS or type(places) is not list:
            raise UnusualError
        made = self._by_strength[strength_of(dealer)][0]
        head = f'"status":"settled","dealer":{{"hand":"{made}","qualifies":{_BOOLEAN[qualifies]}}},'
        return f'{head}"places":[{",".join(texts)}]}}', fields

    def _settle_place(self, place: Any, key: int, dealer: int | None) -> tuple[str, int]:
        """The text of a place with bets, and the number of its fields.

        Args:
            key: of its cards.
            dealer: the dealer's key, None if the dealer may not play.
        """
        made, combined, against = self._by_strength[strength_of(key)]
        if dealer is None:
            against = self._below
        elif key <= dealer:
            against = self._pushes if key == dealer else self._loses
        number, bets = place["place"], place["bets"]
        if not bets or type(number) is not int or len(place) != _PLACE_FIELDS:
            raise UnusualError
        texts: list[str] = []
        fields = _PLACE_FIELDS
        for bet in bets:
            bettor, name, read = bet["bettor"], bet["bet"], len(bet)
            fields += read
            if name == "pair_or_better" and read == _BET_FIELDS:
                ending = combined
            elif name == "versus_dealer":
                ending = against if read == _BET_FIELDS else self._decided(bet, against)
            else:
                raise UnusualError
            if not bettor:
                raise UnusualError
            texts.append(f'{{"bettor":{encode_text(bettor)},"bet":"{name}",{ending[bet["stake"]]}')
        return f'{{"place":{number},"hand":"{made}","bets":[{",".join(texts)}]}}', fields

    def _decided(self, bet: Any, against: _Endings) -> _Endings:
        """The endings for a bet against the dealer with a decision."""
        decision = bet["decision"]
        if len(bet) != _BET_FIELDS + 1 or decision not in ("play", "withdraw"):
            raise UnusualError
        return against if decision == "play" else self._withdrawn
