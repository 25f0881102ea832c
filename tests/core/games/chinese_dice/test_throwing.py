"""The dice: in which order, by whom, until when, and what doesn't count. Articles 1, 2, 3(b), 3(c), 5 and 6."""

import pytest

from tablectl.core.dice import Throw
from tablectl.core.events import BettingOver, DiceShown, Irregular, Settled
from tablectl.core.facts import BANKER, BetOffered, DiceThrown
from tablectl.core.faults import Code
from tablectl.core.games.chinese_dice.state import Doubt, Phase
from tests.support.chinese_dice import (
    LOSS,
    NOTHING,
    READER,
    STORM,
    TRIPLE,
    DiceTable,
    chips,
    irregularity,
    nets,
    new_table,
    point,
    said,
)
from tests.support.sitting import events, refused

BY_HAND = pytest.param("", id="by hand")
BY_READER = pytest.param(READER, id="by reader")
both = pytest.mark.parametrize("reader", [BY_HAND, BY_READER])


def rolls(table: DiceTable, dice: tuple[int, ...], flaw: str = "") -> DiceShown:
    """A throw of whoever is due, read by the reader or by the dealer."""
    followed = table.throw(dice, flaw=flaw) if table.settings.dice else table.enter(dice, flaw=flaw)
    return said(followed, DiceShown)


def due(table: DiceTable) -> tuple[int, str]:
    """Whose throw it is: the place, and who throws for it."""
    about = table.public()["due"]
    assert about["to"] == "throw"
    return about["place"], about["bettor"]


# --- the order and the end of a turn


@pytest.mark.article("chinese_dice", "2.a")
@pytest.mark.article("chinese_dice", "2.c")
@pytest.mark.article("chinese_dice", "reading 2")
@both
def test_the_banker_throws_first_then_the_places_counter_clockwise_from_his_right(reader: str) -> None:
    table = new_table(dice=reader).seat_all({6: "ben", 2: "ann"})
    table.decline(2)
    table.begin(chips(2, "ann"), chips(7, "ann"), chips(5, "ann"), chips(8, "ann"))
    order = []
    for dice in (point(3), point(4), point(4), point(4), point(4)):
        order.append(due(table)[0])
        rolls(table, dice)
        table.pay_all_but_thrown()
    assert order == [6, 7, 8, 2, 5]
    assert table.phase == Phase.IDLE


@pytest.mark.article("chinese_dice", "2.a")
@pytest.mark.article("chinese_dice", "reading 12")
@both
def test_each_throws_until_his_dice_decide_however_often(reader: str) -> None:
    table = new_table(dice=reader).begin(chips())
    for _ in range(30):
        assert rolls(table, NOTHING).combination is None
    assert due(table) == (1, "ben")
    rolls(table, point(3))
    for _ in range(30):
        rolls(table, (2, 3, 5))
        assert due(table) == (2, "ann")
    rolls(table, point(4))
    table.pay()
    settled = table.all_of(Settled)[-1]
    assert len(settled.round["banker"]["throws"]) == len(settled.round["places"][0]["throws"]) == 31


@pytest.mark.article("chinese_dice", "2.a")
@pytest.mark.article("chinese_dice", "6")
@pytest.mark.parametrize(
    ("dice", "name"),
    [
        (STORM, "4-5-6"),
        (TRIPLE, "triple"),
        *((point(odd), f"pair+{odd}") for odd in range(1, 7)),
        (LOSS, "1-2-3"),
        (NOTHING, None),
        ((5, 6, 3), None),
    ],
)
def test_a_throw_is_told_with_its_combination(dice: tuple[int, ...], name: str | None) -> None:
    shown = rolls(new_table().begin(chips()), dice)
    assert (shown.place, shown.dice, shown.valid, shown.combination, shown.flaw) == (1, dice, True, name, "")


@pytest.mark.article("chinese_dice", "1.b")
@pytest.mark.article("chinese_dice", "2.b")
def test_the_bankers_combination_is_marked_for_everybody_to_see() -> None:
    table = new_table().begin(chips())
    assert table.public()["banker"]["combination"] is None
    table.throw(NOTHING)
    assert table.public()["banker"]["combination"] is None
    table.throw(point(3))
    assert table.public()["banker"]["combination"] == "pair+3"


@pytest.mark.article("chinese_dice", "3.b")
@pytest.mark.article("chinese_dice", "3.c")
@pytest.mark.article("chinese_dice", "reading 11")
@pytest.mark.parametrize(
    ("bets", "who"),
    [
        ([chips(2, "ann", 100), chips(2, "cy", 200), chips(2, "di", 150)], "cy"),
        ([chips(2, "ann", 100), chips(2, "cy", 200), chips(2, "di", 200)], "cy"),
        ([chips(2, "ann", 100), chips(2, "cy", 200), chips(2, "ann", 100)], "ann"),
        ([chips(2, "ann", 100), chips(3, "cy", 200)], "ann"),
    ],
)
def test_the_highest_bettor_throws_for_a_place_and_of_equals_the_first(bets: list[BetOffered], who: str) -> None:
    table = new_table().begin(*bets)
    table.throw(point(3))
    assert due(table) == (2, who)
    assert table.prompted() == ("throwing", {"place": "2", "bettor": who})


@pytest.mark.article("chinese_dice", "5.a")
@pytest.mark.article("chinese_dice", "5.b")
@pytest.mark.article("chinese_dice", "reading 4")
@pytest.mark.parametrize(("dice", "net"), [(STORM, "-100.00"), (TRIPLE, "-100.00"), (LOSS, "96.00")])
def test_where_the_bankers_throw_decides_nobody_else_throws(dice: tuple[int, ...], net: str) -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(dice)
    assert table.phase == Phase.PAYING
    table.pay()
    assert table.phase == Phase.PAYING
    table.pay()
    settled = table.all_of(Settled)[-1]
    assert nets(settled) == {(2, "ann"): net, (3, "cy"): net}
    assert [place["throws"] for place in settled.round["places"]] == [[], []]


@pytest.mark.article("chinese_dice", "5.a")
@pytest.mark.article("chinese_dice", "reading 3")
@pytest.mark.article("chinese_dice", "reading 5")
@pytest.mark.parametrize("banker", [point(6), point(1)])
def test_two_alike_with_a_six_or_a_one_are_points_that_the_places_throw_against(banker: tuple[int, ...]) -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    settled = table.play(banker, TRIPLE, LOSS)
    assert nets(settled) == {(2, "ann"): "96.00", (3, "cy"): "-100.00"}


@pytest.mark.article("chinese_dice", "5.c")
def test_equal_values_tie_and_the_stake_goes_back() -> None:
    assert nets(new_table().begin(chips()).play(point(4), (4, 1, 1))) == {(2, "ann"): "0.00"}


# --- throws that don't count


@pytest.mark.article("chinese_dice", "2.e")
@pytest.mark.article("chinese_dice", "reading 13")
@both
@pytest.mark.parametrize("flaw", ["cocked", "stacked", "outside", "moved"])
def test_an_invalid_throw_is_repeated_whole(reader: str, flaw: str) -> None:
    table = new_table(dice=reader).begin(chips())
    rolls(table, point(3))
    shown = rolls(table, STORM, flaw)
    assert (shown.place, shown.valid, shown.combination, shown.flaw) == (2, False, None, flaw)
    assert due(table) == (2, "ann")
    rolls(table, point(2))
    table.pay()
    (place,) = table.all_of(Settled)[-1].round["places"]
    assert place["throws"] == [None, [6, 6, 2]]


@pytest.mark.article("chinese_dice", "2.d")
def test_dice_that_do_not_fall_into_the_bowl_together_are_thrown_again() -> None:
    table = new_table().begin(chips())
    table.throw(STORM)
    assert refused(table.invalidate("apart")) is None
    assert (table.phase, due(table)) == (Phase.BANKER_THROWING, (1, "ben"))


@pytest.mark.article("chinese_dice", "1.a")
@pytest.mark.parametrize(
    ("dice", "flaw", "faces"),
    [
        ((), "missing", ()),
        ((4, 5), "missing", (4, 5)),
        ((4, 5, 6, 6), "extra", (4, 5, 6, 6)),
        ((4, 5, 7), "unsure", (4, 5)),
        ((0, -1, 10**20), "unsure", ()),
    ],
)
def test_what_is_not_three_dice_is_no_throw_that_counts(
    dice: tuple[int, ...], flaw: str, faces: tuple[int, ...]
) -> None:
    table = new_table().begin(chips())
    shown = said(table.throw(dice), DiceShown)
    assert (shown.valid, shown.flaw, shown.dice) == (False, flaw, faces)
    assert table.phase == Phase.BANKER_THROWING


@pytest.mark.article("chinese_dice", "2.e")
def test_the_dealer_calls_a_throw_invalid_until_it_is_paid() -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(point(3), STORM)
    shown = said(table.invalidate("cocked"), DiceShown)
    assert (shown.place, shown.dice, shown.valid, shown.flaw) == (2, STORM, False, "cocked")
    assert (table.phase, due(table)) == (Phase.THROWING, (2, "ann"))
    table.throw(point(5))
    table.pay()
    assert refused(table.invalidate("cocked")) == ("2(e)", "no_throw")
    assert due(table) == (3, "cy")


@pytest.mark.article("chinese_dice", "2.e")
@pytest.mark.parametrize("banker", [point(3), STORM, LOSS])
def test_the_bankers_throw_too_while_nothing_followed_from_it(banker: tuple[int, ...]) -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(banker)
    assert refused(table.invalidate("outside")) is None
    assert (table.phase, due(table)) == (Phase.BANKER_THROWING, (1, "ben"))
    table.throw(LOSS)
    table.pay()
    assert refused(table.invalidate("outside")) == ("2(e)", "no_throw")
    table.pay()
    assert table.all_of(Settled)[-1].round["banker"]["throws"] == [None, [3, 1, 2]]


@pytest.mark.article("chinese_dice", "2.e")
def test_a_throw_that_makes_nothing_is_called_invalid_like_any_other() -> None:
    table = new_table().begin(chips())
    table.throw(NOTHING)
    table.invalidate("cocked")
    assert refused(table.invalidate("cocked")) == ("2(e)", "no_throw")
    table.throw(point(3), NOTHING)
    table.invalidate("cocked")
    assert table.play(point(4)).round["places"][0]["throws"] == [None, [6, 6, 4]]


def test_a_throw_that_the_dealer_had_not_seen_is_not_the_one_he_calls_invalid() -> None:
    table = new_table().begin(chips())
    table.throw(NOTHING)
    seen = table.sitting.table.records
    table.throw(NOTHING)
    assert refused(table.invalidate("cocked", seen=seen)) == ("table", "stale_screen")
    assert refused(table.invalidate("cocked", seen=seen + 1)) is None


@pytest.mark.article("chinese_dice", "3.c")
@pytest.mark.article("chinese_dice", "reading 16")
@both
def test_dice_held_away_from_the_table_make_the_throw_invalid_and_are_recorded(reader: str) -> None:
    table = new_table(dice=reader).begin(chips())
    rolls(table, point(3))
    rolls(table, point(5))
    assert irregularity(table.invalidate("away")) == ("3(c)", "dice_held_away", "continues", 2)
    assert due(table) == (2, "ann")


@pytest.mark.article("chinese_dice", "2.c")
@pytest.mark.article("chinese_dice", "reading 16")
def test_a_throw_of_whoever_was_not_due_is_invalid_and_recorded() -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(point(3), point(5))
    assert irregularity(table.invalidate("out_of_turn")) == ("2(c)", "thrown_out_of_turn", "continues", 2)
    assert due(table) == (2, "ann")


@pytest.mark.article("chinese_dice", "2.c")
@pytest.mark.article("chinese_dice", "reading 16")
def test_nobody_throws_while_a_place_is_being_paid() -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(point(3), point(5))
    before = table.state
    early = table.throw(STORM)
    shown = said(early, DiceShown)
    assert (shown.place, shown.valid, shown.flaw) == (None, False, "out_of_turn")
    assert irregularity(early) == ("2(c)", "thrown_out_of_turn", "continues", None)
    assert [fault.code for fault in table.sitting.table.faults] == [Code.DICE_OUT_OF_TURN]
    assert table.state.thrown == before.thrown
    table.pay()
    assert due(table) == (3, "cy")
    assert table.play(point(4)).irregularities == ("2(c)",)


@pytest.mark.article("chinese_dice", "reading 16")
def test_dice_that_move_between_rounds_are_a_fault_and_no_throw() -> None:
    table = new_table().seat_all()
    before = table.state
    shown = said(table.throw(STORM), DiceShown)
    assert (shown.round_id, shown.place, shown.valid, shown.flaw) == (None, None, False, "out_of_turn")
    assert table.all_of(Irregular) == []
    assert table.state == before
    assert [fault.code for fault in table.sitting.table.faults] == [Code.DICE_OUT_OF_TURN]


# --- a dealer who reads the dice


@pytest.mark.article("chinese_dice", "2.a")
def test_the_dealer_enters_the_throw_of_the_place_that_is_due_and_of_no_other() -> None:
    table = new_table(dice="").begin(chips(2, "ann"), chips(3, "cy"))
    assert refused(table.enter(point(3), 2)) == ("2(c)", "not_the_place_due")
    assert refused(table.enter(point(3), BANKER)) is None
    assert refused(table.enter(point(3), 3)) == ("2(c)", "not_the_place_due")
    assert refused(table.enter(point(5), 2)) is None
    assert refused(table.enter(point(5), 3)) == ("2(c)", "pay_first")


@pytest.mark.article("chinese_dice", "2.f")
def test_an_entered_throw_of_the_banker_ends_the_betting_as_well() -> None:
    table = new_table(dice="").begin(chips())
    assert said(table.enter((), flaw="outside"), BettingOver).by == "throw"


@pytest.mark.article("chinese_dice", "1.a")
@pytest.mark.parametrize("dice", [(), (1, 2), (1, 2, 3, 4), (0, 1, 2), (6, 6, 7)])
def test_the_dealer_enters_three_faces_or_says_what_is_wrong(dice: tuple[int, ...]) -> None:
    table = new_table(dice="").begin(chips())
    assert refused(table.enter(dice)) == ("2(a)", "three_dice")
    assert refused(table.enter(dice, flaw="lost")) == ("2(e)", "no_such_flaw")
    assert refused(table.enter(dice, flaw="outside")) is None


def test_while_the_reader_reads_nobody_enters() -> None:
    table = new_table().begin(chips())
    assert refused(table.enter(point(3))) == ("table", "reader_reads")


def test_without_a_reader_no_report_of_one_counts() -> None:
    table = new_table(dice="").begin(chips())
    assert table.throw(STORM) == ()
    assert table.phase == Phase.BETTING


def test_a_device_that_is_not_this_tables_reader_throws_nothing() -> None:
    table = new_table().begin(chips())
    assert table.tell(DiceThrown("wheel", STORM)) == ()
    assert table.phase == Phase.BETTING


def test_a_reader_lost_in_a_round_is_replaced_by_the_dealers_eyes() -> None:
    table = new_table().begin(chips())
    table.throw(point(3))
    table.lose()
    assert table.prompted() == ("throwing_reader_away", {"device": READER, "place": "2", "bettor": "ann"})
    assert refused(table.enter(point(5))) is None
    table.pay()
    assert nets(table.all_of(Settled)[-1]) == {(2, "ann"): "96.00"}


@pytest.mark.parametrize("back", [True, False])
def test_a_reader_lost_while_a_place_was_paid_may_have_missed_the_next_places_throw(*, back: bool) -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(point(3), point(5))
    table.lose()
    table.pay()
    assert (table.state.doubt, table.prompt()) == (Doubt.NONE, "throwing_reader_away")
    if back:
        table.attach()
        assert (table.state.doubt, table.prompt()) == (Doubt.AWAY, "away")
    assert refused(table.enter(point(5))) is None


def test_a_fault_that_is_over_does_not_let_the_dealer_enter() -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(point(3), point(5), STORM)
    table.pay()
    assert [fault.code for fault in table.sitting.table.faults] == [Code.DICE_OUT_OF_TURN]
    assert refused(table.enter(point(5))) == ("table", "reader_reads")


def test_what_a_reader_tells_late_is_shown_and_counts_no_second_time() -> None:
    table = new_table().begin(chips())
    table.lose()
    table.enter(point(3))
    table.attach()
    late = said(table.throw(point(3)), DiceShown)
    assert (late.place, late.valid, late.flaw) == (None, False, "by_hand")
    assert due(table) == (2, "ann")
    assert refused(table.enter(point(5))) is None
    table.pay()
    table.begin(chips())
    assert table.state.by_hand is False
    assert said(table.throw(point(3)), DiceShown).valid


@pytest.mark.parametrize("away", ["lose", "restart", "gap", "another boot"])
@pytest.mark.parametrize("phase", [Phase.BETTING, Phase.BANKER_THROWING, Phase.THROWING])
def test_a_reader_that_was_away_may_have_missed_a_throw_and_the_dealer_may_enter_it(away: str, phase: Phase) -> None:
    table = new_table().begin(chips())
    before: dict[Phase, list[Throw]] = {Phase.BANKER_THROWING: [NOTHING], Phase.THROWING: [point(3)]}
    table.throw(*before.get(phase, []))
    goes_away(table, away)
    assert (table.phase, table.state.doubt, table.prompt()) == (phase, Doubt.AWAY, "away")
    assert refused(table.enter(point(4))) is None
    assert (table.state.doubt, table.state.by_hand) == (Doubt.NONE, True)


@pytest.mark.parametrize("away", ["lose", "restart", "gap", "another boot"])
def test_the_next_throw_that_the_reader_sees_ends_the_doubt(away: str) -> None:
    table = new_table().begin(chips())
    goes_away(table, away)
    assert said(table.throw(point(3)), DiceShown).valid
    assert table.state.doubt is Doubt.NONE
    table.throw(point(4))
    goes_away(table, away)
    assert (table.phase, table.state.doubt, table.prompt()) == (Phase.PAYING, Doubt.NONE, "pay")


def goes_away(table: DiceTable, away: str) -> None:
    match away:
        case "lose":
            table.lose()
            table.attach()
        case "restart":
            table.restart()
            table.attach()
        case "gap":
            table.raise_fault(Code.EVENT_GAP)
        case _:
            table.attach(boot="2")


def test_a_restart_between_rounds_leaves_nothing_in_doubt() -> None:
    table = new_table().seat_all()
    table.restart()
    assert table.state.doubt is Doubt.NONE


def test_another_devices_loss_is_no_matter() -> None:
    table = new_table().begin(chips())
    table.raise_fault(Code.EVENT_GAP, "buzzer")
    assert table.state.doubt is Doubt.NONE


def test_a_throw_that_the_reader_is_unsure_of_is_read_by_the_dealer_and_the_reader_goes_on() -> None:
    table = new_table().begin(chips())
    shown = said(table.throw(point(3), flaw="unsure"), DiceShown)
    assert (shown.valid, table.prompt()) == (False, "unread")
    assert refused(table.enter(point(3))) is None
    assert table.state.by_hand is False
    table.throw(point(5))
    table.pay()
    assert nets(table.all_of(Settled)[-1]) == {(2, "ann"): "96.00"}


def test_while_a_fault_of_the_reader_stands_the_dealer_may_enter() -> None:
    table = new_table().begin(chips())
    table.raise_fault(Code.DICE_READ_TIMEOUT)
    assert refused(table.enter(point(3))) is None


@pytest.mark.article("chinese_dice", "7.a")
def test_the_dice_may_be_replaced_between_rounds() -> None:
    table = new_table().begin(chips())
    table.play(STORM)
    before = table.state
    table.raise_fault(Code.DICE_COVER_OPEN)
    table.lose()
    table.attach(boot="2")
    assert table.state == before
    assert refused(table.open_round()) is None


def test_an_entry_made_before_the_readers_report_came_is_out_of_date() -> None:
    table = new_table().begin(chips())
    table.throw(point(3))
    table.raise_fault(Code.EVENT_GAP)
    seen = table.sitting.table.records
    table.throw(NOTHING)
    table.raise_fault(Code.DICE_READ_TIMEOUT)
    assert refused(table.enter(point(5), 2, seen=seen)) == ("table", "stale_screen")


def test_every_throw_is_told_once() -> None:
    table = new_table().begin(chips())
    assert [type(event) for event in events(table.throw(NOTHING))] == [BettingOver, DiceShown]
    assert [type(event) for event in events(table.throw(point(3)))] == [DiceShown]
    assert [type(event) for event in events(table.throw(point(4)))] == [DiceShown]
