"""What counts once facts were amended: by the contract's sentences, at the tables where they apply."""

import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from tablectl.core.actions.authority import Need
from tablectl.core.cards import PACK, Card
from tablectl.core.effects import Refuse
from tablectl.core.facts.amendments import Change
from tests.referee.evening import Act
from tests.referee.persons import BOTH
from tests.support.amending import ROUND, Recorded, Seated, after, does, last, to

DICE: Final[tuple[Recorded, ...]] = (
    *(("take_seat", {"place": place, "bettor": bettor}) for place, bettor in ((1, "ann"), (3, "ben"))),
    ("take_bank", {"place": 1, "bettor": "ann", "capital": "500"}),
    ("open_round", {}),
    ("bet", {"place": 3, "bettor": "ben", "bet": "place", "stake": "100"}),
    ("close_betting", {}),
)


def test_throw_that_reader_missed_is_entered_and_reader_goes_on(at_table: Seated) -> None:
    evening = at_table("chinese_dice")
    closed = does(evening, *DICE)[-1]
    answer = evening.amend(ROUND, [after(closed, "enter_dice", place="banker", dice=[2, 2, 4])], BOTH)
    assert answer is None
    assert evening.phase == "throwing"
    does(evening, ("dice", {"dice": [3, 3, 5]}))
    assert evening.sight["due"]["to"] == "pay"


@pytest.mark.article("chinese_dice", "reading 21")
def test_later_bank_that_amendment_makes_unlawful_is_noted_and_stays(at_table: Seated) -> None:
    evening = at_table("chinese_dice")
    thrown = does(evening, *DICE, ("dice", {"dice": [1, 2, 3]}), ("pay_place", {"place": 3}))[-2]
    assert evening.nets(ROUND)["ann"] < 0
    bank = {"place": 1, "bettor": "ann", "capital": "500"}
    taken = does(evening, ("take_bank", bank), ("open_round", {}))[0]
    assert evening.amend(ROUND, [to(thrown, dice=[4, 5, 6])], BOTH) is None
    assert evening.nets(ROUND)["ann"] > 0
    noted = evening.events[-1]
    assert noted["type"] == "mo.tablectl.round.irregular.v1"
    assert noted["subject"] == evening.round_id != ROUND
    assert (noted["data"]["article"], noted["data"]["consequence"]) == ("4(d)", "continues")
    assert str(taken) in noted["data"]["text"]["en"]
    does(evening, ("bet", {"place": 3, "bettor": "ben", "bet": "place", "stake": "100"}))
    assert evening.round_id is not None
    assert evening.amend(evening.round_id, [to(evening.table.records, stake="200")], BOTH) is None
    assert len(evening.events) == len({event["id"] for event in evening.events})


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.article("chinese_dice", "4.d")
def test_capital_stated_before_the_opening_is_put_right(at_table: Seated) -> None:
    evening = at_table("chinese_dice")
    stake = ("bet", {"place": 3, "bettor": "ben", "bet": "place", "stake": "700"})
    bank = does(evening, *DICE[:4], stake)[2]
    assert evening.amend(ROUND, [to(bank, capital="600")], ("dealer",)) is None
    assert evening.sight["banker"]["capital"] == "600.00"
    does(evening, ("dice", {"dice": [4, 5, 6]}), ("pay_place", {"place": 3}))
    assert (evening.nets(ROUND)["ann"], evening.sight["banker"]["capital"]) == (576_00, "1176.00")
    assert evening.amend(ROUND, [to(bank, capital="400")], ("dealer",)) is Need.TWO
    assert evening.amend(ROUND, [to(bank, capital="400")], BOTH) is None
    assert (evening.nets(ROUND)["ann"], evening.sight["banker"]["capital"]) == (384_00, "784.00")
    assert evening.replayed() == evening.table


@pytest.mark.article("chinese_dice", "4.c")
def test_bank_is_no_fact_of_other_rounds(at_table: Seated) -> None:
    evening = at_table("chinese_dice")
    won = (("dice", {"dice": [4, 5, 6]}), ("pay_place", {"place": 3}))
    first = does(evening, *DICE, *won)[2]
    second = does(evening, ("take_bank", {"place": 1, "bettor": "ann", "capital": "900"}), *DICE[3:], *won)[0]
    following = "5eed0001-000002"
    for round_id, record in ((following, first), (ROUND, second), (following, first - 1)):
        answer = evening.amend(round_id, [to(record, capital="800")], BOTH)
        assert isinstance(answer, Refuse)
        assert (answer.code, answer.where) == ("not_of_the_round", "changes[0].record")
    assert evening.amend(following, [to(second, capital="1000")], BOTH) is None
    answer = evening.amend(following, [to(second, capital="100")], BOTH)
    assert isinstance(answer, Refuse)
    assert (answer.article, answer.code, answer.where) == ("4(d)", "capital_reduced", "changes[0].to")
    assert evening.amend(following, [Change(second)], BOTH) is None
    assert evening.nets(following)["ann"] == 96_00


@pytest.mark.article("chinese_dice", "4.a")
@pytest.mark.article("chinese_dice", "4.b")
def test_place_and_bettor_of_the_bank_are_put_right(at_table: Seated) -> None:
    evening = at_table("chinese_dice")
    laid = ("bet", {"place": 5, "bettor": "cy", "bet": "place", "stake": "100"})
    _, seat, bank, opened, _ = does(evening, *DICE[:4], laid)
    bens = [after(seat, "decline_bank", place=1), to(bank, place=3, bettor="ben")]
    assert evening.amend(ROUND, bens, ("dealer",)) is None
    again = [(each["data"]["place"], each["data"]["bettor"], each["data"]["bet"]) for each in evening.events[-2:]]
    assert again == [(3, "ben", "capital"), (5, "cy", "place")]
    assert len(last(evening, "round.amended")["amends"]) == len(again)
    assert (evening.sight["banker"]["place"], evening.sight["banker"]["bettor"]) == (3, "ben")
    does(evening, ("dice", {"dice": [4, 5, 6]}), ("pay_place", {"place": 5}))
    assert evening.nets(ROUND) == {"ben": 96_00, "cy": -100_00}
    amendment = opened + 2
    assert evening.amend(ROUND, [Change(amendment)], ("dealer",)) is Need.TWO
    assert evening.amend(ROUND, [Change(amendment)], BOTH) is None
    assert evening.nets(ROUND) == {"ann": 96_00, "cy": -100_00}
    assert evening.sight["banker"]["capital"] == "596.00"
    assert evening.replayed() == evening.table


@pytest.mark.article("chinese_dice", "4.b")
@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ([to(6, place=3, bettor="ben")], ("4(b)", "not_his_turn", "changes[0].to")),
        ([to(6, bettor="ben")], ("4(a)", "not_seated", "changes[0].to")),
        ([Change(6)], ("4(a)", "no_banker", "changes")),
        ([Change(4)], ("4(a)", "not_seated", "changes")),
        ([to(6, place=9)], ("3(a)", "no_such_place", "changes[0].to")),
        ([Change(7)], ("table", "not_amendable", "changes[0].record")),
        ([after(3, "decline_bank", place=1)], ("table", "not_of_the_round", "changes[0].after")),
        ([after(5, "close_betting")], ("2(a)", "no_round", "changes[0].fields")),
    ],
)
def test_bank_with_which_no_round_could_be_opened_is_refused(
    changes: list[Change], refused: tuple[str, str, str], at_table: Seated
) -> None:
    evening = at_table("chinese_dice")
    assert does(evening, *DICE[:4]) == [4, 5, 6, 7]
    answer = evening.amend(ROUND, changes, BOTH)
    assert isinstance(answer, Refuse)
    assert (answer.article, answer.code, answer.where) == refused


@pytest.mark.article("chinese_dice", "4.b")
def test_bet_of_who_really_has_the_bank_is_asked_again(at_table: Seated) -> None:
    evening = at_table("chinese_dice")
    _, seat, bank, _, bet, _ = does(evening, *DICE)
    changes = [after(seat, "decline_bank", place=1), to(bank, place=3, bettor="ben")]
    assert evening.amend(ROUND, changes, ("dealer",)) is None
    assert evening.asked_again()[:1] == [bet]


@pytest.mark.article("chinese_dice", "4.a")
def test_bank_after_an_amended_round_is_its_own_fact(at_table: Seated) -> None:
    """What was said of the bank before that amendment isn't folded again, but its capital is."""
    evening = at_table("chinese_dice")
    thrown = does(evening, *DICE, ("dice", {"dice": [4, 5, 6]}), ("pay_place", {"place": 3}))[-2]
    bank = does(evening, ("take_bank", {"place": 1, "bettor": "ann", "capital": "900"}))[0]
    assert evening.amend(ROUND, [to(thrown, dice=[5, 5, 5])], BOTH) is None
    does(evening, ("open_round", {}))
    assert evening.round_id is not None
    assert evening.amend(evening.round_id, [to(bank, capital="1000")], ("dealer",)) is None
    assert evening.sight["banker"]["capital"] == "1000.00"


def test_throw_that_reader_missed_is_shake_of_deal(at_table: Seated) -> None:
    evening = at_table("thirteen_cards")
    laid = does(
        evening,
        ("take_seat", {"place": 2, "bettor": "ann"}),
        ("confirm_pack", {"shuffle": "hand"}),
        ("open_round", {}),
        ("bet", {"place": 2, "bettor": "ann", "bet": "place", "stake": "100"}),
    )[-1]
    answers = [
        evening.amend(ROUND, [after(laid, "enter_dice", place=place, dice=[1, 2, 3, 4])], BOTH)
        for place in ("banker", 2, 3, 4)
    ]
    assert None in answers
    assert evening.phase == "dealing"


def test_the_last_hand_that_nobody_recorded_ends_the_round(at_table: Seated) -> None:
    evening = at_table("football_poker")
    cards = [("card", {"card": card}) for card in ("As", "4d", "2s", "6d")]
    draw = {"series": "upper", "combination": 3}
    records = does(
        evening,
        ("confirm_pack", {"shuffle": "hand"}),
        ("open_round", {}),
        ("draw", draw),
        ("shown_draw", draw),
        ("bet", {"place": 1, "bettor": "ann", "bet": "odd", "stake": "100"}),
        *cards,
        ("open_hand", {"place": 1}),
    )
    assert evening.amend(ROUND, [after(records[-1], "open_hand", place="common", cards=["2s", "6d"])], BOTH) is None
    assert evening.nets(ROUND) == {"ann": 100_00}
    does(evening, ("confirm_pack", {"shuffle": "hand"}), ("open_round", {}))
    assert evening.round_id != ROUND


def test_a_spin_that_no_sensor_reported_is_inserted_as_declared(at_table: Seated) -> None:
    evening = at_table("wheel_of_fortune")
    closed = does(
        evening,
        ("open_round", {}),
        ("bet", {"place": 1, "bettor": "ann", "bet": "symbol_1", "stake": "100"}),
        ("close_betting", {}),
    )[-1]
    assert evening.amend(ROUND, [after(closed, "spin", turns=3, section=7)], BOTH) is None
    assert evening.events[-1]["type"] == "mo.tablectl.wheel.stopped.v1"
    assert (evening.events[-1]["data"]["turns"], evening.events[-1]["data"]["section"]) == (3, 7)
    assert evening.phase == "stopped"


Q: Final[tuple[Recorded, ...]] = (
    ("confirm_pack", {"shuffle": "hand"}),
    ("open_round", {}),
    ("bet", {"place": 1, "bettor": "ann", "bet": "versus_dealer", "stake": "100"}),
    *(("card", {"card": card}) for card in ("As", "Kd", "7c", "2c", "Qh", "4h")),
    ("open_hand", {"place": 1}),
)


def test_card_seen_face_up_drops_the_same_reading_face_down(at_table: Seated) -> None:
    evening = at_table("q_poker")
    records = does(evening, *Q)
    assert evening.amend(ROUND, [to(records[3], card="Kd")], BOTH) is None
    does(evening, ("decide", {"place": 1, "bettor": "ann", "decision": "play"}))
    refused = evening.happens(Act("open_hand", {"place": "dealer"}))
    assert refused is not None
    assert refused.code == "cards_unknown"
    does(evening, ("open_hand", {"place": "dealer", "cards": ["9s", "2c", "4h"]}))


def test_exposed_card_drops_the_same_reading_beside_it(at_table: Seated) -> None:
    evening = at_table("q_poker")
    records = does(evening, *Q[:-1])
    shown = after(records[-1], "expose_card", place=1, index=1, card="7c")
    assert evening.amend(ROUND, [to(records[3], card=None), shown], BOTH) is None
    assert evening.sight["hands"][0]["cards"] == ["7c", None, None]


CARDS_OUT: Final[dict[str, tuple[Recorded, ...]]] = {
    "q_poker": (
        ("bet", {"place": 1, "bettor": "ann", "bet": "versus_dealer", "stake": "100"}),
        *(("card", {"card": card}) for card in ("As", "Kd", None, "2c")),
    ),
    "football_poker": (
        ("draw", {"series": "upper", "combination": 3}),
        ("shown_draw", {"series": "upper", "combination": 3}),
        ("bet", {"place": 1, "bettor": "ann", "bet": "odd", "stake": "100"}),
        *(("card", {"card": card}) for card in ("As", None, "Kd")),
    ),
    "thirteen_cards": (
        ("bet", {"place": 2, "bettor": "ann", "bet": "place", "stake": "100"}),
        ("dice", {"dice": [1, 1, 1, 2]}),
        *(("card", {"card": card}) for card in ("As", "Kd", "2c", "Qh", None)),
    ),
}


@pytest.mark.parametrize("card", ["As", "Kd"], ids=["beside it", "elsewhere"])
@pytest.mark.parametrize("game", CARDS_OUT)
def test_a_plainly_exposed_card_drops_the_same_reading(game: str, card: str, at_table: Seated) -> None:
    begun: tuple[Recorded, ...] = (("confirm_pack", {"shuffle": "hand"}), ("open_round", {}))
    seats: tuple[Recorded, ...] = (("take_seat", {"place": 2, "bettor": "ann"}),) if game == "thirteen_cards" else ()
    evening = at_table(game, *seats, *begun, *CARDS_OUT[game])
    place: Any = "banker" if game == "thirteen_cards" else 1
    does(evening, ("expose_card", {"place": place, "index": 2, "card": card}))
    state: Any = evening.table.game
    named = [each for hand in getattr(state, "hands", None) or state.deal.hands for each in hand.cards]
    assert named.count(Card(card)) == 1
    assert evening.table.faults == ()
    assert last(evening, "card.exposed")["cards"] == [card]


def test_tiers_put_in_drop_the_same_reading_face_down(at_table: Seated) -> None:
    evening = at_table("thirteen_cards")
    does(
        evening,
        ("take_seat", {"place": 2, "bettor": "ann"}),
        ("confirm_pack", {"shuffle": "hand"}),
        ("open_round", {}),
        ("bet", {"place": 2, "bettor": "ann", "bet": "place", "stake": "100"}),
        ("dice", {"dice": [1, 2, 3, 4]}),
    )
    read: dict[Any, list[tuple[str, int]]] = {}
    for card in map(str, PACK):
        (record,) = does(evening, ("card", {"card": card}))
        read.setdefault(evening.last_dealt()[0], []).append((card, record))
    (_, misread), *others = read["banker"]
    lies = [read[2][0][0], *(card for card, _ in others)]
    shown = after(evening.table.records, "show_tiers", place="banker", rows=[lies[:3], lies[3:8], lies[8:]])
    assert evening.amend(ROUND, [to(misread, card=None), shown], BOTH) is None
    assert evening.phase == "players_setting"


@pytest.mark.parametrize(
    ("change", "code", "where"),
    [
        (lambda cards: to(cards[1], card="3d"), "card_lies_face_down", "changes[0].to.card"),
        (lambda cards: to(cards[0], card="7c"), "card_lies_open_elsewhere", "changes[0].to.card"),
        (lambda cards: to(cards[0], card="4h"), "card_lies_open_elsewhere", "changes[0].to.card"),
        (lambda cards: to(cards[0], card="1x"), "wrong_field", "changes[0].to.card"),
        (lambda cards: to(cards[0], lies=99), "no_such_place", "changes[0].to"),
        (lambda cards: to(cards[0]), "wrong_field", "changes[0].to"),
    ],
)
def test_what_a_card_cannot_be_is_refused_with_its_field(
    change: Callable[[list[int]], Change], code: str, where: str, at_table: Seated
) -> None:
    evening = at_table("q_poker")
    records = does(
        evening,
        *Q[:3],
        ("bet", {"place": 2, "bettor": "ben", "bet": "versus_dealer", "stake": "100"}),
        *(("card", {"card": card}) for card in ("As", "7c", "Kd", "2c", "8h", "Qh", "4h", "9d", "Jc")),
        ("open_hand", {"place": 1}),
        ("open_hand", {"place": 2}),
    )
    cards = [records[4], records[6]]
    answer = evening.amend(ROUND, [change(cards)], BOTH)
    assert isinstance(answer, Refuse)
    assert (answer.code, answer.where) == (code, where)


@pytest.mark.parametrize("nth", [7, 5])
def test_one_amendment_cannot_state_a_card_twice(nth: int, at_table: Seated) -> None:
    evening = at_table("q_poker")
    records = does(
        evening,
        *Q[:3],
        ("bet", {"place": 2, "bettor": "ben", "bet": "versus_dealer", "stake": "100"}),
        *(("card", {"card": card}) for card in ("As", "7c", "Kd", "2c", "8h", "Qh", "4h", "9d", "Jc")),
        ("open_hand", {"place": 1}),
        ("open_hand", {"place": 2}),
    )
    answer = evening.amend(ROUND, [to(records[4], card="9c"), to(records[nth], card="9c")], BOTH)
    assert isinstance(answer, Refuse)
    assert (answer.code, answer.where) == ("card_lies_open_elsewhere", "changes[0].to.card")
    assert evening.amend(ROUND, [to(records[4], card="2c"), to(records[7], card="As")], BOTH) is None


@pytest.mark.parametrize("name", ["request_id", "round_id", "seen", "second", "reason"])
def test_a_field_that_says_nothing_of_the_fact_is_refused(name: str, at_table: Seated) -> None:
    evening = at_table("q_poker")
    bet = does(evening, *Q[:3])[-1]
    answer = evening.amend(ROUND, [Change(bet, json.dumps({"stake": "200", name: None}))], BOTH)
    assert isinstance(answer, Refuse)
    assert (answer.code, answer.where) == ("wrong_field", f"changes[0].to.{name}")


def test_several_changes_of_a_fact_count_by_the_last_one(at_table: Seated) -> None:
    evening = at_table("wheel_of_fortune")
    bet = {"place": 1, "bettor": "ann", "bet": "symbol_1", "stake": "100"}
    laid = does(evening, ("open_round", {}), ("bet", bet))[-1]
    for stake in ("200", "300"):
        assert evening.amend(ROUND, [to(laid, stake=stake)], ("dealer",)) is None
    assert [each["stake"] for each in evening.sight["bets"]] == ["300.00"]
    assert evening.amend(ROUND, [Change(evening.table.records)], ("dealer",)) is None
    assert [each["stake"] for each in evening.sight["bets"]] == ["200.00"]


def test_change_outlives_the_struck_amendment_it_built_on(at_table: Seated) -> None:
    evening = at_table("wheel_of_fortune")
    bet = {"place": 1, "bettor": "ann", "bet": "symbol_1", "stake": "100"}
    laid = does(evening, ("open_round", {}), ("bet", bet))[-1]
    assert evening.amend(ROUND, [to(laid, stake="200")], ("dealer",)) is None
    first = evening.table.records
    assert evening.amend(ROUND, [to(laid, bettor="eva")], ("dealer",)) is None
    assert [(each["bettor"], each["stake"]) for each in evening.sight["bets"]] == [("eva", "200.00")]
    meant = [{"record": laid, "to": {"stake": "300"}}]
    assert evening.amend(ROUND, [to(first, changes=meant)], ("dealer",)) is None
    assert [(each["bettor"], each["stake"]) for each in evening.sight["bets"]] == [("eva", "300.00")]
    assert evening.amend(ROUND, [to(first, reason="it was"), Change(first)], ("dealer",)) is None
    assert [(each["bettor"], each["stake"]) for each in evening.sight["bets"]] == [("eva", "100.00")]
    assert evening.replayed() == evening.table


def test_overruled_change_of_face_down_card_names_it_nowhere(at_table: Seated) -> None:
    evening = at_table("q_poker")
    cards = [("card", {"card": card}) for card in ("5h", "As", "Qs")]
    first, second, _ = does(evening, *Q[:3], *cards)[-3:]
    changes = [to(first, lies=2), to(first, lies="aside"), to(second, lies=3), Change(second)]
    assert evening.amend(ROUND, changes, BOTH) is None
    assert not [card for card in ("5h", "As") if card in json.dumps(evening.events)]


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.article("q_poker", "reading 23")
def test_card_laid_aside_is_no_hands_and_stays_face_down(at_table: Seated) -> None:
    evening = at_table("q_poker")
    cards = [("card", {"card": card}) for card in ("5h", "As", "Qs", "Ad", "9h", "4c", "6c")]
    records = does(evening, *Q[:3], *cards)
    assert evening.amend(ROUND, [to(records[3], lies="aside")], ("dealer",)) is None
    assert evening.phase == "opening"
    assert [hand["place"] for hand in evening.sight["hands"]] == [1, "dealer"]
    assert "5h" not in json.dumps(evening.events)
    does(evening, ("count_cards", {"count": 7}), ("open_hand", {"place": 1}))
    assert evening.sight["hands"][0]["cards"] == ["As", "Ad", "4c"]


@pytest.mark.article("q_poker", "11.4")
@pytest.mark.article("q_poker", "reading 22")
@pytest.mark.parametrize("nth", [1, 2, 3, 7])
def test_card_at_a_place_without_bet_is_found_later(nth: int, at_table: Seated) -> None:
    evening = at_table("q_poker")
    right = ["As", "Qs", "Ad", "9h", "4c", "6c"]
    cards = [("card", {"card": card}) for card in (*right[: nth - 1], "5h", *right[nth - 1 :])]
    records = does(evening, *Q[:3], *cards)
    assert evening.amend(ROUND, [to(records[2 + nth], lies=5)], ("dealer",)) is None
    does(evening, ("open_hand", {"place": 1}))
    hands = {hand["place"]: hand["cards"] for hand in evening.sight["hands"]}
    assert (hands[1], hands[5]) == (["As", "Ad", "4c"], [None])


@pytest.mark.article("football_poker", "reading 9")
def test_a_football_card_laid_aside_is_no_hands(at_table: Seated) -> None:
    evening = at_table("football_poker")
    draw = {"series": "upper", "combination": 3}
    records = does(
        evening,
        ("confirm_pack", {"shuffle": "hand"}),
        ("open_round", {}),
        ("draw", draw),
        ("shown_draw", draw),
        ("bet", {"place": 1, "bettor": "ann", "bet": "odd", "stake": "100"}),
        *(("card", {"card": card}) for card in ("5h", "As", "4d", "2s", "6d")),
    )
    assert evening.amend(ROUND, [to(records[5], lies="aside")], ("dealer",)) is None
    does(evening, ("open_hand", {"place": 1}), ("open_hand", {"place": "common"}))
    assert evening.nets(ROUND) == {"ann": 100_00}
