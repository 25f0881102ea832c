"""Frames on the links while a round was played, from captures.

Face-down cards are left out.
"""

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from heapq import merge
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, cast

from tablectl.core.money import utc_text
from tablectl.edited_files import open_regular
from tablectl.history.captures import Explaining, series
from tablectl.history.explain.model import Frame, MakeExplaining
from tablectl.lazy_dataclass import dataclass

LEAD_US: Final = 5_000_000
"""So long before the first frame that is wanted reading begins: frames may be cut anywhere."""

ENDLESS: Final = frozenset({"qsb", "usb"})
"""The protocols of sensors that send hundreds of readings a second as long as they are on."""

NEAR_US: Final = 1_000_000

CHATTER: Final = ("HEARTBEAT", "ACK ")
"""What every link says all the time, and means nothing for the round."""

_AT: Final = re.compile(rb'\{"utc_us":([0-9]{1,18}),')
LONGEST_LINE: Final = 4 << 20
"""Bytes of a capture's line, many times those of one read."""

_FRAME_STARTS: Final = b"\x05\x06\x15"
"""The bytes with which the baccarat shoe begins a report or a reply; none of them stands inside one."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A frame and when its last byte came or went, UTC microseconds."""

    at_us: int
    frame: Frame


@dataclass(slots=True)
class Listening:
    """A capture read from its oldest line on.

    Args:
        make: makes what explains a stream, cards named or not.
        named: the cards that may be named.
        times: of the facts, UTC microseconds, rising: of a device that never stops talking only what came shortly
            before one of them is listened to. None listens to everything.
        damaged: lines that are no lines of a capture.
    """

    make: MakeExplaining
    named: frozenset[str]
    times: Sequence[int] | None = None
    damaged: int = 0
    _devices: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    _streams: dict[tuple[str, str], "_Stream"] = field(default_factory=dict[tuple[str, str], "_Stream"])

    def heard(self, folder: Path, from_us: int, to_us: int, device: str = "") -> Iterator[Heard]:
        """The frames between two instants, in order.

        Args:
            device: only its frames; empty for those of all.

        Raises:
            OSError: a file can't be read.
        """
        since_us = from_us - LEAD_US
        named = f"links-{'[0-9]' * 6}-{device}.jsonl" if device else "links-*.jsonl"
        each = series(sorted(folder.glob(named)))
        timed = (self._timed(_since(paths, since_us), since_us, to_us) for paths in each)
        for at_us, form in merge(*timed, key=itemgetter(0)):
            yield from (heard for heard in self._take(form, at_us) if from_us <= heard.at_us <= to_us)

    def _timed(self, paths: Iterable[Path], since_us: int, to_us: int) -> Iterator[tuple[int, Mapping[str, Any]]]:
        for path in paths:
            for form in self._forms(path, since_us, to_us):
                yield int(form.get("utc_us", 0)), form

    def _forms(self, path: Path, since_us: int, to_us: int) -> Iterator[Mapping[str, Any]]:
        """The lines between two instants, and those without one.

        A last line that is being written is left out. A later line ends nothing: a clock that was wrong for a moment,
        or was set back, writes earlier ones after it.
        """
        for line in _lines(path):
            if (at := _at(line)) is not None and not since_us <= at <= to_us:
                continue
            try:
                form = json.loads(line)
            except (ValueError, RecursionError):
                form = None
            if isinstance(form, dict):
                yield cast("dict[str, Any]", form)
            else:
                self.damaged += 1

    def _take(self, form: Mapping[str, Any], at_us: int) -> Iterator[Heard]:
        try:
            if "capture" in form:
                self._devices = {**self._devices, **form["devices"]}
            elif "hex" in form and self._matters(form["device"], at_us):
                stream = self._stream(form["device"], form["way"])
                said = stream.feed(bytes.fromhex(form["hex"]))
                yield from (Heard(at_us, frame) for frame in _frames(said, utc_text(at_us), form))
        except (KeyError, TypeError, ValueError, AttributeError):
            self.damaged += 1

    def _matters(self, device: str, at_us: int) -> bool:
        if self.times is None or self._devices[device]["protocol"] not in ENDLESS:
            return True
        nth = bisect_left(self.times, at_us)
        return nth < len(self.times) and self.times[nth] - at_us <= NEAR_US

    def _stream(self, device: str, way: str) -> "_Stream":
        if (device, way) not in self._streams:
            about = self._devices[device]
            self._streams[device, way] = _stream(self.make, about["protocol"], about["kind"], way, self.named)
        return self._streams[device, way]


Said = tuple[str, str | None]
"""What a frame says, and its bytes where they may be shown."""


def _frames(said: Iterable[Said], time: str, form: Mapping[str, Any]) -> Iterator[Frame]:
    for words, raw in said:
        if not words.startswith(CHATTER):
            yield Frame(time, form["device"], form["way"], words, raw)


class _Stream:
    """One direction of a link whose bytes may be seen by anybody."""

    def __init__(self, explaining: Explaining) -> None:
        self._explaining = explaining

    def feed(self, data: bytes) -> Iterator[Said]:
        """The frames that became complete; with their bytes where there is one frame."""
        said = self._explaining.feed(data)
        raw = data.hex(" ") if len(said) == 1 else None
        return ((words, raw) for words in said)


class _Guarded(_Stream):
    """One direction of a link whose messages may name face-down cards.

    Only the kind of a message is shown.
    """

    def feed(self, data: bytes) -> Iterator[Said]:
        return ((words.partition(": ")[0], None) for words in self._explaining.feed(data))


class _ShoeStream(_Stream):
    """The reports of the baccarat shoe, read byte by byte.

    So each report has its own bytes and no others.
    """

    def __init__(self, plain: Explaining, naming: Explaining, named: frozenset[str]) -> None:
        super().__init__(plain)
        self._naming = naming
        self._named = named
        self._bytes = bytearray()

    def feed(self, data: bytes) -> Iterator[Said]:
        for byte in data:
            if byte in _FRAME_STARTS:
                self._bytes.clear()
            self._bytes.append(byte)
            one = bytes((byte,))
            for veiled, naming in zip(self._explaining.feed(one), self._naming.feed(one), strict=True):
                yield self._said(veiled, naming)

    def _said(self, veiled: str, naming: str) -> Said:
        """The public form of a report.

        Of cards it names the open ones; of the shoe's own result it says only that it came.
        """
        head, _, report = veiled.partition(": ")
        if report.startswith("GameResult"):
            return f"{head}: GameResult (hidden)", None
        drawn = report.startswith("CardDrawn") and any(
            naming == veiled.replace("(hidden)", card) for card in self._named
        )
        return (naming, self._bytes.hex(" ")) if drawn or veiled == naming else (veiled, None)


def _stream(make: MakeExplaining, protocol: str, kind: str, way: str, named: frozenset[str]) -> _Stream:
    plain = make(protocol, kind, cards=False)
    if kind != "shoe" and protocol != "angel_eye":
        return _Stream(plain)
    if protocol == "angel_eye" and way == "in":
        return _ShoeStream(plain, make(protocol, kind, cards=True), named)
    return _Guarded(plain) if way == "in" else _Stream(plain)


def _since(paths: Sequence[Path], since_us: int) -> list[Path]:
    """The files of a series in which something of that time or later may stand."""
    begins = [_begins(path) for path in paths]
    later = [*begins[1:], None]
    return [path for path, end in zip(paths, later, strict=True) if end is None or end >= since_us]


def _begins(path: Path) -> int | None:
    """The instant of the file's first bytes; None where it has none."""
    return next((at for line in _lines(path) if (at := _at(line)) is not None), None)


def _lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, up to one that isn't whole.

    That one is being written, or no capture's.
    """
    with open_regular(path) as file:
        for line in iter(partial(file.readline, LONGEST_LINE), b""):
            if not line.endswith(b"\n"):
                return
            yield line


def _at(line: bytes) -> int | None:
    found = _AT.match(line)
    return int(found[1]) if found else None
