"""The page of rule tables: it names every key that a rule table may have."""

import re
from importlib import import_module

import pytest

from tablectl.core.games import GAMES
from tablectl.core.json_form import Fields
from tests.docs.pages import pages

PAGE = pages()["docs/rule-tables.md"]


@pytest.mark.parametrize("game", GAMES)
def test_every_key_of_a_rule_table_is_named(game: str) -> None:
    rules = import_module(f"tablectl.core.games.{game}.rules")
    keys = {
        name for fields in vars(rules).values() if isinstance(fields, Fields) for name in fields.names if len(name) > 1
    }
    assert keys
    assert not [key for key in keys if not re.search(rf"[\[`. ]{key}[`\] ]", PAGE)]
