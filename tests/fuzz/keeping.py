"""The inputs that were found worth keeping: a file for each target, a line in hexadecimal for each input."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from tests.fuzz.targets import TARGETS

FOLDER: Final = Path(__file__).parent / "corpus"


def kept(name: str) -> list[bytes]:
    """The inputs that are kept for a target."""
    path = FOLDER / f"{name}.hex"
    return [bytes.fromhex(line) for line in path.read_text("ascii").splitlines()] if path.exists() else []


def known(name: str) -> list[bytes]:
    """Those, and what a target begins with, cut to its length."""
    target = TARGETS[name]
    return [data[: target.longest] for data in (*target.seeds(), *kept(name))]


def keep(name: str, inputs: Iterable[bytes]) -> None:
    """Keeps these inputs for a target, and no others; the shortest stand first."""
    lines = sorted({data.hex() for data in inputs}, key=lambda line: (len(line), line))
    (FOLDER / f"{name}.hex").write_text("".join(f"{line}\n" for line in lines if line), "ascii")


def files(folder: Path) -> Iterator[bytes]:
    """The inputs that a run left in a folder."""
    return (path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())
