"""A round as it counts, by what was published of it."""

from collections.abc import Mapping
from itertools import count
from typing import Any

from tablectl.core.amending.counted_round import counted, ends_that_stand

Event = Mapping[str, Any]
NUMBERS = count(1)


def event(kind: str, **data: Any) -> Event:
    number = next(NUMBERS)
    return {"id": f"5eed0001-{number:016}", "type": f"mo.tablectl.{kind}.v1", "time": f"t{number}", "data": data}


def amended(*struck: Event) -> Event:
    return event("round.amended", amends=[each["id"] for each in struck])


OPENED = event("round.opened", round_id="r1")
BET, CARD = event("bet.placed", stake="100.00"), event("card.dealt", index=1)
SETTLED = event("round.settled", round_id="r1", game="q_poker", settled="t9", settlement={"places": [1]}, opened="t1")
VOID = event("round.void", round_id="r1", reason="table", article="table", by="rui", returned=[])


def test_what_is_struck_does_not_stand_and_what_follows_does() -> None:
    again = event("bet.placed", stake="200.00")
    found = counted([OPENED, BET, CARD, amended(BET, CARD), again])
    assert list(found.standing) == [OPENED["id"], again["id"]]
    assert list(found.struck) == [BET["id"], CARD["id"]]
    assert (found.ending, len(found.amendments)) == (None, 1)


def test_faults_and_audit_events_are_no_part_of_a_round() -> None:
    others = [event("fault.raised", code=101), event("audit.recalled", rounds=[])]
    assert list(counted([OPENED, *others, BET]).standing) == [OPENED["id"], BET["id"]]


def test_end_after_round_was_opened_again_is_one_that_stands() -> None:
    opened_again = event("round.reopened", reopens=VOID["id"])
    assert counted([OPENED, VOID, amended(), opened_again]).ending is None
    found = counted([OPENED, VOID, amended(), opened_again, SETTLED]).ending
    assert found is not None
    assert (found.end, found.data, found.event) == ("settled", SETTLED["data"], SETTLED)


def test_amended_round_keeps_its_end_and_gets_its_outcome() -> None:
    so = {"game": "q_poker", "rules": {}, "rules_version": "89/2004", "round": {"dealer": []}}
    corrected = event("round.corrected", round_id="r1", by_hand=False, void=None, result={"places": [2]}, **so)
    found = counted([OPENED, SETTLED, amended(), corrected]).ending
    assert found is not None
    assert (found.end, found.event) == ("settled", SETTLED)
    assert found.data == {**SETTLED["data"], **so, "settlement": {"places": [2]}}
    was_void = counted([OPENED, VOID, amended(), corrected]).ending
    assert was_void is not None
    assert (was_void.end, was_void.data["settled"], was_void.data["settlement"]) == (
        "settled",
        VOID["time"],
        {"places": [2]},
    )


def test_amendment_that_makes_settled_round_void_gives_every_stake_back() -> None:
    void = {"article": "11(1)", "reason": "wrong_order", "returned": [{"bettor": "ann"}]}
    found = counted(
        [OPENED, SETTLED, event("round.corrected", round_id="r1", by="a, b", by_hand=False, void=void)]
    ).ending
    assert found is not None
    assert (found.end, found.data) == ("void", {"round_id": "r1", "by": "a, b", **void})


def test_amounts_by_hand_survive_reopening() -> None:
    by_hand = event("round.corrected", changes=[{"bettor": "ann"}], settlement={"bettors": []})  # an older build's
    amendment = event("round.corrected", by_hand=False, void=None, changes=[], settlement={"bettors": []}, result={})
    found = counted([OPENED, SETTLED, by_hand])
    assert found.ending is not None
    assert found.ending.data == SETTLED["data"]
    assert list(found.corrections) == [by_hand["id"]]
    again = counted([OPENED, SETTLED, by_hand, amendment, event("round.reopened"), SETTLED])
    assert {name: each["data"] for name, each in again.corrections.items()} == {
        by_hand["id"]: {"changes": [{"bettor": "ann"}]}
    }


def test_ends_stand_until_a_round_is_opened_again() -> None:
    settled, void, again = "round.settled.v1", "round.void.v1", "round.reopened.v1"
    assert ends_that_stand(["round.opened.v1", settled, "round.corrected.v1"]) == [1]
    assert ends_that_stand([void, again]) == []
    assert ends_that_stand([void, again, settled]) == [2]
    assert ends_that_stand([void, settled]) == [0, 1]
