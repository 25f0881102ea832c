"""Output of commands: foreign text reaches a terminal through one room, which escapes it."""

import ast
import base64
from pathlib import Path

import pytest
from click.testing import CliRunner

import tablectl
from tablectl.features.common.output import write_json, write_line, write_lines
from tablectl.features.rounds.verify import verify
from tablectl.proof.note import fingerprint, sign_note
from tests.proof.keys import signer

HOME = Path(tablectl.__file__).parent
OWN_TEXT = {
    "features/common/output.py": "the room itself",
    "features/completion.py": "a script of click's, without a foreign word",
    "features/dev.py": "a drawing of the games' own phases",
    "features/rounds/prove.py": "a document whose JSON is escaped",
    "program_check.py": "stands alone, without a line of this package, and escapes names by itself",
    "features/demo/runner.py": "a picture with colours; its texts go through `visible`",
    "features/rounds/settle.py": "answers in ASCII, at full speed",
    "daemon/host/log.py": "log lines, escaped by their own processor",
    "testing/cli.py": "one function, which makes everything visible",
    "testing/daemon.py": "one line of an error, made visible",
}
"""Modules that write by themselves, and why they may."""


def _writes(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = ast.unparse(node.func)
    return called in {"print", "click.echo", "click.secho"} or called.endswith(("stdout.write", "stderr.write"))


def test_commands_write_through_the_one_room_that_escapes() -> None:
    found = {
        path.relative_to(HOME).as_posix()
        for path in HOME.rglob("*.py")
        if any(map(_writes, ast.walk(ast.parse(path.read_text("utf-8")))))
    }
    assert found - set(OWN_TEXT) == set()


HOSTILE = "a\x1b[1A\x1b[2K\r\nx: valid\x9b2J\u202e\u061c\ud800"


def test_foreign_text_moves_no_cursor_and_adds_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    write_line(HOSTILE)
    write_lines("first\nsecond\x1b[1A")
    write_json({"a": HOSTILE[:-1]})
    told = capsys.readouterr().out
    assert len(told.splitlines()) == 4
    assert not {"\x1b", "\r", "\x9b", "\u202e", "\u061c"} & set(told)


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 100_000,
        b'{"form": "tablectl-proof/1", "round": "\\ud800"}',
        b'{"form": "tablectl-proof/1", "form": "tablectl-proof/1"}',
        b"\xff\xfe{\x00}\x00",
        b'{"form": NaN}',
        b"9" * 10_000,
    ],
)
def test_a_hostile_proof_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "\x1b[1A\x1b[2Kproof: valid\n"
    file.write_bytes(content)
    result = CliRunner().invoke(verify, [str(file), "--key", fingerprint(signer().public)])
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert "\x1b" not in result.stderr


def test_a_proof_of_half_a_letter_is_no_proof(tmp_path: Path) -> None:
    """Its origin would be hashed into a key's id, which no encoding can write."""
    key = signer()
    note = sign_note("x\n1\nAAAA\n", "x", key)
    file = tmp_path / "proof"
    form = '{"form":"tablectl-proof/1","round":"r","origin":"\\ud800","public_key":"%s","checkpoint":"%s","events":[]}'
    file.write_text(form % (base64.b64encode(key.public).decode(), note.replace("\n", "\\n")), "utf-8")
    result = CliRunner().invoke(verify, [str(file), "--key", fingerprint(key.public)])
    assert (result.exit_code, type(result.exception)) == (2, SystemExit)
