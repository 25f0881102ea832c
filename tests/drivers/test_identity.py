"""Who a device says it is, and whether that is the approved one."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.link.identity import Expected, Identity, Kind, decode_identity, encode_identity, mismatch
from drivers.sim.link_device import simulated

IDENTITY = Identity(
    maker="Maker",
    model="S-1",
    serial="0042",
    firmware="0123456789abcdef",
    protocol=1,
    capabilities=3,
    simulated=True,
)


def test_golden_identity() -> None:
    text = "01 01 01 0300 0123456789abcdef 05 4d616b6572 03 532d31 04 30303432"
    assert encode_identity(IDENTITY) == bytes.fromhex(text)
    assert decode_identity(bytes.fromhex(text)) == IDENTITY


@pytest.mark.parametrize("kind", Kind)
def test_identity_names_its_kind_in_high_half_of_flags(kind: Kind) -> None:
    payload = encode_identity(replace(IDENTITY, kind=kind, simulated=False))
    assert payload[2] == kind << 4
    assert decode_identity(payload) == replace(IDENTITY, kind=kind, simulated=False)


def test_identity_of_64_bytes_fits_and_one_more_does_not() -> None:
    full = replace(IDENTITY, maker="m" * 41)
    assert len(encode_identity(full)) == 64
    with pytest.raises(ValueError, match="at most 64"):
        encode_identity(replace(full, maker="m" * 42))


@pytest.mark.parametrize(
    "wrong", [{"maker": ""}, {"model": "é"}, {"serial": "a\nb"}, {"firmware": "00"}, {"firmware": "xyz"}]
)
def test_identity_that_cannot_be_read_back_is_an_error(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 -- three kinds of it
        encode_identity(replace(IDENTITY, **wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("length", range(len(encode_identity(IDENTITY))))
def test_an_identity_cut_short_is_none(length: int) -> None:
    assert decode_identity(encode_identity(IDENTITY)[:length]) is None


@given(st.binary(max_size=70))
def test_every_payload_is_an_identity_or_none(payload: bytes) -> None:
    assert isinstance(decode_identity(payload), Identity | None)


@pytest.mark.parametrize(
    ("expected", "reason"),
    [
        (Expected(), ""),
        (Expected("tablectl", "simulated", "SIM-1", ("ff" * 8, "00" * 8)), ""),
        (Expected(maker="acme"), "maker"),
        (Expected(model="M2"), "model"),
        (Expected(serial="2"), "serial"),
        (Expected(firmware=("ff" * 8,)), "firmware"),
    ],
)
def test_what_is_expected_and_differs_is_named(expected: Expected, reason: str) -> None:
    found = mismatch(simulated(Kind.DICE), expected, simulated=True, kind=Kind.DICE)
    assert bool(found) == bool(reason)
    assert reason in found


def test_a_device_of_another_kind_is_not_accepted() -> None:
    found = simulated(Kind.DICE)
    assert mismatch(found, Expected(), simulated=True, kind=Kind.BUZZER) == "it is a dice reader, not a buzzer"
    unknown = replace(found, kind=15)
    assert (
        mismatch(unknown, Expected(), simulated=True, kind=Kind.DRAW) == "it is a device of kind 15, not a draw system"
    )


def test_a_simulator_another_protocol_and_nonsense_are_not_accepted() -> None:
    found = simulated(Kind.SHUFFLER)
    assert "simulated = true" in mismatch(found, Expected(), simulated=False)
    assert "version 2" in mismatch(replace(found, protocol=2), Expected(), simulated=True)
    assert "nothing intelligible" in mismatch(None, Expected(), simulated=True)
    assert mismatch(replace(found, simulated=False), Expected(), simulated=False) == ""
