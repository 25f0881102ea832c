"""The pages: files that come with the package, read once, and sent with headers that let a browser run nothing else."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tablectl.console.cached import Content, answer_with, content_of
from tablectl.console.errors import ApiError

FOLDER: Final = Path(__file__).parent / "static"

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""What a page may load: files of this controller, and nothing that stands inside the page itself."""

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
    }
)
"""The pages' addresses, and the files that stand there."""


@dataclass(frozen=True, slots=True)
class Pages:
    """Every file by its address. What isn't among them doesn't exist: no path from a request reaches the disk."""

    sheets: Mapping[str, Content]

    async def show(self, request: Request) -> Response:
        """The file at the request's path; nothing where the browser has it already."""
        path: str = request.scope["path"]
        sheet = self.sheets.get(FRONT.get(path, path))
        if sheet is None:
            raise ApiError(404, "no_such_path", "nothing has this path: the pages are listed at /", path[:100])
        return answer_with(request, sheet, {"Content-Security-Policy": POLICY})

    def routes(self) -> list[Route]:
        """Where the pages stand."""
        return [Route(path, self.show) for path in (*FRONT, "/static/{rest:path}")]


def read_pages(folder: Path = FOLDER) -> Pages:
    """All files of the folder that a browser is meant to have. Blocks."""
    return Pages(MappingProxyType(dict(_sheets(folder))))


def _sheets(folder: Path) -> Iterator[tuple[str, Content]]:
    whole = folder.resolve()
    for path in sorted(whole.rglob("*")):
        kind = TYPES.get(path.suffix)
        if kind is None or not path.is_file() or path.resolve() != path:  # a link would show what lies elsewhere
            continue
        yield f"/static/{path.relative_to(whole).as_posix()}", content_of(path.read_bytes(), kind)
