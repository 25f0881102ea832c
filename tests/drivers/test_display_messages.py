"""The messages of a display on our link and their bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.display.board import RANGES, draw_text
from drivers.display.codec import (
    decode_command,
    decode_display_reply,
    encode_command,
    encode_reading,
    fault_name,
)
from drivers.display.messages import Blank, Command, ReadDisplay, Reading, Seen, ShowDraw, ShowTestPattern
from drivers.messages import NotUnderstood, Reply
from tests.drivers.linkbench import asked, cuts

DRAWS = st.builds(ShowDraw, st.integers(0, 2**64 - 1), st.integers(0, 255), st.integers(0, 255))
COMMANDS: st.SearchStrategy[Command] = st.one_of(
    DRAWS,
    st.builds(Blank, st.integers(0, 2**64 - 1)),
    st.just(ReadDisplay()),
    st.just(ShowTestPattern()),
)
READINGS: st.SearchStrategy[Reading] = st.one_of(DRAWS, st.sampled_from(Seen))
GOLDEN_COMMANDS: list[tuple[str, Command]] = [
    ("01 2a00000000000000 01 03", ShowDraw(42, 1, 3)),
    ("02", ReadDisplay()),
    ("03 2a00000000000000", Blank(42)),
    ("04", ShowTestPattern()),
]
GOLDEN_READINGS: list[tuple[str, Reading]] = [
    ("04 00", Seen.NOTHING),
    ("04 01 2a00000000000000 01 03", ShowDraw(42, 1, 3)),
    ("04 02", Seen.TEST_PATTERN),
    ("04 03", Seen.SOMETHING_ELSE),
]


@pytest.mark.parametrize(("text", "command"), GOLDEN_COMMANDS)
def test_golden_commands(text: str, command: Command) -> None:
    assert encode_command(command) == bytes.fromhex(text)
    assert decode_command(bytes.fromhex(text)) == command


@pytest.mark.parametrize(("text", "reading"), GOLDEN_READINGS)
def test_golden_readings(text: str, reading: Reading) -> None:
    assert encode_reading(reading) == bytes.fromhex(text)
    assert decode_display_reply(bytes.fromhex(text)) == reading


@given(st.lists(COMMANDS, max_size=6), READINGS, cuts())
def test_commands_and_readings_arrive_whole_however_the_line_cuts_them(
    commands: list[Command], reading: Reading, at: list[int]
) -> None:
    heard: list[Command | NotUnderstood] = []

    def answer(body: bytes) -> bytes:
        heard.append(decode_command(body))
        return encode_reading(reading)

    replies = asked([encode_command(command) for command in commands], answer, at)
    assert heard == commands
    assert [decode_display_reply(reply) for reply in replies] == [reading] * len(commands)


@given(st.binary(max_size=64))
def test_every_body_is_a_value_for_each_decoder(body: bytes) -> None:
    assert isinstance(decode_command(body), Command | NotUnderstood)
    assert isinstance(decode_display_reply(body), Reply | Reading)


@pytest.mark.parametrize("body", [b"", b"\x04", b"\x04\x01", b"\x04\x09", b"\x04\x00\x00", b"\x04\x01" + bytes(9)])
def test_a_cut_reading_is_not_understood(body: bytes) -> None:
    assert decode_display_reply(body) == NotUnderstood(body[0] if body else -1)


def test_a_fault_with_an_unknown_number_has_a_name() -> None:
    assert [fault_name(number) for number in (1, 2, 99)] == ["segment", "stale", "unrecognised"]


@pytest.mark.article("football_poker", "3(1)")
def test_the_ranges_on_a_board_are_those_of_the_law() -> None:
    for combination, (upper, lower) in enumerate(RANGES, start=1):
        numbers = [(combination + step - 1) % 8 + 1 for step in range(8)]
        assert upper == "".join(map(str, numbers[:4]))
        assert lower == "".join(map(str, numbers[4:]))
        assert sorted(upper + lower) == list("12345678")


def test_a_draw_as_text_names_its_series_and_both_ranges() -> None:
    assert draw_text("upper", 3, RANGES) == "UPPER 3  3456/7812"
    assert draw_text("lower", 8, RANGES) == "LOWER 8  8123/4567"
