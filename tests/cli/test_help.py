"""Help pages: in the language of the command line, each sentence translated."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

import click
import pytest
from click.testing import CliRunner

from tablectl.cli import GROUPS, main
from tablectl.features.common.help_language import catalogue, sentences, translated
from tablectl.words import Language
from tablectl.words.terminal import NEVER_FIRST, cells

LOCALES: Final[Mapping[Language, str]] = {"pt": "pt_PT.UTF-8", "zh-Hant": "zh_MO.UTF-8"}
OTHERS: Final = tuple(LOCALES)
others = pytest.mark.parametrize("language", OTHERS)

CLICKS_OWN: Final = {"Usage:", "Options", "Commands", "default", "required", "(the locale's)", ": "}
KEPT: Final = re.compile(r"`[^`]+`|--[a-z-]+|\b[A-Z]{2,}[a-z0-9]*\b|\b\d+\b|/[a-z][\w/.<>-]*[\w>]|\b\w+://")
"""What no translation changes: commands, options, names of values, numbers, paths, schemes of addresses."""
TRANSLATED: Final = {"ID", "AREA", "ROUND", "PROOF", "USB"}


def commands(command: click.Command = main, name: str = "tablectl") -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=name)
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from commands(found, f"{name} {inner}")


def english() -> set[str]:
    """Every sentence of every help page, and the names of its parts."""
    found = {*CLICKS_OWN, *GROUPS}
    for name, command in commands():
        context = click.Context(command, info_name=name)
        options = (getattr(option, "help", None) or "" for option in command.get_params(context))
        for text in (command.help or "", *options):
            found.update(sentences(text))
        found.add(command.get_short_help_str(200))
    return found - {""}


@others
def test_every_sentence_of_help_is_translated_and_none_is_stale(language: Language) -> None:
    assert english() == set(catalogue(language))


@others
def test_translation_keeps_commands_options_and_numbers(language: Language) -> None:
    for sentence, text in catalogue(language).items():
        kept = {word for word in KEPT.findall(sentence) if word.strip("`") in text or word in TRANSLATED}
        assert kept == set(KEPT.findall(sentence)), sentence
        assert text.strip() or sentence == ": "


@others
def test_help_pages_fit_eighty_columns(language: Language) -> None:
    for name, command in commands():
        if isinstance(command, click.Group):
            continue
        words = name.split()[1:]
        page = CliRunner().invoke(
            main, ["help", *words], env={"LC_ALL": f"{language.replace('zh-Hant', 'zh_TW')}.UTF-8"}
        )
        described = page.stdout.partition("\n\n")[2]
        lines = [line for line in described.splitlines() if "completions" not in line and "fpath" not in line]
        assert [line for line in lines if line.strip() and line.lstrip()[0] in NEVER_FIRST] == []
        assert [line for line in lines if cells(line) > 80] == [], name


def test_exit_codes_stand_one_below_the_other() -> None:
    text = "Does it.\n\nExit status: 0 listed, 1 there is no such round, 2 the journal can't be read."
    assert translated(text, "pt", 40).splitlines()[-4:] == [
        "Código de saída:",
        "   0  listado",
        "   1  não há tal jogada",
        "   2  não é possível ler o diário",
    ]


def test_defaults_of_options_are_translated() -> None:
    assert translated("How many rounds.  [default: 20; x>=1]", "zh-Hant", 60) == "\b\n局數。  [預設：20; x>=1]"
    assert translated("[required]", "pt", 60) == "\b\n[obrigatório]"


def test_language_is_taken_from_option_wherever_it_stands() -> None:
    for line in (["recall", "--lang", "pt", "--help"], ["recall", "--help", "--lang=pt"]):
        page = CliRunner().invoke(main, line, env={"LC_ALL": "zh_TW.UTF-8"})
        assert page.stdout.startswith("Uso: main recall")


@pytest.mark.parametrize("locale", ["C", "pt_PT.UTF-8"])
def test_group_without_a_command_shows_its_help(locale: str) -> None:
    bare = CliRunner().invoke(main, ["journal"], env={"LC_ALL": locale})
    asked = CliRunner().invoke(main, ["journal", "--help"], env={"LC_ALL": locale})
    assert (bare.exit_code, asked.exit_code) == (2, 0)
    assert bare.stderr == asked.stdout
