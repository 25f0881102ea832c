"""Writes the checker into docs/program.md, to the byte; a test compares: `python -m scripts.program_page`."""

from pathlib import Path

HERE = Path(__file__).parent.parent
PAGE = HERE / "docs" / "program.md"
CHECKER = HERE / "tablectl" / "program_check.py"
FENCE = "\n````python\n"


def page() -> str:
    """The page with the checker as it is now."""
    head = PAGE.read_text("utf-8").partition(FENCE)[0]
    return f"{head}{FENCE}{CHECKER.read_text('utf-8')}````\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
