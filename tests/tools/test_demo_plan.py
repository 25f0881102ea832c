"""The demo's rounds follow from the seed and their numbers alone."""

from itertools import islice, pairwise

import pytest

from tablectl.core.cards import DEALER, PACK
from tablectl.core.facts.game_requests import Dealing
from tablectl.features.demo.customs import Custom
from tablectl.features.demo.deal import SHOE_ONLY
from tablectl.features.demo.games.q_poker import MISHAPS, Mishap, Plan, plans
from tablectl.features.demo.script import Moment
from tablectl.players.q_poker import HAND_SIZE, plays

SEEDS = range(1, 40)


def first(count: int, seed: int = 7, irregular: float = 0.2) -> list[Plan]:
    return list(islice(plans(seed, irregular), count))


def struck(seed: int = 7) -> dict[Mishap | Custom, Plan]:
    return {plan.mishap: plan for plan in first(1 + len(MISHAPS), seed, 1) if plan.mishap}


def test_the_same_seed_plans_the_same_rounds() -> None:
    assert first(50) == first(50)


def test_another_seed_plans_other_rounds() -> None:
    assert first(1, seed=7)[0].pack != first(1, seed=8)[0].pack


@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_round_is_regular_and_dealt_from_the_shoe(seed: int) -> None:
    (plan,) = first(1, seed, irregular=1)
    assert (plan.mishap, plan.dealing) == (None, Dealing.SHOE)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_mishap_comes_before_one_comes_again(seed: int) -> None:
    assert set(struck(seed)) == set(MISHAPS)


def test_no_mishap_comes_where_none_is_wanted() -> None:
    assert all(plan.mishap is None for plan in first(60, irregular=0))


def test_about_one_round_in_five_goes_wrong() -> None:
    wrong = sum(plan.mishap is not None for seed in SEEDS for plan in first(50, seed))
    assert 0.15 < wrong / (50 * len(SEEDS)) < 0.25


def test_both_ways_of_dealing_are_shown_and_shoe_more_often() -> None:
    ways = [plan.dealing for plan in first(60)]
    assert 10 <= ways.count(Dealing.SHUFFLER) <= 30


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mishap_of_a_device_comes_while_that_device_deals(seed: int) -> None:
    dealing = {str(mishap): plan.dealing for mishap, plan in struck(seed).items()}
    assert {dealing[mishap] for mishap in SHOE_ONLY} == {Dealing.SHOE}
    assert dealing[Mishap.SHUFFLER_JAM] is Dealing.SHUFFLER


def test_a_shuffler_that_jammed_does_not_deal_the_next_round() -> None:
    rounds = [plan for seed in SEEDS for plan in first(30, seed, 1)]
    after = [later for plan, later in pairwise(rounds) if plan.mishap is Mishap.SHUFFLER_JAM]
    assert after
    assert all(plan.dealing is Dealing.SHOE for plan in after)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_round_has_one_whole_pack_and_enough_of_it(seed: int) -> None:
    for plan in first(20, seed, 1):
        assert sorted(plan.pack) == sorted(PACK)
        assert (len(plan.places) + 2) * HAND_SIZE <= len(PACK)


@pytest.mark.parametrize("seed", SEEDS)
def test_two_to_four_places_bet_with_the_dealer_last(seed: int) -> None:
    for plan in first(20, seed):
        assert 2 <= len(plan.places) <= 4
        assert plan.order[-1] == DEALER
        assert plan.order[: len(plan.places)] == plan.places


def test_several_people_bet_on_one_place() -> None:
    (plan,) = first(1)
    assert any(len({bet.bettor for bet in plan.bets if bet.place == place}) > 1 for place in plan.places)


def test_nobody_makes_one_bet_twice() -> None:
    for plan in first(60):
        made = [(bet.place, bet.bettor, bet.bet) for bet in plan.bets]
        assert len(made) == len(set(made))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_stray_card_goes_to_a_place_without_a_bet(seed: int) -> None:
    plan = struck(seed)[Mishap.PLACE_WITHOUT_BET]
    assert plan.stray not in plan.places
    assert plan.order[plan.step] != DEALER


@pytest.mark.parametrize("seed", SEEDS)
def test_misplaced_card_goes_to_another_hand_and_is_not_last(seed: int) -> None:
    for mishap in (Mishap.MENDED, Mishap.WRONG_ORDER):
        plan = struck(seed)[mishap]
        assert plan.stray in plan.order
        assert plan.stray != plan.order[plan.step]
        assert plan.step < len(plan.order) - 1


@pytest.mark.parametrize("seed", SEEDS)
def test_exposed_card_is_of_the_hand_that_the_mishap_names(seed: int) -> None:
    by_mishap = struck(seed)
    dealers, players = by_mishap[Mishap.DEALER_CARD_EXPOSED], by_mishap[Mishap.PLAYER_CARD_EXPOSED]
    assert dealers.order[dealers.step] == DEALER
    assert players.order[players.step] != DEALER


def test_every_kind_of_refusal_is_tried() -> None:
    tried = {plan.refused[1] for plan in first(60) if plan.refused}
    assert tried == set(Moment)


def test_most_good_hands_play_and_most_bad_ones_do_not() -> None:
    bet = first(1)[0].bets[0].named()
    moods = [(plays(f"{seed}/1", bet, good_hand=True), plays(f"{seed}/1", bet, good_hand=False)) for seed in range(500)]
    assert sum(good for good, _ in moods) > 450
    assert 25 < sum(bad for _, bad in moods) < 150
