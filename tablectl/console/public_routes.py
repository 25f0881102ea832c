"""Public routes: the layout, the texts, and the players' display."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from tablectl import words
from tablectl.console.errors import ApiError
from tablectl.console.pages import Content, answer_with, content_of
from tablectl.console.requests.action_fields import verbs_form
from tablectl.console.screens import write_json
from tablectl.core.protocols import Window
from tablectl.lazy_dataclass import dataclass

PREFIX_MAX: Final = 80

FEW: Final = 32
"""Texts that are written anew for each request; larger choices are kept, of which there are some dozens."""


@dataclass(frozen=True, slots=True)
class Openly:
    """Answers that need no sign-on.

    Args:
        display: what the players' display shows.
    """

    window: Window
    display: Callable[[], Mapping[str, Any]]

    async def layout(self, request: Request) -> Response:
        """Return the layout, which is the same as long as the daemon runs."""
        return answer_with(request, _content(self._layout()))

    def lasting(self) -> bytes:
        """The layout and the texts, which a page requests once.

        It keeps them for as long as it is open.
        """
        return self._layout().encode() + all_words()

    def _layout(self) -> str:
        layout = self.window.layout()
        return write_json({**layout, "verbs": verbs_form(layout.get("verbs"))})

    async def shown(self, _request: Request) -> Response:
        """Return the content of the players' display now."""
        message = {"type": "display", "display": self.display()}
        return Response(write_json(message), media_type="application/json")


async def words_below(request: Request) -> Response:
    """Return every text whose key has this prefix, in each language.

    Its placeholders are unfilled.

    Raises:
        ApiError: 422, the prefix is too long.
    """
    prefix = request.query_params.get("prefix", "")
    if len(prefix) > PREFIX_MAX:
        raise ApiError(422, "wrong_fields", f"at most {PREFIX_MAX} characters", "query prefix")
    return answer_with(request, words_content(prefix))


def all_words() -> bytes:
    """Every text in each language, which a page keeps for as long as it is open."""
    return write_json({each: words.catalogue(each) for each in words.LANGUAGES}).encode()


def words_content(prefix: str) -> Content:
    """The texts below a prefix; the catalogue is the same as long as the daemon runs.

    Prefixes that choose the same texts share one content, whatever else was asked for meanwhile: strangers who choose
    many of them and read none cost neither memory nor time.
    """
    keys = _keys()
    first, end = bisect_left(keys, prefix), bisect_left(keys, f"{prefix}\U0010ffff")
    return _written(first, end) if end - first <= FEW else _kept(first, end)


@cache
def _keys() -> Sequence[str]:
    return sorted(words.catalogue(words.LANGUAGES[0]))


@cache
def _kept(first: int, end: int) -> Content:
    return _written(first, end)


def _written(first: int, end: int) -> Content:
    """Texts of every language, from one key of the sorted catalogue up to another."""
    keys = _keys()[first:end]
    form: Mapping[str, Any] = {
        language: {key: words.catalogue(language)[key] for key in keys} for language in words.LANGUAGES
    }
    return content_of(write_json(form).encode(), "application/json")


@lru_cache(maxsize=1)
def _content(form: str) -> Content:
    """The layout, compressed once: it is the same as long as the daemon runs."""
    return content_of(form.encode(), "application/json")
