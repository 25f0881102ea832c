"""A game's rule table with something wrong in it, and what it is refused with."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablectl.rule_tables import RulesError, read_rule_table


def refusal(folder: Path, table: str, read: Callable[..., Any], old: str, new: str) -> str:
    """Why the table is refused once `new` stands where `old` stood first."""
    assert old in table
    file = folder / "table.toml"
    file.write_text(table.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(RulesError) as refused:
        read_rule_table(file, read)
    return str(refused.value)
