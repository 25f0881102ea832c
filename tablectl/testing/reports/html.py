"""Results of scenarios as a page: a table of all, and the timeline of each.

A timeline is shown as a picture and as rows.
"""

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final

from tablectl.testing.reports.svg import picture
from tablectl.testing.reports.timeline import Lane, Moment
from tablectl.testing.scenarios.suite import Outcome, Verdict, differences

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
CLASSES: Final = {Verdict.AS_WRITTEN: "good", Verdict.OTHERWISE: "bad", Verdict.NOT_PLAYED: "none"}
MARKS: Final = {Verdict.AS_WRITTEN: "✓", Verdict.OTHERWISE: "✗", Verdict.NOT_PLAYED: "–"}


def write_html(outcomes: Sequence[Outcome], file: Path) -> None:
    """Writes the page; it needs nothing but itself.

    Raises:
        OSError: the file can't be written.
    """
    file.write_text(page(outcomes), "utf-8")


def page(outcomes: Sequence[Outcome]) -> str:
    """The whole page, the rungs of a scenario one after another."""
    names = list(dict.fromkeys(outcome.scenario.name for outcome in outcomes))
    outcomes = sorted(outcomes, key=lambda outcome: names.index(outcome.scenario.name))
    count = {verdict: sum(outcome.verdict is verdict for outcome in outcomes) for verdict in Verdict}
    told = ", ".join(f"{number} {verdict}" for verdict, number in count.items() if number)
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Scenarios: {escape(told)}</title><style>{STYLE}</style></head><body><main>",
        f"<h1>Scenarios</h1><p>{len(outcomes)} played: {escape(told)}.</p>",
        *_overview(outcomes),
        *(part for number, outcome in enumerate(outcomes) for part in _section(number, outcome)),
        "</main></body></html>\n",
    ]
    return "\n".join(parts)


def _overview(outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield "<table><caption>A difference is a kind of event that didn't come equally often on each rung</caption>"
    yield "<thead><tr><th scope=col>Scenario<th scope=col>Rung<th scope=col>Result<th scope=col class=n>Time"
    yield "<th scope=col>Differences</tr></thead><tbody>"
    for number, outcome in enumerate(outcomes):
        mine = [other for other in outcomes if other.scenario.name == outcome.scenario.name]
        unlike = "<br>".join(map(escape, differences(mine))) if mine[0] is outcome else ""
        yield (
            f'<tr><td><a href="#s{number}">{escape(outcome.scenario.name)}</a><td>{escape(outcome.rung)}'
            f"<td>{_verdict(outcome)}<td class=n>{outcome.took_s:.2f} s<td>{unlike}</tr>"
        )
    yield "</tbody></table>"


def _section(number: int, outcome: Outcome) -> Iterator[str]:
    scenario = outcome.scenario
    yield f'<section id="s{number}"><h2>{escape(scenario.title)}</h2>'
    yield f"<p>{_verdict(outcome)} · {escape(scenario.name)} · {escape(scenario.game)} · {escape(outcome.rung)}</p>"
    if outcome.why:
        yield f"<pre>{escape(outcome.why)}</pre>"
    yield picture(outcome.timeline, f"Timeline of {scenario.name} on {outcome.rung}; its rows follow as a table")
    moments = outcome.timeline.in_order()
    yield f"<details><summary>{len(moments)} moments</summary><table class=rows>"
    yield "<thead><tr><th scope=col>Second<th scope=col>Kind<th scope=col>Who<th scope=col>What</tr></thead><tbody>"
    yield from map(_moment, _numbered(moments))
    yield "</tbody></table></details></section>"


def _numbered(moments: Sequence[Moment]) -> Iterator[tuple[str, Moment]]:
    step = 0
    for moment in moments:
        step += moment.lane is Lane.STEP
        yield f"step {step}" if moment.lane is Lane.STEP else str(moment.lane), moment


def _moment(row: tuple[str, Moment]) -> str:
    kind, moment = row
    return f"<tr><td class=n>{moment.at_s:.3f}<td>{kind}<td>{escape(moment.who)}<td>{escape(moment.text)}</tr>"


def _verdict(outcome: Outcome) -> str:
    verdict = outcome.verdict
    return f'<span class="verdict {CLASSES[verdict]}">{MARKS[verdict]} {verdict}</span>'
