"""The page on security tells everybody what doesn't stop them, and every requirement is pinned."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "security.md"
_PIN = re.compile(r"^[A-Za-z0-9._-]+==\S+(?: ;[^\\]*)? \\$")


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
