"""A device that answers nonsense neither stops its driver nor makes it ask without end."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.buzzer.telling import BuzzerDuty
from drivers.dice.telling import DiceDuty
from drivers.display.telling import DisplayDuty
from drivers.draw.telling import DrawDuty
from drivers.duty import Duty
from drivers.shuffler.telling import ShufflerDuty
from tablectl.core.draw import Series
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

NAME = "device"
MOST_EXCHANGES = 12


def draw_duty() -> DrawDuty:
    duty = DrawDuty(NAME, 5.0)
    duty.commanded(RunSelfTest(1), 0.0)
    return duty


def display_duty() -> DisplayDuty:
    duty = DisplayDuty(NAME)
    duty.commanded(ShowTestPattern(1), 0.0)
    return duty


DUTIES: dict[str, Callable[[], Duty]] = {
    "shuffler": lambda: ShufflerDuty(NAME, 240.0),
    "draw": draw_duty,
    "display": display_duty,
    "dice": lambda: DiceDuty(NAME, 3),
    "buzzer": lambda: BuzzerDuty(NAME, 5.0, 3.0),
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


def conversation(duty: Duty, answer: Callable[[bytes], bytes | None]) -> int:
    """How many commands the driver gives before it waits; None in place of an answer is a NAK."""
    asked, body = 0, duty.question()
    while body is not None:
        asked += 1
        assert asked <= MOST_EXCHANGES
        assert len(body) <= 56
        reply = answer(body)
        outcome = duty.not_taken(body, 0.0) if reply is None else duty.replied(body, reply, 0.0)
        body = outcome.send or (duty.question() if outcome.ask else None)
    return asked


def made(kind: str) -> Duty:
    duty = DUTIES[kind]()
    duty.attached(1, 0.0, restarted=False)
    for command in COMMANDS:
        duty.commanded(command, 0.0)
    return duty


@pytest.mark.parametrize("kind", DUTIES)
@pytest.mark.parametrize("reply", [*REPLIES, None])
def test_a_device_that_always_gives_the_same_answer_is_soon_left_in_peace(kind: str, reply: bytes | None) -> None:
    duty = made(kind)
    assert conversation(duty, lambda _: reply) >= 1


@pytest.mark.parametrize("kind", DUTIES)
@given(answers=st.lists(st.one_of(ANSWERS, st.none()), min_size=MOST_EXCHANGES, max_size=MOST_EXCHANGES))
def test_a_device_that_answers_anything_is_soon_left_in_peace(kind: str, answers: list[bytes | None]) -> None:
    waiting = iter(answers)
    conversation(made(kind), lambda _: next(waiting))


@pytest.mark.parametrize("kind", DUTIES)
@given(payloads=st.lists(st.binary(max_size=64), max_size=20))
def test_whatever_a_device_says_is_one_fact_at_least(kind: str, payloads: list[bytes]) -> None:
    duty = made(kind)
    for payload in payloads:
        bodies: tuple[Body, ...] = duty.heard(payload, 0.0).bodies
        assert bodies
