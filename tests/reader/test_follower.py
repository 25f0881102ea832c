"""The account that goes with the words."""

from dataclasses import replace

import pytest

from tablectl.core.events.audit import SignedOn
from tablectl.core.events.round import CutReached
from tablectl.features.tail.follower import Follower, filters_for
from tablectl.journal.encoding import Origin
from tablectl.mqtt.message import Message
from tablectl.proof.checkpoint import Checkpoint, sign_checkpoint
from tablectl.proof.tree import leaf_hash, root_of
from tests.proof.keys import signer
from tests.reader.messages import ORIGIN, came, status

EVENT = CutReached("r")
NOTE = "── "


def followed(*numbers: int) -> tuple[Follower, list[str]]:
    follower = Follower()
    said = [line for number in numbers for line in follower.tell(came(EVENT, number))]
    return follower, [line.removeprefix(NOTE) for line in said if line.startswith(NOTE)]


def test_filters_are_those_of_events_and_status() -> None:
    assert filters_for() == ("tablectl/v1/+/+/status", "tablectl/v1/+/+/event/+", "tablectl/v1/+/+/checkpoint")
    assert filters_for("macau", "q1") == tuple(
        f"tablectl/v1/macau/q1/{end}" for end in ("status", "event/+", "checkpoint")
    )


def test_nothing_yet_is_said_so() -> None:
    assert Follower().completeness() == "no event yet"
    assert Follower().flawless


def test_log_followed_from_its_beginning_is_complete_from_one() -> None:
    follower, notes = followed(1, 2, 3)
    assert (follower.completeness(), notes, follower.flawless) == ("complete from 1 to 3", [], True)


def test_log_joined_later_is_complete_from_there() -> None:
    follower, notes = followed(57, 58)
    said = "complete from 57 to 58; nothing is known here of what came before"
    assert (follower.completeness(), notes, follower.flawless) == (said, [], True)


def test_gap_is_named_when_it_opens_and_when_filled() -> None:
    follower, notes = followed(1, 2, 6, 7, 3, 4, 5, 8)
    assert notes == ["up to 6, missing: 3–5", "complete from 1 to 7"]
    assert follower.flawless


def test_gap_that_stays_is_no_success() -> None:
    follower, _ = followed(1, 2, 4, 9)
    assert follower.completeness() == "up to 9, missing: 3, 5–8"
    assert not follower.flawless


def test_repeat_is_counted_and_not_told_again() -> None:
    follower, _ = followed(1, 2)
    assert follower.tell(came(EVENT, 2)) == []
    assert follower.completeness() == "complete from 1 to 2; 1 repeated with the same bytes"
    assert follower.events == 2


def test_same_number_with_other_bytes_is_told_at_once() -> None:
    follower, _ = followed(1, 2)
    assert follower.tell(came(SignedOn("lei", "dealer"), 2))[-1] == (
        "── complete from 1 to 2; came twice with different bytes: 2"
    )
    assert not follower.flawless


def test_status_is_told_when_it_changes() -> None:
    follower = Follower()
    assert follower.tell(status("ready")) == ["00:00:00.123  table is ready"]
    assert follower.tell(status("ready")) == []
    assert follower.tell(status("lost")) == ["00:00:00.123  table is lost: its controller vanished without a word"]


def test_other_states_are_not_told() -> None:
    device = replace(status("lost"), topic="tablectl/v1/macau/q1/device/shoe/status")
    assert Follower().tell(device) == []


def test_several_tables_are_named_and_accounted_for_apart() -> None:
    follower, other = Follower(), replace(ORIGIN, table="q2", log_id="log8")
    assert follower.tell(came(EVENT, 1))[0].startswith("00:00")
    assert follower.tell(came(EVENT, 5, origin=other)) == ["macau/q2  00:00:00.123  #5  the cut card came"]
    assert follower.tell(came(EVENT, 3))[0].startswith("macau/q1  00:00")
    assert follower.completeness() == (
        "/tablectl/macau/q1/log7: up to 3, missing: 2; "
        "/tablectl/macau/q2/log8: complete from 5 to 5; nothing is known here of what came before"
    )


@pytest.mark.parametrize(
    "payload", [b"", b"\xff", b"[]", b"7", b"{}", b'{"source":"x","sequence":"one"}', b'{"source":"x"}', b'"text"']
)
def test_unreadable_message_is_named_and_harms_nothing(payload: bytes) -> None:
    follower, _ = followed(1)
    assert follower.tell(Message("a/b", payload)) == ["unreadable message on a/b"]
    assert follower.completeness() == "complete from 1 to 1"


# --- the log's own checkpoints --------------------------------------------------------------------------------------


def checkpoint(*payloads: bytes, origin: Origin = ORIGIN) -> Message:
    """The signed head of a log with these events."""
    said = Checkpoint(origin.source.removeprefix("/"), len(payloads), root_of(leaf_hash(each) for each in payloads))
    return Message(f"{origin.prefix}/checkpoint", sign_checkpoint(said, KEY).encode())


KEY = signer(bytes(range(32)))
EVENTS = [came(EVENT, number) for number in (1, 2, 3)]


def told(*messages: Message) -> tuple[Follower, list[str]]:
    follower = Follower()
    return follower, [line for message in messages for line in follower.tell(message)]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_received_events_match_the_checkpoint_in_any_order(order: tuple[int, ...]) -> None:
    payloads = [each.payload for each in EVENTS]
    follower, lines = told(*(EVENTS[nth] for nth in order), checkpoint(*payloads[:2]), checkpoint(*payloads))
    assert len(lines) >= 3
    assert follower.flawless
    assert follower.completeness() == "complete from 1 to 3; the checkpoint of 3 agrees"


def test_a_checkpoint_of_other_events_is_an_alarm() -> None:
    other = came(SignedOn("lei", "dealer"), 2).payload
    follower, lines = told(*EVENTS, checkpoint(EVENTS[0].payload, other, EVENTS[2].payload))
    assert "DISAGREES" in lines[-1]
    assert not follower.flawless


def test_a_checkpoint_that_can_not_be_judged_here_says_nothing() -> None:
    follower, lines = told(EVENTS[2], checkpoint(*(each.payload for each in EVENTS)))
    assert len(lines) == 1
    assert follower.flawless


def test_a_checkpoint_that_is_none_is_named() -> None:
    assert Follower().tell(Message("tablectl/v1/macau/q1/checkpoint", b"no note")) == [
        "unreadable message on tablectl/v1/macau/q1/checkpoint"
    ]


def test_the_published_contract_is_no_news() -> None:
    assert Follower().tell(Message("tablectl/v1/macau/q1/meta/asyncapi", b'{"asyncapi":"3.0.0"}')) == []
