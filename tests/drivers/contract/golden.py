"""The bytes of messages on our link as fixed once and for all: a changed line is a changed protocol."""

from typing import Any, Final

from drivers.buzzer import codec as buzzer
from drivers.dice import codec as dice
from drivers.display import codec as display
from drivers.draw import codec as draw
from drivers.link.messages import Accepted, FaultCleared, FaultRaised, OperationState, OperationStatus, Refused
from drivers.shoe import link as shoe
from drivers.shuffler import codec as shuffler
from tests.extension.door_contact import codec as door

FAULTS: Final[dict[str, Any]] = {"04 01": FaultRaised(1), "04 63": FaultRaised(99), "05 01": FaultCleared(1)}
REPLIES: Final[dict[str, Any]] = {
    "01": Accepted(),
    "02 0e": Refused(14),
    "03 00": OperationStatus(OperationState.UNKNOWN),
    "03 01": OperationStatus(OperationState.RUNNING),
    "03 03 08": OperationStatus(OperationState.FAILED, number=8),
}
DONE: Final = OperationState.DONE

EVENTS: Final[dict[str, dict[str, Any]]] = {
    "shuffler": FAULTS
    | {
        "01 2a00000000000000": shuffler.ShuffleStarted(42),
        "02 2a00000000000000 3400": shuffler.ShuffleCompleted(42, 52),
        "03 01 05": shuffler.PacketDelivered(1, 5),
        "06": shuffler.LidOpened(),
        "07": shuffler.LidClosed(),
    },
    "draw": FAULTS
    | {
        "01 2a00000000000000 01 03": draw.Committed(42, draw.Drawn(1, 3)),
        "02 2a00000000000000 01": draw.NotDrawn(42, 1),
        "06 00": draw.SelfTestEnded(0),
        "06 03": draw.SelfTestEnded(3),
    },
    "display": FAULTS,
    "shoe": FAULTS
    | {
        "01 0e 04": shoe.Drawn(14, 4),
        "01 00 00": shoe.Drawn(0, 0),
        "02": shoe.CutReached(),
        "06": shoe.LidOpened(),
        "07": shoe.LidClosed(),
        "08": shoe.Locked(),
        "09": shoe.Unlocked(),
    },
    "dice": FAULTS
    | {
        "01 00 03 04 04 06": dice.Thrown((4, 4, 6)),
        "01 03 02 01 02": dice.Thrown((1, 2), dice.Flaw.OUTSIDE),
        "01 04 00": dice.Thrown((), dice.Flaw.MISSING),
        "02": dice.Shaking(),
        "03": dice.Settled(),
        "06": dice.CoverOpened(),
        "07": dice.CoverClosed(),
    },
    "buzzer": FAULTS
    | {
        "01 2a00000000000000 01": buzzer.Sounded(42, verified=True),
        "01 2a00000000000000 00": buzzer.Sounded(42, verified=False),
        "02 2a00000000000000 03": buzzer.NotSounded(42, 3),
    },
    "door_contact": FAULTS | {"01": door.Opened(), "02": door.Closed()},
}
COMMANDS: Final[dict[str, dict[str, Any]]] = {
    "shuffler": {
        "01 2a00000000000000": shuffler.Shuffle(42),
        "02 2a00000000000000": shuffler.AskStatus(42),
        "03": shuffler.Abort(),
    },
    "draw": {
        "01 2a00000000000000 742d37": draw.MakeDraw(42, "t-7"),
        "01 2a00000000000000": draw.MakeDraw(42),
        "02 2a00000000000000": draw.GetDraw(42),
        "03": draw.GetRngStatus(),
        "04": draw.RunSelfTest(),
    },
    "display": {
        "01 2a00000000000000 01 03": display.ShowDraw(42, 1, 3),
        "02": display.ReadDisplay(),
        "03 2a00000000000000": display.Blank(42),
        "04": display.ShowTestPattern(),
    },
    "shoe": {"01": shoe.GetStatus()},
    "dice": {"01": dice.GetStatus()},
    "buzzer": {
        "01 2a00000000000000 01": buzzer.Sound(42, buzzer.Pattern.TIME_IS_UP),
        "01 2a00000000000000 02": buzzer.Sound(42, buzzer.Pattern.NO_MORE_BETS),
        "02 2a00000000000000": buzzer.AskStatus(42),
    },
    "door_contact": {"01": door.GetStatus()},
}
REPORTS: Final[dict[str, dict[str, Any]]] = {
    "shuffler": REPLIES | {"03 02 3400": OperationStatus(DONE, b"\x34\x00")},
    "draw": REPLIES
    | {
        "03 02 01 03": OperationStatus(DONE, draw.RESULT.write(draw.Drawn(1, 3))),
        "04 02 02 0004000000000000": draw.RngStatus(draw.RngState.FAILED, 2, 1024),
    },
    "display": REPLIES
    | {
        "03 02": OperationStatus(DONE),
        "04 00": display.Seen.NOTHING,
        "04 01 2a00000000000000 01 03": display.ShowDraw(42, 1, 3),
        "04 02": display.Seen.TEST_PATTERN,
        "04 03": display.Seen.SOMETHING_ELSE,
    },
    "shoe": REPLIES
    | {
        "03 02": OperationStatus(DONE),
        "04 00 00": shoe.Status(lid_open=False, locked=False),
        "04 01 00": shoe.Status(lid_open=True, locked=False),
        "04 00 01": shoe.Status(lid_open=False, locked=True),
    },
    "dice": REPLIES
    | {
        "03 02": OperationStatus(DONE),
        "04 00 00": dice.Status(dice.Motion.RESTING, cover_open=False),
        "04 01 01": dice.Status(dice.Motion.SHAKEN, cover_open=True),
        "04 02 00": dice.Status(dice.Motion.SETTLING, cover_open=False),
    },
    "buzzer": REPLIES | {"03 02 01": OperationStatus(DONE, b"\x01")},
    "door_contact": REPLIES
    | {
        "03 02": OperationStatus(DONE),
        "04 00": door.Status(is_open=False),
        "04 01": door.Status(is_open=True),
    },
}
NOT_EVENTS: Final[dict[str, str]] = {
    "shuffler": "63, 01, 06 00, 02 000000000000000000, 03 01",
    "draw": "63, 01, 01 0000000000000000000000, 02 0000000000000000, 06, 04",
    "display": "01, 04, 05 01 01",
    "shoe": "63, 01, 01 0e, 01 0e 04 00, 02 00, 04",
    "dice": "63, 01, 01 00, 01 00 03 01 02, 02 00, 01 00 09 01 02 03 04 05 06 07 08 09",
    "buzzer": "63, 01, 01 0000000000000000 02, 02 0000000000000000, 04",
    "door_contact": "63, 01 00, 02 00, 04, 05 01 01",
}
NOT_REPLIES: Final[dict[str, str]] = {
    "shuffler": "04, 03 02 34, 03 02 34 00 00, 03 04, 01 00, 02",
    "draw": "04, 04 03 02 0004000000000000, 03 02 01",
    "display": "04, 04 01, 04 09, 04 00 00, 04 01 000000000000000000",
    "shoe": "04, 04 02 00, 04 00 02, 04 00",
    "dice": "04, 04 03 00, 04 00 02, 04 00",
    "buzzer": "04, 03 02, 03 02 01 01",
    "door_contact": "04, 04 02, 04 00 00",
}
"""Bytes that no device means, by device: unknown, cut, too long, or with an impossible value."""
