"""The console's pages, read once from the package's files.

Their headers let a browser run nothing else.
"""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tablectl.console.cached import Content, answer_with, content_of
from tablectl.console.errors import ApiError
from tablectl.lazy_dataclass import dataclass

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
