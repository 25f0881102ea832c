"""Requests as a page offers them: label, fields, and the roles that may make them."""

from collections.abc import Collection, Mapping
from dataclasses import MISSING, Field, fields
from types import MappingProxyType
from typing import Any, Final

from tablectl import words
from tablectl.console.auth.people import Role
from tablectl.console.requests.table import VERBS
from tablectl.console.requests.verb import Verb
from tablectl.core.events.text import saying
from tablectl.core.facts import Bookmarked
from tablectl.core.facts.game_requests import Dealing, Shuffle

EVERY: Final = frozenset({"request_id", "round_id", "seen", "second"})
"""The fields that no page asks a person for, beside the second person's."""

TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "place": "place",
        "bettor": "bettor",
        "bet": "bet",
        "stake": "money",
        "capital": "money",
        "share": "money",
        "decision": "decision",
        "kind": "kind",
        "flaw": "kind",
        "card": "card",
        "cards": "cards",
        "rows": "tiers",
        "dice": "dice",
        "section": "section",
        "turns": "number",
        "index": "number",
        "count": "number",
        "code": "number",
        "device": "text",
        "reason": "text",
        "corrects": "text",
        "changes": "changes",
        "name": "text",
        "note": "text",
        "sequence": "number",
        "dealing": "choice",
        "shuffle": "choice",
    }
)
"""What a person enters into a field, by its name; a place that only bettors have is a seat."""

CHOICES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({"dealing": tuple(Dealing), "shuffle": tuple(Shuffle)})

_KIND_OF_REASON: Final = "invalidate_spin"
"""Its reason is one of the kinds that the game names; anywhere else a reason is a text."""


def verbs_form(known: Collection[str] | None) -> list[dict[str, Any]]:
    """The requests that a table takes, in the order of the table of verbs.

    Args:
        known: those that its game knows; all where nobody has said.
    """
    return [_verb(name, verb) for name, verb in VERBS.items() if known is None or name in known or _is_anybodys(verb)]


def _is_anybodys(verb: Verb) -> bool:
    """Return True if the request doesn't depend on the game."""
    return verb.asks is Bookmarked


def _verb(name: str, verb: Verb) -> dict[str, Any]:
    own = [field for field in fields(verb.asks) if field.name not in EVERY]  # its form would take long to make
    return {
        "verb": name,
        "label": words.say(saying(f"page.verb.{name}")),
        "fields": [_field(name, field) for field in own],
        "roles": [role for role in Role if role in verb.roles],
        "second": bool(verb.second),
    }


def _field(verb: str, field: Field[Any]) -> dict[str, Any]:
    kind = "kind" if (verb, field.name) == (_KIND_OF_REASON, "reason") else TYPES.get(field.name, "text")
    if kind == "place" and field.type is int:
        kind = "seat"
    told: dict[str, Any] = {"name": field.name, "type": kind, "optional": field.default is not MISSING}
    return {**told, "choices": list(CHOICES[field.name])} if field.name in CHOICES else told
