"""A device that answers nonsense neither stops its driver nor makes it ask without end."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.link.handler import DeviceHandler
from tablectl.core.facts import Body
from tests.drivers.contract.entries import COMMANDS, ENTRIES

NAME = "device"
AnyHandler = DeviceHandler[Any, Any, Any]
MOST_EXCHANGES = 12


ENTRY_OF = {entry.device.kind: entry for entry in ENTRIES}
SHOWN = "01 0100000000000000 00 03"
REPLIES = [
    bytes.fromhex(text)
    for text in (
        *("", "01", "02 01", "03 00", "03 01", "03 02", "03 02 01", "03 02 3400", "03 02 0103", "03 03 08", "77"),
        *("04 00", f"04 {SHOWN}", "04 02", "04 0001", "04 00 00 0004000000000000"),
    )
]
ANSWERS = st.one_of(st.sampled_from(REPLIES), st.binary(max_size=56))


def conversation(handler: AnyHandler, answer: Callable[[bytes], bytes | None]) -> int:
    """How many commands the driver gives before it waits; None in place of an answer is a NAK."""
    asked, body = 0, handler.query()
    while body is not None:
        asked += 1
        assert asked <= MOST_EXCHANGES
        assert len(body) <= 56
        reply = answer(body)
        outcome = handler.on_nak(body, 0.0) if reply is None else handler.on_reply(body, reply, 0.0)
        body = outcome.send or (handler.query() if outcome.ask else None)
    return asked


def made(kind: str) -> AnyHandler:
    device = ENTRY_OF[kind].device
    assert device.handler
    handler = device.handler(NAME)
    if device.self_test:
        handler.on_command(device.self_test, 0.0)
    handler.on_attached(1, 0.0, restarted=False)
    for command in COMMANDS:
        handler.on_command(command, 0.0)
    return handler


@pytest.mark.parametrize("kind", ENTRY_OF)
@pytest.mark.parametrize("reply", [*REPLIES, None])
def test_device_repeating_one_answer_is_left_alone(kind: str, reply: bytes | None) -> None:
    handler = made(kind)
    assert conversation(handler, lambda _: reply) >= 1


@pytest.mark.parametrize("kind", ENTRY_OF)
@given(answers=st.lists(st.one_of(ANSWERS, st.none()), min_size=MOST_EXCHANGES, max_size=MOST_EXCHANGES))
def test_a_device_that_answers_anything_is_soon_left_in_peace(kind: str, answers: list[bytes | None]) -> None:
    waiting = iter(answers)
    conversation(made(kind), lambda _: next(waiting))


@pytest.mark.parametrize("kind", ENTRY_OF)
@given(payloads=st.lists(st.binary(max_size=64), max_size=20))
def test_whatever_a_device_says_is_one_fact_at_least(kind: str, payloads: list[bytes]) -> None:
    handler = made(kind)
    for payload in payloads:
        bodies: tuple[Body, ...] = handler.on_event(payload, 0.0).bodies
        assert bodies
