"""Every message of real sessions is what the contract says, to the letter; and a message that isn't is found."""

import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.contract.capture import Message
from tests.contract.checkpoint import size_of
from tests.contract.content import EVENTS, RAW, STATES
from tests.contract.envelope import complaints_of, decoded, kind_of, rest_of
from tests.contract.form import Form, cards_named
from tests.contract.stream import complaints
from tests.support.patience import PATIENCE_S
from tests.support.warm import tablectl_path

pytestmark = pytest.mark.slow

KINDS = {kind for kinds in EVENTS.values() for kind in kinds}
ATTRIBUTES = (
    *("specversion", "id", "source", "type", "time", "recordedtime", "datacontenttype", "dataschema", "data"),
    *("bootid", "session", "monotonicns", "clockstate"),
)

Damage = Callable[[list[Message]], Sequence[Message]]


def event_kind(message: Message) -> str:
    return kind_of(decoded(message)) if rest_of(message) in EVENTS else ""


def of_kind(messages: Sequence[Message], kind: str) -> list[int]:
    """Where the events of this kind stand."""
    found = [index for index, message in enumerate(messages) if event_kind(message) == kind]
    assert found, f"no {kind} was seen"
    return found


def on_topic(messages: Sequence[Message], rest: str) -> list[int]:
    found = [index for index, message in enumerate(messages) if rest_of(message) == rest]
    assert found, f"nothing came on {rest}"
    return found


def altered(message: Message, change: Callable[[Form], object]) -> Message:
    """The message with its payload changed."""
    form = decoded(message)
    change(form)
    return replace(message, payload=json.dumps(form, ensure_ascii=False).encode())


def without(message: Message, name: str) -> Message:
    """The message without this field of its data."""
    return altered(message, lambda form: form["data"].pop(name))


def resettled(messages: Sequence[Message]) -> list[tuple[Form, Form]]:
    """Each published settlement, and what `tablectl settle` makes of its round."""
    data = [decoded(message)["data"] for message in messages if event_kind(message) == "round.settled"]
    lines = [json.dumps({name: each[name] for name in ("game", "rules", "round")}) for each in data]
    command = [tablectl_path(), "settle"]
    answer = subprocess.run(
        command, input="\n".join(lines).encode(), capture_output=True, check=True, timeout=PATIENCE_S
    )
    answers: list[Form] = [json.loads(line) for line in answer.stdout.splitlines()]
    again = [{name: value for name, value in each.items() if name not in {"line", "game", "id"}} for each in answers]
    return list(zip((each["settlement"] for each in data), again, strict=True))


# --- real sessions


def test_every_message_of_an_eventful_night_is_to_the_letter(played: list[Message]) -> None:
    assert complaints(played) == []


def test_every_message_around_a_killed_daemon_is_to_the_letter(troubled: list[Message]) -> None:
    assert complaints(troubled, resent=True) == []


def test_a_state_may_show_what_events_that_still_wait_name(late: list[Message]) -> None:
    showing = next(i for i in on_topic(late, "round/state") if cards_named(decoded(late[i])["data"]))
    assert showing < of_kind(late, "round.revealed")[0]
    assert complaints(late, resent=True) == []


def test_card_shown_before_turning_is_found_among_late_events(late: list[Message]) -> None:
    """The event that names it comes after the state, as do those of the cards that the state may show."""
    showing = next(i for i in on_topic(late, "round/state") if cards_named(decoded(late[i])["data"]))
    (hidden, *_), *_ = (
        data["cards"]
        for data in (decoded(late[i])["data"] for i in of_kind(late, "round.revealed"))
        if data["place"] == "dealer"
    )
    leak = altered(late[showing], lambda form: form["data"].update(leak=hidden))
    (found,) = complaints([*late[:showing], leak, *late[showing + 1 :]], resent=True)
    assert found.endswith(f"shows cards that nobody has seen: ['{hidden}']")


def test_every_type_that_can_occur_was_seen(played: list[Message], troubled: list[Message]) -> None:
    assert {event_kind(message) for message in (*played, *troubled)} - {""} == KINDS


def test_every_state_topic_was_seen(played: list[Message]) -> None:
    devices = {"device/shoe/status", "device/shuffler/status"}
    states = {rest_of(message) for message in played} - EVENTS.keys() - RAW
    assert states == {*STATES, *devices} - {"device"}


def test_every_round_that_ended_came_under_a_checkpoint(played: list[Message]) -> None:
    ends = [
        int(decoded(played[i])["sequence"]) for kind in ("settled", "void") for i in of_kind(played, f"round.{kind}")
    ]
    sizes = [size_of(played[index].payload.decode()) for index in on_topic(played, "checkpoint")]
    events = [message for message in played if rest_of(message) in EVENTS]
    assert sizes[-1] == len(events) >= max(ends)
    assert len(sizes) > 3


def test_a_subscriber_was_answered_and_given_the_stored_bytes(troubled: list[Message]) -> None:
    by_id = {decoded(message)["id"]: message.payload for message in troubled if rest_of(message) in EVENTS}
    *events, end = [troubled[index] for index in on_topic(troubled, "replay/cctv/p1")]
    families = {"event/round", "event/card", "event/audit"}
    read = [m.payload for m in troubled if rest_of(m) in families and decoded(m)["sequence"] <= decoded(end)["last"]]
    assert [message.payload for message in events] == list(dict.fromkeys(read))
    assert {decoded(message)["id"] for message in events} <= by_id.keys()
    refused = decoded(troubled[on_topic(troubled, "answer/cctv/b2")[0]])
    assert refused["error"]["code"] == "malformed"
    (recalled,) = (decoded(troubled[index])["data"] for index in of_kind(troubled, "audit.recalled"))
    answer = decoded(troubled[on_topic(troubled, "answer/cctv/r1")[0]])["data"]
    assert recalled["rounds"] == [each["round_id"] for each in answer["rounds"]] != []
    (marked,) = (decoded(troubled[index])["data"] for index in of_kind(troubled, "audit.bookmark"))
    assert (marked["by"], marked["note"]) == ("cctv", "look at this")


def test_every_article_on_irregularities_was_applied(played: list[Message]) -> None:
    articles = {decoded(played[index])["data"]["article"] for index in of_kind(played, "round.irregular")}
    # A count that differs where a card may not have been read voids the round by the table's own rule.
    assert articles == {"table", "1(1)", "6(3)", *(f"11({point})" for point in range(1, 6))}


def test_every_consequence_of_the_law_of_q_poker_was_seen(played: list[Message]) -> None:
    seen = {decoded(played[index])["data"]["consequence"] for index in of_kind(played, "round.irregular")}
    assert seen == {"continues", "hand_void", "round_void", "mended", "ask_again"}


def _struck_only_in_part(messages: list[Message]) -> Sequence[Message]:
    """An amendment that leaves out the last of the events that don't count any more."""
    return _change("round.amended", lambda form: form["data"]["amends"].pop())(messages)


def test_an_amendment_strikes_all_from_the_first_wrong_event(played: list[Message]) -> None:
    assert len(of_kind(played, "round.amended")) == 2
    assert any("amends isn't all" in text for text in complaints(_struck_only_in_part(played)))


def test_whoever_settles_a_published_round_again_gets_the_same(played: list[Message]) -> None:
    pairs = resettled(played)
    assert pairs
    assert all(published == again for published, again in pairs)


def test_an_events_session_is_the_one_that_recorded_it(troubled: list[Message]) -> None:
    events = [decoded(message) for message in troubled if rest_of(message) in EVENTS]
    first, second = dict.fromkeys(decoded(troubled[i])["session"] for i in on_topic(troubled, "status"))
    *_, restart = (event["sequence"] for event in events if kind_of(event) == "audit.session_began")
    assert {event["session"] for event in events if event["sequence"] < restart} == {first}
    assert {event["session"] for event in events if event["sequence"] >= restart} == {second}


def test_what_happens_during_a_round_names_it(played: list[Message], troubled: list[Message]) -> None:
    """A fault and a sign-on too, though a round isn't what they are about."""
    faults = [decoded(played[index]) for index in of_kind(played, "fault.raised")]
    inside = [fault for fault in faults if "round_id" in fault["data"]]
    assert inside
    assert all("subject" not in fault for fault in faults)
    (change,) = (decoded(troubled[index]) for index in of_kind(troubled, "audit.config_changed"))
    assert change["correlationid"] == change["data"]["round_id"]


def test_a_bet_without_a_round_is_refused_in_public(troubled: list[Message]) -> None:
    refused = decoded(troubled[of_kind(troubled, "bet.refused")[0]])
    assert refused["data"]["article"] == "table"
    assert not {"subject", "correlationid"} & refused.keys()


def test_a_simulated_device_says_so_also_while_it_is_away(troubled: list[Message]) -> None:
    away = [decoded(troubled[index])["data"] for index in on_topic(troubled, "device/shuffler/status")]
    assert all(data["state"] == "lost" and data["simulated"] is True for data in away)


# --- the validator itself: each damage is found


def _lost(messages: list[Message]) -> Sequence[Message]:
    index = of_kind(messages, "card.dealt")[3]
    return messages[:index] + messages[index + 1 :]


def _doubled(messages: list[Message]) -> Sequence[Message]:
    index = of_kind(messages, "card.dealt")[3]
    return [*messages[: index + 1], *messages[index:]]


def _doubled_otherwise(messages: list[Message]) -> Sequence[Message]:
    index = of_kind(messages, "card.dealt")[3]
    other = replace(messages[index], payload=messages[index].payload + b" ")
    return [*messages[: index + 1], other, *messages[index + 1 :]]


def _reordered(messages: list[Message]) -> Sequence[Message]:
    one, other = of_kind(messages, "bet.placed")[:2]
    swapped = list(messages)
    swapped[one], swapped[other] = messages[other], messages[one]
    return swapped


def _unended(messages: list[Message]) -> Sequence[Message]:
    return messages[: max(of_kind(messages, "round.settled") + of_kind(messages, "round.void"))]


def _ended_twice(messages: list[Message]) -> Sequence[Message]:
    """A round that was settled is void as well, as the log's last event."""
    last = max(int(decoded(message)["sequence"]) for message in messages if rest_of(message) in EVENTS) + 1
    settled = decoded(messages[of_kind(messages, "round.settled")[0]])["subject"]

    def change(form: Form) -> None:
        log = form["id"].rpartition("-")[0]
        form.update(id=f"{log}-{last:016d}", sequence=f"{last:016d}", subject=settled, correlationid=settled)
        form["data"]["round_id"] = settled

    return [*messages, altered(messages[of_kind(messages, "round.void")[0]], change)]


def _change(kind: str, change: Callable[[Form], object], nth: int = 0) -> Damage:
    """Alters one event's payload."""

    def damage(messages: list[Message]) -> Sequence[Message]:
        index = of_kind(messages, kind)[nth]
        return [*messages[:index], altered(messages[index], change), *messages[index + 1 :]]

    return damage


def _change_state(rest: str, change: Callable[[Form], object]) -> Damage:
    def damage(messages: list[Message]) -> Sequence[Message]:
        index = on_topic(messages, rest)[-1]
        return [*messages[:index], altered(messages[index], change), *messages[index + 1 :]]

    return damage


def _dealt_open(messages: list[Message]) -> Sequence[Message]:
    """The round's state shows a card as soon as it is dealt."""
    index = next(i for i in on_topic(messages, "round/state") if decoded(messages[i])["data"]["phase"] == "dealing")

    def show(form: Form) -> None:
        form["data"]["round"]["hands"][0]["cards"] = ["As"]

    return [*messages[:index], altered(messages[index], show), *messages[index + 1 :]]


def _dead_hand_shown(messages: list[Message]) -> Sequence[Message]:
    """The dealer's revealed hand said to be the dead one."""
    void = next(
        decoded(messages[index])
        for index in of_kind(messages, "round.irregular")
        if decoded(messages[index])["data"]["consequence"] == "hand_void"
    )
    index = next(i for i in of_kind(messages, "round.revealed") if decoded(messages[i])["subject"] == void["subject"])
    shown = altered(messages[index], lambda form: form["data"].update(place=void["data"]["place"]))
    return [*messages[:index], shown, *messages[index + 1 :]]


def _checkpoint(change: Callable[[bytes], bytes]) -> Damage:
    """Alters the last checkpoint."""

    def damage(messages: list[Message]) -> Sequence[Message]:
        index = on_topic(messages, "checkpoint")[-1]
        other = replace(messages[index], payload=change(messages[index].payload))
        return [*messages[:index], other, *messages[index + 1 :]]

    return damage


def _other_sign(payload: bytes, line: int, place: int) -> bytes:
    """The text with one Base64 digit of a line, counted from its end, exchanged for another."""
    lines = payload.split(b"\n")
    digit = b"B" if lines[line][place : place + 1] == b"A" else b"A"
    lines[line] = lines[line][:place] + digit + lines[line][place + 1 :]
    return b"\n".join(lines)


def _checkpoint_ahead(messages: list[Message]) -> Sequence[Message]:
    """The last checkpoint came before the last event under it."""
    index = on_topic(messages, "checkpoint")[-1]
    first = next(i for i, message in enumerate(messages) if rest_of(message) in EVENTS)
    others = [*messages[:index], *messages[index + 1 :]]
    return [*others[: first + 3], messages[index], *others[first + 3 :]]


def _checkpoint_back(messages: list[Message]) -> Sequence[Message]:
    return [*messages, messages[on_topic(messages, "checkpoint")[0]]]


def _data(**fields: Any) -> Callable[[Form], object]:
    return lambda form: form["data"].update(fields)


DAMAGES: dict[str, tuple[Damage, str]] = {
    "lost": (_lost, "sequence"),
    "doubled": (_doubled, "twice"),
    "doubled otherwise": (_doubled_otherwise, "other bytes"),
    "reordered": (_reordered, "sequence"),
    "no end": (_unended, "never ends"),
    "two ends": (_ended_twice, "ended already"),
    "stake altered": (_change("bet.placed", _data(stake="1.00")), "total_stakes"),
    "bettor altered": (_change("bet.placed", _data(bettor="Nobody")), "stake"),
    "total altered": (_change("round.betting_closed", _data(total_stakes="7.00")), "total_stakes"),
    "decision altered": (_change("round.decided", _data(decision="fold")), "data.decision"),
    "article invented": (_change("round.irregular", _data(article="11(6)")), "data.article"),
    "stake kept": (_change("round.void", _data(returned=[])), "returned once"),
    "hand exchanged": (_change("round.revealed", _data(cards=["2c", "2d", "2h"])), "revealed"),
    "irregularity hushed up": (_change("round.settled", _data(irregularities=["11(2)"] * 3)), "irregularities"),
    "two languages": (_change("round.irregular", _data(text={"en": "x", "pt": "x"})), "data.text"),
    "card named when dealt": (_change("card.dealt", _data(cards=["As"])), "nobody has seen"),
    "card named in a fault": (_change("fault.raised", _data(detail="As")), "nobody has seen"),
    "card named in health": (_change_state("health", _data(last="As Kd")), "nobody has seen"),
    "card named in the round's state": (_dealt_open, "nobody has seen"),
    "dead hand shown": (_dead_hand_shown, "dead"),
    "time without microseconds": (_change("card.dealt", lambda e: e.update(time=e["time"][:19] + "Z")), "time"),
    "time with an offset": (_change("card.dealt", lambda e: e.update(time=e["time"][:-1] + "+00:00")), "time"),
    "sequence as a number": (_change("card.dealt", lambda e: e.update(sequence=int(e["sequence"]))), "sequence"),
    "sequence in 15 digits": (_change("card.dealt", lambda e: e.update(sequence=e["sequence"][1:])), "sequence"),
    "clock as a number": (_change("card.dealt", lambda e: e.update(monotonicns=1)), "monotonicns"),
    "unknown clock error as null": (_change("card.dealt", lambda e: e.update(clockerrus=None)), "clockerrus"),
    "simulated as a text": (_change("card.dealt", lambda e: e.update(simulated="true")), "simulated"),
    "another table's source": (_change("card.dealt", lambda e: e.update(source="/tablectl/x/y/z")), "source"),
    "an effect before its cause": (_change("card.dealt", lambda e: e.update(causationid=e["id"])), "causationid"),
    "another round's subject": (_change("card.dealt", lambda e: e.update(subject="x")), "subject"),
    "a round left out": (_change("card.dealt", lambda e: e["data"].pop("round_id")), "round_id"),
    "round as null": (_change("audit.signed_on", _data(round_id=None)), "round_id"),
    "no round as null in the state": (_change_state("round/state", _data(round_id=None)), "without a round"),
    "type of another topic": (_change("card.dealt", lambda e: e.update(type="mo.tablectl.bet.placed.v1")), "belong"),
    "state with a sequence": (_change_state("status", lambda s: s.update(sequence="0" * 15 + "1")), "sequence"),
    "state with an event's id": (_change_state("status", lambda s: s.update(id="x")), "session and counter"),
    "another session's status": (_change_state("status", _data(session="x")), "session"),
    "checkpoint of another tree": (_checkpoint(lambda note: _other_sign(note, 2, 5)), "root"),
    "checkpoint of another size": (
        _checkpoint(lambda note: b"\n".join((*note.split(b"\n")[:1], b"3", *note.split(b"\n")[2:]))),
        "root",
    ),
    "checkpoint without its signature": (_checkpoint(lambda note: note.partition(b"\n\n")[0]), "no signed"),
    "checkpoint signed by somebody else": (_checkpoint(lambda note: _other_sign(note, -2, -40)), "signature"),
    "checkpoint with another head of the journal": (_checkpoint(lambda note: _other_sign(note, 3, 20)), "signature"),
    "checkpoint of another log": (_checkpoint(lambda note: note.replace(b"q-demo", b"q-dem1")), "origin"),
    "checkpoint ahead of its events": (_checkpoint_ahead, "came before it"),
    "checkpoint that goes back": (_checkpoint_back, "goes back"),
    "unknown state": (_change_state("status", _data(state="fine")), "data.state"),
}

DAMAGED_CORRECTIONS: dict[str, tuple[Damage, str]] = {
    "correction of another event": (
        _change("round.corrected", lambda e: e["data"].update(corrects=e["id"]), 1),
        "corrects isn't the event",
    ),
    "correction that pays somebody else": (
        _change("round.corrected", lambda e: e["data"]["settlement"]["bettors"][0].update(bettor="x")),
        "with the changes",
    ),
    "correction that leaves something over": (
        _change("round.corrected", lambda e: e["data"]["settlement"].update(house="0.00")),
        "sum to nothing",
    ),
}


@pytest.mark.parametrize("name", DAMAGED_CORRECTIONS)
def test_a_damaged_correction_is_found(troubled: list[Message], name: str) -> None:
    damage, expected = DAMAGED_CORRECTIONS[name]
    found = complaints(damage(list(troubled)), resent=True)
    assert any(expected in text for text in found), found[:5]


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damage_is_found(played: list[Message], name: str) -> None:
    damage, expected = DAMAGES[name]
    found = complaints(damage(list(played)))
    assert any(expected in text for text in found), found[:5]


def test_a_settlement_that_pays_too_much_is_found(played: list[Message]) -> None:
    def overpay(form: Form) -> None:
        form["data"]["settlement"]["places"][0]["bets"][0]["net"] = "123456.00"

    published, again = resettled(_change("round.settled", overpay)(played))[0]
    assert published != again


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_a_missing_attribute_is_found(played: list[Message], name: str) -> None:
    for index in (of_kind(played, "card.dealt")[0], on_topic(played, "health")[0]):
        if name == "data":
            damaged = altered(played[index], lambda form: form.update(data=None))
            assert any("attribute data" in text for text in _first(damaged))
        else:
            damaged = altered(played[index], lambda form: form.pop(name))
            assert any(name in text for text in complaints_of(damaged))


def _first(message: Message) -> list[str]:
    """The first complaint: with no data at all there is nothing more to ask."""
    return [next(complaints_of(message))]


def test_a_missing_field_of_any_type_is_found(played: list[Message], troubled: list[Message]) -> None:
    messages = [*played, *troubled]
    for kinds in EVENTS.values():
        for kind in kinds:
            message = messages[of_kind(messages, kind)[0]]
            for name in kinds[kind]:
                damaged = without(message, name)
                assert any(f"data.{name}" in text for text in complaints_of(damaged)), (kind, name)


def test_a_missing_field_of_any_state_is_found(played: list[Message]) -> None:
    for rest, (_, fields) in STATES.items():
        message = played[on_topic(played, "device/shoe/status" if rest == "device" else rest)[0]]
        for name in fields:
            damaged = without(message, name)
            assert any(f"data.{name}" in text for text in complaints_of(damaged)), (rest, name)


def test_flags_and_topics_that_the_contract_forbids_are_found(played: list[Message]) -> None:
    event, state = played[of_kind(played, "card.dealt")[0]], played[on_topic(played, "status")[0]]
    wrong = (
        replace(event, retained=True),
        replace(event, qos=0),
        replace(event, qos=2),
        replace(state, retained=False),
        replace(event, topic=event.topic.upper()),
        replace(event, topic=event.topic.replace("event/card", "event/cards")),
        replace(event, payload=b"[]"),
        replace(event, payload=event.payload[:-1] + b',"id":"x"}'),
        replace(event, payload=event.payload.replace(b'"index":1', b'"index":NaN')),
    )
    for message in wrong:
        assert list(complaints_of(message)), message
