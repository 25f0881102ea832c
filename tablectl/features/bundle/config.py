"""Redacted configuration: every key that the program knows, no secret value."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from tablectl.features.bundle.redact import LEFT_OUT
from tablectl.history.explain.model import items_of

_SECRET: Final = re.compile("pass|secret|token|pin|credential|private", re.IGNORECASE)
_NOT_SECRET: Final = frozenset({"password_file"})
_FILES: Final = frozenset({"password_file", "key_file"})
_USER: Final = re.compile(r"//([^/@\s]+)@")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def shown(tree: Mapping[str, Any], known: frozenset[str]) -> str:
    """The configuration as TOML, without comments, a line for each key.

    Args:
        known: the names of keys; the value of any other one is left out, for nobody knows what it holds.
    """
    return "".join(f"{_dotted(path)} = {_value(path[-1], value, known)}\n" for path, value in _leaves(tree))


def secrets_in(tree: Mapping[str, Any]) -> Iterator[str]:
    """The secrets that stand in the configuration itself."""
    for path, value in _leaves(tree):
        texts = list(_texts(value))
        if _is_secret(path[-1]):
            yield from texts
        for text in texts:
            for user in _USER.findall(text):
                yield from (user, *user.split(":", 1)[1:])


def secret_files_in(tree: Mapping[str, Any]) -> Iterator[str]:
    """The files that it names, in which secrets are."""
    return (value for path, value in _leaves(tree) if path[-1] in _FILES and isinstance(value, str))


def _leaves(tree: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(cast("Mapping[str, Any]", value), (*above, key))
        else:
            yield (*above, key), value


def _value(key: str, value: Any, known: frozenset[str]) -> str:
    if _is_secret(key) or key not in known or any("$argon2" in text for text in _texts(value)):
        return json.dumps(LEFT_OUT)
    written = json.dumps(value, ensure_ascii=False, default=str)
    return _USER.sub(f"//{LEFT_OUT}@", written)


def _is_secret(key: str) -> bool:
    return key not in _NOT_SECRET and _SECRET.search(key) is not None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    inner = cast("Mapping[str, Any]", value).values() if isinstance(value, Mapping) else items_of(value)
    for item in inner:
        yield from _texts(item)


def _dotted(path: tuple[str, ...]) -> str:
    return ".".join(name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False) for name in path)
