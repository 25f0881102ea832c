"""What is wrong is said in the language of the person: by `--lang`, else by the terminal's locale."""

import errno
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from tablectl import words
from tablectl.cli import main
from tablectl.words import LANGUAGES, Language
from tablectl.words.reason import reason, reasons_within, why
from tests.support.config import DEMO, GOLDEN
from tests.tools.spoken import foreign

OTHERS: Final[tuple[Language, ...]] = ("pt", "zh-Hant")
others = pytest.mark.parametrize("language", OTHERS)
LOCALES: Final[Mapping[Language, str]] = {"pt": "pt_PT.UTF-8", "zh-Hant": "zh_TW.UTF-8", "en": "C.UTF-8"}

WRONG: Final = (
    "tial",
    "explain",
    "explain a --lgn",
    "explain a b",
    "explain a --journal",
    "explain a --json=1",
    "explain a",
    "recall --last 0 --journal x",
    "recall --last x --journal y",
    "tail --count x",
    "tail --ca nowhere",
    "tail --site a/b",
    "tail --site a --frob",
    "explain a --jsno",
    "board",
    "odds nothing",
    "odds q_poker --decks 2",
    "demo --speed nan",
    "demo --game chess",
    "bundle --config q1.toml --hours nan",
    "check-config q1.toml --set x",
    "case verify",
    "case 1 --journal x",
    "fault x",
    "correct x why --change Ho=1",
    "correct a1b2c3d4-000001 why --change Ho",
    "bookmark",
    "log loud --config q1.toml",
    "record --pin x",
)
"""Command lines that say nothing sensible."""

SAME: Final = (
    "KEY=VALUE",
    "FOLDER",
    "SITE/TABLE=FINGERPRINT",
    "BETTOR=AMOUNT",
    "recall",
    "event",
    "--config",
    "--journal",
    "tablectl",
    "OPTIONS",
    "COMMAND",
    "ARGS",
    "python",
    "inf",
    "Ho",
    "chess",
    "nothing",
    "nowhere",
)


def told(words_: str, language: Language) -> str:
    return CliRunner().invoke(main, words_.split(), env={"LC_ALL": LOCALES[language]}).stderr


@others
@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_command_line_is_explained_in_the_language(line: str, language: Language) -> None:
    english, said = told(line, "en"), told(line, language)
    assert "Error: " in english
    assert "Usage: " not in said
    message = said.strip().splitlines()[-1]
    assert message.startswith(words.text("cli.click.error", language, message="").strip())
    # What is typed stays: it stands in quotes, in brackets, or in a list of choices.
    own = re.sub(r"'[^']*'|\[[^\]]*\]|\{[^}]*\}|(?<=[:：]) ?\w+(?:, \w+)+", "", message)
    assert foreign(own, language, (*SAME, *line.split())) == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_option_goes_before_locale_even_where_another_option_is_wrong(language: Language) -> None:
    other: Language = "pt" if language != "pt" else "zh-Hant"
    result = CliRunner().invoke(main, ["explain", "--frob", "--lang", language], env={"LC_ALL": LOCALES[other]})
    assert result.exit_code == 2
    assert result.stderr.startswith({"en": "Usage: main", "pt": "Uso: main", "zh-Hant": "用法: main"}[language])


def test_english_is_said_as_click_says_it() -> None:
    assert told("explain", "en") == (
        "Usage: main explain [OPTIONS] ROUND\nTry 'main explain --help' for help.\n\nError: Missing argument 'ROUND'.\n"
    )


@others
@pytest.mark.parametrize("name", sorted(file.stem for file in (GOLDEN / "pt").glob("*.txt")))
def test_broken_configuration_is_explained_to_the_letter_in_the_language(
    name: str, language: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(GOLDEN)
    for command in (["check-config", f"{name}.toml"], ["run", "--config", f"{name}.toml"]):
        result = CliRunner().invoke(main, [*command, "--lang", language])
        assert result.exit_code == 78
        assert result.stderr == (GOLDEN / language / f"{name}.txt").read_text("utf-8")


@others
def test_good_share_of_broken_configurations_has_its_message_in_language(language: Language) -> None:
    kept, all_ = list((GOLDEN / language).glob("*.txt")), list(GOLDEN.glob("*.txt"))
    assert len(kept) * 2 >= len(all_)
    assert {file.name for file in kept} <= {file.name for file in all_}


@others
@pytest.mark.parametrize("name", sorted(file.stem for file in GOLDEN.glob("*.toml")))
def test_no_english_sentence_is_left_of_a_broken_configuration(
    name: str, language: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(GOLDEN)
    english = (GOLDEN / f"{name}.txt").read_text("utf-8").splitlines()
    said = CliRunner().invoke(main, ["check-config", f"{name}.toml", "--lang", language]).stderr.splitlines()
    assert len(said) == len(english)
    sentences = [line for line in english if line.startswith("  ")]
    assert not set(sentences) & {line for line in said if " " in line.strip()}


@others
def test_configuration_is_explained_in_each_language_and_in_json_alike(language: Language) -> None:
    plain, other = (
        CliRunner().invoke(main, ["check-config", str(DEMO), "--lang", lang]).stdout for lang in ("en", language)
    )
    assert len(plain.splitlines()) == len(other.splitlines())
    assert not set(plain.splitlines()) & set(other.splitlines())
    forms = [
        CliRunner().invoke(main, ["check-config", str(DEMO), "--json", "--lang", lang]).stdout
        for lang in ("en", language)
    ]
    assert forms[0] == forms[1]
    assert json.loads(forms[0])["table"] == "q-demo"


@others
def test_the_systems_reasons_are_known(language: Language) -> None:
    known = [key.rpartition(".")[2] for key in words.catalogue("en") if key.startswith("os.E")]
    for name in known:
        number = getattr(errno, name)
        assert words.text(f"os.{name}", "en") == os.strerror(number)
        assert why(OSError(number, os.strerror(number)), language) == words.text(f"os.{name}", language)


def test_who_listens_at_no_address_is_told_what_to_do() -> None:
    refused = (
        "the broker at 127.0.0.1:9 doesn't answer ([Errno 111] Connection refused): "
        "check that it runs and that the address is right"
    )
    assert reason(refused, "en") == "nobody listens at 127.0.0.1:9: start the broker there, or correct the address"
    assert reason(refused, "pt").startswith("ninguém escuta em 127.0.0.1:9: ")
    assert reasons_within(f"{refused}; trying again", "zh-Hant").startswith("127.0.0.1:9 沒有程式接聽：")


AWAY: Final = (
    "bookmark note --url http://127.0.0.1:9 --person mei --pin-file pin",
    "monitor --url http://127.0.0.1:9 --person mei --pin-file pin",
    "explain 1a2b3c4d-000001 --journal nowhere",
    "recall --journal nowhere",
    "board --config nowhere.toml",
    "case 1 --journal nowhere --to new",
    "check-config nowhere.toml",
    "doctor --config nowhere.toml",
    "run --config nowhere.toml",
    "settle nowhere",
    "dev replay nowhere",
    "verify nowhere --key x",
    "prove 1a2b3c4d-000001 --journal nowhere",
    "journal verify nowhere",
    "key show --config nowhere.toml",
    "log info --config nowhere.toml",
    "take-over --config nowhere.toml",
    "probe shoe --config nowhere.toml",
    "upgrade-check --config nowhere.toml",
    "record --config nowhere.toml",
    "sim run --config nowhere.toml",
    "dev decode angel_eye zz",
)


@others
@pytest.mark.parametrize("line", AWAY)
def test_what_is_not_there_is_said_in_language_without_numbers(
    line: str, language: Language, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pin").write_text("1111\n")
    said = told(line, language)
    names = (
        "tablectl",
        "main",
        "help",
        "PROOF",
        *line.split(),
        "nowhere",
        *line.replace("-", " ").split(),
        "journal.db",
        str(tmp_path),
        "journal",
    )
    assert said.strip()
    assert "Errno" not in said
    assert foreign(said, language, names) == set()


def test_only_the_own_file_is_called_a_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr("tablectl.daemon.run.run", fails)
    result = CliRunner().invoke(main, ["run", "--config", str(tmp_path / "q1.toml")], env={"LC_ALL": "C.UTF-8"})
    assert (result.exit_code, result.stderr) == (74, "tablectl run: Too many open files\n")
    monkeypatch.undo()
    result = CliRunner().invoke(main, ["run", "--config", str(tmp_path / "q1.toml")], env={"LC_ALL": "C.UTF-8"})
    assert result.exit_code == 66
    assert result.stderr == f"tablectl: {tmp_path / 'q1.toml'} can't be read: No such file or directory\n"
