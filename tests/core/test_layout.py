"""What a table looks like: every name has its words, and the chips make the stakes that the house takes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl import words
from tablectl.core.actions.layout import CHIPS, Layout, chips_for
from tablectl.core.bets.ratios import Ratio, highest
from tablectl.core.bets.stakes import Limits
from tablectl.core.events.text import Saying
from tests.core.test_offers import WAYS

all_games = pytest.mark.parametrize("game", WAYS)


def labels(layout: Layout) -> list[Saying]:
    """Every text of a layout."""
    listed = (layout.bets, layout.decisions, layout.irregularities, layout.reasons, layout.dealing, layout.sections)
    return [each.label for part in listed for each in part]


@all_games
def test_every_name_on_layout_has_its_words_in_every_language(game: str) -> None:
    told = [text for label in labels(WAYS[game].game.layout()) for text in words.say(label).values()]
    assert told
    assert [text for text in told if not text or "." in text or "{" in text] == []


@all_games
def test_what_can_be_declared_names_an_article_of_the_law(game: str) -> None:
    layout = WAYS[game].game.layout()
    declared = (*layout.irregularities, *layout.reasons)
    house_rules = {each for each in declared if each.kind.startswith("did_not_")}
    assert {each.article for each in house_rules} <= {"table"}
    assert all(each.article[0].isdigit() for each in declared if each not in house_rules)


@all_games
def test_declaration_about_a_place_asks_for_and_names_it(game: str) -> None:
    name = WAYS[game].game.name
    for each in WAYS[game].game.layout().irregularities:
        text = words.catalogue("en")[f"irregular.{name}.{each.kind}"]
        told = "place" in each.needs or each.kind == "did_not_shake"  # whose turn it is the table knows
        assert ("{place}" in text) == told, each.kind


@all_games
def test_pays_on_layout_are_those_of_the_rules(game: str) -> None:
    procedure: Any = WAYS[game].game
    most = procedure.rules.most_pays() or {"place": Ratio(1, 1)}
    told = {bet.name: bet.pays for bet in procedure.layout().bets if bet.pays}
    assert {name: highest(pays.values()) for name, pays in told.items()} == most


@all_games
def test_least_stake_can_be_laid_with_chips_of_layout(game: str) -> None:
    layout = WAYS[game].game.layout()
    assert layout.chips
    assert all(not chip % bet.limits.step for bet in layout.bets for chip in layout.chips)


@given(st.integers(1, 10**7), st.integers(0, 10**9), st.sampled_from((1, 50, 100, 500, 2500, 100_000, 7)))
def test_chips_are_whole_steps_up_to_the_maximum(least: int, more: int, step: int) -> None:
    limits = Limits(least, least + more, step)
    chips = chips_for(limits)
    assert chips == tuple(sorted(chips))
    assert all(not chip % step for chip in chips)
    assert chips == (step,) or max(chips) <= limits.most


def test_a_house_that_takes_anything_has_every_chip() -> None:
    assert chips_for(Limits()) == CHIPS


def test_uselessly_small_chips_are_left_out() -> None:
    assert chips_for(Limits(100_00, 5_000_00, 50_00)) == (100_00, 500_00, 1_000_00, 5_000_00)


def test_a_step_that_no_chip_makes_is_a_chip_itself() -> None:
    assert chips_for(Limits(7, 690, 7)) == (7,)
