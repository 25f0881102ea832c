"""A draw system's messages and their bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.draw.codec import (
    MAX_ROUND_NAME,
    decode_command,
    decode_draw_reply,
    decode_event,
    decode_result,
    encode_command,
    encode_event,
    encode_result,
    encode_rng_status,
    fault_name,
)
from drivers.draw.messages import (
    Command,
    Committed,
    DrawFault,
    Drawn,
    Event,
    GetDraw,
    GetRngStatus,
    MakeDraw,
    NotDrawn,
    RngState,
    RngStatus,
    RunSelfTest,
    SelfTestEnded,
)
from drivers.frames import MAX_PAYLOAD
from drivers.messages import FaultCleared, FaultRaised, NotUnderstood, OperationState, OperationStatus, Reply
from drivers.sim.draw import OUTCOMES, outcome
from tests.drivers.linkbench import asked, carried, cuts

IDS = st.integers(0, 2**64 - 1)
BYTES = st.integers(0, 255)
GOLDEN_EVENTS: list[tuple[str, Event]] = [
    ("01 2a00000000000000 01 03", Committed(42, Drawn(1, 3))),
    ("02 2a00000000000000 01", NotDrawn(42, 1)),
    ("04 01", FaultRaised(1)),
    ("05 01", FaultCleared(1)),
    ("06 00", SelfTestEnded(0)),
    ("06 03", SelfTestEnded(3)),
]
GOLDEN_COMMANDS: list[tuple[str, Command]] = [
    ("01 2a00000000000000 742d37", MakeDraw(42, "t-7")),
    ("01 2a00000000000000", MakeDraw(42)),
    ("02 2a00000000000000", GetDraw(42)),
    ("03", GetRngStatus()),
    ("04", RunSelfTest()),
]
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(Committed, IDS, st.builds(Drawn, BYTES, BYTES)),
    st.builds(NotDrawn, IDS, BYTES),
    st.builds(SelfTestEnded, BYTES),
    st.builds(FaultRaised, BYTES),
    st.builds(FaultCleared, BYTES),
)
COMMANDS: st.SearchStrategy[Command] = st.one_of(
    st.builds(MakeDraw, IDS, st.text(st.characters(max_codepoint=127), max_size=MAX_ROUND_NAME)),
    st.builds(GetDraw, IDS),
    st.just(GetRngStatus()),
    st.just(RunSelfTest()),
)


@pytest.mark.parametrize(("text", "event"), GOLDEN_EVENTS)
def test_golden_events(text: str, event: Event) -> None:
    assert encode_event(event) == bytes.fromhex(text)
    assert decode_event(bytes.fromhex(text)) == event


@pytest.mark.parametrize(("text", "command"), GOLDEN_COMMANDS)
def test_golden_commands(text: str, command: Command) -> None:
    assert encode_command(command) == bytes.fromhex(text)
    assert decode_command(bytes.fromhex(text)) == command


def test_golden_replies() -> None:
    done = decode_draw_reply(bytes.fromhex("03 02 01 03"))
    assert done == OperationStatus(OperationState.DONE, encode_result(Drawn(1, 3)))
    status = RngStatus(RngState.FAILED, 2, 1024)
    assert encode_rng_status(status) == bytes.fromhex("04 02 02 0004000000000000")
    assert decode_draw_reply(encode_rng_status(status)) == status


@given(st.lists(EVENTS, max_size=12), cuts())
def test_events_arrive_whole_however_the_line_cuts_them(events: list[Event], at: list[int]) -> None:
    assert [decode_event(payload) for payload in carried([encode_event(event) for event in events], at)] == events


@given(st.lists(COMMANDS, max_size=6), cuts())
def test_commands_and_answers_arrive_whole_however_the_line_cuts_them(commands: list[Command], at: list[int]) -> None:
    bodies = [encode_command(command) for command in commands]
    assert [decode_command(body) for body in asked(bodies, lambda body: body, at)] == commands


@given(st.binary(max_size=64))
def test_every_payload_is_a_value_for_each_decoder(payload: bytes) -> None:
    event, command = decode_event(payload), decode_command(payload)
    assert isinstance(event, Event)
    assert isinstance(command, Command | NotUnderstood)
    assert isinstance(decode_draw_reply(payload), Reply | RngStatus)
    assert isinstance(event, NotUnderstood) or encode_event(event) == payload
    assert isinstance(command, NotUnderstood) or encode_command(command)[:56] == payload[:56]


@pytest.mark.parametrize("payload", [b"", b"\x63", b"\x01", b"\x01" + bytes(11), b"\x02" + bytes(8), b"\x06", b"\x04"])
def test_unknown_and_cut_events_keep_their_kind_alone(payload: bytes) -> None:
    assert decode_event(payload) == NotUnderstood(payload[0] if payload else -1)


def test_a_long_round_name_is_cut_to_what_a_frame_holds() -> None:
    body = encode_command(MakeDraw(42, "x" * 99))
    assert len(body) + 8 == MAX_PAYLOAD
    assert decode_command(body) == MakeDraw(42, "x" * MAX_ROUND_NAME)


def test_what_only_a_decoder_makes_cannot_be_sent() -> None:
    with pytest.raises(ValueError, match="no payload"):
        encode_event(NotUnderstood(9))


def test_a_fault_with_an_unknown_number_has_a_name() -> None:
    assert fault_name(99) == "unrecognised"
    assert {fault_name(fault) for fault in DrawFault} == {fault.name.lower() for fault in DrawFault}


@pytest.mark.article("football_poker", "6(1)")
def test_four_random_bits_give_each_of_the_sixteen_draws_once() -> None:
    draws = {outcome(value) for value in range(OUTCOMES)}
    assert draws == {Drawn(series, combination) for series in (0, 1) for combination in range(1, 9)}
    assert all(decode_result(encode_result(drawn)) == drawn for drawn in draws)
