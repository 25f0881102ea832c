"""Files that people may have edited: read in one way, with the byte and what to do where they aren't text."""

import ast
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from tablectl import cli
from tablectl.cli import main
from tablectl.config import load
from tablectl.daemon.room_settings import broker_of
from tablectl.edited_files import UnusableFileError, read_secret, read_text
from tablectl.features.common.options import default_config
from tablectl.features.recorder.run import load_record_config, recorder_of
from tablectl.journal.reading.rows import UnreadableError
from tablectl.journal.reading.trusted_keys import KeyTextError, read_note_file, trusted_key
from tablectl.rule_tables import RulesError, load_rules, shipped
from tests.support.config import complaint

NOT_UTF8 = "byte 5, line 1: this isn't UTF-8: save the file as UTF-8"
WRONG = b"gehei\xe7m\n"
ROOT = Path(cli.__file__).parent

MACHINES = {
    "config/mounts.py": "mounts of the kernel",
    "console/openmetrics.py": "figures of the kernel",
    "daemon/host/clock.py": "boot id of the kernel",
    "daemon/lifecycle.py": "last-exit, by systemd",
    "daemon/host/log.py": "log-level.json, by `tablectl log`",
    "daemon/room_settings.py": "played, by `tablectl restore`",
    "features/bundle/collect.py": "os-release of the system",
    "features/demo/layout.py": "shipped tables",
    "features/demo/processes.py": "logs of our own processes",
    "features/doctor/readers.py": "names of processes, by the kernel",
    "features/common/locks.py": "locks of the kernel",
    "testing/bench_inventory.py": "locks, by `tablectl dev rig`",
    "testing/daemon.py": "logs of our own processes",
}
"""Who reads texts that no person edits, and which."""


def calls(name: str) -> set[str]:
    """The modules that call a method of this name."""
    return {
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name
    }


def test_texts_are_read_by_one_function() -> None:
    assert calls("read_text") == set(MACHINES)


def test_certificates_are_loaded_by_one_module() -> None:
    assert calls("load_cert_chain") | calls("load_verify_locations") == {"tls_files.py"}


@pytest.fixture(name="secret")
def _secret(tmp_path: Path) -> Path:
    return tmp_path / "secret"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"a\nb\n", "a\nb\n"),
        (b"\xef\xbb\xbfa\r\nb\r\n", "a\nb\n"),
        ("\u7389\n".encode(), "\u7389\n"),
        (b"", ""),
    ],
)
def test_a_text_comes_without_byte_order_mark_and_carriage_returns(secret: Path, raw: bytes, text: str) -> None:
    secret.write_bytes(raw)
    assert read_text(secret) == text


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (WRONG, NOT_UTF8),
        (b"\xef\xbb\xbfab\n\xe7", "byte 6, line 2: this isn't UTF-8: save the file as UTF-8"),
        ("geheim".encode("utf-16-le"), "byte 1, line 1: this is a NUL, as in UTF-16: save the file as UTF-8"),
        ("geheim".encode("utf-16"), "byte 0, line 1: this isn't UTF-8: save the file as UTF-8"),
        (bytes(17 << 20), "it is larger than 16 MiB: name the file that is meant"),
        (b" \nbelow", "its first line is empty: write the secret there"),
    ],
)
def test_file_without_a_secret_says_where_and_what_to_do(secret: Path, raw: bytes, said: str) -> None:
    secret.write_bytes(raw)
    with pytest.raises(UnusableFileError) as caught:
        read_secret(secret)
    assert (caught.value.filename, caught.value.strerror) == (str(secret), said)


SPELLINGS = [b"geheim", b"geheim\n", b"geheim\r\n", b"\xef\xbb\xbfgeheim\n", b"geheim \t\n", b"geheim\na note\n"]


@pytest.mark.parametrize("raw", SPELLINGS)
def test_a_password_is_the_same_however_its_file_was_saved(secret: Path, file: Path, raw: bytes) -> None:
    secret.write_bytes(raw)
    config = load(file, {"mqtt.username": "q1", "mqtt.password_file": str(secret)})
    assert broker_of(config).password == "geheim"
    record = load_record_config(Path("/dev/null"), {"store.url": "sqlite:/none", "broker.password_file": str(secret)})
    recorder_of(record, print)
    assert read_secret(secret) == "geheim"


@pytest.mark.parametrize("command", ["check-config", "run", "doctor"])
def test_password_that_is_no_text_ends_command_with_its_place(secret: Path, file: Path, command: str) -> None:
    secret.write_bytes(WRONG)
    lines = f'{file.read_text("utf-8")}\n[mqtt]\nusername = "q1"\npassword_file = "{secret}"\n'
    file.write_text(lines, "utf-8")
    named = [str(file)] if command == "check-config" else ["--config", str(file)]
    result = CliRunner().invoke(main, [command, *named])
    assert result.exit_code == 78, result.output
    assert ":14:1: mqtt.password_file = " in result.output
    assert f"\n  the file can't be read: {NOT_UTF8}\n" in result.output


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["tail", "--password-file", "{secret}"], 2),
        (["record", "--store", "sqlite:/none", "--set", "broker.password_file={secret}"], 77),
        (["bookmark", "note", "--url", "http://127.0.0.1:9", "--person", "mei", "--pin-file", "{secret}"], 2),
    ],
)
def test_every_commands_secret_is_told_by_file_and_byte(secret: Path, words: list[str], code: int) -> None:
    secret.write_bytes(WRONG)
    result = CliRunner().invoke(main, [word.format(secret=secret) for word in words])
    assert (result.exit_code, result.output.count("\n")) == (code, 1), result.output
    assert str(secret) in result.output
    assert NOT_UTF8 in result.output


def test_a_configuration_in_utf_16_is_told_where(file: Path) -> None:
    file.write_text('[table]\nsite = "macau"\n', "utf-16-le")
    assert complaint(file) == f"{file}:1:2\n  this is a NUL, as in UTF-16\n  hint: save the file as UTF-8"


def test_a_rule_table_is_read_whatever_editor_saved_it(tmp_path: Path) -> None:
    table, text = tmp_path / "rules.toml", shipped("rules/q_poker.89-2004.toml").read_text("utf-8")
    table.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert load_rules("q_poker", table).version == load_rules("q_poker").version
    table.write_bytes(WRONG)
    with pytest.raises(RulesError, match=NOT_UTF8):
        load_rules("q_poker", table)


def test_a_key_and_a_note_survive_an_editor(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(b"\xef\xbb\xbfsha256:" + b"0" * 64 + b" \r\n")
    assert trusted_key(str(path)).fingerprint == f"sha256:{'0' * 64}"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\r\n\r\n")
    assert read_note_file(path) == "a\nb\n"
    path.write_bytes(WRONG)
    with pytest.raises(UnreadableError, match=NOT_UTF8):
        read_note_file(path)
    with pytest.raises(KeyTextError, match=NOT_UTF8):
        trusted_key(str(path))


@pytest.mark.parametrize("raw", [b"[table]\r\n", b"\xef\xbb\xbf[table]\n", b"[table] \n", b"\xe7\n[table]\n"])
def test_the_only_table_is_found_whatever_editor_saved_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raw: bytes
) -> None:
    for variable in ("TABLECTL_CONFIG", "TABLECTL_TABLE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TABLECTL_CONFIG_DIR", str(tmp_path))
    (tmp_path / "q1.toml").write_bytes(raw)
    (tmp_path / "recorder.toml").write_bytes(b"[store]\n")
    assert default_config() == tmp_path / "q1.toml"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda raw: b"\xef\xbb\xbf" + raw.replace(b"\n", b"\r\n"), ""),
        (lambda _raw: WRONG, f"/words/pt.toml: {NOT_UTF8}, or install tablectl anew\n"),
        (lambda _raw: b"a = \n", "/words/pt.toml: Invalid value (at line 1, column 5): mend the file,"),
    ],
    ids=["of another editor", "not UTF-8", "not TOML"],
)
def test_a_spoilt_file_of_words_is_told_in_one_line(tmp_path: Path, spoil: Callable[[bytes], bytes], said: str) -> None:
    copied = tmp_path / "tablectl"
    copied.mkdir()
    for each in ROOT.iterdir():
        if each.name != "words":
            (copied / each.name).symlink_to(each)
    shutil.copytree(ROOT / "words", copied / "words")
    file = copied / "words" / "pt.toml"
    file.write_bytes(spoil(file.read_bytes()))
    command = (sys.executable, "-m", "tablectl", "version")
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
    assert ended.returncode == bool(said)
    assert (said in ended.stderr, ended.stderr.count("\n")) == (True, bool(said)), ended.stderr
