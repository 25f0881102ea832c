"""Facts in a few words, for people who look at a timeline."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from tablectl.shell.wire import plain


def in_words(body: Any) -> str:
    """A fact's name and what it says."""
    said = {item.name: plain(getattr(body, item.name)) for item in fields(body)} if is_dataclass(body) else {}
    return named(type(body).__name__, said)


def named(name: str, said: Mapping[str, Any]) -> str:
    """A name and the fields that say something."""
    return " ".join([name, *(f"{key}={value}" for key, value in said.items() if value not in (None, "", [], {}))])
