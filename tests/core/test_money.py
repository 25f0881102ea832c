from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.money import MONEY_LENGTH_MAX, ceil_share, floor_share, format_money, parse_money

STAKES = st.integers(0, 10**15)
SHARES = st.tuples(st.integers(-40, 40), st.integers(1, 100))


@pytest.mark.parametrize(
    ("text", "hundredths"),
    [
        ("0", 0),
        ("1", 100),
        ("100", 10000),
        ("0.5", 50),
        ("0.50", 50),
        ("0.05", 5),
        ("0.0", 0),
        ("12.34", 1234),
    ],
)
def test_an_amount_has_at_most_two_places(text: str, hundredths: int) -> None:
    assert parse_money(text) == hundredths


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "-1",
            "+1",
            " 1",
            "1 ",
            "1\n",
            "01",
            "00",
            "00.5",
            ".5",
            "1.",
            "1.234",
            "1.000",
            "1e2",
            "1E2",
            "0x1",
        ),
        *(
            "1,0",
            "1_000",
            "1 000",
            "NaN",
            "Infinity",
            "１",
            "٣",
            "1.٣",
            "²",
            "1.0.0",
            "--1",
            "100 MOP",
            "\x001",
        ),
    ],
)
def test_any_other_form_of_an_amount_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="isn't an amount"):
        parse_money(text)


def test_an_amount_too_long_to_be_one_is_refused() -> None:
    assert parse_money("9" * MONEY_LENGTH_MAX) == (10**MONEY_LENGTH_MAX - 1) * 100
    with pytest.raises(ValueError, match="at most 4300 characters"):
        parse_money("9" * (MONEY_LENGTH_MAX + 1))


@pytest.mark.parametrize(
    ("hundredths", "text"),
    [
        (0, "0.00"),
        (5, "0.05"),
        (-5, "-0.05"),
        (-50, "-0.50"),
        (9500, "95.00"),
        (-10000, "-100.00"),
        (101, "1.01"),
    ],
)
def test_amount_is_written_with_two_places_and_sign_when_negative(hundredths: int, text: str) -> None:
    assert format_money(hundredths) == text


@given(STAKES)
def test_what_is_written_reads_back(hundredths: int) -> None:
    assert parse_money(format_money(hundredths)) == hundredths


@given(STAKES, SHARES)
def test_shares_are_exact_before_they_are_rounded_down_or_up(stake: int, share: tuple[int, int]) -> None:
    numerator, denominator = share
    exact = Fraction(stake * numerator, denominator)
    assert floor_share(stake, numerator, denominator) == floor(exact)
    assert ceil_share(stake, numerator, denominator) == ceil(exact)
