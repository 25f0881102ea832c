"""Settlement of the Wheel of Fortune: the validity of a spin, and each bet's net.

Values of which a round has many are named tuples, not frozen dataclasses: an archive has millions, and they are
made in half the time.
"""

from decimal import Decimal
from enum import StrEnum
from typing import Final, NamedTuple

from tablectl.core.games.wheel_of_fortune.rules import WheelOfFortuneRules
from tablectl.core.games.wheel_of_fortune.sections import BetName, symbol_of
from tablectl.core.money import Outcome
from tablectl.lazy_dataclass import dataclass


class RespinReason(StrEnum):
    """Why a spin doesn't count; of several the first in this order is named.

    Rule: 42/2003 art. 4(2) to 4(4); readings 5, 7 and 10.
    """

    FEWER_THAN_THREE_TURNS = "fewer_than_three_turns"
    ON_PEG = "on_peg"
    INTERFERENCE = "interference"


@dataclass(frozen=True, slots=True)
class Spin:
    """A spin of the wheel.

    Args:
        turns: full turns and the part of the last, from 0; infinite is allowed.
        symbol: 1 to 7 by the section at the indicator; None exactly where `on_peg`.
        on_peg: whether the indicator rests on a peg.
        interfered: whether anyone but the dealer touched the wheel.
    """

    turns: Decimal
    symbol: int | None
    on_peg: bool = False
    interfered: bool = False


class Bet(NamedTuple):
    """One stake of one bettor; `stake` is in hundredths, above 0."""

    bettor: str
    bet: BetName
    stake: int


@dataclass(frozen=True, slots=True)
class Round:
    """The spin and the bets of a round, as settlement needs them."""

    spin: Spin
    bets: tuple[Bet, ...]


class SettledBet(NamedTuple):
    """A bet and its net, in hundredths and signed.

    There is no commission in this game.
    """

    bet: Bet
    outcome: Outcome
    net: int


@dataclass(frozen=True, slots=True)
class Settlement:
    """A settled round, or the reason for which the wheel is spun again.

    Where it is spun again no bet is settled.
    """

    respin: RespinReason | None
    bets: tuple[SettledBet, ...]


_LOSES_STAKE: Final = -1


def settle(played: Round, rules: WheelOfFortuneRules) -> Settlement:
    """Settle every bet of the round, or give the reason for another spin.

    Another spin has the same bets.

    Rule: 42/2003 art. 2, 4 and 5.

    Examples:
        >>> from tablectl.rule_tables import load_rules
        >>> bets = (Bet("a", BetName.SYMBOL_5, 10_000), Bet("b", BetName.SYMBOL_1, 10_000))
        >>> [bet.net for bet in settle(Round(Spin(Decimal(3), 5), bets), load_rules("wheel_of_fortune")).bets]
        [200000, -10000]
        >>> settle(Round(Spin(Decimal("2.9"), 5), bets), load_rules("wheel_of_fortune"))
        Settlement(respin=<RespinReason.FEWER_THAN_THREE_TURNS: 'fewer_than_three_turns'>, bets=())
    """
    reason = respin_reason(played.spin, rules)
    if reason is not None:
        return Settlement(reason, ())
    return Settlement(None, tuple([_settle_bet(bet, played.spin.symbol, rules) for bet in played.bets]))


def respin_reason(spin: Spin, rules: WheelOfFortuneRules) -> RespinReason | None:
    """Why the spin doesn't count; None if it does.

    Rule: 42/2003 art. 4(3) and 4(4) for the turns: exactly three are enough. Art. 4(2) for interference. The law
    doesn't speak of the indicator on a peg: it shows no section then (art. 5). Readings 5, 7, 8 and 10.
    """
    if spin.turns < rules.full_turns:
        return RespinReason.FEWER_THAN_THREE_TURNS
    if spin.on_peg:
        return RespinReason.ON_PEG
    return RespinReason.INTERFERENCE if spin.interfered else None


def _settle_bet(bet: Bet, symbol: int | None, rules: WheelOfFortuneRules) -> SettledBet:
    times = times_stake(bet.bet, symbol, rules)
    return SettledBet(bet, Outcome.WIN if times > 0 else Outcome.LOSE, bet.stake * times)


def times_stake(bet: BetName, symbol: int | None, rules: WheelOfFortuneRules) -> int:
    """The multiple of its stake that a bet wins at this symbol; a loss is -1.

    Rule: 42/2003 art. 5, 6(1) to 6(6); reading 2. The stake is returned as well.
    """
    return rules.pays[symbol_of(bet) - 1] if symbol == symbol_of(bet) else _LOSES_STAKE
