"""The contract on amendments, sentence by sentence: what is due after one, who may make it, and what it can't touch."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, Final

import pytest

from tablectl.core.actions.authority import Need, need_of
from tablectl.core.effects import Refuse
from tablectl.core.facts import Fact, Stamp
from tablectl.core.facts.amendments import Change
from tablectl.core.game_step import shown_phase
from tests.referee.evening import BY_HAND, Act, Evening
from tests.referee.persons import BOTH
from tests.support.amending import ROUND, Recorded, Seated, after, does, last, to


def wheel_bet(place: int, bettor: str, symbol: int, stake: str = "100") -> Recorded:
    return "bet", {"place": place, "bettor": bettor, "bet": f"symbol_{symbol}", "stake": stake}


def due(evening: Evening) -> tuple[Sequence[tuple[Any, str, int]], Sequence[tuple[str, int]]]:
    """What is to be paid and collected: place by place, and on top."""
    dues = evening.table.payments.due
    lines = [(line.place, line.bettor, line.net) for each in dues for line in each.lines]
    return lines, [change for each in dues for change in each.changes]


OPENED: Final = ("open_round", dict[str, Any]())
CALLED: Final = ("close_betting", dict[str, Any]())
CONFIRMED: Final = ("confirm_spin", dict[str, Any]())
SPUN: Final[tuple[Recorded, ...]] = (("spin_started", {}), ("spin", {"turns": 4, "section": 2}))
"""Section 2 bears the first symbol."""

ANN: Final = wheel_bet(1, "ann", 1)
BEN: Final = wheel_bet(2, "ben", 2, "50")
READ: Final[tuple[Recorded, ...]] = (OPENED, ANN, BEN, CALLED, *SPUN)


# --- what is to be paid


def test_bet_inserted_at_the_end_is_due_at_its_place(at_table: Seated) -> None:
    evening = at_table("paid_wheel", *READ)
    spun = evening.table.records
    verb, eva = wheel_bet(7, "eva", 3, "30")
    assert evening.amend(ROUND, [after(spun - 4, verb, **eva), after(spun, "confirm_spin")], BOTH) is None
    assert due(evening) == ([(1, "ann", 100_00), (7, "eva", -30_00), (2, "ben", -50_00)], [])


def test_what_was_paid_before_an_amendment_is_not_due_again(at_table: Seated) -> None:
    evening = at_table("paid_wheel", *READ[:3], wheel_bet(3, "eva", 3, "10"), *READ[3:], CONFIRMED)
    does(evening, ("pay_place", {"place": 1}))
    assert evening.amend(ROUND, [to(_of(evening, "ben"), stake="60")], BOTH) is None
    assert due(evening) == ([(2, "ben", -60_00), (3, "eva", -10_00)], [])


def test_a_bet_that_lay_elsewhere_is_due_where_it_lay(at_table: Seated) -> None:
    evening = at_table("paid_wheel", *READ, CONFIRMED)
    assert evening.amend(ROUND, [to(_of(evening, "ben"), place=9)], BOTH) is None
    assert due(evening) == ([(1, "ann", 100_00), (9, "ben", -50_00)], [])


def test_bet_found_after_the_end_is_due_too(at_table: Seated) -> None:
    evening = at_table("paid_wheel", *READ, CONFIRMED)
    verb, eva = wheel_bet(4, "eva", 1, "30")
    assert evening.amend(ROUND, [after(_of(evening, "ben"), verb, **eva)], BOTH) is None
    assert due(evening) == ([(1, "ann", 100_00), (2, "ben", -50_00), (4, "eva", 30_00)], [])
    assert last(evening, "round.amended")["to_pay"] == [{"bettor": "eva", "amount": "30.00"}]


@pytest.mark.parametrize("ends_it", [False, True], ids=["after its end", "with its end"])
def test_bets_put_right_are_the_ones_that_are_repeated(ends_it: bool, at_table: Seated) -> None:
    evening = at_table("wheel_of_fortune", *READ, *([] if ends_it else [CONFIRMED]))
    laid = evening.table.round_since + 1
    end = [after(evening.table.records, "confirm_spin")] if ends_it else []
    assert evening.amend(ROUND, [to(laid, stake="200"), *end], BOTH) is None
    does(evening, OPENED, ("repeat_bets", {"bettor": "ann"}))
    assert [each["stake"] for each in evening.sight["bets"]] == ["200.00"]
    assert evening.replayed() == evening.table


def test_the_phase_after_an_amendment_is_that_of_the_screens(at_table: Seated) -> None:
    evening = at_table("paid_wheel", *READ)
    assert evening.amend(ROUND, [after(evening.table.records, "confirm_spin")], BOTH) is None
    assert last(evening, "round.amended")["phase"] == shown_phase(evening.game, evening.table) == "paying"
    does(evening, ("pay_place", {}))
    assert evening.amend(ROUND, [to(_of(evening, "ben"), stake="60")], BOTH) is None
    assert last(evening, "round.amended")["phase"] == shown_phase(evening.game, evening.table) == "idle"


def test_an_unpaid_difference_counts_in_the_next_one(at_table: Seated) -> None:
    evening = at_table("paid_wheel", *READ, CONFIRMED, ("pay_place", {}))
    for symbol in (1, 2):
        assert evening.amend(ROUND, [to(_of(evening, "ben"), bet=f"symbol_{symbol}", stake="60")], BOTH) is None
    assert due(evening) == ([], [("ben", -10_00)])


def test_difference_paid_in_the_next_round_is_not_of_it(at_table: Seated) -> None:
    evening = at_table("paid_wheel", *READ, CONFIRMED, ("pay_place", {}))
    assert evening.amend(ROUND, [to(_of(evening, "ben"), stake="60")], BOTH) is None
    does(evening, OPENED)
    assert evening.happens(Act("pay_place", {}), ROUND) is None
    does(evening, *READ[1:], CONFIRMED)
    assert due(evening) == ([(1, "ann", 100_00), (2, "ben", -50_00)], [])


def test_amended_round_left_unpaid_has_difference_beside_its_lines(at_table: Seated) -> None:
    evening = at_table("paid_wheel", *READ, CONFIRMED, OPENED)
    ben = evening.table.endings[-1].opened + 2
    assert evening.amend(ROUND, [to(ben, stake="60")], BOTH) is None
    assert due(evening) == ([(1, "ann", 100_00), (2, "ben", -50_00)], [("ben", -10_00)])


def test_paid_difference_is_not_due_after_reopening(at_table: Seated) -> None:
    evening = at_table("paid_wheel", *READ, CONFIRMED, ("pay_place", {}))
    assert evening.amend(ROUND, [to(_of(evening, "ann"), stake="130")], BOTH) is None
    assert evening.happens(Act("pay_place", {}), ROUND) is None
    confirmed = evening.table.records - 3
    assert evening.amend(ROUND, [Change(confirmed)], BOTH) is None
    assert evening.round_id == ROUND
    does(evening, CONFIRMED)
    assert [line for line in due(evening)[0] if line[1] != "ann"] == []
    assert sum(line[2] for line in due(evening)[0]) + sum(amount for _, amount in due(evening)[1]) == 0


def _of(evening: Evening, bettor: str) -> int:
    """The record of a bettor's bet: the bets are the first facts of the round that is over."""
    return evening.table.endings[-1].opened + 1 + ("ann", "ben", "eva").index(bettor)


# --- who may


@pytest.mark.parametrize(
    ("name", "acts", "change", "need"),
    [
        ("wheel_of_fortune", (OPENED, ANN), after(0, "void_round", reason="the wheel broke"), Need.SUPERVISOR),
        ("wheel_of_fortune", (OPENED, ANN, CALLED), after(0, "declare_spin", turns=3, section=2), Need.SUPERVISOR),
        ("unread_wheel", (OPENED, ANN, CALLED), after(0, "declare_spin", turns=3, section=2), Need.ANY),
        ("wheel_of_fortune", (OPENED, ANN), after(0, *BEN[:1], **BEN[1]), Need.ANY),
        (
            "wheel_of_fortune",
            (OPENED, ANN, CALLED, ("spin_started", {}), ("spin", {"turns": 2, "section": 2})),
            after(0, *BEN[:1], **BEN[1]),
            Need.SUPERVISOR,
        ),
        ("chinese_dice", (), after(0, "join_casino", share="500"), Need.SUPERVISOR),
        ("chinese_dice", (), after(0, "bet", place=3, bettor="eva", bet="place", stake="100"), Need.ANY),
    ],
)
def test_an_amendment_puts_in_nothing_that_takes_a_supervisor(
    name: str, acts: Sequence[Recorded], change: Change, need: Need, at_table: Seated
) -> None:
    evening = at_table(name, *(acts or DICE))
    answer = evening.amend(ROUND, [_now(evening, change)], ("dealer",))
    assert answer is (None if need is Need.ANY else need)


def _now(evening: Evening, change: Change) -> Change:
    return Change(evening.table.records, change.fields, inserted=True, verb=change.verb)


DICE: Final[tuple[Recorded, ...]] = (
    *(("take_seat", {"place": place, "bettor": bettor}) for place, bettor in ((1, "ann"), (3, "ben"))),
    ("take_bank", {"place": 1, "bettor": "ann", "capital": "500"}),
    OPENED,
)


@pytest.mark.article("wheel_of_fortune", "reading 11")
def test_dealer_enters_the_rotation_after_an_invalid_one_alone(at_table: Seated) -> None:
    evening = at_table("unread_wheel", OPENED, ANN, CALLED, ("declare_spin", {"turns": 2, "section": 2}))
    stated = Fact(evening.body(Act("declare_spin", {"turns": 3, "section": 2})), Stamp(0, 0, "boot"), "console")
    assert need_of(evening.game, evening.table, stated) is Need.ANY
    does(evening, ("declare_spin", {"turns": 3, "section": 2}))
    assert need_of(evening.game, evening.table, stated) is Need.SUPERVISOR


# --- what stays


def test_a_payment_can_be_neither_struck_nor_changed(at_table: Seated) -> None:
    evening = at_table("paid_wheel", *READ, CONFIRMED, ("pay_place", {}))
    paid = evening.table.records
    for change in (Change(paid), to(paid, place=1)):
        answer = evening.amend(ROUND, [change], BOTH)
        assert isinstance(answer, Refuse)
        assert (answer.code, answer.where) == ("not_amendable", "changes[0].record")


def test_nothing_is_put_in_after_the_rounds_end(at_table: Seated) -> None:
    evening = at_table("wheel_of_fortune", *READ, CONFIRMED)
    answer = evening.amend(ROUND, [_now(evening, after(0, *BEN[:1], **BEN[1]))], BOTH)
    assert isinstance(answer, Refuse)
    assert (answer.code, answer.where) == ("no_round", "changes[0].after")


def test_a_round_whose_void_is_struck_asks_for_nothing_again(at_table: Seated) -> None:
    bets = [
        {"place": place, "bettor": bettor, "bet": bet, "stake": "100"}
        for place, bettor, bet in (
            (1, "ann", "versus_dealer"),
            (1, "ann", "pair_or_better"),
            (2, "ben", "versus_dealer"),
        )
    ]
    dealt = [("card", {"card": card}) for card in ("As", "Kd", "Qs", "Ah", "9c", "7h", "2d", "4h", "2c")]
    evening = at_table("paid_poker", ("confirm_pack", {"shuffle": "hand"}), OPENED, *(("bet", bet) for bet in bets))
    records = does(evening, *dealt, *(("open_hand", {"place": place}) for place in (1, 2)), ("pay_place", {}))
    plays = [
        ("decide", {"place": place, "bettor": bettor, "decision": "play"}) for place, bettor in ((1, "ann"), (2, "ben"))
    ]
    first_decision = does(evening, *plays, ("open_hand", {"place": "dealer"}))[0]
    before = evening.nets(ROUND)
    assert evening.amend(ROUND, [Change(first_decision)], BOTH) is None
    assert [each["verb"] for each in last(evening, "round.amended")["asks_again"]] == ["open_hand"]
    does(evening, plays[0], ("open_hand", {"place": "dealer"}))
    assert evening.amend(ROUND, [after(records[0], "void_round", reason="the shoe broke")], BOTH) is None
    assert evening.nets(ROUND) == {}
    assert evening.amend(ROUND, [Change(evening.table.records)], BOTH) is None
    assert last(evening, "round.amended")["asks_again"] == []
    assert evening.nets(ROUND) == before


def test_unpaid_round_that_was_void_waits_for_its_payments_again(at_table: Seated) -> None:
    evening = at_table("paid_wheel", *READ, CONFIRMED)
    unpaid = due(evening)
    assert unpaid[0]
    assert evening.amend(ROUND, [after(_of(evening, "ben"), "void_round", reason="the wheel broke")], BOTH) is None
    assert due(evening) == ([], [])
    assert evening.amend(ROUND, [Change(evening.table.records)], BOTH) is None
    assert due(evening) == unpaid
    assert shown_phase(evening.game, evening.table) == "paying"
    does(evening, ("pay_place", {}), OPENED)
    assert evening.amend(ROUND, [to(_of(evening, "ben"), stake="60")], BOTH) is None
    assert due(evening) == ([], [("ben", -10_00)])


def test_amendments_reach_the_last_256_rounds(at_table: Seated) -> None:
    evening = at_table("wheel_of_fortune")
    bets = list[int]()
    for _ in range(257):
        bets.append(does(evening, OPENED, ANN, CALLED, *SPUN, CONFIRMED)[1])
    first, second = (f"{ROUND[:-1]}{nth}" for nth in (1, 2))
    refused = evening.amend(first, [to(bets[0], stake="200")], BOTH)
    assert isinstance(refused, Refuse)
    assert refused.code == "round_out_of_reach"
    assert evening.amend(second, [to(bets[1], stake="200")], BOTH) is None
    assert evening.nets(second) == {"ann": 200_00}


def test_hand_corrections_beyond_reach_stay_within_the_limit(at_table: Seated) -> None:
    evening = at_table("wheel_of_fortune")
    for _ in range(257):
        does(evening, OPENED, ANN, CALLED, *SPUN, CONFIRMED)
    assert evening.correct(ROUND, "ann", BY_HAND) is None
    assert last(evening, "audit.override")["by_hand"] is True
    refused = evening.correct(ROUND, "ann", -1)
    assert refused is not None
    assert refused.code == "beyond_limit_by_hand"
    assert evening.correct(f"{ROUND[:-1]}2", "ann", 2 * BY_HAND) is None
    assert "by_hand" not in last(evening, "audit.override")
    assert evening.replayed() == evening.table


@pytest.mark.article("chinese_dice", "reading 21")
def test_correction_by_hand_outlives_an_amendment_of_next_round(at_table: Seated) -> None:
    bank, bet = {"place": 1, "bettor": "ann", "capital": "600"}, {"place": 3, "bettor": "ben", "bet": "place"}
    evening = at_table("chinese_dice", *DICE, ("bet", {**bet, "stake": "100"}), ("close_betting", {}))
    does(evening, ("dice", {"dice": [4, 5, 6]}), ("pay_place", {"place": 3}), ("take_bank", bank), OPENED)
    assert evening.correct(ROUND, "ann", -2 * BY_HAND) is None
    corrected = evening.table.game.tenure
    (laid,) = does(evening, ("bet", {**bet, "stake": "100"}))
    assert evening.amend(f"{ROUND[:-1]}2", [to(laid, stake="200")], BOTH) is None
    assert evening.table.game.tenure == corrected
    assert last(evening, "round.amended")["asks_again"] == []


# --- whatever is amended and paid

NAMES: Final = ("ann", "ben", "eva")


@pytest.mark.parametrize("seed", range(40))
def test_paid_and_due_sum_to_the_rounds_money(seed: int, at_table: Seated) -> None:
    random = Random(seed)
    bets = [wheel_bet(place, name, random.randint(1, 3)) for place, name in enumerate(NAMES, 1)]
    evening = at_table("paid_wheel", OPENED, *bets, CALLED, *SPUN, CONFIRMED)
    paid = Counter[str]()
    for _ in range(10):
        before = _owed(evening)
        if random.random() < 0.4:
            evening.happens(Act("pay_place", random.choice(({}, {"place": 2}))), ROUND)
            paid.update(before)
            paid.subtract(_owed(evening))
        else:
            evening.amend(ROUND, [_any_change(random, evening)], BOTH)
        if evening.round_id is not None:
            does(evening, CONFIRMED)
        owed, nets = _owed(evening), evening.nets(ROUND)
        assert [paid[name] + owed[name] for name in NAMES] == [nets.get(name, 0) for name in NAMES]


def _owed(evening: Evening) -> Counter[str]:
    """What each bettor still gets; negative where they pay."""
    lines, changes = due(evening)
    owed = Counter[str]()
    for name, amount in [*((name, amount) for _, name, amount in lines), *changes]:
        owed[name] += amount
    return owed


def _any_change(random: Random, evening: Evening) -> Change:
    laid = _of(evening, random.choice(NAMES))
    spun = _of(evening, "eva") + 3
    verb, bet = wheel_bet(random.randint(1, 5), random.choice(NAMES), random.randint(1, 3), "70")
    return random.choice(
        (
            to(laid, stake=random.choice(("50", "300"))),
            to(laid, place=random.randint(1, 5)),
            Change(laid),
            after(laid, verb, **bet),
            to(spun, section=random.randint(1, 12)),
            Change(spun + 1),
            after(laid, "void_round", reason="the wheel broke"),
        )
    )
