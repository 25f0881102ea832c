"""The fewest and shortest of many inputs that go everywhere that all of them go."""

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, Final

Step = tuple[str, int, int]
"""From one line of a file to another."""

_ROOT: Final = Path(__file__).parents[2]
_OURS: Final = tuple(f"{_ROOT / room}/" for room in ("tablectl", "drivers"))


def shrunk(judge: Callable[[bytes], None], inputs: Iterable[bytes]) -> list[bytes]:
    """Of these inputs those that take a step no shorter one takes; one that fails is always kept."""
    seen: set[Step] = set()
    chosen: list[bytes] = []
    for data in sorted(set(inputs), key=lambda each: (len(each), each)):
        steps = taken(judge, data)
        if not steps <= seen:
            seen |= steps
            chosen.append(data)
    return chosen


def taken(judge: Callable[[bytes], None], data: bytes) -> set[Step]:
    """The steps from line to line of our own code that an input causes."""
    steps: set[Step] = set()

    def enter(frame: FrameType, _event: str, _value: Any) -> Callable[..., Any] | None:
        file = frame.f_code.co_filename
        if not file.startswith(_OURS):
            return None
        before = 0

        def step(inner: FrameType, event: str, _value: Any) -> Callable[..., Any]:
            nonlocal before
            if event == "line":
                steps.add((file, before, inner.f_lineno))
                before = inner.f_lineno
            return step

        return step

    tracing = sys.gettrace()
    sys.settrace(enter)
    try:
        with suppress(Exception):
            judge(data)
    finally:
        sys.settrace(tracing)
    return steps
