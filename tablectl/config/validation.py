"""Deviations from the form of a configuration, in words for a technician."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from tablectl.config.devices import KINDS, Identity
from tablectl.config.errors import Complaint, KeyPath, Text, render, worded
from tablectl.config.games import Stakes
from tablectl.config.models import Config, PersonSection, SubscriberSection
from tablectl.config.source import value_at
from tablectl.rule_tables import GAMES

TEXTS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "string_type": ("string_type", ""),
        "int_type": ("int_type", ""),
        "float_type": ("float_type", ""),
        "bool_type": ("bool_type", ""),
        "model_type": ("table_type", ""),
        "dict_type": ("table_type", ""),
        "mapping_type": ("table_type", ""),
        "tuple_type": ("tuple_type", ""),
        "too_short": ("too_short", "min_length"),
        "greater_than_equal": ("greater_than_equal", "ge"),
        "less_than_equal": ("less_than_equal", "le"),
        "union_tag_not_found": ("kind_missing", ""),
    }
)
"""What pydantic finds, by its kind: our text below `config`, and which figure of the finding stands in it."""

MESSAGES: Final = {
    kind: render(worded(key, least=f"{{{figure}}}", most=f"{{{figure}}}", kinds="{expected}"))
    for kind, (key, figure) in TEXTS.items()
}
"""The same in English, their figures unfilled."""

_EXPECTED: Final = re.compile(r"'([^']*)'|(\d+)")


def misfits(error: ValidationError, tree: Mapping[str, Any]) -> tuple[Complaint, ...]:
    """Everything in the tree that isn't of the form, in the order of the form's keys."""
    return tuple(_complaint(detail, tree) for detail in error.errors(include_url=False, include_input=False))


def form_at(path: KeyPath, tree: Mapping[str, Any]) -> type[BaseModel] | None:
    """Return the model of the table at the path.

    None where the configuration has no table of a fixed form.
    """
    match path:
        case ():
            return Config
        case ("people", _):
            return PersonSection
        case ("subscribers", _):
            return SubscriberSection
        case ("devices", _):
            return KINDS.get(str(value_at(tree, (*path, "kind"))))
        case ("devices", _, "expect"):
            return Identity
        case (game, "stakes") if game in GAMES:
            return Stakes
        case (section,) if section in Config.model_fields:
            kind = Config.model_fields[section].annotation
            return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None
        case _:
            return None


def nearest(wrong: object, known: list[str]) -> str:
    """The known word that may have been meant; empty where none is near."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake pays for it

    return next(iter(get_close_matches(str(wrong).lower(), known, n=1)), "")


def _complaint(detail: ErrorDetails, tree: Mapping[str, Any]) -> Complaint:
    path, context = _path(detail), detail.get("ctx", {})
    match detail["type"]:
        case "house":
            return Complaint(path, context["said"], hint=context["advice"])
        case "extra_forbidden":
            return _unknown_key(path, tree)
        case "missing":
            return _missing_key(path, tree)
        case "literal_error":
            wrong = path[-1] if detail["loc"][-1] == "[key]" else value_at(tree, path)
            return _not_a_choice(path, wrong, context["expected"])
        case "union_tag_invalid":
            path = (*path, "kind")
            return _not_a_choice(path, value_at(tree, path), context["expected_tags"])
        case kind:
            return Complaint(path, _finding(kind, context) if kind in TEXTS else worded("unfit", why=detail["msg"]))


def _finding(kind: str, context: Mapping[str, Any]) -> Text:
    key, figure = TEXTS[kind]
    bound = context.get(figure, "")
    return worded(key, least=bound, most=bound, kinds=_listed(list(KINDS)))


def _path(detail: ErrorDetails) -> KeyPath:
    """Where in the file, without the steps that only the models have."""
    steps = [str(step) for step in detail["loc"] if step != "[key]"]
    if steps[0] == "devices" and len(steps) > 2 and detail["loc"][2] != "[key]":
        del steps[2]  # the device's kind, by which its form is chosen
    return tuple(steps)


def _unknown_key(path: KeyPath, tree: Mapping[str, Any]) -> Complaint:
    form = form_at(path[:-1], tree)
    known = list(form.model_fields) if form else []
    meant = nearest(path[-1], known)
    return Complaint(path, worded("no_such_key"), meant, "" if meant else worded("known_here", keys=", ".join(known)))


def _missing_key(path: KeyPath, tree: Mapping[str, Any]) -> Complaint:
    form = form_at(path[:-1], tree)
    what = form.model_fields[path[-1]].description if form and path[-1] in form.model_fields else None
    return Complaint(path, worded("key_required_what", what=what) if what else worded("table_required"))


def _not_a_choice(path: KeyPath, value: object, expected: str) -> Complaint:
    choices = [text or number for text, number in _EXPECTED.findall(expected)]
    quoted = "_quoted" if "'" in expected and not isinstance(value, str) else ""
    few = "one_of" if len(choices) > 1 else "only"
    return Complaint(path, worded(f"{few}{quoted}", choices=_listed(choices)), nearest(value, choices))


def _listed(words: list[str]) -> str:
    return ", ".join(words)
