"""A device that answers nonsense neither stops its driver nor makes it ask without end."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.buzzer.device import BuzzerHandler
from drivers.dice.device import DiceHandler
from drivers.display.device import DisplayHandler
from drivers.draw.device import DrawHandler
from drivers.link.handler import DeviceHandler
from drivers.shuffler.device import ShufflerHandler
from tablectl.core.effects import (
    BlankDisplay,
    Command,
    RequestDraw,
    RunSelfTest,
    ShowDraw,
    ShowTestPattern,
    ShuffleCards,
    Signal,
    SoundSignal,
)
from tablectl.core.facts import Body
from tablectl.core.outcomes import Series

NAME = "device"
AnyHandler = DeviceHandler[Any, Any, Any]
MOST_EXCHANGES = 12


def draw_handler() -> DrawHandler:
    handler = DrawHandler(NAME, timeout_s=5.0)
    handler.on_command(RunSelfTest(1), 0.0)
    return handler


def display_handler() -> DisplayHandler:
    handler = DisplayHandler(NAME)
    handler.on_command(ShowTestPattern(1), 0.0)
    return handler


HANDLERS: dict[str, Callable[[], AnyHandler]] = {
    "shuffler": lambda: ShufflerHandler(NAME, timeout_s=240.0),
    "draw": draw_handler,
    "display": display_handler,
    "dice": lambda: DiceHandler(NAME, dice=3),
    "buzzer": lambda: BuzzerHandler(NAME, timeout_s=5.0, fresh_s=3.0),
}
COMMANDS: list[Command] = [
    ShuffleCards(1),
    RequestDraw(1, "t-1"),
    SoundSignal(1, Signal.TIME_IS_UP),
    ShowDraw(1, Series.UPPER, 3),
    BlankDisplay(1),
]
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
    handler = HANDLERS[kind]()
    handler.on_attached(1, 0.0, restarted=False)
    for command in COMMANDS:
        handler.on_command(command, 0.0)
    return handler


@pytest.mark.parametrize("kind", HANDLERS)
@pytest.mark.parametrize("reply", [*REPLIES, None])
def test_a_device_that_always_gives_the_same_answer_is_soon_left_in_peace(kind: str, reply: bytes | None) -> None:
    handler = made(kind)
    assert conversation(handler, lambda _: reply) >= 1


@pytest.mark.parametrize("kind", HANDLERS)
@given(answers=st.lists(st.one_of(ANSWERS, st.none()), min_size=MOST_EXCHANGES, max_size=MOST_EXCHANGES))
def test_a_device_that_answers_anything_is_soon_left_in_peace(kind: str, answers: list[bytes | None]) -> None:
    waiting = iter(answers)
    conversation(made(kind), lambda _: next(waiting))


@pytest.mark.parametrize("kind", HANDLERS)
@given(payloads=st.lists(st.binary(max_size=64), max_size=20))
def test_whatever_a_device_says_is_one_fact_at_least(kind: str, payloads: list[bytes]) -> None:
    handler = made(kind)
    for payload in payloads:
        bodies: tuple[Body, ...] = handler.on_event(payload, 0.0).bodies
        assert bodies
