"""Random and mutated frames through every codec: nothing crashes, and nothing comes out that nobody sent.

`make proof` does the same with a million frames each.
"""

import random
from collections.abc import Mapping
from functools import partial

import pytest

from tests.support.codec_fuzz import (
    DECODERS,
    MESSAGES,
    Fuzz,
    fuzz_am03127,
    fuzz_angel_eye,
    fuzz_chrony,
    fuzz_link,
    fuzz_messages,
    fuzz_usb_sensor,
    hurt,
)
from tests.support.qsb_fuzz import fuzz_qsb

SEED = 20261120
CODECS: Mapping[str, tuple[Fuzz, int, int]] = {
    "angel_eye": (fuzz_angel_eye, 50_000, 6_000),
    "link": (fuzz_link, 50_000, 6_000),
    **{device: (partial(fuzz_messages, device), 50_000, 1_000) for device in MESSAGES},
    "am03127": (fuzz_am03127, 50_000, 10_000),
    "usb_sensor": (fuzz_usb_sensor, 50_000, 6_000),
    "qsb": (fuzz_qsb, 60_000, 5),
    "chrony": (fuzz_chrony, 50_000, 5_000),
}
"""Each codec's fuzz, how many frames it is given, and how many of them it has to understand at least."""


@pytest.mark.parametrize("name", CODECS)
def test_no_bad_frame_crashes_codec_or_makes_wrong_fact(name: str) -> None:
    fuzz, count, least = CODECS[name]
    fuzzed = fuzz(count, SEED)
    assert fuzzed.wrong == []
    assert fuzzed.frames >= count
    assert least <= fuzzed.taken < fuzzed.frames


@pytest.mark.parametrize("name", DECODERS)
def test_every_decoder_understands_some_of_what_it_is_given(name: str) -> None:
    chance, decoder = random.Random(SEED), DECODERS[name]
    kinds = {
        type(decoder.decode(bytes((chance.choice(decoder.first),)) + bytes(chance.choices(range(4), k=length))))
        for length in (*range(12), 55)
        for _ in range(300)
    }
    assert len(kinds) > 1


def test_a_bad_line_damages_most_frames_and_leaves_some() -> None:
    chance, frame = random.Random(SEED), bytes(range(40))
    whole = [hurt(chance, frame) == frame for _ in range(3000)]
    assert 300 < sum(whole) < 1000
