"""The pages as text: which commands they show, where, and what those are shown to print."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PROGRAMS: Final = (
    "apt", "apt-get", "cc", "cp", "createdb", "createuser", "curl", "cut", "echo", "export", "install", "kill", "ls",
    "make", "mosquitto_pub", "mosquitto_rr", "mosquitto_sub", "openssl", "pip", "psql", "python3", "scp", "systemctl",
    "systemd-creds", "tablectl", "tar", "udevadm", "T=tablectl/v1/macau/q1",
)  # fmt: skip
"""What the first word of a command may be."""

_FENCE: Final = re.compile(r"^( *)```(\w*)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
_STEP: Final = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """Something set off from the text of a page.

    Args:
        language: as the fence names it; empty without one.
    """

    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """A command and what it is shown to print."""

    command: str
    shown: str


def pages() -> dict[str, str]:
    """Every page, by its path in the project."""
    paths = sorted((ROOT / "docs").rglob("*.md"))
    return {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in (ROOT / "README.md", *paths)}


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page, and the indented ones."""
    for indent, language, inner in _FENCE.findall(text):
        yield Block(language, re.sub(f"^{indent}", "", inner, flags=re.MULTILINE))
    for inner in re.findall(r"(?:^ {4}\S.*\n)+", _FENCE.sub("", text), re.MULTILINE):
        yield Block("", re.sub(r"^ {4}", "", inner, flags=re.MULTILINE))


def steps(text: str) -> list[Step]:
    """What the `console` blocks of a page show, in order."""
    found = [step for block in blocks(text) if block.language == "console" for step in _STEP.findall(block.text)]
    return [Step(command.replace("\\\n", " "), shown) for command, shown in found]


def commands(text: str) -> list[str]:
    """Every command that a page shows in a block of its own, without a comment behind it."""
    found = [step.command for step in steps(text)]
    for block in blocks(text):
        if block.language in {"", "sh"}:
            found += [line for line in block.text.splitlines() if line.split(" ")[0] in PROGRAMS]
    return [re.sub(r"\s{2,}#.*$", "", command).strip() for command in found]


def looks_like(shown: str, printed: str) -> bool:
    """Whether the printed text is the shown one, with anything in the place of each `…`."""
    return re.fullmatch(".*".join(map(re.escape, shown.strip().split("…"))), printed.strip(), re.DOTALL) is not None
