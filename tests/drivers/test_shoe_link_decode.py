"""The bytes of a shoe on our link, explained: how long a message is, never which card it tells of."""

import pytest

from drivers.decode import explainer
from drivers.frames import Frame, FrameType, encode_frame
from drivers.shoe.link_codec import encode_event
from drivers.shoe.link_messages import Drawn


@pytest.mark.parametrize("cards", [True, False])
def test_a_card_s_frame_is_explained_without_the_card(*, cards: bool) -> None:
    frame = encode_frame(Frame(FrameType.EVENT, 1, 0, 0x1BADB002, 256, 0, encode_event(Drawn(12, 3))))
    (line,) = explainer("link", "shoe", cards=cards).feed(frame)
    assert line == "EVENT seq 1 ack 0 boot 1badb002: 3 bytes of a device of unknown kind"
