"""The table that a command means when none is named."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tablectl.cli import COMMANDS, DEVELOPERS, GROUPS, main

TABLE = '[table]\nsite = "macau"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of configurations, and no table in the environment."""
    for name in ("TABLECTL_TABLE", "TABLECTL_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TABLECTL_CONFIG_DIR", str(tmp_path))
    return tmp_path


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / f"{name}.toml").write_text(TABLE, "utf-8")


def asked(*words: str, lang: str = "en") -> Result:
    return CliRunner().invoke(main, ["doctor", *words, "--lang", lang])


def test_the_only_configuration_is_the_default(folder: Path) -> None:
    put(folder, "q1")
    (folder / "record.toml").write_text("[broker]\n", "utf-8")
    assert "q1.toml" in asked().output


def test_without_configurations_it_asks_which_table(folder: Path) -> None:
    result = asked()
    assert result.exit_code == 2
    assert f"there is no table's configuration in {folder}" in result.output


@pytest.mark.parametrize(("lang", "text"), [("en", "q1, q2"), ("pt", "q1, q2"), ("zh-Hant", "q1, q2")])
def test_several_configurations_are_named_in_the_question(folder: Path, lang: str, text: str) -> None:
    put(folder, "q1", "q2")
    result = asked(lang=lang)
    assert result.exit_code == 2
    assert text in result.output


def test_option_goes_before_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(folder, "q1", "q2", "q3")
    monkeypatch.setenv("TABLECTL_TABLE", "q2")
    assert "q2.toml" in asked().output
    assert "q1.toml" in asked("-t", "q1").output
    monkeypatch.setenv("TABLECTL_CONFIG", str(folder / "q3.toml"))
    assert "q3.toml" in asked().output


def test_unknown_table_is_refused_with_the_known_ones(folder: Path) -> None:
    put(folder, "q1", "q2")
    assert "there is no table q9" in asked("-t", "q9").output
    assert "q1, q2" in asked("-t", "q9").output


def test_a_table_is_named_once(folder: Path) -> None:
    put(folder, "q1")
    result = asked("-t", "q1", "--config", str(folder / "q1.toml"))
    assert result.exit_code == 2
    assert "either --config or -t" in result.output


@pytest.mark.parametrize("name", sorted(DEVELOPERS))
def test_old_name_of_a_developers_command_names_the_new_one(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"])
    assert result.exit_code == 0
    assert f"tablectl {name} is now tablectl dev {name}" in result.stderr


def test_help_lists_every_command_once_by_group() -> None:
    lines = CliRunner().invoke(main, ["--help"]).output.splitlines()
    listed = [line.split()[0] for line in lines[lines.index("Set up:") :] if line.startswith("  ")]
    assert sorted(listed) == sorted(COMMANDS)
    assert [line.rstrip(":") for line in lines if line.rstrip(":") in GROUPS] == list(GROUPS)


def test_help_of_a_nested_command_is_its_own() -> None:
    shown = CliRunner().invoke(main, ["help", "journal", "verify"])
    assert shown.exit_code == 0
    assert "Usage: tablectl journal verify" in shown.output.replace("main", "tablectl")
    assert CliRunner().invoke(main, ["help", "nothing"]).exit_code == 2
