"""What the bank must hold, and what a banker who won leaves in it: article 4, between rounds."""

import pytest

from tablectl.core.events.round import BetPlaced
from tablectl.core.facts.table_requests import Correction, RoundCorrected
from tests.support.chinese_dice import LOSS, STORM, after_rounds, chips, new_table, point, said
from tests.support.sitting import refused


@pytest.mark.article("chinese_dice", "4.c")
def test_the_house_has_a_least_capital() -> None:
    table = new_table(least_capital=500_00).seat_all()
    assert refused(table.take(1, capital=499_99)) == ("4(c)", "capital_too_small")
    assert refused(table.take(1, capital=500_00)) is None


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.parametrize("capital", [0, -1])
def test_a_bank_without_capital_is_none(capital: int) -> None:
    table = new_table(least_capital=0).seat_all()
    assert refused(table.take(1, capital=capital)) == ("4(c)", "capital_too_small")


@pytest.mark.article("chinese_dice", "4.d")
@pytest.mark.article("chinese_dice", "reading 9")
@pytest.mark.article("chinese_dice", "reading 14")
def test_banker_who_won_leaves_capital_and_winnings_net_of_commission() -> None:
    table = after_rounds(True, capital=1_000_00)
    assert table.state.banker.capital == 1_096_00
    assert refused(table.take(1, capital=1_095_99)) == ("4(d)", "capital_reduced")
    assert refused(table.open_round()) is None


@pytest.mark.article("chinese_dice", "4.d")
def test_banker_who_won_may_add_and_then_take_addition_back() -> None:
    table = after_rounds(True)
    assert refused(table.take(1, capital=5_000_00)) is None
    assert table.state.banker.capital == 5_000_00
    assert refused(table.take(1, capital=1_096_00)) is None


@pytest.mark.article("chinese_dice", "4.d")
@pytest.mark.article("chinese_dice", "reading 9")
@pytest.mark.parametrize("places", [(LOSS,), (point(3), point(3))])
def test_banker_who_lost_or_broke_even_states_their_capital_anew(places: tuple[tuple[int, ...], ...]) -> None:
    table = new_table().begin(chips())
    table.play(*places)
    assert refused(table.open_round()) == ("4(c)", "capital_missing")
    assert refused(table.take(1, capital=1)) is None
    assert refused(table.open_round()) is None


@pytest.mark.article("chinese_dice", "4.d")
def test_giving_up_and_retaking_the_bank_frees_no_winnings() -> None:
    table = after_rounds(True)
    for place in (1, 2, 3, 5):
        table.decline(place)
    assert refused(table.take(1, capital=1_000_00)) == ("4(d)", "capital_reduced")
    table.decline(1)
    table.take(2)
    table.begin(chips(1, "ben"))
    table.play(LOSS)
    table.decline(2)
    assert refused(table.take(1, capital=1_00)) is None


@pytest.mark.article("chinese_dice", "reading 21")
@pytest.mark.parametrize(
    ("won", "amount", "least"), [(True, -50_00, 1_046_00), (True, -96_00, 0), (False, 150_00, 1_050_00)]
)
def test_what_a_banker_leaves_follows_a_correction_by_hand(won: bool, amount: int, least: int) -> None:
    table = new_table().begin(chips())
    table.play(STORM if won else LOSS)
    bettor, round_id = table.state.banker.bettor, table.state.round_id
    table.tell(RoundCorrected(round_id, "paid wrongly", (Correction(bettor, amount),)), second="rui")
    assert table.state.tenure.least == table.state.banker.capital == least
    if least:
        assert refused(table.take(1, capital=least - 1)) == ("4(d)", "capital_reduced")


@pytest.mark.article("chinese_dice", "4.d")
def test_void_round_counts_for_nothing_and_leaves_the_obligation() -> None:
    table = after_rounds(True)
    table.begin(chips(2, "di"))
    table.void()
    assert refused(table.open_round()) == ("4(d)", "capital_reduced")
    assert refused(table.take(1, capital=1_000_00)) == ("4(d)", "capital_reduced")
    table.take(1, capital=1_096_00)
    table.begin(chips(2, "ann"))
    table.void()
    table.take(1, capital=1_096_00)
    assert refused(table.open_round()) is None


@pytest.mark.article("chinese_dice", "4.d")
@pytest.mark.article("chinese_dice", "reading 20")
def test_a_banker_with_associates_leaves_their_own_part_rounded_down() -> None:
    table = new_table().begin(chips(2, "ann"), capital=1_000_00)
    table.associate("di", 300_00)
    table.play(STORM)
    assert table.state.banker.capital == 1_000_00 + 96_00 * 1_000_00 // 1_300_00


@pytest.mark.article("chinese_dice", "4.d")
def test_partners_and_casino_take_their_share_of_the_win() -> None:
    table = new_table().begin(chips(2, "ann", 1_500_00), capital=1_000_00, share=500_00)
    table.play(STORM)
    assert table.state.banker.capital == 1_960_00


@pytest.mark.article("chinese_dice", "4.d")
def test_another_person_at_the_winners_place_is_free() -> None:
    table = after_rounds(True)
    table.leave(1)
    table.leave(2)
    for place in (3, 5):
        table.decline(place)
    table.seat(1, "eve")
    assert refused(table.take(1, "eve", capital=1_00)) is None


@pytest.mark.article("chinese_dice", "4.d")
@pytest.mark.article("chinese_dice", "reading 21")
def test_obligation_goes_with_the_person_to_another_place() -> None:
    table = after_rounds(True)
    table.leave(1)
    table.seat(8, "ben")
    for place in (2, 3, 5):
        table.decline(place)
    assert refused(table.take(8, capital=1_000_00)) == ("4(d)", "capital_reduced")


@pytest.mark.article("chinese_dice", "4.d")
@pytest.mark.article("chinese_dice", "reading 21")
def test_obligation_ends_with_the_turn_of_two_rounds() -> None:
    table = after_rounds(True, True)
    table.waive()
    assert refused(table.take(1, capital=1_00)) is None


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.article("chinese_dice", "reading 21")
def test_banker_adds_capital_until_the_throw_and_takes_none_back() -> None:
    table = new_table().begin(chips(), capital=1_000_00)
    assert said(table.take(1, capital=1_500_00), BetPlaced).stake == "500.00"
    assert refused(table.take(1, capital=1_400_00)) == ("4(c)", "round_open")
    table.close()
    assert refused(table.take(1, capital=1_600_00)) is None
    table.throw((1, 2, 4))
    assert refused(table.take(1, capital=1_700_00)) == ("4(c)", "round_open")
    assert table.state.banker.capital == 1_600_00
