"""Amendments in words, with the records and messages that they struck.

A line has the fact as it was recorded and as it is now.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from tablectl import words
from tablectl.history.explain.model import Form, inside, listed
from tablectl.history.explain.phrases import say_fields
from tablectl.history.language import Speech
from tablectl.lazy_dataclass import dataclass
from tablectl.words import Language

_REPORTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "card": "card_drawn",
        "packet": "packet_delivered",
        "dice": "dice_thrown",
        "spin": "spin_stopped",
        "draw": "draw_committed",
        "shown_draw": "draw_shown",
    }
)
"""The fact that each report of a device is; a request is called as the dealer's page calls it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The effect of an amendment on a record.

    Args:
        by: the record of the amendment.
        struck: whether it didn't happen; otherwise it was put right.
    """

    by: int
    struck: bool


def marks(amendments: Iterable[tuple[int, Form]]) -> Mapping[int, Mark]:
    """The effects of amendments on records, by the records' numbers.

    The effect of an amendment that was struck itself is undone.

    Args:
        amendments: record and data of each, in order.
    """
    found: dict[int, Mark] = {}
    for record, data in reversed([*amendments]):
        if record in found and found[record].struck:
            continue
        for change in listed(data, "changes"):
            if (named := change.get("record")) is not None:
                found.setdefault(named, Mark(record, change.get("now") is None))
    return found


def amended_lines(speaks: Speech, language: Language, data: Form) -> Iterator[str]:
    """The lines of an amendment.

    They have its changes, the facts that are asked for again, and the amounts to pay and to take back.
    """
    for change in listed(data, "changes"):
        yield _change(speaks, language, change)
    for fact in listed(data, "asks_again"):
        said = inside(fact, "text").get(language) or fact["code"]
        if fact["record"] is not None:
            yield speaks.label("amended_unlawful", record=fact["record"], fact=_called(language, fact), text=said)
    for key, label in (("to_pay", "amended_to_pay"), ("to_take_back", "amended_to_take_back")):
        yield from (speaks.label(label, **each) for each in listed(data, key))


def _change(speaks: Speech, language: Language, change: Form) -> str:
    was, now = (_said(speaks, language, change, key) for key in ("was", "now"))
    about = {"record": change.get("record"), "fact": _called(language, change)}
    if change.get("record") is None:
        return speaks.label("amended_inserted", **{**about, "record": change["after"]}, now=now)
    if change.get("now") is None:
        return speaks.label("amended_struck", **about, was=was) if was else speaks.label("amended_undone", **about)
    if was == now:
        return speaks.label("amended_hidden", **about)
    return speaks.label("amended_fact", **about, was=was, now=now)


def _called(language: Language, change: Form) -> str:
    verb = str(change.get("verb") or "")
    key = f"explain.fact.{_REPORTS[verb]}" if verb in _REPORTS else f"page.verb.{verb}"
    return words.catalogue(language).get(key, verb)


def _said(speaks: Speech, language: Language, change: Form, key: str) -> str:
    verb = str(change["verb"])
    return say_fields(language, speaks, _REPORTS.get(verb, verb), inside(change, key))
