"""Replay of captures through today's codecs.

It finds the first line that differs from the expected ones.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from datetime import UTC, datetime
from heapq import merge
from itertools import zip_longest
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, Protocol

from tablectl.lazy_dataclass import dataclass

FORM: Final = 1


class CaptureError(ValueError):
    """This is no capture: where and why."""


class Explaining(Protocol):
    """Explains a stream that may be cut anywhere."""

    @property
    def rejected(self) -> int:
        """How much of it couldn't be explained."""
        ...

    def feed(self, data: bytes) -> list[str]:
        """The units that became complete with `data`."""
        ...


MakeExplainer = Callable[[str, str], Explaining]
"""Makes an explainer for a protocol and a kind of device."""


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was said on a link.

    Args:
        utc_us: when its last byte came or went.
    """

    utc_us: int
    device: str
    way: str
    said: str

    @property
    def text(self) -> str:
        """Device, direction and content of the line.

        It is the same for the same bytes, whenever they came.
        """
        return f"{self.device} {'>' if self.way == 'in' else '<'} {self.said}"

    @property
    def stamped(self) -> str:
        """The line with its time."""
        at = datetime.fromtimestamp(self.utc_us / 1_000_000, UTC)
        return f"{at:%Y-%m-%dT%H:%M:%S.%f}Z {self.text}"


@dataclass(slots=True)
class Replay:
    """A capture, read from its oldest file on.

    Args:
        lost: bytes that the capture says it lost.
    """

    make: MakeExplainer
    lost: int = 0
    _devices: Mapping[str, Any] = field(default_factory=dict[str, Any])
    _streams: dict[tuple[str, str], Explaining] = field(default_factory=dict[tuple[str, str], Explaining])

    @property
    def rejected(self) -> dict[str, int]:
        """The amount that couldn't be explained, by device.

        Devices without any are left out.
        """
        counted: dict[str, int] = {}
        for (device, _), stream in self._streams.items():
            counted[device] = counted.get(device, 0) + stream.rejected
        return {device: count for device, count in counted.items() if count}

    def lines(self, paths: Iterable[Path]) -> Iterator[Line]:
        """Everything that was said, in order.

        Raises:
            OSError: a file can't be read.
            CaptureError: one is no capture.
        """
        for _, where, form in merge(*(_lines(each) for each in series(paths)), key=itemgetter(0)):
            try:
                yield from self._take(form)
            except (KeyError, TypeError, ValueError) as error:
                raise CaptureError(f"{where}: {error}") from None

    def _take(self, form: Mapping[str, Any]) -> Iterator[Line]:
        if "capture" in form:
            if form["capture"] != FORM:
                raise ValueError(f"this program reads form {FORM} of captures, not {form['capture']}")
            self._devices = {**self._devices, **form["devices"]}
        elif "lost" in form:
            self.lost += form["lost"]
        else:
            said = self._stream(form["device"], form["way"]).feed(bytes.fromhex(form["hex"]))
            yield from (Line(form["utc_us"], form["device"], form["way"], one) for one in said)

    def _stream(self, device: str, way: str) -> Explaining:
        if (device, way) not in self._streams:
            about = self._devices.get(device)
            if about is None:
                raise ValueError(f"the capture doesn't say what {device!r} is")
            self._streams[device, way] = self.make(about["protocol"], about["kind"])
        return self._streams[device, way]


def series(paths: Iterable[Path]) -> list[list[Path]]:
    """The files of each device, in their order.

    Files that hold all devices are a series too.
    """
    found: dict[str, list[Path]] = {}
    for path in paths:
        found.setdefault(path.stem.removeprefix("links-").partition("-")[2], []).append(path)
    return list(found.values())


def _lines(paths: Iterable[Path]) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """The lines of a device's files.

    Each has the time of the last one that has a time, and where it stands.
    """
    at_us = 0
    for path in paths:
        for number, form in _forms(path):
            given = form.get("utc_us")
            at_us = given if isinstance(given, int) else at_us
            yield at_us, f"{path}:{number}", form


def _forms(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The lines of a file; a last one that was cut off by a loss of power is left out."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                form = json.loads(line)
            except (ValueError, RecursionError):
                raise CaptureError(f"{path}:{number}: not a line of a capture") from None
            if not isinstance(form, dict) or (number == 1 and "capture" not in form):
                raise CaptureError(f"{path}:{number}: this is no capture of links")
            yield number, form


def files_of(path: Path) -> list[Path]:
    """The files of a capture: the file itself, or those of a folder, the oldest first.

    Raises:
        CaptureError: a folder without any.
    """
    if not path.is_dir():
        return [path]
    found = sorted(path.glob("links-*.jsonl"))
    if not found:
        raise CaptureError(f"{path}: there is no capture in this folder")
    return found


def first_difference(lines: Iterable[str], expected: Iterable[str]) -> str:
    """The first place where two replays part, in words; empty where they are the same."""
    for number, (here, there) in enumerate(zip_longest(lines, expected), 1):
        if here != there:
            return f"line {number}\n  now:      {here or '(nothing more)'}\n  expected: {there or '(nothing more)'}"
    return ""
