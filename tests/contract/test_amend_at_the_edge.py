"""Amendments that ask for what can't be: each is refused with its field, and the table goes on."""

import json
from typing import Any, Final

import pytest

from tablectl.core.effects import Refuse
from tablectl.core.facts.amendments import Change
from tablectl.core.money import utc_text
from tests.referee.evening import START_US, Evening
from tests.referee.persons import BOTH
from tests.support.amending import ROUND, Seated, after, does, last, to

POKER: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("confirm_pack", {"shuffle": "hand"}),
    ("open_round", {}),
    ("bet", {"place": 1, "bettor": "ann", "bet": "pair_or_better", "stake": "100"}),
    *(("card", {"card": card}) for card in ("As", "Kd", "2c", "Qs", "Ad", "7h")),
)


def answered(evening: Evening, *changes: Change) -> tuple[str, str] | None:
    """The code and the field of the refusal, where there is one."""
    answer = evening.amend(ROUND, changes, BOTH)
    assert answer is None or isinstance(answer, Refuse), answer
    return (answer.code, answer.where) if isinstance(answer, Refuse) else None


@pytest.mark.parametrize("lies", [[], {}, 1.5, True, None, "x", 0, -1, "1"])
def test_a_card_lies_at_no_place_of_another_form(lies: object, at_table: Seated) -> None:
    evening = at_table("q_poker")
    card = does(evening, *POKER)[3]
    assert answered(evening, to(card, lies=lies)) == ("wrong_field", "changes[0].to.lies")


@pytest.mark.parametrize(
    "verb", ["dice", "draw", "shown_draw", "open_round", "amend", "correct_round", "shuffle_completed"]
)
def test_what_no_device_here_reports_is_not_put_in(verb: str, at_table: Seated) -> None:
    evening = at_table("q_poker")
    bet = does(evening, *POKER)[2]
    fields = {"dice": {"dice": [1, 2, 3]}}.get(verb, {"series": "upper", "combination": 1})
    assert answered(evening, after(bet, verb, **fields)) == ("not_insertable", "changes[0].verb")


@pytest.mark.parametrize(
    ("verb", "fields"),
    [
        ("spin", {"turns": 3, "section": 1}),
        ("declare_spin", {"turns": 3, "section": 1}),
        ("enter_dice", {"place": 1, "dice": [1, 2, 3]}),
        ("take_bank", {"place": 1, "bettor": "ann", "capital": "100"}),
    ],
)
def test_another_games_request_is_not_put_in(verb: str, fields: dict[str, Any], at_table: Seated) -> None:
    evening = at_table("q_poker")
    bet = does(evening, *POKER)[2]
    assert answered(evening, after(bet, verb, **fields)) == ("not_played_here", "changes[0].fields")


def test_nothing_is_inserted_after_an_amendment_of_a_past_round(at_table: Seated) -> None:
    evening = at_table("q_poker")
    bet = does(evening, *POKER, ("open_hand", {"place": 1}), ("open_hand", {"place": "dealer"}))[2]
    assert evening.round_id is None
    assert answered(evening, to(bet, stake="200")) is None
    amendment = evening.table.records
    does(evening, *POKER[:2])
    for time in ("", "2026-11-25T00:00:00Z"):
        laid = {"place": 2, "bettor": "ben", "bet": "pair_or_better", "stake": "100"}
        change = Change(amendment, json.dumps(laid), inserted=True, verb="bet", time=time)
        assert answered(evening, change) == ("no_round", "changes[0].after")


def test_the_reason_of_an_amendment_alone_is_put_right(at_table: Seated) -> None:
    evening = at_table("q_poker")
    bet = does(evening, *POKER)[2]
    assert answered(evening, to(bet, stake="200")) is None
    assert answered(evening, to(evening.table.records, reason="the chips were counted again")) is None
    assert last(evening, "round.amended")["changes"][0]["now"]["reason"] == "the chips were counted again"
    assert [each["stake"] for each in evening.sight["bets"]] == ["200.00"]


def test_an_amendment_of_a_past_round_says_what_it_was(at_table: Seated) -> None:
    evening = at_table("q_poker")
    bet = does(evening, *POKER, ("open_hand", {"place": 1}), ("open_hand", {"place": "dealer"}), *POKER[:2])[2]
    assert answered(evening, to(bet, stake="200")) is None
    amendment, was = evening.table.records, {"reason": "what lay on the table", "changes": 1}
    for change, now in (
        (to(amendment, reason="counted"), {"reason": "counted", "changes": 1}),
        (Change(amendment), None),
    ):
        assert answered(evening, change) is None
        (said,) = last(evening, "round.amended")["changes"]
        assert (said["was"], said["now"]) == (was, now)
    assert evening.replayed() == evening.table


@pytest.mark.parametrize(
    ("offset_us", "is_taken"),
    [(-1_000_000, False), (-1, False), (0, True), (900_000, True), (1_000_001, False), (86_400_000_000, False)],
)
def test_an_inserted_fact_lies_in_time_between_its_neighbours(offset_us: int, is_taken: bool, at_table: Seated) -> None:
    evening = at_table("q_poker")
    bet = does(evening, *POKER)[2]
    time = utc_text(START_US + (bet - 1) * 1_000_000 + offset_us)
    refused = answered(evening, Change(bet, "{}", inserted=True, verb="close_betting", time=time))
    assert refused == (None if is_taken else ("wrong_field", "changes[0].time"))


@pytest.mark.parametrize("time", ["yesterday", "2026-11-25", "2026-11-25T10:00:00", "9999-12-31T23:59:59Z", "-1"])
def test_a_time_that_is_none_is_refused_with_its_field(time: str, at_table: Seated) -> None:
    evening = at_table("q_poker")
    bet = does(evening, *POKER)[2]
    change = Change(bet, "{}", inserted=True, verb="close_betting", time=time)
    assert answered(evening, change) == ("wrong_field", "changes[0].time")


def test_the_time_of_an_inserted_fact_is_put_right(at_table: Seated) -> None:
    evening = at_table("q_poker")
    bet = does(evening, *POKER)[2]
    first, second = (utc_text(START_US + (bet - 1) * 1_000_000 + offset) for offset in (100_000, 700_000))
    laid = {"place": 2, "bettor": "ben", "bet": "pair_or_better", "stake": "100"}
    assert answered(evening, Change(bet, json.dumps(laid), inserted=True, verb="bet", time=first)) is None
    again = {"after": bet, "verb": "bet", "fields": laid, "time": second}
    assert answered(evening, to(evening.table.records, changes=[again])) is None
    placed = [each for each in evening.events if each["data"].get("bettor") == "ben"]
    assert [each["time"] for each in placed] == [first, second]
    assert placed[0]["id"] in last(evening, "round.amended")["amends"]
    assert evening.replayed() == evening.table


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"record": 8, "to": {"card": "2h"}}, "card_lies_face_down", "changes[0].to.card"),
        ({"record": 7, "to": {"place": 99}}, "no_such_place", "changes[0].to"),
        ({"after": 7, "verb": "open_hand", "fields": {"place": 1}}, "not_dealt", "changes[0].fields"),
        ({"record": 14, "to": {"reason": "itself"}}, "not_amendable", "changes[0].record"),
        ({"record": 15, "to": {"reason": "a later one"}}, "not_amendable", "changes[0].record"),
    ],
)
def test_what_an_amended_amendment_states_is_judged(
    change: dict[str, Any], code: str, field: str, at_table: Seated
) -> None:
    evening = at_table("q_poker")
    records = does(evening, *POKER)
    assert records[2:4] == [7, 8]
    for each in (to(7, stake="200"), to(9, card=None)):
        assert answered(evening, each) is None
    state, first = evening.sight, 14
    assert answered(evening, to(first, changes=[change])) == (code, f"changes[0].to.{field}")
    assert evening.sight == state


DRAWN: Final = {"series": "upper", "combination": 3}
ROUNDS: Final[dict[str, tuple[tuple[str, dict[str, Any]], ...]]] = {
    "wheel_of_fortune": (
        ("open_round", {}),
        ("bet", {"place": 1, "bettor": "ann", "bet": "symbol_1", "stake": "100"}),
        ("close_betting", {}),
        ("spin_started", {}),
        ("spin", {"turns": 4, "section": 2}),
        ("confirm_spin", {}),
    ),
    "chinese_dice": (
        *(("take_seat", {"place": place, "bettor": bettor}) for place, bettor in ((1, "ann"), (3, "ben"))),
        ("take_bank", {"place": 1, "bettor": "ann", "capital": "500"}),
        ("open_round", {}),
        ("bet", {"place": 3, "bettor": "ben", "bet": "place", "stake": "100"}),
        ("dice", {"dice": [1, 2, 3]}),
        ("pay_place", {"place": 3}),
    ),
    "football_poker": (
        ("confirm_pack", {"shuffle": "hand"}),
        ("open_round", {}),
        ("draw", DRAWN),
        ("shown_draw", DRAWN),
        ("bet", {"place": 1, "bettor": "ann", "bet": "upper_range", "stake": "100"}),
        *(("card", {"card": card}) for card in ("5h", "Ad", "2s", "6d")),
        ("open_hand", {"place": 1}),
        ("open_hand", {"place": "common"}),
    ),
}


@pytest.mark.parametrize(
    ("game", "nth", "name", "value"),
    [
        ("wheel_of_fortune", 4, "section", 53),
        ("wheel_of_fortune", 4, "turns", -1),
        ("chinese_dice", 5, "flaw", "sideways"),
        ("chinese_dice", 5, "dice", [1, 2, 7]),
        ("football_poker", 2, "combination", 9),
    ],
)
def test_a_report_without_meaning_is_refused(game: str, nth: int, name: str, value: object, at_table: Seated) -> None:
    evening = at_table(game)
    record = does(evening, *ROUNDS[game])[nth]
    nets = evening.nets(ROUND)
    refused = answered(evening, to(record, **{name: value}))
    assert refused is not None
    assert refused[0] == "wrong_field"
    assert refused[1].startswith(f"changes[0].to.{name}")
    assert evening.nets(ROUND) == nets


def test_striking_an_amendment_brings_no_face_down_card_to_light(at_table: Seated) -> None:
    evening = at_table("q_poker")
    card = does(evening, *POKER)[3]
    assert answered(evening, to(card, lies=1)) is None
    first = evening.table.records
    assert answered(evening, to(card, card=None)) is None
    second = evening.table.records
    overruled = {"record": card, "to": {"card": "2h"}}
    assert answered(evening, to(first, changes=[overruled])) is None
    assert answered(evening, Change(second)) == ("card_lies_face_down", "changes")


@pytest.mark.parametrize(
    ("game", "change", "field"),
    [
        ("wheel_of_fortune", {"record": 8, "to": {"section": 53}}, "to.section"),
        ("wheel_of_fortune", {"after": 9, "verb": "close_betting", "fields": {}}, "after"),
        ("chinese_dice", {"record": 9, "to": {"flaw": "sideways"}}, "to.flaw"),
    ],
)
def test_an_amended_amendment_has_nothing_without_meaning(
    game: str, change: dict[str, Any], field: str, at_table: Seated
) -> None:
    evening = at_table(game)
    (bet,) = (
        record for record, (verb, _) in zip(does(evening, *ROUNDS[game]), ROUNDS[game], strict=True) if verb == "bet"
    )
    assert answered(evening, to(bet, stake="200")) is None
    nets = evening.nets(ROUND)
    refused = answered(evening, to(evening.table.records, changes=[change]))
    assert refused is not None
    assert refused[1] == f"changes[0].to.changes[0].{field}"
    assert evening.nets(ROUND) == nets


@pytest.mark.article("football_poker", "10.1")
def test_open_card_is_named_though_a_third_is_due(at_table: Seated) -> None:
    evening = at_table("football_poker")
    records = does(evening, *ROUNDS["football_poker"])
    assert answered(evening, to(records[6], card="5d")) is None
    assert evening.phase == "thirds"
    assert [each["verb"] for each in last(evening, "round.amended")["asks_again"]] == ["open_hand", "open_hand"]
    does(evening, ("card", {"card": "4c"}), ("open_hand", {"place": 1}), ("open_hand", {"place": "common"}))
    assert evening.nets(ROUND) == {"ann": 95_00}


CARDS: Final = [f"{rank}{suit}" for suit in "shdc" for rank in "A23456789TJQK"]
DEALT: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("take_seat", {"place": 2, "bettor": "ann"}),
    ("confirm_pack", {"shuffle": "hand"}),
    ("open_round", {}),
    ("bet", {"place": 2, "bettor": "ann", "bet": "place", "stake": "100"}),
    ("dice", {"dice": [1, 1, 1, 2]}),
    *(("card", {"card": card}) for card in CARDS),
)


def shown(place: Any, cards: list[str]) -> tuple[str, dict[str, Any]]:
    return "show_tiers", {"place": place, "rows": [cards[:3], cards[3:8], cards[8:]]}


@pytest.mark.article("thirteen_cards", "reading 21")
@pytest.mark.parametrize(
    "crosswise",
    [{0: 2, 1: "banker"}, {0: 3, 2: 4, 3: "banker"}, {0: 2, 5: 3, 6: "banker", 10: 4, 11: 3}],
    ids=["two", "three", "twice"],
)
def test_cards_that_lie_crosswise_count_where_they_lie(crosswise: dict[int, Any], at_table: Seated) -> None:
    """The dealer laid them so, and nobody saw it before the hands were open."""
    evening = at_table("thirteen_cards")
    drawn = does(evening, *DEALT)[5:]
    order: list[Any] = ["banker", 2, 3, 4]
    assert evening.sight["first"] == "banker"
    lying = {
        place: [card for nth, card in enumerate(CARDS) if crosswise.get(nth, order[nth % 4]) == place]
        for place in order
    }
    changes = [to(drawn[nth], lies=place) for nth, place in crosswise.items()]
    assert evening.amend(ROUND, changes, ("dealer",)) is None
    assert evening.phase == "banker_setting"
    does(evening, shown("banker", lying["banker"]), ("finish_setting", {"place": 2}), shown(2, lying[2]))
    assert evening.round_id is None
    codes = {each["data"]["code"] for each in evening.events if each["type"].endswith("round.irregular.v1")}
    assert codes <= {"banker_foul"}  # the cards lie as they came


@pytest.mark.article("thirteen_cards", "4")
def test_card_said_to_lie_where_dealt_is_no_misdeal(at_table: Seated) -> None:
    evening = at_table("thirteen_cards")
    drawn = does(evening, *DEALT)[5:]
    state = evening.sight
    order: list[Any] = ["banker", 2, 3, 4]
    for nth in (0, len(drawn) - 1):
        assert evening.amend(ROUND, [to(drawn[nth], lies=order[nth % 4])], ("dealer",)) is None
        assert last(evening, "round.amended")["amends"] == []
        assert evening.sight == state


@pytest.mark.article("thirteen_cards", "4")
def test_a_card_too_many_at_a_place_waits(at_table: Seated) -> None:
    evening = at_table("thirteen_cards")
    drawn = does(evening, *DEALT)[5:]
    assert evening.amend(ROUND, [to(drawn[0], lies=2)], ("dealer",)) is None
    assert (evening.phase, evening.sight["misplaced"]) == ("dealing", 2)
    does(evening, ("mend_card", {}))
    assert evening.phase == "banker_setting"
    refused = answered(evening, to(drawn[0], lies=3), to(drawn[2], lies=2))
    assert refused == ("mend_first", "changes[1].to")
