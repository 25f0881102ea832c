"""A request off the wire: who asks, what is wrong with it, where its answer may go."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.mqtt.message import Message
from tablectl.mqtt.requests import LARGEST, Request, read_request
from tests.mqtt.conftest import PREFIX

OWN = f"{PREFIX}/answer/cctv"


def request(payload: bytes, topic: str = "req/cctv/replay", **more: Any) -> Request:
    read = read_request(PREFIX, Message(f"{PREFIX}/{topic}", payload, **more))
    assert read is not None
    return read


def test_who_asks_is_said_by_topic_and_never_by_payload() -> None:
    read = request(b'{"transaction":"x1","user":"pit","from":"12"}')
    assert (read.user, read.verb, read.transaction, read.wrong) == ("cctv", "replay", "x1", None)
    assert read.body == {"user": "pit", "from": "12"}
    assert read.reply_to.topic == f"{OWN}/x1"


@pytest.mark.parametrize(
    "topic", ["status", "req/cctv", "req/cctv/", "req//replay", "req/cctv/replay/more", "reqs/a/b"]
)
def test_any_other_topic_is_no_request(topic: str) -> None:
    assert read_request(PREFIX, Message(f"{PREFIX}/{topic}", b"{}")) is None
    assert read_request(PREFIX, Message(topic, b"{}")) is None


@pytest.mark.parametrize(
    "payload",
    [
        *(b"", b"[]", b"null", b"\xff", b"{", b"[" * LARGEST, b'"x1"', '{"transaction":"x1"}'.encode("utf-16")),
        *(b'{"transaction":"x1","to":%s}' % number for number in (b"NaN", b"Infinity", b"-Infinity")),
        b'{"transaction":"x1","transaction":"x2"}',
    ],
)
def test_request_that_is_no_object_is_malformed_and_unanswerable(payload: bytes) -> None:
    read = request(payload)
    assert read.wrong is not None
    assert read.wrong[0] == "malformed"
    assert read.reply_to.topic is None


def test_request_that_is_too_large_is_not_even_decoded() -> None:
    read = request(json.dumps({"transaction": "x1", "note": "n" * LARGEST}).encode())
    assert read.wrong == ("too_large", "a request has at most 4096 bytes")
    assert read.reply_to.topic is None


@pytest.mark.parametrize("name", ["", "x" * 65, "a/b", "a b", "ä", "a+b", "#", 7, None, "x\n"])
def test_transaction_that_could_not_be_level_of_topic_is_refused(name: object) -> None:
    read = request(json.dumps({"transaction": name}).encode())
    assert read.wrong is not None
    assert read.wrong[0] == "no_transaction"
    assert (read.reply_to.topic, read.transaction) == (None, "")


@pytest.mark.parametrize("name", ["x", "x" * 64, "A-z.0_9"])
def test_transaction_of_letters_digits_and_three_marks_is_taken(name: str) -> None:
    assert request(json.dumps({"transaction": name}).encode()).wrong is None


@pytest.mark.parametrize("rest", ["answer/cctv/x1", "answer/cctv/a/b/c", "replay/cctv/anything"])
def test_response_topic_of_their_own_is_used(rest: str) -> None:
    read = request(b'{"transaction":"x1"}', response_topic=f"{PREFIX}/{rest}", correlation=b"\x00k")
    assert (read.wrong, read.reply_to.topic, read.reply_to.correlation) == (None, f"{PREFIX}/{rest}", b"\x00k")


@pytest.mark.parametrize(
    "topic",
    [
        f"{PREFIX}/answer/pit/x1",
        f"{PREFIX}/answer/cctv",
        f"{PREFIX}/answer/cctv/",
        f"{PREFIX}/answer/cctv/+",
        f"{PREFIX}/answer/cctv/#",
        f"{PREFIX}/answer/cctv//x",
        f"{PREFIX}/answer/cctv/\0",
        f"{PREFIX}/answer/cctv-2/x1",
        f"{PREFIX}/answer/cctv/{'x' * 300}",
        f"{PREFIX}/event/round",
        f"{PREFIX}/status",
        f"{PREFIX}/req/cctv/replay",
        "answer/cctv/x1",
        "other/answer/cctv/x1",
        "",
    ],
)
def test_foreign_response_topic_is_refused_and_never_written(topic: str) -> None:
    read = request(b'{"transaction":"x1"}', response_topic=topic)
    assert read.wrong is not None
    assert read.wrong[0] == "response_topic"
    assert read.reply_to.topic == f"{OWN}/x1"


def test_malformed_request_with_an_own_response_topic_is_answered() -> None:
    read = request(b"{", response_topic=f"{OWN}/here")
    assert read.wrong is not None
    assert read.reply_to.topic == f"{OWN}/here"


def test_correlation_data_have_a_limit() -> None:
    assert request(b'{"transaction":"x1"}', correlation=b"k" * 256).wrong is None
    long = request(b'{"transaction":"x1"}', correlation=b"k" * 257)
    assert long.wrong is not None
    assert long.reply_to.correlation is None


@given(st.binary(max_size=200), st.text(max_size=80), st.none() | st.text(max_size=80))
def test_no_answer_ever_leaves_the_askers_own_topics(payload: bytes, transaction: str, wanted: str | None) -> None:
    for given_ in (payload, json.dumps({"transaction": transaction}).encode()):
        topic = request(given_, response_topic=wanted).reply_to.topic
        assert topic is None or topic.startswith((f"{OWN}/", f"{PREFIX}/replay/cctv/"))
        assert topic is None or not set("+#\0") & set(topic)
