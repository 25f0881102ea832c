from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.games.wheel_of_fortune.sections import BetName
from tablectl.core.games.wheel_of_fortune.settlement import Bet, Round, Spin
from tablectl.core.games.wheel_of_fortune.shapes import read_round, settlement_form
from tablectl.core.json_form import Repeated, Written, decode
from tablectl.rule_tables import load_rules
from tests.games.contract.forms import Change, Forms, FormsContract, Wrong

ROUND: dict[str, Any] = {
    "spin": {"turns": Written("4.25"), "symbol": 3, "on_peg": False, "interfered": False},
    "bets": [
        {"bettor": "a", "bet": "symbol_3", "stake": "50"},
        {"bettor": "b", "bet": "symbol_1", "stake": "0.5"},
    ],
}

FORMS = Forms("wheel_of_fortune", ROUND)
settled, changed, refused = FORMS.settled, FORMS.changed, FORMS.refused


def spun(**fields: Any) -> dict[str, Any]:
    return changed(lambda form: form["spin"].update(fields))


def test_a_form_is_read_field_by_field() -> None:
    assert read_round(ROUND) == Round(
        Spin(Decimal("4.25"), 3, on_peg=False, interfered=False),
        (Bet("a", BetName.SYMBOL_3, 5000), Bet("b", BetName.SYMBOL_1, 50)),
    )
    assert read_round(spun(symbol=None, on_peg=True, interfered=True)).spin == Spin(
        Decimal("4.25"), None, on_peg=True, interfered=True
    )


@pytest.mark.article("wheel_of_fortune", "6.1 to 6.6")
def test_settlement_has_every_field_and_gives_stake_back_as_written() -> None:
    assert settled(ROUND) == {
        "status": "settled",
        "bets": [
            {
                "bettor": "a",
                "bet": "symbol_3",
                "stake": "50",
                "outcome": "win",
                "net": "250.00",
                "commission": "0.00",
            },
            {
                "bettor": "b",
                "bet": "symbol_1",
                "stake": "0.5",
                "outcome": "lose",
                "net": "-0.50",
                "commission": "0.00",
            },
        ],
    }


@pytest.mark.article("wheel_of_fortune", "4.4")
@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"turns": 2}, "fewer_than_three_turns"),
        ({"turns": 2, "symbol": None, "on_peg": True, "interfered": True}, "fewer_than_three_turns"),
        ({"symbol": None, "on_peg": True}, "on_peg"),
        ({"symbol": None, "on_peg": True, "interfered": True}, "on_peg"),
        ({"interfered": True}, "interference"),
    ],
)
def test_spin_that_doesnt_count_gives_the_reason_and_no_bets(fields: dict[str, Any], reason: str) -> None:
    assert settled(spun(**fields)) == {"status": "respin", "reason": reason}


@pytest.mark.parametrize("fields", [{"turns": 2}, {"symbol": None, "on_peg": True}, {"interfered": True}])
def test_bets_of_a_spin_that_doesnt_count_are_still_checked(fields: dict[str, Any]) -> None:
    form = spun(**fields)
    form["bets"][1]["stake"] = "0"
    assert refused(form).path == "round.bets[1].stake"


def test_without_a_word_on_interference_there_was_none() -> None:
    form = changed(lambda form: form["spin"].pop("interfered"))
    assert settled(form)["status"] == "settled"


def test_a_round_without_bets_settles() -> None:
    assert settled(changed(lambda form: form.update(bets=[]))) == {"status": "settled", "bets": []}


@pytest.mark.article("wheel_of_fortune", "3.2")
def test_several_bets_of_a_bettor_return_in_order() -> None:
    bets = [{"bettor": "a", "bet": f"symbol_{n}", "stake": "1"} for n in (7, 3, 1, 3)]
    answered = settled(changed(lambda form: form.update(bets=bets)))["bets"]
    assert [(bet["bet"], bet["net"]) for bet in answered] == [
        ("symbol_7", "-1.00"),
        ("symbol_3", "5.00"),
        ("symbol_1", "-1.00"),
        ("symbol_3", "5.00"),
    ]


@pytest.mark.article("wheel_of_fortune", "4.3")
@pytest.mark.parametrize(
    ("written", "counts"),
    [
        ("3", True),
        ("3.0", True),
        ("3.000000000000000000000000000000000000000", True),
        ("3e0", True),
        ("30E-1", True),
        ("0.3e+1", True),
        ("0.0000003e7", True),
        ("3.0000000000000000000000000000000000000001", True),
        ("1e400", True),
        ("1e999999999999999999999999", True),
        ("9" * 5000, True),
        ("9" * 5000 + "e-4999", True),
        ("12345678901234567890", True),
        ("2.999999999999999999999999999999999999999999", False),
        ("2." + "9" * 5000, False),
        ("29.9999999999999999999e-1", False),
        ("2", False),
        ("0", False),
        ("-0", False),
        ("-0.0", False),
        ("0e999999999999999999999999", False),
        ("1e-400", False),
        ("1e-999999999999999999999999", False),
        ("9" * 5000 + "e-5001", False),
    ],
)
def test_turns_are_compared_as_the_decimal_written(written: str, counts: bool) -> None:
    turns = decode(written.encode())
    assert settled(spun(turns=turns))["status"] == ("settled" if counts else "respin")


@pytest.mark.parametrize("pays", [[1, 3, 5, 11, 23, 47, 47], [1] * 7, [10**18] * 7, [10**4299] * 7])
def test_a_lines_own_pay_table_is_used(pays: list[int]) -> None:
    for symbol in range(1, 8):
        form = spun(symbol=symbol)
        form["bets"] = [{"bettor": "a", "bet": f"symbol_{symbol}", "stake": "1"}]
        assert settled(form, {"pays": pays})["bets"][0]["net"] == f"{pays[symbol - 1]}.00"


def test_the_largest_stake_times_the_largest_pay_is_written_whole() -> None:
    form = spun(symbol=1)
    form["bets"] = [{"bettor": "a", "bet": "symbol_1", "stake": "1" + "0" * 4299}]
    assert settled(form, {"pays": [10**4299] * 7})["bets"][0]["net"] == "1" + "0" * 8598 + ".00"


def test_one_lines_pay_table_is_not_the_nexts() -> None:
    settled(ROUND, {"pays": [9] * 7})
    assert settled(ROUND)["bets"][0]["net"] == "250.00"


@pytest.mark.parametrize(
    ("overrides", "path", "message"),
    [
        ({"pays": [1] * 6}, "rules.pays", "7 integers are expected, one for each symbol, not 6"),
        ({"pays": [1] * 8}, "rules.pays", "not 8"),
        ({"pays": []}, "rules.pays", "not 0"),
        ({"pays": None}, "rules.pays", "a list is expected, not null"),
        ({"pays": 45}, "rules.pays", "a list is expected, not a JSON number"),
        ({"pays": {}}, "rules.pays", "a list is expected, not an object"),
        ({"pays": [1, 0, 1, 1, 1, 1, 1]}, "rules.pays[1]", "an integer of at least 1"),
        ({"pays": [1, 1, -1, 1, 1, 1, 1]}, "rules.pays[2]", "an integer of at least 1"),
        ({"pays": [1, 1, 1, True, 1, 1, 1]}, "rules.pays[3]", "an integer of at least 1"),
        ({"pays": [1, 1, 1, 1, Written("1.0"), 1, 1]}, "rules.pays[4]", "an integer of at least 1"),
        ({"pays": [1, 1, 1, 1, 1, "45", 1]}, "rules.pays[5]", "an integer of at least 1"),
        ({"pays": [1, 1, 1, 1, 1, 1, None]}, "rules.pays[6]", "an integer of at least 1"),
        (
            {"pays": [1, 1, Written("9" * 4301), 1, 1, 1, 1]},
            "rules.pays[2]",
            "at most 4300 digits, and this one has 4301",
        ),
        ({"decks": 1}, "rules.decks", "unknown field; known here: pays"),
        (Repeated("pays"), "rules.pays", "more than once"),
        ([1], "rules", "an object is expected, not a list"),
    ],
)
def test_a_wrong_pay_table_is_refused(overrides: Any, path: str, message: str) -> None:
    error = refused(ROUND, overrides)
    assert error.path == path
    assert message in error.message


def at_spin(**fields: Any) -> Change:
    return lambda form: form["spin"].update(fields)


def at_bet(**fields: Any) -> Change:
    return lambda form: form["bets"][0].update(fields)


def without(name: str) -> Change:
    return lambda form: form["spin"].pop(name)


WRONG: list[Wrong] = [
    ("spin", lambda form: form.pop("spin"), "required"),
    ("spin", lambda form: form.update(spin=None), "an object is expected, not null"),
    ("spin", lambda form: form.update(spin=[]), "an object is expected, not a list"),
    ("spin.turns", lambda form: form.update(spin=Repeated("turns")), "more than once"),
    ("spin.turns", without("turns"), "required"),
    ("spin.symbol", without("symbol"), "required"),
    ("spin.on_peg", without("on_peg"), "required"),
    ("spin.section", at_spin(section=1), "unknown field; known here: turns, symbol, on_peg, interfered"),
    ("spin.turns", at_spin(turns="4.25"), "a JSON number is expected"),
    ("spin.turns", at_spin(turns=True), "a JSON number is expected"),
    ("spin.turns", at_spin(turns=None), "a JSON number is expected"),
    ("spin.turns", at_spin(turns=[4]), "a JSON number is expected"),
    ("spin.turns", at_spin(turns=-1), "no fewer turns than 0"),
    ("spin.turns", at_spin(turns=Written("-0.01")), "no fewer turns than 0"),
    ("spin.turns", at_spin(turns=Written("-1e99999999999999999999")), "no fewer turns than 0"),
    ("spin.symbol", at_spin(symbol=0), "an integer from 1 to 7 is expected, not 0"),
    ("spin.symbol", at_spin(symbol=8), "not 8"),
    ("spin.symbol", at_spin(symbol=True), "not a boolean"),
    ("spin.symbol", at_spin(symbol="3"), "not '3'"),
    ("spin.symbol", at_spin(symbol=Written("3.0")), "not 3.0"),
    ("spin.symbol", at_spin(symbol=None), "an integer from 1 to 7 is expected, not null"),
    ("spin.symbol", at_spin(symbol=None, turns=1), "not null"),
    ("spin.symbol", at_spin(on_peg=True), "null is expected"),
    ("spin.symbol", at_spin(on_peg=True, symbol=0), "null is expected"),
    ("spin.symbol", at_spin(on_peg=True, symbol=False), "null is expected"),
    ("spin.on_peg", at_spin(on_peg=0), "true or false is expected"),
    ("spin.on_peg", at_spin(on_peg=1), "true or false is expected"),
    ("spin.on_peg", at_spin(on_peg=None), "true or false is expected"),
    ("spin.on_peg", at_spin(on_peg="false"), "true or false is expected"),
    ("spin.interfered", at_spin(interfered=0), "true or false is expected"),
    ("spin.interfered", at_spin(interfered=None), "true or false is expected"),
    ("bets", lambda form: form.pop("bets"), "required"),
    ("bets", lambda form: form.update(bets=None), "a list is expected, not null"),
    ("places", lambda form: form.update(places=[]), "unknown field; known here: spin, bets"),
    ("bets[1]", lambda form: form["bets"].insert(1, 7), "an object is expected, not a JSON number"),
    ("bets[1].bet", lambda form: form["bets"].insert(1, Repeated("bet")), "more than once"),
    ("bets[0].bettor", lambda form: form["bets"][0].pop("bettor"), "required"),
    ("bets[0].bettor", at_bet(bettor=""), "a non-empty string"),
    ("bets[0].bet", at_bet(bet="symbol_8"), "is expected, not 'symbol_8'"),
    ("bets[0].bet", at_bet(bet="symbol_0"), "is expected"),
    ("bets[0].bet", at_bet(bet=3), "not a JSON number"),
    ("bets[0].stake", at_bet(stake=50), "not a JSON number"),
    ("bets[0].stake", at_bet(stake=True), "not a boolean"),
    ("bets[0].stake", at_bet(stake="0.00"), "more than 0"),
    ("bets[0].stake", at_bet(stake="+1"), "isn't an amount"),
    ("bets[0].outcome", at_bet(outcome="win"), "unknown field; known here: bettor, bet, stake"),
]


class TestForms(FormsContract):
    forms = FORMS
    wrong = WRONG
    bettor = ("bets", 0, "bettor")
    scraps = ("symbol_1", 7, Written("1e99999"))
    rule = "pays"
    ends = ("settled", "respin")


BETS = st.builds(Bet, st.text(min_size=1), st.sampled_from(list(BetName)), st.integers(1, 10**12))


@given(
    st.decimals(0, 20, places=3),
    st.integers(1, 7) | st.none(),
    st.booleans(),
    st.lists(BETS, max_size=5).map(tuple),
)
def test_a_live_round_settles_as_its_form_does(
    turns: Decimal, symbol: int | None, interfered: bool, bets: tuple[Bet, ...]
) -> None:
    form: Any = {
        "spin": {"turns": Written(str(turns)), "symbol": symbol, "on_peg": symbol is None, "interfered": interfered},
        "bets": [
            {"bettor": bet.bettor, "bet": bet.bet.value, "stake": f"{bet.stake // 100}.{bet.stake % 100:02d}"}
            for bet in bets
        ],
    }
    played = Round(Spin(turns, symbol, symbol is None, interfered), bets)
    assert read_round(form) == played
    assert settled(form) == settlement_form(played, load_rules("wheel_of_fortune"))


@given(st.from_regex(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,25})?", fullmatch=True))
def test_any_json_number_of_turns_is_read(written: str) -> None:
    form = spun(turns=decode(written.encode()))
    if written.startswith("-") and any(digit in "123456789" for digit in written.lower().partition("e")[0]):
        assert refused(form).path == "round.spin.turns"
    else:
        assert settled(form)["status"] in {"settled", "respin"}
