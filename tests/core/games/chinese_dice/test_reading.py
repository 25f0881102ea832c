"""Who reads the dice: the reader, or the dealer where there is none or it is in doubt."""

import pytest

from tablectl.core.cards import BANKER
from tablectl.core.events.device import DiceShown
from tablectl.core.events.round import BettingOver, Settled
from tablectl.core.facts.reports import DiceThrown
from tablectl.core.faults import Code
from tablectl.core.games.chinese_dice.state import Doubt, Phase
from tablectl.core.outcomes import Throw
from tests.support.chinese_dice import NOTHING, READER, STORM, DiceTable, chips, nets, new_table, point, said
from tests.support.chinese_dice_throws import due
from tests.support.sitting import events, refused


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


@pytest.mark.article("chinese_dice", "2.a")
def test_dealer_enters_the_throw_of_the_due_place_only() -> None:
    table = new_table(dice="").begin(chips(2, "ann"), chips(3, "cy"))
    assert refused(table.enter(point(3), 2)) == ("2(c)", "not_the_place_due")
    assert refused(table.enter(point(3), BANKER)) is None
    assert refused(table.enter(point(3), 3)) == ("2(c)", "not_the_place_due")
    assert refused(table.enter(point(5), 2)) is None
    assert refused(table.enter(point(5), 3)) == ("2(c)", "pay_first")


@pytest.mark.article("chinese_dice", "2.f")
def test_entered_throw_of_the_banker_ends_the_betting_as_well() -> None:
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


def test_reader_lost_in_a_round_is_replaced_by_dealers_eyes() -> None:
    table = new_table().begin(chips())
    table.throw(point(3))
    table.lose()
    assert table.prompted() == ("throwing_reader_away", {"device": READER, "place": "2", "bettor": "ann"})
    assert refused(table.enter(point(5))) is None
    table.pay()
    assert nets(table.all_of(Settled)[-1]) == {(2, "ann"): "96.00"}


@pytest.mark.parametrize("back", [True, False])
def test_reader_lost_during_payment_may_have_missed_the_next_throw(*, back: bool) -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(point(3), point(5))
    table.lose()
    table.pay()
    assert (table.state.doubt, table.prompt()) == (Doubt.NONE, "throwing_reader_away")
    if back:
        table.attach()
        assert (table.state.doubt, table.prompt()) == (Doubt.AWAY, "away")
    assert refused(table.enter(point(5))) is None


def test_fault_that_is_over_does_not_let_the_dealer_enter() -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(point(3), point(5), STORM)
    table.pay()
    assert [fault.code for fault in table.sitting.table.faults] == [Code.DICE_OUT_OF_TURN]
    assert refused(table.enter(point(5))) == ("table", "reader_reads")


def test_late_report_of_the_reader_is_shown_and_not_counted() -> None:
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
def test_dealer_may_enter_a_throw_missed_by_an_absent_reader(away: str, phase: Phase) -> None:
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


def test_a_restart_between_rounds_leaves_nothing_in_doubt() -> None:
    table = new_table().seat_all()
    table.restart()
    assert table.state.doubt is Doubt.NONE


def test_another_devices_loss_is_no_matter() -> None:
    table = new_table().begin(chips())
    table.raise_fault(Code.EVENT_GAP, "buzzer")
    assert table.state.doubt is Doubt.NONE


def test_doubtful_throw_is_read_by_the_dealer() -> None:
    table = new_table().begin(chips())
    shown = said(table.throw(point(3), flaw="unsure"), DiceShown)
    assert (shown.valid, table.prompt()) == (False, "unread")
    assert refused(table.enter(point(3))) is None
    assert table.state.by_hand is False
    table.throw(point(5))
    table.pay()
    assert nets(table.all_of(Settled)[-1]) == {(2, "ann"): "96.00"}


def test_while_a_fault_of_reader_stands_dealer_may_enter() -> None:
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


def test_entry_made_before_readers_report_came_is_out_of_date() -> None:
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
