"""The fewest and shortest of many inputs that go everywhere that all of them go."""

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, Final

Step = tuple[str, int, int, int]
"""File and first line of a function; from one of its instructions to another."""

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
    """The steps from instruction to instruction of our own code that an input causes.

    From line to line wouldn't do: one line may decide much (`a if b else c`, `b and c`).
    """
    steps: set[Step] = set()

    def enter(frame: FrameType, _event: str, _value: Any) -> Callable[..., Any] | None:
        code = frame.f_code
        if not code.co_filename.startswith(_OURS):
            return None
        file, first, before = code.co_filename, code.co_firstlineno, -1
        frame.f_trace_opcodes, frame.f_trace_lines = True, False

        def step(inner: FrameType, event: str, _value: Any) -> Callable[..., Any]:
            nonlocal before
            if event == "opcode":
                steps.add((file, first, before, inner.f_lasti))
                before = inner.f_lasti
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
