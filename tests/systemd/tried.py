"""A digest of what only packaging reads, and the one with which the Debian package was last tried.

`make test` leaves the package's tests out while the two agree; `make deb` and `make proof` always have them.
`python -m tests.systemd.tried` notes the present digest, at the end of a `make deb` that passed.
"""

import hashlib
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
NOTED: Final = Path(__file__).with_name("tried.sha256")
SOURCES: Final = ("systemd/**/*", "config/udev/*", "scripts/deb.sh", "scripts/manifest.py", "requirements/package.txt")
TABLES: Final = ("build-system", "project")


def digest() -> str:
    """The digest of these files as they are now, and of what pyproject.toml says of the package."""
    content = hashlib.sha256()
    for path in sorted(_sources()):
        content.update(
            f"{path.relative_to(ROOT)}\0{path.stat().st_mode & 0o111}\0".encode() + path.read_bytes() + b"\0"
        )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    told = {name: project[name] for name in TABLES} | {"hatch": project["tool"]["hatch"]}
    content.update(json.dumps(told, sort_keys=True).encode())
    return content.hexdigest()


def is_tried() -> bool:
    """Whether the package was tried as these files are now."""
    return NOTED.read_text("utf-8").strip() == digest()


def _sources() -> Iterator[Path]:
    for pattern in SOURCES:
        yield from (path for path in ROOT.glob(pattern) if path.is_file() and not path.name.endswith(".pyc"))


if __name__ == "__main__":
    NOTED.write_text(f"{digest()}\n", "utf-8")
