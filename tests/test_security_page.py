"""The page on security names tests that are there, and claims nothing without one."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "security.md"
HEAD = ("they try", "what stops them", "tests")
_NAME = re.compile(r"`(test_\w+)`")
_PIN = re.compile(r"^[A-Za-z0-9._-]+==\S+(?: ;[^\\]*)? \\$")


def rows(text: str) -> Iterator[tuple[str, ...]]:
    """The lines of the tables of threats, as cells."""
    table: list[tuple[str, ...]] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            table.append(tuple(cell.strip() for cell in line.strip("|").split("|")))
        elif table:
            if table[0] == HEAD:
                yield from table[2:]
            table = []


def gaps(text: str) -> list[str]:
    """Claims that name no test, or one that isn't there."""
    found: list[str] = []
    for row in rows(text):
        names = _NAME.findall(row[-1])
        found += [f"no test: {row[0]}"] if not names else []
        found += [f"there is no {name}" for name in names if name not in there()]
    return found


@cache
def there() -> frozenset[str]:
    files = (ROOT / "tests").rglob("test_*.py")
    found = (re.findall(r"^(?:async )?def (test_\w+)", path.read_text("utf-8"), re.MULTILINE) for path in files)
    return frozenset(name for names in found for name in names)


def test_every_claim_of_the_security_page_has_its_test() -> None:
    assert gaps(PAGE.read_text("utf-8")) == []
    assert len(list(rows(PAGE.read_text("utf-8")))) >= 50


def test_claims_without_tests_and_missing_tests_are_found() -> None:
    head = "| they try | what stops them | tests |\n|---|---|---|\n"
    this = "`test_claims_without_tests_and_missing_tests_are_found`"
    assert gaps(f"{head}| a | b | {this} |\n") == []
    assert gaps(f"{head}| a | b | a wall |\n") == ["no test: a"]
    assert gaps(f"{head}| a | b | {this}, `test_nowhere` |\n") == ["there is no test_nowhere"]


def test_everybody_on_page_is_told_what_does_not_stop_them() -> None:
    sections = PAGE.read_text("utf-8").split("\n## ")[1:]
    people = [section for section in sections if "| they try |" in section]
    assert len(people) >= 11
    assert [section.splitlines()[0] for section in people if "**Not stopped:**" not in section] == []


@pytest.mark.parametrize("path", sorted((ROOT / "requirements").glob("*.txt")), ids=lambda path: path.stem)
def test_every_requirement_is_pinned_by_hash_without_addresses(path: Path) -> None:
    lines = [line for line in path.read_text("utf-8").splitlines() if line and not line.lstrip().startswith("#")]
    pins = [nth for nth, line in enumerate(lines) if not line.startswith(" ")]
    assert pins
    for nth in pins:
        assert _PIN.match(lines[nth]), lines[nth]
        assert lines[nth + 1].startswith("    --hash=sha256:"), lines[nth]
    assert not [line for line in lines if "://" in line or "index-url" in line]
