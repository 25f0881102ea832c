"""Whole rounds of both games of poker with any bets and any cards: what moves no money, and what lies open."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.cards import PACK, Card
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.facts.table_requests import BetOffered
from tests.support.poker import SHOE
from tests.support.pokers import FOOTBALL_POKER, POKERS, Q_POKER, Poker, both_games
from tests.support.ways import both_ways


@st.composite
def some_bets(draw: st.DrawFn) -> tuple[Poker, list[BetOffered]]:
    """Up to six bets of one of the games."""
    poker = draw(st.sampled_from(POKERS))
    bets = st.builds(
        BetOffered,
        st.sampled_from([1, 2, 3] if poker is Q_POKER else [1, 2, 3, poker.last]),
        st.sampled_from(["ann", "bob"]),
        st.sampled_from(poker.bets),
        st.integers(1, 300),
    )
    unique = st.lists(bets, min_size=1, max_size=6, unique_by=lambda bet: (bet.place, bet.bettor, bet.bet))
    return poker, draw(unique)


@given(some_bets(), st.permutations(PACK), st.randoms(use_true_random=False))
def test_order_in_which_the_bets_are_laid_moves_no_money(
    laid: tuple[Poker, list[BetOffered]], pack: list[Card], chance: Random
) -> None:
    poker, bets = laid
    other_order = chance.sample(bets, len(bets))
    assert poker.nets(poker.settled(bets, pack)) == poker.nets(poker.settled(other_order, pack))


@given(some_bets(), st.permutations(PACK))
def test_both_ways_of_dealing_settle_the_same_hands_alike(
    laid: tuple[Poker, list[BetOffered]], pack: list[Card]
) -> None:
    poker, bets = laid
    from_the_shoe = poker.settled(bets, pack)
    hands = {place["place"]: place["cards"] for place in from_the_shoe.round["places"]}
    if poker is Q_POKER:
        hands[poker.last] = from_the_shoe.round["dealer"]
    table = poker.new_table(Dealing.SHUFFLER).begin(*bets).deal(hands)
    assert table.finish(hands).settlement == from_the_shoe.settlement


@both_games
@both_ways
def test_the_good_dealer_comes_to_a_settlement_without_an_irregularity(poker: Poker, dealing: Dealing) -> None:
    assert poker.settled([poker.bet()], [*PACK], dealing).irregularities == ()


# --- what lies open


def hands(table: Any) -> dict[object, list[str | None]]:
    return {hand["place"]: hand["cards"] for hand in table.public()["hands"]}


@pytest.mark.article("q_poker", "7.1")
@pytest.mark.article("football_poker", "6.3")
@both_games
def test_cards_face_down_are_counted_and_not_named(poker: Poker) -> None:
    table = poker.all_dealt(1, 2)
    assert hands(table) == {place: [None] * len(poker.hands[place]) for place in (1, 2, poker.last)}
    assert table.game.unrevealed(table.state) == {card for place in (1, 2, poker.last) for card in poker.hands[place]}


@pytest.mark.article("q_poker", "9.1")
@pytest.mark.article("football_poker", "7")
@pytest.mark.article("football_poker", "9.4")
@both_games
def test_open_hands_and_shown_cards_are_named_only(poker: Poker) -> None:
    table = poker.all_dealt(1, 2)
    table.turn_up(1)
    table.expose(2, 3)
    assert hands(table) == {
        1: [*poker.hands[1]],
        2: [None, None, poker.hands[2][2]],
        poker.last: [None] * poker.size,
    }
    assert table.game.unrevealed(table.state) == {*poker.hands[2][:2], *poker.hands[poker.last]}


@pytest.mark.article("q_poker", "11.4")
@pytest.mark.article("football_poker", "reading 11")
@pytest.mark.parametrize(("poker", "rank"), [(Q_POKER, "hand"), (FOOTBALL_POKER, "total")])
def test_a_hand_without_a_bet_is_shown_face_down(poker: Poker, rank: str) -> None:
    table = poker.new_table().begin(poker.bet(1))
    table.draw("4s")
    table.misplace(3)
    (dead,) = [hand for hand in table.public()["hands"] if hand["dead"]]
    assert dead == {"place": 3, "opened": False, "dead": True, "cards": [None], rank: None}


@both_games
def test_between_rounds_nothing_of_last_one_lies_on_table(poker: Poker) -> None:
    table = poker.all_dealt(1)
    table.finish()
    public = table.public()
    assert (public["round_id"], public["phase"], public["bets"], public["hands"]) == (None, "idle", [], [])
    assert (public.get("draw"), public.get("hold")) == (None, None)
    assert public["pack"] == table.pack


# --- what is prompted


@both_games
@pytest.mark.parametrize(
    ("prompt", "steps"),
    [
        ("misplaced", lambda poker, t: (t.draw("As"), t.misplace(poker.last))),
        ("count", lambda _, t: (t.draw("As"), t.lose(SHOE), t.attach(SHOE))),
        ("deal", lambda _, t: (t.draw("As"), t.lose(SHOE))),
        ("surplus", lambda _, t: (t.deal(), t.draw("3c"))),
        ("pack_unfit", lambda _, t: t.change(Dealing.SHOE)),
        ("open_hands", lambda _, t: (t.deal(), t.lose(SHOE))),
    ],
)
def test_what_stands_in_the_way_is_prompted_first(
    poker: Poker, prompt: str, steps: Callable[[Poker, Any], object]
) -> None:
    table = poker.new_table().begin(poker.bet())
    steps(poker, table)
    assert table.prompt() == prompt
