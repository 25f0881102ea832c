"""Output of the probe: words for a person, or JSON Lines for a program."""

import json
import shutil
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from typing import IO, Any, Final, Protocol

from tablectl.core.facts import Body, FaultCleared, FaultRaised, Stamp
from tablectl.core.protocols import DeviceCounters
from tablectl.features.probe.curve import draw
from tablectl.features.probe.describe import Description, fields_of
from tablectl.features.probe.dial import Curve, Pose
from tablectl.features.probe.options import DeviceEndedError, Options, Ports
from tablectl.words.terminal import cells

CLEAR: Final = "\r\x1b[2K"
"""Goes to the beginning of a terminal's line and empties it."""

QUIET_TELLS: Final = 10
"""Without a terminal the state is told once in so many times: there every one is a line of its own."""


class Screen(Protocol):
    """Receiver of the probe's output."""

    def begin(self, ports: Ports) -> None:
        """The device that is looked at."""
        ...

    def fact(self, body: Body, at: Stamp) -> None:
        """A fact came."""
        ...

    def curve(self, curve: Curve) -> None:
        """A spin is over; its speed."""
        ...

    def state(self, counters: DeviceCounters, pose: Pose | None, *, up: bool) -> None:
        """How it stands now."""
        ...

    def end(self, counters: DeviceCounters, ended: DeviceEndedError | None) -> None:
        """It is over."""
        ...


class WordScreen:
    """Lines for a person; on a terminal the last one is how it stands now."""

    def __init__(self, out: IO[str], said: Description) -> None:
        self._out = out
        self._said = said
        self._live = out.isatty()
        self._tells = 0
        self._raised: set[int] = set()

    def begin(self, ports: Ports) -> None:
        """The device, and what is done to it."""
        self._line(self._said.device(ports))

    def fact(self, body: Body, at: Stamp) -> None:
        """Print a fact with its time, and the remedy for a fault.

        The end of a fault that was never raised here is left out.
        """
        if isinstance(body, FaultCleared) and body.code not in self._raised:
            return  # a device that starts says so of all that it could complain of
        time = datetime.fromtimestamp(at.utc_us / 1e6, UTC).strftime("%H:%M:%S.%f")[:-3]
        self._line(f"{time}  {self._said.fact(body)}")
        if isinstance(body, FaultRaised):
            self._raised.add(body.code)
            self._line(f"{'':14}{self._said.remedy(body.code)}")

    def curve(self, curve: Curve) -> None:
        """The picture of a spin's speed, as wide as the terminal."""
        for line in draw(curve, self._width(), braille=_can_draw(self._out)):
            self._line(line)

    def state(self, counters: DeviceCounters, pose: Pose | None, *, up: bool) -> None:
        """How it stands now, over what stood there before."""
        self._tells += 1
        line = self._said.state(counters, pose, up=up)
        if self._live:
            self._out.write(CLEAR + _cut(line, self._width() - 1))
            self._out.flush()
        elif self._tells % QUIET_TELLS == 0:
            self._line(line)

    def end(self, counters: DeviceCounters, ended: DeviceEndedError | None) -> None:
        """Print the counters, and why the probe ended."""
        if ended is not None:
            self._line(self._said.fault(ended.code, str(ended)))
            self._line(f"{'':4}{self._said.remedy(ended.code)}")
        self._line(self._said.total(counters))

    def _line(self, text: str) -> None:
        self._out.write(f"{CLEAR if self._live else ''}{text}\n")
        self._out.flush()

    def _width(self) -> int:
        return shutil.get_terminal_size().columns


class JsonScreen:
    """One object in a line; `type` says what it is."""

    def __init__(self, out: IO[str], *, cards: bool) -> None:
        self._out = out
        self._cards = cards

    def begin(self, ports: Ports) -> None:
        """The device."""
        self._object("device", device=ports.name, what=ports.what, simulated=ports.simulated)

    def fact(self, body: Body, at: Stamp) -> None:
        """A fact: its name, its fields, and in words."""
        fields, words = fields_of(body, cards=self._cards), Description("en", cards=self._cards).fact(body)
        self._object("fact", fact=type(body).__name__, utc_us=at.utc_us, words=words, fields=fields)

    def curve(self, curve: Curve) -> None:
        """A spin's speeds, in degrees per second."""
        speeds = [speed / 1000 for speed in curve.speeds_mdeg_s]
        self._object("curve", step_s=curve.step_us / 1e6, speed_deg_s=speeds)

    def state(self, counters: DeviceCounters, pose: Pose | None, *, up: bool) -> None:
        """How it stands now."""
        wheel = {} if pose is None else {"wheel": asdict(pose)}
        self._object("state", up=up, counters=asdict(counters), **wheel)

    def end(self, counters: DeviceCounters, ended: DeviceEndedError | None) -> None:
        """The last line."""
        fault = None if ended is None else {"code": int(ended.code), "reason": str(ended)}
        self._object("end", counters=asdict(counters), fault=fault)

    def _object(self, kind: str, **fields: Any) -> None:
        self._out.write(json.dumps({"type": kind, **fields}, ensure_ascii=False) + "\n")
        self._out.flush()


def screen_of(options: Options) -> Screen:
    """The screen on standard output."""
    if options.as_json:
        return JsonScreen(sys.stdout, cards=options.cards)
    return WordScreen(sys.stdout, Description(options.language, cards=options.cards))


def _cut(text: str, width: int) -> str:
    """As much of the text as fits."""
    while cells(text) > width:
        text = text[:-1]
    return text


def _can_draw(out: IO[str]) -> bool:
    """Return True if the output's encoding has braille and degrees."""
    try:
        "⣿│°".encode(getattr(out, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return False
    return True
