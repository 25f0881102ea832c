"""Source of a configuration: TOML, overrides, and the position of each key."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from tablectl.config.errors import Complaint, ConfigError, KeyPath, Position, Problem, worded
from tablectl.edited_files import WrongByteError, read_text, read_toml
from tablectl.lazy_dataclass import dataclass

SHOWN_MAX: Final = 60

Tree = dict[str, Any]
Token = tuple[str, Position]

# In text that has been parsed already, this much tells keys from values: strings, comments, an instant with a
# blank inside, brackets, and runs of anything else.
_TOKEN: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|' + r"'''.*?'{3,5}" + r'|"(?:\\.|[^"\\])*"' + r"|'[^']*'"
    r"|\#[^\n]*|\d{4}-\d\d-\d\d \d[^\s,\]}]*|[^\s\[\]{},=\#\"']+|[\[\]{},=\n]",
    re.DOTALL,
)
_AT: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_OPENS: Final = "["
_BETWEEN: Final = frozenset({",", "\n", "]"})
_SYNTAX_HINTS: Final = {
    "Invalid value": "quotes_hint",
    "Cannot overwrite": "key_twice_hint",
    "Cannot declare": "table_twice_hint",
    "Illegal character": "quote_hint",
}


@dataclass(frozen=True, slots=True)
class Source:
    """A configuration before it is checked.

    Args:
        overridden: the keys that were set over the file.
    """

    file: str
    text: str
    tree: Mapping[str, Any]
    overridden: frozenset[KeyPath]


def read_source(path: Path, overrides: Mapping[str, str]) -> Source:
    """The file with its overrides in place.

    Args:
        overrides: dotted keys with TOML values; what isn't one is a text.

    Raises:
        OSError: the file can't be read.
        ConfigError: it isn't TOML in UTF-8, or an override leads nowhere.
    """
    text = _text(path)
    tree = _parsed(str(path), text)
    for key, value in overrides.items():
        _override(tree, key, value)
    return Source(str(path), text, tree, frozenset(tuple(key.split(".")) for key in overrides))


def placed(complaint: Complaint, source: Source) -> Problem:
    """The complaint with its place and the offending value."""
    path = complaint.path
    ways = [path[:length] for length in range(len(path), -1, -1)]
    key, value = dotted(path), shown(path, value_at(source.tree, path))
    if any(way in source.overridden for way in ways):
        return Problem("--set", None, key, value, complaint.message, complaint.nearest, complaint.hint)
    found = positions(source.text)
    at = next((found[way] for way in ways if way in found), (1, 1))
    return Problem(source.file, at, key, value, complaint.message, complaint.nearest, complaint.hint)


def dotted(path: KeyPath) -> str:
    """The key as TOML writes it."""
    names = ("…" if _is_secret(name) else name for name in path)
    return ".".join(name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False) for name in names)


def value_at(tree: object, path: KeyPath) -> object:
    """Return the value at the path; None where there is none."""
    for name in path:
        if not isinstance(tree, dict):
            return None
        tree = cast("Tree", tree).get(name)
    return tree


def shown(path: KeyPath, value: object) -> str:
    """The value as TOML, shortened; empty for a table, a list and a secret."""
    if path[-1:] == ("pin_hash",) or not isinstance(value, str | int | float) or _is_secret(str(value)):
        return ""
    text = json.dumps(value, ensure_ascii=False)
    text = re.sub(r"//[^/@]*@", "//…@", text)  # a password in an address
    return text if len(text) <= SHOWN_MAX else text[:SHOWN_MAX] + "…"


def _is_secret(text: str) -> bool:
    """Return True if a PIN's hash stands in the text.

    It may have been given to any key by a slip of the hand.
    """
    return "argon2" in text


def positions(text: str) -> dict[KeyPath, Position]:
    """Where each key and table of valid TOML stands first."""
    found: dict[KeyPath, Position] = {}
    table: KeyPath = ()
    tokens = _tokens(text)
    for token, at in tokens:
        if token == _OPENS:
            table = _key(tokens, "", "]")
            _note(found, table, at)
        elif token not in _BETWEEN:
            _entry(token, at, tokens, table, found)
    return found


def _entry(first: str, at: Position, tokens: Iterator[Token], table: KeyPath, found: dict[KeyPath, Position]) -> None:
    path = table + _key(tokens, first, "=")
    _note(found, path, at)
    _value(next(tokens)[0], tokens, path, found)


def _value(first: str, tokens: Iterator[Token], path: KeyPath, found: dict[KeyPath, Position]) -> None:
    """Read on over a value that begins with `first`.

    The keys of the inline tables inside are noted.
    """
    if first not in {"{", "["}:
        return
    for token, at in tokens:
        if token in {"}", "]"}:
            return
        if token in _BETWEEN:
            continue
        if first == "{":
            _entry(token, at, tokens, path, found)
        else:
            _value(token, tokens, path, found)


def _note(found: dict[KeyPath, Position], path: KeyPath, at: Position) -> None:
    for length in range(1, len(path) + 1):
        found.setdefault(path[:length], at)


def _key(tokens: Iterator[Token], first: str, end: str) -> KeyPath:
    """The dotted key that begins with `first`, as TOML itself reads it."""
    words = [first]
    for token, _ in tokens:
        if token == end:
            break
        words.append(token)
    return tuple(_names(tomllib.loads("".join(words).lstrip("[") + " = 0")))


def _names(tree: object) -> Iterator[str]:
    while isinstance(tree, dict):
        ((name, tree),) = cast("Tree", tree).items()
        yield name


def _tokens(text: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        if not match[0].startswith("#"):
            start = match.start()
            yield match[0], (text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start))


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except WrongByteError as error:
        problem = Problem(str(path), error.at, "", "", error.flaw, advice=worded("not_utf8_hint"))
        raise ConfigError((problem,)) from None


def _parsed(file: str, text: str) -> Tree:
    try:
        return read_toml(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError((_syntax_problem(file, text, str(error)),)) from None


def _syntax_problem(file: str, text: str, said: str) -> Problem:
    """Translate a message of the TOML reader, without its own form of a position."""
    lines = text.splitlines() or [""]
    at = _AT.search(said)
    line, column = (int(at[1]), int(at[2])) if at and at[1] else (len(lines), len(lines[-1]) + 1)
    message = _AT.sub("", said)
    written = lines[min(line, len(lines)) - 1].strip()
    value = "" if "pin_hash" in written or "@" in written or _is_secret(written) else written[:SHOWN_MAX]
    hints = (worded(hint) for start, hint in _SYNTAX_HINTS.items() if message.startswith(start))
    return Problem(file, (line, column), "", value, worded("not_toml", why=message), advice=next(hints, ""))


def _override(tree: Tree, key: str, text: str) -> None:
    *tables, name = key.split(".")
    for table in tables:
        inner = tree.setdefault(table, {})
        if not isinstance(inner, dict):
            raise ConfigError((Problem("--set", None, key, "", worded("no_table", table=table)),))
        tree = cast("Tree", inner)
    tree[name] = _toml_or_text(text)


def _toml_or_text(text: str) -> object:
    try:
        form = read_toml(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return form["value"] if len(form) == 1 else text
