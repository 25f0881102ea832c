import pytest

from tablectl.core.games.wheel_of_fortune.sections import SECTIONS, SYMBOLS, BetName, count_sections, symbol_of
from tablectl.rule_tables import load_rules

# Artigo 1.º, 2.: section by section, a digit for the symbol that each shows.
LAW_SECTIONS = "1" * 24 + "2" * 12 + "3" * 8 + "4" * 4 + "5" * 2 + "6" + "7"


@pytest.mark.article("wheel_of_fortune", "1.2")
def test_the_52_sections_are_those_of_article_1() -> None:
    sections = load_rules("wheel_of_fortune").sections
    assert "".join(str(symbol) * times for symbol, times in enumerate(sections, 1)) == LAW_SECTIONS
    assert len(LAW_SECTIONS) == SECTIONS == 52


@pytest.mark.article("wheel_of_fortune", "1.2")
@pytest.mark.parametrize("layout", [LAW_SECTIONS, LAW_SECTIONS[::-1], LAW_SECTIONS[7:] + LAW_SECTIONS[:7]])
def test_lawful_wheel_has_its_sections_wherever_around_rim_they_stand(layout: str) -> None:
    assert count_sections([int(symbol) for symbol in layout]) == (24, 12, 8, 4, 2, 1, 1)


@pytest.mark.parametrize(
    ("layout", "counts"),
    [([], (0,) * 7), ([7, 7, 1], (1, 0, 0, 0, 0, 0, 2)), ([1, 8, 0, -1], (1, 0, 0, 0, 0, 0, 0))],
)
def test_what_a_layout_shows_is_counted_symbol_by_symbol(layout: list[int], counts: tuple[int, ...]) -> None:
    assert count_sections(layout) == counts


@pytest.mark.article("wheel_of_fortune", "3.1")
def test_there_is_a_bet_on_each_symbol() -> None:
    assert [(str(bet), symbol_of(bet)) for bet in BetName] == [
        *(("symbol_1", 1), ("symbol_2", 2), ("symbol_3", 3), ("symbol_4", 4)),
        *(("symbol_5", 5), ("symbol_6", 6), ("symbol_7", 7)),
    ]
    assert len(BetName) == SYMBOLS
