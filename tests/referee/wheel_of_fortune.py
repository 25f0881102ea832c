"""The wheel of fortune settled a second time: 42/2003 as it is written."""

from decimal import Decimal
from fractions import Fraction
from typing import Final

from tests.referee.forms import Fields, RefusedError, bet_back, demand, fields, flag, listed, money, name, one_of, whole

SECTIONS: Final = (24, 12, 8, 4, 2, 1, 1)
PAYS: Final[tuple[int, ...]] = (1, 3, 5, 10, 20, 45, 45)
TURNS: Final = Decimal(3)
SYMBOLS: Final = tuple(f"symbol_{number}" for number in range(1, 8))


def settle(round_: object, rules: object) -> Fields:
    """What the contract asks to come back, without line, game and id."""
    pays = _pays(fields(rules, "rules", (), ("pays",)))
    form = fields(round_, "round", ("spin", "bets"))
    spin = fields(form["spin"], "round.spin", ("turns", "symbol", "on_peg"), ("interfered",))
    turns = _turns(spin["turns"])
    on_peg = flag(spin["on_peg"], "round.spin.on_peg")
    interfered = flag(spin.get("interfered", False), "round.spin.interfered")
    symbol = None if on_peg else whole(spin["symbol"], "round.spin.symbol", 1, 7)
    demand("round.spin.symbol", that=not on_peg or spin["symbol"] is None)
    bets = [_bet(bet, path) for path, bet in listed(form["bets"], "round.bets")]
    for failed, reason in ((turns < TURNS, "fewer_than_three_turns"), (on_peg, "on_peg"), (interfered, "interference")):
        if failed:
            return {"status": "respin", "reason": reason}
    return {"status": "settled", "bets": [_settled_bet(bet, symbol, pays) for bet in bets]}


def _pays(rules: Fields) -> list[int]:
    items = listed(rules["pays"], "rules.pays") if "pays" in rules else []
    pays: list[int] = [whole(value, path, 1) for path, value in items] if "pays" in rules else [*PAYS]
    demand("rules.pays", that=len(pays) == 7)
    return pays


def _turns(value: object) -> Decimal | int:
    if not isinstance(value, Decimal | int) or isinstance(value, bool):
        raise RefusedError("round.spin.turns")
    demand("round.spin.turns", that=value >= 0)
    return value


def _bet(value: object, path: str) -> Fields:
    bet = fields(value, path, ("bettor", "bet", "stake"))
    name(bet["bettor"], f"{path}.bettor")
    one_of(bet["bet"], f"{path}.bet", SYMBOLS)
    money(bet["stake"], f"{path}.stake")
    return bet


def _settled_bet(bet: Fields, symbol: int | None, pays: list[int]) -> Fields:
    stake, on = money(bet["stake"], ""), SYMBOLS.index(str(bet["bet"]))
    if symbol == on + 1:
        return bet_back(bet, "win", pays[on] * stake)
    return bet_back(bet, "lose", Fraction(-stake))
