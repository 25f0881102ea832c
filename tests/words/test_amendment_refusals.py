"""What an amendment can be refused with, in every language of the house."""

import ast
import string
from importlib.resources import files
from typing import Final

import pytest

from tablectl import words
from tablectl.words import LANGUAGES, Language

MODULES: Final = (
    "core/amending/amendments.py",
    "core/amending/case.py",
    "core/amending/refusals.py",
    "core/table.py",
    "daemon/requests/amendment_edits.py",
    "daemon/requests/round_past.py",
)
"""Where amendments are judged: by the rules, by their forms, by the journal, and by what the asker has seen."""

KNOWN: Final = {
    "stale_screen", "no_such_round", "round_out_of_reach", "not_of_the_round", "not_amendable", "not_insertable",
    "wrong_field", "card_lies_face_down", "card_lies_open_elsewhere", "incomplete", "supervisor_needed",
    "two_persons_needed", "too_many_changes",
}  # fmt: skip
"""The codes that the API's page and the contract name, so that a scan that finds nothing fails."""


def refusals() -> dict[str, set[str]]:
    """Every key of a refusal there, and the values that it is given."""
    found: dict[str, set[str]] = {}
    for name in MODULES:
        for node in ast.walk(ast.parse(files("tablectl").joinpath(name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "saying":
                (key,) = node.args
                if isinstance(key, ast.Constant) and str(key.value).startswith("refuse."):
                    found.setdefault(str(key.value), set()).update(str(word.arg) for word in node.keywords)
    return found


def test_every_way_to_refuse_an_amendment_is_found() -> None:
    assert {f"refuse.{code}" for code in KNOWN} <= refusals().keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_of_an_amendment_has_its_own_text(language: Language) -> None:
    catalogue = words.catalogue(language)
    for key, given in refusals().items():
        asked = {name for _, name, _, _ in string.Formatter().parse(catalogue.get(key, "")) if name}
        assert catalogue.get(key), key
        assert asked <= given, key
        others = [words.catalogue(other)[key] for other in LANGUAGES if other != language]
        assert catalogue[key] not in others, key
