"""The console's pages, read once, and answers that are the same for many.

Their headers let a browser run nothing else.
"""

import asyncio
import hashlib
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from tablectl.console.errors import ApiError
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


FOLDER: Final = Path(__file__).parent / "static"

AGAIN: Final = "shared/again.js"
"""The script that stands inside the pages: whatever else a page misses while it loads, it has this one."""

AGAIN_HASH: Final = "'sha256-x6/xS++EA+OUXeK+6s72EPAPPSVaUmoNd6kh+xPF0Og='"
"""Lets browsers run that script where it stands, and no other."""

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        f"script-src 'self' {AGAIN_HASH}",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""What a page may load: files of this controller, and of what stands inside the page the one script that may."""

TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".svg": "image/svg+xml",
        ".png": "image/png",
        ".json": "application/json",
        ".woff2": "font/woff2",
    }
)
"""The kinds of files that are served; a file of another kind isn't there."""

FRONT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "/": "/static/index.html",
        "/dealer": "/static/dealer/index.html",
        "/display": "/static/display/index.html",
        "/surveillance": "/static/surveillance/index.html",
        "/technician": "/static/technician/index.html",
    }
)
"""The addresses of a table's pages."""


@dataclass(frozen=True, slots=True)
class Pages:
    """Every file by its path.

    No path from a request reaches the disk: one that isn't among these doesn't exist.

    Args:
        build: names these files and what else a page keeps; a page of another build is loaded again by its browser.
        front: the pages' addresses, and the files that stand there.
    """

    sheets: Mapping[str, Content]
    build: str
    front: Mapping[str, str]

    async def show(self, request: Request) -> Response:
        """The file at the request's path; nothing where the browser has it already.

        Raises:
            ApiError: 404, no file has this path.
        """
        path: str = request.scope["path"]
        sheet = self.sheets.get(self.front.get(path, path))
        if sheet is None:
            raise ApiError(404, "no_such_path", "nothing has this path: the pages are listed at /", path[:100])
        return answer_with(request, sheet, {"Content-Security-Policy": POLICY})

    def routes(self) -> list[Route]:
        """Where the pages stand."""
        return [Route(path, self.show) for path in (*self.front, "/static/{rest:path}")]


def read_pages(folder: Path = FOLDER, lasting: bytes = b"", front: Mapping[str, str] = FRONT) -> Pages:
    """All files of the folder that a browser is meant to have. Blocks.

    Args:
        lasting: what pages ask for once and keep.
        front: the pages' addresses, and the files that stand there.
    """
    files = dict(_files(folder))
    build = hashlib.sha256(lasting)
    for name, data in files.items():
        build.update(f"{name} {len(data)} ".encode() + data)
    named = build.hexdigest()[:16]
    again = files.get(AGAIN, b"")
    sheets: dict[str, Content] = {}
    for name, data in files.items():
        kind = Path(name).suffix
        sheets[f"/static/{name}"] = content_of(
            _with_build(data, again, named) if kind == ".html" else data, TYPES[kind]
        )
    return Pages(MappingProxyType(sheets), named, front)


def _with_build(page: bytes, again: bytes, build: str) -> bytes:
    """Put the name of the build and the reload script into a page."""
    inside = page.replace(f'<script src="/static/{AGAIN}">'.encode(), b"<script>" + again)
    return inside.replace(b'name="build" content=""', f'name="build" content="{build}"'.encode())


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    whole = folder.resolve()
    for path in sorted(whole.rglob("*")):
        if path.suffix not in TYPES or path.is_symlink() or not path.is_file():
            continue  # a link would show what lies elsewhere
        yield str(path).removeprefix(f"{whole}/"), path.read_bytes()
