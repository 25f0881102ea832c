from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.shuffler.codec import (
    decode_command,
    decode_event,
    decode_identity,
    decode_reply,
    encode_command,
    encode_event,
    encode_identity,
    encode_reply,
)
from drivers.shuffler.messages import (
    Abort,
    Accepted,
    AskStatus,
    Capability,
    CardOrderReceived,
    Command,
    Event,
    FaultCleared,
    FaultCode,
    FaultRaised,
    Identity,
    LidClosed,
    LidOpened,
    NotUnderstood,
    OperationState,
    OperationStatus,
    PacketDelivered,
    Refused,
    Reply,
    Shuffle,
    ShuffleCompleted,
    ShuffleStarted,
)

IDENTITY = Identity(
    maker="Maker",
    model="S-1",
    serial="0042",
    firmware="0123456789abcdef",
    protocol=1,
    capabilities=Capability.SHUFFLE | Capability.STATUS,
    simulated=True,
)
GOLDEN_EVENTS: list[tuple[str, Event]] = [
    ("01 2a00000000000000", ShuffleStarted(42)),
    ("02 2a00000000000000 3400", ShuffleCompleted(42, 52)),
    ("03 01 05", PacketDelivered(1, 5)),
    ("04 08", FaultRaised(FaultCode.JAM, 8)),
    ("05 01", FaultCleared(FaultCode.COUNT_SHORT, 1)),
    ("06", LidOpened()),
    ("07", LidClosed()),
]
GOLDEN_COMMANDS: list[tuple[str, Command]] = [
    ("01 2a00000000000000", Shuffle(42)),
    ("02 2a00000000000000", AskStatus(42)),
    ("03", Abort()),
]
GOLDEN_REPLIES: list[tuple[str, Accepted | Refused | OperationStatus]] = [
    ("01", Accepted()),
    ("02 0e", Refused(FaultCode.LID_OPEN)),
    ("03 00", OperationStatus(OperationState.UNKNOWN)),
    ("03 01", OperationStatus(OperationState.RUNNING)),
    ("03 02 3400", OperationStatus(OperationState.DONE, count=52)),
    ("03 03 08", OperationStatus(OperationState.FAILED, code=FaultCode.JAM)),
]


@pytest.mark.parametrize(("text", "event"), GOLDEN_EVENTS)
def test_golden_events(text: str, event: Event) -> None:
    assert encode_event(event) == bytes.fromhex(text)
    assert decode_event(bytes.fromhex(text)) == event


@pytest.mark.parametrize(("text", "command"), GOLDEN_COMMANDS)
def test_golden_commands(text: str, command: Command) -> None:
    assert encode_command(command) == bytes.fromhex(text)
    assert decode_command(bytes.fromhex(text)) == command


@pytest.mark.parametrize(("text", "reply"), GOLDEN_REPLIES)
def test_golden_replies(text: str, reply: Accepted | Refused | OperationStatus) -> None:
    assert encode_reply(reply) == bytes.fromhex(text)
    assert decode_reply(bytes.fromhex(text)) == reply


def test_golden_identity() -> None:
    text = "01 01 01 0300 0123456789abcdef 05 4d616b6572 03 532d31 04 30303432"
    assert encode_identity(IDENTITY) == bytes.fromhex(text)
    assert decode_identity(bytes.fromhex(text)) == IDENTITY


def test_an_identity_of_64_bytes_fits_and_one_more_does_not() -> None:
    full = replace(IDENTITY, maker="m" * 41)
    assert len(encode_identity(full)) == 64
    with pytest.raises(ValueError, match="at most 64"):
        encode_identity(replace(full, maker="m" * 42))


@pytest.mark.parametrize(
    "wrong", [{"maker": ""}, {"model": "é"}, {"serial": "a\nb"}, {"firmware": "00"}, {"firmware": "xyz"}]
)
def test_an_identity_with_a_name_or_hash_that_cannot_be_read_back_is_an_error(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 -- three kinds of it
        encode_identity(replace(IDENTITY, **wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("length", range(len(encode_identity(IDENTITY))))
def test_an_identity_cut_short_is_none(length: int) -> None:
    assert decode_identity(encode_identity(IDENTITY)[:length]) is None


def test_an_unknown_capability_does_not_hide_the_device() -> None:
    payload = bytearray(encode_identity(IDENTITY))
    payload[4] = 0x80
    assert decode_identity(bytes(payload)) == IDENTITY


@given(st.binary(max_size=63))
def test_of_a_card_order_nothing_is_left_but_that_it_came(order: bytes) -> None:
    event = decode_event(b"\x08" + order)
    assert event == CardOrderReceived()
    assert repr(event) == "CardOrderReceived()"


def test_a_fault_with_an_unknown_number_is_still_a_fault() -> None:
    assert decode_event(b"\x04\x63") == FaultRaised(FaultCode.UNRECOGNISED, 99)
    assert decode_reply(b"\x02\x63") == Refused(FaultCode.UNRECOGNISED)


@pytest.mark.parametrize("code", FaultCode)
def test_every_fault_code_has_its_number(code: FaultCode) -> None:
    assert decode_event(bytes((4, code.value))) == FaultRaised(code, code.value)


@pytest.mark.parametrize("payload", [b"", b"\x63", b"\x01", b"\x06\x00", b"\x02" + bytes(9), b"\x03\x01"])
def test_unknown_and_cut_messages_keep_their_kind_alone(payload: bytes) -> None:
    assert decode_event(payload) == NotUnderstood(payload[0] if payload else -1)


@given(st.binary(max_size=70))
def test_every_payload_is_a_value_for_each_decoder(payload: bytes) -> None:
    assert isinstance(decode_event(payload), Event)
    assert isinstance(decode_reply(payload), Reply)
    assert isinstance(decode_command(payload), Command | NotUnderstood)
    assert isinstance(decode_identity(payload), Identity | None)


def test_what_only_a_decoder_makes_cannot_be_sent() -> None:
    for event in (CardOrderReceived(), NotUnderstood(9)):
        with pytest.raises(ValueError, match="no payload"):
            encode_event(event)
