"""What came of the rig's checks: JUnit for machines, one page with a timeline for each check for people."""

import html
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as Xml

_STYLE = """body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:62em;padding:0 1em;color:#1a1a1a}
h1{font-size:1.5em}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.25em .6em;vertical-align:top}
tr{border-bottom:1px solid #ddd}
.at{text-align:right;white-space:nowrap;color:#555;font-variant-numeric:tabular-nums}
.bad{color:#a00000;font-weight:600}.good{color:#00602b;font-weight:600}details{margin:.4em 0}summary{cursor:pointer}"""


@dataclass(slots=True)
class Check:
    """One thing that was tried: what happened when, and what was wrong with it.

    Args:
        lines: what happened, each with the seconds since the check began.
    """

    name: str
    told: Callable[[str], None] = lambda _line: None
    began_s: float = field(default_factory=time.monotonic)
    took_s: float = 0.0
    lines: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])
    wrong: list[str] = field(default_factory=list[str])

    def say(self, line: str) -> None:
        """Notes what happens now."""
        self.lines.append((time.monotonic() - self.began_s, line))
        self.told(f"  {line}")

    def fail(self, why: str) -> None:
        """Notes what is wrong."""
        self.say(f"WRONG: {why}")
        self.wrong.append(why)

    def want(self, held: object, why: str) -> None:
        """Notes that something is wrong, unless it holds."""
        if not held:
            self.fail(why)


@dataclass(slots=True)
class Report:
    """All checks of one run.

    Args:
        told: hears at once what happens.
    """

    title: str
    told: Callable[[str], None] = lambda _line: None
    checks: list[Check] = field(default_factory=list[Check])

    @contextmanager
    def check(self, name: str) -> Generator[Check]:
        """A check; what is raised in it is wrong with it, and doesn't end the run."""
        check = Check(name, self.told)
        self.told(f"{name}:")
        self.checks.append(check)
        try:
            yield check
        except Exception as error:  # noqa: BLE001  # the next check can be made all the same
            notes = " ".join(getattr(error, "__notes__", ()))
            check.fail(f"{type(error).__name__}: {error} {notes}".strip())
        finally:
            check.took_s = time.monotonic() - check.began_s

    @property
    def wrong(self) -> int:
        """How many checks went wrong."""
        return sum(bool(check.wrong) for check in self.checks)

    def write(self, folder: Path) -> Path:
        """Writes `report.xml` and `report.html`; returns the page."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "report.xml").write_bytes(self._junit())
        page = folder / "report.html"
        page.write_text(self._page(), encoding="utf-8")
        return page

    def _junit(self) -> bytes:
        suite = Xml.Element("testsuite", name=self.title, tests=str(len(self.checks)), failures=str(self.wrong))
        for check in self.checks:
            group, _, name = check.name.partition(".")
            case = Xml.SubElement(suite, "testcase", classname=group, name=name, time=f"{check.took_s:.3f}")
            if check.wrong:
                Xml.SubElement(case, "failure", message=_printable(check.wrong[0])).text = _printable(
                    "\n".join(check.wrong)
                )
            Xml.SubElement(case, "system-out").text = _printable(
                "\n".join(f"{at:9.3f}  {line}" for at, line in check.lines)
            )
        return bytes(Xml.tostring(suite, encoding="utf-8", xml_declaration=True))

    def _page(self) -> str:
        say = html.escape
        summary = f"{len(self.checks)} checks, {self.wrong} went wrong"
        parts = [
            "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
            f"<title>{say(self.title)}</title><style>{_STYLE}</style><h1>{say(self.title)}</h1><p>{summary}</p>",
            *[_section(check) for check in self.checks],
        ]
        return "\n".join([*parts, "</html>\n"])


def _section(check: Check) -> str:
    verdict = "<span class=bad>wrong</span>" if check.wrong else "<span class=good>well</span>"
    rows = "".join(
        f"<tr><td class=at>{at:.2f} s<td{' class=bad' if line.startswith('WRONG') else ''}>{html.escape(line)}"
        for at, line in check.lines
    )
    opened = " open" if check.wrong else ""
    head = f"<summary>{verdict} {html.escape(check.name)}, {check.took_s:.1f} s</summary>"
    return f"<details{opened}>{head}<table>{rows}</table></details>"


def _printable(text: str) -> str:
    """What XML can hold of a text."""
    return "".join(sign for sign in text if sign in "\n\t" or sign >= " ")
