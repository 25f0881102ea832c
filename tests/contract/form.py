"""What a value has to look like: each check says whether a decoded JSON value is one."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

Form = dict[str, Any]
Check = Callable[[Any], bool]

CARD = re.compile(r"[AKQJT98765432][shcd]")
LANGUAGES = {"en", "pt", "zh-Hant"}
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_MONEY = re.compile(r"(0|[1-9]\d*)(\.\d\d?)?")


def text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def any_text(value: Any) -> bool:
    return isinstance(value, str)


def flag(value: Any) -> bool:
    return isinstance(value, bool)


def count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def one_of(*values: str) -> Check:
    return lambda value: isinstance(value, str) and value in values


def or_null(check: Check) -> Check:
    return lambda value: value is None or check(value)


def list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(check(item) for item in value)  # pyright: ignore[reportUnknownVariableType]


def mapping_of(check: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(text(key) and check(item) for key, item in value.items())  # pyright: ignore[reportUnknownVariableType]


def with_fields(**fields: Check) -> Check:
    return lambda value: isinstance(value, dict) and not wrong_fields(value, fields)  # pyright: ignore[reportUnknownArgumentType]


def instant(value: Any) -> bool:
    """RFC 3339 in UTC with exactly six decimals."""
    if not (isinstance(value, str) and _TIME.fullmatch(value)):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def stake(value: Any) -> bool:
    """Money as a decimal string, more than nothing."""
    return isinstance(value, str) and _MONEY.fullmatch(value) is not None and Decimal(value) > 0


def amount(value: Any) -> bool:
    """Money with two places, which may be nothing or less."""
    return isinstance(value, str) and re.fullmatch(r"-?(0|[1-9]\d*)\.\d\d", value) is not None and value != "-0.00"


def card(value: Any) -> bool:
    return isinstance(value, str) and CARD.fullmatch(value) is not None


def place(value: Any) -> bool:
    """A betting position of Q Poker."""
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 16


def hand_place(value: Any) -> bool:
    return place(value) or value == "dealer"


def languages(value: Any) -> bool:
    """A text in all three languages."""
    return isinstance(value, dict) and set(value) == LANGUAGES and all(map(text, value.values()))  # pyright: ignore[reportUnknownArgumentType]


def article(value: Any) -> bool:
    """An article of 89/2004 that exists, or the house's own limits."""
    return value == "table" or value in _ARTICLES


def wrong_fields(form: Mapping[str, Any], checks: Mapping[str, Check]) -> Iterator[str] | list[str]:
    """The names of fields that are missing or malformed."""
    return [name for name, check in checks.items() if name not in form or not check(form[name])]


def strings(value: Any) -> Iterator[str]:
    """Every text in a value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield from strings(key)
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:  # pyright: ignore[reportUnknownVariableType]
            yield from strings(item)


def cards_named(value: Any) -> set[str]:
    """Every card named in a value: alone in a text, or in one that has nothing but cards."""
    lists = (re.split(r"[ ,;]+", item.strip()) for item in strings(value))
    return {item for items in lists if all(map(CARD.fullmatch, items)) for item in items}


# What the law numbers: articles 2 and 5 in numbers ("5.1"), the others in points ("11(3)").
_POINTS = {1: 3, 3: 2, 4: 3, 6: 4, 7: 2, 8: 6, 9: 7, 10: 5, 11: 5}
_ARTICLES = (
    {str(number) for number in range(1, 12)}
    | {f"{number}.{part}" for number in (2, 5) for part in (1, 2)}
    | {f"{number}({point})" for number, points in _POINTS.items() for point in range(1, points + 1)}
)
