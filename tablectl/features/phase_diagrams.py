"""Phases of a game, as a diagram and as text, drawn from its own table."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

from tablectl.core.game_record import Transitions

Names = Mapping[str, str]
"""What people call each phase."""

_ARROW: Final = "→"


def mermaid(transitions: Transitions, names: Names) -> str:
    """Return the phases as a Mermaid state diagram.

    Several causes of one step share an arrow.
    """
    begin = next(iter(transitions))
    lines = ["stateDiagram-v2", f"    [*] --> {begin}"]
    lines += [f"    state {_quoted(names.get(phase, phase))} as {phase}" for phase in transitions]
    lines += [f"    {phase} --> {to}: {' / '.join(causes)}" for phase, to, causes in _arrows(transitions)]
    return "\n".join(lines) + "\n"


def text(transitions: Transitions, names: Names) -> str:
    """The phases as text: each phase, and below it what leads where."""
    lines: list[str] = []
    for phase, steps in transitions.items():
        lines.append(f"{phase} · {names.get(phase, phase)}")
        width = max((len(cause) for cause in steps), default=0)
        lines += [f"    {cause:{width}} {_ARROW} {to}" for cause, to in steps.items()]
    return "\n".join(lines) + "\n"


def _arrows(transitions: Transitions) -> Iterator[tuple[StrEnum, StrEnum, list[str]]]:
    for phase, steps in transitions.items():
        by_end: dict[StrEnum, list[str]] = {}
        for cause, to in steps.items():
            by_end.setdefault(to, []).append(cause)
        yield from ((phase, to, causes) for to, causes in by_end.items())


def _quoted(name: str) -> str:
    return '"' + name.replace('"', "'") + '"'
