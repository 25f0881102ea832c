"""docs/console-api.md does what it says: its commands are run, its tables compared."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

from tablectl.console.auth.people import Person, Role, names_of
from tablectl.console.auth.pins import hash_pin
from tablectl.console.errors import CODES
from tablectl.console.openapi import document
from tablectl.console.requests.table import VERBS
from tests.console.rig import house

PAGE = (Path(__file__).parents[2] / "docs" / "console-api.md").read_text()
ENDED = "::ended::"


def steps() -> list[tuple[str, str]]:
    """Every shown command, and what it is shown to print."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    return [
        (command.replace("\\\n", " "), printed)
        for block in blocks
        for command, printed in re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    ]


def looks_like(shown: str, printed: str) -> bool:
    """Whether the printed text is the shown one, with anything in the place of each `…`."""
    return re.fullmatch(".*".join(map(re.escape, shown.strip().split("…"))), printed.strip()) is not None


@pytest.mark.usefixtures("curl")
async def test_every_shown_command_prints_what_is_shown(tmp_path: Path) -> None:
    people = (Person("ana", Role.DEALER, await asyncio.to_thread(hash_pin, "2741")),)
    async with house(people=people) as here:
        lines = (f"{command}; echo {ENDED}" for command, _ in steps())
        script = "\n".join(lines).replace("http://localhost:8080", here.url)
        printed = (await _run(script, tmp_path)).split(ENDED)
    assert len(printed) == len(steps()) + 1
    for (command, shown), was in zip(steps(), printed, strict=False):
        assert looks_like(shown, was), f"{command}\n{was}"


async def _run(script: str, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    shell = await asyncio.create_subprocess_exec(
        "bash",
        "-ec",
        script,
        cwd=folder,
        env={**os.environ, "PATH": path, "NO_PROXY": "*"},
        stdout=asyncio.subprocess.PIPE,
    )
    printed, _ = await shell.communicate()
    return printed.decode()


def test_the_table_of_verbs_is_the_one_that_rules() -> None:
    lines: list[str] = []
    for name, verb in VERBS.items():
        roles = "by the fault" if name == "acknowledge_fault" else names_of(verb.roles).replace(" or ", ", ")
        lines.append(f"| `{name}` | {_own_fields(name)} | {roles} |".replace("|  |", "| |"))
    assert "\n".join(lines) in PAGE


def _own_fields(name: str) -> str:
    """The verb's own fields as the page lists them, from the described form."""
    form = document()["components"]["schemas"][VERBS[name].form.__name__]
    own = [field for field in form["properties"] if field not in {"request_id", "round_id", "seen"}]
    return ", ".join(f"`{field}`" + ("" if field in form["required"] else "?") for field in own)


def test_the_table_of_errors_is_the_one_that_rules() -> None:
    lines = [f"| {status} | `{code}` | {text} |" for status, codes in CODES.items() for code, text in codes.items()]
    assert "\n".join(lines) in PAGE
