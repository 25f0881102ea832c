"""Who may undo what: alone before the first visible outcome, with a supervisor from then on."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from scripts import authority_page
from tablectl.config.game_setup import played
from tablectl.console.requests.table import VERBS
from tablectl.core.actions.authority import Need, is_met, need_of
from tablectl.core.facts import Body, Fact, Stamp
from tablectl.core.facts.amendments import Change
from tablectl.core.facts.game_requests import SpinInvalidated
from tests.referee.amended import TABLES
from tests.referee.evening import Act, Evening
from tests.referee.persons import BOTH
from tests.support.amending import ROUND, Seated, to
from tests.support.wheel_of_fortune import (
    BACK,
    LOST,
    RESTARTED,
    Wheel,
    at_rest,
    closed,
    declared,
    spinning,
    without_sensor,
)


@pytest.mark.slow
def test_the_page_says_who_may_do_what() -> None:
    assert authority_page.PAGE.read_text("utf-8") == authority_page.page(), "python -m scripts.authority_page"


Q_BETS = [{"place": place, "bettor": "ann", "bet": "versus_dealer", "stake": "100"} for place in (1, 2)]
Q_DEALT = [
    Act("confirm_pack", {"shuffle": "hand"}),
    Act("open_round"),
    *(Act("bet", bet) for bet in Q_BETS),
    *(Act("card", {"card": card}) for card in ("As", "Kd", "7c", "2c", "3d", "4h", "9s", "8d", "Jc")),
]
SHOWN = Act("expose_card", {"place": 1, "index": 1})
WHEEL = [
    Act("open_round"),
    Act("bet", {"place": 1, "bettor": "ann", "bet": "symbol_1", "stake": "100"}),
    Act("close_betting"),
    Act("spin_started"),
]
STATED = Act("declare_spin", {"turns": 3, "section": 5})


@pytest.mark.article("q_poker", "reading 25")
@pytest.mark.parametrize(
    ("game", "acts", "act", "need"),
    [
        ("q_poker", Q_DEALT, Act("count_cards", {"count": 8}), Need.ANY),
        ("q_poker", [*Q_DEALT, SHOWN], Act("count_cards", {"count": 9}), Need.ANY),
        ("q_poker", [*Q_DEALT, SHOWN], Act("count_cards", {"count": 8}), Need.SUPERVISOR),
        ("q_poker", Q_DEALT, Act("declare_misdeal", {"place": 1}), Need.ANY),
        ("q_poker", [*Q_DEALT, SHOWN], Act("declare_misdeal", {"place": 1}), Need.SUPERVISOR),
        ("q_poker", [*Q_DEALT, SHOWN], Act("expose_card", {"place": 2, "index": 1}), Need.ANY),
        ("q_poker", [*Q_DEALT, SHOWN], Act("expose_card", {"place": "dealer", "index": 1}), Need.SUPERVISOR),
        ("q_poker", [*Q_DEALT, SHOWN], Act("declare_malfunction"), Need.SUPERVISOR),
        ("wheel_of_fortune", WHEEL, Act("invalidate_spin", {"reason": "interference"}), Need.SUPERVISOR),
        ("wheel_of_fortune", WHEEL[:3], STATED, Need.SUPERVISOR),
        ("wheel_of_fortune", WHEEL, STATED, Need.SUPERVISOR),
    ],
)
def test_what_undoes_a_visible_outcome_takes_a_supervisor(
    game: str, acts: Sequence[Act], act: Act, need: Need, tmp_path: Path
) -> None:
    evening = Evening(TABLES[game], played(game).table, tmp_path)
    assert [evening.happens(each) for each in acts] == [None] * len(acts)
    fact = Fact(evening.body(act), Stamp(0, 0, "boot"), "console")
    assert need_of(evening.game, evening.table, fact) is need
    evening.close()


def test_card_drawn_unseen_after_an_amendment_takes_the_dealer(tmp_path: Path) -> None:
    evening = Evening(TABLES["q_poker"], played("q_poker").table, tmp_path)
    assert [evening.happens(each) for each in Q_DEALT[:-1]] == [None] * (len(Q_DEALT) - 1)
    name, unread = str(evening.round_id), json.dumps({"card": None})
    assert evening.amend(name, [Change(evening.table.records, unread)], BOTH) is None
    drawn = Change(evening.table.records, unread, inserted=True, verb="card")
    assert evening.amend(name, [drawn], ("dealer",)) is None
    evening.close()


@pytest.mark.parametrize(
    ("verb", "fields", "enough"),
    [
        ("declare_spin", {"turns": 3, "section": 5}, False),
        ("void_round", {"reason": "the table was knocked over"}, False),
        ("close_betting", {}, True),
    ],
)
def test_what_takes_a_supervisor_takes_one_where_it_is_inserted(
    verb: str, fields: Mapping[str, Any], enough: bool, tmp_path: Path
) -> None:
    evening = Evening(TABLES["wheel_of_fortune"], played("wheel_of_fortune").table, tmp_path)
    assert [evening.happens(each) for each in WHEEL[:2]] == [None, None]
    inserted = [Change(evening.table.records, json.dumps(fields), inserted=True, verb=verb)]
    if verb == "declare_spin":
        inserted.insert(0, Change(evening.table.records, "{}", inserted=True, verb="close_betting"))
    alone = evening.amend(str(evening.round_id), inserted, ("dealer",))
    assert alone is (None if enough else Need.SUPERVISOR)
    assert enough or evening.amend(str(evening.round_id), inserted, ("supervisor",)) is None
    evening.close()


@pytest.mark.article("wheel_of_fortune", "reading 11")
def test_at_a_table_without_a_sensor_dealer_enters_spin_alone() -> None:
    table = without_sensor()
    stated = Fact(declared(1), Stamp(0, 0, "boot"), "console")
    assert need_of(table.game, table.table, stated) is Need.ANY
    table.does(declared(2))
    assert need_of(table.game, table.table, stated) is Need.SUPERVISOR


@pytest.mark.article("wheel_of_fortune", "reading 11")
@pytest.mark.parametrize("table", [closed, spinning, at_rest])
@pytest.mark.parametrize("how", [(), (LOST,), (LOST, BACK), (RESTARTED,)])
def test_at_table_with_sensor_stated_spin_takes_supervisor(table: Callable[[], Wheel], how: tuple[Body, ...]) -> None:
    at = table()
    at.does(*how)
    assert need_of(at.game, at.table, Fact(declared(1), Stamp(0, 0, "boot"), "console")) is Need.SUPERVISOR


@pytest.mark.article("wheel_of_fortune", "reading 12")
@pytest.mark.parametrize("table", [without_sensor, spinning, at_rest])
@pytest.mark.parametrize("reason", ["interference", "turns_unknown"])
def test_an_invalid_rotation_is_called_with_a_supervisor(table: Callable[[], Wheel], reason: str) -> None:
    at = table()
    called = Fact(SpinInvalidated(reason), Stamp(0, 0, "boot"), "console")
    assert need_of(at.game, at.table, called) is Need.SUPERVISOR


@pytest.mark.parametrize(
    ("need", "roles", "met"),
    [
        (Need.ANY, ("dealer",), True),
        (Need.SUPERVISOR, ("dealer",), False),
        (Need.SUPERVISOR, ("supervisor",), True),
        (Need.SUPERVISOR, ("dealer", "supervisor"), True),
        (Need.TWO, ("supervisor",), False),
        (Need.TWO, ("dealer", "dealer"), False),
        (Need.TWO, ("supervisor", "dealer"), True),
    ],
)
def test_a_supervisor_is_enough_while_the_round_is_open(need: Need, roles: tuple[Any, ...], met: bool) -> None:
    assert is_met(need, roles) is met


@pytest.mark.parametrize(
    "verb",
    [
        "count_cards",
        "declare_misdeal",
        "declare_malfunction",
        "expose_card",
        "cancel_deal",
        "invalidate_spin",
        "declare_spin",
    ],
)
def test_request_that_may_undo_outcome_can_name_second_person(verb: str) -> None:
    assert VERBS[verb].judged
    assert "second" in VERBS[verb].form.model_fields


def test_an_outcome_asked_for_again_stays_seen(at_table: Seated) -> None:
    acts = [*Q_DEALT, Act("open_hand", {"place": 1})]
    evening = at_table("q_poker", *((each.verb, each.fields) for each in acts))
    opened = evening.table.records
    assert evening.amend(ROUND, [Change(opened - 1)], BOTH) is None
    assert evening.phase == "dealing"
    stake = [to(opened - len(Q_DEALT) + 2, stake="900")]
    assert evening.amend(ROUND, stake, ("dealer",)) is Need.SUPERVISOR
    assert evening.amend(ROUND, [Change(opened)], BOTH) is None  # no card was face up after all
    assert evening.amend(ROUND, stake, ("dealer",)) is None
    assert evening.replayed() == evening.table


def test_striking_what_a_supervisor_made_of_an_amendment_takes_one(at_table: Seated) -> None:
    evening = at_table("chinese_dice")
    bet = {"place": 3, "bettor": "ben", "bet": "place", "stake": "100"}
    for act in (
        Act("take_seat", {"place": 1, "bettor": "ann"}),
        Act("take_seat", {"place": 3, "bettor": "ben"}),
        Act("take_bank", {"place": 1, "bettor": "ann", "capital": "500"}),
        *(Act("open_round"), Act("bet", bet), Act("close_betting"), Act("dice", {"dice": [1, 3, 5]})),
    ):
        assert evening.happens(act) is None
    thrown = evening.table.records
    assert evening.amend(ROUND, [to(thrown - 2, stake="200")], ("dealer",)) is None
    first = evening.table.records
    meant = [{"record": thrown, "to": {"dice": [1, 3, 6]}}]
    assert evening.amend(ROUND, [to(first, changes=meant)], ("dealer",)) is Need.SUPERVISOR
    assert evening.amend(ROUND, [to(first, changes=meant)], BOTH) is None
    assert evening.amend(ROUND, [Change(first)], ("dealer",)) is Need.SUPERVISOR
    assert evening.amend(ROUND, [Change(first)], BOTH) is None
