"""Facts of every kind as a table may be told them by mistake: values that are sensible, odd or wrong."""

from typing import Any

from hypothesis import strategies as st

from tablectl.core.cards import PACK, Card, Place
from tablectl.core.facts import FaultCleared, FaultRaised, LogBegan, SessionBegan
from tablectl.core.facts.game_requests import (
    CardExposed,
    CardMisplaced,
    CardsCounted,
    Dealing,
    DealingChanged,
    HandOpened,
    MisdealDeclared,
)
from tablectl.core.facts.reports import (
    CardDrawn,
    DeviceAttached,
    DeviceLost,
    PacketDelivered,
    ShuffleCompleted,
    ShuffleFailed,
)
from tablectl.core.facts.table_requests import FaultAcknowledged, RoundOpened, RoundVoided
from tablectl.core.faults import Code
from tests.support.bodies import ANYTHING

Bodies = dict[type, st.SearchStrategy[Any]]
"""For each kind of fact, what it may be."""

FEW = PACK[:14]
"""Few cards, so that some come twice."""

names = st.sampled_from(["ann", "bob", "", "安"])
texts = st.sampled_from(["", " ", "why", "\ud800"])
numbered_places: st.SearchStrategy[Place] = st.sampled_from([1, 2, 3, 4, 0, -1, 99, 10**12])
some_cards = st.one_of(st.sampled_from(FEW), st.sampled_from([Card("zz"), Card("")]))
card_or_none = st.one_of(st.none(), some_cards)
card_counts = st.one_of(st.integers(-1, 7), st.sampled_from([51, 52, 53, 104, 10**9]))
any_code = st.one_of(st.sampled_from(Code), st.sampled_from([0, -1, 9_999]))
operations = st.integers(-1, 3)


def table_bodies(devices: st.SearchStrategy[str], codes: st.SearchStrategy[int] = any_code) -> Bodies:
    """Facts of every kind; those of the log, of devices and of faults come near to sense."""
    return ANYTHING | {
        LogBegan: st.builds(LogBegan, st.sampled_from(["5eed0002", "", "no hex", "\ud800"]), texts, texts),
        SessionBegan: st.builds(SessionBegan, texts, texts, texts, texts, texts),
        FaultRaised: st.builds(FaultRaised, codes, devices, texts),
        FaultCleared: st.builds(FaultCleared, codes, devices),
        FaultAcknowledged: st.builds(FaultAcknowledged, codes, devices),
        DeviceAttached: st.builds(DeviceAttached, devices, boot=st.sampled_from(["", "1", "2"])),
        DeviceLost: st.builds(DeviceLost, devices),
        RoundVoided: st.builds(RoundVoided, texts),
    }


def card_bodies(devices: st.SearchStrategy[str], anywhere: st.SearchStrategy[Place], most: int) -> Bodies:
    """Those, and facts about cards and packs that come near to sense.

    Args:
        anywhere: places, also such as aren't there.
        most: how many cards a hand has at most.
    """
    return table_bodies(devices) | {
        CardDrawn: st.builds(CardDrawn, devices, card_or_none),
        CardExposed: st.builds(CardExposed, anywhere, st.integers(-1, most + 1), card_or_none),
        CardMisplaced: st.builds(CardMisplaced, anywhere),
        CardsCounted: st.builds(CardsCounted, card_counts),
        ShuffleCompleted: st.builds(ShuffleCompleted, devices, operations, card_counts),
        ShuffleFailed: st.builds(ShuffleFailed, devices, operations),
    }


def hand_bodies(devices: st.SearchStrategy[str], anywhere: st.SearchStrategy[Place], most: int) -> Bodies:
    """Those, and facts of games in which the dealer opens hands, dealt from a shoe or by a shuffler."""
    return card_bodies(devices, anywhere, most) | {
        PacketDelivered: st.builds(PacketDelivered, devices, card_counts),
        RoundOpened: st.builds(RoundOpened, st.one_of(st.none(), st.sampled_from(Dealing))),
        DealingChanged: st.builds(DealingChanged, st.sampled_from(Dealing)),
        HandOpened: st.builds(HandOpened, anywhere, st.lists(some_cards, max_size=most + 1).map(tuple)),
        MisdealDeclared: st.builds(MisdealDeclared, anywhere),
    }
