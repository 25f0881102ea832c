"""What the table shows: the next step in words, and what lies face up and nothing else."""

from collections.abc import Callable

import pytest

from tablectl.core.cards import DEALER
from tablectl.core.facts.game_requests import Dealing
from tests.support.q_poker import HANDS, Sitting, new_table, pair, versus

Steps = Callable[[Sitting], object]


def test_round_from_the_shoe_prompts_every_step_of_the_procedure() -> None:
    steps: list[Steps] = [
        lambda t: t.confirm_pack(),
        lambda t: t.open_round(),
        lambda t: t.bet(),
        lambda t: t.close(),
        lambda t: t.draw("As"),
        lambda t: t.draw("Qs", "Ks", "7h", "Qd", "2c"),
        lambda t: t.open_hand(1),
        lambda t: t.decide(),
        lambda t: t.open_hand(DEALER),
    ]
    assert new_table().prompts(steps) == [
        *("pack", "open_round", "betting", "betting", "closed", "card"),
        *("open_hands", "decisions", "open_dealer", "pack"),
    ]


def test_round_from_the_shuffler_prompts_every_step_of_the_procedure() -> None:
    steps: list[Steps] = [
        lambda t: t.open_round(),
        lambda t: t.bet(bet="pair_or_better"),
        lambda t: t.close(),
        lambda t: t.shuffled(),
        lambda t: t.packet(),
        lambda t: t.packet(),
        lambda t: t.open_hand(1, *HANDS[1]),
        lambda t: t.open_hand(DEALER, *HANDS[DEALER]),
    ]
    assert new_table(Dealing.SHUFFLER).prompts(steps) == [
        *("open_round", "betting_shuffling", "betting_shuffling", "closed_shuffling", "closed"),
        *("packet", "open_hands", "open_dealer", "open_round"),
    ]


@pytest.mark.article("q_poker", "7.1")
def test_the_prompt_names_the_place_whose_card_is_due() -> None:
    table = new_table().begin(versus(2), versus(5))
    due = []
    for name in ("As", "Qs", "Ks", "7h"):
        table.draw(name)
        due.append(dict(table.game.waiting(table.table).values)["place"])
    assert due == ["5", "dealer", "2", "5"]


def test_prompts_name_the_places_that_are_missing_in_their_order() -> None:
    table = new_table(places=12).begin(versus(11), versus(2), pair(3))
    table.deal({2: ("As", "Ks", "Qd"), 3: HANDS[3], 11: HANDS[2], DEALER: HANDS[DEALER]})
    assert table.game.waiting(table.table).values == (("places", "2, 3, 11"),)
    table.open_hand(3)
    assert table.game.waiting(table.table).values == (("places", "2, 11"),)
    table.turn_up_players()
    assert table.game.waiting(table.table).values == (("places", "2, 11"),)


def test_a_card_without_a_place_is_face_down() -> None:
    table = new_table().begin(versus(1)).deal()
    table.draw("4s")
    assert "4s" in table.game.unrevealed(table.state)
    assert "4s" not in repr(table.public())


def test_bets_and_decisions_are_public() -> None:
    table = new_table().begin(versus(1, "ann", 12_50), pair(1, "bob")).deal().turn_up_players()
    table.decide(1, "ann", "withdraw")
    assert table.public()["bets"] == [
        {"place": 1, "bettor": "ann", "bet": "versus_dealer", "stake": "12.50", "decision": "withdraw"},
        {"place": 1, "bettor": "bob", "bet": "pair_or_better", "stake": "10.00", "decision": None},
    ]
