"""`GET /v1/rounds/<id>/records`: a round's facts for whoever may put them right, over a real daemon's console."""

import json
from typing import Any

import pytest

from tests.support.live_table import CARDS, Table


def records(table: Table, round_id: str) -> list[dict[str, Any]]:
    before = table.daemon.state()["seen"]
    answer = table.daemon._call("GET", f"/v1/rounds/{round_id}/records")
    assert answer["round_id"] == round_id
    assert before <= answer["seen"] <= table.daemon.state()["seen"]  # devices report meanwhile
    found: list[dict[str, Any]] = answer["records"]
    return found


def of_verb(found: list[dict[str, Any]], verb: str) -> list[dict[str, Any]]:
    return [each for each in found if each["verb"] == verb]


def dealt(table: Table) -> str:
    """A round whose cards all lie face down; its id."""
    table.begin()
    table.open()
    table.deal()
    return str(table.daemon.state()["round_id"])


def test_round_records_are_its_facts_without_hidden_cards(table: Table) -> None:
    round_id = dealt(table)
    found = records(table, round_id)
    numbers = [each["record"] for each in found]
    assert numbers == sorted(numbers)
    (bet,) = of_verb(found, "bet")
    assert bet["fields"] == {"place": 1, "bettor": "ann", "bet": "versus_dealer", "stake": "100.00"}
    assert (bet["by"], bet["source"], bet["amendable"], bet["amended_by"]) == ("ana", "console", True, None)
    cards = of_verb(found, "card")
    assert [each["fields"]["lies"] for each in cards] == [1, "dealer"] * (len(CARDS) // 2)
    assert {each["fields"]["card"] for each in cards} == {None}
    assert not [card for card in CARDS if f'"{card}"' in json.dumps(found)]


def test_records_name_an_opened_card_and_what_amended_them(table: Table) -> None:
    round_id = dealt(table)
    number = of_verb(records(table, round_id), "bet")[0]["record"]
    table.ask("amend", reason="counted again", changes=[{"record": number, "to": {"stake": "200"}}])
    table.ask("open_hand", place=1)
    found = records(table, round_id)
    (amendment,) = of_verb(found, "amend")
    (bet,) = of_verb(found, "bet")
    assert (bet["amended_by"], bet["fields"]["stake"], bet["now"]["stake"]) == (amendment["record"], "100.00", "200.00")
    named = {each["fields"]["card"] for each in of_verb(found, "card") if each["fields"]["lies"] == 1}
    assert named == set(CARDS[::2])


def test_records_name_the_amendments_that_stand(table: Table) -> None:
    table.begin()
    table.open()
    table.ask("bet", place=2, bettor="ben", bet="versus_dealer", stake="50")
    round_id = str(table.daemon.state()["round_id"])
    ann, ben = (each["record"] for each in of_verb(records(table, round_id), "bet"))
    table.ask("amend", reason="counted again", changes=[{"record": ann, "to": {"stake": "200"}}])
    wrong = of_verb(records(table, round_id), "amend")[0]["record"]
    meant = [{"record": ben, "to": {"stake": "200"}}]
    table.ask("amend", reason="it was the other bet", changes=[{"record": wrong, "to": {"changes": meant}}])
    found = records(table, round_id)
    of_ann, of_ben = of_verb(found, "bet")
    assert (of_ann["amended_by"], "now" in of_ann) == (None, False)
    assert (of_ben["amended_by"], of_ben["now"]["stake"]) == (wrong, "200.00")
    first, last = of_verb(found, "amend")
    assert (first["amended_by"], first["now"]["reason"]) == (last["record"], "counted again")


@pytest.mark.parametrize(("person", "pin", "status"), [("rui", "2222", 404), ("mei", "3333", 403)])
def test_records_are_refused_without_a_round_or_to_watchers(table: Table, person: str, pin: str, status: int) -> None:
    table.begin()
    table.daemon.sign_on(person, pin)
    with pytest.raises(AssertionError, match=f"records: {status} "):
        records(table, "0a0b0c0d-000099")


def test_open_card_misread_as_a_hidden_one_stays_unnamed(table: Table) -> None:
    table.begin()
    table.open()
    hidden = CARDS[1]
    table.deal((CARDS[0], hidden, hidden, *CARDS[3:]))
    table.ask("open_hand", place=1, cards=CARDS[::2])
    found = of_verb(records(table, str(table.daemon.state()["round_id"])), "card")
    assert [each["fields"]["card"] for each in found if each["fields"]["lies"] == 1] == [CARDS[0], None, CARDS[4]]
    assert hidden not in json.dumps(found)
