"""What the table shows: the next step in words, the draw, and what lies face up and nothing else."""

from collections.abc import Callable

import pytest

from tablectl.core.cards import COMMON
from tablectl.core.facts.game_requests import Dealing
from tests.support.football_poker import POST, Sitting, bet, new_table

Steps = Callable[[Sitting], object]


def hands(table: Sitting) -> dict[object, list[str | None]]:
    return {hand["place"]: hand["cards"] for hand in table.public()["hands"]}


def values(table: Sitting) -> dict[str, str]:
    return dict(table.game.waiting(table.table).values)


@pytest.mark.article("football_poker", "reading 11")
def test_round_from_the_shoe_prompts_every_step_of_the_procedure() -> None:
    steps: list[Steps] = [
        lambda t: t.confirm_pack(),
        lambda t: t.open_round(),
        lambda t: t.commit(),
        lambda t: t.show(),
        lambda t: t.bet(2),
        lambda t: t.close(),
        lambda t: t.draw("Kc"),
        lambda t: t.draw("Th", "2s", "6d"),
        lambda t: t.draw("9s"),
        lambda t: t.open_hand(2),
        lambda t: t.open_hand(COMMON),
    ]
    assert new_table().prompts(steps) == [
        *("pack", "open_round", "drawing", "showing", "betting", "betting", "closed"),
        *("card", "third_card", "open_hands", "open_hands", "open_round"),
    ]


@pytest.mark.article("football_poker", "reading 11")
def test_round_from_the_shuffler_prompts_every_step_of_the_procedure() -> None:
    steps: list[Steps] = [
        lambda t: t.open_round(),
        lambda t: (t.commit(), t.show()),
        lambda t: t.bet(2),
        lambda t: t.close(),
        lambda t: t.shuffled(),
        lambda t: t.packet(),
        lambda t: t.packet(),
        lambda t: t.open_hand(2, "Kc", "Th"),
        lambda t: t.open_hand(COMMON, "2s", "6d"),
        lambda t: t.packet(1),
        lambda t: t.open_hand(2, "Kc", "Th", "9s"),
    ]
    assert new_table(Dealing.SHUFFLER).prompts(steps) == [
        *("open_round", "drawing", "betting_shuffling", "betting_shuffling", "closed_shuffling", "closed"),
        *("packet", "look", "look", "third_card", "open_hands", "open_round"),
    ]


@pytest.mark.article("football_poker", "6.3")
@pytest.mark.article("football_poker", "10.1")
def test_the_prompt_names_the_place_that_is_next() -> None:
    table = new_table().begin(bet(2), bet(3))
    due = []
    for name in ("Kc", "Th", "4h", "5h", "2s", "6d"):
        table.draw(name)
        due.append(values(table)["place"])
    assert due == ["2", "3", "3", COMMON, COMMON, "2"]
    table.draw("9s", "8c")
    assert values(table) == {"place": "2", "number": "3"}
    table.open_hand(2)
    assert values(table) == {"place": "3", "number": "2"}


@pytest.mark.parametrize(("lost", "prompt"), [("display", "device"), ("draw", "betting")])
def test_once_drawn_only_the_display_is_missed(lost: str, prompt: str) -> None:
    table = new_table().begin(bet())
    table.lose(lost)
    assert table.prompt() == prompt


def test_misplaced_card_prompt_names_both_places() -> None:
    table = new_table().begin(bet(4))
    table.draw("As")
    table.misplace(COMMON)
    assert values(table) == {"place": COMMON, "due": "4"}


@pytest.mark.article("football_poker", "6.1")
def test_the_draw_is_public_with_the_numbers_of_both_series() -> None:
    table = new_table().ready()
    assert table.public()["draw"] is None
    table.commit()
    assert table.public()["draw"] == {
        "draw_id": str(table.draw_id),
        "series": "upper",
        "combination": 3,
        "upper": [3, 4, 5, 6],
        "lower": [7, 8, 1, 2],
        "shown": False,
    }
    table.show()
    assert table.public()["draw"]["shown"]


@pytest.mark.article("football_poker", "10.1")
def test_third_card_of_an_open_hand_stays_secret_until_turned() -> None:
    table = new_table().begin(bet(2))
    table.draw(None, "Th", "2s", "6d")
    table.open_hand(2, "Kc", "Th")
    table.draw("9s")
    assert hands(table)[2] == ["Kc", "Th", None]
    assert "9s" in table.game.unrevealed(table.state)
    assert "9s" not in repr(table.events)


def test_with_several_packs_an_open_duplicate_is_no_secret() -> None:
    table = new_table(packs=2).begin(bet(1))
    table.draw("As", "4d", "As", "6d")
    table.open_hand(1)
    assert table.game.unrevealed(table.state) == {"6d"}


def test_bets_are_public() -> None:
    table = new_table().begin(bet(1, stake=12_50), bet(COMMON, POST, "bob"))
    assert table.public()["bets"] == [
        {"place": 1, "bettor": "ann", "bet": "even", "stake": "12.50"},
        {"place": COMMON, "bettor": "bob", "bet": "post", "stake": "100.00"},
    ]
