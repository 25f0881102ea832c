"""Settlement of one line of JSON, whatever its game."""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Final, NamedTuple

from tablectl.core.json_form import (
    Fields,
    FormError,
    Json,
    decode,
    encode,
    encode_decoded,
    encode_text,
    object_of,
    read_at,
)
from tablectl.lazy_dataclass import dataclass

Settler = Callable[[Json, Json], str]
"""From the forms `round` and `rules` of a line to an object as text: the output without line, game and id.

Raises `FormError` with a path from the line's top.
"""

Bulk = Callable[[Any], tuple[str, int]]
"""From a decoded round to the output without line, game, id and the opening brace, and the number of fields read.

Raises one of `UNUSUAL` for a round that a `Settler` has to look at. It settles a usual one as the `Settler` does.
"""


class UnusualError(Exception):
    """A line that isn't settled in bulk."""


UNUSUAL: Final = (UnusualError, LookupError, TypeError, ValueError, AttributeError, RecursionError)
"""What is raised on the way when a line isn't as expected."""

_NEEDED: Final = 2
_LINE: Final = Fields.of("game", "round", optional=("id", "rules"))


class SettledLine(NamedTuple):
    """One line of output without its end, and whether it is a settlement or an error."""

    text: str
    settled: bool


def _nothing_usual(_line: bytes) -> Any:
    raise UnusualError


@dataclass(frozen=True, slots=True)
class Settlers:
    """How each known game settles.

    Args:
        by_game: any line of the game.
        bulk: the usual lines of the game, faster; not every game has it.
        decode: the JSON value in a line, for `bulk`: the fastest there is. It may drop a repeated field and raise
            `ValueError` for what it doesn't read.
    """

    by_game: Mapping[str, Settler]
    bulk: Mapping[str, Bulk] = field(default_factory=dict[str, Bulk])
    decode: Callable[[bytes], Any] = _nothing_usual


def settle_line(line: bytes, number: int, settlers: Settlers) -> SettledLine:
    """The output for one line of input.

    Args:
        line: one JSON object in UTF-8.
        number: of the physical line, from 1.
        settlers: of all games.
    """
    try:
        return SettledLine(_settle_usual(line, number, settlers), settled=True)
    except UNUSUAL:
        return _settle_any(line, number, settlers.by_game)


def _settle_usual(line: bytes, number: int, settlers: Settlers) -> str:
    """The output for a line that a game settles in bulk.

    The decoder may drop a repeated field silently. Colons tell: a line without one in a text has one for each field.

    Raises:
        UNUSUAL: another line, or one with an error.
    """
    form = settlers.decode(line)
    game, read = form["game"], len(form)
    settled, fields = settlers.bulk[game](form["round"])
    head = f'{{"line":{number},"game":"{game}",'
    if "id" in form:
        head += f'"id":{encode_text(form["id"])},'
        read -= 1
    if "rules" in form:
        read -= 1
        if form["rules"] != {}:
            raise UnusualError
    if read != _NEEDED or line.count(b":") != len(form) + fields:
        raise UnusualError
    return head + settled


def _settle_any(line: bytes, number: int, games: Mapping[str, Settler]) -> SettledLine:
    """The output for any line, by the reader that knows every error."""
    try:
        return SettledLine(_settle(decode(line), number, games), settled=True)
    except FormError as error:
        return error_line(number, error)


def error_line(number: int, error: FormError) -> SettledLine:
    """The output for a line that can't be settled."""
    form = {"line": number, "error": {"path": error.path, "message": error.message}}
    return SettledLine(encode(form), settled=False)


def _settle(form: Json, number: int, games: Mapping[str, Settler]) -> str:
    fields = object_of(form, _LINE)
    game = fields["game"]
    if not isinstance(game, str) or game not in games:
        raise FormError("game", f"unknown game; known: {', '.join(games)}")
    head = f'{{"line":{number},"game":"{game}",'
    if "id" in fields:
        head += f'"id":{read_at("id", _echo, fields["id"])},'
    return head + games[game](fields["round"], fields.get("rules", {}))[1:]


def _echo(form: Json) -> str:
    try:
        return encode_decoded(form)
    except RecursionError:
        raise FormError("", "nested too deeply") from None
