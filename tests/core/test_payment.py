"""Payment: what is due after each event that decides money, its confirmation, and the table until then."""

from dataclasses import replace
from typing import Any

import pytest

from tablectl.core.actions.authority import Need, need_of
from tablectl.core.bets.payments import Due, Line, Payments, awaited
from tablectl.core.events.round import Irregular, PartSettled, RoundPaid, Settled, Voided
from tablectl.core.events.text import saying
from tablectl.core.facts.game_requests import PlacePaid, SpinConfirmed
from tablectl.core.facts.table_requests import Correction, RoundCorrected, RoundOpened, RoundVoided
from tablectl.core.game_step import shown_phase, shown_round, shown_waiting
from tests.support import chinese_dice, q_poker, wheel_of_fortune
from tests.support.offered import offered
from tests.support.sitting import Sitting, fact, refused


def settled_wheel(*bets: Any) -> Sitting[Any]:
    """A wheel table that confirms payment, with its round just settled on symbol 1."""
    table = wheel_of_fortune.at_rest(
        *(bets or (wheel_of_fortune.bet(), wheel_of_fortune.bet(symbol=2, bettor="bo", place=3))), confirm_payment=True
    )
    table.does(SpinConfirmed())
    assert table.all_of(Settled)
    return table


def shown(table: Sitting[Any]) -> tuple[str, str | None, str]:
    """Phase, round and prompt as everybody sees them."""
    prompt = shown_waiting(table.game, table.table).key
    return shown_phase(table.game, table.table), shown_round(table.game, table.table), prompt


def number_of(table: Any, event: Any) -> int:
    events: list[Any] = getattr(table, "sitting", table).events
    return events.index(event) + 1


def named(table: Any, event: Any) -> str:
    return f"5eed0001-{number_of(table, event):016d}"


def test_settled_round_is_shown_as_paying_until_it_is_paid() -> None:
    table = settled_wheel()
    (settled,) = table.all_of(Settled)
    assert shown(table) == ("paying", settled.round_id, "prompt.table.pay")
    table.does(PlacePaid())
    assert table.all_of(RoundPaid) == [RoundPaid(settled.round_id, named(table, settled), None, "dealer", ())]
    assert shown(table)[:2] == ("idle", None)


def test_places_are_confirmed_one_by_one_in_any_order() -> None:
    table = settled_wheel()
    table.does(PlacePaid(3))
    assert shown(table)[0] == "paying"
    assert refused(table.tell(PlacePaid(3))) == ("table", "nothing_due")
    table.does(PlacePaid(1))
    assert shown(table)[0] == "idle"
    assert [paid.place for paid in table.all_of(RoundPaid)] == [3, 1]


def test_nothing_is_confirmed_where_nothing_is_due() -> None:
    table = settled_wheel()
    assert refused(table.tell(PlacePaid(2))) == ("table", "nothing_due")
    table.does(PlacePaid())
    assert refused(table.tell(PlacePaid())) == ("table", "nothing_due")


def test_next_round_before_payment_takes_a_supervisor() -> None:
    table = settled_wheel()
    opening = fact(RoundOpened(), 99)
    assert need_of(table.game, table.table, opening) is Need.SUPERVISOR
    table.does(RoundOpened())
    (noted,) = table.all_of(Irregular)
    assert (noted.article, noted.code, noted.round_id) == ("table", "payments_outstanding", table.round_id)
    assert awaited(table.table.payments) is None
    paid = settled_wheel()
    paid.does(PlacePaid())
    assert need_of(paid.game, paid.table, opening) is Need.ANY


def test_round_left_unpaid_stays_due_beside_the_next() -> None:
    table = settled_wheel()
    first = str(shown(table)[1])
    table.does(RoundOpened(), wheel_of_fortune.bet(), wheel_of_fortune.bet(symbol=2, bettor="bo", place=3))
    (due,) = table.table.payments.due
    assert ([line.place for line in due.lines], due.round_id) == ([1, 3], first)
    table.tell(RoundCorrected(first, "misread", (Correction("ann", 5_00),)), second="rui")
    table.tell(PlacePaid(1), round_id=first)
    assert [line.place for line in table.table.payments.due[0].lines] == [3]
    table.does(wheel_of_fortune.CALLED, wheel_of_fortune.started(), wheel_of_fortune.stopped(), SpinConfirmed())
    left, new = table.table.payments.due
    assert ([line.place for line in left.lines], [line.place for line in new.lines]) == ([3], [1, 3])
    assert (left.round_id, new.changes, shown(table)[1]) == (first, (), new.round_id)
    table.tell(PlacePaid(), round_id=first)
    table.does(PlacePaid())
    assert table.table.payments.due == ()


def test_request_from_screen_of_paying_round_is_in_time() -> None:
    table = settled_wheel()
    shown_id, seen = shown(table)[1], table.table.records
    assert refused(table.tell(PlacePaid(), seen=seen, round_id=shown_id)) is None
    assert refused(table.tell(RoundOpened(), seen=seen, round_id=shown_id)) == ("table", "stale_screen")


def test_a_table_that_confirms_no_payment_publishes_none() -> None:
    table = wheel_of_fortune.at_rest()
    table.does(SpinConfirmed())
    assert shown(table)[0] == "idle"
    assert refused(table.tell(PlacePaid())) == ("table", "nothing_due")


def test_correction_by_hand_is_paid_in_place_of_settlement() -> None:
    table = settled_wheel()
    round_id = shown(table)[1]
    assert round_id
    table.tell(RoundCorrected(round_id, "misread", (Correction("ann", 5_00),)), second="rui")
    table.does(PlacePaid())
    (paid,) = table.all_of(RoundPaid)
    assert paid.of.endswith(
        f"{number_of(table, next(e for e in table.events if type(e).__name__ == 'Corrected')):016d}"
    )


def test_what_correction_takes_back_is_named_when_it_is_paid() -> None:
    table = settled_wheel()
    round_id = shown(table)[1]
    assert round_id
    table.does(PlacePaid())
    table.tell(RoundCorrected(round_id, "misread", (Correction("ann", -5_00),)), second="rui")
    table.does(RoundOpened())
    table.tell(PlacePaid(), round_id=round_id)
    assert [(each.bettor, each.amount) for each in table.all_of(RoundPaid)[-1].taken_back] == [("ann", "5.00")]


def test_payments_due_between_rounds_are_offered() -> None:
    table = settled_wheel()
    round_id = shown(table)[1] or ""
    table.does(PlacePaid())
    table.tell(RoundCorrected(round_id, "misread", (Correction("ann", 5_00),)), second="rui")
    assert shown(table)[:2] == ("idle", None)
    (offer,) = [each for each in offered(table.game, table.table) if isinstance(each.body, PlacePaid)]
    assert (offer.body, offer.refused) == (PlacePaid(None), None)
    table.does(offer.body)
    assert not [each for each in offered(table.game, table.table) if isinstance(each.body, PlacePaid)]


def test_difference_alone_is_asked_for_without_a_place() -> None:
    table = settled_wheel()
    back = Due(str(shown(table)[1]), 1, changes=(("ann", -5_00),), waits=True)
    state = replace(table.table, payments=Payments((back,)))
    assert shown_waiting(table.game, state) == saying("prompt.table.pay_changes")


def pair_bets() -> Any:
    table = q_poker.new_table(confirm_payment=True)
    table.begin(q_poker.versus(), q_poker.pair(), q_poker.versus(2, "bo"), q_poker.pair(3, "cy")).deal()
    table.turn_up_players()
    return table


@pytest.mark.article("q_poker", "9.1")
@pytest.mark.article("q_poker", "reading 21")
def test_amounts_by_hand_are_due_beside_an_unpaid_settlement() -> None:
    table = settled_wheel()
    round_id = shown(table)[1] or ""
    for amount in (5_00, 2_00):
        table.tell(RoundCorrected(round_id, "misread", (Correction("ann", amount),)), second="rui")
    assert shown(table)[0] == "paying"
    (due,) = table.table.payments.due
    assert ([line.place for line in due.lines], due.changes) == ([1, 3], (("ann", 7_00),))
    table.does(PlacePaid())
    assert table.table.payments.due == ()


def test_pair_bets_are_settled_when_the_last_hand_is_open() -> None:
    table = pair_bets()
    (part,) = table.all_of(PartSettled)
    assert (part.game, part.part) == ("q_poker", "pair_or_better")
    assert [(bet.place, bet.bettor, bet.bet, bet.net) for bet in part.bets] == [
        (1, "ann", "pair_or_better", "60.00"),
        (3, "cy", "pair_or_better", "-10.00"),
    ]
    assert shown(table)[2] == "prompt.table.pay_part"
    table.does(PlacePaid())
    assert table.all_of(RoundPaid)[-1].of == named(table, part)
    assert shown(table)[2].startswith("prompt.q_poker.")


@pytest.mark.article("q_poker", "9.2")
def test_paid_pair_bets_are_not_due_after_settlement() -> None:
    table = pair_bets()
    table.does(PlacePaid())
    table.finish()
    due = awaited(table.table.payments)
    assert due
    assert {line.bet for line in due.lines} == {"versus_dealer"}


@pytest.mark.article("q_poker", "11.3")
def test_void_after_paid_pair_bets_lists_what_goes_back() -> None:
    table = pair_bets()
    table.does(PlacePaid())
    table.tell(RoundVoided("fire alarm"), by="supervisor")
    (void,) = table.all_of(Voided)
    assert [(each.place, each.bettor, each.net) for each in void.paid] == [(1, "ann", "60.00"), (3, "cy", "-10.00")]
    assert [(each.bettor, each.amount) for each in void.to_take_back] == [("ann", "60.00")]
    assert shown(table)[0] == "idle"
    table.does(PlacePaid())
    assert [(each.bettor, each.amount) for each in table.all_of(RoundPaid)[-1].taken_back] == [("ann", "60.00")]


@pytest.mark.article("chinese_dice", "2.c")
def test_each_place_of_dice_is_settled_and_paid_before_next() -> None:
    table = chinese_dice.new_table(confirm_payment=True)
    table.begin(chinese_dice.chips(2, "ann"), chinese_dice.chips(3, "bo"))
    table.play((4, 4, 5), (4, 4, 6), (4, 4, 3))
    parts, paid = table.all_of(PartSettled), table.all_of(RoundPaid)
    assert [part.part for part in parts] == [2, 3]
    assert [(each.of, each.place) for each in paid] == [(named(table, part), part.part) for part in parts]
    assert [bet.net for part in parts for bet in part.bets] == ["96.00", "-100.00"]
    assert awaited(table.sitting.table.payments) is None


def test_void_after_places_of_the_dice_were_paid_names_them() -> None:
    table = chinese_dice.new_table(confirm_payment=True)
    table.begin(chinese_dice.chips(2, "ann"), chinese_dice.chips(3, "bo"))
    for dice in ((4, 4, 5), (4, 4, 6)):
        table.throw(dice)
    table.pay(2)
    table.void()
    (void,) = table.all_of(Voided)
    assert [(each.place, each.bettor, each.net) for each in void.paid] == [(2, "ann", "96.00")]
    assert [(each.bettor, each.amount) for each in void.to_take_back] == [("ann", "96.00")]


def test_amounts_of_a_line_are_hundredths() -> None:
    table = settled_wheel()
    due = awaited(table.table.payments)
    assert due
    assert due.lines == (Line(1, "ann", "symbol_1", 100_00), Line(3, "bo", "symbol_2", -100_00))
