"""What anybody may see who stands at the table: the layout, the words, the players' display."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from tablectl import words
from tablectl.console.errors import ApiError
from tablectl.console.offered import verbs_form
from tablectl.console.screens import write_json
from tablectl.core.ports import Window

PREFIX_MAX: Final = 80


@dataclass(frozen=True, slots=True)
class Openly:
    """Answers that need no sign-on.

    Args:
        display: what the players' display shows.
    """

    window: Window
    display: Callable[[], Mapping[str, Any]]

    async def words(self, request: Request) -> Response:
        """Every text whose key begins as asked, in each language, its placeholders unfilled."""
        prefix = request.query_params.get("prefix", "")
        if len(prefix) > PREFIX_MAX:
            raise ApiError(422, "wrong_fields", f"at most {PREFIX_MAX} characters", "query prefix")
        told: dict[str, Any] = {language: _below(prefix, words.catalogue(language)) for language in words.LANGUAGES}
        return _kept(request, told)

    async def layout(self, request: Request) -> Response:
        """What stands on the table as long as the daemon runs."""
        layout = self.window.layout()
        return _kept(request, {**layout, "verbs": verbs_form(layout.get("verbs"))})

    async def shown(self, _request: Request) -> Response:
        """What the players' display shows now."""
        message = {"type": "display", "display": self.display()}
        return Response(write_json(message), media_type="application/json")


def _below(prefix: str, texts: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in texts.items() if key.startswith(prefix)}


def _kept(request: Request, told: Mapping[str, Any]) -> Response:
    """The answer, or that the browser has it already."""
    content = json.dumps(told, ensure_ascii=False, separators=(",", ":"), default=dict).encode()
    headers = {"ETag": f'"{hashlib.sha256(content).hexdigest()[:32]}"', "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type="application/json", headers=headers)
