"""Settles one line of JSON, whatever its game."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from tablectl.core.forms import Fields, FormError, Json, decode, encode, encode_decoded, object_of, read_at

Settler = Callable[[Json, Json], str]
"""From the forms `round` and `rules` of a line to an object as text: the output without line, game and id.

Raises `FormError` with a path from the line's top.
"""

_LINE: Final = Fields.of("game", "round", optional=("id", "rules"))


@dataclass(frozen=True, slots=True)
class SettledLine:
    """One line of output without its end, and whether it is a settlement or an error."""

    text: str
    settled: bool


def settle_line(line: bytes, number: int, games: Mapping[str, Settler]) -> SettledLine:
    """The output for one line of input.

    Args:
        line: one JSON object in UTF-8.
        number: of the physical line, from 1.
        games: how each known game settles.
    """
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
