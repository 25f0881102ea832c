"""Report of `tablectl doctor`: a line for each check, and a remedy.

There is a remedy where something isn't well.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Any, Final

from tablectl import words
from tablectl.lazy_dataclass import dataclass
from tablectl.words import Language
from tablectl.words.reason import reason, retold
from tablectl.words.terminal import cells

_AREA_COLUMNS: Final = 10
_WITH_DETAIL: Final = re.compile(r"(.* \(\d+\)): (.*?)( \((?:serial|tcp|usb):[^()]*\))?", re.DOTALL)


class Level(StrEnum):
    """How well it is."""

    OK = "ok"
    NOTE = "note"
    """It works; somebody may want to know."""
    BAD = "bad"
    """The table can't run, or not as it should, until somebody acts."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Args:
        area: what it is, as `broker` or a device's name.
        key: of its text, below `doctor.`; the text of what to do has `_fix` behind it.
        values: what is put into both texts.
        said: a text in every language that says it in place of `key`'s, where the catalogue has one already.
        fix: likewise what to do.
    """

    area: str
    level: Level
    key: str
    values: Mapping[str, object] = field(default_factory=dict[str, object])
    said: Mapping[str, str] | None = None
    fix: Mapping[str, str] | None = None

    def text(self, language: Language) -> str:
        """Return the finding as text."""
        return (
            _detail_again(self.said[language], language)
            if self.said
            else words.text(f"doctor.{self.key}", language, **self._localized(language))
        )

    def remedy(self, language: Language) -> str:
        """Return the remedy; empty where nothing has to be done."""
        if self.fix:
            return self.fix[language]
        key = f"doctor.{self.key}_fix"
        return words.text(key, language, **self._localized(language)) if key in words.catalogue(language) else ""

    def _localized(self, language: Language) -> dict[str, str]:
        """The values, what a device, a file or the system said told again."""
        return {name: _again(name, str(value), language) for name, value in self.values.items()}


def lines(findings: Sequence[Finding], language: Language) -> Iterator[str]:
    """Yield the findings for a terminal.

    Each has one line, and its remedy the next one. No colour is needed to read them.
    """
    for finding in findings:
        level = words.text(f"doctor.level.{finding.level}", language)
        yield f"{_padded(level, 6)}{_padded(_area(finding.area, language), _AREA_COLUMNS)}  {finding.text(language)}"
        if remedy := finding.remedy(language):
            yield f"{'':{_AREA_COLUMNS + 8}}→ {remedy}"


def verdict(findings: Sequence[Finding], language: Language) -> str:
    """The last line."""
    bad = sum(finding.level is Level.BAD for finding in findings)
    notes = sum(finding.level is Level.NOTE for finding in findings)
    return words.text("doctor.verdict_bad" if bad else "doctor.verdict_well", language, bad=bad, notes=notes)


def form(findings: Sequence[Finding]) -> dict[str, Any]:
    """The findings for programs."""
    return {"well": is_well(findings), "findings": [_form(finding) for finding in findings]}


def is_well(findings: Sequence[Finding]) -> bool:
    """Return True if nothing keeps the table from running."""
    return all(finding.level is not Level.BAD for finding in findings)


def _form(finding: Finding) -> dict[str, Any]:
    return {
        "area": finding.area,
        "level": finding.level.value,
        "key": finding.key,
        "values": {name: str(value) for name, value in finding.values.items()},
        "text": finding.text("en"),
        "fix": finding.remedy("en") or None,
    }


def _area(name: str, language: Language) -> str:
    """Return the name of a finding's area: a device has its own."""
    return words.catalogue(language).get(f"doctor.area.{name}", name)


def _detail_again(said: str, language: Language) -> str:
    """A fault by its text and number; what the driver said behind it is told again."""
    found = _WITH_DETAIL.fullmatch(said)
    return f"{found[1]}: {reason(found[2], language)}{found[3] or ''}" if found else said


def _again(name: str, value: str, language: Language) -> str:
    if name == "remark":  # a key of the configuration, and what there is to know of it
        key, _, remark = value.partition(": ")
        return f"{key}: {retold(remark, language, 'config.remark')}"
    if name == "game" and language != "en":
        return words.text(f"game.{value}", language)
    return reason(value, language) if name in {"why", "status"} else value


def _padded(text: str, columns: int) -> str:
    return text + " " * max(0, columns - cells(text))
