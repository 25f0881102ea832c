"""The places paid one after the other, within what the bank holds: articles 2(c), 2(g), 4(c) and 7(b)."""

import json

import pytest

from tablectl.core.bets.settle import Settlers, settle_line
from tablectl.core.events.round import Irregular, Settled
from tablectl.core.games.chinese_dice.shapes import settle_form
from tablectl.core.games.chinese_dice.state import Phase
from tests.support.chinese_dice import LOSS, NOTHING, STORM, chips, layers, nets, new_table, point, rules
from tests.support.sitting import refused


@pytest.mark.article("chinese_dice", "2.c")
def test_a_place_begins_when_the_one_before_is_paid() -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(point(3), point(5))
    assert (table.phase, table.state.due) == (Phase.PAYING, 2)
    assert refused(table.pay(3)) == ("2(c)", "not_the_place_due")
    assert refused(table.pay(2)) is None
    assert (table.phase, table.state.due) == (Phase.THROWING, 3)
    assert refused(table.pay(2)) == ("2(c)", "nothing_to_pay")
    assert refused(table.pay(9)) == ("3(a)", "no_such_place")


@pytest.mark.article("chinese_dice", "2.c")
def test_a_tie_is_paid_too_before_the_next_place_begins() -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(point(3), point(3))
    assert table.phase == Phase.PAYING


@pytest.mark.article("chinese_dice", "2.c")
@pytest.mark.article("chinese_dice", "2.g")
def test_what_place_is_paid_is_public_before_it_is_paid() -> None:
    table = new_table().begin(chips(2, "ann", 100_00), chips(2, "cy", 50_00))
    table.throw(point(3))
    covered = [(one["bettor"], one["covered"], one["outcome"]) for one in table.public()["payments"]]
    assert covered == [("ann", "100.00", None), ("cy", "50.00", None)]
    table.throw(point(5))
    told = [(one["bettor"], one["net"], one["commission"]) for one in table.public()["payments"]]
    assert told == [("ann", "96.00", "4.00"), ("cy", "48.00", "2.00")]


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.article("chinese_dice", "reading 7")
@pytest.mark.parametrize(("dice", "nets_of"), [(point(5), ("96.00", "48.00")), (point(1), ("-100.00", "-50.00"))])
def test_the_bank_wins_and_loses_no_more_than_its_capital(dice: tuple[int, ...], nets_of: tuple[str, str]) -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"), chips(4, "di"), capital=150_00)
    table.throw(point(3), dice)
    table.pay()
    assert [one["covered"] for one in table.public()["payments"]] == ["100.00", "50.00"]
    assert table.public()["bank"]["room"] == "50.00"
    table.throw(dice)
    table.pay()
    settled = table.all_of(Settled)[-1]
    assert nets(settled) == {(2, "ann"): nets_of[0], (3, "cy"): nets_of[1], (4, "di"): "0.00"}
    assert settled.round["places"][2]["throws"] == []
    assert abs(float(layers(settled)[0][3])) <= 150


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.article("chinese_dice", "reading 7")
def test_wins_make_room_for_losses_and_the_other_way_round() -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"), chips(4, "di", 200_00), capital=100_00)
    table.throw(point(3))
    assert table.public()["bank"] == {"capital": "100.00", "result": "0.00", "room": "100.00"}
    settled = table.play(point(5))
    assert nets(settled) == {(2, "ann"): "96.00", (3, "cy"): "0.00", (4, "di"): "0.00"}
    table.take(1, capital=150_00)
    table.begin(chips(2, "ann"), chips(3, "cy"), chips(4, "di", 200_00))
    assert nets(table.play(point(3), point(5), point(1), point(5))) == {
        (2, "ann"): "96.00",
        (3, "cy"): "-50.00",
        (4, "di"): "96.00",
    }


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.article("chinese_dice", "reading 7")
@pytest.mark.parametrize(("banker", "net"), [(STORM, "-100.00"), (LOSS, "96.00")])
def test_same_order_and_limit_hold_where_bankers_own_throw_decides(banker: tuple[int, ...], net: str) -> None:
    table = new_table().begin(chips(2, "ann"), chips(8, "cy"), chips(3, "di"), capital=200_00)
    table.throw(banker)
    order = []
    while table.phase == Phase.PAYING:
        order.append(table.state.due)
        table.pay()
    assert order == [2, 3]
    assert nets(table.all_of(Settled)[-1]) == {(2, "ann"): net, (3, "di"): net, (8, "cy"): "0.00"}


@pytest.mark.article("chinese_dice", "2.g")
def test_bet_is_paid_where_it_lies_though_it_was_misplaced() -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(point(3))
    table.declare("bet_misplaced", 2)
    settled = table.play(point(5), point(1))
    assert nets(settled) == {(2, "ann"): "96.00", (3, "cy"): "-100.00"}
    assert [event.article for event in table.all_of(Irregular)] == ["2(g)"]


def test_feeding_a_settled_round_to_settler_gives_same_settlement() -> None:
    table = new_table().begin(chips(2, "ann"), chips(2, "cy", 55_55), chips(3, "cy", 900_00), chips(4, "di"))
    table.casino(333_33)
    table.with_banker("ann", 77_77)
    table.associate("guest", 12_34)
    table.throw(NOTHING)
    table.throw((), flaw="missing")
    settled = table.play(point(3), point(5), point(4), point(1))
    line = json.dumps({"game": settled.game, "rules": settled.rules, "round": settled.round})
    settle = {"chinese_dice": lambda form, overrides: settle_form(form, overrides, rules())}
    again = json.loads(settle_line(line.encode(), 1, Settlers(settle)).text)
    assert settled.settlement == {name: again[name] for name in ("status", "banker", "places", "bank")}
    assert settled.round["banker"]["throws"] == [[1, 2, 4], None, [6, 6, 3]]


def test_settled_round_states_its_times_and_rules() -> None:
    table = new_table().begin(chips())
    settled = table.play(STORM)
    assert (settled.game, settled.rules_version, settled.irregularities) == ("chinese_dice", "108/89/M", ())
    assert settled.opened < settled.settled
