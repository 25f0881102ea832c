"""`tablectl fault` and docs/reference/faults.md show the one catalogue of faults."""

import pytest
from click.testing import CliRunner

from scripts.faults_page import PAGE, page
from tablectl.cli import main
from tablectl.core.faults import CATALOGUE
from tablectl.words import LANGUAGES


def test_the_page_is_what_the_catalogue_says() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `python -m scripts.faults_page`"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fault_has_its_texts_in_every_language(language: str) -> None:
    for code, entry in CATALOGUE.items():
        said = CliRunner().invoke(main, ["fault", str(int(code)), "--lang", language])
        assert said.exit_code == 0
        assert f"fault.{entry.key}" not in said.output  # a key stands for a text that is missing
        assert len(said.output.splitlines()) == 4


def test_without_a_number_all_are_listed() -> None:
    said = CliRunner().invoke(main, ["fault"]).output.splitlines()
    assert [int(line[:3]) for line in said] == sorted(CATALOGUE)


def test_a_number_that_is_none_is_told() -> None:
    ended = CliRunner().invoke(main, ["fault", "999"])
    assert (ended.exit_code, ended.output) == (64, "tablectl: there is no fault 999; `tablectl fault` lists all\n")


@pytest.mark.parametrize(
    ("language", "line"), [("pt", "port_missing, erro; termina por si"), ("zh-Hant", "port_missing, 錯誤; 自動解除")]
)
def test_no_line_of_a_fault_is_left_in_english(language: str, line: str) -> None:
    said = CliRunner().invoke(main, ["fault", "102", "--lang", language]).output.splitlines()
    assert said[1] == line
