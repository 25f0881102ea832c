"""Results of scenarios as JUnit's XML, which every CI system reads."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

from tablectl.testing.scenarios.suite import Outcome, Verdict

_NOT_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(outcomes: Sequence[Outcome], file: Path) -> None:
    """Write the report: a suite for each level, a case for each scenario.

    A case has the scenario's timeline as its output.

    Raises:
        OSError: the file can't be written.
    """
    suites = Element("testsuites", name="tablectl dev rig")
    for rung in dict.fromkeys(outcome.rung for outcome in outcomes):
        _suite(suites, rung, [outcome for outcome in outcomes if outcome.rung == rung])
    indent(suites)
    ElementTree(suites).write(file, "utf-8", xml_declaration=True)


def _suite(suites: Element, rung: str, outcomes: Sequence[Outcome]) -> None:
    count = {verdict: sum(outcome.verdict is verdict for outcome in outcomes) for verdict in Verdict}
    suite = SubElement(
        suites,
        "testsuite",
        name=rung,
        tests=str(len(outcomes)),
        failures=str(count[Verdict.OTHERWISE]),
        skipped=str(count[Verdict.NOT_PLAYED]),
        errors="0",
        time=f"{sum(outcome.took_s for outcome in outcomes):.3f}",
    )
    for outcome in outcomes:
        _case(suite, outcome)


def _case(suite: Element, outcome: Outcome) -> None:
    scenario = outcome.scenario
    about = {"classname": f"{outcome.rung}.{scenario.game}", "name": scenario.name, "time": f"{outcome.took_s:.3f}"}
    case = SubElement(suite, "testcase", about, file=str(scenario.path or ""))
    if outcome.verdict is Verdict.OTHERWISE:
        SubElement(case, "failure", message=_clean(outcome.why.partition("\n")[0])).text = _clean(outcome.why)
    elif outcome.verdict is Verdict.NOT_PLAYED:
        SubElement(case, "skipped", message=_clean(outcome.why))
    lines = [scenario.title, *map(str, outcome.timeline.in_order())]
    SubElement(case, "system-out").text = _clean("\n".join(lines))


def _clean(text: str) -> str:
    """The text without what XML can't hold."""
    return _NOT_XML.sub("�", text)
