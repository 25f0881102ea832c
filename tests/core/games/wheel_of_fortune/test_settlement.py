from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.games.wheel_of_fortune.rules import WheelOfFortuneRules
from tablectl.core.games.wheel_of_fortune.sections import BetName, symbol_of
from tablectl.core.games.wheel_of_fortune.settlement import (
    Bet,
    RespinReason,
    Round,
    SettledBet,
    Settlement,
    Spin,
    respin_reason,
    settle,
)
from tablectl.core.money import Outcome
from tablectl.rule_tables import load_rules

# Artigo 1.º, 2. and artigo 6.º: the symbol of each section, and what it pays for each one staked.
LAW = [
    *[("symbol_1", 1)] * 24,
    *[("symbol_2", 3)] * 12,
    *[("symbol_3", 5)] * 8,
    *[("symbol_4", 10)] * 4,
    *[("symbol_5", 20)] * 2,
    ("symbol_6", 45),
    ("symbol_7", 45),
]
FOUR_TURNS = Decimal("4.25")


@pytest.fixture(name="rules", scope="module")
def _rules() -> WheelOfFortuneRules:
    return load_rules("wheel_of_fortune")


@pytest.mark.article("wheel_of_fortune", "reading 2")
@pytest.mark.article("wheel_of_fortune", "reading 3")
@pytest.mark.article("wheel_of_fortune", "6.1 to 6.6")
@pytest.mark.parametrize("section", range(52))
def test_each_section_pays_its_own_symbol_only(section: int, rules: WheelOfFortuneRules) -> None:
    shown, times = LAW[section]
    bets = tuple(Bet("a", bet, 250) for bet in BetName)
    settled = settle(Round(Spin(FOUR_TURNS, int(shown[-1])), bets), rules)
    assert settled.respin is None
    assert settled.bets == tuple(
        SettledBet(bet, Outcome.WIN, 250 * times) if bet.bet == shown else SettledBet(bet, Outcome.LOSE, -250)
        for bet in bets
    )


@pytest.mark.article("wheel_of_fortune", "reading 4")
@pytest.mark.article("wheel_of_fortune", "6.6")
def test_the_two_single_sections_are_two_bets(rules: WheelOfFortuneRules) -> None:
    bets = (Bet("a", BetName.SYMBOL_6, 100), Bet("a", BetName.SYMBOL_7, 100))
    assert [bet.net for bet in settle(Round(Spin(FOUR_TURNS, 6), bets), rules).bets] == [4500, -100]
    assert [bet.net for bet in settle(Round(Spin(FOUR_TURNS, 7), bets), rules).bets] == [-100, 4500]


@pytest.mark.article("wheel_of_fortune", "reading 8")
@pytest.mark.article("wheel_of_fortune", "reading 14")
@pytest.mark.article("wheel_of_fortune", "4.3")
@pytest.mark.article("wheel_of_fortune", "4.4")
@pytest.mark.parametrize(
    ("turns", "counts"),
    [
        ("0", False),
        ("2", False),
        ("2.999", False),  # as given: only an encoder's reading has steps
        ("2.99999999999999999999999999999999", False),
        ("3", True),
        ("3.0", True),
        ("11", True),
    ],
)
def test_a_spin_counts_from_exactly_three_turns_up(turns: str, counts: bool, rules: WheelOfFortuneRules) -> None:
    reason = respin_reason(Spin(Decimal(turns), 1), rules)
    assert reason == (None if counts else RespinReason.FEWER_THAN_THREE_TURNS)


@pytest.mark.article("wheel_of_fortune", "reading 7")
@pytest.mark.article("wheel_of_fortune", "4.2")
def test_interference_makes_a_spin_void(rules: WheelOfFortuneRules) -> None:
    assert respin_reason(Spin(FOUR_TURNS, 1, interfered=True), rules) is RespinReason.INTERFERENCE


@pytest.mark.article("wheel_of_fortune", "reading 5")
@pytest.mark.article("wheel_of_fortune", "5")
def test_an_indicator_on_a_peg_shows_no_section(rules: WheelOfFortuneRules) -> None:
    assert respin_reason(Spin(FOUR_TURNS, None, on_peg=True), rules) is RespinReason.ON_PEG


@pytest.mark.article("wheel_of_fortune", "reading 10")
@pytest.mark.parametrize(
    ("turns", "on_peg", "interfered", "reason"),
    [
        ("2", False, False, "fewer_than_three_turns"),
        ("2", True, False, "fewer_than_three_turns"),
        ("2", False, True, "fewer_than_three_turns"),
        ("2", True, True, "fewer_than_three_turns"),
        ("4", True, False, "on_peg"),
        ("4", True, True, "on_peg"),
        ("4", False, True, "interference"),
        ("4", False, False, None),
    ],
)
def test_of_several_reasons_the_first_is_named(
    turns: str, on_peg: bool, interfered: bool, reason: str | None, rules: WheelOfFortuneRules
) -> None:
    spin = Spin(Decimal(turns), None if on_peg else 1, on_peg, interfered)
    assert respin_reason(spin, rules) == reason


@pytest.mark.article("wheel_of_fortune", "2")
@pytest.mark.article("wheel_of_fortune", "4.4")
def test_no_bet_is_settled_when_the_wheel_is_spun_again(rules: WheelOfFortuneRules) -> None:
    played = Round(Spin(Decimal("2.5"), 1), (Bet("a", BetName.SYMBOL_1, 100),))
    assert settle(played, rules) == Settlement(RespinReason.FEWER_THAN_THREE_TURNS, ())


def test_another_pay_table_pays_otherwise(rules: WheelOfFortuneRules) -> None:
    other = replace(rules, pays=(2, 3, 4, 5, 6, 7, 8), full_turns=5)
    for bet in BetName:
        settled = settle(Round(Spin(Decimal(5), symbol_of(bet)), (Bet("a", bet, 1),)), other)
        assert settled.bets[0].net == symbol_of(bet) + 1
    assert respin_reason(Spin(Decimal("4.99"), 1), other) is not None


BETS = st.builds(Bet, st.sampled_from("abc"), st.sampled_from(list(BetName)), st.integers(1, 10**9))
ROUNDS = st.builds(
    Round,
    st.builds(Spin, st.decimals(3, 20), st.integers(1, 7)),
    st.lists(BETS, max_size=12).map(tuple),
)


@given(ROUNDS)
def test_house_pays_what_bettors_win_and_keeps_their_losses(played: Round) -> None:
    settled = settle(played, load_rules("wheel_of_fortune"))
    times = dict(LAW)
    taken = sum(bet.bet.stake for bet in settled.bets if bet.outcome == "lose")
    paid = sum(times[bet.bet.bet] * bet.bet.stake for bet in settled.bets if bet.outcome == "win")
    assert sum(bet.net for bet in settled.bets) + taken - paid == 0
    assert [bet.bet for bet in settled.bets] == list(played.bets)
    assert all(
        (bet.net > 0) == (bet.outcome == "win") == (symbol_of(bet.bet.bet) == played.spin.symbol)
        for bet in settled.bets
    )
    assert all(bet.net >= -bet.bet.stake for bet in settled.bets)


@given(ROUNDS)
def test_the_order_of_the_bets_moves_no_money(played: Round) -> None:
    rules = load_rules("wheel_of_fortune")
    turned = replace(played, bets=played.bets[::-1])
    assert settle(turned, rules).bets == settle(played, rules).bets[::-1]
