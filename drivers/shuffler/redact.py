"""Redaction of a shuffler's bytes: the order of the cards is never kept.

A shuffler may not tell the order, and if it does, nobody may have it. So only whole frames are kept, a card order
without its cards; of damaged pieces nothing, because nobody knows what was in them.
"""

from dataclasses import replace
from typing import Final

from drivers.link.frame import FrameReader, FrameType, encode_frame
from drivers.shuffler.codec import EventKind

KNOWN_EVENTS: Final = frozenset({bytes((kind,)) for kind in EventKind if kind is not EventKind.CARD_ORDER})


class OrderRedactor:
    """Filter that passes a shuffler's bytes on without any card order.

    It holds a piece until it is whole.
    """

    def __init__(self) -> None:
        self._reader = FrameReader()

    def __call__(self, data: bytes) -> bytes:
        """Return the part that may be kept of everything that became whole with `data`."""
        kept = b""
        for frame in self._reader.feed(data):
            unknown = frame.kind == FrameType.EVENT and frame.payload[:1] not in KNOWN_EVENTS
            kept += encode_frame(replace(frame, payload=frame.payload[:1]) if unknown else frame)
        return kept
