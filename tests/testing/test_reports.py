"""The reports of what came of scenarios."""

import asyncio
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.testing.levels.levels import CoreLevel
from tablectl.testing.reports import Axis, page, picture, write_html, write_junit
from tablectl.testing.scenarios.parser import read_scenario
from tablectl.testing.scenarios.suite import Outcome, Verdict, differences, played
from tablectl.testing.timeline import Lane, Timeline
from tablectl.words.terminal import visible

SCENARIOS = Path(__file__).parents[1] / "scenarios"
WRONG = 'title = "<b>wrong</b> & so on"\ngame = "q_poker"\nsteps = [\n  {see = "round.opened"},\n]\n'


@pytest.fixture(name="right")
def _right() -> Outcome:
    return asyncio.run(played(read_scenario(SCENARIOS / "q_round_from_the_shoe.toml"), CoreLevel()))


@pytest.fixture(name="wrong")
def _wrong(tmp_path: Path) -> Outcome:
    (tmp_path / "wrong.toml").write_text(WRONG)
    return asyncio.run(played(read_scenario(tmp_path / "wrong.toml"), CoreLevel()))


def test_junit_counts_and_names_what_failed(tmp_path: Path, right: Outcome, wrong: Outcome) -> None:
    write_junit([right, wrong], tmp_path / "report.xml")
    (suite,) = ElementTree.parse(tmp_path / "report.xml").getroot()
    assert {key: suite.get(key) for key in ("name", "tests", "failures", "skipped")} == {
        "name": "core",
        "tests": "2",
        "failures": "1",
        "skipped": "0",
    }
    good, bad = suite
    assert (good.get("classname"), good.get("name")) == ("core.q_poker", "q_round_from_the_shoe")
    assert "round.settled" in (good.findtext("system-out") or "")
    failure = bad.find("failure")
    assert failure is not None
    assert str(failure.get("message")).endswith("wrong.toml:4: wrong, step 1: see = 'round.opened'")


def test_junit_survives_what_xml_cannot_hold(tmp_path: Path, right: Outcome) -> None:
    right.timeline.note(Lane.MESSAGE, "", "a\x00b\x1b")
    write_junit([right], tmp_path / "report.xml")
    assert "a�b�" in (ElementTree.parse(tmp_path / "report.xml").getroot().findtext(".//system-out") or "")


class _Tags(HTMLParser):
    """What stands open, and what was closed that didn't."""

    EMPTY = frozenset({"meta", "br", "tr", "td", "th", "path", "line", "rect", "circle"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.EMPTY:
            assert self.open.pop() == tag


def test_page_is_whole_and_shows_no_markup_of_a_scenario(tmp_path: Path, right: Outcome, wrong: Outcome) -> None:
    write_html([right, wrong], tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text("utf-8")
    tags = _Tags()
    tags.feed(text)
    assert tags.open == []
    assert "&lt;b&gt;wrong&lt;/b&gt; &amp; so on" in text
    assert "<b>" not in text
    assert "http" not in text.replace("http-equiv", "")


def test_the_page_tells_in_words_what_the_picture_shows(right: Outcome) -> None:
    text = page([right])
    assert 'role="img" aria-label="Timeline of q_round_from_the_shoe on core; its rows follow as a table"' in text
    assert text.count('<g class="message"') == sum(one.lane is Lane.MESSAGE for one in right.timeline.moments) - 1
    assert "<td>step 8<td>" in text


def test_every_kind_has_a_form_of_its_own_in_picture() -> None:
    timeline = Timeline(clock_s=iter([float(number) for number in range(9)]).__next__)
    for lane in Lane:
        timeline.note(lane, "shoe", "x")
    drawn = picture(timeline, "all kinds")
    assert [kind for kind in ("to-table", "to-device", "fact", "message") if f'class="{kind}"' in drawn] == [
        "to-table",
        "to-device",
        "fact",
        "message",
    ]


@pytest.mark.parametrize("span_s", [0.0, 0.0003, 0.04, 1.0, 7.3, 330.0])
def test_an_axis_has_a_readable_number_of_marks(span_s: float) -> None:
    assert 2 <= len(list(Axis(5.0, 5.0 + span_s).marks())) <= 10


def test_kind_of_event_differing_between_levels_is_a_difference(right: Outcome) -> None:
    published = right.published + Counter({"fault.raised 102": 1})
    other = Outcome(right.scenario, "pty", Verdict.PASSED, "", 1.0, Timeline(), published)
    assert differences([right, other]) == ["fault.raised 102: core 0, pty 1"]
    assert differences([right, Outcome(right.scenario, "pty", Verdict.FAILED, "x", 1.0, Timeline())]) == []


def test_the_command_plays_tells_and_reports(tmp_path: Path) -> None:
    (tmp_path / "wrong.toml").write_text(WRONG)
    (tmp_path / "zoo.toml").write_text((SCENARIOS / "w_round.toml").read_text("utf-8"))
    reports = ["--junit", str(tmp_path / "j.xml"), "--html", str(tmp_path / "h.html")]
    result = CliRunner().invoke(main, ["dev", "rig", "run", str(tmp_path), "--level", "core", *reports])
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert lines[0].startswith("failed ")
    assert lines[-2].startswith("passed")
    assert lines[-1] == "2 scenarios: 1 passed, 1 failed, 0 skipped"
    assert "<testsuites" in (tmp_path / "j.xml").read_text()
    assert "passed" in (tmp_path / "h.html").read_text()


def test_titles_of_others_move_no_cursor(tmp_path: Path) -> None:
    text = (SCENARIOS / "w_round.toml").read_text("utf-8")
    hostile = re.sub(r'^title = "', r'title = "\\u001b[2Jpassed\\u202e', text, count=1, flags=re.MULTILINE)
    assert hostile != text
    (tmp_path / "zoo.toml").write_text(hostile)
    result = CliRunner().invoke(main, ["dev", "rig", "run", str(tmp_path), "--level", "core", "--timeline"])
    assert result.exit_code == 0
    assert result.output.splitlines()[-1] == "1 scenario: 1 passed, 0 failed, 0 skipped"
    assert visible(result.output.replace("\n", "")) == result.output.replace("\n", "")


def test_command_reports_all_bad_files_before_playing(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(WRONG.replace("see", "sea"))
    (tmp_path / "b.toml").write_text(WRONG.replace("q_poker", "poker"))
    result = CliRunner().invoke(main, ["dev", "rig", "run", str(tmp_path), "--level", "core"])
    assert result.exit_code == 65
    assert [line.partition("toml:")[2] for line in result.output.splitlines() if "toml:" in line] == [
        "4: no step begins with `sea`",
        "2: there is no game 'poker'",
    ]


def test_level_that_is_not_there_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scenario = str(SCENARIOS / "w_round.toml")
    cable = CliRunner().invoke(main, ["dev", "rig", "run", scenario, "--level", "cable"])
    assert (cable.exit_code, "config/rig.example.toml shows one" in cable.output) == (69, True)
    (tmp_path / "rig.toml").write_text('[vm]\nprovider = "nobody.at_home:level"\n')
    guest = CliRunner().invoke(main, ["dev", "rig", "run", scenario, "--level", "vm", "--rig", "rig.toml"])
    assert guest.exit_code == 69
    assert "there is no virtual machine here (No module named 'nobody'): in a checkout of tablectl" in guest.output


def test_a_guest_that_was_not_built_says_who_builds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    guest = CliRunner().invoke(main, ["dev", "rig", "run", str(SCENARIOS / "w_round.toml"), "--level", "vm"])
    assert guest.exit_code == 69
    assert "the guest isn't built: there is no build/rig/system.key; `make rig` builds it" in guest.output
