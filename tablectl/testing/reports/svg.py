"""Picture of a timeline: lanes of frames, facts and messages below the steps.

They are on one axis of time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10
from typing import Final

from tablectl.testing.reports.timeline import Lane, Moment, Timeline

WIDTH: Final = 1100
LEFT: Final = 150
RIGHT: Final = 20
TOP: Final = 34
LANE: Final = 26
MARKS: Final = 8
"""So many marks of time does the axis have, about."""

LABEL_GAP: Final = 15
"""Numbers of steps that would stand nearer together are left out."""


@dataclass(frozen=True, slots=True)
class Row:
    """One lane of the picture."""

    label: str
    kind: str
    moments: Sequence[Moment]


def picture(timeline: Timeline, about: str) -> str:
    """The timeline as SVG; what stands in it stands in the table of the page as well.

    Args:
        about: says in a sentence what is seen, for who can't see it.
    """
    moments = [moment for moment in timeline.in_order() if not moment.is_sign_of_life]
    steps = [moment for moment in moments if moment.lane is Lane.STEP]
    if not steps:
        return ""
    axis = Axis(max(0.0, steps[0].at_s), max(moment.at_s for moment in moments))
    rows = [row for row in _rows([moment for moment in moments if moment.at_s >= axis.begin_s]) if row.moments]
    height = TOP + LANE * len(rows) + 30
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(about)}">',
        *_steps(steps, axis, height - 30),
        *(part for number, row in enumerate(rows) for part in _row(row, axis, TOP + LANE * number)),
        *_axis(axis, height - 30),
        "</svg>",
    ]
    return "\n".join(parts)


@dataclass(frozen=True, slots=True)
class Axis:
    """From the first step's second to the last moment's."""

    begin_s: float
    end_s: float

    def x(self, at_s: float) -> float:
        """Where a second lies."""
        share = (at_s - self.begin_s) / max(self.end_s - self.begin_s, 1e-4)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def marks(self) -> Iterator[float]:
        """Round seconds along it."""
        span_s = max(self.end_s - self.begin_s, 1e-4)
        power = 10.0 ** floor(log10(span_s / MARKS))
        every_s = next(factor * power for factor in (1, 2, 5, 10) if factor * power * MARKS >= span_s)
        number = 0
        while number * every_s <= span_s:
            yield number * every_s
            number += 1


def _rows(moments: Sequence[Moment]) -> Iterator[Row]:
    frames = [moment for moment in moments if moment.lane in {Lane.TO_TABLE, Lane.TO_DEVICE}]
    for device in dict.fromkeys(moment.who for moment in frames):
        yield Row(f"{device} → table", "to-table", _of(frames, Lane.TO_TABLE, device))
        yield Row(f"table → {device}", "to-device", _of(frames, Lane.TO_DEVICE, device))
    yield Row("facts", "fact", [moment for moment in moments if moment.lane is Lane.FACT])
    yield Row("messages", "message", [moment for moment in moments if moment.lane is Lane.MESSAGE])


def _of(frames: Sequence[Moment], lane: Lane, device: str) -> list[Moment]:
    return [moment for moment in frames if moment.lane is lane and moment.who == device]


def _steps(steps: Sequence[Moment], axis: Axis, bottom: int) -> Iterator[str]:
    yield f'<text class="label" x="{LEFT - 10}" y="{TOP - 14}" text-anchor="end">steps</text>'
    last_x = -LABEL_GAP * 1.0
    for number, step in enumerate(steps, 1):
        x = axis.x(step.at_s)
        yield f'<line class="step" x1="{x}" x2="{x}" y1="{TOP - 8}" y2="{bottom}"/>'
        if x - last_x >= LABEL_GAP:
            last_x = x
            tip = f"<title>{number}: {escape(step.text)}</title>"
            yield f'<text class="number" x="{x}" y="{TOP - 14}" text-anchor="middle">{number}{tip}</text>'


def _row(row: Row, axis: Axis, top: int) -> Iterator[str]:
    middle = top + LANE // 2
    yield f'<line class="lane" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{middle}" y2="{middle}"/>'
    yield f'<text class="label" x="{LEFT - 10}" y="{middle + 4}" text-anchor="end">{escape(row.label)}</text>'
    for moment in row.moments:
        tip = f"<title>{moment.at_s:.3f} s {escape(moment.who)} {escape(moment.text[:200])}</title>"
        place = f"translate({axis.x(moment.at_s)} {middle})"
        yield f'<g class="{row.kind}" transform="{place}">{SHAPES[row.kind]}{tip}</g>'


SHAPES: Final = {
    "to-table": '<path d="M-4 5 L0 -6 L4 5 Z"/>',
    "to-device": '<path d="M-4 -5 L0 6 L4 -5 Z"/>',
    "fact": '<rect x="-4" y="-4" width="8" height="8"/>',
    "message": '<circle r="5"/>',
}
"""Each kind has a form of its own, not only a colour."""


def _axis(axis: Axis, top: int) -> Iterator[str]:
    yield f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{top}" y2="{top}"/>'
    for at_s in axis.marks():
        x = axis.x(axis.begin_s + at_s)
        yield f'<line class="axis" x1="{x}" x2="{x}" y1="{top}" y2="{top + 5}"/>'
        yield f'<text class="label" x="{x}" y="{top + 19}" text-anchor="middle">{_in_words(at_s)}</text>'


def _in_words(at_s: float) -> str:
    return f"{at_s * 1000:g} ms" if at_s < 1 else f"{at_s:g} s"
