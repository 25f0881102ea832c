"""`tablectl fault`: what a fault of the catalogue means, and what to do about it."""

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import click

from tablectl import words
from tablectl.core.faults import CATALOGUE, Code, Entry
from tablectl.features.common.options import with_language
from tablectl.features.common.output import write_json, write_line
from tablectl.words import Language

LABELS: Final[Mapping[Language, tuple[str, str]]] = MappingProxyType(
    {"en": ("dealer", "technician"), "pt": ("croupier", "técnico"), "zh-Hant": ("荷官", "技術員")}
)
"""Who has to do something, in each language."""


@click.command("fault")
@click.argument("code", required=False, type=int)
@with_language
@click.option("--json", "as_json", is_flag=True, help="A JSON object in a line for each.")
def fault(code: int | None, lang: Language, *, as_json: bool) -> None:
    """Prints what the fault CODE means.

    It also says what dealer and technician do; without CODE, all faults, a line each.

    \b
    Exit codes:
      0  printed     64  there is no such fault
    """  # noqa: D301  # click wants the character itself
    language = lang
    if as_json and (code is None or code in CATALOGUE):
        for known in sorted(CATALOGUE) if code is None else [Code(code)]:
            write_json(_form(known, CATALOGUE[known], language))
        return
    if code is None:
        for known, entry in sorted(CATALOGUE.items()):
            write_line(f"{known}  {texts(entry, language)[0]}")
        return
    if code not in CATALOGUE:
        write_line(f"tablectl: {words.text('cli.fault.unknown', language, code=code)}", err=True)
        raise SystemExit(os.EX_USAGE)
    entry = CATALOGUE[Code(code)]
    text, dealer, technician = texts(entry, language)
    label_dealer, label_technician = LABELS[language]
    write_line(f"{code}  {text}")
    clears = words.text(f"authority.{entry.clears}", language)
    write_line(f"{entry.key}, {weight(entry, language)}; {clears}")
    write_line(f"{label_dealer}: {dealer}")
    write_line(f"{label_technician}: {technician}")


def _form(code: Code, entry: Entry, language: Language) -> dict[str, Any]:
    text, dealer, technician = texts(entry, language)
    told = {"severity": entry.severity, "clears": entry.clears, "stops_rounds": entry.stops_rounds}
    return {"code": code, "key": entry.key, **told, "text": text, "dealer": dealer, "technician": technician}


def texts(entry: Entry, language: Language) -> tuple[str, str, str]:
    """Return a fault's text, the dealer's action and the technician's action."""
    text, dealer, technician = (words.text(f"fault.{entry.key}.{part}", language) for part in _PARTS)
    return text, dealer, technician


def weight(entry: Entry, language: Language = "en") -> str:
    """How bad it is, and what it stops."""
    stops = "stops_rounds" if entry.stops_rounds else "spoils_deal" if entry.spoils_deal else ""
    severity = words.text(f"severity.{entry.severity}", language)
    return f"{severity}, {words.text(f'cli.fault.{stops}', language)}" if stops else severity


_PARTS: Final = ("text", "dealer", "technician")
