"""A display on our link: its pictures, and their readings as facts.

A picture is shown and then read back, and it counts as shown only when the reading is the picture. Showing is
repeated freely: a picture shown twice is the same picture.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Never, assert_never

from drivers.display.codec import (
    CODEC,
    Blank,
    Command,
    DisplayFault,
    ReadDisplay,
    Reading,
    Seen,
    ShowDraw,
    ShowTestPattern,
)
from drivers.link.handler import NOTHING, DeviceFaults, DeviceHandler, Outcome, momentary
from drivers.link.identity import Kind
from drivers.link.messages import Accepted, Answer, Fault, Refused, ReplyKind
from drivers.link.table import NotUnderstood
from tablectl.core import effects
from tablectl.core.effects import BlankDisplay
from tablectl.core.facts import Body
from tablectl.core.facts.reports import DeviceNoted, DrawShown
from tablectl.core.faults import Code
from tablectl.core.outcomes import Series

FAULTS: Mapping[int, Code] = MappingProxyType(
    {DisplayFault.SEGMENT: Code.DISPLAY_SEGMENT, DisplayFault.STALE: Code.DISPLAY_STALE}
)
SERIES: Final = (Series.UPPER, Series.LOWER)
"""By their number on the wire."""
READ_AGAIN_S: Final = 1.0
Picture = ShowDraw | Blank


class DisplayHandler(DeviceHandler[Never, Command, Reading]):
    """A display's messages as facts."""

    def __init__(self, name: str) -> None:
        faults = DeviceFaults(name, FAULTS, Code.DRAW_UNKNOWN_ERROR, (Code.DISPLAY_MISMATCH,))
        super().__init__(Kind.DISPLAY, name, CODEC, faults)
        self._wanted: Picture | None = None
        self._commanded = False  # the display was given the picture, at its present start
        self._reported = True  # the table knows that the picture is there, or that it can't be had
        self._verified = True
        self._given_up = False  # the display refuses the picture
        self._pattern_wanted = False
        self._read_s: float | None = None

    def on_command(self, command: effects.Command, now_s: float) -> bool:  # noqa: ARG002 -- a picture doesn't age
        """Accept a picture that isn't wanted already or was refused, or a test pattern.

        A pattern waits while a draw is shown, and the next picture ends it.
        """
        if isinstance(command, effects.ShowTestPattern):
            self._pattern_wanted = True
            return True
        picture = _picture(command)
        if picture is None or (picture == self._wanted and not self._given_up):
            return False
        self._wanted, self._commanded, self._reported, self._verified = picture, False, False, False
        self._given_up, self._read_s = False, None
        return True

    def on_attached(self, boot: int, now_s: float, *, restarted: bool) -> Outcome:
        """Handle a new connection: the picture may be lost, so it is read.

        A draw that the display shows is reported again.
        """
        self._verified = self._wanted is None
        self._reported = self._reported and not isinstance(self._wanted, ShowDraw)
        self._commanded = self._commanded and not restarted
        return super().on_attached(boot, now_s, restarted=restarted)

    def query(self) -> bytes | None:
        """The picture to show; else a reading of what is shown."""
        if self._wanted is not None and not self._commanded:
            return CODEC.commands.encode(self._wanted)
        if self._wanted is not None and not self._verified and self._read_s is None:
            return CODEC.commands.encode(ReadDisplay())
        patient = self._pattern_wanted and not isinstance(self._wanted, ShowDraw)
        return CODEC.commands.encode(ShowTestPattern()) if patient else None

    def on_message(self, event: Never, now_s: float) -> Outcome:  # noqa: ARG002
        """Reject every event: a display sends none of its own."""
        assert_never(event)

    def on_fault(self, event: Fault) -> Outcome:
        """A fault, which may have changed the picture."""
        self._verified = self._wanted is None
        return Outcome(self.faults.reported(event), ask=True)

    def on_answer(
        self, command: Command | NotUnderstood, reply: Reading | Answer | NotUnderstood, now_s: float
    ) -> Outcome:
        """A reading, or whether a picture was taken."""
        match reply, command:
            case (ShowDraw() | Seen()) as reading, ReadDisplay():
                return self._read(reading, now_s)
            case ((ShowDraw() | Seen()), _):
                return self.answered(command, NotUnderstood(ReplyKind.REPORT), now_s)
            case Accepted(), ShowDraw() | Blank() | ShowTestPattern():
                return self._accepted(command)
            case _:
                return self._refused(command, reply)

    def on_timer(self, now_s: float) -> Outcome:
        """A display that showed something else is read again."""
        if self._read_s is None or now_s < self._read_s:
            return NOTHING
        self._read_s = None
        return Outcome(ask=True)

    def next_timeout(self) -> float | None:
        """When it is read again."""
        return self._read_s

    def _accepted(self, command: object) -> Outcome:
        if isinstance(command, ShowTestPattern):
            self._pattern_wanted, self._wanted = False, None
            return Outcome((DeviceNoted(self.name, "test_pattern"),), ask=True)
        if command == self._wanted:
            self._commanded, self._verified, self._read_s = True, False, None
        return Outcome(ask=True)

    def _refused(self, command: object, answer: object) -> Outcome:
        """Report a picture that was refused; the driver doesn't send it again by itself."""
        reason = (
            f"refused: {CODEC.fault_name(answer.number)}"
            if isinstance(answer, Refused)
            else "answered something unknown"
        )
        if isinstance(command, ShowTestPattern):
            self._pattern_wanted = False
        elif command == self._wanted or isinstance(command, ReadDisplay):
            self._commanded = self._reported = self._verified = self._given_up = True
        return Outcome(momentary(Code.REFUSED_BY_DEVICE, self.name, reason), ask=True)

    def _read(self, reading: Reading, now_s: float) -> Outcome:
        if self._wanted is None or not self._commanded:
            return Outcome(ask=True)  # another picture is wanted by now
        if reading == _appearance(self._wanted):
            self._verified = True
            return Outcome((*self.faults.end(Code.DISPLAY_MISMATCH), *self._shown(self._wanted)), ask=True)
        return self._differs(reading, self._wanted, now_s)

    def _shown(self, picture: Picture) -> tuple[Body, ...]:
        if self._reported:
            return ()
        self._reported = True
        match picture:
            case ShowDraw(draw_id=draw_id, series=series, combination=combination):
                return (DrawShown(self.name, draw_id, SERIES[series], combination),)
            case Blank(draw_id=draw_id):
                return (DeviceNoted(self.name, "display_blanked", str(draw_id)),)

    def _differs(self, reading: Reading, wanted: Picture, now_s: float) -> Outcome:
        """Report that the display shows something else; it is only read again."""
        self._read_s = now_s + READ_AGAIN_S
        shown = f"shows {_words(reading)}, not {_words(_appearance(wanted))}"
        return Outcome(self.faults.find(Code.DISPLAY_MISMATCH, shown), ask=True)


def _picture(command: effects.Command) -> Picture | None:
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
