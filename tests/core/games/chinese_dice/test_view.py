"""What the table shows: the next step in words, and what everybody sees of seats, bank, bets and dice."""

from collections.abc import Callable

import pytest

from tablectl.core.faults import Code
from tablectl.core.games.chinese_dice.state import Phase
from tests.support.chinese_dice import CAST, LOSS, NOTHING, READER, STORM, DiceTable, chips, new_table, point

Steps = Callable[[DiceTable], object]


def prompts(table: DiceTable, steps: list[Steps]) -> list[str]:
    """The prompts before the first step and after each."""
    found = [table.prompt()]
    for step in steps:
        step(table)
        found.append(table.prompt())
    return found


@pytest.mark.article("chinese_dice", "2.a")
@pytest.mark.article("chinese_dice", "2.c")
def test_a_round_prompts_every_step_of_the_procedure() -> None:
    steps: list[Steps] = [
        lambda t: t.seat_all(),
        lambda t: t.take(1),
        lambda t: t.open_round(),
        lambda t: t.bet(2),
        lambda t: t.close(),
        lambda t: t.throw(NOTHING),
        lambda t: t.throw(point(3)),
        lambda t: t.throw(point(5)),
        lambda t: t.pay(),
    ]
    assert prompts(new_table(), steps) == [
        *("seats", "bank", "open_round", "betting", "betting", "banker_throwing", "banker_throwing"),
        *("throwing", "pay", "capital"),
    ]


def test_without_a_reader_dealer_is_told_to_enter_every_throw() -> None:
    steps: list[Steps] = [
        lambda t: t.close(),
        lambda t: t.enter(point(3)),
        lambda t: t.enter(point(5)),
    ]
    table = new_table(dice="").begin(chips())
    assert prompts(table, steps) == ["betting_by_hand", "banker_throwing_by_hand", "throwing_by_hand", "pay"]


@pytest.mark.parametrize(
    ("prompt", "steps"),
    [
        ("betting_reader_away", lambda t: t.lose()),
        ("banker_throwing_reader_away", lambda t: (t.close(), t.lose())),
        ("throwing_reader_away", lambda t: (t.throw(point(3)), t.lose())),
        ("away", lambda t: (t.throw(point(3)), t.lose(), t.attach())),
        ("unread", lambda t: t.throw(point(3), flaw="unsure")),
        ("pay", lambda t: (t.throw(STORM), t.lose())),
        ("throwing_by_hand", lambda t: (t.lose(), t.enter(point(3)), t.attach())),
    ],
)
def test_what_stands_in_the_readers_way_is_prompted_first(prompt: str, steps: Steps) -> None:
    table = new_table().begin(chips())
    steps(table)
    assert table.prompt() == prompt


@pytest.mark.article("chinese_dice", "3.b")
def test_the_prompt_names_the_place_and_who_throws_for_it() -> None:
    table = new_table().begin(chips(2, "ann"), chips(2, "cy", 200_00))
    assert table.prompted() == ("betting", {"place": "1", "bettor": "ben"})
    table.throw(point(3))
    assert table.prompted() == ("throwing", {"place": "2", "bettor": "cy"})
    table.throw(point(5))
    assert table.prompted() == ("pay", {"place": "2"})


@pytest.mark.article("chinese_dice", "4.a")
@pytest.mark.article("chinese_dice", "4.b")
def test_prompt_names_whose_turn_it_is_to_hold_the_bank() -> None:
    table = new_table().seat_all()
    assert table.prompted() == ("bank", {"place": "1", "bettor": "ben"})
    for place in CAST:
        table.decline(place)
    assert table.prompted() == ("bank_open", {"places": "1, 2, 3, 5"})


@pytest.mark.article("chinese_dice", "4.a")
def test_at_the_limit_the_prompt_names_next_place_or_consent() -> None:
    table = new_table()
    for _ in range(2):
        table.begin(chips())
        table.play(LOSS)
    assert table.prompted() == ("bank_passes", {"place": "2", "bettor": "ann"})
    for place in (2, 3, 5):
        table.decline(place)
    assert table.prompted() == ("bank_open", {"places": "2, 3, 5"})
    for place in (2, 3, 5):
        table.leave(place)
    assert table.prompted() == ("limit", {"place": "1"})
    table.waive()
    assert table.prompt() == "capital"


@pytest.mark.article("chinese_dice", "4.d")
def test_the_prompt_names_the_capital_that_has_to_be_left() -> None:
    lost = new_table(least_capital=50_00).begin(chips())
    lost.play(LOSS)
    assert lost.prompted() == ("capital", {"place": "1", "bettor": "ben", "least": "50.00"})
    table = new_table().begin(chips())
    table.play(STORM)
    table.begin(chips())
    table.void()
    assert table.prompted() == ("capital_kept", {"place": "1", "bettor": "ben", "least": "1096.00"})


def test_a_fault_that_stops_the_table_is_prompted_between_rounds() -> None:
    table = new_table()
    table.raise_fault(Code.STORAGE_LOW, "")
    assert table.prompted() == ("fault", {"code": "701", "fault": "storage_low"})


def test_bank_is_public_with_its_rounds_and_obligation() -> None:
    table = new_table()
    assert table.public()["banker"] is None
    table.begin(chips())
    table.play(STORM)
    assert table.public()["banker"] == {
        "place": 1,
        "bettor": "ben",
        "capital": "1096.00",
        "least_capital": "1096.00",
        "rounds": 1,
        "limit_reached": False,
        "limit_waived": False,
        "throws": [],
        "combination": None,
    }


@pytest.mark.article("chinese_dice", "2.b")
def test_bets_throws_and_payments_of_a_round_are_public() -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy", 50_00), share=500_00)
    table.throw(NOTHING, point(3), point(5))
    table.pay()
    table.throw((), flaw="outside")
    public = table.public()
    assert (public["round_id"], public["phase"], public["paid"]) == ("5eed0001-000001", "throwing", [2])
    assert [(bet["bet"], bet["stake"]) for bet in public["bets"]] == [
        ("capital", "1000.00"),
        ("casino", "500.00"),
        ("place", "100.00"),
        ("place", "50.00"),
    ]
    assert public["banker"]["throws"] == [[1, 2, 4], [6, 6, 3]]
    assert public["places"] == [
        {"place": 2, "thrower": "ann", "throws": [[6, 6, 5]], "combination": "pair+5"},
        {"place": 3, "thrower": "cy", "throws": [None], "combination": None},
    ]
    assert public["bank"] == {"capital": "1500.00", "result": "-100.00", "room": "1400.00"}
    assert public["due"] == {"place": 3, "bettor": "cy", "to": "throw"}


def test_between_rounds_nothing_of_last_one_lies_on_table() -> None:
    table = new_table().begin(chips())
    table.play(STORM)
    public = table.public()
    assert (public["round_id"], public["phase"], public["bank"], public["due"]) == (None, Phase.IDLE, None, None)
    assert (public["bets"], public["places"], public["payments"], public["paid"]) == ([], [], [], [])


def test_no_command_and_no_secret_is_left_open() -> None:
    table = new_table().begin(chips())
    table.throw(point(3))
    assert table.sitting.game.outstanding(table.state) == ()
    assert table.sitting.game.unrevealed(table.state) == frozenset()
    assert table.settings.dice == READER
