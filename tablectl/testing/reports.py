"""Results of scenarios as a page with pictures of timelines, and as JUnit's XML.

Every CI system reads JUnit's form.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import escape
from math import floor, log10
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

from tablectl.lazy_dataclass import dataclass
from tablectl.testing.language import translated
from tablectl.testing.scenarios.suite import Outcome, Verdict, differences
from tablectl.testing.timeline import Lane, Moment, Timeline
from tablectl.words import Language

WIDTH: Final = 1100
LEFT: Final = 150
RIGHT: Final = 20
TOP: Final = 34
LANE: Final = 26
TIME_MARKS: Final = 8
"""So many marks of time does the axis have, about."""

DIFFERENCE: Final = "A difference is a kind of event that didn't come equally often on each level"

LABEL_GAP: Final = 15
"""Numbers of steps that would stand nearer together are left out."""


Say = Callable[[str], str]
"""Gives English words in the page's language."""


@dataclass(frozen=True, slots=True)
class Row:
    """One lane of the picture."""

    label: str
    kind: str
    moments: Sequence[Moment]


def picture(timeline: Timeline, about: str, say: Say = str) -> str:
    """The timeline as SVG; what stands in it stands in the table of the page as well.

    Args:
        about: says in a sentence what is seen, for who can't see it.
        say: gives its English words in the page's language.
    """
    moments = [moment for moment in timeline.in_order() if not moment.is_sign_of_life]
    steps = [moment for moment in moments if moment.lane is Lane.STEP]
    if not steps:
        return ""
    axis = Axis(max(0.0, steps[0].at_s), max(moment.at_s for moment in moments))
    rows = [row for row in _rows([moment for moment in moments if moment.at_s >= axis.begin_s], say) if row.moments]
    height = TOP + LANE * len(rows) + 30
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(about)}">',
        *_steps(steps, axis, height - 30, say),
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
        power = 10.0 ** floor(log10(span_s / TIME_MARKS))
        every_s = next(factor * power for factor in (1, 2, 5, 10) if factor * power * TIME_MARKS >= span_s)
        number = 0
        while number * every_s <= span_s:
            yield number * every_s
            number += 1


def _rows(moments: Sequence[Moment], say: Say) -> Iterator[Row]:
    frames = [moment for moment in moments if moment.lane in {Lane.TO_TABLE, Lane.TO_DEVICE}]
    for device in dict.fromkeys(moment.who for moment in frames):
        yield Row(say(f"{device} → table"), "to-table", _of(frames, Lane.TO_TABLE, device))
        yield Row(say(f"table → {device}"), "to-device", _of(frames, Lane.TO_DEVICE, device))
    yield Row(say("facts"), "fact", [moment for moment in moments if moment.lane is Lane.FACT])
    yield Row(say("messages"), "message", [moment for moment in moments if moment.lane is Lane.MESSAGE])


def _of(frames: Sequence[Moment], lane: Lane, device: str) -> list[Moment]:
    return [moment for moment in frames if moment.lane is lane and moment.who == device]


def _steps(steps: Sequence[Moment], axis: Axis, bottom: int, say: Say) -> Iterator[str]:
    yield f'<text class="label" x="{LEFT - 10}" y="{TOP - 14}" text-anchor="end">{say("steps")}</text>'
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


STYLE: Final = """
:root { color-scheme: light dark; --ink: #1b1b1b; --soft: #5c5c5c; --line: #c9c9c9; --paper: #fff; --well: #f4f4f2;
  --good: #1a6b2d; --bad: #b3131b; --none: #6b5200; --a: #0b5cad; --b: #8a3ffc; --c: #a8480a; --d: #11706a; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececec; --soft: #b0b0b0; --line: #4a4a4a; --paper: #161616;
  --well: #202020; --good: #6fdc8c; --bad: #ff8389; --none: #f1c21b; --a: #78a9ff; --b: #be95ff; --c: #ff9d57;
  --d: #3ddbd9; } }
body { margin: 2rem auto; max-width: 72rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, "Noto Sans", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin: 3rem 0 .3rem; } p { margin: .3rem 0; }
table { border-collapse: collapse; width: 100%; } caption { text-align: left; color: var(--soft); }
th, td { text-align: left; vertical-align: top; padding: .25rem 1.2rem .25rem 0; border-bottom: 1px solid var(--line); }
th.n, td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.rows td { font-size: .85rem; overflow-wrap: anywhere; } .rows td:nth-child(-n+3) { white-space: nowrap; }
a { color: var(--a); } .good { color: var(--good); } .bad { color: var(--bad); } .none { color: var(--none); }
.verdict { font-weight: 600; white-space: nowrap; }
pre { background: var(--well); padding: .8rem; overflow-x: auto; font-size: .85rem; }
summary { cursor: pointer; padding: .3rem 0; } svg { width: 100%; height: auto; margin-top: .6rem; }
svg text { font: 12px system-ui, "Noto Sans", "DejaVu Sans", sans-serif; fill: var(--soft); }
svg .number { fill: var(--ink); font-weight: 600; } svg .lane { stroke: var(--line); }
svg .step { stroke: var(--line); stroke-dasharray: 2 3; } svg .axis { stroke: var(--soft); }
svg .to-table { fill: var(--a); } svg .to-device { fill: var(--b); }
svg .fact { fill: var(--c); } svg .message { fill: var(--d); }
@media print { details { display: block; } }
"""
CLASSES: Final = {Verdict.PASSED: "good", Verdict.FAILED: "bad", Verdict.SKIPPED: "none"}
MARKS: Final = {Verdict.PASSED: "✓", Verdict.FAILED: "✗", Verdict.SKIPPED: "–"}


def write_html(outcomes: Sequence[Outcome], file: Path, language: Language = "en") -> None:
    """Write the page in a language; it needs nothing but itself.

    Raises:
        OSError: the file can't be written.
    """
    file.write_text(page(outcomes, language), "utf-8")


def page(outcomes: Sequence[Outcome], language: Language = "en") -> str:
    """The whole page, the levels of a scenario one after another."""
    names = list(dict.fromkeys(outcome.scenario.name for outcome in outcomes))
    outcomes = sorted(outcomes, key=lambda outcome: names.index(outcome.scenario.name))
    count = {verdict: sum(outcome.verdict is verdict for outcome in outcomes) for verdict in Verdict}
    say: Say = partial(translated, language=language)
    results = ", ".join(say(f"{number} {verdict}") for verdict, number in count.items() if number)
    played = say(f"{len(outcomes)} {'scenario' if len(outcomes) == 1 else 'scenarios'} played: {results}.")
    parts = [
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(say(f'Scenarios: {results}'))}</title><style>{STYLE}</style></head><body><main>",
        f"<h1>{say('Scenarios')}</h1><p>{escape(played)}</p>",
        *_overview(outcomes, say),
        *(part for number, outcome in enumerate(outcomes) for part in _section(number, outcome, say)),
        "</main></body></html>\n",
    ]
    return "\n".join(parts)


def _overview(outcomes: Sequence[Outcome], say: Say) -> Iterator[str]:
    yield f"<table><caption>{say(DIFFERENCE)}</caption>"
    yield f"<thead><tr><th scope=col>{say('Scenario')}<th scope=col>{say('Level')}<th scope=col>{say('Result')}"
    yield f"<th scope=col class=n>{say('Time')}<th scope=col>{say('Differences')}</tr></thead><tbody>"
    for number, outcome in enumerate(outcomes):
        mine = [other for other in outcomes if other.scenario.name == outcome.scenario.name]
        unlike = "<br>".join(map(escape, differences(mine))) if mine[0] is outcome else ""
        yield (
            f'<tr><td><a href="#s{number}">{escape(outcome.scenario.name)}</a><td>{escape(outcome.level)}'
            f"<td>{_verdict(outcome, say)}<td class=n>{outcome.took_s:.2f} s<td>{unlike}</tr>"
        )
    yield "</tbody></table>"


def _section(number: int, outcome: Outcome, say: Say) -> Iterator[str]:
    scenario = outcome.scenario
    yield f'<section id="s{number}"><h2>{escape(scenario.title)}</h2>'
    about = " · ".join((_verdict(outcome, say), *map(escape, (scenario.name, scenario.game, outcome.level))))
    yield f"<p>{about}</p>"
    if outcome.why:
        yield f"<pre>{escape(say(outcome.why))}</pre>"
    seen = f"Timeline of {scenario.name} on {outcome.level}; its rows follow as a table"
    yield picture(outcome.timeline, say(seen), say)
    moments = outcome.timeline.in_order()
    counted = say(f"{len(moments)} {'moment' if len(moments) == 1 else 'moments'}")
    yield f"<details><summary>{counted}</summary><table class=rows>"
    columns = "".join(f"<th scope=col>{say(column)}" for column in ("Second", "Kind", "Who", "What"))
    yield f"<thead><tr>{columns}</tr></thead><tbody>"
    yield from (
        f"<tr><td class=n>{moment.at_s:.3f}<td>{say(kind)}<td>{escape(moment.who)}<td>{escape(moment.text)}</tr>"
        for kind, moment in _numbered(moments)
    )
    yield "</tbody></table></details></section>"


def _numbered(moments: Sequence[Moment]) -> Iterator[tuple[str, Moment]]:
    step = 0
    for moment in moments:
        step += moment.lane is Lane.STEP
        yield f"step {step}" if moment.lane is Lane.STEP else str(moment.lane), moment


def _verdict(outcome: Outcome, say: Say) -> str:
    verdict = outcome.verdict
    return f'<span class="verdict {CLASSES[verdict]}">{MARKS[verdict]} {say(verdict)}</span>'


_NOT_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(outcomes: Sequence[Outcome], file: Path) -> None:
    """Write the report: a suite for each level, a case for each scenario.

    A case has the scenario's timeline as its output.

    Raises:
        OSError: the file can't be written.
    """
    suites = Element("testsuites", name="tablectl dev rig")
    for level in dict.fromkeys(outcome.level for outcome in outcomes):
        _suite(suites, level, [outcome for outcome in outcomes if outcome.level == level])
    indent(suites)
    ElementTree(suites).write(file, "utf-8", xml_declaration=True)


def _suite(suites: Element, level: str, outcomes: Sequence[Outcome]) -> None:
    count = {verdict: sum(outcome.verdict is verdict for outcome in outcomes) for verdict in Verdict}
    suite = SubElement(
        suites,
        "testsuite",
        name=level,
        tests=str(len(outcomes)),
        failures=str(count[Verdict.FAILED]),
        skipped=str(count[Verdict.SKIPPED]),
        errors="0",
        time=f"{sum(outcome.took_s for outcome in outcomes):.3f}",
    )
    for outcome in outcomes:
        _case(suite, outcome)


def _case(suite: Element, outcome: Outcome) -> None:
    scenario = outcome.scenario
    about = {"classname": f"{outcome.level}.{scenario.game}", "name": scenario.name, "time": f"{outcome.took_s:.3f}"}
    case = SubElement(suite, "testcase", about, file=str(scenario.path or ""))
    if outcome.verdict is Verdict.FAILED:
        SubElement(case, "failure", message=_clean(outcome.why.partition("\n")[0])).text = _clean(outcome.why)
    elif outcome.verdict is Verdict.SKIPPED:
        SubElement(case, "skipped", message=_clean(outcome.why))
    lines = [scenario.title, *map(str, outcome.timeline.in_order())]
    SubElement(case, "system-out").text = _clean("\n".join(lines))


def _clean(text: str) -> str:
    """The text without what XML can't hold."""
    return _NOT_XML.sub("�", text)
