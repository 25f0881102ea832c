"""What a display on our link is asked, and what its answers mean to the table.

A picture is shown and then read back, and it counts as shown only when the reading is the picture. Showing is
repeated freely: a picture shown twice is the same picture.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from drivers.display.codec import decode_command, decode_display_reply, encode_command, fault_name
from drivers.display.messages import Blank, DisplayFault, ReadDisplay, Reading, Seen, ShowDraw, ShowTestPattern
from drivers.duty import NOTHING, DeviceFaults, Outcome, momentary
from drivers.identity import Kind
from drivers.messages import Accepted, NotUnderstood, Refused, Reply, ReplyKind, decode_fault
from tablectl.core import effects
from tablectl.core.draw import Series
from tablectl.core.effects import BlankDisplay, Command
from tablectl.core.facts import Body, DeviceNoted, DrawShown
from tablectl.core.faults import Code

FAULTS: Mapping[int, Code] = MappingProxyType(
    {DisplayFault.SEGMENT: Code.DISPLAY_SEGMENT, DisplayFault.STALE: Code.DISPLAY_STALE}
)
SERIES: Final = (Series.UPPER, Series.LOWER)
"""By their number on the wire."""
READ_AGAIN_S = 1.0
Picture = ShowDraw | Blank


class DisplayDuty:
    """A display's part on the link; see `Duty`."""

    def __init__(self, name: str) -> None:
        self.kind: Final = Kind.DISPLAY
        self._name = name
        self._faults = DeviceFaults(name, FAULTS, Code.DRAW_UNKNOWN_ERROR, (Code.DISPLAY_MISMATCH,))
        self._wanted: Picture | None = None
        self._commanded = False  # the display was given the picture, at its present start
        self._told = True  # the table knows that the picture is there, or that it can't be had
        self._verified = True
        self._given_up = False  # the display refuses the picture
        self._pattern_wanted = False
        self._read_s: float | None = None

    def commanded(self, command: Command, now_s: float) -> bool:  # noqa: ARG002 -- a picture doesn't age
        """A picture that isn't the one that is wanted already, or that was refused when it was; or a test pattern.

        A pattern waits while a draw is shown, and the next picture ends it.
        """
        if isinstance(command, effects.ShowTestPattern):
            self._pattern_wanted = True
            return True
        picture = _picture(command)
        if picture is None or (picture == self._wanted and not self._given_up):
            return False
        self._wanted, self._commanded, self._told, self._verified = picture, False, False, False
        self._given_up, self._read_s = False, None
        return True

    def attached(self, boot: int, now_s: float, *, restarted: bool) -> Outcome:  # noqa: ARG002 -- it is read, whatever it says
        """It may have lost its picture: it is read."""
        self._verified = self._wanted is None
        self._commanded = self._commanded and not restarted
        return Outcome(self._faults.restarted()) if restarted else NOTHING

    def question(self) -> bytes | None:
        """Show this. Or else: what is to be seen?"""
        if self._wanted is not None and not self._commanded:
            return encode_command(self._wanted)
        if self._wanted is not None and not self._verified and self._read_s is None:
            return encode_command(ReadDisplay())
        patient = self._pattern_wanted and not isinstance(self._wanted, ShowDraw)
        return encode_command(ShowTestPattern()) if patient else None

    def heard(self, payload: bytes, now_s: float) -> Outcome:  # noqa: ARG002 -- a fault has no age
        """Its event, as facts."""
        event = decode_fault(payload)
        if isinstance(event, NotUnderstood):
            noted = DeviceNoted(self._name, "not_understood", str(event.kind))
            return Outcome((noted,), unknown=f"event {event.kind}")
        self._verified = self._wanted is None
        return Outcome(self._faults.told(event), ask=True)

    def replied(self, asked: bytes, reply: bytes, now_s: float) -> Outcome:
        """What is to be seen, or whether a picture was taken."""
        answer, command = decode_display_reply(reply), decode_command(asked)
        match answer, command:
            case (ShowDraw() | Seen()) as reading, ReadDisplay():
                return self._read(reading, now_s)
            case ((ShowDraw() | Seen()), _):
                return self._refused(command, NotUnderstood(ReplyKind.REPORT))
            case Accepted(), ShowDraw() | Blank() | ShowTestPattern():
                return self._accepted(command)
            case other, _:
                return self._refused(command, other)

    def not_taken(self, asked: bytes, now_s: float) -> Outcome:  # noqa: ARG002 -- a refusal has no age
        """The picture isn't shown."""
        return self._refused(decode_command(asked), Refused(DisplayFault.UNRECOGNISED))

    def woken(self, now_s: float) -> Outcome:
        """A display that showed something else is read again."""
        if self._read_s is None or now_s < self._read_s:
            return NOTHING
        self._read_s = None
        return Outcome(ask=True)

    def next_deadline(self) -> float | None:
        """When it is read again."""
        return self._read_s

    def _accepted(self, command: object) -> Outcome:
        if isinstance(command, ShowTestPattern):
            self._pattern_wanted, self._wanted = False, None
            return Outcome((DeviceNoted(self._name, "test_pattern"),), ask=True)
        if command == self._wanted:
            self._commanded, self._verified, self._read_s = True, False, None
        return Outcome(ask=True)

    def _refused(self, command: object, answer: Reply) -> Outcome:
        """A picture that can't be had is told, and not asked for again on the driver's own account."""
        unknown = f"reply {answer.kind}" if isinstance(answer, NotUnderstood) else ""
        reason = (
            f"refused: {fault_name(answer.number)}" if isinstance(answer, Refused) else "answered something unknown"
        )
        if isinstance(command, ShowTestPattern):
            self._pattern_wanted = False
        elif command == self._wanted or isinstance(command, ReadDisplay):
            self._commanded = self._told = self._verified = self._given_up = True
        return Outcome(momentary(Code.REFUSED_BY_DEVICE, self._name, reason), ask=True, unknown=unknown)

    def _read(self, reading: Reading, now_s: float) -> Outcome:
        if self._wanted is None or not self._commanded:
            return Outcome(ask=True)  # another picture is wanted by now
        if reading == _appearance(self._wanted):
            self._verified = True
            return Outcome((*self._faults.end(Code.DISPLAY_MISMATCH), *self._shown(self._wanted)), ask=True)
        return self._differs(reading, self._wanted, now_s)

    def _shown(self, picture: Picture) -> tuple[Body, ...]:
        if self._told:
            return ()
        self._told = True
        match picture:
            case ShowDraw(draw_id=draw_id, series=series, combination=combination):
                return (DrawShown(self._name, draw_id, SERIES[series], combination),)
            case Blank(draw_id=draw_id):
                return (DeviceNoted(self._name, "display_blanked", str(draw_id)),)

    def _differs(self, reading: Reading, wanted: Picture, now_s: float) -> Outcome:
        """The display shows something else: that is told, and nothing is done about it but to look again."""
        self._read_s = now_s + READ_AGAIN_S
        shown = f"shows {_words(reading)}, not {_words(_appearance(wanted))}"
        return Outcome(self._faults.find(Code.DISPLAY_MISMATCH, shown), ask=True)


def _picture(command: Command) -> Picture | None:
    match command:
        case effects.ShowDraw(draw_id=draw_id, series=series, combination=combination):
            return ShowDraw(draw_id, SERIES.index(series), combination)
        case BlankDisplay(draw_id=draw_id):
            return Blank(draw_id)
        case _:
            return None


def _appearance(picture: Picture) -> Reading:
    return Seen.NOTHING if isinstance(picture, Blank) else picture


def _words(reading: Reading) -> str:
    match reading:
        case ShowDraw(draw_id=draw_id, series=series, combination=combination):
            name = SERIES[series].value if series < len(SERIES) else f"series {series}"
            return f"{name} {combination} of draw {draw_id}"
        case Seen():
            return reading.name.lower().replace("_", " ")
