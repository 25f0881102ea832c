import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.messages import NotUnderstood
from drivers.shuffler.codec import (
    decode_command,
    decode_event,
    encode_command,
    encode_event,
)
from drivers.shuffler.messages import (
    Abort,
    AskStatus,
    CardOrderReceived,
    Command,
    Event,
    FaultCleared,
    FaultCode,
    FaultRaised,
    LidClosed,
    LidOpened,
    PacketDelivered,
    Shuffle,
    ShuffleCompleted,
    ShuffleStarted,
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


@pytest.mark.parametrize(("text", "event"), GOLDEN_EVENTS)
def test_golden_events(text: str, event: Event) -> None:
    assert encode_event(event) == bytes.fromhex(text)
    assert decode_event(bytes.fromhex(text)) == event


@pytest.mark.parametrize(("text", "command"), GOLDEN_COMMANDS)
def test_golden_commands(text: str, command: Command) -> None:
    assert encode_command(command) == bytes.fromhex(text)
    assert decode_command(bytes.fromhex(text)) == command


@given(st.binary(max_size=63))
def test_of_a_card_order_nothing_is_left_but_that_it_came(order: bytes) -> None:
    event = decode_event(b"\x08" + order)
    assert event == CardOrderReceived()
    assert repr(event) == "CardOrderReceived()"


def test_a_fault_with_an_unknown_number_is_still_a_fault() -> None:
    assert decode_event(b"\x04\x63") == FaultRaised(FaultCode.UNRECOGNISED, 99)


@pytest.mark.parametrize("code", FaultCode)
def test_every_fault_code_has_its_number(code: FaultCode) -> None:
    assert decode_event(bytes((4, code.value))) == FaultRaised(code, code.value)


@pytest.mark.parametrize("payload", [b"", b"\x63", b"\x01", b"\x06\x00", b"\x02" + bytes(9), b"\x03\x01"])
def test_unknown_and_cut_messages_keep_their_kind_alone(payload: bytes) -> None:
    assert decode_event(payload) == NotUnderstood(payload[0] if payload else -1)


@given(st.binary(max_size=70))
def test_every_payload_is_a_value_for_each_decoder(payload: bytes) -> None:
    assert isinstance(decode_event(payload), Event)
    assert isinstance(decode_command(payload), Command | NotUnderstood)


def test_what_only_a_decoder_makes_cannot_be_sent() -> None:
    for event in (CardOrderReceived(), NotUnderstood(9)):
        with pytest.raises(ValueError, match="no payload"):
            encode_event(event)
