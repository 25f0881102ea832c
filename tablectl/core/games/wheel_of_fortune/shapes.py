"""JSON forms of the Wheel of Fortune: rounds to be settled, and settlements."""

import json
from collections.abc import Mapping
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from functools import partial
from typing import Final, NotRequired, TypedDict, cast

from tablectl.core.games.wheel_of_fortune.rules import WheelOfFortuneRules, numbers_in
from tablectl.core.games.wheel_of_fortune.sections import BET_NAMES, SYMBOLS
from tablectl.core.games.wheel_of_fortune.settlement import Bet, Round, SettledBet, Settlement, Spin, settle
from tablectl.core.json_form import (
    Fields,
    FormError,
    Json,
    Written,
    choice_in,
    each_in,
    encode_text,
    integer_in,
    object_of,
    read_at,
    stake_in,
    text_in,
)
from tablectl.core.money import format_money
from tablectl.lazy_dataclass import replace


class BetForm(TypedDict):
    """A bet as it comes in."""

    bettor: str
    bet: str
    stake: str


class SpinForm(TypedDict):
    """A spin as it comes in; `turns` is any JSON number."""

    turns: int | Written
    symbol: int | None
    on_peg: bool
    interfered: NotRequired[bool]


class RoundForm(TypedDict):
    """A round as it comes in."""

    spin: SpinForm
    bets: list[BetForm]


_OVERRIDES: Final = Fields.of(optional=("pays",))
_ROUND: Final = Fields.of("spin", "bets")
_SPIN: Final = Fields.of("turns", "symbol", "on_peg", optional=("interfered",))
_BET: Final = Fields.of("bettor", "bet", "stake")


# Wide enough to keep every digit as written; an exponent beyond all bounds becomes infinite or 0, not an error.
_AS_WRITTEN: Final = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


def settle_form(form: Json, overrides: Json, rules: WheelOfFortuneRules) -> str:
    """The settlement of a round's form, as JSON text.

    Args:
        form: what a line has in `round`.
        overrides: what it has in `rules`: the pay table, unless it is that of the rules.
        rules: the rule table.

    Raises:
        FormError: with a path from the line's top.
    """
    in_force = read_at("rules", partial(_override, rules), overrides)
    played = read_at("round", read_round, form)
    given = cast("RoundForm", form)["bets"]  # read_round has checked it
    return _write_settlement(given, settle(played, in_force))


def settlement_form(played: Round, rules: WheelOfFortuneRules) -> dict[str, object]:
    """The round's settlement as a form.

    It is the content of a settled line after its line number, game and id.
    """
    given = [_write_bet(bet) for bet in played.bets]
    form: dict[str, object] = json.loads(_write_settlement(given, settle(played, rules)))
    return form


def _override(rules: WheelOfFortuneRules, form: Json) -> WheelOfFortuneRules:
    fields = object_of(form, _OVERRIDES)
    return replace(rules, pays=numbers_in(fields, "pays")) if "pays" in fields else rules


def read_round(form: Json) -> Round:
    """The round in a form; the bets are read whether or not the spin counts.

    Raises:
        FormError: with a path from the round.
    """
    fields = object_of(form, _ROUND)
    return Round(read_at("spin", _read_spin, fields["spin"]), each_in(fields, "bets", _read_bet))


def _read_spin(form: Json) -> Spin:
    fields = object_of(form, _SPIN)
    on_peg = _flag_in(fields, "on_peg")
    interfered = "interfered" in fields and _flag_in(fields, "interfered")
    return Spin(_turns_in(fields), _symbol_in(fields, on_peg=on_peg), on_peg, interfered)


def _turns_in(form: Mapping[str, Json]) -> Decimal:
    """The turns exactly as written, so that no rounding makes three of a little less."""
    value = form["turns"]
    if type(value) is not int and not isinstance(value, Written):
        raise FormError("turns", "a JSON number is expected")
    turns = _AS_WRITTEN.create_decimal(value.text if isinstance(value, Written) else value)
    if turns < 0:
        raise FormError("turns", "there are no fewer turns than 0")
    return turns


def _symbol_in(form: Mapping[str, Json], *, on_peg: bool) -> int | None:
    """The symbol; null exactly where the indicator rests on a peg and shows none."""
    if not on_peg:
        return integer_in(form, "symbol", 1, SYMBOLS)
    if form["symbol"] is not None:
        raise FormError("symbol", "null is expected: the indicator rests on a peg")
    return None


def _flag_in(form: Mapping[str, Json], name: str) -> bool:
    value = form[name]
    if not isinstance(value, bool):
        raise FormError(name, "true or false is expected")
    return value


def _read_bet(form: Json) -> Bet:
    fields = object_of(form, _BET)
    return Bet(text_in(fields, "bettor"), choice_in(fields, "bet", BET_NAMES), stake_in(fields, "stake"))


def _write_bet(bet: Bet) -> BetForm:
    return {"bettor": bet.bettor, "bet": bet.bet, "stake": format_money(bet.stake)}


# Text and not an object for an encoder, as that is faster; all but the bettor's name was checked to be plain.
def _write_settlement(bets: list[BetForm], settled: Settlement) -> str:
    """Encode the settlement of the round with these bets.

    Each stake is returned as it is written in the bets.
    """
    if settled.respin is not None:
        return f'{{"status":"respin","reason":"{settled.respin}"}}'
    return f'{{"status":"settled","bets":[{",".join(map(_write_settled_bet, bets, settled.bets))}]}}'


def _write_settled_bet(form: BetForm, settled: SettledBet) -> str:
    return (
        f'{{"bettor":{encode_text(form["bettor"])},"bet":"{form["bet"]}","stake":"{form["stake"]}",'
        f'"outcome":"{settled.outcome}","net":"{format_money(settled.net)}","commission":"0.00"}}'
    )
