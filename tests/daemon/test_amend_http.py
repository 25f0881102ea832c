"""The contract on amendments over HTTP, clause by clause, by a client that knows it and the API's page alone."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

import pytest

from tests.support.live_table import CARDS, Table

Form = dict[str, Any]
Answer = tuple[int, Form]
LANGUAGES: Final = {"en", "pt", "zh-Hant"}
PINS: Final = {"ana": "1111", "rui": "2222", "mei": "3333"}
RUI: Final = {"person": "rui", "pin": "2222"}
OUTCOME: Final = {"phase", "asks_again", "nets", "to_pay", "to_take_back", "needs_second"}
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who is signed on: ana deals, rui supervises, mei watches."""

    port: int
    token: str

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Answer:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        text = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", text, headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def ask(self, verb: str, *, dry: bool = False, **fields: Any) -> Answer:
        state = self.call("GET", "/v1/state")[1]
        about = {"request_id": f"http-{next(_numbers)}", "round_id": state["round_id"], "seen": state["seen"]}
        return self.call("POST", f"/v1/requests/{verb}{'?dry_run=true' if dry else ''}", {**about, **fields})

    def does(self, verb: str, **fields: Any) -> int:
        """The record of a request that is accepted."""
        status, form = self.ask(verb, **fields)
        assert status == 200, form
        return int(form["record"])

    def amends(self, *changes: Form, dry: bool = False, **about: Any) -> Answer:
        asked: Form = {"reason": "it was mistyped", "changes": changes, **about}
        return self.ask("amend", dry=dry, **asked)

    def records(self, round_id: str) -> list[Form]:
        status, form = self.call("GET", f"/v1/rounds/{round_id}/records")
        assert status == 200, form
        found: list[Form] = form["records"]
        return found


def signed_on(table: Table, name: str) -> Person:
    status, form = Person(table.daemon.port, "").call("POST", "/v1/sign-on", {"person": name, "pin": PINS[name]})
    assert status == 200, form
    return Person(table.daemon.port, form["token"])


def refused(answer: Answer) -> tuple[str, str | None]:
    """Code and field of a refusal that has an article and a text in each language."""
    status, form = answer
    assert (status, form["accepted"]) == (409, False), form
    said = form["refused"]
    assert said["article"]
    assert said["text"].keys() == LANGUAGES
    assert all(said["text"].values())
    return said["code"], said.get("field")


def lacks(answer: Answer) -> str:
    """What a request lacks that nobody may make so."""
    status, form = answer
    assert status == 403, form
    return str(form["error"]["code"])


@pytest.fixture(name="house")
def _house(table: Table) -> tuple[Person, Person, Person]:
    table.begin()
    ana, rui, mei = (signed_on(table, name) for name in PINS)
    ana.does("confirm_pack", shuffle="hand")
    ana.does("open_round")
    return ana, rui, mei


House = tuple[Person, Person, Person]


def bet(ana: Person, place: int = 1, bettor: str = "ann") -> int:
    return ana.does("bet", place=place, bettor=bettor, bet="versus_dealer", stake="100")


def round_of(ana: Person) -> str:
    return str(ana.call("GET", "/v1/state")[1]["round_id"])


def phase(ana: Person) -> str:
    return str(ana.call("GET", "/v1/state")[1]["phase"])


def entered(ana: Person) -> list[Form]:
    """What persons entered in this round, and what counts of it; without amendments that were refused."""
    return [each for each in ana.records(round_of(ana)) if each["source"] == "console" and each["verb"] != "amend"]


def test_each_change_without_meaning_is_refused_with_its_field(house: House) -> None:
    ana, rui, _ = house
    laid = bet(ana)
    stake = {"record": laid, "to": {"stake": "200"}}
    close = {"after": laid, "verb": "close_betting", "fields": {}}
    cases: Sequence[tuple[Sequence[Form], str, str | None]] = (
        ([{"record": 1, "to": {"stake": "2"}}], "not_of_the_round", "changes[0].record"),
        ([{"record": 10**6, "to": None}], "not_of_the_round", "changes[0].record"),
        ([stake, {**close, "after": 1}], "not_of_the_round", "changes[1].after"),
        ([{"record": laid - 1, "to": None}], "not_amendable", "changes[0].record"),
        ([{"record": laid, "to": {}}], "wrong_field", "changes[0].to"),
        ([{"record": laid, "to": {"card": "As"}}], "wrong_field", "changes[0].to.card"),
        ([{"record": laid, "to": {"stake": "-1"}}], "wrong_field", "changes[0].to.stake"),
        ([{"record": laid, "to": {"place": 99}}], "no_such_place", "changes[0].to"),
        ([{"after": laid, "verb": "bet", "fields": {"place": 2}}], "wrong_field", "changes[0].fields.bettor"),
        ([{**close, "verb": "sign_on"}], "not_insertable", "changes[0].verb"),
        ([{**close, "verb": "amend"}], "not_insertable", "changes[0].verb"),
        ([{**close, "time": "noon"}], "wrong_field", "changes[0].time"),
        ([{**close, "time": "2020-01-01T00:00:00Z"}], "wrong_field", "changes[0].time"),
        ([{**close, "time": "2999-01-01T00:00:00Z"}], "wrong_field", "changes[0].time"),
        ([{"record": laid, "to": {"bettor": " ben"}}], "name_blank", "changes[0].to.bettor"),
        ([stake] * 65, "too_many_changes", "changes"),
    )
    before = entered(ana)
    for changes, code, field in cases:
        for dry in (True, False):
            assert refused(rui.amends(*changes, dry=dry)) == (code, field), changes
    for reason in ("", " ", "r" * 201):
        assert rui.amends(stake, reason=reason)[0] == 422
    for round_id in (None, "0a0b0c0d-000099"):
        assert refused(ana.amends(stake, round_id=round_id))[0] == "no_such_round"
    assert entered(ana) == before
    status, form = rui.amends({"record": "7", "to": None})
    assert (status, [each["where"] for each in form["error"]["problems"]]) == (422, ["changes[0]"])
    longest = {"record": laid, "to": {"bettor": "\N{CJK UNIFIED IDEOGRAPH-9673}" * 64}}
    assert rui.amends(*[longest] * 64, reason="r" * 200)[0] == 200


def test_persons_may_amend_as_the_contract_has_it(house: House, table: Table) -> None:
    ana, rui, mei = house
    laid, round_id = bet(ana), round_of(ana)
    stakes = ({"record": laid, "to": {"stake": f"{nth}00"}} for nth in count(2))
    assert lacks(mei.amends(next(stakes))) == "role_may_not"
    assert mei.call("GET", f"/v1/rounds/{round_id}/records")[0] == 403
    assert ana.amends(next(stakes))[0] == 200
    table.deal()
    card = next(each["record"] for each in ana.records(round_id) if each["verb"] == "card")
    unread, moved = {"record": card, "to": {"card": None}}, {"record": card, "to": {"lies": 1}}
    assert refused(ana.amends({"record": card, "to": {"card": "2h"}}, second=RUI)) == (
        "card_lies_face_down",
        "changes[0].to.card",
    )
    assert ana.amends(moved)[0] == 200
    assert lacks(ana.amends(unread)) == "second_needed"
    assert lacks(ana.amends(unread, second={**RUI, "pin": "0000"})) == "second_wrong_pin"
    assert ana.amends(unread, dry=True)[1]["needs_second"] is True
    assert rui.amends(unread, dry=True)[1]["needs_second"] is False
    ana.does("open_hand", place=1)
    assert lacks(ana.amends(next(stakes))) == "second_needed"
    assert ana.amends(next(stakes), second=RUI)[0] == 200
    assert rui.amends(next(stakes))[0] == 200


def test_dry_run_changes_nothing_and_second_amendment_is_stale(house: House) -> None:
    ana, rui, _ = house
    laid = bet(ana)
    state = ana.call("GET", "/v1/state")[1]
    status, tried = ana.amends({"record": laid, "to": {"stake": "200"}}, dry=True)
    assert (status, {*tried}) == (200, OUTCOME)
    assert ana.call("GET", "/v1/state")[1] == state
    answers = list[Answer]()
    barrier = threading.Barrier(2)

    def amend(person: Person, stake: str) -> None:
        barrier.wait()
        answers.append(person.amends({"record": laid, "to": {"stake": stake}}, seen=state["seen"]))

    both = [threading.Thread(target=amend, args=each) for each in ((ana, "300"), (rui, "400"))]
    for each in both:
        each.start()
    for each in both:
        each.join()
    first, second = sorted(answers, key=lambda answer: answer[0])
    assert {name: first[1][name] for name in OUTCOME} == tried
    assert refused(second) == ("stale_screen", None)
    bet(ana, 2, "ben")
    assert refused(ana.amends({"record": laid, "to": {"stake": "500"}}, seen=first[1]["record"]))[0] == "stale_screen"


def test_a_repeated_amendment_has_its_answer_after_a_restart(house: House, table: Table) -> None:
    ana, rui, _ = house
    bet(ana)
    round_id = round_of(ana)
    table.deal()
    ana.does("open_hand", place=1)
    decided = ana.does("decide", place=1, bettor="ann", decision="play")
    seen = ana.call("GET", "/v1/state")[1]["seen"]
    last = {"after": decided, "verb": "open_hand", "fields": {"place": "dealer"}}
    asked: Form = {"request_id": "the-same", "round_id": round_id, "seen": seen}
    answer = rui.amends(last, **asked)
    assert (answer[0], phase(ana)) == (200, "paying")
    assert rui.amends(last, **asked) == answer
    table.daemon.kill()
    table.daemon.start()
    assert signed_on(table, "rui").amends(last, **asked) == answer
    assert len([each for each in signed_on(table, "ana").records(round_id) if each["verb"] == "amend"]) == 1


def finished(ana: Person, table: Table) -> tuple[int, int, Form]:
    """A round that is over: the records of its bet and of its last hand, and what an amendment of it needs."""
    laid, round_id = bet(ana), round_of(ana)
    table.deal()
    ana.does("open_hand", place=1)
    ana.does("decide", place=1, bettor="ann", decision="play")
    return laid, ana.does("open_hand", place="dealer"), {"second": RUI, "round_id": round_id}


def net(outcome: Form, when: str) -> float:
    (its,) = outcome["nets"][when]["bettors"]
    return float(its["net"])


def test_a_finished_round_is_settled_again_or_open_again(house: House, table: Table) -> None:
    ana, rui, _ = house
    laid, last, two = finished(ana, table)
    for person, who in ((ana, {}), (rui, {}), (rui, {"second": RUI})):
        alone: Form = {"round_id": two["round_id"], **who}
        assert lacks(person.amends({"record": laid, "to": {"stake": "300"}}, **alone)) == "second_needed"
    again = ana.amends({"record": laid, "to": {"stake": "200"}}, **two)[1]
    won = net(again, "before")
    assert net(again, "after") == 2 * won != 0
    assert again["to_pay"] == [{"bettor": "ann", "amount": f"{won:.2f}"}]
    opened = ana.amends({"record": last, "to": None}, **two)[1]
    assert (opened["phase"], opened["nets"]["after"], round_of(ana)) == ("showdown", None, two["round_id"])
    ana.does("open_hand", place="dealer")
    assert phase(ana) == "paying"


def test_a_round_becomes_void_and_valid_again_and_stays_whole(house: House, table: Table) -> None:
    ana, _, _ = house
    laid, last, two = finished(ana, table)
    void = {"after": laid, "verb": "void_round", "fields": {"reason": "the shoe broke"}}
    voided = ana.amends(void, **two)[1]
    won = net(voided, "before")
    assert (net(voided, "after"), voided["to_take_back"]) == (0, [{"bettor": "ann", "amount": f"{won:.2f}"}])
    valid = ana.amends({"record": voided["record"], "to": None}, **two)[1]
    assert (net(valid, "after"), valid["to_pay"]) == (won, [{"bettor": "ann", "amount": f"{won:.2f}"}])
    ana.does("pay_place", round_id=two["round_id"])
    ana.does("confirm_pack", shuffle="hand")
    ana.does("open_round")
    answer = ana.amends({"record": last, "to": None}, **two)
    assert refused(answer)[0] == "incomplete"
    assert answer[1]["refused"]["asks_again"]
    instead = {"after": last, "verb": "open_hand", "fields": {"place": "dealer"}}
    assert ana.amends({"record": last, "to": None}, instead, **two)[0] == 200


def test_an_amendment_made_during_a_later_round_is_listed_whole(house: House, table: Table) -> None:
    ana, _, _ = house
    laid, _, about = finished(ana, table)
    ana.does("pay_place")
    for _ in range(2):  # so that the round's records and the amendment's are read apart
        ana.does("confirm_pack", shuffle="hand")
        ana.does("open_round")
        ana.does("void_round", reason="the fire alarm rang", second={"person": "rui", "pin": PINS["rui"]})
    answer = ana.amends({"record": laid, "to": {"stake": "200"}}, **about)
    assert answer[0] == 200, answer
    (made,) = (each for each in ana.records(about["round_id"]) if each["verb"] == "amend")
    assert (made["record"], made["by"], made["amendable"]) == (answer[1]["record"], "ana", True)
    assert made["time"] > made_before(ana, about["round_id"])
    assert (made["fields"]["changes"], made["strikable"]) == (1, True)


def made_before(ana: Person, round_id: str) -> str:
    """When the round's last fact before its amendments was recorded."""
    return str(max(each["time"] for each in ana.records(round_id) if each["verb"] != "amend"))


def test_the_list_of_records_has_what_may_be_amended(house: House, table: Table) -> None:
    ana, _, _ = house
    laid, round_id = bet(ana), round_of(ana)
    table.deal()
    amendment = ana.amends({"record": laid, "to": {"stake": "200"}})[1]["record"]
    found = ana.records(round_id)
    assert all(
        each.keys() >= {"record", "time", "source", "verb", "fields", "amendable", "amended_by"} for each in found
    )
    (its,) = (each for each in found if each["record"] == laid)
    assert (its["fields"]["stake"], its["amendable"], its["amended_by"]) == ("100.00", True, amendment)
    assert not any(card in json.dumps(found) for card in CARDS)
    assert ana.call("GET", "/v1/rounds/0a0b0c0d-000099/records")[0] == 404
