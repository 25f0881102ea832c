"""The path of one card through a real daemon, in calls of our own functions.

`python -m bench.card_path FILE ARGUMENTS` is `tablectl ARGUMENTS` under a profiler that stands still until `TOGGLE`
comes, and writes what it saw to FILE when it comes again.
"""

import asyncio
import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import median
from types import CodeType, FrameType
from typing import Any, Final

from bench.figures import UnmeasuredError

ROOT: Final = Path(__file__).resolve().parent.parent
OURS: Final = (f"{ROOT}/tablectl/", f"{ROOT}/drivers/")
TOGGLE: Final = signal.SIGRTMIN
FIRST_CALL: Final = "Link._read"
TOLD: Final = "LiveTable.tell"
"""The path begins with the last read before the table is told of the card."""

LAST_CALL: Final = "on_puback"
"""The callback of `mqtt/client.py` that brings the broker's answer; the path ends with it."""

SETTLE_S: Final = (0.004, 0.006)
ANSWERED_WITHIN_S: Final = 0.1
PLACES: Final = (2, 5)
_LOOP: Final = asyncio.events.__file__

Call = tuple[int, str, str, str]
"""When a function was called (monotonic nanoseconds), its file below the repository, its qualified name, and the file
of our own function that it was called from; empty where the event loop or a thread began with it."""


@dataclass(frozen=True, slots=True)
class CardPath:
    """What one card takes, at the median of the cards of a round.

    Args:
        calls: the calls of one card in order, as `file:function`.
        callers: the file that each was called from; empty where the event loop or a thread began with it.
        imported: our own modules in the daemon's process.
    """

    calls: Sequence[str]
    callers: Sequence[str]
    functions: int
    modules: int
    imported: Sequence[str]


@dataclass(slots=True)
class Recorder:
    """Records calls of our own functions in every thread while it is on."""

    path: Path
    is_on: bool = False
    calls: list[Call] = field(default_factory=list[Call])

    def see(self, frame: FrameType, event: str, _argument: Any) -> None:
        """The profiler's hook."""
        if self.is_on and event == "call" and (name := _own(frame.f_code)) is not None:
            self.calls.append((time.monotonic_ns(), *name, _caller(frame)))

    def toggle(self, _number: int, _frame: FrameType | None) -> None:
        """Begins to record, or writes what was recorded."""
        self.is_on = not self.is_on
        if not self.is_on:
            imported = sorted(name for name in sys.modules if name.partition(".")[0] in {"tablectl", "drivers"})
            half = self.path.with_suffix(".half")
            half.write_text(json.dumps({"calls": self.calls, "imported": imported}))
            half.rename(self.path)


@cache
def _own(code: CodeType) -> tuple[str, str] | None:
    if not code.co_filename.startswith(OURS):
        return None
    return code.co_filename.removeprefix(f"{ROOT}/"), code.co_qualname


def _caller(frame: FrameType) -> str:
    """The file of the nearest function of ours below a frame, up to where the loop runs a callback or a step."""
    below = frame.f_back
    while below is not None and below.f_code.co_filename != _LOOP:
        if (name := _own(below.f_code)) is not None:
            return name[0]
        below = below.f_back
    return ""


def measure() -> CardPath:
    """Traces the cards of one round of Q Poker, from the byte that decides to the broker's answer."""
    # Here, not above: the traced process shall have imported nothing that `tablectl run` wouldn't.
    from bench import dealer as dealers  # noqa: PLC0415
    from bench import ends, stage  # noqa: PLC0415

    begun_ns: list[int] = []
    with stage.stage() as place, ExitStack() as stack:
        subscriber = stack.enter_context(closing(ends.Subscriber(place.broker.port, ("tablectl/#",))))
        subscriber.connect()
        out = place.folder / "calls.json"
        daemon = stack.enter_context(place.daemon("path", ("bench.card_path", str(out))))
        dealer = stack.enter_context(closing(dealers.Dealer(daemon.port, PLACES)))
        dealer.sign_on()

        def deal(card: str) -> None:
            copy, port = place.shoe.copy(card), place.shoe.port.master
            os.write(port, copy + copy[:-1])
            time.sleep(random.uniform(*SETTLE_S))
            begun_ns.append(time.monotonic_ns())
            os.write(port, copy[-1:])
            subscriber.until(lambda topic, _: topic.endswith("/event/card"))
            time.sleep(ANSWERED_WITHIN_S)
            os.write(port, copy)

        dealer.play(deal)
        begun_ns.clear()
        os.kill(daemon.pid, TOGGLE)
        dealer.play(deal)
        os.kill(daemon.pid, TOGGLE)
        return _path(json.loads(stage.await_file(out).read_text()), begun_ns)


def _path(form: dict[str, Any], begun_ns: Sequence[int]) -> CardPath:
    paths = [_until_answered([call for call in form["calls"] if call[0] >= at_ns]) for at_ns in begun_ns]
    by_length = sorted(paths, key=len)
    usual = by_length[len(by_length) // 2]
    return CardPath(
        [f"{file}:{name}" for _, file, name, _ in usual],
        [caller for *_, caller in usual],
        int(median(len({(file, name) for _, file, name, _ in path}) for path in paths)),
        int(median(len({file for _, file, *_ in path}) for path in paths)),
        form["imported"],
    )


def _until_answered(calls: Sequence[Any]) -> Sequence[Any]:
    """The calls from the read that brought the byte; on a busy machine work on the bytes before it comes first."""
    begun: int | None = None
    is_told = False
    for nth, (_, file, name, _) in enumerate(calls):
        if name == FIRST_CALL and not is_told:
            begun = nth
        is_told = is_told or name == TOLD
        if begun is not None and file.endswith("mqtt/client.py") and name.endswith(LAST_CALL):
            return calls[begun : nth + 1]
    raise UnmeasuredError("a card's message was never answered")


if __name__ == "__main__":
    recorder = Recorder(Path(sys.argv[1]))
    signal.signal(TOGGLE, recorder.toggle)
    threading.setprofile(recorder.see)
    sys.setprofile(recorder.see)
    sys.argv = ["tablectl", *sys.argv[2:]]
    from tablectl.cli import main

    main()
