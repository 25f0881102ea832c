"""What recorder, verify and prove say in English is known to the catalogues, and told again in every language."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from click.testing import CliRunner

from tablectl import words
from tablectl.cli import main
from tablectl.words import LANGUAGES, Language
from tablectl.words.reason import retold
from tests.support.kept import played

ROOT = Path(__file__).parents[2] / "tablectl"
FAMILIES = (
    "cli.record",
    "cli.proof",
    "cli.click",
    "cli.usage",
    "cli.error",
    "config.remark",
    "config.why",
    "heard",
    "os",
)
OTHERS = [language for language in LANGUAGES if language != "en"]
others = pytest.mark.parametrize("language", OTHERS)
LINES = [(key, form) for key, form in words.catalogue("en").items() if key.rpartition(".")[0] in FAMILIES]

CALLS = {
    "proof/judge.py": {"UnprovedError"},
    "proof/note.py": {"NoteError"},
    "history/prove.py": {"UnprovableError"},
    "features/rounds/verify.py": {"_told", "yield"},
    "features/recorder/status.py": {"yield"},
    "features/recorder/log_state.py": {"_dispute", "complain"},
    "features/recorder/ingest.py": {"complain", "_object"},
    "features/recorder/stores/records.py": {"told"},
    "features/recorder/stores/sqlite_file.py": {"StoreAwayError", "StoreUnusableError"},
    "features/recorder/stores/sqlite.py": {"StoreAwayError", "StoreUnusableError"},
    "features/recorder/stores/postgres.py": {"StoreAwayError", "StoreUnusableError"},
    "features/recorder/run.py": {"StoreUnusableError"},
}
"""Who says what people read: the calls in whose arguments it stands."""

TECHNICAL = {
    "too long for a signed note",
    "not an Ed25519 verifier key",
    "the verifier key's id isn't that of its name and key",
    "a note's text ends with a line end, and a key's name has no blanks and no plus",
    "not Base64",
    "not Base64 in its one right form",
    "a signature line isn't one",
    "a signature line is too short",
}
"""What only who writes such files by hand gets to see; it stays as it is."""


def filled(form: str) -> tuple[str, dict[str, str]]:
    """The text with something in each of its placeholders, and what that is."""
    values = {name: f"<{nth}>" for nth, name in enumerate(_names(form))}
    return form.format(**values), values


@others
@pytest.mark.parametrize(("key", "form"), LINES)
def test_line_is_retold_by_its_own_text_with_its_values(key: str, form: str, language: Language) -> None:
    line, values = filled(form)
    told = retold(f"    {line}", language, key.rpartition(".")[0])
    assert told == f"    {words.catalogue(language)[key].format(**values)}"


def _names(form: str) -> list[str]:
    return [name for _, name, *_ in Formatter().parse(form) if name]


def test_a_reason_inside_a_line_is_told_again_too() -> None:
    line = "a.json: not valid: round 1-2: event 7 was left out of the proof"
    assert retold(line, "pt", "cli.proof") == "a.json: não é válida: jogada 1-2: o evento 7 foi omitido da prova"
    assert retold(line, "en", "cli.proof") == line


@others
def test_what_nobody_knows_stays_as_it_is(language: Language) -> None:
    assert retold("  something else", language, *FAMILIES) == "  something else"
    assert not retold("", language, *FAMILIES)


def said_in(file: str, calls: set[str]) -> Iterator[str]:
    """The texts in these calls, something in each gap."""
    for node in ast.walk(ast.parse((ROOT / file).read_text("utf-8"))):
        yield from (text for each in _spoken(node, calls) for text in _texts(each))


def _spoken(node: ast.AST, calls: set[str]) -> list[ast.expr]:
    match node:
        case ast.Call() if _name(node.func) in calls:
            return [*node.args, *(each.value for each in node.keywords)]
        case ast.Yield(value=ast.expr() as value) if "yield" in calls:
            return [value]
        case ast.Assign() if any(_name(target) in calls for target in node.targets):
            return [node.value]
        case _:
            return []


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _texts(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr():
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in node.values)
        case ast.IfExp():
            yield from (*_texts(node.body), *_texts(node.orelse))
        case _:
            return


@others
@pytest.mark.parametrize("file", CALLS)
def test_whatever_is_said_to_people_is_in_the_catalogue(file: str, language: Language) -> None:
    sentences = {text for text in said_in(file, CALLS[file]) if " " in text.strip() and re.search("[a-z]{3}", text)}
    assert sentences
    unknown = {text for text in sentences - TECHNICAL if retold(text, language, *FAMILIES) == text}
    unknown -= {"tablectl verify: 7"}  # a command's name is the same everywhere
    assert unknown == set()


@others
def test_verify_prove_and_record_speak_the_asked_language(tmp_path: Path, language: Language) -> None:
    (round_id,) = played(tmp_path / "state")
    proof, key = tmp_path / "proof.json", str(tmp_path / "state" / "log.pub")
    run = CliRunner().invoke
    asked = ["prove", round_id, "--journal", str(tmp_path / "state"), "--to", str(proof), "--lang", language]
    assert run(main, asked).exit_code == 0
    shown = run(main, ["verify", str(proof), "--key", key, "--lang", language])
    assert shown.exit_code == 0
    plain = run(main, ["verify", str(proof), "--key", key, "--lang", "en"])
    assert len(shown.stdout.splitlines()) == len(plain.stdout.splitlines())
    assert not set(shown.stdout.splitlines()) & set(plain.stdout.splitlines())
    proof.write_text(proof.read_text().replace(round_id, f"{round_id}9", 1))
    wrong = run(main, ["verify", str(proof), "--key", key, "--lang", language])
    assert (wrong.exit_code, {"pt": "não é válida", "zh-Hant": "無效"}[language] in wrong.stderr) == (1, True)
    missing = run(main, ["prove", "5eed0001-000099", "--journal", str(tmp_path / "state"), "--lang", language])
    assert (missing.exit_code, {"pt": "não tem a jogada", "zh-Hant": "沒有賭局"}[language] in missing.stderr) == (
        1,
        True,
    )
    status = run(main, ["record", "--store", f"sqlite:{tmp_path}/room.db", "--lang", language, "status"])
    assert (status.exit_code, {"pt": "ainda", "zh-Hant": "尚未"}[language] in status.stderr) == (69, True)


@others
@pytest.mark.parametrize("line", ["pit P1: connected", "shard P1: another recorder has it", "shard P1: given back"])
def test_a_line_of_a_part_of_the_floor_is_retold(language: Language, line: str) -> None:
    said = retold(line, language, "cli.record")
    assert "P1" in said
    assert not set(re.findall("[a-z]+", said)) & set(re.findall("[a-z]+", line))
