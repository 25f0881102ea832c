"""Answers that are the same for many: compressed once, sent in pieces."""

import asyncio
import hashlib
import zlib
from collections.abc import Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tablectl.lazy_dataclass import dataclass

PIECE: Final = 16 * 1024
"""Bytes handed over at a time: whoever doesn't read is given no more than a piece beyond what the connection holds."""

SMALL: Final = 1024
"""Below that, compressing saves nothing."""

GZIP_WINDOW: Final = 31
"""Has zlib write a gzip file, without a time."""

_COMPRESSED_TYPES: Final = ("text/", "application/json", "image/svg")


@dataclass(slots=True)
class Content:
    """The body of an answer, plain and compressed.

    All requests for it share these bytes.

    Args:
        etag: names this version.
    """

    plain: bytes
    media_type: str
    etag: str
    _compressed: bytes | None = None

    def compressed(self) -> bytes | None:
        """The body with gzip, made at the first call; None where that saves nothing."""
        if len(self.plain) <= SMALL or not self.media_type.startswith(_COMPRESSED_TYPES):
            return None
        if self._compressed is None:
            self._compressed = zlib.compress(self.plain, 6, GZIP_WINDOW)
        return self._compressed


def content_of(data: bytes, media_type: str) -> Content:
    """Make the content of an answer."""
    return Content(data, media_type, f'"{hashlib.sha256(data).hexdigest()[:32]}"')


def answer_with(request: Request, content: Content, headers: Mapping[str, str] | None = None) -> Response:
    """The content for this request, or that the browser has it already."""
    answered = {"ETag": content.etag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding", **(headers or {})}
    if content.etag in _known(request):
        return Response(status_code=304, headers=answered)
    if takes_gzip(request.headers.get("accept-encoding", "")) and (compressed := content.compressed()) is not None:
        answered["Content-Encoding"] = "gzip"
        return InPieces(compressed, headers=answered, media_type=content.media_type)
    return InPieces(content.plain, headers=answered, media_type=content.media_type)


class InPieces(Response):
    """An answer that waits for the client after each piece."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002  # as ASGI has it
        """Send the answer piece by piece.

        The server waits between pieces while the connection holds too much.
        """
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        body = memoryview(bytes(self.body))
        pieces = range(0, len(body) or 1, PIECE)
        for start in pieces if scope["method"] != "HEAD" else (0,):
            more = scope["method"] != "HEAD" and start + PIECE < len(body)
            await send({"type": "http.response.body", "body": bytes(body[start : start + PIECE]), "more_body": more})
            await asyncio.sleep(0)  # others are served between two pieces


def takes_gzip(accepted: str) -> bool:
    """Return True if an Accept-Encoding header allows gzip."""
    for part in accepted.lower().split(","):
        name, _, quality = part.partition(";")
        if name.strip() in {"gzip", "*"}:
            return quality.replace(" ", "") not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False


def _known(request: Request) -> frozenset[str]:
    """The versions that the browser has, whatever it thinks of their strength."""
    tags = request.headers.get("if-none-match", "").split(",")
    return frozenset(tag.strip().removeprefix("W/") for tag in tags)
