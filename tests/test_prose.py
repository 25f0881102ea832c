"""The gate on docstrings and names finds what it is for."""

from pathlib import Path

import pytest

from scripts import prose

GOOD = '''"""Shapes of a round."""
def read(path: str) -> str:
    """Read a file.

    Raises:
        OSError: it can't be read.
    """
    raise OSError(path)
'''


def found(module: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(prose, "ROOT", folder)
    path = folder / "module.py"
    path.write_text(module, "utf-8")
    return [line.partition(": ")[2] for line in prose.findings(path)]


def test_plain_docstrings_and_names_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(GOOD, tmp_path, monkeypatch) == []


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("Shapes of a round.", "What a round is.", "the docstring begins with What"),
        ("Shapes of a round.", "Shapes" * 14, "the first line of the docstring has 84 characters"),
        ("    Raises:\n        OSError: it can't be read.\n", "", "no Raises: read"),
        ("Shapes of a round.", "Shapes of a ``round``.", "the docstring has code in double backquotes"),
        ("read(path", "read(told", "retired word: told"),
        ("def read", "def ask_clerk", "retired word: ask_clerk"),
    ],
)
def test_each_fault_is_found(
    right: str, wrong: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert right in GOOD
    assert found(GOOD.replace(right, wrong, 1), tmp_path, monkeypatch) == [said]


def test_a_command_says_in_its_help_how_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raising = GOOD.replace("    Raises:\n        OSError: it can't be read.\n", "")
    assert found(raising.replace("def read", "@click.command()\ndef read"), tmp_path, monkeypatch) == []


def test_published_descriptions_of_classes_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / prose.PUBLISHED[0]
    folder.mkdir(parents=True)
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    (folder / "events.py").write_text('"""What is sent."""\nclass Sent:\n    """What was sent."""\n', "utf-8")
    assert [*prose.findings(folder / "events.py")] == [
        f"{prose.PUBLISHED[0]}events.py:1: the docstring begins with What"
    ]


def test_a_test_with_too_long_a_name_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    (tmp_path / "tests").mkdir()
    path, name = tmp_path / "tests" / "test_x.py", "test_it_s_a_name_of_nine_words_and_no_more"
    path.write_text(f"def {name}() -> None: ...\n", "utf-8")
    assert [*prose.findings(path)] == []
    path.write_text(f"def {name}_than_that() -> None: ...\n", "utf-8")
    assert [*prose.findings(path)] == [f"tests/test_x.py:1: 11 words in {name}_than_that"]


def test_published_folders_exist() -> None:
    assert all((prose.ROOT / room).exists() for room in prose.PUBLISHED)
