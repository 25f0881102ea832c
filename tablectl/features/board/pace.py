"""Pace of a period's rounds: by the hour, by their parts, and the faults seen."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tablectl import words
from tablectl.history.explain.text import folded, table
from tablectl.words import Language

HOURS: Final = 24
"""So many of the last hours; all of them are in the JSON form."""


def pace_text(counts: Mapping[str, Any], language: Language, columns: int | None = None) -> Iterator[str]:
    """Lines with the statistics next to the counts, for a terminal.

    A kind of which there is nothing has no line.
    """
    if hours := counts["hours"][-HOURS:]:
        told = (f"{each['hour'][5:].replace('T', ' ')}:00 {each['settled'] + each['void']}" for each in hours)
        yield ""
        yield from folded(f"{_say('per_hour', language)}: {' · '.join(told)}", "    ")
    if parts := counts["parts"]:
        yield ""
        yield f"{_say('durations', language)}:"
        head = tuple(_say(key, language) for key in ("part", "median", "ninth", "longest"))
        yield from table(
            [head, *(_part(each, language) for each in parts)], right={1, 2, 3}, most=(26, 16, 16, 16), columns=columns
        )
    if faults := counts["faults"]:
        yield ""
        told = (f"{each['code']} ×{each['times']}" for each in faults)
        yield from folded(f"{_say('faults_seen', language)}: {' · '.join(told)}", "    ")


def _part(part: Mapping[str, Any], language: Language) -> tuple[str, ...]:
    figures = (f"{part[key]:.1f} s" for key in ("median_s", "ninth_s", "longest_s"))
    return _say(f"parts.{part['part']}", language), *figures


def _say(key: str, language: Language) -> str:
    return words.text(f"page.surveillance.{key}", language)
