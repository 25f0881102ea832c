"""The wheel as it is set up: what stands where around its rim."""

import pytest

from tablectl.core.games.wheel_of_fortune.game import WheelOfFortuneGame
from tablectl.core.games.wheel_of_fortune.sections import SECTIONS, count_sections
from tablectl.core.games.wheel_of_fortune.spin_result import PAYS_BY_LAW
from tablectl.core.games.wheel_of_fortune.state import LAYOUT, Settings, spread
from tablectl.core.json_form import FormError
from tests.support.wheel_of_fortune import rules

OTHER = (*[1] * 24, *[2] * 12, *[3] * 8, *[4] * 4, *[5] * 2, 6, 7)


@pytest.mark.article("wheel_of_fortune", "1.2")
def test_the_usual_rim_has_the_sections_of_the_law() -> None:
    assert count_sections(LAYOUT) == rules().sections
    assert len(LAYOUT) == SECTIONS


@pytest.mark.parametrize("symbol", range(1, 8))
def test_symbols_are_spread_evenly_around_the_rim(symbol: int) -> None:
    at = [nth for nth, shown in enumerate(LAYOUT) if shown == symbol]
    gaps = [(after - before) % SECTIONS or SECTIONS for before, after in zip(at, [*at[1:], at[0]], strict=True)]
    even = SECTIONS / len(at)
    assert all(abs(gap - even) < 3 for gap in gaps)


def test_the_two_single_sections_face_each_other() -> None:
    assert (LAYOUT.index(6) - LAYOUT.index(7)) % SECTIONS == SECTIONS / 2


def test_a_rim_of_one_symbol_each_is_spread_as_well() -> None:
    assert sorted(spread((1, 2, 3))) == [1, 2, 2, 3, 3, 3]


@pytest.mark.article("wheel_of_fortune", "1.2")
def test_any_rim_with_the_sections_of_the_law_is_taken() -> None:
    game = WheelOfFortuneGame(rules(), Settings(layout=OTHER))
    assert (game.name, game.rules_version) == ("wheel_of_fortune", "42/2003")


@pytest.mark.article("wheel_of_fortune", "1.2")
@pytest.mark.parametrize("layout", [(), OTHER[1:], (*OTHER, 1), (*OTHER, 8), (2, *OTHER[1:]), (0, *OTHER[1:])])
def test_rim_with_other_sections_is_an_error_of_the_setting(layout: tuple[int, ...]) -> None:
    with pytest.raises(FormError, match="24, 12, 8, 4, 2, 1, 1 sections of the symbols 1 to 7 are expected") as wrong:
        WheelOfFortuneGame(rules(), Settings(layout=layout))
    assert "layout" in str(wrong.value)


@pytest.mark.article("wheel_of_fortune", "6.1 to 6.6")
def test_round_names_no_pay_table_where_it_is_the_laws() -> None:
    assert rules().pays == PAYS_BY_LAW
