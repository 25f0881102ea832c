"""Texts of strangers on a terminal: what would move its cursor, or turn a line around, is shown as a mark."""

import re
from typing import Any, Final, cast

_UNSEEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_MARK: Final = "\ufffd"


def visible(text: str) -> str:
    """The text on one line, with a mark for each character that a terminal would obey or can't be given."""
    return _UNSEEN.sub(_MARK, text)


def visible_form(value: Any) -> Any:
    """A JSON value, its texts and the names of its fields made `visible`.

    Raises:
        RecursionError: it is nested too deep.
    """
    match value:
        case str():
            return visible(value)
        case dict():
            form = cast("dict[str, Any]", value)
            return {visible_form(name): visible_form(inner) for name, inner in form.items()}
        case list():
            return [visible_form(inner) for inner in cast("list[object]", value)]
        case _:
            return value
